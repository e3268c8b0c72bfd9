/*
 * set_operand.c
 *		What a scan of an index of sets asks for.
 */
#include "postgres.h"

#include "kinds/sets/set_operand.h"
#include "settings.h"
#include "tokenset/tokenset_ball.h"
#include "tokenset/tokenset_query.h"

static void
take_query(const TokensetQuery *query, IndexOperand *operand)
{
	operand->predicate = TokensetQueryPredicate(query);
	operand->value_first = query->value_first;
	operand->set = TokensetQueryValue(query);
}

/*
 * A ball that overlaps the operand reaches the operand's threshold, and its own one, of which the
 * index knows nothing.
 */
static void
take_ball(const TokensetBall *ball, IndexOperand *operand)
{
	operand->predicate = (Predicate){.measure = MEASURE_JACCARD, .threshold = ball->threshold};
	operand->set = TokensetBallValue(ball);
}

void
SetOperand(int strategy, Datum argument, IndexOperand *operand)
{
	operand->is_exact = strategy != INDEX_BALLS_OVERLAP;
	if (strategy == INDEX_MATCHES)
		take_query(DatumGetTokensetQuery(argument), operand);
	else if (strategy == INDEX_BALLS_OVERLAP)
		take_ball(DatumGetTokensetBall(argument), operand);
	else
	{
		operand->predicate =
			(Predicate){.measure = MEASURE_JACCARD, .threshold = neardup_similarity_threshold};
		operand->set = DatumGetTokenset(argument);
	}
}
