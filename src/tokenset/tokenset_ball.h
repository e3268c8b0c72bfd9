/*
 * tokenset_ball.h
 *		The type tokenset_ball: a set with a threshold of its own, for constraints.
 */
#ifndef NEARDUP_TOKENSET_TOKENSET_BALL_H
#define NEARDUP_TOKENSET_TOKENSET_BALL_H

#include "tokenset/tokenset.h"

/* In memory and on disk. `value` is a tokenset; equal balls are equal bytes. */
typedef struct TokensetBall
{
	int32 vl_len_; /* varlena header (do not touch directly) */
	uint8 version;
	uint8 unused[3];
	double threshold; /* of the Jaccard similarity: greater than 0, and at most 1 */
	char value[FLEXIBLE_ARRAY_MEMBER];
} TokensetBall;

#define TOKENSET_BALL_VERSION 1
#define TOKENSET_BALL_HEADER_SIZE offsetof(TokensetBall, value)

#define DatumGetTokensetBall(d) TokensetBallCheck((TokensetBall *) PG_DETOAST_DATUM(d))
#define PG_GETARG_TOKENSET_BALL(n) DatumGetTokensetBall(PG_GETARG_DATUM(n))

/* Returns the ball. Raises data_corrupted if its version is unknown. */
extern TokensetBall *TokensetBallCheck(TokensetBall *ball);

/* Returns the set, within the ball. */
static inline const Tokenset *
TokensetBallValue(const TokensetBall *ball)
{
	return (const Tokenset *) ball->value;
}

/* An SQL function, declared for the estimator, which recognizes its calls by the address. */
extern Datum jaccard_ball(PG_FUNCTION_ARGS);

#endif
