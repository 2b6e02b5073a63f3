// Inputs that once crashed the program, filled its memory or were overwritten: shapes (all of them are in
// tests/unit/check_every_shape_test.cpp), small files, links as command-line arguments, outputs.

#include "app/experiment/figure_file.h"
#include "tests/command_line/check_tables.h"
#include "tests/said.h"

namespace ropescope {
namespace {

using HostileOutputs = InWorkplace;

std::string npy_of_shape(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t side : shape) count *= side;
  return npy(shape, std::vector<double>(static_cast<std::size_t>(count), 0.5));
}

// --- Shapes --------------------------------------------------------------------------------------------------------

TEST(HostileShapes, EmptyOnesAreSaid) {
  const Workplace place;
  for (const std::vector<std::int64_t>& shape : std::vector<std::vector<std::int64_t>>{
           {1, 0}, {2, 3, 0}, {1, 1, 0}, {0, 3, 3}, {0, 65536, 65536}, {2, 0, 3, 2, 2}}) {
    place.write("x.npy", npy_of_shape(shape));
    for (const Words& role : std::vector<Words>{{"--table", "x.npy"},
                                                {"--ids", "x.npy"},
                                                {"--frequencies", "x.npy"},
                                                {"--cos", "x.npy", "--sin", "x.npy"},
                                                {"--before", "x.npy", "--after", "x.npy"}}) {
      place.bad(plain_check(role), {"x.npy", "contains no numbers"});
    }
    place.bad({"check", "--against-cos", "x.npy", "--against-sin", "x.npy", "--cos", "x.npy", "--sin", "x.npy"},
              {"x.npy", "contains no numbers"});
    place.bad({"check", "--layout", "flux.1", "--size", "64x64", "--ids", "x.npy"}, {"x.npy", "contains no numbers"});
    EXPECT_EQ(place.run(plain_check({"x.npy"})).exit_code, 2);
  }
}

// --- Links ---------------------------------------------------------------------------------------------------------

/// Every form that the window and the page write.
Words link_forms() {
  Words forms;
  for (const char* address : {"ropescope:", "https://example.org/rope/#", "http://localhost:8000/#", "#", ""}) {
    forms.push_back(link_of({"view=limits", "rope.base=777"}, address));
    Words many{"view=limits", "rope.base=777"};
    for (int pair = 1; pair < 40; ++pair) many.push_back("rope.label=" + std::string(200, 'a'));
    many.resize(3);
    forms.push_back(link_of(many, address));
  }
  return forms;
}

TEST(HostileLinks, AreWordsOfTheCommandLine) {
  const Workplace place;
  for (const std::string& link : link_forms()) {
    place.good({"render", link, "-o", "f.json"});
    EXPECT_THAT(place.read("f.json"), HasSubstr("limits.")) << link;
    const Outcome window = place.run({link});
    EXPECT_EQ(window.exit_code, 2);
    EXPECT_THAT(window.errors, AllOf(HasSubstr("display"), Not(HasSubstr("not a subcommand")))) << link;
  }
  for (const char* address : {"ropescope:", "https://example.org/#", "#", ""}) {
    const std::string link = std::string(address) + "lesson=08-decay/abel";
    place.good({"render", link, "-o", "f.json"});
    EXPECT_THAT(place.read("f.json"), HasSubstr("decay.")) << link;
    EXPECT_THAT(place.run({link}).errors, HasSubstr("display"));
    place.bad({"render", link + "x", "-o", "g.json"}, {"abelx", "08-decay"});
  }
  // A preset and the repository of its numbers; a file of the name wins.
  for (const char* word : {"llama-2-7b", "meta-llama/Llama-2-7b-hf"}) {
    place.good({"render", word, "-o", "f.json"});
    EXPECT_THAT(place.read("f.json"), HasSubstr("decay.")) << word;
    EXPECT_THAT(place.run({word}).errors, HasSubstr("display"));
  }
  place.good({"render", "limits", "-o", "saved.svg"});
  fs::rename(place.path("saved.svg"), place.path("llama-2-7b"));
  place.good({"render", "llama-2-7b", "-o", "f.json"});
  EXPECT_THAT(place.read("f.json"), HasSubstr("limits."));
  place.bad({"render", "ropescope:3&view=decay", "-o", "g.json"}, {"link", "\"3\""});
  place.bad({"rendre"}, {"\"rendre\"", "render"});
}

// --- Outputs -------------------------------------------------------------------------------------------------------

TEST_F(HostileOutputs, AreNoInputs) {
  write_tables(place, PlainTable());
  fs::create_hard_link(place.path("sin.npy"), place.path("hard.npy"));
  fs::create_symlink(place.path("sin.npy"), place.path("soft.npy"));
  for (const char* output : {"sin.npy", "./sin.npy", "hard.npy", "soft.npy"}) {
    place.bad(plain_check(tables_of(place)) + Words{"--junit", output}, {"--junit", "sin"});
    // The first file is wrong, and the second one has not been read.
    place.bad(plain_check({"--cos", "no.npy", "--sin", "sin.npy", "--junit", output}), {"--junit", "--sin"});
  }
  place.write("saved.json", R"({"ropescope": 1, "view": "decay", "own": {"file": "curve.csv"}})");
  place.write("curve.csv", "1\n2\n3\n");
  place.bad({"render", "saved.json", "-o", "saved.json"}, {"saved.json"});
  place.bad({"render", "decay", "--own", "curve.csv", "-o", "curve.csv"}, {"curve.csv"});
  // Read by no option that names files.
  place.bad({"render", "check", "--dim", "32", "--set", "check.cos=cos.npy", "--set", "check.sin=curve.csv", "-o",
             "curve.csv"},
            {"curve.csv"});
  place.write("model.json", R"({"model_type": "llama", "head_dim": 128, "rope_theta": 10000})");
  place.bad({"compare", "model.json", "model.json", "--junit", "", "-o", "x.txt"},
            {part_of("error.file.no_name_to_write")});
  place.bad({"config", "model.json", "-o", "model.json"}, {"model.json", "-o"});
  place.bad({"compare", "model.json", "llama-2-7b", "--junit", "model.json"}, {"model.json", "--junit"});
}

TEST_F(HostileOutputs, ASweepKeepsTheOldFileUntilItIsDone) {
  const std::string old = "what was here before\n";
  place.write("t.csv", old);
  const Words asked{"sweep", "decay.lowest",     "--over", "rope.base=1e3..1e7:1000000",
                    "--set", "decay.span=65536", "-o",     "t.csv"};
  const Outcome outcome = place.interrupted(asked, "t.csv.unfinished", 100);
  ASSERT_EQ(outcome.exit_code, 130);
  EXPECT_EQ(place.read("t.csv"), old);
  const std::string part = place.read("t.csv.unfinished");
  EXPECT_EQ(part.back(), '\n');
  // Fewer points: their rows are others, and the file that they are compared with is named.
  Words resumed = asked;
  resumed.push_back("--resume");
  resumed[3] = "rope.base=1e3..1e7:3";
  place.bad(resumed, {"t.csv.unfinished", "row"});
  const std::string header = part.substr(0, part.find('\n') + 1);
  place.write("t.csv.unfinished", header);
  place.good(resumed);
  EXPECT_TRUE(place.read("t.csv").starts_with(header));
  EXPECT_EQ(parse_csv(place.read("t.csv")).size(), 4u);
  EXPECT_FALSE(fs::exists(place.path("t.csv.unfinished")));
  // Nothing is left of a run that ends, and the next one replaces what is there.
  resumed.pop_back();
  place.good(resumed);
  EXPECT_EQ(place.files().count("t.csv.unfinished"), 0u);
}

// --- Messages ------------------------------------------------------------------------------------------------------

TEST(HostileMessages, AreShort) {
  const Workplace place;
  std::string header = "{", numbers;
  for (int i = 0; i < 5000; ++i) {
    header += (i == 0 ? "\"" : ",\"") + std::string("layer.") + std::to_string(i) + ".weight\":{\"dtype\":\"F32\"," +
              "\"shape\":[1],\"data_offsets\":[" + std::to_string(4 * i) + "," + std::to_string(4 * i + 4) + "]}";
    numbers += std::string(4, '\0');
  }
  header += "}";
  std::string length;
  for (int k = 0; k < 8; ++k) length += static_cast<char>(header.size() >> (8 * k) & 0xFF);
  place.write("many.safetensors", length + header + numbers);
  for (const Words& words : {plain_check({"many.safetensors"}), plain_check({"--frequencies", "many.safetensors:none"}),
                             plain_check({"--frequencies", "many.safetensors"})}) {
    EXPECT_LT(place.bad(words, {"many.safetensors", "(5000 in all)"}).size(), 1000u);
  }
  place.write("big.npy", npy_of_shape({30'000}));
  EXPECT_THAT(place.bad({"render", "decay", "--own", "big.npy", "-o", "f.svg"}, {"big.npy", "30"}),
              Not(HasSubstr(".csv")));
  EXPECT_THAT(place.bad({"render", "ropescope:1&pins=7", "-o", "f.svg"}, {"link"}), Not(HasSubstr("--set")));
}

}  // namespace
}  // namespace ropescope
