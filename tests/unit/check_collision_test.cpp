#include "check_dump.h"

namespace ropescope {

namespace {

CheckReference make_colliding_rope(int tokens) {
  RotarySpec spec{
      .head_dim = 64, .pairing = Pairing::half_split, .axes = {RotaryAxis{.rotary_dim = 64, .base = 10000}}};
  std::vector<double> positions = counted_positions(tokens);
  return reference_from_rope(spec, {}, positions);
}

CheckReference image(const char* layout, int rows, int columns, int text, int frames = 1) {
  LayoutRequest request{.image = ImageSize::tokens(rows, columns), .text = text, .frames = frames};
  return reference_from_layout(find_layout(layout), request);
}

CheckInputs store_ids_only(const Dump& dump) {
  return ids_in(dump);
}

/// Ids and tables tell the same two rows.
void expect_shared(const CheckReference& reference, const Dump& dump, double first, double second) {
  for (const CheckInputs& inputs : {store_ids_only(dump), tables_of(dump), tables_of(dump, Storage::bfloat16)}) {
    const CheckReport report = check(reference, inputs);
    ASSERT_EQ(names_of(report), "collision") << said(report.causes[0].evidence);
    EXPECT_THAT(list_of(report, "rows"), ElementsAre(first, second));
    EXPECT_EQ(report.verdict, Verdict::disagrees);
    EXPECT_EQ(report.causes[0].confidence, 1);
  }
}

}  // namespace

TEST(CheckCollision, TwoTokensOfMany) {
  struct Case {
    CheckReference reference;
    std::size_t row;
  };
  for (const Case& one : {Case{image("flux.1", 9, 12, 5), 77}, Case{image("flux.1", 64, 64, 512), 512 + 17 * 64 + 9},
                          Case{image("wan", 20, 36, 0, 11), 5003}, Case{image("qwen-image", 57, 103, 20), 4500}}) {
    SCOPED_TRACE(one.reference.layout->name);
    Dump dump = true_dump(one.reference);
    dump.ids[one.row] = dump.ids[one.row - 1];
    expect_shared(one.reference, dump, static_cast<double>(one.row - 1), static_cast<double>(one.row));
  }
}

TEST(CheckCollision, TwoColumnsBecomeOne) {
  const CheckReference wide = image("flux.1", 64, 72, 7);
  Dump columns = true_dump(wide);
  for (auto& ids : columns.ids) ids[2] = std::min(ids[2], 70.0);
  expect_shared(wide, columns, 7 + 70, 7 + 71);
}

TEST(CheckCollision, OneOfManyRowsThatIsNoneOfTheOthersIsNot) {
  const CheckReference reference = make_colliding_rope(5000);
  Dump dump = true_dump(reference);
  dump.ids[3333][0] = 0.37;
  EXPECT_EQ(names_of(check(reference, tables_of(dump))), "unknown");
}

TEST(CheckCollision, InVectorsToo) {
  const CheckReference reference = image("flux.1", 64, 70, 7);
  Dump dump = true_dump(reference);
  dump.ids[3333] = dump.ids[3332];
  CheckInputs inputs = vectors_in(dump);
  EXPECT_THAT(said(check(reference, inputs).causes[0].evidence),
              Says("check.collision.evidence_part", {{"first", "3 332"}, {"second", "3 333"}, {"part", "image"}}));
}

}  // namespace ropescope
