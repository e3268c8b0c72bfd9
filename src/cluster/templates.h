/*
 * templates.h
 *		Refuses clusters that templates make, where the threshold was chosen.
 */
#ifndef NEARDUP_CLUSTER_TEMPLATES_H
#define NEARDUP_CLUSTER_TEMPLATES_H

#include "cluster/duplicate_rows.h"

/*
 * Raises data_exception where most near-duplicates are in clusters whose rows have nothing more in
 * common than what nearly all rows of the cluster have, as advertisements of one firm. cluster[] has the
 * place of the row that is kept for the first row of each content. Reads the tokens of at most a
 * thousand rows. To be called after the end of the join.
 */
extern void TemplatesRefuse(const DuplicateRows *duplicates, const uint32 *cluster);

#endif
