#include "core/formats/json_reader.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "core/error.h"
#include "core/formats/json_text.h"

namespace ropescope {

namespace {

using nlohmann::json;

constexpr std::size_t kLongestQuote = 60;
constexpr std::size_t kLongestList = 8192;
constexpr std::size_t kMostNames = 12;

/// Cuts after `limit` bytes without splitting a UTF-8 character.
std::string shortened(std::string text, std::size_t limit) {
  if (text.size() <= limit) return text;
  std::size_t end = limit;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

/// Looks at brackets and separators only, so that hostile sizes are refused before anything is allocated.
void check_cost(std::string_view text, const std::string& source) {
  if (text.size() > kLargestJsonBytes) {
    throw InputError(source + ": the file has " + std::to_string(text.size()) + " bytes; at most 64 MiB are read");
  }
  int depth = 0;
  std::size_t values = 1;
  bool in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_text) {
      if (c == '\\') ++i;
      if (c == '"') in_text = false;
      continue;
    }
    if (c == '"') in_text = true;
    if (c == '[' || c == '{') {
      ++depth;
      ++values;
    }
    if (c == ']' || c == '}') --depth;
    if (c == ',') ++values;
    if (depth > kDeepestJson) {
      throw InputError(source + ": objects and lists are nested more than " + std::to_string(kDeepestJson) +
                       " deep; a model's file is not");
    }
    if (values > kMostJsonValues) {
      throw InputError(source + ": more than " + std::to_string(kMostJsonValues) + " values; a model's file has fewer");
    }
  }
}

/// What is wrong at a byte offset, in plain words.
std::string fault_at(std::string_view text, std::size_t offset) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (last == std::string_view::npos) return "the file is empty";
  if (offset > last) return "the text ends before the JSON is complete";
  std::size_t start = offset;
  const auto is_word = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
  while (start > 0 && is_word(text[start - 1])) --start;
  for (const std::string_view word : {"NaN", "nan", "Infinity", "inf"}) {
    if (text.substr(start, word.size()) == word) return std::string(word) + " is not a JSON number";
  }
  const auto byte = static_cast<unsigned char>(text[offset]);
  if (byte < 0x20 || byte >= 0x7F) return "a character that does not belong here (byte " + std::to_string(byte) + ")";
  return std::string("'") + text[offset] + "' does not belong here";
}

/// Looks at every value while it is read.
class Watch {
 public:
  Watch(const std::string& source, DuplicateKeys duplicates, std::string_view text, const PythonNumbers& numbers)
      : source_(source), text_(text), numbers_(numbers), refuse_duplicates_(duplicates == DuplicateKeys::refused) {}

  bool has_work() const { return refuse_duplicates_ || !numbers_.found.empty(); }

  void see(json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::object_start) keys_.emplace_back();
    if (event == json::parse_event_t::object_end) keys_.pop_back();
    const bool is_key = event == json::parse_event_t::key;
    if (is_key || (event == json::parse_event_t::value && value.is_string())) see_text(is_key, value);
    if (is_key && refuse_duplicates_ && !keys_.back().insert(value.get<std::string>()).second) {
      throw InputError(source_ + ": the key " + in_quotes(value.get_ref<const std::string&>()) +
                       " stands there twice; once was expected");
    }
  }

 private:
  void see_text(bool is_key, json& value) {
    const auto found = numbers_.found.find(texts_++);
    if (found == numbers_.found.end()) return;
    if (is_key) {
      throw InputError(source_ + ": not valid JSON at " + place_in(text_, found->second.offset) +
                       ": a number is no key; a text in quotes was expected");
    }
    value = found->second.value;
  }

  const std::string& source_;
  std::string_view text_;
  const PythonNumbers& numbers_;
  bool refuse_duplicates_;
  std::vector<std::set<std::string>> keys_;  ///< of every object that is open, the outermost first
  std::size_t texts_ = 0;
};

/// `text` as it is read, `original` as it stands in the file.
json parse(std::string_view text, std::string_view original, const std::string& source, Watch watch) {
  const auto see = [&watch](int, json::parse_event_t event, json& value) {
    watch.see(event, value);
    return true;
  };
  try {
    return watch.has_work() ? json::parse(text.begin(), text.end(), see) : json::parse(text.begin(), text.end());
  } catch (const json::parse_error& error) {
    const std::size_t offset = error.byte > 0 ? error.byte - 1 : 0;
    throw InputError(source + ": not valid JSON at " + place_in(original, offset) + ": " + fault_at(original, offset));
  } catch (const json::out_of_range& error) {
    // The only one that the parser throws is a number beyond double; its text stands between quotes.
    const std::string_view what = error.what();
    const std::size_t open = what.find('\'');
    const std::size_t close = what.rfind('\'');
    const std::string_view number =
        close > open ? what.substr(open + 1, close - open - 1) : std::string_view("a number");
    throw InputError(source + ": not usable JSON: " + shortened(std::string(number), kLongestQuote) +
                     " is beyond the range of a double");
  }
}

}  // namespace

json parse_json_object(std::string_view text, const std::string& source, const JsonDialect& dialect) {
  check_cost(text, source);
  require_utf8(text, source);
  PythonNumbers numbers;
  if (dialect.python_numbers) numbers = find_python_numbers(text);
  json root = parse(numbers.found.empty() ? text : numbers.text, text, source,
                    Watch(source, dialect.duplicates, text, numbers));
  if (!root.is_object()) {
    throw InputError(source + ": the JSON is " + describe(root) + "; an object in braces was expected");
  }
  return root;
}

std::string describe(const json& value) {
  switch (value.type()) {
    case json::value_t::object:
      return "an object";
    case json::value_t::array:
      return "a list of " + std::to_string(value.size());
    case json::value_t::string:
      return "the text " + in_quotes(value.get_ref<const std::string&>());
    case json::value_t::number_float:
      // JSON has no such numbers, Python's has.
      if (std::isnan(value.get<double>())) return "NaN";
      if (std::isinf(value.get<double>())) return value.get<double>() > 0 ? "Infinity" : "-Infinity";
      [[fallthrough]];
    default:
      return shortened(value.dump(), kLongestQuote);
  }
}

std::string one_line(std::string_view text) {
  std::string line;
  while (const auto odd = find_not_utf8(text)) {
    line.append(text.substr(0, *odd)).append("\uFFFD");
    text.remove_prefix(*odd + 1);
  }
  line.append(text);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return line;
}

std::string in_quotes(std::string_view text) {
  return '"' + shortened(one_line(text), kLongestQuote) + '"';
}

std::string quoted_names(std::span<const std::string> names) {
  std::string list;
  for (const std::string& name : names.first(std::min(names.size(), kMostNames))) {
    list += (list.empty() ? "" : ", ") + in_quotes(name);
  }
  if (names.size() > kMostNames) list += ", …";
  return list.empty() ? "none" : list;
}

const json* Section::find(std::string_view key) const {
  const auto found = object->find(key);
  return found == object->end() || found->is_null() ? nullptr : &*found;
}

std::string Section::field(std::string_view key) const {
  return path.empty() ? std::string(key) : path + "." + std::string(key);
}

void Section::reject(std::string_view key, const std::string& expected) const {
  const json* value = find(key);
  throw InputError(source + ": " + field(key) + (value ? " is " + describe(*value) : " is missing") + "; " + expected +
                   " was expected");
}

std::optional<Read<double>> Section::number(std::string_view key) const {
  const json* value = find(key);
  if (!value) return std::nullopt;
  if (!value->is_number()) reject(key, "a number");
  if (!std::isfinite(value->get<double>())) reject(key, "a finite number");
  return Read<double>{value->get<double>(), field(key)};
}

std::optional<Read<double>> Section::positive(std::string_view key) const {
  const auto found = number(key);
  if (found && !(found->value > 0)) reject(key, "a number above 0");
  return found;
}

std::optional<Read<int>> Section::whole(std::string_view key) const {
  const auto found = number(key);
  if (!found) return std::nullopt;
  if (!(found->value >= 1 && found->value <= 1e9) || found->value != std::floor(found->value)) {
    reject(key, "a whole number from 1 to 1000000000");
  }
  return Read<int>{static_cast<int>(found->value), found->origin};
}

std::optional<Read<bool>> Section::flag(std::string_view key) const {
  const json* value = find(key);
  if (!value) return std::nullopt;
  if (!value->is_boolean()) reject(key, "true or false");
  return Read<bool>{value->get<bool>(), field(key)};
}

std::optional<Read<std::string>> Section::text(std::string_view key) const {
  const json* value = find(key);
  if (!value) return std::nullopt;
  if (!value->is_string()) reject(key, "a text");
  return Read<std::string>{value->get<std::string>(), field(key)};
}

std::optional<Section> Section::section(std::string_view key) const {
  const json* value = find(key);
  if (!value) return std::nullopt;
  if (!value->is_object()) reject(key, "an object or null");
  return Section{value, field(key), source};
}

std::optional<Read<std::vector<double>>> Section::numbers(std::string_view key) const {
  const json* value = find(key);
  if (!value) return std::nullopt;
  if (!value->is_array()) reject(key, "a list of numbers");
  if (value->size() > kLongestList) reject(key, "a list of at most " + std::to_string(kLongestList) + " numbers");
  Read<std::vector<double>> read{{}, field(key)};
  for (const json& entry : *value) {
    if (!entry.is_number() || !std::isfinite(entry.get<double>())) {
      throw InputError(source + ": entry " + std::to_string(read.value.size()) + " of " + field(key) + " is " +
                       describe(entry) + "; a " + (entry.is_number() ? "finite " : "") + "number was expected");
    }
    read.value.push_back(entry.get<double>());
  }
  return read;
}

std::optional<Read<double>> Section::first_positive(Spellings keys) const {
  for (const char* key : keys) {
    if (auto found = positive(key)) return found;
  }
  return std::nullopt;
}

std::optional<Read<int>> Section::first_whole(Spellings keys) const {
  for (const char* key : keys) {
    if (auto found = whole(key)) return found;
  }
  return std::nullopt;
}

std::optional<Section> Section::first_section(Spellings keys) const {
  for (const char* key : keys) {
    if (auto found = section(key)) return found;
  }
  return std::nullopt;
}

}  // namespace ropescope
