/*
 * preload.c
 *		Tells whoever creates the extension how new sessions come to load the library.
 *
 * The planner knows of the join only in a session that has loaded the library, and a query of
 * pg_trgm's operators alone does not load it. So CREATE EXTENSION ends with a notice that has the
 * statement to be called. The script of an extension runs as a superuser, therefore the notice names
 * those who may call the statement instead of asking who is there.
 */
#include "postgres.h"

#include <unistd.h>

#include "commands/dbcommands.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/guc_tables.h"
#include "utils/lsyscache.h"
#include "utils/varlena.h"

#include "kinds/trigrams/pg_trgm.h"

#define OWN_LIBRARY "neardup"
#define MESSAGE_LEVEL "client_min_messages"

PG_FUNCTION_INFO_V1(trgm_preload_notice);

static bool
list_has_library(const char *libraries)
{
	List *files;
	ListCell *cell;

	if (libraries == NULL || !SplitDirectoriesString(pstrdup(libraries), ',', &files))
		return false;
	foreach(cell, files)
	{
		if (FileIsLibrary(lfirst(cell), OWN_LIBRARY))
			return true;
	}
	return false;
}

/* Any role may preload the libraries of this folder. */
static bool
is_plugin(void)
{
	char *path = psprintf("%s/plugins/" OWN_LIBRARY DLSUFFIX, pkglib_path);

	return access(path, R_OK) == 0;
}

/*
 * Returns whether the session wants notices. While a script runs, PostgreSQL hides what is below
 * WARNING from the client; the level of the session is on the stack of the setting.
 */
static bool
notices_are_wanted(void)
{
	const struct config_generic *setting = FindSetting(MESSAGE_LEVEL);

	if (setting == NULL || client_min_messages > WARNING)
		return false;
	if (setting->stack == NULL || setting->stack->state != GUC_SAVE)
		return client_min_messages <= NOTICE;
	return setting->stack->prior.val.enumval <= NOTICE;
}

static void
give_notice(void)
{
	bool plugin = is_plugin();
	const char *libraries =
		plugin ? local_preload_libraries_string : session_preload_libraries_string;
	const char *others = libraries == NULL || libraries[0] == '\0' ? NULL : libraries;

	ereport(
		NOTICE,
		(errmsg("a new session must load the library of neardup before its joins by the "
				"operators of pg_trgm become faster"),
		 errdetail("In a session that has not loaded it, such joins are planned as before."),
		 errhint("To have all new sessions load it, %s calls: ALTER DATABASE %s SET %s = %s%s;",
				 plugin ? "the owner of the database" : "a superuser",
				 quote_identifier(get_database_name(MyDatabaseId)),
				 plugin ? "local_preload_libraries" : "session_preload_libraries",
				 others == NULL ? "" : psprintf("%s, ", others), quote_literal_cstr(OWN_LIBRARY))));
}

/* trgm_preload_notice(): there while the script of the extension runs. */
Datum
trgm_preload_notice(PG_FUNCTION_ARGS)
{
	int level;

	if (list_has_library(local_preload_libraries_string) ||
		list_has_library(session_preload_libraries_string) ||
		list_has_library(shared_preload_libraries_string) || !notices_are_wanted())
		PG_RETURN_VOID();
	level = NewGUCNestLevel();
	SetConfigOption(MESSAGE_LEVEL, "notice", PGC_USERSET, PGC_S_SESSION);
	give_notice();
	AtEOXact_GUC(true, level);
	PG_RETURN_VOID();
}
