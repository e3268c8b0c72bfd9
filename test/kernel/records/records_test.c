/*
 * records_test.c
 *		Records as they arrive.
 */
#include "c.h"

#include "kernel/records/records.h"
#include "kernel_test.h"
#include "test_host.h"

#define ROWS 6000
#define LARGEST (3 * DICTIONARY_BATCH)

/* Records stand as they came, and their ids are those of their tokens. */
static void
test_arrival(void)
{
	static int64 tokens[ROWS][LARGEST];
	static uint32 sizes[ROWS];
	JoinHost host = test_host();
	JoinRecords records;
	const uint32 *ids;
	uint32 wrong = 0;

	random_state = 37;
	JoinRecordsInit(&records, &host);
	for (uint32 row = 0; row < ROWS; row++)
	{
		sizes[row] = 1 + random_below(random_below(4) > 0 ? 20 : LARGEST);
		for (uint32 i = 0; i < sizes[row]; i++)
			tokens[row][i] = (int64) i * 1000 + random_below(1000);
		JoinRecordsAppend(&records, 2 * row, tokens[row], sizes[row]);
	}
	JoinRecordsNumber(&records);
	ids = records.ids;
	for (uint32 row = 0; row < ROWS; row++)
	{
		ArrivedRecord record = records.arrived[row];

		wrong += record.row != 2 * row || record.size != sizes[row];
		for (uint32 i = 0; i < sizes[row]; i++)
			wrong += records.dictionary.entries[*ids++].token != tokens[row][i];
	}
	ok(wrong == 0 && records.record_count == ROWS && ids == records.ids + records.token_count,
	   "arrival: records stand as they came");
	JoinRecordsFree(&records);
	ok(host.bytes == 0, "arrival: all is freed before records are canonical");
}

int
main(void)
{
	test_arrival();
	return done_testing();
}
