#!/usr/bin/env python3
"""Writes small checkpoints with NumPy, and the numbers that core/weights must compute from them.

qwen2: float32, biases, one file. qwen3: bfloat16, norms of q and k, two shards with an index. blocks.json: one block of
each ggml type, as bytes and as the numbers that ggml's layout (src/ggml-common.h) gives.
"""
import json
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
HIDDEN, HEADS, KEY_HEADS, DIM, LAYERS, LENGTH = 32, 4, 2, 8, 2, 64
DISTANCES = [0, 1, 2, 3, 7, 50, 1000, 4096]
random = np.random.default_rng(58)


def bfloat16(values):
    """Rounds to nearest even; returns the bits."""
    bits = values.astype("<f4").view("<u4")
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype("<u2")


def write(path, tensors, dtype):
    header, data = {}, b""
    for name, values in tensors.items():
        raw = (bfloat16(values) if dtype == "BF16" else values.astype("<f4")).tobytes()
        header[name] = {"dtype": dtype, "shape": list(values.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def stored(values, dtype):
    """The float64 numbers that the file contains."""
    if dtype == "BF16":
        return (bfloat16(values).astype("<u4") << 16).view("<f4").astype(float)
    return values.astype("<f4").astype(float)


def by_pair(rows, heads):
    """Norms of the pairs (i, i + P) of each head."""
    norms = np.linalg.norm(rows, axis=1).reshape(heads, 2, DIM // 2)
    return np.sqrt((norms**2).sum(axis=1))


def model(name, dtype, biases, norms):
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    config = {"model_type": name, "hidden_size": HIDDEN, "num_attention_heads": HEADS, "head_dim": DIM,
              "num_key_value_heads": KEY_HEADS, "num_hidden_layers": LAYERS, "rope_theta": 10000.0,
              "max_position_embeddings": LENGTH}
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    theta = 10000.0 ** (-2 * np.arange(DIM // 2) / DIM)
    tensors, expected = {}, []
    for layer in range(LAYERS):
        at = f"model.layers.{layer}."
        mine = {at + "input_layernorm.weight": random.uniform(0.5, 2, HIDDEN),
                at + "self_attn.q_proj.weight": random.normal(size=(HEADS * DIM, HIDDEN)),
                at + "self_attn.k_proj.weight": random.normal(size=(KEY_HEADS * DIM, HIDDEN)),
                at + "self_attn.v_proj.weight": random.normal(size=(KEY_HEADS * DIM, HIDDEN))}
        if biases:
            mine[at + "self_attn.q_proj.bias"] = random.normal(size=HEADS * DIM)
            mine[at + "self_attn.k_proj.bias"] = random.normal(size=KEY_HEADS * DIM)
        if norms:
            mine[at + "self_attn.q_norm.weight"] = random.uniform(-0.2, 3, DIM)
            mine[at + "self_attn.k_norm.weight"] = random.uniform(-0.2, 3, DIM)
        tensors |= mine
        read = {key[len(at):].replace("self_attn.", ""): stored(value, dtype) for key, value in mine.items()}
        gain = [np.tile(read[key], heads) if norms else 1
                for key, heads in (("q_norm.weight", HEADS), ("k_norm.weight", KEY_HEADS))]
        q = (read["q_proj.weight"] * read["input_layernorm.weight"]) * np.reshape(gain[0], (-1, 1))
        k = (read["k_proj.weight"] * read["input_layernorm.weight"]) * np.reshape(gain[1], (-1, 1))
        key_of = np.arange(HEADS) * KEY_HEADS // HEADS
        entry = {"norms": (by_pair(q, HEADS) * by_pair(k, KEY_HEADS)[key_of]).tolist(), "kernels": []}
        for head in range(HEADS):
            if biases:
                b_q = read["q_proj.bias"].reshape(HEADS, DIM)[head]
                b_k = read["k_proj.bias"].reshape(KEY_HEADS, DIM)[key_of[head]]
                values = []
                for distance in DISTANCES:  # the matrix R(Δ) itself
                    c, s = np.cos(distance * theta), np.sin(distance * theta)
                    turn = np.block([[np.diag(c), -np.diag(s)], [np.diag(s), np.diag(c)]])
                    values.append(float(turn @ b_q @ b_k))
            else:
                product = read["q_norm.weight"] * read["k_norm.weight"]
                values = [float((product * np.cos(distance * np.tile(theta, 2))).sum()) for distance in DISTANCES]
            entry["kernels"].append(values)
        expected.append(entry)
    if dtype == "F32":
        write(folder / "model.safetensors", tensors, dtype)
    else:
        names, weight_map = list(tensors), {}
        for shard, part in enumerate((names[:5], names[5:])):
            file = f"model-0000{shard + 1}-of-00002.safetensors"
            write(folder / file, {key: tensors[key] for key in part}, dtype)
            weight_map |= {key: file for key in part}
        (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}, indent=1) + "\n")
    return {"name": name, "distances": DISTANCES, "layers": expected}


def halves(numbers):
    return np.array(numbers, "<f2")


def nibbles(raw):
    return np.concatenate([raw & 15, raw >> 4])


def block(kind):
    """Returns the bytes of a random block and its numbers."""
    byte = lambda count: random.integers(0, 256, count, dtype=np.uint8)  # noqa: E731
    d, m = halves([random.uniform(0.01, 0.1)]), halves([random.uniform(0.01, 0.1)])
    scale, least = float(d[0]), float(m[0])
    if kind in ("Q4_0", "Q4_1", "Q5_0", "Q5_1"):
        low, high = byte(16), byte(4)
        q = nibbles(low).astype(int)
        parts = [d] + ([m] if kind.endswith("1") else [])
        if kind.startswith("Q5"):
            q += 16 * np.unpackbits(high, bitorder="little").astype(int)
            parts.append(high)
        centre = 8 if kind.startswith("Q4") else 16
        return parts + [low], scale * q + least if kind.endswith("1") else scale * (q - centre)
    if kind == "Q8_0":
        q = byte(32)
        return [d, q], scale * q.view(np.int8).astype(float)
    if kind in ("Q2_K", "Q3_K"):
        q = byte(64)
        two = np.concatenate([q.reshape(2, 1, 32) >> 2 * np.arange(4).reshape(1, 4, 1) & 3]).reshape(16, 16).astype(float)
        if kind == "Q2_K":
            scales = byte(16)
            numbers = scale * (scales & 15).reshape(16, 1) * two - least * (scales >> 4).reshape(16, 1)
            return [scales, q, d, m], numbers.ravel()
        mask, packed = byte(32), byte(12)
        third = (mask.reshape(1, 32) >> np.arange(8).reshape(8, 1) & 1).reshape(16, 16)
        six = np.concatenate([packed[:8] & 15, packed[:8] >> 4]).astype(int)
        six |= np.concatenate([packed[8:] >> 2 * k & 3 for k in range(4)]).astype(int) << 4
        return [mask, q, packed, d], (scale * (six - 32).reshape(16, 1) * (two - 4 * (1 - third))).ravel()
    if kind in ("Q4_K", "Q5_K"):
        packed, high, q = byte(12), byte(32), byte(128)
        a, b, c = packed[:4].astype(int), packed[4:8].astype(int), packed[8:].astype(int)
        scales = np.concatenate([a & 63, c & 15 | a >> 6 << 4])
        minima = np.concatenate([b & 63, c >> 4 | b >> 6 << 4])
        numbers = np.stack([q.reshape(4, 32) & 15, q.reshape(4, 32) >> 4], 1).reshape(8, 32).astype(int)
        if kind == "Q5_K":
            numbers += 16 * (high.reshape(1, 32) >> np.arange(8).reshape(8, 1) & 1)
        values = scale * scales.reshape(8, 1) * numbers - least * minima.reshape(8, 1)
        return [d, m, packed] + ([high] if kind == "Q5_K" else []) + [q], values.ravel()
    low, high, scales = byte(128), byte(64), byte(16)
    q = np.concatenate([np.concatenate([l & 15, l >> 4]).reshape(4, 32).astype(int)
                        | (h.reshape(1, 32) >> 2 * np.arange(4).reshape(4, 1) & 3).astype(int) << 4
                        for l, h in zip(low.reshape(2, 64), high.reshape(2, 32))])
    values = scale * scales.view(np.int8).astype(float).reshape(16, 1) * (q.reshape(16, 16) - 32)
    return [low, high, scales, d], values.ravel()


TYPES = {"Q4_0": 2, "Q4_1": 3, "Q5_0": 6, "Q5_1": 7, "Q8_0": 8, "Q2_K": 10, "Q3_K": 11, "Q4_K": 12, "Q5_K": 13, "Q6_K": 14}

if __name__ == "__main__":
    models = [model("qwen2", "F32", True, False), model("qwen3", "BF16", False, True)]
    (HERE / "expected.json").write_text(json.dumps(models) + "\n")
    blocks = []
    for kind, number in TYPES.items():
        parts, numbers = block(kind)
        blocks.append({"name": kind, "type": number, "bytes": b"".join(p.tobytes() for p in parts).hex(),
                       "numbers": numbers.tolist()})
    (HERE / "blocks.json").write_text(json.dumps(blocks) + "\n")
