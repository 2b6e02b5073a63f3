// Shapes are decided only after equality is considered: what several items of a tensor have in common.

#include "check_faults.h"

namespace ropescope {
namespace {

/// The tensor several times, along an axis more.
StoredTensor repeated(const StoredTensor& tensor, std::int64_t times, std::vector<std::int64_t> shape) {
  std::vector<double> all;
  const std::vector<double> one = numbers_of(tensor);
  for (std::int64_t i = 0; i < times; ++i) all.insert(all.end(), one.begin(), one.end());
  return store_values(tensor.name, std::move(shape), all, tensor.storage);
}

TEST(CheckEqualShapes, ADecodingStepOfABatch) {
  const RotarySpec spec = *rope_case("plain").reference.rope;
  const CheckReference at = reference_from_rope(spec, {}, std::vector<double>{4000});
  const CheckInputs one = tables_of(true_dump(at));
  for (const std::int64_t items : {2, 3, 16}) {
    CheckInputs batch;
    batch.cosine = repeated(*one.cosine, items, {items, 1, 64});
    batch.sine = repeated(*one.sine, items, {items, 1, 64});
    EXPECT_EQ(names_of(check(at, batch)), "agrees") << items;
    batch.cosine->shape = batch.sine->shape = {items, 1, 1, 64};
    batch.cosine->strides = batch.sine->strides = {64, 64, 64, 1};
    EXPECT_EQ(names_of(check(at, batch)), "agrees") << items << " with heads";
  }
  // Several tokens are no batch.
  const CheckInputs two = tables_of(true_dump(reference_from_rope(spec, {}, std::vector<double>{4000, 4001})));
  CheckInputs tokens = two;
  tokens.cosine->shape = tokens.sine->shape = {2, 1, 64};
  tokens.cosine->strides = tokens.sine->strides = {64, 64, 1};
  EXPECT_EQ(check(at, tokens).verdict, Verdict::disagrees);
}

/// Angles, each once or doubled, of texts, images and towers, with a batch or without.
TEST(CheckEqualShapes, AnglesOfLayouts) {
  for (const char* name : {"qwen-vision", "flux.1", "wan", "pixtral", "qwen2-vl", "vit-axial", "moonvit"}) {
    const CheckCase one = layout_case(name, 8, 12);
    const Dump dump = true_dump(one.reference);
    for (const bool doubled : {false, true}) {
      for (const bool batch : {false, true}) {
        SCOPED_TRACE(std::string(name) + (doubled ? ", doubled" : "") + (batch ? ", a batch" : ""));
        std::vector<double> angles;
        for (std::size_t row = 0; row < dump.rows(); ++row) {
          for (int time = 0; time < (doubled ? 2 : 1); ++time) {
            for (std::size_t pair = 0; pair < dump.pairs(); ++pair) angles.push_back(dump.angle(row, pair));
          }
        }
        const auto rows = static_cast<std::int64_t>(dump.rows());
        const auto width = static_cast<std::int64_t>(angles.size()) / rows;
        CheckInputs inputs;
        inputs.table = store_values("table", {rows, width}, angles, Storage::float32);
        if (batch) inputs.table = repeated(*inputs.table, 2, {2, rows, width});
        EXPECT_EQ(names_of(check(one.reference, inputs)), "agrees");
      }
    }
  }
}

/// cos and sin side by side in a batch: [items, tokens, 2·pairs].
TEST(CheckEqualShapes, ATableOfABatch) {
  const CheckReference rope = rope_case("plain").reference;
  const CheckInputs once = tables_of(true_dump(rope));
  const std::vector<double> cosine = numbers_of(*once.cosine), sine = numbers_of(*once.sine);
  std::vector<double> packed;
  for (std::size_t row = 0; row < 64; ++row) {
    const auto add = [&](const std::vector<double>& from) {
      const auto begin = from.begin() + static_cast<std::ptrdiff_t>(64 * row);
      packed.insert(packed.end(), begin, begin + 64);
    };
    add(cosine), add(sine);
  }
  CheckInputs inputs;
  inputs.table = repeated(store_values("table", {64, 128}, packed, Storage::float32), 3, {3, 64, 128});
  EXPECT_EQ(names_of(check(rope, inputs)), "agrees");
  // GPT-J and RoFormer keep sin before cos: for their models alone that is right.
  std::vector<double> turned;
  for (std::size_t row = 0; row < 64; ++row) {
    for (std::size_t i = 0; i < 128; ++i) turned.push_back(packed[128 * row + (i + 64) % 128]);
  }
  inputs.table = store_values("table", {64, 128}, turned, Storage::float32);
  EXPECT_EQ(names_of(check(rope, inputs)), "cos-sin-exchanged");
  CheckReference sines_first = rope;
  sines_first.sines_first = true;
  EXPECT_EQ(names_of(check(sines_first, inputs)), "agrees");
}

/// As wide as there are pairs, and each column twice.
TEST(CheckEqualShapes, HalfOfTheDimensionTwice) {
  const CheckReference rope = rope_case("plain").reference;
  RotarySpec half = *rope.rope;
  half.head_dim = half.axes[0].rotary_dim = 64;
  for (const Pairing pairing : {Pairing::half_split, Pairing::interleaved}) {
    half.pairing = pairing;
    const CheckInputs inputs =
        tables_of(true_dump(reference_from_rope(half, {}, rope.positions)), Storage::float32, TableForm::repeated);
    EXPECT_TRUE(finds(check(rope, inputs), "rotary-dimension", {{"rotary_dimension", 64}}));
  }
}

/// ggml's ids of M-RoPE, (t, row, column, 0) in four lines or in one, and transformers' (text, t, row, column).
TEST(CheckEqualShapes, FourLinesOfIds) {
  for (const char* name : {"qwen2-vl", "qwen3-vl", "glm-4v"}) {
    const CheckCase one = layout_case(name);
    const Dump dump = true_dump(one.reference);
    const auto rows = static_cast<std::int64_t>(dump.rows());
    for (const bool ggml : {true, false}) {
      std::vector<double> ids;
      if (!ggml) {
        for (std::int64_t row = 0; row < rows; ++row) ids.push_back(static_cast<double>(row));
      }
      for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::size_t row = 0; row < dump.rows(); ++row) ids.push_back(dump.ids[row][axis]);
      }
      ids.resize(static_cast<std::size_t>(4 * rows), 0);
      CheckInputs inputs;
      inputs.ids = store_values("ids", {4, rows}, ids, Storage::int32);
      EXPECT_EQ(names_of(check(one.reference, inputs)), "agrees") << name << ggml;
      inputs.ids = store_values("ids", {4 * rows}, ids, Storage::int32);
      if (ggml) EXPECT_EQ(names_of(check(one.reference, inputs)), "agrees") << name << ", one line";
    }
  }
}

/// What one rank of several has of the rows.
TEST(CheckEqualShapes, SlicesOfRanks) {
  LayoutRequest request{.image = ImageSize::tokens(8, 16)};
  const CheckCase one = {"raster", reference_from_layout(find_layout("raster"), request)};
  const Dump whole = true_dump(one.reference);
  for (const std::size_t rank : {1, 2}) {
    Dump slice = whole;
    slice.ids.assign(whole.ids.begin() + static_cast<std::ptrdiff_t>(32 * rank),
                     whole.ids.begin() + static_cast<std::ptrdiff_t>(32 * (rank + 1)));
    slice.parts.resize(32);
    const CheckReport report = check(one.reference, tables_of(slice));
    EXPECT_EQ(names_of(report), "length");
    EXPECT_THAT(said(report.causes.at(0).evidence),
                Says("check.length.evidence_slice", {{"first", std::to_string(32 * rank)}}));
  }
}

}  // namespace
}  // namespace ropescope
