#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/as_option.h"
#include "app/commands/commands.h"
#include "app/commands/config_layout_text.h"
#include "app/commands/pairing_option.h"
#include "app/experiment/experiment.h"
#include "app/figure/number_text.h"
#include "app/resources/files.h"
#include "app/resources/models.h"
#include "app/resources/text.h"
#include "core/error.h"
#include "core/formats/json_reader.h"
#include "core/scaling/scaling.h"

namespace ropescope {

namespace {

using nlohmann::ordered_json;

struct ConfigValues {
  std::string file;
  bool json = false;
  std::optional<std::string> output, as;
};

bool share_base_config(const RotarySpec& spec) {
  return std::all_of(spec.axes.begin(), spec.axes.end(),
                     [&](const RotaryAxis& axis) { return axis.base == spec.axes.front().base; });
}

/// The extension as it is applied: with the parameters that stand in for those that the file does not give.
ordered_json extension_json(const Extension& read) {
  const Extension extension = with_defaults(read);
  ordered_json json{{"method", extension.method}};
  for (const auto& [name, value] : extension.numbers) json[name] = value;
  for (const auto& [name, values] : extension.lists) json[name] = values;
  return json;
}

/// Where each value came from.
std::map<std::string, std::string> origins_of(const Profile& profile) {
  Words::List words;
  for (const auto& [name, origin] : profile.origin) words.push_back(origin);
  const std::vector<std::string> said = said_in_english(words);
  std::map<std::string, std::string> origins;
  std::size_t next = 0;
  for (const auto& [name, origin] : profile.origin) origins[name] = said[next++];
  return origins;
}

ordered_json profile_json(const Profile& profile) {
  const RotarySpec& spec = profile.spec;
  ordered_json json;
  json["name"] = profile.name;
  json["head_dim"] = spec.head_dim;
  json["rotary_dim"] = total_rotary_dim(spec);
  json["base"] = share_base_config(spec) ? ordered_json(spec.axes.front().base) : ordered_json(nullptr);
  json["pairing"] = pairing_word(spec.pairing);
  json["extension"] = extension_json(spec.extension);
  json["amplitude"] = head_ladder(spec).amplitude;
  json["trained_length"] = spec.trained_length ? ordered_json(*spec.trained_length) : ordered_json(nullptr);
  json["axes"] = ordered_json::array();
  for (const RotaryAxis& axis : spec.axes) {
    ordered_json entry{{"name", axis.name}, {"rotary_dim", axis.rotary_dim}, {"base", axis.base}};
    if (axis.ladder == Ladder::proportional) {
      entry["ladder"] = "proportional";
      entry["live_fraction"] = axis.live_fraction;
      entry["factor"] = axis.factor;
    }
    json["axes"].push_back(entry);
  }
  json["origin"] = origins_of(profile);
  json["notes"] = said_in_english(profile.notes);
  return json;
}

/// What a file says: profiles, an image layout, or both.
struct ConfigFile {
  ModelConfig config;
  std::optional<ConfigLayout> layout;
};

ConfigFile read_config_config(const std::string& path) {
  ConfigFile read;
  const auto found = load_layout_config(path);
  if (found && !found->plain_ladders) {
    read.config.model_type = found->family;
  } else {
    read.config = load_model_config(path);
  }
  if (found) read.layout = config_layout(*found, path);
  return read;
}

std::string config_json(const ConfigFile& read) {
  const ModelConfig& config = read.config;
  ordered_json root{{"model_type", config.model_type}, {"profiles", ordered_json::array()}};
  for (const Profile& profile : config.profiles) root["profiles"].push_back(profile_json(profile));
  if (read.layout) root["layout"] = layout_json(*read.layout);
  return root.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

/// The values of a profile for people, in the order in which one asks for them.
std::vector<std::pair<std::string, std::string>> value_texts(const RotarySpec& spec) {
  std::vector<std::pair<std::string, std::string>> values;
  values.emplace_back("head_dim", std::to_string(spec.head_dim));
  values.emplace_back("rotary_dim", std::to_string(total_rotary_dim(spec)));
  const std::string base = plain_number(spec.axes.front().base);
  std::string axes;
  for (const RotaryAxis& axis : spec.axes) {
    axes += (axes.empty() ? "" : ", ") + axis.name + " " + std::to_string(axis.rotary_dim);
    if (!share_base_config(spec)) axes += " (base " + plain_number(axis.base) + ")";
  }
  values.emplace_back("base", share_base_config(spec) ? base : "one per axis");
  if (spec.axes.size() > 1) values.emplace_back("axes", axes);
  if (const RotaryAxis& first = spec.axes.front(); first.ladder == Ladder::proportional) {
    values.emplace_back("ladder", "proportional, " + shortest_number(first.live_fraction) + " of the pairs turn");
  }
  values.emplace_back("pairing", pairing_word(spec.pairing));
  const std::string extension = extension_text(spec.extension);
  values.emplace_back("extension", extension.empty() ? "none" : extension);
  std::string parameters;
  for (const auto& [name, value] : with_defaults(spec.extension).numbers) {
    if (name != "factor") parameters += (parameters.empty() ? "" : ", ") + name + " " + shortest_number(value);
  }
  if (!parameters.empty()) values.emplace_back("parameters", parameters);
  if (!extension.empty()) values.emplace_back("amplitude", shortest_number(head_ladder(spec).amplitude));
  values.emplace_back("trained_length", spec.trained_length ? plain_number(*spec.trained_length) : "none");
  return values;
}

std::string config_text(const ConfigFile& read) {
  const ModelConfig& config = read.config;
  std::string text =
      "model type      " + (config.model_type.empty() ? std::string("not given") : config.model_type) + "\n";
  for (const Profile& profile : config.profiles) {
    text += "\nprofile         " + profile.name + "\n";
    const std::map<std::string, std::string> origins = origins_of(profile);
    for (const auto& [name, value] : value_texts(profile.spec)) {
      text += name + std::string(16 - name.size(), ' ') + value;
      const auto origin = origins.find(name);
      if (origin != origins.end()) text += "  (" + origin->second + ")";
      text += "\n";
    }
    for (const std::string& note : said_in_english(profile.notes)) text += "note            " + note + "\n";
  }
  if (!read.layout) return text;
  text += "\n";
  for (const auto& [name, value] : layout_lines(*read.layout)) {
    text += name + std::string(16 - name.size(), ' ') + value + "\n";
  }
  return text;
}

void put_as(const ConfigFile& read, const ConfigValues& values) {
  if (values.json) refuse_json_with_as();
  if (read.config.profiles.empty()) {
    throw InputError(values.file + ": it is known as a layout alone, which --as has no words for; a model with a " +
                     "ladder was expected");
  }
  for (const Profile& profile : read.config.profiles) require_understood(profile, values.file);
  put_equivalent(values.output, *values.as, {read.config.profiles, std::nullopt});
}

}  // namespace

Action declare_config(Arguments& arguments) {
  const auto values = std::make_shared<ConfigValues>();
  arguments.positional("FILE", values->file, "A model's config.json or .gguf, or a folder with one");
  arguments.flag("--json", values->json, "JSON instead of text");
  add_as_option(arguments, values->as);
  arguments.option("-o,--output", "F", values->output, "File to write (default: standard output)");
  return [values] {
    const ConfigFile read = read_config_config(values->file);
    if (values->as) return put_as(read, *values);
    put_result(values->output, values->json ? config_json(read) : config_text(read));
  };
}

}  // namespace ropescope
