/*
 * text_input.h
 *		Parts of the text input functions of types.
 */
#ifndef NEARDUP_TEXT_INPUT_H
#define NEARDUP_TEXT_INPUT_H

/* A copy of the text for an error message, shortened to 200 bytes and "..." if longer. */
extern char *InputQuote(const char *text);

/* The first character that is not white space. Can be cancelled. */
extern const char *InputSkipBlanks(const char *at);

/* Raises invalid_text_representation; `expected` is missing at `at`; no hint if NULL. */
extern void InputSyntaxError(const char *type, const char *text, const char *at,
							 const char *expected, const char *hint);

#endif
