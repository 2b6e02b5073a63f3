"""A headless Chromium that is driven by its protocol over a pipe, and the page's folder served beside it. Only the
standard library of Python is needed. page_test.py and measure.py open the page by it."""

import base64
import functools
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import time


def views():
    """The names of all views: each has one file of approved cards."""
    cards = pathlib.Path(__file__).parent.parent / "approved" / "cards"
    return sorted(one.stem for one in cards.glob("*.txt"))


class Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm",
                      ".js": "text/javascript"}

    def log_message(self, *arguments):
        pass


def serve(folder, wasm=None):
    """Serves a folder on the loopback; the server and its address. wasm: what it calls the program."""
    kind = type("Kind", (Quiet,), {"extensions_map": {**Quiet.extensions_map, ".wasm": wasm}}) if wasm else Quiet
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(kind, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_port}/"


class Browser:
    """One page of a Chromium without a window, drawn by SwiftShader."""

    def __init__(self, width=1280, height=720, scale=1, touch=False):
        self.profile = tempfile.mkdtemp(prefix="ropescope-web-")
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()

        def pipes():
            # The protocol is spoken on descriptors 3 and 4.
            low, high = os.dup(to_browser), os.dup(from_browser)
            os.dup2(low, 3)
            os.dup2(high, 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--use-gl=angle",
             "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--no-first-run",
             "--disable-extensions", "--disable-background-networking", "--hide-scrollbars", "--mute-audio",
             f"--user-data-dir={self.profile}", "about:blank"],
            preexec_fn=pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.number, self.session, self.events = b"", 0, None, []
        target = next(one for one in self.ask("Target.getTargets")["targetInfos"] if one["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        self.ask("Page.enable")
        self.ask("Runtime.enable")
        self.ask("Performance.enable")
        self.resize(width, height, scale, touch)
        self.wish()

    def resize(self, width, height, scale=1, touch=False):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=touch)
        self.ask("Emulation.setTouchEmulationEnabled", enabled=touch)

    def wish(self, **wishes):
        """What the system prefers: wish(color_scheme="light", reduced_motion="reduce"). The dark theme where not said."""
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-" + name.replace("_", "-"), "value": value}
                 for name, value in {"color_scheme": "dark", **wishes}.items()])

    def first_visit(self, address, language=None):
        """Opens a page of which the browser keeps nothing."""
        self.open("about:blank")
        time.sleep(0.4)  # the page that is left keeps its state first
        origin = "/".join(address.split("/", 3)[:3])
        self.ask("Storage.clearDataForOrigin", origin=origin, storageTypes="local_storage,indexeddb")
        if language:
            agent = self.run("navigator.userAgent")
            self.ask("Emulation.setUserAgentOverride", userAgent=agent, acceptLanguage=language)
        self.open(address)
        return self.settled(90)

    def receive(self):
        while b"\0" not in self.buffer:
            part = os.read(self.read_end, 1 << 20)
            if not part:
                raise RuntimeError("the browser has ended")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, **parameters):
        """Asks and does not wait; returns what the answer will be numbered."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write_end, data):]
        return self.number

    def ask(self, method, **parameters):
        number = self.send(method, **parameters)
        while True:
            answer = self.receive()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def run(self, script):
        """The value of an expression in the page; promises are awaited."""
        result = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"])
        return result["result"].get("value")

    def open(self, address):
        self.ask("Page.navigate", url=address)

    def until(self, script, seconds=60):
        """Waits until an expression is true; False where it is not within so many seconds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if self.run(script):
                    return True
            except RuntimeError:
                pass  # the page is being left
            time.sleep(0.05)
        return False

    def settled(self, seconds=60):
        """Waits until nothing is being computed any more."""
        return self.until("ropescope.first_frame > 0 && ropescope.program._page_rests() === 1", seconds)

    def cards(self):
        text = self.run("ropescope.program.ccall('page_cards', 'string')")
        return dict(line.split("\t", 1) for line in text.splitlines())

    def changes(self, before, seconds=20):
        """Waits until the cards differ from earlier ones and nothing is being computed; returns whether they do."""
        end = time.monotonic() + seconds
        while self.cards() == before and time.monotonic() < end:
            time.sleep(0.1)
        return self.settled() and self.cards() != before

    def mouse(self, kind, x, y, buttons=0, **more):
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left" if buttons else "none", buttons=buttons,
                 clickCount=1 if buttons else 0, **more)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        time.sleep(0.1)
        self.ask("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", clickCount=1)
        time.sleep(0.1)
        self.ask("Input.dispatchMouseEvent", type="mouseReleased", x=x, y=y, button="left", clickCount=1)
        time.sleep(0.2)

    def told(self):
        """The step of the lesson that is shown, and the page's messages."""
        return self.run("ropescope.program.ccall('page_told', 'string')")

    def place(self, key):
        """Left, top, width and height of a control in CSS pixels; None where it is not shown."""
        text = self.run(f"ropescope.program.ccall('page_place', 'string', ['string'], ['{key}'])")
        scale = self.run("devicePixelRatio")
        return [float(number) / scale for number in text.split()] if text else None

    def middle(self, key):
        place = self.place(key)
        if place is None:
            raise RuntimeError(f"{key} is not shown")
        return place[0] + place[2] / 2, place[1] + place[3] / 2

    def press(self, key):
        self.click(*self.middle(key))

    def key(self, text, code, number, modifiers=0):
        for kind in ("rawKeyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=text, code=code, modifiers=modifiers,
                     windowsVirtualKeyCode=number)
            time.sleep(0.05)

    def touch(self, kind, *points):
        self.ask("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in
                                                                     enumerate(points)])
        time.sleep(0.04)

    def tap(self, key):
        x, y = self.middle(key)
        # Both at once: a browser that is slow to answer would make a long press of it.
        self.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.ask("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        time.sleep(0.5)
        self.settled(5)  # a slow machine takes longer; what plays by itself does not settle

    def swipe(self, x0, y0, x1, y1):
        self.touch("touchStart", (x0, y0))
        for step in range(1, 13):
            self.touch("touchMove", (x0 + (x1 - x0) * step / 12, y0 + (y1 - y0) * step / 12))
        self.touch("touchEnd")
        time.sleep(0.5)

    def taps(self, x, y, count):
        """So many fingers side by side touch one after the other and leave."""
        points = [(x + 40 * i, y) for i in range(count)]
        for i in range(count):
            self.touch("touchStart", *points[:i + 1])
        self.touch("touchEnd")
        time.sleep(0.5)

    def two_fingers(self, x, y, dx, dy):
        """Two fingers go side by side."""
        self.touch("touchStart", (x - 40, y))
        self.touch("touchStart", (x - 40, y), (x + 40, y))
        for step in range(1, 13):
            by_x, by_y = dx * step / 12, dy * step / 12
            self.touch("touchMove", (x - 40 + by_x, y + by_y), (x + 40 + by_x, y + by_y))
        self.touch("touchEnd")
        time.sleep(0.5)

    def prevents(self, code, key, **more):
        """Whether the page keeps a key from the browser."""
        event = {"code": code, "key": key, "bubbles": True, "cancelable": True, **more}
        return not self.run(f"document.getElementById('canvas').dispatchEvent(new KeyboardEvent('keydown', "
                            f"{json.dumps(event)}))")

    def pinch(self, x, y, near, far):
        """Two fingers at both sides of a place go from `near` to `far` pixels of it."""
        self.touch("touchStart", (x - near, y))
        self.touch("touchStart", (x - near, y), (x + near, y))
        for step in range(1, 13):
            reach = near + (far - near) * step / 12
            self.touch("touchMove", (x - reach, y), (x + reach, y))
        self.touch("touchEnd")
        time.sleep(0.5)

    def asked(self):
        """The addresses that were asked for since Network.enable."""
        return [one["params"]["request"]["url"] for one in self.events if one.get("method") == "Network.requestWillBeSent"]

    def picture(self, path):
        data = self.ask("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def messages(self):
        """What the page wrote on its console."""
        said = []
        for event in self.events:
            if event.get("method") == "Runtime.consoleAPICalled":
                said.append(" ".join(str(one.get("value", one.get("description"))) for one in event["params"]["args"]))
            if event.get("method") == "Runtime.exceptionThrown":
                said.append(str(event["params"]["exceptionDetails"]))
        return said

    def close(self):
        try:
            self.ask("Browser.close")
        except (RuntimeError, OSError):
            pass
        self.process.wait(20)
        shutil.rmtree(self.profile, ignore_errors=True)
