#include "app/experiment/experiment.h"
#include "app/experiment/rope_spec.h"
#include "app/resources/models.h"
#include "core/rotary/spec.h"
#include "tests/said.h"

namespace ropescope {
namespace {

Profile profile_with(std::vector<RotaryAxis> axes) {
  Profile profile;
  profile.name = "full attention";
  profile.spec.axes = std::move(axes);
  profile.spec.head_dim = total_rotary_dim(profile.spec);
  return profile;
}

TEST(RopeFields, RoundTripOfAPlainProfile) {
  Profile profile = profile_with({{"position", 64, 500000}});
  profile.spec.head_dim = 128;
  profile.spec.pairing = Pairing::interleaved;
  profile.spec.trained_length = 8192;
  profile.spec.extension = {"llama3", {{"factor", 8}, {"low_frequency_factor", 1}, {"high_frequency_factor", 4}}, {}};
  const RopeFields fields = to_rope_fields(profile, "llama.json");
  EXPECT_EQ(fields.label, "llama.json");
  EXPECT_EQ(fields.profile, "full attention");
  EXPECT_EQ(fields.scaling.method, "llama3");
  EXPECT_EQ(fields.scaling["factor"], 8);
  EXPECT_EQ(spec_of(fields), profile.spec);
  EXPECT_EQ(read_rope(fields).ladder.frequencies, scaled_ladder(profile.spec, 0).frequencies);
  EXPECT_LT(read_rope(fields).ladder.frequencies[31], plain_frequencies(64, 500000)[31] / 7.9);
}

TEST(RopeFields, RoundTripOfSeveralAxes) {
  for (const double base : {10000.0, 2000.0}) {
    const Profile profile = profile_with({{"t", 16, 10000}, {"row", 56, base}, {"column", 56, base}});
    RopeFields fields = to_rope_fields(profile, "flux");
    EXPECT_EQ(spec_of(fields).axes, profile.spec.axes);
    EXPECT_EQ(fields.axis, "t");
    EXPECT_EQ(read_rope(fields).ladder.frequencies, plain_frequencies(16, 10000));
    fields.axis = "column";
    EXPECT_EQ(read_rope(fields).ladder.frequencies, plain_frequencies(56, base));
  }
  // A base that all share stays a field.
  RopeFields shared = to_rope_fields(profile_with({{"t", 16, 10000}, {"row", 56, 10000}}), "");
  EXPECT_EQ(shared.axes, "t:16,row:56");
  shared.base = 100;
  EXPECT_EQ(read_rope(shared).ladder.frequencies, plain_frequencies(16, 100));
}

TEST(RopeFields, AProportionalLadderIsTheMethodOfThatName) {
  RotaryAxis axis{"position", 512, 1e6};
  axis.ladder = Ladder::proportional;
  axis.live_fraction = 0.25;
  axis.factor = 2;
  Profile profile = profile_with({axis});
  const RopeFields fields = to_rope_fields(profile, "gemma");
  EXPECT_EQ(fields.scaling.method, "proportional");
  EXPECT_EQ(read_rope(fields).ladder.frequencies, proportional_frequencies(512, 1e6, 0.25, 2));
  profile.spec.extension = {"linear", {{"factor", 2}}, {}};
  EXPECT_REFUSED(to_rope_fields(profile, ""), HasSubstr("proportional ladder"));
}

TEST(RopeFields, RoundTripOfEveryMethod) {
  for (const ScalingMethod& method : all_scaling_methods()) {
    Profile profile = profile_with({{"position", 8, 10000}});
    profile.spec.trained_length = 4096;
    profile.spec.extension.method = method.name;
    double value = 1;
    for (const ScalingField& parameter : method.parameters) {
      value += 0.0625;
      profile.spec.extension.numbers[std::string(parameter.name)] =
          parameter.is_switch ? 1 - parameter.initial : std::clamp(value, parameter.minimum, parameter.maximum);
    }
    // The faster of two bounds comes first in every list of parameters, so it must be the larger one.
    std::map<std::string, double>& numbers = profile.spec.extension.numbers;
    for (const char* fast : {"beta_fast", "beta_0", "gamma_0"}) {
      if (numbers.count(fast)) numbers[fast] = 20;
    }
    if (!method.lists.empty()) {
      profile.spec.extension.lists = {{"short_factors", {1, 1.1, 1.0 / 3, 2}},
                                      {"long_factors", {1, 1.0499999523162842, 7, 64.83999633789062}}};
    }
    RopeFields fields = to_rope_fields(profile, "");
    EXPECT_EQ(spec_of(fields), profile.spec) << method.name;
    EXPECT_EQ(read_rope(fields).ladder.frequencies, scaled_ladder(profile.spec, 0).frequencies) << method.name;
    fields.scaling.length = 10000;
    EXPECT_EQ(read_rope(fields).ladder.frequencies, scaled_ladder(profile.spec, 0, 10000).frequencies) << method.name;
    EXPECT_EQ(read_rope(fields).ladder.amplitude, scaled_ladder(profile.spec, 0, 10000).amplitude) << method.name;
  }
}

TEST(RopeFields, AChangeOfMethodKeepsWhatBothHave) {
  RopeFields fields;
  fields.scaling.method = "yarn";
  fields.scaling["factor"] = 16;
  fields.scaling.method = "linear";
  EXPECT_EQ(spec_of(fields).extension, (Extension{"linear", {{"factor", 16}}, {}}));
  fields.scaling.method = "none";
  EXPECT_EQ(spec_of(fields).extension, Extension{});
}

TEST(RopeFields, AnExtensionThatCannotBeAppliedIsAnError) {
  RopeFields fields;
  fields.scaling.method = "yarn";
  fields.trained_length = 0;
  EXPECT_REFUSED(read_rope(fields),
                 AllOf(HasSubstr("yarn: "), Says("error.scaling.missing", {{"parameter", "trained_length"}})));
  fields.trained_length = 4096;
  fields.scaling["beta_slow"] = 40;
  EXPECT_REFUSED(read_rope(fields), AllOf(Says("error.scaling.value", {{"parameter", "beta_fast"}, {"found", "32"}}),
                                          Says("scaling.at_least", {{"lower", "beta_slow"}, {"value", "40"}})));
  fields.scaling.method = "longrope";
  EXPECT_REFUSED(read_rope(fields), Says("error.scaling.list_missing", {{"name", "short_factors"}}));
  fields.scaling.lists.at("short_factors") = "1,x";
  EXPECT_REFUSED(read_rope(fields), HasSubstr("rope.short_factors"));
}

/// Every config of the shared folder that opens: fields say exactly what it says.
TEST(RopeFields, EverySharedConfigBecomesFieldsAndBack) {
  const fs::path folder = source_folder() + "/../shared/configs";
  if (!fs::exists(folder / "INDEX.json")) GTEST_SKIP() << "no " << folder;
  int profiles = 0, extended = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".json" || name == "INDEX.json") continue;
    std::ifstream file(entry.path());
    const std::string text(std::istreambuf_iterator<char>(file), {});
    ModelConfig config;
    try {
      config = parse_model_config(text, name);
    } catch (const InputError& error) {
      EXPECT_THAT(said(error), AnyOf(Says("error.config.unsupported"), Says("error.config.own_ladder")));
      continue;
    }
    for (const Profile& profile : config.profiles) {
      const RopeFields fields = to_rope_fields(profile, name);
      RotarySpec expected = profile.spec;
      expected.extension = fill_defaults(profile.spec.extension);
      EXPECT_EQ(spec_of(fields), expected) << name << " " << profile.name;
      const ScaledLadder from_fields = read_rope(fields).ladder, from_file = scaled_ladder(profile.spec, 0);
      EXPECT_EQ(from_fields.frequencies, from_file.frequencies) << name;
      EXPECT_EQ(from_fields.amplitude, from_file.amplitude) << name;
      Experiment experiment;
      experiment.rope = fields;
      EXPECT_EQ(experiment_from_json(experiment_to_json(experiment), name), experiment) << name;
      ++profiles;
      if (profile.spec.extension.method != "none") ++extended;
    }
  }
  EXPECT_GE(profiles, 55);
  EXPECT_EQ(extended, 14);
}

TEST(RopeFields, NoTrainedLengthIsZero) {
  const Profile profile = profile_with({{"position", 64, 10000}});
  EXPECT_EQ(to_rope_fields(profile, "").trained_length, 0);
  EXPECT_FALSE(spec_of(to_rope_fields(profile, "")).trained_length);
}

TEST(RopeFields, TheHeadGrowsWithTheRotaryPart) {
  RopeFields fields;
  fields.rotary_dim = 256;
  EXPECT_EQ(spec_of(fields).head_dim, 256);
  fields.head_dim = 512;
  EXPECT_EQ(spec_of(fields).head_dim, 512);
}

TEST(RopeFields, ABaseOutsideTheFieldIsRefused) {
  const Profile profile = profile_with({{"position", 64, 1e15}});
  EXPECT_REFUSED(to_rope_fields(profile, ""), Says("error.field", {{"field", "rope.base"}, {"found", "1e+15"}}));
  RopeFields fields;
  fields.rotary_dim = std::numeric_limits<double>::quiet_NaN();
  EXPECT_REFUSED(spec_of(fields), HasSubstr("rope.rotary_dim"));
}

TEST(RopeFields, EveryPresetBecomesFieldsAndBack) {
  for (const Preset& preset : load_presets(source_folder() + "/assets")) {
    for (const Profile& profile : preset.profiles) {
      Experiment experiment;
      experiment.rope = to_rope_fields(profile, preset.name);
      RotarySpec expected = profile.spec;
      expected.extension = fill_defaults(profile.spec.extension);
      EXPECT_EQ(spec_of(experiment.rope), expected) << preset.id << " " << profile.name;
      EXPECT_EQ(experiment_from_json(experiment_to_json(experiment), preset.id), experiment);
      Experiment clamped = experiment;
      clamp(clamped);
      EXPECT_EQ(clamped, experiment) << preset.id;
    }
  }
}

}  // namespace
}  // namespace ropescope
