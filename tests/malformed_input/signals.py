#!/usr/bin/env python3
"""Stops the long commands at random moments and looks at what they leave.

    python3 tests/malformed_input/signals.py build/ropescope                            # a minute
    python3 tests/malformed_input/signals.py build/ropescope --seconds 3600 --seed 7    # longer, other moments

Each command is run once to its end, then again and again; SIGINT, SIGTERM or SIGHUP comes at a seeded moment of its
time (a quarter of them while it writes, some twice). After it
  - the exit code is that of the signal (or 0, where the command was done before),
  - every file to be written is whole, or what stood there before, or not there,
  - no other file is left, and at most one line is said.
A moment that failed is printed with its seed; exit code 1.
"""
import argparse
import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

INPUTS = {"cos.npy", "sin.npy"}
OLD = b"what stood there before\n"
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# Names of files to write begin with "out". A picture of the window says how long it computed.
ROPE = ["--dim", "128", "--base", "10000"]
COMMANDS = [
    ["check", "--dim", "128", "--base", "20000", "--cos", "cos.npy", "--sin", "sin.npy", "--json"],
    ["limits", "--dim", "512", "--base", "1e7", "--context", "65536", "-o", "out.json"],
    ["decay", *ROPE, "--distances", "0:1500000", "-o", "out.csv"],
    ["precision", *ROPE, "--policy", "bfloat16-inputs", "--positions", "0:60000", "-o", "out.csv"],
    ["attention", "--encoding", "rope", "--tokens", "3000", "-o", "out.npy"],
    ["attention", "--encoding", "alibi", "--tokens", "1200", "-o", "out.csv"],
    ["attention", "--encoding", "rope", "--tokens", "2000", "-o", "out.png"],
    ["layout", "flux.1", "--size", "8192x8192", "--text", "512", "-o", "out.npy", "--cos", "out-cos.npy", "--sin", "out-sin.npy"],
    ["layout", "flux.1", "--size", "8192x8192", "-o", "out.csv"],
    ["similarity", "flux.1", "--size", "8192x8192", "--from", "0", "-o", "out.csv"],
    ["rotate", "--dim", "64", "--base", "10000", "--input", "cos.npy", "--positions", "0:79999", "-o", "out.npy"],
    ["render", "decay", "--size", "8000x6000", "-o", "out.png"],
    ["render", "atlas", "-o", "out.pdf"],
    ["render", "decay", "--set", "span=1000000", "-o", "out.csv"],
    ["screenshot", "--size", "3000x2000", "-o", "out.png"],
]


def outputs(words):
    return [word for word in words if word.startswith("out")]


def content(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def is_whole(words, name, found, reference):
    if words[0] == "screenshot":
        return found.startswith(b"\x89PNG") and found.endswith(b"IEND\xaeB`\x82")
    return hashlib.sha256(found).digest() == reference[name]


class Runner:
    def __init__(self, program, folder):
        self.program, self.folder = os.path.abspath(program), folder
        home = os.path.join(folder, "home")
        work = self.work = os.path.join(folder, "work")
        os.makedirs(home)
        os.makedirs(work)
        self.environment = {**os.environ, "HOME": home, "XDG_STATE_HOME": home, "XDG_CONFIG_HOME": home}
        for name in ("DISPLAY", "WAYLAND_DISPLAY"):
            self.environment.pop(name, None)

    def start(self, words):
        return subprocess.Popen([self.program, *words], cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)

    def reference(self, words):
        """How long a command takes, and what it writes."""
        begin = time.monotonic()
        process = self.start(words)
        _, errors = process.communicate(timeout=600)
        if process.returncode not in (0, 1):
            raise SystemExit(f"{' '.join(words)}: {errors.decode(errors='replace')}")
        hashes = {name: hashlib.sha256(content(self.path(name))).digest() for name in outputs(words)}
        return time.monotonic() - begin, process.returncode, hashes

    def path(self, name):
        return os.path.join(self.work, name)

    def stopped(self, words, number, moment, again, had_old):
        """Runs a command, stops it, and returns its exit code and what it said."""
        for name in set(os.listdir(self.work)) - INPUTS:
            os.unlink(self.path(name))
        for name in outputs(words):
            if had_old:
                with open(self.path(name), "wb") as file:
                    file.write(OLD)
        process = self.start(words)
        try:
            process.wait(moment)
        except subprocess.TimeoutExpired:
            process.send_signal(number)
            if again is not None:
                time.sleep(again)
                process.send_signal(number)
        try:
            _, errors = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return None, "it did not end within a minute"
        return process.returncode, errors.decode(errors="replace")

    def faults(self, words, number, had_old, code, said, known):
        if code is None:
            return [said]
        _, usual, hashes = known
        faults = []
        if code not in (usual, -number, 128 + number):
            faults.append(f"exit code {code}")
        for name in outputs(words):
            found = content(self.path(name))
            untouched = found == (OLD if had_old else None)
            if code == usual and untouched:
                faults.append(f"{name} was not written")
            if not untouched and (found is None or not is_whole(words, name, found, hashes)):
                faults.append(f"{name} is half written" if found is not None else f"{name} is gone")
        left = set(os.listdir(self.work)) - set(outputs(words)) - INPUTS
        faults += [f"{name} is left" for name in left]
        lines = said.splitlines()
        if len(lines) > 1 or any(not line.startswith("ropescope: ") or "internal error" in line for line in lines):
            faults.append("it said " + repr(said))
        return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options.program, folder)
        make = ["layout", "text", "--text", "80000", "--head-dim", "128", "--base", "10000", "--cos", "cos.npy", "--sin", "sin.npy"]
        if runner.start(make).wait() != 0:
            raise SystemExit("the tables to check cannot be made")
        known = []
        for words in COMMANDS:
            known.append(runner.reference(words))
            print(f"{known[-1][0]:6.2f} s  {' '.join(words)}", flush=True)
        choose = random.Random(options.seed)
        runs = failures = 0
        end = time.monotonic() + options.seconds
        while time.monotonic() < end:
            index = choose.randrange(len(COMMANDS))
            words, duration = COMMANDS[index], known[index][0]
            number = choose.choice(SIGNALS)
            moment = duration * (choose.uniform(0.85, 1.05) if choose.random() < 0.25 else choose.uniform(0, 1))
            again = choose.uniform(0, 0.05) if choose.random() < 0.2 else None
            had_old = choose.random() < 0.5
            code, said = runner.stopped(words, number, moment, again, had_old)
            runs += 1
            for fault in runner.faults(words, number, had_old, code, said, known[index]):
                failures += 1
                print(f"run {runs} of seed {options.seed}: {' '.join(words)}\n  {number.name} after {moment:.3f} s"
                      f"{'' if again is None else f', again after {again:.3f} s'}: {fault}", flush=True)
        print(f"{runs} runs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
