#!/usr/bin/env python3
"""Kills `ropescope race` at random moments, goes on with what was saved, and holds the end against a race that nobody
disturbed; and measures how soon Ctrl+C ends one.

    python3 tests/soak/race_kills.py build/ropescope                     # 50 kills, then 50 times Ctrl+C of each kind
    python3 tests/soak/race_kills.py build/ropescope --kills 500 --interrupts 0

After SIGKILL at a seeded moment
  - the table, the saved runs and the weights that are there are whole, whatever the moment was,
  - `--resume` goes on, and its end is that of the undisturbed race to the byte: table (but for the seconds, which are those of
    this run), weights, losses beyond the length, queries and keys.
Ctrl+C comes in the middle of training by one thread and by all, while the runs are being saved, and while long sequences are
read. Said are the times from the signal to the line that answers it and to the end of the process (the system takes back the
memory in between), their medians and maxima. The race must exit with 130, leave no half-written file, and not have begun
another table.
"""
import argparse
import csv
import os
import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

RACE = ["race", "--encodings", "rope,t5", "--task", "nearest", "--layers", "2", "--width", "32", "--heads", "2", "--length", "64",
        "--batch", "8", "--seeds", "1:2", "--beyond", "2"]
PART = ".ropescope-*.part"


def arguments(program, folder, steps, resume):
    for name in ("weights", "dump"):
        (folder / name).mkdir(exist_ok=True)
    more = ["--steps", str(steps), "-o", str(folder / "race.csv"), "--weights", str(folder / "weights"), "--dump", str(folder / "dump")]
    return [program, *RACE, *more, *(["--resume"] if resume else [])]


def without_seconds(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    at = rows[0].index("seconds")
    if any(len(row) != len(rows[0]) for row in rows):
        raise ValueError(f"{path} has a row that is cut off")
    return [row[:at] + row[at + 1:] for row in rows]


def left_by(folder):
    files = {}
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.name.endswith((".saved", ".part")):
            continue
        plain = path.name == "race.csv"
        files[str(path.relative_to(folder))] = without_seconds(path) if plain else path.read_bytes()
    return files


def kill_races(program, count, steps, generator, home):
    whole = home / "whole"
    whole.mkdir()
    begin = time.monotonic()
    subprocess.run(arguments(program, whole, steps, False), check=True, stderr=subprocess.DEVNULL)
    lasts = time.monotonic() - begin
    expected = left_by(whole)
    print(f"an undisturbed race takes {lasts:.1f} s and leaves {len(expected)} files", flush=True)
    killed = resumed = wrong = races = 0
    while killed < count:
        folder = home / f"race-{races}"
        folder.mkdir()
        races += 1
        for _ in range(generator.randint(1, 3)):
            if killed == count:
                break
            saved = folder / "race.csv.saved"
            resumed += saved.exists()
            process = subprocess.Popen(arguments(program, folder, steps, True), stderr=subprocess.DEVNULL)
            time.sleep(generator.uniform(0, lasts))
            ended = process.poll() is not None
            process.kill()
            process.wait()
            killed += not ended
            if (folder / "race.csv").exists():
                without_seconds(folder / "race.csv")
        end = subprocess.run(arguments(program, folder, steps, True), capture_output=True, text=True)
        found = left_by(folder)
        parts = list(folder.rglob(PART))
        if end.returncode != 0 or found != expected or parts:
            wrong += 1
            other = [name for name in expected if found.get(name) != expected[name]]
            print(f"race {races - 1}: exit {end.returncode}, other: {other}, parts: {parts}\n{end.stderr}", flush=True)
        shutil.rmtree(folder)
    print(f"{killed} kills in {races} races, {resumed} times gone on with saved runs: {races - wrong} ends equal, {wrong} not", flush=True)
    return wrong


def interrupt_once(command, folder, ready, delay):
    """Seconds from the signal to the answer, and to the end; what is wrong, as a text."""
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, cwd=folder)
    until = time.monotonic() + 120
    while not ready():
        if process.poll() is not None or time.monotonic() > until:
            process.kill()
            return None, f"it ended before the signal: {process.communicate()[1]}"
        time.sleep(0.001)
    time.sleep(delay)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.csv")}
    begin = time.perf_counter()
    process.send_signal(signal.SIGINT)
    said, answered = "", None
    for line in process.stderr:
        said += line
        if "cancelled" in line:
            answered = time.perf_counter() - begin
            break
    process.wait()
    took = time.perf_counter() - begin
    wrong = []
    if process.returncode != 130:
        wrong.append(f"exit {process.returncode}: {said}")
    if "cancelled before the end" not in said:
        wrong.append(f"it says {said!r}")
    if list(folder.rglob(PART)):
        wrong.append("a part is left")
    # What was being written when the signal came may still appear whole.
    if {path for path in folder.rglob("*.csv")} - set(before):
        wrong.append("a table was begun afterwards")
    return (answered, took), "; ".join(wrong)


def interrupt_races(program, count, only, generator, home):
    small = ["--encodings", "rope,none", "--task", "nearest", "--seeds", "1:3"]
    large = ["--encodings", "rope,t5,none", "--task", "nearest", "--seeds", "1:2", "--layers", "4", "--width", "256", "--length", "16",
             "--batch", "1", "--every", "1", "--steps", "100000"]
    long = [*small, "--length", "1024", "--batch", "1", "--steps", "1", "--beyond", "8"]
    kinds = {
        "training, one thread": ([*small, "--threads", "1", "--steps", "100000"], "training"),
        "training, all threads": ([*small, "--steps", "100000"], "training"),
        "one step of seconds": ([*small[:4], "--seeds", "1", "--layers", "4", "--width", "256", "--length", "1024", "--batch", "16",
                                 "--steps", "2"], "training"),
        "saving 230 MB": (large, "saving"),
        "beyond, one thread": ([*long, "--threads", "1"], "beyond"),
        "beyond, all threads": (long, "beyond"),
    }
    bad = 0
    for name, (options, stage) in kinds.items():
        if only not in name:
            continue
        times = []
        for number in range(count):
            folder = home / f"interrupt-{number}"
            folder.mkdir()
            ready = {
                "training": lambda: True,
                "saving": lambda: any(size > 1 << 20 for size in part_sizes(folder)),
                "beyond": lambda: (folder / "race.csv").exists(),
            }[stage]
            delay = generator.uniform(0.5, 1.5) if stage == "training" else generator.uniform(0, 0.05 if stage == "saving" else 1)
            took, wrong = interrupt_once([program, "race", *options, "-o", "race.csv"], folder, ready, delay)
            if wrong:
                bad += 1
                print(f"{name}: {wrong}", flush=True)
            if took is not None and took[0] is not None:
                times.append(took)
            shutil.rmtree(folder)
        for what, number in ("answered", 0), ("ended", 1):
            taken = [1000 * one[number] for one in times]
            if taken:
                print(f"Ctrl+C, {name}: {len(taken)} {what}, median {statistics.median(taken):.1f} ms, most {max(taken):.1f} ms", flush=True)
    return bad


def part_sizes(folder):
    for path in folder.glob(PART):
        try:
            yield path.stat().st_size
        except FileNotFoundError:
            continue


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--interrupts", type=int, default=50)
    parser.add_argument("--only", default="", help="part of the names of those of Ctrl+C that are tried")
    parser.add_argument("--steps", type=int, default=400, help="of the race that is killed: it should take longer than two savings")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    program = os.path.abspath(options.program)
    generator = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        wrong = kill_races(program, options.kills, options.steps, generator, home) if options.kills else 0
        wrong += interrupt_races(program, options.interrupts, options.only, generator, home) if options.interrupts else 0
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
