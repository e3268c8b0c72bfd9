/*
 * trigram_sample.c
 *		What the statistics of a column of texts say of their trigrams.
 *
 * To make the trigrams of a hundred texts takes longer than all else that the planner does for a simple
 * query, so the samples of a few columns are kept, each in a memory context of its own.
 */
#include "postgres.h"

#include <ctype.h>

#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "common/pg_prng.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "kinds/trigrams/trigram_sample.h"
#include "text/trigrams.h"

/*
 * Columns whose samples are kept, since each partition has one; texts of each that are most common
 * values, and that are bounds.
 */
#define KEPT_SAMPLES 64
#define MOST_VALUES 64
#define MOST_BOUNDS 64

static Tokenset *
trigrams_of(const char *data, Size length)
{
	TokenList list;

	TokenListInit(&list, length + 1);
	TokensOfTrigrams(data, length, &list);
	return TokensetFromList(&list, false);
}

Tokenset *
TrigramsOfText(const text *value)
{
	return trigrams_of(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
}

/* Whether a byte is of a word. Those of characters beyond ASCII are taken to be. */
static bool
is_of_word(char byte)
{
	return IS_HIGHBIT_SET(byte) || isalnum((unsigned char) byte);
}

/* Returns the trigrams of a text's longest word, the first of these. */
static Tokenset *
trigrams_of_longest_word(const char *data, Size length)
{
	Size start = 0;
	Size longest = 0;
	Size longest_start = 0;

	for (Size i = 0; i <= length; i++)
	{
		if (i < length && is_of_word(data[i]))
			continue;
		if (i - start > longest)
		{
			longest = i - start;
			longest_start = start;
		}
		start = i + 1;
	}
	return trigrams_of(data + longest_start, longest);
}

static void
sample_add_text(TrigramSample *sample, Datum value, double share, bool is_value)
{
	text *packed = DatumGetTextPCopy(value);
	const char *data = VARDATA_ANY(packed);
	Size length = VARSIZE_ANY_EXHDR(packed);

	sample->texts[sample->count++] = (SampledText){.share = share,
												   .is_value = is_value,
												   .text = PointerGetDatum(packed),
												   .set = trigrams_of(data, length),
												   .word = trigrams_of_longest_word(data, length)};
}

/* Adds the most common values. Returns the share of the rows that have none of them. */
static double
add_common_values(TrigramSample *sample, HeapTuple row, double rest)
{
	AttStatsSlot slot;

	if (!get_attstatsslot(&slot, row, STATISTIC_KIND_MCV, InvalidOid,
						  ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS))
		return rest;
	for (int i = 0; i < Min(slot.nvalues, MOST_VALUES); i++)
	{
		sample_add_text(sample, slot.values[i], slot.numbers[i], true);
		rest -= slot.numbers[i];
	}
	free_attstatsslot(&slot);
	return Max(rest, 0);
}

/* Adds bounds of the histogram, spread evenly, which stand for this share of the rows. */
static void
add_bounds(TrigramSample *sample, HeapTuple row, double rest)
{
	AttStatsSlot slot;
	int count;

	if (!get_attstatsslot(&slot, row, STATISTIC_KIND_HISTOGRAM, InvalidOid, ATTSTATSSLOT_VALUES))
		return;
	count = Min(slot.nvalues, MOST_BOUNDS);
	for (int i = 0; i < count; i++)
		sample_add_text(sample, slot.values[(int64) i * slot.nvalues / count], rest / count, false);
	free_attstatsslot(&slot);
}

/* Fills in a sample, in the current memory context. */
static void
read_sample(TrigramSample *sample, HeapTuple row)
{
	double rest = 1 - ((Form_pg_statistic) GETSTRUCT(row))->stanullfrac;

	sample->count = 0;
	sample->texts = palloc((MOST_VALUES + MOST_BOUNDS) * sizeof(SampledText));
	rest = add_common_values(sample, row, rest);
	add_bounds(sample, row, rest);
}

/*
 * Returns the place of a sample that is not kept yet: a free one, or any but the last that was returned,
 * which may be asked for with this one. Any, since with the eldest a few columns too many, each asked for
 * in turn, would leave none that is found again.
 */
static int
place_of_sample(int *count, int last)
{
	int place;

	if (*count < KEPT_SAMPLES)
		return (*count)++;
	place = (int) pg_prng_uint64_range(&pg_global_prng_state, 0, KEPT_SAMPLES - 2);
	return place < last ? place : place + 1;
}

const TrigramSample *
TrigramSampleOf(VariableStatData *variable, Oid function)
{
	static TrigramSample kept[KEPT_SAMPLES];
	static MemoryContext contexts[KEPT_SAMPLES];
	static int count = 0;
	static int last = 0;
	StatisticsRow row = StatisticsRowOf(variable->statsTuple);
	MemoryContext previous;

	if (!StatisticsRowExists(&row) || getBaseType(variable->vartype) != TEXTOID ||
		!statistic_proc_security_check(variable, function))
		return NULL;
	for (int i = 0; i < count; i++)
	{
		if (!StatisticsRowIsSame(&kept[i].row, &row))
			continue;
		last = i;
		return &kept[i];
	}
	last = place_of_sample(&count, last);
	kept[last].row.inserted_by = InvalidTransactionId;
	if (contexts[last] == NULL)
		contexts[last] = AllocSetContextCreate(CacheMemoryContext, "neardup sample of trigrams",
											   ALLOCSET_SMALL_SIZES);
	MemoryContextReset(contexts[last]);
	previous = MemoryContextSwitchTo(contexts[last]);
	read_sample(&kept[last], variable->statsTuple);
	MemoryContextSwitchTo(previous);
	kept[last].row = row;
	return &kept[last];
}
