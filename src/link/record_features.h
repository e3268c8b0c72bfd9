/*
 * record_features.h
 *		What is known of each candidate: how similar its values are, column by column.
 *
 * A column gives three features: the similarity of the values, which is 0 if a group has none; whether
 * both groups have a value, left out where that holds for nearly all candidates; and the similarity
 * times the rarity of the rarer value. A column with one value only gives none. Values that are hardly
 * similar, of which one stands in another column of the other group, count as similar.
 */
#ifndef NEARDUP_LINK_RECORD_FEATURES_H
#define NEARDUP_LINK_RECORD_FEATURES_H

#include "link/record_candidates.h"
#include "link/record_column.h"

/* How the values of a pair agree in a column; a value of AGREE_LEVELS says that a group has none. */
typedef enum Agreement
{
	AGREE_EQUAL,
	AGREE_SIMILAR,
	AGREE_FAR, /* no more similar than by chance */
	AGREE_LEVELS
} Agreement;

/* Of one column: places among the features, or -1 where the column does not give one. */
typedef union FeaturePlaces
{
	int of[COLUMN_FEATURES];
	struct
	{
		int similarity;
		int presence;
		int rarity;
	};
} FeaturePlaces;

/* What tells agreement in a column. */
typedef struct ColumnAgreement
{
	bool counts;  /* half of the rows have a value, and some of these have one value */
	bool tells;	  /* moreover, few rows have one value */
	float chance; /* the similarity that two values have by chance, if the column counts */
} ColumnAgreement;

typedef struct RecordFeatures
{
	int column_count;
	FeaturePlaces *places;
	ColumnAgreement *agreements; /* by column */
	RecordFile *columns;		 /* by column, the ColumnSimilarity of each candidate */
	double *empty;				 /* by column, the share of the rows that have no value */
	int count;					 /* of the features */
} RecordFeatures;

/*
 * Compares the candidates in each column, and forgets the values of the rows. Allocates in the current
 * memory context; what memory cannot hold goes to files. If the request has a model, the features are those
 * that it weighs, and nothing is told of agreements. If not, `learned` gets the columns of one but for their
 * weights, unless it is NULL.
 */
extern void RecordFeaturesFind(RecordFeatures *features, RecordRows *rows,
							   RecordCandidates *candidates, LearnedModel *learned);

/* Sets the features of a candidate. Candidates are best asked for in their order. */
extern void RecordFeaturesAt(RecordFeatures *features, uint64 candidate, double *values);

/* Returns how the values of a candidate agree in a column that counts. */
static inline Agreement
RecordFeaturesAgreement(RecordFeatures *features, uint64 candidate, int column)
{
	const ColumnSimilarity *found = RecordFileAt(&features->columns[column], candidate);

	if (found->similarity < 0)
		return AGREE_LEVELS;
	if (found->similarity >= 1)
		return AGREE_EQUAL;
	return found->similarity > features->agreements[column].chance ? AGREE_SIMILAR : AGREE_FAR;
}

/* Returns the similarity of a candidate in a column; NaN if a group has no value there, or all have one. */
extern double RecordFeaturesSimilarity(RecordFeatures *features, uint64 candidate, int column);

extern void RecordFeaturesEnd(RecordFeatures *features);

#endif
