/*
 * call_rows.c
 *		Reading the rows of a call, and grouping equal ones.
 *
 * The parts of spilled rows hold the keys of one part each, but results need the keys of all rows: they
 * are kept apart from the join. Contents are not kept, only hashes of them.
 *
 * With scopes, the scope is a part of the content, and tokens are combined with it, so that the join
 * does not even meet rows of different scopes, but for accidents; such pairs are not accepted. Within a
 * scope, sets have the overlaps that they had. The scopes are mixed with a secret, so that nobody can
 * make tokens that meet the tokens of another scope.
 *
 * A row whose key occurs in the pairs that are excepted is a group by itself, whatever its content. Rows
 * without tokens then have the hash of what sets them apart for a token, so that the join finds rows
 * that are equal to them.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "allocate.h"
#include "compat.h"
#include "join/call/call_rows.h"
#include "memory/join_memory.h"
#include "progress/progress.h"
#include "scope/salt.h"

/* Numbers of rows are less, as those who take them expect: keys, and passages. */
#define MOST_ROWS ((uint32) PG_INT32_MAX - 1)

/* The column of the values that have a kind. */
#define VALUE_COLUMN 1

#define FIRST_CAPACITY 1024

/* Doubles the arrays. */
static void
grow_arrays(CallRows *rows, RowArrays *arrays)
{
	MemoryContext previous = MemoryContextSwitchTo(rows->context);

	arrays->capacity = Max(2 * arrays->capacity, FIRST_CAPACITY);
	for (int i = 0; i < arrays->count; i++)
		*arrays->of[i].array =
			ResizeArray(*arrays->of[i].array, arrays->capacity, arrays->of[i].width);
	MemoryContextSwitchTo(previous);
}

/* Puts the element of each array that stands at numbers[i] at i. */
static void
permute_arrays(RowArrays *arrays, const uint32 *numbers, uint32 count)
{
	for (int i = 0; i < arrays->count; i++)
	{
		Size width = arrays->of[i].width;
		char *from = *arrays->of[i].array;
		char *to = AllocateArray(count, width);

		for (uint32 place = 0; place < count; place++)
		{
			CHECK_FOR_INTERRUPTS();
			memcpy(to + place * width, from + numbers[place] * width, width);
		}
		pfree(from);
		*arrays->of[i].array = to;
	}
}

/* Forgets the contents of the present query. */
static void
end_contents(CallRows *rows)
{
	if (rows->copies != NULL)
		CopiesFree(rows->copies);
	rows->copies = NULL;
}

/* Begins to group the rows of a query. */
static void
begin_contents(CallRows *rows)
{
	end_contents(rows);
	if (rows->wishes.has_groups)
		rows->copies = CopiesCreate(rows->context);
	rows->left_count = rows->count;
	rows->left_group_count = rows->group_count;
	rows->empty = NO_ROW;
}

static void
init_keys(CallRows *rows, Oid type, Oid collation)
{
	MemoryContext context =
		AllocSetContextCreate(rows->context, "neardup row keys", ALLOCSET_DEFAULT_SIZES);

	JoinKeysInit(&rows->keys, context, rows->wishes.key_host, type, collation,
				 rows->wishes.keys >= KEYS_RANKED);
}

static void
begin_keys(CallRows *rows, const ReaderSpec *spec, Form_pg_attribute column)
{
	Oid type = JoinKeyColumnType(column, spec->key_policy, spec->key_type);

	/* The columns of two queries are both integers, or of one type. */
	if (rows->keys.context == NULL)
		init_keys(rows, type, column->attcollation);
	else
		rows->keys.type = type;
}

static void
begin_query(void *context, const ReaderSpec *spec, TupleDesc columns)
{
	CallRows *rows = context;
	const RowWishes *wishes = &rows->wishes;

	begin_contents(rows);
	if (wishes->begin != NULL)
	{
		MemoryContext previous = MemoryContextSwitchTo(rows->context);

		wishes->begin(wishes->context, columns);
		MemoryContextSwitchTo(previous);
	}
	if (wishes->keys != KEYS_LEFT_OUT)
		begin_keys(rows, spec, TupleDescAttr(columns, wishes->key_column));
	if (wishes->except != NULL)
		ExceptPairsCheckType(wishes->except, wishes->except_column, rows->keys.type);
}

static void
append_group(CallRows *rows, uint32 group, const JoinRow *value)
{
	int64 number = group;

	JoinInputAppend(&rows->join->input, nd_int64_datum(&number), value);
}

/* Returns the salt that sets the tokens of a row apart from those of other scopes. */
static uint64
salt_of(const CallRows *rows, const ContentHead *head)
{
	return rows->wishes.scope_column == 0 ? 0 : ScopeSalt(rows->secret, head->scope);
}

/* Appends a row without tokens by the hash of what sets it apart. */
static void
append_by_hash(CallRows *rows, uint32 group, const ContentHead *head)
{
	int64 token = (int64) (head->apart.low ^ salt_of(rows, head));

	append_group(rows, group, &(JoinRow){.data = &token, .count = 1});
}

/* Begins a group with this head; returns its number. */
static uint32
begin_group(CallRows *rows, const ContentHead *head, Size token_count)
{
	RowArrays *arrays = &rows->wishes.by_group;
	uint32 group = rows->group_count;

	if (group == arrays->capacity)
		grow_arrays(rows, arrays);
	if (rows->wishes.has_sizes)
		rows->sizes[group] = (uint32) token_count;
	if (rows->wishes.scope_column != 0)
		rows->scopes[group] = head->scope;
	if (rows->wishes.except != NULL)
		rows->excepted[group] = head->excepted;
	rows->group_count++;
	return group;
}

/* Begins a group with the row that waits, and appends it to the join. */
static void
begin_group_of_waiting(CallRows *rows)
{
	const RowWishes *wishes = &rows->wishes;
	const WaitingRow *waiting = &rows->waiting;
	JoinRow value = {.data = waiting->content + sizeof(ContentHead),
					 .count = waiting->size / sizeof(int64)};
	uint32 group = begin_group(rows, &waiting->head, value.count);

	if (wishes->begin_group != NULL)
		wishes->begin_group(wishes->context, group, value.data, waiting->size);
	if (wishes->kind == NULL)
		return;
	if (value.count == 0)
		rows->empty = group;
	if (value.count == 0 && wishes->except != NULL)
		append_by_hash(rows, group, &waiting->head);
	else if (!waiting->is_null)
		append_group(rows, group, &value);
}

static void
set_group(CallRows *rows, uint32 number, uint32 group)
{
	if (rows->groups != NULL)
		rows->groups[number] = group;
}

/* Gives the row that waits, if any, the group of its content, a new one if no row before had it. */
static void
end_waiting(void *context)
{
	CallRows *rows = context;
	WaitingRow *waiting = &rows->waiting;
	uint32 group;

	if (!waiting->waits)
		return;
	waiting->waits = false;
	group = CopiesFirstOfHash(rows->copies, waiting->hash, rows->group_count);
	set_group(rows, waiting->number, group);
	if (group == rows->group_count)
		begin_group_of_waiting(rows);
	else if (rows->wishes.counts_copies)
		JoinInputCountCopy(&rows->join->input,
						   &(JoinRow){.data = waiting->content + sizeof(ContentHead),
									  .count = waiting->size / sizeof(int64)});
}

/*
 * Lets the last row wait until the next one is read. The table of contents is larger than the
 * processor's caches, so the place of its content is fetched meanwhile.
 */
static void
let_wait(CallRows *rows, const void *content, Size size)
{
	WaitingRow *waiting = &rows->waiting;
	Size bytes = sizeof(ContentHead) + size;

	if (bytes > waiting->capacity)
	{
		if (waiting->content != NULL)
			pfree(waiting->content);
		waiting->capacity = bytes + bytes / 2;
		waiting->content = MemoryContextAllocHuge(rows->context, waiting->capacity);
	}
	waiting->head = rows->head;
	memcpy(waiting->content, &waiting->head, sizeof(ContentHead));
	if (size > 0)
	{
		JoinInputPrefetch(content);
		memcpy(waiting->content + sizeof(ContentHead), content, size);
	}
	waiting->size = size;
	waiting->hash = CopiesHash(rows->copies, waiting->content, bytes);
	waiting->number = rows->count - 1;
	waiting->is_null = content == NULL;
	waiting->waits = true;
	CopiesPrefetch(rows->copies, waiting->hash);
}

void
CallRowsTakeContent(CallRows *rows, const void *content, Size size)
{
	let_wait(rows, content, size);
}

/* Takes the value of the row that was noted last; NULL if it has none. */
static void
take_value(CallRows *rows, const JoinRow *value)
{
	const RowWishes *wishes = &rows->wishes;
	uint32 number = rows->count - 1;

	if (wishes->see != NULL && !wishes->see(wishes->context, value))
		return;
	if (wishes->set_apart != NULL &&
		!wishes->set_apart(wishes->context, number, value, &rows->head.apart))
		set_group(rows, number, begin_group(rows, &rows->head, 0));
	else if (!wishes->has_groups)
		append_group(rows, number, value);
	else if (value == NULL)
		let_wait(rows, NULL, 0);
	else
		let_wait(rows, value->data, value->count * sizeof(int64));
}

static bool
take_row(void *context, TupleTableSlot *slot, const JoinRow *value)
{
	CallRows *rows = context;

	take_value(rows, value);
	return !rows->is_cut;
}

/* Begins a row, whose number is rows->count - 1. */
static void
begin_call_row(CallRows *rows)
{
	RowArrays *arrays = &rows->wishes.by_row;

	end_waiting(rows);
	if (rows->count == MOST_ROWS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("too many rows"),
						errdetail("There may be at most %u rows.", MOST_ROWS)));
	if (rows->count == arrays->capacity)
		grow_arrays(rows, arrays);
	rows->count++;
	rows->head = (ContentHead){.excepted = NO_ROW};
}

/* Whether a row is left out: it lacks a key or a value, and is not of a table. */
static bool
is_left_out(const RowWishes *wishes, const TupleTableSlot *slot)
{
	return wishes->key_name == NULL && (slot->tts_isnull[wishes->key_column] ||
										(wishes->kind != NULL && slot->tts_isnull[VALUE_COLUMN]));
}

/* Notes the key of a row, and what it says. */
static void
note_key(CallRows *rows, const TupleTableSlot *slot)
{
	const RowWishes *wishes = &rows->wishes;
	Datum key = slot->tts_values[wishes->key_column];

	if (slot->tts_isnull[wishes->key_column])
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("key column \"%s\" contains null values", wishes->key_name),
						errdetail("Each row must have a key, by which it can be told.")));
	JoinKeysAppend(&rows->keys, key);
	if (wishes->except != NULL)
		rows->head.excepted =
			ExceptPairsNumber(wishes->except, wishes->except_column, rows->keys.type, key);
}

/* Notes a row, and tells whether its value must be read. */
static bool
note_row(void *context, TupleTableSlot *slot, uint64 *salt)
{
	CallRows *rows = context;
	const RowWishes *wishes = &rows->wishes;

	if (is_left_out(wishes, slot))
		return false;
	begin_call_row(rows);
	if (wishes->keys != KEYS_LEFT_OUT)
		note_key(rows, slot);
	if (wishes->scope_column != 0)
		rows->head.scope = (uint32) DatumGetInt64(slot->tts_values[wishes->scope_column]);
	if (!wishes->has_groups)
		(void) begin_group(rows, &rows->head, 0);
	if (wishes->note != NULL)
		wishes->note(wishes->context, slot, rows->count - 1);
	if (wishes->kind == NULL)
		return false;
	*salt = salt_of(rows, &rows->head);
	if (!slot->tts_isnull[VALUE_COLUMN])
		return true;
	take_value(rows, NULL);
	return false;
}

bool
CallRowsComparable(const CallRows *rows, uint32 a, uint32 b)
{
	if (rows->wishes.scope_column != 0 && rows->scopes[a] != rows->scopes[b])
		return false;
	return rows->wishes.except == NULL ||
		   !ExceptPairsHas(rows->wishes.except, rows->excepted[a], rows->excepted[b]);
}

/* Returns whether two groups, by their numbers, are a pair if the first one is similar to the other. */
static bool
are_pair(const void *context, int64 a, int64 b)
{
	const CallRows *rows = context;
	uint32 x = rows->ranks[a];
	uint32 y = rows->ranks[b];

	return (!rows->wishes.is_directed || x > y) && CallRowsComparable(rows, x, y);
}

/* Adds the arrays that the wishes imply. */
static void
add_arrays(CallRows *rows)
{
	RowWishes *wishes = &rows->wishes;

	if (wishes->has_groups && wishes->keys == KEYS_UNIQUE)
		RowArraysAdd(&wishes->by_row, &rows->groups, sizeof(uint32));
	if (wishes->has_sizes)
		RowArraysAdd(&wishes->by_group, &rows->sizes, sizeof(uint32));
	if (wishes->scope_column != 0)
		RowArraysAdd(&wishes->by_group, &rows->scopes, sizeof(uint32));
	if (wishes->except != NULL)
		RowArraysAdd(&wishes->by_group, &rows->excepted, sizeof(uint32));
	Assert(wishes->by_row.count <= MOST_ROW_ARRAYS && wishes->by_group.count <= MOST_ROW_ARRAYS);
	grow_arrays(rows, &wishes->by_row);
	grow_arrays(rows, &wishes->by_group);
}

static void
init_call_rows(CallRows *rows, const RowWishes *wishes, SimilarityJoin *join, JoinRequest *request,
			   bool is_self_join)
{
	*rows = (CallRows){.wishes = *wishes,
					   .join = join,
					   .is_self_join = is_self_join,
					   .key_policy = request->reader.key_policy,
					   .context = CurrentMemoryContext};
	add_arrays(rows);
	if (wishes->scope_column != 0 && !pg_strong_random(&rows->secret, sizeof(rows->secret)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate random numbers")));
	if (join == NULL)
		return;
	if (wishes->scope_column != 0 || wishes->except != NULL || wishes->is_directed)
		request->task.demand.accepts = are_pair;
	request->task.demand.accepts_context = rows;
	request->task.demand.rejects_similar = wishes->except != NULL;
	SimilarityJoinBegin(join, &request->task, CurrentMemoryContext);
	JoinInputSetKeys(&join->input, INT8OID, InvalidOid, false);
}

/* Raises unique_violation if a key of a query occurs twice. */
static void
check_unique(const CallRows *rows, const char *function)
{
	const char *name = rows->wishes.key_name;
	uint32 number;

	if (!KeyOrderRepeated(&rows->order, &rows->keys, rows->left_count, &number))
		return;
	if (name != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNIQUE_VIOLATION), errmsg("key column \"%s\" is not unique", name),
				 errdetail("Key (%s)=(%s) occurs more than once.", name,
						   JoinKeyText(&rows->keys, number))));
	ereport(ERROR, (errcode(ERRCODE_UNIQUE_VIOLATION),
					errmsg("keys of %s of %s are not unique",
						   rows->wishes.names[number < rows->left_count ? 0 : 1], function),
					errdetail("Key %s occurs more than once.", JoinKeyText(&rows->keys, number)),
					errhint("Each row must have a key of its own. Duplicates within a table "
							"are found by near_duplicates.")));
}

/* Ends reading, and orders the keys. */
static void
end_call_rows(CallRows *rows, const char *function)
{
	end_contents(rows);
	if (rows->waiting.content != NULL)
		pfree(rows->waiting.content);
	if (rows->is_self_join)
	{
		rows->left_count = rows->count;
		rows->left_group_count = rows->group_count;
	}
	if (rows->wishes.keys == KEYS_RANKED)
		JoinKeysRank(&rows->keys, JoinSortMemory());
	if (rows->wishes.keys != KEYS_UNIQUE)
		return;
	KeyOrderInit(&rows->order, &rows->keys);
	check_unique(rows, function);
}

void
CallRowsRead(CallRows *rows, const RowWishes *wishes, SimilarityJoin *join, JoinRequest *request)
{
	RowSink sink = {.kind = wishes->kind,
					.further_columns = wishes->further_columns,
					.sample = wishes->sample,
					.context = rows,
					.begin = begin_query,
					.sees = note_row,
					.take = take_row,
					.end = end_waiting};

	init_call_rows(rows, wishes, join, request, request->queries[1] == NULL);
	if (join != NULL)
		sink.input = &join->input;
	JoinReadQuery(&sink, &request->reader, request->queries[0]);
	if (request->queries[1] != NULL)
	{
		if (join != NULL)
			JoinInputBeginRight(&join->input);
		JoinReadQuery(&sink, &request->reader, request->queries[1]);
	}
	if (join != NULL)
		SimilarityJoinRead(join);
	end_call_rows(rows, request->reader.function);
}

void
CallRowsBegin(CallRows *rows, const RowWishes *wishes, SimilarityJoin *join, JoinRequest *request,
			  bool is_self_join)
{
	init_call_rows(rows, wishes, join, request, is_self_join);
	init_keys(rows, INT8OID, InvalidOid);
	begin_contents(rows);
}

void
CallRowsBeginRight(CallRows *rows)
{
	end_waiting(rows);
	begin_contents(rows);
	JoinInputBeginRight(&rows->join->input);
}

void
CallRowsAppend(CallRows *rows, int64 key, const JoinRow *row)
{
	JoinProgressCheck();
	begin_call_row(rows);
	JoinKeysAppendInt64(&rows->keys, key);
	take_value(rows, row);
}

void
CallRowsEnd(CallRows *rows, const JoinRequest *request)
{
	end_waiting(rows);
	SimilarityJoinRead(rows->join);
	end_call_rows(rows, request->reader.function);
}

/* Ranks the groups, and makes starts[rank + 1] the first index of the members of each. */
static void
rank_groups(CallRows *rows)
{
	uint32 next = 0;

	memset(rows->ranks, 0xFF, rows->group_count * sizeof(uint32));
	memset(rows->starts, 0, ((Size) rows->group_count + 2) * sizeof(uint32));
	for (uint32 place = 0; place < rows->count; place++)
	{
		uint32 number = rows->groups[place];

		CHECK_FOR_INTERRUPTS();
		if (rows->ranks[number] == NO_ROW)
		{
			rows->ranks[number] = next;
			rows->numbers[next++] = number;
		}
		rows->groups[place] = rows->ranks[number];
		rows->starts[rows->ranks[number] + 2]++;
	}
	for (uint32 group = 0; group < rows->group_count; group++)
		rows->starts[group + 2] += rows->starts[group + 1];
}

/* Ranks the groups, and finds their members, by the places of the rows. */
static void
place_groups(CallRows *rows)
{
	rows->ranks = AllocateArray(rows->group_count, sizeof(uint32));
	rows->numbers = AllocateArray(rows->group_count, sizeof(uint32));
	rows->starts = AllocateArray((Size) rows->group_count + 2, sizeof(uint32));
	rows->members = AllocateArray(rows->count, sizeof(uint32));
	rank_groups(rows);
	for (uint32 place = 0; place < rows->count; place++)
	{
		CHECK_FOR_INTERRUPTS();
		rows->members[rows->starts[rows->groups[place] + 1]++] = place;
	}
}

void
CallRowsPlace(CallRows *rows, uint32 *by_place)
{
	rows->by_place = by_place != NULL ? by_place : rows->order.by_rank;
	permute_arrays(&rows->wishes.by_row, rows->by_place, rows->count);
	if (rows->wishes.has_groups)
		place_groups(rows);
	permute_arrays(&rows->wishes.by_group, rows->wishes.has_groups ? rows->numbers : rows->by_place,
				   rows->group_count);
}
