/*
 * record_search.h
 *		Which records of a table are the same thing, learned from the table itself.
 *
 * With a model that was learned before, the candidates have their scores by it, and clusters are made once. If
 * the rows' entities are given besides, only pairs with a new row are candidates.
 *
 * Otherwise, no labels are needed and nothing is chosen. The candidates whose values together are more
 * similar than chance gives are the first matches. In each round a logistic model of the columns'
 * similarities is fitted to candidates that are matches and some that are not, and gives each candidate a
 * score, the logarithm of the odds. Clusters are made by the mean score; the candidates within them are
 * the matches of the next round. So rows that their neighbours bring together move the boundary. That ends
 * when the matches hardly change.
 *
 * Relatives (record_relatives.h) are no examples of matches, but of the others, though they share most
 * columns: else the model would learn the household in place of the person. Once they are found, in whatever
 * round, they are parted, and learning begins again.
 *
 * In a table whose rows are families, such as two catalogues in one table, this does not settle, or makes
 * clusters of rows that the model itself takes for different ones, or leaves many pairs in doubt, as a
 * table without duplicates does; or nearly all matches are far apart in a column that tells rows from each
 * other: then it cannot tell.
 */
#ifndef NEARDUP_LINK_RECORD_SEARCH_H
#define NEARDUP_LINK_RECORD_SEARCH_H

#include "link/record_clusters.h"
#include "link/record_features.h"
#include "link/record_model.h"
#include "link/record_relatives.h"

typedef enum RecordStep
{
	STEP_READ,
	STEP_CANDIDATES,
	STEP_COMPARE,
	STEP_LEARN,
	RECORD_STEPS
} RecordStep;

typedef enum RecordOutcome
{
	RECORDS_SETTLED,
	RECORDS_SCORED, /* by a model, so that nothing was learned */
	RECORDS_COPIES, /* nothing was learned: no rows that differ are more similar than chance gives */
	RECORDS_UNCLEAR
} RecordOutcome;

typedef struct RecordSearch
{
	RecordRequest request;
	SimilarityJoin join;
	RecordRows rows;
	Veto veto;
	uint32
		*entities; /* by group: the least group of its entity, or NO_ROW; NULL if none is known */
	RecordCandidates candidates;
	RecordFeatures features;
	RecordRelatives relatives;
	double *values;			  /* room for the features of a candidate */
	RecordModel model;		  /* of the last round, or that of the request */
	LearnedModel *learned;	  /* what is learned, to be kept; NULL if it is not wanted */
	RecordClusters *clusters; /* of the last round; NULL if there was none */
	int rounds;
	RecordOutcome outcome;
	const char *verdict; /* the same in words */
	const char *seen;	 /* a sentence: what pairs there are */
	bool *differing;	 /* by column: the verdict names it; NULL if nothing was to be learned */
	double seconds[RECORD_STEPS];
	MemoryContext context;
} RecordSearch;

/*
 * Runs the search, and keeps what is learned if that is wanted. Allocates in a context below the current one,
 * for RecordSearchEnd.
 */
extern RecordSearch *RecordSearchRun(const RecordRequest *request, bool keeps_model);

/* Returns the score of a candidate by the model, a multiple of 2^-20; NaN if there is none. */
extern double RecordSearchScore(RecordSearch *search, uint64 candidate);

/* Returns the similarity of a candidate in each column that both groups have a value in, as jsonb. */
extern Datum RecordSearchSimilarities(RecordSearch *search, uint64 candidate);

extern void RecordSearchEnd(RecordSearch *search);

#endif
