/*
 * posting_list_agg.c
 *		The aggregate posting_list_agg: the postings of a token, as bytes.
 *
 * The state of a group is one growing string, which becomes the result as it is. It may be of type
 * internal, which cannot travel between servers, since the queries that use the aggregate group by
 * the distribution column: each group is complete on the shard of its rows.
 */
#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/memutils.h"

#include "compat.h"
#include "kernel/filters/bitmap_filter.h"
#include "kernel/postings/posting_list.h"
#include "citus/posting_bytes.h"

PG_FUNCTION_INFO_V1(posting_list_transition);
PG_FUNCTION_INFO_V1(posting_list_final);

/* Arguments of the transition function after the state. */
enum
{
	ARGUMENT_KEY = 1,
	ARGUMENT_SIZE,
	ARGUMENT_POSITION,
	ARGUMENT_SIGNATURE,
	ARGUMENT_SIDE,
	ARGUMENT_PART,
	ARGUMENTS
};

/* Raises an error if an argument is NULL. */
static void
refuse_nulls(FunctionCallInfo fcinfo)
{
	for (int i = ARGUMENT_KEY; i < ARGUMENTS; i++)
	{
		if (PG_ARGISNULL(i))
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("values of a posting must not be null")));
	}
}

/* Returns an argument that must lie within bounds; `name` is for the message. */
static int32
number_argument(FunctionCallInfo fcinfo, int argument, const char *name, int32 least,
				int32 greatest)
{
	int32 value = PG_GETARG_INT32(argument);

	if (value < least || value > greatest)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s of a posting must be from %d to %d", name, least, greatest),
						errdetail("The %s is %d.", name, value)));
	return value;
}

/* Returns the words of a signature, or raises an error if it cannot be one. */
static uint32
signature_words(const bytea *signature)
{
	Size bytes = VARSIZE_ANY_EXHDR(signature);
	Size words = bytes / sizeof(uint64);

	if (bytes % sizeof(uint64) != 0 || words == 0 || words > SIGNATURE_MAX_WORDS)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("signature of a posting must have 8 to %zu bytes, a multiple of 8",
							   SIGNATURE_MAX_WORDS * sizeof(uint64)),
						errdetail("The signature has %zu bytes.", bytes)));
	return (uint32) words;
}

/* Returns a list without postings, in the aggregate's memory context. */
static StringInfo
begin_list(MemoryContext context, uint32 words)
{
	MemoryContext previous = MemoryContextSwitchTo(context);
	PostingBytesHeader header = {.magic = POSTING_BYTES_MAGIC, .words = words};
	StringInfo list = palloc(sizeof(StringInfoData));

	/* Most tokens are rare, so begin with room for two postings. */
	list->maxlen = (int) (VARHDRSZ + sizeof(header) + 2 * StoredPostingSize(words));
	list->data = palloc(list->maxlen);
	resetStringInfo(list);
	list->len = VARHDRSZ;
	appendBinaryStringInfo(list, (char *) &header, sizeof(header));
	MemoryContextSwitchTo(previous);
	return list;
}

/* Returns the words of the list's signatures. */
static uint32
words_of_list(StringInfo list)
{
	PostingBytesHeader header;

	memcpy(&header, list->data + VARHDRSZ, sizeof(header));
	return header.words;
}

Datum
posting_list_transition(PG_FUNCTION_ARGS)
{
	StringInfo list = PG_ARGISNULL(0) ? NULL : (StringInfo) PG_GETARG_POINTER(0);
	MemoryContext context;
	StoredPosting posting = {0};
	bytea *signature;
	uint32 words;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "posting_list_transition was called outside an aggregate");
	refuse_nulls(fcinfo);
	posting.key = PG_GETARG_INT64(ARGUMENT_KEY);
	posting.size = number_argument(fcinfo, ARGUMENT_SIZE, "size", 1, PG_INT32_MAX);
	posting.position = number_argument(fcinfo, ARGUMENT_POSITION, "position", 0, posting.size);
	posting.side = number_argument(fcinfo, ARGUMENT_SIDE, "side", POSTING_BOTH, POSTING_RIGHT);
	posting.part = number_argument(fcinfo, ARGUMENT_PART, "part", POSTING_WHOLE, POSTING_MAX_PART);
	signature = PG_GETARG_BYTEA_PP(ARGUMENT_SIGNATURE);
	words = signature_words(signature);
	if (list == NULL)
		list = begin_list(context, words);
	else if (words_of_list(list) != words)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("signatures of a list must be of one length")));
	appendBinaryStringInfo(list, (char *) &posting, sizeof(posting));
	appendBinaryStringInfo(list, VARDATA_ANY(signature), VARSIZE_ANY_EXHDR(signature));
	PG_RETURN_POINTER(list);
}

Datum
posting_list_final(PG_FUNCTION_ARGS)
{
	StringInfo list = PG_ARGISNULL(0) ? NULL : (StringInfo) PG_GETARG_POINTER(0);
	bytea *bytes;

	if (list == NULL)
		PG_RETURN_NULL();
	bytes = (bytea *) list->data;
	SET_VARSIZE(bytes, list->len);
	PG_RETURN_BYTEA_P(bytes);
}
