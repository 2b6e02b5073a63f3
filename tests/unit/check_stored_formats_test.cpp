#include "check_differences.h"
#include "check_faults.h"

namespace ropescope {

namespace {

/// Numbers of one format in a file of another.
struct Kept {
  Storage numbers, file;
  bool told;  ///< as a cause of its own: what float64 holds of float32 is a note
  std::string name() const {
    return std::string(storage_name(numbers)) + " kept in " + std::string(storage_name(file));
  }
};

constexpr Kept kKept[] = {{Storage::bfloat16, Storage::float32, true}, {Storage::float16, Storage::float32, true},
                          {Storage::bfloat16, Storage::float64, true}, {Storage::float16, Storage::float64, true},
                          {Storage::bfloat16, Storage::float16, true}, {Storage::float32, Storage::float64, false}};

void keep_in(std::optional<StoredTensor>& tensor, Storage file) {
  if (!tensor) return;
  std::vector<double> numbers = numbers_of(*tensor);
  tensor = store_values(tensor->name, tensor->shape, numbers, file);
}

/// Tables and rotated vectors as their format gives them, in files of another; what went into the rotation stays.
CheckInputs kept(const Dump& dump, const Kept& how, std::initializer_list<const Fault*> faults) {
  CheckInputs inputs = inputs_of(dump, how.numbers, faults);
  for (std::optional<StoredTensor>* tensor : {&inputs.cosine, &inputs.sine, &inputs.before, &inputs.after}) {
    keep_in(*tensor, how.file);
  }
  return inputs;
}

std::multiset<std::string> list_named_causes(const CheckReport& report) {
  std::multiset<std::string> names;
  for (const CheckCause& cause : report.causes) names.insert(cause.name);
  return names;
}

struct Count {
  int named_first = 0, otherwise = 0;
};

/// A case, and the file in which a fault on it is kept.
struct KeptCell {
  const CheckCase* one;
  const Kept* how;
};

/// How often a fault was named first in a kind of file.
void count_first_named(const KeptCell& cell, const Fault& fault, std::map<std::string, Count>& counts) {
  const CheckCase& one = *cell.one;
  const Kept& how = *cell.how;
  Dump faulty = true_dump(one.reference);
  ASSERT_TRUE(fault.commit(one, faulty));
  SCOPED_TRACE(one.name + ": " + fault.cause + " " + fault.variant + ", " + how.name());
  const CheckReport report = check(one.reference, kept(faulty, how, {&fault}));
  const std::string expected = fault.expected(one);
  if (!is_taught(one, fault) && names_of(report) == "unknown") return;
  const bool right = !report.causes.empty() && report.causes[0].name == expected;
  ++(right ? counts[how.name()].named_first : counts[how.name()].otherwise);
  EXPECT_TRUE(right) << names_of(report);
  // Beside it the format at most, which is harmless.
  for (std::size_t i = 1; i < report.causes.size(); ++i) EXPECT_EQ(report.causes[i].name, "table-format");
  if (right) {
    EXPECT_EQ(report.verdict, report.causes[0].harmless ? Verdict::agrees : Verdict::disagrees);
  }
  EXPECT_TRUE(!right || !fault.parameters || fault.parameters(one, report));
}

}  // namespace

TEST(CheckStoredFormats, EveryTrueTableAgreesInAnyFile) {
  const std::vector<CheckCase> cases = layout_and_rope_cases();
  Sample sample("true tables × numbers in files of another format", 2);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const CheckCase& one = cases[i];
    for (const Kept& how : sample.of(i, std::vector<Kept>(std::begin(kKept), std::end(kKept)))) {
      SCOPED_TRACE(one.name + ", " + how.name());
      Fault vectors;
      vectors.vectors = true;
      const Dump dump = true_dump(one.reference);
      for (const CheckInputs& inputs : {kept(dump, how, {}), kept(dump, how, {&vectors})}) {
        const CheckReport report = check(one.reference, inputs);
        EXPECT_EQ(report.verdict, Verdict::agrees) << names_of(report);
        for (const CheckCause& cause : report.causes) EXPECT_EQ(cause.name, "table-format");
        for (const CheckedInput& input : report.inputs) EXPECT_TRUE(input.agrees) << input.which;
        EXPECT_EQ(report.causes.empty() ? "" : text_of(report, "format"),
                  report.causes.empty() ? "" : storage_name(how.numbers));
        EXPECT_TRUE(how.told || report.causes.empty());
      }
    }
  }
}

TEST(CheckStoredFormats, EveryCauseIsNamedFirstInAnyFile) {
  const std::vector<CheckCase> cases = layout_and_rope_cases();
  std::vector<KeptCell> cells;
  // The files are dealt to the cases, others to the next fault.
  std::size_t turn = 0;
  for (const CheckCase& one : cases) cells.push_back({&one, &kKept[turn++ % std::size(kKept)]});
  Sample sample("one fault × layouts and ropes, in files of another format", 4);
  std::map<std::string, Count> counts;
  const std::vector<Fault> faults = all_faults();
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const auto is_tried = [&](const KeptCell& cell) {
      return faults[i].cause != "table-format" && exists(faults[i], {cell.one, cell.how->numbers});
    };
    for (const KeptCell& cell : sample.of(i, cells, is_tried)) {
      count_first_named(cell, faults[i], counts);
    }
    for (KeptCell& cell : cells) cell.how = &kKept[turn++ % std::size(kKept)];
  }
  std::string table = "| numbers and file | named first | otherwise |\n| --- | --- | --- |\n";
  for (const auto& [name, count] : counts) {
    EXPECT_GT(count.named_first, runs_all_cells() ? 100 : 20) << name;
    EXPECT_EQ(count.otherwise, 0) << name;
    table += "| " + name + " | " + std::to_string(count.named_first) + " | " + std::to_string(count.otherwise) + " |\n";
  }
  std::printf("%s", table.c_str());
  std::ofstream(written_file("check_format_matrix.md")) << table;
}

TEST(CheckStoredFormats, AFormatTakesNoPlaceOfTwoCauses) {
  const auto find = [](const std::string& cause) {
    for (Fault& fault : all_faults()) {
      if (fault.cause == cause) return fault;
    }
    throw std::invalid_argument("no fault " + cause);
  };
  struct Pair {
    const char *one_case, *first, *second;
  };
  for (const Pair& pair : {Pair{"plain", "base", "amplitude"}, Pair{"flux.1", "axes-swapped", "amplitude"},
                           Pair{"yarn", "scaling-missing", "position-offset"}, Pair{"qwen-image", "base", "sign"},
                           Pair{"flux.1", "text-start", "amplitude"}, Pair{"wan", "position-scale", "base"}}) {
    const std::string name = pair.one_case;
    const CheckCase one = name == "plain" || name == "yarn" ? rope_case(name) : layout_case(name);
    const Fault first = find(pair.first), second = find(pair.second);
    Dump faulty = true_dump(one.reference);
    ASSERT_TRUE(first.commit(one, faulty) && second.commit(one, faulty));
    for (const Kept& how : kKept) {
      SCOPED_TRACE(name + ": " + pair.first + " and " + pair.second + ", " + how.name());
      const CheckReport report = check(one.reference, kept(faulty, how, {&first, &second}));
      std::multiset<std::string> names = list_named_causes(report);
      names.erase("table-format");
      EXPECT_EQ(names, (std::multiset<std::string>{pair.first, pair.second})) << names_of(report);
      EXPECT_EQ(report.verdict, Verdict::disagrees);
    }
  }
}

TEST(CheckStoredFormats, RoundingOnTheWayBesideAnAmplitudeOrASign) {
  // Both change the values: the only two of one group that are looked for together.
  RotarySpec spec{.head_dim = 64, .axes = {RotaryAxis{.rotary_dim = 64, .base = 10000}}};
  std::vector<double> positions;
  for (int i = 0; i < 64; ++i) positions.push_back(37 * i);
  const CheckCase one{"far", reference_from_rope(spec, {}, positions)};
  for (const Fault& rounding : value_faults()) {
    if (rounding.cause != "position-format" && rounding.cause != "frequency-format") continue;
    for (const Fault& other : value_faults()) {
      if (other.cause != "amplitude" && other.cause != "sign") continue;
      const Dump truth = true_dump(one.reference);
      Dump faulty = truth, rounded = truth;
      if (!other.commit(one, faulty)) continue;
      ASSERT_TRUE(rounding.commit(one, faulty) && rounding.commit(one, rounded));
      for (const Kept& how : {kKept[0], Kept{Storage::float32, Storage::float32, false}}) {
        if (!is_visible(truth, rounded, how.numbers)) continue;
        SCOPED_TRACE(rounding.cause + " " + rounding.variant + " and " + other.cause + ", " + how.name());
        const CheckReport report = check(one.reference, kept(faulty, how, {&rounding, &other}));
        std::multiset<std::string> names = list_named_causes(report);
        names.erase("table-format");
        EXPECT_EQ(names, (std::multiset<std::string>{rounding.cause, other.cause})) << names_of(report);
        for (const CheckCause& cause : report.causes) {
          if (cause.name != rounding.cause) continue;
          CheckReport alone = report;
          alone.causes = {cause};
          EXPECT_EQ(text_of(alone, "format"), rounding.variant);
          // With this cause alone the amplitude and the sign are the reference's.
          const CheckDifferences left =
              check_differences(one.reference, kept(faulty, how, {}), cause.applied.get(), 0, 64);
          EXPECT_GT(*std::max_element(left.values.begin(), left.values.end()), 0.1F);
        }
      }
    }
  }
}

TEST(CheckStoredFormats, AFewRoundNumbersTellNoFormat) {
  // 1 and 0 are numbers of every format: a table that does not turn says nothing of its own.
  const CheckCase one = rope_case("plain");
  Dump dump = true_dump(one.reference);
  for (auto& ids : dump.ids) ids[0] = 0;
  EXPECT_EQ(names_of(check(one.reference, tables_of(dump))), "position-scale");
  // A bfloat16 table of which one number is more exact is one of float32.
  dump = true_dump(one.reference);
  CheckInputs inputs = tables_of(dump, Storage::bfloat16);
  keep_in(inputs.cosine, Storage::float32), keep_in(inputs.sine, Storage::float32);
  EXPECT_EQ(names_of(check(one.reference, inputs)), "table-format");
  std::vector<double> numbers = numbers_of(*inputs.cosine);
  numbers[40 * 64 + 3] += 1e-5;
  inputs.cosine = store_values("cos.npy", inputs.cosine->shape, numbers, Storage::float32);
  EXPECT_EQ(check(one.reference, inputs).verdict, Verdict::disagrees);
}

TEST(CheckStoredFormats, AnAmplitudeThatLongRopeForgotIsNoFactor) {
  const CheckCase one = rope_case("longrope");
  ASSERT_NE(one.reference.amplitude, 1);
  for (const double amplitude : {1.0, one.reference.amplitude * one.reference.amplitude}) {
    Dump dump = true_dump(one.reference);
    dump.amplitude = amplitude;
    for (const Storage storage : {Storage::float64, Storage::float32, Storage::float16, Storage::bfloat16}) {
      const CheckReport report = check(one.reference, tables_of(dump, storage));
      EXPECT_EQ(names_of(report), "amplitude") << storage_name(storage);
      EXPECT_NEAR(number_of(report, "amplitude"), amplitude, 1e-3);
      ASSERT_FALSE(report.causes.empty());
      EXPECT_THAT(report.causes[0].also, Not(Contains("scaling-parameters")));
    }
  }
}

}  // namespace ropescope
