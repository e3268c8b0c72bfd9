/*
 * passage_length.h
 *		The least number of words of a passage, as a user gives it.
 */
#ifndef NEARDUP_PASSAGES_PASSAGE_LENGTH_H
#define NEARDUP_PASSAGES_PASSAGE_LENGTH_H

/* Returns the number; raises invalid_parameter_value if it is out of range. */
extern uint32 MinWordsOrError(int32 min_words);

#endif
