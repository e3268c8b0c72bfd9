/*
 * passages_test.c
 *		Common runs, repeated words and frequent grams, against brute force.
 *
 * The character of word i of a row is 10 * i + 1, and it has 7 of them.
 */
#include "c.h"

#include "passages/kernel/common_runs.h"
#include "passages/kernel/repeats.h"
#include "kernel_test.h"
#include "test_host.h"

#define MOST_WORDS 40000
#define MOST_ROWS 400
#define MOST_FOUND 4000000

/* Limits with which all is in memory, and in files as far as it can be. */
#define MEMORY SIZE_MAX
#define FILES 0

/* The rows. */
static uint64 tokens[MOST_WORDS];
static bool begins[MOST_WORDS]; /* sentences */
static uint32 starts[MOST_ROWS + 1];
static uint32 row_count;

/* Rows of random words, with copies of stretches of earlier words. */
static void
random_rows(uint32 rows, uint32 most_length, uint32 alphabet, uint32 copies_of_ten)
{
	uint32 count = 0;

	row_count = rows;
	for (uint32 row = 0; row < rows; row++)
	{
		uint32 length = random_below(most_length + 1);

		starts[row] = count;
		while (length > 0)
		{
			uint32 stretch = 1 + random_below(40);
			bool is_copy;
			uint32 from;

			stretch = Min(stretch, length);
			is_copy = count > stretch && random_below(10) < copies_of_ten;
			from = is_copy ? random_below(count - stretch) : 0;
			for (uint32 i = 0; i < stretch; i++)
				tokens[count + i] =
					is_copy ? tokens[from + i]
							: (random_below(alphabet) + 1) * UINT64CONST(0x9e3779b97f4a7c15);
			count += stretch;
			length -= stretch;
		}
		starts[row + 1] = count;
	}
	for (uint32 i = 0; i < count; i++)
		begins[i] = random_below(5) == 0;
	for (uint32 row = 0; row < rows; row++)
	{
		if (starts[row] < count)
			begins[starts[row]] = true;
	}
}

static void
add_rows(Passages *passages, JoinHost *host, Size limit, uint32 words)
{
	PassagesInit(passages, host, limit, words);
	for (uint32 row = 0; row < row_count; row++)
	{
		for (uint32 i = starts[row]; i < starts[row + 1]; i++)
		{
			uint32 from = 10 * (i - starts[row]) + 1;
			bool ends = i + 1 == starts[row + 1] || begins[i + 1];

			PassagesAddWord(passages, tokens[i], from | (begins[i] ? PASSAGE_WORD_BEGINS : 0),
							(from + 7) | (ends ? PASSAGE_WORD_ENDS : 0));
		}
		PassagesEndRow(passages);
	}
	PassagesFindGrams(passages);
}

/* What is found, as lines of numbers. */
typedef struct Line
{
	uint64 numbers[6];
} Line;

typedef struct Lines
{
	Line *lines;
	uint32 count;
} Lines;

static Lines found = {0};
static Lines expected = {0};

static void
add_line(Lines *lines, uint64 a, uint64 b, uint64 c, uint64 d, uint64 e, uint64 f)
{
	if (lines->lines == NULL)
		lines->lines = malloc(MOST_FOUND * sizeof(Line));
	if (lines->count == MOST_FOUND)
		abort();
	lines->lines[lines->count++] = (Line){{a, b, c, d, e, f}};
}

static int
compare_lines(const void *a, const void *b)
{
	for (int i = 0; i < 6; i++)
	{
		uint64 x = ((const Line *) a)->numbers[i];
		uint64 y = ((const Line *) b)->numbers[i];

		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

/* Whether the same was found and expected; begins again. */
static bool
same_lines(void)
{
	bool same = found.count == expected.count;

	if (found.count > 0)
		qsort(found.lines, found.count, sizeof(Line), compare_lines);
	if (expected.count > 0)
		qsort(expected.lines, expected.count, sizeof(Line), compare_lines);
	for (uint32 i = 0; same && i < found.count; i++)
		same = compare_lines(&found.lines[i], &expected.lines[i]) == 0;
	found.count = expected.count = 0;
	return same;
}

static uint32
equal_words(uint32 x, uint32 x_end, uint32 y, uint32 y_end)
{
	uint32 words = 0;

	while (x + words < x_end && y + words < y_end && tokens[x + words] == tokens[y + words])
		words++;
	return words;
}

static uint32
end_of_row(uint32 word)
{
	uint32 row = 0;

	while (starts[row + 1] <= word)
		row++;
	return starts[row + 1];
}

static bool
row_has_gram(uint32 row, uint32 gram, uint32 words)
{
	for (uint32 i = starts[row]; i + words <= starts[row + 1]; i++)
	{
		if (memcmp(&tokens[i], &tokens[gram], words * sizeof(uint64)) == 0)
			return true;
	}
	return false;
}

/* How many rows have the gram at a word; 0 if the row ends within it. */
static uint32 rows_of_gram[MOST_WORDS];

static void
count_rows(uint32 words)
{
	for (uint32 i = 0; i < starts[row_count]; i++)
	{
		rows_of_gram[i] = 0;
		for (uint32 row = 0; row < row_count && i + words <= end_of_row(i); row++)
			rows_of_gram[i] += row_has_gram(row, i, words);
	}
}

static bool
is_boilerplate(uint32 from, uint32 run, uint32 words, uint64 most_rows)
{
	for (uint32 i = from; i + words <= from + run; i++)
	{
		if (rows_of_gram[i] <= most_rows)
			return false;
	}
	return true;
}

static void
expect_runs(uint32 words, uint32 left_count, uint64 most_rows)
{
	for (uint32 a = 0; a < row_count; a++)
		for (uint32 b = a + 1; b < row_count; b++)
		{
			if (left_count > 0 && (a >= left_count || b < left_count))
				continue;
			for (uint32 i = starts[a]; i < starts[a + 1]; i++)
				for (uint32 j = starts[b]; j < starts[b + 1]; j++)
				{
					uint32 run;

					if (tokens[i] != tokens[j] ||
						(i > starts[a] && j > starts[b] && tokens[i - 1] == tokens[j - 1]))
						continue;
					run = equal_words(i, starts[a + 1], j, starts[b + 1]);
					if (run >= words &&
						!(most_rows > 0 && is_boilerplate(i, run, words, most_rows)))
						add_line(&expected, a, b, 10 * (i - starts[a]) + 1,
								 10 * (j - starts[b]) + 1, run, 10 * (j + run - starts[b]) - 2);
				}
		}
}

static void
take_run(void *context, const CommonRun *run)
{
	add_line(&found, run->a, run->b, run->a_from, run->b_from, run->words, run->b_to);
}

static bool
runs_are_right(Size limit, uint32 words, uint32 left_count, uint64 most_rows)
{
	JoinHost host = test_host();
	FrequentGrams frequent;
	Passages passages;
	CommonRunsSpec spec = {.left_count = left_count, .take = take_run};

	add_rows(&passages, &host, limit, words);
	if (most_rows > 0)
	{
		FrequentGramsFind(&frequent, &passages, most_rows);
		spec.frequent = &frequent;
	}
	CommonRunsFind(&passages, &spec);
	if (most_rows > 0)
		FrequentGramsFree(&frequent);
	PassagesFree(&passages);
	expect_runs(words, left_count, most_rows);
	return same_lines() && host.bytes == 0 && open_files == 0;
}

/* The first word with an equal gram before this one, or the word itself. */
static uint32
first_place(uint32 word, uint32 words)
{
	uint32 row = 0;

	for (uint32 i = 0; i < word; i++)
	{
		while (starts[row + 1] <= i)
			row++;
		if (i + words <= starts[row + 1] &&
			memcmp(&tokens[i], &tokens[word], words * sizeof(uint64)) == 0)
			return i;
	}
	return word;
}

static void
expect_repeats(uint32 words, uint32 first_row, bool whole_sentences)
{
	static bool repeated[MOST_WORDS];
	static uint32 first[MOST_WORDS];

	memset(repeated, 0, sizeof(repeated));
	for (uint32 row = first_row; row < row_count; row++)
		for (uint32 i = starts[row]; i + words <= starts[row + 1]; i++)
		{
			first[i] = first_place(i, words);
			for (uint32 k = i; k < i + words && first[i] < i; k++)
				repeated[k] = true;
		}
	for (uint32 row = first_row; row < row_count; row++)
	{
		uint32 longest = 0;
		uint32 source = 0;
		uint32 source_row = 0;
		bool is_any = false;

		for (uint32 i = starts[row], end; i + words <= starts[row + 1]; i = end)
		{
			end = i + 1;
			if (first[i] == i)
				continue;
			while (end + words <= starts[row + 1] && first[end] != end &&
				   first[end] == first[i] + (end - i) && first[end] < end_of_row(first[i]))
				end++;
			if (end - i > longest)
			{
				longest = end - i;
				source = first[i];
			}
		}
		for (uint32 i = starts[row], end; i < starts[row + 1]; i = end)
		{
			uint32 from = i;
			uint32 to;

			end = i + 1;
			if (!repeated[i])
				continue;
			while (end < starts[row + 1] && repeated[end])
				end++;
			to = end;
			while (whole_sentences && from < to && !begins[from])
				from++;
			while (whole_sentences && from < to && to < starts[row + 1] && !begins[to])
				to--;
			if (from == to)
				continue;
			add_line(&expected, row, 0, 10 * (from - starts[row]) + 1, 10 * (to - starts[row]) - 2,
					 0, 0);
			is_any = true;
		}
		while (is_any && starts[source_row + 1] <= source)
			source_row++;
		if (is_any)
			add_line(&expected, row, 1, source_row, 10 * (source - starts[source_row]) + 1,
					 10 * (source + longest + words - 1 - starts[source_row]) - 2, 0);
	}
}

static void
take_repeated(void *context, const RepeatedRow *row)
{
	for (uint32 i = 0; i < row->range_count; i++)
		add_line(&found, row->row, 0, row->ranges[i].from, row->ranges[i].to, 0, 0);
	add_line(&found, row->row, 1, row->first_row, row->first.from, row->first.to, 0);
}

static bool
repeats_are_right(Size limit, uint32 words, uint32 first_row, bool whole_sentences)
{
	JoinHost host = test_host();
	Passages passages;
	RepeatsSpec spec = {
		.first_row = first_row, .whole_sentences = whole_sentences, .take = take_repeated};

	add_rows(&passages, &host, limit, words);
	RepeatsFind(&passages, &spec);
	PassagesFree(&passages);
	expect_repeats(words, first_row, whole_sentences);
	return same_lines() && host.bytes == 0 && open_files == 0;
}

/* Stretches of frequent grams that stand there first, each with the rows of its rarest gram. */
static void
expect_frequent(uint32 words, uint64 most_rows)
{
	for (uint32 row = 0; row < row_count; row++)
		for (uint32 i = starts[row], end; i < starts[row + 1]; i = end)
		{
			uint32 least = rows_of_gram[i];

			for (end = i; end + words <= starts[row + 1] && rows_of_gram[end] > most_rows &&
						  first_place(end, words) == end;
				 end++)
				least = Min(least, rows_of_gram[end]);
			if (end > i)
				add_line(&expected, row, 10 * (i - starts[row]) + 1,
						 10 * (end + words - 1 - starts[row]) - 2, end - i + words - 1, least, 0);
			else
				end++;
		}
}

static void
take_frequent(void *context, const FrequentPassage *passage)
{
	add_line(&found, passage->row, passage->from, passage->to, passage->words, passage->rows, 0);
}

static bool
frequent_are_right(Size limit, uint32 words, uint64 most_rows)
{
	JoinHost host = test_host();
	FrequentGrams frequent;
	Passages passages;

	add_rows(&passages, &host, limit, words);
	FrequentGramsFind(&frequent, &passages, most_rows);
	FrequentGramsList(&frequent, &passages, take_frequent, NULL);
	FrequentGramsFree(&frequent);
	PassagesFree(&passages);
	expect_frequent(words, most_rows);
	return same_lines() && host.bytes == 0 && open_files == 0;
}

static void
test_small(void)
{
	uint32 wrong_runs = 0;
	uint32 wrong_sides = 0;
	uint32 wrong_frequent = 0;
	uint32 wrong_lists = 0;
	uint32 wrong_repeats = 0;
	uint32 wrong_sentences = 0;

	for_each_case (seed, 300,
				   wrong_runs + wrong_sides + wrong_frequent + wrong_lists + wrong_repeats +
					   wrong_sentences)
	{
		uint32 words;
		uint32 most_rows;

		words = 1 + random_below(seed % 10 == 0 ? 50 : 10);
		most_rows = 1 + random_below(4);
		random_rows(1 + random_below(12), random_below(100), 1 + random_below(seed % 3 ? 4 : 60),
					random_below(10));
		case_has("%u rows of %u words, grams of %u", row_count, starts[row_count], words);
		count_rows(words);
		wrong_runs += !runs_are_right(MEMORY, words, 0, 0);
		wrong_sides += !runs_are_right(MEMORY, words, random_below(row_count + 1), 0);
		wrong_frequent += !runs_are_right(MEMORY, words, 0, most_rows);
		wrong_lists += !frequent_are_right(MEMORY, words, most_rows);
		wrong_repeats +=
			!repeats_are_right(MEMORY, words, random_below(2) * (row_count / 2), false);
		wrong_sentences += !repeats_are_right(MEMORY, words, 0, true);
	}
	ok(wrong_runs == 0, "common runs are those of brute force");
	ok(wrong_sides == 0, "so are those of rows of two sides");
	ok(wrong_frequent == 0, "runs of frequent grams alone are left out, and no others");
	ok(wrong_lists == 0, "stretches of frequent grams are listed where they stand first");
	ok(wrong_repeats == 0, "repeated words are those of brute force");
	ok(wrong_sentences == 0, "so are whole sentences of them");
}

/*
 * Rows of words that repeat with a period: stretches of a few blocks, in which a block is repeated,
 * or a stretch before is, and now and then a word is another one.
 */
static void
periodic_rows(uint32 rows, uint32 most_length, uint32 alphabet)
{
	uint64 blocks[2][8];
	uint32 lengths[2];
	uint32 count = 0;

	for (int i = 0; i < 2; i++)
	{
		lengths[i] = 1 + random_below(8);
		for (uint32 k = 0; k < lengths[i]; k++)
			blocks[i][k] = random_below(alphabet);
	}
	row_count = rows;
	for (uint32 row = 0; row < rows; row++)
	{
		uint32 end = count + random_below(most_length + 1);

		starts[row] = count;
		while (count < end)
		{
			uint32 stop = count + 1 + random_below(30);
			int block = (int) random_below(3);
			uint32 back = block == 2 ? 1 + random_below(count - starts[row] + 1) : 0;

			for (uint32 k = 0; count < Min(stop, end); k++, count++)
			{
				if (block < 2)
					tokens[count] = blocks[block][k % lengths[block]];
				else
					tokens[count] = count >= starts[row] + back ? tokens[count - back] : 0;
			}
			if (random_below(3) == 0)
				tokens[count - 1] = random_below(alphabet + 1);
		}
		starts[row + 1] = count;
	}
}

static void
test_periodic(void)
{
	uint32 wrong_runs = 0;
	uint32 wrong_sides = 0;
	uint32 wrong_frequent = 0;
	uint32 wrong_files = 0;

	for_each_case (seed, 400, wrong_runs + wrong_sides + wrong_frequent + wrong_files)
	{
		uint32 words;

		words = 1 + random_below(12);
		periodic_rows(2 + random_below(5), 20 + random_below(130), 1 + random_below(4));
		case_has("%u rows of %u words, grams of %u", row_count, starts[row_count], words);
		count_rows(words);
		wrong_runs += !runs_are_right(MEMORY, words, 0, 0);
		wrong_sides += !runs_are_right(MEMORY, words, random_below(row_count + 1), 0);
		wrong_frequent += !runs_are_right(MEMORY, words, 0, 1 + random_below(4));
		wrong_files += !runs_are_right(FILES, words, 0, 0);
	}
	ok(wrong_runs == 0, "common runs of rows with periods are those of brute force");
	ok(wrong_sides == 0, "so are those of rows of two sides");
	ok(wrong_frequent == 0, "and those that are not of frequent grams alone");
	ok(wrong_files == 0, "and the same through files");
}

typedef struct RunCount
{
	uint64 runs;
	uint64 words;
} RunCount;

static void
count_run(void *context, const CommonRun *run)
{
	RunCount *count = context;

	count->runs++;
	count->words += run->words;
}

/*
 * Two rows of so many words with a period have a run for each way to lay them upon each other, whose
 * words are too many to be compared one by one.
 */
static bool
long_runs_are_right(uint64 length, uint64 period, uint32 words)
{
	JoinHost host = test_host();
	RunCount count = {0};
	CommonRunsSpec spec = {.take = count_run, .context = &count};
	uint64 shifts = (length - words) / period;
	Passages passages;

	PassagesInit(&passages, &host, MEMORY, words);
	for (int row = 0; row < 2; row++)
	{
		for (uint64 i = 0; i < length; i++)
			PassagesAddWord(&passages, i % period * UINT64CONST(0x9e3779b97f4a7c15), (uint32) i + 1,
							(uint32) i + 2);
		PassagesEndRow(&passages);
	}
	PassagesFindGrams(&passages);
	CommonRunsFind(&passages, &spec);
	PassagesFree(&passages);
	return count.runs == 2 * shifts + 1 &&
		   count.words == length + 2 * shifts * length - period * shifts * (shifts + 1) &&
		   host.bytes == 0;
}

static void
test_long_periodic(void)
{
	ok(long_runs_are_right(400000, 1, 20) && long_runs_are_right(400000, 7, 20),
	   "long rows of a short period have all their runs");
	ok(long_runs_are_right(400000, 50, 20), "and so have those of a longer one");
}

/* Grams of two words that differ and have the same hash. */
static void
test_equal_hashes(void)
{
	uint32 wrong_runs = 0;
	uint32 wrong_repeats = 0;

	for_each_case (seed, 50, wrong_runs + wrong_repeats)
	{
		random_rows(1 + random_below(8), 60, 4, random_below(5));
		for (uint32 i = 0; i < starts[row_count]; i++)
		{
			uint64 number = random_below(4);

			tokens[i] = random_below(2) == 0 ? number : 1000 - GRAM_BASE * number;
		}
		wrong_runs += !runs_are_right(MEMORY, 2, 0, 0);
		wrong_repeats += !repeats_are_right(MEMORY, 2, 0, false);
	}
	ok(GramAdd(1, 1000 - GRAM_BASE) == GramAdd(3, 1000 - GRAM_BASE * 3), "grams have equal hashes");
	ok(wrong_runs == 0, "common runs are those of brute force, where hashes are equal");
	ok(wrong_repeats == 0, "and so are repeated words");
}

/* The last word of a row and the first one of the next are no run. */
static void
test_borders(void)
{
	static const uint64 words[] = {1, 2, 3, 4, 5, 2, 3};

	memcpy(tokens, words, sizeof(words));
	row_count = 3;
	starts[1] = 2;
	starts[2] = 4;
	starts[3] = lengthof(words);
	ok(repeats_are_right(MEMORY, 1, 0, false), "words that follow each other are in one row");
}

static void
test_files(void)
{
	bool right[4] = {true, true, true, true};

	for (uint32 words = 1; words <= 16; words = words * 5 / 2)
	{
		uint64 before = pages_written;

		random_state = words;
		random_rows(120, 300, words == 1 ? 5000 : 300, 3);
		right[0] &= runs_are_right(FILES, words, 0, 0);
		right[1] &= repeats_are_right(FILES, words, 0, false);
		right[2] &= pages_written > before + 2 * starts[row_count] / PASSAGE_PAGE;
	}
	random_rows(60, 300, 40, 9);
	count_rows(5);
	right[3] &= runs_are_right(FILES, 5, 0, 3) && frequent_are_right(FILES, 5, 3);
	ok(right[0], "common runs are the same through files");
	ok(right[1], "and so are repeated words");
	ok(right[2], "and files were written");
	ok(right[3], "frequent grams are the same through files");
}

int
main(void)
{
	test_small();
	test_periodic();
	test_long_periodic();
	test_equal_hashes();
	test_borders();
	test_files();
	return done_testing();
}
