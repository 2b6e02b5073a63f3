"""Rotary position embeddings, computed exactly: what the program ropescope knows, as arrays of NumPy.

    import ropescope as rs

    rope = rs.Rope.from_config("config.json")       # or a mapping, a config of transformers, a .gguf
    cos, sin = rope.cos_sin(range(4096))            # as transformers computes them
    rs.check(cos=my_cos, sin=my_sin, against=rope).assert_agrees()
    rs.figure("decay", rope)                        # shows itself in a notebook

Angles are in radians, positions and distances in tokens, sizes of images in pixels (width, height). Arguments that
are arrays may be arrays of NumPy, tensors of torch on the processor (bfloat16 too), whatever has __dlpack__ or
__array__, or lists. What cannot be used is an InputError (a ValueError), with the sentence that the program says. What takes long is
shared among threads (threads=0: one for each core; the numbers are the same for any number), leaves Python's other
threads running and stops at Ctrl+C.

Sources: RoFormer (Su et al., arXiv 2104.09864); those of each method and layout are named in the handbook.
"""
import json as _json
import os as _os
import pathlib as _pathlib


def _find_assets():
    """Models and words of the program: in the package itself (a wheel), or of the program that is installed beside it.

    Nothing is set where they stand at neither place: the program's own installation is then looked for as it looks.
    """
    here = _pathlib.Path(__file__).parent
    for folder in [here / "assets", *(parent / "share/ropescope/assets" for parent in here.parents)]:
        if (folder / "text/en.json").is_file():
            _os.environ.setdefault("ROPESCOPE_ASSETS", str(folder))
            return


_find_assets()

from ropescope import _core  # noqa: E402
from ropescope._core import Figure, InputError, Layout, Rope, experiment, figure, layout  # noqa: E402
from ropescope.recording import Recording, record  # noqa: E402

__all__ = ["CheckReport", "Comparison", "Figure", "InputError", "Layout", "Recording", "Rope", "RopeMismatch", "check",
           "compare", "experiment", "figure", "layout", "record"]


# --- Reports --------------------------------------------------------------------------------------------------------

class RopeMismatch(AssertionError):
    """Two that should be the same are not: its text is the program's report."""


class _Report:
    """A report of the program: str() is the one for people, json() the one for machines (a dict)."""

    def __init__(self, verdict, report, text):
        self._line, self._report, self._text = verdict, _json.loads(report), text

    @property
    def verdict(self):
        """"agrees", "disagrees", or of check() "no evidence": nothing disagrees, and nothing could have."""
        return self._report["verdict"]

    @property
    def agrees(self):
        return self.verdict == "agrees"

    def json(self):
        """All of the report, as `ropescope check --json` or `ropescope compare --json` writes it."""
        return self._report

    def assert_agrees(self):
        """Raises RopeMismatch, an AssertionError with the whole report, unless the verdict is "agrees"."""
        if not self.agrees:
            raise RopeMismatch(self._text)

    def __str__(self):
        return self._text

    def __repr__(self):
        return "<ropescope.%s %s>" % (type(self).__name__, self._line)


class CheckReport(_Report):
    """What check() found."""

    @property
    def causes(self):
        """What explains the difference, most convincing first: a list of dicts with "name", "confidence", "parameters",
        "evidence", "advice" and more. "unknown" where nothing does."""
        return self._report["causes"]

    @property
    def advice(self):
        """What to change, a sentence for each cause."""
        return [cause["advice"] for cause in self.causes]

    @property
    def notes(self):
        return self._report["notes"]


class Comparison(_Report):
    """What compare() found."""

    @property
    def differences(self):
        """What changes scores: a list of dicts with "cause", "profile", "text", "a", "b", "largest_change" and more."""
        return self._report["differences"]

    @property
    def remarks(self):
        return self._report["remarks"]


# --- Checks ---------------------------------------------------------------------------------------------------------

def check(*, against, cos=None, sin=None, table=None, ids=None, frequencies=None, before=None, after=None,
          positions=None, part="all", heads=None, rows=None, allow=(), strict=False, threads=0):
    """Whether what a program computes is what it should be, and which known mistakes explain it where it is not.

    against: a Rope, whatever Rope.from_config() takes, a Layout, or the right tables as a tuple (cos, sin). Of a model
    whose layers differ all profiles are tried, unless the rope was made with profile=.
    cos, sin: [tokens, pairs], or [tokens, 2·pairs] with every column twice. table: complex [tokens, pairs], or
    [tokens, pairs, 2, 2], or [tokens, pairs, 2]. ids: [tokens] or [tokens, axes]. frequencies: [pairs], radians per
    position. before, after: q or k around the rotation, [tokens, channels], [tokens, heads, channels] (heads="thd") or
    [heads, tokens, channels] (heads="htd"). The tensors are looked at where they lie.
    positions: of every token of a rope; 0, 1, 2, … without. part: all, text, image, reference or audio, the rows of a
    layout that are given. rows: (first, end) of those that count. allow: causes that the weights were trained with ("sign").
    strict: no cause is harmless. threads: see the module.

    Gives a CheckReport. Raises InputError: shapes that are not understood, NaN, no tensor at all. The method stands in
    the handbook's chapter 06, what it rests on in core/check.
    """
    tensors = {"cos": cos, "sin": sin, "table": table, "ids": ids, "frequencies": frequencies, "before": before,
               "after": after}
    return CheckReport(*_core.check({name: tensor for name, tensor in tensors.items() if tensor is not None}, against,
                                    positions=positions, part=part, heads=heads, rows=rows, allow=list(allow),
                                    strict=strict, threads=threads))


def compare(a, b, *, threads=0):
    """What differs between two ropes, models or layouts, and what it does to scores.

    a, b: a Rope, whatever Rope.from_config() takes, or a Layout. Gives a Comparison. Raises InputError where the two
    have nothing in common to compare.
    """
    return Comparison(*_core.compare(a, b, threads=threads))
