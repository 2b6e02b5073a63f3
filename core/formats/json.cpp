// JSON parsing with limits, exact error positions and Python's numbers. Read json.h first.
//
// Contents: Python's numbers; Reading.

#include "core/formats/json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <utility>
#include <vector>

#include "core/formats/nlohmann.h"
#include "core/message.h"
#include "core/utf8.h"

namespace ropescope {

int digit_of(char c, int base) {
  int value = -1;
  if (c >= '0' && c <= '9') value = c - '0';
  if (c >= 'a' && c <= 'f') value = c - 'a' + 10;
  if (c >= 'A' && c <= 'F') value = c - 'A' + 10;
  return value < base ? value : -1;
}

// --- Python's numbers ----------------------------------------------------------------------------------------------

namespace {

bool is_word(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

struct Spelling {
  std::string_view word;
  double value;
};
constexpr std::array<Spelling, 3> kSpellings = {{{"NaN", std::numeric_limits<double>::quiet_NaN()},
                                                 {"Infinity", std::numeric_limits<double>::infinity()},
                                                 {"-Infinity", -std::numeric_limits<double>::infinity()}}};

/// Returns the spelling that begins at the offset as a whole word, or null.
const Spelling* spelling_at(std::string_view text, std::size_t at) {
  if (at > 0 && (is_word(text[at - 1]) || text[at - 1] == '-')) return nullptr;
  for (const Spelling& spelling : kSpellings) {
    const std::size_t end = at + spelling.word.size();
    if (text.substr(at, spelling.word.size()) != spelling.word) continue;
    if (end < text.size() && is_word(text[end])) continue;
    return &spelling;
  }
  return nullptr;
}

/// A JSON text in which NaN, Infinity and -Infinity, which Python writes although JSON has no such numbers, are
/// replaced by strings of the same length: lines and columns in errors stay correct.
struct PythonNumbers {
  struct Found {
    double value;
    std::size_t offset;
  };
  std::string text;                    ///< empty if there are none: the original text can be used
  std::map<std::size_t, Found> found;  ///< by the index of the string that replaces it, counted from 0
};

/// Returns "line 3, column 14" for a byte offset, both counted from 1, columns in characters.
Message place_in(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t newline = before.rfind('\n');
  const std::string_view in_line = newline == std::string_view::npos ? before : before.substr(newline + 1);
  const auto column = 1 + std::count_if(in_line.begin(), in_line.end(), begins_character);
  return {"place.line_column", {{"line", line}, {"column", column}}};
}

/// Returns the offset of the closing quote of the string that opens at `quote`; the size of the text if it has none.
std::size_t find_closing_quote(std::string_view json, std::size_t quote) {
  for (std::size_t i = quote + 1; i < json.size(); ++i) {
    if (json[i] == '"') return i;
    if (json[i] == '\\') ++i;
  }
  return json.size();
}

PythonNumbers find_python_numbers(std::string_view text) {
  PythonNumbers numbers;
  std::size_t texts = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      i = find_closing_quote(text, i);
      ++texts;
      continue;
    }
    const Spelling* spelling = c == 'N' || c == 'I' || c == '-' ? spelling_at(text, i) : nullptr;
    if (!spelling) continue;
    if (numbers.text.empty()) numbers.text = text;
    const std::size_t length = spelling->word.size();
    numbers.text.replace(i, length, '"' + std::string(length - 2, '?') + '"');
    numbers.found[texts++] = {spelling->value, i};
    i += length - 1;
  }
  return numbers;
}

// --- Reading -------------------------------------------------------------------------------------------------------

using nlohmann::json;

constexpr std::size_t kLongestQuote = 60;
constexpr std::size_t kLongestList = 8192;

/// Checks brackets and separators only, so that hostile sizes are rejected before anything is allocated.
void check_cost(std::string_view text, const Message& source, std::size_t most_values) {
  if (text.size() > kLargestJsonBytes) {
    throw InputError(source, "json.too_large", {{"bytes", text.size()}, {"most", kLargestJsonBytes >> 20}});
  }
  int depth = 0;
  std::size_t values = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') i = find_closing_quote(text, i);
    if (c == '[' || c == '{') {
      ++depth;
      ++values;
    }
    if (c == ']' || c == '}') --depth;
    if (c == ',') ++values;
    if (depth > kDeepestJson) throw InputError(source, "json.too_deep", {{"most", kDeepestJson}});
    if (values > most_values) throw InputError(source, "json.too_many", {{"most", most_values}});
  }
}

/// The object whose members are passed to a callback, and the callback.
struct Listed {
  std::string_view key;  ///< name of the root's member with that object; empty: the root itself
  const TakeMember* take = nullptr;
};

/// Describes the error at a byte offset in plain words.
Message fault_at(std::string_view text, std::size_t offset) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (last == std::string_view::npos) return Message("json.empty");
  if (offset > last) return Message("json.incomplete");
  std::size_t start = offset;
  const auto is_word = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
  while (start > 0 && is_word(text[start - 1])) --start;
  for (const std::string_view word : {"NaN", "nan", "Infinity", "inf"}) {
    if (text.substr(start, word.size()) == word) return {"json.no_number", {{"word", word}}};
  }
  const auto byte = static_cast<unsigned char>(text[offset]);
  if (byte < 0x20 || byte >= 0x7F) return {"json.odd_byte", {{"byte", byte}}};
  return {"json.odd_sign", {{"sign", text.substr(offset, 1)}}};
}

/// Builds the values while they are parsed. The library's own builder with a callback scans a whole object whenever an
/// object within it ends: minutes for a list of a hundred thousand tensors.
class Builder : public nlohmann::json_sax<json> {
 public:
  /// `original`: the unmodified text of the file.
  Builder(std::string_view original, const Message& source, DuplicateKeys duplicates, const PythonNumbers& numbers,
          const Listed& listed, std::vector<std::string>* doubled)
      : original_(original),
        source_(source),
        duplicates_(duplicates),
        numbers_(numbers),
        listed_(listed),
        doubled_(doubled) {}

  json take() { return std::move(root_); }

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(json::number_integer_t value) override { return put(value); }
  bool number_unsigned(json::number_unsigned_t value) override { return put(value); }
  bool number_float(json::number_float_t value, const std::string&) override { return put(value); }
  bool binary(json::binary_t&) override { return false; }  // JSON has none

  bool string(std::string& value) override {
    const auto found = numbers_.found.find(texts_++);
    return found == numbers_.found.end() ? put(std::move(value)) : put(found->second.value);
  }

  bool key(std::string& name) override {
    const auto found = numbers_.found.find(texts_++);
    if (found != numbers_.found.end()) refuse(found->second.offset, Message("json.number_as_key"));
    if (skipped_ > 0) return true;
    if (listed_.take && !listed_.key.empty() && open_.size() == 1 && name != listed_.key) {
      skipped_ = 1;
      return true;
    }
    json& object = *open_.back();
    // Members that were passed to the callback cannot be taken back.
    const bool lists = listed_.take && open_.size() == 1;
    if ((lists || duplicates_ == DuplicateKeys::refused) && object.contains(name)) {
      throw InputError(source_, "json.twice", {{"key", in_quotes(name)}});
    }
    if (doubled_ && doubled_->size() <= kMaxListedNames && object.contains(name)) record_duplicate(name);
    value_of_key_ = &object[name];
    return true;
  }

  bool start_object(std::size_t) override { return put(json::object(), true); }
  bool start_array(std::size_t) override { return put(json::array(), true); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool parse_error(std::size_t position, const std::string& token, const json::exception& error) override {
    constexpr int kBeyondDouble = 406;
    if (error.id == kBeyondDouble) {
      throw InputError(source_, "json.beyond_double", {{"number", beginning_of(token, kLongestQuote)}});
    }
    const std::size_t offset = position > 0 ? position - 1 : 0;
    refuse(offset, fault_at(original_, offset));
  }

 private:
  [[noreturn]] void refuse(std::size_t offset, const Message& fault) const {
    throw InputError(source_, "json.not_valid", {{"place", place_in(original_, offset)}, {"fault", fault}});
  }
  /// Records the path of a duplicate member of the innermost object, once.
  void record_duplicate(const std::string& name) {
    std::string path;
    for (std::size_t i = 0; i + 1 < open_.size(); ++i) {
      const json& outer = *open_[i];
      if (outer.is_array()) {
        path += "[" + std::to_string(outer.size() - 1) + "]";
        continue;
      }
      const auto inner =
          std::find_if(outer.begin(), outer.end(), [&](const json& value) { return &value == open_[i + 1]; });
      path += (path.empty() ? "" : ".") + elide_middle(one_line(inner.key()));
    }
    path += (path.empty() ? "" : ".") + elide_middle(one_line(name));
    if (std::find(doubled_->begin(), doubled_->end(), path) == doubled_->end()) doubled_->push_back(path);
  }
  bool put(json value, bool opens = false) {
    if (skipped_ > 0) return skip(opens ? 1 : 0);
    if (++held_ > kMaxJsonValues) throw InputError(source_, "json.too_many", {{"most", kMaxJsonValues}});
    json* placed = &root_;
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back()->is_array()) {
      open_.back()->push_back(std::move(value));
      placed = &open_.back()->back();
    } else {
      *value_of_key_ = std::move(value);
      placed = value_of_key_;
    }
    if (opens) {
      open_.push_back(placed);
    } else {
      hand_over();
    }
    return true;
  }
  bool close() {
    if (skipped_ > 0) return skip(-1);
    open_.pop_back();
    hand_over();
    return true;
  }
  bool skip(int brackets) {
    skipped_ += brackets;
    if (brackets <= 0 && skipped_ == 1) skipped_ = 0;
    return true;
  }
  /// Passes the member that just ended to the callback, if its object is the requested one: it is its only member.
  void hand_over() {
    if (!listed_.take || open_.size() != (listed_.key.empty() ? 1U : 2U)) return;
    if (!open_.front()->is_object() || !open_.back()->is_object()) return;
    const auto member = open_.back()->begin();
    (*listed_.take)(member.key(), member.value());
    open_.back()->erase(member);
    held_ = 0;
  }

  std::string_view original_;
  const Message& source_;
  DuplicateKeys duplicates_;
  const PythonNumbers& numbers_;
  const Listed& listed_;
  std::vector<std::string>* doubled_;
  json root_;
  std::vector<json*> open_;  ///< each is the last value of the previous one, so that none is moved
  json* value_of_key_ = nullptr;
  std::size_t texts_ = 0;
  std::size_t held_ = 0;  ///< values, except those passed to the callback
  int skipped_ = 0;       ///< 1: the next value is skipped; more: it has that many minus one brackets open
};

json parse(std::string_view text, const Message& source, const JsonDialect& dialect, const Listed& listed,
           std::vector<std::string>* doubled = nullptr) {
  check_cost(text, source, listed.take ? kMaxListedJsonValues : kMaxJsonValues);
  require_utf8(text, source);
  PythonNumbers numbers;
  if (dialect.python_numbers) numbers = find_python_numbers(text);
  const std::string_view read = numbers.found.empty() ? text : std::string_view(numbers.text);
  Builder builder(text, source, dialect.duplicates, numbers, listed, doubled);
  json::sax_parse(read.begin(), read.end(), &builder);
  json root = builder.take();
  if (!root.is_object()) throw InputError(source, "json.no_object", {{"found", describe_value(root)}});
  return root;
}

/// Shortens the text between each two of `ends`.
std::string shortened_between(std::string_view message, std::string_view ends) {
  std::string shorter;
  for (std::size_t begin = 0; begin <= message.size();) {
    const std::size_t end = std::min(message.find_first_of(ends, begin), message.size());
    shorter += elide_middle(message.substr(begin, end - begin));
    if (end < message.size()) shorter += message[end];
    begin = end + 1;
  }
  return shorter;
}

/// Shortens texts in quotes; text outside quotes is the program's message.
std::string shorten_quotes(std::string_view message) {
  std::string shorter;
  bool quoted = false;
  for (std::size_t begin = 0; begin <= message.size();) {
    const std::size_t end = std::min(message.find('"', begin), message.size());
    const std::string_view part = message.substr(begin, end - begin);
    shorter += quoted && end < message.size() ? elide_middle(part) : std::string(part);
    if (end < message.size()) shorter += '"';
    quoted = !quoted;
    begin = end + 1;
  }
  return shorter;
}

}  // namespace

void require_utf8(std::string_view text, const Message& source) {
  const auto at = find_not_utf8(text);
  if (!at) return;
  const unsigned byte = static_cast<unsigned char>(text[*at]);
  std::array<char, 8> hexadecimal{};
  std::snprintf(hexadecimal.data(), hexadecimal.size(), "0x%02X", byte);
  throw InputError(source, "json.not_utf8",
                   {{"place", place_in(text, *at)}, {"byte", byte}, {"hexadecimal", hexadecimal.data()}});
}

json parse_json_object(std::string_view text, const std::string& source, const JsonDialect& dialect,
                       std::vector<std::string>* doubled) {
  return parse(text, verbatim(source), dialect, {}, doubled);
}

json parse_json_object(std::string_view text, const Message& source, const JsonDialect& dialect) {
  return parse(text, source, dialect, {});
}

bool for_each_member(std::string_view text, const Message& source, const JsonDialect& dialect, std::string_view key,
                     const TakeMember& take) {
  const json root = parse(text, source, dialect, {key, &take});
  return key.empty() || Section{&root, {}, source}.section(key);
}

Message describe_value(const json& value) {
  switch (value.type()) {
    case json::value_t::object:
      return Message("found.object");
    case json::value_t::array:
      return {"found.list", {{"count", value.size()}}};
    case json::value_t::string:
      return {"found.text", {{"text", in_quotes(value.get_ref<const std::string&>())}}};
    case json::value_t::number_float:
      // Python's JSON has these numbers.
      if (std::isnan(value.get<double>())) return verbatim("NaN");
      if (std::isinf(value.get<double>())) return verbatim(value.get<double>() > 0 ? "Infinity" : "-Infinity");
      [[fallthrough]];
    default:
      return verbatim(beginning_of(value.dump(), kLongestQuote));
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

std::string shorten_echoes(std::string_view message) {
  if (message.size() <= kMaxEchoedLength) return std::string(message);
  return shortened_between(shorten_quotes(message), " \"");
}

std::string in_quotes(std::string_view text) {
  return '"' + elide_middle(one_line(text)) + '"';
}

Message quoted_names(std::span<const std::string> names, bool all) {
  if (names.empty()) return Message("list.none");
  Message::List list;
  for (const std::string& name : names.first(std::min(names.size(), kMaxListedNames))) {
    list.push_back(verbatim(in_quotes(name)));
  }
  if (names.size() > kMaxListedNames && all)
    return {"list.cut_of", {{"names", std::move(list)}, {"count", names.size()}}};
  return {names.size() > kMaxListedNames ? "list.cut" : "list.whole", {{"names", std::move(list)}}};
}

const json* Section::find(std::string_view key) const {
  const auto found = object->find(key);
  if (found == object->end() || found->is_null()) return nullptr;
  if (lookups) lookups->members.emplace(object, key);
  return &*found;
}

Message Section::field(std::string_view key) const {
  const std::string name = elide_middle(one_line(key));
  if (path.empty()) return verbatim(name);
  if (path.key.empty()) return verbatim(debug_text(path) + "." + name);
  return {"origin.field", {{"path", path}, {"field", name}}};
}

void Section::reject(std::string_view key, const Message& expected) const {
  const json* value = find(key);
  if (!value) throw InputError(source, "json.missing", {{"field", field(key)}, {"expected", expected}});
  throw InputError(source, "field", {{"field", field(key)}, {"found", describe_value(*value)}, {"expected", expected}});
}

std::optional<Read<double>> Section::number(std::string_view key) const {
  const json* value = find(key);
  if (!value) return std::nullopt;
  if (!value->is_number()) reject(key, Message("expected.a_number"));
  if (!std::isfinite(value->get<double>())) reject(key, Message("expected.finite"));
  return Read<double>{value->get<double>(), field(key)};
}

std::optional<Read<double>> Section::positive(std::string_view key) const {
  const auto found = number(key);
  if (found && !(found->value > 0)) reject(key, Message("expected.above_0"));
  return found;
}

std::optional<Read<int>> Section::whole(std::string_view key) const {
  const auto found = number(key);
  if (!found) return std::nullopt;
  constexpr int kMax = 1'000'000'000;
  if (!(found->value >= 1 && found->value <= kMax) || found->value != std::floor(found->value)) {
    reject(key, {"expected.whole", {{"least", 1}, {"most", kMax}}});
  }
  return Read<int>{static_cast<int>(found->value), found->origin};
}

std::optional<Read<bool>> Section::flag(std::string_view key) const {
  const json* value = find(key);
  if (!value) return std::nullopt;
  if (!value->is_boolean()) reject(key, Message("expected.flag"));
  return Read<bool>{value->get<bool>(), field(key)};
}

std::optional<Read<std::string>> Section::text(std::string_view key) const {
  const json* value = find(key);
  if (!value) return std::nullopt;
  if (!value->is_string()) reject(key, Message("expected.text"));
  return Read<std::string>{value->get<std::string>(), field(key)};
}

std::optional<Section> Section::section(std::string_view key) const {
  const json* value = find(key);
  if (!value) return std::nullopt;
  if (!value->is_object()) reject(key, Message("expected.object_or_null"));
  return Section{value, field(key), source, lookups};
}

std::optional<Read<std::vector<double>>> Section::numbers(std::string_view key) const {
  const json* value = find(key);
  if (!value) return std::nullopt;
  if (!value->is_array()) reject(key, Message("expected.numbers"));
  if (value->size() > kLongestList) reject(key, {"expected.numbers_up_to", {{"most", kLongestList}}});
  Read<std::vector<double>> read{{}, field(key)};
  for (const json& entry : *value) {
    if (!entry.is_number() || !std::isfinite(entry.get<double>())) {
      const Message expected(entry.is_number() ? "expected.finite" : "expected.a_number");
      throw InputError(source, "json.entry",
                       {{"index", read.value.size()},
                        {"field", field(key)},
                        {"found", describe_value(entry)},
                        {"expected", expected}});
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
