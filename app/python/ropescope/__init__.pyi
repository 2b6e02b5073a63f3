"""Types of the package. The docstrings are those of the modules (assets/reference/make.py)."""
import contextlib
import dataclasses
import os
from typing import Any, Iterable, Mapping, Protocol, Sequence, Union

import numpy
from numpy.typing import ArrayLike, DTypeLike, NDArray

class _Config(Protocol):
    def to_dict(self) -> dict[str, Any]: ...

class _OnDevice(Protocol):
    def __dlpack__(self) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

_Numbers = Union[ArrayLike, _OnDevice]
_Source = Union["Rope", str, os.PathLike[str], Mapping[str, Any], _Config]
_Array = NDArray[numpy.float64]
_Tables = tuple[NDArray[Any], NDArray[Any]]
_Size = Union[str, tuple[int, int]]

class InputError(ValueError):
    """Invalid input: a file, a field or an argument that cannot be used. Its text is the program's error message."""
class RopeMismatch(AssertionError):
    """A check or a comparison that disagrees. Its text is the program's report."""

class Rope:
    """A rotary embedding: which channels are rotated in pairs, and how fast.

    Rope(dim=128, base=10000, *, ladder=None, pairing="half", head_dim=None, trained_length=None, axes=None,
    scaling=None, length=None, amplitude=1): the plain ladder base**(-2i/dim), i = 0 ... dim/2 - 1 (RoFormer, arXiv
    2104.09864, section 3.2.2). pairing: "half" pairs channel i with i + dim/2, "interleaved" 2i with 2i + 1.
    head_dim: channels per head, of which the first dim are rotated; None: dim. trained_length: in positions, required
    by some methods of with_scaling(). ladder: frequencies instead of the plain ones, in radians per position: an
    array of dim/2, or a formula of i, d and b, such as b^(-2*i/d). axes: for several position axes instead of dim,
    base and ladder, a list of dicts such as {"name": "row", "dim": 56, "base": 10000}. scaling: a context extension,
    "linear" or {"method": "yarn", "factor": 4}, as with_scaling() takes it. length: the current length, for methods
    that depend on it. amplitude: a factor on cos and sin.

    Ropes never change. Two ropes are equal if their frequencies, pairing, dimensions, trained length, extension and
    amplitude are, whatever their source; a given ladder never equals a base. Equal ropes have equal hashes. repr() is
    an expression that, after `from ropescope import Rope`, gives an equal rope. Ropes can be copied and pickled.
    Raises InputError unless dim is even in 2 ... 8192, base > 1, and every frequency is finite and at least 0."""
    def __init__(self, dim: int | None = None, base: float | None = None, *,
                 ladder: str | Sequence[float] | _Array | None = None, pairing: str = "half",
                 head_dim: int | None = None, trained_length: float | None = None,
                 axes: Sequence[Mapping[str, Any]] | None = None, scaling: str | Mapping[str, Any] | None = None,
                 length: float | None = None, amplitude: float = 1.0) -> None: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    @staticmethod
    def from_config(config: _Source, profile: str | None = None) -> Rope:
        """The rope that a model's config describes.

        config: the path of a config.json, of a folder that contains one (a snapshot, a diffusers pipeline) or of a
        .gguf; a preset's name; a repository in the local Hugging Face cache ("meta-llama/Llama-3.1-8B", nothing is
        downloaded); a mapping with the contents of a config.json; an object with to_dict(), such as a config of
        transformers; or a Rope, which is returned. profile: one of `profiles`, if the model's layers differ ("sliding
        attention"); None: the first. Raises InputError: no such file, no config, a model without a rotary embedding,
        an invalid field (with its name and the expected values)."""
    @staticmethod
    def from_preset(name: str, profile: str | None = None) -> Rope:
        """The rope of a preset, such as "llama-3.1-8b" (rs.presets() lists them). Raises InputError for an unknown
        name, with the nearest ones."""
    @property
    def profile(self) -> str:
        """The kind of layers that the rope belongs to: "full attention", "sliding attention", "text", "vision", ....
        """
    @property
    def profiles(self) -> list[str]:
        """The profiles of the rope's model; from_config(profile=) selects one."""
    @property
    def pairing(self) -> str:
        """"half" (channel i and i + rotary_dim/2 form a pair) or "interleaved" (2i and 2i + 1)."""
    @property
    def head_dim(self) -> int:
        """Channels per head; the first rotary_dim of them are rotated."""
    @property
    def rotary_dim(self) -> int:
        """Rotated channels per head, over all axes."""
    @property
    def trained_length(self) -> float | None:
        """The length L in positions that the methods of context extension refer to: original_max_position_embeddings
        of a config that has it, else max_position_embeddings. None if the model has no limit."""
    @property
    def original_length(self) -> float | None:
        """The length before a context extension, in positions: trained_length by the name that configs use for it."""
    @property
    def context_length(self) -> float | None:
        """Positions that the model supports with its own extension (max_position_embeddings of its config);
        trained_length if there is none. with_scaling() and replace() do not change it. None if the model has no
        limit."""
    @property
    def base(self) -> float | None:
        """The base b of the frequencies; None if the axes differ, or if frequencies were given."""
    @property
    def scaling(self) -> str:
        """The method of the context extension, "none" if there is none."""
    @property
    def axes(self) -> list[str]:
        """Names of the position axes: ["position"] for text."""
    @property
    def notes(self) -> list[str]:
        """Remarks on the model's config, one sentence each."""
    @property
    def inverse_frequencies(self) -> _Array:
        """float64 [pairs], radians per position, under the extension; the axes are concatenated. Those of a plain
        ladder are right to about half a unit in the last place, those of an extension to about three. If the
        extension depends on the current length, it is that of with_scaling(length=), or else the trained length."""
    @property
    def frequencies(self) -> _Array:
        """float64 [pairs], radians per position, under the extension; the axes are concatenated. Those of a plain
        ladder are right to about half a unit in the last place, those of an extension to about three. If the
        extension depends on the current length, it is that of with_scaling(length=), or else the trained length."""
    @property
    def amplitude(self) -> float:
        """The factor of cos and sin (attention_scaling in transformers; from YaRN)."""
    def cos_sin(self, positions: _Numbers, dtype: DTypeLike | Any = "float32", how: str = "transformers", *,
                threads: int = 0) -> _Tables:
        """(cos, sin) at these positions.

        positions: numbers of any shape; for a rope with several axes [..., axes], or a one-dimensional array of
        positions that all axes share. dtype: float64, float32 or float16, as a name or as a dtype of NumPy or torch;
        every number is rounded to it once. how: "transformers": as its rotary modules return them, [..., 2·pairs],
        every column twice (by halves, or adjacent if pairs are interleaved), with frequencies, angles and tables in
        float32. The frequencies are the exact ones, rounded: torch's own powers differ by one unit in some pairs,
        which changes cos by 1e-3 at position 20 000. "exact": [..., pairs], from the frequencies of
        inverse_frequencies without rounding the angle: half a unit in the last place of dtype at positions up to
        2**24 that are multiples of 1/256, about one unit of float64 at others. Any policy of precision(), such as
        "bfloat16-everything" or "float32-ggml-cpu": [..., pairs] as that program computes them. A ladder that depends
        on the current length uses the largest position + 1. threads: 0 for one per core. Raises InputError: positions
        that are not finite, an unsupported dtype, an unknown value of how. Source of "transformers":
        huggingface/transformers, models/llama/modeling_llama.py, LlamaRotaryEmbedding."""
    def rotate(self, x: _Numbers, positions: _Numbers, pairing: str | None = None, *,
               threads: int = 0) -> NDArray[Any]:
        """The head vectors x rotated at their positions, as a new array: computed in float64, rounded once.

        x: [..., tokens, head_dim] of float64, float32 or float16 (the result has the same dtype), or bfloat16 (the
        result is float32). positions: broadcast to the leading axes of x as in NumPy: [tokens] for [batch, heads,
        tokens, head_dim], [tokens, 1] for [tokens, heads, head_dim]; for a rope with several axes, with one more
        axis, the last, for them. pairing: "half" or "interleaved"; None: the rope's own. Channels beyond rotary_dim
        are unchanged. Raises InputError: shapes that do not fit; TypeError: integers, complex numbers."""
    def similarity(self, distances: _Numbers, *, axis: str | None = None,
                   threads: int = 0) -> _Array | numpy.float64:
        """K(n) = (1/pairs) sum_i cos(n theta_i) at these distances, the score of two equal vectors: float64 of their
        shape.

        distances: any real numbers, in tokens; one number gives a numpy.float64. Runs of consecutive integers are
        computed a hundred times as fast as others. axis: for a rope with several, by name; None: the first. Accurate
        to 1e-12 up to distance 4 096, to 1e-9 up to 1 048 576."""
    def bound(self, distances: _Numbers, *, order: str = "fast-first", axis: str | None = None,
              threads: int = 0) -> _Array | numpy.float64:
        """B(n) = (1/pairs) sum_j |S_j| with S_j = sum_{i<j} exp(i n theta_i), RoFormer's bound (section 3.4.3):
        float64.

        order: of the partial sums, "fast-first" or "slow-first". The other parameters are those of similarity()."""
    def limits(self, context: float | None = None, *, axis: str | None = None,
               factors: str | Sequence[str] | None = None, criterion: str | None = None, level: float | None = None,
               threads: int = 0) -> Limits:
        """How far the rope reaches, and which bases a context allows: a dict with the keys of `ropescope limits`,
        which str() writes as sentences.

        context: in tokens, 1 ... 16 777 216; None: the trained length. Without either, the entries that need it are
        None. first_negative_distance: the smallest n with sum cos(n theta_i) < 0 (arXiv 2405.14591); largest_context
        is one less. shaken_context, shaken_base: the smallest largest_context when the base changes by up to 1 %, and
        that base. smallest_base and window (low, high): the lowest bases that allow the context. robust_base: above
        it no base failed, in steps of robust_ratio. effective_pairs: the effective number of pairs that move in the
        context, in which a pair that rotates evenly counts as 1 and a static one as 0. critical_dimension,
        unseen_pairs, unseen_ranges ((first, last), ...): for trained_length (arXiv 2310.05209). context_length: the
        length after the model's own extension, or None. notes: a list of sentences.

        factors: also search the factors of context extensions that allow the context: "all", a method, or a list of
        methods. factors[method] has smallest and robust, or None. criterion: what allows means, "non-negative",
        "level" (with level=, a similarity from -1 to 1), "mean" or "seen". Takes seconds; Ctrl+C cancels it."""
    def precision(self, policy: str, positions: _Numbers, *, axis: str | None = None,
                  threads: int = 0) -> dict[str, _Array | numpy.float64]:
        """The error of cos and sin in a low-precision format at these positions: a dict of float64 arrays of their
        shape.

        policy: how a program computes them (an unknown one names similar ones, or all). "float32": positions,
        frequencies, angles and tables are rounded to it. "FORMAT-inputs", FORMAT being bfloat16 or float16: positions
        and frequencies, the rest is float32; "FORMAT-product": also the angles; "FORMAT-everything": also cos and
        sin. "FORMAT-tables": cos and sin alone; "FORMAT-frequencies": frequencies alone, also of float32;
        "FORMAT-rotation": the vector and every product and sum of its rotation, by exact tables. "float32-ggml-cpu",
        "float32-ggml-gpu": ggml's angles, multiplied from pair to pair. "flux-bfloat16-ids": FLUX's own code with ids
        of bfloat16.

        position: the positions. max_abs_error: the largest error of cos of any pair; that of sin can be larger.
        rms_error: sqrt of the mean over the pairs of (error of cos)**2 + (error of sin)**2. For rotations both are of
        the rotated vector (1, 1)/sqrt(2), and max_abs_error of both components. score_error: of the score of two
        equal vectors, the query at the position and the key at 0. NaN if the format overflows. axis: for a rope with
        several, by name; None: the first."""
    def with_scaling(self, method: str, *, trained_length: float | None = None, length: float | None = None,
                     **numbers: float | Sequence[float]) -> Rope:
        """The rope under a context extension: with_scaling("yarn", factor=4).

        method: "none", "linear", "dynamic", "yarn", "llama3", "longrope", ... (an unknown one names similar ones, or
        all); its numbers and lists are keywords with their names in ropescope: factor=, beta_fast=,
        short_factors=[...]. Required numbers default to the released ones, except the extension factor.
        trained_length, length: in positions; length=None, for methods that depend on the current length: the
        requested length. Raises InputError: a number that the method does not have, or that is out of range."""
    def replace(self, **changes: Any) -> Rope:
        """A copy with other numbers: rope.replace(base=500000). Takes the keywords of Rope().

        base replaces the base of every axis. A rope with given frequencies has no base: pass ladder=None too. Raises
        TypeError for an unknown keyword, and InputError as Rope() does."""
    def to_config(self, program: str) -> dict[str, Any] | str:
        """The rope in the notation of another program.

        program: "transformers": a dict with rope_parameters, head_dim and max_position_embeddings, as in a
        config.json, the last one if it is known; "vllm": the same, for hf_overrides; "mlx": a dict with rope_theta,
        rope_traditional and rope_scaling, as mlx-lm reads them, including the pairing; "llama.cpp": the options of
        its programs, a string; "numpy": Python code that computes frequency and amplitude. Warns (UserWarning) of
        what the program cannot express, such as interleaved pairs, which are a property of the model's class. Raises
        InputError if it can express nothing."""
    def plot(self, ax: Any = None, view: str = "decay", **keywords: Any) -> Any:
        """Draws a view of the rope on matplotlib axes, and returns the axes: rope.plot(ax, span=4096).

        ax: matplotlib axes; None: new ones; on axes that are not empty see Figure.plot(). For several ropes with a
        legend: rs.figure("decay", {"a": a, "b": b}).plot(ax). view, panel: as in figure(); "decay" and its similarity
        by default. Further keywords are those of figure(). Requires matplotlib, which is imported only here."""

class Limits(dict[str, Any]):
    """The result of Rope.limits(): a dict with the keys of `ropescope limits`. str() returns it as sentences, in
    which the bounds are rounded to the side on which the sentence holds."""

class Layout:
    """The positions of the tokens of an image or a video in a model, and their rotation. Created by layout(). A
    layout equals only itself: compare the ids and frequencies of a pickled one."""
    @property
    def name(self) -> str:
        """The layout's name, one of layouts()."""
    @property
    def ids(self) -> _Array:
        """float64 [tokens, axes]: the ids of every rotated token, in the model's order."""
    @property
    def axes(self) -> list[str]:
        """Names of the position axes, such as ["t", "row", "column"]."""
    @property
    def pairing(self) -> str:
        """"half" (channel i and i + rotary_dim/2 form a pair) or "interleaved" (2i and 2i + 1)."""
    @property
    def inverse_frequencies(self) -> _Array:
        """float64 [axes, pairs], radians per id; 0 if an axis does not rotate a pair."""
    @property
    def blocks(self) -> list[dict[str, Any]]:
        """The blocks of tokens in their order: a list of dicts with part ("text", "image", "reference1", ...),
        frames, rows, columns, first_row (in ids and tables) and first_token (in the whole sequence)."""
    @property
    def notes(self) -> list[str]:
        """Remarks on the layout at this size, one sentence each."""
    def cos_sin(self, dtype: DTypeLike | Any = "float32", *, threads: int = 0) -> _Tables:
        """(cos, sin), each [tokens, pairs], exact and rounded once to dtype (float64, float32, float16)."""
    def similarity(self, patch: int | tuple[int, int] | tuple[int, int, int]) -> _Array:
        """The similarity of every token to one of them: float64 [tokens], 1 at that token.

        patch: a row of the tables, or (row, column) or (frame, row, column) of the image. Raises InputError if it is
        outside the image."""
    def __len__(self) -> int: ...

__version__: str

def presets() -> list[str]:
    """Names of the presets, the models that from_preset() knows: a list."""
def layouts() -> list[str]:
    """Names of the layouts that layout() knows: a list."""
def encodings() -> list[str]:
    """Names of the position encodings, by age: a list."""
def methods() -> list[str]:
    """Names of the methods of context extension, by age: a list."""
def encoding(name: str, positions: _Numbers, *, dim: int | None = None, rope: _Source | None = None,
             axis: str | None = None, **fields: Any) -> dict[str, _Array]:
    """The values of a position encoding: a dict of float64 arrays [positions, columns], one for each part.

    name: one of encodings(). positions: integers; for encodings of distances (biases), distances m - n. dim: channels
    of q and k (128). rope: for encodings that rotate, a Rope (or what Rope.from_config() accepts) that gives
    channels, pairing and frequencies; axis: if it has several. Further keywords are the fields of the encoding:
    heads=, head= (from 1), base=, seed=, trained_length=, .... Parts: "p" (position vectors), "cos" and "sin" (one
    column per pair), "scale", "bias", "key" and "value". Raises InputError: an unknown encoding or field, a position
    past a learned table."""
def score(name: str, query: _Numbers, key: _Numbers, query_position: int, key_position: int, *,
          rope: _Source | None = None, axis: str | None = None, **fields: Any) -> dict[str, Any]:
    """The score between a query and a key at two positions: {"total": ..., "scale": ..., "terms": {name: value}}.

    query, key: one number per channel. The terms include the scale, and the total is their sum. Further arguments are
    those of encoding()."""
def attention(encoding: str, q: _Numbers | None = None, k: _Numbers | None = None, *, kind: str = "softmax",
              causal: bool = False, kernel: str | None = None, features: int | None = None,
              turn_vectors: bool = False, tokens: int | None = None, content: str = "random", dim: int | None = None,
              first_position: int = 0, rope: _Source | None = None, axis: str | None = None, threads: int = 0,
              **fields: Any) -> _Array:
    """The attention weights of every query over every key: float64 [heads, tokens, tokens].

    encoding: one of encodings(). q, k: [tokens, channels] or [heads, tokens, channels], before the rotation; k may
    have fewer heads. Without them tokens= synthetic tokens of dim channels, content "random" or "aligned", from the
    seed. kind: "softmax", or "linear" with kernel "elu", "exp", "softmax" or "performer" (features: random features
    per channel; turn_vectors: rotate q and k before the kernel). causal: mask keys after the query. first_position:
    of the first token. Further arguments are those of encoding(). Raises InputError if shapes do not fit or the
    weights overflow."""
def layout(name: str, size: _Size | None = None, grid: _Size | None = None, **fields: Any) -> Layout:
    """The tokens of an image or a video as a model arranges them: layout("flux.1", size=(1664, 928), text=512).

    name: one of layouts(). size: (width, height) in pixels, or "1664x928"; or grid: (rows, columns) of tokens.
    Further keywords are the fields of the layout: text=, frames=, references=[(w, h), ...], base=, head_dim=, ....
    Raises InputError: a field that the layout does not have (with those that it has), a size that does not divide
    into tokens."""

class _Report:
    """A report of the program: str() returns it as text, json() as a dict."""
    @property
    def verdict(self) -> str:
        """"agrees", "disagrees", from compare() without a baseline "differs", or from check() "no evidence": nothing
        disagrees, but no mistake would be visible."""
    @property
    def agrees(self) -> bool:
        """Whether the verdict is "agrees"."""
    def json(self) -> dict[str, Any]:
        """Returns the whole report, as written by `ropescope check --json` or `ropescope compare --json`."""
    def assert_agrees(self) -> None:
        """Raises RopeMismatch, an AssertionError with the whole report, unless the verdict is "agrees"."""

class CheckReport(_Report):
    """The result of check(). In a notebook it is shown with its map of differences."""
    @property
    def causes(self) -> list[dict[str, Any]]:
        """The causes that explain the difference, the most convincing first: a list of dicts with "name",
        "confidence", "parameters", "evidence", "advice" and more. The cause is "unknown" if nothing explains it."""
    @property
    def advice(self) -> list[str]:
        """The advice: what to change, one sentence per cause."""
    @property
    def notes(self) -> list[str]:
        """Remarks on the reference and the tensors, one sentence each."""
    @property
    def checked(self) -> dict[str, Any] | None:
        """Which tensors of a recording were checked, from Layer.check() and Recording.check(): a dict with layer (its
        number, None from Layer.check()), name, of ("q", "k" or "tables") and item; else None."""
    @property
    def differences(self) -> _Array | None:
        """The larger of the differences in cos and in sin of every token and pair: float64 [tokens, pairs]; None if
        cos and sin were not given, or the reference has other shapes. The tensors must not have changed since."""
    def plot(self, ax: Any = None) -> Any:
        """Draws the map of differences on matplotlib axes (None: new ones), and returns the axes. Raises InputError
        if there is none. Requires matplotlib, which is imported only here."""
    def _repr_html_(self) -> str: ...

class Comparison(_Report):
    """The result of compare()."""
    @property
    def differences(self) -> list[dict[str, Any]]:
        """The differences that change scores: a list of dicts with "name", "cause", "profile", "text", "a", "b",
        "largest_change" and more."""
    @property
    def remarks(self) -> list[str]:
        """Further differences and notes, one sentence each."""

def check(*, against: _Source | Layout | tuple[_Numbers, _Numbers], cos: _Numbers | None = None,
          sin: _Numbers | None = None, table: _Numbers | None = None, ids: _Numbers | None = None,
          frequencies: _Numbers | None = None, before: _Numbers | None = None, after: _Numbers | None = None,
          positions: _Numbers | None = None, part: str = "all", heads: str | None = None,
          rows: tuple[int, int] | None = None, allow: str | Iterable[str] = (), strict: bool = False,
          threads: int = 0) -> CheckReport:
    """Checks whether a program's tensors agree with a reference, and which known mistakes explain a difference.

    against: a Rope, anything that Rope.from_config() accepts, a Layout, or the reference tables as a tuple (cos,
    sin). If a model's layers differ, all profiles are tried, unless the rope was created with profile=. cos, sin:
    [tokens, pairs], or [tokens, 2·pairs] with every column twice. table: complex [tokens, pairs], or [tokens, pairs,
    2, 2], or [tokens, pairs, 2]. ids: [tokens] or [tokens, axes]. frequencies: [pairs], radians per position. before,
    after: q or k before and after the rotation, [tokens, channels], [tokens, heads, channels] (heads="thd") or
    [heads, tokens, channels] (heads="htd"). The tensors are not copied. positions: of every token, for a rope; None:
    0, 1, 2, …. part: all, text, image, reference or audio, the tokens of a layout that the tensors contain. rows:
    (first, end) of the rows to check. allow: a cause or a list of causes that the weights were trained with ("sign").
    strict: no cause is harmless. threads: see the module.

    Returns a CheckReport. Raises InputError: unsupported shapes, NaN, no tensor at all. The method is described in
    chapter 06 of the handbook and implemented in core/check."""
def compare(a: _Source | Layout, b: _Source | Layout, *, baseline: str | None = None,
            threads: int = 0) -> Comparison:
    """Compares two ropes, models or layouts: their differences and the effect on scores.

    a, b: a Rope, anything that Rope.from_config() accepts, or a Layout. baseline: "a" or "b" if that side is right;
    the report then names what is wrong, and the verdict of a difference is "disagrees" instead of "differs". Returns
    a Comparison. Raises InputError if a and b have nothing in common to compare."""

def weights(path: str | os.PathLike[str], *, config: str | None = None, layer: int | None = None, fast: float = 64,
            span: float | None = None, threads: int = 0) -> list[dict[str, Any]]:
    """What a checkpoint's query and key weights say about its positions; nothing is run.

    path: a folder with model.safetensors, its index or one .gguf, such a file, a .pt or .pth, or a repository in the
    local Hugging Face cache. config: its config.json; None: the one next to the weights, or the .gguf itself. layer:
    one layer; None: all. fast: wavelength in positions below which a pair counts as fast. span: the largest distance
    of the kernels; None: the trained length. Returns one dict per layer: "layer", "profile", "rotated" (False: the
    layer has no rotary embedding), "wavelengths" [pairs], "norms" [heads, pairs] with ||W_q,i||*||W_k,i|| and the
    weights of the norms folded in, "fast_share" and "slow_share" [heads] (slow: no complete turn within the trained
    length, NaN without one; both NaN if the layer is not rotated or the weights are 0), and "kernels", empty or with
    "distances" and "biases" or "norms" [heads, distances]: the score, before 1/sqrt(d), that biases or norm weights
    give at every distance. Raises InputError for unusable files, with the tensor's name."""

_Ropes = Union[_Source, Sequence[_Source], Mapping[str, _Source], None]

# A pandas.DataFrame if pandas is installed, else a dict of columns.
_Frame = Any

def fields(view: str) -> dict[str, dict[str, Any]]:
    """The fields of a view, which are keywords of figure(), sweep() and table(): a dict by full key, such as
    "decay.span", in the order of `ropescope render --help VIEW`.

    view: its name. Each entry is a dict: type ("int", "float", "bool", "str", "list of str"), unit, range (low, high)
    and choices, each None if there is none, default, and expected, the words of the messages. The last part of a key,
    span, is the keyword if it is unique; full keys go into set={"decay.span": 4096}. Raises InputError: an unknown
    view."""

def readouts(view: str | None = None) -> dict[str, str]:
    """Names and labels of the readouts that sweep() and table() accept: a dict. view: only those of one view; None:
    all, which takes some seconds."""
def sweep(readouts: str | Sequence[str], over: str | Sequence[str] | Mapping[str, Any], ropes: _Ropes = None, *,
          view: str | None = None, set: Mapping[str, Any] | None = None, threads: int = 0, **fields: Any) -> _Frame:
    """Computes numbers of cards over the values of fields, as `ropescope sweep`.

        rs.sweep("decay.first_negative", {"rope.base": [1e4, 5e5]}, "llama-2-7b", span=131072)
        rs.sweep(["decay.first_negative", "limits.smallest_base"], "rope.base=1e3..1e7:200:log")
        rs.sweep("decay.phasor_similarity", "rope.base=1e3..1e7:50:log", rope, show="phasors", distance=1000)

    readouts: names of readouts(), one or a list. over: a dict of fields and lists of their values, or of ranges as
    strings, "1e3..1e7:200:log" (:200 values, rounded to 12 digits, :log or :linear); or a list of strings,
    "rope.base=1e3..1e7". Several fields make all combinations, and "model" sweeps over presets. ropes: the current
    rope, then the pinned ones, as in figure(). view: for readouts of several views. Further keywords are fields,
    listed by rs.fields(view); full keys go into set.

    Returns one row per point: a column for each field, then one for each readout, float64 with NaN where there is no
    number (decay.first_negative: none up to decay.span), or tuples if there are several. It is a pandas.DataFrame if
    pandas is installed, else a dict of columns. Warns (UserWarning) if some points cannot be computed. Raises
    InputError: an unknown readout or keyword (with similar ones), a value out of range, no point that can be
    computed."""
def table(ropes: _Ropes, cards: str | Sequence[str] | None = None, *, set: Mapping[str, Any] | None = None,
          threads: int = 0, **fields: Any) -> _Frame:
    """Computes numbers of cards for several ropes, as `ropescope table`.

        rs.table(["llama-2-7b", "llama-3.1-8b", my_rope], ["decay.first_negative", "limits.smallest_base"])

    ropes: one, a list, or a dict of names and ropes; each a Rope or what Rope.from_config() accepts. cards: names of
    readouts(); None: those of the program. set, fields: as in sweep().

    Returns one row per rope: the column "rope" with their names, then one for each card, as in sweep()."""

class Figure:
    """A figure: it is displayed in a notebook, and save() writes it as .svg, .pdf, .png, .csv or .json, by the file
    extension. A picture contains its experiment: experiment("figure.svg") opens it again, and so does the window."""
    @property
    def view(self) -> str:
        """The view that the figure shows."""
    @property
    def experiment(self) -> str:
        """The experiment as JSON, as the program saves it."""
    def svg(self) -> str:
        """Returns the picture as SVG, a string."""
    def pdf(self) -> bytes:
        """Returns the picture as PDF, bytes."""
    def png(self) -> bytes:
        """Returns the picture as PNG, bytes."""
    def csv(self) -> str:
        """Returns the numbers of one panel as CSV, a string."""
    def json(self) -> str:
        """Returns the numbers of all panels and the cards as JSON, a string."""
    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the figure: .svg, .pdf, .png (pictures), .csv (one panel), .json (all panels). Raises InputError."""
    @property
    def link(self) -> str:
        """The experiment as a link, "ropescope:1&view=decay...": the program opens it, and rs.experiment() reads it.
        """
    def plot(self, ax: Any = None) -> Any:
        """Draws one panel on matplotlib axes, with its data, labels and colours, and returns the axes.

        ax: matplotlib axes; None: new ones. The panel is that of figure(panel=), or the first that has curves, points
        or a map. Scale, limits and labels are set on empty axes only. On others, curves take the next colours of the
        axes' cycle, limits that an earlier plot() has set are widened, and the user's own stay. Requires matplotlib,
        which is imported only here."""
    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """The picture for a notebook, as a dict by MIME type."""

def figure(view: str, ropes: _Ropes = None, *, size: _Size = "1200x800", theme: str = "light", dpi: float = 300.0,
           text_size: float = 100.0, outlines: bool = True, legend: str = "above", font: str = "sans",
           language: str = "en", panel: str | None = None,
           facet: str | Mapping[str, Sequence[Any]] | None = None, set: Mapping[str, Any] | None = None,
           threads: int = 0, **fields: Any) -> Figure:
    """The picture of a view: figure("decay", rope, span=8192).

    view: "decay", "frequencies", "limits", "similarity", ... (an unknown one names similar ones, or all). ropes: one,
    a list, or a dict of names and ropes; the first is the current one, the others are pinned for comparison; each may
    be anything that Rope.from_config() accepts. size: (width, height) in pixels, "1200x800" or "85x60mm". theme:
    "light" or "dark". dpi: for a PNG in millimetres. text_size: in percent. outlines: an SVG's text as outlines.
    legend: "above", "right", "below", "top-left", "top-right", "bottom-left", "bottom-right" or "none". font: "sans",
    "serif" or an installed family. language: "en", "ja", "ko". panel: the name of one figure of the view. facet:
    {"rope.base": [1e4, 5e5]}, the picture once per value. Further keywords are fields of the view, as in --set; full
    keys go into set={"rope.base": 5e5}. Raises InputError: an unknown keyword (with similar ones), a value out of
    range."""
def experiment(path: str | os.PathLike[str], ropes: _Ropes = None, *, size: _Size = "1200x800", theme: str = "light",
               dpi: float = 300.0, text_size: float = 100.0, outlines: bool = True, legend: str = "above",
               font: str = "sans", language: str = "en",
               panel: str | None = None, facet: str | Mapping[str, Sequence[Any]] | None = None,
               set: Mapping[str, Any] | None = None, threads: int = 0, **fields: Any) -> Figure:
    """The figure of a saved experiment (.json), or of a picture or link of ropescope that contains one. Keywords as
    in figure(); ropes that are given replace those of the experiment. Raises InputError if it contains no experiment.
    """

def explore(rope: _Ropes, view: str = "decay", field: str = "rope.base", low: float = 1e3, high: float = 1e7,
            **keywords: Any) -> Any:
    """Shows a figure of a rope in a notebook, with a slider for one of its numbers.

        rs.explore("llama-2-7b")
        rs.explore(rope, "decay", "decay.span", 256, 65536)

    rope, view: as in figure(). field: the full key of a number, from low to high (logarithmic if both are positive
    and a factor of 100 apart). Further keywords are those of figure(). Returns the widget; without ipywidgets the
    figure, after printing the link that opens it in the program."""

@dataclasses.dataclass
class Layer:
    """One call of the rotating code, as NumPy arrays (bfloat16 as float32). Tensors that were not seen are None.

    q_before, k_before and q, k: before and after the rotation, in the model's shape: [batch, heads, tokens,
    channels], or [batch, tokens, heads, channels] if heads_first is False. cos, sin: the tables of the rotation, as
    the model computed them; table: both as one tensor (complex numbers, 2x2 matrices). positions: [tokens], or
    [tokens, axes], of the first item of the batch. name: of the module or function that was called."""
    name: str
    q_before: NDArray[Any] | None = None
    k_before: NDArray[Any] | None = None
    q: NDArray[Any] | None = None
    k: NDArray[Any] | None = None
    cos: NDArray[Any] | None = None
    sin: NDArray[Any] | None = None
    table: NDArray[Any] | None = None
    positions: NDArray[Any] | None = None
    heads_first: bool = True
    def recorded(self) -> list[str]:
        """Returns which of q and k were recorded, before and after the rotation: a list."""
    def check(self, against: _Source | Layout | _Tables, **options: Any) -> CheckReport:
        """Checks q and k of all heads and all items of the batch, each with the tables, and returns the CheckReport
        of the first that disagrees, else of the first without evidence, else of the first; its `checked` says which
        it is.

        against, options: as in rs.check(). Warns (UserWarning) if only one of q and k was recorded."""
    def tensors(self, of: str = "q", item: int = 0, heads: int | None = None) -> dict[str, Any]:
        """Returns arguments for check(against=rope, **layer.tensors()): the tables, and q or k of one item of a
        batch.

        of: "q" or "k". heads: how many, from the first; None: all. Raises IndexError for an item that the batch does
        not have, and InputError if of was not recorded although the other was, or has another number of tokens than
        the tables. check() does this for q, k and all items."""

class Recording(list[Layer]):
    """The layers in the order in which they were called: recording[0].q. Attributes of the recording itself are those
    of the first layer: recording.cos."""
    name: str
    q_before: NDArray[Any] | None
    k_before: NDArray[Any] | None
    q: NDArray[Any] | None
    k: NDArray[Any] | None
    cos: NDArray[Any] | None
    sin: NDArray[Any] | None
    table: NDArray[Any] | None
    positions: NDArray[Any] | None
    heads_first: bool
    def check(self, against: _Source | Layout | _Tables, **options: Any) -> CheckReport:
        """Layer.check() of every layer: the CheckReport of the first that disagrees, else of the first without
        evidence, else of the first."""
    def tensors(self, of: str = "q", item: int = 0, heads: int | None = None) -> dict[str, Any]: ...

def record(model: Any, layers: int | Iterable[int] | None = None,
           only: str = "") -> contextlib.AbstractContextManager[Recording]:
    """A context manager that records what each layer of a torch model rotates, and by which tables.

        with rs.record(model) as dump:
            model(input_ids)
        dump[3].q, dump.cos                         # of the fourth layer, and of the first
        dump.check(rope).assert_agrees()            # q and k of every layer
        rs.check(against=rope, **dump[0].tensors("k"))

    model: from transformers or diffusers, a pipeline, or anything with named_modules() whose modules have forward().
    Functions that rotate are found by their names (apply_rotary_pos_emb, apply_rotary_emb, apply_rope, …) in the
    source files of the model's classes, and tables by what modules return (rotary_emb). layers: numbers of the layers
    to keep; None: all, which for a large model takes the memory of all its queries and keys. only: a string that a
    module's path must contain. Gives a Recording, which is filled when the model has been called. The functions are
    restored at the end. Raises RuntimeError if nothing that rotates was called."""
