/*
 * posting_bytes.h
 *		A list of postings as the bytes of a bytea.
 *
 * The bytes are a header, and then for each posting a StoredPosting and the words of its signature.
 * They are unaligned, and in the byte order of the server: posting_list_agg and posting_pairs run
 * in one query on one shard, so that no other server reads them.
 */
#ifndef NEARDUP_POSTING_BYTES_H
#define NEARDUP_POSTING_BYTES_H

#define POSTING_BYTES_MAGIC 0x4e445031

typedef struct PostingBytesHeader
{
	uint32 magic;
	uint32 words; /* of each signature */
} PostingBytesHeader;

typedef struct StoredPosting
{
	int64 key;		 /* of the row */
	uint32 size;	 /* of its set, in tokens */
	uint32 position; /* of the token in the set's prefix, from 1 on; 0 if it has no position */
	uint8 side;		 /* POSTING_BOTH and so on */
	uint8 part;		 /* POSTING_WHOLE, or a part of a list that only meets the other part */
	uint8 unused[6];
} StoredPosting;

/* Returns the bytes of a posting and its signature. */
static inline Size
StoredPostingSize(uint32 words)
{
	return sizeof(StoredPosting) + words * sizeof(uint64);
}

#endif
