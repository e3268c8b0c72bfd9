/*
 * index_class.c
 *		Recognizes operator classes of the access method neardup.
 *
 * A class is known by the C function that makes its sets, whatever its name and schema are.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

#include "function_behind.h"
#include "kinds/index_class.h"

PGFunction
IndexClassSetOfText(Oid opfamily)
{
	Oid function = get_opfamily_proc(opfamily, TEXTOID, TEXTOID, INDEX_SET_FUNCTION);

	return OidIsValid(function) ? FunctionBehind(function, 1) : NULL;
}
