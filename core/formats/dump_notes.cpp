#include "core/formats/dump_notes.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/formats/json_reader.h"
#include "core/formats/safetensors.h"

namespace ropescope {

namespace {

using nlohmann::json;

constexpr std::string_view kPrefix = "ropescope.";
/// "seen": where the writer saw each tensor, for people.
constexpr std::string_view kKnown[] = {"config", "layout", "options", "roles", "seen"};

/// What an option is given as on a command line; none of an object or null.
std::optional<std::string> argument_of(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean() || value.is_number()) return value.dump();
  return std::nullopt;
}

void read_options(const std::string& text, const std::string& place, DumpNotes& notes) {
  const json root = parse_json_object(text, place, {DuplicateKeys::refused});
  const Section section{&root, {}, as_it_is(place)};
  for (const auto& [name, value] : root.items()) {
    std::vector<std::string> arguments;
    for (const json& each : value.is_array() ? value : json::array({value})) {
      const auto argument = argument_of(each);
      if (!argument) section.reject(name, Words("dump_notes.value"));
      arguments.push_back(*argument);
    }
    notes.options.emplace_back(name, std::move(arguments));
  }
}

void read_roles(const std::string& text, const std::string& place, DumpNotes& notes) {
  const json root = parse_json_object(text, place, {DuplicateKeys::refused});
  const Section section{&root, {}, as_it_is(place)};
  for (const auto& [role, value] : root.items()) {
    if (std::find(std::begin(kDumpRoles), std::end(kDumpRoles), role) == std::end(kDumpRoles)) {
      const std::vector<std::string> known(std::begin(kDumpRoles), std::end(kDumpRoles));
      throw InputError(place, "dump_notes.role", {{"role", in_quotes(role)}, {"known", one_of(known)}});
    }
    if (const auto name = section.text(role)) notes.roles.emplace_back(role, name->value);
  }
}

}  // namespace

DumpNotes read_dump_notes(std::span<const std::byte> bytes, const std::string& source) {
  DumpNotes notes;
  for (const auto& [key, text] : read_safetensors_notes(bytes, source, kPrefix)) {
    const std::string whole = std::string(kPrefix) + key, place = source + ": " + whole;
    if (key == "config") {
      notes.config = text;
    } else if (key == "layout") {
      notes.options.emplace_back(key, std::vector<std::string>{text});
    } else if (key == "options") {
      read_options(text, place, notes);
    } else if (key == "roles") {
      read_roles(text, place, notes);
    } else if (key != "seen") {
      const std::vector<std::string> known(std::begin(kKnown), std::end(kKnown));
      throw InputError(source, "dump_notes.unknown", {{"key", in_quotes(whole)}, {"known", one_of(known)}});
    }
  }
  return notes;
}

}  // namespace ropescope
