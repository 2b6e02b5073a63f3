#include <algorithm>
#include <cmath>

#include "app/figure/scene_parts.h"

namespace ropescope {

namespace {

// Distances in ems of the tick labels.
constexpr double kTickGap = 0.7;    ///< from the y tick labels to the plot
constexpr double kLabelGap = 0.35;  ///< between tick labels and axis label
constexpr double kRightMargin = 1.2;
constexpr double kTitleGap = 0.5;
constexpr double kYTickDistance = 3.5;

TextStyle text_style(const LayoutOptions& options) {
  return {options.text_size, FontWeight::regular};
}

double line_height(const LayoutOptions& options, const MeasureText& measure) {
  return measure("0", text_style(options)).y;
}

/// Below the plot: half a y tick label always, the x labels clear of it.
double bottom_margin(const Figure& figure, const LayoutOptions& options, const MeasureText& measure,
                     bool with_axis_label = true) {
  const double line = line_height(options, measure);
  double margin = line / 2 + 1;
  if (options.show_x_labels) {
    margin += line + 0.2 * options.text_size;
    if (with_axis_label && !figure.x.label.empty()) margin += line + kLabelGap * options.text_size;
  }
  return std::ceil(margin);
}

double top_margin(const Figure& figure, const LayoutOptions& options, const MeasureText& measure) {
  const double half_tick_label = line_height(options, measure) / 2 + 1;
  if (figure.title.empty()) return std::ceil(half_tick_label);
  const TextStyle style{options.text_size * 1.1, FontWeight::semibold};
  return std::ceil(measure(figure.title, style).y + std::max(kTitleGap * options.text_size, half_tick_label));
}

struct VerticalPart {
  double top = 0, bottom = 0, height = 0;  ///< margins and what they leave to the plot
};
VerticalPart vertical_part(const Figure& figure, double height, const LayoutOptions& options,
                           const MeasureText& measure) {
  VerticalPart part{top_margin(figure, options, measure), bottom_margin(figure, options, measure), 0};
  // Too low for labels and a plot: the axis label goes first, the plot is what a figure cannot do without.
  const double plot = 2.5 * options.text_size;
  if (height < part.top + part.bottom + plot) part.bottom = bottom_margin(figure, options, measure, false);
  if (height < part.top + part.bottom + plot) part.top = part.bottom = 0;
  part.height = std::max(height - part.top - part.bottom, 0.0);
  return part;
}

std::vector<Tick> y_ticks_of(const Figure& figure, const VerticalPart& part, const LayoutOptions& options,
                             const MeasureText& measure) {
  const double line = line_height(options, measure);
  const double gap = std::min(kYTickDistance * options.text_size, std::max(1.4 * line, part.height / 4));
  std::vector<Tick> ticks = make_ticks(figure.y, part.height, gap);
  // Without margins the outer half of a label would leave the rectangle.
  if (part.top == 0 || part.height < 2 * line) {
    for (Tick& tick : ticks) tick.label.clear();
  }
  return ticks;
}

double widest(const std::vector<Tick>& ticks, const LayoutOptions& options, const MeasureText& measure) {
  double width = 0;
  for (const Tick& tick : ticks) {
    if (!tick.label.empty()) width = std::max(width, measure(tick.label, text_style(options)).x);
  }
  return width;
}

double left_margin(const Figure& figure, const std::vector<Tick>& y_ticks, const LayoutOptions& options,
                   const MeasureText& measure) {
  double margin = widest(y_ticks, options, measure);
  if (margin > 0) margin += kTickGap * options.text_size;
  if (!figure.y.label.empty()) margin += line_height(options, measure) + kLabelGap * options.text_size;
  return std::ceil(std::max(margin, 0.5 * options.text_size));
}

TextItem x_tick_label(const Tick& tick, const Frame& frame, const LayoutOptions& options, const MeasureText& measure) {
  const TextStyle style = text_style(options);
  const Vec2 size = measure(tick.label, style);
  const double x = std::clamp(frame.x.to_pixel(tick.value), std::min(frame.rect.left + size.x / 2, frame.rect.right()),
                              std::max(frame.rect.right() - size.x / 2, frame.rect.left + size.x / 2));
  return {{x, frame.plot.bottom() + size.y / 2 + 1}, 0.5, 0, tick.label, style, {}, false};
}

/// Whether labels keep clear of each other and of the rectangle's edge.
bool labels_fit(const std::vector<Tick>& ticks, const Frame& frame, const LayoutOptions& options,
                const MeasureText& measure) {
  double last_right = -1e300;
  for (const Tick& tick : ticks) {
    if (tick.label.empty()) continue;
    const Rect box = box_of(x_tick_label(tick, frame, options, measure), measure);
    if (box.left < last_right + 0.9 * options.text_size) return false;
    last_right = box.right();
  }
  return true;
}

std::vector<Tick> x_ticks_of(const Figure& figure, const Frame& frame, const LayoutOptions& options,
                             const MeasureText& measure) {
  std::vector<Tick> ticks;
  double gap = (figure.x.scale == AxisScale::linear ? 7 : 3) * options.text_size;
  for (; gap < 1.5 * frame.plot.width + 6 * options.text_size; gap *= 1.25) {
    for (const TickLabels labels : {TickLabels::automatic, TickLabels::powers}) {
      // Short powers come before fewer labels, but not where a linear axis would turn scientific.
      if (labels == TickLabels::powers && figure.x.scale == AxisScale::linear) continue;
      ticks = make_ticks(figure.x, frame.plot.width, gap, labels);
      if (labels_fit(ticks, frame, options, measure)) return ticks;
    }
  }
  // Not even two fit: the first one that does.
  bool kept = false;
  for (Tick& tick : ticks) {
    if (tick.label.empty()) continue;
    if (kept || measure(tick.label, text_style(options)).x > frame.rect.width) tick.label.clear();
    kept = kept || !tick.label.empty();
  }
  return ticks;
}

/// How far the last label reaches over the rectangle's right edge if it stands in the middle under its tick.
double overhang(const Frame& frame, const LayoutOptions& options, const MeasureText& measure) {
  double over = 0;
  for (const Tick& tick : frame.x_ticks) {
    if (tick.label.empty()) continue;
    const double half = measure(tick.label, text_style(options)).x / 2;
    over = std::max(over, frame.x.to_pixel(tick.value) + half - frame.rect.right());
  }
  return std::ceil(over);
}

/// As many words from the beginning as fit; none where the first one does not: "si…" says nothing.
std::string leading_words(const std::string& text, const TextStyle& style, double width, const MeasureText& measure) {
  std::string words = text;
  while (!words.empty() && measure(words, style).x > width) {
    const std::size_t space = words.rfind(' ');
    words.resize(space == std::string::npos ? 0 : space);
  }
  return words;
}

void add_grid_line(Scene& scene, Vec2 from, Vec2 to, Colour colour, double width) {
  scene.items.push_back(PathItem{{from, to}, colour, width, Dash::solid});
}

}  // namespace

double left_margin_of(const Figure& figure, double height, const LayoutOptions& options, const MeasureText& measure) {
  const VerticalPart part = vertical_part(figure, height, options, measure);
  return left_margin(figure, y_ticks_of(figure, part, options, measure), options, measure);
}

double x_labels_height(const Figure& figure, const LayoutOptions& options, const MeasureText& measure) {
  LayoutOptions with = options, without = options;
  with.show_x_labels = true;
  without.show_x_labels = false;
  return bottom_margin(figure, with, measure) - bottom_margin(figure, without, measure);
}

Frame frame_of(const Figure& figure, const Rect& rect, const LayoutOptions& options, const MeasureText& measure) {
  Frame frame;
  frame.rect = rect;
  const VerticalPart part = vertical_part(figure, rect.height, options, measure);
  frame.title_height = part.top;
  frame.y_ticks = y_ticks_of(figure, part, options, measure);
  double left = std::max(options.left_margin, left_margin(figure, frame.y_ticks, options, measure));
  double right = std::ceil(kRightMargin * options.text_size);
  if (rect.width < left + right + 4 * options.text_size) {
    left = std::min(left, 0.5 * rect.width);
    right = 0;
    // The labels would not fit beside a plot that is worth the name.
    for (Tick& tick : frame.y_ticks) tick.label.clear();
  }
  frame.plot = {rect.left + left, rect.top + part.top, rect.width - left - right, part.height};
  frame.y = {drawable_range(figure.y.range, figure.y.scale), figure.y.scale, frame.plot.bottom(), frame.plot.top};
  frame.x = {drawable_range(figure.x.range, figure.x.scale), figure.x.scale, frame.plot.left, frame.plot.right()};
  frame.x_ticks = x_ticks_of(figure, frame, options, measure);
  // Room for half of the last label; also where labels are not shown, so that linked panels keep equal widths.
  const double more = std::min(overhang(frame, options, measure), 3 * options.text_size);
  if (more > 0 && frame.plot.width - more > 4 * options.text_size) {
    frame.plot.width -= more;
    frame.x.high = frame.plot.right();
    frame.x_ticks = x_ticks_of(figure, frame, options, measure);
  }
  if (!options.show_x_labels || part.bottom == 0) {
    for (Tick& tick : frame.x_ticks) tick.label.clear();
  }
  return frame;
}

void add_grid(Scene& scene, const Layout& layout) {
  const Frame& frame = layout.frame;
  const Rect& plot = frame.plot;
  const double width = layout.hairline();
  const Colour major = with_alpha(layout.palette.line, 0.85), minor = with_alpha(layout.palette.line, 0.4);
  for (const bool majors : {false, true}) {
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
  if (layout.figure.zero_line && zero >= plot.top && zero <= plot.bottom()) {
    add_grid_line(scene, {plot.left, zero}, {plot.right(), zero}, layout.palette.faint, width);
  }
}

void add_axis_labels(Scene& scene, const Layout& layout) {
  const Frame& frame = layout.frame;
  const Rect& plot = frame.plot;
  const TextStyle style = layout.text_style();
  const double em = layout.options.text_size, line = line_height(layout.options, layout.measure);
  double labels_left = plot.left;
  for (const Tick& tick : frame.y_ticks) {
    if (tick.label.empty()) continue;
    const double y = std::clamp(frame.y.to_pixel(tick.value), plot.top, plot.bottom());
    const TextItem item{{plot.left - kTickGap * em, y}, 1, 0.5, tick.label, style, layout.palette.secondary, false};
    labels_left = std::min(labels_left, box_of(item, layout.measure).left);
    scene.items.push_back(item);
  }
  bool x_labelled = false;
  for (const Tick& tick : frame.x_ticks) {
    if (tick.label.empty()) continue;
    TextItem item = x_tick_label(tick, frame, layout.options, layout.measure);
    item.colour = layout.palette.secondary;
    scene.items.push_back(item);
    x_labelled = true;
  }
  const double label_top = plot.bottom() + 1.5 * line + 1 + kLabelGap * em;
  if (x_labelled && label_top + line <= frame.rect.bottom()) {
    const std::string text = elided(layout.figure.x.label, style, frame.rect.width, layout.measure);
    const double half = layout.measure(text, style).x / 2;
    const double x = std::clamp(plot.left + plot.width / 2, frame.rect.left + half,
                                std::max(frame.rect.right() - half, frame.rect.left + half));
    if (!text.empty()) scene.items.push_back(TextItem{{x, label_top}, 0.5, 0, text, style, layout.palette.text, false});
  }
  if (labels_left - frame.rect.left >= line && !layout.figure.y.label.empty()) {
    // May reach half a line over the plot's ends: the x labels start lower, the title is inside the plot's width.
    const double room = plot.height + (frame.title_height > 0 ? line : 0);
    const std::string text = leading_words(layout.figure.y.label, style, room, layout.measure);
    const TextItem item{{frame.rect.left, plot.top + plot.height / 2}, 0, 0.5, text, style, layout.palette.text, true};
    if (!text.empty()) scene.items.push_back(item);
  }
  if (!layout.figure.title.empty() && frame.title_height > 0) {
    const std::string text =
        elided(layout.figure.title, layout.title_style(), frame.rect.right() - plot.left, layout.measure);
    const TextItem item{{plot.left, frame.rect.top}, 0, 0, text, layout.title_style(), layout.palette.text, false};
    if (!text.empty()) scene.items.push_back(item);
  }
}

}  // namespace ropescope
