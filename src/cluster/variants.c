/*
 * variants.c
 *		Tells the user where the rows that could go differ from what is kept in numbers, or in a word, alone.
 *
 * Shoes in sizes, reports of days and paragraphs of a law share nearly all of their words, and are
 * different things all the same. So are a black shoe and a white one. A typing error is one word for
 * another, too, but it does not recur, as a colour does.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "parser/parse_func.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "cluster/keyed_values.h"
#include "cluster/variants.h"
#include "drawing.h"
#include "text/encoding.h"
#include "text/number_words.h"

/* A NOTICE needs this many variants, and one in this many near-duplicates. */
#define LEAST_VARIANTS 5
#define LEAST_SHARE 10

/* No more near-duplicates are compared; of more, a random sample is. */
#define MOST_COMPARED 1000

/* A word that tells variants apart does so for this many near-duplicates. Longer words are not counted. */
#define LEAST_RECURRING 3
#define MOST_WORD_BYTES 64

/* A word in which texts differ that are equal otherwise. */
typedef struct OddWord
{
	char word[MOST_WORD_BYTES]; /* in UTF-8, ended by a zero */
	uint32 pairs;				/* that differ in it */
} OddWord;

/* The words in which a row differs from what is kept; NULL for one that has no word there. */
typedef struct OddWords
{
	const OddWord *of_row;
	const OddWord *of_kept;
} OddWords;

typedef struct Variants
{
	const DuplicateRows *duplicates;
	const uint32 *cluster;
	uint32 near;	 /* near-duplicates */
	uint32 compared; /* of them */
	KeyedValues asked;
	bool has_text; /* the row has one that is compared with what is kept for it */
	DividedWords row;
	uint32 in_numbers; /* of the compared ones that differ in numbers alone */
	HTAB *words;
	OddWords in_word[MOST_COMPARED]; /* those that differ in one word alone */
	uint32 in_word_count;
	MemoryContext text_context;
} Variants;

/* Returns whether the row at a place is a near-duplicate of the one at *kept. */
static bool
is_near_duplicate(const Variants *variants, uint32 place, uint32 *kept)
{
	const DuplicateRows *duplicates = variants->duplicates;

	*kept = DuplicateRowsFirst(duplicates, variants->cluster[duplicates->rows.groups[place]]);
	return *kept != place && duplicates->has_text[place] &&
		   DuplicateRowsDiffer(duplicates, place, *kept);
}

static uint32
count_near_duplicates(const Variants *variants)
{
	uint32 count = 0;
	uint32 kept;

	for (uint32 place = 0; place < variants->duplicates->rows.count; place++)
	{
		CHECK_FOR_INTERRUPTS();
		count += is_near_duplicate(variants, place, &kept);
	}
	return count;
}

/* Asks for the near-duplicates that are compared, by chance where there are too many, each before what is kept. */
static void
ask_compared(Variants *variants)
{
	Drawing drawing = DrawingBegin(variants->near, variants->near, MOST_COMPARED);
	uint32 kept;

	variants->compared = (uint32) drawing.wanted;
	for (uint32 place = 0; place < variants->duplicates->rows.count; place++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!is_near_duplicate(variants, place, &kept))
			continue;
		if (!DrawingTakes(&drawing))
			continue;
		KeyedValuesAsk(&variants->asked, place);
		KeyedValuesAsk(&variants->asked, kept);
	}
}

static DividedWords
divide_words(Datum value)
{
	text *body = DatumGetTextPP(value);

	return DivideNumberWords(ServerToUtf8(VARDATA_ANY(body), VARSIZE_ANY_EXHDR(body)));
}

static bool
are_equal(const ByteBuffer *a, const ByteBuffer *b)
{
	return a->used == b->used && memcmp(a->data, b->data, a->used) == 0;
}

/* Has a blank follow each word. */
static void
end_words(ByteBuffer *words)
{
	if (words->used > 0)
		ByteBufferAppend(words, " ", 1);
}

/* Returns the bytes of the words with which both texts begin. A blank follows each word. */
static Size
common_start(ByteSpan a, ByteSpan b)
{
	Size start = 0;

	for (Size i = 0; i < Min(a.length, b.length) && a.data[i] == b.data[i]; i++)
	{
		if (a.data[i] == ' ')
			start = i + 1;
	}
	return start;
}

/* Returns the bytes of the words with which both texts, which differ, end. */
static Size
common_end(ByteSpan a, ByteSpan b)
{
	const char *a_end = a.data + a.length - 1;
	const char *b_end = b.data + b.length - 1;
	Size least = Min(a.length, b.length);
	Size end = 0;
	Size i;

	for (i = 0; i < least && a_end[-(ssize_t) i] == b_end[-(ssize_t) i]; i++)
	{
		if (a_end[-(ssize_t) i] == ' ')
			end = i;
	}
	/* All of the shorter one, behind the end of a word. */
	if (i == least && (a.length > least ? a_end : b_end)[-(ssize_t) i] == ' ')
		end = i;
	return end;
}

/* Whether this is no word, or one that is counted, with the blank behind it. */
static bool
is_one_word(ByteSpan rest)
{
	return rest.length == 0 || (rest.length <= MOST_WORD_BYTES &&
								memchr(rest.data, ' ', rest.length) == rest.data + rest.length - 1);
}

static const OddWord *
count_word(Variants *variants, ByteSpan rest)
{
	char word[MOST_WORD_BYTES] = {0};
	OddWord *odd;
	bool found;

	if (rest.length == 0)
		return NULL;
	memcpy(word, rest.data, rest.length - 1);
	odd = hash_search(variants->words, word, HASH_ENTER, &found);
	odd->pairs = found ? odd->pairs + 1 : 1;
	return odd;
}

/* Notes words without a digit, which differ between a row and what is kept, if it is in one word. */
static void
compare_words(Variants *variants, ByteBuffer *row, ByteBuffer *kept)
{
	ByteSpan a;
	ByteSpan b;
	Size start;
	Size end;

	end_words(row);
	end_words(kept);
	a = (ByteSpan){row->data, row->used};
	b = (ByteSpan){kept->data, kept->used};
	start = common_start(a, b);
	a = (ByteSpan){a.data + start, a.length - start};
	b = (ByteSpan){b.data + start, b.length - start};
	end = common_end(a, b);
	a.length -= end;
	b.length -= end;
	if (is_one_word(a) && is_one_word(b))
		variants->in_word[variants->in_word_count++] =
			(OddWords){count_word(variants, a), count_word(variants, b)};
}

/* Takes the text of a row, and then that of what is kept for it. One of them may be NULL. */
static void
take_body(void *context, uint32 number, Datum value, bool is_null)
{
	Variants *variants = context;
	MemoryContext previous = MemoryContextSwitchTo(variants->text_context);
	DividedWords *row = &variants->row;
	DividedWords kept;

	if (number % 2 == 0)
	{
		MemoryContextReset(variants->text_context);
		variants->has_text = !is_null;
		if (!is_null)
			*row = divide_words(value);
	}
	else if (variants->has_text && !is_null)
	{
		kept = divide_words(value);
		if (are_equal(&row->others, &kept.others))
			variants->in_numbers += !are_equal(&row->numbers, &kept.numbers);
		else if (are_equal(&row->numbers, &kept.numbers))
			compare_words(variants, &row->others, &kept.others);
	}
	MemoryContextSwitchTo(previous);
}

/* Whether so many near-duplicates are worth a NOTICE. */
static bool
are_many(const Variants *variants, uint32 count)
{
	return count >= LEAST_VARIANTS && (uint64) count * LEAST_SHARE >= variants->compared;
}

/* Adds to a NOTICE what was compared. */
static int
detail_compared(const Variants *variants)
{
	return variants->compared < variants->near
			   ? errdetail("Of %u near-duplicates, a random sample was compared with what is kept.",
						   variants->near)
			   : 0;
}

/* Returns what a call must give where it gives `within`. */
static const char *
what_within_takes(const DuplicatesRequest *request)
{
	if (MeasureIsWeighted(request->join.task.predicate.measure))
		return request->is_chosen ? ", which takes measure jaccard, cosine or dice and a threshold"
								  : ", which takes measure jaccard, cosine or dice";
	return request->is_chosen ? ", which takes a threshold" : "";
}

/* Returns number_words(text), as SQL that works in the caller's search path. */
static const char *
number_words_call(const DuplicatesRequest *request)
{
	char *schema = get_namespace_name(request->join.reader.schema);
	List *name = list_make2(makeString(schema), makeString(pstrdup("number_words")));
	Oid argument = TEXTOID;

	return psprintf("%s(%s)",
					FunctionIsVisible(LookupFuncName(name, 1, &argument, false))
						? "number_words"
						: quote_qualified_identifier(schema, "number_words"),
					request->text_column);
}

static void
report_numbers(const Variants *variants)
{
	const DuplicatesRequest *request = variants->duplicates->request;
	const char *within = number_words_call(request);

	if (request->within != NULL)
		within = psprintf("%s, %s", within, request->within);
	ereport(NOTICE,
			(errmsg("%u of %u near-duplicates differ from the row that is kept only in words with "
					"a digit",
					variants->in_numbers, variants->compared),
			 detail_compared(variants),
			 errhint("They are different things, such as sizes, or copies with another date. Keep "
					 "different things apart by within => %s%s.",
					 quote_literal_cstr(within), what_within_takes(request))));
}

static uint32
pairs_of(const OddWord *word)
{
	return word == NULL ? PG_UINT32_MAX : word->pairs;
}

/* In how many pairs the rarer of two odd words is odd. */
static uint32
recurs(OddWords odd)
{
	return Min(pairs_of(odd.of_row), pairs_of(odd.of_kept));
}

/* Whether the words can be told: the encoding of the database may lack a letter of the normalized text. */
static bool
can_be_told(const OddWord *word)
{
	if (word == NULL || GetDatabaseEncoding() == PG_UTF8)
		return true;
	for (const char *p = word->word; *p != '\0'; p++)
	{
		if (IS_HIGHBIT_SET(*p))
			return false;
	}
	return true;
}

static const char *
describe_words(OddWords odd)
{
	if (!can_be_told(odd.of_row) || !can_be_told(odd.of_kept))
		return "";
	if (odd.of_row == NULL)
		return psprintf(", such as \"%s\" left out", odd.of_kept->word);
	if (odd.of_kept == NULL)
		return psprintf(", such as \"%s\" added", odd.of_row->word);
	return psprintf(", such as \"%s\" for \"%s\"", odd.of_row->word, odd.of_kept->word);
}

/* Says how many differ in a word that recurs, with the words that recur most. */
static void
report_words(const Variants *variants)
{
	uint32 count = 0;
	OddWords most;

	for (uint32 i = 0; i < variants->in_word_count; i++)
	{
		OddWords odd = variants->in_word[i];

		if (recurs(odd) < LEAST_RECURRING)
			continue;
		if (count++ == 0 || recurs(odd) > recurs(most))
			most = odd;
	}
	if (!are_many(variants, count))
		return;
	ereport(
		NOTICE,
		(errmsg("%u of %u near-duplicates differ from the row that is kept only in one word "
				"without a digit%s",
				count, variants->compared, describe_words(most)),
		 detail_compared(variants),
		 errhint(
			 "They are different things, such as colours, or copies with another word. Keep "
			 "different things apart by within => a column or an expression that has the word%s.",
			 what_within_takes(variants->duplicates->request))));
}

/*
 * Returns whether the user's expression leaves out numbers: then differences in numbers are meant
 * not to count.
 */
static bool
leave_out_numbers(const char *tokens)
{
	return tokens != NULL &&
		   (strstr(tokens, "strip_numbers") != NULL || strstr(tokens, "strip_ids") != NULL);
}

/* Prepares to read the texts of near-duplicates; false where there are not enough that can be read. */
static bool
begin_variants(Variants *variants)
{
	HASHCTL control = {
		.keysize = MOST_WORD_BYTES, .entrysize = sizeof(OddWord), .hcxt = CurrentMemoryContext};

	if (!variants->duplicates->request->text_is_string ||
		!KeyedValuesBegin(&variants->asked, variants->duplicates))
		return false;
	variants->near = count_near_duplicates(variants);
	variants->words =
		hash_create("neardup odd words", 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	variants->text_context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup text", ALLOCSET_DEFAULT_SIZES);
	return variants->near >= LEAST_VARIANTS;
}

void
VariantsReport(const DuplicateRows *duplicates, const uint32 *cluster)
{
	const DuplicatesRequest *request = duplicates->request;
	Variants variants = {.duplicates = duplicates, .cluster = cluster};

	if (!begin_variants(&variants))
		return;
	ask_compared(&variants);
	KeyedValuesRead(&variants.asked, psprintf("%s::pg_catalog.text", request->text_column), NULL,
					take_body, &variants);
	if (are_many(&variants, variants.in_numbers) && !leave_out_numbers(request->tokens))
		report_numbers(&variants);
	report_words(&variants);
}
