/*
 * parts.h
 *		Joins spilled rows in parts that fit into memory.
 *
 * Files return rows in the order of their size, or whatever their kind sorts them by (row_kind.h).
 * A block of rows that takes half the memory is joined with the rows that can be similar to it,
 * part by part, as an R-S join. These are of a similar size, and have enough tokens in common with
 * the block as a whole (block_tokens.h). Rows that have no near row at all are never loaded
 * (similar_rows.h). In a self-join a block is first joined with the rows that
 * follow it, as one part; these are the next block, and meet only the rows behind them. Rows that
 * are only met, and do not seek, then are the right side of a join of their own. Rows that only look
 * up are the left side of one more, whose blocks are of the rows that they meet: these may be few.
 * Each part has its own dictionary and token order, so pairs are exact.
 */
#ifndef NEARDUP_JOIN_PARTS_H
#define NEARDUP_JOIN_PARTS_H

#include "join/rows/block_tokens.h"
#include "join/rows/input.h"
#include "join/rows/similar_rows.h"
#include "kernel/demand/demands.h"

/* A place between rows of a file; `row` rows are before it. */
typedef struct RowPlace
{
	SpillMark mark;
	uint64 row;
} RowPlace;

/* Consecutive rows of a file. */
typedef struct RowRange
{
	RowPlace begin;
	RowPlace end;
	uint8 roles; /* only rows of these roles are taken: a bit for each JoinRole */
	int64 least; /* least value of what rows are sorted by */
	int64 greatest;
	uint64 loaded; /* rows that were loaded, and their tokens */
	uint64 token_count;
} RowRange;

/* What blocks are joined with, one after the other. */
typedef enum PartsPass
{
	PARTS_SEEKING,	  /* rows that seek, with each other */
	PARTS_MET,		  /* rows that seek, with those that are only met */
	PARTS_LOOKING_UP, /* rows that are met, perhaps only, with those that only look up */
	PARTS_PASSES
} PartsPass;

typedef enum PartsStage
{
	PARTS_BLOCK,   /* next is a block */
	PARTS_REST,	   /* rows that the block meets */
	PARTS_SWAPPED, /* the same, sides exchanged, for an asymmetric measure */
} PartsStage;

typedef struct JoinParts
{
	JoinInput *input;
	Predicate predicate;
	JoinAlgorithm algorithm;
	const PairDemand *demand;
	uint8 occurring;	 /* which roles there are: a bit for each JoinRole */
	SimilarRows similar; /* the rows that are loaded at all */
	bool were_sought;	 /* whether these were sought */
	MemoryContext context;
	Size limit; /* bytes of a part */
	JoinSpill *left;
	JoinSpill *right; /* the right side; in a self-join, the left one again */

	PartsPass pass;
	PartsStage stage;
	RowRange block;
	RowRange following; /* the next block, if already joined with this one */
	bool has_following;
	RowRange rest;
	RowPlace met;		/* earlier rows of the block are too small for the rest */
	RowPlace from;		/* where right rows are read from; earlier ones are too small */
	BlockTokens tokens; /* map of the block's tokens, kept while rows that it meets are sought */
	uint64 tested;		/* rows that were looked up in the map of the present block */
	uint64 skipped;		/* how many of these it skipped */
	bool map_is_due;	/* whether the present block gets a map when its rest begins */
	uint32 blocks_until_map; /* since a map has skipped few rows */
	uint32 last_tokens;		 /* distinct, of the last part */

	bool has_part;
	JoinInput part; /* the present one */
} JoinParts;

/* Begins with a spilled, finished input. Each part takes at most `limit` bytes, in `context`. */
extern void JoinPartsBegin(JoinParts *parts, JoinInput *input, Predicate predicate,
						   JoinAlgorithm algorithm, const PairDemand *demand, MemoryContext context,
						   Size limit);

/* Frees the present part and loads the next; false if there is none. */
extern bool JoinPartsNext(JoinParts *parts);

#endif
