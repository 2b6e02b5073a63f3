// The tensors that a check looks at, by what they are: options, fields and reports of each are lists over these.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace ropescope {

/// Which of the tensors that somebody's program computed a file holds, or of those that are right.
enum class CheckRole { cosine, sine, table, before, after, ids, frequencies, against_cosine, against_sine };

/// The kinds of boxes in which files of tensors are asked for.
enum class CheckOffer { tables, table, vectors, ids, frequencies };

/// What a tensor of a role is called.
struct CheckRoleNames {
  CheckRole role;
  std::string_view name;  ///< of its option without the dashes, and in notes and reports: "cos"
  CheckOffer offer;       ///< the boxes that it is among
};
/// In the order of CheckRole.
inline constexpr CheckRoleNames kCheckRoles[] = {{CheckRole::cosine, "cos", CheckOffer::tables},
                                                 {CheckRole::sine, "sin", CheckOffer::tables},
                                                 {CheckRole::table, "table", CheckOffer::table},
                                                 {CheckRole::before, "before", CheckOffer::vectors},
                                                 {CheckRole::after, "after", CheckOffer::vectors},
                                                 {CheckRole::ids, "ids", CheckOffer::ids},
                                                 {CheckRole::frequencies, "frequencies", CheckOffer::frequencies},
                                                 {CheckRole::against_cosine, "against-cos", CheckOffer::tables},
                                                 {CheckRole::against_sine, "against-sin", CheckOffer::tables}};

constexpr const CheckRoleNames& names_of(CheckRole role) {
  return kCheckRoles[static_cast<std::size_t>(role)];
}
constexpr bool is_against(CheckRole role) {
  return role == CheckRole::against_cosine || role == CheckRole::against_sine;
}

/// Something for each tensor of a check.
template <class T>
struct ByRole : std::array<T, std::size(kCheckRoles)> {
  T& operator[](CheckRole role) { return this->data()[static_cast<std::size_t>(role)]; }
  const T& operator[](CheckRole role) const { return this->data()[static_cast<std::size_t>(role)]; }
};

}  // namespace ropescope
