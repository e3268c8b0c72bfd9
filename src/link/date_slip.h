/*
 * date_slip.h
 *		Whether two texts are one date, but for a slip of the pen.
 *
 * Trigrams, weighted by rarity, say little of that: a wrong digit of the year takes all rare ones with it,
 * and two dates that have nothing but the year in common would be more similar.
 */
#ifndef NEARDUP_LINK_DATE_SLIP_H
#define NEARDUP_LINK_DATE_SLIP_H

#include "text/bytes.h"

/*
 * Returns the digits of a normalized text, of four bits each below a bit that is 1; 0 if the text has
 * anything but digits and blanks, or too many or too few digits for a date. A number of one digit gets a 0
 * in front.
 */
extern uint64 DateDigits(ByteSpan text);

/*
 * Whether the digits of two texts are the same but for one that is wrong, lacking or too many, or two
 * neighbours that are exchanged, and one of the texts is a date: year, month, day; day, month, year; or
 * month, day, year.
 */
extern bool DatesDifferBySlip(uint64 a, uint64 b);

#endif
