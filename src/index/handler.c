/*
 * handler.c
 *		The access method neardup: what it can do, and the functions that do it.
 *
 * An index has one column of sets, the last one, perhaps scope columns before it (scope.c), and is
 * not unique. It cannot return its columns, since it does not keep their values. Conditions are
 * optional, so that an ORDER BY or a partial index can be served without one; all rows are in the
 * index, those without tokens too. What is not set here is false or NULL.
 *
 * The column of sets need not be of type tokenset: an operator class may have a support function that
 * makes a set of a value (row_set.h). All conditions of such a class are on the sets, or imply one on
 * the sets, since the executor rechecks them on the column's values. An operator class of scope columns
 * has = and a hash function.
 */
#include "postgres.h"

#include "access/amvalidate.h"
#include "access/htup_details.h"
#include "access/reloptions.h"
#include "catalog/pg_amop.h"
#include "catalog/pg_amproc.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_type.h"
#include "commands/vacuum.h"
#include "utils/catcache.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/syscache.h"

#include "index/build.h"
#include "index/cost.h"
#include "index/scan.h"
#include "kinds/index_class.h"
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

	if (strategy >= 1 && strategy <= INDEX_STRATEGIES &&
		(member->amoppurpose == AMOP_ORDER) == (IndexOrderOf(strategy) != NULL))
		return true;
	ereport(INFO, (errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				   errmsg("operator family \"%s\" of access method neardup contains operator %s "
						  "with invalid strategy number %d",
						  family, format_operator(member->amopopr), strategy)));
	return false;
}

/*
 * Returns whether a function takes a value and a seed and returns a hash. The type of the value is
 * not checked, since PostgreSQL's hash functions serve several types that are stored alike.
 */
static bool
is_hash_function(Oid function)
{
	Oid *types;
	int count;
	Oid result = get_func_signature(function, &types, &count);

	return result == INT8OID && count == 2 && types[1] == INT8OID;
}

/* Whether a support function may have its number and its arguments. If not, a message says so. */
static bool
validate_function(Form_pg_amproc member, const char *family)
{
	if (member->amprocnum == INDEX_HASH_FUNCTION && is_hash_function(member->amproc))
		return true;
	if (member->amprocnum == INDEX_SET_FUNCTION &&
		check_amproc_signature(member->amproc, get_func_rettype(member->amproc), true, 1, 1,
							   member->amproclefttype))
		return true;
	ereport(INFO, (errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
				   errmsg("operator family \"%s\" of access method neardup contains function %s "
						  "with invalid support number %d or wrong arguments",
						  family, format_procedure(member->amproc), member->amprocnum)));
	return false;
}

/*
 * Returns whether both sides of an operator have the support functions that it needs: each side of
 * = needs a hash function, other operators need none. If not, a message says so.
 */
static bool
validate_hashes(Form_pg_amop member, Oid oid, const char *family)
{
	bool is_hashed = member->amopstrategy == INDEX_SCOPE_EQUALS;
	Oid left =
		get_opfamily_proc(oid, member->amoplefttype, member->amoplefttype, INDEX_HASH_FUNCTION);
	Oid right =
		get_opfamily_proc(oid, member->amoprighttype, member->amoprighttype, INDEX_HASH_FUNCTION);

	if (OidIsValid(left) == is_hashed && OidIsValid(right) == is_hashed)
		return true;
	ereport(INFO,
			(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
			 errmsg("operator family \"%s\" of access method neardup must have hash functions "
					"for the types of operator %s, and only for those of =",
					family, format_operator(member->amopopr))));
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
		Form_pg_amop member = (Form_pg_amop) GETSTRUCT(&operators->members[i]->tuple);

		if (!validate_member(member, family) || !validate_hashes(member, oid, family))
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
	routine->amcanmulticol = true;
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
