/*
 * duplicate_records.c
 *		The functions of records of several columns: the rows that could go, the pairs of which they were
 *		found, and what was learned.
 *
 * Where no rows that differ are similar by more than chance, the rows that are written alike in all columns
 * are what there may be. Where the search cannot tell which rows are the same thing, duplicate_records
 * raises an error; what was seen can be had as pairs and as figures.
 * What was learned can be kept, and used in place of learning.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "allocate.h"
#include "compat.h"
#include "join/call/result_set.h"
#include "link/record_search.h"

PG_FUNCTION_INFO_V1(duplicate_records);
PG_FUNCTION_INFO_V1(record_pairs);
PG_FUNCTION_INFO_V1(duplicate_records_report);
PG_FUNCTION_INFO_V1(record_column_weights);
PG_FUNCTION_INFO_V1(learn_records);

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

/* The clusters of rows; a row is the rank of its key. */
typedef struct ClusterRows
{
	RecordSearch *search;
	uint32 *by_place; /* the rows in the order of preference */
	uint32 *clusters; /* by row: the number of its cluster, at most of as many as rows, or NO_ROW */
	uint32 *kept;	  /* by cluster: the first row by preference */
	uint32 *least;	  /* by cluster: the row of the least key */
	double *scores; /* by group: of the candidate with the group of the row that is kept, or NaN */
} ClusterRows;

static uint32 *
allocate_rows(uint32 count)
{
	uint32 *rows = AllocateArray(count, sizeof(uint32));

	memset(rows, 0xFF, count * sizeof(uint32));
	return rows;
}

/* Sets the rows in the order of preference. */
static void
prefer_rows(ClusterRows *cluster_rows)
{
	const RecordRows *rows = &cluster_rows->search->rows;
	uint32 count = rows->rows.count;

	cluster_rows->by_place = allocate_rows(count);
	for (uint32 row = 0; row < count; row++)
		cluster_rows->by_place[rows->preferred == NULL ? row : rows->preferred[row]] = row;
}

/* Returns the clusters that were learned, by row; a cluster has the number of a group. */
static uint32 *
learned_clusters(const RecordSearch *search)
{
	const CallRows *rows = &search->rows.rows;
	uint32 *clusters = allocate_rows(rows->count);

	for (uint32 row = 0; row < rows->count; row++)
	{
		uint32 group = rows->groups[row];

		CHECK_FOR_INTERRUPTS();
		if (RecordClusterHoldsGroup(search->clusters, group))
			clusters[row] = RecordClusterOf(search->clusters, group);
	}
	return clusters;
}

static int
compare_by_texts(const void *a, const void *b, void *context)
{
	const CopyHash *texts = context;
	uint32 x = *(const uint32 *) a;
	uint32 y = *(const uint32 *) b;
	int order = memcmp(&texts[x], &texts[y], sizeof(CopyHash));

	return order != 0 ? order : (x > y) - (x < y);
}

/* Sets for the rows of a group the first of those that are written alike. */
static void
find_copies_of_group(const RecordRows *rows, uint32 group, uint32 *copies)
{
	uint32 count = CallRowsGroupSize(&rows->rows, group);
	uint32 *members = AllocateArray(count, sizeof(uint32));
	uint32 first = 0;

	memcpy(members, CallRowsMembers(&rows->rows, group), count * sizeof(uint32));
	qsort_arg(members, count, sizeof(uint32), compare_by_texts, rows->texts);
	for (uint32 i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!CopyHashesEqual(rows->texts[members[i]], rows->texts[members[first]]))
			first = i;
		copies[members[i]] = members[first];
	}
	pfree(members);
}

/* Returns for each row the first of the rows that are written alike in all columns, or NO_ROW. */
static uint32 *
copies_of_rows(RecordSearch *search)
{
	uint32 *copies = allocate_rows(search->rows.rows.count);

	for (uint64 i = 0; i < search->candidates.count; i++)
	{
		Candidate pair = *RecordCandidateAt(&search->candidates, i);

		CHECK_FOR_INTERRUPTS();
		if (pair.a == pair.b)
			find_copies_of_group(&search->rows, pair.a, copies);
	}
	return copies;
}

static void
find_kept_rows(ClusterRows *cluster_rows)
{
	uint32 count = cluster_rows->search->rows.rows.count;

	cluster_rows->kept = allocate_rows(count);
	cluster_rows->least = allocate_rows(count);
	for (uint32 place = 0; place < count; place++)
	{
		uint32 preferred = cluster_rows->by_place[place];
		uint32 of_preferred = cluster_rows->clusters[preferred];
		uint32 of_place = cluster_rows->clusters[place];

		CHECK_FOR_INTERRUPTS();
		if (of_preferred != NO_ROW && cluster_rows->kept[of_preferred] == NO_ROW)
			cluster_rows->kept[of_preferred] = preferred;
		if (of_place != NO_ROW && cluster_rows->least[of_place] == NO_ROW)
			cluster_rows->least[of_place] = place;
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
		uint32 kept;

		CHECK_FOR_INTERRUPTS();
		if (!RecordCandidateMatches(&search->candidates, i))
			continue;
		kept = cluster_rows->kept[cluster_rows->clusters[*CallRowsMembers(rows, pair.a)]];
		if (rows->groups[kept] == pair.a)
			cluster_rows->scores[pair.b] = RecordSearchScore(search, i);
		else if (rows->groups[kept] == pair.b)
			cluster_rows->scores[pair.a] = RecordSearchScore(search, i);
	}
}

static ClusterRows
cluster_rows_of(RecordSearch *search)
{
	ClusterRows cluster_rows = {.search = search};

	prefer_rows(&cluster_rows);
	cluster_rows.clusters =
		search->outcome == RECORDS_COPIES ? copies_of_rows(search) : learned_clusters(search);
	find_kept_rows(&cluster_rows);
	find_scores(&cluster_rows);
	return cluster_rows;
}

static void
return_duplicates(RecordSearch *search, ReturnSetInfo *result)
{
	ClusterRows cluster_rows = cluster_rows_of(search);
	const CallRows *rows = &search->rows.rows;
	const CopyHash *texts = search->rows.texts;
	Datum exact = CStringGetTextDatum("exact");
	Datum near = CStringGetTextDatum("near");

	for (uint32 place = 0; place < rows->count; place++)
	{
		uint32 row = cluster_rows.by_place[place];
		uint32 group = rows->groups[row];
		uint32 cluster = cluster_rows.clusters[row];
		bool nulls[ROW_COLUMNS] = {false};
		Datum values[ROW_COLUMNS];
		uint32 kept;

		CHECK_FOR_INTERRUPTS();
		if (cluster == NO_ROW || cluster_rows.kept[cluster] == row)
			continue;
		kept = cluster_rows.kept[cluster];
		values[ROW_ID] = CallRowsKey(rows, row);
		values[ROW_DUPLICATE_OF] = CallRowsKey(rows, kept);
		values[ROW_SCORE] = nd_float8_datum(&cluster_rows.scores[group]);
		nulls[ROW_SCORE] = isnan(cluster_rows.scores[group]);
		values[ROW_KIND] = CopyHashesEqual(texts[row], texts[kept]) ? exact : near;
		values[ROW_CLUSTER] = CallRowsKey(rows, cluster_rows.least[cluster]);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
}

/* Returns what to do where it cannot tell. */
static char *
advice(const RecordSearch *search)
{
	const char *other_call = RecordRequestWithout(&search->request, search->differing);
	StringInfoData advice;

	initStringInfo(&advice);
	if (other_call != NULL)
		appendStringInfo(&advice,
						 "If these columns tell what a row is, hardly any rows are the same thing; "
						 "if they do not, leave them out: %s. ",
						 other_call);
	appendStringInfoString(&advice, "near_duplicates(..., 1.0) returns copies, of a view with all "
									"columns as one text.");
	return advice.data;
}

/* Raises an error that says what was seen. */
static void
refuse(const RecordSearch *search)
{
	ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
					errmsg("%s: %s", search->request.function, search->verdict),
					errdetail("%s record_pairs returns them.", search->seen),
					errhint("%s", advice(search))));
}

Datum
duplicate_records(PG_FUNCTION_ARGS)
{
	RecordRequest request = RecordRequestRead(fcinfo, RECORD_HAS_KEEP | RECORD_HAS_MODEL);
	ReturnSetInfo *result = JoinMaterialize(fcinfo);
	RecordSearch *search = RecordSearchRun(&request, false);
	MemoryContext previous = MemoryContextSwitchTo(search->context);

	if (search->outcome == RECORDS_UNCLEAR)
		refuse(search);
	return_duplicates(search, result);
	MemoryContextSwitchTo(previous);
	RecordSearchEnd(search);
	return (Datum) 0;
}

/* Puts a pair, and then resets the current memory context. */
static void
put_record_pair(RecordSearch *search, ReturnSetInfo *result, uint32 a, uint32 b, uint64 candidate)
{
	double score = RecordSearchScore(search, candidate);
	bool nulls[PAIR_RESULT_COLUMNS] = {false};
	Datum values[PAIR_RESULT_COLUMNS];

	values[PAIR_A] = CallRowsKey(&search->rows.rows, a);
	values[PAIR_B] = CallRowsKey(&search->rows.rows, b);
	values[PAIR_SCORE] = nd_float8_datum(&score);
	nulls[PAIR_SCORE] = isnan(score);
	values[PAIR_SIMILARITIES] = RecordSearchSimilarities(search, candidate);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	MemoryContextReset(CurrentMemoryContext);
}

/*
 * Puts each row of a group with the first one; with the first that is written alike, by the numbers of
 * `copies`, unless it is NULL.
 */
static void
put_group(RecordSearch *search, ReturnSetInfo *result, uint64 candidate, const uint32 *copies)
{
	const CallRows *rows = &search->rows.rows;
	uint32 group = RecordCandidateAt(&search->candidates, candidate)->a;
	const uint32 *members = CallRowsMembers(rows, group);

	for (uint32 i = 0; i < CallRowsGroupSize(rows, group); i++)
	{
		uint32 first = copies == NULL ? members[0] : copies[members[i]];

		CHECK_FOR_INTERRUPTS();
		if (first != members[i])
			put_record_pair(search, result, first, members[i], candidate);
	}
}

static void
return_pairs(RecordSearch *search, ReturnSetInfo *result)
{
	const CallRows *rows = &search->rows.rows;
	uint32 *copies = search->outcome == RECORDS_COPIES ? copies_of_rows(search) : NULL;
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup record pair", ALLOCSET_SMALL_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(context);

	for (uint64 i = 0; i < search->candidates.count; i++)
	{
		Candidate pair = *RecordCandidateAt(&search->candidates, i);

		CHECK_FOR_INTERRUPTS();
		if (!RecordCandidateMatches(&search->candidates, i))
			continue;
		if (pair.a == pair.b)
			put_group(search, result, i, copies);
		else
			put_record_pair(search, result, *CallRowsMembers(rows, pair.a),
							*CallRowsMembers(rows, pair.b), i);
	}
	MemoryContextSwitchTo(previous);
}

Datum
record_pairs(PG_FUNCTION_ARGS)
{
	RecordRequest request = RecordRequestRead(fcinfo, RECORD_HAS_MODEL);
	ReturnSetInfo *result = JoinMaterialize(fcinfo);
	RecordSearch *search = RecordSearchRun(&request, false);
	MemoryContext previous = MemoryContextSwitchTo(search->context);

	if (search->outcome == RECORDS_UNCLEAR)
		ereport(NOTICE, (errmsg("%s: %s", request.function, search->verdict),
						 errdetail("%s", search->seen), errhint("%s", advice(search))));
	return_pairs(search, result);
	MemoryContextSwitchTo(previous);
	RecordSearchEnd(search);
	return (Datum) 0;
}

Datum
duplicate_records_report(PG_FUNCTION_ARGS)
{
	RecordRequest request = RecordRequestRead(fcinfo, 0);
	RecordSearch *search;
	TupleDesc descriptor;
	Datum values[REPORT_COLUMNS];
	bool nulls[REPORT_COLUMNS] = {false};

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	request.key_policy = KEYS_SORTABLE;
	search = RecordSearchRun(&request, false);
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
	RecordRequest request = RecordRequestRead(fcinfo, 0);
	ReturnSetInfo *result = JoinMaterialize(fcinfo);
	RecordSearch *search;

	request.key_policy = KEYS_SORTABLE;
	search = RecordSearchRun(&request, false);
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

Datum
learn_records(PG_FUNCTION_ARGS)
{
	RecordRequest request = RecordRequestRead(fcinfo, 0);
	RecordSearch *search;
	Jsonb *model;

	request.key_policy = KEYS_SORTABLE;
	search = RecordSearchRun(&request, true);
	if (search->outcome == RECORDS_UNCLEAR)
		refuse(search);
	if (search->outcome == RECORDS_COPIES)
		ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
						errmsg("%s: %s", request.function, search->verdict),
						errdetail("There is nothing to learn from.")));
	model = LearnedModelWrite(search->learned);
	RecordSearchEnd(search);
	PG_RETURN_JSONB_P(model);
}
