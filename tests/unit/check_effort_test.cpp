#include "check_faults.h"
#include "core/precision/precision.h"

namespace ropescope {

namespace {

/// Positions that stand close together at first, then anywhere up to `last`.
std::vector<double> uneven_positions(int rows, double last) {
  std::vector<double> positions;
  for (int i = 0; i < rows; ++i) {
    const double part = static_cast<double>(i) / (rows - 1);
    positions.push_back(i < rows / 2 ? i : std::floor(rows + (last - rows) * part * part * part));
  }
  return positions;
}

CheckReference make_effort_rope(int pairs, const std::vector<double>& positions, double base = 10000) {
  RotarySpec spec{.head_dim = 2 * pairs,
                  .pairing = Pairing::half_split,
                  .axes = {RotaryAxis{.rotary_dim = 2 * pairs, .base = base}}};
  return reference_from_rope(spec, {}, positions);
}

/// A search may end a candidate that it has begun.
constexpr double kEndOfTheLast = 1.1;

struct Found {
  std::string names;
  std::int64_t effort = 0;
};

Found found(const CheckReference& reference, const CheckInputs& inputs) {
  const CheckReport report = check(reference, inputs);
  EXPECT_EQ(report.verdict, Verdict::disagrees);
  // Twice as much for tables of many pairs.
  const double allowed = (reference.tokens.pair_count() > 64 ? 2 : 1) * static_cast<double>(kMaxEffort);
  EXPECT_LE(static_cast<double>(report.effort), kEndOfTheLast * allowed);
  return {names_of(report), report.effort};
}

CheckInputs with_noise(const Dump& dump, double noise) {
  CheckInputs inputs = tables_of(dump);
  std::vector<double> numbers = numbers_of(*inputs.cosine);
  std::mt19937_64 generator(11);
  std::normal_distribution<double> normal(0, noise);
  for (double& number : numbers) number += normal(generator);
  inputs.cosine = store_values("cos.npy", inputs.cosine->shape, numbers, Storage::float32);
  return inputs;
}

/// Every third cosine of a row with an amplitude that the others and the sines do not have.
CheckInputs with_larger_cosines(const Dump& dump, double amplitude) {
  CheckInputs inputs = tables_of(dump);
  std::vector<double> numbers = numbers_of(*inputs.cosine);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] *= i % dump.pairs() % 3 == 1 ? amplitude : 1;
  inputs.cosine = store_values("cos.npy", inputs.cosine->shape, numbers, Storage::float32);
  return inputs;
}

}  // namespace

TEST(CheckEffort, WhatIsFoundDoesNotDependOnHowFarPositionsReach) {
  struct Mistake {
    const char* names;
    Storage storage;
    void (*commit)(Dump&);
  };
  const auto keep = [](Dump&) {};
  const auto round_frequencies = [](Dump& dump) { dump.round_frequency = round_to_bfloat16; };
  const auto round_ids = [](Dump& dump) { dump.round_id = round_to_bfloat16; };
  const Mistake mistakes[] = {
      {"base", Storage::float32, keep},
      {"base", Storage::bfloat16, keep},
      {"amplitude + base", Storage::float32, [](Dump& dump) { dump.amplitude = 1.3; }},
      {"frequency-format", Storage::float32, round_frequencies},
      {"frequency-format", Storage::bfloat16, round_frequencies},
      {"position-format", Storage::float32, round_ids},
      {"position-format", Storage::bfloat16, round_ids},
      {"frequency-format + table-format", Storage::float32,
       [](Dump& dump) { dump.round_frequency = dump.round_table = round_to_bfloat16; }},
      {"position-format + table-format", Storage::float32,
       [](Dump& dump) { dump.round_id = dump.round_table = round_to_bfloat16; }},
  };
  Sample sample("effort: mistakes × lengths");
  for (std::size_t row = 0; row < std::size(mistakes); ++row) {
    const Mistake& mistake = mistakes[row];
    for (const double last : sample.of(row, std::vector<double>{30000, 120000, 1e6})) {
      SCOPED_TRACE(testing::Message() << mistake.names << " up to " << last);
      const std::vector<double> positions = uneven_positions(180, last);
      const CheckReference reference = make_effort_rope(32, positions);
      const bool other_base = std::string_view(mistake.names).find("base") != std::string_view::npos;
      Dump dump = true_dump(other_base ? make_effort_rope(32, positions, 500000) : reference);
      mistake.commit(dump);
      const std::string names = found(reference, tables_of(dump, mistake.storage)).names;
      EXPECT_EQ(names, mistake.names);
    }
  }
}

TEST(CheckEffort, WhatNoCauseExplainsEndsToo) {
  // The last is not searched: each row reports that it is at 17.
  struct Dumped {
    const char* names;
    CheckInputs (*made)(const Dump& truth);
  };
  const Dumped dumped[] = {{"unknown", [](const Dump& truth) { return with_noise(truth, 1e-3); }},
                           {"unknown", [](const Dump& truth) { return with_larger_cosines(truth, 1.1); }},
                           {"position-offset", [](const Dump& truth) {
                              Dump one_position = truth;
                              for (auto& ids : one_position.ids) ids[0] = 17;
                              return vectors_in(one_position);
                            }}};
  Sample sample("effort: unknown dumps × lengths");
  for (std::size_t row = 0; row < std::size(dumped); ++row) {
    for (const double last : sample.of(row, std::vector<double>{30000, 120000})) {
      const CheckReference reference = make_effort_rope(32, uneven_positions(180, last));
      EXPECT_EQ(found(reference, dumped[row].made(true_dump(reference))).names, dumped[row].names)
          << row << ", " << last;
    }
  }
}

TEST(CheckEffort, TheLargestSearchesEnd) {
  Sample sample("effort: large dumps × numbers of pairs");
  for (const std::size_t row : {0, 1, 2}) {
    for (const int pairs : sample.of(row, std::vector<int>{64, 1024})) {
      const CheckReference reference = make_effort_rope(pairs, uneven_positions(4096, 120000));
      Dump truth = true_dump(reference);
      if (row == 0) EXPECT_EQ(found(reference, with_noise(truth, 1e-3)).names, "unknown") << pairs;
      if (row == 1) EXPECT_EQ(found(reference, with_larger_cosines(truth, 1.1)).names, "unknown") << pairs;
      if (row < 2) continue;
      truth.round_frequency = round_to_bfloat16;
      EXPECT_EQ(found(reference, tables_of(truth, Storage::bfloat16)).names, "frequency-format") << pairs;
    }
  }
}

TEST(CheckEffort, WhatWasSearchedIsSaidWhereTheEffortIsSpent) {
  const CheckReference reference = make_effort_rope(64, uneven_positions(364, 120000));
  const CheckInputs inputs = with_noise(true_dump(reference), 1e-3);
  const auto says = [&](std::int64_t effort) {
    CheckOptions options;
    options.most_effort = effort;
    const CheckReport report = check(reference, inputs, options);
    EXPECT_EQ(report.verdict, Verdict::disagrees);
    EXPECT_EQ(names_of(report), "unknown");
    return said(report.causes.at(0).evidence);
  };
  EXPECT_THAT(says(1), Says("check.unknown.left_off", {{"effort", "1"}}));
  const std::string some = says(100'000);
  EXPECT_THAT(some, HasSubstr("frequency-format"));
  EXPECT_THAT(some, Says("check.unknown.left_off_alone", {{"effort", "100\u202f000"}}));
  const CheckReport all = check(reference, inputs);
  EXPECT_THAT(said(all.causes.at(0).evidence), Says("check.unknown.evidence"));
  EXPECT_THAT(says(all.effort - 1), Says("check.unknown.left_off_pairs"));
}

TEST(CheckEffort, TheSameOnAnyNumberOfThreads) {
  // So many rows are several pieces of work.
  const CheckReference reference = make_effort_rope(32, uneven_positions(40'000, 120000));
  const CheckInputs inputs = with_larger_cosines(true_dump(reference), 1.1);
  CheckOptions options;
  options.most_effort = 2'000'000;
  options.threads = 1;
  const CheckReport one = check(reference, inputs, options);
  EXPECT_GT(one.effort, 0);
  EXPECT_EQ(names_of(one), "unknown");
  for (const int threads : {2, 3, 8}) {
    options.threads = threads;
    const CheckReport several = check(reference, inputs, options);
    EXPECT_EQ(several.effort, one.effort);
    EXPECT_EQ(said(several.causes.at(0).evidence), said(one.causes.at(0).evidence));
    ASSERT_EQ(several.inputs.size(), one.inputs.size());
    for (std::size_t i = 0; i < one.inputs.size(); ++i) {
      EXPECT_EQ(several.inputs[i].largest_difference, one.inputs[i].largest_difference);
      EXPECT_EQ(several.inputs[i].row, one.inputs[i].row);
      EXPECT_EQ(several.inputs[i].pair, one.inputs[i].pair);
    }
  }
}

}  // namespace ropescope
