#include "check_advice.h"
#include "check_faults.h"

namespace ropescope {

namespace {

using Matrix = std::map<std::string, std::map<std::string, int>>;

/// Commits a fault on a case and asserts the first cause named, and its parameters.
void expect_first_cause(const CheckCell& cell, const Fault& fault, Matrix& matrix) {
  const auto& [one, storage] = cell;
  Dump faulty = true_dump(one->reference);
  ASSERT_TRUE(fault.commit(*one, faulty));
  SCOPED_TRACE(one->name + ": " + fault.cause + " " + fault.variant + ", " + std::string(storage_name(storage)));
  const CheckReport report = check(one->reference, inputs_of(faulty, storage, {&fault}));
  const std::string expected = fault.expected(*one);
  if (!is_taught(*one, fault) && names_of(report) == "unknown") return;
  ++matrix[expected][names_of(report)];
  ASSERT_FALSE(report.causes.empty());
  const CheckCause& first = report.causes[0];
  EXPECT_EQ(first.name, expected);
  EXPECT_EQ(report.causes.size(), 1U);
  EXPECT_EQ(report.verdict, first.harmless ? Verdict::agrees : Verdict::disagrees);
  EXPECT_FALSE(first.evidence.empty());
  EXPECT_FALSE(first.advice.empty());
  EXPECT_GT(first.confidence, 0);
  EXPECT_LE(first.residual_after, first.residual_before);
  const bool parameters = !fault.parameters || fault.parameters(*one, report);
  EXPECT_TRUE(parameters);
  expect_fixed(*one, first, faulty,
               [&, format = storage](const Dump& dump) { return inputs_of(dump, format, {&fault}); });
}

/// The confusion matrix as a table of Markdown.
std::string to_confusion_table(const Matrix& matrix) {
  std::string table = "| committed | named first (times) |\n| --- | --- |\n";
  for (const auto& [committed, named] : matrix) {
    table += "| " + committed + " |";
    std::string separator = " ";
    for (const auto& [name, count] : named) {
      table += separator + name + " (" + std::to_string(count) + ")";
      separator = ", ";
    }
    table += " |\n";
  }
  return table;
}

}  // namespace

/// The cells are dealt to several tests, so that they run side by side and each has every fault.
constexpr std::size_t kParts = 4;
class CheckCauses : public testing::TestWithParam<std::size_t> {};

TEST_P(CheckCauses, EveryCauseAloneOnEveryLayoutAndRope) {
  const std::vector<CheckCase> cases = layout_and_rope_cases();
  const std::vector<CheckCell> all = cells_of(cases);
  std::vector<CheckCell> cells;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if ((i / 2 + i % 2) % kParts == GetParam()) cells.push_back(all[i]);
  }
  const std::vector<Fault> faults = all_faults();
  Sample sample("one fault × layouts and ropes × formats", 4);
  Matrix matrix;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const auto is_there = [&fault = faults[i]](const CheckCell& cell) { return exists(fault, cell); };
    const std::vector<CheckCell> chosen = sample.of(i, cells, is_there);
    EXPECT_TRUE(!chosen.empty() || std::any_of(all.begin(), all.end(), is_there))
        << faults[i].cause << " " << faults[i].variant << " is committed nowhere";
    for (const CheckCell& cell : chosen) expect_first_cause(cell, faults[i], matrix);
  }
  EXPECT_GT(matrix.size(), 10U);
  for (const auto& [committed, named] : matrix) {
    EXPECT_EQ(named.size(), 1U) << committed;
    EXPECT_EQ(named.count(committed), 1U) << committed;
  }
  const std::string table = to_confusion_table(matrix);
  std::printf("%s", table.c_str());
  // The handbook's table (14-trust.md) is the sum of the parts.
  std::ofstream(written_file("check_confusion_matrix_" + std::to_string(GetParam()) + ".md")) << table;
}

INSTANTIATE_TEST_SUITE_P(Parts, CheckCauses, testing::Range(std::size_t{0}, kParts));

}  // namespace ropescope
