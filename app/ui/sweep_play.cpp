#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/experiment/partial_fields.h"
#include "app/experiment/sweep.h"
#include "app/figure/number_text.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/shell.h"
#include "app/ui/style.h"

namespace ropescope::ui {

namespace {

constexpr double kSweepPlayLongestFrame = 0.1;  ///< seconds: after a pause of the whole program it goes on where it was
constexpr double kSpeeds[] = {2, 5, 10, 20, 60};

/// The number of one key among the controls of a view.
class ControlReader : public PartialFields {
 public:
  explicit ControlReader(std::string_view key) : key_(key) {}
  bool shown = false;
  double value = 0, fraction = 0;
  void number(const NumberField& field, double& number) override {
    if (field.key != key_) return;
    shown = field.control;
    value = number;
    fraction = slider_fraction(field, number);
  }

 private:
  std::string_view key_;
};

ControlReader read_control(const Experiment& experiment, const std::string& key) {
  ControlReader reader(key);
  Experiment read = experiment;
  find_view(experiment.view).describe(reader, read);
  return reader;
}

}  // namespace

void play_sweep(App& app, double seconds) {
  KnobSweep& sweep = app.ui.sweep;
  if (sweep.key.empty()) return;
  Experiment next = app.history.current();
  const ControlReader knob = read_control(next, sweep.key);
  const bool started = std::exchange(sweep.started, false);
  // Somebody else has moved it (by hand, by undo, by another file), or the view has no such knob.
  if (!knob.shown || (!started && knob.value != sweep.value)) return sweep.end();
  if (started) {
    sweep.phase = knob.fraction / 2;
    sweep.value = knob.value;
  }
  if (sweep.held) return;
  sweep.phase += std::min(seconds, kSweepPlayLongestFrame) / (2 * app.settings.sweep_seconds);
  sweep.phase -= std::floor(sweep.phase);
  const Experiment before = next;
  apply_sweep(next, slider_sweep(next, sweep.key), there_and_back(sweep.phase));
  const View& view = find_view(next.view);
  if (view.settle) view.settle(before, next);
  clamp(next);
  app.history.amend(next);
  sweep.value = read_control(next, sweep.key).value;
  app.animated = true;
}

void draw_sweep_popup(App& app) {
  if (!std::exchange(app.ui.sweep.speed_of, {}).empty()) ImGui::OpenPopup("sweep.speed");
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {app.ui.px(8), app.ui.px(8)});
  if (ImGui::BeginPopup("sweep.speed")) {
    ImGui::TextUnformatted(app.text["shell.sweep.speed"].c_str());
    for (const double seconds : kSpeeds) {
      const std::string number = shortest_number(seconds);
      const bool chosen = app.settings.sweep_seconds == seconds;
      if (ImGui::MenuItem(app.text.format("shell.sweep.seconds", {{"seconds", number}}).c_str(), nullptr, chosen)) {
        app.settings.sweep_seconds = seconds;
      }
      app.record.add("sweep.seconds." + number, last_item_rect());
    }
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

}  // namespace ropescope::ui
