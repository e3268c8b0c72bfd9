#!/usr/bin/env bash
#
# A job of test/check.sh, with a server of its own: prints TAP. It runs in the copy of the tree, as the
# server's user; $NEARDUP_TEMPLATE is what its server begins with.
#
#	test/job.sh regress FOLDER "NAME NAME"   these regression tests of "make installcheck"; outputs are in the folder
#	test/job.sh isolation   the isolation tests of it
#	test/job.sh fuzz NAME   a fuzzer, as test/fuzz/run.sh says
#	test/job.sh syntax PG_CONFIG [COMPILER]   whether the sources compile for this PostgreSQL; this job has no server
set -euo pipefail
# shellcheck source=test/harness.sh
. "$(dirname "$0")/harness.sh"
PRIVATE=${NEARDUP_TEMPLATE%/*}

start_job_server()
{
	start_server "$1" "max_prepared_transactions = 20
		log_line_prefix = '%m [%p] %d '"
}

# What pg_regress says, which is TAP since version 16.
tap_of_pg_regress()
{
	awk '
		/^(not )?ok |^1\.\.|^Bail out!/ { print; if (/ok/) tests = -1; next }
		/^test .* \.\.\. / { tests++; print (/ ok( |$)/ ? "ok " : "not ok ") tests " - " $2; next }
		{ print "# " $0 }
		END { if (tests > 0) print "1.." tests }'
}

# Given a name for the server, the file of differences, which is printed where there are some, and variables for make, by
# which the other tests of "make installcheck" are switched off.
run_installcheck()
{
	local diffs=$2

	start_job_server "$1"
	if ! make -s -C "$ROOT" --no-print-directory PG_CONFIG="$PG_CONFIG" TAP_TESTS= "${@:3}" installcheck 2>&1 | tap_of_pg_regress; then
		cat "$diffs" >&2 || true
		show_server_log "$1"
	fi
}

# What it has tried, or found, is printed.
run_fuzzer()
{
	local log=$PRIVATE/tmp/fuzz/$1.log

	start_job_server "$1"
	mkdir -p "${log%/*}"
	if bash "$ROOT/test/fuzz/run.sh" "$1" >"$log" 2>&1; then
		tail -n 1 "$log" >&2
		echo "ok 1 - $1"
	else
		cat "$log" >&2
		show_server_log "$1"
		echo "not ok 1 - $1"
	fi
	echo 1..1
}

run_syntax()
{
	if make -s -C "$ROOT" --no-print-directory PG_CONFIG="$1" ${2:+CC="$2"} syntax >&2; then echo "ok 1"; else echo "not ok 1"; fi
	echo 1..1
}

show_server_log()
{
	tail -n 20 "$PRIVATE/$1/server.log" | sed 's/^/server log: /' >&2
}

trap stop_server EXIT
case $1 in
	regress) run_installcheck "$2" "$2/regression.diffs" ISOLATION= REGRESS="$3" EXTRA_REGRESS_OPTS="--outputdir=$2" ;;
	isolation) run_installcheck isolation output_iso/regression.diffs REGRESS= ;;
	fuzz) run_fuzzer "$2" ;;
	syntax) run_syntax "${@:2}" ;;
esac
