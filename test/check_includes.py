"""Who may include whom in src: the table below, and no circles. Part of make lint.

A room is a folder, or a single file of one (a header and its source together). A file
belongs to the longest room that its path begins with. A room may include itself and what
its line names; a name that ends in "/" stands for the folders below it, too.
"""

import os
import re
import sys

ROOMS = {
    # What all may use.
    "compat": "",
    "allocate": "",
    "comparison": "",
    "settings": "measure",
    "text_input": "",
    "function_behind": "",
    "character_ranges": "compat allocate",
    # At the bottom: measures, and text as tokens.
    "measure": "",
    "text": "compat allocate",
    # Salts of scopes.
    "scope": "text compat",
    # Arithmetic of sketches, without SQL.
    "sketch": "",
    # The types stand on them.
    "tokenset": "measure text sketch compat comparison function_behind text_input settings",
    "simhash": "text sketch tokenset compat comparison text_input",
    "minhash": "measure text sketch tokenset compat comparison text_input",
    # The kernel: joins without SQL. It stands beside the types, not on them.
    "kernel/host": "",
    "kernel/join": "kernel/records/records",
    "kernel/records": "measure kernel/host kernel/buckets/bucket_spec",
    "kernel/filters": "measure kernel/host kernel/join kernel/records",
    "kernel/size_join": "measure kernel/host kernel/join kernel/records kernel/filters",
    "kernel/estimate": "measure kernel/records kernel/filters",
    "kernel/engine": "kernel/host kernel/join kernel/records kernel/filters kernel/estimate",
    "kernel/ppjoin": "measure kernel/host kernel/join kernel/engine kernel/size_join kernel/records kernel/filters",
    "kernel/lists": "measure kernel/host kernel/join kernel/engine kernel/size_join kernel/records kernel/filters",
    "kernel/buckets/bucket_spec": "sketch",
    "kernel/buckets": "kernel/host kernel/join kernel/engine kernel/records kernel/filters kernel/buckets/bucket_spec sketch",
    "kernel/hamming": "kernel/host kernel/join kernel/engine kernel/records kernel/filters sketch",
    "kernel/edit": "measure kernel/host kernel/join kernel/engine kernel/records kernel/lists kernel/ppjoin",
    "kernel/postings": "measure kernel/host kernel/filters",
    "kernel/engines": "kernel/",
    # Metrics of two texts.
    "palloc_host": "kernel/host",
    "strings": "compat allocate function_behind tokenset palloc_host measure text kernel/host kernel/edit",
    # From SQL to the kernel and back.
    "join/progress": "kernel/host settings",
    "join/memory": "settings",
    "join/process": "kernel/host join/progress join/memory",
    "join/rows": "kernel/ measure text sketch tokenset simhash minhash compat allocate join/memory join/progress",
    # What differs by the kind of row.
    "kinds": "kernel/ measure text sketch tokenset simhash minhash strings compat function_behind palloc_host settings scope join/rows",
    "join/workers": "kernel/ measure join/memory join/process join/progress",
    "join": "kernel/ measure join/memory join/process join/progress join/rows join/workers",
    "join/node": "kernel/ measure text scope tokenset simhash strings compat function_behind character_ranges settings join join/progress join/call join/rows kinds",
    "join/call": "kernel/ measure text compat allocate join join/memory join/progress join/rows",
    "join/sample": "kernel/ measure text compat join join/progress join/rows kinds",
    "join/functions": "kernel/ measure text sketch tokenset simhash minhash strings compat allocate join"
    " join/memory join/node join/progress join/call join/rows kinds join/sample",
    # Common passages of texts: the engine, which is kernel too, and the functions.
    "passages/kernel": "kernel/host",
    "passages": "passages/kernel kernel/host text tokenset compat allocate character_ranges palloc_host join/memory join/process join/progress join/call join/rows kinds",
    # Beside the join.
    "citus": "measure tokenset simhash compat palloc_host kernel/host kernel/filters kernel/postings index/signature",
    "cluster": "measure text scope tokenset compat allocate join join/memory join/functions join/progress join/call join/rows kinds link",
    "link": "measure text compat allocate join join/memory join/call join/rows kinds cluster/except_pairs cluster/duplicates_request",
    "track": "measure text sketch tokenset compat allocate join join/call join/rows kinds cluster index scope",
    "index": "scope kinds measure text tokenset compat function_behind settings palloc_host kernel/host kernel/records",
    "neardup": "compat kinds join/node join/progress settings",
}

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
    """The longest room that holds a node; None if none does."""
    parts = node.split("/")
    for length in range(len(parts), 0, -1):
        if "/".join(parts[:length]) in ROOMS:
            return "/".join(parts[:length])
    return None


def may_include(room, node):
    other = room_of(node)
    for allowed in [room] + ROOMS[room].split():
        if allowed.endswith("/"):
            if node.startswith(allowed):
                return True
        elif allowed in (other, node):
            return True
    return False


def wrong_directions(includes):
    for path, names in sorted(includes.items()):
        room = room_of(stem(path))
        if room is None:
            yield f"src/{path} is in no room of test/check_includes.py"
            continue
        for name in names:
            if name in includes:
                if not may_include(room, stem(name)):
                    yield f"src/{path} must not include {name}: {room} may include {ROOMS[room] or 'nothing'}"
            elif "kernel" in room.split("/") and name not in KERNEL_HEADERS | KERNEL_SYSTEM:
                yield f"src/{path} must not include {name}: the kernel is C without SQL"


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
    faults = list(wrong_directions(includes))
    faults += ["these files include each other in a circle: " + " ".join(circle) for circle in circles(includes)]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
