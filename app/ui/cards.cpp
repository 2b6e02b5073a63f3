#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "app/ui/imgui_compat.h"
#include "app/ui/shell.h"
#include "app/ui/style.h"

namespace ropescope::ui {

namespace {

// Measures at 100 %. A card holds two lines of words; a narrow one three.
constexpr double kCardsGap = 12, kCard = 108, kTallCard = 132, kNarrowCard = 236, kCardAction = 40;
constexpr double kNarrowest = 130;  ///< below this width a number has no room
/// One row of numbers: label over number.
constexpr double kCardsRow = 46, kCardsRowPadding = 12, kRowLabel = 14, kRowNumber = 31, kMoreWidth = 26;
constexpr double kSheetPadding = 12, kSheetShare = 0.92;

/// What has a card.
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

double card_height(const Ui& ui, bool actions, double width) {
  return ui.px((width < ui.px(kNarrowCard) ? kTallCard : kCard) + (actions ? kCardAction : 0));
}

/// Cards side by side by their shares, `count` from `first` on.
void draw_row_cards(App& app, const Rect& rect, std::size_t first, std::size_t count, Experiment& edited) {
  const Cards cards = cards_of(app.result);
  const View& view = find_view(edited.view);
  const double gap = app.ui.px(kCardsGap), room = rect.width - gap * (static_cast<double>(count) - 1);
  double left = rect.left, shares = 0;
  for (std::size_t i = first; i < first + count; ++i) shares += cards[i]->width_share;
  for (std::size_t i = first; i < first + count; ++i) {
    const Readout& readout = *cards[i];
    const double width = room * readout.width_share / shares;
    ImGui::SetCursorScreenPos(point(left, rect.top));
    const CardPress press =
        card(app.ui, readout, static_cast<float>(width), static_cast<float>(rect.height), app.cards_room.actions);
    if (press == CardPress::action && view.act) view.act(edited, readout.action->key);
    if (press == CardPress::body) app.whole_card = readout.name;
    left += width + gap;
  }
}

/// What the numbers of a row need, as many as there is room for: where that is short, labels are set smaller.
std::vector<double> number_widths(const Ui& ui, const Cards& cards, double room) {
  const double around = ui.px(2 * kCardsRowPadding);
  std::vector<double> whole, least;
  double sum = 0;
  for (const Readout* readout : cards) {
    const double number = text_width(ui.fonts.semibold, readout->text),
                 label = text_width(ui.fonts.label, readout->label);
    whole.push_back(std::max(number, label) + around);
    least.push_back(std::max(number, (kSmallestShare + 0.01) * label) + around);
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

/// Label over number, as many as there is room for; a press anywhere unfolds all cards.
void draw_numbers(App& app, const Rect& rect) {
  Ui& ui = app.ui;
  Cards cards = cards_of(app.result);
  // What a lesson points to is not left over.
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
    const double width = widths[i] + spare, at = left + static_cast<double>(ui.px(kCardsRowPadding));
    const double words = width - static_cast<double>(ui.px(2 * kCardsRowPadding));
    draw_line_within({ui.fonts.label, ui.palette.secondary, at, rect.top + static_cast<double>(ui.px(kRowLabel))},
                     words, 0, cards[i]->label);
    draw_line_within({ui.fonts.semibold, ui.palette.text, at, rect.top + static_cast<double>(ui.px(kRowNumber))}, words,
                     0, cards[i]->text);
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

/// All cards over the figures, as many side by side as are readable, and the status line under them.
void draw_sheet_cards(App& app, const Rect& area, Experiment& edited) {
  Ui& ui = app.ui;
  const std::size_t count = cards_of(app.result).size();
  const double pad = ui.px(kSheetPadding), gap = ui.px(kCardsGap), inside = area.width - 2 * pad;
  const auto columns = std::clamp<std::size_t>(
      static_cast<std::size_t>((inside + gap) / (static_cast<double>(ui.px(kNarrowest + 40)) + gap)), 1, count);
  const std::size_t rows = (count + columns - 1) / columns;
  const double width = (inside + gap) / static_cast<double>(columns) - gap;
  const double height = card_height(ui, app.cards_room.actions, width), foot = ui.px(34);
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
    draw_row_cards(app, {left, top, inside, height}, first, std::min(columns, count - first), edited);
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

/// A readout that is to be copied: what it is, its first lines, and the button.
void draw_to_copy(App& app, const Readout& readout, double room) {
  constexpr std::size_t kMostLines = 12;
  Ui& ui = app.ui;
  ImGui::Dummy({1, ui.px(4)});
  ImGui::PushFont(ui.fonts.semibold);
  wrapped_text(readout.label, room);
  ImGui::PopFont();
  std::string shown = readout.text;
  std::size_t end = 0;
  for (std::size_t line = 0; line < kMostLines && end != std::string::npos; ++line) {
    end = shown.find('\n', end + (line > 0 ? 1 : 0));
  }
  if (end != std::string::npos) shown = shown.substr(0, end) + "\n…";
  ImGui::PushFont(ui.fonts.small);
  wrapped_text(shown, room);
  ImGui::PopFont();
  if (button(ui, "copy." + readout.name, app.text["shell.copy"])) app.requests.clipboard_text = readout.text;
}

/// Every word of a card, one under the other.
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

}  // namespace

CardsPlace cards_place(App& app, const Rect& room) {
  const Cards cards = cards_of(app.result);
  if (cards.empty()) return {};
  CardsRoom& kept = app.cards_room;
  const std::string& view = app.result_of ? app.result_of->view : kept.view;
  if (kept.view != view) kept = {view, 0, false};
  kept.most = std::max(kept.most, cards.size());
  kept.actions = kept.actions || any_action(cards);
  const double count = static_cast<double>(kept.most), gap = app.ui.px(kCardsGap);
  const double width = (room.width + gap) / count - gap, height = card_height(app.ui, kept.actions, width);
  // Where there is hardly any room, the plot is worth more than the words.
  const bool full = room.height > 3 * height && width >= app.ui.px(kNarrowest);
  return {full ? height : app.ui.px(kCardsRow), !full};
}

void draw_cards(App& app, const Rect& rect, const CardsPlace& place, Experiment& edited) {
  const std::size_t count = cards_of(app.result).size();
  if (count == 0) return;
  if (!place.folded) {
    app.cards_open = false;
    draw_row_cards(app, rect, 0, count, edited);
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
  const double width = std::min<double>(ui.px(kWidth), area.width - 2 * static_cast<double>(ui.px(kCardsGap)));
  // Its foot stands on the head of the card, or as low as there is room.
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
  if (app.cards_open && !cards_of(app.result).empty()) draw_sheet_cards(app, area, edited);
}

}  // namespace ropescope::ui
