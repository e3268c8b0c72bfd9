/*
 * format.h
 *		The access method neardup: what its blocks hold.
 *
 * An index consists of a metapage, *segments* and *streams*.
 *
 * A segment is an inverted index of many sets, written once. Its records are numbered by size, so
 * that the sizes that can be similar are a range of numbers. Its pages, counted from 0 through all
 * its extents:
 *
 *		sizes		an IndexSizeClass for each size, ascending
 *		tids		an ItemPointerData for each record; invalid once vacuum has removed the row
 *		signatures	`signature_words` words for each record, a toggled bit for each token
 *		postings	the lists, one after the other (postings.h)
 *		dictionary	buckets of entries in the order of IndexTokenHash, each a page, then pages for
 *					what did not fit
 *
 * A posting is a record and the token's place in it, where tokens stand in the order of their
 * frequency in the segment, then of IndexTokenHash. NULLs and empty sets are records of size 0.
 *
 * A stream holds rows that were inserted one by one: PendingRow and tokens, appended over its
 * pages. There are two: inserts append to the open one, the closed one is being made a segment.
 *
 * The metapage says which blocks each of them has; all other blocks are free. What has been
 * replaced is *retired*: its blocks are free as soon as no scan pins its first page, which each
 * scan does while it holds the metapage's lock.
 *
 * The owner in a page's special space is the segment's or stream's number, never used twice. A
 * standby replays no pins: there, a scan finds another owner and fails.
 */
#ifndef NEARDUP_INDEX_FORMAT_H
#define NEARDUP_INDEX_FORMAT_H

#include "storage/block.h"
#include "storage/bufpage.h"
#include "storage/itemptr.h"

#include "text/tokens.h"

#define INDEX_METAPAGE 0
#define INDEX_MAGIC 0x6e644958
#define INDEX_VERSION 2

#define INDEX_EXTENTS 8
#define INDEX_SEGMENTS 24
#define INDEX_RETIRED 32

typedef struct IndexExtent
{
	BlockNumber first;
	uint32 blocks;
} IndexExtent;

/* Blocks of a segment or a stream, in the order of its pages. */
typedef struct IndexSpace
{
	uint32 extent_count;
	uint32 pages;
	IndexExtent extents[INDEX_EXTENTS];
} IndexSpace;

typedef struct IndexSegment
{
	uint64 id;
	uint64 posting_count;
	uint32 record_count;
	uint32 dead_count;
	uint32 class_count;
	uint32 token_count; /* distinct */

	/* First pages of its parts; that of the sizes is 0. */
	uint32 tids;
	uint32 signatures;
	uint32 postings;
	uint32 dictionary;
	uint32 buckets;
	uint32 unused;
	IndexSpace space;
} IndexSegment;

typedef struct IndexStream
{
	uint64 id;	  /* 0 if there is none */
	uint64 start; /* of its rows, in bytes of payload: those before are in a segment */
	uint64 end;
	uint64 row_count;
	IndexSpace space;
} IndexStream;

typedef struct IndexRetired
{
	uint64 id;
	IndexSpace space;
} IndexRetired;

typedef struct IndexMeta
{
	uint32 magic;
	uint32 version;
	uint64 next_id;
	uint32 signature_words;
	uint32 segment_count;
	uint32 retired_count;
	uint32 unused;
	IndexStream open;
	IndexStream closed;
	IndexSpace building; /* of a segment that is being written */
	IndexSegment segments[INDEX_SEGMENTS];
	IndexRetired retired[INDEX_RETIRED];
} IndexMeta;

#define IndexPageMeta(page) ((IndexMeta *) PageGetContents(page))

typedef struct IndexPageSpecial
{
	uint64 owner;
	uint32 link; /* postings: first record of the page; dictionary: its next page, or 0 */
	uint16 unused;
	uint16 page_id; /* for tools that tell pages apart */
} IndexPageSpecial;

#define INDEX_PAGE_ID 0xff9d

#define IndexPageSpecialOf(page) ((IndexPageSpecial *) PageGetSpecialPointer(page))

/* Bytes of a page. */
#define INDEX_PAYLOAD                                                                              \
	((uint32) (BLCKSZ - MAXALIGN(SizeOfPageHeaderData) - MAXALIGN(sizeof(IndexPageSpecial))))

/* Bytes that a page holds. */
static inline uint32
IndexPageUsed(Page page)
{
	return ((PageHeader) page)->pd_lower - MAXALIGN(SizeOfPageHeaderData);
}

typedef struct IndexSizeClass
{
	uint32 size;
	uint32 first; /* record */
} IndexSizeClass;

#define CLASSES_PER_PAGE (INDEX_PAYLOAD / (uint32) sizeof(IndexSizeClass))
#define TIDS_PER_PAGE (INDEX_PAYLOAD / (uint32) sizeof(ItemPointerData))

#define INDEX_MAX_SIGNATURE_WORDS 16

static inline uint32
SignaturesPerPage(uint32 words)
{
	return INDEX_PAYLOAD / (words * (uint32) sizeof(uint64));
}

/*
 * The order of an index's tokens: dictionaries ascend by this hash, and it decides the order of
 * tokens with the same frequency. No two tokens have the same hash. Another function is another
 * format, and needs another INDEX_VERSION.
 */
static inline uint64
IndexTokenHash(Token token)
{
	uint64 h = (uint64) token;

	h ^= h >> 32;
	return h * UINT64CONST(0x9e3779b97f4a7c15);
}

/* Returns the bucket of a token with this hash. Buckets ascend as hashes do. */
static inline uint32
IndexBucket(uint64 hash, uint32 buckets)
{
	return (uint32) ((hash >> 32) * buckets >> 32);
}

/* A bucket's entries are in the order of IndexTokenHash. */
typedef struct IndexEntry
{
	Token token;
	uint32 count; /* of postings, at least 1 */
	uint32 page;  /* from `postings` on; the only posting's record */
	uint32 last_page;
	uint16 offset; /* of the first block, in the payload */
	uint16 place;  /* of the only posting; else where the last block ends in the last page */
} IndexEntry;

#define ENTRIES_PER_PAGE (INDEX_PAYLOAD / (uint32) sizeof(IndexEntry))

/* Followed by `size` tokens, which may go on in the next pages. */
typedef struct PendingRow
{
	ItemPointerData tid;
	uint16 unused;
	uint32 size;
	uint32 unused2;
	uint64 signature;
} PendingRow;

StaticAssertDecl(sizeof(IndexMeta) <= INDEX_PAYLOAD, "the metapage is a page");
StaticAssertDecl(sizeof(PendingRow) % sizeof(Token) == 0, "tokens follow aligned");
StaticAssertDecl(INDEX_PAYLOAD % sizeof(Token) == 0, "tokens end with the page");

#endif
