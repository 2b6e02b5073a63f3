// Runs of rows at other positions: packed sequences, padding, slices, axes that are constant; and the report on rows
// that no cause explains.

#include "check_advice.h"
#include "check_faults.h"
#include "core/check/causes/cause.h"

namespace ropescope {
namespace {

using Positions = std::vector<double>;

Positions count_in_runs(const std::vector<std::pair<double, int>>& runs, double step = 1) {
  Positions all;
  for (const auto& [start, count] : runs) {
    for (int i = 0; i < count; ++i) all.push_back(start + step * i);
  }
  return all;
}

CheckCase text_case(const char* name = "plain") {
  CheckCase one = rope_case(name);
  one.reference = reference_from_rope(*one.reference.rope, one.reference.length);
  return one;
}

Dump dump_at_row_positions(const CheckCase& one, const Positions& positions) {
  return true_dump(reference_from_rope(*one.reference.rope, one.reference.length, positions));
}

struct Row {
  const char* kind;
  Positions positions, rows, starts;
};

const std::vector<Row>& all_rows() {
  static const std::vector<Row> rows = {
      {"slice", count_in_runs({{512, 256}, {3328, 256}}), {0, 256}, {512, 3328}},
      {"slice", count_in_runs({{0, 128}, {1920, 128}}), {0, 128}, {0, 1920}},
      {"slice", count_in_runs({{200, 200}, {0, 200}}), {0, 200}, {200, 0}},
      {"restart", count_in_runs({{0, 300}, {1, 500}}), {0, 300}, {0, 1}},
      {"right-padded", count_in_runs({{0, 400}, {1, 1}, {1, 1}, {1, 1}}), {0, 400}, {0, 1}},
      {"rows", count_in_runs({{0, 40}, {10, 200}, {30, 100}}), {0, 40, 240}, {0, 10, 30}},
  };
  return rows;
}

TEST(CheckRows, RunsOfATextFromEveryInput) {
  for (const char* name : {"plain", "yarn", "llama3", "partial"}) {
    const CheckCase one = text_case(name);
    for (const Row& row : all_rows()) {
      SCOPED_TRACE(std::string(name) + ": " + row.kind);
      const Dump dump = dump_at_row_positions(one, row.positions);
      CheckInputs vectors = vectors_in(dump, Storage::float32, 1);
      CheckInputs ids = ids_in(dump, Storage::int64);
      for (const CheckInputs& inputs : {tables_of(dump), tables_of(dump, Storage::bfloat16), vectors, ids}) {
        const CheckReport report = check(one.reference, inputs);
        EXPECT_EQ(names_of(report), "position-offset");
        EXPECT_EQ(text_of(report, "kind"), row.kind);
        EXPECT_EQ(list_of(report, "rows"), row.rows);
        EXPECT_EQ(list_of(report, "positions"), row.starts);
        if (!report.causes.empty())
          expect_fixed(one, report.causes[0], dump, [](const Dump& after) { return tables_of(after); });
      }
    }
  }
}

TEST(CheckRows, TheRunsAreSaid) {
  const CheckCase one = text_case();
  const CheckReport report = check(one.reference, tables_of(dump_at_row_positions(one, all_rows()[0].positions)));
  ASSERT_FALSE(report.causes.empty());
  EXPECT_THAT(said(report.causes[0].evidence),
              AllOf(Says("check.runs.rows", {{"first", "0"}, {"last", "255"}, {"from", "512"}, {"to", "767"}}),
                    Says("check.runs.rows", {{"first", "256"}, {"last", "511"}})));
}

TEST(CheckRows, EndsOfRunsBetweenTheRowsThatAreLookedAt) {
  const CheckCase one = text_case("llama3");
  const Positions positions = count_in_runs({{0, 7001}, {3, 5003}, {0, 9999}});
  EXPECT_TRUE(finds(check(one.reference, tables_of(dump_at_row_positions(one, positions))), "position-offset",
                    {{"rows", std::vector<double>{0, 7001, 12004}}, {"positions", std::vector<double>{0, 3, 0}}}));
  // Packed in hundreds.
  std::vector<std::pair<double, int>> packed;
  for (int i = 0; i < 160; ++i) packed.emplace_back(0, 20 + 7 * i % 31);
  const CheckReport many = check(one.reference, tables_of(dump_at_row_positions(one, count_in_runs(packed))));
  EXPECT_TRUE(finds(many, "position-offset", {{"kind", "restart"}}));
  EXPECT_EQ(list_of(many, "rows").size(), 160U);
}

TEST(CheckRows, HeadsAndBatchesTakenForTokens) {
  const CheckCase one = text_case();
  for (const int times : {2, 8, 32}) {
    Positions positions;
    for (int i = 0; i < 40 * times; ++i) positions.push_back(i / times);
    const Dump dump = dump_at_row_positions(one, positions);
    for (const Storage storage : {Storage::float32, Storage::bfloat16}) {
      const CheckReport report = check(one.reference, tables_of(dump, storage));
      EXPECT_TRUE(finds(report, "position-offset", {{"kind", "repeats"}})) << times;
      EXPECT_EQ(number_of(report, "rows"), times);
    }
  }
  // Every head turned by its own number, whichever axis comes first.
  const int tokens = 50, heads = 12;
  const Dump dump = dump_at_row_positions(one, count_in_runs({{0, heads}}));
  CheckInputs turned = vectors_in(dump, Storage::float32, tokens);
  const CheckReport report = [&] {
    CheckInputs inputs = turned;
    inputs.head_order = HeadOrder::heads_first;
    return check(one.reference, inputs);
  }();
  EXPECT_TRUE(finds(report, "position-offset", {{"kind", "heads"}}));
  EXPECT_EQ(report.verdict, Verdict::disagrees);
  turned.head_order = HeadOrder::tokens_first;
  EXPECT_EQ(names_of(check(one.reference, turned)), "agrees");
}

TEST(CheckRows, BesideAnotherMistake) {
  const CheckCase one = text_case();
  Dump dump = dump_at_row_positions(one, all_rows()[0].positions);
  dump.conjugate = true;
  const CheckReport report = check(one.reference, tables_of(dump));
  EXPECT_TRUE(names_of(report) == "sign + position-offset" || names_of(report) == "position-offset + sign")
      << names_of(report);
}

TEST(CheckRows, AxesOfOnePartThatRunOtherwise) {
  const CheckCase kontext = layout_case("flux.1-kontext");
  const auto changed = [](const CheckCase& one, const std::string& part,
                          const std::function<void(std::vector<double>&, int)>& of) {
    Dump dump = true_dump(one.reference);
    int row = 0;
    for (std::size_t i = 0; i < dump.rows(); ++i) {
      if (dump.parts[i].rfind(part, 0) == 0) of(dump.ids[i], row++);
    }
    return dump;
  };
  const auto expect = [](const CheckCase& one, const Dump& dump, const std::string& kind, const std::string& axis) {
    for (const Storage storage : {Storage::float32, Storage::bfloat16}) {
      const CheckReport report = check(one.reference, tables_of(dump, storage));
      EXPECT_TRUE(finds(report, "position-offset", {{"kind", kind}, {"axis", axis}})) << kind;
      if (!report.causes.empty())
        expect_fixed(one, report.causes[0], dump, [&](const Dump& after) { return tables_of(after, storage); });
    }
  };
  // The second image counts its tokens one by one.
  expect(kontext, changed(kontext, "reference", [](std::vector<double>& ids, int row) { ids[1] = 0, ids[2] = row; }),
         "flat", "row, column");
  const CheckCase qwen = layout_case("qwen2-vl");
  expect(qwen, changed(qwen, "image", [](std::vector<double>& ids, int) { ids[2] = ids[1]; }), "axes", "column");
}

TEST(CheckRows, WhatIsUnknownIsReadRowByRow) {
  const CheckCase one = text_case();
  // Every third row two late, in no order.
  Positions positions(60);
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<double>((i * 37 + i * i) % 61);
  const CheckReport report = check(one.reference, tables_of(dump_at_row_positions(one, positions)));
  ASSERT_EQ(names_of(report), "unknown");
  const std::string evidence = said(report.causes[0].evidence);
  EXPECT_THAT(evidence, Says("check.runs.row", {{"first", "0"}, {"from", "0"}}));
  EXPECT_THAT(evidence, Says("check.runs.row", {{"first", "1"}, {"from", "38"}}));
}

TEST(CheckRows, RightRowsAgreeAndSparseOnesToo) {
  for (const char* name : {"plain", "yarn", "llama3"}) {
    const CheckCase one = text_case(name);
    const Positions positions = count_in_runs({{0, 30}, {7, 90}, {0, 4}});
    const CheckReference at = reference_from_rope(*one.reference.rope, {}, positions);
    EXPECT_EQ(names_of(check(at, tables_of(true_dump(at)))), "agrees") << name;
  }
}

}  // namespace
}  // namespace ropescope
