#!/usr/bin/env bash
#
# Runs every test against a throwaway server and leaves nothing behind.
#
#	make check                           all suites: syntax kernel regress isolation tap fuzz
#	make check SUITES="regress tap"      some of them
#	make check REGRESS="a b"             regression tests by name (sql/NAME.sql)
#	make check ISOLATION=a               isolation specs by name
#	make check PROVE_TESTS=test/t/x.pl   TAP tests by file
#	make check KERNEL_TESTS=test/kernel/filters/verify_test.c
#	make check SUITES=fuzz SEED=7        fuzzers, a minute each; test/fuzz/run.sh says what else they take
#	make check SUITES=citus              joins on a cluster, where the extension citus can be had
#	make check JOBS=1                    one test at a time, not one on each processor
#	make check SANITIZE=1                under the sanitizers of addresses and undefined behaviour; the
#	                                     suite kernel has them anyway
#
# Naming tests runs only their suites. What failed is printed, and its diffs
# and logs are copied to results/ of the clone.
#
# The suite syntax compiles for the other versions of PostgreSQL whose headers Debian has installed here.
# pg_upgrade is tested from the newest older server that is installed here, or through those of
# NEARDUP_OLD_BINDIR=DIR:DIR, oldest first.
#
# The suites regress, isolation and tap are those of "make installcheck", run
# in a copy of what they need.
set -euo pipefail
# shellcheck source=test/harness.sh
. "$(dirname "$0")/harness.sh"

ALL_SUITES="syntax kernel regress isolation tap fuzz"
OTHER_SUITES="citus"
JOBS=${JOBS:-$(nproc)}
RESULTS=$ROOT/results

chosen_suites()
{
	local chosen=

	[ -z "${KERNEL_TESTS+x}" ] || chosen+=" kernel"
	[ -z "${REGRESS+x}" ] || chosen+=" regress"
	[ -z "${ISOLATION+x}" ] || chosen+=" isolation"
	[ -z "${PROVE_TESTS+x}" ] || chosen+=" tap"
	echo "${SUITES:-${chosen:-$ALL_SUITES}}"
}

copy_tests()
{
	local shared=$ROOT/../shared

	cp -R "$ROOT/Makefile" "$ROOT/META.json" "$ROOT/CHANGELOG.md" "$ROOT/README.md" "$ROOT/doc" \
		"$ROOT/debian" "$ROOT/neardup.spec" \
		"$ROOT/sql" "$ROOT/test" "$PRIVATE/tree/"
	if [ -d "$ROOT/expected" ]; then cp -R "$ROOT/expected" "$PRIVATE/tree/"; fi
	chmod -R u+w "$PRIVATE/tree"
	# A test adds versions of its own to those that are installed.
	[ "$(id -u)" -ne 0 ] || chown -R postgres: "$PRIVATE/tree" "$("$PG_CONFIG" --sharedir)/extension"
	[ -d "$shared/data" ] || return 0
	NEARDUP_SHARED=$(cd "$shared" && pwd)
	if ! as_server_user test -r "$NEARDUP_SHARED/data/README.md"; then
		mkdir "$PRIVATE/shared"
		cp -R "$shared/data" "$PRIVATE/shared/"
		chmod -R a+rX "$PRIVATE/shared"
		NEARDUP_SHARED=$PRIVATE/shared
	fi
	export NEARDUP_SHARED
}

# pg_config of each PostgreSQL from 15 on that Debian has installed, newest first, with what building for it takes.
debians_pg_configs()
{
	local bindir

	for bindir in $(compgen -G '/usr/lib/postgresql/*/bin' | sort -rV); do
		[[ $bindir =~ /(1[5-9]|[2-9][0-9])/bin$ ]] && [ -e "$("$bindir/pg_config" --pgxs 2>/dev/null)" ] || continue
		echo "$bindir/pg_config"
	done
}

other_pg_configs()
{
	debians_pg_configs | grep -v "/$(postgres_major)/bin/" || true
}

run_syntax()
{
	local pg_config

	for pg_config in $(other_pg_configs); do
		make -s -C "$ROOT" --no-print-directory PG_CONFIG="$pg_config" syntax >"$PRIVATE/syntax.log" 2>&1 ||
			{ cat "$PRIVATE/syntax.log"; return 1; }
		echo "compiled for $("$pg_config" --version)"
	done
}

# Stages the extension in older servers too, for the test of pg_upgrade, and names these in NEARDUP_OLD_BINDIR.
stage_older_servers()
{
	local pg_config candidate bindir number=0 pg_configs=() staged=()

	if [ -n "${NEARDUP_OLD_BINDIR-}" ]; then
		IFS=: read -ra pg_configs <<<"$NEARDUP_OLD_BINDIR"
		pg_configs=("${pg_configs[@]/%//pg_config}")
	else
		for candidate in $(other_pg_configs); do
			[[ $candidate =~ /([0-9]+)/bin ]] && [ "${BASH_REMATCH[1]}" -lt "$(postgres_major)" ] &&
				[ -x "${candidate%/*}/postgres" ] || continue
			pg_configs=("$candidate")
			break
		done
	fi
	[ ${#pg_configs[@]} -gt 0 ] || return 0
	mkdir "$PRIVATE/old"
	cp -R "$ROOT/Makefile" "$ROOT/META.json" "$ROOT"/*.control.in "$ROOT/sql" "$ROOT/src" "$PRIVATE/old/"
	find "$PRIVATE/old" \( -name '*.o' -o -name '*.bc' \) -delete
	for pg_config in "${pg_configs[@]}"; do
		number=$((number + 1))
		stage "$PRIVATE/old" "$pg_config" "$PRIVATE/old-stage-$number"
		bindir=$PRIVATE/old-stage-$number$("$pg_config" --bindir)
		staged+=("$bindir")
	done
	NEARDUP_OLD_BINDIR=$(IFS=: && echo "${staged[*]}")
	export NEARDUP_OLD_BINDIR
}

# Compiles the tests, named from the clone's directory, with what they share and the sources that
# need no server, under the sanitizers where there are any. What all of them link is compiled once.
compile_kernel_tests()
{
	local tests sources source test program library directory sanitize=() objects=() libraries=()
	local build=$PRIVATE/tmp/kernel

	read -ra tests <<<"$*"
	read -ra sources <<<"${KERNEL_SOURCES-} $(echo test/kernel/*.c)"
	if echo 'int main(void) { return 0; }' |
		gcc -fsanitize=address -fsanitize=undefined -x c -o "$PRIVATE/tmp/probe" - 2>/dev/null && "$PRIVATE/tmp/probe"; then
		sanitize=(-fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all)
	fi
	for library in pgcommon pgport; do
		for directory in "$("$PG_CONFIG" --pkglibdir)" "$("$PG_CONFIG" --libdir)"; do
			[ -e "$directory/lib$library.a" ] && libraries+=("$directory/lib$library.a") && break
		done
	done
	mkdir -p "$build"
	for source in "${sources[@]}"; do
		objects+=("$build/${source//\//_}.o")
	done
	for source in "${sources[@]}" "${tests[@]}"; do
		printf '%s\0' "$build/${source//\//_}.o" "$source"
	done | xargs -0 -n 2 -P "$JOBS" gcc -std=gnu11 -O1 -g -Wall -Wextra -Wno-unused-parameter "${sanitize[@]}" \
		-DFRONTEND -I"$("$PG_CONFIG" --includedir-server)" -Isrc -Itest/kernel -c -o || return
	for test in "${tests[@]}"; do
		program=$PRIVATE/tree/${test#test/}
		mkdir -p "${program%/*}"
		gcc "${sanitize[@]}" -o "${program%.c}.t" "$build/${test//\//_}.o" \
			"${objects[@]}" "${libraries[@]}" -lxxhash -lutf8proc -lm || return
	done
	chmod -R a+rX "$PRIVATE/tree/kernel"
}

run_kernel()
{
	(cd "$ROOT" && compile_kernel_tests "${KERNEL_TESTS:-$(echo test/kernel/*/*_test.c)}") || return
	cd "$PRIVATE/tree"
	as_server_user prove -j "$JOBS" --exec '' kernel/*/*.t
}

# One suite of "make installcheck"; the others are switched off.
installcheck()
{
	cd "$PRIVATE/tree"
	as_server_user make -s --no-print-directory PG_CONFIG="$PG_CONFIG" "$@" installcheck
}

run_regress()
{
	installcheck ISOLATION= TAP_TESTS=
}

run_isolation()
{
	installcheck REGRESS= TAP_TESTS=
}

run_tap()
{
	# Cluster.pm appends this file to every node's postgresql.conf.
	TEMP_CONFIG=$SERVER_CONF installcheck REGRESS= ISOLATION= TAP_TESTS=1 PROVE_FLAGS="-j $JOBS ${PROVE_FLAGS-}" \
		${PROVE_TESTS:+PROVE_TESTS="$PROVE_TESTS"} ${NEARDUP_OLD_BINDIR:+NEARDUP_OLD_BINDIR="$NEARDUP_OLD_BINDIR"}
}

run_fuzz()
{
	cd "$PRIVATE/tree"
	JOBS=$JOBS as_server_user bash test/fuzz/run.sh
}

run_citus()
{
	TEMP_CONFIG=$SERVER_CONF installcheck REGRESS= ISOLATION= TAP_TESTS=1 PROVE_FLAGS="${PROVE_FLAGS-}" \
		PROVE_TESTS="${PROVE_TESTS:-test/citus/*.pl}"
}

# Why nothing of a suite can run; empty where it can.
why_skipped()
{
	local pgxs

	pgxs=$(dirname "$("$PG_CONFIG" --pgxs)")/..
	case $1 in
		syntax) [ -n "$(other_pg_configs)" ] || echo "no other version's headers are here" ;;
		kernel) [ -n "${KERNEL_TESTS-}" ] || compgen -G "$ROOT/test/kernel/*/*_test.c" >/dev/null || echo "no test" ;;
		regress) [ -n "${REGRESS-}" ] || (compgen -G "$ROOT/sql/*.sql" | grep -v '/neardup--') >/dev/null || echo "no test" ;;
		isolation)
			[ -n "${ISOLATION-}" ] || compgen -G "$ROOT/test/isolation/specs/*.spec" >/dev/null || { echo "no test"; return; }
			[ -x "$pgxs/test/isolation/pg_isolation_regress" ] || echo "this PostgreSQL comes without pg_isolation_regress"
			;;
		tap)
			[ -n "${PROVE_TESTS-}" ] || compgen -G "$ROOT/test/t/*.pl" >/dev/null || { echo "no test"; return; }
			[ -e "$pgxs/test/perl/PostgreSQL/Test/Cluster.pm" ] || echo "this PostgreSQL was configured without --enable-tap-tests"
			;;
		citus)
			[ -e "$("$PG_CONFIG" --sharedir)/extension/citus.control" ] || echo "citus is not among the available extensions"
			;;
	esac
}

# What explains the failure of a suite: printed, and kept in results/.
show_failure()
{
	local tree=$PRIVATE/tree file name

	mkdir -p "$RESULTS"
	case $1 in
		regress)
			if [ -e "$tree/regression.diffs" ]; then
				cat "$tree/regression.diffs"
				cp "$tree/regression.diffs" "$RESULTS/"
				cp "$tree"/results/*.out "$RESULTS/" 2>/dev/null || true
			fi
			tail -n 20 "$PRIVATE/tmp/server.log" | sed 's/^/server log: /'
			;;
		isolation)
			if [ -e "$tree/output_iso/regression.diffs" ]; then
				cat "$tree/output_iso/regression.diffs"
				cp "$tree/output_iso/regression.diffs" "$RESULTS/isolation.diffs"
			fi
			;;
		fuzz)
			tail -n 20 "$PRIVATE/tmp/server.log" | sed 's/^/server log: /'
			cp -R "$PRIVATE/tmp/fuzz" "$RESULTS/" 2>/dev/null || true
			;;
		tap | citus)
			for file in "$tree"/tmp_check/log/regress_log_*; do
				[ -e "$file" ] || continue
				name=${file##*/regress_log_}
				# A test that ended well has a plan, and nothing in it failed.
				if grep -qE '(^|[] ])1\.\.[0-9]' "$file" && ! grep -q 'not ok ' "$file"; then continue; fi
				echo "---- end of the log of $name"
				tail -n 60 "$file"
			done
			mkdir -p "$RESULTS/tap"
			cp -R "$tree"/tmp_check/log/. "$RESULTS/tap/" 2>/dev/null || true
			;;
	esac
	if [ "$(id -u)" -eq 0 ]; then chown -R "$(stat -c %u:%g "$ROOT")" "$RESULTS"; fi
}

# Prints what the sanitizers have reported, keeps it in results/, and fails where they have.
no_reports()
{
	local report status=0

	for report in "$PRIVATE"/tmp/sanitizer.*; do
		[ -e "$report" ] || continue
		cat "$report"
		mkdir -p "$RESULTS"
		mv "$report" "$RESULTS/"
		status=1
	done
	return "$status"
}

bash "$ROOT/test/deps.sh"
started=$(now)
make_private_directory
build_and_stage
echo "check: built in $(since "$started") s for $("$PG_CONFIG" --version)"
copy_tests
if [[ " $(chosen_suites) " == *" tap "* && ${PROVE_TESTS:-pg_upgrade} == *pg_upgrade* ]]; then stage_older_servers; fi
# All but those of test/check-versions.sh and test/check-packages.sh.
find "$RESULTS" -mindepth 1 -maxdepth 1 ! -name versions ! -name packages -exec rm -rf {} + 2>/dev/null || true
start_server "max_prepared_transactions = 20
log_line_prefix = '%m [%p] %d '"

failed=()
summary=()
for suite in $(chosen_suites); do
	[[ " $ALL_SUITES $OTHER_SUITES " == *" $suite "* ]] || die "there is no suite \"$suite\"; there are $ALL_SUITES $OTHER_SUITES"
	reason=$(why_skipped "$suite")
	if [ -n "$reason" ]; then
		summary+=("$(printf '%-10s skipped: %s' "$suite" "$reason")")
		continue
	fi
	echo "==== $suite"
	suite_started=$(now)
	passed=1
	interruptible "run_$suite" || passed=
	no_reports || passed=
	if [ -n "$passed" ]; then
		summary+=("$(printf '%-10s passed %6s s' "$suite" "$(since "$suite_started")")")
	else
		summary+=("$(printf '%-10s FAILED %6s s' "$suite" "$(since "$suite_started")")")
		failed+=("$suite")
		show_failure "$suite"
	fi
done

echo "==== summary"
printf '%s\n' "${summary[@]}"
if [ ${#failed[@]} -gt 0 ]; then
	echo "check: FAILED in $(since "$started") s: ${failed[*]} (kept in results/)"
	exit 1
fi
echo "check: passed in $(since "$started") s"
