/*
 * record_text.c
 *		The texts of the columns of a record.
 *
 * Most types have an output function that is declared immutable, and it is called. The output functions of
 * dates and times are not, since DateStyle changes them; that of real numbers is, though extra_float_digits
 * changes it; and that of an enum is not, since a label can be renamed, which is then another value to us. An
 * array has the text of PostgreSQL, if that of its elements depends on no setting.
 *
 * A numeric has no zeros behind its last digit, so that 1.5, 1.50 and a real number of this value are one text.
 */
#include "postgres.h"

#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "link/record_text.h"
#include "text/encoding.h"
#include "text/normalize.h"

/* Room for a date, a time or a number. */
#define MOST_LENGTH Max(MAXDATELEN + 1, DOUBLE_SHORTEST_DECIMAL_LEN)

struct RecordTexts
{
	int count;
	struct
	{
		Oid type; /* below all domains */
		bool is_text;
		FmgrInfo output;
	} of[FLEXIBLE_ARRAY_MEMBER];
};

/* Whether the values of a type have a form of their own here. */
static bool
has_own_form(Oid type)
{
	return type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID || type == FLOAT4OID ||
		   type == FLOAT8OID;
}

/*
 * Whether the output function of a type depends on the value alone. bytea has two forms, by a setting, and
 * another setting rounds the numbers of points and other shapes.
 */
static bool
has_fixed_output(Oid type, Oid output)
{
	Oid element = get_element_type(type);
	bool is_preferred;
	char category;

	if (OidIsValid(element))
	{
		bool is_varlena;

		element = getBaseType(element);
		getTypeOutputInfo(element, &output, &is_varlena);
		return !has_own_form(element) && has_fixed_output(element, output);
	}
	get_type_category_preferred(type, &category, &is_preferred);
	return type != BYTEAOID && category != TYPCATEGORY_GEOMETRIC &&
		   (func_volatile(output) == PROVOLATILE_IMMUTABLE || get_typtype(type) == TYPTYPE_ENUM);
}

RecordTexts *
RecordTextsBegin(TupleDesc columns, int first)
{
	int count = columns->natts - first;
	RecordTexts *texts =
		palloc0(offsetof(RecordTexts, of) + (Size) Max(count, 0) * sizeof(texts->of[0]));

	texts->count = count;
	for (int i = 0; i < count; i++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, first + i);
		Oid type;
		Oid output;
		bool is_varlena;

		if (column->attisdropped)
			continue;
		type = texts->of[i].type = getBaseType(column->atttypid);
		texts->of[i].is_text = type == TEXTOID || type == VARCHAROID || type == BPCHAROID;
		getTypeOutputInfo(type, &output, &is_varlena);
		fmgr_info(output, &texts->of[i].output);
		if (!has_own_form(type) && !has_fixed_output(type, output))
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column \"%s\" has type %s, whose text may depend on settings",
							NameStr(column->attname), format_type_be(column->atttypid)),
					 errhint("Leave it out, or give it as a text that you choose: as a column of a "
							 "view, or a generated one.")));
	}
	return texts;
}

static void
encode_date(DateADT date, char *buffer)
{
	struct pg_tm tm;

	if (DATE_NOT_FINITE(date))
	{
		EncodeSpecialDate(date, buffer);
		return;
	}
	j2date(date + POSTGRES_EPOCH_JDATE, &tm.tm_year, &tm.tm_mon, &tm.tm_mday);
	EncodeDateOnly(&tm, USE_ISO_DATES, buffer);
}

/* Sets the text of a time, which is that of UTC if it has a zone. */
static void
encode_timestamp(Timestamp timestamp, char *buffer)
{
	struct pg_tm tm;
	fsec_t microseconds;

	if (TIMESTAMP_NOT_FINITE(timestamp))
		EncodeSpecialTimestamp(timestamp, buffer);
	else if (timestamp2tm(timestamp, NULL, &tm, &microseconds, NULL, NULL) == 0)
		EncodeDateTime(&tm, microseconds, false, 0, NULL, USE_ISO_DATES, buffer);
	else
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE), errmsg("timestamp out of range")));
}

static char *
own_form(Oid type, Datum value)
{
	char *buffer = palloc(MOST_LENGTH);

	switch (type)
	{
		case DATEOID:
			encode_date(DatumGetDateADT(value), buffer);
			break;
		case FLOAT4OID:
			(void) float_to_shortest_decimal_buf(DatumGetFloat4(value), buffer);
			break;
		case FLOAT8OID:
			(void) double_to_shortest_decimal_buf(DatumGetFloat8(value), buffer);
			break;
		default:
			encode_timestamp(DatumGetTimestamp(value), buffer);
	}
	return buffer;
}

ByteSpan
RecordTextOf(RecordTexts *texts, int column, Datum value)
{
	char *form;

	if (texts->of[column].is_text)
	{
		text *packed = DatumGetTextPP(value);

		return (ByteSpan){VARDATA_ANY(packed), VARSIZE_ANY_EXHDR(packed)};
	}
	if (texts->of[column].type == NUMERICOID)
		value = DirectFunctionCall1(numeric_trim_scale, value);
	form = has_own_form(texts->of[column].type)
			   ? own_form(texts->of[column].type, value)
			   : OutputFunctionCall(&texts->of[column].output, value);
	return (ByteSpan){form, strlen(form)};
}

void
RecordTextNormalize(ByteSpan value, ByteBuffer *buffer)
{
	ByteSpan utf8 = ServerToUtf8(value.data, value.length);
	ByteBuffer normalized = NormalizeUtf8(utf8);

	ByteBufferAppend(buffer, normalized.data, normalized.used);
	ByteBufferFree(&normalized);
	Utf8Release(utf8, value.data);
}
