/*
 * posting_bytes.h
 *		A list of postings as bytes.
 *
 * In the byte order of the server, since posting_pairs reads what posting_list_agg made beside it. A
 * header, then for each posting a StoredPosting and the words of its signature.
 */
#ifndef NEARDUP_POSTING_BYTES_H
#define NEARDUP_POSTING_BYTES_H

#define POSTING_BYTES_MAGIC 0x4e445031

typedef struct PostingBytesHeader
{
	uint32 magic;
	uint32 words;
} PostingBytesHeader;

typedef struct StoredPosting
{
	int64 key;
	uint32 size;
	uint32 position;
	uint8 side;
	uint8 part;
	uint8 unused[6];
} StoredPosting;

static inline Size
StoredPostingSize(uint32 words)
{
	return sizeof(StoredPosting) + words * sizeof(uint64);
}

#endif
