#include <imgui.h>

#include <algorithm>

#include "app/experiment/facets.h"
#include "app/ui/pins.h"
#include "app/ui/shell.h"
#include "app/ui/style.h"

namespace ropescope::ui {

namespace {

constexpr double kChipsHeight = 30, kChipsGap = 8;
/// More rows would take the place of the plot: labels are shortened instead, as long as so many stand side by side.
constexpr int kChipsMostRows = 3, kMostInARow = 4;

/// The chips in order: current, pinned ones, "pin this".
std::vector<Chip> chips_of(const App& app, const Experiment& given) {
  const Experiment experiment = at_shown_length(find_view(given.view), given);
  const Text& text = *app.ui.text;
  std::vector<Chip> chips;
  const bool dimension = labels_need_dimension(experiment);
  const auto add = [&](const std::string& key, const std::string& label, int slot) {
    Chip chip;
    chip.key = "chip." + key;
    chip.label = label;
    chip.tooltip = text[key == "current" ? "shell.tip.chip" : "shell.tip.pinned_chip"];
    chip.sample = stroke_of(app.ui.palette, {slot, false});
    chip.closable = key != "current";
    chip.dimmed = is_hidden(experiment, key);
    chips.push_back(chip);
  };
  const bool several = facets_change_rope(experiment);
  add("current", several ? text["view.facets.own"] : rope_label(experiment.rope, text, dimension), 0);
  for (std::size_t i = 0; i < experiment.pins.size(); ++i) {
    const Pin& pin = experiment.pins[i];
    add(pin_key(i), pin_label(pin, text, dimension), pin.slot);
  }
  Chip chip;
  chip.key = "chip.pin";
  chip.label = text["shell.pin"];
  chip.tooltip = text["shell.tip.pin"];
  chip.dashed_outline = true;
  chip.dimmed = experiment.pins.size() >= kMaximumPins;
  chips.push_back(chip);
  return chips;
}

/// Places from left to right in rows, each chip at most this wide.
std::vector<Rect> wrapped_chips(const Ui& ui, const std::vector<Chip>& chips, const Rect& room, double most) {
  const double gap = ui.px(kChipsGap), height = ui.px(kChipsHeight);
  std::vector<Rect> places;
  double x = room.left, y = room.top;
  for (const Chip& chip : chips) {
    const double width = std::min<double>(chip_width(ui, chip), most);
    if (x > room.left && x + width > room.right()) {
      x = room.left;
      y += height + gap;
    }
    places.push_back({x, y, width, height});
    x += width + gap;
  }
  return places;
}

std::vector<Rect> places_of_chips(const Ui& ui, const std::vector<Chip>& chips, const Rect& room) {
  const double gap = ui.px(kChipsGap), row = ui.px(kChipsHeight) + gap;
  std::vector<Rect> places;
  for (int count = 1; count <= kMostInARow; ++count) {
    places = wrapped_chips(ui, chips, room, (room.width - gap * (count - 1)) / count - 0.5);
    if (places.back().top - room.top < (kChipsMostRows - 0.5) * row) break;
  }
  return places;
}

void toggle_hidden(std::vector<std::string>& hidden, const std::string& key) {
  if (std::erase(hidden, key) == 0) hidden.push_back(key);
}

/// Where the mouse is, of the places of pinned chips; nothing elsewhere.
std::optional<std::size_t> pin_under_mouse(const std::vector<Rect>& places, std::size_t pins) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (std::size_t i = 0; i < pins; ++i) {
    if (places[i + 1].contains({static_cast<double>(mouse.x), static_cast<double>(mouse.y)})) return i;
  }
  return std::nullopt;
}

/// The chip in the hand takes the place of the one under the mouse.
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

double draw_chips(App& app, const Rect& room, Experiment& edited) {
  const std::vector<Chip> chips = chips_of(app, edited);
  const std::vector<Rect> places = places_of_chips(app.ui, chips, room);
  const std::size_t with_curve = edited.pins.size() + 1;
  std::optional<std::size_t> close;
  for (std::size_t i = 0; i < chips.size(); ++i) {
    ImGui::SetCursorScreenPos(top_left(places[i]));
    const ChipClick click = chip(app.ui, chips[i], static_cast<float>(places[i].width));
    const bool pinned = i >= 1 && i < with_curve;
    if (click == ChipClick::close) close = i - 1;
    if (click == ChipClick::held && pinned && !app.chip_drag.pin) app.chip_drag = {i - 1, false};
    if (click == ChipClick::menu && pinned) {
      app.chip_menu = i - 1;
      ImGui::OpenPopup("chip.menu");
    }
    const bool body = click == ChipClick::body && !app.chip_drag.moved;
    if (body && i < with_curve) toggle_hidden(edited.hidden, chips[i].key.substr(5));
    if (body && i >= with_curve) app.pin_requested = true;
  }
  drag_chip(app, places, edited);
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) app.chip_drag = {};
  if (close) remove_pin(edited, *close);
  draw_chip_menu(app, edited);
  if (app.pin_requested) pin_current(app, edited);
  app.pin_requested = false;
  return places.back().bottom() - room.top;
}

}  // namespace ropescope::ui
