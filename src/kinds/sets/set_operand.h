/*
 * set_operand.h
 *		What a scan of an index of sets asks for.
 */
#ifndef NEARDUP_KINDS_SET_OPERAND_H
#define NEARDUP_KINDS_SET_OPERAND_H

#include "kinds/index_class.h"

/* Takes a tokenset_query, a ball or a set; the number of the operator tells which. */
extern void SetOperand(int strategy, Datum argument, IndexOperand *operand);

#endif
