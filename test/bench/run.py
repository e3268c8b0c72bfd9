"""make bench: runs the chosen parts against the server that bench.sh started, and writes the page.

    run.py OUT [full] [PART …]
"""

import importlib
import os
import platform
import subprocess
import sys
import time

import lab
import report
import sets

# The order of the page. Each part is a module of parts/ with a function measure() that returns Markdown,
# and may print a line "In short: …" that the page repeats at its top.
PARTS = ["paper", "scale", "shingles", "tokens", "kernel", "large", "call", "peers", "growth", "memory", "workers", "edit", "edit_index", "passages", "topk", "linking", "weights",
         "estimates", "plans", "planned", "lookup", "index", "weighted_lookup", "scope", "trgm", "minhash", "simhash", "clusters", "families", "track", "logs"]

HEAD = """# Measurements

What `make bench` measured: the experiments of *Efficient Similarity Joins for Near Duplicate Detection* (Xiao, Wang,
Lin, Yu, WWW 2008; "the paper") on real sets, the distance of a join from a program that does nothing but join, other ways
to do the same in PostgreSQL, the growth of a join and what a parallel worker gains, the joins by edit distance, of
the most similar pairs and by sketches, and what becomes of the pairs: clusters. `make bench` writes this page anew; `make bench BENCH="kernel call"` writes some of its parts, and
`make bench BENCH="full growth"` joins ten million records too.

Times are medians of three to five runs, in seconds unless said otherwise. What is compared ran in turn, A, B, A, B,
…, on the same server, so its ratio counts more than the times, which depend on the machine. Every run has a backend of
its own. All tables were in memory when they were read.
"""


def first_line(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]


def processor():
    for line in open("/proc/cpuinfo", encoding="utf-8"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def memory_gigabytes():
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30)


def system():
    with open("/etc/os-release", encoding="utf-8") as release:
        return next((line.split("=", 1)[1].strip().strip('"') for line in release if line.startswith("PRETTY_NAME")), "")


def with_limits(text):
    """Says below its title that a part had other limits, so that it may stand among those that had not."""
    if not lab.FULL:
        return text
    title, _, rest = text.partition("\n")
    return (f"{title}\n\nMeasured by `make bench BENCH=full`: a statement is given up after {lab.timeout()} s, and what took more than "
            f"{lab.patience()} s ran once.\n{rest}")


def environment():
    versions = [lab.psql("SHOW server_version;")[0][0].split()[0]]
    extensions = dict(lab.psql("SELECT extname, extversion FROM pg_extension;"))
    offered = dict(lab.psql("SELECT name, default_version FROM pg_available_extensions "
                            "WHERE name IN ('pg_trgm', 'pg_similarity', 'intarray', 'fuzzystrmatch', 'rum');"))
    settings = ", ".join(line.replace(" = ", " ") for line in os.environ["BENCH_SETTINGS"].splitlines())
    lines = [
        "## Machine", "",
        f"- {processor()}, {os.cpu_count()} cores, {memory_gigabytes()} GB; {system()}, Linux {platform.release().split('-')[0]}",
        f"- PostgreSQL {versions[0]}, neardup {extensions['neardup']}, {first_line('gcc', '--version')}",
        "- Peers: " + ", ".join(f"{name} {version}" for name, version in sorted(offered.items())),
        f"- Settings: {settings}; fsync off; one core a run, but for the part workers",
        f"- A statement is given up after {lab.TIMEOUT} s; what took more than {lab.PATIENCE} s ran once; other limits where a part says so",
    ]
    if sets.ROWS:
        lines.append(f"- A trial: sets cut to their first {sets.ROWS:,} rows")
    return "\n".join(lines) + "\n"


def chosen_parts(words):
    unknown = sorted(set(words) - set(PARTS))
    if unknown:
        sys.exit(f"bench: there is no part {' '.join(unknown)}; there are full, {', '.join(PARTS)}")
    return [name for name in PARTS if name in words] or PARTS


def main():
    report.OUT, *words = sys.argv[1:]
    lab.FULL = "full" in words
    parts = chosen_parts([word for word in words if word != "full"])
    lab.psql("CREATE EXTENSION neardup;")
    busy = os.getloadavg()[0]
    if busy > 0.7:
        lab.say(f"the machine is busy with something else (load {busy:.1f}): times will be too long")
    failed = []
    for name in parts:
        lab.say(f"part {name}")
        started = time.monotonic()
        try:
            text = importlib.import_module(f"parts.{name}").measure()
        except lab.Failed as failure:
            lab.say(f"part {name} FAILED: {failure}")
            failed.append(name)
            continue
        report.write(HEAD, environment(), PARTS, {name: with_limits(text)})
        lab.say(f"part {name} took {time.monotonic() - started:.0f} s")
    if sets.missing():
        lab.say(f"absent, and skipped: {', '.join(sets.missing())}")
    if failed:
        sys.exit(f"bench: FAILED: {', '.join(failed)}")


if __name__ == "__main__":
    main()
