/*
 * minhash_formula.h
 *		A family of hash functions, and its components by the formula itself.
 */
#ifndef NEARDUP_MINHASH_FORMULA_H
#define NEARDUP_MINHASH_FORMULA_H

#include "utils/palloc.h"

#include "sketch/family.h"

/* Memory from malloc. */
extern MinhashFamily *make_family(uint32 k, uint64 seed);

/* Component i of the sketch of these hashes. */
extern uint32 minhash_component(const MinhashFamily *family, uint32 i, const uint64 *hashes,
								uint32 count);

#endif
