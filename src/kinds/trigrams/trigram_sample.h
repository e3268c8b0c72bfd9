/*
 * trigram_sample.h
 *		What the statistics of a column of texts say of their trigrams.
 *
 * ANALYZE keeps some of a column's texts: the most common values, and the bounds of a histogram. The
 * latter stand for all other rows. Their trigrams are compared as those of any two texts.
 */
#ifndef NEARDUP_KINDS_TRIGRAM_SAMPLE_H
#define NEARDUP_KINDS_TRIGRAM_SAMPLE_H

#include "utils/selfuncs.h"

#include "statistics_row.h"
#include "tokenset/tokenset.h"

typedef struct SampledText
{
	double share;  /* of the rows, for which the text stands */
	bool is_value; /* all these rows have this very text */
	Datum text;
	const Tokenset *set;  /* its trigrams */
	const Tokenset *word; /* the trigrams of its longest word */
} SampledText;

typedef struct TrigramSample
{
	StatisticsRow row;
	int count;
	SampledText *texts;
} TrigramSample;

/*
 * Returns the sample of a column; NULL if there is none, or if the user must not see the values of all
 * rows and `function` is not leakproof. It is valid until the next samples are asked for.
 */
extern const TrigramSample *TrigramSampleOf(VariableStatData *variable, Oid function);

/* Returns the trigrams of a text as a new set. */
extern Tokenset *TrigramsOfText(const text *value);

#endif
