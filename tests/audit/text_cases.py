"""Invented ports of text models: right tables, single mistakes, mistakes in twos, noise, garbage, files of every kind."""

import math

import numpy as np

import rope_math as rm
from case import Case, DISAGREES, UNKNOWN, UNUSABLE

LONG = [1 + 0.02 * i * i for i in range(48)]
SHORT = [1 + 0.01 * i for i in range(48)]

# What the makers published: head, rotated channels, base, and the extension with its numbers.
MODELS = {
    "llama-2-7b": dict(d=128, base=1e4),
    "mistral-7b-instruct-v0.3": dict(d=128, base=1e6),
    "mixtral-8x7b": dict(d=128, base=1e6),
    "qwen2.5-7b-instruct": dict(d=128, base=1e6),
    "qwen3-14b": dict(d=128, base=1e6),
    "gemma-2-2b": dict(d=256, base=1e4),
    "pythia-6.9b": dict(d=32, head=128, base=1e4),
    "phi-2": dict(d=32, head=80, base=1e4),
    "gpt-neox-20b": dict(d=24, head=96, base=1e4),
    "gpt-j-6b": dict(d=64, head=256, base=1e4, pairing="interleaved"),
    "roformer-chinese-base": dict(d=64, base=1e4, pairing="interleaved"),
    "glm-4-9b-chat": dict(d=64, head=128, base=5e6, pairing="interleaved"),
    "command-r-08-2024": dict(d=128, base=4e6, pairing="interleaved"),
    "llama-3.1-8b": dict(d=128, base=5e5, kind="llama3", factor=8.0, trained=8192),
    "llama-3.2-1b-instruct": dict(d=64, base=5e5, kind="llama3", factor=32.0, trained=8192),
    "llama-4-scout-17b-16e": dict(d=128, base=5e5, kind="llama3", factor=16.0, trained=8192, high=1.0, pairing="interleaved"),
    "gemma-3-4b-it": dict(d=256, base=1e6, kind="linear", factor=8.0),
    "gpt-oss-20b": dict(d=64, base=150000.0, kind="yarn", factor=32.0, trained=4096, truncate=False),
    "deepseek-v3": dict(d=64, base=1e4, kind="yarn", factor=40.0, trained=4096, amplitude=1.0, pairing="interleaved"),
    "olmo-3.1-32b-instruct": dict(d=128, base=5e5, kind="yarn", factor=8.0, trained=8192, amplitude=1.2079441541679836),
    "gemma-4-26b-a4b": dict(d=512, base=1e6, kind="proportional", fraction=0.25),
    "modernbert-base": dict(d=64, base=160000.0),
}

QWEN_YARN = ["--dim", "128", "--base", "1000000", "--pairing", "half", "--scaling", "yarn", "--factor", "4", "--trained-length",
             "32768"]
QWEN_SPEC = dict(d=128, base=1e6, kind="yarn", factor=4.0, trained=32768)
SCALED = {
    "linear": (["--scaling", "linear", "--factor", "4"], dict(kind="linear", factor=4.0)),
    "ntk-aware": (["--scaling", "ntk-aware", "--factor", "4"], dict(kind="ntk", factor=4.0)),
    "dynamic": (["--scaling", "dynamic", "--factor", "4", "--trained-length", "4096", "--length", "8192"],
                dict(kind="dynamic", factor=4.0, trained=4096, length=8192)),
    "ntk-by-parts": (["--scaling", "ntk-by-parts", "--factor", "8", "--trained-length", "4096"],
                     dict(kind="by-parts", factor=8.0, trained=4096)),
    "yarn": (["--scaling", "yarn", "--factor", "16", "--trained-length", "4096"], dict(kind="yarn", factor=16.0, trained=4096)),
    "llama3": (["--scaling", "llama3", "--factor", "8", "--trained-length", "8192", "--low-frequency-factor", "1",
                "--high-frequency-factor", "4"], dict(kind="llama3", factor=8.0, trained=8192)),
    "longrope": (["--scaling", "longrope", "--trained-length", "4096", "--factor", "32", "--length", "8192",
                  "--short-factors", ",".join(map(str, SHORT)), "--long-factors", ",".join(map(str, LONG))],
                 dict(d=96, kind="longrope", factor=32.0, trained=4096, length=8192)),
}
PLAIN = ["--dim", "128", "--base", "10000", "--pairing", "half"]
PLAIN_SPEC = dict(d=128, base=1e4)


def options(name):
    """The rope of SCALED in options, and what it is."""
    arguments, changes = SCALED[name]
    spec = dict(d=128, base=1e4) | changes
    return ["--dim", str(spec["d"]), "--base", "10000", "--pairing", "half", *arguments], spec


def frequencies(spec):
    """Frequencies and amplitude of a spec, float64."""
    d, base, kind = spec["d"], spec["base"], spec.get("kind")
    factor, trained = spec.get("factor", 1.0), spec.get("trained", 4096)
    amplitude = 1.0
    if kind is None:
        frequency = rm.ladder(d, base, spec.get("over"), spec.get("shift", 0.0))
    elif kind == "inclusive":
        frequency = rm.inclusive(d, base)
    elif kind == "linear":
        frequency = rm.ladder(d, base) / factor
    elif kind == "ntk":
        frequency = rm.ntk(d, base, factor)
    elif kind == "dynamic":
        frequency = rm.dynamic(d, base, factor, trained, spec["length"])
    elif kind == "by-parts":
        frequency = rm.by_parts(d, base, factor, trained)
    elif kind == "yarn":
        frequency = rm.yarn(d, base, factor, trained, spec.get("fast", 32.0), spec.get("slow", 1.0), spec.get("truncate", True))
        amplitude = rm.mscale(factor)
    elif kind == "llama3":
        frequency = rm.llama3(d, base, factor, trained, spec.get("low", 1.0), spec.get("high", 4.0))
    elif kind == "proportional":
        frequency = rm.proportional(d, base, spec["fraction"], factor)
    elif kind == "longrope":
        frequency = rm.ladder(d, base) / np.array(LONG if spec["length"] > trained else SHORT)
        amplitude = math.sqrt(1 + math.log(factor) / math.log(trained))
    return frequency, spec.get("amplitude", amplitude)


def rope(spec, positions):
    frequency, amplitude = frequencies(spec)
    return rm.text_rope(frequency, positions, amplitude, spec.get("pairing", "half"))


def dump(made, compute="float32", store=None, change=None, extra=None):
    """cos.npy and sin.npy of a rope, made when the case runs."""
    def files():
        cos, sin = made().tables(np.dtype(compute).type)
        if change:
            cos, sin = change(cos, sin)
        out = {"cos.npy": rm.stored(cos, store or compute), "sin.npy": rm.stored(sin, store or compute)}
        return out | (extra() if extra else {})
    return files


TABLES = ["--cos", "cos.npy", "--sin", "sin.npy"]


def table_case(name, arguments, spec, positions, expected, **more):
    keys = {key: more.pop(key) for key in ("compute", "store", "change", "extra") if key in more}
    mutate = more.pop("mutate", lambda r: r)
    return Case(name, [*arguments, *TABLES], dump(lambda: mutate(rope(spec, positions)), **keys), expected, **more)


def right():
    n = 1200
    for name, spec in MODELS.items():
        arguments = ["--model", name]
        for store in ("float64", "float32", "bfloat16") + (("float16",) if spec["d"] < 128 else ()):
            compute = "float64" if store == "float64" else "float32"
            yield table_case(f"right/{name}/{store}", arguments, spec, range(n), "agrees", compute=compute, store=store)
    for name in SCALED:
        arguments, spec = options(name)
        for store in ("float64", "float32", "float16", "bfloat16"):
            yield table_case(f"right/scaling-{name}/{store}", arguments, spec, range(n), "agrees",
                             compute="float64" if store == "float64" else "float32", store=store)
    for amplitude in (1.1, 1.19, 1.3, 1.7, 0.7):
        yield table_case(f"right/attention factor {amplitude}/float32", [*QWEN_YARN, "--attention-factor", str(amplitude)],
                         QWEN_SPEC | dict(amplitude=amplitude), range(n), "agrees")
    for store in ("bfloat16-cut", "bfloat16-twice"):
        yield table_case(f"right/llama-2-7b/{store}", ["--model", "llama-2-7b"], MODELS["llama-2-7b"], range(n), "agrees",
                         store=store)
    for n in (1, 2, 7, 8000):
        yield table_case(f"right/llama-2-7b/n{n}", ["--model", "llama-2-7b"], MODELS["llama-2-7b"], range(n), "agrees")
    torch = lambda r: r.but(frequency=rm.ladder32(128, 1e4))
    yield table_case("right/llama-2-7b/float32 ladder", PLAIN, PLAIN_SPEC, range(4096), "agrees", mutate=torch)
    yield table_case("right/llama-2-7b/far", [*PLAIN, "--positions", "100000:100511"], PLAIN_SPEC, range(100000, 100512), "agrees",
                     mutate=torch)
    yield table_case("right/repeated half", PLAIN, PLAIN_SPEC, range(500), "agrees",
                     change=lambda c, s: (rm.repeated(c, "half"), rm.repeated(s, "half")))
    signed = lambda c, s: (rm.repeated(c, "half"), np.concatenate([-s, s], 1))
    yield table_case("right/signs in the sine", PLAIN, PLAIN_SPEC, range(500), "agrees", change=signed)


def singles():
    n = range(1500)
    llama2, llama3 = MODELS["llama-2-7b"], MODELS["llama-3.1-8b"]
    two, three = ["--model", "llama-2-7b"], ["--model", "llama-3.1-8b"]
    base_tie = {("scaling-kind",): "a geometric ladder"}
    for base in (10001.0, 10050.0, 9000.0, 1e5, 5e5, 1e6, 592.7):
        yield table_case(f"base/{base:g}", two, llama2 | dict(base=base), n, "base", parameters={"base": {"base": base}},
                         ties=base_tie)
    for base in (9000.0, 5e5):
        for store in ("bfloat16", "float16"):
            yield table_case(f"base/{base:g}/{store}", two, llama2 | dict(base=base), n, "base", store=store,
                             parameters={"base": {"base": base}})
    for shift in (1, -1, 17, 4096, 0.5):
        yield table_case(f"offset/{shift}", two, llama2, np.arange(1500) + shift, "position-offset",
                         parameters={"position-offset": {"offset": [shift]}})
    for scale in (2, 0.5, 1.001, math.pi / 180, 2 * math.pi, 3.7):
        yield table_case(f"scale/{scale:.4g}", two, llama2, np.arange(1500) * scale, "position-scale",
                         parameters={"position-scale": {"factor": [scale]}})
    for amplitude in (1.1, 0.5, 2, 1.0005):
        yield table_case(f"amplitude/{amplitude}", two, llama2 | dict(amplitude=amplitude), n, "amplitude",
                         parameters={"amplitude": {"amplitude": amplitude}})
    yield table_case("amplitude/one only", two, llama2, n, ("amplitude", UNKNOWN), change=lambda c, s: (1.3 * c, s))
    yield table_case("amplitude/yarn missing", QWEN_YARN, QWEN_SPEC | dict(amplitude=1.0), n, "amplitude")
    yield table_case("amplitude/yarn squared", QWEN_YARN, QWEN_SPEC | dict(amplitude=rm.mscale(4) ** 2), n, "amplitude")
    yield table_case("sign/all", two, llama2, n, "sign", change=lambda c, s: (c, -s))
    yield table_case("sign/cos", two, llama2, n, (UNKNOWN, "amplitude", "sign"), change=lambda c, s: (-c, s))
    for kind in ("bfloat16", "float16"):
        m = 4096
        yield table_case(f"position-format/{kind}", two, llama2, rm.rounded(np.arange(m), kind), "position-format",
                         parameters={"position-format": {"format": kind}})
        yield table_case(f"frequency-format/{kind}", two, llama2, n, "frequency-format",
                         parameters={"frequency-format": {"format": kind}},
                         mutate=lambda r, kind=kind: r.but(frequency=rm.rounded(r.frequency, kind)))
        yield table_case(f"angle-format/{kind}", two, llama2, n, "angle-format", compute="float64",
                         parameters={"angle-format": {"format": kind}},
                         mutate=lambda r, kind=kind: RoundedAngles(r, kind))
    yield table_case("ladder/from one", two, llama2 | dict(shift=1), n, "frequency-ladder")
    yield table_case("ladder/inclusive", two, llama2 | dict(kind="inclusive"), n, "frequency-ladder")
    yield table_case("ladder/exponent i over d", two, llama2 | dict(base=100.0), n, "base", parameters={"base": {"base": 100.0}})
    yield table_case("ladder/backwards", two, llama2, n, "frequency-ladder", parameters={"frequency-ladder": {"kind": "reversed"}},
                     mutate=lambda r: r.but(frequency=r.frequency[::-1]),
                     ties={("base", "position-scale"): "b^(-(n-1-i)2/d) is the ladder of 1/b, slower by b^(-(d-2)/d)",
                           ("position-scale", "base"): "the same"})
    for name, d, head in (("pythia-6.9b", 32, 128), ("phi-2", 32, 80), ("gpt-j-6b", 64, 256)):
        yield table_case(f"rotary-dimension/{name}", ["--model", name], MODELS[name] | dict(over=head), n, "rotary-dimension")
    yield table_case("rotary-dimension/fraction not applied", ["--model", "pythia-6.9b"], dict(d=128, base=1e4), n,
                     "rotary-dimension", verdicts=("disagrees",), codes=(1, 2))
    yield table_case("rotary-dimension/fraction applied twice", ["--model", "pythia-6.9b"], dict(d=8, base=1e4), n,
                     "rotary-dimension", verdicts=("disagrees",), codes=(1, 2))
    for name in ("llama-3.1-8b", "llama-3.2-1b-instruct", "gemma-3-4b-it", "gpt-oss-20b", "deepseek-v3", "olmo-3.1-32b-instruct"):
        spec = {key: MODELS[name][key] for key in MODELS[name] if key not in ("kind", "amplitude")}
        yield table_case(f"scaling-missing/{name}", ["--model", name], spec, n, "scaling-missing",
                         ties={("scaling-missing", "amplitude"): "both are missing", ("amplitude", "scaling-missing"): "both"})
    for name in SCALED:
        arguments, spec = options(name)
        extra = {("base",): "ntk is a base"} if name == "ntk-aware" else {}
        yield table_case(f"scaling-missing/{name}", arguments, dict(d=spec["d"], base=1e4), n, "scaling-missing",
                         ties=extra | {("scaling-missing", "amplitude"): "both", ("amplitude", "scaling-missing"): "both"})
    kinds = {"linear": dict(kind="linear"), "ntk": dict(kind="ntk"), "yarn": dict(kind="yarn", amplitude=1.0),
             "by-parts": dict(kind="by-parts"), "llama3": dict(kind="llama3")}
    also = {("scaling-kind", "amplitude"): "no amplitude either", ("amplitude", "scaling-kind"): "no amplitude either"}
    for asked in ("yarn", "llama3", "ntk-by-parts"):
        arguments, spec = options(asked)
        for kind, change in kinds.items():
            if kind != asked and not asked.endswith(kind):
                more = dict(also)
                if kind == "linear":
                    more[("position-scale",)] = more[("position-scale", "amplitude")] = "frequencies divided, or positions"
                yield table_case(f"scaling-kind/{asked} as {kind}", arguments, spec | change, n, "scaling-kind", ties=more)
    yield table_case("scaling-kind/linear as ntk", options("linear")[0], options("linear")[1] | dict(kind="ntk"), n, "scaling-kind",
                     ties={("base",): "ntk is a base"})
    for what, change in (("factor 16", dict(factor=16.0)), ("L 4096", dict(trained=4096)), ("high 8", dict(high=8.0)),
                         ("low 2", dict(low=2.0))):
        yield table_case(f"scaling-parameters/llama3 {what}", three, llama3 | change, n, "scaling-parameters")
    arguments, spec = options("yarn")
    for what, change in (("factor 8", dict(factor=8.0)), ("L 2048", dict(trained=2048)), ("fast 16", dict(fast=16.0)),
                         ("slow 4", dict(slow=4.0)), ("not truncated", dict(truncate=False))):
        yield table_case(f"scaling-parameters/yarn {what}", arguments, spec | change, n, "scaling-parameters",
                         ties={("scaling-parameters", "amplitude"): "the amplitude follows the factor"})
    yield table_case("scaling-parameters/gpt-oss truncated", ["--model", "gpt-oss-20b"],
                     MODELS["gpt-oss-20b"] | dict(truncate=True),
                     n, "scaling-parameters")
    yield table_case("scaling-parameters/linear 8", options("linear")[0], dict(d=128, base=1e4, kind="linear", factor=8.0), n,
                     "scaling-parameters", parameters={"scaling-parameters": {"factor": 8.0}})
    yield table_case("scaling-parameters/ntk 8", options("ntk-aware")[0], dict(d=128, base=1e4, kind="ntk", factor=8.0), n,
                     "scaling-parameters")
    arguments, spec = options("ntk-by-parts")
    yield table_case("scaling-parameters/by-parts 4", arguments, spec | dict(factor=4.0), n, "scaling-parameters")
    arguments, spec = options("longrope")
    yield table_case("length-switch/longrope short", arguments, spec | dict(length=100), n, "length-switch")
    yield table_case("length-switch/longrope long", [*arguments[:-6], "--length", "2048", *arguments[-4:]], spec, n,
                     "length-switch")
    arguments, spec = options("dynamic")
    yield table_case("length-switch/dynamic 16384", arguments, spec | dict(length=16384), n, "length-switch")
    yield table_case("scaling-missing/dynamic at trained", arguments, spec | dict(length=4096), n, "scaling-missing",
                     ties={("length-switch",): "a dynamic base at another length"})


class RoundedAngles:
    """A rope whose products are rounded before their cosines are taken."""

    def __init__(self, made, kind):
        self.made, self.kind = made, kind

    def tables(self, kind):
        angle = rm.rounded(self.made.angles(), self.kind)
        return np.cos(angle).astype(kind), np.sin(angle).astype(kind)


FREQUENCY = {
    "base": ("base", dict(base=5e5), None),
    "ladder": ("frequency-ladder", dict(shift=1), None),
    "inclusive": ("frequency-ladder", dict(kind="inclusive"), None),
    "format": ("frequency-format", {}, lambda r: r.but(frequency=rm.rounded(r.frequency, "bfloat16"))),
}
IDS = {
    "offset": ("position-offset", lambda p: p + 3),
    "scale": ("position-scale", lambda p: p * 4.0),
    "format": ("position-format", lambda p: rm.rounded(p, "bfloat16")),
}
VALUES = {
    "amplitude": ("amplitude", lambda c, s: (1.25 * c, 1.25 * s)),
    "sign": ("sign", lambda c, s: (c, -s)),
    "pairing": ("pairing", lambda c, s: (rm.repeated(c, "interleaved"), rm.repeated(s, "interleaved"))),
}


def twos():
    n = np.arange(2000, dtype=np.float64)
    spec = MODELS["llama-2-7b"]
    for store in ("float32", "bfloat16"):
        for a, (ids_cause, move) in IDS.items():
            for b, (frequency_cause, change, mutate) in FREQUENCY.items():
                more = {"mutate": mutate} if mutate else {}
                ties = {}
                if a == b == "format":
                    ties = {("position-format",): "position-format is of ids and frequencies alike"}
                if a == "scale" and b == "ladder":
                    ties = {("position-scale",): "a ladder from one is a scale: 4 · b^(-2/d)", ("frequency-ladder",): "both scale"}
                if a == "scale" and b == "inclusive":
                    ties = {("base", "position-scale"): "inclusive spacing is a base", ("position-scale", "base"): "the same"}
                yield table_case(f"two/{a} + {b}/{store}", ["--model", "llama-2-7b"], spec | change, move(n),
                                 (ids_cause, frequency_cause), store=store, both=True, ties=ties, **more)
            for b, (value_cause, change) in VALUES.items():
                yield table_case(f"two/{a} + {b}/{store}", ["--model", "llama-2-7b"], spec, move(n), (ids_cause, value_cause),
                                 store=store, both=True, change=change)
        for b, (frequency_cause, change, mutate) in FREQUENCY.items():
            more = {"mutate": mutate} if mutate else {}
            for v, (value_cause, values) in VALUES.items():
                yield table_case(f"two/{b} + {v}/{store}", ["--model", "llama-2-7b"], spec | change, n,
                                 (frequency_cause, value_cause), store=store, both=True, change=values, **more)
    plain = dict(d=128, base=5e5)
    three = ["--model", "llama-3.1-8b"]
    for a, (ids_cause, move) in IDS.items():
        more = {("position-scale",): "two scales"} if a == "scale" else {}
        yield table_case(f"two/{a} + scaling-missing", three, plain, move(n), (ids_cause, "scaling-missing"), both=True, ties=more)
        yield table_case(f"two/{a} + scaling-parameters", three, MODELS["llama-3.1-8b"] | dict(factor=32.0), move(n),
                         (ids_cause, "scaling-parameters"), both=True)
    asked = {name: (["--model", name], MODELS[name]) for name in ("llama-3.1-8b", "gpt-oss-20b", "deepseek-v3", "gemma-3-4b-it",
                                                                   "olmo-3.1-32b-instruct")} | {"qwen yarn": (QWEN_YARN, QWEN_SPEC)}
    for name, (arguments, spec_of) in asked.items():
        for rows in (400, 2000):
            for store in ("float32", "bfloat16"):
                tail = f"{name}, {rows} rows/{store}"
                yield table_case(f"two/base + offset, {tail}", arguments, spec_of | dict(base=2e6), np.arange(rows) + 7.0,
                                 ("base", "position-offset"), both=True, store=store)
                yield table_case(f"two/factor + offset, {tail}", arguments, spec_of | dict(factor=6.0), np.arange(rows) + 7.0,
                                 ("scaling-parameters", "position-offset"), both=True, store=store,
                                 ties={("scaling-parameters", "position-offset", "amplitude"): "the amplitude follows the factor"})
    for v, (value_cause, values) in VALUES.items():
        yield table_case(f"two/scaling-missing + {v}", three, plain, n, ("scaling-missing", value_cause), both=True, change=values)
    yield table_case("two/amplitude + table-format", ["--model", "llama-2-7b"], spec, n, "amplitude", store="bfloat16",
                     change=VALUES["amplitude"][1])


def odd():
    """Noise, garbage, mistakes that have no name."""
    n = np.arange(1000, dtype=np.float64)
    spec, two = MODELS["llama-2-7b"], ["--model", "llama-2-7b"]

    def noisy(size, seed=1):
        def change(c, s):
            random = np.random.default_rng(seed)
            return c + random.normal(0, size, c.shape), s + random.normal(0, size, s.shape)
        return change

    def slightly(size):
        def change(c, s):
            random = np.random.default_rng(2)
            return c * (1 + random.normal(0, size, c.shape)), s * (1 + random.normal(0, size, s.shape))
        return change

    for size, expected in ((1e-1, UNKNOWN), (1e-3, UNKNOWN), (1e-5, UNKNOWN)):
        yield table_case(f"noise/{size:g}/float32", two, spec, n, expected, compute="float64", store="float32", change=noisy(size))
    for store, size in (("float32", 2e-9), ("bfloat16", 1e-4), ("bfloat16", 1e-5), ("float16", 1e-5)):
        yield table_case(f"noise/relative {size:g}/{store}", two, spec, n, "agrees", compute="float64", store=store,
                         change=slightly(size))
    yield table_case("noise/1e-2/bfloat16", two, spec, n, UNKNOWN, store="bfloat16", change=noisy(1e-2))
    yield table_case("noise/1e-9/float64", two, spec, n, ("agrees", UNKNOWN), compute="float64", change=noisy(1e-9))
    yield table_case("noise/1e-2 beside a base", two, spec | dict(base=5e5), n, (UNKNOWN, "base"), change=noisy(1e-2))

    def one_cell(c, s):
        c = c.copy()
        c[700, 13] += 0.01
        return c, s

    def jump(p):
        return np.where(p >= 600, p + 7, p)

    yield table_case("odd/one cell", two, spec, n, UNKNOWN, change=one_cell)
    yield table_case("odd/jump", two, spec, jump(n), UNKNOWN)
    yield table_case("odd/two sequences packed", two, spec, n % 500, "position-offset",
                     parameters={"position-offset": {"kind": "restart", "rows": 500}})
    yield table_case("odd/left padding", two, spec, np.maximum(n - 37, 0), "position-offset",
                     parameters={"position-offset": {"kind": "left-padded", "rows": 37}})
    yield table_case("odd/every token twice", two, spec, n // 2, (UNKNOWN, "position-scale"))
    yield table_case("odd/backwards", two, spec, n[::-1], ("order", UNKNOWN),
                     ties={("position-offset", "sign"): "999 - n", ("sign", "position-offset"): "999 - n",
                           ("position-scale", "position-offset"): "999 - n", ("position-offset", "position-scale"): "999 - n"})
    yield table_case("odd/all at one place", two, spec, n * 0 + 5, (UNKNOWN, "position-scale", "position-offset"))
    yield table_case("odd/cos is 1, sin is 0", two, spec, n * 0, (UNKNOWN, "position-scale"))
    yield table_case("odd/zeros", two, spec, n, (UNKNOWN, "amplitude"), change=lambda c, s: (c * 0, s * 0))
    yield table_case("odd/cos and sin exchanged", two, spec, n, "cos-sin-exchanged", change=lambda c, s: (s, c))
    yield table_case("odd/sin twice", two, spec, n, UNKNOWN, change=lambda c, s: (s, s))
    yield table_case("odd/half of the pairs still", two, spec, n, "rotary-dimension",
                     mutate=lambda r: r.but(frequency=np.where(np.arange(64) < 32, r.frequency, 0)))
    yield table_case("odd/sine of another base", two, spec, n, UNKNOWN,
                     change=lambda c, s: (c, rope(spec | dict(base=5e5), n).tables(np.float32)[1]))
    random = np.random.default_rng(7)
    yield table_case("odd/random numbers", two, spec, n, UNKNOWN,
                     change=lambda c, s: (random.normal(size=c.shape), random.normal(size=c.shape)))

    def holes(value):
        def change(c, s):
            c = c.copy()
            c[300, 5] = value
            return c, s
        return change

    yield table_case("odd/nan", two, spec, n, UNKNOWN, change=holes(np.nan), codes=(1, 2))
    yield table_case("odd/inf", two, spec, n, UNKNOWN, change=holes(np.inf), codes=(1, 2))
    shapes = {"one pair less": lambda c, s: (c[:, :-1], s[:, :-1]), "sin shorter": lambda c, s: (c, s[:-1]),
              "one number": lambda c, s: (c[:1, :1], s[:1, :1]), "no rows": lambda c, s: (c[:0], s[:0]), "flat": lambda c,
              s: (c.ravel(), s.ravel())}
    for name, change in shapes.items():
        yield table_case(f"shape/{name}", two, spec, n, (UNUSABLE, UNKNOWN, "rotary-dimension", "length"), change=change, codes=(1,
                         2))
    yield table_case("shape/turned", two, spec, n, "table-transposed", change=lambda c, s: (c.T,
                     s.T))
    yield table_case("shape/five axes", two, spec, n, ("agrees", UNUSABLE), codes=(0, 2),
                     change=lambda c, s: (c[None, None, None], s[None, None, None]))
    yield table_case("shape/batch axis", two, spec, n, "agrees", change=lambda c, s: (c[None], s[None]))
    yield table_case("length/positions given", [*two, "--positions", "0:1023"], spec, n, (UNUSABLE, "length"), codes=(1, 2))
    yield Case("garbage/text as npy", [*two, *TABLES], lambda: {"cos.npy": b"not an array", "sin.npy": b""}, UNUSABLE)
    yield Case("garbage/cut npy", [*two, *TABLES], lambda: {"cos.npy": b"\x93NUMPY\x01\x00v\x00{'descr': '<f4', ", "sin.npy": b"x"},
               UNUSABLE)
    yield Case("garbage/no file", [*two, *TABLES], lambda: {}, UNUSABLE)
    yield Case("garbage/nothing given", two, lambda: {}, UNUSABLE)


def files():
    """Files of every kind, frequencies, vectors before and after."""
    spec, two = MODELS["llama-2-7b"], ["--model", "llama-2-7b"]
    n = np.arange(300, dtype=np.float64)
    good, bad = rope(spec, n), rope(spec | dict(base=5e5), n)
    for name, made, expected in (("right", good, "agrees"), ("base", bad, "base")):
        cos, sin = (t.astype(np.float32) for t in made.tables())
        yield Case(f"file/npz {name}", [*two, "--cos", "t.npz:cos", "--sin", "t.npz:sin"],
                   lambda cos=cos, sin=sin: {"t.npz": {"cos": cos, "sin": sin}}, expected)
        for kind in ("F32", "BF16"):
            def tensors(cos=cos, sin=sin, kind=kind):
                keep = rm.bfloat16 if kind == "BF16" else np.asarray
                return {"t.safetensors": {"cos": (keep(cos), kind), "sin": (keep(sin), kind)}}
            yield Case(f"file/safetensors {kind} {name}", [*two, "--cos", "t.safetensors:cos", "--sin", "t.safetensors:sin"],
                       tensors, expected)
        yield Case(f"file/csv {name}", [*two, "--cos", "cos.csv", "--sin", "sin.csv"],
                   lambda cos=cos, sin=sin: {"cos.csv": cos, "sin.csv": sin}, expected)
        yield Case(f"file/complex {name}", [*two, "--table", "t.npy"],
                   lambda cos=cos, sin=sin: {"t.npy": (cos + 1j * sin).astype(np.complex64)}, expected)
        yield Case(f"file/matrices {name}", [*two, "--table", "t.npy"],
                   lambda cos=cos, sin=sin: {"t.npy": np.stack([cos, -sin, sin, cos], -1).reshape(*cos.shape, 2, 2)}, expected)
        yield Case(f"file/fortran order {name}", [*two, *TABLES],
                   lambda cos=cos, sin=sin: {"cos.npy": np.asfortranarray(cos), "sin.npy": np.asfortranarray(sin)}, expected)
        yield Case(f"file/big endian {name}", [*two, *TABLES],
                   lambda cos=cos, sin=sin: {"cos.npy": cos.astype(">f4"), "sin.npy": sin.astype(">f4")}, (expected, UNUSABLE),
                   codes=(0, 1, 2))
        yield Case(f"file/against {name}", [*TABLES, "--against-cos", "other.npy", "--against-sin", "more.npy"],
                   lambda cos=cos, sin=sin: {"cos.npy": cos, "sin.npy": sin,
                                             "other.npy": good.tables()[0], "more.npy": good.tables()[1]},
                   "agrees" if name == "right" else DISAGREES)
    frequency = {"right": ("agrees", {}), "base": ("base", dict(base=5e5)), "from one": ("frequency-ladder", dict(shift=1))}
    for name, (expected, change) in frequency.items():
        for store in ("float64", "float32", "bfloat16"):
            if store == "bfloat16":
                expected = "frequency-format" if name == "right" else ("frequency-format", expected)
            yield Case(f"frequencies/{name}/{store}", [*two, "--frequencies", "f.npy"],
                       lambda c=change, store=store: {"f.npy": rm.stored(frequencies(spec | c)[0], store)}, expected,
                       both=not isinstance(expected, str))
    long = 10000.0 ** (-np.arange(96) / 64)
    for count in (1, 32, 63, 65, 96):
        yield Case(f"frequencies/{count} of 64", [*two, "--frequencies", "f.npy"],
                   lambda count=count: {"f.npy": long[:count].astype(np.float32)}, "length",
                   parameters={"length": {"pairs": count}})
        if 32 <= count < 96:
            yield table_case(f"tables/{count} of 64 pairs", two, spec, n, "length", parameters={"length": {"pairs": count}},
                             mutate=lambda r, count=count: rm.text_rope(long[:count], r.ids[:, 0], pairing=r.pairing))
    for name, again in (("whole", np.tile), ("by neighbours", np.repeat)):
        yield Case(f"frequencies/twice, {name}", [*two, "--frequencies", "f.npy"],
                   lambda again=again: {"f.npy": again(frequencies(spec)[0], 2).astype(np.float32)}, "agrees")
    for name in ("llama-3.1-8b", "gemma-3-4b-it", "gpt-oss-20b"):
        for wrong in (False, True):
            change = dict(kind=None, amplitude=1.0) if wrong else {}
            yield Case(f"frequencies/{name} {'plain' if wrong else 'right'}", ["--model", name, "--frequencies", "f.npy"],
                       lambda name=name, c=change: {"f.npy": frequencies(MODELS[name] | c)[0].astype(np.float32)},
                       "scaling-missing" if wrong else "agrees")
    for name, ids, expected in (("right", n, "agrees"), ("one-based", n + 1, "position-offset"), ("doubled", 2 * n,
                                "position-scale")):
        for kind in ("int64", "int32", "float32"):
            yield Case(f"ids/{name}/{kind}", [*two, "--ids", "ids.npy"],
                       lambda ids=ids, kind=kind: {"ids.npy": ids.astype(kind)}, expected)
        yield Case(f"ids/{name}/csv", [*two, "--ids", "ids.csv"],
                   lambda ids=ids: {"ids.csv": ids.astype(int)[:, None]}, expected)
    yield from vectors()


def vectors():
    def made(spec, positions, kind="float32", heads=3, pairing="half", head=128, amplitude=1.0):
        def files():
            random = np.random.default_rng(3)
            before = random.normal(size=(len(positions), heads, head))
            before = rm.stored(before, kind).astype(np.float64)
            cos, sin = rope(spec, positions).tables()
            after = rm.rotate(before, cos * amplitude, sin * amplitude, pairing)
            return {"q.npz": {"q": rm.stored(before, kind), "after": rm.stored(after, kind)}}
        return files
    spec, n = MODELS["llama-2-7b"], np.arange(200, dtype=np.float64)
    two = ["--model", "llama-2-7b", "--before", "q.npz:q", "--after", "q.npz:after", "--q-layout", "thd"]
    for kind in ("float64", "float32", "float16", "bfloat16"):
        yield Case(f"vectors/right/{kind}", two, made(spec, n, kind), "agrees")
        yield Case(f"vectors/pairing/{kind}", two, made(spec, n, kind, pairing="interleaved"), "pairing")
        yield Case(f"vectors/base/{kind}", two, made(spec | dict(base=5e5), n, kind), "base")
    yield Case("vectors/offset", two, made(spec, n + 1), "position-offset")
    yield Case("vectors/amplitude", two, made(spec, n, amplitude=1.2), "amplitude")
    yield Case("vectors/not rotated", two, made(spec, n * 0), (UNKNOWN, "position-scale", DISAGREES))
    yield Case("vectors/conjugate", two, made(spec, -n), "sign")
    yield Case("vectors/base and pairing", two, made(spec | dict(base=5e5), n, pairing="interleaved"), ("base", "pairing"),
               both=True)
    yield Case("vectors/offset and amplitude", two, made(spec, n + 1, amplitude=1.2), ("position-offset", "amplitude"), both=True)

    def mismatch():
        random = np.random.default_rng(3)
        q = random.normal(size=(200, 2, 128)).astype(np.float32)
        cos, sin = (rm.repeated(t, "interleaved").astype(np.float32)[:, None] for t in rope(spec, n).tables())
        turned = np.concatenate([-q[:, :, 64:], q[:, :, :64]], -1)
        return {"q.npz": {"q": q, "after": q * cos + turned * sin}}
    yield Case("vectors/table and rotation differ", two, mismatch, "table-rotation-mismatch")
    neox = MODELS["pythia-6.9b"]
    pythia = ["--model", "pythia-6.9b", "--before", "q.npz:q", "--after", "q.npz:after", "--q-layout", "thd"]
    yield Case("vectors/partial right", pythia, made(neox, n), "agrees")
    yield Case("vectors/partial, head in the exponent", pythia, made(neox | dict(over=128), n), "rotary-dimension")
    yield Case("vectors/partial, all turned", pythia, made(dict(d=128, base=1e4), n), "rotary-dimension")
    yield Case("vectors/yarn without amplitude", ["--model", "gpt-oss-20b", *two[2:]],
               made(MODELS["gpt-oss-20b"] | dict(amplitude=1.0), n, head=64), "amplitude")


def all_cases():
    for group in (right, singles, twos, odd, files):
        yield from group()
