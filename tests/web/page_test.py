"""Tries the page in a headless Chromium and holds it against the program of the desktop.

    python3 tests/web/page_test.py build-web build/ropescope [PICTURES]

Opens every view and every step of every lesson, compares cards with what `ropescope render` makes of the same link and
the picture with `ropescope screenshot`, drags a slider, follows links, draws frames while it computes, drops files, uses
fingers, takes the network away, and looks that nothing leaves the page. Fails with what differs. PICTURES: a folder that
gets what was seen."""

import base64
import gzip
import io
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from browser import Browser, serve, views  # noqa: E402

# What views are opened with, by the page and by the program; the others with nothing.
SETTINGS = {
    "rotation": ["rope.base=1000"],
    "decay": ["rope.base=500000"],
    "frequencies": ["rope.scaling=yarn", "rope.factor=8"],
    "limits": ["rope.base=1000000"],
    "atlas": ["rope.rotary_dim=64"],
}
ASSETS = pathlib.Path(__file__).parent.parent.parent / "assets"
problems = []


def check(truth, what):
    if not truth:
        problems.append(what)
        print("FAILED:", what, flush=True)


def cards_of_program(program, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "cards.json"
        done = subprocess.run([program, "render", *arguments, "-o", str(path), "--threads", "1"], capture_output=True,
                              text=True)
        if done.returncode != 0:
            return {}, done.stderr
        return {one["name"]: one["value"] for one in json.loads(path.read_text(encoding="utf-8"))["readouts"]}, ""


def link(view, settings=()):
    return "#1&" + "&".join([f"view={view}", *settings])


def compare_cards(shown, expected, of):
    for name, value in expected.items():
        # Files have no separators of thousands.
        card = (shown.get(name) or "missing").replace("\u202f", "")
        check(card == value, f"{of}: {name} is {card!r} in the page, {value!r} in the program")
    return len(expected)


# How much of a picture may differ from the desktop's: letters are set by the same library, but not by the same files.
MOST_DIFFERENT = 0.001


def compare_picture(browser, program, view, opened, width=1280, height=720):
    """The share of dots that differ by more than a quarter of the range from the desktop's picture."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "window.png"
        done = subprocess.run([program, "screenshot", "-o", str(path), "--experiment", opened, "--size",
                               f"{width}x{height}"],
                              capture_output=True, text=True)
        check(done.returncode == 0, f"{view}: no screenshot: {done.stderr}")
        if done.returncode != 0:
            return 1
        desktop = base64.b64encode(path.read_bytes()).decode()
    page = browser.ask("Page.captureScreenshot", format="png")["data"]
    return browser.run("""(async (a, b) => {
        const pixels = async (data) => {
          const image = new Image();
          image.src = URL.createObjectURL(new Blob([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))]));
          await image.decode();
          const canvas = document.createElement('canvas');
          [canvas.width, canvas.height] = [image.width, image.height];
          const context = canvas.getContext('2d');
          context.drawImage(image, 0, 0);
          return context.getImageData(0, 0, image.width, image.height).data;
        };
        const [one, two] = [await pixels(a), await pixels(b)];
        if (one.length !== two.length) return 1;
        let count = 0;
        // The status line says how long it took.
        const end = 4 * %d * %d;
        for (let i = 0; i < end; i += 4) {
          if (Math.max(...[0, 1, 2].map((k) => Math.abs(one[i + k] - two[i + k]))) > 64) ++count;
        }
        return count / (end / 4);
      })('%s', '%s')""" % (width, height - 30, page, desktop))


def open_views(browser, address, program, pictures):
    compared, worst = 0, 0
    for view in views():
        settings = SETTINGS.get(view, [])
        browser.open("about:blank")  # a new document: else only the part behind the # would change
        browser.open(address + link(view, settings))
        if not browser.settled(90):
            check(False, f"{view} does not come to rest: {browser.run('ropescope.problems')} {browser.messages()[-3:]}")
            continue
        time.sleep(0.5)
        if pictures:
            browser.picture(pictures / f"{view}.png")
        opened = address + link(view, settings)
        expected, why = cards_of_program(program, view, "--experiment", opened)
        check(not why or view in ("check", "race", "weights"), f"{view}: {why}")
        compared += compare_cards(browser.cards(), expected, view)
        differs = compare_picture(browser, program, view, opened)
        worst = max(worst, differs)
        check(differs <= MOST_DIFFERENT, f"{view}: {100 * differs:.1f} % of the picture differ from the desktop's")
        said = browser.run("document.getElementById('words').textContent")
        check(len(said) > 10, f"{view} has no words beside the canvas")
        check("ropescope" in browser.run("document.title"), f"{view} has no title")
        check(browser.run("ropescope.problems.length") == 0, f"{view}: {browser.run('ropescope.problems')}")
    check(compared >= 40, f"only {compared} cards were compared")
    print(f"{compared} cards of {len(views())} views are the same; at most {100 * worst:.2f} % of a picture differ",
          flush=True)


# Four ropes beside the current one: more vertices than indices of 16 bits reach.
FOUR_PINS = "pins=" + json.dumps([{"slot": slot, "rope": {"base": base}}
                                  for slot, base in ((1, 100), (2, 3000), (3, 70000), (4, 2000000))])


def large_views(browser, address, program, pictures):
    """Every view on a large and on a narrow screen, with four pins, like the desktop."""
    worst = 0
    for width, height in ((1920, 1080), (2560, 1440), (820, 1180)):
        browser.resize(width, height)
        for view in views():
            settings = SETTINGS.get(view, [])
            browser.open("about:blank")
            opened = address + link(view, [*settings, urllib.parse.quote(FOUR_PINS)])
            browser.open(opened)
            if not browser.settled(120):
                check(False, f"{view} at {width}x{height} does not come to rest: {browser.run('ropescope.problems')}")
                continue
            time.sleep(0.5)
            if pictures:
                browser.picture(pictures / f"{view}-{width}x{height}.png")
            differs = compare_picture(browser, program, view, opened, width, height)
            worst = max(worst, differs)
            check(differs <= MOST_DIFFERENT, f"{view} at {width}x{height}: {100 * differs:.2f} % of the picture differ")
    browser.resize(1280, 720)
    print(f"large and narrow screens with four pins: at most {100 * worst:.2f} % of a picture differ", flush=True)


def first_visit(browser, address):
    """The start screen is shown where nothing was kept and the address names nothing; Escape shows the view."""
    browser.open(address)
    check(browser.settled(), "the first visit does not come to rest")
    check(browser.until("ropescope.program.ccall('page_place', 'string', ['string'], ['start.turn']).length > 0", 10),
          "the first visit shows no start screen")
    browser.key("Escape", "Escape", 27)
    check(browser.until("ropescope.program.ccall('page_place', 'string', ['string'], ['start.turn']).length === 0", 10),
          "Escape does not close the start screen")
    browser.open("about:blank")
    browser.open(address + link("decay"))
    browser.settled()
    check(browser.place("start.turn") is None, "a link shows the start screen")


def kept(browser, address):
    """A lesson, settings and dropped files are there after a reload; Back returns to the view before."""
    browser.open("about:blank")
    browser.open(address + link("decay"))
    browser.settled()
    browser.run("location.hash = '#1&view=limits'")
    check(browser.until("document.title.length > 0 && location.hash.includes('limits')", 10), "limits is not opened")
    browser.settled(90)
    time.sleep(1)
    browser.run("history.back()")
    check(browser.until("location.hash.includes('decay')", 10),
          f"Back does not return to decay: {browser.run('location.hash')}")
    check(browser.settled(), "decay does not come to rest after Back")
    # A lesson whose goal was dragged.
    browser.open("about:blank")
    browser.open(address + "#lesson=08-decay")
    check(browser.settled(), "the lesson does not come to rest")
    time.sleep(1)
    step = browser.told()
    browser.ask("Page.reload")
    time.sleep(0.5)
    check(browser.settled(), "the lesson does not come to rest after a reload")
    check(browser.told() == step, f"the lesson is lost by a reload: {browser.told()[:80]!r}, was {step[:80]!r}")
    # A file that was dropped.
    browser.open("about:blank")
    browser.open(address + link("frequencies"))
    browser.settled()
    config = json.dumps({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 7000.0})
    drop_file(browser, ("kept.json", config.encode()))
    check(browser.settled(), "a dropped config does not come to rest")
    cards, there = browser.cards(), browser.run("location.hash")
    time.sleep(1)
    browser.open("about:blank")
    browser.open(address + there)
    check(browser.settled(), "a page with a kept file does not come to rest")
    check(browser.cards() == cards and "no such file" not in browser.told(), f"a dropped file is gone: {browser.told()[:200]}")


def failed_loading(browser, folder):
    """A file of the program that is missing is named, with a button to try again; text is there before the program."""
    for gone in ("ropescope.data", "ropescope.wasm", "ropescope.js"):
        with tempfile.TemporaryDirectory() as copy:
            for name in ("index.html", "page.css", "page.js", "ropescope.js", "ropescope.wasm", "ropescope.data"):
                if name != gone:
                    (pathlib.Path(copy) / name).symlink_to((pathlib.Path(folder) / name).resolve())
            server, address = serve(copy)
            browser.open("about:blank")
            browser.open(address)
            check(browser.until("document.getElementById('loading').classList.contains('failed')", 60),
                  f"without {gone} nothing is said")
            said = browser.run("document.getElementById('loading').textContent")
            check(gone in said, f"without {gone} the page says {said!r}")
            check(browser.run("getComputedStyle(document.querySelector('#loading button')).display") != "none",
                  f"without {gone} there is no button")
            server.shutdown()


def open_lessons(browser, address):
    """Every step of every lesson, by its link."""
    count = 0
    browser.open("about:blank")
    browser.open(address + link("decay"))
    check(browser.settled(), "decay does not come to rest")
    for lesson in sorted((ASSETS / "lessons").iterdir()):
        text = (lesson / "en.md").read_text(encoding="utf-8")
        for step in re.findall(r"^## .*\{([a-z0-9-]+)", text, re.M):
            browser.run(f"location.hash = 'lesson={lesson.name}/{step}'")
            shown = browser.until(f"ropescope.program.ccall('page_told', 'string') === '{lesson.name}/{step}'", 20)
            check(shown, f"{lesson.name}/{step}: {browser.told()}")
            check(browser.settled(60), f"{lesson.name}/{step} does not come to rest")
            count += 1
    check(browser.run("ropescope.problems.length") == 0, f"lessons: {browser.run('ropescope.problems')}")
    check(count > 80, f"only {count} steps were found")
    print(f"{count} steps of lessons were opened", flush=True)


def follow(browser, address):
    browser.open("about:blank")
    browser.open(address + link("decay"))
    check(browser.settled(), "decay does not come to rest")
    before = browser.cards()
    browser.run("location.hash = '1&view=decay&rope.base=100'")
    time.sleep(0.5)
    check(browser.settled(), "a link that is followed does not come to rest")
    check(browser.cards() != before, "a link that is followed changes nothing")
    # Ctrl+Z goes back, and the address with it.
    browser.key("z", "KeyZ", 90, modifiers=2)
    time.sleep(0.5)
    check(browser.settled(), "undo does not come to rest")
    check(browser.cards() == before, "undo does not bring back the cards")
    check(browser.until("!location.hash.includes('rope.base=100')", 3), "the address does not follow undo")
    browser.run("location.hash = 'lesson=08-decay/hundred'")
    check(browser.until("ropescope.program.ccall('page_told', 'string').startsWith('08-decay/hundred')", 10), "no lesson")
    browser.run("location.hash = '1&view=decay'")
    check(browser.until("ropescope.program.ccall('page_told', 'string') === 'no lesson'", 10),
          "a link to an experiment leaves the lesson open")
    check(browser.until(f"ropescope.program.ccall('page_cards', 'string').includes('{before['decay.first_negative']}')", 10),
          f"a link leads out of a lesson to {browser.cards()}, not {before}")
    browser.run("location.hash = '1&view=nonsense'")
    check(browser.until("ropescope.program.ccall('page_told', 'string').includes('nonsense')", 10),
          f"a link to no view says {browser.told()}")
    check(browser.run("ropescope.problems.length") == 0, f"a link to no view: {browser.run('ropescope.problems')}")
    # A link that nobody can read says so and leaves what is shown.
    browser.run("location.hash = '7&view=layout'")
    check(browser.until("ropescope.program.ccall('page_told', 'string').includes('link format')", 10),
          f"a link of another version says {browser.told()}")
    check(browser.cards() == before, "a link that cannot be read changes the cards")


def drag(browser, address, program):
    """The slider of the base is dragged: cards, address and program agree on what it says then."""
    browser.open("about:blank")
    browser.open(address + link("decay"))
    check(browser.settled(), "decay does not come to rest")
    left, top, width, height = browser.place("rope.base")
    y = top + height * 0.75
    x = left + 0.35 * width
    browser.mouse("mouseMoved", x, y)
    browser.mouse("mousePressed", x, y, buttons=1)
    for step in range(12):
        browser.mouse("mouseMoved", x + step * width / 30, y, buttons=1)
        time.sleep(0.03)
    browser.ask("Input.dispatchMouseEvent", type="mouseReleased", x=x + 11 * width / 30, y=y, button="left", clickCount=1)
    time.sleep(0.7)
    check(browser.settled(), "a dragged slider does not come to rest")
    arguments = urllib.parse.unquote(browser.run("location.hash")).split("&")[1:]
    base = [one for one in arguments if one.startswith("rope.base=")]
    check(base and float(base[0].split("=")[1]) > 10000, f"the address after a drag is {arguments}")
    expected, why = cards_of_program(program, "decay", "--experiment", browser.run("location.href"))
    check(not why, why)
    check(compare_cards(browser.cards(), expected, "dragged") > 3, "no cards after a drag")
    # What is longer is packed, and the program reads that too.
    browser.run("location.hash = '1&view=decay&rope.base=123456&rope.scaling=yarn&rope.factor=8&rope.trained_length=8192"
                "&rope.beta_fast=16&rope.beta_slow=2&decay.span=30000&decay.distance_range=3:29000&curves.shown_as=values'")
    time.sleep(0.7)
    check(browser.settled(), "a long link does not come to rest")
    check(browser.told() == "no lesson", f"a long link: {browser.told()}")
    browser.key("p", "KeyP", 80)
    check(browser.until("location.hash.startsWith('#2&')", 5), f"a long address is {browser.run('location.hash')}")
    check(browser.settled(), "a pin does not come to rest")
    expected, why = cards_of_program(program, "decay", "--experiment", browser.run("location.href"))
    check(not why, why)
    check(compare_cards(browser.cards(), expected, "packed link") > 3, "no cards of a packed link")


def in_slices(browser, address):
    """Frames are drawn while something is computed, and what nobody wants any more is left."""
    browser.open("about:blank")
    browser.open(address + link("race"))
    check(browser.settled(), "race does not come to rest")
    check(browser.run("typeof WebAssembly.Suspending") == "function", "this browser cannot let a program rest")
    browser.run("ropescope.meanwhile = ropescope.rests = 0")
    browser.key(" ", "Space", 32)
    check(browser.until("ropescope.meanwhile > 3", 60), "no frame is drawn while models are trained")
    check(browser.run("ropescope.rests") > 3, "the training never rests")
    check(browser.until("ropescope.program._page_busy() === 1", 20), "nothing is trained")
    browser.run("location.hash = '1&view=decay&rope.base=100'")
    check(browser.until("ropescope.program._page_rests() === 1 && ropescope.program.ccall('page_cards', 'string')"
                        ".includes('decay')", 20), "another view does not end the training")
    browser.open("about:blank")
    browser.open(address + link("limits", ["rope.base=654321"]))
    check(browser.settled(90), "limits does not come to rest")
    check(browser.run("ropescope.meanwhile") > 0, "no frame is drawn while limits are computed")
    check(browser.run("ropescope.problems.length") == 0, f"slices: {browser.run('ropescope.problems')}")


def npy(values, shape):
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }" % (tuple(shape),)
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}d", *values)


def safetensors(tensors, shape):
    header, data = {}, b""
    for name, values in tensors.items():
        begin = len(data)
        data += struct.pack(f"<{len(values)}d", *values)
        header[name] = {"dtype": "F64", "shape": shape, "data_offsets": [begin, len(data)]}
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def without_rests(browser, folder):
    """A browser that lets no program stand, and a host that does not know what a program is."""
    script = browser.ask("Page.addScriptToEvaluateOnNewDocument", source="delete WebAssembly.Suspending")
    for wasm in ("application/octet-stream", "application/wasm; charset=utf-8"):
        server, address = serve(folder, wasm)
        browser.open(address + link("precision", ["rope.base=54321"]))
        check(browser.settled(90), f"{wasm}: precision does not come to rest")
        check(browser.run("[ropescope.rests, ropescope.problems.length, ropescope.works.length > 0]") == [0, 0, True],
              f"{wasm}: {browser.run('[ropescope.rests, ropescope.problems, ropescope.works]')}")
        check(browser.cards(), f"{wasm}: no cards")
        browser.open("about:blank")
        server.shutdown()
    browser.ask("Page.removeScriptToEvaluateOnNewDocument", identifier=script["identifier"])


def npz(tables, shape):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, values in tables.items():
            file.writestr(name + ".npy", npy(values, shape))
    return packed.getvalue()


def drop_file(browser, *files):
    listed = ", ".join("new File([Uint8Array.from(atob('%s'), (c) => c.charCodeAt(0))], %s)" %
                       (base64.b64encode(data).decode(), json.dumps(name)) for name, data in files)
    browser.run(f"ropescope.read([{listed}])")
    time.sleep(0.7)


def drop(browser, address, program):
    """A config.json, a .npy and a .safetensors are dropped and read in the page."""
    browser.open("about:blank")
    browser.open(address + link("frequencies"))
    check(browser.settled(), "frequencies does not come to rest")
    config = json.dumps({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 500000.0,
                         "max_position_embeddings": 8192, "num_key_value_heads": 8}).encode()
    drop_file(browser, ("config.json", config))
    check(browser.settled(), "a dropped config does not come to rest")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "config.json"
        path.write_bytes(config)
        expected, why = cards_of_program(program, "frequencies", "--config", str(path))
        check(not why, why)
        check(compare_cards(browser.cards(), expected, "dropped config.json") > 2, "no cards after a drop")
    tables = {name: [call(m * 10000 ** (-2 * (i % 64) / 128)) for m in range(64) for i in range(128)]
              for name, call in (("cos", math.cos), ("sin", math.sin))}
    wrong = {**tables, "sin": [-x for x in tables["sin"]]}
    for files, verdict in (
            ([(f"{name}.npy", npy(values, [64, 128])) for name, values in tables.items()], "agree"),
            ([("dump.safetensors", safetensors(tables, [64, 128]))], "agree"),
            ([("dump.npz", npz(tables, [64, 128]))], "agree"),
            ([("dump.npz", npz(wrong, [64, 128]))], "disagree"),
            ([("dump.safetensors", safetensors(wrong, [64, 128]))], "disagree")):
        browser.open("about:blank")
        browser.open(address + link("check", ["layout.name=text", "layout.text=64", "rope.rotary_dim=128"]))
        browser.settled()
        drop_file(browser, *files)
        # The file arrives a while after the drop.
        browser.until("document.getElementById('words').textContent.toLowerCase().includes('agree')", 60)
        check(browser.settled(60), f"{files[0][0]} does not come to rest")
        said = browser.run("document.getElementById('words').textContent").lower()
        check(verdict in said and ("disagree" in said) == (verdict == "disagree"),
              f"{files[0][0]}: the page says {said[:300]!r}, not {verdict}; {browser.told()}")


def save(browser, address):
    """The picture, the table and the experiment are saved; the picture carries the experiment."""
    browser.open("about:blank")
    browser.open(address + link("decay", ["rope.base=777"]))
    check(browser.settled(), "decay does not come to rest")
    # What a download would hold is looked at where it is made: the page's policy lets no blob be fetched.
    browser.run("""const made = {}, make = URL.createObjectURL;
      URL.createObjectURL = (blob) => { const url = make.call(URL, blob); made[url] = blob; return url; };
      HTMLAnchorElement.prototype.click = async function () {
        const bytes = new Uint8Array(await made[this.href].arrayBuffer());
        const text = new TextDecoder('latin1').decode(bytes);
        ropescope.downloaded = {name: this.download, size: bytes.length, text: text.slice(0, 20000)};
      }; 0""")
    names = []
    for ending, begins in (("png", "PNG"), ("csv", ""), ("rope.json", "{"), ("png", "PNG")):
        browser.run("ropescope.downloaded = null")
        browser.key("s", "KeyS", 83, modifiers=2)
        time.sleep(0.4)
        if ending != "png":
            browser.press("dialog.format")
            browser.press("dialog.format." + ending.split(".")[-1])
        browser.press("dialog.do_save")
        check(browser.until("ropescope.downloaded && ropescope.downloaded.text", 10), f"no {ending} comes down: {browser.told()}")
        got = browser.run("ropescope.downloaded") or {"name": "", "text": "", "size": 0}
        names.append(got["name"])
        check(got["name"].endswith("." + ending), f"{got['name']} comes down in place of a .{ending}")
        check(begins in got["text"][:4] and got["size"] > 500, f"{ending}: {got['size']} bytes")
        if ending != "csv":
            check("777" in got["text"], f"the .{ending} does not hold its experiment")
    check(len(set(names)) == len(names), f"a second picture has the name of the first: {names}")
    # At large text a lesson hides the figures, which are shown for their picture.
    browser.resize(390, 844, 1, touch=True)
    browser.run("location.hash = 'lesson=08-decay/hundred'")
    for _ in range(10):
        browser.key("=", "Equal", 187, modifiers=2)
    still(browser)
    check(browser.place("frame.similarity") is None, "the figure is beside its lesson at large text")
    browser.run("ropescope.downloaded = null")
    browser.run("ropescope.program.ccall('page_set', null, ['string', 'string'], ['shell.save.png', '']), ropescope.wake()")
    check(browser.until("ropescope.downloaded && ropescope.downloaded.size > 500", 10), "no picture of hidden figures")
    check(browser.run("ropescope.problems.length") == 0, f"a picture of hidden figures: {browser.run('ropescope.problems')}")
    browser.resize(1280, 720)
    browser.first_visit(address + link("decay"))  # with text at 100 %


def fingers(browser, address, pictures):
    """On a telephone: the menu of views is tapped, the drawer is opened and drawn up."""
    browser.resize(390, 844, 2, touch=True)
    browser.open("about:blank")
    browser.open(address + link("decay"))
    check(browser.settled(), "decay does not come to rest on a telephone")
    browser.tap("shell.fold")
    check(browser.place("rope.base") is not None, "a tap does not open the controls")
    if pictures:
        browser.picture(pictures / "telephone-controls.png")
    browser.tap("shell.fold")
    browser.tap("shell.menu")
    check(browser.place("shell.copied") is None, "copied before anything was")
    browser.tap("shell.copy_link")
    check(browser.until("ropescope.program.ccall('page_place', 'string', ['string'], ['shell.copied'])", 5),
          "nobody says that the link was copied")
    copied = browser.run("navigator.clipboard.readText()")
    check(copied.startswith(address + "#1&view=decay"), f"copied is {copied}")
    browser.tap("shell.fold")
    before = browser.place("rope.base")[1]
    browser.swipe(150, 750, 150, 550)
    after = browser.place("rope.base")
    check(after is None or after[1] < before - 100, f"a finger that is drawn up scrolls from {before} to {after}")
    browser.tap("shell.fold")
    check(browser.place("rope.base") is None, "a tap does not close the controls")
    if pictures:
        browser.picture(pictures / "telephone.png")
    browser.resize(1280, 720)


# A telephone upright and on its side, a small one, a tablet, and a laptop with a touch screen.
SIZES = ((390, 844), (360, 640), (844, 390), (820, 1180), (1280, 720))


def still(browser):
    """Waits until nothing is computed and the frame keeps its places."""
    before = None
    for _ in range(40):
        browser.settled()
        now = [browser.place(key) for key in ("shell.fold", "frame.similarity", "lesson.next", "shell.menu")]
        if now == before:
            return
        before = now
        time.sleep(0.4)


def overlap(a, b):
    return a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]


def five_sizes(browser, address, pictures):
    """Open controls cover no figure; a lesson and its figure are seen together; text at 200 % lets them take turns."""
    for width, height in SIZES:
        of = f"{width}x{height}"
        browser.resize(width, height, 2, touch=True)
        check(browser.first_visit(address + link("decay")), f"{of}: decay does not come to rest")
        if browser.place("rope.base") is None:
            browser.tap("shell.fold")
        base, figure = browser.place("rope.base"), browser.place("frame.similarity")
        check(base and figure and not overlap(base, figure), f"{of}: the base at {base}, the curve at {figure}")
        check(figure and figure[2] > 190 and figure[3] > 80, f"{of}: the curve has {figure}")
        if pictures:
            browser.picture(pictures / f"touch-{of}-controls.png")
        # What is dragged is seen.
        before = browser.cards()
        y = base[1] + 0.75 * base[3]
        browser.swipe(base[0] + 0.3 * base[2], y, base[0] + 0.8 * base[2], y)
        check(browser.changes(before), f"{of}: a finger on the slider changes nothing")
        browser.first_visit(address + "#lesson=08-decay/hundred")
        words, figure = browser.place("lesson.words"), browser.place("frame.similarity")
        check(words and figure and not overlap(words, figure), f"{of}: a lesson at {words}, its figure at {figure}")
        if pictures:
            browser.picture(pictures / f"touch-{of}-lesson.png")
        for _ in range(10):
            browser.key("=", "Equal", 187, modifiers=2)
        still(browser)
        if pictures:
            browser.picture(pictures / f"touch-{of}-lesson-200.png")
        turns = browser.place("shell.turn")
        words = browser.place("lesson.words")
        check(words and words[3] > 180, f"{of}: at 200 % a lesson has {words}")
        if turns:
            browser.tap("shell.turn")
            check(browser.place("frame.similarity") and browser.place("lesson.words") is None, f"{of}: no turn of the figure")
            if pictures:
                browser.picture(pictures / f"touch-{of}-figure-200.png")
        browser.run("location.hash = '#1&view=decay'")
        browser.until("!ropescope.program.ccall('page_told', 'string').startsWith('08-decay')", 10)
        still(browser)
        if browser.place("rope.base") is None:
            browser.tap("shell.fold")
        base, figure = browser.place("rope.base"), browser.place("frame.similarity")
        check(base and (figure is None or (not overlap(base, figure) and figure[2] > 200)),
              f"{of} at 200 %: the base at {base}, the curve at {figure}")
        if pictures:
            browser.picture(pictures / f"touch-{of}-controls-200.png")
    browser.resize(1280, 720)


def lists_and_fingers(browser, address, pictures):
    """A guess begun beside the corner; three fingers; two that pan; a list that scrolls alone; large buttons."""
    browser.resize(390, 844, 2, touch=True)
    browser.first_visit(address + "#lesson=08-decay")
    check(browser.told().split("\n")[0] == "08-decay/" + first_step("08-decay"), f"a lesson begins at {browser.told()[:60]}")
    for key in ("lesson.list", "lesson.close"):
        place = browser.place(key)
        check(place and min(place[2:]) >= 40, f"{key} has {place}")
    draws = next(name for name, kind in questions("08-decay") if kind == "draw")
    browser.run(f"location.hash = 'lesson=08-decay/{draws}'")
    browser.until(f"ropescope.program.ccall('page_told', 'string').startsWith('08-decay/{draws}')", 10)
    browser.settled()
    time.sleep(1)
    plot = browser.place("plot.similarity")
    browser.swipe(plot[0] - 6, plot[1] - 4, plot[0] + plot[2] - 20, plot[1] + plot[3] - 30)
    browser.tap("lesson.next")  # the question comes into sight
    browser.tap("lesson.answer")
    # The answer is announced when the page has drawn it.
    check(browser.until("document.getElementById('live').textContent.length > 10", 5),
          "a guess that begins 6 px beside the plot draws nothing: " +
          browser.run("document.getElementById('live').textContent"))
    if pictures:
        browser.picture(pictures / "touch-guess.png")
    browser.first_visit(address + link("decay"))
    browser.tap("shell.fold")
    browser.tap("model")
    check(browser.run("document.activeElement.id") != "typed", "a list brings up the keyboard")
    row = browser.place("model.llama-2-7b") or browser.place("model.search")
    box = browser.place("model")
    before = [browser.place("model.search"), browser.place("rope.base")]
    # The list is where its search field is: above the box, or below it.
    up = before[0][1] < box[1]
    x, y = box[0] + 60, (before[0][1] + 120 if up else box[1] + 160)
    browser.swipe(x, y + 60, x, y - 60)
    after = [browser.place("model.search"), browser.place("rope.base")]
    check(after[1] == before[1], f"what is behind a list scrolls: {before[1]} to {after[1]}")
    check(after[0] is None or after[0][1] < before[0][1] - 50, f"a list does not scroll: {before[0]} to {after[0]}")
    if pictures:
        browser.picture(pictures / "touch-list.png")
    browser.swipe(x, y - 60, x, y + 200)
    browser.tap("model.search")
    check(browser.run("document.activeElement.id") == "typed", "a touched filter brings up no keyboard")
    check(browser.run("document.activeElement.inputMode") == "text", "letters are not typed by letters")
    check(row is not None and browser.run("getComputedStyle(document.getElementById('typed')).fontSize") == "16px",
          "the field of the keyboard has not 16 px")
    browser.key("Escape", "Escape", 27)
    browser.key("Escape", "Escape", 27)
    # The keyboard does not cover a number; 500k needs its letters.
    browser.first_visit(address + link("decay"))
    browser.tap("shell.fold")
    browser.tap("rope.base.value")
    check(browser.run("document.activeElement.inputMode") == "text", "500k cannot be typed")
    browser.run("""(() => {
        const half = new EventTarget();
        Object.assign(half, {height: innerHeight / 2, width: innerWidth, offsetTop: 0, offsetLeft: 0, scale: 1});
        Object.defineProperty(window, 'visualViewport', {value: half, configurable: true});
      })()""")
    browser.run("ropescope.typing('decimal')")
    time.sleep(0.4)
    lifted = -float(browser.run("(getComputedStyle(document.getElementById('canvas')).transform.match(/, (-?[0-9.]+)\\)$/) || [0, 0])[1]"))
    place = browser.place("rope.base.input")
    check(place and lifted > 0 and place[1] + place[3] - lifted < 844 / 2, f"the keyboard covers {place}, moved by {lifted}")
    browser.resize(1280, 720)


def many_fingers(address):
    """Two zoom and pan, three undo all of that, four redo, and so does the menu. In a browser of its own: after several
    fingers Chromium sends no touch to the next page."""
    browser = Browser(390, 844, 2, touch=True)
    try:
        browser.open(address + link("decay"))
        check(browser.settled(90), "decay does not come to rest for two fingers")
        browser.run("ropescope.hash_before = location.hash")
        browser.pinch(230, 300, 40, 120)
        check(browser.until("location.hash !== ropescope.hash_before && location.hash.includes('distance_range')", 5),
              f"a pinch does not zoom: {browser.run('location.hash')}")
    finally:
        browser.close()
    browser = Browser(390, 844, 2, touch=True)
    try:
        browser.open(address + link("decay", ["decay.distance_axis=linear", "decay.distance_range=1000:2000"]))
        check(browser.settled(90) and browser.until("location.hash.includes('1000:2000')", 5), "no range in the address")
        plot = browser.place("plot.similarity")
        x, y = plot[0] + plot[2] / 2, plot[1] + plot[3] / 2
        browser.two_fingers(x, y, 80, 0)
        panned = browser.until("location.hash.includes('distance_range') && !location.hash.includes('1000:2000')", 5)
        check(panned, f"two fingers do not pan: {browser.run('location.hash')}")
        browser.taps(x - 60, y, 3)
        check(browser.until("location.hash.includes('1000:2000')", 5), f"three fingers undo to {browser.run('location.hash')}")
        browser.taps(x - 60, y, 4)
        check(browser.until("!location.hash.includes('1000:2000')", 5), "four fingers do not redo")
        browser.tap("shell.menu")
        browser.tap("key.undo")
        check(browser.until("location.hash.includes('1000:2000')", 5), "the menu does not undo")
    finally:
        browser.close()


def steps_of(lesson):
    text = (ASSETS / "lessons" / lesson / "en.md").read_text(encoding="utf-8")
    return re.split(r"^## ", text, flags=re.M)[1:]


def first_step(lesson):
    return re.search(r"\{([a-z0-9-]+)", steps_of(lesson)[0]).group(1)


def questions(lesson):
    """Each step with a question, and how it asks."""
    found = []
    for step in steps_of(lesson):
        ask = re.search(r"```ask\n(.*?)```", step, re.S)
        name = re.search(r"\{([a-z0-9-]+)", step).group(1)
        if ask:
            lines = ask.group(1)
            kind = next((kind for kind in ("choice", "number", "draw", "do") if re.search(rf"^{kind} *=", lines, re.M)), "")
            found.append((name, kind))
    return found


def by_finger(browser, address, pictures):
    """A whole lesson by finger, in each language."""
    browser.resize(390, 844, 2, touch=True)
    agent = browser.run("navigator.userAgent")
    last = re.search(r"\{([a-z0-9-]+)", steps_of("08-decay")[-1]).group(1)
    for language in ("en", "ja", "ko"):
        browser.first_visit(address + "#lesson=08-decay", language)
        check(browser.until(f"document.documentElement.lang === '{language}'", 5), f"{language}: the page speaks another language")
        seen, answered = [], 0
        for _ in range(80):
            browser.settled()
            step = browser.told().split("\n")[0].split("/")[-1]
            if step not in seen:
                seen.append(step)
            if step == last and browser.place("lesson.next"):
                break
            words = browser.place("lesson.words")
            for key in ("lesson.choice.1", "lesson.answer"):
                place = browser.place(key)
                if place and words and place[1] + place[3] / 2 < words[1] + words[3] and place[1] > words[1]:
                    if dict(questions("08-decay")).get(step) == "draw":
                        plot = browser.place("plot.similarity")
                        browser.swipe(plot[0] + 2, plot[1] + 6, plot[0] + plot[2] - 20, plot[1] + plot[3] - 30)
                    browser.tap(key)
                    answered += 1
                    break
            browser.tap("lesson.next")
        check(seen and seen[-1] == last, f"{language}: by finger a lesson ends at {seen}")
        check(answered == len(questions("08-decay")), f"{language}: {answered} questions were answered by finger")
        if pictures:
            browser.picture(pictures / f"touch-last-step-{language}.png")
    browser.ask("Emulation.setUserAgentOverride", userAgent=agent)
    browser.resize(1280, 720)


def manners(browser, address, folder):
    """What an app has: a manifest, an icon, a preview, a host that packs; names of files; keys of the browser."""
    browser.first_visit(address)
    manifest = json.loads((pathlib.Path(folder) / "manifest.webmanifest").read_text(encoding="utf-8"))
    installable = browser.ask("Page.getAppManifest")
    check(not installable.get("errors") and manifest["display"] == "standalone", f"the manifest: {installable.get('errors')}")
    for icon in [one["src"] for one in manifest["icons"]] + ["preview.png"]:
        check((pathlib.Path(folder) / icon).read_bytes()[:4] == b"\x89PNG", f"{icon} is no picture")
    for part in ("meta[name=description]", "meta[property='og:image']", "meta[name=theme-color]", "noscript",
                 "link[rel=manifest]", "link[rel=icon]", "link[rel='apple-touch-icon']"):
        check(browser.run(f'document.querySelector("{part}") !== null'), f"the page has no {part}")
    serving = subprocess.Popen([sys.executable, str(ASSETS.parent / "app/platform/web/serve.py"), str(folder), "0"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        host = serving.stdout.readline().strip()
        request = urllib.request.Request(host + "ropescope.wasm", headers={"Accept-Encoding": "gzip"})
        with urllib.request.urlopen(request) as answer:
            sent = answer.read()
            check(answer.headers["Content-Encoding"] == "gzip" and answer.headers["Cache-Control"] == "no-cache",
                  f"serve.py says {dict(answer.headers)}")
            check(gzip.decompress(sent) == (pathlib.Path(folder) / "ropescope.wasm").read_bytes(), "serve.py packs another file")
            request.add_header("If-Modified-Since", answer.headers["Last-Modified"])
        try:
            urllib.request.urlopen(request)
            check(False, "serve.py sends what the browser has")
        except urllib.error.HTTPError as error:
            check(error.code == 304, f"serve.py answers {error.code}")
    finally:
        serving.terminate()
        serving.wait(10)
    # Keys that the page has no use for.
    browser.first_visit(address + link("decay"))
    for code in ("KeyF", "KeyD", "KeyH", "KeyJ", "KeyU"):
        check(not browser.prevents(code, code[-1].lower(), ctrlKey=True), f"the page keeps Ctrl+{code[-1]} from the browser")
    for code in ("AudioVolumeUp", "F6", "F3", "F12"):
        check(not browser.prevents(code, code), f"the page keeps {code} from the browser")
    for code, key in (("KeyK", "k"), ("KeyS", "s"), ("Equal", "=")):
        check(browser.prevents(code, key, ctrlKey=True), f"Ctrl+{key} is the browser's")
    browser.key("Escape", "Escape", 27)
    browser.key("Escape", "Escape", 27)
    for presses in range(200):
        browser.ask("Input.dispatchKeyEvent", type="rawKeyDown", key="Tab", code="Tab", windowsVirtualKeyCode=9)
        browser.ask("Input.dispatchKeyEvent", type="keyUp", key="Tab", code="Tab", windowsVirtualKeyCode=9)
        time.sleep(0.12)
        if browser.run("document.activeElement.id") != "canvas":
            break
    check(browser.run("document.activeElement.id") != "canvas" and presses > 10, f"Tab never leaves the canvas ({presses})")
    # A dropped file has its own name.
    browser.first_visit(address + link("frequencies"))
    drop_file(browser, ("config.json", json.dumps({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
                                                   "rope_theta": 7000.0}).encode()))
    browser.settled()
    check(browser.until("decodeURIComponent(location.hash).includes('config.json')", 5) and
          "files/" not in urllib.parse.unquote(browser.run("location.hash")), f"a dropped file is {browser.run('location.hash')}")


def wishes(browser, address):
    """The system's wishes decide the first start, and no later one."""
    browser.wish()
    browser.first_visit(address + link("decay"))
    dark = browser.run(GROUND)
    browser.wish(color_scheme="light", reduced_motion="reduce", contrast="more")
    browser.open("about:blank")
    browser.open(address + link("decay"))
    browser.settled()
    check(browser.run(GROUND) == dark, "a wish changes settings that were kept")
    browser.first_visit(address + link("decay"))
    check(browser.run(GROUND) != dark, "a light system has a dark page")
    check(not sweep_starts(browser), "a sweep starts by itself where less motion is wished")
    browser.wish()
    browser.first_visit(address + link("decay"))
    check(sweep_starts(browser), "a sweep does not start by itself")
    browser.first_visit(address)


def sweep_starts(browser):
    """Whether the figure of a step with a sweep moves: more states within five seconds than before and after it."""
    browser.run("location.hash = 'lesson=04-turn/half-turn'")
    check(browser.until("ropescope.program.ccall('page_told', 'string').startsWith('04-turn/half-turn')", 10),
          "the step with a sweep does not open")
    seen = set()
    for _ in range(50):
        seen.add(str(browser.cards()))
        time.sleep(0.1)
    return len(seen) > 2


def for_screen_readers(browser, address):
    """The controls that are drawn exist as hidden ones, follow the experiment and set it; answers are announced."""
    browser.first_visit(address + link("decay"))
    check(browser.until("document.querySelector('#controls [data-key=\"rope.base\"]') !== null", 5), "no hidden slider of the base")
    slider = "document.querySelector('#controls [data-key=\"rope.base\"]')"
    check(browser.run(f"{slider}.type + ' ' + {slider}.getAttribute('aria-valuetext').replace(/\\s/g, '')") == "range 10000",
          f"the base is {browser.run(slider + '.outerHTML')}")
    check(browser.run("document.querySelectorAll('#controls input[type=radio]').length") > 2, "no hidden radio buttons")
    before = browser.cards()
    exact = "document.querySelector('#controls [data-key=\"rope.base.value\"]')"
    browser.run(f"{exact}.focus(), {exact}.value = '500k', {exact}.dispatchEvent(new Event('change', {{bubbles: true}}))")
    check(browser.until(f"{slider}.getAttribute('aria-valuetext').replace(/\\s/g, '') === '500000'", 5), "no exact number can be set")
    pasted = browser.run(f"(() => {{ const paste = new ClipboardEvent('paste', {{bubbles: true, cancelable: true, clipboardData: new DataTransfer()}});"
                         f" {exact}.dispatchEvent(paste); return paste.defaultPrevented; }})()")
    check(not pasted, "the page takes what is pasted into a hidden field")
    browser.run(f"{slider}.focus(), {slider}.value = 100, {slider}.dispatchEvent(new Event('input', {{bubbles: true}}))")
    time.sleep(0.5)
    check(browser.settled() and browser.cards() != before, "a hidden slider sets nothing")
    check(browser.run("document.activeElement.dataset.key") == "rope.base", "a hidden slider loses the focus")
    browser.run("location.hash = '1&view=decay&rope.base=100'")
    browser.until(f"{slider}.getAttribute('aria-valuetext') === '100'", 5)
    check(browser.run(f"{slider}.getAttribute('aria-valuetext')") == "100", "a hidden slider does not follow")
    tree = browser.ask("Accessibility.getFullAXTree")["nodes"]
    roles = [node.get("role", {}).get("value") for node in tree if not node.get("ignored")]
    names = [node.get("name", {}).get("value") for node in tree if node.get("role", {}).get("value") == "slider"]
    check(roles.count("slider") >= 2 and roles.count("button") >= 3 and all(names), f"the tree has {names}")
    canvas = next((node for node in tree if node.get("role", {}).get("value") == "application"), {})
    check(canvas.get("name", {}).get("value") and not canvas.get("description", {}).get("value"), f"the canvas is {canvas.get('name')}")
    browser.run("location.hash = 'lesson=08-decay/hundred'")
    choice = "document.querySelector('#controls [data-key=\"lesson.choice.1\"]')"
    check(browser.until(f"{choice} !== null", 10), "a question has no hidden buttons")
    browser.run(f"{choice}.click()")
    check(browser.until("document.getElementById('live').textContent.length > 10", 5), "an answer is not announced")


def student(browser, address, pictures):
    """One figure, one slider and the question; the answer is held up; the way to everything."""
    browser.resize(390, 844, 2, touch=True)
    browser.first_visit(address + "#lesson=08-decay/hundred&student=1")
    for key in ("shell.menu", "shell.fold", "lesson.close", "chip.pin"):
        check(browser.place(key) is None, f"a student sees {key}")
    check(browser.place("frame.similarity") and browser.place("lesson.choice.1"), "a student lacks the figure or the question")
    if pictures:
        browser.picture(pictures / "student.png")
    check(browser.until("location.hash.endsWith('&student=1')", 5), f"the address forgets the student: {browser.run('location.hash')}")
    browser.tap("lesson.choice.2")
    browser.settled()
    if pictures:
        browser.picture(pictures / "student-answered.png")
    browser.tap("lesson.hold_up")
    check(browser.place("lesson.held_up") is not None, "an answer is not held up")
    if pictures:
        browser.picture(pictures / "student-held-up.png")
    browser.tap("lesson.held_up")
    browser.tap("shell.whole")
    check(browser.place("lesson.close") is not None and browser.until("!location.hash.includes('student')", 5),
          "no way to the whole laboratory")
    browser.resize(1280, 720)


def without_webgl(browser, address):
    script = browser.ask("Page.addScriptToEvaluateOnNewDocument", source="HTMLCanvasElement.prototype.getContext = () => null")
    browser.open("about:blank")
    browser.open(address)
    check(browser.until("document.getElementById('why').textContent.includes('WebGL 2')", 20), "no WebGL is not said")
    browser.ask("Page.removeScriptToEvaluateOnNewDocument", identifier=script["identifier"])


def without_network(browser, address, server, pictures):
    """Once the page was there, it opens again where there is no network."""
    browser.open("about:blank")
    browser.open(address + link("decay"))
    check(browser.settled(), "decay does not come to rest")
    check(browser.until("navigator.serviceWorker.ready.then(() => caches.keys()).then((names) => caches.open(names[0])).then((c) => c.keys())"
                        ".then((keys) => keys.length === 9)", 20), "nothing is kept for a room without network")
    server.shutdown()
    server.server_close()
    browser.open("about:blank")
    browser.open(address + link("limits"))
    check(browser.settled(), "the page does not open without network")
    check(browser.cards(), "no cards without network")


def weigh(folder):
    """What a host sends that packs by gzip, the weaker of the two ways."""
    total = sum(len(gzip.compress((pathlib.Path(folder) / name).read_bytes(), 9)) for name in
                ("index.html", "page.css", "page.js", "worker.js", "ropescope.js", "ropescope.wasm", "ropescope.data"))
    check(total < 6e6, f"the page weighs {total} bytes, packed")
    print(f"{total / 1e6:.2f} MB, packed by gzip", flush=True)


# The colour of the canvas's first dot, as it was drawn last.
GROUND = """(() => {
      const one = document.createElement('canvas').getContext('2d');
      ropescope.program._page_frame(performance.now() / 1000);
      one.drawImage(document.getElementById('canvas'), 0, 0, 1, 1, 0, 0, 1, 1);
      return String(one.getImageData(0, 0, 1, 1).data);
    })()"""


def in_three_languages(browser, address, pictures):
    """Both themes and the three languages, at three sizes; texts at 200 %."""
    agent = browser.run("navigator.userAgent")
    for language, size in (("ja", (1280, 720)), ("ko", (1920, 1080)), ("en", (390, 844))):
        browser.ask("Emulation.setUserAgentOverride", userAgent=agent, acceptLanguage=language)
        browser.resize(*size)
        browser.open("about:blank")
        browser.open(address + "#lesson=08-decay/average")
        check(browser.settled(), f"{language}: the lesson does not come to rest")
        # Settings are kept, as a desktop keeps them: the first language stays until another is chosen.
        if language != browser.run("document.documentElement.lang"):
            browser.run("indexedDB.deleteDatabase('/state'); 0")
            browser.open("about:blank")
            browser.open(address + "#lesson=08-decay/average")
            check(browser.settled(), f"{language}: the lesson does not come to rest")
        check(browser.until(f"document.documentElement.lang === '{language}'", 5),
              f"{language}: the page speaks {browser.run('document.documentElement.lang')}")
        before = browser.run(GROUND)
        browser.key("t", "KeyT", 84)
        check(browser.until(f"({GROUND}) !== '{before}'", 5), f"{language}: T does not change the theme")
        if pictures:
            browser.picture(pictures / f"lesson-{language}-{size[0]}.png")
    browser.ask("Emulation.setUserAgentOverride", userAgent=agent)
    browser.resize(1280, 720)


def main():
    folder, program = sys.argv[1:3]
    weigh(folder)
    pictures = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
    server, address = serve(folder)
    browser = Browser(1280, 720)
    browser.ask("Network.enable")
    browser.ask("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    try:
        first_visit(browser, address)
        open_views(browser, address, program, pictures)
        large_views(browser, address, program, pictures)
        kept(browser, address)
        failed_loading(browser, folder)
        open_lessons(browser, address)
        follow(browser, address)
        drag(browser, address, program)
        in_slices(browser, address)
        without_rests(browser, folder)
        drop(browser, address, program)
        save(browser, address)
        fingers(browser, address, pictures)
        five_sizes(browser, address, pictures)
        lists_and_fingers(browser, address, pictures)
        many_fingers(address)
        by_finger(browser, address, pictures)
        manners(browser, address, folder)
        wishes(browser, address)
        for_screen_readers(browser, address)
        student(browser, address, pictures)
        in_three_languages(browser, address, pictures)
        without_webgl(browser, address)
        browser.open("about:blank")
        browser.open(address + link("decay"))
        browser.settled()
        memory = browser.run("ropescope.program.HEAPU8.length") / 2**20
        check(memory < 300, f"the page takes {memory:.0f} MiB")
        without_network(browser, address, server, pictures)
        elsewhere = [one for one in browser.asked() if not one.startswith(("http://127.0.0.1:", "about:", "data:", "blob:"))]
        check(not elsewhere, f"the page asks for {elsewhere[:3]}")
    finally:
        browser.close()
        server.shutdown()
    print(f"{len(problems)} problems")
    sys.exit(1 if problems else 0)


main()
