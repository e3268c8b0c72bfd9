/*
 * token_weights_io.c
 *		Text and binary form of the type token_weights.
 *
 * The text form is {*:9.21034,-12:2.30259,7:0.69315}: the weight of tokens that are not listed,
 * then token and weight, ascending on output, in any order on input. Five decimals tell multiples
 * of 2^-16 apart. The binary form is a version byte, the weight of other tokens as int4, the number
 * of tokens as int4, and for each an int8 and an int4, in network order.
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

/* Digits of a weight's fraction that matter. */
#define MOST_DECIMALS 12

#define DECIMALS 5
#define POWER_OF_DECIMALS 100000

/* A comma, a token, a colon and a weight. */
#define LONGEST_ENTRY 40

#define ST_SORT sort_listed
#define ST_ELEMENT_TYPE ListedWeight
#define ST_COMPARE(a, b) ((a)->token < (b)->token ? -1 : (a)->token > (b)->token)
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

typedef struct Reader
{
	const char *text;
	const char *at;
} Reader;

static void
syntax_error(const Reader *reader, const char *expected)
{
	InputSyntaxError("token_weights", reader->text, reader->at, expected, NULL);
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
take(Reader *reader, char c)
{
	reader->at = InputSkipBlanks(reader->at);
	if (*reader->at != c)
		return false;
	reader->at = InputSkipBlanks(reader->at + 1);
	return true;
}

static void
expect(Reader *reader, char c, const char *name)
{
	if (!take(reader, c))
		syntax_error(reader, name);
}

static void
weight_out_of_range(const char *weight, Size length)
{
	ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					errmsg("weight \"%s\" is out of range for type token_weights",
						   InputQuote(pnstrdup(weight, length))),
					errdetail("A weight is from 0 to %u.", TOKEN_WEIGHT_MAX / TOKEN_WEIGHT_ONE)));
}

/* To the nearest multiple. */
static uint32
read_weight(Reader *reader)
{
	const char *start = reader->at;
	uint64 weight = 0;
	uint64 power = 1;
	int decimals = 0;

	if (!is_digit(*reader->at))
		syntax_error(reader, "a weight");
	for (; is_digit(*reader->at); reader->at++)
	{
		weight = Min(weight * 10 + (*reader->at - '0'), 100);
		CHECK_FOR_INTERRUPTS();
	}
	if (*reader->at == '.')
	{
		reader->at++;
		if (!is_digit(*reader->at))
			syntax_error(reader, "a digit");
	}
	for (; is_digit(*reader->at); reader->at++)
	{
		CHECK_FOR_INTERRUPTS();
		if (decimals++ >= MOST_DECIMALS)
			continue;
		weight = weight * 10 + (*reader->at - '0');
		power *= 10;
	}
	if (weight > power * (TOKEN_WEIGHT_MAX / TOKEN_WEIGHT_ONE))
		weight_out_of_range(start, reader->at - start);

	/* The whole part and the rest apart, lest the product overflow. */
	return (uint32) (weight / power * TOKEN_WEIGHT_ONE +
					 (weight % power * TOKEN_WEIGHT_ONE + power / 2) / power);
}

static void
append(TokenWeights **weights, Size *capacity, Size count, ListedWeight entry)
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

/* False if the text form ends. */
static bool
read_entry(Reader *reader, ListedWeight *entry)
{
	if (!take(reader, ','))
		return false;
	entry->token = TokensetParseToken("token_weights", reader->text, &reader->at);
	expect(reader, ':', "a colon");
	entry->weight = read_weight(reader);
	return true;
}

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
	Reader reader = {PG_GETARG_CSTRING(0), PG_GETARG_CSTRING(0)};
	Size capacity = 16;
	Size count = 0;
	TokenWeights *weights = TokenWeightsAllocate(capacity, 0);
	ListedWeight entry = {0};

	expect(&reader, '{', "an opening brace");
	expect(&reader, '*', "an asterisk");
	expect(&reader, ':', "a colon");
	weights->other = read_weight(&reader);
	while (read_entry(&reader, &entry))
		append(&weights, &capacity, count++, entry);
	expect(&reader, '}', "a comma or a closing brace");
	if (*reader.at != '\0')
		syntax_error(&reader, "the end of the text");
	sort_listed(weights->listed, count);
	check_distinct(weights, count);
	SET_VARSIZE(weights, TOKEN_WEIGHTS_HEADER_SIZE + count * sizeof(ListedWeight));
	PG_RETURN_POINTER(weights);
}

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

static void
malformed(const char *detail)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
					errmsg("invalid binary form of type token_weights"),
					errdetail_internal("%s", detail)));
}

static uint32
read_binary_weight(StringInfo buffer)
{
	uint32 weight = pq_getmsgint(buffer, sizeof(uint32));

	if (weight > TOKEN_WEIGHT_MAX)
		malformed("A weight is out of range.");
	return weight;
}

Datum
token_weights_recv(PG_FUNCTION_ARGS)
{
	StringInfo buffer = (StringInfo) PG_GETARG_POINTER(0);
	uint32 other;
	Size count;
	TokenWeights *weights;

	if (pq_getmsgbyte(buffer) != BINARY_VERSION)
		malformed("Its version is not known.");
	other = read_binary_weight(buffer);
	count = pq_getmsgint(buffer, sizeof(uint32));
	if ((Size) (buffer->len - buffer->cursor) != count * (sizeof(Token) + sizeof(uint32)))
		malformed("Its length does not fit its number of tokens.");
	weights = TokenWeightsAllocate(count, other);
	for (Size i = 0; i < count; i++)
	{
		weights->listed[i].token = pq_getmsgint64(buffer);
		weights->listed[i].weight = read_binary_weight(buffer);
		if (i > 0 && weights->listed[i - 1].token >= weights->listed[i].token)
			malformed("Its tokens do not ascend.");
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
