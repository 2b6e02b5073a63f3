#include "tests/command_line/program.h"
#include "tests/unit/reference_data.h"

namespace ropescope {
namespace {

using PrecisionCommand = InWorkplace;

TEST_F(PrecisionCommand, Csv) {
  const auto rows = parse_csv(place.good(
      {"precision", "--dim", "128", "--base", "10000", "--policy", "float16-inputs", "--positions", "0,1,65535"}));
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_THAT(rows[0], ElementsAre("position", "policy", "max_abs_error", "rms_error"));
  EXPECT_THAT(rows[1], ElementsAre("0", "float16-inputs", "0", "0"));
  EXPECT_THAT(rows[2], ElementsAre("1", "float16-inputs", testing::_, testing::_));
  EXPECT_THAT(rows[3], ElementsAre("65535", "float16-inputs", "nan", "nan"));
}

TEST_F(PrecisionCommand, ReferenceValues) {
  const json example = read_reference("precision/d128.json")["cases"][1];
  std::string positions;
  for (const json& position : example["positions"]) positions += (positions.empty() ? "" : ",") + position.dump();
  const auto rows = parse_csv(
      place.good({"precision", "--dim", example["config"]["d"].dump(), "--base", example["config"]["theta"].dump(),
                  "--policy", "bfloat16-everything", "--positions", positions}));
  const json& expected = example["policies"]["b3_bfloat16_everything"];
  ASSERT_EQ(rows.size(), expected["rms_rotation_err"].size() + 1);
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    const double max = expected["max_abs_cos_err"][i].get<double>(),
                 rms = expected["rms_rotation_err"][i].get<double>();
    EXPECT_NEAR(std::stod(rows[i + 1][2]), max, 1e-3 * max);
    EXPECT_NEAR(std::stod(rows[i + 1][3]), rms, 1e-3 * rms);
  }
}

}  // namespace
}  // namespace ropescope
