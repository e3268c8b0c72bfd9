/*
 * record_candidates.h
 *		The pairs of groups that may be the same thing, and which of them are taken for it.
 *
 * Candidates are pairs that are similar by all their values together, and would be without their frequent
 * tokens, and pairs that have the same value in a column, if few rows have it; of few rows that a model
 * scores, all pairs. A group of several rows is a candidate with itself, unless its rows have one common
 * value and nothing else. They come in the order of their ends.
 */
#ifndef NEARDUP_LINK_RECORD_CANDIDATES_H
#define NEARDUP_LINK_RECORD_CANDIDATES_H

#include "rows/record_file.h"
#include "link/record_rows.h"

/* Tokens that more rows have make no candidates. */
#define MOST_ROWS_OF_TOKEN 2000

/* The least similarity of all values together. */
#define LEAST_CANDIDATE 0.25

typedef struct Candidate
{
	uint32 a;
	uint32 b;
} Candidate;

/* What is noted of a candidate. */
typedef enum CandidateMark
{
	CANDIDATE_MATCHES = 1, /* it is taken for the same thing */
	CANDIDATE_SIMILAR = 2, /* by all values, it is at least as similar as the threshold */
	CANDIDATE_CLOSE = 4,   /* or as CLOSE */
	CANDIDATE_RELATED = 8  /* relatives: two things that are alike for a reason */
} CandidateMark;

#define CLOSE 0.5

typedef struct RecordCandidates
{
	RecordFile pairs; /* candidates */
	uint64 count;
	uint64 matches;	  /* how many are taken for the same thing */
	uint8 *marks;	  /* four bits for each */
	double threshold; /* the similarity that is more than chance gives */
} RecordCandidates;

/*
 * Ends the join: finds the candidates, and marks those whose similarity is more than chance gives
 * (above_chance.h), and close ones, unless they are parted. None is a match yet. Allocates in the current memory context.
 */
extern void RecordCandidatesFind(RecordCandidates *candidates, RecordRows *rows, const Veto *veto);

/* Returns a candidate by its number, from 0; it is valid until the next call. */
static inline const Candidate *
RecordCandidateAt(RecordCandidates *candidates, uint64 number)
{
	return RecordFileAt(&candidates->pairs, number);
}

static inline bool
RecordCandidateHas(const RecordCandidates *candidates, uint64 number, CandidateMark mark)
{
	return (candidates->marks[number / 2] >> number % 2 * 4 & mark) != 0;
}

/* Whether a candidate is a match. */
static inline bool
RecordCandidateMatches(const RecordCandidates *candidates, uint64 number)
{
	return RecordCandidateHas(candidates, number, CANDIDATE_MATCHES);
}

static inline void
RecordCandidateMark(RecordCandidates *candidates, uint64 number, CandidateMark mark)
{
	candidates->marks[number / 2] |= (uint8) (mark << number % 2 * 4);
}

/* Sets whether a candidate is a match; returns whether that is new. */
static inline bool
RecordCandidateSet(RecordCandidates *candidates, uint64 number, bool matches)
{
	if (RecordCandidateMatches(candidates, number) == matches)
		return false;
	candidates->marks[number / 2] ^= (uint8) (CANDIDATE_MATCHES << number % 2 * 4);
	candidates->matches += matches ? 1 : -1;
	return true;
}

#endif
