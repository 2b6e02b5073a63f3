#pragma once

#include <cctype>

#include "app/resources/models.h"
#include "tests/figures/view_parts.h"
#include "tests/gui/app_window.h"
#include "tests/gui/drawn_text.h"
#include "tests/made_up_language.h"

/// Windows in a language that is made up (tests/made_up_language.h), and what is wrong with the texts of their frames.
namespace ropescope::ui {

/// What is the same in every language, and why.
inline const std::set<std::string, std::less<>> kNames = {
    "Ctrl", "Shift", "Esc", "Space", "F1", "B", "F", "O", "P", "Q", "S", "T", "Y", "Z", "C", "K", "F11", "F5", "A",
    "Page", "Up", "Down", "Home",                                                  // printed
                                                                                   // on keys
    "D", "L", "N", "200x800",                                                      // printed on keys, and a size
    "ropescope",                                                                   // the program
    "x", "q", "k", "z",                                                            // quantities of formulas
    "W", "QK", "V", "M", "d", "2n", "2nd",                                         // matrices and sizes of formulas
    "t", "l", "y",                                                                 // axes of the models' papers
    "rope.base", "decay.show", "bound", "model", "false", "true",                  // typed for small multiples
    "llama3", "yarn", "longrope",                                                  // methods as configs spell them
    "RoPE", "xPos", "p-RoPE", "ALiBi", "KERPLE", "T5", "Shaw", "DeBERTa", "TUPE",  // encodings of papers
};

inline std::string joined(const std::set<std::string>& parts) {
  std::string all;
  for (const std::string& part : parts) all += "  " + part + "\n";
  return all;
}

inline bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

/// What is wrong with the texts of a frame.
class Reader {
 public:
  explicit Reader(std::set<std::string, std::less<>> names) : names_(std::move(names)) {}

  void read(const std::vector<DrawnLine>& lines) {
    const DrawnLine* last = nullptr;
    int depth = 0;
    for (const DrawnLine& line : lines) {
      // A text that is cut ends in the middle of its brackets, and nothing goes on below. A list of a formula may end
      // with dots, too.
      const bool goes_on = last && last->list == line.list && (below(*last, line) || last->text.ends_with(", …"));
      if (last && depth > 0 && last->text.ends_with("…") && !goes_on) cut_.insert(last->text);
      if (last && (last->list != line.list || (last->text.ends_with("…") && !goes_on))) depth = 0;
      read(line, last, depth);
      last = &line;
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (reaches_out(lines[i])) cut_.insert(lines[i].text);
      for (std::size_t k = 0; k < i; ++k) {
        if (lines[i].list == lines[k].list && touch(lines[i].box, lines[k].box)) {
          overlapping_.insert(lines[k].text + " under " + lines[i].text);
        }
      }
    }
  }
  std::string outside() const { return joined(outside_); }
  std::string cut() const { return joined(cut_); }
  void forgive_cuts() { cut_.clear(); }
  /// Lines of a program are the same in every language; each is known as a whole or by
  /// its beginning or end, where it was parted.
  void knows_code(const std::string& program) {
    std::string line;
    for (const char c : program + "\n") {
      if (c == '\n') {
        if (!line.empty()) code_.insert(std::exchange(line, {}));
      } else if (c != ' ') {
        line += c;
      }
    }
  }
  std::string overlapping() const { return joined(overlapping_); }

 private:
  /// A typed one, of which a field may show a part.
  static bool is_path(const std::string& text) {
    const bool in_brackets = text.find("⟦") != std::string::npos || text.find("⟧") != std::string::npos;
    return !in_brackets && (text.starts_with("/") || text.find("/test_state/") != std::string::npos);
  }
  bool is_code(std::string text) const {
    std::erase(text, ' ');
    constexpr std::string_view kCut = "…";
    if (!text.ends_with(kCut)) {
      if (code_.contains(text)) return true;
      // A long line is drawn in parts; a word alone is none.
      const bool word = std::all_of(text.begin(), text.end(), is_letter);
      return !word && std::any_of(code_.begin(), code_.end(), [&](const std::string& line) {
        return line.starts_with(text) || line.ends_with(text);
      });
    }
    text.resize(text.size() - kCut.size());
    const auto first = code_.lower_bound(text);
    return !text.empty() && first != code_.end() && first->starts_with(text);
  }
  void read(const DrawnLine& line, const DrawnLine* last, int& depth) {
    if (depth == 0 && (is_path(line.text) || is_code(line.text))) return;
    std::string word;
    const auto end_word = [&] {
      // An i or e among digits is a number's.
      const bool letters = std::any_of(word.begin(), word.end(), is_letter);
      // A typed sentence is cut at the end of its box.
      const auto longer = names_.lower_bound(word);
      const bool cut = line.text.ends_with(word + "…") && longer != names_.end() && longer->starts_with(word);
      if (letters && !cut && word.find_first_not_of("0123456789.ie-") != std::string::npos && !names_.contains(word)) {
        outside_.insert(word + "   in: " + line.text + "   after: " + (last ? last->text : ""));
      }
      word.clear();
    };
    for (std::size_t i = 0; i < line.text.size(); ++i) {
      const std::string_view rest = std::string_view(line.text).substr(i);
      if (rest.starts_with("⟦")) {
        if (depth++ == 0) end_word();
      } else if (rest.starts_with("⟧")) {
        depth = std::max(0, depth - 1);
      } else if (depth == 0) {
        if (std::isalnum(static_cast<unsigned char>(rest[0])) != 0 || rest[0] == '.' || rest[0] == '-') {
          word += rest[0];
        } else {
          end_word();
        }
      }
    }
    end_word();
  }
  static bool below(const DrawnLine& above, const DrawnLine& line) {
    return std::abs(line.box.left - above.box.left) < 4 && line.box.top > above.box.top + 5 &&
           line.box.top < above.box.bottom() + 20;
  }
  static bool reaches_out(const DrawnLine& line) {
    constexpr double kAir = 2;
    return line.box.left < line.clip.left - kAir || line.box.right() > line.clip.right() + kAir;
  }
  static bool touch(const Rect& a, const Rect& b) {
    constexpr double kAir = 2;
    return a.left < b.right() - kAir && b.left < a.right() - kAir && a.top < b.bottom() - kAir &&
           b.top < a.bottom() - kAir;
  }

  std::set<std::string, std::less<>> names_;
  std::set<std::string> code_;  ///< without spaces, which leave no mark
  std::set<std::string> outside_, cut_, overlapping_;
};

inline std::set<std::string, std::less<>> all_names() {
  std::set<std::string, std::less<>> names = kNames;
  const auto add = [&names](const std::string& title) {
    std::string word;
    for (const char c : title + " ") {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-') {
        word += c;
      } else if (!word.empty()) {
        names.insert(std::exchange(word, {}));
      }
    }
  };
  for (const Preset& preset : load_presets(kAssets)) {
    add(preset.name);
    names.insert(preset.id);
  }
  // Their titles are in the list of examples, in its languages.
  for (const CheckExample& example : load_examples(kAssets)) add(example.titles.at("en"));
  // Typed by somebody, in whatever language.
  const Experiment experiment;
  for (const std::string& typed : {experiment.compare.sentence, experiment.atlas.sentence,
                                   experiment.attention.sentence, experiment.sweep.readout, experiment.sweep.over}) {
    add(typed);
  }

  add(AppWindow::state_folder().string() +
      " llama-3.1 -8b layout.base decay. figure.svg text.svg lessons.pdf 01-made-up.pdf missing.npy wrong.npy qwen2 "
      "qwen3");
  return names;
}

class MadeUpLanguage : public testing::Test {
 protected:
  MadeUpAssets assets;
  std::unique_ptr<AppWindow> owned =
      std::make_unique<AppWindow>(1600, 1000, Store::Mode::synchronous, true, assets.folder.path);
  AppWindow& window = *owned;
  Reader reader{all_names()};

  void read() {
    const std::vector<DrawnLine> lines = DrawnText().lines();
    EXPECT_GT(lines.size(), 20u) << "a window full of text";
    // A test may have put another window in the place of the first.
    for (const Panel& panel : owned->app->result.panels) {
      for (const Paragraph& paragraph : panel.figure.paragraphs) {
        if (paragraph.look == Paragraph::Look::code) reader.knows_code(paragraph.text);
      }
    }
    reader.read(lines);
  }
  ~MadeUpLanguage() override {
    EXPECT_EQ(reader.outside(), "") << "not in assets/text";
    EXPECT_EQ(reader.cut(), "") << "cut";
    EXPECT_EQ(reader.overlapping(), "") << "one on the other";
  }
};

}  // namespace ropescope::ui
