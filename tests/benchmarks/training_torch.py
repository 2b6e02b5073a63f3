"""A training step of ropescope and of PyTorch: the same numbers first, then how long they take, in one run.

    /usr/bin/python3 tests/benchmarks/training_torch.py build/ropescope [--threads 1,2] [--rounds 7] [--blas FOLDER]

2 layers, width 128, 4 heads, length 128, batch 16, RoPE, softmax, next byte of a text, with the arithmetic of core/training
(pre-norm, GELU by tanh, tied output, AdamW that decays matrices only, warm-up, clipping) on both sides.

The numbers: `race --rate 1e-8 --steps 1 --weights` hands over where ropescope begins, the batches are drawn again here from
their seed, and the losses of ten steps must agree. The times: rounds of the two in turn, ropescope, PyTorch, ropescope …,
each on the same batches; a step's time is the median over the rounds, the ratio the median of the ratios of neighbouring
rounds. Beside seconds by the clock stand those of the processor, which say more where other programs run. ropescope's
seconds are those of its CSV and hold the drawing of the batches; PyTorch's are drawn beforehand.

PyTorch's time is that of its BLAS: without libopenblas0-pthread it takes the plain one of libblas3, many times slower.
--blas: the folder of another libblas.so.3, for the same PyTorch. OPENBLAS_CORETYPE and OPENBLAS_L2_SIZE are unset.
"""
import argparse
import csv
import json
import os
import pathlib
import re
import resource
import statistics
import struct
import subprocess
import sys
import tempfile
import time

LAYERS, WIDTH, HEADS, LENGTH, BATCH, VOCABULARY = 2, 128, 4, 128, 16, 256
DEEP = WIDTH // HEADS
SEED, STEPS, COMPARED, WARM = 1, 20, 10, 5
MASK = 2**64 - 1


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--blas")
    return parser.parse_args()


def restart_with_fair_environment(asked):
    """What slows PyTorch down is unset; the loader reads the library's folder only as a program starts."""
    unset = [name for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE") if name in os.environ]
    path = os.environ.get("LD_LIBRARY_PATH", "")
    if not unset and (not asked.blas or path.split(":")[0] == asked.blas):
        return
    kept = {name: value for name, value in os.environ.items() if name not in unset}
    if asked.blas:
        kept["LD_LIBRARY_PATH"] = asked.blas + (":" + path if path else "")
    os.execve(sys.executable, [sys.executable, *sys.argv], kept)


asked = parse()
restart_with_fair_environment(asked)
import numpy as np
import torch
import torch.nn.functional as F


def blas():
    maps = pathlib.Path("/proc/self/maps").read_text()
    found = sorted(set(re.findall(r"/\S*lib(?:blas|openblas\S*|mkl_rt)\.so\S*", maps)))
    return os.path.realpath(found[0]) if found else "unknown"


def race(folder, *options):
    """Rows of the CSV, and seconds of the processor."""
    path = os.path.join(folder, "race.csv")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([asked.program, "race", "--encodings", "rope", "--seeds", str(SEED), "--layers", str(LAYERS), "--width",
                    str(WIDTH), "--heads", str(HEADS), "--length", str(LENGTH), "--batch", str(BATCH), "--task",
                    os.path.join(folder, "text"), "--every", "1", "-o", path, *options], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(path) as file:
        rows = list(csv.DictReader(file))
    return rows, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Stream:
    """core/training/parameters.h"""

    def __init__(self, *keys):
        self.state = 0
        for key in keys:
            self.state = self.mixed(self.state ^ (key + 0x9E3779B97F4A7C15 & MASK))

    @staticmethod
    def mixed(z):
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
        return z ^ z >> 31

    def below(self, count):
        self.state = self.state + 0x9E3779B97F4A7C15 & MASK
        return (self.mixed(self.state) >> 32) * count >> 32


def batch(text, step):
    """Windows of the first nine tenths, as core/training/trainer.cpp draws them."""
    train = text[:len(text) - len(text) // 10]
    stream = Stream(1, SEED, step)
    begins = [stream.below(len(train) - LENGTH) for _ in range(BATCH)]
    return torch.tensor([list(train[begin:begin + LENGTH + 1]) for begin in begins])


def read_safetensors(path):
    content = pathlib.Path(path).read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    entries = json.loads(content[8:8 + size])
    return {name: torch.from_numpy(np.frombuffer(content[8 + size:][slice(*entry["data_offsets"])], "<f4").copy()
                                   .reshape(entry["shape"])) for name, entry in entries.items() if name != "__metadata__"}


ANGLES = torch.outer(torch.arange(LENGTH).double(), 10000.0**(-torch.arange(0, DEEP, 2).double() / DEEP))
COSINE, SINE = ANGLES.cos().float(), ANGLES.sin().float()
HIDDEN = torch.triu(torch.full((LENGTH, LENGTH), float("-inf")), 1)


def turn(x):
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * COSINE - b * SINE, a * SINE + b * COSINE], -1).flatten(-2)


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.attention_norm, self.mlp_norm = torch.nn.LayerNorm(WIDTH), torch.nn.LayerNorm(WIDTH)
        self.qkv, self.out = torch.nn.Linear(WIDTH, 3 * WIDTH), torch.nn.Linear(WIDTH, WIDTH)
        self.up, self.down = torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        q, k, v = (y.view(BATCH, LENGTH, HEADS, DEEP).transpose(1, 2)
                   for y in self.qkv(self.attention_norm(x)).chunk(3, -1))
        weights = (turn(q) @ turn(k).transpose(-1, -2) * DEEP**-0.5 + HIDDEN).softmax(-1)
        x = x + self.out((weights @ v).transpose(1, 2).reshape(BATCH, LENGTH, WIDTH))
        return x + self.down(F.gelu(self.up(self.mlp_norm(x)), approximate="tanh"))


class Model(torch.nn.Module):
    def __init__(self, weights):
        super().__init__()
        self.tokens = torch.nn.Embedding(VOCABULARY, WIDTH)
        self.layers = torch.nn.ModuleList([Layer() for _ in range(LAYERS)])
        self.norm = torch.nn.LayerNorm(WIDTH)
        # Weights of ropescope are [in × out].
        turned = {name: value.T if value.ndim == 2 and name != "tokens.weight" else value for name, value in weights.items()}
        self.load_state_dict({name: value.contiguous() for name, value in turned.items()})
        matrices = [p for p in self.parameters() if p.ndim == 2]
        vectors = [p for p in self.parameters() if p.ndim == 1]
        self.adam = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.01}, {"params": vectors, "weight_decay": 0}],
                                      1e-3, (0.9, 0.99), 1e-8)
        self.steps = 0

    def step(self, batch):
        self.steps += 1
        for group in self.adam.param_groups:
            group["lr"] = 1e-3 * min(1, self.steps / 100)
        x = self.tokens(batch[:, :-1]) * WIDTH**0.5
        for layer in self.layers:
            x = layer(x)
        loss = F.cross_entropy((self.norm(x) @ self.tokens.weight.T).flatten(0, 1), batch[:, 1:].flatten())
        self.adam.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters(), 1.0)
        self.adam.step()
        return loss.item()


def run_theirs(model, batches):
    clock, processor = time.perf_counter(), time.process_time()
    for one in batches:
        model.step(one)
    return (time.perf_counter() - clock) / len(batches), (time.process_time() - processor) / len(batches)


def run_ours(folder, threads):
    rows, processor = race(folder, "--threads", threads, "--steps", str(WARM + STEPS))
    return (float(rows[-1]["seconds"]) - float(rows[WARM - 1]["seconds"])) / STEPS, processor / (WARM + STEPS)


def main():
    with tempfile.TemporaryDirectory() as folder:
        text = pathlib.Path(__file__).read_bytes() * 3
        pathlib.Path(folder, "text").write_bytes(text)
        race(folder, "--rate", "1e-8", "--steps", "1", "--weights", folder)
        weights = read_safetensors(os.path.join(folder, f"rope-softmax-{SEED}.safetensors"))
        batches = [batch(text, step) for step in range(1, WARM + STEPS + 1)]
        model = Model(weights)
        theirs = [model.step(one) for one in batches[:COMPARED]]
        ours = [float(row["loss"]) for row in race(folder, "--steps", str(COMPARED))[0]]
        apart = max(abs(a - b) / a for a, b in zip(ours, theirs))
        print(f"losses of {COMPARED} steps: {ours[0]:.6f} … {ours[-1]:.6f} and {theirs[0]:.6f} … {theirs[-1]:.6f}, "
              f"at most {apart:.1e} apart")
        if apart > 1e-4:
            sys.exit("they are not the same arithmetic")
        print(f"PyTorch {torch.__version__} with {blas()}")
        for threads in asked.threads.split(","):
            torch.set_num_threads(int(threads))
            run_theirs(model, batches[:WARM])
            rounds = [(run_ours(folder, threads), run_theirs(model, batches[WARM:])) for _ in range(asked.rounds)]
            for which, name in enumerate(("by the clock", "of the processor")):
                ours, theirs = ([1000 * one[side][which] for one in rounds] for side in (0, 1))
                ratios = [a / b for a, b in zip(ours, theirs)]
                print(f"{threads} thread(s), {name}: ropescope {statistics.median(ours):.1f} ms, PyTorch "
                      f"{statistics.median(theirs):.1f} ms a step, ratio {statistics.median(ratios):.2f} "
                      f"({min(ratios):.2f} to {max(ratios):.2f})")


if __name__ == "__main__":
    main()
