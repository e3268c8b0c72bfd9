"""The join phase alone: index + probe of auto beside the prototype, a program that joins and does nothing else."""

import re

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


def measure_point(name, mode, threshold):
    """What became of one point, with its ratio to the prototype and the factor over research, where there are any."""
    table, ints = sets.integers(name, mode), sets.integer_file(name, mode)
    contestants = {
        "auto": lambda: lab.run_stats(f"SELECT id, tokens FROM {table}", threshold),
        **lab.prototypes(ints, threshold),
    }
    results = lab.in_turn(contestants, lab.RUNS)
    ours, pairs = (lab.middle(results["auto"], key) for key in ("join_seconds", "pairs"))
    floor, floor_pairs = lab.best_prototype(results)
    research = RESEARCH.get((name, mode, threshold))
    ratio = ours / floor if ours and floor else None
    return {"name": name, "mode": mode, "threshold": threshold, "pairs": pairs, "ours": ours, "floor": floor,
            "floor_pairs": floor_pairs, "research": research, "ratio": ratio,
            "forms": {form: lab.middle(results[form], "join_seconds") for form in lab.PROTOTYPES},
            "derived": research[0] / research[1] / ratio if research and ratio else None}


def pairs_as_known(point, truth):
    """The count, with a mark where it is not the known one."""
    known = point["mode"] in ("word", "int") and not sets.ROWS
    expected = truth.get((point["name"], point["threshold"])) if known else None
    return report.count(point["pairs"]) + ("" if expected in (None, point["pairs"]) else f" (not {expected:,})")


def row(point, truth):
    research = point["research"]
    return [label(point["name"], point["mode"]), point["threshold"], pairs_as_known(point, truth), report.count(point["floor_pairs"]),
            report.milliseconds(point["ours"]), report.milliseconds(point["floor"]), report.share(point["ratio"]),
            f"{research[0]:,} ÷ {research[1]:,}" if research else report.NONE, report.share(point["derived"])]


def means(points):
    """Geometric means of (ratios, derived factors) of those points that have them, with their numbers."""
    found = []
    for key in ("ratio", "derived"):
        numbers = [point[key] for point in points if point[key]]
        found += [lab.geometric_mean(numbers), len(numbers)]
    return found


def means_by_set(points):
    rows = []
    labels = dict.fromkeys(label(point["name"], point["mode"]) for point in points)
    for title in [*labels, "all"]:
        mean, count, over, over_count = means([p for p in points if title in (label(p["name"], p["mode"]), "all")])
        rows.append([title, count, report.share(mean), over_count, report.share(over)])
    return report.table(["set", "points", "ratio", "points with research", "× research (derived)"], rows)


def slower_points(points):
    """Points where the engine is the slower one: beside the fastest form at each point, and beside the one that is fastest in its whole set."""
    beside_set = []
    for name, mode in dict.fromkeys((point["name"], point["mode"]) for point in points):
        of_set = [p for p in points if (p["name"], p["mode"]) == (name, mode) and p["ours"]]
        means_of_forms = {form: lab.geometric_mean([p["forms"][form] for p in of_set])
                          for form in lab.PROTOTYPES if of_set and all(p["forms"][form] for p in of_set)}
        if means_of_forms:
            best = min(means_of_forms, key=means_of_forms.get)
            beside_set += [f"{label(name, mode)} {p['threshold']} ({report.share(p['ours'] / p['forms'][best])})"
                           for p in of_set if p["ours"] > p["forms"][best]]
    beside_point = [f"{label(p['name'], p['mode'])} {p['threshold']} ({report.share(p['ratio'])})" for p in points if p["ratio"] and p["ratio"] > 1]
    return (f"Slower than the fastest form at each point: {', '.join(beside_point) or 'nowhere'}. "
            f"Slower than the form that is fastest in the whole set: {', '.join(beside_set) or 'nowhere'}.")


def in_short(points):
    mean, count, over, over_count = means(points)
    if not mean:
        return ""
    short = f"In short: the join phase takes {report.figure(mean)} × the time of a bare prototype (geometric mean of {count} points)"
    if over:
        short += f"; derived from that, it has {report.figure(over)} × the speed of the best research code (of {over_count} points)"
    missed = len(points) - count
    return short + "." + (f" Of {len(points)} points, {missed} did not end in {lab.timeout()} s, and count in no mean." if missed else "")


def measure():
    title = "## The join phase beside a program that only joins\n"
    if not lab.has_prototype():
        return title + "\nSkipped: `../shared/bench/floor.c` is absent."
    points, drawn = [], {}
    for name, mode, thresholds in POINTS:
        if not sets.present(name):
            continue
        for threshold in thresholds:
            lab.say(f"{name} {mode} {threshold}")
            points.append(measure_point(name, mode, threshold))
            drawn.setdefault(label(name, mode), []).append((threshold, points[-1]["ratio"]))
    if not points:
        return title + "\nSkipped: the sets are absent."
    truth = known_pairs()
    return "\n".join([
        title, in_short(points), "",
        "`index_seconds + probe_seconds` of `auto` (the pairs are counted) beside the join time that the prototype "
        "`../shared/bench/floor.c` prints (the pairs are kept in memory), both by wall clock. Both start from the same sets, as integers in "
        "the order of their frequency (`tools/prep.cc`), with exact duplicates; the engine reads them as `int4[]`. Of the "
        "prototype's forms, signatures of 64 and of 192 bits, and of 64 with 256 more for what passes, the fastest one at each point. "
        "It rounds its bounds in floating point, so its "
        "count of pairs could be lower; the engine's is compared with the exact answers in `../shared/data/README.md`, and "
        "said if it differs.", "",
        "*× research* is **derived**, not measured here: milliseconds of the best research code ÷ those of the prototype beside it "
        "(the column before; `../shared/PEERS.md`; exact duplicates removed, except in debdesc) ÷ the ratio here. Above 1, the engine "
        "is faster.", "",
        report.table(["set", "t", "pairs", "pairs of the prototype", "ms", "ms of the prototype", "ratio",
                      "research ÷ prototype, ms", "× research (derived)"], [row(point, truth) for point in points]), "",
        slower_points(points), "",
        "Geometric means:", "", means_by_set(points), "",
        report.plot("kernel", [{"title": "auto ÷ prototype", "x": "Jaccard similarity", "y": "ratio", "series": drawn}])])
