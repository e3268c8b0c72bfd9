/*
 * number_variants.c
 *		Tells the user where the rows that could go differ from what is kept in numbers alone.
 *
 * Shoes in sizes, reports of days and paragraphs of a law share nearly all of their words, and are
 * different things all the same. The join keeps no texts, so one query reads the texts of the pairs
 * that are returned, by their keys.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "parser/parse_func.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "cluster/number_variants.h"
#include "drawing.h"
#include "text/encoding.h"
#include "text/number_words.h"

/* The NOTICE needs this many variants, and one in this many near-duplicates. */
#define LEAST_VARIANTS 5
#define LEAST_SHARE 10

/* No more near-duplicates are compared; of more, a random sample is. */
#define MOST_COMPARED 1000

/* Nothing is compared if the keys of the rows take more. */
#define MOST_KEY_BYTES (64 * 1024 * 1024)

typedef struct NumberVariants
{
	const DuplicateRows *duplicates;
	const uint32 *cluster;
	uint32 near;			  /* near-duplicates */
	uint32 compared;		  /* of them */
	ArrayBuildState *keys[2]; /* of these, and of the rows that are kept for them */
	Size key_bytes;
	uint32 count; /* of the compared ones that differ in numbers alone */
	MemoryContext text_context;
} NumberVariants;

/* Returns whether the row at a place is a near-duplicate of the one at *kept. */
static bool
is_near_duplicate(const NumberVariants *variants, uint32 place, uint32 *kept)
{
	const DuplicateRows *duplicates = variants->duplicates;

	*kept = DuplicateRowsFirst(duplicates, variants->cluster[duplicates->rows.groups[place]]);
	return *kept != place && duplicates->has_text[place] &&
		   DuplicateRowsDiffer(duplicates, place, *kept);
}

static uint32
count_near_duplicates(const NumberVariants *variants)
{
	uint32 count = 0;
	uint32 kept;

	for (uint32 place = 0; place < variants->duplicates->rows.count; place++)
	{
		CHECK_FOR_INTERRUPTS();
		count += is_near_duplicate(variants, place, &kept);
	}
	return count;
}

static void
put_key(NumberVariants *variants, int which, uint32 place)
{
	const CallRows *rows = &variants->duplicates->rows;
	const JoinKeys *keys = &rows->keys;
	Datum key = JoinKeysDatum(keys, CallRowsNumber(rows, place));

	variants->key_bytes += datumGetSize(key, keys->type_by_value, keys->type_length);
	if (variants->key_bytes <= MOST_KEY_BYTES)
		variants->keys[which] =
			accumArrayResult(variants->keys[which], key, false, keys->type, CurrentMemoryContext);
}

/* Chooses the near-duplicates that are compared, by chance where there are too many. */
static void
choose_compared(NumberVariants *variants)
{
	Drawing drawing = DrawingBegin(variants->near, variants->near, MOST_COMPARED);
	uint32 kept;

	variants->compared = (uint32) drawing.wanted;
	for (uint32 place = 0; place < variants->duplicates->rows.count; place++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!is_near_duplicate(variants, place, &kept))
			continue;
		if (!DrawingTakes(&drawing))
			continue;
		put_key(variants, 0, place);
		put_key(variants, 1, kept);
	}
}

static DividedWords
divide_words(Datum value)
{
	text *body = DatumGetTextPP(value);

	return DivideNumberWords(ServerToUtf8(VARDATA_ANY(body), VARSIZE_ANY_EXHDR(body)));
}

static bool
are_equal(const ByteBuffer *a, const ByteBuffer *b)
{
	return a->used == b->used && memcmp(a->data, b->data, a->used) == 0;
}

/* Counts a pair of texts, one of which may be NULL, if they differ in words with a digit alone. */
static bool
take_texts(void *context, TupleTableSlot *slot)
{
	NumberVariants *variants = context;
	MemoryContext previous;
	DividedWords a;
	DividedWords b;

	CHECK_FOR_INTERRUPTS();
	slot_getallattrs(slot);
	if (slot->tts_isnull[0] || slot->tts_isnull[1])
		return true;
	previous = MemoryContextSwitchTo(variants->text_context);
	a = divide_words(slot->tts_values[0]);
	b = divide_words(slot->tts_values[1]);
	variants->count += are_equal(&a.others, &b.others) && !are_equal(&a.numbers, &b.numbers);
	MemoryContextSwitchTo(previous);
	MemoryContextReset(variants->text_context);
	return true;
}

/* Returns the query of the texts by arrays of keys, as SQL that needs no search path. */
static const char *
compose_text_query(const DuplicatesRequest *request, Oid type)
{
	Oid equals = lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql,
					 "SELECT a.%1$s::pg_catalog.text, b.%1$s::pg_catalog.text "
					 "FROM ROWS FROM (pg_catalog.unnest($1), pg_catalog.unnest($2)) AS keys (a, b) "
					 "JOIN %2$s AS a ON ",
					 request->text_column, request->relation);
	generate_operator_clause(&sql, psprintf("a.%s", request->key_column), type, equals, "keys.a",
							 type);
	appendStringInfo(&sql, " JOIN %s AS b ON ", request->relation);
	generate_operator_clause(&sql, psprintf("b.%s", request->key_column), type, equals, "keys.b",
							 type);
	return sql.data;
}

/* Reads the texts of the chosen pairs in the caller's snapshot, and counts those that are variants. */
static void
compare_texts(NumberVariants *variants)
{
	Oid type = variants->duplicates->rows.keys.type;
	ParamListInfo parameters = makeParamList(2);
	QueryReceiver receiver;
	SPIExecuteOptions options = {.params = parameters,
								 .read_only = true,
								 .must_return_tuples = true,
								 .dest = &receiver.dest};
	int result;

	for (int i = 0; i < 2; i++)
		parameters->params[i] =
			(ParamExternData){.value = makeArrayResult(variants->keys[i], CurrentMemoryContext),
							  .pflags = PARAM_FLAG_CONST,
							  .ptype = get_array_type(type)};
	variants->text_context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup text", ALLOCSET_DEFAULT_SIZES);
	QueryReceiverInit(&receiver, NULL, take_texts, variants);
	SPI_connect();
	result =
		SPI_execute_extended(compose_text_query(variants->duplicates->request, type), &options);
	if (result != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute_extended failed: %s", SPI_result_code_string(result));
	SPI_finish();
}

/* Returns number_words(text), as SQL that works in the caller's search path. */
static const char *
number_words_call(const DuplicatesRequest *request)
{
	char *schema = get_namespace_name(request->join.reader.schema);
	List *name = list_make2(makeString(schema), makeString(pstrdup("number_words")));
	Oid argument = TEXTOID;

	return psprintf("%s(%s)",
					FunctionIsVisible(LookupFuncName(name, 1, &argument, false))
						? "number_words"
						: quote_qualified_identifier(schema, "number_words"),
					request->text_column);
}

static void
report(const NumberVariants *variants)
{
	const DuplicatesRequest *request = variants->duplicates->request;
	bool is_weighted = MeasureIsWeighted(request->join.task.predicate.measure);
	const char *within = number_words_call(request);

	if (request->within != NULL)
		within = psprintf("%s, %s", within, request->within);
	ereport(
		NOTICE,
		(errmsg("%u of %u near-duplicates differ from the row that is kept only in words with "
				"a digit",
				variants->count, variants->compared),
		 variants->compared < variants->near
			 ? errdetail("Of %u near-duplicates, a random sample was compared with what is kept.",
						 variants->near)
			 : 0,
		 errhint("If they are different things, such as sizes or dates, keep them apart by "
				 "within => %s%s%s.",
				 quote_literal_cstr(within),
				 is_weighted ? ", which takes measure jaccard, cosine or dice" : "",
				 !request->is_chosen ? ""
				 : is_weighted		 ? " and a threshold"
									 : ", which takes a threshold")));
}

/*
 * Returns whether the user's expression leaves out numbers: then differences in numbers are meant
 * not to count.
 */
static bool
leave_out_numbers(const char *tokens)
{
	return tokens != NULL &&
		   (strstr(tokens, "strip_numbers") != NULL || strstr(tokens, "strip_ids") != NULL);
}

void
NumberVariantsReport(const DuplicateRows *duplicates, const uint32 *cluster)
{
	NumberVariants variants = {.duplicates = duplicates, .cluster = cluster};

	/* Keys that are arrays themselves cannot be elements of an array. */
	if (!duplicates->request->text_is_string || leave_out_numbers(duplicates->request->tokens) ||
		!OidIsValid(get_array_type(duplicates->rows.keys.type)))
		return;
	variants.near = count_near_duplicates(&variants);
	if (variants.near < LEAST_VARIANTS)
		return;
	choose_compared(&variants);
	if (variants.key_bytes > MOST_KEY_BYTES)
		return;
	compare_texts(&variants);
	if (variants.count >= LEAST_VARIANTS &&
		(uint64) variants.count * LEAST_SHARE >= variants.compared)
		report(&variants);
}
