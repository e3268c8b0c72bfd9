/*
 * text_input.h
 *		Parts of the input functions of types, most of text.
 */
#ifndef NEARDUP_TEXT_INPUT_H
#define NEARDUP_TEXT_INPUT_H

/* Returns whether a character is a decimal digit, whatever the locale. */
static inline bool
InputIsDigit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * Returns a palloc'd copy of a text for an error message. One of more than 200 bytes is cut there,
 * between characters, and "..." follows.
 */
extern char *InputQuote(const char *text);

/* Returns the first character that is not white space. Can be cancelled. */
extern const char *InputSkipBlanks(const char *at);

/*
 * Raises invalid_text_representation: in `text`, the input of a type, `expected` is missing at
 * `at`. The hint may be NULL.
 */
extern void InputSyntaxError(const char *type, const char *text, const char *at,
							 const char *expected, const char *hint);

/* Raises invalid_binary_representation of a type; `detail` says what is wrong. */
extern void InputBinaryError(const char *type, const char *detail);

#endif
