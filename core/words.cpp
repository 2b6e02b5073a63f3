#include "core/words.h"

#include <utility>

#include "core/number_text.h"

namespace ropescope {

namespace {

std::string value_text(const Words::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* number = std::get_if<double>(&value)) return number_text(*number);
  std::string joined;
  for (const Words& words : std::get<Words::List>(value)) joined += (joined.empty() ? "" : ", ") + key_text(words);
  return "[" + joined + "]";
}

}  // namespace

Words as_it_is(std::string_view text) {
  Words words;
  words.values.emplace_back("text", text);
  return words;
}

Words one_of(Words::List parts) {
  if (parts.empty()) return Words("list.none");
  Words last = std::move(parts.back());
  parts.pop_back();
  return parts.empty() ? last : Words("list.or", {{"others", std::move(parts)}, {"last", std::move(last)}});
}

Words one_of(const std::vector<std::string>& names) {
  Words::List parts;
  for (const std::string& name : names) parts.push_back(as_it_is(name));
  return one_of(std::move(parts));
}

Words one_after_another(const Words::List& parts) {
  Words said;
  for (const Words& part : parts) {
    said = said.empty() ? part : Words("list.then", {{"before", std::move(said)}, {"next", part}});
  }
  return said;
}

std::string key_text(const Words& words) {
  if (words.empty()) return "";
  if (words.key.empty()) return value_text(words.values.front().value);
  std::string text = words.key;
  for (const Words::Named& named : words.values) text += " " + named.name + "=" + value_text(named.value);
  return text;
}

}  // namespace ropescope
