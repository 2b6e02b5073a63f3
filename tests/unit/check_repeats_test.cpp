#include <gtest/gtest.h>

#include "check_dump.h"
#include "tests/store_values.h"

namespace ropescope {

namespace {

Pairing other(Pairing pairing) {
  return pairing == Pairing::interleaved ? Pairing::half_split : Pairing::interleaved;
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
        CheckInputs vectors;
        put_vectors(vectors, dump);
        const std::string due = other_repeats && other_companions   ? "pairing"
                                : other_repeats || other_companions ? "table-rotation-mismatch"
                                                                    : "agrees";
        SCOPED_TRACE(one.name + (other_repeats ? ", other repeats" : "") + (other_companions ? ", other pairs" : ""));
        EXPECT_EQ(names_of(check(one.reference, vectors)), due);
        for (const TableForm form : {TableForm::repeated}) {
          CheckInputs both = tables_of(dump, Storage::float32, form);
          EXPECT_EQ(names_of(check(one.reference, both)), other_repeats ? "pairing" : "agrees");
          put_vectors(both, dump);
          EXPECT_EQ(names_of(check(one.reference, both)), due) << "tables too";
        }
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
      const bool due = adjacent == (truth.repeats == Pairing::interleaved);
      EXPECT_EQ(names_of(check(one.reference, inputs)), due ? "agrees" : "pairing") << one.name << adjacent;
    }
  }
}

}  // namespace ropescope
