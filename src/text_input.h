/*
 * text_input.h
 *		Parts of the input functions of types: reading a text form piece by piece, and errors of both forms.
 */
#ifndef NEARDUP_TEXT_INPUT_H
#define NEARDUP_TEXT_INPUT_H

#include "lib/stringinfo.h"

/* A text form, and the place up to which it has been read. */
typedef struct TextInput
{
	const char *type; /* named in errors */
	const char *text;
	const char *at;
	const char *hint; /* of syntax errors; may be NULL */
} TextInput;

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

/* Returns the first character that is not white space. */
extern const char *InputSkipBlanks(const char *at);

/* Moves to the next character that is not white space, and returns it. */
static inline char
InputNext(TextInput *input)
{
	input->at = InputSkipBlanks(input->at);
	return *input->at;
}

/* Raises invalid_text_representation: `expected` is missing at the present place. */
extern void InputSyntaxError(const TextInput *input, const char *expected);

/* Moves behind a symbol if that is next, after blanks; otherwise returns false. */
extern bool InputTake(TextInput *input, const char *symbol);

/* Moves behind a symbol that must be next, after blanks; an error calls it `expected`. */
extern void InputExpect(TextInput *input, const char *symbol, const char *expected);

/* Raises an error unless only blanks follow. */
extern void InputExpectEnd(TextInput *input);

/*
 * Moves behind the first of the characters in `ends`, or to the end of the text if there is none, and
 * returns a palloc'd copy of what was passed.
 */
extern char *InputUpTo(TextInput *input, const char *ends);

/* Raises invalid_binary_representation of a type; `detail` says what is wrong. */
extern void InputBinaryError(const char *type, const char *detail);

/* Reads the byte with which a binary form begins, and raises an error for another version. */
extern void InputBinaryVersion(StringInfo buffer, const char *type, int version);

#endif
