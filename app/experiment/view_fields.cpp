// Describes the fields of the large views (experiment.h), each once, for all visitors: controls, JSON, --set, reset.
//
// Contents: Attention; Check; Compare; Decay; Race; Rotation.

#include <algorithm>

#include "app/experiment/experiment.h"
#include "app/experiment/fields.h"
#include "core/attention/attention.h"
#include "core/encodings/encoding.h"
#include "core/training/beyond.h"

namespace ropescope {

// --- Attention -----------------------------------------------------------------------------------------------------

namespace {

void describe_content(FieldVisitor& visit, AttentionFields& fields, bool shown) {
  static const AttentionFields initial;
  const bool file = fields.content == "file", words = fields.content == "words";
  visit.choice({.key = "attention.content",
                .options = {"aligned", "random", "words", "file"},
                .initial = initial.content,
                .control = shown},
               fields.content);
  visit.text({.key = "attention.sentence", .initial = initial.sentence, .control = shown && words}, fields.sentence);
  visit.text({.key = "attention.file", .control = shown && file, .endings = ".npz .npy .safetensors"}, fields.file);
  const bool pictured = file && fields.show == "energy", all_heads = fields.energy_of == "heads";
  visit.choice({.key = "attention.energy_of",
                .options = {"head", "heads", "layers", "directions"},
                .initial = initial.energy_of,
                .control = pictured},
               fields.energy_of);
  visit.text({.key = "attention.against",
              .initial = initial.against,
              .control = pictured && fields.energy_of != "head",
              .endings = ".npz .npy .safetensors"},
             fields.against);
  NumberField layer = whole_field("attention.layer", 0, kMostAttentionLayer, initial.layer, shown && file);
  layer.logarithmic = false;
  visit.number(layer, fields.layer);
  visit.number(whole_field("attention.head", 1, 1024, initial.head, shown && file && !(pictured && all_heads)),
               fields.head);
  visit.number(whole_field("attention.page", 1, 64, initial.page, pictured && all_heads), fields.page);
  visit.number(seed_field("attention.seed", initial.seed, shown && !file), fields.seed);
  NumberField tokens = whole_field("attention.tokens", 2, kMostAttentionTokens, initial.tokens,
                                   fields.show == "products" || (shown && !words));
  tokens.unit = "unit.tokens";
  visit.number(tokens, fields.tokens);
}

/// A slider that is dragged ends at the last query; fewer tokens show their last one and keep the choice.
void describe_row(FieldVisitor& visit, AttentionFields& fields, double tokens, bool shown) {
  const double last = std::max(tokens - 1, 1.0);
  double row = std::min(fields.row, last);
  const double before = row;
  NumberField field = whole_field("attention.row", 0, last, std::min(AttentionFields().row, last), shown);
  field.logarithmic = false;
  visit.number(field, row);
  if (row != before) fields.row = row;
}

/// Which encodings turn q and k: kin share a colour.
bool turns(const std::string& encoding) {
  return std::any_of(all_encodings().begin(), all_encodings().end(), [&](const Encoding& each) {
    return each.name == encoding && each.linear_attention && each.slot % 5 == 0;
  });
}

/// What becomes of attention where its tokens stand in another order.
void describe_order(FieldVisitor& visit, AttentionFields& fields, bool shown) {
  static const AttentionFields initial;
  visit.text({.key = "attention.order", .initial = initial.order, .control = shown}, fields.order);
  visit.number(seed_field("attention.shuffle_seed", initial.shuffle_seed, shown && fields.order.empty()),
               fields.shuffle_seed);
}

void describe_ranges(FieldVisitor& visit, AttentionFields& fields) {
  visit.range({.key = "attention.key_range"}, fields.key_range);
  visit.range({.key = "attention.query_range"}, fields.query_range);
  visit.range({.key = "attention.weight_range"}, fields.weight_range);
  visit.range({.key = "attention.sum_range"}, fields.sum_range);
  visit.range({.key = "attention.distance_range"}, fields.distance_range);
  visit.range({.key = "attention.shift_range"}, fields.shift_range);
  visit.range({.key = "attention.length_range"}, fields.length_range);
  visit.range({.key = "attention.pair_range"}, fields.pair_range);
  visit.range({.key = "attention.shuffle_range"}, fields.shuffle_range);
  visit.range({.key = "attention.layer_range"}, fields.layer_range);
}

}  // namespace

void describe(FieldVisitor& visit, AttentionFields& fields, double tokens) {
  static const AttentionFields initial;
  const bool weights = fields.show == "weights", shift = fields.show == "shift", shuffle = fields.show == "shuffle",
             cost = fields.show == "cost", products = fields.show == "products", kernel = fields.show == "kernel",
             energy = fields.show == "energy";
  visit.group("attention");
  visit.choice({.key = "attention.show",
                .options = {"weights", "shift", "shuffle", "cost", "products", "kernel", "energy"},
                .initial = initial.show},
               fields.show);
  visit.choice({.key = "attention.encoding",
                .options = entry_names(all_encodings()),
                .initial = initial.encoding,
                .labels = "encoding"},
               fields.encoding);
  visit.choice({.key = "attention.kind",
                .options = {"softmax", "linear"},
                .initial = initial.kind,
                .control = weights || shift || shuffle},
               fields.kind);
  const bool linear = cost || products || kernel || (fields.kind == "linear" && !energy);
  visit.choice({.key = "attention.kernel",
                .options = {"elu", "exp", "softmax", "performer"},
                .initial = initial.kernel,
                .control = linear},
               fields.kernel);
  visit.number({.key = "attention.features",
                .minimum = 1,
                .maximum = kMostFeaturesPerChannel,
                .initial = initial.features,
                .logarithmic = true,
                .whole = true,
                .control = linear && fields.kernel == "performer"},
               fields.features);
  visit.toggle({.key = "attention.turn_vectors",
                .initial = initial.turn_vectors,
                .control = linear && !products && !kernel && turns(fields.encoding)},
               fields.turn_vectors);
  visit.toggle({.key = "attention.turn_denominator",
                .initial = initial.turn_denominator,
                .control = linear && !cost && !products && !kernel && !fields.turn_vectors && turns(fields.encoding)},
               fields.turn_denominator);
  visit.toggle({.key = "attention.causal", .initial = initial.causal, .control = !products}, fields.causal);
  describe_content(visit, fields, !cost && !products);
  describe_row(visit, fields, tokens, weights);
  NumberField moved = whole_field("attention.shift", 1, 65'536, initial.shift, shift);
  moved.unit = "unit.positions";
  visit.number(moved, fields.shift);
  describe_order(visit, fields, shuffle);
  NumberField longest = whole_field("attention.longest", 256, 8192, initial.longest, cost);
  longest.unit = "unit.tokens";
  visit.number(longest, fields.longest);
  describe_ranges(visit, fields);
}

// --- Check ---------------------------------------------------------------------------------------------------------

namespace {

constexpr std::string_view kTensorFiles = ".npy .npz .safetensors .csv";

std::string CheckFields::*member_of(CheckRole role) {
  switch (role) {
    case CheckRole::cosine:
      return &CheckFields::cosine;
    case CheckRole::sine:
      return &CheckFields::sine;
    case CheckRole::table:
      return &CheckFields::table;
    case CheckRole::before:
      return &CheckFields::before;
    case CheckRole::after:
      return &CheckFields::after;
    case CheckRole::ids:
      return &CheckFields::ids;
    case CheckRole::frequencies:
      return &CheckFields::frequencies;
    case CheckRole::against_cosine:
      return &CheckFields::against_cosine;
    case CheckRole::against_sine:
      break;
  }
  return &CheckFields::against_sine;
}

void describe_files(FieldVisitor& visit, CheckFields& fields) {
  static const CheckFields initial;
  const bool dump = fields.against == "dump";
  visit.group("check_files");
  visit.choice({.key = "check.offer",
                .options = {"tables", "table", "vectors", "ids", "frequencies"},
                .initial = initial.offer,
                .control = !dump},
               fields.offer);
  // Boxes of the kind of tensor that is offered, and wherever something stands in one; two dumps are cos and sin.
  const auto path = [&](std::string_view key, std::string_view kind, std::string& of) {
    const bool tables = kind == "tables";
    visit.text({.key = key, .control = dump ? tables : fields.offer == kind || !of.empty(), .endings = kTensorFiles},
               of);
  };
  path("check.cos", "tables", fields.cosine);
  path("check.sin", "tables", fields.sine);
  path("check.table", "table", fields.table);
  path("check.before", "vectors", fields.before);
  path("check.after", "vectors", fields.after);
  path("check.ids", "ids", fields.ids);
  path("check.frequencies", "frequencies", fields.frequencies);
  bool any = false;
  for (const CheckRole role : kCheckRoles) any = any || !path_of(fields, role).empty();
  visit.action({.key = "check.clear", .control = any}, [&fields] {
    for (const CheckRole role : kCheckRoles) path_of(fields, role).clear();
    fields.applied.clear();
  });
  visit.choice({.key = "check.part",
                .options = {"all", "text", "image", "reference"},
                .initial = initial.part,
                .control = fields.against == "layout"},
               fields.part);
  visit.choice({.key = "check.pairing",
                .options = {"model", "interleaved", "half"},
                .initial = initial.pairing,
                .control = !dump},
               fields.pairing);
  visit.choice({.key = "check.head_order",
                .options = {"automatic", "thd", "htd"},
                .initial = initial.head_order,
                .control = !dump && (fields.offer == "vectors" || !fields.before.empty())},
               fields.head_order);
  visit.toggle({.key = "check.allow_sign", .initial = initial.allow_sign}, fields.allow_sign);
}

}  // namespace

std::string& path_of(CheckFields& fields, CheckRole role) {
  return fields.*member_of(role);
}

const std::string& path_of(const CheckFields& fields, CheckRole role) {
  return fields.*member_of(role);
}

void describe(FieldVisitor& visit, CheckFields& fields) {
  static const CheckFields initial;
  visit.group("check_reference");
  visit.choice({.key = "check.against", .options = {"layout", "rope", "dump"}, .initial = initial.against},
               fields.against);
  const bool dump = fields.against == "dump";
  visit.text({.key = "check.against_cos", .control = dump, .endings = kTensorFiles}, fields.against_cosine);
  visit.text({.key = "check.against_sin", .control = dump, .endings = kTensorFiles}, fields.against_sine);
  visit.text({.key = "check.positions", .control = fields.against == "rope", .endings = kTensorFiles},
             fields.positions);
  describe_files(visit, fields);
  visit.group("check_map");
  visit.choice({.key = "check.show", .options = {"difference", "mine", "reference"}, .initial = initial.show},
               fields.show);
  visit.choice({.key = "check.measure", .options = {"tolerance", "difference"}, .initial = initial.measure},
               fields.measure);
  visit.text({.key = "check.applied", .control = false}, fields.applied);
  NumberField token{.key = "check.token", .maximum = kMostLayoutTokens, .whole = true, .control = false};
  visit.number(token, fields.token);
  visit.number({.key = "check.pair", .maximum = 4096, .whole = true, .control = false}, fields.pair);
  visit.range({.key = "check.token_range"}, fields.token_range);
  visit.range({.key = "check.pair_range"}, fields.pair_range);
  visit.range({.key = "check.error_range"}, fields.error_range);
  visit.range({.key = "check.value_range"}, fields.value_range);
  visit.range({.key = "check.row_range"}, fields.row_range);
  visit.range({.key = "check.column_range"}, fields.column_range);
}

// --- Compare -------------------------------------------------------------------------------------------------------

namespace {

NumberField compare_fields_position_field(std::string_view key, double maximum, double initial, bool control) {
  return whole_field(key, 0, maximum, initial, control);
}

NumberField count_field(std::string_view key, double maximum, double initial, bool control) {
  NumberField field = compare_fields_position_field(key, maximum, initial, control);
  field.unit = "unit.positions";
  return field;
}

/// A slider that is dragged ends at the matrix's first and last query; other ones show the nearest and keep the choice.
void describe_query(FieldVisitor& visit, CompareFields& fields, const Range& queries, bool shown) {
  NumberField field = compare_fields_position_field(
      "compare.query", queries.high, std::clamp(CompareFields().query, queries.low, queries.high), shown);
  field.minimum = queries.low;
  double query = std::clamp(fields.query, queries.low, queries.high);
  const double before = query;
  visit.number(field, query);
  if (query != before) fields.query = query;
}

void describe_distance(FieldVisitor& visit, CompareFields& fields, bool shown) {
  static const CompareFields initial;
  NumberField span = count_field("compare.span", 65'536, initial.span, shown);
  span.minimum = 16;
  visit.number(span, fields.span);
  visit.choice({.key = "compare.distance_axis",
                .options = {"linear", "log", "symlog"},
                .initial = initial.distance_axis,
                .control = shown},
               fields.distance_axis);
  visit.choice(
      {.key = "compare.score_axis", .options = {"linear", "symlog"}, .initial = initial.score_axis, .control = shown},
      fields.score_axis);
  visit.toggle({.key = "compare.normalised", .initial = initial.normalised, .control = shown}, fields.normalised);
  visit.toggle({.key = "compare.later_keys", .initial = initial.later_keys, .control = shown}, fields.later_keys);
  visit.number(compare_fields_position_field("compare.key_position", kMostComparePosition, initial.key_position, shown),
               fields.key_position);
}

void describe_matrix(FieldVisitor& visit, CompareFields& fields, const Range& queries, bool shown) {
  static const CompareFields initial;
  NumberField size = count_field("compare.size", 512, initial.size, shown);
  size.minimum = 2;
  visit.number(size, fields.size);
  visit.number(
      compare_fields_position_field("compare.first_position", kMostComparePosition, initial.first_position, shown),
      fields.first_position);
  describe_query(visit, fields, queries, shown);
  visit.choice(
      {.key = "compare.colours", .options = {"shared", "fitted"}, .initial = initial.colours, .control = shown},
      fields.colours);
}

void describe_phrase(FieldVisitor& visit, CompareFields& fields, bool shown) {
  static const CompareFields initial;
  visit.text({.key = "compare.sentence", .initial = initial.sentence, .control = shown}, fields.sentence);
  visit.number({.key = "compare.phrase_at",
                .minimum = 0,
                .maximum = 63,
                .initial = initial.phrase_at,
                .whole = true,
                .control = shown},
               fields.phrase_at);
  visit.number({.key = "compare.phrase_words",
                .minimum = 1,
                .maximum = 16,
                .initial = initial.phrase_words,
                .whole = true,
                .control = shown},
               fields.phrase_words);
  visit.number(count_field("compare.move", 4096, initial.move, shown), fields.move);
}

}  // namespace

void describe(FieldVisitor& visit, CompareFields& fields, const Range& queries) {
  static const CompareFields initial;
  const bool distance = fields.show == "distance", matrix = fields.show == "matrix", phrase = fields.show == "phrase";
  visit.group("compare");
  visit.choice({.key = "compare.show", .options = {"distance", "matrix", "phrase"}, .initial = initial.show},
               fields.show);
  visit.names({.key = "compare.encodings",
               .options = entry_names(all_encodings()),
               .initial = initial.encodings,
               .control = distance || phrase,
               .labels = "encoding"},
              fields.encodings);
  visit.choice({.key = "compare.encoding",
                .options = entry_names(all_encodings()),
                .initial = initial.encoding,
                .control = matrix || phrase,
                .labels = "encoding"},
               fields.encoding);
  describe_distance(visit, fields, distance);
  describe_matrix(visit, fields, queries, matrix);
  describe_phrase(visit, fields, phrase);
  visit.choice(
      {.key = "compare.content", .options = {"aligned", "random"}, .initial = initial.content, .control = !phrase},
      fields.content);
  visit.number(seed_field("compare.seed", initial.seed, phrase || fields.content == "random"), fields.seed);
  visit.range({.key = "compare.distance_range"}, fields.distance_range);
  visit.range({.key = "compare.score_range"}, fields.score_range);
  visit.range({.key = "compare.query_range"}, fields.query_range);
  visit.range({.key = "compare.key_range"}, fields.key_range);
}

// --- Decay ---------------------------------------------------------------------------------------------------------

namespace {

std::vector<std::string> axis_scales() {
  return {"linear", "log", "symlog"};
}

/// What the picture of the arrows has of its own: the distance, and how it plays.
void describe_phasors(FieldVisitor& visit, DecayFields& fields, bool phasors) {
  static const DecayFields initial;
  visit.number({.key = "decay.distance",
                .minimum = 0,
                .maximum = kMostDecayDistance,
                .initial = initial.distance,
                .logarithmic = true,
                .whole = true,
                .unit = "unit.positions",
                .control = phasors},
               fields.distance);
  visit.number({.key = "decay.speed",
                .minimum = 0.1,
                .maximum = 1000,
                .initial = initial.speed,
                .logarithmic = true,
                .unit = "unit.positions_per_second",
                .control = phasors},
               fields.speed);
  visit.toggle({.key = "decay.playing", .initial = initial.playing, .control = false}, fields.playing);
  visit.number({.key = "decay.glide", .minimum = 0, .maximum = 1, .initial = initial.glide, .control = false},
               fields.glide);
}

/// What the curves have of their own, and how their bound is drawn.
void describe_curves(FieldVisitor& visit, DecayFields& fields, bool curves) {
  static const DecayFields initial;
  const bool whole = fields.show == "curves";
  visit.number({.key = "decay.span",
                .minimum = 16,
                .maximum = 16'777'216,
                .initial = initial.span,
                .logarithmic = true,
                .whole = true,
                .unit = "unit.positions",
                .control = curves,
                .follows_length = true},
               fields.span);
  visit.choice(
      {.key = "decay.distance_axis", .options = axis_scales(), .initial = initial.distance_axis, .control = curves},
      fields.distance_axis);
  visit.choice({.key = "decay.similarity_axis",
                .options = axis_scales(),
                .initial = initial.similarity_axis,
                .control = curves && (!whole || fields.show_similarity)},
               fields.similarity_axis);
  visit.choice({.key = "decay.envelope",
                .options = {"from-here", "window"},
                .initial = initial.envelope,
                .control = curves && fields.show_envelope},
               fields.envelope);
  visit.number({.key = "decay.envelope_window",
                .minimum = 1,
                .maximum = 1'048'576,
                .initial = initial.envelope_window,
                .logarithmic = true,
                .whole = true,
                .unit = "unit.positions",
                .control = curves && fields.show_envelope && fields.envelope == "window"},
               fields.envelope_window);
}

}  // namespace

void describe(FieldVisitor& visit, DecayFields& fields) {
  static const DecayFields initial;
  visit.group("plot");
  visit.choice({.key = "decay.show", .options = {"curves", "phasors", "differences"}, .initial = initial.show},
               fields.show);
  // The differences stand below the similarity, without the bound.
  const bool curves = fields.show != "phasors", whole = fields.show == "curves";
  // The switches come first, as the controls after them depend on them.
  visit.toggle({.key = "decay.show_similarity", .initial = initial.show_similarity, .control = whole},
               fields.show_similarity);
  visit.toggle({.key = "decay.show_bound", .initial = initial.show_bound, .control = whole}, fields.show_bound);
  visit.toggle({.key = "decay.show_trend", .initial = initial.show_trend, .control = curves}, fields.show_trend);
  visit.toggle({.key = "decay.show_envelope", .initial = initial.show_envelope, .control = curves},
               fields.show_envelope);
  describe_phasors(visit, fields, !curves);
  describe_curves(visit, fields, curves);
  const bool content = fields.show != "differences";
  visit.choice(
      {.key = "decay.content", .options = {"aligned", "random"}, .initial = initial.content, .control = content},
      fields.content);
  visit.number(seed_field("decay.seed", initial.seed, content && fields.content == "random"), fields.seed);
  visit.text({.key = "decay.marked_pairs", .initial = initial.marked_pairs, .control = curves}, fields.marked_pairs);
  visit.toggle({.key = "decay.show_plain", .initial = initial.show_plain, .control = curves}, fields.show_plain);
  visit.toggle({.key = "decay.with_amplitude", .initial = initial.with_amplitude, .control = whole},
               fields.with_amplitude);
  visit.group("bound");
  visit.choice({.key = "decay.order",
                .options = {"fast-first", "slow-first"},
                .initial = initial.order,
                .control = !curves || (whole && fields.show_bound)},
               fields.order);
  visit.choice({.key = "decay.bound_axis",
                .options = axis_scales(),
                .initial = initial.bound_axis,
                .control = whole && fields.show_bound},
               fields.bound_axis);
  visit.range({.key = "decay.distance_range"}, fields.distance_range);
  visit.range({.key = "decay.similarity_range"}, fields.similarity_range);
  visit.range({.key = "decay.bound_range"}, fields.bound_range);
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

void describe_network(FieldVisitor& visit, RaceFields& fields) {
  static const RaceFields initial;
  visit.group("race_network");
  const auto count = [&visit](std::string_view key, double least, double most, double step, double first,
                              double& value) {
    visit.number({.key = key, .minimum = least, .maximum = most, .initial = first, .whole = true, .step = step}, value);
  };
  count("race.layers", 1, 4, 1, initial.layers, fields.layers);
  count("race.width", 32, 256, 32, initial.width, fields.width);
  count("race.heads", 1, 8, 1, initial.heads, fields.heads);
  count("race.length", 32, 512, 32, initial.length, fields.length);
  count("race.batch", 1, 64, 1, initial.batch, fields.batch);
  visit.number(whole_field("race.steps", 10, 20'000, initial.steps), fields.steps);
  visit.number({.key = "race.learning_rate",
                .minimum = 1e-5,
                .maximum = 0.1,
                .initial = initial.learning_rate,
                .logarithmic = true},
               fields.learning_rate);
  count("race.seeds", 1, 5, 1, initial.seeds, fields.seeds);
}

void describe_task(FieldVisitor& visit, RaceFields& fields) {
  static const RaceFields initial;
  const bool text = fields.task == "text";
  visit.choice({.key = "race.task",
                .options = {"text", "copy", "nearest", "count", "phrase", "sorted"},
                .initial = initial.task},
               fields.task);
  visit.text({.key = "race.file", .control = text, .endings = ".txt .md"}, fields.file);
  visit.choice({.key = "race.objective", .options = {"next", "masked"}, .initial = initial.objective, .control = text},
               fields.objective);
  visit.number({.key = "race.distance",
                .minimum = 1,
                .maximum = 511,
                .initial = initial.distance,
                .logarithmic = true,
                .whole = true,
                .control = fields.task == "copy"},
               fields.distance);
  visit.number({.key = "race.modulus",
                .minimum = 2,
                .maximum = 16,  // as make_task() has it
                .initial = initial.modulus,
                .logarithmic = true,
                .whole = true,
                .control = fields.task == "count"},
               fields.modulus);
}

}  // namespace

void describe(FieldVisitor& visit, RaceFields& fields, const std::optional<std::string>& added) {
  static const RaceFields initial;
  visit.group("race");
  static const std::vector<std::string> runners =
      entry_names(all_encodings(), [](const Encoding& one) { return one.training != Training::none; });
  visit.names({.key = "race.encodings", .options = runners, .initial = initial.encodings, .labels = "encoding"},
              fields.encodings);
  visit.choice(
      {.key = "race.attention", .options = {"softmax", "linear", "both", "performer"}, .initial = initial.attention},
      fields.attention);
  visit.text({.key = "race.also"}, fields.also);
  visit.action({.key = "race.add", .control = added.has_value()}, [&fields, &added] { fields.also = *added; });
  describe_task(visit, fields);
  visit.action({.key = "race.restart"}, [&fields] { ++fields.attempt; });
  describe_network(visit, fields);
  visit.group("plot");
  visit.choice({.key = "race.show", .options = {"losses", "beyond"}, .initial = initial.show}, fields.show);
  const bool losses = fields.show == "losses";
  visit.names({.key = "race.extensions",
               .options = extensions_beyond(),
               .initial = initial.extensions,
               .control = !losses,
               .labels = "rope.scaling"},
              fields.extensions);
  visit.choice({.key = "race.over", .options = {"steps", "seconds"}, .initial = initial.over, .control = losses},
               fields.over);
  visit.number({.key = "race.smoothing",
                .minimum = 1,
                .maximum = 500,
                .initial = initial.smoothing,
                .logarithmic = true,
                .whole = true,
                .control = losses},
               fields.smoothing);
  visit.toggle({.key = "race.running", .initial = initial.running, .control = false}, fields.running);
  visit.number({.key = "race.attempt", .minimum = 0, .maximum = 1e9, .initial = 0, .whole = true, .control = false},
               fields.attempt);
  // Last of what a race begins with: another one has none of the steps that were asked for before.
  visit.number(
      {.key = "race.single_steps", .minimum = 0, .maximum = 1e9, .initial = 0, .whole = true, .control = false},
      fields.single_steps);
  visit.range({.key = "race.way_range"}, fields.way_range);
  visit.range({.key = "race.loss_range"}, fields.loss_range);
  visit.range({.key = "race.position_range"}, fields.position_range);
  visit.range({.key = "race.beyond_range"}, fields.beyond_range);
}

// --- Rotation ------------------------------------------------------------------------------------------------------

namespace {

/// A place, not a count: it has no unit.
NumberField rotation_fields_position_field(std::string_view key, double initial) {
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

void describe_vectors(FieldVisitor& visit, RotationFields& fields) {
  static const RotationFields initial;
  const bool law = fields.show == "law", turn = fields.show == "turn" || law, forms = fields.show == "forms",
             weights = fields.show == "weights";
  if (!forms) visit.group("vectors");
  visit.number(component_field("rotation.qx", initial.qx, turn), fields.qx);
  visit.number(component_field("rotation.qy", initial.qy, turn), fields.qy);
  visit.number(component_field("rotation.kx", initial.kx, turn), fields.kx);
  visit.number(component_field("rotation.ky", initial.ky, turn), fields.ky);
  visit.number(component_field("rotation.x1", initial.x1, weights), fields.x1);
  visit.number(component_field("rotation.x2", initial.x2, weights), fields.x2);
  visit.number(component_field("rotation.w11", initial.w11, weights), fields.w11);
  visit.number(component_field("rotation.w12", initial.w12, weights), fields.w12);
  visit.number(component_field("rotation.w21", initial.w21, weights), fields.w21);
  visit.number(component_field("rotation.w22", initial.w22, weights), fields.w22);
  const bool others = !forms && !law && !weights;
  visit.choice(
      {.key = "rotation.content", .options = {"same", "random"}, .initial = initial.content, .control = others},
      fields.content);
  visit.number(seed_field("rotation.seed", initial.seed, forms || (fields.content == "random" && others)), fields.seed);
}

/// A slider that is dragged ends where a pair stands; a rope with fewer pairs shows its last one and keeps the choice.
void describe_pair(FieldVisitor& visit, RotationFields& fields, double pairs, bool control) {
  const double last = std::max(pairs - 1, 1.0);
  double shown = std::min(fields.pair, last);
  const double before = shown;
  visit.number({.key = "rotation.pair",
                .minimum = 0,
                .maximum = last,
                .initial = std::min(RotationFields().pair, last),
                .whole = true,
                .control = control && pairs > 1},
               shown);
  if (shown != before) fields.pair = shown;
}

NumberField law_field(std::string_view key, double maximum, double initial, bool control) {
  return {.key = key, .minimum = 0, .maximum = maximum, .initial = initial, .control = control};
}

/// Laws by which q and k move with their places: whatever one tries instead of the rotation.
void describe_law(FieldVisitor& visit, RotationFields& fields, bool law) {
  static const RotationFields initial;
  visit.choice({.key = "rotation.angle_law",
                .options = {"linear", "quadratic", "root", "offset", "offsets", "other-key"},
                .initial = initial.angle_law,
                .control = law},
               fields.angle_law);
  visit.choice({.key = "rotation.length_law",
                .options = {"constant", "growing", "reciprocal", "exponential"},
                .initial = initial.length_law,
                .control = law},
               fields.length_law);
  const bool offsets = fields.angle_law == "offsets", offset = offsets || fields.angle_law == "offset";
  visit.number(law_field("rotation.law_theta", kTurn, initial.law_theta, law), fields.law_theta);
  visit.number(
      law_field("rotation.law_theta_key", kTurn, initial.law_theta_key, law && fields.angle_law == "other-key"),
      fields.law_theta_key);
  visit.number(law_field("rotation.law_gamma", kTurn, initial.law_gamma, law && offset), fields.law_gamma);
  visit.number(law_field("rotation.law_gamma_key", kTurn, initial.law_gamma_key, law && offsets), fields.law_gamma_key);
  visit.number(law_field("rotation.law_rate", 0.2, initial.law_rate, law && fields.length_law == "exponential"),
               fields.law_rate);
  NumberField span = whole_field("rotation.law_span", 4, 256, initial.law_span, law);
  span.unit = "unit.positions";
  visit.number(span, fields.law_span);
  visit.toggle({.key = "rotation.law_table", .initial = initial.law_table, .control = law}, fields.law_table);
  visit.range({.key = "rotation.law_place_range"}, fields.law_place_range);
  visit.range({.key = "rotation.law_angle_range"}, fields.law_angle_range);
  visit.range({.key = "rotation.law_shift_range"}, fields.law_shift_range);
  visit.range({.key = "rotation.law_score_range"}, fields.law_score_range);
}

}  // namespace

void describe(FieldVisitor& visit, RotationFields& fields, double pairs) {
  static const RotationFields initial;
  visit.group("rotation");
  visit.choice({.key = "rotation.show",
                .options = {"turn", "helix", "weights", "forms", "pairing", "law"},
                .initial = initial.show},
               fields.show);
  const bool turn = fields.show == "turn", helix = fields.show == "helix", forms = fields.show == "forms",
             pairing = fields.show == "pairing", law = fields.show == "law";
  describe_law(visit, fields, law);
  describe_pair(visit, fields, pairs, turn || helix || fields.show == "weights");
  visit.number(rotation_fields_position_field("rotation.query_position", initial.query_position),
               fields.query_position);
  visit.number(rotation_fields_position_field("rotation.key_position", initial.key_position), fields.key_position);
  visit.number({.key = "rotation.key_base",
                .minimum = 0,
                .maximum = 1e12,
                .initial = initial.key_base,
                .logarithmic = true,
                .zero = "unit.ropes",
                .control = turn},
               fields.key_base);
  // After the positions: a list of --set arguments can then give both of them before it locks them together.
  visit.toggle({.key = "rotation.locked", .initial = initial.locked}, fields.locked);
  visit.toggle({.key = "rotation.trail", .initial = initial.trail, .control = turn || law}, fields.trail);
  visit.number({.key = "rotation.speed",
                .minimum = 0.1,
                .maximum = 1000,
                .initial = initial.speed,
                .logarithmic = true,
                .unit = "unit.positions_per_second"},
               fields.speed);
  visit.toggle({.key = "rotation.playing", .initial = initial.playing, .control = false}, fields.playing);
  visit.number({.key = "rotation.glide", .minimum = 0, .maximum = 1, .initial = initial.glide, .control = false},
               fields.glide);
  visit.number({.key = "rotation.span",
                .minimum = 0,
                .maximum = kMostRotationPosition,
                .initial = initial.span,
                .logarithmic = true,
                .whole = true,
                .unit = "unit.positions",
                .zero = "unit.by_wavelength",
                .control = helix},
               fields.span);
  visit.number({.key = "rotation.reach",
                .minimum = 16,
                .maximum = 4096,
                .initial = initial.reach,
                .logarithmic = true,
                .whole = true,
                .unit = "unit.positions",
                .control = pairing},
               fields.reach);
  visit.number({.key = "rotation.form_dim",
                .minimum = 2,
                .maximum = 8,
                .initial = initial.form_dim,
                .whole = true,
                .step = 2,
                .unit = "unit.channels",
                .control = forms},
               fields.form_dim);
  visit.number({.key = "rotation.permute", .minimum = 0, .maximum = 1, .initial = initial.permute, .control = pairing},
               fields.permute);
  describe_vectors(visit, fields);
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
