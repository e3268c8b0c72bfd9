/*
 * compose.c
 *		Canonical ordering and composition in linear time.
 *
 * Canonical composition (NFC) first sorts each run of marks by combining class, stably, and then
 * lets a letter absorb the marks that it has a precomposed form with: a letter, an acute and a dot
 * below become the letter with a dot below, and then that letter with the acute as well.
 *
 * utf8proc sorts the marks of a letter in quadratic time, and composes in one call that cannot be
 * cancelled. Against a text that is one letter with millions of marks, marks are sorted here, and
 * of a long run only the first MARKS_OF_A_CLASS of each class are given to utf8proc. That is
 * enough. A letter absorbs at most three marks, since canonical decompositions have at most four
 * code points, and a mark that it cannot absorb blocks all later ones of the same class. The marks
 * that were held back are then merged with those that remain.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/shmem.h"
#include "utils/memutils.h"

#include "text/compose.h"
#include "text/unicode.h"

#define CLASSES 256	  /* combining classes */
#define SHORT_RUN 32  /* marks that insertion sorts fastest */
#define LONG_RUN 4096 /* marks that utf8proc may compose at once */
#define MARKS_OF_A_CLASS 8
#define IOTA 0x03B9

static void
insertion_sort_marks(int32 *marks, Size count)
{
	for (Size i = 1; i < count; i++)
	{
		int32 mark = marks[i];
		int ccc = UnicodeCombiningClass(mark);
		Size j = i;

		for (; j > 0 && UnicodeCombiningClass(marks[j - 1]) > ccc; j--)
			marks[j] = marks[j - 1];
		marks[j] = mark;
	}
}

static void
counting_sort_marks(int32 *marks, Size count)
{
	Size starts[CLASSES + 1] = {0};
	int32 *sorted = MemoryContextAllocHuge(CurrentMemoryContext, mul_size(count, sizeof(int32)));

	for (Size i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		starts[UnicodeCombiningClass(marks[i]) + 1]++;
	}
	for (int ccc = 0; ccc < CLASSES; ccc++)
		starts[ccc + 1] += starts[ccc];
	for (Size i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		sorted[starts[UnicodeCombiningClass(marks[i])]++] = marks[i];
	}
	memcpy(marks, sorted, count * sizeof(int32));
	pfree(sorted);
}

/*
 * Folds each YPOGEGRAMMENI of an ordered run to iota, and returns how many marks come before them.
 * They are the last ones of the run, since their class, 240, is the highest.
 */
static Size
fold_ypogegrammeni(int32 *marks, Size count)
{
	for (; count > 0 && marks[count - 1] == YPOGEGRAMMENI; count--)
		marks[count - 1] = IOTA;
	return count;
}

/* Composes ordered code points in place by utf8proc; returns how many remain. */
static Size
compose(int32 *codepoints, Size count)
{
	utf8proc_ssize_t composed = utf8proc_normalize_utf32(codepoints, (utf8proc_ssize_t) count,
														 UTF8PROC_STABLE | UTF8PROC_COMPOSE);

	if (composed < 0)
		elog(ERROR, "utf8proc could not compose: %s", utf8proc_errmsg(composed));
	return (Size) composed;
}

/*
 * Moves the marks of each class beyond the first MARKS_OF_A_CLASS to the end of an ordered run;
 * returns how many stay at its front. Both parts keep their order.
 */
static Size
partition_marks(int32 *marks, Size count)
{
	int32 *surplus = MemoryContextAllocHuge(CurrentMemoryContext, mul_size(count, sizeof(int32)));
	Size kept = 0;
	Size moved = 0;
	int current = -1;
	int of_class = 0;

	for (Size i = 0; i < count; i++)
	{
		int ccc = UnicodeCombiningClass(marks[i]);

		CHECK_FOR_INTERRUPTS();
		of_class = ccc == current ? of_class + 1 : 1;
		current = ccc;
		if (of_class <= MARKS_OF_A_CLASS)
			marks[kept++] = marks[i];
		else
			surplus[moved++] = marks[i];
	}
	memcpy(marks + kept, surplus, moved * sizeof(int32));
	pfree(surplus);
	return kept;
}

/*
 * Composes code points whose last part, from `run` on, is a long run of marks; returns how many
 * remain. Only the front of the run can be absorbed; what is left of it is sorted again with the
 * rest.
 */
static Size
compose_long_run(int32 *codepoints, Size run, Size count)
{
	Size head = run + partition_marks(codepoints + run, count - run);
	Size composed = compose(codepoints, head);

	memmove(codepoints + composed, codepoints + head, (count - head) * sizeof(int32));
	count -= head - composed;
	while (composed > 0 && UnicodeCombiningClass(codepoints[composed - 1]) != 0)
		composed--;
	counting_sort_marks(codepoints + composed, count - composed);
	return count;
}

/*
 * Sorts run by run. Everything before the end of a long run is composed at once, so that the part
 * from `done` on, which is not composed yet, never has a long run in it. `result` is the end of
 * what is composed, moved to the front.
 */
Size
ComposeCanonical(int32 *codepoints, Size count)
{
	Size done = 0;
	Size result = 0;
	Size i = 0;

	while (i < count)
	{
		Size run = i;
		Size end;

		for (; i < count && UnicodeCombiningClass(codepoints[i]) != 0; i++)
			CHECK_FOR_INTERRUPTS();
		if (i == run)
		{
			i++;
			continue;
		}
		if (i - run <= SHORT_RUN)
			insertion_sort_marks(codepoints + run, i - run);
		else
			counting_sort_marks(codepoints + run, i - run);
		end = run + fold_ypogegrammeni(codepoints + run, i - run);
		if (end - run > LONG_RUN)
		{
			Size composed = compose_long_run(codepoints + done, run - done, end - done);

			memmove(codepoints + result, codepoints + done, composed * sizeof(int32));
			result += composed;
			done = end;
		}
	}
	if (done < count)
	{
		Size composed = compose(codepoints + done, count - done);

		memmove(codepoints + result, codepoints + done, composed * sizeof(int32));
		result += composed;
	}
	return result;
}
