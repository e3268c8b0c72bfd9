"""Prints what an upgrade script lacks: the statements of the new install script that neither the old
one nor the upgrade script has, made for an upgrade, and the objects of the old one that are gone.

What is printed is a draft: ALTER OPERATOR FAMILY, changed result types and the order of DROPs are for
its author. test/t/extension/upgrade.pl compares what the upgrade gives. Usage: upgrade_script.py OLD NEW [UPGRADE]
"""

import re
import sys

TOKEN = re.compile(r"--[^\n]*|'(?:[^']|'')*'|\"[^\"]*\"|\$(\w*)\$.*?\$\1\$|\b(?:BEGIN\s+ATOMIC|CASE|END)\b|;|.", re.DOTALL | re.IGNORECASE)


def statements(path):
    """Each statement with one blank where blanks and comments are, and as it is written."""
    text, raw, depth, found = "", "", 0, {}
    script = re.sub(r"^\\.*$", "", open(path, encoding="utf-8").read(), flags=re.MULTILINE)
    for match in TOKEN.finditer(script):
        token = match.group(0)
        raw += token
        word = " ".join(token.upper().split())
        if token.startswith("--"):
            token = " "
        elif word == "BEGIN ATOMIC" or (word == "CASE" and depth):
            depth += 1
        elif word == "END" and depth:
            depth -= 1
        if token == ";" and not depth:
            found[text.strip()] = re.sub(r"\A(\s|--[^\n]*\n)*", "", raw)
            text = raw = ""
        else:
            # Quoted text is as it is; of other blanks one is enough.
            text += token if token[0] in "'\"$" else re.sub(r"\s+", " ", token)
            text = text if token[0] in "'\"$" else re.sub(r"  +$", " ", text)
    assert not text.strip() and not depth, f"{path} ends within a statement: {text[-80:]}"
    return found


def made(statement):
    """What a CREATE makes: kind and name, functions with the types of their arguments."""
    match = re.match(r"CREATE (?:OR REPLACE )?(FUNCTION|PROCEDURE|AGGREGATE|TYPE|OPERATOR CLASS|OPERATOR FAMILY|OPERATOR|CAST|ACCESS METHOD|VIEW|TABLE"
                     r"|EVENT TRIGGER|INDEX|UNIQUE INDEX|TRIGGER) (.*)", statement, re.DOTALL)
    if not match:
        return None
    kind, rest = match.groups()
    if kind in ("FUNCTION", "PROCEDURE", "AGGREGATE", "OPERATOR", "CAST"):
        name, depth = "", 0
        for character in rest:
            name += character
            depth += {"(": 1, ")": -1}.get(character, 0)
            if character == ")" and not depth:
                break
        if kind == "OPERATOR":
            sides = {side: re.search(rf"\b{side} = (\w+)", rest, re.IGNORECASE) for side in ("LEFTARG", "RIGHTARG")}
            name = f"{name.split('(')[0].strip()} ({', '.join(found.group(1) if found else 'NONE' for found in sides.values())})"
        return kind, name
    if kind in ("OPERATOR CLASS", "OPERATOR FAMILY"):
        return kind, f"{rest.split()[0]} USING {re.search(r'USING (?P<am>[a-z_]+)', rest).group('am')}"
    return kind, rest.split("(")[0].split()[0]


def arguments(name):
    """A function's name and its input arguments, without their defaults: what DROP and OR REPLACE go by."""
    function, _, rest = name.partition("(")
    parts = [re.sub(r"\s+(DEFAULT|=)\s.*", "", part.strip()) for part in re.split(r",(?![^()]*\))", rest.rstrip(")"))]
    return f"{function.strip()}({', '.join(part for part in parts if part and not part.upper().startswith('OUT '))})"


def result(statement):
    """What a function returns, and under which names: CREATE OR REPLACE can change neither."""
    returns = re.search(r"\bRETURNS (SETOF )?\S+( \([^)]*\))?", statement)
    return (returns.group(0) if returns else "", re.findall(r"\bOUT \w+ \w+", statement))


def main(old_path, new_path, upgrade_path=None):
    old, new = statements(old_path), statements(new_path)
    upgrade = {re.sub("^CREATE OR REPLACE ", "CREATE ", statement) for statement in (statements(upgrade_path) if upgrade_path else [])}
    there = {(kind, arguments(name) if kind in ("FUNCTION", "PROCEDURE") else name): statement
             for statement in old if made(statement) for kind, name in [made(statement)]}
    kept = set()

    def identity(statement):
        kind, name = made(statement)
        return kind, arguments(name) if kind in ("FUNCTION", "PROCEDURE") else name

    lacking = []
    for statement, written in new.items():
        if made(statement):
            kept.add(identity(statement))
        if statement in old or statement in upgrade:
            continue
        if made(statement) and identity(statement) in there:
            if identity(statement)[0] in ("FUNCTION", "PROCEDURE") and result(there[identity(statement)]) == result(statement):
                written = written.replace("CREATE ", "CREATE OR REPLACE ", 1)
            elif identity(statement)[0] in ("FUNCTION", "PROCEDURE"):
                lacking.append(f"DROP {' '.join(identity(statement))};")
            else:
                lacking.append(f"-- CHANGED, by hand: {' '.join(identity(statement))}")
        lacking.append(written)
    for kind, name in there:
        if (kind, name) not in kept and not any(change.startswith(f"DROP {kind} ") and name.split("(")[0] in change for change in upgrade):
            lacking.append(f"DROP {kind} {name};")
    if lacking and not upgrade_path:
        print('\\echo Use "ALTER EXTENSION neardup UPDATE" to load this file. \\quit')
    for statement in lacking:
        print(f"\n{statement}")
    return bool(lacking)


sys.exit(main(*sys.argv[1:]))
