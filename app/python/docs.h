// What help() says in Python of the classes and functions of the module: shapes, units, errors and sources. The stubs
// (ropescope/__init__.pyi) say the types.
#pragma once

namespace ropescope::python::docs {

inline constexpr const char* kRope =
    R"(A rotary embedding: which channels turn in pairs, and how fast.

Rope(dim=128, base=10000, *, ladder=None, pairing="half", head_dim=None, trained_length=None): the plain ladder
base**(-2i/dim), i = 0 ... dim/2 - 1 (RoFormer, arXiv 2104.09864, section 3.2.2). pairing: "half", channel i
turns with i + dim/2, or "interleaved", 2i with 2i + 1. head_dim: channels of a head, of which the first dim
turn; None: dim. trained_length: in positions, which some methods of with_scaling() ask for. ladder: frequencies
in place of the plain ones, radians per position: an array of dim/2, or a formula of i, d and b, as b^(-2*i/d).
Raises InputError unless dim is even in 2 ... 8192, base > 1, and every frequency finite and at least 0.)";

inline constexpr const char* kFromConfig =
    R"(The rope that a model's config describes.

config: the path of a config.json, of a folder with one (a snapshot, a pipeline of diffusers) or of a .gguf; a
mapping as config.json holds it; what has to_dict(), as the configs of transformers; or a Rope, which is given
back. profile: one of `profiles`, where layers of the model differ ("sliding attention"); None: the first.
Raises InputError: no such file, no config, a model without a rotary embedding, a field that is wrong (with its
name and what was expected).)";

inline constexpr const char* kFromPreset =
    R"(The rope of a model that the program knows by name, such as "llama-3.1-8b" (`ropescope models` lists them).
Raises InputError that names the nearest ones.)";

inline constexpr const char* kInverseFrequencies =
    R"(float64 [pairs], radians per position, the axes one after the other; under the extension. Each is right to one
unit in the last place. Where the extension looks at the current length, that of with_scaling(length=), else the
trained one.)";

inline constexpr const char* kAmplitude =
    "What cos and sin are multiplied by (transformers: attention_scaling; YaRN's).";

inline constexpr const char* kCosSin =
    R"((cos, sin) at these positions.

positions: numbers of any shape; of a rope with several axes [..., axes], or an array of one axis whose numbers
all axes count. dtype: float64, float32 or float16, by name or as NumPy's or torch's; every number is rounded to
it once. how: "transformers": as its rotary modules return them, [..., 2·pairs], every column twice (by halves,
or side by side where pairs are interleaved), frequencies, angles and tables in float32. Frequencies are the exact
ones, rounded: torch's own powers are one unit off in some pairs, which moves cos by 1e-3 at position 20 000.
"exact": [..., pairs], of the frequencies that inverse_frequencies gives, within one unit of the last place of
float64 at positions up to a million. Any policy of `ropescope precision`,
"bfloat16-everything", "float32-ggml-cpu", ...: [..., pairs] as that program computes them. A ladder that looks
at the current length takes the largest position + 1. threads: 0 for one for each core. Raises InputError:
positions that are not finite, another dtype, another word. Source of "transformers": huggingface/transformers,
models/llama/modeling_llama.py, LlamaRotaryEmbedding.)";

inline constexpr const char* kRotate =
    R"(The head vectors x turned at their positions, as a new array: computed in float64, rounded once.

x: [..., head_dim] of float64, float32, float16 (the result is of the same), or bfloat16 (the result is
float32). positions: as NumPy broadcasts to the leading axes of x: [tokens] beside [batch, heads, tokens,
head_dim], [tokens, 1] beside [tokens, heads, head_dim]; of a rope with several axes one axis more, of theirs.
pairing: "half" or "interleaved", None: the rope's own. Channels past rotary_dim stay. Raises InputError: shapes
that do not fit, integers.)";

inline constexpr const char* kSimilarity =
    R"(K(n) = (1/pairs) sum_i cos(n theta_i) at these distances, the score of two equal vectors: float64 of their
shape.

distances: any real numbers, in tokens; runs of neighbouring whole ones are computed a hundred times as fast as
others. axis: of a rope with several, by name; None: the first. Within 1e-12 up to distance 4 096, 1e-9 up to 1
048 576.)";

inline constexpr const char* kBound =
    R"(B(n) = (1/pairs) sum_j |S_j| with S_j = sum_{i<j} exp(i n theta_i), RoFormer's bound (section 3.4.3): float64.

order: of the partial sums, "fast-first" or "slow-first". Else as similarity().)";

inline constexpr const char* kLimits =
    R"(How far the rope reaches, and which bases a context allows, as `ropescope limits`: a dict.

context: in tokens, 1 ... 16 777 216; None: the trained length, and without one what needs it is None.
first_negative_distance: the smallest n with sum cos(n theta_i) < 0 (arXiv 2405.14591); largest_context is one
less. shaken_context: the least of it when the base moves by up to 1 %. smallest_base and window (low, high):
the lowest bases that allow the context. robust_base: above it none failed. effective_pairs: how many pairs move
in the context. critical_dimension, unseen_pairs: against the trained length (arXiv 2310.05209). Takes seconds;
Ctrl+C stops it.)";

inline constexpr const char* kWithScaling =
    R"(The rope under a context extension: with_scaling("yarn", factor=4).

method: "none", "linear", "dynamic", "yarn", "llama3", "longrope", ... (an unknown one lists them all); its
numbers and lists as keywords by their names in ropescope, factor=, beta_fast=, short_factors=[...]. What has to
be given and is not is taken as it was released, but how far to go. trained_length, length: in positions; of
methods that look at the current length, None: what is asked. Raises InputError: a number the method does not
have, or that is out of range.)";

inline constexpr const char* kLayout =
    R"(Where a model puts the tokens of an image or a video, and what turns by it. Made by layout().)";

inline constexpr const char* kMakeLayout =
    R"(The tokens of an image or a video as a model arranges them: layout("flux.1", size=(1664, 928), text=512).

name: one that `ropescope layouts` lists. size: (width, height) in pixels, or "1664x928"; or grid: (rows,
columns) of tokens. Further keywords are the fields of the layout: text=, frames=, references=[(w, h), ...],
base=, head_dim=, ...; one that it does not have is an InputError that lists them, and so is a size that does
not divide into tokens.)";

inline constexpr const char* kIds = "float64 [tokens, axes]: the ids of every rotated token, in the model's order.";

inline constexpr const char* kLayoutFrequencies =
    "float64 [axes, pairs], radians per id; 0 where an axis does not turn a pair.";

inline constexpr const char* kBlocks =
    R"(Which tokens follow each other: a list of dicts with part ("text", "image", "reference1", ...), frames, rows,
columns, first_row (of ids and tables) and first_token (of the whole sequence).)";

inline constexpr const char* kLayoutCosSin =
    R"((cos, sin), each [tokens, pairs], exact and rounded once to dtype (float64, float32, float16).)";

inline constexpr const char* kLayoutSimilarity =
    R"(The similarity of every token to one of them: float64 [tokens], 1 at the patch itself.

patch: a row of the tables, or (row, column) or (frame, row, column) of the image. Raises InputError: outside of
it.)";

inline constexpr const char* kFigure =
    R"(A figure: it shows itself in a notebook, and save() writes it as .svg, .pdf, .png, .csv or .json by the name's
end. A picture carries its experiment: experiment("figure.svg") opens it again, and so does the window.)";

inline constexpr const char* kSave =
    "Writes the figure: .svg, .pdf, .png (pictures), .csv (one panel), .json (all of it). Raises InputError.";

inline constexpr const char* kMakeFigure =
    R"(The picture of a view: figure("decay", rope, span=8192).

view: "decay", "frequencies", "limits", "similarity", ... (an unknown one lists them all). ropes: one, a list,
or a dict of names and ropes; the first is the current one, others are kept beside it; each may be whatever
Rope.from_config() takes. size: (width, height) in pixels, "1200x800" or "85x60mm". theme: "light" or "dark".
dpi: of a PNG in millimetres. text_size: in percent. outlines: an SVG's text as outlines. legend: "above", "right",
"below", "top-left", "top-right", "bottom-left", "bottom-right" or "none". font: "sans", "serif" or an installed
family. language: "en", "ja", "ko". panel: the name of one figure of the view. facet: {"rope.base": [1e4, 5e5]}, the picture once for each
value. Further keywords are fields of the view, as of --set; whole keys go into set={"rope.base": 5e5}. Raises
InputError: a field that there is not (with near ones), out of range.)";

inline constexpr const char* kExperiment =
    R"(The figure of a saved experiment (.json), or of a picture or link of ropescope, which carries one. Keywords as
of figure(); ropes that are given take the place of its own. Raises InputError where there is none in it.)";

}  // namespace ropescope::python::docs
