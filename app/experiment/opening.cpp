#include <algorithm>
#include <iterator>
#include <string_view>

#include "app/experiment/experiment.h"
#include "app/experiment/number_fields.h"

namespace ropescope {

namespace {

/// How far the views look: what the length that a model was trained for is the measure of.
constexpr std::string_view kLengths[] = {"decay.span", "limits.context", "precision.span"};

class Follow : public NumberFields {
 public:
  Follow(double before, double now) : before_(before), now_(now) {}
  void number(const NumberField& field, double& value) override {
    if (std::find(std::begin(kLengths), std::end(kLengths), field.key) == std::end(kLengths)) return;
    const bool opened = before_ > 0 && value == clamp_to(field, before_);
    if (opened || value == field.initial) value = clamp_to(field, now_);
  }

 private:
  double before_, now_;
};

}  // namespace

void follow_opening(Experiment& experiment) {
  const double length = experiment.rope.trained_length;
  if (!(length > 0)) return;
  Follow follow(experiment.opened_length, length);
  describe(follow, experiment);
  experiment.opened_length = length;
}

}  // namespace ropescope
