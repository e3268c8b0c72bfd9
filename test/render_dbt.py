"""Renders the examples of doc/examples/dbt as dbt does, by Jinja2 and the few things of dbt that they use, and names
each that differs from what stands in its folder compiled. Usage: render_dbt.py FOLDER [write]
"""

import os
import re
import sys

import jinja2


class Adapter:
    def quote(self, name):
        return f'"{name}"'


def read(*path):
    with open(os.path.join(folder, *path), encoding="utf-8") as stream:
        return stream.read()


folder = sys.argv[1]
environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
environment.globals.update(adapter=Adapter(), config=lambda **_: "", ref=lambda name: f'"shop"."public"."{name}"')
# For Jinja2, a test is a macro whose name dbt makes.
macros = re.sub(r"% test ", "% macro test_", re.sub(r" endtest ", " endmacro ", read("macros", "neardup.sql")))
environment.globals["neardup"] = environment.from_string(macros).module

rendered = {name: environment.from_string(read("examples", name)).render()
            for name in sorted(os.listdir(os.path.join(folder, "examples"))) if name.endswith(".sql")}
# Of the one test in the one column; dbt reads all of YAML.
model, column, test = re.findall(r"- (?:name: |neardup\.)(\w+)", read("examples", "schema.yml"))
arguments = re.search(r"arguments:\n(.*)", read("examples", "schema.yml"), re.DOTALL)[1]
arguments = {name: float(value) if value[0].isdigit() else value for name, value in re.findall(r"(\w+): (.*)", arguments)}
call = getattr(environment.globals["neardup"], "test_" + test)
rendered[f"{test}_{model}_{column}.sql"] = call(environment.globals["ref"](model), column, **arguments)

differ = False
for name, sql in rendered.items():
    path = os.path.join(folder, "compiled", name)
    if len(sys.argv) > 2:
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(sql.strip() + "\n")
    elif not os.path.exists(path) or read("compiled", name).strip() != sql.strip():
        print(name)
        differ = True
sys.exit(differ)
