// Cards with readouts, chips of ropes, and their menus.
//
// Contents: Menu of cards; Cards; Menu of chips; Chips.

#include "app/ui/shell.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "app/experiment/fields.h"
#include "app/experiment/sweeps.h"
#include "app/figure/figure.h"
#include "app/ui/dialogs.h"
#include "app/ui/drawing/imgui_compat.h"
#include "app/ui/drawing/screen.h"
#include "app/ui/drawing/style.h"
#include "app/ui/sweep_lists.h"
#include "app/ui/widgets.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/ropes.h"

namespace ropescope::ui {

// --- Menu of cards -------------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kMaxFields = 6;

/// Draws the menu of a card: its number over a field, as a curve of the view Sweep.
void draw_plot_over(App& app, const Readout& readout, Experiment& edited) {
  const View& view = find_view(edited.view);
  const auto numbers = numbers_of(app.result, readout.name);
  const bool own = &view_of_readout(readout.name, edited) == &view;
  if (!numbers || numbers->empty() || !own || view.id == "sweep") return;
  Ui& ui = app.ui;
  ImGui::Dummy({1, ui.px(4)});
  group_label(ui, app.text["shell.card.plot_over"]);
  float left = 0;
  const float room = ImGui::GetContentRegionAvail().x, gap = ui.px(6);
  std::vector<Sweepable> fields = fields_to_sweep(view, edited);
  std::erase_if(fields, [](const Sweepable& field) { return !field.number; });
  if (fields.size() > kMaxFields) fields.resize(kMaxFields);
  for (const Sweepable& field : fields) {
    const std::string label = app.text["field." + words_key(field.key) + ".label"];
    const float width = button_width(ui, label);
    if (left > 0 && left + gap + width <= room) {
      ImGui::SameLine(0, gap);
      left += gap + width;
    } else {
      left = width;
    }
    if (!button(ui, "card.over." + field.key, label)) continue;
    edited.sweep = {};
    edited.sweep.readout = readout.name;
    edited.sweep.over = field.over;
    edited.view = "sweep";
    ImGui::CloseCurrentPopup();
  }
}

// --- Cards ---------------------------------------------------------------------------------------------------------

// Sizes at 100 %.
constexpr double kCardGap = 12, kCardAction = 40;
constexpr double kNarrowest = 130;  ///< minimum width of a number
constexpr double kLectureCard = 200, kLectureRow = 0.37, kLectureLine = 17, kLectureAround = 66;
/// Sizes of one row of numbers, with the label over the number.
constexpr double kNumberRowHeight = 46, kNumberRowPadding = 12, kRowLabel = 14, kRowNumber = 31, kMoreWidth = 26;
constexpr double kSheetPadding = 12, kSheetShare = 0.92;

/// The readouts shown as cards.
using Cards = std::vector<const Readout*>;
Cards cards_of(const ViewResult& result) {
  Cards cards;
  for (const Readout& readout : result.readouts) {
    if (!readout.aside) cards.push_back(&readout);
  }
  return cards;
}

bool any_action(const Cards& cards) {
  return std::any_of(cards.begin(), cards.end(), [](const Readout* each) { return each->action.has_value(); });
}

double card_height(const Ui& ui, const CardText& text, bool actions) {
  return ui.px(text.height() + (actions ? kCardAction : 0));
}

/// Returns the width of each card of a row by its share, `count` of them from `first` on.
std::vector<double> card_widths(const Ui& ui, const Cards& cards, std::size_t first, std::size_t count, double room) {
  double shares = 0;
  for (std::size_t i = first; i < first + count; ++i) shares += cards[i]->width_share;
  std::vector<double> widths;
  for (std::size_t i = first; i < first + count; ++i) {
    const double gaps = static_cast<double>(ui.px(kCardGap)) * (static_cast<double>(count) - 1);
    widths.push_back((room - gaps) * cards[i]->width_share / shares);
  }
  return widths;
}

/// Returns the space for text that all cards of a row need.
CardText measure_row(const Ui& ui, const Cards& cards, std::size_t first, std::size_t count, double room) {
  const std::vector<double> widths = card_widths(ui, cards, first, count, room);
  CardText text;
  for (std::size_t i = 0; i < count; ++i) text.include(measure_card(ui, *cards[first + i], widths[i]));
  return text;
}

/// Measures the cards again if their texts changed, except while they change with a drag or an animation: they only
/// grow, and not under the mouse.
void keep_card_text(App& app, const Cards& cards, double width) {
  CardsRoom& kept = app.cards_room;
  std::vector<std::string> texts{app.text.language(), std::to_string(app.ui.scale)};
  for (const Readout* card : cards) texts.insert(texts.end(), {card->label, card->text, card->note});
  const bool same_fonts = kept.measured.size() > 1 && kept.measured[0] == texts[0] && kept.measured[1] == texts[1];
  if (kept.width != width || !same_fonts) kept.text = {};
  if (kept.width == width && (kept.measured == texts || (same_fonts && (ImGui::IsAnyMouseDown() || app.animated))))
    return;
  kept.text.include(measure_row(app.ui, cards, 0, cards.size(), width));
  kept.width = width;
  kept.measured = std::move(texts);
}

/// Draws cards in a row by their shares, `count` of them from `first` on.
void draw_card_row(App& app, const Rect& rect, std::size_t first, std::size_t count, const CardText& text,
                   Experiment& edited) {
  const Cards cards = cards_of(app.result);
  const View& view = find_view(edited.view);
  const std::vector<double> widths = card_widths(app.ui, cards, first, count, rect.width);
  const double gap = app.ui.px(kCardGap);
  double left = rect.left;
  for (std::size_t i = 0; i < count; ++i) {
    const Readout& readout = *cards[first + i];
    const double width = widths[i];
    ImGui::SetCursorScreenPos(point(left, rect.top));
    const CardPress press = card(app.ui, readout, static_cast<float>(width), static_cast<float>(rect.height), text);
    if (press == CardPress::action && view.act) view.act(edited, readout.action->key);
    if (press == CardPress::body) app.whole_card = readout.name;
    left += width + gap;
  }
}

/// Returns the font of the labels in a row of numbers, which is large enough in presentation mode.
ImFont* row_label_font(const Ui& ui) {
  return ui.least_text > kLeastText ? ui.fonts.small : ui.fonts.label;
}

/// Returns the widths of as many numbers as fit; if space is short, labels are slightly smaller.
std::vector<double> number_widths(const Ui& ui, const Cards& cards, double room) {
  const double around = ui.px(2 * kNumberRowPadding);
  ImFont* const font = row_label_font(ui);
  const double smallest = share_of_em(ui, font, ui.least_text);
  std::vector<double> whole, least;
  double sum = 0;
  for (const Readout* readout : cards) {
    const double number = text_width(ui.fonts.semibold, readout->text), label = text_width(font, readout->label);
    whole.push_back(std::max(number, label) + around);
    least.push_back(std::max(number, (smallest + 0.01) * label) + around);
    sum += whole.back();
  }
  if (sum <= room) return whole;
  sum = 0;
  std::size_t count = 0;
  while (count < least.size() && (count == 0 || sum + least[count] <= room)) sum += least[count++];
  least.resize(count);
  least.front() = std::min(least.front(), room);
  return least;
}

/// Draws as many numbers as fit, with labels over them; a press anywhere expands all cards.
void draw_numbers(App& app, const Rect& rect) {
  Ui& ui = app.ui;
  Cards cards = cards_of(app.result);
  // Cards that a lesson points to are not omitted.
  if (app.lesson) {
    const std::vector<std::string>& points = app.lesson->lesson.steps[app.lesson->step].points;
    std::stable_partition(cards.begin(), cards.end(), [&points](const Readout* each) {
      return std::find(points.begin(), points.end(), each->name) != points.end();
    });
  }
  const double room = rect.width - static_cast<double>(ui.px(kMoreWidth));
  const std::vector<double> widths = number_widths(ui, cards, room);
  const double used = std::accumulate(widths.begin(), widths.end(), 0.0);
  const double spare = std::max(0.0, (room - used) / static_cast<double>(widths.size()));
  const Press press = press_area(ui, "cards.unfold", rect, 7);
  const double radius = ui.px(7);
  fill_rect(rect, ui.palette.panel, radius);
  outline_rect(ui, rect, press.hovered ? mixed(ui.palette.line, ui.palette.faint, 0.4) : ui.palette.line, radius);
  double left = rect.left;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const double width = widths[i] + spare, at = left + static_cast<double>(ui.px(kNumberRowPadding));
    const double words = width - static_cast<double>(ui.px(2 * kNumberRowPadding));
    LineOfText label{row_label_font(ui), ui.palette.secondary, at, rect.top + static_cast<double>(ui.px(kRowLabel))};
    label.least_share = share_of_em(ui, label.font, ui.least_text);
    draw_line_within(label, words, 0, cards[i]->label);
    LineOfText number{ui.fonts.semibold, ui.palette.text, at, rect.top + static_cast<double>(ui.px(kRowNumber))};
    number.least_share = share_of_em(ui, number.font, ui.least_text);
    draw_line_within(number, words, 0, cards[i]->text);
    if (ui.record) ui.record->add("card." + cards[i]->name, {left, rect.top, width, rect.height});
    left += width;
  }
  const std::size_t more = cards.size() - widths.size();
  const std::string sign = more > 0 ? "+" + std::to_string(more) : "▴";
  draw_line_within({ui.fonts.small, ui.palette.secondary, rect.right() - static_cast<double>(ui.px(kMoreWidth)),
                    rect.top + rect.height / 2},
                   static_cast<double>(ui.px(kMoreWidth - 4)), 0.5, sign);
  tooltip_after_rest(ui, "cards.unfold", press.hovered, (*ui.text)["shell.tip.cards"]);
  if (press.clicked) app.cards_open = true;
}

/// Draws all cards over the figures, as many per row as are readable, and the status line below them.
void draw_all_cards(App& app, const Rect& area, Experiment& edited) {
  Ui& ui = app.ui;
  const std::size_t count = cards_of(app.result).size();
  const double pad = ui.px(kSheetPadding), gap = ui.px(kCardGap), inside = area.width - 2 * pad;
  const auto columns = std::clamp<std::size_t>(
      static_cast<std::size_t>((inside + gap) / (static_cast<double>(ui.px(kNarrowest + 40)) + gap)), 1, count);
  const std::size_t rows = (count + columns - 1) / columns;
  CardText text;
  for (std::size_t first = 0; first < count; first += columns) {
    text.include(measure_row(ui, cards_of(app.result), first, std::min(columns, count - first), inside));
  }
  const double height = card_height(ui, text, app.cards_room.actions), foot = ui.px(34);
  const double wanted = static_cast<double>(rows) * (height + gap) + 2 * pad + foot;
  const double shown = std::min(wanted, kSheetShare * area.height);
  const Rect sheet{area.left, area.bottom() - shown, area.width, shown};
  ImGui::SetCursorScreenPos(top_left(sheet));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::BeginChild("cards", point(sheet.width, sheet.height));
  ImGui::PopStyleVar();
  fill_rect(sheet, ui.palette.ground);
  ImGui::GetWindowDrawList()->AddLine(point(sheet.left, sheet.top), point(sheet.right(), sheet.top),
                                      colour32(ui.palette.line), ui.px(1));
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const double left = static_cast<double>(origin.x) + pad;
  double top = static_cast<double>(origin.y) + pad;
  for (std::size_t first = 0; first < count; first += columns) {
    draw_card_row(app, {left, top, inside, height}, first, std::min(columns, count - first), text, edited);
    top += height + gap;
  }
  const double close = button_width(ui, (*ui.text)["shell.dialog.close"]);
  draw_line_within({ui.fonts.small, ui.palette.secondary, left, top + static_cast<double>(ui.px(15))},
                   std::max(0.0, inside - close - gap), 0, app.result.status);
  ImGui::SetCursorScreenPos(point(left + inside - close, top));
  if (button(ui, "cards.close", (*ui.text)["shell.dialog.close"])) app.cards_open = false;
  ImGui::SetCursorScreenPos(point(left, top + foot));
  ImGui::Dummy({1, 1});
  ImGui::EndChild();
  app.record.add("cards.sheet", sheet);
}

/// Draws a readout to be copied: its name, its first lines, and the button.
void draw_to_copy(App& app, const Readout& readout, double room) {
  constexpr std::size_t kMaxLines = 12;
  Ui& ui = app.ui;
  ImGui::Dummy({1, ui.px(4)});
  ImGui::PushFont(ui.fonts.semibold);
  wrapped_text(readout.label, room);
  ImGui::PopFont();
  std::string shown = readout.text;
  std::size_t end = 0;
  for (std::size_t line = 0; line < kMaxLines && end != std::string::npos; ++line) {
    end = shown.find('\n', end + (line > 0 ? 1 : 0));
  }
  if (end != std::string::npos) shown = shown.substr(0, end) + "\n…";
  ImGui::PushFont(ui.fonts.small);
  wrapped_text(shown, room);
  ImGui::PopFont();
  if (button(ui, "copy." + readout.name, app.text["shell.copy"]))
    app.requests.clipboard_text = without_separators(readout.text);
}

/// Draws the full text of a card, one part below the other.
void draw_whole(const Ui& ui, const Readout& readout, double room) {
  const auto paragraph = [&](ImFont* font, Colour colour, const std::string& words) {
    if (words.empty()) return;
    ImGui::PushFont(font);
    ImGui::PushStyleColor(ImGuiCol_Text, colour32(colour));
    wrapped_text(words, room);
    ImGui::PopStyleColor();
    ImGui::PopFont();
  };
  paragraph(ui.fonts.small, ui.palette.secondary, readout.label);
  paragraph(ui.fonts.semibold, ui.palette.text, readout.text);
  paragraph(ui.fonts.body, ui.palette.text, readout.note);
  paragraph(ui.fonts.small, ui.palette.secondary, readout.tooltip);
}

// --- Menu of chips -------------------------------------------------------------------------------------------------

constexpr std::array kDashes = {Dash::solid, Dash::long_dash, Dash::dots, Dash::dash_dot, Dash::short_dash};
constexpr double kSwatchWidth = 34, kSwatchHeight = 24, kWidth = 210;

bool chip_menu_item(App& app, const char* key, bool enabled = true) {
  const std::string name = std::string("chip.menu.") + key;
  const Column column = enter_column();
  const Rect rect = rect_at(column.origin, column.width, static_cast<double>(app.ui.px(30)));
  const Press press = press_area(app.ui, name, rect, 5, enabled);
  if (press.hovered && enabled) fill_rect(rect, app.ui.palette.line, static_cast<double>(app.ui.px(5)));
  draw_line_within({app.ui.fonts.body, enabled ? app.ui.palette.text : app.ui.palette.faint,
                    rect.left + static_cast<double>(app.ui.px(8)), rect.top + rect.height / 2},
                   rect.width - static_cast<double>(app.ui.px(16)), 0, app.text[std::string("shell.chip_menu.") + key]);
  column.leave(rect.height);
  if (press.clicked) ImGui::CloseCurrentPopup();
  return press.clicked;
}

/// Draws a row of strokes to choose from; returns which one was pressed.
std::optional<std::size_t> swatches(App& app, const std::string& key, const std::array<Stroke, 5>& strokes,
                                    std::size_t chosen) {
  Ui& ui = app.ui;
  group_label(ui, app.text["shell.chip_menu." + key]);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const double width = static_cast<double>(ui.px(kSwatchWidth)), height = static_cast<double>(ui.px(kSwatchHeight));
  const double inset = static_cast<double>(ui.px(6));
  std::optional<std::size_t> pressed;
  for (std::size_t i = 0; i < strokes.size(); ++i) {
    const Rect rect{static_cast<double>(origin.x) + static_cast<double>(i) * (width + inset),
                    static_cast<double>(origin.y), width, height};
    const Press press = press_area(ui, "chip.menu." + key + "." + std::to_string(i), rect, 5);
    if (press.hovered || i == chosen) fill_rect(rect, ui.palette.line, static_cast<double>(ui.px(5)));
    Scene scene;
    scene.items.emplace_back(
        PathItem{{{rect.left + inset, rect.top + height / 2}, {rect.right() - inset, rect.top + height / 2}},
                 strokes[i].colour,
                 static_cast<double>(ui.px(2.5)),
                 strokes[i].dash});
    draw_scene(ImGui::GetWindowDrawList(), ui, scene);
    if (press.clicked) pressed = i;
  }
  ImGui::SetCursorScreenPos(origin);
  ImGui::Dummy(point(static_cast<double>(ui.px(kWidth)), height + inset));
  return pressed;
}

/// Draws colours and dashes separately; the menu stays open. Returns the selected slot.
int draw_strokes(App& app, int slot) {
  const Stroke now = stroke_of(app.ui.palette, {slot, false});
  const auto colour = static_cast<std::size_t>(slot) % 5;
  const auto dash = static_cast<std::size_t>(now.dash);
  std::array<Stroke, 5> colours{}, dashes{};
  for (std::size_t i = 0; i < 5; ++i) {
    colours[i] = {app.ui.palette.curves[i], Dash::solid};
    dashes[i] = {now.colour, kDashes[i]};
  }
  const auto of_colour = swatches(app, "colour", colours, colour);
  const auto of_dash = swatches(app, "dash", dashes, dash);
  if (of_colour) return slot_with(static_cast<int>(*of_colour), now.dash);
  return of_dash ? slot_with(static_cast<int>(colour), kDashes[*of_dash]) : slot;
}

/// Draws the menu of a curve's chip, requested in this frame by "chip.menu".
void draw_chip_menu(App& app, Experiment& edited) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {app.ui.px(8), app.ui.px(8)});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {app.ui.px(6), app.ui.px(2)});
  ImGui::SetNextWindowSizeConstraints({app.ui.px(kWidth), 0}, {app.ui.px(kWidth + 16), 10000});
  if (ImGui::BeginPopup("chip.menu")) {
    const std::size_t pin = app.chip_menu.value_or(0);
    if (!app.chip_menu) {
      if (chip_menu_item(app, "rename")) open_rename_dialog(app, {}, edited.curves.name);
      edited.curves.slot = draw_strokes(app, static_cast<int>(edited.curves.slot));
    } else if (pin >= edited.pins.size()) {
      ImGui::CloseCurrentPopup();
    } else {
      if (chip_menu_item(app, "rename")) open_rename_dialog(app, pin, edited.pins[pin].name);
      if (chip_menu_item(app, "left", pin > 0)) move_pin(edited, pin, pin - 1);
      if (chip_menu_item(app, "right", pin + 1 < edited.pins.size())) move_pin(edited, pin, pin + 1);
      edited.pins[pin].slot = draw_strokes(app, edited.pins[pin].slot);
      if (chip_menu_item(app, "remove")) remove_pin(edited, pin);
    }
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar(2);
}

// --- Chips ---------------------------------------------------------------------------------------------------------

constexpr double kChipRowHeight = 30, kChipRowGap = 8;
/// Maximum rows, before the plot gets too small: labels are shortened instead, up to this many per row.
constexpr int kMaxChipRows = 3, kMaxChipsPerRow = 4;

/// Returns the key of the toggle that is also a chip; empty if the current picture has none.
std::string_view find_toggle_chip(const Experiment& experiment) {
  const std::string_view key = find_view(experiment.view).toggle_chip;
  const std::optional<Field> field = key.empty() ? std::nullopt : find_field(experiment, key);
  return field && field->control ? key : std::string_view();
}

/// Returns the chips in order: current, pinned ones, "pin this", and the view's toggle if it has one.
std::vector<Chip> chips_of(const App& app, const Experiment& given) {
  const Experiment experiment = at_shown_length(find_view(given.view), given);
  const Text& text = *app.ui.text;
  std::vector<Chip> chips;
  const bool several = facets_change_rope(experiment) && experiment.curves.name.empty();
  for (const ShownRope& rope : all_ropes(experiment, text)) {
    const bool current = rope.key == kCurrentKey;
    Chip chip;
    chip.key = "chip." + rope.key;
    chip.label = current && several ? text["view.facets.own"] : rope.label;
    chip.tooltip = text[current ? "shell.tip.chip" : "shell.tip.pinned_chip"];
    chip.sample = stroke_of(app.ui.palette, {rope.slot, false});
    chip.closable = !current;
    chip.dimmed = is_hidden(experiment, rope.key);
    chips.push_back(chip);
  }
  Chip chip;
  chip.key = "chip.pin";
  chip.label = text["shell.pin"];
  chip.tooltip = text["shell.tip.pin"];
  chip.dashed_outline = true;
  chip.dimmed = experiment.pins.size() >= kMaximumPins;
  chips.push_back(chip);
  if (const std::string toggle(find_toggle_chip(given)); !toggle.empty()) {
    const std::string& label = text["field." + toggle + ".label"];
    const bool on = find_field(given, toggle)->as<bool>();
    Chip of_toggle;
    of_toggle.key = "chip.toggle";
    of_toggle.label = on ? label : "+ " + label;
    of_toggle.tooltip = text["field." + toggle + ".help"];
    of_toggle.dashed_outline = !on;
    of_toggle.closable = on;
    chips.push_back(of_toggle);
  }
  return chips;
}

/// Returns places from left to right in rows, each chip at most this wide.
std::vector<Rect> wrapped_chips(const Ui& ui, const std::vector<Chip>& chips, const Rect& room, double most) {
  std::vector<double> widths;
  for (const Chip& chip : chips) widths.push_back(std::min<double>(chip_width(ui, chip), most));
  return places_in_rows(room, widths, ui.px(kChipRowHeight), ui.px(kChipRowGap));
}

std::vector<Rect> places_of_chips(const Ui& ui, const std::vector<Chip>& chips, const Rect& room) {
  const double gap = ui.px(kChipRowGap), row = ui.px(kChipRowHeight) + gap;
  std::vector<Rect> places;
  for (int count = 1; count <= kMaxChipsPerRow; ++count) {
    places = wrapped_chips(ui, chips, room, (room.width - gap * (count - 1)) / count - 0.5);
    if (places.back().top - room.top < (kMaxChipRows - 0.5) * row) break;
  }
  return places;
}

void toggle_hidden(std::vector<std::string>& hidden, const std::string& key) {
  if (std::erase(hidden, key) == 0) hidden.push_back(key);
}

/// Returns the pinned chip under the mouse; nullopt elsewhere.
std::optional<std::size_t> pin_under_mouse(const std::vector<Rect>& places, std::size_t pins) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (std::size_t i = 0; i < pins; ++i) {
    if (places[i + 1].contains({static_cast<double>(mouse.x), static_cast<double>(mouse.y)})) return i;
  }
  return std::nullopt;
}

/// Moves the dragged chip to the place of the one under the mouse.
void drag_chip(App& app, const std::vector<Rect>& places, Experiment& edited) {
  ChipDrag& drag = app.chip_drag;
  if (!drag.pin) return;
  const auto target = pin_under_mouse(places, edited.pins.size());
  if (!target || *target == *drag.pin) return;
  move_pin(edited, *drag.pin, *target);
  drag.pin = target;
  drag.moved = true;
}

}  // namespace

CardsPlace cards_place(App& app, const Rect& room) {
  const Cards cards = cards_of(app.result);
  if (cards.empty()) return {};
  CardsRoom& kept = app.cards_room;
  const std::string& view = app.result_of ? app.result_of->view : kept.view;
  if (kept.view != view) kept = {.view = view};
  kept.most = std::max(kept.most, cards.size());
  kept.actions = kept.actions || any_action(cards);
  const bool lecture = app.lesson && app.lesson->room;
  const double count = static_cast<double>(lecture ? cards.size() : kept.most), gap = app.ui.px(kCardGap);
  keep_card_text(app, cards, room.width);
  const double width = (room.width + gap) / count - gap, height = card_height(app.ui, kept.text, kept.actions);
  // If space is very short, the plot has priority over the words; in a lecture each row of figures gets at least a
  // third of the window.
  const std::vector<Panel>& panels = app.result.panels;
  std::vector<double> rows;
  for (const Panel& panel : panels) {
    if (!panel.beside || rows.empty()) rows.push_back(kLectureRow * static_cast<double>(ImGui::GetIO().DisplaySize.y));
    // Text lines one below the other in a figure, its title and the names of its axis.
    const double words = kLectureLine * panel.figure.least_lines + kLectureAround;
    if (panel.figure.least_lines > 0) rows.back() = std::max<double>(rows.back(), app.ui.px(words));
  }
  const double plots = lecture ? std::accumulate(rows.begin(), rows.end(), 0.0) : 2 * height;
  const bool full = room.height > plots + height && width >= app.ui.px(lecture ? kLectureCard : kNarrowest);
  return {full ? height : app.ui.px(kNumberRowHeight), !full};
}

void draw_cards(App& app, const Rect& rect, const CardsPlace& place, Experiment& edited) {
  const std::size_t count = cards_of(app.result).size();
  if (count == 0) return;
  if (!place.folded) {
    app.cards_open = false;
    draw_card_row(app, rect, 0, count, app.cards_room.text, edited);
    return;
  }
  draw_numbers(app, rect);
}

void draw_whole_card(App& app, const Rect& area, Experiment& edited) {
  constexpr double kWidth = 460, kPad = 14;
  constexpr const char* kPopup = "card.whole";
  Ui& ui = app.ui;
  const bool asked = !app.whole_card.empty();
  if (asked) {
    ui.state.whole_card = std::exchange(app.whole_card, {});
    ImGui::OpenPopup(kPopup);
  }
  if (!ImGui::IsPopupOpen(kPopup)) return;
  const auto& readouts = app.result.readouts;
  const auto found = std::find_if(readouts.begin(), readouts.end(),
                                  [&](const Readout& each) { return each.name == ui.state.whole_card; });
  const Rect* card = app.record.find("card." + ui.state.whole_card);
  const double width = std::min<double>(ui.px(kWidth), area.width - 2 * static_cast<double>(ui.px(kCardGap)));
  // Its bottom is at the top of the card, or as low as fits.
  const double middle = card ? card->left + card->width / 2 : area.left + area.width / 2;
  const double left = std::clamp(middle - width / 2, area.left, std::max(area.left, area.right() - width));
  const double foot =
      card ? std::max(card->top - static_cast<double>(ui.px(6)), area.top + 0.5 * area.height) : area.bottom();
  ImGui::SetNextWindowPos(point(left, foot), ImGuiCond_Always, {0, 1});
  ImGui::SetNextWindowSizeConstraints(point(width, 0), point(width, foot - area.top));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui.px(kPad), ui.px(kPad)});
  if (ImGui::BeginPopup(kPopup)) {
    const double room = width - 2 * static_cast<double>(ui.px(kPad)) - static_cast<double>(ui.px(kPad));
    if (found == readouts.end()) {
      ImGui::CloseCurrentPopup();
    } else {
      draw_whole(ui, *found, room);
      const std::string to_copy = found->name + ".write.";
      for (const Readout& each : readouts) {
        if (each.name.starts_with(to_copy)) draw_to_copy(app, each, room);
      }
      draw_plot_over(app, *found, edited);
    }
    const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
    app.record.add(kPopup, rect_at(at, static_cast<double>(size.x), static_cast<double>(size.y)));
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

void draw_card_sheet(App& app, const Rect& area, Experiment& edited) {
  if (app.cards_open && !cards_of(app.result).empty()) draw_all_cards(app, area, edited);
}

double draw_chips(App& app, const Rect& room, Experiment& edited) {
  const std::vector<Chip> chips = chips_of(app, edited);
  const std::vector<Rect> places = places_of_chips(app.ui, chips, room);
  const std::size_t with_curve = edited.pins.size() + 1;
  std::optional<std::size_t> close;
  bool toggled = false;
  for (std::size_t i = 0; i < chips.size(); ++i) {
    ImGui::SetCursorScreenPos(top_left(places[i]));
    const ChipClick click = chip(app.ui, chips[i], static_cast<float>(places[i].width));
    const bool pinned = i >= 1 && i < with_curve;
    if (click == ChipClick::close && i < with_curve) close = i - 1;
    if (i > with_curve && (click == ChipClick::close || click == ChipClick::body)) toggled = true;
    if (click == ChipClick::held && pinned && !app.chip_drag.pin) app.chip_drag = {i - 1, false};
    if (click == ChipClick::menu && i < with_curve) {
      app.chip_menu = pinned ? std::optional(i - 1) : std::nullopt;
      ImGui::OpenPopup("chip.menu");
    }
    const bool body = click == ChipClick::body && !app.chip_drag.moved;
    if (body && i < with_curve) toggle_hidden(edited.hidden, chips[i].key.substr(5));
    if (body && i == with_curve) app.pin_requested = true;
  }
  drag_chip(app, places, edited);
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) app.chip_drag = {};
  if (close) remove_pin(edited, *close);
  if (toggled) {
    std::optional<Field> toggle = find_field(edited, find_view(edited.view).toggle_chip);
    toggle->as<bool>() = !toggle->as<bool>();
  }
  draw_chip_menu(app, edited);
  if (app.pin_requested) pin_current(app, edited);
  app.pin_requested = false;
  return places.back().bottom() - room.top;
}

}  // namespace ropescope::ui
