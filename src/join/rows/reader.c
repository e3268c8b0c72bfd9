/*
 * reader.c
 *		From rows of a query to records.
 *
 * A receiver appends each row at once. Tokensets are read in the executor's slot without a copy,
 * where short varlena headers leave them unaligned.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "compat.h"
#include "join/progress/progress.h"
#include "join/rows/query.h"
#include "join/rows/reader.h"
#include "minhash/lsh.h"
#include "sketch/supershingles.h"
#include "simhash/simhash.h"
#include "text/element_tokens.h"
#include "text/encoding.h"
#include "text/token_sort.h"
#include "tokenset/tokenset.h"

typedef enum SetKind
{
	SET_TOKENSET,
	SET_INT4_ARRAY,
	SET_INT8_ARRAY,
	SET_TEXT_ARRAY,
	SET_TSVECTOR,
	SET_MINHASH
} SetKind;

typedef struct RowReceiver
{
	DestReceiver dest; /* must be first */
	JoinInput *input;
	const ReaderSpec *spec;
	SetKind set_kind;
	Oid text_type;
	TokenList tokens;		   /* of the present row, unless a tokenset */
	MemoryContext row_context; /* for detoasted sets */
	bool ends;				   /* as the taker says */
} RowReceiver;

static SetKind
set_kind_of(Form_pg_attribute attribute, const ReaderSpec *spec)
{
	Oid type = getBaseType(attribute->atttypid);

	if (spec->sketches != NULL)
	{
		if (type != spec->minhash_type)
			ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
							errmsg("sketch column of the query has an unsupported type"),
							errdetail("Column \"%s\" is of type %s.", NameStr(attribute->attname),
									  format_type_be(attribute->atttypid)),
							errhint("Sketches are of type minhash.")));
		return SET_MINHASH;
	}
	if (type == spec->tokenset_type)
		return SET_TOKENSET;
	switch (type)
	{
		case INT4ARRAYOID:
			return SET_INT4_ARRAY;
		case INT8ARRAYOID:
			return SET_INT8_ARRAY;
		case TEXTARRAYOID:
		case VARCHARARRAYOID:
			return SET_TEXT_ARRAY;
		case TSVECTOROID:
			return SET_TSVECTOR;
		default:
			ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
							errmsg("set column of the query has an unsupported type"),
							errdetail("Column \"%s\" is of type %s.", NameStr(attribute->attname),
									  format_type_be(attribute->atttypid)),
							errhint("Sets are of type tokenset, integer[], bigint[], text[] or "
									"tsvector.")));
	}
}

static Oid
text_type_or_error(Form_pg_attribute attribute)
{
	Oid type = getBaseType(attribute->atttypid);

	if (type != TEXTOID && type != VARCHAROID && type != BPCHAROID && type != NAMEOID)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("text column of the query has an unsupported type"),
						errdetail("Column \"%s\" is of type %s.", NameStr(attribute->attname),
								  format_type_be(attribute->atttypid)),
						errhint("Texts are of type text, character varying, character or name.")));
	return type;
}

static void
check_simhash_type(Form_pg_attribute attribute, Oid simhash_type)
{
	if (getBaseType(attribute->atttypid) != simhash_type)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("simhash column of the query must be of type simhash"),
						errdetail("Column \"%s\" is of type %s.", NameStr(attribute->attname),
								  format_type_be(attribute->atttypid))));
}

/* For messages. */
static const char *
value_name(const ReaderSpec *spec)
{
	if (spec->reads_texts)
		return "text";
	if (spec->sketches != NULL)
		return "sketch";
	return OidIsValid(spec->simhash_type) ? "simhash" : "set";
}

static int
further_columns(const ReaderSpec *spec)
{
	if (spec->taker != NULL)
		return spec->taker->sample->blocks > 0 ? 1 : 0;
	return spec->observer != NULL ? spec->observer->further_columns : 0;
}

static void
receiver_startup(DestReceiver *self, int operation, TupleDesc columns)
{
	RowReceiver *receiver = (RowReceiver *) self;
	JoinInput *input = receiver->input;
	const ReaderSpec *spec = receiver->spec;
	Form_pg_attribute key;
	Oid key_type;

	if (columns->natts != 2 + further_columns(spec))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("query of a similarity join must return two columns, a key and a %s",
							   value_name(spec)),
						errdetail_plural(
							"The query returns %d column.", "The query returns %d columns.",
							columns->natts - (spec->taker != NULL ? further_columns(spec) : 0),
							columns->natts - (spec->taker != NULL ? further_columns(spec) : 0))));
	key = TupleDescAttr(columns, 0);
	key_type =
		spec->observer != NULL ? INT8OID : JoinKeyColumnType(key, spec->key_policy, spec->key_type);
	if (spec->observer != NULL)
		spec->observer->begin(spec->observer->context, columns);
	if (spec->reads_texts)
		receiver->text_type = text_type_or_error(TupleDescAttr(columns, 1));
	else if (OidIsValid(spec->simhash_type))
		check_simhash_type(TupleDescAttr(columns, 1), spec->simhash_type);
	else
		receiver->set_kind = set_kind_of(TupleDescAttr(columns, 1), spec);

	if (spec->taker != NULL)
		return;
	if (!input->keys_ready)
	{
		JoinKeysInit(&input->keys, input->key_context, input->records.host, key_type,
					 key->attcollation, spec->keys_are_compared);
		input->keys_ready = true;
	}
	else if (input->keys.is_integer && JoinKeyTypeIsInteger(key_type))
		input->keys.type = key_type;
	else if (input->keys.type != key_type)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("key columns of the two queries have different types"),
						errdetail("They are of type %s and %s.", format_type_be(input->keys.type),
								  format_type_be(key_type))));
}

static void
append_set(RowReceiver *receiver, TupleTableSlot *slot, Datum key, const void *tokens, Size count)
{
	const SetTaker *taker = receiver->spec->taker;

	if (taker == NULL)
		JoinInputAppend(receiver->input, key, tokens, count);
	else
		receiver->ends = !taker->take(taker->context, slot, tokens, count);
}

static void
append_tokenset(RowReceiver *receiver, TupleTableSlot *slot, Datum key)
{
	Size count;
	const void *tokens = TokensetPackedTokens(PG_DETOAST_DATUM_PACKED(slot->tts_values[1]), &count);

	append_set(receiver, slot, key, tokens, count);
}

/* All have the first one's kind. */
static void
check_sketch(SketchReading *reading, const Minhash *sketch)
{
	BucketSpec *supershingles = reading->supershingles;

	if (reading->is_known)
	{
		MinhashCheckSameKind(reading->kind, MinhashKindOf(sketch));
		return;
	}
	MinhashCheckFullWidth(sketch, reading->function);
	reading->kind = MinhashKindOf(sketch);
	reading->is_known = true;
	if (supershingles == NULL)
		return;
	SupershingleCheckSize((int32) supershingles->rows, sketch->k);
	supershingles->keys = SupershingleCount((uint32) sketch->k, supershingles->rows);
}

static void
append_sketch(RowReceiver *receiver, Datum key, Datum value)
{
	const Minhash *sketch = DatumGetMinhash(value);
	TokenList *tokens = &receiver->tokens;

	check_sketch(receiver->spec->sketches, sketch);
	tokens->count = 0;
	for (int32 i = 0; !sketch->is_empty && i < sketch->k; i++)
		TokenListAppend(tokens, (Token) i << 32 | sketch->words[i]);
	JoinInputAppend(receiver->input, key, tokens->tokens, tokens->count);
}

/* Sets that may be unsorted or have repetitions. */
static void
append_list(RowReceiver *receiver, TupleTableSlot *slot, Datum key)
{
	TokenList *tokens = &receiver->tokens;
	Datum set = slot->tts_values[1];

	tokens->count = 0;
	switch (receiver->set_kind)
	{
		case SET_INT4_ARRAY:
			TokensOfInt4Array(DatumGetArrayTypeP(set), tokens);
			break;
		case SET_INT8_ARRAY:
			TokensOfInt8Array(DatumGetArrayTypeP(set), tokens);
			break;
		case SET_TEXT_ARRAY:
			TokensOfTextArray(DatumGetArrayTypeP(set), tokens);
			break;
		default:
			TokensOfTSVector(DatumGetTSVector(set), tokens);
			break;
	}
	TokensSort(tokens->tokens, tokens->count);
	append_set(receiver, slot, key, tokens->tokens, TokensUnique(tokens->tokens, tokens->count));
}

/* A character(n) loses trailing blanks, as in a cast. */
static ByteSpan
bytes_of_text(Oid type, Datum value)
{
	ByteSpan bytes;

	if (type == NAMEOID)
	{
		bytes.data = NameStr(*DatumGetName(value));
		bytes.length = strlen(bytes.data);
	}
	else
	{
		text *packed = DatumGetTextPP(value);

		bytes.data = VARDATA_ANY(packed);
		bytes.length = VARSIZE_ANY_EXHDR(packed);
	}
	if (type == BPCHAROID)
		bytes.length = bpchartruelen((char *) bytes.data, (int) bytes.length);
	return bytes;
}

static void
append_text(RowReceiver *receiver, Datum key, Datum value)
{
	ByteSpan bytes = bytes_of_text(receiver->text_type, value);

	JoinInputAppendText(receiver->input, key, ServerToUtf8(bytes.data, bytes.length), 0);
}

static bool
receiver_receive(TupleTableSlot *slot, DestReceiver *self)
{
	RowReceiver *receiver = (RowReceiver *) self;
	const RowObserver *observer = receiver->spec->observer;
	MemoryContext previous;
	Datum key;

	JoinProgressCheck();
	slot_getallattrs(slot);
	key = slot->tts_values[0];
	if (observer != NULL && !observer->row(observer->context, slot, &key))
		return true;
	if (slot->tts_isnull[0] || slot->tts_isnull[1])
		return true;
	previous = MemoryContextSwitchTo(receiver->row_context);
	if (receiver->spec->reads_texts)
		append_text(receiver, key, slot->tts_values[1]);
	else if (OidIsValid(receiver->spec->simhash_type))
	{
		Simhash value = DatumGetSimhash(slot->tts_values[1]);

		JoinInputAppend(receiver->input, key, &value, 1);
	}
	else if (receiver->set_kind == SET_MINHASH)
		append_sketch(receiver, key, slot->tts_values[1]);
	else if (receiver->set_kind == SET_TOKENSET)
		append_tokenset(receiver, slot, key);
	else
		append_list(receiver, slot, key);
	MemoryContextSwitchTo(previous);
	MemoryContextReset(receiver->row_context);
	return !receiver->ends;
}

static void
receiver_nothing(DestReceiver *self)
{
}

void
JoinReadQuery(JoinInput *input, const ReaderSpec *spec, const char *query)
{
	RowReceiver receiver;

	memset(&receiver, 0, sizeof(receiver));
	receiver.dest.receiveSlot = receiver_receive;
	receiver.dest.rStartup = receiver_startup;
	receiver.dest.rShutdown = receiver_nothing;
	receiver.dest.rDestroy = receiver_nothing;
	receiver.dest.mydest = DestTuplestore;
	receiver.input = input;
	receiver.spec = spec;

	TokenListInit(&receiver.tokens, 0);
	receiver.row_context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup row", ALLOCSET_DEFAULT_SIZES);
	if (spec->taker != NULL)
		JoinRunSample("query of a similarity join", query, spec->taker->sample, &receiver.dest);
	else
		JoinRunQuery("query of a similarity join", query, &receiver.dest);
	MemoryContextDelete(receiver.row_context);
	pfree(receiver.tokens.tokens);
}
