/*
 * postings.c
 *		Packing and unpacking blocks of postings.
 */
#include "c.h"

#include "port/pg_bitutils.h"

#include "index/postings.h"

/* Returns the bits of the largest difference less 1; 0 if all records are neighbours. */
static uint32
difference_bits(const uint32 *records, uint32 count)
{
	uint32 all = 0;

	for (uint32 i = 1; i < count; i++)
		all |= records[i] - records[i - 1] - 1;
	return all == 0 ? 0 : pg_leftmost_one_pos32(all) + 1;
}

uint32
PostingBlockSize(const uint32 *records, uint32 count)
{
	return POSTING_BLOCK_HEADER + PostingDifferenceBytes(count, difference_bits(records, count)) +
		   count;
}

uint32
PostingBlockWrite(const uint32 *records, const uint8 *places, uint32 count, uint8 *bytes)
{
	uint32 bits = difference_bits(records, count);
	uint32 size = PostingDifferenceBytes(count, bits);
	uint8 *to = bytes + POSTING_BLOCK_HEADER;
	uint64 pending = 0;
	uint32 pending_bits = 0;

	memcpy(bytes, &records[0], sizeof(uint32));
	bytes[4] = (uint8) (count - 1);
	bytes[5] = (uint8) bits;
	for (uint32 i = 1; i < count; i++)
	{
		pending |= (uint64) (records[i] - records[i - 1] - 1) << pending_bits;
		for (pending_bits += bits; pending_bits >= 8; pending_bits -= 8)
		{
			*to++ = (uint8) pending;
			pending >>= 8;
		}
	}
	if (pending_bits > 0)
		*to = (uint8) pending;
	memcpy(bytes + POSTING_BLOCK_HEADER + size, places, count);
	return POSTING_BLOCK_HEADER + size + count;
}

/* A difference has up to 32 bits and begins within a byte, so that eight bytes always hold it. */
uint64
PostingBlockRecords(const PostingBlock *block, uint32 *records)
{
	uint64 mask = (UINT64CONST(1) << block->bits) - 1;
	uint64 record = block->first;
	uint32 bit = 0;

	records[0] = block->first;
	for (uint32 i = 1; i < block->count; i++, bit += block->bits)
	{
		const uint8 *at = block->differences + bit / 8;
		uint64 bytes = 0;

#ifdef WORDS_BIGENDIAN
		for (int k = 7; k >= 0; k--)
			bytes = bytes << 8 | at[k];
#else
		memcpy(&bytes, at, sizeof(bytes));
#endif
		record += (bytes >> (bit % 8) & mask) + 1;
		records[i] = (uint32) record;
	}
	return record;
}
