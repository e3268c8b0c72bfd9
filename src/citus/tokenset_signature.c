/*
 * tokenset_signature.c
 *		The functions tokenset_signature and tokenset_signature_bits.
 *
 * A signature is made on the shard of its set, and read on the shards of the set's tokens, where
 * posting_pairs compares signatures instead of sets (index/signature.h). As it travels between
 * servers, its byte order is fixed.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"

#include "port/pg_bswap.h"

#include "index/signature.h"
#include "kernel/filters/bitmap_filter.h"
#include "measure/threshold.h"
#include "tokenset/tokenset.h"

PG_FUNCTION_INFO_V1(tokenset_signature);
PG_FUNCTION_INFO_V1(tokenset_signature_bits);

/* Returns the 64-bit words of a signature, or raises an error for a width that is not allowed. */
static uint32
words_of_bits(int32 bits)
{
	for (uint32 words = 1; words <= SIGNATURE_MAX_WORDS; words *= 2)
	{
		if (bits == (int32) (words * SIGNATURE_BITS_PER_WORD))
			return words;
	}
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("a signature must have 64, 128, 256 or 512 bits"),
					errdetail("The number of bits is %d.", bits)));
}

/* Arguments: tokens, bits. The result has the words in little-endian order. */
Datum
tokenset_signature(PG_FUNCTION_ARGS)
{
	const Tokenset *set = PG_GETARG_TOKENSET(0);
	uint32 words = words_of_bits(PG_GETARG_INT32(1));
	Size size = VARHDRSZ + words * sizeof(uint64);
	uint64 signature[SIGNATURE_MAX_WORDS];
	bytea *result = palloc(size);

	IndexSignatureMake(signature, words, set->tokens, TokensetCount(set));
#ifdef WORDS_BIGENDIAN
	for (uint32 w = 0; w < words; w++)
		signature[w] = pg_bswap64(signature[w]);
#endif
	SET_VARSIZE(result, size);
	memcpy(VARDATA(result), signature, words * sizeof(uint64));
	PG_RETURN_BYTEA_P(result);
}

/* Arguments: threshold, measure, mean_size. */
Datum
tokenset_signature_bits(PG_FUNCTION_ARGS)
{
	Predicate predicate = PredicateOrError(MeasureOrError(text_to_cstring(PG_GETARG_TEXT_PP(1))),
										   PG_GETARG_FLOAT8(0));
	double mean_size = PG_GETARG_FLOAT8(2);

	if (!(mean_size >= 0 && mean_size <= PG_INT32_MAX))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("mean size must be from 0 to %d", PG_INT32_MAX)));
	PG_RETURN_INT32((int32) (BitmapFilterWords(predicate, mean_size) * SIGNATURE_BITS_PER_WORD));
}
