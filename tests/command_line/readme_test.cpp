// Lists in the README that name all of something are those of the registries.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "app/experiment/setting_fields.h"
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
Names found(const std::string& text, const std::string& pattern) {
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

}  // namespace

TEST(Readme, NamesEveryScalingMethod) {
  Names methods;
  for (const ScalingMethod& method : all_scaling_methods()) methods.emplace(method.name);
  EXPECT_EQ(found(between("it. Methods: ", " On the command line"), "`([a-z0-9-]+)`"), methods);
}

TEST(Readme, NamesEveryOptionOfScaling) {
  Names options{"--trained-length", "--length", "--short-factors", "--long-factors"};
  for (const ScalingParameter& parameter : all_scaling_parameters()) options.insert(option_name(parameter));
  EXPECT_EQ(found(between("`--scaling NAME` with", "; `--scaling none`"), "`(--[a-z0-9-]+)`"), options);
}

TEST(Readme, NamesEveryEncoding) {
  std::string list = between("competes with: ", ". Three pictures");
  std::replace(list.begin(), list.end(), '\n', ' ');
  Names encodings;
  for (const Encoding& encoding : all_encodings()) {
    const std::string title = lower(said(title_of(encoding)));
    if (encoding.name != "rope") encodings.insert(title.substr(0, title.find(' ')));  // RoPE is put beside the others
  }
  EXPECT_EQ(found(lower(list), "([a-z0-9-]+)(?:,|$)"), encodings);
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
  EXPECT_EQ(found(between("Layouts take", "`check`, `limits`"), "`(--[a-z0-9-]+)`"), options);
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
  EXPECT_EQ(
      found(between("| committed | named first (times) |\n| --- | --- |\n", "\n\n"), "\\| ([a-z-]+) \\|[^\n]*\\n?"),
      causes);
}

TEST(Readme, ShowsEverySubcommand) {
  const std::string help = Workplace().good({"--help"});
  const Names commands = found(help.substr(help.find("Subcommands:")), "\n  ([a-z]+) ");
  EXPECT_GE(commands.size(), 17u);
  EXPECT_EQ(found(between("one\nline on standard error.\n", "\n\nThe model is"), "    ropescope ([a-z]+) "), commands);
}

TEST(Readme, NamesEveryRoom) {
  const std::string table = between("| room | what is in it |", "| to add |");
  for (const char* room : {"core", "app"}) {
    for (const std::string& folder : folders(room))
      EXPECT_NE(table.find("`" + folder + "`"), std::string::npos) << folder;
  }
}

/// What the table for contributors points at is there.
TEST(Readme, NamesFilesThatExist) {
  for (const std::string& path : found(readme(), "`((?:core|app|assets|tests|\\.ci)/[a-z_/.]+)`")) {
    EXPECT_TRUE(std::filesystem::exists(source_folder() + "/" + path)) << path;
  }
}

}  // namespace ropescope
