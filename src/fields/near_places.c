/*
 * near_places.c
 *		The SQL function near_tokens(lat, lon, metres): places that are near share a token.
 *
 * Let d be the distance as an angle. From each pole to d beyond the equator, the earth is divided
 * into bands of height 2d, which overlap by half:
 *
 *		band 0: the cap, from the pole to 1.4 d
 *		band k: from (k - 0.6) d to (k + 1.4) d, measured from the pole
 *
 * Two places within d of each other are both on the northern bands, if one of them is on the
 * northern half, else both on the southern ones. Take the place that is farther from the pole. If it
 * is in the cap, the other one is. Else it is in the outer half of exactly one band, from
 * (k + 0.4) d on, and the other place is in that band, too. Seen from the pole, the angle between
 * them is then at most s, where sin s is sin d divided by the sine of the distance of that place
 * from the pole. The band is divided by longitude into whole steps of at least s / 2, and at each
 * step begins a cell of three steps. Places within two steps share a cell. A place is in one cell of
 * the cap and in three of each other band; it has two bands, or four near the equator.
 *
 * Places that share a cell are less than 2.83 d apart; the widest ones are of band 1. Here d is
 * made of metres by the least radius of curvature of the ellipsoid WGS84, of a meridian on the
 * equator. The greatest radius, at the poles, is greater by 1 %. So places within the distance share
 * a token, and places beyond three times the distance share none, whether distances are measured on
 * that ellipsoid or on a sphere of any radius between, as is usual.
 *
 * A standby or a restored dump compares tokens that another machine has made with its own. So angles
 * are integers, and the width of steps is computed without the sine of the C library, whose last bit
 * differs between libraries. An approximation of s that is never too small will do.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"

#include "fields/field_token.h"
#include "tokenset/tokenset.h"

PG_FUNCTION_INFO_V1(near_tokens_places);

/* Angles are counted in units of 1e-12 degrees: a tenth of a micrometre, and exact as a double. */
#define DEGREE INT64CONST(1000000000000)
#define QUARTER (90 * DEGREE)
#define CIRCLE (360 * DEGREE)

#define LEAST_METRES 0.001
#define MOST_METRES 1000000.0

/* The least radius of curvature of the earth in metres, rounded down. */
#define LEAST_RADIUS 6335000.0

#define STEPS_OF_CELL 3
#define MOST_TOKENS (2 * (1 + STEPS_OF_CELL))

/*
 * Returns a product, rounded. A compiler that may add to it would otherwise round once where the
 * machine can, and values would differ between machines.
 */
static double
rounded_product(double a, double b)
{
	volatile double product = a * b;

	return product;
}

/* Returns the sine of an angle from 0 to 180 degrees, by its series. */
static double
sine_of_angle(int64 angle)
{
	double x = rounded_product(Min(angle, 2 * QUARTER - angle), M_PI / (2 * QUARTER));
	double square = rounded_product(x, x);
	double sum = 1;

	for (int i = 16; i > 1; i -= 2)
		sum = 1 - rounded_product(sum, square / (i * (i + 1)));
	return rounded_product(x, sum);
}

/* Returns the number of steps of a band, k >= 1: at least twice as many as a cell has. */
static int64
steps_of_band(int64 k, int64 distance)
{
	int64 from = k * distance + distance * 2 / 5;
	int64 to = Min(from + distance, QUARTER + distance);
	double sine = sine_of_angle(distance) / Min(sine_of_angle(from), sine_of_angle(to));

	/* The arc sine of x is at most pi x / (2 + sqrt(1 - x^2)), by the inequality of Shafer and Fink. */
	double angle = rounded_product(M_PI, sine) / (2 + sqrt(rounded_product(1 - sine, 1 + sine)));

	return (int64) floor(4 * M_PI / angle);
}

static void
add_cell(TokenList *list, int64 distance, const char *pole, int64 band, int64 step)
{
	TokenListAppend(list, FieldToken("near " INT64_FORMAT " %s " INT64_FORMAT " " INT64_FORMAT,
									 distance, pole, band, step));
}

/* Adds the cells of a place, with a longitude from 0 on, in a band. */
static void
add_band(TokenList *list, int64 distance, const char *pole, int64 band, int64 longitude)
{
	int64 steps;
	int64 step;

	if (band == 0)
	{
		add_cell(list, distance, pole, 0, 0);
		return;
	}
	steps = steps_of_band(band, distance);
	step = (int64) floor(longitude / ((double) CIRCLE / steps)) % steps;
	for (int i = 0; i < STEPS_OF_CELL; i++)
		add_cell(list, distance, pole, band, (step + steps - i) % steps);
}

/* Adds the cells of a place in the bands of a pole, from which it has this angle. */
static void
add_bands_of_pole(TokenList *list, int64 distance, const char *pole, int64 angle, int64 longitude)
{
	int64 beyond = angle - distance * 2 / 5;

	if (angle > QUARTER + distance)
		return;
	if (beyond < 0)
		add_band(list, distance, pole, 0, longitude);
	else
	{
		add_band(list, distance, pole, beyond / distance, longitude);
		add_band(list, distance, pole, beyond / distance + 1, longitude);
	}
}

/* Raises invalid_parameter_value for what is no place or no distance. */
static void
check_place(double latitude, double longitude, double metres)
{
	if (!(fabs(latitude) <= 90))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("latitude must be between -90 and 90"),
						errdetail("The latitude is %.15g.", latitude),
						errhint("The latitude comes first, then the longitude.")));
	if (!(fabs(longitude) <= 360))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("longitude must be between -360 and 360"),
						errdetail("The longitude is %.15g.", longitude)));
	if (!(metres >= LEAST_METRES && metres <= MOST_METRES))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("distance must be between 0.001 and 1000000 metres"),
						errdetail("The distance is %.15g.", metres)));
}

Datum
near_tokens_places(PG_FUNCTION_ARGS)
{
	double latitude = PG_GETARG_FLOAT8(0);
	double longitude = PG_GETARG_FLOAT8(1);
	double metres = PG_GETARG_FLOAT8(2);
	int64 from_north;
	int64 from_greenwich;
	int64 distance;
	TokenList list;

	check_place(latitude, longitude, metres);
	from_north = QUARTER - (int64) rint(rounded_product(latitude, DEGREE));
	from_greenwich = (int64) rint(rounded_product(longitude, DEGREE)) % CIRCLE;
	if (from_greenwich < 0)
		from_greenwich += CIRCLE;

	/* Two more than the distance, since places are rounded to units. */
	distance = (int64) ceil(rounded_product(metres, 2 * QUARTER / (M_PI * LEAST_RADIUS))) + 2;
	TokenListInit(&list, MOST_TOKENS * 2);
	add_bands_of_pole(&list, distance, "north", from_north, from_greenwich);
	add_bands_of_pole(&list, distance, "south", 2 * QUARTER - from_north, from_greenwich);
	PG_RETURN_TOKENSET(TokensetFromList(&list, false));
}
