// Inputs that are rejected by their shapes alone, before any number is unpacked.

#include "check_dump.h"

namespace ropescope {

namespace {

/// What require_shapes() says of inputs whose numbers nobody may look at.
std::string shapes_error(const CheckReference& reference, CheckInputs inputs) {
  for (auto* tensor :
       {&inputs.ids, &inputs.cosine, &inputs.sine, &inputs.table, &inputs.frequencies, &inputs.before, &inputs.after}) {
    if (*tensor) *tensor = declared_only(**tensor);
  }
  return refusal_of([&] { require_shapes(reference, inputs); });
}

StoredTensor declared(std::vector<std::int64_t> shape) {
  StoredTensor tensor;
  tensor.name = "x.npy";
  tensor.shape = std::move(shape);
  return declared_only(tensor);
}

}  // namespace

TEST(CheckShapes, AreJudgedWithoutNumbers) {
  const CheckCase one = layout_case("flux.1");
  for (const TableForm form : {TableForm::once, TableForm::repeated}) {
    const CheckInputs tables = tables_of(true_dump(one.reference), Storage::float32, form);
    EXPECT_EQ(shapes_error(one.reference, tables), "");
    EXPECT_EQ(shapes_error(reference_from_tables(*tables.cosine, *tables.sine), tables), "");
  }
  CheckInputs inputs;
  inputs.cosine = inputs.sine = declared({7, 33});
  EXPECT_THAT(shapes_error(one.reference, inputs),
              AllOf(HasSubstr("x.npy: "), Says("error.check.table_width", {{"width", "33"}})));
  inputs.sine = declared({7, 34});
  EXPECT_THAT(shapes_error(one.reference, inputs),
              Says("error.check.other_shape", {{"due", "[7, 33]"}, {"other", "x.npy"}}));
  EXPECT_THAT(shapes_error(one.reference, {}), Says("error.check.nothing"));
  // A rope is told by tables of any odd width.
  inputs.cosine = inputs.sine = declared({7, 33});
  EXPECT_EQ(shapes_error(reference_from_rope(RotarySpec()), inputs), "");
}

TEST(CheckShapes, NothingIsLargerThanATableCanBe) {
  const CheckReference rope = reference_from_rope(RotarySpec());
  const std::int64_t huge = std::int64_t{1} << 40;
  CheckInputs tables;
  tables.cosine = tables.sine = declared({1, huge});
  EXPECT_THAT(shapes_error(rope, tables),
              AllOf(HasSubstr("x.npy: "),
                    Says("error.check.large_row",
                         {{"shape", "[1, 1099511627776]"}, {"found", "1099511627776"}, {"most", "65536"}})));
  EXPECT_THAT(shapes_error(reference_from_tables(declared({1, huge}), declared({1, huge})), {}),
              Says("error.check.large_row", {{"found", "1099511627776"}}));
  CheckInputs vectors;
  vectors.before = vectors.after = declared({2, huge / 128, 128});
  vectors.head_order = HeadOrder::tokens_first;
  EXPECT_THAT(shapes_error(rope, vectors), Says("error.check.large_token", {{"found", "1099511627776"}}));
  CheckInputs frequencies;
  frequencies.frequencies = declared({huge});
  EXPECT_THAT(shapes_error(rope, frequencies), Says("error.check.large_frequencies", {{"found", "1099511627776"}}));
  CheckInputs ids;
  ids.ids = declared({huge});
  EXPECT_THAT(shapes_error(rope, ids), Says("error.check.large_ids", {{"found", "1099511627776"}}));
}

TEST(CheckShapes, NoFaultOfLengthGivesFarMoreTokens) {
  const std::int64_t many = std::int64_t{1} << 21;
  CheckInputs vectors;
  vectors.before = vectors.after = declared({many, 128});
  const auto two_counts =
      AllOf(HasSubstr("x.npy: "), Says("error.check.no_fault_of_length", {{"rows", "2097152"}, {"due", "16"}}));
  std::vector<double> positions(16);
  RotarySpec spec{.head_dim = 128, .axes = {RotaryAxis{.rotary_dim = 128, .base = 10000}}};
  EXPECT_THAT(shapes_error(reference_from_rope(spec, {}, positions), vectors), two_counts);
  EXPECT_EQ(shapes_error(reference_from_rope(spec), vectors), "");
  CheckInputs ids;
  ids.ids = declared({many});
  EXPECT_THAT(shapes_error(reference_from_rope(spec, {}, positions), ids), two_counts);
  const CheckCase flux = layout_case("flux.1");
  EXPECT_THAT(shapes_error(flux.reference, vectors), Says("error.check.no_fault_of_length", {{"rows", "2097152"}}));
  vectors.before = vectors.after = declared({131072, 128});
  EXPECT_EQ(shapes_error(flux.reference, vectors), "") << "a length that is a fault";
  vectors.before = vectors.after = declared({(1 << 24) + 1, 128});
  EXPECT_THAT(shapes_error(reference_from_rope(spec), vectors), Says("error.check.many_rows", {{"most", "16777216"}}));
  CheckInputs tables;
  tables.cosine = tables.sine = declared({(1 << 24) + 1, 64});
  EXPECT_THAT(shapes_error(reference_from_rope(spec), tables), Says("error.check.many_rows", {{"most", "16777216"}}));
  EXPECT_THAT(shapes_error(reference_from_tables(*tables.cosine, *tables.sine), tables),
              Says("error.check.large_axis", {{"axis", "0"}, {"most", "16777216"}}));
}

}  // namespace ropescope
