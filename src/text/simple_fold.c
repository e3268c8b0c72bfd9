/*
 * simple_fold.c
 *		The table of characters whose normalized form is one code point.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "text/compose.h"
#include "text/decompose.h"
#include "text/simple_fold.h"

/* The conjoining letters of Hangul, which are no marks, but compose. */
#define FIRST_JAMO 0x1100
#define LAST_JAMO 0x11FF

uint16 *simple_fold_pages[SIMPLE_FOLD_END / SIMPLE_FOLD_PAGE];

static bool
may_compose_with_previous(int32 codepoint)
{
	return UnicodeIsMark(codepoint) || UnicodeCombiningClass(codepoint) != 0 ||
		   (codepoint >= FIRST_JAMO && codepoint <= LAST_JAMO);
}

/* Returns what SimpleFold returns for a character. */
static uint16
fold(int32 codepoint)
{
	int32 codepoints[LONGEST_DECOMPOSITION];
	Size count = DecomposeFolded(codepoint, codepoints);

	if (count == 0 || may_compose_with_previous(codepoints[0]) ||
		ComposeCanonical(codepoints, count) != 1 || codepoints[0] >= SIMPLE_FOLD_END)
		return 0;
	return UnicodeIsWord(codepoints[0]) ? (uint16) codepoints[0] : ' ';
}

void
SimpleFoldMakePage(int page)
{
	uint16 *folded =
		MemoryContextAlloc(TopMemoryContext, SIMPLE_FOLD_PAGE * sizeof(*simple_fold_pages[page]));

	for (int i = 0; i < SIMPLE_FOLD_PAGE; i++)
		folded[i] = fold(page * SIMPLE_FOLD_PAGE + i);
	simple_fold_pages[page] = folded;
}
