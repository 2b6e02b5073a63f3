#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/encodings/parts.h"
#include "core/error.h"

namespace ropescope {

using namespace encoding_settings;

double value_of(const EncodingSettings& settings, const EncodingSetting& setting) {
  return std::visit(
      [&](auto member) -> double {
        if constexpr (std::is_same_v<decltype(member), std::monostate>) {
          const auto given = settings.numbers.find(setting.name);
          return given == settings.numbers.end() ? setting.initial : given->second;
        } else {
          return static_cast<double>(settings.*member);
        }
      },
      setting.member);
}

void set_value(EncodingSettings& settings, const EncodingSetting& setting, double value) {
  std::visit(
      [&](auto member) {
        if constexpr (std::is_same_v<decltype(member), std::monostate>) {
          settings.numbers[std::string(setting.name)] = value;
        } else if constexpr (std::is_same_v<decltype(member), Pairing EncodingSettings::*>) {
          settings.*member = value != 0 ? Pairing::half_split : Pairing::interleaved;
        } else {
          settings.*member = static_cast<std::decay_t<decltype(settings.*member)>>(value);
        }
      },
      setting.member);
}

std::vector<EncodingSetting> all_encoding_settings() {
  static const std::vector<EncodingSetting> each_once = [] {
    std::vector<EncodingSetting> all;
    for (const Encoding& encoding : all_encodings()) {
      for (const EncodingSetting& setting : encoding.settings) {
        const auto same = [&](const EncodingSetting& known) { return known.name == setting.name; };
        if (std::any_of(all.begin(), all.end(), same)) continue;
        all.push_back(setting);
        all.back().initial = value_of({}, setting);
      }
    }
    return all;
  }();
  return each_once;
}

bool takes(const Encoding& encoding, std::string_view setting) {
  return std::any_of(encoding.settings.begin(), encoding.settings.end(),
                     [setting](const EncodingSetting& taken) { return taken.name == setting; });
}

Words fault_of_matrix_dim(const Encoding& encoding, const EncodingSettings& settings) {
  constexpr int kLargest = 2048;
  if (!is_valid(kDim, settings.dim)) return expected_of(kDim);
  const bool has_matrices = settings.seeded_projections || !takes(encoding, kSeededProjections.name);
  return has_matrices && settings.dim > kLargest ? Words("encodings.matrix_dim", {{"most", kLargest}}) : Words();
}

Words fault_of_head(const Encoding&, const EncodingSettings& settings) {
  Setting one_of_them = kHead;
  one_of_them.maximum = settings.heads;
  return is_valid(one_of_them, settings.head) ? Words() : expected_of(one_of_them);
}

namespace {

/// How a ladder cannot be used: what was found; empty where it can.
Words fault_of_ladder(const EncodingLadder& ladder, const EncodingSettings& settings) {
  const auto turning = 2 * std::ssize(ladder.frequencies);
  const bool fits = turning >= 2 && turning <= settings.dim;
  if (!fits) return Words("encodings.ladder_too_wide", {{"turning", turning}, {"dim", settings.dim}});
  if (settings.rotary_dim != 0 && settings.rotary_dim != turning) {
    return Words("encodings.ladder_rotary_dim", {{"turning", turning}, {"rotary_dim", settings.rotary_dim}});
  }
  const auto good = [](double frequency) { return std::isfinite(frequency) && frequency >= 0; };
  const bool turns = std::all_of(ladder.frequencies.begin(), ladder.frequencies.end(), good);
  if (turns && std::isfinite(ladder.amplitude) && ladder.amplitude > 0) return {};
  return Words("encodings.ladder_numbers", {{"amplitude", ladder.amplitude}});
}

}  // namespace

void validate(const Encoding& encoding, const EncodingSettings& settings) {
  for (const EncodingSetting& setting : encoding.settings) {
    const double found = value_of(settings, setting);
    const Words fault = setting.fault              ? setting.fault(encoding, settings)
                        : is_valid(setting, found) ? Words()
                                                   : expected_of(setting);
    if (fault.empty()) continue;
    throw InputError("encodings.setting",
                     {{"encoding", encoding.name}, {"setting", setting.name}, {"found", found}, {"expected", fault}});
  }
  if (!encoding.takes_ladder || !settings.ladder) return;
  const Words fault = fault_of_ladder(*settings.ladder, settings);
  if (!fault.empty()) throw InputError("encodings.ladder", {{"encoding", encoding.name}, {"problem", fault}});
}

}  // namespace ropescope
