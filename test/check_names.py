"""Names in src, part of make lint.

No base name of a file and no static function stands in two folders, unless the folders mirror
each other: a debugger, a profile and a search must tell them apart. A header declares only
functions that the file of its name defines.
"""

import os
import re
import sys

# Folders that mirror each other: the three types.
MIRRORS = [{"tokenset", "simhash", "minhash"}]

STATIC = re.compile(r"^static (?!const\b[^(]*=)[^\n;={}]*\n(\w+)\(", re.M)
DEFINED = re.compile(r"^(?!static\b|typedef\b)[A-Za-z_][^\n;={}]*\n(\w+)\(", re.M)
MACRO = re.compile(r"^[A-Z_0-9]+\((\w+)", re.M)
DECLARED = re.compile(r"^extern [^;{}]*?\b(\w+)\(", re.M)


def read_sources(root):
    """{path: text} of the C files of a folder and those below."""
    sources = {}
    for folder, _, names in os.walk(root):
        for name in names:
            if name.endswith((".c", ".h")):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as stream:
                    sources[os.path.relpath(path, root)] = stream.read()
    return sources


def are_mirrors(folders):
    return any(folders <= mirror for mirror in MIRRORS)


def repeated(places, kind):
    """Faults of the names that stand in several files; places is {name: set of stems}."""
    for name, stems in sorted(places.items()):
        if len(stems) > 1 and not are_mirrors({os.path.dirname(stem) for stem in stems}):
            yield f"{kind} {name} is in several files: " + " ".join(f"src/{stem}" for stem in sorted(stems))


def repeated_files(sources):
    places = {}
    for path in sources:
        stem = os.path.splitext(path)[0]
        places.setdefault(os.path.basename(stem), set()).add(stem)
    return repeated(places, "the base name")


def repeated_functions(sources):
    places = {}
    for path, text in sources.items():
        if path.endswith(".c"):
            for name in STATIC.findall(text):
                places.setdefault(name, set()).add(os.path.splitext(path)[0])
    return repeated(places, "the static function")


def misplaced_declarations(sources):
    for path, text in sorted(sources.items()):
        if path.endswith(".h"):
            source = path[:-2] + ".c"
            text_of_source = sources.get(source, "")
            defined = set(DEFINED.findall(text_of_source) + MACRO.findall(text_of_source))
            for name in DECLARED.findall(text):
                if name not in defined:
                    yield f"src/{path} declares {name}, which src/{source} does not define"


def main():
    sources = read_sources("src")
    faults = [*repeated_files(sources), *repeated_functions(sources), *misplaced_declarations(sources)]
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
