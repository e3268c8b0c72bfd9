/*
 * damerau_distance.c
 *		Computes the unrestricted Damerau-Levenshtein distance in memory linear in one text.
 *
 * The cell (i, j) of a matrix has the distance of the first i characters of x and the first j of y.
 * Besides the steps of the Levenshtein distance, it may end a transposition (Lowrance and Wagner
 * 1975): x[k] = y[j] and x[i] = y[l] for k < i and l < j, where the characters between k and i are
 * deleted, those between l and j inserted. That characters may be edited between a transposed pair
 * makes this distance a metric, unlike the distance of optimal string alignment.
 *
 * Only the last such k and l matter. If both texts have characters between, substitutions cost no
 * more than the transposition, so one of k = i - 1 and l = j - 1 holds (Zhao and Sahinalp 2020). In
 * the first case the cell before the transposition is in the second row above. In the second it is
 * in column j - 2, above the last row that has the character of column j, and is remembered for
 * each column. So three rows and this memory suffice, in place of the whole matrix.
 */
#include "c.h"

#include "kernel/edit/damerau_distance.h"

/* The last row that has the same character as a column. */
typedef struct LastMatch
{
	uint32 row;	   /* the row, from 1; 0 stands for none */
	uint32 before; /* the cell above that row and two columns back, where a transposition begins */
} LastMatch;

/* Rows and columns count from 1; place 0 is the empty prefix. */
typedef struct DamerauRows
{
	uint32 *current;
	uint32 *above;
	uint32 *second_above;
	LastMatch *matches;
} DamerauRows;

/*
 * Returns the least distance with a transposition that ends in the cell (i, j), or PG_UINT32_MAX if
 * none does. last_column is the last column before j that has the row's character, 0 for none.
 */
static inline uint32
transposed(const DamerauRows *rows, uint32 i, uint32 j, uint32 last_column, const uint32 *x,
		   const uint32 *y)
{
	uint32 least = PG_UINT32_MAX;

	if (last_column > 0 && i > 1 && x[i - 2] == y[j - 1])
		least = rows->second_above[last_column - 1] + (j - last_column);
	if (last_column > 0 && last_column + 1 == j && rows->matches[j].row > 0)
		least = Min(least, rows->matches[j].before + (i - rows->matches[j].row));
	return least;
}

static void
compute_row(DamerauRows *rows, uint32 i, const uint32 *x, const uint32 *y, uint32 y_length)
{
	uint32 last_column = 0; /* before j, with the row's character */

	rows->current[0] = i;
	for (uint32 j = 1; j <= y_length; j++)
	{
		uint32 least = Min(rows->current[j - 1], rows->above[j]) + 1;

		if (x[i - 1] == y[j - 1])
		{
			least = rows->above[j - 1];
			rows->matches[j].row = i;
			rows->matches[j].before = j > 1 ? rows->above[j - 2] : 0;
			last_column = j;
		}
		else
		{
			least = Min(least, rows->above[j - 1] + 1);
			least = Min(least, transposed(rows, i, j, last_column, x, y));
		}
		rows->current[j] = least;
	}
}

uint32
DamerauDistance(JoinHost *host, const uint32 *x, uint32 x_length, const uint32 *y, uint32 y_length)
{
	Size columns = (Size) y_length + 1;
	DamerauRows rows = {.current = JoinAllocate(host, columns, sizeof(uint32)),
						.above = JoinAllocate(host, columns, sizeof(uint32)),
						.second_above = JoinAllocate(host, columns, sizeof(uint32)),
						.matches = JoinAllocateZero(host, columns, sizeof(LastMatch))};
	uint32 distance;

	for (uint32 j = 0; j <= y_length; j++)
		rows.current[j] = j;
	for (uint32 i = 1; i <= x_length; i++)
	{
		uint32 *oldest = rows.second_above;

		rows.second_above = rows.above;
		rows.above = rows.current;
		rows.current = oldest;
		JoinTick(host, y_length + 1);
		compute_row(&rows, i, x, y, y_length);
	}
	distance = rows.current[y_length];
	JoinRelease(host, rows.matches, columns, sizeof(LastMatch));
	JoinRelease(host, rows.second_above, columns, sizeof(uint32));
	JoinRelease(host, rows.above, columns, sizeof(uint32));
	JoinRelease(host, rows.current, columns, sizeof(uint32));
	return distance;
}
