/*
 * edit_join.h
 *		The join of texts within an edit distance, on top of the join of sets.
 *
 * Use, in this order:
 *		EditTextsInit, EditTextsReserve and EditTextsAppend ...
 *		EditJoinRecords, then the join of those records (join.h) by EditJoinPredicate
 *		EditVerifierInit, EditVerifierDistance for each pair that it emits
 */
#ifndef NEARDUP_JOIN_EDIT_JOIN_H
#define NEARDUP_JOIN_EDIT_JOIN_H

#include "join/kernel/edit_distance.h"
#include "join/kernel/join.h"

/* The characters of all texts, as code points, one text after the other. */
typedef struct EditTexts
{
	JoinHost *host;
	uint32 *characters;
	uint64 character_count;
	uint64 character_capacity;
	uint64 *ends; /* by row: where the text ends, and that of the next row begins */
	uint32 count;
	uint32 capacity;
} EditTexts;

extern void EditTextsInit(EditTexts *texts, JoinHost *host);

/* Room for the next text, of so many characters at most. */
extern uint32 *EditTextsReserve(EditTexts *texts, uint32 characters);

/*
 * Takes the first so many characters of that room as the text of row texts->count; at most 2^31
 * rows.
 */
extern void EditTextsAppend(EditTexts *texts, uint32 length);

/* The gram length q with which these texts are likely to be joined fastest. */
extern uint32 EditGramLength(const EditTexts *texts, uint32 max_distance);

/*
 * Adds the q-grams of each text as the record of its row. Returns false where
 * a limit of JoinRecordsAppend is exceeded.
 */
extern bool EditJoinRecords(JoinRecords *records, const EditTexts *texts, uint32 gram_length);

/* What the records of texts within this distance satisfy. */
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

/*
 * The distance between the texts of two records of one join, or PG_UINT32_MAX
 * where it exceeds max_distance.
 */
extern uint32 EditVerifierDistance(EditVerifier *verifier, const JoinRecord *x,
								   const JoinRecord *y);

extern void EditVerifierFree(EditVerifier *verifier);

#endif
