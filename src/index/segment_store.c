/*
 * segment_store.c
 *		Where the pages of a segment are: in blocks of its index, or in a temporary file.
 *
 * A file is written from its first page to its last, and is then read by one merge. The merge reads
 * the tables and the dictionary in order, but the lists by their frequency in all sources together.
 * Lists of one frequency in the source come in the order in which they lie there, so the merge goes
 * through the file at a few places at a time, one for each frequency. Hence pages are kept: the
 * places mostly go on in the page where they were.
 */
#include "postgres.h"

#include "index/segment_store.h"

SegmentFile *
SegmentFileCreate(void)
{
	SegmentFile *file = palloc0(sizeof(SegmentFile));

	file->file = BufFileCreateTemp(false);
	return file;
}

void
SegmentFileClose(SegmentFile *file)
{
	BufFileClose(file->file);
	pfree(file);
}

void
SegmentFileWrite(SegmentFile *file, Page page)
{
	BufFileWrite(file->file, page, BLCKSZ);
}

void
SegmentFileCache(SegmentFile *file, uint32 pages)
{
	file->page_count = pages;
	file->pages = palloc_extended((Size) pages * BLCKSZ, MCXT_ALLOC_HUGE);
	file->numbers = palloc_extended((Size) pages * sizeof(uint32), MCXT_ALLOC_HUGE);
	memset(file->numbers, 0xff, (Size) pages * sizeof(uint32));
}

Page
SegmentFileRead(SegmentFile *file, uint32 page)
{
	uint32 place = page % file->page_count;
	char *at = file->pages + (Size) place * BLCKSZ;

	if (file->numbers[place] == page)
		return at;
	file->numbers[place] = PG_UINT32_MAX;
	if (BufFileSeekBlock(file->file, page) != 0 || BufFileRead(file->file, at, BLCKSZ) != BLCKSZ)
		ereport(ERROR, (errcode_for_file_access(),
						errmsg("could not read from temporary file of an index build")));
	file->numbers[place] = page;
	return at;
}
