/*
 * passage_rows.c
 *		From the rows of queries to rows of passages.
 *
 * Rows are read as for a join of texts.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "memory/join_memory.h"
#include "progress/progress.h"
#include "rows/input.h"
#include "kinds/edit/text_rows.h"
#include "passages/passage_rows.h"
#include "passages/passage_text.h"

static void
keep_passage_text(PassageRows *rows, ByteSpan utf8)
{
	Datum value = PointerGetDatum(cstring_to_text_with_len(utf8.data, (int) utf8.length));
	bool isnull = false;

	RowValuesPut(&rows->texts, &value, &isnull);
}

/* Takes the text of a row, which no join has. */
static bool
see_passage_text(void *context, const JoinRow *value)
{
	PassageRows *rows = context;
	ByteSpan utf8 = {value->data, value->count};

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
	JoinProcessInit(&rows->process, rows->context);
	rows->has_sentences = request->has_sentences;
	rows->keeps_texts = request->keeps_texts;
	PassagesInit(&rows->passages, &rows->process.host, JoinInputMemory(JoinMemory()),
				 request->min_words);
}

static void
read_rows(PassageRows *rows, const PassageRequest *request)
{
	JoinRequest join = {.queries = {request->queries[0], request->queries[1]},
						.reader = request->reader};
	RowWishes wishes = {.kind = &text_rows,
						.keys = request->reader.keys_are_compared ? KEYS_RANKED : KEYS_KEPT,
						.key_host = &rows->process.host,
						.context = rows,
						.see = see_passage_text};
	MemoryContext previous = MemoryContextSwitchTo(rows->context);

	if (rows->keeps_texts)
		RowValuesBegin(&rows->texts, 1, BYTEAOID);
	CallRowsRead(&rows->rows, &wishes, NULL, &join);
	MemoryContextSwitchTo(previous);
}

void
PassageRowsRead(PassageRows *rows, const PassageRequest *request)
{
	init_rows(rows, request);
	JoinProgressBegin(rows->context, request->name, &rows->process.host, &rows->row_count,
					  &rows->found_count);
	read_rows(rows, request);
	if (PassagesUseFiles(&rows->passages))
		JoinProcessFromFiles(&rows->process, JoinMemory());
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
	if (rows->keeps_texts)
		RowValuesEnd(&rows->texts);
	PassagesFree(&rows->passages);
	JoinKeysClear(&rows->rows.keys);
	MemoryContextDelete(rows->context);
}
