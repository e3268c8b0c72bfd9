/*
 * flat_counts.c
 *		Flat token counts.
 *
 * A flat form is little-endian on every platform, since nodes of a cluster may differ, and is read
 * and written byte by byte, since a tuple may have it at any alignment. Offsets in the data:
 *
 *		0	uint64	magic and version: "NDCOUNT1"
 *		8	float8	fraction
 *		16	int64	rows
 *		24	tokens, ascending: int64 token, int64 count (1 to rows)
 *
 * Equal counts have equal flat forms.
 */
#include "postgres.h"

#include "common/int.h"
#include "miscadmin.h"
#include "port/pg_bswap.h"
#include "utils/float.h"

#include "compat.h"
#include "counts/flat_counts.h"

#define COUNTS_MAGIC UINT64CONST(0x31544e554f43444e)
#define COUNTS_HEADER_SIZE 24
#define COUNTS_ENTRY_SIZE 16
#define COUNTS_SIZE(count) (VARHDRSZ + COUNTS_HEADER_SIZE + COUNTS_ENTRY_SIZE * (Size) (count))

static inline uint64
read_uint64(const char *from)
{
	uint64 value;

	memcpy(&value, from, sizeof(value));
#ifdef WORDS_BIGENDIAN
	value = pg_bswap64(value);
#endif
	return value;
}

static inline char *
write_uint64(char *to, uint64 value)
{
#ifdef WORDS_BIGENDIAN
	value = pg_bswap64(value);
#endif
	memcpy(to, &value, sizeof(value));
	return to + sizeof(value);
}

char *
FlatCountsWriteHeader(bytea *bytes, double fraction, int64 rows)
{
	char *to = write_uint64(VARDATA(bytes), COUNTS_MAGIC);
	uint64 bits;

	memcpy(&bits, &fraction, sizeof(bits));
	return write_uint64(write_uint64(to, bits), (uint64) rows);
}

char *
FlatCountsWrite(char *to, Token token, int64 count)
{
	return write_uint64(write_uint64(to, (uint64) token), (uint64) count);
}

TokenCount
FlatCountsRead(const FlatCounts *flat, Size i)
{
	const char *from = flat->entries + i * COUNTS_ENTRY_SIZE;
	TokenCount entry = {(Token) read_uint64(from), (int64) read_uint64(from + 8), 0};

	return entry;
}

/* Raises invalid_binary_representation. */
static void
invalid_state(const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("invalid state of an aggregate of tokens"), errdetail_internal("%s", detail)));
}

FlatCounts
FlatCountsCheck(const bytea *bytes)
{
	const char *data = VARDATA(bytes);
	Size size = VARSIZE(bytes) - VARHDRSZ;
	FlatCounts flat;
	uint64 bits;

	if (size < COUNTS_HEADER_SIZE || (size - COUNTS_HEADER_SIZE) % COUNTS_ENTRY_SIZE != 0)
		invalid_state("It has a wrong length.");
	if (read_uint64(data) != COUNTS_MAGIC)
		invalid_state("It does not begin as such a state does.");

	bits = read_uint64(data + 8);
	memcpy(&flat.fraction, &bits, sizeof(bits));
	flat.rows = (int64) read_uint64(data + 16);
	flat.entries = data + COUNTS_HEADER_SIZE;
	flat.count = (size - COUNTS_HEADER_SIZE) / COUNTS_ENTRY_SIZE;
	if (!(flat.fraction >= 0 && flat.fraction < 1) || flat.rows < 1)
		invalid_state("Its fraction or its number of rows is out of range.");

	for (Size i = 0; i < flat.count; i++)
	{
		TokenCount entry = FlatCountsRead(&flat, i);

		if (entry.count < 1 || entry.count > flat.rows)
			invalid_state("A count is out of range.");
		if (i > 0 && FlatCountsRead(&flat, i - 1).token >= entry.token)
			invalid_state("Its tokens do not ascend.");
		CHECK_FOR_INTERRUPTS();
	}
	return flat;
}

void
CountsCheckSameFraction(double a, double b)
{
	if (a != b)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("fraction must be the same in all rows"),
						errdetail("It is %s in one row and %s in another.", float8out_internal(a),
								  float8out_internal(b))));
}

int64
CountsAddRows(int64 a, int64 b)
{
	int64 sum;

	if (pg_add_s64_overflow(a, b, &sum))
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("too many rows for an aggregate of tokens")));
	return sum;
}

/* Returns the size. Raises program_limit_exceeded if it is above 1 GB. */
static Size
check_counts_size(Size size)
{
	if (size > MaxAllocSize)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("state of an aggregate of tokens is too large"),
						errdetail("It may have at most %zu distinct tokens.",
								  (MaxAllocSize - COUNTS_SIZE(0)) / COUNTS_ENTRY_SIZE),
						errhint("Aggregate a sample of the rows, or without parallel workers.")));
	return size;
}

Size
FlatCountsSize(Size count)
{
	return check_counts_size(COUNTS_SIZE(count));
}

bytea *
FlatCountsOfRow(const Tokenset *set, double fraction)
{
	int32 count = TokensetCount(set);
	bytea *result = palloc(FlatCountsSize(count));
	char *to = FlatCountsWriteHeader(result, fraction, 1);

	for (int32 i = 0; i < count; i++)
	{
		to = FlatCountsWrite(to, set->tokens[i], 1);
		CHECK_FOR_INTERRUPTS();
	}
	SET_VARSIZE(result, to - (char *) result);
	return result;
}

bytea *
FlatCountsMerge(bytea *a, bytea *b)
{
	FlatCounts left = FlatCountsCheck(a);
	FlatCounts right = FlatCountsCheck(b);
	Size i = 0;
	Size j = 0;
	bytea *result;
	char *to;

	CountsCheckSameFraction(left.fraction, right.fraction);
	result = palloc_extended(COUNTS_SIZE(left.count + right.count), MCXT_ALLOC_HUGE);
	to = FlatCountsWriteHeader(result, left.fraction, CountsAddRows(left.rows, right.rows));

	while (i < left.count || j < right.count)
	{
		TokenCount x = i < left.count ? FlatCountsRead(&left, i) : FlatCountsRead(&right, j);
		TokenCount y = j < right.count ? FlatCountsRead(&right, j) : x;
		bool takes_x = i < left.count && x.token <= y.token;
		bool takes_y = j < right.count && y.token <= x.token;

		to = FlatCountsWrite(to, takes_x ? x.token : y.token,
							 (takes_x ? x.count : 0) + (takes_y ? y.count : 0));
		i += takes_x;
		j += takes_y;
		CHECK_FOR_INTERRUPTS();
	}
	SET_VARSIZE(result, check_counts_size(to - (char *) result));
	return result;
}

Size
FlatCountsMostTokens(const bytea *counts)
{
	return VARSIZE(counts) / COUNTS_ENTRY_SIZE;
}
