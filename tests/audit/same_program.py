"""tests/audit/same_program.py: whether two builds of the program, OLD and NEW, are the same to whoever uses them: the oracle of
a change that only moves code. Each part names what differs and exits with 1 then:
  screens OLD NEW             every view in the window at three sizes, both themes and three languages, pixel by pixel, but
                              for the line at the bottom, which says how long something took. Copy NEW beside OLD first:
                              other words are other glyphs, and these move the texture that all of them are drawn from.
  experiments OLD NEW COUNT   random experiments through JSON and drawing: pictures, tables, readouts, byte by byte
  lines OLD NEW FILE COUNT    COUNT command lines made of those in FILE by one change each: output, messages, exit code
  wrapper OLD NEW LOG         prints a program that runs both, one after the other in the same place, gives what NEW gave
                              and writes to LOG what differs; to LOG.lines the command lines. Put in NEW's place it turns
                              any test of the program (ctest -L command_line, tests/audit/check_cases.py) into a comparison.
Pictures in files, all views and presets, are tests/audit/same_pictures.py."""
import argparse
import concurrent.futures
import hashlib
import itertools
import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
import zlib

from same_pictures import PRESETS, SETTINGS, views

SIZES = (("1280x720", "100"), ("1600x1000", "100"), ("3840x2160", "200"))
THEMES = ("dark", "light")
LANGUAGES = ("en", "ja", "ko")


def pixels(content, left_out=0):
    """The rows of a PNG as they are packed, less some at the bottom, by hash."""
    packed, at = b"", 8
    height = int.from_bytes(content[20:24], "big")
    while at < len(content):
        size = int.from_bytes(content[at:at + 4], "big")
        if content[at + 4:at + 8] == b"IDAT":
            packed += content[at + 8:at + 8 + size]
        at += 12 + size
    rows = zlib.decompress(packed)
    return hashlib.sha256(rows[:len(rows) // height * (height - left_out)]).hexdigest()


def screen(content):
    """3 % of the height, 22 of 720 rows: the status line. No row depends on one below it."""
    return pixels(content, int.from_bytes(content[20:24], "big") * 3 // 100)


def run(program, arguments, folder, limit=120, digest=lambda content: hashlib.sha256(content).hexdigest()):
    """What a program prints, says and ends with, and the files that it leaves in an empty folder, by hash."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        environment = {**os.environ, "XDG_STATE_HOME": os.path.join(place, "state")}
        try:
            done = subprocess.run([program, *arguments], capture_output=True, cwd=place, timeout=limit, env=environment,
                                  stdin=subprocess.DEVNULL)
            result = [done.returncode, done.stdout, done.stderr]
        except subprocess.TimeoutExpired:
            result = ["too long", b"", b""]
        files = {}
        for top, _, names in os.walk(place):
            for name in names:
                path = os.path.join(top, name)
                if "state" not in os.path.relpath(path, place).split(os.sep):
                    with open(path, "rb") as file:
                        files[os.path.relpath(path, place)] = digest(file.read())
        return (*result, files)


def why(old, new):
    for what, a, b in zip(("exit code", "output", "message", "files"), old, new):
        if a != b:
            shown = [x.decode(errors="replace")[-200:] if isinstance(x, bytes) else x for x in (a, b)]
            return f"{what}: {shown[0]!r} and {shown[1]!r}"
    return None


def compare(programs, lines, jobs, **how):
    """Runs both with each of the lines; the number that differ."""
    differ = drawn = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for line, (old, new) in zip(lines, pool.map(lambda line: [run(p, line, folder, **how) for p in programs], lines)):
            drawn += old[0] == 0
            reason = why(old, new)
            if reason:
                differ += 1
                print(shlex.join(line)[:400], "-", reason)
    print(f"{len(lines)} runs, {drawn} without an error, {differ} differ")
    return 1 if differ or not drawn else 0


def screens(programs):
    cases = list(itertools.product(views(programs[0]), SIZES, THEMES))
    return [["screenshot", "--view", view, "--size", size, "--text-scale", text, "--theme", theme, "--language",
             LANGUAGES[i % 3], "--model", PRESETS[i % len(PRESETS)], "-o", "x.png"]
            for i, (view, (size, text), theme) in enumerate(cases)]


def fields_of(program):
    """The keys of --set with what they take, from the help of the program itself."""
    said = subprocess.run([program, "render", "--help"], capture_output=True, text=True).stdout
    fields = {}
    for line in said.split("Fields of --set")[1].splitlines()[1:]:
        parts = line.split(None, 1)
        if len(parts) == 2 and line.startswith("  "):
            fields[parts[0]] = parts[1]
    return fields


def value_of(chance, takes):
    """Mostly a value that the field takes, as its help says: "a whole number from 0 to 4095; default 8"."""
    said = takes.split(";")[0]
    bounds = re.fullmatch(r"a (whole )?number from (\S+) to (\S+)", said)
    if chance.random() < 0.05:
        return chance.choice(("", "-1", "nan", "1e999", "x"))
    if bounds:
        low, high = float(bounds[2]), float(bounds[3])
        share = chance.random() ** 3
        value = low + share * (min(high, low + 1e6) - low)
        return str(round(value)) if bounds[1] else f"{value:.6g}"
    if re.fullmatch(r"[\w-]+((, [\w-]+)* or [\w-]+)", said):
        return chance.choice(said.replace(" or ", ", ").split(", "))
    return takes.split("; default ")[-1]


def experiments(programs, count):
    chance = random.Random(1)
    fields, names = fields_of(programs[0]), views(programs[0])
    lines = []
    for _ in range(count):
        view = chance.choice(names)
        own = [key for key in fields if key.startswith((view + ".", "rope.", "encoding.", "layout."))] or list(fields)
        line = ["render", view, "--model", chance.choice(PRESETS), "-o", "x." + chance.choice(("json", "svg", "csv", "json"))]
        for key in chance.sample(own, min(len(own), chance.randint(0, 4))):
            line += ["--set", f"{key}={value_of(chance, fields[key])}"]
        if chance.random() < 0.3 and SETTINGS.get(view):
            setting = chance.choice(SETTINGS[view])
            line += ["--set", setting] if setting else []
        lines.append(line + ["--language", chance.choice(LANGUAGES)] +
                     (["--theme", chance.choice(THEMES)] if line[5] == "x.svg" else []))
    return lines


def mutated(chance, line):
    line = list(line)
    at = chance.randrange(len(line))
    kind = chance.randrange(7)
    if kind == 0:
        del line[at]
    elif kind == 1:
        line.insert(at, chance.choice(line))
    elif kind == 2:
        line[at] = chance.choice(("0", "-1", "1e999", "nan", "", "x", "999999999999", "0.5", "--help"))
    elif kind == 3 and len(line[at]) > 1:
        letter = chance.randrange(len(line[at]))
        line[at] = line[at][:letter] + line[at][letter + 1:]
    elif kind == 4:
        line += ["--" + chance.choice(("dim", "base", "scaling", "pairing", "threads", "format", "model", "language"))]
    elif kind == 5:
        line += ["--" + chance.choice(("dim", "base", "threads")), chance.choice(("64", "1", "3", "2.5", "abc", "1e5"))]
    else:
        other = chance.randrange(len(line))
        line[at], line[other] = line[other], line[at]
    return line


# What waits for a key or a change, shows a window, or says how long something took.
LEFT_OUT = ("--watch", "--follow", "window")


def lines(path, count):
    chance = random.Random(2)
    with open(path, encoding="utf-8") as file:
        known = sorted({line.strip() for line in file if line.strip()})
    recorded = [json.loads(line) for line in known]
    recorded = [line for line in recorded if line and not set(line) & set(LEFT_OUT) and line[0] != "race"]
    made = recorded + [mutated(chance, chance.choice(recorded)) for _ in range(count)]
    # A line without a command would open the window.
    return [line for line in made if line and line[0] in {known[0] for known in recorded}]


WRAPPER = '''#!/usr/bin/env python3
import hashlib, json, os, subprocess, sys
OLD, NEW, LOG, LEFT_OUT = {old!r}, {new!r}, {log!r}, {left_out!r}
line = sys.argv[1:]
if set(line) & set(LEFT_OUT) or not line or line[0] == "race":
    os.execv(NEW, [NEW, *line])
def files():
    found = {{}}
    for i, word in enumerate(line):
        if os.path.isfile(word) and i and line[i - 1] in ("-o", "--output", "--junit", "--json", "--output-q", "--output-k"):
            with open(word, "rb") as file:
                found[word] = hashlib.sha256(file.read()).hexdigest()
    return found
given = sys.stdin.buffer.read() if "-" in line else b""
results = []
for program in (OLD, NEW):
    done = subprocess.run([program, *line], input=given, capture_output=True)
    results.append((done.returncode, done.stdout, done.stderr, files()))
with open(LOG + ".lines", "a") as log:
    log.write(json.dumps(line) + "\\n")
if results[0] != results[1]:
    with open(LOG, "a") as log:
        log.write(json.dumps(line) + "\\n  " + repr(results[0])[:2000] + "\\n  " + repr(results[1])[:2000] + "\\n")
sys.stdout.buffer.write(results[1][1])
sys.stderr.buffer.write(results[1][2])
sys.stdout.flush()
code = results[1][0]
if code < 0:
    os.kill(os.getpid(), -code)
sys.exit(code)
'''


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("screens", "experiments", "lines", "wrapper"))
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("rest", nargs="*")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    given = parser.parse_args()
    programs = [os.path.abspath(given.old), os.path.abspath(given.new)]
    if given.part == "wrapper":
        print(WRAPPER.format(old=programs[0], new=programs[1], log=os.path.abspath(given.rest[0]), left_out=LEFT_OUT), end="")
        return 0
    made = {"screens": lambda: screens(programs),
            "experiments": lambda: experiments(programs, int(given.rest[0])),
            "lines": lambda: lines(given.rest[0], int(given.rest[1]))}[given.part]()
    return compare(programs, made, given.jobs, **({"digest": screen} if given.part == "screens" else {}))


if __name__ == "__main__":
    sys.exit(main())
