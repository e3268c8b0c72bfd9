/*
 * fragment.h
 *		Checks of SQL fragments that a user gives as texts.
 *
 * A parenthesis too many could change the columns around a fragment, so PostgreSQL's parser reads it
 * alone first. A set would multiply or lose rows.
 */
#ifndef NEARDUP_CLUSTER_FRAGMENT_H
#define NEARDUP_CLUSTER_FRAGMENT_H

#include "nodes/parsenodes.h"

/*
 * Returns the parse trees of a statement that was made of a fragment. The position of an error is one in
 * that statement, which must outlive the call.
 */
extern List *FragmentParse(char *statement);

/*
 * Raises syntax_error unless the text is one expression over the columns of the relation, whose
 * name is given as SQL, and feature_not_supported if the expression returns a set. `name` is the
 * name of the argument, for the messages. The text may end in a comment, so a statement that
 * contains it must have a line break behind it.
 */
extern void ExpressionOrError(const char *text, const char *relation, const char *name);

/*
 * Checks, in the same way, an expression that may also name the columns of another row of the relation, by
 * an alias. Returns a query of the expression, in which these columns are one level up.
 */
extern Query *CorrelatedExpression(const char *text, const char *relation, const char *alias,
								   const char *name);

/* Checks, in the same way, a list that may stand behind ORDER BY. */
extern void OrderByListOrError(const char *text, const char *relation, const char *name);

/* Checks, in the same way, a list of expressions whose values can be ordered. */
extern void ExpressionListOrError(const char *text, const char *relation, const char *name);

#endif
