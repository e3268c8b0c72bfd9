/*
 * passage_rows.c
 *		From the rows of queries to rows of passages.
 *
 * Rows are read as for a join of texts.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "join/memory/join_memory.h"
#include "join/progress/progress.h"
#include "join/rows/input.h"
#include "kinds/edit/text_rows.h"
#include "passages/passage_rows.h"
#include "passages/passage_text.h"

#define MOST_PASSAGE_ROWS ((uint32) PG_INT32_MAX - 1)

static void
begin_passage_rows(void *context, const ReaderSpec *spec, TupleDesc columns)
{
	PassageRows *rows = context;
	Oid type = ReaderKeyType(spec, columns);

	if (rows->keys.context == NULL)
		JoinKeysInit(
			&rows->keys,
			AllocSetContextCreate(rows->context, "neardup row keys", ALLOCSET_DEFAULT_SIZES),
			&rows->process.host, type, TupleDescAttr(columns, 0)->attcollation,
			spec->keys_are_compared);
	else
		rows->keys.type = type;
}

static bool
take_passage_row(void *context, TupleTableSlot *slot, const JoinRow *row)
{
	PassageRows *rows = context;
	ByteSpan utf8 = {row->data, row->count};

	if (rows->keys.count == MOST_PASSAGE_ROWS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("too many rows"),
						errdetail("There may be at most %u rows.", MOST_PASSAGE_ROWS)));
	JoinKeysAppend(&rows->keys, slot->tts_values[0]);
	PassagesAddText(&rows->passages, utf8, rows->has_sentences);
	if (rows->see_text != NULL)
		rows->see_text(rows->see_context, utf8);
	rows->row_count++;
	return true;
}

static void
init_rows(PassageRows *rows, const PassageRequest *request)
{
	memset(rows, 0, sizeof(*rows));
	rows->context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup passages", ALLOCSET_DEFAULT_SIZES);
	JoinProcessInit(&rows->process, rows->context);
	rows->key_policy = request->reader.key_policy;
	rows->see_text = request->see_text;
	rows->see_context = request->see_context;
	rows->has_sentences = request->has_sentences;
	PassagesInit(&rows->passages, &rows->process.host, JoinInputMemory(JoinMemory()),
				 request->min_words);
}

void
PassageRowsRead(PassageRows *rows, const PassageRequest *request)
{
	const ReaderSpec *reader = &request->reader;
	RowSink sink = {
		.kind = &text_rows, .context = rows, .begin = begin_passage_rows, .take = take_passage_row};

	init_rows(rows, request);
	JoinProgressBegin(rows->context, request->name, &rows->process.host, &rows->row_count,
					  &rows->found_count);
	JoinReadQuery(&sink, reader, request->queries[0]);
	rows->left_count = rows->passages.row_count;
	if (request->queries[1] != NULL)
		JoinReadQuery(&sink, reader, request->queries[1]);
	if (reader->keys_are_compared && rows->keys.count > 0)
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
	MemoryContextDelete(rows->context);
}
