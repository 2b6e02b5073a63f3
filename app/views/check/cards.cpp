#include "app/views/check/cards.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <variant>

#include "app/figure/number_text.h"
#include "app/views/check/figures.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/cards.h"
#include "core/check/phrases.h"
#include "core/formats/check_fix.h"

namespace ropescope {

namespace {

constexpr double kVerdictWidth = 1.4;

std::string check_joined(const std::vector<std::string>& words, std::string_view between) {
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

/// A parameter as people call it; that of a context extension as configs spell it.
Words parameter_words(const std::string& name, const Text& text) {
  const std::string key = "check.parameter." + name;
  return text.has(key) ? Words(key) : as_it_is(name);
}

NamedValues::One value_of(const CheckParameter& parameter) {
  NamedValues::One one;
  if (const auto* word = std::get_if<Words>(&parameter.value)) one.word = *word;
  if (const auto* value = std::get_if<double>(&parameter.value)) one.numbers = {with_digits(*value, 7)};
  if (const auto* values = std::get_if<std::vector<double>>(&parameter.value)) {
    for (const double value : *values) one.numbers.push_back(with_digits(value, 5));
    // One of them is a list as well.
    one.list = true;
  }
  return one;
}

ReadoutValue residuals_of(const CheckCause& cause) {
  return Quantity{with_digits(cause.residual_before, 3), "", "readout.check_cause.residual",
                  with_digits(cause.residual_after, 2)};
}

/// "500 000" of one parameter, "factor 4 · beta_fast 32" of several; of none what remains with the cause.
ReadoutValue value_of(const CheckCause& cause, const Text& text) {
  if (cause.name == "unknown") return Quantity{with_digits(cause.residual_before, 3)};
  if (cause.parameters.empty()) return residuals_of(cause);
  if (cause.parameters.size() == 1) {
    const CheckParameter& parameter = cause.parameters.front();
    if (const auto* value = std::get_if<double>(&parameter.value)) return Quantity{with_digits(*value, 7)};
    if (const auto* word = std::get_if<Words>(&parameter.value)) return *word;
    return NamedValues{{value_of(parameter)}};
  }
  NamedValues values;
  for (const CheckParameter& parameter : cause.parameters) {
    values.list.push_back(value_of(parameter));
    values.list.back().name = parameter.name;
    values.list.back().label = parameter_words(parameter.name, text);
  }
  return values;
}

ReadoutValue reach_of_check(const CheckReport& report, const Text& text) {
  NamedValues values;
  for (const CheckReach& reach : report.reach) {
    values.list.push_back({.name = reach.axis,
                           .label = as_it_is(axis_word(reach.axis, text)),
                           .numbers = {with_digits(reach.smallest, 5), with_digits(reach.largest, 5)},
                           .range = true});
  }
  return values;
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

Readout check_verdict_readout(const CheckReport& report, const std::string& applied, const Text& text) {
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
    readout.value = Words("readout.check_verdict.because", {{"cause", cause_words(names[0], text)}});
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
  readout.tooltip = text.format("readout.check_verdict.evidence", {{"tokens", counted(report.evidence.tokens)},
                                                                   {"pairs", counted(report.evidence.pairs)}}) +
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
  readout.value = value_of(cause, text);
  std::vector<std::string> sentences;
  if (!cause.parameters.empty()) {
    sentences.push_back(
        text.format("readout.check_cause.remains", {{"residual", value_text(residuals_of(cause), text)}}));
  }
  if (!cause.advice.empty()) sentences.push_back(text.say(cause.advice));
  readout.note = in_sentences(sentences, text);
  std::vector<std::string> lines{text.format("readout.check_cause.name", {{"name", cause.name}})};
  if (!cause.evidence.empty()) lines.push_back(text.say(cause.evidence));
  if (!cause.also.empty()) {
    std::vector<std::string> others;
    for (const std::string& other : cause.also) others.push_back(cause_words(other, text));
    lines.push_back(text.format("readout.check_cause.also", {{"causes", check_joined(others, text["list.between"])}}));
  }
  if (!unknown) {
    lines.push_back(
        text.format("readout.check_cause.confidence", {{"percent", readable_integer(100 * cause.confidence)}}));
  }
  if (!cause.seen_in.empty()) {
    lines.push_back(text.format("readout.check_cause.seen_in", {{"where", cause.seen_in}}));
  }
  readout.tooltip = check_joined(lines, "\n");
  if (cause.applied && !unknown) readout.action = action_of(cause.name, applied, text);
  return readout;
}

/// What to write so that the numbers become those of the reference, each of its kind.
std::vector<Readout> fix_readouts(const CheckCause& cause, const CheckReference& reference, const Text& text) {
  const Fix fix = fix_of(cause, reference);
  std::vector<Readout> readouts;
  for (const auto& [kind, written] :
       {std::pair("config", &fix.config), {"options", &fix.options}, {"ids", &fix.ids}, {"numpy", &fix.numpy}}) {
    if (written->empty()) continue;
    Readout readout;
    readout.name = "check.cause." + cause.name + std::string(kWritePart) + kind;
    readout.label = text[std::string("readout.check_fix.") + kind];
    readout.value = as_it_is(*written);
    readout.aside = true;
    readouts.push_back(std::move(readout));
  }
  return readouts;
}

/// How far an input is beyond its tolerance.
double excess_of(const CheckedInput& input) {
  if (input.tolerance > 0) return input.largest_difference / input.tolerance;
  return input.largest_difference > 0 ? 1e300 : 0;
}

std::string which_words(const std::string& input, const Text& text) {
  return text["view.check.which." + input];
}

std::string place_text(const CheckedInput& input, const Text& text) {
  std::vector<std::string> words;
  if (input.row >= 0) words.push_back(text.format("readout.check_largest.token", {{"token", counted(input.row)}}));
  if (!input.part.empty() && input.part != "text") words.push_back(text.say(part_words(input.part)));
  if (!input.axis.empty())
    words.push_back(text.format("readout.check_largest.axis", {{"axis", axis_word(input.axis, text)}}));
  if (input.pair >= 0) words.push_back(text.format("readout.check_largest.pair", {{"pair", counted(input.pair)}}));
  if (input.head >= 0) words.push_back(text.format("readout.check_largest.head", {{"head", counted(input.head)}}));
  return check_joined(words, text["list.between"]);
}

std::string input_text(const CheckedInput& input, const Text& text) {
  return text.format(!input.evidence ? "readout.check_largest.no_evidence"
                     : input.agrees  ? "readout.check_largest.agrees"
                                     : "readout.check_largest.disagrees",
                     {{"which", which_words(input.which, text)},
                      {"name", input.name},
                      {"understood", text.say(input.understood)},
                      {"storage", input.storage},
                      {"difference", readable_number(input.largest_difference, 3)},
                      {"tolerance", tolerance_words(input.tolerance, 3, text)}});
}

Readout check_largest_readout(const CheckReport& report, const Text& text) {
  Readout readout = start_card("check.largest", text, "check_largest");
  const auto worst =
      std::max_element(report.inputs.begin(), report.inputs.end(),
                       [](const CheckedInput& a, const CheckedInput& b) { return excess_of(a) < excess_of(b); });
  readout.value = Quantity{with_digits(worst->largest_difference, 3)};
  const std::string place = place_text(*worst, text);
  readout.note = text.format("readout.check_largest.note", {{"which", which_words(worst->which, text)},
                                                            {"place", place},
                                                            {"tolerance", tolerance_words(worst->tolerance, 2, text)}});
  std::vector<std::string> lines;
  for (const CheckedInput& input : report.inputs) lines.push_back(input_text(input, text));
  readout.tooltip = check_joined(lines, "\n");
  return readout;
}

Readout reach_readout(const CheckReport& report, const Text& text) {
  Readout readout = start_card("check.reach", text, "check_reach");
  readout.value = reach_of_check(report, text);
  readout.note = text["readout.check_reach.note"];
  readout.tooltip = check_joined(turns_texts(report, text), "\n") + "\n" + text["readout.check_reach.tooltip"];
  return readout;
}

}  // namespace

std::string apply_key(const std::string& cause) {
  return "apply:" + cause;
}

std::vector<Readout> check_readouts(const CheckReport& report, const CheckReference& reference,
                                    const std::string& applied, const Text& text) {
  constexpr std::size_t kMostCauses = 3;  // of an explanation; harmless ones come last
  std::vector<Readout> readouts{check_verdict_readout(report, applied, text)};
  for (std::size_t i = 0; i < report.causes.size() && i < kMostCauses; ++i) {
    readouts.push_back(cause_readout(report.causes[i], applied, text));
    std::vector<Readout> fixes = fix_readouts(report.causes[i], reference, text);
    if (!fixes.empty()) readouts.back().tooltip += "\n" + text["readout.check_fix.press"];
    std::move(fixes.begin(), fixes.end(), std::back_inserter(readouts));
  }
  if (!report.inputs.empty()) readouts.push_back(check_largest_readout(report, text));
  if (report.verdict == Verdict::agrees && !report.reach.empty()) readouts.push_back(reach_readout(report, text));
  return readouts;
}

}  // namespace ropescope
