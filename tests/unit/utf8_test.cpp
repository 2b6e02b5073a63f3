#include "core/utf8.h"

#include "tests/test.h"

namespace ropescope {
namespace {

TEST(Utf8, EveryCharacterIsReadAsItIsWritten) {
  for (char32_t code = 0; code < 0x110100; ++code) {
    std::string text = "a";
    const bool is_one = code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
    ASSERT_EQ(append_utf8(text, code), is_one) << static_cast<unsigned>(code);
    if (!is_one) continue;
    const Character read = character_at(text, 1);
    ASSERT_EQ(read.code, code);
    ASSERT_EQ(read.bytes, text.size() - 1);
    ASSERT_EQ(next_character(text, 1), text.size());
    ASSERT_EQ(start_of_character(text, text.size() - 1), 1u);
    ASSERT_FALSE(find_not_utf8(text));
  }
}

TEST(Utf8, WhatIsNoCharacterIsFound) {
  for (const std::string_view wrong : {"\x80", "\xC3", "\xC0\x80", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xE4\xBD",
                                       "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF8\x88\x80\x80", "\xFF"}) {
    EXPECT_EQ(character_at(wrong, 0).bytes, 0u);
    EXPECT_EQ(find_not_utf8("é" + std::string(wrong) + "b"), 2u);
  }
}

}  // namespace
}  // namespace ropescope
