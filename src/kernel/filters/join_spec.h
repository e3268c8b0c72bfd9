/*
 * join_spec.h
 *		Describes a join: its records, predicate and algorithm, and the filters' bounds by size.
 *
 * Record numbers are in canonical order, so that a bound of sizes becomes a record number.
 */
#ifndef NEARDUP_KERNEL_JOIN_SPEC_H
#define NEARDUP_KERNEL_JOIN_SPEC_H

#include "kernel/join.h"
#include "kernel/records/records.h"
#include "measure/measure.h"

/* The bounds that records of one size have; of one record in a weighted join. */
typedef struct SizeClass
{
	uint32 size;
	uint32 probing_prefix;	  /* length of the prefix in tokens */
	uint32 indexing_prefix;	  /* length of the prefix in tokens */
	uint32 size_filter_start; /* records before this one are too small */
	/* The first record that prefixes must find: not too small, and similar only with overlap. */
	uint32 first_record;
} SizeClass;

typedef struct JoinSpec
{
	const JoinRecords *records;
	Predicate predicate;
	JoinAlgorithm algorithm;
	/*
	 * Whether the measure is directed: a record on the left looks up records on the right, whichever
	 * is larger, and a self-join finds (x, y) and (y, x). Otherwise the later of two records looks up
	 * the earlier one.
	 */
	bool is_directed;
	/*
	 * Whether only the records whose role says so look up, all records that are met, whichever is
	 * larger: of a weighted join record by record, where few of the records look up.
	 */
	bool few_look_up;
	SizeClass *classes; /* one for each size class; workers share them */
	/* A pair with a record from here on needs overlap; pairs before may not (size_join.h). */
	uint32 no_overlap_end;
} JoinSpec;

/*
 * Returns whether few of the records look up. Record by record, those that are only met would
 * traverse the lists of each other, too.
 */
extern bool JoinSpecFewLookUp(const JoinRecords *records);

/* Computes the bounds for canonical records. */
extern void JoinSpecInit(JoinSpec *spec, const JoinRecords *records, Predicate predicate,
						 JoinAlgorithm algorithm);
extern void JoinSpecFree(JoinSpec *spec);

/* Returns the first record that this one does not look up. */
static inline uint32
JoinSpecLookUpEnd(const JoinSpec *spec, uint32 number)
{
	return spec->is_directed || spec->few_look_up ? spec->records->record_count : number;
}

/*
 * Returns whether a record looks up others, and whether it is met. If the join is directed, this is
 * its role, and of two sides the left one looks up and the right one is met. Otherwise the order of
 * records decides which of two records does what, so each present record does both, unless few look up.
 */
static inline JoinRole
JoinSpecRole(const JoinSpec *spec, uint32 number)
{
	const JoinRecords *records = spec->records;
	JoinRole role = JoinRecordRole(records, number);

	if (spec->few_look_up)
		return role;
	if (!spec->is_directed)
		return role == JOIN_ABSENT ? JOIN_ABSENT : JOIN_SEEKS;
	if (!records->two_sided || role == JOIN_ABSENT)
		return role;
	return JoinRecordIsLeft(records, &records->records[number]) ? JOIN_LOOKS_UP : JOIN_IS_MET;
}

/* Returns the mean size of the records of all postings, or 0 if there are none. */
extern double JoinSpecMeanSize(const JoinSpec *spec);

#endif
