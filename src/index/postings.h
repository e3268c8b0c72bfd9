/*
 * postings.h
 *		Lists of postings, in blocks.
 *
 * A block stands in one page:
 *
 *		uint32	first record
 *		uint8	number of postings, less 1
 *		uint8	bits of a difference
 *		differences of neighbouring records, less 1, packed from the lowest bit on
 *		uint8	place of each posting's token in its record, at most POSTING_MOST_PLACE
 */
#ifndef NEARDUP_INDEX_POSTINGS_H
#define NEARDUP_INDEX_POSTINGS_H

#define POSTINGS_PER_BLOCK 128

/* Greater places are stored as this. */
#define POSTING_MOST_PLACE 255

#define POSTING_BLOCK_HEADER (sizeof(uint32) + 2)

/* Bytes beyond a block that may be read. */
#define POSTING_OVERREAD 8

typedef struct PostingBlock
{
	uint32 first;
	uint32 count;
	uint32 bits;
	const uint8 *differences;
	const uint8 *places;
	const uint8 *end;
} PostingBlock;

static inline uint32
PostingDifferenceBytes(uint32 count, uint32 bits)
{
	return ((count - 1) * bits + 7) / 8;
}

/* The header of a block. */
static inline PostingBlock
PostingBlockOpen(const uint8 *bytes)
{
	PostingBlock block;

	memcpy(&block.first, bytes, sizeof(uint32));
	block.count = (uint32) bytes[4] + 1;
	block.bits = bytes[5];
	block.differences = bytes + POSTING_BLOCK_HEADER;
	block.places = block.differences + PostingDifferenceBytes(block.count, block.bits);
	block.end = block.places + block.count;
	return block;
}

/*
 * Records, ascending, of a block of at most POSTINGS_PER_BLOCK; reads up to POSTING_OVERREAD bytes
 * beyond the differences. Returns the last record, beyond 32 bits if the block is damaged.
 */
extern uint64 PostingBlockRecords(const PostingBlock *block, uint32 *records);

/* Bytes of a block of 1 .. POSTINGS_PER_BLOCK postings. */
extern uint32 PostingBlockSize(const uint32 *records, uint32 count);

/* Writes it; returns its bytes. */
extern uint32 PostingBlockWrite(const uint32 *records, const uint8 *places, uint32 count,
								uint8 *bytes);

#endif
