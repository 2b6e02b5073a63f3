"""Harder inventions: configs, few rows, layouts' own mistakes, vectors of layouts, unusable files, large tables."""

import json
import struct

import numpy as np

import image_cases
import rope_math as rm
import text_cases
from case import DISAGREES, UNKNOWN, UNUSABLE, Case
from image_cases import LAYOUTS, TABLES, table_case

TEXT = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "max_position_embeddings": 131072}
QWEN_VL = {"model_type": "qwen2_vl", "hidden_size": 3584, "num_attention_heads": 28, "rope_theta": 1e6,
           "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}, "max_position_embeddings": 32768}
PHI = {"model_type": "phi3", "hidden_size": 3072, "num_attention_heads": 32, "max_position_embeddings": 131072,
       "original_max_position_embeddings": 4096, "rope_theta": 10000.0,
       "rope_scaling": {"type": "longrope", "short_factor": text_cases.SHORT, "long_factor": text_cases.LONG}}

# A config, the rope that its model's code makes of it, and the arguments that a layout needs.
CONFIGS = {
    "llama3": (TEXT | {"rope_theta": 5e5, "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
                                                           "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}},
               dict(d=128, base=5e5, kind="llama3", factor=8.0, trained=8192)),
    "linear": (TEXT | {"rope_scaling": {"type": "linear", "factor": 4.0}}, dict(d=128, base=1e4, kind="linear", factor=4.0)),
    "yarn": ({**TEXT, "model_type": "qwen2", "rope_theta": 1e6, "max_position_embeddings": 32768,
              "rope_scaling": {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}},
             dict(d=128, base=1e6, kind="yarn", factor=4.0, trained=32768)),
    "yarn with attention_factor": (
        {**TEXT, "rope_scaling": {"rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 8192,
                                  "attention_factor": 1.3}},
        dict(d=128, base=1e4, kind="yarn", factor=8.0, trained=8192, amplitude=1.3)),
    "yarn with two mscales": (
        {**TEXT, "rope_scaling": {"rope_type": "yarn", "factor": 40.0, "original_max_position_embeddings": 4096, "mscale": 1.0,
                                  "mscale_all_dim": 0.707}},
        dict(d=128, base=1e4, kind="yarn", factor=40.0, trained=4096, amplitude=rm.mscale(40) / rm.mscale(40, 0.707))),
    "longrope": (PHI, dict(d=96, base=1e4, kind="longrope", factor=32.0, trained=4096, length=4096)),
    "partial": ({"model_type": "phi", "hidden_size": 2560, "num_attention_heads": 32, "partial_rotary_factor": 0.4,
                 "rope_theta": 1e4, "max_position_embeddings": 2048}, dict(d=32, base=1e4)),
    "neox": ({"model_type": "gpt_neox", "hidden_size": 4096, "num_attention_heads": 32, "rotary_pct": 0.25,
              "rotary_emb_base": 10000,
              "max_position_embeddings": 2048}, dict(d=32, base=1e4)),
    "plain in rope_parameters": (TEXT | {"rope_parameters": {"rope_type": "default", "rope_theta": 250000.0}}, dict(d=128,
                                 base=250000.0)),
}


def configs():
    n = range(900)
    for name, (config, spec) in CONFIGS.items():
        extra = lambda config=config: {"config.json": json.dumps(config).encode()}
        for store in ("float32", "float64"):
            yield text_cases.table_case(f"config/{name} right/{store}", ["--config", "config.json"], spec, n, "agrees", extra=extra,
                                        compute=store)
        yield text_cases.table_case(f"config/{name} base", ["--config", "config.json"], spec | dict(base=77777.0), n, ("base",
                                    "scaling-parameters"),
                                    extra=extra, compute="float64")
    images = {"flux.1": {"_class_name": "FluxTransformer2DModel", "attention_head_dim": 128, "num_attention_heads": 24},
              "flux.2": {"_class_name": "Flux2Transformer2DModel", "attention_head_dim": 128, "axes_dims_rope": [32] * 4,
                         "rope_theta": 2000},
              "qwen-image": {"_class_name": "QwenImageTransformer2DModel", "attention_head_dim": 128, "axes_dims_rope": [16, 56,
                             56]},
              "wan": {"_class_name": "WanTransformer3DModel", "attention_head_dim": 128, "patch_size": [1, 2, 2]},
              "hunyuan-video": {"_class_name": "HunyuanVideoTransformer3DModel", "attention_head_dim": 128, "rope_theta": 256.0,
                                "rope_axes_dim": [16, 56, 56]},
              "cogview4": {"_class_name": "CogView4Transformer2DModel", "attention_head_dim": 128, "rope_axes_dim": [256, 256]},
              "lumina-2": {"_class_name": "Lumina2Transformer2DModel", "axes_dim_rope": [32, 32, 32], "hidden_size": 2304,
                           "num_attention_heads": 24},
              "z-image": {"_class_name": "ZImageTransformer2DModel", "axes_dims": [32, 48, 48], "rope_theta": 256.0, "dim": 3840,
                          "n_heads": 30},
              "qwen2-vl": QWEN_VL}
    for name, config in images.items():
        layout = LAYOUTS[name]
        h, w = layout.sizes[0]
        for wrong in (False, True):
            def files(layout=layout, h=h, w=w, config=config, wrong=wrong):
                rope = layout.rope(h, w, **({"base": 777.0} if wrong else {}))
                cos, sin = rope.tables(np.float32)
                return {"cos.npy": cos, "sin.npy": sin, "config.json": json.dumps(config).encode()}
            yield Case(f"config/{name} {'base' if wrong else 'right'}", ["--config", "config.json", *layout.arguments(h, w)[2:],
                                                                         *TABLES],
                       files, "base" if wrong else "agrees")


def few():
    """How little is enough (a base to one part in 1000 of 4 positions in float32, of 16 in bfloat16)."""
    for store, rows in (("float32", 4), ("float16", 4), ("bfloat16", 16)):
        for base in (10010.0, 11000.0, 500000.0):
            yield text_cases.table_case(f"few/base {base:g}, {rows} rows/{store}", ["--model", "llama-2-7b"], dict(d=128,
                                        base=base),
                                        range(rows), "base", compute="float64", store=store)
    for rows in (1, 2, 3):
        yield text_cases.table_case(f"few/base, {rows} rows", ["--model", "llama-2-7b"], dict(d=128, base=5e5), range(rows),
                                    "agrees" if rows == 1 else "base")
        yield text_cases.table_case(f"few/offset, {rows} rows", ["--model", "llama-2-7b"], dict(d=128, base=1e4),
                                    np.arange(rows) + 5, "position-offset")
    for kind, rows in (("bfloat16", 256), ("float16", 2048)):
        yield text_cases.table_case(f"few/ids in {kind}, {rows} rows", ["--model", "llama-2-7b"], dict(d=128, base=1e4),
                                    rm.rounded(np.arange(rows), kind), "agrees")
        yield text_cases.table_case(f"few/ids in {kind}, {rows + 4} rows", ["--model", "llama-2-7b"], dict(d=128, base=1e4),
                                    rm.rounded(np.arange(rows + 4), kind), "position-format")


def far():
    """Large positions: what float32 can still say."""
    first = 1000000
    for n, name in ((np.arange(first, first + 300), "million"), (np.arange(0, 131072, 257), "strided")):
        listed = f"{n[0]}:{n[-1]}" + ("" if name == "million" else ":257")
        arguments = [*text_cases.PLAIN, "--positions", listed]
        torch = lambda r: r.but(frequency=rm.ladder32(128, 1e4))
        yield text_cases.table_case(f"far/{name} right/float32", arguments, dict(d=128, base=1e4), n, "agrees", mutate=torch)
        yield text_cases.table_case(f"far/{name} right/float64", arguments, dict(d=128, base=1e4), n, "agrees", compute="float64")
        yield text_cases.table_case(f"far/{name} base", arguments, dict(d=128, base=10100.0), n, "base",
                                    parameters={"base": {"base": 10100.0}})
        yield text_cases.table_case(f"far/{name} one off", arguments, dict(d=128, base=1e4), n + 1, "position-offset",
                                    parameters={"position-offset": {"offset": [1]}})
        yield text_cases.table_case(f"far/{name} ids in bfloat16", arguments, dict(d=128, base=1e4), rm.rounded(n, "bfloat16"),
                                    "position-format")
        yield text_cases.table_case(f"far/{name} ids in float16", arguments, dict(d=128, base=1e4),
                                    np.minimum(rm.rounded(np.minimum(n, 65504), "float16"), 65504), ("position-format", UNKNOWN))


def layouts_own():
    flux, qwen = LAYOUTS["flux.1"], LAYOUTS["qwen2-vl"]
    for dims in ((32, 48, 48), (44, 42, 42), (56, 16, 56), (8, 60, 60)):
        yield table_case(f"own/flux.1 axes {dims}", flux.arguments(20, 31), lambda d=dims: flux.rope(20, 31, dims=d),
                         "axis-dimensions",
                         parameters={"axis-dimensions": {"dimensions": list(dims)}})
    orders = {"mirrored": lambda cells: cells[:, :, ::-1], "turned by 180": lambda cells: cells[:, ::-1, ::-1],
              "columns, bottom-up": lambda cells: cells.transpose(0, 2, 1)[:, :, ::-1]}
    for name, permute in orders.items():
        yield table_case(f"own/flux.1 {name}", flux.arguments(20, 31), lambda p=permute: image_cases.image_order(p)(flux, 20, 31),
                         ("order", UNKNOWN))
    blocks = lambda cells: cells.reshape(1, 10, 2, 16, 2).transpose(0, 1, 3, 2, 4)
    yield table_case("own/flux.1 blocks of 2 x 2", flux.arguments(20, 32), lambda: image_cases.image_order(blocks)(flux, 20, 32),
                     ("order", UNKNOWN))
    for what, amount in (("rows and columns from 0", [0, -24, -24]), ("t follows the rows", None)):
        def make(amount=amount):
            rope = qwen.rope(20, 31)
            ids, image = rope.ids.copy(), rope.where("image")
            if amount is None:
                ids[image, 0] = ids[image, 1]
            else:
                ids[image] += amount
            return rope.but(ids=ids)
        yield table_case(f"own/qwen2-vl {what}", qwen.arguments(20, 31), make, "position-offset" if amount else UNKNOWN,
                         ties={("axis-dimensions",): "text has the same id on all axes: t's pairs may as well turn with the rows"})
    for start in (24 + 32, 24 + 30, 24 + 20):
        yield table_case(f"own/qwen2-vl text resumes at {start}", qwen.arguments(20, 31), lambda s=start: qwen.rope(20, 31,
                         start=s),
                         ("text-start", "position-offset"), parameters={"text-start": {"start": start}})
    yield table_case("own/kontext: reference beside the image", ["--layout", "flux.1-kontext", "--grid", "20x31", "--text", "24",
                                                                "--reference-grid", "47x87"],
                     lambda: reference_moved(rm.flux1(20, 31, 24, [(47, 87)]), [0, 0, 31]), ("reference-index", "position-offset"))
    yield table_case("own/z-image: t of the image after the raw caption", LAYOUTS["z-image"].arguments(20, 31),
                     lambda: image_cases.shifted("image", lambda l, a: np.array([-8.0, 0, 0]))(LAYOUTS["z-image"], 20, 31),
                     "position-offset")
    yield table_case("own/z-image: caption not padded", LAYOUTS["z-image"].arguments(20, 31, text=24), unpadded,
                     (UNKNOWN, "length", UNUSABLE), codes=(1, 2))
    tune = LAYOUTS["torchtune-vision"]
    yield table_case("own/torchtune: from 0", tune.arguments(16, 16), lambda: image_cases.shifted("image", lambda l,
                     a: -np.ones(2))(
        tune, 16, 16), "position-offset")
    yield table_case("own/torchtune: CLS first", tune.arguments(16, 16), lambda: image_cases.image_first(tune, 16, 16), "order")
    dino = LAYOUTS["dinov3"]
    for what, change in (("without 2 pi", lambda r: r.but(ids=r.ids / (2 * np.pi))), ("0 to 1",
                         lambda r: r.but(ids=(r.ids + 1) / 2)),
                         ("ends included", lambda r: r.but(ids=r.ids * [20 / 19, 31 / 30])),
                         ("corners, not middles", lambda r: r.but(ids=r.ids - [1 / 20, 1 / 31]))):
        expected = {"without 2 pi": "position-scale", "ends included": "position-scale", "corners, not middles": "position-offset"}
        yield table_case(f"own/dinov3 {what}", dino.arguments(20, 31), lambda c=change: c(dino.rope(20, 31)),
                         (expected[what], "centring") if what in expected else (UNKNOWN, "position-offset", "centring",
                         "position-scale"))
    ltx = LAYOUTS["ltx-video"]
    for what, expected, make in (
            ("frames not divided by the rate", "position-scale", lambda: ltx.rope(6, 9, seconds=8.0)),
            ("not 2c - 1", "centring", lambda: (lambda r: r.but(ids=(r.ids + 1) / 2))(ltx.rope(6, 9))),
            ("without pi / 2", "position-scale", lambda: (lambda r: r.but(frequency=r.frequency * 2 / np.pi))(ltx.rope(6, 9))),
            ("base", "base", lambda: ltx.rope(6, 9, base=5000.0)),
            ("patches not times 32", "position-scale", lambda: ltx.rope(6, 9, pixels=1.0)),
            ("padding last", UNKNOWN, lambda: (lambda r: r.but(frequency=np.roll(r.frequency, -1), axis=np.roll(r.axis, -1)))(
                ltx.rope(6, 9))),
            ("axes w h t", ("axes-swapped", "axis-dimensions", "order"), lambda: (lambda r: r.but(axis=2 - r.axis))(ltx.rope(6,
             9)))):
        yield table_case(f"own/ltx-video {what}", ltx.arguments(6, 9), make, expected if isinstance(expected,
                         tuple) else (expected, UNKNOWN))
    cog = LAYOUTS["cogview4"]
    yield table_case("own/cogview4 ids not stretched", cog.arguments(20, 31),
                     lambda: rm.joined([("image", rm.grid(20, 31))], (64, 64), 1e4, "half"), (UNKNOWN, "position-scale"))
    yield table_case("own/cogview4 ids not cut", cog.arguments(20, 31),
                     lambda: rm.joined([("image", rm.grid(20, 31) * [256 / 20, 256 / 31])], (64, 64), 1e4, "half"), UNKNOWN)
    for name, sign in (("amplitude -1", -1.0),):
        yield table_case(f"own/flux.1 {name}", flux.arguments(20, 31), lambda: flux.rope(20, 31), ("amplitude", UNKNOWN),
                         change=lambda c, s, k=sign: (k * c, k * s))
    yield table_case("own/flux.1 sine of the rows negated", flux.arguments(20, 31), lambda: flux.rope(20, 31),
                     (UNKNOWN, "sign", "position-scale"), change=lambda c, s: (c,
                     s * np.where((np.arange(64) // 8 > 0) & (np.arange(64) < 36), -1, 1)))
    yield table_case("own/flux.1 three mistakes", flux.arguments(20, 31), lambda: image_cases.columns_swapped(flux, 20, 31).but(
        frequency=flux.rope(20, 31, base=500.0).frequency), DISAGREES, change=image_cases.louder)
    yield table_case("own/flux.1 image alone, base", [*flux.arguments(20, 31), "--part", "image"], lambda: rm.joined(
        [("image", rm.plane(20, 31))], (16, 56, 56), 500.0), "base")
    yield table_case("own/flux.1 image alone where all were asked", flux.arguments(20, 31), lambda: rm.joined(
        [("image", rm.plane(20, 31))], (16, 56, 56), 1e4), ("length", UNKNOWN, "text-start"), codes=(1, 2))


def reference_moved(rope, amount):
    ids = rope.ids.copy()
    ids[rope.where("reference")] += amount
    return rope.but(ids=ids)


def unpadded():
    rope = LAYOUTS["z-image"].rope(20, 31)
    keep = np.ones(len(rope.ids), bool)
    keep[-8:] = False
    return rope.but(ids=rope.ids[keep], parts=rope.parts[keep])


def vectors():
    for name in ("flux.1", "qwen-image", "wan", "cogview4", "qwen2-vl"):
        layout = LAYOUTS[name]
        h, w = layout.sizes[0]
        for what, expected in (("right", "agrees"), ("pairing", "pairing"), ("base", "base"), ("columns swapped", "axes-swapped")):
            if what == "columns swapped" and name in ("cogview4", "qwen2-vl"):
                continue

            def files(layout=layout, h=h, w=w, what=what):
                rope = layout.rope(h, w, **({"base": 777.0} if what == "base" else {}))
                rope = image_cases.columns_swapped(layout, h, w) if what == "columns swapped" else rope
                other = "interleaved" if rope.pairing == "half" else "half"
                before = np.random.default_rng(1).normal(size=(len(rope.ids), 2, 128)).astype(np.float32).astype(np.float64)
                after = rm.rotate(before, *rope.tables(), other if what == "pairing" else rope.pairing)
                return {"before.npy": before.astype(np.float32).transpose(1, 0, 2),
                        "after.npy": after.astype(np.float32).transpose(1, 0, 2)}
            yield Case(f"vectors of/{name} {what}", [*layout.arguments(h, w), "--before", "before.npy", "--after", "after.npy",
                                                     "--q-layout", "htd"], files, expected)


def unusable():
    flux, two = LAYOUTS["flux.1"], ["--model", "llama-2-7b"]
    good = lambda: (lambda t: {"cos.npy": t[0], "sin.npy": t[1]})(text_cases.rope(dict(d=128, base=1e4),
                                                                  range(50)).tables(np.float32))
    for name, arguments in {"grid 0x0": ["--layout", "flux.1", "--grid", "0x0"], "grid of words": ["--layout", "flux.1", "--grid",
                            "axb"],
                            "grid huge": ["--layout", "flux.1", "--grid", "100000000x100000000"], "text below 0": [
                                "--layout", "flux.1", "--grid", "4x4", "--text", "-3"],
                            "no such layout": ["--layout", "flux.9", "--grid", "4x4"], "no such model": ["--model", "nothing"],
                            "positions of words": [*two, "--positions", "a:b"], "dim odd": ["--dim", "127", "--base", "1e4"],
                            "base 1": ["--dim", "128", "--base", "1"], "base nan": ["--dim", "128", "--base", "nan"],
                            "model and layout": [*two, "--config", "none.json"]}.items():
        yield Case(f"unusable/{name}", [*arguments, *TABLES], good, UNUSABLE)
    yield Case("unusable/cos alone", [*two, "--cos", "cos.npy"], good, UNUSABLE)
    arrays = {"strings": np.array([["a", "b"]]), "objects": None, "dates": np.array([["2020-01-01"]], "datetime64[D]"),
              "one number": np.float32(3), "complex as cos": np.ones((50, 64), np.complex64), "records": np.zeros(4, [("a", "f4")])}
    for name, array in arrays.items():
        def files(array=array):
            table = array if array is not None else b"\x93NUMPY\x01\x00v\x00" + (
                b"{'descr': '|O', 'fortran_order': False, 'shape': (50, 64), }".ljust(117) + b"\n") + b"\x80\x04."
            return good() | {"cos.npy": table}
        yield Case(f"unusable/npy of {name}", [*two, *TABLES], files, UNUSABLE)
    broken = {"header beyond the file": struct.pack("<Q", 1 << 40) + b"{}", "no json": struct.pack("<Q", 4) + b"{{{{",
              "data beyond the file": tensor_file({"cos": {"dtype": "F32", "shape": [50, 64], "data_offsets": [0, 12800]}},
                                                  b"x" * 100),
              "shape and bytes differ": tensor_file({"cos": {"dtype": "F32", "shape": [50, 65], "data_offsets": [0, 12800]}},
                                                    b"\0" * 12800),
              "shape overflows": tensor_file({"cos": {"dtype": "F32", "shape": [1 << 62, 64], "data_offsets": [0, 12800]}},
                                             b"\0" * 12800),
              "offsets backwards": tensor_file({"cos": {"dtype": "F32", "shape": [50, 64], "data_offsets": [12800, 0]}},
                                               b"\0" * 12800)}
    for name, content in broken.items():
        yield Case(f"unusable/safetensors: {name}", [*two, "--cos", "t.safetensors:cos", "--sin", "sin.npy"],
                   lambda content=content: good() | {"t.safetensors": content}, UNUSABLE)
    yield Case("unusable/safetensors: another name", [*two, "--cos", "t.safetensors:kos", "--sin", "sin.npy"],
               lambda: good() | {"t.safetensors": {"cos": (good()["cos.npy"], "F32")}}, UNUSABLE)
    for name, content in {"ragged": b"1,2\n3\n", "words": b"a,b\nc,d\n", "empty": b"", "nan": b"nan\n1\n"}.items():
        yield Case(f"unusable/csv {name}", [*two, "--ids", "ids.csv"], lambda content=content: {"ids.csv": content}, UNUSABLE)
    yield Case("unusable/ids nan", [*two, "--ids", "ids.npy"], lambda: {"ids.npy": np.array([0, 1, np.nan])}, UNUSABLE)
    yield Case("unusable/ids of bool", [*two, "--ids", "ids.npy"], lambda: {"ids.npy": np.array([False, True])}, ("agrees",
               UNUSABLE),
               codes=(0, 2))
    yield Case("unusable/config is no json", ["--config", "config.json", *TABLES], lambda: good() | {"config.json": b"{"}, UNUSABLE)
    yield Case("unusable/config is a list", ["--config", "config.json", *TABLES], lambda: good() | {"config.json": b"[]"}, UNUSABLE)
    yield Case("unusable/npz of two, none named", [*flux.arguments(4, 4), "--ids", "ids.npz"],
               lambda: {"ids.npz": {"a": np.zeros((40, 3)), "b": np.zeros((40, 3))}}, UNUSABLE)


def tensor_file(header, data):
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def large():
    flux, spec = LAYOUTS["flux.1"], dict(d=128, base=1e4)
    noisy = lambda c, s: (c + np.random.default_rng(4).normal(0, 0.01, c.shape), s)
    yield table_case("large/flux.1 96x128 right", flux.arguments(96, 128, 512), lambda: flux.rope(96, 128, 512), "agrees")
    yield table_case("large/flux.1 96x128 base", flux.arguments(96, 128, 512), lambda: flux.rope(96, 128, 512, base=500.0), "base")
    yield table_case("large/flux.1 96x128 swapped and louder", flux.arguments(96, 128, 512),
                     lambda: image_cases.columns_swapped(flux, 96, 128, 512), ("axes-swapped", "amplitude"), both=True,
                     change=image_cases.louder, threads=(1, 2, 5))
    yield table_case("large/flux.1 64x64 noise", flux.arguments(64, 64), lambda: flux.rope(64, 64), UNKNOWN, change=noisy)
    yield text_cases.table_case("large/text 32768 right", ["--model", "llama-2-7b"], spec, range(32768), "agrees")
    yield text_cases.table_case("large/text 32768 base and offset", ["--model", "llama-2-7b"], spec | dict(base=5e5),
                                np.arange(32768) + 3, ("base", "position-offset"), both=True)
    yield text_cases.table_case("large/text 32768 noise", ["--model", "llama-2-7b"], spec, range(32768), UNKNOWN, change=noisy)
    yield text_cases.table_case("large/text 4096 noise, llama3", ["--model", "llama-3.1-8b"], text_cases.MODELS["llama-3.1-8b"],
                                range(4096), UNKNOWN, change=noisy, threads=(1, 2, 5))
    yield text_cases.table_case("large/gemma 4 noise", ["--model", "gemma-4-26b-a4b"], text_cases.MODELS["gemma-4-26b-a4b"],
                                range(4096), UNKNOWN, change=noisy)


def all_cases():
    for group in (configs, few, far, layouts_own, vectors, unusable, large):
        yield from group()
