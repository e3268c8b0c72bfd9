/*
 * record_request.c
 *		Reading the arguments of duplicate_records.
 *
 * Columns are compared by their text form (record_text.h).
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "allocate.h"
#include "table/fragment.h"
#include "table/table_arguments.h"
#include "join/call/arguments.h"
#include "link/record_request.h"

#define LEAST_COLUMNS 2

static void
add_column(RecordRequest *request, Relation relation, const char *name)
{
	request->column_names[request->text_count] = pstrdup(name);
	request->columns[request->text_count++] = TableColumnOrError(relation, name);
}

/* Makes room for more columns. */
static void
begin_columns(RecordRequest *request, int more)
{
	Size capacity = request->text_count + more;

	request->column_names = ResizeArray(request->column_names, capacity, sizeof(char *));
	request->columns = ResizeArray(request->columns, capacity, sizeof(char *));
}

/* Takes all columns of the relation but the key. */
static void
take_all_columns(RecordRequest *request, Relation relation)
{
	TupleDesc descriptor = RelationGetDescr(relation);

	begin_columns(request, descriptor->natts);
	for (int i = 0; i < descriptor->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(descriptor, i);

		if (!column->attisdropped && strcmp(NameStr(column->attname), request->key_name) != 0)
			add_column(request, relation, NameStr(column->attname));
	}
}

/* Returns the number of a column that is read, or -1. */
static int
find_column(const RecordRequest *request, const char *name)
{
	for (int i = 0; i < request->text_count; i++)
	{
		if (strcmp(name, request->column_names[i]) == 0)
			return i;
	}
	return -1;
}

/* Returns the names of an array, of which none is the key. */
static char **
read_names(const RecordRequest *request, const char *argument, ArrayType *array, int *count)
{
	char **names = JoinNamesOrError(request->function, argument, array, count);

	for (int i = 0; i < *count; i++)
	{
		if (strcmp(names[i], request->key_name) == 0)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("column \"%s\" is the key, which is not compared", names[i]),
							errdetail("Keys are different where rows are the same thing.")));
	}
	return names;
}

/* Takes the columns that the caller names. */
static void
take_columns(RecordRequest *request, Relation relation, ArrayType *array)
{
	int count;
	char **names = read_names(request, "columns", array, &count);

	begin_columns(request, count);
	for (int i = 0; i < count; i++)
		add_column(request, relation, names[i]);
}

/* Takes the columns of the model, which are those that the caller names, if any. */
static void
take_columns_of_model(RecordRequest *request, Relation relation, bool are_named)
{
	const LearnedModel *model = request->model;
	bool are_same = !are_named || request->text_count == model->column_count;

	for (int i = 0; are_named && are_same && i < model->column_count; i++)
		are_same = strcmp(request->column_names[i], model->columns[i].name) == 0;
	if (!are_same)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the model was learned from other columns"),
						errhint("Leave columns out to take those of the model, or learn a model "
								"from these columns by learn_records.")));
	if (are_named)
		return;
	begin_columns(request, model->column_count);
	for (int i = 0; i < model->column_count; i++)
		add_column(request, relation, model->columns[i].name);
}

/* Takes the columns by which rows are never the same thing, whether they are compared or not. */
static void
take_differ(RecordRequest *request, Relation relation, ArrayType *array)
{
	int count;
	char **names = read_names(request, "differ", array, &count);

	begin_columns(request, count);
	request->differ = AllocateArray(count, sizeof(int));
	for (int i = 0; i < count; i++)
	{
		int column = find_column(request, names[i]);

		if (column < 0)
		{
			column = request->text_count;
			add_column(request, relation, names[i]);
		}
		request->differ[request->differ_count++] = column;
	}
	request->differ_names = OidOutputFunctionCall(F_ARRAY_OUT, PointerGetDatum(array));
}

/* Returns the query of the rows. A line break ends each of the user's fragments. */
static char *
compose_records(const RecordRequest *request)
{
	StringInfoData query;

	initStringInfo(&query);
	appendStringInfo(&query, "SELECT %s, ", request->key_column);
	if (request->keep != NULL)
		appendStringInfo(&query,
						 "pg_catalog.row_number() OVER (ORDER BY %s\n, %s) "
						 "OPERATOR(pg_catalog.-) 1, ",
						 request->keep, request->key_column);
	else
		appendStringInfo(&query, "%s, ",
						 request->entity_column != NULL ? request->entity_column
														: "0::pg_catalog.int8");
	if (request->within != NULL)
		appendStringInfo(&query,
						 "pg_catalog.dense_rank() OVER (ORDER BY %s\n) "
						 "OPERATOR(pg_catalog.-) 1",
						 request->within);
	else
		appendStringInfoString(&query, "0::pg_catalog.int8");
	for (int i = 0; i < request->text_count; i++)
		appendStringInfo(&query, ", %s", request->columns[i]);
	appendStringInfo(&query, " FROM %s", request->relation);
	return query.data;
}

/* Reads the columns, and the model if the function has one, its last argument. */
static void
read_compared_columns(RecordRequest *request, FunctionCallInfo fcinfo, int number,
					  Relation relation, int arguments)
{
	bool are_named = !PG_ARGISNULL(number);

	if ((arguments & RECORD_HAS_MODEL) != 0 && !PG_ARGISNULL(PG_NARGS() - 1))
		request->model = LearnedModelRead(PG_GETARG_JSONB_P(PG_NARGS() - 1));
	if (are_named)
		take_columns(request, relation, PG_GETARG_ARRAYTYPE_P(number));
	else if (request->model == NULL)
		take_all_columns(request, relation);
	if (request->model != NULL)
		take_columns_of_model(request, relation, are_named);
}

/* Reads the model, whose columns are compared; the query has known and new rows. */
static void
read_model(RecordRequest *request, FunctionCallInfo fcinfo, int number, Relation relation)
{
	request->model = LearnedModelRead(DatumGetJsonbP(JoinArgumentOrError(fcinfo, number, "model")));
	request->entity_column = request->key_column;
	take_columns_of_model(request, relation, false);
}

/* Reads the column of the entities, and the model. */
static void
read_entity(RecordRequest *request, FunctionCallInfo fcinfo, int number, Relation relation)
{
	char *name = TableNameArgument(fcinfo, number, "entity");

	read_model(request, fcinfo, number + 1, relation);
	request->entity_column = TableColumnOrError(relation, name);
}

RecordRequest
RecordRequestRead(FunctionCallInfo fcinfo, int arguments)
{
	RecordRequest request = {.function = JoinFunctionName(fcinfo)};
	int first = JoinKeyArgument(fcinfo, &request.key_policy, &request.key_type);
	Oid oid = DatumGetObjectId(JoinArgumentOrError(fcinfo, first, "rel"));
	Relation relation;
	int next;

	request.key_name = TableNameArgument(fcinfo, first + 1, "key");
	relation = JoinRelationOrError(oid);
	request.relation_oid = oid;
	request.relation = TableSqlName(relation);
	request.key_column = TableColumnOrError(relation, request.key_name);
	request.key_collation = TableColumnCollation(relation, request.key_name);
	if ((arguments & RECORD_HAS_RECORD) != 0)
		read_model(&request, fcinfo, first + 3, relation);
	else if ((arguments & RECORD_HAS_ENTITY) != 0)
		read_entity(&request, fcinfo, first + 2, relation);
	else
		read_compared_columns(&request, fcinfo, first + 2, relation, arguments);
	request.column_count = request.text_count;
	if (request.column_count < LEAST_COLUMNS)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s compares at least two columns", request.function),
						errdetail("What each column says is learned from the others."),
						errhint("near_duplicates compares rows by one text.")));
	if ((arguments & RECORD_HAS_RECORD) != 0)
	{
		table_close(relation, NoLock);
		return request;
	}
	next = first + ((arguments & RECORD_HAS_ENTITY) != 0 ? 4 : 3);
	if ((arguments & RECORD_HAS_KEEP) != 0)
		request.keep =
			TableFragmentArgument(fcinfo, next++, request.relation, "keep", OrderByListOrError);
	request.within =
		TableFragmentArgument(fcinfo, next++, request.relation, "within", ExpressionListOrError);
	if (!PG_ARGISNULL(next))
		request.except_pairs = text_to_cstring(PG_GETARG_TEXT_PP(next));
	if (!PG_ARGISNULL(next + 1))
		take_differ(&request, relation, PG_GETARG_ARRAYTYPE_P(next + 1));
	request.query = compose_records(&request);
	table_close(relation, NoLock);
	return request;
}

void
RecordRequestNarrow(RecordRequest *request, const char *names)
{
	/* Keys and entities may be integers of two sizes. */
	Oid type = request->key_policy == KEYS_OF_TYPE ? request->key_type : INT8OID;
	Oid equality = lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;
	HeapTuple tuple = SearchSysCache1(OPEROID, ObjectIdGetDatum(equality));
	Form_pg_operator form;

	if (!HeapTupleIsValid(tuple))
		return;
	form = (Form_pg_operator) GETSTRUCT(tuple);
	request->query =
		psprintf("%s WHERE %s IS NULL OR %s OPERATOR(%s.%s) ANY (ARRAY[%s]::%s[])", request->query,
				 request->entity_column, request->entity_column,
				 quote_identifier(get_namespace_name(form->oprnamespace)), NameStr(form->oprname),
				 names, format_type_extended(type, -1, FORMAT_TYPE_FORCE_QUALIFY));
	request->is_narrowed = true;
	ReleaseSysCache(tuple);
}

static void
append_call_argument(StringInfo call, const char *name, const char *value)
{
	if (value != NULL)
		appendStringInfo(call, ", %s => %s", name, quote_literal_cstr(value));
}

char *
RecordRequestWithout(const RecordRequest *request, const bool *left_out)
{
	Datum *names = palloc(request->column_count * sizeof(Datum));
	int count = 0;
	ArrayType *columns;
	StringInfoData call;

	if (left_out == NULL)
		return NULL;
	for (int i = 0; i < request->column_count; i++)
	{
		if (!left_out[i])
			names[count++] = DirectFunctionCall1(namein, CStringGetDatum(request->column_names[i]));
	}
	if (count == request->column_count || count < LEAST_COLUMNS)
		return NULL;
	columns = construct_array(names, count, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR);
	initStringInfo(&call);
	appendStringInfo(&call, "%s(", request->function);
	if (request->key_policy == KEYS_OF_TYPE)
		appendStringInfo(&call, "NULL::%s, ", format_type_be(request->key_type));
	appendStringInfo(
		&call, "%s, %s, %s", quote_literal_cstr(request->relation),
		quote_literal_cstr(request->key_name),
		quote_literal_cstr(OidOutputFunctionCall(F_ARRAY_OUT, PointerGetDatum(columns))));
	append_call_argument(&call, "keep", request->keep);
	append_call_argument(&call, "within", request->within);
	append_call_argument(&call, "except_pairs", request->except_pairs);
	append_call_argument(&call, "differ", request->differ_names);
	appendStringInfoChar(&call, ')');
	return call.data;
}
