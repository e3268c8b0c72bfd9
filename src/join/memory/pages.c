/*
 * pages.c
 *		Allocates the large arrays of a join on pages of their own, outside of malloc's heap.
 *
 * A join of spilled rows allocates and releases arrays of varying sizes thousands of times. In
 * malloc's heap, which can shrink only at its end, they would take a multiple of their bytes. So
 * each large array is a mapping of its own (mmap). New pages are expensive: the kernel of the
 * operating system clears each and enters it into tables, which takes longer than to fill it. So a
 * mapping that is released is kept for later arrays.
 *
 * What is kept never makes the join larger: arrays and kept mappings together have no more bytes
 * than the arrays alone had at most (most_bytes), but for LEAST_BYTES. When an array needs pages
 * beyond that, kept ones are given back, the oldest first. Between joins a session keeps some
 * mappings.
 *
 * A mapping begins with a head of a cache line, the array follows. A mapping is in one of two
 * lists, of arrays or of kept ones, or in none while a function works on it. It can be cut in two,
 * and neighbours that were cut can be joined again; only pieces of one call of mmap, an extent,
 * are, since the system can move no others as one.
 */
#include "postgres.h"

#include <sys/mman.h>
#include <unistd.h>

#include "lib/ilist.h"

#include "join/memory/pages.h"

/* New pages are populated by one call if they have this many bytes, at least and at most. */
#define LEAST_POPULATED ((Size) 64 * 1024)
#define MOST_POPULATED ((Size) 16 * 1024 * 1024)

/* No more pages of a growing array are populated at a time, since it may not come to need them. */
#define MOST_POPULATED_MORE ((Size) 1024 * 1024)

/* A growing array looks for a kept mapping this many times as large as it needs to be. */
#define ROOM_TO_GROW 4

/*
 * Bytes that arrays and kept mappings may have in any case: to give small ones back does not pay.
 */
#define LEAST_BYTES ((Size) 256 * 1024)

/* Bytes that a session keeps between joins, at most. */
#define MOST_SPARE ((Size) 32 * 1024 * 1024)

/* The head of a mapping. */
typedef union Mapping
{
	struct
	{
		dlist_node node;
		Size size;
		uint64 extent; /* number of the call that mapped or moved what it is a piece of */
	};
	char line[64];
} Mapping;

typedef struct MappingList
{
	dlist_head mappings; /* the last one that was added comes first */
	Size bytes;
} MappingList;

struct JoinPages
{
	Size page_size;
	MappingList arrays;
	MappingList kept;
	Size spare_bytes; /* what the session had kept before the join */
	Size most_bytes;  /* what arrays and kept mappings may have */
	MemoryContextCallback callback;
};

/* The mappings that the session keeps between joins. */
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

/* Gives pages back, the oldest first, until the list has at most this many bytes. */
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

/*
 * Returns the mapping with more pages, perhaps elsewhere; MAP_FAILED if the system has none left.
 */
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

/*
 * Returns a mapping of this size, with the content of one that is smaller and in no list, if there
 * is one. Raises an error if the system has no more pages.
 */
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
 * Has the system populate the pages of a mapping from an offset on, by one call instead of a fault
 * for each page. Populating clears the pages, so a large array's pages would be out of the caches
 * again when the join writes them: hence the upper limit.
 */
static void
populate(Mapping *mapping, Size from, Size size)
{
#ifdef MADV_POPULATE_WRITE
	if (size - from >= LEAST_POPULATED && size - from <= MOST_POPULATED)
		(void) madvise((char *) mapping + from, size - from, MADV_POPULATE_WRITE);
#endif
}

/* Returns whether a mapping begins where the other one ends, and both are of one extent. */
static inline bool
is_right_behind(const Mapping *mapping, const Mapping *other)
{
	return (const char *) other + other->size == (const char *) mapping &&
		   mapping->extent == other->extent;
}

/* Takes the kept mapping that is right behind another out of its list and returns it, or NULL. */
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

/* Keeps a mapping that is in no list, joined with its kept neighbours. */
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

/* Cuts a mapping that is in no list to a size, and returns the rest. */
static Mapping *
cut_mapping(Mapping *mapping, Size size)
{
	Mapping *rest = (Mapping *) ((char *) mapping + size);

	rest->size = mapping->size - size;
	rest->extent = mapping->extent;
	mapping->size = size;
	return rest;
}

/* Keeps what a mapping that is in no list has beyond the size. */
static void
keep_rest(JoinPages *pages, Mapping *mapping, Size size)
{
	if (mapping->size > size)
		keep(pages, cut_mapping(mapping, size));
}

/*
 * Returns the smallest kept mapping of at least this size, else the largest, NULL if none is kept.
 */
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

/* Gives back what must not be kept once there is another array of this size. */
static void
pages_make_room(JoinPages *pages, Size size)
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

/*
 * Returns a piece of this size from the end of a mapping that is in no list, or all of it if it is
 * no larger. The rest, before it, is kept: an array that ends there can grow into it.
 */
static Mapping *
take_end(JoinPages *pages, Mapping *mapping, Size size)
{
	Mapping *end;

	if (mapping->size <= size)
		return mapping;
	end = cut_mapping(mapping, mapping->size - size);
	add_mapping(&pages->kept, mapping);
	return end;
}

void *
JoinPagesAllocate(JoinPages *pages, Size size)
{
	Size needed = size_on_pages(pages, size);
	Mapping *mapping = best_kept(pages, needed);
	Size had = 0;

	/* To move many pages to a larger mapping takes longer than to map new ones. */
	if (mapping != NULL && mapping->size < needed && needed > MOST_POPULATED)
		mapping = NULL;
	if (mapping != NULL)
	{
		remove_mapping(&pages->kept, mapping);
		mapping = take_end(pages, mapping, needed);
		had = mapping->size;
	}
	pages_make_room(pages, needed);
	if (had < needed)
	{
		mapping = extend_or_error(mapping, needed);
		populate(mapping, had, needed);
	}
	return add_array(pages, mapping);
}

/*
 * Gives a mapping that is in no list more bytes without new pages: joins it with the kept one
 * behind it, or copies it into a kept one with room to grow. Returns it, still smaller than the
 * size if neither is possible.
 */
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
	/* To copy the array takes less time than new pages. */
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
	pages_make_room(pages, needed);
	had = mapping->size;
	if (had < needed)
	{
		mapping = extend_or_error(mapping, needed);
		if (needed - had <= MOST_POPULATED_MORE)
			populate(mapping, had, needed);
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

	/* After an error, arrays have not been released. */
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
