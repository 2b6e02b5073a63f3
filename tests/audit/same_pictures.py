"""tests/audit/same_pictures.py OLD NEW: whether two builds of the program draw the same. Renders every view with six
presets as JSON, CSV and SVG, the latter in both themes, by both programs, and compares the files byte for byte, the messages too.
Readouts, which JSON may list, are compared apart: --readouts counts a difference in them as one. --numbers compares the
numbers of the JSON only, so that builds with other words can be compared, and says where the first differs. A picture that
OLD does not know yet is left out. The exit code is 1 where anything differs. It takes some minutes."""
import argparse
import concurrent.futures
import itertools
import json
import math
import os
import re
import subprocess
import sys
import tempfile

PRESETS = ("llama-3.1-8b", "gemma-3-4b-it", "phi-3.5-mini-instruct", "flux.1-dev", "qwen2-vl-7b-instruct",
           "gpt-neox-20b")
# Settings that show other figures of a view; the first is none.
SETTINGS = {
    "rotation": ("", "show=helix", "show=forms", "show=pairing", "show=law"),
    "decay": ("", "show_envelope=true", "show=phasors"),
    "encodings": ("", "show=matrix", "show=phrase"),
    "attention": ("", "show=shift", "show=shuffle", "show=energy"),
    "atlas": ("", "values=rope-cos", "values=rope-sin", "values=rope-angle", "values=learned"),
    "limits": ("", "show=information", "show=dropped"),
    "precision": ("", "show=shift"),
}
# Set in both with --numbers: an opened model did not always set them.
LENGTHS = {"decay": "decay.span=8192", "limits": "limits.context=8192", "precision": "precision.span=8192"}
# What a program says of a choice or a knob that it does not have.
UNKNOWN = r"expected one of|--set:"
OUTPUTS = (("json", None), ("csv", None), ("svg", "light"), ("svg", "dark"))


def views(program):
    """The views' names are in the message of a name that is none."""
    said = subprocess.run([program, "render", "none", "-o", "x.json"], capture_output=True, text=True).stderr
    return re.search(r"expected one of: (.*)", said).group(1).split(", ")


def render(program, case, folder, name, numbers):
    view, preset, setting, (ending, theme) = case
    path = os.path.join(folder, f"{name}.{ending}")
    command = [program, "render", view, "--model", preset, "-o", path]
    command += ["--set", setting] if setting else []
    command += ["--set", LENGTHS[view]] if numbers and view in LENGTHS else []
    command += ["--theme", theme] if theme else []
    done = subprocess.run(command, capture_output=True, text=True)
    content = b""
    if os.path.exists(path):
        with open(path, "rb") as file:
            content = file.read()
    said = (done.stdout + done.stderr).replace(path, "FILE")
    return done.returncode, said, content


def knows(program, view, setting, folder):
    """A choice, or a knob, that came later is none of this program."""
    if not setting:
        return True
    command = [program, "render", view, "--model", PRESETS[0], "--set", setting, "-o", os.path.join(folder, "known.json")]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode == 0 or not re.search(UNKNOWN, done.stderr)


def first_difference(old, new, path=""):
    """Of two JSON values, texts apart: where and what; none where all numbers of OLD are the same. What only NEW has is
    no difference."""
    if isinstance(old, str) and isinstance(new, str):
        return None
    if isinstance(old, dict) and isinstance(new, dict):
        for key in old:
            if key not in new:
                return f"{path}.{key}: only in the old one"
            why = first_difference(old[key], new[key], f"{path}.{key}")
            if why:
                return why
        return None
    if isinstance(old, list) and isinstance(new, list):
        for i, pair in enumerate(zip(old, new)):
            why = first_difference(*pair, f"{path}[{i}]")
            if why:
                return why
        return f"{path}: {len(old)} and {len(new)} entries" if len(old) != len(new) else None
    numbers = all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in (old, new))
    # Two processors, or two orders of a sum, may round the last digit otherwise.
    same = math.isclose(old, new, rel_tol=1e-9, abs_tol=1e-9) if numbers else old == new
    return None if same else f"{path}: {json.dumps(old)} and {json.dumps(new)}"


def without_readouts(content):
    root = json.loads(content)
    root.pop("readouts", None)
    return root


def difference(old, new, case, readouts, numbers):
    if old == new:
        return None
    if old[0] != new[0]:
        return f"exit code {old[0]} and {new[0]}: {new[1].strip()}"
    if numbers:
        if old[0] != 0:
            return None
        roots = [json.loads(each[2]) if readouts else without_readouts(each[2]) for each in (old, new)]
        return first_difference(*roots)
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
    parser.add_argument("--numbers", action="store_true", help="numbers of the JSON only, whatever the words")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    given = parser.parse_args()
    programs = [os.path.abspath(given.old), os.path.abspath(given.new)]
    outputs = [output for output in OUTPUTS if not given.numbers or output[0] == "json"]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        os.environ["XDG_STATE_HOME"] = folder
        cases = [(view, preset, setting, output) for view in views(programs[0])
                 for setting in SETTINGS.get(view, ("",)) if knows(programs[0], view, setting, folder)
                 for preset, output in itertools.product(PRESETS, outputs)]
        results = [pool.map(lambda each, p=program, n=number: render(p, each[1], folder, f"{n}_{each[0]}", given.numbers),
                            list(enumerate(cases))) for number, program in enumerate(programs)]
        failures = drawn = 0
        for case, old, new in zip(cases, *results):
            drawn += old[0] == 0
            why = difference(old, new, case, given.readouts, given.numbers)
            if why:
                failures += 1
                print(" ".join(str(part) for part in case[:3]), *filter(None, case[3]), "-", why)
    print(f"{len(cases)} files of {len(views(programs[0]))} views, {drawn} drawn, {failures} differ")
    return 1 if failures or drawn == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
