"""Other ways to the same pairs in PostgreSQL: SQL alone, intarray, pg_trgm, pg_similarity. Each is a script of sql/."""

import lab
import report
import sets

SET = "debdesc"
THRESHOLD = 0.8
SIZES = [size for size in (1_000, 5_000, 20_000, 60_000) if size <= (sets.ROWS or size)]

# script: (title, SQL that prepares the table t, SQL before the script). Neither SQL is in any time.
# neardup and pg_similarity export functions of the same names in C, so no session loads both.
PEERS = {
    "neardup": ("ppjoin, from stored tokens", "", lab.LOAD),
    "neardup_from_text": ("ppjoin, from text", "", lab.LOAD),
    "prefix_join_intarray": ("SQL prefix-filter join, intarray", "CREATE EXTENSION IF NOT EXISTS intarray;", ""),
    "prefix_join": ("SQL prefix-filter join", "", ""),
    "nested_loop": ("nested loop, jaccard_ge", "", f"{lab.LOAD} SET neardup.enable_similarity_join = off;"),
    "pg_trgm": ("pg_trgm, GIN, `%` (trigrams: another similarity)",
                "CREATE EXTENSION IF NOT EXISTS pg_trgm; CREATE INDEX ON t USING gin (body gin_trgm_ops);",
                "LOAD 'pg_trgm';"),
    "pg_similarity": ("pg_similarity, GIN, `~??` (its own words)",
                      "CREATE SCHEMA IF NOT EXISTS peer; CREATE EXTENSION IF NOT EXISTS pg_similarity SCHEMA peer; "
                      "ALTER TABLE t ADD short_body text GENERATED ALWAYS AS (left(body, "
                      "greatest(0, 1000 - octet_length(body) + length(body)))) STORED; "
                      "CREATE INDEX ON t USING gin (short_body peer.gin_similarity_ops);",
                      "LOAD 'pg_similarity'; SET search_path = public, peer;"),
}


def available(peer):
    return peer not in ("pg_trgm", "pg_similarity") or lab.offers(peer)


def make_table(size, source, peers):
    """The first rows by a hash of the key, as text, tokenset and int8[], with what the peers need."""
    sets.drop("t")
    lab.psql(f"""CREATE UNLOGGED TABLE t AS
SELECT id, body, word_set(body) AS token_set, word_set(body)::int8[] AS tokens
FROM {source} ORDER BY hashint8extended(id, 0) LIMIT {size};""")
    for peer in peers:
        lab.psql(PEERS[peer][1])
    lab.psql("VACUUM (FREEZE, ANALYZE) t;")


def run(peer):
    with open(f"{lab.HERE}/sql/{peer}.sql", encoding="utf-8") as script:
        return lab.run_sql(script.read(), f"\\set threshold {THRESHOLD}\n{PEERS[peer][2]}")


def measure_size(size, source, peers):
    """{peer: runs}"""
    make_table(size, source, peers)
    results = lab.in_turn({peer: lambda p=peer: run(p) for peer in peers}, lab.FEW_RUNS)
    sets.drop("t")
    return results


def cell(results, peer, given_up_at):
    if peer not in results:
        return f"not tried (> {lab.timeout()} at {given_up_at[peer]:,})"
    ours, theirs = lab.middle(results["neardup"], "wall"), lab.middle(results[peer], "wall")
    if theirs is None:
        return f"> {lab.timeout()} (> {lab.timeout() / ours:,.0f} ×)"
    return f"{report.seconds(theirs)}" + ("" if peer == "neardup" else f" ({report.ratio(theirs, ours)})")


def measure():
    title = "## Other ways to do it in PostgreSQL\n"
    if not sets.present(SET):
        return title + "\nSkipped: the set is absent."
    source = sets.texts(SET)
    peers = [peer for peer in PEERS if available(peer)]
    given_up_at = {}
    all_results = {}
    for size in SIZES:
        lab.say(f"peers at {size:,} rows")
        results = all_results[size] = measure_size(size, source, [peer for peer in peers if peer not in given_up_at])
        for peer, runs in results.items():
            if runs[0] is None:
                given_up_at[peer] = size
    rows = [[PEERS[peer][0], *(cell(all_results[size], peer, given_up_at) for size in SIZES)] for peer in peers]
    pairs = [["pairs of ppjoin", *(report.count(int(all_results[size]["neardup"][0].rows[-1][0])) for size in SIZES)]]
    other = [[f"pairs of {PEERS[peer][0]}", *(report.count(int(all_results[size][peer][0].rows[-1][0]))
                                              if all_results[size].get(peer, [None])[0] else report.NONE for size in SIZES)]
             for peer in peers if not peer.startswith("neardup")]
    largest = all_results[SIZES[-1]]
    ended = {peer: lab.middle(runs, "wall") for peer, runs in largest.items() if not peer.startswith("neardup") and runs[0]}
    best = min(ended, key=ended.get, default=None)
    ours = lab.middle(largest["neardup"], "wall")
    short = (f"In short: at {SIZES[-1]:,} rows the next best, the {PEERS[best][0]}, takes {report.ratio(ended[best], ours)} the time of "
             "`ppjoin`." if best else f"In short: at {SIZES[-1]:,} rows no peer ended within {lab.timeout()} s.")
    skipped = [peer for peer in PEERS if peer not in peers]
    return "\n".join([
        title, short, "",
        f"{SET}, pairs of rows whose words have a Jaccard similarity of at least {THRESHOLD}. Seconds of wall clock (× that of "
        "`ppjoin`, in turn with it); in no time: making tokens and indexes. The scripts are in `test/bench/sql`. "
        "pg_trgm compares trigrams, and pg_similarity splits words differently and takes at most 1,024 bytes (here the first 1,000 "
        "of a text), so their pairs are others. What did not end within "
        f"{lab.timeout()} s is not tried on more rows." + (f" Not installed here: {', '.join(skipped)}." if skipped else ""), "",
        report.table(["", *(f"{size:,} rows" for size in SIZES)], rows + pairs + other), "",
        report.plot("peers", [{"title": f"{SET} words, {THRESHOLD}", "x": "rows", "y": "seconds", "log": "xy",
                               "series": {peer: [(size, lab.middle(all_results[size].get(peer), "wall")) for size in SIZES]
                                          for peer in peers}}])])
