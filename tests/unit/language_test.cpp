// Languages are files of assets/text: each has the same keys and placeholders as the English file.

#include "app/resources/files.h"
#include "core/formats/json.h"
#include "tests/said.h"
#include "tests/temporary_folder.h"

namespace ropescope {
namespace {

fs::path language_assets() {
  return fs::path(source_folder()) / "assets";
}

using Texts = std::map<std::string, std::string>;

void flatten(const json& object, const std::string& prefix, Texts& texts) {
  for (const auto& [name, value] : object.items()) {
    const std::string key = prefix.empty() ? name : prefix + "." + name;
    if (value.is_object()) {
      flatten(value, key, texts);
    } else {
      // Braces of TeX are no places for values.
      texts[key] = std::regex_replace(value.get<std::string>(), std::regex(R"(\$[^$]*\$)"), "x");
    }
  }
}

/// The file alone, without the English texts that stand in for missing ones.
Texts load_language_file(const std::string& language) {
  Texts texts;
  const fs::path file = language_assets() / "text" / (language + ".json");
  flatten(json::parse(read_file(file)), "", texts);
  return texts;
}

/// Names in braces, at any depth: the forms of a plural are texts with names of their own.
void collect_names(std::string_view text, std::set<std::string>& names) {
  for (std::size_t open = text.find('{'); open != std::string_view::npos; open = text.find('{', open)) {
    int depth = 0;
    std::size_t close = open;
    for (; close < text.size(); ++close) {
      if (text[close] == '{') ++depth;
      if (text[close] == '}' && --depth == 0) break;
    }
    ASSERT_LT(close, text.size()) << "a brace that is not closed: " << text;
    const std::string_view inside = text.substr(open + 1, close - open - 1);
    const std::size_t plural = inside.find(", plural,");
    if (plural == std::string_view::npos) {
      names.emplace(inside);
    } else {
      names.emplace(inside.substr(0, plural));
      std::string_view forms = inside.substr(plural);
      for (std::size_t at = forms.find('{'); at != std::string_view::npos; at = forms.find('{')) {
        int level = 0;
        std::size_t end = at;
        for (; end < forms.size(); ++end) {
          if (forms[end] == '{') ++level;
          if (forms[end] == '}' && --level == 0) break;
        }
        collect_names(forms.substr(at + 1, end - at - 1), names);
        forms.remove_prefix(std::min(end + 1, forms.size()));
      }
    }
    open = close + 1;
  }
}

class OtherLanguage : public testing::TestWithParam<std::string> {};

TEST_P(OtherLanguage, HasTheSameKeysAndPlacesForValues) {
  const Texts english = load_language_file("en"), other = load_language_file(GetParam());
  for (const auto& [key, text] : english) {
    const auto found = other.find(key);
    if (found == other.end()) {
      ADD_FAILURE() << GetParam() << " lacks " << key << ": " << text;
      continue;
    }
    std::set<std::string> asked, given;
    collect_names(text, asked);
    collect_names(found->second, given);
    EXPECT_EQ(given, asked) << key << ": " << found->second;
    EXPECT_EQ(found->second.empty(), text.empty()) << key;
  }
  for (const auto& [key, text] : other) EXPECT_TRUE(english.contains(key)) << GetParam() << " has " << key;
}

INSTANTIATE_TEST_SUITE_P(All, OtherLanguage, testing::Values("ja", "ko"), [](const auto& one) { return one.param; });

TEST(Languages, AreFoundByListingTheirFiles) {
  EXPECT_THAT(languages(language_assets()), ElementsAre("en", "ja", "ko"));
  const TemporaryFolder folder;
  fs::create_directories(folder.path / "text");
  for (const char* name : {"de.json", "en.json", "notes.txt"}) write_file(folder.path / "text" / name, "{}");
  EXPECT_THAT(languages(folder.path), ElementsAre("en", "de"));
  EXPECT_EQ(parse_language("de", folder.path), "de");
  const std::string refusal = refusal_of([&] { parse_language("ja", folder.path); });
  EXPECT_THAT(refusal,
              AllOf(Says("error.language", {{"language", "ja"}}), Says("list.or", {{"others", "en"}, {"last", "de"}})));
}

TEST(Languages, NameThemselves) {
  for (const std::string& code : languages(language_assets())) {
    const Text text = Text::load(language_assets(), code);
    EXPECT_EQ(text.language(), code);
    EXPECT_EQ(text["language." + code], Text::load(language_assets())["language." + code]) << code;
  }
}

/// The variables of the locale for one question.
class Locale {
 public:
  Locale(const char* all, const char* messages, const char* lang, const char* list) {
    const char* const values[] = {all, messages, lang, list};
    for (int i = 0; i < 4; ++i) {
      if (const char* before = std::getenv(kNames[i])) before_[i] = before;
      *values[i] ? ::setenv(kNames[i], values[i], 1) : ::unsetenv(kNames[i]);
    }
  }
  ~Locale() {
    for (int i = 0; i < 4; ++i) before_[i] ? ::setenv(kNames[i], before_[i]->c_str(), 1) : ::unsetenv(kNames[i]);
  }
  Locale(const Locale&) = delete;
  Locale& operator=(const Locale&) = delete;
  std::string language() const { return find_locale_language(language_assets()); }

 private:
  static constexpr const char* kNames[] = {"LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE"};
  std::optional<std::string> before_[4];
};

TEST(Languages, FollowTheLocale) {
  EXPECT_EQ(Locale("", "", "", "").language(), "en");
  EXPECT_EQ(Locale("", "", "ja_JP.UTF-8", "").language(), "ja");
  EXPECT_EQ(Locale("", "ko_KR.UTF-8", "ja_JP.UTF-8", "").language(), "ko");
  EXPECT_EQ(Locale("en_GB", "ko_KR.UTF-8", "ja_JP.UTF-8", "").language(), "en");
  EXPECT_EQ(Locale("", "", "de_DE.UTF-8", "").language(), "en");
  EXPECT_EQ(Locale("", "", "de_DE.UTF-8", "fr:ko:ja").language(), "ko");
  EXPECT_EQ(Locale("", "", "ja_JP.UTF-8", "en_US:ja").language(), "en");
  EXPECT_EQ(Locale("C", "", "", "ja").language(), "en") << "the list counts only where a language is asked for";
  EXPECT_EQ(Locale("C.UTF-8", "", "ja_JP", "").language(), "en");
}

}  // namespace
}  // namespace ropescope
