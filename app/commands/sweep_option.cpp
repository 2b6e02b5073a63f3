#include "app/commands/sweep_option.h"

#include <algorithm>
#include <optional>

#include "app/experiment/sweep_text.h"
#include "core/error.h"
#include "core/formats/json_reader.h"

namespace ropescope {

namespace {

[[noreturn]] void refuse(const std::string& text, const std::string& expected) {
  throw InputError("--sweep is " + in_quotes(text) + "; " + expected + " was expected");
}

SweepText parts_of_sweep_option(const std::string& text) {
  const std::optional<SweepText> cut = cut_sweep_text(text);
  if (cut && cut->range && cut->points.empty()) return *cut;
  refuse(text, "KEY=FROM..TO such as rope.base=100..1e6, with :log or :linear after it if wanted,");
}

}  // namespace

Sweep parse_sweep(const std::string& text, const Experiment& experiment, std::string_view looks_at) {
  const SweepText written = parts_of_sweep_option(text);
  const std::string key = full_field_key(written.key, experiment, looks_at, "--sweep");
  Sweep sweep;
  Experiment read = experiment;
  const bool found = visit_number(read, key, [&](const NumberField& field, double&) {
    sweep = {key, read_swept_value(field, written.values.front(), "--sweep"),
             read_swept_value(field, written.values.back(), "--sweep"),
             written.scale.empty() ? field.logarithmic : written.scale == "log"};
  });
  if (!found) throw InputError("--sweep", "sweep.no_number", {{"key", key}});
  if (sweep.from == sweep.to) refuse(text, "a value to go to that is not the one to start from");
  if (written.scale == "log" && std::min(sweep.from, sweep.to) <= 0) {
    refuse(text, "values above 0 for :log, or :linear,");
  }
  return sweep;
}

}  // namespace ropescope
