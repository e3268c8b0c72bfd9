/*
 * record_candidates.h
 *		The pairs of groups that may be the same thing, and which of them are taken for it.
 *
 * Candidates are pairs that are similar by all their values together, and pairs that have the same value
 * in a column, if few rows have it. A group of several rows is a candidate with itself, unless its rows
 * have one common value and nothing else. They come in the order of their ends.
 */
#ifndef NEARDUP_LINK_RECORD_CANDIDATES_H
#define NEARDUP_LINK_RECORD_CANDIDATES_H

#include "rows/record_file.h"
#include "link/record_rows.h"

/* The least similarity of all values together. */
#define LEAST_CANDIDATE 0.25

typedef struct Candidate
{
	uint32 a;
	uint32 b;
} Candidate;

typedef struct RecordCandidates
{
	RecordFile pairs; /* candidates */
	uint64 count;
	uint64 matches;	  /* how many are taken for the same thing */
	uint8 *labels;	  /* which ones: a bit for each */
	double threshold; /* the similarity from which on they are, at first */
} RecordCandidates;

/*
 * Ends the join: finds the candidates, and takes for matches the pairs whose similarity is more than
 * chance gives (above_chance.h). Allocates in the current memory context.
 */
extern void RecordCandidatesFind(RecordCandidates *candidates, RecordRows *rows);

/* Returns a candidate by its number, from 0; it is valid until the next call. */
static inline const Candidate *
RecordCandidateAt(RecordCandidates *candidates, uint64 number)
{
	return RecordFileAt(&candidates->pairs, number);
}

static inline bool
RecordCandidateMatches(const RecordCandidates *candidates, uint64 number)
{
	return (candidates->labels[number / 8] >> number % 8 & 1) != 0;
}

/* Sets whether a candidate is a match; returns whether that is new. */
static inline bool
RecordCandidateSet(RecordCandidates *candidates, uint64 number, bool matches)
{
	uint8 bit = (uint8) (1 << number % 8);
	uint8 *byte = &candidates->labels[number / 8];

	if (((*byte & bit) != 0) == matches)
		return false;
	*byte ^= bit;
	candidates->matches += matches ? 1 : -1;
	return true;
}

#endif
