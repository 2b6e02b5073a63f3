// The fix for each cause: config lines that mean the reference when they are read back, formulas of ids, and NumPy code
// whose numbers are the reference's.
#include "core/formats/programs/check_fix.h"

#include "check_faults.h"
#include "core/check/causes/cause.h"
#include "core/formats/config_layout.h"
#include "core/scaling/scaling.h"
#include "equivalent_profiles.h"
#include "tests/python_programs.h"
#include "tests/unit/stored_files.h"

namespace ropescope {
namespace {

CheckCause make_named_cause(const char* name) {
  CheckCause cause;
  cause.name = name;
  return cause;
}

Fix fix(const char* cause, const CheckReference& reference) {
  return fix_of(make_named_cause(cause), reference);
}

/// Numbers one after the other, as numpy.fromfile reads them.
void write_numbers(const fs::path& path, const StoredTensor& tensor) {
  std::ofstream(path, std::ios::binary) << raw(numbers_of(tensor), Storage::float64);
}

std::string shape_of(const StoredTensor& tensor) {
  std::string text;
  for (const std::int64_t side : tensor.shape) text += std::to_string(side) + ", ";
  return "(" + text + ")";
}

void expect_tables(const Dump& truth, const std::vector<double>& found) {
  ASSERT_EQ(found.size(), 2 * truth.rows() * truth.pairs());
  const std::size_t sines = truth.rows() * truth.pairs();
  double worst = 0;
  for (std::size_t row = 0; row < truth.rows(); ++row) {
    for (std::size_t pair = 0; pair < truth.pairs(); ++pair) {
      const double angle = truth.angle(row, pair), allowed = 1e-12 + 4e-16 * std::abs(angle);
      const std::size_t at = row * truth.pairs() + pair;
      worst = std::max(worst, std::abs(found[at] - truth.amplitude * std::cos(angle)) / allowed);
      worst = std::max(worst, std::abs(found[sines + at] - truth.amplitude * std::sin(angle)) / allowed);
    }
  }
  EXPECT_LE(worst, 1) << "of what is allowed";
}

}  // namespace

TEST(CheckFix, OfAGgufIsOptionsOfLlamaCpp) {
  CheckReference reference = reference_from_rope(profile_with({"none", {}, {}}).spec);
  reference.is_gguf = true;
  EXPECT_THAT(fix("base", reference).config, IsEmpty());
  EXPECT_THAT(fix("base", reference).options, HasSubstr("--rope-freq-base "));
  EXPECT_THAT(fix("base", reference).numpy, HasSubstr("numpy"));
  EXPECT_THAT(fix("rotary-dimension", reference).options, IsEmpty()) << "metadata of the file, no option";
  EXPECT_THAT(fix("sign", reference).options, IsEmpty());
  CheckReference yarn = reference_from_rope(
      profile_with({"yarn", {{"factor", 4}, {"beta_fast", 32}, {"beta_slow", 1}, {"truncate", 1}}, {}}).spec);
  yarn.is_gguf = true;
  const std::string options = fix("scaling-missing", yarn).options;
  for (const char* option : {"--rope-scaling yarn", "--rope-freq-base", "--rope-freq-scale 0.25", "--yarn-orig-ctx",
                             "--yarn-beta-fast 32"}) {
    EXPECT_THAT(options, HasSubstr(option));
  }
  CheckReference llama3 = reference_from_rope(
      profile_with({"llama3", {{"factor", 8}, {"low_frequency_factor", 1}, {"high_frequency_factor", 4}}, {}}).spec);
  llama3.is_gguf = true;
  EXPECT_THAT(fix("scaling-missing", llama3).options, IsEmpty()) << "a tensor of the file, no option";
  llama3.is_gguf = false;
  EXPECT_THAT(fix("scaling-missing", llama3).config, HasSubstr("llama3"));
}

TEST(CheckFix, EveryCauseSaysWhatToWrite) {
  const std::set<std::string> of_ids = {"axes-swapped",    "order",           "centring",       "text-start",
                                        "reference-index", "position-offset", "position-scale", "position-format",
                                        "length",          "collision"};
  const std::set<std::string> of_the_program = {"pairing",           "table-rotation-mismatch", "sign",
                                                "cos-sin-exchanged", "table-transposed",        "frequency-format",
                                                "angle-format",      "weight-permutation",      "axis-extension"};
  const CheckCase llama = rope_case("yarn"), flux = layout_case("flux.2");
  for (const Cause* cause : all_causes()) {
    const std::string name(cause->name);
    for (const CheckReference* reference : {&llama.reference, &flux.reference}) {
      const Fix found = fix(name.c_str(), *reference);
      SCOPED_TRACE(name + (reference->layout ? " of a layout" : " of a rope"));
      // The numbers are right, another one's, or nothing of a rotation; heads are put in order where they are made.
      const std::set<std::string> of_nothing = {"table-format", "profile", "vector-scale", "head-order"};
      EXPECT_EQ(found.empty(), of_nothing.contains(name));
      if (found.empty()) continue;
      EXPECT_THAT(found.numpy, StartsWith("import numpy\n"));
      EXPECT_EQ(!found.ids.empty(), of_ids.contains(name));
      EXPECT_EQ(!found.config.empty(), !of_ids.contains(name) && !of_the_program.contains(name));
    }
  }
  EXPECT_FALSE(fix("unknown", llama.reference).numpy.empty());
}

TEST(CheckFix, AnotherDumpKnowsNoModel) {
  const Dump truth = true_dump(rope_case("yarn").reference);
  const CheckInputs tables = tables_of(truth);
  EXPECT_TRUE(fix("base", reference_from_tables(*tables.cosine, *tables.sine)).empty());
}

TEST(CheckFix, NumpyHasTheNumbersOfEveryReference) {
  const std::vector<CheckCase> cases = layout_and_rope_cases();
  std::vector<std::string> programs;
  for (const CheckCase& one : cases) programs.push_back(fix("unknown", one.reference).numpy);
  const auto left = run_with_numpy(programs, "[x for n in ('cos', 'sin') for x in left[n].ravel()]");
  if (!left) GTEST_SKIP() << "no python3 with NumPy is there";
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(cases[i].name);
    expect_tables(true_dump(cases[i].reference), (*left)[i]);
  }
}

TEST(CheckFix, RotateTurnsVectorsAsTheModelDoes) {
  const TemporaryFolder folder;
  const std::vector<CheckCase> cases = layout_and_rope_cases();
  std::vector<CheckInputs> inputs(cases.size());
  std::vector<std::string> programs;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    put_vectors(inputs[i], true_dump(cases[i].reference), Storage::float64, 1 + static_cast<int>(i % 3));
    const fs::path q = folder.path / ("q" + std::to_string(i));
    write_numbers(q, *inputs[i].before);
    programs.push_back(fix("pairing", cases[i].reference).numpy + "\nq = numpy.fromfile('" + q.string() + "').reshape" +
                       shape_of(*inputs[i].before));
  }
  const auto left = run_with_numpy(programs, "left['rotate'](left['q']).ravel()");
  if (!left) GTEST_SKIP() << "no python3 with NumPy is there";
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(cases[i].name);
    const std::vector<double>& found = (*left)[i];
    const std::vector<double> expected = numbers_of(*inputs[i].after);
    ASSERT_EQ(found.size(), expected.size());
    double worst = 0;
    for (std::size_t k = 0; k < found.size(); ++k) worst = std::max(worst, std::abs(found[k] - expected[k]));
    EXPECT_LE(worst, 1e-9) << "of angles up to 100 000";
  }
}

TEST(CheckFix, LinesOfAConfigMeanTheReference) {
  for (const NamedProfiles& model : profiles_to_say()) {
    for (const Profile& profile : model.profiles) {
      const CheckReference reference = reference_from_rope(profile.spec);
      const std::string lines = fix("base", reference).config;
      if (lines.empty()) continue;  // transformers has no words for it
      SCOPED_TRACE(model.name + ", " + profile.name + "\n" + lines);
      // Of a class that reads the fraction: transformers 5 ignores it in Llama's.
      const std::string text =
          "{\"model_type\": \"phi3\", \"hidden_size\": 4096, \"num_attention_heads\": 32, " + lines + "}";
      const RotarySpec read = parse_model_config(text, "config.json").profiles.front().spec;
      EXPECT_EQ(read.axes.front().base > 1, true);
      const HeadLadder expected = head_ladder(profile.spec), found = head_ladder(read);
      ASSERT_EQ(found.frequencies.size(), expected.frequencies.size());
      EXPECT_LE((found.frequencies - expected.frequencies).cwiseAbs().maxCoeff(), 1e-14);
    }
  }
}

TEST(CheckFix, LinesOfAnImageModelAreItsOwnFields) {
  struct Model {
    const char* type;
    const char* lines;  ///< of axis-dimensions, or of the base where there are none
  };
  const Model models[] = {{"FluxTransformer2DModel", "\"axes_dims_rope\": [16, 56, 56]"},
                          {"Flux2Transformer2DModel", "\"axes_dims_rope\": [32, 32, 32, 32]"},
                          {"QwenImageTransformer2DModel", "\"axes_dims_rope\": [16, 56, 56]"},
                          {"HunyuanVideoTransformer3DModel", "\"rope_axes_dim\": [16, 56, 56]"},
                          {"Lumina2Transformer2DModel", "\"axes_dim_rope\": [32, 32, 32]"},
                          {"ZImageTransformer2DModel", "\"axes_dims\": [32, 48, 48]"},
                          {"ErnieImageTransformer2DModel", "\"rope_axes_dim\": [32, 48, 48]"},
                          {"WanTransformer3DModel", "\"attention_head_dim\": 128"},
                          {"CogView4Transformer2DModel", "\"attention_head_dim\": 128"}};
  for (const Model& model : models) {
    SCOPED_TRACE(model.type);
    const std::string type = std::string("\"_class_name\": \"") + model.type + "\"";
    LayoutConfig config = parse_layout_config("{" + type + "}", "config.json");
    config.request.image = ImageSize::tokens(5, 7);
    const CheckReference reference = reference_from_layout(find_layout(config.layout), config.request);
    EXPECT_EQ(fix("axis-dimensions", reference).config, model.lines);
    // Every line that there can be, read back, is the same arrangement.
    const std::string lines = fix("frequency-ladder", reference).config;
    LayoutConfig back = parse_layout_config("{" + type + ", " + lines + "}", "config.json");
    back.request.image = config.request.image;
    const TokenLayout again = arrange(find_layout(back.layout), back.request);
    EXPECT_EQ(again.frequencies, reference.tokens.frequencies) << lines;
  }
  const CheckCase sections = layout_case("qwen2-vl");
  EXPECT_EQ(fix("section-layout", sections.reference).config,
            "\"rope_parameters\": {\n  \"mrope_section\": [16, 24, 24],\n  \"mrope_interleaved\": false\n}");
  EXPECT_EQ(fix("base", sections.reference).config, "\"rope_parameters\": {\n  \"rope_theta\": 1000000\n}");
}

TEST(CheckFix, FormulasOfARopeArePositions) {
  const RotarySpec spec;
  EXPECT_EQ(fix("position-offset", reference_from_rope(spec)).ids, "position[i] = i");
  EXPECT_EQ(fix("position-offset", reference_from_rope(spec, {}, std::vector<double>{5, 6, 7})).ids,
            "position = 5 + numpy.arange(3)");
  EXPECT_THAT(fix("position-offset", reference_from_rope(spec, {}, std::vector<double>{0, 2, 4})).numpy,
              HasSubstr("position = 2 * numpy.arange(3)\n"));
  EXPECT_THAT(fix("position-offset", reference_from_rope(spec, {}, std::vector<double>{0, 7, 4095})).numpy,
              HasSubstr("position = numpy.array([0, 7, 4095])\n"));
}

TEST(CheckFix, PositionsOfSequencesAreRangesAndOthersNeedNoFile) {
  std::vector<double> packed(3, 1), scattered;
  for (const int length : {50, 30, 40}) {
    for (int i = 0; i < length; ++i) packed.push_back(i);
  }
  for (int i = 0; i < 100; ++i) scattered.push_back(i * i);
  const Fix ranges = fix("position-offset", reference_from_rope(RotarySpec{}, {}, packed)),
            others = fix("position-offset", reference_from_rope(RotarySpec{}, {}, scattered));
  EXPECT_EQ(ranges.ids, "position = numpy.r_[[1] * 3, 0:50, 0:30, 0:40]");
  EXPECT_THAT(ranges.numpy, HasSubstr("\n" + ranges.ids + "\n"));
  EXPECT_EQ(others.ids, "position[i] = positions[i]");
  EXPECT_THAT(others.numpy, Not(HasSubstr(".npy")));
  // In NumPy, they are these.
  const auto left =
      run_with_numpy({ranges.numpy, "positions = " + json(scattered).dump() + "\n" + others.numpy}, "left['position']");
  if (!left) GTEST_SKIP() << "no python3 with NumPy is there";
  EXPECT_EQ((*left)[0], packed);
  EXPECT_EQ((*left)[1], scattered);
}

TEST(CheckFix, APartOfTheSequenceIsCutOut) {
  const CheckCase flux = layout_case("flux.1");
  CheckInputs inputs = tables_of(true_dump(flux.reference));
  inputs.part = "image";
  CheckCause cause = make_named_cause("base");
  const CheckRows rows = find_part_rows(flux.reference.tokens, "image");
  cause.applied = std::make_shared<const CheckModel>(model_of(flux.reference, inputs, rows.count));
  const auto [first, count] = rows.stretches.front();
  EXPECT_THAT(fix_of(cause, flux.reference).numpy,
              HasSubstr("numpy.r_[" + std::to_string(first) + ":" + std::to_string(first + count) + "]"));
}

}  // namespace ropescope
