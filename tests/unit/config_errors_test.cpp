#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/formats/config.h"
#include "core/formats/config_layout.h"
#include "core/words.h"
#include "tests/said.h"

namespace ropescope {
namespace {

using ::testing::HasSubstr;

/// The message of the error; a failed expectation where there is none.
std::string error_of_config_errors(const std::string& text) {
  try {
    parse_model_config(text, "c.json");
  } catch (const InputError& error) {
    const std::string what = said(error);
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    EXPECT_EQ(what.rfind("c.json", 0), 0u) << what;
    return what;
  }
  ADD_FAILURE() << "no error for " << text.substr(0, 200);
  return "";
}

std::string config_errors_llama(const std::string& more) {
  return R"({"model_type": "llama", "head_dim": 128, )" + more + "}";
}

TEST(ConfigErrors, SayWhereTheJsonBreaks) {
  EXPECT_EQ(error_of_config_errors("{\n  \"rope_theta\": 10000,\n  \"head_dim\""),
            "c.json: not valid JSON at line 3, column 13: the text ends before the JSON is complete");
  EXPECT_EQ(error_of_config_errors("{\"a\": 1,\n\"b\" 2}"),
            "c.json: not valid JSON at line 2, column 5: '2' does not belong here");
  EXPECT_EQ(error_of_config_errors(""), "c.json: not valid JSON at line 1, column 1: the file is empty");
  EXPECT_THAT(error_of_config_errors("{\"a\": 1} x"), HasSubstr("line 1, column 10: 'x' does not belong here"));
  EXPECT_THAT(error_of_config_errors("{\"a\": \"\x01\"}"), HasSubstr("byte 1"));
  EXPECT_THAT(error_of_config_errors("\xFF\xFE{"), HasSubstr("line 1"));
}

TEST(ConfigErrors, SpeakNoParserLanguage) {
  for (const char* text : {"{", "[", "{\"a\":", "{\"a\": tru", "{'a': 1}", "nul", "{\"a\": 1e}", "\"abc"}) {
    const std::string message = error_of_config_errors(text);
    EXPECT_THAT(message, ::testing::Not(HasSubstr("json.exception"))) << text;
    EXPECT_THAT(message, ::testing::Not(HasSubstr("syntax error"))) << text;
  }
}

TEST(ConfigErrors, NumbersThatJsonLacks) {
  EXPECT_EQ(error_of_config_errors(config_errors_llama(R"("rope_theta": NaN)")),
            "c.json: rope_theta is NaN; a finite number was expected");
  EXPECT_EQ(error_of_config_errors(config_errors_llama(R"("rope_theta": Infinity)")),
            "c.json: rope_theta is Infinity; a finite number was expected");
  EXPECT_THAT(error_of_config_errors(config_errors_llama(R"("rope_theta": -Infinity)")),
              HasSubstr("rope_theta is -Infinity"));
  EXPECT_THAT(error_of_config_errors(config_errors_llama(R"("sliding_window": NaN)")),
              HasSubstr("sliding_window is NaN"));
  EXPECT_THAT(error_of_config_errors(config_errors_llama(
                  R"("rope_scaling": {"type": "longrope", "factor": 2, "short_factor": [1, NaN]})")),
              HasSubstr("entry 1 of rope_scaling.short_factor is NaN; a finite number was expected"));
  EXPECT_THAT(error_of_config_errors(config_errors_llama(R"("rope_theta": 1e999)")),
              HasSubstr("1e999 is beyond the range of a double"));
}

TEST(ConfigErrors, NumbersThatJsonLacksAreReadWhereNobodyLooks) {
  // As Nemotron's config has it.
  const std::string text =
      config_errors_llama(R"("time_step_limit": [0.0, Infinity], "x": {"y": -Infinity, "z": NaN})");
  EXPECT_EQ(parse_model_config(text, "c.json").profiles[0].spec.head_dim, 128);
  EXPECT_FALSE(find_layout_config(text, "c.json"));
  // Within a text they are letters.
  const std::string named = R"({"model_type": "llama", "head_dim": 64, "a\"": "NaN, Infinity", "NaN": "?", "b": NaN})";
  EXPECT_EQ(parse_model_config(named, "c.json").profiles[0].spec.head_dim, 64);
}

TEST(ConfigErrors, OtherSpellingsAreNoNumbers) {
  for (const char* word : {"nan", "inf", "-NaN", "NaNs", "Infinity1", "--Infinity", "-inf", "+Infinity", "-"}) {
    EXPECT_THAT(error_of_config_errors(config_errors_llama(std::string("\"x\": ") + word)),
                HasSubstr("not valid JSON at line 1, column"))
        << word;
  }
  EXPECT_THAT(error_of_config_errors("{\"a\": 1, NaN: 2}"), HasSubstr("line 1, column 10: a number is no key"));
  EXPECT_THAT(error_of_config_errors("NaN"), HasSubstr("the JSON is NaN"));
  // What stands in their place has the same length.
  EXPECT_EQ(error_of_config_errors("{\"a\": [NaN, -Infinity],\n\"b\": Infinity x}"),
            "c.json: not valid JSON at line 2, column 15: 'x' does not belong here");
}

TEST(ConfigErrors, SayWhereATextIsNotUtf8) {
  EXPECT_EQ(
      error_of_config_errors("{\"a\": \"\xFF\"}"),
      "c.json: not UTF-8 at line 1, column 8: byte 255 (0xFF) belongs to no character; a text in UTF-8 was expected");
  // The beginning of what is broken, not the byte at which it shows; characters are counted, not bytes.
  EXPECT_THAT(error_of_config_errors("{\"a\":\n \"\u00E4\xE2\x82\"}"),
              HasSubstr("not UTF-8 at line 2, column 4: byte 226 (0xE2)"));
  for (const char* wrong : {"\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF8", "\x80", "\xE0\x80\x80"}) {
    EXPECT_THAT(error_of_config_errors("{\"a\": \"" + std::string(wrong) + "\"}"), HasSubstr("line 1, column 8"))
        << wrong;
  }
  const std::string right =
      "{\"model_type\": \"llama\", \"head_dim\": 64, \"x\": \"\u00E4\u20AC\U0001F600\uD7FF\U0010FFFF\"}";
  EXPECT_EQ(parse_model_config(right, "c.json").profiles[0].spec.head_dim, 64);
}

TEST(ConfigErrors, RefuseWhatCostsTooMuch) {
  EXPECT_THAT(error_of_config_errors(std::string(100'000, '[')), HasSubstr("nested more than 64 deep"));
  std::string deep = "{\"a\": ";
  for (int i = 0; i < 70; ++i) deep += "{\"a\": ";
  EXPECT_THAT(error_of_config_errors(deep), HasSubstr("nested more than 64 deep"));
  EXPECT_THAT(error_of_config_errors("{\"a\": [" + std::string(2'200'000, ',')), HasSubstr("more than 100000 values"));
  EXPECT_THAT(error_of_config_errors(std::string((64u << 20) + 1, ' ')), HasSubstr("67108865 bytes; at most 64 MiB"));
}

TEST(ConfigErrors, BracketsInsideTextsDoNotCount) {
  const std::string text = R"({"model_type": "llama", "head_dim": 64, "x": "\"[)" + std::string(200, '[') + "\"}";
  EXPECT_EQ(parse_model_config(text, "c.json").profiles[0].spec.head_dim, 64);
}

TEST(ConfigErrors, NeedAnObject) {
  EXPECT_EQ(error_of_config_errors("[1, 2]"), "c.json: the JSON is a list of 2; an object in braces was expected");
  EXPECT_THAT(error_of_config_errors("3"), HasSubstr("the JSON is 3"));
}

TEST(ConfigErrors, NameTheFieldAndWhatWasFound) {
  EXPECT_EQ(error_of_config_errors(config_errors_llama(R"("rope_theta": "10000")")),
            "c.json: rope_theta is the text \"10000\"; a number was expected");
  EXPECT_EQ(error_of_config_errors(config_errors_llama(R"("rope_theta": true)")),
            "c.json: rope_theta is true; a number was expected");
  EXPECT_EQ(error_of_config_errors(config_errors_llama(R"("rope_scaling": "linear")")),
            "c.json: rope_scaling is the text \"linear\"; an object or null was expected");
  EXPECT_EQ(error_of_config_errors(config_errors_llama(R"("rope_scaling": {"type": 3})")),
            "c.json: rope_scaling.type is 3; a text was expected");
  EXPECT_THAT(error_of_config_errors(config_errors_llama(R"("rope_scaling": {"type": "linear", "factor": "4"})")),
              HasSubstr("rope_scaling.factor is the text \"4\""));
  EXPECT_THAT(error_of_config_errors(config_errors_llama(R"("rope_scaling": {"type": "linear", "factor": -4})")),
              HasSubstr("rope_scaling.factor is -4; a number above 0"));
  EXPECT_THAT(error_of_config_errors(config_errors_llama(R"("rope_scaling": {"type": "su", "long_factor": [1, "x"]})")),
              HasSubstr("entry 1 of rope_scaling.long_factor is the text \"x\""));
  EXPECT_THAT(error_of_config_errors(config_errors_llama(
                  R"("rope_scaling": {"type": "su", "short_factor": [1, 2], "long_factor": [1, 2]})")),
              HasSubstr("rope_scaling: longrope: short_factors has 2 numbers; one number above 0 for each of the 64"));
  EXPECT_THAT(error_of_config_errors(
                  config_errors_llama(R"("max_position_embeddings": 1e308, "original_max_position_embeddings": 1e-308,
                                 "rope_scaling": {"type": "su"})")),
              HasSubstr("max_position_embeddings 1e+308 is not a usable multiple of original_max_position_embeddings"));
  EXPECT_THAT(error_of_config_errors(config_errors_llama(R"("text_config": 3)")),
              HasSubstr("text_config is 3; an object or null"));
  EXPECT_THAT(error_of_config_errors(R"({"model_type": 3})"), HasSubstr("model_type is 3; a text"));
}

TEST(ConfigErrors, RangesNameTheirField) {
  EXPECT_THAT(error_of_config_errors(config_errors_llama(R"("rope_theta": 0)")), HasSubstr("rope_theta is 0"));
  EXPECT_THAT(error_of_config_errors(config_errors_llama(R"("rope_theta": -10000)")),
              HasSubstr("rope_theta is -10000"));
  EXPECT_THAT(error_of_config_errors(config_errors_llama(R"("rope_theta": 1)")),
              HasSubstr("rope_theta is 1: every pair would turn alike"));
  // From here on validate() speaks; the message still names the field of the file.
  EXPECT_THAT(error_of_config_errors(config_errors_llama(R"("rope_theta": 0.5)")),
              HasSubstr("base comes from rope_theta"));
  EXPECT_THAT(error_of_config_errors(R"({"model_type": "llama", "head_dim": 129})"), HasSubstr("129"));
  EXPECT_THAT(error_of_config_errors(R"({"model_type": "llama", "head_dim": 16384})"), HasSubstr("16384"));
  EXPECT_THAT(error_of_config_errors(R"({"model_type": "llama", "head_dim": 0})"),
              HasSubstr("head_dim is 0; a whole number"));
  EXPECT_THAT(error_of_config_errors(R"({"model_type": "llama", "head_dim": -128})"),
              HasSubstr("head_dim is -128; a whole number"));
  EXPECT_THAT(error_of_config_errors(R"({"model_type": "llama", "head_dim": 64.5})"),
              HasSubstr("head_dim is 64.5; a whole number"));
  EXPECT_THAT(error_of_config_errors(R"({"model_type": "llama", "head_dim": 123456789012345678901234567890})"),
              HasSubstr("a whole number from 1"));
  EXPECT_THAT(error_of_config_errors(config_errors_llama(R"("rotary_dim": 256)")), HasSubstr("256"));
  EXPECT_THAT(error_of_config_errors(config_errors_llama(R"("partial_rotary_factor": 1.5)")),
              HasSubstr("partial_rotary_factor is 1.5; a part of the head"));
  EXPECT_THAT(error_of_config_errors(config_errors_llama(R"("rotary_dim": 51)")), HasSubstr("51"));
  EXPECT_THAT(error_of_config_errors(config_errors_llama(R"("max_position_embeddings": 0)")),
              HasSubstr("max_position_embeddings is 0"));
  EXPECT_THAT(error_of_config_errors(R"({"model_type": "llama", "hidden_size": 100, "num_attention_heads": 3})"),
              HasSubstr("hidden_size 100 is not a multiple of num_attention_heads 3"));
  EXPECT_THAT(error_of_config_errors(R"({"model_type": "llama", "num_attention_heads": 0})"),
              HasSubstr("num_attention_heads is 0"));
}

TEST(ConfigErrors, SayWhatWasLookedFor) {
  const std::string message =
      error_of_config_errors(R"({"model_type": "resnet", "hidden_size": 768, "max_position_embeddings": 512})");
  EXPECT_THAT(message,
              HasSubstr("no rotary fields found for the class \"resnet\"; looked for rope_theta, rope_parameters"));
  EXPECT_THAT(error_of_config_errors("{}"), HasSubstr("the file names no model_type; looked for"));
  EXPECT_THAT(error_of_config_errors(R"({"_class_name": "UNet2DConditionModel"})"),
              HasSubstr("\"UNet2DConditionModel\""));
  EXPECT_THAT(error_of_config_errors(R"({"rope_theta": 10000})"),
              HasSubstr("the head dimension is missing; expected head_dim"));
}

TEST(ConfigErrors, KnowTheModelsThatAreNotRotary) {
  EXPECT_THAT(error_of_config_errors(R"({"model_type": "falcon", "alibi": true})"), HasSubstr("alibi is true"));
  EXPECT_THAT(error_of_config_errors(R"({"model_type": "gptj", "rotary": false})"), HasSubstr("rotary is false"));
  EXPECT_THAT(error_of_config_errors(R"({"model_type": "chatglm", "original_rope": false})"),
              HasSubstr("original_rope is false"));
  EXPECT_THAT(error_of_config_errors(R"({"pe": "t5", "d_model": 64, "n_heads": 1})"),
              HasSubstr("pe is the text \"t5\""));
}

TEST(ConfigErrors, OddRotaryDimensionsOfMethodsThatLookAtTheLadder) {
  // transformers cannot compute them either: 26 frequencies and a ramp of 25.
  for (const char* type : {"yarn", "dynamic", "longrope"}) {
    EXPECT_THAT(
        error_of_config_errors(R"({"model_type": "phi3", "head_dim": 128, "partial_rotary_factor": 0.4, "rope_scaling":
                             {"factor": 2, "type": ")" +
                               std::string(type) + R"("}})"),
        HasSubstr("the rotary dimension is 51 (head_dim * partial_rotary_factor); an odd one with " +
                  std::string(type) + " is not supported"));
  }
}

TEST(ConfigErrors, ClassesThatAreKnownAndNotSupported) {
  EXPECT_THAT(error_of_config_errors(R"({"model_type": "vjepa2", "rope_theta": 10000, "head_dim": 64})"),
              HasSubstr("\"vjepa2\" is recognised, but not supported"));
  EXPECT_THAT(error_of_config_errors(R"({"model_type": "zamba2", "rope_theta": 10000})"),
              HasSubstr("use_mem_rope is not given"));
  EXPECT_THAT(error_of_config_errors(
                  R"({"model_type": "olmo_hybrid", "rope_parameters": {"rope_theta": null, "rope_type": "x"}})"),
              HasSubstr("rope_parameters.rope_theta is null"));
}

TEST(ConfigErrors, CogVideoXIsKnownByItsSwitch) {
  const ModelConfig found =
      parse_model_config(R"({"attention_head_dim": 64, "use_rotary_positional_embeddings": true})", "c.json");
  EXPECT_THAT(said(found.profiles[0].notes), testing::ElementsAre(HasSubstr("CogVideoX 1.0")));
  EXPECT_THAT(error_of_config_errors(R"({"attention_head_dim": 64, "use_rotary_positional_embeddings": false})"),
              HasSubstr("is not rotary: use_rotary_positional_embeddings is false"));
}

TEST(ConfigErrors, ImageAxesAreChecked) {
  const auto flux = [](const std::string& axes) {
    return R"({"_class_name": "FluxTransformer2DModel", "axes_dims_rope": )" + axes + "}";
  };
  EXPECT_THAT(error_of_config_errors(flux("[16, 56, 57]")), HasSubstr("axes_dims_rope has an axis of 57 channels"));
  EXPECT_THAT(error_of_config_errors(flux("[16]")), HasSubstr("a list of two, three or four axes"));
  EXPECT_THAT(error_of_config_errors(flux("16")), HasSubstr("axes_dims_rope is 16; a list of numbers"));
  EXPECT_THAT(error_of_config_errors(flux("[0, 0, 0]")), HasSubstr("c.json"));
  EXPECT_THAT(error_of_config_errors(R"({"_class_name": "FluxTransformer2DModel", "attention_head_dim": 64})"),
              HasSubstr("attention_head_dim"));
  EXPECT_THAT(error_of_config_errors(R"({"_class_name": "CogView4Transformer2DModel", "attention_head_dim": 66})"),
              HasSubstr("multiple of 4"));
}

TEST(ConfigErrors, LongAndOddTextsStayOnOneShortLine) {
  const std::string message =
      error_of_config_errors(config_errors_llama("\"rope_theta\": \"" + std::string(5000, 'x') + "\\n\\ty\""));
  EXPECT_LT(message.size(), 200u);
  EXPECT_THAT(error_of_config_errors(R"({"model_type": "line\nbreak"})"), HasSubstr("\"line break\""));
}

TEST(ConfigErrors, NameWhatIsWrongWithTheExtension) {
  const auto scaled = [](const std::string& object) {
    return error_of_config_errors(config_errors_llama(R"("max_position_embeddings": 8192, "rope_scaling": )" + object));
  };
  using ::testing::AllOf;
  EXPECT_THAT(scaled(R"({"rope_type": "nobody-knows"})"),
              AllOf(HasSubstr("rope_scaling.rope_type"), HasSubstr("\"nobody-knows\""), HasSubstr("yarn")));
  EXPECT_THAT(scaled(R"({"type": "linear", "factor": 0.5})"), HasSubstr("rope_scaling: linear: factor is 0.5"));
  EXPECT_THAT(scaled(R"({"type": "linear", "factor": -1})"), HasSubstr("rope_scaling.factor is -1"));
  EXPECT_THAT(scaled(R"({"type": "linear"})"), HasSubstr("linear: factor is missing"));
  EXPECT_THAT(scaled(R"({"type": "yarn", "factor": 2, "original_max_position_embeddings": 0})"),
              HasSubstr("original_max_position_embeddings is 0"));
  EXPECT_THAT(scaled(R"({"type": "yarn", "factor": 2, "beta_fast": 1, "beta_slow": 32})"),
              HasSubstr("yarn: beta_fast is 1; at least beta_slow, which is 32"));
  EXPECT_THAT(scaled(R"({"type": "yarn", "factor": 2, "attention_factor": 0})"), HasSubstr("attention_factor is 0"));
  EXPECT_THAT(scaled(R"({"type": "llama3", "factor": 8, "low_freq_factor": 4, "high_freq_factor": 1})"),
              HasSubstr("high_frequency_factor is 1; at least low_frequency_factor, which is 4"));
  EXPECT_THAT(scaled(R"({"type": "longrope", "short_factor": [1, 1], "long_factor": [1, 1]})"),
              HasSubstr("rope_scaling: longrope: short_factors has 2 numbers"));
}

TEST(ConfigErrors, ALineBreakOfAFileStandsInNoLog) {
  try {
    parse_model_config(config_errors_llama(R"("rope_scaling": {"rope_type": "a\nb", "factor": 8})"), "c.json");
    FAIL() << "it is no method";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace ropescope
