/*
 * best_pairs.c
 *		Counts the pairs of each record, or of all, and bounds those that are wanted.
 */
#include "c.h"

#include <math.h>

#include "kernel/demand/best_pairs.h"

/* Has each key want any pairs. */
static void
best_begin(const PairDemand *demand)
{
	const BestPairs *best = demand->of_keys;

	for (uint32 key = 0; best != NULL && best->wishes != NULL && key < demand->key_count; key++)
		best->wishes[key] = (PairWish){.bound.distance = INFINITY};
}

static void
best_set(JoinRecords *records, const PairDemand *demand, const int64 *keys)
{
	const BestPairs *told = demand->of_keys;
	BestRecords *best = RecordDemandAllocate(records, offsetof(BestRecords, places) +
														  records->record_count * sizeof(uint32));

	best->count = told->count;
	best->of = told->of;
	best->is_self_join = told->is_self_join;
	for (uint32 i = 0; i < records->record_count; i++)
	{
		JoinTick(records->host, 1);
		best->places[i] = told->places[keys[records->records[i].row]];
	}
}

/* Returns the wish that is kept by the key of a record; NULL if none are kept, or none are seen. */
static PairWish *
kept_wish(const JoinRecords *records, uint32 record)
{
	const RecordDemand *demand = &records->demand;
	const BestPairs *best = demand->demand != NULL ? demand->demand->of_keys : NULL;

	if (best == NULL || best->wishes == NULL)
		return NULL;
	return &best->wishes[demand->keys[records->records[record].row]];
}

/* Returns whether a record wants pairs of its own. */
static bool
best_seeks(const JoinRecords *records, const BestRecords *best, uint32 record)
{
	if (best->of != BEST_OF_EACH)
		return true;
	if (!best->is_self_join)
		return JoinRecordIsLeft(records, &records->records[record]);
	return JoinRecordRole(records, record) == JOIN_SEEKS;
}

static OpenDemand *
best_open(const JoinRecords *records, Predicate predicate)
{
	JoinHost *host = records->host;
	OpenBest *open;

	if (records->weighing.is_weighted)
		return NULL;
	open = JoinAllocate(host, 1, sizeof(OpenBest));
	*open = (OpenBest){.best = records->demand.shared,
					   .measure = predicate.measure,
					   .is_directed = MeasureIsDirected(predicate.measure)};
	open->wish_count = open->best->of == BEST_OF_ALL ? 1 : records->record_count;
	open->wishes = JoinAllocate(host, open->wish_count, sizeof(PairWish));
	for (uint32 i = 0; i < open->wish_count; i++)
	{
		const PairWish *kept = kept_wish(records, i);
		bool seeks = best_seeks(records, open->best, i);

		JoinTick(host, 1);
		open->wishes[i] =
			kept != NULL ? *kept : (PairWish){.bound.distance = seeks ? INFINITY : -INFINITY};
		if (open->best->of == LEAST_OF_EACH)
			open->wishes[i].bound = (PairRank){.places = open->best->places[i]};
	}
	return &open->open;
}

/* Returns whether the pair is wanted, by x, or by either record if the measure is not directed. */
static inline bool
wants_at(const OpenBest *open, uint32 x, uint32 y, double distance)
{
	bool by_x = OpenBestWants(open, x, y, distance);

	if (open->is_directed)
		return by_x;
	if (open->best->of == BEST_OF_BOTH)
		return by_x && OpenBestWants(open, y, x, distance);
	return by_x || OpenBestWants(open, y, x, distance);
}

static bool
best_wants(OpenDemand *demand, const AskedPair *pair)
{
	const OpenBest *open = (const OpenBest *) demand;

	return wants_at(open, pair->x, pair->y,
					OpenBestDistance(open, pair->overlap, pair->x_size, pair->y_size));
}

static void
count_for_wish(PairWish *wish, PairRank rank, uint32 wanted)
{
	if (!PairRankIsLess(rank, wish->bound))
		return;
	if (wish->count == 0 || PairRankIsLess(wish->worst, rank))
		wish->worst = rank;
	if (++wish->count == wanted)
	{
		wish->bound = wish->worst;
		wish->count = 0;
	}
}

static bool
best_note(OpenDemand *demand, const AskedPair *pair)
{
	OpenBest *open = (OpenBest *) demand;
	uint32 wanted = open->best->count;
	uint32 x = pair->x;
	uint32 y = pair->y;
	double distance = OpenBestDistance(open, pair->overlap, pair->x_size, pair->y_size);

	if (!wants_at(open, x, y, distance))
		return false;
	count_for_wish(OpenBestWish(open, x), OpenBestRank(open, x, y, distance), wanted);
	if (open->best->of != BEST_OF_ALL && !open->is_directed)
		count_for_wish(OpenBestWish(open, y), OpenBestRank(open, y, x, distance), wanted);
	return true;
}

static void
best_close(OpenDemand *demand)
{
	OpenBest *open = (OpenBest *) demand;
	JoinHost *host = demand->records->host;

	for (uint32 i = 0; i < open->wish_count; i++)
	{
		PairWish *kept = kept_wish(demand->records, i);

		JoinTick(host, 1);
		if (kept != NULL)
			*kept = open->wishes[i];
	}
	JoinRelease(host, open->wishes, open->wish_count, sizeof(PairWish));
	JoinRelease(host, open, 1, sizeof(OpenBest));
}

const PairDemandKind best_pairs = {.record_bytes = sizeof(PairWish) + sizeof(uint32),
								   .begin = best_begin,
								   .set = best_set,
								   .open = best_open,
								   .wants = best_wants,
								   .note = best_note,
								   .close = best_close};
