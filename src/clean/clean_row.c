/*
 * clean_row.c
 *		A row of a table that is not checked.
 *
 * A search for rows that are similar to a new one needs the row before it is inserted, when columns
 * have no value yet that a sequence will give them. PostgreSQL makes no row of a table with a NULL in
 * a column of a domain that forbids it.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

PG_FUNCTION_INFO_V1(clean_row);

/*
 * clean_row(NULL::TABLE, fields): a row of a table, of the values of its columns in their order, without
 * those that were dropped. Values of domains may be those of the types beneath them, and are not
 * checked.
 */
Datum
clean_row(PG_FUNCTION_ARGS)
{
	TupleDesc to = lookup_rowtype_tupdesc(get_fn_expr_argtype(fcinfo->flinfo, 0), -1);
	HeapTupleHeader row = PG_GETARG_HEAPTUPLEHEADER(1);
	TupleDesc from =
		lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(row), HeapTupleHeaderGetTypMod(row));
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(row), .t_data = row};
	Datum *fields = palloc(from->natts * sizeof(Datum));
	bool *field_nulls = palloc(from->natts * sizeof(bool));
	Datum *values = palloc0(to->natts * sizeof(Datum));
	bool *nulls = palloc(to->natts * sizeof(bool));
	int next = 0;
	Datum result;

	heap_deform_tuple(&tuple, from, fields, field_nulls);
	for (int i = 0; i < to->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(to, i);

		nulls[i] = true;
		if (column->attisdropped)
			continue;
		if (next == from->natts ||
			getBaseType(column->atttypid) != getBaseType(TupleDescAttr(from, next)->atttypid))
			elog(ERROR, "field %d does not fit column \"%s\"", next + 1, NameStr(column->attname));
		values[i] = fields[next];
		nulls[i] = field_nulls[next];
		next++;
	}
	if (next != from->natts)
		elog(ERROR, "row has %d fields in place of %d", from->natts, next);
	result = HeapTupleGetDatum(heap_form_tuple(to, values, nulls));
	ReleaseTupleDesc(from);
	ReleaseTupleDesc(to);
	PG_RETURN_DATUM(result);
}
