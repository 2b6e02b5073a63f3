"""tests/malformed_input/layers.py PROGRAM [--layers 32] [--heads 32] [--tokens 4096] [--dim 128] [--npz] [--what pairs]: what a dump
of a whole model costs. A file of as many layers is made in a temporary folder (float16, 2 GiB as it stands), the command
`vectors` tells of it, and what the program itself held at most (RssAnon: without the pages of the mapped file, which the
system takes back as it likes) and how long it took are printed. The exit code is 1 where it held more than one layer
and a fixed part.
"""
import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile
import time
import zipfile

import numpy

MEBI = 1 << 20
# Of the program without any layer: its libraries, its texts, and rows as text.
FIXED = 192 * MEBI


def shapes(asked):
    return {"q": (asked.tokens, asked.heads, asked.dim), "k": (asked.tokens, asked.key_heads, asked.dim)}


def numbers(asked, seed):
    """q or k of a layer: noise around a direction that the pairs share."""
    random = numpy.random.default_rng(seed)
    return {name: (random.standard_normal(shape, dtype=numpy.float32) + 0.5).astype(numpy.float16)
            for name, shape in shapes(asked).items()}


def write_safetensors(path, asked):
    header, end = {}, 0
    for layer in range(asked.layers):
        for name, shape in shapes(asked).items():
            size = 2 * int(numpy.prod(shape))
            header[f"{name}.{layer}"] = {"dtype": "F16", "shape": list(shape), "data_offsets": [end, end + size]}
            end += size
    text = json.dumps(header, separators=(",", ":")).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        # Two layers in turn: to draw as many numbers as a model has takes longer than to look at them.
        kept = [numbers(asked, 0), numbers(asked, 1)]
        for layer in range(asked.layers):
            for name in shapes(asked):
                file.write(kept[layer % 2][name].tobytes())


def write_npz(path, asked):
    kept = [numbers(asked, 0), numbers(asked, 1)]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for layer in range(asked.layers):
            for name in shapes(asked):
                with archive.open(f"{name}.{layer}.npy", "w", force_zip64=True) as member:
                    numpy.lib.format.write_array(member, kept[layer % 2][name])


def status_of(process):
    """Bytes by the names in /proc: RssAnon, RssFile."""
    try:
        with open(f"/proc/{process.pid}/status") as file:
            return {line.split(":")[0]: 1024 * int(line.split()[1]) for line in file if line.startswith("Rss")}
    except (OSError, ProcessLookupError):
        return {}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    for name, initial in (("layers", 32), ("heads", 32), ("key-heads", 32), ("tokens", 4096), ("dim", 128)):
        parser.add_argument(f"--{name}", type=int, default=initial)
    parser.add_argument("--npz", action="store_true")
    parser.add_argument("--what", default="pairs")
    parser.add_argument("--threads", default="2")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "qk.npz" if asked.npz else "qk.safetensors")
        (write_npz if asked.npz else write_safetensors)(path, asked)
        command = [asked.program, "vectors", path, "--base", "10000", "--what", asked.what, "--threads", asked.threads, "-o",
                   os.path.join(folder, "rows.npy")]
        most, begun = {}, time.monotonic()
        process = subprocess.Popen(command)
        while process.poll() is None:
            for name, held in status_of(process).items():
                most[name] = max(most.get(name, 0), held)
            time.sleep(0.01)
        taken = time.monotonic() - begun
        rows = numpy.load(os.path.join(folder, "rows.npy"), mmap_mode="r").shape if process.returncode == 0 else None
        layer = 2 * sum(int(numpy.prod(shape)) for shape in shapes(asked).values())
        allowed = FIXED + (layer if asked.npz else 0)
        size = os.path.getsize(path)
        print(f"{os.path.basename(path)}: {size / MEBI:.0f} MiB, rows {rows}, {taken:.1f} s, "
              f"held {most.get('RssAnon', 0) / MEBI:.0f} MiB of its own (at most {allowed / MEBI:.0f}), "
              f"mapped {most.get('RssFile', 0) / MEBI:.0f} MiB")
        return 0 if process.returncode == 0 and most.get("RssAnon", 0) <= allowed else 1


if __name__ == "__main__":
    sys.exit(main())
