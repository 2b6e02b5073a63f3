#include "check_dump.h"

namespace ropescope {

namespace {

using testing::DoubleNear;

CheckCase make_layout_case(const std::string& layout, const LayoutRequest& request) {
  return {layout, reference_from_layout(find_layout(layout), request)};
}

/// What a program computes that has understood another request.
Dump dump_other_request(const std::string& layout, const LayoutRequest& request) {
  return true_dump(make_layout_case(layout, request).reference);
}

/// The dump with a shift of the ids of one part.
Dump move_part(Dump dump, const std::string& part, const std::vector<double>& by) {
  for (std::size_t row = 0; row < dump.rows(); ++row) {
    for (std::size_t axis = 0; dump.parts[row] == part && axis < by.size(); ++axis) dump.ids[row][axis] += by[axis];
  }
  return dump;
}

/// Row r of the dump gets the ids of row from(r).
template <class From>
Dump reordered(const Dump& truth, const From& from) {
  Dump dump = truth;
  for (std::size_t row = 0; row < truth.rows(); ++row) {
    const auto source = static_cast<std::size_t>(from(static_cast<int>(row)));
    dump.ids[row] = truth.ids[source];
    dump.parts[row] = truth.parts[source];
  }
  return dump;
}

}  // namespace

TEST(CheckParts, WhatALayoutRefusesExplainsNothing) {
  // With the usual 128 or more text tokens in place of this one there would be more than the 2^27 that are arranged.
  LayoutRequest large{.image = ImageSize::tokens(8192, 8192),
                      .text = 1,
                      .references = {ImageSize::tokens(8191, 8192), ImageSize::tokens(63, 130)}};
  const CheckReference flux = make_layout_case("flux.2", large).reference;
  EXPECT_EQ(flux.tokens.row_count(), (std::int64_t{1} << 27) - 1);
  // All text before or after the image would be more than the 2^24 tokens that a text may have.
  LayoutRequest longest{.image = ImageSize::tokens(4, 4), .text = std::int64_t{1} << 24, .text_after = 1};
  const CheckReference vision = make_layout_case("qwen2-vl", longest).reference;
  for (const CheckReference* reference : {&flux, &vision}) {
    const std::size_t axes = reference->tokens.axes.size();
    std::vector<double> numbers;
    for (std::size_t i = 0; i < 10 * axes; ++i) numbers.push_back(0.1 + static_cast<double>(i * i % 7));
    CheckInputs inputs;
    inputs.ids = store_values("ids.npy", {10, static_cast<std::int64_t>(axes)}, numbers, Storage::float32);
    CheckReport report;
    EXPECT_NO_THROW(report = check(*reference, inputs)) << reference->layout->name;
    EXPECT_EQ(report.verdict, Verdict::disagrees);
  }
}

TEST(CheckParts, AnotherSizeIsNamed) {
  LayoutRequest asked{.image = ImageSize::pixels(1664, 928), .text = 16};
  LayoutRequest square = asked;
  square.image = ImageSize::pixels(1024, 1024);
  for (const auto& [expected, given] : {std::pair{asked, square}, std::pair{square, asked}}) {
    for (const Storage storage : {Storage::float64, Storage::bfloat16}) {
      const CheckReport report = check(make_layout_case("flux.1", expected).reference,
                                       tables_of(dump_other_request("flux.1", given), storage));
      ASSERT_EQ(names_of(report), "length");
      const std::string size = std::to_string(given.image->columns) + "x" + std::to_string(given.image->rows);
      EXPECT_EQ(text_of(report, "size"), size);
      const std::string sides =
          english_text().format("check.length.size", {{"width", number_for_people(given.image->columns)},
                                                      {"height", number_for_people(given.image->rows)},
                                                      {"rows", number_for_people(given.image->rows / 16)},
                                                      {"columns", number_for_people(given.image->columns / 16)}});
      EXPECT_THAT(said(report.causes[0].evidence), Says("check.length.evidence_size", {{"size", sides}}));
      EXPECT_EQ(report.verdict, Verdict::disagrees);
    }
  }
}

TEST(CheckParts, AnotherSizeOfAsManyTokensIsNamed) {
  LayoutRequest asked, given;
  asked.image = ImageSize::tokens(12, 8);
  given.image = ImageSize::tokens(6, 16);
  for (const char* layout : {"flux.1", "qwen-image", "vit-axial", "dinov3"}) {
    const CheckReport report =
        check(make_layout_case(layout, asked).reference, tables_of(dump_other_request(layout, given)));
    EXPECT_EQ(names_of(report), "length") << layout;
    EXPECT_THAT(said(report.causes[0].evidence), Says("check.length.size", {{"rows", "6"}, {"columns", "16"}}))
        << layout;
  }
  // Exchanged sides have a name of their own.
  given.image = ImageSize::tokens(8, 12);
  const CheckReport turned =
      check(make_layout_case("flux.1", asked).reference, tables_of(dump_other_request("flux.1", given)));
  EXPECT_EQ(names_of(turned), "axes-swapped");
  EXPECT_TRUE(turned.causes[0].also.empty());
}

TEST(CheckParts, AnotherSizeOfAnImageThatIsFilledUpIsNamed) {
  LayoutRequest asked, given;
  asked.image = ImageSize::tokens(12, 8), given.image = ImageSize::tokens(6, 9);
  asked.text = given.text = 20;
  asked.numbers["padded_to"] = given.numbers["padded_to"] = 128;
  const CheckCase one = make_layout_case("hidream-i1", asked);
  const Dump dump = dump_other_request("hidream-i1", given);
  ASSERT_EQ(dump.rows(), true_dump(one.reference).rows());
  for (const CheckInputs& inputs : {tables_of(dump), tables_of(dump, Storage::bfloat16), ids_in(dump)}) {
    EXPECT_TRUE(finds(check(one.reference, inputs), "length", {{"size", "144x96"}}));
  }
  // Squares are not filled up.
  given.image = ImageSize::tokens(9, 9);
  EXPECT_TRUE(
      finds(check(one.reference, tables_of(dump_other_request("hidream-i1", given))), "length", {{"size", "144x144"}}));
}

TEST(CheckParts, AnotherSizeOfLayersTakesTheirSourceAlong) {
  LayoutRequest asked, given;
  asked.image = ImageSize::tokens(12, 8), given.image = ImageSize::tokens(6, 9);
  asked.text = given.text = 20, asked.frames = 3, given.frames = 4;
  const CheckCase one = make_layout_case("qwen-image-layered", asked);
  CheckInputs inputs = tables_of(dump_other_request("qwen-image-layered", given));
  EXPECT_TRUE(finds(check(one.reference, inputs), "length", {{"size", "144x96"}, {"frames", 4}}));
}

TEST(CheckParts, AnotherSizeWithoutTextWithOtherFramesAndOfReferences) {
  LayoutRequest asked{.image = ImageSize::tokens(12, 8), .text = 20};
  LayoutRequest bare = asked;
  bare.text = 0;
  bare.image = ImageSize::tokens(10, 10);
  EXPECT_TRUE(finds(check(make_layout_case("flux.1", asked).reference, tables_of(dump_other_request("flux.1", bare))),
                    "length", {{"size", "160x160"}, {"text", 0}}));

  LayoutRequest video, longer;
  video.image = ImageSize::tokens(6, 10), video.frames = 5;
  longer.image = ImageSize::tokens(8, 6), longer.frames = 7;
  EXPECT_TRUE(finds(check(make_layout_case("wan", video).reference, tables_of(dump_other_request("wan", longer))),
                    "length", {{"size", "96x128"}, {"frames", 7}}));

  LayoutRequest referring = asked, others = asked;
  referring.references = {ImageSize::tokens(6, 6)};
  others.references = {ImageSize::tokens(4, 12)};
  others.references[0] = ImageSize::tokens(5, 9);
  const CheckReport reference =
      check(make_layout_case("flux.2", referring).reference, tables_of(dump_other_request("flux.2", others)));
  EXPECT_TRUE(finds(reference, "length", {{"part", "reference1"}, {"size", "144x80"}}));

  // Only the image was stored.
  CheckInputs image = tables_of(dump_other_request("flux.1", bare));
  image.part = "image";
  EXPECT_EQ(text_of(check(make_layout_case("flux.1", asked).reference, image), "size"), "160x160");
}

TEST(CheckParts, EveryOrderOfAVideoIsTold) {
  LayoutRequest request;
  const int frames = 3, rows = 4, columns = 6;
  request.image = ImageSize::tokens(rows, columns);
  request.frames = frames;
  const CheckCase one = make_layout_case("wan", request);
  const Dump truth = true_dump(one.reference);
  const auto at = [&](int frame, int row, int column) { return (frame * rows + row) * columns + column; };
  const std::vector<std::pair<std::string, std::function<int(int)>>> orders = {
      {"column-major", [&](int i) { return at(i / 24, i % rows, i / rows % columns); }},
      {"frames-fastest", [&](int i) { return at(i % frames, i / frames / columns, i / frames % columns); }},
      {"column-row-frame", [&](int i) { return at(i % frames, i / frames % rows, i / frames / rows); }},
      {"row-frame-column", [&](int i) { return at(i / columns % frames, i / columns / frames, i % columns); }},
      {"column-frame-row", [&](int i) { return at(i / rows % frames, i % rows, i / rows / frames); }},
      {"bottom-up", [&](int i) { return at(i / 24, rows - 1 - i / columns % rows, i % columns); }},
      {"right-to-left", [&](int i) { return at(i / 24, i / columns % rows, columns - 1 - i % columns); }},
      {"backwards", [&](int i) { return i / 24 * 24 + 23 - i % 24; }},
      {"frames-backwards", [&](int i) { return (frames - 1 - i / 24) * 24 + i % 24; }},
      {"windows-2x2",
       [&](int i) {
         const int window = i % 24 / 4, inside = i % 4;
         return at(i / 24, window / 3 * 2 + inside / 2, window % 3 * 2 + inside % 2);
       }},
  };
  for (const auto& [name, from] : orders) {
    const Dump dump = reordered(truth, from);
    for (const CheckInputs& inputs : {tables_of(dump), tables_of(dump, Storage::bfloat16), ids_in(dump)}) {
      EXPECT_TRUE(finds(check(one.reference, inputs), "order", {{"order", name}})) << name;
    }
  }
}

TEST(CheckParts, AFactorOfOneAxisIsReadOffIdsToo) {
  LayoutRequest request{.image = ImageSize::tokens(4, 6), .frames = 3};
  const CheckCase one = make_layout_case("wan", request);
  Dump dump = true_dump(one.reference);
  for (auto& ids : dump.ids) ids[0] *= 4;
  EXPECT_TRUE(finds(check(one.reference, ids_in(dump)), "position-scale", {{"factor", std::vector<double>{4, 1, 1}}}));
  // Fitted to a square, in float32.
  LayoutRequest wide{.image = ImageSize::tokens(58, 104), .text = 12};
  const CheckCase fitted = make_layout_case("flux.1", wide);
  Dump square = true_dump(fitted.reference);
  for (auto& ids : square.ids) ids[1] *= 64.0 / 58, ids[2] *= 64.0 / 104;
  const CheckReport both = check(fitted.reference, ids_in(square));
  EXPECT_EQ(names_of(both), "position-scale");
  EXPECT_THAT(list_of(both, "factor"), ElementsAre(1, DoubleNear(64.0 / 58, 1e-6), DoubleNear(64.0 / 104, 1e-6)));
}

TEST(CheckParts, TextAfterAnImageWhoseIdsAreScaledCountsOn) {
  LayoutRequest request{.image = ImageSize::tokens(5, 7), .text = 6, .text_after = 5};
  const CheckCase one = make_layout_case("qwen2-vl", request);
  Dump dump = true_dump(one.reference);
  // Patches counted before they are merged: the image takes 13 ids in place of 7.
  for (std::size_t row = 6; row < dump.rows(); ++row) {
    std::vector<double>& ids = dump.ids[row];
    const bool image = dump.parts[row] == "image";
    for (double& id : ids) id = image ? 6 + 2 * (id - 6) : id + 6;
  }
  EXPECT_TRUE(
      finds(check(one.reference, tables_of(dump)), "position-scale", {{"factor", std::vector<double>{1, 2, 2}}}));
}

TEST(CheckParts, FieldsOfALayoutThatScaleItsIds) {
  LayoutRequest video{
      .image = ImageSize::tokens(5, 7), .text = 6, .text_after = 5, .frames = 12, .tokens_per_second = 2};
  LayoutRequest frames = video;
  frames.tokens_per_second.reset();
  const CheckReport seconds =
      check(make_layout_case("qwen2-vl", video).reference, tables_of(dump_other_request("qwen2-vl", frames)));
  EXPECT_TRUE(finds(seconds, "position-scale", {{"factor", std::vector<double>{0.5, 1, 1}}}));
  EXPECT_THAT(said(seconds.causes[0].evidence), Says("check.position-scale.without_tokens_per_second"));

  LayoutRequest grid{.image = ImageSize::tokens(5, 7)};
  LayoutRequest unstretched = grid;
  unstretched.position_grid = {5, 7};
  const CheckReport counts =
      check(make_layout_case("cogview4", grid).reference, tables_of(dump_other_request("cogview4", unstretched)));
  EXPECT_EQ(names_of(counts), "position-scale");
  EXPECT_EQ(list_of(counts, "factor").size(), 2U);

  LayoutRequest coordinates{.image = ImageSize::tokens(5, 7), .frames = 3, .head_dim = 128};
  LayoutRequest plain = coordinates;
  plain.unscaled = true;
  EXPECT_EQ(names_of(check(make_layout_case("ltx-video", coordinates).reference,
                           tables_of(dump_other_request("ltx-video", plain)))),
            "position-scale");
}

TEST(CheckParts, AnImageBeforeItsTextThatCountsOn) {
  LayoutRequest asked{.image = ImageSize::tokens(5, 7), .text = 6, .text_after = 5};
  LayoutRequest before = asked;
  before.text = 0, before.text_after = 11;
  EXPECT_TRUE(
      finds(check(make_layout_case("qwen2-vl", asked).reference, tables_of(dump_other_request("qwen2-vl", before))),
            "order", {{"order", "image, text"}}));
}

TEST(CheckParts, DealtAxesAreReportedAsTheRuleThatMakesThem) {
  LayoutRequest asked, dealt;
  asked.image = ImageSize::tokens(5, 7), asked.text = 9;
  dealt = asked;
  dealt.sections = {24, 20, 20};
  dealt.base = 1e6;
  const CheckReport report =
      check(make_layout_case("qwen2-vl", asked).reference, tables_of(dump_other_request("qwen3-vl", dealt)));
  ASSERT_TRUE(finds(report, "axis-dimensions", {{"order", "(t, row, column) x 20, t x 4"}}));
  EXPECT_LT(said(report.causes[0].evidence).size(), 200U);
}

TEST(CheckParts, ATextThatStartsElsewhereSaysWhatWasExpected) {
  const CheckCase one = layout_case("qwen-image", 58, 58);
  Dump dump = true_dump(one.reference);
  for (std::size_t row = 0; row < 9; ++row) {
    for (double& id : dump.ids[row]) id += 24;
  }
  const CheckReport report = check(one.reference, tables_of(dump));
  ASSERT_EQ(names_of(report), "text-start");
  const Message& evidence = report.causes[0].evidence;
  EXPECT_EQ(evidence.key, "check.text-start.evidence");
  EXPECT_THAT(said(evidence),
              Says("check.text-start.evidence",
                   {{"text", english_text()["check.text-start.text"]}, {"start", "53"}, {"due", "29"}}));
}

TEST(CheckParts, ATextAfterAnImageThatStartsElsewhereIsSaidToBeThat) {
  LayoutRequest request{.image = ImageSize::tokens(20, 31), .text = 24, .text_after = 9};
  const CheckCase one = make_layout_case("qwen2-vl", request);
  const std::string text = english_text().format("check.text-start.text_after", {{"part", "image"}});
  for (const int start : {56, 54, 44}) {
    Dump dump = true_dump(one.reference);
    for (std::size_t row = dump.rows() - 9; row < dump.rows(); ++row) {
      for (double& id : dump.ids[row]) id += start - 55;
    }
    const CheckReport report = check(one.reference, ids_in(dump));
    ASSERT_EQ(names_of(report), "text-start");
    EXPECT_EQ(number_of(report, "start"), start);
    const Message& evidence = report.causes[0].evidence;
    EXPECT_EQ(evidence.key, "check.text-start.evidence");
    EXPECT_THAT(said(evidence),
                Says("check.text-start.evidence", {{"text", text}, {"start", std::to_string(start)}, {"due", "55"}}));
    EXPECT_THAT(said(report.causes[0].advice), Says("check.text-start.advice", {{"text", text}, {"due", "55"}}));
  }
}

TEST(CheckParts, AShiftOfAFileWithOnePartIsNotOneOfAllTokens) {
  LayoutRequest whole{.image = ImageSize::tokens(7, 9), .text = 6}, bare{.image = ImageSize::tokens(7, 9)};
  const CheckReference reference = make_layout_case("flux.1", whole).reference;
  Dump image = true_dump(make_layout_case("flux.1", bare).reference), all = true_dump(reference);
  for (Dump* dump : {&image, &all}) {
    for (std::vector<double>& ids : dump->ids) ids[1] += 1;
  }
  CheckInputs inputs = tables_of(image);
  inputs.part = "image";
  const CheckReport of_part = check(reference, inputs), of_all = check(reference, tables_of(all));
  for (const CheckReport* report : {&of_part, &of_all}) {
    ASSERT_TRUE(finds(*report, "position-offset", {{"offset", std::vector<double>{0, 1, 0}}}));
  }
  EXPECT_EQ(of_part.causes[0].evidence.key, "check.position-offset.evidence_part");
  EXPECT_THAT(said(of_part.causes[0].evidence), Says("check.part.image"));
  EXPECT_FALSE(has_note(of_part, "check.note.common_shift"));
  EXPECT_EQ(of_all.causes[0].evidence.key, "check.position-offset.evidence");
  EXPECT_TRUE(has_note(of_all, "check.note.common_shift"));
}

TEST(CheckParts, AShiftOfTheImageAloneIsNotOneOfTokensThatAreNotRotated) {
  // The text of the first three attends with the image, as the class token of the tower; the text of Wan does not.
  for (const char* layout : {"hunyuan-video", "cogvideox-1.5", "cogview4", "vit-axial", "wan"}) {
    for (const int text : {0, 6}) {
      if (text > 0 && !takes(find_layout(layout), "text")) continue;
      const CheckCase one = make_layout_case(layout, {.image = ImageSize::tokens(7, 9), .text = text});
      Dump dump = true_dump(one.reference);
      for (std::vector<double>& ids : dump.ids) ids[dump.axes() - 2] += 3;
      const CheckReport report = check(one.reference, tables_of(dump));
      ASSERT_EQ(names_of(report), "position-offset") << layout;
      const bool of_all = std::string(layout) == "wan";
      EXPECT_EQ(report.causes[0].evidence.key,
                of_all ? "check.position-offset.evidence" : "check.position-offset.evidence_part")
          << layout;
      EXPECT_EQ(has_note(report, "check.note.common_shift"), of_all) << layout;
    }
  }
}

TEST(CheckParts, ATextAloneIsNotAnImageInOneLine) {
  LayoutRequest request{.image = ImageSize::tokens(7, 9), .text = 6};
  const CheckReference reference = make_layout_case("qwen-image", request).reference;
  Dump text = true_dump(reference);
  text.ids.clear();
  for (const double id : {0.0, 1.0, 2.0, 3.0, 4.0, 5.0}) text.ids.push_back({id, id, id});
  text.parts.assign(6, "text");
  CheckInputs inputs = tables_of(text);
  inputs.part = "text";
  const CheckReport report = check(reference, inputs);
  ASSERT_EQ(report.causes.size(), 1U);
  // The model's text starts behind the longer side of the image, at 9 / 2.
  EXPECT_TRUE(finds(report, "position-offset", {{"offset", std::vector<double>{-4, -4, -4}}}));
}

TEST(CheckParts, ATextAloneShowsNoFactorOfTheImage) {
  const CheckReference reference = make_layout_case("flux.1", {.image = ImageSize::tokens(6, 9), .text = 20}).reference;
  Dump text = true_dump(reference);
  text.ids.resize(20);
  text.parts.resize(20);
  for (std::size_t row = 5; row <= 8; ++row) text.ids[row][2] += 4;
  for (const Storage storage : {Storage::float32, Storage::bfloat16}) {
    CheckInputs inputs = tables_of(text, storage);
    inputs.part = "text";
    EXPECT_EQ(names_of(check(reference, inputs)), "position-offset");
  }
}

TEST(CheckParts, EveryPartHasItsOwnNumber) {
  LayoutRequest request{.image = ImageSize::tokens(20, 31), .text = 24, .text_after = 9};
  const CheckCase one = make_layout_case("qwen2-vl", request);
  Dump dump = true_dump(one.reference);
  for (std::size_t row = 24; row < dump.rows(); ++row) {
    for (double& id : dump.ids[row]) id += row < dump.rows() - 9 ? -15 : 56;
  }
  const CheckReport report = check(one.reference, ids_in(dump));
  ASSERT_TRUE(finds(report, "position-offset",
                    {{"offset", std::vector<double>{-15, -15, -15}},
                     {"offsets", std::vector<double>{-15, -15, -15, 56, 56, 56}},
                     {"part", "image, the text after the image"},
                     {"axis", "t, row, column"}}));
  const Message& evidence = report.causes[0].evidence;
  ASSERT_EQ(evidence.key, "check.position-offset.evidence_parts");
  EXPECT_THAT(said(evidence), Says("check.text-start.text_after", {{"part", "image"}}));
}

TEST(CheckParts, AReferenceIsReportedWithEveryAxisOnWhichItIsShifted) {
  LayoutRequest request{.image = ImageSize::tokens(20, 31), .references = {ImageSize::tokens(20, 31)}};
  const CheckCase one = make_layout_case("flux.1-kontext", request);
  using Ids = std::vector<double>;
  const auto shifted = [&](const Ids& by) {
    return check(one.reference, tables_of(move_part(true_dump(one.reference), "reference1", by)));
  };
  const json of_part = "reference1", axes = "t, row, column";
  // The right index is not proposed again.
  const CheckReport moved = shifted({0, 0, 31}), both = shifted({-1, 0, 31}), index = shifted({-1, 0, 0});
  ASSERT_TRUE(finds(moved, "reference-index",
                    {{"indices", Ids{}}, {"offsets", Ids{0, 0, 31}}, {"part", of_part}, {"axis", axes}}));
  ASSERT_TRUE(finds(both, "reference-index",
                    {{"indices", Ids{0}}, {"offsets", Ids{-1, 0, 31}}, {"part", of_part}, {"axis", axes}}));
  ASSERT_TRUE(finds(index, "reference-index", {{"indices", Ids{0}}, {"offsets", Ids{}}, {"part", ""}}));
  EXPECT_THAT(said(moved.causes[0].evidence),
              Says("check.reference-index.evidence_starts", {{"found", "(1, 0, 31)"}, {"due", "(1, 0, 0)"}}));
  EXPECT_THAT(said(both.causes[0].evidence),
              Says("check.reference-index.evidence_starts", {{"found", "(0, 0, 31)"}, {"due", "(1, 0, 0)"}}));
  EXPECT_THAT(said(both.causes[0].advice), Says("check.reference-index.advice_starts", {{"due", "(1, 0, 0)"}}));
  EXPECT_EQ(index.causes[0].advice.key, "check.reference-index.advice");
}

}  // namespace ropescope
