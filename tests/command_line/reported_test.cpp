// Cases rebuilt from public reports, stored next to the repository: each must get the verdict that its folder states.

#include "program.h"
#include "tests/places.h"

namespace ropescope {
namespace {

constexpr const char* kReported[] = {"01-axes-swapped-advice",
                                     "02-axis-dimensions-same-numbers",
                                     "03-vjepa2-q-right-is-unknown",
                                     "03b-vjepa2-q-wrong-agrees",
                                     "04-deepseek-v41",
                                     "05-grok2-git",
                                     "06-pixtral-ladder",
                                     "07-qwen1-dynamic-ntk",
                                     "08-left-padded-mrope-rows",
                                     "09-rope2d-axis-halves",
                                     "11-qwen-vision-raster",
                                     "12-gte-ntk",
                                     "13-musicflamingo-refused",
                                     "14-v4-q-sign",
                                     "as-transformers-mrope",
                                     "bf16-tolerance-line",
                                     "decode-batch-2",
                                     "even-heads-only",
                                     "first-half-written",
                                     "flux-normalised",
                                     "ggml-ids-4",
                                     "gptj-embed-positions",
                                     "half-dimension-twice",
                                     "int8-positions",
                                     "ltx2-base",
                                     "ltx2-starts",
                                     "ministral-query-scale",
                                     "one-number-off",
                                     "qwen-tower-angles",
                                     "section-layout-advice",
                                     "tower-no-windows",
                                     "v3-whole-192",
                                     "v32-indexer-options",
                                     "vit-axial-base",
                                     "wan-frame-repeated"};

fs::path find_reported_folder() {
  return fs::path(source_folder()).parent_path() / "shared" / "reported";
}

std::string content_of_case(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Words split_at(const std::string& text, char separator) {
  Words parts(1);
  for (const char c : text) {
    if (c == '\n' && separator != '\n') continue;
    if (c == separator) {
      parts.emplace_back();
    } else if (c != '\n') {
      parts.back() += c;
    }
  }
  return parts;
}

/// The pattern as the folders write it: Python's, with "(?i)" at its beginning where capitals do not count.
bool is_in(const std::string& output, std::string pattern) {
  auto flags = std::regex::ECMAScript | std::regex::multiline;
  if (pattern.starts_with("(?i)")) pattern.erase(0, 4), flags |= std::regex::icase;
  return std::regex_search(output, std::regex(pattern, flags));
}

class Reported : public testing::TestWithParam<const char*> {};

TEST_P(Reported, IsJudgedAsItsFolderWants) {
  const fs::path folder = find_reported_folder() / GetParam();
  if (!fs::exists(folder / "want")) GTEST_SKIP() << folder << " is missing";
  Workplace workplace;
  for (const auto& entry : fs::directory_iterator(folder)) {
    workplace.write(entry.path().filename().string(), content_of_case(entry.path()));
  }
  Words arguments = split_at(content_of_case(folder / "cmd"), ' ');
  ASSERT_EQ(arguments.front(), "ropescope");
  arguments.erase(arguments.begin());
  const Words want = split_at(content_of_case(folder / "want"), '\t');
  ASSERT_EQ(want.size(), 3U);
  const Outcome outcome = workplace.run(arguments);
  const std::string said = outcome.output + outcome.errors;
  EXPECT_NE(want[0].find(std::to_string(outcome.exit_code)), std::string::npos) << outcome.exit_code << "\n" << said;
  if (!want[1].empty()) {
    EXPECT_TRUE(is_in(said, want[1])) << want[1] << "\n" << said;
  }
  if (!want[2].empty()) {
    EXPECT_FALSE(is_in(said, want[2])) << want[2] << "\n" << said;
  }
}

/// A case that was added to the folder is to be added here.
TEST(ReportedFolder, EveryCaseIsListed) {
  if (!fs::exists(find_reported_folder())) GTEST_SKIP() << find_reported_folder() << " is missing";
  for (const auto& entry : fs::directory_iterator(find_reported_folder())) {
    if (!entry.is_directory()) continue;
    const std::string name = entry.path().filename().string();
    EXPECT_NE(std::find(std::begin(kReported), std::end(kReported), name), std::end(kReported)) << name;
  }
}

std::string name_of_case(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Reported, testing::ValuesIn(kReported), name_of_case);

}  // namespace
}  // namespace ropescope
