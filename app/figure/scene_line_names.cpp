#include <cmath>
#include <optional>

#include "app/figure/scene_placer.h"

namespace ropescope {

namespace {

constexpr double kSceneLineNamesGap = 0.2;  ///< ems between a line and its name
constexpr int kSceneLineNamesSteps = 24;    ///< places tried along the line, each half as far as the plot is wide

/// At the label's own x, else as near to it as the name hides nothing: over its line, else under it.
void add_line_name(Placer& placer, const Label& label, std::size_t line, const CurveSamples& curves) {
  const SceneContext& context = placer.context;
  const Rect& plot = context.frame.plot;
  const Vec2 size = context.measure(label.text, context.text_style());
  const double gap = kSceneLineNamesGap * context.options.text_size, wanted = context.frame.x.to_pixel(label.x);
  std::optional<Rect> best;
  int least = 0;
  for (int step = 0; step <= 2 * kSceneLineNamesSteps; ++step) {
    const double away = (step % 2 == 0 ? 1 : -1) * ((step + 1) / 2) * plot.width / (2.0 * kSceneLineNamesSteps);
    const double left = wanted + away - size.x / 2;
    const LineExtent extent = extent_of(context.frame, *context.figure.lines[line].series, left, left + size.x);
    if (std::isnan(extent.top) || left < plot.left) continue;
    for (const double top : {extent.top - gap - size.y, extent.bottom + gap}) {
      const Rect box{left, top, size.x, size.y};
      if (!placer.is_free(box)) continue;
      const int hidden = curves.hidden_by(box, line);
      if (best && hidden >= least) continue;
      best = box;
      least = hidden;
      if (least == 0) return placer.place(box, label.text, ink_of(context, label.role, label.style));
    }
  }
  if (best) placer.place(*best, label.text, ink_of(context, label.role, label.style));
}

}  // namespace

std::size_t line_named_by(const Label& label, const Figure& figure) {
  std::size_t i = 0;
  for (; label.role == Role::curve && i < figure.lines.size(); ++i) {
    const Line& line = figure.lines[i];
    if (line.style.slot != label.style.slot || !line.series || line.series->ys.empty()) continue;
    if (line.series->ys[nearest_index(*line.series, label.x)] == label.y) return i;
  }
  return figure.lines.size();
}

void add_line_names(Placer& placer, const CurveSamples& curves) {
  const Figure& figure = placer.context.figure;
  for (const Label& label : figure.labels) {
    const std::size_t line = line_named_by(label, figure);
    if (line < figure.lines.size() && !label.text.empty()) add_line_name(placer, label, line, curves);
  }
}

}  // namespace ropescope
