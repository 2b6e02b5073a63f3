#include <algorithm>

#include "app/ui/shell.h"
#include "app/ui/style.h"

namespace ropescope::ui {

namespace {

constexpr double kHeight = 30, kGap = 8;
/// More rows would take the place of the plot: labels are shortened instead, as long as so many stand side by side.
constexpr int kMostRows = 3, kMostInARow = 4;

/// The chips in order: current, pinned ones, "pin this".
std::vector<Chip> chips_of(const App& app, const Experiment& experiment) {
  const Text& text = *app.ui.text;
  std::vector<Chip> chips;
  const auto add = [&](const std::string& key, const RopeKnobs& rope, int slot) {
    Chip chip;
    chip.key = "chip." + key;
    chip.label = rope_label(rope, text, labels_need_dimension(experiment));
    chip.tooltip = text["shell.tip.chip"];
    chip.sample = stroke_of(app.ui.palette, {slot, false});
    chip.closable = key != "current";
    chip.dimmed = is_hidden(experiment, key);
    chips.push_back(chip);
  };
  add("current", experiment.rope, 0);
  for (std::size_t i = 0; i < experiment.pins.size(); ++i) {
    add("pin" + std::to_string(i + 1), experiment.pins[i].rope, experiment.pins[i].slot);
  }
  if (experiment.pins.size() < kMaximumPins) {
    Chip chip;
    chip.key = "chip.pin";
    chip.label = text["shell.pin"];
    chip.tooltip = text["shell.tip.pin"];
    chip.dashed_outline = true;
    chips.push_back(chip);
  }
  return chips;
}

/// Places from left to right in rows, each chip at most this wide.
std::vector<Rect> wrapped_chips(const Ui& ui, const std::vector<Chip>& chips, const Rect& room, double most) {
  const double gap = ui.px(kGap), height = ui.px(kHeight);
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

std::vector<Rect> places_of(const Ui& ui, const std::vector<Chip>& chips, const Rect& room) {
  const double gap = ui.px(kGap), row = ui.px(kHeight) + gap;
  std::vector<Rect> places;
  for (int count = 1; count <= kMostInARow; ++count) {
    places = wrapped_chips(ui, chips, room, (room.width - gap * (count - 1)) / count - 0.5);
    if (places.back().top - room.top < (kMostRows - 0.5) * row) break;
  }
  return places;
}

void toggle_hidden(std::vector<std::string>& hidden, const std::string& key) {
  if (std::erase(hidden, key) == 0) hidden.push_back(key);
}

/// The keys of the pins after a removed one move up by one; so must those that are hidden.
void remove_pin(Experiment& experiment, std::size_t index) {
  auto& hidden = experiment.hidden;
  std::erase(hidden, "pin" + std::to_string(index + 1));
  for (std::size_t i = index + 1; i < experiment.pins.size(); ++i) {
    std::replace(hidden.begin(), hidden.end(), "pin" + std::to_string(i + 1), "pin" + std::to_string(i));
  }
  experiment.pins.erase(experiment.pins.begin() + static_cast<std::ptrdiff_t>(index));
}

}  // namespace

double draw_chips(App& app, const Rect& room, Experiment& edited) {
  const std::vector<Chip> chips = chips_of(app, edited);
  const std::vector<Rect> places = places_of(app.ui, chips, room);
  const std::size_t with_curve = edited.pins.size() + 1;
  std::optional<std::size_t> close;
  for (std::size_t i = 0; i < chips.size(); ++i) {
    ImGui::SetCursorScreenPos(top_left(places[i]));
    const ChipClick click = chip(app.ui, chips[i], static_cast<float>(places[i].width));
    if (click == ChipClick::close) close = i - 1;
    if (click == ChipClick::body && i < with_curve) toggle_hidden(edited.hidden, chips[i].key.substr(5));
    if (click == ChipClick::body && i >= with_curve) app.pin_requested = true;
  }
  if (close) remove_pin(edited, *close);
  if (app.pin_requested) pin_current(app, edited);
  app.pin_requested = false;
  return places.back().bottom() - room.top;
}

}  // namespace ropescope::ui
