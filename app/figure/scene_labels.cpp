#include <algorithm>
#include <cmath>
#include <optional>

#include "app/figure/scene_placer.h"

namespace ropescope {

namespace {

void add_message(Placer& placer) {
  const SceneContext& context = placer.context;
  if (context.figure.empty_message.empty()) return;
  const Rect& plot = context.frame.plot;
  const TextStyle style = context.text_style();
  std::vector<std::string> lines = wrapped(context.figure.empty_message, style, 0.8 * plot.width, context.measure);
  const double line = context.measure("0", style).y;
  const auto room = static_cast<std::size_t>(std::max(std::floor(plot.height / (1.25 * line)), 0.0));
  if (room == 0) return;
  if (lines.size() > room) {
    lines.resize(room);
    lines.back() = elided(lines.back() + "…", style, 0.8 * plot.width, context.measure);
  }
  double top = plot.top + (plot.height - 1.25 * line * static_cast<double>(lines.size())) / 2;
  for (const std::string& text : lines) {
    const double width = context.measure(text, style).x;
    const Rect box{plot.left + (plot.width - width) / 2, top, width, line};
    if (is_inside(box, plot)) placer.place(box, text, context.palette.secondary);
    top += 1.25 * line;
  }
}

Colour label_colour(const SceneContext& context, const Rule& rule) {
  if (rule.role == Role::curve) return stroke_of(context.palette, rule.style).colour;
  return colour_of(context.palette, rule.role == Role::line ? Role::secondary : rule.role);
}

bool is_shown(const SceneContext& context, const Rule& rule) {
  const AxisMap& axis = rule.vertical ? context.frame.x : context.frame.y;
  const double at = axis.to_pixel(rule.at);
  return at >= std::min(axis.low, axis.high) && at <= std::max(axis.low, axis.high);
}

/// Words in lines, and the box that they fill.
struct WordBlock {
  std::vector<std::string> lines;
  Vec2 size;
};

WordBlock block_of(const SceneContext& context, const std::string& text, double width) {
  const TextStyle style = context.text_style();
  WordBlock block{wrapped(text, style, width, context.measure), {}};
  for (const std::string& line : block.lines) {
    const Vec2 size = context.measure(line, style);
    block.size = {std::max(block.size.x, size.x), block.size.y + size.y};
  }
  return block;
}

/// The words of a rule in one line, else in two or three where no word is torn.
std::vector<WordBlock> blocks_of(const SceneContext& context, const std::string& text) {
  const double width = context.measure(text, context.text_style()).x;
  std::vector<WordBlock> blocks{block_of(context, text, width + 1)};
  for (const std::size_t lines : {std::size_t{2}, std::size_t{3}}) {
    // Words do not part evenly: a little more than the share of a line.
    WordBlock block = block_of(context, text, 1.2 * width / static_cast<double>(lines));
    if (block.lines.size() == lines && are_whole_words(block.lines, text)) blocks.push_back(std::move(block));
  }
  return blocks;
}

void place_block(Placer& placer, const WordBlock& block, Vec2 at, Colour colour) {
  for (const std::string& line : block.lines) {
    const Vec2 size = placer.context.measure(line, placer.context.text_style());
    placer.place({at.x, at.y, size.x, size.y}, line, colour);
    at.y += size.y;
  }
}

/// At the top beside its rule: right of it, else left, else a row lower; where no other rule passes and it hides least
/// of the curves; in several lines where it has no room in one.
void add_vertical_label(Placer& placer, const Rule& rule, const CurveSamples& curves) {
  const SceneContext& context = placer.context;
  const Rect& plot = context.frame.plot;
  const double em = context.options.text_size, at = context.frame.x.to_pixel(rule.at);
  const auto crossed = [&](const Rect& box) {
    return std::any_of(context.figure.rules.begin(), context.figure.rules.end(), [&](const Rule& other) {
      const double x = context.frame.x.to_pixel(other.at);
      return other.vertical && x > box.left - 0.2 * em && x < box.right() + 0.2 * em;
    });
  };
  constexpr int kCrossed = 1000;  // worse than any curve
  for (const WordBlock& block : blocks_of(context, rule.label)) {
    const int rows = std::max(1, static_cast<int>(0.6 * plot.height / (1.25 * block.size.y)));
    std::optional<Vec2> best;
    int least = 0;
    for (int row = 0; row < rows; ++row) {
      const double top = plot.top + 0.3 * em + row * 1.25 * block.size.y;
      for (const double left : {at + 0.5 * em, at - 0.5 * em - block.size.x}) {
        const Rect box{left, top, block.size.x, block.size.y};
        if (!placer.is_free(box)) continue;
        const int hidden = curves.hidden_by(box) + (crossed(box) ? kCrossed : 0);
        if (best && hidden >= least) continue;
        best = Vec2{left, top};
        least = hidden;
      }
    }
    if (best) return place_block(placer, block, *best, label_colour(context, rule));
  }
}

/// On its rule at the right end, else under it, else at the left end, or in between; in several lines, or away from it
/// with an arrow to it, where it would hide curves else. Last where it hides least of them; left out where that is
/// much.
void add_horizontal_label(Placer& placer, const Rule& rule, const CurveSamples& curves) {
  const SceneContext& context = placer.context;
  const Rect& plot = context.frame.plot;
  const double em = context.options.text_size, at = context.frame.y.to_pixel(rule.at);
  const std::vector<WordBlock> blocks = blocks_of(context, rule.label);
  const Colour colour = label_colour(context, rule);
  std::optional<Vec2> best;
  const WordBlock* best_block = nullptr;
  int least = 0;
  for (const WordBlock& block : blocks) {
    const double right = plot.right() - 0.5 * em - block.size.x, left = plot.left + 0.5 * em;
    for (const double x : {right, left, (left + right) / 2, (left + 3 * right) / 4, (3 * left + right) / 4}) {
      for (const double top : {at - 0.15 * em - block.size.y, at + 0.15 * em}) {
        const Rect box{x, top, block.size.x, block.size.y};
        if (!placer.is_free(box)) continue;
        const int hidden = curves.hidden_by(box);
        if (hidden == 0) return place_block(placer, block, {x, top}, colour);
        if (best && (hidden >= least || best_block != &block)) continue;
        best = Vec2{x, top};
        best_block = &block;
        least = hidden;
      }
    }
  }
  constexpr int kSteps = 12;
  std::optional<Rect> away;
  for (const WordBlock& block : blocks) {
    const double room_x = plot.width - block.size.x - em, room_y = plot.height - block.size.y - 0.6 * em;
    for (int down = 0; room_x > 0 && room_y > 0 && down <= kSteps; ++down) {
      for (int along = kSteps; along >= 0; --along) {
        const Rect box{plot.left + em / 2 + room_x * along / kSteps, plot.top + 0.3 * em + room_y * down / kSteps,
                       block.size.x, block.size.y};
        if (!placer.is_free(box)) continue;
        const int hidden = curves.hidden_by(box);
        if (best_block && hidden >= least) continue;
        best = Vec2{box.left, box.top};
        best_block = &block;
        least = hidden;
        away = box;
      }
    }
  }
  // What a rule is can be left unsaid; where a curve runs cannot.
  constexpr double kMostHidden = 0.15;
  const bool hides_much = least > kMostHidden * plot.width / (0.5 * em);
  if (hides_much) return;
  if (away) {
    const double x = away->left + away->width / 2, edge = at > away->bottom() ? away->bottom() : away->top;
    add_pointer(placer.scene, context, {x, edge}, {x, at});
  }
  if (best) place_block(placer, *best_block, *best, colour);
}

/// Around its point, where it hides least of the curves: at the sides, above and below, then at the corners; and a
/// little farther away.
std::optional<Rect> place_around(const Placer& placer, Vec2 at, Vec2 size, const CurveSamples& curves) {
  const double near = 2 * placer.context.options.line_width + 0.3 * placer.context.options.text_size;
  std::optional<Rect> best;
  int least = 0;
  for (const double gap : {near, near + 0.8 * size.y, near + 1.6 * size.y}) {
    const double left = at.x - gap - size.x, right = at.x + gap, above = at.y - gap - size.y, below = at.y + gap;
    const double centre = at.x - size.x / 2, middle = at.y - size.y / 2;
    for (const Vec2 corner : {Vec2{right, middle},
                              {left, middle},
                              {centre, above},
                              {centre, below},
                              {at.x, above},
                              {at.x - size.x, above},
                              {at.x, below},
                              {at.x - size.x, below}}) {
      const Rect box{corner.x, corner.y, size.x, size.y};
      if (!placer.is_free(box)) continue;
      const int hidden = curves.hidden_by(box);
      if (best && hidden >= least) continue;
      best = box;
      least = hidden;
    }
    if (best && least == 0) break;
  }
  return best;
}

void add_point_names(Placer& placer, const Points& points, const CurveSamples& curves) {
  const SceneContext& context = placer.context;
  const Colour colour = stroke_of(context.palette, points.style).colour;
  for (std::size_t i = 0; i < std::min({points.names.size(), points.xs.size(), points.ys.size()}); ++i) {
    const Vec2 at{context.frame.x.to_pixel(points.xs[i]), context.frame.y.to_pixel(points.ys[i])};
    if (points.names[i].empty() || !context.frame.plot.contains(at)) continue;
    const Vec2 size = context.measure(points.names[i], context.text_style());
    if (const auto box = place_around(placer, at, size, curves)) placer.place(*box, points.names[i], colour);
  }
}

}  // namespace

void add_inner_labels(Scene& scene, const SceneContext& context) {
  Placer placer{scene, context, {}};
  for (const SceneItem& item : scene.items) {
    if (const auto* text = std::get_if<TextItem>(&item)) placer.taken.push_back(box_of(*text, context.measure));
  }
  if (const auto legend = add_legend(scene, context)) placer.taken.push_back(*legend);
  for (const Points& points : context.figure.points) {
    const double radius = 2 * context.options.line_width;
    for (std::size_t i = 0; i < std::min(points.xs.size(), points.ys.size()); ++i) {
      const Vec2 at{context.frame.x.to_pixel(points.xs[i]), context.frame.y.to_pixel(points.ys[i])};
      placer.taken.push_back({at.x - radius, at.y - radius, 2 * radius, 2 * radius});
    }
  }
  add_notes(placer);
  const CurveSamples curves(context);
  add_words(placer);
  add_line_names(placer, curves);
  add_message(placer);
  std::vector<Rule> rules;
  for (const Rule& rule : context.figure.rules) {
    if (!rule.label.empty() && is_shown(context, rule)) rules.push_back(rule);
  }
  // From left to right, so that equal figures get equal places whatever the order of their rules.
  std::stable_sort(rules.begin(), rules.end(),
                   [](const Rule& a, const Rule& b) { return a.vertical != b.vertical ? a.vertical : a.at < b.at; });
  for (const Rule& rule : rules) {
    if (rule.vertical) {
      add_vertical_label(placer, rule, curves);
    } else {
      add_horizontal_label(placer, rule, curves);
    }
  }
  for (const Points& points : context.figure.points) add_point_names(placer, points, curves);
}

}  // namespace ropescope
