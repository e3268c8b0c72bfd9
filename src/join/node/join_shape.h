/*
 * join_shape.h
 *		The shape of a join: driver, equalities and filters among its clauses; self-joins.
 */
#ifndef NEARDUP_JOIN_JOIN_SHAPE_H
#define NEARDUP_JOIN_JOIN_SHAPE_H

#include "nodes/pathnodes.h"

#include "kinds/predicate_clause.h"

typedef struct JoinShape
{
	PlannerInfo *root;
	RelOptInfo *relation;
	RelOptInfo *sides[2]; /* outer and inner */
	JoinType type;
	RestrictInfo *driver; /* the predicate that the kernel joins by */
	PredicateClause predicate;
	double selectivity; /* share of the pairs that the driver lets pass */
	bool outer_is_y;	/* the driver's second operand is the outer side's */

	/* The other clauses, as lists of RestrictInfo. */
	List *equalities; /* hashable, between the sides */
	List *filters;	  /* other clauses of the join */
	List *after;	  /* conditions on the rows of an outer join */
} JoinShape;

/*
 * Sorts the clauses of a join, whose root, relation, sides and type are set. Returns false if the
 * node cannot do the join.
 */
extern bool JoinShapeSortClauses(JoinShape *shape, const List *clauses);

/* Returns the join as if it were an inner one, for estimates of all pairs that satisfy a clause. */
extern SpecialJoinInfo JoinShapeAsInner(const JoinShape *shape);

/* Return what a side (0 outer, 1 inner) is compared by, in the driver and in an equality. */
extern Node *JoinShapeOperand(const JoinShape *shape, int side);
extern Node *JoinShapeKey(const JoinShape *shape, const RestrictInfo *equality, int side);

/*
 * Returns whether both sides are the same rows with the same sets and keys: rows of one table that
 * equal conditions select.
 */
extern bool JoinShapeIsSelfJoin(const JoinShape *shape);

/* In a self-join: returns an expression of the inner side as one of the outer side. */
extern Node *JoinShapeOfOuter(const JoinShape *shape, const void *expression);

/* In a self-join: returns whether a filter rejects each row with itself. */
extern bool JoinShapeSkipsItself(const JoinShape *shape);

#endif
