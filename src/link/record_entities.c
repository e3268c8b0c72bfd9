/*
 * record_entities.c
 *		Numbering the names of entities.
 *
 * Names are told apart by their text, or as integers.
 */
#include "postgres.h"

#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "link/record_entities.h"

Oid
RecordEntityTypeOrError(Form_pg_attribute column, KeyPolicy policy, Oid key_type)
{
	Oid type = policy == KEYS_OF_TYPE ? column->atttypid : getBaseType(column->atttypid);

	if (policy == KEYS_OF_TYPE ? !IsBinaryCoercible(type, key_type) : !JoinKeyTypeIsInteger(type))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("entities must be named by values of the type of the keys"),
				 errdetail("Column \"%s\" is of type %s, the keys are of type %s.",
						   NameStr(column->attname), format_type_be(type),
						   policy == KEYS_OF_TYPE ? format_type_be(key_type)
												  : "smallint, integer or bigint"),
				 errhint("The _keyed form of the function takes keys of any type with an order. "
						 "A view can have the keys and the entities as one type.")));
	return type;
}

RecordEntities *
RecordEntitiesBegin(Form_pg_attribute column, KeyPolicy policy, Oid key_type)
{
	RecordEntities *entities = palloc0(sizeof(RecordEntities));
	Oid type = RecordEntityTypeOrError(column, policy, key_type);
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup entities", ALLOCSET_DEFAULT_SIZES);
	Oid output;
	bool is_varlena;

	JoinKeysInit(&entities->names, context, NULL, type, column->attcollation, false);
	entities->numbers = CopiesCreate(context);
	getTypeOutputInfo(type, &output, &is_varlena);
	fmgr_info(output, &entities->output);
	return entities;
}

uint32
RecordEntitiesTake(RecordEntities *entities, Datum name, bool is_null)
{
	JoinKeys *names = &entities->names;
	uint32 number;

	if (is_null)
		return NO_ROW;
	if (names->is_integer)
	{
		int64 integer = JoinKeysInteger(names, name);

		number = CopiesFirst(entities->numbers, &integer, sizeof(integer), names->count);
	}
	else
	{
		char *text = OutputFunctionCall(&entities->output, name);

		number = CopiesFirst(entities->numbers, text, strlen(text), names->count);
		pfree(text);
	}
	if (number == names->count)
		JoinKeysAppend(names, name);
	return number;
}

uint32
RecordEntityOfKey(RecordEntities *entities, const JoinKeys *keys, uint32 row)
{
	uint32 number;
	char *text;

	if (keys->is_integer)
	{
		int64 integer = JoinKeysInt64(keys, row);

		return CopiesFirst(entities->numbers, &integer, sizeof(integer), NO_ROW);
	}
	text = JoinKeyText(keys, row);
	number = CopiesFirst(entities->numbers, text, strlen(text), NO_ROW);
	pfree(text);
	return number;
}
