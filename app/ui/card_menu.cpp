#include <imgui.h>

#include <algorithm>
#include <vector>

#include "app/experiment/partial_fields.h"
#include "app/figure/number_text.h"
#include "app/ui/shell.h"
#include "app/ui/style.h"
#include "app/views/shared/readouts.h"

namespace ropescope::ui {

namespace {

constexpr std::size_t kMostKnobs = 6;
/// How far a knob on a logarithmic slider goes to either side.
constexpr double kCardMenuFactor = 10;

/// The numbers that have a control, and where a sweep of each goes.
class Sweepable : public PartialFields {
 public:
  struct Knob {
    std::string key, over;
  };
  std::vector<Knob> knobs;
  void number(const NumberField& field, double& value) override {
    if (!field.control) return;
    double low = field.minimum, high = field.maximum;
    if (field.logarithmic && value > 0) {
      low = clamp_to(field, value / kCardMenuFactor);
      high = clamp_to(field, value * kCardMenuFactor);
    }
    if (low == high) return;
    const std::string key(field.key);
    knobs.push_back({key, key + "=" + shortest_number(low) + ".." + shortest_number(high)});
  }
};

/// What most questions are about first.
std::vector<Sweepable::Knob> knobs_to_sweep(const View& view, const Experiment& experiment) {
  Sweepable sweepable;
  Experiment read = experiment;
  view.describe(sweepable, read);
  std::vector<Sweepable::Knob>& knobs = sweepable.knobs;
  std::stable_partition(knobs.begin(), knobs.end(), [](const Sweepable::Knob& knob) {
    return knob.key == "rope.base" || knob.key == "rope.rotary_dim";
  });
  if (knobs.size() > kMostKnobs) knobs.resize(kMostKnobs);
  return knobs;
}

}  // namespace

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
  for (const Sweepable::Knob& knob : knobs_to_sweep(view, edited)) {
    const std::string label = app.text["field." + knob.key + ".label"];
    const float width = button_width(ui, label);
    if (left > 0 && left + gap + width <= room) {
      ImGui::SameLine(0, gap);
      left += gap + width;
    } else {
      left = width;
    }
    if (!button(ui, "card.over." + knob.key, label)) continue;
    edited.sweep = {};
    edited.sweep.readout = readout.name;
    edited.sweep.over = knob.over;
    edited.view = "sweep";
    ImGui::CloseCurrentPopup();
  }
}

}  // namespace ropescope::ui
