#include "app/commands/encoding_options.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/commands/pairing_option.h"
#include "app/experiment/experiment.h"
#include "core/encodings/plan.h"
#include "core/error.h"
#include "core/formats/json_reader.h"

namespace ropescope {

namespace {

using Given = std::optional<std::string>;

struct WholeOption {
  const char* name;
  const char* placeholder;
  const char* setting;
  Given EncodingOptions::*text;
  int EncodingSettings::*target;
  bool fits_all;  ///< taken, though without effect, by encodings that do not look at it
  const char* help;
};
constexpr WholeOption kWholes[] = {
    {"--dim", "D", "dim", &EncodingOptions::dim, &EncodingSettings::dim, true, nullptr},
    {"--heads", "H", "heads", &EncodingOptions::heads, &EncodingSettings::heads, true, "How many heads there are"},
    {"--head", "h", "head", &EncodingOptions::head, &EncodingSettings::head, true, "Which of them, from 1 on"},
    {"--trained-length", "L", "trained_length", &EncodingOptions::trained_length, &EncodingSettings::trained_length,
     true, "Rows of a learned table of positions (512)"},
    {"--clip", "R", "clip", &EncodingOptions::clip, &EncodingSettings::clip, false,
     "shaw, deberta: largest distance that is told apart (16)"},
    {"--buckets", "N", "buckets", &EncodingOptions::buckets, &EncodingSettings::buckets, false,
     "t5, tupe: numbers in the table (32)"},
    {"--max-distance", "N", "max_distance", &EncodingOptions::max_distance, &EncodingSettings::max_distance, false,
     "t5, tupe: from here on all is one bucket (128)"},
    {"--rotary-dim", "N", "rotary_dim", &EncodingOptions::rotary_dim, &EncodingSettings::rotary_dim, false,
     "rope: how many channels turn (0: all)"},
    {"--xpos-sequence-length", "N", "xpos_sequence_length", &EncodingOptions::xpos_sequence_length,
     &EncodingSettings::xpos_sequence_length, false, "xpos: tables are centred at half of it (0)"},
};

struct NumberOption {
  const char* name;
  const char* placeholder;
  const char* setting;
  Given EncodingOptions::*text;
  double EncodingSettings::*target;
  const char* help;
};
constexpr NumberOption kNumbers[] = {
    {"--base", "B", "base", &EncodingOptions::base, &EncodingSettings::base, "Base of sinusoids and rotations (10000)"},
    {"--kerple-r1", "R", "kerple_r1", &EncodingOptions::kerple_r1, &EncodingSettings::kerple_r1, "kerple: r1 (1)"},
    {"--kerple-r2", "R", "kerple_r2", &EncodingOptions::kerple_r2, &EncodingSettings::kerple_r2, "kerple: r2 (1)"},
    {"--p", "P", "p", &EncodingOptions::p, &EncodingSettings::p, "p-rope: part of the pairs that turns (0.75)"},
    {"--xpos-scale-base", "N", "xpos_scale_base", &EncodingOptions::xpos_scale_base, &EncodingSettings::xpos_scale_base,
     "xpos: positions over which its damping is counted (512)"},
};

struct SwitchOption {
  const char* name;
  const char* setting;
  Given EncodingOptions::*text;
  bool EncodingSettings::*target;
  const char* help;
};
constexpr SwitchOption kSwitches[] = {
    {"--bidirectional", "bidirectional", &EncodingOptions::bidirectional, &EncodingSettings::bidirectional,
     "t5, tupe: buckets for later keys too (true)"},
    {"--seeded-projections", "seeded_projections", &EncodingOptions::seeded_projections,
     &EncodingSettings::seeded_projections, "sinusoidal, learned, deberta: random W instead of the identity (false)"},
};

/// Refuses an option that would change nothing.
void require_used(const std::string& option, std::string_view setting, const Encoding& encoding) {
  const auto& used = encoding.settings;
  if (std::find(used.begin(), used.end(), setting) != used.end()) return;
  throw InputError(option + " is given, but the encoding is " + std::string(encoding.name) +
                   ", which does not look at it; an encoding that does was expected");
}

std::uint64_t read_seed(const std::string& text) {
  const std::optional<double> value = parse_number(text);
  if (!value || *value < 0 || *value > 0x1p53 || *value != std::floor(*value)) {
    reject("--seed", text, "a whole number from 0 to 9007199254740992");
  }
  return static_cast<std::uint64_t>(*value);
}

bool read_switch(const std::string& option, const std::string& text) {
  if (text != "true" && text != "false") reject(option, text, "true or false");
  return text == "true";
}

}  // namespace

std::int64_t read_whole(const std::string& option, const std::string& text) {
  const std::optional<double> value = parse_number(text);
  if (!value || *value != std::floor(*value)) reject(option, text, "a whole number");
  if (std::abs(*value) > kLargestPosition) reject(option, text, "a whole number of at most 2^50 in size");
  return static_cast<std::int64_t>(*value);
}

void add_encoding_options(Arguments& arguments, EncodingOptions& options) {
  arguments.option("--seed", "S", options.seed, "Of the random numbers (1)");
  for (const WholeOption& option : kWholes) {
    if (option.help) arguments.option(option.name, option.placeholder, options.*option.text, option.help);
  }
  for (const NumberOption& option : kNumbers) {
    arguments.option(option.name, option.placeholder, options.*option.text, option.help);
  }
  arguments.option("--pairing", "interleaved|half", options.pairing,
                   "rope, p-rope, xpos: which channels form a pair (default: half)");
  for (const SwitchOption& option : kSwitches) {
    arguments.option(option.name, "true|false", options.*option.text, option.help);
  }
}

std::string encoding_names() {
  std::string names;
  for (const Encoding& encoding : all_encodings()) names += (names.empty() ? "" : ", ") + std::string(encoding.name);
  return names;
}

EncodingSettings settings_of(const EncodingOptions& options, const Encoding& encoding) {
  EncodingSettings settings;
  settings.pairing = Pairing::half_split;
  if (options.seed) settings.seed = read_seed(*options.seed);
  for (const WholeOption& option : kWholes) {
    const Given& text = options.*option.text;
    if (!text) continue;
    if (!option.fits_all) require_used(option.name, option.setting, encoding);
    const std::int64_t value = read_whole(option.name, *text);
    if (std::abs(value) > std::numeric_limits<int>::max()) reject(option.name, *text, "a smaller number");
    settings.*option.target = static_cast<int>(value);
  }
  for (const NumberOption& option : kNumbers) {
    const Given& text = options.*option.text;
    if (!text) continue;
    require_used(option.name, option.setting, encoding);
    const std::optional<double> value = parse_number(*text);
    if (!value) reject(option.name, *text, "a number");
    settings.*option.target = *value;
  }
  for (const SwitchOption& option : kSwitches) {
    const Given& text = options.*option.text;
    if (!text) continue;
    require_used(option.name, option.setting, encoding);
    settings.*option.target = read_switch(option.name, *text);
  }
  if (options.pairing) {
    require_used("--pairing", "pairing", encoding);
    settings.pairing = read_pairing(*options.pairing);
  }
  return settings;
}

void check_position(const EncodingModel& model, std::int64_t position) {
  if (model.plan().check_position) model.plan().check_position(position);
}

}  // namespace ropescope
