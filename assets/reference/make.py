#!/usr/bin/env python3
"""Writes what the docstrings of the Python package are in besides the modules: PYTHONPATH=build/python python3
assets/reference/make.py. They become the docstrings of the stubs (app/python/ropescope/__init__.pyi), whose signatures are
written by hand, and with these the reference python.json, which `ropescope help --site` shows as a page. tests/python
compares both."""
import ast
import inspect
import json
import pathlib
import textwrap

import ropescope
from ropescope import dump, recording, reports

SOURCE = pathlib.Path(__file__).resolve().parents[2]
TARGET = SOURCE / "assets/reference/python.json"
STUBS = SOURCE / "app/python/ropescope/__init__.pyi"
WIDTH = 118


# --- Stubs ----------------------------------------------------------------------------------------------------------

def docstring(text, indent):
    """Returns the lines of a docstring: paragraphs are filled, code is as it was."""
    width, prefix = WIDTH - len(indent), 'r"""' if "\\" in text else '"""'
    lines = []
    for number, block in enumerate(inspect.cleandoc(text).split("\n\n")):
        lines += [""] if number else []
        if block.startswith("    "):
            lines += block.split("\n")
        else:
            lines += textwrap.wrap((prefix if not number else "") + " ".join(block.split()), width,
                                   break_long_words=False, break_on_hyphens=False)
    # The quotes have a line of their own if the last one is full, or if a quote is before them.
    lines[-1:] = [lines[-1] + '"""'] if len(lines[-1]) <= width - 3 and lines[-1][-1] != '"' else [lines[-1], '"""']
    return [indent + line if line else "" for line in lines]


def described(tree):
    """Returns the classes and functions of the stubs that have a docstring, with it, in the order of their lines."""
    found = []

    def look(node, owner):
        value = getattr(owner, node.name, None)
        if owner is ropescope and value is None:
            value = getattr(reports, node.name, None) or getattr(recording, node.name, None)
        # Python's own texts about __init__ and __eq__ are of no use, nor is what a base class says of itself.
        if not (isinstance(node, ast.FunctionDef) and node.name.startswith("__")):
            text = vars(value).get("__doc__") if isinstance(value, type) else getattr(value, "__doc__", None)
            found.append((node, text))
        for member in node.body if isinstance(node, ast.ClassDef) and value is not None else ():
            if isinstance(member, ast.FunctionDef):
                look(member, value)

    for node in tree.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            look(node, ropescope)
    return [(node, text) for node, text in found if text]


def stubs():
    """Returns the stubs with the docstrings of the modules."""
    text = STUBS.read_text()
    lines = text.split("\n")
    for node, doc in reversed(described(ast.parse(text))):
        first = node.body[0]
        replaced = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
        at = min([first.lineno, *(one.lineno for one in getattr(first, "decorator_list", []))]) - 1
        new = docstring(doc, " " * (node.col_offset + 4))
        if not replaced:
            lines[at:at] = new
        elif lines[at].lstrip().startswith(('"""', 'r"""')):
            lines[at:first.end_lineno] = new
        else:
            lines[at:at + 1] = [lines[at][:first.col_offset].rstrip(), *new]
    return "\n".join(lines)


# --- Reference ------------------------------------------------------------------------------------------------------


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
    tree = ast.parse(STUBS.read_text())
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
    found.append(entry("ropescope.dump", "import ropescope.dump", dump))
    for value in (dump.capture, dump.save):
        name = "ropescope.dump." + value.__name__
        found.append(entry(name, name + str(inspect.signature(inspect.unwrap(value))), value))
    return found


if __name__ == "__main__":
    STUBS.write_text(stubs())
    TARGET.write_text(json.dumps(reference(), indent=1, ensure_ascii=False) + "\n")
    print("%s: %d entries" % (TARGET.relative_to(SOURCE), len(reference())))
