// README and handbook: lists that claim to be complete match the registries, and terminal sessions show real output.

#include "app/lessons/handbook.h"
#include "app/experiment/fields.h"
#include "app/experiment/figure_file.h"
#include "app/lessons/lesson.h"
#include "app/views/view.h"
#include "core/check/causes/cause.h"
#include "core/encodings/encoding.h"
#include "core/layouts/layout.h"
#include "core/scaling/scaling.h"
#include "program.h"
#include "tests/said.h"

namespace ropescope {

namespace {

using Handbook = InWorkplace;
using Help = InWorkplace;

using Names = std::set<std::string>;

std::string content_of_file(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A chapter by its name, "06-check"; the README by none.
std::string chapter(const std::string& name) {
  const std::string path = name.empty() ? "/README.md" : "/assets/handbook/" + name + ".md";
  const std::string text = content_of_file(source_folder() + path);
  EXPECT_FALSE(text.empty()) << path;
  return text;
}

/// The README and all chapters by their paths.
std::map<std::string, std::string> all_texts() {
  std::map<std::string, std::string> texts = {{"README.md", chapter("")}};
  for (const auto& entry : fs::recursive_directory_iterator(source_folder() + "/assets/handbook")) {
    const std::string path = fs::relative(entry.path(), source_folder()).generic_string();
    if (entry.is_regular_file()) texts[path] = content_of_file(entry.path());
  }
  return texts;
}

/// What stands between two words of a text; the test fails where one of them is missing.
std::string between(const std::string& text, const std::string& first, const std::string& last) {
  const std::size_t begin = text.find(first);
  EXPECT_NE(begin, std::string::npos) << first;
  if (begin == std::string::npos) return {};
  const std::size_t from = begin + first.size(), end = text.find(last, from);
  EXPECT_NE(end, std::string::npos) << last;
  return end == std::string::npos ? std::string() : text.substr(from, end - from);
}

/// What stands under a heading, up to the next one of its rank.
std::string under(const std::string& text, const std::string& heading) {
  return between(text + "\n" + heading.substr(0, heading.find(' ') + 1), heading + "\n",
                 "\n" + heading.substr(0, heading.find(' ') + 1));
}

/// What the first group of a pattern finds.
Names found_in(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  Names names;
  for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end; ++match) {
    names.insert((*match)[1]);
  }
  return names;
}

Names folders(const std::string& room) {
  Names names;
  for (const auto& entry : fs::directory_iterator(source_folder() + "/" + room)) {
    if (entry.is_directory()) names.insert(room + "/" + entry.path().filename().string());
  }
  return names;
}

bool has_numpy() {
  return std::system("PATH=/usr/bin:/bin:$PATH python3 -c 'import numpy' >/dev/null 2>&1") == 0;
}

/// The blocks of code of a text that begin with "```" and these words alone.
Words blocks(const std::string& text, const std::string& kind) {
  Words found;
  std::istringstream lines(text);
  bool inside = false, wanted = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      inside = !inside;
      wanted = inside && line == "```" + kind;
      if (wanted) found.emplace_back();
    } else if (wanted) {
      found.back() += line + "\n";
    }
  }
  return found;
}

/// What a command of the shell says in the folder of a place, where ropescope is on the path.
std::string said_by(const Workplace& place, const std::string& command) {
  const std::string folder = fs::path(program_file()).parent_path().string();
  const std::string line = "cd '" + place.path("").string() + "' && { PATH='" + folder + "':/usr/bin:/bin:$PATH; " +
                           command + "; } >said.txt";
  [[maybe_unused]] const int code = std::system(line.c_str());
  return place.read("said.txt");
}

}  // namespace

/// Runs what stands after each "$ " of a block and compares what it says with what stands below. Returns how many ran.
int run_session(const Workplace& place, const std::string& block) {
  int commands = 0;
  for (std::size_t at = 0; at < block.size(); ++commands) {
    if (block.compare(at, 2, "$ ") != 0) break;
    std::size_t end = block.find('\n', at);
    while (block[end - 1] == '\\') end = block.find('\n', end + 1);
    const std::size_t next = std::min(block.find("\n$ ", end) + 1, block.size());
    const std::size_t stop = next == 0 ? block.size() : next;
    const std::string command = block.substr(at + 2, end - at - 2);
    EXPECT_EQ(said_by(place, command), block.substr(end + 1, stop - end - 1)) << command;
    at = stop;
  }
  return commands;
}

TEST_F(Handbook, NamesEveryScalingMethodAndItsOptions) {
  const std::string table = under(chapter("08-extend"), "## Choose a method");
  Names methods, options{"--trained-length", "--length", "--scaling"};
  for (const ScalingMethod& method : all_scaling_methods()) methods.emplace(method.name);
  for (const ScalingList& list : all_scaling_lists()) options.insert(option_name(list));
  for (const ScalingField& parameter : all_scaling_fields()) options.insert(option_name(parameter));
  EXPECT_EQ(found_in(table, "\n\\| `([a-z0-9-]+)`"), methods);
  EXPECT_EQ(found_in(table, "`(--[a-z0-9-]+)[ `]"), options);
}

TEST_F(Handbook, NamesEveryEncoding) {
  Names encodings;
  for (const Encoding& encoding : all_encodings()) encodings.emplace(encoding.name);
  EXPECT_EQ(found_in(under(chapter("03-encodings"), "## Available encodings"), "\\| `([a-z0-9-]+)` \\|"), encodings);
}

TEST_F(Handbook, NamesTheOptionsOfLayouts) {
  const std::string text = chapter("05-images");
  for (const LayoutField& field : all_layout_fields()) {
    if (!field.has_control || (field.traits & kNoOption) != 0) continue;
    EXPECT_NE(text.find("`" + option_name(field)), std::string::npos) << option_name(field);
  }
}

TEST_F(Handbook, ShowsEveryView) {
  std::string all;
  for (const auto& [path, text] : all_texts()) all += text;
  for (const View* view : all_views()) {
    const std::string name = "**" + said(Message("view." + std::string(view->id) + ".name")) + "**";
    EXPECT_NE(all.find(name), std::string::npos) << name;
  }
}

TEST_F(Handbook, ListsEveryCause) {
  Names causes{"cause"};  // the head of the table
  for (const Cause* cause : all_causes()) causes.emplace(cause->name);
  EXPECT_EQ(found_in(under(chapter("06-check"), "## The causes"), "\n\\| ([a-z][a-z-]*) \\|"), causes);
}

TEST_F(Handbook, ShowsEverySubcommand) {
  const std::string help = Workplace().good({"--help"});
  const Names commands = found_in(help.substr(help.find("Subcommands:")), "\n  ([a-z]+) ");
  EXPECT_GE(commands.size(), 17u);
  EXPECT_EQ(found_in(under(chapter("12-command-line"), "## Every command"), "\\| `([a-z]+)[^|]*` \\|"), commands);
}

TEST_F(Handbook, NamesEveryRoom) {
  const std::string text = chapter("15-contribute");
  for (const char* room : {"core", "app"}) {
    for (const std::string& folder : folders(room))
      EXPECT_NE(text.find("`" + folder + "`"), std::string::npos) << folder;
  }
}

/// The session is a real one: the port of the chapter is run, and each command says what stands there.
TEST_F(Handbook, TheSessionIsReal) {
  if (!has_numpy()) GTEST_SKIP() << "no python3 with NumPy is there";
  const std::string section = under(chapter("06-check"), "## From a bad picture to its cause in five minutes");
  place.write("port.py", blocks(section, "python").at(0));
  const fs::path helper = source_folder() + "/assets/dump/ropescope_dump.py";
  fs::copy_file(helper, place.path("ropescope_dump.py"));
  int commands = 0;
  for (const std::string& block : blocks(section, "")) commands += run_session(place, block);
  EXPECT_EQ(commands, 5);
}

/// From the question to the figure and back: each command says what stands there.
TEST_F(Handbook, TheFigureForAPaperIsMade) {
  int commands = 0;
  for (const std::string& block : blocks(chapter("11-figures"), "")) {
    if (block.starts_with("$ ")) commands += run_session(place, block);
  }
  EXPECT_EQ(commands, 5);
  EXPECT_TRUE(place.read("bases-b.pdf").starts_with("%PDF"));
}

/// The test of "Guard your port" passes with the port as it should be, and fails with that of the session.
TEST_F(Handbook, TheGuardGuards) {
  if (!has_numpy()) GTEST_SKIP() << "no python3 with NumPy is there";
  const std::string session = under(chapter("06-check"), "## From a bad picture to its cause in five minutes");
  std::string guard;
  for (const std::string& block : blocks(chapter("07-port"), "python")) {
    if (block.find("def test_rotary_tables") != std::string::npos) guard = block;
  }
  std::string port = blocks(session, "python").at(0);
  place.write("ropescope_dump.py", "");
  place.write("port.py", port);
  place.write("test_rope.py", guard);
  // As people run it; where there is no pytest, by hand.
  const bool pytest = std::system("PATH=/usr/bin:/bin:$PATH python3 -c 'import pytest' >/dev/null 2>&1") == 0;
  const std::string run =
      pytest ? "python3 -B -m pytest -q -p no:cacheprovider --junitxml=suite.xml test_rope.py 2>&1"
             : "python3 -B -c 'import pathlib, test_rope; test_rope.test_rotary_tables(pathlib.Path())' 2>&1";
  EXPECT_NE(said_by(place, run).find("the rotary tables changed: ['axes-swapped']"), std::string::npos);
  // Both reports have the verdict's words: that of the program, and pytest's own, which CI shows.
  const std::string report = place.read("rope.xml");
  EXPECT_NE(report.find("failures=\"2\""), std::string::npos);
  EXPECT_NE(report.find("axes-swapped"), std::string::npos);
  EXPECT_THAT(report, Says("check.axes-swapped.evidence_sides"));
  if (pytest) {
    EXPECT_NE(place.read("suite.xml").find("the rotary tables changed: ['axes-swapped']"), std::string::npos);
  }
  const std::string wrong = "i // rows, i % rows", right = "i // columns, i % columns";
  port.replace(port.find(wrong), wrong.size(), right);
  place.write("port.py", port);
  const std::string passed = said_by(place, run);
  EXPECT_TRUE(pytest ? passed.find("1 passed") != std::string::npos : passed.empty()) << passed;
  EXPECT_NE(place.read("rope.xml").find("failures=\"0\""), std::string::npos);
}

/// The value that a text has between two marks, on one line.
std::string written_value(const FilledIn& place) {
  return std::regex_replace(place.written, std::regex("\\s+"), " ");
}

std::string current_value(const FilledIn& place) {
  return value_of(place.what, source_folder() + "/assets").value_or("nothing known");
}

/// Writes the current values between the marks of a file.
void write_values(const std::string& path, const std::string& before) {
  std::string text = before;
  const std::vector<FilledIn> places = find_filled_parts(text);
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    if (!value_of(place->what, source_folder() + "/assets")) continue;
    if (written_value(*place) == current_value(*place)) continue;
    text.replace(text.find("-->", place->begin) + 3, place->written.size(), current_value(*place));
  }
  if (text != before) std::ofstream(source_folder() + "/" + path, std::ios::binary) << text;
}

/// What the program fills in stands in the file as well, for who reads it elsewhere; ROPESCOPE_APPROVE=1 writes it. A
/// comment at the beginning of a line would begin a block of its own there.
TEST_F(Handbook, CountsWhatThereIs) {
  if (std::getenv("ROPESCOPE_APPROVE") != nullptr) {
    for (const auto& [path, text] : all_texts()) write_values(path, text);
  }
  std::size_t places = 0;
  for (const auto& [path, text] : all_texts()) {
    const std::string words = std::regex_replace("\n" + text, std::regex("\n```[^]*?\n```"), "\n");
    EXPECT_EQ(words.find("\n<!--"), std::string::npos) << path;
    for (const FilledIn& place : find_filled_parts(text)) {
      EXPECT_TRUE(value_of(place.what, source_folder() + "/assets")) << path << ": " << place.what;
      EXPECT_EQ(written_value(place), current_value(place))
          << path << ": write the value between the marks of " << place.what
          << ", or let ROPESCOPE_APPROVE=1 ./test -R command_line/handbook write it";
      places += 1;
    }
  }
  EXPECT_GE(places, 14u);
}

TEST_F(Help, PrintsEveryChapterByNumberAndName) {
  for (const auto& entry : fs::directory_iterator(source_folder() + "/assets/handbook")) {
    if (!entry.is_regular_file()) continue;
    const std::string name = entry.path().stem().string();
    const std::string told = place.good({"help", name});
    const std::string title = between(chapter(name), "# ", "\n");
    EXPECT_TRUE(told.starts_with(title + "\n===")) << told.substr(0, 80);
    EXPECT_EQ(place.good({"help", name.substr(0, 2)}), told);
    EXPECT_EQ(place.good({"help", name.substr(3)}), told);
  }
}

TEST_F(Help, SaysWhatItShowsAndWhereLinksLead) {
  const std::string told = Workplace().good({"help", "decay"});
  EXPECT_NE(told.find("    ropescope render limits --model llama-2-7b -o limits.svg\n"), std::string::npos);
  EXPECT_THAT(told, testing::ContainsRegex("Beyond\\s+the\\s+trained\\s+length\\s+\\(`ropescope help extend`\\)"));
  // A sweep is an animation; what is to be typed stays in one piece, and a bar in a table is a bar.
  const std::string figures = Workplace().good({"help", "figures"});
  EXPECT_NE(figures.find("    ropescope animate decay --sweep rope.base=100..1e+06:log -o decay.gif\n"),
            std::string::npos);
  EXPECT_EQ(figures.find("`--\n"), std::string::npos);
  EXPECT_EQ(Workplace().good({"help", "trust"}).find("\\|"), std::string::npos);
  const std::string causes = Workplace().good({"help", "check"});
  EXPECT_NE(causes.find("\namplitude                cos and sin have the wrong amplitude"), std::string::npos);
}

TEST_F(Help, NamesTheChaptersThereAre) {
  place.bad({"help", "chess"},
            {part_of("error.handbook.unknown") + "chess\"", "01-decay, 02-rotation", "or 21-own-data\n"});
  EXPECT_EQ(place.good({"help", "Command line"}), place.good({"help", "12-command-line.md"}));
  place.bad({"help", "c"}, {said(Message("error.handbook.unknown",
                                         {{"found", "c"}, {"known", "06-check, 12-command-line or 15-contribute"}}))});
  EXPECT_EQ(place.good({"help", "render"}), place.good({"help", "11"}));
}

/// Limits the lines of a chapter, so that it can be read in one sitting; the gallery may be longer.
TEST_F(Handbook, IsShort) {
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  for (const auto& [path, text] : all_texts()) {
    EXPECT_LE(lines(text), path == "README.md" ? 100 : path.ends_with("-gallery.md") ? 400 : 250) << path;
  }
}

/// Each command of the gallery draws what its `set` block sets, which the window shows, and has its picture; the
/// translations show the same commands and pictures.
TEST_F(Handbook, TheGalleryIsMadeByItsCommands) {
  const fs::path assets = source_folder() + "/assets";
  const Lesson gallery = load_chapter(assets, "handbook/19-gallery", kEnglish);
  const std::string markdown = chapter("19-gallery");
  Words commands = blocks(markdown, "sh");
  for (std::string& command : commands) command.pop_back();  // the line end
  ASSERT_EQ(commands.size(), gallery.steps.size() - 1);
  EXPECT_GE(commands.size(), 24u);
  std::uintmax_t bytes = 0;
  StepStates states(gallery, assets);
  states.next();
  for (const std::string& command : commands) {
    const StepState state = states.next();
    EXPECT_TRUE(state.faults.empty()) << command;
    ASSERT_TRUE(command.starts_with("ropescope render ")) << command;
    const std::string picture = command.substr(command.rfind(' ') + 1);
    ASSERT_EQ(said_by(place, command), "") << command;
    const std::optional<Experiment> drawn = read_figure_experiment(place.path(picture).string());
    ASSERT_TRUE(drawn) << command;
    EXPECT_EQ(figure_text(*drawn), figure_text(state.experiment)) << command;
    EXPECT_NE(markdown.find("(../pictures/gallery/" + picture + ")"), std::string::npos) << picture;
    bytes += fs::file_size(assets / "pictures/gallery" / picture);
  }
  EXPECT_LT(bytes, 1'500'000u);
  for (const char* language : {"ja", "ko"}) {
    const std::string translated = chapter(std::string(language) + "/19-gallery");
    EXPECT_EQ(blocks(translated, "sh"), blocks(markdown, "sh")) << language;
    EXPECT_EQ(found_in(translated, "/gallery/([a-z-]+)\\.png"), found_in(markdown, "/gallery/([a-z-]+)\\.png"));
  }
}

/// What is pointed at is there: files of the checkout, pictures and chapters.
TEST_F(Handbook, NamesFilesThatExist) {
  int links = 0;
  for (const auto& [path, text] : all_texts()) {
    for (const std::string& name : found_in(text, "`((?:core|app|assets|tests|\\.ci)/[a-z_/.]+)`")) {
      EXPECT_TRUE(fs::exists(source_folder() + "/" + name)) << path << ": " << name;
    }
    const fs::path folder = fs::path(source_folder() + "/" + path).parent_path();
    for (const std::string& link : found_in(text, "\\]\\(([^)#:]+)(?:#[^)]*)?\\)")) {
      EXPECT_TRUE(fs::exists(folder / link)) << path << ": " << link;
      links += 1;
    }
  }
  EXPECT_GT(links, 50);
}

}  // namespace ropescope
