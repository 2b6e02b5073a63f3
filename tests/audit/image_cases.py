"""Invented ports of image and video models: each layout right at several sizes, each mistake alone, mistakes in twos, ids."""

import numpy as np

import rope_math as rm
from case import Case, UNKNOWN, UNUSABLE

TABLES = ["--cos", "cos.npy", "--sin", "sin.npy"]


class Layout:
    """A layout at a size: the options of ropescope, and the outsider's own rope."""

    def __init__(self, name, make, sizes, dims=None, base=None, rows=1, text=False, frames=False, options=()):
        self.name, self.make, self.sizes, self.dims, self.base = name, make, sizes, dims, base
        self.rows, self.text, self.frames, self.options = rows, text, frames, list(options)

    def arguments(self, h, w, text=24, frames=3):
        out = ["--layout", self.name, "--grid", f"{h}x{w}", *self.options]
        out += ["--text", str(text)] if self.text else []
        return out + (["--frames", str(frames)] if self.frames else [])

    def rope(self, h, w, text=24, frames=3, **changes):
        lead = (frames,) if self.frames else ()
        return self.make(*lead, h, w, *((text,) if self.text else ()), **changes)


LAYOUTS = {layout.name: layout for layout in (
    Layout("flux.1", rm.flux1, [(20, 31), (16, 16), (1, 40)], (16, 56, 56), 1e4, text=True),
    Layout("flux.2", rm.flux2, [(20, 31), (16, 16)], (32, 32, 32, 32), 2e3, text=True),
    Layout("qwen-image", rm.qwen_image, [(20, 32), (21, 33), (16, 16)], (16, 56, 56), 1e4, text=True),
    Layout("wan", rm.wan, [(12, 17), (10, 10)], (44, 42, 42), 1e4, frames=True),
    Layout("hunyuan-video", rm.hunyuan, [(12, 17), (10, 10)], (16, 56, 56), 256.0, frames=True),
    Layout("cogview4", rm.cogview4, [(20, 31), (16, 16)], (64, 64), 1e4, rows=0),
    Layout("lumina-2", rm.lumina2, [(20, 31), (16, 16)], (32, 32, 32), 1e4, text=True),
    Layout("z-image", rm.z_image, [(20, 31), (16, 16)], (32, 48, 48), 256.0, text=True),
    Layout("ernie-image", rm.ernie_image, [(20, 31), (16, 16)], (32, 48, 48), 256.0, text=True),
    Layout("ltx-video", rm.ltx, [(6, 9), (5, 5)], frames=True),
    Layout("vit-axial", rm.vit_axial, [(20, 31), (14, 14)], (32, 32), 100.0, rows=0),
    Layout("dinov3", rm.dinov3, [(20, 31), (14, 14), (15, 15)], (32, 32), 100.0, rows=0),
    Layout("torchtune-vision", lambda h, w, **more: rm.torchtune(h, w, head=88, **more), [(16, 16)], (44, 44), 1e4, rows=0),
    Layout("lucidrains-axial", lambda h, w, **more: rm.lucidrains(h, w, 32, 10, **more), [(20, 31)], rows=0,
           options=["--max-frequency", "10"]),
    Layout("pixtral", rm.pixtral, [(20, 31), (16, 16)], (32, 32), 1e4, rows=0),
    Layout("qwen2-vl", lambda h, w, text, **more: rm.mrope(h, w, text, 9, **more), [(20, 31), (16, 16)], rows=1, text=True,
           options=["--text-after", "9"]),
    Layout("qwen3-vl", lambda h, w, text, **more: rm.mrope(h, w, text, 9, **({"sections": (24, 20, 20), "base": 5e6,
           "interleaved": True} | more)), [(20, 31)], rows=1, text=True, options=["--text-after", "9"]),
)}


def dump(made, store="float32", change=None, compute=None):
    def files():
        cos, sin = made().tables(np.dtype(compute or ("float64" if store == "float64" else "float32")).type)
        if change:
            cos, sin = change(cos, sin)
        return {"cos.npy": rm.stored(cos, store), "sin.npy": rm.stored(sin, store)}
    return files


def table_case(name, arguments, made, expected, store="float32", change=None, compute=None, **more):
    return Case(name, [*arguments, *TABLES], dump(made, store, change, compute), expected, **more)


def right():
    for layout in LAYOUTS.values():
        for i, (h, w) in enumerate(layout.sizes):
            for store in ("float64", "float32", "float16", "bfloat16") if i == 0 else ("float32",):
                yield table_case(f"image right/{layout.name} {h}x{w}/{store}", layout.arguments(h, w),
                                 lambda layout=layout, h=h, w=w: layout.rope(h, w), "agrees", store)
        h, w = layout.sizes[0]
        for store in ("bfloat16-cut", "bfloat16-twice") if layout.name in ("flux.1", "wan", "dinov3", "qwen2-vl") else ():
            yield table_case(f"image right/{layout.name} {h}x{w}/{store}", layout.arguments(h, w),
                             lambda layout=layout, h=h, w=w: layout.rope(h, w), "agrees", store)
    refs = ["--reference-grid", "10x12", "--reference-grid", "7x9"]
    for name in ("flux.2", "qwen-image"):
        layout = LAYOUTS[name]
        yield table_case(f"image right/{name} with references", [*layout.arguments(20, 31), *refs],
                         lambda layout=layout: layout.rope(20, 31, references=[(10, 12), (7, 9)]), "agrees")
    yield table_case("image right/kontext", ["--layout", "flux.1-kontext", "--grid", "20x31", "--text", "24", "--reference-grid",
                                             "47x87"], lambda: rm.flux1(20, 31, 24, [(47, 87)]), "agrees")
    yield table_case("image right/lucidrains pixel", ["--layout", "lucidrains-axial", "--grid", "20x31", "--max-frequency", "256"],
                     lambda: rm.lucidrains(20, 31, pixel=256), "agrees", "float64")
    yield table_case("image right/lucidrains default", ["--layout", "lucidrains-axial", "--grid", "20x31"],
                     lambda: rm.lucidrains(20, 31, pixel=10), "agrees", "float64")
    yield table_case("image right/custom", ["--layout", "custom", "--axes", "t:16,row:24,column:24", "--base", "500", "--grid",
                                            "20x31"], lambda: rm.joined([("image", rm.plane(20, 31))], (16, 24, 24), 500.0),
                                            "agrees")
    yield table_case("image right/raster", ["--layout", "raster", "--grid", "20x31"],
                     lambda: rm.text_rope(rm.ladder(128, 1e4), range(620)), "agrees")
    big = LAYOUTS["flux.1"]
    yield table_case("image right/flux.1 64x64", big.arguments(64, 64, 512), lambda: big.rope(64, 64, 512), "agrees",
                     threads=(1, 2, 5))


# Mistakes. Each takes a layout and a size, and gives a rope, or None where it cannot be made there.


def shifted(part, amount):
    def make(layout, h, w):
        rope = layout.rope(h, w)
        ids = rope.ids.copy()
        ids[rope.where(part)] += amount(layout, rope.ids.shape[1])
        return rope.but(ids=ids)
    return make


def spatial(amount_row, amount_column):
    def amounts(layout, axes):
        out = np.zeros(axes)
        out[layout.rows:layout.rows + 2] = amount_row, amount_column
        return out
    return amounts


def scaled(row, column):
    def make(layout, h, w):
        rope = layout.rope(h, w)
        factor = np.ones(rope.ids.shape[1])
        factor[layout.rows:layout.rows + 2] = row, column
        return rope.but(ids=rope.ids * factor)
    return make


def columns_swapped(layout, h, w, text=24):
    rope = layout.rope(h, w, text)
    order = list(range(rope.ids.shape[1]))
    a = layout.rows
    order[a], order[a + 1] = order[a + 1], order[a]
    return rope.but(ids=rope.ids[:, order])


def sides_exchanged(layout, h, w):
    return layout.rope(w, h)


def padded_width(layout, h, w):
    """i // W', i % W' with the width of a padded latent."""
    rope = layout.rope(h, w)
    ids, image, row = rope.ids.copy(), rope.where("image"), layout.rows
    first = ids[image][0, row:row + 2]
    number = np.arange(image.sum()) % (h * w)
    ids[image, row], ids[image, row + 1] = first[0] + number // (w + 3), first[1] + number % (w + 3)
    return rope.but(ids=ids)


def rows_negated(layout, h, w):
    rope = layout.rope(h, w)
    ids = rope.ids.copy()
    ids[rope.where("image"), layout.rows] *= -1
    return rope.but(ids=ids)


def image_order(permute):
    def make(layout, h, w):
        rope = layout.rope(h, w)
        where = np.flatnonzero(rope.where("image"))
        frames = len(where) // (h * w)
        cells = where.reshape(frames, h, w)
        ids = rope.ids.copy()
        ids[where] = rope.ids[permute(cells).ravel()]
        return rope.but(ids=ids)
    return make


def serpentine(cells):
    out = cells.copy()
    out[:, 1::2] = out[:, 1::2, ::-1]
    return out


def image_first(layout, h, w):
    rope = layout.rope(h, w)
    order = np.argsort(~rope.where("image"), kind="stable")
    if np.array_equal(order, np.arange(len(order))):
        order = np.argsort(rope.where("image"), kind="stable")
    return rope.but(ids=rope.ids[order])


def base_of(factor):
    return lambda layout, h, w: layout.rope(h, w, base=layout.base * factor) if layout.base else None


def base_of_rows(layout, h, w):
    bases = [layout.base] * len(layout.dims)
    bases[layout.rows] *= 5
    return layout.rope(h, w, base=bases)


def ladder_changed(make):
    def build(layout, h, w):
        rope = layout.rope(h, w)
        frequency, _ = rm.axial(layout.dims, layout.base, make)
        return rope.but(frequency=frequency)
    return build


def frequency_rounded(kind):
    return lambda layout, h, w: (lambda r: r.but(frequency=rm.rounded(r.frequency, kind)))(layout.rope(h, w))


def ids_rounded(kind):
    return lambda layout, h, w: (lambda r: r.but(ids=rm.rounded(r.ids, kind)))(layout.rope(h, w))


def dims_rotated(layout, h, w):
    return layout.rope(h, w, dims=(*layout.dims[1:], layout.dims[0]))


def clamped(layout, h, w):
    rope = layout.rope(h, w)
    ids = rope.ids.copy()
    ids[:, layout.rows + 1] = np.minimum(ids[:, layout.rows + 1], 0.6 * ids[:, layout.rows + 1].max() // 1)
    return rope.but(ids=ids)


def same(layout, h, w):
    return layout.rope(h, w)


def interleave(c, s):
    return rm.repeated(c, "half"), rm.repeated(s, "half")


def louder(c, s):
    return 1.2 * c, 1.2 * s


def conjugate(c, s):
    return c, -s


PLAIN = ("flux.1", "flux.2", "qwen-image", "wan", "hunyuan-video", "lumina-2", "z-image", "ernie-image", "vit-axial")
DIMS_DIFFER = ("flux.1", "qwen-image", "wan", "hunyuan-video", "z-image", "ernie-image")
IDS = {
    "scale rows": ("position-scale", scaled(2, 1), PLAIN),
    "scale both": ("position-scale", scaled(0.5, 0.5), ("flux.1", "wan", "z-image")),
    "columns swapped": ("axes-swapped", columns_swapped, PLAIN),
    "sides exchanged": ("axes-swapped", sides_exchanged, PLAIN),
    "column-major": ("order", image_order(lambda cells: cells.transpose(0, 2, 1)), PLAIN),
    "serpentine": ("order", image_order(serpentine), PLAIN),
    "upside down": ("order", image_order(lambda cells: cells[:, ::-1]), ("flux.1", "wan", "z-image")),
    "image first": ("order", image_first, ("flux.1", "flux.2", "qwen-image", "lumina-2")),
    "image last": ("order", image_first, ("z-image", "ernie-image")),
    "frames fastest": ("order", image_order(lambda cells: cells.transpose(1, 2, 0)), ("wan", "hunyuan-video")),
    "one-based image": ("position-offset", shifted("image", spatial(1, 1)), ("flux.1", "flux.2", "lumina-2", "z-image", "wan",
                                                                            "vit-axial")),
    "rows off by 3": ("position-offset", shifted("image", spatial(3, 0)), ("flux.1", "hunyuan-video", "ernie-image")),
    "all off by 2": ("position-offset", shifted("", lambda layout, axes: 2 * np.ones(axes)), ("flux.2", "qwen-image", "wan")),
    "text off": ("text-start", shifted("text", lambda layout, axes: np.eye(axes)[0] * 5), ("lumina-2", "z-image", "flux.1",
                                                                                          "ernie-image")),
    "columns clamped": ("collision", clamped, ("flux.1", "wan", "z-image")),
}
FREQUENCIES = {
    "base": ("base", base_of(10), PLAIN + ("dinov3", "cogview4", "torchtune-vision")),
    "base of rows": ("base", base_of_rows, ("flux.1", "wan", "z-image", "vit-axial")),
    "ladder from one": ("frequency-ladder", ladder_changed(lambda d, b: rm.ladder(d, b, shift=1)), ("flux.1", "wan", "lumina-2",
                                                                                                     "vit-axial")),
    "inclusive": ("frequency-ladder", ladder_changed(rm.inclusive), ("flux.1", "flux.2", "z-image")),
    "head in the exponent": ("rotary-dimension", ladder_changed(lambda d, b: rm.ladder(d, b, over=128)), ("flux.1", "flux.2", "wan",
                                                                                                       "qwen-image")),
    "bfloat16 frequencies": ("frequency-format", frequency_rounded("bfloat16"), ("flux.1", "wan", "qwen-image", "cogview4")),
}
PORTS = {   # alone only: random_cases draws from the others
    "padded width": ("order", padded_width, PLAIN),
    "rows negated": ("position-scale", rows_negated, ("qwen-image", "flux.1", "wan")),
    "reversed": ("frequency-ladder", ladder_changed(lambda d, b: rm.ladder(d, b)[::-1]), PLAIN),
}
CHANNELS = {
    "other axes": ("axis-dimensions", dims_rotated, DIMS_DIFFER),
}
VALUES = {
    "pairing": ("pairing", interleave, ("flux.1", "qwen-image", "wan", "z-image")),
    "amplitude": ("amplitude", louder, PLAIN + ("dinov3", "ltx-video")),
    "sign": ("sign", conjugate, PLAIN),
}


def ties_of(layout, what, h, w):
    """Where the numbers of a mistake are those of another."""
    ties = {}
    if what == "columns swapped" and layout.dims and layout.dims[layout.rows] == layout.dims[layout.rows + 1]:
        ties[("axis-dimensions",)] = "blocks of one width: the axes' blocks exchanged"
        if h == w:
            ties[("order",)] = "on a square: tokens by columns"
    if what == "column-major" and h == w:
        ties[("axes-swapped",)] = "on a square: exchanged columns"
    if what == "ladder from one":
        ties[("position-scale",)] = "b^(-2/d) is a scale"
    if what == "inclusive":
        ties[("base",)] = "b^(d/(d-2)) is a base"
    if what == "head in the exponent":
        ties[("base",)] = "b^(d/H) is a base"
    return ties


def singles():
    for group in (IDS, FREQUENCIES, CHANNELS, PORTS):
        for what, (cause, make, names) in group.items():
            for i, name in enumerate(names):
                layout = LAYOUTS[name]
                h, w = layout.sizes[0]
                for store in ("float32", "bfloat16") if i == 0 else ("float32",):
                    yield table_case(f"image one/{name}: {what}/{store}", layout.arguments(h, w),
                                     lambda m=make, l=layout, h=h, w=w: m(l, h, w), cause, store, ties=ties_of(layout, what, h, w))
    for what, (cause, change, names) in VALUES.items():
        for name in names:
            layout = LAYOUTS[name]
            h, w = layout.sizes[0]
            yield table_case(f"image one/{name}: {what}", layout.arguments(h, w), lambda l=layout, h=h, w=w: l.rope(h, w), cause,
                             change=change)
    for name in PLAIN + ("dinov3", "cogview4"):
        layout = LAYOUTS[name]
        h, w = layout.sizes[0]
        if name != "cogview4":
            yield table_case(f"image one/{name}: other size", layout.arguments(h, w), lambda l=layout, h=h, w=w: l.rope(h + 3, w),
                             "length")
    square = LAYOUTS["flux.1"]
    for what in ("columns swapped", "column-major", "sides exchanged"):
        cause, make, _ = IDS[what]
        expected = {"columns swapped": cause, "column-major": "order", "sides exchanged": "agrees"}[what]
        yield table_case(f"image one/flux.1 square: {what}", square.arguments(16, 16), lambda m=make: m(square, 16, 16), expected,
                         ties=ties_of(square, what, 16, 16))
    wide = LAYOUTS["flux.1"]
    for kind in ("bfloat16",):
        yield table_case(f"image one/flux.1 3x600: ids in {kind}", wide.arguments(3, 600), lambda k=kind: ids_rounded(k)(wide, 3,
                         600),
                         "position-format")
    yield table_case("image one/flux.1 20x200: ids in bfloat16", wide.arguments(20, 200), lambda: ids_rounded("bfloat16")(wide, 20,
                     200),
                     "agrees")
    yield from centred()
    yield from sections()
    yield from references()


def centred():
    layout = LAYOUTS["qwen-image"]
    for h, w in ((20, 32), (21, 33)):
        arguments = layout.arguments(h, w)
        yield table_case(f"image one/qwen-image {h}x{w}: not centred", arguments,
                         lambda h=h, w=w: rm.qwen_image(h, w, 24, centre=False, start=max(h // 2, w // 2)), "centring")
        yield table_case(f"image one/qwen-image {h}x{w}: not centred, text after", arguments,
                         lambda h=h, w=w: rm.qwen_image(h, w, 24, centre=False, start=max(h, w)), ("centring", "text-start"),
                         both=True)
        yield table_case(f"image one/qwen-image {h}x{w}: other middle", arguments,
                         lambda h=h, w=w: shifted("image", spatial(h - 2 * (h // 2), w - 2 * (w // 2)))(layout, h, w),
                         "centring" if h % 2 else "agrees", ties={("position-offset",): "a middle is a shift"})
        yield table_case(f"image one/qwen-image {h}x{w}: text from 0", arguments, lambda h=h, w=w: rm.qwen_image(h, w, 24, start=0),
                         "text-start", parameters={"text-start": {"start": 0}})
        yield table_case(f"image one/qwen-image {h}x{w}: text from the whole side", arguments,
                         lambda h=h, w=w: rm.qwen_image(h, w, 24, start=max(h, w)), "text-start")
        yield table_case(f"image one/qwen-image {h}x{w}: text one late", arguments,
                         lambda h=h, w=w: rm.qwen_image(h, w, 24, start=max(h // 2, w // 2) + 1), "text-start")


def sections():
    for name, wrong in (("qwen2-vl", dict(interleaved=True)), ("qwen3-vl", dict(interleaved=False))):
        layout = LAYOUTS[name]
        h, w = layout.sizes[0]
        arguments = layout.arguments(h, w)
        yield table_case(f"image one/{name}: sections", arguments, lambda l=layout, c=wrong: l.rope(20, 31, **c), "section-layout")
        yield table_case(f"image one/{name}: base", arguments, lambda l=layout: l.rope(20, 31, base=1e4), "base",
                         parameters={"base": {"base": 1e4}})
        yield table_case(f"image one/{name}: sections and base", arguments, lambda l=layout, c=wrong: l.rope(20, 31, base=1e4, **c),
                         ("section-layout", "base"), both=True)
        yield table_case(f"image one/{name}: other sections", arguments, lambda l=layout: l.rope(20, 31, sections=(32, 16, 16)),
                         ("axis-dimensions", "section-layout"))
        yield table_case(f"image one/{name}: text resumes after all tokens", arguments,
                         lambda l=layout: l.rope(20, 31, start=24 + 620), ("text-start", "position-offset"))
        yield table_case(f"image one/{name}: all positions one-dimensional", arguments,
                         lambda l=layout: one_line(l.rope(20, 31)), (UNKNOWN, "order", "position-offset"),
                         ties={("axis-dimensions", "length"): "an image of one row counts its columns on, here on all pairs"})


def one_line(rope):
    return rope.but(ids=np.repeat(np.arange(len(rope.ids), dtype=np.float64)[:, None], 3, 1))


def references():
    sides = [(10, 12), (7, 9)]
    refs = ["--reference-grid", "10x12", "--reference-grid", "7x9"]
    flux2, qwen = LAYOUTS["flux.2"], LAYOUTS["qwen-image"]

    def other_index(layout, indices):
        def make():
            rope = layout.rope(20, 31, references=sides)
            ids = rope.ids.copy()
            for i, index in enumerate(indices):
                ids[rope.where(f"reference{i + 1}"), 0] = index
            return rope.but(ids=ids)
        return make
    for indices in ((1, 2), (10, 10), (0, 10), (20, 30)):
        yield table_case(f"image one/flux.2: references at {indices}", [*flux2.arguments(20, 31), *refs], other_index(flux2,
                         indices),
                         "reference-index", parameters={"reference-index": {"indices": list(indices)}})
    yield table_case("image one/qwen-image: references at 0", [*qwen.arguments(20, 31), *refs], other_index(qwen, (0, 0)),
                     "reference-index")
    kontext = ["--layout", "flux.1-kontext", "--grid", "20x31", "--text", "24", "--reference-grid", "47x87"]

    def zero():
        rope = rm.flux1(20, 31, 24, [(47, 87)])
        return rope.but(ids=rope.ids * [0, 1, 1])
    yield table_case("image one/kontext: reference at 0", kontext, zero, "reference-index")
    yield table_case("image one/kontext: sides of the reference exchanged", kontext, lambda: rm.flux1(20, 31, 24, [(87, 47)]),
                     ("axes-swapped", UNKNOWN))

    def before():
        rope = flux2.rope(20, 31, references=sides)
        order = np.concatenate([np.flatnonzero(rope.where(p)) for p in ("text", "reference", "image")])
        return rope.but(ids=rope.ids[order])
    yield table_case("image one/flux.2: references before the image", [*flux2.arguments(20, 31), *refs], before, "order")


def twos():
    kept_ids = ("scale rows", "columns swapped", "column-major", "image first", "one-based image", "frames fastest", "text off")
    kept_frequencies = ("base", "ladder from one", "bfloat16 frequencies")
    for name in ("flux.1", "wan", "z-image", "lumina-2"):
        layout = LAYOUTS[name]
        h, w = layout.sizes[0]
        arguments = layout.arguments(h, w)
        ids = [(what, IDS[what]) for what in kept_ids if name in IDS[what][2]]
        frequencies = [(what, FREQUENCIES[what]) for what in kept_frequencies if name in FREQUENCIES[what][2]]
        values = [(what, VALUES[what]) for what in VALUES if name in VALUES[what][2]]
        for what, (cause, make, _) in ids:
            for other, (second, change, _) in frequencies:
                def both(make=make, change=change, layout=layout, h=h, w=w):
                    return make(layout, h, w).but(frequency=change(layout, h, w).frequency)
                yield table_case(f"image two/{name}: {what} + {other}", arguments, both, (cause, second), both=True,
                                 ties=pair_ties(layout, what, other))
            for other, (second, change, _) in values:
                yield table_case(f"image two/{name}: {what} + {other}", arguments, lambda m=make, l=layout, h=h, w=w: m(l, h, w),
                                 (cause, second), both=True, change=change, ties=pair_ties(layout, what, other))
        for what, (cause, make, _) in frequencies + ([("other axes", CHANNELS["other axes"])] if name in DIMS_DIFFER else []):
            for other, (second, change, _) in values:
                if (what, other) == ("other axes", "pairing"):
                    continue
                yield table_case(f"image two/{name}: {what} + {other}", arguments, lambda m=make, l=layout, h=h, w=w: m(l, h, w),
                                 (cause, second), both=True, change=change)


def pair_ties(layout, what, other):
    ties = {}
    if other == "ladder from one" and what == "scale rows":
        ties[("position-scale",)] = "b^(-2/d) is a scale of each axis"
    return ties


def ids():
    for name in ("flux.1", "qwen-image", "wan", "z-image", "flux.2", "dinov3"):
        layout = LAYOUTS[name]
        h, w = layout.sizes[0]
        makes = {"right": ("agrees", same)} | {what: IDS[what][:2] for what in ("columns swapped", "column-major", "image first",
                                                                                "one-based image", "text off", "frames fastest")
                                               if name in IDS[what][2]}
        for what, (cause, make) in makes.items():
            for kind in ("npy", "csv", "safetensors") if what == "right" else ("npy",):
                def files(make=make, layout=layout, h=h, w=w, kind=kind):
                    found = make(layout, h, w).ids
                    if kind == "safetensors":
                        return {"ids.safetensors": {"ids": (found.astype(np.float32), "F32")}}
                    return {f"ids.{kind}": found if layout.name == "dinov3" else found.astype(np.int64)}
                where = "ids.safetensors:ids" if kind == "safetensors" else f"ids.{kind}"
                yield Case(f"image ids/{name}: {what}/{kind}", [*layout.arguments(h, w), "--ids", where], files, cause,
                           ties=ties_of(layout, what, h, w))
    flux = LAYOUTS["flux.1"]
    yield Case("image ids/two columns of three", [*flux.arguments(20, 31), "--ids", "ids.npy"],
               lambda: {"ids.npy": flux.rope(20, 31).ids[:, 1:].astype(np.int32)}, (UNUSABLE, UNKNOWN), codes=(1, 2))
    yield Case("image ids/image alone", [*flux.arguments(20, 31), "--part", "image", "--ids", "ids.npy"],
               lambda: {"ids.npy": rm.plane(20, 31).astype(np.int32)}, "agrees")
    yield Case("image ids/batch axis", [*flux.arguments(20, 31), "--ids", "ids.npy"],
               lambda: {"ids.npy": flux.rope(20, 31).ids[None].astype(np.int64)}, "agrees")
    yield Case("image ids/beside tables, ids right and base wrong", [*flux.arguments(20, 31), "--ids", "ids.npy", *TABLES],
               lambda: dump(lambda: flux.rope(20, 31, base=500.0))() | {"ids.npy": flux.rope(20, 31).ids}, "base",
               parameters={"base": {"base": 500.0}})
    yield Case("image ids/matrices of FLUX", [*flux.arguments(20, 31), "--table", "pe.npy"], lambda: {"pe.npy": matrices(flux)},
               "agrees")


def matrices(layout):
    cos, sin = layout.rope(20, 31).tables(np.float32)
    return np.stack([cos, -sin, sin, cos], -1).reshape(1, 1, *cos.shape, 2, 2)


def noise():
    def noisy(size):
        def change(c, s):
            random = np.random.default_rng(11)
            return c + random.normal(0, size, c.shape), s + random.normal(0, size, s.shape)
        return change
    for name in ("flux.1", "wan", "qwen2-vl", "ltx-video"):
        layout = LAYOUTS[name]
        h, w = layout.sizes[0]
        yield table_case(f"image noise/{name}", layout.arguments(h, w), lambda l=layout, h=h, w=w: l.rope(h, w), UNKNOWN,
                         change=noisy(0.01), threads=(1, 2, 5) if name == "flux.1" else ())
        yield table_case(f"image noise/{name} shuffled tokens", layout.arguments(h, w),
                         lambda l=layout, h=h, w=w: shuffled(l.rope(h, w)), UNKNOWN)
    big = LAYOUTS["flux.1"]
    yield table_case("image noise/flux.1 64x56", big.arguments(64, 56, 512), lambda: shuffled(big.rope(64, 56, 512)), UNKNOWN,
                     threads=(1, 2, 5))
    yield table_case("image noise/wan 5x30x52", LAYOUTS["wan"].arguments(30, 52, frames=5),
                     lambda: LAYOUTS["wan"].rope(30, 52, frames=5), UNKNOWN, change=noisy(0.01))


def shuffled(rope):
    return rope.but(ids=np.random.default_rng(5).permutation(rope.ids))


def all_cases():
    for group in (right, singles, twos, ids, noise):
        yield from group()
