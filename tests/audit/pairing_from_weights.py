#!/usr/bin/env python3
"""Measures whether one checkpoint reveals its pairing: pairing_from_weights.py FOLDER HEADS, needs NumPy.

FOLDER has .safetensors of `ropescope race --encodings rope,p-rope,xpos --seeds 1:10 --weights FOLDER`, which are trained
with adjacent pairs. For each head of q and k: R² of the logarithms of its row norms against a polynomial of degree 3 in
the pair index, under both pairings. Over the heads: a sign test of the differences, at 5 %. Prints right, wrong and
undecided models, as trained and with the rows reordered to halves.
"""
import collections
import itertools
import json
import pathlib
import sys

import numpy as np


def load(path):
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header, data = json.loads(content[8 : 8 + length]), content[8 + length :]
    return {name: np.frombuffer(data[slice(*entry["data_offsets"])], "<f4").reshape(entry["shape"]).astype(float)
            for name, entry in header.items() if name != "__metadata__"}


def log_norms(tensors, heads):
    """Logarithms of the row norms, [layers · heads, q and k, channels]."""
    rows, layer = [], 0
    while f"layers.{layer}.qkv.weight" in tensors:
        weight = tensors[f"layers.{layer}.qkv.weight"] * tensors[f"layers.{layer}.attention_norm.weight"][:, None]
        norms = np.linalg.norm(weight, axis=0).reshape(3, heads, -1)[:2]
        rows.append(np.log(norms).transpose(1, 0, 2))
        layer += 1
    return np.concatenate(rows)


def fit(values, pair):
    """R² of a polynomial of degree 3 in the pair index."""
    powers = np.vander(2 * pair / pair.max() - 1, 4)
    rest = values - powers @ np.linalg.lstsq(powers, values, rcond=None)[0]
    return 1 - (rest @ rest) / ((values - values.mean()) ** 2).sum()


def decide(norms):
    """Returns "halves", "adjacent" or "undecided"."""
    channel = np.arange(norms.shape[2])
    halves, adjacent = channel % (channel.size // 2), channel // 2
    difference = np.array([np.mean([fit(row, halves) - fit(row, adjacent) for row in head]) for head in norms])
    signs = np.array(list(itertools.product([1, -1], repeat=min(difference.size, 12))))
    sums = signs @ difference[: signs.shape[1]]
    share = np.mean(np.abs(sums) >= abs(difference[: signs.shape[1]].sum()) - 1e-12)
    return "undecided" if share > 0.05 else "halves" if difference.sum() > 0 else "adjacent"


def main():
    counts = collections.defaultdict(collections.Counter)
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.safetensors")):
        norms = log_norms(load(path), int(sys.argv[2]))
        half = norms.shape[2] // 2
        order = np.concatenate([np.arange(half) * 2, np.arange(half) * 2 + 1])
        for true, rows in (("adjacent", norms), ("halves", norms[:, :, order])):
            found = decide(rows)
            counts[path.name.split("-softmax")[0]]["undecided" if found == "undecided" else
                                                   "right" if found == true else "wrong"] += 1
    for name, count in counts.items():
        print(name, *(f"{word} {count[word]}" for word in ("right", "wrong", "undecided")))


if __name__ == "__main__":
    main()
