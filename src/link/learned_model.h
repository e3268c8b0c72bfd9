/*
 * learned_model.h
 *		What was learned from a table of records, as a value that is kept.
 *
 * It has all that a pair of records is scored by without the table: the weight of each feature, and how
 * frequent values and their trigrams were. In SQL it is jsonb:
 *
 *		{"version": 1, "rows": 1000, "constant": -9.5, "tokens": {…}, "columns": [
 *			{"name": "born", "similarity": 7.25, "presence": null, "rarity": 0.5,
 *			 "values": {"rows": 950, "rare": 1, "listed": {"-5311…": 12, …}}, "grams": {…}}, …]}
 *
 * A weight is null where the column does not give the feature. "listed" has the rows of the most frequent
 * tokens (record_frequencies.h): of values, of the trigrams of words, and under "tokens", of what record_tokens
 * returns. Numbers are rounded, so that each machine learns the same.
 */
#ifndef NEARDUP_LINK_LEARNED_MODEL_H
#define NEARDUP_LINK_LEARNED_MODEL_H

#include "utils/jsonb.h"

#include "link/record_frequencies.h"
#include "link/record_model.h"

/* The features of a column, in this order. */
typedef enum ColumnFeature
{
	FEATURE_SIMILARITY,
	FEATURE_PRESENCE,
	FEATURE_RARITY,
	COLUMN_FEATURES
} ColumnFeature;

typedef struct LearnedColumn
{
	char *name;
	double weights[COLUMN_FEATURES]; /* NaN where there is no feature */
	RecordFrequencies values;
	RecordFrequencies grams;
} LearnedColumn;

typedef struct LearnedModel
{
	uint64 rows;
	double constant;
	int column_count;
	LearnedColumn *columns;
	RecordFrequencies tokens;
} LearnedModel;

/* The most that is listed of all columns, of values and trigrams, and of tokens. */
#define MOST_LISTED_OF_COLUMNS 16000
#define MOST_LISTED_TOKENS 8000

/* Returns the model in SQL. */
extern Jsonb *LearnedModelWrite(const LearnedModel *model);

/*
 * Reads a model, which is valid in the current memory context. The session keeps the last one, since reading
 * takes longer than looking up a row. Raises invalid_parameter_value if it is none.
 */
extern const LearnedModel *LearnedModelRead(const Jsonb *json);

/* Returns the weights of the features that there are, column by column. Allocates in the current memory context. */
extern RecordModel LearnedModelWeights(const LearnedModel *model);

#endif
