/*
 * inputs.c
 *		Mutated text and binary input for every type, and for the functions that take bytes.
 *
 * An input either is refused with an error of bad input, or is a value: its text and binary form
 * give it back, and it obeys the laws of the type. A query applies them to parameter $1 of the type;
 * it returns the value and the name of the law that is broken. test/fuzz/run.sh compiles this with
 * libpq; queries go through a pipeline.
 */
#include <libpq-fe.h>
#include <stdio.h>
#include <time.h>

#include "mutate.h"

#define BATCH 500
#define MOST_VALUES 64

#define LENGTH(array) ((int) (sizeof(array) / sizeof *(array)))

typedef struct Target
{
	const char *name;
	const char *type;
	/* Valid values, of each i. */
	const char *value;
	/* NULL, or the name of the law that $1 breaks. */
	const char *law;
	/* Whether the query gives the value back. */
	bool is_type;
	/* In which forms it is given: text, binary or both. */
	const char *forms;
} Target;

/* A set by i; the least and the greatest numbers are in some. */
#define SET                                                                                        \
	"tokenset(ARRAY(SELECT (CASE i % 4 WHEN 0 THEN j WHEN 1 THEN j - 9 WHEN 2 THEN "               \
	"9223372036854775807 - j * j"                                                                  \
	" ELSE hashint8extended(j, i) END)::int8 FROM generate_series(1, i * (i % 3)) j))"
#define POSTINGS(words)                                                                            \
	"(SELECT posting_list_agg(j, j % 5 + 1, j % 3 % (j % 5 + 1), "                                 \
	"tokenset_signature(tokenset(ARRAY[j % 4, i]), 64 * " words                                    \
	"), CASE i % 2 WHEN 0 THEN 0 ELSE 1 + j % 2 END, CASE i % 3 WHEN 0 THEN 0 ELSE 1 + j % 2 "     \
	"END) FROM generate_series(1, i % 20) j)"
#define SUMS                                                                                       \
	"ARRAY(SELECT (CASE WHEN j IN (1, 65) THEN 10000000 ELSE j * j - i * j END)::int8 FROM "       \
	"generate_series(1, 65) j)"
#define PAIRS                                                                                      \
	"coalesce((SELECT array_agg(ARRAY[(hashint8(j + i) % 20)::int8, j]) FROM generate_series(1, "  \
	"i "                                                                                           \
	"% 9) j), '{}')"
#define NUMBERS                                                                                    \
	"ARRAY(SELECT (hashint8extended(j, i) & 4294967295)::int8 FROM generate_series(1, 1 + i % "    \
	"20) j)"

static const Target targets[] = {
	{"tokenset", "tokenset", SET,
	 "WHEN $1::text::tokenset <> $1 THEN 'text form' "
	 "WHEN tokenset($1::int8[]) <> $1 THEN 'array' "
	 "WHEN cardinality($1) <> cardinality($1::int8[]) THEN 'cardinality' "
	 "WHEN jaccard($1, $1) <> (cardinality($1) > 0)::int THEN 'jaccard' "
	 "WHEN cosine($1, $1) <> (cardinality($1) > 0)::int THEN 'cosine' "
	 "WHEN overlap($1, $1) <> cardinality($1) OR hamming($1, $1) <> 0 THEN 'overlap' "
	 "WHEN ($1 | '{1,2,3}') - '{1,2,3}' <> $1 - '{1,2,3}' THEN 'union' "
	 "WHEN (($1 & '{1,2,3}') | ($1 - '{1,2,3}')) <> $1 THEN 'intersection' "
	 "WHEN NOT $1 <@ ($1 | '{1,2,3}') THEN 'contained' "
	 "WHEN tokenset_cmp($1, '{1,2,3}') <> -tokenset_cmp('{1,2,3}', $1) THEN 'order' "
	 "WHEN tokenset_hash($1) <> tokenset_hash($1::text::tokenset) THEN 'hash' "
	 "WHEN (simhash($1) IS NULL) <> (cardinality($1) = 0) THEN 'simhash' "
	 "WHEN jaccard_estimate(minhash($1, 4), minhash($1, 4)) <> (cardinality($1) > 0)::int THEN "
	 "'minhash'",
	 true, "text binary"},
	{"simhash", "simhash", "coalesce(simhash(" SET "), '00000000000000ff')",
	 "WHEN $1::text::simhash <> $1 THEN 'text form' "
	 "WHEN $1::bit(64)::simhash <> $1 OR $1::int8::simhash <> $1 THEN 'casts' "
	 "WHEN $1::numeric::simhash <> $1 OR $1::bytea::simhash <> $1 THEN 'more casts' "
	 "WHEN simhash_from_hex($1::text) <> $1 OR simhash_from_hex(to_hex($1::int8)) <> $1 THEN 'hex' "
	 "WHEN bit_tokens($1::bytea) <> bit_tokens($1::bit(64)) OR hamming(bit_tokens($1::bytea), "
	 "bit_tokens('00000000000000ff'::simhash::bytea)) <> simhash_distance($1, '00000000000000ff') "
	 "OR bit_set($1::bytea) <> bit_tokens($1::bit(64)) - '{0}' THEN 'bits' "
	 "WHEN simhash_distance($1, $1) <> 0 OR NOT simhash_within($1, $1, 0) THEN 'distance' "
	 "WHEN simhash_distance($1, '00000000000000ff') <> simhash_distance('00000000000000ff', $1) "
	 "THEN 'symmetry' "
	 "WHEN simhash_cmp($1, '00000000000000ff') <> -simhash_cmp('00000000000000ff', $1) THEN "
	 "'order' "
	 "WHEN NOT $1 <@ simhash_ball($1, 0) THEN 'ball' "
	 "WHEN NOT simhash_blocks($1, 3) = simhash_blocks($1::text::simhash, 3) THEN 'blocks'",
	 true, "text binary"},
	{"simhash_ball", "simhash_ball",
	 "simhash_ball(coalesce(simhash(" SET "), '00000000000000ff'), i)",
	 "WHEN $1::text::simhash_ball::text <> $1::text THEN 'text form' "
	 "WHEN NOT $1 && $1 THEN 'overlaps' "
	 "WHEN NOT $1 @> substr($1::text, 2, 16)::simhash THEN 'center' "
	 "WHEN ($1 && '<00000000000000ff,3>') <> ('<00000000000000ff,3>' && $1) THEN 'symmetry'",
	 true, "text binary"},
	{"tokenset_ball", "tokenset_ball", "jaccard_ball(" SET ", 1.0 / (1 + i % 7))",
	 "WHEN $1::text::tokenset_ball::text <> $1::text THEN 'text form' "
	 "WHEN tokenset_ball_send($1::text::tokenset_ball) <> tokenset_ball_send($1) THEN 'text "
	 "form, binary' "
	 "WHEN jaccard_ball(ball_tokens($1), ball_threshold($1)) <> $1 THEN 'parts' "
	 "WHEN ($1 && $1) <> (cardinality(ball_tokens($1)) > 0) THEN 'overlaps' "
	 "WHEN ($1 && '<{1,2,3},0.5>') <> ('<{1,2,3},0.5>' && $1) THEN 'symmetry'",
	 true, "text binary"},
	{"minhash", "minhash",
	 "CASE i % 4 WHEN 0 THEN minhash(" SET ", 1 + i) WHEN 1 THEN minhash(" SET
	 ", i, 1 + i % 32, -i) "
	 "WHEN 2 THEN minhash_datasketch((" SET
	 ")::int8[]::text[], i, i, CASE i % 8 WHEN 2 THEN 'legacy' ELSE 'affine32' END) ELSE "
	 "minhash('{}', i) END",
	 "WHEN $1::text::minhash <> $1 THEN 'text form' "
	 "WHEN jaccard_estimate($1, $1) <> 1 AND $1::text NOT LIKE '%{}' THEN 'jaccard' "
	 "WHEN $1 <%> $1 <> 1 - jaccard_estimate($1, $1) THEN 'distance' "
	 "WHEN minhash_bits($1) = 32 AND $1 | $1 <> $1 THEN 'union' "
	 "WHEN $1::text NOT LIKE '%{}' AND minhash_from_array(minhash_to_array($1), minhash_bits($1), "
	 "minhash_seed($1), "
	 "minhash_profile($1)) <> $1 THEN 'array' "
	 "WHEN minhash_cmp($1, minhash('{1}', 4)) <> -minhash_cmp(minhash('{1}', 4), $1) THEN 'order' "
	 "WHEN minhash_hash($1) <> minhash_hash($1::text::minhash) THEN 'hash' "
	 "WHEN NOT lsh_bands($1, 1, minhash_k($1)) = lsh_bands($1::text::minhash, 1, minhash_k($1)) "
	 "THEN 'bands'",
	 true, "text binary"},
	{"token_weights", "token_weights",
	 "(SELECT token_weights(tokenset(ARRAY[j % (1 + i), 9223372036854775807 - j / 3])) FROM "
	 "generate_series(0, i) j)",
	 "WHEN token_weights_send($1::text::token_weights) <> token_weights_send($1) THEN 'text form' "
	 "WHEN idf_jaccard('{0,1,2,3}', '{0,1,2,3}', $1) NOT IN (0, 1) THEN 'idf_jaccard' "
	 "WHEN NOT idf_cosine('{1,2,3}', '{2,3,4}', $1) BETWEEN 0 AND 1 THEN 'idf_cosine' "
	 "WHEN idf_jaccard('{1,2,3}', '{2,3,4}', $1) <> idf_jaccard('{2,3,4}', '{1,2,3}', $1) THEN "
	 "'symmetry'",
	 true, "text binary"},
	{"tokenset_query", "tokenset_query",
	 "tokenset_query((ARRAY['jaccard', 'cosine', 'dice', 'containment', 'overlap', 'hamming'])[1 + "
	 "i % 6], " SET ", CASE WHEN i % 6 > 3 THEN 1 + i % 5 ELSE 1.0 / (1 + i % 7) END, i % 2 = 0)",
	 "WHEN $1::text::tokenset_query::text <> $1::text THEN 'text form' "
	 "WHEN tokenset_query_send($1::text::tokenset_query) <> tokenset_query_send($1) THEN 'text "
	 "form, binary' "
	 "WHEN ('{1,2,3}' @~ $1) IS NULL THEN 'matches' "
	 "WHEN '{}' @~ $1 <> ($1::text ~ 'Infinity') AND $1::text !~ '^difference' THEN 'empty set'",
	 true, "text binary"},
	{"tokenset[]", "tokenset[]", "ARRAY[" SET ", NULL, '{1}']",
	 "WHEN $1::text::tokenset[] <> $1 THEN 'text form'", true, "text binary"},
	{"words", "text",
	 "(ARRAY['The quick, brown fox <b>jumps</b> &amp; 3.14 times', E'\\u6771\\u4eac\\u90fd "
	 "e\\u0301 \\u00c9COLE \\ufb01', '', "
	 "E'\\u0e44\\u0e17\\u0e22 \\uac00 \\u0130 \\u1e9e'])[1 + i % 4] || repeat(' x' || i, i % 5)",
	 "WHEN word_set($1) <> word_set(normalize_text($1)) THEN 'normal form' "
	 "WHEN cardinality(word_tokens($1)) < cardinality(word_set($1)) THEN 'words' "
	 "WHEN NOT shingle_set($1, 1) = word_set($1) THEN 'shingles' "
	 "WHEN cardinality(qgram_tokens($1, 3)) > length(normalize_text($1)) THEN 'grams' "
	 "WHEN word_qgram_set($1, 3) <> word_qgram_set(normalize_text($1), 3) THEN 'grams of words' "
	 "WHEN fingerprint($1) <> fingerprint($1 || '') THEN 'fingerprint' "
	 "WHEN code_words(array_to_string(code_words($1), ' ')) <> code_words($1) THEN 'words of code' "
	 "WHEN log_words(array_to_string(log_words($1), ' ')) <> log_words($1) THEN 'words of logs' "
	 "WHEN shingle_set(code_words($1), 1) <> tokenset(code_words($1)) THEN 'shingles of code' "
	 "WHEN strip_marks(strip_marks($1)) <> strip_marks($1) THEN 'marks' "
	 "WHEN fold_letters(fold_letters($1)) <> fold_letters($1) THEN 'letters' "
	 "WHEN replace_words($1, '{}') <> normalize_text($1) THEN 'words' "
	 "WHEN number_words($1) <> number_words(normalize_text($1)) THEN 'number words' "
	 "WHEN phone_tokens($1 || ',' || $1) <> phone_tokens($1) THEN 'phones' "
	 "WHEN strip_tags($1) IS NULL OR strip_numbers($1) IS NULL THEN 'strip' "
	 "WHEN strip_ids($1) ~ '[0-9]' THEN 'ids'",
	 false, "text"},
	{"strings", "text", "repeat('abc', i % 9) || i || E'\\u6771\\u4eac'",
	 "WHEN edit_distance($1, $1) <> 0 OR NOT edit_within($1, $1, 0) THEN 'edit distance' "
	 "WHEN edit_distance($1, 'abcd') <> edit_distance('abcd', $1) THEN 'symmetry' "
	 "WHEN edit_distance($1, reverse($1)) > length($1) THEN 'most' "
	 "WHEN damerau_levenshtein($1, 'bacd') > edit_distance($1, 'bacd') THEN 'damerau' "
	 "WHEN NOT jaro_winkler_similarity($1, 'abcabd') BETWEEN jaro_similarity($1, 'abcabd') AND 1 "
	 "THEN 'jaro'",
	 false, "text"},
	{"posting_pairs", "bytea", POSTINGS("(1 << i % 4)"),
	 "WHEN (SELECT count(a + b) FROM posting_pairs($1, 0.5)) < (SELECT count(*) FROM "
	 "posting_pairs($1, 0.9)) THEN 'threshold'",
	 false, "binary"},
	{"simhash_posting_pairs", "bytea", POSTINGS("1"),
	 "WHEN (SELECT max(distance) FROM simhash_posting_pairs($1, 3)) > 3 THEN 'distance'", false,
	 "binary"},
	{"signature of a posting", "bytea", "tokenset_signature(" SET ", 64 * (1 << i % 4))",
	 "WHEN posting_list_agg(1, 1, 0, $1, 0, 0) IS NULL THEN 'list'", false, "binary"},
	{"state of token_weights", "bytea",
	 "token_weights_combine(token_weights_transition(NULL, " SET
	 "), token_weights_transition(NULL, '{1}'))",
	 "WHEN token_weights_final($1) IS NULL AND length($1) > 100000 THEN 'final' "
	 "WHEN token_weights_combine($1, token_weights_transition(NULL, '{1,2}')) IS NULL THEN "
	 "'combine' "
	 "WHEN token_weights_transition($1, '{1,2}') IS NULL THEN 'transition'",
	 false, "binary"},
	{"state of common_tokens", "bytea",
	 "common_tokens_combine(common_tokens_transition(NULL, " SET
	 ", 0.5), common_tokens_transition(NULL, '{1}', 0.5))",
	 "WHEN common_tokens_final($1) IS NULL AND length($1) > 100000 THEN 'final' "
	 "WHEN common_tokens_combine($1, common_tokens_transition(NULL, '{1,2}', 0.5)) IS NULL THEN "
	 "'combine' "
	 "WHEN common_tokens_transition($1, '{1,2}', 0.5) IS NULL THEN 'transition'",
	 false, "binary"},
	{"state of simhash_agg", "int8[]", SUMS,
	 "WHEN simhash_agg_final($1) IS NULL AND cardinality($1) <> 65 THEN 'final' "
	 "WHEN simhash_agg_combine($1, $1) IS NULL THEN 'combine' "
	 "WHEN simhash_agg_transition($1, 'a', 0.5) IS NULL THEN 'transition'",
	 false, "text binary"},
	{"state of cluster_agg", "int8[]", PAIRS,
	 "WHEN (SELECT count(*) FROM forest_clusters($1) WHERE cluster > id) > 0 THEN "
	 "'clusters' "
	 "WHEN cluster_agg_combine($1, $1) IS NULL THEN 'combine' "
	 "WHEN cluster_agg_transition($1, 1, 2) IS NULL THEN 'transition'",
	 false, "text binary"},
	{"minhash of an array", "int8[]", NUMBERS,
	 "WHEN array_to_string(minhash_to_array(minhash_from_array($1)), ',') <> array_to_string($1, "
	 "',') THEN 'array' "
	 "WHEN minhash_k(minhash_from_array($1, 32, 1, 'datasketch-legacy')) <> cardinality($1) THEN "
	 "'k'",
	 false, "text binary"},
};

/* A target in one of its forms. */
typedef struct Form
{
	const Target *target;
	int is_binary;
	int count;
	Bytes values[MOST_VALUES];
	long tried;
	long accepted;
} Form;

static PGconn *conn;
static Form forms[2 * LENGTH(targets)];
static int form_count;
static unsigned long case_seed;

static void
die(const char *what)
{
	printf("inputs: %s: %s\n", what, PQerrorMessage(conn));
	exit(1);
}

static const char *
environment(const char *name)
{
	const char *value = getenv(name);

	return value == NULL ? "" : value;
}

/* $1 and the law broken. */
static void
write_query(char *query, size_t size, const Target *target)
{
	snprintf(query, size, "SELECT $1::%s, CASE %s END", target->type, target->law);
}

static bool
prepare(const Target *target)
{
	char query[4096];
	PGresult *result;
	bool done;

	write_query(query, sizeof query, target);
	result = PQprepare(conn, target->name, query, 0, NULL);
	done = PQresultStatus(result) == PGRES_COMMAND_OK;
	PQclear(result);
	return done;
}

static bool
prepare_all(void)
{
	if (PQstatus(conn) != CONNECTION_OK)
		return false;
	PQclear(PQexec(conn, "SET statement_timeout = '60s'"));
	for (int i = 0; i < LENGTH(targets); i++)
	{
		if (!prepare(&targets[i]))
			return false;
	}
	return true;
}

/* Waits for a server that recovers from a crash, or is about to notice it. */
static void
connect_to_server(void)
{
	conn = PQconnectdb("");
	for (int tries = 0; !prepare_all(); tries++)
	{
		if (tries == 300)
			die("no session");
		nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
		PQreset(conn);
	}
}

static void
add_form(const Target *target, int is_binary)
{
	Form *form = &forms[form_count++];
	char query[4096];
	PGresult *result;

	snprintf(query, sizeof query,
			 "SELECT v FROM (SELECT %s AS v FROM generate_series(1, %d) i) s WHERE v IS NOT NULL",
			 target->value, MOST_VALUES);
	result = PQexecParams(conn, query, 0, NULL, NULL, NULL, NULL, is_binary);
	if (PQresultStatus(result) != PGRES_TUPLES_OK)
		die(target->name);
	form->target = target;
	form->is_binary = is_binary;
	for (int i = 0; i < PQntuples(result); i++)
	{
		Bytes *value = &form->values[form->count];

		value->length = PQgetlength(result, i, 0);
		if (value->length > MOST_BYTES)
			continue;
		memcpy(value->data, PQgetvalue(result, i, 0), (size_t) value->length);
		form->count++;
	}
	PQclear(result);
}

static void
send_input(const Form *form, const Bytes *input)
{
	if (PQsendQueryPrepared(conn, form->target->name, 1, (const char *const[]){input->data},
							&input->length, &form->is_binary, 1) == 0 ||
		PQpipelineSync(conn) == 0)
		die("the query cannot be sent");
}

static bool
is_array(const Target *target)
{
	return target->type[strlen(target->type) - 1] == ']';
}

/* Errors of bad input: data exceptions, limits, what is not supported; of arrays, another type of elements. */
static bool
is_refusal(const Target *target, const char *state)
{
	return state != NULL && (strncmp(state, "22", 2) == 0 || strncmp(state, "54", 2) == 0 ||
							 strcmp(state, "0A000") == 0 || strcmp(state, "08P01") == 0 ||
							 (is_array(target) && strncmp(state, "42", 2) == 0));
}

/*
 * What is wrong with the answer; empty where nothing is. A value in binary form that was accepted is
 * put out as it came in.
 */
static void
judge(Form *form, const Bytes *input, const PGresult *result, char *fault, size_t size)
{
	const char *state;

	*fault = '\0';
	if (PQresultStatus(result) != PGRES_TUPLES_OK)
	{
		state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
		if (!is_refusal(form->target, state))
			snprintf(fault, size, "%s %s", state == NULL ? "lost" : state,
					 PQresultErrorMessage(result));
		return;
	}
	form->accepted++;
	if (!PQgetisnull(result, 0, 1))
		snprintf(fault, size, "breaks the law of its %s", PQgetvalue(result, 0, 1));
	else if (form->target->is_type && form->is_binary && !is_array(form->target) &&
			 (PQgetlength(result, 0, 0) != input->length ||
			  memcmp(PQgetvalue(result, 0, 0), input->data, (size_t) input->length) != 0))
		snprintf(fault, size, "is put out in another binary form");
}

/* Alone, on a connection that may have to be made anew. */
static bool
has_fault(Form *form, const Bytes *input, char *fault, size_t size)
{
	PGresult *result =
		PQexecPrepared(conn, form->target->name, 1, (const char *const[]){input->data},
					   &input->length, &form->is_binary, 1);

	judge(form, input, result, fault, size);
	PQclear(result);
	if (PQstatus(conn) != CONNECTION_OK)
	{
		PQfinish(conn);
		connect_to_server();
	}
	return *fault != '\0';
}

/* Leaves out what the fault does not need. */
static void
shrink(Form *form, Bytes *input)
{
	char fault[1024];

	for (int size = input->length; size >= 1; size /= 2)
	{
		for (int at = 0; at + size <= input->length;)
		{
			Bytes shorter = *input;

			replace(&shorter, at, size, "", 0);
			shorter.data[shorter.length] = '\0';
			if (has_fault(form, &shorter, fault, sizeof fault))
				*input = shorter;
			else
				at += size;
		}
	}
}

static void
print_octal(unsigned long value, int bytes)
{
	for (int i = bytes - 1; i >= 0; i--)
		printf("\\%03lo", value >> 8 * i & 255);
}

/* A binary value comes in by COPY, the one statement that reads such a form. */
static void
print_statements(const Form *form, const Bytes *input)
{
	const Target *target = form->target;

	printf("CREATE TEMPORARY TABLE input (v %s);\n", target->type);
	if (form->is_binary)
	{
		printf("COPY input FROM PROGRAM $$printf 'PGCOPY\\n\\377\\r\\n");
		print_octal(0, 9);
		print_octal(1, 2);
		print_octal((unsigned long) input->length, 4);
		for (int i = 0; i < input->length; i++)
			print_octal((unsigned char) input->data[i], 1);
		print_octal(0xffff, 2);
		printf("'$$ (FORMAT binary);\n");
	}
	else
	{
		printf("INSERT INTO input VALUES (E'");
		for (int i = 0; i < input->length; i++)
			print_octal((unsigned char) input->data[i], 1);
		printf("');\n");
	}
	printf("SELECT v, CASE ");
	for (const char *at = target->law; *at != '\0'; at++)
	{
		if (strncmp(at, "$1", 2) == 0)
			printf("v"), at++;
		else
			putchar(*at);
	}
	printf(" END FROM input;\n");
}

static void
report(Form *form, Bytes *input, const char *first)
{
	char fault[1024];
	bool again;

	/* The connection may be lost, or full of answers. */
	PQfinish(conn);
	connect_to_server();
	again = has_fault(form, input, fault, sizeof fault);
	if (again)
	{
		shrink(form, input);
		has_fault(form, input, fault, sizeof fault);
	}
	printf("inputs: a %s input for %s: %s%s\n", form->is_binary ? "binary" : "text",
		   form->target->name, again ? fault : first, again ? "" : " (not when it comes alone)");
	print_statements(form, input);
	printf("-- again: make fuzz FUZZERS=inputs CASE=%lu\n", case_seed);
	exit(1);
}

static PGresult *
next_result(void)
{
	PGresult *result = PQgetResult(conn);

	/* NULL stands after the results of a query. */
	return result == NULL ? PQgetResult(conn) : result;
}

/* A batch of inputs in one form, all from the seed. */
static void
run_case(void)
{
	static Bytes inputs[BATCH];
	Random random = seeded(case_seed);
	Form *form = &forms[below(&random, form_count)];
	char fault[1024];

	for (int i = 0; i < BATCH; i++)
	{
		mutated(&random, form->values, form->count, !form->is_binary, &inputs[i]);
		inputs[i].data[inputs[i].length] = '\0';
		send_input(form, &inputs[i]);
	}
	for (int i = 0; i < BATCH; i++)
	{
		PGresult *result = next_result();

		judge(form, &inputs[i], result, fault, sizeof fault);
		if (*fault != '\0')
			report(form, &inputs[i], fault);
		PQclear(result);
		while ((result = next_result()) != NULL && PQresultStatus(result) != PGRES_PIPELINE_SYNC)
			PQclear(result);
		PQclear(result);
	}
	form->tried += BATCH;
}

/* With commas. */
static void
print_count(long n)
{
	if (n >= 1000)
	{
		print_count(n / 1000);
		printf(",%03ld", n % 1000);
	}
	else
		printf("%ld", n);
}

int
main(void)
{
	Random seeds = seeded(strtoul(environment("FUZZ_SEED"), NULL, 10));
	time_t end = time(NULL) + strtol(environment("FUZZ_SECONDS"), NULL, 10);
	bool once = *environment("FUZZ_CASE") != '\0';
	long tried = 0;

	connect_to_server();
	for (int i = 0; i < LENGTH(targets); i++)
	{
		if (strstr(targets[i].forms, "text") != NULL)
			add_form(&targets[i], 0);
		if (strstr(targets[i].forms, "binary") != NULL)
			add_form(&targets[i], 1);
	}
	if (PQenterPipelineMode(conn) == 0)
		die("no pipeline");
	do
	{
		case_seed = once ? strtoul(environment("FUZZ_CASE"), NULL, 10)
						 : (unsigned long) next_number(&seeds);
		run_case();
	} while (!once && time(NULL) < end);
	for (int i = 0; i < form_count; i++)
	{
		printf("%-30s %-6s ", forms[i].target->name, forms[i].is_binary ? "binary" : "text");
		print_count(forms[i].tried);
		printf(", accepted ");
		print_count(forms[i].accepted);
		putchar('\n');
		tried += forms[i].tried;
	}
	printf("inputs: ");
	print_count(tried);
	printf(" inputs, seed %s\n", environment("FUZZ_SEED"));
	PQfinish(conn);
	return 0;
}
