"""Passages: passage_join and repeated_passages beside a program that finds them and does nothing else."""

import re

import lab
import report
import sets

SETS = ["papers_abs", "debdesc"]
WORDS = 20
# What is small beside a set of 100 MB.
MEMORY = "128MB"

JOIN = f"SELECT count(*), sum(words) FROM passage_join('SELECT id, body FROM {{table}}', {WORDS}, max_rows => 1000000)"
REPEATED = f"SELECT count(*), sum(words) FROM repeated_passages('SELECT id, body FROM {{table}} ORDER BY id', {WORDS})"


def run_prototype(name):
    """CPU seconds of its steps, and what it finds."""
    program = lab.run_program([lab.tool("bench/passages_floor.c"), sets.file(name), str(WORDS)])
    tokens, cover, words, rows = re.search(r"tokens ([\d.]+) s; cover ([\d.]+) s .*: (\d+) of .* of (\d+) rows", program.output).groups()
    winnow, sort, runs, count, equal = re.search(r"winnow ([\d.]+) s.*; sort ([\d.]+) s; runs ([\d.]+) s .*: (\d+) runs of (\d+) words",
                                                 program.output).groups()
    return {"repeated": float(tokens) + float(cover), "join": sum(map(float, (tokens, winnow, sort, runs))),
            "repeated_found": [rows, words], "join_found": [count, equal]}


def run_function(statement, table, memory):
    return lab.run_sql(statement.format(table=table), f"{lab.LOAD} SET jit = off; SET neardup.join_memory = '{memory}';")


def measure_set(name):
    table = sets.texts(name)
    results = lab.in_turn({
        "prototype": lambda: run_prototype(name),
        "join": lambda: run_function(JOIN, table, "1GB"),
        "repeated": lambda: run_function(REPEATED, table, "1GB"),
        "join in files": lambda: run_function(JOIN, table, MEMORY),
        "repeated in files": lambda: run_function(REPEATED, table, MEMORY),
    }, lab.FEW_RUNS)
    for title, call in (("join", "passage_join"), ("repeated", "repeated_passages")):
        floor = lab.middle(results["prototype"], title)
        ours = lab.middle(results[title], "cpu")
        yield [name, f"`{call}`", " of ".join(report.count(int(x)) for x in results["prototype"][0][f"{title}_found"]),
               " of ".join(report.count(int(x)) for x in results[title][0].rows[-1]), report.seconds(floor), report.seconds(ours),
               report.ratio(ours, floor), report.seconds(lab.middle(results[f"{title} in files"], "cpu"))]


def measure():
    rows = [row for name in SETS if sets.present(name) for row in measure_set(name)]
    if not rows:
        return "## Passages\n\nSkipped: the sets are absent."
    return "\n".join([
        "## Passages", "",
        f"Passages of at least {WORDS} words: CPU seconds of one core from the texts of a table to a count, beside "
        f"`../shared/bench/passages_floor.c`, which has neither Unicode, places nor results. Found: runs and their words; rows and "
        f"their repeated words. The prototype takes bytes from 0x80 on for letters, so dashes and quotation marks join its words. In "
        f"files: with a `neardup.join_memory` of {MEMORY}.", "",
        report.table(["set", "call", "found by the prototype", "found", "prototype, s", "s", "ratio", "in files, s"], rows), ""])
