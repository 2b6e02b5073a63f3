"""Rotary position embeddings, computed exactly: the results of the program ropescope as NumPy arrays.

    import ropescope as rs

    rope = rs.Rope.from_config("config.json")       # or a mapping, a transformers config, a .gguf
    cos, sin = rope.cos_sin(range(4096))            # as transformers computes them
    rs.check(cos=my_cos, sin=my_sin, against=rope).assert_agrees()
    rs.figure("decay", rope)                        # is displayed in a notebook

Angles are in radians, positions and distances in tokens, image sizes in pixels (width, height). Array arguments may be
NumPy arrays, torch tensors on the CPU (including bfloat16), objects with __dlpack__ or __array__, or lists. Unusable
input raises InputError (a ValueError) with the program's error message. Long computations use several threads
(threads=0: one per core; the results do not depend on the number of threads), release Python's global lock and are
cancelled by Ctrl+C.

Sources: RoFormer (Su et al., arXiv 2104.09864); the handbook names the sources of each method and layout.
"""
import os as _os
import pathlib as _pathlib


def _find_assets():
    """Finds the program's models and texts: in the package itself (a wheel), or in the installation next to it.

    If they are in neither place, nothing is set, and the installation is searched for as by the program itself.
    """
    here = _pathlib.Path(__file__).parent
    for folder in [here / "assets", *(parent / "share/ropescope/assets" for parent in here.parents)]:
        if (folder / "text/en.json").is_file():
            _os.environ.setdefault("ROPESCOPE_ASSETS", str(folder))
            return


_find_assets()

from ropescope import _core  # noqa: E402
from ropescope._core import (InputError, Layout, Rope, __version__, attention, encoding, encodings,  # noqa: E402
                             layout, layouts, methods, presets, score, weights)
from ropescope.plots import explore  # noqa: E402
from ropescope.recording import Layer, Recording, record  # noqa: E402
from ropescope.reports import CheckReport, Comparison, Limits, RopeMismatch, frame as _frame  # noqa: E402

__all__ = ["CheckReport", "Comparison", "Figure", "InputError", "Layer", "Layout", "Limits", "Recording", "Rope",
           "RopeMismatch", "__version__", "attention", "check", "compare", "encoding", "encodings", "experiment",
           "explore", "fields", "figure", "layout", "layouts", "methods", "presets", "readouts", "record", "score",
           "sweep", "table", "weights"]


# --- Figures --------------------------------------------------------------------------------------------------------

_OF_FIGURES = ("Figure", "experiment", "fields", "figure", "readouts")


def _load_figures():
    """Imports what draws, which needs libraries that numbers do not need."""
    try:
        from ropescope import _figures as module
    except ImportError as error:
        raise ImportError("figures, sweep() and table() need a library that is missing (%s); everything else of "
                          "ropescope works without it" % error) from None
    return module


def __getattr__(name):
    if name not in _OF_FIGURES:
        raise AttributeError("module 'ropescope' has no attribute %r" % name)
    value = globals()[name] = getattr(_load_figures(), name)
    return value


def __dir__():
    return sorted({*globals(), *_OF_FIGURES})


# --- Checks ---------------------------------------------------------------------------------------------------------

def check(*, against, cos=None, sin=None, table=None, ids=None, frequencies=None, before=None, after=None,
          positions=None, part="all", heads=None, rows=None, allow=(), strict=False, threads=0):
    """Checks whether a program's tensors agree with a reference, and which known mistakes explain a difference.

    against: a Rope, anything that Rope.from_config() accepts, a Layout, or the reference tables as a tuple (cos, sin).
    If a model's layers differ, all profiles are tried, unless the rope was created with profile=.
    cos, sin: [tokens, pairs], or [tokens, 2·pairs] with every column twice. table: complex [tokens, pairs], or
    [tokens, pairs, 2, 2], or [tokens, pairs, 2]. ids: [tokens] or [tokens, axes]. frequencies: [pairs], radians per
    position. before, after: q or k before and after the rotation, [tokens, channels], [tokens, heads, channels]
    (heads="thd") or [heads, tokens, channels] (heads="htd"). The tensors are not copied.
    positions: of every token, for a rope; None: 0, 1, 2, …. part: all, text, image, reference or audio, the tokens of
    a layout that the tensors contain. rows: (first, end) of the rows to check. allow: a cause or a list of causes that
    the weights were trained with ("sign"). strict: no cause is harmless. threads: see the module.

    Returns a CheckReport. Raises InputError: unsupported shapes, NaN, no tensor at all. The method is described in
    chapter 06 of the handbook and implemented in core/check.
    """
    tensors = {"cos": cos, "sin": sin, "table": table, "ids": ids, "frequencies": frequencies, "before": before,
               "after": after}
    if not isinstance(allow, (str, list, tuple, set, frozenset)):
        raise TypeError("allow must be str or a list of str, not %s" % type(allow).__name__)
    report = _core.check({name: tensor for name, tensor in tensors.items() if tensor is not None}, against,
                         positions=positions, part=part, heads=heads, rows=rows,
                         allow=[allow] if isinstance(allow, str) else list(allow), strict=strict, threads=threads)
    return CheckReport(*report, tables=(cos, sin), against=against, positions=positions)


def compare(a, b, *, baseline=None, threads=0):
    """Compares two ropes, models or layouts: their differences and the effect on scores.

    a, b: a Rope, anything that Rope.from_config() accepts, or a Layout. baseline: "a" or "b" if that side is right; the
    report then names what is wrong, and the verdict of a difference is "disagrees" instead of "differs". Returns a
    Comparison. Raises InputError if a and b have nothing in common to compare.
    """
    return Comparison(*_core.compare(a, b, baseline=baseline, threads=threads))


# --- Tables ---------------------------------------------------------------------------------------------------------

def sweep(readouts, over, ropes=None, *, view=None, set=None, threads=0, **fields):
    """Computes numbers of cards over the values of fields, as `ropescope sweep`.

        rs.sweep("decay.first_negative", {"rope.base": [1e4, 5e5]}, "llama-2-7b", span=131072)
        rs.sweep(["decay.first_negative", "limits.smallest_base"], "rope.base=1e3..1e7:200:log")
        rs.sweep("decay.phasor_similarity", "rope.base=1e3..1e7:50:log", rope, show="phasors", distance=1000)

    readouts: names of readouts(), one or a list. over: a dict of fields and lists of their values, or of ranges as
    strings, "1e3..1e7:200:log" (:200 values, rounded to 12 digits, :log or :linear); or a list of strings, "rope.base=1e3..1e7".
    Several fields make all combinations, and "model" sweeps over presets. ropes: the current rope, then the pinned ones, as in figure().
    view: for readouts of several views. Further keywords are fields, listed by rs.fields(view); full keys go into set.

    Returns one row per point: a column for each field, then one for each readout, float64 with NaN where there is no
    number (decay.first_negative: none up to decay.span), or tuples if there are several. It is a pandas.DataFrame if
    pandas is installed, else a dict of columns. Warns (UserWarning) if some points cannot be computed. Raises InputError:
    an unknown readout or keyword (with similar ones), a value out of range, no point that can be computed.
    """
    return _frame(_load_figures().sweep(readouts, over, ropes, view=view, set=set, threads=threads, **fields))


def table(ropes, cards=None, *, set=None, threads=0, **fields):
    """Computes numbers of cards for several ropes, as `ropescope table`.

        rs.table(["llama-2-7b", "llama-3.1-8b", my_rope], ["decay.first_negative", "limits.smallest_base"])

    ropes: one, a list, or a dict of names and ropes; each a Rope or what Rope.from_config() accepts. cards: names of
    readouts(); None: those of the program. set, fields: as in sweep().

    Returns one row per rope: the column "rope" with their names, then one for each card, as in sweep().
    """
    return _frame(_load_figures().table(ropes, cards, set=set, threads=threads, **fields))
