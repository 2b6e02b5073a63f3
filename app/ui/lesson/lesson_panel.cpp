// Lessons on screen: next to the figure, in presentation mode, for the lecturer. Declared in lesson_play.h.
//
// Contents: Panel; Room; Lecturer.

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/figure/figure.h"
#include "app/figure/pages/page.h"
#include "app/figure/pages/qr.h"
#include "app/figure/text_flow.h"
#include "app/lessons/handbook.h"
#include "app/lessons/lesson.h"
#include "app/lessons/read_lesson.h"
#include "app/lessons/step_page.h"
#include "app/ui/app.h"
#include "app/ui/drawing/imgui_compat.h"
#include "app/ui/drawing/screen.h"
#include "app/ui/drawing/style.h"
#include "app/ui/lesson/lesson_play.h"
#include "app/ui/shell.h"
#include "app/ui/widgets.h"
#include "app/views/shared/ropes.h"
#include "core/message.h"

namespace ropescope::ui {

// --- Panel ---------------------------------------------------------------------------------------------------------

namespace {

// Sizes at 100 %.
constexpr double kPanelTextPadding = 16, kPanelTitleSize = 21, kPanelBodySize = 15, kPanelSmallSize = 13, kFoot = 46,
                 kPanelHeadHeight = 44, kChoice = 8, kPanelLineSpacing = 1.42, kTouched = 40;

/// Sets words one below the other in the panel's child.
class Flow {
 public:
  Flow(App& app, double width) : app_(app), ui_(app.ui), width_(width), measure_(screen_measure(app.ui)) {}

  void words(const std::vector<FlowWords>& words, const BlockLook& look) {
    ImGui::Dummy({0, ui_.px(look.gap)});
    const double indent = ui_.px(look.indent);
    const TextFlow flow = set(words, look.size, width_ - indent);
    draw(flow, indent, 0);
    ImGui::Dummy(point(width_, flow.height()));
  }
  void text(const std::string& said, const BlockLook& look) {
    if (!said.empty()) words(flow_words(paragraph_of(said), look), look);
  }
  /// Draws words, or code or a row of a table of a chapter.
  void paragraph(const LessonParagraph& said, double gap) {
    using Kind = LessonParagraph::Kind;
    if (said.kind == Kind::code) return code(text_of(said));
    if (said.kind == Kind::row) return row(said);
    if (said.kind == Kind::head) {
      head_ = cells_of(said);
      if (head_.size() != 2) return;
      return text(text_of(head_[0]) + "  ·  " + text_of(head_[1]), {kPanelSmallSize, gap, 0, ui_.palette.secondary});
    }
    const BlockLook look{kPanelBodySize, gap, said.item ? 10.0 : 0.0, ui_.palette.text};
    words(flow_words(said, look, said.literal ? std::optional(ui_.palette.accent) : std::nullopt), look);
  }

  /// Words in a frame that can be pressed.
  struct Framed {
    Colour edge, ground;
    double size = kPanelBodySize;
    bool enabled = true;
  };
  bool pressed(const std::string& key, const std::string& said, const Framed& framed) {
    ImGui::Dummy({0, ui_.px(kChoice)});
    const double pad = ui_.px(10);
    const TextFlow flow = set({{said, FontWeight::regular, ui_.palette.text}}, framed.size, width_ - 2 * pad);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const Rect rect = rect_at(at, width_, flow.height() + pad);
    fill_rect(rect, framed.ground, ui_.px(6));
    outline_rect(ui_, rect, framed.edge, ui_.px(6));
    draw(flow, pad, pad / 2);
    ImGui::SetCursorScreenPos(at);
    const Press press = press_area(ui_, key, rect, 6, framed.enabled);
    if (press.hovered && framed.enabled) outline_rect(ui_, rect, ui_.palette.accent, ui_.px(6));
    ImGui::SetCursorScreenPos(at);
    ImGui::Dummy(point(width_, rect.height));
    return press.clicked && framed.enabled;
  }

 private:
  void code(const std::string& said) {
    ImGui::Dummy({0, ui_.px(kChoice)});
    const double pad = ui_.px(8);
    std::vector<TextFlow> lines;
    double height = 2 * pad;
    for (const std::string_view line : lines_of(said)) {
      lines.push_back(set({{line.empty() ? " " : std::string(line), FontWeight::regular, ui_.palette.text}},
                          kPanelSmallSize, width_ - 2 * pad));
      height += lines.back().height();
    }
    fill_rect(rect_at(ImGui::GetCursorScreenPos(), width_, height), ui_.palette.raised, ui_.px(4));
    double y = pad;
    for (const TextFlow& line : lines) {
      draw(line, pad, y);
      y += line.height();
    }
    ImGui::Dummy(point(width_, height));
  }
  /// Draws the first cell, then the others under the names of their columns if there are more than two.
  void row(const LessonParagraph& told) {
    const std::vector<LessonParagraph> cells = cells_of(told);
    ImGui::Dummy({0, ui_.px(6)});
    fill_rect(rect_at(ImGui::GetCursorScreenPos(), width_, 1), ui_.palette.line);
    BlockLook look{kPanelBodySize, 5, 0, ui_.palette.text, FontWeight::semibold};
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) look = {kPanelBodySize, 1, 12, ui_.palette.text};
      std::vector<FlowWords> said = flow_words(cells[i], look, ui_.palette.accent);
      if (said.empty()) continue;
      if (i > 0 && head_.size() > 2 && i < head_.size()) {
        said.insert(said.begin(), {text_of(head_[i]) + "  ", FontWeight::regular, ui_.palette.secondary});
      }
      words(said, look);
    }
  }
  TextFlow set(const std::vector<FlowWords>& words, double size, double width) const {
    return flow_text(words, {static_cast<double>(ui_.px(size)), std::max(40.0, width), kPanelLineSpacing},
                     app_.text.formulas().get(), measure_);
  }
  void draw(const TextFlow& flow, double x, double y) const {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    Scene scene;
    add_flow(scene, flow, {static_cast<double>(at.x) + x, static_cast<double>(at.y) + y});
    draw_scene(ImGui::GetWindowDrawList(), ui_, scene);
  }

  App& app_;
  Ui& ui_;
  double width_;
  MeasureText measure_;
  std::vector<LessonParagraph> head_;  ///< head of the table being drawn
};

void draw_choice(App& app, Flow& flow, const LessonAsk& ask, const LessonBlock& block) {
  const LessonPlay& play = *app.lesson;
  const Palette& colours = app.ui.palette;
  const bool given = play.answer.given,
             chosen = given && !play.answer.skipped && play.answer.choice == block.number - 1;
  const bool right = given && right_choice(ask, play.whole) == block.number - 1;
  if (given && (play.cut.no_choices || (play.cut.brief && !chosen && !right))) return;
  const std::string number = std::to_string(block.number), letter = letter_of(block.number - 1);
  // While the code is on screen, phones show the letters.
  const std::string name = app.student ? letter : play.room && play.code ? number + " · " + letter : number;
  const std::string sign = right ? "✓" : chosen ? "×" : name;
  const Colour edge = right ? colours.curves[2] : chosen ? colours.warning : colours.line;
  const Colour ground = right ? with_alpha(colours.curves[2], 0.14) : colours.raised;
  const double size = given && play.cut.small_answer ? kPanelSmallSize : kPanelBodySize;
  if (flow.pressed("lesson.choice." + number, sign + "  " + text_of(block.said), {edge, ground, size, !given})) {
    answer_choice(app, block.number - 1);
  }
}

bool wide_button(App& app, const char* key, const std::string& label, bool enabled = true) {
  ImGui::Dummy({0, app.ui.px(kChoice)});
  return button(app.ui, key, label, enabled);
}

/// Returns where a number is on the slider of its question, 0 to 1.
double slider_share(const LessonAsk& ask, double number) {
  const double within = std::clamp(number, ask.low, ask.high);
  return ask.logarithmic ? std::log(within / ask.low) / std::log(ask.high / ask.low)
                         : (within - ask.low) / (ask.high - ask.low);
}

/// Draws the numbers of a slider below it: its ends, and between them the middle, which tells its scale.
void draw_slider_scale(App& app, const Rect& rail) {
  const LessonAsk& ask = *app.lesson->lesson.steps[app.lesson->step].ask;
  Ui& ui = app.ui;
  const double middle = ask.logarithmic ? std::sqrt(ask.low * ask.high) : (ask.low + ask.high) / 2;
  for (const auto& [number, align] : {std::pair(ask.low, 0.0), std::pair(middle, 0.5), std::pair(ask.high, 1.0)}) {
    const double x = rail.left + align * rail.width, y = rail.bottom() + static_cast<double>(ui.px(4));
    fill_rect({std::clamp(x, rail.left, rail.right() - 1), rail.bottom(), 1, static_cast<double>(ui.px(4))},
              ui.palette.secondary);
    const double most = rail.width / 3;
    draw_line_within({ui.fonts.small, ui.palette.secondary, x - align * most, y + static_cast<double>(ui.px(10))}, most,
                     align, readable_number(number, 3));
  }
  ImGui::Dummy({1, ui.px(22)});
}

/// Draws the slider after the answer: the guess and the truth on it.
void draw_answered_slider(App& app, std::optional<double> truth) {
  Ui& ui = app.ui;
  const LessonPlay& play = *app.lesson;
  const LessonAsk& ask = *play.lesson.steps[play.step].ask;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const double height = ui.px(20), width = ImGui::GetContentRegionAvail().x, inset = ui.px(7);
  const Rect rail{static_cast<double>(at.x) + inset, static_cast<double>(at.y) + height / 2 - 2,
                  width - 2 * inset - static_cast<double>(ui.px(6)), 4};
  fill_rect(rail, ui.palette.line, 2);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto place = [&](double number) {
    return point(rail.left + slider_share(ask, number) * rail.width, rail.top + rail.height / 2);
  };
  if (!play.answer.skipped) {
    list->AddCircle(place(play.answer.guess), ui.px(6), colour32(ui.palette.accent), 0, ui.px(2));
  }
  if (truth && *truth >= ask.low && *truth <= ask.high) {
    list->AddCircleFilled(place(*truth), ui.px(6), colour32(ui.palette.curves[2]));
    const ImVec2 centre = place(*truth);
    const double side = ui.px(12);
    app.record.add("lesson.truth",
                   {static_cast<double>(centre.x) - side / 2, static_cast<double>(centre.y) - side / 2, side, side});
  }
  ImGui::Dummy(point(width, height));
  app.record.add("lesson.slider", {rail.left, static_cast<double>(at.y), rail.width, height});
  draw_slider_scale(app, {rail.left, rail.top, rail.width, height / 2 + 4});
}

void draw_number_question(App& app, Flow& flow, const LessonAsk& ask) {
  LessonPlay& play = *app.lesson;
  const bool whole = ask.high - ask.low > 4;
  const std::optional<double> truth = play.answer.given ? number_of(play.whole, ask.answer) : std::nullopt;
  const std::string number = play.answer.typed.empty() ? readable_number(play.answer.guess, 4) : play.answer.typed;
  std::string said = play.answer.skipped ? std::string() : app.text.format("lesson.guess", {{"number", number}});
  if (truth) {
    if (!said.empty()) said += "  ·  ";
    said += app.text.format("lesson.truth", {{"number", filled("{" + ask.answer + "}", play.whole)}});
  }
  flow.text(said, {kPanelBodySize, kChoice, 0, app.ui.palette.text, FontWeight::semibold});
  if (play.answer.given) return draw_answered_slider(app, truth);
  ImGui::PushItemWidth(-app.ui.px(6));
  auto guess = static_cast<float>(play.answer.guess);
  const int flags = ImGuiSliderFlags_AlwaysClamp | (ask.logarithmic ? ImGuiSliderFlags_Logarithmic : 0);
  if (ImGui::SliderFloat("##lesson.slider", &guess, static_cast<float>(ask.low), static_cast<float>(ask.high), "",
                         flags)) {
    play.answer.guess =
        whole ? std::round(static_cast<double>(guess)) : std::round(static_cast<double>(guess) * 10) / 10;
    play.answer.typed.clear();
    play.answer.placed = true;
  }
  const Rect slider = last_item_rect();
  app.record.add("lesson.slider", slider);
  ImGui::PopItemWidth();
  draw_slider_scale(app, slider);
  if (wide_button(app, "lesson.answer", app.text["lesson.show_answer"])) answer_question(app);
}

void draw_drawing(App& app, Flow& flow, const LessonAsk& ask) {
  LessonPlay& play = *app.lesson;
  if (!play.answer.given) {
    flow.text(app.text[app.ui.touch ? "lesson.draw_hint_finger" : "lesson.draw_hint"],
              {kPanelSmallSize, kChoice, 0, app.ui.palette.secondary});
    if (wide_button(app, "lesson.answer", app.text["lesson.show_curve"], play.answer.xs.size() > 1))
      answer_question(app);
    return;
  }
  const Line* line = find_line(play.whole, ask.figure, ask.curve);
  if (!line || play.answer.xs.size() < 2) return;
  flow.text(
      app.text.format("lesson.mean_distance", {{"number", readable_number(mean_distance(play.answer, *line), 2)}}),
      {kPanelBodySize, kChoice, 0, app.ui.palette.text, FontWeight::semibold});
}

/// Draws the input of an answer, except choices, and the words after it.
void draw_answer(App& app, Flow& flow, const LessonAsk& ask) {
  const bool given = app.lesson->answer.given;
  const Palette& colours = app.ui.palette;
  if (ask.kind == LessonAsk::Kind::number) draw_number_question(app, flow, ask);
  if (ask.kind == LessonAsk::Kind::draw) draw_drawing(app, flow, ask);
  if (ask.kind == LessonAsk::Kind::reach) {
    const bool skipped = app.lesson->answer.skipped;
    flow.text(app.text[skipped ? "lesson.skipped"
                       : given ? "lesson.reached"
                               : "lesson.reach_hint"],
              {kPanelSmallSize, kChoice, 0, given ? colours.curves[2] : colours.secondary, FontWeight::semibold});
  }
  if (app.lesson->passing && !app.lesson->room) {
    flow.text(app.text["lesson.passing"], {kPanelSmallSize, kChoice, 0, colours.accent, FontWeight::semibold});
  }
  if (!given) return;
  const double size = app.lesson->cut.small_answer ? kPanelSmallSize : kPanelBodySize;
  flow.text(filled(ask.after, app.lesson->whole), {size, 10, 0, colours.text});
}

/// Draws links to the chapters that a step or section mentions; returns the id of the chosen one, or empty.
std::string draw_links(App& app, Flow& flow, const LessonStep& section) {
  load_lesson_titles(app);
  std::set<std::string> named{app.lesson->source};
  std::string chosen;
  for (const LessonParagraph& paragraph : section.text) {
    for (const LessonWords& words : paragraph.words) {
      const std::string id = find_linked_chapter(words.link).value_or("");
      for (const LessonTitle& title : app.lesson_titles) {
        if (title.id != id || !named.insert(id).second) continue;
        if (flow.pressed("lesson.link." + id, title.title + "  ›", {app.ui.palette.line, app.ui.palette.raised})) {
          chosen = id;
        }
      }
    }
  }
  return chosen;
}

void draw_restore(App& app, const Experiment& edited) {
  const LessonPlay& play = *app.lesson;
  if (play.gliding > 0 || !play.sweeps.empty() || edited == play.state || !has_state(play)) return;
  const char* label = play.lesson.chapter ? "handbook.show" : "lesson.restore";
  if (wide_button(app, "lesson.restore", app.text[label])) restore_step(app);
}

/// Draws the words of the step, then its question, then the controls that it points to. Returns the chapter whose link
/// was chosen.
std::string draw_body(App& app, double width, Experiment& edited) {
  LessonPlay& play = *app.lesson;
  const LessonStep& step = play.lesson.steps[play.step];
  const Palette& colours = app.ui.palette;
  Flow flow(app, width);
  auto parts = parts_of(play);
  const std::size_t part = std::min(play.measured.value_or(play.part), parts.size() - 1);
  if (app.text.formulas()) light_terms(parts[part], play, *app.text.formulas());
  const bool asks = step.ask && part + 1 == parts.size();
  const bool small = asks && play.answer.given && play.cut.small_question;
  std::string chosen;
  double gap = 10;
  for (const LessonBlock& block : blocks_of(step, parts[part], play.whole)) {
    if (block.kind == LessonBlock::Kind::title) {
      const double size = small ? kPanelSmallSize : kPanelTitleSize;
      flow.text(text_of(block.said), {size, 2, 0, small ? colours.secondary : colours.text, FontWeight::semibold});
      if (play.lesson.language != app.text.language()) {
        flow.text(app.text["handbook.in_english"], {kPanelSmallSize, 8, 0, colours.secondary});
      }
      // A section may be long, and its figure is visible from its start.
      if (play.lesson.chapter) draw_restore(app, edited);
    } else if (block.kind == LessonBlock::Kind::words) {
      flow.paragraph(block.said, std::exchange(gap, 8));
    } else if (block.kind == LessonBlock::Kind::figure) {
      if (!play.room) chosen = draw_links(app, flow, step);
    } else if (!asks) {
      break;
    } else if (block.kind == LessonBlock::Kind::question) {
      // Not SetScrollHereY, which shows the start of the item before: a paragraph may fill the panel.
      if (std::exchange(play.show_question, false)) {
        ImGui::SetScrollFromPosY(ImGui::GetCursorPosY() - ImGui::GetScrollY(), 0);
      }
      const double size = small ? kPanelSmallSize : kPanelBodySize + 1;
      flow.text(text_of(block.said), {size, small ? 6.0 : 14.0, 0, colours.accent, FontWeight::semibold});
    } else if (block.kind == LessonBlock::Kind::answer) {
      draw_answer(app, flow, *step.ask);
    } else if (step.ask->kind == LessonAsk::Kind::choice) {
      draw_choice(app, flow, *step.ask, block);
    }
  }
  if (!play.cut.bare || (step.ask && !asks)) draw_pointed_controls(app, step.points, edited);
  return chosen;
}

void draw_head(App& app, const Rect& rect) {
  Ui& ui = app.ui;
  LessonPlay& play = *app.lesson;
  const double centre = rect.top + rect.height / 2;
  const double side = ui.px(26);
  const std::string tip = play.lesson.chapter ? "handbook.tip." : "lesson.tip.";
  // For fingers from edge to edge of the head, around the place of the sign.
  const Vec2 size = ui.touch ? Vec2{ui.px(kTouched), ui.px(kTouched)} : Vec2();
  const auto place_sign = [&](double x) {
    const double over = ui.touch ? ui.px((kTouched - 20) / 2) : 0;
    ImGui::SetCursorScreenPos(point(x - over, ui.touch ? rect.top + ui.px(2) : centre - ui.px(12)));
  };
  place_sign(rect.left - ui.px(6));
  if (fold_button(ui, "lesson.list", "‹", app.text[tip + "list"], size)) {
    app.lessons_listed = true;
    app.chapters_listed = play.lesson.chapter;
  }
  place_sign(rect.right() - ui.px(18));
  const bool close = fold_button(ui, "lesson.close", "×", app.text[tip + "close"], size);
  draw_line_within({ui.fonts.small, ui.palette.secondary, rect.left + side, centre}, rect.width - 2 * side, 0,
                   play.lesson.title);
  if (close) close_lesson(app);
}

/// Draws the progress: a dot per step, filled up to this one; and the next button.
void draw_foot(App& app, const Rect& rect) {
  Ui& ui = app.ui;
  const LessonPlay& play = *app.lesson;
  const double centre = rect.top + rect.height / 2, gap = ui.px(8);
  const std::string &back = app.text["lesson.previous"], &on = app.text["lesson.next"];
  ImGui::SetCursorScreenPos(point(rect.left, centre - ui.px(15)));
  if (button(ui, "lesson.previous", back, play.step > 0 || play.part > 0, app.text["lesson.tip.previous"])) {
    return next_step(app, -1);
  }
  const double on_left = rect.right() - static_cast<double>(button_width(ui, on));
  ImGui::SetCursorScreenPos(point(on_left, centre - ui.px(15)));
  const bool last = play.step + 1 == play.lesson.steps.size() && play.part + 1 >= parts_of(play).size();
  const bool ends = last && !question_is_open(app) && lesson_after(app).empty();
  if (button(ui, "lesson.next", on, !ends, app.text[last ? "lesson.tip.next_lesson" : "lesson.tip.next"])) {
    return next_step(app, 1);
  }
  const double left = rect.left + static_cast<double>(button_width(ui, back)) + gap;
  std::string place = step_place(play);
  // The agenda shows the time, too.
  const std::string timed = place + " · " + time_spent(app);
  const double least = share_of_em(ui, ui.fonts.small, ui.least_text);
  if (play.room && least * static_cast<double>(text_width(ui.fonts.small, timed)) < on_left - left - gap) place = timed;
  // In presentation mode the hint is here, where it shifts nothing.
  const bool passing = (play.passing && play.room) || play.leaving;
  if (passing) place = app.text[play.leaving ? "lesson.leaving" : "lesson.passing"];
  LineOfText line{ui.fonts.small, passing ? ui.palette.accent : ui.palette.secondary, left, centre};
  line.least_share = least;
  draw_line_within(line, on_left - left - gap, 0.5, place);
}

/// Goes on to the next part after one has been drawn, and to the first one again after a finer cut.
void measure_part(LessonPlay& play, bool fits) {
  const std::size_t shown = std::exchange(play.part, *play.measured);
  const bool finer = !fits && cut_finer(play);
  play.part = shown;
  *play.measured = finer ? 0 : *play.measured + 1;
  const std::size_t parts = parts_of(play).size();
  if (*play.measured < parts) return;
  play.measured.reset();
  play.part = play.from_end ? parts - 1 : std::min(play.part, parts - 1);
}

void draw_lesson(App& app, const Rect& rect, Experiment& edited) {
  Ui& ui = app.ui;
  const double pad = ui.px(kPanelTextPadding), head = ui.px(kPanelHeadHeight), foot = ui.px(kFoot);
  const Rect inside{rect.left + pad, rect.top, rect.width - 2 * pad, rect.height};
  const Rect body{inside.left, rect.top + head, inside.width, std::max(1.0, rect.height - head - foot)};
  ImGui::SetCursorScreenPos(point(rect.left, body.top));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.px(kPanelTextPadding), ui.px(2)});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  LessonPlay& play = *app.lesson;
  const bool entered = std::exchange(play.scroll_to_top, false);
  // A chapter opened by key is read on by keys.
  if (entered && play.lesson.chapter && app.dialog.kind == DialogKind::none) ImGui::SetNextWindowFocus();
  begin_padded_child("lesson", point(rect.width, body.height));
  const auto page = static_cast<float>(std::exchange(play.scroll_by, 0)) * ImGui::GetWindowHeight();
  if (entered || page != 0) {
    ImGui::SetScrollY(entered ? 0 : std::clamp(ImGui::GetScrollY() + page, 0.0f, ImGui::GetScrollMaxY()));
  }
  play.at_top = ImGui::GetScrollY() + page <= 1;
  play.at_end = ImGui::GetScrollY() + page >= ImGui::GetScrollMaxY() - 1;
  const double width = static_cast<double>(ImGui::GetContentRegionAvail().x) - static_cast<double>(ui.px(6));
  const std::string wanted = draw_body(app, width, edited);
  if (!play.lesson.chapter) draw_restore(app, edited);
  // In presentation mode nothing scrolls: the rest comes with the next key.
  const double foot_room = app.ui.px(7), edge = static_cast<double>(ImGui::GetStyle().WindowPadding.y);
  const bool fits =
      static_cast<double>(ImGui::GetCursorPosY()) + foot_room + edge <= static_cast<double>(ImGui::GetWindowHeight());
  bool finer = false;
  if (app.lesson->measured) {
    measure_part(*app.lesson, fits);
    finer = true;
  } else if (!fits && app.lesson->room) {
    finer = cut_finer(*app.lesson);
  }
  if (finer) {
    app.animated = true;
    app.lesson->fresh_frames = std::max(app.lesson->fresh_frames, 3);
  }
  if (!fits && !finer) app.record.add("lesson.scrolls", body);
  ImGui::Dummy(point(0, foot_room));
  app.lesson_focused = ImGui::IsWindowFocused();
  ImGui::EndChild();
  ImGui::PopStyleVar(2);
  app.record.add("lesson.words", body);
  if (!wanted.empty()) open_lesson(app, wanted);
  draw_foot(app, {inside.left, body.bottom(), inside.width, foot});
  draw_head(app, {inside.left, rect.top, inside.width, head});
}

/// Draws the question of a step with its choices and the answer, or the step's title where it asks nothing.
void draw_question(App& app, Flow& flow, LessonPlay& play, const LessonStep& step) {
  Ui& ui = app.ui;
  for (const LessonBlock& block : blocks_of(step, {}, play.whole)) {
    if (block.kind == LessonBlock::Kind::title && !step.ask) {
      flow.text(text_of(block.said), {kPanelTitleSize, 2, 0, ui.palette.text, FontWeight::semibold});
    } else if (block.kind == LessonBlock::Kind::question) {
      flow.text(text_of(block.said), {kPanelBodySize + 1, 2, 0, ui.palette.accent, FontWeight::semibold});
    } else if (block.kind == LessonBlock::Kind::choice) {
      draw_choice(app, flow, *step.ask, block);
    } else if (block.kind == LessonBlock::Kind::answer) {
      if (can_hold_up(play) &&
          flow.pressed("lesson.hold_up", app.text["lesson.hold_up"], {ui.palette.accent, ui.palette.raised})) {
        play.answer.held_up = true;
      }
      draw_answer(app, flow, *step.ask);
    }
  }
}

/// Draws the student's part: the question of the step, a control, and the ways to hold up the answer, to the next step
/// and to the whole laboratory.
void draw_student(App& app, const Rect& rect, Experiment& edited) {
  Ui& ui = app.ui;
  ImGui::SetCursorScreenPos(point(rect.left, rect.top));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.px(kPanelTextPadding), ui.px(8)});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  // The ways out stay in sight, however long an answer is.
  const double foot = ui.px(kFoot), pad = ui.px(kPanelTextPadding);
  begin_padded_child("student", point(rect.width, std::max(1.0, rect.height - foot)));
  Flow flow(app, static_cast<double>(ImGui::GetContentRegionAvail().x) - static_cast<double>(ui.px(6)));
  const LessonStep* const step = app.lesson ? &app.lesson->lesson.steps[app.lesson->step] : nullptr;
  if (step) draw_question(app, flow, *app.lesson, *step);
  draw_first_control(app, step ? step->points : std::vector<std::string>(), edited);
  ImGui::Dummy({0, ui.px(10)});
  ImGui::EndChild();
  ImGui::PopStyleVar(2);
  app.record.add("lesson.words", rect);
  const double top = rect.bottom() - foot / 2 - static_cast<double>(ui.px(15));
  ImGui::SetCursorScreenPos(point(rect.left + pad, top));
  if (button(ui, "shell.whole", app.text["shell.whole"])) app.student = false;
  const std::string& on = app.text["lesson.next"];
  // An open question is skipped by the second press.
  const bool next = step && app.lesson->step + 1 < app.lesson->lesson.steps.size();
  ImGui::SetCursorScreenPos(point(rect.right() - pad - static_cast<double>(button_width(ui, on)), top));
  if (next && button(ui, "lesson.next", on)) next_step(app, 1);
}

void draw_list(App& app, const Rect& rect) {
  Ui& ui = app.ui;
  ImGui::SetCursorScreenPos(point(rect.left, rect.top));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.px(kPanelTextPadding), ui.px(12)});
  begin_padded_child("lessons", point(rect.width, rect.height));
  if (button(ui, "lessons.back", app.text["lesson.views"])) app.lessons_listed = false;
  Flow flow(app, static_cast<double>(ImGui::GetContentRegionAvail().x) - static_cast<double>(ui.px(6)));
  const bool chapters = app.chapters_listed;
  flow.text(app.text[chapters ? "handbook.list" : "lesson.list"],
            {kPanelTitleSize, 8, 0, ui.palette.text, FontWeight::semibold});
  int count = 0;
  double minutes_of_all = 0;
  for (const LessonTitle& title : app.lesson_titles) {
    count += title.chapter == chapters ? 1 : 0;
    minutes_of_all += title.minutes;
  }
  // On a phone there are no keys and no terminal, and little space above the titles.
  if (!ui.touch) {
    flow.text(app.text.format(chapters ? "handbook.list_help" : "lesson.list_help",
                              {{"lessons", std::to_string(count)},
                               {"chapters", std::to_string(count)},
                               {"minutes", shortest_number(minutes_of_all)}}),
              {kPanelSmallSize, 6, 0, ui.palette.secondary});
  }
  if (chapters) {
    if (wide_button(app, "handbook.keys", app.text["shell.dialog.keys"])) open_dialog(app, DialogKind::keys);
  } else if (!ui.touch && writes_paper() && wide_button(app, "lessons.handout", app.text["lesson.handout"])) {
    open_dialog(app, DialogKind::handout);
  }
  ImGui::Dummy({0, ui.px(4)});
  for (const LessonTitle& title : app.lesson_titles) {
    if (title.chapter != chapters) continue;
    const bool current = app.lesson && app.lesson->source == title.id;
    const std::string minutes = app.text.format("lesson.minutes", {{"minutes", shortest_number(title.minutes)}});
    if (flow.pressed("lesson." + title.id, chapters ? title.title : title.numbered() + "  ·  " + minutes,
                     {current ? ui.palette.accent : ui.palette.line, ui.palette.raised})) {
      open_lesson(app, title.id);
    }
  }
  ImGui::Dummy({0, ui.px(10)});
  if (chapters) {
    ImGui::EndChild();
    ImGui::PopStyleVar();
    return;
  }
  bool motion = app.settings.motion;
  if (wide_button(app, "lessons.motion", app.text[motion ? "lesson.motion_on" : "lesson.motion_off"])) {
    app.settings.motion = !motion;
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

// --- Room ----------------------------------------------------------------------------------------------------------

// Presentation mode: its keys, its size, the items that the step points to.

constexpr double kPresentationText = 24, kPresentationLines = 720;

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

void light(const App& app, const Rect& rect) {
  const float grow = app.ui.px(3);
  ImDrawList* list = ImGui::GetForegroundDrawList();
  const ImVec2 a{static_cast<float>(rect.left) - grow, static_cast<float>(rect.top) - grow};
  const ImVec2 b{static_cast<float>(rect.right()) + grow, static_cast<float>(rect.bottom()) + grow};
  list->AddRect(a, b, colour32(app.ui.palette.accent), app.ui.px(8), 0, app.ui.px(2));
}

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

}  // namespace

std::string time_spent(const App& app) {
  const LessonPlay& play = *app.lesson;
  const int whole = static_cast<int>(play.seconds), rest = whole % 60;
  std::string spent = std::to_string(whole / 60) + (rest < 10 ? ":0" : ":") + std::to_string(rest);
  if (!(play.lesson.minutes > 0)) return spent;
  return app.text.format("lesson.time", {{"spent", spent}, {"planned", shortest_number(play.lesson.minutes)}});
}

void load_lesson_titles(App& app) {
  if (app.lesson_titles_in == app.text.language()) return;
  app.lesson_titles_in = app.text.language();
  app.lesson_titles.clear();
  std::vector<LessonEntry> entries = list_lessons(app.places.assets), chapters = list_chapters(app.places.assets);
  entries.insert(entries.end(), chapters.begin(), chapters.end());
  for (const LessonEntry& entry : entries) {
    try {
      Lesson lesson = load_lesson(app.places.assets, entry.id, app.text.language());
      if (app.text.formulas()) set_formulas(lesson, *app.text.formulas(), false);
      LessonTitle title{entry.id, lesson.title, lesson.minutes, {}, lesson.chapter};
      for (const LessonStep& step : lesson.steps) {
        const auto view = std::find_if(step.set.begin(), step.set.end(),
                                       [](const LessonSetting& setting) { return setting.key == "view"; });
        title.steps.push_back({step.name, step.title, view == step.set.end() ? "" : view->value});
      }
      app.lesson_titles.push_back(std::move(title));
    } catch (const InputError& error) {
      app.messages.push_back({app.text.render(error.words())});
    }
  }
}

bool shows_lesson_panel(const App& app) {
  return app.lesson || app.lessons_listed || app.student;
}

void draw_lesson_panel(App& app, const Rect& rect, Experiment& edited) {
  const Ui& ui = app.ui;
  fill_rect(rect, ui.palette.panel);
  fill_rect({rect.right() - 1, rect.top, 1, rect.height}, ui.palette.line);
  app.lesson_focused = false;
  const Experiment before = app.history.current();
  if (app.student) {
    draw_student(app, rect, edited);
  } else if (app.lessons_listed || !app.lesson) {
    load_lesson_titles(app);
    draw_list(app, rect);
  } else {
    draw_lesson(app, rect, edited);
  }
  // A newly entered step replaces the experiment edited in this frame.
  if (!(app.history.current() == before)) edited = app.history.current();
}

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
