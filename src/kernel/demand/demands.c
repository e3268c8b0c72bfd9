/*
 * demands.c
 *		The kinds of demands, and from keys to records.
 *
 * This is the only file that knows all kinds.
 */
#include "c.h"

#include "kernel/demand/best_pairs.h"
#include "kernel/demand/connecting_pairs.h"
#include "kernel/demand/demands.h"

/* Workers know a kind by its number, since functions may have other addresses there. */
static const PairDemandKind *const kinds[] = {NULL, &connecting_pairs, &best_pairs};

const PairDemandKind *
RecordDemandKind(const JoinRecords *records)
{
	return kinds[records->demand.kind];
}

static void
demand_set_roles(JoinRecords *records, const uint8 *of_key, const int64 *keys)
{
	JoinHost *host = records->host;
	uint8 *roles = JoinAllocateShared(host, records->record_count, sizeof(uint8));

	for (uint32 i = 0; i < records->record_count; i++)
	{
		JoinTick(host, 1);
		roles[i] = of_key[keys[records->records[i].row]];
		if (JoinRecordRepeatsSide(records, i))
			roles[i] |= roles[i - 1];
	}
	/* The last of equal records now has the bits of all, which the others take over. */
	for (uint32 i = records->record_count; i-- > 1;)
	{
		JoinTick(host, 1);
		if (JoinRecordRepeatsSide(records, i))
			roles[i - 1] = roles[i];
	}
	records->demand.roles = roles;
}

void
RecordDemandSet(JoinRecords *records, const PairDemand *demand, const int64 *keys)
{
	records->demand = (RecordDemand){.demand = demand, .keys = keys};
	if (demand->roles != NULL)
		demand_set_roles(records, demand->roles, keys);
	if (demand->of_keys == NULL)
		return;
	while (kinds[records->demand.kind] != demand->kind)
		records->demand.kind++;
	demand->kind->set(records, demand, keys);
}

void
RecordDemandFree(JoinRecords *records)
{
	JoinHost *host = records->host;

	JoinRelease(host, records->demand.shared, 1, records->demand.shared_bytes);
	JoinRelease(host, records->demand.roles, records->record_count, sizeof(uint8));
	records->demand = (RecordDemand){0};
}

OpenDemand *
RecordDemandOpen(const JoinRecords *records, Predicate predicate)
{
	const PairDemandKind *kind = RecordDemandKind(records);
	OpenDemand *open = kind != NULL ? kind->open(records, predicate) : NULL;

	if (open != NULL)
		*open = (OpenDemand){.kind = kind, .records = records};
	return open;
}

uint8
PairDemandOccurringRoles(const PairDemand *demand)
{
	uint8 occurring = 0;

	if (demand->roles == NULL)
		return 1 << JOIN_SEEKS;
	for (int role = JOIN_ABSENT; role <= JOIN_SEEKS; role++)
	{
		if (memchr(demand->roles, role, demand->key_count) != NULL)
			occurring |= 1 << role;
	}
	return occurring;
}
