// The options of version 0.2 still exist: scripts of that time use them. tests/compat lists them.

#include "tests/command_line/program.h"
#include "tests/places.h"

namespace ropescope {
namespace {

TEST(Compat, EveryOptionOfVersion02StillExists) {
  const Workplace place;
  const Outcome manual = place.run({"manual", "--as", "fish"});
  ASSERT_EQ(manual.exit_code, 0) << manual.errors;
  std::ifstream lines(source_folder() + "/tests/compat/options-0.2.txt");
  ASSERT_TRUE(lines);
  std::size_t options = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t dashes = line.find("--");
    const std::string of_command = dashes == 0 ? "" : " " + line.substr(0, dashes - 1) + "'";
    const std::string option = " -l " + line.substr(dashes + 2) + " ";
    bool found = false;
    std::istringstream rows(manual.output);
    for (std::string row; !found && std::getline(rows, row);) {
      found = row.find(of_command) != std::string::npos && (row + " ").find(option) != std::string::npos;
    }
    EXPECT_TRUE(found) << line;
    ++options;
  }
  EXPECT_GT(options, 170u);
}

}  // namespace
}  // namespace ropescope
