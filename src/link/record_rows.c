/*
 * record_rows.c
 *		Reading the rows of a table of records.
 *
 * The query is run once. Values of the groups are kept for the columns to be compared one after the
 * other.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "compat.h"
#include "table/default_tokens.h"
#include "link/record_rows.h"
#include "text/encoding.h"
#include "text/normalize.h"
#include "text/token_sort.h"

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

/* Returns the hash of a row's compared values as they are written; NULL is not the empty text. */
static CopyHash
hash_of_texts(const RecordRows *rows, const TupleTableSlot *slot)
{
	ByteBuffer content;
	CopyHash hash;

	ByteBufferInit(&content, 0);
	for (int i = 0; i < rows->request->column_count; i++)
	{
		uint64 null = PG_UINT64_MAX;

		if (slot->tts_isnull[RECORD_TEXTS + i])
			ByteBufferAppend(&content, (const char *) &null, sizeof(null));
		else
		{
			text *value = DatumGetTextPP(slot->tts_values[RECORD_TEXTS + i]);

			append_value(&content, VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
		}
	}
	hash = CopiesHash(rows->rows.copies, content.data, content.used);
	ByteBufferFree(&content);
	return hash;
}

/* Appends a normalized value, which is empty for NULL. */
static void
append_normalized(ByteBuffer *buffer, Datum datum, bool isnull)
{
	text *value;
	ByteSpan utf8;
	ByteBuffer normalized;

	if (isnull)
	{
		append_value(buffer, "", 0);
		return;
	}
	value = DatumGetTextPP(datum);
	utf8 = ServerToUtf8(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
	normalized = NormalizeUtf8(utf8);
	append_value(buffer, normalized.data, normalized.used);
	ByteBufferFree(&normalized);
	Utf8Release(utf8, VARDATA_ANY(value));
}

/* Notes a row, whose normalized values are its content. */
static void
note_record(void *context, TupleTableSlot *slot, uint32 number)
{
	RecordRows *rows = context;
	ByteBuffer content;

	rows->texts[number] = hash_of_texts(rows, slot);
	if (rows->request->keep != NULL)
		rows->preferred[number] = (uint32) DatumGetInt64(slot->tts_values[RECORD_PLACE]);
	ByteBufferInit(&content, 0);
	for (int i = 0; i < rows->request->text_count; i++)
		append_normalized(&content, slot->tts_values[RECORD_TEXTS + i],
						  slot->tts_isnull[RECORD_TEXTS + i]);
	CallRowsTakeContent(&rows->rows, content.data, content.used);
	ByteBufferFree(&content);
}

/* Appends the words and 4-grams of all compared values of a group to the join. */
static void
append_to_join(RecordRows *rows, int64 group, ByteSpan body)
{
	TokenList list;

	TokenListInit(&list, 0);
	LinkTokensOfNormalized(body, true, &list);
	TokensSort(list.tokens, list.count);
	list.count = TokensUnique(list.tokens, list.count);
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
		if (i >= rows->request->column_count)
			continue;
		if (body.used > 0)
			ByteBufferAppend(&body, " ", 1);
		ByteBufferAppend(&body, value.data, value.length);
	}
	append_to_join(rows, group, (ByteSpan){body.data, body.used});
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
						.note = note_record,
						.begin_group = begin_record_group};

	if (request->except_pairs != NULL)
		wishes.except = ExceptPairsRead(request->except_pairs, request->key_policy,
										request->key_type, request->key_collation, false);
	RowArraysAdd(&wishes.by_row, &rows->texts, sizeof(CopyHash));
	if (request->keep != NULL)
		RowArraysAdd(&wishes.by_row, &rows->preferred, sizeof(uint32));
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
	*group = rows->rows.ranks[rows->next++];
	return true;
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
