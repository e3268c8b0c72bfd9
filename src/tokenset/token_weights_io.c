/*
 * token_weights_io.c
 *		Text and binary form of the type token_weights.
 *
 * The text form is {*:9.21034,-12:2.30259,7:0.69315}: first, with an asterisk, the weight of all
 * tokens that are not listed, then each token and its weight. Output is in ascending order of
 * tokens, input in any. Five decimals tell multiples of 2^-16 apart, so that input restores what
 * output wrote.
 *
 * The binary form is a version byte, the weight of other tokens as int4, the number of tokens as
 * int4, and for each token an int8 and its weight as int4, in network order and in ascending order
 * of tokens.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "text_input.h"
#include "tokenset/io.h"
#include "tokenset/token_weights.h"

PG_FUNCTION_INFO_V1(token_weights_in);
PG_FUNCTION_INFO_V1(token_weights_out);
PG_FUNCTION_INFO_V1(token_weights_recv);
PG_FUNCTION_INFO_V1(token_weights_send);

#define BINARY_VERSION 1

/* The decimals of a weight that input regards. */
#define MOST_DECIMALS 12

/* The decimals that output writes. */
#define DECIMALS 5
#define POWER_OF_DECIMALS 100000

/* Room for a comma, a token, a colon and a weight. */
#define LONGEST_ENTRY 40

#define ST_SORT sort_listed
#define ST_ELEMENT_TYPE ListedWeight
#define ST_COMPARE(a, b) ((a)->token < (b)->token ? -1 : (a)->token > (b)->token)
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* Raises numeric_value_out_of_range. */
static void
weight_out_of_range(const char *weight, Size length)
{
	ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					errmsg("weight \"%s\" is out of range for type token_weights",
						   InputQuote(pnstrdup(weight, length))),
					errdetail("A weight is from 0 to %u.", TOKEN_WEIGHT_MAX / TOKEN_WEIGHT_ONE)));
}

/*
 * Reads a weight, rounded to the nearest multiple of 2^-16. Whole parts above 100 are taken for
 * 100, which is out of range as well.
 */
static uint32
read_weight(TextInput *input)
{
	const char *start = InputSkipBlanks(input->at);
	uint64 weight = 0;
	uint64 power = 1;
	int decimals = 0;

	if (!InputIsDigit(InputNext(input)))
		InputSyntaxError(input, "a weight");
	for (; InputIsDigit(*input->at); input->at++)
	{
		weight = Min(weight * 10 + (*input->at - '0'), 100);
		CHECK_FOR_INTERRUPTS();
	}
	if (*input->at == '.')
	{
		input->at++;
		if (!InputIsDigit(*input->at))
			InputSyntaxError(input, "a digit");
	}
	for (; InputIsDigit(*input->at); input->at++)
	{
		CHECK_FOR_INTERRUPTS();
		if (decimals++ >= MOST_DECIMALS)
			continue;
		weight = weight * 10 + (*input->at - '0');
		power *= 10;
	}
	if (weight > power * (TOKEN_WEIGHT_MAX / TOKEN_WEIGHT_ONE))
		weight_out_of_range(start, input->at - start);

	/* Scale the whole part and the rest apart, since the product of both could overflow. */
	return (uint32) (weight / power * TOKEN_WEIGHT_ONE +
					 (weight % power * TOKEN_WEIGHT_ONE + power / 2) / power);
}

/* Stores an entry behind `count` others. A full list is replaced by one of twice the capacity. */
static void
weights_append(TokenWeights **weights, Size *capacity, Size count, ListedWeight entry)
{
	if (count == *capacity)
	{
		TokenWeights *larger = TokenWeightsAllocate(*capacity * 2, (*weights)->other);

		memcpy(larger->listed, (*weights)->listed, count * sizeof(ListedWeight));
		pfree(*weights);
		*weights = larger;
		*capacity *= 2;
	}
	(*weights)->listed[count] = entry;
}

/* Reads a comma, a token and its weight; returns false if there is no comma. */
static bool
read_entry(TextInput *input, ListedWeight *entry)
{
	if (!InputTake(input, ","))
		return false;
	(void) InputNext(input);
	entry->token = TokensetParseToken(input);
	InputExpect(input, ":", "a colon");
	entry->weight = read_weight(input);
	return true;
}

/* Raises invalid_text_representation if a sorted list has a token twice. */
static void
check_distinct(const TokenWeights *weights, Size count)
{
	for (Size i = 1; i < count; i++)
	{
		if (weights->listed[i - 1].token == weights->listed[i].token)
			ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
							errmsg("token %lld of token_weights has several weights",
								   (long long) weights->listed[i].token)));
		CHECK_FOR_INTERRUPTS();
	}
}

Datum
token_weights_in(PG_FUNCTION_ARGS)
{
	TextInput input = {
		.type = "token_weights", .text = PG_GETARG_CSTRING(0), .at = PG_GETARG_CSTRING(0)};
	Size capacity = 16;
	Size count = 0;
	TokenWeights *weights = TokenWeightsAllocate(capacity, 0);
	ListedWeight entry = {0};

	InputExpect(&input, "{", "an opening brace");
	InputExpect(&input, "*", "an asterisk");
	InputExpect(&input, ":", "a colon");
	weights->other = read_weight(&input);
	while (read_entry(&input, &entry))
		weights_append(&weights, &capacity, count++, entry);
	InputExpect(&input, "}", "a comma or a closing brace");
	InputExpectEnd(&input);
	sort_listed(weights->listed, count);
	check_distinct(weights, count);
	SET_VARSIZE(weights, TOKEN_WEIGHTS_HEADER_SIZE + count * sizeof(ListedWeight));
	PG_RETURN_POINTER(weights);
}

/* Writes a weight, rounded to five decimals; returns the end. */
static char *
write_weight(char *at, uint32 weight)
{
	uint64 scaled = ((uint64) weight * POWER_OF_DECIMALS + TOKEN_WEIGHT_ONE / 2) / TOKEN_WEIGHT_ONE;

	return at + sprintf(at, "%u.%0*u", (uint32) (scaled / POWER_OF_DECIMALS), DECIMALS,
						(uint32) (scaled % POWER_OF_DECIMALS));
}

Datum
token_weights_out(PG_FUNCTION_ARGS)
{
	TokenWeights *weights = PG_GETARG_TOKEN_WEIGHTS(0);
	int32 count = TokenWeightsCount(weights);
	char *text = palloc_extended(((Size) count + 1) * LONGEST_ENTRY, MCXT_ALLOC_HUGE);
	char *at = text;

	memcpy(at, "{*:", 3);
	at = write_weight(at + 3, weights->other);
	for (int32 i = 0; i < count; i++)
	{
		*at++ = ',';
		at += pg_lltoa(weights->listed[i].token, at);
		*at++ = ':';
		at = write_weight(at, weights->listed[i].weight);
		CHECK_FOR_INTERRUPTS();
	}
	*at++ = '}';
	*at++ = '\0';
	if ((Size) (at - text) > MaxAllocSize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("token_weights is too large for its text form"),
				 errdetail("The text of %d tokens exceeds %zu bytes.", count, MaxAllocSize)));
	PG_RETURN_CSTRING(text);
}

static uint32
read_binary_weight(StringInfo buffer)
{
	uint32 weight = pq_getmsgint(buffer, sizeof(uint32));

	if (weight > TOKEN_WEIGHT_MAX)
		InputBinaryError("token_weights", "A weight is out of range.");
	return weight;
}

Datum
token_weights_recv(PG_FUNCTION_ARGS)
{
	StringInfo buffer = (StringInfo) PG_GETARG_POINTER(0);
	uint32 other;
	Size count;
	TokenWeights *weights;

	InputBinaryVersion(buffer, "token_weights", BINARY_VERSION);
	other = read_binary_weight(buffer);
	count = pq_getmsgint(buffer, sizeof(uint32));
	if ((Size) (buffer->len - buffer->cursor) != count * (sizeof(Token) + sizeof(uint32)))
		InputBinaryError("token_weights", "Its length does not fit its number of tokens.");
	weights = TokenWeightsAllocate(count, other);
	for (Size i = 0; i < count; i++)
	{
		weights->listed[i].token = pq_getmsgint64(buffer);
		weights->listed[i].weight = read_binary_weight(buffer);
		if (i > 0 && weights->listed[i - 1].token >= weights->listed[i].token)
			InputBinaryError("token_weights", "Its tokens do not ascend.");
		CHECK_FOR_INTERRUPTS();
	}
	PG_RETURN_POINTER(weights);
}

Datum
token_weights_send(PG_FUNCTION_ARGS)
{
	TokenWeights *weights = PG_GETARG_TOKEN_WEIGHTS(0);
	int32 count = TokenWeightsCount(weights);
	StringInfoData buffer;

	pq_begintypsend(&buffer);
	pq_sendint8(&buffer, BINARY_VERSION);
	pq_sendint32(&buffer, weights->other);
	pq_sendint32(&buffer, (uint32) count);
	for (int32 i = 0; i < count; i++)
	{
		pq_sendint64(&buffer, (uint64) weights->listed[i].token);
		pq_sendint32(&buffer, weights->listed[i].weight);
		CHECK_FOR_INTERRUPTS();
	}
	PG_RETURN_BYTEA_P(pq_endtypsend(&buffer));
}
