#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tests/places.h"
#include "tests/temporary_folder.h"

namespace ropescope {

/// A language for tests: every text of en.json between ⟦ and ⟧ and a third longer, with its placeholders and plurals.
/// What is on screen outside the brackets is no text of the language; what does not fit does not fit in others either.
inline std::string made_up(const std::string& text) {
  constexpr std::string_view kFiller = " xoler amun idra vesto kalim";
  std::size_t letters = 0, depth = 0;
  for (const char c : text) {
    if (c == '{') ++depth;
    if (c == '}' && depth > 0) --depth;
    const bool continued = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    if (depth == 0 && !continued) ++letters;
  }
  std::string filler;
  for (std::size_t i = 0; i < (letters + 2) / 3; ++i) filler += kFiller[i % kFiller.size()];
  return "⟦" + text + filler + "⟧";
}

inline void make_up(nlohmann::ordered_json& texts) {
  for (auto& value : texts) {
    if (value.is_object()) {
      make_up(value);
    } else {
      value = made_up(value.get<std::string>());
    }
  }
}

/// A lesson whose words are all in brackets, with a step of each kind of question: words of lessons are no texts of the
/// language, but their own.
inline std::string made_up_lesson() {
  const std::string paragraph = made_up("A sentence of a lesson") + "\n\n";
  const std::string notes = "```notes\n" + made_up("Say: a sentence for the lecturer") + "\n```\n\n";
  const auto step = [&](const std::string& name, const std::string& set, const std::string& ask) {
    return "## " + made_up("A step") + " {" + name + "}\n\n```set\n" + set + "\n```\n\n" + paragraph + "```ask\n" +
           ask + "\nafter = " + made_up("What was to be found out") + "\n```\n\n" + notes;
  };
  const std::string question = made_up("A question");
  return "# " + made_up("A lesson") + "\n\n" + paragraph +
         step("choice", "view = frequencies\nrope.trained_length = 4096",
              "choice = " + question + "\n- " + made_up("some") + " : frequencies.unseen > 0\n- " + made_up("none") +
                  " : frequencies.unseen < 1") +
         step("number", "view = frequencies",
              "number = " + question + "\nanswer = frequencies.unseen\nslider = 0 to 64") +
         step("draw", "view = decay", "draw = " + question + "\nfigure = similarity\ncurve = current") +
         step("reach", "view = frequencies", "do = " + question + "\ngoal = frequencies.unseen > 60");
}

/// The assets of the checkout in that language.
struct MadeUpAssets {
  static constexpr const char* kLesson = "01-made-up";  ///< the only lesson there
  TemporaryFolder folder;
  MadeUpAssets() {
    const std::filesystem::path source = std::filesystem::path(source_folder()) / "assets";
    for (const auto& entry : std::filesystem::directory_iterator(source)) {
      const auto name = entry.path().filename();
      if (name != "text" && name != "lessons")
        std::filesystem::create_directory_symlink(entry.path(), folder.path / name);
    }
    std::filesystem::create_directories(folder.path / "lessons" / kLesson);
    std::ofstream(folder.path / "lessons" / kLesson / "en.md") << made_up_lesson();
    std::filesystem::create_directory(folder.path / "text");
    auto texts = nlohmann::ordered_json::parse(std::ifstream(source / "text" / "en.json"));
    make_up(texts);
    std::ofstream(folder.path / "text" / "en.json") << texts.dump(1);
  }
};

}  // namespace ropescope
