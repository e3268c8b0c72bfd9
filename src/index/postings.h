/*
 * postings.h
 *		Blocks of postings.
 *
 * A list is cut into blocks of up to POSTINGS_PER_BLOCK postings, ascending by record. A block does
 * not go over the end of a page:
 *
 *		uint32	first record, in the byte order of the machine
 *		uint8	number of postings, less 1
 *		uint8	bits of a difference, 0 to 32
 *		differences of neighbouring records, less 1, packed from the lowest bit of each byte on
 *		uint8	place of each posting's token in its record, at most POSTING_MOST_PLACE
 *
 * For example, the records 7, 8, 12 and 13 have the differences 1, 4 and 1. Less 1 these are 0, 3
 * and 0, which need 2 bits each and fit into one byte, 00 11 00 in binary. With 6 bytes before it
 * and 4 places behind it, the block takes 11 bytes.
 */
#ifndef NEARDUP_INDEX_POSTINGS_H
#define NEARDUP_INDEX_POSTINGS_H

#define POSTINGS_PER_BLOCK 128

/* A place that is greater is stored as this one, which therefore means "255 or more". */
#define POSTING_MOST_PLACE 255

#define POSTING_BLOCK_HEADER (sizeof(uint32) + 2)

/* Unpacking may read this many bytes beyond the differences: a page's special space is larger. */
#define POSTING_OVERREAD 8

typedef struct PostingBlock
{
	uint32 first; /* record */
	uint32 count; /* postings */
	uint32 bits;  /* of a difference */
	const uint8 *differences;
	const uint8 *places; /* `count` of them */
	const uint8 *end;	 /* of the block */
} PostingBlock;

/* Returns the bytes that the differences of `count` postings take. */
static inline uint32
PostingDifferenceBytes(uint32 count, uint32 bits)
{
	return ((count - 1) * bits + 7) / 8;
}

/* Reads the header of a block, as it is. The caller checks that its figures are possible. */
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
 * Writes the records of a block, ascending; `records` has room for POSTINGS_PER_BLOCK. Returns the
 * last record, which is greater than 32 bits can hold if the block is damaged. Up to
 * POSTING_OVERREAD bytes beyond the differences are read.
 */
extern uint64 PostingBlockRecords(const PostingBlock *block, uint32 *records);

/* Returns the bytes that a block of these records takes; count is 1 to POSTINGS_PER_BLOCK. */
extern uint32 PostingBlockSize(const uint32 *records, uint32 count);

/* Writes the block, and returns its bytes: PostingBlockSize of them. */
extern uint32 PostingBlockWrite(const uint32 *records, const uint8 *places, uint32 count,
								uint8 *bytes);

#endif
