/*
 * knn_join.c
 *		The SQL functions of the join that returns the k most similar rows of each row.
 *
 * Equal rows have the same neighbours, except themselves: neighbours are found for each group of
 * equal rows (row_groups.h), and returned for each of its rows. They wait in a sort by group, which
 * keeps as many as the group's rows need. The last of these is a bound for further ones. After a pass,
 * the neighbours of a group that has so many are final. Unless keys repeat in a self-join, the join
 * itself leaves out most pairs that neither group needs (best_pairs.h).
 *
 * In a self-join, rows of equal keys are not neighbours. If all rows of a group have one key, which
 * most often is that of its only row, then rows of this key are left out and k neighbours are needed.
 * Else they are left out when the neighbours of a row are returned: more than k are needed, namely k
 * beside those of any one key. A row needs at most k of one key, so no more of a key are kept. Let k be
 * 2, and the neighbours of a group from the nearest on have the keys
 *
 *		A A A B C D ...
 *
 * The third A is left out. A, A, B and C are needed: the rows whose key is A have the neighbours B and
 * C, all others A and A.
 */
#include "postgres.h"

#include <math.h>

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "allocate.h"
#include "compat.h"
#include "join/call/arguments.h"
#include "join/call/join_passes.h"
#include "join/call/result_set.h"
#include "join/call/row_places.h"
#include "kinds/sets/weighted_set_rows.h"
#include "measure/threshold.h"
#include "text/interrupts.h"

PG_FUNCTION_INFO_V1(knn_join);

enum
{
	COLUMN_A,
	COLUMN_B,
	COLUMN_SIMILARITY,
	COLUMN_RANK,
	COLUMNS
};

/* A neighbour that is wanted must be better: less distant, or as distant at a lower place. */
typedef struct Bound
{
	double distance;
	uint32 place;
} Bound;

/* The bound of a row whose neighbours have been returned: nothing is better. */
#define FINAL_BOUND ((Bound){.distance = -INFINITY})

typedef struct KnnJoin
{
	JoinRequest request;
	int32 k;
	ReturnSetInfo *result;
	SimilarityJoin join;
	RowPlaces rows;
	Bound *bounds;	 /* one for each group */
	uint8 *roles;	 /* one for each group */
	PairSort *pairs; /* pairs of a group and the place of a neighbour */

	/* Of a self-join in which keys repeat, else NULL. */
	uint32 *first_of_key;  /* for each place the first place with an equal key */
	int32 *of_key;		   /* for each such place its neighbours of the present group, else 0 */
	int32 *offered_of_key; /* likewise of an offer, within which other groups may be reduced */

	/* Neighbours of one group, while pairs are read from the sort. */
	RankedPair *neighbors;
	uint32 count;
	uint32 capacity;
} KnnJoin;

/* The neighbours of a group that have been kept so far. */
typedef struct Kept
{
	uint32 count;
	uint32 of_one_key; /* the most of one key that a row of the group may have; 0 if none has it */
	int32 *of_key;	   /* of_key or offered_of_key */
} Kept;

/* Arguments: [key type,] query, k, min_similarity, measure, against. */
static void
read_knn_arguments(KnnJoin *knn, FunctionCallInfo fcinfo)
{
	JoinRequest *request = &knn->request;
	int next = JoinQueryArguments(fcinfo, request);
	Measure measure = MeasureOrError(JoinTextArgumentOrError(fcinfo, next + 2, "measure"));

	knn->k = DatumGetInt32(JoinArgumentOrError(fcinfo, next, "k"));
	if (knn->k < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("k of %s must be at least 1", JoinFunctionName(fcinfo)),
						errdetail("It is %d.", knn->k)));
	request->task.predicate = PredicateOrError(
		measure, DatumGetFloat8(JoinArgumentOrError(fcinfo, next + 1, "min_similarity")));
	request->task.kind = SetRowsOf(measure);
	request->task.algorithm = JOIN_AUTO;
	request->task.demand.kind = &best_pairs;
}

static bool
is_better(const RankedPair *pair, const Bound *bound)
{
	return pair->distance < bound->distance ||
		   (pair->distance == bound->distance && pair->b < bound->place);
}

/* Wants only neighbours that are better than this one from now on. */
static void
tighten(KnnJoin *knn, const RankedPair *pair)
{
	Bound *bound = &knn->bounds[pair->a];

	if (is_better(pair, bound))
		*bound = (Bound){.distance = pair->distance, .place = pair->b};
}

/* Whether the rows of a group have one key, in a self-join. */
static bool
has_one_key(const KnnJoin *knn, uint32 group)
{
	const uint32 *members = RowGroupMembers(&knn->rows.groups, group);
	uint32 size = RowGroupSize(&knn->rows.groups, group);

	return size == 1 || RowPlacesHaveEqualKeys(&knn->rows, members[0], members[size - 1]);
}

/* Whether the neighbours kept are all that the rows of their group need. */
static inline bool
suffice(const KnnJoin *knn, const Kept *kept)
{
	return kept->count - kept->of_one_key >= (uint32) knn->k;
}

/* Returns whether a group needs the next neighbour, and counts it. They come from the nearest on. */
static bool
keep_neighbor(KnnJoin *knn, Kept *kept, uint32 group, uint32 place)
{
	if (knn->rows.is_self_join && has_one_key(knn, group))
	{
		if (RowPlacesHaveEqualKeys(&knn->rows, place, RowGroupMembers(&knn->rows.groups, group)[0]))
			return false;
	}
	else if (knn->first_of_key != NULL)
	{
		int32 *of_key = &kept->of_key[knn->first_of_key[place]];

		if (*of_key == knn->k)
			return false;
		++*of_key;
		kept->of_one_key = Max(kept->of_one_key, (uint32) *of_key);
	}
	else if (knn->rows.is_self_join)
		kept->of_one_key = 1;
	kept->count++;
	return true;
}

/* Forgets that this neighbour was kept. */
static inline void
forget_key(const KnnJoin *knn, const Kept *kept, uint32 place)
{
	if (knn->first_of_key != NULL)
		kept->of_key[knn->first_of_key[place]] = 0;
}

/* Offers the rows of a group to another one, or to itself: only as many as it may need. */
static void
offer(KnnJoin *knn, uint32 group, uint32 other, double distance)
{
	const uint32 *members = RowGroupMembers(&knn->rows.groups, other);
	uint32 size = RowGroupSize(&knn->rows.groups, other);
	Kept kept = {.of_key = knn->offered_of_key};
	RankedPair last = {.distance = INFINITY, .a = group};
	uint32 i;

	for (i = 0; i < size && !suffice(knn, &kept); i++)
	{
		RankedPair pair = {.distance = distance, .a = group, .b = members[i]};

		CHECK_FOR_INTERRUPTS();
		if (!is_better(&pair, &knn->bounds[group]))
			break;
		if (!keep_neighbor(knn, &kept, group, members[i]))
			continue;
		PairSortPut(knn->pairs, &pair);
		last = pair;
	}
	/* These alone are enough; most often because k is 1. */
	if (suffice(knn, &kept))
		tighten(knn, &last);
	while (i-- > 0)
		forget_key(knn, &kept, members[i]);
}

static void
take_groups(KnnJoin *knn, const GroupPair *pair)
{
	offer(knn, pair->x, pair->y, pair->distance);
	if (knn->rows.is_self_join && pair->x != pair->y &&
		!MeasureIsAsymmetric(knn->join.predicate.measure))
		offer(knn, pair->y, pair->x, pair->distance);
}

static uint64
take_neighbors(void *context, const FoundPair *found)
{
	KnnJoin *knn = context;
	GroupPair pair = RowPlacesPair(&knn->rows, &knn->join, found);

	take_groups(knn, &pair);
	return 1;
}

/* Keeps the first pairs of each group, as many as its rows need. */
static uint32
keep_nearest(void *context, RankedPair *pairs, uint32 count)
{
	KnnJoin *knn = context;
	uint32 kept_count = 0;
	uint32 next = 0;

	while (next < count)
	{
		uint32 group = pairs[next].a;
		uint32 first = kept_count;
		Kept kept = {.of_key = knn->of_key};

		for (; next < count && pairs[next].a == group; next++)
		{
			if (suffice(knn, &kept) || !keep_neighbor(knn, &kept, group, pairs[next].b))
				continue;
			pairs[kept_count++] = pairs[next];
			if (suffice(knn, &kept))
				tighten(knn, &pairs[next]);
		}
		for (uint32 i = first; i < kept_count; i++)
			forget_key(knn, &kept, pairs[i].b);
	}
	return kept_count;
}

static void
return_neighbor(KnnJoin *knn, uint32 place, const RankedPair *pair, int32 rank)
{
	ReturnSetInfo *result = knn->result;
	double similarity = MeasureDistance(knn->request.task.predicate.measure, pair->distance);
	Datum values[COLUMNS];
	bool nulls[COLUMNS] = {false};

	values[COLUMN_A] = RowPlacesKey(&knn->rows, place);
	values[COLUMN_B] = RowPlacesKey(&knn->rows, pair->b);
	values[COLUMN_SIMILARITY] = nd_float8_datum(&similarity);
	values[COLUMN_RANK] = Int32GetDatum(rank);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* Returns the first k neighbours of a row out of the neighbours of its group. */
static void
return_neighbors_of_row(KnnJoin *knn, uint32 place)
{
	int32 rank = 0;

	for (uint32 i = 0; i < knn->count && rank < knn->k; i++)
	{
		const RankedPair *pair = &knn->neighbors[i];

		CHECK_FOR_INTERRUPTS();
		if (!knn->rows.is_self_join || !RowPlacesHaveEqualKeys(&knn->rows, place, pair->b))
			return_neighbor(knn, place, pair, ++rank);
	}
}

/* Returns the neighbours of a group if they are final, and says whether they were. */
static bool
finish_group(KnnJoin *knn, const Kept *kept, bool is_last)
{
	const RowGroups *groups = &knn->rows.groups;
	uint32 group;

	for (uint32 i = 0; i < knn->count; i++)
		forget_key(knn, kept, knn->neighbors[i].b);
	if (knn->count == 0 || !(suffice(knn, kept) || is_last))
		return false;
	group = knn->neighbors[0].a;
	for (uint32 i = 0; i < RowGroupSize(groups, group); i++)
		return_neighbors_of_row(knn, RowGroupMembers(groups, group)[i]);
	knn->bounds[group] = FINAL_BOUND;
	knn->roles[group] = knn->rows.is_self_join ? JOIN_IS_MET : JOIN_ABSENT;
	return true;
}

static void
append_neighbor(KnnJoin *knn, Kept *kept, const RankedPair *pair)
{
	if (suffice(knn, kept) || !keep_neighbor(knn, kept, pair->a, pair->b))
		return;
	ARRAY_MAKE_ROOM(knn->neighbors, knn->count, knn->capacity);
	knn->neighbors[knn->count++] = *pair;
}

static void
begin_neighbors(void *context)
{
	KnnJoin *knn = context;

	knn->pairs = PairSortBegin(PAIRS_BY_ROW, keep_nearest, knn);
}

static uint32
end_neighbors(void *context, bool is_last)
{
	KnnJoin *knn = context;
	GroupPair equal = {.x = 0};
	Kept kept = {.of_key = knn->of_key};
	uint32 finished = 0;
	RankedPair pair;

	for (; RowPlacesEqualRows(&knn->rows, &knn->join, &equal); equal.x++)
		take_groups(knn, &equal);
	PairSortPerform(knn->pairs);
	knn->count = 0;
	while (PairSortNext(knn->pairs, &pair))
	{
		if (knn->count > 0 && knn->neighbors[0].a != pair.a)
		{
			finished += finish_group(knn, &kept, is_last);
			knn->count = 0;
			kept = (Kept){.of_key = knn->of_key};
		}
		append_neighbor(knn, &kept, &pair);
	}
	finished += finish_group(knn, &kept, is_last);
	PairSortEnd(knn->pairs);
	return finished;
}

/* Finds the first place of each key, if keys repeat. */
static void
count_keys(KnnJoin *knn)
{
	const RowPlaces *rows = &knn->rows;
	uint32 number;

	if (!rows->is_self_join || !KeyOrderRepeated(&rows->order, &rows->keys, &number))
		return;
	knn->first_of_key = AllocateArray(rows->keys.count, sizeof(uint32));
	knn->of_key = AllocateArray(rows->keys.count, sizeof(int32));
	knn->offered_of_key = AllocateArray(rows->keys.count, sizeof(int32));
	for (uint32 place = 0; place < rows->keys.count; place++)
	{
		bool is_new = place == 0 || !RowPlacesHaveEqualKeys(rows, place - 1, place);

		CHECK_NOW_AND_THEN(place);
		knn->first_of_key[place] = is_new ? place : knn->first_of_key[place - 1];
		knn->of_key[place] = knn->offered_of_key[place] = 0;
	}
}

static void
begin_seekers(KnnJoin *knn)
{
	uint32 count = knn->rows.groups.count;

	knn->bounds = AllocateArray(count, sizeof(Bound));
	for (uint32 group = 0; group < count; group++)
	{
		CHECK_NOW_AND_THEN(group);
		knn->bounds[group] = (Bound){.distance = INFINITY};
	}
	knn->roles = AllocateArray(count, sizeof(uint8));
	memset(knn->roles, JOIN_SEEKS, count);
	PairDemandByRoles(&knn->request.task.demand, knn->roles, count);
	count_keys(knn);
	if (knn->first_of_key == NULL)
		RowPlacesWantBest(&knn->rows, &knn->request.task, (uint32) knn->k, BEST_OF_EACH);
}

Datum
knn_join(PG_FUNCTION_ARGS)
{
	static const DescentMethods methods = {
		.begin = begin_neighbors, .take = take_neighbors, .end = end_neighbors};
	KnnJoin knn = {.result = JoinMaterialize(fcinfo)};
	JoinPasses passes = {.join = &knn.join, .task = &knn.request.task};

	read_knn_arguments(&knn, fcinfo);
	RowPlacesRead(&knn.rows, &knn.join, &knn.request);
	begin_seekers(&knn);
	JoinPassesDescend(&passes, knn.rows.groups.left_count, (uint32) knn.k, &methods, &knn);
	SimilarityJoinEnd(&knn.join);
	return (Datum) 0;
}
