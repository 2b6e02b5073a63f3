"""q and k of one layer before and after the rotation, as programs make them that permute wq and wk in several ways.

    python3 tests/reference/attention/make.py        # writes permuted.json beside it

By NumPy alone, from weights: nothing of ropescope takes part. `permute` is the rule of llama.cpp's converter
(ggml-org/llama.cpp, convert_hf_to_gguf.py, LlamaModel.permute), rotate_norm that of its GGML_ROPE_TYPE_NORMAL, rotate_half
that of transformers (modeling_llama.py).
"""

import json
import pathlib

import numpy

TOKENS, HIDDEN, CHANNELS, HEADS, KEY_HEADS, BASE = 8, 24, 16, 4, 2, 10000.0


def permute(weights, n_head):
    rows = weights.shape[0]
    return weights.reshape(n_head, 2, rows // n_head // 2, *weights.shape[1:]).swapaxes(1, 2).reshape(weights.shape)


def unpermute(weights, n_head):
    rows = weights.shape[0]
    return weights.reshape(n_head, rows // n_head // 2, 2, *weights.shape[1:]).swapaxes(1, 2).reshape(weights.shape)


def angles(base=BASE, first=0):
    frequency = base ** (-numpy.arange(0, CHANNELS, 2) / CHANNELS)
    return numpy.outer(first + numpy.arange(TOKENS), frequency)[:, None, :]


def rotate_norm(x, angle):
    out = numpy.empty_like(x)
    a, b = x[..., 0::2], x[..., 1::2]
    out[..., 0::2] = a * numpy.cos(angle) - b * numpy.sin(angle)
    out[..., 1::2] = a * numpy.sin(angle) + b * numpy.cos(angle)
    return out


def rotate_half(x, angle):
    half = CHANNELS // 2
    turned = numpy.concatenate([-x[..., half:], x[..., :half]], -1)
    angle = numpy.concatenate([angle, angle], -1)
    return x * numpy.cos(angle) + turned * numpy.sin(angle)


def heads_of(x, weights):
    return (x @ weights.T).reshape(TOKENS, -1, CHANNELS)


random = numpy.random.default_rng(38)
x = random.standard_normal((TOKENS, HIDDEN))
wq = random.standard_normal((HEADS * CHANNELS, HIDDEN)) / HIDDEN**0.5
wk = random.standard_normal((KEY_HEADS * CHANNELS, HIDDEN)) / HIDDEN**0.5
q, k = heads_of(x, wq), heads_of(x, wk)

some = wq.copy()  # the first two heads were converted, the others forgotten
some[: 2 * CHANNELS] = permute(wq[: 2 * CHANNELS], 2)
cases = {
    "right, halves": ("half", "q", rotate_half(q, angles())),
    "right, converted": ("half", "q", rotate_norm(heads_of(x, permute(wq, HEADS)), angles())),
    "converted, of a gguf": ("interleaved", "q", rotate_norm(heads_of(x, permute(wq, HEADS)), angles())),
    "not converted": ("half", "q", rotate_norm(q, angles())),
    "converted and turned by halves": ("half", "q", rotate_half(heads_of(x, permute(wq, HEADS)), angles())),
    "converted backwards": ("half", "q", rotate_norm(heads_of(x, unpermute(wq, HEADS)), angles())),
    "converted twice": ("half", "q", rotate_norm(heads_of(x, permute(permute(wq, HEADS), HEADS)), angles())),
    "wk with the heads of q": ("half", "k", rotate_norm(heads_of(x, permute(wk, HEADS)), angles())),
    "wk with n_head // n_head_kv for one head": ("half", "k", rotate_norm(heads_of(x, permute(wk, 1)), angles())),
    "some heads": ("half", "q", rotate_norm(heads_of(x, some), angles())),
    "key heads in turn": ("half", "k", numpy.tile(rotate_half(k, angles()), (1, HEADS // KEY_HEADS, 1))),
    "key heads repeated": ("half", "k", numpy.repeat(rotate_half(k, angles()), HEADS // KEY_HEADS, 1)),
    "heads reversed": ("half", "q", rotate_half(q[:, ::-1], angles())),
    "groups and members exchanged": (
        "half", "q", rotate_half(q.reshape(TOKENS, 2, 2, CHANNELS).swapaxes(1, 2).reshape(q.shape), angles())),
    "two heads exchanged": ("half", "q", rotate_half(q[:, [0, 3, 2, 1]], angles())),
    "converted backwards, another base": (
        "half", "q", rotate_norm(heads_of(x, unpermute(wq, HEADS)), angles(base=500000.0))),
    "heads reversed, one position late": ("half", "q", rotate_half(q[:, ::-1], angles(first=1))),
}


def listed(vectors):
    return {"heads": int(vectors.shape[1]), "numbers": [float(f"{v:.9g}") for v in vectors.ravel()]}


whole = {
    "tokens": TOKENS, "channels": CHANNELS, "base": BASE, "before": {"q": listed(q), "k": listed(k)},
    "cases": {name: {"pairing": pairing, "of": of, "after": listed(after)} for name, (pairing, of, after) in cases.items()},
}
text = json.dumps(whole).replace(', "cases"', ',\n"cases"').replace('}}, "', '}},\n"')
(pathlib.Path(__file__).parent / "permuted.json").write_text(text + "\n")
