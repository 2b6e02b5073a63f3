#!/usr/bin/env python3
"""Two windows at once over the same saved state, edited in turn, one of them killed or told to end now and then.

    python3 tests/soak/two_windows.py build/ropescope --count 10 --seed 1

At every moment the saved experiment and the settings are whole files, neither window ends because of the other, and
afterwards the program reads what is left, with nothing half-written beside it. Needs Xvfb and xdotool.
"""
import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import kills


def whole(folder):
    """Names of the saved files that are there and are no JSON."""
    broken = []
    for name in ("last-experiment.json", "settings.json"):
        try:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                json.load(file)
        except FileNotFoundError:
            pass
        except ValueError as error:
            broken.append(f"{name}: {error}")
    return broken


def one(options, chance, displays):
    state = tempfile.mkdtemp(prefix="ropescope-two-")
    folder, wrong, edits, looks = os.path.join(state, "ropescope"), [], 0, 0
    windows = [kills.start(options.program, display, state) for display in displays]
    try:
        for display in displays:
            display.hand("key", chance.choice("123456789"))
        end = time.monotonic() + chance.uniform(4, 16)
        while time.monotonic() < end:
            displays[chance.randrange(2)].hand("key", chance.choice(["period", "t", "p", "1", "2", "3", "b", "ctrl+z"]))
            edits += 1
            broken = whole(folder)
            looks += 1
            wrong += broken
            time.sleep(chance.uniform(0, 0.2))
        first = chance.randrange(2)
        windows[first].send_signal(chance.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
        windows[first].wait(60)
        time.sleep(chance.uniform(0, 4))
        wrong += whole(folder)
        if windows[1 - first].poll() is not None:
            wrong.append(f"the other window ended with {windows[1 - first].returncode}")
        displays[1 - first].hand("key", "ctrl+q")
        try:
            if windows[1 - first].wait(30) != 0:
                wrong.append(f"the last window ended with {windows[1 - first].returncode}")
        except subprocess.TimeoutExpired:
            wrong.append("the last window did not end")
        wrong += whole(folder)
        file = os.path.join(folder, "last-experiment.json")
        if os.path.exists(file):
            good, why = kills.readable(options.program, file)
            if not good:
                wrong.append(why)
        left = [name for name in os.listdir(folder) if ".part" in name]
        # A killed window may leave the part that it was writing, under a name that nobody reads.
        if len(left) > 1:
            wrong.append(f"left {left}")
    finally:
        for window in windows:
            window.kill()
            window.wait()
        shutil.rmtree(state)
    return wrong, edits, looks


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1e9, help="no new pair after these")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    chance, begin, done, failures, edits, looks = random.Random(options.seed), time.monotonic(), 0, 0, 0, 0
    displays = [kills.Display(), kills.Display()]
    try:
        while done < options.count and time.monotonic() - begin < options.seconds:
            wrong, sent, looked = one(options, chance, displays)
            done, edits, looks, failures = done + 1, edits + sent, looks + looked, failures + len(wrong)
            for each in wrong:
                print(f"pair {done}: {each}", flush=True)
    finally:
        for display in displays:
            display.end()
    print(f"{done} pairs of windows in {time.monotonic() - begin:.0f} s, {edits} edits, {looks} looks at the saved files: {failures} failures")
    return 1 if failures or done == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
