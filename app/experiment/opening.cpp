#include <algorithm>

#include "app/experiment/experiment.h"
#include "app/experiment/partial_fields.h"

namespace ropescope {

namespace {

class Follow : public PartialFields {
 public:
  Follow(double before, double now) : before_(before), now_(now) {}
  void number(const NumberField& field, double& value) override {
    if (!field.follows_length) return;
    const bool opened = before_ > 0 && value == clamp_to(field, before_);
    if (opened || value == field.initial) value = clamp_to(field, now_);
  }

 private:
  double before_, now_;
};

}  // namespace

void follow_opening(Experiment& experiment) {
  const double length = std::max(experiment.rope.trained_length, experiment.rope.context_length);
  if (!(length > 0)) return;
  Follow follow(experiment.opened_length, length);
  describe(follow, experiment);
  experiment.opened_length = length;
}

}  // namespace ropescope
