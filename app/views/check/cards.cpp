#include "app/views/check/cards.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "app/figure/number_text.h"
#include "app/views/check/figures.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/cards.h"
#include "core/check/phrases.h"

namespace ropescope {

namespace {

constexpr double kVerdictWidth = 1.4;

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : between).append(word);
  return text;
}

std::string in_sentences(const std::vector<std::string>& sentences, const Text& text) {
  std::string all;
  for (const std::string& next : sentences) {
    all = all.empty() ? next : text.format("list.sentences", {{"first", all}, {"second", next}});
  }
  return all;
}

std::string number(std::int64_t value) {
  return readable_integer(static_cast<double>(value));
}

std::string list_text(const std::vector<double>& values) {
  constexpr std::size_t kMost = 6;
  std::string text;
  for (std::size_t i = 0; i < values.size() && i < kMost; ++i) {
    text += (text.empty() ? "" : ", ") + readable_number(values[i], 5);
  }
  return "(" + text + (values.size() > kMost ? ", …)" : ")");
}

std::string parameter_text(const CheckParameter& parameter) {
  if (const auto* value = std::get_if<double>(&parameter.value)) return readable_number(*value, 7);
  if (const auto* values = std::get_if<std::vector<double>>(&parameter.value)) return list_text(*values);
  return std::get<std::string>(parameter.value);
}

ReadoutValue residuals_of(const CheckCause& cause) {
  return Quantity{with_digits(cause.residual_before, 3), "", "readout.check_cause.residual",
                  with_digits(cause.residual_after, 2)};
}

/// "500 000" of one parameter, "factor 4 · beta_fast 32" of several; of none what remains with the cause.
ReadoutValue value_of(const CheckCause& cause) {
  if (cause.name == "unknown") return Quantity{with_digits(cause.residual_before, 3)};
  if (cause.parameters.empty()) return residuals_of(cause);
  const bool one = cause.parameters.size() == 1;
  const auto* number = std::get_if<double>(&cause.parameters.front().value);
  if (one && number) return Quantity{with_digits(*number, 7)};
  std::vector<std::string> words;
  for (const CheckParameter& parameter : cause.parameters) {
    words.push_back((one ? "" : parameter.name + " ") + parameter_text(parameter));
  }
  return as_it_is(joined(words, " · "));
}

std::string reach_text(const CheckReport& report, const Text& text) {
  std::vector<std::string> words;
  for (const CheckReach& reach : report.reach) {
    const bool same = reach.smallest == reach.largest;
    words.push_back(axis_word(reach.axis, text) + " " + (same ? "" : readable_number(reach.smallest, 5) + " … ") +
                    readable_number(reach.largest, 5));
  }
  return joined(words, " · ");
}

std::vector<std::string> turns_texts(const CheckReport& report, const Text& text) {
  std::vector<std::string> lines;
  for (const CheckReach& reach : report.reach) {
    lines.push_back(text.format("readout.check_reach.turn", {{"axis", axis_word(reach.axis, text)},
                                                             {"turn", readable_number(reach.slowest_turn, 3)}}));
  }
  return lines;
}

/// Names of what is wrong, without what is harmless.
std::vector<std::string> fault_names(const CheckReport& report) {
  std::vector<std::string> names;
  for (const CheckCause& cause : report.causes) {
    if (!cause.harmless) names.push_back(cause.name);
  }
  return names;
}

CardAction action_of(const std::string& cause, const std::string& applied, const Text& text) {
  const bool on = cause == applied;
  return {apply_key(cause),
          text[on               ? "readout.check_cause.take_back"
               : cause == "all" ? "readout.check_cause.apply_all"
                                : "readout.check_cause.apply"],
          on};
}

Readout verdict_readout(const CheckReport& report, const std::string& applied, const Text& text) {
  const std::vector<std::string> names = fault_names(report);
  Readout readout = start_card("check.verdict", text, "check_verdict");
  readout.width_share = kVerdictWidth;
  if (report.verdict == Verdict::agrees) {
    readout.value = Words("readout.check_verdict.agrees");
  } else if (report.verdict == Verdict::no_evidence) {
    readout.value = Words("readout.check_verdict.no_evidence");
  } else if (names.empty()) {
    readout.value = Words("readout.check_verdict.disagrees");
  } else if (names.size() == 1) {
    readout.value = Words("readout.check_verdict.because", {{"cause", names[0]}});
  } else {
    // Each has a card of its own; their names would not fit.
    readout.value = Words("readout.check_verdict.because_of_several", {{"count", names.size()}});
  }
  std::vector<std::string> sentences;
  for (const Words& note : report.notes) sentences.push_back(text.say(note));
  if (report.verdict == Verdict::no_evidence) {
    sentences.insert(sentences.begin(), text["readout.check_verdict.what_to_do"]);
  } else if (sentences.empty()) {
    sentences.push_back(
        text[report.verdict == Verdict::agrees ? "readout.check_verdict.all_within" : "readout.check_verdict.see_map"]);
  }
  readout.note = in_sentences(sentences, text);
  readout.tooltip = text.format("readout.check_verdict.evidence", {{"tokens", number(report.evidence.tokens)},
                                                                   {"pairs", number(report.evidence.pairs)}}) +
                    "\n" + text["readout.check_verdict.tooltip"];
  if (names.size() > 1 && report.explained) readout.action = action_of("all", applied, text);
  return readout;
}

Readout cause_readout(const CheckCause& cause, const std::string& applied, const Text& text) {
  Readout readout;
  readout.name = "check.cause." + cause.name;
  readout.label = cause_words(cause.name, text);
  if (cause.harmless) readout.label = text.format("readout.check_cause.harmless", {{"cause", readout.label}});
  const bool unknown = cause.name == "unknown";
  readout.value = value_of(cause);
  std::vector<std::string> sentences;
  if (!cause.parameters.empty()) sentences.push_back(value_text(residuals_of(cause), text) + ".");
  if (!cause.advice.empty()) sentences.push_back(text.say(cause.advice));
  readout.note = in_sentences(sentences, text);
  std::vector<std::string> lines{text.format("readout.check_cause.name", {{"name", cause.name}})};
  if (!cause.evidence.empty()) lines.push_back(text.say(cause.evidence));
  if (!cause.also.empty()) {
    lines.push_back(text.format("readout.check_cause.also", {{"causes", joined(cause.also, text["list.between"])}}));
  }
  if (!unknown) {
    lines.push_back(
        text.format("readout.check_cause.confidence", {{"percent", readable_integer(100 * cause.confidence)}}));
  }
  if (!cause.seen_in.empty()) {
    lines.push_back(text.format("readout.check_cause.seen_in", {{"where", cause.seen_in}}));
  }
  readout.tooltip = joined(lines, "\n");
  if (cause.applied && !unknown) readout.action = action_of(cause.name, applied, text);
  return readout;
}

/// How far an input is beyond its tolerance.
double excess_of(const CheckedInput& input) {
  if (input.tolerance > 0) return input.largest_difference / input.tolerance;
  return input.largest_difference > 0 ? 1e300 : 0;
}

std::string place_text(const CheckedInput& input, const Text& text) {
  std::vector<std::string> words;
  if (input.row >= 0) words.push_back(text.format("readout.check_largest.token", {{"token", number(input.row)}}));
  if (!input.part.empty() && input.part != "text") words.push_back(text.say(part_words(input.part)));
  if (!input.axis.empty())
    words.push_back(text.format("readout.check_largest.axis", {{"axis", axis_word(input.axis, text)}}));
  if (input.pair >= 0) words.push_back(text.format("readout.check_largest.pair", {{"pair", number(input.pair)}}));
  if (input.head >= 0) words.push_back(text.format("readout.check_largest.head", {{"head", number(input.head)}}));
  return joined(words, text["list.between"]);
}

std::string input_text(const CheckedInput& input, const Text& text) {
  return text.format(!input.evidence ? "readout.check_largest.no_evidence"
                     : input.agrees  ? "readout.check_largest.agrees"
                                     : "readout.check_largest.disagrees",
                     {{"which", input.which},
                      {"name", input.name},
                      {"understood", text.say(input.understood)},
                      {"storage", input.storage},
                      {"difference", readable_number(input.largest_difference, 3)},
                      {"tolerance", tolerance_words(input.tolerance, 3, text)}});
}

Readout largest_readout(const CheckReport& report, const Text& text) {
  Readout readout = start_card("check.largest", text, "check_largest");
  const auto worst =
      std::max_element(report.inputs.begin(), report.inputs.end(),
                       [](const CheckedInput& a, const CheckedInput& b) { return excess_of(a) < excess_of(b); });
  readout.value = Quantity{with_digits(worst->largest_difference, 3)};
  const std::string place = place_text(*worst, text);
  readout.note = text.format(
      "readout.check_largest.note",
      {{"which", worst->which}, {"place", place}, {"tolerance", tolerance_words(worst->tolerance, 2, text)}});
  std::vector<std::string> lines;
  for (const CheckedInput& input : report.inputs) lines.push_back(input_text(input, text));
  readout.tooltip = joined(lines, "\n");
  return readout;
}

Readout reach_readout(const CheckReport& report, const Text& text) {
  Readout readout = start_card("check.reach", text, "check_reach");
  readout.value = as_it_is(reach_text(report, text));
  readout.note = text["readout.check_reach.note"];
  readout.tooltip = joined(turns_texts(report, text), "\n") + "\n" + text["readout.check_reach.tooltip"];
  return readout;
}

}  // namespace

std::string apply_key(const std::string& cause) {
  return "apply:" + cause;
}

std::vector<Readout> check_readouts(const CheckReport& report, const std::string& applied, const Text& text) {
  constexpr std::size_t kMostCauses = 3;  // of an explanation; harmless ones come last
  std::vector<Readout> readouts{verdict_readout(report, applied, text)};
  for (std::size_t i = 0; i < report.causes.size() && i < kMostCauses; ++i) {
    readouts.push_back(cause_readout(report.causes[i], applied, text));
  }
  if (!report.inputs.empty()) readouts.push_back(largest_readout(report, text));
  if (report.verdict == Verdict::agrees && !report.reach.empty()) readouts.push_back(reach_readout(report, text));
  return readouts;
}

}  // namespace ropescope
