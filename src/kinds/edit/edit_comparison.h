/*
 * edit_comparison.h
 *		Makes edit_within(x, y, k) of edit_distance(x, y) <= k, which an index serves.
 */
#ifndef NEARDUP_STRINGS_EDIT_COMPARISON_H
#define NEARDUP_STRINGS_EDIT_COMPARISON_H

/* Called when the library is loaded. */
extern void EditComparisonInit(void);

#endif
