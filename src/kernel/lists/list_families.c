/*
 * list_families.c
 *		Splits slices, and joins families.
 */
#include "c.h"

#include "kernel/filters/bitmap_filter.h"
#include "kernel/lists/list_families.h"
#include "kernel/records/key_sort.h"

/* Fewer entries of one size and position are not worth a family. */
#define LEAST_FAMILY 64

/* An entry is compared with so many at first, and up to MOST_STEP, before it is asked again. */
#define FIRST_STEP 16
#define MOST_STEP 512

/* Entries that have ceased to be open are removed before each group of this many. */
#define ENTRIES_PER_SWEEP 64

/* If fewer than this part of a range is open, these are compared one by one. */
#define FEW_OPEN_PART 8

#define NO_FAMILY PG_UINT32_MAX

typedef struct Family
{
	uint32 first;
	uint32 end;
	uint32 size;
	uint32 position;
} Family;

/* The numbers of families first .. end - 1. */
typedef struct FamilyRange
{
	uint32 first;
	uint32 end;
} FamilyRange;

struct ListFamilies
{
	ListEntries *list;
	ListCandidates *candidates;
	const OpenBest *demand;
	JoinHost *host;
	SignatureScan scan;

	Family *families;
	uint32 count;
	uint32 capacity;
	FamilyRange of_slice[LIST_SLICES];

	/* By position, of one size: the number of entries, and their family. */
	uint32 *position_counts;
	uint32 *position_families;
	uint32 positions;

	KeyedItem *members; /* entries of families, by family and place */
	uint32 *open;		/* entries of a family that may want a later one, ascending */
	uint32 member_capacity;

	uint32 near[MOST_STEP];
	uint32 distances[MOST_STEP];
};

/* What is the same for each pair of two families, or of an entry and a family. */
typedef struct Meeting
{
	bool is_possible;		  /* whether any pair can be similar */
	double best;			  /* the least distance of a pair */
	uint32 greatest_distance; /* of signatures */
} Meeting;

ListFamilies *
ListFamiliesBegin(ListEntries *list, ListCandidates *candidates, const OpenBest *demand)
{
	const JoinSpec *spec = list->index->spec;
	JoinHost *host = spec->records->host;
	ListFamilies *families = JoinAllocateZero(host, 1, sizeof(ListFamilies));

	families->list = list;
	families->candidates = candidates;
	families->demand = demand;
	families->host = host;
	families->scan = SignatureScanBest();
	for (uint32 c = 0; c < spec->records->class_count; c++)
		families->positions = Max(families->positions, spec->classes[c].probing_prefix);
	families->position_counts = JoinAllocateZero(host, families->positions, sizeof(uint32));
	families->position_families = JoinAllocate(host, families->positions, sizeof(uint32));
	memset(families->position_families, 0xFF, families->positions * sizeof(uint32));
	return families;
}

void
ListFamiliesEnd(ListFamilies *families)
{
	JoinHost *host = families->host;

	JoinRelease(host, families->position_counts, families->positions, sizeof(uint32));
	JoinRelease(host, families->position_families, families->positions, sizeof(uint32));
	JoinRelease(host, families->members, families->member_capacity, sizeof(KeyedItem));
	JoinRelease(host, families->open, families->member_capacity, sizeof(uint32));
	JoinRelease(host, families->families, families->capacity, sizeof(Family));
	JoinRelease(host, families, 1, sizeof(ListFamilies));
}

static void
ensure_members(ListFamilies *families, uint32 count)
{
	uint32 old = families->member_capacity;

	if (count <= old)
		return;
	count = Max(count, old + old / 2);
	families->members =
		JoinEnlarge(families->host, families->members, old, count, sizeof(KeyedItem));
	families->open = JoinEnlarge(families->host, families->open, old, count, sizeof(uint32));
	families->member_capacity = count;
}

/* Returns the number of a new family. */
static uint32
add_family(ListFamilies *families, const ListEntry *entry)
{
	if (families->count == families->capacity)
	{
		uint32 capacity = Max(families->capacity * 2, 16);

		families->families = JoinEnlarge(families->host, families->families, families->capacity,
										 capacity, sizeof(Family));
		families->capacity = capacity;
	}
	families->families[families->count] =
		(Family){.size = families->list->index->classes[entry->size_class].size,
				 .position = entry->position};
	return families->count++;
}

/*
 * Appends the members of the families among entries first .. end - 1, which have one size, to
 * `members`, and moves the others to `rest`. Returns the new number of members.
 */
static uint32
find_families(ListFamilies *families, EntryRange range, uint32 count, uint32 *rest)
{
	const ListEntry *entries = families->list->entries;
	const uint32 *places = families->demand->best->places;
	uint32 *counts = families->position_counts;
	uint32 *numbers = families->position_families;

	for (uint32 i = range.first; i < range.end; i++)
		counts[entries[i].position]++;
	for (uint32 i = range.first; i < range.end; i++)
	{
		uint32 position = entries[i].position;

		if (counts[position] < LEAST_FAMILY)
		{
			families->open[(*rest)++] = i;
			continue;
		}
		if (numbers[position] == NO_FAMILY)
			numbers[position] = add_family(families, &entries[i]);
		families->members[count++] = (KeyedItem){
			.key = (uint64) numbers[position] << 32 | places[entries[i].record], .item = i};
	}
	for (uint32 i = range.first; i < range.end; i++)
	{
		counts[entries[i].position] = 0;
		numbers[entries[i].position] = NO_FAMILY;
	}
	JoinTick(families->host, range.end - range.first);
	return count;
}

/* Copies an entry to another place of the list's arrays. */
static inline void
copy_entry(ListEntries *list, uint32 to, uint32 from)
{
	list->entries[to] = list->entries[from];
	for (uint32 w = 0; w < list->signatures.words; w++)
		list->signatures.planes[w][to] = list->signatures.planes[w][from];
}

/* Puts the rest of a slice first, then its families, which were found and get their ranges. */
static void
move_members(ListFamilies *families, EntryRange slice, uint32 rest, uint32 count)
{
	ListEntries *list = families->list;
	uint32 spare = ListEntriesSpare(list, count);

	JoinTick(families->host, 2 * (uint64) count + rest);
	for (uint32 i = 0; i < count; i++)
	{
		Family *family = &families->families[families->members[i].key >> 32];

		copy_entry(list, spare + i, families->members[i].item);
		if (family->end == 0)
			family->first = slice.first + rest + i;
		family->end = slice.first + rest + i + 1;
	}
	for (uint32 i = 0; i < rest; i++)
		copy_entry(list, slice.first + i, families->open[i]);
	for (uint32 i = 0; i < count; i++)
		copy_entry(list, slice.first + rest + i, spare + i);
}

/* Splits a slice, and returns its rest. */
static EntryRange
split_slice(ListFamilies *families, EntryRange slice)
{
	const ListEntry *entries = families->list->entries;
	uint32 count = 0;
	uint32 rest = 0;

	if (slice.end - slice.first < LEAST_FAMILY)
		return slice;
	ensure_members(families, slice.end - slice.first);
	for (uint32 first = slice.first, end; first < slice.end; first = end)
	{
		for (end = first + 1; end < slice.end; end++)
		{
			if (entries[end].size_class != entries[first].size_class)
				break;
		}
		count = find_families(families, (EntryRange){first, end}, count, &rest);
	}
	if (count == 0)
		return slice;
	KeySort(families->members, count, NULL, NULL, families->host);
	move_members(families, slice, rest, count);
	return (EntryRange){slice.first, slice.first + rest};
}

void
ListFamiliesSplit(ListFamilies *families, EntryRange *slices)
{
	families->count = 0;
	for (uint32 s = 0; s < LIST_SLICES; s++)
	{
		families->of_slice[s].first = families->count;
		slices[s] = split_slice(families, slices[s]);
		families->of_slice[s].end = families->count;
	}
}

static Meeting
meeting_of(const ListFamilies *families, int64 x_size, uint32 x_position, const Family *y)
{
	const ListIndex *index = families->list->index;
	int64 least = LeastOverlap(&index->least_overlaps, x_size, y->size);
	int64 rest = Min(x_size - x_position, (int64) y->size - y->position);

	return (Meeting){.is_possible = least > 0 && rest >= least,
					 .best = OpenBestDistance(families->demand, rest, x_size, y->size),
					 .greatest_distance = BitmapFilterDistance(x_size, y->size, least)};
}

/* Returns whether entry x wants a pair with entry y, or with one behind it in its family. */
static inline bool
wants(const ListFamilies *families, const Meeting *meeting, uint32 x, uint32 y)
{
	const ListEntry *entries = families->list->entries;

	return OpenBestWants(families->demand, entries[x].record, entries[y].record, meeting->best);
}

static inline void
add_near_pair(ListFamilies *families, uint32 x, uint32 y, uint32 distance)
{
	const ListEntry *x_entry = &families->list->entries[x];
	const ListEntry *y_entry = &families->list->entries[y];

	if (x_entry->previous != y_entry->previous || x_entry->position == 0)
		ListCandidatesAdd(families->candidates, x_entry, y_entry, distance);
}

/* Compares entry x with the entries first .. end - 1 of a family, at most MOST_STEP. */
static void
compare_step(ListFamilies *families, const Meeting *meeting, uint32 x, uint32 first, uint32 end)
{
	uint32 count =
		families->scan.one(&families->list->signatures, x, first, end, meeting->greatest_distance,
						   families->near, families->distances);

	JoinTick(families->host, end - first);
	for (uint32 i = 0; i < count; i++)
		add_near_pair(families, x, families->near[i], families->distances[i]);
}

/*
 * Compares entry x with the entries first .. end - 1 of a family, as long as it wants further ones.
 * Returns where it ends.
 */
static uint32
meet_wanted(ListFamilies *families, const Meeting *meeting, uint32 x, uint32 first, uint32 end)
{
	uint32 step = FIRST_STEP;

	while (first < end && wants(families, meeting, x, first))
	{
		uint32 stop = Min(first + step, end);

		compare_step(families, meeting, x, first, stop);
		ListCandidatesVerify(families->candidates);
		first = stop;
		step = Min(step * 2, MOST_STEP);
	}
	return first;
}

/* Compares entry x with the open entries among first .. end - 1. */
static void
meet_open(ListFamilies *families, const Meeting *meeting, uint32 x, uint32 first, uint32 end,
		  uint32 open)
{
	if (open >= (end - first) / FEW_OPEN_PART)
	{
		for (uint32 stop; open > 0 && first < end; first = stop)
		{
			stop = Min(first + MOST_STEP, end);
			compare_step(families, meeting, x, first, stop);
		}
		return;
	}
	for (uint32 i = 0; i < open; i++)
	{
		uint32 y = families->open[i];
		uint32 distance;

		if (y < first || !wants(families, meeting, y, x))
			continue;
		distance = SignatureDistance(&families->list->signatures, x, y);
		if (distance <= meeting->greatest_distance)
			add_near_pair(families, x, y, distance);
	}
	JoinTick(families->host, open);
}

/* Compares entry x with those entries of a family by whom, or by x, the pair is wanted. */
static void
meet_family(ListFamilies *families, const Meeting *meeting, uint32 x, EntryRange range, uint32 open)
{
	if (families->demand->best->of != BEST_OF_BOTH)
		range.first = meet_wanted(families, meeting, x, range.first, range.end);
	else if (range.first == range.end || !wants(families, meeting, x, range.first))
		return;
	meet_open(families, meeting, x, range.first, range.end, open);
}

/* Removes entries that no longer want entry x or one behind it; returns how many are left. */
static uint32
keep_open(ListFamilies *families, const Meeting *meeting, uint32 x, uint32 open)
{
	uint32 kept = 0;

	JoinTick(families->host, open);
	for (uint32 i = 0; i < open; i++)
	{
		if (wants(families, meeting, families->open[i], x))
			families->open[kept++] = families->open[i];
	}
	return kept;
}

/* Joins two families, or a family with itself. */
static void
join_two_families(ListFamilies *families, const Family *x_family, const Family *y_family,
				  uint32 part, uint32 parts)
{
	Meeting meeting = meeting_of(families, x_family->size, x_family->position, y_family);
	bool is_one = x_family->first == y_family->first;
	uint32 open = 0;

	if (!meeting.is_possible)
		return;
	for (uint32 y = y_family->first; y < y_family->end && !is_one; y++)
		families->open[open++] = y;
	for (uint32 x = x_family->first; x < x_family->end; x++)
	{
		uint32 end = is_one ? x : y_family->end;

		JoinTick(families->host, 1);
		if ((x - x_family->first) % ENTRIES_PER_SWEEP == 0)
			open = keep_open(families, &meeting, x, open);
		if ((x - x_family->first) % parts == part)
		{
			meet_family(families, &meeting, x, (EntryRange){y_family->first, end}, open);
			ListCandidatesVerify(families->candidates);
		}
		if (is_one && x + 1 < x_family->end && wants(families, &meeting, x, x + 1))
			families->open[open++] = x;
	}
}

/* Joins the entries of no family with a family. */
static void
join_rest(ListFamilies *families, EntryRange rest, const Family *family, uint32 part, uint32 parts)
{
	const ListEntry *entries = families->list->entries;
	Meeting meeting = {0};

	for (uint32 x = rest.first + part; x < rest.end; x += parts)
	{
		meeting = meeting_of(families, families->list->index->classes[entries[x].size_class].size,
							 entries[x].position, family);
		for (uint32 first = family->first, end; first < family->end && meeting.is_possible;
			 first = end)
		{
			end = Min(first + MOST_STEP, family->end);
			compare_step(families, &meeting, x, first, end);
		}
		JoinTick(families->host, 1);
	}
}

/*
 * Joins the families of two slices with each other and with the rests of both, or joins the
 * families of one slice.
 */
static void
join_two_slices(ListFamilies *families, const EntryRange *rests, ListSlice a, ListSlice b,
				uint32 part, uint32 parts)
{
	FamilyRange of_a = families->of_slice[a];
	FamilyRange of_b = families->of_slice[b];

	for (uint32 j = of_b.first; j < of_b.end; j++)
	{
		join_rest(families, rests[a], &families->families[j], part, parts);
		for (uint32 i = a == b ? j : of_a.first; i < of_a.end; i++)
			join_two_families(families, &families->families[i], &families->families[j], part,
							  parts);
	}
	for (uint32 i = of_a.first; i < of_a.end && a != b; i++)
		join_rest(families, rests[b], &families->families[i], part, parts);
}

/*
 * The order of records does not matter here. Where a common token is beyond the indexing prefix of
 * either, the positional filter leaves out the records that are not smaller.
 */
void
ListFamiliesJoin(ListFamilies *families, const EntryRange *rests, uint32 part, uint32 parts)
{
	if (families->count == 0)
		return;
	if (!families->candidates->records->two_sided)
	{
		join_two_slices(families, rests, LEFT_INDEXED, LEFT_INDEXED, part, parts);
		join_two_slices(families, rests, LEFT_PROBING, LEFT_INDEXED, part, parts);
	}
	join_two_slices(families, rests, LEFT_INDEXED, RIGHT_INDEXED, part, parts);
	join_two_slices(families, rests, LEFT_PROBING, RIGHT_INDEXED, part, parts);
	join_two_slices(families, rests, RIGHT_PROBING, LEFT_INDEXED, part, parts);
}
