/*
 * tokenset_ball.c
 *		The type tokenset_ball: I/O, parts and operators.
 *
 * The text form is <set,threshold>, such as <{1,2,3},0.85>. The binary form is a version byte, the
 * threshold as float8, and the binary form of the set.
 *
 * Two balls overlap (&&) if the Jaccard similarity of their sets reaches both thresholds, which is
 * to say the greater one. So the operator is symmetric, as exclusion constraints demand, and a
 * search by one of the thresholds finds all balls that overlap: the index keeps the sets only.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/float.h"

#include "comparison.h"
#include "compat.h"
#include "measure/threshold.h"
#include "text_input.h"
#include "tokenset/io.h"
#include "tokenset/similarity.h"
#include "tokenset/tokenset_ball.h"

PG_FUNCTION_INFO_V1(jaccard_ball);
PG_FUNCTION_INFO_V1(tokenset_ball_in);
PG_FUNCTION_INFO_V1(tokenset_ball_out);
PG_FUNCTION_INFO_V1(tokenset_ball_recv);
PG_FUNCTION_INFO_V1(tokenset_ball_send);
PG_FUNCTION_INFO_V1(tokenset_ball_tokens);
PG_FUNCTION_INFO_V1(tokenset_ball_threshold);
PG_FUNCTION_INFO_V1(tokenset_ball_overlaps);

#define BINARY_VERSION 1

TokensetBall *
TokensetBallCheck(TokensetBall *ball)
{
	if (unlikely(ball->version != TOKENSET_BALL_VERSION))
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
						errmsg("tokenset_ball has unknown version %d", ball->version)));
	return ball;
}

/*
 * Returns a new ball. Raises invalid_parameter_value for a threshold that is out of range, and
 * program_limit_exceeded where a set as large as the ball would be too large.
 */
static TokensetBall *
tokenset_ball_make(const Tokenset *value, double threshold)
{
	Size size = TOKENSET_BALL_HEADER_SIZE + VARSIZE(value);
	TokensetBall *ball;

	PredicateOrError(MEASURE_JACCARD, threshold);
	TokensetCheckCount(TokensetCount(value) + TOKENSET_BALL_HEADER_SIZE / sizeof(Token));
	ball = palloc0(size);
	SET_VARSIZE(ball, size);
	ball->version = TOKENSET_BALL_VERSION;
	ball->threshold = threshold;
	memcpy(ball->value, value, VARSIZE(value));
	return ball;
}

Datum
jaccard_ball(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(tokenset_ball_make(PG_GETARG_TOKENSET(0), PG_GETARG_FLOAT8(1)));
}

Datum
tokenset_ball_in(PG_FUNCTION_ARGS)
{
	const char *text = PG_GETARG_CSTRING(0);
	TextInput input = {.type = "tokenset_ball",
					   .text = text,
					   .at = text,
					   .hint = "A ball reads as <{1,2,3},0.85>."};
	Datum value;
	Datum threshold;
	size_t length;

	InputExpect(&input, "<", "<");
	(void) InputNext(&input);
	value = DirectFunctionCall1(tokenset_in, CStringGetDatum(InputUpTo(&input, "}")));
	InputExpect(&input, ",", "a comma");
	length = strcspn(input.at, ">");
	threshold = DirectFunctionCall1(float8in, CStringGetDatum(pnstrdup(input.at, length)));
	input.at += length;
	InputExpect(&input, ">", ">");
	InputExpectEnd(&input);
	PG_RETURN_POINTER(tokenset_ball_make(DatumGetTokenset(value), DatumGetFloat8(threshold)));
}

Datum
tokenset_ball_out(PG_FUNCTION_ARGS)
{
	TokensetBall *ball = PG_GETARG_TOKENSET_BALL(0);
	char *value = DatumGetCString(
		DirectFunctionCall1(tokenset_out, PointerGetDatum(TokensetBallValue(ball))));
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoChar(&text, '<');
	appendStringInfoString(&text, value);
	appendStringInfo(&text, ",%s>", float8out_internal(ball->threshold));
	pfree(value);
	PG_FREE_IF_COPY(ball, 0);
	PG_RETURN_CSTRING(text.data);
}

Datum
tokenset_ball_send(PG_FUNCTION_ARGS)
{
	TokensetBall *ball = PG_GETARG_TOKENSET_BALL(0);
	StringInfoData buffer;

	pq_begintypsend(&buffer);
	pq_sendint8(&buffer, BINARY_VERSION);
	pq_sendfloat8(&buffer, ball->threshold);
	TokensetWrite(&buffer, TokensetBallValue(ball));
	PG_FREE_IF_COPY(ball, 0);
	PG_RETURN_BYTEA_P(pq_endtypsend(&buffer));
}

Datum
tokenset_ball_recv(PG_FUNCTION_ARGS)
{
	StringInfo buffer = (StringInfo) PG_GETARG_POINTER(0);
	double threshold;

	InputBinaryVersion(buffer, "tokenset_ball", BINARY_VERSION);
	threshold = pq_getmsgfloat8(buffer);
	if (!MeasureThresholdIsValid(MEASURE_JACCARD, threshold))
		InputBinaryError("tokenset_ball", "Its threshold is out of range.");
	PG_RETURN_POINTER(tokenset_ball_make(TokensetRead(buffer), threshold));
}

/* ball_tokens(ball), which is also what tokenset_ball_ops makes sets of its column with. */
Datum
tokenset_ball_tokens(PG_FUNCTION_ARGS)
{
	TokensetBall *ball = PG_GETARG_TOKENSET_BALL(0);
	const Tokenset *value = TokensetBallValue(ball);
	Tokenset *result = TokensetAllocate(TokensetCount(value));

	memcpy(result, value, VARSIZE(value));
	PG_FREE_IF_COPY(ball, 0);
	PG_RETURN_TOKENSET(result);
}

/* ball_threshold(ball) */
Datum
tokenset_ball_threshold(PG_FUNCTION_ARGS)
{
	TokensetBall *ball = PG_GETARG_TOKENSET_BALL(0);
	double threshold = ball->threshold;

	PG_FREE_IF_COPY(ball, 0);
	PG_RETURN_FLOAT8(threshold);
}

/* The operator tokenset_ball && tokenset_ball. */
Datum
tokenset_ball_overlaps(PG_FUNCTION_ARGS)
{
	TokensetBall *a = PG_GETARG_TOKENSET_BALL(0);
	TokensetBall *b = PG_GETARG_TOKENSET_BALL(1);
	Predicate predicate = {.measure = MEASURE_JACCARD,
						   .threshold = Max(a->threshold, b->threshold)};
	bool result = TokensetDatumsSimilar(predicate, PointerGetDatum(TokensetBallValue(a)),
										PointerGetDatum(TokensetBallValue(b)));

	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	PG_RETURN_BOOL(result);
}

/* Returns 0 for equal arguments only. */
static int
tokenset_ball_differ(FunctionCallInfo fcinfo)
{
	TokensetBall *a = PG_GETARG_TOKENSET_BALL(0);
	TokensetBall *b = PG_GETARG_TOKENSET_BALL(1);
	int result = VARSIZE(a) != VARSIZE(b) || memcmp(a, b, VARSIZE(a)) != 0;

	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return result;
}

EQUALITY_FUNCTIONS(tokenset_ball, tokenset_ball_differ);
