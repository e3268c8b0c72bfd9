/*
 * record_candidates.c
 *		Finding the candidates among the pairs of the groups of a table of records.
 *
 * Where a table has very many similar pairs, the least similar ones are left out, so that there are at
 * most so many for each group; which, the numbers of pairs by similarity tell.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "allocate.h"
#include "join/call/pair_sort.h"
#include "memory/join_memory.h"
#include "join/query_join.h"
#include "table/above_chance.h"
#include "link/record_candidates.h"
#include "link/record_column.h"
#include "measure/token_weight.h"

/* Values that more rows have make no candidates. */
#define MOST_ROWS_OF_VALUE 30

/* A value that more rows have is common: by it alone, equal rows are not copies. */
#define MOST_ROWS_OF_LONE_VALUE 2

/* The most similar pairs, for each group, but at least so many. */
#define MOST_PAIRS_OF_GROUP 50
#define LEAST_MOST_PAIRS 1000000

/* Of so few groups, all pairs are candidates if a model scores them: hardly anything is rare among few rows. */
#define MOST_GROUPS_OF_ALL_PAIRS 50

/* The part of the memory of a join that candidates take before they go to a file. */
#define PART_OF_CANDIDATES 4

/* What a group has in the columns whose content differs among the rows. */
typedef struct GroupContent
{
	uint32 rows; /* how many have the value that was seen last */
	uint16 values;
	bool has_gap; /* a column without a value */
} GroupContent;

typedef struct CandidateSearch
{
	RecordRows *rows;
	const Veto *veto;
	PairSort *sort; /* distances are negative similarities; 0 for pairs of equal values */
	PairCounts counts;
	GroupContent *contents; /* by group */
	bool has_values;		/* a column has one */
} CandidateSearch;

/* Returns the similarity from which on there are not too many pairs. */
static double
floor_of_candidates(const CandidateSearch *search)
{
	double most =
		Max((double) search->rows->rows.group_count * MOST_PAIRS_OF_GROUP, LEAST_MOST_PAIRS);
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

	PairCountsAdd(&search->counts, found->value, 1);
	put_candidate(search, CallRowsGroupOf(&search->rows->rows, found->a),
				  CallRowsGroupOf(&search->rows->rows, found->b), found->value);
	return 1;
}

/* Puts the pairs of these groups that may be compared, as not similar by all their values. */
static void
put_pairs(CandidateSearch *search, const uint32 *groups, uint32 count)
{
	for (uint32 i = 0; i < count; i++)
	{
		for (uint32 j = i + 1; j < count; j++)
		{
			if (!RecordRowsAreKnown(search->rows, groups[i], groups[j]) &&
				CallRowsComparable(&search->rows->rows, groups[i], groups[j]))
				put_candidate(search, groups[i], groups[j], 0);
		}
	}
}

/* Puts the pairs of groups that have the same value in a column, if few rows have it. */
static void
put_equal_of_column(CandidateSearch *search, const RecordColumn *column)
{
	uint32 count = search->rows->rows.group_count;
	uint32 *starts = AllocateArray((Size) column->value_count + 2, sizeof(uint32));
	uint32 *groups = AllocateArray(count, sizeof(uint32));

	memset(starts, 0, ((Size) column->value_count + 2) * sizeof(uint32));
	for (uint32 group = 0; group < count; group++)
	{
		if (column->values[group] != NO_VALUE)
			starts[column->values[group] + 2]++;
	}
	for (uint32 value = 0; value < column->value_count; value++)
		starts[value + 2] += starts[value + 1];
	for (uint32 group = 0; group < count; group++)
	{
		if (column->values[group] != NO_VALUE)
			groups[starts[column->values[group] + 1]++] = group;
	}
	for (uint32 value = 0; value < column->value_count; value++)
	{
		CHECK_FOR_INTERRUPTS();
		if (column->rows[value] <= MOST_ROWS_OF_VALUE)
			put_pairs(search, groups + starts[value], starts[value + 1] - starts[value]);
	}
	pfree(starts);
	pfree(groups);
}

/* Puts all pairs that may be compared. */
static void
put_all(CandidateSearch *search)
{
	uint32 count = search->rows->rows.group_count;
	uint32 *groups = AllocateArray(count, sizeof(uint32));

	for (uint32 group = 0; group < count; group++)
		groups[group] = group;
	put_pairs(search, groups, count);
	pfree(groups);
}

/* The tokens of a group, and what each adds to a similarity by the weights of a model. */
typedef struct WeighedGroup
{
	TokenList tokens;
	int64 *terms;
	int64 total;
} WeighedGroup;

/* Weighs the tokens of the group that came last. */
static WeighedGroup
weigh_group(const RecordRows *rows)
{
	const RecordFrequencies *frequencies = &rows->request->model->tokens;
	WeighedGroup group = {.tokens = RecordRowsTokensOfGroup(rows)};

	group.terms = AllocateArray(group.tokens.count, sizeof(int64));
	for (Size i = 0; i < group.tokens.count; i++)
	{
		uint64 frequency = RecordFrequency(frequencies, group.tokens.tokens[i]);

		group.terms[i] = TokenWeightTerm(TokenWeight(frequencies->all, frequency), true);
		group.total += group.terms[i];
	}
	return group;
}

/* Returns what two groups have in common. */
static int64
weight_in_common(const WeighedGroup *x, const WeighedGroup *y)
{
	int64 common = 0;
	Size j = 0;

	for (Size i = 0; i < x->tokens.count; i++)
	{
		while (j < y->tokens.count && y->tokens.tokens[j] < x->tokens.tokens[i])
			j++;
		if (j < y->tokens.count && y->tokens.tokens[j] == x->tokens.tokens[i])
			common += x->terms[i];
	}
	return common;
}

/* Puts the pairs of a group, the one that came last, with these that are new. */
static void
put_similar_to_new(CandidateSearch *search, Predicate predicate, uint32 group,
				   const WeighedGroup *new_groups, const uint32 *numbers, uint32 count)
{
	RecordRows *rows = search->rows;
	bool is_new = RecordRowsEntity(rows, group) == NO_ROW;
	WeighedGroup weighed = weigh_group(rows);

	for (uint32 i = 0; i < count; i++)
	{
		const WeighedGroup *other = &new_groups[i];
		int64 common;

		CHECK_FOR_INTERRUPTS();
		if ((is_new && numbers[i] <= group) || !CallRowsComparable(&rows->rows, group, numbers[i]))
			continue;
		common = weight_in_common(&weighed, other);
		if (PredicateHolds(predicate, common, weighed.total, other->total))
			put_candidate(search, group, numbers[i],
						  MeasureValue(predicate.measure, common, weighed.total, other->total));
	}
	pfree(weighed.tokens.tokens);
	pfree(weighed.terms);
}

/*
 * Puts the pairs with new groups that are similar by the weights of the model: of few rows from a large table,
 * their own frequencies say nothing.
 */
static void
put_similar_by_model(CandidateSearch *search, Predicate predicate)
{
	RecordRows *rows = search->rows;
	WeighedGroup *new_groups = AllocateArray(rows->rows.group_count, sizeof(WeighedGroup));
	uint32 *numbers = AllocateArray(rows->rows.group_count, sizeof(uint32));
	uint32 count = 0;
	uint32 group;

	RecordRowsRewind(rows);
	while (RecordRowsNext(rows, &group))
	{
		if (RecordRowsEntity(rows, group) != NO_ROW)
			continue;
		new_groups[count] = weigh_group(rows);
		numbers[count++] = group;
	}
	RecordRowsRewind(rows);
	while (RecordRowsNext(rows, &group))
		put_similar_to_new(search, predicate, group, new_groups, numbers, count);
}

/* Notes what the groups have in a column, unless it is the same in all rows. */
static void
note_contents(CandidateSearch *search, const RecordColumn *column)
{
	const CallRows *rows = &search->rows->rows;

	search->has_values |= column->value_count > 0;
	if (column->value_count <= 1 && (column->row_count == 0 || column->row_count == rows->count))
		return;
	for (uint32 group = 0; group < rows->group_count; group++)
	{
		GroupContent *content = &search->contents[group];

		if (column->values[group] == NO_VALUE)
			content->has_gap = true;
		else
		{
			content->values++;
			content->rows = column->rows[column->values[group]];
		}
	}
}

/* Takes the columns one after the other: the pairs of equal values, and what each group has. */
static void
read_record_columns(CandidateSearch *search)
{
	RecordRows *rows = search->rows;

	search->contents = AllocateArray(rows->rows.group_count, sizeof(GroupContent));
	memset(search->contents, 0, rows->rows.group_count * sizeof(GroupContent));
	for (int i = 0; i < rows->request->column_count; i++)
	{
		const LearnedColumn *known =
			rows->request->is_narrowed ? &rows->request->model->columns[i] : NULL;
		RecordColumn *column = RecordColumnRead(rows, i, known);

		if (column->value_count > 1 || known != NULL)
			put_equal_of_column(search, column);
		note_contents(search, column);
		RecordColumnFree(column);
	}
}

/*
 * Whether equal rows of these values are copies, and not rows of which hardly anything is known: those
 * that have nothing but "Unknown", or no value at all, may be of many things.
 */
static bool
tells_copies(const CandidateSearch *search, uint32 group)
{
	const GroupContent *content = &search->contents[group];

	if (!content->has_gap)
		return search->has_values;
	return content->values > 1 ||
		   (content->values == 1 && content->rows <= MOST_ROWS_OF_LONE_VALUE);
}

/* Puts the groups of copies, which are as similar to themselves as can be. */
static void
put_groups(CandidateSearch *search)
{
	const CallRows *rows = &search->rows->rows;

	for (uint32 group = 0; group < rows->group_count; group++)
	{
		if (CallRowsGroupSize(rows, group) > 1 && tells_copies(search, group))
			put_candidate(search, group, group, 1);
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
append_candidate(RecordCandidates *candidates, const CandidateSearch *search, Size *capacity,
				 const RankedPair *pair)
{
	uint64 number = candidates->count++;
	Candidate *candidate = RecordFilePut(&candidates->pairs);

	*candidate = (Candidate){.a = pair->a, .b = pair->b};
	if (number % 2 == 0)
	{
		ARRAY_MAKE_ROOM(candidates->marks, number / 2, *capacity);
		candidates->marks[number / 2] = 0;
	}
	if (VetoParts(search->veto, pair->a, pair->b))
		return;
	if (-pair->distance >= candidates->threshold)
		RecordCandidateMark(candidates, number, CANDIDATE_SIMILAR);
	if (-pair->distance >= CLOSE)
		RecordCandidateMark(candidates, number, CANDIDATE_CLOSE);
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
		append_candidate(candidates, search, &capacity, &pair);
		taken = pair;
	}
	PairSortEnd(search->sort);
}

void
RecordCandidatesFind(RecordCandidates *candidates, RecordRows *rows, const Veto *veto)
{
	CandidateSearch search = {.rows = rows, .veto = veto};
	SimilarityJoin *join = rows->rows.join;
	Predicate predicate = join->task->predicate;
	double groups = rows->rows.group_count;

	begin_candidates(candidates);
	search.sort = PairSortBegin(ALL_PAIRS_BY_ENDS, keep_similar, &search);
	if (!rows->request->is_narrowed)
		QueryJoinPairs(join, predicate, take_candidate, &search);
	SimilarityJoinEnd(join);
	search.counts.share = 1;
	search.counts.all = PairsOfRows(groups);
	candidates->threshold = AboveChanceThreshold(&search.counts);
	read_record_columns(&search);
	if (rows->request->is_narrowed)
		put_similar_by_model(&search, predicate);
	else if (rows->request->model != NULL && rows->rows.group_count <= MOST_GROUPS_OF_ALL_PAIRS)
		put_all(&search);
	put_groups(&search);
	pfree(search.contents);
	take_sorted(candidates, &search);
}
