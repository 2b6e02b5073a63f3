#include "check_dump.h"

namespace ropescope {

namespace {

constexpr Storage kBoth[] = {Storage::float32, Storage::bfloat16};

/// The first rows of a dump and some more, at the ids given.
Dump longer(const Dump& dump, const std::vector<double>& ids, int more) {
  Dump longer = dump;
  for (int i = 0; i < more; ++i) {
    longer.ids.push_back(ids);
    longer.parts.emplace_back("padding");
  }
  return longer;
}

CheckReport check_yarn(const std::function<void(RotarySpec&)>& change) {
  const CheckCase one = rope_case("yarn");
  RotarySpec spec = *one.reference.rope;
  change(spec);
  return check(one.reference, tables_of(true_dump(reference_from_rope(spec, {}, one.reference.positions))));
}

}  // namespace

TEST(CheckNumbers, AnOffsetBeyondHalfATurnOfTheSlowestPair) {
  RotarySpec spec{.head_dim = 64, .axes = {RotaryAxis{.rotary_dim = 64, .base = 10000}}};
  std::vector<double> positions = counted_positions(40);
  const CheckReference reference = reference_from_rope(spec, {}, positions);
  for (const Storage storage : kBoth) {
    for (const double by : {-30000.0, 25000.0, 47124.0, 131072.0}) {
      Dump dump = true_dump(reference);
      for (auto& ids : dump.ids) ids[0] += by;
      const CheckReport report = check(reference, tables_of(dump, storage));
      EXPECT_EQ(names_of(report), "position-offset") << by;
      EXPECT_EQ(list_of(report, "offset"), std::vector<double>{by});
    }
  }
  const CheckCase image = layout_case("z-image");
  Dump dump = true_dump(image.reference);
  for (auto& ids : dump.ids) {
    for (double& id : ids) id += 700;
  }
  const CheckReport report = check(image.reference, tables_of(dump));
  EXPECT_EQ(list_of(report, "offset"), (std::vector<double>{700, 700, 700}));
}

TEST(CheckNumbers, RowsTooManyAreALength) {
  const CheckCase one = layout_case("flux.1", 8, 6);
  const Dump truth = true_dump(one.reference);
  const auto rows = static_cast<double>(truth.rows());
  for (const int more : {1, 5}) {
    for (const std::vector<double>& ids : {std::vector<double>{0, 0, 0}, truth.ids.back(), {7, 1.25, -80}}) {
      const CheckReport report = check(one.reference, tables_of(longer(truth, ids, more)));
      EXPECT_EQ(names_of(report), "length");
      EXPECT_EQ(number_of(report, "length"), rows + more);
      EXPECT_TRUE(has_note(report, "check.note.rows", TextValues{{"due", std::to_string(truth.rows())}}));
      EXPECT_LT(report.causes[0].residual_after, 1e-6);
      EXPECT_GT(report.causes[0].residual_before, 0.9);
    }
  }
}

TEST(CheckNumbers, ARowTooManyOrTooFewInTheMiddleIsALength) {
  for (const char* name : {"flux.1", "qwen-image", "wan", "torchtune-vision"}) {
    SCOPED_TRACE(name);
    const CheckCase one = layout_case(name, 8, 6);
    const Dump truth = true_dump(one.reference);
    Dump more = truth, less = truth;
    more.ids.insert(more.ids.begin() + 20, truth.ids[20]);
    more.parts.insert(more.parts.begin() + 20, truth.parts[20]);
    less.ids.erase(less.ids.begin() + 20);
    less.parts.erase(less.parts.begin() + 20);
    Dump first_again = longer(truth, truth.ids[0], 1);
    for (const Dump* dump : {&more, &less, &first_again}) {
      const CheckInputs inputs = tables_of(*dump);
      const CheckReport report = check(one.reference, inputs);
      EXPECT_EQ(names_of(report), "length");
      EXPECT_EQ(number_of(report, "length"), static_cast<double>(dump->rows()));
      EXPECT_LT(report.causes[0].residual_after, 1e-5);
    }
  }
}

TEST(CheckNumbers, ATableThatTurnsNothingHasAllIdsAtZero) {
  for (const char* name : {"flux.1", "qwen-image", "dinov3", "plain", "yarn"}) {
    const bool is_rope = std::string(name) == "plain" || std::string(name) == "yarn";
    const CheckCase one = is_rope ? rope_case(name) : layout_case(name);
    Dump dump = true_dump(one.reference);
    for (auto& ids : dump.ids) std::fill(ids.begin(), ids.end(), 0.0);
    for (double& offset : dump.id_offset) offset = 0;
    EXPECT_TRUE(finds(check(one.reference, tables_of(dump)), "position-scale", {{"factor", 0}})) << name;
  }
}

TEST(CheckNumbers, TokensOfAReferenceShareAnId) {
  for (const char* name : {"flux.1-kontext", "flux.2"}) {
    const CheckCase one = layout_case(name);
    Dump dump = true_dump(one.reference);
    dump.ids[dump.rows() - 1] = dump.ids[dump.rows() - 3];
    CheckInputs ids = ids_in(dump);
    for (const CheckInputs& inputs : {tables_of(dump), ids}) {
      const CheckReport report = check(one.reference, inputs);
      const auto last = static_cast<double>(dump.rows() - 1);
      EXPECT_TRUE(finds(report, "collision", {{"rows", std::vector<double>{last - 2, last}}})) << name;
    }
  }
}

TEST(CheckNumbers, EveryRampThatIsCutToWholePairsIsFound) {
  RotarySpec spec{.head_dim = 128,
                  .axes = {RotaryAxis{.rotary_dim = 128, .base = 10000}},
                  .trained_length = 4096,
                  .extension = {"yarn", {{"factor", 8}}, {}}};
  std::vector<double> positions = counted_positions(64);
  const CheckReference reference = reference_from_rope(spec, {}, positions);
  const auto expect_found = [&](const char* name, double value) {
    RotarySpec other = spec;
    other.extension.numbers[name] = value;
    const CheckReport report = check(reference, tables_of(true_dump(reference_from_rope(other, {}, positions))));
    EXPECT_EQ(names_of(report), "scaling-parameters") << name << " " << value;
    // Its neighbours may give the same ramp: a pair more or less is a sixth.
    EXPECT_NEAR(number_of(report, name) / value, 1, 0.17) << name << " " << value;
  };
  for (const double fast : {12.0, 16.0, 20.0, 24.0, 25.0, 26.0, 48.0, 96.0}) expect_found("beta_fast", fast);
  for (const double slow : {0.5, 1.5, 2.0, 6.0}) expect_found("beta_slow", slow);
}

TEST(CheckNumbers, TruncationLeavesARangeOfWhichTheLikeliestIsSaid) {
  EXPECT_TRUE(finds(check_yarn([](RotarySpec& spec) { spec.trained_length = 8192; }), "scaling-parameters",
                    {{"trained_length", 8192}}));
  const CheckReport ramp = check_yarn([](RotarySpec& spec) { spec.extension.numbers["beta_fast"] = 24; });
  EXPECT_EQ(names_of(ramp), "scaling-parameters");
  // 24 and its neighbours give the same frequencies: a short number of them, and how far they reach.
  EXPECT_NEAR(number_of(ramp, "beta_fast"), 24, 3);
  EXPECT_THAT(said(ramp.causes[0].evidence), Says("check.evidence.range"));
  const CheckReport factor = check_yarn([](RotarySpec& spec) { spec.extension.numbers["factor"] = 8; });
  EXPECT_EQ(number_of(factor, "factor"), 8);
  EXPECT_THAT(said(factor.causes[0].evidence), Not(Says("check.evidence.range")));
}

TEST(CheckNumbers, AFaultNearTheNoiseOfBfloat16IsNamedAlone) {
  // The ramp of OLMo 3.1, which only a few of the tables' numbers show to be cut.
  RotarySpec spec{.head_dim = 128,
                  .axes = {RotaryAxis{.rotary_dim = 128, .base = 500000}},
                  .trained_length = 8192,
                  .extension = {"yarn", {{"factor", 8}, {"attention_factor", 1.2079441541679836}}, {}}};
  std::vector<double> positions = counted_positions(64);
  RotarySpec other = spec;
  other.extension.numbers["truncate"] = 0;
  EXPECT_TRUE(finds(check(reference_from_rope(spec, {}, positions),
                          tables_of(true_dump(reference_from_rope(other, {}, positions)), Storage::bfloat16)),
                    "scaling-parameters", {{"truncate", 0}}));
}

TEST(CheckNumbers, NamesThatSayNothingMoreAreNoTies) {
  const CheckReport plain = check_yarn([](RotarySpec& spec) { spec.extension = Extension{}; });
  EXPECT_EQ(names_of(plain), "scaling-missing");
  EXPECT_THAT(plain.causes[0].also, Not(Contains("base")));
  // Llama 3's ramp with the factor 1 is no ramp; linear scaling by 1 is no other method.
  const CheckReference llama = rope_case("llama3").reference;
  RotarySpec unscaled = *llama.rope;
  unscaled.extension = Extension{};
  const CheckReport missing = check(llama, tables_of(true_dump(reference_from_rope(unscaled, {}, llama.positions))));
  EXPECT_EQ(names_of(missing), "scaling-missing");
  EXPECT_THAT(missing.causes[0].also, ElementsAre("scaling-parameters"));
  const CheckCase one = rope_case("plain");
  RotarySpec spec = *one.reference.rope;
  spec.axes[0].base = 123456;
  const CheckReport base =
      check(one.reference, tables_of(true_dump(reference_from_rope(spec, {}, one.reference.positions))));
  EXPECT_EQ(names_of(base), "base");
  EXPECT_THAT(base.causes[0].also, Not(Contains("scaling-kind")));
}

TEST(CheckNumbers, ATextThatStartsElsewhereBesideAnyAmplitude) {
  const Layout& layout = find_layout("flux.1");
  LayoutRequest request{.image = ImageSize::tokens(8, 6), .text = 5};
  const CheckReference reference = reference_from_layout(layout, request);
  for (const Storage storage : kBoth) {
    for (const double amplitude : {0.8, 1.1, 1.3, 1.5, 2.0}) {
      Dump dump = true_dump(reference);
      dump.amplitude = amplitude;
      for (std::size_t row = 0; row < 5; ++row) dump.ids[row] = {3, 3, 3};
      const CheckReport report = check(reference, tables_of(dump, storage));
      EXPECT_THAT(names_of(report), HasSubstr("text-start")) << amplitude;
      EXPECT_THAT(names_of(report), HasSubstr("amplitude")) << amplitude;
      EXPECT_EQ(report.causes.size(), 2U);
    }
  }
}

}  // namespace ropescope
