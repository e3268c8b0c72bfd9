"""Logs: how many lines doc/examples/log_templates.sql puts into exactly the group of their template."""

import os
import subprocess

import lab
import report

ROOT = os.path.dirname(os.path.dirname(lab.HERE))
FOLDER = f"{lab.SHARED}/data/logs"
# Lines of a group whose lines are those of one template.
ACCURACY = """SELECT coalesce(sum(lines), 0)::float8 / (SELECT count(*) FROM log)
FROM (SELECT count(*) AS lines, min(l.template) AS template
      FROM log_templates AS t JOIN log AS l USING (id)
      GROUP BY t.template HAVING count(DISTINCT l.template) = 1) AS groups
WHERE lines = (SELECT count(*) FROM log WHERE log.template = groups.template);"""


def script():
    """The script that makes log_templates of log."""
    with open(f"{ROOT}/doc/examples/log_templates.sql", encoding="utf-8") as file:
        return "\\set table log\n\\set key id\n\\set line line\n" + file.read()


def load(system):
    """The table log of a system: id, line, and the template that was found by hand."""
    text = subprocess.run(["xz", "-dc", f"{FOLDER}/{system}.tsv.xz"], capture_output=True, text=True, check=True).stdout
    rows = text.replace("\\", "\\\\")
    lab.psql(f"""DROP TABLE IF EXISTS log, log_templates;
CREATE UNLOGGED TABLE log (id int PRIMARY KEY, line text, template text);
COPY log FROM STDIN;
{rows}\\.
ANALYZE log;""")


def measure():
    title = "## Log lines to templates\n"
    if not os.path.isdir(FOLDER):
        return f"{title}\nSkipped: the lines of ../shared/data/logs are absent."
    rows, accuracies = [], []
    for system in sorted(name.split(".")[0] for name in os.listdir(FOLDER)):
        load(system)
        run = lab.run_sql(script())
        accuracies.append(float(lab.psql(ACCURACY)[0][0]))
        groups, templates = lab.psql("SELECT (SELECT count(DISTINCT template) FROM log_templates), "
                                     "(SELECT count(DISTINCT template) FROM log);")[0]
        lab.say(f"{system}: {accuracies[-1]:.3f}")
        rows.append([system, templates, groups, f"{accuracies[-1]:.3f}", report.seconds(run.cpu if run else None)])
    mean = sum(accuracies) / len(accuracies)
    lab.say(f"mean: {mean:.3f}")
    return "\n".join([
        title, f"In short: log lines are grouped as by their templates with an accuracy of {mean:.3f} in the mean.", "",
        "Lines of the systems of loghub, 2,000 each, by `doc/examples/log_templates.sql`, the same call for all. Grouping accuracy is the part of the "
        "lines whose group is exactly the lines of their template; CPU seconds, one run.", "",
        report.table(["system", "templates", "groups", "accuracy", "s"], rows), ""])
