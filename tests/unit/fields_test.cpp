// Every declared field: texts, clamping, reset, JSON, --set. Declaring a new field is enough to test it.

#include "app/experiment/experiment.h"
#include "core/attention/attention.h"
#include "core/check/check.h"
#include "core/decay/kernel.h"
#include "core/layouts/layout.h"
#include "core/rotary/rotation.h"
#include "core/scaling/scaling.h"
#include "tests/said.h"

namespace ropescope {
namespace {

/// The declarations, with the experiment's present state of the controls.
struct Collected {
  explicit Collected(Experiment experiment) {
    for (const Field& field : fields_of(experiment)) {
      if (field.kind == Field::Kind::group) groups.emplace_back(field.key);
      if (field.kind == Field::Kind::number) numbers.push_back(field);
      if (field.kind == Field::Kind::choice) choices.push_back(field);
      if (field.has_value()) keys.emplace_back(field.key);
      const bool may_have_control = field.has_value() || field.kind == Field::Kind::action;
      if (field.control && may_have_control) controls.emplace_back(field.key);
    }
  }
  std::vector<NumberField> numbers;
  std::vector<Field> choices;
  std::vector<std::string> groups, keys, controls;
};

Collected collect(Experiment experiment) {
  return Collected(std::move(experiment));
}

/// Gives every field its initial value.
void reset(FieldList fields) {
  for (Field& field : fields) {
    if (field.kind == Field::Kind::number) field.as<double>() = field.initial;
    if (field.kind == Field::Kind::toggle) field.as<bool>() = field.initial != 0;
    if (field.kind == Field::Kind::choice || field.kind == Field::Kind::text) {
      field.set_word(field.initial_text);
    }
    if (field.kind == Field::Kind::range) field.as<std::optional<Range>>().reset();
    if (field.kind == Field::Kind::names) field.as<Field::Names>() = field.initial_names;
  }
}

/// Experiments that between them show every control.
std::vector<Experiment> states_of_controls() {
  std::vector<Experiment> states(3);
  states[1].rope.axes = "t:16,row:56,column:56";
  states[1].decay.content = DecayContent::random;
  states[2].rope.scaling.method = "proportional";
  states[2].decay.show_envelope = true;
  states[2].decay.envelope = DecayEnvelope::window;
  for (const RotationShow show :
       {RotationShow::helix, RotationShow::weights, RotationShow::forms, RotationShow::pairing, RotationShow::law})
    states.emplace_back().rotation.show = show;
  for (const AngleLaw angle : {AngleLaw::offsets, AngleLaw::other_key}) {
    RotationFields& fields = states.emplace_back().rotation;
    fields.show = RotationShow::law;
    fields.angle_law = angle;
    fields.length_law = LengthLaw::exponential;
  }
  for (const AttentionShow show : {AttentionShow::shift, AttentionShow::shuffle, AttentionShow::cost,
                                   AttentionShow::products, AttentionShow::kernel, AttentionShow::energy}) {
    AttentionFields& fields = states.emplace_back().attention;
    fields.show = show;
    fields.content = AttentionSource::words;
    fields.kind = AttentionKind::linear;
    fields.kernel = LinearKernel::random_features;
  }
  states.emplace_back().atlas.below = {"column"};
  for (const DecayShow show : {DecayShow::phasors, DecayShow::differences}) states.emplace_back().decay.show = show;
  states.emplace_back().facet.across = "rope.base=100,1000";
  states.emplace_back().sweep.show = SweepShow::table;
  states.emplace_back().own[0].data = states.back().own[1].data = "\"x\",\"y\",\"std\"\n1,2,3";
  states.back().curves.shown_as = ShownAs::ratio;
  for (const PaperTable table : {PaperTable::wmt_2014, PaperTable::cail2019_scm})
    states.emplace_back().reported.table = table;
  for (const ScalingMethod& method : all_scaling_methods()) {
    states.emplace_back().rope.scaling.method = method.name;
  }
  for (const Layout& layout : all_layouts()) {
    LayoutFields& fields = states.emplace_back().layout;
    fields.name = layout.name;
    fields["frames"] = 4;
    fields.size_by = layout.name == "flux.2" ? SizeBy::tokens : SizeBy::pixels;
    fields.colours = layout.name == "wan" ? LayoutColours::angle : LayoutColours::axis;
    fields.picture = "photo.png";
  }
  return states;
}

/// Gives a field another value than the initial one.
void scramble(Field& field) {
  if (field.kind == Field::Kind::number) {
    field.as<double>() = clamp_to(field, field.initial == field.highest ? field.lowest : field.highest);
  }
  if (field.kind == Field::Kind::choice) {
    for (const std::string& option : field.options) {
      if (option != field.initial_text) field.set_word(option);
    }
  }
  if (field.kind == Field::Kind::toggle) field.as<bool>() = field.initial == 0;
  if (field.kind == Field::Kind::text) {
    // Those of a pin are read.
    field.as<std::string>() = field.key == "rope.axes"     ? "t:16,row:56:2000"
                              : field.key == "rope.ladder" ? "b^(-2*i/d) / (1 + (i >= 3))"
                                                           : "a=b, \"c\" \\ [1] é";
  }
  if (field.kind == Field::Kind::range) field.as<std::optional<Range>>() = Range{-1.5, 0.1};
  if (field.kind == Field::Kind::names) {
    field.as<Field::Names>() = {"current", "pin1.envelope"};
    if (!field.options.empty()) field.as<Field::Names>() = {field.options.back()};
  }
}

Experiment scrambled() {
  Experiment experiment;
  FieldList fields = fields_of(experiment);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    scramble(fields[i]);
    if (fields[i].decides) fields = fields_of(experiment);
  }
  experiment.pins = {{experiment.rope, 3}, {RopeFields{}, 1}};
  experiment.curves.relative_to = "pin2";
  return experiment;
}

TEST(Fields, ScrambledDiffersEverywhere) {
  std::vector<std::string> arguments = set_arguments(scrambled());
  // Further user curves have the fields of the first.
  std::erase_if(arguments, [](const std::string& each) { return words_key(each) != each; });
  EXPECT_EQ(arguments.size(), list_fields().size() + 1);  // and the pins
}

TEST(Fields, KeysAreDistinct) {
  Collected all = collect({});
  std::sort(all.keys.begin(), all.keys.end());
  EXPECT_EQ(std::adjacent_find(all.keys.begin(), all.keys.end()), all.keys.end());
}

TEST(Fields, InitialValuesAreThoseOfADefaultExperiment) {
  Experiment experiment = scrambled();
  // Twice: a name of an axis is initial only of the axes that it is one of.
  for (int time = 0; time < 2; ++time) reset(fields_of(experiment));
  experiment.pins.clear();
  EXPECT_EQ(experiment, Experiment{});
}

TEST(Fields, ChoicesTakeEachOfTheirWords) {
  Experiment experiment;
  for (Field& field : fields_of(experiment)) {
    if (field.kind != Field::Kind::choice) continue;
    for (const std::string& option : field.options) {
      field.set_word(option);
      EXPECT_EQ(field.word(), option) << field.key;
    }
  }
  EXPECT_THROW(find_field(experiment, "decay.content")->set_word("some"), std::logic_error);
}

TEST(Fields, WordsStandInTheOrderOfCoresEnumerators) {
  EXPECT_EQ(word_of(Pairing::interleaved) + word_of(Pairing::half_split), "interleavedhalf");
  EXPECT_EQ(word_of(AngleLaw::root) + word_of(AngleLaw::other_key), "rootother-key");
  EXPECT_EQ(word_of(LengthLaw::growing) + word_of(LengthLaw::exponential), "growingexponential");
  EXPECT_EQ(word_of(AxisScale::log) + word_of(AxisScale::symlog), "logsymlog");
  EXPECT_EQ(word_of(ContentKind::random), "random");
  EXPECT_EQ(word_of(AttentionKind::linear), "linear");
  EXPECT_EQ(word_of(LinearKernel::exponential) + word_of(LinearKernel::random_features), "expperformer");
  EXPECT_EQ(word_of(PairOrder::slow_first), "slow-first");
  EXPECT_EQ(word_of(HeadOrder::tokens_first) + word_of(HeadOrder::heads_first), "thdhtd");
}

TEST(Fields, EveryControlHasItsWords) {
  const Text text = Text::load(source_folder() + "/assets");
  for (const Experiment& state : states_of_controls()) {
    const Collected all = collect(state);
    for (const std::string& group : all.groups) EXPECT_TRUE(text.has("group." + group)) << group;
    for (const std::string& key : all.controls) {
      EXPECT_TRUE(text.has("field." + words_key(key) + ".label")) << key;
      EXPECT_TRUE(text.has("field." + words_key(key) + ".help")) << key;
    }
    for (const NumberField& field : all.numbers) {
      EXPECT_TRUE(field.unit.empty() || text.has(field.unit)) << field.key;
    }
    for (const Field& field : all.choices) {
      if (field.key == "rope.axis") continue;  // names out of a config
      for (const std::string& option : field.options) {
        EXPECT_TRUE(text.has(label_key(field, option))) << field.key << " " << option;
      }
    }
  }
}

TEST(Fields, ControlsFollowTheExperiment) {
  const std::vector<Experiment> states = states_of_controls();
  const auto plain = collect(states[0]).controls, axes = collect(states[1]).controls,
             ladder = collect(states[2]).controls;
  EXPECT_THAT(plain, Contains("rope.rotary_dim"));
  EXPECT_THAT(plain, Not(Contains("rope.axis")));
  EXPECT_THAT(plain, Not(Contains("decay.seed")));
  EXPECT_THAT(plain, Not(Contains("rope.live_fraction")));
  EXPECT_THAT(axes, Contains("rope.axis"));
  EXPECT_THAT(axes, Not(Contains("rope.rotary_dim")));
  EXPECT_THAT(axes, Contains("decay.seed"));
  EXPECT_THAT(ladder, Contains("rope.live_fraction"));
  EXPECT_THAT(ladder, Contains("decay.envelope_window"));
  Experiment own_base = states[1];
  own_base.rope.axes = "t:16,row:56:2000";
  EXPECT_THAT(collect(own_base).controls, Contains("rope.base"));
  own_base.rope.axis = "row";
  EXPECT_THAT(collect(own_base).controls, Not(Contains("rope.base")));
}

TEST(Fields, AMethodShowsItsParametersAndNoOthers) {
  std::set<std::string> parameters;
  for (const ScalingMethod& method : all_scaling_methods()) {
    for (const ScalingField& parameter : method.parameters) parameters.emplace(parameter.name);
  }
  for (const ScalingMethod& method : all_scaling_methods()) {
    Experiment experiment;
    experiment.rope.scaling.method = method.name;
    const std::vector<std::string> controls = collect(experiment).controls;
    EXPECT_THAT(controls, Contains("rope.scaling"));
    for (const std::string& parameter : parameters) {
      EXPECT_EQ(std::count(controls.begin(), controls.end(), "rope." + parameter),
                find_parameter(method, parameter) ? 1 : 0)
          << method.name << " " << parameter;
    }
    EXPECT_EQ(std::count(controls.begin(), controls.end(), "rope.length"), method.depends_on_length ? 1 : 0);
  }
}

/// Each field has a place of its own in the order of its registry, from 0 on.
void expect_in_order(const auto& fields) {
  int place = 0;
  for (const NumberField& field : fields) EXPECT_EQ(field.order, place++) << field.name;
}

TEST(Fields, FieldsHaveAPlaceEachInTheirOrder) {
  expect_in_order(all_scaling_fields());
  expect_in_order(all_encoding_fields());
  std::vector<LayoutField> options = all_layout_fields();
  std::erase_if(options, [](const auto& field) { return !field.has_control || (field.traits & kNoOption) != 0; });
  expect_in_order(options);
}

TEST(Fields, NumbersClampIntoTheirRange) {
  for (const NumberField& field : collect({}).numbers) {
    for (const double value : {-1e300, field.lowest, field.initial, 3.7, 1e5 + 0.3, field.highest, 1e300}) {
      EXPECT_TRUE(accepts(field, clamp_to(field, value))) << field.key << " " << value;
    }
    EXPECT_EQ(clamp_to(field, std::nan("")), field.initial) << field.key;
    EXPECT_FALSE(accepts(field, std::nan(""))) << field.key;
    EXPECT_FALSE(accepts(field, std::numeric_limits<double>::infinity())) << field.key;
    EXPECT_FALSE(accepts(field, std::nextafter(field.highest, 1e300))) << field.key;
    EXPECT_FALSE(accepts(field, std::nextafter(field.lowest, -1e300))) << field.key;
    EXPECT_TRUE(accepts(field, field.initial)) << field.key;
  }
}

TEST(Fields, StepsCountFromTheMinimum) {
  const NumberField even{.key = "x", .minimum = 2, .maximum = 9, .initial = 4, .step = 2, .linear = true};
  EXPECT_EQ(clamp_to(even, 5.1), 6);
  EXPECT_EQ(clamp_to(even, 9), 8);
  EXPECT_FALSE(accepts(even, 5));
  EXPECT_EQ(said(expectation(even)), "an even number from 2 to 9");
}

TEST(Fields, SlidersRunFromEndToEnd) {
  for (const NumberField& field : collect({}).numbers) {
    EXPECT_EQ(slider_value(field, 0), field.lowest) << field.key;
    EXPECT_EQ(slider_value(field, 1), field.highest) << field.key;
    EXPECT_EQ(slider_fraction(field, field.lowest), 0) << field.key;
    EXPECT_EQ(slider_fraction(field, field.highest), 1) << field.key;
    const double fraction = slider_fraction(field, field.initial);
    EXPECT_TRUE(fraction >= 0 && fraction <= 1) << field.key;
    EXPECT_NEAR(slider_value(field, fraction), field.initial, 1e-9 * std::abs(field.initial)) << field.key;
  }
  const NumberField base{.key = "b", .minimum = 1, .maximum = 1e4, .initial = 10};
  EXPECT_NEAR(slider_value(base, 0.5), 100, 1e-9);
}

TEST(Fields, EveryFieldSurvivesJson) {
  const Experiment experiment = scrambled();
  EXPECT_EQ(experiment_from_json(experiment_to_json(experiment), "a"), experiment);
  EXPECT_EQ(experiment_from_json(experiment_to_json({}), "a"), Experiment{});
  EXPECT_EQ(experiment_from_json("{}", "a"), Experiment{});
}

TEST(Fields, EveryFieldSurvivesTheCommandLine) {
  const Experiment experiment = scrambled();
  Experiment copy;
  for (const std::string& argument : set_arguments(experiment)) set_field(copy, argument);
  EXPECT_EQ(copy, experiment);
  EXPECT_TRUE(set_arguments({}).empty());
}

TEST(Fields, EveryNumberIsRefusedOutOfRange) {
  for (const NumberField& field : collect({}).numbers) {
    for (const std::string value : {"nan", "inf", "-1e9", "1e300", "1.5x", "", "0x10"}) {
      Experiment experiment;
      EXPECT_REFUSED(set_field(experiment, std::string(field.key) + "=" + value),
                     AllOf(HasSubstr(std::string(field.key)), HasSubstr(said(expectation(field)))));
      EXPECT_EQ(experiment, Experiment{});
    }
  }
}

TEST(Fields, EveryFieldIsListed) {
  const std::vector<FieldInfo> visit = list_fields();
  const auto keys = collect({}).keys;
  const auto listed = std::count_if(keys.begin(), keys.end(), [](const auto& key) { return words_key(key) == key; });
  EXPECT_EQ(std::ssize(visit), listed);
  for (const FieldInfo& field : visit) EXPECT_FALSE(field.expected.empty()) << field.key;
}

}  // namespace
}  // namespace ropescope
