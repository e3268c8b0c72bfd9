/*
 * planned_kind.h
 *		What the planner knows of a kind of rows that the join node joins.
 *
 * Each kind has a table of functions, in a file of its own in node/kinds. predicate_clause.c has
 * the predicates of all kinds.
 */
#ifndef NEARDUP_JOIN_PLANNED_KIND_H
#define NEARDUP_JOIN_PLANNED_KIND_H

#include "nodes/pathnodes.h"

#include "join/rows/row_kind.h"

typedef struct PlannedKind PlannedKind;

/* A condition of a query that two rows are similar: measure(x, y) reaches the threshold. */
typedef struct PredicateClause
{
	const PlannedKind *kind;
	Measure measure;
	Node *x;
	Node *y;
	Oid function;
	Node *threshold; /* of type float8, float4 or int4 */
	int comparison;	 /* how it is compared, of a kind with several ways */
} PredicateClause;

/* What both inputs bring to a join, for the work estimate. */
typedef struct JoinWork
{
	double rows;
	double tokens;
	double postings;
	double bytes;  /* bytes of memory that their rows take */
	Cost operands; /* cost of evaluating what is compared */
} JoinWork;

/* An input of a join, as the planner knows it: what is compared of its rows, and how many there are. */
typedef struct PlannedInput
{
	PlannerInfo *root;
	Node *operand;
	double rows;
	bool is_y; /* the predicate's second operand */
} PlannedInput;

struct PlannedKind
{
	const RowKind *rows;
	const char *algorithm;	/* its name in EXPLAIN */
	bool has_candidates;	/* EXPLAIN shows their number, and what the filters pruned */
	bool finds_all_at_once; /* all pairs are found before the first is returned */

	/*
	 * Returns the threshold of the measure that is equivalent to a clause's threshold in its
	 * comparison: 0 if the clause holds for all pairs, above 1 if for none. NULL if the clause has
	 * the measure's threshold itself.
	 */
	double (*threshold)(int comparison, double value);

	/* Returns the threshold to assume where the planner does not know it. */
	double (*typical_threshold)(Measure measure);

	/* Returns the share of all pairs that satisfy the clause. */
	double (*selectivity)(PlannerInfo *root, const PredicateClause *clause, double threshold,
						  SpecialJoinInfo *join);

	/* Adds the tokens, postings and bytes of an input. */
	void (*add_work)(const PlannedInput *input, Predicate predicate, JoinWork *work);

	/*
	 * Returns whether two rows of mean size need a common token to be similar. If not, the join is
	 * costed as if all pairs were found by size alone.
	 */
	bool (*needs_overlap)(PlannerInfo *root, const PredicateClause *clause, Predicate predicate);

	/*
	 * Returns the work estimate of finding pairs, in operators; `left` rows are on the left side.
	 */
	double (*operators)(const JoinWork *work, Predicate predicate, double left);
};

/* For sets and texts; fitted to sets of words by test/bench/parts/planned.py. */
#define OPERATORS_PER_POSTING 4

#endif
