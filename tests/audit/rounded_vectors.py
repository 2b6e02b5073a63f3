#!/usr/bin/env python3
"""Measures what rounding does to biases and norm weights, and what a wrong order does: rounded_vectors.py, needs NumPy.

The measure is that of `ropescope weights --against`: for each head √(Σ(a − b)²/max(Σa², Σb²)), at least against a
thousandth of the largest head; the largest over the heads. Prints for several distributions the largest difference
after rounding to F16, BF16 (to nearest, and cut), Q8_0 and Q4_0, then the smallest after an error of a conversion.
"""
import numpy as np

RANDOM = np.random.default_rng(1)
SHAPES = ((1, 64), (8, 64), (8, 128), (32, 128), (128, 128), (16, 256))  # heads, channels


def f16(x):
    return x.astype(np.float16).astype(float)


def bf16(x, cut=False):
    bits = x.astype(np.float32).view(np.uint32).astype(np.uint64)
    bits += 0 if cut else 0x7FFF + ((bits >> 16) & 1)
    return ((bits >> 16 << 16).astype(np.uint32)).view(np.float32).astype(float)


def q8_0(x):
    blocks = x.reshape(-1, 32)
    step = f16(np.abs(blocks).max(1, keepdims=True) / 127)
    return (np.round(blocks / np.where(step > 0, step, 1)) * step).reshape(x.shape)


def q4_0(x):
    blocks = x.reshape(-1, 32)
    largest = np.take_along_axis(blocks, np.abs(blocks).argmax(1)[:, None], 1)
    step = f16(largest / -8)
    codes = np.clip(np.floor(blocks / np.where(step != 0, step, 1) + 8.5), 0, 15) - 8
    return (codes * step).reshape(x.shape)


ROUNDINGS = {"F16": f16, "BF16": bf16, "BF16 cut": lambda x: bf16(x, True), "Q8_0": q8_0, "Q4_0": q4_0}


def difference(a, b):
    sizes = np.maximum((a**2).sum(1), (b**2).sum(1))
    return np.sqrt((((a - b) ** 2).sum(1) / np.maximum(sizes, 1e-6 * sizes.max())).max())


def errors(x, shared):
    """Differences after errors of a conversion. `shared`: all heads have the same numbers."""
    halves = np.arange(x.shape[1]).reshape(2, -1).T.ravel()  # channel 2i is channel i, 2i + 1 is i + pairs
    for order in (halves, halves[halves]):
        yield difference(x, x[:, order])
        if not shared:
            one = x.copy()
            one[0] = one[0][order]
            yield difference(x, one)
    if not shared and len(x) > 1:
        yield difference(x, x[[1, 0, *range(2, len(x))]])


def slow(heads, channels, factor):
    """Normal numbers, larger in the slowest pairs."""
    pairs = channels // 2
    from_end = pairs - 1 - np.arange(channels) % pairs
    return RANDOM.normal(size=(heads, channels)) * (1 + factor * np.exp(-((from_end / 3) ** 2)))


def scattered(spread):
    return lambda heads, channels: np.tile(1 + spread * RANDOM.normal(size=channels), (heads, 1))


def uneven(spread):
    return lambda heads, channels: RANDOM.normal(size=(heads, channels)) * np.exp(
        spread * RANDOM.normal(size=(heads, channels)))


CASES = {
    "biases, normal": (lambda heads, channels: RANDOM.normal(size=(heads, channels)), False),
    "biases, log-normal factor 2": (uneven(2), False),
    "biases, log-normal factor 3": (uneven(3), False),
    "biases, slow pairs × 30": (lambda heads, channels: slow(heads, channels, 30), False),
    "biases, slow pairs × 300": (lambda heads, channels: slow(heads, channels, 300), False),
    "norm weights, 1 ± 0.1": (scattered(0.1), True),
    "norm weights, 1 ± 0.03": (scattered(0.03), True),
    "norm weights, 1 ± 0.01": (scattered(0.01), True),
    "norm weights, log-normal 0.5": (
        lambda heads, channels: np.tile(np.exp(0.5 * RANDOM.normal(size=channels)), (heads, 1)), True),
    "norm weights, slow pairs × 10": (
        lambda heads, channels: np.tile(np.abs(slow(1, channels, 10)), (heads, 1)), True),
}

for name, (draw, shared) in CASES.items():
    rounded, wrong = dict.fromkeys(ROUNDINGS, 0.0), np.inf
    for _ in range(60):
        for heads, channels in SHAPES:
            numbers = np.clip(draw(heads, channels), -6e4, 6e4)
            for one, rounding in ROUNDINGS.items():
                rounded[one] = max(rounded[one], difference(numbers, rounding(numbers)))
            wrong = min(wrong, *errors(numbers, shared))
    print(f"{name}: " + ", ".join(f"{one} {most:.4f}" for one, most in rounded.items()) + f"; wrong {wrong:.3f}")
