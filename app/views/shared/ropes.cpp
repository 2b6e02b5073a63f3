// Names ropes and encodings, compares them with their presets, and formats experiments as --set arguments.
//
// Contents: Notes; Origins; Ropes; Short names; Ladder in use; Encodings; Sides of models; Arguments.

#include "app/views/shared/ropes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <utility>

#include "app/experiment/rope_spec.h"
#include "app/figure/figure.h"
#include "app/resources/models.h"
#include "app/resources/places.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "app/views/view.h"
#include "core/decay/limits.h"
#include "core/encodings/encoding.h"
#include "core/formats/ladder_text.h"
#include "core/message.h"
#include "core/rotary/spec.h"
#include "core/utf8.h"

namespace ropescope {

// --- Notes ---------------------------------------------------------------------------------------------------------

namespace {

constexpr std::string_view kBegin = "note.", kPlace = ".place", kWords = ".words";

// --- Origins -------------------------------------------------------------------------------------------------------

/// Returns "Llama 3.1 8B; base 500000; llama3 (factor 8); d 128", or "Llama 3.1 8B, changed; …" for other values.
std::string origin_of(const RopeFields& rope, const std::string& name, bool plain) {
  std::string text = name.empty() ? rope.label : name;
  if (name.empty() && !text.empty() && is_changed(rope)) text += ", changed";
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (!rope.axes.empty() && !rope.axis.empty()) add("axis " + rope.axis);
  const bool numbers = is_ladder_of_numbers(rope.ladder);
  if (!numbers) add("base " + number_text(rope.base));
  if (!rope.ladder.empty()) add("ladder " + (numbers ? "of its own numbers" : rope.ladder));
  const std::string extension =
      plain ? std::string() : extension_text(extension_of(rope.scaling), rope.trained_length, rope.scaling.length);
  if (!extension.empty()) add(extension);
  add("d " + shortest_number(rope.rotary_dim));
  return text;
}

/// Returns the rope's original preset if it was changed.
std::optional<RopeFields> before_changes(const RopeFields& rope) {
  if (rope.model.empty()) return std::nullopt;
  // Loaded once: it is needed for every label of every frame, and presets are part of the program.
  static const std::vector<Preset> presets = load_presets(find_places().assets);
  const auto compared = [](RopeFields fields) {
    grow_head(fields);
    fields.scaling.length = 0;  // the view's span, not the rope's
    return turning(std::move(fields));
  };
  for (const Preset& preset : presets) {
    if (preset.id != rope.model) continue;
    const Profile* named = &preset.profiles.front();
    for (const Profile& profile : preset.profiles) {
      if (profile.name != rope.profile) continue;
      if (compared(to_rope_fields(profile, {})) == compared(rope)) return std::nullopt;
      named = &profile;
    }
    return to_rope_fields(*named, preset.name);
  }
  return std::nullopt;
}

/// Returns the base if the frequencies follow from one, otherwise the custom ladder: "base 10 000", "θ = b^(-2*i/d)".
std::string ladder_label(const RopeFields& rope, const Text& text) {
  constexpr std::size_t kMaxLetters = 32;
  if (is_ladder_of_numbers(rope.ladder)) return text["view.decay.own_ladder"];
  const std::string base = text.format("view.decay.base", {{"base", readable_number(rope.base, 7)}});
  if (rope.ladder.empty()) return base;
  const bool whole = rope.ladder.size() <= kMaxLetters;
  return base +
         " · θ = " + (whole ? rope.ladder : rope.ladder.substr(0, start_of_character(rope.ladder, kMaxLetters)) + "…");
}

// --- Short names ---------------------------------------------------------------------------------------------------

/// The parts of a rope's name, in this order; each may be empty.
enum NamePart { kNameModel, kNameAxis, kNameBase, kNameExtension, kNameDimension, kNameParts };
using NamePartsOf = std::array<std::string, kNameParts>;

NamePartsOf name_parts(const RopeFields& rope, const Text& text) {
  NamePartsOf parts;
  parts[kNameModel] = rope.label;
  if (!rope.axes.empty() && !rope.axis.empty()) {
    parts[kNameAxis] = text.format("view.decay.axis", {{"axis", axis_word(rope.axis, text)}});
  }
  parts[kNameBase] = text.format("view.decay.base", {{"base", readable_number(rope.base, 7)}});
  parts[kNameExtension] = extension_label(rope, text);
  parts[kNameDimension] = text.format("view.decay.dimension", {{"dimension", counted(rope.rotary_dim)}});
  return parts;
}

void add_part(std::string& name, const std::string& part) {
  if (!part.empty()) name += (name.empty() ? "" : " · ") + part;
}

/// Appends "beta_fast 16" for every field that differs between ropes of equal names, fields with controls first.
void append_differences(std::vector<std::string>& names, const std::vector<const RopeFields*>& ropes,
                        const std::vector<std::string>& given, bool controls_alone, const Text& text) {
  const std::vector<std::string> before = names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const FieldList own = fields_of(*ropes[i]);
    for (std::size_t f = 0; f < own.size(); ++f) {
      const std::string_view key = own[f].key;
      if (!given[i].empty() || !own[f].has_value() || (controls_alone && !own[f].control)) continue;
      constexpr std::string_view kNames[] = {"rope.label", "rope.config", "rope.model", "rope.profile"};
      if (std::find(std::begin(kNames), std::end(kNames), key) != std::end(kNames)) continue;
      for (std::size_t k = 0; k < names.size(); ++k) {
        if (before[k] != before[i] || !given[k].empty()) continue;
        const FieldList others = fields_of(*ropes[k]);
        const Field* other = find_field(others, key);
        if (other && text_of(*other) == text_of(own[f])) continue;
        const std::string label = "field." + std::string(key) + ".label";
        add_part(names[i], (text.has(label) ? text[label] : std::string(key)) + " " + text_of(own[f]));
        break;
      }
    }
  }
}

bool any_alike(const std::vector<std::string>& names, const std::vector<const RopeFields*>& ropes) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (names[i] == names[k] && turning(*ropes[i]) != turning(*ropes[k])) return true;
    }
  }
  return false;
}

// --- Sides of models -----------------------------------------------------------------------------------------------

/// Returns the side of the rope's file or preset; an empty one if there is none, or if it no longer exists.
ModelSide side_of_source(const RopeFields& rope) {
  try {
    if (!rope.config.empty()) return file_side(rope.config);
    if (!rope.model.empty()) return preset_side(rope.model);
  } catch (const InputError&) {
    // It is missing or has changed; the fields are complete without it.
  }
  return {};
}

}  // namespace

void add_notes(ViewResult& result, const Experiment& experiment, const Text& text) {
  for (std::size_t i = 0; i < experiment.notes.size(); ++i) {
    const Note& note = experiment.notes[i];
    if (note.view != experiment.view) continue;
    const std::string key = std::string(kBegin) + std::to_string(i);
    for (Panel& panel : result.panels) {
      Figure& figure = panel.figure;
      if (figure.name != note.figure) continue;
      figure.notes.push_back(note);
      figure.handles.push_back({key + std::string(kPlace), note.x, note.y, 0, true, text["shell.tip.note_place"]});
      figure.handles.push_back(
          {key + std::string(kWords), note.text_x, note.text_y, 0, true, text["shell.tip.note_words"]});
    }
  }
}

std::optional<std::size_t> note_of(const std::string& handle) {
  if (!handle.starts_with(kBegin)) return std::nullopt;
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(handle.data() + kBegin.size(), handle.data() + handle.size(), index);
  return error == std::errc() && *end == '.' ? std::optional(index) : std::nullopt;
}

void move_note(Experiment& experiment, const FigureEvent& event) {
  const auto index = note_of(event.handle);
  if (!index || *index >= experiment.notes.size()) return;
  Note& note = experiment.notes[*index];
  (event.handle.ends_with(kPlace) ? note.x : note.text_x) = event.x;
  (event.handle.ends_with(kPlace) ? note.y : note.text_y) = event.y;
}

void name_origins(ViewResult& result, const Experiment& experiment) {
  for (Panel& panel : result.panels) {
    for (Line& line : panel.figure.lines) {
      const std::string_view key = line.key;
      const std::string_view of = key.substr(0, key.find('.'));
      const bool plain = key.ends_with(".plain");  // the ladder without its extension
      if (of == kCurrentKey) line.origin = origin_of(experiment.rope, experiment.curves.name, plain);
      for (std::size_t i = 0; i < experiment.pins.size(); ++i) {
        const Pin& pin = experiment.pins[i];
        if (of == pin_key(i)) line.origin = origin_of(pin.rope, pin.name, plain);
      }
    }
  }
}

// --- Ropes ---------------------------------------------------------------------------------------------------------

std::string trained_label(const RopeFields& rope, std::string_view key, const Text& text) {
  const TextValue length = counted(rope.trained_length);
  const double extended = extended_length(rope);
  if (extended == 0) return text.format(key, {{"length", length}});
  return text.format("answer.original", {{"length", length}, {"extended", counted(extended)}});
}

std::string extension_label(const RopeFields& rope, const Text& text) {
  const ScalingFields& fields = rope.scaling;
  if (!extends(fields.method)) return {};
  const ScalingMethod& method = find_scaling_method(fields.method);
  std::string label(method.name);
  for (const ScalingField& parameter : method.parameters) {
    if (parameter.is_extension_factor) label += " ×" + readable_number(fields[parameter.name], 4);
  }
  if (!method.depends_on_length || fields.length <= 0) return label;
  const bool is_long = takes_long_list(fields.length, rope.trained_length);
  return text.format(method.lists.empty() ? "view.decay.at_length"
                     : is_long            ? "view.decay.long_list"
                                          : "view.decay.short_list",
                     {{"extension", label}, {"length", counted(fields.length)}});
}

std::string rope_label(const RopeFields& rope, const Text& text, bool with_dimension) {
  std::string label;
  if (!rope.axes.empty() && !rope.axis.empty())
    label += text.format("view.decay.axis", {{"axis", axis_word(rope.axis, text)}}) + " · ";
  label += ladder_label(rope, text);
  const std::string extension = extension_label(rope, text);
  if (!extension.empty()) label += " · " + extension;
  if (with_dimension) {
    label += " · " + text.format("view.decay.dimension", {{"dimension", counted(rope.rotary_dim)}});
  }
  if (rope.label.empty()) return label;
  const std::optional<RopeFields> before = before_changes(rope);
  if (!before) return rope.label + " · " + label;
  std::vector<std::string> changes;
  if (ladder_label(rope, text) != ladder_label(*before, text)) changes.push_back(ladder_label(rope, text));
  if (with_dimension || rope.rotary_dim != before->rotary_dim) {
    changes.push_back(text.format("view.decay.dimension", {{"dimension", counted(rope.rotary_dim)}}));
  }
  if (extension != extension_label(*before, text)) {
    changes.push_back(extension.empty() ? text["view.decay.no_extension"] : extension);
  }
  if (changes.empty()) return text.format("view.decay.changed", {{"name", rope.label}});
  return text.format("view.decay.changed_to", {{"name", rope.label}, {"values", joined(changes, " · ")}});
}

std::string current_label(const Experiment& experiment, const Text& text, bool with_dimension) {
  return experiment.curves.name.empty() ? rope_label(experiment.rope, text, with_dimension) : experiment.curves.name;
}

std::string pin_label(const Pin& pin, const Text& text, bool with_dimension) {
  return pin.name.empty() ? rope_label(pin.rope, text, with_dimension) : pin.name;
}

bool labels_need_dimension(const Experiment& experiment) {
  return std::any_of(experiment.pins.begin(), experiment.pins.end(),
                     [&](const Pin& pin) { return pin.rope.rotary_dim != experiment.rope.rotary_dim; });
}

bool is_hidden(const Experiment& experiment, const std::string& key) {
  return std::find(experiment.hidden.begin(), experiment.hidden.end(), key) != experiment.hidden.end();
}

std::vector<ShownRope> all_ropes(const Experiment& experiment, const Text& text) {
  const bool dimension = labels_need_dimension(experiment);
  std::vector<ShownRope> ropes{{kCurrentKey, current_label(experiment, text, dimension),
                                static_cast<int>(experiment.curves.slot), &experiment.rope}};
  for (std::size_t i = 0; i < experiment.pins.size(); ++i) {
    const Pin& pin = experiment.pins[i];
    ropes.push_back({pin_key(i), pin_label(pin, text, dimension), pin.slot, &pin.rope});
  }
  return ropes;
}

std::vector<ShownRope> shown_ropes(const Experiment& experiment, const Text& text) {
  std::vector<ShownRope> ropes = all_ropes(experiment, text);
  std::erase_if(ropes, [&experiment](const ShownRope& rope) { return is_hidden(experiment, rope.key); });
  return ropes;
}

ShortNames short_names(const std::vector<const RopeFields*>& ropes, const std::vector<std::string>& given,
                       const Text& text) {
  std::vector<NamePartsOf> parts;
  for (const RopeFields* rope : ropes) parts.push_back(name_parts(*rope, text));
  const auto all = [&parts](NamePart part, const auto& holds) {
    return std::all_of(parts.begin(), parts.end(), [&](const NamePartsOf& each) { return holds(each[part]); });
  };
  const bool models = all(kNameModel, [](const std::string& name) { return !name.empty(); });
  std::array<bool, kNameParts> shared{};
  for (int part = 0; part < kNameParts; ++part) {
    const auto index = static_cast<NamePart>(part);
    shared[static_cast<std::size_t>(part)] =
        all(index, [&](const std::string& words) { return words == parts.front()[index]; });
  }
  const bool by_model = models && !shared[kNameModel];
  const auto unnamed = std::count(given.begin(), given.end(), std::string());
  ShortNames result;
  for (std::size_t i = 0; i < ropes.size(); ++i) {
    std::string& name = result.names.emplace_back(given[i]);
    if (!name.empty()) continue;
    if (unnamed == 1) {
      name = rope_label(*ropes[i], text, !shared[kNameDimension]);
    } else if (by_model) {
      name = is_changed(*ropes[i]) ? rope_label(*ropes[i], text, false) : ropes[i]->label;
    } else {
      for (std::size_t part = 0; part < kNameParts; ++part) {
        const bool none = part == kNameExtension && parts[i][part].empty();
        if (!shared[part]) add_part(name, none ? text["view.decay.no_extension"] : parts[i][part]);
      }
    }
  }
  if (unnamed > 1 && !by_model) {
    for (std::size_t part = 0; part < kNameParts; ++part) {
      if (shared[part]) add_part(result.shared, parts.front()[part]);
    }
  }
  // Distinguishes ropes that are equal in all parts, or of one model.
  for (const bool controls_alone : {true, false}) {
    if (any_alike(result.names, ropes)) append_differences(result.names, ropes, given, controls_alone, text);
  }
  for (std::size_t i = 0; i < ropes.size(); ++i) {
    if (result.names[i].empty()) result.names[i] = parts[i][kNameBase];
  }
  return result;
}

void shorten_curve_names(ViewResult& result, const Experiment& experiment, const Text& text) {
  const std::vector<ShownRope> shown = shown_ropes(experiment, text);
  if (shown.empty()) return;
  std::vector<const RopeFields*> ropes;
  std::vector<std::string> given;
  for (const ShownRope& rope : shown) {
    ropes.push_back(rope.rope);
    const bool current = rope.key == kCurrentKey;
    given.push_back(current ? experiment.curves.name
                            : experiment.pins[static_cast<std::size_t>(std::stoi(rope.key.substr(3)) - 1)].name);
  }
  const ShortNames names = short_names(ropes, given, text);
  for (Panel& panel : result.panels) {
    for (Line& line : panel.figure.lines) {
      const std::string of = line.key.substr(0, line.key.find('.'));
      for (std::size_t i = 0; i < shown.size(); ++i) {
        // A line for several ropes (of a dimension) keeps its own name.
        if (of == shown[i].key && (of != line.key || line.label == shown[i].label)) line.rope_name = names.names[i];
      }
    }
  }
  result.shared = names.shared;
}

// --- Ladder in use -------------------------------------------------------------------------------------------------

void add_ladder_in_use(std::vector<Readout>& readouts, std::string_view view, const RopeFields& rope,
                       const Text& text) {
  const ScalingMethod& method = find_scaling_method(rope.scaling.method);
  const double length = rope.scaling.length;
  if (!method.depends_on_length || length <= 0) return;
  Readout readout = start_card(std::string(view) + ".ladder", text, "ladder_in_use");
  readout.value = verbatim(text.format(method.lists.empty()                           ? "readout.ladder_in_use.at"
                                       : takes_long_list(length, rope.trained_length) ? "readout.ladder_in_use.long"
                                                                                      : "readout.ladder_in_use.short",
                                       {{"length", counted(length)}}));
  readout.note = extension_label(rope, text);
  readouts.push_back(std::move(readout));
}

RopeFields load_preset_rope(const std::string& id) {
  const Preset preset = load_preset(find_places().assets, id);
  RopeFields rope = to_rope_fields(preset.profiles.front(), preset.name);
  rope.model = preset.id;
  return rope;
}

std::string load_rope(Experiment& experiment, const std::string& name, const Text& text) {
  const bool dimension = labels_need_dimension(experiment);
  if (name == kCurrentKey) return rope_label(experiment.rope, text, dimension);
  for (std::size_t i = 0; i < experiment.pins.size(); ++i) {
    if (name != pin_key(i)) continue;
    experiment.rope = experiment.pins[i].rope;
    return pin_label(experiment.pins[i], text, dimension);
  }
  const NamedModel model = resolve_model(name);
  if (model.preset || !model.exists) {
    experiment.rope = load_preset_rope(model.preset.value_or(name));
  } else if (is_figure_file(name) || is_experiment(name)) {
    experiment.rope = load_experiment(name).rope;
    return rope_label(experiment.rope, text, false);
  } else {
    experiment.rope = to_rope_fields(load_model_config(model.path).profiles.front(), short_name(name));
    experiment.rope.config = model.path;
  }
  follow_opening(experiment);
  return experiment.rope.label;
}

// --- Encodings -----------------------------------------------------------------------------------------------------

EncodingValues collect_encoding_settings(const RopeFields& rope, const EncodingFields& fields, const Encoding& encoding,
                                         int head_dim) {
  RopeFields fitted = rope;
  const bool cut = rope.axes.empty() && head_dim > 0 && head_dim % 2 == 0 && head_dim < rope.rotary_dim;
  if (cut) fitted.rotary_dim = head_dim;
  const RopeAxes axes = read_axes(fitted);
  const RotaryAxis& axis = axes.shown_axis();
  EncodingValues settings;
  for (const EncodingField& field : encoding.settings) {
    if (field.has_control) set_value(settings, field, fields[field.name]);
  }
  // The fields may still contain a head beyond the current number of heads.
  settings.head = std::min(settings.head, settings.heads);
  settings.dim = head_dim > 0 ? head_dim : axis.rotary_dim;
  if (takes(encoding, "pairing")) settings.pairing = axes.spec.pairing;
  put_ladder(settings, encoding, axis, encoding.takes_ladder ? read_rope(fitted).ladder : ScaledLadder());
  return settings;
}

std::string encoding_label(const Encoding& encoding, const RopeFields& rope, const Text& text) {
  std::string title = text.render(title_of(encoding));
  const std::string extension = extension_label(rope, text);
  if (!encoding.takes_ladder || extension.empty()) return title;
  return text.format("view.encodings.on_ladder", {{"encoding", title}, {"extension", extension}});
}

void add_ladder_readout(std::vector<Readout>& readouts, const std::string& name,
                        const std::vector<ReadyEncoding>& shown, const RopeFields& rope, const Text& text) {
  const std::string extension = extension_label(rope, text);
  const auto turning =
      std::find_if(shown.begin(), shown.end(), [](const ReadyEncoding& one) { return one.encoding->takes_ladder; });
  if (extension.empty() || turning == shown.end()) return;
  const auto& ladder = turning->settings.ladder;
  const double amplitude = ladder ? ladder->amplitude : 1;
  Readout readout = start_card(name, text, "encoding.ladder");
  readout.value = verbatim(extension);
  readout.note = amplitude == 1 ? text["readout.encoding.ladder.angles"]
                                : text.format("readout.encoding.ladder.amplitude",
                                              {{"amplitude", readable_number(amplitude, 4)},
                                               {"square", readable_number(amplitude * amplitude, 4)}});
  readouts.push_back(readout);
}

void declare_encoding_fields(FieldList& list, Experiment& experiment, const std::vector<std::string>& names) {
  std::vector<std::string_view> used;
  bool turns = false;
  for (const Encoding& encoding : all_encodings()) {
    if (std::find(names.begin(), names.end(), encoding.name) == names.end()) continue;
    turns = turns || encoding.takes_ladder;
    for (const EncodingField& field : encoding.settings) used.push_back(field.name);
  }
  const auto is_used = [&used](std::string_view field) {
    return std::find(used.begin(), used.end(), field) != used.end();
  };
  std::vector<std::string_view> rope = {"rope.rotary_dim", "rope.axis"};
  if (turns) rope.emplace_back("rope.ladder");
  if (is_used("base")) rope.emplace_back("rope.base");
  if (is_used("pairing")) rope.emplace_back("rope.pairing");
  if (turns) rope.insert(rope.end(), {"rope.trained_length", "rope.scaling", "rope.length"});
  for (const ScalingField& parameter : all_scaling_fields()) {
    if (turns) rope.push_back(parameter.key);
  }
  for (const ScalingList& each : all_scaling_lists()) {
    if (turns) rope.push_back(each.key);
  }
  declare_embedding(list, experiment.rope, rope);
  declare_fields(list, experiment.encoding, used);
}

int encoding_slot(std::string_view name) {
  return find_encoding(name).slot;
}

ModelSide file_side(const std::string& path) {
  ModelSide side;
  side.layout = load_layout_config(path);
  // LTX-Video and DINOv3 consist of a layout only.
  if (!side.layout || side.layout->plain_ladders) side.profiles = load_model_config(path).profiles;
  return side;
}

ModelSide preset_side(const std::string& id) {
  return {load_preset(find_places().assets, id).profiles, load_layout_config(id)};
}

ModelSide rope_side(const RopeFields& rope) {
  ModelSide side = side_of_source(rope);
  const std::string name = rope.profile.empty() ? "text" : rope.profile;
  const auto shown = std::find_if(side.profiles.begin(), side.profiles.end(),
                                  [&name](const Profile& profile) { return profile.name == name; });
  if (shown == side.profiles.end()) {
    Profile alone;
    alone.name = name;
    alone.spec = spec_of(rope);
    return {{std::move(alone)}, std::nullopt};
  }
  if (turning(to_rope_fields(*shown, {})) == turning(rope)) return side;
  shown->spec = spec_of(rope);
  shown->not_understood.clear();
  if (!rope.model.empty()) side.layout.reset();  // the unchanged preset's
  return side;
}

bool is_changed(const RopeFields& rope) {
  return before_changes(rope).has_value();
}

std::string rope_name(const RopeFields& rope, const Text& text) {
  if (rope.label.empty() || !is_changed(rope)) return rope.label;
  return text.format("view.decay.changed", {{"name", rope.label}});
}

Message::List notes_of(const ModelSide& side) {
  Message::List notes;
  for (const Profile& profile : side.profiles) {
    for (const Message& note : notes_limiting_verdict(profile)) {
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
    }
  }
  return notes;
}

RopeFields turning(RopeFields fields) {
  const RopeFields initial;
  fields.label = initial.label;
  fields.config = initial.config;
  fields.model = initial.model;
  fields.profile = initial.profile;
  fields.axis = initial.axis;
  return fields;
}

// --- Arguments -----------------------------------------------------------------------------------------------------

std::vector<std::string> arguments_of(const Experiment& experiment) {
  const View& view = find_view(experiment.view);
  Experiment seen = experiment;
  std::vector<std::string> keys = keys_of(fields_of(view, experiment));
  if (view.compares_ropes) {
    keys.insert(keys.end(), {"hidden", "pins", "curves.shown_as", "curves.relative_to", "curves.name", "curves.slot"});
  } else {
    seen.pins.clear();
  }
  keys.insert(keys.end(), {"notes", "facet.across", "facet.down"});
  std::erase_if(seen.notes, [&](const Note& note) { return note.view != experiment.view; });
  // A file provides its own numbers; without it they are stored directly.
  std::error_code ignored;
  for (UserCurveFields& own : seen.own) (std::filesystem::exists(own.file, ignored) ? own.data : own.file).clear();
  std::vector<std::string> arguments = set_arguments(seen);
  std::erase_if(arguments, [&](const std::string& argument) {
    return std::find(keys.begin(), keys.end(), argument.substr(0, argument.find('='))) == keys.end();
  });
  return arguments;
}

std::string view_link(const Experiment& experiment, std::string_view address) {
  std::vector<std::string> arguments = arguments_of(strip_folders(experiment));
  arguments.insert(arguments.begin(), "view=" + experiment.view);
  return link_of(arguments, address);
}

std::string shell_quoted(const std::string& word) {
  constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,=+-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace ropescope
