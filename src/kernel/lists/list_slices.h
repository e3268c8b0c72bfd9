/*
 * list_slices.h
 *		The slices of a list: who probes, and who is met.
 *
 * Entries of the indexing prefix are met and probe; those beyond only probe.
 * Under an asymmetric measure the left side probes, and the right is met. In a self-join, records
 * that seek are the left side, and those that are only met the right.
 */
#ifndef NEARDUP_KERNEL_LIST_SLICES_H
#define NEARDUP_KERNEL_LIST_SLICES_H

#include "kernel/filters/join_spec.h"

typedef enum ListSlice
{
	LEFT_INDEXED,
	LEFT_PROBING,
	RIGHT_INDEXED,
	RIGHT_PROBING
} ListSlice;

#define LIST_SLICES 4

/* The first two occur, or all. */
static inline uint32
ListSlices(Measure measure, const JoinRecords *records)
{
	return records->two_sided || records->roles != NULL || MeasureIsAsymmetric(measure)
			   ? LIST_SLICES
			   : 2;
}

/* How many first tokens of a record are in each slice or before. */
static pg_attribute_always_inline void
ListSliceEnds(const JoinSpec *spec, const JoinRecord *record, uint32 *ends)
{
	const SizeClass *class = &spec->classes[record->size_class];
	bool asymmetric = MeasureIsAsymmetric(spec->predicate.measure);
	JoinRole role = JoinRecordRole(spec->records, (uint32) (record - spec->records->records));
	bool left = role == JOIN_SEEKS;
	bool right = asymmetric || !left;

	if (spec->records->two_sided)
	{
		left = JoinRecordIsLeft(spec->records, record);
		right = !left;
	}
	if (role == JOIN_ABSENT)
		left = right = false;
	ends[LEFT_INDEXED] = left && !asymmetric ? class->indexing_prefix : 0;
	ends[LEFT_PROBING] = left ? class->probing_prefix : 0;
	ends[RIGHT_INDEXED] = right ? class->indexing_prefix : 0;
	ends[RIGHT_PROBING] = right && !asymmetric ? class->probing_prefix : ends[RIGHT_INDEXED];
}

#endif
