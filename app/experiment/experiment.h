// The experiment: the single value that determines everything on screen, with JSON, assignment by key, edits and
// history. Start reading app here; continue with figure.h and views/view.h: a view turns an experiment into figures.
// experiment.cpp defines these declarations except for the descriptions of the structs of fields, with their
// consistency checks, and the spec of a rope. rope_fields.cpp describes ropes, layouts and small views, view_fields.cpp
// the large views; rope_spec.cpp contains the spec.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/fields.h"
#include "core/check/roles.h"
#include "core/encodings/encoding.h"
#include "core/formats/config.h"
#include "core/formats/curve_file.h"
#include "core/layouts/layout.h"
#include "core/message.h"
#include "core/rotary/spec.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- Settings ------------------------------------------------------------------------------------------------------

// The values set by the controls: a struct of fields for each view.

// Enumerations of core and of figures used in fields. Include their (heavy) headers to name an enumerator.
enum class AngleLaw;
enum class AttentionKind;
enum class ContentKind;
enum class HeadOrder;
enum class KernelOf;
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
inline constexpr std::string_view kWordsOf<KernelOf>[] = {"biases", "norms"};
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

/// Returns every list declared by a method, empty. The declarations must be constants because their names are kept.
std::map<std::string_view, std::string> empty_scaling_lists();

/// The context extension: a method of core/scaling and the parameters of all methods by their names in Extension, so
/// shared values survive a change of method. Its keys are among those of the rope: "rope.scaling", "rope.factor".
struct ScalingFields {
  std::string method{kNoMethod};
  double length = 0;  ///< l: current sequence length; 0: the requested or displayed length, see give_length()
  /// "1,1.05,1.1": one number per pair, by the lists' names in Extension; every list has an entry.
  std::map<std::string_view, std::string> lists = empty_scaling_lists();
  DeclaredValues parameters{all_scaling_fields()};
  double& operator[](std::string_view parameter) { return parameters.number(parameter); }
  double operator[](std::string_view parameter) const { return parameters[parameter]; }
  bool operator==(const ScalingFields&) const = default;
};

/// The maximum number of factors of an extension: one per pair of the widest head.
inline constexpr std::size_t kMaxFactors = 4096;

/// Declares the group "extension": the controls that the chosen method uses.
void declare_fields(FieldList& list, ScalingFields& fields);

/// Returns the extension of the fields, with every parameter of its method. Throws InputError if a list is invalid.
Extension extension_of(const ScalingFields& fields);
/// Returns the fields of an extension; fields that its method does not use keep their defaults.
ScalingFields to_scaling_fields(const Extension& extension);

/// The rotary embedding, from a model or with custom values. Filled in from a config or preset, then edited;
/// self-contained, so that a saved experiment does not need the config.
struct RopeFields {
  std::string label;    ///< displayed name: "llama-3.1-8b.json", "Llama 3.1 8B"; empty: custom values
  std::string config;   ///< path the values came from, or empty
  std::string model;    ///< preset id the values came from, or empty
  std::string profile;  ///< the profile of the config or preset
  double base = 10000;
  std::string ladder;  ///< replaces base^(−2i/d): numbers or a formula (core/formats/ladder_text.h); empty: none
  double rotary_dim = 128;
  double head_dim = 128;
  Pairing pairing = Pairing::half_split;
  double trained_length = 4096;  ///< 0: none
  double context_length = 0;     ///< maximum length with the extension; 0: the trained length
  std::string axes;  ///< several axes as "t:16,row:56,column:56" (each with `base`, or "t:16:10000"); empty: one axis
  std::string axis;  ///< the selected axis; empty: the first
  ScalingFields scaling;  ///< the context extension
  bool operator==(const RopeFields&) const = default;
};
void declare_fields(FieldList& list, RopeFields& fields);  // keys "rope.base", "rope.rotary_dim", …
/// Declares only "rope.pairing", which declare_fields(RopeFields) declares without a control.
void declare_pairing(FieldList& list, RopeFields& fields, bool control);
/// Declares the rope fields and rope.pairing, with controls only for some: "rope.base", ….
void declare_embedding(FieldList& list, RopeFields& fields, std::span<const std::string_view> controls);

/// The picture of the view Rotation: plane and clocks, helix, weights, the four forms, the two pairings, other laws.
enum class RotationShow { turn, helix, weights, forms, pairing, law };
template <>
inline constexpr std::string_view kWordsOf<RotationShow>[] = {"turn", "helix", "weights", "forms", "pairing", "law"};
/// The vectors of the pairs other than the one in the plane.
enum class OtherPairs { same, random };
template <>
inline constexpr std::string_view kWordsOf<OtherPairs>[] = {"same", "random"};

/// Camera of the helix, in degrees: yaw 0, pitch 0 looks at it from the side (x = p, y = sin), pitch 90 from above (y =
/// cos), yaw 90 along its axis (x = cos, y = sin). The default is an oblique drawing between them.
inline constexpr double kHelixYaw = 30, kHelixPitch = 15, kMaxHelixYaw = 180, kMaxHelixPitch = 90;

/// Fields of the view Rotation: one pair in the plane, clocks of all pairs, the helix, forms, pairings and laws.
struct RotationFields {
  RotationShow show = RotationShow::turn;
  double pair = 8;  ///< a rope with fewer pairs shows its last pair
  double query_position = 7, key_position = 3;
  bool locked = false;  ///< both positions move together: see keep_distance
  bool trail = true;
  double speed = 4;  ///< positions per second while playing
  bool playing = false;
  double glide = 0;  ///< 0…1: fraction of the step from m to the next position while playing (also for k if locked)
  double span = 0;   ///< positions that the helix shows at a time; 0: five turns
  double yaw = kHelixYaw, pitch = kHelixPitch;  ///< of the camera that looks at the helix, degrees
  double reach = 256;                           ///< largest distance of the curves of the mixed pairings
  double form_dim = 4;                          ///< channels of the vector in the four forms
  double permute = 0;                           ///< 0…1: progress of the channels from interleaved to half split
  double qx = 1, qy = 0, kx = 0.6, ky = 0.5;    ///< q and k of the pair in the plane
  double x1 = 1, x2 = 0.5;                      ///< picture "weights": a token x in two channels, and W before R_m
  double w11 = 0.8, w12 = -0.6, w21 = 0.3, w22 = 1.1;
  OtherPairs content = OtherPairs::same;
  double seed = 1;
  double key_base = 0;  ///< base of the key's ladder; 0: the rope's base
  /// Picture "law": the rotation angle of a vector and the factor on its length, as functions of its position m.
  AngleLaw angle_law = {};    ///< "linear", "quadratic", "root", "offset", "offsets" or "other-key"
  LengthLaw length_law = {};  ///< "constant", "growing", "reciprocal" or "exponential"
  double law_theta = 0.3162, law_theta_key = 0.4111;  ///< θ, and θ′ of the key
  double law_gamma = 0.7, law_gamma_key = 1.9;        ///< γ, and γ′ of the key
  double law_rate = 0.05;                             ///< c of e^{cm}
  double law_span = 24;                               ///< largest common shift
  bool law_table = true;                              ///< table of all laws
  Zooms zooms{"rotation.law_place_range", "rotation.law_angle_range", "rotation.law_length_range",
              "rotation.law_shift_range", "rotation.law_score_range"};
  bool operator==(const RotationFields&) const = default;
};
inline constexpr double kMaxRotationPosition = 131'072;
inline constexpr double kMinKeyBase = 1.01;         ///< minimum of a key base other than 0
inline constexpr double kMaxRotationComponent = 2;  ///< maximum |component| of q and k in the plane
/// Keys "rotation.show", …. `pairs` limits the controls.
void declare_fields(FieldList& list, RotationFields& fields, double pairs = 4096);
/// Moves m and n together: if the lock is on before and after an edit that moved one of them, the other one moves with
/// it, so m − n is constant. Both stop at the end of either range; returns false if this changed the edited value.
bool keep_distance(const RotationFields& before, RotationFields& edited);

/// Fields of the position encodings in addition to the rope fields, with core's names. A view shows those that its
/// encodings use.
struct EncodingFields {
  DeclaredValues settings{all_encoding_fields()};
  double& operator[](std::string_view field) { return settings.number(field); }
  double operator[](std::string_view field) const { return settings[field]; }
  bool operator==(const EncodingFields&) const = default;
};
/// Keys "encoding.heads", …. Only fields used by encodings have a control: `used` are names of Encoding::fields.
void declare_fields(FieldList& list, EncodingFields& fields, std::span<const std::string_view> used = {});

/// The values of the map.
enum class AtlasValues { sinusoidal, rope_cos, rope_sin, rope_angle, learned };
template <>
inline constexpr std::string_view kWordsOf<AtlasValues>[] = {"sinusoidal", "rope-cos", "rope-sin", "rope-angle",
                                                             "learned"};
/// The labels of the positions: numbers, or the words of the sentence.
enum class AtlasPositions { numbers, words };
template <>
inline constexpr std::string_view kWordsOf<AtlasPositions>[] = {"numbers", "words"};

/// Values of an encoding as a map over positions and dimensions.
struct AtlasFields {
  AtlasValues values = AtlasValues::sinusoidal;
  AtlasPositions rows = AtlasPositions::numbers;
  double positions = 256;
  std::string sentence = "The word stands here, then there: each place gives the word another row";
  double row = 10;                           ///< the position whose values are plotted; later ones mean the last
  std::vector<std::string> below = {"row"};  ///< panels under the map: "row", "column", "turns", "variance"
  std::string columns = "0,1";               ///< columns in the panel "column", at most kMaxAtlasColumns
  Zooms zooms{"atlas.dimension_range", "atlas.position_range", "atlas.value_range",
              "atlas.turns_range",     "atlas.variance_range", "atlas.column_range"};
  bool operator==(const AtlasFields&) const = default;
};
inline constexpr double kMaxAtlasPositions = 8192;
inline constexpr std::size_t kMaxAtlasColumns = 8;
void declare_fields(FieldList& list, AtlasFields& fields);  // keys "atlas.values", …

/// Curves over the distance, matrices, or one phrase at two positions.
enum class CompareShow { distance, matrix, phrase };
template <>
inline constexpr std::string_view kWordsOf<CompareShow>[] = {"distance", "matrix", "phrase"};
/// Colour scale of the maps: one shared scale centred at 0, or a scale fitted to each map.
enum class CompareColours { shared, fitted };
template <>
inline constexpr std::string_view kWordsOf<CompareColours>[] = {"shared", "fitted"};

/// Scores of several encodings side by side.
struct CompareFields {
  CompareShow show = CompareShow::distance;
  std::vector<std::string> encodings = {"sinusoidal", "learned", "t5", "rope",
                                        "alibi"};  ///< encodings whose curves are shown
  std::string encoding = "rope";                   ///< encoding whose matrices are shown
  double span = 1024;
  AxisScale distance_axis = AxisScale::linear, score_axis = AxisScale::symlog;
  bool normalised = true;   ///< divided by the largest possible content score, |q||k| · scale
  bool later_keys = false;  ///< also distances below 0, for keys after the query
  double key_position = 0;  ///< fixed position of the key while the query moves away
  double size = 64, first_position = 0;
  double query = 24;  ///< the query whose row of scores is shown; the nearest one of the matrix
  CompareColours colours = CompareColours::shared;
  std::string sentence = "the old cat slept while the dog watched the door and waited";
  double phrase_at = 0, phrase_words = 3;  ///< the phrase: position of its first word, number of words
  double move = 6;                         ///< shift of its second occurrence, in positions
  ContentKind content = {};
  double seed = 1;
  Zooms zooms{"encodings.distance_range", "encodings.score_range", "encodings.query_range", "encodings.key_range"};
  bool operator==(const CompareFields&) const = default;
};
inline constexpr double kMaxComparePosition = 131'072;
/// Keys "encodings.show", …. `queries` limits the controls.
void declare_fields(FieldList& list, CompareFields& fields, const Range& queries = {0, 2 * kMaxComparePosition});

/// The picture of the view Attention.
enum class AttentionShow { weights, shift, shuffle, cost, products, kernel, energy };
template <>
inline constexpr std::string_view kWordsOf<AttentionShow>[] = {"weights",  "shift",  "shuffle", "cost",
                                                               "products", "kernel", "energy"};
/// The source of q and k; words are those of the sentence.
enum class AttentionSource { aligned, random, words, file };
template <>
inline constexpr std::string_view kWordsOf<AttentionSource>[] = {"aligned", "random", "words", "file"};
/// The part of a file: one head, all heads, layers by pair, or directions of pairs.
enum class EnergyOf { head, heads, layers, directions };
template <>
inline constexpr std::string_view kWordsOf<EnergyOf>[] = {"head", "heads", "layers", "directions"};

/// Fields of the view Attention.
struct AttentionFields {
  AttentionShow show = AttentionShow::weights;
  std::string encoding = "rope";
  AttentionKind kind = {};
  LinearKernel kernel = {};   ///< for linear attention: "elu" (+ 1), "exp", "softmax" of q with e^k, or "performer"
  double features = 1;        ///< for "performer": random features per channel
  bool turn_vectors = false;  ///< linear attention: rotate q and k before the kernel instead of the features
  bool causal = false;
  double tokens = 256;
  bool turn_denominator = false;  ///< linear attention divides by the sum of the rotated features
  AttentionSource content = AttentionSource::aligned;
  std::string sentence = "the old cat slept while the dog watched";
  std::string file;  ///< path of a .npz, .npy or .safetensors, see core/formats/dumps/dump.h
  double head = 1;   ///< head in the file, counted from 1
  double layer = 0;  ///< number of the layer, for a file with several
  EnergyOf energy_of = EnergyOf::head;
  double page = 1;      ///< page of heads that do not fit into one picture, counted from 1
  std::string against;  ///< another file to compare with
  double seed = 1;      ///< for synthetic content
  double row = 128;     ///< the query whose weights are drawn as a curve; later ones mean the last
  double shift = 1024;  ///< shift of all positions
  std::string order;    ///< for picture "shuffle": "2,0,1"; empty: shuffled by the seed
  double shuffle_seed = 1;
  double longest = 4096;  ///< maximum number of tokens for which the cost is measured
  Zooms zooms{"attention.key_range",      "attention.query_range", "attention.weight_range", "attention.sum_range",
              "attention.distance_range", "attention.shift_range", "attention.length_range", "attention.pair_range",
              "attention.shuffle_range",  "attention.layer_range"};
  bool operator==(const AttentionFields&) const = default;
};
/// Of the slider, and of the command `attention`, whose weights of one head then take 2 GiB.
inline constexpr double kMaxAttentionTokens = 4096, kMaxCommandTokens = 16'384;
inline constexpr double kMaxAttentionLayer = 1023;
/// Keys "attention.show", …. `tokens` is the number of queries for the controls.
void declare_fields(FieldList& list, AttentionFields& fields, double tokens = kMaxAttentionTokens);

/// Curves over the distance, the phasors at one distance, or the differences of two ropes.
enum class DecayShow { curves, phasors, differences };
template <>
inline constexpr std::string_view kWordsOf<DecayShow>[] = {"curves", "phasors", "differences"};
/// The maximum of |K| from here on, or within a window around a distance.
enum class DecayEnvelope { from_here, window };
template <>
inline constexpr std::string_view kWordsOf<DecayEnvelope>[] = {"from-here", "window"};
/// Content of q and k: as ContentKind, or the biases or norm weights of the checkpoint in WeightsFields.
enum class DecayContent { aligned, random, weights };
template <>
inline constexpr std::string_view kWordsOf<DecayContent>[] = {"aligned", "random", "weights"};

struct DecayFields {
  DecayShow show = DecayShow::curves;
  double distance = 500;  ///< Δ of "phasors"
  double speed = 25;      ///< distances per second while it plays
  bool playing = false;
  double glide = 0;  ///< 0…1: fraction of the step from Δ to the next distance while playing
  double span = 8192;
  AxisScale distance_axis = AxisScale::log, similarity_axis = AxisScale::linear, bound_axis = AxisScale::linear;
  DecayContent content = DecayContent::aligned;
  double seed = 1;
  bool show_similarity = true, show_bound = true, show_trend = true, show_envelope = false;
  bool show_plain = true;       ///< also show the plain ladder if it is extended
  bool show_trained = true;     ///< mark the trained length
  bool show_maximum = true;     ///< mark |K| = 1 in the panel of the bound
  bool with_amplitude = false;  ///< A²K(Δ), as in scores, instead of K(Δ)
  DecayEnvelope envelope = DecayEnvelope::from_here;
  double envelope_window = 64;  ///< width of the envelope window in positions
  PairOrder order = {};
  std::string marked_pairs;  ///< pairs whose wavelength is marked by a vertical line: "0,16,32"
  Zooms zooms{"decay.distance_range", "decay.similarity_range", "decay.bound_range"};
  bool operator==(const DecayFields&) const = default;
};
void declare_fields(FieldList& list, DecayFields& fields);  // keys "decay.span", …

inline constexpr double kMaxDecayDistance = 16'777'216;

/// The plotted quantity of each pair.
enum class LadderQuantity { wavelength, frequency };
template <>
inline constexpr std::string_view kWordsOf<LadderQuantity>[] = {"wavelength", "frequency"};

struct FrequenciesFields {
  LadderQuantity quantity = LadderQuantity::wavelength;
  bool show_ratio = true;    ///< ratio to the plain ladder in a separate panel
  bool show_trained = true;  ///< mark the trained length
  Zooms zooms{"frequencies.pair_range", "frequencies.value_range", "frequencies.ratio_range"};
  bool operator==(const FrequenciesFields&) const = default;
};
void declare_fields(FieldList& list, FrequenciesFields& fields);  // keys "frequencies.quantity", …

/// The common policies, those of a format, or all.
enum class ShownPolicies { common, float32, bfloat16, float16, all };
template <>
inline constexpr std::string_view kWordsOf<ShownPolicies>[] = {"common", "float32", "bfloat16", "float16", "all"};
/// The lower panel: the error of the score, or its change under a shift.
enum class PrecisionShow { score, shift };
template <>
inline constexpr std::string_view kWordsOf<PrecisionShow>[] = {"score", "shift"};

/// PrecisionFields::highlight for the policy with the largest mean error.
inline constexpr const char* kWorstPolicy = "worst";

struct PrecisionFields {
  ShownPolicies policies = ShownPolicies::common;
  double span = 131072;
  PrecisionShow show = PrecisionShow::score;
  bool show_trained = true;              ///< mark the trained length
  double distance = 64;                  ///< between query and key while both are shifted
  std::string highlight = kWorstPolicy;  ///< the policy drawn over the others, or kWorstPolicy
  Zooms zooms{"precision.position_range", "precision.error_range", "precision.score_error_range",
              "precision.score_range"};
  bool operator==(const PrecisionFields&) const = default;
};
void declare_fields(FieldList& list, PrecisionFields& fields);  // keys "precision.span", …

/// The largest context over the base, the information in pairs, or static pairs.
enum class LimitsShow { curve, information, dropped };
template <>
inline constexpr std::string_view kWordsOf<LimitsShow>[] = {"curve", "information", "dropped"};

struct LimitsFields {
  double context = 4096;  ///< L in positions
  LimitsShow show = LimitsShow::curve;
  bool show_models = true;  ///< base and trained length of published models as points
  Zooms zooms{"limits.base_range",     "limits.largest_range",  "limits.pair_range",      "limits.turns_range",
              "limits.variance_range", "limits.distance_range", "limits.similarity_range"};
  bool operator==(const LimitsFields&) const = default;
};
void declare_fields(FieldList& list, LimitsFields& fields);  // keys "limits.context", …

/// The unit of the sizes of the image and its references.
enum class SizeBy { pixels, tokens };
template <>
inline constexpr std::string_view kWordsOf<SizeBy>[] = {"pixels", "tokens"};
/// A click sets the anchor and the target in turn, or adds a target.
enum class LayoutClick { next, extra };
template <>
inline constexpr std::string_view kWordsOf<LayoutClick>[] = {"next", "extra"};
/// Token colours: the index, an axis of the ids, or the angle of a pair.
enum class LayoutColours { index, axis, angle };
template <>
inline constexpr std::string_view kWordsOf<LayoutColours>[] = {"index", "axis", "angle"};

/// The token layout of an image model, and two or three tokens to compare; shared by the views of images. Values fixed
/// by a config are filled in and kept, as in RopeFields. Lists are strings; an empty string or a 0 means the model's
/// value.
struct LayoutFields {
  std::string name = "flux.1";  ///< one of all_layouts()
  std::string config;           ///< path of the config with the fixed values, or empty
  SizeBy size_by = SizeBy::pixels;
  double width = 1024, height = 1024;
  bool fit = false;  ///< width and height are adjusted as in the released pipeline
  double rows = 64, columns = 64;
  DeclaredValues settings{all_layout_fields()};    ///< numbers and switches of all layouts, under core's names
  std::string scaling{kNoMethod};                  ///< extends the ladders of the axes (core/layouts/extension.h)
  std::string references;                          ///< "1024x1024,512x768": WxH in pixels, or ROWSxCOLUMNS in tokens
  double frame = 1;                                ///< the displayed frame, counted from 1
  std::string axis_dims, sections, position_grid;  ///< "16,56,56", from a config
  std::string axes = "t:16,row:56,column:56";      ///< for the layout "custom"
  Pairing pairing = Pairing::interleaved;
  double anchor = 0;              ///< token of the image, counted from 0
  std::string targets = "63,64";  ///< tokens compared with the anchor
  LayoutClick click = LayoutClick::next;
  LayoutColours colours = LayoutColours::index;
  std::string axis = "row";  ///< if a layout has no axis of this name, another one is shown
  double pair = 0;
  std::string picture;            ///< path of a PNG or JPEG drawn under the patches, or empty
  double picture_strength = 0.8;  ///< 0…1
  Zooms zooms{"layout.row_range", "layout.column_range"};
  double& operator[](std::string_view field) { return settings.number(field); }
  double operator[](std::string_view field) const { return settings[field]; }
  bool operator==(const LayoutFields&) const = default;
};
inline constexpr double kMaxLayoutTokens = 134'217'728;
/// The choices for the controls of a layout, if known.
struct LayoutControls {
  double step = 1;                   ///< pixels per token and side
  double tokens = kMaxLayoutTokens;  ///< in the image, all frames
  double pairs = 4096;
  double frames = 1024;
  std::vector<std::string> axes;  ///< names; empty: those of all layouts
  bool colouring = true;          ///< whether there are controls for token colours and the picture
  bool patches = true;            ///< whether there are controls for anchor and targets
  std::vector<Message> notes;     ///< notes for the reader
};
/// Keys "layout.name", …: controls for the fields of the chosen layout.
void declare_fields(FieldList& list, LayoutFields& fields, const LayoutControls& controls = {});
/// Returns whether the fields' layout uses a field and no other field replaces it.
bool uses_field(const LayoutFields& fields, const Layout& layout, std::string_view field);
/// Sets up a question on a raster of patches: is patch 1 nearer to patch 64 or to patch 65 of 64 × 64?
void ask_raster_question(LayoutFields& fields);

/// The anchor follows the mouse or is fixed.
enum class AnchorMode { follow, fixed };
template <>
inline constexpr std::string_view kWordsOf<AnchorMode>[] = {"follow", "fixed"};
/// Colour scale: −1…1, or fitted.
enum class SimilarityColours { full, fitted };
template <>
inline constexpr std::string_view kWordsOf<SimilarityColours>[] = {"full", "fitted"};

/// Fields of the view Similarity: similarity of every token of the layout to the anchor.
struct SimilarityFields {
  AnchorMode anchor_mode = AnchorMode::follow;
  ContentKind content = {};
  double seed = 1;
  std::string axis = "all";  ///< "all" axes together, or the part of one axis
  SimilarityColours colours = SimilarityColours::full;
  std::string against = "raster";  ///< another of all_layouts() to compare with, or "none"
  Zooms zooms{"similarity.row_range", "similarity.column_range", "similarity.profile_range", "similarity.value_range"};
  bool operator==(const SimilarityFields&) const = default;
};
/// Keys "similarity.anchor_mode", …. `axes` are the choices for the controls; empty: those of all layouts.
void declare_fields(FieldList& list, SimilarityFields& fields, const std::vector<std::string>& axes = {});

template <>
inline constexpr std::string_view kWordsOf<InputKind>[] = {"tables", "table", "vectors", "ids", "frequencies"};
/// The rows that the tensors contain.
enum class CheckPart { all, text, image, reference, audio };
template <>
inline constexpr std::string_view kWordsOf<CheckPart>[] = {"all", "text", "image", "reference", "audio"};
/// The model's pairing, or a fixed one.
enum class CheckPairing { model, interleaved, half };
template <>
inline constexpr std::string_view kWordsOf<CheckPairing>[] = {"model", "interleaved", "half"};
/// The reference for the user's tensors: a layout, the rope, or another dump.
enum class CheckAgainst { layout, rope, dump };
template <>
inline constexpr std::string_view kWordsOf<CheckAgainst>[] = {"layout", "rope", "dump"};
/// The values of the map: the difference, the user's, or the reference's.
enum class CheckShow { difference, mine, reference };
template <>
inline constexpr std::string_view kWordsOf<CheckShow>[] = {"difference", "mine", "reference"};
/// Differences as a fraction of the tolerance, or absolute.
enum class CheckMeasure { tolerance, difference };
template <>
inline constexpr std::string_view kWordsOf<CheckMeasure>[] = {"tolerance", "difference"};

/// The keys of the file fields, in the order of CheckRole.
inline constexpr std::string_view kCheckFileKeys[] = {"check.cos",         "check.sin",         "check.table",
                                                      "check.before",      "check.after",       "check.ids",
                                                      "check.frequencies", "check.against_cos", "check.against_sin"};
/// Fields of the view Check: the user's tensors against the layout of LayoutFields, the rope of RopeFields at its
/// current length, or other tables.
struct CheckFields {
  ByRole<std::string> files;            ///< "FILE" or "FILE:TENSOR"; empty: none
  InputKind offer = InputKind::tables;  ///< the kind of tensors with visible file boxes
  CheckPart part = CheckPart::all;
  CheckPairing pairing = CheckPairing::model;
  HeadOrder head_order = {};  ///< for before and after: "automatic", "thd" or "htd"
  CheckAgainst against = CheckAgainst::layout;
  bool allow_sign = false;  ///< the weights were trained with the opposite sign, which is then harmless
  std::string positions;    ///< for a rope, a list or "FILE:TENSOR"; empty: 0 … tokens − 1
  CheckShow show = CheckShow::difference;
  CheckMeasure measure = CheckMeasure::tolerance;
  std::string applied;         ///< name of a cause to apply to the reference too, "all" of them, or empty
  double token = 0, pair = 0;  ///< the selected ones, counted from 1; 0: those with the largest difference
  Zooms zooms{"check.token_range", "check.pair_range", "check.error_range",
              "check.value_range", "check.row_range",  "check.column_range"};
  bool operator==(const CheckFields&) const = default;
};
void declare_fields(FieldList& list, CheckFields& fields);  // keys "check.cos", …

/// Small multiples: a copy of the view for each value of a field, horizontally and vertically. Each field is a string
/// "KEY=VALUE,VALUE,…" (app/experiment/sweeps.h); empty: none in that direction.
struct FacetFields {
  std::string across, down;
  bool operator==(const FacetFields&) const = default;
};
void declare_fields(FieldList& list, FacetFields& fields);  // keys "facet.across", …

/// The values of curves, or their difference from one of them or ratio to it.
enum class ShownAs { values, difference, ratio };
template <>
inline constexpr std::string_view kWordsOf<ShownAs>[] = {"values", "difference", "ratio"};

/// How curves of several ropes are drawn, and name and stroke of the current one (of the others: Pin).
struct CurveFields {
  ShownAs shown_as = ShownAs::values;
  std::string relative_to = "current";  ///< the reference curve: "current", "pin1", …
  std::string name;                     ///< name of the current curve; empty: the name of its rope
  double slot = 0;                      ///< its colour and dash
  bool operator==(const CurveFields&) const = default;
};

/// The kind of attention; both: softmax and linear.
enum class RaceAttention { softmax, linear, both, performer };
template <>
inline constexpr std::string_view kWordsOf<RaceAttention>[] = {"softmax", "linear", "both", "performer"};
/// The task of the runners.
enum class RaceTask { text, copy, nearest, count, phrase, sorted };
template <>
inline constexpr std::string_view kWordsOf<RaceTask>[] = {"text", "copy", "nearest", "count", "phrase", "sorted"};
/// The next byte, or masked bytes as in BERT.
enum class RaceObjective { next, masked };
template <>
inline constexpr std::string_view kWordsOf<RaceObjective>[] = {"next", "masked"};
/// Losses during training, or losses beyond the trained length.
enum class RaceShow { losses, beyond };
template <>
inline constexpr std::string_view kWordsOf<RaceShow>[] = {"losses", "beyond"};
/// The horizontal axis: steps, or seconds of computing.
enum class RaceOver { steps, seconds };
template <>
inline constexpr std::string_view kWordsOf<RaceOver>[] = {"steps", "seconds"};

/// Small Transformers trained in parallel, one per runner and seed: the encodings with the chosen attention, and
/// further runners (race_runners.h). Runners without their own base and context extension use those of RopeFields.
struct RaceFields {
  std::vector<std::string> encodings = {"none", "sinusoidal", "rope"};
  RaceAttention attention = RaceAttention::softmax;
  std::string also;  ///< further runners: "rope/linear, rope/base=500000, rope/yarn=4"
  RaceTask task = RaceTask::text;
  std::string file;  ///< for "text"; empty: the program's lessons
  RaceObjective objective = RaceObjective::next;
  double distance = 16, modulus = 3;  ///< for "copy" and for "count"
  double layers = 2, width = 64, heads = 4, length = 128, batch = 16, steps = 500, seeds = 1;
  double learning_rate = 0.002;
  RaceShow show = RaceShow::losses;
  std::vector<std::string> extensions = {"linear", "ntk-aware", "yarn"};  ///< for "beyond", in addition to the plain
                                                                          ///< ladder
  RaceOver over = RaceOver::steps;
  double smoothing = 20;  ///< number of steps averaged in the line
  bool running = false;
  double single_steps = 0;  ///< number of single steps requested
  double attempt = 0;       ///< number of restarts
  Zooms zooms{"race.way_range", "race.loss_range", "race.position_range", "race.beyond_range"};
  bool operator==(const RaceFields&) const = default;
};
/// Keys "race.encodings", …. For the controls, `added` are the further runners including the current rope; nullopt: it
/// cannot be added.
void declare_fields(FieldList& list, RaceFields& fields, const std::optional<std::string>& added = {});

/// The axis on which the values of a user curve are read; automatic: see add_own_curves().
enum class OwnAxis { automatic, left, right };
template <>
inline constexpr std::string_view kWordsOf<OwnAxis>[] = {"automatic", "left", "right"};
/// How the values of a user curve are drawn: joined by a line, as markers, or as both.
enum class OwnMarks { line, markers, both };
template <>
inline constexpr std::string_view kWordsOf<OwnMarks>[] = {"line", "markers", "both"};
/// How the deviations of a user curve are drawn; automatic: bars of markers, a band around a line.
enum class OwnErrors { automatic, band, bars, none };
template <>
inline constexpr std::string_view kWordsOf<OwnErrors>[] = {"automatic", "band", "bars", "none"};
template <>
inline constexpr std::string_view kWordsOf<CurveColumns>[] = {"automatic", "mean-std", "low-high", "mean-low-high"};

/// The picture of the view Sweep: a number over fields, or several numbers of several ropes as a table.
enum class SweepShow { curves, table };
template <>
inline constexpr std::string_view kWordsOf<SweepShow>[] = {"curves", "table"};

struct SweepFields {
  SweepShow show = SweepShow::curves;
  std::string readout = "decay.first_negative";                 ///< name of the number on a card
  std::string over = "rope.base=1e3..1e7:50:log", second = {};  ///< as for parse_variation(); empty: none
  /// For a table: comma-separated ropes as for load_rope() (empty: the current one and the pinned ones), and names of
  /// card values.
  std::string ropes, cards = "decay.first_negative,decay.last_above_half,decay.trend,decay.unfinished";
  AxisScale value_axis = AxisScale::linear;  ///< or "log"
  Zooms zooms{"sweep.over_range", "sweep.second_range", "sweep.value_range"};
  bool operator==(const SweepFields&) const = default;
};
void declare_fields(FieldList& list, SweepFields& fields);  // keys "sweep.readout", …

/// A user curve, drawn in Decay and Sweep. `file` records the origin of its numbers; `data` contains them, so a saved
/// figure does not depend on the file.
struct UserCurveFields {
  std::string file, data;  ///< data: the numbers of the file as a CSV with its header; empty: no curve
  CurveColumns columns = CurveColumns::automatic;  ///< what three or four columns are
  std::string name, title;                         ///< in the legend, and the title of its values; empty: the file name
  OwnMarks marks = OwnMarks::line;
  OwnErrors errors = OwnErrors::automatic;
  double slot = 0;  ///< colour and dash; 0: the first that no other curve has
  OwnAxis axis = OwnAxis::automatic;
  AxisScale scale = AxisScale::linear;  ///< of its separate axis, if it has one
  bool operator==(const UserCurveFields&) const = default;
  /// Returns whether a file or its numbers are there.
  bool any() const { return !file.empty() || !data.empty(); }
};
/// The user curves in their order; empty ones are places for further files.
inline constexpr std::size_t kMaxUserCurves = 6;
using UserCurves = std::array<UserCurveFields, kMaxUserCurves>;
void declare_fields(FieldList& list, UserCurves& curves);  // keys "own.file", …, "own2.file", …
/// Returns the key of a user curve, which names its fields and its line: "own", "own2", …
std::string own_key(std::size_t index);

/// The tables of the paper, by data set.
enum class PaperTable { wmt_2014, glue, cail2019_scm };
template <>
inline constexpr std::string_view kWordsOf<PaperTable>[] = {"wmt-2014", "glue", "cail2019-scm"};
/// The GLUE task described by the cards.
enum class PaperTask { mrpc, sst_2, qnli, sts_b, qqp, mnli, mnli_mm };
template <>
inline constexpr std::string_view kWordsOf<PaperTask>[] = {"mrpc", "sst-2", "qnli", "sts-b", "qqp", "mnli", "mnli-mm"};
/// The part of CAIL2019-SCM.
enum class PaperPart { validation, test };
template <>
inline constexpr std::string_view kWordsOf<PaperPart>[] = {"validation", "test"};

/// Fields of the view of published results, drawn as bars.
struct ReportedFields {
  PaperTable table = PaperTable::glue;
  PaperTask task = PaperTask::qqp;
  PaperPart part = PaperPart::test;
  bool operator==(const ReportedFields&) const = default;
};
void declare_fields(FieldList& list, ReportedFields& fields);  // keys "reported.table", …

// --- Lists in text -------------------------------------------------------------------------------------------------

/// Returns the parts of a text between separators; one empty part for an empty text.
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

/// Returns the stable names of those entries of a registry for which `wanted` is true, in its order.
template <class Entries, class Wanted>
std::vector<std::string> entry_names(const Entries& entries, const Wanted& wanted) {
  std::vector<std::string> names;
  for (const auto& entry : entries) {
    if (wanted(entry)) names.emplace_back(entry.name);
  }
  return names;
}
/// Returns one member of each entry, in their order: ids, titles.
template <class Entries, class Member>
std::vector<std::string> names_by(const Entries& entries, const Member& member) {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.emplace_back(std::invoke(member, entry));
  return names;
}
/// Returns the stable names of all entries of a registry, in its order.
template <class Entries>
std::vector<std::string> entry_names(const Entries& entries) {
  return names_by(entries, [](const auto& entry) { return entry.name; });
}

// --- Lists of axes -------------------------------------------------------------------------------------------------

/// One entry of RopeFields::axes: "row:56", or "row:56:2000" for an axis with its own base, or "row:56:2000:1.5" if its
/// frequencies are also divided by a factor.
struct AxisEntry : CustomAxis {
  double factor = 1;
};

/// Reads "t:16,row:56,column:56". Returns what is wrong with it; empty if it is valid. `axes` is empty after an error.
/// An empty text is valid and has no entries: one axis.
Message read_axis_list(const std::string& text, std::vector<AxisEntry>& axes);

/// Returns the text that represents these entries.
std::string write_axis_list(const std::vector<AxisEntry>& axes);

/// Reads such a text as the axes of the layout `custom`, which does not support factors. Throws InputError that begins
/// with `source`, its option or field.
std::vector<CustomAxis> read_custom_axes(const std::string& text, const std::string& source);

// --- Weights -------------------------------------------------------------------------------------------------------

/// Fields of the view Weights: a checkpoint, and the layer and head that are shown. Decay can take its content there.
struct WeightsFields {
  std::string path;    ///< folder, .safetensors, index, .gguf or .pt (app/resources/weights.h)
  std::string config;  ///< empty: the one next to the weights
  double layer = 0;    ///< number of the layer; one without q and k means the nearest earlier one
  double head = 1;     ///< counted from 1; later ones mean the last
  double fast = 64;    ///< wavelength in positions below which a pair is fast
  double span = 4096;  ///< largest distance of the kernel
  Zooms zooms{"weights.pair_range",  "weights.layer_range",    "weights.norm_range",
              "weights.share_range", "weights.distance_range", "weights.kernel_range"};
  bool operator==(const WeightsFields&) const = default;
};
inline constexpr double kMaxWeightsLayer = 1023, kMaxWeightsHead = 1024;
/// Keys "weights.path", …. `layers` and `heads` limit the controls.
void declare_fields(FieldList& list, WeightsFields& fields, double layers = kMaxWeightsLayer + 1,
                    double heads = kMaxWeightsHead);
/// Declares only the checkpoint, its layer and its head: keys "weights.path", …, "weights.head".
void declare_checkpoint(FieldList& list, WeightsFields& fields, double layers, double heads, bool controls = true);

// --- The experiment ------------------------------------------------------------------------------------------------

/// A pinned rope, kept for comparison; `slot` selects colour and dash.
struct Pin {
  RopeFields rope;
  int slot = 1;
  std::string name = {};  ///< name of its curve; empty: the name of the rope
  bool operator==(const Pin&) const = default;
};
/// The key of the current rope, which names its curves; and that of a pin, "pin1" for the first one.
inline constexpr const char* kCurrentKey = "current";
inline std::string pin_key(std::size_t index) {
  return "pin" + std::to_string(index + 1);
}

/// Mouse position in data coordinates of a figure. It is not a user choice, so it is neither saved nor undone. Only the
/// window sets it, for views that follow the mouse.
struct Pointer {
  std::string figure;
  double x = 0, y = 0;
  bool operator==(const Pointer&) const = default;
};

/// The structs of fields of an experiment in the order of files and --help: PART(type, member, the name that begins the
/// keys of its fields).
#define ROPESCOPE_PARTS(PART)                         \
  PART(RopeFields, rope, "rope")                      \
  PART(RotationFields, rotation, "rotation")          \
  PART(DecayFields, decay, "decay")                   \
  PART(FrequenciesFields, frequencies, "frequencies") \
  PART(LimitsFields, limits, "limits")                \
  PART(PrecisionFields, precision, "precision")       \
  PART(EncodingFields, encoding, "encoding")          \
  PART(AtlasFields, atlas, "atlas")                   \
  PART(CompareFields, compare, "encodings")           \
  PART(AttentionFields, attention, "attention")       \
  PART(LayoutFields, layout, "layout")                \
  PART(SimilarityFields, similarity, "similarity")    \
  PART(CheckFields, check, "check")                   \
  PART(RaceFields, race, "race")                      \
  PART(WeightsFields, weights, "weights")             \
  PART(ReportedFields, reported, "reported")          \
  PART(CurveFields, curves, "curves")                 \
  PART(FacetFields, facet, "facet")                   \
  PART(SweepFields, sweep, "sweep")                   \
  PART(UserCurves, own, "own")

/// All user choices as a single value. Undo keeps the previous value; a session file is its JSON form.
struct Experiment {
  std::string view = "decay";
#define ROPESCOPE_MEMBER(type, member, name) type member;
  ROPESCOPE_PARTS(ROPESCOPE_MEMBER)
#undef ROPESCOPE_MEMBER
  std::vector<Pin> pins;            ///< at most kMaximumPins
  std::vector<std::string> hidden;  ///< keys of ropes whose curves are hidden in every view: "current", "pin1", …
  std::vector<Note> notes;          ///< at most kMaximumNotes
  double opened_length = 0;         ///< trained length of the config or preset opened last; 0: none
  std::optional<Pointer> pointer;
  bool operator==(const Experiment&) const = default;
};
/// Calls visit(name, fields) for each struct of fields, in their order.
template <class Visit>
void visit_parts(Experiment& experiment, const Visit& visit) {
#define ROPESCOPE_VISIT(type, member, name) visit(name, experiment.member);
  ROPESCOPE_PARTS(ROPESCOPE_VISIT)
#undef ROPESCOPE_VISIT
}
inline constexpr std::size_t kMaximumPins = 8, kMaximumNotes = 64;
/// Number of strokes for curves: five colours in five dashes (stroke_of). Slot 0 looks like the last one.
inline constexpr int kPinSlots = 25;
inline constexpr double kMaximumSlot = 64;  ///< in files

/// Keys "curves.shown_as", …. `pins` limits the controls.
void declare_fields(FieldList& list, CurveFields& fields, std::size_t pins = kMaximumPins);
/// Declares the whole experiment ("view", then all fields) without its pins: for JSON, --set, clamping and reset.
void declare_fields(FieldList& list, Experiment& experiment);
/// Returns the current form of a key, a view's name or a card's name that has been renamed ("compare.show" is now
/// "encodings.show"), so that old files, links and scripts keep working; other names are returned unchanged.
std::string current_key(std::string_view key);
/// Returns the current form of each of the comma-separated names.
std::string current_keys(std::string_view names);
/// The key of Experiment::view.
inline constexpr std::string_view kViewKey = "view";
/// Returns the field with a full key; nullopt if there is none. Only the struct that contains it is searched.
std::optional<Field> find_field(Experiment& experiment, std::string_view key);
const std::optional<Field> find_field(const Experiment& experiment, std::string_view key);

/// Returns the spec of the fields. A head narrower than its rotary part is enlarged, because this only adds unrotated
/// channels. Throws InputError if a value is out of range or `axes` and `axis` are invalid.
RotarySpec spec_of(const RopeFields& fields);
/// Returns the names of several axes in order; empty for one axis and for an invalid text.
std::vector<std::string> axis_names(const RopeFields& fields);
/// Returns the index of the spec's axis that the fields select.
std::size_t axis_index(const RotarySpec& spec, const RopeFields& fields);
/// Returns the fields of a profile, with every value filled in; the caller sets config and model. Throws InputError
/// only if a value is outside its field's range, e.g. a base above 1e12.
RopeFields to_rope_fields(const Profile& profile, const std::string& label);
/// Returns a displayed extension: "llama3 (factor 8)"; empty for "none".
std::string extension_text(const Extension& extension);
/// Returns a displayed extension at a current length, which only some methods use: "longrope (factor 32), long list
/// (131072)", "dynamic (factor 4) at 131072".
std::string extension_text(const Extension& extension, double trained_length, double length);
/// Returns the finite number that is the whole text, "1e6", "10_000", "500k", "1M" or "128Ki" (k, M, G: powers of 1000;
/// Ki, Mi, Gi: of 1024); nullopt for any other text, NaN and infinities.
std::optional<double> parse_number(std::string_view text);
/// Returns whether a text can only be a list of numbers, valid or not. If an option also accepts a file, "0:15" is
/// never a file name; "./0:15" is one.
bool is_list(std::string_view text);
/// Reads a list, "1,5,9", "-2.5" or "0:64:8": numbers and inclusive ranges a:b or a:b:step (step 1; negative steps
/// descend). Throws InputError that names `option`. Used by LIST options too. `limit` bounds the number of results.
std::vector<double> parse_list(const std::string& text, const std::string& option,
                               std::size_t limit = std::size_t{1} << 26);

/// Returns JSON of the whole experiment ({"ropescope": 1, "view": …, "rope": {…}, "decay": {…}, "pins": [{"slot",
/// "name", "rope"}], "notes": [{"view", "figure", "text", "x", "y", "text_x", "text_y"}], "opened_length"}). Reading:
/// an unknown key, wrong type or value out of range is an InputError that names the key. Missing keys keep their
/// defaults (a missing "axis" is the first of the "axes"). Adjustments of edits apply: without "axes", "head_dim" is
/// raised to "rotary_dim"; curves shown as values refer to no pin.
std::string experiment_to_json(const Experiment& experiment);
/// Returns the JSON of experiment_to_json() on one line, in ASCII, the form stored in figures.
std::string experiment_to_line(const Experiment& experiment);
Experiment experiment_from_json(const std::string& text, const std::string& source);

/// Loads the rope of a preset. Throws InputError if there is no preset of this id.
using LoadRope = RopeFields (*)(const std::string& id);
/// Where a pin's missing fields come from: the preset that its rope.model names, else the current rope.
struct PinStart {
  RopeFields rope;
  LoadRope preset = nullptr;
};

/// Sets a field as `--set key=value` does: by its full key ("rope.base") or its last part if that is unique ("base").
/// "pins" and "notes" take a JSON list, ranges "low:high" or "fit", names a comma-separated list. An ambiguous last
/// part means the current view's key, else that of the group `looks_at`, else the rope's. Returns the full key. Throws
/// InputError that names `option`: unknown key (UnknownField), invalid value, out of range. Missing fields of pins
/// come from `start`: by default the program's defaults, as in files and links.
std::string set_field(Experiment& experiment, const std::string& assignment, std::string_view looks_at = {},
                      const char* option = "--set", const PinStart& start = {});
/// The error of an unknown key. `near`: similar keys; if it has no group, the last parts in the current view's groups.
struct UnknownField : InputError {
  UnknownField(std::string given_key, std::vector<std::string> nearest, const char* option);
  std::string given;
  std::vector<std::string> near;
};
/// Returns the full key for a short one (see set_field()). Throws InputError that names `option`: UnknownField.
std::string full_field_key(const std::string& given, const Experiment& experiment, std::string_view looks_at,
                           const char* option);
/// Returns the unquoted --set arguments for this experiment: {"rope.base=100", "decay.span=16384"}.
std::vector<std::string> set_arguments(const Experiment& experiment);

/// Clamps every number to its valid range, which edits (but not files) can leave.
void clamp(Experiment& experiment);
/// Raises head_dim to rotary_dim if there are no axes: a head contains at least its rotated channels.
void grow_head(RopeFields& rope);
/// Resets the range of every axis in every view to fit its data.
void reset_ranges(Experiment& experiment);
/// Adjusts an experiment to an opened config or preset. Spans and contexts that the user did not change (initial value,
/// or that of the previous opening) become the model's length, extended or trained, if it has one. The name of the
/// current curve is removed.
void follow_opening(Experiment& experiment);

/// A field, documented for users of files and --set arguments.
struct FieldInfo {
  std::string key;
  Message expected;
  std::string value;  ///< as for --set
};
/// Returns every field in the order of declaration, with its default value.
std::vector<FieldInfo> list_fields();

// --- Notes ---------------------------------------------------------------------------------------------------------

void declare_fields(FieldList& list, Note& note);  // keys "view", "figure", "text", …

// --- History -------------------------------------------------------------------------------------------------------

/// Undo history: the previous values. A drag is one step: values recorded while `merging` replace each other. Switching
/// views is not a step; undo and redo go to the view in which the step was made.
class History {
 public:
  explicit History(Experiment initial = {});
  const Experiment& current() const { return states_[at_].experiment; }
  /// Makes `next` the current value (no step if equal) and drops later redo steps. If merge is true and the newest step
  /// was also merged, `next` replaces that step.
  void record(const Experiment& next, bool merge);
  /// Replaces the current value without a step, for changes by animation.
  void amend(const Experiment& next) { states_[at_].experiment = next; }
  /// Ends a merge: the next record starts a new step.
  void end_merge() { merging_ = false; }
  bool can_undo() const { return at_ > 0; }
  bool can_redo() const { return at_ + 1 < states_.size(); }
  void undo();
  void redo();

 private:
  static constexpr std::size_t kLimit = 1000;
  struct State {
    Experiment experiment;
    std::string view;  ///< the view in which the step that led here was made
  };
  std::vector<State> states_;
  std::size_t at_ = 0;
  bool merging_ = false;
};

}  // namespace ropescope
