#include "app/experiment/experiment.h"
#include "tests/command_line/program.h"
#include "tests/said.h"

namespace ropescope {
namespace {

using Render = InWorkplace;

/// Programs read these strings, and people paste them.
TEST_F(Render, NumbersInDataHaveNoSeparators) {
  std::size_t large = 0;
  for (const char* language : {"en", "ja", "ko"}) {
    place.good({"render", "decay", "--model", "llama-3.1-8b", "--language", language, "-o", "f.json"});
    const json drawn = json::parse(place.read("f.json"));
    for (const json& card : drawn.at("readouts")) {
      const std::string note = card.at("note");
      large += std::regex_search(note, std::regex("[0-9]{5}")) ? 1 : 0;
      EXPECT_FALSE(std::regex_search(note, std::regex("[0-9](,|\u202f)[0-9]{3}"))) << language << ": " << note;
    }
  }
  EXPECT_GT(large, 3u);
}

// A script gives the same figure everywhere, whatever the locale.
TEST_F(Render, SpeaksTheLanguageThatIsAskedFor) {
  const auto label = [this](const Words& language) {
    place.good(Words{"render", "decay", "-o", "f.json"} + language);
    return json::parse(place.read("f.json")).at("figures").at(0).at("x").at("label").get<std::string>();
  };
  const std::string english = label({});
  EXPECT_THAT(english, HasSubstr("distance"));
  EXPECT_THAT(label({"--language", "ja"}), HasSubstr("距離"));
  EXPECT_THAT(label({"--language", "ko"}), HasSubstr("거리"));
  // Before the subcommand as well; the nearer one counts.
  const auto label_before = [this](const Words& rest) {
    place.good(Words{"--language", "ko", "render", "decay", "-o", "f.json"} + rest);
    return json::parse(place.read("f.json")).at("figures").at(0).at("x").at("label").get<std::string>();
  };
  EXPECT_THAT(label_before({}), HasSubstr("거리"));
  EXPECT_THAT(label_before({"--language", "ja"}), HasSubstr("距離"));
  place.bad({"--language", "ko", "models"}, {"--language", "\"models\"", "render", "screenshot", "lesson"});
  place.bad({"--language", "xx", "render", "decay", "-o", "g.json"}, {"--language", "\"xx\"", "en, ja or ko"});
  place.set_environment("LC_ALL=ja_JP.UTF-8");
  EXPECT_EQ(label({}), english);
  place.bad({"render", "decay", "-o", "f.json", "--language", "xx"}, {"--language", "\"xx\"", "en, ja or ko"});
}

TEST_F(Render, EveryFormat) {
  for (const std::string format : {"svg", "pdf", "png", "csv", "json"}) {
    EXPECT_EQ(place.good({"render", "decay", "-o", "f." + format}), "");
    EXPECT_GT(place.read("f." + format).size(), 1000u);
  }
  EXPECT_THAT(place.read("f.pdf"), StartsWith("%PDF"));
  EXPECT_THAT(place.read("f.png"), StartsWith("\x89PNG"));
  EXPECT_THAT(place.read("f.svg"), HasSubstr("<svg"));
  EXPECT_EQ(place.files().size(), 5u);
}

// Cairo keeps to itself what went wrong at the first text, and draws nothing after it.
TEST_F(Render, AConfigByItsFieldIsTheOption) {
  place.write("config.json", R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
      "rope_theta": 7000})");
  place.good({"render", "decay", "--set", "rope.config=config.json", "-o", "field.csv"});
  place.good({"render", "decay", "--config", "config.json", "-o", "option.csv"});
  EXPECT_EQ(place.read("field.csv"), place.read("option.csv"));
  place.good({"render", "decay", "-o", "default.csv"});
  EXPECT_NE(place.read("field.csv"), place.read("default.csv"));
  place.bad({"render", "decay", "--set", "rope.config=missing.json", "-o", "g.csv"}, {"missing.json"});
}

TEST_F(Render, APageWithoutAnyFontIsRefused) {
  place.write("fonts.conf", "<?xml version=\"1.0\"?><fontconfig></fontconfig>");
  place.set_environment("FONTCONFIG_FILE=" + place.path("fonts.conf").string());
  for (const std::string format : {"svg", "pdf", "png"}) {
    place.bad({"render", "decay", "-o", "f." + format}, {part_of("error.page.no_font"), "Inter", "fc-list"});
  }
  place.bad({"attention", "--encoding", "alibi", "--tokens", "8", "-o", "f.png"}, {part_of("error.page.no_font")});
  place.good({"render", "decay", "-o", "f.csv"});
}

TEST_F(Render, CsvOfMarksHasTheirRows) {
  for (const std::string show : {"turn", "helix", "forms", "pairing"}) {
    place.good({"render", "rotation", "--set", "rotation.show=" + show, "-o", "f.json"});
    const json view = json::parse(place.read("f.json"));
    for (std::size_t i = 0; i < view["figures"].size(); ++i) {
      place.good(
          {"render", "rotation", "--set", "rotation.show=" + show, "--figure", std::to_string(i + 1), "-o", "f.csv"});
      EXPECT_GT(parse_csv(place.read("f.csv")).size(), 2u) << show << ", " << view["figures"][i]["name"];
    }
  }
  place.good({"render", "rotation", "-o", "f.csv"});
  const auto rows = parse_csv(place.read("f.csv"));
  ASSERT_GT(rows.size(), 2u);
  EXPECT_THAT(rows[0], ElementsAre("mark", "key", "number", testing::_, testing::_, "label"));
  const json arrow = [&] {
    place.good({"render", "rotation", "-o", "f.json"});
    return json::parse(place.read("f.json"))["figures"][0]["arrows"][0];
  }();
  std::size_t found = 0;
  for (const auto& row : rows) {
    if (row[0] != "arrow" || row[1] != arrow["key"].get<std::string>()) continue;
    const json& end = arrow[row[2] == "0" ? "from" : "to"];
    EXPECT_NEAR(std::stod(row[3]), end[0].get<double>(), 1e-12);
    EXPECT_NEAR(std::stod(row[4]), end[1].get<double>(), 1e-12);
    ++found;
  }
  EXPECT_EQ(found, 2u);
}

TEST_F(Render, NamesThatNobodyHasAreRefused) {
  place.bad({"render", "decay", "--set", "view=zzz", "-o", "f.svg"}, {"view is \"zzz\"", "rotation", "limits"});
  place.bad({"screenshot", "--set", "view=zzz", "-o", "f.png"}, {"view is \"zzz\"", "rotation"});
  place.bad({"render", "decay", "--set", "hidden=zzz", "-o", "f.svg"},
            {said(Message("error.field", {{"field", "hidden"}, {"found", "\"zzz\""}, {"expected", "current"}}))});
  place.bad({"render", "decay", "--set", "hidden=pin1", "-o", "f.svg"},
            {said(Message("error.field", {{"field", "hidden"}, {"found", "\"pin1\""}, {"expected", "current"}}))});
  for (const char* output : {"f.svg", "f.csv", "f.json"}) {
    const auto swept = [&](const std::string& readout) {
      return Words{"render", "sweep",
                   "--set",  "sweep.readout=" + readout,
                   "--set",  "sweep.over=rope.base=100..1000:3",
                   "--set",  "decay.span=100",
                   "-o",     output};
    };
    place.bad(swept("decay.lowst"), {"\"decay.lowst\"", "decay.lowest"});
    place.bad(swept("zzz"), {"\"zzz\""});
    place.good(swept("decay.lowest"));
    place.good(swept("decay.first_negative"));
    fs::remove(place.path(output));
  }
  place.good({"render", "decay", "--set", "hidden=pin1", "--set", "pins=[{\"slot\": 1, \"rope\": {\"base\": 5}}]", "-o",
              "f.svg"});
}

TEST_F(Render, CsvHoldsTheNumbersOfDecay) {
  place.good({"render", "decay", "--dim", "64", "--base", "500000", "--set", "span=100", "--set",
              "decay.distance_axis=linear", "-o", "f.csv"});
  const auto found = parse_csv(place.read("f.csv"));
  const auto wanted = parse_csv(place.good({"decay", "--dim", "64", "--base", "500000", "--distances", "0:100"}));
  ASSERT_EQ(found.size(), wanted.size());
  EXPECT_EQ(found[0][0], "distance");
  EXPECT_EQ(found[0][1], "similarity");
  for (std::size_t i = 1; i < found.size(); ++i) {
    EXPECT_EQ(found[i][0], wanted[i][0]);
    EXPECT_NEAR(std::stod(found[i][1]), std::stod(wanted[i][1]), 1e-12);
  }
}

TEST_F(Render, FigureByNumberOrName) {
  place.good({"render", "decay", "--figure", "2", "-o", "two.csv"});
  place.good({"render", "decay", "--figure", "bound", "-o", "bound.csv"});
  EXPECT_EQ(place.read("two.csv"), place.read("bound.csv"));
  EXPECT_THAT(place.read("two.csv"), StartsWith("distance,abel_bound"));
  place.good({"render", "decay", "--figure", "1", "-o", "one.json"});
  EXPECT_EQ(json::parse(place.read("one.json"))["figures"].size(), 1u);
  place.bad({"render", "decay", "--figure", "3", "-o", "f.csv"}, {"--figure", "\"3\"", "similarity", "bound"});
}

TEST_F(Render, SavedExperimentAndSetArgumentsGiveTheSameFigure) {
  Experiment experiment;
  experiment.rope.base = 1234.5;
  experiment.rope.label = "a 'quoted' label";
  experiment.decay.span = 300;
  experiment.decay.show_envelope = true;
  experiment.decay.zooms["decay.distance_range"] = Range{2, 200};
  experiment.decay.marked_pairs = "0:8:4";
  Pin pin;
  pin.rope.base = 500000;
  pin.slot = 3;
  experiment.pins = {pin};
  place.write("e.json", experiment_to_json(experiment));
  place.good({"render", "decay", "--experiment", "e.json", "--size", "600x400", "--theme", "light", "-o", "a.svg"});
  Words arguments = {"render", "decay", "--size", "600x400", "--theme", "light", "-o", "b.svg"};
  for (const std::string& assignment : set_arguments(experiment)) {
    arguments.insert(arguments.end(), {"--set", assignment});
  }
  place.good(arguments);
  EXPECT_EQ(place.read("a.svg"), place.read("b.svg"));
  place.good({"render", "decay", "-o", "c.svg"});
  EXPECT_NE(place.read("a.svg"), place.read("c.svg"));
  // As a window sets it aside that found another one killed.
  place.write("last-experiment.json.1", experiment_to_json(experiment));
  place.good({"render", "last-experiment.json.1", "--size", "600x400", "--theme", "light", "-o", "d.svg"});
  EXPECT_EQ(place.read("a.svg"), place.read("d.svg"));
}

TEST_F(Render, RopeOptionsStartFromTheExperiment) {
  Experiment experiment;
  experiment.rope.rotary_dim = 64;
  experiment.decay.span = 50;
  experiment.decay.distance_axis = AxisScale::linear;
  place.write("e.json", experiment_to_json(experiment));
  place.good({"render", "decay", "--experiment", "e.json", "--base", "100", "-o", "f.csv"});
  const auto found = parse_csv(place.read("f.csv"));
  const auto wanted = parse_csv(place.good({"decay", "--dim", "64", "--base", "100", "--distances", "50"}));
  EXPECT_NEAR(std::stod(found.back()[1]), std::stod(wanted.back()[1]), 1e-12);
}

TEST_F(Render, PresetsProfilesAndAxes) {
  const Outcome outcome = place.run({"render", "decay", "--model", "llama-3.1-8b", "-o", "f.json"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.errors, "");
  EXPECT_THAT(place.read("f.json"), HasSubstr("Llama 3.1 8B"));
  EXPECT_THAT(place.read("f.json"), HasSubstr("llama3"));
  place.good({"render", "decay", "--model", "flux.1-dev", "--axis", "row", "--set", "span=20", "--set",
              "distance_axis=linear", "-o", "row.csv"});
  const auto rows = parse_csv(place.read("row.csv"));
  const auto wanted = parse_csv(place.good({"decay", "--dim", "56", "--base", "10000", "--distances", "20"}));
  EXPECT_NEAR(std::stod(rows.back()[1]), std::stod(wanted.back()[1]), 1e-12);
  place.bad({"render", "decay", "--model", "flux.1-dev", "--axis", "z", "-o", "z.csv"}, {"--axis", "\"z\"", "row"});
  place.bad({"render", "decay", "--axis", "row", "-o", "z.csv"}, {"--axis", "\"row\""});
}

TEST_F(Render, Sizes) {
  place.good({"render", "decay", "--size", "640x480", "-o", "f.png"});
  // Width and height stand big-endian at byte 16 of a PNG.
  const std::string png = place.read("f.png");
  EXPECT_EQ(png.substr(16, 8), std::string("\0\0\x02\x80\0\0\x01\xe0", 8));
  place.good({"render", "decay", "--size", "170x110mm", "-o", "f.pdf"});
  place.good({"render", "decay", "--size", "85x60mm", "--dpi", "300", "-o", "m.png"});
  // 1004 × 709 pixels.
  EXPECT_EQ(place.read("m.png").substr(16, 8), std::string("\0\0\x03\xec\0\0\x02\xc5", 8));
  place.bad({"render", "decay", "--size", "2000x60mm", "--dpi", "1200", "-o", "g.png"}, {"94488", "16384"});
  place.bad({"render", "decay", "--size", "85x60mm", "--dpi", "5", "-o", "g.png"}, {"--dpi", "\"5\"", "36"});
  place.bad({"render", "decay", "--size", "800x600", "--dpi", "300", "-o", "g.png"}, {"--dpi", "millimetres"});
  place.bad({"render", "decay", "--size", "85x60mm", "--dpi", "300", "-o", "g.svg"}, {"--dpi", "PNG"});
  for (const std::string size : {"0x0", "12", "1e9x3", "-5x100", "axb", "600x400x2", "nanxnan"}) {
    place.bad({"render", "decay", "--size", size, "-o", "g.svg"}, {size});
  }
}

TEST_F(Render, TextOfItsSizeAndAsText) {
  place.good({"render", "decay", "-o", "usual.svg"});
  place.good({"render", "decay", "--outlines", "yes", "--text-size", "100", "-o", "said.svg"});
  EXPECT_EQ(place.read("usual.svg"), place.read("said.svg"));
  EXPECT_THAT(place.read("usual.svg"), Not(HasSubstr("<text")));
  place.good({"render", "decay", "--outlines", "no", "-o", "text.svg"});
  EXPECT_THAT(place.read("text.svg"), HasSubstr(">trained 4\u202F096</text>"));
  // A line that holds a formula of letters is text, its parts as spans.
  EXPECT_THAT(place.read("text.svg"), HasSubstr("relative distance </tspan><tspan>Δ</tspan>"));
  place.good({"render", "decay", "--text-size", "150", "-o", "large.svg"});
  EXPECT_NE(place.read("usual.svg"), place.read("large.svg"));
  place.bad({"render", "decay", "--text-size", "5", "-o", "g.svg"}, {"--text-size", "\"5\"", "50", "300"});
  place.bad({"render", "decay", "--outlines", "maybe", "-o", "g.svg"}, {"--outlines", "maybe", "yes or no"});
  place.bad({"render", "decay", "--outlines", "no", "-o", "g.pdf"}, {"--outlines", "SVG"});
  place.bad({"render", "decay", "--text-size", "150", "-o", "g.csv"},
            {"--text-size", part_of("error.command.no_picture")});
}

TEST_F(Render, AModelBringsItsSpan) {
  const auto last = [this](const Words& more) {
    place.good(Words{"render", "decay", "--model", "command-r-08-2024", "-o", "f.csv"} + more);
    return parse_csv(place.read("f.csv")).back()[0];
  };
  EXPECT_EQ(last({}), "131072");
  EXPECT_EQ(last({"--set", "span=500"}), "500");
  place.write("e.json", R"({"decay": {"span": 600}})");
  EXPECT_EQ(last({"--experiment", "e.json"}), "600");
}

TEST_F(Render, NotesAreInTheJson) {
  place.good(
      {"render", "decay", "--set",
       R"(notes=[{"view": "decay", "figure": "bound", "text": "here", "x": 10, "y": 1, "text_x": 40, "text_y": 2}])",
       "-o", "f.json"});
  const json figures = json::parse(place.read("f.json")).at("figures");
  EXPECT_TRUE(figures.at(0).at("notes").empty());
  EXPECT_EQ(figures.at(1).at("notes").at(0).at("text"), "here");
  EXPECT_EQ(figures.at(1).at("notes").at(0).at("x"), 10);
  place.bad({"render", "decay", "--set", R"(notes=[{"where": 1}])", "-o", "g.svg"}, {"notes[0].where"});
  place.bad({"render", "decay", "--set", R"(notes=[{"x": "far"}])", "-o", "g.svg"}, {"notes[0].x"});
}

TEST_F(Render, AConfigFillsWhatTheCheckComparesWith) {
  place.write("flux.json", R"({"_class_name": "FluxTransformer2DModel", "axes_dims_rope": [8, 28, 28]})");
  place.good({"layout", "flux.1", "--config", "flux.json", "--grid", "4x6", "--text", "2", "--cos", "cos.npy", "--sin",
              "sin.npy"});
  Words words = {"render", "check", "--config", "flux.json", "-o", "check.json"};
  for (const char* set :
       {"layout.width=96", "layout.height=64", "layout.text=2", "check.cos=cos.npy", "check.sin=sin.npy"}) {
    words.insert(words.end(), {"--set", set});
  }
  place.good(words);
  EXPECT_THAT(place.read("check.json"), HasSubstr("Agrees"));
}

TEST_F(Render, ATableSaysThatSomeNumbersAreNotFinite) {
  const Outcome outcome = place.run({"render", "precision", "-o", "p.csv"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(place.read("p.csv"), HasSubstr("nan"));
  EXPECT_THAT(outcome.errors, AllOf(HasSubstr("float16"), Says("notice.gaps", {{"x", "65"}})));
  EXPECT_EQ(place.run({"render", "decay", "-o", "d.csv"}).errors, "");
}

TEST_F(Render, BadInput) {
  place.write("folder-is-here", "");
  place.bad({"render", "dcay", "-o", "f.svg"}, {"dcay", "decay"});
  place.bad({"render", "decay"}, {"--output"});
  place.bad({"render", "-o", "f.svg"}, {"VIEW"});
  place.bad({"render", "decay", "-o", "f.gif"}, {"f.gif", ".svg"});
  place.bad({"render", "decay", "--size", "800x700", "-o", "f.csv"}, {"--size", part_of("error.command.no_picture")});
  place.bad({"render", "decay", "--theme", "light", "-o", "f.json"}, {"--theme", part_of("error.command.no_picture")});
  place.bad({"render", "decay", "--set", "view=check", "-o", "f.svg"}, {"--set", "view", "check", "decay"});
  place.bad({"render", "decay", "--set", "rope.label=\xC3m", "-o", "f.svg"}, {"rope.label", "UTF-8", "byte 195"});
  place.bad({"render", "decay", "--profile", "", "-o", "f.svg"}, {"--profile"});
  for (const char* file : {"", "attention.file=missing.npz"}) {
    Words words = {"render", "attention", "--set", "attention.content=file", "-o", "f.csv"};
    if (*file) words.insert(words.end(), {"--set", file});
    place.bad(words, {*file ? "missing.npz" : ".npz"});
  }
  place.bad({"render", "decay", "-o", "f"}, {"\"f\"", ".svg"});
  place.bad({"render", "decay", "--theme", "pink", "-o", "f.svg"}, {"pink", "light"});
  place.bad({"render", "decay", "--set", "bse=5", "-o", "f.svg"}, {"--set", "bse", "rope.base"});
  place.bad({"render", "decay", "--set", "base=0.5", "-o", "f.svg"}, {"rope.base", "0.5", "1.01"});
  place.bad({"render", "decay", "--set", "base=nan", "-o", "f.svg"}, {"rope.base", "nan"});
  place.bad({"render", "decay", "--set", "span=-5", "-o", "f.svg"}, {"decay.span", "-5", "16"});
  place.bad({"render", "decay", "--set", "base", "-o", "f.svg"}, {"--set", "key=value"});
  for (const std::string pairs : {"abc", "1,,2", "0.5", "-1", "5000", "0:100"}) {
    place.bad({"render", "decay", "--set", "marked_pairs=" + pairs, "-o", "f.svg"}, {"decay.marked_pairs"});
  }
  place.bad({"render", "decay", "--set", "axes=t:3", "-o", "f.svg"}, {"rope.axes", "\"t\""});
  place.bad({"render", "decay", "--experiment", "no.json", "-o", "f.svg"}, {"no.json"});
  place.write("e.json", R"({"rope": {"bse": 5}})");
  place.bad({"render", "decay", "--experiment", "e.json", "-o", "f.svg"}, {"e.json", "rope.bse", "rope.base"});
  place.write("t.json", R"({"rope": {"base": 5)");
  place.bad({"render", "decay", "--experiment", "t.json", "-o", "f.svg"}, {"t.json"});
  place.bad({"render", "decay", "-o", "no/such/folder/f.svg"}, {"no/such/folder/f.svg", "folder does not exist"});
}

}  // namespace
}  // namespace ropescope
