/*
 * above_chance.h
 *		What the rows of a table are compared by, and from which similarity on, where the user says
 *		neither: by the pairs that are more than chance would give.
 */
#ifndef NEARDUP_LINK_ABOVE_CHANCE_H
#define NEARDUP_LINK_ABOVE_CHANCE_H

#include "join/query_join.h"
#include "join/sample/pair_counts.h"

typedef struct AboveChance
{
	const char *tokens; /* an SQL expression */
	Measure measure;
	double threshold;
	double pairs; /* different sets that are at least so similar */
	double above; /* how many of these are more than chance would give */
	bool can_tell;
	const char *message; /* sentences: what was seen, and why it cannot tell */
} AboveChance;

/*
 * Chooses the threshold, and the tokens and the measure unless `tokens`, an SQL expression, is given;
 * `relation` and `body`, a column of it, are SQL. Joins the different sets of the table, a few times
 * for each choice of tokens. If no pairs are above chance, the threshold is 1. `join` tells how
 * queries are read; its predicate and kind are not used, but its measure is where `tokens` are given.
 */
extern AboveChance AboveChanceChoose(const JoinRequest *join, const char *relation,
									 const char *body, const char *tokens);

/* Returns the threshold for counts from a similarity of a quarter on; 1 if none are above chance. */
extern double AboveChanceThreshold(const PairCounts *counts);

#endif
