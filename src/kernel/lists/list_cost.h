/*
 * list_cost.h
 *		Whether to join list by list or record by record.
 */
#ifndef NEARDUP_KERNEL_LIST_COST_H
#define NEARDUP_KERNEL_LIST_COST_H

#include "measure/measure.h"

/*
 * Where signatures pass most pairs, they are merged in each list. unique_share:
 * records that do not repeat the one before; only these are in lists.
 */
extern bool ListsAreSlower(Predicate predicate, double mean_size, double unique_share);

#endif
