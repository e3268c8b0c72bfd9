/*
 * passage_length.c
 *		Checking the least number of words of a passage.
 */
#include "postgres.h"

#include "passages/passage_length.h"
#include "passages/kernel/winnow.h"

uint32
MinWordsOrError(int32 min_words)
{
	if (min_words < 1 || min_words > WINNOW_MOST_WORDS)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("min_words must be between 1 and %d", WINNOW_MOST_WORDS),
						errdetail("It is %d.", min_words)));
	return (uint32) min_words;
}
