#include "app/resources/text.h"

#include "app/resources/files.h"
#include "core/message.h"
#include "tests/places.h"
#include "tests/temporary_folder.h"
#include "tests/test.h"

namespace ropescope {
namespace {

Text load(const TemporaryFolder& folder, const std::string& english, const std::string& other = "{}") {
  fs::create_directories(folder.path / "text");
  write_file(folder.path / "text/en.json", english);
  write_file(folder.path / "text/ja.json", other);
  return Text::load(folder.path, "ja");
}

TEST(Text, NestedObjectsJoinTheirKeys) {
  const TemporaryFolder folder;
  const Text text = load(folder, R"({"a": {"b": {"c": "deep"}}, "d": "flat"})");
  EXPECT_EQ(text["a.b.c"], "deep");
  EXPECT_EQ(text["d"], "flat");
  EXPECT_TRUE(text.has("d"));
  EXPECT_FALSE(text.has("a.b"));
  EXPECT_EQ(text.all().size(), 2u);
  EXPECT_THROW(text["a.b"], std::logic_error);
}

TEST(Text, EnglishStandsInForMissingKeys) {
  const TemporaryFolder folder;
  const Text text = load(folder, R"({"a": "one", "b": "two"})", R"({"b": "二"})");
  EXPECT_EQ(text["a"], "one");
  EXPECT_EQ(text["b"], "二");
}

TEST(Text, FormatReplacesNames) {
  const TemporaryFolder folder;
  const Text text = load(folder, R"({"a": "{x} of {y}, {x}; {z} {", "b": "no names"})");
  EXPECT_EQ(text.format("a", {{"x", "{y}"}, {"y", "8"}}), "{y} of 8, {y}; {z} {");
  EXPECT_EQ(text.format("b", {}), "no names");
}

TEST(Text, ANumberChoosesThePlural) {
  const TemporaryFolder folder;
  const Text text = load(folder, R"({"a": "{n, plural, one {# token of {all}} other {# tokens of {all}}} #",
                                     "b": "{n, plural, other {#本}}", "c": "{n, plural, many {x}}", "d": "{n, plural",
                                     "e": "{n, plural, few {#つ} other {#}}"})");
  EXPECT_EQ(text.format("a", {{"n", {"1", 1}}, {"all", "#9"}}), "1 token of #9 #");
  EXPECT_EQ(text.format("a", {{"n", {"1 000", 1000}}, {"all", "9"}}), "1 000 tokens of 9 #");
  EXPECT_EQ(text.format("a", {{"n", "1"}, {"all", "9"}}), "1 tokens of 9 #") << "a text has no plural";
  EXPECT_EQ(text.format("b", {{"n", {"1", 1}}}), "1本");
  EXPECT_EQ(text.format("c", {{"n", {"1", 1}}}), "{n, plural, many {x}}") << "a mistake in a text is seen";
  EXPECT_EQ(text.format("d", {{"n", {"1", 1}}}), "{n, plural");
  EXPECT_EQ(text.format("e", {{"n", {"9", 9}}}), "9つ");
  EXPECT_EQ(text.format("e", {{"n", {"10", 10}}}), "10");
}

TEST(Text, SaysWhatCoreMeans) {
  const TemporaryFolder folder;
  const Text text = load(folder, R"({"list": {"between": ", "}, "a": "{file}: {n, plural, one {# axis} other {# axes}}",
                                     "b": "not {x}: {why}"})");
  const Message a("a", {{"file", "x.json"}, {"n", 2}});
  EXPECT_EQ(text.render(a), "x.json: 2 axes");
  EXPECT_EQ(text.render(Message("b", {{"x", 0.5}, {"why", Message::List{a, verbatim("{x}")}}})),
            "not 0.5: x.json: 2 axes, {x}");
  EXPECT_EQ(text.render(Message()), "");
  EXPECT_EQ(debug_text(a), "a file=x.json n=2");
  EXPECT_THROW(text.render(Message("nowhere")), std::logic_error);
}

TEST(Text, DecidesWhatStandsBetweenThePartsOfAList) {
  const TemporaryFolder folder;
  const Text text = load(folder, R"({"list": {"between": "、", "or": "{others}か{last}", "none": "なし",
                                              "then": "{before}。{next}"}, "error": {"within": "{place}の{what}", "b": "{x}!"}})");
  using Names = std::vector<std::string>;
  EXPECT_EQ(text.render(one_of(Names{"a", "b", "c"})), "a、bかc");
  EXPECT_EQ(text.render(one_of(Names{"a"})), "a");
  EXPECT_EQ(text.render(one_of(Names{})), "なし");
  EXPECT_EQ(text.render(join_sentences({verbatim("a"), verbatim("b"), verbatim("c")})), "a。b。c");
  const InputError inner("x.npy", "b", {{"x", 1}});
  EXPECT_EQ(text.render(InputError::within("--q", inner).words()), "--qのx.npyの1!");
}

TEST(Text, AFileThatIsNotWordsIsRefused) {
  const TemporaryFolder folder;
  EXPECT_THROW(load(folder, R"({"a": 5})"), InputError);
  EXPECT_THROW(load(folder, "{"), InputError);
  EXPECT_THROW(Text::load(folder.path / "nowhere"), InputError);
}

TEST(NearestWords, FindsTheMistyped) {
  const std::vector<std::string> known = {"rope.base", "rope.axis", "decay.span"};
  EXPECT_THAT(nearest_words("rope.bse", known), Contains("rope.base"));
  EXPECT_EQ(nearest_words("rope.bse", known).front(), "rope.base");
  EXPECT_EQ(nearest_words("SPAN", known).front(), "decay.span");
  EXPECT_TRUE(nearest_words("xyzzyxyzzy", known).empty());
  EXPECT_TRUE(nearest_words("", known).empty());
}

/// A plural is a matter of the text: other languages have other forms, or none, under the same keys.
TEST(EnglishTexts, HoldTheirPluralsThemselves) {
  const Text text = Text::load(fs::path(source_folder()) / "assets");
  for (const auto& [key, words] : text.all()) {
    EXPECT_FALSE(key.ends_with("_one")) << key;
    for (std::size_t at = words.find(", plural,"); at != std::string::npos; at = words.find(", plural,", at + 1)) {
      const std::size_t name = words.rfind('{', at) + 1;
      const std::string chosen = text.format(key, {{words.substr(name, at - name), {"7", 7}}});
      EXPECT_EQ(chosen.find(words.substr(name, at - name) + ", plural,"), std::string::npos) << key << ": " << words;
    }
  }
}

}  // namespace
}  // namespace ropescope
