/*
 * record_features.c
 *		Comparing the candidates of a table of records, column by column.
 *
 * The values of one column at a time are in memory.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "allocate.h"
#include "memory/join_memory.h"
#include "progress/progress.h"
#include "link/record_features.h"
#include "link/record_swaps.h"

/* Presence says nothing where both rows of so many candidates have a value. */
#define NEARLY_ALL 0.995

/* Values that changed places have this similarity, if they have less than the other. */
#define SWAPPED 0.9f
#define LEAST_NOT_SWAPPED 0.5f

/* A column counts if this part of the rows have a value, and this part of their values are another row's too. */
#define LEAST_FILLED 0.5
#define LEAST_REPEATED 0.01

/* It tells what a row is if two random rows have one value at most so often. */
#define MOST_EQUAL 0.04

/* The part of the memory of a join that all columns take before they go to files. */
#define PART_OF_FEATURES 2

/* Compares all candidates in a column; returns how many have two values. */
static uint64
compare_column(RecordFeatures *features, int number, RecordColumn *column,
			   RecordCandidates *candidates, RecordSwaps *swaps)
{
	RecordFile *file = &features->columns[number];
	uint64 both = 0;

	RecordFileInit(file, CurrentMemoryContext, sizeof(ColumnSimilarity),
				   JoinMemory() / PART_OF_FEATURES / features->column_count);
	for (uint64 i = 0; i < candidates->count; i++)
	{
		const Candidate *pair = RecordCandidateAt(candidates, i);
		ColumnSimilarity similarity = RecordColumnCompare(column, pair->a, pair->b);

		CHECK_FOR_INTERRUPTS();
		if (similarity.similarity >= 0 && similarity.similarity < LEAST_NOT_SWAPPED &&
			RecordSwapsHas(swaps, pair->a, pair->b, number))
			similarity.similarity = SWAPPED;
		*(ColumnSimilarity *) RecordFilePut(file) = similarity;
		both += similarity.similarity >= 0;
	}
	return both;
}

/* Sets what tells agreement in a column of several values. */
static ColumnAgreement
find_agreement(RecordColumn *column, const CallRows *rows)
{
	ColumnAgreement agreement = {0};
	double count = (double) column->row_count;
	double repeated = 0;
	double equal = 0;

	for (uint32 value = 0; value < column->value_count; value++)
	{
		double share = column->rows[value] / count;

		if (column->rows[value] > 1)
			repeated += column->rows[value];
		equal += share * share;
	}
	agreement.counts =
		count >= LEAST_FILLED * rows->count && repeated >= Max(LEAST_REPEATED * count, 2);
	agreement.tells = agreement.counts && equal <= MOST_EQUAL;
	if (agreement.counts)
		agreement.chance = RecordColumnChance(column, rows);
	return agreement;
}

/* Sets the places of a column that was compared, by how many candidates have two values. */
static FeaturePlaces
places_of_compared(RecordFeatures *features, uint64 both, const RecordCandidates *candidates)
{
	FeaturePlaces places = {.of = {-1, -1, -1}};

	places.similarity = features->count++;
	if ((double) both < NEARLY_ALL * (double) candidates->count)
		places.presence = features->count++;
	places.rarity = features->count++;
	return places;
}

/* Returns the places of a column that a model weighs. */
static FeaturePlaces
places_of_known(RecordFeatures *features, const LearnedColumn *known)
{
	FeaturePlaces places;

	for (int feature = 0; feature < COLUMN_FEATURES; feature++)
		places.of[feature] = isnan(known->weights[feature]) ? -1 : features->count++;
	return places;
}

/* Compares the candidates in a column by what was learned of it. */
static void
find_known(RecordFeatures *features, int number, RecordRows *rows, RecordCandidates *candidates,
		   RecordSwaps *swaps)
{
	const LearnedColumn *known = &rows->request->model->columns[number];
	RecordColumn *column;

	features->places[number] = places_of_known(features, known);
	if (features->places[number].similarity < 0)
		return;
	column = RecordColumnReadCompared(rows, number, known, NULL);
	(void) compare_column(features, number, column, candidates, swaps);
	RecordColumnFree(column);
}

/* Compares the candidates in a column, and learns how frequent its values are. */
static void
find_unknown(RecordFeatures *features, int number, RecordRows *rows, RecordCandidates *candidates,
			 RecordSwaps *swaps, LearnedColumn *learned)
{
	RecordColumn *column = RecordColumnReadCompared(rows, number, NULL, learned);

	features->places[number] = (FeaturePlaces){.of = {-1, -1, -1}};
	features->empty[number] = 1 - (double) column->row_count / Max(rows->rows.count, 1);
	if (column->value_count > 1)
	{
		uint64 both = compare_column(features, number, column, candidates, swaps);

		features->agreements[number] = find_agreement(column, &rows->rows);
		features->places[number] = places_of_compared(features, both, candidates);
	}
	RecordColumnFree(column);
}

/* Returns by group whether it is in a candidate. */
static bool *
groups_of_candidates(RecordCandidates *candidates, uint32 group_count)
{
	bool *are_in = AllocateArray(group_count, sizeof(bool));

	memset(are_in, false, group_count * sizeof(bool));
	for (uint64 i = 0; i < candidates->count; i++)
	{
		const Candidate *pair = RecordCandidateAt(candidates, i);

		CHECK_FOR_INTERRUPTS();
		are_in[pair->a] = are_in[pair->b] = true;
	}
	return are_in;
}

void
RecordFeaturesFind(RecordFeatures *features, RecordRows *rows, RecordCandidates *candidates,
				   LearnedModel *learned)
{
	const RecordRequest *request = rows->request;
	int count = request->column_count;
	RecordSwaps swaps;

	*features = (RecordFeatures){.column_count = count};
	features->places = palloc(count * sizeof(FeaturePlaces));
	features->columns = palloc0(count * sizeof(RecordFile));
	features->empty = palloc0(count * sizeof(double));
	features->agreements = palloc0(count * sizeof(ColumnAgreement));
	if (request->model != NULL)
		RecordRowsKeep(rows, groups_of_candidates(candidates, rows->rows.group_count));
	RecordSwapsBegin(&swaps, rows);
	for (int i = 0; i < count; i++)
	{
		if (request->model != NULL)
			find_known(features, i, rows, candidates, &swaps);
		else
			find_unknown(features, i, rows, candidates, &swaps,
						 learned != NULL ? &learned->columns[i] : NULL);
		JoinProgressAdvance(1);
	}
	RecordSwapsEnd(&swaps);
	RecordRowsForgetValues(rows);
}

void
RecordFeaturesAt(RecordFeatures *features, uint64 candidate, double *values)
{
	for (int i = 0; i < features->column_count; i++)
	{
		FeaturePlaces places = features->places[i];
		const ColumnSimilarity *found;
		bool both;

		if (places.similarity < 0)
			continue;
		found = RecordFileAt(&features->columns[i], candidate);
		both = found->similarity >= 0;
		values[places.similarity] = both ? found->similarity : 0;
		values[places.rarity] = both ? (double) found->similarity * found->rarity : 0;
		if (places.presence >= 0)
			values[places.presence] = both;
	}
}

double
RecordFeaturesSimilarity(RecordFeatures *features, uint64 candidate, int column)
{
	const ColumnSimilarity *found;

	if (features->places[column].similarity < 0)
		return NAN;
	found = RecordFileAt(&features->columns[column], candidate);
	return found->similarity < 0 ? NAN : found->similarity;
}

void
RecordFeaturesEnd(RecordFeatures *features)
{
	for (int i = 0; i < features->column_count; i++)
	{
		if (features->places[i].similarity >= 0)
			RecordFileEnd(&features->columns[i]);
	}
}
