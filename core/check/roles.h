// The roles of the tensors that check accepts; options, fields and reports are lists indexed by role.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace ropescope {

/// Roles of tensors: those computed by the user's program, and against_…, the tables taken as correct.
enum class CheckRole { cosine, sine, table, before, after, ids, frequencies, against_cosine, against_sine };

/// Groups of input boxes for tensor files.
enum class InputKind { tables, table, vectors, ids, frequencies };

/// Names of a tensor role.
struct CheckRoleNames {
  CheckRole role;
  std::string_view name;  ///< of its option without the dashes; also in notes and reports: "cos"
  InputKind offer;        ///< group of input boxes that contains it
};
/// Role names, in the order of CheckRole.
inline constexpr CheckRoleNames kCheckRoles[] = {{CheckRole::cosine, "cos", InputKind::tables},
                                                 {CheckRole::sine, "sin", InputKind::tables},
                                                 {CheckRole::table, "table", InputKind::table},
                                                 {CheckRole::before, "before", InputKind::vectors},
                                                 {CheckRole::after, "after", InputKind::vectors},
                                                 {CheckRole::ids, "ids", InputKind::ids},
                                                 {CheckRole::frequencies, "frequencies", InputKind::frequencies},
                                                 {CheckRole::against_cosine, "against-cos", InputKind::tables},
                                                 {CheckRole::against_sine, "against-sin", InputKind::tables}};

constexpr const CheckRoleNames& names_of(CheckRole role) {
  return kCheckRoles[static_cast<std::size_t>(role)];
}
constexpr bool is_against(CheckRole role) {
  return role == CheckRole::against_cosine || role == CheckRole::against_sine;
}

/// An array with one element per role.
template <class T>
struct ByRole : std::array<T, std::size(kCheckRoles)> {
  T& operator[](CheckRole role) { return this->data()[static_cast<std::size_t>(role)]; }
  const T& operator[](CheckRole role) const { return this->data()[static_cast<std::size_t>(role)]; }
};

}  // namespace ropescope
