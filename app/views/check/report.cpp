// Writes the reports of `check` and `compare`, form by form.
//
// Contents: Forms; Rows of check; check; compare; JUnit; check as JUnit.

#include "app/views/check/report.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/formulas.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "core/check/compare/compare.h"
#include "core/check/phrases.h"

namespace ropescope {

using nlohmann::ordered_json;

// --- Forms ---------------------------------------------------------------------------------------------------------

void ReportForms::line(const std::string& name, const std::string& words) {
  text += name + std::string(16 - name.size(), ' ') + words + "\n";
}

void ReportForms::row(const std::string& name, const ordered_json& value, const std::string& words) {
  json[name] = value;
  line(name, words);
}

std::string json_text(const ordered_json& json, int indent) {
  return without_separators(json.dump(indent, ' ', false, ordered_json::error_handler_t::replace)) + "\n";
}

// --- check ---------------------------------------------------------------------------------------------------------

namespace {

std::string number(double value) {
  return readable_number(value);
}

ReportForms value_forms(const CheckParameter& parameter, const Text& text) {
  if (const auto* words = std::get_if<Message>(&parameter.value)) return {text.render(*words), text.render(*words)};
  if (const auto* one = std::get_if<double>(&parameter.value)) return {*one, readable_number(*one, 6)};
  const auto& numbers = std::get<std::vector<double>>(parameter.value);
  std::vector<std::string> texts;
  for (const double entry : numbers) texts.push_back(readable_number(entry, 6));
  return {numbers, "[" + joined(texts) + "]"};
}

std::string parameter_text(const CheckParameter& parameter, const Text& text) {
  return parameter.name + " " + value_forms(parameter, text).text;
}

/// Returns the harmless causes, or the others, with " (base 500 000, …)". Unless all parameters are requested, only the
/// size for which the tables would be right is included.
std::vector<std::string> list_cause_names(const CheckReport& report, bool harmless, bool all, const Text& text) {
  std::vector<std::string> names;
  for (const CheckCause& cause : report.causes) {
    if (cause.harmless != harmless) continue;
    std::vector<std::string> parameters;
    for (const CheckParameter& parameter : cause.parameters) {
      if (all || parameter.name == "size") parameters.push_back(parameter_text(parameter, text));
    }
    names.push_back(cause.name + (parameters.empty() ? "" : " (" + joined(parameters) + ")"));
  }
  return names;
}

ordered_json json_of(const ReportRows& rows) {
  ordered_json json;
  for (const ReportRow& row : rows) json[std::string(row.name)] = row.value;
  return json;
}

/// The order of a place in a text; JSON and cards have that of the rows.
constexpr std::string_view kPlacesInText[] = {"token", "row", "head", "axis", "pair"};

/// Returns " at token 57 (image), axis row, pair 8", as far as known.
std::string place_text(const ReportRows& rows) {
  std::vector<std::string> places;
  for (const std::string_view name : kPlacesInText) {
    const ReportRow& row = row_named(rows, name);
    if (!row.words.empty()) places.push_back(row.words);
  }
  return places.empty() ? "" : " at " + joined(places);
}

ReportForms reach_forms(const CheckReach& reach, const Text& text) {
  const ReportRows rows = reach_rows(reach, text);
  const auto words = [&rows](const char* name) { return row_named(rows, name).words; };
  const bool same = reach.smallest == reach.largest;
  return {json_of(rows), "  " + words("axis") + (same ? ": position " : ": positions " + words("smallest") + " to ") +
                             words("largest") + "; from position 0 to the farthest one, the slowest pair rotates by " +
                             words("slowest_turn") + " rad\n"};
}

/// Indents all lines.
std::string indent_lines(const std::string& lines, const std::string& by) {
  std::string text = by;
  for (const char c : lines) text += c == '\n' ? "\n" + by : std::string(1, c);
  return text + "\n";
}

/// Returns the web addresses for "owner/repository#number, …"; the repository's address if there is no number.
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

/// Adds what to write for a cause, by kind.
void add_fix(const Fix& fix, ReportForms& forms) {
  forms.json["fix"] = ordered_json::object();
  for (const FixRow& row : list_fixes(fix)) {
    forms.json["fix"][row.name] = row.written;
    // A single program covers all causes and ends the report.
    if (*row.heading) forms.text += std::string("  ") + row.heading + ":\n" + indent_lines(row.written, "    ");
  }
}

/// Reports a cause with its evidence, residuals, advice and what to write.
ReportForms cause_forms(const CheckCause& cause, const CheckReference& reference, const Text& text) {
  ReportForms forms;
  ordered_json& json = forms.json;
  const std::vector<std::string> links = links_of(cause.seen_in);
  std::vector<std::string> parameters;
  json["name"] = cause.name;
  json["also"] = cause.also;
  json["confidence"] = cause.confidence;
  json["parameters"] = ordered_json::object();
  for (const CheckParameter& parameter : cause.parameters) {
    json["parameters"][parameter.name] = value_forms(parameter, text).json;
    parameters.push_back(parameter_text(parameter, text));
  }
  json["input"] = cause.input;
  json["residual_before"] = cause.residual_before;
  json["residual_after"] = cause.residual_after;
  json["evidence"] = text.render(cause.evidence);
  json["advice"] = text.render(cause.advice);
  json["seen_in"] = links;
  json["harmless"] = cause.harmless;
  forms.text =
      cause.name + (cause.harmless ? " (harmless)" : "") + (parameters.empty() ? "" : ": ") + joined(parameters) + "\n";
  const auto line = [&](const std::string& words) {
    if (!words.empty()) forms.text += "  " + words + "\n";
  };
  line(text.render(cause.evidence));
  if (!is_unknown(cause)) {
    line("largest difference in " + cause.input + ": " + number(cause.residual_before) + " without it, " +
         number(cause.residual_after) + " with it applied to the reference; confidence " +
         number(100 * cause.confidence) + " %");
  }
  line(text.render(cause.advice));
  add_fix(fix_of(cause, reference), forms);
  if (!cause.also.empty()) line("the same numbers could come from: " + joined(cause.also));
  for (const std::string& link : links) line("seen in " + link);
  return forms;
}

/// Convert missing values, −1 and empty words, to null.
ordered_json index_json(std::int64_t index) {
  return index < 0 ? ordered_json(nullptr) : ordered_json(index);
}
ordered_json word_json(const std::string& word) {
  return word.empty() ? ordered_json(nullptr) : ordered_json(word);
}

/// Reports how an input was read and its difference from the reference.
ReportForms input_forms(const CheckedInput& input, const Text& text) {
  ReportRows rows = input_rows(input, text);
  const auto words = [&rows](const char* name) { return row_named(rows, name).words; };
  const ReportRows places = place_rows(input, text);
  ReportForms forms{{},
                    "  " + words("input") + words("agrees") + "\n    " + words("name") + ": " + words("storage") +
                        ", " + words("understood") + "\n    largest difference " + words("largest_difference") +
                        place_text(places) + "; " + words("tolerance") + " there\n"};
  rows.insert(rows.end(), places.begin(), places.end());
  forms.json = json_of(rows);
  return forms;
}

/// Reports ", computed by ggml's recurrence (cpu): off by up to 0.012 at position 131 071".
ReportForms recurrence_forms(const CheckRecurrence& of) {
  const std::string way = of.way == Recurrence::cpu ? "cpu" : "gpu";
  return {{{"name", "recurrence"},
           {"way", way},
           {"input", of.input},
           {"largest_difference", of.difference},
           {"position", of.position},
           {"row", index_json(of.row)},
           {"pair", index_json(of.pair)}},
          ", computed by ggml's recurrence (" + way + "): off by up to " + readable_number(of.difference, 3) +
              " at position " + number(of.position)};
}

std::string to_counted_noun(std::int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// Returns which heads or channels agree ("heads 0, 2 agree, but 1, 3 do not") if the evidence begins with
/// that sentence, else "".
std::string agreeing_part(const Message& evidence, const Text& text) {
  constexpr std::string_view kAgreeing[] = {"check.note.agreeing.heads", "check.note.agreeing.channels"};
  if (std::find(std::begin(kAgreeing), std::end(kAgreeing), evidence.key) != std::end(kAgreeing)) {
    std::string said = text.render(evidence);
    if (!said.empty()) said.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(said.front())));
    return said.ends_with('.') ? said.substr(0, said.size() - 1) : said;
  }
  if (evidence.key != "list.sentences" || evidence.values.empty()) return "";
  const auto* first = std::get_if<Message::List>(&evidence.values.front().value);
  return first == nullptr || first->empty() ? "" : agreeing_part(first->front(), text);
}

// --- compare -------------------------------------------------------------------------------------------------------

const char* compare_verdict(const CompareReport& report) {
  if (report.comparison.agrees) return "agrees";
  return report.baseline == CompareBaseline::none ? "differs" : "disagrees";
}

/// Returns what differs, for use within a sentence.
std::string name_in_sentence(const SpecDifference& difference, const Text& text) {
  std::string name = difference_name(difference, text);
  if (!name.empty()) name.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(name.front())));
  return name;
}

/// Returns what one difference is called: what differs, or, with a baseline, what is wrong.
std::string heading_of(const ModelDifference& difference, const CompareReport& report, const Text& text) {
  const bool names_cause = report.baseline != CompareBaseline::none && difference.text.key != "compare.layers";
  return names_cause ? difference.cause : name_in_sentence(difference, text);
}

/// Returns whether a value is short enough for the verdict: not a sentence.
bool is_short_value(const SideValue& value) {
  constexpr std::string_view kShort[] = {"", "compare.not_given", "compare.no_length"};
  const auto* words = std::get_if<Message>(&value);
  return !words || std::find(std::begin(kShort), std::end(kShort), words->key) != std::end(kShort);
}

/// Stands for a layer type in differences between layouts.
constexpr const char* kLayoutPart = "layout";

/// Describes the effect of a difference on the score; for layouts, the combined effect of all their differences.
std::string change_text(const ModelDifference& difference) {
  const ScoreChange& change = difference.change;
  const std::string of = difference.profile == kLayoutPart ? " by the whole arrangement" : "";
  const std::string largest = "largest change of A²K" + of + " " + readable_number(change.largest) + " at distance " +
                              readable_integer(change.at) + "; ";
  const std::string limit = readable_number(kNoticedChange);
  const std::string first = change.first
                                ? "above " + limit + " from distance " + readable_integer(*change.first) + " on"
                                : "nowhere above " + limit;
  if (change.span == 0) return largest + first;
  return largest + first + " (distances up to " + readable_integer(change.span) + ")";
}

ordered_json value_json(const SideValue& value, const Text& text) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return text.render(std::get<Message>(value));
}

std::string value_words(const SideValue& value, const Text& text) {
  if (const auto* number = std::get_if<double>(&value)) return readable_number(*number, 17);
  return text.render(std::get<Message>(value));
}

/// Returns "base 10000, 500000".
std::string difference_summary(const ModelDifference& difference, const Text& text) {
  const std::string name = name_in_sentence(difference, text);
  if (!is_short_value(difference.a) || !is_short_value(difference.b)) return name;
  return name + " " + value_words(difference.a, text) + ", " + value_words(difference.b, text);
}

/// Distances are integers.
ordered_json distance_json(const std::optional<double>& distance) {
  return distance ? ordered_json(static_cast<std::int64_t>(*distance)) : ordered_json(nullptr);
}

/// Reports a difference: its cause, its layer type, what differs, and the effect on the score.
ReportForms difference_forms(const ModelDifference& difference, const CompareReport& report, const Text& text) {
  const std::string said = text.render(difference.text);
  return {{{"cause", word_json(difference.cause)},
           {"name", name_in_sentence(difference, text)},
           {"profile", difference.profile},
           {"text", said},
           {"a", value_json(difference.a, text)},
           {"b", value_json(difference.b, text)},
           {"largest_change", difference.change.largest},
           {"at", distance_json(difference.change.at)},
           {"distances", distance_json(difference.change.span)},
           {"first_distance", distance_json(difference.change.first)}},
          heading_of(difference, report, text) + " (" + difference.profile + ")\n  " + said + "\n  " +
              change_text(difference) + "\n"};
}

ReportForms equivalent_forms(const Described& described, const OtherWords& words, const Text& text) {
  const Equivalent equivalent = described.side.profiles.empty() ? Equivalent{"", {Message("equivalent.layout_alone")}}
                                                                : words.of({described.side.profiles, std::nullopt});
  ReportForms forms;
  forms.text = "\n" + described.name + " in the words of " + std::string(words.name) + "\n";
  if (!equivalent.text.empty()) forms.text += indent_lines(equivalent.text, "  ");
  const auto say = [&](const Message& sentence) {
    forms.text += "  not said: " + text.render(sentence) + "\n";
    return text.render(sentence);
  };
  forms.json = {{"text", equivalent.text}, {"unsaid", listed(equivalent.unsaid, say)}};
  return forms;
}

// --- JUnit ---------------------------------------------------------------------------------------------------------

/// A compared item in a JUnit report.
struct JunitCase {
  enum class Result { passed, failed, skipped, error };
  std::string name;
  Result result = Result::passed;
  std::string message;  ///< one line: what is wrong; empty if passed
  std::string text;     ///< full text
};

std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + xml_escaped(value) + "\"";
}

std::string to_junit_count(const char* name, const std::vector<JunitCase>& cases, JunitCase::Result result) {
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

/// Returns <testsuites> with one <testsuite> and a <testcase> for each, as read by continuous integration. Characters
/// not allowed in XML are replaced (xml_escaped).
std::string junit_xml(const std::string& suite, const std::vector<JunitCase>& cases) {
  std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite";
  xml += attribute("name", suite) + attribute("tests", std::to_string(cases.size())) +
         to_junit_count("failures", cases, JunitCase::Result::failed) +
         to_junit_count("errors", cases, JunitCase::Result::error) +
         to_junit_count("skipped", cases, JunitCase::Result::skipped) + ">\n";
  for (const JunitCase& one : cases) xml += case_xml(suite, one);
  return xml + "  </testsuite>\n</testsuites>\n";
}

// --- check as JUnit ------------------------------------------------------------------------------------------------

using Result = JunitCase::Result;

constexpr const char* kCheck = "ropescope.check";
constexpr const char* kCompare = "ropescope.compare";

Result result_of(const CheckedInput& input, Verdict verdict) {
  if (verdict == Verdict::no_evidence) return Result::error;
  if (!input.evidence) return Result::skipped;
  // Harmless inputs differ but are not failures.
  return input.agrees || verdict == Verdict::agrees ? Result::passed : Result::failed;
}

/// Returns the layer types of both sides, and "layout", in the order of comparison.
std::vector<std::string> list_compared_parts(const CompareReport& report) {
  std::vector<std::string> names;
  const auto add = [&names](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const Described* side : {&report.a, &report.b}) {
    for (const Profile& profile : side->side.profiles) add(profile.name);
  }
  if (report.a.side.layout && report.b.side.layout) add(kLayoutPart);
  for (const ModelDifference& difference : report.comparison.differences) add(difference.profile);
  return names;
}

}  // namespace

ReportRows input_rows(const CheckedInput& input, const Text& text) {
  const std::string understood = text.render(input.understood);
  const VerdictWords verdict = verdict_words(verdict_of(input));
  const char* equal = input.which == "ids" ? "ids must be equal" : "it must be equal";
  return {{"input", input.which, input.which, text["view.check.which." + input.which]},
          {"name", input.name, input.name, input.name},
          {"storage", input.storage, input.storage, input.storage},
          {"understood", understood, understood, understood},
          {"agrees", input.evidence ? ordered_json(input.agrees) : ordered_json(nullptr),
           (input.evidence ? " " : ": ") + std::string(verdict.report), verdict.key},
          {"largest_difference", input.largest_difference, number(input.largest_difference),
           readable_number(input.largest_difference, 3)},
          {"tolerance", input.tolerance,
           asks_for_equality(input.tolerance) ? equal : number(input.tolerance) + " is tolerated",
           tolerance_words(input.tolerance, 3, text)}};
}

ReportRows place_rows(const CheckedInput& input, const Text& text) {
  const auto said = [](const std::string& before, std::int64_t index, const std::string& after = {}) {
    return index < 0 ? std::string() : before + std::to_string(index) + after;
  };
  const auto shown = [&text](std::string_view name, std::int64_t index) {
    if (index < 0) return std::string();
    return text.format("readout.check_largest." + std::string(name), {{name, counted(index)}});
  };
  const std::string part = input.part.empty() ? "" : " (" + input.part + ")";
  return {
      {"row", index_json(input.row), input.row == input.token ? "" : said("row ", input.row, " of the file"),
       shown("token", input.row)},
      {"token", index_json(input.token), said("token ", input.token, part), ""},
      {"part", word_json(input.part), "",
       input.part.empty() || input.part == "text" ? "" : text.render(part_words(input.part))},
      {"axis", word_json(input.axis), input.axis.empty() ? "" : "axis " + input.axis,
       input.axis.empty() ? "" : text.format("readout.check_largest.axis", {{"axis", axis_word(input.axis, text)}})},
      {"pair", index_json(input.pair), said("pair ", input.pair), shown("pair", input.pair)},
      {"head", index_json(input.head), said("head ", input.head), shown("head", input.head)}};
}

ReportRows reach_rows(const CheckReach& reach, const Text& text) {
  const auto row = [](const char* name, double value, int digits) {
    return ReportRow{name, value, number(value), readable_number(value, digits)};
  };
  return {{"axis", reach.axis, reach.axis, axis_word(reach.axis, text)},
          row("smallest", reach.smallest, 5),
          row("largest", reach.largest, 5),
          row("slowest_turn", reach.slowest_turn, 3)};
}

const ReportRow& row_named(const ReportRows& rows, std::string_view name) {
  return *std::find_if(rows.begin(), rows.end(), [name](const ReportRow& row) { return row.name == name; });
}

std::string on_card(const ReportRows& rows, const Text& text) {
  std::vector<std::string> words;
  for (const ReportRow& row : rows) {
    if (!row.card.empty()) words.push_back(row.card);
  }
  return joined(words, text["list.between"]);
}

VerdictWords verdict_words(Verdict verdict) {
  switch (verdict) {
    case Verdict::agrees:
      return {"agrees", "agrees"};
    case Verdict::disagrees:
      return {"disagrees", "disagrees"};
    case Verdict::no_evidence:
      break;
  }
  return {"no evidence", "no_evidence"};
}

Verdict verdict_of(const CheckedInput& input) {
  if (!input.evidence) return Verdict::no_evidence;
  return input.agrees ? Verdict::agrees : Verdict::disagrees;
}

std::string tolerance_words(double tolerance, int digits, const Text& text) {
  return asks_for_equality(tolerance) ? text["view.check.no_tolerance"] : readable_number(tolerance, digits);
}

std::vector<FixRow> list_fixes(const Fix& fix) {
  std::vector<FixRow> rows;
  for (const FixRow& row : {FixRow{"config", "config", "the reference in config.json", fix.config},
                            {"llama.cpp", "options", "the reference as options of llama.cpp", fix.options},
                            {"ids", "ids", "ids", fix.ids},
                            {"numpy", "numpy", "", fix.numpy}}) {
    if (!row.written.empty()) rows.push_back(row);
  }
  return rows;
}

std::string verdict_line(const CheckReport& report, const Text& text, bool with_parameters) {
  const std::vector<std::string> faults = list_cause_names(report, false, with_parameters, text);
  const std::string findings = joined(list_cause_names(report, true, with_parameters, text), " and "),
                    harmless = findings.empty() ? "" : " (" + findings + ": harmless)";
  if (report.verdict == Verdict::agrees) {
    return "agrees" + (report.recurrence ? recurrence_forms(*report.recurrence).text : "") + harmless;
  }
  if (report.verdict == Verdict::no_evidence) return verdict_words(report.verdict).report;
  const bool unknown = faults.empty() || (faults.size() == 1 && faults.front() == "unknown");
  if (!unknown) return "disagrees: " + joined(faults, " and ") + harmless;
  std::string agreeing;
  for (const CheckCause& cause : report.causes) {
    if (agreeing.empty() && is_unknown(cause)) agreeing = agreeing_part(cause.evidence, text);
  }
  return "disagrees: " + (agreeing.empty() ? "no known cause explains the difference" : "unknown; " + agreeing) +
         harmless;
}

ReportForms check_forms(const CheckReport& report, const CheckReference& reference, const Text& text,
                        const std::optional<std::string>& time) {
  ReportForms forms;
  ordered_json& json = forms.json;
  if (time) json["time"] = *time;
  json["verdict"] = verdict_words(report.verdict).report;
  forms.text = verdict_line(report, text) + "\n";
  if (!report.profile.empty()) {
    json["profile"] = report.profile;
    forms.text += "profile: " + report.profile + "\n";
  }
  json["evidence"] = {{"tokens", report.evidence.tokens}, {"pairs", report.evidence.pairs}};
  if (report.recurrence) json["computed_by"] = recurrence_forms(*report.recurrence).json;
  // The reference as a program, from the cause with the most complete one.
  std::string harmless, numpy;
  json["causes"] = listed(report.causes, [&](const CheckCause& cause) {
    const ReportForms one = cause_forms(cause, reference, text);
    (cause.harmless ? harmless : forms.text) += "\n" + one.text;
    const std::string program = one.json["fix"].value("numpy", "");
    if (report.verdict == Verdict::disagrees && program.size() > numpy.size()) numpy = program;
    return one.json;
  });
  // Frequencies alone are of no token.
  const bool has_tokens = report.evidence.tokens > 0 || report.evidence.pairs == 0;
  const std::string tokens = has_tokens ? to_counted_noun(report.evidence.tokens, "token") + ", " : std::string();
  forms.text += harmless + "\nevidence: " + tokens + to_counted_noun(report.evidence.pairs, "pair") + "\n\ninputs\n";
  json["notes"] = listed(report.notes, [&](const Message& note) { return text.render(note); });
  const auto add = [&](const char* name, const auto& list, const auto& of) {
    json[name] = listed(list, [&](const auto& each) {
      ReportForms one = of(each);
      forms.text += one.text;
      return one.json;
    });
  };
  add("inputs", report.inputs, [&](const CheckedInput& input) { return input_forms(input, text); });
  if (!report.reach.empty()) forms.text += "\nhow far positions reach\n";
  add("reach", report.reach, [&](const CheckReach& reach) { return reach_forms(reach, text); });
  if (!report.notes.empty()) forms.text += "\nnotes\n";
  for (const Message& note : report.notes) forms.text += "  " + text.render(note) + "\n";
  if (!numpy.empty()) forms.text += "\nthe reference in NumPy\n" + numpy + "\n";
  return forms;
}

std::string compare_verdict_line(const CompareReport& report, const Text& text) {
  const ModelComparison& found = report.comparison;
  const std::string verdict = compare_verdict(report);
  if (found.agrees) return verdict;
  if (report.baseline == CompareBaseline::none) {
    const auto summary = [&](const ModelDifference& each) { return difference_summary(each, text); };
    return verdict + ": " + joined(list_once(found.differences, summary), "; ");
  }
  const auto heading = [&](const ModelDifference& each) { return heading_of(each, report, text); };
  return verdict + ": " + joined(list_once(found.differences, heading), " and ");
}

ReportForms compare_forms(const CompareReport& report, const Text& text) {
  const ModelComparison& found = report.comparison;
  ReportForms forms{{{"verdict", compare_verdict(report)}, {"baseline", nullptr}},
                    compare_verdict_line(report, text) + "\n"};
  if (report.baseline != CompareBaseline::none) {
    forms.json["baseline"] = report.baseline == CompareBaseline::a ? "A" : "B";
  }
  const auto mark = [&](CompareBaseline side) { return report.baseline == side ? "  (baseline)" : ""; };
  forms.text +=
      "\nA  " + report.a.name + mark(CompareBaseline::a) + "\nB  " + report.b.name + mark(CompareBaseline::b) + "\n";
  forms.json["differences"] = listed(found.differences, [&](const ModelDifference& difference) {
    const ReportForms one = difference_forms(difference, report, text);
    forms.text += "\n" + one.text;
    return one.json;
  });
  if (!found.notes.empty() || !found.remarks.empty()) forms.text += "\nnotes\n";
  forms.json["notes"] = listed(found.notes, [&](const ModelDifference& note) {
    forms.text += "  " + note.profile + ": " + text.render(note.text) + "\n";
    return difference_forms(note, report, text).json;
  });
  forms.json["remarks"] = listed(found.remarks, [&](const Message& remark) {
    forms.text += "  " + text.render(remark) + "\n";
    return text.render(remark);
  });
  if (!report.as) return forms;
  const ReportForms a = equivalent_forms(report.a, *report.as, text), b = equivalent_forms(report.b, *report.as, text);
  forms.json["as"] = {{"words", report.as->name}, {"a", a.json}, {"b", b.json}};
  forms.text += a.text + b.text;
  return forms;
}

std::string check_junit(const CheckReport& report, const CheckReference& reference, const Text& text) {
  std::string causes;
  for (const CheckCause& cause : report.causes) causes += "\n" + cause_forms(cause, reference, text).text;
  std::string notes;
  for (const Message& note : report.notes) notes += "\nnote: " + text.render(note) + "\n";
  std::vector<JunitCase> cases;
  for (const CheckedInput& input : report.inputs) {
    JunitCase one{input.which, result_of(input, report.verdict), {}, {}};
    if (one.result != Result::passed) {
      one.message =
          one.result == Result::failed ? verdict_line(report, text, true) : verdict_words(Verdict::no_evidence).report;
      one.text = input_forms(input, text).text + (one.result == Result::failed ? causes + notes : "");
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
  for (const std::string& name : list_compared_parts(report)) {
    JunitCase one{name, Result::passed, {}, {}};
    for (const ModelDifference& difference : report.comparison.differences) {
      if (difference.profile != name) continue;
      one.result = Result::failed;
      one.message += (one.message.empty() ? "" : " and ") + heading_of(difference, report, text);
      one.text += difference_forms(difference, report, text).text;
    }
    cases.push_back(std::move(one));
  }
  return junit_xml(kCompare, cases);
}

std::string unusable_junit(const std::string& command, const std::string& message) {
  return junit_xml("ropescope." + command, {{command, Result::error, message, {}}});
}

std::vector<std::string> list_once(const std::vector<ModelDifference>& differences,
                                   const std::function<std::string(const ModelDifference&)>& of) {
  std::vector<std::string> names;
  for (const ModelDifference& difference : differences) {
    std::string name = of(difference);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

std::string difference_name(const SpecDifference& difference, const Text& text) {
  Message name("compare.name." + difference.text.key.substr(difference.text.key.rfind('.') + 1));
  name.values = difference.text.values;
  return text.render(name);
}

}  // namespace ropescope
