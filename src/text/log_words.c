/*
 * log_words.c
 *		Division of a line of a log into words and values.
 *
 * Which words are values is told by how they are written, without a look at other lines: names of
 * users, say, are words here, and a document frequency tells them from the others.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "text/id_words.h"
#include "text/log_words.h"
#include "text/unicode.h"

static const char *const dates[] = {"Monday",	 "Tuesday", "Wednesday", "Thursday", "Friday",
									"Saturday",	 "Sunday",	"January",	 "February", "March",
									"April",	 "May",		"June",		 "July",	 "August",
									"September", "October", "November",	 "December"};

static const char *const units[] = {"B",   "kB",   "KB",  "MB",	  "GB", "TB", "PB", "KiB",
									"MiB", "GiB",  "TiB", "PiB",  "ns", "us", "ms", "s",
									"sec", "secs", "min", "mins", "h",	"%"};

/* The letters of the short forms of weekdays and months. */
#define SHORT_DATE 3

void
LogReaderInit(LogReader *reader, ByteSpan utf8)
{
	reader->begin = reader->next = (const uint8 *) utf8.data;
	reader->end = reader->begin + utf8.length;
	reader->after_value = false;
}

static inline bool
is_digit(const uint8 *p, const uint8 *end)
{
	return p < end && *p >= '0' && *p <= '9';
}

/* Returns whether one of the ASCII characters is at p. */
static inline bool
is_one_of(const uint8 *p, const uint8 *end, const char *characters)
{
	return p < end && *p != '\0' && *p < 0x80 && strchr(characters, *p) != NULL;
}

static inline bool
equals(const uint8 *word, Size length, const char *text)
{
	return strlen(text) == length && memcmp(word, text, length) == 0;
}

static bool
is_date(const uint8 *word, Size length)
{
	for (int i = 0; i < (int) lengthof(dates); i++)
		if (equals(word, length, dates[i]) ||
			(length == SHORT_DATE && memcmp(word, dates[i], SHORT_DATE) == 0))
			return true;
	return false;
}

/*
 * Returns whether a number follows at p, perhaps behind a blank or two and a month: "Fri, Jul  1".
 * Looks no further, so that a text of dates takes linear time.
 */
static bool
number_follows(const uint8 *p, const uint8 *end, bool may_be_month)
{
	IdWord word;

	for (int i = 0; i < 2 && is_one_of(p, end, " ,"); i++)
		p++;
	if (may_be_month && IdWordRead(p, end, &word) && is_date(p, word.end - p))
		return number_follows(word.end, end, false);
	return is_digit(p, end);
}

/* Returns the end of the unit that follows a number at p, perhaps behind a blank; else p. */
static const uint8 *
end_of_unit(const uint8 *p, const uint8 *end)
{
	const uint8 *unit = is_one_of(p, end, " ") ? p + 1 : p;
	IdWord word;

	if (is_one_of(unit, end, "%"))
		return unit + 1;
	if (IdWordRead(unit, end, &word))
		for (int i = 0; i < (int) lengthof(units); i++)
			if (equals(unit, word.end - unit, units[i]))
				return word.end;
	return p;
}

/*
 * Returns whether a byte may belong to a word; every byte outside of ASCII is taken as part of one.
 */
static inline bool
is_in_word(uint8 c)
{
	uint8 lower = c | 0x20;

	return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '_' || c >= 0x80;
}

/* Returns whether a path begins at p: a slash or backslash that follows no word, and a word. */
static bool
path_begins(const LogReader *reader, const uint8 *p)
{
	IdWord word;

	if (!is_one_of(p, reader->end, "/\\"))
		return false;
	if (p > reader->begin && is_in_word(p[-1]))
		return false;
	return IdWordRead(p + 1, reader->end, &word);
}

/* Returns whether a word that ends at p is what a path or address begins with: "C:\", "http://". */
static bool
is_scheme(const uint8 *word, const uint8 *p, const uint8 *end)
{
	if (!is_one_of(p, end, ":"))
		return false;
	if (is_one_of(p + 1, end, "\\"))
		return p - word == 1;
	return is_one_of(p + 1, end, "/") && is_one_of(p + 2, end, "/");
}

/* Whether a path or address ends before the character at p: a blank, quote, bracket or comma. */
static inline bool
ends_path(const uint8 *p, const uint8 *end)
{
	return *p <= ' ' || is_one_of(p, end, "\"'`()[]{}<>,;|*");
}

/* Returns the end of the path or address at p. */
static const uint8 *
end_of_path(const uint8 *p, const uint8 *end)
{
	while (p < end && !ends_path(p, end))
	{
		CHECK_FOR_INTERRUPTS();
		p++;
	}
	return p;
}

/* Returns the end of the run of letters without spaces at p, p if there is none. */
static const uint8 *
end_of_unspaced(const uint8 *p, const uint8 *end)
{
	while (p < end)
	{
		int32 codepoint;
		int length = Utf8Decode(p, end, &codepoint);

		CHECK_FOR_INTERRUPTS();
		if (!UnicodeIsUnspaced(codepoint))
			break;
		p += length;
	}
	return p;
}

/* Returns the end of the word at p, p if there is none, and whether it is a value. */
static const uint8 *
log_word_at(const LogReader *reader, const uint8 *p, bool *is_value)
{
	const uint8 *end = reader->end;
	IdWord word;

	*is_value = false;
	if (is_one_of(p, end, "*"))
	{
		*is_value = true;
		return p + 1;
	}
	if (path_begins(reader, p))
	{
		*is_value = true;
		return end_of_path(p, end);
	}
	if (!IdWordRead(p, end, &word))
		return end_of_unspaced(p, end);
	*is_value = true;
	if (is_scheme(p, word.end, end))
		return end_of_path(word.end, end);
	if (word.has_digit)
		return is_digit(word.end - 1, end) ? end_of_unit(word.end, end) : word.end;
	*is_value = word.has_dot || (is_date(p, word.end - p) && number_follows(word.end, end, true));
	return word.end;
}

/*
 * Returns the end of the bracket that begins at p and holds nothing but values, or nothing; else p.
 * Such a bracket is an aside that a line of the same event may lack: "18846 bytes (18.4 KB)". Looks
 * no further than the next bracket, so that a text of brackets takes linear time.
 */
static const uint8 *
end_of_aside(const LogReader *reader, const uint8 *p)
{
	const uint8 *next = p + 1;
	bool is_value;

	if (!is_one_of(p, reader->end, "([{"))
		return p;
	while (next < reader->end && !is_one_of(next, reader->end, "([{"))
	{
		const uint8 *word = next;
		int32 codepoint;

		CHECK_FOR_INTERRUPTS();
		if (is_one_of(word, reader->end, ")]}"))
			return word + 1;
		next = log_word_at(reader, word, &is_value);
		if (next == word)
			next += Utf8Decode(word, reader->end, &codepoint);
		else if (!is_value)
			return p;
	}
	return p;
}

bool
LogReaderNext(LogReader *reader, ByteSpan *word)
{
	bool is_value;

	while (reader->next < reader->end)
	{
		const uint8 *p = reader->next;
		int32 codepoint;

		CHECK_FOR_INTERRUPTS();
		reader->next = end_of_aside(reader, p);
		if (reader->next > p)
			continue;
		reader->next = log_word_at(reader, p, &is_value);
		if (reader->next == p)
			reader->next += Utf8Decode(p, reader->end, &codepoint);
		else if (!is_value || !reader->after_value)
		{
			reader->after_value = is_value;
			*word = is_value ? (ByteSpan){"*", 1} : (ByteSpan){(const char *) p, reader->next - p};
			return true;
		}
	}
	return false;
}
