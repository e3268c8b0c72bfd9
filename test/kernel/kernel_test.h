/*
 * kernel_test.h
 *		What tests without a server have in common: TAP and random numbers.
 *
 * A file of this folder is shared; a test is a file NAME_test.c of a folder that is named like the
 * folder of src which it tests, or of joins/ where it runs a whole join. Each test is a program:
 * it begins from the same random numbers, prints TAP, and fails if a point fails.
 */
#ifndef NEARDUP_KERNEL_TEST_H
#define NEARDUP_KERNEL_TEST_H

#include <stdio.h>
#include <stdlib.h>

/* The seed, which a test sets before it draws. */
extern uint64 random_state;

extern uint64 random_bits(void);
extern uint32 random_below(uint32 n);

/* Whether all cases are tried, as in "make check ALL=1", and not those of each day. */
extern bool tries_all(void);

/* Returns how many of the given number of random cases are tried: an eighth each day. */
extern int share_of(int number);

/* Orders int64 tokens, for qsort. */
extern int compare_tokens(const void *a, const void *b);

/* One test point. */
extern void ok(bool success, const char *rule);

/* Prints the plan; returns the status to exit with. */
extern int done_testing(void);

#endif
