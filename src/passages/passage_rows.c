/*
 * passage_rows.c
 *		From the rows of queries to rows of passages.
 *
 * Rows are read as those of a join of texts are, and an observer takes each before it would be
 * appended to the input, which stays empty.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "utils/memutils.h"

#include "allocate.h"
#include "join/memory/join_memory.h"
#include "passages/passage_rows.h"
#include "join/progress/progress.h"
#include "kinds/edit/text_rows.h"
#include "join/rows/spill.h"
#include "passages/passage_text.h"
#include "text/encoding.h"
#include "text/interrupts.h"

#define MOST_PASSAGE_ROWS ((uint32) PG_INT32_MAX - 1)

static void *
create_file(void *context)
{
	PassageRows *rows = context;
	MemoryContext previous = MemoryContextSwitchTo(rows->context);
	BufFile *file = BufFileCreateTemp(false);

	MemoryContextSwitchTo(previous);
	return file;
}

static void
write_file(void *context, void *file, const void *page)
{
	/* Older versions do not declare what is written as constant. */
	BufFileWrite(file, unconstify(void *, page), PASSAGE_PAGE_BYTES);
}

static void
read_file(void *context, void *file, uint64 number, void *page)
{
	if (BufFileSeekBlock(file, (long) (number * (PASSAGE_PAGE_BYTES / BLCKSZ))) != 0)
		ereport(ERROR, (errcode_for_file_access(),
						errmsg("could not seek in temporary file of a similarity join")));
	JoinFileRead(file, page, PASSAGE_PAGE_BYTES);
}

static void
close_file(void *context, void *file)
{
	BufFileClose(file);
}

/* A place in a file of texts: the number of its segment above the offset, which is below 2^40. */
#define SEGMENT_SHIFT 40

static void
keep_passage_text(PassageRows *rows, ByteSpan utf8)
{
	PassageTexts *texts = &rows->texts;
	MemoryContext previous = MemoryContextSwitchTo(rows->context);
	int segment;
	off_t offset;

	if (texts->file == NULL)
		texts->file = BufFileCreateTemp(false);
	ARRAY_MAKE_ROOM(texts->starts, texts->count, texts->capacity);
	BufFileTell(texts->file, &segment, &offset);
	texts->starts[texts->count++] = (uint64) segment << SEGMENT_SHIFT | (uint64) offset;
	BufFileWrite(texts->file, &utf8.length, sizeof(Size));
	BufFileWrite(texts->file, unconstify(char *, utf8.data), utf8.length);
	MemoryContextSwitchTo(previous);
}

/* Reads a kept text, or its first `most` bytes. */
static ByteSpan
read_kept_text(PassageRows *rows, uint32 row, Size most)
{
	uint64 start = rows->texts.starts[row];
	ByteSpan utf8;
	char *data;

	if (BufFileSeek(rows->texts.file, (int) (start >> SEGMENT_SHIFT),
					(off_t) (start & (((uint64) 1 << SEGMENT_SHIFT) - 1)), SEEK_SET) != 0)
		ereport(ERROR, (errcode_for_file_access(),
						errmsg("could not seek in temporary file of a similarity join")));
	JoinFileRead(rows->texts.file, &utf8.length, sizeof(Size));
	utf8.length = Min(utf8.length, most);
	data = AllocateArray(utf8.length, 1);
	JoinFileRead(rows->texts.file, data, utf8.length);
	utf8.data = data;
	return utf8;
}

/* Returns the byte of a character, as words count characters. */
static Size
byte_of_character(ByteSpan utf8, uint32 character)
{
	bool is_byte = GetDatabaseEncoding() == PG_SQL_ASCII;
	uint32 characters = 0;
	Size byte = 0;

	for (; byte < utf8.length; byte++)
	{
		CHECK_NOW_AND_THEN(byte);
		if (is_byte || (utf8.data[byte] & 0xC0) != 0x80)
			characters++;
		if (characters == character)
			break;
	}
	return byte;
}

text *
PassageRowsText(PassageRows *rows, uint32 row, uint32 from, uint32 to)
{
	/* A character has at most four bytes. */
	ByteSpan utf8 = read_kept_text(rows, row, (Size) to * 4);
	Size first = byte_of_character(utf8, from);
	text *result = Utf8ToText(utf8.data + first, byte_of_character(utf8, to) - first);

	pfree(unconstify(char *, utf8.data));
	return result;
}

static void
begin_passage_rows(void *context, TupleDesc columns)
{
	PassageRows *rows = context;
	Form_pg_attribute column = TupleDescAttr(columns, 0);
	Oid type = JoinKeyColumnType(column, rows->key_policy, rows->key_type);

	if (rows->keys.context == NULL)
		JoinKeysInit(
			&rows->keys,
			AllocSetContextCreate(rows->context, "neardup row keys", ALLOCSET_DEFAULT_SIZES),
			&rows->process.host, type, column->attcollation, rows->keys_are_compared);
	else
		rows->keys.type = type;
}

static bool
take_passage_key(void *context, TupleTableSlot *slot, int64 *key)
{
	PassageRows *rows = context;

	if (slot->tts_isnull[0] || slot->tts_isnull[1])
		return false;
	if (rows->keys.count == MOST_PASSAGE_ROWS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("too many rows"),
						errdetail("There may be at most %u rows.", MOST_PASSAGE_ROWS)));
	JoinKeysAppend(&rows->keys, slot->tts_values[0]);
	*key = 0;
	return true;
}

static bool
take_passage_text(void *context, const JoinRow *row)
{
	PassageRows *rows = context;
	ByteSpan utf8 = {row->data, row->count};

	PassagesAddText(&rows->passages, utf8, rows->has_sentences);
	if (rows->keeps_texts)
		keep_passage_text(rows, utf8);
	rows->row_count++;
	return false;
}

static void
init_rows(PassageRows *rows, const PassageRequest *request)
{
	memset(rows, 0, sizeof(*rows));
	rows->context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup passages", ALLOCSET_DEFAULT_SIZES);
	JoinProcessInit(&rows->process, rows->context, JoinMemory());
	JoinInputInit(&rows->input, &text_rows, rows->context, &rows->process.host);
	rows->files = (PassageFiles){.create = create_file,
								 .write = write_file,
								 .read = read_file,
								 .close = close_file,
								 .context = rows};
	rows->observer = (RowObserver){.context = rows,
								   .begin = begin_passage_rows,
								   .row = take_passage_key,
								   .takes = take_passage_text};
	rows->key_policy = request->reader.key_policy;
	rows->key_type = request->reader.key_type;
	rows->keys_are_compared = request->reader.keys_are_compared;
	rows->keeps_texts = request->keeps_texts;
	rows->has_sentences = request->has_sentences;
	PassagesInit(&rows->passages, &rows->process.host, &rows->files, JoinInputMemory(JoinMemory()),
				 request->min_words);
}

void
PassageRowsRead(PassageRows *rows, const PassageRequest *request)
{
	ReaderSpec reader = request->reader;

	init_rows(rows, request);
	reader.observer = &rows->observer;
	JoinProgressBegin(rows->context, request->name, &rows->process.host, &rows->row_count,
					  &rows->found_count);
	JoinReadQuery(&rows->input, &reader, request->queries[0]);
	rows->left_count = rows->passages.row_count;
	if (request->queries[1] != NULL)
		JoinReadQuery(&rows->input, &reader, request->queries[1]);
	if (rows->keys_are_compared && rows->keys.count > 0)
		JoinKeysRank(&rows->keys, JoinSortMemory());
	JoinProgressPhase(PROGRESS_INDEXING, 0);
	PassagesFindGrams(&rows->passages);
	if (PassagesUseFiles(&rows->passages))
		NeededMemoryNotice(request->name, JoinMemory(),
						   JoinInputMemoryOf(PassagesNeeded(&rows->passages)));
	JoinProgressPhase(PROGRESS_PROBING, 0);
}

void
PassageRowsEnd(PassageRows *rows)
{
	PassagesFree(&rows->passages);
	JoinKeysClear(&rows->keys);
	if (rows->texts.file != NULL)
		BufFileClose(rows->texts.file);
	JoinInputFree(&rows->input);
	MemoryContextDelete(rows->context);
}
