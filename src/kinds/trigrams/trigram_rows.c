/*
 * trigram_rows.c
 *		Rows that are texts, compared by their trigrams.
 *
 * A text is the set of the trigrams that pg_trgm has of it.
 */
#include "postgres.h"

#include "fmgr.h"

#include "compat.h"
#include "kinds/sets/set_rows.h"
#include "kinds/trigrams/trigram_rows.h"
#include "measure/threshold.h"
#include "text/token_sort.h"
#include "text/trigrams.h"

static bool
read_trigrams(RowReading *reading, Datum value, uint64 group, JoinRow *row)
{
	text *packed = DatumGetTextPP(value);
	TokenList *tokens = &reading->tokens;

	tokens->count = 0;
	TokensOfTrigrams(VARDATA_ANY(packed), VARSIZE_ANY_EXHDR(packed), tokens);
	TokensSort(tokens->tokens, tokens->count);
	*row = (JoinRow){.data = tokens->tokens, .count = TokensUnique(tokens->tokens, tokens->count)};
	RowReadingSetApart(reading, group, row);
	return row->count > 0;
}

const RowKind trigram_rows = {ROWS_AS_SETS,
							  .name = "text",
							  .algorithm = JOIN_AUTO,
							  .algorithms = 1 << JOIN_AUTO,
							  .predicate = PredicateOrError,
							  .read = read_trigrams};
