"""Sketches: how fast they are made, and the join by them beside the exact join."""

import os
import subprocess

import lab
import report
import sets

# name, function and its argument, thresholds, recall
POINTS = [
    ("papers_ta", ("qgram_set", 3), [0.8, 0.7, 0.6, 0.5, 0.4]),
    ("debdesc", ("qgram_set", 3), [0.8, 0.5]),
    ("papers_ta", ("word_set",), [0.8, 0.5]),
    ("papers_abs", ("word_set",), [0.8, 0.5]),
]
RECALL = 0.95


def scans():
    """Million tokens per second of each scan of this processor, the scalar loop first."""
    root = os.path.dirname(os.path.dirname(lab.HERE))
    binary = f"{lab.SCRATCH}/minhash_scan"
    headers = subprocess.run([os.environ["PG_CONFIG"], "--includedir-server"], capture_output=True, text=True, check=True).stdout.strip()
    subprocess.run(["gcc", "-O2", "-DFRONTEND", f"-I{headers}", f"-I{root}/src", "-o", binary, f"{lab.HERE}/minhash_scan.c",
                    f"{root}/src/sketch/family.c", "-lxxhash"], check=True)
    runs = [subprocess.run([binary], capture_output=True, text=True, check=True).stdout.splitlines() for _ in range(lab.RUNS)]
    return [sorted(float(run[i].split()[0]) for run in runs)[lab.RUNS // 2] for i in range(len(runs[0]))]


def sketching():
    table = sets.token_sets("papers_ta", "qgram_set", 3)
    tokens = int(lab.psql(f"SELECT sum(cardinality(tokens)) FROM {table}")[0][0])
    results = lab.in_turn({
        "sketch": lambda: lab.run_sql(f"SELECT max(minhash_k(minhash(tokens, 128))) FROM {table}"),
        "scan": lambda: lab.run_sql(f"SELECT max(cardinality(tokens)) FROM {table}"),
    }, lab.FEW_RUNS)
    seconds = lab.middle(results["sketch"], "wall") - lab.middle(results["scan"], "wall")
    return tokens / seconds / 1e6


def lsh_stats(query, threshold):
    run = lab.run_sql(f"SELECT bands || ' ' || rows || ' ' || candidates || ' ' || pairs || ' ' || total_seconds "
                      f"FROM lsh_join_stats('{query}', {threshold}, {RECALL})")
    if run is None:
        return None
    bands, rows, candidates, pairs, seconds = run.rows[-1][0].split()
    return {"bands": int(bands), "rows": int(rows), "candidates": int(candidates), "pairs": int(pairs), "total_seconds": float(seconds)}


def measure_point(name, function, threshold):
    table = sets.token_sets(name, *function)
    query = f"SELECT id, tokens FROM {table}"
    results = lab.in_turn({
        "lsh_join": lambda: lsh_stats(query, threshold),
        "ppjoin": lambda: lab.run_stats(query, threshold),
    }, lab.FEW_RUNS)
    lsh, exact = (lab.middle(results[contestant], "total_seconds") for contestant in ("lsh_join", "ppjoin"))
    found, pairs = results["lsh_join"][0], results["ppjoin"][0]
    share = found["pairs"] / pairs["pairs"] if found and pairs else None
    label = f"{name} " + ("words" if function[0] == "word_set" else f"{function[1]}-grams")
    return [label, threshold, f"{found['bands']} × {found['rows']}" if found else report.NONE,
            report.count(found["candidates"]) if found else report.NONE, report.count(pairs["pairs"] if pairs else None),
            report.share(share), report.seconds(lsh), report.seconds(exact), report.ratio(exact, lsh)], exact / lsh if exact and lsh else None


def measure():
    title = "## Sketches\n"
    if not sets.present("papers_ta"):
        return title + "\nSkipped: the set is absent."
    lab.say("sketching")
    speeds, in_sql = scans(), sketching()
    rows, best = [], None
    for name, function, thresholds in POINTS:
        if not sets.present(name):
            continue
        for threshold in thresholds:
            lab.say(f"{name} {function[0]} {threshold}")
            row, ratio = measure_point(name, function, threshold)
            rows.append(row)
            if (name, function[0], threshold) == ("papers_ta", "qgram_set", 0.5):
                best = ratio
    short = f"In short: `minhash(tokens, 128)` takes {report.figure(in_sql)} million tokens per second, {report.figure(in_sql / speeds[0])} × a scalar loop"
    short += f"; `lsh_join` takes 1 ÷ {report.figure(best)} of the time of `ppjoin` on papers_ta 3-grams at 0.5." if best else "."
    return "\n".join([
        title, short, "",
        "Million tokens per second and core through 128 hash functions, hashing of the tokens included: "
        f"{report.figure(speeds[0])} by the scalar loop of the formula; "
        f"{', '.join(report.figure(speed) for speed in speeds[1:]) or 'none'} by the other scans of this processor (AVX2, AVX-512); "
        f"{report.figure(in_sql)} by `minhash(tokens, 128)` in SQL, less the time of reading the table (papers_ta 3-grams).", "",
        f"`lsh_join` at a recall of {RECALL} beside `ppjoin` (`total_seconds`, reading included; pairs are counted). Found is the share of "
        "the pairs of `ppjoin`; the recall is of a pair at the threshold, and those above are found more often.", "",
        report.table(["set", "t", "bands × rows", "candidates", "pairs", "found", "s lsh_join", "s ppjoin", "ratio"], rows), ""])
