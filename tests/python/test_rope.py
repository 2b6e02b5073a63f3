"""Rope: where it comes from, its numbers beside NumPy's, arrays of any kind, and what is said of what cannot be used."""
import copy
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time
import unittest

import numpy as np

import cases
import ropescope as rs


def plain(dim, base):
    return base ** (-np.arange(0, dim, 2) / dim)


def llama3(config):
    """transformers, modeling_rope_utils.py, _compute_llama3_parameters."""
    scaling, inverse = config["rope_scaling"], plain(128, config["rope_theta"])
    length = scaling["original_max_position_embeddings"]
    wavelength = 2 * np.pi / inverse
    low, high = length / scaling["low_freq_factor"], length / scaling["high_freq_factor"]
    slow = np.where(wavelength > low, inverse / scaling["factor"], inverse)
    smooth = (length / wavelength - scaling["low_freq_factor"]) / (scaling["high_freq_factor"] - scaling["low_freq_factor"])
    blended = (1 - smooth) * slow / scaling["factor"] + smooth * slow
    return np.where((wavelength >= high) & (wavelength <= low), blended, slow)


class Sources(cases.Case):
    def test_own_numbers(self):
        rope = rs.Rope(dim=64, base=10000)
        np.testing.assert_allclose(rope.inverse_frequencies, plain(64, 10000), rtol=4e-16)
        self.assertEqual((rope.amplitude, rope.head_dim, rope.rotary_dim, rope.pairing), (1, 64, 64, "half"))
        self.assertIsNone(rope.trained_length)

    def test_own_ladder(self):
        i, d, b = np.arange(32), 64, 10000.0
        formulas = {"b^(-2*i/d)": b ** (-2 * i / d), "1/(1+i)": 1 / (1 + i),
                    "b^(-2*i/d) * (i < 20 ? 1 : 0.25)": b ** (-2 * i / d) * np.where(i < 20, 1, 0.25),
                    "exp(-i/8) + sin(i)^2/d": np.exp(-i / 8) + np.sin(i) ** 2 / d}
        for formula, due in formulas.items():
            for ladder in (formula, due, list(due), ",".join(map(repr, due.tolist()))):
                rope = rs.Rope(dim=64, base=b, ladder=ladder)
                np.testing.assert_allclose(rope.inverse_frequencies, due, rtol=2e-15)
        slower = rs.Rope(dim=64, base=b, ladder="1/(1+i)").with_scaling("linear", factor=4)
        np.testing.assert_allclose(slower.inverse_frequencies, 0.25 / (1 + i), rtol=1e-15)
        for wrong in ("1/i", "1-i", [1, 2], np.full(32, np.nan), "b^(", "k"):
            with self.assertRaises(rs.InputError):
                rs.Rope(dim=64, base=b, ladder=wrong)
        with self.assertRaisesRegex(rs.InputError, "ntk-aware"):
            rs.Rope(dim=64, base=b, ladder="1/(1+i)").with_scaling("ntk-aware", factor=4)

    def test_mapping_path_and_object_are_the_same(self):
        path = self.folder / "config.json"
        path.write_text(json.dumps(cases.LLAMA))

        class Config:  # of transformers: what counts is to_dict(); a dtype is no JSON
            def to_dict(self):
                return {**cases.LLAMA, "dtype": np.float32}

        for source in (cases.LLAMA, path, str(path), Config()):
            rope = rs.Rope.from_config(source)
            np.testing.assert_allclose(rope.inverse_frequencies, llama3(cases.LLAMA), rtol=1e-15)
            self.assertEqual((rope.scaling, rope.trained_length), ("llama3", 8192))

    def test_gguf(self):
        sys.path.insert(0, str(cases.SOURCE / "tests/reference/gguf"))
        header = b"GGUF" + (3).to_bytes(4, "little") + (0).to_bytes(8, "little") + (4).to_bytes(8, "little")

        def text(word):
            return len(word).to_bytes(8, "little") + word.encode()

        def entry(key, kind, raw):
            return text(key) + kind.to_bytes(4, "little") + raw

        entries = [entry("general.architecture", 8, text("llama")),
                   entry("llama.embedding_length", 4, (4096).to_bytes(4, "little")),
                   entry("llama.attention.head_count", 4, (32).to_bytes(4, "little")),
                   entry("llama.rope.freq_base", 6, np.float32(500000).tobytes())]
        path = self.folder / "model.gguf"
        path.write_bytes(header + b"".join(entries))
        np.testing.assert_allclose(rs.Rope.from_config(path).inverse_frequencies, plain(128, 500000), rtol=4e-16)

    def test_preset_and_profiles(self):
        rope = rs.Rope.from_preset("gemma-3-4b-it")
        self.assertGreater(len(rope.profiles), 1)
        other = rs.Rope.from_config(rope, profile=rope.profiles[1])
        self.assertEqual(other.profile, rope.profiles[1])
        self.assertFalse(np.array_equal(other.inverse_frequencies, rope.inverse_frequencies))

    def test_errors_are_the_programs_own(self):
        for make, said in ((lambda: rs.Rope.from_config(self.folder / "none.json"), "none.json"),
                           (lambda: rs.Rope.from_config({**cases.LLAMA, "rope_theta": "big"}), "the config"),
                           (lambda: rs.Rope(dim=7), "dim"),
                           (lambda: rs.Rope.from_preset("lama-2-7b"), "llama-2-7b"),
                           (lambda: rs.Rope().with_scaling("yran", factor=4), "yarn"),
                           (lambda: rs.Rope().with_scaling("linear", factor=0.5), "10000"),
                           (lambda: rs.Rope().with_scaling("linear", faktor=4), "one of factor"),
                           (lambda: rs.Rope().with_scaling("yarn"), "factor is missing"),
                           (lambda: rs.Rope().cos_sin([0], dtype="bfloat16"), "bfloat16"),
                           (lambda: rs.Rope().cos_sin([0], how="best"), "float32"),
                           (lambda: rs.Rope().cos_sin([np.nan]), "finite"),
                           (lambda: rs.Rope().similarity([1], threads=-1), "0 to 256"),
                           (lambda: rs.Rope().similarity([1], axis="row"), "position")):
            with self.assertRaises(rs.InputError) as caught:
                make()
            self.assertIn(said, str(caught.exception))
        self.assertTrue(issubclass(rs.InputError, ValueError))

    def test_errors_name_the_argument(self):
        """Wrong types are TypeErrors, and messages name Python's arguments, not the program's options."""
        rope, tables = rs.Rope(dim=8), rs.Rope(dim=8).cos_sin(range(4))
        x = np.ones((4, 4, 8), np.float32)
        for make, said in ((lambda: rs.Rope.from_config(7), "config must be a path"),
                           (lambda: rope.cos_sin(["a"]), "positions contains str"),
                           (lambda: rs.Rope(dmi=3), r"Rope\(\) got an unexpected keyword argument 'dmi'"),
                           (lambda: rope.cos_sin([1], threads="x"), r"Rope.cos_sin\(\) argument 'threads' must be int, not str"),
                           (lambda: rope.cos_sin(), "missing required argument 'positions'"),
                           (lambda: rope.cos_sin([1], positions=[1]), "multiple values for argument 'positions'"),
                           (lambda: rope.cos_sin([1], "float32", "exact", 3), "at most 3 positional arguments, but 4"),
                           (lambda: rope.limits(context="x"), "'context' must be float or None, not str"),
                           (lambda: rs.Rope.from_preset(3), r"from_preset\(\) argument 'name' must be str, not int"),
                           (lambda: rope.replace(bse=3), "unexpected keyword argument 'bse'"),
                           (lambda: rope.plot("decay"), "ax must be matplotlib axes or None, not str"),
                           (lambda: rs.figure(rope), "view must be str, not"),
                           (lambda: rs.layout("flux.1", 64, 64, 64), "at most 3 positional arguments, but 4"),
                           (lambda: rs.record(3).__enter__(), "model must be a torch module"),
                           (lambda: rs.check(against=rope, cos=tables[0], sin=tables[1], rows="x"), "rows")):
            with self.assertRaisesRegex(TypeError, said) as caught:
                make()
            self.assertNotIn("_core", str(caught.exception))
        with self.assertRaisesRegex(AttributeError, "'ropescope.Rope' object has no attribute 'tables'"):
            rope.tables
        with self.assertRaisesRegex(rs.InputError, r"llama-3.1-8b.*rs.presets\(\) lists"):
            rs.Rope.from_preset("llama3.1")
        for name in ("/none/models--meta-llama--Llama/config.json", "/none/x--head/config.json", "org/nosuch--rows-model"):
            with self.assertRaises(rs.InputError) as caught:
                rs.Rope.from_config(name)
            self.assertIn(name, str(caught.exception))
        for make, said in ((lambda: rs.check(against=rope, before=x, after=x), 'heads="thd"'),
                           (lambda: rs.check(against=rope, cos=tables[0], sin=tables[1], allow=["x"]), "allow is"),
                           (lambda: rs.sweep("decay.none", "rope.base=10,20"), r"rs.readouts\(\)|decay\."),
                           (lambda: rs.encoding("alibi", [1], base=3), "alibi has no base; its fields are"),
                           (lambda: rs.encoding("alibi", [1], heads=0), "heads is 0; expected")):
            with self.assertRaisesRegex(ValueError, said) as caught:
                make()
            self.assertNotIn("--", str(caught.exception))


    def test_errors_name_what_was_given(self):
        rope, (cos, sin) = rs.Rope(), rs.Rope().cos_sin(range(4))
        given = {"cos": cos, "sin": sin}
        for make, said in ((lambda: rope.similarity([1j]), "distances contains complex numbers; expected real numbers$"),
                           (lambda: rope.cos_sin("abc"), "positions is a string; expected numbers$"),
                           (lambda: rope.cos_sin(x for x in [1]), r"positions is a generator; .* list\(positions\)$"),
                           (lambda: rope.cos_sin({1, 2}), r"positions is a set; .* list\(positions\)$"),
                           (lambda: rope.cos_sin(None), "positions is None; expected numbers$"),
                           (lambda: rs.Rope(axes=5), "axes must be .* not int$"),
                           (lambda: rs.Rope(axes=[5]), r"axes\[0\] must be dict, not int$"),
                           (lambda: rs.Rope(scaling=5), "scaling must be .* not int$"),
                           (lambda: rs.Rope(pairing=None), "'pairing' must be str, not None$"),
                           (lambda: rope.to_config(None), r"^Rope.to_config\(\) argument 'program' .* not None$"),
                           (lambda: rs.check(against=rope, **given, allow=5), "allow must be .* not int$"),
                           (lambda: rs.check(against=rope, **given, rows=5), "'rows' must be a pair of int or None, not int$"),
                           (lambda: rs.check(against=rope, **given, rows=(1, 2, 3)), r"'rows' must be .* not \(1, 2, 3\)$"),
                           (lambda: rs.check(against=5, **given), "^against must be .* not int$"),
                           (lambda: rs.compare(rope, 5), "^b must be .* not int$"),
                           (lambda: rs.compare(None, rope), "^a must be .* not None$"),
                           (lambda: rope.rotate(np.ones((3, 128), np.int64), range(3)), "x contains int64; expected float")):
            with self.assertRaisesRegex(TypeError, said):
                make()
        for make, said in ((lambda: rope.cos_sin([1], how="exct"), 'how is "exct"; expected transformers, exact.*bfloat16-inputs'),
                           (lambda: rs.Rope(axes=[{"name": "a", "dims": 4}]), "axis 0 has an unknown key dims"),
                           (lambda: rs.Rope(pairing="hlf"), '^pairing is "hlf"; expected interleaved or half$'),
                           (lambda: rope.bound([1], order="x"), '^order is "x"; expected fast-first or slow-first$'),
                           (lambda: rs.attention("none", tokens=4, kind="soft"), '^kind is "soft"; expected softmax or linear$'),
                           (lambda: rs.attention("rope", tokens=4, dim=8, pairing="x"), '^pairing is "x"; expected interl'),
                           (lambda: rs.Rope(ladder=[1, 2]), "^ladder has 2 values; expected 64, one per pair$"),
                           (lambda: rs.Rope(127), "^dim is 127; "), (lambda: rs.Rope(0), "^dim is 0; "),
                           (lambda: rs.layout("flux.1", size=1024), "size is 1024; expected .width, height. in pixels"),
                           (lambda: rs.layout("flux.1", size=(1000, 768)), "uses 992x768")):
            with self.assertRaisesRegex(rs.InputError, said) as caught:
                make()
            self.assertNotIn("fit,", str(caught.exception))
        self.assertTrue(rs.check(against=rope, **given, allow="sign").agrees)


class Help(cases.Case):
    def test_signatures(self):
        """inspect, and with it help() and notebooks, shows the parameters; they are those of the stubs."""
        import ast
        import inspect
        tree = ast.parse((cases.SOURCE / "app/python/ropescope/__init__.pyi").read_text())
        compared = 0
        for node in tree.body:
            for part in node.body if isinstance(node, ast.ClassDef) and node.name in ("Rope", "Layout", "Figure") else [node]:
                if not isinstance(part, ast.FunctionDef) or part.decorator_list or part.name.startswith("_"):
                    continue
                owner = rs if part is node else getattr(rs, node.name)
                said = [*part.args.args, *part.args.kwonlyargs, *filter(None, [part.args.kwarg])]
                found = inspect.signature(getattr(owner, part.name)).parameters
                names = [argument.arg for argument in said]
                if part.args.kwarg:
                    self.assertEqual(list(found.values())[-1].kind, inspect.Parameter.VAR_KEYWORD, part.name)
                    names[-1] = list(found)[-1]
                self.assertEqual(list(found), names, part.name)
                compared += 1
        self.assertGreater(compared, 30)
        self.assertIn("positions, dtype='float32', how='transformers', *, threads=0", str(inspect.signature(rs.Rope.cos_sin)))
        self.assertEqual([*inspect.signature(rs.Rope).parameters][:3], ["dim", "base", "ladder"])
        self.assertEqual([*inspect.signature(rs.Rope().similarity).parameters], ["distances", "axis", "threads"])


class Tables(cases.Case):
    def test_as_transformers(self):
        rope = rs.Rope.from_preset("llama-2-7b")
        cos, sin = rope.cos_sin(np.arange(3000))
        self.assertEqual((cos.shape, cos.dtype), ((3000, 128), np.float32))
        angle = np.arange(3000, dtype=np.float32)[:, None] * plain(128, 10000).astype(np.float32)
        angle = np.concatenate((angle, angle), 1).astype(np.float64)  # of what float32 holds
        np.testing.assert_array_equal(cos, np.cos(angle).astype(np.float32))
        np.testing.assert_array_equal(sin, np.sin(angle).astype(np.float32))

    def test_amplitude_and_length(self):
        rope = rs.Rope.from_preset("llama-2-7b").with_scaling("yarn", factor=4)
        self.assertAlmostEqual(rope.amplitude, 0.1 * np.log(4) + 1)
        cos, _ = rope.cos_sin([0], "float64", "exact")
        np.testing.assert_allclose(cos, rope.amplitude, rtol=1e-15)
        dynamic = rs.Rope.from_preset("llama-2-7b").with_scaling("dynamic", factor=2)
        short, _ = dynamic.cos_sin(np.arange(4096), "float64", "exact")
        long, _ = dynamic.cos_sin(np.arange(8192), "float64", "exact")
        self.assertFalse(np.array_equal(short, long[:4096]))

    def test_exact_and_policies(self):
        rope = rs.Rope(dim=8, base=10000, pairing="interleaved")
        cos, sin = rope.cos_sin([[0, 1], [5, 1000000]], np.float64, "exact")
        self.assertEqual(cos.shape, (2, 2, 4))
        import decimal  # 50 digits: 10⁶ − 2π·k
        decimal.getcontext().prec = 60
        turn = 2 * decimal.Decimal("3.14159265358979323846264338327950288419716939937510582097494")
        rest = float(decimal.Decimal(1000000) % turn)
        self.assertAlmostEqual(cos[1, 1, 0], np.cos(rest), delta=1e-15)
        twice, _ = rope.cos_sin([3])
        np.testing.assert_array_equal(twice[0, ::2], twice[0, 1::2])
        rough, _ = rope.cos_sin([257], how="bfloat16-everything")
        self.assertNotEqual(rough[0, 0], np.float32(np.cos(257.0)))
        half, _ = rope.cos_sin([3], "float16", "exact")
        self.assertEqual(half.dtype, np.float16)

    @unittest.skipIf(cases.missing("mpmath"), "mpmath is not installed")
    def test_right_to_half_a_unit(self):
        """Exact tables beside 60 digits, in float64 and float32, at single positions and in a long table."""
        import mpmath
        rope, generator = rs.Rope(dim=128, base=10000), np.random.default_rng(4)
        few = np.concatenate((generator.integers(0, 2**24, 20), [2**24, -12345, 355, 710]))
        many = np.concatenate((few, np.arange(4000), np.arange(40) / 8))
        pairs = [0, 1, 17, 40, 63]
        with mpmath.workdps(60):
            angles = [[mpmath.mpf(float(m)) * mpmath.mpf(float(rope.frequencies[i])) for i in pairs] for m in many[:24]]
            due = [[[function(angle) for angle in row] for row in angles] for function in (mpmath.cos, mpmath.sin)]
            for places in (few, many):
                for dtype in ("float64", "float32"):
                    for table, exact in zip(rope.cos_sin(places, dtype, "exact"), due):
                        for row, expected in zip(table[:, pairs], exact):
                            for number, value in zip(row, expected):
                                unit = mpmath.mpf(float(np.spacing(abs(number))))
                                self.assertLessEqual(abs(mpmath.mpf(float(number)) - value), unit * mpmath.mpf("0.5000001"))

    @unittest.skipIf(cases.missing("mpmath"), "mpmath is not installed")
    def test_frequencies(self):
        """About half a unit in the last place for a plain ladder, three under an extension."""
        import mpmath
        with mpmath.workdps(60):
            b, two, turn = mpmath.mpf(10000), mpmath.mpf(2), 2 * mpmath.pi
            plain_ladder = [b ** (-mpmath.mpf(2 * i) / 128) for i in range(64)]

            def llama3_of(theta):
                low, high = 8192 / mpmath.mpf(1), 8192 / mpmath.mpf(4)
                length = turn / theta
                blend = (8192 / length - 1) / 3
                return theta if length < high else theta / 8 if length > low else (1 - blend) * theta / 8 + blend * theta
            base = mpmath.mpf(10000) * two ** (mpmath.mpf(128) / 126)
            ntk = [base ** (-mpmath.mpf(2 * i) / 128) for i in range(64)]
            rope = rs.Rope(trained_length=8192)
            extended = rope.with_scaling("llama3", factor=8, low_frequency_factor=1, high_frequency_factor=4)
            for found, due, most in ((rope, plain_ladder, 0.51), (rope.with_scaling("linear", factor=3),
                                     [theta / 3 for theta in plain_ladder], 3), (rope.with_scaling("ntk-aware", factor=2), ntk, 3),
                                     (extended, list(map(llama3_of, plain_ladder)), 3)):
                for number, value in zip(found.frequencies, due):
                    self.assertLessEqual(abs(mpmath.mpf(float(number)) - value), mpmath.mpf(float(np.spacing(number))) * most)

    def test_the_same_on_every_processor(self):
        code = ("import hashlib, numpy as np, ropescope as rs\n"
                "rope, many = rs.Rope(), np.arange(3000) * 7\n"
                "tables = [rope.cos_sin(many, *how) for how in ((), ('float64', 'exact'), ('float64', 'float32-ggml-cpu'))]\n"
                "tables += [rope.precision('bfloat16-inputs', many).values(), rs.encoding('rope', many, dim=128).values()]\n"
                "print(hashlib.md5(b''.join(one.tobytes() for pair in tables for one in pair)).hexdigest())")
        found = {subprocess.run([sys.executable, "-c", code], env={**os.environ, "ROPESCOPE_PROCESSOR": processor},
                                capture_output=True, text=True, check=True).stdout for processor in ("", "avx2", "portable")}
        self.assertEqual(len(found), 1)

    def test_any_number_of_threads(self):
        rope, places = rs.Rope(), np.arange(50000)
        for compute in (lambda threads: rope.cos_sin(places, threads=threads)[0],
                        lambda threads: rope.cos_sin(places, "float64", "exact", threads=threads)[1],
                        lambda threads: rope.cos_sin(places[:3000], how="float16-everything", threads=threads)[0],
                        lambda threads: rope.precision("float32", places[:3000], threads=threads)["score_error"],
                        lambda threads: rope.similarity(places, threads=threads),
                        lambda threads: rope.similarity(places[:3000] + 0.3, threads=threads),
                        lambda threads: rope.bound(places, threads=threads)):
            self.assertEqual(compute(1).tobytes(), compute(3).tobytes())


class Rotation(cases.Case):
    def setUp(self):
        super().setUp()
        self.x = np.random.default_rng(1).standard_normal((2, 3, 20, 64)).astype(np.float32)

    def turned(self, x, positions, interleaved=False):
        angle = np.asarray(positions)[:, None] * plain(64, 10000)
        pairs = (x[..., ::2], x[..., 1::2]) if interleaved else (x[..., :32], x[..., 32:])
        z = (pairs[0] + 1j * pairs[1]) * np.exp(1j * angle)
        out = np.empty_like(x)
        if interleaved:
            out[..., ::2], out[..., 1::2] = z.real, z.imag
        else:
            out[..., :32], out[..., 32:] = z.real, z.imag
        return out

    def test_both_pairings(self):
        rope, places = rs.Rope(dim=64), np.arange(7, 27)
        y = rope.rotate(self.x, places)
        self.assertEqual((y.dtype, y.shape), (self.x.dtype, self.x.shape))
        np.testing.assert_allclose(y, self.turned(self.x, places), atol=1e-6)
        np.testing.assert_allclose(rope.rotate(self.x, places, "interleaved"), self.turned(self.x, places, True), atol=1e-6)

    def test_heads_after_tokens_and_pieces(self):
        rope, places = rs.Rope(dim=64), np.arange(20)
        tokens_first = self.x.swapaxes(1, 2)  # lies in pieces
        y = rope.rotate(tokens_first, places[:, None])
        np.testing.assert_array_equal(y.swapaxes(1, 2), rope.rotate(self.x, places))
        with self.assertRaisesRegex(rs.InputError, "positions"):
            rope.rotate(self.x, np.arange(19))
        with self.assertRaisesRegex(rs.InputError, "64"):
            rope.rotate(self.x[..., :32], places)


class Curves(cases.Case):
    def test_similarity_and_bound(self):
        rope = rs.Rope()
        distances = np.concatenate((np.arange(3000), [-5, 0.5, 2999, 7]))
        angle = distances[:, None] * plain(128, 10000)
        np.testing.assert_allclose(rope.similarity(distances), np.cos(angle).mean(1), atol=1e-12)
        partial = np.abs(np.cumsum(np.exp(1j * angle), 1)).mean(1)
        np.testing.assert_allclose(rope.bound(distances), partial, atol=1e-10)
        reverse = np.abs(np.cumsum(np.exp(1j * angle[:, ::-1]), 1)).mean(1)
        np.testing.assert_allclose(rope.bound(distances, order="slow-first"), reverse, atol=1e-10)
        self.assertEqual(rope.similarity(np.zeros((2, 3))).shape, (2, 3))
        self.assertEqual(rope.similarity(0), 1)

    def test_one_number_gives_one_number(self):
        rope = rs.Rope()
        for number in (rope.similarity(1000), rope.bound(1000), rope.similarity(np.array(3.0)),
                       *rope.precision("float32", 100).values()):
            self.assertIs(type(number), np.float64)
        self.assertEqual(rope.similarity([1000]).shape, (1,))
        self.assertEqual(rope.similarity(1000), rope.similarity([1000])[0])

    def test_limits(self):
        limits = rs.Rope.from_preset("llama-2-7b").limits()
        self.assertEqual((limits["context"], limits["first_negative_distance"], limits["critical_dimension"]),
                         (4096, 1707, 92))
        self.assertAlmostEqual(limits["smallest_base"], 26952.34, delta=0.01)
        self.assertEqual((limits["unseen_ranges"], limits["trained_length"], limits["context_length"]),
                         (((46, 63),), 4096, None))
        self.assertEqual(len(limits["notes"]), 1)  # the published base
        limits = rs.Rope.from_preset("llama-3.1-8b").limits()
        self.assertEqual((limits["context"], limits["context_length"], limits["unseen_ranges"]),
                         (8192, 131072, ((35, 63),)))
        self.assertIn("131072", str(limits))
        self.assertIn("35 to 63", str(limits))
        with self.assertRaises(rs.InputError):
            rs.Rope().limits(0)

    def test_printed_limits_hold(self):
        """The printed bounds are rounded to the side on which the sentence is true."""
        import re
        for context in (8192, 65536):
            limits = rs.Rope().limits(context, factors=["linear"])
            said = str(limits)
            low, high = map(float, re.search(r"is ([\d.]+), rounded up; bases up to ([\d.]+) allow", said).groups())
            least, most = limits["window"]
            self.assertTrue(least <= low <= high <= most, said)
            for base in (low, high):
                self.assertGreater(rs.Rope(base=base).limits()["first_negative_distance"], context)
            robust = float(re.search(r"Above base ([\d.]+),", said)[1])
            self.assertTrue(limits["robust_base"] <= robust < limits["robust_base"] * 1.00001, said)
            found = limits["factors"]["linear"]
            if found["smallest"] is not None:
                self.assertGreaterEqual(float(re.search(r"allows it is ([\d.]+[\d])", said)[1]), found["smallest"])
            base = float(re.search(r"at base ([\d.]+[\d])", said)[1])
            self.assertEqual(rs.Rope(base=base).limits()["largest_context"], limits["shaken_context"])
        from ropescope.reports import _bound
        self.assertEqual((_bound(4869104.37, True), _bound(4869104.37, False)), ("4869110", "4869100"))
        self.assertEqual((_bound(4869104.37, True, 4869105), _bound(0.1234567, True), _bound(12.5, True)),
                         ("4869105", "0.123457", "12.5"))

    def test_precision_is_of_cos(self):
        rope, positions = rs.Rope(), [100, 99999]
        found = rope.precision("bfloat16-inputs", positions)
        cos, sin = (rough - exact for rough, exact in zip(rope.cos_sin(positions, "float64", "bfloat16-inputs"),
                                                          rope.cos_sin(positions, "float64", "exact")))
        np.testing.assert_array_equal(found["position"], positions)
        np.testing.assert_allclose(found["max_abs_error"], abs(cos).max(1), atol=1e-9)
        np.testing.assert_allclose(found["rms_error"], np.sqrt((cos**2 + sin**2).mean(1)), atol=1e-9)
        self.assertGreater(abs(sin[1]).max(), found["max_abs_error"][1])


class Arrays(cases.Case):
    def test_whatever_holds_numbers(self):
        rope, expected = rs.Rope(dim=8), rs.Rope(dim=8).similarity([1.0, 2.0, 3.0])

        class Own:
            def __array__(self, dtype=None):
                return np.array([1, 2, 3])

        for given in ([1, 2, 3], (1, 2, 3), range(1, 4), np.array([1, 2, 3], ">i2"), np.array([3, 2, 1], np.float16)[::-1],
                      np.arange(0, 8, 1)[1:4], Own()):
            np.testing.assert_array_equal(rope.similarity(given), expected)

    @unittest.skipIf(cases.missing("torch"), "torch is not installed")
    def test_torch(self):
        import torch
        rope = rs.Rope(dim=64)
        np.testing.assert_array_equal(rope.similarity(torch.arange(3)), rope.similarity(range(3)))
        x = torch.randn(2, 20, 64, requires_grad=True)
        expected = rope.rotate(x.detach().numpy(), range(20))
        np.testing.assert_array_equal(rope.rotate(x, range(20)), expected)
        short = x.detach().to(torch.bfloat16)
        y = rope.rotate(short, range(20))
        self.assertEqual(y.dtype, np.float32)
        np.testing.assert_array_equal(y, rope.rotate(short.float(), range(20)))
        cos, _ = rope.cos_sin(torch.arange(4), torch.float64)
        self.assertEqual(cos.dtype, np.float64)

    def test_nothing_is_copied(self):
        """A result owns its numbers, and what is checked is looked at where it lies."""
        curve = rs.Rope().similarity(np.arange(10))
        self.assertIsNotNone(curve.base)
        cos, sin = rs.Rope(dim=8).cos_sin(range(64), "float64", "exact")
        before = sys.getrefcount(cos)
        report = rs.check(cos=cos, sin=sin, against=rs.Rope(dim=8))
        self.assertTrue(report.agrees)
        self.assertEqual(sys.getrefcount(cos), before + 1)  # the report itself, for its map of differences
        del report
        self.assertEqual(sys.getrefcount(cos), before)


class Values(cases.Case):
    """A Rope behaves as a Python value."""

    def setUp(self):
        super().setUp()
        path = self.folder / "config.json"
        path.write_text(json.dumps(cases.LLAMA))
        preset = rs.Rope.from_preset
        self.ropes = [
            rs.Rope(), rs.Rope(64, 500, pairing="interleaved", head_dim=128, trained_length=2048),
            rs.Rope(8, ladder=[1, 0.5, 0.25, 0]), rs.Rope(64, ladder="1/(1+i)").with_scaling("linear", factor=4),
            rs.Rope(64, 1e5, scaling={"method": "yarn", "factor": 4}, trained_length=1000, length=3000, amplitude=1.5),
            rs.Rope(axes=[{"name": "row", "dim": 16, "base": 100}, {"name": "column", "dim": 16, "base": 1e4}]),
            rs.Rope(axes=[{"name": "position", "dim": 64, "base": 1e6, "live_fraction": 0.25, "factor": 8}]),
            rs.Rope.from_config(cases.LLAMA), rs.Rope.from_config(path), preset("llama-2-7b"),
            preset("gemma-3-4b-it", profile="sliding attention"),
            preset("llama-2-7b").with_scaling("yarn", factor=np.float32(4), length=9000),
            preset("llama-3.1-8b").replace(base=1e6).with_scaling("linear", factor=2),
            *map(preset, rs.presets()[::4])]

    def test_equal_and_hashed(self):
        again = [rs.Rope.from_config(cases.LLAMA), rs.Rope.from_preset("llama-3.1-8b")]
        self.assertEqual(again[0], again[1])  # the same numbers
        self.assertEqual(hash(again[0]), hash(again[1]))
        self.assertEqual(len({*again, rs.Rope(), rs.Rope(128, 10000)}), 2)
        for other in (rs.Rope(base=500), rs.Rope(pairing="interleaved"), rs.Rope(head_dim=256), rs.Rope(trained_length=9),
                      rs.Rope(amplitude=2), rs.Rope(length=9), rs.Rope().with_scaling("linear", factor=2), 3, None):
            self.assertNotEqual(rs.Rope(), other)

    def test_repr_evaluates(self):
        for rope in self.ropes:
            again = eval(repr(rope), {"Rope": rs.Rope})
            self.assertEqual(again, rope, repr(rope))
            self.assertEqual(repr(again), repr(rope))
            self.assertEqual(hash(again), hash(rope))
        self.assertEqual(repr(rs.Rope(64, 500)), "Rope(dim=64, base=500.0)")
        self.assertEqual(repr(self.ropes[9]), "Rope.from_preset('llama-2-7b')")

    def test_pickled_and_copied(self):
        for rope in self.ropes:
            self.assertIs(copy.copy(rope), rope)
            self.assertIs(copy.deepcopy([rope])[0], rope)
            for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
                again = pickle.loads(pickle.dumps(rope, protocol))
                self.assertEqual(again, rope)
                for name in ("profile", "profiles", "notes", "context_length"):
                    self.assertEqual(getattr(again, name), getattr(rope, name))
                self.assertEqual(repr(again), repr(rope))
        cos, sin = self.ropes[7].cos_sin(range(64))
        again = pickle.loads(pickle.dumps(self.ropes[7]))
        self.assertEqual(rs.check(cos=cos, sin=sin, against=again).json(), rs.check(cos=cos, sin=sin, against=self.ropes[7]).json())

    def test_multiprocessing(self):
        import concurrent.futures
        import multiprocessing
        rope, distances = self.ropes[-1], [[1, 2, 3], [4, 5]]
        with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            found = list(pool.map(rope.similarity, distances))
        for numbers, given in zip(found, distances):
            np.testing.assert_array_equal(numbers, rope.similarity(given))

    def test_replace(self):
        rope = rs.Rope.from_preset("llama-3.1-8b")
        changed = rope.replace(base=1e6, trained_length=4096)
        self.assertEqual((changed.base, changed.trained_length, changed.scaling, rope.base), (1e6, 4096, "llama3", 5e5))
        self.assertEqual(rope.replace(), rope)
        self.assertEqual(rope.replace(scaling=None).scaling, "none")
        self.assertEqual(rs.Rope(8).replace(dim=16, pairing="interleaved"), rs.Rope(16, pairing="interleaved"))
        two = rs.Rope(axes=[{"name": "a", "dim": 8, "base": 10}, {"name": "b", "dim": 8, "base": 20}])
        self.assertEqual((two.base, two.replace(base=30).base, two.axes), (None, 30, ["a", "b"]))
        own = rs.Rope(8, ladder=[1, 2, 3, 4])
        self.assertEqual((own.base, own.replace(ladder=None, base=5)), (None, rs.Rope(8, 5)))
        self.assertEqual(two.replace(axes=None, base=5, dim=8), rs.Rope(8, 5))
        one = [{"name": "a", "dim": 8, "base": 10}]
        self.assertEqual(rs.Rope(8).replace(axes=one), rs.Rope(axes=one))
        for wrong in (lambda: own.replace(base=5), lambda: rope.replace(base=0.5), lambda: two.replace(dim=4),
                      lambda: two.replace(axes=one, base=5), lambda: rope.replace(axes=one, base=5)):
            with self.assertRaises(rs.InputError):
                wrong()

    def test_configs_of_other_programs(self):
        rope = rs.Rope.from_preset("llama-3.1-8b")
        config = rope.to_config("transformers")
        self.assertEqual(rs.Rope.from_config({"model_type": "llama", **config}), rope)
        self.assertEqual(rope.to_config("vllm"), config)
        mlx = rope.to_config("mlx")
        self.assertEqual((mlx["rope_theta"], mlx["rope_traditional"], mlx["rope_scaling"]["rope_type"]), (5e5, False, "llama3"))
        self.assertEqual(rs.Rope.from_config({"model_type": "llama", **mlx}), rope)
        self.assertIsNone(rs.Rope(64).to_config("mlx")["rope_scaling"])
        self.assertIn("--rope-freq-base", rs.Rope(base=500).to_config("llama.cpp"))
        names = {}
        exec(rope.to_config("numpy"), names)
        np.testing.assert_allclose(names["frequency"], rope.frequencies, rtol=1e-12)
        own = rs.Rope(8, ladder=[1, 2, 3, 4])
        for wrong in (lambda: rope.to_config("ollama"), lambda: own.to_config("transformers"),
                      lambda: rope.with_scaling("dynamic", factor=2).to_config("mlx")):
            with self.assertRaises(rs.InputError):
                wrong()
        with self.assertWarns(UserWarning):
            rs.Rope.from_preset("gemma-3-4b-it").to_config("llama.cpp")

    def test_configs_say_that_the_pairing_is_lost(self):
        import warnings
        for pairing, program, lost in (("interleaved", "transformers", True), ("interleaved", "vllm", True),
                                       ("interleaved", "llama.cpp", True), ("interleaved", "mlx", False),
                                       ("half", "transformers", False), ("half", "llama.cpp", False)):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                config = rs.Rope(pairing=pairing).to_config(program)
            self.assertEqual([each.category for each in caught], [UserWarning] * lost, (pairing, program))
            if lost:
                self.assertIn("interleaved", str(caught[0].message))
                self.assertEqual(pathlib.Path(caught[0].filename).name, "test_rope.py")
            if program == "mlx":
                self.assertIs(config["rope_traditional"], True)
                self.assertEqual(rs.Rope.from_config(config).pairing, pairing)
        self.assertNotIn("max_position_embeddings", rs.Rope().to_config("transformers"))

    def test_tables_with_and_without_pandas(self):
        from unittest import mock
        with mock.patch.dict(sys.modules, {"pandas": None}):
            columns = rs.sweep("decay.first_negative", {"rope.base": [100, 1000]})
            self.assertIsInstance(columns, dict)
        self.assertEqual(list(columns), ["rope.base", "decay.first_negative"])
        self.assertEqual(list(columns["rope.base"]), [100, 1000])
        if cases.missing("pandas"):
            self.skipTest("pandas is not installed")
        import pandas
        frame = rs.table({"a": rs.Rope(), "b": rs.Rope(base=500)}, "decay.first_negative")
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertEqual(list(frame["rope"]), ["a", "b"])



LONG = """
import sys, time, ropescope as rs
print("begins", flush=True)
try:
    rs.Rope(dim=2048, base=1e11).limits(2**24 - 1)
except KeyboardInterrupt:
    print("interrupted")
"""


class Import(cases.Case):
    """What draws is imported when it is first used, and says what is missing."""

    def run_python(self, code):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    @unittest.skipUnless(sys.platform == "linux", "libraries are listed on Linux")
    def test_numbers_need_no_library_that_draws(self):
        said = self.run_python("""
import ropescope as rs, sys
rope = rs.Rope.from_preset("llama-2-7b")
cos, sin = rope.cos_sin(range(64))
rs.check(cos=cos, sin=sin, against=rope).assert_agrees()
rs.compare(rope, "llama-3.1-8b"), rope.limits(64), rs.encoding("rope", [1]), rs.layout("flux.1", grid=(2, 2)).cos_sin()
print("ropescope._figures" in sys.modules, "matplotlib" in sys.modules, "pandas" in sys.modules)
print(open("/proc/self/maps").read())
""")
        self.assertTrue(said.startswith("False False False"), said[:99])
        for library in ("pango", "cairo", "rsvg", "icuuc", "jpeg", "glib"):
            self.assertNotIn("lib" + library, said)

    def test_a_missing_library_is_named(self):
        said = self.run_python("""
import sys
sys.modules["ropescope._figures"] = None
import ropescope as rs
for use in (lambda: rs.figure, lambda: rs.sweep("decay.trend", "rope.base=10,20"), lambda: rs.table("llama-2-7b")):
    try:
        use()
    except ImportError as error:
        print(error)
print(rs.Rope().cos_sin([1])[0].shape)
""")
        self.assertEqual(said.count("figures, sweep() and table() need a library that is missing"), 3)
        self.assertIn("(1, 128)", said)


class Misuse(cases.Case):
    """What a caller gets wrong ends in an exception of one short line."""

    def test_objects_without_a_value(self):
        from ropescope import _core, _figures
        classes = [each for module in (_core, _figures) for each in vars(module).values()
                   if type(each).__name__ == "pybind11_type"]
        self.assertGreaterEqual(len(classes), 3)
        for bound in classes:
            with self.assertRaisesRegex(TypeError, bound.__name__):
                repr(bound.__new__(bound))

            class Derived(bound):
                def __init__(self):
                    pass
            for made in (bound.__new__(bound), Derived.__new__(Derived)):
                for use in [repr, len, *(lambda one, name=name: getattr(one, name) for name in set(dir(bound)) - {"__init__"})]:
                    try:
                        member = use(made)
                        if callable(member) and not isinstance(member, type):
                            member()
                    except (TypeError, AttributeError):
                        pass
                for use in (rs.Rope.from_config, lambda one: rs.figure("decay", one), lambda one: rs.compare(one, one),
                            lambda one: rs.check(against=one, frequencies=[1.0])):
                    with self.assertRaises((TypeError, rs.InputError)):
                        use(made)
        rope = rs.Rope.__new__(rs.Rope)
        with self.assertRaises(rs.InputError):
            rope.__init__(dim=-1)
        with self.assertRaises(TypeError):
            rope.cos_sin([1])
        rope.__init__(dim=8)
        self.assertEqual(rope.head_dim, 8)

    def test_copies_and_pickles(self):
        for made in (rs.layout("flux.1", grid=(2, 2)), rs.figure("decay")):
            self.assertIs(copy.copy(made), made)
            self.assertIs(copy.deepcopy([made])[0], made)
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            with self.assertRaisesRegex(TypeError, "Figure"):
                pickle.dumps(made, protocol)
            for how in ({"grid": (2, 3)}, {"size": "64x32", "text": 3, "references": [(64, 64)]}):
                layout = rs.layout("flux.1-kontext", **how)
                np.testing.assert_array_equal(pickle.loads(pickle.dumps(layout, protocol)).ids, layout.ids)
        # An iterator is read once, and neither later changes of an argument nor of what pickle gets affect a layout.
        size, references = [64, 32], [[64, 64]]
        layout = rs.layout("flux.1-kontext", size, references=references)
        once = rs.layout("flux.1-kontext", size, references=(pair for pair in references))
        size[0] = references[0][0] = 128
        layout.__reduce__()[1][0]["name"] = "other"
        for made in (layout, once, pickle.loads(pickle.dumps(layout)), pickle.loads(pickle.dumps(once))):
            np.testing.assert_array_equal(made.ids, layout.ids)
        self.assertEqual(len(rs.layout("flux.1", None, (2, 3))), 6)

    def test_messages_are_short_lines(self):
        rope, long = rs.Rope(dim=8), "x" * 300000
        for wrong, part in ((lambda: rs.Rope(dim=long), "dim"), (lambda: rs.Rope(dmi=3), "dmi"),
                            (lambda: rs.Rope(ladder=[object()] * 9999), "ladder"), (lambda: rope.rotate(), "rotate"),
                            (lambda: rope.cos_sin([1], threads=long), "threads"), (lambda: rs.layout(3), "layout"),
                            (lambda: rs.figure("decay", theme=3), "theme"), (lambda: rs.figure(3), ""),
                            (lambda: rope.limits(context=long), "context"), (lambda: rs.compare(rope, rope, threads=[]), "")):
            with self.assertRaises(TypeError) as caught:
                wrong()
            message = str(caught.exception)
            self.assertLess(len(message), 1500, message[:99])
            self.assertNotIn("\n", message)
            self.assertIn(part, message)
        for wrong in (lambda: rs.Rope.from_preset(long), lambda: rs.Rope.from_preset("x y" * 100000),
                      lambda: rs.Rope.from_config(long), lambda: rs.Rope(pairing=long), lambda: rs.layout(long),
                      lambda: rs.layout("flux.1", **{long: 3}), lambda: rope.with_scaling(long), lambda: rs.figure(long),
                      lambda: rs.figure("decay", **{long: 3}), lambda: rs.figure("decay", font="\n" * 9999, theme=long),
                      lambda: rope.cos_sin([1], how=long), lambda: rope.similarity([1], axis=long),
                      lambda: rs.layout("flux.1", size=long), lambda: rs.figure("decay").save(long + ".x"),
                      lambda: rs.figure("decay", panel=long).csv(), lambda: rs.check(against=rope, ids=[1], part=long)):
            with self.assertRaises(rs.InputError) as caught:
                wrong()
            message = str(caught.exception)
            self.assertLess(len(message), 2100, message[:99])
            self.assertNotIn("\n", message)

    def test_an_unknown_readout(self):
        over = {"over": "rope.base=100..1000:3", "set": {"decay.span": 100}}
        rs.figure("sweep", readout="decay.lowest", **over).csv()
        with self.assertRaisesRegex(rs.InputError, "decay.lowest"):
            rs.figure("sweep", readout="decay.lowst", **over).csv()


class Work(cases.Case):
    def test_other_threads_go_on(self):
        """While one thread computes, another counts: Python's lock is free."""
        count, done = [0], threading.Event()

        def counts():
            while not done.is_set():
                count[0] += 1
                time.sleep(0.001)

        thread = threading.Thread(target=counts)
        thread.start()
        seen = count[0]
        deadline = time.monotonic() + 60
        while count[0] < seen + 3 and time.monotonic() < deadline:
            rs.Rope(dim=512).bound(np.arange(200000), threads=1)
        done.set()
        thread.join()
        self.assertGreaterEqual(count[0], seen + 3)

    def test_ctrl_c(self):
        program = subprocess.Popen([sys.executable, "-c", LONG], stdout=subprocess.PIPE, text=True)
        self.assertEqual(program.stdout.readline(), "begins\n")
        time.sleep(0.5)
        program.send_signal(signal.SIGINT)
        self.assertEqual(program.communicate(timeout=60)[0], "interrupted\n")


class LayoutsTakeWords(cases.Case):
    """Methods by name, NumPy's scalars as numbers, whole numbers alone where tokens are counted."""

    def test_axes_are_extended(self):
        plain = rs.layout("flux.1", grid=(96, 128))
        dype = rs.layout("flux.1", grid=(96, 128), scaling="dype", diffusion_time=0.5)
        self.assertFalse(np.array_equal(plain.cos_sin()[0], dype.cos_sin()[0]))
        with self.assertRaises(rs.InputError):
            rs.layout("flux.1", grid=(96, 128), scaling=1)

    def test_scalars_of_numpy(self):
        rope = rs.Rope(64)
        named = rope.with_scaling("linear", factor=np.float32(4)).inverse_frequencies
        np.testing.assert_array_equal(named, rope.inverse_frequencies / 4)
        layout = rs.layout("flux.1", grid=(4, 6))
        np.testing.assert_array_equal(layout.similarity(np.int64(5)), layout.similarity(5))
        with self.assertRaises(rs.InputError):
            rs.layout("flux.1", grid=(4, 6), text=1.9)


if __name__ == "__main__":
    cases.run()
