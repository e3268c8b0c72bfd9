/*
 * posting_list.c
 *		Finds the pairs of a token's postings that pass the size, positional and bitmap filters.
 *
 * Postings are sorted by side, part, size and position. Postings of one side and part are a group,
 * and postings of one size within a group are a run. The size filter is a range of runs. All pairs
 * of two runs have the same α, and the positional filter (Lemma 2, with no common token before, and
 * positions from 1) bounds each posting's own position:
 *
 *		1 + min(|x| - i, |y| - j) >= α    if and only if    i <= |x| - α + 1 and j <= |y| - α + 1
 *
 * So the pairs of two runs that pass are pairs of the first postings of one run with the first
 * postings of the other, and only their signatures remain to be compared. For example, in runs of
 * size 10 at Jaccard 0.8, where α is 9, the postings at positions 1 and 2 are compared.
 *
 * A similar pair passes at its first common token. It may pass again at later ones, which this list
 * cannot know: the caller removes the duplicates, or verifies a pair at its first common token
 * only.
 */
#include "c.h"

#include "port/pg_bitutils.h"

#include "bisect.h"
#include "kernel/filters/bitmap_filter.h"
#include "kernel/postings/posting_list.h"

/* Postings of one size in a group. */
typedef struct Run
{
	const Posting *postings;
	const uint64 *signatures;
	uint32 count;
	uint32 size;
} Run;

/* A join of two groups, the left one and the right one. */
typedef struct PostingJoin
{
	JoinHost *host;
	PostingBound bound;
	uint32 words;
	PostingEmit emit;
	void *emit_context;
	bool is_directed; /* a of a pair is of the left group; else it is the lesser key */
	bool has_sides;	  /* the groups are of different sides */
} PostingJoin;

static inline int
compare_postings(const Posting *a, const Posting *b, JoinHost *host)
{
	JoinTick(host, 1);
	if (a->side != b->side)
		return a->side - b->side;
	if (a->part != b->part)
		return a->part - b->part;
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return a->position < b->position ? -1 : a->position > b->position;
}

#define ST_SORT sort_postings
#define ST_ELEMENT_TYPE Posting
#define ST_COMPARE(a, b, host) compare_postings(a, b, host)
#define ST_COMPARE_ARG_TYPE JoinHost
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

static inline uint32
distance_of(const uint64 *x, const uint64 *y, uint32 words)
{
	uint32 distance = 0;

	for (uint32 w = 0; w < words; w++)
		distance += pg_popcount64(x[w] ^ y[w]);
	return distance;
}

static inline void
posting_emit_pair(const PostingJoin *join, int64 x, int64 y, uint32 distance)
{
	/* One set may have two postings, where two of its block keys are equal. */
	if (x == y && !join->has_sides)
		return;
	if (join->is_directed || x < y)
		join->emit(join->emit_context, x, y, distance);
	else
		join->emit(join->emit_context, y, x, distance);
}

/* Returns how many postings of a run are at positions up to `last`. */
static uint32
count_until(const Run *run, int64 last)
{
	uint32 count = 0;

	BISECT(uint32, count, run->count, at, run->postings[at].position <= last);
	return count;
}

/*
 * Emits the pairs of the first postings of two runs that are within the distance. x and y may be
 * one run, whose pairs are emitted once.
 */
static void
compare_runs(const PostingJoin *join, const Run *x, uint32 x_count, const Run *y, uint32 y_count,
			 int64 most)
{
	bool is_one = x->postings == y->postings && !join->is_directed;
	uint32 words = join->words;

	for (uint32 i = 0; i < x_count; i++)
	{
		const uint64 *signature = x->signatures + (Size) i * words;
		uint32 end = is_one ? Min(i, y_count) : y_count;

		JoinTick(join->host, 1 + end);
		for (uint32 j = 0; j < end; j++)
		{
			uint32 distance = distance_of(signature, y->signatures + (Size) j * words, words);

			if (distance <= most)
				posting_emit_pair(join, x->postings[i].key, y->postings[j].key, distance);
		}
	}
}

/* Emits the pairs of two runs that pass the filters. */
static void
join_runs(const PostingJoin *join, const Run *x, const Run *y)
{
	Predicate predicate = join->bound.predicate;
	int64 alpha;

	if (join->bound.of_values)
	{
		compare_runs(join, x, x->count, y, y->count, (int64) predicate.threshold);
		return;
	}
	alpha = PredicateLeastOverlap(predicate, x->size, y->size);
	if (x->postings[0].position == 0)
	{
		if (alpha <= 0)
			compare_runs(join, x, x->count, y, y->count, PG_INT64_MAX);
		return;
	}
	if (alpha <= 0 || alpha > Min(x->size, y->size))
		return;
	compare_runs(join, x, count_until(x, x->size - alpha + 1), y,
				 count_until(y, y->size - alpha + 1),
				 BitmapFilterDistance(x->size, y->size, alpha));
}

/* Returns the run that begins with this posting, which is before `end`. */
static Run
run_at(const PostingList *list, uint32 start, uint32 end)
{
	Run run = {.postings = list->postings + start,
			   .signatures = list->signatures + (Size) start * list->words,
			   .size = list->postings[start].size};

	while (start + run.count < end && list->postings[start + run.count].size == run.size)
		run.count++;
	return run;
}

/* Returns the first posting of start .. end - 1 that has at least this size, or end. */
static uint32
first_of_size(const PostingList *list, uint32 start, uint32 end, int64 size)
{
	BISECT(uint32, start, end, at, list->postings[at].size < size);
	return start;
}

/* The postings of a side and part: start .. end - 1. */
typedef struct Group
{
	uint32 start;
	uint32 end;
	uint8 side;
	uint8 part;
} Group;

#define MAX_GROUPS ((POSTING_RIGHT + 1) * (POSTING_MAX_PART + 1))

/* Returns whether pairs of x on the left and y on the right are to be found. */
static bool
groups_meet(const Group *x, const Group *y)
{
	return x->side != POSTING_RIGHT && y->side != POSTING_LEFT &&
		   (x->part == POSTING_WHOLE || y->part == POSTING_WHOLE || x->part != y->part);
}

/*
 * Joins the runs of two groups whose sizes can be similar. If both are one group, each run is joined
 * with those before it and with itself, unless the pairs are directed.
 */
static void
join_groups(const PostingJoin *join, const PostingList *list, const Group *x, const Group *y)
{
	Predicate predicate = join->bound.predicate;
	bool is_one = x == y && !join->is_directed;
	uint32 i = x->start;

	while (i < x->end)
	{
		Run x_run = run_at(list, i, x->end);
		int64 least = join->bound.of_values || x_run.postings[0].position == 0
						  ? 1
						  : PredicateLeastSize(predicate, x_run.size, false);
		int64 greatest = join->bound.of_values
							 ? PG_INT32_MAX
							 : PredicateGreatestSize(predicate, x_run.size, false);
		uint32 j = first_of_size(list, y->start, y->end, least);
		uint32 end = is_one ? i + x_run.count : y->end;

		while (j < end && list->postings[j].size <= greatest)
		{
			Run y_run = run_at(list, j, end);

			JoinTick(join->host, 1);
			join_runs(join, &x_run, &y_run);
			j += y_run.count;
		}
		i += x_run.count;
	}
}

/* Sorts the postings, and puts the signatures in their order. */
static void
sort_list(JoinHost *host, PostingList *list)
{
	JoinTick(host, list->count);
	sort_postings(list->postings, list->count, host);
	for (uint32 i = 0; i < list->count; i++)
		memcpy(list->signatures + (Size) i * list->words,
			   list->arrived + (Size) list->postings[i].number * list->words,
			   list->words * sizeof(uint64));
}

/* Writes the groups of a sorted list and returns their number. */
static uint32
posting_find_groups(const PostingList *list, Group *groups)
{
	uint32 count = 0;

	for (uint32 i = 0; i < list->count; i++)
	{
		const Posting *posting = &list->postings[i];

		if (count == 0 || groups[count - 1].side != posting->side ||
			groups[count - 1].part != posting->part)
			groups[count++] = (Group){.start = i, .side = posting->side, .part = posting->part};
		groups[count - 1].end = i + 1;
	}
	return count;
}

void
PostingListPairs(JoinHost *host, PostingList *list, PostingBound bound, PostingEmit emit,
				 void *emit_context)
{
	PostingJoin join = {.host = host,
						.bound = bound,
						.words = list->words,
						.emit = emit,
						.emit_context = emit_context};
	Group groups[MAX_GROUPS];
	uint32 count;

	sort_list(host, list);
	count = posting_find_groups(list, groups);
	for (uint32 x = 0; x < count; x++)
	{
		for (uint32 y = 0; y < count; y++)
		{
			if (!groups_meet(&groups[x], &groups[y]))
				continue;
			join.has_sides = groups[x].side != groups[y].side;
			join.is_directed = join.has_sides || MeasureIsDirected(bound.predicate.measure);
			/* If (x, y) and (y, x) are the same pairs, they are found once. */
			if (join.is_directed || x <= y)
				join_groups(&join, list, &groups[x], &groups[y]);
		}
	}
}
