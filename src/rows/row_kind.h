/*
 * row_kind.h
 *		What the rows of a join are: sets, weighted sets, texts, simhashes, sketches.
 *
 * A kind is a table of functions, in a folder of src/kinds. The kind makes a row from a
 * value of SQL, keeps rows in memory in whatever form its engine takes, and tells the engine's
 * predicate. Input and course of a join (input.h, similarity_join.h) are the same for all kinds:
 * they call these functions, and never ask what a row is.
 *
 * In a temporary file, a row of any kind is an array of int64, or of ids in place of them
 * (vocabulary.h).
 */
#ifndef NEARDUP_JOIN_ROW_KIND_H
#define NEARDUP_JOIN_ROW_KIND_H

#include "catalog/pg_attribute.h"

#include "compat.h"
#include "rows/spill.h"
#include "kernel/join.h"
#include "measure/measure.h"
#include "text/tokens.h"

typedef struct RowKind RowKind;
struct JoinInput;

/* A row on its way to the join: distinct int64 tokens at any alignment, or a text in UTF-8. */
typedef struct JoinRow
{
	const void *data;
	Size count;	  /* tokens, or bytes of the text */
	uint64 group; /* group of a text: rows of different groups need not meet */
} JoinRow;

/* How the values of a column, or of an expression in a plan, are read as rows of a kind. */
typedef struct RowReading
{
	const RowKind *kind;
	struct JoinInput *input; /* the one that values are read for, if the kind asks; else NULL */
	Oid type;				 /* type of the values; of a domain, the type below it */
	Oid kind_type;			 /* the extension's type of this kind, if it has one */
	TokenList tokens;		 /* tokens of the last row, if its value is not read in place */
	bool adds_token;		 /* each set gets a token more (RowReadingAddToken) */
	Token added;
} RowReading;

struct RowKind
{
	const char *name; /* what messages call a value */
	const char *type; /* the extension's type that has such values; NULL for PostgreSQL's types */

	JoinAlgorithm algorithm; /* the usual one */
	uint32 algorithms;		 /* all that serve the kind: bits 1 << JoinAlgorithm */

	/*
	 * Returns the predicate for a threshold that a user gave. Raises invalid_parameter_value for a
	 * threshold out of range.
	 */
	Predicate (*predicate)(Measure measure, double threshold);

	/*
	 * Raises datatype_mismatch unless values of reading->type, which the column has, are read. NULL
	 * for a kind that only the join node has, whose conditions have one type.
	 */
	void (*check_column)(const RowReading *reading, Form_pg_attribute column);

	/*
	 * Sets the row of a value. Its data last until the next one is read, or until the current memory
	 * context is reset. A row of a group that is not 0 is similar to rows of the same group only.
	 * Returns false for a row that is similar to no other.
	 */
	bool (*read)(RowReading *reading, Datum value, uint64 group, JoinRow *row);

	/* Prepares an empty input for rows of the kind; NULL for nothing to do. */
	void (*init)(struct JoinInput *input);

	/* Whether the join of one more row of this size, in tokens, would fit into the limit. */
	bool (*fits)(struct JoinInput *input, uint32 size);

	/* Returns the limit that would have kept all rows, when they have gone to files. */
	Size (*needed)(struct JoinInput *input);

	/* Appends a row with its key, in memory or to the file of its side. */
	void (*append)(struct JoinInput *input, Datum key, const JoinRow *row);

	/*
	 * Counts the tokens of a row that equals an earlier one of its side and is not appended, where
	 * other rows depend on that; NULL for nothing to do.
	 */
	void (*count_copy)(struct JoinInput *input, const JoinRow *row);

	/* Keeps a row of a file in memory, as row number keys.count. */
	void (*keep)(struct JoinInput *input, const SpillRow *row);

	/* Writes all rows in memory to the files, by JoinInputSpillRow, and frees them. */
	void (*spill)(struct JoinInput *input);

	/* Returns what a row of this size is sorted by in the file that it is written to. */
	int64 (*measured)(uint32 size);

	/* Called when the last row is in its file; NULL for nothing to do. */
	void (*finish)(struct JoinInput *input);

	/*
	 * Return the bounds, by what rows are sorted by, of the rows on the other side that are similar to a
	 * row, which is on the right or on the left.
	 */
	int64 (*least_similar)(Predicate predicate, int64 measured, bool is_right);
	int64 (*greatest_similar)(Predicate predicate, int64 measured, bool is_right);

	/*
	 * Returns how many tokens at least a row of this size, on the right, has in common with each row
	 * that is similar to it and measured at least `least`; above the size if there is no such row. NULL
	 * if rows are not similar by tokens.
	 */
	int64 (*least_common)(Predicate predicate, uint32 size, int64 least);

	/*
	 * Prepares the rows of `part`, which is all of the input or some of its spilled rows, for
	 * JoinCanonicalize, and turns the predicate into the one that the engine takes. NULL for
	 * nothing to do.
	 */
	void (*prepare)(struct JoinInput *part, const struct JoinInput *input, Predicate *predicate);

	/* Frees what the input has beside records; NULL for nothing to do. */
	void (*free)(struct JoinInput *input);
};

/* Methods that the kinds share whose rows are sorted by size. */
#define ROWS_BY_SIZE                                                                               \
	.measured = RowKindSize, .least_similar = PredicateLeastSize,                                  \
	.greatest_similar = PredicateGreatestSize

static inline bool
RowKindIsServedBy(const RowKind *kind, JoinAlgorithm algorithm)
{
	return (kind->algorithms >> algorithm & 1) != 0;
}

/* Returns the size. */
extern int64 RowKindSize(uint32 size);

/* Raises datatype_mismatch: values of reading->type are not read. */
nd_noreturn extern void RowColumnTypeError(const RowReading *reading, Form_pg_attribute column,
										   const char *hint);

/* Begins to read values of these types, in the current memory context. */
extern void RowReadingInit(RowReading *reading, const RowKind *kind, struct JoinInput *input,
						   Oid type, Oid kind_type);

extern void RowReadingFree(RowReading *reading);

/* Returns the type of a kind in the schema of the extension; invalid if the kind has none. */
extern Oid RowKindType(const RowKind *kind, Oid schema);

/*
 * Has each set that is read from now on get one more token, the same in all, so that none is empty. A
 * token that both sets of a pair have does not change their Hamming distance, and as the most frequent
 * one it comes last in each record, behind the prefixes of all but small sets.
 *
 * Any number may be a token of a user, so there is none that sets cannot have. The token is drawn at
 * random: nobody can know it, and in a billion sets of a hundred tokens it occurs once in 180 million
 * joins. Then the join ends with an error, as it would return wrong pairs.
 */
extern void RowReadingAddToken(RowReading *reading);

/* Adds that token to a row, if there is one. */
extern void RowReadingPutAdded(RowReading *reading, JoinRow *row);

/* Combines each token of a row with its group: the rows of different groups have no common one. */
extern void RowReadingSetApart(RowReading *reading, uint64 group, JoinRow *row);

#endif
