/*
 * crew_plan.c
 *		How many workers a join is worth.
 *
 * The times here are those of one processor core with AVX-512, and are only compared with each other.
 */
#include "postgres.h"

#include "join/crew_plan.h"
#include "join/kernel/list_index.h"
#include "join/kernel/meetings.h"

/* Nanoseconds. A posting is written, sorted into its list, and compared with others. */
#define TIME_OF_POSTING 16
#define TIME_OF_MEETING 2
/* Where records are joined one by one, each entry of a list is somewhere else in memory. */
#define TIME_OF_MEETING_BY_RECORD 10
/* Of a token of a pair that is compared, in each list or once for all, when few pairs are left. */
#define TIME_OF_COMPARED 10
#define TIME_OF_COMPARED_BY_RECORD 0.3
/* Of a pair that needs no common token. */
#define TIME_OF_FREE_PAIR 18
/* Of a component of a sketch, for a token; of a key, for a record. */
#define TIME_OF_COMPONENT 0.2
#define TIME_OF_KEY 40

/* Where signatures of one word let a smaller share pass, no time for comparing is reckoned with. */
#define LEAST_PASSING 0.01

#define TIME_TO_SHARE_BYTE 1.2

/* By how much a worker must save more than it costs, since neither is known well. */
#define MARGIN 1.25

static double
time_of_buckets(const JoinRecords *records)
{
	const BucketSpec *buckets = records->buckets;
	double components = (double) buckets->keys * buckets->rows;

	/* Super-shingles are made of sketches, of which each component is a token. */
	if (buckets->kind != BUCKETS_OF_BANDS)
		components = buckets->rows;
	return records->token_count * components * TIME_OF_COMPONENT +
		   (double) records->record_count * buckets->keys * TIME_OF_KEY;
}

static double
time_of_meeting(JoinAlgorithm algorithm)
{
	return algorithm == JOIN_AUTO ? TIME_OF_MEETING : TIME_OF_MEETING_BY_RECORD;
}

static double
time_of_compared(JoinAlgorithm algorithm)
{
	return algorithm == JOIN_AUTO ? TIME_OF_COMPARED : TIME_OF_COMPARED_BY_RECORD;
}

static double
time_to_join(const JoinRecords *records, Predicate predicate, JoinAlgorithm algorithm)
{
	ListWork work;

	if (algorithm == JOIN_BUCKETS)
		return time_of_buckets(records);
	work = JoinListWork(records, predicate, algorithm);
	return work.postings * TIME_OF_POSTING + work.meetings * time_of_meeting(work.algorithm) +
		   work.compared * time_of_compared(work.algorithm) + work.free_pairs * TIME_OF_FREE_PAIR;
}

/* If each posting met all records, and each record were compared with all for which that can be. */
static double
most_time_to_join(const JoinRecords *records, const JoinLoad *load)
{
	double count = records->record_count;
	double time;

	if (load->algorithm == JOIN_BUCKETS)
		return time_of_buckets(records);
	time = load->postings * (TIME_OF_POSTING + count * time_of_meeting(load->algorithm));
	if (ListSignaturesPass(load->predicate, load->largest, 1) > LEAST_PASSING)
		time += count * records->token_count * TIME_OF_COMPARED;
	if (PredicateGreatestFreeSize(load->predicate, 1) > 0)
		time += count * count * TIME_OF_FREE_PAIR;
	return time;
}

int
JoinCrewWorth(const JoinRecords *records, const JoinLoad *load, Predicate predicate,
			  double *time_to_start, int most)
{
	double bytes = (double) records->token_count * sizeof(uint32) +
				   (double) records->record_count * sizeof(JoinRecord);
	double time_to_share = bytes * TIME_TO_SHARE_BYTE;
	double cost = MARGIN * (time_to_share + *time_to_start);
	double saved_by_one;

	/* One worker does half of it. */
	if (most_time_to_join(records, load) / 2 <= cost)
		return 0;
	saved_by_one = time_to_join(records, predicate, load->algorithm) / 2;
	if (saved_by_one >= cost)
		return (int) Min((double) most, saved_by_one / cost);
	*time_to_start -= Max(saved_by_one / MARGIN - time_to_share, 0);
	return 0;
}
