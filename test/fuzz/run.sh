#!/usr/bin/env bash
#
# Runs a fuzzer, test/fuzz/NAME.pl, or NAME.c on libpq, on the server that PGHOST and PGPORT name, as the server's user:
#
#	test/fuzz/run.sh NAME
#
# It gets a database with the extensions neardup, neardup_clean and neardup_track in it, and neardup_icu if that was
# built. FUZZ_SEED is what all its cases derive from, FUZZ_SECONDS how long it takes, FUZZ_CASE, if any, the seed of the
# only case. It ends with "NAME: count things, seed n", or fails with the first difference or lost session.
set -euo pipefail
cd "$(dirname "$0")"

psql=("$("$PG_CONFIG" --bindir)/psql" -X -q -v ON_ERROR_STOP=1)
export PGDATABASE=fuzz

# Errors are what fuzzers ask for: the log has only the server's own.
"${psql[@]}" -d postgres -c 'CREATE DATABASE fuzz' -c 'ALTER DATABASE fuzz SET log_min_messages = fatal'
"${psql[@]}" -c 'SET client_min_messages = warning' -c 'CREATE EXTENSION neardup' -c 'CREATE EXTENSION neardup_clean' -c 'CREATE EXTENSION neardup_track'
"${psql[@]}" <<<"SELECT 'CREATE EXTENSION neardup_icu' FROM pg_available_extensions WHERE name = 'neardup_icu' \gexec"
# What neardup_citus does on shards, without Citus.
sed 's/MODULE_PATHNAME/$libdir\/neardup/' ../../src/citus/postings.sql | "${psql[@]}"
if [ -e "$1.pl" ]; then
	exec perl "$1.pl"
fi
gcc -std=gnu11 -O1 -g -Wall -Wextra -I"$("$PG_CONFIG" --includedir)" -o "$1" "$1.c" -L"$("$PG_CONFIG" --libdir)" -lpq
exec "./$1"
