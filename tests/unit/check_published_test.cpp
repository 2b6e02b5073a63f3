#include "check_configs.h"
#include "check_faults.h"

namespace ropescope {

namespace {

/// A rope on positions 0 … 63, a layout under its own name: as the faults know them.
CheckCase as_committed(const CheckCase& one) {
  if (!is_rope(one)) return {std::string(one.reference.layout->name), one.reference};
  std::vector<double> positions = counted_positions(64);
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

/// Expects that the fault is named if it is committed on the case and written in that format.
void expect_named(const CheckCase& published, const Fault& fault, Storage storage) {
  const CheckCase one = as_committed(published);
  Dump faulty = true_dump(one.reference);
  fault.commit(one, faulty);
  const CheckReport report = check(one.reference, inputs_of(faulty, storage, {&fault}));
  EXPECT_EQ(names_for(one, fault).count(names_of(report)), 1U)
      << names_of(report) << " for " << fault.expected(one) << ": " << published.name << ", " << storage_name(storage)
      << ": " << fault.variant;
}

/// A fault, and the number format of the dump that it is committed on.
struct FaultInFormat {
  const Fault* fault;
  Storage storage;
};

/// Every fault in float32, then every fault in bfloat16.
std::vector<FaultInFormat> faults_in_formats(const std::vector<Fault>& faults) {
  std::vector<FaultInFormat> cells;
  for (const Storage storage : {Storage::float32, Storage::bfloat16}) {
    for (const Fault& fault : faults) cells.push_back({&fault, storage});
  }
  return cells;
}

}  // namespace

/// The configs are dealt to several tests, so that they run side by side.
constexpr std::size_t kParts = 2;
class CheckPublished : public testing::TestWithParam<std::size_t> {};

TEST_P(CheckPublished, FaultsOnTheRopesAndLayoutsOfAllConfigs) {
  if (!has_published_configs()) GTEST_SKIP() << "the folder of published configs is not beside the source";
  const std::vector<Fault> faults = all_faults();
  const std::vector<FaultInFormat> cells = faults_in_formats(faults);
  const std::vector<CheckCase> configs = published_cases();
  Sample sample("published configs × faults × formats", 4);
  std::size_t tried = 0;
  for (std::size_t i = GetParam(); i < configs.size(); i += kParts) {
    const CheckCase one = as_committed(configs[i]);
    // Seven faults further with each config: four cells a config meet all faults and both formats soon.
    for (const auto& [fault, storage] : sample.of(7 * i, cells, [&](const FaultInFormat& cell) {
           return exists(*cell.fault, {&one, cell.storage});
         })) {
      expect_named(configs[i], *fault, storage);
      ++tried;
    }
  }
  EXPECT_GE(tried, 4 * (configs.size() / kParts));
}

/// Some pairs of a proportional rope are static, in whatever head.
TEST(CheckPublishedProportional, EveryFaultInEveryStorage) {
  if (!has_published_configs()) GTEST_SKIP() << "the folder of published configs is not beside the source";
  std::vector<CheckCase> published, ropes;
  for (const CheckCase& one : published_cases()) {
    if (!is_rope(one) || one.reference.rope->extension.method != "proportional") continue;
    published.push_back(one);
    ropes.push_back(as_committed(one));
  }
  const std::vector<CheckCell> cells = cells_of(ropes);
  Sample sample("faults × published proportional ropes and formats");
  const std::vector<Fault> faults = all_faults();
  std::size_t tried = 0;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    for (const auto& [one, storage] :
         sample.of(i, cells, [&](const CheckCell& cell) { return exists(faults[i], cell); })) {
      expect_named(published[static_cast<std::size_t>(one - ropes.data())], faults[i], storage);
      ++tried;
    }
  }
  EXPECT_GE(tried, 20U);
}

INSTANTIATE_TEST_SUITE_P(Parts, CheckPublished, testing::Range(std::size_t{0}, kParts));

}  // namespace ropescope
