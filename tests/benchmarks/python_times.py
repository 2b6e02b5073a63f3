#!/usr/bin/env python3
"""Functions of the Python package and their forms in NumPy (and torch, if it is installed), in one run, except limits,
compare, score, table, weights, figures and record, which have no short form in NumPy:
PYTHONPATH=build/python python3 tests/benchmarks/python_times.py [--threads N] [--only WORD]. The best of several rounds in
milliseconds: processor time on one thread, or elapsed time with --threads; how many times faster ropescope is; and the
largest difference from the exact numbers. A form in NumPy computes the same numbers as the function, with the same
accuracy; where the usual form is less accurate, it is a line of its own ("plain")."""
import argparse
import time

import numpy as np

import ropescope as rs

try:
    import torch
except ImportError:
    torch = None

DIM, BASE = 128, 10000.0
THETA = rs.Rope(dim=DIM, base=BASE).frequencies  # NumPy's own powers differ in the last bit, 1e-12 of an angle


# --- Forms in NumPy -------------------------------------------------------------------------------------------------

def tables(positions, dtype, twice=True):
    angle = positions.astype(dtype)[:, None] * THETA.astype(dtype)
    if twice:
        angle = np.concatenate((angle, angle), 1)
    return np.cos(angle), np.sin(angle)


def torch_tables(positions, dtype):
    inverse = 1.0 / BASE ** (torch.arange(0, DIM, 2).to(dtype) / DIM)
    angle = torch.as_tensor(positions).to(dtype)[:, None] * inverse
    angle = torch.cat((angle, angle), 1)
    return angle.cos().numpy(), angle.sin().numpy()


def rotate_half(x):
    return np.concatenate((-x[..., DIM // 2:], x[..., :DIM // 2]), -1)


def rotated(x, positions):
    cos, sin = tables(positions, np.float32)
    return x * cos + rotate_half(x) * sin


def in_pieces(function, distances, size=4096):
    return np.concatenate([function(distances[first:first + size]) for first in range(0, len(distances), size)])


def similarity(distances):
    return in_pieces(lambda some: np.cos(some[:, None] * THETA).mean(1), distances)


def bound(distances):
    return in_pieces(lambda some: np.abs(np.cumsum(np.exp(1j * some[:, None] * THETA), 1)).mean(1), distances)


def first_negative(base, most=1 << 17):
    theta = base ** (-np.arange(0, DIM, 2) / DIM)
    for first in range(1, most, 4096):
        negative = np.flatnonzero(np.cos(np.arange(first, first + 4096)[:, None] * theta).sum(1) < 0)
        if len(negative):
            return first + negative[0]
    return None


def phasors(positions):
    """cos and sin of the exact product of position and frequency, whose rounding error is added (Dekker's splitting)."""
    position = positions.astype(float)[:, None]
    angle = position * THETA
    high, theta_high = ((134217729 * x) - (134217729 * x - x) for x in (position, THETA))
    low, theta_low = position - high, THETA - theta_high
    rest = ((high * theta_high - angle) + high * theta_low + low * theta_high) + low * theta_low
    cos, sin = np.cos(angle), np.sin(angle)
    return cos - rest * sin, sin + rest * cos


def rotation_parts(positions):
    cos, sin = phasors(positions)
    return cos, sin, np.mod(np.arctan2(sin, cos), 2 * np.pi)


def plain_parts(positions):
    angle = positions.astype(float)[:, None] * THETA
    return np.cos(angle), np.sin(angle), np.mod(angle, 2 * np.pi)


def float32_errors(positions):
    """The largest error in cos, the root mean square, and the error of the score."""
    exact, rounded = tables(positions, np.float64, False), tables(positions, np.float32, False)
    cos, sin = (b - a for a, b in zip(exact, rounded))
    return (np.abs(cos).max(1), np.sqrt((cos ** 2 + sin ** 2).sum(1) / (DIM // 2)),
            np.abs(rounded[0].astype(float).mean(1) - exact[0].mean(1)))


def softmax_attention(q, k):
    positions = np.arange(q.shape[1])
    scores = rotated(q, positions) @ rotated(k, positions).swapaxes(1, 2) / np.sqrt(DIM)
    scores = np.exp(scores - scores.max(-1, keepdims=True))
    return scores / scores.sum(-1, keepdims=True)


def difference(cos, sin):
    exact = tables(np.arange(len(cos)), np.float64)
    return max(np.abs(cos - exact[0]).max(), np.abs(sin - exact[1]).max())


# --- The comparison -------------------------------------------------------------------------------------------------

def cases(threads):
    """(what, ropescope's, NumPy's, torch's, the exact numbers) of each case; None: there is no such form."""
    rope, generator = rs.Rope(dim=DIM, base=BASE), np.random.default_rng(1)
    many, more = np.arange(131072), np.arange(262144)
    x = generator.standard_normal((32, 4096, DIM)).astype(np.float32)
    q, k = generator.standard_normal((2, 2, 1024, DIM)).astype(np.float32)
    layout = rs.layout("flux.1", size=(1024, 1024), text=512)
    ids, theta = layout.ids, layout.inverse_frequencies
    cos, sin = rope.cos_sin(many[:32768])
    some = np.arange(1, 20000, 2)
    bases = np.geomspace(1e3, 1e5, 20)
    yield ("cos_sin, 131 072 × 128, float32", lambda: rope.cos_sin(many, threads=threads),
           lambda: tables(many, np.float32), torch and (lambda: torch_tables(many, torch.float32)),
           lambda: np.tile(rope.cos_sin(many, "float64", "exact")[0], 2))
    doubles = lambda: rope.cos_sin(many, "float64", "exact", threads=threads)
    yield "cos_sin exact, 131 072 × 64, float64", doubles, lambda: phasors(many), None, None
    yield "cos_sin exact, float64, plain", doubles, lambda: tables(many, np.float64, False), None, None
    yield ("cos_sin exact, 131 072 × 64, float32", lambda: rope.cos_sin(many, "float32", "exact", threads=threads),
           lambda: [table.astype(np.float32) for table in tables(many, np.float64, False)], None,
           lambda: rope.cos_sin(many, "float64", "exact")[0])
    yield ("rotate, 32 × 4 096 × 128, float32", lambda: rope.rotate(x, many[:4096], threads=threads),
           lambda: rotated(x, many[:4096]), None, lambda: rope.rotate(x.astype(float), many[:4096]))
    yield ("similarity, 262 144 distances", lambda: rope.similarity(more, threads=threads), lambda: similarity(more), None,
           lambda: similarity(more))
    yield ("bound, 65 536 distances", lambda: rope.bound(more[:65536], threads=threads), lambda: bound(more[:65536]), None,
           lambda: bound(more[:65536]))
    yield ("similarity, 20 000 real distances", lambda: rope.similarity(more[:20000] + 0.3, threads=threads),
           lambda: similarity(more[:20000] + 0.3), None, lambda: similarity(more[:20000] + 0.3))
    yield ("precision, float32, 10 000 positions",
           lambda: rope.precision("float32", some, threads=threads)["max_abs_error"], lambda: float32_errors(some), None,
           None)
    yield ("sweep, first negative of 20 bases",
           lambda: np.asarray(rs.sweep("decay.first_negative", {"rope.base": list(bases)}, rope,
                                       threads=threads)["decay.first_negative"]),
           lambda: np.array([first_negative(base) for base in bases]), None, None)
    parts = lambda: rs.encoding("rope", many[:32768], dim=DIM)["cos"]
    exact = lambda: rope.cos_sin(many[:32768], "float64", "exact")[0]
    yield "encoding rope, 32 768 × 3 × 64", parts, lambda: rotation_parts(many[:32768]), None, exact
    yield "encoding rope, plain", parts, lambda: plain_parts(many[:32768]), None, exact
    yield ("attention, 2 × 1 024 × 1 024", lambda: rs.attention("rope", q, k, threads=threads),
           lambda: softmax_attention(q, k), None, lambda: softmax_attention(q.astype(float), k.astype(float)))
    yield ("Layout.cos_sin, 4 608 × 64, float64", lambda: layout.cos_sin("float64", threads=threads),
           lambda: (np.cos(ids @ theta), np.sin(ids @ theta)), None, None)
    yield ("Layout.similarity, 4 608 tokens", lambda: layout.similarity((3, 4)),
           lambda: np.cos(ids @ theta - (ids @ theta)[512 + 3 * 64 + 4]).mean(1), None,
           lambda: np.cos(ids @ theta - (ids @ theta)[512 + 3 * 64 + 4]).mean(1))
    yield ("check, 32 768 × 128 tables", lambda: rs.check(cos=cos, sin=sin, against=rope, threads=threads) and None,
           lambda: difference(cos, sin) and None, None, None)


def best(work, clock, rounds):
    times = []
    for _ in range(rounds):
        start = clock()
        result = work()
        times.append(clock() - start)
    return 1000 * min(times), result


def first_of(result):
    return result[0] if isinstance(result, (tuple, list)) else result


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--threads", type=int, default=1)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--only", default="", help="functions whose name contains this")
    chosen = arguments.parse_args()
    clock = time.process_time if chosen.threads == 1 else time.perf_counter
    if torch:
        torch.set_num_threads(chosen.threads or torch.get_num_threads())
    print("%-38s %11s %11s %8s %11s   %s" % ("", "ropescope", "NumPy", "ratio", "torch", "difference"))
    for what, ours, numpy_form, torch_form, exact in cases(chosen.threads):
        if chosen.only not in what:
            continue
        our_time, result = best(ours, clock, chosen.rounds)
        numpy_time, _ = best(numpy_form, clock, max(2, chosen.rounds // 2))
        torch_time = "%9.1f ms" % best(torch_form, clock, chosen.rounds)[0] if torch_form else "–".rjust(12)
        away = "%.1e" % np.abs(first_of(result).astype(float) - exact()).max() if exact else "–"
        print("%-38s %9.1f ms %9.1f ms %7.1f× %s   %s"
              % (what, our_time, numpy_time, numpy_time / our_time, torch_time, away), flush=True)


if __name__ == "__main__":
    main()
