// --as numpy: Python runs the text, and its numbers are ours to 1e-12.

#include "core/formats/programs/equivalents.h"
#include "core/scaling/scaling.h"
#include "equivalent_profiles.h"
#include "tests/python_programs.h"

namespace ropescope {
namespace {

struct NumpyCase {
  std::string name;
  Profile profile;
  std::optional<double> length;
};

std::vector<NumpyCase> list_numpy_cases() {
  std::vector<NumpyCase> all;
  for (const NamedProfiles& model : profiles_to_say()) {
    for (const Profile& profile : model.profiles) {
      all.push_back({model.name + ", " + profile.name, profile, std::nullopt});
      if (profile.spec.trained_length) {
        all.push_back({model.name + ", " + profile.name + ", long", profile, 3 * *profile.spec.trained_length});
      }
    }
  }
  return all;
}

TEST(EquivalentNumpy, LeavesOurFrequenciesAndAmplitude) {
  const std::vector<NumpyCase> all = list_numpy_cases();
  std::vector<std::string> programs;
  for (const NumpyCase& one : all) {
    programs.push_back(find_other_words("numpy").of({{&one.profile, 1}, one.length}).text);
  }
  const auto left = run_with_numpy(programs, "[left['amplitude'], *left['frequency'].tolist()]");
  if (!left) GTEST_SKIP() << "no python3 with NumPy is there";
  for (std::size_t i = 0; i < all.size(); ++i) {
    const HeadLadder expected = head_ladder(all[i].profile.spec, all[i].length);
    const std::vector<double>& found = (*left)[i];
    ASSERT_EQ(found.size(), static_cast<std::size_t>(expected.frequencies.size()) + 1) << all[i].name;
    EXPECT_NEAR(found[0], expected.amplitude, 1e-12) << all[i].name;
    for (Eigen::Index pair = 0; pair < expected.frequencies.size(); ++pair) {
      const double frequency = expected.frequencies[pair];
      EXPECT_NEAR(found[static_cast<std::size_t>(pair) + 1], frequency, 1e-12 * frequency)
          << all[i].name << ", pair " << pair;
    }
  }
}

/// The longest one is that of DyPE with NTK: three methods in one.
TEST(EquivalentNumpy, HasFifteenLinesAtMost) {
  for (const NumpyCase& one : list_numpy_cases()) {
    const std::string text = find_other_words("numpy").of({{&one.profile, 1}, one.length}).text;
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 15) << text;
  }
}

}  // namespace
}  // namespace ropescope
