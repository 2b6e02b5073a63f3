// Loading of texts, and substitution of values and plurals.
//
// Contents: Languages; Text; Training text; Reasons.

#include "app/resources/text.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "app/resources/files.h"
#include "app/resources/formulas.h"
#include "core/formats/json.h"
#include "core/formats/nlohmann.h"
#include "core/message.h"

namespace ropescope {

// --- Languages -----------------------------------------------------------------------------------------------------

namespace {

/// Returns "ja" for "ja_JP.UTF-8".
std::string_view code_of(std::string_view locale) {
  return locale.substr(0, locale.find_first_of("_.@"));
}

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? std::string_view(value) : std::string_view();
}

// --- Text ----------------------------------------------------------------------------------------------------------

using Texts = std::map<std::string, std::string, std::less<>>;

/// Adds the texts of an object under their dotted keys, replacing existing ones.
void add_texts(const nlohmann::json& object, const std::string& prefix, const std::string& source, Texts& texts) {
  for (const auto& [name, value] : object.items()) {
    const std::string key = prefix.empty() ? name : prefix + "." + name;
    if (value.is_object()) {
      add_texts(value, key, source, texts);
    } else if (value.is_string()) {
      texts[key] = value.get<std::string>();
    } else {
      throw InputError(
          source, "field",
          {{"field", key}, {"found", describe_value(value)}, {"expected", Message("expected.text_or_object")}});
    }
  }
}

/// Returns the place of the closing brace for the one at this place; npos if there is none.
std::size_t find_closing_brace(std::string_view pattern, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < pattern.size(); ++i) {
    if (pattern[i] == '{') ++depth;
    if (pattern[i] == '}' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

/// Returns the form "other" of " one {# token} other {# tokens}"; nullopt if there is no such form.
std::optional<std::string_view> find_form(std::string_view forms, std::string_view name) {
  while (true) {
    const std::size_t begin = forms.find_first_not_of(' '), open = forms.find('{');
    if (begin == std::string_view::npos || open == std::string_view::npos || open <= begin) return {};
    const std::size_t close = find_closing_brace(forms, open);
    if (close == std::string_view::npos) return {};
    const std::string_view found = forms.substr(begin, open - begin);
    if (found.substr(0, found.find(' ')) == name) return forms.substr(open + 1, close - open - 1);
    forms.remove_prefix(close + 1);
  }
}

/// Returns the plural form for a number.
std::optional<std::string_view> choose_form(std::string_view forms, const TextValue& value) {
  if (value.number == 1) {
    if (const auto one = find_form(forms, "one")) return one;
  }
  // Japanese counts things up to nine in its own way.
  if (value.number >= 1 && value.number <= 9) {
    if (const auto few = find_form(forms, "few")) return few;
  }
  return find_form(forms, "other");
}

using TextNamedValues = std::span<const Text::NamedValue>;

/// Returns the pattern with its names replaced; `counted` replaces #, null if # is an ordinary character.
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
    const std::size_t close = find_closing_brace(pattern, open);
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
                          : choose_form(inside.substr(name.size() + kPlural.size()), value->second);
    at = close + 1;
    // A name without a value is left unchanged: visible on screen, and never replaced inside another value.
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

/// Returns a number in display form; nullopt for anything else.
std::optional<TextValue> for_people(const Message::Value& value) {
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

std::vector<std::string> languages(const std::filesystem::path& assets) {
  std::vector<std::string> codes;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(assets / "text", ignored)) {
    const std::filesystem::path& file = entry.path();
    if (has_extension(file, kJsonExtension) && file.stem() != kEnglish) codes.push_back(file.stem().string());
  }
  std::sort(codes.begin(), codes.end());
  codes.insert(codes.begin(), kEnglish);
  return codes;
}

std::string parse_language(const std::string& given, const std::filesystem::path& assets) {
  const std::vector<std::string> known = languages(assets);
  if (std::find(known.begin(), known.end(), given) != known.end()) return given;
  throw InputError("language", {{"language", given}, {"expected", one_of(known)}});
}

std::string find_locale_language(const std::filesystem::path& assets) {
  std::string_view locale;
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    if (locale.empty()) locale = environment(name);
  }
  constexpr std::string_view kNoLanguage[] = {"C", "POSIX"};
  const auto is_code = [code = code_of(locale)](std::string_view none) { return code == none; };
  if (locale.empty() || std::any_of(std::begin(kNoLanguage), std::end(kNoLanguage), is_code)) return kEnglish;
  const std::vector<std::string> known = languages(assets);
  const auto is_known = [&known](std::string_view code) {
    return std::find(known.begin(), known.end(), code) != known.end();
  };
  std::string_view asked = environment("LANGUAGE");
  while (!asked.empty()) {
    const std::string_view code = code_of(asked.substr(0, asked.find(':')));
    if (is_known(code)) return std::string(code);
    asked = asked.find(':') == std::string_view::npos ? std::string_view() : asked.substr(asked.find(':') + 1);
  }
  return is_known(code_of(locale)) ? std::string(code_of(locale)) : kEnglish;
}

// --- Text ----------------------------------------------------------------------------------------------------------

Text Text::load(const std::filesystem::path& assets, const std::string& language, FormulaForm form) {
  Text text;
  text.language_ = language;
  add_file(assets / "text" / "en.json", text.texts_);
  if (language != kEnglish) add_file(assets / "text" / (language + ".json"), text.texts_);
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

std::string Text::render(const Message& words) const {
  // Numbers that were measured are formatted as on cards; others repeat the input of a file or the user.
  const bool found = words.key.starts_with("check.");
  // Texts written for a test may be few.
  const ThousandsMark mark(has("language.thousands") ? (*this)["language.thousands"] : "\u202f");
  std::vector<NamedValue> values;
  for (const Message::Named& named : words.values) {
    values.emplace_back(named.name, found ? for_people(named.value).value_or(shown(named.value)) : shown(named.value));
  }
  if (!words.key.empty()) return filled((*this)[words.key], values, nullptr);
  return values.empty() ? "" : values.front().second.shown;
}

TextValue Text::shown(const Message::Value& value) const {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    return {std::to_string(*whole), static_cast<double>(*whole)};
  }
  if (const auto* number = std::get_if<double>(&value)) return {number_text(*number), *number};
  std::string joined;
  for (const Message& words : std::get<Message::List>(value)) {
    joined += (joined.empty() ? "" : (*this)["list.between"]) + render(words);
  }
  return joined;
}

std::string to_english(const Message& words) {
  return to_english(Message::List{words}).front();
}

std::vector<std::string> to_english(const Message::List& list) {
  std::vector<std::string> said;
  for (const Message& words : list) said.push_back(debug_text(words));
  const auto has_key = [](const Message& words) { return !words.key.empty(); };
  if (std::none_of(list.begin(), list.end(), has_key)) return said;
  try {
    const Text english = Text::load(find_places().assets);
    std::transform(list.begin(), list.end(), said.begin(),
                   [&](const Message& words) { return without_separators(english.render(words)); });
  } catch (const InputError& missing) {
    // Keys and values are better than nothing, after the reason for the missing texts.
    if (!missing.words().key.empty()) return said;
    for (std::string& one : said) one = std::string(missing.what()) + " (" + one + ")";
  }
  return said;
}

// --- Training text -------------------------------------------------------------------------------------------------

std::string bundled_training_text(const std::filesystem::path& assets) {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(assets / "lessons")) {
    if (has_extension(entry.path(), kMarkdownExtension)) files.push_back(entry.path());
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(assets / "text")) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> contents;
  for (const fs::path& file : files) contents.push_back(read_file(file));
  constexpr std::size_t kPiece = 4096;
  std::string text;
  for (std::size_t at = 0, left = 1; left > 0; at += kPiece) {
    left = 0;
    for (const std::string& content : contents) {
      if (at >= content.size()) continue;
      text.append(content, at, kPiece);
      ++left;
    }
  }
  return text;
}

// --- Reasons -------------------------------------------------------------------------------------------------------

Message reason(int error) {
  switch (error) {
    case ENOENT:
      return Message("reason.missing");
    case EACCES:
      return Message("reason.not_allowed");
    case EPERM:
      return Message("reason.not_permitted");
    case EROFS:
      return Message("reason.read_only");
    case ENOSPC:
      return Message("reason.no_space");
#ifdef EDQUOT  // not on Windows, which reports a full disk
    case EDQUOT:
      return Message("reason.quota");
#endif
    case EFBIG:
      return Message("reason.too_large");
    case EISDIR:
      return Message("reason.is_folder");
    case ENOTDIR:
      return Message("reason.no_folder");
    case ELOOP:
      return Message("reason.too_many_links");
    case ENAMETOOLONG:
      return Message("reason.long_name");
    case EMFILE:
      return Message("reason.too_many_open");
    case ENFILE:
      return Message("reason.too_many_in_system");
    case ETXTBSY:
      return Message("reason.running");
    case EBUSY:
      return Message("reason.busy");
    case EIO:
      return Message("reason.input_output");
    case EPIPE:
      return Message("reason.pipe");
    case EBADF:
      return Message("reason.closed");
    case ENOMEM:
      return Message("reason.memory");
    case ENXIO:
      return Message("reason.no_device");
    case ENODEV:
      return Message("reason.not_of_device");
    case EINVAL:
      return Message("reason.invalid");
    default:
      return Message("reason.other", {{"number", error}});
  }
}

}  // namespace ropescope
