"""The handbook's chapter "In Python": every line of it is run, one block after the other, and what its comments promise is
looked at."""
import json
import os
import re

import cases


def blocks():
    """(line, code) of each block of Python."""
    text = (cases.SOURCE / "assets/handbook/16-python.md").read_text()
    found = re.finditer(r"^```python\n(.*?)^```$", text, re.S | re.M)
    return [(text[:block.start()].count("\n") + 2, block[1]) for block in found]


class Chapter(cases.Case):
    def test_every_line_runs(self):
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)
        (self.folder / "config.json").write_text(json.dumps(cases.LLAMA))
        names, run = {}, 0
        for line, code in blocks():
            if "rs.record" in code:
                if cases.missing("torch"):
                    print("[  SKIPPED ] test_chapter.record (0 ms): torch is not installed")
                    continue
                import torch
                import models
                names["model"] = models.Model(base_frequencies=names["rs"].Rope.from_config("config.json").inverse_frequencies)
                names["tokens"] = torch.randn(1, 40, 64)
            if "pyplot" in code:
                if cases.missing("matplotlib"):
                    print("[  SKIPPED ] test_chapter.plot (0 ms): matplotlib is not installed")
                    continue
                import matplotlib
                matplotlib.use("agg")
            exec(compile("\n" * (line - 1) + code, "16-python.md", "exec"), names)
            run += code.count("\n")
            if "def test_" in code:
                import ropescope.pytest_plugin as plugin
                make = getattr(plugin.rope_reference, "__wrapped__", None) or plugin.rope_reference.__pytest_wrapped__.obj
                names["test_tables_of_my_port"](make())
        self.assertGreater(run, 40)
        # What the comments say.
        self.assertEqual(names["cos"].shape, (512 + 58 * 104, 64))
        self.assertEqual((names["rope"].amplitude, names["rope"].pairing, names["rope"].trained_length), (1, "half", 8192))
        self.assertEqual((names["rope"].base, names["rope"].original_length, names["rope"].context_length), (5e5, 8192, 131072))
        self.assertEqual(repr(names["plain"]), "Rope(dim=128, base=10000.0)")
        self.assertEqual(names["weights"].shape, (8, 64, 64))
        self.assertEqual(names["limits"]["largest_context"], 1706)
        self.assertAlmostEqual(names["limits"]["smallest_base"], 83763.8, delta=0.1)
        self.assertEqual((names["report"].verdict, names["report"].causes[0]["name"]), ("disagrees", "base"))
        for name in ("decay.pdf", "decay.png"):
            self.assertTrue((self.folder / name).exists())

    def test_no_block_is_another_languages(self):
        text = (cases.SOURCE / "assets/handbook/16-python.md").read_text()
        self.assertEqual(set(re.findall(r"^```(\w+)$", text, re.M)), {"python"})


if __name__ == "__main__":
    cases.run()
