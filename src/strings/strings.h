/*
 * strings.h
 *		Metrics of two texts, as SQL functions.
 */
#ifndef NEARDUP_STRINGS_H
#define NEARDUP_STRINGS_H

#include "fmgr.h"

#include "kernel/host.h"
#include "text/bytes.h"

/* A text as code points. */
typedef struct Characters
{
	uint32 *characters; /* allocated by the host */
	uint32 length;
} Characters;

/* Decodes a text. Raises program_limit_exceeded if it is too long for the metrics. */
extern Characters CharactersOf(JoinHost *host, ByteSpan utf8);

/*
 * Returns its argument, a greatest edit distance; raises invalid_parameter_value if it is negative.
 */
extern uint32 MaxEditDistanceOrError(int32 distance);

/* SQL functions, declared for join/node, which recognizes clauses by their addresses. */
extern Datum edit_within(PG_FUNCTION_ARGS);
extern Datum edit_distance(PG_FUNCTION_ARGS);

#endif
