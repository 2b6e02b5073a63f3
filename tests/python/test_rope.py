"""Rope: where it comes from, its numbers beside NumPy's, arrays of any kind, and what is said of what cannot be used."""
import json
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
                           (lambda: rs.Rope.from_config(7), "int"),
                           (lambda: rs.Rope(dim=7), "dim"),
                           (lambda: rs.Rope.from_preset("lama-2-7b"), "llama-2-7b"),
                           (lambda: rs.Rope().with_scaling("yran", factor=4), "yarn"),
                           (lambda: rs.Rope().with_scaling("linear", factor=0.5), "10000"),
                           (lambda: rs.Rope().with_scaling("linear", faktor=4), "one of factor"),
                           (lambda: rs.Rope().with_scaling("yarn"), "factor is missing"),
                           (lambda: rs.Rope().cos_sin([0], dtype="bfloat16"), "bfloat16"),
                           (lambda: rs.Rope().cos_sin([0], how="best"), "float32"),
                           (lambda: rs.Rope().cos_sin([np.nan]), "finite"),
                           (lambda: rs.Rope().cos_sin(["a"]), "positions"),
                           (lambda: rs.Rope().similarity([1], threads=-1), "0 to 256"),
                           (lambda: rs.Rope().similarity([1], axis="row"), "position")):
            with self.assertRaises(rs.InputError) as caught:
                make()
            self.assertIn(said, str(caught.exception))
        self.assertTrue(issubclass(rs.InputError, ValueError))


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

    def test_any_number_of_threads(self):
        rope, places = rs.Rope(), np.arange(50000)
        np.testing.assert_array_equal(rope.cos_sin(places, threads=1)[0], rope.cos_sin(places, threads=3)[0])


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

    def test_limits(self):
        limits = rs.Rope.from_preset("llama-2-7b").limits()
        self.assertEqual((limits["context"], limits["first_negative_distance"], limits["critical_dimension"]),
                         (4096, 1707, 92))
        self.assertAlmostEqual(limits["smallest_base"], 26952.34, delta=0.01)
        with self.assertRaises(rs.InputError):
            rs.Rope().limits(0)


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
        self.assertEqual(sys.getrefcount(cos), before)


LONG = """
import sys, time, ropescope as rs
print("begins", flush=True)
try:
    rs.Rope(dim=2048, base=1e11).limits(2**24 - 1)
except KeyboardInterrupt:
    print("interrupted")
"""


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
