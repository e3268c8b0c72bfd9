#!/bin/sh
# Installs the extension below a prefix of its own, and has a server of Debian find it there by
# extension_control_path and dynamic_library_path. Usage: prefix.sh VERSION
set -e
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
mkdir -p /etc/postgresql-common/createcluster.d
echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/test.conf
apt-get -q update
apt-get -q -y install --no-install-recommends postgresql-all build-essential libxxhash-dev libutf8proc-dev
cp -R "/mnt/neardup-$1" /root/neardup
cd /root/neardup
bindir=$(echo /usr/lib/postgresql/*/bin)
make -s -j2 PG_CONFIG="$bindir/pg_config"
# Debian's directories do not go by prefix.
make -s PG_CONFIG="$bindir/pg_config" datadir=/opt/neardup/share pkglibdir=/opt/neardup/lib docdir=/opt/neardup/doc install
find /opt/neardup -type f
[ -z "$(find /usr/lib/postgresql /usr/share/postgresql -name '*neardup*')" ]
cd /tmp
rm -rf server
install -d -o postgres server
as_postgres() { runuser -u postgres -- "$@"; }
as_postgres "$bindir/initdb" -D server/data --encoding=UTF8 --locale=C.UTF-8 >/dev/null
cat >>server/data/postgresql.conf <<CONF
listen_addresses = ''
unix_socket_directories = '/tmp/server'
extension_control_path = '/opt/neardup/share:\$system'
dynamic_library_path = '/opt/neardup/lib:\$libdir'
CONF
as_postgres "$bindir/pg_ctl" -D server/data -l server/log -w -s start
trap 'as_postgres "$bindir/pg_ctl" -D server/data -m immediate -s stop' EXIT
# Workers load the library by its path too.
as_postgres "$bindir/psql" -h /tmp/server -X -q -A -t -v ON_ERROR_STOP=1 postgres >server/out <<SQL
CREATE EXTENSION neardup;
CREATE TABLE docs AS SELECT i AS id, word_tokens('a row of number ' || i) AS tokens FROM generate_series(1, 3000) AS i;
SET debug_parallel_query = on;
SELECT workers > 0 AND pairs = 0 FROM ppjoin_stats('SELECT id, tokens FROM docs', 0.9);
SELECT jaccard(word_tokens('a b'), word_tokens('a b c')) > 0.6;
SELECT module_name, version FROM pg_get_loaded_modules() WHERE module_name = 'neardup';
SQL
cat server/out
printf '%s\n' t t "neardup|$1" | cmp - server/out
