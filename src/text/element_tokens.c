/*
 * element_tokens.c
 *		Tokens of arrays and tsvectors.
 *
 * Elements are read in place. deconstruct_array would make a Datum of each, and its memory is
 * limited to 1 GB.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "storage/shmem.h"

#include "compat.h"
#include "text/element_tokens.h"
#include "text/encoding.h"
#include "text/shingles.h"
#include "text/token_of_bytes.h"

/* Rejects NULLs, ensures room in the list, and returns the number of elements. */
static int
prepare_elements(ArrayType *array, TokenList *list)
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

/* Returns the token of a text in the database's encoding. */
static Token
token_of_server_text(const char *data, Size length)
{
	ByteSpan utf8 = ServerToUtf8OrRaw(data, length);
	Token token = TokenOfBytes(utf8.data, utf8.length);

	Utf8Release(utf8, data);
	return token;
}

void
TokensOfTextArray(ArrayType *array, TokenList *list)
{
	int count = prepare_elements(array, list);
	char *p = ArrayElements(array);

	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		TokenListAppend(list, token_of_server_text(VARDATA_ANY(p), VARSIZE_ANY_EXHDR(p)));
		p = att_addlength_pointer(p, -1, p);
		p = (char *) att_align_nominal(p, TYPALIGN_INT);
	}
}

void
TokensOfTextArrayShingles(ArrayType *array, int32 width, TokenList *list)
{
	Shingler shingler;
	int count;
	char *p;

	ShinglerInit(&shingler, width, list);
	count = prepare_elements(array, list);
	p = ArrayElements(array);
	for (int i = 0; i < count; i++)
	{
		const char *element = VARDATA_ANY(p);
		ByteSpan utf8 = ServerToUtf8OrRaw(element, VARSIZE_ANY_EXHDR(p));

		ShinglerAdd(&shingler, utf8);
		Utf8Release(utf8, element);
		p = att_addlength_pointer(p, -1, p);
		p = (char *) att_align_nominal(p, TYPALIGN_INT);
	}
	ShinglerFinish(&shingler);
}

void
TokensOfInt4Array(ArrayType *array, TokenList *list)
{
	int count = prepare_elements(array, list);
	const int32 *elements = (const int32 *) ArrayElements(array);

	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		TokenListAppend(list, (Token) elements[i]);
	}
}

void
TokensOfInt8Array(ArrayType *array, TokenList *list)
{
	int count = prepare_elements(array, list);
	const int64 *elements = (const int64 *) ArrayElements(array);

	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		TokenListAppend(list, (Token) elements[i]);
	}
}

static inline Token
token_of_lexeme(TSVector vector, const WordEntry *entry)
{
	return token_of_server_text(STRPTR(vector) + entry->pos, entry->len);
}

void
TokensOfTSVector(TSVector vector, TokenList *list)
{
	for (int i = 0; i < vector->size; i++)
	{
		CHECK_FOR_INTERRUPTS();
		TokenListAppend(list, token_of_lexeme(vector, &ARRPTR(vector)[i]));
	}
}

void
TokensOfTSVectorPositions(TSVector vector, TokenList *list)
{
	for (int i = 0; i < vector->size; i++)
	{
		const WordEntry *entry = &ARRPTR(vector)[i];
		Token token = token_of_lexeme(vector, entry);
		int occurrences = entry->haspos ? POSDATALEN(vector, entry) : 1;

		CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < occurrences; j++)
			TokenListAppend(list, token);
	}
}

/* An occurrence of a lexeme; the lexeme's number is its place in the tsvector. */
typedef struct PlacedLexeme
{
	int32 position;
	int32 lexeme;
} PlacedLexeme;

#define ST_SORT sort_placed_lexemes
#define ST_ELEMENT_TYPE PlacedLexeme
#define ST_COMPARE(a, b)                                                                           \
	((a)->position != (b)->position ? (a)->position - (b)->position : (a)->lexeme - (b)->lexeme)
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* Returns the occurrences of all lexemes in the order of their positions, in a new array. */
static PlacedLexeme *
place_lexemes(TSVector vector, Size *count)
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
	sort_placed_lexemes(placed, *count);
	return placed;
}

void
TokensOfTSVectorShingles(TSVector vector, int32 width, TokenList *list)
{
	Shingler shingler;
	PlacedLexeme *placed;
	Size count;

	ShinglerInit(&shingler, width, list);
	placed = place_lexemes(vector, &count);
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
