/*
 * duplicates_request.c
 *		Reading the arguments of near_duplicates.
 *
 * Names and fragments of SQL are checked alone before they become parts of the query of the rows.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "cluster/duplicates_request.h"
#include "table/fragment.h"
#include "table/table_arguments.h"
#include "join/call/arguments.h"
#include "kinds/sets/weighted_set_rows.h"
#include "table/above_chance.h"
#include "table/default_tokens.h"
#include "measure/threshold.h"

/* Returns whether the values of a column, which may not exist, are texts, and need no cast to be. */
static bool
is_string_column(Relation relation, const char *name)
{
	Oid type =
		get_atttype(RelationGetRelid(relation), get_attnum(RelationGetRelid(relation), name));
	char category;
	bool is_preferred;

	if (!OidIsValid(type))
		return false;
	get_type_category_preferred(getBaseType(type), &category, &is_preferred);
	return category == TYPCATEGORY_STRING;
}

/*
 * Returns the query of the rows. A line break ends each of the user's fragments, which may end in a
 * comment.
 */
static char *
compose_query(const char *relation, const char *key, const char *body, const char *tokens,
			  const char *keep, const char *within)
{
	StringInfoData query;

	initStringInfo(&query);
	if (keep != NULL)
		appendStringInfo(&query,
						 "SELECT pg_catalog.row_number() OVER (ORDER BY %s\n, %s) "
						 "OPERATOR(pg_catalog.-) 1",
						 keep, key);
	else
		appendStringInfoString(&query, "SELECT 0::pg_catalog.int8");
	appendStringInfo(&query, ", CASE WHEN %s IS NOT NULL THEN (%s\n)", body, tokens);
	appendStringInfo(&query, " END AS tokens, %s::pg_catalog.text, %s, ", body, key);
	if (within != NULL)
		appendStringInfo(&query,
						 "pg_catalog.dense_rank() OVER (ORDER BY %s\n) "
						 "OPERATOR(pg_catalog.-) 1",
						 within);
	else
		appendStringInfoString(&query, "0::pg_catalog.int8");
	appendStringInfo(&query, " FROM %s", relation);
	return query.data;
}

/*
 * Accepts the measures that are 1 for copies. The pairs of a directed one have two directions: star
 * alone has an order in which rows are compared, and none are counted to choose a threshold.
 */
static Measure
measure_or_error(const char *name, ClusterMode mode, bool is_chosen)
{
	Measure measure = MeasureOrError(name);

	if (measure == MEASURE_OVERLAP || measure == MEASURE_HAMMING)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("near-duplicates cannot be told by measure %s", name),
						errhint("The measures are jaccard, cosine, dice, containment, idf_jaccard "
								"and idf_cosine.")));
	if (!MeasureIsDirected(measure))
		return measure;
	if (mode != CLUSTER_STAR)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("measure %s needs mode star", name),
				 errdetail("A row is contained in one that stays.")));
	if (is_chosen)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("threshold of measure %s cannot be chosen", name),
						errhint("Give a threshold.")));
	return measure;
}

/* Refuses a threshold that is chosen by counts of all pairs with an argument that leaves out some. */
static void
refuse_chosen(const char *argument, bool is_chosen)
{
	if (is_chosen)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("threshold must not be null where \"%s\" is given", argument),
						errhint("Give a threshold, such as 0.6.")));
}

/*
 * Refuses weights within scopes: the weights of the join's rows would come from all scopes
 * together.
 */
static void
refuse_weighted(const char *argument, Measure measure)
{
	if (MeasureIsWeighted(measure))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("measure %s must not be given with \"%s\"", MeasureName(measure), argument),
				 errhint("The measures are jaccard, cosine, dice and, in the mode star, "
						 "containment.")));
}

static void
begin_join(JoinRequest *join, const char *function, Oid schema, Predicate predicate)
{
	join->task.name = function;
	join->task.distinct_keys = true;
	join->task.may_share = true;
	join->task.predicate = predicate;
	join->task.algorithm = JOIN_AUTO;
	join->reader.function = function;
	join->reader.schema = schema;
}

/* Returns the tokens by which copies alone are similar, each text being one token. */
static const char *
tokens_of_copies(JoinRequest *join, const char *body)
{
	join->task.predicate = PredicateOrError(MEASURE_JACCARD, 1);
	return psprintf("%s.tokenset(ARRAY[%s::pg_catalog.text])",
					quote_identifier(get_namespace_name(join->reader.schema)), body);
}

/*
 * Sets the measure and the threshold of the join, and returns the tokens, an SQL expression. Where no rows
 * that differ are similar by more than chance, copies are what there may be.
 */
static const char *
choose_similarity(JoinRequest *join, const char *relation, const char *body, const char *tokens)
{
	AboveChance chosen = AboveChanceChoose(join, relation, body, tokens);

	if (chosen.pairs == 0)
	{
		ereport(NOTICE,
				(errmsg("%s returns exact copies alone", join->task.name),
				 errdetail("%s", chosen.message), errhint("near_duplicates takes a threshold.")));
		return tokens_of_copies(join, body);
	}
	if (!chosen.can_tell)
		ereport(
			ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("%s cannot tell from which similarity on rows are near-duplicates",
					join->task.name),
			 errdetail("%s", chosen.message),
			 errhint(
				 "near_duplicates takes a threshold. topk_join returns the most similar pairs to "
				 "look at.")));
	join->task.predicate = PredicateOrError(chosen.measure, chosen.threshold);
	ereport(NOTICE, (errmsg("%s compares %s by %s, from %g on", join->task.name, chosen.tokens,
							MeasureName(chosen.measure), chosen.threshold),
					 errdetail("%s", chosen.message)));
	return chosen.tokens;
}

/* Sets what follows from the predicate, the tokens that are compared, and the order of preference. */
static void
end_request(DuplicatesRequest *request, const char *tokens, const char *keep, const char *within)
{
	JoinRequest *join = &request->join;

	join->task.kind = SetRowsOf(join->task.predicate.measure);
	request->compared = tokens;
	request->is_ordered = keep != NULL;
	request->is_by_size = keep == NULL && MeasureIsDirected(join->task.predicate.measure);
	join->queries[0] = compose_query(request->relation, request->key_column, request->text_column,
									 tokens, keep, within);
}

/* The measure is a later argument than the tokens, for which it is easily given. */
static void
refuse_measure(FunctionCallInfo fcinfo, int number, Oid relation)
{
	const char *name = PG_ARGISNULL(number) ? "" : text_to_cstring(PG_GETARG_TEXT_PP(number));
	Measure measure;

	if ((MeasureByName(name, &measure) || WeightedMeasureByName(name, &measure)) &&
		get_attnum(relation, name) == InvalidAttrNumber)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
						errmsg("\"%s\" is a measure, and no tokens to be compared", name),
						errhint("Write measure => '%s'.", name)));
}

DuplicatesRequest
DuplicatesRequestRead(FunctionCallInfo fcinfo)
{
	DuplicatesRequest request = {0};
	JoinRequest *join = &request.join;
	int first = JoinKeyArgument(fcinfo, &join->reader.key_policy, &join->reader.key_type);
	Oid oid = DatumGetObjectId(JoinArgumentOrError(fcinfo, first, "rel"));
	const char *body = TableNameArgument(fcinfo, first + 2, "text");
	Relation relation;
	const char *name;
	const char *key;
	const char *tokens;
	const char *keep;
	const char *within;
	const char *measure = JoinTextArgumentOrError(fcinfo, first + 7, "measure");

	request.key_name = TableNameArgument(fcinfo, first + 1, "key");
	request.mode = ClusterModeOrError(JoinTextArgumentOrError(fcinfo, first + 6, "mode"));

	begin_join(join, JoinFunctionName(fcinfo), JoinSchema(fcinfo),
			   PredicateOrError(measure_or_error(measure, request.mode, PG_ARGISNULL(first + 3)),
								PG_ARGISNULL(first + 3) ? 1 : PG_GETARG_FLOAT8(first + 3)));
	relation = JoinRelationOrError(oid);
	name = TableSqlName(relation);
	key = TableColumnOrError(relation, request.key_name);
	request.key_collation = TableColumnCollation(relation, request.key_name);
	request.text_is_string = is_string_column(relation, body);
	body = TableColumnOrError(relation, body);
	refuse_measure(fcinfo, first + 4, oid);
	tokens = TableFragmentArgument(fcinfo, first + 4, name, "tokens", ExpressionOrError);
	keep = TableFragmentArgument(fcinfo, first + 5, name, "keep", OrderByListOrError);
	within = TableFragmentArgument(fcinfo, first + 8, name, "within", ExpressionListOrError);
	request.relation = name;
	request.key_column = key;
	request.text_column = body;
	request.tokens = tokens;
	request.within = within;
	request.is_chosen = PG_ARGISNULL(first + 3);
	if (within != NULL)
	{
		refuse_chosen("within", PG_ARGISNULL(first + 3));
		refuse_weighted("within", join->task.predicate.measure);
	}
	if (!PG_ARGISNULL(first + 9))
		refuse_chosen("except_pairs", PG_ARGISNULL(first + 3));
	if (PG_ARGISNULL(first + 3))
		tokens = choose_similarity(join, name, body, tokens);
	if (tokens == NULL)
		tokens = DefaultTokens(join, name, body);
	request.has_scopes = within != NULL;
	if (!PG_ARGISNULL(first + 9))
		request.except_pairs = text_to_cstring(PG_GETARG_TEXT_PP(first + 9));
	end_request(&request, tokens, keep, within);
	table_close(relation, NoLock);
	return request;
}

AboveChance
DuplicatesThresholdChoose(FunctionCallInfo fcinfo)
{
	JoinRequest join = {0};
	Oid oid = DatumGetObjectId(JoinArgumentOrError(fcinfo, 0, "rel"));
	const char *body = TableNameArgument(fcinfo, 1, "text");
	const char *measure = JoinTextArgumentOrError(fcinfo, 3, "measure");
	Relation relation;
	const char *name;
	const char *tokens;
	AboveChance chosen;

	begin_join(&join, JoinFunctionName(fcinfo), JoinSchema(fcinfo),
			   PredicateOrError(measure_or_error(measure, CLUSTER_STAR, true), 1));
	relation = JoinRelationOrError(oid);
	name = TableSqlName(relation);
	body = TableColumnOrError(relation, body);
	refuse_measure(fcinfo, 2, oid);
	tokens = TableFragmentArgument(fcinfo, 2, name, "tokens", ExpressionOrError);
	chosen = AboveChanceChoose(&join, name, body, tokens);
	table_close(relation, NoLock);
	return chosen;
}
