"""Layouts, check() and compare(): the reports are those of the program, the tensors are looked at where they lie."""
import itertools
import json
import math
import os
import unittest

import numpy as np

import cases
import ropescope as rs


class Layouts(cases.Case):
    def test_ids_and_tables(self):
        layout = rs.layout("flux.1", size=(64, 32), text=3)
        self.assertEqual((len(layout), layout.ids.shape, layout.axes), (3 + 8, (11, 3), ["t", "row", "column"]))
        np.testing.assert_array_equal(layout.ids[3:], [[0, row, column] for row in range(2) for column in range(4)])
        cos, sin = layout.cos_sin("float64")
        angle = layout.ids @ layout.inverse_frequencies
        np.testing.assert_allclose(cos, np.cos(angle), atol=1e-14)
        np.testing.assert_allclose(sin, np.sin(angle), atol=1e-14)
        self.assertEqual([block["part"] for block in layout.blocks], ["text", "image"])

    def test_similarity_of_a_patch(self):
        layout = rs.layout("flux.1", size="64x32", text=3)
        angle = layout.ids @ layout.inverse_frequencies
        row = 3 + 1 * 4 + 2
        for patch in (row, (1, 2), (0, 1, 2)):
            expected = np.cos(angle - angle[row]).mean(1)
            np.testing.assert_allclose(layout.similarity(patch), expected, atol=1e-14)
        with self.assertRaisesRegex(rs.InputError, "2 rows"):
            layout.similarity((2, 0))

    def test_what_cannot_be_arranged(self):
        for name, fields, said in (("flux.7", {}, "flux.1"), ("flux.1", {"size": (65, 32)}, "65"),
                                   ("flux.1", {"size": (64, 32), "frames": 2}, "frames"),
                                   ("flux.1", {"size": (64, 32), "grid": (2, 4)}, "grid")):
            with self.assertRaisesRegex(rs.InputError, said):
                rs.layout(name, **fields)

    def test_fields(self):
        own = rs.layout("flux.1-kontext", size=(64, 64), references=[(32, 32)])
        self.assertIn("reference1", [block["part"] for block in own.blocks])
        video = rs.layout("wan", size=(64, 64), frames=3)
        self.assertEqual(video.blocks[-1]["frames"], 3)


class Checks(cases.Case):
    def setUp(self):
        super().setUp()
        self.rope = rs.Rope.from_config(cases.LLAMA)
        self.cos, self.sin = self.rope.cos_sin(range(512))

    def test_agrees(self):
        for against in (self.rope, cases.LLAMA, (self.cos, self.sin)):
            report = rs.check(cos=self.cos, sin=self.sin, against=against)
            self.assertEqual((report.verdict, report.causes, report.advice), ("agrees", [], []))
            report.assert_agrees()
        self.assertIn("agrees", repr(report))

    def test_names_the_cause(self):
        cos, sin = rs.Rope(dim=128, base=10000).cos_sin(range(512))
        report = rs.check(cos=cos, sin=sin, against=rs.Rope(dim=128, base=500000))
        self.assertEqual((report.verdict, report.causes[0]["name"]), ("disagrees", "base"))
        self.assertIn("10000", json.dumps(report.causes[0]["parameters"]))
        self.assertTrue(report.advice[0])
        with self.assertRaises(rs.RopeMismatch) as caught:
            report.assert_agrees()
        self.assertIn("base", str(caught.exception))
        self.assertIsInstance(caught.exception, AssertionError)
        self.assertEqual(report.json()["verdict"], report.verdict)

    def test_slices_of_other_arrays(self):
        """Every second column of tables that lie in one array: nothing is copied, the same is said."""
        both = np.stack((self.cos, self.sin))
        self.assertTrue(rs.check(cos=both[0], sin=both[1], against=self.rope).agrees)
        self.assertTrue(rs.check(cos=both[0].T.copy().T, sin=both[1], against=self.rope).agrees)

    def test_vectors_positions_and_layouts(self):
        x = np.random.default_rng(2).standard_normal((4, 32, 128)).astype(np.float32)
        y = self.rope.rotate(x, range(5, 37))
        options = {"before": x, "after": y, "positions": np.arange(5, 37), "heads": "htd"}
        self.assertTrue(rs.check(against=self.rope, **options).agrees)
        self.assertFalse(rs.check(against=self.rope, **{**options, "after": y[:, ::-1]}).agrees)
        layout = rs.layout("flux.1", size=(64, 64), text=2)
        cos, sin = layout.cos_sin()
        self.assertTrue(rs.check(cos=cos, sin=sin, ids=layout.ids, against=layout).agrees)

    def test_what_cannot_be_checked(self):
        for given, said in (({}, "no input|tensor|nothing"), ({"cos": self.cos}, "sin"),
                            ({"cos": self.cos * np.nan, "sin": self.sin}, "cos"),
                            ({"cos": self.cos, "sin": self.sin, "heads": "hdt"}, "thd"),
                            ({"cos": self.cos, "sin": self.sin, "allow": ["base"]}, "sign")):
            with self.assertRaisesRegex(rs.InputError, said):
                rs.check(against=self.rope, **given)
        with self.assertRaisesRegex(TypeError, "cos contains bool"):
            rs.check(against=self.rope, cos=self.cos > 0, sin=self.sin)

    def test_every_shape_is_judged_or_refused(self):
        """Every shape of up to three axes as every input, empty ones too: a verdict, or one sentence."""
        sides = (0, 1, 2, 3, 64)
        shapes = [shape for axes in range(4) for shape in itertools.product(sides, repeat=axes) if math.prod(shape) < 1e5]
        roles = ("table", "ids", "frequencies", "cos sin", "before after")
        every = 1 if os.environ.get("ROPESCOPE_LONG") == "1" else 16
        judged = refused = 0
        for i, (shape, role) in enumerate(itertools.product(shapes, roles)):
            if i % every:
                continue
            given = {name: np.ones(shape, np.float32) for name in role.split()}
            if "heads" not in given and role == "before after":
                given["heads"] = "thd"
            try:
                self.assertIn(rs.check(against=self.rope, **given).verdict, ("agrees", "disagrees"), (shape, role))
                judged += 1
            except rs.InputError as error:
                self.assertNotIn("\n", str(error), (shape, role))
                refused += 1
        self.assertEqual(judged + refused, math.ceil(len(shapes) * len(roles) / every))
        self.assertGreater(min(judged, refused), 10)

    @unittest.skipIf(cases.missing("torch"), "torch is not installed")
    def test_bfloat16_of_torch(self):
        import torch
        cos, sin = (torch.from_numpy(table).to(torch.bfloat16) for table in (self.cos, self.sin))
        report = rs.check(cos=cos, sin=sin, against=self.rope)
        self.assertEqual(report.json()["inputs"][0]["storage"], "bfloat16")
        self.assertTrue(report.agrees)


class Comparisons(cases.Case):
    def test_compare(self):
        same = rs.compare(cases.LLAMA, rs.Rope.from_config(cases.LLAMA))
        self.assertEqual((same.verdict, same.differences), ("agrees", []))
        other = rs.compare(cases.LLAMA, {**cases.LLAMA, "rope_theta": 10000.0})
        self.assertEqual(other.verdict, "differs")
        self.assertIn("base", other.differences[0]["cause"])
        judged = rs.compare(cases.LLAMA, {**cases.LLAMA, "rope_theta": 10000.0}, baseline="a")
        self.assertEqual((judged.verdict, judged.json()["baseline"]), ("disagrees", "A"))
        with self.assertRaises(rs.RopeMismatch):
            other.assert_agrees()
        self.assertFalse(rs.compare(rs.Rope(), rs.Rope(base=500)).agrees)


if __name__ == "__main__":
    cases.run()
