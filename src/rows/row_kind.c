/*
 * row_kind.c
 *		Reading rows of any kind.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/syscache.h"

#include "rows/row_kind.h"

int64
RowKindSize(uint32 size)
{
	return size;
}

void
RowColumnTypeError(const RowReading *reading, Form_pg_attribute column, const char *hint)
{
	ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
					errmsg("%s column of the query has an unsupported type", reading->kind->name),
					errdetail("Column \"%s\" is of type %s.", NameStr(column->attname),
							  format_type_be(column->atttypid)),
					errhint("%s", hint)));
}

void
RowReadingInit(RowReading *reading, const RowKind *kind, struct JoinInput *input, Oid type,
			   Oid kind_type)
{
	*reading = (RowReading){.kind = kind, .input = input, .type = type, .kind_type = kind_type};
	TokenListInit(&reading->tokens, 0);
}

void
RowReadingFree(RowReading *reading)
{
	pfree(reading->tokens.tokens);
}

Oid
RowKindType(const RowKind *kind, Oid schema)
{
	Oid type;

	if (kind->type == NULL)
		return InvalidOid;
	type = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum(kind->type),
						   ObjectIdGetDatum(schema));
	if (!OidIsValid(type))
		elog(ERROR, "type %s is missing from the schema of the extension", kind->type);
	return type;
}

/* Copies the tokens of a row into the list of the reading, unless they are there, and returns it. */
static TokenList *
own_tokens(RowReading *reading, JoinRow *row)
{
	TokenList *list = &reading->tokens;

	if (row->data != list->tokens)
	{
		list->count = 0;
		memcpy(TokenListExtend(list, row->count), row->data, row->count * sizeof(Token));
		row->data = list->tokens;
	}
	list->count = row->count;
	return list;
}

void
RowReadingAddToken(RowReading *reading)
{
	if (!pg_strong_random(&reading->added, sizeof(Token)))
		ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate random bits")));
	reading->adds_token = true;
}

void
RowReadingPutAdded(RowReading *reading, JoinRow *row)
{
	TokenList *list;

	if (!reading->adds_token)
		return;
	list = own_tokens(reading, row);
	for (Size i = 0; i < list->count; i++)
	{
		if (list->tokens[i] == reading->added)
			elog(ERROR, "a set has the token that was drawn at random for a similarity join");
	}
	TokenListAppend(list, reading->added);
	*row = (JoinRow){.data = list->tokens, .count = list->count};
}

void
RowReadingSetApart(RowReading *reading, uint64 group, JoinRow *row)
{
	TokenList *list;

	if (group == 0)
		return;
	list = own_tokens(reading, row);
	for (Size i = 0; i < row->count; i++)
		list->tokens[i] ^= (Token) group;
}
