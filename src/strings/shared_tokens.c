/*
 * shared_tokens.c
 *		The SQL function shared_tokens: what two texts have in common.
 *
 * The tokens of both texts are sorted, so a merge finds the partner of each: the same occurrence of
 * the same token in the other text. Rows come in the order of the texts.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/shmem.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "allocate.h"
#include "compat.h"
#include "measure/measure.h"
#include "strings/placed_text.h"
#include "text/encoding.h"

PG_FUNCTION_INFO_V1(shared_tokens);

/* A text, and for each of its tokens the index of its partner in the other text, or one of: */
typedef struct ComparedText
{
	PlacedText placed;
	uint32 *partner; /* by index */
} ComparedText;

#define NOT_SHOWN PG_UINT32_MAX /* a repeated token of a set */
#define ALONE (PG_UINT32_MAX - 1)

static ComparedText
compared_text(text *value, Tokenization tokenization)
{
	ComparedText text = {.placed = PlacedTextOf(value, tokenization)};
	Size count = text.placed.element_count;

	text.partner = AllocateArray(count, sizeof(uint32));
	memset(text.partner, 0xFF, mul_size(count, sizeof(uint32)));
	return text;
}

/* Finds the partners, and returns how many tokens have one. */
static Size
match_tokens(ComparedText *a, ComparedText *b)
{
	Size overlap = 0;
	Size i = 0;
	Size j = 0;

	while (i < a->placed.token_count || j < b->placed.token_count)
	{
		const PlacedToken *x = i < a->placed.token_count ? &a->placed.tokens[i] : NULL;
		const PlacedToken *y = j < b->placed.token_count ? &b->placed.tokens[j] : NULL;
		int order = x == NULL ? 1 : y == NULL ? -1 : 0;

		if (order == 0 && x->token != y->token)
			order = x->token < y->token ? -1 : 1;
		else if (order == 0 && x->occurrence != y->occurrence)
			order = x->occurrence < y->occurrence ? -1 : 1;
		if (order <= 0)
		{
			a->partner[x->index] = order == 0 ? y->index : ALONE;
			i++;
		}
		if (order >= 0)
		{
			b->partner[y->index] = order == 0 ? x->index : ALONE;
			j++;
		}
		overlap += order == 0;
	}
	return overlap;
}

enum
{
	COLUMN_PART,
	COLUMN_ITEM,
	COLUMN_VALUE,
	COLUMN_A_FROM,
	COLUMN_A_TO,
	COLUMN_B_FROM,
	COLUMN_B_TO,
	COLUMNS
};

static void
put_measures(ReturnSetInfo *rows, const PlacedText *a, const PlacedText *b, Size overlap)
{
	for (int i = 0; i < MEASURE_COUNT; i++)
	{
		Datum values[COLUMNS] = {0};
		bool nulls[COLUMNS] = {false, false, false, true, true, true, true};

		values[COLUMN_PART] = CStringGetTextDatum("measure");
		values[COLUMN_ITEM] = CStringGetTextDatum(MeasureName((Measure) i));
		values[COLUMN_VALUE] = Float8GetDatum(
			MeasureValue((Measure) i, (int64) overlap, a->token_count, b->token_count));
		tuplestore_putvalues(rows->setResult, rows->setDesc, values, nulls);
	}
}

/* Adds a row for a token; a text is NULL if the token is not in it. */
static void
put_token(ReturnSetInfo *rows, const char *part, int32 width, const PlacedText *a, uint32 a_index,
		  const PlacedText *b, uint32 b_index)
{
	const PlacedText *texts[2] = {a, b};
	const uint32 indexes[2] = {a_index, b_index};
	Datum values[COLUMNS] = {0};
	bool nulls[COLUMNS] = {false, true, true, true, true, true, true};

	values[COLUMN_PART] = CStringGetTextDatum(part);
	for (int i = 1; i >= 0; i--)
	{
		const PlacedText *text = texts[i];
		const Element *first;
		const Element *last;

		if (text == NULL)
			continue;
		/* A text with fewer elements than the width is one token. */
		first = &text->elements[indexes[i]];
		last = &text->elements[Min((Size) indexes[i] + width, text->element_count) - 1];
		values[COLUMN_A_FROM + 2 * i] = Int32GetDatum(first->from);
		values[COLUMN_A_TO + 2 * i] = Int32GetDatum(last->to);
		nulls[COLUMN_A_FROM + 2 * i] = nulls[COLUMN_A_TO + 2 * i] = false;
		values[COLUMN_ITEM] =
			PointerGetDatum(Utf8ToText(text->utf8.data + first->start, last->end - first->start));
		nulls[COLUMN_ITEM] = false;
	}
	tuplestore_putvalues(rows->setResult, rows->setDesc, values, nulls);
}

static void
put_tokens(ReturnSetInfo *rows, const ComparedText *a, const ComparedText *b, int32 width)
{
	MemoryContext row_context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup shared token", ALLOCSET_SMALL_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(row_context);

	for (Size i = 0; i < a->placed.element_count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (a->partner[i] == ALONE)
			put_token(rows, "only a", width, &a->placed, i, NULL, 0);
		else if (a->partner[i] != NOT_SHOWN)
			put_token(rows, "shared", width, &a->placed, i, &b->placed, a->partner[i]);
		MemoryContextReset(row_context);
	}
	for (Size i = 0; i < b->placed.element_count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (b->partner[i] == ALONE)
			put_token(rows, "only b", width, NULL, 0, &b->placed, i);
		MemoryContextReset(row_context);
	}
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(row_context);
}

Datum
shared_tokens(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rows = (ReturnSetInfo *) fcinfo->resultinfo;
	Tokenization tokenization =
		TokenizationOrError(text_to_cstring(PG_GETARG_TEXT_PP(2)),
							get_namespace_name(get_func_namespace(fcinfo->flinfo->fn_oid)));
	ComparedText a = compared_text(PG_GETARG_TEXT_PP(0), tokenization);
	ComparedText b = compared_text(PG_GETARG_TEXT_PP(1), tokenization);
	Size overlap = match_tokens(&a, &b);

	InitMaterializedSRF(fcinfo, 0);
	put_measures(rows, &a.placed, &b.placed, overlap);
	put_tokens(rows, &a, &b, tokenization.width);
	return (Datum) 0;
}
