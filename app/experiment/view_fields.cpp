// Declares the fields of the large views (experiment.h), each once: controls, JSON, --set and reset look at these
// lists.
//
// Contents: Attention; Check; Compare; Decay; Race; Rotation.

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

void describe_content(Declare<AttentionFields>& declare, const AttentionFields& fields, bool shown) {
  constexpr std::string_view kFiles = ".npz .npy .safetensors .pt .gguf";
  const bool file = fields.content == AttentionSource::file, words = fields.content == AttentionSource::words;
  declare.choice("attention.content", &AttentionFields::content, shown);
  declare.text("attention.sentence", &AttentionFields::sentence, shown && words).max_bytes = kMaxSentenceBytes;
  declare.text("attention.file", &AttentionFields::file, shown && file, kFiles);
  const bool pictured = file && fields.show == AttentionShow::energy, all_heads = fields.energy_of == EnergyOf::heads;
  declare.choice("attention.energy_of", &AttentionFields::energy_of, pictured);
  declare.text("attention.against", &AttentionFields::against, pictured && fields.energy_of != EnergyOf::head, kFiles);
  declare.number("attention.layer", &AttentionFields::layer, count_between(0, kMostAttentionLayer), shown && file);
  declare.number("attention.head", &AttentionFields::head, whole_between(1, 1024),
                 shown && file && !(pictured && all_heads));
  declare.number("attention.page", &AttentionFields::page, whole_between(1, 64), pictured && all_heads);
  declare.number("attention.seed", &AttentionFields::seed, kSeedRange, shown && !file);
  declare.number("attention.tokens", &AttentionFields::tokens, whole_between(2, kMostAttentionTokens, "unit.tokens"),
                 fields.show == AttentionShow::products || (shown && !words));
}

/// A slider that is dragged ends at the last query; fewer tokens show their last one and keep the choice.
void describe_row(Declare<AttentionFields>& declare, double tokens, bool shown) {
  const double last = std::max(tokens - 1, 1.0);
  Field& row = declare.number("attention.row", &AttentionFields::row, count_between(0, last), shown);
  row.initial = std::min(row.initial, last);
  row.nearest = true;
}

/// Which encodings turn q and k: kin share a colour.
bool turns(const std::string& encoding) {
  return std::any_of(all_encodings().begin(), all_encodings().end(), [&](const Encoding& each) {
    return each.name == encoding && each.linear_attention && each.slot % 5 == 0;
  });
}

void describe_ranges(Declare<AttentionFields>& declare) {
  declare.range("attention.key_range", &AttentionFields::key_range);
  declare.range("attention.query_range", &AttentionFields::query_range);
  declare.range("attention.weight_range", &AttentionFields::weight_range);
  declare.range("attention.sum_range", &AttentionFields::sum_range);
  declare.range("attention.distance_range", &AttentionFields::distance_range);
  declare.range("attention.shift_range", &AttentionFields::shift_range);
  declare.range("attention.length_range", &AttentionFields::length_range);
  declare.range("attention.pair_range", &AttentionFields::pair_range);
  declare.range("attention.shuffle_range", &AttentionFields::shuffle_range);
  declare.range("attention.layer_range", &AttentionFields::layer_range);
}

}  // namespace

void describe(FieldList& list, AttentionFields& fields, double tokens) {
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
  declare.number("attention.features", &AttentionFields::features, whole_between(1, kMostFeaturesPerChannel),
                 linear && fields.kernel == LinearKernel::random_features);
  const bool turned = linear && !products && !kernel && turns(fields.encoding);
  declare.toggle("attention.turn_vectors", &AttentionFields::turn_vectors, turned);
  declare.toggle("attention.turn_denominator", &AttentionFields::turn_denominator,
                 turned && !cost && !fields.turn_vectors);
  declare.toggle("attention.causal", &AttentionFields::causal, !products);
  describe_content(declare, fields, !cost && !products);
  describe_row(declare, tokens, weights);
  declare.number("attention.shift", &AttentionFields::shift, whole_between(1, 65'536, "unit.positions"), shift);
  // What becomes of attention where its tokens stand in another order.
  declare.text("attention.order", &AttentionFields::order, shuffle).max_bytes = kMaxListBytes;
  declare.number("attention.shuffle_seed", &AttentionFields::shuffle_seed, kSeedRange, shuffle && fields.order.empty());
  declare.number("attention.longest", &AttentionFields::longest, whole_between(256, 8192, "unit.tokens"), cost);
  describe_ranges(declare);
}

// --- Check ---------------------------------------------------------------------------------------------------------

namespace {

void describe_files(Declare<CheckFields>& declare, CheckFields& fields) {
  const bool dump = fields.against == CheckAgainst::dump;
  declare.group("check_files");
  declare.choice("check.offer", &CheckFields::offer, !dump);
  // Boxes of the kind of tensor that is offered, and wherever something stands in one; two dumps are cos and sin.
  bool any = false;
  for (const auto& [role, name, offer] : kCheckRoles) {
    std::string& file = fields.files[role];
    any = any || !file.empty();
    if (!is_against(role))
      declare.text(kCheckFileKeys[static_cast<std::size_t>(role)], file,
                   dump ? offer == CheckOffer::tables : fields.offer == offer || !file.empty(), kTensorEndings);
  }
  const auto clear = [&fields] {
    fields.files = {};
    fields.applied.clear();
  };
  declare.action("check.clear", clear, any);
  declare.choice("check.part", &CheckFields::part, fields.against == CheckAgainst::layout);
  declare.choice("check.pairing", &CheckFields::pairing, !dump);
  declare.choice("check.head_order", &CheckFields::head_order,
                 !dump && (fields.offer == CheckOffer::vectors || !fields.files[CheckRole::before].empty()));
  declare.toggle("check.allow_sign", &CheckFields::allow_sign);
}

}  // namespace

void describe(FieldList& list, CheckFields& fields) {
  Declare declare(list, fields);
  declare.group("check_reference");
  declare.choice("check.against", &CheckFields::against);
  const bool dump = fields.against == CheckAgainst::dump;
  declare.text("check.against_cos", fields.files[CheckRole::against_cosine], dump, kTensorEndings);
  declare.text("check.against_sin", fields.files[CheckRole::against_sine], dump, kTensorEndings);
  declare.text("check.positions", &CheckFields::positions, fields.against == CheckAgainst::rope, kTensorEndings)
      .max_bytes = kMaxListBytes;
  describe_files(declare, fields);
  declare.group("check_map");
  declare.choice("check.show", &CheckFields::show);
  declare.choice("check.measure", &CheckFields::measure);
  declare.text("check.applied", &CheckFields::applied, false).max_bytes = kMaxSentenceBytes;
  declare.number("check.token", &CheckFields::token, count_between(0, kMostLayoutTokens), false);
  declare.number("check.pair", &CheckFields::pair, count_between(0, 4096), false);
  declare.range("check.token_range", &CheckFields::token_range);
  declare.range("check.pair_range", &CheckFields::pair_range);
  declare.range("check.error_range", &CheckFields::error_range);
  declare.range("check.value_range", &CheckFields::value_range);
  declare.range("check.row_range", &CheckFields::row_range);
  declare.range("check.column_range", &CheckFields::column_range);
}

// --- Compare -------------------------------------------------------------------------------------------------------

namespace {

/// A slider that is dragged ends at the matrix's first and last query; other ones show the nearest and keep the choice.
void describe_query(Declare<CompareFields>& declare, const Range& queries, bool shown) {
  Field& query =
      declare.number("compare.query", &CompareFields::query, whole_between(queries.low, queries.high), shown);
  query.initial = std::clamp(query.initial, queries.low, queries.high);
  query.nearest = true;
}

void describe_distance(Declare<CompareFields>& declare, bool shown) {
  declare.number("compare.span", &CompareFields::span, whole_between(16, 65'536, "unit.positions"), shown);
  declare.choice("compare.distance_axis", &CompareFields::distance_axis, shown);
  declare.choice("compare.score_axis", &CompareFields::score_axis, {AxisScale::linear, AxisScale::symlog}, shown);
  declare.toggle("compare.normalised", &CompareFields::normalised, shown);
  declare.toggle("compare.later_keys", &CompareFields::later_keys, shown);
  declare.number("compare.key_position", &CompareFields::key_position, whole_between(0, kMostComparePosition), shown);
}

void describe_matrix(Declare<CompareFields>& declare, const Range& queries, bool shown) {
  declare.number("compare.size", &CompareFields::size, whole_between(2, 512, "unit.positions"), shown);
  declare.number("compare.first_position", &CompareFields::first_position, whole_between(0, kMostComparePosition),
                 shown);
  describe_query(declare, queries, shown);
  declare.choice("compare.colours", &CompareFields::colours, shown);
}

void describe_phrase(Declare<CompareFields>& declare, bool shown) {
  declare.text("compare.sentence", &CompareFields::sentence, shown).max_bytes = kMaxSentenceBytes;
  declare.number("compare.phrase_at", &CompareFields::phrase_at, count_between(0, 63), shown);
  declare.number("compare.phrase_words", &CompareFields::phrase_words, count_between(1, 16), shown);
  declare.number("compare.move", &CompareFields::move, whole_between(0, 4096, "unit.positions"), shown);
}

}  // namespace

void describe(FieldList& list, CompareFields& fields, const Range& queries) {
  Declare declare(list, fields);
  const bool distance = fields.show == CompareShow::distance, matrix = fields.show == CompareShow::matrix,
             phrase = fields.show == CompareShow::phrase;
  declare.group("compare");
  declare.choice("compare.show", &CompareFields::show);
  declare.names("compare.encodings", &CompareFields::encodings, entry_names(all_encodings()), distance || phrase)
      .labels = "encoding";
  declare.choice("compare.encoding", &CompareFields::encoding, entry_names(all_encodings()), matrix || phrase).labels =
      "encoding";
  describe_distance(declare, distance);
  describe_matrix(declare, queries, matrix);
  describe_phrase(declare, phrase);
  declare.choice("compare.content", &CompareFields::content, !phrase);
  declare.number("compare.seed", &CompareFields::seed, kSeedRange, phrase || fields.content == ContentKind::random);
  declare.range("compare.distance_range", &CompareFields::distance_range);
  declare.range("compare.score_range", &CompareFields::score_range);
  declare.range("compare.query_range", &CompareFields::query_range);
  declare.range("compare.key_range", &CompareFields::key_range);
}

// --- Decay ---------------------------------------------------------------------------------------------------------

namespace {

/// What the picture of the arrows has of its own: the distance, and how it plays.
void describe_phasors(Declare<DecayFields>& declare, bool phasors) {
  declare.number("decay.distance", &DecayFields::distance, whole_between(0, kMostDecayDistance, "unit.positions"),
                 phasors);
  declare.number("decay.speed", &DecayFields::speed, logarithmic_between(0.1, 1000, "unit.positions_per_second"),
                 phasors);
  declare.toggle("decay.playing", &DecayFields::playing, false);
  declare.number("decay.glide", &DecayFields::glide, number_between(0, 1), false);
}

/// What the curves have of their own, and how their bound is drawn.
void describe_curves(Declare<DecayFields>& declare, const DecayFields& fields, bool curves) {
  const bool whole = fields.show == DecayShow::curves, envelope = curves && fields.show_envelope;
  declare.number("decay.span", &DecayFields::span, whole_between(16, 16'777'216, "unit.positions"), curves)
      .follows_length = true;
  declare.choice("decay.distance_axis", &DecayFields::distance_axis, curves);
  declare.choice("decay.similarity_axis", &DecayFields::similarity_axis, curves && (!whole || fields.show_similarity));
  declare.choice("decay.envelope", &DecayFields::envelope, envelope);
  declare.number("decay.envelope_window", &DecayFields::envelope_window, whole_between(1, 1'048'576, "unit.positions"),
                 envelope && fields.envelope == DecayEnvelope::window);
}

}  // namespace

void describe(FieldList& list, DecayFields& fields) {
  Declare declare(list, fields);
  declare.group("plot");
  declare.choice("decay.show", &DecayFields::show);
  // The differences stand below the similarity, without the bound.
  const bool curves = fields.show != DecayShow::phasors, whole = fields.show == DecayShow::curves;
  // The switches come first, as the controls after them depend on them.
  declare.toggle("decay.show_similarity", &DecayFields::show_similarity, whole);
  declare.toggle("decay.show_bound", &DecayFields::show_bound, whole);
  declare.toggle("decay.show_trend", &DecayFields::show_trend, curves);
  declare.toggle("decay.show_envelope", &DecayFields::show_envelope, curves);
  describe_phasors(declare, !curves);
  describe_curves(declare, fields, curves);
  const bool content = fields.show != DecayShow::differences;
  declare.choice("decay.content", &DecayFields::content, content);
  declare.number("decay.seed", &DecayFields::seed, kSeedRange, content && fields.content == ContentKind::random);
  declare.text("decay.marked_pairs", &DecayFields::marked_pairs, curves).max_bytes = kMaxSentenceBytes;
  declare.toggle("decay.show_plain", &DecayFields::show_plain, curves);
  declare.toggle("decay.with_amplitude", &DecayFields::with_amplitude, whole);
  declare.group("bound");
  declare.choice("decay.order", &DecayFields::order, !curves || (whole && fields.show_bound));
  declare.choice("decay.bound_axis", &DecayFields::bound_axis, whole && fields.show_bound);
  declare.range("decay.distance_range", &DecayFields::distance_range);
  declare.range("decay.similarity_range", &DecayFields::similarity_range);
  declare.range("decay.bound_range", &DecayFields::bound_range);
}

// --- Race ----------------------------------------------------------------------------------------------------------

namespace {

/// The extensions that a trained rotation can be given by a factor alone.
const std::vector<std::string>& extensions_beyond() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (const std::string_view method : beyond_methods({})) {
      if (method != "none") names.emplace_back(method);
    }
    return names;
  }();
  return all;
}

void describe_network(Declare<RaceFields>& declare) {
  declare.group("race_network");
  declare.number("race.layers", &RaceFields::layers, count_between(1, 4, 1));
  declare.number("race.width", &RaceFields::width, count_between(32, 256, 32));
  declare.number("race.heads", &RaceFields::heads, count_between(1, 8, 1));
  declare.number("race.length", &RaceFields::length, count_between(32, 512, 32));
  declare.number("race.batch", &RaceFields::batch, count_between(1, 64, 1));
  declare.number("race.steps", &RaceFields::steps, whole_between(10, 20'000));
  declare.number("race.learning_rate", &RaceFields::learning_rate, logarithmic_between(1e-5, 0.1));
  declare.number("race.seeds", &RaceFields::seeds, count_between(1, 5, 1));
}

void describe_task(Declare<RaceFields>& declare, const RaceFields& fields) {
  const bool text = fields.task == RaceTask::text;
  declare.choice("race.task", &RaceFields::task);
  declare.text("race.file", &RaceFields::file, text, ".txt .md");
  declare.choice("race.objective", &RaceFields::objective, text);
  declare.number("race.distance", &RaceFields::distance, whole_between(1, 511), fields.task == RaceTask::copy);
  // As make_task() has it.
  declare.number("race.modulus", &RaceFields::modulus, whole_between(2, 16), fields.task == RaceTask::count);
}

}  // namespace

void describe(FieldList& list, RaceFields& fields, const std::optional<std::string>& added) {
  Declare declare(list, fields);
  declare.group("race");
  static const std::vector<std::string> runners =
      entry_names(all_encodings(), [](const Encoding& one) { return one.training != Training::none; });
  declare.names("race.encodings", &RaceFields::encodings, runners).labels = "encoding";
  declare.choice("race.attention", &RaceFields::attention);
  declare.text("race.also", &RaceFields::also);
  declare.action(
      "race.add", [&fields, also = added.value_or("")] { fields.also = also; }, added.has_value());
  describe_task(declare, fields);
  declare.action("race.restart", [&fields] { ++fields.attempt; });
  describe_network(declare);
  declare.group("plot");
  declare.choice("race.show", &RaceFields::show);
  const bool losses = fields.show == RaceShow::losses;
  declare.names("race.extensions", &RaceFields::extensions, extensions_beyond(), !losses).labels = "rope.scaling";
  declare.choice("race.over", &RaceFields::over, losses);
  declare.number("race.smoothing", &RaceFields::smoothing, whole_between(1, 500), losses);
  declare.toggle("race.running", &RaceFields::running, false);
  declare.number("race.attempt", &RaceFields::attempt, count_between(0, 1e9), false);
  // Last of what a race begins with: another one has none of the steps that were asked for before.
  declare.number("race.single_steps", &RaceFields::single_steps, count_between(0, 1e9), false);
  declare.range("race.way_range", &RaceFields::way_range);
  declare.range("race.loss_range", &RaceFields::loss_range);
  declare.range("race.position_range", &RaceFields::position_range);
  declare.range("race.beyond_range", &RaceFields::beyond_range);
}

// --- Rotation ------------------------------------------------------------------------------------------------------

namespace {

void describe_vectors(Declare<RotationFields>& declare, const RotationFields& fields) {
  const bool law = fields.show == RotationShow::law, turn = fields.show == RotationShow::turn || law,
             forms = fields.show == RotationShow::forms, weights = fields.show == RotationShow::weights;
  constexpr NumberField kPart = number_between(-kMostRotationPart, kMostRotationPart);
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

/// A slider that is dragged ends where a pair stands; a rope with fewer pairs shows its last one and keeps the choice.
void describe_pair(Declare<RotationFields>& declare, double pairs, bool control) {
  const double last = std::max(pairs - 1, 1.0);
  Field& pair = declare.number("rotation.pair", &RotationFields::pair, count_between(0, last), control && pairs > 1);
  pair.initial = std::min(pair.initial, last);
  pair.nearest = true;
}

/// Laws by which q and k move with their places: whatever one tries instead of the rotation.
void describe_law(Declare<RotationFields>& declare, const RotationFields& fields, bool law) {
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
  declare.range("rotation.law_place_range", &RotationFields::law_place_range);
  declare.range("rotation.law_angle_range", &RotationFields::law_angle_range);
  declare.range("rotation.law_length_range", &RotationFields::law_length_range);
  declare.range("rotation.law_shift_range", &RotationFields::law_shift_range);
  declare.range("rotation.law_score_range", &RotationFields::law_score_range);
}

}  // namespace

void describe(FieldList& list, RotationFields& fields, double pairs) {
  Declare declare(list, fields);
  declare.group("rotation");
  declare.choice("rotation.show", &RotationFields::show);
  const bool turn = fields.show == RotationShow::turn, helix = fields.show == RotationShow::helix,
             forms = fields.show == RotationShow::forms, pairing = fields.show == RotationShow::pairing,
             law = fields.show == RotationShow::law;
  describe_law(declare, fields, law);
  describe_pair(declare, pairs, turn || helix || fields.show == RotationShow::weights);
  // Places, not counts: they have no unit.
  declare.number("rotation.query_position", &RotationFields::query_position, whole_between(0, kMostRotationPosition));
  declare.number("rotation.key_position", &RotationFields::key_position, whole_between(0, kMostRotationPosition));
  Field& key_base = declare.number("rotation.key_base", &RotationFields::key_base, logarithmic_between(0, 1e12), turn);
  key_base.zero = "unit.ropes";
  key_base.round = true;
  // After the positions: a list of --set arguments can then give both of them before it locks them together.
  declare.toggle("rotation.locked", &RotationFields::locked);
  declare.toggle("rotation.trail", &RotationFields::trail, turn || law);
  declare.number("rotation.speed", &RotationFields::speed, logarithmic_between(0.1, 1000, "unit.positions_per_second"));
  declare.toggle("rotation.playing", &RotationFields::playing, false);
  declare.number("rotation.glide", &RotationFields::glide, number_between(0, 1), false);
  const NumberField span = whole_between(0, kMostRotationPosition, "unit.positions");
  declare.number("rotation.span", &RotationFields::span, span, helix).zero = "unit.by_wavelength";
  declare.number("rotation.reach", &RotationFields::reach, whole_between(16, 4096, "unit.positions"), pairing);
  declare.number("rotation.form_dim", &RotationFields::form_dim, count_between(2, 8, 2), forms).unit = "unit.channels";
  declare.number("rotation.permute", &RotationFields::permute, number_between(0, 1), pairing);
  describe_vectors(declare, fields);
}

bool keep_distance(const RotationFields& before, RotationFields& edited) {
  const double query = edited.query_position - before.query_position, key = edited.key_position - before.key_position;
  if (!before.locked || !edited.locked || (query != 0) == (key != 0)) return true;
  const double low = std::min(before.query_position, before.key_position);
  const double high = std::max(before.query_position, before.key_position);
  const double shift = std::clamp(query + key, -low, kMostRotationPosition - high);
  edited.query_position = before.query_position + shift;
  edited.key_position = before.key_position + shift;
  return shift == query + key;
}

}  // namespace ropescope
