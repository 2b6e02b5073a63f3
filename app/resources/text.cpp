#include "app/resources/text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "app/resources/files.h"
#include "app/resources/formulas.h"
#include "core/error.h"
#include "core/formats/json_reader.h"
#include "core/number_for_people.h"
#include "core/number_text.h"

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
      throw InputError(source, "field",
                       {{"field", key}, {"found", describe(value)}, {"expected", Words("expected.text_or_object")}});
    }
  }
}

/// Where the brace that opens at this place has its closing one; npos where it has none.
std::size_t end_of_braces(std::string_view pattern, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < pattern.size(); ++i) {
    if (pattern[i] == '{') ++depth;
    if (pattern[i] == '}' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

/// "other" of " one {# token} other {# tokens}"; nothing where there is no such form.
std::optional<std::string_view> form_named(std::string_view forms, std::string_view name) {
  while (true) {
    const std::size_t begin = forms.find_first_not_of(' '), open = forms.find('{');
    if (begin == std::string_view::npos || open == std::string_view::npos || open <= begin) return {};
    const std::size_t close = end_of_braces(forms, open);
    if (close == std::string_view::npos) return {};
    const std::string_view found = forms.substr(begin, open - begin);
    if (found.substr(0, found.find(' ')) == name) return forms.substr(open + 1, close - open - 1);
    forms.remove_prefix(close + 1);
  }
}

/// The form of a plural for a number.
std::optional<std::string_view> chosen_form(std::string_view forms, const TextValue& value) {
  if (value.number == 1) {
    if (const auto one = form_named(forms, "one")) return one;
  }
  return form_named(forms, "other");
}

using TextNamedValues = std::span<const Text::NamedValue>;

/// The pattern with its names replaced; `counted` stands for #, null where # is a sign like others.
std::string filled(std::string_view pattern, TextNamedValues values, const TextValue* counted) {
  constexpr std::string_view kPlural = ", plural,";
  std::string result;
  std::size_t at = 0;
  while (at < pattern.size()) {
    const std::size_t open = pattern.find_first_of(counted ? "{#" : "{", at);
    if (open == std::string_view::npos) break;
    result += pattern.substr(at, open - at);
    at = open + 1;
    if (pattern[open] == '#') {
      result += counted->shown;
      continue;
    }
    const std::size_t close = end_of_braces(pattern, open);
    if (close == std::string_view::npos) {
      at = open;
      break;
    }
    const std::string_view inside = pattern.substr(open + 1, close - open - 1);
    const std::string_view name = inside.substr(0, inside.find(kPlural));
    const auto value =
        std::find_if(values.begin(), values.end(), [&](const Text::NamedValue& given) { return given.first == name; });
    const auto form = value == values.end() || name.size() == inside.size()
                          ? std::nullopt
                          : chosen_form(inside.substr(name.size() + kPlural.size()), value->second);
    at = close + 1;
    // A name that nobody gave stays as it is: seen on screen, and never replaced inside another value.
    if (form) {
      result += filled(*form, values, &value->second);
    } else if (value != values.end() && name.size() == inside.size()) {
      result += value->second.shown;
    } else {
      result += pattern.substr(open, close + 1 - open);
    }
  }
  return result.append(pattern.substr(std::min(at, pattern.size())));
}

/// A number as people read it; none of what is no number.
std::optional<TextValue> for_people(const Words::Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    const double number = static_cast<double>(*whole);
    return TextValue{number_for_people(number), number};
  }
  if (const auto* number = std::get_if<double>(&value)) return TextValue{number_for_people(*number), *number};
  return std::nullopt;
}

void add_file(const std::filesystem::path& path, Texts& texts) {
  add_texts(parse_json_object(read_file(path, kLargestJsonBytes), path.string()), "", path.string(), texts);
}

}  // namespace

Text Text::load(const std::filesystem::path& assets, const std::string& language, FormulaForm form) {
  Text text;
  text.language_ = language;
  add_file(assets / "text" / "en.json", text.texts_);
  if (language != "en") add_file(assets / "text" / (language + ".json"), text.texts_);
  std::shared_ptr<const Formulas> formulas;
  for (auto& [key, words] : text.texts_) {
    if (words.find('$') == std::string::npos) continue;
    if (!formulas) formulas = Formulas::load(assets, form == FormulaForm::drawn);
    words = form == FormulaForm::drawn ? formulas->with_signs(words) : formulas->without_tex(words);
  }
  if (form == FormulaForm::drawn) text.formulas_ = formulas;
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

std::string Text::format(std::string_view key, std::initializer_list<NamedValue> values) const {
  return filled((*this)[key], {std::data(values), values.size()}, nullptr);
}

std::string Text::say(const Words& words) const {
  // Found numbers are read like those on cards; others echo what somebody wrote in a file or typed.
  const bool found = words.key.starts_with("check.");
  std::vector<NamedValue> values;
  for (const Words::Named& named : words.values) {
    values.emplace_back(named.name, found ? for_people(named.value).value_or(shown(named.value)) : shown(named.value));
  }
  if (!words.key.empty()) return filled((*this)[words.key], values, nullptr);
  return values.empty() ? "" : values.front().second.shown;
}

TextValue Text::shown(const Words::Value& value) const {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    return {std::to_string(*whole), static_cast<double>(*whole)};
  }
  if (const auto* number = std::get_if<double>(&value)) return {number_text(*number), *number};
  std::string joined;
  for (const Words& words : std::get<Words::List>(value)) {
    joined += (joined.empty() ? "" : (*this)["list.between"]) + say(words);
  }
  return joined;
}

std::string said_in_english(const Words& words) {
  return said_in_english(Words::List{words}).front();
}

std::vector<std::string> said_in_english(const Words::List& list) {
  std::vector<std::string> said;
  for (const Words& words : list) said.push_back(key_text(words));
  const auto has_key = [](const Words& words) { return !words.key.empty(); };
  if (std::none_of(list.begin(), list.end(), has_key)) return said;
  try {
    const Text english = Text::load(find_places().assets);
    std::transform(list.begin(), list.end(), said.begin(), [&](const Words& words) { return english.say(words); });
  } catch (const InputError&) {
    // Keys and values are better than nothing.
  }
  return said;
}

}  // namespace ropescope
