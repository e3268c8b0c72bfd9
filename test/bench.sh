#!/usr/bin/env bash
#
# Measures the joins on real sets, and writes the report doc/bench/README.md
# with its plots.
#
#	make bench                        every part, in some thirty minutes or less
#	make bench BENCH="kernel call"    these parts; the others stay as they are
#	make bench BENCH=full             every part with larger sets and longer timeouts
#	make bench BENCH="full growth"    one part with these; the others stay
#	make bench BENCH_ROWS=2000        a trial: sets cut to their first rows, report in results/bench
#	make bench BENCH_OUT=folder       report in another folder
#
# Parts: the files of test/bench/parts. Sets come from ../shared/data; without
# them there is nothing to measure.
set -euo pipefail
# shellcheck source=test/harness.sh
. "$(dirname "$0")/harness.sh"

SHARED=$ROOT/../shared
# What a single core does, and no joining method short of memory.
SETTINGS="shared_buffers = 1GB
work_mem = 1GB
maintenance_work_mem = 1GB
max_wal_size = 8GB
autovacuum = off
jit = off
max_parallel_workers_per_gather = 0"

if [ ! -d "$SHARED/data" ]; then
	echo "bench: skipped, since the sets of ../shared/data are absent"
	exit 0
fi
bash "$ROOT/test/deps.sh" bench
started=$(now)
make_private_directory
build_and_stage
make_template
start_server bench "$SETTINGS"
as_server_user "$("$PG_CONFIG" --bindir)/createdb" bench

if [ -n "${BENCH_OUT-}" ]; then
	out=$BENCH_OUT
elif [ -n "${BENCH_ROWS-}" ]; then
	out=$ROOT/results/bench
else
	out=$ROOT/doc/bench
fi
mkdir -p "$out"

export PYTHONDONTWRITEBYTECODE=1
export BENCH_SCRATCH=$PRIVATE/tmp/bench BENCH_SHARED=$SHARED BENCH_SETTINGS=$SETTINGS
BENCH_BINDIR=$("$PG_CONFIG" --bindir)
export BENCH_BINDIR
mkdir "$BENCH_SCRATCH"
cd "$ROOT"
interruptible python3 test/bench/run.py "$out" ${BENCH-}
[ "$(id -u)" -ne 0 ] || chown -R "$(stat -c %u:%g "$ROOT")" "$out"
echo "bench: measured in $(since "$started") s; the report is $out/README.md"
