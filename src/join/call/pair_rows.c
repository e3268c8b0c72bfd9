/*
 * pair_rows.c
 *		The rows of a Similarity Function Scan as the node that a function is called with.
 */
#include "postgres.h"

#include "join/call/pair_rows.h"

static const char *const node_name = "neardup pair rows";

PairRows *
PairRowsCreate(MemoryContext context, const PairColumn *columns, int width)
{
	PairRows *rows = MemoryContextAllocZero(context, sizeof(PairRows));

	Assert(width <= PAIR_MOST_COLUMNS);
	NodeSetTag(rows, T_ExtensibleNode);
	rows->node.extnodename = node_name;
	rows->context = context;
	rows->width = width;
	for (int i = 0; i < width; i++)
		rows->columns[i] = columns[i];
	return rows;
}

void
PairRowsLimit(PairRows *rows, int kilobytes)
{
	if (rows->width > 0)
		RecordFileInit(&rows->records, rows->context, rows->width * sizeof(int64),
					   (Size) kilobytes * 1024);
}

PairRows *
PairRowsOfCall(Node *resultinfo)
{
	if (resultinfo == NULL || !IsA(resultinfo, ExtensibleNode) ||
		((ExtensibleNode *) resultinfo)->extnodename != node_name)
		return NULL;
	return (PairRows *) resultinfo;
}
