/*
 * hamming_join.c
 *		Joins 64-bit values that differ in at most k bits, by permuted blocks.
 *
 * The method is by Manku, Jain and Das Sarma (2007, section 3; sketch/blocks.h). The bits are
 * divided into m blocks, m > k. Values that differ in at most k bits have at most k blocks in which
 * they differ, and agree in at least m - k. For each choice of m - k blocks there is a table, which
 * brings all values together that agree in these blocks; each near pair is in at least one. Take k
 * = 1 and m = 3 blocks of four bits, so that three tables choose two blocks each:
 *
 *		x = 1011 0010 1110		y = 1011 0110 1110
 *
 * x and y differ in the second block, and the table of the first and third blocks brings them
 * together. Pairs that differ in fewer blocks are in several tables, equal values in all of them. A
 * pair counts in the first table that has it, which follows from its differing bits alone, so that
 * nothing needs to be remembered.
 *
 * Tables are made one after the other, of the same values. A table distributes them to about as
 * many buckets as there are values, by a hash of the chosen bits. In a bucket all values are
 * compared, by a scan like the scan of signatures. If a bucket is so large that this would take too
 * long, as in a cluster of values, it is divided in turn: by blocks of those bits only that vary
 * within the bucket, with tables of its own. A pair counts if it is in the first table of each
 * division. The number of blocks is chosen by cost: more blocks make more tables, with smaller
 * buckets.
 *
 * The values, of groups of rows (hamming_groups.h), are in an array, with the numbers of their
 * groups. To distribute a range of it, values move to the same range of a second array; for the
 * next table they move back. In a bucket, groups with rows on the left come first. In a join of two
 * sides only these are compared with all others.
 */
#include "c.h"

#include <math.h>

#include "port/pg_bitutils.h"

#include "kernel/filters/signature_scan.h"
#include "kernel/hamming/hamming_groups.h"
#include "kernel/hamming/hamming_join.h"
#include "kernel/records/key_sort.h"
#include "sketch/blocks.h"

/* The multiplier of hashes. It is odd, so that different bits have different products. */
#define SPREAD UINT64CONST(0x9E3779B97F4A7C15)

/* Up to this many comparisons take less time than a division. */
#define FEW_COMPARISONS (1 << 14)

/* Nanoseconds to distribute a value to its bucket, and to compare two values. */
#define COST_OF_VALUE 20.0
#define COST_OF_COMPARISON 0.4

#define MOST_BUCKET_BITS 20

/*
 * Divisions within one another. A bucket's values agree in the chosen bits, unless hashes collide,
 * so that each division leaves fewer varying bits, and this number is never reached but by chance.
 */
#define MOST_DIVISIONS 100

/* Values that one scan compares with another. */
#define SCAN_LENGTH 4096

/* Values, and the groups that have them. */
typedef struct ValueArray
{
	uint64 *values;
	uint32 *groups;
} ValueArray;

/* A division of a range of values by tables, within a bucket of the outer one. */
typedef struct Division
{
	BlockTables tables;
	const struct Division *outer;
	int depth;	   /* 0 for the outermost */
	int bits;	   /* how many bits bucket numbers have */
	uint64 spread; /* multiplier of the chosen bits, different at each depth */
} Division;

typedef struct Joiner
{
	JoinHost *host;
	int distance;
	SignatureScan scan;
	uint32 *near; /* what a scan has found */
	uint32 *distances;
	HammingGroups groups;
	ValueArray arrays[2];
} Joiner;

/* Returns the bits of bucket numbers for `count` values: about as many buckets as values. */
static int
hamming_bucket_bits(uint32 count)
{
	return Min(pg_leftmost_one_pos32(Max(count, 2)), MOST_BUCKET_BITS);
}

/*
 * Returns whether a pair with these differing bits counts here: in each division, the values agree
 * in the present table's blocks, and in no earlier table's blocks.
 */
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

/* Compares the first `left` values with all later ones. */
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
					HammingGroupsEmit(&joiner->groups, groups[x], groups[other],
									  joiner->distances[i]);
			}
		}
	}
}

/* Returns a group's place: a bucket has two, and the first is for groups with rows on the left. */
static inline uint32
hamming_place(const Joiner *joiner, const Division *division, uint64 value, uint32 group)
{
	uint64 product = (value & division->tables.mask) * division->spread;

	return (uint32) (product >> (64 - division->bits)) << 1 | (group >= joiner->groups.left_count);
}

/*
 * Moves the values of a range to the same range of the other array, in the order of their places;
 * ends[p] becomes the end of place p within the range.
 */
static void
hamming_distribute(Joiner *joiner, const Division *division, const ValueArray *from,
				   const ValueArray *to, uint32 first, uint32 count, uint32 *ends)
{
	uint32 places = (uint32) 2 << division->bits;
	uint32 sum = 0;

	memset(ends, 0, places * sizeof(uint32));
	for (uint32 i = first; i < first + count; i++)
	{
		JoinTick(joiner->host, 1);
		ends[hamming_place(joiner, division, from->values[i], from->groups[i])]++;
	}
	for (uint32 place = 0; place < places; place++)
	{
		uint32 length = ends[place];

		ends[place] = sum;
		sum += length;
	}
	for (uint32 i = first; i < first + count; i++)
	{
		uint32 place = hamming_place(joiner, division, from->values[i], from->groups[i]);
		uint32 next = first + ends[place]++;

		JoinTick(joiner->host, 1);
		to->values[next] = from->values[i];
		to->groups[next] = from->groups[i];
	}
}

/*
 * Returns the number of blocks with the least cost, and this cost, where `varying` bits differ
 * among the values. If it is least to compare all of them, returns the distance itself, with which
 * there are no tables.
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

	(void) choose_blocks(left, count, HAMMING_BITS, distance, &cost);
	return cost + COST_OF_VALUE * count;
}

static void join_range(Joiner *joiner, int array, uint32 first, uint32 left, uint32 count,
					   const Division *outer);

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
 * Finds the pairs of a range of an array, whose first `left` values have rows on the left. The
 * range keeps its values, perhaps in another order; the same range of the other array is
 * overwritten.
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
		JoinTick(joiner->host, count);
		for (uint32 i = first; i < first + count; i++)
			varying |= arrays[array].values[i] ^ arrays[array].values[first];
		blocks = choose_blocks(left, count, pg_popcount64(varying), joiner->distance, &cost);
	}
	if (blocks == joiner->distance)
	{
		compare_all(joiner, &arrays[array], first, left, count, outer);
		return;
	}

	division.bits = hamming_bucket_bits(count);
	division.spread = SPREAD * (2 * division.depth + 1);
	ends = JoinAllocate(joiner->host, (Size) 2 << division.bits, sizeof(uint32));
	BlockTablesBegin(&division.tables, varying, blocks, joiner->distance);
	do
	{
		hamming_distribute(joiner, &division, &arrays[present], &arrays[1 - present], first, count,
						   ends);
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

static void
joiner_init(Joiner *joiner, const HammingValues *values)
{
	uint32 count;

	HammingGroupsInit(&joiner->groups, values);
	count = joiner->groups.count;
	joiner->arrays[0].values = joiner->groups.values;
	joiner->arrays[0].groups = JoinAllocate(joiner->host, count, sizeof(uint32));
	joiner->arrays[1].values = JoinAllocate(joiner->host, count, sizeof(uint64));
	joiner->arrays[1].groups = JoinAllocate(joiner->host, count, sizeof(uint32));
	joiner->near = JoinAllocate(joiner->host, Min(count, SCAN_LENGTH), sizeof(uint32));
	joiner->distances = JoinAllocate(joiner->host, Min(count, SCAN_LENGTH), sizeof(uint32));
	for (uint32 group = 0; group < count; group++)
		joiner->arrays[0].groups[group] = group;
}

static void
joiner_free(Joiner *joiner)
{
	JoinHost *host = joiner->host;
	uint32 count = joiner->groups.count;

	JoinRelease(host, joiner->distances, Min(count, SCAN_LENGTH), sizeof(uint32));
	JoinRelease(host, joiner->near, Min(count, SCAN_LENGTH), sizeof(uint32));
	JoinRelease(host, joiner->arrays[1].groups, count, sizeof(uint32));
	JoinRelease(host, joiner->arrays[1].values, count, sizeof(uint64));
	JoinRelease(host, joiner->arrays[0].groups, count, sizeof(uint32));
	HammingGroupsFree(&joiner->groups);
}

void
HammingJoin(const HammingValues *values, const int64 *order, uint32 first_right, int distance,
			EmitHammingPair emit, void *context)
{
	Joiner joiner = {.host = values->host,
					 .distance = distance,
					 .scan = SignatureScanBest(),
					 .groups = {.host = values->host,
								.emit = emit,
								.context = context,
								.order = order,
								.first_right = first_right}};

	if (values->count < 2 || first_right == 0 || first_right == values->count)
		return;
	joiner_init(&joiner, values);
	HammingGroupsEmitEqual(&joiner.groups);
	if (distance > 0)
		join_range(&joiner, 0, 0, joiner.groups.left_count, joiner.groups.count, NULL);
	joiner_free(&joiner);
}
