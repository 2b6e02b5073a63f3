"""record(): q, k and tables of every layer, with torch; and the fixture of the pytest plugin."""
import json
import os
import subprocess
import sys
import unittest

import numpy as np

import cases
import ropescope as rs


@unittest.skipIf(cases.missing("torch"), "torch is not installed")
class Records(cases.Case):
    def setUp(self):
        super().setUp()
        import torch
        torch.manual_seed(1)
        self.rope, self.tokens = rs.Rope.from_config(cases.LLAMA), torch.randn(2, 40, 64)

    def recorded(self, layers=None, **model):
        import models
        made = models.Model(base_frequencies=self.rope.inverse_frequencies, **model)
        with rs.record(made, layers=layers) as dump:
            made(self.tokens)
        self.assertIs(models.apply_rope.__name__, "apply_rope")
        return dump

    def test_every_layer(self):
        for how in ("together", "apart"):
            dump = self.recorded(layers=None, how=how)
            self.assertEqual(len(dump), 2, how)
            for layer in dump:
                self.assertEqual((layer.q.shape, layer.k.shape, layer.cos.shape), ((2, 4, 40, 128), (2, 2, 40, 128),
                                                                                 (1, 40, 128)))
                np.testing.assert_array_equal(layer.positions, np.arange(40))
                np.testing.assert_allclose(layer.q, self.rope.rotate(layer.q_before, range(40)), atol=1e-4)
                np.testing.assert_allclose(layer.k, self.rope.rotate(layer.k_before, range(40)), atol=1e-4)
                rs.check(against=cases.LLAMA, **layer.tensors(item=1)).assert_agrees()
            self.assertFalse(np.array_equal(dump[0].q, dump[1].q))
            np.testing.assert_array_equal(dump.q, dump[0].q)

    def test_checks_keys_heads_and_items(self):
        dump = self.recorded()
        self.assertEqual([dump[0].tensors(of)["before"].shape for of in "qk"], [(40, 4, 128), (40, 2, 128)])
        self.assertEqual(dump[0].tensors("q", heads=1)["after"].shape, (40, 1, 128))
        self.assertFalse(np.array_equal(dump[0].tensors(item=0)["before"], dump[0].tensors(item=1)["before"]))
        self.assertTrue(dump.check(cases.LLAMA).agrees)
        self.assertEqual(dump[1].check(self.rope).checked, {"layer": None, "name": dump[1].name, "of": "q", "item": 0})
        for item in (2, 5, -3):
            with self.assertRaises(IndexError):
                dump[0].tensors(item=item)
        with self.assertRaisesRegex(rs.InputError, "of is"):
            dump[0].tensors("v")
        # One head of one item of k is not rotated: nothing else shows it.
        dump[1].k[1, 1] = dump[1].k_before[1, 1]
        self.assertTrue(rs.check(against=self.rope, **dump[1].tensors("q")).agrees)
        self.assertEqual(rs.check(against=self.rope, **dump[1].tensors("k", item=1)).verdict, "disagrees")
        report = dump.check(self.rope)
        self.assertEqual((report.verdict, report.checked),
                         ("disagrees", {"layer": 1, "name": dump[1].name, "of": "k", "item": 1}))
        self.assertEqual(dump[1].check(self.rope).verdict, "disagrees")
        with self.assertRaises(rs.RopeMismatch) as caught:
            report.assert_agrees()
        self.assertIn("k, item 1", str(caught.exception))
        # Heads beyond the fourth count as well: two more that are not rotated.
        more = self.recorded()[0]
        more.q = np.concatenate([more.q, more.q_before[:, :2]], axis=1)
        more.q_before = np.concatenate([more.q_before, more.q_before[:, :2]], axis=1)
        self.assertEqual(more.tensors()["after"].shape, (40, 6, 128))
        report = more.check(cases.LLAMA)
        self.assertEqual((report.verdict, report.checked["of"]), ("disagrees", "q"))
        # Keys that were not recorded are not said to agree.
        dump[0].k_before = dump[0].k = None
        with self.assertRaises(rs.InputError):
            dump[0].tensors("k")
        with self.assertWarnsRegex(UserWarning, "only q"):
            dump[0].check(self.rope)

    def test_every_item_has_its_positions(self):
        """A batch padded on the left: its items have different positions."""
        import models
        import torch
        made = models.Model(base_frequencies=self.rope.inverse_frequencies)
        places = torch.stack((torch.arange(40), torch.arange(40) + 7))
        with rs.record(made) as dump:
            made.layers[0](self.tokens, *made.rotary_emb(self.tokens, places))
        np.testing.assert_array_equal(dump[0].tensors("k", item=1)["positions"], np.arange(40) + 7)
        self.assertTrue(dump.check(self.rope).agrees)

    def test_layers_are_documented(self):
        import pydoc
        from ropescope import dump
        self.assertIs(dump.Layer, rs.Layer)
        self.assertIn("class Layer", pydoc.render_doc(dump, renderer=pydoc.plaintext))

    def test_some_layers_and_other_floats(self):
        import torch
        dump = self.recorded(layers=1, dtype=torch.bfloat16)
        self.assertEqual((len(dump), dump.cos.dtype), (1, np.float32))
        wrong = {**cases.LLAMA, "rope_theta": 10000.0}
        self.assertEqual(rs.check(against=wrong, **self.recorded()[0].tensors()).verdict, "disagrees")

    def test_two_tables(self):
        """As Gemma 3: both tables are made first, and each layer is given one of them."""
        import models
        made = models.Model(base_frequencies=self.rope.inverse_frequencies)
        made.other = models.RotaryEmbedding(rs.Rope().inverse_frequencies, made.rotary_emb.dtype)
        with rs.record(made) as dump:
            import torch
            places = torch.arange(40)[None]
            tables = [made.rotary_emb(self.tokens, places), made.other(self.tokens, places)]
            for layer, table in zip(made.layers, tables):
                layer(self.tokens, *table)
        for layer, rope in zip(dump, (self.rope, rs.Rope())):
            np.testing.assert_array_equal(layer.positions, np.arange(40))
            rs.check(against=rope, **layer.tensors()).assert_agrees()

    def test_tables_alone_and_nothing(self):
        dump = self.recorded(how="none")
        self.assertIsNone(dump.q)
        self.assertTrue(rs.check(against=self.rope, **dump[0].tensors()).agrees)
        import torch
        plain = torch.nn.Linear(64, 64)
        with self.assertRaisesRegex(RuntimeError, "nothing was recorded"):
            with rs.record(plain):
                plain(self.tokens)

    def test_puts_everything_back(self):
        import models
        before = models.apply_rotary_pos_emb
        made = models.Model(base_frequencies=self.rope.inverse_frequencies)
        with self.assertRaises(ZeroDivisionError):
            with rs.record(made):
                self.assertIsNot(models.apply_rotary_pos_emb, before)
                1 / 0
        self.assertIs(models.apply_rotary_pos_emb, before)
        self.assertNotIn("forward", vars(made.rotary_emb))


PORT = """
import numpy as np

def tables(base):
    angle = np.arange(256)[:, None] * base ** (-np.arange(0, 128, 2) / 128)
    return {"cos": np.cos(angle).astype("float32"), "sin": np.sin(angle).astype("float32")}

def test_right(rope_reference):
    rope_reference("config.json").assert_agrees(**tables(10000.0))

def test_wrong(rope_reference):
    rope_reference("config.json").assert_agrees(**tables(500000.0))
"""


class Helpers(cases.Case):
    def test_copies_and_captures(self):
        """python -m ropescope.dump copies the helpers; ropescope.dump.save() writes what check reads."""
        run = [sys.executable, "-m", "ropescope.dump"]
        said = subprocess.run(run, capture_output=True, text=True, cwd=self.folder)
        names = [line.split()[0] for line in said.stdout.splitlines()]
        self.assertEqual((said.returncode, names), (0, ["ropescope_dump.py", "ropescope_dump.h", "ropescope_ggml.h"]))
        subprocess.run([*run, *names], check=True, capture_output=True, cwd=self.folder)
        for name in names:
            self.assertEqual((self.folder / name).read_bytes(), (cases.SOURCE / "assets/dump" / name).read_bytes())
        again = subprocess.run([*run, names[0]], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(again.returncode, 1)
        self.assertIn("already exists", again.stderr)
        from ropescope import dump
        cos, sin = rs.Rope.from_config(cases.LLAMA).cos_sin(range(64))
        dump.save(str(self.folder / "out.safetensors"), {"cos": cos, "sin": sin}, config=cases.LLAMA)
        self.assertGreater((self.folder / "out.safetensors").stat().st_size, 2 * cos.nbytes)


class Plugin(cases.Case):
    @unittest.skipIf(cases.missing("pytest"), "pytest is not installed")
    def test_failure_shows_the_report(self):
        config = {key: value for key, value in cases.LLAMA.items() if key != "rope_scaling"}
        (self.folder / "config.json").write_text(json.dumps({**config, "rope_theta": 10000.0}))
        (self.folder / "test_port.py").write_text(PORT)
        run = subprocess.run([sys.executable, "-m", "pytest", "-p", "ropescope.pytest_plugin", "-p", "no:cacheprovider", "-q"],
                             cwd=self.folder, capture_output=True, text=True, env={**os.environ, "COLUMNS": "120"})
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn("1 failed, 1 passed", run.stdout)
        for said in ("disagrees: base", "500000", "cos"):
            self.assertIn(said, run.stdout.replace("\u202f", " "))
        self.assertNotIn("Traceback", run.stdout)


class Stubs(cases.Case):
    def test_stubs_and_reference_have_the_docstrings(self):
        """assets/reference/make.py writes them."""
        import runpy
        made = runpy.run_path(str(cases.SOURCE / "assets/reference/make.py"))
        self.assertEqual(made["STUBS"].read_text(), made["stubs"]())
        self.assertEqual(json.loads(made["TARGET"].read_text()), made["reference"]())

    def test_name_what_there_is(self):
        """The stubs' classes and functions have the members of the module, and the other way round."""
        import ast
        tree = ast.parse((cases.SOURCE / "app/python/ropescope/__init__.pyi").read_text())
        said = {node.name: node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        variables = {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)}
        self.assertLessEqual(set(rs.__all__), set(said) | variables)
        for name in ("Rope", "Layout", "Figure", "CheckReport", "Comparison"):
            members = {node.name for node in said[name].body if isinstance(node, ast.FunctionDef)}
            there = {member for member in vars(getattr(rs, name)) if not member.startswith("_") or member.startswith("_repr_")}
            self.assertEqual({each for each in members if not each.startswith("__")}, there, name)
        for name in rs.__all__:
            self.assertTrue(getattr(rs, name).__doc__, name)
        for name in ("Rope", "Layout", "Figure"):
            for member, value in vars(getattr(rs, name)).items():
                if not member.startswith("_"):
                    self.assertTrue(value.__doc__, name + "." + member)


if __name__ == "__main__":
    cases.run()
