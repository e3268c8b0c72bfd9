/*
 * pg_trgm.h
 *		What neardup_trgm takes from the extension pg_trgm: its functions and its settings.
 */
#ifndef NEARDUP_PG_TRGM_H
#define NEARDUP_PG_TRGM_H

/*
 * The functions of pg_trgm that compare the trigrams of two texts. Of those that compare a text with
 * an extent of another one, the reversed have the other one first.
 */
typedef enum TrgmFunction
{
	TRGM_NONE,
	TRGM_SIMILARITY,					/* similarity(x, y) */
	TRGM_DISTANCE,						/* the operator <-> */
	TRGM_SIMILAR,						/* % */
	TRGM_WORD,							/* word_similarity(x, y) */
	TRGM_WORD_DISTANCE,					/* <<-> */
	TRGM_WORD_DISTANCE_REVERSED,		/* <->> */
	TRGM_WORD_SIMILAR,					/* <% */
	TRGM_WORD_SIMILAR_REVERSED,			/* %> */
	TRGM_STRICT_WORD,					/* strict_word_similarity(x, y) */
	TRGM_STRICT_WORD_DISTANCE,			/* <<<-> */
	TRGM_STRICT_WORD_DISTANCE_REVERSED, /* <->>> */
	TRGM_STRICT_WORD_SIMILAR,			/* <<% */
	TRGM_STRICT_WORD_SIMILAR_REVERSED	/* %>> */
} TrgmFunction;

/* The settings of pg_trgm. */
typedef enum TrgmSetting
{
	TRGM_SIMILARITY_THRESHOLD,
	TRGM_WORD_SIMILARITY_THRESHOLD,
	TRGM_STRICT_WORD_SIMILARITY_THRESHOLD
} TrgmSetting;

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
 * Returns the threshold that a setting has, a TrgmSetting. This is its default as long as the session
 * has not called a function of pg_trgm.
 */
extern double TrgmThreshold(int setting);

#endif
