/*
 * column.h
 *		The type tokenset_column: a column whose statistics tell how frequent tokens are.
 *
 * The planner alone makes values, of columns that the query reads: the input function refuses, so
 * that nobody learns of frequencies in tables that he may not read.
 */
#ifndef NEARDUP_COLUMN_H
#define NEARDUP_COLUMN_H

/* In memory; of a table, or of an index for an expression. */
typedef struct TokensetColumn
{
	Oid relation;
	int32 number;
} TokensetColumn;

#endif
