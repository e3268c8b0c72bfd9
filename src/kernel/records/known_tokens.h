/*
 * known_tokens.h
 *		Tokens that have ids before the records come, of which the records have some.
 *
 * Rows in files have ids for tokens, of a vocabulary that all of them share (rows/vocabulary.h). The
 * records of a part of these rows may have few of its tokens. So a part counts its own records with
 * each token, and only tokens that a record has get ranks: what an engine keeps for each rank is then
 * for tokens of the part, not of the vocabulary.
 */
#ifndef NEARDUP_KERNEL_KNOWN_TOKENS_H
#define NEARDUP_KERNEL_KNOWN_TOKENS_H

#include "kernel/host.h"

typedef struct KnownTokens
{
	uint32 count;		 /* tokens that have ids, from 1 on; 0 if there are none */
	uint32 present;		 /* those that a record has */
	uint32 *frequencies; /* by id, how many records have the token; NULL until one has */
} KnownTokens;

/* Counts a record's tokens, of these ids. */
extern void KnownTokensCount(KnownTokens *known, JoinHost *host, const uint32 *ids, uint32 count);

/*
 * Writes the ranks of the tokens that records have, by id, from 0 on: those that one record has come
 * first. Tokens that no record has get 0. `most` is the greatest frequency that there may be. Returns
 * how many tokens one record has.
 */
extern uint32 KnownTokensRank(const KnownTokens *known, JoinHost *host, uint32 most,
							  uint32 *rank_of_id);

extern void KnownTokensFree(KnownTokens *known, JoinHost *host);

#endif
