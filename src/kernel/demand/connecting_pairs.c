/*
 * connecting_pairs.c
 *		Unites the groups of records as pairs are found.
 */
#include "c.h"

#include "kernel/demand/connecting_pairs.h"

static void
connecting_set(JoinRecords *records, const PairDemand *demand, const int64 *keys)
{
	JoinHost *host = records->host;
	const uint32 *of_key = demand->of_keys;
	uint32 *groups = RecordDemandAllocate(records, records->record_count * sizeof(uint32));
	uint32 *first = JoinAllocate(host, demand->key_count, sizeof(uint32));

	for (uint32 group = 0; group < demand->key_count; group++)
		first[group] = records->record_count;
	for (uint32 i = 0; i < records->record_count; i++)
	{
		uint32 group = of_key[keys[records->records[i].row]];

		if (first[group] == records->record_count)
			first[group] = i;
		groups[i] = first[group];
	}
	JoinRelease(host, first, demand->key_count, sizeof(uint32));
}

static OpenDemand *
connecting_open(const JoinRecords *records, Predicate predicate)
{
	JoinHost *host = records->host;
	OpenGroups *open = JoinAllocate(host, 1, sizeof(OpenGroups));

	open->groups = records->demand.shared;
	open->parents = JoinAllocate(host, records->record_count, sizeof(uint32));
	memcpy(open->parents, open->groups, records->record_count * sizeof(uint32));
	return &open->open;
}

static bool
connecting_wants(OpenDemand *demand, const AskedPair *pair)
{
	return !OpenGroupsConnect((const OpenGroups *) demand, pair->x, pair->y);
}

static bool
connecting_note(OpenDemand *demand, const AskedPair *pair)
{
	OpenGroups *open = (OpenGroups *) demand;

	open->parents[OpenGroupsRoot(open, pair->x)] = OpenGroupsRoot(open, pair->y);
	return true;
}

static void
connecting_close(OpenDemand *demand)
{
	OpenGroups *open = (OpenGroups *) demand;
	JoinHost *host = demand->records->host;

	JoinRelease(host, open->parents, demand->records->record_count, sizeof(uint32));
	JoinRelease(host, open, 1, sizeof(OpenGroups));
}

const PairDemandKind connecting_pairs = {.record_bytes = 2 * sizeof(uint32),
										 .one_of_equals = true,
										 .set = connecting_set,
										 .open = connecting_open,
										 .wants = connecting_wants,
										 .note = connecting_note,
										 .close = connecting_close};
