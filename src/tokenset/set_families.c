/*
 * set_families.c
 *		The families of near-duplicate sets of a column, a statistic that ANALYZE keeps.
 *
 * Collecting. Each set of the sample joins the family whose leader resembles it most, if their
 * Jaccard similarity is at least 0.6; otherwise it becomes the leader of a new family. Leaders are
 * found by bands of minhash values: two sets agree in a band of four values with probability J^4
 * for their Jaccard similarity J, and there are eight bands. A table has one place for each band,
 * by its hash, where the last leader with that band stands. So a set is compared with eight leaders
 * at most, however many there are, and a leader that is overwritten in one band is found by others.
 *
 * Of a leader only the tokens with the 32 least hashes are kept. They are a random sample of its
 * tokens, and the part of them that another set has is an estimate of the part of all of them.
 *
 * Using. Members of a family are copies of one text with changes of their own. So it is assumed that
 * two members share with each other what both share with their leader: the smaller one of their
 * overlaps with it. A value that has enough of the leader's tokens is then similar to all members
 * that have enough of them as well. The hashes of all leaders are in one ascending list. Looking up
 * each token of a value there gives its overlap with all leaders, without a look at each.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "bisect.h"
#include "sketch/family.h"
#include "sketch/token_hash.h"
#include "tokenset/set_families.h"

#define BANDS 8
#define BAND_VALUES 4

/* Tokens of a leader that are kept at most, and on average of all leaders. */
#define LEADER_TOKENS 32
#define TOKENS_PER_FAMILY 16

/* The part of maintenance_work_mem that leaders may take while they are collected. */
#define MEMORY_PART 4

/*
 * A value that lacks one token of those that it must share with a leader, and this part of the
 * leader's, is still taken to be similar to some members, with which it shares a change.
 */
#define TOLERATED_PART 0.05

static const double steps[FAMILY_STEPS] = {0.6, 0.7, 0.8, 0.9, 1};

typedef struct Leader
{
	int32 size;
	int32 listed;
	int32 members[FAMILY_STEPS]; /* itself included */
	uint32 hashes[LEADER_TOKENS];
} Leader;

struct FamilySample
{
	int sets; /* added so far */
	int count;
	int capacity;
	Leader *leaders;
	int32 *leader_of_band; /* by hash of the band; -1: none */
	uint32 places;		   /* in leader_of_band, a power of two */
	MinhashScan scan;
	MinhashFamily *functions;
	uint64 *minima;
	uint64 *hashes; /* of the set's tokens, with room for this many */
	uint32 *short_hashes;
	int32 room;
};

#define ST_SORT sort_hashes
#define ST_ELEMENT_TYPE uint32
#define ST_COMPARE(a, b) (*(a) < *(b) ? -1 : *(a) > *(b))
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* A hash in the list, and its family. */
typedef struct Listed
{
	uint32 hash;
	uint16 family;
} Listed;

#define ST_SORT sort_listed
#define ST_ELEMENT_TYPE Listed
#define ST_COMPARE(a, b) ((a)->hash < (b)->hash ? -1 : (a)->hash > (b)->hash)
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* Returns the hash by which a token is listed. */
static uint32
short_hash(uint64 hash)
{
	return (uint32) (hash >> 32);
}

FamilySample *
FamilySampleBegin(int sets)
{
	FamilySample *sample = palloc0(sizeof(FamilySample));
	int64 leaders_in_memory = (int64) maintenance_work_mem * 1024 / MEMORY_PART /
							  (int64) (sizeof(Leader) + BANDS * sizeof(int32));

	sample->capacity = (int) Max(Min(sets, leaders_in_memory), 1);
	sample->leaders = palloc_extended((Size) sample->capacity * sizeof(Leader), MCXT_ALLOC_HUGE);
	sample->places = BANDS;
	while (sample->places < (uint64) sample->capacity * BANDS)
		sample->places *= 2;
	sample->leader_of_band =
		palloc_extended((Size) sample->places * sizeof(int32), MCXT_ALLOC_HUGE);
	memset(sample->leader_of_band, 0xff, (Size) sample->places * sizeof(int32));
	sample->functions = palloc(MinhashFamilySize(BANDS * BAND_VALUES));
	MinhashFamilyInit(sample->functions, BANDS * BAND_VALUES, 0);
	sample->minima = palloc(sample->functions->lanes * sizeof(uint64));
	sample->scan = MinhashScanBest();
	return sample;
}

/* Computes the hashes of a set's tokens, the short ones in ascending order, and the minima. */
static void
hash_tokens(FamilySample *sample, const Tokenset *set)
{
	int32 size = TokensetCount(set);

	if (size > sample->room)
	{
		sample->room = Max(size, 2 * sample->room);
		if (sample->hashes != NULL)
		{
			pfree(sample->hashes);
			pfree(sample->short_hashes);
		}
		sample->hashes = palloc_extended(sample->room * sizeof(uint64), MCXT_ALLOC_HUGE);
		sample->short_hashes = palloc_extended(sample->room * sizeof(uint32), MCXT_ALLOC_HUGE);
	}
	for (int32 i = 0; i < size; i++)
	{
		sample->hashes[i] = TokenHash(set->tokens[i], 0);
		sample->short_hashes[i] = short_hash(sample->hashes[i]);
	}
	memset(sample->minima, 0xff, sample->functions->lanes * sizeof(uint64));
	sample->scan(sample->functions, sample->hashes, (uint32) size, sample->minima);
	sort_hashes(sample->short_hashes, size);
}

/* Returns the place of a band of the minima in the table. */
static uint32
place_of_band(const FamilySample *sample, int band)
{
	uint64 hash = (uint64) band;

	for (int i = 0; i < BAND_VALUES; i++)
		hash = TokenHash((int64) sample->minima[band * BAND_VALUES + i], hash);
	return (uint32) hash & (sample->places - 1);
}

/* Returns the estimated Jaccard similarity of a leader and the set that was hashed last. */
static double
resemblance(const Leader *leader, const uint32 *hashes, int32 size)
{
	int32 common = 0;
	int32 i = 0;
	int32 j = 0;
	double overlap;

	while (i < leader->listed && j < size)
	{
		uint32 x = leader->hashes[i];
		uint32 y = hashes[j];

		common += x == y;
		i += x <= y;
		j += y <= x;
	}
	overlap = Min((double) common * leader->size / leader->listed, size);
	return overlap / (leader->size + size - overlap);
}

/* Returns the leader that resembles the hashed set most, NULL if none does enough. */
static Leader *
nearest_leader(const FamilySample *sample, int32 size, double *similarity)
{
	Leader *nearest = NULL;

	*similarity = steps[0];
	for (int band = 0; band < BANDS; band++)
	{
		int32 number = sample->leader_of_band[place_of_band(sample, band)];
		Leader *leader = number < 0 ? NULL : &sample->leaders[number];
		double similar;

		if (leader == NULL || leader == nearest)
			continue;
		similar = resemblance(leader, sample->short_hashes, size);
		if (similar >= *similarity)
		{
			nearest = leader;
			*similarity = similar;
		}
	}
	return nearest;
}

/* Makes the hashed set a leader, unless memory is full. */
static Leader *
add_leader(FamilySample *sample, int32 size)
{
	Leader *leader;

	if (sample->count == sample->capacity)
		return NULL;
	for (int band = 0; band < BANDS; band++)
		sample->leader_of_band[place_of_band(sample, band)] = sample->count;
	leader = &sample->leaders[sample->count++];
	*leader = (Leader){.size = size, .listed = Min(size, LEADER_TOKENS)};
	memcpy(leader->hashes, sample->short_hashes, leader->listed * sizeof(uint32));
	return leader;
}

void
FamilySampleAdd(FamilySample *sample, const Tokenset *set)
{
	int32 size = TokensetCount(set);
	double similarity;
	Leader *leader;

	sample->sets++;
	if (size == 0)
		return;
	hash_tokens(sample, set);
	leader = nearest_leader(sample, size, &similarity);
	if (leader == NULL)
	{
		leader = add_leader(sample, size);
		similarity = 1;
	}
	for (int i = 0; leader != NULL && i < FAMILY_STEPS; i++)
		leader->members[i] += similarity >= steps[i];
}

/* The largest family first; equal ones by their hashes, in the same order on every platform. */
static int
by_members(const void *a, const void *b)
{
	const Leader *x = a;
	const Leader *y = b;
	int i = 0;

	if (x->members[0] != y->members[0])
		return x->members[0] > y->members[0] ? -1 : 1;
	while (i < LEADER_TOKENS - 1 && x->hashes[i] == y->hashes[i])
		i++;
	return x->hashes[i] < y->hashes[i] ? -1 : x->hashes[i] > y->hashes[i];
}

/* Returns how many of the sorted leaders are kept; *hashes becomes the number of their hashes. */
static int
kept_families(const FamilySample *sample, int most, int *hashes)
{
	int count = 0;

	*hashes = 0;
	while (count < Min(sample->count, most) && sample->leaders[count].members[0] > 1 &&
		   *hashes + sample->leaders[count].listed <= most * TOKENS_PER_FAMILY)
		*hashes += sample->leaders[count++].listed;
	return count;
}

static uint32 *
hashes_of(const SetFamilies *families)
{
	return (uint32 *) &families->families[families->count];
}

static uint16 *
numbers_of(const SetFamilies *families)
{
	return (uint16 *) (hashes_of(families) + families->hash_count);
}

static Size
size_of_families(int64 count, int64 hashes)
{
	return offsetof(SetFamilies, families) + count * sizeof(SetFamily) +
		   hashes * (sizeof(uint32) + sizeof(uint16));
}

bool
SetFamiliesAreComplete(const SetFamilies *families)
{
	return VARSIZE(families) >= offsetof(SetFamilies, families) && families->count >= 0 &&
		   families->hash_count >= 0 &&
		   VARSIZE(families) == size_of_families(families->count, families->hash_count);
}

/* Fills in the list of the hashes of the kept leaders. */
static void
list_hashes(SetFamilies *families, const Leader *leaders)
{
	Listed *listed = palloc(Max(families->hash_count, 1) * sizeof(Listed));
	int n = 0;

	for (int i = 0; i < families->count; i++)
	{
		for (int k = 0; k < leaders[i].listed; k++)
			listed[n++] = (Listed){.hash = leaders[i].hashes[k], .family = (uint16) i};
	}
	sort_listed(listed, n);
	for (int i = 0; i < n; i++)
	{
		hashes_of(families)[i] = listed[i].hash;
		numbers_of(families)[i] = listed[i].family;
	}
	pfree(listed);
}

SetFamilies *
FamilySampleResult(FamilySample *sample, int most)
{
	SetFamilies *families;
	double sets = Max(sample->sets, 1);
	int hashes;
	int count;
	Size size;

	qsort(sample->leaders, sample->count, sizeof(Leader), by_members);
	count = kept_families(sample, Min(most, PG_UINT16_MAX), &hashes);
	size = size_of_families(count, hashes);
	families = palloc0(size);
	SET_VARSIZE(families, size);
	families->count = count;
	families->hash_count = hashes;
	list_hashes(families, sample->leaders);
	for (int i = 0; i < count; i++)
	{
		families->families[i].size = sample->leaders[i].size;
		families->families[i].listed = sample->leaders[i].listed;
		for (int k = 0; k < FAMILY_STEPS; k++)
			families->families[i].share[k] = (float4) (sample->leaders[i].members[k] / sets);
	}
	for (int i = count; i < sample->count; i++)
	{
		for (int k = 0; k < FAMILY_STEPS && sample->leaders[i].members[k] > 1; k++)
		{
			double members = sample->leaders[i].members[k];

			families->other_pairs[k] += (float4) (members * (members - 1) / (sets * sets));
			families->other_sets[k] += (float4) (members / sets);
		}
	}
	return families;
}

/* Returns the fraction at a similarity, interpolated between the steps. */
static double
at_similarity(const float4 *share, double similarity)
{
	double place = (similarity - steps[0]) / (steps[1] - steps[0]);
	int step = (int) place;

	if (place <= 0)
		return share[0];
	if (step >= FAMILY_STEPS - 1)
		return share[FAMILY_STEPS - 1];
	return share[step] + (place - step) * (share[step + 1] - share[step]);
}

/* Returns how many tokens a value may lack of those that it must share with a leader, nearly. */
static double
tolerated(const SetFamily *family)
{
	return 1 + family->size * TOLERATED_PART;
}

/* Returns the number of listed tokens of each family that a value has, in a new array. */
static int32 *
common_tokens_by_family(const SetFamilies *families, const Tokenset *value)
{
	int32 *common = palloc0(Max(families->count, 1) * sizeof(int32));
	const uint32 *hashes = hashes_of(families);
	const uint16 *numbers = numbers_of(families);

	for (int32 i = 0; i < TokensetCount(value); i++)
	{
		uint32 hash = short_hash(TokenHash(value->tokens[i], 0));
		int place = 0;

		CHECK_FOR_INTERRUPTS();
		BISECT(int, place, families->hash_count, at, hashes[at] < hash);
		for (; place < families->hash_count && hashes[place] == hash; place++)
			common[numbers[place]]++;
	}
	return common;
}

/*
 * Returns the fraction of all sets that are in a family and similar to a value, which has about
 * `overlap` of the leader's tokens. The members count as of their leader's size.
 */
static double
share_of_family(const SetFamily *family, Predicate predicate, int32 value_size, double overlap,
				bool value_is_right)
{
	double least =
		(double) (value_is_right ? PredicateLeastOverlap(predicate, family->size, value_size)
								 : PredicateLeastOverlap(predicate, value_size, family->size));
	double missing = Max(least - overlap, 0) / tolerated(family);

	if (least > Min(value_size, family->size) || missing >= 1)
		return 0;
	return (1 - missing) * at_similarity(family->share, least / (2 * family->size - least));
}

double
FamiliesSimilarTo(const SetFamilies *families, Predicate predicate, const Tokenset *value,
				  bool value_is_right)
{
	int32 count = TokensetCount(value);
	double least = (double) PredicateLeastOverlapOfAny(predicate, count, value_is_right);
	int32 *common = common_tokens_by_family(families, value);
	double share = 0;

	for (int i = 0; i < families->count; i++)
	{
		const SetFamily *family = &families->families[i];
		double overlap = (double) common[i] * family->size / family->listed;

		if (common[i] > 0 && overlap + tolerated(family) > least)
			share += share_of_family(family, predicate, count, overlap, value_is_right);
	}
	pfree(common);
	return Min(share, 1);
}

double
FamiliesSimilarPairs(const SetFamilies *families, double jaccard, double *others)
{
	double share = 0;

	for (int i = 0; i < families->count; i++)
	{
		double members = at_similarity(families->families[i].share, jaccard);

		share += members * members;
	}
	*others = at_similarity(families->other_pairs, jaccard);
	return share;
}

double
FamiliesWithOther(const SetFamilies *families, double jaccard)
{
	double share = at_similarity(families->other_sets, jaccard);

	for (int i = 0; i < families->count; i++)
		share += at_similarity(families->families[i].share, jaccard);
	return Min(share, 1);
}
