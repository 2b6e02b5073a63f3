// Readouts over fields as tables: every cell is what `render` gives for that point.

#include "tests/command_line/program.h"
#include "tests/said.h"

namespace ropescope {
namespace {

using Sweep = InWorkplace;

using Json = json;

/// What `render` says of a readout.
Json render_readout(const Workplace& place, const std::string& view, const std::string& readout, const Words& sets) {
  Words arguments{"render", view, "-o", "one.json"};
  for (const std::string& set : sets) arguments.insert(arguments.end(), {"--set", set});
  place.good(arguments);
  const Json drawn = Json::parse(place.read("one.json"));
  for (const Json& card : drawn.at("readouts")) {
    if (card.at("name") == readout) return card;
  }
  return {};
}

/// What a cell says of a number: nothing of null.
std::string cell_of(const Json& number) {
  if (number.is_null()) return {};
  return number.is_number_integer() ? std::to_string(number.get<std::int64_t>()) : number.dump();
}

TEST_F(Sweep, CellsAreWhatRenderSays) {
  const auto rows = parse_csv(
      place.good({"sweep", "decay.first_negative", "limits.largest_context", "decay.unfinished.other", "--over",
                  "rope.base=1e3..1e5:3:log", "--over", "rope.rotary_dim=64,256", "--set", "decay.span=500"}));
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_THAT(rows[0], ElementsAre("rope.base", "rope.rotary_dim", "decay.first_negative", "limits.largest_context",
                                   "decay.unfinished.other"));
  std::size_t row = 0;
  for (const std::string base : {"1000", "10000", "1e+05"}) {
    for (const std::string dim : {"64", "256"}) {
      SCOPED_TRACE(base + " " + dim);
      const Words sets{"decay.span=500", "rope.base=" + base, "rope.rotary_dim=" + dim};
      const auto number = [&](const std::string& view, const std::string& name) {
        return cell_of(render_readout(place, view, name, sets).at("number"));
      };
      EXPECT_THAT(
          rows[++row],
          ElementsAre(base, dim, number("decay", "decay.first_negative"), number("limits", "limits.largest_context"),
                      cell_of(render_readout(place, "decay", "decay.unfinished", sets).at("other"))));
    }
  }
  EXPECT_EQ(rows[5][2], "") << "no negative similarity within the span";
}

TEST_F(Sweep, OverChoicesAndModels) {
  const auto rows = parse_csv(place.good({"sweep", "frequencies.slowest", "--over", "factor=2,4", "--over",
                                          "rope.scaling=linear,ntk-aware,yarn", "--set", "decay.span=500"}));
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_THAT(rows[0], ElementsAre("rope.factor", "rope.scaling", "frequencies.slowest"));
  const Words yarn{"rope.scaling=yarn", "rope.factor=4", "decay.span=500"};
  EXPECT_THAT(rows[6],
              ElementsAre("4", "yarn",
                          cell_of(render_readout(place, "frequencies", "frequencies.slowest", yarn).at("number"))));

  const auto models =
      parse_csv(place.good({"sweep", "decay.lowest", "decay.first_negative", "--over", "base=10,20", "--over",
                            "model=llama-3.1-8b,qwen2.5-7b-instruct", "--set", "rope.rotary_dim=64"}));
  ASSERT_EQ(models.size(), 5u);
  EXPECT_THAT(models[0], ElementsAre("rope.base", "model", "decay.lowest", "decay.first_negative"));
  EXPECT_EQ(models[4][0], "20");
  EXPECT_EQ(models[4][1], "qwen2.5-7b-instruct");
  place.good({"render", "decay", "--model", "qwen2.5-7b-instruct", "--set", "rope.rotary_dim=64", "--set",
              "rope.base=20", "-o", "one.json"});
  const Json drawn = Json::parse(place.read("one.json"));
  for (const Json& card : drawn.at("readouts")) {
    if (card.at("name") == "decay.lowest") EXPECT_EQ(models[4][2], cell_of(card.at("number")));
    if (card.at("name") == "decay.first_negative") EXPECT_EQ(models[4][3], cell_of(card.at("number")));
  }
  const Json table = Json::parse(place.good({"sweep", "decay.lowest", "--over", "decay.show_trend=false,true", "--over",
                                             "rope.pairing=half", "--json", "--set", "span=100"}));
  EXPECT_TRUE(table.at("over") == Json::parse(R"([{"key": "decay.show_trend", "values": [false, true]},
                                                  {"key": "rope.pairing", "values": ["half"]}])"))
      << table;
  EXPECT_EQ(table.at("points")[1].at("rope.pairing"), "half");
}

TEST_F(Sweep, AsJson) {
  const Words asked{"sweep", "decay.lowest", "decay.first_negative", "--over", "base=100,1e9", "--set", "span=300"};
  Words json = asked;
  json.push_back("--json");
  const Json table = Json::parse(place.good(json));
  EXPECT_TRUE(table.at("over") == Json::parse(R"([{"key": "rope.base", "values": [100, 1e9]}])")) << table;
  EXPECT_TRUE(table.at("readouts") == Json::parse(R"(["decay.lowest", "decay.first_negative"])")) << table;
  ASSERT_EQ(table.at("points").size(), 2u);
  const auto rows = parse_csv(place.good(asked));
  for (std::size_t i = 0; i < 2; ++i) {
    const Json& point = table.at("points")[i];
    EXPECT_EQ(point.at("decay.lowest").get<double>(), std::stod(rows[i + 1][1]));
    EXPECT_EQ(cell_of(point.at("decay.first_negative")), rows[i + 1][2]);
  }
  EXPECT_TRUE(table.at("points")[1].at("decay.first_negative").is_null());
  json.back() = "-o";
  json.push_back("t.json");
  place.good(json);
  EXPECT_TRUE(Json::parse(place.read("t.json")) == table);
}

TEST_F(Sweep, Resumes) {
  const Words asked{"sweep", "decay.lowest", "--over", "rope.base=1e3..1e7:12", "-o", "t.csv"};
  place.good(asked);
  const std::string whole = place.read("t.csv");
  Words resumed = asked;
  resumed.push_back("--resume");
  place.good(resumed);
  EXPECT_EQ(place.read("t.csv"), whole) << "nothing is missing";
  std::size_t half = 0;
  for (int row = 0; row < 5; ++row) half = whole.find('\n', half) + 1;
  for (const std::size_t kept : {half, half + 4, whole.find('\n') + 1, whole.size() - 1}) {
    place.write("t.csv", whole.substr(0, kept));
    place.good(resumed);
    EXPECT_EQ(place.read("t.csv"), whole) << kept;
  }
  fs::remove(place.path("t.csv"));
  place.good(resumed);
  EXPECT_EQ(place.read("t.csv"), whole) << "it need not be there";

  const auto refused = [&](const std::string& content, const Words& arguments, const Words& culprits) {
    place.write("t.csv", content);
    place.bad(arguments, culprits);
  };
  // A table of when the view Encodings was called "compare" goes on under the current names.
  const Words renamed{"sweep", "encodings.learned", "--over", "encoding.table_length=16,32,64", "-o", "e.csv"};
  place.good(renamed);
  const std::string table = place.read("e.csv");
  EXPECT_THAT(table, HasSubstr("encodings.learned"));
  std::string old = table.substr(0, table.find('\n', table.find('\n') + 1) + 1);
  old.replace(old.find("encodings.learned"), 17, "compare.learned");
  place.write("e.csv", old);
  place.good({"sweep", "compare.learned", "--over", "encoding.table_length=16,32,64", "-o", "e.csv", "--resume"});
  EXPECT_EQ(place.read("e.csv"), table);

  refused("a,b\n", resumed, {"t.csv", part_of("error.command.resume_header"), "rope.base,decay.lowest"});
  refused(whole + "5,6\n", resumed, {"row 13", "no more rows"});
  Words others = resumed;
  others[3] = "rope.base=1e3..1e6:12";
  refused(whole, others, {"row 2", "rope.base="});
  others = resumed;
  others.insert(others.end(), {"--set", "rope.rotary_dim=64"});
  refused(whole, others, {"row 1 is", "the same model and settings"});
}

TEST_F(Sweep, CtrlCLeavesWholeRowsToGoOnFrom) {
  // More than can be done before the signal; that the end is reached is tested above.
  const Words asked{"sweep", "decay.lowest", "--over",  "rope.base=1e3..1e7:1000000", "--set", "decay.span=65536",
                    "-o",    "t.csv",        "--resume"};
  std::string part;
  for (int time = 0; time < 2; ++time) {
    const Outcome outcome = place.interrupted(asked, "t.csv", part.size());
    ASSERT_EQ(outcome.exit_code, 130);
    EXPECT_THAT(outcome.errors, HasSubstr("of 1000000 points; --resume continues from there"));
    const std::string longer = place.read("t.csv");
    ASSERT_GT(longer.size(), std::max<std::size_t>(part.size(), 100));
    EXPECT_TRUE(longer.starts_with(part));
    EXPECT_EQ(longer.back(), '\n');
    part = longer;
  }
  const auto rows = parse_csv(part);
  for (const std::size_t row : {std::size_t{1}, rows.size() - 1}) {
    ASSERT_EQ(rows[row].size(), 2u) << row;
    const auto alone = parse_csv(
        place.good({"sweep", "decay.lowest", "--over", "rope.base=" + rows[row][0], "--set", "decay.span=65536"}));
    EXPECT_EQ(alone[1], rows[row]);
  }
}

TEST_F(Sweep, RowsOnStandardOutputSurviveAKill) {
  for (const std::string threads : {"1", "3"}) {
    Running running = place.start({"sweep", "decay.lowest", "--over", "rope.base=1e3..1e7:1000000", "--set",
                                   "decay.span=65536", "--threads", threads});
    ASSERT_GE(running.lines(6).size(), 6u);
    running.signal(9);
    const Outcome outcome = running.end();
    EXPECT_EQ(outcome.exit_code, 128 + 9);
    EXPECT_EQ(outcome.output.back(), '\n');
    const auto rows = parse_csv(outcome.output);
    EXPECT_THAT(rows[0], ElementsAre("rope.base", "decay.lowest"));
    const auto alone = parse_csv(
        place.good({"sweep", "decay.lowest", "--over", "rope.base=" + rows[5][0], "--set", "decay.span=65536"}));
    EXPECT_EQ(alone[1], rows[5]);
  }
}

}  // namespace
}  // namespace ropescope
