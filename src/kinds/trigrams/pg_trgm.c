/*
 * pg_trgm.c
 *		What neardup_trgm takes from the extension pg_trgm: its functions and its settings.
 *
 * The functions are recognized by the library and the symbol that they call, whatever their names
 * and schemas are. The settings are read from the server's list of settings: as a text, one would
 * have six digits only.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "commands/extension.h"
#include "utils/builtins.h"
#include "utils/guc_tables.h"
#include "utils/inval.h"
#include "utils/syscache.h"

#include "compat.h"
#include "kinds/trigrams/pg_trgm.h"

#define EXTENSION "neardup_trgm"
#define LIBRARY "pg_trgm"

/* As pg_trgm defines the settings. */
static const struct
{
	const char *name;
	float default_threshold;
} settings_of_trgm[] = {
	[TRGM_SIMILARITY_THRESHOLD] = {"pg_trgm.similarity_threshold", 0.3f},
	[TRGM_WORD_SIMILARITY_THRESHOLD] = {"pg_trgm.word_similarity_threshold", 0.6f},
	[TRGM_STRICT_WORD_SIMILARITY_THRESHOLD] = {"pg_trgm.strict_word_similarity_threshold", 0.5f},
};

static const struct
{
	const char *symbol;
	TrgmFunction function;
} known_symbols[] = {
	{"similarity", TRGM_SIMILARITY},
	{"similarity_dist", TRGM_DISTANCE},
	{"similarity_op", TRGM_SIMILAR},
	{"word_similarity", TRGM_WORD},
	{"word_similarity_dist_op", TRGM_WORD_DISTANCE},
	{"word_similarity_dist_commutator_op", TRGM_WORD_DISTANCE_REVERSED},
	{"word_similarity_op", TRGM_WORD_SIMILAR},
	{"word_similarity_commutator_op", TRGM_WORD_SIMILAR_REVERSED},
	{"strict_word_similarity", TRGM_STRICT_WORD},
	{"strict_word_similarity_dist_op", TRGM_STRICT_WORD_DISTANCE},
	{"strict_word_similarity_dist_commutator_op", TRGM_STRICT_WORD_DISTANCE_REVERSED},
	{"strict_word_similarity_op", TRGM_STRICT_WORD_SIMILAR},
	{"strict_word_similarity_commutator_op", TRGM_STRICT_WORD_SIMILAR_REVERSED},
};

bool
FileIsLibrary(const char *file, const char *library)
{
	const char *slash = last_dir_separator(file);
	const char *name = slash == NULL ? file : slash + 1;
	size_t length = strlen(library);

	return strncmp(name, library, length) == 0 &&
		   (name[length] == '\0' || strcmp(name + length, DLSUFFIX) == 0);
}

static char *
text_attribute(HeapTuple procedure, AttrNumber attribute)
{
	bool isnull;
	Datum value = SysCacheGetAttr(PROCOID, procedure, attribute, &isnull);

	return isnull ? NULL : TextDatumGetCString(value);
}

static TrgmFunction
known_function(HeapTuple procedure)
{
	Form_pg_proc form = (Form_pg_proc) GETSTRUCT(procedure);
	const char *symbol;
	const char *file;

	if (form->prolang != ClanguageId || form->pronargs != 2)
		return TRGM_NONE;
	symbol = text_attribute(procedure, Anum_pg_proc_prosrc);
	for (int i = 0; i < (int) lengthof(known_symbols); i++)
	{
		if (symbol == NULL || strcmp(symbol, known_symbols[i].symbol) != 0)
			continue;
		file = text_attribute(procedure, Anum_pg_proc_probin);
		return file != NULL && FileIsLibrary(file, LIBRARY) ? known_symbols[i].function : TRGM_NONE;
	}
	return TRGM_NONE;
}

/*
 * The functions that were recognized, with what they are, until the server says that functions have
 * changed. That is so, too, where the extension is created or dropped, which has some. To look for an
 * extension takes a scan of a catalog, and the planner asks for the same functions again and again.
 */
typedef struct Recognized
{
	Oid function;
	TrgmFunction known;
} Recognized;

static Recognized recognized[lengthof(known_symbols)];
static int recognized_count = 0;

static void
forget_recognized(Datum argument, nd_syscache_id cache, uint32 hash)
{
	recognized_count = 0;
}

/* Keeps a function that was recognized, if there is room. */
static void
keep_recognized(Oid function, TrgmFunction known)
{
	static bool is_registered = false;

	if (!is_registered)
		CacheRegisterSyscacheCallback(PROCOID, forget_recognized, (Datum) 0);
	is_registered = true;
	if (recognized_count < (int) lengthof(recognized))
		recognized[recognized_count++] = (Recognized){.function = function, .known = known};
}

TrgmFunction
TrgmFunctionOf(Oid function)
{
	TrgmFunction known = TRGM_NONE;
	HeapTuple procedure;

	if (function < FirstNormalObjectId)
		return TRGM_NONE;
	for (int i = 0; i < recognized_count; i++)
	{
		if (recognized[i].function == function)
			return recognized[i].known;
	}
	procedure = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	if (HeapTupleIsValid(procedure))
	{
		known = known_function(procedure);
		ReleaseSysCache(procedure);
	}
	if (known == TRGM_NONE || !OidIsValid(get_extension_oid(EXTENSION, true)))
		return TRGM_NONE;
	keep_recognized(function, known);
	return known;
}

struct config_generic *
FindSetting(const char *name)
{
#if PG_VERSION_NUM >= 160000
	return find_option(name, false, true, DEBUG5);
#else
	struct config_generic **settings = get_guc_variables();
	int count = GetNumConfigOptions();

	for (int i = 0; i < count; i++)
	{
		if (pg_strcasecmp(settings[i]->name, name) == 0)
			return settings[i];
	}
	return NULL;
#endif
}

/* Until pg_trgm is loaded, a setting does not exist or is a text that somebody has set. */
double
TrgmThreshold(int number)
{
	struct config_generic *setting = FindSetting(settings_of_trgm[number].name);

	if (setting == NULL || setting->vartype != PGC_REAL)
		return settings_of_trgm[number].default_threshold;
#if PG_VERSION_NUM >= 190000
	return *setting->_real.variable;
#else
	return *((struct config_real *) setting)->variable;
#endif
}
