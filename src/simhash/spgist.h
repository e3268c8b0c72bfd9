/*
 * spgist.h
 *		Strategy numbers of the SP-GiST operator classes of simhashes, as spgist.sql has them.
 */
#ifndef NEARDUP_SIMHASH_SPGIST_H
#define NEARDUP_SIMHASH_SPGIST_H

#define SPGIST_SIMHASH_CONTAINED 1 /* <@ */
#define SPGIST_SIMHASH_EQUAL 2	   /* = */
#define SPGIST_SIMHASH_DISTANCE 3  /* <~>, for ORDER BY */

#endif
