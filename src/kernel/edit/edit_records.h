/*
 * edit_records.h
 *		Edit distance joins, over joins of sets.
 */
#ifndef NEARDUP_KERNEL_EDIT_RECORDS_H
#define NEARDUP_KERNEL_EDIT_RECORDS_H

#include "kernel/edit/edit_distance.h"
#include "kernel/records/records.h"
#include "measure/measure.h"

/* Code points, text by text. */
typedef struct EditTexts
{
	JoinHost *host;
	uint32 *characters;
	uint64 character_count;
	uint64 character_capacity;
	uint64 *ends;	/* by row */
	uint64 *groups; /* by row; NULL while all are of group 0 */
	uint32 count;
	uint32 capacity;
} EditTexts;

/* Estimates of the peak, with grams and index. */
#define EDIT_BYTES_PER_CHARACTER 16
#define EDIT_BYTES_PER_TEXT 150

extern void EditTextsInit(EditTexts *texts, JoinHost *host);

/* Room for the next text. */
extern uint32 *EditTextsReserve(EditTexts *texts, uint32 characters);

/*
 * Makes the first `length` of them the next row; at most 2^31 rows. Texts of different groups need
 * not meet.
 */
extern void EditTextsAppend(EditTexts *texts, uint32 length, uint64 group);

extern const uint32 *EditTextsRow(const EditTexts *texts, uint32 row, uint32 *length);

static inline uint64
EditTextsGroup(const EditTexts *texts, uint32 row)
{
	return texts->groups != NULL ? texts->groups[row] : 0;
}

extern void EditTextsFree(EditTexts *texts);

/* The q that is likely fastest. */
extern uint32 EditGramLength(const EditTexts *texts, uint32 max_distance);

/* Adds q-grams as records by row; false as JoinRecordsAppend. */
extern bool EditJoinRecords(JoinRecords *records, const EditTexts *texts, uint32 gram_length);

/* Holds within the distance, and for other texts. */
extern Predicate EditJoinPredicate(uint32 max_distance, uint32 gram_length);

typedef struct EditVerifier
{
	const EditTexts *texts;
	EditPattern pattern;
	bool pattern_is_set;
	uint32 pattern_row;
	uint32 max_distance;
} EditVerifier;

extern void EditVerifierInit(EditVerifier *verifier, const EditTexts *texts, uint32 max_distance);

/* PG_UINT32_MAX above max_distance. */
extern uint32 EditVerifierDistance(EditVerifier *verifier, const JoinRecord *x,
								   const JoinRecord *y);

extern void EditVerifierFree(EditVerifier *verifier);

#endif
