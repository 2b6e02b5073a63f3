// What is asked of every registry: the entry of a name, and the fields that its entries declare. A registry is a list
// of entries, each a block of its own; whatever an entry can do stands in that block (tests/laws/registries_test.cpp).
#pragma once

#include <algorithm>
#include <ranges>
#include <string_view>
#include <vector>

#include "core/words.h"

namespace ropescope {

/// The first with that text in a member; null where there is none.
template <class Entries, class Member>
auto entry_with(const Entries& entries, Member member, std::string_view text) {
  const auto found = std::ranges::find_if(entries, [&](const auto& entry) { return entry.*member == text; });
  return found == std::ranges::end(entries) ? nullptr : &*found;
}
/// The one of that name, of entries or of fields; null where there is none.
template <class Entries>
auto entry_named(const Entries& entries, std::string_view name) {
  return entry_with(entries, &std::ranges::range_value_t<Entries>::name, name);
}

/// The names of all, as people read them in an error.
template <class Entries>
Words::List known_names(const Entries& entries) {
  Words::List known;
  for (const auto& entry : entries) known.push_back(as_it_is(entry.name));
  return known;
}

/// The entry of that name. Throws InputError of that key, with the name and those there are.
template <class Entries>
const auto& required_entry(const Entries& entries, std::string_view name, std::string_view error) {
  if (const auto* found = entry_named(entries, name)) return *found;
  throw InputError(error, {{"name", name}, {"known", known_names(entries)}});
}

/// The fields that the entries declare in a member of theirs, each once, as the first that has one declares it; those
/// of one `order` (NumberField) in the order of the entries.
template <class Declared, class Entries, class Member>
std::vector<Declared> fields_of_all(const Entries& entries, Member member) {
  std::vector<Declared> all;
  for (const auto& entry : entries) {
    for (const Declared& field : entry.*member) {
      if (!entry_named(all, field.name)) all.push_back(field);
    }
  }
  std::ranges::stable_sort(all, {}, [](const Declared& field) { return field.order; });
  return all;
}

}  // namespace ropescope
