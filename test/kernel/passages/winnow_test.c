/*
 * winnow_test.c
 *		The grams that winnowing chooses.
 */
#include "c.h"

#include "kernel_test.h"
#include "passages/kernel/winnow.h"

#define MOST 2000

static uint64 tokens[MOST];
static uint64 ring[64];

typedef struct Chosen
{
	uint64 hash[MOST]; /* by run */
	uint64 runs;
	uint32 grams;
	bool is_broken;
} Chosen;

static void
note_chosen(void *context, uint64 hash, uint64 first, uint32 count)
{
	Chosen *chosen = context;

	chosen->is_broken |= first != chosen->runs || count == 0;
	chosen->grams++;
	while (count-- > 0)
		chosen->hash[chosen->runs++] = hash;
}

static uint64
hash_of(const Winnow *winnow, uint64 gram)
{
	uint64 polynomial = 0;

	for (uint32 i = 0; i < winnow->gram; i++)
		polynomial = GramAdd(polynomial, tokens[gram + i]);
	return GramHash(polynomial);
}

/* Whether each run has chosen its least gram, and few are chosen. */
static void
test_choice(void)
{
	static Chosen chosen;
	uint32 wrong = 0;
	uint32 many = 0;

	for_each_case (words, 50, wrong + many)
	{
		Winnow winnow;
		uint32 count = random_below(5) == 0 ? random_below(words + 1) : MOST;
		uint64 runs = count >= words ? count - words + 1 : 0;

		case_has("%u tokens", count);
		WinnowInit(&winnow, words);
		for (uint32 i = 0; i < count; i++)
			tokens[i] = random_bits();
		memset(&chosen, 0, sizeof(chosen));
		WinnowText(&winnow, tokens, 1, count, ring, note_chosen, &chosen);
		wrong += chosen.is_broken || chosen.runs != runs;
		for (uint64 run = 0; run < runs; run++)
		{
			uint64 least = PG_UINT64_MAX;

			for (uint32 i = 0; i < winnow.window; i++)
				least = Min(least, hash_of(&winnow, run + i));
			wrong += chosen.hash[run] != least;
		}
		many += chosen.grams > 2.3 * MOST / (winnow.window + 1) + 10;
	}
	ok(wrong == 0, "each run has chosen its least gram");
	ok(many == 0, "about two of window + 1 grams are chosen");
}

/* Indexes have these values: see passage_tokens. */
static void
test_values(void)
{
	static Chosen chosen;
	Winnow winnow;

	for (uint32 i = 0; i < 40; i++)
		tokens[i] = i * i + 1;
	WinnowInit(&winnow, 20);
	memset(&chosen, 0, sizeof(chosen));
	WinnowText(&winnow, tokens, 1, 40, ring, note_chosen, &chosen);
	ok(winnow.gram == 10 && chosen.hash[0] == UINT64CONST(0x383c4bce43b39c19) &&
		   chosen.hash[20] == UINT64CONST(0x73df95dde03689),
	   "the hashes are those that are on disk");
}

int
main(void)
{
	test_choice();
	test_values();
	return done_testing();
}
