/*
 * duplicate_rows.c
 *		Reading the rows of near_duplicates, each content once into the join.
 *
 * Texts are not kept: only hashes tell exact copies. Rows of equal tokens are one group of their scope
 * whatever their texts, except that rows without tokens are similar to nothing but copies, and that under
 * a weighted measure distinct texts count for the weights.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "allocate.h"
#include "cluster/duplicate_rows.h"

/* Notes the text of a row, and its place if there is an order of preference. */
static void
note_duplicate(void *context, TupleTableSlot *slot, uint32 number)
{
	DuplicateRows *duplicates = context;
	bool has_text = !slot->tts_isnull[COLUMN_TEXT];

	duplicates->has_text[number] = has_text;
	duplicates->texts[number] = (CopyHash){0};
	if (has_text)
	{
		text *body = DatumGetTextPP(slot->tts_values[COLUMN_TEXT]);

		duplicates->texts[number] =
			CopiesHash(duplicates->rows.copies, VARDATA_ANY(body), VARSIZE_ANY_EXHDR(body));
	}
	if (duplicates->request->is_ordered)
		duplicates->preferred[number] = (uint32) DatumGetInt64(slot->tts_values[COLUMN_PLACE]);
}

/* Sets a row apart by its text where tokens do not tell enough; one without a text is alone. */
static bool
set_duplicate_apart(void *context, uint32 number, const JoinRow *tokens, CopyHash *apart)
{
	const DuplicateRows *duplicates = context;
	Measure measure = duplicates->request->join.task.predicate.measure;

	if (tokens == NULL || tokens->count == 0 || MeasureIsWeighted(measure))
		*apart = duplicates->texts[number];
	/* NULL is not the empty set. */
	if (tokens == NULL)
		apart->low ^= 1;
	return duplicates->has_text[number];
}

static int
compare_orders(const void *a, const void *b)
{
	uint64 x = *(const uint64 *) a;
	uint64 y = *(const uint64 *) b;

	CHECK_FOR_INTERRUPTS();
	return (x > y) - (x < y);
}

/* Returns the numbers of the rows by the sizes of their tokens, the largest first, then by keys. */
static uint32 *
order_by_size(const CallRows *rows)
{
	uint64 *orders = AllocateArray(rows->count, sizeof(uint64));
	uint32 *by_place = AllocateArray(rows->count, sizeof(uint32));

	for (uint32 number = 0; number < rows->count; number++)
	{
		CHECK_FOR_INTERRUPTS();
		orders[number] = (uint64) (PG_UINT32_MAX - rows->sizes[rows->groups[number]]) << 32 |
						 rows->order.ranks[number];
	}
	qsort(orders, rows->count, sizeof(uint64), compare_orders);
	for (uint32 place = 0; place < rows->count; place++)
		by_place[place] = rows->order.by_rank[(uint32) orders[place]];
	pfree(orders);
	return by_place;
}

/* Returns the numbers of the rows by the order that is asked for. */
static uint32 *
order_by_preference(const DuplicateRows *duplicates)
{
	uint32 count = duplicates->rows.count;
	uint32 *by_place = AllocateArray(count, sizeof(uint32));

	memset(by_place, 0xFF, count * sizeof(uint32));
	for (uint32 number = 0; number < count; number++)
	{
		uint32 place = duplicates->preferred[number];

		CHECK_FOR_INTERRUPTS();
		if (place >= count || by_place[place] != NO_ROW)
			elog(ERROR, "places of rows are not their ranks");
		by_place[place] = number;
	}
	return by_place;
}

static RowWishes
wishes_of_duplicates(DuplicateRows *duplicates)
{
	const DuplicatesRequest *request = duplicates->request;
	const ReaderSpec *reader = &request->join.reader;
	RowWishes wishes = {.kind = request->join.task.kind,
						.further_columns = COLUMNS - 2,
						.keys = KEYS_UNIQUE,
						.key_column = COLUMN_KEY,
						.key_name = request->key_name,
						.scope_column = request->has_scopes ? COLUMN_SCOPE : 0,
						.is_directed = MeasureIsDirected(request->join.task.predicate.measure),
						.has_groups = true,
						.has_sizes = request->is_by_size,
						.context = duplicates,
						.note = note_duplicate,
						.set_apart = set_duplicate_apart};

	if (request->except_pairs != NULL)
		wishes.except = ExceptPairsRead(request->except_pairs, reader->key_policy, reader->key_type,
										request->key_collation, false);
	RowArraysAdd(&wishes.by_row, &duplicates->has_text, sizeof(bool));
	RowArraysAdd(&wishes.by_row, &duplicates->texts, sizeof(CopyHash));
	if (request->is_ordered)
		RowArraysAdd(&wishes.by_row, &duplicates->preferred, sizeof(uint32));
	return wishes;
}

void
DuplicateRowsRead(DuplicateRows *duplicates, SimilarityJoin *join, DuplicatesRequest *request)
{
	RowWishes wishes;
	uint32 *by_place = NULL;

	*duplicates = (DuplicateRows){.request = request};
	wishes = wishes_of_duplicates(duplicates);
	CallRowsRead(&duplicates->rows, &wishes, join, &request->join);
	if (request->is_ordered)
		by_place = order_by_preference(duplicates);
	else if (request->is_by_size)
		by_place = order_by_size(&duplicates->rows);
	CallRowsPlace(&duplicates->rows, by_place);
}
