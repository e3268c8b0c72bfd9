/*
 * spgist.h
 *		The SP-GiST operator class of simhashes.
 */
#ifndef NEARDUP_SIMHASH_SPGIST_H
#define NEARDUP_SIMHASH_SPGIST_H

/* Strategy numbers, as in the SQL script. */
#define SPGIST_SIMHASH_CONTAINED 1 /* <@ */
#define SPGIST_SIMHASH_EQUAL 2	   /* = */
#define SPGIST_SIMHASH_DISTANCE 3  /* <~>, for ORDER BY */

#endif
