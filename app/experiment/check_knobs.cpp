#include "app/experiment/experiment.h"

namespace ropescope {

namespace {

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
      break;
  }
  return &CheckKnobs::frequencies;
}

/// A box to type a path in: of the kind of tensor that is offered, and wherever something stands in it.
void path_field(Fields& fields, std::string_view key, bool offered, std::string& path) {
  fields.text({.key = key, .control = offered || !path.empty()}, path);
}

void describe_files(Fields& fields, CheckKnobs& knobs) {
  fields.group("check_files");
  fields.choice(
      {.key = "check.offer", .options = {"tables", "table", "vectors", "ids", "frequencies"}, .initial = "tables"},
      knobs.offer);
  const auto offers = [&knobs](std::string_view kind) { return knobs.offer == kind; };
  path_field(fields, "check.cos", offers("tables"), knobs.cosine);
  path_field(fields, "check.sin", offers("tables"), knobs.sine);
  path_field(fields, "check.table", offers("table"), knobs.table);
  path_field(fields, "check.before", offers("vectors"), knobs.before);
  path_field(fields, "check.after", offers("vectors"), knobs.after);
  path_field(fields, "check.ids", offers("ids"), knobs.ids);
  path_field(fields, "check.frequencies", offers("frequencies"), knobs.frequencies);
  bool any = false;
  for (const CheckRole role : kCheckRoles) any = any || !path_of(knobs, role).empty();
  fields.action({.key = "check.clear", .control = any}, [&knobs] {
    for (const CheckRole role : kCheckRoles) path_of(knobs, role).clear();
    knobs.applied.clear();
  });
  fields.choice({.key = "check.part",
                 .options = {"all", "text", "image", "reference"},
                 .initial = "all",
                 .control = knobs.against == "layout"},
                knobs.part);
  fields.choice({.key = "check.pairing", .options = {"model", "interleaved", "half"}, .initial = "model"},
                knobs.pairing);
  fields.choice({.key = "check.head_order",
                 .options = {"automatic", "thd", "htd"},
                 .initial = "automatic",
                 .control = offers("vectors") || !knobs.before.empty()},
                knobs.head_order);
}

}  // namespace

std::string& path_of(CheckKnobs& knobs, CheckRole role) {
  return knobs.*member_of(role);
}

const std::string& path_of(const CheckKnobs& knobs, CheckRole role) {
  return knobs.*member_of(role);
}

void describe(Fields& fields, CheckKnobs& knobs) {
  fields.group("check_reference");
  fields.choice({.key = "check.against", .options = {"layout", "rope"}, .initial = "layout"}, knobs.against);
  fields.text({.key = "check.positions", .control = knobs.against == "rope"}, knobs.positions);
  describe_files(fields, knobs);
  fields.group("check_map");
  fields.choice({.key = "check.show", .options = {"difference", "mine", "reference"}, .initial = "difference"},
                knobs.show);
  fields.choice({.key = "check.measure", .options = {"tolerance", "difference"}, .initial = "tolerance"},
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

}  // namespace ropescope
