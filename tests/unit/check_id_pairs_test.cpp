#include "check_dump.h"

namespace ropescope {

namespace {

LayoutRequest make_id_request(int rows, int columns, std::int64_t text, int frames = 1) {
  return {.image = ImageSize::tokens(rows, columns), .text = text, .frames = frames};
}

CheckReference make_layout_reference(const char* layout, const LayoutRequest& request) {
  return reference_from_layout(find_layout(layout), request);
}

/// As ids, and as tables.
std::vector<CheckInputs> all_inputs(const Dump& dump) {
  CheckInputs ids = ids_in(dump);
  return {ids, tables_of(dump), tables_of(dump, Storage::bfloat16)};
}

void shift_all(Dump& dump, double by) {
  for (auto& ids : dump.ids) {
    for (double& id : ids) id += by;
  }
}

}  // namespace

TEST(CheckIdPairs, AnExchangeAndAShift) {
  for (const char* layout : {"flux.1", "wan", "qwen-image"}) {
    SCOPED_TRACE(layout);
    const CheckReference reference =
        make_layout_reference(layout, make_id_request(5, 8, layout == std::string("wan") ? 0 : 6));
    Dump dump = true_dump(reference);
    for (auto& ids : dump.ids) std::swap(ids[1], ids[2]);
    shift_all(dump, 7);
    for (const CheckInputs& inputs : all_inputs(dump)) {
      const CheckReport report = check(reference, inputs);
      ASSERT_EQ(names_of(report), "axes-swapped + position-offset") << said(report.causes[0].evidence);
      CheckReport second = report;
      second.causes = {report.causes[1]};
      EXPECT_EQ(list_of(second, "offset"), (std::vector<double>{7, 7, 7}));
      for (const CheckCause& cause : report.causes) {
        EXPECT_GT(cause.residual_before, cause.residual_after);
        ASSERT_NE(cause.applied, nullptr);
      }
    }
  }
}

TEST(CheckIdPairs, AnOrderAndAFactor) {
  const CheckReference reference = make_layout_reference("flux.1", make_id_request(5, 8, 6));
  Dump dump = true_dump(reference);
  const Dump truth = dump;
  for (int i = 0; i < 40; ++i) {
    dump.ids[static_cast<std::size_t>(6 + i)] = truth.ids[static_cast<std::size_t>(6 + i % 5 * 8 + i / 5)];
  }
  for (auto& ids : dump.ids) {
    for (double& id : ids) id *= 3;
  }
  for (const CheckInputs& inputs : all_inputs(dump)) {
    const CheckReport report = check(reference, inputs);
    EXPECT_THAT(names_of(report), AnyOf("order + position-scale", "position-scale + order"))
        << said(report.causes.at(0).evidence);
  }
}

TEST(CheckIdPairs, AFactorAndAShift) {
  RotarySpec spec{.head_dim = 64, .axes = {RotaryAxis{.rotary_dim = 64, .base = 10000}}};
  std::vector<double> positions = counted_positions(200);
  for (const CheckReference& reference :
       {reference_from_rope(spec, {}, positions), make_layout_reference("flux.1", make_id_request(5, 8, 6))}) {
    Dump dump = true_dump(reference);
    for (auto& ids : dump.ids) {
      for (double& id : ids) id *= 2;
    }
    shift_all(dump, 5);
    for (const CheckInputs& inputs : all_inputs(dump)) {
      const CheckReport report = check(reference, inputs);
      ASSERT_EQ(names_of(report), "position-scale + position-offset") << said(report.causes[0].evidence);
      // An axis on which all ids are the same shows no factor.
      const bool all_axes = dump.axes() == 1;
      if (all_axes) EXPECT_EQ(number_of(report, "factor"), 2);
      if (!all_axes && list_of(report, "factor").empty()) EXPECT_EQ(number_of(report, "factor"), 2);
      if (!all_axes && !list_of(report, "factor").empty()) EXPECT_EQ(list_of(report, "factor")[2], 2);
      CheckReport second = report;
      second.causes = {report.causes[1]};
      EXPECT_EQ(list_of(second, "offset"), std::vector<double>(dump.axes(), 5));
    }
  }
}

TEST(CheckIdPairs, AllTokensInOneLine) {
  LayoutRequest request = make_id_request(5, 8, 6);
  request.text_after = 4;
  for (const char* layout : {"qwen2-vl", "qwen3-vl"}) {
    const CheckReference reference = make_layout_reference(layout, request);
    Dump dump = true_dump(reference);
    for (std::size_t row = 0; row < dump.rows(); ++row) dump.ids[row].assign(3, static_cast<double>(row));
    for (const CheckInputs& inputs : all_inputs(dump)) {
      EXPECT_TRUE(finds(check(reference, inputs), "order", {{"order", "one line"}})) << layout;
    }
  }
}

TEST(CheckIdPairs, ATextThatIsMissingFromOneAxis) {
  const CheckReference reference = make_layout_reference("qwen-image", make_id_request(6, 10, 12));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Dump dump = true_dump(reference);
    for (std::size_t row = 0; row < dump.rows(); ++row) {
      if (dump.parts[row] == "text") dump.ids[row][axis] = 0;
    }
    for (const CheckInputs& inputs : all_inputs(dump)) {
      const CheckReport report = check(reference, inputs);
      EXPECT_EQ(names_of(report), "text-start") << axis;
      const std::string left = axis == 0 ? "row, column" : axis == 1 ? "t, column" : "t, row";
      std::string names;
      for (std::size_t other = 0; other < 3; ++other) {
        if (other != axis) names += (names.empty() ? "" : ", ") + reference.tokens.axes[other].name;
      }
      EXPECT_EQ(text_of(report, "axis"), names);
    }
  }
}

TEST(CheckIdPairs, AnotherSizeWithAnyNumberOfTextTokens) {
  for (const char* layout : {"flux.1", "qwen-image", "lumina-2", "ernie-image", "flux.2"}) {
    const CheckReference reference = make_layout_reference(layout, make_id_request(12, 8, 20));
    for (const std::int64_t text : {1, 12, 77, 300}) {
      SCOPED_TRACE(std::string(layout) + " " + std::to_string(text));
      const Dump dump = true_dump(make_layout_reference(layout, make_id_request(10, 14, text)));
      for (const CheckInputs& inputs : all_inputs(dump)) {
        const CheckReport report = check(reference, inputs);
        ASSERT_EQ(names_of(report), "length");
        EXPECT_EQ(number_of(report, "text"), static_cast<double>(text));
        const int pixels = pixels_per_token(*reference.layout, reference.request);
        EXPECT_EQ(text_of(report, "size"), std::to_string(14 * pixels) + "x" + std::to_string(10 * pixels));
      }
    }
  }
}

}  // namespace ropescope
