/*
 * size_filter_test.c
 *		The size filter: where its windows begin and end, against each size.
 */
#include "c.h"

#include "kernel/filters/prefix_filter.h"
#include "kernel/filters/size_filter.h"
#include "kernel_test.h"
#include "random_sets.h"
#include "test_host.h"

#define RECORDS 150
#define ROUNDS 400

static void
append_random(JoinRecords *records)
{
	static Set sets[RECORDS];

	make_sets(sets, RECORDS, 2000, false, 1 + random_below(MAX_SET_SIZE));
	for (uint32 i = 0; i < RECORDS; i++)
		(void) JoinRecordsAppend(records, i, sets[i].tokens, sets[i].size);
	JoinCanonicalize(records);
}

/* The window of a size has every record, not larger, that can be similar, and no other. */
static uint32
wrong_starts(const JoinRecords *records, Predicate predicate)
{
	uint32 wrong = 0;

	for (uint32 i = 0; i < records->record_count; i++)
	{
		uint32 a = records->records[i].size;
		uint32 start = SizeFilterStart(records, predicate, a);

		for (uint32 n = 0; n <= i; n++)
		{
			uint32 b = records->records[n].size;
			bool is_similar = PredicateLeastOverlap(predicate, a, b) <= b;

			wrong += (n >= start) != is_similar;
		}
	}
	return wrong;
}

/* Where so many tokens of x remain, records end whose α is more. */
static uint32
wrong_ends(const JoinRecords *records, Predicate predicate, uint32 *looked_at)
{
	LeastOverlaps overlaps;
	SizeFilterEnds ends;
	uint32 wrong = 0;

	LeastOverlapsInit(&overlaps, records->host, predicate, records->largest);
	SizeFilterEndsInit(&ends, records, &overlaps);
	for (uint32 c = 0; c < records->class_count; c++)
	{
		uint32 a = records->class_sizes[c];
		uint32 start = SizeFilterStart(records, predicate, a);

		for (int64 i = 0; i < PrefixFilterOfSide(predicate, a, false); i++)
		{
			uint32 end = SizeFilterEnd(&ends, c, (uint32) i);

			for (uint32 n = start; n < records->record_count; n++, ++*looked_at)
				wrong += (n < end) !=
						 (PredicateLeastOverlap(predicate, a, records->records[n].size) <= a - i);
		}
	}
	SizeFilterEndsFree(&ends, records);
	LeastOverlapsFree(&overlaps);
	return wrong;
}

static void
test_windows(void)
{
	const Measure measures[] = {MEASURE_JACCARD, MEASURE_COSINE, MEASURE_DICE, MEASURE_OVERLAP,
								MEASURE_HAMMING};
	uint32 starts = 0;
	uint32 ends = 0;
	uint32 looked_at = 0;

	for_each_case (round, ROUNDS, starts + ends)
	{
		Predicate predicate = random_predicate(measures[round % lengthof(measures)]);
		JoinHost host = test_host();
		JoinRecords records;

		JoinRecordsInit(&records, &host);
		append_random(&records);
		starts += wrong_starts(&records, predicate);
		ends += wrong_ends(&records, predicate, &looked_at);
		JoinRecordsFree(&records);
	}
	ok(starts == 0, "a window begins at the first record that is large enough");
	ok(ends == 0, "and ends, at each position, before the first that is too large");
	ok(enough(looked_at > 100000), "of many records and positions");
}

int
main(void)
{
	test_windows();
	return done_testing();
}
