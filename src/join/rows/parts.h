/*
 * parts.h
 *		The rows of a join that do not fit into memory, in parts that do.
 *
 * Rows come back from their files in the order of sizes. A block of them, of
 * about half the memory, is joined with one after the other of the parts that
 * the size filter lets it meet, as the two sides of an R-S join. Where both
 * sides are the same, a block and the rows that follow it, as many as fit
 * beside it, are first joined as one, each with itself and the other; what
 * followed is the next block, and has only what is behind it left to meet.
 * Each part has its own dictionary and its own order of tokens, so that
 * exactness is that of a join in memory; the counters are other ones, the
 * pairs never.
 */
#ifndef NEARDUP_JOIN_PARTS_H
#define NEARDUP_JOIN_PARTS_H

#include "join/rows/input.h"

/* A place between two rows of a file, and how many rows are before it. */
typedef struct RowPlace
{
	SpillMark mark;
	uint64 row;
} RowPlace;

/* Rows that were, or are to be, read from a file, one after the other. */
typedef struct RowRange
{
	RowPlace begin;
	RowPlace end;
	uint32 least_size;
	uint32 greatest_size;
} RowRange;

typedef enum PartsStage
{
	PARTS_BLOCK,   /* a block comes next */
	PARTS_REST,	   /* what the block meets */
	PARTS_SWAPPED, /* the same with the sides exchanged, under an asymmetric measure */
} PartsStage;

typedef struct JoinParts
{
	JoinInput *input;
	Predicate predicate;
	JoinAlgorithm algorithm;
	MemoryContext context;
	Size limit;
	JoinSpill *left;
	JoinSpill *right; /* in a self-join the same */

	PartsStage stage;
	RowRange block;
	RowRange following; /* the next block, if it was joined with this one, and with itself */
	RowRange rest;
	RowPlace met;		/* rows of the block before it are too small for the rest */
	RowPlace from;		/* in an R-S join, those of the right side, for all blocks to come */
	uint32 last_tokens; /* the distinct tokens of the last part */

	/* The present part, and which rows of its sides' files its first rows are. */
	bool has_part;
	JoinInput part;
	uint64 left_first;
	uint64 right_first;
} JoinParts;

/*
 * The parts of an input that was spilled, and is finished. Each takes no more
 * memory than the limit, of the given context. With one file, the input is
 * joined with itself.
 */
extern void JoinPartsBegin(JoinParts *parts, JoinInput *input, Predicate predicate,
						   JoinAlgorithm algorithm, MemoryContext context, Size limit);

/* Frees the present part, and loads the next one; false if there is none. */
extern bool JoinPartsNext(JoinParts *parts);

#endif
