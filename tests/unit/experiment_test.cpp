#include "app/experiment/experiment.h"
#include "app/experiment/ladder.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

#include "app/resources/models.h"
#include "core/error.h"
#include "core/rotary/frequencies.h"
#include "tests/places.h"
#include "tests/said.h"

namespace ropescope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string json_error(const std::string& text) {
  return refusal_of([&] { experiment_from_json(text, "mine.json"); });
}
std::string set_error(const std::string& assignment) {
  return refusal_of([&] {
    Experiment experiment;
    set_field(experiment, assignment);
  });
}
std::string list_error(const std::string& text, std::size_t limit = 1000) {
  return refusal_of([&] { parse_list(text, "--distances", limit); });
}

TEST(List, NumbersAndRanges) {
  EXPECT_THAT(parse_list("1,5,9", "x"), ElementsAre(1, 5, 9));
  EXPECT_THAT(parse_list("-2:2", "x"), ElementsAre(-2, -1, 0, 1, 2));
  EXPECT_THAT(parse_list("0:64:16,100", "x"), ElementsAre(0, 16, 32, 48, 64, 100));
  EXPECT_THAT(parse_list("0:10:4", "x"), ElementsAre(0, 4, 8));
  EXPECT_THAT(parse_list("3:1:-1", "x"), ElementsAre(3, 2, 1));
  EXPECT_THAT(parse_list(" 1.5 , +2,1e3", "x"), ElementsAre(1.5, 2, 1000));
  EXPECT_EQ(parse_list("0:1:0.1", "x").size(), 11u);
  EXPECT_THAT(parse_list("7:7", "x"), ElementsAre(7));
}

TEST(List, RefusesWithTheOptionAndThePart) {
  for (const std::string text : {"", "a", "1,,2", "1,", "1:", ":5", "1:2:3:4", "nan", "inf", "1:inf", "0:5:0", "5:1",
                                 "1:5:-1", "1;2", "0x10", "1e999"}) {
    EXPECT_THAT(list_error(text), HasSubstr("--distances: \"")) << text;
  }
  EXPECT_THAT(list_error("3,5:1"), HasSubstr("\"5:1\" is an empty range"));
}

TEST(List, LimitIsKeptWithoutMakingTheNumbers) {
  EXPECT_EQ(parse_list("1:1000", "x", 1000).size(), 1000u);
  EXPECT_THAT(list_error("1:1001"), HasSubstr("more than 1000"));
  EXPECT_THAT(list_error("0:1e300"), HasSubstr("more than 1000"));
  EXPECT_THAT(list_error("1:600,1:600"), HasSubstr("more than 1000"));
}

TEST(ExperimentJson, RefusesNamingKeyAndRange) {
  EXPECT_THAT(json_error(R"({"rope": {"base": 0.5}})"), HasSubstr("mine.json: rope.base is 0.5; a number from 1.01"));
  EXPECT_THAT(json_error(R"({"rope": {"base": "x"}})"), HasSubstr("rope.base"));
  EXPECT_THAT(json_error(R"({"rope": {"base": null}})"), HasSubstr("rope.base"));
  EXPECT_THAT(json_error(R"({"rope": {"base": NaN}})"), HasSubstr("mine.json"));
  EXPECT_THAT(json_error(R"({"rope": {"rotary_dim": 127}})"), HasSubstr("rope.rotary_dim is 127; an even number"));
  EXPECT_THAT(json_error(R"({"decay": {"span": 100.5}})"), HasSubstr("decay.span is 100.5; a whole number from 16"));
  EXPECT_THAT(json_error(R"({"decay": {"span": -5}})"), HasSubstr("decay.span"));
  EXPECT_THAT(json_error(R"({"decay": {"content": "some"}})"),
              HasSubstr("decay.content is the text \"some\"; aligned or random"));
  EXPECT_THAT(json_error(R"({"decay": {"show_bound": 1}})"), HasSubstr("decay.show_bound is 1; true or false"));
  EXPECT_THAT(json_error(R"({"decay": {"bound_range": [2, 1]}})"), HasSubstr("decay.bound_range"));
  EXPECT_THAT(json_error(R"({"hidden": "current"})"), HasSubstr("hidden"));
  EXPECT_THAT(json_error(R"({"decay": 5})"), HasSubstr("decay is 5; an object"));
  EXPECT_THAT(json_error(R"({"rope": {"label": 5}})"), HasSubstr("rope.label is 5; a text"));
  EXPECT_THAT(json_error(R"([1])"), HasSubstr("mine.json"));
  EXPECT_THAT(json_error(R"({"ropescope": 2})"), HasSubstr("ropescope is 2"));
  EXPECT_THAT(json_error("{\"rope\": {\"base\": 1"), HasSubstr("mine.json"));
}

TEST(ExperimentJson, RefusesUnknownKeysNamingNearOnes) {
  EXPECT_THAT(json_error(R"({"rope": {"bse": 100}})"), HasSubstr("\"rope.bse\" is not a key"));
  EXPECT_THAT(json_error(R"({"rope": {"bse": 100}})"), HasSubstr("rope.base"));
  EXPECT_THAT(json_error(R"({"decy": {}})"), HasSubstr("\"decy\""));
  EXPECT_THAT(json_error(R"({"pins": [{"slott": 1}]})"), HasSubstr("pins[0].slott"));
}

TEST(ExperimentJson, Pins) {
  const Experiment read = experiment_from_json(R"({"pins": [{"rope": {"base": 500000}}, {"slot": 5}]})", "x");
  ASSERT_EQ(read.pins.size(), 2u);
  EXPECT_EQ(read.pins[0].rope.base, 500000);
  EXPECT_EQ(read.pins[0].slot, 1);
  EXPECT_EQ(read.pins[1].slot, 5);
  EXPECT_THAT(json_error(R"({"pins": [{}, {"rope": {"base": 1}}]})"), HasSubstr("pins[1].rope.base is 1"));
  EXPECT_THAT(json_error(R"({"pins": [{"slot": 0}]})"), HasSubstr("pins[0].slot is 0"));
  EXPECT_THAT(json_error(R"({"pins": [5]})"), HasSubstr("pins[0] is 5"));
  EXPECT_THAT(json_error(R"({"pins": [{},{},{},{},{},{},{},{},{}]})"), HasSubstr("at most 8 pins"));
  EXPECT_THAT(json_error(R"({"pins": {}})"), HasSubstr("pins"));
}

TEST(ExperimentJson, NamesOfPinsAndNotes) {
  Experiment experiment;
  experiment.pins = {{RopeKnobs(), 7, "the paper's"}, {RopeKnobs(), 8, {}}};
  experiment.notes = {{"decay", "similarity", "crosses \"here\"", 100, -0.25, 400, 0.5}};
  experiment.opened_length = 131072;
  EXPECT_EQ(experiment_from_json(experiment_to_json(experiment), "x"), experiment);
  Experiment again;
  for (const std::string& assignment : set_arguments(experiment)) set_field(again, assignment);
  again.opened_length = experiment.opened_length;  // how it came about is nothing to set
  EXPECT_EQ(again, experiment);
  EXPECT_THAT(json_error(R"({"notes": {}})"), HasSubstr("notes"));
  EXPECT_THAT(json_error(R"({"notes": [{"x": 1e99}]})"), HasSubstr("notes[0].x is 1e+99"));
  EXPECT_THAT(json_error(R"({"notes": [{"colour": 1}]})"), HasSubstr("notes[0].colour"));
  EXPECT_THAT(json_error(R"({"pins": [{"name": 5}]})"), HasSubstr("pins[0].name is 5; a text"));
}

TEST(Opening, MovesWhatNobodySet) {
  Experiment experiment;
  experiment.rope.trained_length = 131072;
  follow_opening(experiment);
  EXPECT_EQ(experiment.decay.span, 131072);
  EXPECT_EQ(experiment.limits.context, 131072);
  EXPECT_EQ(experiment.precision.span, 131072);
  experiment.limits.context = 1000;
  experiment.rope.trained_length = 2048;
  follow_opening(experiment);
  EXPECT_EQ(experiment.decay.span, 2048);
  EXPECT_EQ(experiment.limits.context, 1000);
  experiment.rope.trained_length = 0;
  follow_opening(experiment);
  EXPECT_EQ(experiment.decay.span, 2048) << "a model without such a length moves nothing";
}

TEST(ExperimentJson, AxesAreChecked) {
  const Experiment read =
      experiment_from_json(R"({"rope": {"axis": "row", "axes": "t:16,row:56", "base": 2000}})", "x");
  EXPECT_EQ(read.rope.axis, "row");
  EXPECT_THAT(json_error(R"({"rope": {"axes": "t:16,row"}})"), HasSubstr("mine.json: rope.axes: \"row\" is not"));
  EXPECT_THAT(json_error(R"({"rope": {"axes": "t:15"}})"), HasSubstr("axis \"t\""));
  EXPECT_THAT(json_error(R"({"rope": {"axes": "t:16,t:16"}})"), HasSubstr("twice"));
  EXPECT_THAT(json_error(R"({"rope": {"axes": "t:16,row:16:1"}})"), HasSubstr("base of axis \"row\""));
  EXPECT_THAT(json_error(R"({"rope": {"axes": "t:16,row:56", "axis": "z"}})"),
              HasSubstr("rope.axis is the text \"z\"; t or row"));
  EXPECT_THAT(json_error(R"({"rope": {"axis": "row"}})"), HasSubstr("rope.axis"));
}

TEST(ExperimentJson, BytesThatAreNotUtf8DoNotStopASave) {
  Experiment experiment;
  experiment.rope.config = "/home/\xff/config.json";
  const Experiment read = experiment_from_json(experiment_to_json(experiment), "x");
  EXPECT_THAT(read.rope.config, HasSubstr("config.json"));
  EXPECT_FALSE(set_arguments(experiment).empty());
}

TEST(SetField, FullKeysAndLastParts) {
  Experiment experiment;
  set_field(experiment, "rope.base=500000");
  set_field(experiment, "span=16384");
  set_field(experiment, "distance_range=1:100");
  set_field(experiment, "hidden=current,pin1");
  set_field(experiment, "show_bound=off");
  set_field(experiment, "label=a=b");
  set_field(experiment, "pins=[{\"slot\": 2, \"rope\": {\"base\": 100}}]");
  EXPECT_EQ(experiment.rope.base, 500000);
  EXPECT_EQ(experiment.decay.span, 16384);
  EXPECT_EQ(experiment.decay.distance_range, (Range{1, 100}));
  EXPECT_THAT(experiment.hidden, ElementsAre("current", "pin1"));
  EXPECT_FALSE(experiment.decay.show_bound);
  EXPECT_EQ(experiment.rope.label, "a=b");
  ASSERT_EQ(experiment.pins.size(), 1u);
  EXPECT_EQ(experiment.pins[0].rope.base, 100);
  set_field(experiment, "decay.distance_range=fit");
  set_field(experiment, "hidden=");
  EXPECT_FALSE(experiment.decay.distance_range);
  EXPECT_TRUE(experiment.hidden.empty());
}

TEST(SetField, Refuses) {
  EXPECT_THAT(set_error("rope.bse=5"), HasSubstr("rope.base"));
  EXPECT_THAT(set_error("base"), HasSubstr("key=value"));
  EXPECT_THAT(set_error("=5"), HasSubstr("key=value"));
  EXPECT_THAT(set_error("base=0.5"), HasSubstr("--set: rope.base is 0.5; a number from 1.01"));
  EXPECT_THAT(set_error("base=abc"), HasSubstr("rope.base is the text \"abc\""));
  EXPECT_THAT(set_error("span=-1"), HasSubstr("decay.span"));
  EXPECT_THAT(set_error("show_bound=maybe"), HasSubstr("true or false"));
  EXPECT_THAT(set_error("distance_range=5"), HasSubstr("decay.distance_range"));
  EXPECT_THAT(set_error("distance_range=5:1"), HasSubstr("decay.distance_range"));
  EXPECT_THAT(set_error("pins=[1"), HasSubstr("--set pins"));
  EXPECT_THAT(set_error("pins=[1]"), HasSubstr("pins[0]"));
  EXPECT_THAT(set_error("axis=row"), HasSubstr("rope.axis"));
}

TEST(SetField, OtherAxesForgetTheOldName) {
  Experiment experiment;
  set_field(experiment, "axes=t:16,row:56");
  set_field(experiment, "axis=row");
  set_field(experiment, "axes=x:32,y:32");
  EXPECT_EQ(experiment.rope.axis, "");
  EXPECT_NO_THROW(spec_of(experiment.rope));
}

TEST(Clamp, BringsEditsIntoRange) {
  Experiment experiment;
  experiment.rope.base = 0;
  experiment.rope.rotary_dim = 127;
  experiment.decay.span = std::numeric_limits<double>::quiet_NaN();
  experiment.decay.content = "nonsense";
  experiment.decay.bound_range = Range{3, 3};
  experiment.rope.axis = "gone";
  Pin pin;
  pin.rope.base = 1e99;
  experiment.pins.assign(12, pin);
  clamp(experiment);
  EXPECT_EQ(experiment.rope.base, 1.01);
  EXPECT_EQ(experiment.rope.rotary_dim, 128);
  EXPECT_EQ(experiment.decay.span, 8192);
  EXPECT_EQ(experiment.decay.content, "aligned");
  EXPECT_FALSE(experiment.decay.bound_range);
  EXPECT_EQ(experiment.rope.axis, "");
  ASSERT_EQ(experiment.pins.size(), kMaximumPins);
  EXPECT_EQ(experiment.pins[0].rope.base, 1e12);
}

Profile profile_with(std::vector<RotaryAxis> axes) {
  Profile profile;
  profile.name = "full attention";
  profile.spec.axes = std::move(axes);
  profile.spec.head_dim = total_rotary_dim(profile.spec);
  return profile;
}

TEST(RopeKnobs, RoundTripOfAPlainProfile) {
  Profile profile = profile_with({{"position", 64, 500000}});
  profile.spec.head_dim = 128;
  profile.spec.pairing = Pairing::interleaved;
  profile.spec.trained_length = 8192;
  profile.spec.extension = {"llama3", {{"factor", 8}, {"low_frequency_factor", 1}, {"high_frequency_factor", 4}}, {}};
  const RopeKnobs knobs = knobs_of(profile, "llama.json");
  EXPECT_EQ(knobs.label, "llama.json");
  EXPECT_EQ(knobs.profile, "full attention");
  EXPECT_EQ(knobs.scaling.method, "llama3");
  EXPECT_EQ(knobs.scaling["factor"], 8);
  EXPECT_EQ(spec_of(knobs), profile.spec);
  EXPECT_EQ(read_rope(knobs).ladder.frequencies, scaled_ladder(profile.spec, 0).frequencies);
  EXPECT_LT(read_rope(knobs).ladder.frequencies[31], plain_frequencies(64, 500000)[31] / 7.9);
}

TEST(RopeKnobs, RoundTripOfSeveralAxes) {
  for (const double base : {10000.0, 2000.0}) {
    const Profile profile = profile_with({{"t", 16, 10000}, {"row", 56, base}, {"column", 56, base}});
    RopeKnobs knobs = knobs_of(profile, "flux");
    EXPECT_EQ(spec_of(knobs).axes, profile.spec.axes);
    EXPECT_EQ(knobs.axis, "t");
    EXPECT_EQ(read_rope(knobs).ladder.frequencies, plain_frequencies(16, 10000));
    knobs.axis = "column";
    EXPECT_EQ(read_rope(knobs).ladder.frequencies, plain_frequencies(56, base));
  }
  // A base that all share stays a knob.
  RopeKnobs shared = knobs_of(profile_with({{"t", 16, 10000}, {"row", 56, 10000}}), "");
  EXPECT_EQ(shared.axes, "t:16,row:56");
  shared.base = 100;
  EXPECT_EQ(read_rope(shared).ladder.frequencies, plain_frequencies(16, 100));
}

TEST(RopeKnobs, AProportionalLadderIsTheMethodOfThatName) {
  RotaryAxis axis{"position", 512, 1e6};
  axis.ladder = Ladder::proportional;
  axis.live_fraction = 0.25;
  axis.factor = 2;
  Profile profile = profile_with({axis});
  const RopeKnobs knobs = knobs_of(profile, "gemma");
  EXPECT_EQ(knobs.scaling.method, "proportional");
  EXPECT_EQ(read_rope(knobs).ladder.frequencies, proportional_frequencies(512, 1e6, 0.25, 2));
  profile.spec.extension = {"linear", {{"factor", 2}}, {}};
  EXPECT_THAT(refusal_of([&] { knobs_of(profile, ""); }), HasSubstr("proportional ladder"));
}

TEST(RopeKnobs, RoundTripOfEveryMethod) {
  for (const ScalingMethod& method : all_scaling_methods()) {
    Profile profile = profile_with({{"position", 8, 10000}});
    profile.spec.trained_length = 4096;
    profile.spec.extension.method = method.name;
    double value = 1;
    for (const ScalingParameter& parameter : method.parameters) {
      value += 0.0625;
      profile.spec.extension.numbers[std::string(parameter.name)] =
          parameter.is_switch ? 1 - parameter.initial : std::clamp(value, parameter.minimum, parameter.maximum);
    }
    // The faster of two bounds comes first in every list of parameters, so it must be the larger one.
    std::map<std::string, double>& numbers = profile.spec.extension.numbers;
    for (const char* fast : {"beta_fast", "beta_0", "gamma_0"}) {
      if (numbers.count(fast)) numbers[fast] = 20;
    }
    if (method.uses_lists) {
      profile.spec.extension.lists = {{"short_factors", {1, 1.1, 1.0 / 3, 2}},
                                      {"long_factors", {1, 1.0499999523162842, 7, 64.83999633789062}}};
    }
    RopeKnobs knobs = knobs_of(profile, "");
    EXPECT_EQ(spec_of(knobs), profile.spec) << method.name;
    EXPECT_EQ(read_rope(knobs).ladder.frequencies, scaled_ladder(profile.spec, 0).frequencies) << method.name;
    knobs.scaling.length = 10000;
    EXPECT_EQ(read_rope(knobs).ladder.frequencies, scaled_ladder(profile.spec, 0, 10000).frequencies) << method.name;
    EXPECT_EQ(read_rope(knobs).ladder.amplitude, scaled_ladder(profile.spec, 0, 10000).amplitude) << method.name;
  }
}

TEST(RopeKnobs, AChangeOfMethodKeepsWhatBothHave) {
  RopeKnobs knobs;
  knobs.scaling.method = "yarn";
  knobs.scaling["factor"] = 16;
  knobs.scaling.method = "linear";
  EXPECT_EQ(spec_of(knobs).extension, (Extension{"linear", {{"factor", 16}}, {}}));
  knobs.scaling.method = "none";
  EXPECT_EQ(spec_of(knobs).extension, Extension{});
}

TEST(RopeKnobs, AnExtensionThatCannotBeAppliedIsAnError) {
  RopeKnobs knobs;
  knobs.scaling.method = "yarn";
  knobs.trained_length = 0;
  EXPECT_THAT(refusal_of([&] { read_rope(knobs); }), HasSubstr("yarn: trained_length is missing"));
  knobs.trained_length = 4096;
  knobs.scaling["beta_slow"] = 40;
  EXPECT_THAT(refusal_of([&] { read_rope(knobs); }), HasSubstr("beta_fast is 32; at least beta_slow"));
  knobs.scaling.method = "longrope";
  EXPECT_THAT(refusal_of([&] { read_rope(knobs); }), HasSubstr("short_factors is missing"));
  knobs.scaling.short_factors = "1,x";
  EXPECT_THAT(refusal_of([&] { read_rope(knobs); }), HasSubstr("rope.short_factors"));
}

/// Every config of the shared folder that opens: knobs say exactly what it says.
TEST(RopeKnobs, EverySharedConfigBecomesKnobsAndBack) {
  const std::filesystem::path folder = source_folder() + "/../shared/configs";
  if (!std::filesystem::exists(folder / "INDEX.json")) GTEST_SKIP() << "no " << folder;
  int profiles = 0, extended = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".json" || name == "INDEX.json") continue;
    std::ifstream file(entry.path());
    const std::string text(std::istreambuf_iterator<char>(file), {});
    ModelConfig config;
    try {
      config = parse_model_config(text, name);
    } catch (const InputError& error) {
      EXPECT_THAT(said(error), HasSubstr("is recognised, but"));
      continue;
    }
    for (const Profile& profile : config.profiles) {
      const RopeKnobs knobs = knobs_of(profile, name);
      RotarySpec expected = profile.spec;
      expected.extension = with_defaults(profile.spec.extension);
      EXPECT_EQ(spec_of(knobs), expected) << name << " " << profile.name;
      const ScaledLadder from_knobs = read_rope(knobs).ladder, from_file = scaled_ladder(profile.spec, 0);
      EXPECT_EQ(from_knobs.frequencies, from_file.frequencies) << name;
      EXPECT_EQ(from_knobs.amplitude, from_file.amplitude) << name;
      Experiment experiment;
      experiment.rope = knobs;
      EXPECT_EQ(experiment_from_json(experiment_to_json(experiment), name), experiment) << name;
      ++profiles;
      if (profile.spec.extension.method != "none") ++extended;
    }
  }
  EXPECT_GE(profiles, 55);
  EXPECT_EQ(extended, 14);
}

TEST(RopeKnobs, NoTrainedLengthIsZero) {
  const Profile profile = profile_with({{"position", 64, 10000}});
  EXPECT_EQ(knobs_of(profile, "").trained_length, 0);
  EXPECT_FALSE(spec_of(knobs_of(profile, "")).trained_length);
}

TEST(RopeKnobs, TheHeadGrowsWithTheRotaryPart) {
  RopeKnobs knobs;
  knobs.rotary_dim = 256;
  EXPECT_EQ(spec_of(knobs).head_dim, 256);
  knobs.head_dim = 512;
  EXPECT_EQ(spec_of(knobs).head_dim, 512);
}

TEST(RopeKnobs, ABaseOutsideTheKnobIsRefused) {
  const Profile profile = profile_with({{"position", 64, 1e15}});
  EXPECT_THAT(refusal_of([&] { knobs_of(profile, ""); }), HasSubstr("rope.base is 1e+15"));
  RopeKnobs knobs;
  knobs.rotary_dim = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refusal_of([&] { spec_of(knobs); }), HasSubstr("rope.rotary_dim"));
}

TEST(RopeKnobs, EveryPresetBecomesKnobsAndBack) {
  for (const Preset& preset : load_presets(source_folder() + "/assets")) {
    for (const Profile& profile : preset.profiles) {
      Experiment experiment;
      experiment.rope = knobs_of(profile, preset.name);
      RotarySpec expected = profile.spec;
      expected.extension = with_defaults(profile.spec.extension);
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
