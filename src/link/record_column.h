/*
 * record_column.h
 *		One column of a table of records: which groups have which value, and how similar values are.
 */
#ifndef NEARDUP_LINK_RECORD_COLUMN_H
#define NEARDUP_LINK_RECORD_COLUMN_H

#include "link/learned_model.h"
#include "link/record_rows.h"

/* Stands for no value. */
#define NO_VALUE PG_UINT32_MAX

typedef struct RecordColumn
{
	MemoryContext context; /* of all below */
	uint32 *values;		   /* the number of each group's value, or NO_VALUE */
	uint32 value_count;
	uint32 *rows; /* by value: how many rows have it */
	Size row_capacity;
	Token *tokens; /* by value: the token of all of it */
	Size token_capacity;
	uint64 row_count; /* rows that have a value */

	/* Set if values are to be compared: */
	float *rarities;		  /* by value: ln(rows that have a value / rows that have this one) */
	struct ValueGrams *grams; /* the trigrams of the words of each value */
} RecordColumn;

/* How similar two groups are in a column. */
typedef struct ColumnSimilarity
{
	float similarity; /* of the values; -1 if a group has none */
	float rarity;	  /* of the rarer value */
} ColumnSimilarity;

/*
 * Reads a column in a context of its own, below the current one. Where `known` is not NULL, a value has as many
 * rows as it says, if there are fewer here: these are few of a large table.
 */
extern RecordColumn *RecordColumnRead(RecordRows *rows, int column, const LearnedColumn *known);

/*
 * The same for comparing values, which are weighed by the frequencies of `known`, and by those of the rows
 * where it is NULL. Then `learned` gets the latter, in the current context, unless it is NULL.
 */
extern RecordColumn *RecordColumnReadCompared(RecordRows *rows, int column,
											  const LearnedColumn *known, LearnedColumn *learned);

/*
 * Compares two groups by the cosine of the trigrams of their words, weighted by rarity: 1 for equal
 * values, and at most 0.9999 for others; at least 0.9 for dates that differ by a slip (date_slip.h).
 * Groups are best asked for in the order of the first one.
 */
extern ColumnSimilarity RecordColumnCompare(RecordColumn *column, uint32 a, uint32 b);

/*
 * Returns how similar two values are by chance: few pairs of random rows that have a value are more similar.
 * There are such rows.
 */
extern float RecordColumnChance(RecordColumn *column, const CallRows *rows);

extern void RecordColumnFree(RecordColumn *column);

#endif
