/*
 * duplicate_rows.c
 *		Reading the rows of near_duplicates, each content once into the join.
 *
 * Texts are not kept: only hashes tell exact copies. The first row of each content, which is the
 * tokens alone where that can be, enters the set join.
 *
 * With `within`, rows that may be duplicates of each other have the same scope. The scope is part of
 * the content, and the tokens are combined with it, so that the join does not even meet rows of
 * different scopes, but for accidents; such pairs are not accepted. Within a scope, sets have the
 * overlaps that they had. The scopes are mixed with a secret, so that nobody can make tokens that
 * meet the tokens of another scope.
 *
 * A row that occurs in `except_pairs` is a row of the join by itself, whatever its content. Rows
 * without tokens then have the hash of their text for a token, so that the join finds their copies.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "allocate.h"
#include "cluster/duplicate_rows.h"
#include "cluster/table_keys.h"
#include "compat.h"
#include "scope/salt.h"

static void
begin_duplicates(void *context, const ReaderSpec *spec, TupleDesc columns)
{
	DuplicateRows *duplicates = context;
	const DuplicatesRequest *request = duplicates->request;
	Form_pg_attribute key = TupleDescAttr(columns, COLUMN_KEY);
	MemoryContext key_context = AllocSetContextCreate(duplicates->context, "neardup duplicate keys",
													  ALLOCSET_DEFAULT_SIZES);

	JoinKeysInit(&duplicates->keys, key_context, NULL,
				 JoinKeyColumnType(key, request->key_policy, request->key_type), key->attcollation,
				 true);
	JoinInputSetKeys(&duplicates->join->input, INT8OID, InvalidOid, false);
	duplicates->contents = CopiesCreate(duplicates->context);
}

/*
 * What makes two rows one row of the join. Tokens follow it, if there are any. Rows of equal tokens
 * are one row of their scope whatever their texts, except that rows without tokens are similar to
 * nothing, and that under a weighted measure distinct texts count for the weights.
 */
typedef struct ContentHead
{
	CopyHash text;	/* 0 for any text */
	uint32 is_null; /* the tokens */
	uint32 scope;
	uint64 excepted; /* 0, or the number in `except_pairs` and 1 */
} ContentHead;

static void
append_number(DuplicateRows *duplicates, int64 number, const JoinRow *tokens)
{
	JoinInputAppend(&duplicates->join->input, nd_int64_datum(&number), tokens);
}

/* Appends the row that waits, if any, to the join, unless a row with its content was read before. */
static void
end_waiting(void *context)
{
	DuplicateRows *duplicates = context;
	WaitingRow *waiting = &duplicates->waiting;
	JoinRow tokens = {.data = waiting->content + sizeof(ContentHead), .count = waiting->count};
	DuplicateRow *row = &duplicates->rows[waiting->number];

	if (waiting->count == 0)
		return;
	row->first = CopiesFirstOfHash(duplicates->contents, waiting->hash, row->number);
	if (row->first == row->number)
		append_number(duplicates, row->number, &tokens);
	waiting->count = 0;
}

/*
 * Lets a row wait until the next one is read. The table of contents is larger than the processor's
 * caches, so the place of its content is fetched meanwhile.
 */
static void
let_wait(DuplicateRows *duplicates, ContentHead head, const JoinRow *tokens, uint32 number)
{
	WaitingRow *waiting = &duplicates->waiting;
	Size size = sizeof(head) + tokens->count * sizeof(int64);

	if (size > waiting->capacity)
	{
		if (waiting->content != NULL)
			pfree(waiting->content);
		waiting->capacity = size + size / 2;
		waiting->content = MemoryContextAllocHuge(duplicates->context, waiting->capacity);
	}
	memcpy(waiting->content, &head, sizeof(head));
	memcpy(waiting->content + sizeof(head), tokens->data, size - sizeof(head));
	waiting->hash = CopiesHash(duplicates->contents, waiting->content, size);
	waiting->number = number;
	waiting->count = tokens->count;
	CopiesPrefetch(duplicates->contents, waiting->hash);
}

static void
note_scope(DuplicateRows *duplicates, uint32 number, uint32 scope)
{
	ARRAY_MAKE_ROOM(duplicates->scopes, number, duplicates->scope_capacity);
	duplicates->scopes[number] = scope;
}

static uint32
scope_of(const DuplicateRows *duplicates, uint32 number)
{
	return duplicates->scopes == NULL ? 0 : duplicates->scopes[number];
}

/* Returns the group that sets a row apart from rows of other scopes. */
static uint64
group_of_scope(const DuplicateRows *duplicates, uint32 number)
{
	return duplicates->scopes == NULL ? 0
									  : ScopeSalt(duplicates->secret, duplicates->scopes[number]);
}

static uint32
excepted_of(const DuplicateRows *duplicates, uint32 number)
{
	return duplicates->excepted == NULL ? NO_ROW : duplicates->excepted[number];
}

static void
note_excepted(DuplicateRows *duplicates, uint32 number, Datum key)
{
	ARRAY_MAKE_ROOM(duplicates->excepted, number, duplicates->excepted_capacity);
	duplicates->excepted[number] =
		ExceptPairsNumber(duplicates->except, 0, duplicates->keys.type, key);
}

/* Returns whether two rows are a pair, the tokens of the first one being similar to the other's. */
static bool
are_pair(const void *context, int64 a, int64 b)
{
	const DuplicateRows *duplicates = context;
	Measure measure = duplicates->request->join.task.predicate.measure;

	if (MeasureIsAsymmetric(measure) && duplicates->places[a] < duplicates->places[b])
		return false;
	if (scope_of(duplicates, (uint32) a) != scope_of(duplicates, (uint32) b))
		return false;
	return duplicates->except == NULL ||
		   !ExceptPairsHas(duplicates->except, duplicates->excepted[a], duplicates->excepted[b]);
}

/* Returns what a row's content begins with; its text is not part of it if it is 0. */
static ContentHead
content_head(const DuplicateRows *duplicates, uint32 number, CopyHash text)
{
	uint32 excepted = excepted_of(duplicates, number);

	return (ContentHead){.text = text,
						 .scope = scope_of(duplicates, number),
						 .excepted = excepted == NO_ROW ? 0 : (uint64) excepted + 1};
}

/* Appends a row without tokens, so that its copies are found. */
static void
append_copied(DuplicateRows *duplicates, ContentHead head, uint32 number)
{
	int64 token = (int64) (head.text.low ^ head.is_null ^ group_of_scope(duplicates, number));

	append_number(duplicates, number, &(JoinRow){.data = &token, .count = 1});
}

/* Notes the content of a row whose tokens are NULL or empty. */
static uint32
note_without_tokens(DuplicateRows *duplicates, uint32 number, CopyHash text, bool is_null)
{
	ContentHead head = content_head(duplicates, number, text);
	uint32 first;

	head.is_null = is_null;
	first = CopiesFirst(duplicates->contents, &head, sizeof(head), number);
	if (first == number && duplicates->except != NULL)
		append_copied(duplicates, head, number);
	return first;
}

/* Notes a row, and tells whether its tokens must be read. */
static bool
note_row(void *context, TupleTableSlot *slot, uint64 *group)
{
	DuplicateRows *duplicates = context;
	uint32 number = (uint32) duplicates->row_count++;
	DuplicateRow row = {.number = number,
						.first = number,
						.place = (uint32) DatumGetInt64(slot->tts_values[COLUMN_PLACE]),
						.has_text = !slot->tts_isnull[COLUMN_TEXT]};
	bool is_read = row.has_text && !slot->tts_isnull[COLUMN_TOKENS];

	end_waiting(duplicates);
	TableKeysAppend(&duplicates->keys, duplicates->request->key_name, slot->tts_values[COLUMN_KEY],
					slot->tts_isnull[COLUMN_KEY]);
	ARRAY_MAKE_ROOM(duplicates->rows, number, duplicates->row_capacity);
	if (duplicates->request->has_scopes)
		note_scope(duplicates, number, (uint32) DatumGetInt64(slot->tts_values[COLUMN_SCOPE]));
	if (duplicates->request->is_by_size)
	{
		ARRAY_MAKE_ROOM(duplicates->sizes, number, duplicates->size_capacity);
		duplicates->sizes[number] = 0;
	}
	if (duplicates->except != NULL)
		note_excepted(duplicates, number, slot->tts_values[COLUMN_KEY]);
	if (row.has_text)
	{
		text *body = DatumGetTextPP(slot->tts_values[COLUMN_TEXT]);

		row.text = CopiesHash(duplicates->contents, VARDATA_ANY(body), VARSIZE_ANY_EXHDR(body));
		if (!is_read)
			row.first = note_without_tokens(duplicates, number, row.text, true);
	}
	duplicates->rows[number] = row;
	*group = group_of_scope(duplicates, number);
	return is_read;
}

/* Takes the tokens of the row that was noted last. */
static bool
note_tokens(void *context, TupleTableSlot *slot, const JoinRow *tokens)
{
	DuplicateRows *duplicates = context;
	uint32 number = (uint32) duplicates->row_count - 1;
	DuplicateRow *row = &duplicates->rows[number];
	bool is_weighted = MeasureIsWeighted(duplicates->request->join.task.predicate.measure);

	if (duplicates->request->is_by_size)
		duplicates->sizes[number] = (uint32) tokens->count;
	if (tokens->count > 0)
	{
		let_wait(duplicates,
				 content_head(duplicates, number, is_weighted ? row->text : (CopyHash){0}), tokens,
				 number);
		return true;
	}
	row->first = note_without_tokens(duplicates, number, row->text, false);
	if (row->first == number && duplicates->except == NULL)
		append_number(duplicates, number, tokens);
	return true;
}

static void
begin_scopes(DuplicateRows *duplicates)
{
	if (!duplicates->request->has_scopes)
		return;
	if (!pg_strong_random(&duplicates->secret, sizeof(duplicates->secret)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate random numbers")));
	duplicates->scope_capacity = duplicates->row_capacity;
	duplicates->scopes = AllocateArray(duplicates->scope_capacity, sizeof(uint32));
}

static void
begin_except_pairs(DuplicateRows *duplicates)
{
	const DuplicatesRequest *request = duplicates->request;

	if (request->except_pairs == NULL)
		return;
	duplicates->except = ExceptPairsRead(request->except_pairs, request->key_policy,
										 request->key_type, request->key_collation, false);
	duplicates->excepted_capacity = duplicates->row_capacity;
	duplicates->excepted = AllocateArray(duplicates->excepted_capacity, sizeof(uint32));
}

void
DuplicateRowsRead(DuplicateRows *duplicates, SimilarityJoin *join, DuplicatesRequest *request)
{
	JoinTask *task = &request->join.task;
	RowSink sink = {.further_columns = COLUMNS - 2,
					.context = duplicates,
					.begin = begin_duplicates,
					.sees = note_row,
					.take = note_tokens,
					.end = end_waiting};

	*duplicates = (DuplicateRows){
		.request = request, .join = join, .context = CurrentMemoryContext, .row_capacity = 1024};
	duplicates->rows = AllocateArray(duplicates->row_capacity, sizeof(DuplicateRow));
	if (request->is_by_size)
	{
		duplicates->size_capacity = duplicates->row_capacity;
		duplicates->sizes = AllocateArray(duplicates->size_capacity, sizeof(uint32));
	}
	begin_scopes(duplicates);
	begin_except_pairs(duplicates);
	if (request->has_scopes || request->except_pairs != NULL ||
		MeasureIsAsymmetric(task->predicate.measure))
		task->demand.accepts = are_pair;
	task->demand.accepts_context = duplicates;
	task->demand.rejects_similar = request->except_pairs != NULL;
	QueryJoinBeginBy(join, &request->join, &sink);
	CopiesFree(duplicates->contents);
	if (duplicates->waiting.content != NULL)
		pfree(duplicates->waiting.content);
}
