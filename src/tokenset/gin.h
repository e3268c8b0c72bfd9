/*
 * gin.h
 *		Strategy numbers of the GIN operator class gin_tokenset_ops, as gin.sql has them.
 */
#ifndef NEARDUP_GIN_H
#define NEARDUP_GIN_H

#define GIN_TOKENSET_OVERLAPS 1	 /* && */
#define GIN_TOKENSET_CONTAINS 2	 /* @> */
#define GIN_TOKENSET_CONTAINED 3 /* <@ */
#define GIN_TOKENSET_EQUAL 4	 /* = */
#define GIN_TOKENSET_SIMILAR 5	 /* % */
#define GIN_TOKENSET_MATCHES 6	 /* @~ */

#endif
