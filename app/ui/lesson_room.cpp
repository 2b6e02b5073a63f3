// The room: its keys, its size, what the step points to.

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/ui/app.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/lesson_play.h"
#include "app/ui/style.h"

namespace ropescope::ui {

namespace {

constexpr double kBodyAt100 = 15, kRoomText = 24, kRoomLines = 720;

/// Words of a text: what stands between spaces; two characters of Chinese, Japanese or Korean writing are about one.
std::size_t count_words(const std::string& text) {
  std::size_t words = 0, wide = 0;
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0xe3 && byte <= 0xed) ++wide;
    const bool space = byte == ' ' || byte == '\n';
    if (!space && !inside) ++words;
    inside = !space;
  }
  return std::max(words, (wide + 1) / 2);
}

/// Cuts a paragraph after the sentence with which it would have too many words.
std::vector<LessonParagraph> sentences_of(const LessonParagraph& paragraph) {
  std::vector<LessonParagraph> parts;
  LessonParagraph part{{}, paragraph.item, paragraph.line};
  const auto finish = [&] {
    if (!part.words.empty()) parts.push_back(part);
    part.words.clear();
  };
  for (const LessonWords& words : paragraph.words) {
    std::size_t from = 0;
    while (from < words.text.size()) {
      std::size_t end = words.text.size();
      bool sentence = false;
      for (const std::string_view stop : {". ", "? ", "! ", "。", "？"}) {
        const std::size_t at = words.text.find(stop, from);
        if (at != std::string::npos && at + stop.size() < end) {
          end = at + stop.size();
          sentence = true;
        }
      }
      part.words.push_back({words.text.substr(from, end - from), words.strong, words.code});
      from = end;
      if (sentence && count_words(text_of(part)) > kMostRoomWords / 3) finish();
    }
  }
  finish();
  return parts;
}

void light(const App& app, const Rect& rect) {
  const float grow = app.ui.px(3);
  ImDrawList* list = ImGui::GetForegroundDrawList();
  const ImVec2 a{static_cast<float>(rect.left) - grow, static_cast<float>(rect.top) - grow};
  const ImVec2 b{static_cast<float>(rect.right()) + grow, static_cast<float>(rect.bottom()) + grow};
  list->AddRect(a, b, colour32(app.ui.palette.accent), app.ui.px(8), 0, app.ui.px(2));
}

}  // namespace

std::vector<std::vector<LessonParagraph>> parts_of(const LessonStep& step, bool room) {
  std::vector<std::vector<LessonParagraph>> parts;
  if (!room) return {step.text};
  std::size_t words = 0;
  parts.emplace_back();
  for (const LessonParagraph& paragraph : step.text) {
    for (const LessonParagraph& piece : sentences_of(paragraph)) {
      const std::size_t more = count_words(text_of(piece));
      if (!parts.back().empty() && words + more > kMostRoomWords) {
        parts.emplace_back();
        words = 0;
      }
      // Sentences of one paragraph go on in it.
      if (!parts.back().empty() && !piece.item && parts.back().back().line == piece.line) {
        auto& together = parts.back().back().words;
        together.insert(together.end(), piece.words.begin(), piece.words.end());
      } else {
        parts.back().push_back(piece);
      }
      words += more;
    }
  }
  return parts;
}

void toggle_room(App& app) {
  if (!app.lesson) {
    app.lessons_listed = true;
    return;
  }
  app.lesson->room = !app.lesson->room;
  app.lesson->part = 0;
  app.lesson->black = false;
  app.lesson->seconds = app.lesson->step_seconds = 0;
  app.requests.rebuild_fonts = true;
  app.requests.full_screen = app.lesson->room;
}

void follow_room(App& app, double height) {
  if (!app.lesson || !app.lesson->room) return;
  // The scale of the screen itself is in Ui::scale already, beside the text's.
  const double screen = static_cast<double>(app.ui.scale) * 100 / text_scale_of(app);
  const double wanted = std::clamp(100 * kRoomText / kBodyAt100 * height / kRoomLines / screen, 100.0, 500.0);
  if (std::abs(wanted - app.room_scale) < 2) return;
  app.room_scale = wanted;
  app.requests.rebuild_fonts = true;
}

void draw_black(App& app, const Rect& screen) {
  if (!app.lesson || !app.lesson->black) return;
  ImGui::GetForegroundDrawList()->AddRectFilled(top_left(screen), bottom_right(screen), IM_COL32(0, 0, 0, 255));
}

void draw_lesson_light(App& app) {
  if (!app.lesson || app.lessons_listed || app.dialog.kind != DialogKind::none) return;
  const LessonPlay& play = *app.lesson;
  // A control in the panel itself stands there because the step points to it.
  const Rect* panel = app.record.find("lesson.words");
  const auto inside_panel = [panel](const Rect& rect) {
    return panel && panel->contains({rect.left + 1, rect.top + 1});
  };
  for (const std::string& name : play.lesson.steps[play.step].points) {
    for (const char* kind : {"", "card."}) {
      const Rect* rect = app.record.find(kind + name);
      if (rect && !inside_panel(*rect)) light(app, *rect);
    }
    if (const Rect* plot = app.record.find("frame." + name); plot && app.result.panels.size() > 1) light(app, *plot);
  }
}

bool handle_lesson_keys(App& app, bool panel_focused) {
  if (!app.lesson) return false;
  LessonPlay& play = *app.lesson;
  if (!play.room && !panel_focused) return false;
  const auto pressed = [](Key key) { return key_pressed(key); };
  if (play.black && (pressed(Key::b) || pressed(Key::escape) || pressed(Key::page_down) || pressed(Key::page_up))) {
    play.black = false;
    return true;
  }
  if (pressed(Key::page_down) || pressed(Key::right)) {
    next_step(app, 1);
  } else if (pressed(Key::page_up) || pressed(Key::left)) {
    next_step(app, -1);
  } else if (play.room && pressed(Key::b)) {
    play.black = true;
  } else if (play.room && pressed(Key::escape)) {
    toggle_room(app);
  } else if (play.room && pressed(Key::n)) {
    play.lecturer = !play.lecturer;
  } else if (play.room && pressed(Key::r)) {
    play.with_reserve = !play.with_reserve;
  } else if (pressed(Key::enter)) {
    answer_question(app);
  } else {
    const auto first = static_cast<int>(Key::digit_0);
    for (int digit = 1; digit <= 9; ++digit) {
      if (!key_pressed(static_cast<Key>(first + digit)) || ImGui::GetIO().KeyCtrl) continue;
      answer_choice(app, static_cast<std::size_t>(digit - 1));
      return true;
    }
    return false;
  }
  return true;
}

}  // namespace ropescope::ui
