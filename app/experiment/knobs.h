#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/scaling_knobs.h"
#include "core/encodings/encoding.h"
#include "core/layouts/layout.h"

/// What the controls of the views set, a struct for each view.
namespace ropescope {

/// What is rotated how: the values of a model or of one's own. Filled in by a config or preset, then edited; complete
/// in itself, so that a saved experiment does not need the config again.
struct RopeKnobs {
  std::string label;    ///< name shown in chips and the top bar: "llama-3.1-8b.json", "Llama 3.1 8B"; empty: own values
  std::string config;   ///< path the values came from, or empty
  std::string model;    ///< preset id the values came from, or empty
  std::string profile;  ///< profile of it
  double base = 10000;
  double rotary_dim = 128;
  double head_dim = 128;
  std::string pairing = "half";  ///< "interleaved" or "half"
  double trained_length = 4096;  ///< 0: none
  double context_length = 0;     ///< what a model takes with its extension; 0: the trained length
  std::string axes;  ///< several axes as "t:16,row:56,column:56" (each with `base`, or "t:16:10000"); empty: one axis
  std::string axis;  ///< which of them is looked at; empty: the first
  ScalingKnobs scaling;  ///< the context extension
  bool operator==(const RopeKnobs&) const = default;
};

/// One pair in the plane, all pairs as clocks, the helix, the four forms, and the two pairings.
struct RotationKnobs {
  std::string show = "turn";  ///< "turn" (plane and clocks), "helix", "weights", "forms", "pairing" or "law"
  double pair = 8;            ///< a rope with fewer pairs shows its last one
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
  std::string content = "same";  ///< the other pairs hold the "same" vectors or "random" ones
  double seed = 1;
  double key_base = 0;  ///< of the ladder by which the key turns; 0: the rope's
  /// Picture "law": the angle that a vector is turned by, and what its length is multiplied by, over its place m.
  std::string angle_law = "linear";     ///< "linear", "quadratic", "root", "offset", "offsets" or "other-key"
  std::string length_law = "constant";  ///< "constant", "growing", "reciprocal" or "exponential"
  double law_theta = 0.3162, law_theta_key = 0.4111;  ///< θ, and θ′ of the key
  double law_gamma = 0.7, law_gamma_key = 1.9;        ///< γ, and γ′ of the key
  double law_rate = 0.05;                             ///< c of e^{cm}
  double law_span = 24;                               ///< how far the common shift goes
  bool law_table = true;                              ///< all laws in a table
  std::optional<Range> law_place_range, law_angle_range, law_shift_range, law_score_range;
  bool operator==(const RotationKnobs&) const = default;
};
inline constexpr double kMostRotationPosition = 131'072;
inline constexpr double kLeastKeyBase = 1.01;   ///< a key base that is not 0 is at least this
inline constexpr double kMostRotationPart = 2;  ///< largest |component| of q and k in the plane

/// What the position encodings are made of, beside the rope knobs: their settings, under the names that core has for
/// them. A view shows those that its encodings look at.
struct EncodingKnobs {
  SettingValues settings{all_encoding_settings()};
  double& operator[](std::string_view setting) { return settings.number(setting); }
  double operator[](std::string_view setting) const { return settings[setting]; }
  bool operator==(const EncodingKnobs&) const = default;
};

/// How settings stand in controls, in files and in --help; one that is not named here follows as declared.
inline constexpr std::string_view kEncodingOrder[] = {"dim",
                                                      "heads",
                                                      "head",
                                                      "trained_length",
                                                      "coarse",
                                                      "clip",
                                                      "buckets",
                                                      "max_distance",
                                                      "rotary_dim",
                                                      "xpos_sequence_length",
                                                      "base",
                                                      "kerple_r1",
                                                      "kerple_r2",
                                                      "p",
                                                      "xpos_scale_base",
                                                      "seed",
                                                      "pairing",
                                                      "bidirectional",
                                                      "seeded_projections"};
std::vector<EncodingSetting> encoding_settings_in_order();

/// Values of an encoding as a map over positions and dimensions.
struct AtlasKnobs {
  std::string values = "sinusoidal";  ///< "sinusoidal", "rope-cos", "rope-sin", "rope-angle" or "learned"
  std::string rows = "numbers";       ///< what the positions are: "numbers", or the "words" of the sentence
  double positions = 256;
  std::string sentence = "The word stands here, then there: each place gives the word another row";
  double row = 10;                           ///< the position whose values are kept; at most the last one
  std::vector<std::string> below = {"row"};  ///< panels under the map: "row", "column", "turns", "variance"
  std::string columns = "0,1";               ///< those that the panel "column" draws, at most kMostAtlasColumns
  std::optional<Range> dimension_range, position_range, value_range, turns_range, variance_range, column_range;
  bool operator==(const AtlasKnobs&) const = default;
};
inline constexpr double kMostAtlasPositions = 8192;
inline constexpr std::size_t kMostAtlasColumns = 8;

/// Scores of several encodings side by side.
struct CompareKnobs {
  std::string show = "distance";  ///< "distance", "matrix" or "phrase" (the same phrase at two places)
  std::vector<std::string> encodings = {"sinusoidal", "learned", "t5", "rope",
                                        "alibi"};  ///< those whose curves are shown
  std::string encoding = "rope";                   ///< the one whose matrices are shown
  double span = 1024;
  std::string distance_axis = "linear", score_axis = "symlog";
  bool normalised = true;   ///< divided by the largest that content alone can give, |q||k| · scale
  bool later_keys = false;  ///< distances below 0 too, where the key stands after the query
  double key_position = 0;  ///< where the key stands while the query moves away
  double size = 64, first_position = 0;
  double query = 24;               ///< the query whose row of scores is shown; the nearest one of the matrix
  std::string colours = "shared";  ///< of the maps: one "shared" scale around 0, or "fitted" to each
  std::string sentence = "the old cat slept while the dog watched the door and waited";
  double phrase_at = 0, phrase_words = 3;  ///< the phrase: the position of its first word, and how many words
  double move = 6;                         ///< how many positions later it stands the second time
  std::string content = "aligned";         ///< "aligned" or "random"
  double seed = 1;
  std::optional<Range> distance_range, score_range, query_range, key_range;
  bool operator==(const CompareKnobs&) const = default;
};
inline constexpr double kMostComparePosition = 131'072;

/// Attention over a sequence.
struct AttentionKnobs {
  std::string show = "weights";  ///< "weights", "shift", "shuffle", "cost", "products", "kernel" or "energy"
  std::string encoding = "rope";
  std::string kind = "softmax";  ///< "softmax" or "linear"
  std::string kernel = "elu";    ///< of linear attention: "elu" (+ 1), "exp", "softmax" of q with e^k, or "performer"
  double features = 1;           ///< of "performer": random features for each channel
  bool turn_vectors = false;     ///< linear attention: what turns, turns q and k before the kernel
  bool causal = false;
  double tokens = 256;
  bool turn_denominator = false;    ///< linear attention divides by the sum of the turned features
  std::string content = "aligned";  ///< "aligned", "random", "words" of the sentence, or q and k from a "file"
  std::string sentence = "the old cat slept while the dog watched";
  std::string file;                ///< path of a .npz, .npy or .safetensors, see core/formats/attention_dump.h
  double head = 1;                 ///< of the file, counted from 1
  double layer = 0;                ///< of a file that holds several, by its number
  std::string energy_of = "head";  ///< of a file: one "head", all "heads", "layers" by pair, or "directions" of pairs
  double page = 1;                 ///< of the heads that do not fit into one picture, counted from 1
  std::string against;             ///< another file to compare with
  double seed = 1;                 ///< of made-up content
  double row = 128;                ///< the query whose weights are drawn as a curve; at most the last one
  double shift = 1024;             ///< how far all positions are moved
  std::string order;               ///< of picture "shuffle": "2,0,1", or dealt by the seed where empty
  double shuffle_seed = 1;
  double longest = 4096;  ///< tokens up to which the cost is measured
  std::optional<Range> key_range, query_range, weight_range, sum_range, distance_range, shift_range, length_range,
      pair_range, shuffle_range, layer_range;
  bool operator==(const AttentionKnobs&) const = default;
};
inline constexpr double kMostAttentionTokens = 4096;
inline constexpr double kMostAttentionLayer = 1023;

struct DecayKnobs {
  std::string show = "curves";  ///< "curves" over the distance, "phasors" at one, or "differences" of two ropes
  double distance = 500;        ///< Δ of "phasors"
  double speed = 25;            ///< distances per second while it plays
  bool playing = false;
  double glide = 0;  ///< 0…1: how far between two distances Δ is while it plays
  double span = 8192;
  std::string distance_axis = "log", similarity_axis = "linear", bound_axis = "linear";
  std::string content = "aligned";  ///< "aligned" or "random"
  double seed = 1;
  bool show_similarity = true, show_bound = true, show_trend = true, show_envelope = false;
  bool show_plain = true;              ///< the plain ladder behind an extended one
  bool with_amplitude = false;         ///< A²K(Δ), as scores have it, in place of K(Δ)
  std::string envelope = "from-here";  ///< largest |K| "from-here" on, or within a "window" around a distance
  double envelope_window = 64;         ///< width of that window in positions
  std::string order = "fast-first";    ///< "fast-first" or "slow-first"
  std::string marked_pairs;            ///< pairs whose wavelength is marked by a rule: "0,16,32"
  std::optional<Range> distance_range, similarity_range, bound_range;
  bool operator==(const DecayKnobs&) const = default;
};

inline constexpr double kMostDecayDistance = 16'777'216;

struct FrequenciesKnobs {
  std::string quantity = "wavelength";  ///< "wavelength" or "frequency"
  bool show_ratio = true;               ///< the ratio to the plain ladder in a panel of its own
  std::optional<Range> pair_range, value_range, ratio_range;
  bool operator==(const FrequenciesKnobs&) const = default;
};

struct PrecisionKnobs {
  std::string policies = "common";  ///< which policies are shown: "common" ones, those of a format, or "all"
  double span = 131072;
  std::string show = "score";  ///< in the lower panel: error of the "score", or its change under a "shift"
  double distance = 64;        ///< between query and key while both are shifted
  std::optional<Range> position_range, error_range, score_error_range, score_range;
  bool operator==(const PrecisionKnobs&) const = default;
};

struct LimitsKnobs {
  double context = 4096;       ///< L in positions
  std::string show = "curve";  ///< "curve" (largest context over base), "information" or "dropped" (still pairs)
  std::optional<Range> base_range, largest_range, pair_range, turns_range, variance_range, distance_range,
      similarity_range;
  bool operator==(const LimitsKnobs&) const = default;
};

/// Where an image model puts its tokens, and two or three of them to compare: what the views of images share. What a
/// config fixes is filled in and kept, as in RopeKnobs. Lists are texts; an empty one or a 0 stands for the model's
/// own.
struct LayoutKnobs {
  std::string name = "flux.1";     ///< one of all_layouts()
  std::string config;              ///< path the fixed values came from, or empty
  std::string size_by = "pixels";  ///< "pixels" or "tokens": of the image and of its references
  double width = 1024, height = 1024;
  double rows = 64, columns = 64;
  SettingValues settings{all_layout_settings()};   ///< numbers and switches of all layouts, under core's names
  std::string references;                          ///< "1024x1024,512x768": WxH in pixels, or ROWSxCOLUMNS in tokens
  double frame = 1;                                ///< which one is shown, counted from 1
  std::string axis_dims, sections, position_grid;  ///< "16,56,56", from a config
  std::string axes = "t:16,row:56,column:56";      ///< of the layout "custom"
  std::string pairing = "interleaved";             ///< "interleaved" or "half"
  double anchor = 0;                               ///< token of the image, counted from 0
  std::string targets = "63,64";                   ///< tokens that it is compared with
  std::string click = "next";     ///< a click sets the "next" one of anchor and target, or an "extra" target
  std::string colours = "index";  ///< "index", "axis" (its ids) or "angle" (of a pair)
  std::string axis = "row";       ///< a layout without an axis of this name shows another one
  double pair = 0;
  std::string picture;            ///< path of a PNG or JPEG that lies on the patches, or empty
  double picture_strength = 0.8;  ///< 0…1
  std::optional<Range> row_range, column_range;
  double& operator[](std::string_view setting) { return settings.number(setting); }
  double operator[](std::string_view setting) const { return settings[setting]; }
  bool operator==(const LayoutKnobs&) const = default;
};
inline constexpr double kMostLayoutTokens = 134'217'728;

/// Similarity of every token of the layout to the anchor.
struct SimilarityKnobs {
  std::string anchor_mode = "follow";  ///< the anchor "follow"s the mouse or is "fixed"
  std::string content = "aligned";     ///< "aligned" or "random"
  double seed = 1;
  std::string axis = "all";        ///< "all" together, or the part of one
  std::string colours = "full";    ///< −1…1, or "fitted"
  std::string against = "raster";  ///< another of all_layouts() beside it, or "none"
  std::optional<Range> row_range, column_range, profile_range, value_range;
  bool operator==(const SimilarityKnobs&) const = default;
};

/// Which of the tensors that somebody's program computed a file holds, or of those that are right.
enum class CheckRole { cosine, sine, table, before, after, ids, frequencies, against_cosine, against_sine };
inline constexpr CheckRole kCheckRoles[] = {CheckRole::cosine,      CheckRole::sine,           CheckRole::table,
                                            CheckRole::before,      CheckRole::after,          CheckRole::ids,
                                            CheckRole::frequencies, CheckRole::against_cosine, CheckRole::against_sine};

/// Somebody's tensors against the layout of LayoutKnobs, the rope of RopeKnobs at its current length, or other tables.
struct CheckKnobs {
  std::string cosine, sine, table, before, after, ids, frequencies;  ///< "FILE" or "FILE:TENSOR"; empty: none
  std::string against_cosine, against_sine;                          ///< the same, of another dump
  std::string offer = "tables";   ///< whose boxes are offered: "tables", "table", "vectors", "ids", "frequencies"
  std::string part = "all";       ///< rows that the tensors hold: "all", "text", "image" or "reference"
  std::string pairing = "model";  ///< "model", or "interleaved" or "half" whatever the model says
  std::string head_order = "automatic";  ///< of before and after: "automatic", "thd" or "htd"
  std::string against = "layout";        ///< "layout", "rope" or "dump"
  bool allow_sign = false;               ///< the weights were trained with the other sign, which is harmless then
  std::string positions;                 ///< of a rope, a list or "FILE:TENSOR"; empty: 0 … tokens − 1
  std::string show = "difference";       ///< in the map: "difference", or the values: "mine" or the "reference"'s
  std::string measure = "tolerance";     ///< differences as a share of the "tolerance", or the "difference" itself
  std::string applied;                   ///< name of the cause that the reference is given too, "all" of them, or empty
  double token = 0, pair = 0;            ///< picked ones, counted from 1; 0: where the difference is largest
  std::optional<Range> token_range, pair_range, error_range, value_range, row_range, column_range;
  bool operator==(const CheckKnobs&) const = default;
};
std::string& path_of(CheckKnobs& knobs, CheckRole role);
const std::string& path_of(const CheckKnobs& knobs, CheckRole role);

/// Small multiples: the view once for each value of a knob, side by side and one under the other. Each is a text
/// "KEY=VALUE,VALUE,…" (app/experiment/facets.h); empty: none in that direction.
struct FacetKnobs {
  std::string across, down;
  bool operator==(const FacetKnobs&) const = default;
};

/// What curves of several ropes are drawn as.
struct CurveKnobs {
  std::string shown_as = "values";      ///< "values", or their "difference" from one of them or "ratio" to it
  std::string relative_to = "current";  ///< that one: "current", "pin1", …
  bool operator==(const CurveKnobs&) const = default;
};

/// Small Transformers that learn side by side, one for each runner and seed: the encodings under the kind of attention,
/// and further ones (race_runners.h). Base and context extension are those of RopeKnobs where a runner has none of its
/// own.
struct RaceKnobs {
  std::vector<std::string> encodings = {"none", "sinusoidal", "rope"};
  std::string attention = "softmax";  ///< "linear", "both" of them, or "performer"
  std::string also;                   ///< further runners: "rope/linear, rope/base=500000, rope/yarn=4"
  std::string task = "text";          ///< "text", "copy", "nearest", "count", "phrase" or "sorted"
  std::string file;                   ///< of "text"; empty: the program's own lessons
  std::string objective = "next";     ///< of "text": or "masked", as BERT
  double distance = 16, modulus = 3;  ///< of "copy", of "count"
  double layers = 2, width = 64, heads = 4, length = 128, batch = 16, steps = 500, seeds = 1;
  double learning_rate = 0.002;
  std::string show = "losses";                                            ///< or "beyond" the trained length
  std::vector<std::string> extensions = {"linear", "ntk-aware", "yarn"};  ///< of "beyond", with the plain ladder
  std::string over = "steps";                                             ///< or "seconds" of computing
  double smoothing = 20;                                                  ///< steps whose mean the line is
  bool running = false;
  double single_steps = 0;  ///< how often one step was asked for
  double attempt = 0;       ///< how often it was started anew
  std::optional<Range> way_range, loss_range, position_range, beyond_range;
  bool operator==(const RaceKnobs&) const = default;
};

/// A readout over one knob as a curve, or over two as a map.
struct SweepKnobs {
  std::string readout = "decay.first_negative";                 ///< name of a card's number
  std::string over = "rope.base=1e3..1e7:50:log", second = {};  ///< as parse_knob_values() takes them; empty: none
  std::string value_axis = "linear";                            ///< or "log"
  std::optional<Range> over_range, second_range, value_range;
  bool operator==(const SweepKnobs&) const = default;
};

/// Bars of results that a paper printed.
struct ReportedKnobs {
  std::string table = "glue";  ///< "wmt-2014", "glue" or "cail2019-scm"
  std::string task = "qqp";    ///< of GLUE: the one that the cards speak of
  std::string part = "test";   ///< of CAIL2019-SCM: "validation" or "test"
  bool operator==(const ReportedKnobs&) const = default;
};

}  // namespace ropescope
