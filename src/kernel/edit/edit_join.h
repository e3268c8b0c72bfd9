/*
 * edit_join.h
 *		The join of texts within an edit distance, on top of the join of sets.
 */
#ifndef NEARDUP_KERNEL_EDIT_JOIN_H
#define NEARDUP_KERNEL_EDIT_JOIN_H

#include "kernel/edit/edit_distance.h"
#include "kernel/records/records.h"
#include "measure/measure.h"

/* Code points of one text after the other. */
typedef struct EditTexts
{
	JoinHost *host;
	uint32 *characters;
	uint64 character_count;
	uint64 character_capacity;
	uint64 *ends; /* by row: where its text ends */
	uint32 count;
	uint32 capacity;
} EditTexts;

extern void EditTextsInit(EditTexts *texts, JoinHost *host);

/* Room for the next text. */
extern uint32 *EditTextsReserve(EditTexts *texts, uint32 characters);

/* Takes that room's first characters as the next row; at most 2^31. */
extern void EditTextsAppend(EditTexts *texts, uint32 length);

/* The gram length q that is likely fastest. */
extern uint32 EditGramLength(const EditTexts *texts, uint32 max_distance);

/* Adds each text's q-grams as the record of its row; false as JoinRecordsAppend. */
extern bool EditJoinRecords(JoinRecords *records, const EditTexts *texts, uint32 gram_length);

/* Satisfied by texts within this distance, and others. */
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

/* The distance; PG_UINT32_MAX above max_distance. */
extern uint32 EditVerifierDistance(EditVerifier *verifier, const JoinRecord *x,
								   const JoinRecord *y);

extern void EditVerifierFree(EditVerifier *verifier);

#endif
