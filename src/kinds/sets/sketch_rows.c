/*
 * sketch_rows.c
 *		Rows that are minhash sketches, compared by the values that they share.
 *
 * A sketch is the set of its pairs <component, value>. All sketches of a join have full width, and
 * the number of components and the seed of the first one.
 */
#include "postgres.h"

#include "kinds/sets/set_rows.h"
#include "kinds/sets/sketch_rows.h"
#include "measure/threshold.h"
#include "minhash/lsh.h"
#include "sketch/supershingles.h"

static void
check_sketch_column(const RowReading *reading, Form_pg_attribute column)
{
	if (reading->type != reading->kind_type)
		RowColumnTypeError(reading, column, "Sketches are of type minhash.");
}

/* Notes the kind of the first sketch, from which the number of super-shingles follows. */
static void
begin_sketches(JoinInput *input, const Minhash *sketch)
{
	BucketSpec *supershingles = unconstify(BucketSpec *, input->records.buckets);
	MinhashKind *kind = MemoryContextAlloc(input->context, sizeof(MinhashKind));

	MinhashCheckFullWidth(sketch, input->name);
	*kind = MinhashKindOf(sketch);
	input->content = kind;
	if (supershingles == NULL)
		return;
	SupershingleCheckSize((int32) supershingles->rows, sketch->k);
	supershingles->keys = SupershingleCount((uint32) sketch->k, supershingles->rows);
}

/* A token has the number of a component in its upper half, its value in the lower. */
static bool
read_sketch(RowReading *reading, Datum value, uint64 group, JoinRow *row)
{
	const Minhash *sketch = DatumGetMinhash(value);
	TokenList *tokens = &reading->tokens;

	if (reading->input->content == NULL)
		begin_sketches(reading->input, sketch);
	else
		MinhashCheckSameKind(SketchRowsKind(reading->input), MinhashKindOf(sketch));
	tokens->count = 0;
	for (int32 i = 0; !sketch->is_empty && i < sketch->k; i++)
		TokenListAppend(tokens, (Token) i << 32 | sketch->words[i]);
	*row = (JoinRow){.data = tokens->tokens, .count = tokens->count};
	RowReadingSetApart(reading, group, row);
	return row->count > 0;
}

const RowKind sketch_rows = {ROWS_AS_SETS,
							 .name = "sketch",
							 .type = "minhash",
							 .algorithm = JOIN_AUTO,
							 .algorithms = 1 << JOIN_AUTO | 1 << JOIN_BUCKETS,
							 .predicate = PredicateOrError,
							 .check_column = check_sketch_column,
							 .read = read_sketch};
