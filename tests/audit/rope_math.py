"""Rotary tables by plain numpy, written from the published formulas alone.

Nothing here calls ropescope: these are the numbers that an outsider would compute. `Rope` holds what makes a table (ids, and for
every pair its frequency and its axis); the functions below build ropes of text models and of image layouts, spoil them, round
them, and write them to files.
"""

import dataclasses
import json
import math
import struct

import numpy as np


@dataclasses.dataclass
class Rope:
    """What makes a table: angle[token, pair] = ids[token, axis[pair]] * frequency[pair]."""

    ids: np.ndarray                      # [tokens, axes], float64
    frequency: np.ndarray                # [pairs], float64
    axis: np.ndarray                     # [pairs], which axis a pair turns with
    parts: np.ndarray                    # [tokens], names: text, image, reference1, padding, cls
    amplitude: float = 1.0
    pairing: str = "interleaved"

    def but(self, **changes):
        return dataclasses.replace(self, **changes)

    def where(self, part):
        return np.array([name.startswith(part) for name in self.parts])

    def angles(self, kind=np.float64):
        return self.ids.astype(kind)[:, self.axis] * self.frequency.astype(kind)

    def tables(self, kind=np.float64):
        """cos and sin in `kind`, the amplitude in them, as torch would: every step in that format."""
        angle = self.angles(kind)
        amplitude = kind(self.amplitude)
        return np.cos(angle) * amplitude, np.sin(angle) * amplitude


# Ladders and their extensions. All take a width d and a base b, and return d/2 frequencies.


def ladder(d, base, over=None, shift=0.0):
    return base ** (-(2.0 * np.arange(d // 2) + 2 * shift) / (over or d))


def inclusive(d, base):
    return base ** (-np.linspace(0.0, 1.0, d // 2))


def ladder32(d, base):
    """As transformers computes it: every step in float32."""
    exponent = np.arange(0, d, 2, dtype=np.float32) / np.float32(d)
    return (np.float32(1) / np.power(np.float32(base), exponent)).astype(np.float64)


def ntk(d, base, factor):
    return ladder(d, base * factor ** (d / (d - 2.0)))


def dynamic(d, base, factor, trained, length):
    if length <= trained:
        return ladder(d, base)
    return ladder(d, base * (factor * length / trained - (factor - 1)) ** (d / (d - 2.0)))


def turns_ramp(d, base, trained, slow, fast):
    turns = trained * ladder(d, base) / (2 * math.pi)
    return np.clip((turns - slow) / (fast - slow), 0, 1)


def by_parts(d, base, factor, trained, slow=1.0, fast=32.0):
    keep = turns_ramp(d, base, trained, slow, fast)
    plain = ladder(d, base)
    return (1 - keep) * plain / factor + keep * plain


def yarn(d, base, factor, trained, fast=32.0, slow=1.0, truncate=True):
    def place(turns):
        return d * math.log(trained / (turns * 2 * math.pi)) / (2 * math.log(base))
    low, high = place(fast), place(slow)
    if truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, d - 1)
    if low == high:
        high += 0.001
    stretch = np.clip((np.arange(d // 2) - low) / (high - low), 0, 1)
    plain = ladder(d, base)
    return stretch * plain / factor + (1 - stretch) * plain


def mscale(factor, weight=1.0):
    return 0.1 * weight * math.log(factor) + 1 if factor > 1 else 1.0


def llama3(d, base, factor, trained, low=1.0, high=4.0):
    plain = ladder(d, base)
    wave = 2 * math.pi / plain
    if low == high:
        return np.where(wave > trained / low, plain / factor, plain)
    smooth = np.clip((trained / wave - low) / (high - low), 0, 1)
    return (1 - smooth) * plain / factor + smooth * plain


def proportional(head, base, fraction, factor=1.0):
    live = int(fraction * head // 2)
    frequency = ladder(head, base) / factor
    frequency[live:] = 0
    return frequency


# Ropes.


def text_rope(frequency, positions, amplitude=1.0, pairing="half"):
    ids = np.asarray(positions, np.float64).reshape(-1, 1)
    return Rope(ids, np.asarray(frequency, np.float64), np.zeros(len(frequency), int), np.array(["text"] * len(ids)),
                amplitude, pairing)


def axial(dims, base, make=ladder):
    """Each axis with a block of pairs and a ladder of its own."""
    bases = base if isinstance(base, (list, tuple)) else [base] * len(dims)
    frequency = np.concatenate([make(d, b) for d, b in zip(dims, bases)])
    axis = np.concatenate([np.full(d // 2, a) for a, d in enumerate(dims)])
    return frequency, axis


def grid(*sides):
    """Raster of indices, the last side fastest: [tokens, sides]."""
    return np.stack([index.ravel() for index in np.indices(sides)], 1).astype(np.float64)


def joined(parts, dims, base, pairing="interleaved", make=ladder):
    ids = np.concatenate([block for _, block in parts])
    names = np.concatenate([[name] * len(block) for name, block in parts])
    frequency, axis = axial(dims, base, make)
    return Rope(ids, frequency, axis, names, pairing=pairing)


def plane(h, w, axes=3, row=1, t=0.0):
    """h × w image ids on `axes` axes, rows on axis `row`, columns on the next, t on the first."""
    ids = np.zeros((h * w, axes))
    ids[:, row:row + 2] = grid(h, w)
    ids[:, 0] += t
    return ids


def flux1(h, w, text, references=(), dims=(16, 56, 56), base=10000.0):
    parts = [("text", np.zeros((text, 3))), ("image", plane(h, w))]
    parts += [(f"reference{i + 1}", plane(*side, t=1.0)) for i, side in enumerate(references)]
    return joined(parts, dims, base)


def flux2(h, w, text, references=(), dims=(32, 32, 32, 32), base=2000.0):
    words = np.zeros((text, 4))
    words[:, 3] = np.arange(text)
    parts = [("text", words), ("image", plane(h, w, 4))]
    parts += [(f"reference{i + 1}", plane(*side, axes=4, t=10.0 * (i + 1))) for i, side in enumerate(references)]
    return joined(parts, dims, base)


def qwen_image(h, w, text, references=(), centre=True, start=None, dims=(16, 56, 56), base=10000.0):
    sides = [(h, w), *references]
    images = []
    for i, (rows, columns) in enumerate(sides):
        block = plane(rows, columns, t=float(i))
        if centre:
            block[:, 1] -= rows - rows // 2
            block[:, 2] -= columns - columns // 2
        images.append(("image" if i == 0 else f"reference{i}", block))
    if start is None:
        start = max(max(r // 2, c // 2) for r, c in sides)
    words = np.repeat(start + np.arange(text, dtype=np.float64)[:, None], 3, 1)
    return joined([("text", words), *images], dims, base)


def wan(frames, h, w, dims=(44, 42, 42), base=10000.0):
    return joined([("image", grid(frames, h, w))], dims, base)


def hunyuan(frames, h, w, dims=(16, 56, 56), base=256.0):
    return joined([("image", grid(frames, h, w))], dims, base)


def lumina2(h, w, text, dims=(32, 32, 32), base=10000.0):
    words = np.zeros((text, 3))
    words[:, 0] = np.arange(text)
    return joined([("text", words), ("image", plane(h, w, t=float(text)))], dims, base)


def z_image(h, w, text, dims=(32, 48, 48), base=256.0):
    padded = -(-text // 32) * 32
    words = np.zeros((padded, 3))
    words[:, 0] = 1 + np.arange(padded)
    image = plane(h, w, t=padded + 1.0)
    fill = np.zeros((-len(image) % 32, 3))
    return joined([("image", image), ("padding", fill), ("text", words)], dims, base)


def ernie_image(h, w, text, dims=(32, 48, 48), base=256.0):
    words = np.zeros((text, 3))
    words[:, 0] = np.arange(text)
    return joined([("image", plane(h, w, t=float(text))), ("text", words)], dims, base)


def pixtral(h, w, head=64, base=10000.0):
    """One ladder, its even places for the rows and its odd ones for the columns."""
    rope = joined([("image", grid(h, w))], (head // 2, head // 2), base, "half")
    whole = ladder(head, base)
    return rope.but(frequency=np.concatenate([whole[::2], whole[1::2]]))


def cogview4(h, w, dims=(64, 64), base=10000.0):
    ids = grid(h, w)
    return joined([("image", np.stack([ids[:, 0] * 256 // h, ids[:, 1] * 256 // w], 1))], dims, base, "half")


def vit_axial(h, w, head=64, base=100.0):
    return joined([("image", grid(h, w)[:, ::-1].copy())], (head // 2, head // 2), base)


def torchtune(h, w, head=64, base=10000.0):
    parts = [("image", grid(h, w)[:, ::-1] + 1), ("cls", np.zeros((1, 2)))]
    return joined(parts, (head // 2, head // 2), base)


def dinov3(h, w, head=64, base=100.0):
    cells = grid(h, w)
    ids = np.stack([2 * (cells[:, 0] + 0.5) / h - 1, 2 * (cells[:, 1] + 0.5) / w - 1], 1)
    rope = joined([("image", ids)], (head // 2, head // 2), base, "half")
    return rope.but(frequency=2 * math.pi * rope.frequency)


def lucidrains(h, w, dim=32, pixel=None, base=10000.0):
    if pixel is None:
        return joined([("image", grid(h, w))], (dim, dim), base)
    line = [np.linspace(-1, 1, n) for n in (h, w)]
    ids = np.stack(np.meshgrid(*line, indexing="ij"), -1).reshape(-1, 2)
    return joined([("image", ids)], (dim, dim), base, make=lambda d, b: np.linspace(1, pixel / 2, d // 2) * math.pi)


def ltx(frames, h, w, dim=2048, base=10000.0, seconds=8 / 25.0, pixels=32.0, maxima=(20.0, 2048.0, 2048.0)):
    cells = grid(frames, h, w) * np.array([seconds, pixels, pixels]) / np.array(maxima)
    n = dim // 6
    pad = (dim - 6 * n) // 2
    steps = base ** (np.arange(n) / (n - 1)) * math.pi / 2
    frequency = np.concatenate([np.zeros(pad), np.repeat(steps, 3)])
    axis = np.concatenate([np.zeros(pad, int), np.tile([0, 1, 2], n)])
    return Rope(2 * cells - 1, frequency, axis, np.array(["image"] * len(cells)))


def mrope_axis(sections, interleaved=False):
    if not interleaved:
        return np.repeat([0, 1, 2], sections)
    axis = np.zeros(sum(sections), int)
    for pair in range(len(axis)):
        for a in (1, 2):
            if pair % 3 == a and pair < 3 * sections[a]:
                axis[pair] = a
    return axis


def mrope(h, w, before, after, sections=(16, 24, 24), base=1e6, interleaved=False, start=None):
    """Text, an image of h × w merged tokens, text again, as Qwen2-VL counts them."""
    words = np.repeat(np.arange(before, dtype=np.float64)[:, None], 3, 1)
    image = plane(h, w) + before
    resume = before + max(h, w) if start is None else start
    rest = np.repeat(resume + np.arange(after, dtype=np.float64)[:, None], 3, 1)
    d = 2 * sum(sections)
    return Rope(np.concatenate([words, image, rest]), ladder(d, base), mrope_axis(sections, interleaved),
                np.array(["text"] * before + ["image"] * (h * w) + ["text"] * after), pairing="half")


# Formats.


def bfloat16(values, truncate=False):
    """Values of bfloat16 kept as float32: rounded to even, or cut off."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    if not truncate:
        bits = bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))
    return (bits & np.uint32(0xFFFF0000)).view(np.float32)


def rounded(values, name):
    """Through a format and back to float64."""
    if name == "bfloat16":
        return bfloat16(values).astype(np.float64)
    return np.asarray(values).astype(name).astype(np.float64)


def stored(values, name):
    """As a file of this format holds it."""
    return {"float64": lambda v: v.astype(np.float64), "float32": lambda v: v.astype(np.float32),
            "float16": lambda v: v.astype(np.float16), "bfloat16": bfloat16,
            "bfloat16-cut": lambda v: bfloat16(v, truncate=True),
            "bfloat16-twice": lambda v: bfloat16(v.astype(np.float16).astype(np.float32))}[name](np.asarray(values))


def repeated(table, pairing):
    """One value a pair to one a channel."""
    return np.concatenate([table, table], 1) if pairing == "half" else np.repeat(table, 2, 1)


def rotate(vectors, cos, sin, pairing):
    """Vectors [tokens, heads, head] turned in their first channels."""
    out = np.array(vectors)
    pairs = cos.shape[1]
    if pairing == "half":
        first, second = slice(0, pairs), slice(pairs, 2 * pairs)
    else:
        first, second = slice(0, 2 * pairs, 2), slice(1, 2 * pairs, 2)
    a, b = vectors[:, :, first], vectors[:, :, second]
    c, s = cos[:, None, :], sin[:, None, :]
    out[:, :, first], out[:, :, second] = a * c - b * s, a * s + b * c
    return out


# Files.


def write_safetensors(path, tensors):
    """tensors: name → (array, dtype name of safetensors); BF16 takes float32 values that bfloat16 holds."""
    header, blobs, place = {}, [], 0
    for name, (array, kind) in tensors.items():
        array = np.ascontiguousarray(array)
        raw = (array.astype(np.float32).view(np.uint32) >> 16).astype("<u2") if kind == "BF16" else array
        blob = raw.tobytes()
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [place, place + len(blob)]}
        blobs.append(blob)
        place += len(blob)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def write_csv(path, array):
    kind = "%d" if np.issubdtype(array.dtype, np.integer) else "%.17g"
    np.savetxt(path, array, delimiter=",", fmt=kind)
