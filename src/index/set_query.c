/*
 * set_query.c
 *		What a scan asks of a set: an operator and its right operand.
 *
 * Each operator amounts to a least overlap for each size of a set, as a similarity predicate does
 * (measure.h). With an operand of q tokens, a set of n tokens contains it if they share q tokens,
 * is contained in it if they share n, and equals it if n = q and they share n. So one search
 * answers all operators.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"

#include "index/scope.h"
#include "index/set_query.h"
#include "index/signature.h"
#include "kinds/kinds.h"

/* If one set has this many times the tokens of the other, seeking each token beats merging. */
#define SEEK_RATIO 16

/* Takes the tokens of a query, as the index would keep them: salted if there is a scope. */
static void
take_tokens(SetQuery *query, const Tokenset *set, uint32 signature_words)
{
	query->tokens = set->tokens;
	query->size = (uint32) TokensetCount(set);
	IndexSignatureMake(query->signature, signature_words, query->tokens, query->size);
	IndexSignatureMake(&query->short_signature, 1, query->tokens, query->size);
}

void
SetQueryInitScope(SetQuery *query, uint64 salt, uint32 signature_words)
{
	memset(query, 0, sizeof(*query));
	query->strategy = INDEX_SCOPE_EQUALS;
	query->scope = 1;
	take_tokens(query, IndexScopeSet(salt, NULL, 0), signature_words);
}

/*
 * Takes the operand's set as a set of a scope. The salted set has one token more than the operand,
 * unless the operand itself has SCOPE_ROW_TOKEN. The rows of a scope all have that token, and do
 * not tell whether their own sets have it too: then the query asks for all rows of the scope.
 */
static void
take_scope_set(SetQuery *query, const Tokenset *operand, uint64 salt, uint32 signature_words)
{
	const Tokenset *set = IndexScopeSet(salt, operand->tokens, (Size) TokensetCount(operand));

	if (TokensetCount(set) == TokensetCount(operand))
	{
		SetQueryInitScope(query, salt, signature_words);
		return;
	}
	query->scope = 1;
	take_tokens(query, set, signature_words);
}

/*
 * Takes the measure of an order. More common tokens are a greater part of the operand, so the order by
 * overlap is that by the containment of the operand. The distances of words are at least those of
 * containment (trgm_ops.c).
 */
static void
take_order(SetQuery *query, const IndexOrder *order)
{
	query->predicate.measure = order->measure;
	query->value_first = order->value_first;
	if (order->measure == MEASURE_OVERLAP)
	{
		query->predicate.measure = MEASURE_CONTAINMENT;
		query->value_first = true;
	}
}

/* Takes the predicate of a scan key, and returns the operand's set. */
static const Tokenset *
take_operand(SetQuery *query, Relation index, const ScanKeyData *key, bool is_salted)
{
	IndexOperand operand = {0};

	KindOfIndexClass(index->rd_opfamily[key->sk_attno - 1])
		->operand(query->strategy, key->sk_argument, &operand);
	query->predicate = operand.predicate;
	query->value_first = operand.value_first;
	query->recheck_postings = operand.recheck_postings;
	query->is_exact = operand.is_exact && (!is_salted || operand.has_no_row_token);
	return operand.set;
}

void
SetQueryInit(SetQuery *query, Relation index, ScanKey key, const uint64 *salt,
			 uint32 signature_words)
{
	const IndexOrder *order = IndexOrderOf(key->sk_strategy);
	const Tokenset *operand;

	memset(query, 0, sizeof(*query));
	query->strategy = key->sk_strategy;
	operand = take_operand(query, index, key, salt != NULL);
	if (order != NULL)
		take_order(query, order);
	if (salt == NULL)
		take_tokens(query, operand, signature_words);
	else
		take_scope_set(query, operand, *salt, signature_words);
}

/*
 * Most predicates are false of empty sets. But what seems to be an empty set of a scope may be one
 * whose only token is SCOPE_ROW_TOKEN.
 */
static int64
least_overlap_of_predicate(const SetQuery *query, int64 value_size, int64 size)
{
	if ((value_size == 0 || size == 0) && PredicateHolds(query->predicate, 0, value_size, size))
		return 0;
	if (size == 0 && query->scope > 0)
		size = 1;
	if (value_size == 0 || size == 0)
		return SET_QUERY_NEVER;
	return query->value_first ? PredicateLeastOverlap(query->predicate, value_size, size)
							  : PredicateLeastOverlap(query->predicate, size, value_size);
}

/* Returns the least overlap of an operand of value_size tokens and a set, without any scope. */
static int64
least_overlap(const SetQuery *query, int64 value_size, int64 size)
{
	int64 least;

	switch (query->strategy)
	{
		case INDEX_SCOPE_EQUALS:
			least = 0;
			break;
		case INDEX_OVERLAPS:
			least = 1;
			break;
		case INDEX_CONTAINS:
			least = value_size;
			break;
		case INDEX_CONTAINED:
			least = size;
			break;
		case INDEX_EQUAL:
			least = size == value_size ? size : SET_QUERY_NEVER;
			break;
		case INDEX_SIMILAR:
		case INDEX_MATCHES:
		case INDEX_BALLS_OVERLAP:
		case INDEX_WORD_SIMILAR:
		case INDEX_STRICT_WORD_SIMILAR:
			least = least_overlap_of_predicate(query, value_size, size);
			break;
		default:
			elog(ERROR, "unrecognized strategy number: %d", query->strategy);
	}
	return least <= Min(value_size, size) ? least : SET_QUERY_NEVER;
}

int64
SetQueryLeastOverlap(const SetQuery *query, uint32 size)
{
	int64 least =
		least_overlap(query, (int64) query->size - query->scope, (int64) size - query->scope);

	if (query->scope == 0 || least == SET_QUERY_NEVER)
		return least;
	return Max(least, 0) + query->scope;
}

bool
SetQueryTakesEmpty(const SetQuery *query)
{
	return query->scope == 0 && least_overlap(query, query->size, 0) <= 0;
}

/* Looks each token of the smaller set up in the rest of the larger one. */
static uint32
overlap_by_seeking(const Token *few, uint32 few_count, const Token *many, uint32 many_count)
{
	const Token *from = many;
	const Token *end = many + many_count;
	uint32 overlap = 0;

	for (uint32 i = 0; i < few_count; i++)
	{
		from = TokensSeek(from, end, few[i]);
		overlap += from < end && *from == few[i];
	}
	return overlap;
}

uint32
SetQueryOverlap(const SetQuery *query, const Token *tokens, uint32 size)
{
	uint32 i = 0;
	uint32 k = 0;
	uint32 overlap = 0;

	if (size / SEEK_RATIO > query->size)
		return overlap_by_seeking(query->tokens, query->size, tokens, size);
	if (query->size / SEEK_RATIO > size)
		return overlap_by_seeking(tokens, size, query->tokens, query->size);
	while (i < query->size && k < size)
	{
		Token x = query->tokens[i];
		Token y = tokens[k];

		overlap += x == y;
		i += x <= y;
		k += y <= x;
	}
	return overlap;
}

double
SetQueryDistance(const SetQuery *query, int64 overlap, int64 size)
{
	int64 value_size = (int64) query->size - query->scope;

	overlap = Max(overlap - query->scope, 0);
	size -= query->scope;
	return -(query->value_first
				 ? MeasureValue(query->predicate.measure, overlap, value_size, size)
				 : MeasureValue(query->predicate.measure, overlap, size, value_size));
}

/*
 * Each step is the operator's own, and keeps the order: a lower bound of the distance becomes one of the
 * operator's value. Rounding a similarity twice, to double and to single precision, is rounding it once
 * (single_precision.c), and pg_trgm does so before it subtracts it from 1. An overlap is the part of the
 * operand times its size, rounded to a whole number.
 */
double
SetQueryOperatorValue(const SetQuery *query, double distance, Oid type)
{
	const IndexOrder *order = IndexOrderOf(query->strategy);

	if (type == FLOAT4OID)
		distance = (float4) distance;
	if (order->measure == MEASURE_OVERLAP)
		return rint(distance * (double) (query->size - query->scope));
	return order->is_distance ? 1 + distance : distance;
}
