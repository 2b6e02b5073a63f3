"""Says what the page costs: bytes as they are and compressed, seconds to the first frame, milliseconds of a frame,
what a long computation holds the page for, memory. Where the benchmarks of the desktop are given, its frames are timed
beside those of the page, both drawn by software.

    python3 tests/web/measure.py build-web [build/ropescope_benchmarks]
    python3 tests/web/measure.py build-web --picture FILE    the picture of the handbook: a telephone"""

import gzip
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from browser import Browser, serve, views  # noqa: E402

FILES = ["index.html", "page.css", "page.js", "ropescope.js", "ropescope.wasm", "ropescope.data", "worker.js"]


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


def desktop_frames(benchmarks):
    """Milliseconds from frame to frame of the desktop, by view: `drawn` of tests/benchmarks/frame_benchmark.cpp."""
    done = subprocess.run([benchmarks, "--benchmark_filter=^drawn/", "--benchmark_format=json"], capture_output=True,
                          text=True, env={**os.environ, "LIBGL_ALWAYS_SOFTWARE": "1"}, check=True)
    text = done.stdout[done.stdout.index("{"):]
    return {one["label"]: one["median_ms"] for one in json.JSONDecoder().raw_decode(text)[0]["benchmarks"]}


def main():
    folder = pathlib.Path(sys.argv[1])
    if sys.argv[2:3] == ["--picture"]:
        server, address = serve(folder)
        telephone(address, sys.argv[3])
        return server.shutdown()
    sizes(folder)
    server, address = serve(folder)
    desktop = desktop_frames(sys.argv[2]) if len(sys.argv) > 2 else {}
    ratios = []
    for view in views():
        browser = Browser(1280, 720)
        browser.open(address + f"#1&view={view}")
        browser.settled(120)
        loaded, opened, first = browser.run("[ropescope.loaded, ropescope.opened, ropescope.first_frame]")
        works = browser.run("ropescope.works")
        # From frame to frame, while there is something to draw all the time.
        browser.run("""(() => {
            ropescope.frames.length = 0;
            ropescope.between = [];
            let last = 0;
            const each = (time) => {
              ropescope.between.push(time - last);
              last = time;
              requestAnimationFrame(each);
            };
            requestAnimationFrame(each);
          })()""")
        for step in range(60):
            browser.mouse("mouseMoved", 400 + 5 * step, 300 + step)
            time.sleep(0.02)
        frames, between = browser.run("[ropescope.frames, ropescope.between.slice(2)]")
        memory = browser.run("ropescope.program.HEAPU8.length") / 2**20
        used = {one["name"]: one["value"] for one in browser.ask("Performance.getMetrics")["metrics"]}
        print(f"{view}: program loaded {loaded:.0f} ms, opened {opened:.0f} ms, first frame {first:.0f} ms; "
              f"{len(frames)} frames, median {statistics.median(frames):.1f} ms of the program; memory of the program "
              f"{memory:.0f} MiB, of scripts {used['JSHeapUsedSize'] / 2**20:.0f} MiB", flush=True)
        if works:
            print(f"    computed for {sum(works):.0f} ms, at most {max(works):.0f} ms in one piece")
        if view in desktop:
            page = statistics.median(between)
            ratios.append(page / desktop[view])
            print(f"    from frame to frame {page:.1f} ms; of the desktop {desktop[view]:.1f} ms: {ratios[-1]:.1f} times",
                  flush=True)
        browser.close()
    if ratios:
        print(f"frames of the page take {statistics.median(ratios):.1f} times as long, at most {max(ratios):.1f} times")
    server.shutdown()


main()
