/*
 * complete_join.h
 *		Complete clusters of the rows of a join, found while pairs are found.
 */
#ifndef NEARDUP_CLUSTER_COMPLETE_JOIN_H
#define NEARDUP_CLUSTER_COMPLETE_JOIN_H

#include "cluster/star_join.h"

/*
 * Joins the rows as StarJoin does, under a symmetric measure. Sets cluster[place] to the least place
 * of the row's complete cluster (partition.h), and similarity[place] to the similarity with it.
 */
extern void CompleteJoin(JoinPasses *join, const uint32 *places, uint32 count, uint32 *cluster,
						 double *similarity);

#endif
