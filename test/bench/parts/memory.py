"""A join within a half, a third and a sixth of the memory that it needs, beside the same join in memory."""

import re
import subprocess
from typing import NamedTuple

import lab
import report
import sets

# Name of the kind, the set, what makes tokens of a text, and which part of the rows is joined.
KINDS = [
    ("descriptions, words", "debdesc", "word_set(body)", 3),
    ("descriptions, 3-grams", "debdesc", "qgram_set(body, 3)", 6),
    ("descriptions, 3-shingles of code", "debdesc", "shingle_tokens(code_words(body), 3)", 2),
    ("titles, words", "papers_ta", "word_set(body)", 3),
    ("titles, 3-grams", "papers_ta", "qgram_set(body, 3)", 10),
    ("abstracts, words", "papers_abs", "word_set(body)", 15),
    ("abstracts, 5-shingles", "papers_abs", "shingle_set(body, 5)", 5),
    ("sentences, words", "abs_sent", "word_set(body)", 20),
    ("dependencies", "debdeps", "word_set(body)", 2),
    ("baskets", "retail", "word_set(body)", 4),
]
THRESHOLDS = [tenth / 10 for tenth in range(1, 10)]
PARTS_OF_MEMORY = {"half": 2, "third": 3, "sixth": 6}
# A threshold with more pairs, or more seconds in memory, tells nothing about memory.
MOST_PAIRS = 2_000_000
MOST_SECONDS = 3


def needed_megabytes(query, threshold, memory):
    """Megabytes that the NOTICE of a join within these bytes names; None if it uses no files."""
    done = subprocess.run(
        [f"{lab.BINDIR}/psql", "-XAtq", "-d", "bench", "-c", f"SET neardup.join_memory = '{memory // 1024}kB'",
         "-c", f"SET statement_timeout = '{lab.timeout()}s'", "-c", f"SELECT pairs FROM ppjoin_stats('{query}', {threshold})"],
        capture_output=True, text=True, check=False)
    named = re.search(r"join_memory = '(\d+)MB'", done.stderr)
    return int(named.group(1)) if named else None


def digest(query, threshold, memory):
    return lab.psql(f"SET client_min_messages = error; SET neardup.join_memory = '{memory}kB';"
                    f"SELECT count(*), sum(hash_record_extended(p, 0)) FROM ppjoin('{query}', {threshold}) AS p;")


class Figures(NamedTuple):
    cpu: float
    pairs: int
    bytes: int


def run(query, threshold, memory):
    """A join within this many kB; None after the timeout."""
    done = lab.run_sql(f"SELECT pairs, memory_bytes FROM ppjoin_stats('{query}', {threshold})",
                       f"{lab.LOAD} SET client_min_messages = error; SET max_parallel_workers_per_gather = 0; SET neardup.join_memory = '{memory}kB';")
    return done and Figures(done.cpu, *map(int, done.rows[0]))


def measure_point(query, threshold):
    """Ratios by name of the part of the memory, None after the timeout; None if the point tells nothing."""
    whole = 8 * 1024 * 1024
    known = run(query, threshold, whole)
    if known is None or known.cpu > MOST_SECONDS or known.pairs > MOST_PAIRS:
        return None
    needed = needed_megabytes(query, threshold, known.bytes // 4)
    if needed is None:
        return None
    memories = {name: max(64, needed * 1024 // part) for name, part in PARTS_OF_MEMORY.items()}
    results = lab.in_turn({name: lambda memory=memory: run(query, threshold, memory) for name, memory in {"whole": whole, **memories}.items()},
                          lab.FEW_RUNS)
    if digest(query, threshold, whole) != digest(query, threshold, memories["sixth"]):
        raise lab.Failed(f"other pairs from files: {query}, {threshold}")
    in_memory = lab.middle(results["whole"], "cpu")
    return {name: None if None in results[name] else lab.middle(results[name], "cpu") / in_memory for name in memories}


def cell(ratios):
    if ratios is None:
        return report.NONE
    return " / ".join(f"> {lab.timeout()} s" if ratio is None else report.figure(ratio, 2) for ratio in ratios.values())


def measure():
    title = "## Within a part of the memory\n"
    lines, points = [], []
    for number, (kind, name, tokens, part) in enumerate(KINDS):
        if not sets.present(name):
            continue
        table = f"memory_{number}"
        lab.psql(f"CREATE UNLOGGED TABLE {table} AS SELECT id, {tokens} AS tokens FROM {sets.texts(name)} WHERE id % {part} = 0; VACUUM ANALYZE {table};")
        ratios = []
        for threshold in THRESHOLDS:
            lab.say(f"{kind}, {threshold}")
            ratios.append(measure_point(f"SELECT id, tokens FROM {table}", threshold))
        lines.append([kind, *map(cell, ratios)])
        points += filter(None, ratios)
        sets.drop(table)
    if not points:
        return title + "\nSkipped: the sets of `../shared/data` are absent, or small."
    shares = ", ".join(f"{report.figure(lab.geometric_mean(known), 2)} × within a {name} of it (at most {report.figure(max(known), 2)} ×)"
                       for name in PARTS_OF_MEMORY for known in [[point[name] for point in points if point[name]]])
    return "\n".join([
        title, f"In short: a join takes, compared with its time in all the memory that it needs, {shares}; geometric means of {len(points)} points.", "",
        "Processor time of `ppjoin_stats` from files ÷ the same in memory, with a half / a third / a sixth of what a NOTICE says would keep "
        "the rows; medians in turn. The pairs with a sixth are those in memory, compared by a hash. "
        f"{report.NONE}: more than {MOST_SECONDS} s in memory, or more than {MOST_PAIRS:,} pairs.", "",
        report.table(["sets", *map(str, THRESHOLDS)], lines), ""])
