/*
 * kinds.c
 *		The table of all kinds, the only file that knows them all.
 */
#include "postgres.h"

#include "kinds/index_class.h"
#include "kinds/kinds.h"

const Kind *const kinds[] = {&set_kind, &simhash_kind, &edit_kind, &trigram_kind, NULL};

int
KindNumber(const Kind *kind)
{
	int number = 0;

	while (kinds[number] != kind)
		number++;
	return number;
}

/* Other classes, which make no sets of texts, are of sets. */
const Kind *
KindOfIndexClass(Oid opfamily)
{
	PGFunction set_of_text = IndexClassSetOfText(opfamily);

	for (int i = 0; set_of_text != NULL && kinds[i] != NULL; i++)
	{
		if (kinds[i]->set_of_text == set_of_text)
			return kinds[i];
	}
	return &set_kind;
}
