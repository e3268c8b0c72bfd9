/*
 * gin.h
 *		The strategy numbers of the operator class gin_tokenset_ops.
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
