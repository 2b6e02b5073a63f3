// Declarations of the fields of ropes, extensions, encodings, layouts and small views.
//
// Contents: Extensions; Ropes; Encodings; Layouts; Atlas; Facets; Frequencies; Limits; Precision; Reported; Similarity;
// Sweep; Own curves.

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "app/experiment/experiment.h"
#include "app/experiment/fields.h"
#include "app/figure/figure.h"
#include "core/attention/attention.h"
#include "core/formats/curve_file.h"
#include "core/formats/ladder_text.h"
#include "core/layouts/extension.h"
#include "core/layouts/layout.h"
#include "core/precision/precision.h"
#include "core/registry.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- Extensions ----------------------------------------------------------------------------------------------------

namespace {

std::string list_text(const std::vector<double>& numbers) {
  return joined(numbers, ",", shortest_number);
}

// --- Layouts -------------------------------------------------------------------------------------------------------

constexpr double kMaxSide = 8192;

/// Returns a side in pixels. Only sliders are limited to divisible sizes: files may contain others and get an error.
NumberField side_in_steps(double step) {
  NumberField side = whole_between(16, kMaxSide, "unit.pixels");
  if (step > 1) {
    // A slider must not give values that a file must not contain.
    side.lowest = step * std::ceil(side.minimum / step);
    side.highest = step * std::floor(kMaxSide / step);
    side.step = step;
  }
  return side;
}

/// Declares the fields of a layout one after another. Files and controls keep their original order; fields that are not
/// added by name follow in declaration order.
class DeclareSettings {
 public:
  /// `beyond`: only the fields beyond the trained resolution; otherwise all others.
  DeclareSettings(FieldList& list, LayoutFields& fields, const Layout& layout, bool beyond)
      : list_(list), fields_(fields), layout_(layout), left_(all_layout_fields()) {
    std::erase_if(left_, [beyond](const NumberField& field) {
      return !field.has_control || (find_named_entry(extension_fields(), field.name) != nullptr) != beyond;
    });
  }
  /// `own`: the value that 0 stands for, if the layout knows it.
  void add(std::string_view name, std::optional<double> own = {}) {
    const auto found =
        std::find_if(left_.begin(), left_.end(), [name](const NumberField& field) { return field.name == name; });
    const NumberField field = *found;
    left_.erase(found);
    const LayoutField* taken = find_field(layout_, name);
    const bool control = taken && (taken->traits & kNoControl) == 0 && uses_field(fields_, layout_, name);
    list_.push_back(field_of(field, fields_.settings, control, own));
  }
  void add_rest() {
    while (!left_.empty()) add(left_.front().name);
  }

 private:
  FieldList& list_;
  LayoutFields& fields_;
  const Layout& layout_;
  std::vector<LayoutField> left_;
};

void declare_size(Declare<LayoutFields>& declare, DeclareSettings& settings, LayoutFields& fields, const Layout& layout,
                  const LayoutControls& controls) {
  const bool image = takes(layout, "image"), pixels = fields.size_by != SizeBy::tokens;
  declare.choice("layout.size_by", &LayoutFields::size_by, image);
  declare.number("layout.width", &LayoutFields::width, side_in_steps(controls.step), image && pixels);
  declare.number("layout.height", &LayoutFields::height, side_in_steps(controls.step), image && pixels);
  declare.toggle("layout.fit", &LayoutFields::fit, image && pixels && !layout.sizes.source.empty());
  declare.number("layout.rows", &LayoutFields::rows, whole_between(1, kMaxSide), image && !pixels);
  declare.number("layout.columns", &LayoutFields::columns, whole_between(1, kMaxSide), image && !pixels);
  settings.add("text");
  settings.add("text_after");
  declare.text("layout.references", &LayoutFields::references, takes(layout, "references")).max_bytes = kMaxListBytes;
  settings.add("frames");
  const bool frames = takes(layout, "frames") && fields["frames"] > 1;
  declare.number("layout.frame", &LayoutFields::frame, count_between(1, std::max(controls.frames, 2.0)), frames)
      .nearest = true;
  for (const char* name : {"tokens_per_second", "frame_rate", "unscaled"}) settings.add(name);
}

void declare_model(Declare<LayoutFields>& declare, DeclareSettings& settings, const Layout& layout) {
  settings.add("head_dim");
  settings.add("base", shared_base(layout));
  settings.add("patch");
  declare.text("layout.axes", &LayoutFields::axes, takes(layout, "axes"));
  declare.choice("layout.pairing", &LayoutFields::pairing, takes(layout, "pairing"));
  for (const char* name : {"language_ladder", "max_frequency", "head", "heads", "seed"}) settings.add(name);
  settings.add_rest();
  declare.text("layout.config", &LayoutFields::config, false, ".json .gguf");
  declare.text("layout.axis_dims", &LayoutFields::axis_dims, false);
  declare.text("layout.sections", &LayoutFields::sections, false);
  declare.text("layout.position_grid", &LayoutFields::position_grid, false);
}

/// Declares the fields that extend a picture beyond the trained resolution.
void declare_beyond(FieldList& list, Declare<LayoutFields>& declare, LayoutFields& fields, const Layout& layout) {
  declare.group("resolution");
  declare
      .choice("layout.extension", &LayoutFields::scaling, entry_names(all_scaling_methods(), extends_axes),
              takes(layout, "scaling"))
      .labels = "rope.scaling";
  DeclareSettings(list, fields, layout, true).add_rest();
}

void declare_patches(Declare<LayoutFields>& declare, LayoutFields& fields, double tokens) {
  declare.group("patches");
  declare.action("layout.ask", [&fields] { ask_raster_question(fields); });
  const NumberField anchor = whole_between(0, std::clamp(tokens - 1, 1.0, kMaxLayoutTokens));
  declare.number("layout.anchor", &LayoutFields::anchor, anchor).nearest = true;
  declare.text("layout.targets", &LayoutFields::targets).max_bytes = kMaxListBytes;
  declare.choice("layout.click", &LayoutFields::click);
}

/// Returns the names of the axes of all layouts, each once.
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

void declare_colours(Declare<LayoutFields>& declare, LayoutFields& fields, const Layout& layout,
                     const LayoutControls& controls) {
  const bool shown = controls.colouring, image = takes(layout, "image");
  declare.group("colours");
  declare.choice("layout.colours", &LayoutFields::colours, shown);
  declare
      .choice("layout.axis", &LayoutFields::axis, controls.axes.empty() ? all_layout_axes() : controls.axes,
              shown && fields.colours == LayoutColours::axis)
      .nearest = !controls.axes.empty();
  const NumberField pair = count_between(0, std::clamp(controls.pairs - 1, 1.0, 4095.0));
  declare.number("layout.pair", &LayoutFields::pair, pair, shown && fields.colours == LayoutColours::angle).nearest =
      true;
  declare.text("layout.picture", &LayoutFields::picture, shown && image, ".png .jpg .jpeg");
  declare.number("layout.picture_strength", &LayoutFields::picture_strength, number_between(0, 1),
                 shown && image && !fields.picture.empty());
  declare.zooms(&LayoutFields::zooms);
}

// --- Own curves ----------------------------------------------------------------------------------------------------

/// Returns a key of a user curve, "own2.file", that outlives all fields.
std::string_view key_of_own(std::size_t index, std::string_view name) {
  static const std::set<std::string, std::less<>> keys = [] {
    std::set<std::string, std::less<>> all;
    for (std::size_t i = 0; i < kMaxUserCurves; ++i) {
      all.insert(own_key(i));
      for (const char* each :
           {"file", "data", "columns", "name", "title", "marks", "errors", "slot", "axis", "scale"}) {
        all.insert(own_key(i) + "." + each);
      }
    }
    return all;
  }();
  return *keys.find(own_key(index) + (name.empty() ? "" : ".") + std::string(name));
}

void declare_user_curve(FieldList& list, UserCurveFields& fields, std::size_t index, bool shown) {
  Declare declare(list, fields);
  const auto key = [index](std::string_view name) { return key_of_own(index, name); };
  const bool any = !fields.data.empty();
  if (shown) declare.group(key({}));
  declare.text(key("file"), &UserCurveFields::file, shown, kCurveEndings);
  declare.note(describe_reading(fields.data, fields.columns));
  declare.text(key("data"), &UserCurveFields::data, false).max_bytes = kMaxCurveBytes;
  declare.choice(key("columns"), &UserCurveFields::columns, has_more_columns(fields.data)).labels = "own.columns";
  declare.text(key("name"), &UserCurveFields::name, any);
  declare.text(key("title"), &UserCurveFields::title, any);
  declare.choice(key("marks"), &UserCurveFields::marks, any).labels = "own.marks";
  declare.choice(key("errors"), &UserCurveFields::errors, has_more_columns(fields.data)).labels = "own.errors";
  Field& slot = declare.number(key("slot"), &UserCurveFields::slot, count_between(0, kPinSlots), any);
  slot.zero = "unit.automatic";
  declare.choice(key("axis"), &UserCurveFields::axis, any).labels = "own.axis";
  declare.choice(key("scale"), &UserCurveFields::scale, {AxisScale::linear, AxisScale::log}, any).labels = "own.scale";
}

}  // namespace

std::map<std::string_view, std::string> empty_scaling_lists() {
  std::map<std::string_view, std::string> lists;
  for (const ScalingList& list : all_scaling_lists()) lists[list.name];
  return lists;
}

void declare_fields(FieldList& list, ScalingFields& fields) {
  Declare declare(list, fields);
  // Fields that are not clamped yet may contain any name.
  const ScalingMethod* method = find_named_entry(all_scaling_methods(), fields.method);
  declare.group("extension");
  declare.choice("rope.scaling", &ScalingFields::method, entry_names(all_scaling_methods()));
  declare
      .number("rope.length", &ScalingFields::length, whole_between(0, 1e9, "unit.positions"),
              method && method->depends_on_length)
      .zero = "unit.as_shown";
  for (const ScalingField& parameter : all_scaling_fields()) {
    list.push_back(field_of(parameter, fields.parameters, method && find_parameter(*method, parameter.name)));
  }
  for (const ScalingList& each : all_scaling_lists()) {
    list.push_back(text_field(each.key, ""));
    list.back().value = &fields.lists.at(each.name);
    list.back().max_bytes = kMaxListBytes;
    list.back().control = method && find_list(*method, each.name);
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
    extension.lists[std::string(list.name)] = parse_list(text, std::string(list.key), kMaxFactors);
  }
  return extension;
}

ScalingFields to_scaling_fields(const Extension& extension) {
  const Extension complete = fill_defaults(extension);
  ScalingFields fields;
  fields.method = complete.method;
  for (const ScalingField& parameter : find_scaling_method(fields.method).parameters) {
    if (const auto found = complete.number(parameter.name)) fields.parameters.set(parameter.name, *found);
  }
  for (auto& [name, text] : fields.lists) {
    const auto found = complete.lists.find(std::string(name));
    if (found != complete.lists.end()) text = list_text(found->second);
  }
  return fields;
}

// --- Ropes ---------------------------------------------------------------------------------------------------------

void declare_pairing(FieldList& list, RopeFields& fields, bool control) {
  Declare(list, fields).choice("rope.pairing", &RopeFields::pairing, control);
}

void declare_fields(FieldList& list, RopeFields& fields) {
  Declare declare(list, fields);
  declare.group("embedding");
  declare.text("rope.label", &RopeFields::label, false);
  declare.text("rope.config", &RopeFields::config, false, ".json .gguf");
  declare.text("rope.model", &RopeFields::model, false);
  declare.text("rope.profile", &RopeFields::profile, false);
  declare.text("rope.axes", &RopeFields::axes, false).decides = true;

  // The available controls depend on the axes; a reader of files rebuilds the list after these fields (Field::decides).
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
  const std::string first = several ? names.front() : std::string();

  declare
      .number("rope.base", &RopeFields::base, logarithmic_between(1.01, 1e12),
              !own_base && !is_ladder_of_numbers(fields.ladder))
      .round = true;
  const NumberField channels = whole_between(2, kLargestDimension, "unit.channels");
  declare.number("rope.rotary_dim", &RopeFields::rotary_dim, channels, !several).step = 2;
  declare.choice("rope.axis", &RopeFields::axis, std::move(names), several).initial_text = first;
  const NumberField length = whole_between(0, 1e9, "unit.positions");
  declare.number("rope.trained_length", &RopeFields::trained_length, length).zero = "unit.none";
  declare.text("rope.ladder", &RopeFields::ladder).max_bytes = kMaxListBytes;
  declare.number("rope.context_length", &RopeFields::context_length, length, false).zero = "unit.none";
  declare.number("rope.head_dim", &RopeFields::head_dim, channels, false);
  // The pairing determines the channels of a pair; only the view that shows channels has a control for it.
  declare_pairing(list, fields, false);
  declare_fields(list, fields.scaling);
}

// --- Encodings -----------------------------------------------------------------------------------------------------

void declare_fields(FieldList& list, EncodingFields& fields, std::span<const std::string_view> used) {
  Declare(list, fields).group("encoding");
  for (const EncodingField& field : all_encoding_fields()) {
    const bool is_used = std::find(used.begin(), used.end(), field.name) != used.end();
    if (field.has_control) list.push_back(field_of(field, fields.settings, is_used));
  }
}

void declare_embedding(FieldList& list, RopeFields& fields, std::span<const std::string_view> controls) {
  const std::size_t first = list.size();
  declare_fields(list, fields);
  for (Field& field : std::span(list).subspan(first)) {
    // The pairing is hidden by default; a caller that lists it shows channels.
    const bool shown = field.control || field.key == "rope.pairing";
    field.control = shown && std::find(controls.begin(), controls.end(), field.key) != controls.end();
  }
}

bool uses_field(const LayoutFields& fields, const Layout& layout, std::string_view field) {
  const LayoutField* own = find_field(layout, field);
  return own && (own->with.empty() || fields[own->with] != 0) && (own->without.empty() || fields[own->without] == 0) &&
         is_of_method(*own, fields.scaling);
}

void ask_raster_question(LayoutFields& fields) {
  fields.size_by = SizeBy::tokens;
  fields.rows = fields.columns = 64;
  fields["frames"] = fields.frame = 1;
  fields.anchor = 0;
  fields.targets = "63,64";
  fields.zooms.reset();
}

void declare_fields(FieldList& list, LayoutFields& fields, const LayoutControls& controls) {
  Declare declare(list, fields);
  declare.group("layout");
  declare.choice("layout.name", &LayoutFields::name, entry_names(all_layouts()));
  const auto layouts = all_layouts();
  const auto layout =
      std::find_if(layouts.begin(), layouts.end(), [&](const Layout& each) { return each.name == fields.name; });
  for (const Message& note : controls.notes) declare.note(note);
  // Before clamping the name may be anything.
  const Layout& chosen = layout == layouts.end() ? find_layout(declare.initial().name) : *layout;
  DeclareSettings settings(list, fields, chosen, false);
  declare_size(declare, settings, fields, chosen, controls);
  declare_model(declare, settings, chosen);
  declare_beyond(list, declare, fields, chosen);
  if (controls.patches) declare_patches(declare, fields, controls.tokens);
  declare_colours(declare, fields, chosen, controls);
}

// --- Atlas ---------------------------------------------------------------------------------------------------------

void declare_fields(FieldList& list, AtlasFields& fields) {
  Declare declare(list, fields);
  const bool words = fields.rows == AtlasPositions::words;
  declare.group("atlas");
  declare.choice("atlas.values", &AtlasFields::values);
  declare.choice("atlas.rows", &AtlasFields::rows);
  const NumberField positions = whole_between(2, kMaxAtlasPositions, "unit.positions");
  declare.number("atlas.positions", &AtlasFields::positions, positions, !words);
  declare.text("atlas.sentence", &AtlasFields::sentence, words).max_bytes = kMaxSentenceBytes;
  declare.number("atlas.row", &AtlasFields::row, whole_between(0, kMaxAtlasPositions - 1), !words);
  declare.names("atlas.below", &AtlasFields::below, {"row", "column", "turns", "variance"});
  const bool column = std::find(fields.below.begin(), fields.below.end(), "column") != fields.below.end();
  declare.text("atlas.columns", &AtlasFields::columns, column).max_bytes = kMaxSentenceBytes;
  declare.zooms(&AtlasFields::zooms);
}

// --- Facets --------------------------------------------------------------------------------------------------------

void declare_fields(FieldList& list, FacetFields& fields) {
  Declare declare(list, fields);
  declare.group("facets");
  // Facets are requested in the menu of a field; only then is there something to edit or clear.
  const bool control = !fields.across.empty() || !fields.down.empty();
  declare.text("facet.across", &FacetFields::across, control).max_bytes = kMaxListBytes;
  declare.text("facet.down", &FacetFields::down, control).max_bytes = kMaxListBytes;
}

void declare_fields(FieldList& list, CurveFields& fields, std::size_t pins) {
  Declare declare(list, fields);
  declare.group("pinned");
  std::vector<std::string> ropes{kCurrentKey};
  for (std::size_t pin = 0; pin < pins; ++pin) ropes.push_back(pin_key(pin));
  declare.choice("curves.shown_as", &CurveFields::shown_as, pins > 0);
  declare.choice("curves.relative_to", &CurveFields::relative_to, std::move(ropes),
                 pins > 0 && fields.shown_as != ShownAs::values);
  // Set in the menu of its chip.
  declare.text("curves.name", &CurveFields::name, false);
  declare.number("curves.slot", &CurveFields::slot, count_between(0, kMaximumSlot), false);
}

// --- Frequencies ---------------------------------------------------------------------------------------------------

void declare_fields(FieldList& list, FrequenciesFields& fields) {
  Declare declare(list, fields);
  declare.group("plot");
  declare.choice("frequencies.quantity", &FrequenciesFields::quantity);
  declare.toggle("frequencies.show_ratio", &FrequenciesFields::show_ratio);
  declare.toggle("frequencies.show_trained", &FrequenciesFields::show_trained);
  declare.zooms(&FrequenciesFields::zooms);
}

// --- Limits --------------------------------------------------------------------------------------------------------

void declare_fields(FieldList& list, LimitsFields& fields) {
  Declare declare(list, fields);
  declare.group("plot");
  declare.choice("limits.show", &LimitsFields::show);
  const NumberField context = whole_between(16, 1'048'576, "unit.positions");
  declare.number("limits.context", &LimitsFields::context, context).follows_length = true;
  declare.toggle("limits.show_models", &LimitsFields::show_models, fields.show == LimitsShow::curve);
  declare.zooms(&LimitsFields::zooms);
}

// --- Precision -----------------------------------------------------------------------------------------------------

void declare_fields(FieldList& list, PrecisionFields& fields) {
  Declare declare(list, fields);
  declare.group("plot");
  declare.choice("precision.policies", &PrecisionFields::policies);
  std::vector<std::string> policies = entry_names(all_precision_policies());
  policies.insert(policies.begin(), kWorstPolicy);
  declare.choice("precision.highlight", &PrecisionFields::highlight, std::move(policies));
  const NumberField span = whole_between(16, 16'777'216, "unit.positions");
  declare.number("precision.span", &PrecisionFields::span, span).follows_length = true;
  declare.choice("precision.show", &PrecisionFields::show);
  declare.toggle("precision.show_trained", &PrecisionFields::show_trained);
  // Always has a control because a readout always reports the effect of a shift at this distance.
  declare.number("precision.distance", &PrecisionFields::distance, whole_between(0, 1'048'576, "unit.positions"));
  declare.zooms(&PrecisionFields::zooms);
}

// --- Reported ------------------------------------------------------------------------------------------------------

void declare_fields(FieldList& list, ReportedFields& fields) {
  Declare declare(list, fields);
  declare.group("reported");
  declare.choice("reported.table", &ReportedFields::table);
  declare.choice("reported.task", &ReportedFields::task, fields.table == PaperTable::glue);
  declare.choice("reported.part", &ReportedFields::part, fields.table == PaperTable::cail2019_scm);
}

// --- Similarity ----------------------------------------------------------------------------------------------------

void declare_fields(FieldList& list, SimilarityFields& fields, const std::vector<std::string>& axes) {
  Declare declare(list, fields);
  declare.group("similarity");
  declare.choice("similarity.anchor_mode", &SimilarityFields::anchor_mode);
  declare.choice("similarity.content", &SimilarityFields::content);
  declare.number("similarity.seed", &SimilarityFields::seed, kSeedRange, fields.content == ContentKind::random);
  std::vector<std::string> parts = axes.empty() ? all_layout_axes() : axes;
  parts.insert(parts.begin(), "all");
  // With a single axis the part is the whole. An axis that this layout lacks shows all axes, and is kept.
  const bool several = parts.size() > 2;
  declare.choice("similarity.axis", &SimilarityFields::axis, std::move(parts), several).nearest = !axes.empty();
  declare.choice("similarity.colours", &SimilarityFields::colours);
  std::vector<std::string> layouts = entry_names(all_layouts());
  layouts.insert(layouts.begin(), "none");
  declare.choice("similarity.against", &SimilarityFields::against, std::move(layouts)).labels = "layout.name";
  declare.zooms(&SimilarityFields::zooms);
}

// --- Sweep ---------------------------------------------------------------------------------------------------------

void declare_fields(FieldList& list, SweepFields& fields) {
  Declare declare(list, fields);
  const bool curves = fields.show == SweepShow::curves;
  declare.group("sweep");
  declare.choice("sweep.show", &SweepFields::show);
  declare.text("sweep.readout", &SweepFields::readout, curves);
  declare.text("sweep.over", &SweepFields::over, curves).max_bytes = kMaxSentenceBytes;
  declare.text("sweep.second", &SweepFields::second, curves).max_bytes = kMaxSentenceBytes;
  declare.text("sweep.ropes", &SweepFields::ropes, !curves).max_bytes = kMaxSentenceBytes;
  declare.text("sweep.cards", &SweepFields::cards, !curves).max_bytes = kMaxSentenceBytes;
  declare.choice("sweep.value_axis", &SweepFields::value_axis, {AxisScale::linear, AxisScale::log}, curves);
  declare.zooms(&SweepFields::zooms);
}

std::string own_key(std::size_t index) {
  return index == 0 ? "own" : "own" + std::to_string(index + 1);
}

void declare_fields(FieldList& list, UserCurves& curves) {
  // The first empty place after a curve offers the next file.
  bool before = true;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    declare_user_curve(list, curves[i], i, before || curves[i].any());
    before = curves[i].any();
  }
}

}  // namespace ropescope
