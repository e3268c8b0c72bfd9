#!/usr/bin/env bash
#
# Runs "make check ALL=1" on each version of PostgreSQL that can be had, a compiler's warning being an error, and
# prints a table: versions by suites. What was skipped, and why, stands below it.
#
#	make check-versions
#	make check-versions VERSIONS="15 17"       some versions
#	make check-versions SUITES="kernel tap"    some suites, as for make check
#	make check-versions ALL=                   the daily tests alone
#	make check-i386                            what VERSIONS=15-i386 does; also check-arm64 and check-s390x
#	make check-versions PG_SOURCES="DIR DIR"   also PostgreSQL's own source trees, or prefixes of their builds
#	make check-versions CACHE=DIR              keeps builds and chroots there, not in ~/.cache/neardup
#	make check-versions CHROOTS=DIR            keeps chroots there: DIR/bookworm and so on
#	make check-versions MIRROR=URL             where debootstrap takes Debian from
#
# 15, 17, 18 and 19 are Debian's: as installed here, or in a chroot of Debian 12, 13, sid and experimental, which only root
# can make and enter. Other versions are those of PG_SOURCES; a source tree is not written to, and its build
# has assertions. pg_upgrade is tested from each build to the next.
#
# 15-i386 is 15 in a chroot of Debian 12 for i386, where a Datum has 4 bytes, so that values of 8 bytes are passed by
# reference: the suites kernel, regress, isolation and fuzz, unless SUITES names others. 15-arm64 and 15-s390x are the
# same without fuzz, run by Debian's emulators (qemu-user-static) and compiled by this machine's own compiler; the tests
# of the kernel have no sanitizers there. On s390x the first byte of a number is its highest.
#
# Each version has its own copy of the clone. Logs and what failed are kept in results/versions/.
set -euo pipefail

ROOT=$(cd "$(dirname "$0")/.." && pwd)
RESULTS=$ROOT/results/versions
# shellcheck source=test/chroot.sh
. "$ROOT/test/chroot.sh"
declare -A RELEASE=([15]=bookworm [17]=trixie [18]=sid [19]=experimental)
COLUMNS_OF_TABLE="build syntax kernel regress isolation tap fuzz"

failed=0
rows=()
notes=()
older_bindir=

skip()
{
	notes+=("$1: skipped: $2")
}

# Fails for a version without having run its suites.
fail()
{
	notes+=("$1: FAILED: $2")
	failed=1
}

# What the log of "make check" says of a column: passed and how many tests, FAILED, skipped, or nothing.
result()
{
	awk -v column="$2" '
		/^==== summary/ { summary = 1 }
		/^check: built in/ { built = 1 }
		summary && $1 == column { sub(/:/, "", $2); state = $2; tests = $5 }
		END {
			if (column == "build") state = built ? "passed" : "FAILED"
			print state (state == "passed" && column != "build" ? " " tests : "")
		}' "$1"
}

# Has a command run "make check" in a fresh copy of the clone, for a pg_config, with an older server or none,
# and adds its row to the table.
run_check()
{
	local name=$1 log=$RESULTS/$1/log row column status=0
	local -x PG_CONFIG=$2 NEARDUP_OLD_BINDIR=$3 ALL=${ALL-1} COPT=-Werror LC_ALL=C.UTF-8
	shift 3

	rm -rf "${RESULTS:?}/$name" "$WORK/tree" "$WORK/tmp"
	mkdir -p "$RESULTS/$name" "$WORK/tree" "$WORK/tmp"
	tar -C "$ROOT" --exclude=./.git --exclude=./results --exclude='*.o' --exclude='*.bc' --exclude='*.so' -cf - . | tar -C "$WORK/tree" -xf -
	echo "check-versions: $name"
	logged "$log" "$@" || status=$?
	if [ -d "$WORK/tree/results" ]; then cp -R "$WORK/tree/results/." "$RESULTS/$name/"; fi
	row=$(printf '%-22s' "$name")
	for column in $COLUMNS_OF_TABLE; do
		row+=$(printf '%-13s' "$(result "$log" "$column")")
	done
	rows+=("$row")
	mapfile -t -O ${#notes[@]} notes < <(sed -n "/^syntax/d; s/^\([^ ]*\) [. ]*\(skipped: .*\)/$name: \1: \2/p" "$log")
	if [ "$status" -ne 0 ]; then
		failed=1
		notes+=("$name: FAILED: see results/versions/$name/log")
	fi
}

# Makes the chroot of a version's release, unless it is there, perhaps for another architecture.
make_server_chroot()
{
	local version=$1 architecture=$2 release=${RELEASE[$1]} chroot=$3 name=$1${2:+-$2}

	make_chroot "$release" "$chroot" "$architecture" || { skip "$name" "$REASON"; return 1; }
	[ ! -x "$chroot/usr/lib/postgresql/$version/bin/postgres" ] || return 0
	logged "$chroot.log" in_chroot "$chroot" apt-get -q update ||
		{ skip "$name" "no packages from $MIRROR, see $chroot.log"; return 1; }
	logged /dev/null in_chroot "$chroot" apt-cache show "postgresql-$version" ||
		{ skip "$name" "Debian $release has no postgresql-$version"; return 1; }
}

# Has a chroot of another architecture compile across: its gcc is Debian's cross compiler for this machine. Of its
# packages apt can install only the libraries; the others are unpacked, over the chroot's own binutils.
install_cross_compiler()
{
	local chroot=$1 architecture=$2

	[ ! -L "$chroot/usr/local/bin/gcc" ] || return 0
	# shellcheck disable=SC2016 # expanded by the inner shell
	in_chroot "$chroot" sh -euc '
		target=$(uname -m)-linux-gnu host=$2
		packages="gcc-12-$target:$host cpp-12-$target:$host binutils-$target:$host"
		dpkg --add-architecture "$host"
		apt-get -q update
		libraries=$(apt-cache depends $packages | sed -n "s/^  Depends: \(\(lib\|zlib\).*\)/\1/p" | sort -u)
		apt-get -q -y install --no-install-recommends "libgcc-12-dev-$1-cross" "libc6-dev-$1-cross" libc6-dev binutils $libraries
		cd /tmp
		apt-get -q download $packages
		for package in *.deb; do dpkg-deb -x "$package" /; done
		for tool in nm ar ld; do ln -sf "/usr/bin/$target-$tool" "/usr/local/bin/$tool"; done
		ln -sf "/usr/bin/$target-gcc-12" /usr/local/bin/gcc' sh "$architecture" "$(dpkg --print-architecture)"
}

# Runs the tests in a chroot of the version's release. With an architecture the chroot is of that one, and only some
# suites are run: i386 by this machine itself, any other by its emulator.
check_in_chroot()
{
	local version=$1 architecture=${2-} name=${RELEASE[$1]}${2:+-$2} chroot=$CHROOTS/${RELEASE[$1]}${2:+-$2} cross=

	case $architecture in
		'') ;;
		i386) local -x SUITES=${SUITES:-kernel regress isolation fuzz} ;;
		*)
			local -x SUITES=${SUITES:-kernel regress isolation} BUILD_VARIABLES=with_llvm=no
			compgen -G '/proc/sys/fs/binfmt_misc/qemu-*' >/dev/null ||
				{ skip "$version-$name" "no emulator is registered: install qemu-user-static, and mount binfmt_misc"; return 0; }
			cross=1
			;;
	esac
	make_server_chroot "$version" "$architecture" "$chroot" || return 0
	if [ -n "$cross" ] && ! logged "$chroot.log" install_cross_compiler "$chroot" "$architecture"; then
		skip "$version-$name" "no compiler, see $chroot.log"
		return 0
	fi
	run_check "$version-$name" "/usr/lib/postgresql/$version/bin/pg_config" "" in_chroot "$chroot" sh /mnt/tree/.ci/run
}

check_debians()
{
	local version=$1 pg_config=/usr/lib/postgresql/$1/bin/pg_config

	if [ -x "$pg_config" ]; then
		run_check "$version" "$pg_config" "" make -C "$WORK/tree" check
	else
		check_in_chroot "$version"
	fi
}

# The version of a source tree or of a build, such as 16.11 or 20beta2.
source_version()
{
	if [ -x "$1/bin/pg_config" ]; then
		"$1/bin/pg_config" --version | sed 's/PostgreSQL \([^ ]*\).*/\1/'
	else
		sed -n "s/^PACKAGE_VERSION='\(.*\)'$/\1/p" "$1/configure"
	fi
}

# Builds a source tree below $CACHE, unless that has been done.
build_source()
{
	local tree=$1 prefix=$2

	[ ! -e "$prefix/built" ] || return 0
	[ ! -e "$tree/src/include/pg_config.h" ] || { echo "$tree is configured itself, and hides what is built elsewhere: make distclean"; return 1; }
	rm -rf "$prefix" "$prefix.build"
	mkdir -p "$prefix.build" && cd "$prefix.build" && "$tree/configure" --prefix="$prefix" --enable-cassert --enable-debug --enable-tap-tests \
		--without-icu --without-readline --without-zlib &&
		make -s -j "$(nproc)" world-bin && make -s install-world-bin && touch "$prefix/built" && rm -rf "$prefix.build"
}

check_source()
{
	local tree=$1 version=$2 prefix=$CACHE/postgresql-$2 name=$2-source

	if [ -x "$tree/bin/pg_config" ]; then
		prefix=$tree
	else
		mkdir -p "$CACHE" "$RESULTS/$name"
		[ -e "$prefix/built" ] || echo "check-versions: building PostgreSQL $version of $tree"
		logged "$RESULTS/$name/postgresql.log" build_source "$tree" "$prefix" ||
			{ fail "$name" "PostgreSQL was not built, see results/versions/$name/postgresql.log"; return; }
	fi
	run_check "$name" "$prefix/bin/pg_config" "$older_bindir" make -C "$WORK/tree" check
	older_bindir=$prefix/bin
}

# The makes below get the variables of this one's command line, but each its own PG_CONFIG.
case ${MAKEFLAGS-} in
	*'-- '*) MAKEFLAGS=$(sed 's/.*-- /-- /; s/ PG_CONFIG=[^ ]*//' <<<"$MAKEFLAGS") ;;
	*) unset MAKEFLAGS ;;
esac
unset MFLAGS MAKELEVEL
read -ra sources <<<"${PG_SOURCES-}"
for tree in "${sources[@]}"; do
	if [ ! -x "$tree/bin/pg_config" ] && [ ! -x "$tree/configure" ]; then
		echo "check-versions: $tree is neither a source tree of PostgreSQL nor the prefix of a build" >&2
		exit 2
	fi
done
WORK=$(mktemp -d)
chmod 755 "$WORK"
if [ -d "$ROOT/../shared/data" ]; then
	mkdir "$WORK/shared"
	cp -RL "$ROOT/../shared/data" "$WORK/shared/"
	chmod -R a+rX "$WORK/shared"
fi

for version in ${VERSIONS:-15 15-i386 15-arm64 15-s390x 16 17 18 19}; do
	found=
	if [[ $version = *-* ]]; then
		check_in_chroot "${version%-*}" "${version#*-}"
		found=1
	elif [ -n "${RELEASE[$version]-}" ]; then
		check_debians "$version"
		found=1
	fi
	for tree in "${sources[@]}"; do
		exact=$(source_version "$tree")
		[[ $exact =~ ^$version([^0-9]|$) ]] || continue
		check_source "$tree" "$exact"
		found=1
	done
	[ -n "$found" ] || skip "$version" "no Debian release has it, and PG_SOURCES names no source of it"
done
mkdir -p "$ROOT/results"
if [ "$(id -u)" -eq 0 ]; then chown -R "$(stat -c %u:%g "$ROOT")" "$ROOT/results"; fi

echo
# shellcheck disable=SC2086 # a column each
printf '%-22s'"$(printf '%%-13s%.0s' $COLUMNS_OF_TABLE)"'\n' "" $COLUMNS_OF_TABLE
printf '%s\n' "${rows[@]}" "${notes[@]}"
exit "$failed"
