/*
 * pg_trgm.h
 *		What neardup_trgm takes from the extension pg_trgm: its functions and its setting.
 */
#ifndef NEARDUP_PG_TRGM_H
#define NEARDUP_PG_TRGM_H

/* The functions of pg_trgm that compare the sets of trigrams of two texts. */
typedef enum TrgmFunction
{
	TRGM_NONE,
	TRGM_SIMILARITY, /* similarity(x, y) */
	TRGM_DISTANCE,	 /* similarity_dist(x, y), the operator <-> */
	TRGM_SIMILAR	 /* similarity_op(x, y), the operator % */
} TrgmFunction;

/*
 * Returns which of these a function is, TRGM_NONE for any other, and for all where the database
 * does not have the extension neardup_trgm.
 */
extern TrgmFunction TrgmFunctionOf(Oid function);

/* Returns whether a file is a library, in whatever directory and with or without a suffix. */
extern bool FileIsLibrary(const char *file, const char *library);

/* Returns the server's description of a setting; NULL if there is none. */
extern struct config_generic *FindSetting(const char *name);

/*
 * Returns pg_trgm.similarity_threshold. This is its default as long as the session has not called a
 * function of pg_trgm.
 */
extern double TrgmSimilarityThreshold(void);

#endif
