/*
 * duplicate_places.c
 *		Placing the rows of near_duplicates in the order of preference.
 *
 * A row's place is its rank in that order: the order that is asked for, or the order of the sizes
 * of the token sets, or else the order of the keys.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "allocate.h"
#include "cluster/duplicate_places.h"
#include "cluster/table_keys.h"

static int
compare_orders(const void *a, const void *b)
{
	uint64 x = *(const uint64 *) a;
	uint64 y = *(const uint64 *) b;

	CHECK_FOR_INTERRUPTS();
	return (x > y) - (x < y);
}

/* Has the places of rows follow from the sizes of their tokens, and where these are equal from keys. */
static void
order_by_size(DuplicateRows *duplicates)
{
	uint32 count = (uint32) duplicates->row_count;
	const KeyOrder *order = &duplicates->order;
	uint64 *orders = AllocateArray(count, sizeof(uint64));

	for (uint32 number = 0; number < count; number++)
	{
		CHECK_FOR_INTERRUPTS();
		orders[number] =
			(uint64) (PG_UINT32_MAX - duplicates->sizes[number]) << 32 | order->ranks[number];
	}
	qsort(orders, count, sizeof(uint64), compare_orders);
	for (uint32 place = 0; place < count; place++)
	{
		CHECK_FOR_INTERRUPTS();
		duplicates->rows[order->by_rank[(uint32) orders[place]]].place = place;
	}
	pfree(orders);
}

static void
place_rows(DuplicateRows *duplicates)
{
	uint32 count = (uint32) duplicates->row_count;
	const uint32 *ranks = duplicates->order.ranks;
	bool is_placed = duplicates->request->is_ordered || duplicates->request->is_by_size;
	DuplicateRow *rows = AllocateArray(count, sizeof(DuplicateRow));
	uint32 *places = AllocateArray(count, sizeof(uint32));

	memset(places, 0xFF, count * sizeof(uint32));
	memset(rows, 0xFF, count * sizeof(DuplicateRow));
	for (uint32 number = 0; number < count; number++)
	{
		const DuplicateRow *row = &duplicates->rows[number];
		uint32 place = is_placed ? row->place : ranks[number];

		CHECK_FOR_INTERRUPTS();
		if (place >= count || rows[place].number != NO_ROW)
			elog(ERROR, "places of rows are not their ranks");
		rows[place] = *row;
		places[row->first] = Min(places[row->first], place);
	}
	for (uint32 place = 0; place < count; place++)
	{
		CHECK_FOR_INTERRUPTS();
		rows[place].first = places[rows[place].first];
	}
	pfree(duplicates->rows);
	duplicates->rows = rows;
	duplicates->places = places;
}

void
DuplicateRowsPlace(DuplicateRows *duplicates)
{
	TableKeysOrder(&duplicates->order, &duplicates->keys, duplicates->request->key_name);
	if (duplicates->request->is_by_size)
		order_by_size(duplicates);
	place_rows(duplicates);
}
