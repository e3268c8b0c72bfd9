"""The whole call, as a user makes it: from stored tokens, and from text."""

import lab
import report
import sets

THRESHOLD = 0.80
SETS = ["debdesc", "papers_ta"]
# name of prep.cc's mode, SQL of the tokens, threshold
FROM_TEXT = [("word", "word_set(body)", 0.80), ("qgram3", "qgram_set(body, 3)", 0.90)]
PHASES = ["read_seconds", "canonicalize_seconds", "index_seconds", "probe_seconds"]


def call(query, threshold):
    return f"SELECT count(*) FROM ppjoin('{query}', {threshold})"


def phase_row(title, threshold, results):
    """Milliseconds of the phases, of the rest, and of all. Medians of different runs may leave less than nothing."""
    phases = [lab.middle(results["stats"], phase) for phase in PHASES]
    whole = lab.middle(results["call"], "wall")
    rest = max(0, whole - sum(phases)) if whole and None not in phases else None
    return [title, threshold, *map(report.milliseconds, (*phases, rest, whole))]


def from_tokens(name):
    table, ints = sets.token_sets(name, "word_set"), sets.integer_file(name, "word")
    query = f"SELECT id, tokens FROM {table}"
    results = lab.in_turn({
        "call": lambda: lab.run_sql(call(query, THRESHOLD)),
        "sum": lambda: lab.run_sql(f"SELECT sum(cardinality(tokens)) FROM {table}"),
        **lab.prototypes(ints, THRESHOLD),
        "stats": lambda: lab.run_stats(query, THRESHOLD),
    }, lab.RUNS)
    whole, scan = lab.middle(results["call"], "wall"), lab.middle(results["sum"], "wall")
    floor, _ = lab.best_prototype(results)
    yardstick = 2 * floor + scan if floor and scan else None
    return ([f"{name} words", THRESHOLD, *map(report.milliseconds, (whole, floor, scan, yardstick)), report.ratio(whole, yardstick)],
            phase_row(f"{name} words, tokenset", THRESHOLD, results))


def from_text(name, mode, tokens, threshold):
    table = sets.texts(name)
    ints = sets.integer_file(name, mode)
    query = f"SELECT id, {tokens} FROM {table}"
    results = lab.in_turn({
        "call": lambda: lab.run_sql(call(query, threshold)),
        "prepare": lambda: sets.prepare(name, mode),
        **lab.prototypes(ints, threshold),
        "stats": lambda: lab.run_stats(query, threshold),
    }, lab.RUNS)
    ours, prepare = lab.middle(results["call"], "cpu"), lab.middle(results["prepare"], "cpu")
    floor, _ = lab.best_prototype(results)
    both = prepare + floor if prepare and floor else None
    return ([f"{name}, `{tokens}`", threshold, *map(report.seconds, (ours, prepare, floor, both)), report.ratio(ours, both)],
            phase_row(f"{name}, `{tokens}`", threshold, results))


def measure():
    title = "## The whole call\n"
    names = [name for name in SETS if sets.present(name)]
    if not names or not lab.has_prototype():
        return title + "\nSkipped: the sets of `../shared/data` or `../shared/bench/floor.c` are absent."
    stored, texts, phases = [], [], []
    for name in names:
        lab.say(f"{name}, from tokens")
        row, phase = from_tokens(name)
        stored.append(row)
        phases.append(phase)
    for name in names:
        for mode, tokens, threshold in FROM_TEXT:
            lab.say(f"{name}, from text, {mode}")
            row, phase = from_text(name, mode, tokens, threshold)
            texts.append(row)
            phases.append(phase)
    return "\n".join([
        title, f"In short: from stored tokens, a whole call takes {', '.join(f'{row[-1]} ({row[0]})' for row in stored)} the time of the "
        f"prototype twice over and a scan of the table; from text, {', '.join(f'{row[-1]} ({row[0]}, {row[1]})' for row in texts)} "
        "the CPU of a tokenizer in C++ and the prototype.", "",
        f"**From stored tokens**: `SELECT count(*) FROM ppjoin('SELECT id, tokens FROM t', {THRESHOLD})`, tokens a `tokenset` by "
        "`word_set`. Beside it the join of the prototype twice over, and `SELECT sum(cardinality(tokens)) FROM t`. Milliseconds of "
        "wall clock.", "",
        report.table(["set", "t", "whole call", "prototype", "sum(cardinality)", "2 × prototype + sum", "ratio"], stored), "",
        "**From text**: `SELECT count(*) FROM ppjoin('SELECT id, word_set(body) FROM t', …)`, beside `tools/prep.cc` (reads, "
        "tokenizes ASCII only, ranks, sorts, writes) and the join of the prototype. CPU seconds of the call and of prep, wall clock of the "
        "prototype's join.", "",
        report.table(["set", "t", "whole call", "prep", "prototype", "prep + prototype", "ratio"], texts), "",
        "**Phase by phase**, from `ppjoin_stats` (milliseconds; reading includes running the query, so its tokenizing). The rest of "
        "the wall clock of the whole call is planning, writing the pairs and counting them:", "",
        report.table(["set", "t", "read", "canonicalize", "index", "probe", "rest", "whole call"], phases), ""])
