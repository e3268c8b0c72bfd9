/*
 * join_shape.h
 *		What the planner's clauses make of a join: what drives it, what
 *		partitions it, what filters; and whether its two sides are the same.
 */
#ifndef NEARDUP_JOIN_SHAPE_H
#define NEARDUP_JOIN_SHAPE_H

#include "nodes/pathnodes.h"

#include "join/predicate_clause.h"

/* How a join can be done, whichever paths its inputs have. */
typedef struct JoinShape
{
	PlannerInfo *root;
	RelOptInfo *relation;
	RelOptInfo *sides[2]; /* outer and inner */
	JoinType type;
	RestrictInfo *driver;
	PredicateClause predicate;
	double selectivity; /* of the driver: its share of all pairs */
	bool outer_is_y;
	List *equalities; /* of RestrictInfo */
	List *filters;	  /* of RestrictInfo */
	List *after;	  /* of RestrictInfo: what an outer join's rows are filtered by */
} JoinShape;

/*
 * Sorts the clauses of a join whose root, relation, sides and type are set.
 * False where none could drive it, or the node does not know one.
 */
extern bool JoinShapeSortClauses(JoinShape *shape, const List *clauses);

/* A threshold to reckon with. */
extern double JoinShapeThreshold(const JoinShape *shape, const PredicateClause *clause);

/* What a side, 0 outer and 1 inner, is compared by: its set or simhash, and its side of an equality. */
extern Node *JoinShapeOperand(const JoinShape *shape, int side);
extern Node *JoinShapeKey(const JoinShape *shape, const RestrictInfo *equality, int side);

/*
 * Whether both sides are the same rows with the same sets and groups. Rows of
 * the same table that the same conditions select in one snapshot are; who locks or
 * deletes what the join returns does so by the row's own ctid on either side.
 */
extern bool JoinShapeIsSelfJoin(const JoinShape *shape);

/* In a self-join: a copy of an expression of the inner relation as one of the outer. */
extern Node *JoinShapeOfOuter(const JoinShape *shape, const void *expression);

/* In a self-join: whether some filter is false for each row with itself. */
extern bool JoinShapeSkipsItself(const JoinShape *shape);

#endif
