// A check gives the same report for any number of threads, above all for correct tables: every difference is then 0,
// and so is the result of a thread without rows.

#include "check_dump.h"
#include "core/check/compare/compare.h"
#include "with_threads.h"

namespace ropescope {

namespace {

/// All that a report says, to the last bit.
std::string said(const CheckReport& report) {
  std::ostringstream text;
  text << std::hexfloat << names_of(report) << '\n';
  for (const CheckedInput& input : report.inputs) {
    text << input.which << ' ' << input.agrees << ' ' << input.largest_difference << ' ' << input.tolerance << ' '
         << input.row << ' ' << input.token << ' ' << input.part << ' ' << input.axis << ' ' << input.pair << ' '
         << input.head << '\n';
  }
  text << report.evidence.tokens << ' ' << report.evidence.pairs << ' ' << report.evidence.zero_vector_pairs.size()
       << '\n';
  for (const CheckCause& cause : report.causes) {
    text << cause.name << ' ' << cause.confidence << ' ' << cause.input << ' ' << cause.residual_before << ' '
         << cause.residual_after << ' ' << said(cause.evidence) << '\n';
  }
  for (const Message& note : report.notes) text << said(note) << '\n';
  return text.str();
}

CheckReference small_rope(std::int64_t rows, int pairs = 4) {
  RotarySpec spec{.head_dim = 2 * pairs, .axes = {RotaryAxis{.rotary_dim = 2 * pairs, .base = 10000}}};
  std::vector<double> positions = counted_positions(rows);
  return reference_from_rope(spec, {}, positions);
}

/// What a check says, or the error that it throws.
std::string answer(const CheckReference& reference, const CheckInputs& inputs, int threads) {
  try {
    return said(check(reference, inputs, with_threads(threads)));
  } catch (const InputError& error) {
    return said(error);
  }
}

void set_number(StoredTensor& tensor, std::int64_t row, std::int64_t column, double value) {
  const std::int64_t rows = tensor.shape[0], columns = tensor.shape[1];
  std::vector<double> numbers(static_cast<std::size_t>(rows * columns));
  read_rows(tensor, 0, rows, numbers.data());
  numbers[static_cast<std::size_t>(row * columns + column)] = value;
  tensor = store_values(tensor.name, tensor.shape, numbers, tensor.storage);
}

}  // namespace

TEST(CheckThreads, RightTablesAgreeTwoHundredTimes) {
  std::mt19937 random(20261123);
  for (int time = 0; time < 200 && !testing::Test::HasFailure(); ++time) {
    // Now and then just around the end of a piece. One row, at position 0, would be no evidence.
    const std::int64_t pieces = 1 + random() % 4;
    const std::int64_t rows = time % 3 == 0 ? pieces * 2048 + random() % 3 - 1 : 2 + random() % 8999;
    const int threads = 1 + static_cast<int>(random() % 8);
    SCOPED_TRACE(std::to_string(rows) + " rows, " + std::to_string(threads) + " threads");
    const CheckReference reference = small_rope(rows);
    const CheckInputs inputs = exact_tables(reference.tokens);
    const CheckReport report = check(reference, inputs, with_threads(threads));
    EXPECT_EQ(names_of(report), "agrees");
    for (const CheckedInput& input : report.inputs) {
      EXPECT_EQ(input.largest_difference, 0) << input.which;
      EXPECT_EQ(input.row, 0) << input.which;
      EXPECT_EQ(input.pair, 0) << input.which;
    }
  }
}

TEST(CheckThreads, TheDumpOfALargeImageAgreesWithLayoutAndItself) {
  const Layout& layout = find_layout("flux.1");
  LayoutRequest request{.image = ImageSize::pixels(1664, 928), .text = 512};
  const CheckReference reference = reference_from_layout(layout, request);
  const CheckInputs inputs = exact_tables(reference.tokens);
  const std::string alone = answer(reference, inputs, 1);
  const CheckReference itself = reference_from_tables(*inputs.cosine, *inputs.sine);
  const std::string itself_alone = answer(itself, inputs, 1);
  EXPECT_EQ(alone.substr(0, 7), "agrees\n");
  EXPECT_EQ(itself_alone.substr(0, 7), "agrees\n");
  for (int time = 0; time < 3; ++time) {
    for (const int threads : {2, 5}) {
      EXPECT_EQ(answer(reference, inputs, threads), alone);
      EXPECT_EQ(answer(itself, inputs, threads), itself_alone);
    }
  }
}

TEST(CheckThreads, WhatIsWrongIsSaidAlike) {
  const std::int64_t rows = 9000;
  const CheckReference reference = small_rope(rows);
  const CheckInputs right = exact_tables(reference.tokens, Storage::float32);
  CheckInputs base =
      exact_tables(reference_from_rope(RotarySpec{.head_dim = 8, .axes = {RotaryAxis{.rotary_dim = 8, .base = 20000}}},
                                       {}, small_rope(rows).positions)
                       .tokens);
  CheckInputs equal = right, odd = right;
  // The same difference in several pieces: the first place is named.
  for (const std::int64_t row : {8000, 3000, 5000}) set_number(*equal.cosine, row, 1, 7);
  for (const std::int64_t row : {8000, 2500, 4500}) {
    set_number(*odd.sine, row, 2, std::numeric_limits<double>::quiet_NaN());
  }
  CheckInputs ids;
  ids.ids = store_values("ids", {rows, 1}, *reference.positions, Storage::float32);
  set_number(*ids.ids, 4000, 0, 1);
  CheckInputs vectors;
  const std::vector<double> ones(static_cast<std::size_t>(rows * 8), 1);
  vectors.before = store_values("before", {rows, 8}, ones);
  vectors.after = store_values("after", {rows, 8}, ones);
  for (const CheckInputs* inputs :
       std::initializer_list<const CheckInputs*>{&right, &base, &equal, &odd, &ids, &vectors}) {
    const std::string alone = answer(reference, *inputs, 1);
    for (int time = 0; time < 2; ++time) {
      for (const int threads : {2, 5}) EXPECT_EQ(answer(reference, *inputs, threads), alone);
    }
  }
  EXPECT_THAT(answer(reference, odd, 5), Says("error.check.odd_rows"));
}

TEST(CheckThreads, AFileDiffersFromItselfByNothing) {
  const CheckReference reference = small_rope(3000);
  for (const Storage storage : {Storage::float64, Storage::float32, Storage::float16, Storage::bfloat16}) {
    const CheckInputs inputs = exact_tables(reference.tokens, storage);
    const CheckReport report = check(reference_from_tables(*inputs.cosine, *inputs.sine), inputs);
    EXPECT_EQ(names_of(report), "agrees");
    for (const CheckedInput& input : report.inputs) EXPECT_EQ(input.largest_difference, 0) << input.which;
    EXPECT_FALSE(has_note(report, "check.note.float32"));
  }
  // What another file differs by is said too, whatever ladder both follow.
  CheckInputs mine = exact_tables(reference.tokens);
  const CheckInputs given = exact_tables(reference.tokens);
  set_number(*mine.cosine, 2900, 1, 0.5 * std::cos(29.0) + 2);
  std::vector<double> was(4);
  read_rows(*given.cosine, 2900, 1, was.data());
  const CheckReport report = check(reference_from_tables(*given.cosine, *given.sine), mine);
  EXPECT_EQ(report.verdict, Verdict::disagrees);
  EXPECT_EQ(report.inputs[0].largest_difference, 0.5 * std::cos(29.0) + 2 - was[1]);
  EXPECT_EQ(report.inputs[0].row, 2900);
}

}  // namespace ropescope
