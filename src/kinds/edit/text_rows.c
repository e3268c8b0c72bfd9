/*
 * text_rows.c
 *		Rows that are texts, compared by edit distance.
 *
 * In memory the rows are EditTexts. When all have been read, records are made of their q-grams, of
 * a length that suits the texts; an overlap of grams is then what the distance implies. In a file,
 * a row is the group of the text, then its characters.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "compat.h"
#include "rows/input.h"
#include "kernel/edit/edit_grams.h"
#include "kernel/edit/edit_records.h"
#include "kinds/edit/text_rows.h"
#include "strings/strings.h"
#include "text/encoding.h"
#include "text/unicode.h"

static EditTexts *
texts_of(const JoinInput *input)
{
	return input->content;
}

/* Texts that have been read may make the grams shorter (make_grams). */
static Predicate
text_predicate(Measure measure, double threshold)
{
	return EditJoinPredicate(MaxEditDistanceOrError((int32) threshold), EDIT_MAX_GRAM_LENGTH);
}

static void
check_text_column(const RowReading *reading, Form_pg_attribute column)
{
	Oid type = reading->type;

	if (type != TEXTOID && type != VARCHAROID && type != BPCHAROID && type != NAMEOID)
		RowColumnTypeError(reading, column,
						   psprintf("Texts are of type text, character varying, character or name: "
									"select %s::text.",
									quote_identifier(NameStr(column->attname))));
}

/* A character(n) loses trailing blanks, as in a cast. */
static ByteSpan
bytes_of_text(Oid type, Datum value)
{
	ByteSpan bytes;

	if (type == NAMEOID)
	{
		bytes.data = NameStr(*DatumGetName(value));
		bytes.length = strlen(bytes.data);
	}
	else
	{
		text *packed = DatumGetTextPP(value);

		bytes.data = VARDATA_ANY(packed);
		bytes.length = VARSIZE_ANY_EXHDR(packed);
	}
	if (type == BPCHAROID)
		bytes.length = bpchartruelen((char *) bytes.data, (int) bytes.length);
	return bytes;
}

static bool
read_text(RowReading *reading, Datum value, uint64 group, JoinRow *row)
{
	ByteSpan bytes = bytes_of_text(reading->type, value);
	ByteSpan utf8 = ServerToUtf8(bytes.data, bytes.length);

	*row = (JoinRow){.data = utf8.data, .count = utf8.length, .group = group};
	return true;
}

static void
init_texts(JoinInput *input)
{
	input->content = MemoryContextAlloc(input->context, sizeof(EditTexts));
	EditTextsInit(input->content, input->records.host);
}

/*
 * Returns the bytes that the texts take with one more of this size. The verifier prepares the
 * longest text for comparisons, in blocks.
 */
static Size
bytes_of_texts(const JoinInput *input, uint32 size, Size key_bytes)
{
	const MemoryEstimate *estimate = &input->estimate;

	return (estimate->token_count + size) * EDIT_BYTES_PER_CHARACTER +
		   (estimate->record_count + 1) * EDIT_BYTES_PER_TEXT + key_bytes +
		   Max(input->largest, size) * (sizeof(EditBlock) / EDIT_BLOCK_ROWS);
}

static bool
text_fits(JoinInput *input, uint32 size)
{
	return bytes_of_texts(input, size, JoinInputKeyBytes(input)) <= input->estimate.limit;
}

static Size
texts_needed(JoinInput *input)
{
	return bytes_of_texts(input, 0, NeededMemoryOfKeys(input->needed));
}

/* Returns the number of characters, in room of the texts that none has taken. */
static uint32
decode_text(EditTexts *texts, const JoinRow *row, uint32 **characters)
{
	const uint8 *byte = row->data;
	const uint8 *end = byte + row->count;
	uint32 length = 0;

	*characters = EditTextsReserve(texts, (uint32) row->count);
	while (byte < end)
	{
		int32 character;

		JoinTick(texts->host, 1);
		byte += Utf8Decode(byte, end, &character);
		(*characters)[length++] = (uint32) character;
	}
	return length;
}

static int64 *
tokens_of_text(JoinHost *host, const uint32 *characters, uint32 length, uint64 group)
{
	int64 *tokens = JoinAllocate(host, (Size) length + 1, sizeof(int64));

	tokens[0] = (int64) group;
	for (uint32 i = 0; i < length; i++)
		tokens[i + 1] = characters[i];
	return tokens;
}

static void
take_text(JoinInput *input, uint32 length, uint64 group)
{
	EditTexts *texts = texts_of(input);

	if (texts->count == JOIN_MAX_RECORDS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("%s is too large", input->name),
				 errdetail("A join holds at most %u texts.", JOIN_MAX_RECORDS)));
	EditTextsAppend(texts, length, group);
}

static void
append_text(JoinInput *input, Datum key, const JoinRow *row)
{
	EditTexts *texts = texts_of(input);
	bool was_spilled = JoinInputIsSpilled(input);
	uint32 *characters;
	uint32 length = decode_text(texts, row, &characters);
	int64 *tokens;

	input->row_count++;
	input->token_count += length;
	if (JoinInputMakeRoom(input, length + 1))
	{
		take_text(input, length, row->group);
		JoinInputTakeKey(input, key, length + 1);
		return;
	}
	/* Spilling has freed the room. */
	if (!was_spilled)
		length = decode_text(texts, row, &characters);
	tokens = tokens_of_text(texts->host, characters, length, row->group);
	JoinInputPut(input, key, length + 1, tokens);
	JoinRelease(texts->host, tokens, (Size) length + 1, sizeof(int64));
}

/* Takes apart what tokens_of_text has made. */
static void
keep_text(JoinInput *input, const SpillRow *row)
{
	EditTexts *texts = texts_of(input);
	uint32 length = row->size - 1;
	uint32 *characters = EditTextsReserve(texts, length);
	int64 token;

	for (uint32 i = 0; i < length; i++)
	{
		memcpy(&token, (const char *) row->tokens + (i + 1) * sizeof(int64), sizeof(int64));
		characters[i] = (uint32) token;
	}
	memcpy(&token, row->tokens, sizeof(int64));
	take_text(input, length, (uint64) token);
}

static void
free_texts(JoinInput *input)
{
	EditTextsFree(texts_of(input));
}

static void
spill_texts(JoinInput *input)
{
	const EditTexts *texts = texts_of(input);

	for (uint32 row = 0; row < texts->count; row++)
	{
		uint32 length;
		const uint32 *characters = EditTextsRow(texts, row, &length);
		int64 *tokens = tokens_of_text(texts->host, characters, length, EditTextsGroup(texts, row));

		JoinInputSpillRow(input, row, &(SpillRow){.size = length + 1, .tokens = tokens});
		JoinRelease(texts->host, tokens, (Size) length + 1, sizeof(int64));
	}
	free_texts(input);
}

static void
make_grams(JoinInput *part, const JoinInput *input, Predicate *predicate)
{
	const EditTexts *texts = texts_of(part);
	uint32 max_distance = (uint32) predicate->threshold;
	uint32 gram_length = EditGramLength(texts, max_distance);

	*predicate = EditJoinPredicate(max_distance, gram_length);
	if (!EditJoinRecords(&part->records, texts, gram_length))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("%s is too large", input->name),
				 errdetail("A join holds at most %u distinct grams of %u characters.",
						   DICTIONARY_MAX_TOKENS, gram_length)));
}

const RowKind text_rows = {ROWS_BY_SIZE,
						   .name = "text",
						   .algorithm = JOIN_EDIT,
						   .algorithms = 1 << JOIN_EDIT,
						   .predicate = text_predicate,
						   .check_column = check_text_column,
						   .read = read_text,
						   .init = init_texts,
						   .fits = text_fits,
						   .needed = texts_needed,
						   .append = append_text,
						   .keep = keep_text,
						   .spill = spill_texts,
						   .prepare = make_grams,
						   .free = free_texts};
