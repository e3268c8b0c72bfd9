/*
 * io.c
 *		Text and binary form of the tokenset type.
 *
 * The text form is {-12,7,99}. Output is in ascending order; input takes tokens in any order and
 * with repetitions. The binary form is a version byte, the number of tokens as int4, and the tokens
 * as int8, in network order; they must ascend.
 */
#include "postgres.h"

#include "common/int.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "port/pg_bswap.h"
#include "utils/builtins.h"

#include "text_input.h"
#include "tokenset/io.h"

PG_FUNCTION_INFO_V1(tokenset_in);
PG_FUNCTION_INFO_V1(tokenset_out);
PG_FUNCTION_INFO_V1(tokenset_recv);
PG_FUNCTION_INFO_V1(tokenset_send);

#define BINARY_VERSION 1

/* The longest token is a minus sign and 19 digits. */
#define TOKEN_TEXT_SIZE 20

Token
TokensetParseToken(TextInput *input)
{
	const char *start = input->at;
	bool negative = *start == '-';
	bool overflow = false;
	int64 value = 0;

	if (*input->at == '-' || *input->at == '+')
		input->at++;
	if (!InputIsDigit(*input->at))
		InputSyntaxError(input, "an integer");

	/* The negative of the number is computed, since only that can reach the least int64. */
	for (; InputIsDigit(*input->at); input->at++)
	{
		overflow = overflow || pg_mul_s64_overflow(value, 10, &value) ||
				   pg_sub_s64_overflow(value, *input->at - '0', &value);
		CHECK_FOR_INTERRUPTS();
	}
	if (overflow || (!negative && value == PG_INT64_MIN))
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("value \"%s\" is out of range for type %s",
							   InputQuote(pnstrdup(start, input->at - start)), input->type),
						errdetail("A token is an integer from %lld to %lld.",
								  (long long) PG_INT64_MIN, (long long) PG_INT64_MAX)));
	return negative ? value : -value;
}

/* Appends the tokens of a text form to a list, as they come. */
static void
parse_tokens(TextInput *input, TokenList *list)
{
	input->hint =
		"The words of a text are the set word_tokens(text). A text that is one token, such "
		"as a code, is the set tokenset(ARRAY[text]).";
	InputExpect(input, "{", "an opening brace");
	input->hint = "The elements of an array of texts are the set tokenset('{...}'::text[]).";
	if (InputTake(input, "}"))
		return;
	do
	{
		(void) InputNext(input);
		TokenListAppend(list, TokensetParseToken(input));
	} while (InputTake(input, ","));
	input->hint = NULL;
	InputExpect(input, "}", "a comma or a closing brace");
}

Datum
tokenset_in(PG_FUNCTION_ARGS)
{
	TextInput input = {
		.type = "tokenset", .text = PG_GETARG_CSTRING(0), .at = PG_GETARG_CSTRING(0)};
	TokenList list;

	TokenListInit(&list, 0);
	parse_tokens(&input, &list);
	InputExpectEnd(&input);
	PG_RETURN_TOKENSET(TokensetFromList(&list, false));
}

/*
 * Raises program_limit_exceeded for a text of more than 1 GB. How long a text is depends on its
 * tokens, so that it is written first.
 */
Datum
tokenset_out(PG_FUNCTION_ARGS)
{
	Tokenset *set = PG_GETARG_TOKENSET(0);
	int32 count = TokensetCount(set);
	char *text = palloc_extended((Size) count * (TOKEN_TEXT_SIZE + 1) + 3, MCXT_ALLOC_HUGE);
	char *at = text;

	*at++ = '{';
	for (int32 i = 0; i < count; i++)
	{
		if (i > 0)
			*at++ = ',';
		at += pg_lltoa(set->tokens[i], at);
		CHECK_FOR_INTERRUPTS();
	}
	*at++ = '}';
	*at++ = '\0';

	if ((Size) (at - text) > MaxAllocSize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("tokenset is too large for its text form"),
				 errdetail("The text of %d tokens exceeds %zu bytes.", count, MaxAllocSize)));
	PG_FREE_IF_COPY(set, 0);
	PG_RETURN_CSTRING(text);
}

void
TokensetWrite(StringInfo buffer, const Tokenset *set)
{
	int32 count = TokensetCount(set);

	enlargeStringInfo(buffer, sizeof(uint8) + sizeof(int32) + (Size) count * sizeof(Token));
	pq_writeint8(buffer, BINARY_VERSION);
	pq_writeint32(buffer, count);
	for (int32 i = 0; i < count; i++)
	{
		pq_writeint64(buffer, set->tokens[i]);
		CHECK_FOR_INTERRUPTS();
	}
}

Tokenset *
TokensetRead(StringInfo buffer)
{
	int32 count;
	Size left;
	Tokenset *set;

	InputBinaryVersion(buffer, "tokenset", BINARY_VERSION);
	count = (int32) pq_getmsgint(buffer, sizeof(int32));
	left = buffer->len - buffer->cursor;
	if (count < 0 || left % sizeof(Token) != 0 || left / sizeof(Token) != (Size) count)
		InputBinaryError("tokenset",
						 psprintf("Its count of tokens is %d, and %zu bytes follow.", count, left));

	set = TokensetAllocate(count);
	for (int32 i = 0; i < count; i++)
	{
		set->tokens[i] = pq_getmsgint64(buffer);
		if (i > 0 && set->tokens[i - 1] >= set->tokens[i])
			InputBinaryError("tokenset", "Its tokens do not ascend.");
		CHECK_FOR_INTERRUPTS();
	}
	return set;
}

Datum
tokenset_send(PG_FUNCTION_ARGS)
{
	Tokenset *set = PG_GETARG_TOKENSET(0);
	StringInfoData buffer;

	pq_begintypsend(&buffer);
	TokensetWrite(&buffer, set);
	PG_FREE_IF_COPY(set, 0);
	PG_RETURN_BYTEA_P(pq_endtypsend(&buffer));
}

Datum
tokenset_recv(PG_FUNCTION_ARGS)
{
	PG_RETURN_TOKENSET(TokensetRead((StringInfo) PG_GETARG_POINTER(0)));
}
