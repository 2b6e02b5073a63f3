#include "check_faults.h"

namespace ropescope {

namespace {

/// Which of the three a dump is given as.
struct Given {
  bool ids, frequencies, tables;
};

CheckInputs given_as(const Dump& dump, const Given& given) {
  CheckInputs inputs;
  if (given.ids) put_ids(inputs, dump);
  if (given.frequencies) put_frequencies(inputs, dump);
  if (given.tables) put_tables(inputs, dump);
  return inputs;
}

constexpr Given kAll[] = {{false, true, false}, {false, true, true}, {true, false, true},
                          {true, true, true},   {true, true, false}, {false, false, true}};

Dump with_frequencies_times(const CheckCase& one, double factor) {
  Dump dump = true_dump(one.reference);
  change_ladders(dump, [&](std::size_t, int, int, double old) { return factor * old; });
  return dump;
}

}  // namespace

TEST(CheckFrequencyScale, IsNamedWhateverIsGiven) {
  for (const CheckCase& one : {rope_case("plain"), rope_case("llama3"), layout_case("flux.1"), layout_case("qwen2-vl"),
                               layout_case("vit-mixed"), layout_case("pixtral")}) {
    for (const double factor : {2.0, 0.25, 1.37}) {
      const Dump dump = with_frequencies_times(one, factor);
      for (const Given& given : kAll) {
        // Mixed frequencies are not stored as one list.
        if (one.name == "vit-mixed" && given.frequencies) continue;
        SCOPED_TRACE(one.name + " " + std::to_string(factor) + (given.ids ? " ids" : "") +
                     (given.frequencies ? " frequencies" : "") + (given.tables ? " tables" : ""));
        const CheckReport report = check(one.reference, given_as(dump, given));
        ASSERT_EQ(names_of(report), "position-scale") << said(report.causes[0].evidence);
        EXPECT_NEAR(number_of(report, "factor"), factor, 1e-6 * factor);
        EXPECT_EQ(report.verdict, Verdict::disagrees);
      }
    }
  }
}

TEST(CheckFrequencyScale, TheOtherSignIsTheSign) {
  for (const CheckCase& one : {rope_case("plain"), layout_case("flux.1")}) {
    for (const Given& given : kAll) {
      SCOPED_TRACE(one.name + (given.ids ? " ids" : "") + (given.frequencies ? " frequencies" : "") +
                   (given.tables ? " tables" : ""));
      const CheckReport report = check(one.reference, given_as(with_frequencies_times(one, -1), given));
      EXPECT_EQ(names_of(report), "sign") << said(report.causes[0].evidence);
      EXPECT_EQ(report.verdict, Verdict::disagrees);
      EXPECT_FALSE(report.causes[0].harmless);
      CheckReference own = one.reference;
      own.allowed = {"sign"};
      const CheckReport allowed = check(own, given_as(with_frequencies_times(one, -1), given));
      EXPECT_EQ(names_of(allowed), "sign");
      EXPECT_EQ(allowed.verdict, Verdict::agrees);
      EXPECT_TRUE(has_note(allowed, "check.note.harmless"));
      EXPECT_NE(said(allowed.causes[0].advice), said(report.causes[0].advice));
      EXPECT_EQ(check(own, given_as(with_frequencies_times(one, -2), given)).verdict, Verdict::disagrees);
      const CheckReport both = check(one.reference, given_as(with_frequencies_times(one, -2), given));
      EXPECT_EQ(names_of(both), "sign + position-scale") << said(both.causes[0].evidence);
      EXPECT_EQ(both.verdict, Verdict::disagrees);
    }
  }
}

TEST(CheckFrequencyScale, ARampWhereNoneIsAskedFor) {
  RotarySpec plain{
      .head_dim = 128, .pairing = Pairing::half_split, .axes = {RotaryAxis{.rotary_dim = 128, .base = 500000}}};
  std::vector<double> positions;
  for (int i = 0; i < 512; ++i) positions.push_back(8 * i);
  for (const double factor : {8.0, 32.0}) {
    for (const char* method : {"llama3", "yarn"}) {
      RotarySpec extended = plain;
      extended.trained_length = 8192;
      extended.extension = {method, {{"factor", factor}}, {}};
      if (std::string(method) == "llama3") {
        extended.extension.numbers["low_frequency_factor"] = 1;
        extended.extension.numbers["high_frequency_factor"] = 4;
      } else {
        extended.extension.numbers["attention_factor"] = 1;
      }
      const Dump dump = true_dump(reference_from_rope(extended, {}, positions));
      for (const std::optional<double> trained : {std::optional<double>(), std::optional<double>(131072)}) {
        RotarySpec asked = plain;
        asked.trained_length = trained;
        CheckInputs given = tables_of(dump), frequencies;
        put_frequencies(frequencies, dump);
        for (const CheckInputs& inputs : {tables_of(dump), tables_of(dump, Storage::bfloat16), frequencies}) {
          const CheckReport report = check(reference_from_rope(asked, {}, positions), inputs);
          SCOPED_TRACE(std::string(method) + " " + std::to_string(factor));
          ASSERT_TRUE(finds(report, "scaling-kind", {{"kind", method}}));
          EXPECT_NEAR(number_of(report, "factor"), factor, 1e-3 * factor);
        }
      }
    }
  }
}

}  // namespace ropescope
