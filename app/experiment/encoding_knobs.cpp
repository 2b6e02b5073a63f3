#include <algorithm>

#include "app/experiment/experiment.h"
#include "app/experiment/setting_fields.h"

namespace ropescope {

namespace {

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
    // Everybody else hides the pairing; who lists it here shows channels.
    const bool shown = field.control || field.key == "rope.pairing";
    field.control = shown && std::find(keys_.begin(), keys_.end(), field.key) != keys_.end();
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

std::vector<EncodingSetting> encoding_settings_in_order() {
  static const std::vector<EncodingSetting> ordered = in_order(all_encoding_settings(), kEncodingOrder);
  return ordered;
}

void describe(Fields& fields, EncodingKnobs& knobs, std::span<const std::string_view> used) {
  const auto is_used = [used](std::string_view setting) {
    return std::find(used.begin(), used.end(), setting) != used.end();
  };
  fields.group("encoding");
  for (const EncodingSetting& setting : encoding_settings_in_order()) {
    if (setting.knob) describe(fields, setting, knobs.settings, is_used(setting.name));
  }
}

void describe_embedding(Fields& fields, RopeKnobs& knobs, std::span<const std::string_view> controls) {
  OnlyControls only(fields, controls);
  describe(only, knobs);
}

}  // namespace ropescope
