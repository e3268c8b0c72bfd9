/*
 * kernel_test.h
 *		What tests without a server have in common: TAP, random numbers and random cases.
 *
 * A file of this folder is shared; a test is a file NAME_test.c of a folder that is named like the
 * folder of src which it tests, or of joins/ where it runs a whole join. Each test is a program:
 * it begins from the same random numbers, prints TAP, and fails if a point fails. Of what fails it
 * prints to stderr the rule, and the first random case with the command that repeats it.
 */
#ifndef NEARDUP_KERNEL_TEST_H
#define NEARDUP_KERNEL_TEST_H

#include <stdio.h>
#include <stdlib.h>

/* What random numbers come from next. The cases of for_each_case set it, other tests do so themselves. */
extern uint64 random_state;

extern uint64 random_bits(void);
extern uint32 random_below(uint32 n);

/* Whether all cases are tried, as in "make check ALL=1", and not those of each day. */
extern bool tries_all(void);

/* Returns how many of the given number of random cases are tried: an eighth each day. */
extern int share_of(int number);

/*
 * Runs a block for each random case of a test: for the seeds from 1 to number, or for the one that the
 * environment names in SEED. All random numbers of a case derive from its seed. The expression wrong
 * counts what is wrong; the first case in which it rises is printed, with all that case_has() said.
 */
#define for_each_case(seed, number, wrong)                                                         \
	for (uint32 seed = 0; next_case(&seed, number, wrong, __FILE__);)

extern bool next_case(uint32 *seed, uint32 number, uint64 wrong, const char *file);

/* Says something of the case in progress: how large it is, its predicate, what is wrong with it. */
extern void case_has(const char *format, ...) pg_attribute_printf(1, 2);

/* Whether all cases together have what makes them worth trying; nothing is asked of one that SEED names. */
extern bool enough(bool condition);

/* Orders int64 tokens, for qsort. */
extern int compare_tokens(const void *a, const void *b);

/* One test point, named by the rule that holds. */
extern void ok(bool success, const char *rule, ...) pg_attribute_printf(2, 3);

/* Prints the plan; returns the status to exit with. */
extern int done_testing(void);

#endif
