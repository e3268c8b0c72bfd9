/*
 * query_join.c
 *		Running a join of queries.
 */
#include "postgres.h"

#include "utils/builtins.h"

#include "join/query_join.h"

/* Sets the type of the keys, which that of a second query must equal, unless both are integers. */
static void
begin_input_keys(void *context, const ReaderSpec *spec, TupleDesc columns)
{
	JoinInput *input = context;
	JoinKeys *keys = &input->keys;
	Oid type = ReaderKeyType(spec, columns);

	if (keys->context == NULL)
		JoinInputSetKeys(input, type, TupleDescAttr(columns, 0)->attcollation,
						 spec->keys_are_compared);
	else if (keys->is_integer && JoinKeyTypeIsInteger(type))
		keys->type = type;
	else if (keys->type != type)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("key columns of the two queries have different types"),
						errdetail("They are of type %s and %s.", format_type_be(keys->type),
								  format_type_be(type))));
}

static bool
append_to_input(void *context, TupleTableSlot *slot, const JoinRow *row)
{
	JoinInputAppend(context, slot->tts_values[0], row);
	return true;
}

void
QueryJoinBegin(SimilarityJoin *join, const JoinRequest *request)
{
	RowSink sink = {.context = &join->input, .begin = begin_input_keys, .take = append_to_input};

	QueryJoinBeginBy(join, request, &sink);
}

void
QueryJoinBeginBy(SimilarityJoin *join, const JoinRequest *request, RowSink *sink)
{
	SimilarityJoinBegin(join, &request->task, CurrentMemoryContext);
	sink->kind = request->task.kind;
	sink->input = &join->input;
	JoinReadQuery(sink, &request->reader, request->queries[0]);
	if (request->queries[1] != NULL)
	{
		JoinInputBeginRight(&join->input);
		JoinReadQuery(sink, &request->reader, request->queries[1]);
	}
	SimilarityJoinRead(join);
}

void
QueryJoinPairs(SimilarityJoin *join, Predicate predicate, TakePair take, void *take_context)
{
	SimilarityJoinFind(join, predicate, take, take_context);
	while (SimilarityJoinNext(join))
		;
}
