/*
 * drawing.h
 *		Draws some of a known number of things, one after the other.
 */
#ifndef NEARDUP_DRAWING_H
#define NEARDUP_DRAWING_H

#include "common/pg_prng.h"

/* Of `left` things that come yet, `wanted` are drawn. */
typedef struct Drawing
{
	pg_prng_state state;
	uint64 left;
	uint64 wanted;
} Drawing;

/* Begins to draw `most` of `count` things, or all; the same ones for the same seed. */
static inline Drawing
DrawingBegin(uint64 seed, uint64 count, uint64 most)
{
	Drawing drawing = {.left = count, .wanted = Min(count, most)};

	pg_prng_seed(&drawing.state, seed);
	return drawing;
}

/* Returns whether the next thing is drawn. */
static inline bool
DrawingTakes(Drawing *drawing)
{
	bool takes = pg_prng_uint64_range(&drawing->state, 0, drawing->left - 1) < drawing->wanted;

	drawing->left--;
	drawing->wanted -= takes;
	return takes;
}

#endif
