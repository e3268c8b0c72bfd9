/*
 * ball.c
 *		I/O and operators of the type simhash_ball.
 *
 * The text form is <center,radius>, such as <00000000000000ff,3>. The binary form is the center as
 * an int8 and the radius as an int4.
 *
 * Two balls overlap (&&) if the distance of their centers is at most the greater of the radii. This
 * is not geometry, by which it would be their sum. It makes an exclusion constraint on
 * simhash_ball(value, k) WITH && reject just the values within k of one that is there, and still
 * lets an index on the balls answer a search with a radius of its own.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "utils/builtins.h"

#include "simhash/ball.h"
#include "simhash/distance.h"
#include "simhash/io.h"
#include "text_input.h"

PG_FUNCTION_INFO_V1(simhash_ball);
PG_FUNCTION_INFO_V1(simhash_ball_in);
PG_FUNCTION_INFO_V1(simhash_ball_out);
PG_FUNCTION_INFO_V1(simhash_ball_recv);
PG_FUNCTION_INFO_V1(simhash_ball_send);
PG_FUNCTION_INFO_V1(simhash_contained);
PG_FUNCTION_INFO_V1(simhash_ball_contains);
PG_FUNCTION_INFO_V1(simhash_ball_overlaps);

/* The text form of a center, and room for "<", ",", ">" and an int4. */
#define BALL_TEXT_SIZE (SIMHASH_TEXT_SIZE + 16)

/* Returns a new ball. Its radius becomes at most 64, which reaches every value already. */
static SimhashBall *
make_ball(Simhash center, int32 radius)
{
	SimhashBall *ball = palloc0(sizeof(SimhashBall));

	ball->center = center;
	ball->radius = Min(radius, SIMHASH_BITS);
	return ball;
}

Datum
simhash_ball(PG_FUNCTION_ARGS)
{
	PG_RETURN_SIMHASH_BALL(
		make_ball(PG_GETARG_SIMHASH(0), SimhashMaxDistanceOrError(PG_GETARG_INT32(1))));
}

/* Reads a radius of up to 9 digits. */
static int32
read_radius(TextInput *input)
{
	size_t digits;
	int32 radius;

	(void) InputNext(input);
	digits = strspn(input->at, "0123456789");
	if (digits < 1 || digits > 9)
		InputSyntaxError(input, "a radius");
	radius = atoi(input->at);
	input->at += digits;
	return radius;
}

Datum
simhash_ball_in(PG_FUNCTION_ARGS)
{
	const char *text = PG_GETARG_CSTRING(0);
	TextInput input = {.type = "simhash_ball",
					   .text = text,
					   .at = text,
					   .hint = "A ball reads as <00000000000000ff,3>, its center and its radius."};
	Simhash center;
	int32 radius;

	InputExpect(&input, "<", "<");
	(void) InputNext(&input);
	if (!SimhashReadText(input.at, &center))
		InputSyntaxError(&input, "16 hexadecimal digits");
	input.at += SIMHASH_TEXT_SIZE - 1;
	InputExpect(&input, ",", "a comma");
	radius = read_radius(&input);
	InputExpect(&input, ">", ">");
	InputExpectEnd(&input);
	PG_RETURN_SIMHASH_BALL(make_ball(center, radius));
}

Datum
simhash_ball_out(PG_FUNCTION_ARGS)
{
	const SimhashBall *ball = PG_GETARG_SIMHASH_BALL(0);
	char center[SIMHASH_TEXT_SIZE];
	char *text = palloc(BALL_TEXT_SIZE);

	SimhashWriteText(ball->center, center);
	snprintf(text, BALL_TEXT_SIZE, "<%s,%d>", center, ball->radius);
	PG_RETURN_CSTRING(text);
}

Datum
simhash_ball_recv(PG_FUNCTION_ARGS)
{
	StringInfo buffer = (StringInfo) PG_GETARG_POINTER(0);
	Simhash center = pq_getmsgint64(buffer);
	int32 radius = (int32) pq_getmsgint(buffer, sizeof(int32));

	if (radius < 0 || radius > SIMHASH_BITS)
		InputBinaryError("simhash_ball",
						 psprintf("Its radius is %d, not 0 to %d.", radius, SIMHASH_BITS));
	PG_RETURN_SIMHASH_BALL(make_ball(center, radius));
}

Datum
simhash_ball_send(PG_FUNCTION_ARGS)
{
	const SimhashBall *ball = PG_GETARG_SIMHASH_BALL(0);
	StringInfoData buffer;

	pq_begintypsend(&buffer);
	pq_sendint64(&buffer, ball->center);
	pq_sendint32(&buffer, ball->radius);
	PG_RETURN_BYTEA_P(pq_endtypsend(&buffer));
}

/* The operator simhash <@ simhash_ball. */
Datum
simhash_contained(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(SimhashBallContains(PG_GETARG_SIMHASH_BALL(1), PG_GETARG_SIMHASH(0)));
}

/* The operator simhash_ball @> simhash. */
Datum
simhash_ball_contains(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(SimhashBallContains(PG_GETARG_SIMHASH_BALL(0), PG_GETARG_SIMHASH(1)));
}

/* The operator simhash_ball && simhash_ball. */
Datum
simhash_ball_overlaps(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(SimhashBallsOverlap(PG_GETARG_SIMHASH_BALL(0), PG_GETARG_SIMHASH_BALL(1)));
}
