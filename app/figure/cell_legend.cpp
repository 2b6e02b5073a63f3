#include "app/figure/cell_legend.h"

#include <set>
#include <string>

#include "app/figure/scene_parts.h"

namespace ropescope {

double add_cell_legend(Scene& scene, const std::vector<Panel>& panels, const Rect& room, const Palette& palette,
                       const FigureOptions& options, const MeasureText& measure) {
  std::vector<LegendEntry> entries;
  std::set<std::string> seen;
  for (const Panel& panel : panels) {
    if (!panel.figure.legend) continue;
    for (const Line& line : panel.figure.lines) {
      if (line.in_legend && seen.insert(line.key).second) entries.push_back({line.label, line.style, false});
    }
  }
  return entries.empty() ? 0 : add_legend_rows(scene, entries, room, palette, options, measure);
}

}  // namespace ropescope
