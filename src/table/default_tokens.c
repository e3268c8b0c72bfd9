/*
 * default_tokens.c
 *		What rows are compared by if nobody says.
 *
 * near_duplicates chooses between q-grams and words by the mean length of the texts of a table.
 * Groups of three characters find short texts with typing errors, and cost most: a token for each
 * character, and tokens that many rows share. Words are as good where texts are longer, and cheaper.
 * Length is counted in characters, so that a text counts the same in each script. Long texts may be
 * stored apart and compressed; their bytes, whose number is known without reading them, serve as
 * well.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "rows/query.h"
#include "table/default_tokens.h"
#include "text/encoding.h"
#include "text/normalize.h"
#include "text/qgrams.h"
#include "text/words.h"

/* Texts whose mean length is below this are compared by q-grams, not by words (doc/quality.md). */
#define SHORT_TEXT_CHARACTERS 100

/* Texts from this on are long in any encoding, which has at most 4 bytes for a character. */
#define LONG_TEXT_BYTES 2000

/* More rows than this are joined by q-grams only with a word of warning. */
#define MANY_ROWS 1000000

/* The grams of LinkTokensOfText, and of the first view. */
#define LINK_GRAM_LENGTH 4

/* Views that did well on labelled tables (doc/quality.md). */
const TokensView default_views[DEFAULT_VIEWS] = {
	{"%1$s.qgram_set(%2$s, 3)", MEASURE_JACCARD},
	{"%1$s.word_set(%2$s) OPERATOR(%1$s.|) %1$s.qgram_set(%2$s, 4)", MEASURE_IDF_COSINE},
	{"%1$s.qgram_set(%2$s, 3)", MEASURE_IDF_COSINE}};

typedef struct TextLengths
{
	bool are_short; /* whether texts are short on average */
	int64 rows;		/* rows that have a text */
} TextLengths;

static bool
take_lengths(void *context, TupleTableSlot *slot)
{
	TextLengths *lengths = context;

	slot_getallattrs(slot);
	lengths->are_short = !slot->tts_isnull[0] && DatumGetBool(slot->tts_values[0]);
	lengths->rows = DatumGetInt64(slot->tts_values[1]);
	return true;
}

static TextLengths
read_lengths(const char *function, const char *relation, const char *body)
{
	TextLengths lengths = {0};
	QueryReceiver receiver;
	const char *query =
		psprintf("SELECT pg_catalog.avg(CASE WHEN bytes OPERATOR(pg_catalog.<) %d "
				 "THEN pg_catalog.char_length(body) ELSE bytes END) OPERATOR(pg_catalog.<) %d, "
				 "pg_catalog.count(body) FROM (SELECT %s::pg_catalog.text AS body, "
				 "pg_catalog.octet_length(%s::pg_catalog.text) AS bytes FROM %s) AS texts",
				 LONG_TEXT_BYTES, SHORT_TEXT_CHARACTERS, body, body, relation);

	QueryReceiverInit(&receiver, NULL, take_lengths, &lengths);
	JoinRunQuery(function, NULL, query, &receiver.dest);
	return lengths;
}

const char *
DefaultTokens(const JoinRequest *join, const char *relation, const char *body)
{
	const char *schema = quote_identifier(get_namespace_name(join->reader.schema));
	TextLengths lengths = read_lengths(join->task.name, relation, body);

	if (!lengths.are_short)
		return psprintf("%s.word_tokens(%s::pg_catalog.text)", schema, body);
	if (lengths.rows > MANY_ROWS)
		ereport(NOTICE,
				(errmsg("%s compares " INT64_FORMAT " short texts by groups of three characters",
						join->task.name, lengths.rows),
				 errdetail("That can take many times as long as by words, and much room for "
						   "temporary files."),
				 errhint("Try tokens => 'word_tokens(%s)' first. lsh_join finds most of the pairs "
						 "by groups of three characters in less time.",
						 body)));
	return psprintf("%s.qgram_tokens(%s::pg_catalog.text, 3)", schema, body);
}

void
LinkTokensOfNormalized(ByteSpan normalized, bool has_grams, TokenList *list)
{
	TokensOfWords(normalized, list);
	if (has_grams)
		TokensOfQgrams(normalized, LINK_GRAM_LENGTH, list);
}

void
LinkTokensOfText(ByteSpan body, bool has_grams, TokenList *list)
{
	ByteSpan utf8 = ServerToUtf8(body.data, body.length);
	ByteBuffer normalized = NormalizeUtf8(utf8);

	Utf8Release(utf8, body.data);
	LinkTokensOfNormalized((ByteSpan){normalized.data, normalized.used}, has_grams, list);
	ByteBufferFree(&normalized);
}
