// What shapes alone refuse, before any number is unpacked.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check_dump.h"
#include "core/words.h"

namespace ropescope {

namespace {

using testing::HasSubstr;

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
  EXPECT_THAT(shapes_error(one.reference, inputs), HasSubstr("x.npy: a row has 33 numbers"));
  inputs.sine = declared({7, 34});
  EXPECT_THAT(shapes_error(one.reference, inputs), HasSubstr("[7, 33] as in x.npy was expected"));
  EXPECT_THAT(shapes_error(one.reference, {}), HasSubstr("nothing to check"));
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
              HasSubstr("x.npy: the shape is [1, 1099511627776], a row of 1099511627776 numbers; at most 65536"));
  EXPECT_THAT(shapes_error(reference_from_tables(declared({1, huge}), declared({1, huge})), {}), HasSubstr("at most"));
  CheckInputs vectors;
  vectors.before = vectors.after = declared({2, huge / 128, 128});
  vectors.head_order = HeadOrder::tokens_first;
  EXPECT_THAT(shapes_error(rope, vectors), HasSubstr("a token of 1099511627776 numbers"));
  CheckInputs frequencies;
  frequencies.frequencies = declared({huge});
  EXPECT_THAT(shapes_error(rope, frequencies), HasSubstr("frequencies of 1099511627776 numbers"));
  CheckInputs ids;
  ids.ids = declared({huge});
  EXPECT_THAT(shapes_error(rope, ids), HasSubstr("ids of 1099511627776 numbers"));
}

TEST(CheckShapes, NoFaultOfLengthGivesFarMoreTokens) {
  const std::int64_t many = std::int64_t{1} << 21;
  CheckInputs vectors;
  vectors.before = vectors.after = declared({many, 128});
  const auto two_counts = HasSubstr("x.npy: there are 2097152 tokens; 16 were expected");
  std::vector<double> positions(16);
  RotarySpec spec;
  spec.head_dim = 128;
  spec.axes = {RotaryAxis{.rotary_dim = 128, .base = 10000}};
  EXPECT_THAT(shapes_error(reference_from_rope(spec, {}, positions), vectors), two_counts);
  EXPECT_EQ(shapes_error(reference_from_rope(spec), vectors), "");
  CheckInputs ids;
  ids.ids = declared({many});
  EXPECT_THAT(shapes_error(reference_from_rope(spec, {}, positions), ids), two_counts);
  const CheckCase flux = layout_case("flux.1");
  EXPECT_THAT(shapes_error(flux.reference, vectors), HasSubstr("there are 2097152 tokens; "));
  vectors.before = vectors.after = declared({131072, 128});
  EXPECT_EQ(shapes_error(flux.reference, vectors), "") << "a length that is a fault";
  vectors.before = vectors.after = declared({(1 << 24) + 1, 128});
  EXPECT_THAT(shapes_error(reference_from_rope(spec), vectors), HasSubstr("at most 16777216 were expected"));
  CheckInputs tables;
  tables.cosine = tables.sine = declared({(1 << 24) + 1, 64});
  EXPECT_THAT(shapes_error(reference_from_rope(spec), tables), HasSubstr("at most 16777216 were expected"));
  EXPECT_THAT(shapes_error(reference_from_tables(*tables.cosine, *tables.sine), tables), HasSubstr("at most 16777216"));
}

}  // namespace ropescope
