/*
 * token_order.c
 *		A fixed order of tokens, and the prefixes of sets in it.
 *
 * Nobody can list all tokens by frequency, but listing the few frequent ones is enough: all others
 * are rare, and take the order of their hashes.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "sketch/token_hash.h"
#include "tokenset/token_order.h"

/* A frequent token and its place among them. */
typedef struct FrequentToken
{
	Token token;
	uint32 rank;
	char status;
} FrequentToken;

#define SH_PREFIX frequent
#define SH_ELEMENT_TYPE FrequentToken
#define SH_KEY token
#include "sketch/token_table.h"

struct TokenOrder
{
	frequent_hash *ranks;
};

typedef struct OrderedToken
{
	bool is_frequent;
	uint64 place; /* its rank among the frequent ones, or its hash */
	Token token;
} OrderedToken;

static inline int
compare_places(const OrderedToken *a, const OrderedToken *b)
{
	if (a->is_frequent != b->is_frequent)
		return a->is_frequent ? 1 : -1;
	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return a->token < b->token ? -1 : a->token > b->token;
}

#define ST_SORT sort_places
#define ST_ELEMENT_TYPE OrderedToken
#define ST_COMPARE(a, b) compare_places(a, b)
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

TokenOrder *
TokenOrderCreate(const Token *frequent, Size count)
{
	TokenOrder *order = palloc(sizeof(TokenOrder));

	order->ranks = frequent_create(CurrentMemoryContext, (uint32) Max(count, 1), NULL);
	for (Size i = 0; i < count; i++)
	{
		bool found;
		FrequentToken *entry;

		CHECK_FOR_INTERRUPTS();
		entry = frequent_insert(order->ranks, frequent[i], &found);
		if (!found)
			entry->rank = (uint32) i;
	}
	return order;
}

void
TokenOrderFree(TokenOrder *order)
{
	frequent_destroy(order->ranks);
	pfree(order);
}

int32
TokenPrefixLength(Predicate predicate, int32 count)
{
	int64 least;

	if (count == 0)
		return 0;
	least = Min(PredicateLeastOverlapOfAny(predicate, count, false),
				PredicateLeastOverlapOfAny(predicate, count, true));
	return (int32) (least > count ? 0 : count - Max(least, 1) + 1);
}

void
TokenPrefix(const TokenOrder *order, const Tokenset *set, int32 length, Token *prefix)
{
	int32 count = TokensetCount(set);
	OrderedToken *tokens = palloc_extended(Max(count, 1) * sizeof(OrderedToken), MCXT_ALLOC_HUGE);

	Assert(length <= count);
	for (int32 i = 0; i < count; i++)
	{
		Token token = set->tokens[i];
		const FrequentToken *frequent = frequent_lookup(order->ranks, token);

		CHECK_FOR_INTERRUPTS();
		tokens[i] = (OrderedToken){.is_frequent = frequent != NULL,
								   .place = frequent != NULL ? frequent->rank : TokenHash(token, 0),
								   .token = token};
	}
	sort_places(tokens, count);
	for (int32 i = 0; i < length; i++)
		prefix[i] = tokens[i].token;
	pfree(tokens);
}
