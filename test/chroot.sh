# Chroots of Debian's releases, which only root can make and enter: what check-versions.sh and
# check-packages.sh share.
#
# Sourced by bash scripts that set -euo pipefail and make $WORK, which the chroots see as /mnt.
# shellcheck shell=bash disable=SC2034

CACHE=${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/neardup}
CHROOTS=${CHROOTS:-$CACHE/chroots}
MIRROR=${MIRROR:-http://deb.debian.org/debian}
WORK=
CHILD=
REASON=

# Ends what runs, and removes $WORK; a chroot's mounts go with its last process.
leave_nothing()
{
	local status=$?

	trap '' HUP INT TERM
	trap - EXIT
	if [ -n "$CHILD" ]; then
		kill -TERM -- "-$CHILD" 2>/dev/null || true
		wait "$CHILD" 2>/dev/null || true
	fi
	[ -z "$WORK" ] || rm -rf --one-file-system "$WORK"
	exit "$status"
}

trap leave_nothing EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# Runs a command, its output in a file, so that a signal to this script ends it and all that it started.
logged()
{
	local log=$1 status=0
	shift

	set -m
	"$@" </dev/null >"$log" 2>&1 &
	CHILD=$!
	set +m
	wait "$CHILD" || status=$?
	CHILD=
	return "$status"
}

# Makes a release's chroot of a path, unless it is there, for this machine's architecture or another one that the
# machine can run. That of "experimental" is sid, which takes from there the next PostgreSQL alone. Where that fails, $REASON
# says why.
make_chroot()
{
	local release=$1 chroot=$2 architecture=${3-} log=$2.log

	[ "$(id -u)" -eq 0 ] || { REASON="only root can make and enter a chroot of Debian $release"; return 1; }
	[ ! -d "$chroot" ] || return 0
	command -v debootstrap >/dev/null || { REASON="debootstrap is not installed"; return 1; }
	echo "making a chroot of Debian $release in $chroot"
	mkdir -p "${chroot%/*}"
	rm -rf --one-file-system "$chroot.part"
	# In namespaces of its own, so that its mounts go with it.
	logged "$log" unshare --mount --pid --fork --kill-child --mount-proc \
		debootstrap ${architecture:+--arch="$architecture"} --variant=minbase "${release/experimental/sid}" "$chroot.part" "$MIRROR" ||
		{ REASON="debootstrap failed, see $log"; return 1; }
	if [ "$release" = experimental ]; then
		echo "deb $MIRROR experimental main" >"$chroot.part/etc/apt/sources.list.d/experimental.list"
		printf '%s\n' 'Package: src:postgresql-19' 'Pin: release a=experimental' 'Pin-Priority: 990' >"$chroot.part/etc/apt/preferences.d/neardup"
	fi
	echo 'Acquire::Check-Valid-Until "false";' >"$chroot.part/etc/apt/apt.conf.d/99neardup"
	echo force-unsafe-io >"$chroot.part/etc/dpkg/dpkg.cfg.d/99neardup"
	mv "$chroot.part" "$chroot"
}

# Runs a command in a chroot, in namespaces that end with it: so do its servers and mounts. With
# $LAYER, a directory, the chroot stays as it is, and what the command writes lies there.
in_chroot()
{
	local chroot=$1
	shift

	mkdir -p "$WORK/tmp"
	chmod 1777 "$WORK/tmp"
	[ -z "${LAYER-}" ] || mkdir -p "$LAYER/upper" "$LAYER/work" "$LAYER/root"
	# shellcheck disable=SC2016 # expanded by the inner shell, which also reaps what servers leave
	LAYER=${LAYER-} unshare --mount --pid --ipc --fork --kill-child bash -c '
		if [ -n "$LAYER" ]; then
			mount -t overlay -o "lowerdir=$1,upperdir=$LAYER/upper,workdir=$LAYER/work" overlay "$LAYER/root" &&
				cd "$LAYER/root" || exit
		else
			cd "$1" || exit
		fi
		mount -t proc proc proc && mount --rbind /dev dev && mount -t tmpfs tmpfs dev/shm &&
			mount --rbind "$2" mnt && mount --bind "$2/tmp" tmp || exit
		shift 2
		chroot . "$@"
		exit "$?"' bash "$chroot" "$WORK" env -u LAYER TMPDIR=/tmp HOME=/root PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}
