#include "app/commands/compare_report.h"

#include <cstdint>
#include <nlohmann/json.hpp>

#include "app/figure/number_text.h"

namespace ropescope {

namespace {

using nlohmann::ordered_json;
using Differences = std::vector<ModelDifference>;

// ---- text -----------------------------------------------------------------------------------------------------------

/// The causes, each once, in their order.
std::string causes_of_compare_report(const Differences& differences) {
  std::string names;
  for (const ModelDifference& difference : differences) {
    const bool named = (" " + names + " ").find(" " + difference.cause + " ") != std::string::npos;
    if (!named) names += (names.empty() ? "" : " and ") + difference.cause;
  }
  return names;
}

/// Of layouts it is that of all their differences together.
std::string change_text(const ModelDifference& difference) {
  const ScoreChange& change = difference.change;
  const std::string of = difference.profile == "layout" ? " by the whole arrangement" : "";
  const std::string largest = "largest change of A²K" + of + " " + readable_number(change.largest) + " at distance " +
                              readable_integer(change.at) + "; ";
  const std::string limit = readable_number(kNoticedChange);
  if (!change.first) return largest + "nowhere above " + limit;
  return largest + "above " + limit + " from distance " + readable_integer(*change.first) + " on";
}

std::string indented(const std::string& lines) {
  std::string text = "  ";
  for (const char c : lines) text += c == '\n' ? std::string("\n  ") : std::string(1, c);
  return text + "\n";
}

Equivalent equivalent_of(const Described& described, const OtherWords& words) {
  if (described.side.profiles.empty()) return {"", {Words("equivalent.layout_alone")}};
  return words.of({described.side.profiles, std::nullopt});
}

std::string equivalent_text(const Described& described, const OtherWords& words, const Text& text) {
  const Equivalent equivalent = equivalent_of(described, words);
  std::string lines = "\n" + described.name + " in the words of " + std::string(words.name) + "\n";
  if (!equivalent.text.empty()) lines += indented(equivalent.text);
  for (const Words& sentence : equivalent.unsaid) lines += "  not said: " + text.say(sentence) + "\n";
  return lines;
}

// ---- JSON -----------------------------------------------------------------------------------------------------------

ordered_json value_json(const SideValue& value, const Text& text) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return text.say(std::get<Words>(value));
}

/// Distances are whole.
ordered_json distance_json(const std::optional<double>& distance) {
  return distance ? ordered_json(static_cast<std::int64_t>(*distance)) : ordered_json(nullptr);
}

ordered_json difference_json(const ModelDifference& difference, const Text& text) {
  return {{"cause", difference.cause.empty() ? ordered_json(nullptr) : ordered_json(difference.cause)},
          {"profile", difference.profile},
          {"text", text.say(difference.text)},
          {"a", value_json(difference.a, text)},
          {"b", value_json(difference.b, text)},
          {"largest_change", difference.change.largest},
          {"at", distance_json(difference.change.at)},
          {"first_distance", distance_json(difference.change.first)}};
}

ordered_json list_json(const Differences& differences, const Text& text) {
  ordered_json list = ordered_json::array();
  for (const ModelDifference& difference : differences) list.push_back(difference_json(difference, text));
  return list;
}

ordered_json equivalent_json(const Described& described, const OtherWords& words, const Text& text) {
  const Equivalent equivalent = equivalent_of(described, words);
  ordered_json unsaid = ordered_json::array();
  for (const Words& sentence : equivalent.unsaid) unsaid.push_back(text.say(sentence));
  return {{"text", equivalent.text}, {"unsaid", unsaid}};
}

}  // namespace

std::string difference_text(const ModelDifference& difference, const Text& text) {
  return difference.cause + " (" + difference.profile + ")\n  " + text.say(difference.text) + "\n  " +
         change_text(difference) + "\n";
}

std::string compare_text(const CompareReport& report, const Text& text) {
  const ModelComparison& found = report.comparison;
  std::string lines = found.agrees ? "agrees\n" : "disagrees: " + causes_of_compare_report(found.differences) + "\n";
  lines += "\nA  " + report.a.name + "\nB  " + report.b.name + "\n";
  for (const ModelDifference& difference : found.differences) lines += "\n" + difference_text(difference, text);
  if (!found.notes.empty() || !found.remarks.empty()) lines += "\nnotes\n";
  for (const ModelDifference& note : found.notes) lines += "  " + note.profile + ": " + text.say(note.text) + "\n";
  for (const Words& remark : found.remarks) lines += "  " + text.say(remark) + "\n";
  if (!report.as) return lines;
  for (const Described* described : {&report.a, &report.b}) lines += equivalent_text(*described, *report.as, text);
  return lines;
}

std::string compare_json(const CompareReport& report, const Text& text) {
  const ModelComparison& found = report.comparison;
  ordered_json json{{"verdict", found.agrees ? "agrees" : "disagrees"}};
  json["differences"] = list_json(found.differences, text);
  json["notes"] = list_json(found.notes, text);
  json["remarks"] = ordered_json::array();
  for (const Words& remark : found.remarks) json["remarks"].push_back(text.say(remark));
  if (report.as) {
    json["as"] = {{"words", report.as->name},
                  {"a", equivalent_json(report.a, *report.as, text)},
                  {"b", equivalent_json(report.b, *report.as, text)}};
  }
  // Names of files need not be UTF-8.
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace ropescope
