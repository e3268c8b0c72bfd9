/*
 * pages.c
 *		Large arrays of a join on pages of their own, outside of malloc's heap.
 *
 * From malloc, a join would take more memory than its arrays do. Once a large array was given
 * back to it, it takes others of that size from its heap (mallopt(3), M_MMAP_THRESHOLD), which
 * shrinks at its end only. A join block by block releases arrays of ever other sizes, thousands of
 * times, and the heap grows to a multiple of what is in it.
 *
 * So each array that is not small is a mapping, of whole pages. New pages for each block would cost
 * a sixth of the time of a join in 1MB, so what is released is kept for other arrays. But arrays
 * and kept pages together never exceed what the arrays alone took at most: by that the process
 * grows, and by no more. An array takes the kept mapping that fits best, and leaves the rest of it;
 * where none is large enough it takes the largest, with the pages that are missing, or new pages if
 * it is large.
 */
#include "postgres.h"

#include <sys/mman.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "lib/ilist.h"

#include "join/pages.h"

/* New pages, in bytes, that are asked for at once. */
#define LEAST_PROVIDED ((Size) 512 * 1024)
#define MOST_PROVIDED ((Size) 16 * 1024 * 1024)

/* What a mapping begins with; the array behind it stands at a line of the caches. */
typedef union Mapping
{
	struct
	{
		dlist_node node;
		Size size;
	};
	char line[64];
} Mapping;

struct JoinPages
{
	Size page_size;
	dlist_head arrays;
	dlist_head kept; /* the last one that was released first */
	Size array_bytes;
	Size kept_bytes;
	Size most_bytes; /* of arrays, since all that was kept was given back */
	MemoryContextCallback callback;
};

static void
unmap_all(dlist_head *mappings)
{
	while (!dlist_is_empty(mappings))
	{
		Mapping *mapping = dlist_container(Mapping, node, dlist_pop_head_node(mappings));

		(void) munmap(mapping, mapping->size);
	}
}

static void
end_pages(void *arg)
{
	JoinPages *pages = arg;

	unmap_all(&pages->arrays);
	unmap_all(&pages->kept);
}

JoinPages *
JoinPagesBegin(MemoryContext context)
{
	JoinPages *pages = MemoryContextAllocZero(context, sizeof(JoinPages));

	pages->page_size = sysconf(_SC_PAGESIZE);
	dlist_init(&pages->arrays);
	dlist_init(&pages->kept);
	pages->callback.func = end_pages;
	pages->callback.arg = pages;
	MemoryContextRegisterResetCallback(context, &pages->callback);
	return pages;
}

static void *
map(Size size)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* The mapping with more pages, maybe elsewhere; MAP_FAILED if they are not to be had. */
static void *
extend(Mapping *mapping, Size size)
{
#ifdef MREMAP_MAYMOVE
	return mremap(mapping, mapping->size, size, MREMAP_MAYMOVE);
#else
	void *extended = map(size);

	if (extended != MAP_FAILED)
	{
		memcpy(extended, mapping, mapping->size);
		(void) munmap(mapping, mapping->size);
	}
	return extended;
#endif
}

/* A mapping of this size with the content of one that is smaller and in no list, or NULL. */
static Mapping *
extend_or_error(Mapping *mapping, Size size)
{
	void *extended = mapping == NULL ? map(size) : extend(mapping, size);

	if (extended != MAP_FAILED)
		return extended;
	if (mapping != NULL)
		(void) munmap(mapping, mapping->size);
	ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory"),
					errdetail("Failed on an array of a similarity join.")));
}

/*
 * Has the operating system provide new pages at once. Else each costs a fault when it is first
 * written: a tenth of the time to index and join two million tokens. Not of a large array, whose
 * pages would be out of the caches when they are written.
 */
static void
provide(Mapping *mapping, Size from, Size size)
{
#ifdef MADV_POPULATE_WRITE
	/* Where that fails, all is as it would be. */
	if (size - from >= LEAST_PROVIDED && size - from <= MOST_PROVIDED)
		(void) madvise((char *) mapping + from, size - from, MADV_POPULATE_WRITE);
#endif
}

static void
keep(JoinPages *pages, Mapping *mapping, Size size)
{
	mapping->size = size;
	dlist_push_head(&pages->kept, &mapping->node);
	pages->kept_bytes += size;
}

/* Keeps what a mapping in no list has beyond the size. */
static void
keep_rest(JoinPages *pages, Mapping *mapping, Size size)
{
	if (mapping->size > size)
		keep(pages, (Mapping *) ((char *) mapping + size), mapping->size - size);
	mapping->size = Min(mapping->size, size);
}

static void
forget_kept(JoinPages *pages, Mapping *kept)
{
	dlist_delete(&kept->node);
	pages->kept_bytes -= kept->size;
}

/* The smallest kept mapping of at least this size, else the largest; NULL if there is none. */
static Mapping *
best_kept(JoinPages *pages, Size size)
{
	Mapping *best = NULL;
	dlist_iter iter;

	dlist_foreach(iter, &pages->kept)
	{
		Mapping *kept = dlist_container(Mapping, node, iter.cur);

		if (best == NULL || (best->size < size ? kept->size > best->size
											   : kept->size >= size && kept->size < best->size))
			best = kept;
	}
	return best;
}

/* Counts an array before its pages are there: what is kept makes room for them, the oldest first. */
static void
count_array(JoinPages *pages, Size size)
{
	pages->array_bytes += size;
	pages->most_bytes = Max(pages->most_bytes, pages->array_bytes);
	while (pages->array_bytes + pages->kept_bytes > pages->most_bytes)
	{
		Mapping *kept = dlist_tail_element(Mapping, node, &pages->kept);
		Size excess = pages->array_bytes + pages->kept_bytes - pages->most_bytes;
		Size left = kept->size - Min(kept->size, excess);

		pages->kept_bytes -= kept->size - left;
		if (left == 0)
			dlist_delete(&kept->node);
		(void) munmap((char *) kept + left, kept->size - left);
		if (left > 0)
			kept->size = left;
	}
}

static void *
add_array(JoinPages *pages, Mapping *mapping, Size size)
{
	mapping->size = size;
	dlist_push_head(&pages->arrays, &mapping->node);
	return mapping + 1;
}

static Mapping *
remove_array(JoinPages *pages, void *array)
{
	Mapping *mapping = (Mapping *) array - 1;

	dlist_delete(&mapping->node);
	pages->array_bytes -= mapping->size;
	return mapping;
}

static Size
size_on_pages(const JoinPages *pages, Size size)
{
	return TYPEALIGN(pages->page_size, size + sizeof(Mapping));
}

void *
JoinPagesAllocate(JoinPages *pages, Size size)
{
	Size needed = size_on_pages(pages, size);
	Mapping *mapping = best_kept(pages, needed);
	Size had = 0;

	/* To move the pages of a large array takes longer than to have new ones. */
	if (mapping != NULL && mapping->size < needed && needed > MOST_PROVIDED)
		mapping = NULL;
	if (mapping != NULL)
	{
		forget_kept(pages, mapping);
		keep_rest(pages, mapping, needed);
		had = mapping->size;
	}
	count_array(pages, needed);
	if (had < needed)
	{
		mapping = extend_or_error(mapping, needed);
		provide(mapping, had, needed);
	}
	return add_array(pages, mapping, needed);
}

void *
JoinPagesResize(JoinPages *pages, void *array, Size size)
{
	Mapping *mapping = remove_array(pages, array);
	Size had = mapping->size;
	Size needed = size_on_pages(pages, size);
	Mapping *kept = had < needed ? best_kept(pages, needed) : NULL;

	/* To copy what is there takes less time than to have new pages behind it. */
	if (kept != NULL && kept->size >= needed)
	{
		forget_kept(pages, kept);
		keep_rest(pages, kept, needed);
		memcpy(kept + 1, array, had - sizeof(Mapping));
		keep(pages, mapping, had);
		mapping = kept;
	}
	keep_rest(pages, mapping, needed);
	count_array(pages, needed);
	if (mapping->size < needed)
		mapping = extend_or_error(mapping, needed);
	return add_array(pages, mapping, needed);
}

void
JoinPagesRelease(JoinPages *pages, void *array)
{
	Mapping *mapping = remove_array(pages, array);

	keep(pages, mapping, mapping->size);
}

void
JoinPagesGiveBack(JoinPages *pages)
{
	unmap_all(&pages->kept);
	pages->kept_bytes = 0;
	pages->most_bytes = pages->array_bytes;
}

void
JoinHeapGiveBack(void)
{
#ifdef __GLIBC__
	(void) malloc_trim(0);
#endif
}
