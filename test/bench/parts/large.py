"""Large sets: where signatures tell less and less, auto beside the algorithms of the paper."""

import lab
import report
import sets

SET = "papers_abs"
TEXTS_EACH = [1, 8, 32]
THRESHOLDS = [0.80, 0.60, 0.50]
ALGORITHMS = ["auto", "ppjoin", "ppjoin+"]


def row(table, texts_each, threshold):
    results = lab.in_turn(
        {a: lambda a=a: lab.run_stats(f"SELECT id, tokens FROM {table}", threshold, algorithm=a) for a in ALGORITHMS}, lab.FEW_RUNS)
    seconds = {a: lab.middle(results[a], "join_seconds") for a in ALGORITHMS}
    records, tokens, pruned = (lab.middle(results["auto"], key) for key in ("records", "tokens", "pruned_by_bitmap"))
    best = min((seconds[a] for a in ALGORITHMS[1:] if seconds[a]), default=None)
    return [texts_each, report.count(records), report.count(tokens / records), threshold, "lists" if pruned else "one by one",
            *(report.seconds(seconds[a]) for a in ALGORITHMS), report.ratio(best, seconds["auto"])]


def measure():
    title = "## Large sets\n"
    if not sets.present(SET):
        return title + "\nSkipped: the sets of `../shared/data` are absent."
    rows = []
    for texts_each in TEXTS_EACH:
        table = sets.documents(SET, texts_each)
        for threshold in THRESHOLDS:
            lab.say(f"{SET} by {texts_each}, {threshold}")
            rows.append(row(table, texts_each, threshold))
    return "\n".join([
        title, f"In short: the words of {TEXTS_EACH[-1]} abstracts together are joined at {THRESHOLDS[0]} in {rows[-len(THRESHOLDS)][5]} s, "
        f"those of each abstract in {rows[0][5]} s.", "",
        f"The words of so many abstracts of `{SET}` in a row, Jaccard, and which way `auto` joins them: by lists with signatures, or one "
        "set after the other as `ppjoin` does. Index and probe, in seconds.", "",
        report.table(["abstracts each", "sets", "words", "t", "`auto` joins by", *(f"`{a}`" for a in ALGORITHMS), "fastest of the paper / `auto`"],
                     rows), ""])
