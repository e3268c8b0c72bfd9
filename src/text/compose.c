/*
 * compose.c
 *		Canonical ordering and composition of decomposed code points.
 *
 * utf8proc orders marks by exchanging neighbours, which is quadratic in the
 * marks on one letter, and composes in one call that cannot be cancelled. Both
 * are right for text and wrong for a hostile value of 100 MB of marks. So
 * ordering is done here, by counting where a run of marks is long, and from a
 * long run utf8proc is given only what can compose:
 *
 * A starter composes with a mark only if no mark that stays between them has
 * the same or a higher class. In an ordered run, therefore, once a mark of a
 * class stays, all later ones of its class do. A canonical decomposition
 * (stable, by Unicode's policy) has at most four code points, so at most three
 * marks vanish into a starter, and of each class at least one of the first
 * MARKS_OF_A_CLASS stays: the others need not be looked at.
 */
#include "postgres.h"

#include <utf8proc.h>

#include "utils/memutils.h"

#include "text/compose.h"
#include "text/interrupts.h"

#define CLASSES 256
#define SHORT_RUN 32
#define LONG_RUN 4096
#define MARKS_OF_A_CLASS 8
#define IOTA 0x03B9

int
CombiningClass(int32 codepoint)
{
	return utf8proc_get_property(codepoint)->combining_class;
}

static void
InsertionSortMarks(int32 *marks, Size count)
{
	for (Size i = 1; i < count; i++)
	{
		int32 mark = marks[i];
		int ccc = CombiningClass(mark);
		Size j = i;

		for (; j > 0 && CombiningClass(marks[j - 1]) > ccc; j--)
			marks[j] = marks[j - 1];
		marks[j] = mark;
	}
}

static void
CountingSortMarks(int32 *marks, Size count)
{
	Size starts[CLASSES + 1] = {0};
	int32 *sorted = MemoryContextAllocHuge(CurrentMemoryContext, mul_size(count, sizeof(int32)));

	for (Size i = 0; i < count; i++)
	{
		CHECK_NOW_AND_THEN(i);
		starts[CombiningClass(marks[i]) + 1]++;
	}
	for (int ccc = 0; ccc < CLASSES; ccc++)
		starts[ccc + 1] += starts[ccc];
	for (Size i = 0; i < count; i++)
	{
		CHECK_NOW_AND_THEN(i);
		sorted[starts[CombiningClass(marks[i])]++] = marks[i];
	}
	memcpy(marks, sorted, count * sizeof(int32));
	pfree(sorted);
}

/*
 * Folds what is YPOGEGRAMMENI among marks in order; its class is the highest,
 * so it is last. Returns how many marks remain before the letters.
 */
static Size
FoldYpogegrammeni(int32 *marks, Size count)
{
	for (; count > 0 && marks[count - 1] == YPOGEGRAMMENI; count--)
	{
		CHECK_NOW_AND_THEN(count);
		marks[count - 1] = IOTA;
	}
	return count;
}

/* Composes what is in canonical order, in place; returns how many remain. */
static Size
Compose(int32 *codepoints, Size count)
{
	utf8proc_ssize_t composed = utf8proc_normalize_utf32(codepoints, (utf8proc_ssize_t) count,
														 UTF8PROC_STABLE | UTF8PROC_COMPOSE);

	if (composed < 0)
		elog(ERROR, "utf8proc could not compose: %s", utf8proc_errmsg(composed));
	return (Size) composed;
}

/*
 * Moves all but the first marks of each class behind the others; the marks
 * are in order, and both parts are afterwards. Returns the size of the first.
 */
static Size
PartitionMarks(int32 *marks, Size count)
{
	int32 *surplus = MemoryContextAllocHuge(CurrentMemoryContext, mul_size(count, sizeof(int32)));
	Size kept = 0;
	Size moved = 0;
	int current = -1;
	int of_class = 0;

	for (Size i = 0; i < count; i++)
	{
		int ccc = CombiningClass(marks[i]);

		CHECK_NOW_AND_THEN(i);
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
 * Composes the code points up to the end of a long run of marks, which begins
 * at run and is in order. Returns how many remain.
 */
static Size
ComposeLongRun(int32 *codepoints, Size run, Size count)
{
	Size head = run + PartitionMarks(codepoints + run, count - run);
	Size composed = Compose(codepoints, head);

	/* The marks that stayed, and behind a gap the surplus: in order again they are one run. */
	memmove(codepoints + composed, codepoints + head, (count - head) * sizeof(int32));
	count -= head - composed;
	while (composed > 0 && CombiningClass(codepoints[composed - 1]) != 0)
		composed--;
	CountingSortMarks(codepoints + composed, count - composed);
	return count;
}

Size
CanonicalCompose(int32 *codepoints, Size count)
{
	Size done = 0;
	Size result = 0;
	Size i = 0;

	while (i < count)
	{
		Size run = i;
		Size end;

		for (; i < count && CombiningClass(codepoints[i]) != 0; i++)
			CHECK_NOW_AND_THEN(i);
		if (i == run)
		{
			i++;
			continue;
		}
		if (i - run <= SHORT_RUN)
			InsertionSortMarks(codepoints + run, i - run);
		else
			CountingSortMarks(codepoints + run, i - run);
		end = run + FoldYpogegrammeni(codepoints + run, i - run);
		if (end - run > LONG_RUN)
		{
			Size composed = ComposeLongRun(codepoints + done, run - done, end - done);

			memmove(codepoints + result, codepoints + done, composed * sizeof(int32));
			result += composed;
			done = end;
		}
	}
	if (done < count)
	{
		Size composed = Compose(codepoints + done, count - done);

		memmove(codepoints + result, codepoints + done, composed * sizeof(int32));
		result += composed;
	}
	return result;
}
