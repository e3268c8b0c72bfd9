/*
 * neardup.c
 *		Module entry: the magic block, and what loading sets up.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "compat.h"
#include "join/node/join_node.h"
#include "join/node/join_path.h"
#include "join/node/pair_scan.h"
#include "join/progress/progress_view.h"
#include "settings.h"

nd_module_magic;

void _PG_init(void);

void
_PG_init(void)
{
	SettingsDefine();
	JoinNodeInit();
	JoinPathInit();
	PairScanInit();
	if (process_shared_preload_libraries_in_progress)
		ProgressViewInit();
}
