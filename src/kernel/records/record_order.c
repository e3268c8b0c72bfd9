/*
 * record_order.c
 *		Putting the records of each class in their canonical order.
 *
 * The ids of a class are replaced by ranks and sorted within each record (block_sort.h). Then the
 * records are sorted by content: each has a key of 64 bits from its first ranks, and only records
 * with equal keys are compared. Equal contents are in the order of rows, which is by side, then by
 * row.
 *
 * Workers share the work by ranges of tokens: a unit has the records that begin in its range. A
 * class whose records all begin in one range is put in order by that unit. A class that is cut,
 * because its records begin in several ranges, is sorted as a large file is: each unit sorts the run
 * of its records. Then each unit takes a part of the order, between two keys, from all runs:
 *
 *		keys of three runs			2 5 8 9		1 3 5 7		0 4 6 9		the parts
 *		first part, below 4			2			1 3			0			0 1 2 3
 *		second part, below 7		5			5			4 6			4 5 5 6
 *		third part					8 9			7			9			7 8 9 9
 *
 * The keys between the parts come from a sample of all runs, which is the same in each unit. A part
 * is collected in other memory, since the runs must stay until all units have collected their parts.
 * Then it is put back into the class.
 */
#include "c.h"

#include "bisect.h"
#include "kernel/records/block_sort.h"
#include "kernel/records/key_sort.h"
#include "kernel/records/record_order.h"
#include "measure/token_weight.h"

/* Keys that the sample takes for each part. */
#define SAMPLED_PER_PART 32

/* How records are divided: a unit has those that begin in a range of so many tokens. */
typedef struct Division
{
	uint32 unit; /* the unit that is to be done */
	uint32 units;
	uint64 tokens; /* of each unit; the last one has those that are left, too */
} Division;

/* A class: records of one size. */
typedef struct SizeGroup
{
	JoinHost *host;
	uint32 size;
	uint32 count;
	uint32 first;	/* number of its first record */
	uint64 offset;	/* where its tokens begin among the tokens of all records */
	uint32 *tokens; /* record after record: ids, later ranks */
	JoinRecord *records;
	uint32 first_unit; /* the units that have its first record and its last one */
	uint32 last_unit;
} SizeGroup;

/* Returns the unit that has the record which begins at a token. */
static uint32
unit_of_token(const Division *division, uint64 token)
{
	return (uint32) Min(token / division->tokens, division->units - 1);
}

static SizeGroup
group_of_class(const JoinRecords *records, uint32 size_class, const Division *division)
{
	uint32 first = records->class_starts[size_class];
	uint32 size = records->class_sizes[size_class];
	uint32 count = records->class_starts[size_class + 1] - first;
	JoinRecord *record = &records->records[first];
	uint32 *tokens = unconstify(uint32 *, JoinRecordTokens(records, record));
	uint64 offset = tokens - records->tokens;

	return (SizeGroup){.host = records->host,
					   .size = size,
					   .count = count,
					   .first = first,
					   .offset = offset,
					   .tokens = tokens,
					   .records = record,
					   .first_unit = unit_of_token(division, offset),
					   .last_unit = unit_of_token(division, offset + (count - 1) * (uint64) size)};
}

/* Whether all records of the class belong to one unit. */
static inline bool
is_whole(const SizeGroup *group)
{
	return group->first_unit == group->last_unit;
}

/* Returns the first record of the class that begins in the range of this unit or of a later one. */
static uint32
first_of_unit(const SizeGroup *group, uint32 unit, const Division *division)
{
	uint64 begin = division->tokens * unit;

	if (unit == division->units)
		return group->count;
	if (begin <= group->offset)
		return 0;
	return (uint32) Min((begin - group->offset + group->size - 1) / group->size, group->count);
}

/* Returns the run of the class that a unit has, which may be empty. */
static RecordRange
run_of_unit(const SizeGroup *group, uint32 unit, const Division *division)
{
	return (RecordRange){.first = first_of_unit(group, unit, division),
						 .end = first_of_unit(group, unit + 1, division)};
}

static inline uint32 *
tokens_of(const SizeGroup *group, uint32 record)
{
	return group->tokens + (uint64) record * group->size;
}

/*
 * Writes the keys of records of a class. A key is the first ranks, each in as many bits as the
 * greatest rank needs, as far as they go into 64 bits. So keys are in the order of contents, as far
 * as they differ.
 */
static void
make_keys(const SizeGroup *group, RecordRange range, int token_bits, KeyedItem *order)
{
	for (uint32 i = range.first; i < range.end; i++)
	{
		const uint32 *tokens = tokens_of(group, i);
		uint64 key = 0;
		int left = 64;
		uint32 k = 0;

		JoinTick(group->host, 1);
		for (; left >= token_bits; left -= token_bits, k++)
			key = key << token_bits | (k < group->size ? tokens[k] : 0);
		if (left > 0)
			key = key << left | (k < group->size ? tokens[k] >> (token_bits - left) : 0);
		*order++ = (KeyedItem){.key = key, .item = i};
	}
}

/* Returns how many leading tokens two records of a size have in common. */
static uint32
common_tokens(JoinHost *host, const uint32 *x, const uint32 *y, uint32 size)
{
	uint32 i = 0;

	while (i < size && x[i] == y[i])
		i++;
	JoinTick(host, i);
	return i;
}

/* Compares two records that have the same key. */
static int
compare_contents(uint64 a, uint64 b, void *context)
{
	const SizeGroup *group = context;
	const uint32 *x = tokens_of(group, a);
	const uint32 *y = tokens_of(group, b);
	uint32 common = common_tokens(group->host, x, y, group->size);

	if (common < group->size)
		return x[common] < y[common] ? -1 : 1;
	return group->records[a].row < group->records[b].row
			   ? -1
			   : group->records[a].row > group->records[b].row;
}

/* Ranks and sorts the tokens of records of a class, and writes the records' order. */
static void
sort_records(const JoinRecords *records, SizeGroup *group, RecordRange range, BlockSorter *sorter,
			 KeyedItem *order)
{
	uint32 count = range.end - range.first;

	BlockSort(sorter, tokens_of(group, range.first), count, group->size);
	make_keys(group, range, KeyBits(records->distinct_tokens), order);
	KeySort(order, count, compare_contents, group, group->host);
}

/*
 * Says that a record repeats the one before. Two units may share a word of the bitmap, which has 32
 * bits since platforms of 32 bits may need a library to change 8 bytes at once.
 */
static inline void
set_repeats(JoinRecords *records, uint32 number)
{
	__atomic_fetch_or(&records->repeats[number / 32], (uint32) 1 << (number % 32),
					  __ATOMIC_RELAXED);
}

/* Records of a class in their order, outside of their places. */
typedef struct CollectedRecords
{
	uint32 *tokens;
	uint32 *rows;
} CollectedRecords;

/*
 * Collects records in the given order, and finds those that repeat. The first of them will be record
 * `place` of the class.
 */
static void
collect_records(JoinRecords *records, const SizeGroup *group, const KeyedItem *order, uint32 count,
				uint32 place, CollectedRecords to)
{
	uint32 size = group->size;

	for (uint32 i = 0; i < count; i++)
	{
		uint32 *tokens = to.tokens + (uint64) i * size;

		JoinTick(group->host, size);
		if (i + RECORDS_AHEAD < count)
		{
			JoinPrefetchTokens(tokens_of(group, order[i + RECORDS_AHEAD].item));
			__builtin_prefetch(&group->records[order[i + RECORDS_AHEAD].item]);
		}
		memcpy(tokens, tokens_of(group, order[i].item), size * sizeof(uint32));
		to.rows[i] = group->records[order[i].item].row;
		if (i > 0 && order[i].key == order[i - 1].key &&
			common_tokens(group->host, tokens, tokens - size, size) == size)
			set_repeats(records, group->first + place + i);
	}
}

static int64
total_weight(const JoinRecords *records, const uint32 *tokens, uint32 size)
{
	bool squares = records->weighing.squares;
	int64 total = 0;

	JoinTick(records->host, size);
	for (uint32 k = 0; k < size; k++)
		total += TokenWeightTerm(records->weights[tokens[k]], squares);
	return total;
}

/* Puts collected records into their places in the class. */
static void
put_back(JoinRecords *records, const SizeGroup *group, RecordRange range, CollectedRecords from)
{
	uint32 size = group->size;

	for (uint32 i = range.first; i < range.end; i++, from.tokens += size, from.rows++)
	{
		JoinTick(group->host, size);
		memcpy(tokens_of(group, i), from.tokens, size * sizeof(uint32));
		group->records[i].row = *from.rows;
		if (records->weighing.is_weighted)
			records->totals[group->first + i] = total_weight(records, from.tokens, size);
	}
}

/* Working memory of a unit, which serves one class after another that the unit has all records of. */
typedef struct ClassOrder
{
	uint64 token_capacity;
	uint32 capacity; /* records */
	CollectedRecords collected;
	KeyedItem *order;
	BlockSorter sorter;
} ClassOrder;

static void
class_order_init(ClassOrder *memory, const JoinRecords *records, RecordRange classes,
				 const Division *division)
{
	JoinHost *host = records->host;

	memory->token_capacity = memory->capacity = 0;
	for (uint32 c = classes.first; c < classes.end; c++)
	{
		SizeGroup group = group_of_class(records, c, division);

		if (!is_whole(&group))
			continue;
		memory->capacity = Max(memory->capacity, group.count);
		memory->token_capacity = Max(memory->token_capacity, (uint64) group.count * group.size);
	}
	memory->collected.tokens = JoinAllocate(host, memory->token_capacity, sizeof(uint32));
	memory->collected.rows = JoinAllocate(host, memory->capacity, sizeof(uint32));
	memory->order = JoinAllocate(host, memory->capacity, sizeof(KeyedItem));
	BlockSorterInit(&memory->sorter, host, records->rank_of_id, records->distinct_tokens,
					records->token_count);
}

static void
class_order_free(ClassOrder *memory, JoinHost *host)
{
	BlockSorterFree(&memory->sorter);
	JoinRelease(host, memory->order, memory->capacity, sizeof(KeyedItem));
	JoinRelease(host, memory->collected.rows, memory->capacity, sizeof(uint32));
	JoinRelease(host, memory->collected.tokens, memory->token_capacity, sizeof(uint32));
}

static void
order_whole_class(JoinRecords *records, SizeGroup *group, ClassOrder *memory)
{
	RecordRange all = {.end = group->count};

	sort_records(records, group, all, &memory->sorter, memory->order);
	collect_records(records, group, memory->order, group->count, 0, memory->collected);
	put_back(records, group, all, memory->collected);
}

/* What the units share of the order of cut classes. */
static KeyedItem *
order_of_class(const JoinRecords *records, const SizeGroup *group)
{
	return records->runs.order + group->first;
}

/* The keys that a part of a class begins with, and that the next part begins with. */
typedef struct PartBounds
{
	bool has_first; /* all but the first part */
	bool has_end;	/* all but the last part */
	uint64 first;
	uint64 end;
} PartBounds;

/* Returns element `i` of `n` that are spread evenly over `count`. */
static inline uint32
spread(uint32 count, uint32 i, uint32 n)
{
	return (uint64) count * i / n;
}

/* Samples the keys of a cut class, and finds the keys between which the part of a unit lies. */
static PartBounds
find_bounds(const JoinRecords *records, const SizeGroup *group, uint32 unit)
{
	uint32 part = unit - group->first_unit;
	uint32 parts = group->last_unit - group->first_unit + 1;
	JoinHost *host = group->host;
	const KeyedItem *order = order_of_class(records, group);
	uint32 count = Min(group->count, parts * SAMPLED_PER_PART);
	KeyedItem *sample = JoinAllocate(host, count, sizeof(KeyedItem));
	PartBounds bounds = {.has_first = part > 0, .has_end = part + 1 < parts};

	for (uint32 i = 0; i < count; i++)
		sample[i] = order[spread(group->count, i, count)];
	KeySort(sample, count, NULL, NULL, host);
	bounds.first = sample[spread(count, part, parts)].key;
	if (bounds.has_end)
		bounds.end = sample[spread(count, part + 1, parts)].key;
	JoinRelease(host, sample, count, sizeof(KeyedItem));
	return bounds;
}

/* Returns the first element of a sorted run whose key is not less. */
static uint32
run_lower_bound(const KeyedItem *order, RecordRange run, uint64 key)
{
	BISECT(uint32, run.first, run.end, at, order[at].key < key);
	return run.first;
}

/* Returns the elements of a sorted run that belong to a part. */
static RecordRange
slice_of_run(const KeyedItem *order, RecordRange run, const PartBounds *bounds)
{
	RecordRange slice = run;

	if (bounds->has_first)
		slice.first = run_lower_bound(order, run, bounds->first);
	if (bounds->has_end)
		slice.end = run_lower_bound(order, run, bounds->end);
	return slice;
}

/*
 * Merges the slices of all runs into a part of the order. Returns how many records the part has, and
 * in `place` how many of the class precede it. Without `part`, only counts.
 */
static uint32
merge_slices(const JoinRecords *records, const SizeGroup *group, const PartBounds *bounds,
			 const Division *division, KeyedItem *part, uint32 *place)
{
	const KeyedItem *order = order_of_class(records, group);
	uint32 count = 0;

	*place = 0;
	for (uint32 unit = group->first_unit; unit <= group->last_unit; unit++)
	{
		RecordRange run = run_of_unit(group, unit, division);
		RecordRange slice = slice_of_run(order, run, bounds);

		JoinTick(group->host, slice.end - slice.first);
		*place += slice.first - run.first;
		if (part != NULL)
			memcpy(part + count, order + slice.first,
				   (slice.end - slice.first) * sizeof(KeyedItem));
		count += slice.end - slice.first;
	}
	return count;
}

/* Returns where the units collect records of a cut class, from record `first` on. */
static CollectedRecords
place_for(const JoinRecords *records, const SizeGroup *group, uint32 first)
{
	return (CollectedRecords){.tokens = records->runs.tokens + group->offset +
										(uint64) first * group->size,
							  .rows = records->runs.rows + group->first + first};
}

/* Collects this unit's part of a cut class. */
static void
collect_part(JoinRecords *records, SizeGroup *group, const Division *division)
{
	PartBounds bounds = find_bounds(records, group, division->unit);
	uint32 place;
	uint32 count = merge_slices(records, group, &bounds, division, NULL, &place);
	KeyedItem *part = JoinAllocate(group->host, count, sizeof(KeyedItem));

	merge_slices(records, group, &bounds, division, part, &place);
	KeySort(part, count, compare_contents, group, group->host);
	collect_records(records, group, part, count, place, place_for(records, group, place));
	JoinRelease(group->host, part, count, sizeof(KeyedItem));
}

/* Sorts this unit's run of a cut class. */
static void
sort_run(const JoinRecords *records, SizeGroup *group, const Division *division,
		 BlockSorter *sorter)
{
	RecordRange run = run_of_unit(group, division->unit, division);

	sort_records(records, group, run, sorter, order_of_class(records, group) + run.first);
}

/* Puts records back that units have collected: as many as this unit has, at their places. */
static void
put_run_back(JoinRecords *records, const SizeGroup *group, const Division *division)
{
	RecordRange run = run_of_unit(group, division->unit, division);

	put_back(records, group, run, place_for(records, group, run.first));
}

/* Returns the classes that have records in the unit, or in a unit before and one after it. */
static RecordRange
classes_of_unit(const JoinRecords *records, const Division *division)
{
	RecordRange classes = {0};

	for (uint32 c = 0; c < records->class_count; c++)
	{
		SizeGroup group = group_of_class(records, c, division);

		JoinTick(records->host, 1);
		if (group.first_unit > division->unit)
			break;
		classes.end = c + 1;
		if (group.last_unit < division->unit)
			classes.first = c + 1;
	}
	return classes;
}

/* Puts whole classes in order, and sorts the runs of cut ones. */
static void
sort_classes(JoinRecords *records, RecordRange classes, const Division *division)
{
	ClassOrder memory;

	class_order_init(&memory, records, classes, division);
	for (uint32 c = classes.first; c < classes.end; c++)
	{
		SizeGroup group = group_of_class(records, c, division);

		if (is_whole(&group))
			order_whole_class(records, &group, &memory);
		else
			sort_run(records, &group, division, &memory.sorter);
	}
	class_order_free(&memory, records->host);
}

void
JoinRecordsOrder(JoinRecords *records, RecordOrderStep step, uint32 unit, uint32 units)
{
	Division division = {.unit = unit, .units = units, .tokens = records->token_count / units};
	RecordRange classes = classes_of_unit(records, &division);

	if (step == ORDER_SORT)
	{
		if (classes.first < classes.end)
			sort_classes(records, classes, &division);
		return;
	}
	for (uint32 c = classes.first; c < classes.end; c++)
	{
		SizeGroup group = group_of_class(records, c, &division);

		if (is_whole(&group))
			continue;
		if (step == ORDER_COLLECT)
			collect_part(records, &group, &division);
		else
			put_run_back(records, &group, &division);
	}
}

void
JoinRecordsOrderBegin(JoinRecords *records, uint32 units)
{
	JoinHost *host = records->host;

	records->runs = (RecordRuns){.arena = host->arena};
	if (units == 1)
		return;
	records->runs.order = JoinAllocateShared(host, records->record_count, sizeof(KeyedItem));
	records->runs.tokens = JoinAllocateShared(host, records->token_count, sizeof(uint32));
	records->runs.rows = JoinAllocateShared(host, records->record_count, sizeof(uint32));
}

void
JoinRecordsOrderEnd(JoinRecords *records)
{
	JoinHost *host = records->host;
	RecordRuns runs = records->runs;

	JoinRelease(host, runs.rows, records->record_count, sizeof(uint32));
	JoinRelease(host, runs.tokens, records->token_count, sizeof(uint32));
	JoinRelease(host, runs.order, records->record_count, sizeof(KeyedItem));
	host->arena = runs.arena;
	records->runs = (RecordRuns){0};
}
