#include <algorithm>
#include <cmath>

#include "app/experiment/curves.h"
#include "app/experiment/experiment.h"
#include "app/experiment/partial_fields.h"

namespace ropescope {

namespace {

class Clamp : public Fields {
 public:
  void number(const NumberField& field, double& value) override { value = clamp_to(field, value); }
  void choice(const ChoiceField& field, std::string& value) override {
    if (!accepts(field, value)) value = field.initial;
  }
  void toggle(const ToggleField&, bool&) override {}
  void text(const TextField&, std::string&) override {}
  void range(const RangeField&, std::optional<Range>& value) override {
    const bool usable = value && std::isfinite(value->low) && std::isfinite(value->high) && value->low < value->high;
    if (!usable) value.reset();
  }
  void names(const NamesField& field, std::vector<std::string>& value) override { value = clamp_to(field, value); }
};

}  // namespace

void describe(Fields& fields, Experiment& experiment) {
  fields.text({.key = "view", .initial = Experiment().view, .control = false}, experiment.view);
  fields.names({.key = "hidden"}, experiment.hidden);
  describe(fields, experiment.rope);
  describe(fields, experiment.rotation);
  describe(fields, experiment.decay);
  describe(fields, experiment.frequencies);
  describe(fields, experiment.limits);
  describe(fields, experiment.precision);
  describe(fields, experiment.encoding);
  describe(fields, experiment.atlas);
  describe(fields, experiment.compare);
  describe(fields, experiment.attention);
  describe(fields, experiment.layout);
  describe(fields, experiment.similarity);
  describe(fields, experiment.check);
  describe(fields, experiment.race);
  describe(fields, experiment.reported);
  describe(fields, experiment.curves);
  describe(fields, experiment.facet);
  describe(fields, experiment.sweep);
}

void grow_head(RopeKnobs& rope) {
  if (rope.axes.empty()) rope.head_dim = std::max(rope.head_dim, rope.rotary_dim);
}

void clamp(Experiment& experiment) {
  Clamp visitor;
  describe(visitor, experiment);
  grow_head(experiment.rope);
  for (Pin& pin : experiment.pins) {
    describe(visitor, pin.rope);
    grow_head(pin.rope);
  }
  if (experiment.pins.size() > kMaximumPins) experiment.pins.resize(kMaximumPins);
  settle_curves(experiment);
  if (experiment.notes.size() > kMaximumNotes) experiment.notes.resize(kMaximumNotes);
}

namespace {

class ResetRanges : public PartialFields {
 public:
  void range(const RangeField&, std::optional<Range>& value) override { value.reset(); }
};

}  // namespace

void reset_ranges(Experiment& experiment) {
  ResetRanges visitor;
  describe(visitor, experiment);
}

}  // namespace ropescope
