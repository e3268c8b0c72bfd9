/*
 * progress.c
 *		Reports the progress of a running join.
 *
 * A timer sets a flag. So loops need not read the clock, and a process that waits for its workers
 * wakes up. If nobody gets the reports there is no timer.
 *
 * A join's reports end with its memory context. But the context of a failed join may live on, while
 * the host and the counts are gone with the stack: a cursor's context after a failed
 * subtransaction, and a function's context until ROLLBACK. So aborts end the reports of joins, too.
 */
#include "postgres.h"

#include "access/xact.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timeout.h"
#include "utils/timestamp.h"

#include "progress/progress.h"
#include "progress/progress_view.h"
#include "settings.h"

/* Milliseconds between reports to the view, at most. */
#define REPORT_INTERVAL 100

typedef struct JoinProgress
{
	struct JoinProgress *outer; /* the join that reads the pairs of this one, or NULL */
	MemoryContextCallback at_end;
	SubTransactionId subtransaction;
	JoinHost *host;
	const uint64 *rows;
	const uint64 *pairs;

	uint64 done;  /* units of the phase, if the host does not count them */
	uint64 total; /* 0 if the host does */
	bool is_last_pass;
	TimestampTz phase_started;

	int notice_interval; /* milliseconds; 0 for none */
	TimestampTz next_notice;
	ProgressReport report;
} JoinProgress;

volatile sig_atomic_t join_progress_is_due = false;

static JoinProgress *current = NULL;

static void
at_tick(void)
{
	join_progress_is_due = true;
}

/* Starts the timer if anybody gets reports of the current join, and stops it otherwise. */
static void
set_timer(void)
{
	static TimeoutId timer = MAX_TIMEOUTS;
	int interval = REPORT_INTERVAL;

	if (current == NULL || (current->notice_interval == 0 && !ProgressViewIsThere()))
	{
		if (timer != MAX_TIMEOUTS)
			disable_timeout(timer, false);
		return;
	}
	if (timer == MAX_TIMEOUTS)
		timer = RegisterTimeout(USER_TIMEOUT, at_tick);
	if (current->notice_interval > 0)
		interval = Min(interval, current->notice_interval);
	enable_timeout_every(timer, TimestampTzPlusMilliseconds(GetCurrentTimestamp(), interval),
						 interval);
}

/*
 * Ends the reports of a join, and of nothing if they have ended before. The outer join is reported
 * at its next check.
 */
static void
end_progress(void *join)
{
	JoinProgress **link = &current;

	while (*link != NULL && *link != join)
		link = &(*link)->outer;
	if (*link == NULL)
		return;
	*link = (*link)->outer;
	set_timer();
	join_progress_is_due = current != NULL;
	if (current == NULL)
		ProgressViewHide();
}

/* Ends the reports of joins that began in this subtransaction or within it. */
static void
end_since(SubTransactionId subtransaction)
{
	while (current != NULL && current->subtransaction >= subtransaction)
		end_progress(current);
}

static void
at_transaction_end(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_ABORT)
		end_since(TopSubTransactionId);
}

static void
at_subtransaction_end(SubXactEvent event, SubTransactionId subtransaction, SubTransactionId parent,
					  void *arg)
{
	if (event == SUBXACT_EVENT_ABORT_SUB)
		end_since(subtransaction);
}

/* Returns the units of the phase that are done, and their total, 0 if that is unknown. */
static uint64
units_done(const JoinProgress *progress, uint64 *total)
{
	const JoinHost *host = progress->host;

	*total = progress->total > 0 ? progress->total : host->total;
	if (progress->report.phase == PROGRESS_READING)
		return *progress->rows;
	if (progress->total == 0)
		return Min(host->done, host->total);
	return Min(progress->done, *total);
}

/* Returns the time left in microseconds, or -1 if it is unknown, as it is before the last phase. */
static int64
time_left(const JoinProgress *progress, TimestampTz now)
{
	const ProgressReport *report = &progress->report;
	bool is_last_phase = report->phase == PROGRESS_PROBING || report->phase == PROGRESS_BLOCKS;

	if (!is_last_phase || !progress->is_last_pass || report->total == 0 || report->done == 0)
		return -1;
	return (int64) ((double) (now - progress->phase_started) * (report->total - report->done) /
					report->done);
}

static void
make_report(JoinProgress *progress, TimestampTz now)
{
	ProgressReport *report = &progress->report;
	uint64 done = units_done(progress, &report->total);

	report->done = Max(report->done, done);
	report->rows = *progress->rows;
	report->pairs = *progress->pairs;
	report->time_left = time_left(progress, now);
}

static void
append_time_left(StringInfo text, int64 microseconds)
{
	int64 seconds = (microseconds + USECS_PER_SEC - 1) / USECS_PER_SEC;

	if (seconds < SECS_PER_MINUTE)
		appendStringInfo(text, ", " INT64_FORMAT " s left", seconds);
	else if (seconds < SECS_PER_HOUR)
		appendStringInfo(text, ", " INT64_FORMAT " min " INT64_FORMAT " s left",
						 seconds / SECS_PER_MINUTE, seconds % SECS_PER_MINUTE);
	else
		appendStringInfo(text, ", " INT64_FORMAT " h " INT64_FORMAT " min left",
						 seconds / SECS_PER_HOUR, seconds % SECS_PER_HOUR / SECS_PER_MINUTE);
}

static void
send_notice(const ProgressReport *report)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoString(&text, NameStr(report->function));
	if (report->pass > 1)
		appendStringInfo(&text, ", pass %d", report->pass);
	appendStringInfo(&text, ": %s", ProgressPhaseName(report->phase));
	if (report->total > 0)
		appendStringInfo(&text, ", %.1f%% done", 100.0 * report->done / report->total);
	if (report->phase == PROGRESS_READING)
		appendStringInfo(&text, ", " UINT64_FORMAT " rows", report->rows);
	else
		appendStringInfo(&text, ", " UINT64_FORMAT " pairs", report->pairs);
	if (report->time_left >= 0)
		append_time_left(&text, report->time_left);
	ereport(NOTICE, (errmsg_internal("%s", text.data)));
	pfree(text.data);
}

void
JoinProgressReport(void)
{
	TimestampTz now = GetCurrentTimestamp();

	join_progress_is_due = false;
	if (current == NULL)
		return;
	make_report(current, now);
	ProgressViewShow(&current->report);
	if (current->notice_interval == 0 || now < current->next_notice)
		return;
	current->next_notice = TimestampTzPlusMilliseconds(now, current->notice_interval);
	send_notice(&current->report);
}

void
JoinProgressBegin(MemoryContext context, const char *function, JoinHost *host, const uint64 *rows,
				  const uint64 *pairs)
{
	static bool is_registered = false;
	JoinProgress *progress = MemoryContextAllocZero(context, sizeof(JoinProgress));
	TimestampTz now = GetCurrentTimestamp();

	if (!is_registered)
	{
		RegisterXactCallback(at_transaction_end, NULL);
		RegisterSubXactCallback(at_subtransaction_end, NULL);
		is_registered = true;
	}

	progress->subtransaction = GetCurrentSubTransactionId();
	progress->host = host;
	progress->rows = rows;
	progress->pairs = pairs;
	progress->is_last_pass = true;
	progress->notice_interval = neardup_progress_is_on ? neardup_progress_interval : 0;
	progress->next_notice = TimestampTzPlusMilliseconds(now, progress->notice_interval);
	namestrcpy(&progress->report.function, function);
	progress->report.started = now;
	progress->report.pass = 1;

	progress->at_end.func = end_progress;
	progress->at_end.arg = progress;
	MemoryContextRegisterResetCallback(context, &progress->at_end);
	progress->outer = current;
	current = progress;
	set_timer();
	JoinProgressPhase(PROGRESS_READING, 0);
}

void
JoinProgressPhase(ProgressPhase phase, uint64 total)
{
	TimestampTz now;

	if (current == NULL)
		return;
	now = GetCurrentTimestamp();
	current->done = 0;
	current->total = total;
	current->host->done = current->host->total = 0;
	current->phase_started = now;
	current->report.phase = phase;
	current->report.done = 0;
	make_report(current, now);
	ProgressViewShow(&current->report);
}

void
JoinProgressAdvance(uint64 units)
{
	if (current == NULL)
		return;
	current->done += units;
	JoinProgressCheck();
}

void
JoinProgressPass(int32 pass, bool is_last)
{
	if (current == NULL)
		return;
	current->report.pass = pass;
	current->is_last_pass = is_last;
}
