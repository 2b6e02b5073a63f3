// Presentation mode of lessons: parts of the words, keys, agenda, and the lecturer's window.
//
// Contents: Parts; Mode; Agenda; Keys; Lecturer.

#include "app/ui/lesson/presentation.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figure/figure.h"
#include "app/figure/pages/qr.h"
#include "app/figure/text_flow.h"
#include "app/lessons/lesson.h"
#include "app/lessons/read_lesson.h"
#include "app/lessons/step_page.h"
#include "app/ui/app.h"
#include "app/ui/drawing/imgui_compat.h"
#include "app/ui/drawing/screen.h"
#include "app/ui/drawing/style.h"
#include "app/ui/lesson/lesson_play.h"
#include "app/ui/widgets.h"
#include "app/views/shared/ropes.h"

namespace ropescope::ui {

namespace {

// --- Parts ---------------------------------------------------------------------------------------------------------

/// Splits a paragraph after sentences if it has more than a third of so many words. If its highlighted terms are in its
/// own formulas, sentences without a formula highlight none.
std::vector<LessonParagraph> sentences_of(const LessonParagraph& paragraph, std::size_t most) {
  std::vector<LessonParagraph> parts;
  LessonParagraph part = paragraph;
  part.words.clear();
  const auto finish = [&] {
    const std::string text = text_of(part);
    const bool has_formula = text.find('$') != std::string::npos || text.find(kFormulaSignBegin) != std::string::npos;
    if (!part.words.empty()) parts.push_back(part);
    if (!part.words.empty() && !part.with_formula && !has_formula) parts.back().lit.clear();
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
  for (const LessonParagraph& paragraph : part) words += paragraph.repeated ? 0 : count_words(text_of(paragraph));
  return words;
}

/// Adds copies of the formulas before a paragraph that needs them on its page.
void repeat_formulas(const std::vector<LessonParagraph>& text, std::size_t at, std::vector<LessonParagraph>& part) {
  const auto [first, end] = find_formulas_before(text, at);
  for (std::size_t i = first; i < end; ++i) {
    part.push_back(text[i]);
    part.back().repeated = true;
  }
}

// --- Mode ----------------------------------------------------------------------------------------------------------

constexpr double kPresentationText = 24, kPresentationLines = 720;

void light(const App& app, const Rect& rect) {
  const float grow = app.ui.px(3);
  ImDrawList* list = ImGui::GetForegroundDrawList();
  const ImVec2 a{static_cast<float>(rect.left) - grow, static_cast<float>(rect.top) - grow};
  const ImVec2 b{static_cast<float>(rect.right()) + grow, static_cast<float>(rect.bottom()) + grow};
  list->AddRect(a, b, colour32(app.ui.palette.accent), app.ui.px(8), 0, app.ui.px(2));
}

// --- Agenda --------------------------------------------------------------------------------------------------------

constexpr double kAgendaRow = 30, kAgendaWidth = 560, kAgendaPad = 16;

void jump_from_agenda(App& app, std::size_t step) {
  app.lesson->agenda.reset();
  go_to_step(app, step);
}

/// Moves through the open agenda; every key is its own.
bool handle_agenda_keys(App& app) {
  LessonPlay& play = *app.lesson;
  keep_focus_here();
  hide_focus();
  const std::size_t last = play.lesson.steps.size() - 1;
  std::size_t& chosen = *play.agenda;
  if (key_pressed(Key::down) || key_pressed(Key::right) || key_pressed(Key::page_down)) {
    chosen = std::min(chosen + 1, last);
  } else if (key_pressed(Key::up) || key_pressed(Key::left) || key_pressed(Key::page_up)) {
    chosen -= chosen > 0 ? 1 : 0;
  } else if (key_pressed(Key::home, false)) {
    chosen = 0;
  } else if (key_pressed(Key::end, false)) {
    chosen = last;
  } else if (key_pressed(Key::enter, false)) {
    jump_from_agenda(app, chosen);
  } else if (key_pressed(Key::a, false) || key_pressed(Key::escape, false)) {
    play.agenda.reset();
  }
  return true;
}

// --- Keys ----------------------------------------------------------------------------------------------------------

/// Appends digits, decimal point and sign to a number one by one, Backspace removes the last one; returns true if it
/// used a key of this frame.
bool type_number(LessonAnswer& answer, const LessonAsk& ask) {
  constexpr std::size_t kMaxTyped = 12;
  const std::string before = answer.typed;
  for (int digit = 0; digit <= 9; ++digit) {
    if (key_pressed(static_cast<Key>(static_cast<int>(Key::digit_0) + digit))) answer.typed += std::to_string(digit);
  }
  if (key_pressed(Key::period) && before.find('.') == std::string::npos) answer.typed += '.';
  if (key_pressed(Key::minus) && before.empty()) answer.typed += '-';
  if (key_pressed(Key::backspace) && !before.empty()) answer.typed.pop_back();
  if (answer.typed == before) return false;
  answer.typed.resize(std::min(answer.typed.size(), kMaxTyped));
  if (const std::optional<double> number = parse_number(answer.typed)) {
    answer.guess = std::clamp(*number, ask.low, ask.high);
    if (*number > ask.high) answer.typed = shortest_number(ask.high);
  }
  return answer.placed = true;
}

/// Handles the keys that only presentation mode has; returns whether one was pressed.
bool handle_presentation_keys(App& app) {
  LessonPlay& play = *app.lesson;
  const auto pressed = [](Key key) { return key_pressed(key, false); };
  if (!play.room) return false;
  if (pressed(Key::b)) {
    play.black = true;
  } else if (pressed(Key::escape)) {
    toggle_presentation(app);
  } else if (pressed(Key::n)) {
    play.lecturer = !play.lecturer;
  } else if (pressed(Key::a) && !ImGui::GetIO().KeyCtrl) {
    play.agenda = play.step;
  } else if (pressed(Key::r)) {
    play.with_reserve = !play.with_reserve;
  } else if (pressed(Key::q) && !ImGui::GetIO().KeyCtrl) {
    play.code = !play.code;
  } else {
    return false;
  }
  return true;
}

/// Answers with the choice of the pressed digit; returns false if there is none.
bool answer_by_digit(App& app) {
  const auto first = static_cast<int>(Key::digit_0);
  for (int digit = 1; digit <= 9; ++digit) {
    if (!key_pressed(static_cast<Key>(first + digit), false) || ImGui::GetIO().KeyCtrl) continue;
    answer_choice(app, static_cast<std::size_t>(digit - 1));
    return true;
  }
  return false;
}

// --- Lecturer ------------------------------------------------------------------------------------------------------

// The lecturer's window: notes, the answer, the next step, the clock.

constexpr double kLecturerPad = 24, kLecturerTitleSize = 26, kLecturerBodySize = 18, kClock = 34,
                 kLecturerSpacing = 1.4;

/// Returns the next step in presentation mode; null after the last one.
const LessonStep* step_after(const LessonPlay& play) {
  for (std::size_t i = play.step + 1; i < play.lesson.steps.size(); ++i) {
    if (is_shown(play, play.lesson.steps[i])) return &play.lesson.steps[i];
  }
  return nullptr;
}

/// Sets the notes with text of `share` of its size; returns where they end.
double set_notes(App& app, const Rect& room, double share, Scene& scene) {
  const LessonPlay& play = *app.lesson;
  const LessonStep& step = play.lesson.steps[play.step];
  const Palette& colours = app.ui.palette;
  const MeasureText measure = screen_measure(app.ui);
  LessonColumn sheet{room, kLecturerSpacing, app.text.formulas().get(), measure};
  const auto say = [&](const LessonParagraph& said, double size, double gap, Colour colour, FontWeight weight = {}) {
    if (text_of(said).empty()) return;
    sheet.add(said, {share * static_cast<double>(app.ui.px(size)), share * static_cast<double>(app.ui.px(gap)), 0,
                     colour, weight});
  };
  const std::string place = step_place(play);
  say(paragraph_of(time_spent(app) + "  ·  " + place), kClock, 0, colours.accent, FontWeight::semibold);
  say(paragraph_of(play.fault), kLecturerBodySize, 6, colours.warning);
  for (const LessonBlock& block : blocks_of(step, step.notes, play.whole)) {
    if (block.kind == LessonBlock::Kind::title)
      say(block.said, kLecturerTitleSize, 6, colours.text, FontWeight::semibold);
    if (block.kind == LessonBlock::Kind::words) say(block.said, kLecturerBodySize, 12, colours.text);
    if (block.kind != LessonBlock::Kind::answer) continue;
    say(paragraph_of(app.text["lesson.answer"]), kLecturerBodySize, 20, colours.accent, FontWeight::semibold);
    say(block.said, kLecturerBodySize, 4, colours.text);
  }
  if (const LessonStep* next = step_after(play)) {
    say(paragraph_of(app.text["lesson.next_step"]), kLecturerBodySize, 20, colours.secondary, FontWeight::semibold);
    say(paragraph_of(filled(next->title, play.whole)), kLecturerBodySize, 2, colours.secondary);
  }
  scene = std::move(sheet.scene);
  return sheet.bottom;
}

/// Draws the notes, smaller if they would not end within the window.
void draw_sheet_lecturer(App& app, const Rect& room) {
  constexpr double kSmallest = 0.45, kSmaller = 0.94;
  Scene scene;
  double bottom = 0;
  for (double share = 1; share >= kSmallest; share *= kSmaller) {
    bottom = set_notes(app, room, share, scene);
    if (bottom <= room.bottom()) break;
  }
  app.record.add("lecturer.notes", {room.left, room.top, room.width, bottom - room.top});
  draw_scene(ImGui::GetWindowDrawList(), app.ui, scene);
}

}  // namespace

// --- Parts ---------------------------------------------------------------------------------------------------------

std::vector<std::vector<LessonParagraph>> parts_of(const LessonStep& step, bool room, const PresentationCut& cut) {
  std::vector<std::vector<LessonParagraph>> parts;
  if (!room) return {step.text};
  std::size_t words = 0;
  parts.emplace_back();
  for (std::size_t i = 0; i < step.text.size(); ++i) {
    const LessonParagraph& paragraph = step.text[i];
    for (const LessonParagraph& piece : sentences_of(paragraph, cut.words)) {
      const std::size_t more = count_words(text_of(piece));
      // A formula by itself belongs to the preceding words. A formula is built up page by page.
      const auto builds = [&](const LessonParagraph& before) { return before.builds && before.line != piece.line; };
      const bool builds_on = piece.builds && std::any_of(parts.back().begin(), parts.back().end(), builds);
      if (builds_on || (!parts.back().empty() && !piece.formula && more > 2 && words + more > cut.words)) {
        parts.emplace_back();
        words = 0;
        if (paragraph.with_formula) repeat_formulas(step.text, i, parts.back());
      }
      // Sentences of one paragraph continue it.
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

void light_terms(std::vector<LessonParagraph>& part, const LessonPlay& play, const Formulas& formulas) {
  std::vector<FormulaTerm> terms;
  int last = 0;
  for (const LessonParagraph& paragraph : part) {
    if (!paragraph.repeated) last = std::max(last, paragraph.line);
    for (const LessonTerm& term : paragraph.lit) {
      const LineStyle* mark = find_mark(play.whole, term.mark);
      const bool is_coloured = mark && mark->slot >= 0;
      terms.push_back({term.name, is_coloured ? mark->slot % FormulaTerm::kAccent : FormulaTerm::kAccent});
    }
  }
  for (const LessonParagraph& later : play.lesson.steps[play.step].text) {
    if (!later.builds || later.line <= last) continue;
    for (const LessonTerm& term : later.lit) terms.push_back({term.name, FormulaTerm::kUnseen});
  }
  for (LessonParagraph& paragraph : part) {
    for (LessonWords& words : paragraph.words) {
      if (!words.code && !terms.empty()) words.text = formulas.with_terms(words.text, terms);
    }
  }
}

std::vector<std::string> find_lit_marks(const LessonPlay& play) {
  std::vector<std::string> marks;
  if (!play.room) return marks;
  const auto parts = parts_of(play);
  if (play.part >= parts.size()) return marks;
  for (const LessonParagraph& paragraph : parts[play.part]) {
    for (const LessonTerm& term : paragraph.lit) marks.push_back(term.mark);
  }
  return marks;
}

void measure_parts(LessonPlay& play) {
  // Whoever is at the end of the step, or has answered, stays there.
  play.from_end = play.part + 1 == parts_of(play).size() && (play.part > 0 || play.answer.given);
  play.cut = {};
  play.measured = play.room ? std::optional<std::size_t>(0) : std::nullopt;
  play.fresh_frames = std::max(play.fresh_frames, 3);
  play.held = 0;
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
  // Rather than in a sentence at a time, a step without a question is shown without its controls.
  constexpr std::size_t kFewWithControls = 28;
  if (words && !play.lesson.steps[play.step].ask && !play.cut.bare && play.cut.words <= kFewWithControls) {
    play.cut.bare = true;
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
  for (bool PresentationCut::*step :
       {&PresentationCut::brief, &PresentationCut::small_question, &PresentationCut::small_answer,
        &PresentationCut::bare, &PresentationCut::no_choices}) {
    if (play.cut.*step || (step != &PresentationCut::bare && !play.answer.given)) continue;
    return play.cut.*step = true;
  }
  return false;
}

// --- Mode ----------------------------------------------------------------------------------------------------------

void toggle_presentation(App& app) {
  if (!app.lesson || (app.lesson->lesson.chapter && !app.lesson->room)) {
    app.lessons_listed = true;
    app.chapters_listed = false;
    return;
  }
  app.lesson->room = !app.lesson->room;
  app.result_of.reset();
  app.lesson->part = 0;
  measure_parts(*app.lesson);
  app.lesson->black = false;
  app.lesson->seconds = app.lesson->step_seconds = 0;
  app.requests.rebuild_fonts = true;
  app.requests.full_screen = app.lesson->room;
}

void fit_text_to_presentation(App& app, double height) {
  // Fonts requested but not yet built do not have the current scale.
  if (!app.lesson || !app.lesson->room || app.requests.rebuild_fonts) return;
  // Ui::scale already includes the scale of the screen, besides that of the text.
  const double screen = static_cast<double>(app.ui.scale) * 100 / text_scale_of(app);
  const double body = app.ui.fonts.em_of(app.ui.fonts.body);
  const double wanted = std::clamp(100 * kPresentationText / body * height / kPresentationLines / screen, 100.0, 500.0);
  if (std::abs(wanted - app.presentation_scale) < 2) return;
  app.presentation_scale = wanted;
  measure_parts(*app.lesson);
  app.requests.rebuild_fonts = true;
}

void draw_black(App& app, const Rect& screen) {
  if (!app.lesson || !app.lesson->black) return;
  ImGui::GetForegroundDrawList()->AddRectFilled(top_left(screen), bottom_right(screen), IM_COL32(0, 0, 0, 255));
}

void draw_lesson_code(App& app, const Rect& figures) {
  if (!app.lesson || !app.lesson->room || !app.lesson->code) return;
  // Phones open the step that is shown, as a figure, a control and the question.
  const std::optional<QrCode> code = qr_code(link_here(app, link_address(app.settings), true));
  if (!code) return;
  constexpr double kShare = 0.42;  // share of the height: phones can read it from the last row
  const double side = std::min(kShare * figures.height, figures.width), gap = app.ui.px(8);
  const Rect square{figures.right() - side - gap, figures.bottom() - side - gap, side, side};
  ImDrawList* list = ImGui::GetForegroundDrawList();
  list->AddRectFilled(top_left(square), bottom_right(square), IM_COL32_WHITE, app.ui.px(4));
  for (const Rect& rect : qr_rects(*code, square)) {
    list->AddRectFilled(top_left(rect), bottom_right(rect), IM_COL32_BLACK);
  }
  app.record.add("lesson.code", square);
}

void draw_lesson_light(App& app) {
  if (!app.lesson || app.lessons_listed || app.dialog.kind != DialogKind::none) return;
  const LessonPlay& play = *app.lesson;
  // A control in the panel itself, or scrolled out of it, is there because the step points to it.
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

// --- Agenda --------------------------------------------------------------------------------------------------------

void draw_agenda(App& app, const Rect& screen) {
  if (!app.lesson || !app.lesson->agenda) return;
  if (!app.lesson->room) return app.lesson->agenda.reset();
  Ui& ui = app.ui;
  const LessonPlay& play = *app.lesson;
  const std::vector<LessonStep>& steps = play.lesson.steps;
  const double pad = ui.px(kAgendaPad), row = ui.px(kAgendaRow), gap = ui.px(8);
  // A long lecture shows the steps around the selected one.
  const auto fitting = static_cast<std::size_t>(std::max(1.0, (screen.height - 4 * pad) / row - 1));
  const std::size_t count = std::min(fitting, steps.size());
  const std::size_t first = std::min(*play.agenda > count / 2 ? *play.agenda - count / 2 : 0, steps.size() - count);
  const double width = std::min<double>(ui.px(kAgendaWidth), screen.width - 2 * pad),
               height = row * (static_cast<double>(count) + 1) + 2 * pad;
  const Rect sheet{screen.left + (screen.width - width) / 2, screen.top + (screen.height - height) / 2, width, height};
  ImGui::SetNextWindowPos(top_left(sheet));
  ImGui::SetNextWindowSize(point(sheet.width, sheet.height));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::Begin("agenda", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoFocusOnAppearing);
  ImGui::PopStyleVar(2);
  fill_rect(sheet, ui.palette.panel, ui.px(8));
  outline_rect(ui, sheet, ui.palette.line, ui.px(8));
  double top = sheet.top + pad;
  const double inside = width - 2 * pad;
  draw_line_within({ui.fonts.semibold, ui.palette.text, sheet.left + pad, top + row / 2}, 0.66 * inside, 0,
                   numbered_title(play.lesson.id, play.lesson.title));
  draw_line_within({ui.fonts.small, ui.palette.secondary, sheet.left + pad + 0.68 * inside, top + row / 2},
                   0.32 * inside, 1, time_spent(app));
  std::optional<std::size_t> chosen;
  for (std::size_t i = first; i < first + count; ++i) {
    top += row;
    const Rect line{sheet.left + pad, top, inside, row};
    const Press press = press_area(ui, "agenda." + steps[i].name, line, 5);
    const bool selected = i == *play.agenda, here = i == play.step;
    if (selected || press.hovered) fill_rect(line, with_alpha(ui.palette.accent, 0.16), ui.px(5));
    const Colour colour = here ? ui.palette.accent : steps[i].reserve ? ui.palette.secondary : ui.palette.text;
    const double number = ui.px(30);
    draw_line_within({ui.fonts.body, colour, line.left + gap, top + row / 2}, number - gap, 0,
                     here ? "▸" : std::to_string(i + 1));
    const std::string title = filled(steps[i].title, play.whole);
    draw_line_within({here ? ui.fonts.semibold : ui.fonts.body, colour, line.left + number + gap, top + row / 2},
                     inside - number - 2 * gap, 0,
                     steps[i].reserve ? title + "  (" + app.text["lesson.reserve"] + ")" : title);
    if (press.clicked) chosen = i;
  }
  ImGui::End();
  app.record.add("lesson.agenda", sheet);
  if (chosen) jump_from_agenda(app, *chosen);
}

// --- Keys ----------------------------------------------------------------------------------------------------------

bool handle_lesson_keys(App& app, bool panel_focused) {
  if (!app.lesson) return false;
  LessonPlay& play = *app.lesson;
  if (!play.room && !panel_focused) return false;
  // A key held while a step is prepared is not pressed again.
  const auto pressed = [](Key key) { return key_pressed(key, false); };
  if (play.black && (pressed(Key::b) || pressed(Key::escape) || pressed(Key::page_down) || pressed(Key::page_up) ||
                     pressed(Key::home))) {
    play.black = false;
    return true;
  }
  if (play.agenda) return handle_agenda_keys(app);
  // A section of a chapter is read to its end first.
  constexpr double kPage = 0.85;
  // ImGui would move to a button of the panel by these keys, and press the focused one.
  if (pressed(Key::page_down) || pressed(Key::page_up) || pressed(Key::home)) {
    keep_focus_here();
    if (play.room) hide_focus();  // nor does its help cover the cards
  }
  const LessonAsk* ask = question_is_open(app) ? &*play.lesson.steps[play.step].ask : nullptr;
  if (pressed(Key::enter) && (ask || play.room)) block_clicks();
  if (play.lesson.chapter && !play.at_end && pressed(Key::page_down)) {
    play.scroll_by = kPage;
  } else if (play.lesson.chapter && !play.at_top && pressed(Key::page_up)) {
    play.scroll_by = -kPage;
  } else if (pressed(Key::page_down) || pressed(Key::right)) {
    next_step(app, 1);
  } else if (pressed(Key::page_up) || pressed(Key::left)) {
    next_step(app, -1);
  } else if (play.lesson.chapter) {
    return false;
  } else if (pressed(Key::home)) {
    restart_lesson(app);
  } else if (handle_presentation_keys(app)) {
    return true;
  } else if (pressed(Key::enter)) {
    // A choice is made by its digit, a goal is reached; without a line there is no guess.
    const bool drawn = ask && ask->kind == LessonAsk::Kind::draw && play.answer.xs.size() > 1;
    if (drawn || (ask && ask->kind == LessonAsk::Kind::number)) answer_question(app);
  } else if (ask && ask->kind == LessonAsk::Kind::number && !ImGui::GetIO().KeyCtrl && type_number(play.answer, *ask)) {
    return true;
  } else {
    return answer_by_digit(app);
  }
  return true;
}

// --- Lecturer ------------------------------------------------------------------------------------------------------

void draw_lecturer(App& app, double width, double height) {
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(point(width, height));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::Begin("lecturer", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleVar(2);
  fill_rect({0, 0, width, height}, app.ui.palette.ground);
  const double pad = app.ui.px(kLecturerPad);
  if (app.lesson) draw_sheet_lecturer(app, {pad, pad, std::max(1.0, width - 2 * pad), std::max(1.0, height - 2 * pad)});
  ImGui::End();
}

}  // namespace ropescope::ui
