/*
 * sentences.h
 *		Where sentences and lines end.
 */
#ifndef NEARDUP_SENTENCES_H
#define NEARDUP_SENTENCES_H

/*
 * Returns where the sentence of a word ends, given what is between the word and the next one, or
 * the end of the text; NULL if the next word belongs to it.
 *
 * A sentence ends with a line. It also ends with one of . ! ? if white space or the end of the text
 * follows, and with one of their forms in Chinese and Japanese texts; further ones, and closing
 * quotation marks and brackets, may stand between. White space after it, up to the end of the line,
 * belongs to it, and the end of that line. A text ends with a sentence.
 */
extern const uint8 *SentenceEnd(const uint8 *gap, const uint8 *gap_end, bool is_last);

#endif
