"""Runs the steps of a Dockerfile in chroots, one a stage, and what the image runs, as docker would.

Knows the instructions that the Dockerfiles have, and fails at any other. An image that has a server already is stood
for by the chroot with Debian's server, and $PG_MAJOR by that server's version.
Usage: image.py CONTEXT DOCKERFILE CHROOT DIRECTORY
"""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import time

context, dockerfile, chroot, work = sys.argv[1:]
stages, stage, major = {}, None, ""


def instructions(path):
    text = re.sub(r"^\s*#.*\n", "", open(path, encoding="utf-8").read(), flags=re.MULTILINE)
    for line in re.sub(r"\\\n", " ", text).splitlines():
        if line.strip():
            yield line.split(maxsplit=1)


# A stage is the chroot and a layer over it. What the layer holds already is copied into it by tar, run inside.
class Stage:
    def __init__(self, name):
        self.layer = os.path.join(work, "stage-" + name)
        self.directory, self.user, self.is_empty = "/", None, False
        os.makedirs(self.layer)

    def command(self, *arguments):
        inside = ["sh", "-ec", 'mkdir -p "$0" && cd "$0" && exec "$@"', self.directory, *arguments]
        if self.user:
            inside = ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--init-groups", *inside]
        script = '. "$1"; WORK=$2 LAYER=$3; shift 3; trap - EXIT; in_chroot "$@"'
        return ["bash", "-ec", script, "bash", os.path.join(context, "test/chroot.sh"), work, self.layer, chroot,
                "env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8", "PG_MAJOR=" + major, *inside]

    def run(self, *arguments):
        print("+", *arguments, flush=True)
        subprocess.run(self.command(*arguments), check=True)


def server_stage(name):
    """A stage that has Debian's server, no cluster, and the folder of scripts of the official image."""
    global major
    made = Stage(name)
    made.run("sh", "-ec", """
        mkdir -p /etc/postgresql-common/createcluster.d /docker-entrypoint-initdb.d
        echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.d/image.conf
        apt-get -q update && apt-get -q -y install --no-install-recommends postgresql""")
    major = os.listdir(os.path.join(made.layer, "upper/usr/lib/postgresql"))[0]
    return made


def copy(stage, sources, target, origin):
    handed = os.path.join(work, "handed")
    shutil.rmtree(handed, ignore_errors=True)
    os.makedirs(handed)
    files = [name for source in sources for name in glob.glob(os.path.join(origin, source.lstrip("/")))]
    assert files, f"COPY finds no {sources}"
    for name in files:
        if os.path.isdir(name):
            shutil.copytree(name, handed, symlinks=True, dirs_exist_ok=True)
        else:
            shutil.copy2(name, handed)
    if stage.is_empty:
        shutil.copytree(handed, os.path.join(stage.layer, "upper", target.lstrip("/")), symlinks=True, dirs_exist_ok=True)
    # As docker does: into a directory that is or is named as one, and else to the name.
    elif target.endswith("/") or os.path.isdir(files[0]):
        stage.run("sh", "-ec", f"mkdir -p {target} && cp -a /mnt/handed/. {target}")
    else:
        stage.run("cp", "-a", "/mnt/handed/" + os.path.basename(files[0]), target)


command = None
for name, rest in instructions(os.path.join(context, dockerfile)):
    if name == "FROM":
        base, *words = rest.split()
        label = words[1] if words else "last"
        stage = stages[label] = Stage(label) if base.startswith(("debian:", "scratch")) else server_stage(label)
        stage.is_empty = base == "scratch"
    elif name == "RUN":
        stage.run("sh", "-c", rest)
    elif name == "COPY":
        words = rest.split()
        origin = context
        if words[0].startswith("--from="):
            origin = os.path.join(stages[words.pop(0)[7:]].layer, "upper")
        copy(stage, words[:-1], words[-1], origin)
    elif name == "WORKDIR":
        stage.directory = rest
    elif name == "USER":
        stage.user = rest
    elif name == "CMD":
        command = json.loads(rest)
    elif name not in ("ARG", "VOLUME", "EXPOSE", "STOPSIGNAL"):
        sys.exit(f"unknown instruction {name}")

if not command:
    # The image leaves the server to what it is made from, or mounts into that: a stage that has seen no build.
    settings = ""
    if stage.is_empty:
        image = os.path.join(stage.layer, "upper")
        files = sorted(os.path.relpath(os.path.join(folder, name), image) for folder, _, names in os.walk(image) for name in names)
        print("\n".join(files))
        assert {name.split("/")[0] for name in files} == {"lib", "licenses", "share", "system"}
        stage = server_stage("cluster")
        copy(stage, ["/"], "/extensions/neardup/", image)
        settings = ("extension_control_path = '/extensions/neardup/share:$system'\n"
                    "dynamic_library_path = '/extensions/neardup/lib:$libdir'\n")
    stage.directory, stage.user = "/var/lib/postgresql", "postgres"
    stage.run("sh", "-ec", """
        export LD_LIBRARY_PATH=/extensions/neardup/system PATH=$PATH:/usr/lib/postgresql/$PG_MAJOR/bin PGHOST=/tmp
        initdb -D data --encoding=UTF8 >/dev/null
        printf '%s' "$0" >>data/postgresql.conf
        pg_ctl -D data -l log -o "-c listen_addresses= -c unix_socket_directories=/tmp" -w -s start
        trap 'pg_ctl -D data -m immediate -s stop' EXIT
        for script in /docker-entrypoint-initdb.d/*.sql; do [ ! -e "$script" ] || psql -X -q -v ON_ERROR_STOP=1 -f "$script" postgres; done
        psql -X -A -t -q -v ON_ERROR_STOP=1 postgres >out <<'SQL'
CREATE EXTENSION IF NOT EXISTS neardup;
CREATE EXTENSION neardup_clean;
CREATE EXTENSION neardup_icu;
CREATE EXTENSION neardup_track;
CREATE EXTENSION neardup_trgm CASCADE;
SELECT count(*) FROM pg_extension WHERE extname ~ '^neardup';
SELECT count(*) FROM pg_available_extensions WHERE name = 'neardup_citus';
SELECT jaccard(word_tokens('a b c d'), word_tokens('a b c'));
SELECT to_latin('Ёлка');
SQL
        cat out
        printf '%s\n' 5 1 0.75 Elka | cmp - out""", settings)
    sys.exit()

assert stage.user == "postgres", "the image does not run as postgres"
# The server starts, a client in the same container asks it, and the signal of docker stop ends it.
asked = """
    if {0}; then echo 'started without a password' >&2; exit 1; fi
    export POSTGRES_PASSWORD=secret PGPASSWORD=secret PGHOST=127.0.0.1
    {0} & server=$!
    for i in $(seq 100); do pg_isready -q && break; sleep 0.3; done
    psql -X -A -t -v ON_ERROR_STOP=1 -c "SELECT jaccard(word_tokens('a b c d'), word_tokens('a b c'))" postgres
    PGPASSWORD=wrong psql -X -c 'SELECT 1' postgres && exit 1
    kill -INT $server
    wait $server || true
    {0} & server=$!
    for i in $(seq 100); do pg_isready -q && break; sleep 0.3; done
    psql -X -A -t -c "SELECT count(*) FROM pg_extension WHERE extname = 'neardup'" postgres
    kill -INT $server
    wait $server
""".format(" ".join(command))
started = time.monotonic()
# In a network of its own: the image listens on all addresses.
result = subprocess.run(["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", *stage.command("sh", "-c", asked)],
                        stdout=subprocess.PIPE, text=True)
print(result.stdout, f"the image's server took {time.monotonic() - started:.0f} s")
sys.exit(0 if result.returncode == 0 and "\n0.75\n" in "\n" + result.stdout and "\n1\n" in result.stdout else 1)
