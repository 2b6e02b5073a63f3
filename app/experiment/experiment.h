// The one value that everything on screen follows from: its parts, JSON, assignments by key, edits and their history.
// Begin reading app here; figure.h and views/view.h follow: a view makes figures of an experiment, painters draw them.
// experiment.cpp defines what is declared here, but for the description of each struct of fields (rope_fields.cpp for
// ropes, layouts and small views, view_fields.cpp for the large views, with what keeps their fields together) and for
// the spec of a rope (rope_spec.cpp).
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/fields.h"
#include "app/experiment/rope_fields.h"
#include "core/check/roles.h"
#include "core/encodings/encoding.h"
#include "core/formats/config.h"
#include "core/layouts/layout.h"
#include "core/rotary/spec.h"
#include "core/words.h"

namespace ropescope {

// --- What can be set -----------------------------------------------------------------------------------------------

// What the controls of the views set: a struct of fields for each view.

// Enumerations of core and of figures that fields hold. Their headers are heavy: who names an enumerator includes them.
enum class AngleLaw;
enum class AttentionKind;
enum class ContentKind;
enum class HeadOrder;
enum class LengthLaw;
enum class LegendPlace;
enum class LinearKernel;
enum class PairOrder;
template <>
inline constexpr std::string_view kWordsOf<Pairing>[] = {"interleaved", "half"};
template <>
inline constexpr std::string_view kWordsOf<AngleLaw>[] = {"linear", "quadratic", "root",
                                                          "offset", "offsets",   "other-key"};
template <>
inline constexpr std::string_view kWordsOf<LengthLaw>[] = {"constant", "growing", "reciprocal", "exponential"};
template <>
inline constexpr std::string_view kWordsOf<AxisScale>[] = {"linear", "log", "symlog"};
template <>
inline constexpr std::string_view kWordsOf<ContentKind>[] = {"aligned", "random"};
template <>
inline constexpr std::string_view kWordsOf<AttentionKind>[] = {"softmax", "linear"};
template <>
inline constexpr std::string_view kWordsOf<LegendPlace>[] = {"above",     "right",       "below",        "top-left",
                                                             "top-right", "bottom-left", "bottom-right", "none"};
template <>
inline constexpr std::string_view kWordsOf<LinearKernel>[] = {"elu", "exp", "softmax", "performer"};
template <>
inline constexpr std::string_view kWordsOf<PairOrder>[] = {"fast-first", "slow-first"};
template <>
inline constexpr std::string_view kWordsOf<HeadOrder>[] = {"automatic", "thd", "htd"};

/// What is rotated how: the values of a model or of one's own. Filled in by a config or preset, then edited; complete
/// in itself, so that a saved experiment does not need the config again.
struct RopeFields {
  std::string label;    ///< name shown in chips and the top bar: "llama-3.1-8b.json", "Llama 3.1 8B"; empty: own values
  std::string config;   ///< path the values came from, or empty
  std::string model;    ///< preset id the values came from, or empty
  std::string profile;  ///< profile of it
  double base = 10000;
  std::string ladder;  ///< in place of base^(−2i/d): numbers or a formula (core/formats/ladder_text.h); empty: none
  double rotary_dim = 128;
  double head_dim = 128;
  Pairing pairing = Pairing::half_split;
  double trained_length = 4096;  ///< 0: none
  double context_length = 0;     ///< what a model takes with its extension; 0: the trained length
  std::string axes;  ///< several axes as "t:16,row:56,column:56" (each with `base`, or "t:16:10000"); empty: one axis
  std::string axis;  ///< which of them is looked at; empty: the first
  ScalingFields scaling;  ///< the context extension
  bool operator==(const RopeFields&) const = default;
};

/// The picture of the view Rotation: plane and clocks, helix, weights, the four forms, the two pairings, other laws.
enum class RotationShow { turn, helix, weights, forms, pairing, law };
template <>
inline constexpr std::string_view kWordsOf<RotationShow>[] = {"turn", "helix", "weights", "forms", "pairing", "law"};
/// The vectors of the pairs beside the one in the plane.
enum class OtherPairs { same, random };
template <>
inline constexpr std::string_view kWordsOf<OtherPairs>[] = {"same", "random"};

/// One pair in the plane, all pairs as clocks, the helix, the four forms, and the two pairings.
struct RotationFields {
  RotationShow show = RotationShow::turn;
  double pair = 8;  ///< a rope with fewer pairs shows its last one
  double query_position = 7, key_position = 3;
  bool locked = false;  ///< both positions move together: see keep_distance
  bool trail = true;
  double speed = 4;  ///< positions per second while playing
  bool playing = false;
  double glide = 0;     ///< 0…1: how far between two positions m is while it plays (and k with it where locked)
  double span = 0;      ///< positions that the helix shows at a time; 0: five turns
  double reach = 256;   ///< largest distance of the curves of the mixed pairings
  double form_dim = 4;  ///< channels of the vector that the four forms turn
  double permute = 0;   ///< 0…1: channels on their way from interleaved to half split
  double qx = 1, qy = 0, kx = 0.6, ky = 0.5;  ///< q and k of the pair in the plane
  double x1 = 1, x2 = 0.5;                    ///< of picture "weights": a token x in two channels, and W before R_m
  double w11 = 0.8, w12 = -0.6, w21 = 0.3, w22 = 1.1;
  OtherPairs content = OtherPairs::same;
  double seed = 1;
  double key_base = 0;  ///< of the ladder by which the key turns; 0: the rope's
  /// Picture "law": the angle that a vector is turned by, and what its length is multiplied by, over its place m.
  AngleLaw angle_law = {};    ///< "linear", "quadratic", "root", "offset", "offsets" or "other-key"
  LengthLaw length_law = {};  ///< "constant", "growing", "reciprocal" or "exponential"
  double law_theta = 0.3162, law_theta_key = 0.4111;  ///< θ, and θ′ of the key
  double law_gamma = 0.7, law_gamma_key = 1.9;        ///< γ, and γ′ of the key
  double law_rate = 0.05;                             ///< c of e^{cm}
  double law_span = 24;                               ///< how far the common shift goes
  bool law_table = true;                              ///< all laws in a table
  std::optional<Range> law_place_range, law_angle_range, law_length_range, law_shift_range, law_score_range;
  bool operator==(const RotationFields&) const = default;
};
inline constexpr double kMostRotationPosition = 131'072;
inline constexpr double kLeastKeyBase = 1.01;   ///< a key base that is not 0 is at least this
inline constexpr double kMostRotationPart = 2;  ///< largest |component| of q and k in the plane

/// What the position encodings are made of, beside the rope fields: their fields, under the names that core has for
/// them. A view shows those that its encodings look at.
struct EncodingFields {
  DeclaredValues settings{all_encoding_fields()};
  double& operator[](std::string_view field) { return settings.number(field); }
  double operator[](std::string_view field) const { return settings[field]; }
  bool operator==(const EncodingFields&) const = default;
};

/// What the map holds.
enum class AtlasValues { sinusoidal, rope_cos, rope_sin, rope_angle, learned };
template <>
inline constexpr std::string_view kWordsOf<AtlasValues>[] = {"sinusoidal", "rope-cos", "rope-sin", "rope-angle",
                                                             "learned"};
/// What the positions are: numbers, or the words of the sentence.
enum class AtlasPositions { numbers, words };
template <>
inline constexpr std::string_view kWordsOf<AtlasPositions>[] = {"numbers", "words"};

/// Values of an encoding as a map over positions and dimensions.
struct AtlasFields {
  AtlasValues values = AtlasValues::sinusoidal;
  AtlasPositions rows = AtlasPositions::numbers;
  double positions = 256;
  std::string sentence = "The word stands here, then there: each place gives the word another row";
  double row = 10;                           ///< the position whose values are kept; at most the last one
  std::vector<std::string> below = {"row"};  ///< panels under the map: "row", "column", "turns", "variance"
  std::string columns = "0,1";               ///< those that the panel "column" draws, at most kMostAtlasColumns
  std::optional<Range> dimension_range, position_range, value_range, turns_range, variance_range, column_range;
  bool operator==(const AtlasFields&) const = default;
};
inline constexpr double kMostAtlasPositions = 8192;
inline constexpr std::size_t kMostAtlasColumns = 8;

/// Curves over the distance, matrices, or the same phrase at two places.
enum class CompareShow { distance, matrix, phrase };
template <>
inline constexpr std::string_view kWordsOf<CompareShow>[] = {"distance", "matrix", "phrase"};
/// Of the maps: one scale around 0 that they share, or one fitted to each.
enum class CompareColours { shared, fitted };
template <>
inline constexpr std::string_view kWordsOf<CompareColours>[] = {"shared", "fitted"};

/// Scores of several encodings side by side.
struct CompareFields {
  CompareShow show = CompareShow::distance;
  std::vector<std::string> encodings = {"sinusoidal", "learned", "t5", "rope",
                                        "alibi"};  ///< those whose curves are shown
  std::string encoding = "rope";                   ///< the one whose matrices are shown
  double span = 1024;
  AxisScale distance_axis = AxisScale::linear, score_axis = AxisScale::symlog;
  bool normalised = true;   ///< divided by the largest that content alone can give, |q||k| · scale
  bool later_keys = false;  ///< distances below 0 too, where the key stands after the query
  double key_position = 0;  ///< where the key stands while the query moves away
  double size = 64, first_position = 0;
  double query = 24;  ///< the query whose row of scores is shown; the nearest one of the matrix
  CompareColours colours = CompareColours::shared;
  std::string sentence = "the old cat slept while the dog watched the door and waited";
  double phrase_at = 0, phrase_words = 3;  ///< the phrase: the position of its first word, and how many words
  double move = 6;                         ///< how many positions later it stands the second time
  ContentKind content = {};
  double seed = 1;
  std::optional<Range> distance_range, score_range, query_range, key_range;
  bool operator==(const CompareFields&) const = default;
};
inline constexpr double kMostComparePosition = 131'072;

/// The picture of the view Attention.
enum class AttentionShow { weights, shift, shuffle, cost, products, kernel, energy };
template <>
inline constexpr std::string_view kWordsOf<AttentionShow>[] = {"weights",  "shift",  "shuffle", "cost",
                                                               "products", "kernel", "energy"};
/// Where q and k come from: the words are those of the sentence.
enum class AttentionSource { aligned, random, words, file };
template <>
inline constexpr std::string_view kWordsOf<AttentionSource>[] = {"aligned", "random", "words", "file"};
/// Of a file: one head, all heads, layers by pair, or directions of pairs.
enum class EnergyOf { head, heads, layers, directions };
template <>
inline constexpr std::string_view kWordsOf<EnergyOf>[] = {"head", "heads", "layers", "directions"};

/// Attention over a sequence.
struct AttentionFields {
  AttentionShow show = AttentionShow::weights;
  std::string encoding = "rope";
  AttentionKind kind = {};
  LinearKernel kernel = {};   ///< of linear attention: "elu" (+ 1), "exp", "softmax" of q with e^k, or "performer"
  double features = 1;        ///< of "performer": random features for each channel
  bool turn_vectors = false;  ///< linear attention: what turns, turns q and k before the kernel
  bool causal = false;
  double tokens = 256;
  bool turn_denominator = false;  ///< linear attention divides by the sum of the turned features
  AttentionSource content = AttentionSource::aligned;
  std::string sentence = "the old cat slept while the dog watched";
  std::string file;  ///< path of a .npz, .npy or .safetensors, see core/formats/dumps/dump.h
  double head = 1;   ///< of the file, counted from 1
  double layer = 0;  ///< of a file that holds several, by its number
  EnergyOf energy_of = EnergyOf::head;
  double page = 1;      ///< of the heads that do not fit into one picture, counted from 1
  std::string against;  ///< another file to compare with
  double seed = 1;      ///< of made-up content
  double row = 128;     ///< the query whose weights are drawn as a curve; at most the last one
  double shift = 1024;  ///< how far all positions are moved
  std::string order;    ///< of picture "shuffle": "2,0,1", or dealt by the seed where empty
  double shuffle_seed = 1;
  double longest = 4096;  ///< tokens up to which the cost is measured
  std::optional<Range> key_range, query_range, weight_range, sum_range, distance_range, shift_range, length_range,
      pair_range, shuffle_range, layer_range;
  bool operator==(const AttentionFields&) const = default;
};
inline constexpr double kMostAttentionTokens = 4096;
inline constexpr double kMostAttentionLayer = 1023;

/// Curves over the distance, the arrows at one distance, or the differences of two ropes.
enum class DecayShow { curves, phasors, differences };
template <>
inline constexpr std::string_view kWordsOf<DecayShow>[] = {"curves", "phasors", "differences"};
/// The largest |K| from here on, or within a window around a distance.
enum class DecayEnvelope { from_here, window };
template <>
inline constexpr std::string_view kWordsOf<DecayEnvelope>[] = {"from-here", "window"};

struct DecayFields {
  DecayShow show = DecayShow::curves;
  double distance = 500;  ///< Δ of "phasors"
  double speed = 25;      ///< distances per second while it plays
  bool playing = false;
  double glide = 0;  ///< 0…1: how far between two distances Δ is while it plays
  double span = 8192;
  AxisScale distance_axis = AxisScale::log, similarity_axis = AxisScale::linear, bound_axis = AxisScale::linear;
  ContentKind content = {};
  double seed = 1;
  bool show_similarity = true, show_bound = true, show_trend = true, show_envelope = false;
  bool show_plain = true;       ///< the plain ladder behind an extended one
  bool with_amplitude = false;  ///< A²K(Δ), as scores have it, in place of K(Δ)
  DecayEnvelope envelope = DecayEnvelope::from_here;
  double envelope_window = 64;  ///< width of that window in positions
  PairOrder order = {};
  std::string marked_pairs;  ///< pairs whose wavelength is marked by a rule: "0,16,32"
  std::optional<Range> distance_range, similarity_range, bound_range;
  bool operator==(const DecayFields&) const = default;
};

inline constexpr double kMostDecayDistance = 16'777'216;

/// What is plotted of each pair.
enum class LadderQuantity { wavelength, frequency };
template <>
inline constexpr std::string_view kWordsOf<LadderQuantity>[] = {"wavelength", "frequency"};

struct FrequenciesFields {
  LadderQuantity quantity = LadderQuantity::wavelength;
  bool show_ratio = true;  ///< the ratio to the plain ladder in a panel of its own
  std::optional<Range> pair_range, value_range, ratio_range;
  bool operator==(const FrequenciesFields&) const = default;
};

/// The common ones, those of a format, or all.
enum class ShownPolicies { common, float32, bfloat16, float16, all };
template <>
inline constexpr std::string_view kWordsOf<ShownPolicies>[] = {"common", "float32", "bfloat16", "float16", "all"};
/// In the lower panel: the error of the score, or its change under a shift.
enum class PrecisionShow { score, shift };
template <>
inline constexpr std::string_view kWordsOf<PrecisionShow>[] = {"score", "shift"};

struct PrecisionFields {
  ShownPolicies policies = ShownPolicies::common;
  double span = 131072;
  PrecisionShow show = PrecisionShow::score;
  double distance = 64;  ///< between query and key while both are shifted
  std::optional<Range> position_range, error_range, score_error_range, score_range;
  bool operator==(const PrecisionFields&) const = default;
};

/// The largest context over the base, the information in pairs, or still pairs.
enum class LimitsShow { curve, information, dropped };
template <>
inline constexpr std::string_view kWordsOf<LimitsShow>[] = {"curve", "information", "dropped"};

struct LimitsFields {
  double context = 4096;  ///< L in positions
  LimitsShow show = LimitsShow::curve;
  std::optional<Range> base_range, largest_range, pair_range, turns_range, variance_range, distance_range,
      similarity_range;
  bool operator==(const LimitsFields&) const = default;
};

/// What the size of the image and of its references counts.
enum class SizeBy { pixels, tokens };
template <>
inline constexpr std::string_view kWordsOf<SizeBy>[] = {"pixels", "tokens"};
/// A click sets the next one of anchor and target, or an extra target.
enum class LayoutClick { next, extra };
template <>
inline constexpr std::string_view kWordsOf<LayoutClick>[] = {"next", "extra"};
/// The index, an axis of the ids, or the angle of a pair.
enum class LayoutColours { index, axis, angle };
template <>
inline constexpr std::string_view kWordsOf<LayoutColours>[] = {"index", "axis", "angle"};

/// Where an image model puts its tokens, and two or three of them to compare: what the views of images share. What a
/// config fixes is filled in and kept, as in RopeFields. Lists are texts; an empty one or a 0 stands for the model's
/// own.
struct LayoutFields {
  std::string name = "flux.1";  ///< one of all_layouts()
  std::string config;           ///< path the fixed values came from, or empty
  SizeBy size_by = SizeBy::pixels;
  double width = 1024, height = 1024;
  bool fit = false;  ///< width and height are made what the released pipeline makes of them
  double rows = 64, columns = 64;
  DeclaredValues settings{all_layout_fields()};    ///< numbers and switches of all layouts, under core's names
  std::string scaling = "none";                    ///< extends the ladders of the axes (core/layouts/extension.h)
  std::string references;                          ///< "1024x1024,512x768": WxH in pixels, or ROWSxCOLUMNS in tokens
  double frame = 1;                                ///< which one is shown, counted from 1
  std::string axis_dims, sections, position_grid;  ///< "16,56,56", from a config
  std::string axes = "t:16,row:56,column:56";      ///< of the layout "custom"
  Pairing pairing = Pairing::interleaved;
  double anchor = 0;              ///< token of the image, counted from 0
  std::string targets = "63,64";  ///< tokens that it is compared with
  LayoutClick click = LayoutClick::next;
  LayoutColours colours = LayoutColours::index;
  std::string axis = "row";  ///< a layout without an axis of this name shows another one
  double pair = 0;
  std::string picture;            ///< path of a PNG or JPEG that lies on the patches, or empty
  double picture_strength = 0.8;  ///< 0…1
  std::optional<Range> row_range, column_range;
  double& operator[](std::string_view field) { return settings.number(field); }
  double operator[](std::string_view field) const { return settings[field]; }
  bool operator==(const LayoutFields&) const = default;
};
inline constexpr double kMostLayoutTokens = 134'217'728;

/// The anchor follows the mouse or is fixed.
enum class AnchorMode { follow, fixed };
template <>
inline constexpr std::string_view kWordsOf<AnchorMode>[] = {"follow", "fixed"};
/// −1…1, or fitted.
enum class SimilarityColours { full, fitted };
template <>
inline constexpr std::string_view kWordsOf<SimilarityColours>[] = {"full", "fitted"};

/// Similarity of every token of the layout to the anchor.
struct SimilarityFields {
  AnchorMode anchor_mode = AnchorMode::follow;
  ContentKind content = {};
  double seed = 1;
  std::string axis = "all";  ///< "all" together, or the part of one
  SimilarityColours colours = SimilarityColours::full;
  std::string against = "raster";  ///< another of all_layouts() beside it, or "none"
  std::optional<Range> row_range, column_range, profile_range, value_range;
  bool operator==(const SimilarityFields&) const = default;
};

template <>
inline constexpr std::string_view kWordsOf<CheckOffer>[] = {"tables", "table", "vectors", "ids", "frequencies"};
/// The rows that the tensors hold.
enum class CheckPart { all, text, image, reference, audio };
template <>
inline constexpr std::string_view kWordsOf<CheckPart>[] = {"all", "text", "image", "reference", "audio"};
/// As the model has it, or one whatever the model says.
enum class CheckPairing { model, interleaved, half };
template <>
inline constexpr std::string_view kWordsOf<CheckPairing>[] = {"model", "interleaved", "half"};
/// What somebody's tensors are compared with: a layout, the rope, or another dump.
enum class CheckAgainst { layout, rope, dump };
template <>
inline constexpr std::string_view kWordsOf<CheckAgainst>[] = {"layout", "rope", "dump"};
/// In the map: the difference, or the values.
enum class CheckShow { difference, mine, reference };
template <>
inline constexpr std::string_view kWordsOf<CheckShow>[] = {"difference", "mine", "reference"};
/// Differences as a share of the tolerance, or by themselves.
enum class CheckMeasure { tolerance, difference };
template <>
inline constexpr std::string_view kWordsOf<CheckMeasure>[] = {"tolerance", "difference"};

/// The keys of the fields of files, in the order of CheckRole.
inline constexpr std::string_view kCheckFileKeys[] = {"check.cos",         "check.sin",         "check.table",
                                                      "check.before",      "check.after",       "check.ids",
                                                      "check.frequencies", "check.against_cos", "check.against_sin"};
/// Somebody's tensors against the layout of LayoutFields, the rope of RopeFields at its current length, or other
/// tables.
struct CheckFields {
  ByRole<std::string> files;              ///< "FILE" or "FILE:TENSOR"; empty: none
  CheckOffer offer = CheckOffer::tables;  ///< whose boxes are offered
  CheckPart part = CheckPart::all;
  CheckPairing pairing = CheckPairing::model;
  HeadOrder head_order = {};  ///< of before and after: "automatic", "thd" or "htd"
  CheckAgainst against = CheckAgainst::layout;
  bool allow_sign = false;  ///< the weights were trained with the other sign, which is harmless then
  std::string positions;    ///< of a rope, a list or "FILE:TENSOR"; empty: 0 … tokens − 1
  CheckShow show = CheckShow::difference;
  CheckMeasure measure = CheckMeasure::tolerance;
  std::string applied;         ///< name of the cause that the reference is given too, "all" of them, or empty
  double token = 0, pair = 0;  ///< picked ones, counted from 1; 0: where the difference is largest
  std::optional<Range> token_range, pair_range, error_range, value_range, row_range, column_range;
  bool operator==(const CheckFields&) const = default;
};

/// Small multiples: the view once for each value of a field, side by side and one under the other. Each is a text
/// "KEY=VALUE,VALUE,…" (app/experiment/sweeps.h); empty: none in that direction.
struct FacetFields {
  std::string across, down;
  bool operator==(const FacetFields&) const = default;
};

/// The values of curves, or their difference from one of them or ratio to it.
enum class ShownAs { values, difference, ratio };
template <>
inline constexpr std::string_view kWordsOf<ShownAs>[] = {"values", "difference", "ratio"};

/// What curves of several ropes are drawn as, and name and stroke of the current one (of the others: Pin).
struct CurveFields {
  ShownAs shown_as = ShownAs::values;
  std::string relative_to = "current";  ///< that one: "current", "pin1", …
  std::string name;                     ///< what the current curve is called; empty: as its rope is
  double slot = 0;                      ///< colour and dash of it
  bool operator==(const CurveFields&) const = default;
};

/// The kind of attention; both: softmax and linear.
enum class RaceAttention { softmax, linear, both, performer };
template <>
inline constexpr std::string_view kWordsOf<RaceAttention>[] = {"softmax", "linear", "both", "performer"};
/// What the runners learn.
enum class RaceTask { text, copy, nearest, count, phrase, sorted };
template <>
inline constexpr std::string_view kWordsOf<RaceTask>[] = {"text", "copy", "nearest", "count", "phrase", "sorted"};
/// The next byte, or masked ones as BERT has them.
enum class RaceObjective { next, masked };
template <>
inline constexpr std::string_view kWordsOf<RaceObjective>[] = {"next", "masked"};
/// Losses while it learns, or those beyond the trained length.
enum class RaceShow { losses, beyond };
template <>
inline constexpr std::string_view kWordsOf<RaceShow>[] = {"losses", "beyond"};
/// Steps, or seconds of computing.
enum class RaceOver { steps, seconds };
template <>
inline constexpr std::string_view kWordsOf<RaceOver>[] = {"steps", "seconds"};

/// Small Transformers that learn side by side, one for each runner and seed: the encodings under the kind of attention,
/// and further ones (race_runners.h). Base and context extension are those of RopeFields where a runner has none of its
/// own.
struct RaceFields {
  std::vector<std::string> encodings = {"none", "sinusoidal", "rope"};
  RaceAttention attention = RaceAttention::softmax;
  std::string also;  ///< further runners: "rope/linear, rope/base=500000, rope/yarn=4"
  RaceTask task = RaceTask::text;
  std::string file;  ///< of "text"; empty: the program's own lessons
  RaceObjective objective = RaceObjective::next;
  double distance = 16, modulus = 3;  ///< of "copy", of "count"
  double layers = 2, width = 64, heads = 4, length = 128, batch = 16, steps = 500, seeds = 1;
  double learning_rate = 0.002;
  RaceShow show = RaceShow::losses;
  std::vector<std::string> extensions = {"linear", "ntk-aware", "yarn"};  ///< of "beyond", with the plain ladder
  RaceOver over = RaceOver::steps;
  double smoothing = 20;  ///< steps whose mean the line is
  bool running = false;
  double single_steps = 0;  ///< how often one step was asked for
  double attempt = 0;       ///< how often it was started anew
  std::optional<Range> way_range, loss_range, position_range, beyond_range;
  bool operator==(const RaceFields&) const = default;
};

/// A readout over one field as a curve, or over two as a map.
/// Which axis the values of a curve of somebody's own are read at; automatic: see add_own_curve().
enum class OwnAxis { automatic, left, right };
template <>
inline constexpr std::string_view kWordsOf<OwnAxis>[] = {"automatic", "left", "right"};

/// The picture of the view Sweep: a number over fields, or several numbers of several ropes as a table.
enum class SweepShow { curves, table };
template <>
inline constexpr std::string_view kWordsOf<SweepShow>[] = {"curves", "table"};

struct SweepFields {
  SweepShow show = SweepShow::curves;
  std::string readout = "decay.first_negative";                 ///< name of a card's number
  std::string over = "rope.base=1e3..1e7:50:log", second = {};  ///< as parse_field_values() takes them; empty: none
  /// Of a table: ropes as take_rope() names them, by commas (empty: the present one and the pinned ones), and names of
  /// cards' numbers.
  std::string ropes, cards = "decay.first_negative,decay.last_above_half,decay.trend,decay.unfinished";
  AxisScale value_axis = AxisScale::linear;  ///< or "log"
  std::optional<Range> over_range, second_range, value_range;
  bool operator==(const SweepFields&) const = default;
};

/// A curve of somebody's own, drawn among those of Decay and Sweep. The file says where its numbers came from; they
/// stand here, so that a saved figure needs it no more.
struct OwnFields {
  std::string file, data;   ///< data: the numbers as a CSV of places and values; empty: no curve
  std::string name, title;  ///< in the legend, and of what its values are; empty: as the file is called
  OwnAxis axis = OwnAxis::automatic;
  AxisScale scale = AxisScale::linear;  ///< of an axis of its own
  bool operator==(const OwnFields&) const = default;
};

/// A table of the paper, by its set of data.
enum class PaperTable { wmt_2014, glue, cail2019_scm };
template <>
inline constexpr std::string_view kWordsOf<PaperTable>[] = {"wmt-2014", "glue", "cail2019-scm"};
/// Of GLUE: the one that the cards speak of.
enum class PaperTask { mrpc, sst_2, qnli, sts_b, qqp, mnli, mnli_mm };
template <>
inline constexpr std::string_view kWordsOf<PaperTask>[] = {"mrpc", "sst-2", "qnli", "sts-b", "qqp", "mnli", "mnli-mm"};
/// Of CAIL2019-SCM.
enum class PaperPart { validation, test };
template <>
inline constexpr std::string_view kWordsOf<PaperPart>[] = {"validation", "test"};

/// Bars of results that a paper printed.
struct ReportedFields {
  PaperTable table = PaperTable::glue;
  PaperTask task = PaperTask::qqp;
  PaperPart part = PaperPart::test;
  bool operator==(const ReportedFields&) const = default;
};

// --- Lists in text -------------------------------------------------------------------------------------------------

/// The parts of a text between separators; of an empty one a single empty part.
inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(separator); end != std::string::npos; end = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

// --- Names of entries ----------------------------------------------------------------------------------------------

/// The stable names of those entries of a registry that something holds for, in its order.
template <class Entries, class Wanted>
std::vector<std::string> entry_names(const Entries& entries, const Wanted& wanted) {
  std::vector<std::string> names;
  for (const auto& entry : entries) {
    if (wanted(entry)) names.emplace_back(entry.name);
  }
  return names;
}
/// What stands in a member of all entries, in their order: ids, titles.
template <class Entries, class Member>
std::vector<std::string> names_by(const Entries& entries, const Member& member) {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.emplace_back(std::invoke(member, entry));
  return names;
}
/// The stable names of all entries of a registry, in its order.
template <class Entries>
std::vector<std::string> entry_names(const Entries& entries) {
  return names_by(entries, [](const auto& entry) { return entry.name; });
}

// --- Lists of axes -------------------------------------------------------------------------------------------------

/// One entry of RopeFields::axes: "row:56", or "row:56:2000" for an axis with a base of its own, or
/// "row:56:2000:1.5" where its frequencies are divided by a factor too.
struct AxisEntry {
  std::string name;
  int rotary_dim = 0;
  std::optional<double> base;
  double factor = 1;
};

/// Reads "t:16,row:56,column:56". Returns what is wrong with it, empty if nothing; `axes` is left empty then. An empty
/// text is right and has no entries: one axis.
Words read_axis_list(const std::string& text, std::vector<AxisEntry>& axes);

/// The text that reads back to these entries.
std::string write_axis_list(const std::vector<AxisEntry>& axes);

/// Reads a text of this form as the axes of the layout `custom`, which takes no factor. Throws InputError that begins
/// with `source`, the option or field which holds it.
std::vector<CustomAxis> read_custom_axes(const std::string& text, const std::string& source);

// --- The experiment ------------------------------------------------------------------------------------------------

/// A kept rope to compare with; slot picks colour and dash.
struct Pin {
  RopeFields rope;
  int slot = 1;
  std::string name = {};  ///< what its curve is called; empty: as the rope is
  bool operator==(const Pin&) const = default;
};
/// The key of a pin, "pin1" for the first one: what its curves are called among the names of lines.
inline std::string pin_key(std::size_t index) {
  return "pin" + std::to_string(index + 1);
}

/// Words on a figure of a view with an arrow to a place of it, in the figure's data coordinates.
struct Note {
  std::string view, figure, text;
  double x = 0, y = 0, text_x = 0, text_y = 0;  ///< the place, and the middle of the words
  bool operator==(const Note&) const = default;
};

/// Where the mouse is, in data coordinates of a figure. Not a choice: it is in no file and no step of undo, and only
/// the window sets it, for views that follow it.
struct Pointer {
  std::string figure;
  double x = 0, y = 0;
  bool operator==(const Pointer&) const = default;
};

/// Everything the user chose: one value. Undo keeps the previous one; a session file is this as JSON.
struct Experiment {
  std::string view = "decay";
  RopeFields rope;
  RotationFields rotation;
  DecayFields decay;
  FrequenciesFields frequencies;
  LimitsFields limits;
  PrecisionFields precision;
  EncodingFields encoding;
  AtlasFields atlas;
  CompareFields compare;
  AttentionFields attention;
  LayoutFields layout;
  SimilarityFields similarity;
  CheckFields check;
  RaceFields race;
  ReportedFields reported;
  FacetFields facet;
  CurveFields curves;
  SweepFields sweep;
  OwnFields own;
  std::vector<Pin> pins;            ///< at most kMaximumPins
  std::vector<std::string> hidden;  ///< ropes whose curves are hidden in every view: "current", "pin1", …
  std::vector<Note> notes;          ///< at most kMaximumNotes
  double opened_length = 0;         ///< the trained length of the config or preset that was opened last; 0: none
  std::optional<Pointer> pointer;
  bool operator==(const Experiment&) const = default;
};
inline constexpr std::size_t kMaximumPins = 8, kMaximumNotes = 64;
/// Strokes that a curve can choose among: five colours in five dashes (stroke_of). Slot 0 looks like the last one.
inline constexpr int kPinSlots = 25;
inline constexpr double kMaximumSlot = 64;  ///< in files

void describe(FieldList& list, RopeFields& fields);  // keys "rope.base", "rope.rotary_dim", …
/// Declares "rope.pairing" alone, which describe(RopeFields) declares without a control.
void describe_pairing(FieldList& list, RopeFields& fields, bool control);
void describe(FieldList& list, PrecisionFields& fields);    // keys "precision.span", …
void describe(FieldList& list, LimitsFields& fields);       // keys "limits.context", …
void describe(FieldList& list, FrequenciesFields& fields);  // keys "frequencies.quantity", …
void describe(FieldList& list, DecayFields& fields);        // keys "decay.span", …
/// Keys "rotation.show", …. For controls, `pairs` says how many there are to choose from.
void describe(FieldList& list, RotationFields& fields, double pairs = 4096);
/// Moves m and n together: with the lock on before and after an edit that moved one of them, the other one moves along,
/// and m − n stays. Both stop where one of them would leave its range; false where that kept the edited one from its
/// place.
bool keep_distance(const RotationFields& before, RotationFields& edited);
void describe(FieldList& list, AtlasFields& fields);  // keys "atlas.values", …
/// Keys "compare.show", …. For controls, `queries` says which ones there are to choose from.
void describe(FieldList& list, CompareFields& fields, const Range& queries = {0, 2 * kMostComparePosition});
/// Keys "attention.show", …. For controls, `tokens` says how many queries there are to choose from.
void describe(FieldList& list, AttentionFields& fields, double tokens = kMostAttentionTokens);
/// What controls of a layout have to choose from, where it is known.
struct LayoutControls {
  double step = 1;                    ///< pixels per token and side
  double tokens = kMostLayoutTokens;  ///< of the image, all frames
  double pairs = 4096;
  double frames = 1024;
  std::vector<std::string> axes;  ///< names; empty: those of all layouts
  bool colouring = true;          ///< whether there are controls for what colours the tokens, and the picture
  bool patches = true;            ///< whether there are controls for anchor and targets
  std::vector<Words> notes;       ///< what a reader must know
};
/// Keys "layout.name", …: controls for what the chosen layout looks at.
void describe(FieldList& list, LayoutFields& fields, const LayoutControls& controls = {});
/// Keys "similarity.anchor_mode", …. For controls, `axes` are the names to choose from; empty: those of all layouts.
void describe(FieldList& list, SimilarityFields& fields, const std::vector<std::string>& axes = {});
/// Keys "check.cos", ….
void describe(FieldList& list, CheckFields& fields);
/// Keys "race.encodings", …. For controls, `added` are the further runners with the present rope among them; none: it
/// cannot be added.
void describe(FieldList& list, RaceFields& fields, const std::optional<std::string>& added = {});
void describe(FieldList& list, ReportedFields& fields);  // keys "reported.table", …
void describe(FieldList& list, FacetFields& fields);     // keys "facet.across", …
/// Keys "curves.shown_as", …. For controls, `pins` says how many there are to choose from.
void describe(FieldList& list, CurveFields& fields, std::size_t pins = kMaximumPins);
void describe(FieldList& list, SweepFields& fields);  // keys "sweep.readout", …
void describe(FieldList& list, OwnFields& fields);    // keys "own.file", …
/// Keys "encoding.heads", …. Only what encodings look at has a control: `used` are names of Encoding::fields.
void describe(FieldList& list, EncodingFields& fields, std::span<const std::string_view> used = {});
/// Declares the rope fields and rope.pairing, of which only some have a control: "rope.base", ….
void describe_embedding(FieldList& list, RopeFields& fields, std::span<const std::string_view> controls);
/// The whole experiment ("view", then all fields) without its pins: used by JSON, command line, clamping and reset.
void describe(FieldList& list, Experiment& experiment);
/// The field of a whole key; none where there is no such field. Only the struct that has it is looked through.
std::optional<Field> find_field(Experiment& experiment, std::string_view key);
const std::optional<Field> find_field(const Experiment& experiment, std::string_view key);

/// The spec of the fields. A head narrower than its rotary part grows to it, as a head only adds channels that do not
/// turn. Throws InputError where a value is out of range or `axes` and `axis` cannot be read.
RotarySpec spec_of(const RopeFields& fields);
/// The names of several axes in their order; empty for one axis and for a text that cannot be read.
std::vector<std::string> axis_names(const RopeFields& fields);
/// The index of the axis of the spec that the fields look at.
std::size_t axis_index(const RotarySpec& spec, const RopeFields& fields);
/// Fields that show a profile: every value filled in (config and model, where it came from, are the caller's). Throws
/// InputError only where a value lies outside the range of its field, e.g. a base above 1e12.
RopeFields fields_of(const Profile& profile, const std::string& label);
/// An extension for people: "llama3 (factor 8)"; empty for "none".
std::string extension_text(const Extension& extension);
/// An extension for people at a current length, which only some methods look at: "longrope (factor 32), long list
/// (131072)", "dynamic (factor 4) at 131072".
std::string extension_text(const Extension& extension, double trained_length, double length);
/// The finite number that a text is, and nothing else; none for any other text (NaN and infinities too).
std::optional<double> parse_number(std::string_view text);
/// Whether a text can only be meant as a list of numbers, right or wrong: where an option takes a file too, "0:15" is
/// no file even if one is called so; "./0:15" is one.
bool is_list(std::string_view text);
/// Reads a list, "1,5,9", "-2.5" or "0:64:8": numbers and inclusive ranges a:b or a:b:step (step 1; downwards with a
/// negative one). Throws InputError that names `option`. Used by LIST options too. `limit` bounds how many numbers come
/// out.
std::vector<double> parse_list(const std::string& text, const std::string& option,
                               std::size_t limit = std::size_t{1} << 26);

/// JSON of the whole experiment ({"ropescope": 1, "view": …, "rope": {…}, "decay": {…}, "pins": [{"slot", "name",
/// "rope"}], "notes": [{"view", "figure", "text", "x", "y", "text_x", "text_y"}], "opened_length"}).
/// Reading: a key that is unknown, of the wrong type or out of range is an InputError that names it; missing keys keep
/// their defaults (a missing "axis" is the first of the "axes" that are there). What an edit would bring in order is in
/// order: without "axes", "head_dim" is raised to "rotary_dim"; values that are not related to a pin name none.
std::string experiment_to_json(const Experiment& experiment);
/// The JSON of experiment_to_json() on one line, in ASCII: what figures carry.
std::string experiment_to_line(const Experiment& experiment);
Experiment experiment_from_json(const std::string& text, const std::string& source);

/// Sets a field as `--set key=value` does: the full key ("rope.base") or its last part where that is unique ("base").
/// "pins" and "notes" take a JSON list, ranges "low:high" or "fit", names a comma list. Where a last part belongs to
/// several keys, that of the shown view is meant, else that of the group `looks_at`, else that of the rope. Returns the
/// full key. Throws InputError that names `option`: unknown key (names near ones), bad value, out of range.
std::string set_field(Experiment& experiment, const std::string& assignment, std::string_view looks_at = {},
                      const char* option = "--set");
/// The whole key that a person's short one means (see set_field()). Throws InputError that names `option`.
std::string full_field_key(const std::string& given, const Experiment& experiment, std::string_view looks_at,
                           const char* option);
/// The --set arguments that turn the defaults into this experiment, unquoted: {"rope.base=100", "decay.span=16384"}.
std::vector<std::string> set_arguments(const Experiment& experiment);

/// Brings every number into range (a file cannot be out of range; edits can).
void clamp(Experiment& experiment);
/// Raises head_dim to rotary_dim where there are no axes: a head has at least the channels of it that are rotated.
void grow_head(RopeFields& rope);
/// Lets every axis of every view fit its data again.
void reset_ranges(Experiment& experiment);
/// After a config or preset was opened: spans and contexts that nobody set (they have their initial value, or the one
/// of the opening before) become the length that the model takes, extended or as trained, where it has one. A name of
/// the curve before is none of this one.
void follow_opening(Experiment& experiment);

/// A field for people who write files and --set arguments.
struct FieldInfo {
  std::string key;
  Words expected;
  std::string value;  ///< as --set takes it
};
/// Every field in the order of declaration, with the value that it has in a default experiment.
std::vector<FieldInfo> list_fields();

// --- Notes ---------------------------------------------------------------------------------------------------------

void describe(FieldList& list, Note& note);  // keys "view", "figure", "text", …

// --- History -------------------------------------------------------------------------------------------------------

/// Undo is keeping the previous value. A drag is one step: values recorded while `merging` replace each other. To
/// switch views is none; undo and redo go to the view in which the step was made.
class History {
 public:
  explicit History(Experiment initial = {});
  const Experiment& current() const { return states_[at_].experiment; }
  /// Makes `next` the current value (no step if equal); redo steps beyond are dropped. With merge, and if the newest
  /// step was made with merge too, it replaces that step.
  void record(const Experiment& next, bool merge);
  /// The current value becomes `next` without a step: what plays by itself is nothing to undo.
  void amend(const Experiment& next) { states_[at_].experiment = next; }
  /// Ends a merge: the next record starts a new step.
  void seal() { merging_ = false; }
  bool can_undo() const { return at_ > 0; }
  bool can_redo() const { return at_ + 1 < states_.size(); }
  void undo();
  void redo();

 private:
  static constexpr std::size_t kLimit = 1000;
  struct State {
    Experiment experiment;
    std::string view;  ///< which one the step that led here showed
  };
  std::vector<State> states_;
  std::size_t at_ = 0;
  bool merging_ = false;
};

}  // namespace ropescope
