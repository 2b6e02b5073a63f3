"""What ports of Llama, Gemma, Qwen, FLUX, Wan, Hunyuan and their kin get wrong, one mistake at a time; and right dumps beside them.

Each expectation was written down from the published rules before the answer was seen. Published configs are read where they lie
beside the checkout (engine_cases.CONFIGS); cases of them are left out elsewhere.
"""

import json
import math

import numpy as np

import engine_cases
import image_cases
import rope_math as rm
import text_cases
from case import Case, DISAGREES, UNKNOWN
from engine_cases import again, config, matrices
from image_cases import LAYOUTS
from text_cases import MODELS, QWEN_SPEC, QWEN_YARN, TABLES, RoundedAngles, options, rope, table_case

N = np.arange(2000, dtype=np.float64)


def negated(c, s):
    return c, -s


def exchanged(c, s):
    return s, c


def preset(name):
    return ["--model", name]


def text(name, arguments, spec, positions, expected, **more):
    return table_case(f"port text/{name}", arguments, spec, positions, expected, **more)


def laddered(frequency, amplitude=None):
    """The frequencies put in the place of a rope's, as many as there are."""
    def mutate(made):
        loud = made.amplitude if amplitude is None else amplitude
        return rm.text_rope(frequency, made.ids[:, 0], loud, made.pairing)
    return mutate


def signs():
    llama3 = MODELS["llama-3.1-8b"]
    three = preset("llama-3.1-8b")
    plain = ["--dim", "96", "--base", "20000", "--pairing", "half"]
    baked = lambda c, s: (rm.repeated(c, "half"), np.concatenate([s, -s], 1))
    conjugate = lambda: {"t.npy": np.exp(-1j * rope(llama3, N).angles()).astype(np.complex64)}
    for more, expected in (([], "sign"), (["--allow", "sign"], "agrees")):
        what = "allowed" if more else "forbidden"
        yield Case(f"port sign/{what}: complex table conjugated", [*three, *more, "--table", "t.npy"], conjugate, expected)
        yield text(f"sign {what}: (s, -s) in a repeated sine", [*three, *more], llama3, N, expected, change=baked)
        for store in ("float64", "float16", "bfloat16"):
            yield text(f"sign {what}: sines negated/{store}", [*three, *more], llama3, N, expected, change=negated, store=store,
                       compute="float64" if store == "float64" else "float32")
        yield vectors(f"sign {what}: rotated backwards", [*three, *more], llama3, expected, sign=-1)
        for name in ("flux.1", "wan", "qwen2-vl", "pixtral", "hunyuan-video"):
            layout = LAYOUTS[name]
            h, w = layout.sizes[0]
            yield image(f"sign {what}: {name}", layout, lambda l=layout, h=h, w=w: l.rope(h, w), expected, change=negated,
                        more=more)
        if config("llama-3.1-8b"):
            yield text(f"sign {what}: published config", [*config("llama-3.1-8b"), *more], llama3, N, expected, change=negated)
        flux = LAYOUTS["flux.1"]
        yield image(f"sign {what}: the rows of flux.1 alone", flux, lambda: image_cases.rows_negated(flux, 20, 31),
                    "position-scale", more=more, parameters={"position-scale": {"factor": [1, -1, 1]}})
    yield text("sign of a rope in options", plain, dict(d=96, base=2e4), N, "agrees", change=negated)
    yield text("sign of a rope in options with llama3", options("llama3")[0], options("llama3")[1], N, "agrees", change=negated)
    yield text("sign of a rope in options, and its base", plain, dict(d=96, base=1e6), N, ("base", "sign"), both=True,
               change=negated)
    yield text("sign allowed, and the base", [*three, "--allow", "sign"], llama3 | dict(base=1e4), N, ("base", "sign"), both=True,
               change=negated, ties={("scaling-parameters", "sign"): "the ramp moves with the base"})
    yield text("sign and one late", preset("gemma-2-2b"), MODELS["gemma-2-2b"], N + 1, ("sign", "position-offset"), both=True,
               change=negated)
    yield Case("port sign/ids negated", [*three, "--ids", "ids.npy"], lambda: {"ids.npy": -np.arange(500)}, "position-scale",
               parameters={"position-scale": {"factor": [-1]}})
    yield Case("port sign/frequencies negated", [*three, "--frequencies", "f.npy"],
               lambda: {"f.npy": -text_cases.frequencies(llama3)[0]}, ("sign", "position-scale"))


def counts():
    two, plain = preset("llama-2-7b"), MODELS["llama-2-7b"]
    short = np.arange(600)
    for d in (96, 64, 192, 256):
        ladder = rm.ladder(d, 1e4)
        yield text(f"counts: a ladder of {d} of 128 channels", two, plain, short, "rotary-dimension", mutate=laddered(ladder),
                   parameters={"rotary-dimension": {"rotary_dimension": d}})
        yield Case(f"port counts/frequencies of {d} of 128 channels", [*two, "--frequencies", "f.npy"],
                   lambda f=ladder: {"f.npy": f.astype(np.float32)}, "rotary-dimension",
                   parameters={"rotary-dimension": {"rotary_dimension": d}})
    for pairs in (16, 48, 80):
        ladder = 1e4 ** (-np.arange(pairs) / 64)
        yield text(f"counts: {pairs} pairs of the ladder of 64", two, plain, short, "length", mutate=laddered(ladder),
                   parameters={"length": {"pairs": pairs}})
        yield text(f"counts: {pairs} pairs of the ladder of 64/bfloat16", two, plain, short, "length", mutate=laddered(ladder),
                   store="bfloat16", parameters={"length": {"pairs": pairs}})
    for name, d, why in (("gemma-2-2b", 288, "hidden/heads"), ("phi-2", 80, "the whole head"), ("glm-4-9b-chat", 128, "no half"),
                         ("pythia-6.9b", 8, "a quarter twice"), ("gpt-j-6b", 256, "the whole head")):
        spec = MODELS[name]
        yield text(f"counts: {name}, {why}", preset(name), spec, short, "rotary-dimension",
                   mutate=laddered(rm.ladder(d, spec["base"])), parameters={"rotary-dimension": {"rotary_dimension": d}})
    one = MODELS["llama-3.2-1b-instruct"]
    yield text("counts: llama 3.2 1b with the heads of 8b", preset("llama-3.2-1b-instruct"), one, short, "rotary-dimension",
               mutate=laddered(text_cases.frequencies(one | dict(d=128))[0]))
    if config("stablelm-3b-4e1t"):
        yield text("counts: stablelm, rope_pct not read", config("stablelm-3b-4e1t"), dict(d=20, base=1e4), short,
                   "rotary-dimension", mutate=laddered(rm.ladder(80, 1e4)))
    wan, flux = LAYOUTS["wan"], LAYOUTS["flux.1"]
    any_count = ("axis-dimensions", "length", "rotary-dimension")
    yield image("counts: wan with thirds of 128", wan, lambda: wan.rope(12, 17, dims=(42, 42, 42)), any_count)
    yield image("counts: flux.1 with 16 + 48 + 48", flux, lambda: flux.rope(20, 31, dims=(16, 48, 48)), any_count)
    yield text("counts: cosines three times", two, plain, short, DISAGREES, codes=(1, 2),
               change=lambda c, s: (np.tile(c, (1, 3)), np.tile(s, (1, 3))))


def exchanges():
    llama3, three = MODELS["llama-3.1-8b"], preset("llama-3.1-8b")
    yield vectors("cos and sin exchanged in the rotation", three, llama3, "cos-sin-exchanged", change=exchanged)
    for name in ("flux.1", "wan", "qwen2-vl", "z-image", "vit-axial", "cogview4"):
        layout = LAYOUTS[name]
        h, w = layout.sizes[0]
        for store in ("float32", "bfloat16") if name in ("flux.1", "qwen2-vl") else ("float32",):
            yield image(f"exchanged: cos and sin of {name}", layout, lambda l=layout, h=h, w=w: l.rope(h, w), "cos-sin-exchanged",
                        store=store, change=exchanged)
    yield Case("port text/exchanged: sin + i cos", [*three, "--table", "t.npy"],
               lambda: {"t.npy": (1j * np.exp(-1j * rope(llama3, N).angles())).astype(np.complex64)}, "cos-sin-exchanged")
    square = np.arange(64)
    two, plain = preset("llama-2-7b"), MODELS["llama-2-7b"]
    turned = lambda c, s: (c.T, s.T)
    yield text("transposed: 64 positions of 64 pairs", two, plain, square, "table-transposed", change=turned)
    yield text("transposed: llama 3.1/bfloat16", three, llama3, np.arange(700), "table-transposed", change=turned, store="bfloat16")
    yield text("transposed: gemma 2/float16", preset("gemma-2-2b"), MODELS["gemma-2-2b"], np.arange(700), "table-transposed",
               change=turned, store="float16")
    yield text("transposed: fewer positions than pairs", two, plain, np.arange(40), "table-transposed", change=turned)
    yield text("transposed: yarn with its amplitude", QWEN_YARN, QWEN_SPEC, np.arange(700), "table-transposed", change=turned)
    for name in ("flux.1", "wan", "qwen2-vl"):
        layout = LAYOUTS[name]
        h, w = layout.sizes[0]
        yield image(f"transposed: {name}", layout, lambda l=layout, h=h, w=w: l.rope(h, w), "table-transposed", change=turned)


def ladders():
    three, llama3 = preset("llama-3.1-8b"), MODELS["llama-3.1-8b"]
    backwards = lambda r: r.but(frequency=r.frequency[::-1])
    kind = {"frequency-ladder": {"kind": "reversed"}}
    for name in ("llama-3.1-8b", "qwen3-14b", "phi-2"):
        yield text(f"reversed: {name}", preset(name), MODELS[name], N, "frequency-ladder", mutate=backwards, parameters=kind)
    yield text("reversed: qwen3/bfloat16", preset("qwen3-14b"), MODELS["qwen3-14b"], N, "frequency-ladder", mutate=backwards,
               store="bfloat16", parameters=kind)
    for name in ("qwen2-vl", "qwen3-vl"):
        layout = LAYOUTS[name]
        yield image(f"reversed: {name}", layout, lambda l=layout: backwards(l.rope(20, 31)), "frequency-ladder", parameters=kind)
    for name in ("pixtral", "dinov3", "cogview4", "torchtune-vision"):
        layout = LAYOUTS[name]
        h, w = layout.sizes[0]

        def each_axis(layout=layout, h=h, w=w):
            made = layout.rope(h, w)
            out = made.frequency.copy()
            for axis in range(made.ids.shape[1]):
                out[made.axis == axis] = out[made.axis == axis][::-1]
            return made.but(frequency=out)
        yield image(f"reversed: {name}", layout, each_axis, "frequency-ladder", parameters=kind)
    gemma = MODELS["gemma-4-26b-a4b"]
    four = preset("gemma-4-26b-a4b")
    for fraction, d in ((0.5, 256), (1.0, 512), (0.125, 64)):
        yield text(f"live: gemma 4 with a fraction of {fraction}", four, gemma | dict(fraction=fraction), N, "rotary-dimension",
                   parameters={"rotary-dimension": {"rotary_dimension": d}})
    yield text("live: gemma 4, one pair more", four, gemma | dict(fraction=130 / 512), N, "rotary-dimension",
               parameters={"rotary-dimension": {"rotary_dimension": 130}})
    padded = np.concatenate([rm.ladder(128, 1e6), np.zeros(192)])
    yield text("live: gemma 4, exponents of the turning channels", four, gemma, N, "rotary-dimension", mutate=laddered(padded))
    yield text("live: gemma 4, only the turning channels, exponents of their own", four, gemma, N, "rotary-dimension",
               mutate=laddered(rm.ladder(128, 1e6)))
    yield text("live: gemma 4, the slow end turns", four, gemma, N, (UNKNOWN, "rotary-dimension", "frequency-ladder"),
               mutate=lambda r: r.but(frequency=r.frequency[::-1]))
    asked = ["--dim", "256", "--base", "1000000", "--pairing", "half", "--scaling", "proportional", "--live-fraction", "0.25"]
    spec = dict(d=256, base=1e6, kind="proportional", fraction=0.25)
    yield text("live: proportional right", asked, spec, N, "agrees")
    yield text("live: proportional with a fraction of 0.75", asked, spec | dict(fraction=0.75), N, "rotary-dimension",
               parameters={"rotary-dimension": {"rotary_dimension": 192}})
    for name, spec, halved in (("llama-2-7b", MODELS["llama-2-7b"], 100.0), ("qwen3-14b", MODELS["qwen3-14b"], 1000.0)):
        yield text(f"exponent i/d: {name}", preset(name), spec | dict(base=halved), N, "base",
                   parameters={"base": {"base": halved}})
    half = rm.ladder(128, 5e5 ** 0.5)
    wave = 2 * math.pi / half
    smooth = np.clip((8192 / wave - 1) / 3, 0, 1)
    yield text("exponent i/d: llama 3.1", three, llama3, N, "base", mutate=laddered((1 - smooth) * half / 8 + smooth * half),
               parameters={"base": {"base": 5e5 ** 0.5}})
    for name in ("flux.1", "wan", "hunyuan-video"):
        layout = LAYOUTS[name]
        h, w = layout.sizes[0]
        yield image(f"exponent i/d: {name}", layout, lambda l=layout, h=h, w=w: l.rope(h, w, base=l.base ** 0.5), "base",
                    parameters={"base": {"base": layout.base ** 0.5}})
    two, plain = preset("llama-2-7b"), MODELS["llama-2-7b"]
    yield text("exponents 2i/(d - 2)", two, plain, N, "frequency-ladder", mutate=laddered(rm.inclusive(128, 1e4)))
    yield text("exponents 4i/d", two, plain, N, "base", mutate=laddered(rm.ladder(128, 1e8)), parameters={"base": {"base": 1e8}})
    yield text("frequencies times 2 pi", two, plain, N, "position-scale",
               mutate=lambda r: r.but(frequency=r.frequency * 2 * math.pi),
               parameters={"position-scale": {"factor": [2 * math.pi]}})
    yield text("frequencies squared", two, plain, N, "base", mutate=lambda r: r.but(frequency=r.frequency ** 2),
               parameters={"base": {"base": 1e8}})
    yield text("periods for frequencies, ids of 0 to 1", two, plain, N / 2000, (DISAGREES, UNKNOWN),
               mutate=lambda r: r.but(frequency=1 / r.frequency))


def positions():
    two, plain = preset("llama-2-7b"), MODELS["llama-2-7b"]
    three, llama3 = preset("llama-3.1-8b"), MODELS["llama-3.1-8b"]
    qwen, qwen2 = preset("qwen2.5-7b-instruct"), MODELS["qwen2.5-7b-instruct"]
    offset = lambda **what: {"position-offset": what}
    for name, asks, spec in (("llama 2", two, plain), ("llama 3.1", three, llama3), ("qwen yarn", QWEN_YARN, QWEN_SPEC)):
        for store in ("float32", "bfloat16"):
            yield text(f"positions: {name}, two prompts/{store}", asks, spec, np.where(N < 700, N, N - 700), "position-offset",
                       store=store, parameters=offset(kind="restart", rows=700))
            yield text(f"positions: {name}, padded on the left/{store}", asks, spec, np.maximum(N - 123, 0), "position-offset",
                       store=store, parameters=offset(kind="left-padded", rows=123))
        yield text(f"positions: {name}, a ring of 300", asks, spec, N % 300, "position-offset",
                   parameters=offset(kind="wrapped", rows=300))
        yield text(f"positions: {name}, clamped at 1 000", asks, spec, np.minimum(N, 1000), "position-offset",
                   parameters=offset(kind="clamped", rows=1000))
    yield text("positions: padding filled with 1, as in transformers", qwen, qwen2, np.where(N < 123, 1, N - 123),
               "position-offset",
               parameters=offset(kind="left-padded", rows=123))
    yield text("positions: three prompts", two, plain, np.where(N < 500, N, np.where(N < 1200, N - 500, N - 1200)),
               ("position-offset", UNKNOWN))
    yield text("positions: second half again from 1", two, plain, np.where(N < 1000, N, N - 999), ("position-offset", UNKNOWN))
    yield text("positions: after an image of 576 tokens that counts as one", two, plain, np.where(N < 40, N, np.maximum(N - 575,
                                                                                                                        40)),
               ("position-offset", UNKNOWN))
    for kind, ids in (("restart", np.where(N < 700, N, N - 700)), ("wrapped", N % 300), ("clamped", np.minimum(N, 1000)),
                      ("left-padded", np.maximum(N - 123, 0))):
        yield Case(f"port ids/{kind}", [*two, "--ids", "ids.npy"], lambda ids=ids: {"ids.npy": ids.astype(np.int64)},
                   "position-offset", parameters=offset(kind=kind))
    yield text("positions: the prompt counted twice", three, llama3, N + 2000, "position-offset", parameters=offset(offset=[2000]))
    yield text("positions: one early", three, llama3, N - 1, "position-offset", store="float16", parameters=offset(offset=[-1]))
    yield text("positions: halved for a linear factor nobody asked", qwen, qwen2, N / 2, ("position-scale", "scaling-kind"))
    yield text("positions: in thousands", two, plain, N / 1000, "position-scale",
               parameters={"position-scale": {"factor": [0.001]}})
    yield text("positions: a batch of two as rows", two, plain, np.repeat(N, 2)[:2000], "position-offset",
               parameters=offset(kind="repeats", rows=2))
    yield text("positions: bytes that overflow at 256", two, plain, N % 256, "position-offset", parameters=offset(kind="wrapped"))
    yield text("positions: signed bytes", two, plain, (N + 128) % 256 - 128, ("position-offset", UNKNOWN))
    far = np.arange(30000, 33000)
    yield text("positions: signed shorts", [*two, "--positions", "30000:32999"], plain, (far + 32768) % 65536 - 32768,
               ("position-offset", UNKNOWN))
    yield text("positions: bfloat16 in a window of decoding", [*two, "--positions", "5000:5255"], plain,
               rm.rounded(np.arange(5000, 5256), "bfloat16"), "position-format",
               parameters={"position-format": {"format": "bfloat16"}})
    for name, asks, spec in (("gemma 2", preset("gemma-2-2b"), MODELS["gemma-2-2b"]), ("llama 3.1", three, llama3)):
        for kind, store in (("bfloat16", "bfloat16"), ("float16", "float32"), ("bfloat16", "float32")):
            yield text(f"angles: {name} in {kind}/{store}", asks, spec, N, "angle-format", store=store, compute="float64",
                       mutate=lambda r, k=kind: RoundedAngles(r, k), parameters={"angle-format": {"format": kind}})


def extensions():
    three, llama3 = preset("llama-3.1-8b"), MODELS["llama-3.1-8b"]
    fitted = lambda **what: {"scaling-parameters": what}
    yield text("llama 3.1: low and high exchanged", three, llama3 | dict(low=4.0, high=1.0), N, (DISAGREES, UNKNOWN))
    yield text("llama 3.1: wavelengths without 2 pi", three, llama3 | dict(trained=8192 * 2 * math.pi), N, "scaling-parameters")
    yield text("llama 3.1: L of the config's maximum", three, llama3 | dict(trained=131072), N, "scaling-parameters")
    yield text("llama 3.1: nothing between the bands", three, llama3 | dict(low=4.0, high=4.0), N, "scaling-parameters")
    yield text("llama 3.1: between the bands all kept", three, llama3 | dict(low=1.0, high=1.0), N, "scaling-parameters")
    plain = rm.ladder(128, 5e5)
    smooth = rm.turns_ramp(128, 5e5, 8192, 1, 4)
    yield text("llama 3.1: smooth the other way", three, llama3, N, "scaling-kind", mutate=laddered(
        np.where((smooth > 0) & (smooth < 1), (1 - smooth) * plain + smooth * plain / 8, llama_of(plain, smooth))))
    yield text("llama 3.1: the middle in wavelengths", three, llama3, N, (UNKNOWN, "scaling-kind"), mutate=laddered(
        np.where((smooth > 0) & (smooth < 1), 1 / ((1 - smooth) * 8 / plain + smooth / plain), llama_of(plain, smooth))))
    yield text("llama 3.1: the divided band multiplied", three, llama3, N, "scaling-kind",
               mutate=laddered((1 - smooth) * plain * 8 + smooth * plain))
    yield text("llama 3.1: twice", three, llama3, N, "scaling-kind",
               mutate=lambda r: r.but(frequency=(1 - smooth) * r.frequency / 8 + smooth * r.frequency))
    yield text("llama 3.1: all divided by 8", three, llama3, N, "scaling-kind",
               mutate=laddered(plain / 8), ties={("base", "position-scale"): "both", ("position-scale", "base"): "both"})
    yield text("llama 4 with the numbers of 3.1", preset("llama-4-scout-17b-16e"),
               MODELS["llama-4-scout-17b-16e"] | dict(factor=8.0,
               high=4.0), N, "scaling-parameters")
    both = {("scaling-kind", "amplitude"): "yarn brings an amplitude", ("amplitude", "scaling-kind"): "the same",
            ("scaling-parameters",): "yarn of factor 4 where factor 1 is asked"}
    yield text("qwen2.5: yarn where none is asked", preset("qwen2.5-7b-instruct"), QWEN_SPEC, N, "scaling-kind", ties=both)
    yield text("llama 2: ntk where none is asked", preset("llama-2-7b"), dict(d=128, base=1e4, kind="ntk", factor=4.0), N, "base",
               parameters={"base": {"base": 1e4 * 4 ** (128 / 126)}}, ties={("scaling-kind",): "ntk is a base"})
    louder = lambda value: dict(amplitude=value)
    for name, value, why in (("deepseek-v3", rm.mscale(40), "mscale though both mscales are equal"),
                             ("olmo-3.1-32b-instruct", 1.0, "no attention factor"),
                             ("olmo-3.1-32b-instruct", 1.2079441541679836 ** 2, "attention factor squared"),
                             ("gpt-oss-20b", rm.mscale(32) ** 0.5, "the root of the attention factor"),
                             ("gpt-oss-20b", 1 / rm.mscale(32), "divided by the attention factor")):
        yield text(f"{name}: {why}", preset(name), MODELS[name] | louder(value), N, "amplitude",
                   parameters={"amplitude": {"amplitude": value}})
    once = 0.1 * math.log(rm.mscale(4)) + 1
    yield text("qwen yarn: amplitude logged twice", QWEN_YARN, QWEN_SPEC | louder(once), N, "amplitude",
               parameters={"amplitude": {"amplitude": once}})
    yield text("qwen yarn: amplitude of ln to base 10", QWEN_YARN, QWEN_SPEC | louder(0.1 * math.log10(4) + 1), N, "amplitude")
    follows = {("scaling-parameters", "amplitude"): "the amplitude follows the factor"}
    ramps = {"fast 64": dict(fast=64.0), "slow 2": dict(slow=2.0), "not truncated": dict(truncate=False),
             "factor 8": dict(factor=8.0)}
    for what, change in ramps.items():
        yield text(f"qwen yarn: {what}", QWEN_YARN, QWEN_SPEC | change, N, "scaling-parameters", ties=follows)
    kept = rm.yarn(128, 1e6, 4.0, 32768)
    mirrored = rm.ladder(128, 1e6) * 1.25 - kept
    yield text("qwen yarn: the ramp mirrored", QWEN_YARN, QWEN_SPEC, N, (UNKNOWN, "scaling-kind"), mutate=laddered(mirrored))
    yield text("qwen yarn: ntk by parts in turns", QWEN_YARN, QWEN_SPEC, N, "scaling-kind",
               mutate=laddered(rm.by_parts(128, 1e6, 4.0, 32768)))
    yield text("qwen yarn: ntk", QWEN_YARN, QWEN_SPEC, N, "scaling-kind", mutate=laddered(rm.ntk(128, 1e6, 4.0)),
               ties={("base",): "ntk is a base"})
    yield text("linear asked, ntk of twice the factor", options("linear")[0], dict(d=128, base=1e4, kind="ntk", factor=8.0), N,
               "scaling-kind", ties={("base",): "ntk is a base"})
    yield text("ntk asked, linear made", options("ntk-aware")[0], dict(d=128, base=1e4, kind="linear", factor=4.0), N,
               ("scaling-kind", "position-scale"))
    yield text("ntk asked, base times factor", options("ntk-aware")[0], dict(d=128, base=4e4), N, "scaling-parameters",
               ties={("base",): "another exponent of the factor is a base"})
    yield text("dynamic asked, ntk made", options("dynamic")[0], dict(d=128, base=1e4, kind="ntk", factor=4.0), N, "length-switch",
               ties={("base",): "ntk is a base", ("scaling-kind",): "ntk"})
    yield text("dynamic asked, length counted from the prompt", options("dynamic")[0], options("dynamic")[1] | dict(length=6000), N,
               "length-switch")
    yield text("linear asked, divided by the square root", options("linear")[0], options("linear")[1] | dict(factor=2.0), N,
               "scaling-parameters", parameters=fitted(factor=2.0))
    if config("deepseek-coder-6.7b-base"):
        coder = dict(d=128, base=1e5)
        linear = dict(kind="linear", factor=4.0)
        yield text("config deepseek-coder right", config("deepseek-coder-6.7b-base"), coder | linear, N, "agrees")
        yield text("config deepseek-coder, ntk for linear", config("deepseek-coder-6.7b-base"), coder | dict(kind="ntk",
                                                                                                             factor=4.0),
                   N, "scaling-kind", ties={("base",): "ntk is a base"})
        yield text("config deepseek-coder, plain", config("deepseek-coder-6.7b-base"), coder, N, "scaling-missing")
        yield text("config deepseek-coder, base 10 000", config("deepseek-coder-6.7b-base"), coder | linear | dict(base=1e4), N,
                   "base", parameters={"base": {"base": 1e4}})
    yield from published()


def llama_of(plain, smooth):
    return (1 - smooth) * plain / 8 + smooth * plain


def published():
    """LongRoPE and others by the published files."""
    if not config("phi-3.5-mini-instruct"):
        return
    loaded = json.load(open(config("phi-3.5-mini-instruct")[1], encoding="utf-8"))["rope_scaling"]
    phi = rm.ladder(96, 1e4)
    loud = math.sqrt(1 + math.log(32) / math.log(4096))
    spec = dict(d=96, base=1e4)
    asks = config("phi-3.5-mini-instruct")
    short, long = (phi / np.array(loaded[key]) for key in ("short_factor", "long_factor"))
    yield text("config phi 3.5 right", asks, spec, N, "agrees", mutate=laddered(short, loud))
    yield text("config phi 3.5, long list", asks, spec, N, "length-switch", mutate=laddered(long, loud))
    yield text("config phi 3.5, no amplitude", asks, spec, N, "amplitude", mutate=laddered(short, 1.0))
    yield text("config phi 3.5, long for 8 192 tokens", [*asks, "--length", "8192"], spec, N, "agrees", mutate=laddered(long, loud))
    yield text("config phi 3.5, short for 8 192 tokens", [*asks, "--length", "8192"], spec, N, "length-switch",
               mutate=laddered(short, loud))
    yield text("config phi 3.5, d of 128", asks, spec, N, ("rotary-dimension", "base"),
               mutate=laddered(rm.ladder(96, 1e4, over=128) / np.array(loaded["short_factor"]), loud))
    mini = json.load(open(config("minicpm-v-4")[1], encoding="utf-8"))["rope_scaling"]
    yield text("config minicpm-v-4 right", config("minicpm-v-4"), dict(d=128, base=1e4), N, "agrees",
               mutate=laddered(rm.ladder(128, 1e4) / np.array(mini["short_factor"])))
    yield text("config minicpm-v-4, plain", config("minicpm-v-4"), dict(d=128, base=1e4), N, "scaling-missing")
    lite = dict(d=64, base=1e4, kind="yarn", factor=40.0, trained=4096)
    yield text("config deepseek-v2-lite right", config("deepseek-v2-lite"), lite | dict(amplitude=1.0), N, "agrees")
    yield text("config deepseek-v2-lite, mscale of one key", config("deepseek-v2-lite"), lite | dict(amplitude=rm.mscale(40,
                                                                                                                         0.707)),
               N, "amplitude", parameters={"amplitude": {"amplitude": rm.mscale(40, 0.707)}})
    yield text("config deepseek-v2-lite, plain", config("deepseek-v2-lite"), dict(d=64, base=1e4), N, "scaling-missing")
    yield text("config chatglm3, rope_ratio as divisor", config("chatglm3-6b-32k"), dict(d=64, base=1e4, kind="linear",
                                                                                         factor=50.0),
               N, (DISAGREES, "base"))
    yield text("config chatglm3, rope_ratio not read", config("chatglm3-6b-32k"), dict(d=64, base=1e4), N, "base",
               parameters={"base": {"base": 1e4}})
    yield text("config falcon right", config("falcon-40b"), dict(d=64, base=1e4), N, "agrees", store="bfloat16")
    yield text("config internlm 2.5, dynamic before its length", config("internlm2_5-7b-chat"), dict(d=128, base=1e6,
                                                                                                     kind="dynamic",
               factor=2.0, trained=32768, length=65536), N, ("length-switch", "scaling-parameters", "base"))
    yield text("config qwen2.5 yarn right", config("qwen2.5-7b-instruct-yarn"), QWEN_SPEC, N, "agrees", store="float16")
    yield text("config qwen2.5 yarn, plain", config("qwen2.5-7b-instruct-yarn"), dict(d=128, base=1e6), N, "scaling-missing",
               ties={("scaling-missing", "amplitude"): "both are missing", ("amplitude", "scaling-missing"): "both"})


# Vectors.


def vectors(name, arguments, spec, expected, pairing=None, sign=1, change=None, rotation=None, store="float32", heads=2, head=None,
            ties=None):
    def files():
        made = rope(spec, np.arange(300))
        width = head or spec.get("head", spec["d"])
        before = np.random.default_rng(8).normal(size=(300, heads, width))
        before = rm.stored(before, store).astype(np.float64)
        cos, sin = made.tables()
        sin = sign * sin
        if change:
            cos, sin = change(cos, sin)
        turn = rotation or (lambda x, c, s: rm.rotate(x, c, s, pairing or made.pairing))
        return {"before.npy": rm.stored(before, store), "after.npy": rm.stored(turn(before, cos, sin), store)}
    ask = [*arguments, "--before", "before.npy", "--after", "after.npy", "--q-layout", "thd"]
    return Case(f"port vectors/{name}/{store}", ask, files, expected, ties=ties or {})


def overwritten(x, c, s):
    """In place: the first half is turned before the second reads it."""
    out, n = x.copy(), c.shape[1]
    c, s = c[:, None], s[:, None]
    out[..., :n] = x[..., :n] * c - x[..., n:2 * n] * s
    out[..., n:2 * n] = out[..., :n] * s + x[..., n:2 * n] * c
    return out


def both_minus(x, c, s):
    out, n = x.copy(), c.shape[1]
    c, s = c[:, None], s[:, None]
    out[..., :n], out[..., n:2 * n] = x[..., :n] * c - x[..., n:2 * n] * s, x[..., n:2 * n] * c - x[..., :n] * s
    return out


def last_channels(x, c, s):
    n = 2 * c.shape[1]
    out = x.copy()
    out[..., -n:] = rm.rotate(x[..., -n:], c, s, "half")
    return out


def across_the_head(x, c, s):
    """Pairs (i, i + head/2), as a proportional rope has them."""
    out, n, half = x.copy(), c.shape[1], x.shape[-1] // 2
    a, b = x[..., :n], x[..., half:half + n]
    out[..., :n], out[..., half:half + n] = a * c[:, None] - b * s[:, None], a * s[:, None] + b * c[:, None]
    return out


def mismatched(x, c, s):
    """A table repeated by neighbours and rotate_half."""
    n = c.shape[1]
    turned = np.concatenate([-x[..., n:], x[..., :n]], -1)
    return x * rm.repeated(c, "interleaved")[:, None] + turned * rm.repeated(s, "interleaved")[:, None]


def rest_dropped(x, c, s):
    out = rm.rotate(x, c, s, "half")
    out[..., 2 * c.shape[1]:] = 0
    return out


def rotations():
    three, llama3 = preset("llama-3.1-8b"), MODELS["llama-3.1-8b"]
    neox, spec = preset("gpt-neox-20b"), MODELS["gpt-neox-20b"]
    for store in ("float64", "float32", "float16", "bfloat16"):
        yield vectors("llama 3.1 right, one head of k", three, llama3, "agrees", store=store, heads=1)
        yield vectors("neox right", neox, spec, "agrees", store=store)
    yield vectors("glm right", preset("glm-4-9b-chat"), MODELS["glm-4-9b-chat"], "agrees", store="bfloat16")
    yield vectors("yarn right with its amplitude", QWEN_YARN, QWEN_SPEC, "agrees")
    yield vectors("llama 3.1 by neighbours", three, llama3, "pairing", pairing="interleaved")
    yield vectors("llama 4 by halves", preset("llama-4-scout-17b-16e"), MODELS["llama-4-scout-17b-16e"], "pairing", pairing="half")
    yield vectors("glm by halves", preset("glm-4-9b-chat"), MODELS["glm-4-9b-chat"], "pairing", pairing="half")
    yield vectors("command-r by halves", preset("command-r-08-2024"), MODELS["command-r-08-2024"], "pairing", pairing="half",
                  store="bfloat16")
    yield vectors("neox by neighbours", neox, spec, "pairing", pairing="interleaved")
    yield vectors("the first half overwritten before it is read", three, llama3, UNKNOWN, rotation=overwritten)
    yield vectors("minus in both halves", three, llama3, UNKNOWN, rotation=both_minus)
    yield vectors("neox, the last channels turned", neox, spec, (UNKNOWN, DISAGREES), rotation=last_channels)
    yield vectors("neox, pairs across the whole head", neox, spec, ("pairing", "rotary-dimension", UNKNOWN),
                  rotation=across_the_head)
    yield vectors("neox, the rest of the head dropped", neox, spec, UNKNOWN, rotation=rest_dropped)
    yield vectors("table by neighbours, rotation by halves", three, llama3, "table-rotation-mismatch", rotation=mismatched)
    yield vectors("yarn, amplitude on the table and on q", QWEN_YARN, QWEN_SPEC, "amplitude",
                  change=lambda c, s: (c * rm.mscale(4), s * rm.mscale(4)))
    yield vectors("turned twice", three, llama3, "position-scale", rotation=lambda x, c, s: rm.rotate(rm.rotate(x, c, s, "half"), c,
                                                                                                      s,
                  "half"))
    yield vectors("scaled by the root of the head on the way", three, llama3, "amplitude",
                  rotation=lambda x, c, s: rm.rotate(x, c, s, "half") / 128 ** 0.5)
    yield vectors("not turned", three, llama3, (UNKNOWN, "position-scale", DISAGREES), rotation=lambda x, c, s: x)
    yield vectors("plain ladder", three, llama3 | dict(kind=None), "scaling-missing")


# Images.


def image(name, layout, made, expected, size=None, store="float32", change=None, more=(), **rest):
    h, w = size or layout.sizes[0]
    return image_cases.table_case(f"port image/{name}/{store}", [*layout.arguments(h, w), *more], made, expected, store, change,
                                  **rest)


def moved(layout, size, part, amounts):
    """The ids of a part shifted by `amounts`."""
    def make():
        made = layout.rope(*size)
        ids = made.ids.copy()
        ids[made.where(part)] += amounts
        return made.but(ids=ids)
    return make


def texted(layout, size, words):
    """The text's ids replaced: words(number of text tokens) → [tokens, axes]."""
    def make():
        made = layout.rope(*size)
        ids = made.ids.copy()
        ids[made.where("text")] = words(int(made.where("text").sum()))
        return made.but(ids=ids)
    return make


def strided(layout, size, stride):
    def make():
        made = layout.rope(*size)
        ids, here, row = made.ids.copy(), made.where("image"), layout.rows
        first = ids[here][0, row:row + 2]
        number = np.arange(here.sum()) % (size[0] * size[1])
        ids[here, row], ids[here, row + 1] = first[0] + number // stride, first[1] + number % stride
        return made.but(ids=ids)
    return make


def grids():
    for name, stride in (("flux.1", 32), ("flux.1", 30), ("flux.1", 62), ("z-image", 64), ("wan", 20), ("qwen-image", 48),
                         ("hunyuan-video", 32), ("lumina-2", 36)):
        layout = LAYOUTS[name]
        size = layout.sizes[0]
        for store in ("float32", "bfloat16") if name in ("flux.1", "wan") else ("float32",):
            yield image(f"stride: {name} by {stride}", layout, strided(layout, size, stride), "order", store=store,
                        parameters={"order": {"order": "row-stride", "stride": stride}},
                        ties={("length",): "the tokens of another size"} if stride % size[1] == 0 else {})
    for name in ("flux.1", "qwen-image", "wan", "z-image", "lumina-2", "flux.2"):
        layout = LAYOUTS[name]
        h, w = layout.sizes[0]
        if name != "z-image":
            yield image(f"packing: {name} of unpacked latents", layout, lambda l=layout, h=h, w=w: l.rope(2 * h, 2 * w), "length")
        doubled = np.zeros(len(layout.dims)) + 1
        doubled[layout.rows:layout.rows + 2] = 2
        centred = name == "qwen-image"
        yield image(f"packing: {name}, every second id", layout, scaled(layout, (h, w), doubled),
                    DISAGREES if centred else "position-scale",
                    parameters={} if centred or name == "flux.1" else {"position-scale": {"factor": list(doubled)}})
        yield image(f"packing: {name}, half ids", layout, scaled(layout, (h, w), 1 / doubled),
                    DISAGREES if centred else "position-scale",
                    parameters={} if centred or name == "flux.1" else {"position-scale": {"factor": list(1 / doubled)}})
    for name in ("flux.1", "wan", "qwen-image", "hunyuan-video", "lumina-2"):
        layout = LAYOUTS[name]
        h, w = layout.sizes[0]
        twice = lambda c, s: (np.concatenate([c, c]), np.concatenate([s, s]))
        yield image(f"guidance: {name}'s table twice", layout, lambda l=layout, h=h, w=w: l.rope(h, w), "length", change=twice)
    two, plain = preset("llama-2-7b"), MODELS["llama-2-7b"]
    yield text("guidance: the table twice", two, plain, np.tile(np.arange(1000), 2), "position-offset",
               parameters={"position-offset": {"kind": "restart", "rows": 1000}})


def scaled(layout, size, factors):
    def make():
        made = layout.rope(*size)
        here = made.where("image")[:, None]
        return made.but(ids=made.ids * np.where(here, factors, 1))
    return make


def texts():
    flux, flux2, qwen, lumina, z, ernie = (LAYOUTS[n] for n in ("flux.1", "flux.2", "qwen-image", "lumina-2", "z-image",
                                                               "ernie-image"))

    def on(axes, *which, start=0):
        return lambda n: np.stack([start + np.arange(n) if a in which else np.zeros(n) for a in range(axes)], 1)

    size = (20, 31)
    for store in ("float32", "bfloat16"):
        yield image("text: flux.1 counts on t", flux, texted(flux, size, on(3, 0)), "text-start", store=store)
        yield image("text: flux.1 counts on all axes", flux, texted(flux, size, on(3, 0, 1, 2)), "text-start", store=store)
    yield image("text: flux.1 counts on the columns", flux, texted(flux, size, on(3, 2)), "text-start")
    yield image("text: flux.1 at 1", flux, texted(flux, size, lambda n: np.ones((n, 3))), "text-start")
    yield image("text: flux.2 counts on t", flux2, texted(flux2, size, on(4, 0)), "text-start")
    yield image("text: flux.2 does not count", flux2, texted(flux2, size, on(4)), ("text-start", "position-scale"))
    yield image("text: flux.2 counts from 1", flux2, texted(flux2, size, on(4, 3, start=1)), "text-start")
    yield image("text: flux.2 counts after the image", flux2, texted(flux2, size, on(4, 3, start=31)), "text-start")
    yield image("text: lumina counts on all axes", lumina, texted(lumina, size, on(3, 0, 1, 2)), "text-start")
    yield image("text: lumina counts from 1", lumina, texted(lumina, size, on(3, 0, start=1)), "text-start")
    yield image("text: z-image counts from 0", z, texted(z, size, on(3, 0)), "text-start")
    yield image("text: ernie counts from 1", ernie, texted(ernie, size, on(3, 0, start=1)), "text-start")
    for h, w in ((20, 32), (21, 33)):
        start = max(h // 2, w // 2)
        yield image(f"text: qwen-image {h}x{w} on t alone", qwen, texted(qwen, (h, w), on(3, 0, start=start)), "text-start",
                    size=(h, w))
        yield image(f"text: qwen-image {h}x{w} from the number of tokens", qwen, lambda h=h, w=w: rm.qwen_image(h, w, 24,
                                                                                                                start=h * w),
                    "text-start", size=(h, w), parameters={"text-start": {"start": h * w}})
        yield image(f"text: qwen-image {h}x{w} from the smaller side", qwen,
                    lambda h=h, w=w: rm.qwen_image(h, w, 24, start=min(h // 2, w // 2)), "text-start", size=(h, w))
    for what, amount, layout in (("flux.1, t 1", [1, 0, 0], flux), ("lumina, t 0", [-24, 0, 0], lumina),
                                 ("lumina, t one late", [1, 0, 0], lumina), ("z-image, t 0", [-33, 0, 0], z),
                                 ("z-image, t of the last word", [-1, 0, 0], z), ("ernie, t 0", [-24, 0, 0], ernie),
                                 ("z-image, rows and columns from 1", [0, 1, 1], z), ("flux.1, rows from -10", [0, -10, 0], flux)):
        yield image(f"image at: {what}", layout, moved(layout, size, "image", np.array(amount, float)), "position-offset",
                    parameters={"position-offset": {"offset": amount}})
    yield image("first: z-image's text", z, lambda: image_cases.image_first(z, 20, 31), "order")


def centres():
    qwen = LAYOUTS["qwen-image"]
    for h, w in ((20, 32), (21, 33), (15, 40)):
        start = max(h // 2, w // 2)
        low = np.array([0, h - h // 2, w - w // 2], float)
        for what, amount in (("rows alone", low * [0, 0, 1]), ("columns alone", low * [0, 1, 0])):
            yield image(f"centred: qwen-image {h}x{w}, {what}", qwen, moved(qwen, (h, w), "image", amount), "centring", size=(h, w))
        yield image(f"centred: qwen-image {h}x{w}, on halves", qwen,
                    moved(qwen, (h, w), "image", low - [0, (h - 1) / 2, (w - 1) / 2]), "centring", size=(h, w))
        yield image(f"centred: qwen-image {h}x{w}, not", qwen, lambda h=h, w=w, s=start: rm.qwen_image(h, w, 24, centre=False,
                                                                                                       start=s),
                    "centring", size=(h, w), store="bfloat16")
        yield image(f"centred: qwen-image {h}x{w}, right", qwen, lambda h=h, w=w: qwen.rope(h, w), "agrees", size=(h, w),
                    store="float16")
        yield image(f"centred: qwen-image {h}x{w}, not, and base", qwen,
                    lambda h=h, w=w, s=start: rm.qwen_image(h, w, 24, centre=False, start=s, base=1e6), ("centring", "base"),
                    both=True,
                    size=(h, w))
        yield image(f"centred: qwen-image {h}x{w}, not, and sign", qwen,
                    lambda h=h, w=w, s=start: rm.qwen_image(h, w, 24, centre=False, start=s), ("centring", "sign"), both=True,
                    size=(h, w), change=negated)
    refs = ["--reference-grid", "10x12"]
    yield image("centred: qwen-image with a reference, none", qwen,
                lambda: rm.qwen_image(20, 32, 24, [(10, 12)], centre=False, start=16), "centring", more=refs)
    for name in ("qwen-image", "z-image", "hunyuan-video", "flux.2"):
        layout = LAYOUTS[name]
        h, w = layout.sizes[0]
        yield image(f"negated rows: {name}", layout, lambda l=layout, h=h, w=w: image_cases.rows_negated(l, h, w), "position-scale",
                    store="bfloat16")
    ltx = LAYOUTS["ltx-video"]
    change = lambda **k: lambda: (lambda r: r.but(**{key: make(r) for key, make in k.items()}))(ltx.rope(6, 9))
    for size in ((6, 9), (16, 24)):
        yield image(f"ltx {size[0]}x{size[1]}: without pi/2", ltx, lambda s=size: (lambda r: r.but(
            frequency=r.frequency * 2 / math.pi))(ltx.rope(*s)), "position-scale", size=size,
            parameters={"position-scale": {"factor": 2 / math.pi}})
        yield image(f"ltx {size[0]}x{size[1]}: c for 2c - 1", ltx,
                    lambda s=size: (lambda r: r.but(ids=(r.ids + 1) / 2))(ltx.rope(*s)),
                    "centring", size=size, parameters={"centring": {"kind": "not-stretched"}})
    yield image("ltx: pi for pi/2", ltx, change(frequency=lambda r: r.frequency * 2), "position-scale")
    yield image("ltx: exponents without their end", ltx, change(frequency=lambda r: np.concatenate(
        [[0], np.repeat(1e4 ** (np.arange(341) / 341) * math.pi / 2, 3)])),
        ("frequency-ladder", "base"))
    yield image("ltx: the fastest first", ltx, change(frequency=lambda r: np.concatenate(
        [r.frequency[r.frequency == 0], r.frequency[r.frequency > 0][::-1]])), "frequency-ladder",
        parameters={"frequency-ladder": {"kind": "reversed"}})
    yield image("ltx: 24 frames a second", ltx, lambda: ltx.rope(6, 9, seconds=8 / 24.0), ("position-scale", "position-offset"))
    yield image("ltx: pixels of 16", ltx, lambda: ltx.rope(6, 9, pixels=16.0), ("position-scale", "position-offset"))
    yield image("ltx: padding of zeros for cosines of 1", ltx, lambda: ltx.rope(6, 9), UNKNOWN,
                change=lambda c, s: (np.where(np.arange(c.shape[1]) < c.shape[1] - 3 * 341, 0, c), s))
    yield image("ltx: without both", ltx, change(ids=lambda r: (r.ids + 1) / 2, frequency=lambda r: r.frequency * 2 / math.pi),
                DISAGREES)
    yield image("ltx right/float16", ltx, lambda: ltx.rope(16, 24), "agrees", size=(16, 24), store="float16")


def videos():
    wan, hunyuan = LAYOUTS["wan"], LAYOUTS["hunyuan-video"]
    size = (12, 17)
    for layout, name in ((wan, "wan"), (hunyuan, "hunyuan")):
        scale = lambda factors, l=layout: lambda: (lambda r: r.but(ids=r.ids * factors))(l.rope(*size))
        yield image(f"video: {name}, frames of the video", layout, scale([4, 1, 1]), "position-scale",
                    parameters={"position-scale": {"factor": [4, 1, 1]}})
        yield image(f"video: {name}, seconds", layout, scale([1 / 16, 1, 1]), "position-scale",
                    parameters={"position-scale": {"factor": [1 / 16, 1, 1]}})
        yield image(f"video: {name}, frames from 1", layout, moved(layout, size, "image", np.array([1.0, 0, 0])), "position-offset",
                    parameters={"position-offset": {"offset": [1, 0, 0]}})
        yield image(f"video: {name}, frames backwards", layout, ordered(layout, size, lambda c: c[::-1]), "order")
        yield image(f"video: {name}, a frame more", layout, lambda l=layout: l.rope(*size, frames=4), "length")
        yield image(f"video: {name}, the first frame alone for all", layout,
                    lambda l=layout: (lambda r: r.but(ids=r.ids * [0, 1, 1]))(l.rope(*size)), ("position-scale", "collision"))
        yield image(f"video: {name}, base 256 and 10 000 exchanged", layout,
                    lambda l=layout: l.rope(*size, base=256.0 if l.base > 256 else 1e4), "base")
        yield image(f"video: {name}, halves", layout, lambda l=layout: l.rope(*size), "pairing", change=again("half"))
        yield image(f"video: {name}, neighbours", layout, lambda l=layout: l.rope(*size), "agrees", change=again("interleaved"))
        for kind in ("bfloat16", "float16"):
            yield image(f"video: {name}, angles in {kind}", layout, lambda l=layout, k=kind: RoundedAngles(l.rope(*size), k),
                        "angle-format", parameters={"angle-format": {"format": kind}})
    ladder = rm.ladder(128, 1e4)
    yield image("video: wan, one ladder cut in three", wan, lambda: wan.rope(*size).but(frequency=ladder), (DISAGREES, UNKNOWN))
    yield image("video: wan, all ladders of 44", wan, lambda: wan.rope(*size).but(
        frequency=np.concatenate([rm.ladder(44, 1e4), rm.ladder(42, 1e4, over=44), rm.ladder(42, 1e4, over=44)])),
        ("base", "rotary-dimension"))
    yield image("video: wan, all ladders of 128", wan, lambda: wan.rope(*size).but(
        frequency=np.concatenate([rm.ladder(d, 1e4, over=128) for d in wan.dims])), "rotary-dimension", ties={("base",): "a base"})
    yield image("video: wan, columns before rows before frames", wan, lambda: (lambda r: r.but(ids=r.ids[:,
                                                                                                         ::-1]))(wan.rope(*size)),
                ("axis-dimensions", "axes-swapped", "order", UNKNOWN))
    yield image("video: hunyuan, rest first", hunyuan, lambda: hunyuan.rope(*size, dims=(56, 56, 16)), "axis-dimensions",
                parameters={"axis-dimensions": {"dimensions": [56, 56, 16]}})
    words = lambda c, s: (np.concatenate([c, np.ones((24, 64))]), np.concatenate([s, np.zeros((24, 64))]))
    yield image("video: hunyuan, text rows that do not turn", hunyuan, lambda: hunyuan.rope(*size), ("length", "text-start"),
                change=words)
    yield Case("port image/video: 81 frames of wan", ["--layout", "wan", "--grid", "12x17", "--video-frames", "81", *TABLES],
               image_cases.dump(lambda: rm.wan(21, 12, 17)), "agrees")
    yield Case("port image/video: 81 frames of wan, four too many", ["--layout", "wan", "--grid", "12x17", "--video-frames", "81",
               *TABLES], image_cases.dump(lambda: rm.wan(22, 12, 17)), "length")


def ordered(layout, size, permute):
    def make():
        made = layout.rope(*size)
        where = np.flatnonzero(made.where("image"))
        ids = made.ids.copy()
        ids[where] = made.ids[permute(where.reshape(-1, *size)).ravel()]
        return made.but(ids=ids)
    return make


def towers():
    """M-RoPE and vision towers."""
    for name, sections in (("qwen2-vl", (24, 16, 24)), ("qwen3-vl", (20, 24, 20))):
        layout = LAYOUTS[name]
        change = lambda edit, l=layout: lambda: edit(l.rope(20, 31))
        yield image(f"mrope: {name}, rows and columns exchanged", layout, change(lambda r: r.but(ids=r.ids[:, [0, 2, 1]])),
                    "axes-swapped", ties={("axis-dimensions",): "blocks of one width",
                                          ("section-layout",): "the sections exchanged"})
        yield image(f"mrope: {name}, grid not merged", layout, change(lambda r: r.but(ids=np.where(
            r.where("image")[:, None], 24 + (r.ids - 24) * 2, r.ids))), ("position-scale", DISAGREES))
        yield image(f"mrope: {name}, text goes on at the number of tokens", layout, lambda l=layout: l.rope(20, 31, start=24 + 620),
                    ("text-start", "position-offset"))
        yield image(f"mrope: {name}, sections {sections}", layout, lambda l=layout, s=sections: l.rope(20, 31, sections=s),
                    ("axis-dimensions", "section-layout"))
        yield image(f"mrope: {name}, exponent i/d", layout, lambda l=layout: l.rope(20, 31, base=1e3), "base",
                    parameters={"base": {"base": 1e3}})
        yield image(f"mrope: {name}, one late", layout, change(lambda r: r.but(ids=r.ids + 1)), "position-offset",
                    parameters={"position-offset": {"offset": [1, 1, 1]}})
        yield image(f"mrope: {name}, angles in bfloat16", layout, lambda l=layout: RoundedAngles(l.rope(20, 31), "bfloat16"),
                    "angle-format", parameters={"angle-format": {"format": "bfloat16"}})
        yield image(f"mrope: {name}, frequencies in bfloat16", layout,
                    change(lambda r: r.but(frequency=rm.rounded(r.frequency, "bfloat16"))), "frequency-format",
                    parameters={"frequency-format": {"format": "bfloat16"}})
        yield image(f"mrope: {name}, louder", layout, lambda l=layout: l.rope(20, 31), "amplitude", change=image_cases.louder)
    vit, pixtral, dino, tune = (LAYOUTS[n] for n in ("vit-axial", "pixtral", "dinov3", "torchtune-vision"))
    yield image("tower: rope-vit, y before x", vit, lambda: image_cases.columns_swapped(vit, 20, 31), "axes-swapped",
                ties={("axis-dimensions",): "blocks of one width"})
    yield image("tower: rope-vit, positions of 0 to 1", vit, lambda: (lambda r: r.but(ids=r.ids / [31, 20]))(vit.rope(20, 31)),
                "position-scale", parameters={"position-scale": {"factor": [1 / 31, 1 / 20]}})
    yield image("tower: rope-vit, base 10 000", vit, lambda: vit.rope(20, 31, base=1e4), "base", store="float16",
                parameters={"base": {"base": 1e4}})
    yield image("tower: pixtral from 1", pixtral, lambda: (lambda r: r.but(ids=r.ids + 1))(pixtral.rope(20, 31)), "position-offset",
                parameters={"position-offset": {"offset": [1, 1]}})
    yield image("tower: pixtral, first and second half of the ladder", pixtral, lambda: pixtral.rope(20, 31).but(
        frequency=rm.ladder(64, 1e4)), (DISAGREES, UNKNOWN))
    yield image("tower: pixtral, columns before rows", pixtral, lambda: (lambda r: r.but(ids=r.ids[:, ::-1]))(pixtral.rope(20, 31)),
                "axes-swapped")
    yield image("tower: pixtral, by columns", pixtral, lambda: (lambda r: r.but(ids=np.stack([i.ravel() for i in np.indices(
        (31, 20))[::-1]], 1).astype(float)))(pixtral.rope(20, 31)), "order")
    yield image("tower: dinov3, base 10 000", dino, lambda: dino.rope(20, 31, base=1e4), "base")
    yield image("tower: dinov3, y and x exchanged", dino, lambda: (lambda r: r.but(ids=r.ids[:, ::-1]))(dino.rope(20, 31)),
                "axes-swapped", ties={("axis-dimensions",): "blocks of one width"})
    yield image("tower: dinov3, pi for 2 pi", dino, lambda: (lambda r: r.but(frequency=r.frequency / 2))(dino.rope(20, 31)),
                "position-scale")
    yield image("tower: torchtune, base 100", tune, lambda: tune.rope(16, 16, base=100.0), "base",
                parameters={"base": {"base": 100.0}})
    flux = LAYOUTS["flux.1"]
    for base in (1e4 * 2, 1e4 * 10, 256.0):
        yield image(f"flux.1: base {base:g}", flux, lambda b=base: flux.rope(20, 31, base=b), "base", store="float16",
                    parameters={"base": {"base": base}})
    yield image("flux.1: t in the middle", flux, lambda: flux.rope(20, 31, dims=(56, 16, 56)), "axis-dimensions",
                parameters={"axis-dimensions": {"dimensions": [56, 16, 56]}})
    yield image("flux.1: one ladder over all", flux, lambda: flux.rope(20, 31).but(frequency=rm.ladder(128, 1e4)), (DISAGREES,
                                                                                                                    UNKNOWN))
    yield image("flux.1: rows of 56 and columns of 16 channels", flux, lambda: flux.rope(20, 31, dims=(56, 56, 16)),
                "axis-dimensions")
    yield Case("port image/flux.1: matrices right", ["--layout", "flux.1", "--grid", "20x31", "--text", "24", "--table", "t.npy"],
               lambda: {"t.npy": matrices(flux.rope(20, 31))}, "agrees")
    yield Case("port image/flux.1: 1664x928 in pixels", ["--layout", "flux.1", "--size", "1664x928", "--text", "512", *TABLES],
               image_cases.dump(lambda: rm.flux1(58, 104, 512), "bfloat16"), "agrees")
    yield Case("port image/flux.1: 928x1664 for 1664x928", ["--layout", "flux.1", "--size", "1664x928", "--text", "512", *TABLES],
               image_cases.dump(lambda: rm.flux1(104, 58, 512)), "axes-swapped",
               parameters={"axes-swapped": {"kind": "height-width"}})
    yield Case("port image/flux.1: 77 words for 512", ["--layout", "flux.1", "--size", "512x768", "--text", "512", *TABLES],
               image_cases.dump(lambda: rm.flux1(48, 32, 77)), "length")
    kontext = ["--layout", "flux.1-kontext", "--grid", "20x31", "--text", "24", "--reference-grid", "47x87", *TABLES]
    referred = lambda t, i=0.0: lambda: (lambda r: r.but(ids=r.ids + np.outer(r.where("reference"), [t, 0, 0])
                                                         + np.outer(r.where("image"), [i, 0, 0])))(rm.flux1(20, 31, 24, [(47, 87)]))
    yield Case("port image/kontext: reference at 2", kontext, image_cases.dump(referred(1.0)), "reference-index",
               parameters={"reference-index": {"indices": [2]}})
    yield Case("port image/kontext: image at 1, reference at 0", kontext, image_cases.dump(referred(-1.0, 1.0)), DISAGREES)
    yield Case("port image/kontext: right", kontext, image_cases.dump(referred(0.0), "bfloat16"), "agrees")
    yield Case("port image/kontext: base 2 000", kontext, image_cases.dump(lambda: rm.flux1(20, 31, 24, [(47, 87)], base=2e3)),
               "base")


def files():
    """Published configs of image models."""
    for name, layout, size in (("flux.1-dev", "flux.1", (20, 31)), ("flux.1-dev-resaved", "flux.1", (20, 31)),
                               ("flux.2-dev", "flux.2", (20, 31)), ("qwen-image", "qwen-image", (21, 33)),
                               ("wan2.1-t2v-14b-diffusers", "wan", (12, 17)), ("wan2.1-t2v-14b-native", "wan", (12, 17)),
                               ("hunyuanvideo", "hunyuan-video", (12, 17)), ("framepack-hunyuanvideo", "hunyuan-video", (12, 17)),
                               ("cogview4-6b", "cogview4", (20, 31)), ("lumina-image-2.0", "lumina-2", (20, 31)),
                               ("z-image", "z-image", (20, 31)), ("ernie-image", "ernie-image", (20, 31)),
                               ("dinov3-vits16", "dinov3", (20, 31)), ("ltx-video-2b-diffusers", "ltx-video", (6, 9)),
                               ("ltx-video-2b-native", "ltx-video", (6, 9)), ("qwen2-vl-7b-instruct", "qwen2-vl", (20, 31)),
                               ("qwen2.5-vl-7b-instruct", "qwen2-vl", (20, 31))):
        if not config(name):
            continue
        made = LAYOUTS[layout]
        asks = [*config(name), *made.arguments(*size)[2:], *TABLES]
        yield Case(f"port config/{name} right", asks, image_cases.dump(lambda l=made, s=size: l.rope(*s)), "agrees")
        yield Case(f"port config/{name} of the other sign", asks, image_cases.dump(lambda l=made, s=size: l.rope(*s), "bfloat16",
                   negated), "sign", ties={("order",): "dinov3: backwards"})
        if made.base:
            yield Case(f"port config/{name} with the base times 7", asks, image_cases.dump(
                lambda l=made, s=size: l.rope(*s, base=7 * l.base)), "base", parameters={"base": {"base": 7 * made.base}})


def all_cases():
    for group in (signs, counts, exchanges, ladders, positions, extensions, rotations, grids, texts, centres, videos, towers,
                  files):
        yield from group()
