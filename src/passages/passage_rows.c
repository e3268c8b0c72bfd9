/*
 * passage_rows.c
 *		From the rows of queries to rows of passages.
 *
 * Rows are read as for a join of texts, and an observer takes each row before it would be appended
 * to the input, which stays empty.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "join/memory/join_memory.h"
#include "passages/passage_rows.h"
#include "join/progress/progress.h"
#include "kinds/edit/text_rows.h"
#include "passages/passage_text.h"

#define MOST_PASSAGE_ROWS ((uint32) PG_INT32_MAX - 1)

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
	if (rows->see_text != NULL)
		rows->see_text(rows->see_context, utf8);
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
	rows->observer = (RowObserver){.context = rows,
								   .begin = begin_passage_rows,
								   .row = take_passage_key,
								   .takes = take_passage_text};
	rows->key_policy = request->reader.key_policy;
	rows->key_type = request->reader.key_type;
	rows->keys_are_compared = request->reader.keys_are_compared;
	rows->see_text = request->see_text;
	rows->see_context = request->see_context;
	rows->has_sentences = request->has_sentences;
	PassagesInit(&rows->passages, &rows->process.host, JoinInputMemory(JoinMemory()),
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
	JoinInputFree(&rows->input);
	MemoryContextDelete(rows->context);
}
