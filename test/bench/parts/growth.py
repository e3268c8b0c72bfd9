"""How the join that users get (auto) grows: time by phase and memory, on 600,000 sentences and millions of synthetic records."""

import lab
import report
import sets

THRESHOLD = 0.80
SENTENCES = "abs_sent"
SHARES = [20, 40, 60, 80, 100]
PHASES = ["read_seconds", "canonicalize_seconds", "index_seconds", "probe_seconds"]


def synthetic():
    return ["zd1m", "zd3m"] + (["zd10m"] if lab.FULL else [])


def runs_of(query):
    return lab.in_turn({"auto": lambda: lab.run_stats(query, THRESHOLD)}, lab.FEW_RUNS)["auto"]


def row(title, runs):
    if runs[0] is None:
        return [title, *[report.NONE] * 8, f"> {lab.timeout()}"]
    return [title, report.count(runs[0]["records"]), report.count(runs[0]["pairs"]),
            *(report.seconds(lab.middle(runs, key)) for key in [*PHASES, "total_seconds"]),
            report.megabytes(lab.middle(runs, "memory_bytes")), report.megabytes(lab.middle(runs, "peak"))]


def panel(title, points):
    series = {key.removesuffix("_seconds"): [(runs[0]["records"] / 1e6, lab.middle(runs, key)) for runs in points if runs[0]]
              for key in [*PHASES, "total_seconds"]}
    return {"title": title, "x": "million records", "y": "seconds", "series": series}


def measure():
    rows, drawn = [], []
    if sets.present(SENTENCES):
        table = sets.integers(SENTENCES, "word")
        points = []
        for percent in SHARES:
            lab.say(f"{SENTENCES}, {percent} %")
            query = f"SELECT id, tokens FROM {table} WHERE hashint8extended(id, 0) & 1023 < {1024 * percent // 100}"
            points.append(runs_of(query))
            rows.append(row(f"{SENTENCES} {percent} %", points[-1]))
        drawn.append(panel(f"{SENTENCES} words, {THRESHOLD}", points))
    points = []
    for name in synthetic():
        if not sets.present(name):
            continue
        table = sets.integers(name, "int")
        lab.say(name)
        points.append(runs_of(f"SELECT id, tokens FROM {table}"))
        rows.append(row(name, points[-1]))
        if name != "zd1m":
            sets.drop(table)
            sets.discard_file(name)
    drawn.append(panel(f"synthetic, {THRESHOLD}", points))
    title = "## Growth of auto: time by phase, and memory\n"
    if not rows:
        return title + "\nSkipped: the sets are absent."
    return "\n".join([
        title, f"Jaccard {THRESHOLD}, `auto`. {SENTENCES}: sentences of abstracts, as sets of words, random samples of the rows by a "
        "hash of the key. zd1m, zd3m, zd10m: synthetic records of 14 tokens on average (Zipf 0.9, a tenth of them edited "
        "copies)" + ("" if lab.FULL else "; the ten million only with `BENCH=full`") + ". Tables hold `int4[]`. MB: `memory_bytes` of "
        "`ppjoin_stats`, and the backend's greatest resident memory less shared buffers.", "",
        report.table(["set", "records", "pairs", "s read", "s canonicalize", "s index", "s probe", "s total", "MB join",
                      "MB backend"], rows), "", report.plot("growth", drawn)])
