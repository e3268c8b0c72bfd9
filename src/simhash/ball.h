/*
 * ball.h
 *		The type simhash_ball: the values within a Hamming distance of a center.
 */
#ifndef NEARDUP_SIMHASH_BALL_H
#define NEARDUP_SIMHASH_BALL_H

#include "simhash/simhash.h"

/* Passed by reference; 16 bytes, none of them undefined. */
typedef struct SimhashBall
{
	Simhash center;
	int32 radius; /* 0 to 64, which is everything */
	int32 unused; /* 0 */
} SimhashBall;

#define DatumGetSimhashBall(d) ((SimhashBall *) DatumGetPointer(d))
#define SimhashBallGetDatum(x) PointerGetDatum(x)
#define PG_GETARG_SIMHASH_BALL(n) DatumGetSimhashBall(PG_GETARG_DATUM(n))
#define PG_RETURN_SIMHASH_BALL(x) PG_RETURN_POINTER(x)

/* Whether the value is in the ball. */
static inline bool
SimhashBallContains(const SimhashBall *ball, Simhash value)
{
	return SimhashDistance(ball->center, value) <= ball->radius;
}

/* Whether the centers are no further apart than the greater radius. */
static inline bool
SimhashBallsMeet(const SimhashBall *a, const SimhashBall *b)
{
	return SimhashDistance(a->center, b->center) <= Max(a->radius, b->radius);
}

#endif
