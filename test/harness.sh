# What check.sh, job.sh, demo.sh and bench.sh share: a private directory, the extension staged
# in it, and throwaway servers that always go away.
#
# As root, servers and tests run as the user "postgres", which need not be
# able to read the clone: whatever it needs is copied into the private
# directory. Anyone else runs them as themselves.
#
# Sourced by bash scripts that set -euo pipefail.
# shellcheck shell=bash

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
PG_CONFIG=${PG_CONFIG:-pg_config}
PRIVATE=
CHILD=

# Make's own options (-j, a jobserver) are for the make that runs us; what is
# built below gets only the variables of its command line.
case ${MAKEFLAGS-} in
	*'-- '*) export MAKEFLAGS="-- ${MAKEFLAGS#*-- }" ;;
	*) unset MAKEFLAGS ;;
esac
unset MFLAGS MAKELEVEL PGDATABASE PGHOST PGHOSTADDR PGOPTIONS PGPORT PGSERVICE PGUSER PGDATA

die()
{
	echo "neardup: $*" >&2
	exit 1
}

# Runs a command as the user of the server, in a place which that user can read.
as_server_user()
{
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --reuid=postgres --regid=postgres --init-groups \
			env HOME="${PRIVATE:-/}" USER=postgres LOGNAME=postgres "$@"
	else
		"$@"
	fi
}

# Runs a command that a signal to this script ends at once: bash runs traps
# only between foreground commands, so the command is a job with a process
# group of its own, and the trap ends that group.
interruptible()
{
	local status=0

	set -m
	"$@" </dev/null &
	CHILD=$!
	set +m
	wait "$CHILD" || status=$?
	CHILD=
	return "$status"
}

# Makes $PRIVATE, which goes when the script ends, however it ends.
make_private_directory()
{
	local base=${TMPDIR:-/tmp}

	if [ "$(id -u)" -eq 0 ] && ! id postgres >/dev/null 2>&1; then
		die 'there is no user "postgres" to run a server as; it comes with the package postgresql-common'
	fi
	# A socket's path has at most some 100 bytes, and the server's user must get there.
	if [ ${#base} -gt 60 ] || ! (cd / && as_server_user test -w "$base" -a -x "$base"); then
		base=/tmp
	fi
	trap clean_up EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
	PRIVATE=$(mktemp -d "$base/neardup.XXXXXX")
	chmod 755 "$PRIVATE"
	mkdir "$PRIVATE/tmp" "$PRIVATE/tree"
	[ "$(id -u)" -ne 0 ] || chown -R postgres: "$PRIVATE"
	export TMPDIR=$PRIVATE/tmp
}

# Stops every server whose data lies in $PRIVATE, those of TAP tests included.
stop_servers()
{
	local pidfile pid

	while IFS= read -r pidfile; do
		read -r pid <"$pidfile" || continue
		# Not a number: a postmaster that is starting, or a stand-alone backend.
		pid=${pid#-}
		[[ $pid =~ ^[0-9]+$ ]] || continue
		kill -QUIT "$pid" 2>/dev/null || continue
		for _ in $(seq 100); do
			kill -0 "$pid" 2>/dev/null || continue 2
			sleep 0.1
		done
		kill -KILL "$pid" 2>/dev/null || true
	done < <(find "$PRIVATE" -name postmaster.pid 2>/dev/null)
}

clean_up()
{
	local status=$?

	trap '' HUP INT TERM
	trap - EXIT
	set +e
	if [ -n "$CHILD" ]; then
		kill -TERM -- "-$CHILD" 2>/dev/null
		sleep 0.3
		kill -KILL -- "-$CHILD" 2>/dev/null
		wait "$CHILD" 2>/dev/null
	fi
	if [ -n "$PRIVATE" ] && [ -d "$PRIVATE" ]; then
		cd / || true
		stop_servers
		# A server that was being started may have made its files just now.
		rm -rf "$PRIVATE" 2>/dev/null || { sleep 0.5; stop_servers; rm -rf "$PRIVATE"; }
	fi
	exit "$status"
}

# Has the server of a directory start with AddressSanitizer's runtime, which what is built with it needs. A report
# ends the process, and is in $PRIVATE/tmp/sanitizer.PID. PostgreSQL wants NULL where there is not enough memory,
# and leaves much to the end of the process.
sanitize_server()
{
	local server=$1/postgres compiler=${CC:-gcc} runtime=libasan.so options=detect_leaks=0:allocator_may_return_null=1:handle_sigill=1:abort_on_error=1

	[[ $compiler != *clang* ]] || runtime=libclang_rt.asan-$(uname -m).so
	"$compiler" -shared -fPIC -Wl,-z,initfirst -o "$server.first.so" "$ROOT/test/sanitize/first.c"
	mv "$server" "$server.real"
	cat >"$server" <<-SH
		#!/bin/bash
		export LD_PRELOAD=$("$compiler" -print-file-name="$runtime"):$server.first.so
		export ASAN_OPTIONS=$options:log_path=$PRIVATE/tmp/sanitizer
		exec -a "\$0" "$server.real" "\$@"
	SH
	chmod 755 "$server"
}

# Builds a tree of this project for a pg_config, and installs it into a copy of that server below a
# directory. Servers find their files from where they lie, so the copy has the extension and the
# original has not; whoever runs the copy need not be able to read the original, or the tree.
# $BUILD_VARIABLES are variables for make, and so is $CC, where it names a compiler.
stage()
{
	local tree=$1 pg_config=$2 directory=$3 log=$PRIVATE/build.log step

	mkdir "$directory"
	(
		shopt -s nullglob
		cd /
		cp -a --parents "$("$pg_config" --bindir)"/{*db,p*sql,pg*,postgres} "$("$pg_config" --libdir)"/lib{pg,pq}* \
			"$("$pg_config" --sharedir)" "$("$pg_config" --pkglibdir)" "$("$pg_config" --includedir-server)" \
			"$("$pg_config" --includedir)"/{libpq-fe*,postgres_ext*,pg_config_ext*}.h "$directory"
	)
	chmod -R u+w "$directory"
	for step in "-j$(nproc) all" "install DESTDIR=$directory"; do
		# shellcheck disable=SC2086
		if ! interruptible make -C "$tree" --no-print-directory PG_CONFIG="$pg_config" ${CC:+CC="$CC"} ${BUILD_VARIABLES-} $step >"$log" 2>&1; then
			cat "$log" >&2
			die "make $step failed"
		fi
		grep -E 'warning:|^src/.*note:' "$log" >&2 || true
	done
	[ -z "${SANITIZE-}" ] || sanitize_server "$directory$("$pg_config" --bindir)"
	chmod -R a+rX "$directory"
}

# Has PG_CONFIG name a copy of the server with the extension in it; $SERVER_CONF is what throwaway servers set.
build_and_stage()
{
	stage "$ROOT" "$PG_CONFIG" "$PRIVATE/stage"
	PG_CONFIG=$PRIVATE/stage$("$PG_CONFIG" --bindir)/pg_config
	# Where the server's user cannot read the original's libpq.
	LD_LIBRARY_PATH=$("$PG_CONFIG" --libdir)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	SERVER_CONF=$PRIVATE/server.conf
	export PG_CONFIG LD_LIBRARY_PATH
	cat >"$SERVER_CONF" <<-CONF
		fsync = off
		synchronous_commit = off
		full_page_writes = off
	CONF
	chmod a+r "$SERVER_CONF"
}

postgres_major()
{
	"$PG_CONFIG" --version | sed 's/^PostgreSQL \([0-9]*\).*/\1/'
}

# Makes the data directory that every throwaway server begins with a copy of.
make_template()
{
	NEARDUP_TEMPLATE=$PRIVATE/template
	cd "$PRIVATE/tree" || die "$PRIVATE/tree has gone"
	if ! interruptible as_server_user "$("$PG_CONFIG" --bindir)/initdb" -D "$NEARDUP_TEMPLATE" --encoding=UTF8 --locale=C.UTF-8 \
		--auth=trust --no-sync >"$PRIVATE/initdb.log" 2>&1; then
		cat "$PRIVATE/initdb.log" >&2
		die "initdb failed"
	fi
	export NEARDUP_TEMPLATE SERVER_CONF
}

# Starts a server in $PRIVATE/NAME, with what SETTINGS add to its configuration. Only a socket there leads to it;
# PGHOST, PGPORT and PGUSER name it afterwards.
start_server()
{
	local name=$1 settings=${2-} directory=$PRIVATE/$1

	as_server_user mkdir "$directory"
	as_server_user cp -R "$NEARDUP_TEMPLATE" "$directory/data"
	as_server_user tee -a "$directory/data/postgresql.conf" >/dev/null <<-CONF
		include '$SERVER_CONF'
		listen_addresses = ''
		unix_socket_directories = '$directory'
		timezone = 'UTC'
		$settings
	CONF
	if ! as_server_user "$("$PG_CONFIG" --bindir)/pg_ctl" -D "$directory/data" -l "$directory/server.log" -w -s start </dev/null; then
		cat "$directory/server.log" >&2
		die "the server \"$name\" did not start"
	fi
	PGUSER=$(as_server_user id -un)
	export PGHOST=$directory PGPORT=5432 PGUSER
}

# Stops the server that start_server has started, if any.
stop_server()
{
	[ -z "${PGHOST-}" ] || as_server_user "$("$PG_CONFIG" --bindir)/pg_ctl" -D "$PGHOST/data" -m immediate -s stop || true
}

now()
{
	date +%s.%N
}

# Seconds since a time of now(), with one decimal.
since()
{
	awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.1f", b - a }'
}
