#!/usr/bin/env bash
#
# Installs what is missing to build and test neardup, from Debian's packages,
# and says what it installed.
#
#	test/deps.sh [check|lint|bench]
#
# With "check", root also gets the small ones of the clients that a test tries; nobody else is asked for them. With "lint",
# the tools of "make lint" too; with "bench", those of "make bench". PG_CONFIG chooses the PostgreSQL version. A server
# that is installed here is not started, and gets no cluster: the tests make private ones.
set -euo pipefail

PG_CONFIG=${PG_CONFIG:-pg_config}
SUDO=()
DROP_IN=/etc/postgresql-common/createcluster.d/neardup-no-cluster.conf

# The major version that PG_CONFIG stands for, or else Debian's own.
postgres_major()
{
	local path=${PG_CONFIG%/bin/pg_config} version

	if version=$("$PG_CONFIG" --version 2>/dev/null); then
		version=${version#PostgreSQL }
		echo "${version%%[!0-9]*}"
	elif [[ $path =~ /postgresql/([0-9]+)$ ]]; then
		echo "${BASH_REMATCH[1]}"
	else
		version=$(apt-cache depends postgresql 2>/dev/null | sed -n 's/.*Depends: postgresql-\([0-9]*\)$/\1/p' | head -n 1)
		echo "${version:-15}"
	fi
}

has_header()
{
	if command -v gcc >/dev/null; then
		echo "#include <$1>" | gcc -E -x c - >/dev/null 2>&1
	else
		[ -e "/usr/include/$1" ]
	fi
}

has_server()
{
	local bindir

	bindir=$("$PG_CONFIG" --bindir 2>/dev/null) || return 1
	[ -x "$bindir/postgres" ] && [ -x "$bindir/initdb" ] && [ -x "$bindir/psql" ]
}

has_server_dev()
{
	local pgxs

	pgxs=$("$PG_CONFIG" --pgxs 2>/dev/null) || return 1
	[ -e "$pgxs" ] && [ -x "$(dirname "$pgxs")/../test/regress/pg_regress" ] &&
		[ -e "$("$PG_CONFIG" --includedir-server)/postgres.h" ]
}

has_extension()
{
	[ -e "$("$PG_CONFIG" --sharedir 2>/dev/null)/extension/$1.control" ]
}

# The packages whose files are missing, one a line.
missing_packages()
{
	local major module

	if ! has_server || ! has_server_dev; then
		major=$(postgres_major)
		has_server || echo "postgresql-$major"
		has_server_dev || echo "postgresql-server-dev-$major"
	fi
	[ "$(id -u)" -ne 0 ] || id postgres >/dev/null 2>&1 || echo postgresql-common
	command -v gcc >/dev/null || echo gcc
	has_header stdio.h || echo libc6-dev
	command -v make >/dev/null || echo make
	has_header xxhash.h || echo libxxhash-dev
	has_header utf8proc.h || echo libutf8proc-dev
	if ! command -v prove >/dev/null || ! perl -MTest::More -MTime::HiRes -e 1 2>/dev/null; then
		echo perl
	fi
	perl -MIPC::Run -e 1 2>/dev/null || echo libipc-run-perl
	command -v xz >/dev/null || echo xz-utils
	command -v setpriv >/dev/null || echo util-linux
	if [ "${1-}" = check ] && [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
		has_header unicode/utrans.h || echo libicu-dev
		for module in jinja2 psycopg psycopg2 sqlalchemy; do
			/usr/bin/python3 -c "import $module" 2>/dev/null || echo "python3-$module"
		done
	fi
	if [ "${1-}" = lint ]; then
		command -v clang-format >/dev/null || echo clang-format
		command -v cppcheck >/dev/null || echo cppcheck
		command -v shellcheck >/dev/null || echo shellcheck
		command -v python3 >/dev/null || echo python3
	fi
	if [ "${1-}" = bench ]; then
		command -v g++ >/dev/null || echo g++
		command -v gnuplot >/dev/null || echo gnuplot-nox
		command -v python3 >/dev/null || echo python3
		has_extension pg_similarity || echo "postgresql-$(postgres_major)-similarity"
		has_extension rum || echo "postgresql-$(postgres_major)-rum"
	fi
}

bindir=$("$PG_CONFIG" --bindir 2>/dev/null) || bindir=/usr/lib/postgresql
if [[ $bindir != /usr/lib/postgresql* ]] && ! { has_server && has_server_dev; }; then
	echo "deps: the PostgreSQL of $PG_CONFIG lacks its server, its headers or pg_regress, and is not one of Debian's packages" >&2
	exit 1
fi
mapfile -t missing < <(missing_packages "$@")
if [ ${#missing[@]} -eq 0 ]; then
	echo "deps: nothing is missing"
	exit 0
fi

if ! command -v apt-get >/dev/null; then
	echo "deps: please install what these Debian packages hold: ${missing[*]}" >&2
	exit 1
fi
# Asks for a password where there is somebody to answer.
if [ "$(id -u)" -ne 0 ]; then
	if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
		SUDO=(sudo -n)
	elif command -v sudo >/dev/null && [ -t 0 ] && [ -t 2 ] &&
		sudo -p "deps: to install ${missing[*]}, the password of %p: " true; then
		SUDO=(sudo)
	else
		echo "deps: missing, and only root can install them:" >&2
		echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
		exit 1
	fi
fi

# Lasts as long as apt-get: keeps the server package from making and starting a cluster.
hold_clusters()
{
	[ -e "$DROP_IN" ] && return
	trap release_clusters EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	"${SUDO[@]}" mkdir -p "${DROP_IN%/*}"
	echo 'create_main_cluster = false' | "${SUDO[@]}" tee "$DROP_IN" >/dev/null
}

release_clusters()
{
	"${SUDO[@]}" rm -f "$DROP_IN"
	# Made here, unless something else lies in them.
	"${SUDO[@]}" rmdir --ignore-fail-on-non-empty -p "${DROP_IN%/*}" 2>/dev/null || true
}

# A dot every two seconds on a terminal, for what says nothing for a minute.
start_dots()
{
	[ -t 1 ] || return 0
	while sleep 2; do printf .; done &
	dots=$!
}

stop_dots()
{
	[ -n "$dots" ] || return 0
	kill "$dots" 2>/dev/null || true
	wait "$dots" 2>/dev/null || true
	dots=
	echo
}

apt()
{
	local status=0

	printf 'deps: apt-get %s' "$1"
	[ -t 1 ] || echo
	start_dots
	"${SUDO[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y "$@" >>"$log" 2>&1 || status=$?
	stop_dots
	[ "$status" -ne 0 ] || return 0
	echo "deps: apt-get $* failed:" >&2
	tail -n 20 "$log" >&2
	exit 1
}

dots=
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "deps: installing, which takes a minute or two: ${missing[*]}"
hold_clusters
trap 'stop_dots; release_clusters; rm -f "$log"' EXIT
apt update
apt install --no-install-recommends "${missing[@]}"

mapfile -t still < <(missing_packages "$@")
if [ ${#still[@]} -gt 0 ]; then
	echo "deps: still missing after the installation: ${still[*]}" >&2
	exit 1
fi
echo "deps: installed ${missing[*]}"
