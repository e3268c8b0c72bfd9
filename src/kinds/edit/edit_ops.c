/*
 * edit_ops.c
 *		Functions of the operator class edit_ops: an index of texts by their padded q-grams.
 *
 * A text of n characters has n + q - 1 q-grams, of which an edit changes q at most. So texts within
 * distance k, of which the longer one has n characters, share n + q - 1 - qk q-grams. This is
 * MEASURE_EDIT, the filter of edit joins (kernel/edit/edit_records.h). If the number is not
 * positive, the texts need not share any, and the index finds them by their sizes alone, a range of
 * its records. The grams of a text are numbered where they occur repeatedly (edit_grams.c), so that
 * the set has as many tokens as the text has q-grams, and its size tells the length of the text.
 *
 * In an index with scope columns a token of a row must not be SCOPE_ROW_TOKEN, which would make
 * its size too small (index/scope.c). None is: that one is positive, as the first occurrence of a
 * gram is and the others are not, but greater than any gram of three characters.
 */
#include "postgres.h"

#include "kernel/edit/edit_grams.h"
#include "kinds/edit/edit_ops.h"
#include "measure/measure.h"
#include "memory/palloc_host.h"
#include "scope/salt.h"
#include "strings/strings.h"
#include "text/encoding.h"
#include "tokenset/tokenset_query.h"

PG_FUNCTION_INFO_V1(edit_tokens);
PG_FUNCTION_INFO_V1(edit_query);
PG_FUNCTION_INFO_V1(edit_matches);

StaticAssertDecl(EDIT_INDEX_GRAM_LENGTH <= 3 && SCOPE_ROW_TOKEN >> 42 > EDIT_MARK_AFTER,
				 "SCOPE_ROW_TOKEN is no q-gram");

/* The longest text, in bytes, of which the query is kept. */
#define KEPT_LENGTH 256

/*
 * An index scan that finds rows by name @~~ edit_query($1, k) calls edit_query again for each row that
 * it rechecks. So the function keeps its last query.
 */
typedef struct LastQuery
{
	TokensetQuery *query;
	int32 max_distance;
	Size length;
	char value[KEPT_LENGTH];
} LastQuery;

/* Returns the set of a text's q-grams. Raises the errors of the edit distance of a text. */
static Tokenset *
grams_of_text(const text *value)
{
	JoinHost host = PallocHost(CurrentMemoryContext);
	ByteSpan utf8 = ServerToUtf8(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
	Characters characters = CharactersOf(&host, utf8);
	EditGrams grams;
	Tokenset *set;

	EditGramsInit(&grams, &host, EDIT_INDEX_GRAM_LENGTH);
	EditGramsOf(&grams, characters.characters, characters.length);
	set = TokensetFromTokens(grams.tokens, grams.count);
	EditGramsFree(&grams);
	pfree(characters.characters);
	Utf8Release(utf8, VARDATA_ANY(value));
	return set;
}

Datum
edit_tokens(PG_FUNCTION_ARGS)
{
	text *value = PG_GETARG_TEXT_PP(0);
	Tokenset *set = grams_of_text(value);

	PG_FREE_IF_COPY(value, 0);
	PG_RETURN_TOKENSET(set);
}

static TokensetQuery *
copy_query(const TokensetQuery *query)
{
	return memcpy(palloc(VARSIZE(query)), query, VARSIZE(query));
}

/* Keeps a query for the next call, if its text is short. */
static void
keep_query(FmgrInfo *function, const text *value, int32 max_distance, const TokensetQuery *query)
{
	LastQuery *last = function->fn_extra;
	TokensetQuery *copy;
	MemoryContext previous;

	if (VARSIZE_ANY_EXHDR(value) > KEPT_LENGTH)
		return;
	previous = MemoryContextSwitchTo(function->fn_mcxt);
	copy = copy_query(query);
	if (last == NULL)
		function->fn_extra = last = palloc0(sizeof(LastQuery));
	else
		pfree(last->query);
	last->query = copy;
	last->max_distance = max_distance;
	last->length = VARSIZE_ANY_EXHDR(value);
	memcpy(last->value, VARDATA_ANY(value), last->length);
	MemoryContextSwitchTo(previous);
}

/* edit_query(value, max_distance). Raises invalid_parameter_value for a negative distance. */
Datum
edit_query(PG_FUNCTION_ARGS)
{
	text *value = PG_GETARG_TEXT_PP(0);
	int32 max_distance = PG_GETARG_INT32(1);
	const LastQuery *last = fcinfo->flinfo->fn_extra;
	TokensetQuery *query;
	Predicate predicate = {.measure = MEASURE_EDIT};

	if (last != NULL && last->max_distance == max_distance &&
		last->length == VARSIZE_ANY_EXHDR(value) &&
		memcmp(last->value, VARDATA_ANY(value), last->length) == 0)
		PG_RETURN_POINTER(copy_query(last->query));
	predicate.threshold = MaxEditDistanceOrError(max_distance);
	query = TokensetQueryMake(predicate, grams_of_text(value), false, value, VARSIZE_ANY(value));
	keep_query(fcinfo->flinfo, value, max_distance, query);
	PG_RETURN_POINTER(query);
}

/*
 * The operator text @~~ tokenset_query. A query that has its text tells the texts within the distance
 * from those that only share the q-grams.
 */
Datum
edit_matches(PG_FUNCTION_ARGS)
{
	TokensetQuery *query = PG_GETARG_TOKENSET_QUERY(1);
	const void *value = query->measure == MEASURE_EDIT ? TokensetQueryRest(query) : NULL;
	bool result;

	if (value != NULL)
		result = DatumGetBool(DirectFunctionCall3(edit_within, PG_GETARG_DATUM(0),
												  PointerGetDatum(value),
												  Int32GetDatum((int32) query->threshold)));
	else
		result = TokensetQueryHolds(query, PointerGetDatum(grams_of_text(PG_GETARG_TEXT_PP(0))));
	PG_FREE_IF_COPY(query, 1);
	PG_RETURN_BOOL(result);
}
