"""Opens the page in a Firefox that nobody sees and holds one view against the program of the desktop.

    python3 tests/web/firefox_test.py build-web build/ropescope [PICTURE]"""

import base64
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from browser import serve  # noqa: E402


class Firefox:
    """Speaks Marionette: messages of JSON behind their length."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="ropescope-web-")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        wanted = {"marionette.port": port, "webgl.force-enabled": True, "datareporting.policy.dataSubmissionEnabled": False,
                  "browser.shell.checkDefaultBrowser": False, "app.update.enabled": False}
        pathlib.Path(self.profile, "user.js").write_text(
            "".join(f"user_pref({json.dumps(key)}, {json.dumps(value)});\n" for key, value in wanted.items()))
        # Without a window it has no WebGL: it gets a screen that nobody sees.
        read, write = os.pipe()
        self.screen = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x900x24", "-nolisten", "tcp"],
                                       pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as told:
            display = ":" + told.readline().strip()
        self.process = subprocess.Popen(["firefox-esr", "--marionette", "--profile", self.profile, "--no-remote"],
                                        env={**os.environ, "DISPLAY": display, "LIBGL_ALWAYS_SOFTWARE": "1"},
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 60
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), timeout=120)
                break
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)
        self.buffer, self.number = b"", 0
        self.receive()  # its greeting
        self.ask("WebDriver:NewSession", {})

    def receive(self):
        while b":" not in self.buffer:
            self.buffer += self.socket.recv(1 << 16)
        length, rest = self.buffer.split(b":", 1)
        while len(rest) < int(length):
            rest += self.socket.recv(1 << 16)
        self.buffer = rest[int(length):]
        return json.loads(rest[:int(length)])

    def ask(self, method, parameters):
        self.number += 1
        text = json.dumps([0, self.number, method, parameters]).encode()
        self.socket.sendall(str(len(text)).encode() + b":" + text)
        _, _, error, result = self.receive()
        if error:
            raise RuntimeError(f"{method}: {error}")
        return result

    def run(self, script):
        return self.ask("WebDriver:ExecuteScript", {"script": "return " + script,
                                                    "args": [], "sandbox": None})["value"]

    def close(self):
        self.process.terminate()
        self.process.wait(20)
        self.screen.terminate()
        self.screen.wait(20)
        shutil.rmtree(self.profile, ignore_errors=True)


def wait(browser, script, what, seconds=60):
    """Waits until an expression of the page is true; leaves with what is not."""
    end = time.monotonic() + seconds
    while not browser.run(script):
        if time.monotonic() > end:
            sys.exit(f"{what}: {browser.run('ropescope.problems')}, {browser.run('location.hash')}")
        time.sleep(0.2)


def main():
    folder, program = sys.argv[1:3]
    server, address = serve(folder)
    browser = Firefox()
    try:
        browser.ask("WebDriver:Navigate", {"url": address + "#1&view=decay&rope.base=500000"})
        wait(browser, "typeof ropescope === 'object' && ropescope.first_frame > 0 && ropescope.program._page_rests() === 1",
             "the page does not come to rest", 120)
        # Files have no separators of thousands.
        cards = browser.run("ropescope.program.ccall('page_cards', 'string')").replace("\u202f", "")
        shown = dict(line.split("\t", 1) for line in cards.splitlines())
        first = browser.run("ropescope.first_frame")
        browser.run("void (ropescope.meanwhile = 0, location.hash = '1&view=limits&rope.base=654321')")
        wait(browser, "ropescope.meanwhile > 0", "no frame is drawn while limits are computed", 120)
        # A lesson, whose question is answered as a finger or a screen reader would.
        browser.run("void (location.hash = 'lesson=08-decay/hundred')")
        wait(browser, "ropescope.program.ccall('page_told', 'string') === '08-decay/hundred'", "the lesson is not opened")
        choice = "document.querySelector('#controls [data-key=\"lesson.choice.1\"]')"
        wait(browser, f"{choice} !== null", "the question has no hidden buttons")
        browser.run(f"void {choice}.click()")
        wait(browser, "document.getElementById('live').textContent.length > 10", "the answer is not announced")
        # A dropped file.
        browser.run("void (location.hash = '1&view=frequencies')")
        wait(browser, "ropescope.program.ccall('page_told', 'string') === 'no lesson'", "the lesson is not left")
        config = json.dumps({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 7000.0})
        browser.run(f"void ropescope.read([new File([{json.dumps(config)}], 'config.json')])")
        wait(browser, "decodeURIComponent(location.hash).includes('rope.base=7000')", "a dropped config is not opened")
        if len(sys.argv) > 3:
            data = browser.ask("WebDriver:TakeScreenshot", {"full": False})["value"]
            pathlib.Path(sys.argv[3]).write_bytes(base64.b64decode(data))
    finally:
        browser.close()
        server.shutdown()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "cards.json"
        subprocess.run([program, "render", "decay", "--base", "500000", "-o", str(path)], check=True)
        expected = {one["name"]: one["value"] for one in json.loads(path.read_text(encoding="utf-8"))["readouts"]}
    wrong = [name for name, value in expected.items() if shown.get(name) != value]
    print(f"Firefox: {len(expected)} cards, {len(wrong)} differ; first frame {first:.0f} ms")
    sys.exit(1 if wrong or not expected else 0)


main()
