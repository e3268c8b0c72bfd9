/*
 * common_runs.h
 *		The maximal common runs of words of two rows.
 *
 * A run of equal words at two places, in different rows, is maximal if the words before it differ,
 * or one place is at the beginning of its row, and likewise after it.
 */
#ifndef NEARDUP_PASSAGES_COMMON_RUNS_H
#define NEARDUP_PASSAGES_COMMON_RUNS_H

#include "passages/kernel/frequent_grams.h"

typedef struct CommonRun
{
	uint32 a; /* rows, a < b */
	uint32 b;
	uint64 a_place; /* the numbers of the first words */
	uint64 b_place;
	uint64 words;
	/* Characters, from 1; the ends are exclusive. */
	uint32 a_from;
	uint32 a_to;
	uint32 b_from;
	uint32 b_to;
} CommonRun;

/* Returns whether two rows, a < b, are compared. */
typedef bool (*RowsAreCompared)(void *context, uint32 a, uint32 b);
typedef void (*TakeCommonRun)(void *context, const CommonRun *run);

typedef struct CommonRunsSpec
{
	uint32 left_count; /* a is below this and b is not; 0 for any two rows */
	/* Runs of frequent grams alone are left out; NULL for no such grams. */
	const FrequentGrams *frequent;
	RowsAreCompared are_compared; /* NULL for all */
	TakeCommonRun take;
	void *context;
} CommonRunsSpec;

/* Takes all maximal common runs of at least passages->winnow.words words, in no order. */
extern void CommonRunsFind(Passages *passages, const CommonRunsSpec *spec);

#endif
