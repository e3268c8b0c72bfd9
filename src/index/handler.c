/*
 * handler.c
 *		The access method neardup: what it can do, and the functions that do it.
 *
 * An index has one column and is not unique. It cannot return the column, since it does not keep
 * the sets. Conditions are optional, so that an ORDER BY or a partial index can be served without
 * one; all rows are in the index, those without tokens too. What is not set here is false or NULL.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/reloptions.h"
#include "catalog/pg_amop.h"
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

/* Whether the operators of a class's family have numbers that the access method knows. */
static bool
validate(Oid opclass)
{
	Oid family = get_opclass_family(opclass);
	CatCList *operators = SearchSysCacheList1(AMOPSTRATEGY, ObjectIdGetDatum(family));
	HeapTuple tuple = SearchSysCache1(OPFAMILYOID, ObjectIdGetDatum(family));
	bool result = true;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator family %u", family);
	for (int i = 0; i < operators->n_members; i++)
	{
		Form_pg_amop member = (Form_pg_amop) GETSTRUCT(&operators->members[i]->tuple);

		if (!validate_member(member, NameStr(((Form_pg_opfamily) GETSTRUCT(tuple))->opfname)))
			result = false;
	}
	ReleaseSysCache(tuple);
	ReleaseCatCacheList(operators);
	return result;
}

Datum
neardup_handler(PG_FUNCTION_ARGS)
{
	IndexAmRoutine *routine = makeNode(IndexAmRoutine);

	routine->amstrategies = INDEX_STRATEGIES;
	routine->amsupport = 0;
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
