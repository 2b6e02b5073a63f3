#include "core/formats/config.h"
#include "core/formats/config_layout.h"
#include "core/message.h"
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
/// Says that a field is not what was expected.
auto Rejects(const std::string& field, const std::string& found, const Message& expected) {
  return Says("error.field", {{"field", field}, {"found", found}, {"expected", said(expected)}});
}
std::string found_text(const std::string& text) {
  return said(Message("found.text", {{"text", "\"" + text + "\""}}));
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

TEST(ConfigErrors, NumbersThatJsonLacks) {
  EXPECT_THAT(find_config_error(to_faulty_llama(R"("rope_theta": NaN)")),
              Rejects("rope_theta", "NaN", Message("expected.finite")));
  EXPECT_THAT(find_config_error(to_faulty_llama(R"("rope_theta": Infinity)")),
              Rejects("rope_theta", "Infinity", Message("expected.finite")));
  EXPECT_THAT(find_config_error(to_faulty_llama(R"("rope_theta": -Infinity)")),
              Says("error.field", {{"field", "rope_theta"}, {"found", "-Infinity"}}));
  EXPECT_THAT(find_config_error(to_faulty_llama(R"("sliding_window": NaN)")),
              Says("error.field", {{"field", "sliding_window"}, {"found", "NaN"}}));
  EXPECT_THAT(find_config_error(
                  to_faulty_llama(R"("rope_scaling": {"type": "longrope", "factor": 2, "short_factor": [1, NaN]})")),
              Says("error.json.entry", {{"index", "1"},
                                        {"field", "rope_scaling.short_factor"},
                                        {"found", "NaN"},
                                        {"expected", said(Message("expected.finite"))}}));
  EXPECT_THAT(find_config_error(to_faulty_llama(R"("rope_theta": 1e999)")),
              Says("error.json.beyond_double", {{"number", "1e999"}}));
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

TEST(ConfigErrors, NeedAnObject) {
  EXPECT_EQ(find_config_error("[1, 2]"),
            "c.json: " + said(Message("error.json.no_object", {{"found", Message("found.list", {{"count", 2}})}})));
  EXPECT_THAT(find_config_error("3"), Says("error.json.no_object", {{"found", "3"}}));
}

TEST(ConfigErrors, NameTheFieldAndWhatWasFound) {
  EXPECT_THAT(find_config_error(to_faulty_llama(R"("rope_theta": "10000")")),
              Rejects("rope_theta", found_text("10000"), Message("expected.a_number")));
  EXPECT_THAT(find_config_error(to_faulty_llama(R"("rope_theta": true)")),
              Rejects("rope_theta", "true", Message("expected.a_number")));
  EXPECT_THAT(find_config_error(to_faulty_llama(R"("rope_scaling": "linear")")),
              Rejects("rope_scaling", found_text("linear"), Message("expected.object_or_null")));
  EXPECT_THAT(find_config_error(to_faulty_llama(R"("rope_scaling": {"type": 3})")),
              Rejects("rope_scaling.type", "3", Message("expected.text")));
  EXPECT_THAT(find_config_error(to_faulty_llama(R"("rope_scaling": {"type": "linear", "factor": "4"})")),
              Rejects("rope_scaling.factor", found_text("4"), Message("expected.a_number")));
  EXPECT_THAT(find_config_error(to_faulty_llama(R"("rope_scaling": {"type": "linear", "factor": -4})")),
              Rejects("rope_scaling.factor", "-4", Message("expected.above_0")));
  EXPECT_THAT(find_config_error(to_faulty_llama(R"("rope_scaling": {"type": "su", "long_factor": [1, "x"]})")),
              Says("error.json.entry", {{"index", "1"},
                                        {"field", "rope_scaling.long_factor"},
                                        {"found", found_text("x")},
                                        {"expected", said(Message("expected.a_number"))}}));
  EXPECT_THAT(find_config_error(
                  to_faulty_llama(R"("rope_scaling": {"type": "su", "short_factor": [1, 2], "long_factor": [1, 2]})")),
              AllOf(HasSubstr("rope_scaling: longrope: "),
                    Says("error.scaling.list_size", {{"name", "short_factors"}, {"count", "2"}, {"pairs", "64"}})));
  EXPECT_THAT(
      find_config_error(to_faulty_llama(R"("max_position_embeddings": 1e308, "original_max_position_embeddings": 1e-308,
                                 "rope_scaling": {"type": "su"})")),
      Says("error.config.no_factor", {{"field", "max_position_embeddings"},
                                      {"length", "1e+308"},
                                      {"trained", "original_max_position_embeddings"},
                                      {"of", "1e-308"}}));
  EXPECT_THAT(find_config_error(to_faulty_llama(R"("text_config": 3)")),
              Rejects("text_config", "3", Message("expected.object_or_null")));
  EXPECT_THAT(find_config_error(R"({"model_type": 3})"), Rejects("model_type", "3", Message("expected.text")));
}

TEST(ConfigErrors, RangesNameTheirField) {
  EXPECT_THAT(find_config_error(to_faulty_llama(R"("rope_theta": 0)")),
              Says("error.field", {{"field", "rope_theta"}, {"found", "0"}}));
  EXPECT_THAT(find_config_error(to_faulty_llama(R"("rope_theta": -10000)")),
              Says("error.field", {{"field", "rope_theta"}, {"found", "-10000"}}));
  EXPECT_THAT(find_config_error(to_faulty_llama(R"("rope_theta": 1)")),
              Says("error.config.base_that_holds_still", {{"field", "rope_theta"}}));
  // From here on validate() speaks; the message still names the field of the file.
  EXPECT_THAT(find_config_error(to_faulty_llama(R"("rope_theta": 0.5)")),
              Says("origin.of_value", {{"value", "base"}, {"origin", "rope_theta"}}));
  EXPECT_THAT(find_config_error(R"({"model_type": "llama", "head_dim": 129})"), HasSubstr("129"));
  EXPECT_THAT(find_config_error(R"({"model_type": "llama", "head_dim": 16384})"), HasSubstr("16384"));
  const Message whole("expected.whole", {{"least", 1}, {"most", 1'000'000'000}});
  EXPECT_THAT(find_config_error(R"({"model_type": "llama", "head_dim": 0})"), Rejects("head_dim", "0", whole));
  EXPECT_THAT(find_config_error(R"({"model_type": "llama", "head_dim": -128})"), Rejects("head_dim", "-128", whole));
  EXPECT_THAT(find_config_error(R"({"model_type": "llama", "head_dim": 64.5})"), Rejects("head_dim", "64.5", whole));
  EXPECT_THAT(find_config_error(R"({"model_type": "llama", "head_dim": 123456789012345678901234567890})"),
              Says("expected.whole", {{"least", "1"}}));
  EXPECT_THAT(find_config_error(to_faulty_llama(R"("rotary_dim": 256)")), HasSubstr("256"));
  EXPECT_THAT(find_config_error(to_faulty_llama(R"("partial_rotary_factor": 1.5)")),
              Rejects("partial_rotary_factor", "1.5", Message("config.part_of_head")));
  EXPECT_THAT(find_config_error(to_faulty_llama(R"("rotary_dim": 51)")), HasSubstr("51"));
  EXPECT_THAT(find_config_error(to_faulty_llama(R"("max_position_embeddings": 0)")),
              Says("error.field", {{"field", "max_position_embeddings"}, {"found", "0"}}));
  EXPECT_THAT(find_config_error(R"({"model_type": "llama", "hidden_size": 100, "num_attention_heads": 3})"),
              Says("error.config.not_a_multiple",
                   {{"field", "hidden_size"}, {"value", "100"}, {"heads", "num_attention_heads"}, {"of", "3"}}));
  EXPECT_THAT(find_config_error(R"({"model_type": "llama", "num_attention_heads": 0})"),
              Says("error.field", {{"field", "num_attention_heads"}, {"found", "0"}}));
}

TEST(ConfigErrors, SayWhatWasLookedFor) {
  const std::string message =
      find_config_error(R"({"model_type": "resnet", "hidden_size": 768, "max_position_embeddings": 512})");
  EXPECT_THAT(message, AllOf(Says("error.config.unknown_type",
                                  {{"nothing", said(Message("config.nothing"))}, {"class", "\"resnet\""}}),
                             HasSubstr(" rope_theta, rope_parameters")));
  EXPECT_THAT(find_config_error("{}"), Says("error.config.no_type"));
  EXPECT_THAT(find_config_error(R"({"_class_name": "UNet2DConditionModel"})"), HasSubstr("\"UNet2DConditionModel\""));
  EXPECT_THAT(find_config_error(R"({"rope_theta": 10000})"), Says("error.config.no_head", {{"field", "head_dim"}}));
}

TEST(ConfigErrors, KnowTheModelsThatAreNotRotary) {
  EXPECT_THAT(find_config_error(R"({"model_type": "falcon", "alibi": true})"),
              Says("config_note.unrotated_by", {{"field", "alibi"}, {"found", "true"}}));
  EXPECT_THAT(find_config_error(R"({"model_type": "gptj", "rotary": false})"),
              Says("config_note.unrotated_by", {{"field", "rotary"}, {"found", "false"}}));
  EXPECT_THAT(find_config_error(R"({"model_type": "chatglm", "original_rope": false})"),
              Says("error.field", {{"field", "original_rope"}, {"found", "false"}}));
  EXPECT_THAT(find_config_error(R"({"pe": "t5", "d_model": 64, "n_heads": 1})"),
              Says("config_note.unrotated_by", {{"field", "pe"}, {"found", found_text("t5")}}));
}

TEST(ConfigErrors, OddRotaryDimensionsOfMethodsThatLookAtTheLadder) {
  // transformers cannot compute them either: 26 frequencies and a ramp of 25.
  for (const char* type : {"yarn", "dynamic", "longrope"}) {
    EXPECT_THAT(
        find_config_error(R"({"model_type": "phi", "head_dim": 128, "partial_rotary_factor": 0.4, "rope_scaling":
                             {"factor": 2, "type": ")" +
                          std::string(type) + R"("}})"),
        Says("error.config.odd",
             {{"dimension", "51"}, {"origin", "head_dim * partial_rotary_factor"}, {"method", type}}));
  }
}

TEST(ConfigErrors, ClassesThatAreKnownAndNotSupported) {
  EXPECT_THAT(find_config_error(R"({"model_type": "vjepa2", "rope_theta": 10000, "head_dim": 64})"),
              Says("error.config.refused", {{"class", "\"vjepa2\""}}));
  EXPECT_THAT(find_config_error(R"({"model_type": "zamba2", "rope_theta": 10000})"),
              Says("config_note.switch", {{"place", "use_mem_rope"}, {"found", said(Message("found.nothing"))}}));
  EXPECT_THAT(
      find_config_error(R"({"model_type": "olmo_hybrid", "rope_parameters": {"rope_theta": null, "rope_type": "x"}})"),
      Says("config_note.unrotated_by", {{"field", "rope_parameters.rope_theta"}, {"found", "null"}}));
}

TEST(ConfigErrors, CogVideoXIsKnownByItsSwitch) {
  const ModelConfig found =
      parse_model_config(R"({"attention_head_dim": 64, "use_rotary_positional_embeddings": true})", "c.json");
  EXPECT_THAT(said(found.profiles[0].notes), ElementsAre(HasSubstr("CogVideoX 1.0")));
  EXPECT_THAT(find_config_error(R"({"attention_head_dim": 64, "use_rotary_positional_embeddings": false})"),
              Says("config_note.not_rotary", {{"field", "use_rotary_positional_embeddings"}}));
}

TEST(ConfigErrors, ImageAxesAreChecked) {
  const auto flux = [](const std::string& axes) {
    return R"({"_class_name": "FluxTransformer2DModel", "axes_dims_rope": )" + axes + "}";
  };
  EXPECT_THAT(find_config_error(flux("[16, 56, 57]")),
              Says("error.config.axis_width", {{"field", "axes_dims_rope"}, {"width", "57"}}));
  EXPECT_THAT(find_config_error(flux("[16]")), Says("config.few_axes"));
  EXPECT_THAT(find_config_error(flux("16")), Rejects("axes_dims_rope", "16", Message("expected.numbers")));
  EXPECT_THAT(find_config_error(flux("[0, 0, 0]")), HasSubstr("c.json"));
  EXPECT_THAT(find_config_error(R"({"_class_name": "FluxTransformer2DModel", "attention_head_dim": 64})"),
              HasSubstr("attention_head_dim"));
  EXPECT_THAT(find_config_error(R"({"_class_name": "CogView4Transformer2DModel", "attention_head_dim": 66})"),
              Says("error.config.head_of_halves", {{"field", "attention_head_dim"}, {"head", "66"}}));
}

TEST(ConfigErrors, LongAndOddTextsStayOnOneShortLine) {
  const std::string message =
      find_config_error(to_faulty_llama("\"rope_theta\": \"" + std::string(5000, 'x') + "\\n\\ty\""));
  EXPECT_LT(message.size(), 200u);
  EXPECT_THAT(find_config_error(R"({"model_type": "line\nbreak"})"), HasSubstr("\"line break\""));
}

TEST(ConfigErrors, NameWhatIsWrongWithTheExtension) {
  const auto scaled = [](const std::string& object) {
    return find_config_error(to_faulty_llama(R"("max_position_embeddings": 8192, "rope_scaling": )" + object));
  };
  EXPECT_THAT(scaled(R"({"rope_type": "nobody-knows"})"),
              AllOf(HasSubstr("rope_scaling.rope_type"), HasSubstr("\"nobody-knows\""), HasSubstr("yarn")));
  EXPECT_THAT(scaled(R"({"type": "linear", "factor": 0.5})"),
              AllOf(HasSubstr("rope_scaling: linear: "),
                    Says("error.scaling.value", {{"parameter", "factor"}, {"found", "0.5"}})));
  EXPECT_THAT(scaled(R"({"type": "linear", "factor": -1})"),
              Says("error.field", {{"field", "rope_scaling.factor"}, {"found", "-1"}}));
  EXPECT_THAT(scaled(R"({"type": "linear"})"),
              AllOf(HasSubstr("linear: "), Says("error.scaling.missing", {{"parameter", "factor"}})));
  EXPECT_THAT(scaled(R"({"type": "yarn", "factor": 2, "original_max_position_embeddings": 0})"),
              Says("error.field", {{"field", "original_max_position_embeddings"}, {"found", "0"}}));
  EXPECT_THAT(scaled(R"({"type": "yarn", "factor": 2, "beta_fast": 1, "beta_slow": 32})"),
              AllOf(HasSubstr("yarn: "),
                    Says("error.scaling.value",
                         {{"parameter", "beta_fast"},
                          {"found", "1"},
                          {"expected", said(Message("scaling.at_least", {{"lower", "beta_slow"}, {"value", 32}}))}})));
  EXPECT_THAT(scaled(R"({"type": "yarn", "factor": 2, "attention_factor": 0})"),
              Says("error.config.no_amplitude", {{"field", "rope_scaling.attention_factor"}}));
  EXPECT_THAT(
      scaled(R"({"type": "llama3", "factor": 8, "low_freq_factor": 4, "high_freq_factor": 1})"),
      Says("error.scaling.value",
           {{"parameter", "high_frequency_factor"},
            {"found", "1"},
            {"expected", said(Message("scaling.at_least", {{"lower", "low_frequency_factor"}, {"value", 4}}))}}));
  EXPECT_THAT(scaled(R"({"type": "longrope", "short_factor": [1, 1], "long_factor": [1, 1]})"),
              AllOf(HasSubstr("rope_scaling: longrope: "),
                    Says("error.scaling.list_size", {{"name", "short_factors"}, {"count", "2"}})));
}

TEST(ConfigErrors, ALineBreakOfAFileStandsInNoLog) {
  find_config_error(to_faulty_llama(R"("rope_scaling": {"rope_type": "a\nb", "factor": 8})"));
}

}  // namespace
}  // namespace ropescope
