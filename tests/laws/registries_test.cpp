// Everything an encoding, a layout, a scaling method or a cause can do is defined in its block: no second table selects
// by name. Reads the sources: the name of an entry is quoted in the entry's own file only.

#include "core/check/causes/cause.h"
#include "core/encodings/encoding.h"
#include "core/layouts/layout.h"
#include "core/scaling/scaling.h"
#include "tests/places.h"
#include "tests/test.h"

namespace ropescope {
namespace {

/// Words that say many other things: keys of files, choices of a view, kinds of attention, "none".
const std::set<std::string_view> kWords = {"amplitude", "base",         "custom", "dynamic", "learned",
                                           "length",    "linear",       "none",   "order",   "pairing",
                                           "profile",   "proportional", "rope",   "sign",    "text"};

/// Where names stand beside their entries, and why that is no second table of what these can do.
struct Allowed {
  std::string_view file;
  std::set<std::string_view> names;
  const char* why;
};
const std::vector<Allowed> kAllowed = {
    {"app/experiment/experiment.h",
     {"sinusoidal", "t5", "alibi", "flux.1", "raster", "ntk-aware", "yarn"},
     "what an experiment begins with"},
    {"app/views/attention/words.cpp", {"sinusoidal"}, "what an encoding of the other sort is contrasted with"},
    {"app/views/shared/patches.h",
     {"raster"},
     "the layout that others are compared with in questions about lines of tokens"},
    {"app/python/docs.h", {"yarn", "llama3", "longrope"}, "examples that a function's documentation gives"},
    {"app/commands/rope_options.cpp", {"ntk-alpha"}, "an option that makes one method another, as configs do"},
    {"core/check/causes/extensions.cpp",
     {"ntk-aware", "yarn", "ntk-by-parts", "llama3", "ntk-by-parts-released", "diffusers-ntk"},
     "methods that ports take for another, a sentence for each"},
    {"core/formats/weights.cpp", {"p-rope", "xpos"}, "encodings of which a race writes the weights"},
    {"core/layouts/extension.cpp", {"diffusers-ntk", "pixel"}, "methods that are not offered for text"},
    {"core/check/causes/ladders.cpp", {"ltx-video"}, "the formula of one head, in place of that of all heads"},
    {"core/formats/config_layout.cpp",
     {"qwen2.5-omni", "qwen3-omni"},
     "what their configs may say of ids a second, which their code has fixed"},
    {"core/formats/families/config_parts.cpp",
     {"yarn", "longrope", "llama3", "ntk-aware", "ntk-alpha"},
     "what configs call a method: read and given its numbers there"},
    {"core/formats/families/config_text.cpp",
     {"yarn", "longrope", "llama3", "alibi", "qwen-dynamic"},
     "what configs of text models say"},
    {"core/formats/families/config_text_layers.cpp", {"yarn", "llama3", "alibi"}, "the same, layer by layer"},
    {"core/formats/families/config_families.cpp", {"t5", "deberta", "pixtral"}, "families of models"},
    {"core/formats/programs/equivalents.cpp", {"yarn", "longrope", "llama3"}, "what other programs call a method"},
    {"core/formats/families/gguf_config.cpp", {"yarn", "longrope", "llama3", "ntk-alpha"}, "what GGUF calls a method"},
};

struct Quoted {
  std::string file;
  int line = 0;
  std::string text;
};

/// The texts in quotes of a line of code; what follows // outside of them is a comment.
std::vector<std::string> quoted_in(const std::string& line) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line.compare(i, 2, "//") == 0) break;
    if (line.compare(i, 3, "'\"'") == 0) i += 3;
    if (i >= line.size() || line[i] != '"') continue;
    std::string text;
    for (++i; i < line.size() && line[i] != '"'; ++i) {
      if (line[i] == '\\' && i + 1 < line.size()) ++i;
      text += line[i];
    }
    texts.push_back(text);
  }
  return texts;
}

std::vector<Quoted> all_quoted() {
  std::vector<Quoted> all;
  const fs::path top = source_folder();
  for (const char* room : {"core", "app"}) {
    for (const auto& entry : fs::recursive_directory_iterator(top / room)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
      const std::string file = fs::relative(entry.path(), top).generic_string();
      std::ifstream stream(entry.path());
      int number = 0;
      for (std::string line; std::getline(stream, line);) {
        ++number;
        for (const std::string& text : quoted_in(line)) all.push_back({file, number, text});
      }
    }
  }
  return all;
}

/// The names of all entries, and the folders that hold their blocks.
std::map<std::string, std::set<std::string>> folders_of_names() {
  std::map<std::string, std::set<std::string>> folders;
  for (const Encoding& one : all_encodings()) folders[std::string(one.name)].insert("core/encodings/");
  for (const Layout& one : all_layouts()) folders[std::string(one.name)].insert("core/layouts/");
  for (const ScalingMethod& one : all_scaling_methods()) folders[std::string(one.name)].insert("core/scaling/");
  for (const Cause* one : all_causes()) folders[std::string(one->name)].insert("core/check/causes/");
  return folders;
}

/// Whether the file declares an entry of that name.
bool is_home(const std::string& file, const std::string& name, const std::set<std::string>& folders) {
  bool in_one = false;
  for (const std::string& folder : folders) in_one |= file.starts_with(folder);
  if (!in_one) return false;
  std::ifstream stream(fs::path(source_folder()) / file);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str().find(".name = \"" + name + "\"") != std::string::npos;
}

}  // namespace

TEST(Registries, NoNameStandsBesideItsEntry) {
  const auto folders = folders_of_names();
  std::set<std::string> at_home;
  std::vector<std::set<std::string_view>> left;
  for (const Allowed& one : kAllowed) left.push_back(one.names);
  for (const auto& [file, line, text] : all_quoted()) {
    const auto known = folders.find(text);
    if (known == folders.end() || kWords.contains(text)) continue;
    if (is_home(file, text, known->second)) {
      at_home.insert(text);
      continue;
    }
    bool allowed = false;
    for (std::size_t i = 0; i < kAllowed.size(); ++i) {
      if (file != kAllowed[i].file || !kAllowed[i].names.contains(text)) continue;
      allowed = true;
      left[i].erase(text);
    }
    EXPECT_TRUE(allowed) << file << ':' << line << " says \"" << text << "\": let its entry say what is done for it";
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    for (const std::string_view name : left[i]) ADD_FAILURE() << kAllowed[i].file << " says \"" << name << "\" no more";
  }
  for (const auto& [name, ignored] : folders) {
    EXPECT_TRUE(kWords.contains(name) || at_home.contains(name)) << name << " has no block that says its name";
  }
}

TEST(Registries, ReaderSeesTexts) {
  EXPECT_EQ(quoted_in(R"(if (name == "yarn" || name == "a\"b") return 'x';  // not "alibi")"),
            (std::vector<std::string>{"yarn", "a\"b"}));
}

TEST(Registries, EveryEntryHasAPlaceOfItsOwn) {
  std::set<std::string_view> names;
  std::set<int> places;
  for (const Layout& layout : all_layouts()) {
    EXPECT_TRUE(names.insert(layout.name).second) << layout.name;
    EXPECT_TRUE(places.insert(layout.place).second) << layout.name << " has the place of another";
  }
}

}  // namespace ropescope
