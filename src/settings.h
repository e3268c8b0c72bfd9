/*
 * settings.h
 *		The settings of the extension, neardup.* in SQL.
 */
#ifndef NEARDUP_SETTINGS_H
#define NEARDUP_SETTINGS_H

/*
 * neardup.similarity_threshold, greater than 0 and at most 1: the operator % reads it when it runs.
 */
extern double neardup_similarity_threshold;

/*
 * neardup.progress, and neardup.progress_interval in milliseconds, at least 1: read when a join
 * begins.
 */
extern bool neardup_progress_is_on;
extern int neardup_progress_interval;

/* neardup.enable_similarity_join: whether the planner may use the join node. */
extern bool neardup_enable_similarity_join;

/* neardup.join_memory in kilobytes, or JOIN_MEMORY_OF_SERVER: only JoinMemory() reads it. */
extern int neardup_join_memory;

#define JOIN_MEMORY_OF_SERVER (-1)
#define LEAST_JOIN_MEMORY 64

/* Defines the settings. Called once, when the library is loaded. */
extern void SettingsDefine(void);

#endif
