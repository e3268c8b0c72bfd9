"""Markdown and plots: tables, numbers as text, panels drawn by gnuplot, and the page that holds the parts."""

import os
import re
import subprocess
import textwrap

import lab

NONE = "–"
OUT = ""  # set by run.py

# One colour and point a series, in all plots: Okabe and Ito's, which the colour-blind can tell apart.
STYLES = {
    "allpairs": ("#d55e00", 5), "ppjoin": ("#0072b2", 7), "ppjoin+": ("#009e73", 9), "auto": ("#000000", 13),
    "pairs": ("#999999", 4),
}
SPARE_STYLES = [("#000000", 13), ("#0072b2", 7), ("#d55e00", 5), ("#009e73", 9), ("#cc79a7", 11), ("#e69f00", 2),
                ("#56b4e9", 3), ("#999999", 4)]


def count(number):
    return NONE if number is None else f"{number:,.0f}"


def figure(number, digits=3):
    """A number with some significant digits, never in exponential form."""
    if number is None:
        return NONE
    if number == 0:
        return "0"
    whole = len(str(int(abs(number)))) if abs(number) >= 1 else 0
    if whole:
        return f"{number:,.{max(0, digits - whole)}f}"
    return f"{float(f'{number:.{digits}g}'):.10f}".rstrip("0")


def seconds(number):
    """Seconds to the tenth of a millisecond; None is a timeout."""
    return f"> {lab.timeout()}" if number is None else figure(round(number, 4))


def milliseconds(number):
    return f"> {1000 * lab.timeout():,}" if number is None else figure(number * 1000)


def megabytes(number):
    return NONE if number is None else count(number / 1e6)


def ratio(a, b):
    """a / b as text."""
    return NONE if a is None or not b else f"{figure(a / b)} ×"


def share(number):
    return NONE if number is None else f"{number:.2f}"


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def _shrink(path):
    """Half of what gnuplot writes are groups of nothing, and blanks."""
    with open(path, encoding="utf-8") as file:
        drawing = re.sub(r"[ \t]*\n[\s]*", "\n", file.read())
    drawing = re.sub(r"<g [^>]*>\s*</g>\n", "", drawing)
    with open(path, "w", encoding="utf-8") as file:
        file.write(drawing)


def plot(name, panels, columns=2):
    """Draws panels side by side into NAME.svg and returns the Markdown that shows it.

    A panel: title, x, y (labels), log ("", "y", "xy"), series {name: [(x, y), …]}; points without y are left out.
    """
    panels = [panel for panel in panels if any(y for points in panel["series"].values() for _, y in points)]
    if not panels:
        return ""
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    script = [f"set terminal svg size {columns * 430},{rows * 340} font 'sans-serif,12' background '#ffffff' dynamic",
              f"set output '{OUT}/{name}.svg'", f"set multiplot layout {rows},{columns}",
              "set key below horizontal reverse Left samplen 2 font ',10' noenhanced", "set grid lc rgb '#dddddd'"]
    for panel in panels:
        series = {label: [(x, y) for x, y in points if y] for label, points in panel["series"].items()}
        series = {label: points for label, points in series.items() if points}
        log = panel.get("log", "")
        script += ["unset logscale", "set autoscale", f"set title \"{panel['title']}\" noenhanced", f"set xlabel '{panel['x']}' offset 0,0.5",
                   f"set ylabel '{panel['y']}'"]
        script.append("set format y '%.0s%c'" if panel.get("short") else "set format y '%.12g'")
        script += [f"set logscale {axis}" for axis in log]
        if "y" not in log:
            script.append("set yrange [0:*]")
        lines = []
        for number, (label, points) in enumerate(series.items()):
            colour, point = STYLES.get(label) or SPARE_STYLES[number % len(SPARE_STYLES)]
            block = f"$data{number}"
            script += [f"{block} << EOD", *(f"{x} {y}" for x, y in points), "EOD"]
            dashes = " dt 2" if label == "auto" else ""  # it may coincide with another one
            lines.append(f"{block} using 1:2 with linespoints lw 1.5{dashes} pt {point} ps 0.7 lc rgb '{colour}' title \"{label}\"")
        script.append("plot " + ", ".join(lines))
    script.append("unset multiplot")
    subprocess.run(["gnuplot"], input="\n".join(script), text=True, check=True)
    _shrink(f"{OUT}/{name}.svg")
    return f"![{name}]({name}.svg)\n"


def _parts_of(page):
    return dict(re.findall(r"<!-- part (\w+) -->\n(.*?)<!-- end -->\n", page, re.DOTALL))


def wrapped(page):
    """The page with its paragraphs and list items in lines of 100 characters; the rest stays."""
    blocks = []
    for block in re.split(r"\n(?=[-|#!<\n])", page):
        text = " ".join(block.split())
        if text and text[0] not in "|#!<":
            start = block[: len(block) - len(block.lstrip())]
            indent = "  " if text.startswith("- ") else ""
            block = start + textwrap.fill(text, 100, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
        blocks.append(block)
    return "\n".join(blocks).rstrip("\n") + "\n"


def write(head, environment, order, parts):
    """Writes the page. Parts that were not measured now stay, if they were measured in the same environment."""
    path = f"{OUT}/README.md"
    try:
        with open(path, encoding="utf-8") as old_file:
            old = old_file.read()
    except FileNotFoundError:
        old = ""
    known = _parts_of(old) if wrapped(environment) in old else {}
    known.update(parts)
    results = []
    for name in order:
        for result in re.findall(r"^In short: (.*?)(?:\n\n|\Z)", known.get(name, ""), re.DOTALL | re.MULTILINE):
            results.append(f"- *{name}*: {result}")
    page = [head, *(["## In short\n\n" + "\n".join(results) + "\n"] if results else []), environment]
    for name in order:
        text = known.get(name, f"## {name}\n\nNot measured here: `make bench BENCH={name}`.\n")
        page.append(f"<!-- part {name} -->\n{text.rstrip()}\n<!-- end -->\n")
    with open(path, "w", encoding="utf-8") as new_file:
        new_file.write(wrapped("\n".join(page)))
