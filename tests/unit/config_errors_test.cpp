#include "core/formats/config.h"
#include "core/formats/config_layout.h"
#include "tests/said.h"

namespace ropescope {
namespace {

/// The message of the error; a failed expectation where there is none.
std::string find_config_error(const std::string& text) {
  try {
    parse_model_config(text, "c.json");
  } catch (const InputError& error) {
    const std::string what = said(error);
    EXPECT_THAT(what + error.what(), Not(HasSubstr("\n")));
    EXPECT_EQ(what.rfind("c.json", 0), 0u) << what;
    return what;
  }
  ADD_FAILURE() << "no error for " << text.substr(0, 200);
  return "";
}

std::string to_faulty_llama(const std::string& more) {
  return R"({"model_type": "llama", "head_dim": 128, )" + more + "}";
}

std::string broken_json(const std::string& place, const Message& fault) {
  return "c.json: " + said(Message("error.json.not_valid", {{"place", place}, {"fault", fault}}));
}

TEST(ConfigErrors, SayWhereTheJsonBreaks) {
  EXPECT_EQ(find_config_error("{\n  \"rope_theta\": 10000,\n  \"head_dim\""),
            broken_json("line 3, column 13", Message("json.incomplete")));
  EXPECT_EQ(find_config_error("{\"a\": 1,\n\"b\" 2}"),
            broken_json("line 2, column 5", Message("json.odd_sign", {{"sign", "2"}})));
  EXPECT_EQ(find_config_error(""), broken_json("line 1, column 1", Message("json.empty")));
  EXPECT_EQ(find_config_error("{\"a\": 1} x"),
            broken_json("line 1, column 10", Message("json.odd_sign", {{"sign", "x"}})));
  EXPECT_THAT(find_config_error("{\"a\": \"\x01\"}"), HasSubstr("byte 1"));
  EXPECT_THAT(find_config_error("\xFF\xFE{"), HasSubstr("line 1"));
}

TEST(ConfigErrors, SpeakNoParserLanguage) {
  for (const char* text : {"{", "[", "{\"a\":", "{\"a\": tru", "{'a': 1}", "nul", "{\"a\": 1e}", "\"abc"}) {
    const std::string message = find_config_error(text);
    EXPECT_THAT(message, Not(HasSubstr("json.exception"))) << text;
    EXPECT_THAT(message, Not(HasSubstr("syntax error"))) << text;
  }
}

TEST(ConfigErrors, NumbersThatJsonLacksAreReadWhereNobodyLooks) {
  // As Nemotron's config has it.
  const std::string text = to_faulty_llama(R"("time_step_limit": [0.0, Infinity], "x": {"y": -Infinity, "z": NaN})");
  EXPECT_EQ(parse_model_config(text, "c.json").profiles[0].spec.head_dim, 128);
  EXPECT_FALSE(find_layout_config(text, "c.json"));
  // Within a text they are letters.
  const std::string named = R"({"model_type": "llama", "head_dim": 64, "a\"": "NaN, Infinity", "NaN": "?", "b": NaN})";
  EXPECT_EQ(parse_model_config(named, "c.json").profiles[0].spec.head_dim, 64);
}

TEST(ConfigErrors, OtherSpellingsAreNoNumbers) {
  for (const char* word : {"nan", "inf", "-NaN", "NaNs", "Infinity1", "--Infinity", "-inf", "+Infinity", "-"}) {
    EXPECT_THAT(find_config_error(to_faulty_llama(std::string("\"x\": ") + word)),
                AllOf(Says("error.json.not_valid"), HasSubstr("line 1, column")))
        << word;
  }
  EXPECT_EQ(find_config_error("{\"a\": 1, NaN: 2}"), broken_json("line 1, column 10", Message("json.number_as_key")));
  EXPECT_THAT(find_config_error("NaN"), Says("error.json.no_object", {{"found", "NaN"}}));
  // What stands in their place has the same length.
  EXPECT_EQ(find_config_error("{\"a\": [NaN, -Infinity],\n\"b\": Infinity x}"),
            broken_json("line 2, column 15", Message("json.odd_sign", {{"sign", "x"}})));
}

TEST(ConfigErrors, SayWhereATextIsNotUtf8) {
  EXPECT_EQ(find_config_error("{\"a\": \"\xFF\"}"),
            "c.json: " + said(Message("error.json.not_utf8",
                                      {{"place", "line 1, column 8"}, {"byte", 255}, {"hexadecimal", "0xFF"}})));
  // The beginning of what is broken, not the byte at which it shows; characters are counted, not bytes.
  EXPECT_THAT(find_config_error("{\"a\":\n \"\u00E4\xE2\x82\"}"),
              Says("error.json.not_utf8", {{"place", "line 2, column 4"}, {"byte", "226"}, {"hexadecimal", "0xE2"}}));
  for (const char* wrong : {"\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF8", "\x80", "\xE0\x80\x80"}) {
    EXPECT_THAT(find_config_error("{\"a\": \"" + std::string(wrong) + "\"}"), HasSubstr("line 1, column 8")) << wrong;
  }
  const std::string right =
      "{\"model_type\": \"llama\", \"head_dim\": 64, \"x\": \"\u00E4\u20AC\U0001F600\uD7FF\U0010FFFF\"}";
  EXPECT_EQ(parse_model_config(right, "c.json").profiles[0].spec.head_dim, 64);
}

TEST(ConfigErrors, RefuseWhatCostsTooMuch) {
  EXPECT_THAT(find_config_error(std::string(100'000, '[')), Says("error.json.too_deep", {{"most", "64"}}));
  std::string deep = "{\"a\": ";
  for (int i = 0; i < 70; ++i) deep += "{\"a\": ";
  EXPECT_THAT(find_config_error(deep), Says("error.json.too_deep", {{"most", "64"}}));
  EXPECT_THAT(find_config_error("{\"a\": [" + std::string(2'200'000, ',')),
              Says("error.json.too_many", {{"most", "100000"}}));
  EXPECT_THAT(find_config_error(std::string((64u << 20) + 1, ' ')),
              Says("error.json.too_large", {{"bytes", "67108865"}, {"most", "64"}}));
}

TEST(ConfigErrors, BracketsInsideTextsDoNotCount) {
  const std::string text = R"({"model_type": "llama", "head_dim": 64, "x": "\"[)" + std::string(200, '[') + "\"}";
  EXPECT_EQ(parse_model_config(text, "c.json").profiles[0].spec.head_dim, 64);
}

TEST(ConfigErrors, LongAndOddTextsStayOnOneShortLine) {
  const std::string message =
      find_config_error(to_faulty_llama("\"rope_theta\": \"" + std::string(5000, 'x') + "\\n\\ty\""));
  EXPECT_LT(message.size(), 200u);
}

}  // namespace
}  // namespace ropescope
