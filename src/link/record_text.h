/*
 * record_text.h
 *		The one way from the columns of a record to texts.
 *
 * What is learned today is compared with rows of tomorrow, and an index holds rows of last year. So the text
 * of a value depends on the value alone, and on no setting of the session: dates and times are ISO 8601,
 * a time with a zone is told as that of UTC, and numbers have as many digits as tell them from all others. Types
 * whose text depends on a setting otherwise are refused.
 */
#ifndef NEARDUP_LINK_RECORD_TEXT_H
#define NEARDUP_LINK_RECORD_TEXT_H

#include "access/tupdesc.h"

#include "text/bytes.h"

typedef struct RecordTexts RecordTexts;

/*
 * Prepares for the columns from number `first` on, counted from 0. Allocates in the current memory context.
 * Raises datatype_mismatch for a column whose type is refused.
 */
extern RecordTexts *RecordTextsBegin(TupleDesc columns, int first);

/*
 * Returns the text of a value that is not NULL in the encoding of the server, palloc'd or within the value.
 * The column is counted from the first one.
 */
extern ByteSpan RecordTextOf(RecordTexts *texts, int column, Datum value);

/* Appends the normalized text of a value to the buffer. It is empty if the value has no word. */
extern void RecordTextNormalize(ByteSpan value, ByteBuffer *buffer);

#endif
