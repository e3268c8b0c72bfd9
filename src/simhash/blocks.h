/*
 * blocks.h
 *		Dividing the bits of simhashes into blocks, of which near values share some.
 *
 * Two values that differ in at most k bits differ in at most k of m > k blocks, so
 * they agree in m - k of them at least. There is a table for each choice of m - k
 * blocks, C(m, k) in all; near values agree in all bits of some table's blocks
 * (Manku, Jain and Das Sarma 2007, section 3). Tables are numbered in the
 * lexicographic order of their blocks. Needs c.h only.
 */
#ifndef NEARDUP_SIMHASH_BLOCKS_H
#define NEARDUP_SIMHASH_BLOCKS_H

#define MAX_BLOCKS 64

/* The tables of a division, one after the other. */
typedef struct BlockTables
{
	int blocks;				  /* m */
	int agreeing;			  /* m - k */
	uint64 masks[MAX_BLOCKS]; /* by block: its bits */
	int chosen[MAX_BLOCKS];	  /* the present table's blocks, ascending */
	uint64 mask;			  /* their bits */
} BlockTables;

/* The number of tables, C(m, k), as near as a double comes. */
extern double BlockTablesCount(int blocks, int distance);

/*
 * Divides these bits, at least as many as there are blocks, into blocks of
 * numbers that differ by one at most, from the most significant on; the first
 * table is the present one. 0 <= distance <= blocks <= MAX_BLOCKS.
 */
extern void BlockTablesBegin(BlockTables *tables, uint64 bits, int blocks, int distance);

/* Goes on to the next table; false at the end. */
extern bool BlockTablesNext(BlockTables *tables);

/*
 * Whether the present table is the first in which values agree that differ in these bits; they
 * agree in it.
 */
extern bool BlockTablesIsFirst(const BlockTables *tables, uint64 difference);

#endif
