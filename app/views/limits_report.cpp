// Writes the limits for programs. Read limits_report.h first.

#include "app/views/limits_report.h"

#include <array>
#include <cstdio>
#include <utility>

#include "app/figure/figure.h"
#include "app/views/check/report.h"
#include "app/views/shared/cards.h"
#include "core/decay/limits.h"
#include "core/message.h"

namespace ropescope {

using nlohmann::ordered_json;

namespace {

/// The lower bound of the base for a context of this many thousand tokens. Men et al., Base of RoPE Bounds Context
/// Length, arXiv 2405.14591, Table 2; found numerically, in two digits. The paper does not state the dimension; the
/// bounds for 1k, 4k, 8k and 64k are those of 128 channels.
struct PublishedBound {
  int thousands;
  double base;
};
constexpr PublishedBound kPublishedBounds[] = {{1, 4.3e3},   {2, 1.6e4},   {4, 2.7e4},   {8, 8.4e4},
                                               {16, 3.1e5},  {32, 6.4e5},  {64, 2.1e6},  {128, 7.8e6},
                                               {256, 3.6e7}, {512, 6.4e7}, {1024, 5.1e8}};
constexpr int kPublishedDimension = 128, kPublishedDigits = 2;

const PublishedBound* find_published_bound(int rotary_dim, double context) {
  if (rotary_dim != kPublishedDimension) return nullptr;
  for (const PublishedBound& bound : kPublishedBounds) {
    if (context == 1000.0 * bound.thousands || context == 1024.0 * bound.thousands) return &bound;
  }
  return nullptr;
}

/// Returns a number with only its correct digits, because JSON prints enough to distinguish every double.
double with_correct_digits(double value, int digits) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return *parse_number(text.data());
}

/// Number of correct digits of the effective pairs, given their summed rounding errors.
constexpr int kDigitsOfPairs = 12;

}  // namespace

void add_limits(const ContextLimits& found, ordered_json& limits) {
  limits["largest_context"] = found.negative ? ordered_json(*found.negative - 1) : ordered_json(nullptr);
  limits["first_negative_distance"] = or_null(found.negative);
  limits["shaken_context"] = or_null(found.shaken ? found.shaken->largest() : std::nullopt);
  limits["shaken_base"] =
      found.shaken && found.shaken->negative ? ordered_json(found.shaken->base) : ordered_json(nullptr);
  for (const char* key : {"smallest_base", "window", "robust_base"}) limits[key] = nullptr;
  if (found.smallest) {
    limits["smallest_base"] = found.smallest->window.low;
    limits["window"] = {found.smallest->window.low, found.smallest->window.high};
  }
  if (found.robust) limits["robust_base"] = found.robust->base;
  limits["robust_ratio"] = kRobustRatio;
  limits["critical_dimension"] = or_null(found.critical_dimension);
  limits["unseen_pairs"] = or_null(found.unseen_pairs);
  limits["unseen_ranges"] = nullptr;
  if (found.unseen_pairs) {
    limits["unseen_ranges"] = listed(found.unseen, [](const PairRange& range) {
      return ordered_json{range.first, range.last};
    });
  }
  limits["effective_pairs"] = nullptr;
  if (found.effective_pairs) limits["effective_pairs"] = with_correct_digits(*found.effective_pairs, kDigitsOfPairs);
}

std::string describe_published_bound(const ContextLimits& found, const RotaryAxis& axis, std::optional<double> context,
                                     const Text& text) {
  if (!context || !found.smallest) return {};
  const PublishedBound* bound = find_published_bound(axis.rotary_dim, *context);
  if (!bound) return {};
  const bool differs = nearest_decimal(found.smallest->exact, kPublishedDigits) != bound->base;
  return text.format(differs ? "answer.limits.published_differs" : "answer.limits.published_agrees",
                     {{"base", readable_number(bound->base)}, {"thousands", counted(bound->thousands)}});
}

std::vector<std::string> limits_notes(const ContextLimits& found, const Profile& profile, const RotaryAxis& axis,
                                      std::optional<double> context, const Text& text) {
  std::vector<std::string> notes;
  for (const Message& note : notes_on_unrotated_layers(profile)) notes.push_back(text.render(note));
  if (std::string published = describe_published_bound(found, axis, context, text); !published.empty()) {
    notes.push_back(std::move(published));
  }
  return notes;
}

}  // namespace ropescope
