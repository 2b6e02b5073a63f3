"""Tries the page in a headless Chromium and holds it against the program of the desktop.

    python3 tests/web/page_test.py build-web build/ropescope [PICTURES]

Opens every view by its link, compares every card with what `ropescope render` writes, follows a link while it is open,
drags a slider, drops a file, and reads the address that comes of it. Fails with what differs."""

import json
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from browser import Browser, serve  # noqa: E402

# What each view is opened with: `--set` of the program is the same words as those of a link.
VIEWS = {
    "rotation": ["rope.base=1000"],
    "decay": ["rope.base=500000"],
    "frequencies": [],
    "limits": [],
    "precision": [],
    "sweep": [],
    "atlas": [],
    "compare": [],
    "attention": [],
    "layout": [],
    "similarity": [],
    "check": [],
    "reported": [],
}
problems = []


def check(truth, what):
    if not truth:
        problems.append(what)
        print("FAILED:", what, flush=True)


def cards_of_program(program, view, settings):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "cards.json"
        command = [program, "render", view, "-o", str(path), "--threads", "1"]
        for one in settings:
            command += ["--set", one]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            return {}, done.stderr
        return {one["name"]: one["value"] for one in json.loads(path.read_text(encoding="utf-8"))["readouts"]}, ""


def link(view, settings):
    return "#1&" + "&".join([f"view={view}", *settings])


def open_views(browser, address, program, pictures):
    compared = 0
    for view, settings in VIEWS.items():
        browser.open(address + link(view, settings))
        if not browser.settled(90):
            check(False, f"{view} does not come to rest: {browser.run('ropescope.problems')} {browser.messages()[-3:]}")
            continue
        time.sleep(0.3)
        if pictures:
            browser.picture(pictures / f"{view}.png")
        shown = browser.cards()
        expected, why = cards_of_program(program, view, settings)
        check(not why, f"{view}: {why}")
        for name, value in expected.items():
            check(shown.get(name) == value, f"{view}: {name} is {shown.get(name)!r} in the page, {value!r} in the program")
            compared += 1
        said = browser.run("document.getElementById('words').textContent")
        check(len(said) > 40, f"{view} has no words beside the canvas")
        # A new document for the next one: else only the part behind the # would change.
        browser.open("about:blank")
    check(compared >= 40, f"only {compared} cards were compared")
    return compared


def follow_and_drag(browser, address):
    browser.open(address + link("decay", []))
    check(browser.settled(), "decay does not come to rest")
    before = browser.cards()
    browser.run("location.hash = '1&view=decay&rope.base=100'")
    time.sleep(0.5)
    check(browser.settled(), "a link that is followed does not come to rest")
    check(browser.cards() != before, "a link that is followed changes nothing")
    # Ctrl+Z goes back, and the address with it.
    for kind in ("keyDown", "keyUp"):
        browser.ask("Input.dispatchKeyEvent", type=kind, key="z", code="KeyZ", modifiers=2, windowsVirtualKeyCode=90)
    time.sleep(0.5)
    check(browser.settled(), "undo does not come to rest")
    check(browser.cards() == before, "undo does not bring back the cards")
    check("rope.base=100" not in urllib.parse.unquote(browser.run("location.hash")), "the address does not follow undo")


def drop(browser, address, program):
    """A config.json is dropped: the rope becomes its own."""
    browser.open(address + link("frequencies", []))
    check(browser.settled(), "frequencies does not come to rest")
    config = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 500000.0,
              "max_position_embeddings": 8192, "num_key_value_heads": 8}
    browser.run("ropescope.read([new File([%s], 'config.json')])" % json.dumps(json.dumps(config)))
    time.sleep(0.5)
    check(browser.settled(), "a dropped file does not come to rest")
    shown = browser.cards()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "config.json"
        path.write_text(json.dumps(config))
        cards = pathlib.Path(folder) / "cards.json"
        subprocess.run([program, "render", "frequencies", "--config", str(path), "-o", str(cards)], check=True)
        for one in json.loads(cards.read_text(encoding="utf-8"))["readouts"]:
            check(shown.get(one["name"]) == one["value"], f"dropped: {one['name']} is {shown.get(one['name'])!r}, not {one['value']!r}")


def main():
    folder, program = sys.argv[1:3]
    pictures = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
    server, address = serve(folder)
    browser = Browser(1280, 720)
    try:
        compared = open_views(browser, address, program, pictures)
        follow_and_drag(browser, address)
        drop(browser, address, program)
    finally:
        browser.close()
        server.shutdown()
    print(f"{compared} cards compared, {len(problems)} problems")
    sys.exit(1 if problems else 0)


main()
