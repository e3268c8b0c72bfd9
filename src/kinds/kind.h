/*
 * kind.h
 *		What differs by the kind of rows that a condition compares: sets, simhashes, texts.
 *
 * Each kind has a table of functions, a Kind, in a folder of its own. Planner, node and index read
 * these tables (kinds.h) and know no kind by its name. How rows are read and kept is in the RowKind of
 * a kind; the functions of SQL join some rows of which the planner knows nothing.
 */
#ifndef NEARDUP_KINDS_KIND_H
#define NEARDUP_KINDS_KIND_H

#include "fmgr.h"
#include "nodes/pathnodes.h"

#include "join/rows/row_kind.h"
#include "kinds/index_class.h"

typedef struct Kind Kind;

/* A condition of a query that two rows are similar: measure(x, y) reaches the threshold. */
typedef struct PredicateClause
{
	const Kind *kind;
	Measure measure;
	Node *x;
	Node *y;
	Oid function;
	Node *threshold; /* of type float8, float4 or int4 */
	int comparison;	 /* how it is compared, of a kind with several ways */
} PredicateClause;

/* The comparison of a clause whose threshold a setting has; the clause's own tells nothing. */
#define COMPARED_BY_SETTING (-1)

/* How a function appears in conditions. */
typedef enum KindFunctionForm
{
	KIND_PREDICATE,	 /* function(x, y, threshold) */
	KIND_SIMILARITY, /* function(x, y) >= threshold */
	KIND_DISTANCE	 /* function(x, y) <= threshold */
} KindFunctionForm;

typedef struct KindFunction
{
	PGFunction function;
	Measure measure;
	KindFunctionForm form;
} KindFunction;

/* What both inputs bring to a join, for the work estimate. */
typedef struct JoinWork
{
	double rows;
	double tokens;
	double postings;
	double bytes;  /* bytes of memory that their rows take */
	Cost operands; /* cost of evaluating what is compared */
} JoinWork;

/* Adds sets of a mean size; the engine indexes or looks up this many tokens of each. */
static inline void
JoinWorkAddSets(JoinWork *work, double rows, double size, double prefix)
{
	work->tokens += rows * size;
	work->postings += rows * prefix;
	work->bytes += rows * (64 + 12 * size) + rows * prefix * 20;
}

/* An input of a join, as the planner knows it: what is compared of its rows, and how many there are. */
typedef struct PlannedInput
{
	PlannerInfo *root;
	Node *operand;
	double rows;
	bool is_y; /* the predicate's second operand */
} PlannedInput;

/* The planner's estimate of what a search of an index does. */
typedef struct SearchEstimate
{
	double tokens;				 /* tokens that are looked up in each segment */
	double operators_per_record; /* work for each record of the index, in operators */
} SearchEstimate;

/* The cost of reading a posting of an index, in operators. */
#define OPERATORS_PER_LISTED 0.05

/* NULL, 0 or false in a table is the usual case, which the comment tells. */
struct Kind
{
	const RowKind *rows;

	/* The functions that conditions are made of; the last one is NULL. */
	const KindFunction *functions;

	/* Recognizes a condition in other forms, and fills in the clause. NULL: there are none. */
	bool (*clause)(Node *expression, PredicateClause *clause);

	const char *algorithm;	/* its name in EXPLAIN */
	bool has_candidates;	/* EXPLAIN shows their number, and what the filters pruned */
	bool finds_all_at_once; /* all pairs are found before the first is returned */

	/* Returns the threshold that a setting has, for a clause that is COMPARED_BY_SETTING. */
	double (*setting)(void);

	/*
	 * Returns the threshold of the measure that is equivalent to a clause's threshold in its
	 * comparison: 0 if the clause holds for all pairs, above 1 if for none. NULL: the clause has the
	 * measure's threshold itself.
	 */
	double (*threshold)(int comparison, double value);

	/* The threshold to assume where the planner does not know it. 0: TypicalThreshold. */
	double typical_threshold;

	/* Returns the share of all pairs that satisfy the clause. */
	double (*selectivity)(PlannerInfo *root, const PredicateClause *clause, double threshold,
						  SpecialJoinInfo *join);

	/* Adds the tokens, postings and bytes of an input. */
	void (*add_work)(const PlannedInput *input, Predicate predicate, JoinWork *work);

	/*
	 * Returns whether two rows of mean size need a common token to be similar. If not, the join is
	 * costed as if all pairs were found by size alone. NULL: they do.
	 */
	bool (*needs_overlap)(PlannerInfo *root, const PredicateClause *clause, Predicate predicate);

	/*
	 * Returns the work estimate of finding pairs, in operators; `left` rows are on the left side.
	 */
	double (*operators)(const JoinWork *work, Predicate predicate, double left);

	/*
	 * The function that makes sets of texts for the operator classes of the kind. NULL: an index keeps
	 * the rows themselves, if the kind has any.
	 */
	PGFunction set_of_text;

	/* Takes the right side of an operator of the classes, by its number (index_class.h). */
	void (*operand)(int strategy, Datum argument, IndexOperand *operand);

	/* Estimates the search that a clause with such an operator asks for. */
	SearchEstimate (*search)(PlannerInfo *root, const OpExpr *clause, Oid opfamily);

	/* Called when the library is loaded. NULL: nothing to do. */
	void (*init)(void);
};

extern const Kind set_kind;
extern const Kind simhash_kind;
extern const Kind trigram_kind;
extern const Kind edit_kind;

/* For sets and texts; fitted to sets of words by test/bench/parts/planned.py. */
#define OPERATORS_PER_POSTING 4

#endif
