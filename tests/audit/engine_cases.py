"""How inference engines compute their tables, step by step in their own formats: right dumps, and mistakes made on top of each.

Every way is written from the engine's published source: transformers and vLLM (float32 powers), MLX and TurboMind (exp2 of a
float32 product), TensorRT-LLM (float64 and then float32), JAX and FasterTransformer (positions divided by periods), MLC (Llama 3 as
one clamped line), ggml on the CPU (the angle times theta_scale from pair to pair) and on the GPU (position times its power).
"""

import math
import os

import numpy as np

import image_cases
import rope_math as rm
import text_cases
from case import Case, DISAGREES, UNKNOWN
from image_cases import LAYOUTS
from text_cases import LONG, MODELS, QWEN_SPEC, QWEN_YARN, SHORT, TABLES, options

F = np.float32


def f32(values):
    return np.asarray(values, F)


def yarn_range(spec):
    """Between which pairs YaRN's ramp runs."""
    def place(turns):
        return spec["d"] * math.log(spec["trained"] / (turns * 2 * math.pi)) / (2 * math.log(spec["base"]))
    low, high = place(spec.get("fast", 32.0)), place(spec.get("slow", 1.0))
    if spec.get("truncate", True):
        low, high = math.floor(low), math.ceil(high)
    return max(low, 0), min(high, spec["d"] - 1)


def ramp32(spec):
    low, high = yarn_range(spec)
    return np.clip((np.arange(spec["d"] // 2, dtype=F) - F(low)) / F(max(high - low, 0.001)), F(0), F(1))


def factors_of(spec):
    """LongRoPE's list of a spec."""
    return f32(spec["list"] if "list" in spec else LONG if spec["length"] > spec["trained"] else SHORT)


def periods(spec):
    d = spec.get("over") or spec["d"]
    return np.power(F(spec["base"]), np.arange(0, spec["d"], 2, dtype=F) / F(d))


def transformers(spec):
    """modeling_rope_utils.py: inverse frequencies, every step in float32."""
    kind, factor = spec.get("kind"), F(spec.get("factor", 1.0))
    period = periods(spec)
    plain = F(1) / period
    if kind == "linear":
        return plain / factor
    if kind == "llama3":
        low, high, trained = spec.get("low", 1.0), spec.get("high", 4.0), spec["trained"]
        wave = F(2 * math.pi) / plain
        if low == high:
            return np.where(wave > F(trained / low), plain / factor, plain)
        smooth = (F(trained) / wave - F(low)) / F(high - low)
        mixed = (F(1) - smooth) * plain / factor + smooth * plain
        return np.where(wave > F(trained / low), plain / factor, np.where(wave < F(trained / high), plain, mixed))
    if kind == "yarn":
        keep = F(1) - ramp32(spec)
        return F(1) / (factor * period) * (F(1) - keep) + plain * keep
    if kind == "longrope":
        return F(1) / (factors_of(spec) * period)
    if kind == "proportional":
        return np.where(np.arange(spec["d"] // 2) < int(spec["fraction"] * spec["d"] // 2), plain / factor, F(0))
    return plain


def by_product(spec, positions):
    return f32(positions)[:, None] * transformers(spec)


def divided_positions(spec, positions):
    """vLLM's and Megatron's linear scaling: the positions are divided, not the frequencies."""
    if spec.get("kind") != "linear":
        return by_product(spec, positions)
    return (f32(positions) / F(spec["factor"]))[:, None] * transformers(spec | dict(kind=None))


def mlx(spec, positions):
    """fast::rope: exp2(-i/n · log2(base)); a scaling gives it periods instead (mlx-lm, rope_utils.py)."""
    d, base, kind, factor = spec["d"], spec["base"], spec.get("kind"), F(spec.get("factor", 1.0))
    period = np.power(F(base), np.arange(0, d, 2, dtype=F) / F(d))
    scale = F(1)
    if kind == "llama3":
        low, high, trained = spec.get("low", 1.0), spec.get("high", 4.0), spec["trained"]
        wave = F(2 * math.pi) * period
        slow = np.where(wave > F(trained / low), period * factor, period)
        smooth = (F(trained) / wave - F(low)) / F(high - low)
        between = (wave > F(trained / high)) & (wave < F(trained / low))
        inverse = F(1) / np.where(between, slow / ((F(1) - smooth) / factor + smooth), slow)
    elif kind == "yarn":
        keep = F(1) - ramp32(spec)
        slow = factor * period
        inverse = F(1) / ((slow * period) / (slow * keep + period * (F(1) - keep)))
    elif kind == "longrope":
        inverse = F(1) / (factors_of(spec) * period)
    else:
        scale = F(1) / factor if kind == "linear" else F(1)
        inverse = np.exp2(-(np.arange(d // 2, dtype=F) / F(d // 2)) * np.log2(F(base)))
    return (scale * f32(positions))[:, None] * inverse


def turbomind(spec, positions):
    """lmdeploy: exp2(2i · (-log2(base)/d)), the step rounded first."""
    step = -np.log2(F(spec["base"])) / F(spec["d"])
    return f32(positions)[:, None] * np.exp2(np.arange(0, spec["d"], 2, dtype=F) * step)


def tensorrt(spec, positions):
    """create_sinusoidal_positions: frequencies in float64, rounded once."""
    return f32(positions)[:, None] * f32(text_cases.frequencies(spec)[0])


def jax(spec, positions):
    """Positions over time scales; a linear factor divides once more (gemma, MaxText; FasterTransformer's kernel likewise)."""
    angle = f32(positions)[:, None] / periods(spec)
    return angle / F(spec["factor"]) if spec.get("kind") == "linear" else angle


def mlc(spec, positions):
    """Llama 3 as a line in the frequency, clamped (mlc-llm, flashinfer)."""
    plain = F(1) / periods(spec)
    low, high, factor = F(spec.get("low", 1.0)), F(spec.get("high", 4.0)), F(spec["factor"])
    alpha, beta = F(spec["trained"] / (2 * math.pi)) / (high - low), low / (high - low)
    smooth = np.clip(alpha * plain - beta, F(0), F(1))
    return f32(positions)[:, None] * ((F(1) - smooth) * (plain / factor) + smooth * plain)


def ggml_factors(spec):
    """What convert_hf_to_gguf.py writes as rope_freqs, or a LongRoPE list."""
    kind = spec.get("kind")
    if kind == "longrope":
        return factors_of(spec)
    if kind != "llama3":
        return np.ones(spec["d"] // 2, F)
    plain = F(1) / periods(spec)
    wave = 2 * math.pi / plain.astype(np.float64)
    low, high, factor, trained = spec.get("low", 1.0), spec.get("high", 4.0), spec["factor"], spec["trained"]
    smooth = (trained / wave - low) / (high - low) if high > low else 0 * wave
    mixed = 1 / ((1 - smooth) / factor + smooth)
    return f32(np.where(wave < trained / high, 1.0, np.where(wave > trained / low, factor, mixed)))


def recurrence(positions, base, d, gpu, over=None, pairs=None, first=0):
    """position · theta_scale^i by ggml: products from pair to pair, or the GPU kernels' power."""
    scale = np.power(F(base), F(-2.0) / F(over or d))
    theta, columns = f32(positions), []
    for pair in range(first + (pairs or d // 2)):
        columns.append(f32(positions) * np.power(scale, F(pair)) if gpu else theta)
        theta = theta * scale
    return np.stack(columns[first:], 1)


def ggml(gpu):
    def make(spec, positions):
        kind = spec.get("kind")
        straight = recurrence(positions, spec["base"], spec["d"], gpu, spec.get("over"), first=spec.get("first", 0))
        straight = straight / ggml_factors(spec)
        scale = F(1 / spec["factor"]) if kind in ("linear", "yarn") else F(1)
        slow = scale * straight
        if kind != "yarn" or spec.get("ext", 1.0) == 0:
            return slow
        keep = F(1) - ramp32(spec)
        return slow * (F(1) - keep) + straight * keep
    return make


CPU, GPU = ggml(False), ggml(True)
PLAIN_WAYS = {"ggml cpu": CPU, "ggml gpu": GPU, "transformers": by_product, "vllm": divided_positions, "mlx": mlx,
              "turbomind": turbomind, "tensorrt": tensorrt, "jax": jax}
WAYS = {
    "plain": PLAIN_WAYS,
    "linear": {name: PLAIN_WAYS[name] for name in ("ggml cpu", "ggml gpu", "transformers", "vllm", "mlx", "tensorrt", "jax")},
    "llama3": {"ggml cpu": CPU, "ggml gpu": GPU, "transformers": by_product, "mlx": mlx, "tensorrt": tensorrt, "mlc": mlc},
    "yarn": {"ggml cpu": CPU, "ggml gpu": GPU, "transformers": by_product, "mlx": mlx, "tensorrt": tensorrt},
    "longrope": {"ggml cpu": CPU, "ggml gpu": GPU, "transformers": by_product, "mlx": mlx, "tensorrt": tensorrt},
}

# Where the published configs lie beside a checkout; cases of them are left out where they do not.
CONFIGS = os.environ.get("ROPESCOPE_CONFIGS") or os.path.join(os.path.dirname(__file__), "..", "..", "..", "shared", "configs")


def config(name):
    """--config of a published file, or nothing."""
    path = os.path.abspath(os.path.join(CONFIGS, name + ".json"))
    return ["--config", path] if os.path.exists(path) else None


def model(name):
    return ["--model", name], MODELS[name]


def asked():
    """kind → what is asked, its spec, a name."""
    yield "plain", "llama-2-7b", *model("llama-2-7b")
    yield "plain", "qwen2.5-7b-instruct", *model("qwen2.5-7b-instruct")
    yield "plain", "gpt-neox-20b", *model("gpt-neox-20b")
    yield "plain", "glm-4-9b-chat", *model("glm-4-9b-chat")
    yield "linear", "gemma-3-4b-it", *model("gemma-3-4b-it")
    yield "llama3", "llama-3.1-8b", *model("llama-3.1-8b")
    yield "llama3", "llama-3.2-1b-instruct", *model("llama-3.2-1b-instruct")
    yield "yarn", "qwen yarn", QWEN_YARN, QWEN_SPEC
    yield "longrope", "longrope", *options("longrope")


def tables(way, spec, positions, store="float32", change=None, amplitude=None):
    """cos.npy and sin.npy as an engine makes them."""
    def files():
        angle = way(spec, positions)
        loud = F(text_cases.frequencies(spec)[1] if amplitude is None else amplitude)
        cos, sin = np.cos(angle) * loud, np.sin(angle) * loud
        if change:
            cos, sin = change(cos, sin)
        return {"cos.npy": rm.stored(cos, store), "sin.npy": rm.stored(sin, store)}
    return files


def case_of(name, arguments, way, spec, positions, expected, store="float32", change=None, amplitude=None, **more):
    return Case(f"{name}/{store}", [*arguments, *TABLES], tables(way, spec, positions, store, change, amplitude), expected, **more)


def again(pairing):
    return lambda c, s: (rm.repeated(c, pairing), rm.repeated(s, pairing))


def right():
    near = np.arange(2048)
    far = np.arange(0, 131072, 257)
    formats = {"onnx": "float16", "jax": "bfloat16", "vllm": "bfloat16", "ggml cpu": "float16", "tensorrt": "float16"}
    for kind, name, arguments, spec in asked():
        for engine, way in WAYS[kind].items():
            yield case_of(f"engine right/{name} by {engine}", arguments, way, spec, near, "agrees")
            if engine in formats and name in ("llama-2-7b", "llama-3.1-8b", "qwen yarn"):
                yield case_of(f"engine right/{name} by {engine}", arguments, way, spec, near, "agrees", formats[engine])
            if name in ("llama-2-7b", "llama-3.1-8b", "gemma-3-4b-it", "qwen yarn"):
                yield case_of(f"engine right/{name} by {engine}, far", [*arguments, "--positions", "0:131071:257"], way, spec, far,
                              "agrees")
    two = ["--model", "llama-2-7b"]
    plain = MODELS["llama-2-7b"]
    yield case_of("engine right/float32 in a file of float64 by ggml cpu", two, CPU, plain, near, "agrees", "float64")
    yield case_of("engine right/halves twice by transformers", two, by_product, plain, near, "agrees", change=again("half"))
    yield case_of("engine right/halves twice by ggml gpu", two, GPU, plain, near, "agrees", change=again("half"))
    yield case_of("engine right/neighbours twice by megatron", ["--model", "gpt-j-6b"], divided_positions, MODELS["gpt-j-6b"], near,
                  "agrees", "bfloat16", again("interleaved"))
    yield case_of("engine right/halves twice of a model of neighbours (GLM)", ["--model", "glm-4-9b-chat"], by_product,
                  MODELS["glm-4-9b-chat"], near, "agrees", "bfloat16", again("half"))
    yield case_of("engine right/halves twice of a model of neighbours (DeepSeek)", ["--model", "deepseek-v3"], by_product,
                  MODELS["deepseek-v3"], near, "agrees", "bfloat16", again("half"))
    yield case_of("engine right/the second prompt of a server", [*two, "--positions", "4096:4607"], CPU, plain,
                  np.arange(4096, 4608), "agrees")
    yield case_of("engine right/one decoding step at 4095", [*two, "--positions", "4095"], GPU, plain, [4095], "agrees")
    yield case_of("engine right/gemma 4 by transformers", ["--model", "gemma-4-26b-a4b"], by_product, MODELS["gemma-4-26b-a4b"],
                  near, "agrees")
    yield case_of("engine right/gpt-oss by transformers", ["--model", "gpt-oss-20b"], by_product, MODELS["gpt-oss-20b"], near,
                  "agrees", "bfloat16")
    yield Case("engine right/tensorrt's [tokens, pairs, 2]", [*two, "--table", "t.npy"], lambda: {"t.npy": pairs_of(plain)},
               "agrees")
    yield Case("engine right/complex64 of torch.polar", ["--model", "llama-4-scout-17b-16e", "--table", "t.npy"],
               lambda: {"t.npy": np.exp(1j * by_product(MODELS["llama-4-scout-17b-16e"], near)).astype(np.complex64)}, "agrees")
    yield from right_configs()
    yield from right_frequencies()


def pairs_of(spec, exchanged=False):
    angle = tensorrt(spec, np.arange(1000))
    both = (np.sin(angle), np.cos(angle)) if exchanged else (np.cos(angle), np.sin(angle))
    return np.stack(both, -1)


def right_configs():
    """Published files, read by an engine that knows the family."""
    n = np.arange(1500)
    for name, spec, way in (
            ("llama-3.1-8b", MODELS["llama-3.1-8b"], CPU),
            ("qwen2.5-7b-instruct-yarn", QWEN_SPEC, GPU),
            ("deepseek-coder-6.7b-base", dict(d=128, base=1e5, kind="linear", factor=4.0), CPU),
            ("stablelm-3b-4e1t", dict(d=20, base=1e4), CPU),
            ("falcon-40b", dict(d=64, base=1e4), by_product),
            ("chatglm3-6b-32k", dict(d=64, base=5e5), CPU),
            ("qwen3.5-27b", dict(d=64, base=1e7), by_product),
            ("gpt-j-6b", dict(d=64, base=1e4), GPU),
            ("internlm2_5-7b-chat", dict(d=128, base=1e6), turbomind)):
        if config(name):
            yield case_of(f"engine right/config {name}", config(name), way, spec, n, "agrees")


def right_frequencies():
    two = ["--model", "llama-2-7b", "--frequencies", "f.npy"]
    plain = MODELS["llama-2-7b"]
    for engine, way in PLAIN_WAYS.items():
        yield Case(f"engine frequencies/right by {engine}", two, lambda way=way: {"f.npy": way(plain, [1])[0]}, "agrees")
    three = ["--model", "llama-3.1-8b", "--frequencies", "f.npy"]
    for engine, way in (("mlc", mlc), ("mlx", mlx), ("ggml cpu", CPU)):
        yield Case(f"engine frequencies/llama 3.1 right by {engine}", three,
                   lambda way=way: {"f.npy": way(MODELS["llama-3.1-8b"], [1])[0]}, "agrees")
    yield Case("engine frequencies/llama 3.1, each twice", three,
               lambda: {"f.npy": np.repeat(transformers(MODELS["llama-3.1-8b"]), 2)}, "agrees")
    gemma = ["--model", "gemma-4-26b-a4b", "--frequencies", "f.npy"]
    live = lambda: transformers(MODELS["gemma-4-26b-a4b"])[:64]
    yield Case("engine frequencies/gemma 4, those that turn", gemma, lambda: {"f.npy": live()}, "agrees")
    yield Case("engine frequencies/gemma 4, all", gemma, lambda: {"f.npy": transformers(MODELS["gemma-4-26b-a4b"])}, "agrees")
    flux2 = ["--layout", "flux.2", "--grid", "20x31", "--frequencies", "f.npy"]
    one = transformers(dict(d=32, base=2000.0))
    yield Case("engine frequencies/flux.2, one ladder for all axes", flux2, lambda: {"f.npy": one}, "agrees")
    yield Case("engine frequencies/flux.2, the ladder of each axis", flux2, lambda: {"f.npy": np.tile(one, 4)}, "agrees")
    flux1 = ["--layout", "flux.1", "--grid", "20x31", "--frequencies", "f.npy"]
    whole = np.concatenate([transformers(dict(d=d, base=1e4)) for d in (16, 56, 56)])
    yield Case("engine frequencies/flux.1, each twice", flux1, lambda: {"f.npy": np.repeat(whole, 2)}, "agrees")
    yield Case("engine frequencies/flux.1, all twice", flux1, lambda: {"f.npy": np.tile(whole, 2)}, "agrees")


# Image layouts: the same ways, axis by axis.


def exp2_ladder(d, base):
    return np.exp2(-(np.arange(d // 2, dtype=F) / F(d // 2)) * np.log2(F(base))).astype(np.float64)


def linspace_ladder(d, base):
    """stable-diffusion.cpp: the exponents are start + i · step."""
    step = F((d - 2) / d) / F(d // 2 - 1)
    return f32(1 / np.power(np.float64(base), (F(0) + np.arange(d // 2, dtype=F) * step).astype(np.float64))).astype(np.float64)


def rounded_ladder(d, base):
    return f32(rm.ladder(d, base)).astype(np.float64)


LADDERS = {"torch": rm.ladder32, "mlx": exp2_ladder, "stable-diffusion.cpp": linspace_ladder,
           "float64 and then float32": rounded_ladder}


class Angles:
    """Angles that were computed otherwise; tables as of a rope."""

    def __init__(self, angle, amplitude=1.0):
        self.angle, self.amplitude = angle, amplitude

    def tables(self, kind):
        return np.cos(self.angle) * F(self.amplitude), np.sin(self.angle) * F(self.amplitude)


def by_ggml(rope, dims, base, gpu):
    """Each axis by a recurrence of its own; `dims` None: one over all pairs, as ggml's M-RoPE."""
    ids = f32(rope.ids)
    if dims is None:
        d = 2 * len(rope.axis)
        every = [recurrence(ids[:, a], base, d, gpu) for a in range(ids.shape[1])]
        return Angles(np.stack([every[a][:, pair] for pair, a in enumerate(rope.axis)], 1))
    bases = base if isinstance(base, (list, tuple)) else [base] * len(dims)
    return Angles(np.concatenate([recurrence(ids[:, a], b, d, gpu) for a, (d, b) in enumerate(zip(dims, bases))], 1))


def pixtral_by_clip(rope, gpu):
    """clip.cpp build_rope_2d: the columns' half has freq_scale base^(-2/head)."""
    ids = f32(rope.ids)
    scale = F(1e4 ** (-2 / 64))
    return Angles(np.concatenate([recurrence(ids[:, 0], 1e4, 32, gpu), scale * recurrence(ids[:, 1], 1e4, 32, gpu)], 1))


AXIAL = ("flux.1", "flux.2", "qwen-image", "wan", "hunyuan-video", "lumina-2", "z-image", "ernie-image", "vit-axial", "cogview4")
MROPE = {"qwen2-vl": 1e6, "qwen3-vl": 5e6}


def image_case(name, layout, made, expected, size=None, store="float32", change=None, more=(), **rest):
    h, w = size or layout.sizes[0]
    return image_cases.table_case(f"{name}/{store}", [*layout.arguments(h, w), *more], made, expected, store, change,
                                  compute="float32", **rest)


def right_images():
    for number, name in enumerate(AXIAL):
        layout = LAYOUTS[name]
        h, w = layout.sizes[0]
        for gpu in (False, True):
            yield image_case(f"engine image right/{name} by ggml {'gpu' if gpu else 'cpu'}", layout,
                             lambda l=layout, h=h, w=w, g=gpu: by_ggml(l.rope(h, w), l.dims, l.base, g), "agrees")
        engine = list(LADDERS)[number % len(LADDERS)]
        store = ("float32", "bfloat16", "float16")[number % 3]

        def made(layout=layout, h=h, w=w, make=LADDERS[engine]):
            return layout.rope(h, w).but(frequency=rm.axial(layout.dims, layout.base, make)[0])
        yield image_case(f"engine image right/{name} by {engine}", layout, made, "agrees", store=store)
    flux = LAYOUTS["flux.1"]
    for engine, make in LADDERS.items():
        def made(make=make):
            return flux.rope(64, 96, 512).but(frequency=rm.axial(flux.dims, flux.base, make)[0])
        yield image_cases.table_case(f"engine image right/flux.1 64x96 by {engine}", flux.arguments(64, 96, 512), made, "agrees",
                                     compute="float32")
    for name, base in MROPE.items():
        layout = LAYOUTS[name]
        for gpu in (False, True):
            yield image_case(f"engine image right/{name} by ggml {'gpu' if gpu else 'cpu'}", layout,
                             lambda l=layout, b=base, g=gpu: by_ggml(l.rope(20, 31), None, b, g), "agrees")
        yield image_case(f"engine image right/{name} by transformers, halves twice", layout,
                         lambda l=layout, b=base: l.rope(20, 31).but(frequency=rm.ladder32(128, b)), "agrees", store="bfloat16",
                         change=again("half"))
    pixtral = LAYOUTS["pixtral"]
    for gpu in (False, True):
        yield image_case(f"engine image right/pixtral by clip.cpp on the {'gpu' if gpu else 'cpu'}", pixtral,
                         lambda g=gpu: pixtral_by_clip(pixtral.rope(20, 31), g), "agrees")
    dino = LAYOUTS["dinov3"]
    yield image_case("engine image right/dinov3 by transformers", dino, lambda: dino_by_torch(20, 31), "agrees", size=(20, 31))
    for name in ("flux.1", "wan"):
        layout = LAYOUTS[name]
        h, w = layout.sizes[0]
        yield image_case(f"engine image right/{name}, neighbours twice by ggml cpu", layout,
                         lambda l=layout, h=h, w=w: by_ggml(l.rope(h, w), l.dims, l.base, False), "agrees", store="bfloat16",
                         change=again("interleaved"))
    wan = LAYOUTS["wan"]
    yield Case("engine image right/wan as complex128", [*wan.arguments(12, 17), "--table", "t.npy"],
               lambda: {"t.npy": np.exp(1j * wan.rope(12, 17).angles())}, "agrees")
    yield Case("engine image right/flux.1 matrices by stable-diffusion.cpp", [*flux.arguments(20, 31), "--table", "t.npy"],
               lambda: {"t.npy": matrices(flux.rope(20, 31).but(frequency=rm.axial(flux.dims, 1e4, linspace_ladder)[0]))}, "agrees")


def dino_by_torch(h, w):
    rows, columns = ((np.arange(n, dtype=F) + F(0.5)) / F(n) for n in (h, w))
    ids = np.stack(np.meshgrid(rows, columns, indexing="ij"), -1).reshape(-1, 2) * F(2) - F(1)
    inverse = F(1) / np.power(F(100), np.arange(0, 1, 4 / 64, dtype=F))
    angle = F(2 * math.pi) * ids[:, :, None] * inverse
    return Angles(angle.reshape(len(ids), -1))


def matrices(rope, transposed=False, exchanged=False):
    cos, sin = rope.tables(F)
    if exchanged:
        cos, sin = sin, cos
    four = [cos, sin, -sin, cos] if transposed else [cos, -sin, sin, cos]
    return np.stack(four, -1).reshape(*cos.shape, 2, 2)


# Mistakes, each computed as an engine would.


def wrong():
    n = np.arange(2000)
    two, three, gemma, qwen = (["--model", name] for name in ("llama-2-7b", "llama-3.1-8b", "gemma-3-4b-it", "qwen2.5-7b-instruct"))
    llama2, llama3, gemma3, qwen2 = (MODELS[name[1]] for name in (two, three, gemma, qwen))
    plain3 = dict(d=128, base=5e5)
    name = "engine wrong/"
    for engine, way in (("ggml cpu", CPU), ("ggml gpu", GPU), ("mlx", mlx), ("vllm", divided_positions)):
        yield case_of(f"{name}llama 3.1 without freq_factors by {engine}", three, way, plain3, n, "scaling-missing")
        yield case_of(f"{name}qwen2.5 with base 10 000 by {engine}", qwen, way, qwen2 | dict(base=1e4), n, "base",
                      parameters={"base": {"base": 1e4}})
        yield case_of(f"{name}gemma 3 without the factor by {engine}", gemma, way, gemma3 | dict(kind=None), n, "scaling-missing")
        yield case_of(f"{name}llama 3.1 with the factor of 3.2 by {engine}", three, way, llama3 | dict(factor=32.0), n,
                      "scaling-parameters", parameters={"scaling-parameters": {"factor": 32.0}})
        yield case_of(f"{name}positions from 1 by {engine}", two, way, llama2, n + 1, "position-offset",
                      parameters={"position-offset": {"offset": [1]}})
        yield case_of(f"{name}sines of rope_back by {engine}", three, way, llama3, n, "sign", change=lambda c, s: (c, -s))
        yield case_of(f"{name}sines of rope_back by {engine}, allowed", [*three, "--allow", "sign"], way, llama3, n,
                      "agrees", change=lambda c, s: (c, -s))
        yield case_of(f"{name}cache of 1 024 positions, clamped, by {engine}", two, way, llama2, np.minimum(n, 1023),
                      "position-offset", parameters={"position-offset": {"kind": "clamped", "rows": 1023}})
        yield case_of(f"{name}ring of 768 positions by {engine}", two, way, llama2, n % 768, "position-offset",
                      parameters={"position-offset": {"kind": "wrapped", "rows": 768}})
    linear = options("linear")
    yield case_of(f"{name}freq_scale twice by ggml cpu", gemma, CPU, gemma3 | dict(factor=64.0), n, "scaling-parameters",
                  parameters={"scaling-parameters": {"factor": 64.0}})
    yield case_of(f"{name}scale for 1/scale by mlx", linear[0], mlx, linear[1] | dict(factor=0.25), n, "scaling-parameters",
                  parameters={"scaling-parameters": {"factor": 0.25}},
                  ties={("position-scale",): "a factor of 1/4 in place of 4 takes 16 times the positions"})
    louder = {("scaling-kind", "amplitude"): "no amplitude either", ("amplitude", "scaling-kind"): "the same",
              ("position-scale", "amplitude"): "a scale", ("amplitude", "position-scale"): "a scale"}
    yield case_of(f"{name}yarn with ext_factor 0 by ggml gpu", QWEN_YARN, GPU, QWEN_SPEC | dict(ext=0.0), n, "scaling-kind",
                  amplitude=1.0, ties=louder)
    follows = {("scaling-parameters", "amplitude"): "the amplitude follows the factor",
               ("amplitude", "scaling-parameters"): "the amplitude follows the factor"}
    yield case_of(f"{name}yarn with mscale twice by ggml cpu", QWEN_YARN, CPU, QWEN_SPEC, n, "amplitude",
                  amplitude=rm.mscale(4) ** 2, parameters={"amplitude": {"amplitude": rm.mscale(4) ** 2}})
    yield case_of(f"{name}yarn without mscale by vllm", QWEN_YARN, divided_positions, QWEN_SPEC, n, "amplitude", amplitude=1.0)
    yield case_of(f"{name}yarn with n_ctx_orig 131 072 by ggml cpu", QWEN_YARN, CPU, QWEN_SPEC | dict(trained=131072), n,
                  "scaling-parameters", ties=follows)
    yield case_of(f"{name}yarn with beta_fast 1 and beta_slow 32 by mlx", QWEN_YARN, mlx, QWEN_SPEC | dict(fast=1.0, slow=32.0), n,
                  (DISAGREES, "scaling-parameters", UNKNOWN))
    oss = MODELS["gpt-oss-20b"]
    for engine, way in (("ggml cpu", CPU), ("mlx", mlx)):
        yield case_of(f"{name}gpt-oss with whole pairs by {engine}", ["--model", "gpt-oss-20b"], way, oss | dict(truncate=True), n,
                      "scaling-parameters")
    arguments, spec = options("longrope")
    short = [*arguments[:-6], "--length", "2048", *arguments[-4:]]
    for engine, way in (("ggml cpu", CPU), ("transformers", by_product)):
        yield case_of(f"{name}longrope, short for long, by {engine}", arguments, way, spec | dict(list=SHORT), n, "length-switch")
        yield case_of(f"{name}longrope, long for short, by {engine}", short, way, spec | dict(list=LONG), n, "length-switch")
        yield case_of(f"{name}longrope forgotten by {engine}", arguments, way, dict(d=96, base=1e4), n, "scaling-missing",
                      amplitude=text_cases.frequencies(spec)[1])
        yield case_of(f"{name}longrope multiplied by {engine}", arguments, way, spec | dict(list=[1 / x for x in LONG]), n, UNKNOWN)
    neox = ["--model", "gpt-neox-20b"]
    yield case_of(f"{name}neox, theta_scale of the head, by ggml cpu", neox, CPU, MODELS["gpt-neox-20b"] | dict(over=96), n,
                  "rotary-dimension")
    yield case_of(f"{name}neox, theta_scale of the head, by megatron", neox, by_product, MODELS["gpt-neox-20b"] | dict(over=96), n,
                  "rotary-dimension")
    yield case_of(f"{name}neox, n_dims of the head, by ggml gpu", neox, GPU, dict(d=96, base=1e4), n, "rotary-dimension")
    yield case_of(f"{name}neox, a quarter of a quarter, by megatron", neox, by_product, dict(d=6, base=1e4), n, "rotary-dimension")
    yield case_of(f"{name}theta multiplied before the first pair by ggml cpu", two, CPU, llama2 | dict(first=1), n,
                  "frequency-ladder", parameters={"frequency-ladder": {"kind": "shifted"}})
    yield case_of(f"{name}half of i by turbomind", two, turbomind_of_i, llama2, n, "base", parameters={"base": {"base": 100.0}})
    yield case_of(f"{name}log2 of log2 by mlx", two, mlx, llama2 | dict(base=math.log2(1e4)), n, "base",
                  parameters={"base": {"base": math.log2(1e4)}})
    yield case_of(f"{name}exp for exp2 by mlx", two, mlx, llama2 | dict(base=1e4 ** (1 / math.log(2))), n, "base",
                  parameters={"base": {"base": 1e4 ** (1 / math.log(2))}})
    yield case_of(f"{name}exp2 with ln by turbomind", two, turbomind, llama2 | dict(base=1e4 ** math.log(2)), n, "base",
                  parameters={"base": {"base": 1e4 ** math.log(2)}})
    yield case_of(f"{name}times the period by jax", two, lambda s, p: f32(p)[:, None] * periods(s), llama2, np.arange(64),
                  (DISAGREES, "base", UNKNOWN))
    yield case_of(f"{name}positions of bfloat16 by jax", two, jax, llama2, rm.bfloat16(np.arange(3000)), "position-format",
                  parameters={"position-format": {"format": "bfloat16"}})
    yield case_of(f"{name}positions of bfloat16 by jax", two, jax, llama2, rm.bfloat16(np.arange(3000)), "position-format",
                  "bfloat16", parameters={"position-format": {"format": "bfloat16"}})
    yield case_of(f"{name}positions of float16 by onnx", two, by_product, llama2, rm.rounded(np.arange(5000), "float16"),
                  "position-format", "float16", parameters={"position-format": {"format": "float16"}})
    for kind in ("float16", "bfloat16"):
        for what, (asks, rope) in {"llama 3.1": (three, llama3), "qwen2.5": (qwen, qwen2), "gemma 3": (gemma, gemma3)}.items():
            def way(spec, positions, kind=kind):
                return f32(positions)[:, None] * rm.stored(transformers(spec), kind).astype(F)
            yield case_of(f"{name}{what}, inv_freq of {kind} by transformers", asks, way, rope, n, "frequency-format",
                          parameters={"frequency-format": {"format": kind}})

        def angles(spec, positions, kind=kind):
            return rm.stored(by_product(spec, positions), kind).astype(F)
        yield case_of(f"{name}llama 3.1, angles of {kind} by onnx", three, angles, llama3, n, "angle-format",
                      parameters={"angle-format": {"format": kind}})
        yield case_of(f"{name}llama 3.1, angles of {kind} by onnx", three, angles, llama3, n, "angle-format", kind,
                      parameters={"angle-format": {"format": kind}})
    yield Case(f"{name}tensorrt's [tokens, pairs, 2], sines first", [*two, "--table", "t.npy"],
               lambda: {"t.npy": pairs_of(llama2, exchanged=True)}, "cos-sin-exchanged")
    yield case_of(f"{name}halves of vllm's cache exchanged", three, divided_positions, llama3, n, "cos-sin-exchanged", "bfloat16",
                  lambda c, s: (s, c))
    yield case_of(f"{name}linear twice by tensorrt", linear[0], tensorrt, linear[1] | dict(factor=16.0), n, "scaling-parameters",
                  parameters={"scaling-parameters": {"factor": 16.0}})
    yield case_of(f"{name}plain model stretched by megatron", two, divided_positions, llama2 | dict(kind="linear", factor=4.0), n,
                  ("position-scale", "scaling-kind"))
    yield case_of(f"{name}ids times 1/4 and one late by ggml cpu", two, CPU, llama2, (n + 1) / 4,
                  ("position-scale", "position-offset"), both=True, ties={(UNKNOWN,): "two of one group"})
    yield case_of(f"{name}base and offset by ggml cpu", two, CPU, llama2 | dict(base=1e6), n + 5, ("base", "position-offset"),
                  both=True, parameters={"base": {"base": 1e6}, "position-offset": {"offset": [5]}})
    yield case_of(f"{name}base and amplitude by ggml gpu", two, GPU, llama2 | dict(base=1e6), n, ("base", "amplitude"), both=True,
                  amplitude=1.1)
    yield case_of(f"{name}no freq_factors and sign by ggml gpu", three, GPU, plain3, n, ("scaling-missing", "sign"), both=True,
                  change=lambda c, s: (c, -s))
    yield case_of(f"{name}no freq_factors and one late by mlx", three, mlx, plain3, n + 1, ("scaling-missing", "position-offset"),
                  both=True)
    yield case_of(f"{name}neighbours for halves and base by megatron", two, by_product, llama2 | dict(base=5e5), n,
                  ("base", "pairing"), both=True, change=again("interleaved"))
    yield from wrong_images()


def turbomind_of_i(spec, positions):
    step = -np.log2(F(spec["base"])) / F(spec["d"])
    return f32(positions)[:, None] * np.exp2(np.arange(spec["d"] // 2, dtype=F) * step)


def wrong_images():
    name = "engine image wrong/"
    flux, flux2, wan, hunyuan, qwen, z = (LAYOUTS[n] for n in ("flux.1", "flux.2", "wan", "hunyuan-video", "qwen-image", "z-image"))
    for gpu in (False, True):
        where = "ggml gpu" if gpu else "ggml cpu"

        def of(layout, size, change=lambda rope: rope, dims=None, base=None, gpu=gpu):
            return lambda: by_ggml(change(layout.rope(*size)), dims or layout.dims, base or layout.base, gpu)
        yield image_case(f"{name}flux.1 with the base of flux.2 by {where}", flux, of(flux, (20, 31), base=2000.0), "base",
                         parameters={"base": {"base": 2000.0}})
        yield image_case(f"{name}flux.2 with the base of flux.1 by {where}", flux2, of(flux2, (20, 31), base=1e4), "base",
                         parameters={"base": {"base": 1e4}})
        yield image_case(f"{name}hunyuan with the base of wan by {where}", hunyuan, of(hunyuan, (12, 17), base=1e4), "base",
                         parameters={"base": {"base": 1e4}})
        yield image_case(f"{name}z-image with base 10 000 by {where}", z, of(z, (20, 31), base=1e4), "base",
                         parameters={"base": {"base": 1e4}})
        yield image_case(f"{name}wan's rest on the columns by {where}", wan,
                         lambda gpu=gpu: by_ggml(wan.rope(12, 17), (42, 42, 44), 1e4, gpu), "axis-dimensions",
                         parameters={"axis-dimensions": {"dimensions": [42, 42, 44]}})
        yield image_case(f"{name}flux.1 columns before rows by {where}", flux,
                         of(flux, (20, 31), lambda r: r.but(ids=r.ids[:, [0, 2, 1]])), "axes-swapped")
        yield image_case(f"{name}flux.1 image from 1 by {where}", flux,
                         of(flux, (20, 31), lambda r: r.but(ids=r.ids + np.array([0, 1, 1]) * r.where("image")[:, None])),
                         "position-offset", parameters={"position-offset": {"offset": [0, 1, 1]}})
        yield image_case(f"{name}qwen-image not centred by {where}", qwen,
                         lambda gpu=gpu: by_ggml(rm.qwen_image(21, 33, 24, centre=False, start=16), qwen.dims, 1e4, gpu),
                         "centring", size=(21, 33))
        yield image_case(f"{name}qwen2-vl's base by {where}", LAYOUTS["qwen2-vl"],
                         lambda gpu=gpu: by_ggml(LAYOUTS["qwen2-vl"].rope(20, 31), None, 1e4, gpu), "base",
                         parameters={"base": {"base": 1e4}})
        yield image_case(f"{name}qwen3-vl in blocks by {where}", LAYOUTS["qwen3-vl"],
                         lambda gpu=gpu: by_ggml(LAYOUTS["qwen3-vl"].rope(20, 31, interleaved=False), None, 5e6, gpu),
                         "section-layout")
        yield image_case(f"{name}pixtral with one ladder for both by {where}", LAYOUTS["pixtral"],
                         lambda gpu=gpu: by_ggml(LAYOUTS["pixtral"].rope(20, 31), (32, 32), 1e4, gpu),
                         ("position-scale", "frequency-ladder"),
                         ties={("position-scale",): "the columns' frequencies times b^(2/64)"})
        yield image_case(f"{name}flux.1 of the other sign by {where}", flux, of(flux, (20, 31)), "sign",
                         change=lambda c, s: (c, -s))
        yield image_case(f"{name}flux.1 louder by {where}", flux, of(flux, (20, 31)), "amplitude",
                         change=lambda c, s: (F(1.1) * c, F(1.1) * s), parameters={"amplitude": {"amplitude": 1.1}})
    yield Case(f"{name}flux.1 matrices transposed", [*flux.arguments(20, 31), "--table", "t.npy"],
               lambda: {"t.npy": matrices(flux.rope(20, 31), transposed=True)}, "sign")
    yield Case(f"{name}flux.1 matrices transposed, allowed", [*flux.arguments(20, 31), "--table", "t.npy", "--allow", "sign"],
               lambda: {"t.npy": matrices(flux.rope(20, 31), transposed=True)}, "agrees")
    yield Case(f"{name}flux.1 matrices of sin and cos exchanged", [*flux.arguments(20, 31), "--table", "t.npy"],
               lambda: {"t.npy": matrices(flux.rope(20, 31), exchanged=True)}, "cos-sin-exchanged")


def wrong_by_ggml():
    """The same mistakes on top of both of ggml's ways, of a plain model, of Llama 3 and of YaRN."""
    n = np.arange(1200)
    models = {"llama 2": model("llama-2-7b"), "qwen2.5": model("qwen2.5-7b-instruct"), "llama 3.1": model("llama-3.1-8b"),
              "yarn": (QWEN_YARN, QWEN_SPEC), "neox": model("gpt-neox-20b"), "gemma 3": model("gemma-3-4b-it")}
    offset = lambda **what: {"position-offset": what}
    moves = {
        "two prompts": (np.where(n < 500, n, n - 500), offset(kind="restart", rows=500)),
        "padded on the left": (np.maximum(n - 77, 0), offset(kind="left-padded", rows=77)),
        "clamped": (np.minimum(n, 700), offset(kind="clamped", rows=700)),
        "a ring": (n % 250, offset(kind="wrapped", rows=250)),
        "7 late": (n + 7, offset(offset=[7])),
    }
    for what, (arguments, spec) in models.items():
        for where, way in (("cpu", CPU), ("gpu", GPU)):
            name = f"engine ggml/{what} on the {where}:"
            for move, (ids, parameters) in moves.items():
                yield case_of(f"{name} {move}", arguments, way, spec, ids, "position-offset", parameters=parameters)
            double = {("scaling-parameters",): "linear and a scale are one"} if what == "gemma 3" else {}
            yield case_of(f"{name} ids doubled", arguments, way, spec, 2 * n, "position-scale", ties=double)
            yield case_of(f"{name} base 30 000", arguments, way, spec | dict(base=3e4), n, "base",
                          parameters={"base": {"base": 3e4}},
                          ties={("scaling-parameters",): "the ramp moves with the base"})
            yield case_of(f"{name} base 30 000 and 7 late", arguments, way, spec | dict(base=3e4), n + 7, ("base",
                                                                                                           "position-offset"),
                          both=True, parameters={"base": {"base": 3e4}})
            loud = text_cases.frequencies(spec)[1]
            yield case_of(f"{name} louder", arguments, way, spec, n, "amplitude", amplitude=1.25 * loud)
            yield case_of(f"{name} louder and 7 late", arguments, way, spec, n + 7, ("amplitude", "position-offset"), both=True,
                          amplitude=1.25 * loud)
            yield case_of(f"{name} sines negated and 7 late", arguments, way, spec, n + 7, ("sign", "position-offset"), both=True,
                          change=lambda c, s: (c, -s))
            yield case_of(f"{name} exchanged", arguments, way, spec, n, "cos-sin-exchanged", change=lambda c, s: (s, c))
            yield case_of(f"{name} transposed", arguments, way, spec, n, "table-transposed", change=lambda c, s: (c.T, s.T))


def drawn():
    """Seeded draws of right dumps: widths, bases, reaches, formats."""
    random = np.random.default_rng(2031)
    ways = list(PLAIN_WAYS.items())
    for number in range(64):
        engine, way = ways[number % len(ways)]
        d = 2 * int(random.integers(8, 129))
        base = float(np.round(10 ** random.uniform(3.7, 7)))
        first, count = int(random.choice([0, 0, 1000, 30000])), int(random.integers(40, 1500))
        step = int(random.choice([1, 1, 7, 64]))
        ids = np.arange(first, first + count * step, step)
        arguments = ["--dim", str(d), "--base", f"{base:.0f}", "--pairing", "half", "--positions", f"{ids[0]}:{ids[-1]}:{step}"]
        store = str(random.choice(["float32", "float32", "bfloat16", "float16"]))
        change = (None, again("half"), again("interleaved"))[number % 3 if number % 3 < 2 else 0]
        yield case_of(f"engine drawn/{number} {engine}, d {d}, base {base:g}, {ids[0]} to {ids[-1]} by {step}", arguments, way,
                      dict(d=d, base=base), ids, "agrees", store, change)
    for number in range(36):
        name = str(random.choice(AXIAL))
        layout = LAYOUTS[name]
        h, w = (int(x) for x in random.integers(3, 70, 2))
        gpu = bool(number % 2)
        store = str(random.choice(["float32", "float32", "bfloat16", "float16"]))
        yield image_case(f"engine drawn/{number} {name} {h}x{w} by ggml {'gpu' if gpu else 'cpu'}", layout,
                         lambda l=layout, h=h, w=w, g=gpu: by_ggml(l.rope(h, w), l.dims, l.base, g), "agrees", size=(h, w),
                         store=store)


def all_cases():
    for group in (right, right_images, wrong, wrong_by_ggml, drawn):
        yield from group()
