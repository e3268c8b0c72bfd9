"""The sets: unpacked or derived from ../shared/data, and loaded into the server when first asked for.

texts(name)          table (id int, body text)
token_sets(name, f)  table (id int, tokens tokenset): f applied to the bodies
integers(name, mode) table (id int, tokens int4[]) and file of the same numbers, as tools/prep.cc makes them
"""

import bz2
import os
import re
import subprocess
from random import Random

import lab

# N, universe, average size, Zipf exponent, planted share, seed, sigma of the sizes (../shared/data/README.md)
SYNTHETIC = {
    "zk600k": (600_000, 41_000, 12, 1.0, 0.1, 1, 0.8),
    "zd1m": (1_000_000, 500_000, 14, 0.9, 0.1, 2, 0.4),
    "zd3m": (3_000_000, 1_000_000, 14, 0.9, 0.1, 4, 0.4),
    "zd10m": (10_000_000, 2_000_000, 14, 0.9, 0.1, 3, 0.4),
}
DERIVED = {"abs_sent": "papers_abs"}  # sentences of its abstracts
ROWS = int(os.environ.get("BENCH_ROWS") or 0)

_made = set()
_missing = set()


def present(name):
    """Whether a set can be had; says once if it cannot."""
    if name in SYNTHETIC:
        needed = "data/tools/gen_zipf.c"
    else:
        needed = f"data/{DERIVED.get(name, name)}.tsv.xz"
    if os.path.exists(f"{lab.SHARED}/{needed}"):
        return True
    if name not in _missing:
        _missing.add(name)
        lab.say(f"{name} is skipped: ../shared/{needed} is absent")
    return False


def missing():
    return sorted(_missing)


def file(name):
    """The set as id<TAB>text."""
    path = f"{lab.SCRATCH}/{name}.tsv"
    if os.path.exists(path):
        return path
    lab.say(f"making {name}")
    if name in SYNTHETIC:
        n, universe, average, exponent, planted, seed, sigma = SYNTHETIC[name]
        generator = lab.tool("data/tools/gen_zipf.c")
        truth = f"{lab.SCRATCH}/truth"
        lab.run_program([generator, str(min(n, ROWS or n)), str(universe), str(average), str(exponent), str(planted),
                         str(seed), path, truth, str(sigma)])
        os.remove(truth)
    elif name in DERIVED:
        file(DERIVED[name])
        lab.run_program(["python3", os.path.abspath(f"{lab.SHARED}/data/tools/mk_sent.py")], cwd=lab.SCRATCH)
        if ROWS:
            lab.run_program(["sed", "-i", f"{ROWS}q", path])
    else:
        cut = f" | head -n {ROWS}" if ROWS else ""
        subprocess.run(f"xz -dc '{lab.SHARED}/data/{name}.tsv.xz'{cut} > '{path}'", shell=True, check=True)
    return path


def _make(table, columns, fill):
    if table not in _made:
        lab.say(f"loading {table}")
        lab.psql(f"CREATE UNLOGGED TABLE {table} ({columns});")
        fill()
        lab.psql(f"VACUUM (FREEZE, ANALYZE) {table};")
        _made.add(table)
    return table


def _copy(command, target):
    subprocess.run(f"set -o pipefail; {command} | '{lab.BINDIR}/psql' -Xq -v ON_ERROR_STOP=1 -d bench -c 'COPY {target} FROM STDIN'",
                   shell=True, check=True, executable="/bin/bash")


def texts(name):
    source = file(name)
    return _make(f"{name}_texts", "id int GENERATED ALWAYS AS IDENTITY, key text, body text",
                 lambda: _copy(f"cat '{source}'", f"{name}_texts (key, body)"))


def names(count):
    """Different names: those of the authors of papers_ta, then first names of one with last names of another."""
    def fill():
        made, first, last = {}, [], []
        with open(file("papers_ta"), encoding="utf-8") as records:
            for record in records:
                for author in record.rstrip("\n").split("\t")[1].split(";")[1:-1]:
                    words = author.split()
                    if 2 <= len(words) <= 4:
                        made[" ".join(words)] = True
                        first.append(" ".join(words[:-1]))
                        last.append(words[-1])
        random = Random(1)
        while len(made) < count:
            made[f"{random.choice(first)} {random.choice(last)}"] = True
        path = f"{lab.SCRATCH}/names"
        with open(path, "w", encoding="utf-8") as rows:
            rows.writelines(f"{name}\n" for name in made)
        _copy(f"head -n {ROWS or count} '{path}'", "names (body)")
    return _make("names", "id int GENERATED ALWAYS AS IDENTITY, body text", fill)


def translations(language):
    """Debian's package descriptions in another language, from its mirror; None where they are not to be had."""
    packed = f"{lab.SCRATCH}/Translation-{language}.bz2"
    url = f"http://deb.debian.org/debian/dists/bookworm/main/i18n/Translation-{language}.bz2"
    if not os.path.exists(packed) and subprocess.run(["/usr/lib/apt/apt-helper", "download-file", url, packed], capture_output=True,
                                                     check=False).returncode:
        lab.say(f"translations to {language} are skipped: {url} is not to be had")
        return None
    path = f"{lab.SCRATCH}/translation_{language}.tsv"
    with bz2.open(packed, "rt", encoding="utf-8") as packages, open(path, "w", encoding="utf-8") as rows:
        for package in packages.read().split("\n\n"):
            body = " ".join(re.sub(r"^Description-\S+:", "", line) for line in package.split("\n")[2:])
            rows.write(" ".join(body.replace("\\", " ").split()) + "\n")
    return _make(f"translation_{language}", "body text", lambda: _copy(f"cat '{path}'", f"translation_{language} (body)"))


def token_sets(name, function, *arguments):
    """function: word_set, qgram_set …"""
    source = texts(name)
    call = ", ".join(["body", *map(str, arguments)])
    table = "_".join([name, function, *map(str, arguments)])
    return _make(table, "id int, tokens tokenset",
                 lambda: lab.psql(f"INSERT INTO {table} SELECT id, {function}({call}) FROM {source};"))


def documents(name, texts_each):
    """Large sets: the words of so many texts in a row, together."""
    source = token_sets(name, "word_set")
    return _make(f"{name}_by_{texts_each}", "id int, tokens tokenset", lambda: lab.psql(
        f"INSERT INTO {name}_by_{texts_each} SELECT id / {texts_each}, tokenset_union_agg(tokens) FROM {source} GROUP BY 1;"))


def prepare(name, mode):
    """Runs prep.cc (mode word, qgram3, int …), and returns what lab.run_program says of it."""
    return lab.run_program([lab.tool("data/tools/prep.cc"), mode, file(name), f"{lab.SCRATCH}/{name}_{mode}"])


def integer_file(name, mode):
    path = f"{lab.SCRATCH}/{name}_{mode}.int"
    if not os.path.exists(path):
        prepare(name, mode)
    return path


def integers(name, mode):
    source = integer_file(name, mode)
    table = f"{name}_{mode}"
    return _make(table, "id int GENERATED ALWAYS AS IDENTITY, tokens int4[]",
                 lambda: _copy(f"sed 's/ /,/g; s/^/{{/; s/$/}}/' '{source}'", f"{table} (tokens)"))


def drop(*tables):
    for table in tables:
        lab.psql(f"DROP TABLE IF EXISTS {table};")
        _made.discard(table)


def discard_file(name):
    """Removes the files of a set, whose tables stay."""
    for entry in os.listdir(lab.SCRATCH):
        if entry.startswith((f"{name}.", f"{name}_")):
            os.remove(f"{lab.SCRATCH}/{entry}")
