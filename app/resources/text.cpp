#include "app/resources/text.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "app/resources/files.h"
#include "core/error.h"
#include "core/formats/json_reader.h"

namespace ropescope {

namespace {

using Texts = std::map<std::string, std::string, std::less<>>;

/// Adds the texts of an object under their dotted keys, over those that are there.
void add_texts(const nlohmann::json& object, const std::string& prefix, const std::string& source, Texts& texts) {
  for (const auto& [name, value] : object.items()) {
    const std::string key = prefix.empty() ? name : prefix + "." + name;
    if (value.is_object()) {
      add_texts(value, key, source, texts);
    } else if (value.is_string()) {
      texts[key] = value.get<std::string>();
    } else {
      throw InputError(source + ": " + key + " is " + describe(value) + "; a text or an object was expected");
    }
  }
}

void add_file(const std::filesystem::path& path, Texts& texts) {
  add_texts(parse_json_object(read_file(path, kLargestJsonBytes), path.string()), "", path.string(), texts);
}

}  // namespace

Text Text::load(const std::filesystem::path& assets, const std::string& language) {
  Text text;
  add_file(assets / "text" / "en.json", text.texts_);
  if (language != "en") add_file(assets / "text" / (language + ".json"), text.texts_);
  return text;
}

const std::string& Text::operator[](std::string_view key) const {
  const auto found = texts_.find(key);
  if (found == texts_.end()) throw std::logic_error("the text \"" + std::string(key) + "\" is missing in en.json");
  return found->second;
}

bool Text::has(std::string_view key) const {
  return texts_.find(key) != texts_.end();
}

std::string Text::format(std::string_view key,
                         std::initializer_list<std::pair<std::string_view, std::string>> values) const {
  const std::string& pattern = (*this)[key];
  std::string result;
  std::size_t at = 0;
  while (at < pattern.size()) {
    const std::size_t open = pattern.find('{', at);
    const std::size_t close = open == std::string::npos ? open : pattern.find('}', open);
    if (close == std::string::npos) break;
    result += pattern.substr(at, open - at);
    const std::string_view name = std::string_view(pattern).substr(open + 1, close - open - 1);
    const std::pair<std::string_view, std::string>* value = nullptr;
    for (const auto& candidate : values) {
      if (candidate.first == name) value = &candidate;
    }
    // A name that nobody gave stays as it is: seen on screen, and never replaced inside another value.
    result += value ? value->second : pattern.substr(open, close - open + 1);
    at = close + 1;
  }
  return result + pattern.substr(at);
}

}  // namespace ropescope
