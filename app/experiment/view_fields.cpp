// Declarations of the fields of the large views (experiment.h), for controls, JSON, --set and reset.
//
// Contents: Attention; Check; Compare; Decay; Race; Rotation; Weights.

#include <algorithm>

#include "app/experiment/experiment.h"
#include "app/experiment/fields.h"
#include "core/attention/attention.h"
#include "core/check/check.h"
#include "core/decay/kernel.h"
#include "core/encodings/encoding.h"
#include "core/formats/tensor_file.h"
#include "core/rotary/rotation.h"
#include "core/training/beyond.h"

namespace ropescope {

// --- Attention -----------------------------------------------------------------------------------------------------

namespace {

void declare_content(Declare<AttentionFields>& declare, const AttentionFields& fields, bool shown) {
  constexpr std::string_view kFiles = ".npz .npy .safetensors .pt .gguf";
  const bool file = fields.content == AttentionSource::file, words = fields.content == AttentionSource::words;
  declare.choice("attention.content", &AttentionFields::content, shown).of_file = {word_of(AttentionSource::file),
                                                                                   "attention.file"};
  declare.text("attention.sentence", &AttentionFields::sentence, shown && words).max_bytes = kMaxSentenceBytes;
  declare.text("attention.file", &AttentionFields::file, shown && file, kFiles);
  const bool pictured = file && fields.show == AttentionShow::energy, all_heads = fields.energy_of == EnergyOf::heads;
  declare.choice("attention.energy_of", &AttentionFields::energy_of, pictured);
  declare.text("attention.against", &AttentionFields::against, pictured && fields.energy_of != EnergyOf::head, kFiles);
  declare.number("attention.layer", &AttentionFields::layer, count_between(0, kMaxAttentionLayer), shown && file);
  declare.number("attention.head", &AttentionFields::head, whole_between(1, 1024),
                 shown && file && !(pictured && all_heads));
  declare.number("attention.page", &AttentionFields::page, whole_between(1, 64), pictured && all_heads);
  declare.number("attention.seed", &AttentionFields::seed, kSeedRange, shown && !file);
  Field& tokens =
      declare.number("attention.tokens", &AttentionFields::tokens, whole_between(2, kMaxAttentionTokens, "unit.tokens"),
                     fields.show == AttentionShow::products || (shown && !words));
  tokens.typed = Range{1, kMaxCommandTokens};
}

/// The slider ends at the last query; if there are fewer tokens it shows their last one and keeps the choice.
void declare_row(Declare<AttentionFields>& declare, double tokens, bool shown) {
  const double last = std::max(tokens - 1, 1.0);
  Field& row = declare.number("attention.row", &AttentionFields::row, count_between(0, last), shown);
  row.initial = std::min(row.initial, last);
  row.nearest = true;
}

/// Returns whether an encoding rotates q and k; related encodings share a colour.
bool turns(const std::string& encoding) {
  return std::any_of(all_encodings().begin(), all_encodings().end(), [&](const Encoding& each) {
    return each.name == encoding && each.linear_attention && each.slot % 5 == 0;
  });
}

void declare_ranges(Declare<AttentionFields>& declare) {
  declare.zooms(&AttentionFields::zooms);
}

// --- Check ---------------------------------------------------------------------------------------------------------

void declare_files(Declare<CheckFields>& declare, CheckFields& fields) {
  const bool dump = fields.against == CheckAgainst::dump;
  declare.group("check_files");
  declare.choice("check.offer", &CheckFields::offer, !dump);
  // File boxes for the selected kind of tensor, and all boxes that are filled in; two dumps are cos and sin.
  bool any = false;
  for (const auto& [role, name, offer] : kCheckRoles) {
    std::string& file = fields.files[role];
    any = any || !file.empty();
    if (!is_against(role))
      declare.text(kCheckFileKeys[static_cast<std::size_t>(role)], file,
                   dump ? offer == InputKind::tables : fields.offer == offer || !file.empty(), kTensorEndings);
  }
  const auto clear = [&fields] {
    fields.files = {};
    fields.applied.clear();
  };
  declare.action("check.clear", clear, any);
  declare.choice("check.part", &CheckFields::part, fields.against == CheckAgainst::layout);
  declare.choice("check.pairing", &CheckFields::pairing, !dump);
  declare.choice("check.head_order", &CheckFields::head_order,
                 !dump && (fields.offer == InputKind::vectors || !fields.files[CheckRole::before].empty()));
  declare.toggle("check.allow_sign", &CheckFields::allow_sign);
}

// --- Compare -------------------------------------------------------------------------------------------------------

/// The slider ends at the matrix's first and last query; other values show the nearest one and keep the choice.
void declare_query(Declare<CompareFields>& declare, const Range& queries, bool shown) {
  Field& query =
      declare.number("encodings.query", &CompareFields::query, whole_between(queries.low, queries.high), shown);
  query.initial = std::clamp(query.initial, queries.low, queries.high);
  query.nearest = true;
}

void declare_distance(Declare<CompareFields>& declare, bool shown) {
  declare.number("encodings.span", &CompareFields::span, whole_between(16, 65'536, "unit.positions"), shown);
  declare.choice("encodings.distance_axis", &CompareFields::distance_axis, shown);
  declare.choice("encodings.score_axis", &CompareFields::score_axis, {AxisScale::linear, AxisScale::symlog}, shown);
  declare.toggle("encodings.normalised", &CompareFields::normalised, shown);
  declare.toggle("encodings.later_keys", &CompareFields::later_keys, shown);
  declare.number("encodings.key_position", &CompareFields::key_position, whole_between(0, kMaxComparePosition), shown);
}

void declare_matrix(Declare<CompareFields>& declare, const Range& queries, bool shown) {
  declare.number("encodings.size", &CompareFields::size, whole_between(2, 512, "unit.positions"), shown);
  declare.number("encodings.first_position", &CompareFields::first_position, whole_between(0, kMaxComparePosition),
                 shown);
  declare_query(declare, queries, shown);
  declare.choice("encodings.colours", &CompareFields::colours, shown);
}

void declare_phrase(Declare<CompareFields>& declare, bool shown) {
  declare.text("encodings.sentence", &CompareFields::sentence, shown).max_bytes = kMaxSentenceBytes;
  declare.number("encodings.phrase_at", &CompareFields::phrase_at, count_between(0, 63), shown);
  declare.number("encodings.phrase_words", &CompareFields::phrase_words, count_between(1, 16), shown);
  declare.number("encodings.move", &CompareFields::move, whole_between(0, 4096, "unit.positions"), shown);
}

// --- Decay ---------------------------------------------------------------------------------------------------------

/// Declares the fields of the phasor picture: the distance and playback.
void declare_phasors(Declare<DecayFields>& declare, bool phasors) {
  declare.number("decay.distance", &DecayFields::distance, whole_between(0, kMaxDecayDistance, "unit.positions"),
                 phasors);
  declare.number("decay.speed", &DecayFields::speed, logarithmic_between(0.1, 1000, "unit.positions_per_second"),
                 phasors);
  declare.toggle("decay.playing", &DecayFields::playing, false);
  declare.number("decay.glide", &DecayFields::glide, number_between(0, 1), false);
}

/// Declares the fields of the curves and their bound.
void declare_curves(Declare<DecayFields>& declare, const DecayFields& fields, bool curves) {
  const bool whole = fields.show == DecayShow::curves, envelope = curves && fields.show_envelope;
  declare.number("decay.span", &DecayFields::span, whole_between(16, 16'777'216, "unit.positions"), curves)
      .follows_length = true;
  declare.choice("decay.distance_axis", &DecayFields::distance_axis, curves);
  declare.choice("decay.similarity_axis", &DecayFields::similarity_axis, curves && (!whole || fields.show_similarity));
  declare.choice("decay.envelope", &DecayFields::envelope, envelope);
  declare.number("decay.envelope_window", &DecayFields::envelope_window, whole_between(1, 1'048'576, "unit.positions"),
                 envelope && fields.envelope == DecayEnvelope::window);
}

// --- Race ----------------------------------------------------------------------------------------------------------

/// Returns the extensions that need only a factor, for trained rotations.
const std::vector<std::string>& extensions_beyond() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (const std::string_view method : beyond_methods({})) {
      if (extends(method)) names.emplace_back(method);
    }
    return names;
  }();
  return all;
}

void declare_network(Declare<RaceFields>& declare) {
  declare.group("race_network");
  // The command `race` is not interactive, so it accepts more than the sliders.
  const auto count = [&declare](std::string_view key, double RaceFields::*member, const NumberField& range,
                                const Range& typed) { declare.number(key, member, range).typed = typed; };
  count("race.layers", &RaceFields::layers, count_between(1, 4, 1), {1, 4});
  count("race.width", &RaceFields::width, count_between(32, 256, 32), {32, 256});
  count("race.heads", &RaceFields::heads, count_between(1, 8, 1), {1, 32});
  count("race.length", &RaceFields::length, count_between(32, 512, 32), {2, 4096});
  count("race.batch", &RaceFields::batch, count_between(1, 64, 1), {1, 1024});
  count("race.steps", &RaceFields::steps, whole_between(10, 20'000), {1, 10'000'000});
  declare.number("race.learning_rate", &RaceFields::learning_rate, logarithmic_between(1e-5, 0.1));
  declare.number("race.seeds", &RaceFields::seeds, count_between(1, 5, 1));
}

void declare_task(Declare<RaceFields>& declare, const RaceFields& fields) {
  const bool text = fields.task == RaceTask::text;
  declare.choice("race.task", &RaceFields::task);
  declare.text("race.file", &RaceFields::file, text, ".txt .md");
  declare.choice("race.objective", &RaceFields::objective, text);
  declare.number("race.distance", &RaceFields::distance, whole_between(1, 511), fields.task == RaceTask::copy);
  // The limits of make_task().
  declare.number("race.modulus", &RaceFields::modulus, whole_between(2, 16), fields.task == RaceTask::count);
}

// --- Rotation ------------------------------------------------------------------------------------------------------

void declare_vector_fields(Declare<RotationFields>& declare, const RotationFields& fields) {
  const bool law = fields.show == RotationShow::law, turn = fields.show == RotationShow::turn || law,
             forms = fields.show == RotationShow::forms, weights = fields.show == RotationShow::weights;
  constexpr NumberField kPart = number_between(-kMaxRotationComponent, kMaxRotationComponent);
  if (!forms) declare.group("vectors");
  declare.number("rotation.qx", &RotationFields::qx, kPart, turn);
  declare.number("rotation.qy", &RotationFields::qy, kPart, turn);
  declare.number("rotation.kx", &RotationFields::kx, kPart, turn);
  declare.number("rotation.ky", &RotationFields::ky, kPart, turn);
  declare.number("rotation.x1", &RotationFields::x1, kPart, weights);
  declare.number("rotation.x2", &RotationFields::x2, kPart, weights);
  declare.number("rotation.w11", &RotationFields::w11, kPart, weights);
  declare.number("rotation.w12", &RotationFields::w12, kPart, weights);
  declare.number("rotation.w21", &RotationFields::w21, kPart, weights);
  declare.number("rotation.w22", &RotationFields::w22, kPart, weights);
  const bool others = !forms && !law && !weights;
  declare.choice("rotation.content", &RotationFields::content, others);
  declare.number("rotation.seed", &RotationFields::seed, kSeedRange,
                 forms || (fields.content == OtherPairs::random && others));
}

/// The slider ends at the last pair; a rope with fewer pairs shows its last pair and keeps the choice.
void declare_pair(Declare<RotationFields>& declare, double pairs, bool control) {
  const double last = std::max(pairs - 1, 1.0);
  Field& pair = declare.number("rotation.pair", &RotationFields::pair, count_between(0, last), control && pairs > 1);
  pair.initial = std::min(pair.initial, last);
  pair.nearest = true;
}

/// Declares the laws by which q and k depend on their positions, as alternatives to the rotation.
void declare_law(Declare<RotationFields>& declare, const RotationFields& fields, bool law) {
  constexpr NumberField kAngle = number_between(0, kTurn);
  declare.choice("rotation.angle_law", &RotationFields::angle_law, law);
  declare.choice("rotation.length_law", &RotationFields::length_law, law);
  const bool offsets = fields.angle_law == AngleLaw::offsets, offset = offsets || fields.angle_law == AngleLaw::offset;
  declare.number("rotation.law_theta", &RotationFields::law_theta, kAngle, law);
  declare.number("rotation.law_theta_key", &RotationFields::law_theta_key, kAngle,
                 law && fields.angle_law == AngleLaw::other_key);
  declare.number("rotation.law_gamma", &RotationFields::law_gamma, kAngle, law && offset);
  declare.number("rotation.law_gamma_key", &RotationFields::law_gamma_key, kAngle, law && offsets);
  declare.number("rotation.law_rate", &RotationFields::law_rate, number_between(0, 0.2),
                 law && fields.length_law == LengthLaw::exponential);
  declare.number("rotation.law_span", &RotationFields::law_span, whole_between(4, 256, "unit.positions"), law);
  declare.toggle("rotation.law_table", &RotationFields::law_table, law);
  declare.zooms(&RotationFields::zooms);
}

/// The camera of the helix, and buttons for four of its places.
void declare_camera(Declare<RotationFields>& declare, RotationFields& fields, bool helix) {
  NumberField yaw = number_between(-kMaxHelixYaw, kMaxHelixYaw),
              pitch = number_between(-kMaxHelixPitch, kMaxHelixPitch);
  yaw.unit = pitch.unit = "unit.degrees";
  declare.number("rotation.yaw", &RotationFields::yaw, yaw, helix);
  declare.number("rotation.pitch", &RotationFields::pitch, pitch, helix);
  const auto look = [&](std::string_view key, double to_yaw, double to_pitch) {
    declare.action(
        key, [&fields, to_yaw, to_pitch] { fields.yaw = to_yaw, fields.pitch = to_pitch; }, helix);
  };
  look("rotation.oblique", kHelixYaw, kHelixPitch);
  look("rotation.along_axis", 90, 0);
  look("rotation.from_side", 0, 0);
  look("rotation.from_above", 0, 90);
}

}  // namespace

void declare_fields(FieldList& list, AttentionFields& fields, double tokens) {
  Declare declare(list, fields);
  const bool weights = fields.show == AttentionShow::weights, shift = fields.show == AttentionShow::shift,
             shuffle = fields.show == AttentionShow::shuffle, cost = fields.show == AttentionShow::cost,
             products = fields.show == AttentionShow::products, kernel = fields.show == AttentionShow::kernel,
             energy = fields.show == AttentionShow::energy;
  declare.group("attention");
  declare.choice("attention.show", &AttentionFields::show);
  declare.choice("attention.encoding", &AttentionFields::encoding, entry_names(all_encodings())).labels = "encoding";
  declare.choice("attention.kind", &AttentionFields::kind, weights || shift || shuffle);
  const bool linear = cost || products || kernel || (fields.kind == AttentionKind::linear && !energy);
  declare.choice("attention.kernel", &AttentionFields::kernel, linear);
  declare.number("attention.features", &AttentionFields::features, whole_between(1, kMaxFeaturesPerChannel),
                 linear && fields.kernel == LinearKernel::random_features);
  const bool turned = linear && !products && !kernel && turns(fields.encoding);
  declare.toggle("attention.turn_vectors", &AttentionFields::turn_vectors, turned);
  declare.toggle("attention.turn_denominator", &AttentionFields::turn_denominator,
                 turned && !cost && !fields.turn_vectors);
  declare.toggle("attention.causal", &AttentionFields::causal, !products);
  declare_content(declare, fields, !cost && !products);
  declare_row(declare, tokens, weights);
  declare.number("attention.shift", &AttentionFields::shift, whole_between(1, 65'536, "unit.positions"), shift);
  // For the effect of shuffled tokens on attention.
  declare.text("attention.order", &AttentionFields::order, shuffle).max_bytes = kMaxListBytes;
  declare.number("attention.shuffle_seed", &AttentionFields::shuffle_seed, kSeedRange, shuffle && fields.order.empty());
  declare.number("attention.longest", &AttentionFields::longest, whole_between(256, 8192, "unit.tokens"), cost);
  declare_ranges(declare);
}

void declare_fields(FieldList& list, CheckFields& fields) {
  Declare declare(list, fields);
  declare.group("check_reference");
  declare.choice("check.against", &CheckFields::against);
  const bool dump = fields.against == CheckAgainst::dump;
  declare.text("check.against_cos", fields.files[CheckRole::against_cosine], dump, kTensorEndings);
  declare.text("check.against_sin", fields.files[CheckRole::against_sine], dump, kTensorEndings);
  declare.text("check.positions", &CheckFields::positions, fields.against == CheckAgainst::rope, kTensorEndings)
      .max_bytes = kMaxListBytes;
  declare_files(declare, fields);
  declare.group("check_map");
  declare.choice("check.show", &CheckFields::show);
  declare.choice("check.measure", &CheckFields::measure);
  declare.text("check.applied", &CheckFields::applied, false).max_bytes = kMaxSentenceBytes;
  declare.number("check.token", &CheckFields::token, count_between(0, kMaxLayoutTokens), false);
  declare.number("check.pair", &CheckFields::pair, count_between(0, 4096), false);
  declare.zooms(&CheckFields::zooms);
}

void declare_fields(FieldList& list, CompareFields& fields, const Range& queries) {
  Declare declare(list, fields);
  const bool distance = fields.show == CompareShow::distance, matrix = fields.show == CompareShow::matrix,
             phrase = fields.show == CompareShow::phrase;
  declare.group("encodings");
  declare.choice("encodings.show", &CompareFields::show);
  declare.names("encodings.encodings", &CompareFields::encodings, entry_names(all_encodings()), distance || phrase)
      .labels = "encoding";
  declare.choice("encodings.encoding", &CompareFields::encoding, entry_names(all_encodings()), matrix || phrase)
      .labels = "encoding";
  declare_distance(declare, distance);
  declare_matrix(declare, queries, matrix);
  declare_phrase(declare, phrase);
  declare.choice("encodings.content", &CompareFields::content, !phrase);
  declare.number("encodings.seed", &CompareFields::seed, kSeedRange, phrase || fields.content == ContentKind::random);
  declare.zooms(&CompareFields::zooms);
}

void declare_fields(FieldList& list, DecayFields& fields) {
  Declare declare(list, fields);
  declare.group("plot");
  declare.choice("decay.show", &DecayFields::show);
  // The differences are below the similarity, without the bound.
  const bool curves = fields.show != DecayShow::phasors, whole = fields.show == DecayShow::curves;
  // The toggles come first because later controls depend on them.
  declare.toggle("decay.show_similarity", &DecayFields::show_similarity, whole);
  declare.toggle("decay.show_bound", &DecayFields::show_bound, whole);
  declare.toggle("decay.show_trend", &DecayFields::show_trend, curves);
  declare.toggle("decay.show_envelope", &DecayFields::show_envelope, curves);
  declare.toggle("decay.show_trained", &DecayFields::show_trained, curves);
  declare_phasors(declare, !curves);
  declare_curves(declare, fields, curves);
  const bool content = fields.show != DecayShow::differences;
  declare.choice("decay.content", &DecayFields::content, content).of_file = {word_of(DecayContent::weights),
                                                                             "weights.path"};
  declare.number("decay.seed", &DecayFields::seed, kSeedRange, content && fields.content == DecayContent::random);
  declare.text("decay.marked_pairs", &DecayFields::marked_pairs, curves).max_bytes = kMaxSentenceBytes;
  declare.toggle("decay.show_plain", &DecayFields::show_plain, curves);
  declare.toggle("decay.with_amplitude", &DecayFields::with_amplitude, whole);
  declare.group("bound");
  declare.choice("decay.order", &DecayFields::order, !curves || (whole && fields.show_bound));
  declare.choice("decay.bound_axis", &DecayFields::bound_axis, whole && fields.show_bound);
  declare.toggle("decay.show_maximum", &DecayFields::show_maximum, whole && fields.show_bound);
  declare.zooms(&DecayFields::zooms);
}

void declare_fields(FieldList& list, RaceFields& fields, const std::optional<std::string>& added) {
  Declare declare(list, fields);
  declare.group("race");
  static const std::vector<std::string> runners =
      entry_names(all_encodings(), [](const Encoding& one) { return one.training != Training::none; });
  declare.names("race.encodings", &RaceFields::encodings, runners).labels = "encoding";
  declare.choice("race.attention", &RaceFields::attention);
  declare.text("race.also", &RaceFields::also);
  declare.action(
      "race.add", [&fields, also = added.value_or("")] { fields.also = also; }, added.has_value());
  declare_task(declare, fields);
  declare.action("race.restart", [&fields] { ++fields.attempt; });
  declare_network(declare);
  declare.group("plot");
  declare.choice("race.show", &RaceFields::show);
  const bool losses = fields.show == RaceShow::losses;
  declare.names("race.extensions", &RaceFields::extensions, extensions_beyond(), !losses).labels = "rope.scaling";
  declare.choice("race.over", &RaceFields::over, losses);
  declare.number("race.smoothing", &RaceFields::smoothing, whole_between(1, 500), losses);
  declare.toggle("race.running", &RaceFields::running, false);
  declare.number("race.attempt", &RaceFields::attempt, count_between(0, 1e9), false);
  // Last of the initial settings: a new race starts without requested single steps.
  declare.number("race.single_steps", &RaceFields::single_steps, count_between(0, 1e9), false);
  declare.zooms(&RaceFields::zooms);
}

void declare_fields(FieldList& list, RotationFields& fields, double pairs) {
  Declare declare(list, fields);
  declare.group("rotation");
  declare.choice("rotation.show", &RotationFields::show);
  const bool turn = fields.show == RotationShow::turn, helix = fields.show == RotationShow::helix,
             forms = fields.show == RotationShow::forms, pairing = fields.show == RotationShow::pairing,
             law = fields.show == RotationShow::law;
  declare_law(declare, fields, law);
  declare_pair(declare, pairs, turn || helix || fields.show == RotationShow::weights);
  // Positions, not counts: they have no unit.
  declare.number("rotation.query_position", &RotationFields::query_position, whole_between(0, kMaxRotationPosition));
  declare.number("rotation.key_position", &RotationFields::key_position, whole_between(0, kMaxRotationPosition));
  Field& key_base = declare.number("rotation.key_base", &RotationFields::key_base, logarithmic_between(0, 1e12), turn);
  key_base.zero = "unit.ropes";
  key_base.round = true;
  // After the positions, so --set arguments can set both of them before they are locked.
  declare.toggle("rotation.locked", &RotationFields::locked);
  declare.toggle("rotation.trail", &RotationFields::trail, turn || law);
  declare.number("rotation.speed", &RotationFields::speed, logarithmic_between(0.1, 1000, "unit.positions_per_second"));
  declare.toggle("rotation.playing", &RotationFields::playing, false);
  declare.number("rotation.glide", &RotationFields::glide, number_between(0, 1), false);
  const NumberField span = whole_between(0, kMaxRotationPosition, "unit.positions");
  declare.number("rotation.span", &RotationFields::span, span, helix).zero = "unit.by_wavelength";
  declare_camera(declare, fields, helix);
  declare.number("rotation.reach", &RotationFields::reach, whole_between(16, 4096, "unit.positions"), pairing);
  declare.number("rotation.form_dim", &RotationFields::form_dim, count_between(2, 8, 2), forms).unit = "unit.channels";
  declare.number("rotation.permute", &RotationFields::permute, number_between(0, 1), pairing);
  declare_vector_fields(declare, fields);
}

void declare_checkpoint(FieldList& list, WeightsFields& fields, double layers, double heads, bool controls) {
  Declare declare(list, fields);
  declare.group("weights");
  declare.text("weights.path", &WeightsFields::path, controls, ".safetensors .gguf .pt .pth .json");
  declare.text("weights.config", &WeightsFields::config, controls, ".json");
  // The sliders end at the last layer and head; other numbers show the nearest one and keep the choice.
  declare
      .number("weights.layer", &WeightsFields::layer, count_between(0, std::max(layers - 1, 1.0)),
              controls && layers > 1)
      .nearest = true;
  declare.number("weights.head", &WeightsFields::head, count_between(1, std::max(heads, 2.0)), controls && heads > 1)
      .nearest = true;
}

void declare_fields(FieldList& list, WeightsFields& fields, double layers, double heads) {
  declare_checkpoint(list, fields, layers, heads);
  Declare declare(list, fields);
  declare.number("weights.fast", &WeightsFields::fast, logarithmic_between(6.3, 1e6, "unit.positions"));
  declare.number("weights.span", &WeightsFields::span, whole_between(16, kMaxDecayDistance, "unit.positions"))
      .follows_length = true;
  declare.zooms(&WeightsFields::zooms);
}

bool keep_distance(const RotationFields& before, RotationFields& edited) {
  const double query = edited.query_position - before.query_position, key = edited.key_position - before.key_position;
  if (!before.locked || !edited.locked || (query != 0) == (key != 0)) return true;
  const double low = std::min(before.query_position, before.key_position);
  const double high = std::max(before.query_position, before.key_position);
  const double shift = std::clamp(query + key, -low, kMaxRotationPosition - high);
  edited.query_position = before.query_position + shift;
  edited.key_position = before.key_position + shift;
  return shift == query + key;
}

}  // namespace ropescope
