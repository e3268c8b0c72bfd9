"""Checks Markdown pages: lines of at most 100 characters but in tables, links to files and headings that are
there, and files of the project that are there. Usage: check_pages.py PAGE..."""

import os
import re
import sys

WIDTH = 100
# PostgreSQL's c.h among them.
C_FILES = {"c.h"} | {name for _, _, names in os.walk("src") for name in names}


def anchors(page):
    """What links to headings of a page may name, made as GitHub makes it."""
    text = re.sub(r"^```.*?^```", "", open(page, encoding="utf-8").read(), flags=re.MULTILINE | re.DOTALL)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}


def faults(page):
    text = open(page, encoding="utf-8").read()
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > WIDTH and not line.startswith("|"):
            yield f"line {number} has {len(line)} characters"
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
        if not os.path.exists(target):
            yield f"there is no {target}"
        elif anchor and anchor not in anchors(target):
            yield f"{target} has no heading #{anchor}"
    for path in re.findall(r"`((?:src|test|sql|doc)/[\w./*-]+)`", text):
        if "*" not in path and not os.path.exists(path):
            yield f"there is no {path}"
    for name in re.findall(r"`([\w]+\.[ch])`", text):
        if name not in C_FILES and "/bench/" not in page:
            yield f"there is no {name}"


found = [f"{page}: {fault}" for page in sys.argv[1:] for fault in faults(page)]
print("\n".join(found), end="\n" if found else "")
sys.exit(bool(found))
