// Reading and writing JSON, with an error that names file, field, what was found and what was expected. All readers of
// configs stand on its Section.
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

#include "core/words.h"

namespace ropescope {

/// The value of a digit to base 10 or 16; −1: it is none.
int digit_of(char c, int base);

// --- Text of a file ------------------------------------------------------------------------------------------------

/// Throws InputError that names `source`, line, column and byte where a text is not UTF-8.
void require_utf8(std::string_view text, const Words& source);

// --- Reading -------------------------------------------------------------------------------------------------------

/// What a file may cost before it is parsed: more is refused with a named error.
constexpr std::size_t kLargestJsonBytes = 64u << 20;
constexpr int kDeepestJson = 64;
constexpr std::size_t kMostJsonValues = 100'000;  ///< held at once, as a tree of some 16 to 130 bytes for each
constexpr std::size_t kMostListedJsonValues = 1'000'000;
constexpr std::size_t kMostNames = 12;  ///< that a message lists

/// What becomes of an object that has a key twice: the last one counts, or an InputError names the key.
enum class DuplicateKeys { last, refused };

/// What a text may hold besides plain JSON.
struct JsonDialect {
  DuplicateKeys duplicates = DuplicateKeys::last;
  bool python_numbers = false;  ///< NaN, Infinity and -Infinity are numbers, as Python's json reads and writes them
};
/// How config files are read that others publish: what stands in fields that nobody here reads must not matter.
constexpr JsonDialect kPublishedJson{DuplicateKeys::last, true};

/// Parses a JSON text whose root is an object. Throws InputError that names `source` and, where the text is not UTF-8
/// or not JSON, line and column, both counted from 1.
nlohmann::json parse_json_object(std::string_view text, const Words& source, const JsonDialect& dialect = {});
/// `doubled`: takes the keys of which the last counts, as "text_config.rope_theta", each once and at most
/// kMostNames + 1 of them.
nlohmann::json parse_json_object(std::string_view text, const std::string& source, const JsonDialect& dialect = {},
                                 std::vector<std::string>* doubled = nullptr);

/// Takes one member of an object: its name and its value.
using TakeMember = std::function<void(const std::string& name, const nlohmann::json& value)>;
/// Hands over the members of one object of such a text as they are read, in the order of the text, so that none but the
/// one at hand is held: those of the root, or with a `key` those of the object that the root has there. Members of one
/// name are all handed over, whatever the dialect: whoever takes them looks for a name that comes twice. False where
/// the root has nothing at `key`. Throws InputError as parse_json_object does, though what is wrong further down in the
/// text is found after the members before it were handed over, and where the root has something else than an object at
/// `key` or has `key` twice.
bool for_each_member(std::string_view text, const Words& source, const JsonDialect& dialect, std::string_view key,
                     const TakeMember& take);

/// A value together with the dotted name of the field that it came from, or what else it follows from.
template <class T>
struct Read {
  T value;
  Words origin;
};

/// Spellings of one field, the preferred one first.
using Spellings = std::span<const char* const>;

/// What was looked up in the objects of a file, so that the rest can be told: members by their object and name, and
/// objects of which everything has been said.
struct Lookups {
  std::set<std::pair<const nlohmann::json*, std::string>> members;
  std::set<const nlohmann::json*> told;
  std::set<const nlohmann::json*> towers;  ///< objects whose fields are those of the ladders shown
};

/// One JSON object of a file, with its place for messages: `path` is empty for the root, else
/// "text_config.rope_scaling", and `source` names the file.
/// Every reader treats null as absent and throws InputError naming file and field where the value has another type.
struct Section {
  const nlohmann::json* object = nullptr;
  Words path;
  Words source;
  Lookups* lookups = nullptr;  ///< remembers what is found; null: nobody asks

  /// The value of a key; nullptr where it is missing or null.
  const nlohmann::json* find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }
  /// "path.key" on one line; of a key of more than kMostEchoed characters without its middle.
  Words field(std::string_view key) const;
  /// A finite number; text that looks like a number is refused.
  std::optional<Read<double>> number(std::string_view key) const;
  /// A number > 0.
  std::optional<Read<double>> positive(std::string_view key) const;
  /// A whole number in 1 … 10⁹ (128.0 counts as whole).
  std::optional<Read<int>> whole(std::string_view key) const;
  std::optional<Read<bool>> flag(std::string_view key) const;
  std::optional<Read<std::string>> text(std::string_view key) const;
  std::optional<Section> section(std::string_view key) const;
  /// A list of finite numbers, at most 8192 of them.
  std::optional<Read<std::vector<double>>> numbers(std::string_view key) const;

  /// The first spelling that is present.
  std::optional<Read<double>> first_positive(Spellings keys) const;
  std::optional<Read<int>> first_whole(Spellings keys) const;
  std::optional<Section> first_section(Spellings keys) const;

  /// Throws InputError "SOURCE: FIELD is FOUND; EXPECTED was expected".
  [[noreturn]] void reject(std::string_view key, const Words& expected) const;
};

/// A JSON value in a message: short, on one line.
Words describe(const nlohmann::json& value);
/// Any text with blanks in place of line ends and other control characters, and U+FFFD for what is not UTF-8.
std::string one_line(std::string_view text);
/// Any text in a message: quoted, on one line, at most 60 characters.
std::string in_quotes(std::string_view text);
/// Names in a message: each in quotes, the first 12 of them and how many there are; "none" if there are none. `all`:
/// false if there are more than are given here, so that their number is not known.
Words quoted_names(std::span<const std::string> names, bool all = true);

}  // namespace ropescope
