"""Sly inventions: right tables made in unusual ways, and wrong ones that must not be taken for a known mistake."""

import numpy as np

import image_cases
import rope_math as rm
import text_cases
from case import DISAGREES, UNKNOWN, UNUSABLE, Case
from image_cases import LAYOUTS
from text_cases import table_case

TWO = ["--model", "llama-2-7b"]
SPEC = dict(d=128, base=1e4)


def exponential(d, base):
    """exp(-ln(b) 2i/d), every step in float32."""
    step = np.float32(-np.log(base) / d)
    return np.exp(np.arange(0, d, 2, dtype=np.float32) * step).astype(np.float64)


def divided(d, base):
    """1 / b^(2i/d) with the power rounded, as many ports write it."""
    return (np.float32(1) / np.power(np.float32(base), (np.arange(0, d, 2) / d).astype(np.float32))).astype(np.float64)


def multiplied(d, base):
    """Each frequency the one before times a constant, in float32."""
    out, step = [np.float32(1)], np.float32(base ** (-2 / d))
    while len(out) < d // 2:
        out.append(out[-1] * step)
    return np.array(out, np.float64)


def right():
    for n in (2048, 32768):
        for name, ladder in (("exp", exponential), ("power", divided)):
            for base in (1e4, 5e5):
                arguments = ["--dim", "128", "--base", f"{base:.0f}", "--pairing", "half"]
                yield table_case(f"sly/right: {name}, base {base:g}, {n} rows", arguments, dict(d=128, base=base), range(n),
                                 "agrees",
                                 mutate=lambda r, l=ladder, b=base: r.but(frequency=l(128, b)))
    yield table_case("sly/right: float32 kept in float64", TWO, SPEC, range(900), "agrees", compute="float32", store="float64")
    yield table_case("sly/right: cos float32, sin bfloat16", TWO, SPEC, range(900), "agrees",
                     change=lambda c, s: (c, rm.bfloat16(s)))
    yield Case("sly/right: a file of float16 and one of float32", [*TWO, *text_cases.TABLES], mixed, "agrees")
    yield table_case("sly/right: [tokens, 1, 1, d]", TWO, SPEC, range(900), ("agrees", UNUSABLE), codes=(0, 2), change=lambda c,
                     s: (
        rm.repeated(c, "half")[:, None, None], rm.repeated(s, "half")[:, None, None]))
    alternate = lambda s: np.stack([-s, s], -1).reshape(len(s), -1)
    yield table_case("sly/right: signs in the sine, interleaved", ["--model", "gpt-j-6b"], text_cases.MODELS["gpt-j-6b"],
                     range(400),
                     "agrees", change=lambda c, s: (rm.repeated(c, "interleaved"), alternate(s)))
    yield Case("sly/right: positions of a file", [*TWO, "--positions", "p.npy", *text_cases.TABLES],
               text_cases.dump(lambda: text_cases.rope(SPEC, np.arange(50, 900, 3)), extra=lambda: {"p.npy": np.arange(50, 900,
                               3)}),
               "agrees")
    same = text_cases.dump(lambda: text_cases.rope(dict(d=128, base=777.0), range(300)))
    yield Case("sly/right: a file against itself", [*text_cases.TABLES, "--against-cos", "cos.npy", "--against-sin", "sin.npy"],
               same,
               "agrees")
    for amplitude in (1.0005, 1.001):
        yield table_case(f"sly/right: amplitude {amplitude} in bfloat16, below a unit", TWO, SPEC | dict(amplitude=amplitude),
                         range(900),
                         ("agrees", "amplitude"), store="bfloat16")


def mixed():
    cos, sin = text_cases.rope(SPEC, range(900)).tables(np.float32)
    return {"cos.npy": cos.astype(np.float16), "sin.npy": sin}


def wrong():
    n = np.arange(1000, dtype=np.float64)
    yield table_case("sly/wrong: 2n + 1", TWO, SPEC, 2 * n + 1, UNKNOWN,
                     ties={("position-offset", "position-scale"): "both", ("position-scale", "position-offset"): "both"})
    yield table_case("sly/wrong: frequencies by repeated products", TWO, SPEC, n, ("agrees", DISAGREES), codes=(0, 1),
                     mutate=lambda r: r.but(frequency=multiplied(128, 1e4)))
    one = lambda r: r.but(frequency=np.where(np.arange(64) == 20, r.frequency * 1.01, r.frequency))
    yield table_case("sly/wrong: one pair 1 % faster", TWO, SPEC, n, UNKNOWN, mutate=one)
    swap = lambda r: r.but(frequency=r.frequency[[1, 0, *range(2, 64)]])
    yield table_case("sly/wrong: two pairs exchanged", TWO, SPEC, n, UNKNOWN, mutate=swap)
    yield table_case("sly/wrong: pairs shifted by one", TWO, SPEC, n, UNKNOWN,
                     mutate=lambda r: r.but(frequency=np.roll(r.frequency, 1)))
    last = n.copy()
    last[-1] = 0
    yield table_case("sly/wrong: the last position is 0", TWO, SPEC, last, UNKNOWN)
    yield table_case("sly/wrong: second half of the channels of another base", TWO, SPEC, n, (DISAGREES, UNUSABLE),
                     change=lambda c, s: (
        np.concatenate([c, text_cases.rope(dict(d=128, base=5e5), n).tables(np.float32)[0]], 1), rm.repeated(s, "half")), codes=(1,
        2))

    def tail(value):
        def change(c, s):
            c, s = c.copy(), s.copy()
            c[900:], s[900:] = value, 0
            return c, s
        return change
    yield table_case("sly/wrong: zeros as padding", TWO, SPEC, n, UNKNOWN, change=tail(0))
    yield table_case("sly/wrong: padding at position 0", TWO, SPEC, n, UNKNOWN, change=tail(1))
    yield table_case("sly/wrong: positions stop at 511", TWO, SPEC, np.minimum(n, 511), "position-offset",
                     parameters={"position-offset": {"kind": "clamped", "rows": 511}})
    yield table_case("sly/wrong: positions wrap at 512", TWO, SPEC, n % 512, "position-offset")
    yield table_case("sly/wrong: positions squared", TWO, SPEC, n * n / 1000, UNKNOWN)
    yield table_case("sly/wrong: log of positions", TWO, SPEC, np.log1p(n), UNKNOWN)
    random = np.random.default_rng(9)
    yield table_case("sly/wrong: positions jittered", TWO, SPEC, n + random.normal(0, 0.1, 1000), UNKNOWN)
    yield table_case("sly/wrong: frequencies jittered", TWO, SPEC, n, UNKNOWN, mutate=lambda r: r.but(
        frequency=r.frequency * (1 + np.random.default_rng(9).normal(0, 0.01, 64))))
    yield table_case("sly/wrong: amplitude grows with the pair", TWO, SPEC, n, UNKNOWN,
                     change=lambda c, s: (c * np.linspace(1, 1.2, 64), s * np.linspace(1, 1.2, 64)))
    yield table_case("sly/wrong: amplitude grows with the position", TWO, SPEC, n, UNKNOWN,
                     change=lambda c, s: (c * np.linspace(1, 1.2, 1000)[:, None], s * np.linspace(1, 1.2, 1000)[:, None]))
    yield table_case("sly/wrong: xPos's decay", TWO, SPEC, n, UNKNOWN, change=decayed)
    yield table_case("sly/wrong: fourth root of the base in half of the pairs", TWO, SPEC, n, UNKNOWN, mutate=lambda r: r.but(
        frequency=np.where(np.arange(64) < 32, r.frequency, r.frequency ** 0.5)))
    yield table_case("sly/wrong: cos of the angle rounded to 8 bits", TWO, SPEC, n, (UNKNOWN, "table-format"),
                     change=lambda c, s: (np.round(c * 127) / 127, np.round(s * 127) / 127))
    for kind in ("bfloat16", "float16"):
        yield table_case(f"sly/wrong: ids and frequencies in {kind}", TWO, SPEC, rm.rounded(np.arange(4096), kind),
                         "position-format",
                         mutate=lambda r, k=kind: r.but(frequency=rm.rounded(r.frequency, k)))
    flux = LAYOUTS["flux.1"]
    yield image_cases.table_case("sly/wrong: one row of the image one down", flux.arguments(20, 31), lambda: row_moved(flux),
                                 (UNKNOWN, "collision"))
    yield image_cases.table_case("sly/wrong: rows and columns added", flux.arguments(20, 31), lambda: summed(flux), UNKNOWN)
    yield image_cases.table_case("sly/wrong: swapped and one-based", flux.arguments(20, 31), lambda: (lambda r: r.but(
        ids=r.ids + np.array([0, 1, 1]) * r.where("image")[:, None]))(image_cases.columns_swapped(flux, 20, 31)), DISAGREES)
    yield image_cases.table_case("sly/wrong: z-image, caption not padded, t after it", LAYOUTS["z-image"].arguments(20, 31),
                                 no_padding,
                                 DISAGREES, codes=(1, 2))


def uneven():
    """Numbers that nobody would guess, so that they must be fitted: in formats of few digits too."""
    faults = {"base": dict(base=12345.678), "scale": 1.23457, "offset": 3.2109, "amplitude": 1.23457}
    names = {"base": "base", "scale": "position-scale", "offset": "position-offset", "amplitude": "amplitude"}
    pairs = (("base",), ("scale",), ("offset",), ("amplitude",), ("base", "scale"), ("base", "offset"), ("base", "amplitude"),
             ("scale", "amplitude"), ("offset", "amplitude"))
    for rows in (300, 1500):
        for store in ("float32", "float16", "bfloat16"):
            for picked in pairs:
                n = np.arange(rows, dtype=np.float64)
                n = n * (faults["scale"] if "scale" in picked else 1) + (faults["offset"] if "offset" in picked else 0)
                loud = 1.23457 if "amplitude" in picked else 1.0
                yield table_case(f"sly/uneven: {' + '.join(picked)}, {rows} rows/{store}", TWO,
                                 SPEC | (faults["base"] if "base" in picked else {}), n,
                                 tuple(names[p] for p in picked) if len(picked) > 1 else names[picked[0]], both=len(picked) > 1,
                                 compute="float64", store=store, change=lambda c, s, k=loud: (k * c, k * s))


def uneven_and_whole():
    """One number to be fitted beside a whole one."""
    n = np.arange(500, dtype=np.float64)
    for store in ("float32", "float16", "bfloat16"):
        for base in (12345.678, 65543.78, 79642.5):
            for rows in (200, 500):
                yield table_case(f"sly/whole: base {base} + offset 7, {rows} rows/{store}", TWO, SPEC | dict(base=base),
                                 n[:rows] + 7,
                                 ("base", "position-offset"), both=True, store=store)
            yield table_case(f"sly/whole: base {base} + scale 2/{store}", TWO, SPEC | dict(base=base), n * 2,
                             ("base", "position-scale"), both=True, store=store)
        yield table_case(f"sly/whole: amplitude 1.23457 + offset 7/{store}", TWO, SPEC | dict(amplitude=1.23457), n + 7,
                         ("amplitude", "position-offset"), both=True, store=store)
    # Many pairs: what the search may compute is used up before it is there.
    for d, base, kind, factor, trained, rows, change, store in (
            (246, 32071.0, "ntk-by-parts", 8.0, 4096, 1000, "amplitude", "float64"),
            (240, 2388.0, "ntk-by-parts", 8.0, 8192, 1000, "amplitude", "float32"),
            (128, 32071.0, "ntk-by-parts", 8.0, 4096, 1000, "amplitude", "float64"),
            (234, 3011.0, "yarn", 4.0, 2048, 1622, "base", "float32"), (254, 525140.0, "yarn", 10.0, 32768, 1300, "base",
                                                                        "float32"),
            (192, 193128.0, "yarn", 3.0, 4096, 474, "base", "bfloat16")):
        spec = dict(d=d, base=base, kind="by-parts" if kind == "ntk-by-parts" else kind, factor=factor, trained=trained,
                    amplitude=1.0)
        arguments = ["--dim", str(d), "--base", f"{base:.0f}", "--pairing", "half", "--scaling", kind, "--factor", str(factor),
                     "--trained-length", str(trained), *(["--attention-factor", "1"] if kind == "yarn" else [])]
        yield table_case(f"sly/many pairs: {kind} of {d} channels, offset + {change}/{store}", arguments,
                         spec | (dict(amplitude=0.9) if change == "amplitude" else dict(base=3 * base)), np.arange(float(rows)) + 7,
                         ("position-offset", change), both=True, compute="float64", store=store)


def decayed(c, s):
    scale = ((2 * np.arange(64) / 128 + 0.4) / 1.4)[None] ** (np.arange(len(c))[:, None] / 512)
    return c * scale, s * scale


def row_moved(layout):
    rope = layout.rope(20, 31)
    ids = rope.ids.copy()
    ids[rope.where("image") & (ids[:, 1] == 7), 1] = 8
    return rope.but(ids=ids)


def summed(layout):
    rope = layout.rope(20, 31)
    ids = rope.ids.copy()
    ids[:, 1] += ids[:, 2]
    return rope.but(ids=ids)


def no_padding():
    words = np.zeros((24, 3))
    words[:, 0] = 1 + np.arange(24)
    return rm.joined([("image", rm.plane(20, 31, t=25.0)), ("text", words)], (32, 48, 48), 256.0)


def vectors():
    n = np.arange(200, dtype=np.float64)
    ask = [*TWO, "--before", "q.npz:q", "--after", "q.npz:after", "--q-layout", "thd"]

    def made(change, heads=3, spec=SPEC):
        def files():
            before = np.random.default_rng(3).normal(size=(200, heads, 128)).astype(np.float32).astype(np.float64)
            cos, sin = text_cases.rope(spec, n).tables()
            after = change(before, rm.rotate(before, cos, sin, "half"))
            return {"q.npz": {"q": before.astype(np.float32), "after": after.astype(np.float32)}}
        return files
    one_head = lambda before, after: np.where(np.arange(3)[None, :, None] == 2, before, after)
    yield Case("sly/vectors: one head not turned", ask, made(one_head), (UNKNOWN, DISAGREES))
    yield Case("sly/vectors: scaled by 1/sqrt(128)", ask, made(lambda b, a: a / 128 ** 0.5), "amplitude")
    yield Case("sly/vectors: heads exchanged", ask, made(lambda b, a: a[:, ::-1]), (UNKNOWN, DISAGREES))
    yield Case("sly/vectors: noise", ask, made(lambda b, a: a + np.random.default_rng(1).normal(0, 0.01, a.shape)), UNKNOWN)
    yield Case("sly/vectors: slight noise", ask, made(lambda b, a: a * (1 + 1e-9)), "agrees")
    yield Case("sly/vectors: after is zero", ask, made(lambda b, a: a * 0), (UNKNOWN, "amplitude"))
    yield Case("sly/vectors: before is zero too", ask, lambda: {"q.npz": {"q": np.zeros((200, 3, 128), np.float32),
                                                                         "after": np.zeros((200, 3, 128), np.float32)}},
               ("agrees", UNUSABLE), codes=(0, 2))
    yield Case("sly/vectors: only the first half turned", ask, made(lambda b, a: np.concatenate([a[:, :, :64], b[:, :, 64:]], -1)),
               (UNKNOWN, DISAGREES))


def all_cases():
    for group in (right, wrong, uneven, uneven_and_whole, vectors):
        yield from group()
