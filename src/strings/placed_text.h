/*
 * placed_text.h
 *		The tokens of a text with their places in it.
 */
#ifndef NEARDUP_STRINGS_PLACED_TEXT_H
#define NEARDUP_STRINGS_PLACED_TEXT_H

#include "text/bytes.h"
#include "text/tokens.h"

/* What the elements of tokens are. */
typedef enum TokenKind
{
	TOKENS_OF_WORDS,	   /* words; a shingle has several */
	TOKENS_OF_CHARACTERS,  /* characters; a q-gram has several */
	TOKENS_OF_WORD_QGRAMS, /* what a q-gram of a word covers, without its padding */
	TOKENS_OF_CODE		   /* words of code; a shingle has several */
} TokenKind;

/* How texts become tokens. */
typedef struct Tokenization
{
	TokenKind kind;
	bool is_numbered; /* occurrences are numbered; otherwise a token counts once */
	int32 width;	  /* elements of a token */
	int32 q;		  /* length of the q-grams of words; each q-gram is an element */
} Tokenization;

/* The place of a word, of a character or of the q-gram of a word in the source. */
typedef struct Element
{
	Size start; /* first byte */
	Size end;	/* byte after the last */
	int32 from; /* first character, from 1 */
	int32 to;	/* last character */
} Element;

typedef struct PlacedToken
{
	Token token;
	int64 occurrence; /* from 1 */
	uint32 index;	  /* in the order of the text */
} PlacedToken;

/* A text in UTF-8 with its elements and tokens. Token i begins at element i. */
typedef struct PlacedText
{
	ByteSpan utf8;
	Element *elements;
	Size element_count;
	Size element_capacity;
	PlacedToken *tokens; /* sorted by token and occurrence; of a set, the first of each */
	Size token_count;
} PlacedText;

/*
 * Reads a tokenization such as "shingle_tokens(3)", "shingle_tokens(body, 3)" or
 * "shingle_tokens(code_words(body), 3)", which may name the schema of the extension; raises invalid_parameter_value if it is none.
 */
extern Tokenization TokenizationOrError(const char *tokens, const char *schema);

/* Returns the text's tokens and places, in the current memory context. */
extern PlacedText PlacedTextOf(text *value, Tokenization tokenization);

#endif
