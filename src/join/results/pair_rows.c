/*
 * pair_rows.c
 *		Storing pairs as Datums.
 *
 * A tuplestore would allocate, form and deform a tuple for each row.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "join/results/pair_rows.h"
#include "join/rows/spill.h"

#define FEWEST_BLOCKS 2
#define FIRST_CAPACITY 16

static const char *const node_name = "neardup pair rows";

static Size
block_bytes(const PairRows *rows)
{
	return (Size) PAIR_ROWS_PER_BLOCK * rows->width * sizeof(Datum);
}

PairRows *
PairRowsCreate(MemoryContext context, const int *columns, int width)
{
	PairRows *rows = MemoryContextAllocZero(context, sizeof(PairRows));

	Assert(width <= PAIR_COLUMNS);
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
		rows->most_in_memory = Max((Size) kilobytes * 1024 / block_bytes(rows), FEWEST_BLOCKS);
}

PairRows *
PairRowsOfCall(Node *resultinfo)
{
	if (resultinfo == NULL || !IsA(resultinfo, ExtensibleNode) ||
		((ExtensibleNode *) resultinfo)->extnodename != node_name)
		return NULL;
	return (PairRows *) resultinfo;
}

static void
write_buffer(PairRows *rows)
{
	MemoryContext previous = MemoryContextSwitchTo(rows->context);

	if (rows->file == NULL)
		rows->file = BufFileCreateTemp(false);
	BufFileWrite(rows->file, rows->buffer, block_bytes(rows));
	rows->blocks_in_file++;
	MemoryContextSwitchTo(previous);
}

static Datum *
add_block(PairRows *rows)
{
	if (rows->blocks_in_memory == rows->block_capacity)
	{
		rows->block_capacity = Max(rows->block_capacity * 2, FIRST_CAPACITY);
		if (rows->blocks == NULL)
			rows->blocks =
				MemoryContextAlloc(rows->context, rows->block_capacity * sizeof(Datum *));
		else
			rows->blocks =
				repalloc_huge(rows->blocks, (Size) rows->block_capacity * sizeof(Datum *));
	}
	return rows->blocks[rows->blocks_in_memory++] =
			   MemoryContextAlloc(rows->context, block_bytes(rows));
}

void
PairRowsNextBlock(PairRows *rows)
{
	/* Putting rows takes time that the kernel does not count. */
	CHECK_FOR_INTERRUPTS();
	if (rows->blocks_in_memory < rows->most_in_memory)
		rows->next = add_block(rows);
	else
	{
		if (rows->buffer == NULL)
			rows->buffer = MemoryContextAllocZero(rows->context, block_bytes(rows));
		else
			write_buffer(rows);
		rows->next = rows->buffer;
	}
	rows->end = rows->next + (Size) PAIR_ROWS_PER_BLOCK * rows->width;
}

void
PairRowsFinish(PairRows *rows)
{
	if (rows->buffer != NULL)
		write_buffer(rows);
	rows->buffered_block = rows->blocks_in_file - 1;
	rows->next = rows->end = NULL;
}

static const Datum *
read_block(PairRows *rows, uint64 block)
{
	StaticAssertStmt(PAIR_ROWS_PER_BLOCK * sizeof(Datum) % BLCKSZ == 0,
					 "a block begins where one of the file does");

	if (block == rows->buffered_block)
		return rows->buffer;
	CHECK_FOR_INTERRUPTS();
	if (BufFileSeekBlock(rows->file, (long) (block * (block_bytes(rows) / BLCKSZ))) != 0)
		ereport(ERROR, (errcode_for_file_access(),
						errmsg("could not seek in temporary file of a similarity join")));
	JoinFileRead(rows->file, rows->buffer, block_bytes(rows));
	rows->buffered_block = block;
	return rows->buffer;
}

const Datum *
PairRowsAt(PairRows *rows, uint64 number)
{
	uint64 block = number / PAIR_ROWS_PER_BLOCK;
	const Datum *first;

	if (rows->width == 0)
		return NULL;
	if (block < rows->blocks_in_memory)
		first = rows->blocks[block];
	else
		first = read_block(rows, block - rows->blocks_in_memory);
	return first + number % PAIR_ROWS_PER_BLOCK * rows->width;
}

int64
PairRowsFileBytes(const PairRows *rows)
{
	return rows->blocks_in_file * block_bytes(rows);
}

void
PairRowsEnd(PairRows *rows)
{
	if (rows->file != NULL)
		BufFileClose(rows->file);
	rows->file = NULL;
}
