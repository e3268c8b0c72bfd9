"""Checks META.json by the rules of PGXN's meta specification 1.0.0. Usage: check_meta.py META.json"""

import json
import os
import re
import sys
from urllib.parse import urlparse

REQUIRED = {"name", "version", "abstract", "maintainer", "license", "provides", "meta-spec"}
OPTIONAL = {"description", "generated_by", "tags", "no_index", "prereqs", "release_status", "resources"}
VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-?[A-Za-z][0-9A-Za-z-]*)?")
RANGE = re.compile(r"\s*((==|!=|<=?|>=?)?\s*[^\s,]+\s*(,|$))+")
TERM = re.compile(r"[^\s/\\\x00-\x1f\x7f]{2,}")
LICENSES = {"agpl_3", "apache_1_1", "apache_2_0", "artistic_1", "artistic_2", "bsd", "freebsd", "gfdl_1_2", "gfdl_1_3", "gpl_1", "gpl_2",
            "gpl_3", "lgpl_2_1", "lgpl_3_0", "mit", "mozilla_1_0", "mozilla_1_1", "openssl", "perl_5", "postgresql", "qpl_1_0", "ssleay",
            "sun", "zlib", "open_source", "restricted", "unrestricted", "unknown"}
PHASES = {"configure", "build", "test", "runtime", "develop"}
RELATIONS = {"requires", "recommends", "suggests", "conflicts"}


def text(value):
    return isinstance(value, str) and value.strip() != ""


def uri(value):
    return text(value) and bool(urlparse(value).scheme) and bool(urlparse(value).netloc)


def faults_of_provides(provides, version):
    if not isinstance(provides, dict) or not provides:
        yield "provides is no map of extensions"
        return
    for name, extension in provides.items():
        if not TERM.fullmatch(name):
            yield f"provides: {name} is no term"
        if not text(extension.get("file")) or not os.path.exists(extension["file"]):
            yield f"provides: {name}: there is no file {extension.get('file')}"
        if "docfile" in extension and not os.path.exists(extension["docfile"]):
            yield f"provides: {name}: there is no docfile {extension['docfile']}"
        if extension.get("version") != version:
            yield f"provides: {name} has another version"
        for key in set(extension) - {"file", "version", "abstract", "docfile"}:
            yield f"provides: {name}: {key} is no key"


def faults_of_prereqs(prereqs):
    for phase, relations in prereqs.items():
        if phase not in PHASES:
            yield f"prereqs: {phase} is no phase"
        for relation, needs in relations.items():
            if relation not in RELATIONS:
                yield f"prereqs: {phase}: {relation} is no relation"
            for name, versions in needs.items():
                if not TERM.fullmatch(name) or not RANGE.fullmatch(str(versions)):
                    yield f"prereqs: {phase}: {relation}: {name} {versions}"


def faults_of_resources(resources):
    if not uri(resources.get("homepage")):
        yield "resources: homepage is no URI"
    bugtracker = resources.get("bugtracker", {})
    if not uri(bugtracker.get("web")) or not re.fullmatch(r"[^@\s]+@[^@\s]+", bugtracker.get("mailto", "")):
        yield "resources: bugtracker has no web and mailto"
    repository = resources.get("repository", {})
    if not uri(repository.get("url")) or not uri(repository.get("web")) or repository.get("type") != str(repository.get("type")).lower():
        yield "resources: repository has no url, web and lower-case type"


def faults(meta):
    for key in REQUIRED - set(meta):
        yield f"{key} is missing"
    for key in set(meta) - REQUIRED - OPTIONAL:
        if not key.lower().startswith("x_"):
            yield f"{key} is no key"
    if not TERM.fullmatch(meta.get("name", "")):
        yield "name is no term"
    if not VERSION.fullmatch(meta.get("version", "")):
        yield "version is no semantic version"
    for key in ("abstract", "description", "generated_by"):
        if key in meta and not text(meta[key]):
            yield f"{key} is no text"
    people = meta.get("maintainer")
    if not all(re.fullmatch(r"[^<>]+ <[^@\s]+@[^@\s]+>", str(person)) for person in (people if isinstance(people, list) else [people])):
        yield "maintainer is no name with an address"
    if meta.get("license") not in LICENSES:
        yield "license is unknown to the specification"
    if meta.get("release_status", "stable") not in ("stable", "testing", "unstable"):
        yield "release_status is none of stable, testing, unstable"
    if not all(text(tag) and len(tag) <= 255 and not re.search(r"[/\\\x00-\x1f]", tag) for tag in meta.get("tags", [])):
        yield "a tag is empty, too long, or has a slash"
    if meta.get("meta-spec", {}).get("version") != "1.0.0" or not uri(meta.get("meta-spec", {}).get("url", "https://pgxn.org/")):
        yield "meta-spec is not 1.0.0"
    yield from faults_of_provides(meta.get("provides"), meta.get("version"))
    yield from faults_of_prereqs(meta.get("prereqs", {}))
    yield from faults_of_resources(meta.get("resources", {}))


with open(sys.argv[1], encoding="utf-8") as file:
    found = [f"{sys.argv[1]}: {fault}" for fault in faults(json.load(file))]
print("\n".join(found), end="\n" if found else "")
sys.exit(bool(found))
