/*
 * block_keys.c
 *		simhash_blocks: keys, one of which near values have in common.
 *
 * Across the nodes of a cluster, a join of near values must be an equality join. sketch/blocks.h
 * divides the bits into blocks such that values within k bits of each other are equal in the blocks
 * of some table. A key is the hash of these blocks' bits, with the table's number as the seed,
 * which spreads the keys evenly over the nodes. Values with a common key are candidates: their
 * distance has to be verified.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "sketch/blocks.h"
#include "simhash/distance.h"
#include "simhash/simhash.h"
#include "sketch/token_hash.h"

PG_FUNCTION_INFO_V1(simhash_blocks);
PG_FUNCTION_INFO_V1(simhash_blocks_of);

/* The most keys of a value. */
#define MAX_KEYS 1024

/*
 * Returns the keys of a value, one for each table. Raises invalid_parameter_value for a distance
 * below 0 or above 63, and for a number of blocks that is not above the distance or exceeds 64;
 * program_limit_exceeded for more than MAX_KEYS tables.
 */
static ArrayType *
block_keys(Simhash value, int32 distance, int32 blocks)
{
	BlockTables tables;
	Datum keys[MAX_KEYS];
	int count = 0;

	if (SimhashMaxDistanceOrError(distance) >= SIMHASH_BITS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("maximum Hamming distance of blocks must be less than %d", SIMHASH_BITS),
				 errdetail("The distance is %d.", distance)));
	if (blocks <= distance || blocks > SIMHASH_BITS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("number of blocks must be greater than the distance and at most %d",
						SIMHASH_BITS),
				 errdetail("The distance is %d, the number of blocks %d.", distance, blocks)));
	if (BlockTablesCount(blocks, distance) > MAX_KEYS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("too many block keys"),
				 errdetail("There are %.0f ways to choose %d of %d blocks; the limit is %d.",
						   BlockTablesCount(blocks, distance), blocks - distance, blocks, MAX_KEYS),
				 errhint("Fewer blocks give fewer keys.")));
	BlockTablesBegin(&tables, PG_UINT64_MAX, blocks, distance);
	do
	{
		keys[count] = Int64GetDatum((int64) TokenHash((int64) (value & tables.mask), count));
		count++;
	} while (BlockTablesNext(&tables));
	return construct_array(keys, count, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE);
}

/* simhash_blocks(value, k): with k + 1 blocks, the fewest, there are k + 1 keys. */
Datum
simhash_blocks(PG_FUNCTION_ARGS)
{
	int32 distance = PG_GETARG_INT32(1);

	PG_RETURN_ARRAYTYPE_P(
		block_keys(PG_GETARG_SIMHASH(0), distance, Min(distance, SIMHASH_BITS) + 1));
}

/*
 * simhash_blocks(value, k, blocks): with more blocks a value has more keys, and fewer values share
 * each key.
 */
Datum
simhash_blocks_of(PG_FUNCTION_ARGS)
{
	PG_RETURN_ARRAYTYPE_P(block_keys(PG_GETARG_SIMHASH(0), PG_GETARG_INT32(1), PG_GETARG_INT32(2)));
}
