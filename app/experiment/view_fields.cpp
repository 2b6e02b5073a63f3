// The fields of the large views.
//
// Contents: Attention; Check; Compare; Decay; Race; Rotation.

#include <algorithm>
#include <numbers>

#include "app/experiment/experiment.h"
#include "app/experiment/fields.h"
#include "core/attention/attention.h"
#include "core/encodings/encoding.h"
#include "core/training/beyond.h"

namespace ropescope {

// --- Attention -----------------------------------------------------------------------------------------------------

namespace {

void describe_content(Fields& fields, AttentionKnobs& knobs, bool shown) {
  static const AttentionKnobs initial;
  const bool file = knobs.content == "file", words = knobs.content == "words";
  fields.choice({.key = "attention.content",
                 .options = {"aligned", "random", "words", "file"},
                 .initial = initial.content,
                 .control = shown},
                knobs.content);
  fields.text({.key = "attention.sentence", .initial = initial.sentence, .control = shown && words}, knobs.sentence);
  fields.text({.key = "attention.file", .control = shown && file, .endings = ".npz .npy .safetensors"}, knobs.file);
  const bool pictured = file && knobs.show == "energy", all_heads = knobs.energy_of == "heads";
  fields.choice({.key = "attention.energy_of",
                 .options = {"head", "heads", "layers", "directions"},
                 .initial = initial.energy_of,
                 .control = pictured},
                knobs.energy_of);
  fields.text({.key = "attention.against",
               .initial = initial.against,
               .control = pictured && knobs.energy_of != "head",
               .endings = ".npz .npy .safetensors"},
              knobs.against);
  NumberField layer = whole_field("attention.layer", 0, kMostAttentionLayer, initial.layer, shown && file);
  layer.logarithmic = false;
  fields.number(layer, knobs.layer);
  fields.number(whole_field("attention.head", 1, 1024, initial.head, shown && file && !(pictured && all_heads)),
                knobs.head);
  fields.number(whole_field("attention.page", 1, 64, initial.page, pictured && all_heads), knobs.page);
  fields.number(seed_field("attention.seed", initial.seed, shown && !file), knobs.seed);
  NumberField tokens = whole_field("attention.tokens", 2, kMostAttentionTokens, initial.tokens,
                                   knobs.show == "products" || (shown && !words));
  tokens.unit = "unit.tokens";
  fields.number(tokens, knobs.tokens);
}

/// A slider that is dragged ends at the last query; fewer tokens show their last one and keep the choice.
void describe_row(Fields& fields, AttentionKnobs& knobs, double tokens, bool shown) {
  const double last = std::max(tokens - 1, 1.0);
  double row = std::min(knobs.row, last);
  const double before = row;
  NumberField field = whole_field("attention.row", 0, last, std::min(AttentionKnobs().row, last), shown);
  field.logarithmic = false;
  fields.number(field, row);
  if (row != before) knobs.row = row;
}

/// Which encodings turn q and k: kin share a colour.
bool turns(const std::string& encoding) {
  return std::any_of(all_encodings().begin(), all_encodings().end(), [&](const Encoding& each) {
    return each.name == encoding && each.linear_attention && each.slot % 5 == 0;
  });
}

/// What becomes of attention where its tokens stand in another order.
void describe_order(Fields& fields, AttentionKnobs& knobs, bool shown) {
  static const AttentionKnobs initial;
  fields.text({.key = "attention.order", .initial = initial.order, .control = shown}, knobs.order);
  fields.number(seed_field("attention.shuffle_seed", initial.shuffle_seed, shown && knobs.order.empty()),
                knobs.shuffle_seed);
}

void describe_ranges(Fields& fields, AttentionKnobs& knobs) {
  fields.range({.key = "attention.key_range"}, knobs.key_range);
  fields.range({.key = "attention.query_range"}, knobs.query_range);
  fields.range({.key = "attention.weight_range"}, knobs.weight_range);
  fields.range({.key = "attention.sum_range"}, knobs.sum_range);
  fields.range({.key = "attention.distance_range"}, knobs.distance_range);
  fields.range({.key = "attention.shift_range"}, knobs.shift_range);
  fields.range({.key = "attention.length_range"}, knobs.length_range);
  fields.range({.key = "attention.pair_range"}, knobs.pair_range);
  fields.range({.key = "attention.shuffle_range"}, knobs.shuffle_range);
  fields.range({.key = "attention.layer_range"}, knobs.layer_range);
}

}  // namespace

void describe(Fields& fields, AttentionKnobs& knobs, double tokens) {
  static const AttentionKnobs initial;
  const bool weights = knobs.show == "weights", shift = knobs.show == "shift", shuffle = knobs.show == "shuffle",
             cost = knobs.show == "cost", products = knobs.show == "products", kernel = knobs.show == "kernel",
             energy = knobs.show == "energy";
  fields.group("attention");
  fields.choice({.key = "attention.show",
                 .options = {"weights", "shift", "shuffle", "cost", "products", "kernel", "energy"},
                 .initial = initial.show},
                knobs.show);
  fields.choice({.key = "attention.encoding",
                 .options = entry_names(all_encodings()),
                 .initial = initial.encoding,
                 .labels = "encoding"},
                knobs.encoding);
  fields.choice({.key = "attention.kind",
                 .options = {"softmax", "linear"},
                 .initial = initial.kind,
                 .control = weights || shift || shuffle},
                knobs.kind);
  const bool linear = cost || products || kernel || (knobs.kind == "linear" && !energy);
  fields.choice({.key = "attention.kernel",
                 .options = {"elu", "exp", "softmax", "performer"},
                 .initial = initial.kernel,
                 .control = linear},
                knobs.kernel);
  fields.number({.key = "attention.features",
                 .minimum = 1,
                 .maximum = kMostFeaturesPerChannel,
                 .initial = initial.features,
                 .logarithmic = true,
                 .whole = true,
                 .control = linear && knobs.kernel == "performer"},
                knobs.features);
  fields.toggle({.key = "attention.turn_vectors",
                 .initial = initial.turn_vectors,
                 .control = linear && !products && !kernel && turns(knobs.encoding)},
                knobs.turn_vectors);
  fields.toggle({.key = "attention.turn_denominator",
                 .initial = initial.turn_denominator,
                 .control = linear && !cost && !products && !kernel && !knobs.turn_vectors && turns(knobs.encoding)},
                knobs.turn_denominator);
  fields.toggle({.key = "attention.causal", .initial = initial.causal, .control = !products}, knobs.causal);
  describe_content(fields, knobs, !cost && !products);
  describe_row(fields, knobs, tokens, weights);
  NumberField moved = whole_field("attention.shift", 1, 65'536, initial.shift, shift);
  moved.unit = "unit.positions";
  fields.number(moved, knobs.shift);
  describe_order(fields, knobs, shuffle);
  NumberField longest = whole_field("attention.longest", 256, 8192, initial.longest, cost);
  longest.unit = "unit.tokens";
  fields.number(longest, knobs.longest);
  describe_ranges(fields, knobs);
}

// --- Check ---------------------------------------------------------------------------------------------------------

namespace {

constexpr std::string_view kTensorFiles = ".npy .npz .safetensors .csv";

std::string CheckKnobs::*member_of(CheckRole role) {
  switch (role) {
    case CheckRole::cosine:
      return &CheckKnobs::cosine;
    case CheckRole::sine:
      return &CheckKnobs::sine;
    case CheckRole::table:
      return &CheckKnobs::table;
    case CheckRole::before:
      return &CheckKnobs::before;
    case CheckRole::after:
      return &CheckKnobs::after;
    case CheckRole::ids:
      return &CheckKnobs::ids;
    case CheckRole::frequencies:
      return &CheckKnobs::frequencies;
    case CheckRole::against_cosine:
      return &CheckKnobs::against_cosine;
    case CheckRole::against_sine:
      break;
  }
  return &CheckKnobs::against_sine;
}

void describe_files(Fields& fields, CheckKnobs& knobs) {
  static const CheckKnobs initial;
  const bool dump = knobs.against == "dump";
  fields.group("check_files");
  fields.choice({.key = "check.offer",
                 .options = {"tables", "table", "vectors", "ids", "frequencies"},
                 .initial = initial.offer,
                 .control = !dump},
                knobs.offer);
  // Boxes of the kind of tensor that is offered, and wherever something stands in one; two dumps are cos and sin.
  const auto path = [&](std::string_view key, std::string_view kind, std::string& of) {
    const bool tables = kind == "tables";
    fields.text({.key = key, .control = dump ? tables : knobs.offer == kind || !of.empty(), .endings = kTensorFiles},
                of);
  };
  path("check.cos", "tables", knobs.cosine);
  path("check.sin", "tables", knobs.sine);
  path("check.table", "table", knobs.table);
  path("check.before", "vectors", knobs.before);
  path("check.after", "vectors", knobs.after);
  path("check.ids", "ids", knobs.ids);
  path("check.frequencies", "frequencies", knobs.frequencies);
  bool any = false;
  for (const CheckRole role : kCheckRoles) any = any || !path_of(knobs, role).empty();
  fields.action({.key = "check.clear", .control = any}, [&knobs] {
    for (const CheckRole role : kCheckRoles) path_of(knobs, role).clear();
    knobs.applied.clear();
  });
  fields.choice({.key = "check.part",
                 .options = {"all", "text", "image", "reference"},
                 .initial = initial.part,
                 .control = knobs.against == "layout"},
                knobs.part);
  fields.choice({.key = "check.pairing",
                 .options = {"model", "interleaved", "half"},
                 .initial = initial.pairing,
                 .control = !dump},
                knobs.pairing);
  fields.choice({.key = "check.head_order",
                 .options = {"automatic", "thd", "htd"},
                 .initial = initial.head_order,
                 .control = !dump && (knobs.offer == "vectors" || !knobs.before.empty())},
                knobs.head_order);
  fields.toggle({.key = "check.allow_sign", .initial = initial.allow_sign}, knobs.allow_sign);
}

}  // namespace

std::string& path_of(CheckKnobs& knobs, CheckRole role) {
  return knobs.*member_of(role);
}

const std::string& path_of(const CheckKnobs& knobs, CheckRole role) {
  return knobs.*member_of(role);
}

void describe(Fields& fields, CheckKnobs& knobs) {
  static const CheckKnobs initial;
  fields.group("check_reference");
  fields.choice({.key = "check.against", .options = {"layout", "rope", "dump"}, .initial = initial.against},
                knobs.against);
  const bool dump = knobs.against == "dump";
  fields.text({.key = "check.against_cos", .control = dump, .endings = kTensorFiles}, knobs.against_cosine);
  fields.text({.key = "check.against_sin", .control = dump, .endings = kTensorFiles}, knobs.against_sine);
  fields.text({.key = "check.positions", .control = knobs.against == "rope", .endings = kTensorFiles}, knobs.positions);
  describe_files(fields, knobs);
  fields.group("check_map");
  fields.choice({.key = "check.show", .options = {"difference", "mine", "reference"}, .initial = initial.show},
                knobs.show);
  fields.choice({.key = "check.measure", .options = {"tolerance", "difference"}, .initial = initial.measure},
                knobs.measure);
  fields.text({.key = "check.applied", .control = false}, knobs.applied);
  NumberField token{.key = "check.token", .maximum = kMostLayoutTokens, .whole = true, .control = false};
  fields.number(token, knobs.token);
  fields.number({.key = "check.pair", .maximum = 4096, .whole = true, .control = false}, knobs.pair);
  fields.range({.key = "check.token_range"}, knobs.token_range);
  fields.range({.key = "check.pair_range"}, knobs.pair_range);
  fields.range({.key = "check.error_range"}, knobs.error_range);
  fields.range({.key = "check.value_range"}, knobs.value_range);
  fields.range({.key = "check.row_range"}, knobs.row_range);
  fields.range({.key = "check.column_range"}, knobs.column_range);
}

// --- Compare -------------------------------------------------------------------------------------------------------

namespace {

NumberField compare_knobs_position_field(std::string_view key, double maximum, double initial, bool control) {
  return whole_field(key, 0, maximum, initial, control);
}

NumberField count_field(std::string_view key, double maximum, double initial, bool control) {
  NumberField field = compare_knobs_position_field(key, maximum, initial, control);
  field.unit = "unit.positions";
  return field;
}

/// A slider that is dragged ends at the matrix's first and last query; other ones show the nearest and keep the choice.
void describe_query(Fields& fields, CompareKnobs& knobs, const Range& queries, bool shown) {
  NumberField field = compare_knobs_position_field("compare.query", queries.high,
                                                   std::clamp(CompareKnobs().query, queries.low, queries.high), shown);
  field.minimum = queries.low;
  double query = std::clamp(knobs.query, queries.low, queries.high);
  const double before = query;
  fields.number(field, query);
  if (query != before) knobs.query = query;
}

void describe_distance(Fields& fields, CompareKnobs& knobs, bool shown) {
  static const CompareKnobs initial;
  NumberField span = count_field("compare.span", 65'536, initial.span, shown);
  span.minimum = 16;
  fields.number(span, knobs.span);
  fields.choice({.key = "compare.distance_axis",
                 .options = {"linear", "log", "symlog"},
                 .initial = initial.distance_axis,
                 .control = shown},
                knobs.distance_axis);
  fields.choice(
      {.key = "compare.score_axis", .options = {"linear", "symlog"}, .initial = initial.score_axis, .control = shown},
      knobs.score_axis);
  fields.toggle({.key = "compare.normalised", .initial = initial.normalised, .control = shown}, knobs.normalised);
  fields.toggle({.key = "compare.later_keys", .initial = initial.later_keys, .control = shown}, knobs.later_keys);
  fields.number(compare_knobs_position_field("compare.key_position", kMostComparePosition, initial.key_position, shown),
                knobs.key_position);
}

void describe_matrix(Fields& fields, CompareKnobs& knobs, const Range& queries, bool shown) {
  static const CompareKnobs initial;
  NumberField size = count_field("compare.size", 512, initial.size, shown);
  size.minimum = 2;
  fields.number(size, knobs.size);
  fields.number(
      compare_knobs_position_field("compare.first_position", kMostComparePosition, initial.first_position, shown),
      knobs.first_position);
  describe_query(fields, knobs, queries, shown);
  fields.choice(
      {.key = "compare.colours", .options = {"shared", "fitted"}, .initial = initial.colours, .control = shown},
      knobs.colours);
}

void describe_phrase(Fields& fields, CompareKnobs& knobs, bool shown) {
  static const CompareKnobs initial;
  fields.text({.key = "compare.sentence", .initial = initial.sentence, .control = shown}, knobs.sentence);
  fields.number({.key = "compare.phrase_at",
                 .minimum = 0,
                 .maximum = 63,
                 .initial = initial.phrase_at,
                 .whole = true,
                 .control = shown},
                knobs.phrase_at);
  fields.number({.key = "compare.phrase_words",
                 .minimum = 1,
                 .maximum = 16,
                 .initial = initial.phrase_words,
                 .whole = true,
                 .control = shown},
                knobs.phrase_words);
  fields.number(count_field("compare.move", 4096, initial.move, shown), knobs.move);
}

}  // namespace

void describe(Fields& fields, CompareKnobs& knobs, const Range& queries) {
  static const CompareKnobs initial;
  const bool distance = knobs.show == "distance", matrix = knobs.show == "matrix", phrase = knobs.show == "phrase";
  fields.group("compare");
  fields.choice({.key = "compare.show", .options = {"distance", "matrix", "phrase"}, .initial = initial.show},
                knobs.show);
  fields.names({.key = "compare.encodings",
                .options = entry_names(all_encodings()),
                .initial = initial.encodings,
                .control = distance || phrase,
                .labels = "encoding"},
               knobs.encodings);
  fields.choice({.key = "compare.encoding",
                 .options = entry_names(all_encodings()),
                 .initial = initial.encoding,
                 .control = matrix || phrase,
                 .labels = "encoding"},
                knobs.encoding);
  describe_distance(fields, knobs, distance);
  describe_matrix(fields, knobs, queries, matrix);
  describe_phrase(fields, knobs, phrase);
  fields.choice(
      {.key = "compare.content", .options = {"aligned", "random"}, .initial = initial.content, .control = !phrase},
      knobs.content);
  fields.number(seed_field("compare.seed", initial.seed, phrase || knobs.content == "random"), knobs.seed);
  fields.range({.key = "compare.distance_range"}, knobs.distance_range);
  fields.range({.key = "compare.score_range"}, knobs.score_range);
  fields.range({.key = "compare.query_range"}, knobs.query_range);
  fields.range({.key = "compare.key_range"}, knobs.key_range);
}

// --- Decay ---------------------------------------------------------------------------------------------------------

namespace {

std::vector<std::string> axis_scales() {
  return {"linear", "log", "symlog"};
}

/// What the picture of the arrows has of its own: the distance, and how it plays.
void describe_phasors(Fields& fields, DecayKnobs& knobs, bool phasors) {
  static const DecayKnobs initial;
  fields.number({.key = "decay.distance",
                 .minimum = 0,
                 .maximum = kMostDecayDistance,
                 .initial = initial.distance,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.positions",
                 .control = phasors},
                knobs.distance);
  fields.number({.key = "decay.speed",
                 .minimum = 0.1,
                 .maximum = 1000,
                 .initial = initial.speed,
                 .logarithmic = true,
                 .unit = "unit.positions_per_second",
                 .control = phasors},
                knobs.speed);
  fields.toggle({.key = "decay.playing", .initial = initial.playing, .control = false}, knobs.playing);
  fields.number({.key = "decay.glide", .minimum = 0, .maximum = 1, .initial = initial.glide, .control = false},
                knobs.glide);
}

/// What the curves have of their own, and how their bound is drawn.
void describe_curves(Fields& fields, DecayKnobs& knobs, bool curves) {
  static const DecayKnobs initial;
  const bool whole = knobs.show == "curves";
  fields.number({.key = "decay.span",
                 .minimum = 16,
                 .maximum = 16'777'216,
                 .initial = initial.span,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.positions",
                 .control = curves,
                 .follows_length = true},
                knobs.span);
  fields.choice(
      {.key = "decay.distance_axis", .options = axis_scales(), .initial = initial.distance_axis, .control = curves},
      knobs.distance_axis);
  fields.choice({.key = "decay.similarity_axis",
                 .options = axis_scales(),
                 .initial = initial.similarity_axis,
                 .control = curves && (!whole || knobs.show_similarity)},
                knobs.similarity_axis);
  fields.choice({.key = "decay.envelope",
                 .options = {"from-here", "window"},
                 .initial = initial.envelope,
                 .control = curves && knobs.show_envelope},
                knobs.envelope);
  fields.number({.key = "decay.envelope_window",
                 .minimum = 1,
                 .maximum = 1'048'576,
                 .initial = initial.envelope_window,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.positions",
                 .control = curves && knobs.show_envelope && knobs.envelope == "window"},
                knobs.envelope_window);
}

}  // namespace

void describe(Fields& fields, DecayKnobs& knobs) {
  static const DecayKnobs initial;
  fields.group("plot");
  fields.choice({.key = "decay.show", .options = {"curves", "phasors", "differences"}, .initial = initial.show},
                knobs.show);
  // The differences stand below the similarity, without the bound.
  const bool curves = knobs.show != "phasors", whole = knobs.show == "curves";
  // The switches come first, as the controls after them depend on them.
  fields.toggle({.key = "decay.show_similarity", .initial = initial.show_similarity, .control = whole},
                knobs.show_similarity);
  fields.toggle({.key = "decay.show_bound", .initial = initial.show_bound, .control = whole}, knobs.show_bound);
  fields.toggle({.key = "decay.show_trend", .initial = initial.show_trend, .control = curves}, knobs.show_trend);
  fields.toggle({.key = "decay.show_envelope", .initial = initial.show_envelope, .control = curves},
                knobs.show_envelope);
  describe_phasors(fields, knobs, !curves);
  describe_curves(fields, knobs, curves);
  const bool content = knobs.show != "differences";
  fields.choice(
      {.key = "decay.content", .options = {"aligned", "random"}, .initial = initial.content, .control = content},
      knobs.content);
  fields.number(seed_field("decay.seed", initial.seed, content && knobs.content == "random"), knobs.seed);
  fields.text({.key = "decay.marked_pairs", .initial = initial.marked_pairs, .control = curves}, knobs.marked_pairs);
  fields.toggle({.key = "decay.show_plain", .initial = initial.show_plain, .control = curves}, knobs.show_plain);
  fields.toggle({.key = "decay.with_amplitude", .initial = initial.with_amplitude, .control = whole},
                knobs.with_amplitude);
  fields.group("bound");
  fields.choice({.key = "decay.order",
                 .options = {"fast-first", "slow-first"},
                 .initial = initial.order,
                 .control = !curves || (whole && knobs.show_bound)},
                knobs.order);
  fields.choice({.key = "decay.bound_axis",
                 .options = axis_scales(),
                 .initial = initial.bound_axis,
                 .control = whole && knobs.show_bound},
                knobs.bound_axis);
  fields.range({.key = "decay.distance_range"}, knobs.distance_range);
  fields.range({.key = "decay.similarity_range"}, knobs.similarity_range);
  fields.range({.key = "decay.bound_range"}, knobs.bound_range);
}

// --- Race ----------------------------------------------------------------------------------------------------------

namespace {

/// Those that small models are trained with (core/training/parameters.h), as the registry orders them.
const std::vector<std::string> kRunners{"none",  "sinusoidal", "learned", "t5",       "rope",
                                        "alibi", "kerple",     "xpos",    "sandwich", "p-rope"};

/// That a trained rotation can be given by a factor alone.
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

void describe_network(Fields& fields, RaceKnobs& knobs) {
  static const RaceKnobs initial;
  fields.group("race_network");
  const auto count = [&fields](std::string_view key, double least, double most, double step, double first,
                               double& value) {
    fields.number({.key = key, .minimum = least, .maximum = most, .initial = first, .whole = true, .step = step},
                  value);
  };
  count("race.layers", 1, 4, 1, initial.layers, knobs.layers);
  count("race.width", 32, 256, 32, initial.width, knobs.width);
  count("race.heads", 1, 8, 1, initial.heads, knobs.heads);
  count("race.length", 32, 512, 32, initial.length, knobs.length);
  count("race.batch", 1, 64, 1, initial.batch, knobs.batch);
  fields.number(whole_field("race.steps", 10, 20'000, initial.steps), knobs.steps);
  fields.number({.key = "race.learning_rate",
                 .minimum = 1e-5,
                 .maximum = 0.1,
                 .initial = initial.learning_rate,
                 .logarithmic = true},
                knobs.learning_rate);
  count("race.seeds", 1, 5, 1, initial.seeds, knobs.seeds);
}

void describe_task(Fields& fields, RaceKnobs& knobs) {
  static const RaceKnobs initial;
  const bool text = knobs.task == "text";
  fields.choice({.key = "race.task",
                 .options = {"text", "copy", "nearest", "count", "phrase", "sorted"},
                 .initial = initial.task},
                knobs.task);
  fields.text({.key = "race.file", .control = text, .endings = ".txt .md"}, knobs.file);
  fields.choice({.key = "race.objective", .options = {"next", "masked"}, .initial = initial.objective, .control = text},
                knobs.objective);
  fields.number({.key = "race.distance",
                 .minimum = 1,
                 .maximum = 511,
                 .initial = initial.distance,
                 .logarithmic = true,
                 .whole = true,
                 .control = knobs.task == "copy"},
                knobs.distance);
  fields.number({.key = "race.modulus",
                 .minimum = 2,
                 .maximum = 16,  // as make_task() has it
                 .initial = initial.modulus,
                 .logarithmic = true,
                 .whole = true,
                 .control = knobs.task == "count"},
                knobs.modulus);
}

}  // namespace

void describe(Fields& fields, RaceKnobs& knobs, const std::optional<std::string>& added) {
  static const RaceKnobs initial;
  fields.group("race");
  fields.names({.key = "race.encodings", .options = kRunners, .initial = initial.encodings, .labels = "encoding"},
               knobs.encodings);
  fields.choice(
      {.key = "race.attention", .options = {"softmax", "linear", "both", "performer"}, .initial = initial.attention},
      knobs.attention);
  fields.text({.key = "race.also"}, knobs.also);
  fields.action({.key = "race.add", .control = added.has_value()}, [&knobs, &added] { knobs.also = *added; });
  describe_task(fields, knobs);
  fields.action({.key = "race.restart"}, [&knobs] { ++knobs.attempt; });
  describe_network(fields, knobs);
  fields.group("plot");
  fields.choice({.key = "race.show", .options = {"losses", "beyond"}, .initial = initial.show}, knobs.show);
  const bool losses = knobs.show == "losses";
  fields.names({.key = "race.extensions",
                .options = extensions_beyond(),
                .initial = initial.extensions,
                .control = !losses,
                .labels = "rope.scaling"},
               knobs.extensions);
  fields.choice({.key = "race.over", .options = {"steps", "seconds"}, .initial = initial.over, .control = losses},
                knobs.over);
  fields.number({.key = "race.smoothing",
                 .minimum = 1,
                 .maximum = 500,
                 .initial = initial.smoothing,
                 .logarithmic = true,
                 .whole = true,
                 .control = losses},
                knobs.smoothing);
  fields.toggle({.key = "race.running", .initial = initial.running, .control = false}, knobs.running);
  fields.number({.key = "race.attempt", .minimum = 0, .maximum = 1e9, .initial = 0, .whole = true, .control = false},
                knobs.attempt);
  // Last of what a race begins with: another one has none of the steps that were asked for before.
  fields.number(
      {.key = "race.single_steps", .minimum = 0, .maximum = 1e9, .initial = 0, .whole = true, .control = false},
      knobs.single_steps);
  fields.range({.key = "race.way_range"}, knobs.way_range);
  fields.range({.key = "race.loss_range"}, knobs.loss_range);
  fields.range({.key = "race.position_range"}, knobs.position_range);
  fields.range({.key = "race.beyond_range"}, knobs.beyond_range);
}

// --- Rotation ------------------------------------------------------------------------------------------------------

namespace {

/// A place, not a count: it has no unit.
NumberField rotation_knobs_position_field(std::string_view key, double initial) {
  return {.key = key,
          .minimum = 0,
          .maximum = kMostRotationPosition,
          .initial = initial,
          .logarithmic = true,
          .whole = true};
}

/// Components of the two vectors in the plane.
NumberField component_field(std::string_view key, double initial, bool control) {
  return {
      .key = key, .minimum = -kMostRotationPart, .maximum = kMostRotationPart, .initial = initial, .control = control};
}

void describe_vectors(Fields& fields, RotationKnobs& knobs) {
  static const RotationKnobs initial;
  const bool law = knobs.show == "law", turn = knobs.show == "turn" || law, forms = knobs.show == "forms",
             weights = knobs.show == "weights";
  if (!forms) fields.group("vectors");
  fields.number(component_field("rotation.qx", initial.qx, turn), knobs.qx);
  fields.number(component_field("rotation.qy", initial.qy, turn), knobs.qy);
  fields.number(component_field("rotation.kx", initial.kx, turn), knobs.kx);
  fields.number(component_field("rotation.ky", initial.ky, turn), knobs.ky);
  fields.number(component_field("rotation.x1", initial.x1, weights), knobs.x1);
  fields.number(component_field("rotation.x2", initial.x2, weights), knobs.x2);
  fields.number(component_field("rotation.w11", initial.w11, weights), knobs.w11);
  fields.number(component_field("rotation.w12", initial.w12, weights), knobs.w12);
  fields.number(component_field("rotation.w21", initial.w21, weights), knobs.w21);
  fields.number(component_field("rotation.w22", initial.w22, weights), knobs.w22);
  const bool others = !forms && !law && !weights;
  fields.choice(
      {.key = "rotation.content", .options = {"same", "random"}, .initial = initial.content, .control = others},
      knobs.content);
  fields.number(seed_field("rotation.seed", initial.seed, forms || (knobs.content == "random" && others)), knobs.seed);
}

/// A slider that is dragged ends where a pair stands; a rope with fewer pairs shows its last one and keeps the choice.
void describe_pair(Fields& fields, RotationKnobs& knobs, double pairs, bool control) {
  const double last = std::max(pairs - 1, 1.0);
  double shown = std::min(knobs.pair, last);
  const double before = shown;
  fields.number({.key = "rotation.pair",
                 .minimum = 0,
                 .maximum = last,
                 .initial = std::min(RotationKnobs().pair, last),
                 .whole = true,
                 .control = control && pairs > 1},
                shown);
  if (shown != before) knobs.pair = shown;
}

constexpr double kTurn = 2 * std::numbers::pi;

NumberField law_field(std::string_view key, double maximum, double initial, bool control) {
  return {.key = key, .minimum = 0, .maximum = maximum, .initial = initial, .control = control};
}

/// Laws by which q and k move with their places: whatever one tries instead of the rotation.
void describe_law(Fields& fields, RotationKnobs& knobs, bool law) {
  static const RotationKnobs initial;
  fields.choice({.key = "rotation.angle_law",
                 .options = {"linear", "quadratic", "root", "offset", "offsets", "other-key"},
                 .initial = initial.angle_law,
                 .control = law},
                knobs.angle_law);
  fields.choice({.key = "rotation.length_law",
                 .options = {"constant", "growing", "reciprocal", "exponential"},
                 .initial = initial.length_law,
                 .control = law},
                knobs.length_law);
  const bool offsets = knobs.angle_law == "offsets", offset = offsets || knobs.angle_law == "offset";
  fields.number(law_field("rotation.law_theta", kTurn, initial.law_theta, law), knobs.law_theta);
  fields.number(
      law_field("rotation.law_theta_key", kTurn, initial.law_theta_key, law && knobs.angle_law == "other-key"),
      knobs.law_theta_key);
  fields.number(law_field("rotation.law_gamma", kTurn, initial.law_gamma, law && offset), knobs.law_gamma);
  fields.number(law_field("rotation.law_gamma_key", kTurn, initial.law_gamma_key, law && offsets), knobs.law_gamma_key);
  fields.number(law_field("rotation.law_rate", 0.2, initial.law_rate, law && knobs.length_law == "exponential"),
                knobs.law_rate);
  NumberField span = whole_field("rotation.law_span", 4, 256, initial.law_span, law);
  span.unit = "unit.positions";
  fields.number(span, knobs.law_span);
  fields.toggle({.key = "rotation.law_table", .initial = initial.law_table, .control = law}, knobs.law_table);
  fields.range({.key = "rotation.law_place_range"}, knobs.law_place_range);
  fields.range({.key = "rotation.law_angle_range"}, knobs.law_angle_range);
  fields.range({.key = "rotation.law_shift_range"}, knobs.law_shift_range);
  fields.range({.key = "rotation.law_score_range"}, knobs.law_score_range);
}

}  // namespace

void describe(Fields& fields, RotationKnobs& knobs, double pairs) {
  static const RotationKnobs initial;
  fields.group("rotation");
  fields.choice({.key = "rotation.show",
                 .options = {"turn", "helix", "weights", "forms", "pairing", "law"},
                 .initial = initial.show},
                knobs.show);
  const bool turn = knobs.show == "turn", helix = knobs.show == "helix", forms = knobs.show == "forms",
             pairing = knobs.show == "pairing", law = knobs.show == "law";
  describe_law(fields, knobs, law);
  describe_pair(fields, knobs, pairs, turn || helix || knobs.show == "weights");
  fields.number(rotation_knobs_position_field("rotation.query_position", initial.query_position), knobs.query_position);
  fields.number(rotation_knobs_position_field("rotation.key_position", initial.key_position), knobs.key_position);
  fields.number({.key = "rotation.key_base",
                 .minimum = 0,
                 .maximum = 1e12,
                 .initial = initial.key_base,
                 .logarithmic = true,
                 .zero = "unit.ropes",
                 .control = turn},
                knobs.key_base);
  // After the positions: a list of --set arguments can then give both of them before it locks them together.
  fields.toggle({.key = "rotation.locked", .initial = initial.locked}, knobs.locked);
  fields.toggle({.key = "rotation.trail", .initial = initial.trail, .control = turn || law}, knobs.trail);
  fields.number({.key = "rotation.speed",
                 .minimum = 0.1,
                 .maximum = 1000,
                 .initial = initial.speed,
                 .logarithmic = true,
                 .unit = "unit.positions_per_second"},
                knobs.speed);
  fields.toggle({.key = "rotation.playing", .initial = initial.playing, .control = false}, knobs.playing);
  fields.number({.key = "rotation.glide", .minimum = 0, .maximum = 1, .initial = initial.glide, .control = false},
                knobs.glide);
  fields.number({.key = "rotation.span",
                 .minimum = 0,
                 .maximum = kMostRotationPosition,
                 .initial = initial.span,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.positions",
                 .zero = "unit.by_wavelength",
                 .control = helix},
                knobs.span);
  fields.number({.key = "rotation.reach",
                 .minimum = 16,
                 .maximum = 4096,
                 .initial = initial.reach,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.positions",
                 .control = pairing},
                knobs.reach);
  fields.number({.key = "rotation.form_dim",
                 .minimum = 2,
                 .maximum = 8,
                 .initial = initial.form_dim,
                 .whole = true,
                 .step = 2,
                 .unit = "unit.channels",
                 .control = forms},
                knobs.form_dim);
  fields.number({.key = "rotation.permute", .minimum = 0, .maximum = 1, .initial = initial.permute, .control = pairing},
                knobs.permute);
  describe_vectors(fields, knobs);
}

bool keep_distance(const RotationKnobs& before, RotationKnobs& edited) {
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
