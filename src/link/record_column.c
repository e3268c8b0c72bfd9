/*
 * record_column.c
 *		Reading a column of a table of records, and comparing its values.
 *
 * Each different value is kept once, as the numbers of its trigrams. Those are in memory up to a
 * limit, then in a temporary file (record_file.h), in pieces of a fixed number: two values are
 * compared in two arrays, of which the first stays for the next pair.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "common/pg_prng.h"

#include "allocate.h"
#include "memory/join_memory.h"
#include "rows/record_file.h"
#include "link/date_slip.h"
#include "link/record_column.h"
#include "measure/token_weight.h"
#include "text/token_of_bytes.h"
#include "text/token_sort.h"
#include "text/word_qgrams.h"

/* What pg_trgm takes. */
#define GRAM_LENGTH 3

#define PIECE_GRAMS 8

/* Fills the last piece of a value. */
#define NO_GRAM PG_UINT32_MAX

/* The part of the memory of a join that the grams take before they go to a file. */
#define PART_OF_GRAMS 4

/* The greatest similarity of values that differ. */
#define MOST_SIMILAR 0.9999

/* Dates that differ by a slip have this similarity, if they have less. */
#define SLIPPED 0.9

/* What is similar by chance is told by so many pairs of rows, of which this part are no more similar. */
#define CHANCE_PAIRS 5000
#define CHANCE_PART 0.95

typedef struct Gram
{
	int64 token;
	uint32 number;
	char status;
} Gram;

#define SH_PREFIX gram
#define SH_ELEMENT_TYPE Gram
#define SH_KEY token
#include "sketch/token_table.h"

/* The grams of one value, ascending. */
typedef struct GramList
{
	uint32 value; /* NO_VALUE before the first one */
	uint32 *grams;
	Size count;
	Size capacity;
} GramList;

typedef struct ValueGrams
{
	RecordFile pieces;
	uint64 *ends; /* by value, the end of its pieces */
	Size end_capacity;
	int64 *weights; /* by value: the sum of the squares of its grams' weights */
	uint64 *dates;	/* by value: its digits, if it could be a date */
	Size date_capacity;

	gram_hash *numbers;	 /* while values are read */
	uint64 *frequencies; /* by gram: rows that have it */
	uint32 gram_count;
	Size gram_capacity;
	int64 *squares; /* by gram, of its weight */

	GramList sides[2]; /* the values that were compared last */
} ValueGrams;

/* Returns the number of a gram. */
static uint32
gram_number(ValueGrams *grams, int64 token)
{
	bool found;
	Gram *gram = gram_insert(grams->numbers, token, &found);

	if (!found)
	{
		ARRAY_MAKE_ROOM(grams->frequencies, grams->gram_count, grams->gram_capacity);
		grams->frequencies[grams->gram_count] = 0;
		gram->number = grams->gram_count++;
	}
	return gram->number;
}

static int
compare_grams(const void *a, const void *b)
{
	uint32 x = *(const uint32 *) a;
	uint32 y = *(const uint32 *) b;

	return (x > y) - (x < y);
}

/* Appends the digits of the value that comes next, and the numbers of its grams. */
static void
append_grams(ValueGrams *grams, uint32 value, ByteSpan normalized)
{
	uint32 *numbers;
	TokenList list;

	ARRAY_MAKE_ROOM(grams->dates, value, grams->date_capacity);
	grams->dates[value] = DateDigits(normalized);
	TokenListInit(&list, 0);
	TokensOfWordQgrams(normalized, GRAM_LENGTH, &list);
	TokensSort(list.tokens, list.count);
	list.count = TokensUnique(list.tokens, list.count);
	numbers = AllocateArray(list.count, sizeof(uint32));
	for (Size i = 0; i < list.count; i++)
		numbers[i] = gram_number(grams, list.tokens[i]);
	qsort(numbers, list.count, sizeof(uint32), compare_grams);
	for (Size i = 0; i < list.count; i += PIECE_GRAMS)
	{
		Size count = Min(list.count - i, PIECE_GRAMS);
		uint32 *piece = RecordFilePut(&grams->pieces);

		memset(piece, 0xFF, PIECE_GRAMS * sizeof(uint32));
		memcpy(piece, numbers + i, count * sizeof(uint32));
	}
	ARRAY_MAKE_ROOM(grams->ends, value, grams->end_capacity);
	grams->ends[value] = grams->pieces.count;
	pfree(numbers);
	pfree(list.tokens);
}

static void
read_grams(ValueGrams *grams, uint32 value, GramList *list)
{
	uint64 start = value == 0 ? 0 : grams->ends[value - 1];
	Size most = (grams->ends[value] - start) * PIECE_GRAMS;

	if (list->value == value)
		return;
	if (most > list->capacity)
	{
		list->capacity = most * 2;
		list->grams = ResizeArray(list->grams, list->capacity, sizeof(uint32));
	}
	for (uint64 piece = start; piece < grams->ends[value]; piece++)
		memcpy(list->grams + (piece - start) * PIECE_GRAMS, RecordFileAt(&grams->pieces, piece),
			   PIECE_GRAMS * sizeof(uint32));
	while (most > 0 && list->grams[most - 1] == NO_GRAM)
		most--;
	list->count = most;
	list->value = value;
}

/* Counts the rows that have each gram. */
static void
count_grams(RecordColumn *column)
{
	ValueGrams *grams = column->grams;
	GramList *list = &grams->sides[0];

	for (uint32 value = 0; value < column->value_count; value++)
	{
		CHECK_FOR_INTERRUPTS();
		read_grams(grams, value, list);
		for (Size i = 0; i < list->count; i++)
			grams->frequencies[list->grams[i]] += column->rows[value];
	}
}

/* Takes frequencies that were learned for those of the grams. */
static void
take_frequencies(ValueGrams *grams, const RecordFrequencies *known)
{
	gram_iterator iterator;
	Gram *gram;

	gram_start_iterate(grams->numbers, &iterator);
	while ((gram = gram_iterate(grams->numbers, &iterator)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		grams->frequencies[gram->number] = RecordFrequency(known, gram->token);
	}
}

/* Weighs the grams, which so many rows have of those that have a value, and then the values. */
static void
weigh_grams(RecordColumn *column, uint64 row_count)
{
	ValueGrams *grams = column->grams;
	GramList *list = &grams->sides[0];

	grams->squares = AllocateArray(grams->gram_count, sizeof(int64));
	for (uint32 gram = 0; gram < grams->gram_count; gram++)
	{
		CHECK_FOR_INTERRUPTS();
		grams->squares[gram] =
			TokenWeightTerm(TokenWeight(row_count, grams->frequencies[gram]), true);
	}
	grams->weights = AllocateArray(column->value_count, sizeof(int64));
	for (uint32 value = 0; value < column->value_count; value++)
	{
		CHECK_FOR_INTERRUPTS();
		read_grams(grams, value, list);
		grams->weights[value] = 0;
		for (Size i = 0; i < list->count; i++)
			grams->weights[value] += grams->squares[list->grams[i]];
	}
}

/* Sets the rarities by frequencies that were learned, or by those of the rows. */
static void
find_rarities(RecordColumn *column, const RecordFrequencies *known)
{
	column->rarities = AllocateArray(column->value_count, sizeof(float));
	for (uint32 value = 0; value < column->value_count; value++)
	{
		uint32 weight =
			known == NULL ? TokenWeight(column->row_count, column->rows[value])
						  : TokenWeight(known->all, RecordFrequency(known, column->tokens[value]));

		CHECK_FOR_INTERRUPTS();
		column->rarities[value] = (float) weight / TOKEN_WEIGHT_ONE;
	}
}

/* Returns the list of the frequencies of the values. */
static RecordFrequencies
list_values(const RecordColumn *column, uint32 most)
{
	ListedFrequency *frequencies = AllocateArray(column->value_count, sizeof(ListedFrequency));

	for (uint32 value = 0; value < column->value_count; value++)
		frequencies[value] =
			(ListedFrequency){.token = column->tokens[value], .rows = column->rows[value]};
	return RecordFrequenciesList(frequencies, column->value_count, most, column->row_count);
}

/* Returns the list of the frequencies of the grams. */
static RecordFrequencies
list_grams(const RecordColumn *column, uint32 most)
{
	const ValueGrams *grams = column->grams;
	ListedFrequency *frequencies = AllocateArray(grams->gram_count, sizeof(ListedFrequency));
	gram_iterator iterator;
	Gram *gram;

	gram_start_iterate(grams->numbers, &iterator);
	while ((gram = gram_iterate(grams->numbers, &iterator)) != NULL)
		frequencies[gram->number] =
			(ListedFrequency){.token = gram->token, .rows = grams->frequencies[gram->number]};
	return RecordFrequenciesList(frequencies, grams->gram_count, most, column->row_count);
}

static ValueGrams *
begin_grams(void)
{
	ValueGrams *grams = palloc0(sizeof(ValueGrams));

	RecordFileInit(&grams->pieces, CurrentMemoryContext, PIECE_GRAMS * sizeof(uint32),
				   JoinMemory() / PART_OF_GRAMS);
	grams->numbers = gram_create(CurrentMemoryContext, 1024, NULL);
	grams->sides[0].value = grams->sides[1].value = NO_VALUE;
	return grams;
}

/* Notes the value of a group; returns whether it is a new one, the last. */
static bool
note_value(RecordColumn *column, Copies *copies, uint32 group, uint32 rows, ByteSpan value)
{
	uint32 number = CopiesFirst(copies, value.data, value.length, column->value_count);
	bool is_new = number == column->value_count;

	if (is_new)
	{
		ARRAY_MAKE_ROOM(column->rows, number, column->row_capacity);
		column->rows[number] = 0;
		ARRAY_MAKE_ROOM(column->tokens, number, column->token_capacity);
		column->tokens[number] = TokenOfBytes(value.data, value.length);
		column->value_count++;
	}
	column->values[group] = number;
	column->rows[number] += rows;
	column->row_count += rows;
	return is_new;
}

/* Begins a column in a context of its own. */
static RecordColumn *
begin_column(const RecordRows *rows)
{
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup column", ALLOCSET_DEFAULT_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(context);
	RecordColumn *column = palloc0(sizeof(RecordColumn));

	column->context = context;
	column->values = AllocateArray(rows->rows.group_count, sizeof(uint32));
	MemoryContextSwitchTo(previous);
	return column;
}

/* Reads the values of the groups. */
static void
read_values(RecordColumn *column, RecordRows *rows, int number)
{
	Copies *copies = CopiesCreate(column->context);
	uint32 group;

	RecordRowsRewind(rows);
	while (RecordRowsNext(rows, &group))
	{
		ByteSpan value = RecordRowsValue(rows, number);

		CHECK_FOR_INTERRUPTS();
		column->values[group] = NO_VALUE;
		if (value.length > 0 &&
			note_value(column, copies, group, CallRowsGroupSize(&rows->rows, group), value) &&
			column->grams != NULL)
			append_grams(column->grams, column->value_count - 1, value);
	}
	CopiesFree(copies);
}

RecordColumn *
RecordColumnRead(RecordRows *rows, int number, const LearnedColumn *known)
{
	RecordColumn *column = begin_column(rows);
	MemoryContext previous = MemoryContextSwitchTo(column->context);

	read_values(column, rows, number);
	MemoryContextSwitchTo(previous);
	for (uint32 value = 0; known != NULL && value < column->value_count; value++)
	{
		uint64 known_rows = RecordFrequency(&known->values, column->tokens[value]);

		CHECK_FOR_INTERRUPTS();
		column->rows[value] = (uint32) Min(Max(column->rows[value], known_rows), PG_UINT32_MAX);
	}
	return column;
}

RecordColumn *
RecordColumnReadCompared(RecordRows *rows, int number, const LearnedColumn *known,
						 LearnedColumn *learned)
{
	uint32 most = MOST_LISTED_OF_COLUMNS / 2 / rows->request->column_count;
	RecordColumn *column = begin_column(rows);
	MemoryContext previous = MemoryContextSwitchTo(column->context);

	column->grams = begin_grams();
	read_values(column, rows, number);
	if (known != NULL)
		take_frequencies(column->grams, &known->grams);
	else
		count_grams(column);
	weigh_grams(column, known != NULL ? known->grams.all : column->row_count);
	find_rarities(column, known != NULL ? &known->values : NULL);
	MemoryContextSwitchTo(previous);
	if (learned != NULL)
	{
		learned->values = list_values(column, most);
		learned->grams = list_grams(column, most);
	}
	gram_destroy(column->grams->numbers);
	return column;
}

/* Returns the sum of the squared weights of the grams that two lists have in common. */
static int64
common_weight(const ValueGrams *grams, const GramList *a, const GramList *b)
{
	int64 weight = 0;
	Size i = 0;
	Size j = 0;

	while (i < a->count && j < b->count)
	{
		uint32 x = a->grams[i];
		uint32 y = b->grams[j];

		if (x == y)
			weight += grams->squares[x];
		i += x <= y;
		j += y <= x;
	}
	return weight;
}

static double
similarity_of_values(RecordColumn *column, uint32 a, uint32 b)
{
	ValueGrams *grams = column->grams;
	double norm = sqrt((double) grams->weights[a] * (double) grams->weights[b]);
	double least = DatesDifferBySlip(grams->dates[a], grams->dates[b]) ? SLIPPED : 0;
	MemoryContext previous;
	int64 common;

	if (norm == 0)
		return least;
	previous = MemoryContextSwitchTo(column->context);
	read_grams(grams, a, &grams->sides[0]);
	read_grams(grams, b, &grams->sides[1]);
	MemoryContextSwitchTo(previous);
	common = common_weight(grams, &grams->sides[0], &grams->sides[1]);
	return Max(Min((double) common / norm, MOST_SIMILAR), least);
}

ColumnSimilarity
RecordColumnCompare(RecordColumn *column, uint32 a, uint32 b)
{
	uint32 x = column->values[a];
	uint32 y = column->values[b];
	ColumnSimilarity result = {.similarity = -1};

	if (x == NO_VALUE || y == NO_VALUE)
		return result;
	result.similarity = x == y ? 1 : (float) similarity_of_values(column, x, y);
	result.rarity = Max(column->rarities[x], column->rarities[y]);
	return result;
}

/* Returns the groups of all rows that have a value, in the order of the rows. */
static uint32 *
groups_with_value(const RecordColumn *column, const CallRows *rows)
{
	uint32 *groups = AllocateArray(column->row_count, sizeof(uint32));
	uint64 count = 0;

	for (uint32 row = 0; row < rows->count; row++)
	{
		if (column->values[rows->groups[row]] != NO_VALUE)
			groups[count++] = rows->groups[row];
	}
	return groups;
}

static int
compare_floats(const void *a, const void *b)
{
	float x = *(const float *) a;
	float y = *(const float *) b;

	return (x > y) - (x < y);
}

float
RecordColumnChance(RecordColumn *column, const CallRows *rows)
{
	uint32 *groups = groups_with_value(column, rows);
	float *similarities = AllocateArray(CHANCE_PAIRS, sizeof(float));
	pg_prng_state state;
	float chance;

	pg_prng_seed(&state, 0);
	for (int i = 0; i < CHANCE_PAIRS; i++)
	{
		uint32 a = groups[pg_prng_uint64_range(&state, 0, column->row_count - 1)];
		uint32 b = groups[pg_prng_uint64_range(&state, 0, column->row_count - 1)];

		CHECK_FOR_INTERRUPTS();
		similarities[i] = RecordColumnCompare(column, a, b).similarity;
	}
	qsort(similarities, CHANCE_PAIRS, sizeof(float), compare_floats);
	chance = similarities[(int) (CHANCE_PAIRS * CHANCE_PART)];
	pfree(similarities);
	pfree(groups);
	return Min(chance, (float) MOST_SIMILAR);
}

void
RecordColumnFree(RecordColumn *column)
{
	if (column->grams != NULL)
		RecordFileEnd(&column->grams->pieces);
	MemoryContextDelete(column->context);
}
