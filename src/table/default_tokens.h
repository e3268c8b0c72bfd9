/*
 * default_tokens.h
 *		What rows are compared by if nobody says.
 *
 *		near_duplicates at a threshold		word_tokens, or qgram_tokens(…, 3) of short texts; jaccard
 *		near_duplicates without one			the best of default_views
 *		link_tables							word_set | qgram_set(…, 4); idf_cosine
 *		the list that it is compared with	word_set; idf_jaccard
 */
#ifndef NEARDUP_LINK_DEFAULT_TOKENS_H
#define NEARDUP_LINK_DEFAULT_TOKENS_H

#include "join/query_join.h"
#include "text/bytes.h"
#include "text/tokens.h"

/* Tokens, an SQL format of the extension's schema and of the text, and a measure. */
typedef struct TokensView
{
	const char *format;
	Measure measure;
} TokensView;

#define DEFAULT_VIEWS 3

extern const TokensView default_views[DEFAULT_VIEWS];

/* Returns the measure of the rows of two tables that are linked. */
static inline Measure
LinkMeasure(bool has_grams)
{
	return has_grams ? MEASURE_IDF_COSINE : MEASURE_IDF_JACCARD;
}

/* Appends the tokens of a text of these rows, some more than once: its words, or 4-grams as well. */
extern void LinkTokensOfText(ByteSpan body, bool has_grams, TokenList *list);
extern void LinkTokensOfNormalized(ByteSpan normalized, bool has_grams, TokenList *list);

/*
 * Returns the tokens that near_duplicates compares texts by at a threshold, as an SQL expression.
 * `relation` and `body`, a column of it, are SQL. Reads the lengths of all texts. A NOTICE tells of
 * cheaper tokens where many texts are compared by q-grams.
 */
extern const char *DefaultTokens(const JoinRequest *join, const char *relation, const char *body);

#endif
