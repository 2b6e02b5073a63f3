#include "check_dump.h"

namespace ropescope {

namespace {

Pairing other(Pairing pairing) {
  return pairing == Pairing::interleaved ? Pairing::half_split : Pairing::interleaved;
}

CheckInputs list_of(const std::vector<double>& frequencies, Storage storage = Storage::float32) {
  CheckInputs inputs;
  inputs.frequencies =
      store_values("inv_freq.npy", {static_cast<std::int64_t>(frequencies.size())}, frequencies, storage);
  return inputs;
}

/// θ_i = b^(−2i/d) for the first pairs, by its formula.
std::vector<double> ladder(std::size_t count, double base, double dimension) {
  std::vector<double> frequencies;
  for (std::size_t i = 0; i < count; ++i)
    frequencies.push_back(std::pow(base, -2.0 * static_cast<double>(i) / dimension));
  return frequencies;
}

/// A list of other numbers than are due disagrees, is named and says how many of them were compared.
void expect_counted(const CheckReport& report, std::size_t count, std::size_t due) {
  SCOPED_TRACE(std::to_string(count) + " of " + std::to_string(due));
  ASSERT_EQ(names_of(report), "length");
  EXPECT_EQ(report.verdict, Verdict::disagrees);
  EXPECT_EQ(number_of(report, "pairs"), static_cast<double>(count));
  const std::size_t common = std::min(count, due);
  EXPECT_EQ(report.evidence.pairs, static_cast<std::int64_t>(common));
  EXPECT_TRUE(has_note(report, "check.note.frequencies", TextValues{{"compared", std::to_string(common)}}));
  const CheckedInput& input = report.inputs.at(0);
  EXPECT_FALSE(input.agrees);
  EXPECT_GT(input.largest_difference, input.tolerance) << "no difference that is tolerated beside a disagreement";
  EXPECT_EQ(input.pair, static_cast<std::int64_t>(common));
}

}  // namespace

/// Tables repeat one way, channels are turned one way, and the model does both in its own way: four combinations.
TEST(CheckRepeats, EveryCombinationOfTableAndRotationIsTold) {
  for (const CheckCase& one : {rope_case("plain"), rope_case("plain-interleaved"), layout_case("flux.1")}) {
    for (const bool other_repeats : {false, true}) {
      for (const bool other_companions : {false, true}) {
        Dump dump = true_dump(one.reference);
        if (other_repeats) dump.repeats = other(dump.repeats);
        if (other_companions) dump.companions = other(dump.companions);
        CheckInputs vectors = vectors_in(dump);
        const std::string due = other_repeats && other_companions   ? "pairing"
                                : other_repeats || other_companions ? "table-rotation-mismatch"
                                                                    : "agrees";
        SCOPED_TRACE(one.name + (other_repeats ? ", other repeats" : "") + (other_companions ? ", other pairs" : ""));
        EXPECT_EQ(names_of(check(one.reference, vectors)), due);
        CheckInputs both = tables_of(dump, Storage::float32, TableForm::repeated);
        const CheckReport tables = check(one.reference, both);
        EXPECT_EQ(names_of(tables), "agrees") << "how a table repeats does not say how q is turned";
        const bool adjacent = dump.repeats == Pairing::interleaved;
        EXPECT_EQ(has_note(tables, "check.note.stored_adjacent"), other_repeats && adjacent);
        EXPECT_EQ(has_note(tables, "check.note.stored_by_halves"), other_repeats && !adjacent);
        put_vectors(both, dump);
        EXPECT_EQ(names_of(check(one.reference, both)), due) << "tables too";
      }
    }
  }
}

/// Columns taken out of a table that repeats them the other way.
TEST(CheckRepeats, ATableThatWasCutInTheWrongWay) {
  for (const CheckCase& one : {rope_case("plain"), rope_case("plain-interleaved"), layout_case("flux.1")}) {
    const Dump truth = true_dump(one.reference);
    for (const bool first_half : {true, false}) {
      Dump dump = truth;
      for (std::size_t axis = 0; axis < dump.axes(); ++axis) {
        for (std::size_t pair = 0; pair < dump.pairs(); ++pair) {
          dump.frequencies[axis][pair] = truth.frequencies[axis][first_half ? pair / 2 : 2 * pair % dump.pairs()];
        }
      }
      for (const Storage storage : {Storage::float32, Storage::bfloat16}) {
        const CheckReport report = check(one.reference, tables_of(dump, storage));
        EXPECT_EQ(report.verdict, Verdict::disagrees);
        // Every second frequency of one ladder, twice, is the ladder of half the channels: that is simpler.
        if (is_rope(one) && !first_half) {
          EXPECT_EQ(names_of(report), "rotary-dimension") << one.name;
          EXPECT_THAT(report.causes.at(0).also, Contains("pairing"));
          continue;
        }
        EXPECT_EQ(names_of(report), "pairing") << one.name << first_half;
        EXPECT_EQ(text_of(report, "columns"), first_half ? "first half" : "every second");
        EXPECT_EQ(report.verdict, Verdict::disagrees);
      }
    }
  }
}

TEST(CheckRepeats, FrequenciesThatAreGivenTwice) {
  for (const CheckCase& one : {rope_case("plain"), rope_case("plain-interleaved"), layout_case("flux.1")}) {
    const Dump truth = true_dump(one.reference);
    const std::size_t pairs = truth.pairs();
    for (const bool adjacent : {true, false}) {
      std::vector<double> twice;
      for (std::size_t i = 0; i < 2 * pairs; ++i) {
        double sum = 0;
        for (const auto& of_axis : truth.frequencies) sum += of_axis[adjacent ? i / 2 : i % pairs];
        twice.push_back(sum);
      }
      CheckInputs inputs;
      inputs.frequencies =
          store_values("inv_freq.npy", {static_cast<std::int64_t>(2 * pairs)}, twice, Storage::float32);
      const CheckReport report = check(one.reference, inputs);
      EXPECT_EQ(names_of(report), "agrees") << one.name << adjacent;
      EXPECT_TRUE(has_note(report, "check.note.repeated_frequencies"));
      EXPECT_EQ(report.evidence.pairs, static_cast<std::int64_t>(pairs));
      // Of a list that gives another ladder twice, that ladder is held against the model's.
      for (double& frequency : twice) frequency = std::pow(frequency, 1.25);
      inputs.frequencies = store_values("inv_freq.npy", {static_cast<std::int64_t>(2 * pairs)}, twice);
      EXPECT_EQ(names_of(check(one.reference, inputs)), "base") << one.name << adjacent;
    }
  }
}

TEST(CheckCounts, AListOfFrequencies) {
  const CheckCase one = rope_case("plain");  // 128 channels, base 10 000
  for (const std::size_t count : {1U, 2U, 32U, 63U, 65U, 96U, 200U}) {
    const std::vector<double> first = ladder(count, 10000, 128);
    for (const Storage storage : {Storage::float32, Storage::bfloat16, Storage::float64}) {
      expect_counted(check(one.reference, list_of(first, storage)), count, 64);
    }
    if (count < 32) continue;
    const CheckReport own = check(one.reference, list_of(ladder(count, 10000, 2.0 * static_cast<double>(count))));
    EXPECT_EQ(names_of(own), "rotary-dimension") << count;
    EXPECT_EQ(number_of(own, "rotary_dimension"), 2 * count);
  }
  // Whatever stands behind them.
  std::vector<double> more = ladder(64, 10000, 128);
  more.push_back(0.5);
  expect_counted(check(one.reference, list_of(more)), 65, 64);
  // Nothing of it is right: the counts are said all the same.
  const CheckReport unknown = check(one.reference, list_of({0.3, 0.7, 0.2, 0.9, 0.05}));
  EXPECT_EQ(names_of(unknown), "unknown");
  EXPECT_TRUE(
      has_note(unknown, "check.note.frequencies", TextValues{{"count", "5"}, {"due", "64"}, {"compared", "5"}}));
  // Another base, and too few of them.
  EXPECT_EQ(names_of(check(one.reference, list_of(ladder(40, 500000, 128)))), "length + base");
  // Half of the pairs twice, as many numbers as are due.
  std::vector<double> half = ladder(32, 10000, 64);
  half.insert(half.end(), half.begin(), half.begin() + 32);
  EXPECT_TRUE(finds(check(one.reference, list_of(half)), "rotary-dimension", {{"rotary_dimension", 64}}));
}

TEST(CheckCounts, ListsOfSeveralAxes) {
  const CheckCase flux = layout_case("flux.1");  // 8, 28 and 28 pairs
  CheckInputs all = frequencies_in(true_dump(flux.reference), Storage::float64);
  std::vector<double> due(64);
  read_rows(*all.frequencies, 0, 64, due.data());
  for (const std::size_t count : {8U, 36U, 63U, 92U}) {
    std::vector<double> found;
    for (std::size_t i = 0; i < count; ++i) found.push_back(due[i < 64 ? i : i - 28]);
    expect_counted(check(flux.reference, list_of(found)), count, 64);
  }
  // Programs keep one ladder where every axis has the same.
  for (const char* name : {"vit-axial", "dinov3"}) {
    const CheckCase one = layout_case(name);
    const Dump dump = true_dump(one.reference);
    std::vector<double> own;
    for (const double frequency : dump.frequencies[1]) {
      if (frequency != 0) own.push_back(frequency);
    }
    const CheckReport report = check(one.reference, list_of(own));
    EXPECT_EQ(names_of(report), "agrees") << name;
    EXPECT_TRUE(has_note(report, "check.note.shared_frequencies", TextValues{{"count", std::to_string(own.size())}}));
    EXPECT_EQ(report.evidence.pairs, static_cast<std::int64_t>(dump.pairs()));
    own.back() *= 1.01;
    EXPECT_EQ(check(one.reference, list_of(own)).verdict, Verdict::disagrees) << name;
    own.pop_back();
    EXPECT_EQ(check(one.reference, list_of(own)).verdict, Verdict::disagrees) << name;
  }
}

TEST(CheckCounts, AProportionalLadderWithoutItsZeros) {
  RotarySpec spec{.head_dim = 128,
                  .pairing = Pairing::half_split,
                  .axes = {RotaryAxis{.rotary_dim = 128, .base = 1e6}},
                  .extension = {"proportional", {{"live_fraction", 0.25}}, {}}};
  const CheckReference reference = reference_from_rope(spec, {}, std::vector<double>{0, 1, 2, 3, 5, 8});
  const Eigen::MatrixXd& due = reference.tokens.frequencies;
  std::vector<double> list(due.data(), due.data() + due.size()), turning;
  std::copy_if(list.begin(), list.end(), std::back_inserter(turning), [](double frequency) { return frequency != 0; });
  ASSERT_EQ(turning.size(), 16U);
  EXPECT_EQ(names_of(check(reference, list_of(list))), "agrees");
  const CheckReport report = check(reference, list_of(turning));
  EXPECT_EQ(names_of(report), "agrees");
  EXPECT_TRUE(has_note(report, "check.note.turning_frequencies", TextValues{{"count", "16"}, {"rest", "48"}}));
  EXPECT_EQ(report.evidence.pairs, 16);
  turning.pop_back();
  EXPECT_EQ(check(reference, list_of(turning)).verdict, Verdict::disagrees);
}

/// Of tables with other pairs than are due, the common ones are right.
TEST(CheckCounts, TablesOfOtherPairs) {
  const CheckCase one = rope_case("plain");
  for (const std::size_t count : {32U, 63U, 72U}) {
    Dump dump = true_dump(one.reference);
    dump.frequencies[0] = ladder(count, 10000, 128);
    for (const Storage storage : {Storage::float32, Storage::bfloat16}) {
      const CheckReport report = check(one.reference, tables_of(dump, storage));
      ASSERT_EQ(names_of(report), "length") << count;
      EXPECT_EQ(number_of(report, "pairs"), count);
      EXPECT_TRUE(has_note(report, "check.note.pairs", TextValues{{"pairs", std::to_string(count)}, {"due", "64"}}));
      EXPECT_THAT(said(report.causes[0].evidence),
                  Says(count < 64 ? "check.length.evidence_pairs_missing" : "check.length.evidence_pairs_more",
                       {{"due", "64"}}));
      for (const CheckedInput& input : report.inputs) {
        EXPECT_FALSE(input.agrees);
        EXPECT_GT(input.largest_difference, input.tolerance);
      }
    }
    // Of other rows too: nothing is read where only one side has numbers.
    Dump fewer = dump;
    fewer.ids.pop_back(), fewer.parts.pop_back();
    EXPECT_EQ(check(one.reference, tables_of(fewer)).verdict, Verdict::disagrees) << count;
    dump.frequencies[0] = ladder(count, 10000, 2.0 * static_cast<double>(count));
    EXPECT_EQ(names_of(check(one.reference, tables_of(dump))), "rotary-dimension") << count;
  }
}

}  // namespace ropescope
