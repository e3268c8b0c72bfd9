/*
 * edit_records.c
 *		Keeps texts, makes their records, and computes the distances of pairs.
 */
#include "c.h"

#include "kernel/edit/edit_grams.h"
#include "kernel/edit/edit_records.h"

void
EditTextsInit(EditTexts *texts, JoinHost *host)
{
	memset(texts, 0, sizeof(*texts));
	texts->host = host;
}

uint32 *
EditTextsReserve(EditTexts *texts, uint32 characters)
{
	uint64 capacity = Max(texts->character_capacity, 1024);

	while (capacity - texts->character_count < characters)
		capacity += capacity / 2;
	if (capacity > texts->character_capacity)
	{
		texts->characters = JoinEnlarge(texts->host, texts->characters, texts->character_capacity,
										capacity, sizeof(uint32));
		texts->character_capacity = capacity;
	}
	return texts->characters + texts->character_count;
}

void
EditTextsAppend(EditTexts *texts, uint32 length, uint64 group)
{
	if (texts->count == texts->capacity)
	{
		uint32 capacity = Max(256, texts->capacity + texts->capacity / 2);

		texts->ends =
			JoinEnlarge(texts->host, texts->ends, texts->capacity, capacity, sizeof(uint64));
		if (texts->groups != NULL)
			texts->groups =
				JoinEnlarge(texts->host, texts->groups, texts->capacity, capacity, sizeof(uint64));
		texts->capacity = capacity;
	}
	if (texts->groups == NULL && group != 0)
		texts->groups = JoinAllocateZero(texts->host, texts->capacity, sizeof(uint64));
	if (texts->groups != NULL)
		texts->groups[texts->count] = group;
	texts->character_count += length;
	texts->ends[texts->count++] = texts->character_count;
}

const uint32 *
EditTextsRow(const EditTexts *texts, uint32 row, uint32 *length)
{
	uint64 start = row == 0 ? 0 : texts->ends[row - 1];

	*length = (uint32) (texts->ends[row] - start);
	return texts->characters + start;
}

void
EditTextsFree(EditTexts *texts)
{
	JoinHost *host = texts->host;

	JoinRelease(host, texts->characters, texts->character_capacity, sizeof(uint32));
	JoinRelease(host, texts->ends, texts->capacity, sizeof(uint64));
	JoinRelease(host, texts->groups, texts->capacity, sizeof(uint64));
	EditTextsInit(texts, host);
}

/*
 * Longer grams are rarer, but an edit changes more of them: short texts may have none in common,
 * and are then joined by their length alone (size_join.h). The longest grams are taken unless more
 * than a tenth of the texts would be.
 */
uint32
EditGramLength(const EditTexts *texts, uint32 max_distance)
{
	uint64 start = 0;
	uint32 joined_by_length = 0;

	for (uint32 row = 0; row < texts->count; row++)
	{
		joined_by_length += texts->ends[row] - start + EDIT_MAX_GRAM_LENGTH - 1 <=
							(uint64) EDIT_MAX_GRAM_LENGTH * max_distance;
		start = texts->ends[row];
	}
	return joined_by_length > texts->count / 10 ? EDIT_MIN_GRAM_LENGTH : EDIT_MAX_GRAM_LENGTH;
}

/* Gives the texts of each group grams of their own, but for collisions. */
static void
set_apart(EditGrams *grams, uint64 group)
{
	if (group == 0)
		return;
	for (uint32 i = 0; i < grams->count; i++)
		grams->tokens[i] ^= (int64) group;
}

bool
EditJoinRecords(JoinRecords *records, const EditTexts *texts, uint32 gram_length)
{
	EditGrams grams;
	bool fits = true;

	EditGramsInit(&grams, texts->host, gram_length);
	for (uint32 row = 0; fits && row < texts->count; row++)
	{
		uint32 length;
		const uint32 *characters = EditTextsRow(texts, row, &length);

		EditGramsOf(&grams, characters, length);
		set_apart(&grams, EditTextsGroup(texts, row));
		fits = JoinRecordsAppend(records, row, grams.tokens, grams.count);
	}
	EditGramsFree(&grams);
	return fits;
}

Predicate
EditJoinPredicate(uint32 max_distance, uint32 gram_length)
{
	return (Predicate){
		.measure = MEASURE_EDIT, .threshold = max_distance, .gram_length = gram_length};
}

void
EditVerifierInit(EditVerifier *verifier, const EditTexts *texts, uint32 max_distance)
{
	verifier->texts = texts;
	verifier->pattern_is_set = false;
	verifier->pattern_row = 0;
	verifier->max_distance = max_distance;
	EditPatternInit(&verifier->pattern, texts->host);
}

/*
 * The later record is the pattern: it is no shorter, and often the pattern of the pair before too,
 * which then need not be prepared again.
 */
uint32
EditVerifierDistance(EditVerifier *verifier, const JoinRecord *x, const JoinRecord *y)
{
	const JoinRecord *later = Max(x, y);
	const JoinRecord *earlier = Min(x, y);
	const uint32 *characters;
	uint32 length;

	if (!verifier->pattern_is_set || verifier->pattern_row != later->row)
	{
		characters = EditTextsRow(verifier->texts, later->row, &length);
		EditPatternSet(&verifier->pattern, characters, length);
		verifier->pattern_is_set = true;
		verifier->pattern_row = later->row;
	}
	characters = EditTextsRow(verifier->texts, earlier->row, &length);
	return EditDistanceWithin(&verifier->pattern, characters, length, verifier->max_distance);
}

void
EditVerifierFree(EditVerifier *verifier)
{
	EditPatternFree(&verifier->pattern);
}
