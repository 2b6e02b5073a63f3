// Self-describing dumps, written by assets/dump from Python and C or by this test, and checked without options.

#include <csignal>

#include "tests/command_line/check_tables.h"
#include "tests/unit/stored_files.h"

namespace ropescope {
namespace {

using Dump = InWorkplace;

/// Runs a command of the shell in the folder of a place; the distribution's programs come first.
bool runs(const Workplace& place, const std::string& command) {
  const std::string line = "cd '" + place.path("").string() + "' && PATH=/usr/bin:/bin:$PATH " + command;
  return std::system(line.c_str()) == 0;
}

bool python_has(const std::string& package) {
  return std::system(
             ("PATH=/usr/bin:/bin:$PATH python3 -c 'import importlib.util as i, sys; sys.exit(not i.find_spec(\"" +
              package + "\"))' >/dev/null 2>&1")
                 .c_str()) == 0;
}

std::string scripts() {
  return source_folder() + "/tests/command_line/scripts/";
}

/// Writes all CASE.safetensors of a script, and in "notices" what it says on standard error.
bool dumped(const Workplace& place, const std::string& script) {
  return runs(place, "python3 -B '" + scripts() + script + "' '" + source_folder() + "/assets/dump' 2>notices");
}

/// The verdict on a dump: the first line.
std::string verdict(const Workplace& place, const Words& more = {}, const std::string& file = "out.safetensors") {
  const Outcome outcome = place.run(Words{"check", place.path(file).string()} + more);
  EXPECT_EQ(outcome.errors, "") << file;
  return outcome.output.substr(0, outcome.output.find('\n'));
}

/// out.safetensors with the plain ladder's tables as `cos` and `sin`, and positions, whose metadata are these.
void write_dump(const Workplace& place, const json& notes, const std::string& cosine = "cos",
                const std::string& sine = "sin") {
  const PlainTable table;
  const std::string c = raw(table.cosines(), Storage::float32), s = raw(table.sines(), Storage::float32);
  json header;
  header["__metadata__"] = notes;
  std::size_t end = 0;
  for (const auto& [name, bytes] : {std::pair(cosine, c.size()), std::pair(sine, s.size())}) {
    header[name]["dtype"] = "F32";
    header[name]["shape"] = table.shape();
    header[name]["data_offsets"] = {end, end + bytes};
    end += bytes;
  }
  place.write("out.safetensors", safetensors_file(header.dump(), c + s));
}

json options(const std::string& text) {
  json notes = json::object();
  notes["ropescope.options"] = text;
  return notes;
}

/// What one dump says of the reference is forgotten with it.
TEST_F(Dump, IsTakenAnewWhereItIsWatched) {
  write_dump(place, options(R"({"dim": 32, "base": 500000, "scaling": "linear", "factor": 4})"));
  Running running = place.start({"check", place.path("out.safetensors"), "--watch", "--threads", "1"});
  EXPECT_THAT(running.lines(1).at(0), HasSubstr("disagrees: "));
  json notes = options(R"({"text": 40, "head-dim": 32, "base": 10000})");
  notes["ropescope.layout"] = "text";
  write_dump(place, notes);
  EXPECT_THAT(running.lines(2).at(1), HasSubstr("  agrees"));
  write_dump(place, options(R"({"dim": 32, "base": 20000})"));
  EXPECT_THAT(running.lines(3).at(2), HasSubstr("disagrees: base (base 10"));
  running.signal(SIGINT);
  EXPECT_EQ(running.end().exit_code, 1);
}

TEST_F(Dump, SaysItselfWhatItHolds) {
  write_dump(place, options(R"({"dim": 32, "base": 10000})"));
  EXPECT_EQ(verdict(place), "agrees");
  json notes = options("{}");
  notes["ropescope.config"] = R"({"model_type": "llama", "head_dim": 32, "hidden_size": 64, "num_attention_heads": 2})";
  notes["ropescope.roles"] = R"({"cos": "first", "sin": "second"})";
  write_dump(place, notes, "first", "second");
  EXPECT_EQ(verdict(place), "agrees");
  notes = options(R"({"grid": "5x8", "head-dim": 32})");
  notes["ropescope.layout"] = "raster";
  write_dump(place, notes);
  EXPECT_EQ(verdict(place), "agrees");
}

TEST_F(Dump, NamesTellRolesWhereNothingElseDoes) {
  write_dump(place, json::object(), "rotary_emb.cos_cached", "rotary_emb.sin_cached");
  EXPECT_EQ(verdict(place, {"--dim", "32", "--base", "10000"}), "agrees");
  write_tables(place, PlainTable());
  place.good(plain_check({place.path("cos.npy"), "--sin", place.path("sin.npy")}));
  write_dump(place, json::object(), "a", "b");
  place.bad(plain_check({place.path("out.safetensors")}), {"out.safetensors", "(\"a\", \"b\")"});
}

TEST_F(Dump, OptionsWinOverTheFile) {
  write_dump(place, options(R"({"dim": 32, "base": 500, "scaling": "linear", "factor": 4})"));
  EXPECT_THAT(verdict(place), StartsWith("disagrees"));
  EXPECT_THAT(verdict(place, {"--base", "10000"}), StartsWith("disagrees"));
  EXPECT_EQ(verdict(place, {"--base", "10000", "--factor", "1"}), "agrees");
  // Another reference puts all of the file's away.
  EXPECT_EQ(verdict(place, {"--dim", "32", "--base", "10000"}), "agrees");
  EXPECT_EQ(verdict(place, {"--layout", "raster", "--grid", "5x8", "--head-dim", "32"}), "agrees");
  const std::string file = place.path("out.safetensors");
  EXPECT_EQ(verdict(place, {"--against-cos", file + ":cos", "--against-sin", file + ":sin"}), "agrees");
  // Of alternatives the command line's is taken.
  json notes = options(R"({"grid": "3x3", "head-dim": 32})");
  notes["ropescope.layout"] = "raster";
  write_dump(place, notes);
  EXPECT_EQ(verdict(place, {"--grid", "8x5"}), "agrees");
  EXPECT_EQ(verdict(place, {"--size", "128x80", "--patch", "16"}), "agrees");
  // So are the command line's tensors.
  PlainTable other;
  other.base = 700;
  write_tables(place, other);
  EXPECT_THAT(verdict(place, {"--grid", "5x8", "--cos", place.path("cos.npy"), "--sin", place.path("sin.npy")}),
              StartsWith("disagrees: base"));
}

TEST_F(Dump, WhatItSaysWronglyIsNamed) {
  const std::string file = place.path("out.safetensors");
  const auto bad = [&](const json& notes, Words culprits) {
    write_dump(place, notes);
    culprits.push_back("out.safetensors");
    place.bad({"check", file}, culprits);
  };
  write_dump(place, json::object());
  place.bad({"check", file}, {part_of("error.command.no_rope")});
  bad(options(R"({"dims": 32, "base": 10000})"), {"\"dims\"" + part_of("error.dump_notes.option"), "dim"});
  bad(options(R"({"cos": "other.npy"})"), {"\"cos\"" + part_of("error.dump_notes.option")});
  bad(options(R"({"config": "config.json"})"), {"\"config\"" + part_of("error.dump_notes.option")});
  bad(options(R"({"dim": 32, "base": 10000, "allow": "sign"})"), {"\"allow\"" + part_of("error.dump_notes.option")});
  bad(options(R"({"dim": 32, "base": "ten"})"),
      {part_of("dump_notes.told") + "--base \"ten\" --dim \"32\"", "--base is \"ten\""});
  bad(options(R"({"size": "64x"})"), {"--size"});
  bad(options("{"), {"ropescope.options", "JSON"});
  json notes = options(R"({"size": "64x"})");
  notes["ropescope.layout"] = "flux.1";
  bad(notes, {part_of("dump_notes.told") + "--layout \"flux.1\" --size \"64x\"", "WIDTHxHEIGHT"});
  notes["ropescope.layout"] = "flux";
  bad(notes, {"\"flux\"", "flux.1"});
  notes = options(R"({"dim": 32, "base": 10000})");
  notes["ropescope.roles"] = R"({"cos": "cosine", "sin": "sin"})";
  bad(notes, {"no tensor named \"cosine\"", "\"cos\", \"sin\""});
  notes["ropescope.roles"] = R"({"cosine": "cos"})";
  bad(notes, {"ropescope.roles", "\"cosine\"" + part_of("error.dump_notes.role")});
  json config = json::object();
  config["ropescope.config"] = R"({"model_type": "llama", "head_dim": "wide"})";
  bad(config, {"ropescope.config", "head_dim"});
  config["ropescope.config"] = R"({"_class_name": "FluxTransformer2DModel"})";
  bad(config, {"ropescope.config", part_of("error.command.image_size"), "--size"});
}

TEST_F(Dump, OfNumPy) {
  if (!python_has("numpy")) GTEST_SKIP() << "python3 has no NumPy";
  ASSERT_TRUE(dumped(place, "dump_numpy.py")) << place.read("notices");
  for (const char* what : {"save", "save-text", "save-options", "save-raster", "capture"}) {
    EXPECT_EQ(verdict(place, {}, std::string(what) + ".safetensors"), "agrees") << what;
  }
  EXPECT_EQ(verdict(place, {}, "save-base.safetensors"), "disagrees: base");
}

TEST_F(Dump, OfTorch) {
  if (!python_has("torch")) GTEST_SKIP() << "python3 has no torch";
  ASSERT_TRUE(dumped(place, "dump_torch.py")) << place.read("notices");
  for (const char* what :
       {"llama", "llama-second-item", "llama-bfloat16", "llama-inline", "llama-in-place", "llama-scaled", "two-ladders",
        "gptj", "glm4", "helium", "ernie4.5", "deepseek-v3", "vllm", "gemma3-sliding", "gemma3-full", "flux",
        "flux-size-unsaid", "flux-matrices", "flux-complex"}) {
    EXPECT_EQ(verdict(place, {}, std::string(what) + ".safetensors"), "agrees") << what;
  }
  for (const auto& [what, cause] :
       {std::pair("llama-unscaled", "scaling-missing"), std::pair("helium-halves", "pairing"),
        std::pair("vllm-base", "base"), std::pair("flux-turned", "axes-swapped"), std::pair("flux-base", "base")}) {
    EXPECT_EQ(verdict(place, {}, std::string(what) + ".safetensors"), std::string("disagrees: ") + cause);
  }
  EXPECT_THAT(place.read("notices"), HasSubstr("size= is not given; 9 x 13 tokens"));
}

/// What torch.save wrote is read as it lies, and nothing of it is run.
TEST_F(Dump, OfTorchSave) {
  if (!python_has("torch")) GTEST_SKIP() << "python3 has no torch";
  place.write("save.py", R"(import os, torch
class Runs:
    def __reduce__(self): return (os.mkdir, ("made",))
angle = torch.outer(torch.arange(40.), 1 / 10000 ** (torch.arange(0, 32, 2) / 32))
torch.save({"cos": angle.cos(), "nested": {"sin": angle.sin()}, "step": 3}, "dict.pt")
torch.save([angle.cos().t().contiguous().t(), angle.sin().bfloat16()], "list.pth")
torch.save({"cos": angle.cos(), "sin": angle.sin(), "x": Runs()}, "runs.pt")
torch.save(angle.cos(), "old.pt", _use_new_zipfile_serialization=False)
)");
  ASSERT_TRUE(runs(place, "python3 -B save.py"));
  EXPECT_EQ(verdict(place, {"--dim", "32", "--base", "10000"}, "dict.pt"), "agrees");
  EXPECT_EQ(verdict(place, {"--dim", "32", "--base", "500"}, "dict.pt"), "disagrees: base");
  const std::string list = place.path("list.pth").string();
  place.good(plain_check({"--cos", list + ":0", "--sin", list + ":1"}));
  place.bad(plain_check({place.path("runs.pt")}), {"runs.pt", ".mkdir", part_of("error.torch.object"), ".safetensors"});
  EXPECT_FALSE(fs::exists(place.path("made")));
  place.bad(plain_check({"--cos", place.path("old.pt"), "--sin", place.path("old.pt")}),
            {"old.pt", "before PyTorch 1.6"});
}

TEST_F(Dump, OfC) {
  const std::string include = " -Wall -Wextra -Wpedantic -Werror -I'" + source_folder() + "/assets/dump' ";
  ASSERT_TRUE(runs(place, "cc -std=c99" + include + "-o dump '" + scripts() + "dump.c' -lm"));
  ASSERT_TRUE(runs(place, "./dump"));
  EXPECT_EQ(verdict(place), "agrees");
  ASSERT_TRUE(runs(place, "./dump base"));
  EXPECT_EQ(verdict(place), "disagrees: base");
  for (const char* fault : {"folder", "dtype", "shape", "huge", "full"}) {
    EXPECT_FALSE(runs(place, std::string("./dump ") + fault)) << fault;
  }
  place.bad({"check", place.path("out.safetensors")}, {"out.safetensors"});
  // The header alone as C++.
  place.write("a.cpp", "#include \"ropescope_dump.h\"\nint main() { return 0; }\n");
  EXPECT_TRUE(runs(place, "c++ -std=c++11" + include + "-c a.cpp"));
}

/// Of ggml's programs, without ggml: the calls that llama.cpp and stable-diffusion.cpp make, as they were recorded.
TEST_F(Dump, OfGgml) {
  const std::string include =
      " -Wall -Wextra -Wpedantic -Werror -I'" + source_folder() + "/assets/dump' -I'" + scripts() + "ggml' ";
  ASSERT_TRUE(runs(place, "cc -std=c99" + include + "-o dump '" + scripts() + "dump_ggml.c' -lm"));
  const Words qwen = {"--dim", "16", "--base", "1000000", "--pairing", "half"};
  ASSERT_TRUE(runs(place, "./dump llama"));
  EXPECT_EQ(verdict(place, qwen), "agrees");
  EXPECT_THAT(
      place.good({"check", place.path("out.safetensors"), "--dim", "16", "--base", "1000000", "--pairing", "half"}),
      HasSubstr("40 tokens × 4 heads × 16 channels"));
  ASSERT_TRUE(runs(place, "./dump base"));
  EXPECT_EQ(verdict(place, qwen), "disagrees: base");
  ASSERT_TRUE(runs(place, "./dump diffusion"));
  EXPECT_EQ(verdict(place, {"--layout", "flux.1", "--grid", "9x13", "--text", "20"}), "agrees");
  EXPECT_FALSE(runs(place, "./dump nothing"));
  place.write("a.cpp", "#include \"ropescope_ggml.h\"\nint main() { return 0; }\n");
  EXPECT_TRUE(runs(place, "c++ -std=c++11" + include + "-c a.cpp"));
}

}  // namespace
}  // namespace ropescope
