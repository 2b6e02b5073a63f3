#!/usr/bin/env python3
"""Writes where the disc is full, read-only or gone, and looks at what is left.

    python3 tests/soak/disc.py build/ropescope --count 200 --seed 1

A disc of its own (tmpfs, so run it as root; a session without that right ends with exit code 77) has a seeded number of
bytes free, so that the file just fits, or does not at some point of it. Every command that writes writes there, over a
file that stood there before in half of the cases. After it
  - either the exit code is 0 and the file is the same as on a disc with room,
  - or the exit code is 2 with one line on standard error, and what stood there before stands there still, or nothing;
  - no other file is left.
"""
import argparse
import hashlib
import os
import random
import subprocess
import sys
import tempfile
import time

OLD = b"what stood there before\n"
COMMANDS = [
    ["frequencies", "--dim", "128", "--base", "10000", "-o", "out.csv"],
    ["decay", "--dim", "128", "--base", "10000", "--distances", "0:20000", "-o", "out.csv"],
    ["layout", "flux.1", "--size", "512x512", "--text", "8", "-o", "out.npy"],
    ["attention", "--encoding", "rope", "--tokens", "64", "-o", "out.npy"],
    ["render", "decay", "-o", "out.png"],
    ["render", "decay", "-o", "out.svg"],
    ["render", "decay", "-o", "out.pdf"],
    ["render", "decay", "-o", "out.json"],
    ["animate", "decay", "--sweep", "rope.base=100..1e4", "--seconds", "1", "--fps", "3", "--size", "320x200", "-o", "out.gif"],
    ["screenshot", "--size", "640x480", "-o", "out.png"],
]
STATES = ("full", "full", "full", "full", "read-only", "gone", "removed")


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def mount(*words):
    return subprocess.run(["mount", *words], capture_output=True).returncode == 0


def run(program, words, folder, home):
    environment = {**os.environ, "HOME": home, "XDG_STATE_HOME": home, "XDG_CACHE_HOME": os.path.join(home, "cache")}
    return subprocess.run([program, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


def one(options, chance, words, sound, size, disc, home):
    """What was wrong; empty: nothing."""
    state, name = chance.choice(STATES), words[-1]
    room = max(4096, int(size * chance.choice([0, 0.3, 0.9, 1, 1.1, 2.5]) + chance.randrange(9000)))
    if not mount("-t", "tmpfs", "-o", f"size={room + 8192}", "none", disc):
        return state, ["no disc could be mounted"]
    wrong = []
    try:
        had = chance.random() < 0.5
        path = os.path.join(disc, name)
        if had:
            with open(path, "wb") as file:
                file.write(OLD)
        if state == "read-only":
            mount("-o", "remount,ro", disc)
        at, target = disc, name
        if state == "gone":  # the folder of the file is not there
            target = os.path.join("nowhere", name)
        if state == "removed":  # the folder in which the command works is deleted under it
            at = os.path.join(home, "removed")
            os.makedirs(at, exist_ok=True)
        command = [*words[:-1], target]
        if state == "removed":
            done = subprocess.run(["sh", "-c", 'cd "$1" && rmdir "$1" && shift && exec "$@"', "sh", at, options.program, *command],
                                  env={**os.environ, "HOME": home, "XDG_STATE_HOME": home}, capture_output=True, text=True, timeout=300)
        else:
            done = run(options.program, command, at, home)
        left = sorted(os.listdir(disc))
        if done.returncode == 0:
            if state != "full":
                wrong.append(f"succeeded although the disc was {state}")
            elif digest(path) != sound and words[0] != "screenshot":
                wrong.append("another file than on a disc with room, and exit code 0")
            if left != [name]:
                wrong.append(f"left {left}")
        elif done.returncode == 2:
            if len(done.stderr.strip().splitlines()) != 1 or done.stdout:
                wrong.append(f"said {done.stderr!r} {done.stdout[:80]!r}")
            if left != ([name] if had else []):
                wrong.append(f"left {left}")
            elif had and open(path, "rb").read() != OLD:
                wrong.append("what stood there before is another file")
        else:
            wrong.append(f"exit code {done.returncode}: {done.stderr[:200]}")
    finally:
        subprocess.run(["umount", disc])
    return state + (", written" if done.returncode == 0 else ""), [f"{state}, {room} bytes, {' '.join(words)}: {each}" for each in wrong]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1e9, help="no new one after these")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    chance, failures, tally, begin = random.Random(options.seed), [], {}, time.monotonic()
    with tempfile.TemporaryDirectory(prefix="ropescope-disc-") as top:
        disc, sound, home = (os.path.join(top, name) for name in ("disc", "sound", "home"))
        for folder in (disc, sound, home):
            os.mkdir(folder)
        if not mount("-t", "tmpfs", "-o", "size=64k", "none", disc):
            print("no disc can be mounted here: run as root")
            return 77
        subprocess.run(["umount", disc])
        whole = {}
        for words in COMMANDS:
            done = run(options.program, words, sound, home)
            if done.returncode != 0:
                print(f"{' '.join(words)}: {done.stderr}")
                return 1
            path = os.path.join(sound, words[-1])
            whole[tuple(words)] = (digest(path), os.path.getsize(path))
        done = 0
        for _ in range(options.count):
            if time.monotonic() - begin > options.seconds:
                break
            words = chance.choice(COMMANDS)
            state, wrong = one(options, chance, words, *whole[tuple(words)], disc, home)
            tally[state] = tally.get(state, 0) + 1
            done += 1
            for each in wrong:
                failures.append(each)
                print(each, flush=True)
    counts = ", ".join(f"{count} {state}" for state, count in sorted(tally.items()))
    print(f"{done} writes in {time.monotonic() - begin:.0f} s ({counts}): {len(failures)} failures")
    return 1 if failures or done == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
