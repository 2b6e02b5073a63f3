#include "check_dump.h"
#include "core/precision/precision.h"

namespace ropescope {

namespace {

std::string find_inputs_error(const CheckReference& reference, const CheckInputs& inputs) {
  return refusal_of([&] { check(reference, inputs); });
}

/// The same numbers under another shape.
StoredTensor reshaped(StoredTensor tensor, std::vector<std::int64_t> shape) {
  tensor.strides = row_major_strides(shape);
  tensor.shape = std::move(shape);
  return tensor;
}

CheckReference long_rope_of(std::int64_t tokens) {
  std::vector<double> positions = counted_positions(tokens);
  RotarySpec spec;
  return reference_from_rope(spec, {}, positions);
}

}  // namespace

TEST(CheckInputs, BatchAndHeadsAxesAreTakenOff) {
  const CheckCase one = layout_case("flux.1");
  const CheckInputs plain = tables_of(true_dump(one.reference), Storage::float32, TableForm::repeated);
  const std::int64_t rows = plain.cosine->shape[0], width = plain.cosine->shape[1];
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{1, rows, width}, {1, 1, rows, width}, {rows, 1, width}, {1, rows, 1, width}}) {
    CheckInputs inputs;
    inputs.cosine = reshaped(*plain.cosine, shape);
    inputs.sine = reshaped(*plain.sine, shape);
    EXPECT_EQ(names_of(check(one.reference, inputs)), "agrees") << shape.size();
  }
}

TEST(CheckInputs, WrongShapesAreNamed) {
  const CheckCase one = layout_case("flux.1");
  const CheckInputs plain = tables_of(true_dump(one.reference));
  const std::int64_t rows = plain.cosine->shape[0];
  EXPECT_THAT(find_inputs_error(one.reference, {}), Says("error.check.nothing"));
  CheckInputs alone;
  alone.cosine = plain.cosine;
  EXPECT_THAT(find_inputs_error(one.reference, alone),
              AllOf(HasSubstr("cos.npy: "), Says("error.check.cos_or_sin_alone")));
  CheckInputs lengths = plain;
  lengths.sine->shape[0] -= 1;
  EXPECT_THAT(find_inputs_error(one.reference, lengths),
              AllOf(HasSubstr("sin.npy: "), Says("error.check.other_shape", {{"other", "cos.npy"}})));
  CheckInputs width = plain;
  width.cosine->shape = width.sine->shape = {rows, 50};
  EXPECT_THAT(find_inputs_error(one.reference, width),
              Says("error.check.table_width", {{"width", "50"}, {"pairs", "64"}, {"twice", "128"}}));
  CheckInputs ids;
  ids.ids = store_values("ids.npy", {rows, 2}, std::vector<double>(static_cast<std::size_t>(2 * rows), 0));
  EXPECT_THAT(find_inputs_error(one.reference, ids), AllOf(HasSubstr("ids.npy: "), Says("error.check.ids_shape")));
  CheckInputs part = plain;
  part.part = "middle";
  EXPECT_THAT(find_inputs_error(one.reference, part), Says("error.check.unknown_part"));
}

TEST(CheckInputs, InfinityAndNaNAreNamed) {
  const CheckCase one = rope_case("plain");
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const Dump dump = true_dump(one.reference);
    std::vector<double> numbers(dump.rows() * dump.pairs(), 0.5);
    numbers[5 * dump.pairs() + 3] = bad;
    CheckInputs inputs = tables_of(dump);
    inputs.sine = store_values("sin.npy", inputs.cosine->shape, numbers, Storage::float32);
    EXPECT_THAT(find_inputs_error(one.reference, inputs),
                AllOf(HasSubstr("sin.npy: "), Says("error.check.odd_number_of_pair", {{"row", "5"}})));
  }
}

TEST(CheckInputs, NaNInOneOfTwoCopiesIsNamedToo) {
  const CheckCase one = rope_case("plain");
  const Dump dump = true_dump(one.reference);
  CheckInputs inputs = tables_of(dump);
  const auto rows = static_cast<std::size_t>(inputs.cosine->shape[0]);
  const auto width = static_cast<std::size_t>(2 * dump.pairs());
  std::vector<double> numbers(rows * width, 1);
  numbers[5 * width + 3] = std::numeric_limits<double>::quiet_NaN();
  for (auto* table : {&inputs.cosine, &inputs.sine}) {
    *table = store_values("table.npy", {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(width)}, numbers,
                          Storage::float32);
  }
  EXPECT_THAT(
      find_inputs_error(one.reference, inputs),
      AllOf(HasSubstr("table.npy: "), Says("error.check.odd_number_of_pair", {{"row", "5"}, {"found", "NaN"}})));
}

TEST(CheckInputs, ABatchOfEqualItemsIsReadAndOneOfDifferentItemsIsNot) {
  const CheckCase one = rope_case("plain");
  const CheckInputs single = tables_of(true_dump(one.reference));
  const auto batch_of = [](const StoredTensor& table, double shift) {
    std::vector<double> numbers = numbers_of(table);
    const std::size_t count = numbers.size();
    for (std::size_t i = 0; i < count; ++i) numbers.push_back(numbers[i] + shift);
    return store_values("batch.npy", {2, table.shape[0], table.shape[1]}, numbers, Storage::float32);
  };
  CheckInputs inputs;
  inputs.cosine = batch_of(*single.cosine, 0);
  inputs.sine = batch_of(*single.sine, 0);
  EXPECT_EQ(names_of(check(one.reference, inputs)), "agrees");
  inputs.sine = batch_of(*single.sine, 0.5);
  EXPECT_THAT(find_inputs_error(one.reference, inputs),
              Says("error.check.items_differ", {{"item", "1"}, {"axis", "0"}}));
}

TEST(CheckInputs, WithoutPositionsTheAxisOfTokensIsAskedFor) {
  const CheckCase one = rope_case("plain");
  CheckInputs inputs = vectors_in(true_dump(one.reference), Storage::float32, 3);
  const CheckReference unknown = reference_from_rope(*one.reference.rope);
  EXPECT_THAT(find_inputs_error(unknown, inputs), HasSubstr("--q-layout"));
}

TEST(CheckInputs, ChannelsThatDoNotTurnMustStay) {
  const RotarySpec whole = *rope_case("plain").reference.rope;
  RotarySpec half = whole;
  half.head_dim = 2 * whole.head_dim;
  const CheckReference reference = reference_from_rope(half, {}, std::vector<double>{0, 1, 2, 3});
  const auto channels = static_cast<std::size_t>(half.head_dim), turned = channels / 2;
  std::vector<double> before(4 * channels, 0);
  for (std::size_t i = 0; i < before.size(); ++i) before[i] = i % channels < turned ? 0 : 1;
  std::vector<double> after = before;
  const auto vectors = [&](const std::vector<double>& values) {
    return store_values("q.npy", {4, static_cast<std::int64_t>(channels)}, values, Storage::float32);
  };
  CheckInputs inputs;
  inputs.before = vectors(before), inputs.after = vectors(after);
  EXPECT_EQ(names_of(check(reference, inputs)), "no evidence") << "what turns is zero";
  after[2 * channels + turned + 5] = 1.5;
  inputs.after = vectors(after);
  const CheckReport report = check(reference, inputs);
  EXPECT_EQ(report.verdict, Verdict::disagrees);
  EXPECT_EQ(report.inputs.at(0).row, 2);
}

TEST(CheckInputs, SignsInRepeatedSinesAreToldAsSuch) {
  for (const CheckCase& one : {rope_case("plain"), rope_case("plain-interleaved"), rope_case("yarn"),
                               layout_case("flux.1"), layout_case("qwen2-vl")}) {
    for (const Storage storage : {Storage::float32, Storage::bfloat16, Storage::float64}) {
      SCOPED_TRACE(one.name + ", " + std::string(storage_name(storage)));
      Dump dump = true_dump(one.reference);
      const CheckReport right = check(one.reference, with_signs(dump, storage, true));
      EXPECT_EQ(names_of(right), "agrees");
      EXPECT_TRUE(has_note(right, "check.note.baked_signs"));
      // −sin for the second channel turns backwards.
      const CheckReport backwards = check(one.reference, with_signs(dump, storage, false));
      EXPECT_EQ(names_of(backwards), "sign");
      EXPECT_EQ(backwards.verdict, Verdict::disagrees);
      dump.amplitude *= 1.3;
      EXPECT_EQ(names_of(check(one.reference, with_signs(dump, storage, true))), "amplitude");
      dump = true_dump(one.reference);
      const bool adjacent = dump.repeats == Pairing::interleaved;
      dump.repeats = adjacent ? Pairing::half_split : Pairing::interleaved;
      EXPECT_EQ(names_of(check(one.reference, with_signs(dump, storage, true))), "agrees");
    }
  }
  // A sine that repeats in no way is to blame itself, not the cosine beside it.
  const CheckCase one = rope_case("plain");
  CheckInputs inputs = tables_of(true_dump(one.reference), Storage::float32, TableForm::repeated);
  std::vector<double> sines(static_cast<std::size_t>(inputs.sine->count()), 0.25);
  sines[5] = 0.5;
  inputs.sine = store_values("sin.npy", inputs.sine->shape, sines, Storage::float32);
  EXPECT_THAT(find_inputs_error(one.reference, inputs), HasSubstr("sin.npy"));
  EXPECT_FALSE(has_note(check(one.reference, tables_of(true_dump(one.reference))), "check.note.baked_signs"));
}

TEST(CheckInputs, ATableOfFewerPairsIsNoPuzzle) {
  RotarySpec spec = *rope_case("plain").reference.rope;
  spec.head_dim = 128;
  spec.axes[0].rotary_dim = 32;  // a quarter, which the port takes twice
  RotarySpec fewer = spec;
  fewer.axes[0].rotary_dim = 8;
  const std::vector<double> positions = {0, 1, 2, 3, 5, 8, 13, 21};
  const Dump dump = true_dump(reference_from_rope(fewer, {}, positions));
  EXPECT_EQ(names_of(check(reference_from_rope(spec, {}, positions), tables_of(dump))), "rotary-dimension");
}

TEST(CheckInputs, ABadRowAmongManyIsUnknownAndNamesNoCauseThatMendsNothing) {
  RotarySpec spec = *rope_case("plain").reference.rope;
  std::vector<double> positions = counted_positions(5000);
  const CheckReference reference = reference_from_rope(spec, {}, positions);
  CheckInputs inputs = tables_of(true_dump(reference));
  std::vector<double> numbers = numbers_of(*inputs.cosine);
  for (std::size_t row = 2001; row < 5000; row += 977) numbers[row * numbers.size() / 5000] += 0.25;
  inputs.cosine = store_values("cos.npy", inputs.cosine->shape, numbers, Storage::float32);
  const CheckReport report = check(reference, inputs);
  EXPECT_EQ(names_of(report), "unknown");
  EXPECT_EQ(report.explained, nullptr);
}

TEST(CheckInputs, HeadsAndTokensEquallyManyAskForTheOption) {
  const CheckCase one = rope_case("plain");
  const Dump dump = true_dump(one.reference);
  CheckInputs inputs = vectors_in(dump, Storage::float32, 64);
  EXPECT_THAT(find_inputs_error(one.reference, inputs), HasSubstr("--q-layout"));
  inputs.head_order = HeadOrder::tokens_first;
  EXPECT_EQ(names_of(check(one.reference, inputs)), "agrees");
  inputs.head_order = HeadOrder::heads_first;
  EXPECT_EQ(check(one.reference, inputs).verdict, Verdict::disagrees);
}

TEST(CheckInputs, TheTableAndTheRotationDoNotMatch) {
  const CheckCase one = rope_case("plain");
  Dump dump = true_dump(one.reference);
  dump.repeats = Pairing::interleaved;
  CheckInputs inputs = vectors_in(dump);
  EXPECT_EQ(names_of(check(one.reference, inputs)), "table-rotation-mismatch");
  dump.companions = Pairing::interleaved;
  CheckInputs paired = vectors_in(dump);
  EXPECT_EQ(names_of(check(one.reference, paired)), "pairing");
  // ERNIE-Image ships the mismatch: it is right there, and a rotation that matches is not.
  const CheckCase quirk = layout_case("ernie-image");
  Dump ernie = true_dump(quirk.reference);
  CheckInputs mended;
  CheckInputs true_vectors = vectors_in(ernie);
  EXPECT_EQ(names_of(check(quirk.reference, true_vectors)), "agrees");
  ernie.companions = ernie.repeats;
  put_vectors(mended, ernie);
  EXPECT_EQ(names_of(check(quirk.reference, mended)), "table-rotation-mismatch");
}

TEST(CheckInputs, RoundedIdsAreNamedBeyondWhatTheFormatHolds) {
  const CheckReference reference = long_rope_of(600);
  Dump dump = true_dump(reference);
  dump.round_id = round_to_bfloat16;
  for (const Storage storage : {Storage::float32, Storage::bfloat16}) {
    CheckInputs ids = ids_in(dump, storage);
    EXPECT_TRUE(finds(check(reference, ids), "position-format", {{"format", "bfloat16"}}));
  }
  const CheckReport report = check(reference, tables_of(dump));
  EXPECT_EQ(names_of(report), "position-format");
  EXPECT_GT(report.causes[0].residual_before, 0.5);
  const CheckReference below = long_rope_of(256);
  Dump small = true_dump(below);
  small.round_id = round_to_bfloat16;
  EXPECT_EQ(names_of(check(below, tables_of(small))), "agrees");
}

TEST(CheckInputs, IdsOrFrequenciesDecideAboutAFactor) {
  const CheckCase one = rope_case("linear");
  Dump scaled = true_dump(one.reference);
  for (auto& ids : scaled.ids) ids[0] *= 0.5;
  CheckInputs inputs = tables_of(scaled);
  put_ids(inputs, scaled);
  EXPECT_EQ(names_of(check(one.reference, inputs)), "position-scale");
  CheckInputs right_frequencies = tables_of(scaled);
  put_frequencies(right_frequencies, true_dump(one.reference));
  EXPECT_EQ(names_of(check(one.reference, right_frequencies)), "position-scale");
  EXPECT_EQ(names_of(check(one.reference, tables_of(scaled))), "scaling-parameters");
}

TEST(CheckInputs, ATableOfTheWholeHeadIsARotaryDimension) {
  const CheckCase one = rope_case("partial");  // 32 of 80 channels
  RotarySpec whole = *one.reference.rope;
  whole.axes[0].rotary_dim = 80;
  const Dump dump = true_dump(reference_from_rope(whole, {}, one.reference.positions));
  for (const TableForm form : {TableForm::once, TableForm::repeated}) {
    EXPECT_TRUE(finds(check(one.reference, tables_of(dump, Storage::float32, form)), "rotary-dimension",
                      {{"rotary_dimension", 80}}));
  }
}

TEST(CheckInputs, NotesSayWhatCannotBeSeen) {
  const CheckCase square = layout_case("flux.1", 6, 6);
  EXPECT_TRUE(has_note(check(square.reference, tables_of(true_dump(square.reference))), "check.note.square"));
  const CheckReport report = check(square.reference, tables_of(true_dump(square.reference)));
  ASSERT_EQ(report.reach.size(), 3U);
  EXPECT_EQ(report.reach[1].largest, 5);
  const CheckReference first = long_rope_of(1);
  EXPECT_TRUE(has_note(check(first, tables_of(true_dump(first))), "check.note.identity"));
  const CheckCase yarn = rope_case("yarn-mscale");
  EXPECT_TRUE(has_note(check(yarn.reference, tables_of(true_dump(yarn.reference))), "check.note.amplitude"));
  const CheckReference given = rope_case("plain").reference;
  Dump shifted = true_dump(given);
  for (auto& ids : shifted.ids) ids[0] += 1;
  // Rows at positions of their own may meet keys that were cached at others.
  const CheckReport elsewhere = check(given, tables_of(shifted));
  EXPECT_FALSE(has_note(elsewhere, "check.note.common_shift"));
  for (const Message& note : elsewhere.notes) EXPECT_THAT(said(note), Not(Says("check.position-offset.evidence")));
  const CheckReference whole = reference_from_rope(*given.rope);
  for (std::size_t row = 0; row < shifted.rows(); ++row) shifted.ids[row][0] = static_cast<double>(row + 1);
  EXPECT_TRUE(has_note(check(whole, tables_of(shifted)), "check.note.common_shift"));
}

TEST(CheckInputs, AFloat64TableMayHoldWhatFloat32Gave) {
  const CheckCase one = rope_case("plain");
  Dump dump = true_dump(one.reference);
  dump.round_table = round_to_float32;
  const CheckReport report = check(one.reference, tables_of(dump, Storage::float64));
  EXPECT_EQ(names_of(report), "agrees");
  EXPECT_TRUE(has_note(report, "check.note.float32"));
  EXPECT_FALSE(
      has_note(check(one.reference, tables_of(true_dump(one.reference), Storage::float64)), "check.note.float32"));
}

TEST(CheckInputs, PositionsAsListsAndPartsOfTheRows) {
  RotarySpec spec;
  const std::vector<double> positions = {5, 3, 900000, 17, 42};
  const CheckReference reference = reference_from_rope(spec, {}, positions);
  EXPECT_EQ(names_of(check(reference, tables_of(true_dump(reference), Storage::float64))), "agrees");
  const CheckCase one = layout_case("flux.2");
  for (const char* part : {"text", "image", "reference"}) {
    Dump dump = true_dump(one.reference), rows = dump;
    rows.ids.clear();
    for (std::size_t row = 0; row < dump.rows(); ++row) {
      if (dump.parts[row].rfind(part, 0) == 0) rows.ids.push_back(dump.ids[row]);
    }
    CheckInputs inputs = tables_of(rows);
    inputs.part = part;
    EXPECT_EQ(names_of(check(one.reference, inputs)), "agrees") << part;
  }
}

TEST(CheckInputs, DisagreementWithoutAKnownCauseIsUnknown) {
  const CheckCase one = rope_case("plain");
  Dump dump = true_dump(one.reference);
  dump.frequencies[0][5] *= 1.7;
  dump.frequencies[0][20] *= 0.3;
  const CheckReport report = check(one.reference, tables_of(dump));
  EXPECT_EQ(names_of(report), "unknown");
  EXPECT_GT(report.causes[0].residual_before, 0.1);
  EXPECT_TRUE(report.inputs[0].pair == 5 || report.inputs[0].pair == 20) << report.inputs[0].pair;
}

TEST(CheckInputs, StoppingLeavesNoVerdict) {
  const CheckCase one = rope_case("plain");
  std::stop_source source;
  source.request_stop();
  CheckOptions options;
  options.stop = source.get_token();
  EXPECT_TRUE(check(one.reference, tables_of(true_dump(one.reference)), options).cancelled);
}

}  // namespace ropescope
