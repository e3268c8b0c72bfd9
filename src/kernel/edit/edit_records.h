/*
 * edit_records.h
 *		What makes an edit distance join of a join of sets: texts, their q-grams, and distances.
 *
 * Texts u and v within distance k have at least max(|u|, |v|) + q - 1 - qk padded q-grams in
 * common, since an edit changes at most q (Gravano et al. 2001; section 6 of the paper). So the
 * texts are joined as sets of q-grams by this overlap, and the pairs found are verified by their
 * distance. If the bound is not positive, pairs need no common gram and are found by length alone.
 */
#ifndef NEARDUP_KERNEL_EDIT_RECORDS_H
#define NEARDUP_KERNEL_EDIT_RECORDS_H

#include "kernel/edit/edit_distance.h"
#include "kernel/records/records.h"
#include "measure/measure.h"

/* The texts of a join by row, as code points. */
typedef struct EditTexts
{
	JoinHost *host;
	uint32 *characters;
	uint64 character_count;
	uint64 character_capacity;
	uint64 *ends;	/* where the characters of each row end */
	uint64 *groups; /* the group of each row; NULL while all are of group 0 */
	uint32 count;
	uint32 capacity;
} EditTexts;

/* Estimates of the memory at its peak, with grams and index. */
#define EDIT_BYTES_PER_CHARACTER 16
#define EDIT_BYTES_PER_TEXT 150

extern void EditTextsInit(EditTexts *texts, JoinHost *host);

/* Ensures room for the characters of the next text and returns where they go. */
extern uint32 *EditTextsReserve(EditTexts *texts, uint32 characters);

/*
 * Makes the first `length` characters of that room the next row; there can be 2^31. Pairs of texts
 * of different groups need not be found.
 */
extern void EditTextsAppend(EditTexts *texts, uint32 length, uint64 group);

/* Returns the characters of a row, and their number. */
extern const uint32 *EditTextsRow(const EditTexts *texts, uint32 row, uint32 *length);

static inline uint64
EditTextsGroup(const EditTexts *texts, uint32 row)
{
	return texts->groups != NULL ? texts->groups[row] : 0;
}

extern void EditTextsFree(EditTexts *texts);

/* Returns the q that is likely fastest. */
extern uint32 EditGramLength(const EditTexts *texts, uint32 max_distance);

/* Appends the q-grams of each row as a record. Returns false where JoinRecordsAppend does. */
extern bool EditJoinRecords(JoinRecords *records, const EditTexts *texts, uint32 gram_length);

/*
 * Returns the predicate of sets that holds for all texts within the distance, and for some others.
 */
extern Predicate EditJoinPredicate(uint32 max_distance, uint32 gram_length);

/* Computes distances of pairs; one process has one. */
typedef struct EditVerifier
{
	const EditTexts *texts;
	EditPattern pattern;
	bool pattern_is_set;
	uint32 pattern_row;
	uint32 max_distance;
} EditVerifier;

extern void EditVerifierInit(EditVerifier *verifier, const EditTexts *texts, uint32 max_distance);

/* Returns the distance of the rows of two canonical records, PG_UINT32_MAX above max_distance. */
extern uint32 EditVerifierDistance(EditVerifier *verifier, const JoinRecord *x,
								   const JoinRecord *y);

extern void EditVerifierFree(EditVerifier *verifier);

#endif
