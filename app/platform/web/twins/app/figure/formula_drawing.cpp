// Drawing of formulas by FreeType, for the web page. MathJax's SVG consists of lines and parabolas, the curves of
// TrueType glyphs.

#include "app/figure/formula_drawing.h"

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_OUTLINE_H

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "app/figure/text_flow.h"

namespace ropescope {

namespace {

/// The transformation x' = scale_x · x + x0, and likewise for y.
struct Transform {
  double scale_x = 1, scale_y = 1, x = 0, y = 0;
  void translate(double by_x, double by_y) { x += scale_x * by_x, y += scale_y * by_y; }
  void scale(double by_x, double by_y) { scale_x *= by_x, scale_y *= by_y; }
};

/// Parser for numbers in "10,-3.5 4".
class Numbers {
 public:
  explicit Numbers(std::string_view text) : text_(text) {}
  bool next(double& number) {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == ',')) text_.remove_prefix(1);
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
    if (error != std::errc()) return false;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return true;
  }
  double take() {
    double number = 0;
    next(number);
    return number;
  }
  /// Returns the letter of a command, otherwise '\0'.
  char letter() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == ',')) text_.remove_prefix(1);
    if (text_.empty() || text_.front() < 'A') return '\0';
    const char found = text_.front();
    text_.remove_prefix(1);
    return found;
  }
  bool empty() const { return text_.empty(); }

 private:
  std::string_view text_;
};

/// A shape in FreeType's format, in 64ths of a pixel.
struct Shape {
  std::vector<FT_Vector> points;
  std::vector<char> tags;
  std::vector<short> ends;

  void add(const Transform& t, double x, double y, bool on) {
    points.push_back({static_cast<FT_Pos>(std::lround(64 * (t.scale_x * x + t.x))),
                      static_cast<FT_Pos>(std::lround(64 * (t.scale_y * y + t.y)))});
    tags.push_back(on ? FT_CURVE_TAG_ON : FT_CURVE_TAG_CONIC);
  }
  void end() {
    if (!points.empty()) ends.push_back(static_cast<short>(points.size() - 1));
  }
};

void add_path(Shape& shape, const Transform& t, std::string_view data) {
  Numbers numbers(data);
  double x = 0, y = 0, control_x = 0, control_y = 0;
  char command = 'M';
  bool after_curve = false;
  while (!numbers.empty()) {
    if (const char letter = numbers.letter()) command = letter;
    if (command == 'Z') {
      shape.end();
      after_curve = false;
      continue;
    }
    if (command == 'Q' || command == 'T') {
      if (command == 'Q') {
        control_x = numbers.take(), control_y = numbers.take();
      } else {
        control_x = after_curve ? 2 * x - control_x : x, control_y = after_curve ? 2 * y - control_y : y;
      }
      shape.add(t, control_x, control_y, false);
    }
    const double before_x = x, before_y = y;
    if (command != 'V' && !numbers.next(x)) return;
    if (command != 'H' && !numbers.next(y)) return;
    if (command == 'V') x = before_x;
    if (command == 'H') y = before_y;
    shape.add(t, x, y, true);
    after_curve = command == 'Q' || command == 'T';
  }
}

std::string_view attribute(std::string_view tag, std::string_view name) {
  const std::string pattern = " " + std::string(name) + "=\"";
  const std::size_t at = tag.find(pattern);
  if (at == std::string_view::npos) return {};
  const std::size_t begin = at + pattern.size();
  return tag.substr(begin, tag.find('"', begin) - begin);
}

void apply(Transform& t, std::string_view text) {
  while (!text.empty()) {
    const std::size_t open = text.find('('), close = text.find(')');
    if (open == std::string_view::npos || close == std::string_view::npos) return;
    Numbers numbers(text.substr(open + 1, close - open - 1));
    const double first = numbers.take();
    double second = 0;
    const bool two = numbers.next(second);
    if (text.substr(0, open).ends_with("translate")) {
      t.translate(first, second);
    } else {
      t.scale(first, two ? second : first);
    }
    text.remove_prefix(close + 1);
  }
}

enum Ink : std::size_t { kText, kQuery, kKey, kLit };
using Shapes = std::array<Shape, kLit + std::tuple_size_v<decltype(FormulaInk::lit)>>;

/// Returns the shapes of an SVG in the colours of text, query, key and lit terms. `to_pixels`: from its coordinates to
/// pixels.
Shapes shapes_of(std::string_view svg, const Transform& to_pixels) {
  Shapes shapes;
  std::vector<std::pair<Transform, std::size_t>> groups{{to_pixels, kText}};
  for (std::size_t at = svg.find('<'); at != std::string_view::npos; at = svg.find('<', at + 1)) {
    const std::string_view tag = svg.substr(at, svg.find('>', at) - at);
    if (tag.starts_with("</g")) {
      if (groups.size() > 1) groups.pop_back();
      continue;
    }
    auto [transform, ink] = groups.back();
    apply(transform, attribute(tag, "transform"));
    if (tag.starts_with("<g")) {
      std::string_view name = attribute(tag, "class");
      name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
      // The letters of query and key in a lit term have its colour.
      if (ink < kLit && name == "query") ink = kQuery;
      if (ink < kLit && name == "key") ink = kKey;
      if (name.starts_with("lit")) ink = kLit + static_cast<std::size_t>(name[3] - '0');
      groups.emplace_back(transform, ink);
    } else if (tag.starts_with("<path")) {
      add_path(shapes[ink], transform, attribute(tag, "d"));
    } else if (tag.starts_with("<rect")) {
      const auto number = [&](const char* name) { return Numbers(attribute(tag, name)).take(); };
      const double x = number("x"), y = number("y"), width = number("width"), height = number("height");
      shapes[ink].add(transform, x, y, true);
      shapes[ink].add(transform, x + width, y, true);
      shapes[ink].add(transform, x + width, y + height, true);
      shapes[ink].add(transform, x, y + height, true);
      shapes[ink].end();
    }
  }
  return shapes;
}

FT_Library library() {
  static FT_Library made = [] {
    FT_Library opened = nullptr;
    FT_Init_FreeType(&opened);
    return opened;
  }();
  return made;
}

/// Returns the coverage of every pixel, 0 to 255, row by row from the top; `growth`: of the strokes, in 64ths.
std::vector<unsigned char> covered(Shape& shape, int width, int height, FT_Pos growth) {
  std::vector<unsigned char> pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  if (shape.ends.empty()) return pixels;
  FT_Outline outline{};
  outline.n_contours = static_cast<short>(shape.ends.size());
  outline.n_points = static_cast<short>(shape.points.size());
  outline.points = shape.points.data();
  outline.tags = shape.tags.data();
  outline.contours = shape.ends.data();
  if (growth > 0) {
    FT_Outline_Embolden(&outline, growth);
    FT_Outline_Translate(&outline, -growth / 2, -growth / 2);
  }
  FT_Bitmap bitmap{};
  bitmap.rows = static_cast<unsigned>(height);
  bitmap.width = static_cast<unsigned>(width);
  bitmap.pitch = width;
  bitmap.buffer = pixels.data();
  bitmap.num_grays = 256;
  bitmap.pixel_mode = FT_PIXEL_MODE_GRAY;
  FT_Outline_Get_Bitmap(library(), &outline, &bitmap);
  return pixels;
}

}  // namespace

void draw_formula(cairo_t*, const Formula&, double, const FormulaInk&) {}

FormulaPixels formula_pixels(const Formula& formula, double em, const FormulaInk& ink) {
  const FormulaBox box = formula_box(formula, em);
  const int width = static_cast<int>(std::ceil(box.width)), ascent = static_cast<int>(std::ceil(box.ascent));
  const int height = ascent + static_cast<int>(std::ceil(box.descent));
  Numbers view(attribute(formula.svg, "viewBox"));
  const double left = view.take(), top = view.take(), view_width = view.take();
  (void)top;
  if (width <= 0 || height <= 0 || view_width <= 0) return {};
  const double unit = box.width / view_width;
  // SVG's y goes down; FreeType's goes up, from the lowest row.
  const Transform to_pixels{unit, -unit, (width - box.width) / 2 - unit * left, static_cast<double>(height - ascent)};
  Shapes shapes = shapes_of(formula.svg, to_pixels);
  const auto pixels = std::make_shared<Pixels>();
  pixels->columns = static_cast<std::size_t>(width);
  pixels->rows = static_cast<std::size_t>(height);
  pixels->values.resize(4 * pixels->columns * pixels->rows);
  const auto growth = static_cast<FT_Pos>(ink.text.alpha == 255 ? std::lround(64 * 1000 * ink.growth * unit) : 0);
  std::array<Colour, std::tuple_size_v<Shapes>> colours{ink.text, ink.query, ink.key};
  std::copy(ink.lit.begin(), ink.lit.end(), colours.begin() + kLit);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::vector<unsigned char> cover = covered(shapes[i], width, height, growth);
    const Colour& c = colours[i];
    for (std::size_t p = 0; p < cover.size(); ++p) {
      const int alpha = (cover[p] * c.alpha + 127) / 255;
      std::uint8_t* to = &pixels->values[4 * p];
      if (alpha <= to[3]) continue;
      to[0] = c.red, to[1] = c.green, to[2] = c.blue, to[3] = static_cast<std::uint8_t>(alpha);
    }
  }
  return {pixels, ascent};
}

}  // namespace ropescope
