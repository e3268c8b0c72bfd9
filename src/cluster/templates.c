/*
 * templates.c
 *		Tells clusters of one template from clusters of copies.
 *
 * Each firm writes the same text around its advertisements. These are more similar than chance makes the
 * rows of a table, whatever is advertised, so a chosen threshold takes them for near-duplicates. What
 * nearly all rows of a cluster have is such a text, or what is copied. Without it, copies are still alike:
 * what one of them lacks or has by an error or a change, others do not, and they share the rest.
 * Advertisements are not: two of one firm are then no more alike than two of different firms.
 *
 * Nor does a row of a template lack anything of it. In a large family of copies with errors, each error
 * is one row's own, and what it changed nearly all others have: such rows lack as much as they add.
 *
 * So a sample of large clusters, the families, is read, and of each a sample of its members. Rows are
 * compared by what is left of them, with rows of their own family and with rows of another one, and as
 * they are with rows of their own. Medians count: some rows of a template are copies, too.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "allocate.h"
#include "cluster/keyed_values.h"
#include "cluster/templates.h"
#include "drawing.h"
#include "kinds/sets/set_rows.h"
#include "text/token_sort.h"
#include "tokenset/algebra.h"

/* A family is a cluster of at least so many contents. */
#define LEAST_FAMILY 5

/* What at least this part of a family's members have is what they have throughout. */
#define THROUGHOUT 0.9

/* No more are looked at: of more families, and of more members, a random sample. */
#define MOST_FAMILIES 50
#define MOST_MEMBERS 20

/* Larger sets are not looked at, so that the members of two families take no more than 32 MB. */
#define MOST_TOKENS 100000

/* Families say nothing about a table unless at least one in so many near-duplicates is in one. */
#define LEAST_SHARE 2

/* The similarity within families that must be left without what they have throughout. */
#define LEAST_LEFT 0.1

/*
 * A row differs from what its family has throughout in tokens that it lacks and in tokens that it has
 * besides. Of a template it lacks none, of words that were changed for others a half. Rows are copies if
 * they lack at least this part, which is halfway between.
 */
#define LEAST_LACKED 0.25

/* Members that are on average at least as similar as this are copies with something added, not templates. */
#define NEARLY_EQUAL 0.9

/* The members of a family that is read. */
typedef struct Family
{
	MemoryContext context;
	Tokenset *members[MOST_MEMBERS];
	uint32 count;
} Family;

typedef struct Similarities
{
	double values[MOST_FAMILIES * MOST_MEMBERS];
	uint32 count;
} Similarities;

typedef struct Templates
{
	KeyedValues asked;
	uint32 families;
	uint32 ends[MOST_FAMILIES]; /* of the numbers of a family's members */
	RowReading reading;
	MemoryContext value_context;
	uint32 family; /* the number of the family that is read */
	Family now;
	Family before;
	Similarities full;	 /* of members of one family */
	Similarities within; /* the same without what they have throughout */
	Similarities across; /* of members of two families, without that */
	Similarities lacked; /* by member: the part that it lacks, of all tokens in which it differs */
} Templates;

static void
note(Similarities *similarities, double value)
{
	similarities->values[similarities->count++] = value;
}

static int
compare_values(const void *a, const void *b)
{
	double x = *(const double *) a;
	double y = *(const double *) b;

	return (x > y) - (x < y);
}

/* Returns the median; 0 if there is none. */
static double
median(Similarities *similarities)
{
	qsort(similarities->values, similarities->count, sizeof(double), compare_values);
	return similarities->values[similarities->count / 2];
}

static double
alikeness(const Tokenset *a, const Tokenset *b)
{
	int64 common = TokensetOverlap(a, b);
	int64 all = (int64) TokensetCount(a) + TokensetCount(b) - common;

	return all == 0 ? 0 : (double) common / all;
}

/* Takes from each member of a family what nearly all of them have, and notes how much of that it lacks. */
static void
leave_rest(Templates *templates)
{
	const Family *family = &templates->now;
	TokenList all;
	Size common = 0;

	TokenListInit(&all, 0);
	for (uint32 i = 0; i < family->count; i++)
	{
		int32 count = TokensetCount(family->members[i]);

		memcpy(TokenListExtend(&all, count), family->members[i]->tokens, count * sizeof(Token));
	}
	TokensSort(all.tokens, all.count);
	for (Size start = 0, end; start < all.count; start = end)
	{
		for (end = start; end < all.count && all.tokens[end] == all.tokens[start];)
			end++;
		if (end - start >= THROUGHOUT * family->count)
			all.tokens[common++] = all.tokens[start];
	}
	for (uint32 i = 0; i < family->count; i++)
	{
		Tokenset *member = family->members[i];
		Size count = TokensetCount(member);
		Size left = TokensSelect(member->tokens, count, all.tokens, common, false, member->tokens);
		Size lacked = common - (count - left);

		if (lacked + left > 0)
			note(&templates->lacked, (double) lacked / (lacked + left));
		SET_VARSIZE(member, TOKENSET_HEADER_SIZE + left * sizeof(Token));
	}
	pfree(all.tokens);
}

/* Compares the members of the family that was read, each with the next one and with one of another family. */
static void
compare_family(Templates *templates)
{
	Family *now = &templates->now;
	const Family *before = &templates->before;
	bool differs[MOST_MEMBERS] = {false};
	Family freed;

	for (uint32 i = 0; i + 1 < now->count; i++)
	{
		double alike = alikeness(now->members[i], now->members[i + 1]);

		differs[i] = alike < 1;
		if (differs[i])
			note(&templates->full, alike);
	}
	leave_rest(templates);
	for (uint32 i = 0; i + 1 < now->count; i++)
	{
		if (differs[i])
			note(&templates->within, alikeness(now->members[i], now->members[i + 1]));
	}
	for (uint32 i = 0; i < Min(now->count, before->count); i++)
		note(&templates->across, alikeness(now->members[i], before->members[i]));
	freed = *before;
	templates->before = *now;
	MemoryContextReset(freed.context);
	templates->now = (Family){.context = freed.context};
	templates->family++;
}

static void
begin_members(void *context, Oid type)
{
	Templates *templates = context;
	const DuplicatesRequest *request = templates->asked.duplicates->request;

	RowReadingInit(&templates->reading, &set_rows, NULL, getBaseType(type),
				   RowKindType(&set_rows, request->join.reader.schema));
}

static void
take_member(void *context, uint32 number, Datum value, bool is_null)
{
	Templates *templates = context;
	Family *now = &templates->now;
	MemoryContext previous;
	JoinRow row;

	while (number >= templates->ends[templates->family])
		compare_family(templates);
	if (is_null)
		return;
	previous = MemoryContextSwitchTo(templates->value_context);
	set_rows.read(&templates->reading, value, 0, &row);
	if (row.count <= MOST_TOKENS)
	{
		MemoryContextSwitchTo(now->context);
		now->members[now->count] = TokensetAllocate(row.count);
		memcpy(now->members[now->count++]->tokens, row.data, row.count * sizeof(Token));
	}
	MemoryContextSwitchTo(previous);
	MemoryContextReset(templates->value_context);
}

/* Sets contents[survivor] to the number of contents of its cluster. */
static void
count_contents(const DuplicateRows *duplicates, const uint32 *cluster, uint32 *contents)
{
	uint32 count = duplicates->rows.group_count;

	memset(contents, 0, count * sizeof(uint32));
	for (uint32 group = 0; group < count; group++)
	{
		CHECK_FOR_INTERRUPTS();
		contents[cluster[group]]++;
	}
}

/* Returns the number of families; 0 if too few of the near-duplicates are in one. */
static uint32
count_families(const uint32 *contents, uint32 count)
{
	uint64 all = 0;
	uint64 in_families = 0;
	uint32 families = 0;

	for (uint32 survivor = 0; survivor < count; survivor++)
	{
		CHECK_FOR_INTERRUPTS();
		if (contents[survivor] == 0)
			continue;
		all += contents[survivor] - 1;
		if (contents[survivor] < LEAST_FAMILY)
			continue;
		in_families += contents[survivor] - 1;
		families++;
	}
	return in_families * LEAST_SHARE >= all ? families : 0;
}

/* Asks for members of families, by chance where there are too many. */
static void
ask_members(Templates *templates, const uint32 *cluster, const uint32 *contents, uint32 families)
{
	const DuplicateRows *duplicates = templates->asked.duplicates;
	uint32 count = duplicates->rows.group_count;
	uint32 *family = AllocateArray(count, sizeof(uint32)); /* by survivor, if it is drawn */
	Drawing drawing = DrawingBegin(families, families, MOST_FAMILIES);
	Drawing members[MOST_FAMILIES];
	uint32 places[MOST_FAMILIES][MOST_MEMBERS];
	uint32 counts[MOST_FAMILIES] = {0};

	memset(family, 0xFF, count * sizeof(uint32));
	for (uint32 survivor = 0; survivor < count; survivor++)
	{
		CHECK_FOR_INTERRUPTS();
		if (contents[survivor] < LEAST_FAMILY || !DrawingTakes(&drawing))
			continue;
		members[templates->families] =
			DrawingBegin(contents[survivor], contents[survivor], MOST_MEMBERS);
		family[survivor] = templates->families++;
	}
	for (uint32 group = 0; group < count; group++)
	{
		uint32 f = family[cluster[group]];

		CHECK_FOR_INTERRUPTS();
		if (f != NO_ROW && DrawingTakes(&members[f]))
			places[f][counts[f]++] = DuplicateRowsFirst(duplicates, group);
	}
	for (uint32 f = 0; f < templates->families; f++)
	{
		for (uint32 i = 0; i < counts[f]; i++)
			KeyedValuesAsk(&templates->asked, places[f][i]);
		templates->ends[f] = templates->asked.count;
	}
	pfree(family);
}

static MemoryContext
small_context(void)
{
	return AllocSetContextCreate(CurrentMemoryContext, "neardup family", ALLOCSET_DEFAULT_SIZES);
}

static bool
are_templates(Templates *templates)
{
	double full = median(&templates->full);
	double within = median(&templates->within);
	double across = median(&templates->across);

	return templates->full.count > 0 && full < NEARLY_EQUAL &&
		   within - across < LEAST_LEFT * (full - across) &&
		   median(&templates->lacked) < LEAST_LACKED;
}

static void
refuse_templates(const Templates *templates)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_DATA_EXCEPTION),
		 errmsg("%s cannot tell from which similarity on rows are near-duplicates",
				templates->asked.duplicates->request->join.task.name),
		 errdetail(
			 "Rows of one cluster are similar by what nearly all of them have, such as the text "
			 "that a firm writes around its advertisements, and by nothing else."),
		 errhint(
			 "Take that text away, as doc/recipes.md does for web pages, or give a threshold.")));
}

void
TemplatesRefuse(const DuplicateRows *duplicates, const uint32 *cluster)
{
	Templates templates = {.value_context = small_context(),
						   .now.context = small_context(),
						   .before.context = small_context()};
	uint32 count = duplicates->rows.group_count;
	uint32 *contents;
	uint32 families;

	if (!KeyedValuesBegin(&templates.asked, duplicates))
		return;
	contents = AllocateArray(count, sizeof(uint32));
	count_contents(duplicates, cluster, contents);
	families = count_families(contents, count);
	ask_members(&templates, cluster, contents, families);
	pfree(contents);
	KeyedValuesRead(&templates.asked, duplicates->request->compared, begin_members, take_member,
					&templates);
	while (templates.family < templates.families)
		compare_family(&templates);
	if (are_templates(&templates))
		refuse_templates(&templates);
}
