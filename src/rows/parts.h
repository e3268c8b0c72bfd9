/*
 * parts.h
 *		Joins spilled rows in parts that fit into memory.
 *
 * Files return rows in the order of their size, or whatever their kind sorts them by (row_kind.h).
 * A block of rows that takes half the memory is joined with the rows that can be similar to it,
 * part by part, as an R-S join. These are of a similar size, and have enough tokens in common with
 * the block as a whole (block_tokens.h). A block is measured alone, so that a good share of rows has
 * room beside it. If the first rows that it meets have not, the block shrinks to half of its tokens:
 * otherwise it would be loaded anew for each of them.
 *
 * A self-join takes groups: as many rows as fit are joined with each other, as one part. Then the
 * blocks of the group meet the rows behind the group. So any two rows meet once. If the measure is
 * directed, the blocks, on the left, meet the rows before the group too: each row looks up each other.
 *
 * Rows that are only met, and do not seek, are the right side of a join of their own. Rows that only
 * look up are the left side of one more. Each part has its own dictionary and token order, so pairs
 * are exact.
 */
#ifndef NEARDUP_JOIN_PARTS_H
#define NEARDUP_JOIN_PARTS_H

#include "rows/block_tokens.h"
#include "rows/input.h"
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
	uint32 cut; /* tokens of the next one of these rows, if it did not fit; else 0 */
} RowRange;

/* What blocks are joined with, one after the other. */
typedef enum PartsPass
{
	PARTS_SEEKING,	  /* rows that seek, with each other */
	PARTS_MET,		  /* rows that seek, with those that are only met */
	PARTS_LOOKING_UP, /* rows that only look up, with those that are met, perhaps only */
	PARTS_PASSES
} PartsPass;

typedef enum PartsStage
{
	PARTS_GROUP, /* next is a group of a self-join */
	PARTS_BLOCK, /* a block, of the group if it is a self-join */
	PARTS_REST	 /* rows that the block meets */
} PartsStage;

typedef struct JoinParts
{
	JoinInput *input;
	Predicate predicate;
	JoinAlgorithm algorithm;
	const PairDemand *demand;
	uint8 occurring; /* which roles there are: a bit for each JoinRole */
	MemoryContext context;
	Size limit; /* bytes of a part */
	JoinSpill *left;
	JoinSpill *right; /* the right side; in a self-join, the left one again */

	PartsPass pass;
	PartsStage stage;
	RowRange group; /* in a self-join, rows that have met each other; else empty */
	RowRange block;
	bool is_new; /* whether the block has met no rows yet */
	RowRange rest;
	RowPlace met;		/* earlier rows of the block are too small for the rest */
	RowPlace from;		/* where right rows are read from; earlier ones are too small */
	BlockTokens tokens; /* map of the block's tokens, kept while rows that it meets are sought */
	uint32 last_tokens; /* distinct, of the last part */
	uint64 done;		/* rows of the left file that progress knows of, in this pass */

	bool has_part;
	JoinInput part; /* the present one */
} JoinParts;

/* Begins with a spilled, finished input. Each part takes at most `limit` bytes, in `context`. */
extern void JoinPartsBegin(JoinParts *parts, JoinInput *input, Predicate predicate,
						   JoinAlgorithm algorithm, const PairDemand *demand, MemoryContext context,
						   Size limit);

/* Frees the present part and loads the next; false if there is none. */
extern bool JoinPartsNext(JoinParts *parts);

/* Frees what is left of parts that are not loaded to the end. */
extern void JoinPartsEnd(JoinParts *parts);

#endif
