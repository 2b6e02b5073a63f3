#include "app/experiment/experiment.h"

namespace ropescope {

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

}  // namespace ropescope
