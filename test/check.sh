#!/usr/bin/env bash
#
# Runs the tests against throwaway servers and leaves nothing behind.
#
#	make check                           the daily tests of all suites: syntax kernel regress isolation tap fuzz
#	make check ALL=1                     also those of a release, test/release, and fuzzers for a minute each
#	make check SUITES="regress tap"      some suites
#	make check REGRESS="a b"             regression tests by name (sql/NAME.sql)
#	make check ISOLATION=a               isolation specs by name
#	make check PROVE_TESTS=test/t/index/*   TAP tests by file
#	make check KERNEL_TESTS=test/kernel/filters/verify_test.c   with SEED=7 only the random cases of this seed
#	make check SUITES=fuzz SEED=7        fuzzers, for five seconds each or for MINUTES=n; FUZZERS="a b" names some,
#	                                     and CASE=n the seed of the only case
#	make check SUITES=citus              joins on a cluster, where the extension citus can be had
#	make check JOBS=1                    one test at a time, not one more than there are processors, since tests wait too
#	make check CC=clang                  by this compiler, the kernel's tests too
#	make check SANITIZE=1                under the sanitizers of addresses and undefined behaviour; the
#	                                     suite kernel has them anyway
#
# Naming tests runs only their suites. What failed is printed, and its diffs and logs are copied to results/ of the
# clone. The last line says how many tests passed and failed, and how many were skipped; lines above it say which and
# why.
#
# All suites share one queue, test/queue.pl. Its jobs are each test, but the suite isolation as a whole, and the
# regression tests in four parts. What needs a server has one of its own.
#
# Without SEED, the cases of the fuzzers derive from the commit, or where git knows none from the sources.
#
# The suite syntax compiles for the other versions of PostgreSQL whose headers Debian has installed here, and with ALL=1
# by clang for this one.
# pg_upgrade is tested from the newest older server that is installed here, or through those of
# NEARDUP_OLD_BINDIR=DIR:DIR, oldest first.
set -euo pipefail
# shellcheck source=test/harness.sh
. "$(dirname "$0")/harness.sh"

ALL_SUITES="syntax kernel regress isolation tap fuzz"
OTHER_SUITES="citus"
# The jobs that take longest, which begin first, so that no processor has to wait for one of them at the end.
LONGEST="regress_1 regress_3 test/t/extension/names.pl test/t/join/memory.pl test/t/text/places.pl test/t/clean/circumstances.pl
	test/kernel/passages/passages_test.c test/t/text/encodings.pl test/t/index/index.pl test/t/index/index_scopes.pl test/t/tokenset/gin.pl
	test/t/cluster/near_duplicates.pl test/t/index/orderings.pl test/kernel/measure/measure_test.c test/t/join/known_counts.pl
	test/t/join/estimate.pl test/t/passages/passages.pl test/t/text/long_text.pl regress_0 regress_2 test/t/join/errors.pl test/t/text/to_latin.pl
	test/kernel/joins/roles_test.c test/t/join/brute_force.pl test/kernel/joins/best_pairs_test.c test/kernel/joins/brute_force_test.c"
JOBS=${JOBS:-$(($(nproc) + 1))}
RESULTS=$ROOT/results

chosen_suites()
{
	local chosen=

	[ -z "${KERNEL_TESTS+x}" ] || chosen+=" kernel"
	[ -z "${REGRESS+x}" ] || chosen+=" regress"
	[ -z "${ISOLATION+x}" ] || chosen+=" isolation"
	[ -z "${PROVE_TESTS+x}" ] || chosen+=" tap"
	[ -z "${FUZZERS+x}" ] || chosen+=" fuzz"
	echo "${SUITES:-${chosen:-$ALL_SUITES}}"
}

# The files of a suite's tests, named from the clone's directory.
files_of()
{
	cd "$ROOT"
	shopt -s nullglob
	# shellcheck disable=SC2086 # patterns
	case $1 in
		kernel) echo ${KERNEL_TESTS:-test/kernel/*/*_test.c} ;;
		regress) printf '%s\n' ${REGRESS:-sql/*.sql} | grep -v -e '--' | sed 's|^sql/\(.*\)\.sql$|\1|' ;;
		tap) echo ${PROVE_TESTS:-test/t/*/*.pl ${ALL:+test/release/*.pl}} ;;
		citus) echo ${PROVE_TESTS:-test/citus/*.pl} ;;
		fuzz) echo test/fuzz/*.pl test/fuzz/*.c ;;
	esac
}

copy_tests()
{
	local shared=$ROOT/../shared

	cp -R "$ROOT/Makefile" "$ROOT/META.json" "$ROOT"/*.md "$ROOT/llms.txt" "$ROOT/doc" \
		"$ROOT/debian" "$ROOT/neardup.spec" "$ROOT"/Dockerfile* \
		"$ROOT/src" "$ROOT/sql" "$ROOT/test" "$PRIVATE/tree/"
	if [ -d "$ROOT/expected" ]; then cp -R "$ROOT/expected" "$PRIVATE/tree/"; fi
	find "$PRIVATE/tree/src" \( -name '*.o' -o -name '*.bc' \) -delete
	mkdir "$PRIVATE/tree/tmp_check"
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

# With ALL=1, the clang of the JIT's bitcode, or whichever is here.
other_compiler()
{
	local clang

	[ -n "${ALL-}" ] || return 0
	clang=$(sed -n 's/^CLANG = //p' "$(dirname "$("$PG_CONFIG" --pgxs)")/../Makefile.global")
	command -v "${clang:-clang}" || true
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

# Compiles the tests with what they share and the sources that need no server, under the sanitizers where there are
# any, and links all into one program, which runs the test that it is given the name of.
compile_kernel_tests()
{
	local sources tests source name calls='' library directory float_flags sanitize=() libraries=()
	local build=$PRIVATE/tmp/kernel

	if echo 'int main(void) { return 0; }' |
		"${CC:-gcc}" -fsanitize=address -fsanitize=undefined -x c -o "$PRIVATE/tmp/probe" - 2>/dev/null && "$PRIVATE/tmp/probe" 2>/dev/null; then
		sanitize=(-fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all)
	fi
	for library in pgcommon pgport; do
		for directory in "$("$PG_CONFIG" --pkglibdir)" "$("$PG_CONFIG" --libdir)"; do
			[ -e "$directory/lib$library.a" ] && libraries+=("$directory/lib$library.a") && break
		done
	done
	mkdir -p "$build"
	cd "$ROOT"
	read -ra float_flags < <(make -s --no-print-directory PG_CONFIG="$PG_CONFIG" float-flags)
	read -ra sources <<<"${KERNEL_SOURCES-} $(echo test/kernel/*.c)"
	read -ra tests <<<"$(files_of kernel)"
	{
		echo '#include <string.h>'
		for source in "${tests[@]}"; do
			name=$(basename "$source" .c)
			echo "int $name(void);"
			calls+="if (strcmp(argv[1], \"$name\") == 0) return $name();"$'\n'
		done
		printf 'int main(int argc, char **argv) {\n%sreturn 2;\n}\n' "$calls"
	} >"$build/main.c"
	# The function main of a test has the test's name.
	for source in "${sources[@]}" "${tests[@]}"; do
		printf '%s\0' "-Dmain=$(basename "$source" .c)" -o "$build/${source//\//_}.o" "$source"
	done | xargs -0 -n 4 -P "$JOBS" "${CC:-gcc}" -std=gnu11 -O1 -g1 -Wall -Wextra -Wno-unused-parameter -Wno-ignored-attributes "${float_flags[@]}" "${sanitize[@]}" \
		-DFRONTEND -I"$("$PG_CONFIG" --includedir-server)" -Isrc -Itest/kernel -c || return
	"${CC:-gcc}" "${sanitize[@]}" -o "$PRIVATE/tree/kernel_tests" "$build/main.c" "$build"/*.o "${libraries[@]}" -lxxhash -lutf8proc -lm
	chmod a+rx "$PRIVATE/tree/kernel_tests"
}

# A line for test/queue.pl.
job()
{
	local IFS=$'\t'

	echo "$*"
}

# The jobs of a suite.
jobs_of()
{
	local pgxs pg_config file part compiler

	pgxs=$(dirname "$("$PG_CONFIG" --pgxs)")/..
	case $1 in
		syntax)
			for pg_config in $(other_pg_configs); do
				job syntax "${pg_config%/bin/pg_config}" bash test/job.sh syntax "$pg_config"
			done
			compiler=$(other_compiler)
			[ -z "$compiler" ] || job syntax "$compiler" bash test/job.sh syntax "$PG_CONFIG" "$compiler"
			;;
		kernel)
			for file in $(files_of kernel); do
				job kernel "$file" ./kernel_tests "$(basename "$file" .c)"
			done
			;;
		regress)
			for part in 0 1 2 3; do
				file=$(files_of regress | awk -v part=$part 'NR % 4 == part' | tr '\n' ' ')
				[ -z "$file" ] || job regress "regress_$part" bash test/job.sh regress "regress_$part" "$file"
			done
			;;
		isolation) job isolation isolation bash test/job.sh isolation ;;
		tap | citus)
			for file in $(files_of "$1"); do
				job "$1" "$file" perl -I "$pgxs/test/perl" -I . "$file"
			done
			;;
		fuzz)
			for file in ${FUZZERS:-$(files_of fuzz)}; do
				file=$(basename "${file%.*}")
				job fuzz "test/fuzz/$file" bash test/job.sh fuzz "$file"
			done
			;;
	esac
}

# What PGXS tells TAP tests, and the file that Cluster.pm appends to every node's postgresql.conf.
tap_environment()
{
	local tmp_check=$PRIVATE/tree/tmp_check

	echo "TESTDIR=${tmp_check%/*}" "TESTDATADIR=$tmp_check" "TESTLOGDIR=$tmp_check/log" \
		"PG_REGRESS=$(dirname "$("$PG_CONFIG" --pgxs)")/../test/regress/pg_regress" \
		"PATH=$("$PG_CONFIG" --bindir):$PATH" "PGPORT=65432" "TEMP_CONFIG=$SERVER_CONF"
}

# Runs the jobs, the longest first. Fails where the queue has not come to its end.
run_queue()
{
	local jobs=$PRIVATE/tmp/jobs environment

	awk -F '\t' -v longest="$LONGEST" '
		BEGIN { count = split(longest, names, " "); for (i = 1; i <= count; i++) rank[names[i]] = i }
		{ print ($2 in rank ? rank[$2] : count + 1) "\t" $0 }' "$jobs" | sort -s -n -k 1,1 | cut -f 2- >"$jobs.sorted"
	read -ra environment <<<"$(tap_environment)"
	cd "$PRIVATE/tree"
	interruptible as_server_user env "${environment[@]}" perl test/queue.pl "$JOBS" "$jobs.sorted" "$PRIVATE/tmp/counts" "$PRIVATE/tmp/reasons" "$PRIVATE/tmp/failures" || true
	[ -s "$PRIVATE/tmp/counts" ]
}

# Why nothing of a suite can run; empty where it can.
why_skipped()
{
	local pgxs

	pgxs=$(dirname "$("$PG_CONFIG" --pgxs)")/..
	case $1 in
		syntax) [ -n "$(other_pg_configs)$(other_compiler)" ] || echo "no other version's headers are here" ;;
		kernel) [ -n "$(files_of kernel)" ] || echo "no test" ;;
		regress) [ -n "$(files_of regress)" ] || echo "no test" ;;
		isolation)
			[ -n "${ISOLATION-}" ] || compgen -G "$ROOT/test/isolation/specs/*.spec" >/dev/null || { echo "no test"; return; }
			[ -x "$pgxs/test/isolation/pg_isolation_regress" ] || echo "this PostgreSQL comes without pg_isolation_regress"
			;;
		tap)
			[ -n "$(files_of tap)" ] || { echo "no test"; return; }
			[ -e "$pgxs/test/perl/PostgreSQL/Test/Cluster.pm" ] || echo "this PostgreSQL was configured without --enable-tap-tests"
			;;
		citus)
			[ -e "$("$PG_CONFIG" --sharedir)/extension/citus.control" ] || echo "citus is not among the available extensions"
			;;
	esac
}

# Keeps in results/ what explains the failure of a suite, and prints the ends of the logs of TAP tests.
keep_failure()
{
	local tree=$PRIVATE/tree file name

	mkdir -p "$RESULTS"
	case $1 in
		regress)
			cat "$tree"/regress_*/regression.diffs >"$RESULTS/regression.diffs" 2>/dev/null || true
			cp "$tree"/regress_*/results/*.out "$RESULTS/" 2>/dev/null || true
			;;
		isolation) cp "$tree/output_iso/regression.diffs" "$RESULTS/isolation.diffs" 2>/dev/null || true ;;
		fuzz) cp -R "$PRIVATE/tmp/fuzz" "$RESULTS/" 2>/dev/null || true ;;
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

# A number that every commit has of its own, or where git knows none every state of the sources.
seed_of_sources()
{
	local sum

	cd "$ROOT"
	sum=$(git rev-parse HEAD 2>/dev/null) || sum=$(find META.json src test/fuzz -type f -name '*.[a-z]*' ! -name '*.o' ! -name '*.bc' |
		LC_ALL=C sort | xargs cat | sha1sum)
	echo $((16#${sum:0:6}))
}

# What was skipped and why, for one line: the suites that are given, then tests, of each reason how many.
what_was_skipped()
{
	{
		printf '%s\n' "$@"
		[ ! -e "$PRIVATE/tmp/reasons" ] || awk -F '\t' '{ print $2 " (" $1 ")" }' "$PRIVATE/tmp/reasons"
		[[ -n "${ALL-}" || " ${suites[*]} " != *" tap "* ]] || echo "test/release and most random cases (ALL=1 runs them)"
	} | awk 'NF { line = line (line == "" ? "" : "; ") $0 } END { print line == "" ? "nothing" : line }'
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

bash "$ROOT/test/deps.sh" check
started=$(now)
# The JIT's bitcode takes almost as long as the library, and is what the tests of a release run.
# shellcheck disable=SC2034 # of harness.sh
[ -n "${ALL-}" ] || BUILD_VARIABLES=with_llvm=no
make_private_directory
suites=()
summary=()
skipped=0
left_out=()
for fuzzer in ${FUZZERS-}; do
	compgen -G "$ROOT/test/fuzz/$(basename "${fuzzer%.*}").*" >/dev/null || die "there is no fuzzer \"$fuzzer\""
done
build_and_stage
copy_tests
for suite in $(chosen_suites); do
	[[ " $ALL_SUITES $OTHER_SUITES " == *" $suite "* ]] || die "there is no suite \"$suite\"; there are $ALL_SUITES $OTHER_SUITES"
	reason=$(why_skipped "$suite")
	if [ -n "$reason" ]; then
		summary+=("$(printf '%-10s skipped: %s' "$suite" "$reason")")
		skipped=$((skipped + 1))
		left_out+=("the suite $suite: $reason")
	else
		suites+=("$suite")
		jobs_of "$suite" >>"$PRIVATE/tmp/jobs"
	fi
done
if [[ " ${suites[*]} " == *" kernel "* ]]; then
	interruptible compile_kernel_tests || die "the tests of the suite kernel were not built"
fi
if [[ "$(cat "$PRIVATE/tmp/jobs")" == *pg_upgrade* ]]; then stage_older_servers; fi
make_template
echo "check: built in $(since "$started") s for $("$PG_CONFIG" --version)"
# All but those of test/check-versions.sh and test/check-packages.sh.
find "$RESULTS" -mindepth 1 -maxdepth 1 ! -name versions ! -name packages -exec rm -rf {} + 2>/dev/null || true

FUZZ_SEED=${SEED:-$(seed_of_sources)}
FUZZ_SECONDS=$(awk -v minutes="${MINUTES:-${ALL:+1}}" 'BEGIN { printf "%d", minutes == "" ? 5 : 60 * minutes }')
export FUZZ_SEED FUZZ_SECONDS NEARDUP_ALL=${ALL-}
# Beside the fuzzers, SEED is theirs, and the kernel's tests try all their cases.
[[ " ${suites[*]} " != *" fuzz "* ]] || unset SEED
[ -z "${CASE-}" ] || export FUZZ_CASE=$CASE
[[ " ${suites[*]} " != *" fuzz "* ]] || echo "fuzz: $FUZZ_SECONDS s each, seed $FUZZ_SEED"

passed=0
failed=0
failures=()
[ ${#suites[@]} -eq 0 ] || run_queue || die "the queue of tests has broken off"
for suite in "${suites[@]}"; do
	IFS=$'\t' read -r seconds suite_passed suite_failed suite_skipped < <(sed -n "s/^$suite\t//p" "$PRIVATE/tmp/counts")
	passed=$((passed + suite_passed))
	failed=$((failed + suite_failed))
	skipped=$((skipped + suite_skipped))
	state=passed
	if [ "$suite_failed" -gt 0 ]; then
		state=FAILED
		failures+=("$suite")
		keep_failure "$suite"
	fi
	summary+=("$(printf '%-10s %s %7s s %6d passed, %d failed, %d skipped' "$suite" "$state" "$seconds" \
		"$suite_passed" "$suite_failed" "$suite_skipped")")
done
if ! no_reports; then
	failed=$((failed + 1))
	failures+=(sanitizers)
fi

echo "==== summary: seconds of all jobs of a suite, which run $JOBS at a time"
printf '%s\n' "${summary[@]}"
echo "skipped: $(what_was_skipped "${left_out[@]}")"
if [ $failed -gt 0 ]; then
	[ ! -e "$PRIVATE/tmp/failures" ] || sed 's/^/failed: /' "$PRIVATE/tmp/failures"
	echo "check: FAILED in $(since "$started") s: ${failures[*]} (kept in results/)"
else
	echo "check: passed in $(since "$started") s"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
