"""What a parallel worker gains: the probe and the whole call with none and with one, in turn."""

import lab
import report
import sets

# name, tokens as tools/prep.cc makes them, threshold; at the last two, a worker costs more than it saves
POINTS = [
    ("debdesc", "word", 0.5), ("papers_ta", "word", 0.4), ("papers_abs", "word", 0.6), ("abs_sent", "word", 0.6),
    ("kosarak36k", "int", 0.5), ("retail", "int", 0.5), ("zd1m", "int", 0.5), ("papers_ta", "word", 0.8), ("zd1m", "int", 0.8),
]
KINDS = {"word": "words", "int": "integers"}
WORKERS = [0, 1]


def measure_point(name, mode, threshold):
    """{(what, workers): runs}, what being stats or call."""
    query = f"SELECT id, tokens FROM {sets.integers(name, mode)}"
    settings = {workers: f"SET max_parallel_workers_per_gather = {workers};" for workers in WORKERS}
    call = f"SELECT count(*) FROM ppjoin('{query}', {threshold})"
    contestants = {
        **{("stats", n): lambda n=n: lab.run_stats(query, threshold, settings=settings[n]) for n in WORKERS},
        **{("call", n): lambda n=n: lab.run_sql(call, f"{lab.LOAD} {settings[n]}") for n in WORKERS},
    }
    return lab.in_turn(contestants, lab.RUNS)


def took_part(results):
    """Workers of the probe in all runs that were allowed one: least and most."""
    counts = [stats["workers"] for stats in results["stats", 1] if stats]
    return (min(counts), max(counts)) if counts else (0, 0)


def figures(results):
    """Medians of (probe 0, probe 1, call 0, call 1)."""
    return [lab.middle(results["stats", workers], "probe_seconds") for workers in WORKERS] + \
        [lab.middle(results["call", workers], "wall") for workers in WORKERS]


def pairs(results):
    """The count, with a mark where it depends on the workers."""
    counts = sorted({stats["pairs"] for workers in WORKERS for stats in results["stats", workers] if stats})
    return " or ".join(map(report.count, counts)) or report.NONE


def row(point, results):
    name, mode, threshold = point
    probes, calls = figures(results)[:2], figures(results)[2:]
    least, most = took_part(results)
    worked = "none took part" if most == 0 else str(most) if least == most else f"{least} to {most}"
    return [f"{name} {KINDS[mode]}", threshold, pairs(results), worked, *map(report.seconds, probes), report.ratio(*probes),
            *map(report.seconds, calls), report.ratio(*calls)]


def in_short(all_results):
    """Of those points where a worker took part in every run."""
    worked = [figures(results) for results in all_results.values() if took_part(results)[0] > 0]
    worked = [f for f in worked if None not in f]
    idle = len(all_results) - len(worked)
    if not worked:
        return "In short: no worker took part in any of these joins, so the times with and without do not differ but by chance."
    probe, call = (lab.geometric_mean([f[i] / f[i + 1] for f in worked]) for i in (0, 2))
    return (f"In short: with one worker, probing is {report.figure(probe)} × as fast, and the whole call {report.figure(call)} × "
            f"(geometric means of {len(worked)} points)." +
            (f" At {idle} of {len(all_results)} points no worker took part, or not in each run." if idle else ""))


def measure():
    title = "## Parallel workers\n"
    all_results = {}
    for point in POINTS:
        if sets.present(point[0]):
            lab.say(" ".join(map(str, point)))
            all_results[point] = measure_point(*point)
    if not all_results:
        return title + "\nSkipped: the sets of `../shared/data` are absent."
    return "\n".join([
        title, in_short(all_results), "",
        "`auto` with `max_parallel_workers_per_gather` at 0 and at 1, in turn: `probe_seconds` of `ppjoin_stats`, and the wall clock of "
        "`SELECT count(*) FROM ppjoin(…)`. All other parts measure with 0. Workers: how many took part in the probe where one was "
        "allowed. The ratio is that of the medians: without ÷ with.", "",
        report.table(["set", "t", "pairs", "workers", "s probe, 0", "s probe, 1", "ratio", "s call, 0", "s call, 1", "ratio"],
                     [row(point, results) for point, results in all_results.items()]), ""])
