"""Runs the steps of the Dockerfile in chroots, one a stage, and what the image runs, as docker would.

Knows the instructions that the Dockerfile has, and fails at any other. Usage: image.py CONTEXT CHROOT DIRECTORY
"""

import glob
import json
import os
import re
import shutil
import subprocess
import sys
import time

context, chroot, work = sys.argv[1:]
stages, stage = {}, None


def instructions(path):
    text = re.sub(r"^\s*#.*\n", "", open(path, encoding="utf-8").read(), flags=re.MULTILINE)
    for line in re.sub(r"\\\n", " ", text).splitlines():
        if line.strip():
            yield line.split(maxsplit=1)


# A stage is the chroot and a layer over it. What the layer holds already is copied into it by tar, run inside.
class Stage:
    def __init__(self, name):
        self.layer = os.path.join(work, "stage-" + name)
        self.directory, self.user = "/", None
        os.makedirs(self.layer)

    def command(self, *arguments):
        inside = ["sh", "-ec", 'mkdir -p "$0" && cd "$0" && exec "$@"', self.directory, *arguments]
        if self.user:
            inside = ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--init-groups", *inside]
        script = '. "$1"; WORK=$2 LAYER=$3; shift 3; trap - EXIT; in_chroot "$@"'
        return ["bash", "-ec", script, "bash", os.path.join(context, "test/chroot.sh"), work, self.layer, chroot,
                "env", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8", *inside]

    def run(self, *arguments):
        print("+", *arguments, flush=True)
        subprocess.run(self.command(*arguments), check=True)


def copy(sources, target, origin):
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
    # As docker does: into a directory that is or is named as one, and else to the name.
    if target.endswith("/") or os.path.isdir(files[0]):
        stage.run("sh", "-ec", f"mkdir -p {target} && cp -a /mnt/handed/. {target}")
    else:
        stage.run("cp", "-a", "/mnt/handed/" + os.path.basename(files[0]), target)


command = None
for name, rest in instructions(os.path.join(context, "Dockerfile")):
    if name == "FROM":
        words = rest.split()
        stage = stages[words[2] if len(words) > 1 else "last"] = Stage(words[2] if len(words) > 1 else "last")
    elif name == "RUN":
        stage.run("sh", "-c", rest)
    elif name == "COPY":
        words = rest.split()
        origin = context
        if words[0].startswith("--from="):
            origin = os.path.join(stages[words.pop(0)[7:]].layer, "upper")
        copy(words[:-1], words[-1], origin)
    elif name == "WORKDIR":
        stage.directory = rest
    elif name == "USER":
        stage.user = rest
    elif name == "CMD":
        command = json.loads(rest)
    elif name not in ("VOLUME", "EXPOSE", "STOPSIGNAL"):
        sys.exit(f"unknown instruction {name}")

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
