/*
 * join_spec.h
 *		A join, and its filters' bounds by size.
 */
#ifndef NEARDUP_KERNEL_JOIN_SPEC_H
#define NEARDUP_KERNEL_JOIN_SPEC_H

#include "kernel/join.h"
#include "kernel/records/records.h"
#include "measure/measure.h"

typedef struct SizeClass
{
	uint32 size;
	uint32 probing_prefix;
	uint32 indexing_prefix;
	uint32 size_filter_start;
	uint32 first_record; /* earlier ones are not looked up */
} SizeClass;

typedef struct JoinSpec
{
	const JoinRecords *records;
	Predicate predicate;
	JoinAlgorithm algorithm;
	SizeClass *classes;	   /* by size class */
	uint32 no_overlap_end; /* records from here on need a common token */
} JoinSpec;

extern void JoinSpecInit(JoinSpec *spec, const JoinRecords *records, Predicate predicate,
						 JoinAlgorithm algorithm);
extern void JoinSpecFree(JoinSpec *spec);

/* Mean by posting; 0 without postings. */
extern double JoinSpecMeanSize(const JoinSpec *spec);

#endif
