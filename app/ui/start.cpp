// The start screen and its pictures, which are computed like the figures of the views.
//
// Contents: Pictures; Choices; Start screen.

#include "app/ui/start.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "app/figure/figure.h"
#include "app/lessons/lesson.h"
#include "app/resources/models.h"
#include "app/ui/dialogs.h"
#include "app/ui/drawing/imgui_compat.h"
#include "app/ui/drawing/style.h"
#include "app/ui/finder.h"
#include "app/ui/lesson/lesson_play.h"
#include "app/ui/opening.h"
#include "app/ui/widgets.h"
#include "core/message.h"
#include "core/rotary/spec.h"

namespace ropescope::ui {

// --- Pictures ------------------------------------------------------------------------------------------------------

namespace {

constexpr double kTurn = 2 * std::numbers::pi;

Vec2 on_circle(Vec2 centre, double radius, double angle) {
  return {centre.x + radius * std::cos(angle), centre.y - radius * std::sin(angle)};
}

PathItem circle_path(Vec2 centre, double radius, Colour colour, double width) {
  constexpr int kCorners = 64;
  PathItem path{{}, colour, width};
  for (int i = 0; i <= kCorners; ++i) path.points.push_back(on_circle(centre, radius, kTurn * i / kCorners));
  return path;
}

/// Adds a vector from the centre of a clock, with a head.
void add_hand(Scene& scene, Vec2 centre, double length, double angle, const PathItem& look) {
  constexpr double kHead = 0.22, kHeadAngle = 0.45;
  const Vec2 tip = on_circle(centre, length, angle);
  PathItem hand = look;
  hand.points = {centre, on_circle(centre, length * (1 - kHead / 2), angle)};
  scene.items.emplace_back(std::move(hand));
  PolygonItem head{{tip}, look.colour};
  for (const double side : {-kHeadAngle, kHeadAngle}) {
    const Vec2 back = on_circle({0, 0}, kHead * length, angle + side);
    head.points.push_back({tip.x - back.x, tip.y - back.y});
  }
  scene.items.emplace_back(std::move(head));
}

/// Four pairs: q and k keep their angle while both rotate, each pair at its own speed.
void draw_clocks(Scene& scene, const StartPicture& picture, const Palette& palette) {
  constexpr int kTurns[] = {4, 2, 1, 0};  // in one cycle, so it ends as it began
  constexpr double kAngles[] = {0.5, 1.0, 0.7, 0.4}, kBetween[] = {2.2, 1.3, 0.8, 0.5};
  const Rect& rect = picture.rect;
  const double across = rect.width / 4, radius = std::min(0.4 * across, 0.36 * rect.height);
  for (int i = 0; i < 4; ++i) {
    const Vec2 centre{rect.left + across * (i + 0.5), rect.top + rect.height / 2};
    const double angle =
        kAngles[i] + kTurn * (kTurns[i] > 0 ? kTurns[i] * picture.phase : 0.25 * std::sin(kTurn / 2 * picture.phase));
    scene.items.emplace_back(DiscItem{centre, radius, with_alpha(palette.raised, 0.6)});
    scene.items.emplace_back(circle_path(centre, radius, palette.line, 1.5 * picture.unit));
    add_hand(scene, centre, 0.92 * radius, angle + kBetween[i], {{}, palette.curves[1], 2.5 * picture.unit});
    add_hand(scene, centre, 0.92 * radius, angle, {{}, palette.curves[0], 2.5 * picture.unit});
  }
}

/// Returns the similarity at integer distances from 0: the mean of cos θᵢΔ over the pairs.
std::vector<double> compute_similarity(double base, int distances) {
  constexpr int kDimension = 64;
  const Eigen::VectorXd frequencies = plain_frequencies(kDimension, base);
  std::vector<double> values;
  for (int distance = 0; distance < distances; ++distance) {
    values.push_back((frequencies * distance).array().cos().mean());
  }
  return values;
}

/// A curve over a slider that moves the base.
void draw_base(Scene& scene, const StartPicture& picture, const Palette& palette) {
  constexpr int kDistances = 160;
  const double unit = picture.unit, words = 76 * unit;
  const Rect& rect = picture.rect;
  const double fraction = 0.5 - 0.5 * std::cos(kTurn * (picture.phase + 0.25));
  const double track = rect.bottom() - 14 * unit, right = rect.right() - words;
  const double bottom = track - 20 * unit, top = rect.top + 8 * unit, zero = bottom - 0.25 * (bottom - top);
  scene.items.emplace_back(PathItem{{{rect.left, zero}, {rect.right(), zero}}, palette.line, unit});
  PathItem curve{{}, palette.curves[0], 2 * unit};
  const std::vector<double> values = compute_similarity(std::pow(10, 2 + 4 * fraction), kDistances);
  for (int i = 0; i < kDistances; ++i) {
    curve.points.push_back(
        {rect.left + rect.width * i / (kDistances - 1), zero - (zero - top) * values[static_cast<std::size_t>(i)]});
  }
  scene.items.emplace_back(std::move(curve));
  const double handle = rect.left + fraction * (right - rect.left);
  scene.items.emplace_back(PathItem{{{rect.left, track}, {right, track}}, palette.line, 4 * unit});
  scene.items.emplace_back(PathItem{{{rect.left, track}, {handle, track}}, palette.accent, 4 * unit});
  scene.items.emplace_back(DiscItem{{handle, track}, 7 * unit, palette.accent});
  scene.items.emplace_back(DiscItem{{handle, track}, 4 * unit, palette.text});
  const double digit = std::pow(10, std::floor(2 + 4 * fraction + 1e-9));
  const std::string base = readable_integer(digit * std::floor(std::pow(10, 2 + 4 * fraction) / digit + 1e-9));
  scene.items.emplace_back(TextItem{{rect.right(), track}, 1, 0.5, base, {13 * unit}, palette.text});
}

/// The wavelengths of every preset over the pairs, one of them by name.
void draw_models(Scene& scene, const StartPicture& picture, const App& app) {
  constexpr std::string_view kNamed[] = {"llama-3.1-8b",    "qwen3-14b",   "gemma-3-4b-it",         "deepseek-v3.2",
                                         "mistral-small-4", "gpt-oss-20b", "phi-3.5-mini-instruct", "llama-2-7b"};
  const Palette& palette = app.ui.palette;
  const Rect& rect = picture.rect;
  const double unit = picture.unit, least = std::log10(kTurn), most = 8;
  const auto named =
      kNamed[static_cast<std::size_t>(picture.phase * static_cast<double>(std::size(kNamed))) % std::size(kNamed)];
  PathItem last;
  for (const Preset& preset : app.presets) {
    if (preset.profiles.empty() || preset.profiles.front().spec.axes.empty()) continue;
    const Eigen::VectorXd frequencies = axis_frequencies(preset.profiles.front().spec.axes.front());
    PathItem line{{}, with_alpha(palette.secondary, 0.3), unit};
    for (Eigen::Index i = 0; i < frequencies.size() && frequencies[i] > 0; ++i) {
      const double share = (std::log10(wavelength(frequencies[i])) - least) / (most - least);
      const double x = static_cast<double>(i) / std::max(1.0, static_cast<double>(frequencies.size() - 1));
      line.points.push_back({rect.left + x * rect.width, rect.bottom() - std::min(share, 1.0) * rect.height});
    }
    if (preset.id == named) {
      last = line;
      last.colour = palette.curves[0];
      last.width = 2.5 * unit;
      scene.items.emplace_back(
          TextItem{{rect.left, rect.top}, 0, 0, preset.name, {15 * unit, FontWeight::semibold}, palette.text});
    }
    scene.items.emplace_back(std::move(line));
  }
  if (!last.points.empty()) scene.items.emplace_back(std::move(last));
}

/// The tables of a 4 × 4 image: the left one has rows and columns swapped. A line passes over them from top to bottom;
/// rows that differ are marked.
void draw_tables(Scene& scene, const StartPicture& picture, const Palette& palette) {
  constexpr int kSide = 4, kRows = kSide * kSide, kPairs = 6;
  const Rect& rect = picture.rect;
  const double unit = picture.unit, between = 54 * unit, width = (rect.width - between) / 2;
  const double across = width / (2 * kPairs), down = rect.height / kRows;
  const ColourTable colours = colour_table(MapColours::signed_value, palette);
  const Eigen::VectorXd frequencies = plain_frequencies(2 * kPairs, 100);
  const double read = picture.phase > 0 ? picture.phase * kRows : kRows;
  for (int row = 0; row < kRows; ++row) {
    const int line = row / kSide;
    const double positions[] = {static_cast<double>(line), static_cast<double>(row % kSide)};
    const double top = rect.top + row * down;
    for (int table = 0; table < 2; ++table) {
      for (int column = 0; column < 2 * kPairs; ++column) {
        const int axis = (column / kPairs + (table == 0 ? 1 : 0)) % 2;
        const double value = std::sin(positions[axis] * frequencies[column % kPairs]);
        const Rect cell{rect.left + table * (width + between) + column * across, top, across, down};
        scene.items.emplace_back(RectItem{cell, colour_at(colours, {false, {-1, 1}}, value)});
      }
    }
    const bool differs = positions[0] != positions[1];
    if (row + 1 > read || !differs) continue;
    scene.items.emplace_back(
        RectItem{{rect.left - 6 * unit, top + 0.15 * down, 3 * unit, 0.7 * down}, palette.warning});
  }
  const Vec2 middle{rect.left + rect.width / 2, rect.top + rect.height / 2};
  const double half = 10 * unit;
  for (const double side : {-0.4, 0.4}) {
    scene.items.emplace_back(
        PathItem{{{middle.x - half, middle.y + side * half}, {middle.x + half, middle.y + side * half}},
                 palette.warning,
                 2.5 * unit});
  }
  scene.items.emplace_back(
      PathItem{{{middle.x - 0.5 * half, middle.y + half}, {middle.x + 0.5 * half, middle.y - half}},
               palette.warning,
               2.5 * unit});
  if (picture.phase > 0) {
    const double line = rect.top + picture.phase * rect.height;
    scene.items.emplace_back(PathItem{{{rect.left, line}, {rect.right(), line}}, palette.text, 1.5 * unit});
  }
}

// --- Choices -------------------------------------------------------------------------------------------------------

/// Returns the lesson in which a pair rotates for the first time; the first one if the assets lack it.
std::string find_turn_lesson(const App& app) {
  constexpr std::string_view kTurnLesson = "04-turn";
  const std::vector<LessonEntry> lessons = list_lessons(app.places.assets);
  const bool there = std::ranges::find(lessons, kTurnLesson, &LessonEntry::id) != lessons.end();
  return there || lessons.empty() ? std::string(kTurnLesson) : lessons.front().id;
}

struct ShownChoice {
  StartChoice choice;
  const char* name;  ///< of its texts, "shell.start.NAME.title" and ".help"
};
constexpr ShownChoice kChoices[] = {{StartChoice::turn, "turn"},
                                    {StartChoice::base, "base"},
                                    {StartChoice::model, "model"},
                                    {StartChoice::check, "check"}};

/// Returns the sentence under the name of a choice; that of the lesson is kept in the dialog.
std::string help_of_choice(App& app, const ShownChoice& shown) {
  const std::string key = std::string("shell.start.") + shown.name + ".help";
  if (shown.choice == StartChoice::model) return app.text.format(key, {{"count", std::to_string(app.presets.size())}});
  if (shown.choice != StartChoice::turn) return app.text[key];
  if (app.dialog.path.empty()) {
    const Lesson lesson = load_lesson(app.places.assets, find_turn_lesson(app), app.text.language());
    const std::string numbered = LessonTitle{lesson.id, lesson.title, {}, {}}.numbered();
    app.dialog.path = app.text.format(key, {{"number", numbered.substr(0, numbered.find(' '))},
                                            {"minutes", shortest_number(lesson.minutes)},
                                            {"title", lesson.title}});
  }
  return app.dialog.path;
}

/// Shows Decay with one curve on a linear axis; the control of the base has the focus.
void show_base(App& app, Experiment& edited) {
  constexpr double kShownDistances = 1024;
  const Experiment work = find_work(app);
  if (app.lesson) close_lesson(app);
  Experiment next = fresh_experiment(app);
  next.view = "decay";
  next.decay.distance_axis = AxisScale::linear;
  next.decay.span = kShownDistances;
  next.decay.show_bound = next.decay.show_trend = false;
  app.history.record(next, false);
  edited = app.history.current();
  offer_way_back(app, work);
  app.figure_alone = false;
  app.drawer_open = app.settings.controls_open = true;
  app.ui.state.focus_key = "rope.base";
}

void choose_start(App& app, StartChoice choice, Experiment& edited) {
  close_modal(app);
  if (choice == StartChoice::model) return open_finder(app, Dialog::Scope::models);
  if (choice == StartChoice::check) return open_finder(app, Dialog::Scope::examples);
  if (choice == StartChoice::base) return show_base(app, edited);
  const Experiment work = find_work(app);
  open_lesson(app, find_turn_lesson(app));
  edited = app.history.current();
  offer_way_back(app, work);
}

// --- Start screen --------------------------------------------------------------------------------------------------

// Sizes at 100 %.
constexpr double kScreenWidth = 1040, kScreenHeight = 660, kStartCardGap = 14, kCardPad = 14, kStartRing = 4,
                 kStartFoot = 48;
constexpr double kTitleLine = 22, kHelpLine = 18, kUnderPicture = 10, kWidthForTwo = 520;
/// Below this height a card has its picture on the left, and below this width none. Below that height of the window the
/// sentence above the cards makes space for them.
constexpr double kHeightForPicture = 164, kWidthForPicture = 250, kHeightForSentence = 480;
constexpr double kLeastCard = 86, kPictureShare = 0.36;
constexpr std::size_t kMaxHelpLines = 3;
/// Seconds of one cycle of a picture, and cycles after which it rests.
constexpr double kCycle = 8;
constexpr int kCycles = 3;

/// Returns the phase of the picture of a choice: only the one under the mouse or with the focus moves, for a while.
double find_phase(App& app, const ShownChoice& shown, bool lit) {
  Dialog& dialog = app.dialog;
  const double now = ImGui::GetTime();
  if (lit && dialog.lit != shown.name) {
    dialog.lit = shown.name;
    dialog.lit_since = now;
  }
  const double cycles = (now - dialog.lit_since) / kCycle;
  if (!lit || !app.settings.motion || cycles >= kCycles) return 0;
  app.animated = true;
  return cycles - std::floor(cycles);
}

/// The parts of a card of some size: the picture above the words, on their left, or none.
struct CardParts {
  bool above = false, beside = false;
  Rect picture, words;
};

/// Returns the parts of a card whose sentence has at most this many lines.
CardParts divide_card(const Ui& ui, const Rect& rect, std::size_t lines) {
  const double pad = ui.px(kCardPad);
  CardParts parts{rect.height >= ui.px(kHeightForPicture), false, grown(rect, -pad), grown(rect, -pad)};
  parts.beside = !parts.above && rect.width >= ui.px(kWidthForPicture);
  if (parts.above) {
    const double words = ui.px(kTitleLine + static_cast<double>(lines) * kHelpLine);
    parts.picture.height -= words + ui.px(kUnderPicture);
    parts.words.top = rect.bottom() - pad - words;
  } else if (parts.beside) {
    parts.picture.width = std::min(kPictureShare * rect.width, 2.0 * ui.px(kLeastCard - 2 * kCardPad));
    parts.words.left = parts.picture.right() + pad;
    parts.words.width = rect.right() - pad - parts.words.left;
  }
  return parts;
}

/// Returns the lines of the sentence of a choice.
std::vector<std::string> set_help(App& app, const ShownChoice& shown, double width) {
  bool cut = false;
  return wrapped_lines(app.ui.fonts.small, help_of_choice(app, shown), width, kMaxHelpLines, cut);
}

void draw_choice_card(App& app, const ShownChoice& shown, const Press& press, std::size_t lines, bool lit) {
  const Ui& ui = app.ui;
  const CardParts parts = divide_card(ui, press.rect, lines);
  fill_rect(press.rect, lit ? mixed(ui.palette.panel, ui.palette.raised, 0.7) : ui.palette.panel, ui.px(8));
  outline_rect(ui, press.rect, lit ? ui.palette.accent : ui.palette.line, ui.px(8));
  const std::string title = std::string("shell.start.") + shown.name + ".title";
  double centre = parts.words.top + ui.px(kTitleLine / 2);
  draw_line_within({ui.fonts.semibold, ui.palette.text, parts.words.left, centre}, parts.words.width, 0,
                   app.text[title]);
  centre += ui.px((kTitleLine + kHelpLine) / 2);
  for (const std::string& line : set_help(app, shown, parts.words.width)) {
    draw_line({ui.fonts.small, ui.palette.secondary, parts.words.left, centre}, line);
    centre += ui.px(kHelpLine);
  }
  const double phase = find_phase(app, shown, lit);
  if (!parts.above && !parts.beside) return;
  fill_rect(parts.picture, ui.palette.canvas, ui.px(6));
  const double unit = ui.px(parts.above ? 1 : 0.6), margin = 16 * unit;
  app.record.add(std::string("start.picture.") + shown.name, parts.picture);
  draw_scene(ImGui::GetWindowDrawList(), ui,
             draw_start_picture({shown.choice, grown(parts.picture, -margin), phase, unit}, app));
}

/// Draws a box that is ticked while the value is true.
void draw_tick_box(Ui& ui, const char* key, const std::string& label, bool& value) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const double side = ui.px(16), gap = ui.px(8), height = ui.px(30);
  const double width = side + gap + static_cast<double>(text_width(ui.fonts.small, label)) + gap;
  const double room = std::min(width, static_cast<double>(ImGui::GetContentRegionAvail().x) - ui.px(110));
  const Rect rect = rect_at(at, std::max(side, room), height);
  const Press press = press_area(ui, key, rect, 6);
  if (press.clicked) value = !value;
  const double centre = rect.top + height / 2;
  const Rect box{rect.left, centre - side / 2, side, side};
  fill_rect(box, value ? ui.palette.accent : ui.palette.canvas, ui.px(4));
  outline_rect(ui, box, value || press.hovered ? ui.palette.accent : ui.palette.faint, ui.px(4));
  if (value) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const auto spot = [&](double x, double y) { return point(box.left + x * side, box.top + y * side); };
    const ImVec2 tick[] = {spot(0.22, 0.52), spot(0.42, 0.72), spot(0.78, 0.3)};
    list->AddPolyline(tick, 3, colour32(ui.palette.panel), 0, ui.px(2));
  }
  draw_line_within({ui.fonts.small, ui.palette.secondary, box.right() + gap, centre},
                   std::max(0.0, rect.right() - box.right() - gap), 0, label);
}

}  // namespace

void start_fresh(App& app) {
  if (app.lesson || app.history.current() != Experiment()) return;
  app.history = History(fresh_experiment(app));
  app.saving.experiment = app.history.current();
}

void greet(App& app) {
  const bool nothing_restored = app.history.current() == fresh_experiment(app);
  const bool quiet = app.messages.empty() && !app.lesson;
  if (nothing_restored && quiet && app.settings.start_screen) open_dialog(app, DialogKind::start);
}

void draw_start(App& app, const Rect& screen, Experiment& edited) {
  Ui& ui = app.ui;
  // ImGui gives a window its own first focus while it appears.
  constexpr int kFramesUntilFocus = 3;
  if (!begin_modal(app, "dialog.start", app.text["shell.start.title"], screen, {kScreenWidth, kScreenHeight})) return;
  if (app.dialog.row < kFramesUntilFocus && ++app.dialog.row == kFramesUntilFocus) ui.state.focus_key = "start.turn";
  if (app.dialog.row < kFramesUntilFocus) app.animated = true;
  if (screen.height >= ui.px(kHeightForSentence)) {
    ImGui::PushStyleColor(ImGuiCol_Text, colour32(ui.palette.secondary));
    wrapped_text(app.text["shell.start.about"], static_cast<double>(ImGui::GetContentRegionAvail().x));
    ImGui::PopStyleColor();
  }
  // Room for the focus ring of the cards.
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.px(kStartRing), ui.px(kStartRing)});
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() - ui.px(kStartRing));
  const ImVec2 room = ImGui::GetContentRegionAvail();
  begin_padded_child("choices", {room.x + ui.px(kStartRing), std::max(ui.px(60), room.y - ui.px(kStartFoot))});
  const ImVec2 origin = ImGui::GetCursorScreenPos(), inside = ImGui::GetContentRegionAvail();
  const double gap = ui.px(kStartCardGap), across = static_cast<double>(inside.x);
  const int columns = across >= ui.px(kWidthForTwo) ? 2 : 1, rows = 4 / columns;
  const double width = (across - gap * (columns - 1)) / columns;
  double height = std::max<double>(ui.px(kLeastCard), (static_cast<double>(inside.y) - gap * (rows - 1)) / rows);
  std::size_t lines = 1;
  for (const ShownChoice& shown : kChoices) {
    lines = std::max(lines, set_help(app, shown, divide_card(ui, {0, 0, width, height}, lines).words.width).size());
  }
  height = std::max<double>(height, ui.px(2 * kCardPad + kTitleLine + static_cast<double>(lines) * kHelpLine));
  std::vector<Press> presses;
  for (int i = 0; i < 4; ++i) {
    const int row = i / columns;
    const double left = static_cast<double>(origin.x) + (width + gap) * (i % columns);
    const double top = static_cast<double>(origin.y) + (height + gap) * row;
    const std::string key = std::string("start.") + kChoices[presses.size()].name;
    presses.push_back(press_area(ui, key, {left, top, width, height}, 8));
  }
  const bool enter = key_pressed(Key::enter, false) || key_pressed(Key::keypad_enter, false);
  const bool enters = enter && !focus_is_visible();
  // The card under the mouse moves; without one, the card with the focus.
  const bool hovers = std::any_of(presses.begin(), presses.end(), [](const Press& press) { return press.hovered; });
  std::optional<StartChoice> chosen;
  for (std::size_t i = 0; i < presses.size(); ++i) {
    const bool focused = presses[i].focused;
    draw_choice_card(app, kChoices[i], presses[i], lines, hovers ? presses[i].hovered : focused);
    // ImGui shows no ring before the first arrow key, and Enter presses what has one.
    if (presses[i].clicked || (focused && enters)) chosen = kChoices[i].choice;
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  ImGui::SetCursorPosY(ImGui::GetWindowHeight() - ui.px(kStartFoot));
  bool hidden = !app.settings.start_screen;
  const float foot = ImGui::GetCursorPosY();
  draw_tick_box(ui, "start.again", app.text["shell.start.again"], hidden);
  app.settings.start_screen = !hidden;
  const std::string& close = app.text["shell.start.close"];
  ImGui::SetCursorPos({ImGui::GetWindowWidth() - ui.px(20) - button_width(ui, close), foot});
  if (button(ui, "start.close", close)) close_modal(app);
  if (chosen) choose_start(app, *chosen, edited);
  ImGui::EndPopup();
}

Scene draw_start_picture(const StartPicture& picture, const App& app) {
  Scene scene;
  const Palette& palette = app.ui.palette;
  if (picture.choice == StartChoice::turn) draw_clocks(scene, picture, palette);
  if (picture.choice == StartChoice::base) draw_base(scene, picture, palette);
  if (picture.choice == StartChoice::model) draw_models(scene, picture, app);
  if (picture.choice == StartChoice::check) draw_tables(scene, picture, palette);
  return scene;
}

}  // namespace ropescope::ui
