/*
 * blocks.h
 *		Tables of blocks of bits in which near simhashes agree.
 *
 * Values that differ in at most k bits agree in m - k of m blocks, and so in one of the C(m, k)
 * tables, each a choice of m - k blocks (Manku, Jain and Das Sarma 2007, section 3), in
 * lexicographic order. Needs c.h only.
 */
#ifndef NEARDUP_SKETCH_BLOCKS_H
#define NEARDUP_SKETCH_BLOCKS_H

#define MAX_BLOCKS 64

/* A division and its present table. */
typedef struct BlockTables
{
	int blocks;				  /* m */
	int agreeing;			  /* m - k */
	uint64 masks[MAX_BLOCKS]; /* bits by block */
	int chosen[MAX_BLOCKS];	  /* blocks of the table, ascending */
	uint64 mask;			  /* their bits */
} BlockTables;

/* C(m, k), rounded to a double. */
extern double BlockTablesCount(int blocks, int distance);

/*
 * Divides bits into blocks of almost equal size, from the most significant on, and chooses the
 * first table. distance <= blocks <= the number of bits.
 */
extern void BlockTablesBegin(BlockTables *tables, uint64 bits, int blocks, int distance);

/* Chooses the next table; false at the end. */
extern bool BlockTablesNext(BlockTables *tables);

/* Whether values that differ in these bits agree in no earlier table. */
extern bool BlockTablesIsFirst(const BlockTables *tables, uint64 difference);

#endif
