#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "app/resources/files.h"
#include "app/resources/models.h"
#include "app/views/check/drop.h"
#include "app/views/check/told_dump.h"
#include "app/views/shared/layouts.h"
#include "core/error.h"
#include "core/formats/json_reader.h"

namespace ropescope {

namespace {

std::string take_told_joined(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ",") + value;
  return text;
}

/// What a dump says, put into the knobs of the window.
class Taking {
 public:
  Taking(const DumpNotes& notes, std::string path, Experiment& experiment)
      : notes_(notes), path_(std::move(path)), experiment_(experiment) {}

  /// The reference, where one is named; else it stays.
  void take() {
    const CheckKnobs initial;
    CheckKnobs& check = experiment_.check;
    check.part = initial.part;
    check.pairing = initial.pairing;
    check.head_order = initial.head_order;
    check.positions.clear();
    if (names_layout()) {
      begin_layout();
    } else if (notes_.config || find("model") || find("dim")) {
      begin_rope();
    } else if (check.against == "dump") {
      check.against = initial.against;
    }
    for (const auto& [name, values] : notes_.options) take_option(name, take_told_joined(values));
  }

 private:
  std::optional<std::string> find(std::string_view option) const {
    for (const auto& [name, values] : notes_.options) {
      if (name == option) return take_told_joined(values);
    }
    return std::nullopt;
  }
  std::string config_place() const { return path_ + ": ropescope.config"; }
  bool has_size() const { return find("size") || find("grid"); }

  /// By its name, or by a config of images.
  bool names_layout() const {
    if (find("layout")) return true;
    if (!notes_.config) return false;
    const auto config = find_layout_config(*notes_.config, config_place());
    if (!config || has_size() || !config->plain_ladders) return config.has_value();
    const std::string profile = parse_model_config(*notes_.config, config_place()).profiles.front().name;
    return profile == "image" || profile == "video";
  }

  void begin_layout() {
    LayoutKnobs knobs;
    if (const auto name = find("layout")) knobs.name = find_layout(*name).name;
    if (notes_.config) take_layout_config(parse_layout_config(*notes_.config, config_place()), {}, knobs);
    if (find("grid")) knobs.size_by = "tokens";
    experiment_.layout = knobs;
    experiment_.check.against = "layout";
  }

  void begin_rope() {
    RopeKnobs rope;
    rope.trained_length = 0;  // of a ladder that is given by its numbers
    const auto model = find("model");
    if (notes_.config || model) {
      const auto profiles = notes_.config ? parse_model_config(*notes_.config, config_place()).profiles
                                          : load_preset(find_places().assets, *model).profiles;
      const std::string named = find("profile").value_or("");
      const Profile& profile = find_profile(profiles, named, path_);
      rope = knobs_of(profile, short_name(path_));
      rope.profile = profile.name;
      if (!notes_.config) rope.model = *model;
    }
    rope.label = short_name(path_);
    experiment_.rope = rope;
    experiment_.check.against = "rope";
    take_dimensions();
  }

  /// "dim" is the rotary dimension, or with "rotary-fraction" that of the head.
  void take_dimensions() {
    RopeKnobs& rope = experiment_.rope;
    const auto fraction = find("rotary-fraction");
    if (const auto dim = find("dim")) {
      set("rope.head_dim", "dim", *dim);
      if (!fraction) set("rope.rotary_dim", "dim", *dim);
    }
    if (!fraction) return;
    const auto share = parse_number(*fraction);
    if (!share) reject("rotary-fraction");
    rope.rotary_dim = std::floor(rope.head_dim * *share);
  }

  void take_option(const std::string& name, const std::string& value) {
    const bool layout = experiment_.check.against == "layout";
    constexpr std::string_view kTaken[] = {"layout", "model", "profile", "dim", "rotary-fraction"};
    if (std::find(std::begin(kTaken), std::end(kTaken), name) != std::end(kTaken)) return;
    if (name == "part") return set("check.part", name, value);
    if (name == "q-layout") return set("check.head_order", name, value);
    if (name == "positions") return set("check.positions", name, value);
    if (layout) return take_layout_option(name, value);
    set("rope." + key_of(name), name, value);
  }

  void take_layout_option(const std::string& name, const std::string& value) {
    LayoutKnobs& knobs = experiment_.layout;
    const Layout& layout = find_layout(knobs.name);
    if (name == "size") return set_two("layout.width", "layout.height", name, value);
    if (name == "grid") return set_two("layout.rows", "layout.columns", name, value);
    if (name == "reference" || name == "reference-grid") {
      if ((name == "reference") != (knobs.size_by == "pixels")) reject(name);
      return set("layout.references", name, value);
    }
    if (name == "video-frames") {
      const auto frames = parse_number(value);
      if (!frames || *frames < 1 || *frames > 1e6) reject(name);
      knobs["frames"] = frames_of_tokens(layout, static_cast<int>(*frames));
      return;
    }
    if (name == "pairing" && !takes(layout, "pairing")) return set("check.pairing", name, value);
    set("layout." + key_of(name), name, value);
  }

  /// "1664x928".
  void set_two(const std::string& first, const std::string& second, const std::string& name, const std::string& value) {
    const std::size_t cross = value.find('x');
    if (cross == std::string::npos) reject(name);
    set(first, name, value.substr(0, cross));
    set(second, name, value.substr(cross + 1));
  }

  static std::string key_of(std::string name) {
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
  }

  /// The knob of an option takes its value.
  void set(const std::string& key, const std::string& option, const std::string& value) {
    const std::vector<FieldInfo> fields = list_fields();
    const bool known =
        std::any_of(fields.begin(), fields.end(), [&key](const auto& field) { return field.key == key; });
    if (!known) reject(option);
    try {
      std::string text = value;
      if (text == "true" || text == "false") text = text == "true" ? "1" : "0";
      set_field(experiment_, key + "=" + text);
    } catch (const InputError& error) {
      throw InputError::within(path_, error);
    }
  }

  [[noreturn]] void reject(const std::string& option) const {
    throw InputError(path_, "dump_notes.no_control",
                     {{"option", in_quotes(option)}, {"value", in_quotes(find(option).value_or(""))}});
  }

  const DumpNotes& notes_;
  std::string path_;
  Experiment& experiment_;
};

}  // namespace

std::map<CheckRole, std::string> tensors_of(const ToldDump& dump) {
  constexpr std::pair<std::string_view, CheckRole> kRoles[] = {{"cos", CheckRole::cosine},
                                                               {"sin", CheckRole::sine},
                                                               {"table", CheckRole::table},
                                                               {"before", CheckRole::before},
                                                               {"after", CheckRole::after},
                                                               {"ids", CheckRole::ids},
                                                               {"frequencies", CheckRole::frequencies}};
  std::map<CheckRole, std::string> tensors;
  for (const auto& [name, role] : kRoles) {
    const auto found = dump.roles.find(name);
    if (found != dump.roles.end()) tensors.emplace(role, found->second);
  }
  return tensors;
}

bool open_told_dump(Experiment& experiment, const std::string& path) {
  ToldDump dump = read_told_dump(path);
  if (!dump.says_anything()) return false;
  Experiment next = experiment;
  Taking(dump.notes, path, next).take();
  CheckKnobs& check = next.check;
  if (check.against == "layout") take_positions_as_ids(dump);
  const auto positions = dump.roles.find("positions");
  if (positions != dump.roles.end() && check.positions.empty()) check.positions = positions->second;
  for (const CheckRole role : kCheckRoles) path_of(check, role).clear();
  take_tensors(tensors_of(dump), check);
  experiment = std::move(next);
  return true;
}

}  // namespace ropescope
