/*
 * ball.h
 *		The type simhash_ball: all values within a Hamming distance of a center.
 */
#ifndef NEARDUP_SIMHASH_BALL_H
#define NEARDUP_SIMHASH_BALL_H

#include "simhash/simhash.h"

/* A ball as it is in memory and on disk; it is passed by reference. */
typedef struct SimhashBall
{
	Simhash center;
	int32 radius; /* 0 to 64 */
	int32 unused; /* 0, except that spgist.c stores a length there in prefixes */
} SimhashBall;

#define DatumGetSimhashBall(d) ((SimhashBall *) DatumGetPointer(d))
#define SimhashBallGetDatum(x) PointerGetDatum(x)
#define PG_GETARG_SIMHASH_BALL(n) DatumGetSimhashBall(PG_GETARG_DATUM(n))
#define PG_RETURN_SIMHASH_BALL(x) PG_RETURN_POINTER(x)

/* Returns whether a value is within the ball. */
static inline bool
SimhashBallContains(const SimhashBall *ball, Simhash value)
{
	return SimhashDistance(ball->center, value) <= ball->radius;
}

/* Returns whether the distance of the centers is at most the greater radius. */
static inline bool
SimhashBallsOverlap(const SimhashBall *a, const SimhashBall *b)
{
	return SimhashDistance(a->center, b->center) <= Max(a->radius, b->radius);
}

#endif
