#include "core/formats/json.h"

#include "tests/said.h"

namespace ropescope {
namespace {

/// What is handed over, "NAME=VALUE" each.
std::vector<std::string> members_of(const std::string& text, const std::string& key, const JsonDialect& dialect = {}) {
  std::vector<std::string> members;
  const auto take = [&](const std::string& name, const json& value) { members.push_back(name + "=" + value.dump()); };
  if (!for_each_member(text, verbatim("f.json"), dialect, key, take)) members.emplace_back("nothing there");
  return members;
}

std::string find_json_error(const std::string& text, const std::string& key = {}, const JsonDialect& dialect = {}) {
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
  EXPECT_THAT(
      find_json_error(R"({"list": [{"a": 1}]})", "list"),
      AllOf(HasSubstr("f.json: "), Says("error.field", {{"field", "list"},
                                                        {"found", said(Message("found.list", {{"count", 1}}))},
                                                        {"expected", said(Message("expected.object_or_null"))}})));
}

TEST(ForEachMember, WhatIsPassedOverCountsItsPythonNumbersToo) {
  EXPECT_THAT(members_of(R"({"a": [NaN, "x", {"k": Infinity}], "list": {"b": "y", "c": -Infinity, "d": 1}})", "list",
                         kPublishedJson),
              ElementsAre(R"(b="y")", "c=null", "d=1"));  // JSON writes no infinity
}

TEST(ForEachMember, TwiceWithinAMemberIsRefusedAsElsewhere) {
  const JsonDialect strict{DuplicateKeys::refused};
  EXPECT_THAT(find_json_error(R"({"a": {"b": 1, "b": 2}})", "", strict), HasSubstr("\"b\""));
  EXPECT_THAT(find_json_error(R"({"list": {"a": 1}, "list": {"b": 1}})", "list", strict), HasSubstr("\"list\""));
}

TEST(ForEachMember, OfOneNameAreAllHandedOverButAListIsThereOnce) {
  EXPECT_THAT(members_of(R"({"a": 1, "a": 2})", "", {DuplicateKeys::refused}), ElementsAre("a=1", "a=2"));
  EXPECT_THAT(members_of(R"({"list": {"a": 1, "a": 2}})", "list"), ElementsAre("a=1", "a=2"));
  EXPECT_THAT(find_json_error(R"({"list": {"a": 1}, "list": {"b": 1}})", "list"),
              Says("error.json.twice", {{"key", "\"list\""}}));
}

TEST(ForEachMember, WhatIsNoJsonIsSaidWithItsPlace) {
  EXPECT_THAT(find_json_error("{\"a\": 1,\n \"b\": ]}"), HasSubstr("line 2, column 7"));
  EXPECT_THAT(find_json_error("{\"a\": [1,\n ?]}", "list"), HasSubstr("line 2, column 2"));
}

TEST(ForEachMember, OfAListThereAreNone) {
  const std::string refused =
      "f.json: " + said(Message("error.json.no_object", {{"found", Message("found.list", {{"count", 1}})}}));
  for (const char* key : {"", "list", "a"}) {
    EXPECT_EQ(find_json_error(R"([{"a": 1}])", key), refused);
    EXPECT_EQ(find_json_error(R"([{"list": {"a": 1}}])", key), refused);
    const auto must_not = [](const std::string& name, const json&) { ADD_FAILURE() << name; };
    EXPECT_THROW(for_each_member(R"([{"a": {"b": 1}}])", verbatim("f.json"), {}, key, must_not), InputError);
  }
}

TEST(JsonValues, OnlyWhatIsHeldAtOnceCounts) {
  const std::string half = "[" + times(kMaxJsonValues / 2, "1") + "]";
  const std::string two = "{\"a\":" + half + ",\"b\":" + half + "}";
  EXPECT_REFUSED(parse_json_object(two, "f.json"), Says("error.json.too_many", {{"most", "100000"}}));
  EXPECT_EQ(members_of(two, "").size(), 2U);
  EXPECT_THAT(members_of(two, "list"), ElementsAre("nothing there")) << "what is passed over is not held";
  EXPECT_THAT(find_json_error("{\"a\":[" + times(kMaxJsonValues, "1") + "]}"),
              Says("error.json.too_many", {{"most", "100000"}}));
  const std::string all = "{\"a\":[" + times(kMaxListedJsonValues, "1") + "]}";
  EXPECT_THAT(find_json_error(all, "list"), Says("error.json.too_many", {{"most", "1000000"}}));
}

}  // namespace
}  // namespace ropescope
