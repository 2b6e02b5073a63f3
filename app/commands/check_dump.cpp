#include "app/commands/check_dump.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "app/resources/nearest.h"
#include "app/views/check/told_dump.h"
#include "core/error.h"
#include "core/formats/json_reader.h"

namespace ropescope {

namespace {

using Names = std::set<std::string, std::less<>>;

/// One of each row is given: of the file none where the command line gives another.
constexpr std::string_view kAlternatives[][3] = {
    {"config", "model", "dim"}, {"size", "grid", ""}, {"frames", "video-frames", ""}};
/// Their values are names of files, and which of those are read the file does not say.
constexpr std::string_view kNamesOfFiles[] = {"config", "against-cos", "against-sin"};
/// What is tolerated is said by whoever checks, not by the program that is checked.
constexpr std::string_view kOfTheChecker[] = {"allow"};
/// Options about the tensors, whatever they are held against.
constexpr std::string_view kOfTensors[] = {"part", "rows", "q-layout"};
constexpr std::string_view kCheckDumpReferences[] = {"reference", "reference-grid"};

template <class List>
bool holds(const List& list, std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

/// Names of the options that the command line gives, without dashes.
Names given_names(const Arguments::Targets& options) {
  Names names;
  for (const auto& [name, value] : options) {
    if (*value && name.starts_with("--")) names.insert(name.substr(2));
  }
  return names;
}

/// The options that a file may give.
std::vector<std::string> known_options(const Arguments::Targets& options) {
  std::vector<std::string> names(std::begin(kCheckDumpReferences), std::end(kCheckDumpReferences));
  for (const auto& [name, value] : options) {
    const std::string bare = name.starts_with("--") ? name.substr(2) : "";
    if (!bare.empty() && !holds(kNamesOfFiles, bare) && !holds(kDumpRoles, bare) && !holds(kOfTheChecker, bare))
      names.push_back(bare);
  }
  return names;
}

void require_known(const std::string& name, const std::vector<std::string>& known, const std::string& path) {
  if (holds(known, name)) return;
  const std::vector<std::string> near = nearest_words(name, known);
  throw InputError(path, "dump_notes.option",
                   {{"option", in_quotes(name)}, {"known", one_of(near.empty() ? known : near)}});
}

bool is_put_away(const std::string& name, const Names& line) {
  if (line.contains(name)) return true;
  return std::any_of(std::begin(kAlternatives), std::end(kAlternatives), [&](const auto& row) {
    return holds(row, name) &&
           std::any_of(std::begin(row), std::end(row), [&](std::string_view other) { return line.contains(other); });
  });
}

std::string check_dump_joined(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ",") + value;
  return text;
}

/// `other`: the command line names another reference.
void take_options(const DumpNotes& notes, const Names& line, bool other, const Arguments::Targets& options,
                  CheckArguments& given) {
  const std::string& path = *given.dump;
  if (notes.config && !other && !is_put_away("config", line)) {
    given.rope.config = path + ": ropescope.config";
    given.rope.config_text = notes.config;
  }
  const bool has_references = !given.layout.references.empty();
  const std::vector<std::string> known = known_options(options);
  for (const auto& [name, values] : notes.options) {
    require_known(name, known, path);
    if (is_put_away(name, line) || (other && !holds(kOfTensors, name))) continue;
    if (!holds(kCheckDumpReferences, name)) {
      *options.at("--" + name) = check_dump_joined(values);
    } else if (!has_references) {
      for (const std::string& value : values) given.layout.references.emplace_back("--" + name, value);
    } else {
      continue;
    }
    given.told += (given.told.empty() ? "--" : " --") + name + " " + in_quotes(check_dump_joined(values));
  }
}

/// Tensors that the command line does not give. `two_dumps`: cos and sin alone are compared.
void take_tensors(ToldDump dump, const Names& line, bool two_dumps, const Arguments::Targets& options,
                  const CheckArguments& given) {
  if (given.layout_name || given.layout.size || given.layout.grid) take_positions_as_ids(dump);
  const auto is_table = [](std::string_view role) { return role == "cos" || role == "sin"; };
  for (const auto& [role, argument] : dump.roles) {
    const bool other_kind = is_table(role) ? line.contains("table") : role == "table" && line.contains("cos");
    if (line.contains(role) || other_kind || (two_dumps && !is_table(role))) continue;
    *options.at("--" + role) = argument;
  }
}

}  // namespace

void take_dump(CheckArguments& given, const Arguments::Targets& options) {
  if (!given.dump) return;
  ToldDump dump = read_told_dump(*given.dump);
  const Names line = given_names(options);
  const bool two_dumps = line.contains("against-cos") || line.contains("against-sin");
  const bool other = two_dumps || line.contains("layout") || line.contains("model") || line.contains("dim");
  if (!two_dumps) take_options(dump.notes, line, other, options, given);
  take_tensors(std::move(dump), line, two_dumps, options, given);
}

AsGiven::AsGiven(const CheckArguments& given, const Arguments::Targets& options)
    : references_(given.layout.references) {
  for (const auto& [name, value] : options) values_.emplace(name, *value);
}

void AsGiven::put_back(CheckArguments& given, const Arguments::Targets& options) const {
  for (const auto& [name, value] : values_) *options.at(name) = value;
  given.layout.references = references_;
  given.rope.config_text.reset();
  given.told.clear();
}

}  // namespace ropescope
