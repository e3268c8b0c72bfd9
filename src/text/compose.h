/*
 * compose.h
 *		Canonical ordering and composition of decomposed code points.
 */
#ifndef NEARDUP_COMPOSE_H
#define NEARDUP_COMPOSE_H

/* Canonical combining class; 0 is a starter, anything else a mark that may be reordered. */
extern int CombiningClass(int32 codepoint);

/*
 * Brings fully decomposed code points into canonical order and composes them
 * (NFC), in place; returns how many remain. Linear in the count, and can be
 * cancelled, however many marks stand on one letter. Parts that are composed
 * already stay as they are where a starter follows them.
 */
extern Size CanonicalCompose(int32 *codepoints, Size count);

#endif
