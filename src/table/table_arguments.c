/*
 * table_arguments.c
 *		Reading the arguments of functions that read a table.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "table/table_arguments.h"
#include "join/call/arguments.h"

char *
TableNameArgument(FunctionCallInfo fcinfo, int number, const char *name)
{
	return NameStr(*DatumGetName(JoinArgumentOrError(fcinfo, number, name)));
}

char *
TableFragmentArgument(FunctionCallInfo fcinfo, int number, const char *relation, const char *name,
					  void (*check)(const char *fragment, const char *relation, const char *name))
{
	char *fragment;

	if (PG_ARGISNULL(number))
		return NULL;
	fragment = text_to_cstring(PG_GETARG_TEXT_PP(number));
	check(fragment, relation, name);
	return fragment;
}

const char *
TableSqlName(Relation relation)
{
	return quote_qualified_identifier(get_namespace_name(RelationGetNamespace(relation)),
									  RelationGetRelationName(relation));
}

/*
 * Returns the name of a column as SQL. SQL by itself would accept the relation's name, too, as a
 * column of whole rows.
 */
const char *
TableColumnOrError(Relation relation, const char *name)
{
	if (get_attnum(RelationGetRelid(relation), name) == InvalidAttrNumber)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
						errmsg("column \"%s\" of relation \"%s\" does not exist", name,
							   RelationGetRelationName(relation)),
						errhint("Key and text are names of columns. "
								"What is computed can be a column of a view.")));
	return quote_identifier(name);
}

Oid
TableColumnCollation(Relation relation, const char *name)
{
	Oid type;
	int32 unused_modifier;
	Oid collation;

	get_atttypetypmodcoll(RelationGetRelid(relation), get_attnum(RelationGetRelid(relation), name),
						  &type, &unused_modifier, &collation);
	return collation;
}
