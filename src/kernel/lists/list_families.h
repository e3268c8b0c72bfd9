/*
 * list_families.h
 *		Families of nearly equal records within a list, where only the best pairs are wanted (best_pairs.h).
 *
 * Records that differ in few rare tokens have the list's token at the same position. What two of them
 * can be at best is the same for each two, and mostly what they are. So a record that has as many
 * pairs of this kind as it wants, with the records of the least places, wants no others.
 *
 * A family is the entries of a slice that have one size and one position, if they are many. Its entries
 * are in the order of their places. Let each record want 2 pairs, and a to f be a family:
 *
 *		c meets a and b			and has its 2 pairs
 *		d meets a and b			likewise; it does not want c, whose place is greater
 *		e, f ...				likewise
 *
 * a and b were met by c, and want no others. A record that wants more, since the pairs that it has met
 * are not as similar as they could be, is open: it goes on, and later records of the family meet it.
 *
 * Split moves the families of a list to the ends of its slices; the list join deals with the rest.
 */
#ifndef NEARDUP_KERNEL_LIST_FAMILIES_H
#define NEARDUP_KERNEL_LIST_FAMILIES_H

#include "kernel/demand/best_pairs.h"
#include "kernel/lists/list_entries.h"

typedef struct ListFamilies ListFamilies;

/* Begins for the lists of a partition, and for pairs that become candidates, as the demand wants them. */
extern ListFamilies *ListFamiliesBegin(ListEntries *list, ListCandidates *candidates,
									   const OpenBest *demand);
extern void ListFamiliesEnd(ListFamilies *families);

/* Splits each of the LIST_SLICES slices: leaves in it the entries of no family, in their order. */
extern void ListFamiliesSplit(ListFamilies *families, EntryRange *slices);

/*
 * Joins the families of the list that was split, with each other and with the rest of its slices.
 * Takes only some of the entries that look for others: number part, part + parts and so on.
 */
extern void ListFamiliesJoin(ListFamilies *families, const EntryRange *rests, uint32 part,
							 uint32 parts);

#endif
