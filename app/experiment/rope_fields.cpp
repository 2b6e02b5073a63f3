// Describes the fields of ropes, extensions, encodings, layouts and small views, each once, for all visitors.
//
// Contents: Extensions; Ropes; Encodings; Layouts; Atlas; Facets; Frequencies; Limits; Precision; Reported; Similarity;
// Sweep.

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
#include "core/registry.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- Extensions ----------------------------------------------------------------------------------------------------

namespace {

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

void describe(FieldVisitor& visit, ScalingFields& fields) {
  visit.group("extension");
  visit.choice({.key = "rope.scaling", .options = entry_names(all_scaling_methods()), .initial = "none"},
               fields.method);
  // A reader of files has filled in the method by now; it may be one that it is about to refuse.
  const ScalingMethod* method = entry_named(all_scaling_methods(), fields.method);
  visit.number({.key = "rope.length",
                .minimum = 0,
                .maximum = 1e9,
                .initial = 0,
                .logarithmic = true,
                .whole = true,
                .unit = "unit.positions",
                .zero = "unit.as_shown",
                .control = method && method->depends_on_length},
               fields.length);
  for (const ScalingField& parameter : all_scaling_fields()) {
    describe(visit, parameter, fields.parameters, method && find_parameter(*method, parameter.name));
  }
  for (const ScalingList& list : all_scaling_lists()) {
    visit.text({.key = list.key, .initial = "", .control = method && find_list(*method, list.name)},
               fields.lists.at(list.name));
  }
}

Extension extension_of(const ScalingFields& fields) {
  const ScalingMethod& method = find_scaling_method(fields.method);
  Extension extension;
  extension.method = method.name;
  for (const ScalingField& parameter : method.parameters) {
    const double value = fields[parameter.name];
    if (is_given(parameter, value)) extension.numbers[std::string(parameter.name)] = value;
  }
  for (const ScalingList& list : method.lists) {
    const std::string& text = fields.lists.at(list.name);
    if (text.empty()) continue;
    extension.lists[std::string(list.name)] = parse_list(text, std::string(list.key), kMostFactors);
  }
  return extension;
}

ScalingFields scaling_fields_of(const Extension& extension) {
  const Extension complete = with_defaults(extension);
  ScalingFields fields;
  fields.method = complete.method;
  for (const ScalingField& parameter : find_scaling_method(fields.method).parameters) {
    const auto found = complete.numbers.find(std::string(parameter.name));
    if (found != complete.numbers.end()) fields.parameters.set(parameter.name, found->second);
  }
  for (auto& [name, text] : fields.lists) {
    const auto found = complete.lists.find(std::string(name));
    if (found != complete.lists.end()) text = list_text(found->second);
  }
  return fields;
}

// --- Ropes ---------------------------------------------------------------------------------------------------------

void describe_pairing(FieldVisitor& visit, RopeFields& fields, bool control) {
  static const RopeFields initial;
  visit.choice(
      {.key = "rope.pairing", .options = {"interleaved", "half"}, .initial = initial.pairing, .control = control},
      fields.pairing);
}

void describe(FieldVisitor& visit, RopeFields& fields) {
  static const RopeFields initial;
  visit.group("embedding");
  visit.text({.key = "rope.label", .initial = initial.label, .control = false}, fields.label);
  visit.text({.key = "rope.config", .initial = initial.config, .control = false, .endings = ".json .gguf"},
             fields.config);
  visit.text({.key = "rope.model", .initial = initial.model, .control = false}, fields.model);
  visit.text({.key = "rope.profile", .initial = initial.profile, .control = false}, fields.profile);
  visit.text({.key = "rope.axes", .initial = initial.axes, .control = false}, fields.axes);

  // Which controls make sense depends on the axes: a reader of files has filled these in by now.
  std::vector<AxisEntry> axes;
  read_axis_list(fields.axes, axes);
  std::vector<std::string> names;
  bool own_base = false;
  for (const AxisEntry& axis : axes) {
    const bool looked_at = axis.name == fields.axis || (fields.axis.empty() && names.empty());
    if (looked_at) own_base = axis.base.has_value();
    names.push_back(axis.name);
  }
  const bool several = !names.empty();

  visit.number({.key = "rope.base",
                .minimum = 1.01,
                .maximum = 1e12,
                .initial = initial.base,
                .logarithmic = true,
                .control = !own_base},
               fields.base);
  visit.number({.key = "rope.rotary_dim",
                .minimum = 2,
                .maximum = kLargestDimension,
                .initial = initial.rotary_dim,
                .logarithmic = true,
                .whole = true,
                .step = 2,
                .unit = "unit.channels",
                .control = !several},
               fields.rotary_dim);
  visit.choice(
      {.key = "rope.axis", .options = names, .initial = several ? names.front() : std::string(), .control = several},
      fields.axis);
  visit.number({.key = "rope.trained_length",
                .minimum = 0,
                .maximum = 1e9,
                .initial = initial.trained_length,
                .logarithmic = true,
                .whole = true,
                .unit = "unit.positions",
                .zero = "unit.none"},
               fields.trained_length);
  visit.number({.key = "rope.context_length",
                .minimum = 0,
                .maximum = 1e9,
                .initial = initial.context_length,
                .logarithmic = true,
                .whole = true,
                .unit = "unit.positions",
                .zero = "unit.none",
                .control = false},
               fields.context_length);
  visit.number({.key = "rope.head_dim",
                .minimum = 2,
                .maximum = kLargestDimension,
                .initial = initial.head_dim,
                .logarithmic = true,
                .whole = true,
                .unit = "unit.channels",
                .control = false},
               fields.head_dim);
  // The pairing says which channels form a pair; only the view that shows channels has a control for it.
  describe_pairing(visit, fields, false);
  describe(visit, fields.scaling);
}

// --- Encodings -----------------------------------------------------------------------------------------------------

namespace {

/// Passes declarations on, but lets only some of them have controls, and begins a group at its first control.
class OnlyControls : public FieldVisitor {
 public:
  OnlyControls(FieldVisitor& visit, std::span<const std::string_view> keys) : fields_(visit), keys_(keys) {}
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
  FieldVisitor& fields_;
  std::span<const std::string_view> keys_;
  std::string group_, begun_;
};

}  // namespace

void describe(FieldVisitor& visit, EncodingFields& fields, std::span<const std::string_view> used) {
  const auto is_used = [used](std::string_view field) {
    return std::find(used.begin(), used.end(), field) != used.end();
  };
  visit.group("encoding");
  for (const EncodingField& field : all_encoding_fields()) {
    if (field.has_control) describe(visit, field, fields.settings, is_used(field.name));
  }
}

void describe_embedding(FieldVisitor& visit, RopeFields& fields, std::span<const std::string_view> controls) {
  OnlyControls only(visit, controls);
  describe(only, fields);
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
void shown_number(FieldVisitor& visit, const NumberField& field, double& value) {
  double shown = std::clamp(value, field.minimum, field.maximum);
  const double before = shown;
  visit.number(field, shown);
  if (shown != before) value = shown;
}

/// Shows the declared fields of a layout one after the other: files and controls keep the order in which they
/// began; a field that is not asked for by its name follows as declared.
class DeclaredFields {
 public:
  DeclaredFields(FieldVisitor& visit, LayoutFields& fields, const Layout& layout)
      : visit_(visit), fields_(fields), layout_(layout), left_(all_layout_fields()) {
    std::erase_if(left_, [](const Field& field) { return !field.has_control; });
  }
  /// `own`: what 0 stands for, where the layout knows.
  void describe(std::string_view name, std::optional<double> own = {}) {
    const auto found =
        std::find_if(left_.begin(), left_.end(), [name](const Field& field) { return field.name == name; });
    const Field field = *found;
    left_.erase(found);
    const LayoutField* taken = find_field(layout_, name);
    const bool control = taken && (taken->traits & kNoControl) == 0 && asks_for(fields_, layout_, name);
    ropescope::describe(visit_, field, fields_.settings, control, own);
  }
  void describe_rest() {
    while (!left_.empty()) describe(left_.front().name);
  }

 private:
  FieldVisitor& visit_;
  LayoutFields& fields_;
  const Layout& layout_;
  std::vector<LayoutField> left_;
};

void describe_size(FieldVisitor& visit, DeclaredFields& settings, LayoutFields& fields, const Layout& layout,
                   const LayoutControls& controls) {
  static const LayoutFields initial;
  const bool image = takes(layout, "image"), pixels = fields.size_by != "tokens";
  visit.choice({.key = "layout.size_by", .options = {"pixels", "tokens"}, .initial = initial.size_by, .control = image},
               fields.size_by);
  visit.number(side_field("layout.width", controls.step, initial.width, image && pixels), fields.width);
  visit.number(side_field("layout.height", controls.step, initial.height, image && pixels), fields.height);
  visit.number(whole_field("layout.rows", 1, kMostSide, initial.rows, image && !pixels), fields.rows);
  visit.number(whole_field("layout.columns", 1, kMostSide, initial.columns, image && !pixels), fields.columns);
  settings.describe("text");
  settings.describe("text_after");
  visit.text({.key = "layout.references", .control = takes(layout, "references")}, fields.references);
  settings.describe("frames");
  NumberField frame = whole_field("layout.frame", 1, std::max(controls.frames, 2.0), 1,
                                  takes(layout, "frames") && fields["frames"] > 1);
  frame.logarithmic = false;
  shown_number(visit, frame, fields.frame);
  for (const char* name : {"tokens_per_second", "frame_rate", "unscaled"}) settings.describe(name);
}

void describe_model(FieldVisitor& visit, DeclaredFields& settings, LayoutFields& fields, const Layout& layout) {
  static const LayoutFields initial;
  settings.describe("head_dim");
  settings.describe("base", shared_base(layout));
  settings.describe("patch");
  visit.text({.key = "layout.axes", .initial = initial.axes, .control = takes(layout, "axes")}, fields.axes);
  visit.choice({.key = "layout.pairing",
                .options = {"interleaved", "half"},
                .initial = initial.pairing,
                .control = takes(layout, "pairing")},
               fields.pairing);
  for (const char* name : {"language_ladder", "max_frequency", "head", "heads", "seed"}) settings.describe(name);
  settings.describe_rest();
  visit.text({.key = "layout.config", .control = false, .endings = ".json .gguf"}, fields.config);
  visit.text({.key = "layout.axis_dims", .control = false}, fields.axis_dims);
  visit.text({.key = "layout.sections", .control = false}, fields.sections);
  visit.text({.key = "layout.position_grid", .control = false}, fields.position_grid);
}

void describe_patches(FieldVisitor& visit, LayoutFields& fields, double tokens) {
  static const LayoutFields initial;
  visit.group("patches");
  visit.action({.key = "layout.ask"}, [&fields] { ask_raster_question(fields); });
  NumberField anchor = whole_field("layout.anchor", 0, kMostLayoutTokens, 0, true);
  anchor.maximum = std::clamp(tokens - 1, 1.0, kMostLayoutTokens);
  shown_number(visit, anchor, fields.anchor);
  visit.text({.key = "layout.targets", .initial = initial.targets}, fields.targets);
  visit.choice({.key = "layout.click", .options = {"next", "extra"}, .initial = initial.click}, fields.click);
}

void describe_colours(FieldVisitor& visit, LayoutFields& fields, const Layout& layout, const LayoutControls& controls) {
  static const LayoutFields initial;
  const bool shown = controls.colouring, image = takes(layout, "image");
  visit.group("colours");
  visit.choice(
      {.key = "layout.colours", .options = {"index", "axis", "angle"}, .initial = initial.colours, .control = shown},
      fields.colours);
  ChoiceField axis{.key = "layout.axis",
                   .options = controls.axes.empty() ? all_layout_axes() : controls.axes,
                   .initial = LayoutFields().axis,
                   .control = shown && fields.colours == "axis"};
  std::string name = fields.axis;
  if (!controls.axes.empty() && std::find(axis.options.begin(), axis.options.end(), name) == axis.options.end()) {
    name = axis.options.front();
  }
  const std::string before = name;
  visit.choice(axis, name);
  if (name != before) fields.axis = name;
  NumberField pair =
      whole_field("layout.pair", 0, std::clamp(controls.pairs - 1, 1.0, 4095.0), 0, shown && fields.colours == "angle");
  pair.logarithmic = false;
  shown_number(visit, pair, fields.pair);
  visit.text({.key = "layout.picture", .control = shown && image, .endings = ".png .jpg .jpeg"}, fields.picture);
  visit.number({.key = "layout.picture_strength",
                .minimum = 0,
                .maximum = 1,
                .initial = initial.picture_strength,
                .control = shown && image && !fields.picture.empty()},
               fields.picture_strength);
  visit.range({.key = "layout.row_range"}, fields.row_range);
  visit.range({.key = "layout.column_range"}, fields.column_range);
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

bool asks_for(const LayoutFields& fields, const Layout& layout, std::string_view field) {
  const LayoutField* own = find_field(layout, field);
  return own && (own->with.empty() || fields[own->with] != 0) && (own->without.empty() || fields[own->without] == 0);
}

void ask_raster_question(LayoutFields& fields) {
  fields.size_by = "tokens";
  fields.rows = fields.columns = 64;
  fields["frames"] = fields.frame = 1;
  fields.anchor = 0;
  fields.targets = "63,64";
  fields.row_range.reset();
  fields.column_range.reset();
}

void describe(FieldVisitor& visit, LayoutFields& fields, const LayoutControls& controls) {
  static const LayoutFields initial;
  visit.group("layout");
  visit.choice({.key = "layout.name", .options = entry_names(all_layouts()), .initial = initial.name}, fields.name);
  const auto layouts = all_layouts();
  const auto layout =
      std::find_if(layouts.begin(), layouts.end(), [&](const Layout& each) { return each.name == fields.name; });
  for (const Words& note : controls.notes) visit.note(note);
  // Before clamping the name may be any.
  const Layout& chosen = layout == layouts.end() ? find_layout(initial.name) : *layout;
  DeclaredFields settings(visit, fields, chosen);
  describe_size(visit, settings, fields, chosen, controls);
  describe_model(visit, settings, fields, chosen);
  if (controls.patches) describe_patches(visit, fields, controls.tokens);
  describe_colours(visit, fields, chosen, controls);
}

// --- Atlas ---------------------------------------------------------------------------------------------------------

void describe(FieldVisitor& visit, AtlasFields& fields) {
  static const AtlasFields initial;
  visit.group("atlas");
  visit.choice({.key = "atlas.values",
                .options = {"sinusoidal", "rope-cos", "rope-sin", "rope-angle", "learned"},
                .initial = initial.values},
               fields.values);
  visit.choice({.key = "atlas.rows", .options = {"numbers", "words"}, .initial = initial.rows}, fields.rows);
  visit.number({.key = "atlas.positions",
                .minimum = 2,
                .maximum = kMostAtlasPositions,
                .initial = initial.positions,
                .logarithmic = true,
                .whole = true,
                .unit = "unit.positions",
                .control = fields.rows != "words"},
               fields.positions);
  visit.text({.key = "atlas.sentence", .initial = initial.sentence, .control = fields.rows == "words"},
             fields.sentence);
  visit.number({.key = "atlas.row",
                .minimum = 0,
                .maximum = kMostAtlasPositions - 1,
                .initial = initial.row,
                .logarithmic = true,
                .whole = true,
                .control = fields.rows != "words"},
               fields.row);
  visit.names({.key = "atlas.below", .options = {"row", "column", "turns", "variance"}, .initial = initial.below},
              fields.below);
  const bool column = std::find(fields.below.begin(), fields.below.end(), "column") != fields.below.end();
  visit.text({.key = "atlas.columns", .initial = initial.columns, .control = column}, fields.columns);
  visit.range({.key = "atlas.dimension_range"}, fields.dimension_range);
  visit.range({.key = "atlas.position_range"}, fields.position_range);
  visit.range({.key = "atlas.value_range"}, fields.value_range);
  visit.range({.key = "atlas.turns_range"}, fields.turns_range);
  visit.range({.key = "atlas.variance_range"}, fields.variance_range);
  visit.range({.key = "atlas.column_range"}, fields.column_range);
}

// --- Facets --------------------------------------------------------------------------------------------------------

void describe(FieldVisitor& visit, FacetFields& fields) {
  visit.group("facets");
  // Asked for from the menu of a field; then there is something to edit, or to clear.
  const bool control = !fields.across.empty() || !fields.down.empty();
  visit.text({.key = "facet.across", .control = control}, fields.across);
  visit.text({.key = "facet.down", .control = control}, fields.down);
}

void describe(FieldVisitor& visit, CurveFields& fields, std::size_t pins) {
  static const CurveFields initial;
  visit.group("pinned");
  std::vector<std::string> ropes{"current"};
  for (std::size_t pin = 0; pin < pins; ++pin) ropes.push_back(pin_key(pin));
  visit.choice({.key = "curves.shown_as",
                .options = {"values", "difference", "ratio"},
                .initial = initial.shown_as,
                .control = pins > 0},
               fields.shown_as);
  visit.choice({.key = "curves.relative_to",
                .options = std::move(ropes),
                .initial = initial.relative_to,
                .control = pins > 0 && fields.shown_as != "values"},
               fields.relative_to);
}

// --- Frequencies ---------------------------------------------------------------------------------------------------

void describe(FieldVisitor& visit, FrequenciesFields& fields) {
  static const FrequenciesFields initial;
  visit.group("plot");
  visit.choice({.key = "frequencies.quantity", .options = {"wavelength", "frequency"}, .initial = initial.quantity},
               fields.quantity);
  visit.toggle({.key = "frequencies.show_ratio", .initial = initial.show_ratio}, fields.show_ratio);
  visit.range({.key = "frequencies.pair_range"}, fields.pair_range);
  visit.range({.key = "frequencies.value_range"}, fields.value_range);
  visit.range({.key = "frequencies.ratio_range"}, fields.ratio_range);
}

// --- Limits --------------------------------------------------------------------------------------------------------

void describe(FieldVisitor& visit, LimitsFields& fields) {
  static const LimitsFields initial;
  visit.group("plot");
  visit.choice({.key = "limits.show", .options = {"curve", "information", "dropped"}, .initial = initial.show},
               fields.show);
  visit.number({.key = "limits.context",
                .minimum = 16,
                .maximum = 1'048'576,
                .initial = initial.context,
                .logarithmic = true,
                .whole = true,
                .unit = "unit.positions",
                .follows_length = true},
               fields.context);
  visit.range({.key = "limits.base_range"}, fields.base_range);
  visit.range({.key = "limits.largest_range"}, fields.largest_range);
  visit.range({.key = "limits.pair_range"}, fields.pair_range);
  visit.range({.key = "limits.turns_range"}, fields.turns_range);
  visit.range({.key = "limits.variance_range"}, fields.variance_range);
  visit.range({.key = "limits.distance_range"}, fields.distance_range);
  visit.range({.key = "limits.similarity_range"}, fields.similarity_range);
}

// --- Precision -----------------------------------------------------------------------------------------------------

void describe(FieldVisitor& visit, PrecisionFields& fields) {
  static const PrecisionFields initial;
  visit.group("plot");
  visit.choice({.key = "precision.policies",
                .options = {"common", "float32", "bfloat16", "float16", "all"},
                .initial = initial.policies},
               fields.policies);
  visit.number({.key = "precision.span",
                .minimum = 16,
                .maximum = 16'777'216,
                .initial = initial.span,
                .logarithmic = true,
                .whole = true,
                .unit = "unit.positions",
                .follows_length = true},
               fields.span);
  visit.choice({.key = "precision.show", .options = {"score", "shift"}, .initial = initial.show}, fields.show);
  // It has a control in either case: a readout always says what a shift does at this distance.
  visit.number({.key = "precision.distance",
                .minimum = 0,
                .maximum = 1'048'576,
                .initial = initial.distance,
                .logarithmic = true,
                .whole = true,
                .unit = "unit.positions"},
               fields.distance);
  visit.range({.key = "precision.position_range"}, fields.position_range);
  visit.range({.key = "precision.error_range"}, fields.error_range);
  visit.range({.key = "precision.score_error_range"}, fields.score_error_range);
  visit.range({.key = "precision.score_range"}, fields.score_range);
}

// --- Reported ------------------------------------------------------------------------------------------------------

void describe(FieldVisitor& visit, ReportedFields& fields) {
  static const ReportedFields initial;
  visit.group("reported");
  visit.choice({.key = "reported.table", .options = {"wmt-2014", "glue", "cail2019-scm"}, .initial = initial.table},
               fields.table);
  visit.choice({.key = "reported.task",
                .options = {"mrpc", "sst-2", "qnli", "sts-b", "qqp", "mnli", "mnli-mm"},
                .initial = initial.task,
                .control = fields.table == "glue"},
               fields.task);
  visit.choice({.key = "reported.part",
                .options = {"validation", "test"},
                .initial = initial.part,
                .control = fields.table == "cail2019-scm"},
               fields.part);
}

// --- Similarity ----------------------------------------------------------------------------------------------------

void describe(FieldVisitor& visit, SimilarityFields& fields, const std::vector<std::string>& axes) {
  static const SimilarityFields initial;
  visit.group("similarity");
  visit.choice({.key = "similarity.anchor_mode", .options = {"follow", "fixed"}, .initial = initial.anchor_mode},
               fields.anchor_mode);
  visit.choice({.key = "similarity.content", .options = {"aligned", "random"}, .initial = initial.content},
               fields.content);
  visit.number(seed_field("similarity.seed", initial.seed, fields.content == "random"), fields.seed);
  ChoiceField axis{
      .key = "similarity.axis", .options = axes.empty() ? all_layout_axes() : axes, .initial = initial.axis};
  axis.options.insert(axis.options.begin(), "all");
  // The part of the only axis is the whole.
  axis.control = axis.options.size() > 2;
  // One that this layout has not shows all of them, and is kept.
  const bool known = std::find(axis.options.begin(), axis.options.end(), fields.axis) != axis.options.end();
  std::string name = known || axes.empty() ? fields.axis : "all";
  const std::string before = name;
  visit.choice(axis, name);
  if (name != before) fields.axis = name;
  visit.choice({.key = "similarity.colours", .options = {"full", "fitted"}, .initial = initial.colours},
               fields.colours);
  ChoiceField against{.key = "similarity.against",
                      .options = entry_names(all_layouts()),
                      .initial = initial.against,
                      .labels = "layout.name"};
  against.options.insert(against.options.begin(), "none");
  visit.choice(against, fields.against);
  visit.range({.key = "similarity.row_range"}, fields.row_range);
  visit.range({.key = "similarity.column_range"}, fields.column_range);
  visit.range({.key = "similarity.profile_range"}, fields.profile_range);
  visit.range({.key = "similarity.value_range"}, fields.value_range);
}

// --- Sweep ---------------------------------------------------------------------------------------------------------

void describe(FieldVisitor& visit, SweepFields& fields) {
  static const SweepFields initial;
  visit.group("sweep");
  visit.text({.key = "sweep.readout", .initial = initial.readout}, fields.readout);
  visit.text({.key = "sweep.over", .initial = initial.over}, fields.over);
  visit.text({.key = "sweep.second", .initial = initial.second}, fields.second);
  visit.choice({.key = "sweep.value_axis", .options = {"linear", "log"}, .initial = initial.value_axis},
               fields.value_axis);
  visit.range({.key = "sweep.over_range"}, fields.over_range);
  visit.range({.key = "sweep.second_range"}, fields.second_range);
  visit.range({.key = "sweep.value_range"}, fields.value_range);
}

}  // namespace ropescope
