// lessons, lesson and handout: the output that other programs rely on.

#include "tests/command_line/program.h"
#include "tests/said.h"

namespace ropescope {
namespace {

using LessonCommand = InWorkplace;
using HandoutCommand = InWorkplace;

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// A lecture of one step with these fields and words.
std::string lecture(const std::string& settings, const std::string& words = "Words.") {
  return "# Mine\n\n5 minutes. Then.\n\n## One {one}\n\n```set\nview = decay\n" + settings + "```\n\n" + words + "\n";
}

TEST_F(LessonCommand, FillsReadoutsAndSaysWhichChoiceIsRight) {
  const json lesson = json::parse(Workplace().good({"lesson", "turn", "--step", "half-turn", "--json"}));
  EXPECT_EQ(lesson.at("id"), "04-turn");
  EXPECT_EQ(lesson.at("language"), "en");
  ASSERT_EQ(lesson.at("steps").size(), 1u);
  const json& step = lesson.at("steps").at(0);
  EXPECT_EQ(step.at("name"), "half-turn");
  EXPECT_EQ(step.at("reserve"), false);
  EXPECT_THAT(step.at("text"), HasSubstr("after 3.142 positions"));
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

TEST_F(LessonCommand, SpeaksOtherLanguages) {
  for (const char* language : {"ja", "ko"}) {
    const json lesson =
        json::parse(Workplace().good({"lesson", "07-score", "--step", "say", "--language", language, "--json"}));
    EXPECT_EQ(lesson.at("language"), language);
    EXPECT_THAT(lesson.at("steps").at(0).at("ask"), json());
  }
}

/// Minutes by step: they add up to about those planned, in every lesson.
TEST_F(LessonCommand, EstimatesTheMinutesOfEachStep) {
  const std::regex line(R"( +(\d+\.\d) min  ([a-z0-9-]+)( \(reserve\))?)"),
      total(R"( +(\d+\.\d) min  .*, (\d+) planned)");
  for (const auto& [id, due] : {std::pair("02-absolute", 10), std::pair("10-longer", 8)}) {
    std::istringstream said(place.good({"lesson", id, "--check"}));
    double sum = 0, in_all = 0, planned = 0;
    int steps = 0;
    for (std::string each; std::getline(said, each);) {
      std::smatch found;
      if (std::regex_match(each, found, line)) {
        sum += found[3].matched ? 0 : std::stod(found[1]);
        ++steps;
      } else if (std::regex_match(each, found, total)) {
        in_all = std::stod(found[1]);
        planned = std::stod(found[2]);
      }
    }
    EXPECT_EQ(steps, due) << id;
    EXPECT_NEAR(sum, in_all, 0.5) << id;
    EXPECT_NEAR(in_all, planned, 0.35 * planned) << id;
  }
}

/// The chapter's examples are lectures without errors.
TEST_F(LessonCommand, TheExamplesOfTheChapterWork) {
  for (const char* chapter : {"09-lessons.md", "ja/09-lessons.md", "ko/09-lessons.md"}) {
    std::ifstream file(fs::path(source_folder()) / "assets/handbook" / chapter);
    std::stringstream all;
    all << file.rdbuf();
    const std::string text = all.str(), fence = "\n````\n";
    Words examples;
    for (std::size_t at = text.find(fence); at != std::string::npos; at = text.find(fence, at + 1)) {
      const std::size_t begin = at + fence.size(), end = text.find(fence, begin - 1);
      ASSERT_NE(end, std::string::npos);
      examples.push_back(text.substr(begin, end - begin));
      at = end;
    }
    ASSERT_EQ(examples.size(), 2u) << chapter;
    std::string lecture = examples[0] + "\n";
    std::istringstream lines(examples[1]);
    int steps = 1;
    for (std::string line; std::getline(lines, line);) {
      if (line == "```ask") lecture += "\n## Step {step-" + std::to_string(++steps) + "}\n\nWords.\n\n";
      lecture += line + "\n";
    }
    EXPECT_EQ(steps, 4);
    place.write("mine.md", lecture);
    EXPECT_THAT(place.good({"lesson", "mine.md", "--check"}), HasSubstr("4 steps, no errors")) << chapter;
  }
}

TEST_F(LessonCommand, TakesFormulasInDisplayStyleAndWordsInThem) {
  place.write("mine.md", lecture("",
                                 "A sum $\\sum_{i=1}^{9} x_i$, a larger one $$\\sum_{i=1}^{9} x_i$$, and "
                                 "$\\text{\xe4\xbd\x8d\xe7\xbd\xae} = m$, $n_{\\text{\xec\x9c\x84}}$."));
  EXPECT_THAT(place.good({"lesson", "mine.md", "--check"}), HasSubstr("no errors"));
  place.good({"handout", "mine.md", "-o", "x.html"});
  const std::string page = place.read("x.html");
  EXPECT_THAT(page, HasSubstr("<text font-family="));
  // The limits of the second sum are above and below it.
  const std::regex height(R"(height:([0-9.]+)em)");
  std::vector<double> heights;
  for (std::sregex_iterator at(page.begin(), page.end(), height), end; at != end; ++at) {
    heights.push_back(std::stod((*at)[1]));
  }
  ASSERT_GE(heights.size(), 2u);
  EXPECT_GT(heights[1], 1.5 * heights[0]);
}

TEST_F(LessonCommand, SaysThatASolutionMissesItsGoal) {
  const auto goal = [](const std::string& base) {
    return "# Mine\n\n## One {one}\n\n```set\nview = limits\nlimits.context = 32768\nrope.base = "
           "10000\n```\n\nWords.\n\n"
           "```ask\ndo = Find it.\ngoal = limits.largest_context > 32767\nsolved = rope.base = " +
           base + "\nafter = {limits.largest_context}.\n```\n";
  };
  place.write("mine.md", goal("20000"));
  const Outcome wrong = place.run({"lesson", "mine.md", "--check"});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.output, AllOf(HasSubstr("mine.md:16: "), Says("lesson.fault.solved")));
  EXPECT_THAT(place.run({"handout", "mine.md", "-o", "x.html"}).errors, Says("lesson.fault.solved"));
  place.write("mine.md", goal("2000000"));
  EXPECT_THAT(place.good({"lesson", "mine.md", "--check"}), HasSubstr("no errors"));
  // No page of a student shows the number of the solution; the answers do.
  const auto number = [this](const std::string& base) {
    place.write("plain.md", "# Plain\n\n## One {one}\n\n```set\nview = limits\nlimits.context = 32768\nrope.base = " +
                                base + "\n```\n\n{limits.largest_context}\n");
    place.good({"handout", "plain.md", "-o", "plain.html"});
    const std::string page = place.read("plain.html"), start = "</h2>\n<p>";
    const std::size_t begin = page.find(start) + start.size();
    return page.substr(begin, page.find("</p>", begin) - begin);
  };
  const std::string solved = number("2000000");
  ASSERT_NE(solved, number("10000"));
  place.good({"handout", "mine.md", "-o", "x.html"});
  EXPECT_EQ(count_of(place.read("x.html"), solved), 0u);
  place.good({"handout", "mine.md", "--answers", "-o", "x.html"});
  EXPECT_GE(count_of(place.read("x.html"), solved), 1u);
}

TEST_F(LessonCommand, SaysWhatItsRacesCostAndHearsCtrlC) {
  const std::string race =
      "view = race\nrace.running = true\nrace.encodings = rope,none\nrace.layers = 1\nrace.width = 32\n"
      "race.heads = 1\nrace.length = 32\nrace.batch = 1\n";
  // The second step shows the first one's race.
  const std::string other = "\n## Two {two}\n\n```set\nrace.smoothing = 9\n```\n\nWords.\n";
  place.write("mine.md", lecture(race + "race.steps = 10\nrace.seeds = 2\n") + other);
  Outcome outcome = place.run({"lesson", "mine.md", "--check"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.errors, HasSubstr("training in one: 4 runs, 40 steps in total, up to "));
  EXPECT_EQ(place.run({"lesson", "04-turn", "--check"}).errors, "");
  place.write("mine.md", lecture(race + "race.steps = 20000\nrace.seeds = 5\nrace.length = 512\nrace.batch = 64\n"));
  for (const std::string how : {"--check", "--json"}) {
    outcome = place.interrupted({"lesson", "mine.md", how});
    EXPECT_EQ(outcome.exit_code, 130);
    EXPECT_THAT(outcome.errors, HasSubstr("training in one: 10 runs, 200000 steps in total, up to "));
  }
}

TEST_F(LessonCommand, EndsSoonWhateverTheLectureHolds) {
  const auto said = [this](const std::string& content) {
    place.write("mine.md", content);
    return place.run({"lesson", "mine.md", "--check"}).output;
  };
  std::string keys;
  for (int i = 0; i < 100'000; ++i) keys += "no.such" + std::to_string(i) + " = 1\n";
  EXPECT_THAT(said(lecture(keys)), Says("lesson.fault.many_block_lines", {{"most", "20000"}}));
  std::string some;
  for (int i = 0; i < 500; ++i) some += "no.such" + std::to_string(i) + " = 1\n";
  const std::string faults = said(lecture(some));
  EXPECT_THAT(faults, Says("lesson.fault.many_faults"));
  EXPECT_EQ(std::count(faults.begin(), faults.end(), '\n'), 101);
  EXPECT_THAT(said(lecture("", "$" + std::string(1000, '{') + "x" + std::string(1000, '}') + "$")),
              Says("lesson.fault.formula_size", {{"nested", "50"}}));
  std::string table = "|";
  for (int i = 0; i < 20'000; ++i) table += "a|";
  EXPECT_THAT(said(lecture("", table)), Says("lesson.fault.long", {{"most", "20000"}}));
  std::string steps = "# Mine\n";
  for (int i = 0; i < 1001; ++i) steps += "\n## S {s" + std::to_string(i) + "}\n\nWords.\n";
  EXPECT_THAT(said(steps), Says("lesson.fault.many_steps", {{"most", "1000"}}));
}

TEST_F(HandoutCommand, WritesPagesAndAWebPage) {
  place.good({"handout", "04-turn", "--answers", "--commands", "--paper", "letter", "-o", "h.pdf"});
  const std::string first = place.read("h.pdf");
  EXPECT_THAT(first, StartsWith("%PDF"));
  EXPECT_THAT(first, HasSubstr("/Outlines"));
  EXPECT_THAT(first, HasSubstr("/FontFile"));
  place.good({"handout", "04-turn", "--answers", "--commands", "--paper", "letter", "-o", "h.pdf"});
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
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("{rotation."))) << "no placeholder is left";
  EXPECT_LT(page.size(), std::size_t{6} << 20);
}

TEST_F(HandoutCommand, ShowsWhatQuestionsCoverWithTheAnswersAlone) {
  place.good({"handout", "08-decay", "-o", "without.html"});
  place.good({"handout", "08-decay", "--answers", "-o", "with.html"});
  const std::string without = place.read("without.html"), with = place.read("with.html");
  // Each question that covers something has one figure more, behind its answer.
  EXPECT_GT(count_of(with, "<figure>"), count_of(without, "<figure>"));
  EXPECT_EQ(count_of(with, "<figure>") - count_of(without, "<figure>"), count_of(with, "</figure>\n</details>"));
  EXPECT_EQ(count_of(without, "class=\"notes\""), 0u);
  place.good({"handout", "08-decay", "--notes", "--link", "https://example.org/#", "-o", "notes.html"});
  EXPECT_GT(count_of(place.read("notes.html"), "class=\"notes\""), 3u);
  EXPECT_GT(count_of(place.read("notes.html"), "<a href=\"https://example.org/#1&amp;view=decay"), 3u);
}

TEST_F(HandoutCommand, WritesAPageForEachLessonIntoAFolder) {
  place.good({"handout", "01-order", "10-longer", "--format", "html", "--language", "ko", "-o", "pages/"});
  for (const char* id : {"01-order", "10-longer"}) {
    const std::string page = place.read(std::string("pages/") + id + ".html");
    EXPECT_THAT(page, HasSubstr("word-break:keep-all"));
    EXPECT_EQ(count_of(page, "<h1 "), 1u);
  }
}

TEST_F(HandoutCommand, WritesSlidesAndLoopsBesideThem) {
  place.good({"handout", "04-turn", "--slides", "-o", "slides.pdf"});
  const json lesson = json::parse(place.good({"lesson", "04-turn", "--json"}));
  const std::string slides = place.read("slides.pdf");
  EXPECT_THAT(slides, StartsWith("%PDF"));
  EXPECT_GE(count_of(slides, "/Type /Page %"), lesson.at("steps").size()) << "a long step goes on";
  std::size_t loops = 0;
  for (const auto& entry : fs::directory_iterator(place.path("."))) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".gif")) continue;
    EXPECT_THAT(name, StartsWith("04-turn-"));
    EXPECT_THAT(place.read(name), StartsWith("GIF89a"));
    ++loops;
  }
  EXPECT_GE(loops, 1u);
  place.bad({"handout", "04-turn", "--slides", "-o", "slides.html"}, {"slides", ".pdf"});
  place.bad({"handout", "04-turn", "--slides", "--paper", "a4", "-o", "slides.pdf"}, {"--paper"});
}

/// ffmpeg is not installed everywhere: without it a sentence names it, and a program of that name gets both files.
TEST_F(HandoutCommand, WritesVideosByFfmpeg) {
  place.write("mine.md", lecture("sweep = rope.base 100 -> 1000 in 0.2 s\n"));
  place.bad({"handout", "mine.md", "--mp4", "-o", "x.pdf"}, {"--mp4", "--slides"});
  const fs::path programs = fs::absolute(place.path("programs"));
  fs::create_directory(programs);
  place.set_environment("PATH=" + programs.string());
  place.bad({"handout", "mine.md", "--slides", "--mp4", "-o", "slides.pdf"}, {"ffmpeg", "--mp4"});
  place.write("programs/ffmpeg", "#!/bin/sh\nfor last; do :; done\necho \"$@\" > \"$last\"\n");
  fs::permissions(programs / "ffmpeg", fs::perms::owner_all);
  place.good({"handout", "mine.md", "--slides", "--mp4", "-o", "slides.pdf"});
  EXPECT_THAT(place.read("mine-one.gif"), StartsWith("GIF89a"));
  EXPECT_THAT(place.read("mine-one.mp4"), AllOf(HasSubstr("/mine-one.gif "), HasSubstr("yuv420p")));
  place.write("programs/ffmpeg", "#!/bin/sh\nexit 3\n");
  place.bad({"handout", "mine.md", "--slides", "--mp4", "-o", "slides.pdf"}, {"mine-one.mp4"});
}

}  // namespace
}  // namespace ropescope
