/*
 * arguments.c
 *		Reading arguments of functions that are not STRICT.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_type.h"
#include "storage/lockdefs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "allocate.h"
#include "join/call/arguments.h"

Datum
JoinArgumentOrError(FunctionCallInfo fcinfo, int number, const char *name)
{
	if (PG_ARGISNULL(number))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("%s of %s must not be null", name, JoinFunctionName(fcinfo))));
	return PG_GETARG_DATUM(number);
}

char *
JoinTextArgumentOrError(FunctionCallInfo fcinfo, int number, const char *name)
{
	return TextDatumGetCString(JoinArgumentOrError(fcinfo, number, name));
}

char **
JoinNamesOrError(const char *function, const char *argument, ArrayType *array, int *count)
{
	Datum *values;
	bool *nulls;
	char **names;

	deconstruct_array(array, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR, &values, &nulls, count);
	names = AllocateArray(*count, sizeof(char *));
	for (int i = 0; i < *count; i++)
	{
		if (nulls[i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("%s of %s must not contain nulls", argument, function)));
		names[i] = NameStr(*DatumGetName(values[i]));
		for (int j = 0; j < i; j++)
		{
			if (strcmp(names[i], names[j]) == 0)
				ereport(ERROR, (errcode(ERRCODE_DUPLICATE_COLUMN),
								errmsg("column \"%s\" is named more than once", names[i])));
		}
	}
	return names;
}

const char *
JoinFunctionName(FunctionCallInfo fcinfo)
{
	const char *name = get_func_name(fcinfo->flinfo->fn_oid);

	if (name == NULL)
		elog(ERROR, "cache lookup failed for function %u", fcinfo->flinfo->fn_oid);
	return name;
}

Oid
JoinSchema(FunctionCallInfo fcinfo)
{
	return get_func_namespace(fcinfo->flinfo->fn_oid);
}

int
JoinKeyArgument(FunctionCallInfo fcinfo, KeyPolicy *policy, Oid *type)
{
	Oid *declared;
	int count;

	get_func_signature(fcinfo->flinfo->fn_oid, &declared, &count);
	*policy = count > 0 && declared[0] == ANYELEMENTOID ? KEYS_OF_TYPE : KEYS_INTEGER;
	if (*policy == KEYS_INTEGER)
		return 0;
	*type = get_fn_expr_argtype(fcinfo->flinfo, 0);
	if (!OidIsValid(*type))
		ereport(ERROR, (errcode(ERRCODE_INDETERMINATE_DATATYPE),
						errmsg("could not determine the type of the key")));
	return 1;
}

Relation
JoinRelationOrError(Oid oid)
{
	Relation relation = try_table_open(oid, AccessShareLock);

	if (relation == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
						errmsg("relation with OID %u does not exist", oid)));
	return relation;
}

int
JoinQueryArguments(FunctionCallInfo fcinfo, JoinRequest *request)
{
	ReaderSpec *reader = &request->reader;
	int next = JoinKeyArgument(fcinfo, &reader->key_policy, &reader->key_type);
	int against = PG_NARGS() - 1;
	bool two_sided = !PG_ARGISNULL(against);

	request->queries[0] = JoinTextArgumentOrError(fcinfo, next++, "query");
	request->queries[1] = two_sided ? TextDatumGetCString(PG_GETARG_DATUM(against)) : NULL;
	request->task.name = JoinFunctionName(fcinfo);
	request->task.distinct_keys = !two_sided;
	request->task.may_share = true;
	reader->function = request->task.name;
	reader->keys_are_compared = !two_sided;
	reader->schema = JoinSchema(fcinfo);
	return next;
}
