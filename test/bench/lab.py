"""What the parts measure with: the server, the programs of ../shared, runs in turn, and medians.

Each run is a psql and a backend of its own, so that peak memory belongs to that run alone, and no run finds the memory
of another one warm. What a run reads is in the server's or the kernel's cache.
"""

import json
import os
import resource
import subprocess
import sys
import time
from math import exp, log
from statistics import median
from typing import NamedTuple

SCRATCH = os.environ["BENCH_SCRATCH"]
SHARED = os.environ["BENCH_SHARED"]
BINDIR = os.environ["BENCH_BINDIR"]
HERE = os.path.dirname(os.path.abspath(__file__))

FULL = False  # set by run.py
RUNS = 5
FEW_RUNS = 3
# Seconds: what takes longer than the first is given up, than the second is not repeated.
TIMEOUT, PATIENCE = 60, 6
FULL_TIMEOUT, FULL_PATIENCE = 600, 120


def timeout():
    """Seconds after which a statement or program is given up."""
    return FULL_TIMEOUT if FULL else TIMEOUT


def patience():
    """A run that took more seconds than this is not repeated."""
    return FULL_PATIENCE if FULL else PATIENCE


def say(message):
    print(f"bench: {message}", file=sys.stderr, flush=True)


class Failed(Exception):
    """A statement or program that ended with an error."""


def psql(script):
    """Rows that a script prints, each a list of texts."""
    done = subprocess.run(
        [f"{BINDIR}/psql", "-XAtq", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-d", "bench"],
        input=script, capture_output=True, text=True)
    if done.returncode:
        raise Failed(done.stderr.strip())
    return [line.split("\t") for line in done.stdout.splitlines()]


def offers(extension):
    return psql(f"SELECT count(*) FROM pg_available_extensions WHERE name = '{extension}';") == [["1"]]


class Run(NamedTuple):
    """One timed run: seconds of wall clock and of CPU, peak memory without shared buffers, what was printed."""
    wall: float
    cpu: float
    peak: int
    rows: list


# sum_exec_runtime of the backend, in nanoseconds.
CLOCK = """SELECT extract(epoch FROM clock_timestamp()) AS wall,
    split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::float8 / 1e9 AS cpu"""
PEAK = """1024 * (substring(status FROM 'VmHWM:\\s*(\\d+)')::int8 - substring(status FROM 'RssShmem:\\s*(\\d+)')::int8)
FROM pg_read_file('/proc/self/status') AS status"""


LOAD = "LOAD 'neardup';"


def run_sql(sql, setup=LOAD):
    """Times a script; None when one of its statements exceeds the timeout. The setup before it is in no time."""
    script = f"""{setup}
SET statement_timeout = '{timeout()}s';
{CLOCK} \\gset before_
{sql.rstrip().rstrip(';')};
SET statement_timeout = 0;
{CLOCK} \\gset after_
SELECT :after_wall - :before_wall, :after_cpu - :before_cpu, {PEAK};
"""
    try:
        *rows, last = psql(script)
    except Failed as failure:
        if "statement timeout" in str(failure):
            return None
        raise
    return Run(float(last[0]), float(last[1]), int(last[2]), rows)


def run_stats(query, threshold, measure="jaccard", algorithm="auto", settings=""):
    """One run of ppjoin_stats as a dictionary, with join_seconds = index + probe; None after the timeout.

    settings: SQL that comes before, such as SET.
    """
    run = run_sql(f"SELECT row_to_json(s) FROM ppjoin_stats($q${query}$q$, {threshold}, '{measure}', '{algorithm}') AS s",
                  f"{LOAD} {settings}")
    if run is None:
        return None
    stats = json.loads(run.rows[0][0])
    stats["join_seconds"] = stats["index_seconds"] + stats["probe_seconds"]
    stats["wall"] = run.wall
    stats["peak"] = run.peak
    return stats


class Program(NamedTuple):
    cpu: float
    output: str


def run_program(arguments, cwd=None, limit=None):
    """Runs a program, with its CPU seconds; None after the timeout."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(arguments, cwd=cwd, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        raise Failed(f"{' '.join(arguments)}: {done.stderr.strip()}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Program(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout)


def tool(source):
    """A program of ../shared, compiled once into the scratch folder."""
    binary = f"{SCRATCH}/{os.path.basename(source).split('.')[0]}"
    if not os.path.exists(binary):
        compiler = "g++" if source.endswith(".cc") else "gcc"
        run_program([compiler, "-O3", "-o", binary, f"{SHARED}/{source}", "-lm"])
    return binary


def prototype(words):
    """The prototype for signatures of 64 × words bits, made to measure as the engine does, and to print as much of it.

    That is wall clock instead of CPU, which other work on the machine lengthens for both, and microseconds instead of
    milliseconds rounded.
    """
    binary = f"{SCRATCH}/floor{words}"
    if not os.path.exists(binary):
        with open(f"{SHARED}/bench/floor.c", encoding="utf-8") as source, open(f"{binary}.c", "w", encoding="utf-8") as ours:
            ours.write(source.read().replace("%.0fms", "%.3fms").replace("CLOCK_PROCESS_CPUTIME_ID", "CLOCK_MONOTONIC"))
        run_program(["gcc", "-O3", "-march=native", "-w", f"-DWS={words}", "-o", binary, f"{binary}.c", "-lm"])
    return binary


def has_prototype():
    return os.path.exists(f"{SHARED}/bench/floor.c")


def run_prototype(ints, threshold, words, *options):
    """One run of the prototype with signatures of 64 × words bits: seconds of its join by wall clock, and its pairs."""
    program = run_program([prototype(words), ints, str(threshold), *options], limit=timeout())
    if program is None:
        return None
    fields = dict(field.split("=") for field in program.output.split())
    return {"join_seconds": float(fields["join"].removesuffix("ms")) / 1000, "pairs": int(fields["pairs"])}


# Words of a signature, and the option that compares 256 bits once more.
PROTOTYPES = {"prototype 64": (1,), "prototype 192": (3,), "prototype 64 + 256": (1, "-2", "1")}


def prototypes(ints, threshold):
    """All forms of the prototype, for in_turn."""
    return {name: lambda form=form: run_prototype(ints, threshold, *form) for name, form in PROTOTYPES.items()}


def in_turn(contestants, runs):
    """Runs each contestant in turn, several times over: {name: [results]}.

    Whoever exceeded the timeout, or the patience, does not run again.
    """
    results = {name: [] for name in contestants}
    waited = {}
    for _ in range(runs):
        for name, contestant in contestants.items():
            if name in waited and (results[name][-1] is None or waited[name] > patience()):
                continue
            started = time.monotonic()
            results[name].append(contestant())
            waited[name] = time.monotonic() - started
    return results


def middle(results, key):
    """Median of one figure over runs; None if they hit the timeout."""
    if not results or results[0] is None:
        return None
    return median(result[key] if isinstance(result, dict) else getattr(result, key) for result in results)


def geometric_mean(numbers):
    """None of no numbers."""
    return exp(sum(map(log, numbers)) / len(numbers)) if numbers else None


def best_prototype(results):
    """(seconds, pairs) of the fastest of its forms; (None, None) if none ended."""
    ended = [(middle(results[name], "join_seconds"), results[name][0]["pairs"])
             for name in PROTOTYPES if results[name][0] is not None]
    return min(ended, default=(None, None))
