/*
 * clean_fragments.h
 *		Expressions over a table's columns that a user gives as texts, parsed.
 */
#ifndef NEARDUP_CLEAN_FRAGMENTS_H
#define NEARDUP_CLEAN_FRAGMENTS_H

#include "nodes/pg_list.h"

/* The argument whose text may name the columns of a new row, too, and the alias of that row. */
#define ARGUMENT_OF_PAIRS "among"
#define NEW_ROW_ALIAS "new"

/*
 * Returns the expressions of a text, with the table as relation 1, and a new row as relation 1 one
 * level up: a list, or one expression.
 * Raises the errors of table/fragment.h, and grouping_error where the text has an aggregate or a
 * window function. `argument` is the name of the argument, for the messages.
 */
extern List *CleanFragmentsParse(Oid table, const char *text, const char *argument, bool is_list);

#endif
