#include <algorithm>

#include "app/experiment/entry_names.h"
#include "app/experiment/experiment.h"
#include "app/experiment/whole_fields.h"
#include "core/attention/attention.h"
#include "core/encodings/encoding.h"

namespace ropescope {

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

}  // namespace ropescope
