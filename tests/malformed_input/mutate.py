"""tests/malformed_input/mutate.py PROGRAM [--runs N | --seconds S] [--seed K] [--keep FOLDER] [--memory MIB]: runs ropescope on files that were
damaged at random, one of every format that it reads in turn, under a limit of memory and time, and says what ended by a
signal, by another exit code than 0, 1 or 2, by no end at all, or in words that no person was meant to read.

The same seed makes the same files. A short run is a test; a longer one is

    python3 tests/malformed_input/mutate.py build/ropescope --seconds 3600 --seed "$RANDOM" --keep found

after which found/ holds every file that something went wrong with, and the command beside it."""
import argparse
import os
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zlib

import files

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SECONDS = 20
EXTREMES = [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 62, (1 << 63) - 1, (1 << 64) - 1]
WORDS = [b"0", b"-1", b"1e308", b"1e-320", b"99999999999999999999", b"NaN", b"Infinity", b"-Infinity", b"null", b"true", b"{}", b"[]", b'""', b"\xff", b"\xc3", b"\0", b"2147483648", b"0.5", b"9007199254740993", b"\xed\xa0\x80"]


def stored(folder, ending):
    path = os.path.join(ROOT, "tests", "fuzz", "corpus", folder)
    return [open(os.path.join(path, name), "rb").read() for name in sorted(os.listdir(path)) if name.endswith(ending)]


def models():
    path = os.path.join(ROOT, "assets", "models")
    return [open(os.path.join(path, name), "rb").read() for name in sorted(os.listdir(path)) if name.endswith(".json")]


def seeds():
    """Whole files of each format."""
    table = lambda descr, shape: files.npy(shape, descr)
    turns = b"".join(struct.pack("<4f", 1, 0.5, 0.25, 0.125) for _ in range(3))
    notes = {"ropescope.roles": '{"cos": "cos", "sin": "sin"}', "ropescope.options": '{"length": 64}',
             "ropescope.config": '{"model_type": "llama", "head_dim": 8, "hidden_size": 8, "num_attention_heads": 1}'}
    return {
        "npy": [table(d, s) for d in files.CODES for s in ((3, 8), (8,), (2, 3, 8), (3, 2, 8), (2, 4, 2, 8))] + [files.npy((4, 8), fortran=True)] + stored("npy", ".npy"),
        "npz": [files.npz({"q": table("<f4", (3, 2, 8)), "k": table("<f4", (3, 2, 8)), "cos": table("<f4", (3, 4)), "sin": table("<f4", (3, 4))}, packed) for packed in (False, True)] + stored("npz", ".npz"),
        "safetensors": [files.safetensors({"cos": ("F32", (3, 4), turns), "sin": ("F32", (3, 4), turns)}, said) for said in (None, notes)] + stored("safetensors", ".safetensors") + stored("weights", ".safetensors"),
        "gguf": stored("gguf", ".gguf"),
        "torch": stored("torch", ".pt") + stored("torch", ".pkl"),
        "ggml": stored("ggml", ".bin") + stored("ggml", ".dat"),
        "csv": [b"1,0.5,0.25,0.125\n" * 3, b"a,b\n1,2\n3,4\n"] + stored("csv", ".csv"),
        "json": stored("config", ".json") + models(),
        "experiment": stored("experiment", ".json"),
        "picture": [files.png(9, 7), files.png(9, 7, interlaced=0, depth=16, colours=6), files.png(5, 5, depth=1, colours=0), files.jpeg(24, 16, 5), files.jpeg(40, 40, 130)],
    }


def mutated(random, content, others):
    """The content with one to four things done to it."""
    bytes_ = bytearray(content)
    for _ in range(random.randint(1, 4)):
        size = len(bytes_)
        at = random.randrange(size + 1)
        # Headers stand in front.
        if random.random() < 0.5:
            at = min(at, random.randrange(200))
        act = random.randrange(9)
        if act == 0 and size:
            at = min(at, size - 1)
            bytes_[at] ^= 1 << random.randrange(8)
        elif act == 1:
            bytes_[at : at + 1] = bytes([random.randrange(256)])
        elif act == 2:
            del bytes_[at : at + random.choice([1, 2, 4, 8, 64, size])]
        elif act == 3:
            bytes_[at:at] = bytes_[max(0, at - random.choice([1, 4, 30])) : at] * random.choice([1, 2, 100])
        elif act == 4:
            width, order = random.choice([1, 2, 4, 8]), random.choice("<>")
            number = random.choice(EXTREMES) & ((1 << 8 * width) - 1)
            bytes_[at : at + width] = struct.pack(order + {1: "B", 2: "H", 4: "I", 8: "Q"}[width], number)
        elif act == 5:
            bytes_[at:at] = random.choice(WORDS)
        elif act == 6:
            # A number or a word of a text by another one.
            end = at
            while end < size and (chr(bytes_[end]).isalnum() or bytes_[end] in b"+-._"):
                end += 1
            bytes_[at:end] = random.choice(WORDS)
        elif act == 7:
            other = random.choice(others)
            begin = random.randrange(len(other) + 1)
            bytes_[at : at + random.choice([0, 16, 64])] = other[begin : begin + random.choice([4, 16, 64, 256])]
        else:
            end = min(size, at + random.choice([8, 64, 512]))
            bytes_[at:end] = bytes([random.choice([0, 255, 32])]) * (end - at)
    return bytes(bytes_)


def repaired(content):
    """A PNG whose checksums are right again, so that what was changed is looked at."""
    if not content.startswith(b"\x89PNG\r\n\x1a\n"):
        return content
    out, at = bytearray(content), 8
    while at + 12 <= len(out):
        size = struct.unpack_from(">I", out, at)[0]
        if at + 12 + size > len(out):
            break
        struct.pack_into(">I", out, at + 8 + size, zlib.crc32(out[at + 4 : at + 8 + size]))
        at += 12 + size
    return bytes(out)


def damaged(random, kind, whole):
    """A file of this kind: damaged itself, or made of damaged parts."""
    if kind == "npz" and random.random() < 0.5:
        part = lambda: mutated(random, random.choice(whole["npy"]), whole["npy"])
        sound = lambda: random.choice(whole["npy"])
        return files.npz({name: random.choice([part, sound])() for name in ("q", "k", "v", "cos", "sin")})
    if kind == "torch" and random.random() < 0.7:
        pickle = random.choice([each for each in whole[kind] if each.startswith(b"\x80")])
        return files.torch_zip(mutated(random, pickle, whole[kind]), [bytes(random.choice([4, 12, 24])) for _ in range(4)])
    content = mutated(random, random.choice(whole[kind]), whole[kind])
    return repaired(content) if kind == "picture" and random.random() < 0.8 else content


ROPE = ["--dim", "8", "--base", "10000"]


def commands(kind):
    """Ways to have a file of this kind read; FILE stands for its name."""
    if kind == "npy":
        yield ["rotate", *ROPE, "--input", "FILE", "--positions", "0:2", "-o", "out.npy"]
        yield ["rotate", *ROPE, "--input", "good.npy", "--positions", "FILE", "-o", "out.npy"]
        yield ["score", "rope", "--dim", "8", "--query", "FILE", "--key", "1,2,3,4,5,6,7,8", "--query-position", "3", "--key-position", "1"]
        yield ["check", *ROPE, "--ids", "FILE"]
        yield ["check", *ROPE, "--positions", "FILE", "--ids", "good.npy"]
        yield ["check", *ROPE, "--before", "FILE", "--after", "FILE", "--q-layout", "thd"]
        yield ["check", "--against-cos", "good.npy", "--against-sin", "good.npy", "--cos", "FILE", "--sin", "FILE"]
    if kind in ("npy", "npz"):
        yield ["attention", "--encoding", "rope", "--input", "FILE", "-o", "out.npy"]
        yield ["render", "attention", "--set", "attention.content=file", "--set", "attention.file=FILE", "-o", "out.svg"]
    if kind in ("npz", "safetensors", "torch", "ggml"):
        yield ["check", *ROPE, "--cos", "FILE:cos", "--sin", "FILE:sin", "--json"]
        yield ["check", *ROPE, "FILE"]
        yield ["check", "FILE"]
    if kind in ("safetensors", "gguf", "torch"):
        yield ["weights", "FILE", "--config", "good.json", "--json"]
        yield ["weights", "FILE", "--config", "good.json", "--against", "FILE", "--against-config", "good.json"]
        yield ["render", "weights", "--set", "weights.path=FILE", "--set", "weights.config=good.json", "-o", "out.svg"]
    if kind in ("npy", "npz", "safetensors", "csv", "torch", "ggml", "gguf"):
        yield ["check", *ROPE, "--cos", "FILE", "--sin", "FILE"]
        yield ["check", *ROPE, "--frequencies", "FILE"]
        yield ["check", "--layout", "flux.1", "--size", "64x64", "--table", "FILE"]
        yield ["render", "check", "--set", "check.frequencies=FILE", "-o", "out.svg"]
    if kind == "gguf":
        yield ["config", "FILE"]
        yield ["frequencies", "--config", "FILE"]
        yield ["check", "--config", "FILE", "--frequencies", "good.npy"]
        yield ["render", "decay", "--config", "FILE", "-o", "out.svg"]
    if kind == "json":
        yield ["config", "FILE"]
        yield ["frequencies", "--config", "FILE"]
        yield ["layout", "flux.1", "--size", "64x64", "--config", "FILE"]
        yield ["check", "--config", "FILE", "--frequencies", "good.npy"]
        yield ["render", "layout", "--config", "FILE", "-o", "out.svg"]
    if kind == "experiment":
        yield ["render", "decay", "--experiment", "FILE", "-o", "out.svg"]
        yield ["render", "layout", "--experiment", "FILE", "-o", "out.csv"]
    if kind == "picture":
        yield ["render", "layout", "--set", "layout.picture=FILE", "-o", "out.png", "--size", "80x60"]


ENDINGS = {"npy": "npy", "npz": "npz", "safetensors": "safetensors", "gguf": "gguf", "torch": "pt", "ggml": "bin", "csv": "csv", "json": "json", "experiment": "json", "picture": "png"}


def limit(memory):
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def fault_of(program, arguments, memory):
    """What is wrong with how it ended; empty: nothing."""
    try:
        done = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS, preexec_fn=lambda: limit(memory))
    except subprocess.TimeoutExpired:
        return "no end within %d s" % SECONDS
    words = done.stderr
    if done.returncode not in (0, 1, 2):
        return "exit %d: %s" % (done.returncode, words[-300:].decode("utf-8", "replace"))
    for tool in (b"Sanitizer", b"runtime error"):
        if tool in words:
            return words[:4000].decode("utf-8", "replace")
    if done.returncode == 1 and arguments[0] != "check":
        return "exit 1, which only check has"
    try:
        text = words.decode("utf-8")
    except UnicodeDecodeError:
        return "words that are not UTF-8: %r" % words[:300]
    if done.returncode == 2 and (text.count("\n") != 1 or not text.startswith("ropescope: ")):
        return "not one line that says why: %r" % text[:300]
    for foreign in ("json.exception", "std::", "what():", "terminate", "bad_alloc", "basic_string"):
        if foreign in text:
            return "the words of a library: %s" % text[:300]
    if len(text) > 4000:
        return "%d characters of words" % len(text)
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--memory", type=int, default=4096, help="MiB of addresses; 0: any, as sanitizers need")
    parser.add_argument("--keep", help="folder for the files that something goes wrong with")
    given = parser.parse_args()
    program, keep = os.path.abspath(given.program), given.keep and os.path.abspath(given.keep)
    chance, whole = random.Random(given.seed), seeds()
    kinds = sorted(whole)
    begin, done, bad = time.monotonic(), 0, 0
    with tempfile.TemporaryDirectory(prefix="ropescope-mutate-") as folder:
        os.chdir(folder)
        files.write("good.npy", files.npy((3, 8)))
        files.write("good.json", b'{"model_type": "qwen3", "head_dim": 4, "hidden_size": 8, "num_attention_heads": 2, "num_key_value_heads": 1}')
        while (done < given.runs) if given.runs else (time.monotonic() - begin < (given.seconds or 60)):
            kind = kinds[done % len(kinds)]
            done += 1
            content = damaged(chance, kind, whole)
            arguments = chance.choice(list(commands(kind)))
            name = "mutated." + ENDINGS[kind]
            files.write(name, content)
            arguments = [argument.replace("FILE", name) for argument in arguments]
            fault = fault_of(program, arguments, given.memory << 20)
            if not fault:
                continue
            bad += 1
            print("%s\n    ropescope %s" % (fault, " ".join(arguments)), flush=True)
            if keep:
                os.makedirs(keep, exist_ok=True)
                shutil.copy(name, os.path.join(keep, "%d-%d.%s" % (given.seed, done, ENDINGS[kind])))
                with open(os.path.join(keep, "%d-%d.txt" % (given.seed, done)), "w") as file:
                    file.write("ropescope %s\n%s\n" % (" ".join(arguments), fault))
        os.chdir("/")
    print("%d runs, %d of them with something wrong (seed %d)" % (done, bad, given.seed))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
