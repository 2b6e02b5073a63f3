// Keys and values of the message fragments, in the order of the header.

#include "core/check/phrases.h"

#include <algorithm>
#include <cmath>

#include "core/check/tuning.h"
#include "core/message.h"

namespace ropescope {

Message other_pairs(std::int64_t pairs, std::int64_t due) {
  const char* key = pairs < due ? "check.length.evidence_pairs_missing" : "check.length.evidence_pairs_more";
  return Message(key, {{"pairs", pairs}, {"due", due}, {"rest", pairs < due ? due - pairs : pairs - due}});
}

Message sentences(Message first, Message second) {
  return Message("list.sentences", {{"first", std::move(first)}, {"second", std::move(second)}});
}

Message list_of(Message::List words) {
  Message list;
  list.values.emplace_back("list", std::move(words));
  return list;
}

Message list_of_runs(const std::vector<std::pair<std::int64_t, std::int64_t>>& runs) {
  Message::List words;
  for (std::size_t i = 0; i < std::min(runs.size(), tuned::kSaidItems); ++i) {
    const auto [first, end] = runs[i];
    words.push_back(end - first == 1 ? Message("check.single_run", {{"first", first}})
                                     : Message("check.run", {{"first", first}, {"last", end - 1}}));
  }
  if (runs.size() > tuned::kSaidItems) words.push_back(verbatim("…"));
  return list_of(std::move(words));
}

Message part_words(std::string_view part) {
  for (const auto& [name, key] :
       {std::pair("reference", "check.part.reference_number"), std::pair("text", "check.part.text_number")}) {
    const std::string_view kind(name);
    if (part.substr(0, kind.size()) != kind || part.size() == kind.size()) continue;
    return Message(key, {{"number", part.substr(kind.size())}});
  }
  for (const std::string_view known : {"text", "image", "reference", "audio", "padding", "cls"}) {
    if (part == known) return Message("check.part." + std::string(part));
  }
  return verbatim(part);
}

Message part_list(const std::vector<std::string>& parts) {
  Message::List list;
  for (const std::string& part : parts) list.push_back(part_words(part));
  return list_of(std::move(list));
}

Message named_value(std::string_view name) {
  return Message("check.value." + std::string(name));
}

Message odd_number(double number) {
  return Message(std::isnan(number) ? "check.number.nan" : "check.number.infinite");
}

std::string list_text(const std::vector<double>& values) {
  return "(" + joined(values, ", ", [](double value) { return number_for_people(value); }) + ")";
}

}  // namespace ropescope
