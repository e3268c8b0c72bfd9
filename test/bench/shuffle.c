/*
 * shuffle.c
 *		Simulates what distributed_join brings to its shards: postings, bytes and comparisons of each.
 *
 *		gcc -O2 -o shuffle test/bench/shuffle.c -lm
 *		shuffle RECORDS SHARDS THRESHOLD VOCABULARY EXPONENT SIGNATURE_BYTES
 *
 * Records have 4 to 40 tokens of a Zipf distribution and stand for word sets. Their prefixes, in the
 * order of frequency, are the postings. As src/citus/stages.sql does, a sample tells which lists are
 * long, these are cut and their cells dealt, and all other tokens go by a hash. Only the counts of
 * each list are kept, so that a hundred million records take minutes and little memory.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Constants of neardup_sample and neardup_deal. */
#define SAMPLE_TOKENS 2000000.0
#define PIECES 16.0
#define MOST_GROUPS 64
#define POSTING_WORK 500.0

/* Columns of a posting but its signature; 9 lengths and a count in binary COPY. */
#define POSTING_BYTES 36
#define COPY_BYTES 38

#define LEAST_SIZE 4
#define MOST_SIZE 40

static uint64_t state;

static uint64_t
random_bits(void)
{
	uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static double
random_unit(void)
{
	return (double) (random_bits() >> 11) / 9007199254740992.0;
}

static void *
grow(void *memory, size_t size)
{
	void *grown = realloc(memory, size);

	if (grown == NULL)
	{
		perror("shuffle");
		exit(1);
	}
	return grown;
}

static uint64_t
hash_bits(uint64_t value)
{
	value = (value ^ (value >> 33)) * UINT64_C(0xff51afd7ed558ccd);
	value = (value ^ (value >> 33)) * UINT64_C(0xc4ceb9fe1a85ec53);
	return value ^ (value >> 33);
}

/* Zipf by the inverse of the continuous distribution; token 0 is the most frequent. */
static uint32_t
random_token(double vocabulary, double exponent)
{
	double u = random_unit();
	double e = 1 - exponent;

	if (fabs(e) < 1e-9)
		return (uint32_t) (exp(u * log(vocabulary)) - 1);
	return (uint32_t) (pow(u * (pow(vocabulary, e) - 1) + 1, 1 / e) - 1);
}

/* The tokens of the next record, distinct, rarest first; returns their number. */
static int
next_record(uint32_t *tokens, double vocabulary, double exponent)
{
	int wanted = LEAST_SIZE + (int) (random_bits() % (MOST_SIZE - LEAST_SIZE + 1));
	int count = 0;

	for (int i = 0; i < wanted; i++)
	{
		uint32_t token = random_token(vocabulary, exponent);
		int j = count;

		while (j > 0 && tokens[j - 1] < token)
			j--;
		if (j > 0 && tokens[j - 1] == token)
			continue;
		memmove(tokens + j + 1, tokens + j, (size_t) (count - j) * sizeof(uint32_t));
		tokens[j] = token;
		count++;
		/* Equal tokens stand together. */
		if (j + 1 < count && tokens[j + 1] == token)
		{
			memmove(tokens + j, tokens + j + 1, (size_t) (count - j - 1) * sizeof(uint32_t));
			count--;
		}
	}
	return count;
}

static int
prefix_length(int size, double threshold)
{
	return size - (int) ceil(threshold * size - 1e-9) + 1;
}

typedef struct Cell
{
	double work;
	uint32_t token;
	int i;
	int j;
} Cell;

static int
compare_cells(const void *a, const void *b)
{
	double x = ((const Cell *) a)->work;
	double y = ((const Cell *) b)->work;

	return x > y ? -1 : x < y;
}

typedef struct Heavy
{
	uint32_t token;
	int groups;
	uint64_t counts[MOST_GROUPS];
} Heavy;

int
main(int argc, char **argv)
{
	if (argc != 7)
	{
		fprintf(stderr,
				"usage: shuffle RECORDS SHARDS THRESHOLD VOCABULARY EXPONENT SIGNATURE_BYTES\n");
		return 2;
	}
	uint64_t records = strtoull(argv[1], NULL, 10);
	int shards = atoi(argv[2]);
	double threshold = atof(argv[3]);
	uint32_t vocabulary = (uint32_t) atof(argv[4]);
	double exponent = atof(argv[5]);
	double posting_bytes = POSTING_BYTES + COPY_BYTES + atof(argv[6]);
	uint32_t tokens[MOST_SIZE + 1];
	uint32_t *counts = calloc(vocabulary, sizeof(uint32_t));
	int32_t *heavy_of = malloc(vocabulary * sizeof(int32_t));
	uint64_t token_total = 0;
	uint64_t sampled;
	double scale;
	double total_work = 0;
	Heavy *heavy = NULL;
	int heavy_count = 0;
	Cell *cells = NULL;
	size_t cell_count = 0;
	double *work = calloc(shards, sizeof(double));
	double *bytes = calloc(shards, sizeof(double));
	double postings = 0;
	double copied = 0;

	/* The sample. */
	state = 1;
	for (sampled = 0; sampled < records && token_total < SAMPLE_TOKENS; sampled++)
	{
		int size = next_record(tokens, vocabulary, exponent);

		token_total += size;
		for (int i = 0; i < prefix_length(size, threshold); i++)
			counts[tokens[i]]++;
	}
	scale = (double) records / (double) sampled;
	for (uint32_t t = 0; t < vocabulary; t++)
		total_work += counts[t] * scale * (counts[t] * scale + POSTING_WORK);
	for (uint32_t t = 0; t < vocabulary; t++)
	{
		double n = counts[t] * scale;
		double piece = total_work / (PIECES * shards);

		heavy_of[t] = -1;
		if (counts[t] < 2 || n * (n + POSTING_WORK) <= piece / 8)
			continue;
		heavy = grow(heavy, (size_t) (heavy_count + 1) * sizeof(Heavy));
		memset(&heavy[heavy_count], 0, sizeof(Heavy));
		heavy[heavy_count].token = t;
		heavy[heavy_count].groups =
			(int) fmin(MOST_GROUPS, ceil(sqrt(n * (n + POSTING_WORK) / piece)));
		for (int i = 0; i < heavy[heavy_count].groups; i++)
		{
			for (int j = i; j < heavy[heavy_count].groups; j++)
			{
				double part = n / heavy[heavy_count].groups;

				if ((cell_count & (cell_count - 1)) == 0)
					cells = grow(cells, (cell_count ? 2 * cell_count : 1) * sizeof(Cell));
				cells[cell_count++] =
					(Cell){part * part * (i == j ? 1 : 2), (uint32_t) heavy_count, i, j};
			}
		}
		heavy_of[t] = heavy_count++;
	}

	/* All records. */
	memset(counts, 0, vocabulary * sizeof(uint32_t));
	state = 2;
	for (uint64_t r = 0; r < records; r++)
	{
		int size = next_record(tokens, vocabulary, exponent);

		for (int i = 0; i < prefix_length(size, threshold); i++)
		{
			int32_t h = heavy_of[tokens[i]];

			counts[tokens[i]]++;
			postings++;
			if (h >= 0)
				heavy[h].counts[hash_bits(r) % heavy[h].groups]++;
		}
	}

	qsort(cells, cell_count, sizeof(Cell), compare_cells);
	for (size_t c = 0; c < cell_count; c++)
	{
		size_t place = c % shards;
		size_t shard = (c / shards) % 2 == 0 ? place : shards - 1 - place;
		double x = (double) heavy[cells[c].token].counts[cells[c].i];
		double y = (double) heavy[cells[c].token].counts[cells[c].j];

		work[shard] += cells[c].i == cells[c].j ? x * (x + 1) / 2 : x * y;
		bytes[shard] += (cells[c].i == cells[c].j ? x : x + y) * posting_bytes;
		copied += cells[c].i == cells[c].j ? x : x + y;
	}
	for (uint32_t t = 0; t < vocabulary; t++)
	{
		if (heavy_of[t] >= 0)
			continue;
		work[hash_bits(t) % shards] += (double) counts[t] * (counts[t] + 1.0) / 2;
		bytes[hash_bits(t) % shards] += counts[t] * posting_bytes;
		copied += counts[t];
	}

	double work_total = 0;
	double bytes_total = 0;
	double most_work = 0;
	double most_bytes = 0;

	for (int s = 0; s < shards; s++)
	{
		work_total += work[s];
		bytes_total += bytes[s];
		most_work = fmax(most_work, work[s]);
		most_bytes = fmax(most_bytes, bytes[s]);
	}
	printf("records %.0f, shards %d, threshold %g, vocabulary %u, exponent %g\n", (double) records,
		   shards, threshold, vocabulary, exponent);
	printf("postings a record      %.2f, copied to cells %.2f\n", postings / records,
		   copied / records);
	printf("bytes a record         %.0f\n", bytes_total / records);
	printf("gigabytes a shard      mean %.3f, most / mean %.3f\n", bytes_total / shards / 1e9,
		   most_bytes * shards / bytes_total);
	printf("comparisons a record   %.1f\n", work_total / records);
	printf("comparisons a shard    mean %.4g, most / mean %.3f\n", work_total / shards,
		   most_work * shards / work_total);
	printf("lists cut              %d, cells %zu\n", heavy_count, cell_count);
	return 0;
}
