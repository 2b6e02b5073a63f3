#include <algorithm>

#include "app/experiment/experiment.h"
#include "app/experiment/whole_fields.h"

namespace ropescope {

namespace {

struct NumberKnob {
  std::string_view setting;  ///< member of EncodingSettings
  double EncodingKnobs::*value;
  NumberField field;
};

// In the order of the controls; the ranges are those of EncodingSettings.
constexpr NumberKnob kNumbers[] = {
    {"heads", &EncodingKnobs::heads, whole_field("encoding.heads", 1, 1024, 8)},
    {"head", &EncodingKnobs::head, whole_field("encoding.head", 1, 1024, 1)},
    {"trained_length",
     &EncodingKnobs::table_length,
     {.key = "encoding.table_length",
      .minimum = 1,
      .maximum = 131'072,
      .initial = 512,
      .logarithmic = true,
      .whole = true,
      .unit = "unit.positions"}},
    {"clip",
     &EncodingKnobs::clip,
     {.key = "encoding.clip",
      .minimum = 1,
      .maximum = 65'536,
      .initial = 16,
      .logarithmic = true,
      .whole = true,
      .unit = "unit.positions"}},
    {"buckets",
     &EncodingKnobs::buckets,
     {.key = "encoding.buckets",
      .minimum = 4,
      .maximum = 1024,
      .initial = 32,
      .logarithmic = true,
      .whole = true,
      .step = 4}},
    {"max_distance",
     &EncodingKnobs::max_distance,
     {.key = "encoding.max_distance",
      .minimum = 2,
      .maximum = 1'048'576,
      .initial = 128,
      .logarithmic = true,
      .whole = true,
      .unit = "unit.positions"}},
    {"kerple_r1",
     &EncodingKnobs::kerple_r1,
     {.key = "encoding.kerple_r1", .minimum = 0.001, .maximum = 100, .initial = 1, .logarithmic = true}},
    {"kerple_r2",
     &EncodingKnobs::kerple_r2,
     {.key = "encoding.kerple_r2", .minimum = 0.001, .maximum = 100, .initial = 1, .logarithmic = true}},
    {"p", &EncodingKnobs::p, {.key = "encoding.p", .minimum = 0, .maximum = 1, .initial = 0.75}},
    {"xpos_scale_base",
     &EncodingKnobs::xpos_scale_base,
     {.key = "encoding.xpos_scale_base",
      .minimum = 1,
      .maximum = 1'048'576,
      .initial = 512,
      .logarithmic = true,
      .unit = "unit.positions"}},
    {"seed", &EncodingKnobs::seed, seed_field("encoding.seed", 1)},
};

struct SwitchKnob {
  std::string_view key, setting;
  bool EncodingKnobs::*value;
  bool initial;
};
constexpr SwitchKnob kSwitches[] = {
    {"encoding.bidirectional", "bidirectional", &EncodingKnobs::bidirectional, true},
    {"encoding.seeded_projections", "seeded_projections", &EncodingKnobs::seeded_projections, false},
};

/// Passes declarations on, but lets only some of them have controls, and begins a group at its first control.
class OnlyControls : public Fields {
 public:
  OnlyControls(Fields& fields, std::span<const std::string_view> keys) : fields_(fields), keys_(keys) {}
  void group(std::string_view key) override { group_ = key; }
  void number(const NumberField& field, double& value) override { fields_.number(limited(field), value); }
  void choice(const ChoiceField& field, std::string& value) override { fields_.choice(limited(field), value); }
  void toggle(const ToggleField& field, bool& value) override { fields_.toggle(limited(field), value); }
  void text(const TextField& field, std::string& value) override { fields_.text(limited(field), value); }
  void range(const RangeField& field, std::optional<Range>& value) override { fields_.range(field, value); }
  void names(const NamesField& field, std::vector<std::string>& value) override { fields_.names(field, value); }

 private:
  template <class Field>
  Field limited(Field field) {
    field.control = field.control && std::find(keys_.begin(), keys_.end(), field.key) != keys_.end();
    if (field.control && group_ != begun_) {
      fields_.group(group_);
      begun_ = group_;
    }
    return field;
  }
  Fields& fields_;
  std::span<const std::string_view> keys_;
  std::string group_, begun_;
};

}  // namespace

void describe(Fields& fields, EncodingKnobs& knobs, std::span<const std::string_view> used) {
  const auto is_used = [used](std::string_view setting) {
    return std::find(used.begin(), used.end(), setting) != used.end();
  };
  fields.group("encoding");
  for (const NumberKnob& knob : kNumbers) {
    NumberField field = knob.field;
    field.control = is_used(knob.setting);
    fields.number(field, knobs.*knob.value);
  }
  for (const SwitchKnob& knob : kSwitches) {
    fields.toggle({.key = knob.key, .initial = knob.initial, .control = is_used(knob.setting)}, knobs.*knob.value);
  }
}

void describe_embedding(Fields& fields, RopeKnobs& knobs, std::span<const std::string_view> controls) {
  OnlyControls only(fields, controls);
  describe(only, knobs);
  only.group("embedding");
  describe_pairing(only, knobs, true);
}

}  // namespace ropescope
