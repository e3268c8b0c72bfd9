/*
 * duplicate_records.c
 *		The functions of records of several columns: the rows that could go, the pairs of which they were
 *		found, and what was learned.
 *
 * Where the search cannot tell which rows are the same thing, rows are compared by all their values as one
 * text, as near_duplicates compares them when no threshold is given.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/tuplestore.h"

#include "allocate.h"
#include "cluster/near_duplicates.h"
#include "compat.h"
#include "join/call/result_set.h"
#include "link/record_search.h"

PG_FUNCTION_INFO_V1(duplicate_records);
PG_FUNCTION_INFO_V1(record_pairs);
PG_FUNCTION_INFO_V1(duplicate_records_report);
PG_FUNCTION_INFO_V1(record_column_weights);

/* Columns of duplicate_records. */
enum
{
	ROW_ID,
	ROW_DUPLICATE_OF,
	ROW_SCORE,
	ROW_KIND,
	ROW_CLUSTER,
	ROW_COLUMNS
};

/* Columns of record_pairs. */
enum
{
	PAIR_A,
	PAIR_B,
	PAIR_SCORE,
	PAIR_SIMILARITIES,
	PAIR_RESULT_COLUMNS
};

/* Columns of duplicate_records_report. */
enum
{
	REPORT_ROWS,
	REPORT_CANDIDATES,
	REPORT_ROUNDS,
	REPORT_VERDICT,
	REPORT_SECONDS, /* of each step, one column after the other */
	REPORT_COLUMNS = REPORT_SECONDS + RECORD_STEPS
};

/* Columns of record_column_weights. */
enum
{
	WEIGHT_NAME,
	WEIGHT_SIMILARITY,
	WEIGHT_PRESENCE,
	WEIGHT_RARITY,
	WEIGHT_EMPTY,
	WEIGHT_COLUMNS
};

/* The rows by cluster; a row is the rank of its key. */
typedef struct ClusterRows
{
	RecordSearch *search;
	uint32 *by_place;
	uint32 *kept;	/* by cluster: the first row by preference */
	uint32 *least;	/* by cluster: the row of the least key */
	double *scores; /* by group: of the candidate with the group of the row that is kept, or NaN */
} ClusterRows;

/* Sets the rows in the order of preference. */
static void
prefer_rows(ClusterRows *cluster_rows)
{
	const RecordRows *rows = &cluster_rows->search->rows;
	uint32 count = rows->rows.count;

	cluster_rows->by_place = AllocateArray(count, sizeof(uint32));
	for (uint32 row = 0; row < count; row++)
		cluster_rows->by_place[rows->preferred == NULL ? row : rows->preferred[row]] = row;
}

static void
find_kept_rows(ClusterRows *cluster_rows)
{
	const CallRows *rows = &cluster_rows->search->rows.rows;
	const RecordClusters *clusters = cluster_rows->search->clusters;

	cluster_rows->kept = AllocateArray(rows->group_count, sizeof(uint32));
	cluster_rows->least = AllocateArray(rows->group_count, sizeof(uint32));
	memset(cluster_rows->kept, 0xFF, rows->group_count * sizeof(uint32));
	memset(cluster_rows->least, 0xFF, rows->group_count * sizeof(uint32));
	for (uint32 place = 0; place < rows->count; place++)
	{
		uint32 preferred = cluster_rows->by_place[place];
		uint32 *kept = &cluster_rows->kept[RecordClusterOf(clusters, rows->groups[preferred])];
		uint32 *least = &cluster_rows->least[RecordClusterOf(clusters, rows->groups[place])];

		CHECK_FOR_INTERRUPTS();
		if (*kept == NO_ROW)
			*kept = preferred;
		if (*least == NO_ROW)
			*least = place;
	}
}

static void
find_scores(ClusterRows *cluster_rows)
{
	RecordSearch *search = cluster_rows->search;
	const CallRows *rows = &search->rows.rows;

	cluster_rows->scores = AllocateArray(rows->group_count, sizeof(double));
	for (uint32 group = 0; group < rows->group_count; group++)
		cluster_rows->scores[group] = NAN;
	for (uint64 i = 0; i < search->candidates.count; i++)
	{
		Candidate pair = *RecordCandidateAt(&search->candidates, i);
		uint32 kept = rows->groups[cluster_rows->kept[RecordClusterOf(search->clusters, pair.a)]];

		CHECK_FOR_INTERRUPTS();
		if (!RecordCandidateMatches(&search->candidates, i))
			continue;
		if (kept == pair.a)
			cluster_rows->scores[pair.b] = RecordSearchScore(search, i);
		else if (kept == pair.b)
			cluster_rows->scores[pair.a] = RecordSearchScore(search, i);
	}
}

static void
return_duplicates(RecordSearch *search, ReturnSetInfo *result)
{
	ClusterRows cluster_rows = {.search = search};
	const CallRows *rows = &search->rows.rows;
	const CopyHash *texts = search->rows.texts;
	Datum exact = CStringGetTextDatum("exact");
	Datum near = CStringGetTextDatum("near");

	prefer_rows(&cluster_rows);
	find_kept_rows(&cluster_rows);
	find_scores(&cluster_rows);
	for (uint32 place = 0; place < rows->count; place++)
	{
		uint32 row = cluster_rows.by_place[place];
		uint32 group = rows->groups[row];
		uint32 cluster = RecordClusterOf(search->clusters, group);
		uint32 kept = cluster_rows.kept[cluster];
		bool nulls[ROW_COLUMNS] = {false};
		Datum values[ROW_COLUMNS];

		CHECK_FOR_INTERRUPTS();
		if (kept == row || !RecordClusterHoldsGroup(search->clusters, group))
			continue;
		values[ROW_ID] = CallRowsKey(rows, row);
		values[ROW_DUPLICATE_OF] = CallRowsKey(rows, kept);
		values[ROW_SCORE] = nd_float8_datum(&cluster_rows.scores[group]);
		nulls[ROW_SCORE] = isnan(cluster_rows.scores[group]);
		values[ROW_KIND] = CopyHashesEqual(texts[row], texts[kept]) ? exact : near;
		values[ROW_CLUSTER] = CallRowsKey(rows, cluster_rows.least[cluster]);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
}

Datum
duplicate_records(PG_FUNCTION_ARGS)
{
	RecordRequest request = RecordRequestRead(fcinfo, true);
	ReturnSetInfo *result = JoinMaterialize(fcinfo);
	RecordSearch *search = RecordSearchRun(&request);
	bool can_tell = search->can_tell;
	const char *verdict = search->verdict;
	MemoryContext previous = MemoryContextSwitchTo(search->context);

	if (can_tell)
		return_duplicates(search, result);
	MemoryContextSwitchTo(previous);
	RecordSearchEnd(search);
	if (!can_tell)
	{
		DuplicatesRequest as_text;

		ereport(NOTICE, (errmsg("%s: %s", request.function, verdict),
						 errdetail("Rows are compared by all columns as one text instead."),
						 errhint("duplicate_records_report returns what was found.")));
		as_text = RecordRequestAsText(&request);
		NearDuplicatesReturn(result, &as_text);
	}
	return (Datum) 0;
}

/* Returns the similarity of a candidate in each column that both groups have a value in. */
static Datum
similarities_of(RecordSearch *search, uint64 candidate)
{
	StringInfoData json;

	initStringInfo(&json);
	appendStringInfoChar(&json, '{');
	for (int i = 0; i < search->request.column_count; i++)
	{
		double similarity = RecordFeaturesSimilarity(&search->features, candidate, i);

		if (isnan(similarity))
			continue;
		if (json.len > 1)
			appendStringInfoString(&json, ", ");
		escape_json(&json, search->request.column_names[i]);
		appendStringInfo(&json, ": %.4g", similarity);
	}
	appendStringInfoChar(&json, '}');
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data));
}

static void
put_record_pair(RecordSearch *search, ReturnSetInfo *result, uint32 a, uint32 b, uint64 candidate)
{
	double score = RecordSearchScore(search, candidate);
	bool nulls[PAIR_RESULT_COLUMNS] = {false};
	Datum values[PAIR_RESULT_COLUMNS];

	values[PAIR_A] = CallRowsKey(&search->rows.rows, a);
	values[PAIR_B] = CallRowsKey(&search->rows.rows, b);
	values[PAIR_SCORE] = nd_float8_datum(&score);
	values[PAIR_SIMILARITIES] = similarities_of(search, candidate);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* Returns the candidate of each group with itself, by group. */
static uint64 *
candidates_of_groups(RecordSearch *search)
{
	uint64 *found = AllocateArray(search->rows.rows.group_count, sizeof(uint64));

	for (uint64 i = 0; i < search->candidates.count; i++)
	{
		const Candidate *pair = RecordCandidateAt(&search->candidates, i);

		CHECK_FOR_INTERRUPTS();
		if (pair->a == pair->b)
			found[pair->a] = i;
	}
	return found;
}

static void
return_pairs(RecordSearch *search, ReturnSetInfo *result)
{
	const CallRows *rows = &search->rows.rows;
	uint64 *of_groups = candidates_of_groups(search);
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup record pair", ALLOCSET_SMALL_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(context);

	for (uint64 i = 0; i < search->candidates.count; i++)
	{
		Candidate pair = *RecordCandidateAt(&search->candidates, i);

		CHECK_FOR_INTERRUPTS();
		if (pair.a == pair.b || !RecordCandidateMatches(&search->candidates, i))
			continue;
		put_record_pair(search, result, *CallRowsMembers(rows, pair.a),
						*CallRowsMembers(rows, pair.b), i);
		MemoryContextReset(context);
	}
	for (uint32 row = 0; row < rows->count; row++)
	{
		uint32 group = rows->groups[row];
		uint32 first = *CallRowsMembers(rows, group);

		CHECK_FOR_INTERRUPTS();
		if (first == row || !RecordClusterHoldsGroup(search->clusters, group))
			continue;
		put_record_pair(search, result, first, row, of_groups[group]);
		MemoryContextReset(context);
	}
	MemoryContextSwitchTo(previous);
}

Datum
record_pairs(PG_FUNCTION_ARGS)
{
	RecordRequest request = RecordRequestRead(fcinfo, false);
	ReturnSetInfo *result = JoinMaterialize(fcinfo);
	RecordSearch *search = RecordSearchRun(&request);
	MemoryContext previous = MemoryContextSwitchTo(search->context);

	if (search->can_tell)
		return_pairs(search, result);
	else
		ereport(NOTICE, (errmsg("%s: %s", request.function, search->verdict),
						 errhint("duplicate_records_report returns what was found.")));
	MemoryContextSwitchTo(previous);
	RecordSearchEnd(search);
	return (Datum) 0;
}

Datum
duplicate_records_report(PG_FUNCTION_ARGS)
{
	RecordRequest request = RecordRequestRead(fcinfo, false);
	RecordSearch *search;
	TupleDesc descriptor;
	Datum values[REPORT_COLUMNS];
	bool nulls[REPORT_COLUMNS] = {false};

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	request.key_policy = KEYS_SORTABLE;
	search = RecordSearchRun(&request);
	values[REPORT_ROWS] = Int64GetDatum((int64) search->rows.rows.count);
	values[REPORT_CANDIDATES] = Int64GetDatum((int64) search->candidates.count);
	values[REPORT_ROUNDS] = Int32GetDatum(search->rounds);
	values[REPORT_VERDICT] = CStringGetTextDatum(search->verdict);
	for (int step = 0; step < RECORD_STEPS; step++)
		values[REPORT_SECONDS + step] = Float8GetDatum(search->seconds[step]);
	RecordSearchEnd(search);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls));
}

static void
put_weight(const RecordSearch *search, int feature, Datum *value, bool *isnull)
{
	*isnull = feature < 0 || search->rounds == 0;
	*value = *isnull ? (Datum) 0 : nd_float8_datum(&search->model.standard[feature]);
}

Datum
record_column_weights(PG_FUNCTION_ARGS)
{
	RecordRequest request = RecordRequestRead(fcinfo, false);
	ReturnSetInfo *result = JoinMaterialize(fcinfo);
	RecordSearch *search;

	request.key_policy = KEYS_SORTABLE;
	search = RecordSearchRun(&request);
	for (int i = 0; i < request.column_count; i++)
	{
		FeaturePlaces places = search->features.places[i];
		bool nulls[WEIGHT_COLUMNS] = {false};
		Datum values[WEIGHT_COLUMNS];

		values[WEIGHT_NAME] = CStringGetTextDatum(request.column_names[i]);
		put_weight(search, places.similarity, &values[WEIGHT_SIMILARITY],
				   &nulls[WEIGHT_SIMILARITY]);
		put_weight(search, places.presence, &values[WEIGHT_PRESENCE], &nulls[WEIGHT_PRESENCE]);
		put_weight(search, places.rarity, &values[WEIGHT_RARITY], &nulls[WEIGHT_RARITY]);
		values[WEIGHT_EMPTY] = nd_float8_datum(&search->features.empty[i]);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	RecordSearchEnd(search);
	return (Datum) 0;
}
