#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "check_dump.h"

// What is said where no cause is known: which axes hold, from where on the others do not, and what to dump next.

namespace ropescope {

namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// FLUX.1's dump whose ids of an axis are others where `where` says so.
template <class Where>
Dump warped(const CheckCase& one, std::size_t axis, const Where& where) {
  Dump dump = true_dump(one.reference);
  for (auto& ids : dump.ids) {
    if (where(ids[axis])) ids[axis] += 0.4 + 0.3 * std::sin(3 * ids[axis]);
  }
  return dump;
}

CheckReport unknown(const CheckCase& one, const CheckInputs& inputs) {
  CheckOptions options;
  options.most_effort = 1;  // what is looked for is of no matter here
  const CheckReport report = check(one.reference, inputs, options);
  EXPECT_EQ(names_of(report), "unknown");
  return report;
}

std::string evidence_of(const CheckReport& report) {
  return said(report.causes.at(0).evidence);
}
std::string advice_of(const CheckReport& report) {
  return said(report.causes.at(0).advice);
}

}  // namespace

TEST(CheckUnknown, SaysWhichAxesHoldAndFromWhereOnOthersDoNot) {
  const CheckCase flux = layout_case("flux.1", 8, 48);
  for (const Storage storage : {Storage::float32, Storage::bfloat16}) {
    const auto said_of = [&](std::size_t axis, const auto& where) {
      return evidence_of(unknown(flux, tables_of(warped(flux, axis, where), storage)));
    };
    EXPECT_THAT(said_of(2, [](double column) { return column >= 32; }),
                StartsWith("t, row agree in all rows; column does not, from column 32 on. "));
    EXPECT_THAT(said_of(2, [](double column) { return column <= 20; }),
                StartsWith("t, row agree in all rows; column does not, up to column 20. "));
    EXPECT_THAT(said_of(2, [](double column) { return column >= 10 && column <= 20; }),
                StartsWith("t, row agree in all rows; column does not, from column 10 to 20. "));
    EXPECT_THAT(said_of(1, [](double) { return true; }), StartsWith("t, column agree in all rows; row does not. "));
    EXPECT_THAT(said_of(2, [](double column) { return std::fmod(column, 5) == 2; }),
                StartsWith("t, row agree in all rows; column does not, at 10 of its 48 ids, the first of them 2. "));
  }
}

TEST(CheckUnknown, ReadsIdsAndVectorsAsItReadsTables) {
  const CheckCase flux = layout_case("flux.1", 8, 48);
  const Dump dump = warped(flux, 2, [](double column) { return column >= 32; });
  CheckInputs vectors, ids;
  put_vectors(vectors, dump);
  EXPECT_THAT(evidence_of(unknown(flux, vectors)), StartsWith("t, row agree in all rows; column does not, from"));
  put_ids(ids, dump);
  EXPECT_THAT(evidence_of(unknown(flux, ids)), StartsWith("t, row agree in all rows; column does not, from"));
}

TEST(CheckUnknown, SaysWhatToDumpNext) {
  const CheckCase flux = layout_case("flux.1", 5, 9);
  const Dump right = true_dump(flux.reference), wrong = warped(flux, 2, [](double column) { return column > 3; });
  CheckInputs inputs = tables_of(wrong);
  EXPECT_THAT(advice_of(unknown(flux, inputs)), HasSubstr("(--ids)"));
  put_ids(inputs, right);
  EXPECT_THAT(advice_of(unknown(flux, inputs)), HasSubstr("(--frequencies)"));
  put_frequencies(inputs, right);
  EXPECT_THAT(advice_of(unknown(flux, inputs)), HasSubstr("Dump the angles next"));
  put_ids(inputs, wrong);
  EXPECT_THAT(advice_of(unknown(flux, inputs)), HasSubstr("The ids are wrong before anything"));
  CheckInputs vectors;
  put_vectors(vectors, wrong);
  EXPECT_THAT(advice_of(unknown(flux, vectors)), HasSubstr("(--cos, --sin)"));
  CheckInputs both = tables_of(right);
  put_vectors(both, wrong);
  EXPECT_THAT(advice_of(unknown(flux, both)), HasSubstr("The tables are right"));
}

/// Tokens that show something are counted alike whether their sines are computed or known to be large.
TEST(CheckUnknown, EvidenceOfALongTextIsCounted) {
  RotarySpec spec;
  spec.head_dim = 32;
  spec.axes = {RotaryAxis{.rotary_dim = 32, .base = 10000}};
  constexpr int kRows = 9000;
  std::vector<double> positions(kRows);
  std::iota(positions.begin(), positions.end(), 0);
  for (const double hole : {100.0, 5000.0, 8999.0}) positions[static_cast<std::size_t>(hole)] = 0;
  const CheckReference reference = reference_from_rope(spec, {}, positions);
  const CheckReport report = check(reference, tables_of(true_dump(reference)));
  EXPECT_EQ(names_of(report), "agrees");
  EXPECT_EQ(report.evidence.tokens, kRows - 4);
  EXPECT_EQ(report.evidence.pairs, 16);
  ASSERT_EQ(report.reach.size(), 1u);
  EXPECT_EQ(report.reach[0].smallest, 1);
  EXPECT_EQ(report.reach[0].largest, kRows - 2);
}

}  // namespace ropescope
