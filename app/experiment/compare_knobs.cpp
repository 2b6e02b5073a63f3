#include <algorithm>

#include "app/experiment/entry_names.h"
#include "app/experiment/experiment.h"
#include "app/experiment/whole_fields.h"
#include "core/encodings/encoding.h"

namespace ropescope {

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

}  // namespace ropescope
