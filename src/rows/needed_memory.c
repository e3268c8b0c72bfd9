/*
 * needed_memory.c
 *		Counting what rows on their way to files would have taken in memory.
 */
#include "postgres.h"

#include <limits.h>

#include "access/detoast.h"
#include "access/xact.h"
#include "common/hashfn.h"
#include "port/pg_bitutils.h"
#include "utils/datum.h"
#include "utils/guc.h"

#include "rows/needed_memory.h"

/*
 * The sketch has two to this power of bytes. Its standard error is 1.6 percent, so 5 percent are
 * three standard errors.
 */
#define SKETCH_BITS 12
#define PERCENT_OF_ERROR 5

/* The header of a chunk of memory; larger ones have a block of their own. */
#define CHUNK_HEADER 16
#define MOST_CHUNK 4096
#define BLOCK_HEADER 64

#define MEGABYTE ((Size) 1024 * 1024)

/* The statement that has raised the last notice, and the megabytes that it named. */
static TimestampTz noticed_statement = 0;
static Size noticed_megabytes = 0;

static void
add_token(NeededMemory *needed, int64 token)
{
	addHyperLogLog(&needed->distinct, murmurhash32((uint32) (DictionaryHash(token) >> 32)));
}

NeededMemory *
NeededMemoryBegin(const TokenDictionary *dictionary, Size key_bytes)
{
	NeededMemory *needed = palloc0(sizeof(NeededMemory));

	needed->host = dictionary->host;
	needed->key_bytes = key_bytes;
	initHyperLogLog(&needed->distinct, SKETCH_BITS);
	for (uint32 id = 1; id <= dictionary->token_count; id++)
	{
		JoinTick(needed->host, 1);
		add_token(needed, dictionary->entries[id].token);
	}
	return needed;
}

void
NeededMemoryAddKey(NeededMemory *needed, const JoinKeys *keys, Datum key)
{
	Size size;

	if (keys->is_integer || keys->type_by_value)
		return;
	/* In memory, a key is not toasted. */
	size = keys->type_length == -1 ? toast_raw_datum_size(key)
								   : datumGetSize(key, false, keys->type_length);
	needed->key_bytes += size > MOST_CHUNK
							 ? MAXALIGN(size) + BLOCK_HEADER
							 : pg_nextpower2_64(Max(size, sizeof(Datum))) + CHUNK_HEADER;
}

void
NeededMemoryAddTokens(NeededMemory *needed, const void *tokens, uint32 count)
{
	int64 token;

	JoinTick(needed->host, count);
	for (uint32 i = 0; i < count; i++)
	{
		memcpy(&token, (const char *) tokens + (Size) i * sizeof(int64), sizeof(int64));
		add_token(needed, token);
	}
}

uint64
NeededMemoryDistinct(const NeededMemory *needed)
{
	double estimate = estimateHyperLogLog(unconstify(hyperLogLogState *, &needed->distinct));

	return (uint64) (estimate * (100 + PERCENT_OF_ERROR) / 100) + 1;
}

/* What is left at the end of blocks is an eighth at most. */
Size
NeededMemoryOfKeys(const NeededMemory *needed)
{
	return needed->key_bytes + needed->key_bytes / 8;
}

void
NeededMemoryNotice(const char *join, Size memory, Size needed)
{
	Size megabytes = needed / MEGABYTE + 1;
	TimestampTz statement = GetCurrentStatementStartTimestamp();

	if (statement == noticed_statement && megabytes <= noticed_megabytes)
		return;
	noticed_statement = statement;
	noticed_megabytes = megabytes;
	ereport(NOTICE,
			(errmsg("%s uses temporary files", join),
			 errdetail("Its rows do not fit into \"neardup.join_memory\", which is %zukB now.",
					   memory / 1024),
			 megabytes * 1024 <= MAX_KILOBYTES
				 ? errhint("They stay in memory with SET neardup.join_memory = '%zuMB'.", megabytes)
				 : 0));
}
