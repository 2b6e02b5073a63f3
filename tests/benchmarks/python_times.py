#!/usr/bin/env python3
"""How long tables and curves of the Python package take beside NumPy and torch, in one run, and how far each is from the
exact numbers: PYTHONPATH=build/python python3 tests/benchmarks/python_times.py [--threads N]. The best of several rounds,
in milliseconds."""
import argparse
import time

import numpy as np

import ropescope as rs

try:
    import torch
except ImportError:
    torch = None

DIM, BASE = 128, 10000.0


def best(work, rounds=7):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
    return 1000 * min(times), result


def numpy_tables(positions, dtype):
    inverse = (BASE ** (-np.arange(0, DIM, 2) / DIM)).astype(dtype)
    angle = positions.astype(dtype)[:, None] * inverse
    angle = np.concatenate((angle, angle), 1)
    return np.cos(angle), np.sin(angle)


def torch_tables(positions, dtype):
    inverse = 1.0 / BASE ** (torch.arange(0, DIM, 2).to(dtype) / DIM)
    angle = torch.as_tensor(positions).to(dtype)[:, None] * inverse
    angle = torch.cat((angle, angle), 1)
    return angle.cos().numpy(), angle.sin().numpy()


def numpy_similarity(distances):
    inverse = BASE ** (-np.arange(0, DIM, 2) / DIM)
    total = np.empty(len(distances))
    for first in range(0, len(distances), 4096):
        total[first:first + 4096] = np.cos(distances[first:first + 4096, None] * inverse).mean(1)
    return total


def torch_similarity(distances):
    inverse = BASE ** (-torch.arange(0, DIM, 2).double() / DIM)
    parts = torch.as_tensor(distances).double().split(4096)
    return torch.cat([(part[:, None] * inverse).cos().mean(1) for part in parts]).numpy()


def row(what, who, timed, exact):
    milliseconds, result = timed
    result = result[0] if isinstance(result, tuple) else result
    print("%-34s %-22s %9.1f ms   %.1e" % (what, who, milliseconds, np.abs(result - exact).max()))


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--threads", type=int, default=0)
    threads = arguments.parse_args().threads
    if torch and threads:
        torch.set_num_threads(threads)
    rope, positions = rs.Rope(dim=DIM, base=BASE), np.arange(32768)
    print("%-34s %-22s %12s   %s" % ("", "", "time", "largest error"))
    exact = np.tile(rope.cos_sin(positions, "float64", "exact")[0], 2)
    what = "cos_sin, 32 768 × 128, float32"
    row(what, "ropescope", best(lambda: rope.cos_sin(positions, threads=threads)), exact)
    row(what, "NumPy", best(lambda: numpy_tables(positions, np.float32)), exact)
    if torch:
        row(what, "torch", best(lambda: torch_tables(positions, torch.float32)), exact)
    what = "cos_sin, 32 768 × 64, exact"
    row(what, "ropescope", best(lambda: rope.cos_sin(positions, "float64", "exact", threads=threads)), exact[:, :64])
    row(what, "NumPy, float64, × 128", best(lambda: numpy_tables(positions, np.float64)), exact)
    if torch:
        row(what, "torch, float64, × 128", best(lambda: torch_tables(positions, torch.float64)), exact)
    distances = np.arange(262144)
    what, exact = "similarity, 262 144 distances", rope.similarity(distances.astype(float) + 0.0, threads=1)
    row(what, "ropescope", best(lambda: rope.similarity(distances, threads=threads), 3), exact)
    row(what, "NumPy", best(lambda: numpy_similarity(distances), 3), exact)
    if torch:
        row(what, "torch", best(lambda: torch_similarity(distances), 3), exact)


if __name__ == "__main__":
    main()
