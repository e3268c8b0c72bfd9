"""From text to tokens: the functions of tokens beside a program that makes tokens of ASCII and does nothing else."""

import re

import lab
import report
import sets

SETS = ["papers_ta", "debdesc", "abs_sent"]

# What the prototype is asked for: 0 is words.
FUNCTIONS = [
    ("word_tokens", "word_tokens(body)", 0), ("word_set", "word_set(body)", 0), ("shingle_tokens", "shingle_tokens(body, 3)", 0),
    ("qgram_tokens", "qgram_tokens(body, 3)", 3),
]
LANGUAGES = {"ru": "Russian", "ja": "Japanese", "de": "German"}
SHORT_ROWS = 1_000_000


def run_function(call, table):
    """CPU seconds of a call on each text, without those of a scan."""
    return lab.run_sql(f"SELECT count({call}) FROM {table}", f"{lab.LOAD} SET max_parallel_workers_per_gather = 0; SET jit = off;")


def run_prototype(name, q):
    """CPU seconds of the last round, and how many tokens there are."""
    program = lab.run_program([lab.tool("bench/tokens_floor.c"), sets.file(name), str(q)])
    seconds, tokens = re.search(r"([\d.]+) s, .* (\d+) tokens\s*$", program.output).groups()
    return {"cpu": float(seconds), "tokens": int(tokens)}


def measure_set(name):
    table = sets.texts(name)
    contestants = {"scan": lambda: run_function("octet_length(body)", table)}
    for title, call, _ in FUNCTIONS:
        contestants[title] = lambda call=call: run_function(call, table)
    for q in (0, 3):
        contestants[q] = lambda q=q: run_prototype(name, q)
    results = lab.in_turn(contestants, lab.RUNS)
    scan = lab.middle(results["scan"], "cpu")
    rows = []
    for title, call, q in FUNCTIONS:
        tokens = results[q][0]["tokens"]
        ours = lab.middle(results[title], "cpu") - scan
        floor = lab.middle(results[q], "cpu")
        rows.append((name, title, [name, f"`{call}`", report.count(tokens), f"{ours * 1e9 / tokens:.1f}", f"{floor * 1e9 / tokens:.1f}",
                                   report.share(ours / floor), report.share((ours + scan) / floor)], ours / floor))
    return rows


def measure_language(language, title):
    table = sets.translations(language)
    if table is None:
        return None
    (size,), = lab.psql(f"SELECT sum(octet_length(body)) FROM {table};")
    contestants = {"scan": lambda: run_function("octet_length(body)", table)}
    for name, call, _ in FUNCTIONS:
        contestants[name] = lambda call=call: run_function(call, table)
    results = lab.in_turn(contestants, lab.RUNS)
    scan = lab.middle(results["scan"], "cpu")
    speeds = [f"{int(size) / 1e6 / max(lab.middle(results[name], 'cpu') - scan, 1e-3):.0f}" for name, _, _ in FUNCTIONS]
    return [title, f"{int(size) / 1e6:.1f}", *speeds]


def measure_short():
    """Microseconds of a call on a text of some 20 characters."""
    lab.psql(f"""DROP TABLE IF EXISTS short_texts;
        CREATE UNLOGGED TABLE short_texts AS SELECT 'Jane Doe Smith ' || n % 100000 AS body FROM generate_series(1, {SHORT_ROWS}) n;
        VACUUM ANALYZE short_texts;""")
    calls = {"scan": "octet_length(body)", **{name: call for name, call, _ in FUNCTIONS}}
    results = lab.in_turn({name: lambda call=call: run_function(call, "short_texts") for name, call in calls.items()}, lab.FEW_RUNS)
    sets.drop("short_texts")
    scan = lab.middle(results["scan"], "cpu")
    return [f"{(lab.middle(results[name], 'cpu') - scan) * 1e6 / SHORT_ROWS:.2f}" for name, _, _ in FUNCTIONS]


def measure():
    rows = [row for name in SETS if sets.present(name) for row in measure_set(name)]
    languages = [row for language, title in LANGUAGES.items() if (row := measure_language(language, title))]
    names = [name for name, _, _ in FUNCTIONS]
    parts = ["## Tokens of texts", "",
             "CPU time of one core a token, without the scan that brings the texts (`octet_length`), beside `../shared/bench/tokens_floor.c`: "
             "it folds ASCII, hashes and sorts, and has neither Unicode, rows nor results. In the last column the scan is ours too. Tokens are "
             "those of the prototype, shingles beside its words.", ""]
    if rows:
        worst = max(ratio for _, title, _, ratio in rows if title in ("word_tokens", "qgram_tokens"))
        parts += [report.table(["set", "call", "tokens", "ns a token", "prototype", "÷ prototype", "with the scan"], [row[2] for row in rows]), "",
                  f"In short: words and 3-grams take at most {report.share(worst)} of the prototype's time.", ""]
    if languages:
        parts += ["Descriptions of Debian's packages in other languages, megabytes a second:", "",
                  report.table(["language", "MB", *[f"`{name}`" for name in names]], languages), ""]
    parts += [f"A text of some 20 characters, microseconds a call: "
              f"{', '.join(f'`{name}` {us}' for name, us in zip(names, measure_short()))}."]
    return "\n".join(parts)
