"""Dumps that need no torch, each in CASE.safetensors, by assets/dump/ropescope_dump.py. One argument: its folder."""
import os
import sys

import numpy

sys.path.insert(0, sys.argv[1])
import ropescope_dump  # noqa: E402

TOKENS, DIM, BASE = 40, 32, 10000.0
CONFIG = {"model_type": "llama", "hidden_size": 128, "num_attention_heads": 4, "head_dim": DIM, "rope_theta": BASE,
          "max_position_embeddings": 2048}


def tables(positions, base=BASE):
    """cos and sin [tokens, pairs] in float64."""
    angle = numpy.multiply.outer(positions, base ** (-numpy.arange(0, DIM, 2) / DIM))
    return numpy.cos(angle), numpy.sin(angle)


def save(**more):
    cosine, sine = tables(numpy.arange(TOKENS), more.pop("base_of_tables", BASE))
    dtype = more.pop("dtype", "float32")
    ropescope_dump.save("out.safetensors", {"cos": cosine.astype(dtype), "sin": sine.astype(dtype)}, **more)


class Module:
    """What a model without torch may look like: modules with forward(), found by named_modules()."""

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def named_modules(self, prefix=""):
        yield prefix, self
        for name, part in vars(self).items():
            if isinstance(part, Module):
                yield from part.named_modules((prefix + "." if prefix else "") + name)


class Rotary(Module):
    def forward(self, position_ids):
        return tables(position_ids)


def apply_rope(q, k, cos, sin):
    """Half-split channels of [batch, heads, tokens, channels]."""
    half = DIM // 2
    return tuple(numpy.concatenate([x[..., :half] * cos - x[..., half:] * sin, x[..., half:] * cos + x[..., :half] * sin], -1)
                 for x in (q, k))


class Model(Module):
    config = CONFIG

    def __init__(self):
        self.rotary = Rotary()

    def forward(self, positions):
        cosine, sine = self.rotary(position_ids=positions)
        noise = numpy.random.default_rng(0)
        q, k = noise.normal(size=(1, 4, TOKENS, DIM)), noise.normal(size=(1, 2, TOKENS, DIM))
        return apply_rope(q, k, cosine, sine)


def capture():
    model = Model()
    with ropescope_dump.capture(model, "out.safetensors"):
        model(numpy.arange(TOKENS) + 300)
    assert "forward" not in vars(model) and "forward" not in vars(model.rotary), "what was wrapped is as it was"
    assert apply_rope.__name__ == "apply_rope" and not hasattr(apply_rope, "__wrapped__")


def nothing():
    """A model that rotates nothing is an error, and no file is written."""
    class Still(Module):
        def forward(self):
            return numpy.ones(3), numpy.zeros(3)

    model = Still()
    try:
        with ropescope_dump.capture(model, "out.safetensors"):
            model()
    except RuntimeError as error:
        assert "nothing was captured" in str(error)
        return
    raise AssertionError("it was expected to raise")


CASES = {
    "save": lambda: save(config=CONFIG),
    "save-text": lambda: save(config='{"model_type": "llama", "head_dim": 32, "hidden_size": 128, "num_attention_heads": 4, '
                                     '"rope_theta": 10000.0}', dtype="float16"),
    "save-options": lambda: save(dim=DIM, base=BASE, dtype="float64"),
    "save-base": lambda: save(dim=DIM, base=BASE, base_of_tables=500.0),
    "save-raster": lambda: save(layout="raster", grid=(5, 8), head_dim=DIM),
    "capture": capture,
}
for name, case in CASES.items():
    case()
    os.rename("out.safetensors", name + ".safetensors")
nothing()
assert not os.path.exists("out.safetensors")
