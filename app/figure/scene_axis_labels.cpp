#include <algorithm>

#include "app/figure/line_starts.h"
#include "app/figure/scene_parts.h"

namespace ropescope {

namespace {

void add_grid_line(Scene& scene, Vec2 from, Vec2 to, Colour colour, double width) {
  scene.items.push_back(PathItem{{from, to}, colour, width, Dash::solid});
}

}  // namespace

bool are_whole_words(const std::vector<std::string>& lines, const std::string& text) {
  const std::vector<std::size_t> starts = line_starts(text);
  std::size_t at = 0;
  for (const std::string& line : lines) {
    at = text.find(line, at);
    if (at == std::string::npos || (at > 0 && !std::binary_search(starts.begin(), starts.end(), at))) return false;
    at += line.size();
  }
  return true;
}

std::string leading_words(const std::string& text, const TextStyle& style, double width, const MeasureText& measure) {
  std::string words = text;
  while (!words.empty() && measure(words, style).x > width) {
    const std::size_t space = words.rfind(' ');
    words.resize(space == std::string::npos ? 0 : space);
  }
  return words;
}

std::vector<std::string> y_label_lines(const Figure& figure, double plot_height, bool has_title,
                                       const FigureOptions& options, const MeasureText& measure) {
  const TextStyle style{options.text_size, FontWeight::regular};
  const double length = plot_height + (has_title ? measure("0", style).y : 0);
  std::vector<std::string> lines = wrapped(figure.y.label, style, length, measure);
  const auto fits = [&](const std::string& text) { return measure(text, style).x <= length; };
  if (lines.size() > 2 || !std::all_of(lines.begin(), lines.end(), fits) || !are_whole_words(lines, figure.y.label)) {
    lines = {leading_words(figure.y.label, style, length, measure)};
  }
  if (!lines.empty() && lines.front().empty()) lines.clear();
  return lines;
}

TextItem x_tick_label(const Tick& tick, const Frame& frame, const FigureOptions& options, const MeasureText& measure) {
  const TextStyle style{options.text_size, FontWeight::regular};
  const bool upright = frame.names_height > 0;
  const Vec2 size = measure(tick.label, style);
  const double half = (upright ? size.y : size.x) / 2;
  const double x = std::clamp(frame.x.to_pixel(tick.value), std::min(frame.rect.left + half, frame.rect.right()),
                              std::max(frame.rect.right() - half, frame.rect.left + half));
  return {{x, frame.plot.bottom() + size.y / 2 + 1}, 0.5, 0, tick.label, style, {}, upright};
}

void add_grid(Scene& scene, const SceneContext& context) {
  const Frame& frame = context.frame;
  const Rect& plot = frame.plot;
  const double width = context.hairline();
  const Colour major = with_alpha(context.palette.line, 0.85), minor = with_alpha(context.palette.line, 0.4);
  // Where only a part is counted, lines through the rest would measure nothing.
  const bool counted = context.figure.x.counted || context.figure.y.counted;
  for (const bool majors : {false, true}) {
    if (counted) break;
    for (const Tick& tick : frame.x_ticks) {
      const double x = std::clamp(frame.x.to_pixel(tick.value), plot.left, plot.right());
      if (tick.major == majors) add_grid_line(scene, {x, plot.top}, {x, plot.bottom()}, majors ? major : minor, width);
    }
    for (const Tick& tick : frame.y_ticks) {
      const double y = std::clamp(frame.y.to_pixel(tick.value), plot.top, plot.bottom());
      if (tick.major == majors) add_grid_line(scene, {plot.left, y}, {plot.right(), y}, majors ? major : minor, width);
    }
  }
  const double zero = frame.y.to_pixel(0);
  if (context.figure.zero_line && zero >= plot.top && zero <= plot.bottom()) {
    add_grid_line(scene, {plot.left, zero}, {plot.right(), zero}, context.palette.faint, width);
  }
}

void add_axis_labels(Scene& scene, const SceneContext& context) {
  const Frame& frame = context.frame;
  const Rect& plot = frame.plot;
  const TextStyle style = context.text_style();
  const double em = context.options.text_size, line = context.measure("0", style).y;
  double labels_left = plot.left;
  for (const Tick& tick : frame.y_ticks) {
    if (tick.label.empty()) continue;
    const double y = std::clamp(frame.y.to_pixel(tick.value), plot.top, plot.bottom());
    const TextItem item{{plot.left - kTickGap * em, y}, 1, 0.5, tick.label, style, context.palette.secondary, false};
    labels_left = std::min(labels_left, box_of(item, context.measure).left);
    scene.items.push_back(item);
  }
  bool x_labelled = false;
  for (const Tick& tick : frame.x_ticks) {
    if (tick.label.empty()) continue;
    TextItem item = x_tick_label(tick, frame, context.options, context.measure);
    item.colour = context.palette.secondary;
    scene.items.push_back(item);
    x_labelled = true;
  }
  const double ticks_height = frame.names_height > 0 ? 0.5 * line + frame.names_height : 1.5 * line;
  const double label_top = plot.bottom() + ticks_height + 1 + kLabelGap * em;
  double x_label_height = 0;
  for (const std::string& text : frame.x_label) x_label_height += context.measure(text, style).y;
  double label_at = label_top;
  for (const std::string& text : frame.x_label) {
    if (!x_labelled || label_top + x_label_height > frame.rect.bottom() + 1) break;
    const Vec2 size = context.measure(text, style);
    const double half = size.x / 2;
    const double x = std::clamp(plot.left + plot.width / 2, frame.rect.left + half,
                                std::max(frame.rect.right() - half, frame.rect.left + half));
    scene.items.push_back(TextItem{{x, label_at}, 0.5, 0, text, style, context.palette.text, false});
    label_at += size.y;
  }
  // The plot may have shrunk to its data since the margins were taken.
  std::vector<std::string> y_label;
  if (context.options.show_y_labels) {
    y_label = y_label_lines(context.figure, plot.height, frame.title_height > 0, context.options, context.measure);
  }
  const auto thickness = [&] {
    double sum = 0;
    for (const std::string& text : y_label) sum += context.measure(text, style).y;
    return sum;
  };
  const double y_room = labels_left - frame.label_left - kLabelGap / 2 * em;
  if (thickness() > y_room) {
    const double length = plot.height + (frame.title_height > 0 ? line : 0);
    y_label = {leading_words(context.figure.y.label, style, length, context.measure)};
  }
  double label_left = frame.label_left;
  for (std::size_t i = 0; thickness() <= y_room && i < y_label.size(); ++i) {
    if (y_label[i].empty()) continue;
    scene.items.push_back(
        TextItem{{label_left, plot.top + plot.height / 2}, 0, 0.5, y_label[i], style, context.palette.text, true});
    label_left += context.measure(y_label[i], style).y;
  }
  if (frame.title_height <= 0) return;
  double top = frame.rect.top;
  for (const std::string& text : frame.title) {
    const Vec2 size = context.measure(text, context.title_style());
    // Over the plot where it has room there, else from the figure's edge on.
    const double left = std::max(frame.rect.left, std::min(plot.left, frame.rect.right() - size.x));
    scene.items.push_back(TextItem{{left, top}, 0, 0, text, context.title_style(), context.palette.text, false});
    top += size.y;
  }
}

}  // namespace ropescope
