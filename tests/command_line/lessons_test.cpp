// lessons, lesson and handout: what other programs rely on.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "tests/command_line/program.h"

namespace ropescope {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

TEST(LessonsCommand, ListsAllWithTheirTitlesAndSteps) {
  const json lessons = json::parse(Workplace().good({"lessons", "--json"}));
  ASSERT_EQ(lessons.size(), 12u);
  const json& turn = lessons.at(3);
  EXPECT_EQ(turn.at("id"), "04-turn");
  EXPECT_EQ(turn.at("minutes"), 7);
  EXPECT_EQ(turn.at("title").at("en"), "Turn instead of add");
  EXPECT_TRUE(turn.at("title").contains("ja"));
  EXPECT_TRUE(turn.at("title").contains("ko"));
  EXPECT_EQ(turn.at("languages"), (std::vector<std::string>{"en", "ja", "ko"}));
  EXPECT_EQ(turn.at("steps").at(2), "half-turn");
}

TEST(LessonCommand, FillsReadoutsAndSaysWhichChoiceIsRight) {
  const json lesson = json::parse(Workplace().good({"lesson", "turn", "--step", "half-turn", "--json"}));
  EXPECT_EQ(lesson.at("id"), "04-turn");
  EXPECT_EQ(lesson.at("language"), "en");
  ASSERT_EQ(lesson.at("steps").size(), 1u);
  const json& step = lesson.at("steps").at(0);
  EXPECT_EQ(step.at("name"), "half-turn");
  EXPECT_EQ(step.at("reserve"), false);
  EXPECT_THAT(step.at("text"), HasSubstr("after 3.142 places"));
  EXPECT_EQ(step.at("text").get<std::string>().find_first_of("{}$"), std::string::npos);
  EXPECT_THAT(step.at("notes"), HasSubstr("Trap:"));
  EXPECT_EQ(step.at("set").at("rotation.query_position"), "3");
  EXPECT_NEAR(step.at("readouts").at("rotation.half_turn"), 3.14159265, 1e-6);
  const json& ask = step.at("ask");
  EXPECT_EQ(ask.at("kind"), "choice");
  EXPECT_EQ(ask.at("choices").at(1), (json{{"text", "as long as before"}, {"right", true}}));
  EXPECT_EQ(ask.at("choices").at(0).at("right"), false);
  EXPECT_EQ(ask.at("answer"), "as long as before");
  EXPECT_THAT(ask.at("after"), HasSubstr("The ratio of its lengths is 1"));
}

TEST(LessonCommand, SpeaksOtherLanguages) {
  for (const char* language : {"ja", "ko"}) {
    const json lesson =
        json::parse(Workplace().good({"lesson", "07-score", "--step", "say", "--language", language, "--json"}));
    EXPECT_EQ(lesson.at("language"), language);
    EXPECT_THAT(lesson.at("steps").at(0).at("ask"), json());
  }
}

TEST(LessonCommand, ChecksALectureByFileAndLine) {
  const Workplace place;
  place.write("mine.md",
              "# Mine\n\n## One {one}\n\n```set\nview = decay\nrope.bas = 3\nrope.base = 1e99\n```\n\n"
              "It is {decay.nothing} and $\\alpha^{77}$.\n\n```ask\nchoice = Which?\n- a : decay.trend < 0\n"
              "- b : decay.trend > 1e9\nafter = So.\n```\n");
  const std::string path = "mine.md";
  const Outcome result = place.run({"lesson", path, "--check"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, HasSubstr(path + ":7: "));
  EXPECT_THAT(result.output, HasSubstr(path + ":8: "));
  EXPECT_THAT(result.output, HasSubstr(path + ":11: there is no readout decay.nothing"));
  EXPECT_THAT(result.output, HasSubstr("there is no picture of the formula \\alpha^{77}"));
  EXPECT_THAT(result.output, HasSubstr("no choice is right"));
  EXPECT_THAT(place.good({"lesson", "04-turn", "--check"}), HasSubstr("8 steps, nothing wrong"));
}

TEST(LessonCommand, RefusesWhatItCannotShow) {
  const Workplace place;
  place.bad({"lesson", "99-none", "--json"}, {"99-none"});
  place.bad({"lesson", "04-turn", "--step", "none", "--json"}, {"--step", "none", "half-turn"});
  place.bad({"lesson", "04-turn"}, {"--json", "--check", "-o"});
  place.bad({"lesson", "04-turn", "-o", "x.gif"}, {"-o", "x.gif"});
  place.bad({"lesson", "nowhere.md", "--json"}, {"nowhere.md"});
  place.bad({"handout", "04-turn", "-o", "x.txt"}, {"-o", "x.txt"});
  place.bad({"handout", "04-turn", "--paper", "a5", "-o", "x.pdf"}, {"--paper", "a5"});
  place.bad({"screenshot", "--room", "-o", "x.png"}, {"--lesson"});
  place.bad({"screenshot", "--lesson", "04-turn", "--step", "none", "-o", "x.png"}, {"--step", "none"});
}

TEST(HandoutCommand, WritesPagesAndAWebPage) {
  const Workplace place;
  place.good({"handout", "04-turn", "--answers", "--paper", "letter", "-o", "h.pdf"});
  const std::string first = place.read("h.pdf");
  EXPECT_THAT(first, StartsWith("%PDF"));
  EXPECT_THAT(first, HasSubstr("/Outlines"));
  EXPECT_THAT(first, HasSubstr("/FontFile"));
  place.good({"handout", "04-turn", "--answers", "--paper", "letter", "-o", "h.pdf"});
  EXPECT_EQ(place.read("h.pdf"), first) << "the same bytes again";
  // Commands are whole: those that are wider than the page go on in the next line, and the link with them.
  const std::regex link(R"(/Rect \[ [0-9.]+ ([0-9.]+) [0-9.]+ ([0-9.]+) \]\s+/A <<\s+/Type /Action\s+/S /URI)");
  int tall = 0;
  for (std::sregex_iterator at(first.begin(), first.end(), link), end; at != end; ++at) {
    tall += std::stod((*at)[2]) - std::stod((*at)[1]) > 20 ? 1 : 0;
  }
  EXPECT_GE(tall, 3);
  place.good({"handout", "04-turn", "--language", "ko", "--answers", "-o", "h.html"});
  const std::string page = place.read("h.html");
  EXPECT_THAT(page, HasSubstr("<html lang=\"ko\">"));
  EXPECT_THAT(page, HasSubstr("<details>"));
  EXPECT_THAT(page, HasSubstr("data:image/gif;base64,"));
  EXPECT_THAT(page, testing::Not(HasSubstr("<script")));
  EXPECT_THAT(page, testing::Not(HasSubstr("{rotation."))) << "no placeholder is left";
  EXPECT_LT(page.size(), std::size_t{6} << 20);
}

TEST(LessonCommand, DrawsAStepAsTheRoomSeesIt) {
  const Workplace place;
  for (const char* ending : {"png", "svg", "pdf"}) {
    const std::string path = std::string("x.") + ending;
    place.good({"lesson", "04-turn", "--step", "columns", "--size", "640x360", "-o", path});
    EXPECT_GT(place.read(path).size(), 3000u);
  }
}

}  // namespace
}  // namespace ropescope
