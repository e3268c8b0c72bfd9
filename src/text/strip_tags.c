/*
 * strip_tags.c
 *		Removal of HTML and XML tags.
 *
 * The common rules of the HTML standard's tokenizer:
 *
 * - "<" before a letter, "/", "!" or "?" opens a tag, which ends at ">" outside quotes. Quotes open
 *   only after "=".
 * - "<!--" opens a comment, which ends at "-->".
 * - "<![CDATA[" and "]]>" enclose text.
 * - The content of script and style is markup.
 * - Markup that never ends is text.
 *
 * Time is linear: flags remember the strings that occur no more, and after the first tag without an
 * end one backward pass finds all "<" whose tags end.
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
	uint8 *terminated; /* by byte, one bit: a tag opened here ends */
	bool no_comment_end;
	bool no_cdata_end;
	bool no_script_end;
	bool no_style_end;
} TagScanner;

static inline bool
is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline TagState
next_state(TagState state, char c)
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
			return is_blank(c) || c == '=' ? state : IN_TAG;
		default:
			return c == '=' ? AFTER_EQUALS : IN_TAG;
	}
}

static inline bool
ends_tag(TagState state, char c)
{
	return c == '>' && (state == IN_TAG || state == AFTER_EQUALS);
}

static void
find_terminated_tags(TagScanner *scanner)
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
			before[state] = ends_tag(state, c) || ends[next_state(state, c)];
		memcpy(ends, before, sizeof(ends));
		if (c == '<' && ends[IN_TAG])
			scanner->terminated[i / 8] |= 1 << (i % 8);
	}
}

static const char *
end_of_tag(TagScanner *scanner, const char *p)
{
	TagState state = IN_TAG;
	Size offset = p - scanner->start;

	if (scanner->terminated && (scanner->terminated[offset / 8] & 1 << (offset % 8)) == 0)
		return NULL;
	for (Size i = 1; p < scanner->end; p++, i++)
	{
		CHECK_NOW_AND_THEN(i);
		if (ends_tag(state, *p))
			return p + 1;
		state = next_state(state, *p);
	}
	find_terminated_tags(scanner);
	return NULL;
}

/* End of the next occurrence; sets *none if NULL. */
static const char *
end_of_string(TagScanner *scanner, const char *p, const char *string, bool *none)
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

static bool
at_name(TagScanner *scanner, const char *p, const char *name)
{
	Size length = strlen(name);

	if ((Size) (scanner->end - p) <= length || pg_strncasecmp(p, name, length) != 0)
		return false;
	return is_blank(p[length]) || p[length] == '/' || p[length] == '>';
}

/* End of the end tag; p is in the content. */
static const char *
end_of_element(TagScanner *scanner, const char *p, const char *name, bool *none)
{
	for (; !*none && p < scanner->end; p++)
	{
		const char *end;

		CHECK_FOR_INTERRUPTS();
		p = memchr(p, '<', scanner->end - p);
		if (p == NULL)
			break;
		if (scanner->end - p > 2 && p[1] == '/' && at_name(scanner, p + 2, name) &&
			(end = end_of_tag(scanner, p)) != NULL)
			return end;
	}
	*none = true;
	return NULL;
}

/* End of the markup at p, or NULL. Sets text to that of CDATA, else to nothing. */
static const char *
end_of_markup(TagScanner *scanner, const char *p, ByteSpan *text)
{
	Size rest = scanner->end - p;
	const char *end;
	const char *element = NULL;

	text->length = 0;
	if (rest < 3 || !(is_letter(p[1]) || p[1] == '/' || p[1] == '!' || p[1] == '?'))
		return NULL;
	/* "<!-->" is a whole comment. */
	if (rest >= 4 && memcmp(p, "<!--", 4) == 0)
		return end_of_string(scanner, p + 2, "-->", &scanner->no_comment_end);
	if (rest >= 9 && memcmp(p, "<![CDATA[", 9) == 0)
	{
		end = end_of_string(scanner, p + 9, "]]>", &scanner->no_cdata_end);
		if (end)
			*text = (ByteSpan){p + 9, end - 3 - (p + 9)};
		return end;
	}
	end = end_of_tag(scanner, p);
	if (end == NULL)
		return NULL;
	if (at_name(scanner, p + 1, "script"))
		element = end_of_element(scanner, end, "script", &scanner->no_script_end);
	else if (at_name(scanner, p + 1, "style"))
		element = end_of_element(scanner, end, "style", &scanner->no_style_end);
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
		end = end_of_markup(&scanner, p, &text);
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
