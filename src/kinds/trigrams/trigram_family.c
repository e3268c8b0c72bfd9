/*
 * trigram_family.c
 *		Recognizes the operator family of trgm_ops.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

#include "function_behind.h"
#include "kinds/index_strategy.h"
#include "kinds/trigrams/trigram_family.h"
#include "kinds/trigrams/trgm_ops.h"

Oid
TrigramFamilyOperand(Oid opfamily)
{
	Oid operand = get_opfamily_proc(opfamily, TEXTOID, TEXTOID, INDEX_OPERAND_FUNCTION);

	if (!OidIsValid(operand) || FunctionBehind(operand, 2) != trgm_operand)
		return InvalidOid;
	return operand;
}
