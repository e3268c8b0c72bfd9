/*
 * number_variants.c
 *		Tells the user where the rows that could go differ from what is kept in numbers alone.
 *
 * Shoes in sizes, reports of days and paragraphs of a law share nearly all of their words, and are
 * different things all the same. The join keeps no texts, so the texts of the pairs that are returned
 * are read once more, by their keys. Of each text only two hashes stay: the hash of the words with
 * a digit, and the hash of the other words.
 */
#include "postgres.h"

#include <xxhash.h>

#include "catalog/namespace.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "parser/parse_func.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "allocate.h"
#include "cluster/number_variants.h"
#include "text/encoding.h"
#include "text/number_words.h"

/* The NOTICE needs this many variants, and one in this many near-duplicates. */
#define LEAST_VARIANTS 5
#define LEAST_SHARE 10

/* No more near-duplicates are compared; of more, an even sample is. */
#define MOST_COMPARED 10000

/* Nothing is compared if the keys of the rows take more. */
#define MOST_KEY_BYTES (64 * 1024 * 1024)

#define NOT_READ PG_UINT32_MAX

/* The columns of the query of texts. */
enum
{
	COLUMN_INDEX, /* of the text, from 1 on */
	COLUMN_BODY
};

typedef struct DividedText
{
	bool is_read;
	uint64 numbers; /* hashes of its words */
	uint64 others;
} DividedText;

typedef struct NumberVariants
{
	const DuplicateRows *duplicates;
	const uint32 *cluster;
	uint32 near;	 /* near-duplicates */
	uint32 compared; /* of them */
	uint32 *indexes; /* by place, of the texts that are read; else NOT_READ */
	Datum *keys;	 /* of these, by index */
	Size key_bytes;
	int count;
	DividedText *texts; /* by index */
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
have_read(NumberVariants *variants, uint32 place)
{
	const CallRows *rows = &variants->duplicates->rows;
	Datum key;

	if (variants->indexes[place] != NOT_READ)
		return;
	key = JoinKeysDatum(&rows->keys, CallRowsNumber(rows, place));
	variants->key_bytes += datumGetSize(key, rows->keys.type_by_value, rows->keys.type_length);
	variants->indexes[place] = (uint32) variants->count;
	variants->keys[variants->count++] = key;
}

/* Chooses the near-duplicates that are compared, evenly where there are too many. */
static void
choose_compared(NumberVariants *variants)
{
	uint32 count = variants->duplicates->rows.count;
	uint64 due = 0; /* in units of 1 / near */
	uint32 kept;

	variants->compared = Min(variants->near, MOST_COMPARED);
	variants->indexes = AllocateArray(count, sizeof(uint32));
	memset(variants->indexes, 0xFF, count * sizeof(uint32));
	variants->keys = AllocateArray(2 * (Size) variants->compared, sizeof(Datum));
	for (uint32 place = 0; place < count; place++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!is_near_duplicate(variants, place, &kept))
			continue;
		due += variants->compared;
		if (due < variants->near)
			continue;
		due -= variants->near;
		have_read(variants, place);
		have_read(variants, kept);
	}
}

static uint64
hash_words(const ByteBuffer *words)
{
	return XXH3_64bits(words->data, words->used);
}

static bool
take_body(void *context, TupleTableSlot *slot)
{
	NumberVariants *variants = context;
	MemoryContext previous;
	DividedText *divided;
	DividedWords words;
	text *body;

	CHECK_FOR_INTERRUPTS();
	slot_getallattrs(slot);
	if (slot->tts_isnull[COLUMN_BODY])
		return true;
	previous = MemoryContextSwitchTo(variants->text_context);
	body = DatumGetTextPP(slot->tts_values[COLUMN_BODY]);
	words = DivideNumberWords(ServerToUtf8(VARDATA_ANY(body), VARSIZE_ANY_EXHDR(body)));
	divided = &variants->texts[DatumGetInt64(slot->tts_values[COLUMN_INDEX]) - 1];
	*divided = (DividedText){.is_read = true,
							 .numbers = hash_words(&words.numbers),
							 .others = hash_words(&words.others)};
	MemoryContextSwitchTo(previous);
	MemoryContextReset(variants->text_context);
	return true;
}

/* Returns the equality of a type's B-tree order, as SQL that needs no search path. */
static const char *
equality_of(Oid type)
{
	Oid equals = lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;
	HeapTuple tuple = SearchSysCache1(OPEROID, ObjectIdGetDatum(equals));
	Form_pg_operator form;
	const char *name;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator %u", equals);
	form = (Form_pg_operator) GETSTRUCT(tuple);
	name = psprintf("OPERATOR(%s.%s)", quote_identifier(get_namespace_name(form->oprnamespace)),
					NameStr(form->oprname));
	ReleaseSysCache(tuple);
	return name;
}

static const char *
compose_text_query(const DuplicatesRequest *request, Oid key_type)
{
	return psprintf("SELECT keys.index, texts.%s::pg_catalog.text "
					"FROM ROWS FROM (pg_catalog.unnest($1)) WITH ORDINALITY AS keys (key, index) "
					"JOIN %s AS texts ON texts.%s %s keys.key",
					request->text_column, request->relation, request->key_column,
					equality_of(key_type));
}

/* Reads the texts of the chosen keys in the caller's snapshot, and divides their words. */
static void
read_texts(NumberVariants *variants)
{
	Oid type = variants->duplicates->rows.keys.type;
	ParamListInfo parameters = makeParamList(1);
	QueryReceiver receiver;
	SPIExecuteOptions options = {.params = parameters,
								 .read_only = true,
								 .must_return_tuples = true,
								 .dest = &receiver.dest};
	int16 length;
	bool by_value;
	char alignment;
	int result;

	get_typlenbyvalalign(type, &length, &by_value, &alignment);
	parameters->params[0] =
		(ParamExternData){.value = PointerGetDatum(construct_array(
							  variants->keys, variants->count, type, length, by_value, alignment)),
						  .pflags = PARAM_FLAG_CONST,
						  .ptype = get_array_type(type)};
	variants->texts = AllocateArray(variants->count, sizeof(DividedText));
	memset(variants->texts, 0, variants->count * sizeof(DividedText));
	variants->text_context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup text", ALLOCSET_DEFAULT_SIZES);
	QueryReceiverInit(&receiver, NULL, take_body, variants);
	SPI_connect();
	result =
		SPI_execute_extended(compose_text_query(variants->duplicates->request, type), &options);
	if (result != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute_extended failed: %s", SPI_result_code_string(result));
	SPI_finish();
}

static uint32
count_variants(const NumberVariants *variants)
{
	uint32 count = 0;
	uint32 kept;

	for (uint32 place = 0; place < variants->duplicates->rows.count; place++)
	{
		const DividedText *a;
		const DividedText *b;

		CHECK_FOR_INTERRUPTS();
		if (variants->indexes[place] == NOT_READ || !is_near_duplicate(variants, place, &kept))
			continue;
		a = &variants->texts[variants->indexes[place]];
		b = &variants->texts[variants->indexes[kept]];
		count += a->is_read && b->is_read && a->others == b->others && a->numbers != b->numbers;
	}
	return count;
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
report(const NumberVariants *variants, uint32 count)
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
				count, variants->compared),
		 variants->compared < variants->near
			 ? errdetail("Of %u near-duplicates, an even sample was compared with what is kept.",
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
	uint32 count;

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
	read_texts(&variants);
	count = count_variants(&variants);
	if (count >= LEAST_VARIANTS && (uint64) count * LEAST_SHARE >= variants.compared)
		report(&variants, count);
}
