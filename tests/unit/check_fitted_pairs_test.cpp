#include "check_dump.h"

namespace ropescope {

namespace {

RotarySpec make_fitted_spec(int channels, double base) {
  return {
      .head_dim = channels, .pairing = Pairing::half_split, .axes = {RotaryAxis{.rotary_dim = channels, .base = base}}};
}

RotarySpec make_ramp_spec(int channels, double base, const std::string& method, double factor) {
  RotarySpec spec = make_fitted_spec(channels, base);
  spec.trained_length = 4096;
  spec.extension.method = method;
  spec.extension.numbers = {{"factor", factor}};
  if (method == "yarn") spec.extension.numbers["attention_factor"] = 1;
  return spec;
}

std::vector<double> positions_from(double first, int count) {
  std::vector<double> positions;
  for (int i = 0; i < count; ++i) positions.push_back(first + i);
  return positions;
}

constexpr double kOffset = 7;

CheckReference right(const RotarySpec& spec, int rows) {
  return reference_from_rope(spec, {}, positions_from(0, rows));
}
Dump moved(const RotarySpec& spec, int rows) {
  return true_dump(reference_from_rope(spec, {}, positions_from(kOffset, rows)));
}

/// The number or list `parameter` of the cause `name`; empty where there is none.
std::vector<double> find_cause_numbers(const CheckReport& report, const std::string& name,
                                       const std::string& parameter) {
  for (const CheckCause& cause : report.causes) {
    for (const CheckParameter& found : cause.parameters) {
      if (cause.name != name || found.name != parameter) continue;
      if (const auto* number = std::get_if<double>(&found.value)) return {*number};
      if (const auto* list = std::get_if<std::vector<double>>(&found.value)) return *list;
    }
  }
  return {};
}

void expect_base_and_offset(const CheckReport& report, double base) {
  ASSERT_EQ(names_of(report), "base + position-offset");
  ASSERT_EQ(find_cause_numbers(report, "base", "base").size(), 1U);
  EXPECT_NEAR(find_cause_numbers(report, "base", "base")[0], base, 1e-3 * base);
  EXPECT_EQ(find_cause_numbers(report, "position-offset", "offset"), std::vector<double>{kOffset});
}

}  // namespace

TEST(CheckFittedPairs, ABaseThatIsNotRoundBesideAnOffset) {
  for (const double base : {79642.5, 23456.7}) {
    for (const int rows : {200, 500}) {
      for (const Storage storage : {Storage::bfloat16, Storage::float16, Storage::float32}) {
        SCOPED_TRACE(std::to_string(base) + " " + std::to_string(rows) + " " + std::string(storage_name(storage)));
        const CheckInputs inputs = tables_of(moved(make_fitted_spec(128, base), rows), storage, TableForm::repeated);
        expect_base_and_offset(check(right(make_fitted_spec(128, 10000), rows), inputs), base);
      }
    }
  }
}

TEST(CheckFittedPairs, AnOffsetBesideAnAmplitudeOnRamps) {
  for (const char* method : {"ntk-by-parts", "yarn"}) {
    SCOPED_TRACE(method);
    const RotarySpec spec = make_ramp_spec(128, 10000, method, 4);
    Dump dump = moved(spec, 1000);
    dump.amplitude = 0.9;
    const CheckReport report = check(right(spec, 1000), tables_of(dump, Storage::float64, TableForm::repeated));
    EXPECT_EQ(names_of(report), "amplitude + position-offset");
    EXPECT_EQ(find_cause_numbers(report, "amplitude", "amplitude"), std::vector<double>{0.9});
    EXPECT_EQ(find_cause_numbers(report, "position-offset", "offset"), std::vector<double>{kOffset});
  }
}

}  // namespace ropescope
