/*
 * column_frequencies.h
 *		Frequencies of the tokens of a column, remembered from one index scan to the next.
 */
#ifndef NEARDUP_TOKENSET_COLUMN_FREQUENCIES_H
#define NEARDUP_TOKENSET_COLUMN_FREQUENCIES_H

#include "tokenset/column.h"
#include "tokenset/statistics.h"

/*
 * Returns statistics of a column, filled in only as far as TokenFrequency reads them; NULL if they
 * list no token. They are valid until the next call, and belong to this file.
 */
extern const SetStatistics *ColumnFrequencies(const TokensetColumn *column);

#endif
