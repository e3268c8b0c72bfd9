/*
 * track_statements.c
 *		The SQL that keeps the clusters of a tracked table.
 *
 * In the texts below, a word between two @ is replaced by the name of a relation or schema, and @=@
 * by the equality operator of the keys.
 *
 * Each row has a member number, drawn when it came and when its set changed. `newest` is a number
 * that was drawn when the statement began to be recorded. A row with a greater number whose cluster
 * has that same number is new in the statement; it does not count when it is decided which of
 * several clusters keeps its number. A row that has changed has a greater number too, but is still
 * in the cluster that it was in before, and so it counts.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "track/track_statements.h"

typedef struct Statement
{
	/* Initials of types: key, Keys, set, text, bigint, Bigints, float8, ctid. */
	const char *parameters;
	const char *columns; /* that come back */
	const char *text;
} Statement;

/*
 * Finds the connected parts of some clusters again, in the sets that the query $1 returns, and gives
 * numbers to them. Each cluster claims the part that has most of its rows; of several parts
 * with equally many, the one with the oldest row. Of the clusters that claim a part, the one with
 * most rows in the part gives its number to the part, and of several such clusters the one of the
 * least number; a part that no cluster claims draws a new number. Copies are one row of the pairs,
 * and follow it. For example, clusters 1 and 2 have the rows a, b, c and d, e, and now a is alone
 * and b, c, d, e are connected. Then 1 claims the part of b and c, and so does 2, with equally many
 * rows; 1 is less, and keeps the part. a gets a new number, which is logged as a split of 1, and
 * that d and e go from 2 to 1 as a merge.
 */
#define RELABEL(chosen, newest, threshold)                                                         \
	"WITH label AS MATERIALIZED ("                                                                 \
	" SELECT id, cluster FROM @schema@.neardup_components($1, " threshold ")"                      \
	"), chosen AS MATERIALIZED ("                                                                  \
	" SELECT member, cluster, CASE WHEN @schema@.cardinality(tokens) > 0"                          \
	" THEN min(member) OVER (PARTITION BY tokens) ELSE member END AS first_copy"                   \
	" FROM @members@ WHERE " chosen "), part AS MATERIALIZED ("                                    \
	" SELECT c.member, c.cluster, coalesce(l.cluster, c.first_copy) AS part"                       \
	" FROM chosen AS c LEFT JOIN label AS l ON l.id = c.first_copy"                                \
	"), shared AS ("                                                                               \
	" SELECT part, cluster, count(*) FILTER (WHERE member <= " newest                              \
	" OR cluster <> member) AS members,"                                                           \
	" min(member) AS oldest FROM part GROUP BY part, cluster"                                      \
	"), claim AS ("                                                                                \
	" SELECT DISTINCT ON (cluster) cluster, part, members FROM shared"                             \
	" ORDER BY cluster, members DESC, oldest"                                                      \
	"), kept AS ("                                                                                 \
	" SELECT DISTINCT ON (part) part, cluster FROM claim ORDER BY part, members DESC, cluster"     \
	"), named AS MATERIALIZED ("                                                                   \
	" SELECT p.part, coalesce(k.cluster, nextval(@numbers@)) AS cluster"                           \
	" FROM (SELECT DISTINCT part FROM part ORDER BY part) AS p"                                    \
	" LEFT JOIN kept AS k ON k.part = p.part"                                                      \
	"), moved AS ("                                                                                \
	" UPDATE @members@ AS m SET cluster = n.cluster"                                               \
	" FROM part AS p JOIN named AS n ON n.part = p.part"                                           \
	" WHERE m.member = p.member AND p.cluster <> n.cluster"                                        \
	" RETURNING m.key::text, m.member, p.cluster AS recorded, n.cluster AS computed"               \
	"), old_moved AS MATERIALIZED ("                                                               \
	" SELECT * FROM moved AS m WHERE m.member <= " newest " OR m.recorded <> m.member"             \
	"), logged AS ("                                                                               \
	" INSERT INTO @log@ (event, cluster, other, members)"                                          \
	" SELECT event, CASE event WHEN 'split' THEN recorded ELSE computed END,"                      \
	" CASE event WHEN 'split' THEN computed ELSE recorded END, members"                            \
	" FROM (SELECT CASE WHEN EXISTS (SELECT FROM named AS n WHERE n.cluster = m.recorded)"         \
	" THEN 'split' ELSE 'merge' END AS event, m.recorded, m.computed, count(*) AS members"         \
	" FROM old_moved AS m GROUP BY m.recorded, m.computed) AS e"                                   \
	" ORDER BY 1, 2, 3"                                                                            \
	") SELECT m.key, 'cluster'::text, m.recorded, m.computed FROM old_moved AS m"

static const Statement statements[TRACK_STATEMENTS] = {
	[TRACK_READ] = {"k", "cbbss",
					"SELECT m.ctid, m.member, m.cluster, m.tokens, s.tokens "
					"FROM (SELECT $1 AS key) AS k "
					"LEFT JOIN @source@ AS s ON s.key @=@ k.key "
					"LEFT JOIN @members@ AS m ON m.key @=@ k.key"},
	[TRACK_SIMILAR] = {"sf", "cbbs",
					   "SELECT m.ctid, m.member, m.cluster, m.tokens FROM @members@ AS m "
					   "WHERE @schema@.jaccard_ge(m.tokens, $1, $2)"},
	[TRACK_COPY] = {"sb", "b",
					"SELECT m.member FROM @members@ AS m "
					"WHERE m.tokens OPERATOR(@schema@.=) $1 AND m.member <= $2 LIMIT 1"},
	[TRACK_CLUSTER] = {"b", "bs",
					   "SELECT m.member, m.tokens FROM @members@ AS m WHERE m.cluster = $1"},
	[TRACK_INSERT] = {"kbbs", "",
					  "INSERT INTO @members@ (key, member, cluster, tokens) "
					  "VALUES ($1, $2, $3, $4)"},
	[TRACK_CHANGE] = {"ksb", "",
					  "UPDATE @members@ AS m SET tokens = $2, member = $3 "
					  "WHERE m.key @=@ $1"},
	[TRACK_DELETE] = {"k", "", "DELETE FROM @members@ AS m WHERE m.key @=@ $1"},
	[TRACK_MERGE] = {"BBb", "bb",
					 "WITH sized AS ("
					 " SELECT p.part, p.cluster,"
					 " count(*) FILTER (WHERE m.member <= $3 OR m.cluster <> m.member) AS members"
					 " FROM unnest($1, $2) AS p (part, cluster)"
					 " JOIN @members@ AS m ON m.cluster = p.cluster GROUP BY p.part, p.cluster"
					 "), ranked AS MATERIALIZED ("
					 " SELECT part, cluster, members,"
					 " first_value(cluster) OVER (PARTITION BY part ORDER BY members DESC, cluster)"
					 " AS kept FROM sized"
					 "), moved AS ("
					 " UPDATE @members@ AS m SET cluster = r.kept FROM ranked AS r"
					 " WHERE m.cluster = r.cluster AND r.cluster <> r.kept"
					 "), logged AS ("
					 " INSERT INTO @log@ (event, cluster, other, members)"
					 " SELECT 'merge', kept, cluster, members FROM ranked"
					 " WHERE cluster <> kept AND members > 0 ORDER BY kept, cluster"
					 ") SELECT part, cluster FROM ranked WHERE cluster = kept"},
	[TRACK_RECORD] =
		{"K", "Bb",
		 "WITH written AS MATERIALIZED ("
		 " SELECT k.key FROM unnest($1) AS k (key)"
		 "), gone AS ("
		 " DELETE FROM @members@ AS m USING written AS w WHERE m.key @=@ w.key"
		 " AND NOT EXISTS (SELECT FROM @source@ AS s WHERE s.key @=@ w.key)"
		 " RETURNING m.cluster"
		 "), current AS MATERIALIZED ("
		 " SELECT m.key, m.cluster, m.tokens AS former, s.tokens FROM written AS w"
		 " JOIN @members@ AS m ON m.key @=@ w.key JOIN @source@ AS s ON s.key @=@ w.key"
		 "), changed AS ("
		 " UPDATE @members@ AS m SET tokens = c.tokens, member = nextval(@numbers@)"
		 " FROM current AS c"
		 " WHERE m.key @=@ c.key AND c.former OPERATOR(@schema@.<>) c.tokens"
		 " RETURNING c.cluster"
		 ") SELECT array_agg(l.cluster), (SELECT count(*) FROM changed)"
		 " FROM (SELECT cluster FROM gone UNION ALL SELECT cluster FROM changed) AS l"},
	[TRACK_ARRIVED] = {"K", "ks",
					   "SELECT s.key, s.tokens FROM unnest($1) AS k (key) "
					   "JOIN @source@ AS s ON s.key @=@ k.key "
					   "WHERE NOT EXISTS (SELECT FROM @members@ AS m WHERE m.key @=@ k.key) "
					   "ORDER BY 1"},
	[TRACK_MEMBERS] = {"", "cbs", "SELECT m.ctid, m.cluster, m.tokens FROM @members@ AS m"},
	[TRACK_SPLIT] = {"tbfB", "ttbb", RELABEL("cluster = ANY ($4)", "$2", "$3")},
	[TRACK_REBUILD] =
		{"", "ttbb",
		 "WITH current AS MATERIALIZED ("
		 " SELECT s.key, s.tokens FROM @source@ AS s"
		 "), gone AS ("
		 " DELETE FROM @members@ AS m"
		 " WHERE NOT EXISTS (SELECT FROM current AS c WHERE c.key @=@ m.key)"
		 " RETURNING m.key::text, m.cluster"
		 "), was AS MATERIALIZED ("
		 " SELECT m.key, c.tokens FROM current AS c JOIN @members@ AS m ON m.key @=@ c.key"
		 " WHERE m.tokens OPERATOR(@schema@.<>) c.tokens"
		 "), changed AS ("
		 " UPDATE @members@ AS m SET tokens = w.tokens FROM was AS w WHERE m.key @=@ w.key"
		 " RETURNING m.key::text, m.cluster"
		 "), arrived AS ("
		 " INSERT INTO @members@ (key, member, cluster, tokens)"
		 " SELECT n.key, n.number, n.number, n.tokens"
		 " FROM (SELECT c.key, c.tokens, nextval(@numbers@) AS number"
		 " FROM (SELECT c.key, c.tokens FROM current AS c"
		 " WHERE NOT EXISTS (SELECT FROM @members@ AS m WHERE m.key @=@ c.key)"
		 " ORDER BY c.key) AS c) AS n"
		 " RETURNING key::text"
		 ") SELECT g.key, 'surplus'::text, g.cluster, NULL::bigint FROM gone AS g"
		 " UNION ALL SELECT c.key, 'tokens', c.cluster, c.cluster FROM changed AS c"
		 " UNION ALL SELECT a.key, 'missing', NULL, NULL FROM arrived AS a"},
	[TRACK_REPAIR] = {"tbf", "ttbb", RELABEL("true", "$2", "$3")},
	[TRACK_FREEZE] =
		{"b", "",
		 "UPDATE @state@ SET frozen = $1, frequent = coalesce(("
		 " SELECT array_agg(f.token ORDER BY f.sets, f.token) FROM ("
		 " SELECT u.token, count(*) AS sets"
		 " FROM @members@ AS m, LATERAL @schema@.unnest(m.tokens) AS u (token)"
		 " WHERE m.member % greatest(1, (SELECT count(*) / 10000 FROM @members@)) = 0"
		 " GROUP BY u.token HAVING count(*) > 4 ORDER BY sets DESC, u.token LIMIT 16384"
		 ") AS f), '{}'::bigint[])"},
	[TRACK_TRUNCATE] = {"", "", "TRUNCATE @members@"}};

static Oid
type_of_initial(const TrackTable *table, char initial)
{
	switch (initial)
	{
		case 'k':
			return table->key_type;
		case 'K':
			return table->key_array;
		case 's':
			return table->set_type;
		case 't':
			return TEXTOID;
		case 'b':
			return INT8OID;
		case 'B':
			return INT8ARRAYOID;
		case 'f':
			return FLOAT8OID;
		case 'c':
			return TIDOID;
		default:
			elog(ERROR, "unrecognized type %c", initial);
	}
}

/* Writes the types of initials; returns how many. */
static int
types_of_initials(const TrackTable *table, const char *initials, Oid *types)
{
	int count = 0;

	for (; initials[count] != '\0'; count++)
		types[count] = type_of_initial(table, initials[count]);
	Assert(count <= TRACK_MOST_TYPES);
	return count;
}

int
TrackStatementParameters(const TrackTable *table, TrackStatement statement, Oid *types)
{
	return types_of_initials(table, statements[statement].parameters, types);
}

int
TrackStatementColumns(const TrackTable *table, TrackStatement statement, Oid *types)
{
	return types_of_initials(table, statements[statement].columns, types);
}

/* Appends the qualified name of a relation. */
static void
append_relation(StringInfo text, Oid relation)
{
	char *name = get_rel_name(relation);

	if (name == NULL)
		elog(ERROR, "cache lookup failed for relation %u", relation);
	appendStringInfoString(
		text, quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)), name));
}

/* Appends what a word between two @ means. */
static void
append_word(StringInfo text, const TrackTable *table, const char *word, Size length)
{
#define IS(name) (length == strlen(name) && strncmp(word, name, length) == 0)
	if (IS("="))
		appendStringInfoString(text, table->equality);
	else if (IS("schema"))
		appendStringInfoString(text, table->schema);
	else if (IS("members"))
		append_relation(text, table->members);
	else if (IS("source"))
		append_relation(text, table->source);
	else if (IS("state"))
		append_relation(text, table->state);
	else if (IS("log"))
		append_relation(text, table->log);
	else if (IS("numbers"))
		appendStringInfo(text, "%u::oid::regclass", table->numbers);
	else
		elog(ERROR, "unrecognized word in statement: %s", word);
#undef IS
}

char *
TrackStatementText(const TrackTable *table, TrackStatement statement)
{
	const char *template = statements[statement].text;
	StringInfoData text;
	const char *begin;

	initStringInfo(&text);
	while ((begin = strchr(template, '@')) != NULL)
	{
		const char *end = strchr(begin + 1, '@');

		Assert(end != NULL);
		appendBinaryStringInfo(&text, template, (int) (begin - template));
		append_word(&text, table, begin + 1, (Size) (end - begin - 1));
		template = end + 1;
	}
	appendStringInfoString(&text, template);
	return text.data;
}

/* Equal sets are one row. */
char *
TrackSetsQuery(const TrackTable *table, const char *chosen)
{
	StringInfoData sets;

	initStringInfo(&sets);
	appendStringInfoString(&sets, "SELECT min(member), tokens FROM ");
	append_relation(&sets, table->members);
	appendStringInfo(&sets, " WHERE %s AND %s.cardinality(tokens) > 0 GROUP BY tokens", chosen,
					 table->schema);
	return sets.data;
}
