"""Figures: what they show, how a notebook and a file get them, and that they open again."""
import json
import os
import signal
import subprocess
import sys
import time
import unittest
import unittest.mock

import numpy as np

import cases
import ropescope as rs


class Figures(cases.Case):
    def test_shows_itself(self):
        figure = rs.figure("decay", rs.Rope(base=500), size=(640, 480), span=512)
        self.assertTrue(figure.svg().startswith("<?xml"))
        self.assertEqual(figure.png()[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(figure.pdf()[:5], b"%PDF-")
        self.assertEqual(figure.view, "decay")

    def test_numbers_are_the_ropes(self):
        rope = rs.Rope(base=500)
        shown = json.loads(rs.figure("decay", rope, span=512).json())
        line = next(line for figure in shown["figures"] for line in figure["lines"] if figure["name"] == "similarity")
        value = dict(zip(line["x"], line["y"]))
        self.assertAlmostEqual(value[100], rope.similarity(100).item(), delta=1e-12)

    def test_content_from_weights(self):
        folder = cases.SOURCE / "tests/reference/weights/qwen2"
        kernels = rs.weights(folder, layer=1, span=64)[0]["kernels"]
        shown = json.loads(rs.figure("decay", rs.Rope(8, 1e4), span=64, set={
            "decay.content": "weights", "weights.path": folder, "weights.layer": 1, "weights.head": 2}).json())
        line = next(line for line in shown["figures"][0]["lines"] if line["key"] == "current")
        curve = dict(zip(line["x"], line["y"]))
        largest = kernels["biases"][1][5] / curve[5]
        values = dict(zip(kernels["distances"], kernels["biases"][1]))
        both = set(values) & set(curve)
        self.assertGreater(len(both), 10)
        for distance in both:
            self.assertAlmostEqual(curve[distance] * largest, values[distance], delta=1e-9 * abs(largest))
        with self.assertRaisesRegex(rs.InputError, "missing.safetensors"):
            rs.figure("decay", set={"decay.content": "weights", "weights.path": "missing.safetensors"}).svg()

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
        for make, said in ((lambda: rs.figure("decline"), "decay"), (lambda: rs.figure("decay", spam=3), "did you mean span"),
                           (lambda: rs.figure("decay", size="2x2"), "2x2"), (lambda: rs.figure("decay", theme="blue"), "dark"),
                           (lambda: rs.figure("decay", language="xx"), "en"),
                           (lambda: rs.figure("decay", set={"rope.base": -1}), "base"),
                           (lambda: rs.figure("decay", [rs.Rope()] * 30), "30"),
                           (lambda: rs.experiment(self.folder / "none.svg"), "none.svg")):
            with self.assertRaisesRegex(rs.InputError, said):
                make()

    def test_lists_without_an_end_are_refused(self):
        endless = []
        endless.append(endless)
        for given in ({"span": endless}, {"title": endless}, {"set": {"rope.base": endless}}):
            with self.assertRaisesRegex(rs.InputError, "50 levels"):
                rs.figure("decay", rs.Rope(), **given)

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


LONG = """
import ropescope as rs
figure = rs.figure("decay", rs.Rope(dim=8192), span=16777216, threads=1)
print("begins", flush=True)
try:
    figure.svg()
except KeyboardInterrupt:
    print("interrupted")
"""


WITHOUT = """
import sys
import ropescope as rs
assert "ropescope._figures" not in sys.modules
sys.modules["ropescope._figures"] = None  # as if it could not be loaded
rope = rs.Rope()
rs.check(cos=rope.cos_sin([1])[0], sin=rope.cos_sin([1])[1], positions=[1], against=rope).assert_agrees()
for use in (lambda: rs.figure("decay"), lambda: rs.sweep("decay.lowest", "rope.base=10,20"), lambda: rope.plot(),
            lambda: rs.table(rope)):
    try:
        use()
    except ImportError as error:
        assert "need a library that is missing" in str(error), error
    else:
        raise SystemExit("it was not needed")
"""


class Libraries(cases.Case):
    def test_numbers_need_none_that_draws(self):
        subprocess.run([sys.executable, "-c", WITHOUT], check=True)


class Work(cases.Case):
    def test_ctrl_c(self):
        program = subprocess.Popen([sys.executable, "-c", LONG], stdout=subprocess.PIPE, text=True)
        self.assertEqual(program.stdout.readline(), "begins\n")
        time.sleep(0.3)
        program.send_signal(signal.SIGINT)
        self.assertEqual(program.communicate(timeout=100)[0], "interrupted\n")


class Fields(cases.Case):
    def test_fields_are_those_of_the_help(self):
        found = rs.fields("decay")
        self.assertEqual({**found["decay.span"], "unit": None},
                         {"type": "int", "unit": None, "range": (16, 16777216), "choices": None, "default": 8192,
                          "expected": "an integer from 16 to 16777216"})
        self.assertEqual((found["decay.show"]["choices"], found["decay.show"]["default"]),
                         (("curves", "phasors", "differences"), "curves"))
        self.assertEqual((found["decay.glide"]["type"], found["decay.show_bound"]["type"]), ("float", "bool"))
        self.assertIs(found["decay.show_bound"]["default"], True)
        self.assertNotIn("limits.context", found)
        with self.assertRaises(rs.InputError):
            rs.fields("none")

    def test_errors_name_the_argument(self):
        rope = rs.Rope()
        for make, said in ((lambda: rs.table(5), "^ropes must be .* not int$"),
                           (lambda: rs.figure("decay", 5), "^ropes must be .* not int$"),
                           (lambda: rs.figure("decay", rope, size=(1, 2, 3)), r"^size must be .* not \(1, 2, 3\)$"),
                           (lambda: rs.figure("decay", rope, size=5), "^size must be .* not 5$"),
                           (lambda: rs.figure("decay", rope, set=5), "^set must be dict, not int$"),
                           (lambda: rs.figure("decay", rope, facet=5), "^facet must be .* not int$")):
            with self.assertRaisesRegex(TypeError, said):
                make()
        for make, said in ((lambda: rs.figure("decay", rope, spann=3), 'figure.. has no argument or field "spann"; did you mean span?'),
                           (lambda: rs.figure("decay", rope, themee="dark"), 'figure.. has no .* "themee"; did you mean theme?'),
                           (lambda: rs.figure("decay", rope, set={"rope.basee": 3}), '.* "rope.basee"; did you mean rope.base, .*?'),
                           (lambda: rs.figure("decay", rope, xyzzyq=3), r'.* "xyzzyq"; rs.fields\(view\) lists them'),
                           (lambda: rs.sweep("decay.first_negative", {"rope.base": [1e4]}, spann=3), 'sweep.. .*did you mean span?'),
                           (lambda: rs.table(rope, span=3), 'table... decay.span is 3.*; expected .*'),
                           (lambda: rs.table(rope, spann=3), 'table.. has no argument or field "spann"; did you mean span?')):
            with self.assertRaisesRegex(rs.InputError, "^%s$" % said.replace("?", "[?]")):
                make()
        with self.assertRaisesRegex(rs.InputError, 'pass show="phasors"$'):
            rs.sweep("decay.phasor_similarity", "rope.base=1e3..1e7:5:log", rope, distance=1000)

    def test_a_field_that_a_readout_needs(self):
        with unittest.mock.patch.dict("sys.modules", {"pandas": None}):
            columns = rs.sweep("decay.phasor_similarity", "rope.base=1e3..1e7:5:log", rs.Rope(), show="phasors", distance=1000)
        bases = np.asarray(columns["rope.base"])
        expected = [rs.Rope(base=base).similarity([1000])[0] for base in bases]
        np.testing.assert_allclose(columns["decay.phasor_similarity"], expected, atol=1e-9)
        # Values of a range have 12 digits.
        self.assertEqual([float("%.12g" % base) for base in bases], list(bases))


class Plots(cases.Case):
    """On matplotlib axes: the data, labels and colours are those of the program's own figures."""

    def setUp(self):
        super().setUp()
        if cases.missing("matplotlib"):
            self.skipTest("matplotlib is not installed")
        import matplotlib
        matplotlib.use("agg")

    def test_rope(self):
        from matplotlib import pyplot
        rope = rs.Rope(base=500)
        ax = rope.plot(pyplot.subplots()[1], span=512)
        shown = json.loads(rs.figure("decay", rope, span=512).json())["figures"][0]
        self.assertEqual((ax.get_xlabel(), ax.get_ylabel(), ax.get_xscale()),
                         (shown["x"]["label"], shown["y"]["label"], shown["x"]["scale"]))
        line = ax.get_lines()[0]
        seen = line.get_xdata() >= shown["x"]["range"][0]
        self.assertEqual(list(line.get_xdata()[seen]), shown["lines"][0]["x"])
        self.assertEqual(list(line.get_ydata()[seen]), shown["lines"][0]["y"])
        self.assertEqual(line.get_color(), "#0072b2ff")
        pyplot.close("all")

    def test_several_ropes_on_the_same_axes(self):
        from matplotlib import colors, pyplot
        ax = pyplot.subplots()[1]
        for base, span in ((500, 4096), (1000, 512), (10000, 8192)):
            rs.Rope(base=base).plot(ax, span=span)
        curves = [line for line in ax.get_lines() if len(line.get_xdata()) > 100]
        shown = [colors.to_hex(line.get_color()) for line in curves]
        self.assertGreaterEqual(len(shown), 3)
        self.assertEqual((len(set(shown)), shown[0]), (len(shown), "#0072b2"))
        self.assertEqual(ax.get_xlim()[1], 8192)
        for line in curves:
            self.assertLessEqual(ax.get_ylim()[0], line.get_ydata().min())
        # What the user has chosen stays; a panel of its own has as many colours as ropes.
        ax = pyplot.subplots()[1]
        ax.plot([1, 2], [3, 4])
        ax.set_xlim(1, 100)
        ax.set_ylim(-1, 5)
        ropes = {"a": rs.Rope(base=500), "b": rs.Rope()}
        rs.figure("decay", ropes, span=256).plot(ax)
        self.assertEqual((ax.get_xlim(), ax.get_ylim(), ax.get_xscale()), ((1, 100), (-1, 5), "linear"))
        shown = [colors.to_hex(line.get_color()) for line in ax.get_lines() if line is ax.get_lines()[0] or line.get_label() in "ab"]
        self.assertEqual(len(set(shown)), 3)
        self.assertLessEqual({"a", "b"}, {text.get_text() for text in ax.get_legend().get_texts()})
        # Limits of empty axes stay, too.
        ax = pyplot.subplots()[1]
        ax.set_xlim(2, 64)
        self.assertEqual(rs.Rope().plot(ax, span=256).get_xlim(), (2, 64))
        pyplot.close("all")

    def test_maps_panels_and_nothing(self):
        from matplotlib import pyplot
        ax = rs.figure("similarity", size=(400, 300)).plot()
        self.assertTrue(ax.get_images())
        ax = rs.figure("decay", {"a": rs.Rope(base=500), "b": rs.Rope()}, panel="bound", span=256).plot()
        self.assertEqual([text.get_text() for text in ax.get_legend().get_texts()], ["a", "b"])
        with self.assertRaisesRegex(rs.InputError, "no curves"):
            rs.figure("sweep", set={"sweep.show": "table"}).plot()
        pyplot.close("all")

    def test_report(self):
        from matplotlib import pyplot
        rope = rs.Rope(dim=8)
        cos, sin = rs.Rope(dim=8, base=500).cos_sin(range(30))
        report = rs.check(cos=cos, sin=sin, against=rope)
        self.assertEqual(report.differences.shape, (30, 4))
        exact = rope.cos_sin(range(30), "float64", "exact")
        np.testing.assert_allclose(report.differences[:, 1], np.maximum(*(abs(a[:, 1] - b[:, 1]) for a, b in zip((cos, sin), exact))))
        self.assertEqual(report.plot().get_images()[0].get_array().shape, (30, 4))
        with self.assertRaisesRegex(rs.InputError, "map of differences"):
            rs.check(frequencies=rope.frequencies, against=rope).plot()
        pyplot.close("all")


class Explore(cases.Case):
    def test_with_and_without_widgets(self):
        if cases.missing("ipywidgets") is None:
            box = rs.explore("llama-2-7b", span=64, size=(300, 200))
            caption, slider, shown = box.children
            before = shown.value
            slider.value = np.log10(5e5)
            self.assertIn("<svg", shown.value)
            self.assertEqual(caption.value, "rope.base = 500000")
            self.assertNotEqual(shown.value, before)
        import builtins
        from unittest import mock
        real = builtins.__import__

        def without(name, *rest):
            if name == "ipywidgets":
                raise ImportError(name)
            return real(name, *rest)
        with mock.patch.object(builtins, "__import__", without), mock.patch.object(builtins, "print") as said:
            figure = rs.explore("llama-2-7b", span=64)
        self.assertIn("ropescope:1&", said.call_args[0][0])
        again, given = (json.loads(one.experiment) for one in (rs.experiment(figure.link), figure))
        self.assertEqual((again["rope"], again["decay"]), (given["rope"], given["decay"]))


NOTEBOOKS = sorted((cases.SOURCE / "assets/notebooks").glob("*.ipynb"))


class Notebooks(cases.Case):
    """The notebooks of the package: every cell runs, here without a kernel."""

    def test_every_cell_runs(self):
        self.assertEqual(len(NOTEBOOKS), 3)
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)
        for path in NOTEBOOKS:
            names, run = {}, 0
            for number, cell in enumerate(json.loads(path.read_text())["cells"]):
                self.assertFalse(cell.get("outputs"), path.name)
                if cell["cell_type"] != "code":
                    continue
                code = "".join(cell["source"])
                if "plot(" in code and cases.missing("matplotlib"):
                    print("[  SKIPPED ] test_figure.%s (0 ms): matplotlib is not installed" % path.stem)
                    continue
                if "plot(" in code:
                    import matplotlib
                    matplotlib.use("agg")
                exec(compile(code, "%s, cell %d" % (path.name, number), "exec"), names)
                run += 1
            self.assertGreater(run, 3, path.name)


    @unittest.skipIf(cases.missing("nbconvert", "ipykernel"), "nbconvert or ipykernel is not installed")
    def test_become_pages(self):
        import nbformat
        from nbconvert import HTMLExporter
        from nbconvert.preprocessors import ExecutePreprocessor
        for path in NOTEBOOKS:
            notebook = nbformat.read(str(path), 4)
            ExecutePreprocessor(timeout=120, kernel_name="python3").preprocess(notebook, {"metadata": {"path": str(self.folder)}})
            page, _ = HTMLExporter().from_notebook_node(notebook)
            self.assertTrue("<svg" in page or "map of differences" in page, path.name)
            self.assertNotIn("<?xml", page, path.name)


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
        # One picture, without the declaration that HTML does not have.
        self.assertEqual(set(shown), {"image/svg+xml", "text/plain"})
        self.assertTrue(shown["image/svg+xml"].startswith("<svg"))
        report = notebook.cells[2].outputs[0].data
        self.assertIn("agrees", report["text/plain"])
        self.assertIn("data:image/png", report["text/html"])
        from nbconvert import HTMLExporter
        page, _ = HTMLExporter().from_notebook_node(notebook)
        self.assertIn("<svg", page)
        self.assertIn("map of differences", page)


if __name__ == "__main__":
    cases.run()
