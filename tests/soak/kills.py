#!/usr/bin/env python3
"""Kills the window at random moments while somebody edits, and looks at what is left of the experiment.

    python3 tests/soak/kills.py build/ropescope                              # 20 kills
    python3 tests/soak/kills.py build/ropescope --count 1000 --at-once 4     # an hour or two on four displays

Each time the window starts, shows the rotation and is sent the key ".", which moves the query one position on, so that
the number in the saved file says how much of the work it holds. SIGKILL comes at a seeded moment. After it
  - the saved experiment, where there is one, is whole: the program reads it and draws it,
  - it is never older than what was last seen there,
  - what was edited more than --longest seconds before, or rested for --rest seconds, is in it (the program saves two
    seconds after the last edit and ten after the first one at the latest; the rest is for a busy machine). Seconds in
    which the window or its X server stood ready and got no processor are not counted: Linux says how many they were,
  - nothing half-written stands beside it under a name that anybody reads.
And the next window finds that the one before was killed: the file is set aside, never thrown away. Needs Xvfb and xdotool.
"""
import argparse
import glob
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

START = 90
FIRST = 7  # where a new window shows the query


class Display:
    def __init__(self):
        ends = os.pipe()
        self.server = subprocess.Popen(["Xvfb", "-displayfd", str(ends[1]), "-screen", "0", "1000x700x24", "-nolisten", "tcp", "-noreset"],
                                       pass_fds=[ends[1]], stderr=subprocess.DEVNULL)
        os.close(ends[1])
        with os.fdopen(ends[0]) as pipe:
            self.name = ":" + pipe.readline().strip()

    def hand(self, *words):
        return subprocess.run(["xdotool", *words], env={**os.environ, "DISPLAY": self.name}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

    def focused(self):
        """Whether the focus is where a window of ours is."""
        words = ["xdotool", "getwindowfocus", "getwindowname"]
        asked = subprocess.run(words, env={**os.environ, "DISPLAY": self.name}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return asked.stdout.strip() == "ropescope"

    def end(self):
        self.server.terminate()
        self.server.wait()


def start(program, display, state, arguments=()):
    environment = {key: value for key, value in os.environ.items() if key != "WAYLAND_DISPLAY"}
    environment.update(DISPLAY=display.name, XDG_STATE_HOME=state, LIBGL_ALWAYS_SOFTWARE="1")
    settings = os.path.join(state, "ropescope", "settings.json")
    if not os.path.exists(settings):
        os.makedirs(os.path.dirname(settings), exist_ok=True)
        with open(settings, "w", encoding="utf-8") as file:
            file.write('{"start_screen": false}')  # a dialog would take the keys
    window = subprocess.Popen([program, *arguments], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + START
    # A window that is not yet there takes no focus, and keys sent without it are lost.
    while time.monotonic() < until:
        if window.poll() is not None:
            raise RuntimeError(f"the window ended by itself with {window.returncode}")
        if display.hand("search", "--onlyvisible", "--name", "^ropescope$", "windowmove", "0", "0", "windowfocus") and display.focused():
            return window
        time.sleep(0.1)
    window.kill()
    raise RuntimeError(f"no window took the focus within {START} s")


def position(path):
    """The query's position in a saved experiment; none where there is no file. Raises where it is not whole."""
    try:
        with open(path, encoding="utf-8") as file:
            saved = json.load(file)
    except FileNotFoundError:
        return None
    return saved.get("rotation", {}).get("query_position", FIRST)


def readable(program, path):
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "render", path, "-o", os.path.join(folder, "drawn.json")]
        run = subprocess.run(command, capture_output=True, text=True)
    return run.returncode == 0, run.stderr.strip()


def starved(processes):
    """Seconds in which threads of these processes were ready to run and did not, in all; 0 where Linux does not say."""
    nanoseconds = 0
    for process in processes:
        for path in glob.glob(f"/proc/{process.pid}/task/*/schedstat"):
            try:
                with open(path) as file:
                    nanoseconds += int(file.read().split()[1])
            except (OSError, IndexError):
                pass  # a thread that has just ended
    return nanoseconds * 1e-9


class Tally:
    def __init__(self):
        self.lock = threading.Lock()
        self.kills = self.saved = self.edits = self.due = 0
        self.failures = []


def one_kill(options, display, state, seed, tally):
    chance = random.Random(seed)
    file = os.path.join(state, "ropescope", "last-experiment.json")
    had = os.path.exists(file)
    aside_before = len(glob.glob(file + ".*"))
    window = start(options.program, display, state)
    failures = []

    def clock():
        return time.monotonic() - starved([window, display.server])

    try:
        display.hand("key", "1")
        time.sleep(0.5)
        # A window that was starved gets longer, within reason: else it is killed before it has drawn anything.
        begin, latest = clock(), time.monotonic() + options.most
        end = begin + chance.uniform(0.2, options.longest + 6)
        pause = chance.uniform(1, 8) if chance.random() < 0.5 else 1e9
        pressed, seen = [], None
        while clock() < end and time.monotonic() < latest:
            if clock() < begin + pause and display.hand("key", "period"):
                pressed.append(clock())
            time.sleep(options.between)
            now = position(file)  # raises where a reader sees half a file
            if now is not None:
                if seen is not None and now < seen:
                    failures.append(f"went back from {seen} to {now} while it ran")
                seen = now
        killed = clock()
        if window.poll() is not None:
            failures.append(f"the window ended by itself with {window.returncode}")
        window.send_signal(signal.SIGKILL)
    finally:
        window.kill()
        window.wait()
    left = position(file)
    if left is None and seen is not None:
        failures.append("the saved experiment is gone")
    if left is not None and seen is not None and left < seen:
        failures.append(f"{left} is left, {seen} was seen there before")
    due = [t for t in pressed if killed - t > options.longest]
    if pressed and killed - pressed[-1] > options.rest:
        due = pressed
    reached = left - FIRST if left is not None else 0
    if len(due) > reached:
        failures.append(f"{reached} edits are saved, {len(due)} were due, of {len(pressed)}")
    if left is not None:
        good, why = readable(options.program, file)
        if not good:
            failures.append(f"unreadable: {why}")
    if had and len(glob.glob(file + ".*")) <= aside_before:
        failures.append("the experiment of the window killed before was not set aside")
    with tally.lock:
        tally.kills += 1
        tally.edits += len(pressed)
        tally.due += len(due)
        tally.saved += left is not None
        if tally.kills % 100 == 0:
            print(f"{tally.kills} kills, {tally.edits} edits sent, {tally.due} of them due, {len(tally.failures)} failures", flush=True)
        for failure in failures:
            tally.failures.append(f"seed {seed}: {failure}")
            print(tally.failures[-1], flush=True)
            kept = os.path.join(options.keep, str(seed))
            shutil.copytree(state, kept, dirs_exist_ok=True)


def worker(options, seeds, tally):
    display = Display()
    try:
        state = tempfile.mkdtemp(prefix="ropescope-kills-")
        for seed in seeds:
            try:
                one_kill(options, display, state, seed, tally)
            except Exception as error:  # counted, not hidden: what cannot be looked at has not passed
                with tally.lock:
                    tally.failures.append(f"seed {seed}: {error!r}")
                    print(tally.failures[-1], flush=True)
            if time.monotonic() > options.until:
                break
        for aside in glob.glob(os.path.join(state, "ropescope", "last-experiment.json.*")):
            good, why = readable(options.program, aside)
            if not good:
                with tally.lock:
                    tally.failures.append(f"{aside}: {why}")
                    print(tally.failures[-1], flush=True)
        shutil.rmtree(state)
    finally:
        display.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=1)
    parser.add_argument("--longest", type=float, default=14)
    parser.add_argument("--rest", type=float, default=6)
    parser.add_argument("--most", type=float, default=60, help="seconds that a starved window is waited for")
    parser.add_argument("--between", type=float, default=0.15, help="seconds from edit to edit")
    parser.add_argument("--seconds", type=float, default=1e9, help="no new kill after these")
    parser.add_argument("--keep", default="kills-failed", help="folder for what failed")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    options.until = time.monotonic() + options.seconds
    tally, begin = Tally(), time.monotonic()
    seeds = [options.seed * 100000 + number for number in range(options.count)]
    threads = [threading.Thread(target=worker, args=(options, seeds[number :: options.at_once], tally)) for number in range(options.at_once)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"{tally.kills} kills in {time.monotonic() - begin:.0f} s, {tally.edits} edits sent, {tally.due} of them due, a saved experiment after {tally.saved} of them: {len(tally.failures)} failures")
    return 1 if tally.failures or tally.kills == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
