#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/as_option.h"
#include "app/commands/commands.h"
#include "app/commands/pairing_option.h"
#include "app/commands/rope_options.h"
#include "app/figure/number_text.h"
#include "core/rotary/frequencies.h"
#include "core/scaling/scaling.h"

namespace ropescope {

namespace {

using nlohmann::ordered_json;

struct FrequenciesValues {
  RopeOptions rope;
  bool json = false, profiles = false;
  std::optional<std::string> output, as;
};

ordered_json list_of_frequencies(const Eigen::VectorXd& numbers) {
  return std::vector<double>(numbers.begin(), numbers.end());
}

std::string frequencies_json(const Rope& rope) {
  const RotarySpec& spec = rope.profile.spec;
  const HeadLadder head = head_ladder(spec, rope.length);
  ordered_json root;
  root["profile"] = rope.profile.name;
  root["head_dim"] = spec.head_dim;
  root["rotary_dim"] = total_rotary_dim(spec);
  root["pairing"] = pairing_word(spec.pairing);
  root["trained_length"] = spec.trained_length ? ordered_json(*spec.trained_length) : ordered_json(nullptr);
  if (depends_on_length(rope)) root["ladder"] = ladder_text(rope);
  root["amplitude"] = head.amplitude;
  root["frequencies"] = list_of_frequencies(head.frequencies);
  if (spec.axes.size() > 1) {
    root["axes"] = ordered_json::array();
    for (std::size_t i = 0; i < spec.axes.size(); ++i) {
      const RotaryAxis& axis = spec.axes[i];
      root["axes"].push_back({{"name", axis.name},
                              {"rotary_dim", axis.rotary_dim},
                              {"base", axis.base},
                              {"frequencies", list_of_frequencies(scaled_ladder(spec, i, rope.length).frequencies)}});
    }
  }
  return root.dump(2) + "\n";
}

std::string frequencies_csv(const Rope& rope) {
  const RotarySpec& spec = rope.profile.spec;
  std::string csv = "axis,pair,frequency,wavelength,amplitude\n";
  for (std::size_t i = 0; i < spec.axes.size(); ++i) {
    const std::string name = spec.axes.size() == 1 ? "position" : spec.axes[i].name;
    const ScaledLadder ladder = scaled_ladder(spec, i, rope.length);
    for (Eigen::Index pair = 0; pair < ladder.frequencies.size(); ++pair) {
      const double frequency = ladder.frequencies[pair];
      csv += name + "," + std::to_string(pair) + "," + shortest_number(frequency) + "," +
             shortest_number(wavelength(frequency)) + "," + shortest_number(ladder.amplitude) + "\n";
    }
  }
  return csv;
}

std::string profile_list(const RopeOptions& rope, bool json) {
  std::string lines;
  ordered_json names = ordered_json::array();
  for (const Profile& profile : profiles_of(rope)) {
    lines += profile.name + "\n";
    names.push_back(profile.name);
  }
  return json ? ordered_json{{"profiles", names}}.dump(2) + "\n" : lines;
}

void run_frequencies(const FrequenciesValues& values) {
  if (values.profiles) return put_result(values.output, profile_list(values.rope, values.json));
  const Rope rope = resolve_rope(values.rope);
  if (values.as && values.json) refuse_json_with_as();
  if (values.as) return put_equivalent(values.output, *values.as, {{&rope.profile, 1}, rope.length});
  put_result(values.output, values.json ? frequencies_json(rope) : frequencies_csv(rope));
  notice_length(values.rope, rope);
}

}  // namespace

Action declare_frequencies(Arguments& arguments) {
  const auto values = std::make_shared<FrequenciesValues>();
  add_rope_options(arguments, values->rope);
  arguments.flag("--json", values->json, "JSON instead of CSV");
  add_as_option(arguments, values->as);
  arguments.flag("--profiles", values->profiles, "List the profiles of the config or preset instead");
  arguments.option("-o,--output", "F", values->output, "File to write (default: standard output)");
  return [values] { run_frequencies(*values); };
}

}  // namespace ropescope
