// Mistakes of ports that change how a table is stored, where its positions continue, or how many pairs rotate:
// introduced in plain dumps, in every form and for every input in which they can occur.

#include "check_advice.h"
#include "check_faults.h"
#include "core/precision/precision.h"

namespace ropescope {

namespace {

constexpr TableForm kForms[] = {TableForm::once, TableForm::repeated, TableForm::complex_numbers, TableForm::matrices,
                                TableForm::real_and_imaginary};

RotarySpec make_port_spec(int head_dim, int rotary_dim, double base = 10000) {
  return {.head_dim = head_dim,
          .pairing = Pairing::half_split,
          .axes = {RotaryAxis{.rotary_dim = rotary_dim, .base = base}}};
}

/// Positions 0, 1, … as the command line gives them: as many as there are.
CheckCase make_counted_case(const RotarySpec& spec, const std::string& name = "counted") {
  return {name, reference_from_rope(spec)};
}

Dump dump_at_port_positions(const CheckCase& one, const std::vector<double>& positions) {
  return true_dump(reference_from_rope(*one.reference.rope, one.reference.length, positions));
}

std::vector<double> list_port_positions(int count, const std::function<double(int)>& at) {
  std::vector<double> list;
  for (int i = 0; i < count; ++i) list.push_back(at(i));
  return list;
}

/// A tensor with two of its axes exchanged, its numbers written out anew.
StoredTensor transpose_inputs(const StoredTensor& tensor, std::size_t first) {
  StoredTensor view = tensor;
  std::swap(view.shape[first], view.shape[first + 1]);
  std::swap(view.strides[first], view.strides[first + 1]);
  std::vector<double> numbers(static_cast<std::size_t>(view.count() * (is_complex(view.storage) ? 2 : 1)));
  read_rows(view, 0, view.shape[0], numbers.data());
  return store_values(tensor.name, view.shape, numbers, tensor.storage);
}

CheckInputs transpose_inputs(CheckInputs inputs) {
  for (auto* tensor : {&inputs.cosine, &inputs.sine, &inputs.table}) {
    if (*tensor) *tensor = transpose_inputs(**tensor, 0);
  }
  return inputs;
}

}  // namespace

/// Alone, on every layout and rope, where some number shows it. What the numbers are too coarse or too few to tell from
/// another mistake stands beside it.
TEST(CheckPorts, EveryOneAloneOnEveryLayoutAndRope) {
  const std::vector<CheckCase> cases = layout_and_rope_cases();
  const std::vector<CheckCell> cells = cells_of(cases);
  const std::vector<Fault> faults = port_faults();
  Sample sample("one fault of ports × layouts and ropes × formats", 12);
  int named = 0;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const Fault& fault = faults[i];
    const auto is_tried = [&fault](const CheckCell& cell) {
      // The width cannot be inferred yet from ids that are stretched to a square, or fitted in two dimensions. Columns
      // rotate the slowest third of the head in qwen2.5-omni: bfloat16 does not distinguish adjacent ones.
      const std::set<std::string> never = {"cogview4", "vit-mixed"};
      const bool too_coarse = cell.storage == Storage::bfloat16 && cell.one->name == "qwen2.5-omni";
      if (fault.variant == "row stride" && (never.contains(cell.one->name) || too_coarse)) return false;
      return exists(fault, cell);
    };
    for (const auto& [one, storage] : sample.of(i, cells, is_tried)) {
      Dump faulty = true_dump(one->reference);
      fault.commit(*one, faulty);
      SCOPED_TRACE(one->name + ": " + fault.cause + " " + fault.variant + ", " + std::string(storage_name(storage)));
      const CheckReport report = check(one->reference, tables_of(faulty, storage));
      // In bfloat16 both roundings give the same numbers.
      if (storage == Storage::bfloat16 && fault.variant == "float16" && names_of(report) == "frequency-format")
        continue;
      EXPECT_EQ(names_of(report), fault.cause);
      EXPECT_EQ(report.verdict, Verdict::disagrees);
      EXPECT_TRUE(!fault.parameters || fault.parameters(*one, report));
      ++named;
      if (report.causes.empty()) continue;
      expect_fixed(*one, report.causes[0], faulty,
                   [&, format = storage](const Dump& dump) { return tables_of(dump, format); });
    }
  }
  EXPECT_GT(named, runs_all_cells() ? 150 : 50);
}

TEST(CheckPorts, CosAndSinExchangedInEveryForm) {
  for (const CheckCase& one :
       {rope_case("plain"), rope_case("yarn"), layout_case("flux.1"), layout_case("ltx-video")}) {
    Dump dump = true_dump(one.reference);
    dump.exchanged = true;
    for (const TableForm form : kForms) {
      const CheckReport report = check(one.reference, tables_of(dump, Storage::float32, form));
      EXPECT_EQ(names_of(report), "cos-sin-exchanged") << one.name;
      EXPECT_EQ(report.verdict, Verdict::disagrees);
    }
    // Two files given for each other.
    CheckInputs files = tables_of(true_dump(one.reference));
    std::swap(files.cosine, files.sine);
    EXPECT_EQ(names_of(check(one.reference, files)), "cos-sin-exchanged") << one.name;
    CheckInputs vectors = vectors_in(dump);
    EXPECT_EQ(names_of(check(one.reference, vectors)), "cos-sin-exchanged") << one.name;
  }
}

TEST(CheckPorts, TablesOfPairsByTokens) {
  const CheckCase square = make_counted_case(make_port_spec(128, 128));
  for (const CheckCase& one : {square, layout_case("flux.1"), layout_case("wan")}) {
    for (const int tokens : {64, 96, 128}) {
      const Dump dump = one.reference.rope
                            ? dump_at_port_positions(one, list_port_positions(tokens, [](int i) { return i; }))
                            : true_dump(one.reference);
      for (const TableForm form : kForms) {
        const CheckInputs inputs = tables_of(dump, Storage::float32, form);
        EXPECT_EQ(names_of(check(one.reference, inputs)), "agrees") << one.name << tokens;
        const CheckReport report = check(one.reference, transpose_inputs(inputs));
        EXPECT_EQ(names_of(report), "table-transposed") << one.name << tokens;
        EXPECT_EQ(report.verdict, Verdict::disagrees);
        ASSERT_FALSE(report.inputs.empty());
        EXPECT_FALSE(report.inputs[0].agrees);
      }
    }
  }
  // Beside another mistake.
  Dump louder = true_dump(layout_case("flux.1").reference);
  louder.amplitude = 1.3;
  EXPECT_EQ(names_of(check(layout_case("flux.1").reference, transpose_inputs(tables_of(louder)))),
            "table-transposed + amplitude");
  Dump other = dump_at_port_positions(square, list_port_positions(96, [](int i) { return i; }));
  other.frequencies = true_dump(reference_from_rope(make_port_spec(128, 128, 5e5))).frequencies;
  EXPECT_EQ(names_of(check(square.reference, transpose_inputs(tables_of(other)))), "table-transposed + base");
}

TEST(CheckPorts, PositionsThatDoNotCountOn) {
  const CheckCase one = make_counted_case(make_port_spec(128, 128));
  const struct {
    const char* kind;
    double rows;
    std::function<double(int)> at;
  } kCourses[] = {
      {"restart", 500, [](int i) { return i < 500 ? i : i - 500; }},
      {"restart", 731, [](int i) { return i < 731 ? i : i - 731; }},
      {"wrapped", 256, [](int i) { return i % 256; }},
      {"clamped", 511, [](int i) { return std::min(i, 511); }},
      {"left-padded", 37, [](int i) { return i < 37 ? 1 : i - 37; }},
      {"left-padded", 37, [](int i) { return std::max(i - 37, 0); }},
  };
  for (const auto& course : kCourses) {
    const Dump dump = dump_at_port_positions(one, list_port_positions(1000, course.at));
    CheckInputs vectors = vectors_in(dump, Storage::float32, 1);
    CheckInputs ids = ids_in(dump, Storage::int64);
    for (const CheckInputs& inputs : {tables_of(dump), tables_of(dump, Storage::bfloat16), vectors, ids}) {
      const CheckReport report = check(one.reference, inputs);
      EXPECT_EQ(names_of(report), "position-offset") << course.kind;
      EXPECT_EQ(text_of(report, "kind"), course.kind);
      EXPECT_EQ(number_of(report, "rows"), course.rows) << course.kind;
      if (!report.causes.empty())
        expect_fixed(one, report.causes[0], dump, [](const Dump& after) { return tables_of(after); });
    }
    Dump louder = dump;
    louder.amplitude = 1.3;
    const CheckReport both = check(one.reference, tables_of(louder));
    EXPECT_TRUE(names_of(both) == "amplitude + position-offset" || names_of(both) == "position-offset + amplitude")
        << course.kind << ": " << names_of(both);
  }
  // Three sequences of other lengths.
  const Dump three = dump_at_port_positions(one, list_port_positions(1000, [](int i) {
                                              return i < 300 ? i : i < 720 ? i - 300 : i - 720;
                                            }));
  EXPECT_EQ(list_of(check(one.reference, tables_of(three)), "rows"), (std::vector<double>{300, 720}));
}

TEST(CheckPorts, AnotherNumberOfPairsTurns) {
  // Gemma 4's ladder over the head, of which a quarter turns.
  RotarySpec proportional = make_port_spec(256, 256, 1e6);
  proportional.extension = {"proportional", {{"factor", 1}, {"live_fraction", 0.25}}, {}};
  const CheckCase one = make_counted_case(proportional, "proportional");
  for (const int live : {16, 64, 100}) {
    Dump dump = dump_at_port_positions(one, list_port_positions(300, [](int i) { return i; }));
    for (int pair = 0; pair < 128; ++pair) {
      dump.frequencies[0][static_cast<std::size_t>(pair)] = pair < live ? std::pow(1e6, -pair / 128.0) : 0;
    }
    const CheckReport report = check(one.reference, tables_of(dump));
    EXPECT_EQ(names_of(report), "rotary-dimension") << live;
    EXPECT_EQ(number_of(report, "rotary_dimension"), 2 * live);
    expect_fixed(one, report.causes.at(0), dump, [](const Dump& after) { return tables_of(after); });
  }
  // Vectors of which a part turns: half of the head, where the config says a quarter.
  const CheckCase partial = make_counted_case(make_port_spec(80, 20), "partial");
  for (const int turns : {10, 40, 60}) {
    const CheckCase other = make_counted_case(make_port_spec(turns, turns));
    Dump dump = dump_at_port_positions(other, list_port_positions(100, [](int i) { return i; }));
    CheckInputs part = vectors_in(dump, Storage::float32, 1);
    // The channels past those that turn are as they were.
    CheckInputs whole;
    for (const auto& [from, to] : {std::pair(&part.before, &whole.before), std::pair(&part.after, &whole.after)}) {
      std::vector<double> turning(static_cast<std::size_t>((*from)->count())), all;
      read_rows(**from, 0, 100, turning.data());
      for (std::size_t row = 0; row < 100; ++row) {
        for (std::size_t c = 0; c < 80; ++c) {
          const auto t = static_cast<std::size_t>(turns);
          all.push_back(c < t ? turning[row * t + c] : std::sin(static_cast<double>(row + c)));
        }
      }
      *to = store_values("q", {100, 1, 80}, all, Storage::float32);
    }
    const CheckReport report = check(partial.reference, whole);
    EXPECT_EQ(names_of(report), "rotary-dimension") << turns;
    EXPECT_EQ(number_of(report, "rotary_dimension"), turns);
  }
}

TEST(CheckPorts, TheSameNumbersForAnotherWidthOrAnotherExtension) {
  // Twice as many pairs as there are: no column is given twice.
  const CheckCase half = make_counted_case(make_port_spec(64, 64)), whole = make_counted_case(make_port_spec(128, 128));
  EXPECT_TRUE(finds(check(half.reference,
                          tables_of(dump_at_port_positions(whole, list_port_positions(300, [](int i) { return i; })))),
                    "rotary-dimension", {{"rotary_dimension", 128}}));
  // Llama 3.1's numbers where others are asked for: two of them.
  RotarySpec llama = make_port_spec(128, 128, 5e5);
  llama.trained_length = 8192;
  llama.extension = {"llama3", {{"factor", 16}, {"low_frequency_factor", 1}, {"high_frequency_factor", 1}}, {}};
  const CheckCase asked = make_counted_case(llama, "llama");
  llama.extension.numbers = {{"factor", 8}, {"low_frequency_factor", 1}, {"high_frequency_factor", 4}};
  const Dump usual =
      dump_at_port_positions(make_counted_case(llama, "usual"), list_port_positions(300, [](int i) { return i; }));
  EXPECT_TRUE(finds(check(asked.reference, tables_of(usual)), "scaling-parameters",
                    {{"factor", 8}, {"high_frequency_factor", 4}}));
  // LongRoPE whose factor is 1 and whose lists are not, left out.
  RotarySpec lists = make_port_spec(64, 64);
  lists.trained_length = 4096;
  std::vector<double> factors;
  for (int i = 0; i < 32; ++i) factors.push_back(1 + 0.5 * i);
  lists.extension = {"longrope", {{"factor", 1}}, {{"short_factors", factors}, {"long_factors", factors}}};
  EXPECT_EQ(names_of(check(make_counted_case(lists, "lists").reference,
                           tables_of(dump_at_port_positions(half, list_port_positions(300, [](int i) { return i; }))))),
            "scaling-missing");
}

TEST(CheckPorts, OneLadderOfSeveralAxesReversed) {
  for (const char* name : {"qwen2-vl", "qwen3-vl"}) {
    const CheckCase one = layout_case(name);
    Dump dump = true_dump(one.reference);
    const std::size_t pairs = dump.pairs();
    std::vector<double> ladder(pairs, 0);
    for (const auto& of : dump.frequencies) {
      for (std::size_t pair = 0; pair < pairs; ++pair) ladder[pair] += of[pair];
    }
    for (auto& of : dump.frequencies) {
      for (std::size_t pair = 0; pair < pairs; ++pair) of[pair] = of[pair] == 0 ? 0 : ladder[pairs - 1 - pair];
    }
    EXPECT_TRUE(finds(check(one.reference, tables_of(dump)), "frequency-ladder", {{"kind", "reversed"}})) << name;
  }
}

// 0.1 × 2 565 is on the middle of two bfloat16 numbers: float32 code goes to one, float64 code to the other.
TEST(CheckPorts, AnglesOnTheMiddleOfTwoNumbersTellNothing) {
  const CheckCase one = make_counted_case(make_port_spec(128, 128));
  Dump dump = dump_at_port_positions(one, list_port_positions(4096, [](int i) { return i; }));
  dump.round_angle = round_to_bfloat16;
  EXPECT_TRUE(finds(check(one.reference, tables_of(dump)), "angle-format", {{"format", "bfloat16"}}));
}

TEST(CheckPorts, LtxWithoutItsHalfTurnOrItsStretch) {
  const CheckCase one = layout_case("ltx-video");
  for (const Storage storage : {Storage::float64, Storage::float32, Storage::bfloat16}) {
    Dump plain = true_dump(one.reference), unstretched = plain;
    for (auto& frequencies : plain.frequencies) {
      for (double& frequency : frequencies) frequency *= 2 / std::numbers::pi;
    }
    const CheckReport without = check(one.reference, tables_of(plain, storage));
    EXPECT_TRUE(finds(without, "position-scale", {{"of", "frequencies"}}));
    EXPECT_NEAR(number_of(without, "factor"), 2 / std::numbers::pi, 1e-12);
    const auto given = [&](const Dump& dump) { return tables_of(dump, storage); };
    expect_fixed(one, without.causes.at(0), plain, given);
    for (double& scale : unstretched.id_scale) scale = 1;
    for (double& offset : unstretched.id_offset) offset = 0;
    const CheckReport report = check(one.reference, tables_of(unstretched, storage));
    EXPECT_TRUE(finds(report, "centring", {{"kind", "not-stretched"}}));
    expect_fixed(one, report.causes.at(0), unstretched, given);
  }
}

/// Rows counted from the bottom, below 0 and above (their sines negated), odd and even sides, in every format.
TEST(CheckPorts, QwenImagesRowsNegated) {
  for (const auto& [rows, columns] : {std::pair(5, 7), std::pair(6, 9), std::pair(21, 33), std::pair(20, 32)}) {
    const CheckCase one = layout_case("qwen-image", rows, columns);
    Dump dump = true_dump(one.reference);
    for (std::size_t row = 0; row < dump.rows(); ++row) {
      if (dump.parts[row] != "text") dump.ids[row][1] *= -1;
    }
    for (const Storage storage : {Storage::float32, Storage::bfloat16, Storage::float16}) {
      EXPECT_TRUE(finds(check(one.reference, tables_of(dump, storage)), "position-scale",
                        {{"factor", std::vector<double>{1, -1, 1}}}))
          << rows << "x" << columns << ", " << storage_name(storage);
    }
  }
}

}  // namespace ropescope
