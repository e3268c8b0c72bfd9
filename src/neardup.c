/*
 * neardup.c
 *		Entry of the library: the magic block, and what loading it sets up.
 *
 * The library is loaded when a backend first calls one of its functions. It needs no preloading,
 * except that the view of progress needs shared memory before PostgreSQL 17, which only a library
 * of shared_preload_libraries can have.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "compat.h"
#include "index/order_path.h"
#include "join/node/join_node.h"
#include "join/node/join_path.h"
#include "progress/progress_view.h"
#include "kinds/similarity_hint.h"
#include "settings.h"

nd_module_magic;

void _PG_init(void);

/* PostgreSQL calls this when it has loaded the library. */
void
_PG_init(void)
{
	SettingsDefine();
	JoinNodeInit();
	JoinPathInit();
	OrderPathInit();
	SimilarityHintInit();
	if (process_shared_preload_libraries_in_progress)
		ProgressViewInit();
}
