#pragma once

#include "tests/figures/view_parts.h"
#include "tests/gui/app_window.h"
#include "tests/gui/drawn_text.h"

/// Windows of any size, text and language, and what stands badly in a frame of them.
namespace ropescope::ui {

struct Room {
  double width, height, scale;
};

inline std::string name_of(const Room& room) {
  return std::to_string(static_cast<int>(room.width)) + "x" + std::to_string(static_cast<int>(room.height)) + " at " +
         std::to_string(static_cast<int>(room.scale)) + " %";
}

/// A window that keeps what its owner must do: fonts follow the text size, the language and what was drawn.
struct LargeWindow : AppWindow {
  explicit LargeWindow(const Room& room, const std::string& language = "en") : AppWindow(room.width, room.height) {
    app->settings.text_scale = room.scale;
    app->settings.language = language;
    apply_language(*app);
    build_fonts();
    gui.steps["settle"] = [this](const std::string&) { settle(); };
    settle();
  }
  void build_fonts() {
    apply_settings(*app, 1);
    gui.upload_fonts();
    app->requests.rebuild_fonts = false;
    ++font_builds;
  }
  int font_builds = 0;
  void settle() {
    AppWindow::settle();
    for (int i = 0; i < 3 && app->requests.rebuild_fonts; ++i) {
      build_fonts();
      AppWindow::settle();
    }
  }
  void go_to(const View& view) {
    Experiment experiment = small_experiment();
    experiment.view = view.id;
    AppWindow::show(experiment, 3);
    settle();
  }
  bool is_inside(const Rect& rect) const {
    return rect.left >= -1 && rect.top >= -1 && rect.right() <= gui.width + 1 && rect.bottom() <= gui.height + 1;
  }
};

/// What stands badly in a frame.
class Faults {
 public:
  void read(const std::string& where) {
    const std::vector<DrawnLine> lines = DrawnText().lines();
    EXPECT_GT(lines.size(), 8u) << where;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const DrawnLine& line = lines[i];
      // What ends so by itself asks for more: "Open…".
      const bool meant = ends_.contains(without_spaces(line.text));
      if (line.text.ends_with("…") && !meant) cut.insert(where + ": " + line.text);
      if (line.box.left < line.clip.left - 2 || line.box.right() > line.clip.right() + 2) {
        cut.insert(where + " reaches out: " + line.text);
      }
      for (std::size_t k = 0; k < i; ++k) {
        if (is_mark(line.text) || is_mark(lines[k].text)) continue;
        if (lines[k].list == line.list && touch(lines[k].box, line.box)) {
          overlapping.insert(where + ": " + lines[k].text + " under " + line.text);
        }
      }
    }
  }
  explicit Faults(const Text& text) {
    // A formula ends so too, "−x₁, x₀, …", and says it only where it is written as text.
    for (const Text& form : {text, Text::load(kAssets, text.language())}) {
      for (const auto& [key, words] : form.all()) {
        if (words.ends_with("…")) ends_.insert(without_spaces(words));
      }
    }
  }
  std::set<std::string> cut, overlapping;

 private:
  static std::string without_spaces(std::string text) {
    std::erase(text, ' ');
    return text;
  }
  /// A tilde or hat over a letter (U+0300 to U+033F).
  static bool is_mark(const std::string& text) { return text.starts_with('\xCC'); }
  static bool touch(const Rect& a, const Rect& b) {
    constexpr double kAir = 2;
    return a.left < b.right() - kAir && b.left < a.right() - kAir && a.top < b.bottom() - kAir &&
           b.top < a.bottom() - kAir;
  }

  std::set<std::string> ends_;
};

inline std::string lines_of(const std::set<std::string>& all) {
  std::string text;
  for (const std::string& each : all) text += "  " + each + "\n";
  return text;
}

}  // namespace ropescope::ui
