/*
 * passage_files.h
 *		Temporary files, as the kernel's host provides them for passages.
 *
 * A file is a sequence of pages. All that is kept in pages is an array of elements of 16 bytes.
 */
#ifndef NEARDUP_PASSAGES_PASSAGE_FILES_H
#define NEARDUP_PASSAGES_PASSAGE_FILES_H

#define PASSAGE_PAGE_BYTES Max(BLCKSZ, 8192)

/* Elements of a page. */
#define PASSAGE_PAGE (PASSAGE_PAGE_BYTES / 16)

/* The functions may leave the kernel by a long jump, as those of JoinHost may. */
typedef struct PassageFiles
{
	void *(*create)(void *context);
	/* Appends a page. */
	void (*write)(void *context, void *file, const void *page);
	void (*read)(void *context, void *file, uint64 number, void *page);
	void (*close)(void *context, void *file);
	void *context;
} PassageFiles;

#endif
