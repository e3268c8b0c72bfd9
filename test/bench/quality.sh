#!/usr/bin/env bash
#
# Prints the tables of doc/quality.md: how well the join finds the true pairs of
# the labelled sets of ../shared/data, on a throwaway server; then the lines of them, if any, that
# the page does not have, whatever the times. Fails if there are such lines.
set -euo pipefail
# shellcheck source=test/harness.sh
. "$(dirname "$0")/../harness.sh"

DATA=$ROOT/../shared/data
if [ ! -r "$DATA/dblp_acm.pairs.tsv.xz" ]; then
	echo "quality: skipped, since the sets of ../shared/data are absent"
	exit 0
fi
bash "$ROOT/test/deps.sh"
make_private_directory
build_and_stage
make_template
start_server quality
PSQL=$("$PG_CONFIG" --bindir)/psql
export PGDATABASE=postgres
"$PSQL" -X -q -v data="$DATA" -f "$ROOT/test/bench/quality.sql" | tee "$PRIVATE/tmp/tables"
untimed() { sed 's/| [0-9.]* s |$/| s |/' "$1"; }
if grep -vxFf <(untimed "$ROOT/doc/quality.md") <(untimed "$PRIVATE/tmp/tables"); then
	die "these lines are not in doc/quality.md"
fi
echo "quality: doc/quality.md has these tables"
