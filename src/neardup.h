/*
 * neardup.h
 *		The settings of the extension.
 */
#ifndef NEARDUP_H
#define NEARDUP_H

/* neardup.similarity_threshold: in (0, 1]; read by the operator % when it runs. */
extern double neardup_similarity_threshold;

/*
 * neardup.progress, and neardup.progress_interval in milliseconds, at least 1; read when a join
 * begins.
 */
extern bool neardup_progress_is_on;
extern int neardup_progress_interval;

/* neardup.enable_similarity_join: whether the planner considers the join node. */
extern bool neardup_enable_similarity_join;

#endif
