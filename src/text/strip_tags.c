/*
 * strip_tags.c
 *		Taking HTML and XML tags out of a text.
 *
 * What a tag is follows the tokenizer of the HTML standard where texts differ
 * from one another, and leaves out its thousand cases where they do not:
 *
 * - "<" opens a tag only before a letter, "/", "!" or "?". The tag ends at the
 *   next ">" that is not in quotes; quotes are the value of an attribute, so
 *   they open only after "=" (an apostrophe elsewhere is an apostrophe).
 * - "<!--" opens a comment, which ends at "-->".
 * - "<![CDATA[" and "]]>" are markup, what stands between them is text.
 * - The content of script and style, up to their end tag, is markup.
 * - What never ends is text, from its "<" on, and is looked at for other tags.
 *
 * The last rule asks for care, or a text of "<a <a <a" would be scanned to its
 * end from each "<". The search for a fixed string that failed once fails from
 * any later place too, which one flag for each remembers. Whether a tag ends is a
 * run of an automaton of four states; the first time that one does not, a pass
 * from the end of the text backwards finds for all "<" at once from which of them
 * the automaton comes to an end (one bit for each byte of the text).
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "text/interrupts.h"
#include "text/strip.h"

typedef enum TagState
{
	IN_TAG,
	AFTER_EQUALS,
	IN_DOUBLE_QUOTES,
	IN_SINGLE_QUOTES,
	TAG_STATES
} TagState;

typedef struct TagScanner
{
	const char *start;
	const char *end;
	uint8 *terminated; /* NULL, or a bit for each byte: a tag opened here ends */
	bool no_comment_end;
	bool no_cdata_end;
	bool no_script_end;
	bool no_style_end;
} TagScanner;

static inline bool
IsBlank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool
IsLetter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The state after a character other than the ">" that ends the tag. */
static inline TagState
NextState(TagState state, char c)
{
	switch (state)
	{
		case IN_DOUBLE_QUOTES:
			return c == '"' ? IN_TAG : state;
		case IN_SINGLE_QUOTES:
			return c == '\'' ? IN_TAG : state;
		case AFTER_EQUALS:
			if (c == '"')
				return IN_DOUBLE_QUOTES;
			if (c == '\'')
				return IN_SINGLE_QUOTES;
			return IsBlank(c) || c == '=' ? state : IN_TAG;
		default:
			return c == '=' ? AFTER_EQUALS : IN_TAG;
	}
}

static inline bool
EndsTag(TagState state, char c)
{
	return c == '>' && (state == IN_TAG || state == AFTER_EQUALS);
}

/* Fills in which tags of the text end, from the end backwards. */
static void
FindTerminated(TagScanner *scanner)
{
	bool ends[TAG_STATES] = {false};
	Size length = scanner->end - scanner->start;

	scanner->terminated = MemoryContextAllocExtended(CurrentMemoryContext, length / 8 + 1,
													 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (Size i = length; i-- > 0;)
	{
		bool before[TAG_STATES];
		char c = scanner->start[i];

		CHECK_NOW_AND_THEN(i);
		for (int state = 0; state < TAG_STATES; state++)
			before[state] = EndsTag(state, c) || ends[NextState(state, c)];
		memcpy(ends, before, sizeof(ends));
		if (c == '<' && ends[IN_TAG])
			scanner->terminated[i / 8] |= 1 << (i % 8);
	}
}

/* Where the tag that opens at p ends, or NULL if it does not. */
static const char *
EndOfTag(TagScanner *scanner, const char *p)
{
	TagState state = IN_TAG;
	Size offset = p - scanner->start;

	if (scanner->terminated && (scanner->terminated[offset / 8] & 1 << (offset % 8)) == 0)
		return NULL;
	for (Size i = 1; p < scanner->end; p++, i++)
	{
		CHECK_NOW_AND_THEN(i);
		if (EndsTag(state, *p))
			return p + 1;
		state = NextState(state, *p);
	}
	FindTerminated(scanner);
	return NULL;
}

/* The end of the next such string at or after p; NULL, and remembered, if there is none. */
static const char *
EndOfString(TagScanner *scanner, const char *p, const char *string, bool *none)
{
	Size length = strlen(string);

	for (; !*none && (Size) (scanner->end - p) >= length; p++)
	{
		CHECK_FOR_INTERRUPTS();
		p = memchr(p, string[0], scanner->end - p - length + 1);
		if (p == NULL)
			break;
		if (memcmp(p, string, length) == 0)
			return p + length;
	}
	*none = true;
	return NULL;
}

/* Whether the name of an element, in any case, stands at p. */
static bool
AtName(TagScanner *scanner, const char *p, const char *name)
{
	Size length = strlen(name);

	if ((Size) (scanner->end - p) <= length || pg_strncasecmp(p, name, length) != 0)
		return false;
	return IsBlank(p[length]) || p[length] == '/' || p[length] == '>';
}

/* The end of the end tag of an element whose content begins at p. */
static const char *
EndOfElement(TagScanner *scanner, const char *p, const char *name, bool *none)
{
	for (; !*none && p < scanner->end; p++)
	{
		const char *end;

		CHECK_FOR_INTERRUPTS();
		p = memchr(p, '<', scanner->end - p);
		if (p == NULL)
			break;
		if (scanner->end - p > 2 && p[1] == '/' && AtName(scanner, p + 2, name) &&
			(end = EndOfTag(scanner, p)) != NULL)
			return end;
	}
	*none = true;
	return NULL;
}

/*
 * Where the markup that opens at p, a "<", ends; NULL if none does. Of a CDATA
 * section the text is set, which is empty for all others.
 */
static const char *
EndOfMarkup(TagScanner *scanner, const char *p, ByteSpan *text)
{
	Size rest = scanner->end - p;
	const char *end;
	const char *element = NULL;

	text->length = 0;
	if (rest < 3 || !(IsLetter(p[1]) || p[1] == '/' || p[1] == '!' || p[1] == '?'))
		return NULL;
	/* "<!-->" is a whole comment. */
	if (rest >= 4 && memcmp(p, "<!--", 4) == 0)
		return EndOfString(scanner, p + 2, "-->", &scanner->no_comment_end);
	if (rest >= 9 && memcmp(p, "<![CDATA[", 9) == 0)
	{
		end = EndOfString(scanner, p + 9, "]]>", &scanner->no_cdata_end);
		if (end)
			*text = (ByteSpan){p + 9, end - 3 - (p + 9)};
		return end;
	}
	end = EndOfTag(scanner, p);
	if (end == NULL)
		return NULL;
	if (AtName(scanner, p + 1, "script"))
		element = EndOfElement(scanner, end, "script", &scanner->no_script_end);
	else if (AtName(scanner, p + 1, "style"))
		element = EndOfElement(scanner, end, "style", &scanner->no_style_end);
	return element ? element : end;
}

Size
StripTags(const char *data, Size length, char *out)
{
	TagScanner scanner = {.start = data, .end = data + length};
	const char *p = data;
	Size used = 0;

	while (p < scanner.end)
	{
		const char *open = memchr(p, '<', scanner.end - p);
		const char *end;
		ByteSpan text;

		CHECK_FOR_INTERRUPTS();
		if (open == NULL)
			open = scanner.end;
		memcpy(out + used, p, open - p);
		used += open - p;
		p = open;
		if (p == scanner.end)
			break;
		end = EndOfMarkup(&scanner, p, &text);
		if (end == NULL)
		{
			out[used++] = *p++;
			continue;
		}
		out[used++] = ' ';
		if (text.length > 0)
		{
			memcpy(out + used, text.data, text.length);
			used += text.length;
			out[used++] = ' ';
		}
		p = end;
	}
	if (scanner.terminated)
		pfree(scanner.terminated);
	return used;
}
