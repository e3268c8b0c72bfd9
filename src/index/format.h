/*
 * format.h
 *		The access method neardup: what its blocks hold.
 *
 * An index consists of a metapage, *segments* and *streams*.
 *
 * A segment is an inverted index of many sets. It is written once; later only the TIDs of dead rows
 * are made invalid. Each row is a *record*, and records are numbered in ascending order of size. So
 * the sizes that can be similar to a set are a range of record numbers. If a segment has two sets
 * of 3 tokens and four sets of 5, then its size classes are (size 3, first record 0) and (size 5,
 * first record 2), and a search for sizes from 4 on reads the records from 2 on. The pages of a
 * segment are counted from 0, through all its extents, and hold one part after the other:
 *
 *		sizes		an IndexSizeClass for each size, ascending
 *		tids		an ItemPointerData for each record; invalid once VACUUM has removed the row
 *		signatures	`signature_words` words for each record, in which each token toggles a bit
 *		postings	a list for each token, one after the other (postings.h)
 *		dictionary	an IndexEntry for each token, in the order of IndexTokenHash; each bucket of
 *					entries is a page, and pages for what did not fit follow the last bucket
 *
 * A posting is a record and the place of the token in this record. The tokens of a record are
 * ordered by their frequency in the segment, the rarest first, and tokens of equal frequency by
 * IndexTokenHash. So the place of a token is the number of the record's tokens that are rarer:
 * a record of 10 tokens has, from place 7 on, only 3. NULLs and empty sets are records of size 0,
 * which have no postings.
 *
 * A stream holds rows that were inserted one at a time: for each a PendingRow and then its tokens,
 * which may go over pages. There are two streams. Inserts append to the open one; the closed one
 * is being made a segment. The rows of both are called pending.
 *
 * The metapage says which blocks each part has, and all other blocks are free. A part that has
 * been replaced is *retired*. Scans that began earlier may still read it, therefore its blocks
 * become free only when no scan holds a pin on its first page. A scan takes these pins while it
 * holds the lock of the metapage.
 *
 * The special space of each page holds the number of its segment or stream, its owner. Numbers are
 * never used twice. A standby replays changes of pages without regard to pins, so that a scan
 * there may find a page that has been used again; it sees this by the owner, and fails.
 */
#ifndef NEARDUP_INDEX_FORMAT_H
#define NEARDUP_INDEX_FORMAT_H

#include "storage/block.h"
#include "storage/bufpage.h"
#include "storage/itemptr.h"

#include "index/format_hash.h"

#define INDEX_METAPAGE 0
#define INDEX_MAGIC 0x6e644958
#define INDEX_VERSION 2

/* Most extents of a part, most segments, and most retired parts that the metapage has room for. */
#define INDEX_EXTENTS 8
#define INDEX_SEGMENTS 24
#define INDEX_RETIRED 32

/* Neighbouring blocks. */
typedef struct IndexExtent
{
	BlockNumber first;
	uint32 blocks;
} IndexExtent;

/* The blocks of a segment or a stream, in the order of its pages. */
typedef struct IndexSpace
{
	uint32 extent_count;
	uint32 pages; /* of all extents together */
	IndexExtent extents[INDEX_EXTENTS];
} IndexSpace;

typedef struct IndexSegment
{
	uint64 id;			  /* owner of its pages */
	uint64 posting_count; /* postings of dead records included */
	uint32 record_count;  /* dead records included */
	uint32 dead_count;	  /* records whose TID is invalid */
	uint32 class_count;	  /* sizes that have records */
	uint32 token_count;	  /* distinct tokens */

	/* The first page of each part; the sizes begin at page 0. */
	uint32 tids;
	uint32 signatures;
	uint32 postings;
	uint32 dictionary;
	uint32 buckets; /* of the dictionary */
	uint32 unused;
	IndexSpace space;
} IndexSegment;

typedef struct IndexStream
{
	uint64 id; /* owner of its pages; 0 if there is no such stream */

	/* Where its rows begin and end, in bytes of payload. Rows before `start` are in a segment. */
	uint64 start;
	uint64 end;
	uint64 row_count; /* dead rows included */
	IndexSpace space;
} IndexStream;

/* A segment or stream that has been replaced, and that scans may still read. */
typedef struct IndexRetired
{
	uint64 id;
	IndexSpace space;
} IndexRetired;

typedef struct IndexMeta
{
	uint32 magic;
	uint32 version;
	uint64 next_id;			/* of the next segment or stream */
	uint32 signature_words; /* a power of two, fixed when the index is built */
	uint32 segment_count;
	uint32 retired_count;
	uint32 unused;
	IndexStream open;
	IndexStream closed;
	IndexSpace building; /* of the segment that is being written, or was when writing failed */
	IndexSegment segments[INDEX_SEGMENTS];
	IndexRetired retired[INDEX_RETIRED];
} IndexMeta;

#define IndexPageMeta(page) ((IndexMeta *) PageGetContents(page))

typedef struct IndexPageSpecial
{
	uint64 owner; /* the id of a segment or stream, 0 in the metapage */
	uint32 link;  /* postings: first record of the page; dictionary: the bucket's next page, or 0 */
	uint16 unused;
	uint16 page_id; /* INDEX_PAGE_ID, by which tools recognize pages of this access method */
} IndexPageSpecial;

#define INDEX_PAGE_ID 0xff9d

#define IndexPageSpecialOf(page) ((IndexPageSpecial *) PageGetSpecialPointer(page))

/* Bytes of a page that are left for contents, between its header and its special space. */
#define INDEX_PAYLOAD                                                                              \
	((uint32) (BLCKSZ - MAXALIGN(SizeOfPageHeaderData) - MAXALIGN(sizeof(IndexPageSpecial))))

/* Returns how many bytes of contents a page has. */
static inline uint32
IndexPageUsed(Page page)
{
	return ((PageHeader) page)->pd_lower - MAXALIGN(SizeOfPageHeaderData);
}

/* The records of one size: those from `first` to before the first of the next class. */
typedef struct IndexSizeClass
{
	uint32 size;  /* tokens of each record */
	uint32 first; /* record number */
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
 * A token and where its list is. A list of one posting has no blocks: the entry itself holds the
 * posting, its record in `page` and its place in `place`. Pages count from the first one of the
 * postings.
 */
typedef struct IndexEntry
{
	Token token;
	uint32 count;	  /* postings, at least 1 */
	uint32 page;	  /* where the first block is, or the record of the only posting */
	uint32 last_page; /* where the last block is; 0 for the only posting */
	uint16 offset;	  /* of the first block in the payload of its page, in bytes; 0 likewise */
	uint16 place;	  /* the end of the last block in the last page, or the only posting's place */
} IndexEntry;

#define ENTRIES_PER_PAGE (INDEX_PAYLOAD / (uint32) sizeof(IndexEntry))

/* The head of a pending row. `size` ascending tokens follow, which may go on in the next pages. */
typedef struct PendingRow
{
	ItemPointerData tid; /* invalid once VACUUM has removed the row */
	uint16 unused;
	uint32 size; /* tokens */
	uint32 unused2;
	uint64 signature; /* always of one word, whatever `signature_words` is */
} PendingRow;

/* What is on disk is laid out so on every platform; another layout needs another INDEX_VERSION. */
StaticAssertDecl(sizeof(IndexSpace) == 72 && sizeof(IndexRetired) == 80 &&
					 offsetof(IndexSegment, space) == 56 && sizeof(IndexSegment) == 128 &&
					 offsetof(IndexStream, space) == 32 && sizeof(IndexStream) == 104,
				 "parts of the metapage are laid out as on disk");
StaticAssertDecl(offsetof(IndexMeta, open) == 32 && offsetof(IndexMeta, segments) == 312 &&
					 offsetof(IndexMeta, retired) == 3384 && sizeof(IndexMeta) == 5944,
				 "the metapage is laid out as on disk");
StaticAssertDecl(sizeof(IndexPageSpecial) == 16 && sizeof(IndexSizeClass) == 8 &&
					 sizeof(ItemPointerData) == 6 && sizeof(IndexEntry) == 24 &&
					 sizeof(PendingRow) == 24,
				 "elements of pages have the sizes that they have on disk");
StaticAssertDecl(sizeof(IndexMeta) <= INDEX_PAYLOAD, "the metapage fits into a page");
StaticAssertDecl(sizeof(PendingRow) % sizeof(Token) == 0, "tokens after a head are aligned");
StaticAssertDecl(INDEX_PAYLOAD % sizeof(Token) == 0, "no token crosses the end of a page");

#endif
