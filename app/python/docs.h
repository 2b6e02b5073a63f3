// Docstrings of the module's classes and functions, for help(): shapes, units, errors and sources. The stubs
// (ropescope/__init__.pyi) contain the types.
#pragma once

namespace ropescope::python::docs {

inline constexpr const char* kRope =
    R"(A rotary embedding: which channels are rotated in pairs, and how fast.

Rope(dim=128, base=10000, *, ladder=None, pairing="half", head_dim=None, trained_length=None, axes=None, scaling=None,
length=None, amplitude=1): the plain ladder base**(-2i/dim), i = 0 ... dim/2 - 1 (RoFormer, arXiv 2104.09864, section
3.2.2). pairing: "half" pairs channel i with i + dim/2, "interleaved" 2i with 2i + 1. head_dim: channels per head, of
which the first dim are rotated; None: dim. trained_length: in positions, required by some methods of with_scaling().
ladder: frequencies instead of the plain ones, in radians per position: an array of dim/2, or a formula of i, d and b,
such as b^(-2*i/d). axes: for several position axes instead of dim, base and ladder, a list of dicts such as
{"name": "row", "dim": 56, "base": 10000}. scaling: a context extension, "linear" or {"method": "yarn", "factor": 4},
as with_scaling() takes it. length: the current length, for methods that depend on it. amplitude: a factor on cos and
sin.

Ropes never change. Two ropes are equal if their frequencies, pairing, dimensions, trained length, extension and
amplitude are, whatever their source; a given ladder never equals a base. Equal ropes have equal hashes. repr() is an
expression that, after `from ropescope import Rope`, gives an equal rope. Ropes can be copied and pickled.
Raises InputError unless dim is even in 2 ... 8192, base > 1, and every frequency is finite and at least 0.)";

inline constexpr const char* kFromConfig =
    R"(The rope that a model's config describes.

config: the path of a config.json, of a folder that contains one (a snapshot, a diffusers pipeline) or of a .gguf;
a preset's name; a repository in the local Hugging Face cache ("meta-llama/Llama-3.1-8B", nothing is downloaded);
a mapping with the contents of a config.json; an object with to_dict(), such as a config of transformers; or a Rope,
which is returned. profile: one of `profiles`, if the model's layers differ ("sliding attention"); None: the first.
Raises InputError: no such file, no config, a model without a rotary embedding, an invalid field (with its name and
the expected values).)";

inline constexpr const char* kFromPreset =
    R"(The rope of a preset, such as "llama-3.1-8b" (rs.presets() lists them). Raises InputError for an unknown
name, with the nearest ones.)";

inline constexpr const char* kInverseFrequencies =
    R"(float64 [pairs], radians per position, under the extension; the axes are concatenated. Those of a plain ladder
are right to about half a unit in the last place, those of an extension to about three. If the extension depends on
the current length, it is that of with_scaling(length=), or else the trained length.)";

inline constexpr const char* kBase =
    "The base b of the frequencies; None if the axes differ, or if frequencies were given.";

inline constexpr const char* kPairing =
    R"("half" (channel i and i + rotary_dim/2 form a pair) or "interleaved" (2i and 2i + 1).)";

inline constexpr const char* kHeadDim = "Channels per head; the first rotary_dim of them are rotated.";

inline constexpr const char* kRotaryDim = "Rotated channels per head, over all axes.";

inline constexpr const char* kTrainedLength =
    R"(The length L in positions that the methods of context extension refer to: original_max_position_embeddings of a
config that has it, else max_position_embeddings. None if the model has no limit.)";

inline constexpr const char* kOriginalLength =
    "The length before a context extension, in positions: trained_length by the name that configs use for it.";

inline constexpr const char* kContextLength =
    R"(Positions that the model supports with its own extension (max_position_embeddings of its config); trained_length
if there is none. with_scaling() and replace() do not change it. None if the model has no limit.)";

inline constexpr const char* kScaling = R"(The method of the context extension, "none" if there is none.)";

inline constexpr const char* kProfile =
    R"(The kind of layers that the rope belongs to: "full attention", "sliding attention", "text", "vision", ....)";

inline constexpr const char* kProfiles = "The profiles of the rope's model; from_config(profile=) selects one.";

inline constexpr const char* kAxes = R"(Names of the position axes: ["position"] for text.)";

inline constexpr const char* kNotes = "Remarks on the model's config, one sentence each.";

inline constexpr const char* kReplace =
    R"(A copy with other numbers: rope.replace(base=500000). Takes the keywords of Rope().

base replaces the base of every axis. A rope with given frequencies has no base: pass ladder=None too. Raises
TypeError for an unknown keyword, and InputError as Rope() does.)";

inline constexpr const char* kToConfig =
    R"(The rope in the notation of another program.

program: "transformers": a dict with rope_parameters, head_dim and max_position_embeddings, as in a config.json, the
last one if it is known; "vllm": the same, for hf_overrides; "mlx": a dict with rope_theta, rope_traditional and
rope_scaling, as mlx-lm reads them, including the pairing; "llama.cpp": the options of its programs, a string;
"numpy": Python code that computes frequency and amplitude. Warns (UserWarning) of what the program cannot express,
such as interleaved pairs, which are a property of the model's class. Raises InputError if it can express nothing.)";

inline constexpr const char* kAmplitude = "The factor of cos and sin (attention_scaling in transformers; from YaRN).";

inline constexpr const char* kCosSin =
    R"((cos, sin) at these positions.

positions: numbers of any shape; for a rope with several axes [..., axes], or a one-dimensional array of positions
that all axes share. dtype: float64, float32 or float16, as a name or as a dtype of NumPy or torch; every number is
rounded to it once. how: "transformers": as its rotary modules return them, [..., 2·pairs], every column twice (by
halves, or adjacent if pairs are interleaved), with frequencies, angles and tables in float32. The frequencies are
the exact ones, rounded: torch's own powers differ by one unit in some pairs, which changes cos by 1e-3 at position
20 000. "exact": [..., pairs], from the frequencies of inverse_frequencies without rounding the angle: half a unit in
the last place of dtype at positions up to 2**24 that are multiples of 1/256, about one unit of float64 at others.
Any policy of precision(), such as "bfloat16-everything" or "float32-ggml-cpu": [..., pairs] as that program computes
them. A ladder that depends on the current length uses the largest position + 1. threads: 0 for one per core. Raises
InputError: positions that are not finite, an unsupported dtype, an unknown value of how. Source of "transformers":
huggingface/transformers, models/llama/modeling_llama.py, LlamaRotaryEmbedding.)";

inline constexpr const char* kRotate =
    R"(The head vectors x rotated at their positions, as a new array: computed in float64, rounded once.

x: [..., tokens, head_dim] of float64, float32 or float16 (the result has the same dtype), or bfloat16 (the result is
float32). positions: broadcast to the leading axes of x as in NumPy: [tokens] for [batch, heads, tokens, head_dim],
[tokens, 1] for [tokens, heads, head_dim]; for a rope with several axes, with one more axis, the last, for them.
pairing: "half" or "interleaved"; None: the rope's own. Channels beyond rotary_dim are unchanged. Raises InputError:
shapes that do not fit; TypeError: integers, complex numbers.)";

inline constexpr const char* kSimilarity =
    R"(K(n) = (1/pairs) sum_i cos(n theta_i) at these distances, the score of two equal vectors: float64 of their
shape.

distances: any real numbers, in tokens; one number gives a numpy.float64. Runs of consecutive integers are computed a
hundred times as fast as others. axis: for a rope with several, by name; None: the first. Accurate to 1e-12 up to
distance 4 096, to 1e-9 up to 1 048 576.)";

inline constexpr const char* kBound =
    R"(B(n) = (1/pairs) sum_j |S_j| with S_j = sum_{i<j} exp(i n theta_i), RoFormer's bound (section 3.4.3): float64.

order: of the partial sums, "fast-first" or "slow-first". The other parameters are those of similarity().)";

inline constexpr const char* kLimits =
    R"(How far the rope reaches, and which bases a context allows: a dict with the keys of `ropescope limits`, which
str() writes as sentences.

context: in tokens, 1 ... 16 777 216; None: the trained length. Without either, the entries that need it are None.
first_negative_distance: the smallest n with sum cos(n theta_i) < 0 (arXiv 2405.14591); largest_context is one less.
shaken_context, shaken_base: the smallest largest_context when the base changes by up to 1 %, and that base.
smallest_base and window (low, high): the lowest bases that allow the context. robust_base: above it no base failed,
in steps of robust_ratio. effective_pairs: the effective number of pairs that move in the context, in which a pair
that rotates evenly counts as 1 and a static one as 0. critical_dimension, unseen_pairs, unseen_ranges ((first, last),
...): for trained_length (arXiv 2310.05209). context_length: the length after the model's own extension, or None.
notes: a list of sentences.

factors: also search the factors of context extensions that allow the context: "all", a method, or a list of methods.
factors[method] has smallest and robust, or None. criterion: what allows means, "non-negative", "level" (with level=,
a similarity from -1 to 1), "mean" or "seen". Takes seconds; Ctrl+C cancels it.)";

inline constexpr const char* kPrecision =
    R"(The error of cos and sin in a low-precision format at these positions: a dict of float64 arrays of their shape.

policy: how a program computes them (an unknown one names similar ones, or all). "float32": positions, frequencies,
angles and tables are rounded to it. "FORMAT-inputs", FORMAT being bfloat16 or float16: positions and frequencies, the
rest is float32; "FORMAT-product": also the angles; "FORMAT-everything": also cos and sin. "FORMAT-tables": cos and
sin alone; "FORMAT-frequencies": frequencies alone, also of float32; "FORMAT-rotation": the vector and every product
and sum of its rotation, by exact tables. "float32-ggml-cpu", "float32-ggml-gpu": ggml's angles, multiplied from pair
to pair. "flux-bfloat16-ids": FLUX's own code with ids of bfloat16.

position: the positions. max_abs_error: the largest error of cos of any pair; that of sin can be larger. rms_error:
sqrt of the mean over the pairs of (error of cos)**2 + (error of sin)**2. For rotations both are of the rotated vector
(1, 1)/sqrt(2), and max_abs_error of both components. score_error: of the score of two equal vectors, the query at the
position and the key at 0. NaN if the format overflows. axis: for a rope with several, by name; None: the first.)";

inline constexpr const char* kWithScaling =
    R"(The rope under a context extension: with_scaling("yarn", factor=4).

method: "none", "linear", "dynamic", "yarn", "llama3", "longrope", ... (an unknown one names similar ones, or all);
its numbers and lists are keywords with their names in ropescope: factor=, beta_fast=, short_factors=[...]. Required
numbers default to the released ones, except the extension factor. trained_length, length: in positions; length=None,
for methods that depend on the current length: the requested length. Raises InputError: a number that the method does
not have, or that is out of range.)";

inline constexpr const char* kPresets = "Names of the presets, the models that from_preset() knows: a list.";

inline constexpr const char* kLayouts = "Names of the layouts that layout() knows: a list.";

inline constexpr const char* kEncodings = "Names of the position encodings, by age: a list.";

inline constexpr const char* kMethods = "Names of the methods of context extension, by age: a list.";

inline constexpr const char* kEncoding =
    R"(The values of a position encoding: a dict of float64 arrays [positions, columns], one for each part.

name: one of encodings(). positions: integers; for encodings of distances (biases), distances m - n. dim: channels of
q and k (128). rope: for encodings that rotate, a Rope (or what Rope.from_config() accepts) that gives channels,
pairing and frequencies; axis: if it has several. Further keywords are the fields of the encoding: heads=, head= (from
1), base=, seed=, trained_length=, .... Parts: "p" (position vectors), "cos" and "sin" (one column per pair), "scale",
"bias", "key" and "value". Raises InputError: an unknown encoding or field, a position past a learned table.)";

inline constexpr const char* kScore =
    R"(The score between a query and a key at two positions: {"total": ..., "scale": ..., "terms": {name: value}}.

query, key: one number per channel. The terms include the scale, and the total is their sum. Further arguments are
those of encoding().)";

inline constexpr const char* kAttention =
    R"(The attention weights of every query over every key: float64 [heads, tokens, tokens].

encoding: one of encodings(). q, k: [tokens, channels] or [heads, tokens, channels], before the rotation; k may have
fewer heads. Without them tokens= synthetic tokens of dim channels, content "random" or "aligned", from the seed.
kind: "softmax", or "linear" with kernel "elu", "exp", "softmax" or "performer" (features: random features per
channel; turn_vectors: rotate q and k before the kernel). causal: mask keys after the query. first_position: of the
first token. Further arguments are those of encoding(). Raises InputError if shapes do not fit or the weights
overflow.)";

inline constexpr const char* kSweep = R"(Numbers of cards over the values of fields, as `ropescope sweep`.)";

inline constexpr const char* kTable = R"(Numbers of cards of several ropes, as `ropescope table`.)";

inline constexpr const char* kReadouts =
    R"(Names and labels of the readouts that sweep() and table() accept: a dict. view: only those of one view; None: all,
which takes some seconds.)";

inline constexpr const char* kLayout =
    R"(The positions of the tokens of an image or a video in a model, and their rotation. Created by layout(). A layout
equals only itself: compare the ids and frequencies of a pickled one.)";

inline constexpr const char* kLayoutName = "The layout's name, one of layouts().";

inline constexpr const char* kLayoutAxes = R"(Names of the position axes, such as ["t", "row", "column"].)";

inline constexpr const char* kLayoutNotes = "Remarks on the layout at this size, one sentence each.";

inline constexpr const char* kMakeLayout =
    R"(The tokens of an image or a video as a model arranges them: layout("flux.1", size=(1664, 928), text=512).

name: one of layouts(). size: (width, height) in pixels, or "1664x928"; or grid: (rows,
columns) of tokens. Further keywords are the fields of the layout: text=, frames=, references=[(w, h), ...],
base=, head_dim=, .... Raises InputError: a field that the layout does not have (with those that it has), a size that
does not divide into tokens.)";

inline constexpr const char* kIds = "float64 [tokens, axes]: the ids of every rotated token, in the model's order.";

inline constexpr const char* kLayoutFrequencies =
    "float64 [axes, pairs], radians per id; 0 if an axis does not rotate a pair.";

inline constexpr const char* kBlocks =
    R"(The blocks of tokens in their order: a list of dicts with part ("text", "image", "reference1", ...), frames,
rows, columns, first_row (in ids and tables) and first_token (in the whole sequence).)";

inline constexpr const char* kLayoutCosSin =
    R"((cos, sin), each [tokens, pairs], exact and rounded once to dtype (float64, float32, float16).)";

inline constexpr const char* kLayoutSimilarity =
    R"(The similarity of every token to one of them: float64 [tokens], 1 at that token.

patch: a row of the tables, or (row, column) or (frame, row, column) of the image. Raises InputError if it is outside
the image.)";

inline constexpr const char* kFigure =
    R"(A figure: it is displayed in a notebook, and save() writes it as .svg, .pdf, .png, .csv or .json, by the file
extension. A picture contains its experiment: experiment("figure.svg") opens it again, and so does the window.)";

inline constexpr const char* kSave =
    "Writes the figure: .svg, .pdf, .png (pictures), .csv (one panel), .json (all panels). Raises InputError.";

inline constexpr const char* kView = "The view that the figure shows.";

inline constexpr const char* kExperimentText = "The experiment as JSON, as the program saves it.";

inline constexpr const char* kSvg = "Returns the picture as SVG, a string.";

inline constexpr const char* kPdf = "Returns the picture as PDF, bytes.";

inline constexpr const char* kPng = "Returns the picture as PNG, bytes.";

inline constexpr const char* kCsv = "Returns the numbers of one panel as CSV, a string.";

inline constexpr const char* kJson = "Returns the numbers of all panels and the cards as JSON, a string.";

inline constexpr const char* kLink =
    R"(The experiment as a link, "ropescope:1&view=decay...": the program opens it, and rs.experiment() reads it.)";

inline constexpr const char* kPlotFigure =
    R"(Draws one panel on matplotlib axes, with its data, labels and colours, and returns the axes.

ax: matplotlib axes; None: new ones. The panel is that of figure(panel=), or the first that has curves, points or a
map. Scale, limits and labels are set on empty axes only. On others, curves take the next colours of the axes' cycle,
limits that an earlier plot() has set are widened, and the user's own stay. Requires matplotlib, which is imported
only here.)";

inline constexpr const char* kPlot =
    R"(Draws a view of the rope on matplotlib axes, and returns the axes: rope.plot(ax, span=4096).

ax: matplotlib axes; None: new ones; on axes that are not empty see Figure.plot(). For several ropes with a legend:
rs.figure("decay", {"a": a, "b": b}).plot(ax). view, panel: as in figure(); "decay" and its similarity by default.
Further keywords are those of figure(). Requires matplotlib, which is imported only here.)";

inline constexpr const char* kMakeFigure =
    R"(The picture of a view: figure("decay", rope, span=8192).

view: "decay", "frequencies", "limits", "similarity", ... (an unknown one names similar ones, or all). ropes: one, a
list, or a dict of names and ropes; the first is the current one, the others are pinned for comparison; each may be
anything that Rope.from_config() accepts. size: (width, height) in pixels, "1200x800" or "85x60mm". theme: "light" or
"dark". dpi: for a PNG in millimetres. text_size: in percent. outlines: an SVG's text as outlines. legend: "above",
"right", "below", "top-left", "top-right", "bottom-left", "bottom-right" or "none". font: "sans", "serif" or an
installed family. language: "en", "ja", "ko". panel: the name of one figure of the view. facet: {"rope.base": [1e4,
5e5]}, the picture once per value. Further keywords are fields of the view, as in --set; full keys go into
set={"rope.base": 5e5}. Raises InputError: an unknown keyword (with similar ones), a value out of range.)";

inline constexpr const char* kFields =
    R"(The fields of a view, which are keywords of figure(), sweep() and table(): a dict by full key, such as
"decay.span", in the order of `ropescope render --help VIEW`.

view: its name. Each entry is a dict: type ("int", "float", "bool", "str", "list of str"), unit, range (low, high) and
choices, each None if there is none, default, and expected, the words of the messages. The last part of a key, span,
is the keyword if it is unique; full keys go into set={"decay.span": 4096}. Raises InputError: an unknown view.)";

inline constexpr const char* kExperiment =
    R"(The figure of a saved experiment (.json), or of a picture or link of ropescope that contains one. Keywords as in
figure(); ropes that are given replace those of the experiment. Raises InputError if it contains no experiment.)";

}  // namespace ropescope::python::docs
