/*
 * neardup.h
 *		The settings of the extension.
 */
#ifndef NEARDUP_H
#define NEARDUP_H

/* neardup.similarity_threshold: in (0, 1]; read by the operator % when it runs. */
extern double neardup_similarity_threshold;

#endif
