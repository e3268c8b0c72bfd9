/*
 * learned_model.c
 *		Writing a model as jsonb, and reading it.
 *
 * A model may come from anywhere, so nothing in it is believed before it was looked at.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/numeric.h"

#include "allocate.h"
#include "compat.h"
#include "link/learned_model.h"

#define MODEL_VERSION 1

/* Significant digits of a number that was learned; more would differ between processors. */
#define DIGITS 10

/* No number is greater, so that sums of scores are finite. */
#define MOST_NUMBER 1e12

/* Digits and a sign, and a byte behind. */
#define TOKEN_LENGTH 21

static const char *const feature_names[COLUMN_FEATURES] = {"similarity", "presence", "rarity"};

/* ------------------------------------------------------------------------------------------------
 * Writing
 * ------------------------------------------------------------------------------------------------ */

static void
append_number(StringInfo json, double number)
{
	if (isnan(number))
		appendStringInfoString(json, "null");
	else
		appendStringInfo(json, "%.*g", DIGITS, number);
}

static void
append_frequencies(StringInfo json, const char *name, const RecordFrequencies *frequencies)
{
	appendStringInfo(json, ", \"%s\": {\"rows\": " UINT64_FORMAT ", \"rare\": " UINT64_FORMAT, name,
					 frequencies->all, frequencies->rare);
	appendStringInfoString(json, ", \"listed\": {");
	for (uint32 i = 0; i < frequencies->count; i++)
		appendStringInfo(json, "%s\"" INT64_FORMAT "\": " UINT64_FORMAT, i == 0 ? "" : ", ",
						 frequencies->listed[i].token, frequencies->listed[i].rows);
	appendStringInfoString(json, "}}");
}

Jsonb *
LearnedModelWrite(const LearnedModel *model)
{
	StringInfoData json;

	initStringInfo(&json);
	appendStringInfo(&json,
					 "{\"version\": %d, \"rows\": " UINT64_FORMAT ", \"constant\": ", MODEL_VERSION,
					 model->rows);
	append_number(&json, model->constant);
	append_frequencies(&json, "tokens", &model->tokens);
	appendStringInfoString(&json, ", \"columns\": [");
	for (int i = 0; i < model->column_count; i++)
	{
		const LearnedColumn *column = &model->columns[i];

		appendStringInfoString(&json, i == 0 ? "{\"name\": " : ", {\"name\": ");
		escape_json(&json, column->name);
		for (int feature = 0; feature < COLUMN_FEATURES; feature++)
		{
			appendStringInfo(&json, ", \"%s\": ", feature_names[feature]);
			append_number(&json, column->weights[feature]);
		}
		append_frequencies(&json, "values", &column->values);
		append_frequencies(&json, "grams", &column->grams);
		appendStringInfoChar(&json, '}');
	}
	appendStringInfoString(&json, "]}");
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data)));
}

/* ------------------------------------------------------------------------------------------------
 * Reading
 * ------------------------------------------------------------------------------------------------ */

/* Raises an error that says what is wrong. */
nd_noreturn static void
refuse_model(const char *what, const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("the model is not one that learn_records returned"),
			 errdetail("Its member \"%s\" %s.", name, what),
			 errhint("A model is used as learn_records returns it, of the version of neardup "
					 "that reads it.")));
}

/* Returns a member of an object; raises an error if it is missing or is of another type. */
static JsonbValue *
read_member(JsonbContainer *object, const char *name, enum jbvType type)
{
	JsonbValue *value = getKeyJsonValueFromContainer(object, name, (int) strlen(name), NULL);

	if (value == NULL)
		refuse_model("is missing", name);
	if (value->type != type)
		refuse_model("is of another type", name);
	return value;
}

/* Returns a member that is an object, or an array. */
static JsonbContainer *
read_container(JsonbContainer *object, const char *name, bool is_array)
{
	JsonbContainer *container = read_member(object, name, jbvBinary)->val.binary.data;

	if (is_array ? !JsonContainerIsArray(container) : !JsonContainerIsObject(container))
		refuse_model("is of another type", name);
	return container;
}

static double
number_of(const JsonbValue *value, const char *name)
{
	char *digits =
		DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
	double number = strtod(digits, NULL);

	if (!(fabs(number) <= MOST_NUMBER))
		refuse_model("is out of range", name);
	pfree(digits);
	return number;
}

/* Returns a number of rows, from `least` on. */
static uint64
rows_of(const JsonbValue *value, uint64 least, uint64 most, const char *name)
{
	double rows = number_of(value, name);

	if (!(rows >= (double) least && rows <= (double) most) || rows != floor(rows))
		refuse_model("is out of range", name);
	return (uint64) rows;
}

static uint64
read_row_count(JsonbContainer *object, const char *name, uint64 least, uint64 most)
{
	return rows_of(read_member(object, name, jbvNumeric), least, most, name);
}

/* Returns a weight, NaN for null. */
static double
read_learned_weight(JsonbContainer *object, const char *name)
{
	JsonbValue *value = getKeyJsonValueFromContainer(object, name, (int) strlen(name), NULL);

	if (value != NULL && value->type == jbvNull)
		return NAN;
	return number_of(read_member(object, name, jbvNumeric), name);
}

/* Returns the token that the key of a list is. */
static Token
token_of(const JsonbValue *key)
{
	char digits[TOKEN_LENGTH];
	char *end;
	Token token;

	if (key->val.string.len >= TOKEN_LENGTH)
		refuse_model("has a token that is no number", "listed");
	memcpy(digits, key->val.string.val, key->val.string.len);
	digits[key->val.string.len] = '\0';
	errno = 0;
	token = strtoll(digits, &end, 10);
	if (errno != 0 || *end != '\0' || end == digits)
		refuse_model("has a token that is no number", "listed");
	return token;
}

static RecordFrequencies
read_learned_frequencies(JsonbContainer *parent, const char *name)
{
	JsonbContainer *object = read_container(parent, name, false);
	JsonbContainer *listed = read_container(object, "listed", false);
	RecordFrequencies frequencies = {.all = read_row_count(object, "rows", 0, PG_UINT32_MAX)};
	JsonbIterator *iterator = JsonbIteratorInit(listed);
	JsonbValue key;
	JsonbValue value;

	frequencies.rare = read_row_count(object, "rare", 1, PG_UINT32_MAX);
	frequencies.listed = AllocateArray(JsonContainerSize(listed), sizeof(ListedFrequency));
	(void) JsonbIteratorNext(&iterator, &key, true);
	while (JsonbIteratorNext(&iterator, &key, true) == WJB_KEY)
	{
		CHECK_FOR_INTERRUPTS();
		(void) JsonbIteratorNext(&iterator, &value, true);
		if (value.type != jbvNumeric)
			refuse_model("is of another type", "listed");
		frequencies.listed[frequencies.count++] = (ListedFrequency){
			.token = token_of(&key), .rows = rows_of(&value, 1, frequencies.all, "listed")};
	}
	if (!RecordFrequenciesSort(&frequencies))
		refuse_model("has a token twice", "listed");
	return frequencies;
}

static LearnedColumn
read_column(const LearnedModel *model, JsonbContainer *object)
{
	JsonbValue *name = read_member(object, "name", jbvString);
	LearnedColumn column = {.name = pnstrdup(name->val.string.val, name->val.string.len)};
	const double *weights = column.weights;

	for (int i = 0; i < model->column_count; i++)
	{
		if (strcmp(model->columns[i].name, column.name) == 0)
			refuse_model("is that of two columns", "name");
	}
	for (int feature = 0; feature < COLUMN_FEATURES; feature++)
		column.weights[feature] = read_learned_weight(object, feature_names[feature]);
	if (isnan(weights[FEATURE_SIMILARITY]) != isnan(weights[FEATURE_RARITY]) ||
		(isnan(weights[FEATURE_SIMILARITY]) && !isnan(weights[FEATURE_PRESENCE])))
		refuse_model("is of another type", feature_names[FEATURE_SIMILARITY]);
	column.values = read_learned_frequencies(object, "values");
	column.grams = read_learned_frequencies(object, "grams");
	return column;
}

static void
read_learned_columns(LearnedModel *model, JsonbContainer *array)
{
	uint32 count = JsonContainerSize(array);

	if (count == 0 || count > MaxHeapAttributeNumber)
		refuse_model("is empty, or has too many elements", "columns");
	model->columns = AllocateArray(count, sizeof(LearnedColumn));
	for (uint32 i = 0; i < count; i++)
	{
		JsonbValue *element = getIthJsonbValueFromContainer(array, i);

		if (element->type != jbvBinary || !JsonContainerIsObject(element->val.binary.data))
			refuse_model("is of another type", "columns");
		model->columns[i] = read_column(model, element->val.binary.data);
		model->column_count++;
	}
}

/* Reads a model, and allocates in the current memory context. */
static LearnedModel *
decode_model(const Jsonb *json)
{
	LearnedModel *model = palloc0(sizeof(LearnedModel));
	JsonbContainer *root = (JsonbContainer *) &json->root;

	if (!JsonContainerIsObject(root) ||
		read_row_count(root, "version", 0, PG_UINT32_MAX) != MODEL_VERSION)
		refuse_model("is not that of this version of neardup", "version");
	model->rows = read_row_count(root, "rows", 0, PG_UINT32_MAX);
	model->constant = number_of(read_member(root, "constant", jbvNumeric), "constant");
	model->tokens = read_learned_frequencies(root, "tokens");
	read_learned_columns(model, read_container(root, "columns", true));
	return model;
}

/* The model that the session read last, and its users: calls that have not ended. */
typedef struct KeptModel
{
	MemoryContext context;
	Jsonb *json;
	LearnedModel *model;
	int users;
} KeptModel;

static KeptModel kept;

static void
end_use(void *unused)
{
	kept.users--;
}

/* Keeps a model in place of the last one. Its context becomes the session's when nothing can fail any more. */
static void
keep_model(const Jsonb *json)
{
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup model", ALLOCSET_DEFAULT_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(context);
	LearnedModel *model = decode_model(json);
	Jsonb *copy = palloc(VARSIZE(json));

	memcpy(copy, json, VARSIZE(json));
	MemoryContextSwitchTo(previous);
	MemoryContextSetParent(context, TopMemoryContext);
	if (kept.context != NULL)
		MemoryContextDelete(kept.context);
	kept = (KeptModel){.context = context, .json = copy, .model = model};
}

/* Another model is not kept while a call uses the one that is: it may have begun within that call. */
const LearnedModel *
LearnedModelRead(const Jsonb *json)
{
	bool is_kept = kept.context != NULL && VARSIZE(json) == VARSIZE(kept.json) &&
				   memcmp(json, kept.json, VARSIZE(json)) == 0;
	MemoryContextCallback *callback;

	if (!is_kept && kept.users > 0)
		return decode_model(json);
	callback = palloc0(sizeof(MemoryContextCallback));
	callback->func = end_use;
	if (!is_kept)
		keep_model(json);
	kept.users++;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, callback);
	return kept.model;
}

RecordModel
LearnedModelWeights(const LearnedModel *model)
{
	RecordModel weights = {.constant = model->constant};

	weights.weights = AllocateArray((Size) model->column_count * COLUMN_FEATURES, sizeof(double));
	for (int i = 0; i < model->column_count; i++)
	{
		for (int feature = 0; feature < COLUMN_FEATURES; feature++)
		{
			if (!isnan(model->columns[i].weights[feature]))
				weights.weights[weights.feature_count++] = model->columns[i].weights[feature];
		}
	}
	return weights;
}
