"""tests/malformed_input/limits.py PROGRAM [--times N]: what a hostile file may cost. Every case is run once, its exit code, the
memory it held at most and how long it took are compared with what is allowed; the exit code is 1 where one exceeds it.
With --times N everything may take N times as long (a machine that does other things, a build with sanitizers).

The files are made in a temporary folder: arrays a thousandth as large as what they unpack to, sparse files of 19 GB."""
import argparse
import os
import struct
import subprocess
import sys
import tempfile
import time

import files

MEBI = 1 << 20
MOST_CSV = 1 << 20


def make(folder):
    """Files by their names, with what they hold."""
    os.chdir(folder)
    # 160 MB of numbers each, in a row that no table has; a layout's; a real one; more tokens than are shown; and so on.
    files.write_npz_of_zeros("row.npz", {"cos": (1, 40_000_000), "sin": (1, 40_000_000)})
    files.write_npz_of_zeros("odd.npz", {"cos": (200_001, 65), "sin": (200_001, 65)})
    files.write_npz_of_zeros("table.npz", {"cos": (400_000, 64), "sin": (400_000, 64)})
    files.write_npz_of_zeros("long.npz", {"q": (100_000, 2, 64), "k": (100_000, 2, 64)})
    files.write_npz_of_zeros("unfit.npz", {"q": (4_000, 4, 512), "k": (4_001, 4, 512)})
    files.write_npz_of_zeros("values.npz", {"q": (16, 8, 64), "k": (16, 8, 64), "v": (16, 8, 200_000)})
    files.write_npz_of_zeros("positions.npz", {"p": (40_000_000,)})
    files.write_sparse_npy("row.npy", (1, 2_400_000_000))
    files.write_sparse_npy("flat.npy", (2_400_000_000,))
    files.write_sparse_npy("wide.npy", (2, 9_375_000, 128))
    files.write_sparse_npy("heads.npy", (1, 18_750_000, 128))
    files.write_sparse_npy("stacked.npy", (2, 1_200_000, 8, 128))
    tensor = files.pickled_tensor((1, 40_000_000), (0, 1), 40_000_000)
    files.write("row.pt", files.torch_zip(b"\x80\x02" + tensor + b".", [bytes(160_000_000)], True))
    doubled = b"".join(b"q\x00" + b"0h\x00h\x00\x86" for _ in range(50))
    files.write("doubled.pt", files.torch_zip(b"\x80\x02" + tensor + doubled + b".", []))
    files.write("many.pt", files.torch_zip(b"\x80\x02" + b"N" * (15 * MEBI) + b".", [], True))
    files.write("pickle.pt", files.torch_zip(bytes(64 * MEBI), [], True))
    # A few bytes that claim gigabytes: a memo with gaps, lists that never end, one number as a table, packed zeros.
    files.write("memo.pt", files.torch_zip(files.pickled_memo(50_000), []))
    files.write("marks.pt", files.torch_zip(b"\x80\x02" + b"(" * (15 * MEBI), [], True))
    repeated = files.pickled_tensor((32_768, 16_384), (0, 0), 1)
    files.write("repeated.pt", files.torch_zip(b"\x80\x02" + repeated + b".", [bytes(4)]))
    files.write_npz_of_zeros("inflated.npz", {"t": (1_000_000, 64)})
    # Angles of 61 MiB, as they lie.
    files.write_sparse_npy("angles.npy", (250_000, 64), "<f4")
    files.write("many.bin", b"".join(
        struct.pack("<iiii", 1, 6, 24, 1) + b"%06d" % i + b"\0" for i in range(60_000)))
    files.write("x.npy", files.npy((2, 8)))
    files.write("lists.csv", b"1,2,3,4\n" * (MOST_CSV // 4))
    files.write("many.safetensors", files.safetensors({"t%06d" % i: ("F32", (1,), bytes(4)) for i in range(60_000)}))
    files.write("large.json", b"{" + b" " * (65 * MEBI) + b"}")
    files.write("scans.jpg", files.jpeg(2000, 2000, 20_000))
    files.write("claims.jpg", files.jpeg(16, 16, 2).replace(b"\x08\x00\x10\x00\x10", b"\x08\x27\x0f\x27\x0f"))
    files.write("claims.png", files.png(4, 4).replace(b"\x00\x00\x00\x04\x00\x00\x00\x04", b"\x00\x00\x27\x0f" * 2))
    os.mkfifo("pipe")
    for name in ("pipe.npy", "pipe.npz", "pipe.csv", "pipe.safetensors", "pipe.json", "pipe.png"):
        os.symlink("pipe", name)
        os.symlink("/dev/zero", name.replace("pipe", "zero"))


ROPE = ["check", "--dim", "128", "--base", "10000"]
ROTATE = ["rotate", "--dim", "8", "--base", "10000", "-o", "out.npy"]
ATTENTION = ["attention", "--encoding", "rope", "-o", "out.npy"]
SCORE = ["score", "rope", "--dim", "8", "--query-position", "1", "--key-position", "2"]
LAYOUT = ["layout", "flux.1", "--size", "256x256"]
DRAW = ["render", "layout", "-o", "out.svg", "--set"]


def cases():
    """Arguments, exit code, MiB of memory beside the program's own, seconds."""
    small = 16
    yield ROPE + ["--cos", "row.npz:cos", "--sin", "row.npz:sin"], 2, small, 1
    yield ["check", "--layout", "flux.1", "--size", "256x256", "--cos", "odd.npz:cos", "--sin", "odd.npz:sin"], 2, small, 1
    # Two arrays of 98 MiB are what is judged.
    yield ROPE + ["--cos", "row.pt", "--sin", "row.pt"], 2, small, 1
    for name, mebibytes in (("doubled.pt", 64), ("many.pt", 160), ("pickle.pt", small), ("many.bin", 64)):
        yield ROPE + ["--frequencies", name], 2, mebibytes, 2
    yield ROPE + ["--cos", "table.npz:cos", "--sin", "table.npz:sin"], 1, 2 * 196, 20
    for name in ("memo.pt", "marks.pt", "repeated.pt", "inflated.npz"):
        yield ROPE + ["--table", name], 2, 64, 2
    # The file, as it is mapped, and as much again.
    yield ROPE + ["--table", "angles.npy"], None, 2 * 61 + small, 20
    yield ROPE + ["--positions", "positions.npz:p", "--ids", "x.npy"], 2, small, 1
    yield ROPE + ["--frequencies", "positions.npz:p"], 2, small, 1
    for name in ("row.npy", "flat.npy"):
        yield ROPE + ["--cos", name, "--sin", name], 2, small, 1
        yield ROPE + ["--frequencies", name], 2, small, 1
        yield ROPE + ["--ids", name], 2, small, 1
        yield ROPE + ["--positions", name, "--ids", "x.npy"], 2, small, 1
        yield ROPE + ["--before", name, "--after", name, "--q-layout", "thd"], 2, small, 1
        yield ["check", "--against-cos", name, "--against-sin", name, "--cos", name, "--sin", name], 2, small, 1
        yield SCORE + ["--query", name, "--key", "x.npy"], 2, small, 1
        yield ROTATE + ["--input", name, "--positions", "0:1"], 2, small, 1
        yield ROTATE + ["--input", "x.npy", "--positions", name], 2, small, 1
        yield ATTENTION + ["--input", name], 2, small, 1
    yield ["rotate", "--dim", "128", "--base", "10000", "-o", "out.npy", "--input", "wide.npy", "--positions", "0:9"], 2, small, 1
    yield ["rotate", "--dim", "128", "--base", "10000", "-o", "out.npy", "--input", "heads.npy", "--positions", "0"], 2, small, 1
    yield ATTENTION + ["--input", "stacked.npy"], 2, small, 1
    yield ATTENTION + ["--input", "long.npz"], 2, small, 1
    yield ATTENTION + ["--input", "unfit.npz"], 2, small, 1
    yield ATTENTION + ["--input", "values.npz", "--dim", "32"], 2, small, 1
    yield ATTENTION + ["--input", "values.npz"], 0, small, 2
    # The numbers are kept as doubles, the text is only looked at (and counted, as it is mapped); what nothing explains is read twice.
    yield ["check", "--dim", "8", "--base", "10000", "--cos", "lists.csv", "--sin", "lists.csv"], 1, 6 * MOST_CSV * 8 // MEBI, 10
    yield ROPE + ["--frequencies", "many.safetensors:t000001"], 1, 200, 5
    for command in (["config"], LAYOUT + ["--config"], ["frequencies", "--config"], ["render", "decay", "-o", "o.svg", "--experiment"]):
        for name in ("large.json", "zero.json", "pipe.json"):
            yield command + [name], 2, small, 1
    for name in ("scans.jpg", "claims.jpg", "claims.png", "zero.png", "pipe.png"):
        yield DRAW + ["layout.picture=" + name], 2, small, 1
    for kind in ("zero", "pipe"):
        for ending in ("npy", "npz", "csv", "safetensors"):
            yield ROPE + ["--frequencies", kind + "." + ending], 2, small, 1
        yield ROTATE + ["--input", kind + ".npy", "--positions", "0"], 2, small, 1
        yield ROTATE + ["--input", "x.npy", "--positions", kind + ".npy"], 2, small, 1
        yield ATTENTION + ["--input", kind + ".npz"], 2, small, 1
        yield SCORE + ["--query", kind + ".npy", "--key", "x.npy"], 2, small, 1
        yield ["render", "attention", "-o", "out.svg", "--set", "attention.content=file", "--set", "attention.file=" + kind + ".npz"], None, small, 2


def run(program, arguments, seconds):
    """Exit code (None: it had to be ended), MiB that it held at most, seconds."""
    start = time.monotonic()
    process = subprocess.Popen([program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        took = time.monotonic() - start
        if pid:
            break
        if took > seconds:
            process.kill()
            _, _, usage = os.wait4(process.pid, 0)
            status = None
            break
        time.sleep(0.002)
    process.returncode = -1
    words = process.stderr.read().decode("utf-8", "replace").strip()
    process.stderr.close()
    code = None if status is None else os.waitstatus_to_exitcode(status)
    return code, usage.ru_maxrss / 1024, took, words


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--times", type=float, default=1)
    parser.add_argument("--all", action="store_true", help="say what every case cost")
    given = parser.parse_args()
    program = os.path.abspath(given.program)
    own = max(run(program, ["layouts"], 60)[1], run(program, ["render", "layout", "-o", "/dev/null", "--set", "layout.width=0"], 60)[1])
    bad = 0
    with tempfile.TemporaryDirectory(prefix="ropescope-limits-") as folder:
        # By a process of its own: what this one holds counts as held by every program that it starts.
        maker = os.fork()
        if maker == 0:
            try:
                make(folder)
                os._exit(0)
            finally:
                os._exit(1)
        if os.waitpid(maker, 0)[1] != 0:
            return 2
        os.chdir(folder)
        for arguments, expected, most, seconds in cases():
            code, memory, took, words = run(program, arguments, 60 * given.times)
            fits = code is not None and (expected is None or code == expected) and memory <= own + most and took <= seconds * given.times
            bad += not fits
            if not fits or given.all:
                print("%-4s exit %s (%s), %d MiB (%d), %.2f s (%g): %s\n       %s" % ("ok" if fits else "BAD", code, expected, memory - own, most, took, seconds, " ".join(arguments), words[:300]))
        os.chdir("/")
    print("%d of the cases cost too much" % bad if bad else "no case costs too much")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
