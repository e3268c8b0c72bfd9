/*
 * record_frequencies.c
 *		Choosing which frequencies are listed, and looking them up.
 */
#include "postgres.h"

#include <math.h>

#include "allocate.h"
#include "bisect.h"
#include "link/record_frequencies.h"

/* What the tokens that are not listed count at least. */
#define LEAST_RARE 1

static int
compare_by_rows(const void *a, const void *b)
{
	const ListedFrequency *x = a;
	const ListedFrequency *y = b;

	if (x->rows != y->rows)
		return x->rows > y->rows ? -1 : 1;
	return (x->token > y->token) - (x->token < y->token);
}

static int
compare_by_token(const void *a, const void *b)
{
	const ListedFrequency *x = a;
	const ListedFrequency *y = b;

	return (x->token > y->token) - (x->token < y->token);
}

/* Returns the mean frequency of the tokens from a number on, each counting by the rows that have it. */
static uint64
mean_of_rare(const ListedFrequency *frequencies, uint32 from, uint32 count)
{
	double squares = 0;
	double rows = 0;

	for (uint32 i = from; i < count; i++)
	{
		squares += (double) frequencies[i].rows * (double) frequencies[i].rows;
		rows += (double) frequencies[i].rows;
	}
	return rows == 0 ? LEAST_RARE : Max((uint64) rint(squares / rows), LEAST_RARE);
}

RecordFrequencies
RecordFrequenciesList(ListedFrequency *frequencies, uint32 count, uint32 most, uint64 all)
{
	RecordFrequencies list = {.all = all, .count = Min(count, most), .listed = frequencies};

	qsort(frequencies, count, sizeof(ListedFrequency), compare_by_rows);
	while (list.count > 0 && frequencies[list.count - 1].rows == 1)
		list.count--;
	list.rare = mean_of_rare(frequencies, list.count, count);
	list.listed = ResizeArray(frequencies, Max(list.count, 1), sizeof(ListedFrequency));
	(void) RecordFrequenciesSort(&list);
	return list;
}

bool
RecordFrequenciesSort(RecordFrequencies *frequencies)
{
	ListedFrequency *listed = frequencies->listed;

	qsort(listed, frequencies->count, sizeof(ListedFrequency), compare_by_token);
	for (uint32 i = 1; i < frequencies->count; i++)
	{
		if (listed[i].token == listed[i - 1].token)
			return false;
	}
	return true;
}

uint64
RecordFrequency(const RecordFrequencies *frequencies, Token token)
{
	const ListedFrequency *end = frequencies->listed + frequencies->count;
	const ListedFrequency *from = frequencies->listed;
	const ListedFrequency *to = end;

	BISECT(const ListedFrequency *, from, to, at, at->token < token);
	return from < end && from->token == token ? from->rows : frequencies->rare;
}
