"""Generates the files of the examples listed in index.json: right and wrong dumps as a port would write them.

Run: python3 assets/examples/make.py (needs numpy). The files are deterministic: a second run changes nothing.
"""

import json
import struct
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def save_safetensors(name, tensors, **options):
    """Writes float32 tensors in the order given, with the options of `check` that describe them."""
    layout = options.pop("layout", None)
    metadata = {"ropescope.layout": layout} if layout else {}
    header, body = {"__metadata__": {**metadata, "ropescope.options": json.dumps(options)}}, b""
    for key, values in tensors.items():
        data = np.ascontiguousarray(values, "<f4").tobytes()
        header[key] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    head = json.dumps(header, separators=(",", ":")).encode()
    head += b" " * (-len(head) % 8)
    (HERE / name).write_bytes(struct.pack("<Q", len(head)) + head + body)


def frequencies(dim, base):
    """Inverse frequencies base^(-2i/dim) of dim / 2 pairs."""
    return base ** (-np.arange(0, dim, 2) / dim)


def tables(angles):
    return {"cos": np.cos(angles), "sin": np.sin(angles)}


def flux(rows, columns, swapped):
    """FLUX.1's image tokens: ids (0, row, column), axes of 16, 56 and 56 channels (flux/modules/layers.py)."""
    row, column = (each.ravel() for each in np.mgrid[:rows, :columns])
    ids = [0 * row, column, row] if swapped else [0 * row, row, column]
    return np.concatenate([np.outer(each, frequencies(dim, 1e4)) for each, dim in zip(ids, (16, 56, 56))], axis=1)


def llama3(inverse, factor=8, low=1, high=4, original=8192):
    """Llama 3.1's scaling of the frequencies (transformers modeling_rope_utils.py _compute_llama3_parameters)."""
    turns = original * inverse / (2 * np.pi)
    smooth = np.clip((turns - low) / (high - low), 0, 1)
    return (1 - smooth) * inverse / factor + smooth * inverse


def qwen25_vl(rows, columns, sections):
    """Qwen2.5-VL's image tokens at text position 0: M-RoPE, whose pairs are distributed over t, row and column."""
    row, column = (each.ravel() for each in np.mgrid[:rows, :columns])
    axis = np.repeat(np.arange(3), sections)
    return np.stack([0 * row, row, column], axis=1)[:, axis] * frequencies(128, 1e6)


def rotate(vectors, angles, half):
    """Rotates pairs (i, i + n) if half, otherwise (2i, 2i + 1)."""
    first, second = np.split(vectors, 2, axis=1) if half else (vectors[:, ::2], vectors[:, 1::2])
    turned = [first * np.cos(angles) - second * np.sin(angles), first * np.sin(angles) + second * np.cos(angles)]
    return np.concatenate(turned, axis=1) if half else np.stack(turned, axis=2).reshape(vectors.shape)


def gguf_header(name):
    """Writes a GGUF without weights: Llama's metadata, as llama.cpp reads them."""

    def text(value):
        return struct.pack("<Q", len(value)) + value.encode()

    entries = [("general.architecture", "llama"), ("general.name", "Example"), ("llama.block_count", 32),
               ("llama.context_length", 8192), ("llama.embedding_length", 4096), ("llama.attention.head_count", 32),
               ("llama.attention.head_count_kv", 8), ("llama.rope.dimension_count", 128),
               ("llama.rope.freq_base", 500000.0)]
    kinds = {str: (8, text), int: (4, lambda v: struct.pack("<I", v)), float: (6, lambda v: struct.pack("<f", v))}
    data = b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries))
    for key, value in entries:
        kind, write = kinds[type(value)]
        data += text(key) + struct.pack("<I", kind) + write(value)
    (HERE / name).write_bytes(data + b"\0" * (-len(data) % 32))


def main():
    random = np.random.default_rng(54)
    image = {"layout": "flux.1", "size": "128x96", "part": "image"}
    save_safetensors("flux.safetensors", tables(flux(6, 8, swapped=False)), **image)
    save_safetensors("flux-axes-swapped.safetensors", tables(flux(6, 8, swapped=True)), **image)
    plain = frequencies(128, 5e5)
    save_safetensors("llama-3.1.safetensors", {"inv_freq": llama3(plain)}, model="llama-3.1-8b")
    save_safetensors("llama-3.1-no-scaling.safetensors", {"inv_freq": plain}, model="llama-3.1-8b")
    save_safetensors("qwen2.5-vl-sections.safetensors", tables(qwen25_vl(6, 8, (24, 24, 16))),
                     layout="qwen2-vl", base=1000000, grid="6x8")
    q = random.standard_normal((16, 128))
    angles = np.outer(np.arange(16), frequencies(128, 1e4))
    save_safetensors("pairing.safetensors", {"q": q, "q_rotated": rotate(q, angles, half=False)}, model="llama-2-7b")
    gguf_header("llama.gguf")
    np.save(HERE / "gguf-frequencies.npy", frequencies(128, 1e4).astype("<f4"))
    distance = np.arange(0, 4097, 16)
    similarity = np.cos(np.outer(distance, frequencies(128, 1e4))).mean(axis=1)
    measured = similarity + 0.02 * random.standard_normal(distance.size)
    lines = ["distance,score"] + [f"{x},{y:.4f}" for x, y in zip(distance, measured)]
    (HERE / "measured-scores.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
