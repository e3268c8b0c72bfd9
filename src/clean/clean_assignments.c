/*
 * clean_assignments.c
 *		Assignments to columns that a user gives as a text, as UPDATE has them behind SET.
 *
 * The values are expressions over two rows, kept and gone, and are computed in a query of another
 * shape than that of an UPDATE, where each of them stands alone. So the text is cut into columns and
 * expressions. PostgreSQL's parser says where each assignment begins, and its scanner where the =
 * behind the column is.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "nodes/parsenodes.h"
#include "parser/scanner.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "table/fragment.h"

PG_FUNCTION_INFO_V1(clean_assignments);

static void
refuse_assignments(const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_SYNTAX_ERROR), errmsg("retire must be a list of assignments"),
			 errdetail("%s", detail), errhint("Such as 'retired = true, retired_at = now()'.")));
}

/* Returns the assignments of an UPDATE that has no other clauses. */
static List *
parse_assignments(char *statement)
{
	List *parsed = FragmentParse(statement);
	UpdateStmt *bare = makeNode(UpdateStmt);
	UpdateStmt *update;
	ListCell *cell;

	if (list_length(parsed) != 1)
		refuse_assignments("It is more than one statement.");
	update = (UpdateStmt *) linitial_node(RawStmt, parsed)->stmt;
	if (!IsA(update, UpdateStmt))
		refuse_assignments("It is another statement.");
	bare->relation = update->relation;
	bare->targetList = update->targetList;
	if (!equal(update, bare))
		refuse_assignments("It has other clauses than those of SET.");
	foreach(cell, update->targetList)
	{
		ResTarget *target = lfirst_node(ResTarget, cell);

		if (IsA(target->val, MultiAssignRef) || target->indirection != NIL)
			refuse_assignments("Each assignment is to one column as a whole.");
		if (IsA(target->val, SetToDefault))
			refuse_assignments("DEFAULT is no expression.");
	}
	return update->targetList;
}

/*
 * Sets, for each of the assignments, where its expression begins and where it ends: behind the first =
 * behind the column, and before the comma that precedes the next column.
 */
static void
find_expressions(const char *statement, List *targets, int *begins, int *ends)
{
	core_yy_extra_type extra;
	core_YYSTYPE value;
	YYLTYPE place = 0;
	core_yyscan_t scanner = scanner_init(statement, &extra, &ScanKeywords, ScanKeywordTokens);
	int target = -1;
	int last = 0;
	bool is_expression = false;

#if PG_VERSION_NUM < 190000
	/* The parser has warned already. */
	extra.escape_string_warning = false;
#endif
	for (int token; (token = core_yylex(&value, &place, scanner)) != 0; last = place)
	{
		if (target + 1 < list_length(targets) &&
			place == list_nth_node(ResTarget, targets, target + 1)->location)
		{
			if (target >= 0)
				ends[target] = last;
			target++;
			is_expression = false;
		}
		else if (target >= 0 && !is_expression && token == '=')
		{
			begins[target] = place + 1;
			is_expression = true;
		}
	}
	scanner_finish(scanner);
	ends[target] = (int) strlen(statement);
}

/* clean_assignments(text): the columns and the expressions of a list of assignments. */
Datum
clean_assignments(PG_FUNCTION_ARGS)
{
	char *statement = psprintf("UPDATE t SET %s", text_to_cstring(PG_GETARG_TEXT_PP(0)));
	List *targets = parse_assignments(statement);
	int *begins = palloc0(list_length(targets) * sizeof(int));
	int *ends = palloc0(list_length(targets) * sizeof(int));
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	find_expressions(statement, targets, begins, ends);
	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < list_length(targets); i++)
	{
		Datum values[2] = {
			CStringGetTextDatum(list_nth_node(ResTarget, targets, i)->name),
			PointerGetDatum(cstring_to_text_with_len(statement + begins[i], ends[i] - begins[i]))};
		bool nulls[2] = {false, false};

		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}
