// Content of files that users pass on: at most the names of the files they were made from, never a folder.

#include "tests/command_line/program.h"

namespace ropescope {
namespace {

constexpr const char* kFolder = "folder-of-somebody-4711";

class Privacy : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(place.path(kFolder));
    place.write(file("passed-on.json"),
                R"({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 1, "rope_theta": 12345.0})");
    config = place.path(file("passed-on.json")).string();
  }
  static std::string file(const std::string& name) { return std::string(kFolder) + "/" + name; }

  Workplace place;
  std::string config;
};

TEST_F(Privacy, PicturesAndTablesNameNoFolder) {
  for (const std::string name : {"f.svg", "f.pdf", "f.png", "f.csv", "f.json"}) {
    place.good({"render", "decay", "--config", config, "-o", name});
    EXPECT_THAT(place.read(name), Not(HasSubstr(kFolder))) << name;
  }
  EXPECT_THAT(place.read("f.json"), HasSubstr("passed-on")) << "the label does name the file: such a search finds it";
  place.good({"render", "decay", "--config", config, "--text-size", "100", "--outlines", "no", "-o", "words.svg"});
  EXPECT_THAT(place.read("words.svg"), HasSubstr("passed-on"));
  EXPECT_THAT(place.read("words.svg"), Not(HasSubstr(kFolder)));
}

TEST_F(Privacy, WhatAFigureCarriesNamesNoFolder) {
  // The experiment in a PDF or PNG may be packed: what is read from it is what stands in it.
  for (const std::string name : {"f.svg", "f.pdf", "f.png"}) {
    place.good({"render", "decay", "--config", config, "-o", name});
    place.good({"render", name, "-o", "again.json"});
    EXPECT_THAT(place.read("again.json"), HasSubstr("passed-on")) << name;
    EXPECT_THAT(place.read("again.json"), Not(HasSubstr(kFolder))) << name;
  }
}

TEST_F(Privacy, HandoutsNameFilesAsTheyStandBesideTheLecture) {
  place.write(file("mine.md"), "# Mine\n\n## One {one}\n\n```set\nview = decay\nrope.config = passed-on.json\n```\n");
  for (const std::string name : {"h.html", "h.pdf"}) {
    place.good({"handout", place.path(file("mine.md")).string(), "-o", name});
    EXPECT_THAT(place.read(name), HasSubstr("rope.config=passed-on.json")) << name;
    EXPECT_THAT(place.read(name), Not(HasSubstr(kFolder))) << name;
  }
}

TEST_F(Privacy, PicturesOfTheWindowAndMovingOnesNameNoFolder) {
  place.good({"screenshot", "--config", config, "--size", "640x480", "-o", "window.png"});
  EXPECT_THAT(place.read("window.png"), Not(HasSubstr(kFolder)));
  place.good({"animate", "decay", "--config", config, "--sweep", "rope.base=100..1000", "--seconds", "1", "--fps", "2",
              "--size", "320x200", "-o", "base.gif"});
  EXPECT_THAT(place.read("base.gif"), Not(HasSubstr(kFolder)));
}

}  // namespace
}  // namespace ropescope
