/*
 * progress_view.c
 *		Keeps reports in shared memory, and has the function behind the view.
 *
 * Each backend writes a slot of its own. A reader copies a slot, and copies it again if the slot's
 * change count shows that it was written meanwhile. So there are no locks, and nobody waits. The
 * protocol and its macros come from utils/backend_status.h.
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "utils/acl.h"
#include "utils/backend_status.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "progress/progress_view.h"

#if PG_VERSION_NUM >= 170000
#define nd_proc_number() MyProcNumber
#else
#define nd_proc_number() MyProc->pgprocno
#endif

PG_FUNCTION_INFO_V1(neardup_progress);

typedef struct ProgressSlot
{
	int st_changecount; /* odd while the slot is written; its name is what the macros expect */
	int pid;			/* 0 if the backend has no join */
	Oid database;
	Oid user;
	ProgressReport report;
} ProgressSlot;

/* The slots, by process number; NULL unless the library is preloaded. */
static ProgressSlot *slots = NULL;

static shmem_request_hook_type previous_request_hook = NULL;
static shmem_startup_hook_type previous_startup_hook = NULL;

static Size
slots_size(void)
{
	return mul_size(MaxBackends, sizeof(ProgressSlot));
}

static void
request_slots(void)
{
	if (previous_request_hook)
		previous_request_hook();
	RequestAddinShmemSpace(slots_size());
}

static void
make_slots(void)
{
	bool found;

	if (previous_startup_hook)
		previous_startup_hook();
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	slots = ShmemInitStruct("neardup progress", slots_size(), &found);
	if (!found)
		memset(slots, 0, slots_size());
	LWLockRelease(AddinShmemInitLock);
}

void
ProgressViewInit(void)
{
	previous_request_hook = shmem_request_hook;
	shmem_request_hook = request_slots;
	previous_startup_hook = shmem_startup_hook;
	shmem_startup_hook = make_slots;
}

bool
ProgressViewIsThere(void)
{
	return slots != NULL;
}

void
ProgressViewShow(const ProgressReport *report)
{
	ProgressSlot *slot;

	if (slots == NULL)
		return;
	Assert(nd_proc_number() < MaxBackends);
	slot = &slots[nd_proc_number()];
	PGSTAT_BEGIN_WRITE_ACTIVITY(slot);
	slot->pid = MyProcPid;
	slot->database = MyDatabaseId;
	slot->user = GetSessionUserId();
	slot->report = *report;
	PGSTAT_END_WRITE_ACTIVITY(slot);
}

void
ProgressViewHide(void)
{
	ProgressSlot *slot;

	if (slots == NULL)
		return;
	slot = &slots[nd_proc_number()];
	PGSTAT_BEGIN_WRITE_ACTIVITY(slot);
	slot->pid = 0;
	PGSTAT_END_WRITE_ACTIVITY(slot);
}

/* Returns a consistent copy of a slot. */
static ProgressSlot
read_slot(const volatile ProgressSlot *slot)
{
	for (;;)
	{
		ProgressSlot copy;
		int before;
		int after;

		pgstat_begin_read_activity(slot, before);
		memcpy(&copy, (const void *) slot, sizeof(copy));
		pgstat_end_read_activity(slot, after);
		if (pgstat_read_activity_complete(before, after))
			return copy;
		CHECK_FOR_INTERRUPTS();
	}
}

/* Returns whether the current user may see what a user's join does, by pg_stat_activity's rule. */
static bool
may_see(Oid user)
{
	return has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS) ||
		   has_privs_of_role(GetUserId(), user);
}

static Datum
interval_datum(int64 microseconds)
{
	Interval *interval = palloc0(sizeof(Interval));

	interval->time = microseconds;
	return IntervalPGetDatum(interval);
}

/* Returns a row of the view. Users who may not see the join see that there is one. */
static void
progress_put_row(ReturnSetInfo *result, const ProgressSlot *slot)
{
	enum
	{
		VISIBLE_TO_ALL = 2,
		COLUMNS = 11
	};
	const ProgressReport *report = &slot->report;
	Datum values[COLUMNS];
	bool nulls[COLUMNS] = {false};
	int i = 0;

	values[i++] = Int32GetDatum(slot->pid);
	values[i++] = ObjectIdGetDatum(slot->database);
	if (may_see(slot->user))
	{
		values[i++] = NameGetDatum(&report->function);
		values[i++] = CStringGetTextDatum(ProgressPhaseName(report->phase));
		values[i++] = Int32GetDatum(report->pass);
		values[i++] = Int64GetDatum(report->done);
		nulls[i] = report->total == 0;
		values[i++] = Int64GetDatum(report->total);
		values[i++] = Int64GetDatum(report->rows);
		values[i++] = Int64GetDatum(report->pairs);
		values[i++] = TimestampTzGetDatum(report->started);
		nulls[i] = report->time_left < 0;
		values[i++] = interval_datum(report->time_left);
		Assert(i == COLUMNS);
	}
	while (i < COLUMNS)
		nulls[i++] = true;
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

Datum
neardup_progress(PG_FUNCTION_ARGS)
{
	if (slots == NULL)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("neardup must be loaded via \"shared_preload_libraries\" to show "
							   "the progress of other sessions"),
						errhint("A session reports its own joins without that, after SET "
								"neardup.progress = on.")));
	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < MaxBackends; i++)
	{
		ProgressSlot slot = read_slot(&slots[i]);

		if (slot.pid != 0)
			progress_put_row((ReturnSetInfo *) fcinfo->resultinfo, &slot);
	}
	return (Datum) 0;
}
