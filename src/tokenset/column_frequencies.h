/*
 * column_frequencies.h
 *		Frequencies of the tokens of a column, remembered from one index scan to the next.
 */
#ifndef NEARDUP_TOKENSET_COLUMN_FREQUENCIES_H
#define NEARDUP_TOKENSET_COLUMN_FREQUENCIES_H

#include "tokenset/column.h"
#include "tokenset/statistics.h"

/* Nothing but what TokenFrequency reads; NULL where no token is listed. Valid until the next call. */
extern const SetStatistics *ColumnFrequencies(const TokensetColumn *column);

#endif
