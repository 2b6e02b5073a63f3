// Writes the reports of `check` and `compare`, form by form.
//
// Contents: check; compare; JUnit; check as JUnit.

#include "app/commands/check_report.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "app/figure/figure.h"
#include "app/resources/formulas.h"
#include "core/check/compare/compare.h"
#include "core/formats/check_fix.h"

namespace ropescope {

// --- check ---------------------------------------------------------------------------------------------------------

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::agrees:
      return "agrees";
    case Verdict::disagrees:
      return "disagrees";
    case Verdict::no_evidence:
      break;
  }
  return "no evidence";
}

namespace {

using nlohmann::ordered_json;

std::string number(double value) {
  return readable_number(value);
}

std::string parameter_text(const CheckParameter& parameter, const Text& text) {
  const auto shown = [&text](const auto& value) -> std::string {
    using T = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<T, Words>) {
      return text.say(value);
    } else if constexpr (std::is_same_v<T, double>) {
      return readable_number(value, 6);
    } else {
      std::string list;
      for (const double entry : value) list += (list.empty() ? "" : ", ") + readable_number(entry, 6);
      return "[" + list + "]";
    }
  };
  return parameter.name + " " + std::visit(shown, parameter.value);
}

/// Causes that are no fault come after those that are.
std::vector<const CheckCause*> causes_of_check_report(const CheckReport& report, bool harmless) {
  std::vector<const CheckCause*> causes;
  for (const CheckCause& cause : report.causes) {
    if (cause.harmless == harmless) causes.push_back(&cause);
  }
  return causes;
}

/// " (base 500 000, …)"; without all parameters only the size that tables fit which are right for another one.
std::string parameters_of(const CheckCause& cause, bool all, const Text& text) {
  std::string list;
  for (const CheckParameter& parameter : cause.parameters) {
    if (all || parameter.name == "size") list += (list.empty() ? " (" : ", ") + parameter_text(parameter, text);
  }
  return list.empty() ? "" : list + ")";
}

std::string names_of_check_report(const std::vector<const CheckCause*>& causes, bool all_parameters, const Text& text) {
  std::string names;
  for (const CheckCause* cause : causes) {
    names += (names.empty() ? "" : " and ") + cause->name + parameters_of(*cause, all_parameters, text);
  }
  return names;
}

/// "at token 57 (image), axis row, pair 8", as far as that is known.
std::string place_text(const CheckedInput& input) {
  std::string place;
  const auto add = [&](const std::string& words) { place += (place.empty() ? " at " : ", ") + words; };
  if (input.token >= 0) {
    add("token " + std::to_string(input.token) + (input.part.empty() ? "" : " (" + input.part + ")"));
  }
  if (input.row >= 0 && input.row != input.token) add("row " + std::to_string(input.row) + " of the file");
  if (input.head >= 0) add("head " + std::to_string(input.head));
  if (!input.axis.empty()) add("axis " + input.axis);
  if (input.pair >= 0) add("pair " + std::to_string(input.pair));
  return place;
}

std::string reach_text(const CheckReach& reach) {
  const bool same = reach.smallest == reach.largest;
  return "  " + reach.axis + (same ? ": position " : ": positions " + number(reach.smallest) + " to ") +
         number(reach.largest) + "; from position 0 on the slowest pair turns by " + number(reach.slowest_turn) +
         " rad\n";
}

/// A heading and lines under it, all indented; nothing for no lines.
std::string block_text(const std::string& heading, const std::string& lines) {
  if (lines.empty()) return {};
  std::string text = "  " + heading + ":\n    ";
  for (const char c : lines) text += c == '\n' ? std::string("\n    ") : std::string(1, c);
  return text + "\n";
}

/// The reference as a program: that of the cause which says most of it.
std::string numpy_of(const CheckReport& report, const CheckReference& reference) {
  std::string numpy;
  if (report.verdict != Verdict::disagrees) return numpy;
  for (const CheckCause& cause : report.causes) {
    const std::string found = fix_of(cause, reference).numpy;
    if (found.size() > numpy.size()) numpy = found;
  }
  return numpy.empty() ? "" : "\nthe reference in NumPy\n" + numpy + "\n";
}

ordered_json fix_json(const Fix& fix) {
  ordered_json json = ordered_json::object();
  for (const auto& [name, text] :
       {std::pair("config", &fix.config), {"llama.cpp", &fix.options}, {"ids", &fix.ids}, {"numpy", &fix.numpy}}) {
    if (!text->empty()) json[name] = *text;
  }
  return json;
}

ordered_json cause_json(const CheckCause& cause, const CheckReference& reference, const Text& text) {
  ordered_json json;
  json["name"] = cause.name;
  json["also"] = cause.also;
  json["confidence"] = cause.confidence;
  json["parameters"] = ordered_json::object();
  for (const CheckParameter& parameter : cause.parameters) {
    ordered_json& value = json["parameters"][parameter.name];
    if (const auto* words = std::get_if<Words>(&parameter.value)) value = text.say(*words);
    if (const auto* number = std::get_if<double>(&parameter.value)) value = *number;
    if (const auto* numbers = std::get_if<std::vector<double>>(&parameter.value)) value = *numbers;
  }
  json["input"] = cause.input;
  json["residual_before"] = cause.residual_before;
  json["residual_after"] = cause.residual_after;
  json["evidence"] = text.say(cause.evidence);
  json["advice"] = text.say(cause.advice);
  json["seen_in"] = links_of(cause.seen_in);
  json["harmless"] = cause.harmless;
  json["fix"] = fix_json(fix_of(cause, reference));
  return json;
}

const char* way_name(Recurrence way) {
  return way == Recurrence::cpu ? "cpu" : "gpu";
}

/// −1 and empty words stand for what there is not.
ordered_json index_json(std::int64_t index) {
  return index < 0 ? ordered_json(nullptr) : ordered_json(index);
}
ordered_json word_json(const std::string& word) {
  return word.empty() ? ordered_json(nullptr) : ordered_json(word);
}

ordered_json input_json(const CheckedInput& input, const Text& text) {
  ordered_json json;
  json["input"] = input.which;
  json["name"] = input.name;
  json["storage"] = input.storage;
  json["understood"] = text.say(input.understood);
  json["agrees"] = input.evidence ? ordered_json(input.agrees) : ordered_json(nullptr);
  json["largest_difference"] = input.largest_difference;
  json["tolerance"] = input.tolerance;
  json["row"] = index_json(input.row);
  json["token"] = index_json(input.token);
  json["part"] = word_json(input.part);
  json["axis"] = word_json(input.axis);
  json["pair"] = index_json(input.pair);
  json["head"] = index_json(input.head);
  return json;
}

/// ", computed by ggml's recurrence (cpu): off by up to 0.012 at position 131 071"; nothing where it is not.
std::string recurrence_text(const CheckReport& report) {
  if (!report.recurrence) return "";
  const CheckRecurrence& of = *report.recurrence;
  return std::string(", computed by ggml's recurrence (") + way_name(of.way) + "): off by up to " +
         readable_number(of.difference, 3) + " at position " + number(of.position);
}

ordered_json recurrence_json(const CheckRecurrence& of) {
  return {{"name", "recurrence"},       {"way", way_name(of.way)},
          {"input", of.input},          {"largest_difference", of.difference},
          {"position", of.position},    {"row", index_json(of.row)},
          {"pair", index_json(of.pair)}};
}

std::string check_report_counted(std::int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string evidence_text(const CheckEvidence& evidence) {
  return "\nevidence: " + check_report_counted(evidence.tokens, "token") + ", " +
         check_report_counted(evidence.pairs, "pair") + "\n";
}

}  // namespace

std::vector<std::string> links_of(const std::string& seen_in) {
  std::vector<std::string> links;
  for (std::size_t begin = 0; begin < seen_in.size();) {
    const std::size_t end = std::min(seen_in.find(',', begin), seen_in.size());
    std::string entry = seen_in.substr(begin, end - begin);
    entry.erase(0, entry.find_first_not_of(' '));
    begin = end + 1;
    if (entry.empty()) continue;
    const std::size_t hash = entry.find('#');
    if (hash != std::string::npos) entry.replace(hash, 1, "/issues/");
    links.push_back("https://github.com/" + entry);
  }
  return links;
}

std::string verdict_line(const CheckReport& report, const Text& text, bool with_parameters) {
  const auto names = [&](bool harmless) {
    return names_of_check_report(causes_of_check_report(report, harmless), with_parameters, text);
  };
  const std::vector<const CheckCause*> faults = causes_of_check_report(report, false);
  const std::string findings = names(true), harmless = findings.empty() ? "" : " (" + findings + ": harmless)";
  if (report.verdict == Verdict::agrees) return "agrees" + recurrence_text(report) + harmless;
  if (report.verdict == Verdict::no_evidence) return verdict_name(report.verdict);
  const bool unknown = faults.empty() || (faults.size() == 1 && faults.front()->name == "unknown");
  return "disagrees: " + (unknown ? "no known cause explains the difference" : names(false)) + harmless;
}

std::string input_text(const CheckedInput& input, const Text& text) {
  std::string lines = "  " + input.which +
                      (!input.evidence ? ": no evidence"
                       : input.agrees  ? " agrees"
                                       : " disagrees") +
                      "\n";
  lines += "    " + input.name + ": " + input.storage + ", " + text.say(input.understood) + "\n";
  const std::string equal = input.which == "ids" ? "ids must be equal" : "it must be equal";
  lines += "    largest difference " + number(input.largest_difference) + place_text(input) + "; " +
           (asks_for_equality(input.tolerance) ? equal : number(input.tolerance) + " is tolerated") + " there\n";
  return lines;
}

std::string cause_text(const CheckCause& cause, const CheckReference& reference, const Text& text) {
  std::string lines = cause.name + (cause.harmless ? " (harmless)" : "");
  for (std::size_t i = 0; i < cause.parameters.size(); ++i) {
    lines += (i ? ", " : ": ") + parameter_text(cause.parameters[i], text);
  }
  lines += "\n";
  const auto line = [&](const std::string& words) {
    if (!words.empty()) lines += "  " + words + "\n";
  };
  line(text.say(cause.evidence));
  if (cause.name != "unknown") {
    line("largest difference in " + cause.input + ": " + number(cause.residual_before) + " without it, " +
         number(cause.residual_after) + " with it applied to the reference; confidence " +
         number(100 * cause.confidence) + " %");
  }
  line(text.say(cause.advice));
  const Fix fix = fix_of(cause, reference);
  lines += block_text("write in config.json", fix.config) + block_text("give llama.cpp", fix.options) +
           block_text("ids", fix.ids);
  std::string also;
  for (const std::string& name : cause.also) also += (also.empty() ? "" : ", ") + name;
  if (!also.empty()) line("the same numbers could come from: " + also);
  for (const std::string& link : links_of(cause.seen_in)) line("seen in " + link);
  return lines;
}

std::string check_text(const CheckReport& report, const CheckReference& reference, const Text& text) {
  std::string lines = verdict_line(report, text) + "\n";
  if (!report.profile.empty()) lines += "profile: " + report.profile + "\n";
  for (const bool harmless : {false, true}) {
    for (const CheckCause* cause : causes_of_check_report(report, harmless))
      lines += "\n" + cause_text(*cause, reference, text);
  }
  lines += evidence_text(report.evidence);
  lines += "\ninputs\n";
  for (const CheckedInput& input : report.inputs) lines += input_text(input, text);
  if (!report.reach.empty()) lines += "\nhow far positions reach\n";
  for (const CheckReach& reach : report.reach) lines += reach_text(reach);
  if (!report.notes.empty()) lines += "\nnotes\n";
  for (const Words& note : report.notes) lines += "  " + text.say(note) + "\n";
  return lines + numpy_of(report, reference);
}

std::string check_json(const CheckReport& report, const CheckReference& reference, const Text& text,
                       const std::optional<std::string>& time) {
  ordered_json json;
  if (time) json["time"] = *time;
  json["verdict"] = verdict_name(report.verdict);
  if (!report.profile.empty()) json["profile"] = report.profile;
  json["evidence"] = {{"tokens", report.evidence.tokens}, {"pairs", report.evidence.pairs}};
  if (report.recurrence) json["computed_by"] = recurrence_json(*report.recurrence);
  json["causes"] = ordered_json::array();
  for (const CheckCause& cause : report.causes) json["causes"].push_back(cause_json(cause, reference, text));
  json["notes"] = ordered_json::array();
  for (const Words& note : report.notes) json["notes"].push_back(text.say(note));
  json["inputs"] = ordered_json::array();
  for (const CheckedInput& input : report.inputs) json["inputs"].push_back(input_json(input, text));
  json["reach"] = ordered_json::array();
  for (const CheckReach& reach : report.reach) {
    json["reach"].push_back({{"axis", reach.axis},
                             {"smallest", reach.smallest},
                             {"largest", reach.largest},
                             {"slowest_turn", reach.slowest_turn}});
  }
  // Names of files need not be UTF-8.
  return json.dump(time ? -1 : 2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

// --- compare -------------------------------------------------------------------------------------------------------

namespace {

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

/// What a difference changes in the score, in words; for layouts it is what all their differences change together.
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

/// One thing that was compared, for a JUnit report.
struct JunitCase {
  enum class Result { passed, failed, skipped, error };
  std::string name;
  Result result = Result::passed;
  std::string message;  ///< on one line: what is wrong; of one that passed nothing
  std::string text;     ///< all of it
};

// --- JUnit ---------------------------------------------------------------------------------------------------------

namespace {

std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + xml_escaped(value) + "\"";
}

std::string junit_counted(const char* name, const std::vector<JunitCase>& cases, JunitCase::Result result) {
  const auto count = std::count_if(cases.begin(), cases.end(), [&](const auto& one) { return one.result == result; });
  return attribute(name, std::to_string(count));
}

const char* element_of(JunitCase::Result result) {
  switch (result) {
    case JunitCase::Result::failed:
      return "failure";
    case JunitCase::Result::skipped:
      return "skipped";
    case JunitCase::Result::error:
      return "error";
    case JunitCase::Result::passed:
      break;
  }
  return "system-out";
}

std::string case_xml(const std::string& suite, const JunitCase& one) {
  std::string xml = "    <testcase" + attribute("classname", suite) + attribute("name", one.name);
  if (one.result == JunitCase::Result::passed && one.text.empty()) return xml + "/>\n";
  const std::string element = element_of(one.result);
  xml += ">\n      <" + element;
  if (one.result != JunitCase::Result::passed) xml += attribute("message", one.message);
  return xml + ">" + xml_escaped(one.text) + "</" + element + ">\n    </testcase>\n";
}

}  // namespace

/// <testsuites> with one <testsuite> and a <testcase> for each, as continuous integration reads it. What XML cannot
/// hold is replaced (xml_escaped).
std::string junit_xml(const std::string& suite, const std::vector<JunitCase>& cases) {
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite";
  xml += attribute("name", suite) + attribute("tests", std::to_string(cases.size())) +
         junit_counted("failures", cases, JunitCase::Result::failed) +
         junit_counted("errors", cases, JunitCase::Result::error) +
         junit_counted("skipped", cases, JunitCase::Result::skipped) + ">\n";
  for (const JunitCase& one : cases) xml += case_xml(suite, one);
  return xml + "  </testsuite>\n</testsuites>\n";
}

// --- check as JUnit ------------------------------------------------------------------------------------------------

namespace {

using Result = JunitCase::Result;

constexpr const char* kCheck = "ropescope.check";
constexpr const char* kCompare = "ropescope.compare";

Result result_of(const CheckedInput& input, Verdict verdict) {
  if (verdict == Verdict::no_evidence) return Result::error;
  if (!input.evidence) return Result::skipped;
  // What is harmless differs, and is no failure.
  return input.agrees || verdict == Verdict::agrees ? Result::passed : Result::failed;
}

/// Names of the kinds of layers of both sides, and "layout", in the order in which they are compared.
std::vector<std::string> compared_things(const CompareReport& report) {
  std::vector<std::string> names;
  const auto add = [&names](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const Described* side : {&report.a, &report.b}) {
    for (const Profile& profile : side->side.profiles) add(profile.name);
  }
  if (report.a.side.layout && report.b.side.layout) add("layout");
  for (const ModelDifference& difference : report.comparison.differences) add(difference.profile);
  return names;
}

}  // namespace

std::string check_junit(const CheckReport& report, const CheckReference& reference, const Text& text) {
  std::string causes;
  for (const CheckCause& cause : report.causes) causes += "\n" + cause_text(cause, reference, text);
  std::string notes;
  for (const Words& note : report.notes) notes += "\nnote: " + text.say(note) + "\n";
  std::vector<JunitCase> cases;
  for (const CheckedInput& input : report.inputs) {
    JunitCase one{input.which, result_of(input, report.verdict), {}, {}};
    if (one.result != Result::passed) {
      one.message = one.result == Result::failed ? verdict_line(report, text, true) : "no evidence";
      one.text = input_text(input, text) + (one.result == Result::failed ? causes + notes : "");
    } else if (!input.agrees || report.recurrence) {
      one.text = (report.recurrence ? verdict_line(report, text) + "\n" : "") + causes;
    } else if (!report.profile.empty()) {
      one.text = "profile: " + report.profile + "\n" + notes;
    }
    cases.push_back(std::move(one));
  }
  return junit_xml(kCheck, cases);
}

std::string compare_junit(const CompareReport& report, const Text& text) {
  std::vector<JunitCase> cases;
  for (const std::string& name : compared_things(report)) {
    JunitCase one{name, Result::passed, {}, {}};
    for (const ModelDifference& difference : report.comparison.differences) {
      if (difference.profile != name) continue;
      one.result = Result::failed;
      one.message += (one.message.empty() ? "" : " and ") + difference.cause;
      one.text += difference_text(difference, text);
    }
    cases.push_back(std::move(one));
  }
  return junit_xml(kCompare, cases);
}

std::string unusable_junit(const std::string& command, const std::string& message) {
  return junit_xml("ropescope." + command, {{command, Result::error, message, {}}});
}

}  // namespace ropescope
