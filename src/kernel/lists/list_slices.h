/*
 * list_slices.h
 *		The slices of a list: who probes, and who is met.
 *
 * Entries of the indexing prefix are met and probe; those beyond only probe.
 * Under an asymmetric measure the left side probes, and the right is met.
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
ListSlices(Measure measure, bool two_sided)
{
	return two_sided || MeasureIsAsymmetric(measure) ? LIST_SLICES : 2;
}

/* How many first tokens of a record are in each slice or before. */
static pg_attribute_always_inline void
ListSliceEnds(const JoinSpec *spec, const JoinRecord *record, uint32 *ends)
{
	const SizeClass *class = &spec->classes[record->size_class];
	bool asymmetric = MeasureIsAsymmetric(spec->predicate.measure);
	bool left = true;
	bool right = asymmetric;

	if (spec->records->two_sided)
	{
		left = JoinRecordIsLeft(spec->records, record);
		right = !left;
	}
	ends[LEFT_INDEXED] = left && !asymmetric ? class->indexing_prefix : 0;
	ends[LEFT_PROBING] = left ? class->probing_prefix : 0;
	ends[RIGHT_INDEXED] = right ? class->indexing_prefix : 0;
	ends[RIGHT_PROBING] = right && !asymmetric ? class->probing_prefix : ends[RIGHT_INDEXED];
}

#endif
