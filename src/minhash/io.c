/*
 * io.c
 *		Text and binary form of the minhash type.
 *
 * The text form is the kind and the components, such as "neardup k=4 bits=32 seed=1 {19,5,7,3}".
 * The sketch of the empty set has no components in its braces.
 *
 * The binary form is a byte each for the version, the profile, the bits of a component and the mark
 * of the empty set (1); then k as int4, the seed as int8, and the words as int4, in network order.
 * A sketch of the empty set has no words. What output would not write, such as bits behind the last
 * component, is rejected, so that equal sketches stay equal bytes.
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "text_input.h"
#include "minhash/minhash.h"

PG_FUNCTION_INFO_V1(minhash_in);
PG_FUNCTION_INFO_V1(minhash_out);
PG_FUNCTION_INFO_V1(minhash_recv);
PG_FUNCTION_INFO_V1(minhash_send);

#define BINARY_VERSION 1

/* Reads a number from `least` to `greatest`. */
static int64
read_number(TextInput *input, int64 least, int64 greatest, const char *expected)
{
	char *end;
	long long value;

	if (*input->at != '-' && !InputIsDigit(*input->at))
		InputSyntaxError(input, expected);
	errno = 0;
	value = strtoll(input->at, &end, 10);
	if (end == input->at || errno != 0 || value < least || value > greatest)
		InputSyntaxError(input, expected);
	input->at = end;
	return value;
}

/* Reads the name of a profile and the blank behind it. */
static MinhashProfile
read_profile(TextInput *input)
{
	for (int i = 0; i < MINHASH_PROFILES; i++)
	{
		if (InputTake(input, psprintf("%s ", MinhashProfileName((MinhashProfile) i))))
			return (MinhashProfile) i;
	}
	InputSyntaxError(input, "the name of a profile");
	pg_unreachable();
}

/* Reads the k components in braces to a new array; returns NULL if there are none. */
static uint32 *
read_components(TextInput *input, MinhashKind kind)
{
	uint32 *components;

	InputExpect(input, "{", "an opening brace");
	if (InputTake(input, "}"))
		return NULL;
	components = palloc((Size) kind.k * sizeof(uint32));
	for (int32 i = 0; i < kind.k; i++)
	{
		if (i > 0)
			InputExpect(input, ",", "a comma");
		(void) InputNext(input);
		components[i] = (uint32) read_number(input, 0, PG_UINT32_MAX >> (32 - kind.bits),
											 "a number of no more bits than stated");
		CHECK_FOR_INTERRUPTS();
	}
	InputExpect(input, "}", "a closing brace after k components");
	return components;
}

Datum
minhash_in(PG_FUNCTION_ARGS)
{
	const char *text = PG_GETARG_CSTRING(0);
	TextInput input = {.type = "minhash", .text = text, .at = text};
	MinhashKind kind;
	uint32 *components;

	if (*text == '{')
		input.hint = "A sketch of a set is written minhash(tokenset '{1,2,3}'); without the type, "
					 "PostgreSQL takes the literal for the sketch itself.";
	kind.profile = read_profile(&input);
	InputExpect(&input, "k=", "\"k=\"");
	kind.k = (int32) read_number(&input, 1, MINHASH_MAX_K, "a number of components");
	InputExpect(&input, "bits=", "\"bits=\"");
	kind.bits = (int32) read_number(&input, 1, MINHASH_FULL_BITS, "a number of bits");
	InputExpect(&input, "seed=", "\"seed=\"");
	kind.seed = (uint64) read_number(&input, PG_INT64_MIN, PG_INT64_MAX, "a seed");
	components = read_components(&input, kind);
	InputExpectEnd(&input);
	PG_RETURN_MINHASH(MinhashFromComponents(kind, components));
}

Datum
minhash_out(PG_FUNCTION_ARGS)
{
	Minhash *sketch = PG_GETARG_MINHASH(0);
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "%s k=%d bits=%d seed=%lld {",
					 MinhashProfileName((MinhashProfile) sketch->profile), sketch->k, sketch->bits,
					 (long long) sketch->seed);
	for (int32 i = 0; !sketch->is_empty && i < sketch->k; i++)
		appendStringInfo(&text, i > 0 ? ",%u" : "%u", MinhashGet(sketch, i));
	appendStringInfoChar(&text, '}');
	PG_FREE_IF_COPY(sketch, 0);
	PG_RETURN_CSTRING(text.data);
}

Datum
minhash_send(PG_FUNCTION_ARGS)
{
	Minhash *sketch = PG_GETARG_MINHASH(0);
	uint32 words = sketch->is_empty ? 0 : MinhashWords(sketch->k, sketch->bits);
	StringInfoData buffer;

	pq_begintypsend(&buffer);
	pq_sendint8(&buffer, BINARY_VERSION);
	pq_sendint8(&buffer, sketch->profile);
	pq_sendint8(&buffer, sketch->bits);
	pq_sendint8(&buffer, sketch->is_empty);
	pq_sendint32(&buffer, sketch->k);
	pq_sendint64(&buffer, sketch->seed);
	for (uint32 i = 0; i < words; i++)
		pq_sendint32(&buffer, sketch->words[i]);
	PG_FREE_IF_COPY(sketch, 0);
	PG_RETURN_BYTEA_P(pq_endtypsend(&buffer));
}

Datum
minhash_recv(PG_FUNCTION_ARGS)
{
	StringInfo buffer = (StringInfo) PG_GETARG_POINTER(0);
	MinhashKind kind;
	int profile;
	int is_empty;
	uint32 words;
	uint32 last_bits;
	Minhash *sketch;

	InputBinaryVersion(buffer, "minhash", BINARY_VERSION);
	profile = pq_getmsgbyte(buffer);
	kind.bits = pq_getmsgbyte(buffer);
	is_empty = pq_getmsgbyte(buffer);
	kind.k = (int32) pq_getmsgint(buffer, sizeof(int32));
	kind.seed = (uint64) pq_getmsgint64(buffer);
	if (profile >= MINHASH_PROFILES || is_empty > 1 || kind.bits < 1 ||
		kind.bits > MINHASH_FULL_BITS || kind.k < 1 || kind.k > MINHASH_MAX_K)
		InputBinaryError(
			"minhash", psprintf("Its profile is %d, its bits %d, its mark of an empty set %d, its "
								"number of components %d.",
								profile, kind.bits, is_empty, kind.k));
	kind.profile = (MinhashProfile) profile;
	words = is_empty ? 0 : MinhashWords(kind.k, kind.bits);
	if ((Size) (buffer->len - buffer->cursor) != (Size) words * sizeof(uint32))
		InputBinaryError("minhash", psprintf("It must end with %u words, and %d bytes follow.",
											 words, buffer->len - buffer->cursor));

	sketch = MinhashAllocate(kind, is_empty != 0);
	for (uint32 i = 0; i < words; i++)
		sketch->words[i] = pq_getmsgint(buffer, sizeof(uint32));
	last_bits = (uint32) kind.k * kind.bits % 32;
	if (words > 0 && last_bits > 0 && sketch->words[words - 1] >> last_bits != 0)
		InputBinaryError("minhash", "Bits beyond its last component are set.");
	if (!is_empty && MinhashHasNoToken(kind, sketch->words))
		InputBinaryError("minhash", "It lists the components of the empty set.");
	PG_RETURN_MINHASH(sketch);
}
