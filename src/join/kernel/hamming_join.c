/*
 * hamming_join.c
 *		The join of 64-bit values that differ in few bits.
 *
 * Rows of equal value are a group. Groups are joined by their values, and
 * expanded when a pair of rows is emitted: many equal values cost no more than
 * their pairs.
 *
 * Groups are joined by the tables of Manku, Jain and Das Sarma (2007, section 3;
 * simhash/blocks.h): for each choice of m - k of m blocks of bits, values that
 * agree in them are put together and compared with each other. A pair that agrees in
 * several tables counts in the first one only, which its differing bits tell: no
 * pair is ever looked up among those found before. How many blocks is best follows
 * from the number of values: more blocks make more tables, but of longer keys,
 * in which fewer values agree by chance.
 *
 * Values are not sorted for a table, but distributed to buckets by a multiple of
 * the chosen bits, about as many buckets as values. That values of a bucket do not
 * agree in all chosen bits is possible; such a pair is not of this table.
 *
 * Real values are not random: where most agree in the chosen bits, a bucket is
 * larger than it should be, and is divided once more in the same way, by the bits
 * that vary within it, which become fewer each time.
 *
 *		values, groups: two pairs of arrays; a table is distributed from one to the
 *		other, and the next table back. A bucket that is divided in its turn
 *		uses the same places of both.
 *
 * In a join of two sides, groups that have rows on the left come first, among all and
 * in each bucket; they alone are compared with the others.
 *
 * Rows of one key are not paired. The rows of a group, and of each of its sides, are in the
 * order of their keys, so that those of one key are a run, which is passed over at once: neither
 * do many rows of equal key and value cost more than their pairs.
 */
#include "c.h"

#include <math.h>

#include "port/pg_bitutils.h"

#include "join/kernel/hamming_join.h"
#include "join/kernel/key_sort.h"
#include "join/kernel/signature.h"
#include "simhash/blocks.h"

/* Odd, so that different numbers stay different; its high bits depend on all of theirs. */
#define SPREAD UINT64CONST(0x9E3779B97F4A7C15)

/* Comparisons that are made rather than dividing a bucket. */
#define FEW_COMPARISONS (1 << 14)

/* Nanoseconds for distributing a value, or taking up one of a bucket; for comparing it with another. */
#define COST_OF_VALUE 20.0
#define COST_OF_COMPARISON 0.4

#define MOST_BUCKET_BITS 20

#define VALUE_BITS 64
#define INITIAL_VALUES 64

/* Divisions within each other, each of which leaves fewer bits that vary, but for chance. */
#define MOST_DIVISIONS 100

/* Comparisons whose result is collected at a time. */
#define SCAN_LENGTH 4096

/* An array of values and their groups. */
typedef struct ValueArray
{
	uint64 *values;
	uint32 *groups;
} ValueArray;

/* A division under way, and those within one of whose buckets it is. */
typedef struct Division
{
	BlockTables tables;
	const struct Division *outer;
	int depth;
	int bits;	   /* of the number of a bucket */
	uint64 spread; /* by which the chosen bits are multiplied; another one at each depth */
} Division;

typedef struct Joiner
{
	JoinHost *host;
	int distance;
	EmitHammingPair emit;
	void *context;
	SignatureScan scan;
	uint32 *near;
	uint32 *distances;
	const int64 *order; /* by row, the place of its key; NULL where keys are not compared */
	uint32 first_right; /* row, or HAMMING_ONE_SIDE */

	/*
	 * Groups: their rows, the left ones first, by the order of keys, and where they begin; those with
	 * left rows first.
	 */
	uint32 *rows;
	uint32 *starts;
	uint32 *rights; /* where the group's rows on the right begin, which is its end without sides */
	uint32 group_count;
	uint32 left_count; /* groups that have rows on the left */
	ValueArray arrays[2];
} Joiner;

void
HammingValuesInit(HammingValues *values, JoinHost *host)
{
	memset(values, 0, sizeof(*values));
	values->host = host;
}

void
HammingValuesAppend(HammingValues *values, uint64 value)
{
	if (values->count == values->capacity)
	{
		uint32 capacity = Max(values->capacity * 2, INITIAL_VALUES);

		values->values =
			JoinEnlarge(values->host, values->values, values->capacity, capacity, sizeof(uint64));
		values->capacity = capacity;
	}
	values->values[values->count++] = value;
}

void
HammingValuesFree(HammingValues *values)
{
	if (values->values != NULL)
		JoinRelease(values->host, values->values, values->capacity, sizeof(uint64));
	values->values = NULL;
	values->count = values->capacity = 0;
}

static int
bucket_bits(uint32 count)
{
	return Min(pg_leftmost_one_pos32(Max(count, 2)), MOST_BUCKET_BITS);
}

Size
HammingJoinBytes(Size count)
{
	Size joining = count * (2 * (sizeof(uint64) + sizeof(uint32)) + 3 * sizeof(uint32)) +
				   ((Size) 4 << bucket_bits((uint32) count)) * sizeof(uint32) +
				   Min(count, SCAN_LENGTH) * 2 * sizeof(uint32);
	Size capacity = INITIAL_VALUES;

	/* Which grows by doubling, beside what it was. */
	while (capacity < count)
		capacity *= 2;
	return capacity * sizeof(uint64) * 3 / 2 + count * sizeof(KeyedItem) +
		   Max(KeySortBytes((uint32) count), joining);
}

/* By side, then by the order of keys. */
static int
compare_rows(uint32 a, uint32 b, void *context)
{
	const Joiner *joiner = context;
	bool a_is_left = a < joiner->first_right;

	if (a_is_left != (b < joiner->first_right))
		return a_is_left ? -1 : 1;
	if (joiner->order != NULL && joiner->order[a] != joiner->order[b])
		return joiner->order[a] < joiner->order[b] ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* Rows in the order of their values. */
static KeyedItem *
sort_rows(Joiner *joiner, const HammingValues *values)
{
	KeyedItem *items = JoinAllocate(values->host, values->count, sizeof(KeyedItem));

	for (uint32 row = 0; row < values->count; row++)
	{
		JoinTick(values->host, 1);
		items[row] = (KeyedItem){values->values[row], row};
	}
	KeySort(items, values->count, compare_rows, joiner, values->host);
	return items;
}

/* Appends the groups that have rows on the left, or those that have none. */
static void
append_groups(Joiner *joiner, const KeyedItem *items, uint32 count, bool left, uint32 *place)
{
	uint32 next;

	for (uint32 first = 0; first < count; first = next)
	{
		uint32 group = joiner->group_count;
		bool has_left = items[first].item < joiner->first_right;

		next = first + 1;
		while (next < count && items[next].key == items[first].key)
		{
			JoinTick(joiner->host, 1);
			next++;
		}
		JoinTick(joiner->host, 1);
		if (has_left != left)
			continue;
		joiner->arrays[0].values[group] = items[first].key;
		joiner->arrays[0].groups[group] = group;
		joiner->starts[group] = *place;
		joiner->rights[group] = *place + (next - first);
		for (uint32 i = first; i < next; i++)
		{
			JoinTick(joiner->host, 1);
			if (items[i].item >= joiner->first_right)
				joiner->rights[group] = Min(joiner->rights[group], *place);
			joiner->rows[(*place)++] = items[i].item;
		}
		joiner->group_count++;
	}
}

static void
allocate_arrays(Joiner *joiner, uint32 count)
{
	for (int i = 0; i < 2; i++)
	{
		joiner->arrays[i].values = JoinAllocate(joiner->host, count, sizeof(uint64));
		joiner->arrays[i].groups = JoinAllocate(joiner->host, count, sizeof(uint32));
	}
	joiner->near = JoinAllocate(joiner->host, Min(count, SCAN_LENGTH), sizeof(uint32));
	joiner->distances = JoinAllocate(joiner->host, Min(count, SCAN_LENGTH), sizeof(uint32));
}

static void
make_groups(Joiner *joiner, const HammingValues *values)
{
	KeyedItem *items = sort_rows(joiner, values);
	uint32 count = values->count;
	uint32 groups = 0;
	uint32 place = 0;

	for (uint32 i = 0; i < count; i++)
	{
		JoinStrideTick(joiner->host, i);
		groups += i == 0 || items[i].key != items[i - 1].key;
	}
	joiner->rows = JoinAllocate(joiner->host, count, sizeof(uint32));
	joiner->starts = JoinAllocate(joiner->host, groups + 1, sizeof(uint32));
	joiner->rights = JoinAllocate(joiner->host, groups, sizeof(uint32));
	joiner->group_count = groups;
	allocate_arrays(joiner, groups);
	joiner->group_count = 0;
	append_groups(joiner, items, count, true, &place);
	joiner->left_count = joiner->group_count;
	append_groups(joiner, items, count, false, &place);
	joiner->starts[joiner->group_count] = place;
	JoinRelease(joiner->host, items, count, sizeof(KeyedItem));
}

static void
free_groups(Joiner *joiner, uint32 row_count)
{
	JoinHost *host = joiner->host;

	JoinRelease(host, joiner->rows, row_count, sizeof(uint32));
	JoinRelease(host, joiner->starts, joiner->group_count + 1, sizeof(uint32));
	JoinRelease(host, joiner->rights, joiner->group_count, sizeof(uint32));
	for (int i = 0; i < 2; i++)
	{
		JoinRelease(host, joiner->arrays[i].values, joiner->group_count, sizeof(uint64));
		JoinRelease(host, joiner->arrays[i].groups, joiner->group_count, sizeof(uint32));
	}
	JoinRelease(host, joiner->distances, Min(joiner->group_count, SCAN_LENGTH), sizeof(uint32));
	JoinRelease(host, joiner->near, Min(joiner->group_count, SCAN_LENGTH), sizeof(uint32));
}

/* Rows of groups: the places first to end - 1. */
typedef struct RowRange
{
	uint32 first;
	uint32 end;
} RowRange;

/*
 * The first place of a range whose key comes after this one, or, with `from`, is this one or comes
 * after it.
 */
static uint32
place_of_key(const Joiner *joiner, RowRange range, int64 key, bool from)
{
	while (range.first < range.end)
	{
		uint32 middle = range.first + (range.end - range.first) / 2;
		int64 found = joiner->order[joiner->rows[middle]];

		if (found < key || (found == key && !from))
			range.first = middle + 1;
		else
			range.end = middle;
	}
	return range.first;
}

/* The rows that begin a range and have one key. */
static RowRange
first_run(const Joiner *joiner, RowRange range)
{
	int64 key = joiner->order[joiner->rows[range.first]];
	RowRange run = {range.first, range.first + 1};

	/* Most keys occur once. */
	if (run.end < range.end && joiner->order[joiner->rows[run.end]] == key)
		run.end = place_of_key(joiner, range, key, false);
	return run;
}

static void
emit_all(Joiner *joiner, RowRange x_rows, RowRange y_rows, int distance)
{
	if (y_rows.first >= y_rows.end)
		return;
	for (uint32 x = x_rows.first; x < x_rows.end; x++)
	{
		for (uint32 y = y_rows.first; y < y_rows.end; y++)
		{
			JoinTick(joiner->host, 1);
			joiner->emit(joiner->context, joiner->rows[x], joiner->rows[y], distance);
		}
	}
}

/* Pairs of rows of two ranges, each in the order of keys. */
static void
emit_rows(Joiner *joiner, RowRange x_rows, RowRange y_rows, int distance)
{
	if (joiner->order == NULL)
	{
		emit_all(joiner, x_rows, y_rows, distance);
		return;
	}
	if (y_rows.first == y_rows.end)
		return;
	while (x_rows.first < x_rows.end)
	{
		RowRange run = first_run(joiner, x_rows);
		int64 key = joiner->order[joiner->rows[run.first]];
		uint32 same = place_of_key(joiner, y_rows, key, true);
		uint32 after = place_of_key(joiner, y_rows, key, false);

		JoinTick(joiner->host, 1);
		emit_all(joiner, run, (RowRange){y_rows.first, same}, distance);
		emit_all(joiner, run, (RowRange){after, y_rows.end}, distance);
		x_rows.first = run.end;
	}
}

/* Pairs of rows of one range. */
static void
emit_within(Joiner *joiner, RowRange rows, int distance)
{
	while (rows.first < rows.end)
	{
		RowRange run = {rows.first, rows.first + 1};

		if (joiner->order != NULL)
			run = first_run(joiner, rows);
		JoinTick(joiner->host, 1);
		rows.first = run.end;
		emit_all(joiner, run, rows, distance);
	}
}

static RowRange
left_rows(const Joiner *joiner, uint32 group)
{
	return (RowRange){joiner->starts[group], joiner->rights[group]};
}

/* None in a join with itself. */
static RowRange
right_rows(const Joiner *joiner, uint32 group)
{
	return (RowRange){joiner->rights[group], joiner->starts[group + 1]};
}

static void
emit_groups(Joiner *joiner, uint32 a, uint32 b, int distance)
{
	if (joiner->first_right == HAMMING_ONE_SIDE)
	{
		emit_rows(joiner, left_rows(joiner, a), left_rows(joiner, b), distance);
		return;
	}
	emit_rows(joiner, left_rows(joiner, a), right_rows(joiner, b), distance);
	emit_rows(joiner, left_rows(joiner, b), right_rows(joiner, a), distance);
}

/* Pairs of rows of equal value. */
static void
emit_equal(Joiner *joiner)
{
	for (uint32 group = 0; group < joiner->left_count; group++)
	{
		JoinTick(joiner->host, 1);
		if (joiner->first_right == HAMMING_ONE_SIDE)
			emit_within(joiner, left_rows(joiner, group), 0);
		else
			emit_rows(joiner, left_rows(joiner, group), right_rows(joiner, group), 0);
	}
}

/* Whether a pair counts in the present table of each division, and not in another one. */
static bool
is_of_tables(const Division *division, uint64 difference)
{
	for (; division != NULL; division = division->outer)
	{
		if ((division->tables.mask & difference) != 0 ||
			!BlockTablesIsFirst(&division->tables, difference))
			return false;
	}
	return true;
}

/* Compares the first so many values of a range with all that come after them. */
static void
compare_all(Joiner *joiner, const ValueArray *array, uint32 first, uint32 left, uint32 count,
			const Division *division)
{
	SignaturePlanes planes = {.words = 1, .planes = {array->values + first}};
	const uint64 *values = array->values + first;
	const uint32 *groups = array->groups + first;

	for (uint32 x = 0; x < left; x++)
	{
		uint32 end;

		for (uint32 y = x + 1; y < count; y = end)
		{
			uint32 found;

			end = Min(count, y + SCAN_LENGTH);
			JoinTick(joiner->host, (end - y) / 8 + 1);
			found = joiner->scan.one(&planes, x, y, end, joiner->distance, joiner->near,
									 joiner->distances);
			for (uint32 i = 0; i < found; i++)
			{
				uint32 other = joiner->near[i];

				if (is_of_tables(division, values[x] ^ values[other]))
					emit_groups(joiner, groups[x], groups[other], joiner->distances[i]);
			}
		}
	}
}

/* Those with rows on the left in front of the others of their bucket: two places for each. */
static inline uint32
place_of(const Joiner *joiner, const Division *division, uint64 value, uint32 group)
{
	uint64 product = (value & division->tables.mask) * division->spread;

	return (uint32) (product >> (64 - division->bits)) << 1 | (group >= joiner->left_count);
}

/* Distributes a range; ends[p] becomes where place p ends, within the range. */
static void
distribute(Joiner *joiner, const Division *division, const ValueArray *from, const ValueArray *to,
		   uint32 first, uint32 count, uint32 *ends)
{
	uint32 places = (uint32) 2 << division->bits;
	uint32 sum = 0;

	memset(ends, 0, places * sizeof(uint32));
	for (uint32 i = first; i < first + count; i++)
	{
		JoinTick(joiner->host, 1);
		ends[place_of(joiner, division, from->values[i], from->groups[i])]++;
	}
	for (uint32 place = 0; place < places; place++)
	{
		uint32 length = ends[place];

		ends[place] = sum;
		sum += length;
	}
	for (uint32 i = first; i < first + count; i++)
	{
		uint32 place = place_of(joiner, division, from->values[i], from->groups[i]);
		uint32 next = first + ends[place]++;

		JoinTick(joiner->host, 1);
		to->values[next] = from->values[i];
		to->groups[next] = from->groups[i];
	}
}

/*
 * The number of blocks for so many values, of which so many are compared with all,
 * that differ in so many bits at most: as many as the distance if no table is worth it.
 * And what the join costs with them.
 */
static int
choose_blocks(double left, double count, int varying, int distance, double *cost_of_best)
{
	double best = COST_OF_COMPARISON * left * count;
	int blocks = distance;

	for (int m = distance + 1; m <= varying; m++)
	{
		double tables = BlockTablesCount(m, distance);
		double key_bits = floor((double) varying * (m - distance) / m);
		double cost = tables * (COST_OF_VALUE * count +
								COST_OF_COMPARISON * left * count / ldexp(1, (int) key_bits));

		if (cost < best)
		{
			best = cost;
			blocks = m;
		}
		if (tables * COST_OF_VALUE * count > best)
			break;
	}
	*cost_of_best = best;
	return blocks;
}

double
HammingJoinCost(double left, double count, int distance)
{
	double cost;

	(void) choose_blocks(left, count, VALUE_BITS, distance, &cost);
	return cost + COST_OF_VALUE * count;
}

static void join_range(Joiner *joiner, int array, uint32 first, uint32 left, uint32 count,
					   const Division *outer);

/* Joins the values of each bucket of a table. */
static void
join_buckets(Joiner *joiner, const Division *division, int array, uint32 first, const uint32 *ends)
{
	uint32 begin = 0;

	for (uint32 place = 0; place < (uint32) 2 << division->bits; place += 2)
	{
		uint32 left = ends[place] - begin;
		uint32 count = ends[place + 1] - begin;

		JoinTick(joiner->host, 1);
		if (left > 0 && count > 1)
			join_range(joiner, array, first + begin, left, count, division);
		begin = ends[place + 1];
	}
}

/*
 * Joins the values of a range of an array, of which so many, the first ones, have rows
 * on the left; the same range of the other array is room. Afterwards the range has the
 * same values in another order.
 */
static void
join_range(Joiner *joiner, int array, uint32 first, uint32 left, uint32 count,
		   const Division *outer)
{
	const ValueArray *arrays = joiner->arrays;
	Division division = {.outer = outer, .depth = outer == NULL ? 0 : outer->depth + 1};
	uint64 varying = 0;
	int blocks = joiner->distance;
	int present = array;
	uint32 *ends;
	double cost;

	if ((uint64) left * count > FEW_COMPARISONS && division.depth < MOST_DIVISIONS)
	{
		for (uint32 i = first; i < first + count; i++)
		{
			JoinTick(joiner->host, 1);
			varying |= arrays[array].values[i] ^ arrays[array].values[first];
		}
		blocks = choose_blocks(left, count, pg_popcount64(varying), joiner->distance, &cost);
	}
	if (blocks == joiner->distance)
	{
		compare_all(joiner, &arrays[array], first, left, count, outer);
		return;
	}

	division.bits = bucket_bits(count);
	division.spread = SPREAD * (2 * division.depth + 1);
	ends = JoinAllocate(joiner->host, (Size) 2 << division.bits, sizeof(uint32));
	BlockTablesBegin(&division.tables, varying, blocks, joiner->distance);
	do
	{
		distribute(joiner, &division, &arrays[present], &arrays[1 - present], first, count, ends);
		present = 1 - present;
		join_buckets(joiner, &division, present, first, ends);
	} while (BlockTablesNext(&division.tables));
	JoinRelease(joiner->host, ends, (Size) 2 << division.bits, sizeof(uint32));
	if (present != array)
	{
		memcpy(arrays[array].values + first, arrays[present].values + first,
			   count * sizeof(uint64));
		memcpy(arrays[array].groups + first, arrays[present].groups + first,
			   count * sizeof(uint32));
	}
}

void
HammingJoin(const HammingValues *values, const int64 *order, uint32 first_right, int distance,
			EmitHammingPair emit, void *context)
{
	Joiner joiner = {.host = values->host,
					 .distance = distance,
					 .emit = emit,
					 .context = context,
					 .scan = SignatureScanBest(),
					 .order = order,
					 .first_right = first_right};

	/* Without rows on one side there is nothing to join. */
	if (values->count < 2 || first_right == 0 || first_right == values->count)
		return;
	make_groups(&joiner, values);
	emit_equal(&joiner);
	if (distance > 0)
		join_range(&joiner, 0, 0, joiner.left_count, joiner.group_count, NULL);
	free_groups(&joiner, values->count);
}
