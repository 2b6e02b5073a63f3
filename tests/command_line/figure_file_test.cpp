// A figure file contains its experiment: rendering it again from the file gives the same bytes.

#include "app/experiment/figure_file.h"
#include "core/formats/embedded_text.h"
#include "tests/command_line/program.h"

namespace ropescope {
namespace {

using FigureFile = InWorkplace;

using testing::Optional;

/// Pins, notes with letters of many kinds, zoomed axes. None of a CJK font: Cairo keeps memory of one in a PDF.
const Words kChosen = {"--model",
                       "llama-3.1-8b",
                       "--set",
                       "decay.span=3000",
                       "--set",
                       "pins=[{\"slot\": 2, \"name\": \"(a) \\\\ ]]> <b> & 'c'\", \"rope\": {\"base\": 500}}]",
                       "--set",
                       "notes=[{\"view\": \"decay\", \"figure\": \"similarity\", \"text\": \"é θЖ \\ud83d\\ude00 )(\", "
                       "\"x\": 100, \"y\": 0.5, \"text_x\": 400, \"text_y\": 0.8}]"};

TEST_F(FigureFile, IsDrawnAgainFromItself) {
  const std::vector<Words> kinds = {
      {".svg", "--theme", "light"},    {".svg", "--outlines", "no", "--size", "170x110mm"},
      {".pdf", "--size", "170x110mm"}, {".pdf"},
      {".png", "--size", "640x420"},   {".png", "--size", "85x60mm", "--dpi", "150"}};
  for (const Words& kind : kinds) {
    SCOPED_TRACE(kind.front());
    const Words options(kind.begin() + 1, kind.end());
    const std::string first = "first" + kind.front(), again = "again" + kind.front();
    place.good(Words{"render", "decay", "-o", first} + kChosen + options);
    const std::string bytes = place.read(first);
    place.good(Words{"render", first, "-o", again} + options);
    EXPECT_EQ(place.read(again) == bytes, true);
    place.good(Words{"render", "decay", "--experiment", first, "-o", again} + options);
    EXPECT_EQ(place.read(again) == bytes, true);
    place.good(Words{"render", first, "-o", again, "--set", "rope.base=777"} + options);
    EXPECT_EQ(place.read(again) == bytes, false);
    const Experiment shown = load_experiment(place.path(first).string());
    EXPECT_EQ(shown.pins.at(0).name, "(a) \\ ]]> <b> & 'c'");
    EXPECT_EQ(shown.notes.at(0).text, "é θЖ 😀 )(");
    EXPECT_EQ(shown.decay.span, 3000);
    Experiment other = load_experiment(place.path(again).string());
    EXPECT_EQ(other.rope.base, 777);
    other.rope.base = shown.rope.base;
    other.rope.label = shown.rope.label;
    other.rope.model = shown.rope.model;
    other.rope.profile = shown.rope.profile;
    EXPECT_EQ(other, shown);
  }
}

TEST_F(FigureFile, HoldsNamesOfFilesAndNoFolders) {
  fs::create_directories(place.path("secret/inner"));
  place.write("secret/model.json", R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
  "max_position_embeddings": 2048, "rope_theta": 123456.0})");
  place.good({"attention", "--encoding", "rope", "--dim", "8", "--tokens", "6", "-o", "weights.npy"});
  const std::string path = place.path("secret/inner/qk.npy").string();
  fs::copy_file(place.path("weights.npy"), path);
  for (const std::string ending : {".svg", ".pdf", ".png"}) {
    SCOPED_TRACE(ending);
    place.good({"render", "decay", "--config", place.path("secret/model.json").string(), "-o", "f" + ending, "--set",
                "attention.file=" + path, "--set", "check.cos=" + path, "--set", "span=512"});
    const std::string file = place.read("f" + ending);
    EXPECT_THAT(file, Not(HasSubstr("secret")));
    EXPECT_THAT(carried_text(file, "f"), Optional(AllOf(HasSubstr("qk.npy"), Not(HasSubstr("secret")))));
    EXPECT_EQ(load_experiment(place.path("f" + ending).string()).rope.config, "model.json");
    place.good({"render", "f" + ending, "-o", "again" + ending});
    EXPECT_EQ(place.read("again" + ending) == place.read("f" + ending), true);
  }
}

}  // namespace
}  // namespace ropescope
