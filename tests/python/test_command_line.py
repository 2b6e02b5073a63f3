"""The law that compares Python with the command line: every command that computes has a function here, under the same
names, and gives the same numbers."""
import io
import json
import os
import pathlib
import re
import subprocess
import unittest
import warnings

import numpy as np

import cases
import ropescope as rs

PROGRAM = pathlib.Path(os.environ.get("ROPESCOPE_BUILD", "build")) / "ropescope"

# Each command and what stands for it here; commands of the window, of lessons and of this program's files have nothing.
COUNTERPARTS = {"frequencies": "Rope.frequencies", "decay": "Rope.similarity", "limits": "Rope.limits",
                "precision": "Rope.precision", "rotate": "Rope.rotate", "encoding": "encoding", "score": "score",
                "attention": "attention", "layout": "layout", "similarity": "Layout.similarity", "check": "check",
                "compare": "compare", "render": "figure", "sweep": "sweep", "table": "table", "config": "Rope.from_config",
                "encodings": "encodings", "layouts": "layouts", "models": "presets", "weights": "weights"}
WITHOUT = {"vectors": "record() gives q and k themselves", "examples": "a list of files", "animate": "a GIF",
           "race": "trains models for minutes", "screenshot": "the window", "lessons": "the window", "lesson": "the window",
           "handout": "the window", "help": "the handbook", "manual": "the program"}


def run(*arguments, code=0):
    done = subprocess.run([str(PROGRAM), *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stdout


def columns(text):
    """The columns of a CSV by name, as numbers; empty cells and words are NaN."""
    def number(cell):
        try:
            return float(cell)
        except ValueError:
            return np.nan
    names, *rows = [line.split(",") for line in text.strip().split("\n")]
    return dict(zip(names, np.array([[number(cell) for cell in row] for row in rows]).T))


def first_words(text):
    return [line.split()[0] for line in text.strip().split("\n")]


@unittest.skipUnless(PROGRAM.exists(), "the program is not built")
class CommandLine(cases.Case):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "config.json"
        self.path.write_text(json.dumps(cases.LLAMA))
        self.ropes = [
            (("--model", "llama-2-7b"), rs.Rope.from_preset("llama-2-7b")),
            (("--config", self.path), rs.Rope.from_config(self.path)),
            (("--dim", 64, "--base", 500, "--pairing", "interleaved"), rs.Rope(64, 500, pairing="interleaved")),
            (("--dim", 8, "--base", 10, "--ladder", "1/(1+i)"), rs.Rope(8, 10, ladder="1/(1+i)")),
            (("--model", "llama-2-7b", "--scaling", "yarn", "--factor", 4),
             rs.Rope.from_preset("llama-2-7b").with_scaling("yarn", factor=4)),
            (("--model", "llama-2-7b", "--scaling", "dynamic", "--factor", 2),
             rs.Rope.from_preset("llama-2-7b").with_scaling("dynamic", factor=2)),
            (("--model", "gemma-3-4b-it", "--profile", "sliding attention"),
             rs.Rope.from_preset("gemma-3-4b-it", profile="sliding attention"))]

    def assert_equal(self, ours, theirs, what=""):
        np.testing.assert_allclose(ours, theirs, rtol=1e-15, atol=1e-300, err_msg=str(what))

    def test_every_command_has_a_counterpart(self):
        listed = re.findall(r"^  ([a-z]+) {2,}", run("--help").split("Subcommands:")[1], re.M)
        self.assertLessEqual(set(listed), set(COUNTERPARTS) | set(WITHOUT))
        for command in set(listed) & set(COUNTERPARTS):
            name = COUNTERPARTS[command]
            found = rs
            for part in name.split("."):
                found = getattr(found, part)
            self.assertTrue(found.__doc__, name)

    def test_lists(self):
        self.assertEqual(rs.presets(), first_words(run("models")))
        for ours, command in ((rs.layouts(), "layouts"), (rs.encodings(), "encodings")):
            self.assertEqual(ours, first_words(run(command))[1:])
        said = " ".join(run("limits", "--help").split()).replace("- ", "-")
        for method in rs.methods():
            self.assertIn(method, said)
        self.assertEqual(rs.__version__, run("--version").split()[-1])

    def test_frequencies(self):
        for options, rope in self.ropes:
            said = json.loads(run("frequencies", *options, "--json"))
            self.assert_equal(rope.frequencies, said["frequencies"], rope)
            for name in ("profile", "head_dim", "rotary_dim", "pairing", "trained_length", "amplitude"):
                self.assertEqual(getattr(rope, name), said[name], (rope, name))

    def test_config(self):
        said = json.loads(run("config", self.path, "--json"))["profiles"]
        rope = self.ropes[1][1]
        self.assertEqual(rope.profiles, [profile["name"] for profile in said])
        self.assertEqual((rope.base, rope.scaling, rope.axes, rope.notes),
                         (said[0]["base"], said[0]["extension"]["method"], [axis["name"] for axis in said[0]["axes"]],
                          said[0]["notes"]))
        for program, command in (("transformers", "transformers"), ("vllm", "transformers")):
            self.assertEqual(rope.to_config(program), json.loads(run("config", self.path, "--as", command)))
        for program in ("llama.cpp", "numpy"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.assertEqual(rope.to_config(program), run("config", self.path, "--as", program).rstrip("\n"))

    def test_decay(self):
        for options, rope in self.ropes:
            said = columns(run("decay", *options, "--distances", "0:40,1000,5000"))
            places = said["distance"]
            np.testing.assert_allclose(rope.similarity(places), said["similarity"], atol=1e-13, err_msg=repr(rope))
            np.testing.assert_allclose(rope.bound(places), said["abel_bound"], rtol=1e-12, err_msg=repr(rope))

    def test_limits(self):
        for options, rope in self.ropes[:2] + self.ropes[4:5]:
            as_json = ("--json",) if "--json" in run("limits", "--help") else ()
            said = json.loads(run("limits", *options, "--context", 512, "--factors", "linear", *as_json))
            found = rope.limits(512, factors="linear")
            said.pop("ladder", None)
            question = said.pop("question")
            self.assertEqual(found["trained_length"], question["trained_length"])
            self.assertEqual(found["context_length"], question.get("context_length"))
            said["unseen_ranges"] = said["unseen_ranges"] and [*map(tuple, said["unseen_ranges"])]
            said["notes"] = tuple(said["notes"])
            found["notes"] = tuple(found["notes"])
            self.assertEqual(set(said), set(found) - {"context", "trained_length", "context_length"})
            for name, value in said.items():
                if isinstance(value, float):
                    self.assertAlmostEqual(found[name] / value, 1, delta=1e-11)
                else:
                    self.assertEqual(found[name], tuple(value) if isinstance(value, list) else value, name)
            self.assertIn(str(found["largest_context"]), str(found))

    def test_precision(self):
        for policy in ("float32", "bfloat16-inputs", "float32-ggml-cpu"):
            for options, rope in self.ropes[:3]:
                said = columns(run("precision", *options, "--policy", policy, "--positions", "0:9,1000,20000")
                               .replace("," + policy + ",", ","). replace("position,policy", "position"))
                found = rope.precision(policy, [*range(10), 1000, 20000])
                for name in ("max_abs_error", "rms_error"):
                    self.assert_equal(found[name], said[name], (policy, rope))

    def test_rotate(self):
        generator = np.random.default_rng(3)
        for options, rope in self.ropes:
            for kind in (np.float32, np.float64):
                x = generator.standard_normal((20, 3, rope.head_dim)).astype(kind)
                np.save(self.folder / "x.npy", x)
                run("rotate", *options, "--input", self.folder / "x.npy", "--positions", "100:119", "-o",
                    self.folder / "y.npy")
                ours = rope.rotate(x, np.arange(100, 120)[:, None])
                theirs = np.load(self.folder / "y.npy")
                self.assertEqual(ours.dtype, theirs.dtype)
                np.testing.assert_allclose(ours, theirs, atol=8 * np.finfo(kind).eps)

    def test_encodings(self):
        for name in rs.encodings():
            try:
                ours = rs.encoding(name, range(5), dim=8)
            except rs.InputError:
                run("encoding", name, "--dim", 8, "--positions", "0:4", code=2)
                continue
            theirs = list(columns(run("encoding", name, "--dim", 8, "--positions", "0:4")).values())[1:]
            self.assert_equal(np.concatenate(list(ours.values()), 1).T, theirs, name)
        ours = rs.encoding("rope", [3, 5], rope="llama-2-7b")["cos"]
        theirs = columns(run("encoding", "rope", "--model", "llama-2-7b", "--positions", "3,5"))
        self.assert_equal(ours[:, 63], theirs["cos 63"])
        ours = rs.encoding("alibi", [3], dim=8, heads=4, head=2)["bias"]
        theirs = columns(run("encoding", "alibi", "--dim", 8, "--positions", 3, "--heads", 4, "--head", 2))
        self.assert_equal(ours[:, 0], theirs["bias"])

    def test_score(self):
        for name in ("rope", "alibi", "transformer-xl"):
            ours = rs.score(name, [1, 2, 3, 4], [4, 3, 2, 1], 9, 5)
            theirs = json.loads(run("score", name, "--dim", 4, "--query", "1,2,3,4", "--key", "4,3,2,1",
                                    "--query-position", 9, "--key-position", 5, "--terms"))
            self.assertEqual((ours["total"], ours["scale"]), (theirs["total"], theirs["scale"]))
            self.assertEqual(list(ours["terms"].values()), [term["value"] for term in theirs["terms"]])

    def test_attention(self):
        q = np.random.default_rng(5).standard_normal((2, 6, 8)).astype(np.float32)
        k = q[::-1].copy()
        np.savez(self.folder / "qk.npz", q=q.swapaxes(0, 1), k=k.swapaxes(0, 1))
        for name, options, keywords in (("rope", ("--causal",), {"causal": True}), ("alibi", (), {}),
                                        ("rope", ("--kind", "linear", "--kernel", "exp"), {"kind": "linear", "kernel": "exp"})):
            out = self.folder / "weights.npy"
            run("attention", "--encoding", name, "--input", self.folder / "qk.npz", *options, "-o", out)
            self.assert_equal(rs.attention(name, q, k, **keywords), np.load(out), name)
            run("attention", "--encoding", name, "--tokens", 5, "--dim", 8, *options, "-o", out)
            self.assert_equal(rs.attention(name, tokens=5, dim=8, **keywords), np.load(out), name)

    def test_layouts(self):
        tables = [self.folder / "cos.npy", self.folder / "sin.npy"]
        options = ("flux.1", "--size", "64x48", "--text", 3)
        said = columns(run("layout", *options, "--cos", tables[0], "--sin", tables[1], "-o", "-"))
        layout = rs.layout("flux.1", size=(64, 48), text=3)
        np.testing.assert_array_equal(layout.ids, np.stack([said[axis] for axis in layout.axes], 1))
        for ours, path in zip(layout.cos_sin("float32"), tables):
            np.testing.assert_array_equal(ours, np.load(path).astype(np.float32))
        said = columns(run("similarity", *options, "--from", 1 * 4 + 2))
        np.testing.assert_allclose(layout.similarity((1, 2))[3:], said["similarity"], atol=1e-12)

    def test_reports(self):
        cos, sin = rs.Rope(dim=128, base=10000).cos_sin(range(64))
        np.save(self.folder / "cos.npy", cos)
        np.save(self.folder / "sin.npy", sin)
        theirs = json.loads(run("check", "--config", self.path, "--cos", self.folder / "cos.npy", "--sin",
                                self.folder / "sin.npy", "--json", code=1))
        ours = rs.check(cos=cos, sin=sin, against=self.path).json()
        self.assertEqual((ours["verdict"], [cause["name"] for cause in ours["causes"]], ours["causes"][0]["parameters"]),
                         (theirs["verdict"], [cause["name"] for cause in theirs["causes"]], theirs["causes"][0]["parameters"]))
        theirs = json.loads(run("compare", self.path, "llama-2-7b", "--json", code=1))
        ours = rs.compare(self.path, "llama-2-7b").json()
        self.assertEqual([one["cause"] for one in ours["differences"]], [one["cause"] for one in theirs["differences"]])

    def test_sweep_and_table(self):
        readouts = ["decay.first_negative", "decay.unfinished", "decay.unfinished.other"]
        over = "rope.base=1e3..1e5:5:log"
        theirs = columns(run("sweep", *readouts, "--over", over, "--model", "llama-2-7b"))
        for given in (over, {"rope.base": "1e3..1e5:5:log"}, {"rope.base": theirs["rope.base"]}):
            ours = rs.sweep(readouts, given, "llama-2-7b")
            self.assertEqual(list(ours), list(theirs))
            for name, values in theirs.items():
                self.assert_equal(np.asarray(ours[name]), values, name)
        names = ["llama-2-7b", "llama-3.1-8b"]
        theirs = json.loads(run("table", "--ropes", ",".join(names), "--cards", ",".join(readouts[:2]), "--format", "json"))
        ours = rs.table(names, readouts[:2])
        self.assertEqual(list(ours["rope"]), ["Llama 2 7B", "Llama 3.1 8B"])
        self.assertEqual(list(ours[readouts[0]]), [1707, 85133])
        self.assertIn("85133", json.dumps(theirs).replace("\\u202f", "").replace(" ", ""))

    def test_figures(self):
        run("render", "decay", "--model", "llama-2-7b", "--set", "decay.span=64", "-o", self.folder / "decay.csv")
        self.assertEqual(rs.figure("decay", "llama-2-7b", span=64).csv(), (self.folder / "decay.csv").read_text())


if __name__ == "__main__":
    cases.run()
