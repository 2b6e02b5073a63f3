"""What tables tell pair by pair and row by row: ramps of YaRN, Llama 3, LongRoPE and by-parts made otherwise, and rows that stand
elsewhere in runs (packed sequences, padding, slices of context parallelism, axes that stand still).

Each expectation was written down from the published rules before the answer was seen.
"""

import math

import numpy as np

import image_cases
import rope_math as rm
from case import Case, DISAGREES, UNUSABLE
from image_cases import LAYOUTS
from text_cases import LONG, MODELS, QWEN_SPEC, QWEN_YARN, TABLES, frequencies, options, rope, table_case

N = np.arange(1500, dtype=np.float64)
LLAMA = ["--model", "llama-2-7b"], MODELS["llama-2-7b"]
THREE = ["--model", "llama-3.1-8b"], MODELS["llama-3.1-8b"]
OSS = ["--model", "gpt-oss-20b"], MODELS["gpt-oss-20b"]
DEEP = ["--model", "deepseek-v3"], MODELS["deepseek-v3"]
SMALL = ["--model", "llama-3.2-1b-instruct"], MODELS["llama-3.2-1b-instruct"]
QWEN = QWEN_YARN, QWEN_SPEC


def place(d, base, trained, turns):
    return d * math.log(trained / (turns * 2 * math.pi)) / (2 * math.log(base))


def ramp_of(low, high, pairs):
    """1 up to pair `low`, 0 from pair `high` on, as the released code has it."""
    return 1 - np.clip((np.arange(pairs) - low) / (high - low if high != low else 0.001), 0, 1)


def of_yarn(spec, fast=32.0, slow=1.0, floor=math.floor, ceil=math.ceil):
    d = spec["d"]
    low, high = place(d, spec["base"], spec["trained"], fast), place(d, spec["base"], spec["trained"], slow)
    return max(floor(low), 0), min(ceil(high), d - 1)


def kept_by_yarn(spec, **more):
    if not spec.get("truncate", True):
        more = dict(floor=float, ceil=float) | more
    return ramp_of(*of_yarn(spec, **more), spec["d"] // 2)


def kept_by_llama(spec):
    return rm.turns_ramp(spec["d"], spec["base"], spec["trained"], spec.get("low", 1.0), spec.get("high", 4.0))


def frequencies_case(name, asked, made, expected, positions=N, **more):
    """The frequencies in place of a rope's, as tables and as a list."""
    arguments, spec = asked
    yield table_case(f"row/{name}", arguments, spec, positions, expected, mutate=lambda r: r.but(frequency=made), **more)
    yield Case(f"row/{name}, listed", [*arguments, "--frequencies", "f.npy"], lambda: {"f.npy": made.astype(np.float32)}, expected,
               **more)


def kind(name, cause="scaling-kind", **more):
    return {cause: dict(kind=name, **more)}


def ramps():
    for name, asked, kept in (("qwen yarn", QWEN, kept_by_yarn), ("gpt-oss", OSS, kept_by_yarn), ("deepseek v3", DEEP, kept_by_yarn),
                              ("llama 3.1", THREE, kept_by_llama), ("llama 3.2", SMALL, kept_by_llama)):
        spec = asked[1]
        d, base, factor = spec["d"], spec["base"], spec["factor"]
        plain, part = rm.ladder(d, base), kept(spec)
        blend = lambda fast, slow, by=part: by * fast + (1 - by) * slow
        yield from frequencies_case(f"{name}: right", asked, blend(plain, plain / factor), "agrees")
        yield from frequencies_case(f"{name}: mask inverted", asked, blend(plain, plain / factor, 1 - part), "scaling-kind",
                                    parameters=kind("inverted"))
        yield from frequencies_case(f"{name}: (s b)^(-2i/d) interpolated", asked, blend(plain, rm.ladder(d, base * factor)),
                                    "scaling-kind", parameters=kind("interpolated-base"))
        yield from frequencies_case(f"{name}: ntk interpolated", asked, blend(plain, rm.ntk(d, base, factor)), "scaling-kind",
                                    parameters=kind("interpolated-ntk"))
        yield from frequencies_case(f"{name}: ntk kept", asked, blend(rm.ntk(d, base, factor), plain / factor), "scaling-kind",
                                    parameters=kind("kept-ntk"))
        yield from frequencies_case(f"{name}: multiplied", asked, blend(plain, plain * factor), "scaling-kind")
        yield from frequencies_case(f"{name}: divided by the square", asked, blend(plain, plain / factor ** 2), "scaling-parameters",
                                    parameters={"scaling-parameters": dict(factor=factor ** 2)})
        yield from frequencies_case(f"{name}: twice", asked, blend(plain, plain / factor) ** 2 / plain, "scaling-kind",
                                    parameters=kind("twice"))
        yield from frequencies_case(f"{name}: wavelengths blended", asked, 1 / blend(1 / plain, factor / plain), "scaling-kind",
                                    parameters=kind("wavelengths"))
        # A factor as large as beta_fast makes this the ramp in turns.
        yield from frequencies_case(f"{name}: logarithms blended", asked, plain * factor ** -(1 - part), "scaling-kind",
                                    parameters={} if name == "gpt-oss" else kind("geometric"))
        middle = int(np.argmin(np.abs(part - 0.5)))
        step = np.where(np.arange(d // 2) < middle, plain, plain / factor)
        yield from frequencies_case(f"{name}: a step in the middle", asked, step, ("scaling-kind", "scaling-parameters"))
        only = blend(plain, plain / factor)
        only[-5:] = plain[-5:]
        yield from frequencies_case(f"{name}: the last pairs left plain", asked, only, "scaling-kind", parameters=kind("part"))
    for name, asked in (("qwen yarn", QWEN), ("deepseek v3", DEEP)):
        spec = asked[1]
        d, base, factor = spec["d"], spec["base"], spec["factor"]
        plain = rm.ladder(d, base)
        exchanged = kept_by_yarn(spec, fast=1.0, slow=32.0)
        yield from frequencies_case(f"{name}: betas exchanged", asked, exchanged * plain + (1 - exchanged) * plain / factor,
                                    "scaling-kind", parameters=kind("exchanged"))
        inward = kept_by_yarn(spec, floor=math.ceil, ceil=math.floor)
        yield from frequencies_case(f"{name}: bounds rounded inwards", asked, inward * plain + (1 - inward) * plain / factor,
                                    ("scaling-kind", "scaling-parameters"))
        both = kept_by_yarn(spec, floor=math.floor, ceil=math.floor)
        yield from frequencies_case(f"{name}: both bounds rounded down", asked, both * plain + (1 - both) * plain / factor,
                                    ("scaling-kind", "scaling-parameters"))
        low, high = of_yarn(spec)
        odd = ramp_of(low - 3, high + 5, d // 2)
        yield from frequencies_case(f"{name}: bounds of other numbers", asked, odd * plain + (1 - odd) * plain / factor,
                                    "scaling-kind", parameters=kind("bounds", low=low - 3, high=high + 5))
        for what, other in (("ntk", base * factor ** (d / (d - 2))), ("product", base * factor)):
            yield from frequencies_case(f"{name}: on the base of {what}", asked, frequencies(spec | dict(base=other))[0],
                                        ("scaling-kind", "base"))
    three = THREE[1]
    plain, smooth = rm.ladder(128, 5e5), kept_by_llama(three)
    other_way = np.where((smooth > 0) & (smooth < 1), 1 - smooth, smooth)
    yield from frequencies_case("llama 3.1: smooth the other way", THREE, other_way * plain + (1 - other_way) * plain / 8,
                                "scaling-kind", parameters=kind("inverted"))
    wave = 2 * math.pi / plain
    by_wave = np.clip((8192 - wave) / (8192 - 2048), 0, 1)
    yield from frequencies_case("llama 3.1: linear in the wavelength", THREE, by_wave * plain + (1 - by_wave) * plain / 8,
                                "scaling-kind", parameters=kind("wavelengths"))
    two = np.clip((8192 / wave - 2) / (16 - 2), 0, 1)
    yield from frequencies_case("llama 3.1: low 2 and high 16", THREE, two * plain + (1 - two) * plain / 8, "scaling-kind",
                                parameters=kind("bounds", low=2, high=16))
    arguments, spec = options("longrope")
    plain, list_of = rm.ladder(96, 1e4), np.array(LONG)
    for what, made, name in (("multiplied", plain * list_of, "multiplied"), ("twice", plain / list_of ** 2, "twice"),
                             ("from the end", plain / list_of[::-1], "reversed"),
                             ("one pair late", plain / np.concatenate([list_of[:1], list_of[:-1]]), "shifted")):
        yield from frequencies_case(f"longrope: {what}", (arguments, spec), made, "scaling-kind", parameters=kind(name))
    half = plain / list_of
    half[:20] = plain[:20]
    yield from frequencies_case("longrope: the first pairs left plain", (arguments, spec), half, "scaling-kind",
                                parameters=kind("part"))
    arguments, spec = options("linear")
    half = rm.ladder(128, 1e4)
    half[32:] /= 4
    yield from frequencies_case("linear: the second half alone", (arguments, spec), half, "scaling-kind", parameters=kind("part"))
    yield from frequencies_case("llama 2: the exponent's sign", LLAMA, 1e4 ** (np.arange(64) / 64), "frequency-ladder",
                                positions=np.arange(300), parameters=kind("reciprocal", "frequency-ladder"))


def both_inputs(name, positions, expected, asked=LLAMA, **more):
    arguments, spec = asked
    for store in ("float32", "bfloat16"):
        yield table_case(f"row/{name}/{store}", arguments, spec, positions, expected, store=store, **more)
    yield Case(f"row/{name}, ids", [*arguments, "--ids", "ids.npy"], lambda: {"ids.npy": np.asarray(positions).astype(np.int64)},
               expected, **more)


def offset(**what):
    return {"position-offset": what}


def rows():
    packed = np.concatenate([np.arange(n) for n in (700, 13, 250, 537)])
    yield from both_inputs("packed: four sequences", packed, "position-offset", parameters=offset(kind="restart"))
    many = np.concatenate([np.arange(n) for n in (17, 33, 9, 81, 25, 40, 7, 60) * 5])
    yield from both_inputs("packed: forty sequences", many, "position-offset", parameters=offset(kind="restart"))
    yield from both_inputs("packed: long", np.concatenate([np.arange(3000), np.arange(6001), np.arange(2048)]), "position-offset",
                           THREE, parameters=offset(kind="restart"))
    yield from both_inputs("packed: again from 1", np.where(N < 600, N, N - 599), "position-offset")
    yield from both_inputs("chunks of 256", N % 256, "position-offset", parameters=offset(kind="wrapped", rows=256))
    zigzag = np.concatenate([np.arange(512, 768), np.arange(3328, 3584)])
    yield from both_inputs("context parallel: rank 2 of 8, zig-zag", zigzag, "position-offset",
                           parameters=offset(kind="slice", rows=[0, 256], positions=[512, 3328]))
    first = np.concatenate([np.arange(256), np.arange(3840, 4096)])
    yield from both_inputs("context parallel: rank 0 of 8, zig-zag", first, "position-offset", THREE,
                           parameters=offset(kind="slice", rows=[0, 256], positions=[0, 3840]))
    yield from both_inputs("context parallel: rank 3 of 4 in stripes", np.arange(3, 2048, 4), ("position-offset", "position-scale"))
    yield from both_inputs("halves exchanged", np.concatenate([np.arange(300, 600), np.arange(300)]), "position-offset",
                           parameters=offset(kind="slice", rows=[0, 300], positions=[300, 0]))
    yield from both_inputs("padded on the left by ones", np.where(N < 123, 1, N - 123), "position-offset",
                           parameters=offset(kind="left-padded"))
    yield from both_inputs("padded on the right by ones", np.where(N < 900, N, 1), "position-offset",
                           parameters=offset(kind="right-padded"))
    yield from both_inputs("padded on the right by zeros", np.where(N < 900, N, 0), "position-offset",
                           parameters=offset(kind="right-padded"))
    yield from both_inputs("an image counts as one", np.where(N < 40, N, np.maximum(N - 575, 40)), "position-offset",
                           parameters=offset(kind="rows"))
    yield from both_inputs("heads for tokens: each position 8 times", N // 8, "position-offset",
                           parameters=offset(kind="repeats", rows=8))
    yield from both_inputs("a batch of two, row by row", np.repeat(np.arange(700), 2), ("position-offset", "position-scale"))
    yield from both_inputs("from the last to the first", np.arange(799, -1, -1), ("position-offset", "order"))
    yield from both_inputs("right", N, "agrees")
    for name, text in (("file", "cumulative:lengths.npy"), ("list", "cumulative:0,700,713,963,1500")):
        arguments, spec = LLAMA
        files = lambda: image_cases.dump(lambda: rope(spec, packed))() | {"lengths.npy": np.array([0, 700, 713, 963, 1500])}
        yield Case(f"row/cumulative lengths of a {name}: right", [*arguments, "--positions", text, *TABLES], files, "agrees")
    yield Case("row/cumulative lengths: sequences in one line", [*LLAMA[0], "--positions", "cumulative:0,700,1500", *TABLES],
               image_cases.dump(lambda: rope(LLAMA[1], N)), "position-offset")
    for bad in ("cumulative:5,3", "cumulative:0,2.5", "cumulative:", "cumulative:0,-4"):
        yield Case(f"row/cumulative lengths: {bad}", [*LLAMA[0], "--positions", bad, *TABLES],
                   image_cases.dump(lambda: rope(LLAMA[1], N)), UNUSABLE)


def heads():
    def turned(order):
        def files():
            made = rope(LLAMA[1], np.arange(32))
            before = np.random.default_rng(3).normal(size=(300, 32, 128))
            cos, sin = made.tables()
            after = rm.rotate(before.swapaxes(0, 1), cos, sin, "half").swapaxes(0, 1)
            both = {"before.npy": before, "after.npy": after}
            return {name: np.ascontiguousarray(q if order == "thd" else q.swapaxes(0, 1), np.float32) for name, q in both.items()}
        return files
    for order in ("thd", "htd"):
        yield Case(f"row/heads: turned by their numbers, {order}", [*LLAMA[0], "--before", "before.npy", "--after", "after.npy",
                   "--q-layout", order], turned(order), "position-offset", parameters=offset(kind="heads"))


def changed(layout, size, change, **more):
    """The ids of a layout after change(rope, ids)."""
    def make():
        made = layout.rope(*size, **more)
        ids = made.ids.copy()
        change(made, ids)
        return made.but(ids=ids)
    return make


def axes():
    flux, wan, qwen = LAYOUTS["flux.1"], LAYOUTS["wan"], LAYOUTS["qwen2-vl"]

    def case(name, layout, change, expected, **more):
        size = layout.sizes[0]
        for store in ("float32", "bfloat16"):
            yield image_cases.table_case(f"row/axes: {name}/{store}", layout.arguments(*size), changed(layout, size, change), expected,
                                         store, **more)

    def still(made, ids):
        ids[:, 0] = 0

    def flat(made, ids):
        where = made.where("image")
        ids[where] = np.arange(where.sum())[:, None]

    def flat_columns(made, ids):
        where = made.where("image")
        ids[where, 1], ids[where, 2] = 0, np.arange(where.sum())

    def all_t(made, ids):
        ids[:] = ids[:, :1]

    def of_heads(made, ids):
        where = made.where("image")
        ids[where] = (np.arange(where.sum()) // 8)[:, None]

    yield from case("wan, t stands still", wan, still, "position-offset", parameters=offset(kind="still"))
    yield from case("wan, every axis takes t", wan, all_t, ("position-offset", DISAGREES))
    yield from case("flux.1, flat ids", flux, flat, ("position-offset", "order"))
    yield from case("flux.1, flat ids on the columns", flux, flat_columns, "position-offset", parameters=offset(kind="flat"))
    yield from case("flux.1, every axis takes t", flux, all_t, ("position-offset", "position-scale"))
    yield from case("qwen2-vl, flat ids", qwen, flat, ("position-offset", "order", "collision"))
    yield from case("flux.1, ids of heads", flux, of_heads, "position-offset", parameters=offset(kind="repeats"))
    yield from case("flux.1, right", flux, lambda made, ids: None, "agrees")


def all_cases():
    for group in (ramps, rows, heads, axes):
        yield from group()
