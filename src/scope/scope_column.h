/*
 * scope_column.h
 *		The values of a column of a scope, as part of a salt.
 *
 * Where the values of rows that meet are compared again, as an index compares them, any hash function
 * of their type will do: an accident costs a comparison. Where nothing compares them again, different
 * values must have different hashes as surely as different texts have different tokens.
 */
#ifndef NEARDUP_SCOPE_COLUMN_H
#define NEARDUP_SCOPE_COLUMN_H

#include "fmgr.h"

/*
 * Returns the salt of a scope with one more value (ScopeSalt), which is compared again. `function`
 * hashes its type to 64 bits, with a seed.
 */
extern uint64 ScopeSaltHashed(uint64 salt, FmgrInfo *function, Oid collation, Datum value);

/* How values that nothing compares again are hashed. */
typedef struct ScopeColumn
{
	Oid type;
	FmgrInfo *function; /* NULL if the bytes are hashed */
	Oid collation;
	bool is_number; /* by value where a Datum has 8 bytes */
	bool is_numeric;
	int16 length;
} ScopeColumn;

/*
 * Describes a column of this type; allocates in the context. Raises feature_not_supported if no hash
 * tells values of the type apart.
 */
extern ScopeColumn ScopeColumnExact(Oid type, Oid collation, MemoryContext context);

/* Returns the salt of a scope with one more value, which is not NULL. */
extern uint64 ScopeSaltExact(uint64 salt, const ScopeColumn *column, Datum value);

#endif
