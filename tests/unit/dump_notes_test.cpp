#include "core/formats/dumps/dump.h"

#include "tests/unit/stored_files.h"

namespace ropescope {
namespace {

using testing::Pair;
using testing::UnorderedElementsAre;

DumpNotes read_unit_dump_notes(const std::string& header) {
  return read_dump_notes(bytes_of(safetensors_file(header, "")), "d.safetensors");
}

/// A header that says these texts.
std::string saying(const std::map<std::string, std::string>& texts) {
  json header;
  header["__metadata__"] = texts;
  return header.dump();
}
std::string saying(const std::string& key, const std::string& text) {
  return saying({{key, text}});
}

std::string find_notes_error(const std::string& header) {
  return refusal_of([&] { read_unit_dump_notes(header); });
}

TEST(DumpNotes, SayNothingWhereNobodyWroteAny) {
  for (const char* header : {"{}", R"({"__metadata__":null})", R"({"__metadata__":{"format":"pt","odd":1}})"}) {
    const DumpNotes notes = read_unit_dump_notes(header);
    EXPECT_EQ(notes.config, std::nullopt);
    EXPECT_THAT(notes.options, IsEmpty());
    EXPECT_THAT(notes.roles, IsEmpty());
  }
}

TEST(DumpNotes, HoldConfigLayoutOptionsAndRoles) {
  const DumpNotes notes = read_unit_dump_notes(saying(
      {{"ropescope.config", "{\"model_type\": \"llama\"}"},
       {"ropescope.layout", "flux.1"},
       {"ropescope.options",
        R"({"size":"1664x928","text":512,"base":10000.0,"truncate":false,"long-factors":[1,2.5],"reference":["64x32"]})"},
       {"ropescope.roles", R"({"cos":"rope.cos","sin":"rope.sin"})"},
       {"ropescope.seen", "anything"},
       {"format", "pt"}}));
  EXPECT_EQ(notes.config, "{\"model_type\": \"llama\"}");
  EXPECT_THAT(notes.options, UnorderedElementsAre(
                                 Pair("layout", ElementsAre("flux.1")), Pair("size", ElementsAre("1664x928")),
                                 Pair("text", ElementsAre("512")), Pair("base", ElementsAre("10000.0")),
                                 Pair("truncate", ElementsAre("false")), Pair("long-factors", ElementsAre("1", "2.5")),
                                 Pair("reference", ElementsAre("64x32"))));
  EXPECT_THAT(notes.roles, UnorderedElementsAre(Pair("cos", "rope.cos"), Pair("sin", "rope.sin")));
}

TEST(DumpNotes, WhatCannotBeUsedIsNamed) {
  EXPECT_THAT(find_notes_error(saying("ropescope.sizes", "{}")),
              AllOf(HasSubstr("d.safetensors: "), Says("error.dump_notes.unknown", {{"key", "\"ropescope.sizes\""}}),
                    HasSubstr("layout, options")));
  EXPECT_THAT(
      find_notes_error(R"({"__metadata__":{"ropescope.layout":7}})"),
      AllOf(HasSubstr("d.safetensors: "),
            Says("error.field", {{"field", "__metadata__.ropescope.layout"}, {"found", "7"}}), Says("expected.text")));
  EXPECT_THAT(find_notes_error(R"({"__metadata__":[]})"), HasSubstr("__metadata__ is a list"));
  EXPECT_THAT(find_notes_error(R"({"__metadata__":{"ropescope.a\nb":7}})"),
              HasSubstr("__metadata__.ropescope.a b is 7"));
  const std::string long_key = "ropescope." + std::string(1 << 16, 'x');
  EXPECT_LT(find_notes_error("{\"__metadata__\":{\"" + long_key + "\":7}}").size(), 400U);
  EXPECT_THAT(find_notes_error(saying("ropescope.options", R"({"a\nb":null})")), HasSubstr("a b is missing"));
  EXPECT_THAT(find_notes_error(R"({"__metadata__":{"ropescope.layout":"a","ropescope.layout":"b"}})"),
              Says("error.json.twice", {{"key", "\"ropescope.layout\""}}));
  EXPECT_THAT(find_notes_error(R"({"__metadata__":{},"__metadata__":{}})"),
              Says("error.json.twice", {{"key", "\"__metadata__\""}}));
  EXPECT_THAT(
      find_notes_error(saying("ropescope.options", "size=1")),
      AllOf(HasSubstr("d.safetensors: ropescope.options: "), Says("error.json.not_valid"), HasSubstr("line 1")));
  EXPECT_THAT(find_notes_error(saying("ropescope.options", "[]")), Says("error.json.no_object"));
  EXPECT_THAT(find_notes_error(saying("ropescope.options", R"({"size":{"width":1}})")),
              AllOf(HasSubstr("ropescope.options: size is an object"), Says("dump_notes.value")));
  EXPECT_THAT(find_notes_error(saying("ropescope.options", R"({"text":null})")), HasSubstr("text"));
  EXPECT_THAT(find_notes_error(saying("ropescope.options", R"({"text":[[1]]})")),
              AllOf(Says("error.field", {{"field", "text"}}), Says("found.list"), Says("dump_notes.value")));
  EXPECT_THAT(find_notes_error(saying("ropescope.options", R"({"text":1,"text":2})")),
              Says("error.json.twice", {{"key", "\"text\""}}));
  EXPECT_THAT(find_notes_error(saying("ropescope.roles", R"({"cosine":"cos"})")),
              AllOf(HasSubstr("ropescope.roles: "), Says("error.dump_notes.role", {{"role", "\"cosine\""}}),
                    HasSubstr("before or after")));
  EXPECT_THAT(find_notes_error(saying("ropescope.roles", R"({"cos":1})")),
              AllOf(HasSubstr("ropescope.roles: "), Says("error.field", {{"field", "cos"}, {"found", "1"}}),
                    Says("expected.text")));
}

}  // namespace
}  // namespace ropescope
