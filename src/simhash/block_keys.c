/*
 * block_keys.c
 *		simhash_blocks: keys of which near values have one in common.
 *
 * A key is the hash of a table's blocks (blocks.h), spread over the nodes of a cluster. Values with
 * a common key need verification.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "sketch/blocks.h"
#include "simhash/simhash.h"
#include "sketch/token_hash.h"

PG_FUNCTION_INFO_V1(simhash_blocks);
PG_FUNCTION_INFO_V1(simhash_blocks_of);

#define MAX_KEYS 1024

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

/* simhash_blocks(value, k), with k + 1 blocks. */
Datum
simhash_blocks(PG_FUNCTION_ARGS)
{
	int32 distance = PG_GETARG_INT32(1);

	PG_RETURN_ARRAYTYPE_P(
		block_keys(PG_GETARG_SIMHASH(0), distance, Min(distance, SIMHASH_BITS) + 1));
}

Datum
simhash_blocks_of(PG_FUNCTION_ARGS)
{
	PG_RETURN_ARRAYTYPE_P(block_keys(PG_GETARG_SIMHASH(0), PG_GETARG_INT32(1), PG_GETARG_INT32(2)));
}
