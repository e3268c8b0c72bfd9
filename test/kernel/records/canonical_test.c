/*
 * canonical_test.c
 *		The canonical order: ranks by document frequency and hash, against counting.
 */
#include "c.h"

#include "kernel/records/records.h"
#include "kernel_test.h"
#include "random_sets.h"
#include "test_host.h"

#define CANONICAL_TOKENS 3000
#define CANONICAL_HUGE 38000
#define IN_ALL 5

/* A token of the test below, and how many records have it. */
typedef struct CanonicalToken
{
	uint32 token;
	uint32 frequency;
} CanonicalToken;

/* Most as they are; some of which the search begins in the first slots, and in the last ones. */
static int64
canonical_value(uint32 token)
{
	switch (token % 16)
	{
		case 0:
			return token_of_hash(token);
		case 1:
			return token_of_hash(PG_UINT64_MAX - token);
		default:
			return token;
	}
}

static int
compare_canonical(const void *a, const void *b)
{
	const CanonicalToken *x = a;
	const CanonicalToken *y = b;

	if (x->frequency != y->frequency)
		return x->frequency < y->frequency ? -1 : 1;
	return DictionaryHash(canonical_value(x->token)) < DictionaryHash(canonical_value(y->token))
			   ? -1
			   : 1;
}

/*
 * Ranks by document frequency and hash, as counting says, in records of sizes from 1 to more than a
 * block.
 */
static void
test_canonical_ranks(void)
{
	static int64 tokens[CANONICAL_HUGE];
	static CanonicalToken order[CANONICAL_TOKENS + CANONICAL_HUGE];
	static uint8 has[4500][CANONICAL_TOKENS];
	const uint32 sizes[] = {1, 5, 15, 16, 17, 33, 64, 127, 128, 129, 200, 700, 2500};
	JoinHost host = test_host();
	JoinRecords records;
	uint32 unused = 0;
	uint32 wrong = 0;

	random_state = 31;
	JoinRecordsInit(&records, &host);
	for (uint32 token = 0; token < lengthof(order); token++)
		order[token] = (CanonicalToken){.token = token, .frequency = token >= CANONICAL_TOKENS};
	for (uint32 row = 0; row < lengthof(has); row++)
	{
		/* Some of a size that no other has, too small for a block. */
		uint32 size = row % 500 == 0 ? 130 + row / 40 : sizes[random_below(lengthof(sizes))];
		uint32 count = 0;

		/* The last of them in all sets. */
		while (count < size + IN_ALL)
		{
			uint32 token = count < IN_ALL ? CANONICAL_TOKENS - 1 - count
										  : random_below(random_below(CANONICAL_TOKENS) + 1);

			if (has[row][token])
				continue;
			has[row][token] = 1;
			order[token].frequency++;
			tokens[count++] = canonical_value(token);
		}
		JoinRecordsAppend(&records, row, tokens, count);
		/* One that no block takes, of tokens that no other record has. */
		if (row == lengthof(has) / 2)
		{
			for (uint32 i = 0; i < CANONICAL_HUGE; i++)
				tokens[i] = canonical_value(CANONICAL_TOKENS + i);
			JoinRecordsAppend(&records, lengthof(has), tokens, CANONICAL_HUGE);
		}
	}
	JoinCanonicalize(&records);

	qsort(order, lengthof(order), sizeof(CanonicalToken), compare_canonical);
	while (order[unused].frequency == 0)
		unused++;
	for (uint32 i = 0; i < records.record_count; i++)
	{
		const JoinRecord *record = &records.records[i];
		const uint32 *ranks = JoinRecordTokens(&records, record);
		uint32 next = 0;

		for (uint32 place = unused; place < lengthof(order); place++)
		{
			uint32 token = order[place].token;

			if (record->row == lengthof(has) ? token >= CANONICAL_TOKENS
											 : token < CANONICAL_TOKENS && has[record->row][token])
				wrong += next >= record->size || ranks[next++] != place - unused;
		}
		wrong += next != record->size;
	}
	ok(records.record_count == lengthof(has) + 1 && wrong == 0 &&
		   order[lengthof(order) - IN_ALL - 5].frequency >= DICTIONARY_FREQUENT,
	   "canonical: each record's ranks are those of its tokens, ascending");
	JoinRecordsFree(&records);
}

int
main(void)
{
	test_canonical_ranks();
	return done_testing();
}
