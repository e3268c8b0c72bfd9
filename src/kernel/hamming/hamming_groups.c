/*
 * hamming_groups.c
 *		Groups rows by value, and emits the pairs of groups' rows.
 *
 * Each side of a group is in the order of keys. Rows of the same key, which are not paired, are
 * neighbours there: a run of rows of one group is paired with what comes before and after the rows
 * of the same key in the other, which a binary search finds. So many rows of one key cost no more
 * than their pairs with others.
 */
#include "c.h"

#include "bisect.h"
#include "kernel/hamming/hamming_groups.h"
#include "kernel/records/key_sort.h"

/* Orders the rows of a value by side, key and number. */
static int
hamming_compare_rows(uint64 a, uint64 b, void *context)
{
	const HammingGroups *groups = context;
	bool a_is_left = a < groups->first_right;

	if (a_is_left != (b < groups->first_right))
		return a_is_left ? -1 : 1;
	if (groups->order != NULL && groups->order[a] != groups->order[b])
		return groups->order[a] < groups->order[b] ? -1 : 1;
	return a < b ? -1 : a > b;
}

static KeyedItem *
sort_rows(HammingGroups *groups, const HammingValues *values)
{
	KeyedItem *items = JoinAllocate(values->host, values->count, sizeof(KeyedItem));

	for (uint32 row = 0; row < values->count; row++)
		items[row] = (KeyedItem){values->values[row], row};
	KeySort(items, values->count, hamming_compare_rows, groups, values->host);
	return items;
}

/* Appends the groups that have rows on the left, or those that have none. */
static void
append_groups(HammingGroups *groups, const KeyedItem *items, uint32 count, bool left, uint32 *place)
{
	uint32 next;

	for (uint32 first = 0; first < count; first = next)
	{
		uint32 group = groups->count;
		bool has_left = items[first].item < groups->first_right;

		next = first + 1;
		while (next < count && items[next].key == items[first].key)
			next++;
		JoinTick(groups->host, 1);
		if (has_left != left)
			continue;
		groups->values[group] = items[first].key;
		groups->starts[group] = *place;
		groups->rights[group] = *place + (next - first);
		for (uint32 i = first; i < next; i++)
		{
			if (items[i].item >= groups->first_right)
				groups->rights[group] = Min(groups->rights[group], *place);
			groups->rows[(*place)++] = items[i].item;
		}
		groups->count++;
	}
}

void
HammingGroupsInit(HammingGroups *groups, const HammingValues *values)
{
	KeyedItem *items = sort_rows(groups, values);
	uint32 count = values->count;
	uint32 distinct = 0;
	uint32 place = 0;

	for (uint32 i = 0; i < count; i++)
		distinct += i == 0 || items[i].key != items[i - 1].key;
	groups->row_count = count;
	groups->rows = JoinAllocate(groups->host, count, sizeof(uint32));
	groups->starts = JoinAllocate(groups->host, distinct + 1, sizeof(uint32));
	groups->rights = JoinAllocate(groups->host, distinct, sizeof(uint32));
	groups->values = JoinAllocate(groups->host, distinct, sizeof(uint64));
	groups->count = 0;
	append_groups(groups, items, count, true, &place);
	groups->left_count = groups->count;
	append_groups(groups, items, count, false, &place);
	groups->starts[groups->count] = place;
	JoinRelease(groups->host, items, count, sizeof(KeyedItem));
}

void
HammingGroupsFree(HammingGroups *groups)
{
	JoinRelease(groups->host, groups->values, groups->count, sizeof(uint64));
	JoinRelease(groups->host, groups->rights, groups->count, sizeof(uint32));
	JoinRelease(groups->host, groups->starts, groups->count + 1, sizeof(uint32));
	JoinRelease(groups->host, groups->rows, groups->row_count, sizeof(uint32));
}

/* Places first .. end - 1 of `rows`. */
typedef struct RowRange
{
	uint32 first;
	uint32 end;
} RowRange;

/*
 * Returns the first place of a range whose key is greater; with `from`, also an equal one counts.
 */
static uint32
place_of_key(const HammingGroups *groups, RowRange range, int64 key, bool from)
{
	const int64 *order = groups->order;
	const uint32 *rows = groups->rows;

	BISECT(uint32, range.first, range.end, at,
		   order[rows[at]] < key || (order[rows[at]] == key && !from));
	return range.first;
}

/* Returns the rows that have the same key as the first row of a range. */
static RowRange
first_run(const HammingGroups *groups, RowRange range)
{
	int64 key = groups->order[groups->rows[range.first]];
	RowRange run = {range.first, range.first + 1};

	/* Most keys occur once, and need no search. */
	if (run.end < range.end && groups->order[groups->rows[run.end]] == key)
		run.end = place_of_key(groups, range, key, false);
	return run;
}

/* Emits each row of x_rows with each one of y_rows. */
static void
emit_all(const HammingGroups *groups, RowRange x_rows, RowRange y_rows, int distance)
{
	if (y_rows.first >= y_rows.end)
		return;
	for (uint32 x = x_rows.first; x < x_rows.end; x++)
	{
		for (uint32 y = y_rows.first; y < y_rows.end; y++)
		{
			JoinTick(groups->host, 1);
			groups->emit(groups->context, groups->rows[x], groups->rows[y], distance);
		}
	}
}

/* Emits the pairs of two groups' rows with different keys. */
static void
emit_rows(const HammingGroups *groups, RowRange x_rows, RowRange y_rows, int distance)
{
	if (groups->order == NULL)
	{
		emit_all(groups, x_rows, y_rows, distance);
		return;
	}
	if (y_rows.first == y_rows.end)
		return;
	while (x_rows.first < x_rows.end)
	{
		RowRange run = first_run(groups, x_rows);
		int64 key = groups->order[groups->rows[run.first]];
		uint32 same = place_of_key(groups, y_rows, key, true);
		uint32 after = place_of_key(groups, y_rows, key, false);

		JoinTick(groups->host, 1);
		emit_all(groups, run, (RowRange){y_rows.first, same}, distance);
		emit_all(groups, run, (RowRange){after, y_rows.end}, distance);
		x_rows.first = run.end;
	}
}

/* Emits the pairs of one group's rows with different keys. */
static void
hamming_emit_within(const HammingGroups *groups, RowRange rows, int distance)
{
	while (rows.first < rows.end)
	{
		RowRange run = {rows.first, rows.first + 1};

		if (groups->order != NULL)
			run = first_run(groups, rows);
		JoinTick(groups->host, 1);
		rows.first = run.end;
		emit_all(groups, run, rows, distance);
	}
}

static RowRange
left_rows(const HammingGroups *groups, uint32 group)
{
	return (RowRange){groups->starts[group], groups->rights[group]};
}

/* Returns the rows of the right side; none in a self-join. */
static RowRange
right_rows(const HammingGroups *groups, uint32 group)
{
	return (RowRange){groups->rights[group], groups->starts[group + 1]};
}

void
HammingGroupsEmit(const HammingGroups *groups, uint32 a, uint32 b, int distance)
{
	if (groups->first_right == HAMMING_ONE_SIDE)
	{
		emit_rows(groups, left_rows(groups, a), left_rows(groups, b), distance);
		return;
	}
	emit_rows(groups, left_rows(groups, a), right_rows(groups, b), distance);
	emit_rows(groups, left_rows(groups, b), right_rows(groups, a), distance);
}

void
HammingGroupsEmitEqual(const HammingGroups *groups)
{
	for (uint32 group = 0; group < groups->left_count; group++)
	{
		JoinTick(groups->host, 1);
		if (groups->first_right == HAMMING_ONE_SIDE)
			hamming_emit_within(groups, left_rows(groups, group), 0);
		else
			emit_rows(groups, left_rows(groups, group), right_rows(groups, group), 0);
	}
}
