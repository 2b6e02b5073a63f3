#include "core/formats/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/said.h"

namespace ropescope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// What is handed over, "NAME=VALUE" each.
std::vector<std::string> members_of(const std::string& text, const std::string& key, const JsonDialect& dialect = {}) {
  std::vector<std::string> members;
  const auto take = [&](const std::string& name, const nlohmann::json& value) {
    members.push_back(name + "=" + value.dump());
  };
  if (!for_each_member(text, as_it_is("f.json"), dialect, key, take)) members.emplace_back("nothing there");
  return members;
}

std::string json_reader_refusal(const std::string& text, const std::string& key = {}, const JsonDialect& dialect = {}) {
  return refusal_of([&] { members_of(text, key, dialect); });
}

/// count times the text, with commas between.
std::string times(std::size_t count, const std::string& text) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += (i == 0 ? "" : ",") + text;
  return all;
}

TEST(ForEachMember, OfTheRootInTheOrderOfTheText) {
  EXPECT_THAT(members_of(R"({"b": {"x": [1, {"y": {}}]}, "a": 2, "c": [], "b": null})", ""),
              ElementsAre(R"(b={"x":[1,{"y":{}}]})", "a=2", "c=[]", "b=null"));
  EXPECT_THAT(members_of("{}", ""), ElementsAre());
}

TEST(ForEachMember, OfOneMemberOfTheRootAndOfNoOther) {
  EXPECT_THAT(members_of(R"({"a": {"list": {"no": 1}}, "s": "list", "list": {"b": "1", "a": {"list": [[2]]}},
                          "e": [], "z": [[{"list": {"no": 2}}], 3]})",
                         "list"),
              ElementsAre(R"(b="1")", R"(a={"list":[[2]]})"));
  EXPECT_THAT(members_of(R"({"list": {}})", "list"), ElementsAre());
  EXPECT_THAT(members_of(R"({"a": {"list": {"no": 1}}})", "list"), ElementsAre("nothing there"));
  EXPECT_THAT(members_of(R"({"list": null})", "list"), ElementsAre("nothing there"));
  EXPECT_THAT(json_reader_refusal(R"({"list": [{"a": 1}]})", "list"),
              HasSubstr("f.json: list is a list of 1; an object or null"));
}

TEST(ForEachMember, WhatIsPassedOverCountsItsPythonNumbersToo) {
  EXPECT_THAT(members_of(R"({"a": [NaN, "x", {"k": Infinity}], "list": {"b": "y", "c": -Infinity, "d": 1}})", "list",
                         kPublishedJson),
              ElementsAre(R"(b="y")", "c=null", "d=1"));  // JSON writes no infinity
}

TEST(ForEachMember, TwiceWithinAMemberIsRefusedAsElsewhere) {
  const JsonDialect strict{DuplicateKeys::refused};
  EXPECT_THAT(json_reader_refusal(R"({"a": {"b": 1, "b": 2}})", "", strict), HasSubstr("\"b\""));
  EXPECT_THAT(json_reader_refusal(R"({"list": {"a": 1}, "list": {"b": 1}})", "list", strict), HasSubstr("\"list\""));
}

TEST(ForEachMember, OfOneNameAreAllHandedOverButAListIsThereOnce) {
  EXPECT_THAT(members_of(R"({"a": 1, "a": 2})", "", {DuplicateKeys::refused}), ElementsAre("a=1", "a=2"));
  EXPECT_THAT(members_of(R"({"list": {"a": 1, "a": 2}})", "list"), ElementsAre("a=1", "a=2"));
  EXPECT_THAT(json_reader_refusal(R"({"list": {"a": 1}, "list": {"b": 1}})", "list"),
              HasSubstr("\"list\" stands there twice"));
}

TEST(ForEachMember, WhatIsNoJsonIsSaidWithItsPlace) {
  EXPECT_THAT(json_reader_refusal("{\"a\": 1,\n \"b\": ]}"), HasSubstr("line 2, column 7"));
  EXPECT_THAT(json_reader_refusal("{\"a\": [1,\n ?]}", "list"), HasSubstr("line 2, column 2"));
}

TEST(ForEachMember, OfAListThereAreNone) {
  for (const char* key : {"", "list", "a"}) {
    EXPECT_THAT(json_reader_refusal(R"([{"a": 1}])", key), HasSubstr("f.json: the JSON is a list of 1; an object"));
    EXPECT_THAT(json_reader_refusal(R"([{"list": {"a": 1}}])", key),
                HasSubstr("f.json: the JSON is a list of 1; an object"));
    const auto must_not = [](const std::string& name, const nlohmann::json&) { ADD_FAILURE() << name; };
    EXPECT_THROW(for_each_member(R"([{"a": {"b": 1}}])", as_it_is("f.json"), {}, key, must_not), InputError);
  }
}

TEST(JsonValues, OnlyWhatIsHeldAtOnceCounts) {
  const std::string half = "[" + times(kMostJsonValues / 2, "1") + "]";
  const std::string two = "{\"a\":" + half + ",\"b\":" + half + "}";
  EXPECT_THAT(refusal_of([&] { parse_json_object(two, "f.json"); }), HasSubstr("more than 100000 values"));
  EXPECT_EQ(members_of(two, "").size(), 2U);
  EXPECT_THAT(members_of(two, "list"), ElementsAre("nothing there")) << "what is passed over is not held";
  EXPECT_THAT(json_reader_refusal("{\"a\":[" + times(kMostJsonValues, "1") + "]}"),
              HasSubstr("more than 100000 values"));
  const std::string all = "{\"a\":[" + times(kMostListedJsonValues, "1") + "]}";
  EXPECT_THAT(json_reader_refusal(all, "list"), HasSubstr("more than 1000000 values"));
}

}  // namespace
}  // namespace ropescope
