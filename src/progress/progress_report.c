/*
 * progress_report.c
 *		Names the phases of a join.
 */
#include "postgres.h"

#include "progress/progress_report.h"

const char *
ProgressPhaseName(ProgressPhase phase)
{
	switch (phase)
	{
		case PROGRESS_READING:
			return "reading";
		case PROGRESS_SORTING:
			return "sorting";
		case PROGRESS_CANONICALIZING:
			return "canonicalizing";
		case PROGRESS_INDEXING:
			return "indexing";
		case PROGRESS_PROBING:
			return "probing";
		case PROGRESS_BLOCKS:
			return "joining blocks";
		case PROGRESS_COMPARING:
			return "comparing columns";
		case PROGRESS_LEARNING:
			return "learning";
	}
	pg_unreachable();
}
