#include <imgui.h>

#include <vector>

#include "app/ui/imgui_compat.h"
#include "app/ui/shell.h"
#include "app/ui/style.h"

namespace ropescope::ui {

namespace {

struct PlayerButton {
  const char* key;
  std::string label;
  bool enabled;
};

}  // namespace

double draw_player(App& app, const Rect& row, Experiment& edited) {
  const Player* player = player_of(edited);
  if (!player) return row.right();
  const Text& text = *app.ui.text;
  const bool playing = player->playing(edited);
  std::vector<PlayerButton> buttons = {
      {"player.back", text["shell.step_back"], !playing},
      {"player.play", text[playing ? "shell.pause" : "shell.play"], true},
      {"player.step", text["shell.step"], !playing},
  };
  if (!player->goes_back) buttons.erase(buttons.begin());
  const double gap = app.ui.px(6);
  double left = row.right() + gap;
  for (const PlayerButton& each : buttons) left -= static_cast<double>(button_width(app.ui, each.label)) + gap;
  double x = left;
  for (const PlayerButton& each : buttons) {
    ImGui::SetCursorScreenPos(point(x, row.top));
    const bool pressed =
        button(app.ui, each.key, each.label, each.enabled, text["shell.tip." + std::string(each.key).substr(7)]);
    if (pressed && each.key == std::string_view("player.play")) player->play(edited, !playing);
    if (pressed && each.key == std::string_view("player.step")) player->step(edited, 1);
    if (pressed && each.key == std::string_view("player.back")) player->step(edited, -1);
    x += static_cast<double>(button_width(app.ui, each.label)) + gap;
  }
  return left;
}

}  // namespace ropescope::ui
