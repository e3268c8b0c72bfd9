/*
 * edges.h
 *		Pairs of numbers with a value, sorted, in memory or in temporary files.
 */
#ifndef NEARDUP_CLUSTER_EDGES_H
#define NEARDUP_CLUSTER_EDGES_H

typedef struct Edges Edges;

/* An empty sort in work_mem. It lives in the current memory context. */
extern Edges *EdgesBegin(void);

/* Puts a pair of two different numbers; its order is (first, second). */
extern void EdgesPut(Edges *edges, uint32 first, uint32 second, double value);

/* After the last pair. */
extern void EdgesSort(Edges *edges);

/* The next pair, in order, each once; false after the last. Can be cancelled. */
extern bool EdgesNext(Edges *edges, uint32 *first, uint32 *second, double *value);

/* Begins anew with the first pair. */
extern void EdgesRewind(Edges *edges);

extern void EdgesEnd(Edges *edges);

#endif
