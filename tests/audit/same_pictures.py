"""tests/audit/same_pictures.py OLD NEW: whether two builds of the program draw the same. Renders every view with six
presets as JSON, CSV and SVG, the latter in both themes, by both programs, and compares the files byte for byte, the messages too.
Readouts, which JSON may list, are compared apart: --readouts counts a difference in them as one. The exit code is 1 where
anything differs. It takes some minutes."""
import argparse
import concurrent.futures
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

PRESETS = ("llama-3.1-8b", "gemma-3-4b-it", "phi-3.5-mini-instruct", "flux.1-dev", "qwen2-vl-7b-instruct",
           "gpt-neox-20b")
# Settings that show other figures of a view; the first is none.
SETTINGS = {
    "rotation": ("", "show=helix", "show=forms", "show=pairing"),
    "decay": ("", "show_envelope=true"),
    "compare": ("", "show=matrix", "show=phrase"),
    "attention": ("", "show=shift"),
}
OUTPUTS = (("json", None), ("csv", None), ("svg", "light"), ("svg", "dark"))


def views(program):
    """The views' names are in the message of a name that is none."""
    said = subprocess.run([program, "render", "none", "-o", "x.json"], capture_output=True, text=True).stderr
    return re.search(r"expected one of: (.*)", said).group(1).split(", ")


def render(program, case, folder, name):
    view, preset, setting, (ending, theme) = case
    path = os.path.join(folder, f"{name}.{ending}")
    command = [program, "render", view, "--model", preset, "-o", path]
    command += ["--set", setting] if setting else []
    command += ["--theme", theme] if theme else []
    done = subprocess.run(command, capture_output=True, text=True)
    content = b""
    if os.path.exists(path):
        with open(path, "rb") as file:
            content = file.read()
    said = (done.stdout + done.stderr).replace(path, "FILE")
    return done.returncode, said, content


def without_readouts(content):
    root = json.loads(content)
    root.pop("readouts", None)
    return root


def difference(old, new, case, readouts):
    if old == new:
        return None
    if old[0] != new[0]:
        return f"exit code {old[0]} and {new[0]}: {new[1].strip()}"
    if old[1] != new[1]:
        return f"says {old[1].strip()!r} and {new[1].strip()!r}"
    if case[3][0] == "json" and not readouts and without_readouts(old[2]) == without_readouts(new[2]):
        return None
    return "other bytes"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--readouts", action="store_true", help="readouts count, too")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    given = parser.parse_args()
    programs = [os.path.abspath(given.old), os.path.abspath(given.new)]
    cases = [(view, preset, setting, output) for view in views(programs[0])
             for preset, setting, output in itertools.product(PRESETS, SETTINGS.get(view, ("",)), OUTPUTS)]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        os.environ["XDG_STATE_HOME"] = folder
        results = [pool.map(lambda each, p=program, n=number: render(p, each[1], folder, f"{n}_{each[0]}"),
                            list(enumerate(cases))) for number, program in enumerate(programs)]
        failures = drawn = 0
        for case, old, new in zip(cases, *results):
            drawn += old[0] == 0
            why = difference(old, new, case, given.readouts)
            if why:
                failures += 1
                print(" ".join(str(part) for part in case[:3]), *filter(None, case[3]), "-", why)
    print(f"{len(cases)} files of {len(views(programs[0]))} views, {drawn} drawn, {failures} differ")
    return 1 if failures or drawn == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
