/*
 * compat.h
 *		Macros and functions named nd_* for what differs among PostgreSQL 15 to 19.
 *
 * Each has the meaning of the newest version. The file that uses one includes the headers
 * that it needs, except for headers that some versions lack.
 */
#ifndef NEARDUP_COMPAT_H
#define NEARDUP_COMPAT_H

#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* The magic block. 18 can show the name and version of a loaded module. */
#if PG_VERSION_NUM >= 180000
#define nd_module_magic PG_MODULE_MAGIC_EXT(.name = "neardup", .version = NEARDUP_VERSION)
#else
#define nd_module_magic PG_MODULE_MAGIC
#endif

/* The attribute of a function that does not return. 18 has another name for it. */
#if PG_VERSION_NUM >= 180000
#define nd_noreturn pg_noreturn
#else
#define nd_noreturn pg_attribute_noreturn()
#endif

/* Forms a minimal tuple. 18 added an argument: bytes to reserve before the tuple. */
#if PG_VERSION_NUM >= 180000
#define nd_heap_form_minimal_tuple(columns, values, nulls)                                         \
	heap_form_minimal_tuple(columns, values, nulls, 0)
#else
#define nd_heap_form_minimal_tuple(columns, values, nulls)                                         \
	heap_form_minimal_tuple(columns, values, nulls)
#endif

/*
 * What an operator compares by, in each operator family that it belongs to: a B-tree strategy until
 * 17, a comparison type since 18, which has the same numbers.
 */
#define ND_ORDER_UNEQUAL 6
#if PG_VERSION_NUM >= 180000
#define nd_OpInterpretation OpIndexInterpretation
#define nd_op_interpretations(operator) get_op_index_interpretation(operator)
#define nd_op_order(interpretation) ((int) (interpretation)->cmptype)
#else
#define nd_OpInterpretation OpBtreeInterpretation
#define nd_op_interpretations(operator) get_op_btree_interpretation(operator)
#define nd_op_order(interpretation) ((interpretation)->strategy)
#endif

/*
 * Whether the rows of a relation or join that is being planned are aggregated already, in part, as
 * 19 has it below joins.
 */
#if PG_VERSION_NUM >= 190000
#define nd_is_grouped(relation) IS_GROUPED_REL(relation)
#else
#define nd_is_grouped(relation) false
#endif

/* Whether a role owns a relation. 16 has one function for all kinds of objects. */
#if PG_VERSION_NUM >= 160000
#define nd_is_owner_of_relation(oid, role) object_ownercheck(RelationRelationId, oid, role)
#else
#define nd_is_owner_of_relation(oid, role) pg_class_ownercheck(oid, role)
#endif

/* The delay of VACUUM and ANALYZE. 18 added whether it is for ANALYZE. */
#if PG_VERSION_NUM >= 180000
#define nd_vacuum_delay_point(in_analyze) vacuum_delay_point(in_analyze)
#else
#define nd_vacuum_delay_point(in_analyze) vacuum_delay_point()
#endif

/*
 * Sets the search path for functions of an index, which then see no schema but pg_catalog unless
 * they name it. 17 added it for all maintenance.
 */
#if PG_VERSION_NUM >= 170000
#define nd_restrict_search_path() RestrictSearchPath()
#else
#define nd_restrict_search_path() ((void) 0)
#endif

/*
 * Raises snapshot_too_old if rows that the snapshot shows may have been removed from the page of an
 * index (old_snapshot_threshold). 17 dropped the facility.
 */
#if PG_VERSION_NUM >= 170000
#define nd_test_for_old_snapshot(snapshot, index, page) ((void) 0)
#else
#define nd_test_for_old_snapshot(snapshot, index, page) TestForOldSnapshot(snapshot, index, page)
#endif

/* Counts a search of an index, which EXPLAIN ANALYZE shows since 18. */
#if PG_VERSION_NUM >= 190000
#include "executor/instrument_node.h"
#elif PG_VERSION_NUM >= 180000
#include "access/genam.h"
#endif
#if PG_VERSION_NUM >= 180000
#define nd_count_index_search(scan)                                                                \
	((scan)->instrument != NULL ? (void) (scan)->instrument->nsearches++ : (void) 0)
#else
#define nd_count_index_search(scan) ((void) 0)
#endif

/*
 * Makes a path one of last resort. 18 compares numbers of disabled nodes before costs; until then,
 * costs alone must do that.
 */
#if PG_VERSION_NUM >= 180000
#define nd_disable_path(path) ((path)->disabled_nodes = 2)
#else
#define nd_disable_path(path) ((void) 0)
#endif

/*
 * Whether an extension, such as pg_plan_advice, has chosen among the ways to join two relations:
 * they are not those that the settings allow. Before 19 none could.
 */
#if PG_VERSION_NUM >= 190000
#define nd_join_is_advised(root, extra)                                                            \
	((((extra)->pgs_mask ^ (root)->glob->default_pgs_mask) & PGS_JOIN_ANY) != 0)
#else
#define nd_join_is_advised(root, extra) false
#endif

/* The type of a system cache's identifier: an integer until 18, an enum since 19. */
#if PG_VERSION_NUM >= 190000
#define nd_syscache_id SysCacheIdentifier
#else
#define nd_syscache_id int
#endif

/* Whether no index finds a row to conflict. 18 added the place of the row itself, which a new row has not. */
#if PG_VERSION_NUM >= 180000
#define nd_check_index_constraints(table, slot, estate, conflict, indexes)                         \
	ExecCheckIndexConstraints(table, slot, estate, conflict, &(slot)->tts_tid, indexes)
#else
#define nd_check_index_constraints(table, slot, estate, conflict, indexes)                         \
	ExecCheckIndexConstraints(table, slot, estate, conflict, indexes)
#endif

/* Runs a query. 18 dropped the last argument. */
#if PG_VERSION_NUM >= 180000
#define nd_executor_run(query, direction, count) ExecutorRun(query, direction, count)
#else
#define nd_executor_run(query, direction, count) ExecutorRun(query, direction, count, true)
#endif

/* Plans a query. 19 added the state of EXPLAIN. */
#if PG_VERSION_NUM >= 190000
#define nd_plan_query(query, text) pg_plan_query(query, text, 0, NULL, NULL)
#else
#define nd_plan_query(query, text) pg_plan_query(query, text, 0, NULL)
#endif

/*
 * Return the Datum of a variable of type int8 or float8. 19 passes these by value on every platform;
 * until then, where a pointer has 4 bytes, the Datum is the address of the variable, which must outlive
 * it. Int64GetDatum and Float8GetDatum would allocate there.
 */
static inline Datum
nd_int64_datum(const int64 *variable)
{
	return FLOAT8PASSBYVAL ? Int64GetDatum(*variable) : PointerGetDatum(variable);
}

static inline Datum
nd_float8_datum(const double *variable)
{
	return FLOAT8PASSBYVAL ? Float8GetDatum(*variable) : PointerGetDatum(variable);
}

/* Completes a tuple descriptor, which 19 requires. */
#if PG_VERSION_NUM >= 190000
#define nd_finish_tuple_desc(columns) TupleDescFinalize(columns)
#else
#define nd_finish_tuple_desc(columns) ((void) 0)
#endif

/*
 * Whether a character is one of words, and a new string in lower case, as pg_trgm calls them. The
 * default collation of a database decides since 18, its LC_CTYPE until then.
 */
#if PG_VERSION_NUM >= 160000
#define nd_is_word_character(character) (t_isalnum(character) != 0)
#else
#define nd_is_word_character(character) (t_isalpha(character) || t_isdigit(character))
#endif
#if PG_VERSION_NUM >= 180000
#define nd_lower_case(text, length) str_tolower(text, length, DEFAULT_COLLATION_OID)
#else
#define nd_lower_case(text, length) lowerstr_with_len(text, (int) (length))
#endif

/* Whether a sort key is descending, and a key made ascending. 18 has a comparison for a strategy. */
#if PG_VERSION_NUM >= 180000
#define nd_is_descending(key) ((key)->pk_cmptype == COMPARE_GT)
#define nd_set_ascending(key) ((key)->pk_cmptype = COMPARE_LT)
#else
#define nd_is_descending(key) ((key)->pk_strategy == BTGreaterStrategyNumber)
#define nd_set_ascending(key) ((key)->pk_strategy = BTLessStrategyNumber)
#endif

/*
 * Loops over the members of an equivalence class that concern a relation. 18 has those of inheritance
 * children apart.
 */
#if PG_VERSION_NUM >= 180000
#define nd_MemberIterator EquivalenceMemberIterator
#define nd_begin_members(iterator, class, relids)                                                  \
	setup_eclass_member_iterator(iterator, class, relids)
#define nd_next_member(iterator) eclass_member_iterator_next(iterator)
#else
#define nd_MemberIterator                                                                          \
	struct                                                                                         \
	{                                                                                              \
		const List *members;                                                                       \
		int next;                                                                                  \
	}
#define nd_begin_members(iterator, class, relids)                                                  \
	((iterator)->members = (class)->ec_members, (iterator)->next = 0)
#define nd_next_member(iterator)                                                                   \
	((iterator)->next < list_length((iterator)->members)                                           \
		 ? (EquivalenceMember *) list_nth((iterator)->members, (iterator)->next++)                 \
		 : NULL)
#endif

#endif
