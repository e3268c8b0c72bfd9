/*
 * io.h
 *		Text and binary form of the tokenset type, also as parts of the forms of other types.
 */
#ifndef NEARDUP_TOKENSET_IO_H
#define NEARDUP_TOKENSET_IO_H

#include "lib/stringinfo.h"

#include "text_input.h"
#include "tokenset/tokenset.h"

/* SQL functions, declared for the types whose text form contains a set. */
extern Datum tokenset_in(PG_FUNCTION_ARGS);
extern Datum tokenset_out(PG_FUNCTION_ARGS);

/*
 * Reads a token at the present place. Raises invalid_text_representation where there is none, and
 * numeric_value_out_of_range for one that an int8 cannot hold.
 */
extern Token TokensetParseToken(TextInput *input);

/*
 * Write the binary form to the end of a buffer, and read it. It must take all the rest of the
 * buffer. A malformed one raises invalid_binary_representation.
 */
extern void TokensetWrite(StringInfo buffer, const Tokenset *set);
extern Tokenset *TokensetRead(StringInfo buffer);

#endif
