/*
 * record_entities.h
 *		What is known already: the entities that rows of a table belong to, and rows that are new.
 *
 * An entity is named by a value in a column of the table; a row without one is new. Names have the type of the
 * keys, since many tables name an entity by the key of one of its rows.
 */
#ifndef NEARDUP_LINK_RECORD_ENTITIES_H
#define NEARDUP_LINK_RECORD_ENTITIES_H

#include "fmgr.h"

#include "rows/copies.h"
#include "rows/keys.h"

typedef struct RecordEntities
{
	JoinKeys names;	 /* by number of the entity */
	Copies *numbers; /* of the names, and later of keys */
	FmgrInfo output; /* of names that are no integers */
} RecordEntities;

/*
 * Returns the type of the names in a column; raises datatype_mismatch if it is not that of the keys, nor
 * stored as it is.
 */
extern Oid RecordEntityTypeOrError(Form_pg_attribute column, KeyPolicy policy, Oid key_type);

/*
 * Begins without entities, for names in a column, as RecordEntityTypeOrError takes it. Allocates in the current
 * memory context.
 */
extern RecordEntities *RecordEntitiesBegin(Form_pg_attribute column, KeyPolicy policy,
										   Oid key_type);

/* Returns the number of the entity of this name, which may be a new one; NO_ROW for NULL. */
extern uint32 RecordEntitiesTake(RecordEntities *entities, Datum name, bool is_null);

/* Returns the number of the entity that is named by a key, or NO_ROW; no further names are taken then. */
extern uint32 RecordEntityOfKey(RecordEntities *entities, const JoinKeys *keys, uint32 row);

/* Returns the name of an entity as a result has it. */
static inline Datum
RecordEntityName(const RecordEntities *entities, KeyPolicy policy, uint32 number)
{
	return JoinKeysResult(&entities->names, policy, number);
}

#endif
