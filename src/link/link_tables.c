/*
 * link_tables.c
 *		The set-returning functions link_tables: the links of two tables, with nothing to choose.
 *
 * Each query is run once (link_rows.h). Rows are compared by their words and by their 4-grams at once,
 * each weighted by its rarity, and one join finds the most similar rows of each row of either table
 * (nearest_rows.h). Of them the list of pairs is made: one to one, from the most similar pair down, or
 * the most similar a of each b. link_cut.c scores the list and cuts it.
 *
 * That is done for the first text of the rows, and for all texts where they have two; the view that
 * promises the better list is taken. How sure the result is, two other things tell: whether a list
 * that is made of the words alone has the same pairs, and whether the rows of a table are as
 * similar to each other as the pairs are.
 *
 * Rows that have other numbers of their own, such as DOIs, are never linked (veto.h). Of the most similar
 * rows of a row, so many are looked at, and those that are parted from it left out.
 *
 * Rows have numbers, the ranks of their keys. A few dozen bytes a row stay in memory.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "allocate.h"
#include "join/call/except_pairs.h"
#include "compat.h"
#include "join/call/arguments.h"
#include "join/call/nearest_rows.h"
#include "join/call/result_set.h"
#include "kinds/sets/weighted_set_rows.h"
#include "table/default_tokens.h"
#include "link/link_cut.h"
#include "link/link_rows.h"
#include "measure/threshold.h"

PG_FUNCTION_INFO_V1(link_tables);
PG_FUNCTION_INFO_V1(link_tables_report);

/* Pairs below this similarity are never links. */
#define LEAST_SIMILARITY 0.15

/* Of the rows that a row may be parted from, so many of the most similar are looked at. */
#define MOST_LOOKED_AT 30

/* Below this, the pairs cannot be told from the neighbours that rows have in their own table. */
#define LEAST_PRECISION_LOW 0.5

/* Where the other cuts of the list are further apart, how many pairs are true cannot be told. */
#define MOST_SPREAD 1.3

/* A smaller share of the list is kept if the tables have duplicates of their own. */
#define LEAST_KEPT_SHARE 0.01

/* A table of more rows is sampled for their neighbours within it: some of its rows, between these. */
#define MOST_OWN_ROWS 1000
#define LEAST_OWN_ROWS 100

/* Columns of link_tables. */
enum
{
	COLUMN_A,
	COLUMN_B,
	COLUMN_SIMILARITY,
	COLUMN_SCORE,
	COLUMNS
};

/* Columns of link_tables_report. */
enum
{
	STATS_TEXTS,
	STATS_CUT,
	STATS_PAIRS,
	STATS_PRECISION,
	STATS_AGREEMENT,
	STATS_WITHOUT_PARTNER,
	STATS_VERDICT,
	STATS_COLUMNS
};

/* A search for neighbours, of the rows of both tables in the other, or of one table's in itself. */
typedef struct Search
{
	const struct LinkTables *links;
	CallRows places;
	int sides[2]; /* the table of each side of the join; one of itself has the left side alone */
	uint32 every; /* within one table, only the neighbours of one row in this many matter */
	LinkRow *rows[2];	 /* by table */
	uint8 *looked_at[2]; /* how many neighbours each row has had; NULL if no rows are parted */
} Search;

/* The rows by one choice of their texts. */
typedef struct LinkView
{
	const char *name;
	bool has_all_texts;
	LinkRow *rows[2]; /* the neighbours of the rows of each table in the other */
	LinkPair *pairs;
	uint32 pair_count;
	LinkCut cut;
} LinkView;

typedef struct LinkTables
{
	const char *function;
	const char *queries[2];
	LinkRows tables[2];
	bool is_one_to_one;
	KeyPolicy key_policy;
	Oid key_type; /* type of the keys, set for KEYS_OF_TYPE */
	const char *except_pairs;
	ExceptPairs *except; /* NULL if all pairs may be links */
	LinkDiffer differ;
	Veto veto; /* the things are the rows of one table, and then those of the other */
	MemoryContext context;

	LinkView view; /* the choice that was made */
	double precision_low;
	double agreement;
} LinkTables;

/*
 * Returns the number of the table whose rows are in at most one pair each; its rows tell what
 * chance would give.
 */
static int
null_table(const LinkTables *links)
{
	return links->is_one_to_one && links->tables[0].rows.count < links->tables[1].rows.count ? 0
																							 : 1;
}

/* Sets the table of the row at a place, and returns its rank there. */
static uint32
rank_of(const Search *search, uint32 place, int *side)
{
	uint32 number = CallRowsNumber(&search->places, place);

	*side = search->sides[number < search->places.left_count ? 0 : 1];
	return (uint32) JoinKeysInt64(&search->places.keys, number);
}

/* Whether a row of one table and a row of the other are a pair that is no link. */
static bool
are_excepted(const LinkTables *links, int side, uint32 row, uint32 other)
{
	const CallRows *rows = &links->tables[side].rows;
	const CallRows *others = &links->tables[1 - side].rows;

	if (links->except == NULL)
		return false;
	return side == 0 ? ExceptPairsHas(links->except, rows->excepted[row], others->excepted[other])
					 : ExceptPairsHas(links->except, others->excepted[other], rows->excepted[row]);
}

/* Whether a row of one table and a row of the other are parted by their values. */
static bool
are_parted(const LinkTables *links, int side, uint32 row, uint32 other)
{
	uint32 first_b = links->tables[0].rows.count;

	return side == 0 ? VetoParts(&links->veto, row, first_b + other)
					 : VetoParts(&links->veto, other, first_b + row);
}

/* Whether the row may be linked with its next neighbour. */
static bool
may_be_linked(const Search *search, int side, uint32 row, uint32 other)
{
	if (are_excepted(search->links, side, row, other))
		return false;
	if (search->looked_at[side] == NULL)
		return true;
	if (search->looked_at[side][row] == MOST_LOOKED_AT)
		return false;
	search->looked_at[side][row]++;
	return !are_parted(search->links, side, row, other);
}

/*
 * Takes a neighbour that the row may be linked with; neighbours of a row come from the nearest on.
 */
static void
take_neighbor(void *context, uint32 place, uint32 neighbor, double distance)
{
	const Search *search = context;
	int side;
	int other_side;
	uint32 row = rank_of(search, place, &side);
	uint32 other = rank_of(search, neighbor, &other_side);
	LinkRow *found = &search->rows[side][row];
	int rank = 0;

	while (rank < LINK_NEIGHBORS && found->similarity[rank] > 0)
		rank++;
	if (rank == LINK_NEIGHBORS || (side != other_side && !may_be_linked(search, side, row, other)))
		return;
	found->other[rank] = other;
	found->similarity[rank] = -distance;
}

static LinkRow *
no_neighbors(const LinkRows *table)
{
	LinkRow *rows = AllocateArray(table->rows.count, sizeof(LinkRow));

	memset(rows, 0, table->rows.count * sizeof(LinkRow));
	return rows;
}

static uint8 *
none_looked_at(const LinkRows *table)
{
	uint8 *looked_at = AllocateArray(table->rows.count, sizeof(uint8));

	memset(looked_at, 0, table->rows.count * sizeof(uint8));
	return looked_at;
}

/* Joins the tables of the search, which may be one, and finds the k nearest rows of each row. */
static void
find_neighbors(Search *search, LinkTokens tokens, NearestOf of, int k)
{
	LinkTables *links = unconstify(LinkTables *, search->links);
	Measure measure = LinkMeasure(tokens.has_grams);
	bool is_own = search->sides[0] == search->sides[1];
	MemoryContext context =
		AllocSetContextCreate(links->context, "neardup link search", ALLOCSET_DEFAULT_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(context);
	JoinRequest request = {.task = {.name = links->function,
									.kind = SetRowsOf(measure),
									.predicate = PredicateOrError(measure, LEAST_SIMILARITY),
									.algorithm = JOIN_AUTO,
									.may_share = true,
									.demand.kind = &best_pairs}};
	RowWishes wishes;
	SimilarityJoin join;

	wishes = SetGroupsWishes(&request);
	CallRowsBegin(&search->places, &wishes, &join, &request, is_own);
	LinkRowsAppend(&links->tables[search->sides[0]], tokens, &search->places);
	if (!is_own)
	{
		CallRowsBeginRight(&search->places);
		LinkRowsAppend(&links->tables[search->sides[1]], tokens, &search->places);
	}
	CallRowsEnd(&search->places, &request);
	SetGroupsPlace(&search->places, &request);
	NearestRowsFind(&search->places, &request.task, of, search->every, (uint32) k, take_neighbor,
					search);
	SimilarityJoinEnd(&join);
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(context);
}

/*
 * Finds the most similar rows of each row in the other table that it may be linked with. For the
 * pairs that are no links, as many more are sought as a row has of them at most; where rows may be
 * parted, those that are looked at. Many to one, only the neighbours of b make pairs.
 */
static void
find_both_neighbors(const LinkTables *links, LinkTokens tokens, LinkRow *rows[2])
{
	Search search = {.links = links, .sides = {0, 1}};
	int k = links->differ.count > 0 ? MOST_LOOKED_AT : LINK_NEIGHBORS;

	for (int side = 0; side < 2; side++)
	{
		rows[side] = search.rows[side] = no_neighbors(&links->tables[side]);
		if (links->differ.count > 0)
			search.looked_at[side] = none_looked_at(&links->tables[side]);
	}
	if (links->except != NULL)
		k += (int) Max(ExceptPairsMost(links->except, 0), ExceptPairsMost(links->except, 1));
	find_neighbors(&search, tokens, links->is_one_to_one ? NEAREST_OF_BOTH : NEAREST_OF_RIGHT, k);
	for (int side = 0; side < 2 && links->differ.count > 0; side++)
		pfree(search.looked_at[side]);
}

static void
put_neighbors(PairSort *sort, const LinkRow *rows, uint32 count, bool is_a)
{
	for (uint32 row = 0; row < count; row++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int rank = 0; rank < LINK_NEIGHBORS && rows[row].similarity[rank] > 0; rank++)
		{
			uint32 other = rows[row].other[rank];
			RankedPair pair = {.distance = -rows[row].similarity[rank],
							   .a = is_a ? row : other,
							   .b = is_a ? other : row};

			PairSortPut(sort, &pair);
		}
	}
}

/* Takes pairs one to one, from the most similar down, ties by a, b. */
static void
match_greedily(const LinkTables *links, LinkRow *const rows[2], uint32 *partner)
{
	PairSort *sort = PairSortBegin(PAIRS_BY_DISTANCE, NULL, NULL);
	uint32 count = links->tables[0].rows.count;
	bool *is_taken = AllocateArray(count, sizeof(bool));
	RankedPair pair;

	memset(is_taken, false, count);
	for (int side = 0; side < 2; side++)
		put_neighbors(sort, rows[side], links->tables[side].rows.count, side == 0);
	PairSortPerform(sort);
	while (PairSortNext(sort, &pair))
	{
		if (is_taken[pair.a] || partner[pair.b] != NO_ROW)
			continue;
		is_taken[pair.a] = true;
		partner[pair.b] = pair.a;
	}
	PairSortEnd(sort);
	pfree(is_taken);
}

/* Returns the a of each b in the list of pairs, or NO_ROW. */
static uint32 *
list_partners(const LinkTables *links, LinkRow *const rows[2])
{
	uint32 count = links->tables[1].rows.count;
	uint32 *partner = AllocateArray(count, sizeof(uint32));

	for (uint32 b = 0; b < count; b++)
	{
		bool has_one = !links->is_one_to_one && rows[1][b].similarity[0] > 0;

		partner[b] = has_one ? rows[1][b].other[0] : NO_ROW;
	}
	if (links->is_one_to_one)
		match_greedily(links, rows, partner);
	return partner;
}

/* Returns the similarity of a pair, which either of its rows has among its neighbours. */
static double
pair_similarity(const LinkRow *a_row, uint32 a, const LinkRow *b_row, uint32 b)
{
	double similarity = 0;

	for (int rank = 0; rank < LINK_NEIGHBORS; rank++)
	{
		if (a_row->similarity[rank] > 0 && a_row->other[rank] == b)
			similarity = a_row->similarity[rank];
		if (b_row->similarity[rank] > 0 && b_row->other[rank] == a)
			similarity = b_row->similarity[rank];
	}
	return similarity;
}

static void
score_pairs(const LinkTables *links, LinkView *view, const uint32 *partner)
{
	uint32 count = links->tables[1].rows.count;

	view->pairs = AllocateArray(count, sizeof(LinkPair));
	for (uint32 b = 0; b < count; b++)
	{
		const LinkRow *b_row = &view->rows[1][b];
		LinkPair pair = {.a = partner[b], .b = b};
		double rival;

		CHECK_FOR_INTERRUPTS();
		if (pair.a == NO_ROW)
			continue;
		pair.similarity = pair_similarity(&view->rows[0][pair.a], pair.a, b_row, b);
		rival = LinkRivalSimilarity(b_row, pair.a);
		if (links->is_one_to_one)
			rival = Max(rival, LinkRivalSimilarity(&view->rows[0][pair.a], b));
		pair.score = LinkScore(pair.similarity, rival);
		view->pairs[view->pair_count++] = pair;
	}
}

/* Returns, by row of the table that is not the null table, the similarity of the pair that it is listed in, or 0. */
static double *
listed_similarities(const LinkTables *links, const LinkView *view)
{
	bool is_a = null_table(links) != 0;
	uint32 count = links->tables[is_a ? 0 : 1].rows.count;
	double *taken = AllocateArray(count, sizeof(double));

	memset(taken, 0, count * sizeof(double));
	for (uint32 i = 0; i < view->pair_count; i++)
		taken[is_a ? view->pairs[i].a : view->pairs[i].b] = view->pairs[i].similarity;
	return taken;
}

static LinkView
make_view(const LinkTables *links, bool has_all_texts)
{
	LinkView view = {.name = has_all_texts ? "all texts" : "first text",
					 .has_all_texts = has_all_texts};
	LinkTokens tokens = {.has_all_texts = has_all_texts, .has_grams = true};
	double *taken = NULL;
	uint32 *partner;

	find_both_neighbors(links, tokens, view.rows);
	partner = list_partners(links, view.rows);
	score_pairs(links, &view, partner);
	pfree(partner);
	if (links->is_one_to_one)
		taken = listed_similarities(links, &view);
	view.cut = LinkCutFind(view.pairs, view.pair_count, view.rows[null_table(links)],
						   links->tables[null_table(links)].rows.count, taken);
	if (taken != NULL)
		pfree(taken);
	return view;
}

static void
free_view(LinkView *view)
{
	pfree(view->rows[0]);
	pfree(view->rows[1]);
	pfree(view->pairs);
}

/* Takes the first text, or all of them if a better list is expected. */
static void
choose_view(LinkTables *links)
{
	LinkView all;

	links->view = make_view(links, false);
	if (!links->tables[0].has_other_text)
		return;
	all = make_view(links, true);
	if (all.cut.quality > links->view.cut.quality)
	{
		LinkView first = links->view;

		links->view = all;
		all = first;
	}
	free_view(&all);
}

/* Returns the share of the kept pairs that the list made of words alone has too. */
static double
share_of_agreement(const LinkTables *links)
{
	const LinkView *view = &links->view;
	LinkTokens words = {.has_all_texts = view->has_all_texts};
	LinkRow *rows[2];
	uint32 *partner;
	uint32 agreed = 0;

	if (view->cut.kept == 0)
		return 0;
	find_both_neighbors(links, words, rows);
	partner = list_partners(links, rows);
	for (uint32 i = 0; i < view->cut.kept; i++)
		agreed += partner[view->pairs[i].b] == view->pairs[i].a;
	pfree(partner);
	pfree(rows[0]);
	pfree(rows[1]);
	return (double) agreed / view->cut.kept;
}

/*
 * Returns the step by which rows of a table are sampled for their neighbours within the table.
 * There are no more pairs than the smaller table has rows, so a sample of as many rows tells as
 * much.
 */
static uint32
step_of_sample(const LinkTables *links, int side)
{
	uint32 count = links->tables[side].rows.count;
	uint32 smaller = Min(count, links->tables[1 - side].rows.count);

	if (count <= MOST_OWN_ROWS)
		return 1;
	return count / Min(Max(smaller, LEAST_OWN_ROWS), MOST_OWN_ROWS);
}

/* Compares the pairs with the similarities that rows have in their own table; many to one, in A. */
static double
find_precision_low(const LinkTables *links)
{
	const LinkView *view = &links->view;
	LinkTokens tokens = {.has_all_texts = view->has_all_texts, .has_grams = true};
	int null_side = null_table(links);
	int sides = links->is_one_to_one ? 2 : 1;
	Size count = 0;
	double *own;
	double low;

	if (view->cut.kept == 0)
		return 0;
	own = AllocateArray((Size) links->tables[0].rows.count + links->tables[1].rows.count,
						sizeof(double));
	for (int side = 0; side < sides; side++)
	{
		const LinkRows *table = &links->tables[side];
		LinkRow *rows = no_neighbors(table);
		Search search = {.links = links,
						 .sides = {side, side},
						 .every = step_of_sample(links, side),
						 .rows = {rows, rows}};

		find_neighbors(&search, tokens, NEAREST_OF_LEFT, 1);
		/* A row of the sample stands for those up to the next one. */
		for (uint32 row = 0; row < table->rows.count; row++)
			own[count++] = rows[row - row % search.every].similarity[0];
		pfree(rows);
	}
	low = LinkPrecisionLow(&view->cut, view->pairs, view->rows[null_side],
						   links->tables[null_side].rows.count, own, count);
	pfree(own);
	return low;
}

/* Arguments: query_a, query_b, one_to_one, except_pairs, differ. */
static void
read_arguments(LinkTables *links, FunctionCallInfo fcinfo, int first)
{
	links->function = JoinFunctionName(fcinfo);
	for (int side = 0; side < 2; side++)
		links->queries[side] =
			JoinTextArgumentOrError(fcinfo, first + side, side == 0 ? "query_a" : "query_b");
	links->is_one_to_one = DatumGetBool(JoinArgumentOrError(fcinfo, first + 2, "one_to_one"));
	if (!PG_ARGISNULL(first + 3))
		links->except_pairs = text_to_cstring(PG_GETARG_TEXT_PP(first + 3));
	if (!PG_ARGISNULL(first + 4))
		links->differ.names = JoinNamesOrError(
			links->function, "differ", PG_GETARG_ARRAYTYPE_P(first + 4), &links->differ.count);
	if (strcmp(links->queries[0], links->queries[1]) == 0)
		ereport(NOTICE, (errmsg("both queries of %s are the same", links->function),
						 errhint("near_duplicates finds the near-duplicates within one table.")));
}

/* Takes what parts the rows. */
static void
find_veto(LinkTables *links)
{
	uint32 first = 0;

	if (links->differ.count == 0)
		return;
	links->veto =
		VetoBegin(links->differ.count, links->tables[0].rows.count + links->tables[1].rows.count);
	for (int side = 0; side < 2; side++)
	{
		LinkRowsTakeVeto(&links->tables[side], &links->veto, first);
		first += links->tables[side].rows.count;
	}
	VetoEndTaking(&links->veto);
}

static void
find_links(LinkTables *links)
{
	if (links->except_pairs != NULL)
		links->except = ExceptPairsRead(links->except_pairs, links->key_policy, links->key_type,
										InvalidOid, true);
	for (int side = 0; side < 2; side++)
	{
		ReaderSpec reader = {.function = links->function,
							 .key_policy = links->key_policy,
							 .key_type = links->key_type};

		LinkRowsRead(&links->tables[side], &reader, side, links->queries[side], links->except,
					 links->differ);
	}
	if (links->tables[0].has_other_text != links->tables[1].has_other_text)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("both queries of %s must return the same number of columns",
							   links->function)));
	find_veto(links);
	choose_view(links);
	links->agreement = share_of_agreement(links);
	links->precision_low = find_precision_low(links);
	for (int side = 0; side < 2; side++)
		LinkRowsForgetTexts(&links->tables[side]);
}

static bool
cuts_agree(const LinkCut *cut)
{
	return cut->most_kept <= MOST_SPREAD * cut->least_kept;
}

/* Tells what the figures mean. */
static const char *
verdict(const LinkTables *links)
{
	const LinkCut *cut = &links->view.cut;

	if (cut->kept == 0)
		return "no links were found";
	if (cut->kept < LEAST_KEPT_SHARE * links->view.pair_count)
		return "the tables seem to hold duplicates of their own; remove them first";
	if (links->precision_low < LEAST_PRECISION_LOW)
		return "cannot tell: rows of one table are as similar to each other as the pairs are";
	if (!cuts_agree(cut))
		return psprintf("cannot tell: as chance may be, %u to %u pairs are links", cut->least_kept,
						cut->most_kept);
	return "links";
}

static bool
precision_is_known(const LinkTables *links)
{
	const LinkCut *cut = &links->view.cut;

	return cut->kept > 0 && links->precision_low >= LEAST_PRECISION_LOW && cuts_agree(cut);
}

static void
return_links(const LinkTables *links, ReturnSetInfo *result)
{
	const LinkView *view = &links->view;

	for (uint32 i = 0; i < view->cut.kept; i++)
	{
		const LinkPair *pair = &view->pairs[i];
		uint32 ends[2] = {pair->a, pair->b};
		Datum values[COLUMNS];

		for (int side = 0; side < 2; side++)
			values[side == 0 ? COLUMN_A : COLUMN_B] =
				CallRowsKey(&links->tables[side].rows, ends[side]);
		values[COLUMN_SIMILARITY] = nd_float8_datum(&pair->similarity);
		values[COLUMN_SCORE] = nd_float8_datum(&pair->score);
		ResultPut(result, values);
	}
}

Datum
link_tables(PG_FUNCTION_ARGS)
{
	LinkTables links = {0};
	int first = JoinKeyArgument(fcinfo, &links.key_policy, &links.key_type);
	ReturnSetInfo *result = JoinMaterialize(fcinfo);
	MemoryContext previous;

	links.context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup links", ALLOCSET_DEFAULT_SIZES);
	previous = MemoryContextSwitchTo(links.context);
	read_arguments(&links, fcinfo, first);
	find_links(&links);
	if (!precision_is_known(&links))
		ereport(NOTICE, (errmsg("%s: %s", links.function, verdict(&links)),
						 errhint("link_tables_report returns the figures.")));
	return_links(&links, result);
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(links.context);
	return (Datum) 0;
}

Datum
link_tables_report(PG_FUNCTION_ARGS)
{
	LinkTables links = {.key_policy = KEYS_SORTABLE, .context = CurrentMemoryContext};
	const LinkView *view = &links.view;
	const LinkCut *cut = &view->cut;
	TupleDesc descriptor;
	Datum values[STATS_COLUMNS];
	bool nulls[STATS_COLUMNS] = {false};

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	read_arguments(&links, fcinfo, 0);
	find_links(&links);
	nulls[STATS_CUT] = nulls[STATS_AGREEMENT] = cut->kept == 0;
	nulls[STATS_PRECISION] = !precision_is_known(&links);
	values[STATS_TEXTS] = CStringGetTextDatum(view->name);
	values[STATS_CUT] = Float8GetDatum(cut->kept == 0 ? 0 : view->pairs[cut->kept - 1].score);
	values[STATS_PAIRS] = Int64GetDatum((int64) cut->kept);
	values[STATS_PRECISION] =
		Float8GetDatum(cut->kept == 0 ? 0 : cut->true_pairs / cut->kept * links.agreement);
	values[STATS_AGREEMENT] = Float8GetDatum(links.agreement);
	values[STATS_WITHOUT_PARTNER] = Float8GetDatum(cut->partnerless);
	values[STATS_VERDICT] = CStringGetTextDatum(verdict(&links));
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls));
}
