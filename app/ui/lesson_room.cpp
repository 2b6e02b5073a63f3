// The room: its keys, its size, what the step points to.

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/figure/number_text.h"
#include "app/ui/app.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/lesson_play.h"
#include "app/ui/style.h"

namespace ropescope::ui {

namespace {

constexpr double kRoomText = 24, kRoomLines = 720;

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

/// Cuts a paragraph after the sentences with which it has more than a third of so many words.
std::vector<LessonParagraph> sentences_of(const LessonParagraph& paragraph, std::size_t most) {
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
      if (sentence && count_words(text_of(part)) > most / 3) finish();
    }
  }
  finish();
  return parts;
}

std::size_t words_in(const std::vector<LessonParagraph>& part) {
  std::size_t words = 0;
  for (const LessonParagraph& paragraph : part) words += count_words(text_of(paragraph));
  return words;
}

void light(const App& app, const Rect& rect) {
  const float grow = app.ui.px(3);
  ImDrawList* list = ImGui::GetForegroundDrawList();
  const ImVec2 a{static_cast<float>(rect.left) - grow, static_cast<float>(rect.top) - grow};
  const ImVec2 b{static_cast<float>(rect.right()) + grow, static_cast<float>(rect.bottom()) + grow};
  list->AddRect(a, b, colour32(app.ui.palette.accent), app.ui.px(8), 0, app.ui.px(2));
}

}  // namespace

std::vector<std::vector<LessonParagraph>> parts_of(const LessonStep& step, bool room, const RoomCut& cut) {
  std::vector<std::vector<LessonParagraph>> parts;
  if (!room) return {step.text};
  std::size_t words = 0;
  parts.emplace_back();
  for (const LessonParagraph& paragraph : step.text) {
    for (const LessonParagraph& piece : sentences_of(paragraph, cut.words)) {
      const std::size_t more = count_words(text_of(piece));
      // A formula by itself belongs to the words before it.
      if (!parts.back().empty() && more > 2 && words + more > cut.words) {
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
  if (cut.question_apart && step.ask) parts.emplace_back();
  return parts;
}

std::vector<std::vector<LessonParagraph>> parts_of(const LessonPlay& play) {
  return parts_of(play.lesson.steps[play.step], play.room, play.cut);
}

bool cut_finer(LessonPlay& play) {
  constexpr std::size_t kFewestWords = 12;
  const auto before = parts_of(play);
  const std::size_t part = std::min(play.part, before.size() - 1);
  const bool asks = play.lesson.steps[play.step].ask && part + 1 == before.size(), words = !before[part].empty();
  if (asks && words && !play.cut.question_apart) {
    play.cut.question_apart = true;
    if (play.answer.given) play.part = before.size();
    return true;
  }
  if (words && play.cut.words > kFewestWords) {
    std::size_t shown = 0, passed = 0;
    for (std::size_t i = 0; i < part; ++i) shown += words_in(before[i]);
    play.cut.words -= std::min(play.cut.words - kFewestWords, std::size_t{8});
    const auto after = parts_of(play);
    play.part = 0;
    while (play.part + 1 < after.size() && passed + words_in(after[play.part]) <= shown) {
      passed += words_in(after[play.part++]);
    }
    return true;
  }
  if (!asks || words) return false;
  for (bool RoomCut::*step : {&RoomCut::bare, &RoomCut::brief, &RoomCut::answer_alone}) {
    if (play.cut.*step || (step != &RoomCut::bare && !play.answer.given)) continue;
    return play.cut.*step = true;
  }
  return false;
}

std::string time_spent(const App& app) {
  const LessonPlay& play = *app.lesson;
  const int whole = static_cast<int>(play.seconds), rest = whole % 60;
  const std::string spent = std::to_string(whole / 60) + (rest < 10 ? ":0" : ":") + std::to_string(rest);
  if (!(play.lesson.minutes > 0)) return spent;
  return app.text.format("lesson.time", {{"spent", spent}, {"planned", shortest_number(play.lesson.minutes)}});
}

void toggle_room(App& app) {
  if (!app.lesson) {
    app.lessons_listed = true;
    return;
  }
  app.lesson->room = !app.lesson->room;
  app.lesson->part = 0;
  app.lesson->cut = {};
  app.lesson->black = false;
  app.lesson->seconds = app.lesson->step_seconds = 0;
  app.requests.rebuild_fonts = true;
  app.requests.full_screen = app.lesson->room;
}

void follow_room(App& app, double height) {
  // Fonts that are asked for and not built yet have not the scale that is set.
  if (!app.lesson || !app.lesson->room || app.requests.rebuild_fonts) return;
  // The scale of the screen itself is in Ui::scale already, beside the text's.
  const double screen = static_cast<double>(app.ui.scale) * 100 / text_scale_of(app);
  const double body = app.ui.fonts.em_of(app.ui.fonts.body);
  const double wanted = std::clamp(100 * kRoomText / body * height / kRoomLines / screen, 100.0, 500.0);
  if (std::abs(wanted - app.room_scale) < 2) return;
  app.room_scale = wanted;
  app.lesson->cut = {};
  app.requests.rebuild_fonts = true;
}

void draw_black(App& app, const Rect& screen) {
  if (!app.lesson || !app.lesson->black) return;
  ImGui::GetForegroundDrawList()->AddRectFilled(top_left(screen), bottom_right(screen), IM_COL32(0, 0, 0, 255));
}

void draw_lesson_light(App& app) {
  if (!app.lesson || app.lessons_listed || app.dialog.kind != DialogKind::none) return;
  const LessonPlay& play = *app.lesson;
  // A control in the panel itself, or scrolled out of it, stands there because the step points to it.
  const Rect* panel = app.record.find("lesson.words");
  const auto inside_panel = [panel](const Rect& rect) {
    return panel && panel->left <= rect.left + 1 && rect.right() <= panel->right() + 1;
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
  // A key that is held while a step is prepared is not pressed again.
  const auto pressed = [](Key key) { return key_pressed(key, false); };
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
      if (!pressed(static_cast<Key>(first + digit)) || ImGui::GetIO().KeyCtrl) continue;
      answer_choice(app, static_cast<std::size_t>(digit - 1));
      return true;
    }
    return false;
  }
  return true;
}

}  // namespace ropescope::ui
