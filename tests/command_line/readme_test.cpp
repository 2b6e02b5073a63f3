// Lists in the README that name all of something are those of the registries.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "app/experiment/fields.h"
#include "app/views/view.h"
#include "core/check/causes/cause.h"
#include "core/encodings/encoding.h"
#include "core/layouts/layout.h"
#include "core/scaling/scaling.h"
#include "program.h"
#include "tests/places.h"
#include "tests/said.h"

namespace ropescope {

namespace {

using Names = std::set<std::string>;

std::string readme() {
  std::ifstream file(source_folder() + "/README.md");
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What stands between two texts of the README; the test fails where one of them is missing.
std::string between(const std::string& first, const std::string& last) {
  const std::string text = readme();
  const std::size_t begin = text.find(first), end = text.find(last, begin + first.size());
  EXPECT_NE(begin, std::string::npos) << first;
  EXPECT_NE(end, std::string::npos) << last;
  if (begin == std::string::npos || end == std::string::npos) return {};
  return text.substr(begin + first.size(), end - begin - first.size());
}

/// What the first group of a pattern finds.
Names readme_found(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  Names names;
  for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end; ++match) {
    names.insert((*match)[1]);
  }
  return names;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

Names folders(const std::string& room) {
  Names names;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() + "/" + room)) {
    if (entry.is_directory()) names.insert(room + "/" + entry.path().filename().string());
  }
  return names;
}

bool has_numpy() {
  return std::system("PATH=/usr/bin:/bin:$PATH python3 -c 'import numpy' >/dev/null 2>&1") == 0;
}

/// Lines of a block of code, without the four spaces before them.
std::string without_indent(const std::string& lines) {
  std::string text;
  for (std::size_t begin = 0, end; begin < lines.size(); begin = end + 1) {
    end = std::min(lines.find('\n', begin), lines.size());
    const std::string line = lines.substr(begin, end - begin);
    text += (line.starts_with("    ") ? line.substr(4) : line) + "\n";
  }
  while (text.ends_with("\n\n") || text == "\n") text.pop_back();
  return text;
}

/// The block of code after these words.
std::string block_after(const std::string& section, const std::string& words) {
  std::string block = section.substr(section.find(words) + words.size());
  // It ends where a paragraph begins.
  for (std::size_t at = 1; (at = block.find("\n\n", at)) != std::string::npos; at += 2) {
    if (at + 2 < block.size() && block[at + 2] != ' ') return without_indent(block.substr(1, at));
  }
  return without_indent(block.substr(1));
}

/// What a command of the shell says in the folder of a place, where ropescope is on the path.
std::string said_by(const Workplace& place, const std::string& command) {
  const std::string folder = std::filesystem::path(program_file()).parent_path().string();
  const std::string line = "cd '" + place.path("").string() + "' && { PATH='" + folder + "':/usr/bin:/bin:$PATH; " +
                           command + "; } >said.txt";
  [[maybe_unused]] const int code = std::system(line.c_str());
  return place.read("said.txt");
}

}  // namespace

TEST(Readme, NamesEveryScalingMethod) {
  Names methods;
  for (const ScalingMethod& method : all_scaling_methods()) methods.emplace(method.name);
  EXPECT_EQ(readme_found(between("it. Methods: ", " On the command line"), "`([a-z0-9-]+)`"), methods);
}

TEST(Readme, NamesEveryOptionOfScaling) {
  Names options{"--trained-length", "--length"};
  for (const ScalingList& list : all_scaling_lists()) options.insert(option_name(list));
  for (const ScalingParameter& parameter : all_scaling_parameters()) options.insert(option_name(parameter));
  EXPECT_EQ(readme_found(between("`--scaling NAME` with", "; `--scaling none`"), "`(--[a-z0-9-]+)`"), options);
}

TEST(Readme, NamesEveryEncoding) {
  std::string list = between("competes with: ", ". Three pictures");
  std::replace(list.begin(), list.end(), '\n', ' ');
  Names encodings;
  for (const Encoding& encoding : all_encodings()) {
    const std::string title = lower(said(title_of(encoding)));
    if (encoding.name != "rope") encodings.insert(title.substr(0, title.find(' ')));  // RoPE is put beside the others
  }
  EXPECT_EQ(readme_found(lower(list), "([a-z0-9-]+)(?:,|$)"), encodings);
}

TEST(Readme, CountsTheLayoutsAndNamesTheirOptions) {
  EXPECT_NE(readme().find("lists " + std::to_string(all_layouts().size() - 1) + " such families"), std::string::npos)
      << "beside custom";
  Names options;
  for (const LayoutSetting& setting : all_layout_settings()) {
    if (setting.knob && (setting.traits & kNoOption) == 0) options.insert(option_name(setting));
  }
  for (const char* option :
       {"--size", "--grid", "--reference", "--reference-grid", "--video-frames", "--axes", "--pairing", "--config"}) {
    options.insert(option);
  }
  EXPECT_EQ(readme_found(between("Layouts take", "`check`, `limits`"), "`(--[a-z0-9-]+)`"), options);
}

TEST(Readme, ShowsEveryView) {
  const std::string text = readme();
  for (const View* view : all_views()) {
    const std::string name = "**" + said(Words("view." + std::string(view->id) + ".name")) + "**";
    EXPECT_NE(text.find(name), std::string::npos) << name;
  }
}

TEST(Readme, HasARowForEveryCause) {
  Names causes;
  for (const Cause* cause : all_causes()) causes.emplace(cause->name);
  EXPECT_EQ(readme_found(between("| committed | named first (times) |\n| --- | --- |\n", "\n\n"),
                         "\\| ([a-z-]+) \\|[^\n]*\\n?"),
            causes);
}

TEST(Readme, ShowsEverySubcommand) {
  const std::string help = Workplace().good({"--help"});
  const Names commands = readme_found(help.substr(help.find("Subcommands:")), "\n  ([a-z]+) ");
  EXPECT_GE(commands.size(), 17u);
  EXPECT_EQ(readme_found(between("one\nline on standard error.\n", "\n\nThe model is"), "    ropescope ([a-z]+) "),
            commands);
}

TEST(Readme, NamesEveryRoom) {
  const std::string table = between("| room | what is in it |", "| to add |");
  for (const char* room : {"core", "app"}) {
    for (const std::string& folder : folders(room))
      EXPECT_NE(table.find("`" + folder + "`"), std::string::npos) << folder;
  }
}

/// The session is a real one: the port of the README is run, and each command says what stands there.
TEST(Readme, TheSessionIsReal) {
  if (!has_numpy()) GTEST_SKIP() << "no python3 with NumPy is there";
  const std::string section = between("## From a bad picture to its cause in five minutes\n", "\n## ");
  const Workplace place;
  place.write("port.py", block_after(section, "`port.py`:\n"));
  const std::filesystem::path helper = source_folder() + "/assets/dump/ropescope_dump.py";
  std::filesystem::copy_file(helper, place.path("ropescope_dump.py"));
  int commands = 0;
  for (std::size_t at = 0; (at = section.find("    $ ", at)) != std::string::npos; ++commands) {
    const std::size_t end = section.find('\n', at);
    const std::string command = section.substr(at + 6, end - at - 6);
    // What it says reaches to the next command, or to the end of the block.
    const std::size_t next = std::min(section.find("    $ ", end), section.find("\n\n**", end));
    EXPECT_EQ(said_by(place, command), without_indent(section.substr(end + 1, next - end - 1))) << command;
    at = end;
  }
  EXPECT_EQ(commands, 5);
}

/// From the question to the figure and back: each command says what stands there.
TEST(Readme, TheFigureForAPaperIsMade) {
  const std::string section = between("## A figure for a paper\n", "\n## ");
  const Workplace place;
  const std::string begins = "    $ ";
  int commands = 0;
  for (std::size_t at = 0; (at = section.find(begins, at)) != std::string::npos; ++commands) {
    std::size_t end = section.find('\n', at);
    while (section[end - 1] == '\\') end = section.find('\n', end + 1);
    const std::string command = section.substr(at + begins.size(), end - at - begins.size());
    const std::size_t next = std::min(section.find(begins, end), section.find("\n\n", end));
    const std::string said = next > end ? section.substr(end + 1, next - end - 1) : std::string();
    EXPECT_EQ(said_by(place, command), said.empty() ? "" : without_indent(said)) << command;
    at = end;
  }
  EXPECT_EQ(commands, 5);
  EXPECT_TRUE(place.read("bases-b.pdf").starts_with("%PDF"));
}

/// The test of "Guard your port" passes with the port as it should be, and fails with that of the session.
TEST(Readme, TheGuardGuards) {
  if (!has_numpy()) GTEST_SKIP() << "no python3 with NumPy is there";
  const std::string session = between("## From a bad picture to its cause in five minutes\n", "\n## ");
  const std::string guard = between("### Guard your port\n", "\n### ");
  std::string port = block_after(session, "`port.py`:\n");
  const Workplace place;
  place.write("ropescope_dump.py", "");
  place.write("port.py", port);
  place.write("test_rope.py", block_after(guard, "whatever changes them:\n"));
  const std::string run =
      "python3 -B -c 'import pathlib, test_rope; test_rope.test_rotary_tables(pathlib.Path())' 2>&1";
  EXPECT_NE(said_by(place, run).find("the rotary tables changed: ['axes-swapped']"), std::string::npos);
  EXPECT_NE(place.read("rope.xml").find("failures=\"2\""), std::string::npos);
  const std::string wrong = "i // rows, i % rows", right = "i // columns, i % columns";
  port.replace(port.find(wrong), wrong.size(), right);
  place.write("port.py", port);
  EXPECT_EQ(said_by(place, run), "");
  EXPECT_NE(place.read("rope.xml").find("failures=\"0\""), std::string::npos);
}

/// What the table for contributors points at is there.
TEST(Readme, NamesFilesThatExist) {
  for (const std::string& path : readme_found(readme(), "`((?:core|app|assets|tests|\\.ci)/[a-z_/.]+)`")) {
    EXPECT_TRUE(std::filesystem::exists(source_folder() + "/" + path)) << path;
  }
}

}  // namespace ropescope
