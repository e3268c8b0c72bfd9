/*
 * compose.h
 *		Canonical ordering and composition of decomposed code points.
 */
#ifndef NEARDUP_COMPOSE_H
#define NEARDUP_COMPOSE_H

/* The combining iota below a Greek vowel: the only mark whose case folding is a letter. */
#define YPOGEGRAMMENI 0x0345

/*
 * Puts decomposed code points into canonical order and composes them, in place; returns how many
 * remain, at most `count`. Each YPOGEGRAMMENI becomes the letter iota, behind the other marks of
 * its letter. The code points may also begin with one that is composed already. Can be cancelled.
 */
extern Size ComposeCanonical(int32 *codepoints, Size count);

#endif
