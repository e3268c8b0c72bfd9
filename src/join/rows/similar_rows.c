/*
 * similar_rows.c
 *		Finding the rows that may have a similar one.
 *
 * A chunk of rows is indexed, and all rows that may be similar to one of them look their tokens up:
 * in a self-join those that follow in the file, which are no smaller. Both rows of a near pair are
 * noted.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "join/rows/row_prefixes.h"
#include "join/rows/similar_rows.h"

/* The part of the memory that the bits of rows take at most. */
#define PART_OF_BITS 8

/* After this many rows, the search is given up if most of them have a near row. */
#define ROWS_OF_SAMPLE 4096

/*
 * The search is also given up if a token meets more rows than this on average: joining lists is
 * faster.
 */
#define MOST_MET_BY_TOKEN 16

typedef struct SimilarSearch
{
	SimilarRows *similar;
	const JoinInput *input;
	Predicate predicate;
	bool is_self;
	RowPrefixes prefixes;

	/* The chunk, and the row after it. */
	uint64 first;
	uint64 next;
	SpillMark first_mark;
	SpillMark next_mark;
	int64 least;
	int64 greatest;

	/* Where the search for rows that a chunk meets begins, in the other file. */
	uint64 from;
	SpillMark from_mark;

	uint64 number; /* of the row that is looked up */
	bool is_met;
	uint64 rows; /* that were looked up, and how many had a near one */
	uint64 met_rows;
	uint64 tokens; /* that were looked up, and how many rows they met */
	uint64 compared;
} SimilarSearch;

static JoinSpill *
looked_up_file(const SimilarSearch *search)
{
	return search->input->spills[search->is_self ? 0 : 1];
}

static bool
next_row_of_file(JoinSpill *spill, SpillRow *row)
{
	CHECK_FOR_INTERRUPTS();
	return JoinSpillNext(spill, row);
}

static void
note_similar_row(SimilarRows *similar, int side, uint64 number)
{
	similar->bits[side][number / 64] |= UINT64CONST(1) << (number % 64);
}

static void
note_pair(void *context, uint32 place)
{
	SimilarSearch *search = context;

	search->is_met = true;
	note_similar_row(search->similar, 0, search->first + place);
	note_similar_row(search->similar, search->is_self ? 0 : 1, search->number);
}

/* Indexes the next rows. Returns false if none is left, or if they cannot be indexed. */
static bool
index_chunk(SimilarSearch *search, bool *is_over)
{
	JoinSpill *spill = search->input->spills[0];
	const RowKind *kind = search->input->kind;
	SpillRow row;
	bool is_any = false;

	*is_over = false;
	search->first = search->next;
	search->first_mark = search->next_mark;
	JoinSpillSeek(spill, search->next_mark);
	while (next_row_of_file(spill, &row))
	{
		int64 least =
			kind->least_common(search->predicate, row.size, search->is_self ? row.measured : 0);

		search->next_mark = JoinSpillTell(spill);
		if (least < 1)
			return false;
		if (!RowPrefixesAdd(&search->prefixes, &row, least))
		{
			RowPrefixesFinish(&search->prefixes);
			return is_any;
		}
		if (!is_any)
			search->least = row.measured;
		search->greatest = row.measured;
		is_any = true;
		search->next++;
	}
	*is_over = true;
	RowPrefixesFinish(&search->prefixes);
	return true;
}

static bool
is_worth_it(const SimilarSearch *search)
{
	return search->rows < ROWS_OF_SAMPLE ||
		   (search->met_rows < search->rows / 4 * 3 &&
			search->compared <= search->tokens * MOST_MET_BY_TOKEN);
}

/* Looks up the rows that may be similar to one of the chunk. Returns false if that does not pay. */
static bool
look_rows_up(SimilarSearch *search)
{
	JoinSpill *spill = looked_up_file(search);
	const RowKind *kind = search->input->kind;
	int64 least = kind->least_similar(search->predicate, search->least);
	int64 greatest = kind->greatest_similar(search->predicate, search->greatest);
	uint32 count = search->prefixes.row_count;
	SpillRow row;

	search->number = search->is_self ? search->first : search->from;
	JoinSpillSeek(spill, search->is_self ? search->first_mark : search->from_mark);
	for (; next_row_of_file(spill, &row) && row.measured <= greatest; search->number++)
	{
		if (row.measured < least)
		{
			search->from = search->number;
			search->from_mark = JoinSpillTell(spill);
			continue;
		}
		/* In a self-join, a row of the chunk meets those before it. */
		if (search->is_self)
			count = (uint32) Min(search->number - search->first, search->prefixes.row_count);
		search->is_met = false;
		search->compared += RowPrefixesMeet(&search->prefixes, &row, count, note_pair, search);
		search->tokens += row.size;
		search->rows++;
		search->met_rows += search->is_met;
		if (!is_worth_it(search))
			return false;
	}
	return true;
}

static bool
search_all(SimilarSearch *search)
{
	for (;;)
	{
		bool is_over;

		if (!index_chunk(search, &is_over) || !look_rows_up(search))
			return false;
		if (is_over)
			return true;
		RowPrefixesReset(&search->prefixes);
	}
}

/* Whether the predicate is decided by the number of common tokens, for both sides alike. */
static bool
is_by_common_tokens(const JoinInput *input, Predicate predicate)
{
	return input->kind->least_common != NULL && !MeasureIsAsymmetric(predicate.measure) &&
		   !MeasureIsWeighted(predicate.measure);
}

void
SimilarRowsFind(SimilarRows *similar, const JoinInput *input, Predicate predicate, Size limit)
{
	JoinHost *host = input->records.host;
	SimilarSearch search = {.similar = similar,
							.input = input,
							.predicate = predicate,
							.is_self = input->spills[1] == NULL};
	uint64 rows = JoinSpillRows(input->spills[0]);
	Size bytes = 0;
	LeastOverlaps least_overlaps;
	bool is_found;

	*similar = (SimilarRows){.host = host};
	for (int side = 0; side < 2 && input->spills[side] != NULL; side++)
	{
		similar->words[side] = JoinSpillRows(input->spills[side]) / 64 + 1;
		bytes += similar->words[side] * sizeof(uint64);
	}
	if (!is_by_common_tokens(input, predicate) || rows == 0 || bytes > limit / PART_OF_BITS)
		return;
	for (int side = 0; side < 2 && input->spills[side] != NULL; side++)
		similar->bits[side] = JoinAllocateZero(host, similar->words[side], sizeof(uint64));
	LeastOverlapsInit(&least_overlaps, host, predicate, input->largest);
	RowPrefixesBegin(&search.prefixes, &least_overlaps, input->records.known_ranks,
					 (double) input->token_count / (double) Max(input->row_count, 1), rows,
					 limit - bytes);
	is_found = search_all(&search);
	RowPrefixesFree(&search.prefixes);
	LeastOverlapsFree(&least_overlaps);
	if (!is_found)
		SimilarRowsFree(similar);
}

Size
SimilarRowsBytes(const SimilarRows *similar)
{
	Size bytes = 0;

	for (int side = 0; side < 2; side++)
		bytes += similar->bits[side] != NULL ? similar->words[side] * sizeof(uint64) : 0;
	return bytes;
}

void
SimilarRowsFree(SimilarRows *similar)
{
	for (int side = 0; side < 2; side++)
	{
		if (similar->bits[side] != NULL)
			JoinRelease(similar->host, similar->bits[side], similar->words[side], sizeof(uint64));
		similar->bits[side] = NULL;
	}
}
