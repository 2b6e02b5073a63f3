// Advice that once failed to fix its mistake: each mistake, its advice, and that following it fixes the mistake.

#include "check_advice.h"

#include "check_faults.h"

namespace ropescope {
namespace {

constexpr Storage kStorages[] = {Storage::float32, Storage::bfloat16};

/// The first cause of a dump, which its advice mends.
CheckCause mended(const CheckCase& one, const Dump& dump, const std::string& name, Storage storage = Storage::float32) {
  SCOPED_TRACE(one.name + ": " + name + ", " + std::string(storage_name(storage)));
  const CheckReport report = check(one.reference, tables_of(dump, storage));
  EXPECT_EQ(names_of(report), name);
  if (report.causes.empty()) return {};
  expect_fixed(one, report.causes[0], dump, [&](const Dump& after) { return tables_of(after, storage); });
  return report.causes[0];
}

TEST(CheckAdvice, EveryAdviceIsFollowed) {
  // What is done to tensors the tests of these tensors do; an unknown cause has no advice to follow.
  std::set<std::string> known = {"check.table-transposed.advice",
                                 "check.pairing.advice_first_half",
                                 "check.pairing.advice_every_second",
                                 "check.length.advice_pairs",
                                 "check.profile.advice",
                                 "check.rotary-dimension.advice_part",
                                 "check.sign.advice_back",
                                 "check.vector-scale.advice_norm",
                                 "check.vector-scale.advice_token",
                                 "check.vector-scale.advice_position",
                                 "check.position-offset.advice_heads",
                                 "check.position-offset.advice_transposed",
                                 "check.head-order.advice",
                                 "check.head-order.advice_tiled",
                                 "check.weight-permutation.advice",
                                 "check.weight-permutation.advice_converted",
                                 "check.unknown.advice_rest"};
  for (const std::string& key : followed_advice()) known.insert(key);
  const Text text = Text::load(source_folder() + "/assets");
  for (const auto& [key, words] : text.all()) {
    const bool advice = key.starts_with("check.") && key.find(".advice") != std::string::npos;
    EXPECT_EQ(known.count(key), advice ? 1U : 0U) << key;
  }
}

TEST(CheckAdvice, TextsRunWhereThoseOfTheModelDo) {
  // FLUX.1's text stands still, on whatever axes a port lets it run.
  const CheckCase flux = layout_case("flux.1");
  for (const std::vector<std::size_t>& axes : {std::vector<std::size_t>{0}, {1}, {1, 2}, {0, 1, 2}}) {
    Dump dump = true_dump(flux.reference);
    for (std::size_t row = 0; row < dump.rows(); ++row) {
      for (const std::size_t axis : axes) dump.ids[row][axis] += dump.parts[row] == "text" ? row : 0;
    }
    for (const Storage storage : kStorages) {
      const Message advice = mended(flux, dump, "text-start", storage).advice;
      EXPECT_EQ(advice.key, "check.text-start.advice_still");
      EXPECT_THAT(said(advice), Says("check.text-start.advice_still",
                                     {{"text", english_text()["check.text-start.text"]}, {"due", "0"}}));
    }
  }
  // Of Qwen2-VL both texts are said, each with its own start.
  const CheckCase qwen = layout_case("qwen2-vl");
  Dump dump = true_dump(qwen.reference);
  for (std::size_t row = 0; row < dump.rows(); ++row) {
    for (double& id : dump.ids[row]) id += dump.parts[row] == "text" ? 5 : 0;
  }
  EXPECT_THAT(said(mended(qwen, dump, "text-start").advice), Says("check.text-start.text_after_reference"));
}

TEST(CheckAdvice, AGridFromZeroIsNotCentred) {
  for (const auto& [rows, columns] : {std::pair(5, 7), std::pair(6, 8), std::pair(21, 33)}) {
    const CheckCase one = layout_case("qwen-image", rows, columns);
    const auto shifted = [&](double by_rows, double by_columns) {
      Dump dump = true_dump(one.reference);
      for (std::size_t row = 0; row < dump.rows(); ++row) {
        if (dump.parts[row] == "image") dump.ids[row][1] += by_rows, dump.ids[row][2] += by_columns;
      }
      return dump;
    };
    const CheckCause none = mended(one, shifted((rows + 1) / 2, (columns + 1) / 2), "centring");
    EXPECT_THAT(said(none.evidence), Says("check.centring.evidence_from_zero", {{"start", "(0, 0, 0)"}}));
    EXPECT_THAT(said(none.evidence), Not(Says("check.centring.evidence_rounded")));
    if (rows % 2 == 0) continue;
    EXPECT_THAT(said(mended(one, shifted(1, 1), "centring").evidence), Says("check.centring.evidence_rounded"));
  }
}

TEST(CheckAdvice, ReferencesAreCentredWithTheImageOrAreRight) {
  const CheckCase one = layout_case("qwen-image", 7, 9);
  const auto shifted = [&](const std::vector<double>& image, const std::vector<double>& reference) {
    Dump dump = true_dump(one.reference);
    for (std::size_t row = 0; row < dump.rows(); ++row) {
      const std::string& part = dump.parts[row];
      for (std::size_t axis = 0; part != "text" && axis < 3; ++axis)
        dump.ids[row][axis] += (part == "image" ? image : reference)[axis];
    }
    return dump;
  };
  // The reference has 3 × 4 tokens.
  for (const std::vector<double>& of_reference : {std::vector<double>{0, 2, 2}, {0, 1, 0}}) {
    const CheckCause both = mended(one, shifted({0, 4, 5}, of_reference), "centring");
    ASSERT_EQ(both.parameters.size(), 4U);
    std::vector<double> offsets = {0, 4, 5};
    offsets.insert(offsets.end(), of_reference.begin(), of_reference.end());
    EXPECT_EQ(both.parameters[1], (CheckParameter{"offsets", offsets}));
    EXPECT_EQ(said(std::get<Message>(both.parameters[2].value)), "image, reference1");
    EXPECT_EQ(said(std::get<Message>(both.parameters[3].value)), "t, row, column");
    EXPECT_THAT(said(both.evidence), Says("check.centring.evidence_others"));
    EXPECT_THAT(said(both.advice),
                Says("check.centring.advice_part", {{"part", "reference1"}, {"due", "(1, −2, −2)"}}));
  }
  const CheckCause image = mended(one, shifted({0, 4, 5}, {0, 0, 0}), "centring");
  EXPECT_EQ(image.parameters.size(), 1U);
  EXPECT_THAT(said(image.advice), Says("check.centring.advice_kept", {{"parts", "reference1"}}));
  EXPECT_THAT(said(image.advice), Not(Says("check.centring.advice_part", {{"part", "reference1"}})));
}

TEST(CheckAdvice, CoordinatesOfAnotherRangeBecomeThoseOfTheModel) {
  const CheckCase one = layout_case("dinov3", 5, 7);
  for (const double factor : {0.5, 3.0}) {
    Dump dump = true_dump(one.reference);
    for (auto& ids : dump.ids) {
      for (double& id : ids) id *= factor;
    }
    EXPECT_EQ(mended(one, dump, "position-scale").advice.key, "check.position-scale.advice_present") << factor;
  }
  Dump from_zero = true_dump(one.reference), unscaled = from_zero;
  for (auto& ids : from_zero.ids) {
    for (double& id : ids) id = (id + 1) / 2;
  }
  EXPECT_EQ(mended(one, from_zero, "centring").advice.key, "check.centring.advice_not_stretched");
  unscaled.id_scale = {1, 1};
  EXPECT_EQ(mended(one, unscaled, "position-scale").advice.key, "check.position-scale.advice_own");
}

TEST(CheckAdvice, RowsInSuccessionThatAreShiftedAlikeAreNamed) {
  struct Rows {
    const char* layout;
    int frames;
    std::size_t first, last;  ///< of the image
    std::vector<double> by;
  };
  // A column from a token on, and from a frame on, most of the rows; one token; a row, onto ids of other tokens.
  for (const auto& [layout, frames, first, last, by] : {Rows{"flux.1", 1, 30, 62, {0, 0, 1}},
                                                        {"wan", 3, 63, 188, {0, 0, 1}},
                                                        {"flux.1", 1, 10, 10, {0, 7, 9}},
                                                        {"wan", 3, 20, 40, {0, 1, 0}}}) {
    const CheckCase one{
        layout, reference_from_layout(find_layout(layout), {.image = ImageSize::tokens(7, 9), .frames = frames})};
    Dump dump = true_dump(one.reference);
    for (std::size_t row = first; row <= last; ++row) {
      for (std::size_t axis = 0; axis < 3; ++axis) dump.ids[row][axis] += by[axis];
    }
    const std::vector<double> rows = {static_cast<double>(first), static_cast<double>(last)};
    for (const Storage storage : kStorages) {
      const CheckCause cause = mended(one, dump, "position-offset", storage);
      ASSERT_EQ(cause.parameters.size(), 5U);
      EXPECT_EQ(said(std::get<Message>(cause.parameters[0].value)), "shifted");
      EXPECT_EQ(cause.parameters[1], (CheckParameter{"rows", rows}));
      EXPECT_EQ(cause.parameters[2], (CheckParameter{"offset", by}));
      EXPECT_EQ(cause.parameters[3].name, "part");
      EXPECT_EQ(said(std::get<Message>(cause.parameters[3].value)), dump.parts[first]);
      EXPECT_EQ(cause.parameters[4].name, "axis");
    }
  }
}

TEST(CheckAdvice, LatentsThatWereNotPacked) {
  for (const char* name : {"flux.1", "qwen-image", "wan", "z-image"}) {
    const CheckCase one = layout_case(name);
    const CheckCause cause = mended(one, true_dump(layout_case(name, 10, 14).reference), "length");
    EXPECT_THAT(said(cause.evidence), Says("check.length.evidence_unpacked")) << name;
    EXPECT_EQ(cause.advice.key, "check.length.advice_unpacked") << name;
    EXPECT_THAT(said(cause.advice), Says("check.length.advice_unpacked", {{"patch", "2"}})) << name;
    const CheckCause other = mended(one, true_dump(layout_case(name, 10, 13).reference), "length");
    EXPECT_THAT(said(other.advice), Says("check.length.advice_size")) << name;
  }
  // LTX packs nothing.
  const CheckCase ltx = layout_case("ltx-video");
  const CheckCause cause = mended(ltx, true_dump(layout_case("ltx-video", 10, 14).reference), "length");
  EXPECT_THAT(said(cause.advice), Says("check.length.advice_size"));
}

TEST(CheckAdvice, ATableTwiceIsABatch) {
  for (const char* name : {"flux.1", "qwen-image", "wan", "qwen2-vl", "raster"}) {
    const CheckCase one = layout_case(name);
    const Dump truth = true_dump(one.reference);
    for (const int times : {2, 3}) {
      Dump dump = truth;
      for (int i = 1; i < times; ++i) {
        dump.ids.insert(dump.ids.end(), truth.ids.begin(), truth.ids.end());
        dump.parts.insert(dump.parts.end(), truth.parts.begin(), truth.parts.end());
      }
      for (const Storage storage : kStorages) {
        const CheckCause cause = mended(one, dump, "length", storage);
        EXPECT_THAT(said(cause.evidence), Says("check.length.evidence_repeated")) << name;
      }
      CheckInputs ids = ids_in(dump);
      EXPECT_THAT(said(check(one.reference, ids).causes.at(0).evidence), Says("check.length.evidence_repeated"))
          << name;
      if (times > 2) continue;
      // Two dumps, no model: what the one holds stands in the other twice.
      const CheckInputs right = tables_of(truth);
      const CheckReport report = check(reference_from_tables(*right.cosine, *right.sine), tables_of(dump));
      EXPECT_EQ(names_of(report), "length") << name;
      EXPECT_THAT(said(report.causes.at(0).evidence), Says("check.length.evidence_repeated")) << name;
    }
  }
}

TEST(CheckAdvice, ABatchHasNoThousandItems) {
  const CheckCase one = rope_case("plain");
  const CheckReference at = reference_from_rope(*one.reference.rope, {}, std::vector<double>{5, 6});
  const Dump truth = true_dump(at);
  for (const int times : {64, 65, 3000}) {
    Dump dump = truth;
    for (int i = 1; i < times; ++i) {
      dump.ids.insert(dump.ids.end(), truth.ids.begin(), truth.ids.end());
      dump.parts.insert(dump.parts.end(), truth.parts.begin(), truth.parts.end());
    }
    const CheckReport report = check(at, tables_of(dump));
    EXPECT_EQ(names_of(report), "length") << times;
    const auto says_batch = testing::Matches(Says("check.length.evidence_repeated"));
    EXPECT_EQ(says_batch(said(report.causes.at(0).evidence)), times <= 64) << times;
  }
}

TEST(CheckAdvice, RowsThatStopOrBeginAgain) {
  const CheckCase one = layout_case("flux.1", 12, 16);
  for (const std::size_t axis : {1, 2}) {
    for (const bool stops : {true, false}) {
      Dump dump = true_dump(one.reference);
      for (auto& ids : dump.ids) ids[axis] = stops ? std::min(ids[axis], 8.0) : std::fmod(ids[axis], 9);
      const CheckCause cause = mended(one, dump, "collision");
      EXPECT_THAT(said(cause.evidence), Says("check.collision.evidence_part", {{"part", "image"}})) << axis;
      EXPECT_THAT(said(cause.evidence), Not(HasSubstr("Rows"))) << axis;
      EXPECT_THAT(said(cause.evidence),
                  Says(stops ? "check.collision.evidence_clamped" : "check.collision.evidence_wrapped",
                       {{"axis", axis == 1 ? "row" : "column"}, {"at", stops ? "8" : "9"}}))
          << axis;
      EXPECT_THAT(said(cause.advice), Says("check.collision.advice_axis")) << axis;
    }
  }
  // The tokens of the whole sequence, where the tables hold the image alone.
  Dump dump = true_dump(one.reference);
  for (auto& ids : dump.ids) ids[2] = std::min(ids[2], 14.0);
  dump.ids.erase(dump.ids.begin(), dump.ids.begin() + 9);
  CheckInputs image = tables_of(dump);
  image.part = "image";
  EXPECT_THAT(said(check(one.reference, image).causes.at(0).evidence),
              Says("check.collision.evidence_part", {{"first", "23"}, {"second", "24"}}));
}

TEST(CheckAdvice, OfAMismatchTheOneThatIsNotTheModels) {
  for (const bool table : {true, false}) {
    const CheckCase one = layout_case("flux.1");
    Dump dump = true_dump(one.reference);
    (table ? dump.repeats : dump.companions) = Pairing::half_split;
    const auto given = [](const Dump& of) { return vectors_in(of); };
    const CheckReport report = check(one.reference, given(dump));
    ASSERT_EQ(names_of(report), "table-rotation-mismatch");
    expect_fixed(one, report.causes[0], dump, given);
  }
}

TEST(CheckAdvice, ExponentsOfEachAxisHaveTheirOwnDivisor) {
  const CheckCase one = layout_case("flux.1");
  Dump dump = true_dump(one.reference);
  change_ladders(dump, [](std::size_t, int index, int, double) { return std::pow(10000, -2.0 * index / 128); });
  const CheckCause cause = mended(one, dump, "rotary-dimension");
  EXPECT_EQ(cause.advice.key, "check.rotary-dimension.advice_slices");
  EXPECT_THAT(said(cause.advice), Says("check.rotary-dimension.advice_slices", {{"own", "(16, 56, 56)"}}));
}

}  // namespace
}  // namespace ropescope
