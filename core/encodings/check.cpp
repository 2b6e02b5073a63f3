#include <algorithm>
#include <cmath>
#include <sstream>

#include "core/encodings/parts.h"
#include "core/error.h"

namespace ropescope {

namespace {

struct Check {
  const Encoding& encoding;

  bool uses(std::string_view setting) const {
    return std::find(encoding.settings.begin(), encoding.settings.end(), setting) != encoding.settings.end();
  }

  template <class Number>
  void require(bool good, std::string_view setting, Number found, const std::string& expected) const {
    if (good || !uses(setting)) return;
    std::ostringstream text;
    text << encoding.name << ": " << setting << " is " << found << "; expected " << expected;
    throw InputError(text.str());
  }

  template <class Number>
  void range(std::string_view setting, Number found, Number lowest, Number highest) const {
    std::ostringstream expected;
    expected.precision(10);
    expected << "a number from " << lowest << " to " << highest;
    // Written so that NaN fails.
    require(found >= lowest && found <= highest, setting, found, expected.str());
  }

  void positive(std::string_view setting, double found) const {
    require(std::isfinite(found) && found > 0, setting, found, "a finite number greater than 0");
  }
};

bool has_matrices(const Encoding& encoding, const EncodingSettings& settings) {
  const Check check{encoding};
  return encoding.name == kTransformerXlEncoding.name || encoding.name == kTupeEncoding.name ||
         (check.uses("seeded_projections") && settings.seeded_projections);
}

void check_buckets(const Check& check, const EncodingSettings& settings) {
  check.range("buckets", settings.buckets, 4, 1024);
  check.require(!settings.bidirectional || settings.buckets % 4 == 0, "buckets", settings.buckets,
                "a multiple of 4, half of them for each direction");
  const int exact = settings.buckets / (settings.bidirectional ? 4 : 2);
  check.range("max_distance", settings.max_distance, exact + 1, 1 << 20);
}

}  // namespace

void validate(const Encoding& encoding, const EncodingSettings& settings) {
  const Check check{encoding};
  check.require(settings.dim >= 2 && settings.dim <= 8192 && settings.dim % 2 == 0, "dim", settings.dim,
                "an even number from 2 to 8192");
  check.require(settings.dim <= kLargestMatrixDim || !has_matrices(encoding, settings), "dim", settings.dim,
                "at most " + std::to_string(kLargestMatrixDim) + " where it has matrices of dim × dim numbers");
  check.range("heads", settings.heads, 1, 1024);
  check.range("head", settings.head, 1, settings.heads);
  check.range("trained_length", settings.trained_length, 1, 131072);
  check.require(std::isfinite(settings.base) && settings.base > 1, "base", settings.base,
                "a finite number greater than 1");
  check.range("clip", settings.clip, 1, 65536);
  check_buckets(check, settings);
  check.positive("kerple_r1", settings.kerple_r1);
  check.positive("kerple_r2", settings.kerple_r2);
  check.range("p", settings.p, 0.0, 1.0);
  check.require(settings.rotary_dim >= 0 && settings.rotary_dim <= settings.dim && settings.rotary_dim % 2 == 0,
                "rotary_dim", settings.rotary_dim,
                "an even number from 2 to dim, which is " + std::to_string(settings.dim) + ", or 0 for all channels");
  check.positive("xpos_scale_base", settings.xpos_scale_base);
  check.range("xpos_sequence_length", settings.xpos_sequence_length, 0, 1 << 24);
}

}  // namespace ropescope
