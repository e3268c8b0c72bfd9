#!/usr/bin/env bash
#
# Builds what users install, of the commit that is checked out, installs each in a chroot that has
# nothing but a minimal Debian, and tests it there.
#
#	make check-packages
#	make check-packages PARTS="archive debian"  some of the parts below
#	make check-packages RELEASES=bookworm       some Debian releases for the parts debian and image
#	make check-packages CACHE=DIR               keeps chroots there, not in ~/.cache/neardup
#	make check-packages MIRROR=URL              where debootstrap takes Debian from
#
#	archive  make dist; what META.json says; that what was unpacked builds
#	bundled  a library with xxHash and utf8proc inside, and the values that it computes
#	rpm      neardup.spec builds, on Debian and so without its dependencies
#	debian   debian/ builds; the packages are installed elsewhere, and autopkgtest runs there
#	prefix   an installation below a prefix of its own, by extension_control_path (PostgreSQL 18)
#	image    the steps of the Dockerfile, and what its image runs
#	official, cloudnativepg    the same of Dockerfile.official and Dockerfile.cloudnativepg
#
# Logs are kept in results/packages/. Chroots stay as they were made: layers over them take what is written.
set -euo pipefail

ROOT=$(cd "$(dirname "$0")/.." && pwd)
RESULTS=$ROOT/results/packages
# shellcheck source=test/chroot.sh
. "$ROOT/test/chroot.sh"
VERSION=$(sed -n '/"version":/{s/.*: "\(.*\)".*/\1/p;q;}' "$ROOT/META.json")
PRISTINE=$CHROOTS/pristine
status=0

say()
{
	printf '%-23s%s\n' "$1" "$2"
}

# Runs a command as a step of this name; what it wrote stands in the log.
step()
{
	local name=$1 log=$RESULTS/$1.log started=$SECONDS
	shift

	if logged "$log" "$@"; then
		say "$name" "passed in $((SECONDS - started)) s"
		sed -n 's/^skipped: /                    without: /p' "$log"
	else
		say "$name" "FAILED, see ${log#"$ROOT"/}"
		status=1
		return 1
	fi
}

# Runs a script of test/packages in a layer of its own over a release's chroot.
step_in()
{
	local name=$1 release=$2 script=$3
	shift 3

	make_chroot "$release" "$PRISTINE/$release" || { say "$name" "skipped: $REASON"; return 0; }
	LAYER=$WORK/layer step "$name" in_chroot "$PRISTINE/$release" sh "/mnt/neardup-$VERSION/test/packages/$script" "$@" || true
	rm -rf --one-file-system "$WORK/layer"
}

# Makes the archive, and unpacks it into $WORK; all other parts take it.
make_archive()
{
	step archive bash -ec '
		git clone -q --no-hardlinks "$1" "$2/clone"
		make -s -C "$2/clone" dist
		mv "$2/clone/neardup-$3.zip" "$2"
		rm -rf "$2/clone"
		cd "$2"
		python3 -m zipfile -e "neardup-$3.zip" .
		# This way of unpacking forgets who may execute what.
		cd "neardup-$3"
		chmod -R a+rX .
		chmod +x debian/rules debian/tests/installcheck debian/image-server
		[ ! -e .git ]
		python3 test/check_meta.py META.json' bash "$ROOT" "$WORK" "$VERSION"
}

check_archive()
{
	step archive-build bash -ec '
		cp -R "$1/neardup-$2" "$1/built"
		make -s -C "$1/built"
		cmp "$1/neardup-$2/sql/neardup--$2.sql" "$1/built/sql/neardup--$2.sql"
		ls "$1/built/neardup.so" "$1/built/neardup.control"' bash "$WORK" "$VERSION" || true
	rm -rf "$WORK/built"
}

check_bundled()
{
	cp -R "$WORK/neardup-$VERSION" "$WORK/bundled"
	step bundled bash "$WORK/bundled/test/packages/bundled.sh" "$WORK/bundled" || true
	rm -rf "$WORK/bundled"
}

check_rpm()
{
	command -v rpmbuild >/dev/null || { say rpm "skipped: rpmbuild is not installed"; return 0; }
	step rpm bash "$WORK/neardup-$VERSION/test/packages/rpm.sh" "$WORK" "$VERSION" || true
	rm -rf "$WORK/rpm"
}

# One release: the packages are built in one layer, and tested in another.
check_debian()
{
	step_in "debian-$1-build" "$1" debian_build.sh "$VERSION"
	compgen -G "$WORK/packages/*.deb" >/dev/null || return 0
	step_in "debian-$1-test" "$1" debian_test.sh "$VERSION"
	rm -rf "$WORK/packages"
}

# The stages of a Dockerfile, each in a layer, which COPY --from= copies between.
check_image()
{
	local name=$1 file=$2 release=$3 chroot=$PRISTINE/$3

	make_chroot "$release" "$chroot" || { say "$name" "skipped: $REASON"; return 0; }
	step "$name" python3 "$WORK/neardup-$VERSION/test/packages/image.py" "$WORK/neardup-$VERSION" "$file" "$chroot" "$WORK" || true
	rm -rf --one-file-system "$WORK"/stage-*
}

rm -rf "$RESULTS"
mkdir -p "$RESULTS"
WORK=$(mktemp -d)
chmod 755 "$WORK"
make_archive || exit
for part in ${PARTS:-archive bundled rpm debian prefix image official cloudnativepg}; do
	case $part in
		archive) check_archive ;;
		bundled) check_bundled ;;
		rpm) check_rpm ;;
		debian) for release in ${RELEASES:-bookworm trixie sid}; do check_debian "$release"; done ;;
		prefix) step_in prefix sid prefix.sh "$VERSION" ;;
		image) check_image image Dockerfile "$(sed -n 's/^FROM debian:\([a-z]*\)-slim$/\1/p' "$ROOT/Dockerfile")" ;;
		official) check_image official Dockerfile.official trixie ;;
		# Servers find extensions in other folders from PostgreSQL 18 on, which Debian 13 does not have.
		cloudnativepg) check_image cloudnativepg Dockerfile.cloudnativepg sid ;;
		*) echo "check-packages: there is no part \"$part\"" >&2; exit 2 ;;
	esac
done
if [ "$(id -u)" -eq 0 ]; then chown -R "$(stat -c %u:%g "$ROOT")" "$ROOT/results"; fi
exit "$status"
