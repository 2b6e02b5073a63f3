#include "app/views/check/told_dump.h"

#include <algorithm>
#include <iterator>
#include <memory>

#include "app/resources/mapped_file.h"
#include "app/views/check/drop.h"
#include "core/formats/tensor_file.h"

namespace ropescope {

namespace {

using Roles = std::map<std::string, std::string, std::less<>>;

/// As where a file without notes is dropped; a tensor that is called as an option is it.
Roles roles_by_name(const std::string& path, const MappedFile& file) {
  constexpr std::string_view kOptions[] = {"cos", "sin",         "table",       "before",     "after",
                                           "ids", "frequencies", "against-cos", "against-sin"};  // as CheckRole
  Roles roles;
  for (const auto& [role, argument] : find_tensors(path)) {
    roles.emplace(kOptions[static_cast<std::size_t>(role)], argument);
  }
  for (const std::string& name : list_tensors(file.bytes(), path)) {
    if (std::find(std::begin(kDumpRoles), std::end(kDumpRoles), name) != std::end(kDumpRoles)) {
      roles[name] = path + ":" + name;
    }
  }
  const auto ids = roles.find("ids"), positions = roles.find("positions");
  if (ids != roles.end() && positions != roles.end() && ids->second == positions->second) roles.erase(ids);
  // One without the other was not rotated here.
  if (roles.contains("before") != roles.contains("after")) {
    roles.erase("before");
    roles.erase("after");
  }
  return roles;
}

}  // namespace

ToldDump read_told_dump(const std::string& path) {
  const auto file = map_file(path);
  ToldDump dump;
  if (is_safetensors(file->bytes(), path)) dump.notes = read_dump_notes(file->bytes(), path);
  for (const auto& [role, name] : dump.notes.roles) dump.roles.emplace(role, path + ":" + name);
  if (dump.roles.empty()) dump.roles = roles_by_name(path, *file);
  file->check_unchanged();
  return dump;
}

void take_positions_as_ids(ToldDump& dump) {
  const auto positions = dump.roles.find("positions");
  if (positions == dump.roles.end()) return;
  dump.roles.emplace("ids", positions->second);
  dump.roles.erase(positions);
}

}  // namespace ropescope
