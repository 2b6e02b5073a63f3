#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figure/scene_parts.h"
#include "app/figure/trace.h"

namespace ropescope {

namespace {

constexpr double kBandAlpha = 0.22;

/// What a line is drawn with, and where it may be drawn.
struct SceneCurvesPen {
  const SceneContext& context;
  Stroke stroke;
  double width;
  Rect room;  ///< the plot and as much around it as a stroke needs
};

SceneCurvesPen pen_of(const SceneContext& context, const LineStyle& style) {
  const double width = context.options.line_width * (style.faint ? 0.6 : 1);
  const Rect& plot = context.frame.plot;
  const double margin = 4 * width;
  return {context,
          stroke_of(context.palette, style),
          width,
          {plot.left - margin, plot.top - margin, plot.width + 2 * margin, plot.height + 2 * margin}};
}

void add_band(Scene& scene, const std::vector<TraceVertex>& piece, const SceneCurvesPen& pen) {
  const AxisMap& y = pen.context.frame.y;
  BandItem band;
  band.colour = pen.stroke.colour;
  band.colour.alpha = static_cast<std::uint8_t>(std::lround(band.colour.alpha * kBandAlpha));
  const auto add = [&](double x, double top, double bottom) {
    band.xs.push_back(x);
    if (y.high > y.low) std::swap(top, bottom);  // reversed: the maximum is below
    band.tops.push_back(std::clamp(top, pen.room.top, pen.room.bottom()));
    band.bottoms.push_back(std::clamp(bottom, pen.room.top, pen.room.bottom()));
  };
  const auto finish = [&] {
    if (band.xs.size() == 1) {
      // One column between two gaps: as wide as the column.
      const double x = band.xs[0], half = pen.context.options.column / 2, top = band.tops[0], bottom = band.bottoms[0];
      band.xs[0] = x - half;
      add(x + half, top, bottom);
    }
    if (!band.xs.empty()) scene.items.push_back(band);
    band.xs.clear();
    band.tops.clear();
    band.bottoms.clear();
  };
  const auto is_dense = [&](std::size_t i) { return i < piece.size() && piece[i].minimum < piece[i].maximum; };
  for (std::size_t i = 0; i < piece.size(); ++i) {
    const TraceVertex& vertex = piece[i];
    const double top = y.to_pixel(vertex.maximum);
    if (std::isnan(top) || !(is_dense(i) || is_dense(i + 1) || (i > 0 && is_dense(i - 1)))) {
      finish();
      continue;
    }
    // A log axis has no place for a minimum ≤ 0: the band goes on beyond the plot.
    const double bottom = y.to_pixel(vertex.minimum), end = y.high > y.low ? pen.room.top : pen.room.bottom();
    add(std::clamp(vertex.x, pen.room.left, pen.room.right()), top, std::isnan(bottom) ? end : bottom);
  }
  finish();
}

void add_mean(Scene& scene, const std::vector<TraceVertex>& piece, const SceneCurvesPen& pen) {
  const PathItem like{{}, pen.stroke.colour, pen.width, pen.stroke.dash};
  std::vector<Vec2> points;
  const auto finish = [&] {
    if (points.size() == 1 && pen.room.contains(points[0])) {
      scene.items.push_back(DiscItem{points[0], pen.width, pen.stroke.colour});
    }
    add_polyline(scene, points, pen.room, like);
    points.clear();
  };
  for (const TraceVertex& vertex : piece) {
    const double y = pen.context.frame.y.to_pixel(vertex.mean);
    if (std::isfinite(y)) {
      points.push_back({vertex.x, y});
    } else {
      finish();
    }
  }
  finish();
}

void add_rules_scene_curves(Scene& scene, const SceneContext& context) {
  const Rect& plot = context.frame.plot;
  for (const Rule& rule : context.figure.rules) {
    const double at = (rule.vertical ? context.frame.x : context.frame.y).to_pixel(rule.at);
    const Vec2 from = rule.vertical ? Vec2{at, plot.top} : Vec2{plot.left, at};
    const Vec2 to = rule.vertical ? Vec2{at, plot.bottom()} : Vec2{plot.right(), at};
    if (!plot.contains(from) || !plot.contains(to)) continue;
    const Colour colour = rule.role == Role::curve ? stroke_of(context.palette, rule.style).colour
                                                   : colour_of(context.palette, rule.role);
    scene.items.push_back(
        PathItem{{from, to}, colour, context.hairline(), rule.dashed ? Dash::long_dash : Dash::solid});
  }
}

}  // namespace

void add_curves(Scene& scene, const SceneContext& context) {
  const Figure& figure = context.figure;
  scene.items.push_back(ClipItem{context.frame.plot});
  add_rules_scene_curves(scene, context);
  std::vector<std::vector<std::vector<TraceVertex>>> traces;
  for (const Line& line : figure.lines) {
    traces.push_back(line.series ? trace(*line.series, context.frame.x, context.options.column)
                                 : std::vector<std::vector<TraceVertex>>());
  }
  // Last first: the line named first is the one in question and lies on top; lines lie on top of all bands, and those
  // in the colour of text, which run in the midst of others, on top of all lines.
  for (std::size_t i = figure.lines.size(); i-- > 0;) {
    const SceneCurvesPen pen = pen_of(context, figure.lines[i].style);
    for (const auto& piece : traces[i]) add_band(scene, piece, pen);
  }
  for (const bool neutral : {false, true}) {
    for (std::size_t i = figure.lines.size(); i-- > 0;) {
      if ((figure.lines[i].style.slot < 0) != neutral) continue;
      const SceneCurvesPen pen = pen_of(context, figure.lines[i].style);
      for (const auto& piece : traces[i]) add_mean(scene, piece, pen);
    }
  }
  for (const Points& points : figure.points) {
    const SceneCurvesPen pen = pen_of(context, points.style);
    for (std::size_t i = 0; i < std::min(points.xs.size(), points.ys.size()); ++i) {
      const Vec2 at{context.frame.x.to_pixel(points.xs[i]), context.frame.y.to_pixel(points.ys[i])};
      if (pen.room.contains(at)) scene.items.push_back(DiscItem{at, 2 * pen.width, pen.stroke.colour});
    }
  }
  scene.items.push_back(UnclipItem{});
}

}  // namespace ropescope
