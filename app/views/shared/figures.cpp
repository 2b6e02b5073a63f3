// Creates axes with zoomed ranges, marks and cells of maps, and draws the frames of an animation.
//
// Contents: Zoomed ranges; Axes; Marks; Drawings; Maps; Animation.

#include "app/views/shared/figures.h"

#include <algorithm>
#include <utility>

#include "app/experiment/fields.h"
#include "app/experiment/figure_file.h"
#include "app/figure/scene/ticks.h"
#include "app/views/shared/facets.h"
#include "app/views/view.h"
#include "core/message.h"

namespace ropescope {

// --- Zoomed ranges -------------------------------------------------------------------------------------------------

std::optional<Range> zoomed_range(const Experiment& experiment, std::string_view key) {
  const auto field = find_field(experiment, key);
  return field && field->kind == Field::Kind::range ? field->as<std::optional<Range>>() : std::nullopt;
}

// --- Axes ----------------------------------------------------------------------------------------------------------

namespace {

/// Sets the fit; a margin around numbers near the largest double would overflow, so it ends at the drawable limit.
void set_fit(FigureAxis& axis, const Range& fit) {
  const bool finite = std::isfinite(fit.low) && std::isfinite(fit.high);
  axis.fit = finite ? fit : drawable_range(fit, axis.scale);
}

// --- Animation -----------------------------------------------------------------------------------------------------

/// Returns the experiment of a frame, set as by --set. Throws InputError if a value is invalid.
Experiment apply_frame(const Animation& animation, std::size_t frame) {
  const double fraction = fraction_of_frame(frame, animation.frames, animation.there_and_back);
  std::vector<std::string> settings;
  for (const Variation& moved : animation.moved) {
    settings.push_back(assignment_at(animation.experiment, moved, fraction));
  }
  const Experiment experiment = apply_settings_to(animation.experiment, settings);
  const View& view = find_view(experiment.view);
  if (view.check) view.check(experiment);
  return experiment;
}

}  // namespace

Figure named_figure(const std::string& name, const std::string& title) {
  Figure figure;
  figure.name = name;
  figure.title = title;
  return figure;
}

std::shared_ptr<const Series> series_of(const Eigen::VectorXd& numbers, double first) {
  return make_series(first, 1, std::vector<double>(numbers.begin(), numbers.end()));
}

std::shared_ptr<const Series> series_of(const std::vector<float>& numbers, double first) {
  return make_series(first, 1, std::vector<double>(numbers.begin(), numbers.end()));
}

FigureAxis named_axis(const std::string& view, const std::string& name, const Text& text, AxisScale scale,
                      const std::string& kept) {
  const std::string label = "view." + view + "." + name;
  FigureAxis axis;
  axis.name = name;
  if (text.has(label)) axis.label = text[label];
  axis.scale = scale;
  axis.range_key = view + "." + (kept.empty() ? name : kept) + "_range";
  return axis;
}

FigureAxis data_axis(FigureAxis axis, const Range& fit, const Zooms& zooms) {
  set_fit(axis, fit);
  const Range wanted = zooms.find(axis.range_key).value_or(axis.fit);
  axis.range = {std::max(wanted.low, axis.fit.low), std::min(wanted.high, axis.fit.high)};
  if (!(axis.range.low < axis.range.high)) axis.range = axis.fit;
  return axis;
}

FigureAxis value_axis(FigureAxis axis, const Range& fit, const Zooms& zooms) {
  const std::optional<Range> zoomed = zooms.find(axis.range_key);
  return zoomed_value_axis(std::move(axis), fit, zoomed);
}

FigureAxis zoomed_value_axis(FigureAxis axis, const Range& fit, const std::optional<Range>& zoomed) {
  set_fit(axis, fit);
  axis.range = zoomed.value_or(axis.fit);
  if (axis.scale == AxisScale::log && axis.range.low <= 0) {
    axis.range.low = axis.range.high > axis.fit.low ? axis.fit.low : axis.range.high / 10;
  }
  if (!(axis.range.low < axis.range.high)) axis.range = axis.fit;
  return axis;
}

FigureAxis fixed_axis(FigureAxis axis, const Range& range) {
  set_fit(axis, range);
  axis.range = axis.fit;
  axis.range_key.clear();
  return axis;
}

FigureAxis cell_axis(FigureAxis axis, const Range& cells, const Zooms& zooms) {
  axis.whole = true;
  return data_axis(std::move(axis), cells, zooms);
}

FigureAxis distance_axis(FigureAxis axis, double span, const Zooms& zooms) {
  const double first = axis.scale == AxisScale::log ? 1 : 0;
  return cell_axis(std::move(axis), {first, span}, zooms);
}

FigureAxis pair_axis(const std::string& view, std::ptrdiff_t most, const Zooms& zooms, const Text& text) {
  const Range pairs{0, static_cast<double>(std::max<std::ptrdiff_t>(most, 2) - 1)};
  return cell_axis(named_axis(view, "pair", text), pairs, zooms);
}

void include(Range& range, double value) {
  if (!std::isfinite(value)) return;
  range.low = std::min(range.low, value);
  range.high = std::max(range.high, value);
}

Range add_margin(const Range& range, double share, double least) {
  if (!(range.low <= range.high)) return {0, 1};
  double room = std::max(share * (range.high - range.low), least);
  if (!(room > 0)) room = 0.5 * std::max(std::abs(range.high), 1e-3);
  return {range.low - room, range.high + room};
}

Range widened(Range range, const Series& series) {
  const Summary all = summarise(series, 0, series.ys.size());
  if (all.count == 0) return range;
  return {std::min(range.low, all.minimum), std::max(range.high, all.maximum)};
}

Range widened(Range range, const std::vector<Line>& lines) {
  for (const Line& line : lines) range = widened(range, *line.series);
  return range;
}

// --- Marks ---------------------------------------------------------------------------------------------------------

Rule& add_rule(Figure& figure, double at, const std::string& label, Role role, const LineStyle& style) {
  Rule rule;
  rule.at = at;
  rule.label = label;
  rule.role = role;
  rule.style = style;
  figure.rules.push_back(rule);
  return figure.rules.back();
}

Rule& add_level(Figure& figure, double at, const std::string& label, Role role) {
  Rule& rule = add_rule(figure, at, label, role);
  rule.vertical = false;
  return rule;
}

void name_line(Figure& figure, const Line& line, double along, const std::string& words) {
  if (!line.series || line.series->ys.empty()) return;
  const Range& shown = figure.x.range;
  const bool linear = figure.x.scale == AxisScale::linear;
  const double low = std::max(shown.low, 1.0);
  Label label;
  label.x = linear ? shown.low + along * (shown.high - shown.low) : low * std::pow(shown.high / low, along);
  label.y = line.series->ys[nearest_index(*line.series, label.x)];
  label.text = words;
  label.role = Role::curve;
  label.style = {line.style.slot, false};
  if (std::isfinite(label.y)) figure.labels.push_back(std::move(label));
}

void name_lines(Figure& figure, const std::vector<double>& along) {
  for (const Line& line : figure.lines) {
    if (!line.in_legend || line.label.empty()) continue;
    const std::size_t before = figure.labels.size();
    for (const double share : along) {
      if (figure.labels.size() == before) name_line(figure, line, share, line.label);
    }
    if (figure.labels.size() > before) figure.labels.back().hint = true;
  }
}

Label label_at(double x, double y, const std::string& words, Role role, double anchor_x, double anchor_y) {
  Label label;
  label.x = x;
  label.y = y;
  label.text = words;
  label.role = role;
  label.anchor_x = anchor_x;
  label.anchor_y = anchor_y;
  return label;
}

void add_span(Figure& figure, const Range& interval, const std::string& label, Role role, const LineStyle& style) {
  figure.spans.push_back({true, interval.low, interval.high, style, role, label});
}

void mark_row(Figure& figure, double row) {
  constexpr double kMaxFramed = 40;
  if (figure.y.range.high - figure.y.range.low > kMaxFramed) {
    add_level(figure, row, {}, Role::text).dashed = false;
    return;
  }
  figure.boxes.push_back({figure.x.fit, around(row, 0.5), {}, Role::text});
}

// --- Drawings ------------------------------------------------------------------------------------------------------

Points points_of(const std::string& key, const LineStyle& style) {
  Points points;
  points.key = key;
  points.style = style;
  return points;
}

Path path_of(const std::string& key, Role role, double width) {
  Path path = path_of(key, LineStyle(), width);
  path.role = role;
  return path;
}

Path path_of(const std::string& key, const LineStyle& style, double width) {
  Path path;
  path.key = key;
  path.style = style;
  path.width = width;
  return path;
}

void add_point(Path& path, double x, double y) {
  path.xs.push_back(x);
  path.ys.push_back(y);
}

void add_point(Points& points, double x, double y) {
  points.xs.push_back(x);
  points.ys.push_back(y);
}

void lift(Path& path) {
  add_point(path, std::nan(""), std::nan(""));
}

void add_arc(Path& path, const Arc& arc, int steps) {
  for (int i = 0; i <= steps; ++i) {
    const double phi = arc.from + arc.angle * i / steps;
    add_point(path, arc.x + arc.radius * std::cos(phi), arc.y + arc.radius * std::sin(phi));
  }
}

Arrow arrow_to(const std::string& key, const Eigen::Vector2d& tip, const std::string& label, const LineStyle& style) {
  return {key, label, style, Role::curve, 0, 0, tip.x(), tip.y()};
}

// --- Maps ----------------------------------------------------------------------------------------------------------

std::int64_t items_per_cell(std::int64_t count) {
  const auto most = static_cast<std::int64_t>(MapCells::kMax);
  return std::max<std::int64_t>(1, (count + most - 1) / most);
}

MapCells cells_over(std::int64_t columns, std::int64_t rows, const char* by) {
  const auto size = [](std::int64_t count) { return static_cast<std::size_t>(count); };
  const std::int64_t across = items_per_cell(columns), down = items_per_cell(rows);
  MapCells cells;
  cells.columns = size((columns + across - 1) / across);
  cells.rows = size((rows + down - 1) / down);
  cells.reduction = {size(across), size(down), size(columns), size(rows), by};
  return cells;
}

std::shared_ptr<const MapCells> cells_of(const RowMatrixXd& matrix) {
  auto cells = std::make_shared<MapCells>();
  cells->columns = static_cast<std::size_t>(matrix.cols());
  cells->rows = static_cast<std::size_t>(matrix.rows());
  for (const double value : matrix.reshaped<Eigen::RowMajor>()) cells->values.push_back(static_cast<float>(value));
  return cells;
}

void reach_cells(Map& map, const CellPlace& place) {
  const auto reach = [&place](double first, std::size_t cells, std::size_t items) {
    return Range{first - 0.5 * place.scale, first + (static_cast<double>(cells * items) - 0.5) * place.scale};
  };
  map.x = reach(place.x, map.cells->columns, map.cells->reduction.columns_per_cell);
  map.y = reach(place.y, map.cells->rows, map.cells->reduction.rows_per_cell);
}

Map matrix_map(const std::string& key, const std::string& label, const RowMatrixXd& matrix, bool is_signed, double most,
               const CellPlace& place) {
  Map map;
  map.key = key;
  map.label = label;
  map.colours = is_signed ? MapColours::signed_value : MapColours::magnitude;
  map.cells = cells_of(matrix);
  reach_cells(map, place);
  map.range = {is_signed ? -most : 0, most};
  map.exact = [matrix, place](double x, double y) { return entry_at(matrix, x - place.x, y - place.y); };
  return map;
}

std::vector<std::string> draw_frames(const Animation& animation, const FramePaint& paint, const Text& text,
                                     Store& store, const std::stop_token& stop,
                                     const std::function<void(std::size_t)>& progress) {
  const View& view = find_view(animation.experiment.view);
  std::vector<std::string> frames;
  for (std::size_t frame = 0; frame < animation.frames && !stop.stop_requested(); ++frame) {
    store.begin_pass();
    const Experiment experiment = apply_frame(animation, frame);
    ViewResult result = draw_view(view, experiment, text, store);
    store.end_pass();
    if (!result.fault.empty()) throw InputError(result.fault);
    if (paint.chosen) result = paint.chosen(std::move(result));
    frames.push_back(
        paint_page(result, paint.format, paint.size, {.theme = paint.theme, .carries = figure_text(experiment)}));
    if (progress) progress(frame + 1);
  }
  return frames;
}

}  // namespace ropescope
