/*
 * star_join.c
 *		Star clusters in passes of a join.
 *
 * A family of n similar rows has about n²/2 pairs, but its star needs those of its centre only. So
 * the rows are taken in blocks in the order of their places, each many times larger than all before
 * it, and the records, which were put in order once, are joined in passes by roles:
 *
 * 1. The first block is joined with itself. Its star tells its centres, which are final: a row is
 *    claimed by lesser ones only.
 * 2. The centres so far seek the rows of the next block. Each row that meets one is claimed by the
 *    least that it meets.
 * 3. The rows of this block that nobody has claimed are joined with themselves. No centre so far is
 *    similar to them, so their star is that of all rows up to here.
 * 4. Steps 2 and 3 again for the next block, until all rows are centres or claimed.
 *
 * Families that are scattered among the places gain by this. If the centres so far claim few rows of
 * a block, further passes would cost more than they save: then all rows that nobody has claimed, and
 * the centres so far, are joined in one last pass.
 *
 * Rows under an asymmetric measure are joined in one pass: those that seek find what contains them,
 * and not what they contain.
 */
#include "postgres.h"

#include "allocate.h"
#include "cluster/star_join.h"
#include "join/progress/progress.h"
#include "join/results/pair_sort.h"
#include "text/interrupts.h"

/* The first block is this part of the rows, but not smaller than LEAST_BLOCK. */
#define FIRST_BLOCK_PART 1024
#define LEAST_BLOCK 1000

/* Rows up to the end of a block, divided by those up to its beginning. */
#define BLOCK_GROWTH 16

/*
 * The next pass is the last one if a smaller part of a block was claimed, unless families seem to
 * have this many rows. Then later blocks are claimed.
 */
#define LEAST_CLAIMED_PART 10
#define LEAST_FAMILY 25

/* Pairs are few if they are a smaller part of the rows. */
#define FEW_PAIRS_PART 4

typedef struct StarPasses
{
	SimilarityJoin *join;
	JoinTask *task;
	const uint32 *places; /* the place of each number */
	uint32 *row_places;	  /* the place of each row of the join, if it is in memory; else NULL */
	uint32 count;
	uint32 *cluster; /* the cluster of each place */
	double *similarity;
	uint32 *least;	 /* the least neighbour of each place (least_neighbours) */
	uint8 *roles;	 /* the role of each number; NULL until there are several passes */
	uint32 *numbers; /* the number of the row at each place; NO_PLACE where no row is */
	int32 pass;

	/* Of this pass. */
	uint32 first; /* the block's places are first .. end - 1 */
	uint32 end;
	uint32 rows;	 /* unclaimed in the block */
	uint32 claimed;	 /* how many of these were claimed in this pass */
	PairSort *pairs; /* pairs of places; NULL where they are not stored */
	uint64 stored;	 /* pairs, while they are few */
} StarPasses;

static inline bool
is_unclaimed(const StarPasses *passes, uint32 place)
{
	return passes->cluster[place] == place;
}

static inline bool
is_in_block(const StarPasses *passes, uint32 place)
{
	return place >= passes->first && place < passes->end;
}

static void
claim(StarPasses *passes, uint32 centre, uint32 place, double similarity)
{
	passes->claimed += is_unclaimed(passes, place);
	passes->cluster[place] = centre;
	passes->similarity[place] = similarity;
}

static inline uint32
place_of_row(const StarPasses *passes, uint32 row)
{
	if (passes->row_places != NULL)
		return passes->row_places[row];
	return passes->places[JoinKeysInt64(&passes->join->part->keys, row)];
}

/* Returns the places of a pair, the lesser first. */
static RankedPair
place_found(const StarPasses *passes, const FoundPair *found)
{
	uint32 x = place_of_row(passes, found->a);
	uint32 y = place_of_row(passes, found->b);

	return (RankedPair){.a = Min(x, y), .b = Max(x, y), .distance = -found->value};
}

/* Equal records have one role: the pass may find pairs of rows that do not seek, or are absent. */
static inline bool
is_of_block(const StarPasses *passes, const RankedPair *pair)
{
	return is_in_block(passes, pair->a) && is_in_block(passes, pair->b) &&
		   is_unclaimed(passes, pair->a) && is_unclaimed(passes, pair->b);
}

static uint64
take_pair(void *context, const FoundPair *found)
{
	StarPasses *passes = context;
	RankedPair pair = place_found(passes, found);

	CHECK_FOR_INTERRUPTS();
	if (is_of_block(passes, &pair))
		PairSortPut(passes->pairs, &pair);
	return 1;
}

/* Stores a pair for least_neighbours, or gives up storing if the pairs are no longer few. */
static void
store_while_few(StarPasses *passes, const RankedPair *pair)
{
	if (!is_of_block(passes, pair))
		return;
	if (passes->stored++ < passes->rows / FEW_PAIRS_PART)
		PairSortPut(passes->pairs, pair);
	else
	{
		PairSortEnd(passes->pairs);
		passes->pairs = NULL;
	}
}

/* Takes a pair for least_neighbours. */
static uint64
take_neighbours(void *context, const FoundPair *found)
{
	StarPasses *passes = context;
	RankedPair pair = place_found(passes, found);

	CHECK_FOR_INTERRUPTS();
	if (passes->pairs != NULL)
		store_while_few(passes, &pair);
	if (pair.a < passes->least[pair.b] && is_in_block(passes, pair.a) &&
		is_unclaimed(passes, pair.a))
	{
		passes->least[pair.b] = pair.a;
		passes->similarity[pair.b] = -pair.distance;
	}
	return 1;
}

/* Takes a pair of a centre before the block and a row of the block. */
static uint64
take_claim(void *context, const FoundPair *found)
{
	StarPasses *passes = context;
	RankedPair pair = place_found(passes, found);

	CHECK_FOR_INTERRUPTS();
	if (pair.a < passes->first && is_in_block(passes, pair.b) && is_unclaimed(passes, pair.a) &&
		pair.a < passes->cluster[pair.b])
		claim(passes, pair.a, pair.b, -pair.distance);
	return 1;
}

/*
 * Gives centres before the block one role, the block's rows that are unclaimed another one, and no
 * part in the pass to the rest.
 */
static void
set_roles(StarPasses *passes, JoinRole of_centres, JoinRole of_block)
{
	memset(passes->roles, JOIN_ABSENT, passes->count);
	passes->rows = 0;
	for (uint32 place = 0; place < passes->end; place++)
	{
		uint32 number = passes->numbers[place];

		CHECK_NOW_AND_THEN(place);
		if (number != NO_PLACE && is_unclaimed(passes, place))
		{
			passes->roles[number] = place < passes->first ? of_centres : of_block;
			passes->rows += place >= passes->first;
		}
	}
	passes->task->roles = passes->roles;
	passes->task->role_count = passes->count;
}

static void
run_pass(StarPasses *passes, TakePair take)
{
	if (passes->roles != NULL)
		JoinProgressPass(++passes->pass, passes->end == passes->count);
	passes->join->pair_count = 0;
	passes->claimed = 0;
	QueryJoinPairs(passes->join, passes->task->predicate, take, passes);
}

/* Makes the star of the pairs that are stored, and ends them. */
static void
star_of_stored(StarPasses *passes)
{
	RankedPair pair;

	PairSortPerform(passes->pairs);
	/* The pairs of lesser centres come first: a row whose own pairs come is claimed by then. */
	while (PairSortNext(passes->pairs, &pair))
	{
		if (is_unclaimed(passes, pair.a) && is_unclaimed(passes, pair.b))
			claim(passes, pair.a, pair.b, -pair.distance);
	}
	PairSortEnd(passes->pairs);
	passes->pairs = NULL;
}

/* Joins the rows that have a role with each other, and makes their star. */
static void
join_stored(StarPasses *passes)
{
	passes->pairs = PairSortBegin(PAIRS_BY_ENDS, NULL, NULL);
	run_pass(passes, take_pair);
	star_of_stored(passes);
}

/*
 * Finds the least neighbour of each unclaimed row of the block, itself if none is less. A row without
 * a lesser neighbour is a centre, and claims the rows whose least neighbour it is. What is neither is
 * open. Returns whether any row is; the roles are then those of a join that decides them. If the pairs
 * are few, they are stored, and decide about all rows at once.
 */
static bool
least_neighbours(StarPasses *passes)
{
	bool is_any_open = false;

	for (uint32 place = passes->first; place < passes->end; place++)
	{
		CHECK_NOW_AND_THEN(place);
		passes->least[place] = is_unclaimed(passes, place) ? place : 0;
	}
	passes->pairs = PairSortBegin(PAIRS_BY_ENDS, NULL, NULL);
	passes->stored = 0;
	run_pass(passes, take_neighbours);
	if (passes->pairs != NULL)
	{
		star_of_stored(passes);
		return false;
	}
	for (uint32 place = passes->first; place < passes->end; place++)
	{
		uint32 least = passes->least[place];
		uint32 number = passes->numbers[place];

		CHECK_NOW_AND_THEN(place);
		if (number == NO_PLACE || !is_unclaimed(passes, place))
			continue;
		if (least == place)
			passes->roles[number] = JOIN_IS_MET;
		else if (passes->least[least] == least)
		{
			passes->roles[number] = JOIN_ABSENT;
			claim(passes, least, place, passes->similarity[place]);
		}
		else
		{
			passes->similarity[place] = 1;
			is_any_open = true;
		}
	}
	return is_any_open;
}

/* Joins the unclaimed rows of the block with each other, and makes their star. */
static void
join_block(StarPasses *passes)
{
	if (passes->roles != NULL)
	{
		set_roles(passes, JOIN_ABSENT, JOIN_SEEKS);
		if (!least_neighbours(passes))
			return;
	}
	join_stored(passes);
}

/* Claims rows of the block for the centres before it. Returns whether that paid. */
static bool
claim_block(StarPasses *passes)
{
	set_roles(passes, JOIN_SEEKS, JOIN_IS_MET);
	run_pass(passes, take_claim);
	/* Of scattered families of n rows, n times as many are claimed as there were rows before. */
	return passes->claimed >= passes->rows / LEAST_CLAIMED_PART ||
		   (double) passes->claimed * passes->count >=
			   (double) LEAST_FAMILY * passes->rows * passes->first;
}

/* Finds the places of the join's rows, which are in memory. They are asked for with each pair. */
static void
find_row_places(StarPasses *passes)
{
	const JoinKeys *numbers = &passes->join->input.keys;

	passes->row_places = AllocateArray(numbers->count, sizeof(uint32));
	for (uint32 row = 0; row < numbers->count; row++)
	{
		CHECK_NOW_AND_THEN(row);
		passes->row_places[row] = passes->places[JoinKeysInt64(numbers, row)];
	}
}

static void
begin_blocks(StarPasses *passes)
{
	uint32 count = passes->count;

	if (!JoinInputIsSpilled(&passes->join->input))
		find_row_places(passes);
	passes->roles = AllocateArray(count, sizeof(uint8));
	passes->numbers = AllocateArray(count, sizeof(uint32));
	passes->least = AllocateArray(count, sizeof(uint32));
	memset(passes->numbers, 0xFF, count * sizeof(uint32));
	for (uint32 number = 0; number < count; number++)
	{
		CHECK_NOW_AND_THEN(number);
		if (passes->places[number] != NO_PLACE)
			passes->numbers[passes->places[number]] = number;
	}
}

static void
end_blocks(StarPasses *passes)
{
	passes->task->roles = NULL;
	if (passes->row_places != NULL)
		pfree(passes->row_places);
	passes->row_places = NULL;
	pfree(passes->roles);
	pfree(passes->numbers);
	pfree(passes->least);
}

/* Makes the stars of block after block, as long as that pays. Returns whether it did to the end. */
static bool
join_blocks(StarPasses *passes, uint32 first_block)
{
	passes->end = first_block;
	join_block(passes);
	while (passes->end < passes->count)
	{
		passes->first = passes->end;
		passes->end = (uint32) Min((uint64) passes->end * BLOCK_GROWTH, passes->count);
		if (!claim_block(passes))
			return false;
		join_block(passes);
	}
	return true;
}

static StarPasses
begin_passes(SimilarityJoin *join, JoinTask *task, const uint32 *places, uint32 count,
			 uint32 *cluster, double *similarity)
{
	StarPasses passes = {.join = join,
						 .task = task,
						 .places = places,
						 .count = count,
						 .cluster = cluster,
						 .similarity = similarity,
						 .end = count};

	for (uint32 place = 0; place < count; place++)
	{
		CHECK_NOW_AND_THEN(place);
		cluster[place] = place;
		similarity[place] = 1;
	}
	return passes;
}

/* Returns the rows of the first block; 0 if all rows are joined at once. */
static uint32
first_block(const SimilarityJoin *join, uint32 count)
{
	uint32 rows = Max(count / FIRST_BLOCK_PART, LEAST_BLOCK);

	if (MeasureIsAsymmetric(join->task->predicate.measure))
		return 0;
	return rows < count ? rows : 0;
}

void
StarJoin(SimilarityJoin *join, JoinTask *task, const uint32 *places, uint32 count, uint32 *cluster,
		 double *similarity)
{
	StarPasses passes = begin_passes(join, task, places, count, cluster, similarity);
	uint32 rows = first_block(join, count);

	if (rows == 0)
	{
		join_block(&passes);
		return;
	}
	begin_blocks(&passes);
	if (!join_blocks(&passes, rows))
	{
		passes.first = 0;
		passes.end = count;
		join_block(&passes);
	}
	end_blocks(&passes);
}

int32
StarJoinBlocks(SimilarityJoin *join, JoinTask *task, const uint32 *places, uint32 count,
			   uint32 *cluster, double *similarity)
{
	StarPasses passes = begin_passes(join, task, places, count, cluster, similarity);
	uint32 rows = first_block(join, count);

	if (rows == 0)
		return 0;
	begin_blocks(&passes);
	(void) join_blocks(&passes, rows);
	end_blocks(&passes);
	return passes.pass;
}
