/*
 * edit_grams.c
 *		Makes a set of tokens from the multiset of a text's q-grams.
 *
 * As in the paper, each further occurrence of a gram is a token of its own, the same in all texts.
 * The usual way numbers the occurrences and hashes gram and number. But two such hashes may be
 * equal; the set would then have a token less, and a similar pair perhaps too few in common.
 * Here tokens are like seats. The first gram that arrives at a token takes it; the n-th that
 * arrives, of the same gram or of a colliding one, goes on to a token that is the hash of this
 * token and n. So a text of n grams has n different tokens.
 *
 * Two texts have at least as many tokens in common as grams. The seats that are taken do not depend
 * on the order of arrival: it decides which gram goes on, but not how many do so, nor where to. Let
 * the grams that both texts have arrive first. They take the same seats in both.
 */
#include "c.h"

#include "kernel/edit/edit_grams.h"

#define INITIAL_SEATS 256

void
EditGramsInit(EditGrams *grams, JoinHost *host, uint32 gram_length)
{
	memset(grams, 0, sizeof(*grams));
	grams->host = host;
	grams->gram_length = gram_length;
}

void
EditGramsFree(EditGrams *grams)
{
	JoinRelease(grams->host, grams->tokens, grams->token_capacity, sizeof(int64));
	JoinRelease(grams->host, grams->seats, grams->seat_count, sizeof(GramSeat));
	grams->tokens = NULL;
	grams->seats = NULL;
	grams->token_capacity = grams->seat_count = 0;
}

/* Ensures room for `count` tokens, with at least twice as many seats. */
static void
grams_reserve(EditGrams *grams, Size count)
{
	Size seat_count = INITIAL_SEATS;

	if (count <= grams->token_capacity)
		return;
	while (seat_count < 2 * count)
		seat_count *= 2;
	EditGramsFree(grams);
	grams->token_capacity = seat_count / 2;
	grams->seat_count = seat_count;
	grams->tokens = JoinAllocate(grams->host, grams->token_capacity, sizeof(int64));
	grams->seats = JoinAllocateZero(grams->host, seat_count, sizeof(GramSeat));
}

/* The finalizer of MurmurHash3. */
static inline uint64
mix(uint64 h)
{
	h ^= h >> 33;
	h *= UINT64CONST(0xff51afd7ed558ccd);
	h ^= h >> 33;
	h *= UINT64CONST(0xc4ceb9fe1a85ec53);
	h ^= h >> 33;
	return h;
}

/*
 * Returns the token to which the given arrival at a taken token goes on. The returned token is
 * negative, so it differs from the token of every gram itself.
 */
static inline int64
gram_next_token(int64 token, uint32 arrivals)
{
	return (int64) (mix((uint64) token + arrivals * UINT64CONST(0x9e3779b97f4a7c15)) |
					UINT64CONST(1) << 63);
}

/* Returns the seat of a token, taken or free; seats of earlier texts are free. */
static inline GramSeat *
find_seat(const EditGrams *grams, int64 token)
{
	Size mask = grams->seat_count - 1;
	Size place = (Size) (((uint64) token * UINT64CONST(0x9e3779b97f4a7c15)) >> 32) & mask;

	while (grams->seats[place].text == grams->text_count && grams->seats[place].token != token)
		place = (place + 1) & mask;
	return &grams->seats[place];
}

static inline void
seat_gram(EditGrams *grams, int64 token)
{
	GramSeat *seat = find_seat(grams, token);

	while (seat->text == grams->text_count)
	{
		token = gram_next_token(token, ++seat->arrivals);
		seat = find_seat(grams, token);
	}
	seat->token = token;
	seat->text = grams->text_count;
	seat->arrivals = 1;
	grams->tokens[grams->count++] = token;
}

void
EditGramsOf(EditGrams *grams, const uint32 *characters, uint32 length)
{
	uint32 q = grams->gram_length;
	uint64 mask = (UINT64CONST(1) << 21 * q) - 1;
	uint64 gram = 0;

	Assert(q >= EDIT_MIN_GRAM_LENGTH && q <= EDIT_MAX_GRAM_LENGTH);
	grams_reserve(grams, (Size) length + q - 1);
	grams->text_count++;
	grams->count = 0;
	for (uint32 i = 1; i < q; i++)
		gram = gram << 21 | EDIT_MARK_BEFORE;
	for (uint32 i = 0; i < length + q - 1; i++)
	{
		JoinTick(grams->host, 1);
		gram = (gram << 21 | (i < length ? characters[i] : EDIT_MARK_AFTER)) & mask;
		seat_gram(grams, (int64) gram);
	}
}
