/*
 * difference_rows.c
 *		Rows that are sets of tokens, compared by Hamming distances of empty sets, too.
 *
 * The records of a join are not empty. So each row gets one more token, the same in all rows. A token
 * that both sets of a pair have does not change their distance, and an empty set is the set of that
 * token. As the most frequent token it comes last in each record, behind the prefixes of all but small
 * sets.
 *
 * Any number may be a token of a user, so there is none that rows cannot have. The token is drawn at
 * random for each join: nobody can know it, and in a billion sets of a hundred tokens it occurs once in
 * 180 million joins. Then the join ends with an error, as it would return wrong pairs.
 */
#include "postgres.h"

#include "kinds/sets/difference_rows.h"
#include "kinds/sets/set_rows.h"
#include "measure/threshold.h"

/* Draws the token of the join. A part of spilled rows draws one, too, which it does not need. */
static void
draw_token(JoinInput *input)
{
	Token *token = MemoryContextAlloc(input->context, sizeof(Token));

	if (!pg_strong_random(token, sizeof(Token)))
		ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate random bits")));
	input->content = token;
}

static bool
read_set_with_token(RowReading *reading, Datum value, uint64 group, JoinRow *row)
{
	TokenList *tokens = &reading->tokens;
	Token added = *(const Token *) reading->input->content;

	SetRowsRead(reading, value, 0, row);
	tokens->count = 0;
	memcpy(TokenListExtend(tokens, row->count + 1), row->data, row->count * sizeof(Token));
	for (Size i = 0; i < row->count; i++)
	{
		if (tokens->tokens[i] == added)
			elog(ERROR, "a set has the token that was drawn at random for a similarity join");
	}
	tokens->tokens[row->count] = added;
	*row = (JoinRow){.data = tokens->tokens, .count = tokens->count};
	RowReadingSetApart(reading, group, row);
	return true;
}

const RowKind difference_rows = {ROWS_AS_SETS,
								 .name = "set",
								 .algorithm = JOIN_AUTO,
								 .algorithms = 1 << JOIN_AUTO,
								 .predicate = PredicateOrError,
								 .init = draw_token,
								 .read = read_set_with_token};
