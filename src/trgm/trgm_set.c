/*
 * trgm_set.c
 *		SQL function from a text to the set of its trigrams.
 */
#include "postgres.h"

#include "fmgr.h"

#include "compat.h"
#include "text/trigrams.h"
#include "tokenset/tokenset.h"

PG_FUNCTION_INFO_V1(trgm_set);

Datum
trgm_set(PG_FUNCTION_ARGS)
{
	text *value = PG_GETARG_TEXT_PP(0);
	Size length = VARSIZE_ANY_EXHDR(value);
	TokenList list;

	TokenListInit(&list, length + 1);
	TokensOfTrigrams(VARDATA_ANY(value), length, &list);
	PG_RETURN_TOKENSET(TokensetFromList(&list, false));
}
