/*
 * elements.c
 *		Tokens of what is divided already: arrays and tsvectors.
 *
 * Arrays are read where they lie, without an array of Datums between: a join
 * reads millions of them.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "catalog/pg_type.h"

#include "compat.h"
#include "text/elements.h"
#include "text/encoding.h"
#include "text/interrupts.h"
#include "text/shingles.h"

/* The number of elements, with room for their tokens. */
static int
PrepareElements(ArrayType *array, TokenList *list)
{
	int count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

	if (array_contains_nulls(array))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("array of tokens must not contain nulls"),
						errhint("Remove them with array_remove(array, NULL).")));
	if (list->capacity - list->count < (Size) count)
		TokenListGrow(list, count);
	return count;
}

/* As ARR_DATA_PTR, whose conditional mixes signs and draws a warning. */
static char *
ElementData(ArrayType *array)
{
	if (ARR_HASNULL(array))
		return (char *) array + array->dataoffset;
	return (char *) array + ARR_OVERHEAD_NONULLS(ARR_NDIM(array));
}

static Token
TokenOfServerText(const char *data, Size length)
{
	ByteSpan utf8 = ServerToUtf8OrRaw(data, length);
	Token token = TokenOfBytes(utf8.data, utf8.length);

	Utf8Release(utf8, data);
	return token;
}

void
TokensOfTextArray(ArrayType *array, TokenList *list)
{
	int count = PrepareElements(array, list);
	char *p = ElementData(array);

	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		TokenListAppend(list, TokenOfServerText(VARDATA_ANY(p), VARSIZE_ANY_EXHDR(p)));
		p = att_addlength_pointer(p, -1, p);
		p = (char *) att_align_nominal(p, TYPALIGN_INT);
	}
}

void
TokensOfInt4Array(ArrayType *array, TokenList *list)
{
	int count = PrepareElements(array, list);
	const int32 *elements = (const int32 *) ElementData(array);

	for (int i = 0; i < count; i++)
	{
		CHECK_NOW_AND_THEN(i);
		TokenListAppend(list, (Token) elements[i]);
	}
}

void
TokensOfInt8Array(ArrayType *array, TokenList *list)
{
	int count = PrepareElements(array, list);
	const int64 *elements = (const int64 *) ElementData(array);

	for (int i = 0; i < count; i++)
	{
		CHECK_NOW_AND_THEN(i);
		TokenListAppend(list, (Token) elements[i]);
	}
}

static inline Token
TokenOfLexeme(TSVector vector, const WordEntry *entry)
{
	return TokenOfServerText(STRPTR(vector) + entry->pos, entry->len);
}

void
TokensOfTSVector(TSVector vector, TokenList *list)
{
	for (int i = 0; i < vector->size; i++)
	{
		CHECK_FOR_INTERRUPTS();
		TokenListAppend(list, TokenOfLexeme(vector, &ARRPTR(vector)[i]));
	}
}

void
TokensOfTSVectorPositions(TSVector vector, TokenList *list)
{
	for (int i = 0; i < vector->size; i++)
	{
		const WordEntry *entry = &ARRPTR(vector)[i];
		Token token = TokenOfLexeme(vector, entry);
		int occurrences = entry->haspos ? POSDATALEN(vector, entry) : 1;

		CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < occurrences; j++)
			TokenListAppend(list, token);
	}
}

/* A lexeme at a position; lexeme is the index of its entry. */
typedef struct PlacedLexeme
{
	int32 position;
	int32 lexeme;
} PlacedLexeme;

#define ST_SORT SortPlacedLexemes
#define ST_ELEMENT_TYPE PlacedLexeme
#define ST_COMPARE(a, b)                                                                           \
	((a)->position != (b)->position ? (a)->position - (b)->position : (a)->lexeme - (b)->lexeme)
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* The lexemes in order of position, in palloc'd memory. */
static PlacedLexeme *
PlaceLexemes(TSVector vector, Size *count)
{
	PlacedLexeme *placed;
	Size total = 0;

	for (int i = 0; i < vector->size; i++)
	{
		const WordEntry *entry = &ARRPTR(vector)[i];

		if (!entry->haspos)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("tsvector has lexemes without positions"),
							errdetail("Shingles are made in order of position."),
							errhint("Use the result of to_tsvector() without strip(), or "
									"tokenset(tsvector), which needs no positions.")));
		total += POSDATALEN(vector, entry);
	}
	placed = MemoryContextAllocHuge(CurrentMemoryContext, mul_size(total, sizeof(PlacedLexeme)));
	*count = 0;
	for (int i = 0; i < vector->size; i++)
	{
		const WordEntry *entry = &ARRPTR(vector)[i];
		const WordEntryPos *positions = POSDATAPTR(vector, entry);
		int occurrences = POSDATALEN(vector, entry);

		for (int j = 0; j < occurrences; j++)
			placed[(*count)++] = (PlacedLexeme){WEP_GETPOS(positions[j]), i};
	}
	SortPlacedLexemes(placed, *count);
	return placed;
}

void
TokensOfTSVectorShingles(TSVector vector, int32 width, TokenList *list)
{
	Shingler shingler;
	PlacedLexeme *placed;
	Size count;

	ShinglerInit(&shingler, width, list);
	placed = PlaceLexemes(vector, &count);
	for (Size i = 0; i < count; i++)
	{
		const WordEntry *entry = &ARRPTR(vector)[placed[i].lexeme];
		const char *lexeme = STRPTR(vector) + entry->pos;
		ByteSpan utf8 = ServerToUtf8OrRaw(lexeme, entry->len);

		ShinglerAdd(&shingler, utf8);
		Utf8Release(utf8, lexeme);
	}
	pfree(placed);
	ShinglerFinish(&shingler);
}
