#include "app/commands/encoding_options.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/commands/pairing_option.h"
#include "app/experiment/entry_names.h"
#include "app/experiment/experiment.h"
#include "core/encodings/plan.h"
#include "core/error.h"
#include "core/formats/json_reader.h"

namespace ropescope {

namespace {

constexpr std::string_view kOrder[] = {"seed",
                                       "dim",
                                       "heads",
                                       "head",
                                       "trained_length",
                                       "clip",
                                       "buckets",
                                       "max_distance",
                                       "rotary_dim",
                                       "xpos_sequence_length",
                                       "base",
                                       "kerple_r1",
                                       "kerple_r2",
                                       "p",
                                       "xpos_scale_base",
                                       "pairing",
                                       "bidirectional",
                                       "seeded_projections"};

/// Refuses an option that would change nothing.
void require_used(const std::string& option, const EncodingSetting& setting, const Encoding& encoding) {
  if (setting.taken_by_all || takes(encoding, setting.name)) return;
  throw InputError(option + " is given, but the encoding is " + std::string(encoding.name) +
                   ", which does not look at it; an encoding that does was expected");
}

std::string encodings_with(const EncodingSetting& setting) {
  return joined(entry_names(all_encodings(), [&](const Encoding& encoding) { return takes(encoding, setting.name); }));
}

double read_seed(const std::string& option, const std::string& text) {
  const std::optional<double> value = parse_number(text);
  if (!value || *value < 0 || *value > 0x1p53 || *value != std::floor(*value)) {
    reject(option, text, "a whole number from 0 to 9007199254740992");
  }
  return *value;
}

double read_int(const std::string& option, const std::string& text) {
  const std::int64_t value = read_whole(option, text);
  if (std::abs(value) > std::numeric_limits<int>::max()) reject(option, text, "a smaller number");
  return static_cast<double>(value);
}

/// The value that an option gives, as far as its kind goes; validate says the rest.
double read_value(const EncodingSetting& setting, const std::string& text) {
  const std::string option = option_name(setting);
  if (setting.is_switch) return read_switch(option, text);
  if (setting.name == "pairing") return read_pairing(text) == Pairing::half_split ? 1 : 0;
  if (setting.name == "seed") return read_seed(option, text);
  if (setting.whole) return read_int(option, text);
  const std::optional<double> value = parse_number(text);
  if (!value) reject(option, text, "a number");
  return *value;
}

}  // namespace

std::int64_t read_whole(const std::string& option, const std::string& text) {
  const std::optional<double> value = parse_number(text);
  if (!value || *value != std::floor(*value)) reject(option, text, "a whole number");
  if (std::abs(*value) > kLargestPosition) reject(option, text, "a whole number of at most 2^50 in size");
  return static_cast<std::int64_t>(*value);
}

void add_encoding_options(Arguments& arguments, EncodingOptions& options) {
  for (const EncodingSetting& setting : in_order(all_encoding_settings(), kOrder)) {
    if (setting.name != "dim") add_option(arguments, setting, encodings_with(setting), options);
  }
}

std::string encoding_names() {
  return joined(entry_names(all_encodings()));
}

EncodingSettings settings_of(const EncodingOptions& options, const Encoding& encoding) {
  EncodingSettings settings;
  settings.pairing = Pairing::half_split;
  for (const EncodingSetting& setting : in_order(all_encoding_settings(), kOrder)) {
    const std::string* text = options.find(setting.name);
    if (!text) continue;
    require_used(option_name(setting), setting, encoding);
    set_value(settings, setting, read_value(setting, *text));
  }
  return settings;
}

void check_position(const EncodingModel& model, std::int64_t position) {
  if (model.plan().check_position) model.plan().check_position(position);
}

}  // namespace ropescope
