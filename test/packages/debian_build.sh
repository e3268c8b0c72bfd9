#!/bin/sh
# Builds Debian's packages in a chroot, as an ordinary user, and puts them into /mnt/packages.
# Usage: debian_build.sh VERSION
set -e
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
mkdir -p /etc/postgresql-common/createcluster.d
echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/test.conf
apt-get -q update
apt-get -q -y install --no-install-recommends build-essential fakeroot lintian postgresql-server-dev-all
useradd --create-home builder
cp -R "/mnt/neardup-$1" /home/builder/neardup
chown -R builder: /home/builder
cd /home/builder/neardup
# As a release for this suite would be: its PostgreSQL versions are not those of the file in the source.
runuser -u builder -- sh -c 'pg_buildext supported-versions && pg_buildext updatecontrol'
apt-get -q -y build-dep --no-install-recommends .
# The tests are run on the installed packages.
runuser -u builder -- env DEB_BUILD_OPTIONS=nocheck dpkg-buildpackage -b -us -uc
runuser -u builder -- lintian --fail-on error --info ../neardup_*.changes
for package in ../*.deb; do dpkg-deb --info "$package"; dpkg-deb --contents "$package"; done
mkdir -p /mnt/packages
cp ../*.deb debian/control /mnt/packages
