#include "app/views/precision/cards.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/figure/number_text.h"
#include "app/views/shared/cards.h"

namespace ropescope {

namespace {

/// Differences below this come from float64 itself.
constexpr double kUnchanged = 1e-9;

struct PrecisionContext {
  const PrecisionCurves& curves;
  double length;
  const PrecisionKnobs& knobs;
  const Text& text;
  std::string name(const PolicyCurves& of) const { return policy_label(*of.policy, text); }
};

std::string policy_key(const PrecisionPolicy& policy) {
  return "view.precision.policy." + std::string(policy.name);
}

ReadoutValue error_value(double error) {
  return std::isnan(error) ? ReadoutValue(Words("readout.precision.overflow")) : Quantity{with_digits(error, 2)};
}

/// What overflows counts as larger than any number.
bool smaller(double a, double b) {
  return std::isnan(b) ? !std::isnan(a) : a < b;
}

Readout repeated(const PrecisionContext& c) {
  Readout readout = start_card("precision.repeated", c.text);
  const PolicyCurves* first = nullptr;
  for (const PolicyCurves& of : c.curves.policies) {
    if (!std::isfinite(first_repeated_position(*of.policy))) continue;
    if (!first || first_repeated_position(*of.policy) < first_repeated_position(*first->policy)) first = &of;
  }
  readout.value = no_number();
  readout.note = c.text["readout.precision.repeated.none"];
  if (!first) return readout;
  const double position = first_repeated_position(*first->policy);
  readout.value = Quantity{as_whole(position), "positions"};
  readout.note = c.text.format(
      "readout.precision.repeated.note",
      {{"format", format_of(*first->policy)}, {"next", counted(position + 1)}, {"position", counted(position)}});
  return readout;
}

Readout at_length(const PrecisionContext& c) {
  Readout readout = start_card("precision.at_length", c.text);
  const auto [least, most] = std::minmax_element(
      c.curves.policies.begin(), c.curves.policies.end(),
      [](const PolicyCurves& a, const PolicyCurves& b) { return smaller(a.error_at_length, b.error_at_length); });
  readout.label = c.text.format("readout.precision.at_length.label", {{"length", counted(c.length)}});
  readout.value = error_value(most->error_at_length);
  readout.note = c.text.format("readout.precision.at_length.note",
                               {{"most", c.name(*most)},
                                {"least", c.name(*least)},
                                {"error", value_text(error_value(least->error_at_length), c.text)}});
  return readout;
}

/// The largest error over the positions and where it is; an overflow and where it begins.
struct PrecisionWorst {
  double error = 0, position = 0;
};
PrecisionWorst worst_of(const PolicyCurves& of) {
  PrecisionWorst worst;
  for (std::size_t i = 0; i < of.error->ys.size(); ++i) {
    if (std::isnan(of.error->ys[i])) {
      // Positions overflow before anything else does, but where is not among the samples.
      return {of.error->ys[i], std::min(of.error->x_at(i), first_overflowing_position(*of.policy))};
    }
    if (of.error->ys[i] > worst.error) worst = {of.error->ys[i], of.error->x_at(i)};
  }
  return worst;
}

/// By the mean, as many policies reach the largest possible error of 2 somewhere; overflow is worse.
double badness(const PolicyCurves& of) {
  double sum = 0;
  for (const double error : of.error->ys) sum += error;
  return sum;
}

Readout worst_policy(const PrecisionContext& c) {
  Readout readout = start_card("precision.worst", c.text);
  const PolicyCurves& of =
      *std::max_element(c.curves.policies.begin(), c.curves.policies.end(),
                        [](const PolicyCurves& a, const PolicyCurves& b) { return smaller(badness(a), badness(b)); });
  const PrecisionWorst worst = worst_of(of);
  readout.value = Words(policy_key(*of.policy));
  readout.note =
      c.text.format(std::isnan(worst.error) ? "readout.precision.worst.overflow" : "readout.precision.worst.note",
                    {{"error", readable_number(worst.error, 3)}, {"position", counted(worst.position)}});
  return readout;
}

/// The largest change of the score under a shift, and its shift; positions that overflow are passed over.
struct Change {
  double change = 0, shift = 0;
};
Change change_of_precision(const PolicyCurves& of) {
  Change most;
  for (std::size_t i = 0; i < of.shifted->ys.size(); ++i) {
    const double change = std::abs(of.shifted->ys[i] - of.unshifted);
    if (change > most.change) most = {change, of.shifted->x_at(i)};
  }
  return most;
}

Readout shift_precision(const PrecisionContext& c) {
  Readout readout = start_card("precision.shift", c.text);
  const PolicyCurves* worst = nullptr;
  Change most;
  for (const PolicyCurves& of : c.curves.policies) {
    const Change change = change_of_precision(of);
    if (worst && change.change <= most.change) continue;
    worst = &of;
    most = change;
  }
  const TextValue distance = counted(c.knobs.distance);
  if (most.change < kUnchanged) {
    readout.value = Words("readout.precision.shift.no");
    readout.note =
        c.text.format("readout.precision.shift.no_note", {{"distance", distance}, {"span", counted(c.knobs.span)}});
    return readout;
  }
  readout.value = Quantity{with_digits(most.change, 2), "", "readout.precision.shift.yes"};
  readout.note = c.text.format("readout.precision.shift.note",
                               {{"policy", c.name(*worst)}, {"shift", counted(most.shift)}, {"distance", distance}});
  return readout;
}

}  // namespace

std::string policy_label(const PrecisionPolicy& policy, const Text& text) {
  return text[policy_key(policy)];
}

std::string format_of(const PrecisionPolicy& policy) {
  const std::string name(policy.name.substr(0, policy.name.find('-')));
  return name == "flux" ? "bfloat16" : name;
}

std::vector<Readout> precision_readouts(const PrecisionCurves& curves, double length, const PrecisionKnobs& knobs,
                                        const Text& text) {
  if (curves.policies.empty()) return {};
  const PrecisionContext c{curves, length, knobs, text};
  return {repeated(c), at_length(c), worst_policy(c), shift_precision(c)};
}

}  // namespace ropescope
