#!/bin/sh
# Installs the packages of /mnt/packages in a chroot where nothing was built, runs autopkgtest for
# them, and removes them. Usage: debian_test.sh VERSION
set -e
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
apt-get -q update
apt-get -q -y install --no-install-recommends autopkgtest dpkg-dev
useradd --create-home tester
cp -R "/mnt/neardup-$1" /home/tester/neardup
# With the PostgreSQL versions that were built.
cp /mnt/packages/control /home/tester/neardup/debian/
chown -R tester: /home/tester
apt-get -q -y install --no-install-recommends /mnt/packages/postgresql-*-neardup_*.deb
rm -rf /tmp/autopkgtest
autopkgtest --user=tester --no-built-binaries --output-dir=/tmp/autopkgtest /mnt/packages/*.deb /home/tester/neardup -- null
cat /tmp/autopkgtest/summary
apt-get -q -y purge 'postgresql-*-neardup'
[ -z "$(find /usr/lib/postgresql /usr/share/postgresql -name '*neardup*')" ]
