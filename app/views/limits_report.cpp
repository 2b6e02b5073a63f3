// Values and sentences of the limits, part by part. Read limits_report.h first.

#include "app/views/limits_report.h"

#include <array>
#include <cstdio>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "app/figure/figure.h"
#include "app/views/check/report.h"
#include "app/views/shared/cards.h"
#include "core/decay/limits.h"
#include "core/message.h"
#include "core/scaling/scaling.h"

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

std::string rounded_base_text(const RoundedBase& base) {
  return readable_number(base.value, base.digits);
}

/// Returns "46 to 63", or "3, 46 to 63".
std::string pairs_text(const std::vector<PairRange>& ranges, const Text& text) {
  return joined(ranges, text["list.between"], [&](const PairRange& range) {
    if (range.first == range.last) return readable_integer(static_cast<double>(range.first));
    return text.format("answer.from_to", {{"first", counted(range.first)}, {"last", counted(range.last)}});
  });
}

class LimitsRows {
 public:
  LimitsRows(const LimitsAnswer& answer, const Text& text) : answer_(answer), found_(answer.found), text_(text) {}

  std::vector<LimitsRow> all() {
    add_largest_context();
    add_bases();
    add_pairs();
    if (answer_.criterion) add_factors();
    std::vector<std::string> notes;
    for (const Message& note : notes_on_unrotated_layers(answer_.profile)) notes.push_back(text_.render(note));
    std::string lines;
    for (const std::string& note : notes) lines += note + "\n";
    if (std::string published = describe_published_bound(); !published.empty()) notes.push_back(std::move(published));
    add("notes", notes).words = std::move(lines);
    return std::move(rows_);
  }

 private:
  LimitsRow& add(const std::string& name, ordered_json value) {
    return rows_.emplace_back(LimitsRow{name, std::move(value), {}});
  }
  /// Adds a sentence to the last row.
  void say(const std::string& sentence) {
    if (!sentence.empty()) rows_.back().words += sentence + "\n";
  }
  void say(std::string_view key, std::initializer_list<Text::NamedValue> values) { say(text_.format(key, values)); }

  void add_largest_context() {
    const auto& negative = found_.negative;
    const auto& shaken = found_.shaken;
    add("largest_context", negative ? ordered_json(*negative - 1) : ordered_json(nullptr));
    answer_.has_base ? say_largest_context() : say("answer.limits.ask_base", {});
    add("first_negative_distance", or_null(negative));
    add("shaken_context", or_null(shaken ? shaken->largest() : std::nullopt));
    add("shaken_base", shaken && shaken->negative ? ordered_json(shaken->base) : ordered_json(nullptr));
  }

  void say_largest_context() {
    if (found_.negative) {
      say("answer.limits.largest",
          {{"context", counted(*found_.negative - 1)}, {"distance", counted(*found_.negative)}});
    } else {
      say("answer.limits.unlimited", {{"distance", counted(kFarthestDistance)}});
    }
    if (found_.shaken && found_.shaken->negative && found_.shaken->negative < found_.negative) {
      say("answer.limits.perturbed",
          {{"context", counted(*found_.shaken->largest())}, {"base", rounded_base_text(found_.shaken->rounded)}});
    }
    // A ladder that depends on the length is another one at the extended length.
    const bool by_length = find_scaling_method(answer_.profile.spec.extension.method).depends_on_length;
    const std::optional<double> extended = by_length ? std::nullopt : answer_.extended;
    if (answer_.context) compare_with(*answer_.context, "answer.limits.enough", "answer.limits.short");
    if (extended && extended != answer_.context) {
      compare_with(*extended, "answer.limits.enough_extended", "answer.limits.short_extended");
    }
  }

  /// Says whether the largest context reaches this one.
  void compare_with(double context, std::string_view enough, std::string_view too_short) {
    const bool reaches = !found_.negative || static_cast<double>(*found_.negative) > context;
    say(reaches ? enough : too_short, {{"context", counted(context)}});
  }

  void add_bases() {
    const auto& smallest = found_.smallest;
    add("smallest_base", smallest ? ordered_json(smallest->window.low) : ordered_json(nullptr));
    say_smallest_base();
    add("window", nullptr);
    if (smallest) rows_.back().value = {smallest->window.low, smallest->window.high};
    add("robust_base", found_.robust ? ordered_json(found_.robust->base) : ordered_json(nullptr));
    if (smallest && answer_.context && answer_.axis.ladder != Ladder::given) say_robust_base();
    add("robust_ratio", kRobustRatio);
  }

  void say_smallest_base() {
    if (!answer_.context) return say("answer.limits.ask_context", {});
    if (answer_.axis.ladder == Ladder::given) return say("answer.limits.no_base_of_ladder", {});
    const TextValue context = counted(*answer_.context), dimension = counted(answer_.axis.rotary_dim);
    if (!found_.smallest) return say("answer.limits.no_smallest", {{"context", context}, {"dimension", dimension}});
    say(found_.smallest->ends ? "answer.limits.smallest" : "answer.limits.smallest_open",
        {{"context", context},
         {"dimension", dimension},
         {"base", rounded_base_text(found_.smallest->rounded)},
         {"high", rounded_base_text(found_.smallest->rounded_high)}});
  }

  void say_robust_base() {
    const std::string step = readable_number(100 * (kRobustRatio - 1), 2);
    if (found_.robust) {
      say("answer.limits.robust", {{"base", rounded_base_text(found_.robust->rounded)}, {"step", step}});
    } else {
      say("answer.limits.no_robust", {{"step", step}});
    }
    say(describe_published_bound());
  }

  /// Returns how the smallest base relates to the one of Men et al.; empty if there is none.
  std::string describe_published_bound() const {
    if (!answer_.context || !found_.smallest) return {};
    const PublishedBound* bound = find_published_bound(answer_.axis.rotary_dim, *answer_.context);
    if (!bound) return {};
    const bool differs = nearest_decimal(found_.smallest->exact, kPublishedDigits) != bound->base;
    return text_.format(differs ? "answer.limits.published_differs" : "answer.limits.published_agrees",
                        {{"base", readable_number(bound->base)}, {"thousands", counted(bound->thousands)}});
  }

  void add_pairs() {
    add("critical_dimension", or_null(found_.critical_dimension));
    add("unseen_pairs", or_null(found_.unseen_pairs));
    if (answer_.has_base) say_unseen();
    add("unseen_ranges", nullptr);
    if (found_.unseen_pairs) {
      rows_.back().value = listed(found_.unseen, [](const PairRange& range) {
        return ordered_json{range.first, range.last};
      });
    }
    add("effective_pairs", nullptr);
    if (!found_.effective_pairs) return;
    rows_.back().value = with_correct_digits(*found_.effective_pairs, kDigitsOfPairs);
    if (!answer_.has_base) return;
    say("answer.limits.moving", {{"context", counted(*answer_.context)},
                                 {"moving", readable_fixed(*found_.effective_pairs, 1)},
                                 {"all", counted(answer_.axis.rotary_dim / 2)}});
  }

  void say_unseen() {
    const RotarySpec& spec = answer_.profile.spec;
    const std::string unseen = unseen_sentence(spec, answer_.axis, answer_.length, text_);
    say(unseen.empty() ? text_["answer.limits.ask_length"] : unseen);
    const auto axis = static_cast<std::size_t>(&answer_.axis - spec.axes.data());
    const auto still = (scaled_ladder(spec, axis, answer_.length).frequencies.array() == 0).count();
    if (still > 0) say("readout.unseen.still", {{"still", counted(static_cast<double>(still))}});
  }

  void add_factors() {
    add("criterion", criterion_name(*answer_.criterion));
    add("factors", ordered_json::object());
    for (const auto& [method, found] : answer_.factors) {
      rows_.back().value[method] = {{"smallest", or_null(found.smallest)}, {"robust", or_null(found.robust)}};
      say_factors(method, found);
    }
    add("factors_searched_to", kLargestSearchedFactor);
  }

  void say_factors(const std::string& method, const AllowingFactors& found) {
    const TextValue context = counted(*answer_.context);
    if (!found.smallest) return say("answer.limits.no_factor", {{"method", method}, {"context", context}});
    const std::string smallest = shortest_number(*found.smallest);
    if (!found.robust) {
      return say("answer.limits.factor_alone", {{"method", method}, {"context", context}, {"smallest", smallest}});
    }
    say("answer.limits.factor",
        {{"method", method}, {"context", context}, {"smallest", smallest}, {"robust", shortest_number(*found.robust)}});
  }

  const LimitsAnswer& answer_;
  const ContextLimits& found_;
  const Text& text_;
  std::vector<LimitsRow> rows_;
};

}  // namespace

std::vector<LimitsRow> limits_rows(const LimitsAnswer& answer, const Text& text) {
  return LimitsRows(answer, text).all();
}

std::string unseen_sentence(const RotarySpec& spec, const RotaryAxis& axis, std::optional<double> length_in_use,
                            const Text& text) {
  if (!spec.trained_length) return {};
  const double length = *spec.trained_length;
  const auto index = static_cast<std::size_t>(&axis - spec.axes.data());
  const Eigen::VectorXd in_use = scaled_ladder(spec, index, length_in_use).frequencies;
  const Eigen::VectorXd trained = trained_frequencies(axis_frequencies(axis), in_use);
  const std::vector<PairRange> unseen = unfinished_ranges(trained, length);
  if (unseen.empty()) return text.format("answer.all_seen", {{"length", counted(length)}});
  return text.format(in_use == trained ? "answer.unseen" : "answer.unseen_plain",
                     {{"pairs", pairs_text(unseen, text)},
                      {"count", counted(unfinished_pairs(trained, length))},
                      {"all", counted(trained.size())},
                      {"length", counted(length)},
                      {"dimension", counted(critical_dimension(trained, length))}});
}

}  // namespace ropescope
