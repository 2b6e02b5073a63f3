// Lessons on screen: the panel next to the figure, the student's page and the list. Declared in lesson_play.h.

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
#include "app/ui/lesson/presentation.h"
#include "app/ui/shell.h"
#include "app/ui/widgets.h"
#include "app/views/shared/ropes.h"
#include "core/message.h"

namespace ropescope::ui {

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

}  // namespace

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

}  // namespace ropescope::ui
