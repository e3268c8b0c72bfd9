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

/* A row of the join, with what is asked for with each pair of it. */
typedef struct StarRow
{
	uint32 place;
	uint32 least;	   /* of the neighbours (least_neighbours); NO_PLACE if the row has no part */
	double similarity; /* to that one */
} StarRow;

typedef struct StarPasses
{
	SimilarityJoin *join;
	JoinTask *task;
	StarRow *star_rows; /* by row of the join if it is in memory, else by number */
	uint32 row_count;
	bool is_by_number;
	uint32 count;
	uint32 *cluster; /* the cluster of each place */
	double *similarity;
	uint8 *roles;	 /* the role of each number; NULL until there are several passes */
	uint32 *numbers; /* the number of the row at each place; NO_PLACE where no row is */
	int32 pass;

	/* Of this pass. */
	uint32 first; /* the block's places are first .. end - 1 */
	uint32 end;
	uint32 unclaimed; /* rows of the block, before the pass */
	uint32 claimed;	  /* how many of these were claimed in it */
	PairSort *pairs;  /* pairs of places; NULL where they are not stored */
	uint64 stored;	  /* pairs, while they are few */
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

static inline StarRow *
row_found(const StarPasses *passes, uint32 row)
{
	if (passes->is_by_number)
		return &passes->star_rows[JoinKeysInt64(&passes->join->part->keys, row)];
	return &passes->star_rows[row];
}

/* Returns the places of a pair, the lesser first. */
static RankedPair
place_found(const StarPasses *passes, const FoundPair *found)
{
	uint32 x = row_found(passes, found->a)->place;
	uint32 y = row_found(passes, found->b)->place;

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
store_while_few(StarPasses *passes, uint32 lesser, uint32 greater, double value)
{
	RankedPair pair = {.a = lesser, .b = greater, .distance = -value};

	if (passes->stored++ < passes->unclaimed / FEW_PAIRS_PART)
		PairSortPut(passes->pairs, &pair);
	else
	{
		PairSortEnd(passes->pairs);
		passes->pairs = NULL;
	}
}

/* Takes a pair for least_neighbours, if both rows are of the block (is_of_block). */
static uint64
take_neighbours(void *context, const FoundPair *found)
{
	StarPasses *passes = context;
	StarRow *a = row_found(passes, found->a);
	StarRow *b = row_found(passes, found->b);
	StarRow *lesser = a->place < b->place ? a : b;
	StarRow *greater = a->place < b->place ? b : a;

	CHECK_FOR_INTERRUPTS();
	if (lesser->least == NO_PLACE || greater->least == NO_PLACE)
		return 1;
	if (passes->pairs != NULL)
		store_while_few(passes, lesser->place, greater->place, found->value);
	if (lesser->place < greater->least)
	{
		greater->least = lesser->place;
		greater->similarity = found->value;
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
	passes->unclaimed = 0;
	for (uint32 place = 0; place < passes->end; place++)
	{
		uint32 number = passes->numbers[place];

		CHECK_NOW_AND_THEN(place);
		if (number != NO_PLACE && is_unclaimed(passes, place))
		{
			passes->roles[number] = place < passes->first ? of_centres : of_block;
			passes->unclaimed += place >= passes->first;
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

/* Each unclaimed row of the block that has no lesser neighbour is a centre. */
static void
find_centres(StarPasses *passes)
{
	for (uint32 i = 0; i < passes->row_count; i++)
	{
		const StarRow *row = &passes->star_rows[i];

		CHECK_NOW_AND_THEN(i);
		if (row->least == row->place && row->place != NO_PLACE)
			passes->roles[passes->numbers[row->place]] = JOIN_IS_MET;
	}
}

/* Centres claim the rows whose least neighbour they are. Returns whether some row is neither. */
static bool
claim_for_least(StarPasses *passes)
{
	bool is_any_open = false;

	for (uint32 i = 0; i < passes->row_count; i++)
	{
		const StarRow *row = &passes->star_rows[i];

		CHECK_NOW_AND_THEN(i);
		if (row->least == NO_PLACE || row->least == row->place)
			continue;
		if (passes->roles[passes->numbers[row->least]] == JOIN_IS_MET)
		{
			passes->roles[passes->numbers[row->place]] = JOIN_ABSENT;
			claim(passes, row->least, row->place, row->similarity);
		}
		else
			is_any_open = true;
	}
	return is_any_open;
}

/*
 * Finds the least neighbour of each unclaimed row of the block, itself if none is less. What is
 * neither a centre nor claimed by one is open. Returns whether any row is; the roles are then those
 * of a join that decides them. If the pairs are few, they are stored, and decide about all rows.
 */
static bool
least_neighbours(StarPasses *passes)
{
	for (uint32 i = 0; i < passes->row_count; i++)
	{
		StarRow *row = &passes->star_rows[i];

		CHECK_NOW_AND_THEN(i);
		row->least = is_in_block(passes, row->place) && is_unclaimed(passes, row->place)
						 ? row->place
						 : NO_PLACE;
	}
	passes->pairs = PairSortBegin(PAIRS_BY_ENDS, NULL, NULL);
	passes->stored = 0;
	run_pass(passes, take_neighbours);
	if (passes->pairs != NULL)
	{
		star_of_stored(passes);
		return false;
	}
	find_centres(passes);
	return claim_for_least(passes);
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
	return passes->claimed >= passes->unclaimed / LEAST_CLAIMED_PART ||
		   (double) passes->claimed * passes->count >=
			   (double) LEAST_FAMILY * passes->unclaimed * passes->first;
}

/* Finds the places of the rows of the join. */
static void
find_star_rows(StarPasses *passes, const uint32 *places)
{
	const JoinKeys *numbers = &passes->join->input.keys;

	passes->is_by_number = JoinInputIsSpilled(&passes->join->input);
	passes->row_count = passes->is_by_number ? passes->count : numbers->count;
	passes->star_rows = AllocateArray(passes->row_count, sizeof(StarRow));
	for (uint32 i = 0; i < passes->row_count; i++)
	{
		CHECK_NOW_AND_THEN(i);
		passes->star_rows[i] = (StarRow){
			.place = places[passes->is_by_number ? i : (uint32) JoinKeysInt64(numbers, i)]};
	}
}

static void
begin_blocks(StarPasses *passes, const uint32 *places)
{
	uint32 count = passes->count;

	passes->roles = AllocateArray(count, sizeof(uint8));
	passes->numbers = AllocateArray(count, sizeof(uint32));
	memset(passes->numbers, 0xFF, count * sizeof(uint32));
	for (uint32 number = 0; number < count; number++)
	{
		CHECK_NOW_AND_THEN(number);
		if (places[number] != NO_PLACE)
			passes->numbers[places[number]] = number;
	}
}

static void
end_blocks(StarPasses *passes)
{
	passes->task->roles = NULL;
	pfree(passes->roles);
	pfree(passes->numbers);
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
	find_star_rows(&passes, places);
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
		join_block(&passes);
	else
	{
		begin_blocks(&passes, places);
		if (!join_blocks(&passes, rows))
		{
			passes.first = 0;
			passes.end = count;
			join_block(&passes);
		}
		end_blocks(&passes);
	}
	pfree(passes.star_rows);
}

int32
StarJoinBlocks(SimilarityJoin *join, JoinTask *task, const uint32 *places, uint32 count,
			   uint32 *cluster, double *similarity)
{
	StarPasses passes = begin_passes(join, task, places, count, cluster, similarity);
	uint32 rows = first_block(join, count);

	if (rows > 0)
	{
		begin_blocks(&passes, places);
		(void) join_blocks(&passes, rows);
		end_blocks(&passes);
	}
	pfree(passes.star_rows);
	return passes.pass;
}
