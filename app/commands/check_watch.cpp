#include "app/commands/check_watch.h"

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/commands/check_report.h"
#include "app/experiment/experiment.h"
#include "app/resources/mapped_file.h"
#include "app/resources/system.h"
#include "core/error.h"

namespace ropescope {

namespace {

using nlohmann::ordered_json;

/// This moment where the program runs: "14:03:59", or with the date and the offset from UTC.
std::string local_time(const char* format) {
  const std::tm parts = os::local_time(std::time(nullptr));
  char text[40];
  return {text, std::strftime(text, sizeof text, format, &parts)};
}

std::string time_of_day() {
  return local_time("%H:%M:%S");
}

std::string moment() {
  return local_time("%Y-%m-%dT%H:%M:%S%z");
}

std::string line_of(const std::string& words) {
  std::string line = time_of_day() + "  " + words;
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line + "\n";
}

std::string line_of(const ordered_json& json) {
  // Names of files need not be UTF-8.
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

std::vector<std::string> files_of(const CheckArguments& given) {
  std::vector<std::string> paths;
  const auto add = [&paths](const std::string& path) {
    if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
  };
  if (given.dump) add(*given.dump);
  if (given.rope.config) add(*given.rope.config);
  for (const auto* tensor : {&given.ids, &given.cosine, &given.sine, &given.table, &given.frequencies, &given.before,
                             &given.after, &given.against_cosine, &given.against_sine, &given.positions}) {
    const bool listed = tensor == &given.positions && *tensor && is_list(**tensor);
    if (*tensor && !listed) add(read_tensor_argument(**tensor).path);
  }
  if (paths.empty()) throw InputError("--watch is given and no file; a dump, a config or tensors were expected");
  return paths;
}

std::string verdict_report(const CheckReport& report, const CheckReference& reference, const Text& text, bool json) {
  return json ? check_json(report, reference, text, moment()) : line_of(verdict_line(report, text, true));
}

std::string waiting_report(const std::vector<std::string>& missing, bool json) {
  if (json) return line_of(ordered_json{{"time", moment()}, {"verdict", "waiting"}, {"missing", missing}});
  std::string names;
  for (const std::string& name : missing) names += (names.empty() ? "" : ", ") + name;
  return line_of("waiting: " + names + (missing.size() == 1 ? " is not there" : " are not there"));
}

std::string unusable_report(const std::string& why, bool json) {
  if (json) return line_of(ordered_json{{"time", moment()}, {"verdict", "unusable"}, {"error", why}});
  return line_of("unusable: " + why);
}

}  // namespace ropescope
