"""Seeded draws: a layout or a text rope, a size, a format, and one or two mistakes of different groups."""

import numpy as np

import image_cases
import text_cases
from image_cases import CHANNELS, FREQUENCIES, IDS, LAYOUTS, VALUES, table_case

FORMATS = ("float64", "float32", "float32", "bfloat16", "float16")


def images(count, seed):
    random = np.random.default_rng(seed)
    for number in range(count):
        name = str(random.choice(image_cases.PLAIN))
        layout = LAYOUTS[name]
        h, w = (int(x) for x in random.integers(5, 40, 2))
        w += h == w
        groups = [[(what, fault) for what, fault in group.items() if name in fault[2]] for group in (IDS, FREQUENCIES, CHANNELS)]
        values = [(what, fault) for what, fault in VALUES.items() if name in fault[2]]
        kind = random.choice(["none", "one", "one", "two", "two", "value"])
        made, causes, whats, change, ties = None, [], [], None, {}
        picks = [g for g in groups if g]
        if kind in ("one", "two", "value"):
            group = picks[random.integers(len(picks))]
            what, (cause, make, _) = group[random.integers(len(group))]
            made = make
            causes.append(cause)
            whats.append(what)
            ties |= image_cases.ties_of(layout, what, h, w)
            if kind == "two" and group is groups[0] and len(groups[1]):
                other, (second, alter, _) = groups[1][random.integers(len(groups[1]))]
                first = make
                made = lambda l, a, b, first=first, alter=alter: first(l, a, b).but(frequency=alter(l, a, b).frequency)
                causes.append(second)
                whats.append(other)
                ties = image_cases.pair_ties(layout, what, other)
            elif kind in ("two", "value"):
                kept = [v for v in values if (cause, v[0]) != ("axis-dimensions", "pairing")]    # two of one group are not searched
                other, (second, change, _) = kept[random.integers(len(kept))]
                causes.append(second)
                whats.append(other)
                ties = {}
        store = str(random.choice(FORMATS))
        made = made or image_cases.same
        yield table_case(f"random/{number} {name} {h}x{w} {' + '.join(whats) or 'right'}/{store}", layout.arguments(h, w),
                         lambda m=made, l=layout, h=h, w=w: m(l, h, w),
                         tuple(causes) if len(causes) > 1 else causes[0] if causes else "agrees",
                         store, change, both=len(causes) > 1, ties=ties)


def texts(count, seed):
    random = np.random.default_rng(seed)
    for number in range(count):
        d = 2 * int(random.integers(8, 129))
        base = float(np.round(10 ** random.uniform(2.5, 7)))
        spec = dict(d=d, base=base)
        arguments = ["--dim", str(d), "--base", f"{base:.0f}", "--pairing", "half"]
        kind = str(random.choice(["none", "linear", "ntk-aware", "ntk-by-parts", "yarn", "llama3"]))
        factor, trained = float(random.choice([2, 3, 4, 8, 10, 32])), int(random.choice([2048, 4096, 8192, 32768]))
        if kind != "none":
            spec |= dict(kind={"ntk-aware": "ntk", "ntk-by-parts": "by-parts"}.get(kind, kind), factor=factor, trained=trained)
            arguments += ["--scaling", kind, "--factor", str(factor), "--trained-length", str(trained)]
            arguments += ["--attention-factor", "1"] if kind == "yarn" else []
            spec |= dict(amplitude=1.0)
        faults = {"right": (None, {}, None, None), "base": ("base", dict(base=base * 3), None, None),
                  "offset": ("position-offset", {}, lambda p: p + 7, None), "scale": ("position-scale", {}, lambda p: p * 1.5,
                  None),
                  "amplitude": ("amplitude", {}, None, lambda c, s: (0.9 * c, 0.9 * s)),
                  "sign": ("sign", {}, None, lambda c, s: (c, -s))}
        pairs = [("base", "offset"), ("base", "amplitude"), ("offset", "amplitude"), ("scale", "amplitude"), ("offset", "sign")]
        picked = pairs[random.integers(len(pairs))] if random.random() < 0.5 else (str(random.choice(list(faults))),)
        causes, positions, change, wrong = [], np.arange(int(random.integers(64, 2000)), dtype=np.float64), None, dict(spec)
        for what in picked:
            cause, changes, move, values = faults[what]
            causes += [cause] if cause else []
            wrong |= changes
            positions = move(positions) if move else positions
            change = values or change
        ties = {}
        if kind == "linear":
            ties = {tuple("scaling-parameters" if c == "position-scale" else c for c in causes): "linear and a scale are one"}
        if kind == "ntk-aware":
            ties = {tuple("scaling-parameters" if c == "base" else c for c in causes): "ntk and a base are one"}
        store = str(random.choice(FORMATS))
        yield text_cases.table_case(f"random/{number} text d {d} b {base:g} {kind} {' + '.join(picked)}/{store}", arguments, wrong,
                                    positions, tuple(causes) if len(causes) > 1 else causes[0] if causes else "agrees",
                                    compute="float64" if store == "float64" else "float32", store=store, change=change,
                                    both=len(causes) > 1, ties=ties, verdicts=("agrees",) if picked == ("sign",) else ())


def all_cases():
    yield from images(70, 2026)
    yield from texts(70, 2027)
