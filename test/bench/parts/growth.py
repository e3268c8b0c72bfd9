"""How the join that users get (auto) grows: time by phase and memory, on 600,000 sentences and millions of synthetic records."""

from typing import NamedTuple

import lab
import report
import sets

THRESHOLD = 0.80
SENTENCES = "abs_sent"
SHARES = [20, 40, 60, 80, 100]
PHASES = ["read_seconds", "canonicalize_seconds", "index_seconds", "probe_seconds"]
# All in memory, and a small part of it.
AMPLE, SHORT = "12GB", "512MB"


class Point(NamedTuple):
    """One size of a set: what it is called, the join_memory, the runs, and the pairs that the prototype found."""
    title: str
    memory: str
    runs: list
    expected: int


def synthetic():
    """Name and join_memory of each run."""
    points = [("zd1m", AMPLE), ("zd3m", AMPLE)]
    return points + ([("zd10m", AMPLE), ("zd10m", SHORT)] if lab.FULL else [])


def runs_of(query, memory):
    return lab.in_turn({"auto": lambda: lab.run_stats(query, THRESHOLD, settings=f"SET neardup.join_memory = '{memory}';")}, lab.FEW_RUNS)["auto"]


def pairs_of_prototype(ints):
    """None without the prototype, or after its timeout."""
    found = lab.run_prototype(ints, THRESHOLD, 1) if lab.has_prototype() else None
    return found and found["pairs"]


def measure_sentences():
    table = sets.integers(SENTENCES, "word")
    expected = pairs_of_prototype(sets.integer_file(SENTENCES, "word"))
    points = []
    for percent in SHARES:
        lab.say(f"{SENTENCES}, {percent} %")
        query = f"SELECT id, tokens FROM {table} WHERE hashint8extended(id, 0) & 1023 < {1024 * percent // 100}"
        points.append(Point(f"{SENTENCES} {percent} %", AMPLE, runs_of(query, AMPLE), expected if percent == 100 else None))
    return points


def measure_synthetic():
    points = []
    runs = [(name, memory) for name, memory in synthetic() if sets.present(name)]
    for number, (name, memory) in enumerate(runs):
        table = sets.integers(name, "int")
        lab.say(f"{name}, join_memory = {memory}")
        expected = points[-1].expected if points and points[-1].title == name else pairs_of_prototype(sets.integer_file(name, "int"))
        points.append(Point(name, memory, runs_of(f"SELECT id, tokens FROM {table}", memory), expected))
        # Other parts use the smallest.
        if name != "zd1m" and name not in [later for later, _ in runs[number + 1:]]:
            sets.drop(table)
            sets.discard_file(name)
    return points


def pairs(point):
    """The count, with a mark where the prototype found another."""
    found = point.runs[0]["pairs"]
    return report.count(found) + ("" if point.expected in (None, found) else f" (prototype: {point.expected:,})")


def row(point):
    runs = point.runs
    if runs[0] is None:
        return [point.title, *[report.NONE] * 2, point.memory, *[report.NONE] * 4, f"> {lab.timeout()}", *[report.NONE] * 3]
    return [point.title, report.count(runs[0]["records"]), pairs(point), point.memory,
            *(report.seconds(lab.middle(runs, key)) for key in [*PHASES, "total_seconds"]),
            *(report.megabytes(lab.middle(runs, key)) for key in ("memory_bytes", "peak", "temp_bytes"))]


def panel(title, points):
    ended = [point for point in points if point.memory == AMPLE and point.runs[0]]
    series = {key.removesuffix("_seconds"): [(p.runs[0]["records"] / 1e6, lab.middle(p.runs, key)) for p in ended]
              for key in [*PHASES, "total_seconds"]}
    return {"title": title, "x": "million records", "y": "seconds", "series": series}


def growth(points):
    """From the smallest to the largest in ample memory: records, time, and memory, as a sentence's part."""
    ended = [point for point in points if point.memory == AMPLE and point.runs[0]]
    if len(ended) < 2:
        return None
    first, last = ended[0].runs, ended[-1].runs
    factors = [report.ratio(lab.middle(last, key), lab.middle(first, key)) for key in ("records", "total_seconds", "memory_bytes")]
    return (f"from {ended[0].title} to {ended[-1].title}, {factors[0]} the records take {factors[1]} the time and {factors[2]} the memory "
            f"({report.seconds(lab.middle(last, 'total_seconds'))} s, {report.megabytes(lab.middle(last, 'memory_bytes'))} MB)")


def short_of_memory(points):
    """What join_memory = SHORT costs, as a sentence's part."""
    for point in points:
        if point.memory == SHORT and point.runs[0]:
            runs = point.runs
            return (f"within {SHORT}, {point.title} takes {report.seconds(lab.middle(runs, 'total_seconds'))} s, "
                    f"{report.megabytes(lab.middle(runs, 'memory_bytes'))} MB and {report.megabytes(lab.middle(runs, 'temp_bytes'))} MB "
                    "of temporary files")
    return None


def measure():
    title = "## Growth of auto: time by phase, and memory\n"
    sentences = measure_sentences() if sets.present(SENTENCES) else []
    synthetics = measure_synthetic()
    if not sentences and not synthetics:
        return title + "\nSkipped: the sets are absent."
    said = [part for part in (growth(sentences), growth(synthetics), short_of_memory(synthetics)) if part]
    return "\n".join([
        title, *([f"In short: {'; '.join(said)}.", ""] if said else []),
        f"Jaccard {THRESHOLD}, `auto`. {SENTENCES}: sentences of abstracts, as sets of words, random samples of the rows by a "
        "hash of the key. zd1m, zd3m, zd10m: synthetic records of 14 tokens on average (Zipf 0.9, a tenth of them edited "
        "copies)" + ("" if lab.FULL else "; the ten million only with `BENCH=full`") + ". Tables hold `int4[]`. The pairs are as many "
        "as the prototype of the kernel's part finds, unless said otherwise. A join takes at most `neardup.join_memory`. "
        "MB: `memory_bytes` of `ppjoin_stats`, the backend's greatest resident memory less "
        "shared buffers, and `temp_bytes`, what was written to temporary files.", "",
        report.table(["set", "records", "pairs", "join_memory", "s read", "s canonicalize", "s index", "s probe", "s total", "MB join",
                      "MB backend", "MB files"], [row(point) for point in sentences + synthetics]), "",
        report.plot("growth", [panel(f"{SENTENCES} words, {THRESHOLD}", sentences), panel(f"synthetic, {THRESHOLD}", synthetics)])])
