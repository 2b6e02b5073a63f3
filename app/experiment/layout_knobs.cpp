#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "app/experiment/entry_names.h"
#include "app/experiment/experiment.h"
#include "app/experiment/whole_fields.h"
#include "core/layouts/layout.h"

namespace ropescope {

namespace {

constexpr double kMostSide = 8192;

/// A side in pixels. Only a slider is held to sizes that divide: a file may ask for another one and be told why not.
NumberField side_field(std::string_view key, double step, double initial, bool control) {
  NumberField field = whole_field(key, 16, kMostSide, initial, control);
  field.unit = "unit.pixels";
  if (step > 1) {
    // No slider gives what a file may not hold.
    field.minimum = step * std::ceil(field.minimum / step);
    field.maximum = step * std::floor(kMostSide / step);
    field.step = step;
  }
  return field;
}

/// A control that shows the nearest of what there is to choose from and keeps the choice until it is used.
void shown_number(Fields& fields, const NumberField& field, double& value) {
  double shown = std::clamp(value, field.minimum, field.maximum);
  const double before = shown;
  fields.number(field, shown);
  if (shown != before) value = shown;
}

/// Declares the knobs of a layout's settings one after the other: files and controls keep the order in which they
/// began; a setting that is not asked for by its name follows as declared.
class SettingKnobs {
 public:
  SettingKnobs(Fields& fields, LayoutKnobs& knobs, const Layout& layout)
      : fields_(fields), knobs_(knobs), layout_(layout), left_(all_layout_settings()) {
    std::erase_if(left_, [](const Setting& setting) { return !setting.knob; });
  }
  /// `own`: what 0 stands for, where the layout knows.
  void describe(std::string_view name, std::optional<double> own = {}) {
    const auto found =
        std::find_if(left_.begin(), left_.end(), [name](const Setting& setting) { return setting.name == name; });
    const Setting setting = *found;
    left_.erase(found);
    const LayoutSetting* taken = find_setting(layout_, name);
    const bool control = taken && (taken->traits & kNoControl) == 0 && asks_for(knobs_, layout_, name);
    ropescope::describe(fields_, setting, knobs_.settings, control, own);
  }
  void describe_rest() {
    while (!left_.empty()) describe(left_.front().name);
  }

 private:
  Fields& fields_;
  LayoutKnobs& knobs_;
  const Layout& layout_;
  std::vector<LayoutSetting> left_;
};

void describe_size(Fields& fields, SettingKnobs& settings, LayoutKnobs& knobs, const Layout& layout,
                   const LayoutControls& controls) {
  static const LayoutKnobs initial;
  const bool image = takes(layout, "image"), pixels = knobs.size_by != "tokens";
  fields.choice(
      {.key = "layout.size_by", .options = {"pixels", "tokens"}, .initial = initial.size_by, .control = image},
      knobs.size_by);
  fields.number(side_field("layout.width", controls.step, initial.width, image && pixels), knobs.width);
  fields.number(side_field("layout.height", controls.step, initial.height, image && pixels), knobs.height);
  fields.number(whole_field("layout.rows", 1, kMostSide, initial.rows, image && !pixels), knobs.rows);
  fields.number(whole_field("layout.columns", 1, kMostSide, initial.columns, image && !pixels), knobs.columns);
  settings.describe("text");
  settings.describe("text_after");
  fields.text({.key = "layout.references", .control = takes(layout, "references")}, knobs.references);
  settings.describe("frames");
  NumberField frame =
      whole_field("layout.frame", 1, std::max(controls.frames, 2.0), 1, takes(layout, "frames") && knobs["frames"] > 1);
  frame.logarithmic = false;
  shown_number(fields, frame, knobs.frame);
  for (const char* name : {"tokens_per_second", "frame_rate", "unscaled"}) settings.describe(name);
}

void describe_model(Fields& fields, SettingKnobs& settings, LayoutKnobs& knobs, const Layout& layout) {
  static const LayoutKnobs initial;
  settings.describe("head_dim");
  settings.describe("base", shared_base(layout));
  settings.describe("patch");
  fields.text({.key = "layout.axes", .initial = initial.axes, .control = takes(layout, "axes")}, knobs.axes);
  fields.choice({.key = "layout.pairing",
                 .options = {"interleaved", "half"},
                 .initial = initial.pairing,
                 .control = takes(layout, "pairing")},
                knobs.pairing);
  for (const char* name : {"language_ladder", "max_frequency", "head", "heads", "seed"}) settings.describe(name);
  settings.describe_rest();
  fields.text({.key = "layout.config", .control = false, .endings = ".json .gguf"}, knobs.config);
  fields.text({.key = "layout.axis_dims", .control = false}, knobs.axis_dims);
  fields.text({.key = "layout.sections", .control = false}, knobs.sections);
  fields.text({.key = "layout.position_grid", .control = false}, knobs.position_grid);
}

void describe_patches(Fields& fields, LayoutKnobs& knobs, double tokens) {
  static const LayoutKnobs initial;
  fields.group("patches");
  fields.action({.key = "layout.ask"}, [&knobs] { ask_raster_question(knobs); });
  NumberField anchor = whole_field("layout.anchor", 0, kMostLayoutTokens, 0, true);
  anchor.maximum = std::clamp(tokens - 1, 1.0, kMostLayoutTokens);
  shown_number(fields, anchor, knobs.anchor);
  fields.text({.key = "layout.targets", .initial = initial.targets}, knobs.targets);
  fields.choice({.key = "layout.click", .options = {"next", "extra"}, .initial = initial.click}, knobs.click);
}

void describe_colours(Fields& fields, LayoutKnobs& knobs, const Layout& layout, const LayoutControls& controls) {
  static const LayoutKnobs initial;
  const bool shown = controls.colouring, image = takes(layout, "image");
  fields.group("colours");
  fields.choice(
      {.key = "layout.colours", .options = {"index", "axis", "angle"}, .initial = initial.colours, .control = shown},
      knobs.colours);
  ChoiceField axis{.key = "layout.axis",
                   .options = controls.axes.empty() ? all_layout_axes() : controls.axes,
                   .initial = LayoutKnobs().axis,
                   .control = shown && knobs.colours == "axis"};
  std::string name = knobs.axis;
  if (!controls.axes.empty() && std::find(axis.options.begin(), axis.options.end(), name) == axis.options.end()) {
    name = axis.options.front();
  }
  const std::string before = name;
  fields.choice(axis, name);
  if (name != before) knobs.axis = name;
  NumberField pair =
      whole_field("layout.pair", 0, std::clamp(controls.pairs - 1, 1.0, 4095.0), 0, shown && knobs.colours == "angle");
  pair.logarithmic = false;
  shown_number(fields, pair, knobs.pair);
  fields.text({.key = "layout.picture", .control = shown && image, .endings = ".png .jpg .jpeg"}, knobs.picture);
  fields.number({.key = "layout.picture_strength",
                 .minimum = 0,
                 .maximum = 1,
                 .initial = initial.picture_strength,
                 .control = shown && image && !knobs.picture.empty()},
                knobs.picture_strength);
  fields.range({.key = "layout.row_range"}, knobs.row_range);
  fields.range({.key = "layout.column_range"}, knobs.column_range);
}

}  // namespace

std::vector<std::string> all_layout_axes() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (const Layout& layout : all_layouts()) {
      for (const AxisDefault& axis : layout.axes) {
        if (std::find(names.begin(), names.end(), axis.name) == names.end()) names.emplace_back(axis.name);
      }
    }
    return names;
  }();
  return all;
}

bool asks_for(const LayoutKnobs& knobs, const Layout& layout, std::string_view setting) {
  const LayoutSetting* own = find_setting(layout, setting);
  return own && (own->with.empty() || knobs[own->with] != 0) && (own->without.empty() || knobs[own->without] == 0);
}

void ask_raster_question(LayoutKnobs& knobs) {
  knobs.size_by = "tokens";
  knobs.rows = knobs.columns = 64;
  knobs["frames"] = knobs.frame = 1;
  knobs.anchor = 0;
  knobs.targets = "63,64";
  knobs.row_range.reset();
  knobs.column_range.reset();
}

void describe(Fields& fields, LayoutKnobs& knobs, const LayoutControls& controls) {
  static const LayoutKnobs initial;
  fields.group("layout");
  fields.choice({.key = "layout.name", .options = entry_names(all_layouts()), .initial = initial.name}, knobs.name);
  const auto layouts = all_layouts();
  const auto layout =
      std::find_if(layouts.begin(), layouts.end(), [&](const Layout& each) { return each.name == knobs.name; });
  for (const Words& note : controls.notes) fields.note(note);
  // Before clamping the name may be any.
  const Layout& chosen = layout == layouts.end() ? find_layout(initial.name) : *layout;
  SettingKnobs settings(fields, knobs, chosen);
  describe_size(fields, settings, knobs, chosen, controls);
  describe_model(fields, settings, knobs, chosen);
  if (controls.patches) describe_patches(fields, knobs, controls.tokens);
  describe_colours(fields, knobs, chosen, controls);
}

}  // namespace ropescope
