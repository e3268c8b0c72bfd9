/*
 * parts.h
 *		Joins spilled rows in parts that fit into memory.
 *
 * Files return rows in the order of their size, or whatever their kind sorts them by (row_kind.h).
 * A block of rows that takes half the memory is joined with the rows that can be similar to it,
 * part by part, as an R-S join. These are of a similar size, and have enough tokens in common with
 * the block as a whole (block_tokens.h). In a self-join a block is first joined with the rows that
 * follow it, as one part; these are the next block, and meet only the rows behind them. Rows that
 * are only met, and do not seek, then are the right side of a join of their own. Each part has its own
 * dictionary and token order, so pairs are exact.
 */
#ifndef NEARDUP_JOIN_PARTS_H
#define NEARDUP_JOIN_PARTS_H

#include "join/rows/block_tokens.h"
#include "join/rows/input.h"

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
	JoinRole role; /* only rows of this role are taken */
	int64 least;   /* least value of what rows are sorted by */
	int64 greatest;
	uint64 token_count; /* tokens of the rows that were loaded */
} RowRange;

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
	const uint8 *roles; /* JoinRole by key; NULL if all seek */
	bool has_met;		/* whether some rows are only met */
	MemoryContext context;
	Size limit; /* bytes of a part */
	JoinSpill *left;
	JoinSpill *right; /* the right side; in a self-join, the left one again */

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
						   JoinAlgorithm algorithm, const uint8 *roles, bool has_met,
						   MemoryContext context, Size limit);

/* Frees the present part and loads the next; false if there is none. */
extern bool JoinPartsNext(JoinParts *parts);

#endif
