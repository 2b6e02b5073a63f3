#include <gtest/gtest.h>

#include "check_faults.h"

namespace ropescope {

namespace {

const Fault& fault_of(const std::vector<Fault>& faults, const std::string& cause, const std::string& variant) {
  for (const Fault& fault : faults) {
    if (fault.cause == cause && (variant.empty() || fault.variant == variant)) return fault;
  }
  throw std::invalid_argument("no fault " + cause);
}

/// Two faults of different groups on one dump: both must be named, in either order.
void expect_both(const CheckCase& one, const Fault& first, const Fault& second) {
  SCOPED_TRACE(one.name + ": " + first.cause + " and " + second.cause);
  const Dump truth = true_dump(one.reference);
  Dump faulty = truth, only_first = truth, only_second = truth;
  // Channels and frequencies are computed before ids and formats.
  if (!second.commit(one, faulty) || !first.commit(one, faulty)) return;
  first.commit(one, only_first);
  second.commit(one, only_second);
  const bool repeated = first.form == TableForm::repeated || second.form == TableForm::repeated;
  const auto seen = [&](const Fault& fault, const Dump& dump) {
    return fault.form == TableForm::repeated || is_visible(truth, dump, Storage::float32);
  };
  if (!seen(first, only_first) || !seen(second, only_second)) return;
  const CheckReport report =
      check(one.reference, tables_of(faulty, Storage::float32, repeated ? TableForm::repeated : TableForm::once));
  ASSERT_EQ(report.causes.size(), 2U) << names_of(report);
  const std::string names = names_of(report), a = first.expected(one), b = second.expected(one);
  EXPECT_TRUE(names == a + " + " + b || names == b + " + " + a) << names;
  EXPECT_EQ(report.verdict, Verdict::disagrees);
}

}  // namespace

TEST(CheckPairs, TwoCausesOfDifferentGroups) {
  const std::vector<Fault> all = all_faults();
  const std::vector<Fault> ids = {fault_of(all, "axes-swapped", "columns"), fault_of(all, "order", "column-major"),
                                  fault_of(all, "centring", "half"),        fault_of(all, "text-start", ""),
                                  fault_of(all, "position-offset", "2"),    fault_of(all, "length", "shorter")};
  const std::vector<Fault> frequencies = {fault_of(all, "base", "x2.50"),
                                          fault_of(all, "frequency-ladder", "inclusive"),
                                          fault_of(all, "rotary-dimension", "")};
  const std::vector<Fault> channels = {fault_of(all, "pairing", "")};
  const std::vector<Fault> values = {fault_of(all, "amplitude", "1.3"), fault_of(all, "sign", ""),
                                     fault_of(all, "frequency-format", "bfloat16"),
                                     fault_of(all, "table-format", "bfloat16")};
  const std::vector<const std::vector<Fault>*> groups = {&ids, &frequencies, &channels, &values};
  for (const char* name : {"flux.1", "qwen-image"}) {
    const CheckCase one = layout_case(name);
    for (std::size_t a = 0; a < groups.size(); ++a) {
      for (std::size_t b = a + 1; b < groups.size(); ++b) {
        for (const Fault& first : *groups[a]) {
          for (const Fault& second : *groups[b]) expect_both(one, first, second);
        }
      }
    }
  }
}

}  // namespace ropescope
