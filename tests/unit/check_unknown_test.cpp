#include "check_dump.h"

// What is said where no cause is known: which axes hold, from where on the others do not, and what to dump next.

namespace ropescope {

namespace {

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

/// Matches evidence whose first sentence is that two axes agree and one does not: `differs`, its words.
auto begins_with_axes(const char* first, const char* second, const Message& differs) {
  const Message::List agree = {verbatim(first), verbatim(second)};
  return StartsWith(said(Message("check.unknown.axes", {{"count", 2}, {"agree", agree}, {"differ", differs}})) + " ");
}

}  // namespace

TEST(CheckUnknown, SaysWhichAxesHoldAndFromWhereOnOthersDoNot) {
  const CheckCase flux = layout_case("flux.1", 8, 48);
  for (const Storage storage : {Storage::float32, Storage::bfloat16}) {
    const auto said_of = [&](std::size_t axis, const auto& where) {
      return evidence_of(unknown(flux, tables_of(warped(flux, axis, where), storage)));
    };
    EXPECT_THAT(said_of(2, [](double column) { return column >= 32; }),
                begins_with_axes("t", "row", Message("check.unknown.axis_from", {{"axis", "column"}, {"from", 32}})));
    EXPECT_THAT(said_of(2, [](double column) { return column <= 20; }),
                begins_with_axes("t", "row", Message("check.unknown.axis_up_to", {{"axis", "column"}, {"to", 20}})));
    EXPECT_THAT(said_of(2, [](double column) { return column >= 10 && column <= 20; }),
                begins_with_axes(
                    "t", "row", Message("check.unknown.axis_between", {{"axis", "column"}, {"from", 10}, {"to", 20}})));
    EXPECT_THAT(said_of(1, [](double) { return true; }),
                begins_with_axes("t", "column", Message("check.unknown.axis_everywhere", {{"axis", "row"}})));
    EXPECT_THAT(said_of(2, [](double column) { return std::fmod(column, 5) == 2; }),
                begins_with_axes("t", "row",
                                 Message("check.unknown.axis_at_some",
                                         {{"axis", "column"}, {"count", 10}, {"all", 48}, {"from", 2}})));
  }
}

TEST(CheckUnknown, ReadsIdsAndVectorsAsItReadsTables) {
  const CheckCase flux = layout_case("flux.1", 8, 48);
  const Dump dump = warped(flux, 2, [](double column) { return column >= 32; });
  const auto from_column =
      begins_with_axes("t", "row", Message("check.unknown.axis_from", {{"axis", "column"}, {"from", 32}}));
  CheckInputs ids;
  CheckInputs vectors = vectors_in(dump);
  EXPECT_THAT(evidence_of(unknown(flux, vectors)), from_column);
  put_ids(ids, dump);
  EXPECT_THAT(evidence_of(unknown(flux, ids)), from_column);
}

TEST(CheckUnknown, SaysWhatToDumpNext) {
  const CheckCase flux = layout_case("flux.1", 5, 9);
  const Dump right = true_dump(flux.reference), wrong = warped(flux, 2, [](double column) { return column > 3; });
  CheckInputs inputs = tables_of(wrong);
  EXPECT_THAT(advice_of(unknown(flux, inputs)), HasSubstr("(--ids)"));
  put_ids(inputs, right);
  EXPECT_THAT(advice_of(unknown(flux, inputs)), HasSubstr("(--frequencies)"));
  put_frequencies(inputs, right);
  EXPECT_THAT(advice_of(unknown(flux, inputs)), Says("check.unknown.next_angles"));
  put_ids(inputs, wrong);
  EXPECT_THAT(advice_of(unknown(flux, inputs)), Says("check.unknown.next_rule"));
  CheckInputs vectors = vectors_in(wrong);
  EXPECT_THAT(advice_of(unknown(flux, vectors)), HasSubstr("(--cos, --sin)"));
  CheckInputs both = tables_of(right);
  put_vectors(both, wrong);
  EXPECT_THAT(advice_of(unknown(flux, both)), Says("check.unknown.next_vectors"));
}

/// Tokens that show something are counted alike whether their sines are computed or known to be large.
TEST(CheckUnknown, EvidenceOfALongTextIsCounted) {
  RotarySpec spec{.head_dim = 32, .axes = {RotaryAxis{.rotary_dim = 32, .base = 10000}}};
  constexpr int kRows = 9000;
  std::vector<double> positions = counted_positions(kRows);
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
