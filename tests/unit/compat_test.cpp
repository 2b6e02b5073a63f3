// What version 0.2 wrote is still read: the names of its fields and of the words of their choices. tests/compat holds
// them, as they stood then.

#include "app/experiment/experiment.h"
#include "app/experiment/fields.h"
#include "app/experiment/sweeps.h"
#include "tests/places.h"
#include "tests/test.h"

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

TEST(Compat, EverySweepOfVersion02HasTheSameValues) {
  std::ifstream lines(source_folder() + "/tests/compat/sweeps-0.2.txt");
  std::size_t sweeps = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string text, key;
    words >> text >> key;
    const Variation now = parse_variation(text, Experiment(), {"--over"}),
                    facet = parse_variation(text, Experiment(), facet_limits("--facet"));
    EXPECT_EQ(now.key, key) << text;
    EXPECT_EQ(facet.key, key) << text;
    std::vector<std::string> values;
    for (const double value : now.values) values.push_back(now.text(value));
    EXPECT_EQ(values, std::vector<std::string>(std::istream_iterator<std::string>(words), {})) << text;
    if (text.ends_with(":log") || text.ends_with(":linear")) EXPECT_EQ(now.logarithmic, text.ends_with(":log")) << text;
    ++sweeps;
  }
  EXPECT_GT(sweeps, 15u);
}

TEST(Compat, EveryZoomOfVersion02IsStillTheSameAxis) {
  std::ifstream lines(source_folder() + "/tests/compat/fields-0.2.txt");
  std::size_t zooms = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.ends_with("_range")) continue;
    ++zooms;
    const std::string key(current_key(line));
    const std::size_t dot = line.find('.');
    const std::string group = line.substr(0, dot), name = line.substr(dot + 1);
    Experiment set;
    set_field(set, key + "=1:2");
    const auto field = find_field(std::as_const(set), key);
    ASSERT_EQ(field->kind, Field::Kind::range) << key;
    EXPECT_EQ(field->as<std::optional<Range>>(), (Range{1, 2})) << key;
    EXPECT_EQ(experiment_from_json("{\"" + group + "\": {\"" + name + "\": [1, 2]}}", "session"), set) << line;
    EXPECT_EQ(experiment_from_json(experiment_to_json(set), "saved"), set) << line;
    reset_ranges(set);
    EXPECT_EQ(set, Experiment()) << line;
  }
  EXPECT_GT(zooms, 50u);
}

}  // namespace
}  // namespace ropescope
