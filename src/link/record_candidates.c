/*
 * record_candidates.c
 *		Finding the candidates among the pairs of the units of a table of records.
 *
 * Where a table has very many similar pairs, the least similar ones are left out, so that there are at
 * most so many for each unit; which, the numbers of pairs by similarity tell.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "allocate.h"
#include "join/call/pair_sort.h"
#include "join/memory/join_memory.h"
#include "join/query_join.h"
#include "link/above_chance.h"
#include "link/pair_counts.h"
#include "link/record_candidates.h"
#include "link/record_column.h"

/* Values that more rows have make no candidates. */
#define MOST_ROWS_OF_VALUE 30

/* The most similar pairs, for each unit, but at least so many. */
#define MOST_PAIRS_OF_UNIT 50
#define LEAST_MOST_PAIRS 1000000

/* The part of the memory of a join that candidates take before they go to a file. */
#define PART_OF_CANDIDATES 4

typedef struct CandidateSearch
{
	RecordRows *rows;
	PairSort *sort; /* distances are negative similarities; 0 for pairs of equal values */
	PairCounts counts;
} CandidateSearch;

/* Returns the similarity from which on there are not too many pairs. */
static double
floor_of_candidates(const CandidateSearch *search)
{
	double most = Max((double) search->rows->unit_count * MOST_PAIRS_OF_UNIT, LEAST_MOST_PAIRS);
	double pairs = 0;
	int bin = BINS;

	while (bin > 0 && pairs + search->counts.pairs[bin - 1] <= most)
		pairs += search->counts.pairs[--bin];
	return PairBinStart(bin);
}

/* Whether the pair is a candidate, by the counts so far. */
static bool
is_candidate(const RankedPair *pair, double least)
{
	return pair->distance == 0 || -pair->distance >= least;
}

static uint32
keep_similar(void *context, RankedPair *pairs, uint32 count)
{
	double least = floor_of_candidates(context);
	uint32 kept = 0;

	for (uint32 i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (is_candidate(&pairs[i], least))
			pairs[kept++] = pairs[i];
	}
	return kept;
}

static void
put_candidate(CandidateSearch *search, uint32 a, uint32 b, double similarity)
{
	PairSortPut(search->sort,
				&(RankedPair){.a = Min(a, b), .b = Max(a, b), .distance = -similarity});
}

static uint64
take_candidate(void *context, const FoundPair *found)
{
	CandidateSearch *search = context;

	PairCountsAdd(&search->counts, found->value);
	put_candidate(search, RecordRowsUnit(search->rows, found->a),
				  RecordRowsUnit(search->rows, found->b), found->value);
	return 1;
}

/* Puts the pairs of the units of one value that may be compared. */
static void
put_equal(CandidateSearch *search, const uint32 *units, uint32 count)
{
	for (uint32 i = 0; i < count; i++)
	{
		for (uint32 j = i + 1; j < count; j++)
		{
			if (RecordRowsComparable(search->rows, units[i], units[j]))
				put_candidate(search, units[i], units[j], 0);
		}
	}
}

/* Puts the pairs of units that have the same value in a column, if few rows have it. */
static void
put_equal_of_column(CandidateSearch *search, const RecordColumn *column)
{
	uint32 count = search->rows->unit_count;
	uint32 *starts = AllocateArray((Size) column->value_count + 2, sizeof(uint32));
	uint32 *units = AllocateArray(count, sizeof(uint32));

	memset(starts, 0, ((Size) column->value_count + 2) * sizeof(uint32));
	for (uint32 unit = 0; unit < count; unit++)
	{
		if (column->values[unit] != NO_VALUE)
			starts[column->values[unit] + 2]++;
	}
	for (uint32 value = 0; value < column->value_count; value++)
		starts[value + 2] += starts[value + 1];
	for (uint32 unit = 0; unit < count; unit++)
	{
		if (column->values[unit] != NO_VALUE)
			units[starts[column->values[unit] + 1]++] = unit;
	}
	for (uint32 value = 0; value < column->value_count; value++)
	{
		CHECK_FOR_INTERRUPTS();
		if (column->rows[value] <= MOST_ROWS_OF_VALUE)
			put_equal(search, units + starts[value], starts[value + 1] - starts[value]);
	}
	pfree(starts);
	pfree(units);
}

static void
put_all_equal(CandidateSearch *search)
{
	RecordRows *rows = search->rows;

	for (int i = 0; i < rows->request->column_count; i++)
	{
		RecordColumn *column = RecordColumnRead(rows, i, false);

		if (column->value_count > 1)
			put_equal_of_column(search, column);
		RecordColumnFree(column);
	}
}

/* Puts the units of several rows, which are as similar to themselves as can be. */
static void
put_units(CandidateSearch *search)
{
	for (uint32 unit = 0; unit < search->rows->unit_count; unit++)
	{
		if (search->rows->sizes[unit] > 1)
			put_candidate(search, unit, unit, 1);
	}
}

static void
begin_candidates(RecordCandidates *candidates)
{
	*candidates = (RecordCandidates){0};
	RecordFileInit(&candidates->pairs, CurrentMemoryContext, sizeof(Candidate),
				   JoinMemory() / PART_OF_CANDIDATES);
}

/* Appends the candidate that comes next. */
static void
append_candidate(RecordCandidates *candidates, Size *capacity, const RankedPair *pair)
{
	uint64 number = candidates->count++;
	Candidate *candidate = RecordFilePut(&candidates->pairs);

	*candidate = (Candidate){.a = pair->a, .b = pair->b};
	if (number % 8 == 0)
	{
		ARRAY_MAKE_ROOM(candidates->labels, number / 8, *capacity);
		candidates->labels[number / 8] = 0;
	}
	(void) RecordCandidateSet(candidates, number, -pair->distance >= candidates->threshold);
}

/* Of a pair that is similar and has an equal value, the similarity counts if it is great enough. */
static void
take_sorted(RecordCandidates *candidates, CandidateSearch *search)
{
	double least = floor_of_candidates(search);
	Size capacity = 0;
	RankedPair taken = {.a = NO_ROW};
	RankedPair pair;

	PairSortPerform(search->sort);
	while (PairSortNext(search->sort, &pair))
	{
		if (!is_candidate(&pair, least) || (pair.a == taken.a && pair.b == taken.b))
			continue;
		append_candidate(candidates, &capacity, &pair);
		taken = pair;
	}
	PairSortEnd(search->sort);
}

void
RecordCandidatesFind(RecordCandidates *candidates, RecordRows *rows)
{
	CandidateSearch search = {.rows = rows};

	begin_candidates(candidates);
	search.sort = PairSortBegin(ALL_PAIRS_BY_ENDS, keep_similar, &search);
	QueryJoinPairs(rows->join, rows->join->task->predicate, take_candidate, &search);
	SimilarityJoinEnd(rows->join);
	search.counts.share = 1;
	search.counts.all = (double) rows->unit_count * (rows->unit_count - 1) / 2;
	candidates->threshold = AboveChanceThreshold(&search.counts);
	put_all_equal(&search);
	put_units(&search);
	take_sorted(candidates, &search);
}
