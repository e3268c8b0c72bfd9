/*
 * list_slices.h
 *		The slices of a list: which entries look up, and which are found.
 *
 * Let x look up an earlier record y, which is no larger. Their first common token is in the probing
 * prefix of x and in the shorter indexing prefix of y (prefix_filter.h). So an entry is found if
 * its token is in the indexing prefix, and looks up in any case. A list has the entries of the
 * indexing prefix first, then those beyond it, each of these slices in the order of records.
 *
 * A join of two sides has such slices for each side: entries of the left look up the indexed ones
 * of the right, and the other way round, since either record may be the later one. In a self-join
 * where some records are only to be found, those that seek are the left side, which also meets
 * itself, and the others are the right side.
 *
 * In a self-join that is to connect groups of records, the records of one group are
 * the right side, and all others the left one. Which group this is, each list chooses by itself.
 *
 * In a directed join (join_spec.h) the entries of the left side only look up, and the entries of the
 * right side are only found. In a self-join each record that seeks is on both sides.
 */
#ifndef NEARDUP_KERNEL_LIST_SLICES_H
#define NEARDUP_KERNEL_LIST_SLICES_H

#include "kernel/demand/connecting_pairs.h"
#include "kernel/demand/demands.h"
#include "kernel/filters/join_spec.h"

typedef enum ListSlice
{
	LEFT_INDEXED,
	LEFT_PROBING,
	RIGHT_INDEXED,
	RIGHT_PROBING
} ListSlice;

#define LIST_SLICES 4

/* Returns the number of slices: the first two occur, or all. */
static inline uint32
ListSlices(const JoinSpec *spec)
{
	const JoinRecords *records = spec->records;

	return spec->is_directed || records->two_sided || records->demand.roles != NULL ||
				   RecordDemandKind(records) == &connecting_pairs
			   ? LIST_SLICES
			   : 2;
}

/*
 * Computes where a record's slices end, in tokens. Those of a side begin where the one before ends,
 * and the first at 0: tokens of the left are 0 .. ends[LEFT_INDEXED] - 1 in the first slice, and up
 * to ends[LEFT_PROBING] - 1 in the second.
 */
static pg_attribute_always_inline void
ListSliceEnds(const JoinSpec *spec, const JoinRecord *record, uint32 *ends)
{
	const JoinRecords *records = spec->records;
	const SizeClass *class = &spec->classes[record->size_class];
	uint32 number = (uint32) (record - records->records);
	JoinRole role = JoinSpecRole(spec, number);
	uint32 probing = (role & JOIN_LOOKS_UP) != 0 ? class->probing_prefix : 0;
	uint32 indexing = (role & JOIN_IS_MET) != 0 ? class->indexing_prefix : 0;
	bool left = records->two_sided ? JoinRecordIsLeft(records, record)
								   : (JoinRecordRole(records, number) & JOIN_LOOKS_UP) != 0;

	ends[LEFT_INDEXED] = left && !spec->is_directed ? indexing : 0;
	ends[LEFT_PROBING] = left ? probing : 0;
	ends[RIGHT_INDEXED] = !left || spec->is_directed ? indexing : 0;
	ends[RIGHT_PROBING] = left ? ends[RIGHT_INDEXED] : Max(probing, indexing);
}

#endif
