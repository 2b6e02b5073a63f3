// Links of every kind open or are rejected within 50 ms on one core, and what opens is short enough to be drawn. A link
// of 408 bytes took 27 s, one of 110 bytes 2 s, and one of 136 characters contained a name that froze the window at
// every start.

#include <ctime>

#include "app/experiment/experiment.h"
#include "app/experiment/fields.h"
#include "app/experiment/figure_file.h"
#include "app/experiment/sweeps.h"
#include "app/experiment/user_data.h"
#include "tests/said.h"
#include "tests/sampled.h"
#include "tests/temporary_folder.h"

namespace ropescope {

namespace {

using Arguments = std::vector<std::string>;

std::string repeated(const std::string& part, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += part;
  return text;
}

/// Every text and every name of what opened is within its bounds, and so are the facets.
void expect_short(const Experiment& experiment, const std::string& label) {
  Experiment read = experiment;
  for (Field& field : fields_of(read)) {
    if (field.kind == Field::Kind::text) EXPECT_LE(field.as<std::string>().size(), field.max_bytes) << label;
    if (field.kind == Field::Kind::names) EXPECT_LE(field.as<Field::Names>().size(), kMaxNames) << label;
  }
  for (const Pin& pin : experiment.pins) EXPECT_LE(pin.name.size(), kMaxNameBytes) << label;
  for (const Note& note : experiment.notes) EXPECT_LE(note.text.size(), kMaxSentenceBytes) << label;
}

/// Opens a link as far as it comes without a view; what it is refused with, "" if it opens.
std::string opened(const std::string& link) {
  constexpr double kMaxSeconds = 0.05;
  const std::string label = link.substr(0, 200);
  const std::clock_t begin = std::clock();
  Experiment experiment;
  const std::string refused = refusal_of([&] {
    experiment = load_experiment(link);
    facets_of(experiment);
  });
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  // Only where somebody looks at it: no test of every run may depend on time.
  if (runs_all_cells()) EXPECT_LT(seconds, kMaxSeconds) << label;
  EXPECT_EQ(refused.find('\n'), std::string::npos) << label;
  EXPECT_LT(refused.size(), 2000u) << refused;
  expect_short(experiment, label);
  return refused;
}

/// A value that a link could have for a field: mostly one that it takes, sometimes anything.
std::string some_value(std::mt19937& random, const FieldInfo& field) {
  const Arguments odd{"",
                      "0",
                      "-1",
                      "1e308",
                      "nan",
                      repeated("x", 1 << random() % 17),
                      repeated("1,", 1 << random() % 16),
                      repeated("a;", 1 << random() % 16),
                      "rope.base=" + repeated("100,", 1 << random() % 15),
                      "rope.base=1e3..1e7:1000000:log",
                      "model=" + repeated("llama-2-7b,", 1 << random() % 13),
                      "x:" + repeated("2:", 1 << random() % 12),
                      "[" + repeated("[", 1 << random() % 14),
                      "[" + repeated(R"({"slot":1,"rope":{"base":7}},)", 1 + random() % 300) + "{}]",
                      repeated("(", 1 << random() % 15),
                      "\xF0\x9F\x98\x80",
                      "../../etc/passwd"};
  return random() % 3 == 0 ? odd[random() % odd.size()] : field.value;
}

std::string some_link(std::mt19937& random, const std::vector<FieldInfo>& fields) {
  Arguments arguments;
  const std::size_t count = random() % 2 == 0 ? random() % 4 : random() % 700;
  // Longer ones are refused by their length alone, and take their time to be packed.
  const std::size_t kMaxBytes = runs_all_cells() ? 300'000 : 20'000;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < count && bytes < kMaxBytes; ++i) {
    const FieldInfo& field = fields[random() % fields.size()];
    arguments.push_back((random() % 20 == 0 ? (random() % 2 == 0 ? "pins" : "notes") : field.key) + "=" +
                        some_value(random, field));
    bytes += arguments.back().size();
  }
  return link_of(arguments, random() % 2 == 0 ? kOwnAddress : std::string_view("https://example.org/#"));
}

std::string mutated(std::mt19937& random, std::string link) {
  constexpr std::string_view kLetters = "&=%#:,;.12abcAB_-/[]{}\"";
  for (std::size_t i = 0; i <= random() % 4; ++i) {
    const std::size_t at = random() % (link.size() + 1);
    switch (random() % 4) {
      case 0:
        link.insert(at, 1, kLetters[random() % kLetters.size()]);
        break;
      case 1:
        link.erase(at, random() % 8);
        break;
      case 2:
        if (at < link.size()) link[at] = kLetters[random() % kLetters.size()];
        break;
      default:
        link.insert(at, link.substr(random() % link.size(), random() % 64));
    }
  }
  return link;
}

}  // namespace

TEST(HostileLinks, OpenOrAreRefusedAtOnce) {
  std::mt19937 random(51);
  const std::vector<FieldInfo> fields = list_fields();
  const auto count = static_cast<std::size_t>(sampled_count("random links", 200, 10'000));
  std::size_t refused = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string link = some_link(random, fields);
    refused += opened(link).empty() ? 0 : 1;
    opened(mutated(random, link));
  }
  EXPECT_GT(refused, count / 10);
  EXPECT_LT(refused, count);
}

TEST(HostileLinks, AFacetIsCountedBeforeItIsTried) {
  for (const std::string key : {"rope.base", "model", "rope.pairing"}) {
    const std::string link = link_of({"facet.down=" + key + "=" + repeated("7,", 60'000) + "8"});
    EXPECT_LT(link.size(), 500u);
    EXPECT_THAT(opened(link), AllOf(HasSubstr("60001 pictures"), HasSubstr("24"))) << key;
  }
}

TEST(HostileLinks, ANameHasALength) {
  const std::string name(60'000, 'W');
  for (const std::string key : {"rope.label", "curves.name", "own.title", "sweep.over", "attention.sentence"}) {
    const std::string link = link_of({key + "=" + name});
    EXPECT_LT(link.size(), 250u);
    EXPECT_THAT(opened(link), AllOf(HasSubstr(key), HasSubstr("60000 bytes"))) << key;
  }
  EXPECT_THAT(opened(link_of({R"(pins=[{"name": ")" + name + R"(", "rope": {}}])"})), HasSubstr("pins[0].name"));
  EXPECT_THAT(opened(link_of({R"(notes=[{"text": ")" + name + R"("}])"})), HasSubstr("notes[0].text"));
  EXPECT_THAT(opened(link_of({"hidden=" + repeated("a,", 5'000) + "b"})),
              Says("error.experiment.many_names", {{"field", "hidden"}, {"count", "5001"}}));
  // So is what a kept state says of it: the next start is another one.
  Experiment kept;
  kept.rope.label = name;
  EXPECT_REFUSED(experiment_from_json(experiment_to_json(kept), "kept"), HasSubstr("rope.label"));
  clamp(kept);
  EXPECT_LE(kept.rope.label.size(), kMaxNameBytes);
  EXPECT_EQ(experiment_from_json(experiment_to_json(kept), "kept"), kept);
}

TEST(HostileLinks, ATextIsCutBetweenCharacters) {
  Experiment experiment;
  experiment.rope.label = repeated("名", 1000);
  clamp(experiment);
  EXPECT_EQ(experiment.rope.label, repeated("名", kMaxNameBytes / 3));
}

TEST(HostileLinks, SetEachValueOnce) {
  EXPECT_THAT(opened(link_of(Arguments(4000, "rope.base=7"))), HasSubstr("4000 values"));
  EXPECT_THAT(opened(link_of(Arguments(500, "rope.base=7"))), HasSubstr("rope.base twice"));
  EXPECT_THAT(opened(link_of({"rope.base=7", "base=8"})), HasSubstr("rope.base twice"));
  const std::string pins = "pins=[" + repeated(R"({"rope": {"base": 7}},)", 7) + R"({"rope": {}}])";
  EXPECT_THAT(opened(link_of(Arguments(400, pins))), HasSubstr("twice"));
  EXPECT_EQ(opened(link_of({pins})), "");
  EXPECT_THAT(opened("ropescope:1&" + std::string(1 << 20, 'x')),
              Says("error.experiment.long_link", {{"bytes", "1048588"}}));
  const std::string small = link_of({"rope.label=" + std::string(300'000, 'x')});
  EXPECT_LT(small.size(), 1000u);
  EXPECT_THAT(opened(small), Says("error.experiment.large_link", {{"most", "262144"}}));
  EXPECT_THAT(opened(link_of({"rope.label=" + std::string(200'000, 'x')})), HasSubstr("rope.label"));
}

TEST(HostileLinks, SpeakOfLinksAndNotOfOptions) {
  for (const char* value : {"pins=7", "pins=[{\"slot\": 0}]", "notes={}", "notes=[1]", "pins=[", "rope.base=x"}) {
    const std::string refused = opened(std::string("ropescope:1&") + value);
    EXPECT_THAT(refused, AllOf(HasSubstr("link"), Not(HasSubstr("--set")))) << value;
  }
}

TEST(HostileLinks, ATitleOfACurveIsShort) {
  const TemporaryFolder folder;
  const std::string path = (folder.path / "curve.csv").string();
  std::ofstream(path) << std::string(1 << 20, 'T') << "\n1\n2\n3\n";
  UserCurveFields own;
  take_curve_file(own, path);
  EXPECT_LE(own.title.size(), kMaxNameBytes);
  EXPECT_LE(own.name.size(), kMaxNameBytes);
  EXPECT_EQ(curve_of(own)->ys.size(), 3u);
}

TEST(Links, TheStudentsPartIsSeenByNothingElse) {
  for (const char* link : {"ropescope:1&view=limits&student=1", "https://example.org/#student=1&1&view=limits",
                           "#1&view=limits&student=1"}) {
    EXPECT_TRUE(is_student_link(link)) << link;
    EXPECT_EQ(load_experiment(link).view, "limits") << link;
  }
  const auto step = parse_step_link("ropescope:lesson=08-decay/bound&student=1");
  ASSERT_TRUE(step);
  EXPECT_EQ(step->step, "bound");
  EXPECT_EQ(step->experiment, "");
  EXPECT_EQ(parse_step_link("ropescope:lesson=08-decay/bound&1&rope.base=100&student=1")->experiment,
            "ropescope:1&rope.base=100");
  EXPECT_TRUE(is_student_link("ropescope:student=1"));
  for (const char* other : {"ropescope:1&view=limits", "ropescope:1&student=10", "student=1", "lesson=a/nostudent=1"}) {
    EXPECT_FALSE(is_student_link(other)) << other;
  }
  EXPECT_THROW(load_experiment("ropescope:1&student=1&view=limits"), InputError) << "in the middle it is a field";
}

TEST(HostileLinks, NameStepsOfLessonsAndNoFiles) {
  const auto step = parse_step_link("https://example.org/rope/#lesson=08-decay/bound");
  ASSERT_TRUE(step);
  EXPECT_EQ(step->lesson, "08-decay");
  EXPECT_EQ(step->step, "bound");
  for (const char* address : {"ropescope:", "#", ""}) {
    EXPECT_EQ(parse_step_link(std::string(address) + "lesson=08-decay")->step, "");
  }
  for (const char* other : {"ropescope:lesson=", "ropescope:lesson=../x.md", "ropescope:lesson=/etc/x",
                            "lesson 08-decay", "ropescope:1&view=decay"}) {
    EXPECT_FALSE(parse_step_link(other)) << other;
  }
}

}  // namespace ropescope
