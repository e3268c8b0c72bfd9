/*
 * fragment.h
 *		Checks of SQL fragments that a user gives as texts.
 *
 * A parenthesis too many could change the columns around a fragment, so PostgreSQL's parser reads it
 * alone first. A set would multiply or lose rows.
 */
#ifndef NEARDUP_CLUSTER_FRAGMENT_H
#define NEARDUP_CLUSTER_FRAGMENT_H

/*
 * syntax_error unless the text is one expression, over the relation (a name as SQL);
 * feature_not_supported where it returns a set. The text may end in a comment, so that a statement
 * must end the line behind it. `name` is the argument's.
 */
extern void ExpressionOrError(const char *text, const char *relation, const char *name);

/* The same for a list behind ORDER BY. */
extern void OrderByListOrError(const char *text, const char *relation, const char *name);

#endif
