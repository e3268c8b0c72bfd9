/*
 * join_shape.h
 *		The clauses of a join by their use: driver, equalities, filters; and self-joins.
 */
#ifndef NEARDUP_JOIN_JOIN_SHAPE_H
#define NEARDUP_JOIN_JOIN_SHAPE_H

#include "nodes/pathnodes.h"

#include "join/node/predicate_clause.h"

typedef struct JoinShape
{
	PlannerInfo *root;
	RelOptInfo *relation;
	RelOptInfo *sides[2]; /* outer and inner */
	JoinType type;
	RestrictInfo *driver; /* the predicate that the kernel joins by */
	PredicateClause predicate;
	double selectivity; /* of the driver */
	bool outer_is_y;
	List *equalities; /* lists of RestrictInfo */
	List *filters;
	List *after; /* filters of an outer join's rows */
} JoinShape;

/* Root, relation, sides and type are set. False if the node cannot do the join. */
extern bool JoinShapeSortClauses(JoinShape *shape, const List *clauses);

/* The threshold if the planner knows it, else a typical one. */
extern double JoinShapeThreshold(const JoinShape *shape, const PredicateClause *clause);

/* What a side (0 outer, 1 inner) is compared by. */
extern Node *JoinShapeOperand(const JoinShape *shape, int side);
extern Node *JoinShapeKey(const JoinShape *shape, const RestrictInfo *equality, int side);

/*
 * Whether both sides are the same rows with the same sets and keys: those of one table that equal
 * conditions select.
 */
extern bool JoinShapeIsSelfJoin(const JoinShape *shape);

/* In a self-join: an inner expression as one of the outer side. */
extern Node *JoinShapeOfOuter(const JoinShape *shape, const void *expression);

/* In a self-join: whether a filter excludes each row with itself. */
extern bool JoinShapeSkipsItself(const JoinShape *shape);

#endif
