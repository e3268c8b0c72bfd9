/*
 * record_rows.c
 *		Reading the rows of a table of records.
 *
 * The query is run once. Values of the groups are kept for the columns to be compared one after the
 * other.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "allocate.h"
#include "compat.h"
#include "table/default_tokens.h"
#include "link/record_rows.h"
#include "text/token_sort.h"

/* Of more groups, the tokens of each second or third one are counted, and so on. */
#define MOST_COUNTED_GROUPS 30000

typedef struct TokenRows
{
	Token token;
	uint32 rows;
	char status;
} TokenRows;

#define SH_PREFIX token
#define SH_ELEMENT_TYPE TokenRows
#define SH_KEY token
#include "sketch/token_table.h"

/* Appends a value and its length, by which the values of a row are told apart. */
static void
append_value(ByteBuffer *buffer, const char *data, Size length)
{
	uint64 head = length;

	ByteBufferAppend(buffer, (const char *) &head, sizeof(head));
	ByteBufferAppend(buffer, data, length);
}

/* Returns the value that append_value appended here, and moves on behind it. */
static ByteSpan
next_value(const char **content)
{
	uint64 length;
	ByteSpan value;

	memcpy(&length, *content, sizeof(length));
	value = (ByteSpan){*content + sizeof(length), (Size) length};
	*content = value.data + value.length;
	return value;
}

/*
 * Appends a value of a row as it is written if it is compared, and its normalized form. NULL is not the empty
 * text.
 */
static void
append_texts(RecordRows *rows, const TupleTableSlot *slot, int column, ByteBuffer *written,
			 ByteBuffer *content)
{
	bool is_null = slot->tts_isnull[RECORD_TEXTS + column];
	ByteSpan value = {"", 0};
	uint64 null = PG_UINT64_MAX;
	ByteBuffer normalized;

	if (!is_null)
		value = RecordTextOf(rows->columns, column, slot->tts_values[RECORD_TEXTS + column]);
	if (column < rows->request->column_count && is_null)
		ByteBufferAppend(written, (const char *) &null, sizeof(null));
	else if (column < rows->request->column_count)
		append_value(written, value.data, value.length);
	ByteBufferInit(&normalized, 0);
	RecordTextNormalize(value, &normalized);
	append_value(content, normalized.data, normalized.used);
	ByteBufferFree(&normalized);
}

/* Prepares for the columns of the query. */
static void
begin_record_texts(void *context, TupleDesc columns)
{
	RecordRows *rows = context;

	rows->columns = RecordTextsBegin(columns, RECORD_TEXTS);
	if (rows->request->entity_column != NULL)
		rows->entities = RecordEntitiesBegin(TupleDescAttr(columns, RECORD_ENTITY),
											 rows->request->key_policy, rows->request->key_type);
}

/* Notes a row, whose normalized values are its content, and the hash of its compared values as they are written. */
static void
note_record(void *context, TupleTableSlot *slot, uint32 number)
{
	RecordRows *rows = context;
	ByteBuffer written;
	ByteBuffer content;

	if (rows->request->keep != NULL)
		rows->preferred[number] = (uint32) DatumGetInt64(slot->tts_values[RECORD_PLACE]);
	ByteBufferInit(&written, 0);
	ByteBufferInit(&content, 0);
	for (int i = 0; i < rows->request->text_count; i++)
		append_texts(rows, slot, i, &written, &content);
	if (rows->entities != NULL)
	{
		uint32 entity = RecordEntitiesTake(rows->entities, slot->tts_values[RECORD_ENTITY],
										   slot->tts_isnull[RECORD_ENTITY]);

		rows->entity[number] = entity;
		ByteBufferAppend(&content, (const char *) &entity, sizeof(entity));
	}
	rows->texts[number] = CopiesHash(rows->rows.copies, written.data, written.used);
	CallRowsTakeContent(&rows->rows, content.data, content.used);
	ByteBufferFree(&written);
	ByteBufferFree(&content);
}

/* Appends a value of a group to its values with blanks between. */
static void
append_to_record_body(ByteBuffer *body, ByteSpan value)
{
	if (value.length == 0)
		return;
	if (body->used > 0)
		ByteBufferAppend(body, " ", 1);
	ByteBufferAppend(body, value.data, value.length);
}

/* Returns the distinct words and 4-grams of all compared values of a group, ascending. */
static TokenList
tokens_of_body(const ByteBuffer *body)
{
	TokenList list;

	TokenListInit(&list, 0);
	LinkTokensOfNormalized((ByteSpan){body->data, body->used}, true, &list);
	TokensSort(list.tokens, list.count);
	list.count = TokensUnique(list.tokens, list.count);
	return list;
}

/* Appends a group to the join. */
static void
append_to_join(RecordRows *rows, int64 group, const ByteBuffer *body)
{
	TokenList list = tokens_of_body(body);

	JoinInputAppend(&rows->rows.join->input, nd_int64_datum(&group),
					&(JoinRow){.data = list.tokens, .count = list.count});
}

/* Begins a group with the values of its first row. */
static void
begin_record_group(void *context, uint32 group, const void *content, Size size)
{
	RecordRows *rows = context;
	int count = rows->request->text_count;
	Datum *values = palloc0(count * sizeof(Datum));
	bool *nulls = palloc0(count * sizeof(bool));
	const char *next = content;
	ByteBuffer body;

	ByteBufferInit(&body, 0);
	for (int i = 0; i < count; i++)
	{
		ByteSpan value = next_value(&next);

		nulls[i] = value.length == 0;
		if (nulls[i])
			continue;
		values[i] = PointerGetDatum(cstring_to_text_with_len(value.data, (int) value.length));
		if (i < rows->request->column_count)
			append_to_record_body(&body, value);
	}
	append_to_join(rows, group, &body);
	RowValuesPut(&rows->values, values, nulls);
	ByteBufferFree(&body);
}

static RowWishes
wishes_of_records(RecordRows *rows)
{
	const RecordRequest *request = rows->request;
	RowWishes wishes = {.keys = KEYS_UNIQUE,
						.key_column = RECORD_KEY,
						.key_name = request->key_name,
						.scope_column = request->within != NULL ? RECORD_SCOPE : 0,
						.has_groups = true,
						.context = rows,
						.begin = begin_record_texts,
						.note = note_record,
						.begin_group = begin_record_group};

	if (request->except_pairs != NULL)
		wishes.except = ExceptPairsRead(request->except_pairs, request->key_policy,
										request->key_type, request->key_collation, false);
	RowArraysAdd(&wishes.by_row, &rows->texts, sizeof(CopyHash));
	if (request->keep != NULL)
		RowArraysAdd(&wishes.by_row, &rows->preferred, sizeof(uint32));
	if (request->entity_column != NULL)
		RowArraysAdd(&wishes.by_row, &rows->entity, sizeof(uint32));
	return wishes;
}

void
RecordRowsRead(RecordRows *rows, SimilarityJoin *join, JoinRequest *join_request,
			   const RecordRequest *request)
{
	RowWishes wishes;

	*rows = (RecordRows){.request = request};
	wishes = wishes_of_records(rows);
	RowValuesBegin(&rows->values, request->text_count, BYTEAOID);
	CallRowsRead(&rows->rows, &wishes, join, join_request);
	CallRowsPlace(&rows->rows, NULL);
}

void
RecordRowsRewind(RecordRows *rows)
{
	RowValuesRewind(&rows->values);
	rows->next = 0;
}

bool
RecordRowsNext(RecordRows *rows, uint32 *group)
{
	if (!RowValuesNext(&rows->values))
		return false;
	*group = rows->kept == NULL ? rows->rows.ranks[rows->next] : rows->kept[rows->next];
	rows->next++;
	return true;
}

void
RecordRowsKeep(RecordRows *rows, const bool *are_kept)
{
	uint32 *kept = AllocateArray(rows->rows.group_count, sizeof(uint32));
	uint32 count = 0;
	RowValues values;
	uint32 group;

	rows->positions = AllocateArray(rows->rows.group_count, sizeof(uint32));
	RowValuesBegin(&values, rows->request->text_count, BYTEAOID);
	RecordRowsRewind(rows);
	while (RecordRowsNext(rows, &group))
	{
		if (!are_kept[group])
			continue;
		RowValuesPut(&values, rows->values.slot->tts_values, rows->values.slot->tts_isnull);
		rows->positions[group] = count;
		kept[count++] = group;
	}
	RowValuesEnd(&rows->values);
	rows->values = values;
	rows->kept = kept;
}

ByteSpan
RecordRowsValue(const RecordRows *rows, int column)
{
	const TupleTableSlot *slot = rows->values.slot;
	text *packed;

	if (slot->tts_isnull[column])
		return (ByteSpan){NULL, 0};
	packed = DatumGetTextPP(slot->tts_values[column]);
	return (ByteSpan){VARDATA_ANY(packed), VARSIZE_ANY_EXHDR(packed)};
}

TokenList
RecordRowsTokensOfGroup(const RecordRows *rows)
{
	ByteBuffer body;
	TokenList list;

	ByteBufferInit(&body, 0);
	for (int i = 0; i < rows->request->column_count; i++)
		append_to_record_body(&body, RecordRowsValue(rows, i));
	list = tokens_of_body(&body);
	ByteBufferFree(&body);
	return list;
}

/* Counts the tokens of a group. */
static void
count_tokens(token_hash *counts, const RecordRows *records, uint32 rows)
{
	TokenList list = RecordRowsTokensOfGroup(records);

	for (Size i = 0; i < list.count; i++)
	{
		bool found;
		TokenRows *count = token_insert(counts, list.tokens[i], &found);

		count->rows = found ? count->rows + rows : rows;
	}
	pfree(list.tokens);
}

/* Returns the list of the tokens that were counted. */
static RecordFrequencies
list_tokens(token_hash *counts, uint64 all)
{
	ListedFrequency *frequencies = AllocateArray(counts->members, sizeof(ListedFrequency));
	token_iterator iterator;
	TokenRows *count;
	uint32 number = 0;

	token_start_iterate(counts, &iterator);
	while ((count = token_iterate(counts, &iterator)) != NULL)
		frequencies[number++] = (ListedFrequency){.token = count->token, .rows = count->rows};
	return RecordFrequenciesList(frequencies, number, MOST_LISTED_TOKENS, all);
}

RecordFrequencies
RecordRowsTokens(RecordRows *rows)
{
	token_hash *counts = token_create(CurrentMemoryContext, 1024, NULL);
	uint32 step = rows->rows.group_count / MOST_COUNTED_GROUPS + 1;
	RecordFrequencies frequencies;
	uint64 all = 0;
	uint32 group;

	RecordRowsRewind(rows);
	while (RecordRowsNext(rows, &group))
	{
		uint32 size = CallRowsGroupSize(&rows->rows, group);

		CHECK_FOR_INTERRUPTS();
		if (group % step != 0)
			continue;
		count_tokens(counts, rows, size);
		all += size;
	}
	frequencies = list_tokens(counts, all);
	token_destroy(counts);
	return frequencies;
}

Veto
RecordRowsVeto(RecordRows *rows)
{
	const RecordRequest *request = rows->request;
	Veto veto = VetoBegin(request->differ_count, rows->rows.group_count);
	uint32 group;

	if (request->differ_count == 0)
		return veto;
	RecordRowsRewind(rows);
	while (RecordRowsNext(rows, &group))
	{
		for (int i = 0; i < request->differ_count; i++)
			VetoTake(&veto, i, group, RecordRowsValue(rows, request->differ[i]));
	}
	VetoEndTaking(&veto);
	return veto;
}

void
RecordRowsForgetValues(RecordRows *rows)
{
	RowValuesEnd(&rows->values);
}
