// What version 0.2 wrote is still read: the names of its fields and of the words of their choices. tests/compat holds
// them, as they stood then.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "app/experiment/experiment.h"
#include "tests/places.h"

namespace ropescope {
namespace {

TEST(Compat, EveryFieldAndWordOfVersion02IsStillRead) {
  std::ifstream lines(source_folder() + "/tests/compat/fields-0.2.txt");
  ASSERT_TRUE(lines);
  std::size_t fields = 0, words = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    Experiment experiment;
    if (line.find('=') == std::string::npos) {
      EXPECT_TRUE(find_field(experiment, current_key(line))) << line;
      ++fields;
    } else {
      EXPECT_NO_THROW(set_field(experiment, line)) << line;
      ++words;
    }
  }
  EXPECT_GT(fields, 350u);
  EXPECT_GT(words, 200u);
}

}  // namespace
}  // namespace ropescope
