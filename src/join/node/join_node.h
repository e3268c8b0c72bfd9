/*
 * join_node.h
 *		The executor's node of a planned join.
 */
#ifndef NEARDUP_JOIN_JOIN_NODE_H
#define NEARDUP_JOIN_JOIN_NODE_H

#include "nodes/extensible.h"

/* Registers the node; called in _PG_init. */
extern void JoinNodeInit(void);

extern const CustomScanMethods join_node_methods;

#endif
