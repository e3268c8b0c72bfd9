/*
 * place_records.c
 *		Placing new rows among entities that are known: they join one, make one, or stand between two.
 *
 * Scores are those of a model, and clusters those of duplicate_records, but that an entity is a cluster from
 * the start, and two of them never become one. So nothing that is known changes, and what is returned is a
 * list that the caller writes or does not write.
 *
 * A few new rows of a large table are placed among the entities of their nearest rows, which an index finds,
 * so that the table need not be read.
 *
 * Entities of new rows have names of their own only where entities are named by the keys of their rows.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "allocate.h"
#include "compat.h"
#include "join/call/arguments.h"
#include "join/call/result_set.h"
#include "link/record_lookup.h"
#include "link/record_search.h"

PG_FUNCTION_INFO_V1(place_records);

/* Entities are named by keys if so large a part of them have a row whose key is their name. */
#define LEAST_NAMED_BY_KEYS 0.5

/* Columns of place_records. */
enum
{
	PLACED_ID,
	PLACED_ENTITY,
	PLACED_OTHER_ENTITY,
	PLACED_DUPLICATE_OF,
	PLACED_SCORE,
	PLACED_KIND,
	PLACED_GROUP,
	PLACED_COLUMNS
};

/* The kinds of places. */
enum
{
	JOINS,
	NEW,
	BETWEEN,
	KINDS
};

static const char *const kind_names[KINDS] = {"joins", "new", "between"};

/* The place of a group of new rows. */
typedef struct GroupPlace
{
	uint32 first; /* the least of the new groups at this place */
	/* The group that `score` is to: of the entity, or else the first one; or NO_ROW. */
	uint32 nearest;
	double score;
} GroupPlace;

typedef struct Placing
{
	RecordSearch *search;
	RecordRows *rows;
	const RecordClusters *clusters;
	GroupPlace *places; /* by group, of new rows */
	bool are_named_by_keys;
	ReturnSetInfo *result;
	Datum kinds[KINDS];
} Placing;

static bool
is_new(const Placing *placing, uint32 group)
{
	return RecordRowsEntity(placing->rows, group) == NO_ROW;
}

/* Returns the known entity of a group, which is named by a group, or NO_ROW. */
static uint32
entity_of(const Placing *placing, uint32 group)
{
	return placing->clusters->entities[RecordClusterOf(placing->clusters, group)];
}

/* Finds which groups of new rows have one place: they joined an entity together, or make a new one. */
static void
find_places(Placing *placing)
{
	const RecordClusters *clusters = placing->clusters;
	uint32 count = placing->rows->rows.group_count;
	uint32 *firsts = AllocateArray(count, sizeof(uint32)); /* by root: the least new group */

	placing->places = AllocateArray(count, sizeof(GroupPlace));
	memset(firsts, 0xFF, count * sizeof(uint32));
	for (uint32 group = 0; group < count; group++)
	{
		uint32 *first = &firsts[RecordClusterOf(clusters, group)];

		if (!is_new(placing, group))
			continue;
		if (*first == NO_ROW && clusters->others[group] == NO_ROW)
			*first = group;
		placing->places[group] = (GroupPlace){
			.first = clusters->others[group] == NO_ROW ? *first : clusters->parts[group],
			.nearest = NO_ROW,
			.score = NAN};
	}
	pfree(firsts);
}

/* Notes the score of a group of new rows to another group. */
static void
note_score(Placing *placing, uint32 group, uint32 to, double score)
{
	GroupPlace *place = &placing->places[group];

	if (place->nearest != NO_ROW && place->score >= score)
		return;
	place->nearest = to;
	place->score = score;
}

/* Finds the row of its entity that each new row resembles most; in a new entity, its score to the first row. */
static void
find_nearest(Placing *placing)
{
	RecordCandidates *candidates = &placing->search->candidates;

	for (uint64 i = 0; i < candidates->count; i++)
	{
		Candidate pair = *RecordCandidateAt(candidates, i);

		CHECK_FOR_INTERRUPTS();
		if (!RecordCandidateMatches(candidates, i))
			continue;
		if (is_new(placing, pair.a) != is_new(placing, pair.b))
		{
			bool is_a = is_new(placing, pair.a);

			note_score(placing, is_a ? pair.a : pair.b, is_a ? pair.b : pair.a,
					   RecordSearchScore(placing->search, i));
		}
		else if (is_new(placing, pair.a) && entity_of(placing, pair.a) == NO_ROW &&
				 placing->places[pair.b].first == pair.a)
			note_score(placing, pair.b, pair.a, RecordSearchScore(placing->search, i));
	}
}

/* Finds whether entities are named by keys of their rows, as new ones may be then. */
static void
find_names(Placing *placing)
{
	const CallRows *rows = &placing->rows->rows;
	RecordEntities *entities = placing->rows->entities;
	uint32 count = entities->names.count;
	bool *are_named = AllocateArray(count, sizeof(bool));
	uint32 named = 0;

	memset(are_named, 0, count * sizeof(bool));
	for (uint32 row = 0; row < rows->count; row++)
	{
		uint32 entity = placing->rows->entity[row];

		CHECK_FOR_INTERRUPTS();
		if (entity != NO_ROW &&
			RecordEntityOfKey(entities, &rows->keys, CallRowsNumber(rows, row)) == entity)
			are_named[entity] = true;
	}
	for (uint32 entity = 0; entity < count; entity++)
		named += are_named[entity];
	placing->are_named_by_keys = named >= LEAST_NAMED_BY_KEYS * count;
	pfree(are_named);
}

/* Returns the name of a known entity, which is named by a group. */
static Datum
entity_name(const Placing *placing, uint32 entity)
{
	return RecordEntityName(placing->rows->entities, placing->rows->rows.key_policy,
							RecordRowsEntity(placing->rows, entity));
}

/* Raises an error if an entity has the name already that a new one would have, the key of this row. */
static void
check_name(const Placing *placing, uint32 row)
{
	const CallRows *rows = &placing->rows->rows;
	uint32 number = CallRowsNumber(rows, row);

	if (RecordEntityOfKey(placing->rows->entities, &rows->keys, number) == NO_ROW)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_UNIQUE_VIOLATION),
			 errmsg("an entity has the name that a new one would have"),
			 errdetail("Entities are named by the keys of their rows, and the row of key %s, which "
					   "is of a new entity, has the name of one that is known.",
					   JoinKeyText(&rows->keys, number)),
			 errhint("Give that entity the key of one of its rows as a name.")));
}

/* Sets the columns of a row of a new entity, of which `first` is the first row. */
static void
set_new(const Placing *placing, uint32 row, uint32 first, Datum *values, bool *nulls)
{
	const CallRows *rows = &placing->rows->rows;

	if (placing->are_named_by_keys && row == first)
		check_name(placing, row);
	values[PLACED_ENTITY] = CallRowsKey(rows, first);
	nulls[PLACED_ENTITY] = !placing->are_named_by_keys;
	values[PLACED_DUPLICATE_OF] = CallRowsKey(rows, first);
	nulls[PLACED_DUPLICATE_OF] = row == first;
	nulls[PLACED_OTHER_ENTITY] = true;
	values[PLACED_KIND] = placing->kinds[NEW];
}

/* Sets the columns of a row that joins a known entity. */
static void
set_joining(const Placing *placing, uint32 group, Datum *values, bool *nulls)
{
	const CallRows *rows = &placing->rows->rows;
	uint32 other = placing->clusters->others[group];
	uint32 nearest = placing->places[group].nearest;

	values[PLACED_ENTITY] = entity_name(placing, entity_of(placing, group));
	nulls[PLACED_OTHER_ENTITY] = other == NO_ROW;
	if (other != NO_ROW)
		values[PLACED_OTHER_ENTITY] = entity_name(placing, other);
	nulls[PLACED_DUPLICATE_OF] = nearest == NO_ROW;
	if (nearest != NO_ROW)
		values[PLACED_DUPLICATE_OF] = CallRowsKey(rows, *CallRowsMembers(rows, nearest));
	values[PLACED_KIND] = placing->kinds[other == NO_ROW ? JOINS : BETWEEN];
}

static void
put_place(Placing *placing, uint32 row)
{
	const CallRows *rows = &placing->rows->rows;
	uint32 group = rows->groups[row];
	const GroupPlace *place = &placing->places[group];
	bool is_alone = !RecordClusterHoldsGroup(placing->clusters, group);
	uint32 first = is_alone ? row : *CallRowsMembers(rows, place->first);
	bool is_known = entity_of(placing, group) != NO_ROW;
	bool nulls[PLACED_COLUMNS] = {false};
	Datum values[PLACED_COLUMNS] = {0};

	values[PLACED_ID] = CallRowsKey(rows, row);
	values[PLACED_GROUP] = CallRowsKey(rows, first);
	values[PLACED_SCORE] = nd_float8_datum(&place->score);
	nulls[PLACED_SCORE] = isnan(place->score) || (!is_known && row == first);
	if (is_known)
		set_joining(placing, group, values, nulls);
	else
		set_new(placing, row, first, values, nulls);
	tuplestore_putvalues(placing->result->setResult, placing->result->setDesc, values, nulls);
}

Datum
place_records(PG_FUNCTION_ARGS)
{
	RecordRequest request = RecordRequestRead(fcinfo, RECORD_HAS_ENTITY);
	Placing placing = {.result = JoinMaterialize(fcinfo)};
	RecordSearch *search;
	MemoryContext previous;

	RecordLookupNarrow(&request, JoinSchema(fcinfo));
	search = RecordSearchRun(&request, false);
	previous = MemoryContextSwitchTo(search->context);

	placing.search = search;
	placing.rows = &search->rows;
	placing.clusters = search->clusters;
	for (int i = 0; i < KINDS; i++)
		placing.kinds[i] = CStringGetTextDatum(kind_names[i]);
	find_places(&placing);
	find_nearest(&placing);
	find_names(&placing);
	for (uint32 row = 0; row < search->rows.rows.count; row++)
	{
		CHECK_FOR_INTERRUPTS();
		if (search->rows.entity[row] == NO_ROW)
			put_place(&placing, row);
	}
	MemoryContextSwitchTo(previous);
	RecordSearchEnd(search);
	return (Datum) 0;
}
