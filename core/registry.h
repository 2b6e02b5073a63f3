// Functions shared by all registries: lookup by name, and the fields that entries declare. A registry is a list of
// self-contained entries; everything an entry can do is defined in the entry (tests/laws/registries_test.cpp).
#pragma once

#include <algorithm>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "core/message.h"

namespace ropescope {

/// Returns the first entry whose `member` equals `text`, or null.
template <class Entries, class Member>
auto find_entry_by(const Entries& entries, Member member, std::string_view text) {
  const auto found = std::ranges::find_if(entries, [&](const auto& entry) { return entry.*member == text; });
  return found == std::ranges::end(entries) ? nullptr : &*found;
}
/// Returns the entry or field called `name`, or null.
template <class Entries>
auto find_named_entry(const Entries& entries, std::string_view name) {
  return find_entry_by(entries, &std::ranges::range_value_t<Entries>::name, name);
}

/// Returns the names of all entries, for use in an error message.
template <class Entries>
Message::List known_names(const Entries& entries) {
  Message::List known;
  for (const auto& entry : entries) known.push_back(verbatim(entry.name));
  return known;
}

/// Returns the entry called `name`. Throws InputError with the text key `error`, the name and all known names.
template <class Entries>
const auto& required_entry(const Entries& entries, std::string_view name, std::string_view error) {
  if (const auto* found = find_named_entry(entries, name)) return *found;
  std::vector<std::string> names;
  for (const auto& entry : entries) names.emplace_back(entry.name);
  Message::List known;
  for (const std::string& near : near_or_all(name, names)) known.push_back(verbatim(near));
  throw InputError(error, {{"name", name}, {"known", known}});
}

/// Returns the fields that the entries declare in `member`, without duplicates: the first declaration of a name counts.
/// They are sorted by `order` (NumberField), and for equal `order` as in the entries.
template <class Declared, class Entries, class Member>
std::vector<Declared> collect_fields(const Entries& entries, Member member) {
  std::vector<Declared> all;
  for (const auto& entry : entries) {
    for (const Declared& field : entry.*member) {
      if (!find_named_entry(all, field.name)) all.push_back(field);
    }
  }
  std::ranges::stable_sort(all, {}, [](const Declared& field) { return field.order; });
  return all;
}

}  // namespace ropescope
