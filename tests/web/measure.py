"""Says what the page costs: bytes as they are and compressed, seconds to the first frame, milliseconds of a frame of
three views, memory.

    python3 tests/web/measure.py build-web
    python3 tests/web/measure.py build-web --picture FILE    the picture of the handbook: a telephone"""

import gzip
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from browser import Browser, serve  # noqa: E402

FILES = ["index.html", "page.js", "ropescope.js", "ropescope.wasm", "ropescope.data", "worker.js"]


def sizes(folder):
    total = [0, 0, 0]
    for name in FILES:
        data = (folder / name).read_bytes()
        packed = len(gzip.compress(data, 9))
        brotli = 0
        if shutil.which("brotli"):
            brotli = len(subprocess.run(["brotli", "-q", "11", "-c", str(folder / name)], capture_output=True).stdout)
        print(f"{name:16} {len(data):>10} gzip {packed:>9} brotli {brotli:>9}", flush=True)
        total = [a + b for a, b in zip(total, [len(data), packed, brotli])]
    print(f"{'all':16} {total[0]:>10} gzip {total[1]:>9} brotli {total[2]:>9}")


def telephone(address, path):
    browser = Browser(390, 844, 2, touch=True)
    browser.open(address + "#1&view=decay&rope.base=100")
    browser.settled()
    browser.tap("shell.fold")
    browser.picture(path)
    browser.close()


def main():
    folder = pathlib.Path(sys.argv[1])
    if sys.argv[2:3] == ["--picture"]:
        server, address = serve(folder)
        telephone(address, sys.argv[3])
        return server.shutdown()
    sizes(folder)
    server, address = serve(folder)
    for view in ("decay", "rotation", "atlas"):
        browser = Browser(1280, 720)
        browser.open(address + f"#1&view={view}")
        browser.settled(120)
        loaded, opened, first = browser.run("[ropescope.loaded, ropescope.opened, ropescope.first_frame]")
        browser.run("ropescope.frames.length = 0")
        for step in range(60):
            browser.mouse("mouseMoved", 400 + 5 * step, 300 + step)
            time.sleep(0.02)
        frames = browser.run("ropescope.frames")
        memory = browser.run("ropescope.program.HEAPU8.length") / 2**20
        used = {one["name"]: one["value"] for one in browser.ask("Performance.getMetrics")["metrics"]}
        print(f"{view}: program loaded {loaded:.0f} ms, opened {opened:.0f} ms, first frame {first:.0f} ms; "
              f"{len(frames)} frames, median {statistics.median(frames):.1f} ms; memory of the program {memory:.0f} MiB, "
              f"of scripts {used['JSHeapUsedSize'] / 2**20:.0f} MiB", flush=True)
        browser.close()
    server.shutdown()


main()
