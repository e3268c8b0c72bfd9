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
#include "palloc_host.h"
#include "scope/salt.h"
#include "strings/strings.h"
#include "text/encoding.h"
#include "tokenset/tokenset_query.h"

PG_FUNCTION_INFO_V1(edit_tokens);
PG_FUNCTION_INFO_V1(edit_query);
PG_FUNCTION_INFO_V1(edit_matches);

StaticAssertDecl(EDIT_INDEX_GRAM_LENGTH <= 3 && SCOPE_ROW_TOKEN >> 42 > EDIT_MARK_AFTER,
				 "SCOPE_ROW_TOKEN is no q-gram");

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

/* edit_query(value, max_distance). Raises invalid_parameter_value for a negative distance. */
Datum
edit_query(PG_FUNCTION_ARGS)
{
	Predicate predicate = {.measure = MEASURE_EDIT,
						   .threshold = MaxEditDistanceOrError(PG_GETARG_INT32(1))};

	PG_RETURN_POINTER(
		TokensetQueryMake(predicate, grams_of_text(PG_GETARG_TEXT_PP(0)), false, NULL));
}

/* The operator text @~~ tokenset_query. */
Datum
edit_matches(PG_FUNCTION_ARGS)
{
	TokensetQuery *query = PG_GETARG_TOKENSET_QUERY(1);
	Tokenset *set = grams_of_text(PG_GETARG_TEXT_PP(0));
	bool result = TokensetQueryHolds(query, PointerGetDatum(set));

	pfree(set);
	PG_FREE_IF_COPY(query, 1);
	PG_RETURN_BOOL(result);
}
