/*
 * set_rows.c
 *		Rows that are sets of tokens.
 *
 * A set is a tokenset, or an array or tsvector whose elements become tokens. Tokensets are read in
 * the executor's slot without a copy, where short varlena headers leave them unaligned. In memory
 * the sets are the records of the join.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "kinds/sets/set_rows.h"
#include "measure/threshold.h"
#include "text/element_tokens.h"
#include "text/token_sort.h"
#include "tokenset/tokenset.h"

void
SetRowsCheckColumn(const RowReading *reading, Form_pg_attribute column)
{
	if (reading->type == reading->kind_type)
		return;
	switch (reading->type)
	{
		case INT4ARRAYOID:
		case INT8ARRAYOID:
		case TEXTARRAYOID:
		case VARCHARARRAYOID:
		case TSVECTOROID:
			return;
		default:
			RowColumnTypeError(
				reading, column,
				"Sets are of type tokenset, integer[], bigint[], text[] or tsvector. Of "
				"a text, word_tokens(...) is one.");
	}
}

/* The elements may be unsorted and repeated. */
static void
read_elements(RowReading *reading, Datum value)
{
	TokenList *tokens = &reading->tokens;

	tokens->count = 0;
	switch (reading->type)
	{
		case INT4ARRAYOID:
			TokensOfInt4Array(DatumGetArrayTypeP(value), tokens);
			break;
		case INT8ARRAYOID:
			TokensOfInt8Array(DatumGetArrayTypeP(value), tokens);
			break;
		case TSVECTOROID:
			TokensOfTSVector(DatumGetTSVector(value), tokens);
			break;
		default:
			TokensOfTextArray(DatumGetArrayTypeP(value), tokens);
			break;
	}
	TokensSort(tokens->tokens, tokens->count);
}

bool
SetRowsRead(RowReading *reading, Datum value, uint64 group, JoinRow *row)
{
	TokenList *tokens = &reading->tokens;

	if (likely(reading->type == reading->kind_type))
		row->data = TokensetPackedTokens(PG_DETOAST_DATUM_PACKED(value), &row->count);
	else
	{
		read_elements(reading, value);
		row->data = tokens->tokens;
		row->count = TokensUnique(tokens->tokens, tokens->count);
	}
	RowReadingPutAdded(reading, row);
	RowReadingSetApart(reading, group, row);
	return row->count > 0;
}

bool
SetRowsFit(JoinInput *input, uint32 size)
{
	return MemoryEstimateFits(&input->estimate, &input->records, size,
							  JoinKeysArrayBytes(&input->keys), JoinInputKeyBytes(input));
}

Size
SetRowsNeeded(JoinInput *input)
{
	return MemoryEstimateNeeded(&input->estimate, &input->records,
								NeededMemoryDistinct(input->needed), input->largest,
								JoinKeysGrownBytes(&input->keys, input->estimate.record_count),
								NeededMemoryOfKeys(input->needed));
}

void
SetRowsKeep(JoinInput *input, const SpillRow *row)
{
	if (!JoinRecordsAppendKnown(&input->records, input->keys.count, row->ids, row->id_count,
								row->tokens, row->size - row->id_count))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("%s is too large", input->name),
				 errdetail("A join holds at most %u records of at most %u tokens, and %u "
						   "distinct tokens.",
						   JOIN_MAX_RECORDS, JOIN_MAX_RECORD_SIZE, DICTIONARY_MAX_TOKENS)));
}

void
SetRowsWrite(JoinInput *input)
{
	JoinRecords *records = &input->records;
	JoinHost *host = records->host;
	int64 *tokens = JoinAllocate(host, records->largest, sizeof(int64));
	const uint32 *ids = records->ids;

	JoinRecordsNumber(records);
	for (uint32 i = 0; i < records->record_count; i++)
	{
		ArrivedRecord record = records->arrived[i];

		for (uint32 k = 0; k < record.size; k++)
			tokens[k] = records->dictionary.entries[*ids++].token;
		JoinInputSpillRow(input, record.row, &(SpillRow){.size = record.size, .tokens = tokens});
	}
	JoinRelease(host, tokens, records->largest, sizeof(int64));
}

void
SetRowsForget(JoinInput *input)
{
	JoinRecords *records = &input->records;
	JoinRecords empty;

	JoinRecordsInit(&empty, records->host);
	empty.two_sided = records->two_sided;
	empty.buckets = records->buckets;
	JoinRecordsFree(records);
	*records = empty;
}

/* Begins without rows, and without what the estimate and the input have counted of them. */
static void
begin_again(JoinInput *input)
{
	Size record_bytes = input->estimate.record_bytes;

	JoinRecordsInit(&input->records, input->records.host);
	input->keys.count = input->keys.capacity = 0;
	input->keys.order = NULL;
	input->keys.values = NULL;
	JoinInputLimit(input, input->predicate, input->kind->algorithm, input->estimate.limit);
	input->estimate.record_bytes = record_bytes;
	input->row_count = input->token_count = 0;
	input->largest = 0;
}

static void
append_again(JoinInput *input, int64 key, uint32 size, const int64 *tokens)
{
	input->row_count++;
	input->token_count += size;
	input->largest = Max(input->largest, size);
	JoinInputAppendSpilled(
		input, &(SpillRow){.key = nd_int64_datum(&key), .size = size, .tokens = tokens});
}

void
SetRowsThin(JoinInput *input, bool (*keeps)(const void *context, int64 key), const void *context)
{
	JoinHost *host = input->records.host;
	JoinKeys keys = input->keys;
	JoinRecords all;
	int64 *tokens;
	const uint32 *ids;

	JoinRecordsNumber(&input->records);
	all = input->records;
	ids = all.ids;
	tokens = JoinAllocate(host, all.largest, sizeof(int64));
	begin_again(input);
	for (uint32 i = 0; i < all.record_count; i++)
	{
		/* Canonical records have ranks, which are as good as the tokens. */
		const JoinRecord *record = all.records != NULL ? &all.records[i] : NULL;
		uint32 size = record != NULL ? record->size : all.arrived[i].size;
		int64 key = JoinKeysInt64(&keys, record != NULL ? record->row : all.arrived[i].row);
		const uint32 *of_record = record != NULL ? JoinRecordTokens(&all, record) : ids;

		CHECK_FOR_INTERRUPTS();
		if (keeps(context, key))
		{
			for (uint32 k = 0; k < size; k++)
				tokens[k] = record != NULL ? (int64) of_record[k]
										   : all.dictionary.entries[of_record[k]].token;
			append_again(input, key, size, tokens);
		}
		if (record == NULL)
			ids += size;
	}
	JoinRelease(host, tokens, all.largest, sizeof(int64));
	JoinRecordsFree(&all);
	JoinKeysClear(&keys);
	/* The peak is that of the rows that are kept. */
	host->peak_bytes = host->bytes;
}

/* Writes the records as ids, and leaves their dictionary to the vocabulary. */
static void
write_ids(JoinInput *input)
{
	JoinRecords *records = &input->records;
	const uint32 *ids = records->ids;

	JoinRecordsNumber(records);
	JoinInputBeginVocabulary(input, &records->dictionary);
	for (uint32 i = 0; i < records->record_count; i++)
	{
		ArrivedRecord record = records->arrived[i];

		JoinInputSpillRow(input, record.row,
						  &(SpillRow){.size = record.size, .id_count = record.size, .ids = ids});
		ids += record.size;
	}
}

/* Buckets need the tokens themselves. */
void
SetRowsSpill(JoinInput *input)
{
	if (input->records.buckets == NULL)
		write_ids(input);
	else
		SetRowsWrite(input);
	SetRowsForget(input);
}

/* Of the larger sets, the least asks for the smallest overlap. */
int64
SetRowsLeastCommon(Predicate predicate, uint32 size, int64 least)
{
	int64 other = Max(least, PredicateLeastSize(predicate, size, true));

	return PredicateLeastOverlap(predicate, other, size);
}

const RowKind set_rows = {ROWS_AS_SETS,
						  .name = "set",
						  .type = "tokenset",
						  .algorithm = JOIN_AUTO,
						  .algorithms = 1 << JOIN_AUTO | 1 << JOIN_ALLPAIRS | 1 << JOIN_PPJOIN |
										1 << JOIN_PPJOIN_PLUS | 1 << JOIN_BUCKETS,
						  .predicate = PredicateOrError,
						  .check_column = SetRowsCheckColumn,
						  .read = SetRowsRead};
