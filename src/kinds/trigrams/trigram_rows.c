/*
 * trigram_rows.c
 *		Rows that are texts, compared by their trigrams.
 *
 * A text is the set of the trigrams that pg_trgm has of it.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "compat.h"
#include "kinds/sets/set_rows.h"
#include "kinds/trigrams/trigram_rows.h"
#include "measure/threshold.h"
#include "text/token_sort.h"
#include "text/trigrams.h"

static void
check_trigram_column(const RowReading *reading, Form_pg_attribute column)
{
	if (reading->type != TEXTOID)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("text column of the query has an unsupported type"),
						errdetail("Column \"%s\" is of type %s.", NameStr(column->attname),
								  format_type_be(column->atttypid)),
						errhint("Texts that are compared by trigrams are of type text.")));
}

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

const RowKind trigram_rows = {.name = "text",
							  .algorithm = JOIN_AUTO,
							  .algorithms = 1 << JOIN_AUTO,
							  .predicate = PredicateOrError,
							  .check_column = check_trigram_column,
							  .read = read_trigrams,
							  .fits = SetRowsFit,
							  .needed = SetRowsNeeded,
							  .append = JoinInputAppendTokens,
							  .keep = SetRowsKeep,
							  .spill = SetRowsSpill,
							  .measured = SetRowsMeasured,
							  .least_similar = PredicateLeastSize,
							  .greatest_similar = PredicateGreatestSize,
							  .least_common = SetRowsLeastCommon};
