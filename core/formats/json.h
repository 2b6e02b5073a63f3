// JSON parsing with errors that name the file, the field, and the found and expected values. All readers of configs use
// its Section.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/message.h"

namespace ropescope {

/// Returns the value of a digit to base 10 or 16, or −1 if it is not a digit.
int digit_of(char c, int base);

// --- Text of a file ------------------------------------------------------------------------------------------------

/// Throws InputError naming `source`, line, column and byte if a text is not UTF-8.
void require_utf8(std::string_view text, const Message& source);

// --- Reading -------------------------------------------------------------------------------------------------------

/// Limits that are checked before a file is parsed; a larger file is rejected with a named error.
constexpr std::size_t kLargestJsonBytes = 64u << 20;
constexpr int kDeepestJson = 64;
constexpr std::size_t kMaxJsonValues = 100'000;  ///< in memory at once, as a tree of some 16 to 130 bytes for each
constexpr std::size_t kMaxListedJsonValues = 1'000'000;
constexpr std::size_t kMaxListedNames = 12;  ///< names listed in a message

/// Treatment of objects that have a key twice: the last one counts, or an InputError names the key.
enum class DuplicateKeys { last, refused };

/// Accepted deviations from plain JSON.
struct JsonDialect {
  DuplicateKeys duplicates = DuplicateKeys::last;
  bool python_numbers = false;  ///< NaN, Infinity and -Infinity are numbers, as Python's json reads and writes them
};
/// Dialect for published config files: irregularities in fields that are not used must not matter.
constexpr JsonDialect kPublishedJson{DuplicateKeys::last, true};

/// Parses a JSON text whose root is an object. Throws InputError naming `source` and, if the text is not UTF-8 or not
/// JSON, line and column, both counted from 1.
nlohmann::json parse_json_object(std::string_view text, const Message& source, const JsonDialect& dialect = {});
/// Overload that reports duplicate keys in `doubled`, as "text_config.rope_theta", each once and at most
/// kMaxListedNames + 1 of them.
nlohmann::json parse_json_object(std::string_view text, const std::string& source, const JsonDialect& dialect = {},
                                 std::vector<std::string>* doubled = nullptr);

/// A callback for one member of an object: its name and its value.
using TakeMember = std::function<void(const std::string& name, const nlohmann::json& value)>;
/// Calls `take` for each member of one object while the text is parsed, in the order of the text, so only that member
/// is in memory. The object is the root or, with a `key`, the root's member of that name. Members with the same name
/// are all passed, whatever the dialect: the callback must detect duplicates. Returns false if the root has no `key`.
/// Throws InputError as parse_json_object() does, if `key` is not an object, or if `key` occurs twice. An error further
/// down in the text is thrown after the members before it were passed.
bool for_each_member(std::string_view text, const Message& source, const JsonDialect& dialect, std::string_view key,
                     const TakeMember& take);

/// A value and its origin: the dotted name of its field, or the rule that it follows from.
template <class T>
struct Read {
  T value;
  Message origin;
};

/// Spellings of one field, the preferred one first.
using Spellings = std::span<const char* const>;

/// The lookups in the objects of a file, so that the rest can be reported: members by object and name, and objects that
/// have been reported completely.
struct Lookups {
  std::set<std::pair<const nlohmann::json*, std::string>> members;
  std::set<const nlohmann::json*> told;
  std::set<const nlohmann::json*> towers;  ///< objects whose fields belong to the ladders shown
};

/// A JSON object of a file with its path for messages: `path` is empty for the root, else "text_config.rope_scaling",
/// and `source` names the file. Every reader treats null as absent and throws InputError naming file and field if the
/// value has another type.
struct Section {
  const nlohmann::json* object = nullptr;
  Message path;
  Message source;
  Lookups* lookups = nullptr;  ///< records the members found; may be null

  /// Returns the value of a key; null if it is missing or null.
  const nlohmann::json* find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }
  /// Returns "path.key" on one line; a key of more than kMaxEchoedLength characters loses its middle.
  Message field(std::string_view key) const;
  /// Returns a finite number; a string that looks like a number is rejected.
  std::optional<Read<double>> number(std::string_view key) const;
  /// Returns a number > 0.
  std::optional<Read<double>> positive(std::string_view key) const;
  /// Returns an integer in 1 … 10⁹ (128.0 is accepted).
  std::optional<Read<int>> whole(std::string_view key) const;
  std::optional<Read<bool>> flag(std::string_view key) const;
  std::optional<Read<std::string>> text(std::string_view key) const;
  std::optional<Section> section(std::string_view key) const;
  /// Returns a list of finite numbers, at most 8192 of them.
  std::optional<Read<std::vector<double>>> numbers(std::string_view key) const;

  /// Return the value of the first spelling that is present.
  std::optional<Read<double>> first_positive(Spellings keys) const;
  std::optional<Read<int>> first_whole(Spellings keys) const;
  std::optional<Section> first_section(Spellings keys) const;

  /// Throws InputError "SOURCE: FIELD is FOUND; expected EXPECTED".
  [[noreturn]] void reject(std::string_view key, const Message& expected) const;
};

/// Describes a JSON value in a message: short, on one line.
Message describe_value(const nlohmann::json& value);
/// Replaces line ends and other control characters with blanks, and invalid UTF-8 with U+FFFD.
std::string one_line(std::string_view text);
/// Returns a message in which each string in quotes and each word loses its middle if it is long (elide_middle()).
std::string shorten_echoes(std::string_view message);
/// Quotes any text for a message: on one line, at most 60 characters.
std::string in_quotes(std::string_view text);
/// Lists names for a message: the first 12 in quotes and the total count; "none" if there are none. `all`: false if
/// there are more than those passed, so their number is not known.
Message quoted_names(std::span<const std::string> names, bool all = true);

}  // namespace ropescope
