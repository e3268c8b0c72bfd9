/*
 * record_relatives.h
 *		Relatives among the pairs that are taken for the same thing: persons of one household, say.
 *
 * Persons who live together share surname, street, town and telephone, so their rows are as similar as
 * those of one person. But the first name and the date of birth of two relatives are as different as those
 * of strangers, both at once, while the errors in two rows of one person fall on single columns. So the
 * matches are told apart as a mixture of two classes of pairs, by how the values agree in each column, the
 * columns being independent within a class.
 */
#ifndef NEARDUP_LINK_RECORD_RELATIVES_H
#define NEARDUP_LINK_RECORD_RELATIVES_H

#include "link/record_features.h"

typedef struct RecordRelatives
{
	RecordFeatures *features;
	RecordCandidates *candidates;
	int column_count;
	int *columns; /* those that count */

	bool are_found;
	double odds;					  /* the logarithm of the odds that a match is of relatives */
	double (*evidence)[AGREE_LEVELS]; /* by column, what is added for each agreement */
	double *far_shares;				  /* by column, the share of the relatives who are far */
} RecordRelatives;

/* Begins with the candidates after they were compared. Allocates in the current memory context. */
extern RecordRelatives RecordRelativesBegin(RecordFeatures *features, RecordCandidates *candidates);

/* Looks for relatives among the candidates with a mark; returns whether there are any. Can be cancelled. */
extern bool RecordRelativesFind(RecordRelatives *relatives, CandidateMark mark);

/* Whether a candidate is rather of relatives, once there are any. */
extern bool RecordRelativesHave(const RecordRelatives *relatives, uint64 candidate);

#endif
