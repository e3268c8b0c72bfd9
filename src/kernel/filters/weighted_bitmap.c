/*
 * weighted_bitmap.c
 *		Makes signatures of weighted sets, and chooses their unit and width.
 *
 * The unit c decides how well signatures separate unrelated sets. With a small unit tokens toggle
 * many bits, a short signature is full, and unrelated ones differ in about half of the bits,
 * however much the sets differ. With a large unit most tokens toggle none. So the unit is chosen by
 * a sample of the records: for each of some units, it gives the mean number of bits that a record
 * toggles, and the mean distance that two similar sets of its weight may have. The unit with the
 * greatest excess of unrelated signatures (bitmap_filter.h) is taken, for the least width that
 * suffices.
 */
#include "c.h"

#include "kernel/filters/weighted_bitmap.h"
#include "measure/token_weight.h"

/* Units to choose from: the first is the weight of the rarest token, the others go down from it. */
#define UNITS 12
#define PART_OF_UNIT 0.7

#define MOST_SAMPLED 512

/*
 * Least excess of unrelated signatures, in standard deviations. It is more than for unweighted
 * sets, since the bits of one token differ together, which makes the real variance larger.
 */
#define WEIGHTED_MARGIN 7

/* A token of several bits toggles the bits of token, token + STEP and so on. */
#define STEP UINT32_C(0x85ebca6b)

/* Bits that are toggled at once. */
#define BATCH 256

typedef struct Sample
{
	const JoinRecords *records;
	double units[UNITS];
	double bits[UNITS];	   /* sums over records: bits that each toggles */
	double allowed[UNITS]; /* sums over records: distance that two of its weight may have */
	uint32 count;
} Sample;

static int64
bitmap_term(const JoinRecords *records, uint32 token)
{
	return TokenWeightTerm(records->weights[token], records->weighing.squares);
}

static void
add_record(Sample *sample, uint32 number, const WeightBounds *bounds)
{
	const JoinRecords *records = sample->records;
	const JoinRecord *record = &records->records[number];
	const uint32 *tokens = JoinRecordTokens(records, record);
	double extent = WeightExtent(bounds, records->totals[number]);

	for (int u = 0; u < UNITS; u++)
	{
		for (uint32 k = 0; k < record->size; k++)
		{
			double bits = floor((double) bitmap_term(records, tokens[k]) / sample->units[u]);

			JoinTick(records->host, 1);
			/* Weights descend. */
			if (bits == 0)
				break;
			sample->bits[u] += bits;
		}
		sample->allowed[u] += WeightDifference(bounds, extent, extent) / sample->units[u];
	}
	sample->count++;
}

static void
take_sample(Sample *sample, const WeightBounds *bounds)
{
	const JoinRecords *records = sample->records;
	uint32 step = records->record_count / MOST_SAMPLED + 1;
	double unit = Max((double) bitmap_term(records, 0), 1);

	for (int u = 0; u < UNITS; u++, unit *= PART_OF_UNIT)
		sample->units[u] = Max(floor(unit), 1);
	for (uint32 i = 0; i < records->record_count; i += step)
	{
		if (records->totals[i] > 0)
			add_record(sample, i, bounds);
	}
}

/*
 * Returns the number of the unit with the greatest excess of unrelated signatures, and the excess.
 */
static int
best_unit(const Sample *sample, uint32 words, double *excess)
{
	int best = 0;

	*excess = 0;
	for (int u = 0; u < UNITS; u++)
	{
		double found = BitmapFilterExcess(sample->bits[u] / sample->count,
										  sample->allowed[u] / sample->count, words);

		if (u > 0 && found <= *excess)
			continue;
		best = u;
		*excess = found;
	}
	return best;
}

WeightedBitmap
WeightedBitmapOf(const JoinRecords *records, const WeightBounds *bounds)
{
	WeightedBitmap bitmap = {.unit = 1, .words = 1};
	Sample sample = {.records = records};

	if (records->distinct_tokens > 0)
		take_sample(&sample, bounds);
	if (sample.count == 0)
		return bitmap;
	bitmap.unit = (int64) sample.units[best_unit(&sample, bitmap.words, &bitmap.excess)];
	while (bitmap.excess <= WEIGHTED_MARGIN && bitmap.words < SIGNATURE_MAX_WORDS)
	{
		bitmap.words *= 2;
		bitmap.unit = (int64) sample.units[best_unit(&sample, bitmap.words, &bitmap.excess)];
	}
	return bitmap;
}

void
WeightedBitmapAdd(const WeightedBitmap *bitmap, const SignatureScan *scan,
				  const JoinRecords *records, const uint32 *tokens, uint32 count, uint64 *signature)
{
	uint32 batch[BATCH];
	uint32 batched = 0;

	for (uint32 k = 0; k < count; k++)
	{
		int64 term = bitmap_term(records, tokens[k]);
		uint32 place = tokens[k];

		/* Weights descend. */
		if (term < bitmap->unit)
			break;
		JoinTick(records->host, 1);
		for (; term >= bitmap->unit; term -= bitmap->unit)
		{
			if (batched == BATCH)
			{
				scan->add(signature, bitmap->words, batch, batched);
				batched = 0;
			}
			batch[batched++] = place;
			place += STEP;
		}
	}
	scan->add(signature, bitmap->words, batch, batched);
}
