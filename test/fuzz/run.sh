#!/usr/bin/env bash
#
# Runs fuzzers on the server that PGHOST and PGPORT name, as the server's user: test/check.sh calls it.
#
#	FUZZERS="a b"   which: test/fuzz/NAME.pl, or NAME.c on libpq; all of them where empty
#	MINUTES=1       how long each
#	SEED=n          what all cases derive from; random where empty
#	CASE=n          only the case with this seed
#	JOBS=2          fuzzers at a time
#
# Each has a database of its own with the extension in it. The first that reports a difference, or
# loses the server, ends all. FUZZ_SEED, FUZZ_SECONDS and FUZZ_CASE carry the choices to the fuzzer,
# which prints "NAME: count things, seed n" last.
set -euo pipefail
cd "$(dirname "$0")"

LOGS=${TMPDIR:-/tmp}/fuzz
FUZZ_SEED=${SEED:-$(od -An -N 3 -tu4 /dev/urandom | tr -d ' ')}
FUZZ_SECONDS=$(awk -v minutes="${MINUTES:-1}" 'BEGIN { printf "%d", 60 * minutes }')
export FUZZ_SEED FUZZ_SECONDS
[ -z "${CASE-}" ] || export FUZZ_CASE=$CASE

die()
{
	echo "neardup: $*" >&2
	exit 1
}

all_fuzzers()
{
	find . -maxdepth 1 -name '*.[pc]*' ! -name '*.pm' -printf '%f\n' | sed 's/\..*//' | LC_ALL=C sort
}

prepare()
{
	local psql

	psql=("$("$PG_CONFIG" --bindir)/psql" -X -q -v ON_ERROR_STOP=1)
	# Errors are what fuzzers ask for: the log has only the server's own.
	"${psql[@]}" -d postgres -c "CREATE DATABASE fuzz_$1" -c "ALTER DATABASE fuzz_$1 SET log_min_messages = fatal"
	"${psql[@]}" -d "fuzz_$1" -c 'SET client_min_messages = warning' -c 'CREATE EXTENSION neardup'
	[ ! -e "$1.c" ] || gcc -std=gnu11 -O1 -g -Wall -Wextra -I"$("$PG_CONFIG" --includedir)" -o "$1" "$1.c" \
		-L"$("$PG_CONFIG" --libdir)" -lpq
}

start()
{
	local command=("./$1")

	[ ! -e "$1.pl" ] || command=(perl "$1.pl")
	PGDATABASE=fuzz_$1 "${command[@]}" >"$LOGS/$1.log" 2>&1 &
	running[$!]=$1
}

# Waits for one to end, and says what it found.
reap()
{
	local pid

	if wait -n -p pid "${!running[@]}"; then
		tail -n 1 "$LOGS/${running[$pid]}.log"
	else
		failed+=("${running[$pid]}")
	fi
	unset "running[$pid]"
}

mkdir -p "$LOGS"
read -ra waiting <<<"${FUZZERS:-$(all_fuzzers | tr '\n' ' ')}"
declare -A running=()
failed=()
trap '[ ${#running[@]} -eq 0 ] || kill "${!running[@]}"' EXIT
echo "fuzz: $FUZZ_SECONDS s each, seed $FUZZ_SEED"
for name in "${waiting[@]}"; do
	[ -e "$name.pl" ] || [ -e "$name.c" ] || die "there is no fuzzer \"$name\"; there are $(all_fuzzers | tr '\n' ' ')"
	prepare "$name"
done
while [ ${#failed[@]} -eq 0 ] && [ $((${#waiting[@]} + ${#running[@]})) -gt 0 ]; do
	while [ ${#waiting[@]} -gt 0 ] && [ ${#running[@]} -lt "${JOBS:-1}" ]; do
		start "${waiting[0]}"
		waiting=("${waiting[@]:1}")
	done
	reap
done
for name in "${failed[@]}"; do
	cat "$LOGS/$name.log"
done
[ ${#failed[@]} -eq 0 ]
