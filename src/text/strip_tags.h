/*
 * strip_tags.h
 *		Removal of HTML and XML tags.
 */
#ifndef NEARDUP_STRIP_TAGS_H
#define NEARDUP_STRIP_TAGS_H

/*
 * Copies a text to `out`, which has room for `length` bytes, with a blank for each tag and comment;
 * returns the length of the copy. ASCII bytes must stand for themselves in the encoding. Takes
 * linear time, and can be cancelled.
 */
extern Size StripTags(const char *data, Size length, char *out);

#endif
