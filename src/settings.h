/*
 * settings.h
 *		The settings of the extension.
 */
#ifndef NEARDUP_SETTINGS_H
#define NEARDUP_SETTINGS_H

/* In (0, 1]; read by the operator % when it runs. */
extern double neardup_similarity_threshold;

/* Read when a join begins; the interval in milliseconds, at least 1. */
extern bool neardup_progress_is_on;
extern int neardup_progress_interval;

extern bool neardup_enable_similarity_join;

/* Makes them known; when the library is loaded. */
extern void SettingsDefine(void);

#endif
