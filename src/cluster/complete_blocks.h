/*
 * complete_blocks.h
 *		Complete clusters of the rows of a join that has very many pairs.
 */
#ifndef NEARDUP_CLUSTER_COMPLETE_BLOCKS_H
#define NEARDUP_CLUSTER_COMPLETE_BLOCKS_H

#include "join/call/join_passes.h"

/* Does what ClusterJoin does in the mode complete (cluster_join.h), without storing all pairs. */
extern void CompleteBlocksJoin(JoinPasses *join, const uint32 *places, uint32 count,
							   uint32 *cluster, double *similarity);

#endif
