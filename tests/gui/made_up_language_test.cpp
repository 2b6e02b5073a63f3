// Every view, dialog and message in a language that is made up (tests/made_up_language.h): what is read on screen
// outside its brackets was forgotten in assets/text, and what does not fit in it does not fit in other languages.

#include "tests/made_up_language.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "app/resources/models.h"
#include "tests/figures/opened_files.h"
#include "tests/figures/view_parts.h"
#include "tests/gui/app_window.h"
#include "tests/gui/drawn_text.h"

namespace ropescope::ui {
namespace {

/// What is the same in every language, and why.
const std::set<std::string, std::less<>> kNames = {
    "Ctrl", "Shift", "Esc", "Space", "F1", "B", "F", "O", "P", "Q", "S", "T", "Y", "Z", "C", "K", "F11", "F5", "A",
    "Page", "Up", "Down", "Home",                                                  // printed
                                                                                   // on keys
    "D", "L", "N", "200x800",                                                      // printed on keys, and a size
    "ropescope",                                                                   // the program
    "x", "q", "k", "z",                                                            // quantities of formulas
    "t", "l", "y",                                                                 // axes of the models' papers
    "llama3", "yarn", "longrope",                                                  // methods as configs spell them
    "RoPE", "xPos", "p-RoPE", "ALiBi", "KERPLE", "T5", "Shaw", "DeBERTa", "TUPE",  // encodings of papers
};

std::string joined(const std::set<std::string>& parts) {
  std::string all;
  for (const std::string& part : parts) all += "  " + part + "\n";
  return all;
}

bool is_letter(char c) {
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
      // A text that is cut ends in the middle of its brackets, and nothing goes on below.
      const bool goes_on = last && last->list == line.list && below(*last, line);
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
  std::string overlapping() const { return joined(overlapping_); }

 private:
  /// A typed one, of which a field may show a part.
  static bool is_path(const std::string& text) {
    const bool in_brackets = text.find("⟦") != std::string::npos || text.find("⟧") != std::string::npos;
    return !in_brackets && (text.starts_with("/") || text.find("/test_state/") != std::string::npos);
  }
  void read(const DrawnLine& line, const DrawnLine* last, int& depth) {
    if (depth == 0 && is_path(line.text)) return;
    std::string word;
    const auto end_word = [&] {
      // An i or e among digits is a number's.
      const bool letters = std::any_of(word.begin(), word.end(), is_letter);
      if (letters && word.find_first_not_of("0123456789.ie-") != std::string::npos && !names_.contains(word)) {
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
  std::set<std::string> outside_, cut_, overlapping_;
};

std::set<std::string, std::less<>> all_names() {
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
  for (const Preset& preset : load_presets(kAssets)) add(preset.name);
  // Typed by somebody, in whatever language.
  const Experiment experiment;
  for (const std::string& typed :
       {experiment.compare.sentence, experiment.atlas.sentence, experiment.attention.sentence}) {
    add(typed);
  }

  add(AppWindow::state_folder().string() + " decay. figure.svg text.svg");
  return names;
}

/// The reader finds what it is there for.
TEST(MadeUpReader, FindsWhatIsForgottenCutOrCovered) {
  const auto line = [](const char* text, double left, double top) {
    return DrawnLine{text, {left, top, 60, 12}, {0, 0, 1600, 1000}, nullptr, false};
  };
  Reader good({"RoPE"});
  good.read({line("⟦Base xo⟧", 0, 0), line("10 000 · RoPE", 100, 0), line("⟦in two", 0, 20), line("lines x⟧", 0, 40)});
  EXPECT_EQ(good.outside() + good.cut() + good.overlapping(), "");
  Reader bad({});
  bad.read({line("⟦Base xo⟧", 0, 0), line("Forgotten", 100, 0), line("⟦Trained len…", 0, 20), line("4 096", 100, 20),
            line("⟦a⟧", 200, 0), line("⟦b⟧", 230, 6), line("⟦c⟧", 1560, 50)});
  EXPECT_NE(bad.outside().find("Forgotten"), std::string::npos);
  EXPECT_NE(bad.cut().find("Trained"), std::string::npos);
  EXPECT_NE(bad.cut().find("⟦c⟧"), std::string::npos) << "reaches out of the window";
  EXPECT_NE(bad.overlapping().find("⟦a⟧ under ⟦b⟧"), std::string::npos);
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
    reader.read(lines);
  }
  ~MadeUpLanguage() override {
    EXPECT_EQ(reader.outside(), "") << "not in assets/text";
    EXPECT_EQ(reader.cut(), "") << "cut";
    EXPECT_EQ(reader.overlapping(), "") << "one on the other";
  }
};

class MadeUpViews : public MadeUpLanguage, public testing::WithParamInterface<const View*> {};

TEST_P(MadeUpViews, AreWhollyTranslated) {
  const View& view = *GetParam();
  Experiment experiment = small_experiment();
  experiment.view = view.id;
  Pictures pictures(view.id);
  view.describe(pictures, experiment);
  if (pictures.names.empty()) pictures.names.emplace_back();
  for (const char* preset : {"llama-3.1-8b", "qwen2-vl-7b-instruct", "flux.1-dev"}) {
    const Preset loaded = load_preset(kAssets, preset);
    experiment.rope = knobs_of(loaded.profiles.front(), loaded.name);
    experiment.rope.model = preset;  // its other profiles are offered, its notes are said
    for (const std::string& picture : pictures.names) {
      pictures.chosen = picture;
      view.describe(pictures, experiment);
      window.show(experiment, 3);
      read();
    }
  }
}

TEST_P(MadeUpViews, AreWhollyTranslatedWithFiles) {
  const std::string view(GetParam()->id);
  for (const Experiment& experiment : experiments_with_files(view, window.folder)) {
    window.show(experiment, 6);
    EXPECT_FALSE(window.app->result.readouts.empty());
    read();
  }
  for (const Experiment& experiment : experiments_with_faults(view, window.folder)) {
    window.show(experiment, 3);
    EXPECT_NE(window.app->result.panels.at(0).figure.empty_message, "");
    read();
  }
  // Advice and evidence have any length: a card that cuts them unfolds at a click.
  reader.forgive_cuts();
}

INSTANTIATE_TEST_SUITE_P(Views, MadeUpViews, testing::ValuesIn(all_views().begin(), all_views().end()),
                         [](const auto& each) { return std::string(each.param->id); });

/// Every widget of the window is pointed at until its help comes.
TEST_F(MadeUpLanguage, HelpOfEveryWidget) {
  std::set<std::string> seen;
  for (const View* view : all_views()) {
    Experiment experiment = small_experiment();
    experiment.view = view->id;
    window.show(experiment, 3);
    const auto rects = window.app->record.rects;
    for (const auto& [key, rect] : rects) {
      if (!seen.insert(key).second || rect.right() > 1600 || rect.bottom() > 1000) continue;
      window.gui.move({rect.left + rect.width / 2, rect.top + rect.height / 2});
      window.gui.wait(1);
      read();
    }
  }
}

TEST_F(MadeUpLanguage, DialogsAndMenus) {
  window.gui.press(Key::f1);
  read();
  window.gui.press(Key::escape);
  window.gui.press(Key::o, true);
  read();
  window.gui.press(Key::escape);
  window.gui.press(Key::s, true);
  for (const char* format : {"svg", "csv", "json"}) {
    window.app->dialog.format = format;
    window.gui.frames();
    read();
  }
  window.gui.press(Key::escape);
  window.gui.click("plot.similarity", 1);
  read();
  window.gui.press(Key::escape);
  window.gui.click("shell.text_size");
  read();
  window.gui.press(Key::escape);
  window.gui.click("model");
  read();
}

TEST_F(MadeUpLanguage, Messages) {
  for (std::size_t i = 0; i <= kMaximumPins; ++i) window.gui.press(Key::p);
  read();
  // Saved once, then once more over it, and where a file of another kind is.
  const auto save = [this](const std::string& name) {
    window.gui.press(Key::s, true);
    window.gui.press(Key::a, true);
    window.gui.type((window.folder / name).string());
    window.gui.press(Key::enter);
    window.gui.frames();
    read();
    window.gui.press(Key::escape);
  };
  save("figure.svg");
  save("figure.svg");
  std::ofstream(window.folder / "text.svg") << "no picture";
  save("text.svg");
  save("");  // the folder itself
  window.gui.press(Key::s, true);
  window.gui.press(Key::a, true);
  window.gui.press(Key::del);
  window.gui.press(Key::enter);
  read();
}

/// What the window says where the state of the last one cannot be read.
TEST_F(MadeUpLanguage, MessagesOfTheNextStart) {
  const auto state = AppWindow::state_folder() / "state";
  std::filesystem::create_directories(state);
  std::ofstream(state / "last-experiment.json") << "{";
  std::ofstream(state / "settings.json") << "{";
  owned.reset();
  owned = std::make_unique<AppWindow>(1600, 1000, Store::Mode::synchronous, false, assets.folder.path);
  EXPECT_FALSE(owned->app->messages.empty());
  read();
}

}  // namespace
}  // namespace ropescope::ui
