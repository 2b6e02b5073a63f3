#include "core/formats/dumps/dump.h"

#include "says.h"
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
  expect_refusals("dump_notes", 15, find_notes_error);
  const std::string long_key = "ropescope." + std::string(1 << 16, 'x');
  EXPECT_LT(find_notes_error("{\"__metadata__\":{\"" + long_key + "\":7}}").size(), 400U);
}

}  // namespace
}  // namespace ropescope
