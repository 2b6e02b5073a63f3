#include <imgui.h>

#include <utility>

#include "app/experiment/facets.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/shell.h"
#include "app/ui/style.h"

namespace ropescope::ui {

void draw_knob_menu(App& app, Experiment& edited) {
  WidgetState& state = app.ui.state;
  Experiment faceted = edited;
  toggle_facet(faceted, state.menu_key);
  // A path, a file or a text of one's own has no values to go through.
  const bool possible = faceted.facet != edited.facet;
  if (std::exchange(state.menu_asked, false) && possible) ImGui::OpenPopup("knob.menu");
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {app.ui.px(8), app.ui.px(8)});
  if (ImGui::BeginPopup("knob.menu")) {
    const bool more =
        faceted.facet.across.size() + faceted.facet.down.size() > edited.facet.across.size() + edited.facet.down.size();
    if (ImGui::MenuItem(app.text[more ? "shell.knob_menu.facet" : "shell.knob_menu.no_facet"].c_str())) {
      edited.facet = faceted.facet;
    }
    app.record.add("knob.menu.facet", last_item_rect());
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

}  // namespace ropescope::ui
