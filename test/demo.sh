#!/usr/bin/env bash
#
# Finds the near-duplicates of a real data set, links and copied passages, on a throwaway server.
#
#	make demo           shows them, and leaves nothing behind
#	make demo PAGE=1    also writes a page for the browser, and names it
#	make demo KEEP=1    then opens psql on the server, which goes when psql is left
set -euo pipefail
# shellcheck source=test/harness.sh
. "$(dirname "$0")/harness.sh"

DATA=$ROOT/test/data/debian_descriptions.tsv.xz

# Columns of the terminal; 100 where there is none.
terminal_width()
{
	local width

	width=$( { stty size </dev/tty | cut -d ' ' -f 2; } 2>/dev/null ) || width=
	[[ $width =~ ^[0-9]+$ ]] && [ "$width" -ge 80 ] || width=100
	echo "$width"
}

# shellcheck disable=SC2120 # "interruptible" hands it its arguments
demo_psql()
{
	as_server_user env PGOPTIONS='-c client_encoding=UTF8' "$("$PG_CONFIG" --bindir)/psql" -X -d demo "$@"
}

# Debian's tools know of one, or there are none of these to make one.
has_cluster()
{
	! command -v pg_lsclusters >/dev/null || pg_lsclusters --no-header | grep -q "^$(postgres_major) "
}

bash "$ROOT/test/deps.sh"
make_private_directory
build_and_stage
xz -dc "$DATA" >"$PRIVATE/tree/docs.tsv"
cp "$ROOT/test/demo.sql" "$ROOT/doc/examples/review.sql" "$ROOT/doc/examples/persons.sql" "$PRIVATE/tree/"
chmod a+r "$PRIVATE"/tree/*
make_template
start_server demo
as_server_user "$("$PG_CONFIG" --bindir)/createdb" demo

if ! interruptible demo_psql -f demo.sql -v examples=. -v width="$(terminal_width)"; then
	die "the demo failed"
fi

if [ -n "${PAGE-}" ]; then
	mkdir -p "$ROOT/results"
	demo_psql -q -v table=docs -v key=id -v text=body -v threshold=0.8 -f review.sql >"$ROOT/results/demo.html"
	echo 'The page for the browser, of the largest clusters with their differences marked:'
	echo "  $ROOT/results/demo.html"
	echo
fi

if [ -n "${KEEP-}" ]; then
	echo 'psql on the server of the demo; tables docs, pairs, links and persons. Leave it with \q: the server goes with it.'
	trap '' INT # psql's own; it cancels a query there
	demo_psql || true
else
	cat <<'TEXT'
What to try next
  make demo PAGE=1    the same, and a page for the browser, texts side by side
  make demo KEEP=1    the same, then a psql prompt with the tables docs, pairs, links and persons
  make check          every test
  sudo make install   then, in a database of yours: CREATE EXTENSION neardup;
  psql -v table=TABLE -v key=KEY -f doc/examples/first_look.sql
                      there: what your table holds, and the call to begin with
TEXT
	has_cluster || cat <<TEXT
There is no database cluster here yet. What makes one, and a database of yours in it:
  sudo pg_createcluster $(postgres_major) main --start
  sudo -u postgres createuser --superuser "\$USER"
  createdb
  psql
TEXT
fi
