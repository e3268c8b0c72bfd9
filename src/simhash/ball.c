/*
 * ball.c
 *		The type simhash_ball, which index conditions and constraints are made of.
 *
 * The text form is <center,radius>, as that of a circle: <00000000000000ff,3>. A
 * radius above 64 is 64, since no distance is greater. The binary form is the
 * center as int8 and the radius as int4.
 *
 * Two balls meet, a && b, if one of the centers is in the other's ball: if the
 * distance is at most the greater radius. Balls of one radius so exclude values
 * within it, which is what a constraint wants; that their balls have a common value
 * would be true up to twice the radius.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "simhash/ball.h"

PG_FUNCTION_INFO_V1(simhash_ball);
PG_FUNCTION_INFO_V1(simhash_ball_in);
PG_FUNCTION_INFO_V1(simhash_ball_out);
PG_FUNCTION_INFO_V1(simhash_ball_recv);
PG_FUNCTION_INFO_V1(simhash_ball_send);
PG_FUNCTION_INFO_V1(simhash_contained);
PG_FUNCTION_INFO_V1(simhash_ball_contains);
PG_FUNCTION_INFO_V1(simhash_ball_overlaps);

/* Bytes of malformed input that an error message repeats. */
#define QUOTED_BYTES 200

/* An int4 has at most a sign and ten digits. */
#define BALL_TEXT_SIZE (SIMHASH_TEXT_SIZE + 16)

static SimhashBall *
make_ball(Simhash center, int32 radius)
{
	SimhashBall *ball = palloc0(sizeof(SimhashBall));

	ball->center = center;
	ball->radius = Min(radius, SIMHASH_BITS);
	return ball;
}

/* simhash_ball(center, radius) */
Datum
simhash_ball(PG_FUNCTION_ARGS)
{
	PG_RETURN_SIMHASH_BALL(
		make_ball(PG_GETARG_SIMHASH(0), SimhashMaxDistanceOrError(PG_GETARG_INT32(1))));
}

static const char *
skip_blanks(const char *at)
{
	return at + strspn(at, " \t\n\v\f\r");
}

/* False where the text is no ball. */
static bool
read_ball(const char *text, Simhash *center, int32 *radius)
{
	const char *at = skip_blanks(text);
	size_t digits;

	if (*at != '<')
		return false;
	at = skip_blanks(at + 1);
	if (!SimhashReadText(at, center))
		return false;
	at = skip_blanks(at + SIMHASH_TEXT_SIZE - 1);
	if (*at != ',')
		return false;
	at = skip_blanks(at + 1);
	digits = strspn(at, "0123456789");
	if (digits < 1 || digits > 9)
		return false;
	*radius = atoi(at);
	at = skip_blanks(at + digits);
	return *at == '>' && *skip_blanks(at + 1) == '\0';
}

Datum
simhash_ball_in(PG_FUNCTION_ARGS)
{
	const char *text = PG_GETARG_CSTRING(0);
	Simhash center;
	int32 radius;

	if (!read_ball(text, &center, &radius))
	{
		size_t length = strlen(text);
		int quoted =
			pg_mbcliplen(text, Min(length, QUOTED_BYTES + MAX_MULTIBYTE_CHAR_LEN), QUOTED_BYTES);

		ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
						errmsg("invalid input syntax for type simhash_ball: \"%.*s%s\"", quoted,
							   text, (size_t) quoted < length ? "..." : ""),
						errdetail("A ball is written as <center,radius>, such as "
								  "<00000000000000ff,3>.")));
	}
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
		ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
						errmsg("invalid binary form of type simhash_ball"),
						errdetail("Its radius is %d, not 0 to %d.", radius, SIMHASH_BITS)));
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

/* The operator <@. */
Datum
simhash_contained(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(SimhashBallContains(PG_GETARG_SIMHASH_BALL(1), PG_GETARG_SIMHASH(0)));
}

/* The operator @>. */
Datum
simhash_ball_contains(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(SimhashBallContains(PG_GETARG_SIMHASH_BALL(0), PG_GETARG_SIMHASH(1)));
}

/* The operator &&. */
Datum
simhash_ball_overlaps(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(SimhashBallsMeet(PG_GETARG_SIMHASH_BALL(0), PG_GETARG_SIMHASH_BALL(1)));
}
