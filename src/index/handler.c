/*
 * handler.c
 *		The access method neardup: what it can do, and the functions that do it.
 *
 * An index has one column and is not unique. It cannot return the column, since it does not keep
 * the sets. Conditions are optional, so that an ORDER BY or a partial index can be served without
 * one; all rows are in the index, those without tokens too. What is not set here is false or NULL.
 *
 * The column need not be of type tokenset: an operator class may have a support function that makes
 * a set of a value (column_set.h). All conditions of such a class are on the sets, or are implied by
 * one on the sets, since the executor rechecks them on the column's values.
 */
#include "postgres.h"

#include "access/amvalidate.h"
#include "access/htup_details.h"
#include "access/reloptions.h"
#include "catalog/pg_amop.h"
#include "catalog/pg_amproc.h"
#include "catalog/pg_opfamily.h"
#include "commands/vacuum.h"
#include "utils/catcache.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

#include "index/build.h"
#include "index/cost.h"
#include "index/scan.h"
#include "index/strategy.h"
#include "index/vacuum.h"

PG_FUNCTION_INFO_V1(neardup_handler);

/* An index has no options: any that is named is an error. */
static bytea *
options(Datum reloptions, bool validate)
{
	return (bytea *) build_reloptions(reloptions, validate, 0, 0, NULL, 0);
}

/* Whether an operator of the family may have its number. If not, a message says so. */
static bool
validate_member(Form_pg_amop member, const char *family)
{
	int16 strategy = member->amopstrategy;
	bool is_order = strategy == INDEX_JACCARD_DISTANCE || strategy == INDEX_COSINE_DISTANCE;

	if (strategy >= 1 && strategy <= INDEX_STRATEGIES &&
		(member->amoppurpose == AMOP_ORDER) == is_order)
		return true;
	ereport(INFO, (errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				   errmsg("operator family \"%s\" of access method neardup contains operator %s "
						  "with invalid strategy number %d",
						  family, format_operator(member->amopopr), strategy)));
	return false;
}

/* Whether a support function may have its number and its argument. If not, a message says so. */
static bool
validate_function(Form_pg_amproc member, const char *family)
{
	if (member->amprocnum == INDEX_SET_FUNCTION &&
		check_amproc_signature(member->amproc, get_func_rettype(member->amproc), true, 1, 1,
							   member->amproclefttype))
		return true;
	ereport(INFO, (errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				   errmsg("operator family \"%s\" of access method neardup contains function %s "
						  "with invalid support number %d or wrong argument",
						  family, format_procedure(member->amproc), member->amprocnum)));
	return false;
}

/* Whether the operators and functions of a class's family are what the access method knows. */
static bool
validate(Oid opclass)
{
	Oid oid = get_opclass_family(opclass);
	CatCList *operators = SearchSysCacheList1(AMOPSTRATEGY, ObjectIdGetDatum(oid));
	CatCList *functions = SearchSysCacheList1(AMPROCNUM, ObjectIdGetDatum(oid));
	HeapTuple tuple = SearchSysCache1(OPFAMILYOID, ObjectIdGetDatum(oid));
	const char *family;
	bool result = true;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator family %u", oid);
	family = NameStr(((Form_pg_opfamily) GETSTRUCT(tuple))->opfname);
	for (int i = 0; i < operators->n_members; i++)
	{
		if (!validate_member((Form_pg_amop) GETSTRUCT(&operators->members[i]->tuple), family))
			result = false;
	}
	for (int i = 0; i < functions->n_members; i++)
	{
		if (!validate_function((Form_pg_amproc) GETSTRUCT(&functions->members[i]->tuple), family))
			result = false;
	}
	ReleaseSysCache(tuple);
	ReleaseCatCacheList(functions);
	ReleaseCatCacheList(operators);
	return result;
}

Datum
neardup_handler(PG_FUNCTION_ARGS)
{
	IndexAmRoutine *routine = makeNode(IndexAmRoutine);

	routine->amstrategies = INDEX_STRATEGIES;
	routine->amsupport = INDEX_SUPPORT_FUNCTIONS;
	routine->amcanorderbyop = true;
	routine->amoptionalkey = true;
	routine->amusemaintenanceworkmem = true;
	routine->amparallelvacuumoptions =
		VACUUM_OPTION_PARALLEL_BULKDEL | VACUUM_OPTION_PARALLEL_CLEANUP;
	routine->amkeytype = InvalidOid;
	routine->ambuild = IndexBuild;
	routine->ambuildempty = IndexBuildEmpty;
	routine->aminsert = IndexInsert;
	routine->ambulkdelete = IndexBulkDelete;
	routine->amvacuumcleanup = IndexVacuumCleanup;
	routine->amcostestimate = IndexCostEstimate;
	routine->amoptions = options;
	routine->amvalidate = validate;
	routine->ambeginscan = IndexScanBegin;
	routine->amrescan = IndexScanRestart;
	routine->amgettuple = IndexScanNext;
	routine->amgetbitmap = IndexScanBitmap;
	routine->amendscan = IndexScanEnd;
	PG_RETURN_POINTER(routine);
}
