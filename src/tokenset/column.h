/*
 * column.h
 *		The type tokenset_column: a column whose statistics tell how frequent tokens are.
 *
 * Only the planner makes values of it, of columns that the query reads. The input function refuses
 * any text, so that nobody can learn of the frequencies of tokens in tables that he may not read.
 */
#ifndef NEARDUP_COLUMN_H
#define NEARDUP_COLUMN_H

/* In memory. The relation is a table, or an index that has the expression as a column. */
typedef struct TokensetColumn
{
	Oid relation;
	int32 number; /* of the column, from 1 */
} TokensetColumn;

#endif
