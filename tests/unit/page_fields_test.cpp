// Fields set from options and keywords: valid values, wider ranges than the controls', and the look of a page.
#include "app/experiment/page_fields.h"

#include "app/experiment/experiment.h"
#include "tests/said.h"

namespace ropescope {
namespace {

Field& field(FieldList& list, std::string_view key) {
  Field* found = find_field(list, key);
  EXPECT_NE(found, nullptr) << key;
  return *found;
}

TEST(PageFields, EveryFieldReachesTheStyle) {
  PageFields page;
  FieldList list = typed_fields_of(page);
  set_typed(field(list, "save.theme"), "theme", "dark");
  set_typed(field(list, "save.text_size"), "text_size", "123");
  set_typed(field(list, "save.words"), "words", "text");
  set_typed(field(list, "save.legend"), "legend", "top-left");
  set_typed(field(list, "save.font"), "font", "serif");
  set_typed(field(list, "save.dpi"), "dpi", "96.5");
  const PageStyle style = style_of(page);
  EXPECT_EQ(style.theme, ThemeName::dark);
  EXPECT_EQ(style.text_percent, 123) << "no steps, as there are on the slider";
  EXPECT_FALSE(style.outlines);
  EXPECT_EQ(style.legend, LegendPlace::top_left);
  EXPECT_EQ(style.font, "serif");
  EXPECT_EQ(style.dpi, 96.5);
}

TEST(PageFields, TheThemeOfTheWindowIsOnlyItsOwn) {
  PageFields page;
  FieldList list = typed_fields_of(page);
  EXPECT_THROW(set_typed(field(list, "save.theme"), "theme", "window"), InputError);
  page.theme = PageTheme::window;
  EXPECT_EQ(style_of(page, ThemeName::dark).theme, ThemeName::dark);
  EXPECT_EQ(style_of(page, ThemeName::light).theme, ThemeName::light);
}

TEST(PageFields, InvalidValuesChangeNothingAndNameTheOption) {
  PageFields page;
  FieldList list = typed_fields_of(page);
  for (const auto& [key, text] : {std::pair("save.dpi", "35"),
                                  {"save.dpi", "1201"},
                                  {"save.dpi", "many"},
                                  {"save.text_size", "nan"},
                                  {"save.text_size", "301"},
                                  {"save.legend", "middle"}}) {
    EXPECT_THAT(refusal_of([&, key = key, text = text] { set_typed(field(list, key), "--option", text); }),
                StartsWith("--option is \"" + std::string(text) + "\"; expected "))
        << key;
  }
  EXPECT_EQ(page, PageFields());
}

TEST(TypedFields, OptionsMayBeWiderThanControls) {
  RaceFields race;
  FieldList list = fields_of(race);
  set_typed(field(list, "race.heads"), "--heads", "32");
  set_typed(field(list, "race.length"), "--length", "130");
  set_typed(field(list, "race.steps"), "--steps", "1M");
  EXPECT_EQ(race.heads, 32);
  EXPECT_EQ(race.length, 130);
  EXPECT_EQ(race.steps, 1e6);
  // A window clamps them to its sliders, which stay as they were.
  FieldList again = fields_of(race);
  clamp(field(again, "race.heads"));
  EXPECT_EQ(race.heads, 8);
}

TEST(TypedFields, SwitchesAndNames) {
  AttentionFields attention;
  FieldList list = fields_of(attention);
  for (const auto& [text, on] : {std::pair("true", true), {"no", false}, {"yes", true}, {"0", false}, {"1", true}}) {
    set_typed(field(list, "attention.causal"), "causal", text);
    EXPECT_EQ(attention.causal, on) << text;
  }
  EXPECT_THROW(set_typed(field(list, "attention.causal"), "causal", "maybe"), InputError);
  RaceFields race;
  FieldList names = fields_of(race);
  set_typed(field(names, "race.encodings"), "--encodings", "rope,none");
  EXPECT_THAT(race.encodings, testing::UnorderedElementsAre("none", "rope"));
  EXPECT_THROW(set_typed(field(names, "race.encodings"), "--encodings", "rope,rope"), InputError);
  EXPECT_THROW(set_typed(field(names, "race.encodings"), "--encodings", "rope,none,rop"), InputError);
}

}  // namespace
}  // namespace ropescope
