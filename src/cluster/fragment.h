/*
 * fragment.h
 *		Parts of a statement that a user gave as texts.
 *
 * A text that stands between other words of a statement must be what it is given for,
 * and end where it does: with a parenthesis of its own it could change the columns
 * around it. So PostgreSQL's parser sees it alone first. Nor may it return a set, which
 * would multiply rows, or lose them.
 */
#ifndef NEARDUP_CLUSTER_FRAGMENT_H
#define NEARDUP_CLUSTER_FRAGMENT_H

/*
 * syntax_error where the text is not one expression; feature_not_supported where it
 * returns a set; and what else is wrong with it over the rows of the relation, whose name is
 * given as SQL. In a statement it must be followed by the end of a line, which ends a
 * comment. The name is that of the argument.
 */
extern void ExpressionOrError(const char *text, const char *relation, const char *name);

/* The same for what may follow ORDER BY. */
extern void OrderByListOrError(const char *text, const char *relation, const char *name);

#endif
