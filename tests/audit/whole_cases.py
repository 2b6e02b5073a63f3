"""A verdict on the whole model: how tables are stored, which embedding of a model they are of, which channels of a head turn, what
lies between q before and after, and the shapes in which programs keep all of it. Right dumps and single mistakes beside them.
"""

import json
import math

import numpy as np

import port_cases
import rope_math as rm
from case import Case, UNKNOWN, UNUSABLE
from text_cases import MODELS, PLAIN, PLAIN_SPEC, QWEN_SPEC, QWEN_YARN, rope, table_case

N = np.arange(700)
ROWS = 300
STORES = ("float32", "bfloat16", "float16")


def preset(name):
    return ["--model", name]


def with_config(values):
    return ["--config", "config.json"], {"config.json": json.dumps(values).encode()}


def stored_as(order):
    return lambda c, s: (rm.repeated(c, order), rm.repeated(s, order))


def repeats():
    """transformers' GLM and DeepSeek keep halves and turn neighbours: how a table repeats is no fault."""
    for name in ("glm-4-9b-chat", "deepseek-v3", "command-r-08-2024", "gpt-j-6b", "roformer-chinese-base", "llama-2-7b",
                 "llama-3.1-8b", "gemma-2-2b", "gpt-oss-20b", "phi-2"):
        spec = MODELS[name]
        for order in ("half", "interleaved"):
            for store in STORES[:2] if name in ("glm-4-9b-chat", "llama-2-7b") else STORES[:1]:
                yield table_case(f"whole repeats/{name} stored {order}/{store}", preset(name), spec, N, "agrees", store=store,
                                 change=stored_as(order))
        yield table_case(f"whole repeats/{name} stored the other way, base/10", preset(name), spec | dict(base=spec["base"] / 10), N,
                         ("base", "scaling-parameters", "scaling-kind"),
                         change=stored_as("half" if spec.get("pairing") else "interleaved"))
    ernie, files = with_config(dict(model_type="ernie4_5", head_dim=128, hidden_size=1024, num_attention_heads=16,
                                    num_key_value_heads=2, rope_theta=500000.0, max_position_embeddings=131072))
    helium, more = with_config(dict(model_type="helium", head_dim=128, hidden_size=2560, num_attention_heads=20,
                                    rope_theta=100000.0, max_position_embeddings=4096))
    for name, arguments, extra, base in (("ernie 4.5", ernie, files, 5e5), ("helium", helium, more, 1e5)):
        yield table_case(f"whole repeats/{name} stored half", arguments, dict(d=128, base=base, pairing="interleaved"), N, "agrees",
                         change=stored_as("half"), extra=lambda e=extra: e)
        yield table_case(f"whole repeats/{name} stored half, 3 late", arguments, dict(d=128, base=base, pairing="interleaved"), N + 3,
                         "position-offset", change=stored_as("half"), extra=lambda e=extra: e)


def out_by_halves(x, c, s):
    """apply_rotary_pos_emb_interleave: neighbours in, halves out."""
    n = c.shape[1]
    sorted_ = np.concatenate([x[..., 0:2 * n:2], x[..., 1:2 * n:2], x[..., 2 * n:]], -1)
    return rm.rotate(sorted_, c, s, "half")


def orders():
    for name in ("glm-4-9b-chat", "command-r-08-2024", "gpt-j-6b"):
        spec = MODELS[name]
        head = spec.get("head", spec["d"])
        for store in STORES[:2]:
            yield whole_vectors(f"{name} neighbours in, halves out", preset(name), spec, "agrees", turn=out_by_halves, store=store)
            yield whole_vectors(f"{name} neighbours", preset(name), spec, "agrees", store=store)
        yield whole_vectors(f"{name} halves", preset(name), spec, "pairing", turn=lambda x, c, s: rm.rotate(x, c, s, "half"))
        yield whole_vectors(f"{name} neighbours in, halves out, 2 late", preset(name), spec, "position-offset", turn=out_by_halves,
                            positions=np.arange(2, ROWS + 2))
        del head
    for name in ("llama-2-7b", "llama-3.1-8b"):
        spec = MODELS[name]
        yield whole_vectors(f"{name} neighbours", preset(name), spec, "pairing",
                            turn=lambda x, c, s: rm.rotate(x, c, s, "interleaved"))
        yield whole_vectors(f"{name} neighbours in, halves out", preset(name), spec, "pairing", turn=out_by_halves)


def whole_vectors(name, arguments, spec, expected, turn=None, positions=None, heads=2, store="float32", head=None, before=None,
                  extra=None, **more):
    """q before and after; `before` makes of q what is dumped as before."""
    def files():
        made = rope(spec, np.arange(ROWS) if positions is None else positions)
        q = np.random.default_rng(11).normal(size=(len(made.ids), heads, head or spec.get("head", spec["d"])))
        q = rm.stored(q, store).astype(np.float64)
        cos, sin = made.tables()
        rotate = turn or (lambda x, c, s: rm.rotate(x, c, s, made.pairing))
        return {"before.npy": rm.stored(before(q) if before else q, store), "after.npy": rm.stored(rotate(q, cos, sin), store),
                **(extra or {})}
    ask = [*arguments, "--before", "before.npy", "--after", "after.npy", "--q-layout", "thd"]
    return Case(f"whole vectors/{name}/{store}", ask, files, expected, **more)


PROFILES = {  # a preset, its first profile, and another one
    "gemma-3-4b-it": ("full attention", "sliding attention", dict(d=256, base=1e4)),
    "gemma-4-26b-a4b": ("full attention", "sliding attention", dict(d=256, base=1e4)),
    "modernbert-base": ("full attention", "sliding attention", dict(d=64, base=1e4)),
    "olmo-3.1-32b-instruct": ("full attention", "sliding attention", dict(d=128, base=5e5)),
}


def profiles():
    for name, (own, other, spec) in PROFILES.items():
        yield table_case(f"whole profiles/{name}: sliding, nothing asked", preset(name), spec, N, "agrees")
        yield table_case(f"whole profiles/{name}: sliding, asked for", [*preset(name), "--profile", other], spec, N, "agrees")
        yield table_case(f"whole profiles/{name}: sliding, full asked for", [*preset(name), "--profile", own], spec, N, "profile",
                         parameters={"profile": {"profile": other}})
        yield table_case(f"whole profiles/{name}: full, sliding asked for", [*preset(name), "--profile", other], MODELS[name], N,
                         "profile", parameters={"profile": {"profile": own}})
        yield table_case(f"whole profiles/{name}: sliding, 5 late", preset(name), spec, N + 5, "position-offset")
        yield table_case(f"whole profiles/{name}: sliding, sines negated", preset(name), spec, N, "sign",
                         change=lambda c, s: (c, -s))
        yield table_case(f"whole profiles/{name}: full, 5 late", preset(name), MODELS[name], N + 5, "position-offset")
        yield whole_vectors(f"{name}: sliding", preset(name), spec, "agrees")
    gemma = MODELS["gemma-3-4b-it"]
    yield table_case("whole profiles/gemma 3: no factor", preset("gemma-3-4b-it"), dict(d=256, base=1e6), N, "scaling-missing")
    yield table_case("whole profiles/gemma 3: factor 4", preset("gemma-3-4b-it"), gemma | dict(factor=4.0), N, "scaling-parameters")
    yield table_case("whole profiles/gemma 3: base 30 000", preset("gemma-3-4b-it"), dict(d=256, base=3e4), N, ("base", "scaling-kind"))


def wider(cosine, sine, pairs=64):
    """More columns behind, all of them holding the same."""
    return lambda c, s: (np.concatenate([c, np.full((len(c), pairs - c.shape[1]), cosine)], 1),
                         np.concatenate([s, np.full((len(s), pairs - s.shape[1]), sine)], 1))


def counts():
    glm, two = preset("glm-4-9b-chat"), preset("llama-2-7b")
    spec, plain = MODELS["glm-4-9b-chat"], MODELS["llama-2-7b"]
    for store in STORES:
        yield table_case(f"whole counts/glm 4 as wide as the head/{store}", glm, spec, N, "agrees", change=wider(1, 0), store=store)
        yield table_case(f"whole counts/glm 4 padded by sin 1/{store}", glm, spec, N, "length", change=wider(1, 1), store=store,
                         parameters={"length": {"pairs": 64}})
        yield table_case(f"whole counts/glm 4 padded by zeros/{store}", glm, spec, N, "length", change=wider(0, 0), store=store)
    yield table_case("whole counts/llama 2 as wide as a larger head", two, plain, N, "agrees", change=wider(1, 0, 96))
    yield table_case("whole counts/llama 2 padded by sin 1", two, plain, N, "length", change=wider(1, 1, 96))
    yield table_case("whole counts/llama 2 wider, 2 late", two, plain, N + 2, "position-offset", change=wider(1, 0, 96))
    yield table_case("whole counts/64 pairs of gemma 2", preset("gemma-2-2b"), MODELS["gemma-2-2b"], N, "length",
                     change=lambda c, s: (c[:, :64], s[:, :64]), parameters={"length": {"pairs": 64}})


def part_turned(first, count):
    """Only some channels of a head turn."""
    def turn(pairing):
        def of(x, c, s):
            out = x.copy()
            out[..., first:first + count] = rm.rotate(x[..., first:first + count], c[:, :count // 2], s[:, :count // 2], pairing)
            return out
        return of
    return turn


V4 = dict(model_type="deepseek_v4", hidden_size=7168, num_attention_heads=128, head_dim=512, qk_rope_head_dim=64,
          rope_theta=10000.0, compress_rope_theta=160000.0, max_position_embeddings=1048576, num_hidden_layers=4,
          compress_ratios=[0, 0, 0, 0],
          rope_scaling=dict(type="yarn", factor=16, original_max_position_embeddings=65536, beta_fast=32, beta_slow=1))


def parts():
    deepseek, spec = preset("deepseek-v3"), MODELS["deepseek-v3"]
    neighbours = lambda first, count: part_turned(first, count)("interleaved")
    for store in STORES[:2]:
        yield whole_vectors("deepseek: 128 still, 64 turned", deepseek, spec, "agrees", head=192, turn=neighbours(128, 64), store=store)
        yield whole_vectors("deepseek: the first 64 turned", deepseek, spec, "rotary-dimension", head=192, turn=neighbours(0, 64),
                            store=store, parameters={"rotary-dimension": {"first_channel": 0}})
    yield whole_vectors("deepseek: the part alone", deepseek, spec, "agrees", head=64)
    in_halves = lambda x, c, s: np.concatenate([x[..., :128], out_by_halves(x[..., 128:], c, s)], -1)
    yield whole_vectors("deepseek: neighbours in, halves out, last", deepseek, spec, "agrees", head=192, turn=in_halves)
    yield whole_vectors("deepseek: halves, last", deepseek, spec, "pairing", head=192, turn=part_turned(128, 64)("half"))
    yield whole_vectors("deepseek: last, 3 late", deepseek, spec, "position-offset", head=192, turn=neighbours(128, 64),
                        positions=np.arange(3, ROWS + 3))
    yield whole_vectors("deepseek: sines negated, last", deepseek, spec, "sign", head=192,
                        turn=lambda x, c, s: neighbours(128, 64)(x, c, -s))
    glm, four = preset("glm-4-9b-chat"), MODELS["glm-4-9b-chat"]
    yield whole_vectors("glm 4: the last half turned", glm, four, "rotary-dimension", turn=neighbours(64, 64),
                        parameters={"rotary-dimension": {"first_channel": 64}})
    yield whole_vectors("glm 4: a quarter turned", glm, four | dict(d=32), "rotary-dimension", head=128)
    yield whole_vectors("glm 4: the whole head turned", glm, four | dict(d=128), "rotary-dimension", head=128)
    mini, files = with_config(dict(model_type="minimax_m2", hidden_size=3072, num_attention_heads=48, head_dim=128, rotary_dim=64,
                                   rope_theta=5000000.0, max_position_embeddings=196608))
    half = dict(d=64, head=128, base=5e6)
    yield whole_vectors("minimax: first half turned", mini, half, "agrees", extra=files)
    yield whole_vectors("minimax: last half turned", mini, half, "rotary-dimension", extra=files, turn=part_turned(64, 64)("half"))
    yield whole_vectors("minimax: whole head turned", mini, half | dict(d=128), "rotary-dimension", head=128, extra=files)
    v4, files = with_config(V4)
    last = dict(d=64, base=1e4, pairing="interleaved")
    yield whole_vectors("v4: the last 64 of 512", v4, last, "agrees", head=512, heads=1, turn=neighbours(448, 64), extra=files,
                        verdicts=("agrees",))
    yield whole_vectors("v4: the output turned back", v4, last, "agrees", head=512, heads=1, extra=files,
                        turn=lambda x, c, s: neighbours(448, 64)(x, c, -s), verdicts=("agrees",))
    yield whole_vectors("v4: the first 64 of 512", v4, last, "rotary-dimension", head=512, heads=1, turn=neighbours(0, 64), extra=files)


def rms(x):
    return np.sqrt((x ** 2).mean(-1, keepdims=True) + 1e-6)


def between():
    two, plain = preset("llama-2-7b"), MODELS["llama-2-7b"]
    weight = np.random.default_rng(3).uniform(0.4, 1.8, size=128)
    raw = lambda q: q * np.random.default_rng(5).uniform(0.5, 3, size=q.shape[:2])[..., None]
    kinds = {  # what is done to `before` so that q comes out; the rotation itself is right
        "a norm": ("norm", lambda q: raw(q), lambda x: x / rms(x)),
        "a norm with weights": ("norm", lambda q: raw(q), lambda x: x / rms(x) * weight),
        "a norm with 1 + weights": ("norm", lambda q: raw(q), lambda x: x / rms(x) * (1 + weight)),
        "a layer norm": ("norm", lambda q: raw(q) + 0.7,
                         lambda x: (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * weight),
        "a weight of each channel": ("channel", lambda q: q, lambda x: x * weight),
        "a factor of each token": ("token", lambda q: q, lambda x: x * np.random.default_rng(9).uniform(0.5, 2, size=(len(x), 1, 1))),
    }
    for name, (kind, start, act) in kinds.items():
        for store in STORES[:2]:
            yield scaled(f"{name}", two, plain, start, act, kind, store)
        yield scaled(f"{name}, glm 4", preset("glm-4-9b-chat"), MODELS["glm-4-9b-chat"], start, act, kind, "float32")
    far = np.arange(0, 40000, 67)
    for name, length, act in (("llama 4", 8192, lambda p: 1 + 0.1 * np.log(np.floor((p + 1) / 8192) + 1)),
                              ("ministral", 16384, lambda p: 1 + 0.1 * np.log(1 + np.floor(p / 16384)))):
        yield scaled(f"queries scaled by position as in {name}", [*two, "--positions", "p.npy"], plain, lambda q: q,
                     lambda x, p=far, act=act: x * act(p.astype(float))[:, None, None], "position", "float32", positions=far,
                     extra={"p.npy": far}, beta=0.1)
    yield scaled("a multiplier", two, plain, lambda q: q, lambda x: 0.39 * x, None, "float32", expected="amplitude")
    crossed = lambda x, c, s: rm.rotate(np.random.default_rng(77).normal(size=x.shape), c, s, "half")
    yield whole_vectors("q before, k after", two, plain, UNKNOWN, turn=crossed)
    other_heads = lambda x, c, s: rm.rotate(np.concatenate([x[:, :2], np.random.default_rng(7).normal(size=x[:, 2:].shape)], 1), c, s,
                                            "half")
    yield whole_vectors("half of the heads of another tensor", two, plain, UNKNOWN, heads=4, turn=other_heads)


def scaled(name, arguments, spec, start, act, kind, store, positions=None, extra=None, expected="vector-scale", beta=None):
    def files():
        made = rope(spec, np.arange(ROWS) if positions is None else positions)
        x = start(np.random.default_rng(21).normal(size=(len(made.ids), 3, spec.get("head", spec["d"]))))
        x = rm.stored(x, store).astype(np.float64)
        y = act(x)
        cos, sin = made.tables()
        return {"before.npy": rm.stored(x, store), "after.npy": rm.stored(rm.rotate(y, cos, sin, made.pairing), store),
                **(extra or {})}
    parameters = {"vector-scale": {"kind": kind} | ({"beta": beta} if beta else {})} if kind else {}
    ask = [*arguments, "--before", "before.npy", "--after", "after.npy", "--q-layout", "thd"]
    return Case(f"whole between/{name}/{store}", ask, files, expected, parameters=parameters)


def packed(name, arguments, spec, make, expected, store="float32", positions=N, **more):
    def files():
        made = rope(spec, positions)
        return {"t.npy": rm.stored(make(*made.tables(), made.angles()), store)}
    return Case(f"whole shapes/{name}/{store}", [*arguments, "--table", "t.npy"], files, expected, **more)


def shapes():
    side_by_side = lambda c, s, a: np.concatenate([c, s], 1)
    by_turns = lambda c, s, a: np.stack([c, s], 2).reshape(len(c), -1)
    twice = lambda c, s, a: np.concatenate([c, c, s, s], 1)
    for name in ("llama-2-7b", "glm-4-9b-chat", "gpt-oss-20b", "llama-3.1-8b"):
        spec = MODELS[name]
        for store in STORES[:2]:
            yield packed(f"{name}: cos and sin side by side", preset(name), spec, side_by_side, "agrees", store)
        yield packed(f"{name}: cos and sin by turns", preset(name), spec, by_turns, "agrees")
        yield packed(f"{name}: both twice", preset(name), spec, twice, "agrees")
        yield packed(f"{name}: sin and cos side by side", preset(name), spec, lambda c, s, a: side_by_side(s, c, a), "cos-sin-exchanged")
        yield packed(f"{name}: side by side, 4 late", preset(name), spec, side_by_side, "position-offset", positions=N + 4)
        yield packed(f"{name}: side by side with a batch", preset(name), spec, lambda c, s, a: side_by_side(c, s, a)[None, :, None],
                     "agrees")
        if spec.get("amplitude", 1) == 1 and name != "gpt-oss-20b":
            yield packed(f"{name}: angles", preset(name), spec, lambda c, s, a: a, "agrees")
            yield packed(f"{name}: angles twice", preset(name), spec, lambda c, s, a: np.concatenate([a, a], 1), "agrees")
            yield packed(f"{name}: angles, 4 late", preset(name), spec, lambda c, s, a: a, "position-offset", positions=N + 4)
    # M-RoPE before its sections are put together: all pairs for each of three axes.
    from image_cases import LAYOUTS
    qwen = LAYOUTS["qwen2-vl"]

    def of_axes(change=None, late=0):
        def files():
            made = qwen.rope(12, 17)
            ids = made.ids + late
            made.ids[:] = ids if change is None else change(ids)
            angles = made.ids.T[:, :, None] * made.frequency
            double = np.concatenate([angles, angles], 2)[:, None]
            return {"c.npy": np.cos(double).astype(np.float32), "s.npy": np.sin(double).astype(np.float32)}
        return files
    ask = [*qwen.arguments(12, 17), "--cos", "c.npy", "--sin", "s.npy"]
    yield Case("whole shapes/qwen2-vl: [3, 1, T, d]", ask, of_axes(), "agrees")
    yield Case("whole shapes/qwen2-vl: [3, 1, T, d], 2 late", ask, of_axes(late=2), "position-offset")
    four = lambda late: lambda: {"ids.npy": np.concatenate([np.arange(len(qwen.rope(12, 17).ids))[None],
                                                            qwen.rope(12, 17).ids.T + late]).astype(np.int64)}
    yield Case("whole shapes/qwen2-vl: ids [4, T]", [*qwen.arguments(12, 17), "--ids", "ids.npy"], four(0), "agrees")
    yield Case("whole shapes/qwen2-vl: ids [4, T], 2 late", [*qwen.arguments(12, 17), "--ids", "ids.npy"], four(2), "position-offset")


def padding():
    two, plain = preset("llama-2-7b"), MODELS["llama-2-7b"]

    def holed(c, s):
        c, s = c.copy(), s.copy()
        c[600:], s[600:] = np.nan, np.nan
        return c, s
    yield table_case("whole rows/NaN behind", two, plain, N, UNUSABLE, change=holed)
    yield table_case("whole rows/NaN left out", [*two, "--rows", "0:600"], plain, N, "agrees", change=holed)
    yield table_case("whole rows/some rows", [*two, "--rows", "100:200"], plain, N, "agrees")
    yield table_case("whole rows/some rows, 2 late", [*two, "--rows", "100:200"], plain, N + 2, "position-offset",
                     parameters={"position-offset": {"offset": [2]}})
    yield table_case("whole rows/an end behind the last", [*two, "--rows", "0:900"], plain, N, UNUSABLE)
    yield table_case("whole rows/no rows", [*two, "--rows", "9:9"], plain, N, UNUSABLE)


def all_cases():
    for make in (repeats, orders, profiles, counts, parts, between, shapes, padding):
        yield from make()
