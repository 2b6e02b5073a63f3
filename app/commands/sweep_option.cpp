#include "app/commands/sweep_option.h"
#include "app/experiment/number_fields.h"

#include <algorithm>
#include <optional>

#include "app/resources/nearest.h"
#include "app/resources/text.h"
#include "core/error.h"
#include "core/formats/json_reader.h"

namespace ropescope {

namespace {

/// What a person wrote, cut into its parts.
struct Written {
  std::string key, from, to, scale;
};

[[noreturn]] void refuse(const std::string& text, const std::string& expected) {
  throw InputError("--sweep is " + in_quotes(text) + "; " + expected + " was expected");
}

Written parts_of(const std::string& text) {
  const char* form = "KEY=FROM..TO such as rope.base=100..1e6, with :log or :linear after it if wanted,";
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) refuse(text, form);
  Written written{text.substr(0, equals), {}, {}, {}};
  std::string rest = text.substr(equals + 1);
  if (const std::size_t colon = rest.find(':'); colon != std::string::npos) {
    written.scale = rest.substr(colon + 1);
    rest.erase(colon);
    if (written.scale != "log" && written.scale != "linear") refuse(text, form);
  }
  const std::size_t dots = rest.find("..");
  if (dots == std::string::npos) refuse(text, form);
  written.from = rest.substr(0, dots);
  written.to = rest.substr(dots + 2);
  return written;
}

/// Reads the two ends by the declaration of their knob.
class EndsReader : public NumberFields {
 public:
  EndsReader(const Written& written, const std::string& key) : written_(written), key_(key) {}
  std::optional<Sweep> sweep;
  void number(const NumberField& field, double&) override {
    if (field.key != key_) return;
    sweep = {key_, end_of(field, written_.from), end_of(field, written_.to), field.logarithmic};
    if (!written_.scale.empty()) sweep->logarithmic = written_.scale == "log";
  }

 private:
  double end_of(const NumberField& field, const std::string& given) const {
    const std::optional<double> value = parse_number(given);
    if (value && accepts(field, *value)) return *value;
    throw InputError("--sweep: " + key_ + " is " + in_quotes(given) + "; " + said_in_english(expectation(field)) +
                     " was expected");
  }
  const Written& written_;
  const std::string& key_;
};

}  // namespace

Sweep parse_sweep(const std::string& text, const Experiment& experiment, std::string_view looks_at) {
  const Written written = parts_of(text);
  const std::string key = full_field_key(written.key, experiment, looks_at, "--sweep");
  EndsReader reader(written, key);
  Experiment read = experiment;
  describe(reader, read);
  if (!reader.sweep) {
    throw InputError("--sweep: " + key + " is no number, and nothing between two of its values can be shown; " +
                     "a number such as rope.base was expected");
  }
  const Sweep& sweep = *reader.sweep;
  if (sweep.from == sweep.to) refuse(text, "a value to go to that is not the one to start from");
  if (written.scale == "log" && std::min(sweep.from, sweep.to) <= 0) {
    refuse(text, "values above 0 for :log, or :linear,");
  }
  return sweep;
}

}  // namespace ropescope
