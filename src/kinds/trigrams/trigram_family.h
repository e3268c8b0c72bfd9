/*
 * trigram_family.h
 *		Recognizes the operator family of trgm_ops.
 */
#ifndef NEARDUP_INDEX_TRIGRAM_FAMILY_H
#define NEARDUP_INDEX_TRIGRAM_FAMILY_H

/*
 * Returns the support function trgm_operand of an operator family of this access method if it has
 * that one, else InvalidOid.
 */
extern Oid TrigramFamilyOperand(Oid opfamily);

#endif
