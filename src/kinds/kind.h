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
#include "nodes/supportnodes.h"

#include "rows/row_kind.h"
#include "kinds/index_class.h"
#include "measure/measure_comparison.h"

typedef struct Kind Kind;

/* Where the threshold of a condition comes from. */
typedef enum ThresholdSource
{
	THRESHOLD_OF_PREDICATE, /* it is the measure's threshold, and an error if it is out of range */
	THRESHOLD_COMPARED,		/* the measure's value is compared with it */
	THRESHOLD_OF_SETTING,	/* the value is compared with a setting, which is read at execution */
	THRESHOLD_OF_OPERATOR /* it is 1, of an operator of set algebra: all sets contain the empty one */
} ThresholdSource;

typedef struct ThresholdRule
{
	ThresholdSource source;
	Comparison comparison; /* not of a predicate or operator */
	int setting;		   /* number of the setting, if one has it */
} ThresholdRule;

/* Returns whether the threshold is the measure's own, which pairs reach or do not. */
static inline bool
ThresholdIsOfMeasure(ThresholdRule rule)
{
	return rule.source == THRESHOLD_OF_PREDICATE || rule.source == THRESHOLD_OF_OPERATOR;
}

/* A condition of a query that two rows are similar: measure(x, y) reaches the threshold. */
typedef struct PredicateClause
{
	const Kind *kind;
	Measure measure;
	Node *x;
	Node *y;
	Node *weights; /* of a weighted measure; else NULL */
	Oid function;
	Node *threshold; /* a number of any type; NULL of type float8 where a setting has it */
	ThresholdRule rule;
} PredicateClause;

/* Of what a clause is estimated: of the rows of a relation, or of a join. */
typedef struct ClausePlace
{
	bool is_join;
	int relation;		   /* as get_restriction_variable takes it */
	SpecialJoinInfo *join; /* may be NULL */
} ClausePlace;

/* How a function appears in conditions. */
typedef enum KindFunctionForm
{
	KIND_PREDICATE,	 /* function(x, y [, weights], threshold) */
	KIND_BY_SETTING, /* function(x, y), whose threshold a setting has */
	KIND_OF_ALGEBRA, /* function(x, y), whose threshold is 1 */
	KIND_VALUE,		 /* function(x, y [, weights]) is compared */
	KIND_COMPLEMENT	 /* so is function(x, y), which is 1 - the measure's value, rounded once */
} KindFunctionForm;

typedef struct KindFunction
{
	PGFunction function; /* NULL in what Kind.find returns */
	Measure measure;
	KindFunctionForm form;
	ComparedNumber number;
	bool is_exchanged; /* the function's first argument is y */
	int setting;	   /* the number of its setting in its kind, of KIND_BY_SETTING */
} KindFunction;

/* An element of a kind's table, with other members behind it, if any. */
#define KIND_FUNCTION(called, of_measure, ...)                                                     \
	{                                                                                              \
		.function = (called), .measure = (of_measure), .form = __VA_ARGS__                         \
	}

/* The same of a function that returns the value, or its complement, in double precision or whole. */
#define KIND_VALUE_FUNCTION(called, of_measure, ...)                                               \
	KIND_FUNCTION(called, of_measure, __VA_ARGS__, .number = COMPARED_AS_DOUBLE)

/* What both inputs bring to a join, for the work estimate. */
typedef struct JoinWork
{
	double rows;
	double tokens;
	double postings;
	double pairs;  /* of two rows in one group of equal keys, similar or not */
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
	double share;  /* of the rows, that it finds; 0: what the operator's estimate says */
	double tokens; /* tokens that are looked up in each segment */
	double lists;  /* lists of postings that are read in each segment at least */
	double operators_per_record; /* work for each record of the index, in operators */
} SearchEstimate;

/* NULL, 0 or false in a table is the usual case, which the comment tells. */
struct Kind
{
	const RowKind *rows;

	/* The functions that conditions are made of; the last one is NULL. */
	const KindFunction *functions;

	/* Recognizes functions of two arguments that another extension has. NULL: there are none. */
	const KindFunction *(*find)(Oid function);

	/* The measures of a kind of texts, as bits; the other kinds have a type of their own. */
	uint32 text_measures;

	const char *algorithm;	/* its name in EXPLAIN */
	bool has_candidates;	/* EXPLAIN shows their number, and what the filters pruned */
	bool finds_all_at_once; /* all pairs are found before the first is returned */

	/* Returns the threshold that a setting has. NULL: no function has its threshold there. */
	double (*setting)(int setting);

	/* The threshold to assume where the planner does not know it. 0: TypicalThreshold. */
	double typical_threshold;

	/* Returns the share of all rows or pairs that satisfy the clause. */
	double (*selectivity)(PlannerInfo *root, const PredicateClause *clause, double threshold,
						  const ClausePlace *place);

	/* Returns what a value of the measure costs, in operators. NULL, or 0: what its function says in SQL. */
	double (*value_operators)(PlannerInfo *root, const PredicateClause *clause);

	/* The functions are another extension's, and cost more than they say in SQL. */
	bool cost_is_untold;

	/*
	 * Returns an index condition that a comparison implies, given the comparison as the text that the
	 * functions of queries take; NIL if the index has no class for it.
	 */
	List *(*index_condition)(SupportRequestIndexCondition *request, const PredicateClause *clause,
							 Node *comparison);

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
};

extern const Kind set_kind;
extern const Kind simhash_kind;
extern const Kind trigram_kind;
extern const Kind edit_kind;

/* For sets and texts; fitted to sets of words by test/bench/parts/planned.py. */
#define OPERATORS_PER_POSTING 4

#endif
