/*
 * except_pairs.c
 *		Pairs of keys that somebody has decided are different.
 *
 * Keys get numbers as they occur, by which a hash table has the pairs, the lesser number first unless
 * the two columns are numbered apart.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"

#include "allocate.h"
#include "join/call/except_pairs.h"
#include "join/call/key_pairs.h"

typedef struct ExceptPair
{
	uint64 pair;
	char status;
} ExceptPair;

#define SH_PREFIX except
#define SH_ELEMENT_TYPE ExceptPair
#define SH_KEY pair
#include "sketch/token_table.h"

/* How many pairs the keys of a column have. */
typedef struct PairCounts
{
	uint32 *counts; /* by number */
	uint32 count;
	Size capacity;
	uint32 most;
} PairCounts;

struct ExceptPairs
{
	KeyPairs keys;
	struct except_hash *table;
	PairCounts columns[2]; /* if two_sided */
};

static uint64
except_pair(const ExceptPairs *pairs, uint32 a, uint32 b)
{
	if (pairs->keys.two_sided)
		return (uint64) a << 32 | b;
	return (uint64) Min(a, b) << 32 | Max(a, b);
}

static void
count_except_pair(PairCounts *column, uint32 number, bool is_new)
{
	if (number == column->count)
	{
		ARRAY_MAKE_ROOM(column->counts, column->count, column->capacity);
		column->counts[column->count++] = 0;
	}
	if (is_new)
		column->most = Max(column->most, ++column->counts[number]);
}

static void
put_pair(void *context, uint32 a, uint32 b)
{
	ExceptPairs *pairs = context;
	bool found;

	CHECK_FOR_INTERRUPTS();
	(void) except_insert(pairs->table, except_pair(pairs, a, b), &found);
	if (pairs->keys.two_sided)
	{
		count_except_pair(&pairs->columns[0], a, !found);
		count_except_pair(&pairs->columns[1], b, !found);
	}
}

ExceptPairs *
ExceptPairsRead(const char *query, KeyPolicy policy, Oid key_type, Oid collation, bool two_sided)
{
	ExceptPairs *pairs = palloc0(sizeof(ExceptPairs));

	pairs->table = except_create(CurrentMemoryContext, 1024, NULL);
	for (int column = 0; column < 2 && two_sided; column++)
	{
		pairs->columns[column].capacity = 1024;
		pairs->columns[column].counts = AllocateArray(1024, sizeof(uint32));
	}
	pairs->keys = (KeyPairs){.name = "except_pairs",
							 .key_policy = policy,
							 .key_type = key_type,
							 .collation = collation,
							 .two_sided = two_sided,
							 .keeps_numbers = true,
							 .take = put_pair,
							 .take_context = pairs};
	KeyPairsRead(&pairs->keys, query);
	return pairs;
}

static void
check_column_type(const ExceptPairs *pairs, int column, Oid type)
{
	Oid own = pairs->keys.column_types[column];

	if (IsBinaryCoercible(type, own) || (JoinKeyTypeIsInteger(own) && JoinKeyTypeIsInteger(type)))
		return;
	ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
					errmsg("keys of except_pairs must have the types of the keys of the rows"),
					errdetail("Column %d is of type %s, and the key of the rows of type %s.",
							  column + 1, format_type_be(own), format_type_be(type))));
}

void
ExceptPairsCheckType(const ExceptPairs *pairs, int column, Oid type)
{
	if (pairs->keys.two_sided)
		check_column_type(pairs, column, type);
	else
	{
		check_column_type(pairs, 0, type);
		check_column_type(pairs, 1, type);
	}
}

uint32
ExceptPairsNumber(ExceptPairs *pairs, int column, Oid type, Datum key)
{
	PairedKeys *side = &pairs->keys.sides[pairs->keys.two_sided ? column : 0];

	side->keys.type = type;
	return KeyNumbersFind(side->numbers, key);
}

bool
ExceptPairsHas(const ExceptPairs *pairs, uint32 a, uint32 b)
{
	if (a == NO_ROW || b == NO_ROW)
		return false;
	return except_lookup(pairs->table, except_pair(pairs, a, b)) != NULL;
}

uint32
ExceptPairsKeys(const ExceptPairs *pairs)
{
	return pairs->keys.sides[0].keys.count;
}

void
ExceptPairsEach(const ExceptPairs *pairs, void (*take)(void *context, uint32 a, uint32 b),
				void *context)
{
	except_iterator iterator;
	ExceptPair *pair;

	except_start_iterate(pairs->table, &iterator);
	while ((pair = except_iterate(pairs->table, &iterator)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		take(context, (uint32) (pair->pair >> 32), (uint32) pair->pair);
	}
}

uint32
ExceptPairsMost(const ExceptPairs *pairs, int column)
{
	return pairs->columns[column].most;
}
