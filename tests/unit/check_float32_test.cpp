// The possible error of a float32 computation of a ladder's angles is tolerated, and no more: the tables here are
// computed step by step in float32, as released code does, or altered deliberately.

#include "check_differences.h"
#include "check_dump.h"
#include "core/check/compare/compare.h"

namespace ropescope {

namespace {

CheckReference make_float32_rope(int dim, double base, const std::vector<double>& positions) {
  RotarySpec spec{.head_dim = dim, .axes = {RotaryAxis{.rotary_dim = dim, .base = base}}};
  return reference_from_rope(spec, {}, positions);
}

std::vector<double> every(std::int64_t step, std::int64_t end) {
  std::vector<double> positions;
  for (std::int64_t position = 0; position < end; position += step) positions.push_back(static_cast<double>(position));
  return positions;
}

/// 1 ÷ b^(2j/d), each step in float32.
float by_power(int dim, double base, int pair) {
  const float exponent = static_cast<float>(2 * pair) / static_cast<float>(dim);
  return 1.0F / std::pow(static_cast<float>(base), exponent);
}
/// e^(2j · (−ln b ÷ d)).
float by_exponential(int dim, double base, int pair) {
  const auto rate = static_cast<float>(-std::log(base) / dim);
  return std::exp(static_cast<float>(2 * pair) * rate);
}

struct Table {
  std::vector<double> cosine, sine;
};
using Frequency = float (*)(int, double, int);
Table float_table(int dim, double base, const std::vector<double>& positions, Frequency frequency) {
  Table table;
  for (const double position : positions) {
    for (int pair = 0; pair < dim / 2; ++pair) {
      const float angle = static_cast<float>(position) * frequency(dim, base, pair);
      table.cosine.push_back(static_cast<double>(std::cos(angle)));
      table.sine.push_back(static_cast<double>(std::sin(angle)));
    }
  }
  return table;
}

CheckInputs store_float32_table(const Table& table, int dim, Storage storage) {
  const std::int64_t pairs = dim / 2, rows = static_cast<std::int64_t>(table.cosine.size()) / pairs;
  return cos_and_sin({rows, pairs}, table.cosine, table.sine, storage);
}

constexpr int kFloat32Dim = 128;
const std::vector<double> kPositions = every(1, 4096);

/// The true table in float64, with number (row, pair) turned farther by `turned`.
template <class Turned>
CheckInputs turned_table(const Turned& turned) {
  Table table;
  for (std::size_t row = 0; row < kPositions.size(); ++row) {
    for (int pair = 0; pair < kFloat32Dim / 2; ++pair) {
      const double angle = kPositions[row] * std::pow(10000.0, -2.0 * pair / kFloat32Dim);
      table.cosine.push_back(std::cos(angle + turned(row, pair, angle)));
      table.sine.push_back(std::sin(angle + turned(row, pair, angle)));
    }
  }
  return store_float32_table(table, kFloat32Dim, Storage::float64);
}

}  // namespace

TEST(CheckFloat32, WhatReleasedCodeComputesAgrees) {
  for (const int dim : {24, 64, 80, 96, 128, 256}) {
    for (const double base : {100.0, 1e4, 5e5, 1e6, 1e7}) {
      for (const std::vector<double>& positions : {every(1, 70), every(41, 4096), every(1021, 131'072)}) {
        for (const Frequency frequency : {by_power, by_exponential}) {
          SCOPED_TRACE(std::to_string(dim) + " channels, base " + std::to_string(base) + ", up to " +
                       std::to_string(positions.back()));
          const CheckReference reference = make_float32_rope(dim, base, positions);
          const Table table = float_table(dim, base, positions, frequency);
          EXPECT_EQ(names_of(check(reference, store_float32_table(table, dim, Storage::float32))), "agrees");
          const CheckReport wide = check(reference, store_float32_table(table, dim, Storage::float64));
          EXPECT_EQ(names_of(wide), "agrees");
          EXPECT_TRUE(has_note(wide, "check.note.float32"));
        }
      }
    }
  }
}

TEST(CheckFloat32, OneWrongNumberIsNoRounding) {
  const CheckReference reference = make_float32_rope(kFloat32Dim, 10000, kPositions);
  CheckInputs inputs =
      turned_table([](std::size_t row, int pair, double) { return row == 3000 && pair == 0 ? 2e-3 : 0.0; });
  const CheckReport report = check(reference, inputs);
  EXPECT_EQ(report.verdict, Verdict::disagrees);
  EXPECT_FALSE(has_note(report, "check.note.float32"));
  EXPECT_EQ(report.inputs[0].row, 3000);
  const CheckDifferences there = check_differences(reference, inputs, nullptr, 3000, 1);
  EXPECT_GT(there.values[0], there.tolerance[0]) << "the map says the same";
}

TEST(CheckFloat32, DeviationsWithoutASystemAreNoRounding) {
  const CheckReference reference = make_float32_rope(kFloat32Dim, 10000, kPositions);
  const CheckInputs inputs = turned_table([](std::size_t row, int, double angle) {
    return angle > 2900 ? (row * 2654435761U % 3 == 0 ? 2e-3 : -2e-3) : 0.0;
  });
  const CheckReport report = check(reference, inputs);
  EXPECT_EQ(report.verdict, Verdict::disagrees);
  EXPECT_EQ(names_of(report), "unknown");
}

TEST(CheckFloat32, AFrequencyErrsByAFewRoundings) {
  const CheckReference reference = make_float32_rope(kFloat32Dim, 10000, kPositions);
  const auto by = [](double relative) {
    return turned_table([relative](std::size_t, int pair, double angle) { return pair < 4 ? relative * angle : 0; });
  };
  const CheckReport rounded = check(reference, by(3 * 0x1p-24));
  EXPECT_EQ(rounded.verdict, Verdict::agrees);
  EXPECT_TRUE(has_note(rounded, "check.note.float32"));
  const CheckReport wrong = check(reference, by(10 * 0x1p-24));
  EXPECT_EQ(wrong.verdict, Verdict::disagrees) << "2e-3 at angle 3 400";
  EXPECT_EQ(names_of(wrong), "unknown");
}

TEST(CheckFloat32, VectorsAreJudgedAlike) {
  const CheckReference reference = make_float32_rope(kFloat32Dim, 10000, kPositions);
  const auto rotated = [](double relative) {
    std::vector<double> before, after;
    for (const double position : kPositions) {
      for (int half = 0; half < 2; ++half) {
        for (int pair = 0; pair < kFloat32Dim / 2; ++pair) {
          const double angle = position * std::pow(10000.0, -2.0 * pair / kFloat32Dim) * (pair < 4 ? 1 + relative : 1);
          before.push_back(half == 0 ? 1 : 0.5);
          after.push_back(half == 0 ? std::cos(angle) - 0.5 * std::sin(angle)
                                    : std::sin(angle) + 0.5 * std::cos(angle));
        }
      }
    }
    CheckInputs inputs;
    const auto rows = static_cast<std::int64_t>(kPositions.size());
    inputs.before = store_values("before", {rows, kFloat32Dim}, before);
    inputs.after = store_values("after", {rows, kFloat32Dim}, after);
    return inputs;
  };
  EXPECT_EQ(check(reference, rotated(0)).verdict, Verdict::agrees);
  EXPECT_EQ(check(reference, rotated(3 * 0x1p-24)).verdict, Verdict::agrees);
  EXPECT_EQ(check(reference, rotated(10 * 0x1p-24)).verdict, Verdict::disagrees);
}

}  // namespace ropescope
