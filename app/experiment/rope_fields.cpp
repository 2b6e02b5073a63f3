// Contents: Extensions; Ropes; Encodings; Layouts; Atlas; Facets; Frequencies; Limits; Precision; Reported;
// Similarity; Sweep.

#include "app/experiment/rope_fields.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "app/experiment/experiment.h"
#include "app/experiment/fields.h"
#include "app/figure/figure.h"
#include "core/layouts/layout.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- Extensions ----------------------------------------------------------------------------------------------------

namespace {

/// Null for a name that a reader of files is about to refuse.
const ScalingMethod* method_named(const std::string& name) {
  for (const ScalingMethod& method : all_scaling_methods()) {
    if (method.name == name) return &method;
  }
  return nullptr;
}

std::string list_text(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) text += (text.empty() ? "" : ",") + shortest_number(number);
  return text;
}

}  // namespace

std::map<std::string_view, std::string> empty_scaling_lists() {
  std::map<std::string_view, std::string> lists;
  for (const ScalingList& list : all_scaling_lists()) lists[list.name];
  return lists;
}

std::vector<ScalingParameter> scaling_parameters_in_order() {
  static const std::vector<ScalingParameter> ordered = in_order(all_scaling_parameters(), kScalingOrder);
  return ordered;
}

void describe(Fields& fields, ScalingKnobs& knobs) {
  fields.group("extension");
  fields.choice({.key = "rope.scaling", .options = entry_names(all_scaling_methods()), .initial = "none"},
                knobs.method);
  // A reader of files has filled in the method by now.
  const ScalingMethod* method = method_named(knobs.method);
  fields.number({.key = "rope.length",
                 .minimum = 0,
                 .maximum = 1e9,
                 .initial = 0,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.positions",
                 .zero = "unit.as_shown",
                 .control = method && method->depends_on_length},
                knobs.length);
  for (const ScalingParameter& parameter : scaling_parameters_in_order()) {
    describe(fields, parameter, knobs.parameters, method && find_parameter(*method, parameter.name));
  }
  for (const ScalingList& list : all_scaling_lists()) {
    fields.text({.key = list.key, .initial = "", .control = method && find_list(*method, list.name)},
                knobs.lists.at(list.name));
  }
}

Extension extension_of(const ScalingKnobs& knobs) {
  const ScalingMethod& method = find_scaling_method(knobs.method);
  Extension extension;
  extension.method = method.name;
  for (const ScalingParameter& parameter : method.parameters) {
    const double value = knobs[parameter.name];
    if (is_given(parameter, value)) extension.numbers[std::string(parameter.name)] = value;
  }
  for (const ScalingList& list : method.lists) {
    const std::string& text = knobs.lists.at(list.name);
    if (text.empty()) continue;
    extension.lists[std::string(list.name)] = parse_list(text, std::string(list.key), kMostFactors);
  }
  return extension;
}

ScalingKnobs scaling_knobs_of(const Extension& extension) {
  const Extension complete = with_defaults(extension);
  ScalingKnobs knobs;
  knobs.method = complete.method;
  for (const ScalingParameter& parameter : find_scaling_method(knobs.method).parameters) {
    const auto found = complete.numbers.find(std::string(parameter.name));
    if (found != complete.numbers.end()) knobs.parameters.set(parameter.name, found->second);
  }
  for (auto& [name, text] : knobs.lists) {
    const auto found = complete.lists.find(std::string(name));
    if (found != complete.lists.end()) text = list_text(found->second);
  }
  return knobs;
}

// --- Ropes ---------------------------------------------------------------------------------------------------------

void describe_pairing(Fields& fields, RopeKnobs& knobs, bool control) {
  static const RopeKnobs initial;
  fields.choice(
      {.key = "rope.pairing", .options = {"interleaved", "half"}, .initial = initial.pairing, .control = control},
      knobs.pairing);
}

void describe(Fields& fields, RopeKnobs& knobs) {
  static const RopeKnobs initial;
  fields.group("embedding");
  fields.text({.key = "rope.label", .initial = initial.label, .control = false}, knobs.label);
  fields.text({.key = "rope.config", .initial = initial.config, .control = false, .endings = ".json .gguf"},
              knobs.config);
  fields.text({.key = "rope.model", .initial = initial.model, .control = false}, knobs.model);
  fields.text({.key = "rope.profile", .initial = initial.profile, .control = false}, knobs.profile);
  fields.text({.key = "rope.axes", .initial = initial.axes, .control = false}, knobs.axes);

  // Which controls make sense depends on the axes: a reader of files has filled these in by now.
  std::vector<AxisEntry> axes;
  read_axis_list(knobs.axes, axes);
  std::vector<std::string> names;
  bool own_base = false;
  for (const AxisEntry& axis : axes) {
    const bool looked_at = axis.name == knobs.axis || (knobs.axis.empty() && names.empty());
    if (looked_at) own_base = axis.base.has_value();
    names.push_back(axis.name);
  }
  const bool several = !names.empty();

  fields.number({.key = "rope.base",
                 .minimum = 1.01,
                 .maximum = 1e12,
                 .initial = initial.base,
                 .logarithmic = true,
                 .control = !own_base},
                knobs.base);
  fields.number({.key = "rope.rotary_dim",
                 .minimum = 2,
                 .maximum = kLargestDimension,
                 .initial = initial.rotary_dim,
                 .logarithmic = true,
                 .whole = true,
                 .step = 2,
                 .unit = "unit.channels",
                 .control = !several},
                knobs.rotary_dim);
  fields.choice(
      {.key = "rope.axis", .options = names, .initial = several ? names.front() : std::string(), .control = several},
      knobs.axis);
  fields.number({.key = "rope.trained_length",
                 .minimum = 0,
                 .maximum = 1e9,
                 .initial = initial.trained_length,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.positions",
                 .zero = "unit.none"},
                knobs.trained_length);
  fields.number({.key = "rope.context_length",
                 .minimum = 0,
                 .maximum = 1e9,
                 .initial = initial.context_length,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.positions",
                 .zero = "unit.none",
                 .control = false},
                knobs.context_length);
  fields.number({.key = "rope.head_dim",
                 .minimum = 2,
                 .maximum = kLargestDimension,
                 .initial = initial.head_dim,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.channels",
                 .control = false},
                knobs.head_dim);
  // The pairing says which channels form a pair; only the view that shows channels has a control for it.
  describe_pairing(fields, knobs, false);
  describe(fields, knobs.scaling);
}

// --- Encodings -----------------------------------------------------------------------------------------------------

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

// --- Layouts -------------------------------------------------------------------------------------------------------

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

// --- Atlas ---------------------------------------------------------------------------------------------------------

void describe(Fields& fields, AtlasKnobs& knobs) {
  static const AtlasKnobs initial;
  fields.group("atlas");
  fields.choice({.key = "atlas.values",
                 .options = {"sinusoidal", "rope-cos", "rope-sin", "rope-angle", "learned"},
                 .initial = initial.values},
                knobs.values);
  fields.choice({.key = "atlas.rows", .options = {"numbers", "words"}, .initial = initial.rows}, knobs.rows);
  fields.number({.key = "atlas.positions",
                 .minimum = 2,
                 .maximum = kMostAtlasPositions,
                 .initial = initial.positions,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.positions",
                 .control = knobs.rows != "words"},
                knobs.positions);
  fields.text({.key = "atlas.sentence", .initial = initial.sentence, .control = knobs.rows == "words"}, knobs.sentence);
  fields.number({.key = "atlas.row",
                 .minimum = 0,
                 .maximum = kMostAtlasPositions - 1,
                 .initial = initial.row,
                 .logarithmic = true,
                 .whole = true,
                 .control = knobs.rows != "words"},
                knobs.row);
  fields.names({.key = "atlas.below", .options = {"row", "column", "turns", "variance"}, .initial = initial.below},
               knobs.below);
  const bool column = std::find(knobs.below.begin(), knobs.below.end(), "column") != knobs.below.end();
  fields.text({.key = "atlas.columns", .initial = initial.columns, .control = column}, knobs.columns);
  fields.range({.key = "atlas.dimension_range"}, knobs.dimension_range);
  fields.range({.key = "atlas.position_range"}, knobs.position_range);
  fields.range({.key = "atlas.value_range"}, knobs.value_range);
  fields.range({.key = "atlas.turns_range"}, knobs.turns_range);
  fields.range({.key = "atlas.variance_range"}, knobs.variance_range);
  fields.range({.key = "atlas.column_range"}, knobs.column_range);
}

// --- Facets --------------------------------------------------------------------------------------------------------

void describe(Fields& fields, FacetKnobs& knobs) {
  fields.group("facets");
  // Asked for from the menu of a knob; then there is something to edit, or to clear.
  const bool control = !knobs.across.empty() || !knobs.down.empty();
  fields.text({.key = "facet.across", .control = control}, knobs.across);
  fields.text({.key = "facet.down", .control = control}, knobs.down);
}

void describe(Fields& fields, CurveKnobs& knobs, std::size_t pins) {
  static const CurveKnobs initial;
  fields.group("pinned");
  std::vector<std::string> ropes{"current"};
  for (std::size_t pin = 0; pin < pins; ++pin) ropes.push_back(pin_key(pin));
  fields.choice({.key = "curves.shown_as",
                 .options = {"values", "difference", "ratio"},
                 .initial = initial.shown_as,
                 .control = pins > 0},
                knobs.shown_as);
  fields.choice({.key = "curves.relative_to",
                 .options = std::move(ropes),
                 .initial = initial.relative_to,
                 .control = pins > 0 && knobs.shown_as != "values"},
                knobs.relative_to);
}

// --- Frequencies ---------------------------------------------------------------------------------------------------

void describe(Fields& fields, FrequenciesKnobs& knobs) {
  static const FrequenciesKnobs initial;
  fields.group("plot");
  fields.choice({.key = "frequencies.quantity", .options = {"wavelength", "frequency"}, .initial = initial.quantity},
                knobs.quantity);
  fields.toggle({.key = "frequencies.show_ratio", .initial = initial.show_ratio}, knobs.show_ratio);
  fields.range({.key = "frequencies.pair_range"}, knobs.pair_range);
  fields.range({.key = "frequencies.value_range"}, knobs.value_range);
  fields.range({.key = "frequencies.ratio_range"}, knobs.ratio_range);
}

// --- Limits --------------------------------------------------------------------------------------------------------

void describe(Fields& fields, LimitsKnobs& knobs) {
  static const LimitsKnobs initial;
  fields.group("plot");
  fields.choice({.key = "limits.show", .options = {"curve", "information", "dropped"}, .initial = initial.show},
                knobs.show);
  fields.number({.key = "limits.context",
                 .minimum = 16,
                 .maximum = 1'048'576,
                 .initial = initial.context,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.positions",
                 .follows_length = true},
                knobs.context);
  fields.range({.key = "limits.base_range"}, knobs.base_range);
  fields.range({.key = "limits.largest_range"}, knobs.largest_range);
  fields.range({.key = "limits.pair_range"}, knobs.pair_range);
  fields.range({.key = "limits.turns_range"}, knobs.turns_range);
  fields.range({.key = "limits.variance_range"}, knobs.variance_range);
  fields.range({.key = "limits.distance_range"}, knobs.distance_range);
  fields.range({.key = "limits.similarity_range"}, knobs.similarity_range);
}

// --- Precision -----------------------------------------------------------------------------------------------------

void describe(Fields& fields, PrecisionKnobs& knobs) {
  static const PrecisionKnobs initial;
  fields.group("plot");
  fields.choice({.key = "precision.policies",
                 .options = {"common", "float32", "bfloat16", "float16", "all"},
                 .initial = initial.policies},
                knobs.policies);
  fields.number({.key = "precision.span",
                 .minimum = 16,
                 .maximum = 16'777'216,
                 .initial = initial.span,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.positions",
                 .follows_length = true},
                knobs.span);
  fields.choice({.key = "precision.show", .options = {"score", "shift"}, .initial = initial.show}, knobs.show);
  // It has a control in either case: a readout always says what a shift does at this distance.
  fields.number({.key = "precision.distance",
                 .minimum = 0,
                 .maximum = 1'048'576,
                 .initial = initial.distance,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.positions"},
                knobs.distance);
  fields.range({.key = "precision.position_range"}, knobs.position_range);
  fields.range({.key = "precision.error_range"}, knobs.error_range);
  fields.range({.key = "precision.score_error_range"}, knobs.score_error_range);
  fields.range({.key = "precision.score_range"}, knobs.score_range);
}

// --- Reported ------------------------------------------------------------------------------------------------------

void describe(Fields& fields, ReportedKnobs& knobs) {
  static const ReportedKnobs initial;
  fields.group("reported");
  fields.choice({.key = "reported.table", .options = {"wmt-2014", "glue", "cail2019-scm"}, .initial = initial.table},
                knobs.table);
  fields.choice({.key = "reported.task",
                 .options = {"mrpc", "sst-2", "qnli", "sts-b", "qqp", "mnli", "mnli-mm"},
                 .initial = initial.task,
                 .control = knobs.table == "glue"},
                knobs.task);
  fields.choice({.key = "reported.part",
                 .options = {"validation", "test"},
                 .initial = initial.part,
                 .control = knobs.table == "cail2019-scm"},
                knobs.part);
}

// --- Similarity ----------------------------------------------------------------------------------------------------

void describe(Fields& fields, SimilarityKnobs& knobs, const std::vector<std::string>& axes) {
  static const SimilarityKnobs initial;
  fields.group("similarity");
  fields.choice({.key = "similarity.anchor_mode", .options = {"follow", "fixed"}, .initial = initial.anchor_mode},
                knobs.anchor_mode);
  fields.choice({.key = "similarity.content", .options = {"aligned", "random"}, .initial = initial.content},
                knobs.content);
  fields.number(seed_field("similarity.seed", initial.seed, knobs.content == "random"), knobs.seed);
  ChoiceField axis{
      .key = "similarity.axis", .options = axes.empty() ? all_layout_axes() : axes, .initial = initial.axis};
  axis.options.insert(axis.options.begin(), "all");
  // The part of the only axis is the whole.
  axis.control = axis.options.size() > 2;
  // One that this layout has not shows all of them, and is kept.
  const bool known = std::find(axis.options.begin(), axis.options.end(), knobs.axis) != axis.options.end();
  std::string name = known || axes.empty() ? knobs.axis : "all";
  const std::string before = name;
  fields.choice(axis, name);
  if (name != before) knobs.axis = name;
  fields.choice({.key = "similarity.colours", .options = {"full", "fitted"}, .initial = initial.colours},
                knobs.colours);
  ChoiceField against{.key = "similarity.against",
                      .options = entry_names(all_layouts()),
                      .initial = initial.against,
                      .labels = "layout.name"};
  against.options.insert(against.options.begin(), "none");
  fields.choice(against, knobs.against);
  fields.range({.key = "similarity.row_range"}, knobs.row_range);
  fields.range({.key = "similarity.column_range"}, knobs.column_range);
  fields.range({.key = "similarity.profile_range"}, knobs.profile_range);
  fields.range({.key = "similarity.value_range"}, knobs.value_range);
}

// --- Sweep ---------------------------------------------------------------------------------------------------------

void describe(Fields& fields, SweepKnobs& knobs) {
  static const SweepKnobs initial;
  fields.group("sweep");
  fields.text({.key = "sweep.readout", .initial = initial.readout}, knobs.readout);
  fields.text({.key = "sweep.over", .initial = initial.over}, knobs.over);
  fields.text({.key = "sweep.second", .initial = initial.second}, knobs.second);
  fields.choice({.key = "sweep.value_axis", .options = {"linear", "log"}, .initial = initial.value_axis},
                knobs.value_axis);
  fields.range({.key = "sweep.over_range"}, knobs.over_range);
  fields.range({.key = "sweep.second_range"}, knobs.second_range);
  fields.range({.key = "sweep.value_range"}, knobs.value_range);
}

}  // namespace ropescope
