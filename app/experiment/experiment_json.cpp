#include "app/experiment/curves.h"
#include "app/experiment/experiment.h"
#include "app/experiment/json_fields.h"
#include "app/experiment/notes_json.h"
#include "app/experiment/pins_json.h"
#include "core/error.h"
#include "core/formats/json_reader.h"

namespace ropescope {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int kVersion = 1;
constexpr double kMaximumSlot = 64;

/// Throws where axes and axis do not fit together; the fields by themselves have been checked.
void check_rope(const RopeKnobs& rope, const std::string& source, const std::string& pin = {}) {
  try {
    spec_of(rope);
  } catch (const InputError& error) {
    if (pin.empty()) throw InputError::within(source, error);
    throw InputError(source, "experiment.pin", {{"pin", pin}, {"what", error.words()}});
  }
}

void check_version(const json& root, const JsonReader& reader) {
  const auto version = root.find("ropescope");
  if (version != root.end() && *version != kVersion) {
    reader.refuse("ropescope", *version, {"experiment.version", {{"version", kVersion}}});
  }
}

}  // namespace

ordered_json pins_to_json(const std::vector<Pin>& pins, bool only_changes) {
  JsonWriter defaults;
  RopeKnobs initial;
  describe(defaults, initial);
  ordered_json list = ordered_json::array();
  for (const Pin& pin : pins) {
    JsonWriter writer;
    RopeKnobs rope = pin.rope;
    describe(writer, rope);
    ordered_json knobs = ordered_json::object();
    for (const auto& [key, value] : writer.root["rope"].items()) {
      if (!only_changes || value != defaults.root["rope"][key]) knobs[key] = value;
    }
    ordered_json entry = {{"slot", pin.slot}};
    if (!pin.name.empty()) entry["name"] = pin.name;
    entry["rope"] = knobs;
    list.push_back(entry);
  }
  return list;
}

std::vector<Pin> pins_from_json(const json& list, const std::string& source) {
  const json empty = json::object();
  if (!list.is_array() || list.size() > kMaximumPins) {
    JsonReader(empty, source).refuse("pins", list, {"experiment.pins", {{"most", kMaximumPins}}});
  }
  std::vector<Pin> pins;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string place = "pins[" + std::to_string(i) + "]";
    if (!list[i].is_object()) JsonReader(empty, source).refuse(place, list[i], Words("expected.object"));
    JsonReader reader(list[i], source, place + ".");
    Pin pin;
    double slot = static_cast<double>(i + 1);
    reader.number({.key = "slot", .minimum = 1, .maximum = kMaximumSlot, .initial = 1, .whole = true}, slot);
    pin.slot = static_cast<int>(slot);
    reader.text({.key = "name"}, pin.name);
    describe(reader, pin.rope);
    reader.refuse_unknown_keys({});
    check_rope(pin.rope, source, place);
    grow_head(pin.rope);
    pins.push_back(pin);
  }
  return pins;
}

namespace {

ordered_json json_of(const Experiment& experiment) {
  Experiment copy = experiment;
  JsonWriter writer;
  writer.root["ropescope"] = kVersion;
  describe(writer, copy);
  writer.root["pins"] = pins_to_json(experiment.pins, false);
  writer.root["notes"] = notes_to_json(experiment.notes);
  writer.root["opened_length"] = experiment.opened_length;
  return writer.root;
}

}  // namespace

// A path may hold bytes that are not UTF-8: they are replaced, as JSON has no way to hold them.
std::string experiment_to_json(const Experiment& experiment) {
  return json_of(experiment).dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string experiment_to_line(const Experiment& experiment) {
  return json_of(experiment).dump(-1, ' ', true, ordered_json::error_handler_t::replace);
}

Experiment experiment_from_json(const std::string& text, const std::string& source) {
  const json root = parse_json_object(text, source);
  Experiment experiment;
  JsonReader reader(root, source);
  check_version(root, reader);
  describe(reader, experiment);
  reader.number({.key = "opened_length", .maximum = 1e9}, experiment.opened_length);
  reader.refuse_unknown_keys({"ropescope", "pins", "notes"});
  if (const auto pins = root.find("pins"); pins != root.end()) experiment.pins = pins_from_json(*pins, source);
  if (const auto notes = root.find("notes"); notes != root.end()) experiment.notes = notes_from_json(*notes, source);
  check_rope(experiment.rope, source);
  grow_head(experiment.rope);
  try {
    check_curves(experiment);
  } catch (const InputError& error) {
    throw InputError::within(source, error);
  }
  settle_curves(experiment);
  return experiment;
}

}  // namespace ropescope
