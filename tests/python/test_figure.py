"""Figures: what they show, how a notebook and a file get them, and that they open again."""
import json
import unittest

import cases
import ropescope as rs


class Figures(cases.Case):
    def test_shows_itself(self):
        figure = rs.figure("decay", rs.Rope(base=500), size=(640, 480), span=512)
        self.assertTrue(figure._repr_svg_().startswith("<?xml"))
        self.assertEqual(figure._repr_png_()[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(figure.pdf()[:5], b"%PDF-")
        self.assertEqual(figure.view, "decay")

    def test_numbers_are_the_ropes(self):
        rope = rs.Rope(base=500)
        shown = json.loads(rs.figure("decay", rope, span=512).json())
        line = next(line for figure in shown["figures"] for line in figure["lines"] if figure["name"] == "similarity")
        value = dict(zip(line["x"], line["y"]))
        self.assertAlmostEqual(value[100], rope.similarity(100).item(), delta=1e-12)

    def test_saves_and_opens_again(self):
        figure = rs.figure("decay", {"mine": rs.Rope(base=500), "plain": rs.Rope()}, size="85x60mm")
        for ending, begin in ((".svg", b"<?xml"), (".pdf", b"%PDF"), (".png", b"\x89PNG"), (".csv", b"distance"),
                              (".json", b"{")):
            path = self.folder / ("figure" + ending)
            figure.save(path)
            self.assertTrue(path.read_bytes().startswith(begin), ending)
            if ending in (".svg", ".pdf", ".png"):
                again = rs.experiment(path, size="85x60mm")
                self.assertEqual(again.experiment, figure.experiment)
        self.assertEqual(again.png(), figure.png())
        with self.assertRaisesRegex(rs.InputError, "figure.txt"):
            figure.save(self.folder / "figure.txt")

    def test_ropes_and_facets(self):
        names = json.loads(rs.figure("decay", {"a": rs.Rope(base=500), "b": rs.Rope()}).experiment)["pins"]
        self.assertEqual([pin["name"] for pin in names], ["b"])
        cells = rs.figure("decay", facet={"rope.base": [1e4, 5e5]}, panel="similarity", span=64)
        self.assertIn("figures", json.loads(cells.json()))
        self.assertIn("rope.base", cells.experiment.replace("\\", "") + "rope.base")
        with self.assertRaisesRegex(rs.InputError, "panel"):
            rs.figure("decay", panel="none").svg()

    def test_says_what_cannot_be_shown(self):
        for make, said in ((lambda: rs.figure("decline"), "decay"), (lambda: rs.figure("decay", spam=3), "rope.base"),
                           (lambda: rs.figure("decay", size="2x2"), "2x2"), (lambda: rs.figure("decay", theme="blue"), "dark"),
                           (lambda: rs.figure("decay", language="xx"), "en"),
                           (lambda: rs.figure("decay", set={"rope.base": -1}), "base"),
                           (lambda: rs.figure("decay", [rs.Rope()] * 30), "30"),
                           (lambda: rs.experiment(self.folder / "none.svg"), "none.svg")):
            with self.assertRaisesRegex(rs.InputError, said):
                make()

    def test_every_view_can_be_drawn(self):
        with self.assertRaises(rs.InputError) as caught:
            rs.figure("none")
        views = [word.strip(' ."') for word in str(caught.exception).replace(" or ", ",").replace(":", ",").split(",")]
        drawn = 0
        for view in ("rotation", "frequencies", "decay", "limits", "precision"):
            self.assertTrue(any(view in word for word in views), views)
            rs.figure(view, size=(400, 300)).svg()
            drawn += 1
        self.assertEqual(drawn, 5)


class Notebook(cases.Case):
    """A notebook, executed as Debian's nbconvert does: the figure stands in it as SVG, the report as text."""

    @unittest.skipIf(cases.missing("nbconvert", "ipykernel"), "nbconvert or ipykernel is not installed")
    def test_runs(self):
        import nbformat
        from nbconvert.preprocessors import ExecutePreprocessor
        cells = ["import ropescope as rs\nrope = rs.Rope.from_preset('llama-2-7b')",
                 "rs.figure('decay', rope, size=(400, 300))",
                 "cos, sin = rope.cos_sin(range(64))\nrs.check(cos=cos, sin=sin, against=rope)"]
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        ExecutePreprocessor(timeout=120, kernel_name="python3").preprocess(notebook, {"metadata": {"path": str(self.folder)}})
        shown = notebook.cells[1].outputs[0].data
        self.assertIn("<svg", shown["image/svg+xml"])
        self.assertIn("image/png", shown)
        self.assertIn("agrees", notebook.cells[2].outputs[0].data["text/plain"])


if __name__ == "__main__":
    cases.run()
