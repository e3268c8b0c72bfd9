/*
 * index_class.h
 *		The operator classes of the access method neardup: their operators and support functions.
 *
 * index.sql, scope.sql and the kinds declare operator classes with the numbers below.
 */
#ifndef NEARDUP_KINDS_INDEX_CLASS_H
#define NEARDUP_KINDS_INDEX_CLASS_H

#include "access/stratnum.h"
#include "fmgr.h"

#include "measure/measure.h"
#include "tokenset/tokenset.h"

/* The first six are as in gin_tokenset_ops. Operators to order by are in the table of index_class.c. */
#define INDEX_OVERLAPS 1		 /* && */
#define INDEX_CONTAINS 2		 /* @> */
#define INDEX_CONTAINED 3		 /* <@ */
#define INDEX_EQUAL 4			 /* = */
#define INDEX_SIMILAR 5			 /* %, by neardup.similarity_threshold */
#define INDEX_MATCHES 6			 /* @~, a set and a predicate */
#define INDEX_JACCARD_DISTANCE 7 /* <%> */
#define INDEX_COSINE_DISTANCE 8	 /* <=> */
#define INDEX_BALLS_OVERLAP 9	 /* && of tokenset_ball_ops */

#define INDEX_SCOPE_EQUALS 10 /* = of a scope column */

#define INDEX_CONTAINS_DISTANCE 11	/* <@>> */
#define INDEX_CONTAINED_DISTANCE 12 /* <<@> */

#define INDEX_NEGATIVE_JACCARD 13	/* <-%> */
#define INDEX_NEGATIVE_COSINE 14	/* <-=> */
#define INDEX_NEGATIVE_DICE 15		/* <-+> */
#define INDEX_NEGATIVE_OVERLAP 16	/* <-&> */
#define INDEX_NEGATIVE_CONTAINS 17	/* <-@>> */
#define INDEX_NEGATIVE_CONTAINED 18 /* <<-@> */

#define INDEX_WORD_SIMILAR 19		  /* %> of trgm_ops, by a setting of pg_trgm */
#define INDEX_STRICT_WORD_SIMILAR 20  /* %>> */
#define INDEX_WORD_DISTANCE 21		  /* <->> */
#define INDEX_STRICT_WORD_DISTANCE 22 /* <->>> */

#define INDEX_STRATEGIES 22

/*
 * An operator to order by. Its value is 1 - m or -m, where m is the measure of the row's set and the
 * operand. By both, the rows with the greatest m come first.
 *
 * Only -m has the order of m: 1 - m is rounded, so that two sets whose measures differ may have the
 * same distance. The order by -m is also one by 1 - m, since rounding keeps the order.
 */
typedef struct IndexOrder
{
	int strategy;
	Measure measure;
	bool value_first; /* the operand is the left side of the measure, where that matters */
	bool is_distance; /* 1 - m */
} IndexOrder;

/* The support function that makes a tokenset of the column's value. A column of sets has none. */
#define INDEX_SET_FUNCTION 1

/*
 * The support function that hashes a value of a scope column with a seed. An operator class that
 * has it is one of scope columns.
 */
#define INDEX_HASH_FUNCTION 2

#define INDEX_SUPPORT_FUNCTIONS 2

/*
 * What a scan asks for, given the right side of an operator: the sets that satisfy the predicate
 * together with this one. An order is by the distance from the set. All rows that match must be among
 * those sets. The executor rechecks them, unless is_exact promises that the operator is true of each
 * value whose set has tokens and satisfies the predicate, and that a distance is that of the sets.
 */
typedef struct IndexOperand
{
	const Tokenset *set; /* in the argument, or allocated in the current memory context */
	Predicate predicate; /* of a condition; need not be set where the operand is only ordered by */
	bool value_first;	 /* the operand is the left side of the predicate */
	bool is_exact;
	bool has_no_row_token;	 /* no set of the class has SCOPE_ROW_TOKEN */
	uint32 recheck_postings; /* of an index, that can be counted while a value is rechecked */
} IndexOperand;

/* Returns what an operator orders by; NULL if it is a condition. */
extern const IndexOrder *IndexOrderOf(int strategy);

/* Returns the operator whose value is the negative measure, by its number; 0 if there is none. */
extern int IndexOrderByNegative(Measure measure, bool value_first);

/* Returns the function that makes sets of texts for an operator family; NULL if it has none of ours. */
extern PGFunction IndexClassSetOfText(Oid opfamily);

#endif
