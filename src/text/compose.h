/*
 * compose.h
 *		Canonical ordering and composition of decomposed code points.
 */
#ifndef NEARDUP_COMPOSE_H
#define NEARDUP_COMPOSE_H

/* The iota below a Greek vowel, the only mark that folds to a letter. */
#define YPOGEGRAMMENI 0x0345

/*
 * Composes decomposed code points (NFC) in place, folding YPOGEGRAMMENI; returns how many remain. A
 * composed code point may stand before a starter.
 */
extern Size ComposeCanonical(int32 *codepoints, Size count);

#endif
