"""Who may include whom in src: the table below, and no circles. Part of make lint.

A room is a folder, and a file belongs to the longest room that its path begins with. A room may
include itself, the rooms that its line names, and the files of the folders that it lies in; a name
that ends in "/" stands for all rooms below it, too. The folders of src stand on each other in the
order of the table: none includes one that comes after it. Nor do files include each other in a
circle.
"""

import os
import re
import sys

ROOMS = {
    # The files of src: what all may use, but for what is plain C.
    "": "measure",
    # At the bottom, plain C without SQL: measures, text as tokens, sketches.
    "measure": "",
    "text": "",
    "sketch": "",
    # Salts of scopes.
    "scope": "text",
    # The types stand on them.
    "tokenset": "measure text sketch",
    "simhash": "text sketch tokenset",
    "minhash": "measure text sketch tokenset",
    # Dates, numbers, places and telephone numbers as sets.
    "fields": "text tokenset",
    # The kernel: joins without SQL. It stands beside the types, not on them.
    "kernel": "kernel/",
    "kernel/records": "measure sketch",
    "kernel/demand": "measure kernel/records",
    "kernel/filters": "measure kernel/records",
    "kernel/estimate": "measure kernel/records kernel/filters",
    "kernel/ppjoin": "measure kernel/filters",
    "kernel/lists": "measure kernel/records kernel/demand kernel/filters",
    "kernel/buckets": "sketch kernel/records kernel/filters",
    "kernel/hamming": "sketch kernel/records kernel/filters",
    "kernel/edit": "measure kernel/records kernel/lists kernel/ppjoin",
    "kernel/postings": "measure kernel/filters",
    # What joins may take of PostgreSQL's memory, and what they tell while they run.
    "memory": "kernel",
    "progress": "kernel",
    # Aggregates that count the tokens of sets.
    "counts": "measure text sketch tokenset kernel memory",
    # Metrics of two texts.
    "strings": "measure text kernel kernel/edit memory",
    # Rows of SQL: how they are read and kept.
    "rows": "measure text kernel/ memory progress",
    # What differs by the kind of row.
    "kinds": "measure tokenset rows",
    "kinds/sets": "measure text tokenset kernel/filters rows",
    "kinds/simhash": "simhash kernel/hamming rows kinds/sets",
    "kinds/edit": "measure text scope tokenset strings kernel/edit memory rows kinds/sets",
    "kinds/trigrams": "measure text tokenset kernel/filters rows kinds/sets",
    # From SQL to the kernel and back: joins, calls, functions, the node.
    "join": "kernel/ memory progress rows join/workers",
    "join/workers": "measure kernel memory progress",
    "join/call": "text sketch scope kernel kernel/demand memory progress rows",
    "join/sample": "join/call rows kinds/sets",
    "join/node": "scope kernel join/call progress rows kinds kinds/sets",
    "join/functions": "measure text sketch minhash tokenset kernel/buckets join/call join/sample kinds/ memory",
    # Common passages of texts: the engine, which is kernel too, and the functions.
    "passages": "text tokenset join join/call kinds/edit memory passages/kernel progress rows",
    "passages/kernel": "kernel",
    # The access method.
    "index": "measure text scope tokenset kernel/records memory kinds",
    # What a call asks of a table of users: its arguments, its columns, what to compare rows by.
    "table": "measure text join join/call join/sample kinds/sets memory rows",
    # Clusters, links, records.
    "cluster": "measure text sketch tokenset kernel/demand join join/call kinds/sets table",
    "link": "measure text sketch kernel/demand join join/call join/sample kinds/sets memory progress rows table tokenset cluster",
    # Guests: extensions of their own.
    "clean": "table",
    "icu": "text",
    "citus": "measure tokenset simhash kernel/filters kernel/postings memory index",
    "track": "measure text sketch scope tokenset join join/call rows kinds/sets cluster",
}

# The entry of the library, which begins its parts.
TOP = {"neardup.c"}

# Where the files of src itself are not used, but for this one: they need PostgreSQL's server.
PLAIN_C = {"measure", "sketch", "kernel", "passages/kernel"}
PLAIN_FILES = {"bisect.h"}

# The kernel is plain C: these headers of PostgreSQL, and no others.
KERNEL_HEADERS = {"c.h", "port/pg_bitutils.h", "lib/sort_template.h", "utils/palloc.h"}
KERNEL_SYSTEM = {"math.h", "float.h", "immintrin.h", "emmintrin.h"}


def read_includes(root):
    """{file: names that it includes} for the files of a folder and those below."""
    includes = {}
    for folder, _, names in os.walk(root):
        for name in names:
            if name.endswith((".c", ".h")):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as stream:
                    found = re.findall(r'^\s*#\s*include\s*[<"]([^">]+)[">]', stream.read(), re.M)
                includes[os.path.relpath(path, root)] = found
    return includes


def stem(path):
    return os.path.splitext(path)[0]


def room_of(node):
    """The longest room that holds a node; the root holds all."""
    folder = os.path.dirname(node)
    while folder not in ROOMS:
        folder = os.path.dirname(folder)
    return folder


def may_include(room, other):
    if other == "":
        return not any(room == plain or room.startswith(plain + "/") for plain in PLAIN_C)
    allowed = ROOMS[room].split()
    return (room + "/").startswith(other + "/") or other in allowed or any(
        name.endswith("/") and (other + "/").startswith(name) for name in allowed)


def wrong_directions(includes):
    for path, names in sorted(includes.items()):
        if path in TOP:
            continue
        room = room_of(path)
        for name in names:
            if name in PLAIN_FILES:
                continue
            if name in includes:
                if not may_include(room, room_of(name)):
                    yield f"src/{path} must not include {name}: {room} may include {ROOMS[room] or 'nothing'}"
            elif "kernel" in room.split("/") and name not in KERNEL_HEADERS | KERNEL_SYSTEM:
                yield f"src/{path} must not include {name}: the kernel is C without SQL"


def arrows_up():
    """Names in the table of folders that come after the one that may include them."""
    order = list(ROOMS)
    for room, names in ROOMS.items():
        for name in names.split():
            if room and name.split("/")[0] != room.split("/")[0] and order.index(name.rstrip("/")) > order.index(room):
                yield f"{room} must not include {name}, which comes after it"


def circles(includes):
    """Each set of nodes that all reach each other (Tarjan)."""
    edges = {}
    for path, names in includes.items():
        edges.setdefault(stem(path), set()).update(stem(n) for n in names if n in includes and stem(n) != stem(path))
    number, least, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = least[node] = len(number)
        stack.append(node)
        for other in sorted(edges[node]):
            if other not in number:
                visit(other)
            if other in stack:
                least[node] = min(least[node], least[other])
        if least[node] == number[node]:
            circle = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(circle) > 1:
                found.append(circle)

    for node in sorted(edges):
        if node not in number:
            visit(node)
    return found


def main():
    includes = read_includes("src")
    faults = list(wrong_directions(includes)) + list(arrows_up())
    faults += ["these files include each other in a circle: " + " ".join(circle) for circle in circles(includes)]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
