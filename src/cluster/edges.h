/*
 * edges.h
 *		Sorted pairs of numbers with a value, in work_mem or temporary files.
 */
#ifndef NEARDUP_CLUSTER_EDGES_H
#define NEARDUP_CLUSTER_EDGES_H

typedef struct Edges Edges;

/* Allocates in the current memory context. */
extern Edges *EdgesBegin(void);

/* The numbers differ. Pairs order by (first, second). */
extern void EdgesPut(Edges *edges, uint32 first, uint32 second, double value);

extern void EdgesSort(Edges *edges);

/* Equal pairs come once; false after the last. Can be cancelled. */
extern bool EdgesNext(Edges *edges, uint32 *first, uint32 *second, double *value);

extern void EdgesRewind(Edges *edges);

extern void EdgesEnd(Edges *edges);

#endif
