/*
 * canonical.c
 *		From records as they arrived to classes of records of one size.
 *
 * The tokens are ranked, and a counting sort by size moves the records, with the ids of their
 * tokens, into classes. The classes are then put in order (record_order.h).
 */
#include "c.h"

#include "kernel/records/canonical.h"
#include "kernel/records/record_weights.h"
#include "sketch/token_hash.h"

/* Tells where the next record of a size goes, and which class the size has. */
typedef struct SizePlace
{
	uint32 next; /* number of a record; before classes are made, how many records have the size */
	uint32 size_class;
} SizePlace;

static SizePlace *
count_sizes(const JoinRecords *records)
{
	SizePlace *places =
		JoinAllocateZero(records->host, (Size) records->largest + 1, sizeof(SizePlace));

	for (uint32 i = 0; i < records->record_count; i++)
		places[records->arrived[i].size].next++;
	return places;
}

/* Makes a class of each size that occurs, and turns the counts of the sizes into places. */
static void
make_classes(JoinRecords *records, SizePlace *places)
{
	JoinHost *host = records->host;
	uint32 first = 0;
	uint64 offset = 0;

	records->class_count = 0;
	for (uint32 size = 1; size <= records->largest; size++)
		records->class_count += places[size].next > 0;
	records->class_sizes = JoinAllocateShared(host, records->class_count, sizeof(uint32));
	records->class_starts = JoinAllocateShared(host, records->class_count + 1, sizeof(uint32));
	records->class_origins = JoinAllocateShared(host, records->class_count, sizeof(int64));
	for (uint32 size = 1, c = 0; size <= records->largest; size++)
	{
		uint32 count = places[size].next;

		if (count == 0)
			continue;
		places[size] = (SizePlace){.next = first, .size_class = c};
		records->class_sizes[c] = size;
		records->class_starts[c] = first;
		records->class_origins[c++] = (int64) offset - (int64) first * size;
		first += count;
		offset += (uint64) count * size;
	}
	records->class_starts[records->class_count] = first;
}

/* Moves each record to its class, and frees the records as they arrived. */
static void
group_by_size(JoinRecords *records)
{
	JoinHost *host = records->host;
	SizePlace *places = count_sizes(records);
	const uint32 *ids = records->ids;

	make_classes(records, places);
	records->repeats =
		JoinAllocateSharedZero(host, JoinRecordsBitmapWords(records), sizeof(uint32));
	records->records = JoinAllocateShared(host, records->record_count, sizeof(JoinRecord));
	records->tokens = JoinAllocateShared(host, records->token_count, sizeof(uint32));
	for (uint32 i = 0; i < records->record_count; i++)
	{
		ArrivedRecord arrived = records->arrived[i];
		SizePlace *place = &places[arrived.size];
		JoinRecord *record = &records->records[place->next++];

		JoinTick(host, arrived.size);
		*record =
			(JoinRecord){.row = arrived.row, .size = arrived.size, .size_class = place->size_class};
		memcpy(unconstify(uint32 *, JoinRecordTokens(records, record)), ids,
			   arrived.size * sizeof(uint32));
		ids += arrived.size;
	}
	JoinRelease(host, places, (Size) records->largest + 1, sizeof(SizePlace));
	JoinRecordsFreeArrived(records);
}

/* Keeps the hash of each token, of which bucket keys are made, before the dictionary is freed. */
static void
keep_values(JoinRecords *records)
{
	const DictionaryEntry *entries = records->dictionary.entries;

	records->values = JoinAllocateShared(records->host, records->distinct_tokens, sizeof(uint64));
	for (uint32 id = 1; id <= records->distinct_tokens; id++)
	{
		JoinTick(records->host, 1);
		records->values[records->rank_of_id[id]] =
			TokenHash(entries[id].token, records->buckets->seed);
	}
}

/*
 * Joins the ranks of the known tokens and those of the dictionary: tokens of a single record come
 * first, and of those of several records the known ones last.
 */
static void
join_ranks(JoinRecords *records, uint32 known_singles, uint32 other_singles)
{
	const KnownTokens *known = &records->known;
	uint32 *ranks = records->rank_of_id;

	for (uint32 id = 1; id <= known->count; id++)
		ranks[id] += ranks[id] < known_singles ? other_singles : records->dictionary.token_count;
	for (uint32 id = known->count + 1; id <= records->id_count; id++)
		ranks[id] += ranks[id] < other_singles ? 0 : known_singles;
}

static void
rank_ids(JoinRecords *records)
{
	KnownTokens *known = &records->known;
	JoinHost *host = records->host;
	uint32 known_singles;
	uint32 other_singles;

	records->id_count = known->count + records->dictionary.token_count;
	records->distinct_tokens = known->present + records->dictionary.token_count;
	records->rank_of_id = JoinAllocateShared(host, records->id_count + 1, sizeof(uint32));
	known_singles = KnownTokensRank(known, host, records->record_count, records->rank_of_id);
	other_singles = TokenDictionaryRank(&records->dictionary, records->rank_of_id + known->count);
	if (known->present > 0)
		join_ranks(records, known_singles, other_singles);
	records->first_shared_token = known_singles + other_singles;
	KnownTokensFree(known, host);
}

/* Gives each token its rank, and frees the dictionary. */
static void
rank_tokens(JoinRecords *records)
{
	rank_ids(records);
	if (records->buckets != NULL)
		keep_values(records);
	if (records->weighing.is_weighted)
		JoinWeightsRank(records);
	TokenDictionaryFree(&records->dictionary);
}

void
JoinRecordsGroup(JoinRecords *records)
{
	JoinRecordsNumber(records);
	rank_tokens(records);
	JoinRecordsTrim(records);
	group_by_size(records);
	if (records->weighing.is_weighted)
		records->totals = JoinAllocateShared(records->host, records->record_count, sizeof(int64));
}
