#!/usr/bin/env python3
"""Writes the reference of the Python package, python.json, from its docstrings and stubs: PYTHONPATH=build/python python3
assets/reference/make.py. `ropescope help --site` shows it as a page; tests/python compares it."""
import ast
import inspect
import json
import pathlib

import ropescope

SOURCE = pathlib.Path(__file__).resolve().parents[2]
TARGET = SOURCE / "assets/reference/python.json"


def signature(name, node):
    """Returns the call of a function of the stubs, without self: "cos_sin(positions, dtype='float32', *, threads=0)"."""
    arguments = node.args
    for part in (*arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
        if part:
            part.annotation = None
    if arguments.args and arguments.args[0].arg == "self":
        del arguments.args[0]
    return "%s(%s)" % (name, ast.unparse(arguments).replace(", /", ""))


def paragraphs(text):
    """Returns the paragraphs of a docstring: strings, or lists of lines for code."""
    found = []
    for block in inspect.cleandoc(text or "").split("\n\n"):
        lines = block.split("\n")
        found.append([line[4:] for line in lines] if block.startswith("    ") else " ".join(line.strip() for line in lines))
    return found


def entry(name, call, value):
    return {"name": name, "signature": call, "doc": paragraphs(value.__doc__)}


def members(name, node, classes):
    """Returns the entries of a class: itself, then its members and those of its bases in the order of the stubs."""
    bound = getattr(ropescope, name)
    nodes = [node, *(classes[base.id] for base in node.bases if getattr(base, "id", "") in classes)]
    bodies = {part.name: part for one in nodes for part in one.body if isinstance(part, ast.FunctionDef)}
    yield entry(name, signature(name, bodies["__init__"]) if "__init__" in bodies else name, bound)
    for member, part in bodies.items():
        value = getattr(bound, member, None)
        if member.startswith("_") or not getattr(value, "__doc__", None):
            continue
        attribute = any(getattr(one, "id", "") == "property" for one in part.decorator_list)
        full = name + "." + member
        yield entry(full, full if attribute else signature(full, part), value)


def reference():
    tree = ast.parse((SOURCE / "app/python/ropescope/__init__.pyi").read_text())
    found = [entry("ropescope", "import ropescope as rs", ropescope)]
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    for node in tree.body:
        name = getattr(node, "name", "")
        if name not in ropescope.__all__:
            continue
        if isinstance(node, ast.ClassDef):
            found.extend(members(name, node, classes))
        else:
            found.append(entry(name, signature(name, node), getattr(ropescope, name)))
    return found


if __name__ == "__main__":
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(json.dumps(reference(), indent=1, ensure_ascii=False) + "\n")
    print("%s: %d entries" % (TARGET.relative_to(SOURCE), len(reference())))
