/*
 * strip_tags.c
 *		Removal of HTML and XML tags.
 *
 * The text is read as the tokenizer of the HTML standard reads it, as far as the rules are common
 * to HTML and XML:
 *
 * - "<" before a letter, "/", "!" or "?" opens a tag, which ends at the next ">" outside quotes.
 *   Quotes open only after "=", so that an apostrophe elsewhere opens none.
 * - "<!--" opens a comment, which ends at "-->".
 * - "<![CDATA[" and "]]>" enclose text, which stays.
 * - The content of script and style elements is removed with their tags.
 * - Markup that never ends is text: in "a < b" and "x <y" nothing is removed.
 *
 * A search for an end that fails costs the rest of the text, and a text may have many beginnings
 * without an end ("<a <a <a ..."). To keep the time linear, flags remember that a string does not
 * occur again. Whether a tag ends depends on where it begins, since quotes may differ, so that
 * after the first tag without an end one backward pass finds all those that do end.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "text/bytes.h"
#include "text/strip_tags.h"

/* Tells in which part of a tag a character is. */
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
	uint8 *terminated; /* NULL until needed; a bit for each byte: a tag that begins there ends */

	/* The string does not occur in the rest of the text. */
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

/* Returns the state after a character that does not end the tag. */
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

/*
 * Finds each "<" whose tag ends. From behind, ends[state] says whether a tag that is in this state
 * at a character ends there or later; that follows from `ends` at the next character.
 */
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

		CHECK_FOR_INTERRUPTS();
		for (int state = 0; state < TAG_STATES; state++)
			before[state] = ends_tag(state, c) || ends[next_state(state, c)];
		memcpy(ends, before, sizeof(ends));
		if (c == '<' && ends[IN_TAG])
			scanner->terminated[i / 8] |= 1 << (i % 8);
	}
}

/* Returns the end of the tag that begins at p, NULL if it never ends. */
static const char *
end_of_tag(TagScanner *scanner, const char *p)
{
	TagState state = IN_TAG;
	Size offset = p - scanner->start;

	if (scanner->terminated && (scanner->terminated[offset / 8] & 1 << (offset % 8)) == 0)
		return NULL;
	for (; p < scanner->end; p++)
	{
		CHECK_FOR_INTERRUPTS();
		if (ends_tag(state, *p))
			return p + 1;
		state = next_state(state, *p);
	}
	find_terminated_tags(scanner);
	return NULL;
}

/* Returns the end of the next occurrence of a string; NULL, with *none set, if there is none. */
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

/* Returns whether the name of a tag is at p, in either case, and ends there. */
static bool
at_name(TagScanner *scanner, const char *p, const char *name)
{
	Size length = strlen(name);

	if ((Size) (scanner->end - p) <= length || pg_strncasecmp(p, name, length) != 0)
		return false;
	return is_blank(p[length]) || p[length] == '/' || p[length] == '>';
}

/*
 * Returns the end of the end tag of an element whose content begins at p; NULL, with *none set, if
 * there is none.
 */
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

/*
 * Returns the end of the markup at p, a "<", or NULL if there is none. Sets *text to the text of a
 * CDATA section, else to an empty one.
 */
static const char *
end_of_markup(TagScanner *scanner, const char *p, ByteSpan *text)
{
	Size rest = scanner->end - p;
	const char *end;
	const char *element = NULL;

	text->length = 0;
	if (rest < 3 || !(is_letter(p[1]) || p[1] == '/' || p[1] == '!' || p[1] == '?'))
		return NULL;
	/* The search begins within the opening, since "<!-->" is a whole comment. */
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

/* The result cannot be longer than the text: what a blank replaces has at least three bytes. */
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
