// Keys and values of the shared words, in the order of the header.

#include "core/check/phrases.h"

#include <algorithm>
#include <cmath>

#include "core/words.h"

namespace ropescope {

Words other_pairs(std::int64_t pairs, std::int64_t due) {
  const char* key = pairs < due ? "check.length.evidence_pairs_missing" : "check.length.evidence_pairs_more";
  return Words(key, {{"pairs", pairs}, {"due", due}, {"rest", pairs < due ? due - pairs : pairs - due}});
}

Words sentences(Words first, Words second) {
  return Words("list.sentences", {{"first", std::move(first)}, {"second", std::move(second)}});
}

Words list_of(Words::List words) {
  Words list;
  list.values.emplace_back("list", std::move(words));
  return list;
}

Words list_of_runs(const std::vector<std::pair<std::int64_t, std::int64_t>>& runs) {
  constexpr std::size_t kMost = 6;
  Words::List words;
  for (std::size_t i = 0; i < std::min(runs.size(), kMost); ++i) {
    const auto [first, end] = runs[i];
    words.push_back(end - first == 1 ? Words("check.single_run", {{"first", first}})
                                     : Words("check.run", {{"first", first}, {"last", end - 1}}));
  }
  if (runs.size() > kMost) words.push_back(as_it_is("…"));
  return list_of(std::move(words));
}

Words part_words(std::string_view part) {
  for (const auto& [name, key] :
       {std::pair("reference", "check.part.reference_number"), std::pair("text", "check.part.text_number")}) {
    const std::string_view kind(name);
    if (part.substr(0, kind.size()) != kind || part.size() == kind.size()) continue;
    return Words(key, {{"number", part.substr(kind.size())}});
  }
  for (const std::string_view known : {"text", "image", "reference", "audio", "padding", "cls"}) {
    if (part == known) return Words("check.part." + std::string(part));
  }
  return as_it_is(part);
}

Words part_list(const std::vector<std::string>& parts) {
  Words::List list;
  for (const std::string& part : parts) list.push_back(part_words(part));
  return list_of(std::move(list));
}

Words named_value(std::string_view name) {
  return Words("check.value." + std::string(name));
}

Words odd_number(double number) {
  return Words(std::isnan(number) ? "check.number.nan" : "check.number.infinite");
}

std::string list_text(const std::vector<double>& values) {
  return "(" + joined(values, ", ", [](double value) { return number_for_people(value); }) + ")";
}

}  // namespace ropescope
