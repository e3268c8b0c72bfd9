/*
 * compose.h
 *		Canonical ordering and composition of decomposed code points.
 */
#ifndef NEARDUP_COMPOSE_H
#define NEARDUP_COMPOSE_H

/*
 * The iota below a Greek vowel: the only mark that case folding makes a letter.
 * It must be put in order among the marks before it becomes one, and no longer
 * can be afterwards.
 */
#define YPOGEGRAMMENI 0x0345

/* Canonical combining class; 0 is a starter, anything else a mark that may be reordered. */
extern int CombiningClass(int32 codepoint);

/*
 * Brings fully decomposed code points into canonical order, case folds those
 * that are YPOGEGRAMMENI, and composes all (NFC), in place; returns how many
 * remain. Linear in the count, and can be
 * cancelled, however many marks stand on one letter. Parts that are composed
 * already stay as they are where a starter follows them.
 */
extern Size CanonicalCompose(int32 *codepoints, Size count);

#endif
