/*
 * star_join.c
 *		Star clusters in passes of a join.
 *
 * A family of n similar rows has about n²/2 pairs, but its star needs the pairs of its centre only.
 * So the rows are taken in blocks in the order of their places, each many times larger than all
 * before it, and the records, which were put in order once, are joined in passes by roles:
 *
 * 1. The first block is joined with itself. Its star tells its centres, which are final: a row is
 *    claimed by lesser ones only.
 * 2. The centres so far seek the rows of the next block. Each row that meets one is claimed by the
 *    least that it meets.
 * 3. The rows of this block that nobody has claimed are joined with themselves. No centre so far is
 *    similar to them, so their star is part of the star of all rows up to here.
 * 4. Steps 2 and 3 again for the next block, until all rows are centres or claimed.
 *
 * Families that are scattered among the places gain by this. If the centres so far claim few rows of
 * a block, further passes would cost more than they save: then all rows that nobody has claimed, and
 * the centres so far, are joined in one last pass.
 *
 * A large family that begins after the first block, as families do where places follow sizes, would
 * be joined with itself in step 3. So a sample of the block's rows is joined first. If it tells that
 * there are such families, some centres of them are found: a few rows of the sample seek their least
 * neighbours, these seek theirs, and so on; a row that has no lesser neighbour is a centre. Rows that
 * are similar to such a centre, and come after it, follow a centre, though perhaps another one. They
 * claim nothing, so that they need no pairs with each other.
 *
 * Under containment, a row is claimed by a centre that contains it: in step 2 the rows of the block
 * look up, and the centres are met. Followers only look up.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "allocate.h"
#include "cluster/star_join.h"
#include "join/call/pair_sort.h"

/* The first block is this part of the rows, but not smaller than LEAST_BLOCK. */
#define FIRST_BLOCK_PART 1024
#define LEAST_BLOCK 1000

/* The rows up to the end of a block, divided by the rows up to its beginning. */
#define BLOCK_GROWTH 16

/*
 * If a smaller part of a block than this was claimed, the next pass is the last one, unless
 * families seem to have LEAST_FAMILY rows: then they claim more of later blocks.
 */
#define LEAST_CLAIMED_PART 10
#define LEAST_FAMILY 25

/*
 * A sample is this part of the rows, but not smaller than LEAST_SAMPLE. None is taken of fewer than
 * LEAST_SAMPLES samples.
 */
#define SAMPLE_PART 256
#define LEAST_SAMPLE 500
#define LEAST_SAMPLES 4

/* A row of the sample that is similar to fewer others of it is no sign of a large family. */
#define LEAST_OF_SAMPLE 4

/* Centres are sought where large families seem to have more pairs than this, for each row. */
#define MANY_PAIRS 32

/* How often the least neighbours seek their least neighbours. */
#define SEED_ROUNDS 3

/* Pairs are few if they are a smaller part of the rows. */
#define FEW_PAIRS_PART 4

/* A row of the join, with what is asked for with each pair of it. */
typedef struct StarRow
{
	uint32 place;
	uint32 least;	   /* of the neighbours (least_neighbours); NO_ROW if the row has no part */
	uint32 count;	   /* of the neighbours that are not less */
	bool follows;	   /* a centre is similar to the row, which is none itself */
	double similarity; /* to that one */
} StarRow;

typedef struct StarPasses
{
	JoinPasses *of_join;
	StarRow *star_rows; /* by row of the join if it is in memory, else by number */
	uint32 row_count;
	bool is_by_number;
	uint32 count;
	uint32 *cluster; /* the cluster of each place */
	double *similarity;
	uint8 *roles;	 /* the role of each number; NULL until there are several passes */
	uint32 *numbers; /* the number of the row at each place */

	/* Of this pass. */
	uint32 first; /* the block's places are first .. end - 1 */
	uint32 end;
	uint32 unclaimed; /* rows of the block, before the pass */
	uint32 claimed;	  /* how many of these were claimed in it */
	PairSort *pairs;  /* pairs of places; NULL where they are not stored */
	uint64 stored;	  /* pairs, while they are few */
	uint8 *seeds;	  /* by number: the round in which the row seeks, or SEED_IS_CENTRE */
} StarPasses;

#define SEED_IS_CENTRE 0xFF

static inline bool
is_asymmetric(const StarPasses *passes)
{
	return MeasureIsDirected(passes->of_join->task->predicate.measure);
}

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
		return &passes->star_rows[JoinKeysInt64(&passes->of_join->join->part->keys, row)];
	return &passes->star_rows[row];
}

/* The rows of a pair, by their places. */
typedef struct StarPair
{
	StarRow *lesser;
	StarRow *greater;
} StarPair;

static inline StarPair
rows_found(const StarPasses *passes, const FoundPair *found)
{
	StarRow *a = row_found(passes, found->a);
	StarRow *b = row_found(passes, found->b);

	return a->place < b->place ? (StarPair){a, b} : (StarPair){b, a};
}

static inline bool
is_open_in_block(const StarPasses *passes, const StarRow *row)
{
	return is_in_block(passes, row->place) && is_unclaimed(passes, row->place);
}

/*
 * Takes a pair for the star of the block, if both rows are of it and the lesser one may be a centre.
 * Equal records have one role: the pass may find pairs of rows that do not seek, or are absent.
 */
static uint64
take_star_pair(void *context, const FoundPair *found)
{
	StarPasses *passes = context;
	StarPair pair = rows_found(passes, found);

	CHECK_FOR_INTERRUPTS();
	if (is_open_in_block(passes, pair.lesser) && is_open_in_block(passes, pair.greater) &&
		!pair.lesser->follows)
		PairSortPut(passes->pairs, &(RankedPair){.a = pair.lesser->place,
												 .b = pair.greater->place,
												 .distance = -found->value});
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

/* Takes a pair for the least neighbours, if both rows are of the block and the lesser may claim. */
static uint64
take_neighbours(void *context, const FoundPair *found)
{
	StarPasses *passes = context;
	StarPair pair = rows_found(passes, found);
	StarRow *lesser = pair.lesser;
	StarRow *greater = pair.greater;

	CHECK_FOR_INTERRUPTS();
	if (lesser->least == NO_ROW || greater->least == NO_ROW || lesser->follows)
		return 1;
	if (passes->pairs != NULL)
		store_while_few(passes, lesser->place, greater->place, found->value);
	lesser->count++;
	if (lesser->place < greater->least)
	{
		greater->least = lesser->place;
		greater->similarity = found->value;
	}
	return 1;
}

/* Takes a pair of a row of the block and a centre of it that was found early. */
static uint64
take_follower(void *context, const FoundPair *found)
{
	StarPasses *passes = context;
	StarPair pair = rows_found(passes, found);

	CHECK_FOR_INTERRUPTS();
	if (pair.lesser->least != NO_ROW && pair.greater->least != NO_ROW &&
		passes->seeds[passes->numbers[pair.lesser->place]] == SEED_IS_CENTRE)
		pair.greater->follows = true;
	return 1;
}

/* Takes a pair of a centre before the block and a row of the block. */
static uint64
take_claim(void *context, const FoundPair *found)
{
	StarPasses *passes = context;
	StarPair pair = rows_found(passes, found);
	uint32 centre = pair.lesser->place;
	uint32 place = pair.greater->place;

	CHECK_FOR_INTERRUPTS();
	if (centre < passes->first && is_in_block(passes, place) && is_unclaimed(passes, centre) &&
		centre < passes->cluster[place])
		claim(passes, centre, place, found->value);
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

		CHECK_FOR_INTERRUPTS();
		if (is_unclaimed(passes, place))
		{
			passes->roles[number] = place < passes->first ? of_centres : of_block;
			passes->unclaimed += place >= passes->first;
		}
	}
	PairDemandByRoles(&passes->of_join->task->demand, passes->roles, passes->count);
}

static void
run_star_pass(StarPasses *passes, TakePair take)
{
	passes->claimed = 0;
	JoinPassesRun(passes->of_join, passes->of_join->task->predicate, take, passes,
				  passes->end == passes->count);
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
	run_star_pass(passes, take_star_pair);
	star_of_stored(passes);
}

/* Each unclaimed row of the block that has no lesser neighbour is a centre. */
static void
find_centres(StarPasses *passes)
{
	for (uint32 i = 0; i < passes->row_count; i++)
	{
		const StarRow *row = &passes->star_rows[i];

		if (row->least == row->place)
			passes->roles[passes->numbers[row->place]] = JOIN_IS_MET;
	}
}

/* Has the centres of the block seek, so that they meet followers, which do not. */
static void
have_centres_seek(StarPasses *passes)
{
	for (uint32 i = 0; i < passes->row_count; i++)
	{
		const StarRow *row = &passes->star_rows[i];

		if (row->least == row->place)
			passes->roles[passes->numbers[row->place]] = JOIN_SEEKS;
	}
}

/*
 * Each centre claims the rows whose least neighbour it is. Returns whether some row is neither a
 * centre nor claimed.
 */
static bool
claim_for_least(StarPasses *passes)
{
	bool is_any_open = false;
	bool follows_any = false; /* whether a row that is neither follows */

	for (uint32 i = 0; i < passes->row_count; i++)
	{
		const StarRow *row = &passes->star_rows[i];

		CHECK_FOR_INTERRUPTS();
		if (row->least == NO_ROW || row->least == row->place)
			continue;
		if (passes->roles[passes->numbers[row->least]] == JOIN_IS_MET)
		{
			passes->roles[passes->numbers[row->place]] = JOIN_ABSENT;
			claim(passes, row->least, row->place, row->similarity);
		}
		else
		{
			is_any_open = true;
			follows_any |= row->follows;
		}
	}
	if (follows_any && !is_asymmetric(passes))
		have_centres_seek(passes);
	return is_any_open;
}

/* Begins to find the least neighbours of the block's rows: so far, each has itself. */
static void
reset_least(StarPasses *passes)
{
	for (uint32 i = 0; i < passes->row_count; i++)
	{
		StarRow *row = &passes->star_rows[i];

		CHECK_FOR_INTERRUPTS();
		row->least = is_open_in_block(passes, row) ? row->place : NO_ROW;
		row->count = 0;
	}
}

/*
 * Finds the least neighbour of each unclaimed row of the block, itself if none is less. What is
 * neither a centre nor claimed by one is open. Returns whether any row is; the roles are then set
 * for a join that decides the open rows. If the pairs are few, they are stored, and decide about
 * all rows.
 */
static bool
least_neighbours(StarPasses *passes)
{
	reset_least(passes);
	passes->pairs = PairSortBegin(PAIRS_BY_ENDS, NULL, NULL);
	passes->stored = 0;
	run_star_pass(passes, take_neighbours);
	if (passes->pairs != NULL)
	{
		star_of_stored(passes);
		return false;
	}
	find_centres(passes);
	return claim_for_least(passes);
}

/* Joins a sample of the block's unclaimed rows, in which each row stands for `step` rows. */
static void
join_sample(StarPasses *passes, uint32 step)
{
	uint32 seen = 0;

	for (uint32 place = passes->first; place < passes->end; place++)
	{
		uint32 number = passes->numbers[place];

		if (passes->roles[number] == JOIN_SEEKS && seen++ % step != 0)
			passes->roles[number] = JOIN_ABSENT;
	}
	reset_least(passes);
	run_star_pass(passes, take_neighbours);
}

/*
 * Makes seeds of the rows of the sample that have several neighbours in the sample, but no lesser
 * one. Returns whether their families seem to have many pairs.
 */
static bool
choose_seeds(StarPasses *passes, uint32 step)
{
	double pairs = 0;

	for (uint32 i = 0; i < passes->row_count; i++)
	{
		const StarRow *row = &passes->star_rows[i];
		double size = (double) row->count * step;

		if (row->least == NO_ROW || row->least < row->place || row->count < LEAST_OF_SAMPLE)
			continue;
		passes->seeds[passes->numbers[row->place]] = 1;
		pairs += size * size / 2;
	}
	return pairs >= (double) MANY_PAIRS * passes->unclaimed;
}

/* Gives one role to the block's rows that have a number in `seeds`, another one to the others. */
static void
set_seed_roles(StarPasses *passes, uint8 seed, JoinRole of_seeds, JoinRole of_others)
{
	set_roles(passes, JOIN_ABSENT, of_others);
	for (uint32 number = 0; number < passes->count; number++)
	{
		if (passes->seeds[number] == seed)
			passes->roles[number] = of_seeds;
	}
}

/*
 * Finds the least neighbours of the seeds of this round. A seed without a lesser neighbour is a
 * centre; the least neighbours of the other seeds are the seeds of the next round. Returns whether
 * there is a next round.
 */
static bool
seek_least(StarPasses *passes, uint8 round)
{
	bool is_any = false;

	set_seed_roles(passes, round, JOIN_SEEKS, JOIN_IS_MET);
	reset_least(passes);
	run_star_pass(passes, take_neighbours);
	for (uint32 i = 0; i < passes->row_count; i++)
	{
		const StarRow *row = &passes->star_rows[i];
		uint8 *seed;

		if (row->least == NO_ROW || passes->seeds[passes->numbers[row->place]] != round)
			continue;
		seed = &passes->seeds[passes->numbers[row->least]];
		if (row->least == row->place)
			*seed = SEED_IS_CENTRE;
		else if (*seed != SEED_IS_CENTRE)
		{
			*seed = round + 1;
			is_any = true;
		}
	}
	return is_any;
}

/* Finds rows of large families that follow a centre, if a sample tells that there are any. */
static void
find_followers(StarPasses *passes)
{
	uint32 sample = Max(passes->unclaimed / SAMPLE_PART, LEAST_SAMPLE);
	uint32 step = passes->unclaimed / sample;
	bool is_asymmetric_join = is_asymmetric(passes);

	if (step < LEAST_SAMPLES)
		return;
	passes->seeds = AllocateArray(passes->count, sizeof(uint8));
	memset(passes->seeds, 0, passes->count);
	join_sample(passes, step);
	if (choose_seeds(passes, step))
	{
		for (uint8 round = 1; round <= SEED_ROUNDS; round++)
		{
			if (!seek_least(passes, round))
				break;
		}
		set_seed_roles(passes, SEED_IS_CENTRE, is_asymmetric_join ? JOIN_IS_MET : JOIN_SEEKS,
					   is_asymmetric_join ? JOIN_LOOKS_UP : JOIN_IS_MET);
		reset_least(passes);
		run_star_pass(passes, take_follower);
	}
	pfree(passes->seeds);
	set_roles(passes, JOIN_ABSENT, JOIN_SEEKS);
	for (uint32 i = 0; i < passes->row_count; i++)
	{
		const StarRow *row = &passes->star_rows[i];

		CHECK_FOR_INTERRUPTS();
		if (row->follows && is_open_in_block(passes, row))
			passes->roles[passes->numbers[row->place]] =
				is_asymmetric_join ? JOIN_LOOKS_UP : JOIN_IS_MET;
	}
}

/* Joins the unclaimed rows of the block with each other, and makes their star. */
static void
join_block(StarPasses *passes)
{
	if (passes->roles != NULL)
	{
		set_roles(passes, JOIN_ABSENT, JOIN_SEEKS);
		find_followers(passes);
		if (!least_neighbours(passes))
			return;
	}
	join_stored(passes);
}

/* Claims rows of the block for the centres before it. Returns whether that paid. */
static bool
claim_block(StarPasses *passes)
{
	if (is_asymmetric(passes))
		set_roles(passes, JOIN_IS_MET, JOIN_LOOKS_UP);
	else
		set_roles(passes, JOIN_SEEKS, JOIN_IS_MET);
	run_star_pass(passes, take_claim);
	/*
	 * The block goes on the same way where families are scattered. If each family has n rows, evenly
	 * scattered, a row before the block claims n rows of later blocks for each block as large as all
	 * before it: so claimed / unclaimed of a block tells n, in proportion to first / count.
	 */
	return passes->claimed >= passes->unclaimed / LEAST_CLAIMED_PART ||
		   (double) passes->claimed * passes->count >=
			   (double) LEAST_FAMILY * passes->unclaimed * passes->first;
}

/* Finds the places of the rows of the join. */
static void
find_star_rows(StarPasses *passes, const uint32 *places)
{
	const JoinKeys *numbers = &passes->of_join->join->input.keys;

	passes->is_by_number = JoinInputIsSpilled(&passes->of_join->join->input);
	passes->row_count = passes->is_by_number ? passes->count : numbers->count;
	passes->star_rows = AllocateArray(passes->row_count, sizeof(StarRow));
	for (uint32 i = 0; i < passes->row_count; i++)
	{
		CHECK_FOR_INTERRUPTS();
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
	for (uint32 number = 0; number < count; number++)
		passes->numbers[places[number]] = number;
}

static void
end_blocks(StarPasses *passes)
{
	PairDemandByRoles(&passes->of_join->task->demand, NULL, passes->count);
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
begin_passes(JoinPasses *join, const uint32 *places, uint32 count, uint32 *cluster,
			 double *similarity)
{
	StarPasses passes = {.of_join = join,
						 .count = count,
						 .cluster = cluster,
						 .similarity = similarity,
						 .end = count};

	for (uint32 place = 0; place < count; place++)
	{
		cluster[place] = place;
		similarity[place] = 1;
	}
	find_star_rows(&passes, places);
	return passes;
}

/* Returns the rows of the first block; 0 if all rows are joined at once. */
static uint32
first_block(uint32 count)
{
	uint32 rows = Max(count / FIRST_BLOCK_PART, LEAST_BLOCK);

	return rows < count ? rows : 0;
}

void
StarJoin(JoinPasses *join, const uint32 *places, uint32 count, uint32 *cluster, double *similarity)
{
	StarPasses passes = begin_passes(join, places, count, cluster, similarity);
	uint32 rows = first_block(count);

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

void
StarJoinBlocks(JoinPasses *join, const uint32 *places, uint32 count, uint32 *cluster,
			   double *similarity)
{
	StarPasses passes = begin_passes(join, places, count, cluster, similarity);
	uint32 rows = first_block(count);

	if (rows > 0)
	{
		begin_blocks(&passes, places);
		(void) join_blocks(&passes, rows);
		end_blocks(&passes);
	}
	pfree(passes.star_rows);
}
