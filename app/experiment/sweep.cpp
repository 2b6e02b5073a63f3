#include "app/experiment/sweep.h"
#include "app/experiment/partial_fields.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "app/figure/number_text.h"

namespace ropescope {

namespace {

class OneNumber : public PartialFields {
 public:
  OneNumber(std::string_view key, const NumberFound& found) : key_(key), found_(found) {}
  bool any = false;
  void number(const NumberField& field, double& value) override {
    if (field.key != key_) return;
    any = true;
    found_(field, value);
  }

 private:
  std::string_view key_;
  const NumberFound& found_;
};

/// A value between two powers is nobody's choice: twelve digits of it are shown, typed and saved alike.
double twelve_digits(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.12g", value);
  return parse_number(text.data()).value_or(value);
}

}  // namespace

bool visit_number(Experiment& experiment, std::string_view key, const NumberFound& found) {
  OneNumber visitor(key, found);
  describe(visitor, experiment);
  return visitor.any;
}

double swept_value(const NumberField& field, const Sweep& sweep, double fraction) {
  if (fraction <= 0) return clamp_to(field, sweep.from);
  if (fraction >= 1) return clamp_to(field, sweep.to);
  if (!sweep.logarithmic) return clamp_to(field, sweep.from + fraction * (sweep.to - sweep.from));
  const bool from_zero = std::min(sweep.from, sweep.to) <= 0;
  const auto to_log = [from_zero](double value) { return from_zero ? std::log1p(value) : std::log(value); };
  const double logarithm = to_log(sweep.from) + fraction * (to_log(sweep.to) - to_log(sweep.from));
  return clamp_to(field, twelve_digits(from_zero ? std::expm1(logarithm) : std::exp(logarithm)));
}

Sweep slider_sweep(const Experiment& experiment, std::string_view key) {
  Sweep sweep;
  Experiment read = experiment;
  visit_number(read, key, [&sweep](const NumberField& field, double&) {
    sweep = {std::string(field.key), slider_value(field, 0), slider_value(field, 1), field.logarithmic};
  });
  return sweep;
}

double there_and_back(double share) {
  share -= std::floor(share);
  return share <= 0.5 ? 2 * share : 2 - 2 * share;
}

double fraction_of_frame(std::size_t index, std::size_t count, bool to_and_fro) {
  const auto at = static_cast<double>(index), frames = static_cast<double>(count);
  if (count < 2) return 0;
  return to_and_fro ? there_and_back(at / frames) : at / (frames - 1);
}

void apply_sweep(Experiment& experiment, const Sweep& sweep, double fraction) {
  visit_number(experiment, sweep.key, [&sweep, fraction](const NumberField& field, double& value) {
    value = swept_value(field, sweep, fraction);
  });
}

std::string sweep_assignment(const Experiment& experiment, const Sweep& sweep, double fraction) {
  std::string text;
  Experiment read = experiment;
  visit_number(read, sweep.key, [&](const NumberField& field, double&) {
    text = sweep.key + "=" + shortest_number(swept_value(field, sweep, fraction));
  });
  return text;
}

}  // namespace ropescope
