/*
 * clean_row.c
 *		Rows of a table that are not in it: one that is searched for before it is inserted, and one as a
 *		merge would leave it.
 *
 * A search for rows that are similar to a new one needs the row before it is inserted, when columns
 * have no value yet that a sequence will give them. PostgreSQL makes no row of a table with a NULL in
 * a column of a domain that forbids it; clean_row() does, but checks all values that are there.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "funcapi.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "clean/clean_table.h"

PG_FUNCTION_INFO_V1(clean_row);
PG_FUNCTION_INFO_V1(clean_check_image);

/*
 * Returns the value of a field that is not NULL, of the type beneath that of a column, as the column has
 * it: of its length, and as its domain allows. Raises the errors of these.
 */
static Datum
checked_value(Datum value, Form_pg_attribute field, Form_pg_attribute column)
{
	int32 modifier = column->atttypmod;
	Oid type;
	Oid coercion;

	if (field->atttypid == column->atttypid && field->atttypmod == modifier)
		return value;
	type = getBaseTypeAndTypmod(column->atttypid, &modifier);
	if (modifier != -1 && find_typmod_coercion_function(type, &coercion) == COERCION_PATH_FUNC)
		value = OidFunctionCall3(coercion, value, Int32GetDatum(modifier), BoolGetDatum(false));
	if (column->atttypid != type)
		domain_check(value, false, column->atttypid, NULL, NULL);
	return value;
}

/*
 * Sets the columns of a table, in the memory of `values` and `nulls`, from a record that has the values
 * of all columns in their order, without those that were dropped. They are checked, but for NULL.
 */
static void
set_columns(TupleDesc columns, HeapTupleHeader record, Datum *values, bool *nulls)
{
	TupleDesc from =
		lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(record), HeapTupleHeaderGetTypMod(record));
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(record), .t_data = record};
	Datum *fields = palloc(from->natts * sizeof(Datum));
	bool *field_nulls = palloc(from->natts * sizeof(bool));
	int next = 0;

	heap_deform_tuple(&tuple, from, fields, field_nulls);
	for (int i = 0; i < columns->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, i);

		values[i] = (Datum) 0;
		nulls[i] = true;
		if (column->attisdropped)
			continue;
		if (next == from->natts)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("record has too few fields")));
		if (getBaseType(TupleDescAttr(from, next)->atttypid) != getBaseType(column->atttypid))
			ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
							errmsg("field %d does not fit column \"%s\"", next + 1,
								   NameStr(column->attname))));
		nulls[i] = field_nulls[next];
		if (!nulls[i])
			values[i] = checked_value(fields[next], TupleDescAttr(from, next), column);
		next++;
	}
	if (next != from->natts)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("record has too many fields")));
	ReleaseTupleDesc(from);
}

/* clean_row(NULL::TABLE, record): a row of a table, of the values of its columns; NULL for NULL. */
Datum
clean_row(PG_FUNCTION_ARGS)
{
	TupleDesc columns;
	Datum *values;
	bool *nulls;
	Datum row;

	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	columns = lookup_rowtype_tupdesc(get_fn_expr_argtype(fcinfo->flinfo, 0), -1);
	values = palloc(columns->natts * sizeof(Datum));
	nulls = palloc(columns->natts * sizeof(bool));
	set_columns(columns, PG_GETARG_HEAPTUPLEHEADER(1), values, nulls);
	row = HeapTupleGetDatum(heap_form_tuple(columns, values, nulls));
	ReleaseTupleDesc(columns);
	PG_RETURN_DATUM(row);
}

/*
 * clean_check_image(rel, record): true if a row of a table obeys its checks and has what must not be NULL,
 * else PostgreSQL's own error. The record has the values of all columns.
 */
Datum
clean_check_image(PG_FUNCTION_ARGS)
{
	Relation relation = CleanTableOpen(PG_GETARG_OID(0));
	TupleTableSlot *slot = MakeSingleTupleTableSlot(RelationGetDescr(relation), &TTSOpsVirtual);
	EState *estate = CreateExecutorState();
	ResultRelInfo *table = makeNode(ResultRelInfo);

	InitResultRelInfo(table, relation, 0, NULL, 0);
	set_columns(RelationGetDescr(relation), PG_GETARG_HEAPTUPLEHEADER(1), slot->tts_values,
				slot->tts_isnull);
	ExecStoreVirtualTuple(slot);
	if (RelationGetDescr(relation)->constr != NULL)
		ExecConstraints(table, slot, estate);
	ExecDropSingleTupleTableSlot(slot);
	FreeExecutorState(estate);
	table_close(relation, NoLock);
	PG_RETURN_BOOL(true);
}
