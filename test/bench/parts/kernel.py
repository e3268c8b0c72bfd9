"""The join phase alone: index + probe of auto beside the prototype, a program that joins and does nothing else."""

import re
from math import exp, log

import lab
import report
import sets

# name, tokens as tools/prep.cc makes them, thresholds
POINTS = [
    ("debdesc", "word", [0.9, 0.8, 0.7, 0.6, 0.5]),
    ("papers_ta", "word", [0.9, 0.8, 0.7, 0.6, 0.5]),
    ("papers_ta", "qgram3", [0.9, 0.8]),
    ("papers_abs", "word", [0.9, 0.8]),
    ("abs_sent", "word", [0.9, 0.8, 0.7, 0.6, 0.5]),
    ("retail", "int", [0.9, 0.8, 0.7, 0.6, 0.5]),
    ("zk600k", "int", [0.9, 0.8, 0.7, 0.6]),
    ("zd1m", "int", [0.9, 0.8, 0.7, 0.6]),
]

# ../shared/PEERS.md, milliseconds: the best of allpairs, ppjoin, groupjoin and mpjoin of the code behind "An Empirical
# Evaluation of Set Similarity Join Techniques" (VLDB 2016), and the prototype beside it. For 230-275 the middle.
RESEARCH = {
    ("papers_ta", "word", 0.8): (59, 20), ("papers_ta", "word", 0.5): (612, 76),
    ("papers_ta", "qgram3", 0.9): (373, 81), ("papers_ta", "qgram3", 0.8): (3176, 508),
    ("papers_abs", "word", 0.8): (1071, 309),
    ("abs_sent", "word", 0.8): (4372, 260), ("abs_sent", "word", 0.7): (19343, 964), ("abs_sent", "word", 0.6): (75355, 3450),
    ("retail", "int", 0.6): (117, 22), ("zk600k", "int", 0.6): (3187, 314), ("zd1m", "int", 0.8): (741, 252.5),
    ("debdesc", "word", 0.8): (96, 50),
}


def known_pairs():
    """{(set, threshold): pairs} of the table of exact answers in ../shared/data/README.md."""
    truth, thresholds = {}, []
    try:
        with open(f"{lab.SHARED}/data/README.md", encoding="utf-8") as page:
            lines = page.readlines()
    except FileNotFoundError:
        return truth
    for line in lines:
        cells = [cell.strip() for cell in line.strip("|\n ").split("|")]
        if cells[0].startswith("data set"):
            thresholds = [float(cell) for cell in cells[1:]]
        elif thresholds and len(cells) == len(thresholds) + 1 and cells[1][0].isdigit():
            name = re.sub(r" \(words\)$", "", cells[0])
            truth |= {(name, t): int(cell.split()[0].replace(",", "")) for t, cell in zip(thresholds, cells[1:])}
    return truth


def label(name, mode):
    return f"{name} " + {"word": "words", "int": "integers"}.get(mode, mode.replace("qgram", "") + "-grams")


def geometric_mean(numbers):
    return exp(sum(map(log, numbers)) / len(numbers)) if numbers else None


def measure_point(name, mode, threshold):
    table, ints = sets.integers(name, mode), sets.integer_file(name, mode)
    contestants = {
        "auto": lambda: lab.run_stats(f"SELECT id, tokens FROM {table}", threshold),
        1: lambda: lab.run_prototype(ints, threshold, 1),
        3: lambda: lab.run_prototype(ints, threshold, 3),
    }
    return lab.in_turn(contestants, lab.RUNS)


def pairs_as_known(pairs, name, mode, threshold, truth):
    """The count, with a mark where it is not the known one."""
    expected = truth.get((name, threshold)) if mode in ("word", "int") and not sets.ROWS else None
    return report.count(pairs) + ("" if expected in (None, pairs) else f" (not {expected:,})")


def measure():
    title = "## The join phase beside a program that only joins\n"
    if not lab.has_prototype():
        return title + "\nSkipped: `../shared/bench/floor.c` is absent."
    truth, rows, ratios, derived, drawn = known_pairs(), [], {}, {}, {}
    for name, mode, thresholds in POINTS:
        if not sets.present(name):
            continue
        for threshold in thresholds:
            lab.say(f"{name} {mode} {threshold}")
            results = measure_point(name, mode, threshold)
            ours, pairs = (lab.middle(results["auto"], key) for key in ("join_seconds", "pairs"))
            floor, floor_pairs = lab.best_prototype(results)
            research = RESEARCH.get((name, mode, threshold))
            point = name, mode, threshold
            if ours and floor:
                ratios[point] = ours / floor
                drawn.setdefault(label(name, mode), []).append((threshold, ours / floor))
                if research:
                    derived[point] = research[0] / research[1] / ratios[point]
            rows.append([label(name, mode), threshold, pairs_as_known(pairs, name, mode, threshold, truth),
                         report.count(floor_pairs), report.milliseconds(ours), report.milliseconds(floor),
                         f"{ratios[point]:.2f}" if point in ratios else report.NONE,
                         f"{derived[point]:.2f}" if point in derived else report.NONE])
    if not rows:
        return title + "\nSkipped: the sets are absent."
    mean, over = geometric_mean(list(ratios.values())), geometric_mean(list(derived.values()))
    short = (f"In short: the join phase takes {report.figure(mean)} × the time of a bare prototype (geometric mean of {len(ratios)} "
             f"points); derived from that, it has {report.figure(over)} × the speed of the best research code (of {len(derived)} points)."
             if mean and over else "")
    missed = len(rows) - len(ratios)
    if missed:
        short += f" Of {len(rows)} points, {missed} did not end in {lab.timeout()} s, and count in no mean."
    return "\n".join([
        title, short, "",
        "`index_seconds + probe_seconds` of `auto` (wall clock; the pairs are counted) beside the join time that the prototype "
        "`../shared/bench/floor.c` prints (CPU; the pairs are kept in memory). Both start from the same sets, as integers in "
        "the order of their frequency (`tools/prep.cc`), with exact duplicates; the engine reads them as `int4[]`. Of the "
        "prototype's two builds, signatures of 64 and of 192 bits, the faster one. It rounds its bounds in floating point, so its "
        "count of pairs could be lower; the engine's is compared with the exact answers in `../shared/data/README.md`, and "
        "said if it differs.", "",
        "*× research* is **derived**, not measured here: milliseconds of the best research code ÷ those of the prototype beside it "
        "(`../shared/PEERS.md`; exact duplicates removed, except in debdesc) ÷ the ratio here. Above 1, the engine is faster.", "",
        report.table(["set", "t", "pairs", "pairs of the prototype", "ms", "ms of the prototype", "ratio", "× research (derived)"],
                     rows), "",
        report.plot("kernel", [{"title": "auto ÷ prototype", "x": "Jaccard similarity", "y": "ratio", "series": drawn}])])
