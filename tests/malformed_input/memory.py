#!/usr/bin/env python3
"""tests/malformed_input/memory.py PROGRAM [--rows N]: what large sound files cost, format by format: the same table of N rows
(131 072: 64 MiB) as each of them, judged by `check`. What is held beside the program's own memory must be at most twice
the file (pages of a mapped file count as held); the exit code is 1 where it is more. So must the index of a model in
parts; the header of a model in one file, whose tensors are empty here so that nothing else counts, at most four times
its text. Descriptions of models as JSON become a tree: 16 bytes for a number and some 100 for a member of an object,
however short its text, and the library holds them twice while a list grows or goes. A description may have 100 000
values, so their bound is in MiB: 16. Needs NumPy.

With --short [STEP]: every kind of command under limits of the addresses that it may take (ulimit -v), 200 000 to
1 200 000 KiB in steps of STEP (100 000): it succeeds, or ends with 2 and a sentence of its own, never by a signal.
With --sample each command runs under every third limit, the next command runs under different ones; ROPESCOPE_LONG=1 runs all."""
import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile

MEBI = 1 << 20
CHECK = ["check", "--dim", "128", "--base", "10000"]


def make(rows):
    import numpy as np  # by the maker alone

    inverse = 10000.0 ** (-np.arange(64) / 64)
    angles = np.outer(np.arange(rows), inverse)
    cos, sin = np.cos(angles).astype("f4"), np.sin(angles).astype("f4")
    np.save("cos.npy", cos)
    np.save("sin.npy", sin)
    np.savez("table.npz", cos=cos, sin=sin)
    np.savez_compressed("packed.npz", cos=cos, sin=sin)
    ends = {"cos": [0, cos.nbytes], "sin": [cos.nbytes, 2 * cos.nbytes]}
    header = json.dumps({name: {"dtype": "F32", "shape": list(cos.shape), "data_offsets": ends[name]} for name in ends}).encode()
    with open("table.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header + cos.tobytes() + sin.tobytes())
    for name, values in (("cos.csv", cos), ("sin.csv", sin)):
        np.savetxt(name, values[: rows // 3], delimiter=",", fmt="%.9g")
    model = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "max_position_embeddings": 2048, "rope_theta": 10000.0}
    for folder in ("parts", "whole"):
        os.mkdir(folder)
        with open(f"{folder}/config.json", "w") as file:
            json.dump(model, file)
    part = "model-00001-of-00163.safetensors"
    names = [f"model.layers.{i // 1000}.mlp.experts.{i % 1000}.gate_proj.weight" for i in range(90_000)]
    with open("parts/model.safetensors.index.json", "w") as file:
        json.dump({"metadata": {"total_size": 1}, "weight_map": {name: part for name in names}}, file, indent=2)
    header = json.dumps({name: {"dtype": "F32", "shape": [16, 0], "data_offsets": [0, 0]} for name in names}).encode()
    with open("whole/model.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
    with open("numbers.json", "w") as file:
        json.dump({**model, "x": [i * 1.5 for i in range(99_000)]}, file)
    with open("ones.json", "w") as file:
        json.dump({**model, "x": [1] * 99_000}, file, separators=(",", ":"))
    with open("members.json", "w") as file:
        json.dump({**model, "x": {str(i): 1 for i in range(99_000)}}, file, separators=(",", ":"))


CASES = [
    (2, ["cos.npy", "sin.npy"], CHECK + ["--cos", "cos.npy", "--sin", "sin.npy"]),
    (2, ["table.npz"], CHECK + ["--cos", "table.npz:cos", "--sin", "table.npz:sin"]),
    (2, ["packed.npz"], CHECK + ["--cos", "packed.npz:cos", "--sin", "packed.npz:sin"]),
    (2, ["table.safetensors"], CHECK + ["--cos", "table.safetensors:cos", "--sin", "table.safetensors:sin"]),
    (2, ["cos.csv", "sin.csv"], CHECK + ["--cos", "cos.csv", "--sin", "sin.csv"]),
    (2, ["parts/model.safetensors.index.json"], ["config", "parts"]),
    (4, ["whole/model.safetensors"], ["config", "whole"]),
    (None, ["numbers.json"], ["config", "numbers.json"]),
    (None, ["ones.json"], ["config", "ones.json"]),
    (None, ["members.json"], ["config", "members.json"]),
]
MOST_OF_JSON = 16  # MiB


SHORT = [
    ["screenshot", "-o", "window.png"],
    ["render", "decay", "-o", "decay.svg"],
    ["render", "similarity", "-o", "similarity.png", "--size", "4000x3000"],
    ["handout", "04-turn", "-o", "turn.pdf"],
    ["lesson", "04-turn", "-o", "turn.png"],
    ["animate", "decay", "--sweep", "rope.base=100..1e6", "--seconds", "1", "--fps", "4", "-o", "decay.gif"],
    ["decay", "--dim", "128", "--base", "10000", "--distances", "0:2000", "-o", "decay.csv"],
    ["check", "--dim", "128", "--base", "10000", "--frequencies", "absent.npy"],
    ["limits", "--dim", "128", "--base", "10000", "-o", "limits.txt"],
]


def run_short(program, step, every):
    """How many of the commands ended otherwise under one of the limits; a window too, where there is a display."""
    failures, windows = 0, [[]] if os.environ.get("DISPLAY") else []
    limits, commands = range(200_000, 1_200_001, step), SHORT + windows
    cells = [(i, j) for i in range(len(limits)) for j in range(len(commands)) if (i + j) % every == 0]
    print(f"[ SAMPLED  ] commands × limits of memory: {len(cells)} of {len(limits) * len(commands)} cells")
    for kibibytes, words in ((limits[i], commands[j]) for i, j in cells):
        shell = f'ulimit -v {kibibytes}; exec "$0" "$@"'
        try:
            done = subprocess.run(["bash", "-c", shell, program, *words], capture_output=True, timeout=120 if words else 10, env={**os.environ, "XDG_STATE_HOME": os.getcwd()})
            code, lines = done.returncode, done.stderr.decode("utf-8", "replace").strip().splitlines()
        except subprocess.TimeoutExpired:
            # A window that is up stays up.
            code, lines = 0 if not words else "none in time", []
        said = [line for line in lines if "EGL" in line or "OpenGL" in line]
        good = code == 0 or (code == 2 and lines and not said)
        failures += not good
        if not good:
            print(f"BAD {kibibytes} KiB, {' '.join(words) or 'the window'}: exit {code} {' | '.join(lines[-2:])}")
    return failures


def run(program, words):
    """Exit code, MiB held at most, what it said."""
    process = subprocess.Popen([program, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = process.stderr.read().decode("utf-8", "replace").strip()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_maxrss / 1024, said


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--rows", type=int, default=131072)
    parser.add_argument("--short", type=int, nargs="?", const=100_000)
    parser.add_argument("--sample", action="store_true")
    options = parser.parse_args()
    program, failures = os.path.abspath(options.program), 0
    with tempfile.TemporaryDirectory(prefix="ropescope-memory-") as folder:
        os.chdir(folder)
        if options.short:
            failures = run_short(program, options.short, 3 if options.sample and os.environ.get("ROPESCOPE_LONG") != "1" else 1)
            os.chdir("/")
            print(f"{failures} commands ended otherwise than with a sentence" if failures else "short memory is said by every command")
            return 1 if failures else 0
        # NumPy and all by a process of its own: what this one held would count as held by every program that it starts.
        maker = os.fork()
        if maker == 0:
            try:
                make(options.rows)
                os._exit(0)
            finally:
                os._exit(1)
        if os.waitpid(maker, 0)[1] != 0:
            return 2
        own = run(program, ["layouts"])[1]
        for most, files, words in CASES:
            size = sum(os.path.getsize(name) for name in files) / MEBI
            code, held, said = run(program, words)
            times = (held - own) / size
            good = code == 0 and (times <= most if most else held - own <= MOST_OF_JSON)
            failures += not good
            print(f"{'ok ' if good else 'BAD'} {' + '.join(files)}: {size:.1f} MiB, held {held - own:.1f} MiB, {times:.2f} times ({most or f'{MOST_OF_JSON} MiB'}), exit {code} {said}")
        os.chdir("/")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
