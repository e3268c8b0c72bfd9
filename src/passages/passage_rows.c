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

/* Takes the text of a row, which no join has. */
static bool
see_passage_text(void *context, const JoinRow *value)
{
	PassageRows *rows = context;
	ByteSpan utf8 = {value->data, value->count};

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
	rows->see_text = request->see_text;
	rows->see_context = request->see_context;
	rows->has_sentences = request->has_sentences;
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
	JoinKeysClear(&rows->rows.keys);
	MemoryContextDelete(rows->context);
}
