#!/bin/bash
# Builds the RPM of neardup.spec for the server of pg_config, and lists it. Usage: rpm.sh DIRECTORY VERSION
set -e
work=$1 version=$2 server=$(pg_config --version | sed 's/PostgreSQL \([0-9]*\).*/postgresql\1/')

mkdir -p "$work/rpm/SOURCES"
cp "$work/neardup-$version.zip" "$work/rpm/SOURCES"
# Debian knows of no RPM that is installed.
rpmbuild -bb --nodeps --define "_topdir $work/rpm" --define "pg_config $(command -v pg_config)" --define "pg_server $server" \
	"$work/neardup-$version/neardup.spec"
rpm -qp --list --info "$work"/rpm/RPMS/*/*.rpm | tee "$work/rpm/list"
for file in "$(pg_config --pkglibdir)/neardup.so" "$(pg_config --sharedir)/extension/neardup.control" \
	"$(pg_config --sharedir)/extension/neardup--$version.sql" "$(pg_config --docdir)/neardup/reference.md"; do
	grep -qx "$file" "$work/rpm/list" || { echo "the RPM lacks $file" >&2; exit 1; }
done
if command -v rpmlint >/dev/null; then
	rpmlint "$work/neardup-$version/neardup.spec"
else
	echo 'skipped: rpmlint is not installed'
fi
