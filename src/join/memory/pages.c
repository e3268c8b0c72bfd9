/*
 * pages.c
 *		Large arrays of a join on pages of their own, outside of malloc's heap.
 *
 * A join part by part releases arrays of ever other sizes thousands of times;
 * in malloc's heap, which shrinks at its end only, they would take a multiple
 * of their bytes. So each large array is a mapping, and one that is released
 * is kept for others, since new pages take longer than what is written to
 * them. Arrays and kept pages together never exceed what the arrays alone
 * took at most, or a little. Between joins, the session keeps some.
 */
#include "postgres.h"

#include <sys/mman.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "lib/ilist.h"

#include "join/memory/pages.h"

/* Bytes of new pages that are asked for at once; the last, of an array that grows. */
#define LEAST_PROVIDED ((Size) 64 * 1024)
#define MOST_PROVIDED ((Size) 16 * 1024 * 1024)
#define MOST_PROVIDED_MORE ((Size) 1024 * 1024)

/* A growing array takes a kept mapping this many times larger, if there is one. */
#define ROOM_TO_GROW 4

/* Arrays and kept pages may take this much in any case, since to map a page takes longer than to use it. */
#define LEAST_BYTES ((Size) 256 * 1024)

/* Bytes that a session keeps between joins, at most. */
#define MOST_SPARE ((Size) 32 * 1024 * 1024)

/* The head of a mapping, a cache line before the array. */
typedef union Mapping
{
	struct
	{
		dlist_node node;
		Size size;
		uint64 extent; /* mappings of one extent can be joined and moved as one */
	};
	char line[64];
} Mapping;

typedef struct MappingList
{
	dlist_head mappings; /* the last one that was added first */
	Size bytes;
} MappingList;

struct JoinPages
{
	Size page_size;
	MappingList arrays;
	MappingList kept;
	Size spare_bytes; /* that were there before the join */
	Size most_bytes;  /* of arrays, since what was kept was given back */
	MemoryContextCallback callback;
};

/* What the session's last join left. */
static MappingList spare = {DLIST_STATIC_INIT(spare.mappings), 0};

static uint64 extents = 0;

static void
add_mapping(MappingList *list, Mapping *mapping)
{
	dlist_push_head(&list->mappings, &mapping->node);
	list->bytes += mapping->size;
}

static void
remove_mapping(MappingList *list, Mapping *mapping)
{
	dlist_delete(&mapping->node);
	list->bytes -= mapping->size;
}

/* Gives pages back until there are no more than so many bytes, the oldest first. */
static void
shrink_list(MappingList *list, Size most_bytes)
{
	while (list->bytes > most_bytes)
	{
		Mapping *mapping = dlist_tail_element(Mapping, node, &list->mappings);
		Size excess = Min(mapping->size, list->bytes - most_bytes);
		Size left = mapping->size - excess;

		list->bytes -= excess;
		if (left == 0)
			dlist_delete(&mapping->node);
		else
			mapping->size = left;
		(void) munmap((char *) mapping + left, excess);
	}
}

static void
move_mappings(MappingList *to, MappingList *from)
{
	while (!dlist_is_empty(&from->mappings))
	{
		Mapping *mapping = dlist_tail_element(Mapping, node, &from->mappings);

		remove_mapping(from, mapping);
		add_mapping(to, mapping);
	}
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
	Mapping *extended = mapping == NULL ? map(size) : extend(mapping, size);

	if (extended != MAP_FAILED)
	{
		extended->size = size;
		extended->extent = ++extents;
		return extended;
	}
	if (mapping != NULL)
		(void) munmap(mapping, mapping->size);
	ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory"),
					errdetail("Failed on an array of a similarity join.")));
}

/*
 * Asks for the pages at once instead of by a fault each. Those of a large array
 * would be out of the caches when they are written.
 */
static void
provide(Mapping *mapping, Size from, Size size)
{
#ifdef MADV_POPULATE_WRITE
	if (size - from >= LEAST_PROVIDED && size - from <= MOST_PROVIDED)
		(void) madvise((char *) mapping + from, size - from, MADV_POPULATE_WRITE);
#endif
}

static inline bool
is_right_behind(const Mapping *mapping, const Mapping *other)
{
	return (const char *) other + other->size == (const char *) mapping &&
		   mapping->extent == other->extent;
}

/* Takes what is kept right behind a mapping out of its list, or NULL. */
static Mapping *
take_behind(JoinPages *pages, const Mapping *mapping)
{
	dlist_iter iter;

	dlist_foreach(iter, &pages->kept.mappings)
	{
		Mapping *kept = dlist_container(Mapping, node, iter.cur);

		if (is_right_behind(kept, mapping))
		{
			remove_mapping(&pages->kept, kept);
			return kept;
		}
	}
	return NULL;
}

/* Keeps a mapping in no list, merged with its neighbours. */
static void
keep(JoinPages *pages, Mapping *mapping)
{
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, &pages->kept.mappings)
	{
		Mapping *kept = dlist_container(Mapping, node, iter.cur);

		if (is_right_behind(kept, mapping))
		{
			remove_mapping(&pages->kept, kept);
			mapping->size += kept->size;
		}
		else if (is_right_behind(mapping, kept))
		{
			remove_mapping(&pages->kept, kept);
			kept->size += mapping->size;
			mapping = kept;
		}
	}
	add_mapping(&pages->kept, mapping);
}

/* Cuts a mapping in no list at so many bytes. */
static Mapping *
cut(Mapping *mapping, Size size)
{
	Mapping *rest = (Mapping *) ((char *) mapping + size);

	rest->size = mapping->size - size;
	rest->extent = mapping->extent;
	mapping->size = size;
	return rest;
}

/* Keeps what a mapping in no list has beyond the size. */
static void
keep_rest(JoinPages *pages, Mapping *mapping, Size size)
{
	if (mapping->size > size)
		keep(pages, cut(mapping, size));
}

/* The smallest kept mapping of at least this size, else the largest; NULL if there is none. */
static Mapping *
best_kept(JoinPages *pages, Size size)
{
	Mapping *best = NULL;
	dlist_iter iter;

	dlist_foreach(iter, &pages->kept.mappings)
	{
		Mapping *kept = dlist_container(Mapping, node, iter.cur);

		if (best == NULL || (best->size < size ? kept->size > best->size
											   : kept->size >= size && kept->size < best->size))
			best = kept;
	}
	return best;
}

/* Before an array of this size has its pages. */
static void
make_room(JoinPages *pages, Size size)
{
	Size array_bytes = pages->arrays.bytes + size;

	pages->most_bytes = Max(pages->most_bytes, array_bytes);
	shrink_list(&pages->kept, pages->most_bytes - array_bytes);
}

static void *
add_array(JoinPages *pages, Mapping *mapping)
{
	add_mapping(&pages->arrays, mapping);
	return mapping + 1;
}

static Mapping *
remove_array(JoinPages *pages, void *array)
{
	Mapping *mapping = (Mapping *) array - 1;

	remove_mapping(&pages->arrays, mapping);
	return mapping;
}

static Size
size_on_pages(const JoinPages *pages, Size size)
{
	return TYPEALIGN(pages->page_size, size + sizeof(Mapping));
}

/* The end of a mapping in no list; the rest is kept, since what stands before it may grow. */
static Mapping *
take_end(JoinPages *pages, Mapping *mapping, Size size)
{
	Mapping *end;

	if (mapping->size <= size)
		return mapping;
	end = cut(mapping, mapping->size - size);
	add_mapping(&pages->kept, mapping);
	return end;
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
		remove_mapping(&pages->kept, mapping);
		mapping = take_end(pages, mapping, needed);
		had = mapping->size;
	}
	make_room(pages, needed);
	if (had < needed)
	{
		mapping = extend_or_error(mapping, needed);
		provide(mapping, had, needed);
	}
	return add_array(pages, mapping);
}

/* A mapping in no list with what is kept behind it, or moved into a kept one, if either has this size. */
static Mapping *
grow_into_kept(JoinPages *pages, Mapping *mapping, Size size)
{
	Size had = mapping->size;
	Mapping *kept = take_behind(pages, mapping);

	if (kept != NULL)
		mapping->size += kept->size;
	if (mapping->size >= size)
		return mapping;
	kept = best_kept(pages, size * ROOM_TO_GROW);
	if (kept == NULL || kept->size < size)
		return mapping;
	/* Copying takes less time than new pages. */
	remove_mapping(&pages->kept, kept);
	memcpy(kept + 1, mapping + 1, had - sizeof(Mapping));
	keep(pages, mapping);
	return kept;
}

void *
JoinPagesResize(JoinPages *pages, void *array, Size size)
{
	Mapping *mapping = remove_array(pages, array);
	Size needed = size_on_pages(pages, size);
	Size had;

	if (mapping->size < needed)
		mapping = grow_into_kept(pages, mapping, needed);
	keep_rest(pages, mapping, needed);
	make_room(pages, needed);
	had = mapping->size;
	if (had < needed)
	{
		mapping = extend_or_error(mapping, needed);
		if (needed - had <= MOST_PROVIDED_MORE)
			provide(mapping, had, needed);
	}
	return add_array(pages, mapping);
}

void
JoinPagesRelease(JoinPages *pages, void *array)
{
	keep(pages, remove_array(pages, array));
}

static void
end_pages(void *arg)
{
	JoinPages *pages = arg;

	/* After an error. */
	while (!dlist_is_empty(&pages->arrays.mappings))
		JoinPagesRelease(pages, dlist_head_element(Mapping, node, &pages->arrays.mappings) + 1);
	move_mappings(&spare, &pages->kept);
	shrink_list(&spare, MOST_SPARE);
}

JoinPages *
JoinPagesBegin(MemoryContext context)
{
	JoinPages *pages = MemoryContextAllocZero(context, sizeof(JoinPages));

	pages->page_size = sysconf(_SC_PAGESIZE);
	dlist_init(&pages->arrays.mappings);
	dlist_init(&pages->kept.mappings);
	move_mappings(&pages->kept, &spare);
	pages->spare_bytes = pages->kept.bytes;
	pages->most_bytes = Max(pages->spare_bytes, LEAST_BYTES);
	pages->callback.func = end_pages;
	pages->callback.arg = pages;
	MemoryContextRegisterResetCallback(context, &pages->callback);
	return pages;
}

void
JoinPagesGiveBack(JoinPages *pages)
{
	pages->most_bytes = Max(Max(pages->spare_bytes, pages->arrays.bytes), LEAST_BYTES);
	shrink_list(&pages->kept, pages->most_bytes - pages->arrays.bytes);
}

void
JoinHeapGiveBack(void)
{
#ifdef __GLIBC__
	(void) malloc_trim(0);
#endif
}
