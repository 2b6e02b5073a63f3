#include "app/experiment/experiment.h"

#include "app/experiment/figure_file.h"
#include "app/views/view.h"
#include "core/attention/attention.h"
#include "says.h"

namespace ropescope {
namespace {

std::string list_error(const std::string& text) {
  return refusal_of([&] { parse_list(text, "--distances", 1000); });
}

// What a file, --set, a list and a link are refused for, each with the key of the field.
TEST(Experiment, RefusesWhatTheTablesList) {
  expect_refusals("experiment", 35,
                  [](const std::string& text) { return refusal_of([&] { experiment_from_json(text, "mine.json"); }); });
  expect_refusals("set_field", 13, [](const std::string& assignment) {
    return refusal_of([&] {
      Experiment experiment;
      set_field(experiment, assignment);
    });
  });
  expect_refusals("number_list", 4, list_error);
  expect_refusals("links", 10, [](const std::string& link) { return refusal_of([&] { load_experiment(link); }); });
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
}

TEST(List, LimitIsKeptWithoutMakingTheNumbers) {
  EXPECT_EQ(parse_list("1:1000", "x", 1000).size(), 1000u);
}

TEST(ExperimentJson, Pins) {
  const Experiment read = experiment_from_json(R"({"pins": [{"rope": {"base": 500000}}, {"slot": 5}]})", "x");
  ASSERT_EQ(read.pins.size(), 2u);
  EXPECT_EQ(read.pins[0].rope.base, 500000);
  EXPECT_EQ(read.pins[0].slot, 1);
  EXPECT_EQ(read.pins[1].slot, 5);
}

TEST(ExperimentJson, NamesOfPinsAndNotes) {
  Experiment experiment;
  experiment.pins = {{RopeFields(), 7, "the paper's"}, {RopeFields(), 8, {}}};
  experiment.notes = {{"decay", "similarity", "crosses \"here\"", 100, -0.25, 400, 0.5}};
  experiment.opened_length = 131072;
  EXPECT_EQ(experiment_from_json(experiment_to_json(experiment), "x"), experiment);
  Experiment again;
  for (const std::string& assignment : set_arguments(experiment)) set_field(again, assignment);
  again.opened_length = experiment.opened_length;  // how it came about is nothing to set
  EXPECT_EQ(again, experiment);
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
  experiment.rope.context_length = 131'072;
  follow_opening(experiment);
  EXPECT_EQ(experiment.decay.span, 131'072) << "with its extension";
  experiment.rope.context_length = 0;
  follow_opening(experiment);
  EXPECT_EQ(experiment.decay.span, 2048);
  experiment.rope.trained_length = 0;
  follow_opening(experiment);
  EXPECT_EQ(experiment.decay.span, 2048) << "a model without such a length moves nothing";
}

TEST(ExperimentJson, AxesAreChecked) {
  const Experiment read =
      experiment_from_json(R"({"rope": {"axis": "row", "axes": "t:16,row:56", "base": 2000}})", "x");
  EXPECT_EQ(read.rope.axis, "row");
}

TEST(ExperimentJson, AxesWithoutAnAxisLookAtTheFirst) {
  const Experiment read =
      experiment_from_json(R"({"rope": {"axes": "t:16,row:56"}, "pins": [{"rope": {"axes": "row:56,col:56"}}]})", "x");
  EXPECT_EQ(read.rope.axis, "t");
  ASSERT_EQ(read.pins.size(), 1U);
  EXPECT_EQ(read.pins[0].rope.axis, "row");
  EXPECT_EQ(experiment_from_json(experiment_to_json(read), "saved"), read);
}

TEST(ExperimentJson, ANameThatIsNoneIsSaidOnOneLine) {
  const std::string refused = refusal_of([] { experiment_from_json(R"({"race":{"encodings":["a\nb"]}})", "x"); });
  EXPECT_THAT(refused, Says("error.experiment.name", {{"name", "a b"}}));
  EXPECT_EQ(refused.find('\n'), std::string::npos);
}

TEST(ExperimentJson, AHeadOfLessThanIsTurnedGrows) {
  Experiment read = experiment_from_json(
      R"({"rope": {"head_dim": 127}, "pins": [{"rope": {"head_dim": 64, "rotary_dim": 96}}]})", "x");
  EXPECT_EQ(read.rope.head_dim, 128);
  EXPECT_EQ(read.pins.at(0).rope.head_dim, 96);
  const Experiment before = read;
  clamp(read);
  EXPECT_EQ(read, before) << "what a file may hold is within the limits of an edit";
}

TEST(ExperimentJson, APinThatIsNotThereAndNotLookedAtIsForgotten) {
  for (const char* text :
       {R"({"curves": {"relative_to": "pin3"}})", R"({"curves": {"relative_to": "pin3"}, "pins": [{}]})"}) {
    Experiment read = experiment_from_json(text, "x");
    EXPECT_EQ(read.curves.relative_to, "current");
    const Experiment before = read;
    clamp(read);
    EXPECT_EQ(read, before);
  }
  EXPECT_EQ(experiment_from_json(R"({"curves": {"relative_to": "pin1"}, "pins": [{}]})", "x").curves.relative_to,
            "pin1");
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
  EXPECT_EQ(experiment.decay.zooms["decay.distance_range"], (Range{1, 100}));
  EXPECT_THAT(experiment.hidden, ElementsAre("current", "pin1"));
  EXPECT_FALSE(experiment.decay.show_bound);
  EXPECT_EQ(experiment.rope.label, "a=b");
  ASSERT_EQ(experiment.pins.size(), 1u);
  EXPECT_EQ(experiment.pins[0].rope.base, 100);
  // As the refusal says that it may be written.
  set_field(experiment, "decay.distance_range=[2, 50]");
  EXPECT_EQ(experiment.decay.zooms["decay.distance_range"], (Range{2, 50}));
  set_field(experiment, "decay.distance_range=null");
  EXPECT_EQ(experiment.decay.zooms["decay.distance_range"], std::nullopt);
  set_field(experiment, "distance_range=1:100");
  set_field(experiment, "decay.distance_range=fit");
  set_field(experiment, "hidden=");
  EXPECT_FALSE(experiment.decay.zooms["decay.distance_range"]);
  EXPECT_TRUE(experiment.hidden.empty());
}

TEST(SetField, APinStartsAsTheCurrentRopeOrItsPreset) {
  Experiment experiment;
  assign(experiment, "rope.rotary_dim=64");
  assign(experiment, "rope.scaling=linear");
  assign(experiment, R"(pins=[{"rope": {"base": 100}}, {"rope": {"model": "llama-3.1-8b"}},
                              {"rope": {"model": "llama-3.1-8b", "base": 7}}])");
  ASSERT_EQ(experiment.pins.size(), 3u);
  EXPECT_EQ(experiment.pins[0].rope.base, 100);
  EXPECT_EQ(experiment.pins[0].rope.rotary_dim, 64);
  EXPECT_EQ(experiment.pins[0].rope.scaling.method, "linear");
  EXPECT_EQ(experiment.pins[1].rope.base, 500000);
  EXPECT_EQ(experiment.pins[1].rope.rotary_dim, 128);
  EXPECT_EQ(experiment.pins[1].rope.scaling.method, "llama3");
  EXPECT_EQ(experiment.pins[2].rope.base, 7);
  EXPECT_EQ(experiment.pins[2].rope.scaling.method, "llama3");
  EXPECT_THROW(assign(experiment, R"(pins=[{"rope": {"model": "llama-3.1-8"}}])"), InputError);
  for (const char* wrong : {R"(pins=[{"rope": [1]}])", R"(pins=[{"rope": 7}])", R"(pins=[{"rope": {"model": 7}}])"}) {
    EXPECT_THROW(assign(experiment, wrong), InputError) << wrong;
    EXPECT_THROW(set_field(experiment, wrong), InputError) << wrong;
  }

  // Arguments and links give the same experiment again, whatever completes a pin.
  Experiment again, linked;
  for (const std::string& assignment : set_arguments(experiment)) {
    assign(again, assignment);
    set_field(linked, assignment);
  }
  EXPECT_EQ(again.pins, experiment.pins);
  EXPECT_EQ(linked.pins, experiment.pins);
}

TEST(SetField, LinksOfOlderVersionsCompletePinsWithTheDefaults) {
  Experiment experiment;
  set_field(experiment, "rope.rotary_dim=64");
  set_field(experiment, R"(pins=[{"rope": {"base": 100}}])");
  EXPECT_EQ(experiment.pins[0].rope.rotary_dim, RopeFields().rotary_dim);
}

TEST(ParseNumber, TakesSuffixesAndUnderscores) {
  const std::pair<const char*, double> numbers[] = {
      {"500k", 500e3}, {"1M", 1e6},      {"1.5M", 1.5e6},   {"128Ki", 131072}, {"1Mi", 1048576},
      {"-2k", -2000},  {"1.001k", 1001}, {"8.191k", 8191},  {"1e3k", 1e6},     {"1e+3k", 1e6},
      {"5e-3M", 5000}, {"1e6", 1e6},     {"10_000", 10000}, {"+3", 3}};
  for (const auto& [text, number] : numbers) EXPECT_EQ(parse_number(text), number) << text;
  for (const char* wrong : {"",   "k",  "M",   "Ki",  "1kk", "1m",  "_1",     "1_",  "1__0",           "1_k",
                            "1e", "e6", "1 k", "0x1", "nan", "inf", "1e308k", "5eM", "1e99999999999k", "1e+-3k"}) {
    EXPECT_EQ(parse_number(wrong), std::nullopt) << wrong;
  }
  EXPECT_EQ(parse_list("1k,2k:4k:1k", "--distances"), (std::vector<double>{1000, 2000, 3000, 4000}));
}

TEST(SetField, SuggestsAFieldByTheNameThatWasTyped) {
  const auto refusal = [](const std::string& assignment) {
    return refusal_of([&] {
      Experiment experiment;
      set_field(experiment, assignment);
    });
  };
  EXPECT_THAT(refusal("spann=5"),
              AllOf(HasSubstr("span"), Not(HasSubstr("example_key")), Not(HasSubstr("decay.span"))));
  EXPECT_THAT(refusal("bse=5"), AllOf(HasSubstr("base"), Not(HasSubstr("rope.base"))));
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
  experiment.decay.content = static_cast<DecayContent>(7);
  experiment.decay.zooms["decay.bound_range"] = Range{3, 3};
  experiment.rope.axis = "gone";
  Pin pin;
  pin.rope.base = 1e99;
  experiment.pins.assign(12, pin);
  clamp(experiment);
  EXPECT_EQ(experiment.rope.base, 1.01);
  EXPECT_EQ(experiment.rope.rotary_dim, 128);
  EXPECT_EQ(experiment.decay.span, 8192);
  EXPECT_EQ(experiment.decay.content, DecayContent::aligned);
  EXPECT_FALSE(experiment.decay.zooms["decay.bound_range"]);
  EXPECT_EQ(experiment.rope.axis, "");
  ASSERT_EQ(experiment.pins.size(), kMaximumPins);
  EXPECT_EQ(experiment.pins[0].rope.base, 1e12);
}

TEST(Clamp, LeavesTheSidesThatASliderGives) {
  for (int step = 1; step <= 256; ++step) {
    for (const bool high : {false, true}) {
      Experiment experiment;
      LayoutControls controls;
      controls.step = step;
      FieldList fields;
      declare_fields(fields, experiment.layout, controls);
      for (const char* key : {"layout.width", "layout.height"}) {
        Field* side = find_field(fields, key);
        side->as<double>() = high ? side->highest : side->lowest;
      }
      const Experiment moved = experiment;
      clamp(experiment);
      EXPECT_EQ(experiment.layout.width, moved.layout.width) << "in steps of " << step;
      EXPECT_EQ(std::fmod(experiment.layout.height, step), 0) << "in steps of " << step;
    }
  }
}

TEST(Links, HoldTheWholeExperiment) {
  Experiment experiment;
  experiment.view = "rotation";
  experiment.rope.base = 1'234.5;
  experiment.rope.axes = "t:16,row:56,column:56:2000";
  experiment.rope.axis = "row";
  experiment.rope.label = "名前 & 100% #1=?";
  experiment.pins = {{RopeFields(), 7, "the paper's"}};
  experiment.notes = {{"decay", "similarity", "ここ", 100, -0.25, 400, 0.5}};
  experiment.hidden = {"pin1"};
  for (const std::string_view address : {kOwnAddress, std::string_view("https://example.org/rope/?a=b#")}) {
    const std::string link = link_of(set_arguments(experiment), address);
    EXPECT_TRUE(is_link(link)) << link;
    EXPECT_EQ(link.find_first_of(" \"&?<>%'", address.size() + 1), link.find_first_of("&%", address.size() + 1))
        << link;
    EXPECT_EQ(experiment_to_json(load_experiment(link)), experiment_to_json(experiment)) << link;
  }
  EXPECT_EQ(link_of(set_arguments({})), "ropescope:1");
  EXPECT_EQ(load_experiment("ropescope:1"), Experiment());
  EXPECT_EQ(load_experiment("ropescope:1&view=limits&rope.base=100").rope.base, 100);
}

/// A link that stands somewhere in the world, with what it meant when it was made; the packed one by Python's zlib.
TEST(Links, OpenInEveryLaterVersion) {
  for (const char* link :
       {"ropescope:1&view=frequencies&rope.base=500000&rope.rotary_dim=64",
        "https://example.org/#2&eNozVCvLTC23TStKLSxNzUvOTC1WK8ovSNVLSixOtTU1AAGIQFF-SWJRZXxKZq6tmQkAD-YS3A"}) {
    const Experiment shown = load_experiment(link);
    EXPECT_EQ(shown.view, "frequencies");
    EXPECT_EQ(shown.rope.base, 500000);
    EXPECT_EQ(shown.rope.rotary_dim, 64);
  }
}

TEST(Links, ThatWouldBeLongArePacked) {
  Experiment experiment;
  for (int pin = 1; pin <= 6; ++pin) {
    experiment.pins.push_back({RopeFields(), pin, "a name of 名前 " + std::to_string(pin)});
    experiment.pins.back().rope.base = 1000.0 * pin;
  }
  const std::string link = link_of(set_arguments(experiment), "https://example.org/#");
  EXPECT_TRUE(link.starts_with("https://example.org/#2&")) << link;
  EXPECT_EQ(link.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", 23),
            std::string::npos);
  EXPECT_LT(link.size(), 500) << link;
  EXPECT_EQ(experiment_to_json(load_experiment(link)), experiment_to_json(experiment)) << link;
  for (std::size_t length : {24, 30, static_cast<int>(link.size()) - 2}) {
    EXPECT_REFUSED(load_experiment(link.substr(0, length)), Says("error.experiment.packed_link")) << length;
  }
}

TEST(Links, HoldAndOpenTheNamesOfFilesAlone) {
  Experiment experiment;
  experiment.attention.file = "/home/somebody/secret/qk.npz";
  const std::string link = link_of(set_arguments(strip_folders(experiment)));
  EXPECT_THAT(link, AllOf(HasSubstr("qk.npz"), Not(HasSubstr("secret"))));
  EXPECT_EQ(load_experiment("ropescope:1&attention.file=/etc/qk.npz").attention.file, "qk.npz");
}

TEST(Links, KeepSignsThatAreNotEscapes) {
  EXPECT_EQ(load_experiment("ropescope:1&rope.label=50%&decay.seed=2").rope.label, "50%");
  EXPECT_FALSE(is_link("https://example.org/"));
  EXPECT_FALSE(is_link("experiment.json"));
  EXPECT_EQ(to_path("file:///home/a%20b.json"), "/home/a b.json");
  EXPECT_EQ(to_path("a%20b.json"), "a%20b.json");
}

/// The view Encodings was called "compare".
TEST(Experiment, RenamedKeysKeepWorking) {
  EXPECT_EQ(current_key("compare"), "encodings");
  EXPECT_EQ(current_key("compare.show"), "encodings.show");
  EXPECT_EQ(current_key("compared.show"), "compared.show");
  EXPECT_EQ(current_keys("a, compare.b,compare.c"), "a, encodings.b,encodings.c");
  EXPECT_EQ(current_keys(""), "");
  Experiment set, made;
  for (const char* assignment :
       {"view=compare", "compare.show=matrix", "compare.span=77", "facet.down=compare.span=16,32",
        "sweep.readout=compare.learned", "sweep.cards=decay.trend,compare.kept"}) {
    set_field(set, assignment, {}, "--set");
  }
  EXPECT_EQ(set.facet.down, "encodings.span=16,32");
  EXPECT_EQ(set.sweep.readout, "encodings.learned");
  EXPECT_EQ(set.sweep.cards, "decay.trend,encodings.kept");
  made = experiment_from_json(
      R"({"ropescope": 1, "view": "compare", "compare": {"show": "matrix", "span": 77},
          "notes": [{"view": "compare", "figure": "scores", "text": "here", "x": 1, "y": 2, "text_x": 1, "text_y": 2}]})",
      "old.json");
  EXPECT_EQ(set.view, "encodings");
  EXPECT_EQ(made.view, "encodings");
  EXPECT_EQ(made.notes.at(0).view, "encodings");
  EXPECT_EQ(made.compare, set.compare);
  EXPECT_EQ(made.compare.span, 77);
  const Experiment opened = load_experiment(std::string(kOwnAddress) + "1&view=compare&compare.span=77&show=matrix");
  EXPECT_EQ(opened.view, "encodings");
  EXPECT_EQ(opened.compare, set.compare);
}

}  // namespace
}  // namespace ropescope
