#pragma once

#include "reference_data.h"
#include "tests/said.h"

/// What tables of tests/reference expect to be said.
namespace ropescope {

/// The name of a message's value in a table, where {key} is one that is called like the message's key.
inline std::string value_name(const std::string& name) {
  return name == "{key}" ? "key" : name;
}

/// A message from an object with its key and its values, which may be messages themselves.
inline Message message_of(const json& object) {
  Message message(object.at("key").get<std::string>());
  for (const auto& [name, value] : object.items()) {
    if (name == "key") continue;
    if (value.is_object()) {
      message.values.emplace_back(value_name(name), message_of(value));
    } else if (value.is_number_integer()) {
      message.values.emplace_back(value_name(name), value.get<std::int64_t>());
    } else {
      message.values.emplace_back(value_name(name), value.get<std::string>());
    }
  }
  return message;
}

/// A fragment (nothing at all if it is empty), a key of assets/text with some of its values, {"exactly": a message}, or
/// a list of these within one text.
inline testing::Matcher<const std::string&> says(const json& expected) {
  if (expected.is_string() && expected.get<std::string>().empty()) return testing::IsEmpty();
  if (expected.is_string()) return HasSubstr(expected.get<std::string>());
  if (expected.contains("exactly")) return testing::Eq(said(message_of(expected["exactly"])));
  if (expected.is_array()) {
    std::vector<testing::Matcher<const std::string&>> all;
    for (const json& one : expected) all.push_back(says(one));
    return testing::AllOfArray(all);
  }
  TextValues values;
  for (const auto& [name, value] : expected.items()) {
    if (name == "key") continue;
    values[value_name(name)] = value.is_object() ? said(message_of(value)) : value.get<std::string>();
  }
  return Says(expected["key"].get<std::string>(), values);
}

/// Holds every row of tests/reference/refusals/TABLE.json, of which there are `rows`: what is given, what it is refused
/// with (see says(); "": it is taken), and maybe why. The names of its parts are for readers.
template <class Refusal>
void expect_refusals(const std::string& table, std::size_t rows, const Refusal& refusal) {
  std::size_t held = 0;
  const json parts = read_reference("refusals/" + table + ".json");
  for (const auto& [part, cases] : parts.items()) {
    for (const json& row : cases) {
      EXPECT_THAT(refusal(row.at(0)), says(row.at(1))) << part << ": " << row.dump();
      ++held;
    }
  }
  EXPECT_EQ(held, rows) << table;
}

}  // namespace ropescope
