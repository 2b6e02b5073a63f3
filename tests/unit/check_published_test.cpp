#include <gtest/gtest.h>

#include <set>

#include "check_configs.h"
#include "check_faults.h"
#include "tests/sampled.h"

namespace ropescope {

namespace {

/// A rope on positions 0 … 63, a layout under its own name: as the faults know them.
CheckCase as_committed(const CheckCase& one) {
  if (!is_rope(one)) return {std::string(one.reference.layout->name), one.reference};
  std::vector<double> positions;
  for (int i = 0; i < 64; ++i) positions.push_back(i);
  return {one.name, reference_from_rope(*one.reference.rope, one.reference.length, positions)};
}

/// The names that the ties leave open by numbers of the config: which length a dynamic base is of (within the trained
/// one it is plain), and whether a factor is one that the method can have.
std::set<std::string> names_for(const CheckCase& one, const Fault& fault) {
  const std::string expected = fault.expected(one), method = is_rope(one) ? one.reference.rope->extension.method : "";
  const std::set<std::string> ladders = {"base", "scaling-missing", "scaling-parameters", "length-switch"};
  const std::set<std::string> factors = {"position-scale", "scaling-parameters"};
  if (method == "dynamic" && ladders.count(expected) != 0) return ladders;
  if (method == "proportional" && factors.count(expected) != 0) return factors;
  return {expected};
}

/// Expects that the fault is named when it is committed on the case and written in that storage. False where nothing of
/// it would be seen.
bool is_tried(const CheckCase& published, const Fault& fault, Storage storage) {
  const CheckCase one = as_committed(published);
  const Dump truth = true_dump(one.reference);
  Dump faulty = truth;
  if (!fault.commit(one, faulty)) return false;
  const bool by_channels = fault.form == TableForm::repeated;
  if (!by_channels && !is_visible(truth, faulty, storage)) return false;
  const CheckReport report = check(one.reference, inputs_of(faulty, storage, {&fault}));
  EXPECT_EQ(names_for(one, fault).count(names_of(report)), 1U)
      << names_of(report) << " for " << fault.expected(one) << ": " << published.name << ", " << storage_name(storage)
      << ": " << fault.variant;
  return true;
}

}  // namespace

/// A fault and the format of the dump that it is committed on.
struct FaultInFormat {
  const Fault* fault;
  Storage storage;
};

std::vector<FaultInFormat> faults_in_formats(const std::vector<Fault>& faults) {
  std::vector<FaultInFormat> cells;
  for (const Fault& fault : faults) {
    cells.push_back({&fault, Storage::float32});
    if (fault.cause != "table-format") cells.push_back({&fault, Storage::bfloat16});
  }
  return cells;
}

/// The configs are dealt to several tests, so that they run side by side.
constexpr std::size_t kParts = 2;
class CheckPublished : public testing::TestWithParam<std::size_t> {};

TEST_P(CheckPublished, FaultsOnTheRopesAndLayoutsOfAllConfigs) {
  if (!has_published_configs()) GTEST_SKIP() << "the folder of published configs is not beside the source";
  const std::vector<Fault> faults = all_faults();
  const std::vector<FaultInFormat> cells = faults_in_formats(faults);
  const std::vector<CheckCase> configs = published_cases();
  Sample sample("published configs × faults × formats", 8);
  std::size_t tried = 0;
  for (std::size_t i = GetParam(); i < configs.size(); i += kParts) {
    for (const FaultInFormat& cell : sample.of(i, cells)) {
      if (is_tried(configs[i], *cell.fault, cell.storage)) ++tried;
    }
  }
  EXPECT_GT(tried, (runs_all_cells() ? 400U : 240U) / kParts);
}

/// Of a proportional rope some pairs are static, in whatever head.
TEST(CheckPublishedProportional, EveryFaultInEveryStorage) {
  if (!has_published_configs()) GTEST_SKIP() << "the folder of published configs is not beside the source";
  const std::vector<Fault> faults = all_faults();
  const std::vector<FaultInFormat> cells = faults_in_formats(faults);
  Sample sample("published proportional ropes × faults × formats", cells.size() / 8);
  std::size_t tried = 0, row = 0;
  for (const CheckCase& published : published_cases()) {
    if (!is_rope(published) || published.reference.rope->extension.method != "proportional") continue;
    for (const FaultInFormat& cell : sample.of(row++, cells)) {
      if (is_tried(published, *cell.fault, cell.storage)) ++tried;
    }
  }
  EXPECT_GT(tried, runs_all_cells() ? 50U : 5U);
}

INSTANTIATE_TEST_SUITE_P(Parts, CheckPublished, testing::Range(std::size_t{0}, kParts));

}  // namespace ropescope
