/*
 * blocks.h
 *		Tables of blocks of bits in which near simhashes agree.
 *
 * To find values that differ in few bits by sorting or hashing, they must be equal in something.
 * Divide the bits into m blocks. Values that differ in at most k bits differ in at most k blocks,
 * so they agree in m - k of them. For each choice of m - k blocks, a table, sort the values by the
 * bits of these blocks: near values have equal bits, and so stand in one group, in at least one of
 * the C(m, k) tables (Manku, Jain and Das Sarma, Detecting Near-Duplicates for Web Crawling, 2007,
 * section 3). With 64 bits, k = 3 and m = 4, there are four tables, each of which compares values
 * with 16 equal bits; with m = 6 there are 20 tables of some 32 equal bits.
 *
 * Tables come in lexicographic order. This header needs c.h only.
 */
#ifndef NEARDUP_SKETCH_BLOCKS_H
#define NEARDUP_SKETCH_BLOCKS_H

#define MAX_BLOCKS 64

/* A division into blocks, and one table of it. */
typedef struct BlockTables
{
	int blocks;				  /* m */
	int agreeing;			  /* m - k */
	uint64 masks[MAX_BLOCKS]; /* the bits of each block */
	int chosen[MAX_BLOCKS];	  /* the blocks of the table, ascending */
	uint64 mask;			  /* the bits of these blocks */
} BlockTables;

/* Returns C(m, k), the number of tables. It may exceed an int. */
extern double BlockTablesCount(int blocks, int distance);

/*
 * Divides the bits that are set in `bits` into blocks of almost equal size, from the most
 * significant one on, and chooses the first table. The number of blocks is at least the distance,
 * and at most the number of bits.
 */
extern void BlockTablesBegin(BlockTables *tables, uint64 bits, int blocks, int distance);

/* Chooses the next table; returns false if this was the last one. */
extern bool BlockTablesNext(BlockTables *tables);

/*
 * Returns whether no earlier table has only blocks in which two values agree that differ in just
 * these bits. They must agree in the present one. So a pair that several tables find can be
 * returned once.
 */
extern bool BlockTablesIsFirst(const BlockTables *tables, uint64 difference);

#endif
