// Painting of scene items into ImGui's draw lists.
//
// Contents: Paths; Fills; Glyphs; Lines; Scenes.

#include "app/ui/drawing/screen.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <variant>
#include <vector>

#include "app/figure/scene/scene.h"
#include "app/gpu/gpu.h"
#include "app/ui/drawing/imgui_compat.h"
#include "app/ui/ui.h"
#include "core/utf8.h"

namespace ropescope {

// --- Paths ---------------------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kChunk = 4000;  ///< points per reservation: with 16-bit indices at most 65 535 vertices
constexpr double kMaxDashes = 20000;  ///< per path; a longer one gets longer dashes
constexpr double kSharpTurn = 0.3;    ///< cosine between directions below which a joint is not mitred

ImU32 to_shared_alpha(Colour colour, double share) {
  const double alpha = std::clamp(share, 0.0, 1.0) * colour.alpha;
  return IM_COL32(colour.red, colour.green, colour.blue, static_cast<int>(std::lround(alpha)));
}

/// Cross-section of a stroke: half of its width with the soft sides, and its place in ImGui's texture of anti-aliased
/// lines. The area under it is the width, so lines thinner than a pixel become fainter instead of breaking up.
struct StrokeSection {
  double half = 1;
  ImVec2 from, to;  ///< in the texture, on either side
  ImU32 full = 0, none = 0;
};

/// Returns the section of a pen. The texture has lines of whole widths; the next wider one is drawn narrower.
StrokeSection pen_of(const ImDrawList* list, Colour colour, double width) {
  const double drawn = std::max(width, 1.0);
  const int line = std::min(static_cast<int>(std::ceil(drawn - 0.01)), IM_DRAWLIST_TEX_LINES_WIDTH_MAX);
  const ImVec4& uv = list->_Data->TexUvLines[line];
  // Half a texel on either side is empty.
  const float edge = 0.5f * (uv.z - uv.x) / static_cast<float>(line + 2);
  StrokeSection pen;
  pen.half = (line + 1) / 2.0 * drawn / line;
  pen.from = {uv.x + edge, uv.y};
  pen.to = {uv.z - edge, uv.w};
  pen.full = to_shared_alpha(colour, std::min(1.0, width));
  pen.none = to_shared_alpha(colour, 0);
  return pen;
}

struct Direction {
  double x = 0, y = 0;
};

Direction direction(Vec2 from, Vec2 to) {
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  return length > 0 ? Direction{(to.x - from.x) / length, (to.y - from.y) / length} : Direction{1, 0};
}

/// Two vertices across the stroke at one point, and the triangles that connect them to the previous two.
class Strip {
 public:
  Strip(ImDrawList* list, const StrokeSection& pen) : list_(list), pen_(pen) {}

  /// Adds a point. `normal` may be longer than 1 (a mitre); `share` of the colour: 0 at a soft end.
  void add(Vec2 at, Direction normal, double share, bool joined) {
    const ImU32 colour = share >= 1 ? pen_.full : pen_.none;
    if (joined) {
      const unsigned base = list_->_VtxCurrentIdx;
      for (const unsigned index : {base - 2, base - 1, base + 1, base - 2, base + 1, base}) {
        list_->PrimWriteIdx(static_cast<ImDrawIdx>(index));
      }
    }
    const auto corner = [&](double away) {
      return ImVec2(static_cast<float>(at.x + normal.x * away), static_cast<float>(at.y + normal.y * away));
    };
    list_->PrimWriteVtx(corner(-pen_.half), pen_.from, colour);
    list_->PrimWriteVtx(corner(pen_.half), pen_.to, colour);
  }

 private:
  ImDrawList* list_;
  StrokeSection pen_;
};

/// One point of a strip before it is written.
struct StripPoint {
  Vec2 at;
  Direction normal;
  double share = 1;
  bool joined = true;
};

void write_sections(ImDrawList* list, const StrokeSection& pen, const std::vector<StripPoint>& sections) {
  std::size_t begin = 0;
  while (begin < sections.size()) {
    std::size_t end = std::min(begin + kChunk, sections.size());
    int quads = 0;
    for (std::size_t i = begin + 1; i < end; ++i) quads += sections[i].joined ? 1 : 0;
    list->PrimReserve(quads * 6, static_cast<int>(end - begin) * 2);
    Strip strip(list, pen);
    for (std::size_t i = begin; i < end; ++i) {
      strip.add(sections[i].at, sections[i].normal, sections[i].share, i > begin && sections[i].joined);
    }
    if (end == sections.size()) return;
    begin = end - 1;  // the next part starts with the same two vertices
  }
}

/// Appends a polyline with soft ends; at sharp corners a new strip starts, and both extend by half the width.
void append_polyline(std::vector<StripPoint>& sections, const std::vector<Vec2>& points, double width) {
  if (points.size() < 2) return;
  const auto normal_of = [](Direction d) { return Direction{-d.y, d.x}; };
  const double half = width / 2;
  Direction before = direction(points[0], points[1]);
  const Vec2 first = points.front(), last = points.back();
  const double first_length = std::hypot(points[1].x - first.x, points[1].y - first.y);
  const double soft = points.size() == 2 ? std::min(0.5, first_length / 2) : 0.5;
  sections.push_back({{first.x - before.x * 0.5, first.y - before.y * 0.5}, normal_of(before), 0, false});
  sections.push_back({{first.x + before.x * soft, first.y + before.y * soft}, normal_of(before), 1, true});
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    const Direction after = direction(points[i], points[i + 1]);
    const double cosine = before.x * after.x + before.y * after.y;
    const Vec2 at = points[i];
    if (cosine >= kSharpTurn) {
      const Direction sum{before.x + after.x, before.y + after.y};
      const double scale = 1 / (1 + cosine);  // |n|² = 2 (1 + cos), the mitre is n · 2 / |n|²
      sections.push_back({at, {-sum.y * scale, sum.x * scale}, 1, true});
    } else {
      sections.push_back({{at.x + before.x * half, at.y + before.y * half}, normal_of(before), 1, true});
      sections.push_back({{at.x - after.x * half, at.y - after.y * half}, normal_of(after), 1, false});
    }
    before = after;
  }
  sections.push_back({{last.x - before.x * soft, last.y - before.y * soft}, normal_of(before), 1, true});
  sections.push_back({{last.x + before.x * 0.5, last.y + before.y * 0.5}, normal_of(before), 0, true});
}

bool is_finite(Vec2 p) {
  return std::isfinite(p.x) && std::isfinite(p.y);
}

/// Returns the part of a segment inside a rectangle as shares from its start; false if there is none (Liang and
/// Barsky).
bool clipped(Vec2 a, Vec2 b, const Rect& clip, double& enter, double& leave) {
  enter = 0;
  leave = 1;
  const double dx = b.x - a.x, dy = b.y - a.y;
  const std::array<std::array<double, 2>, 4> sides{
      {{-dx, a.x - clip.left}, {dx, clip.right() - a.x}, {-dy, a.y - clip.top}, {dy, clip.bottom() - a.y}}};
  for (const auto& [slope, room] : sides) {
    if (slope == 0) {
      if (room < 0) return false;
      continue;
    }
    const double at = room / slope;
    if (slope < 0) {
      enter = std::max(enter, at);
    } else {
      leave = std::min(leave, at);
    }
  }
  return enter < leave;
}

Vec2 between(Vec2 a, Vec2 b, double share) {
  return {a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)};
}

/// Follows a path and splits it: at gaps (NaN), at the clip's edge, and into dashes.
class Walker {
 public:
  Walker(std::vector<StripPoint>& sections, double width, std::vector<double> pattern, const Rect& clip)
      : sections_(sections), width_(width), pattern_(std::move(pattern)), clip_(clip) {
    for (const double length : pattern_) period_ += length;
  }

  void walk(const std::vector<Vec2>& points) {
    for (std::size_t i = 1; i < points.size(); ++i) {
      const Vec2 a = points[i - 1], b = points[i];
      if (!is_finite(a) || !is_finite(b)) {
        flush();
        continue;
      }
      const double length = std::hypot(b.x - a.x, b.y - a.y);
      double enter = 0, leave = 1;
      if (length == 0) continue;
      if (!clipped(a, b, clip_, enter, leave)) {
        flush();
        advance(length);
        continue;
      }
      if (enter > 0) {
        flush();
        advance(enter * length);
      }
      draw(between(a, b, enter), between(a, b, leave), (leave - enter) * length);
      if (leave < 1) {
        flush();
        advance((1 - leave) * length);
      }
    }
    flush();
  }

 private:
  void draw(Vec2 a, Vec2 b, double length) {
    if (pattern_.empty()) {
      if (piece_.empty()) piece_.push_back(a);
      extend(b);
      return;
    }
    double done = 0;
    while (done < length) {
      const bool on = part_ % 2 == 0;
      const double step = std::min(pattern_[part_] - used_, length - done);
      if (on && piece_.empty()) piece_.push_back(between(a, b, done / length));
      done += step;
      used_ += step;
      if (on) extend(between(a, b, std::min(1.0, done / length)));
      if (used_ >= pattern_[part_] - 1e-9) {
        if (on) flush();
        part_ = (part_ + 1) % pattern_.size();
        used_ = 0;
      }
    }
  }

  /// Adds a point to the piece. It replaces the last one where the piece goes straight on: a vertex there would be
  /// drawn for nothing.
  void extend(Vec2 to) {
    constexpr double kStraight = 0.02, kLongest = 24;  // pixels
    if (piece_.size() > 1) {
      const Vec2 from = piece_[piece_.size() - 2], last = piece_.back();
      const double x = to.x - from.x, y = to.y - from.y, length = std::hypot(x, y);
      const double away = std::abs(x * (last.y - from.y) - y * (last.x - from.x));
      const bool onwards = (last.x - from.x) * (to.x - last.x) + (last.y - from.y) * (to.y - last.y) > 0;
      if (onwards && length < kLongest && away <= kStraight * length) {
        piece_.back() = to;
        return;
      }
    }
    piece_.push_back(to);
  }

  /// Advances the dashes without drawing.
  void advance(double length) {
    if (pattern_.empty()) return;
    length = std::fmod(length, period_);
    while (length > 0) {
      const double step = std::min(pattern_[part_] - used_, length);
      length -= step;
      used_ += step;
      if (used_ < pattern_[part_] - 1e-9) return;
      part_ = (part_ + 1) % pattern_.size();
      used_ = 0;
    }
  }

  void flush() {
    append_polyline(sections_, piece_, width_);
    piece_.clear();
  }

  std::vector<StripPoint>& sections_;
  double width_;
  std::vector<double> pattern_;
  Rect clip_;
  double period_ = 0;
  std::size_t part_ = 0;
  double used_ = 0;
  std::vector<Vec2> piece_;
};

double length_within(const std::vector<Vec2>& points, const Rect& clip) {
  double length = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    double enter = 0, leave = 1;
    const Vec2 a = points[i - 1], b = points[i];
    if (!is_finite(a) || !is_finite(b) || !clipped(a, b, clip, enter, leave)) continue;
    length += (leave - enter) * std::hypot(b.x - a.x, b.y - a.y);
  }
  return length;
}

bool is_straight(const PathItem& path) {
  if (path.points.size() != 2 || !is_finite(path.points[0]) || !is_finite(path.points[1])) return false;
  return path.points[0].x == path.points[1].x || path.points[0].y == path.points[1].y;
}

/// Fills a horizontal or vertical line (its dashes too) as whole pixels.
void fill_straight(ImDrawList* list, const PathItem& path, const Rect& clip) {
  const bool vertical = path.points[0].x == path.points[1].x;
  const double width = std::max(1.0, std::round(path.width));
  const double middle = vertical ? path.points[0].x : path.points[0].y;
  const double side = std::floor(middle - width / 2 + 0.5);
  double from = vertical ? path.points[0].y : path.points[0].x;
  double to = vertical ? path.points[1].y : path.points[1].x;
  if (from > to) std::swap(from, to);
  const double low = vertical ? clip.top : clip.left, high = vertical ? clip.bottom() : clip.right();
  const auto fill = [&](double a, double b) {
    a = std::round(std::max(a, low));
    b = std::round(std::min(b, high));
    if (a >= b) return;
    const ImVec2 p = vertical ? ImVec2(static_cast<float>(side), static_cast<float>(a))
                              : ImVec2(static_cast<float>(a), static_cast<float>(side));
    const ImVec2 q = vertical ? ImVec2(static_cast<float>(side + width), static_cast<float>(b))
                              : ImVec2(static_cast<float>(b), static_cast<float>(side + width));
    list->AddRectFilled(p, q, to_shared_alpha(path.colour, 1));
  };
  std::vector<double> pattern = dash_pattern(path.dash, width);
  if (pattern.empty()) return fill(from, to);
  double period = 0;
  for (double& length : pattern) period += length = std::max(1.0, std::round(length));
  double at = from;
  if (at < low) at += period * std::floor((low - at) / period);
  for (std::size_t part = 0; at < std::min(to, high); part = (part + 1) % pattern.size()) {
    if (part % 2 == 0) fill(at, std::min(at + pattern[part], to));
    at += pattern[part];
  }
}

/// Strokes a path into a draw list, anti-aliased along its sides and ends. ImGui's own polylines have spikes at the
/// sharp corners of an oscillating curve and neither dashes nor soft ends. Dashes continue along the whole path;
/// anything outside `clip` is omitted. Straight horizontal and vertical paths are drawn as whole pixels, sharp.
void stroke_path(ImDrawList* list, const PathItem& path, const Rect& clip) {
  if (path.points.size() < 2 || path.width <= 0 || path.colour.alpha == 0) return;
  const double margin = path.width + 2;
  const Rect room{clip.left - margin, clip.top - margin, clip.width + 2 * margin, clip.height + 2 * margin};
  if (is_straight(path)) return fill_straight(list, path, room);
  std::vector<double> pattern = dash_pattern(path.dash, path.width);
  if (!pattern.empty()) {
    double period = 0;
    for (const double length : pattern) period += length;
    const double dashes = length_within(path.points, room) / period * static_cast<double>(pattern.size()) / 2;
    if (dashes > kMaxDashes) {
      for (double& length : pattern) length *= dashes / kMaxDashes;
    }
  }
  std::vector<StripPoint> sections;
  sections.reserve(path.points.size() + 4);
  Walker(sections, path.width, std::move(pattern), room).walk(path.points);
  write_sections(list, pen_of(list, path.colour, path.width), sections);
}

/// Fills the area of a band as one strip of triangles without gaps. Both ends of a column may be equal.
void fill_band(ImDrawList* list, const BandItem& band) {
  const std::size_t count = std::min({band.xs.size(), band.tops.size(), band.bottoms.size()});
  const ImU32 colour = to_shared_alpha(band.colour, 1);
  const ImVec2 uv = ImGui::GetFontTexUvWhitePixel();
  const auto drawable = [&band](std::size_t i) {
    return std::isfinite(band.xs[i]) && std::isfinite(band.tops[i]) && std::isfinite(band.bottoms[i]);
  };
  for (std::size_t begin = 0; begin < count;) {
    if (!drawable(begin)) {
      ++begin;
      continue;
    }
    std::size_t end = begin + 1;
    while (end < count && end - begin < kChunk && drawable(end)) ++end;
    if (end - begin > 1) {
      list->PrimReserve(static_cast<int>(end - begin - 1) * 6, static_cast<int>(end - begin) * 2);
      for (std::size_t i = begin; i < end; ++i) {
        if (i > begin) {
          const unsigned base = list->_VtxCurrentIdx;
          for (const unsigned index : {base - 2, base - 1, base + 1, base - 2, base + 1, base}) {
            list->PrimWriteIdx(static_cast<ImDrawIdx>(index));
          }
        }
        const float x = static_cast<float>(band.xs[i]);
        list->PrimWriteVtx({x, static_cast<float>(band.tops[i])}, uv, colour);
        list->PrimWriteVtx({x, static_cast<float>(band.bottoms[i])}, uv, colour);
      }
    }
    const bool more = end < count && drawable(end) && end - begin == kChunk;
    begin = more ? end - 1 : end;
  }
}

// --- Fills ---------------------------------------------------------------------------------------------------------

double turn(Vec2 a, Vec2 b, Vec2 c) {
  return (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x);
}

double area(const std::vector<Vec2>& points) {
  double sum = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec2 a = points[i], b = points[(i + 1) % points.size()];
    sum += a.x * b.y - b.x * a.y;
  }
  return sum / 2;
}

/// Returns whether all corners bend in one direction, and once around: a star bends in one direction too.
bool is_convex(const std::vector<Vec2>& points) {
  if (points.size() > 64) return false;
  bool left = false, right = false;
  double around = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec2 a = points[i], b = points[(i + 1) % points.size()], c = points[(i + 2) % points.size()];
    const double bend = turn(a, b, c);
    left |= bend < 0;
    right |= bend > 0;
    around += std::atan2(bend, (b.x - a.x) * (c.x - b.x) + (b.y - a.y) * (c.y - b.y));
  }
  return !(left && right) && std::abs(around) < 6.4;
}

struct Crossing {
  double x = 0;
  int direction = 0;
};

/// Returns where the outline crosses the middle of a row of pixels, from left to right.
std::vector<Crossing> crossings_at(const std::vector<Vec2>& points, double y) {
  std::vector<Crossing> crossings;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec2 a = points[i], b = points[(i + 1) % points.size()];
    if ((a.y <= y) == (b.y <= y)) continue;
    crossings.push_back({a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x), a.y < b.y ? 1 : -1});
  }
  std::sort(crossings.begin(), crossings.end(), [](const Crossing& a, const Crossing& b) { return a.x < b.x; });
  return crossings;
}

/// Fills the area of a polygon: convex ones (arrow heads) with soft edges, others row by row of pixels with the winding
/// rule, whatever their shape; their outlines are drawn over the edges.
void fill_polygon(ImDrawList* list, const PolygonItem& polygon, const Rect& clip) {
  if (polygon.points.size() < 3) return;
  if (is_convex(polygon.points)) {
    std::vector<ImVec2> corners;
    for (const Vec2& p : polygon.points) corners.emplace_back(static_cast<float>(p.x), static_cast<float>(p.y));
    // ImGui softens the edges of clockwise polygons.
    if (area(polygon.points) < 0) std::reverse(corners.begin(), corners.end());
    list->AddConvexPolyFilled(corners.data(), static_cast<int>(corners.size()), colour32(polygon.fill));
    return;
  }
  double top = clip.bottom(), bottom = clip.top;
  for (const Vec2& p : polygon.points) {
    top = std::min(top, p.y);
    bottom = std::max(bottom, p.y);
  }
  bottom = std::min(bottom, clip.bottom());
  for (double y = std::floor(std::max(top, clip.top)); y < bottom; ++y) {
    const std::vector<Crossing> crossings = crossings_at(polygon.points, y + 0.5);
    int winding = 0;
    for (std::size_t i = 0; i + 1 < crossings.size(); ++i) {
      winding += crossings[i].direction;
      if (winding == 0) continue;
      const float left = static_cast<float>(std::round(crossings[i].x));
      const float right = static_cast<float>(std::round(crossings[i + 1].x));
      const float low = static_cast<float>(y);
      if (left < right) list->AddRectFilled({left, low}, {right, low + 1}, colour32(polygon.fill));
    }
  }
}

/// Fills a rectangle with a gradient from the bottom to the top, on whole pixels.
void fill_gradient(ImDrawList* list, const GradientItem& gradient) {
  if (gradient.colours.size() < 2) return;
  const auto whole = [](double value) { return static_cast<float>(std::round(value)); };
  const Rect& rect = gradient.rect;
  const double steps = static_cast<double>(gradient.colours.size() - 1);
  for (std::size_t i = 0; i + 1 < gradient.colours.size(); ++i) {
    const ImU32 lower = colour32(gradient.colours[i]), upper = colour32(gradient.colours[i + 1]);
    const float bottom = whole(rect.bottom() - rect.height * static_cast<double>(i) / steps);
    const float top = whole(rect.bottom() - rect.height * static_cast<double>(i + 1) / steps);
    if (top < bottom) {
      list->AddRectFilledMultiColor({whole(rect.left), top}, {whole(rect.right()), bottom}, upper, upper, lower, lower);
    }
  }
}

}  // namespace

ImU32 colour32(Colour colour) {
  return IM_COL32(colour.red, colour.green, colour.blue, colour.alpha);
}

// --- Glyphs --------------------------------------------------------------------------------------------------------

void want_glyphs(const ImFont* font, std::string_view text) {
#if IMGUI_VERSION_NUM < 19200
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  auto* writing = static_cast<ui::ScreenWriting*>(ImGui::GetIO().UserData);
  if (!writing || std::all_of(text.begin(), text.end(), is_ascii)) return;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    unsigned character = 0;
    at += std::max(1, ImTextCharFromUtf8(&character, at, end));
    const bool shown = character >= 0x80 && character <= IM_UNICODE_CODEPOINT_MAX;
    if (shown && !const_cast<ImFont*>(font)->FindGlyphNoFallback(static_cast<ImWchar>(character)))
      writing->wanted.characters.insert(character);
  }
#else
  (void)font, (void)text;  // later versions load glyphs when drawn
#endif
}

std::string utf8_of(const std::set<unsigned>& characters) {
  std::string text;
  for (const unsigned character : characters) append_utf8(text, character);
  return text;
}

}  // namespace ropescope

namespace ropescope::ui {

// --- Lines ---------------------------------------------------------------------------------------------------------

namespace {

ScreenWriting* writing() {
  return static_cast<ScreenWriting*>(ImGui::GetIO().UserData);
}

const Formulas* known_formulas() {
  const ScreenWriting* with = writing();
  return with && with->ui && with->ui->text ? with->ui->text->formulas().get() : nullptr;
}

/// Returns the em of a font at a size, which is its line height.
float em_of(const ImFont* font, float size) {
  const Ui& ui = *writing()->ui;
  return size * static_cast<float>(ui.fonts.em_of(font)) * ui.scale / font_size(font);
}

ImVec2 words_size(const ImFont* font, float size, std::string_view words) {
  want_glyphs(font, words);
  return const_cast<ImFont*>(font)->CalcTextSizeA(size, FLT_MAX, 0, words.data(), words.data() + words.size());
}

/// A formula's box in whole pixels.
struct WholeBox {
  float width = 0, ascent = 0, descent = 0;
};
WholeBox whole_box(const Formula& formula, float em) {
  const FormulaBox box = formula_box(formula, static_cast<double>(em));
  const auto whole = [](double length) { return static_cast<float>(std::ceil(length)); };
  return {whole(box.width), whole(box.ascent), whole(box.descent)};
}

float baseline_of(const ImFont* font, float size) {
  return std::round(font_ascent(font, size));
}

/// Draws the parts of one line.
struct LinePen {
  ImDrawList* list;
  const ScreenLine& line;
  ImVec4 clip;

  ImU32 colour() const {
    const Colour c = line.colour;
    return IM_COL32(c.red, c.green, c.blue, c.alpha);
  }
  void words(float x, float y, float size, std::string_view text) const {
    want_glyphs(line.font, text);
    const_cast<ImFont*>(line.font)->RenderText(list, size, {x, y}, colour(), clip, text.data(),
                                               text.data() + text.size());
  }
  /// Draws plain characters, at most as wide as the formula, without a graphics card.
  void plain(float x, const Formula& formula, float width) const {
    const float natural = words_size(line.font, line.size, formula.plain).x;
    const float size = line.size * std::min(1.0f, width / std::max(1.0f, natural));
    const float lower = baseline_of(line.font, line.size) - baseline_of(line.font, size);
    words(x, line.at.y + lower, size, formula.plain);
  }
  void formula(float x, const TextRun& run, float width) const {
    ScreenWriting& with = *writing();
    const bool semibold =
        line.font == with.ui->fonts.semibold || line.font == with.ui->fonts.label || line.font == with.ui->fonts.number;
    const FormulaPixels drawn = find_or_draw_pixels(with, *run.formula, run.words, em_of(line.font, line.size),
                                                    formula_ink(with.ui->palette, line.colour, semibold));
    const std::uintptr_t texture = with.ui->gpu && drawn.pixels ? with.ui->gpu->picture(drawn.pixels) : 0;
    if (texture == 0) return plain(x, *run.formula, width);
    const float top = line.at.y + baseline_of(line.font, line.size) - static_cast<float>(drawn.ascent);
    list->AddImage(texture_id(texture), {x, top},
                   {x + static_cast<float>(drawn.pixels->columns), top + static_cast<float>(drawn.pixels->rows)});
  }
};

void draw_runs(const LinePen& pen, std::string_view text) {
  const ScreenLine& line = pen.line;
  float x = line.at.x;
  for (const TextRun& run : runs_of(text, known_formulas())) {
    const float width = run.formula ? whole_box(*run.formula, em_of(line.font, line.size)).width
                                    : std::ceil(words_size(line.font, line.size, run.words).x);
    if (run.formula) {
      pen.formula(x, run, width);
    } else {
      pen.words(x, line.at.y, line.size, run.words);
    }
    x += width;
  }
}

/// Draws a line of text rotated by 90° counter-clockwise: `at` is the bottom left corner of the font's own line.
void draw_upright_line(ImDrawList* list, const ScreenLine& line, std::string_view text) {
  // Written from left to right at the origin, then every vertex is rotated: (x, y) → (y, −x), up from the bottom.
  const int first = list->VtxBuffer.Size;
  const ScreenLine lying{line.font, line.size, {0, 0}, line.colour};
  draw_runs({list, lying, {-1e6f, -1e6f, 1e6f, 1e6f}}, text);
  const float left = std::round(line.at.x), bottom = std::round(line.at.y);
  for (int i = first; i < list->VtxBuffer.Size; ++i) {
    ImVec2& at = list->VtxBuffer[i].pos;
    at = {left + at.y, bottom - at.x};
  }
}

// --- Scenes --------------------------------------------------------------------------------------------------------

/// The atlas font of the nearest size and the size at which its em has the required height.
struct SizedFont {
  ImFont* font = nullptr;
  float size = 0;
};

SizedFont font_for(const Ui& ui, const TextStyle& style) {
  if (style.weight == FontWeight::mono) {
    const double em = ui.fonts.em_of(ui.fonts.mono) * std::max(1e-6, static_cast<double>(ui.scale));
    // Between whole pixels, letters of equal width would be unevenly spaced.
    const double size = std::floor(style.size * static_cast<double>(font_size(ui.fonts.mono)) / em + 1e-3);
    return {ui.fonts.mono, static_cast<float>(size)};
  }
  ImFont* const small = style.weight == FontWeight::semibold ? ui.fonts.semibold : ui.fonts.small;
  ImFont* const large = style.weight == FontWeight::semibold ? ui.fonts.number : ui.fonts.body;
  const auto em = [&ui](const ImFont* font) {
    return ui.fonts.em_of(font) * std::max(1e-6, static_cast<double>(ui.scale));
  };
  const auto far = [&](const ImFont* font) { return std::abs(em(font) - style.size); };
  ImFont* const font = far(small) <= far(large) ? small : large;
  double size = style.size * static_cast<double>(font_size(font)) / em(font);
#if IMGUI_VERSION_NUM >= 19100
  size = std::floor(size + 1e-3);  // loaded in whole pixels: at another size they would be stretched and blurred
#endif
  return {font, static_cast<float>(size)};
}

void draw_text(ImDrawList* list, const Ui& ui, const TextItem& item) {
  const SizedFont sized = font_for(ui, item.style);
  const Rect box = box_of(item, screen_measure(ui));
  const double over = static_cast<double>(line_extent(sized.font, sized.size, item.text).over);
  const auto whole = [](double place) { return static_cast<float>(std::round(place)); };
  const ScreenLine line{sized.font, sized.size, {}, item.colour};
  if (item.vertical) {
    draw_upright_line(list, {line.font, line.size, {whole(box.left + over), whole(box.bottom())}, line.colour},
                      item.text);
  } else {
    const double top = item.own_line ? item.at.y : box.top + over;
    draw_screen_line(list, {line.font, line.size, {whole(box.left), whole(top)}, line.colour}, item.text);
  }
}

struct Painter {
  ImDrawList* list;
  const Ui& ui;
  int clips = 0;

  Rect clip() const {
    const ImVec2 low = list->GetClipRectMin(), high = list->GetClipRectMax();
    return {low.x, low.y, high.x - low.x, high.y - low.y};
  }

  void operator()(const PathItem& item) const { stroke_path(list, item, clip()); }
  void operator()(const BandItem& item) const { fill_band(list, item); }
  void operator()(const RectItem& item) const {
    const auto whole = [](double value) { return static_cast<float>(std::round(value)); };
    list->AddRectFilled({whole(item.rect.left), whole(item.rect.top)},
                        {whole(item.rect.right()), whole(item.rect.bottom())}, colour32(item.fill),
                        static_cast<float>(item.radius));
  }
  void operator()(const DiscItem& item) const {
    list->AddCircleFilled({static_cast<float>(item.centre.x), static_cast<float>(item.centre.y)},
                          static_cast<float>(item.radius), colour32(item.fill));
  }
  void operator()(const PolygonItem& item) const { fill_polygon(list, item, clip()); }
  void operator()(const GradientItem& item) const { fill_gradient(list, item); }
  void operator()(const MapItem& item) const {
    Rect at;
    const MapWindow window = window_of(item, at);
    if (!window.cells || !ui.gpu) return;
    const std::uintptr_t texture = ui.gpu->colour_map(window);
    if (texture == 0) return;
    list->AddImage(texture_id(texture), {static_cast<float>(at.left), static_cast<float>(at.top)},
                   {static_cast<float>(at.right()), static_cast<float>(at.bottom())});
  }
  void operator()(const PictureItem& item) const {
    const std::uintptr_t texture = ui.gpu ? ui.gpu->picture(item.pixels) : 0;
    if (texture == 0) return;
    const auto share = [](double at, double from, double length, bool flipped) {
      const double part = (at - from) / length;
      return static_cast<float>(flipped ? 1 - part : part);
    };
    const Rect &rect = item.rect, &clip = item.clip;
    const ImVec2 first{share(clip.left, rect.left, rect.width, item.flip_x),
                       share(clip.top, rect.top, rect.height, item.flip_y)};
    const ImVec2 last{share(clip.right(), rect.left, rect.width, item.flip_x),
                      share(clip.bottom(), rect.top, rect.height, item.flip_y)};
    list->AddImage(texture_id(texture), {static_cast<float>(clip.left), static_cast<float>(clip.top)},
                   {static_cast<float>(clip.right()), static_cast<float>(clip.bottom())}, first, last,
                   IM_COL32(255, 255, 255, static_cast<int>(std::lround(255 * item.opacity))));
  }
  void operator()(const TextItem& item) const { draw_text(list, ui, item); }
  void operator()(const ClipItem& item) {
    const Rect& r = item.rect;
    list->PushClipRect({static_cast<float>(r.left), static_cast<float>(r.top)},
                       {static_cast<float>(r.right()), static_cast<float>(r.bottom())}, true);
    ++clips;
  }
  void operator()(const UnclipItem&) {
    if (clips == 0) return;
    list->PopClipRect();
    --clips;
  }
};

}  // namespace

bool ScreenWriting::Key::operator<(const Key& other) const {
  const auto packed = [](const Key& key) {
    std::array<std::uint8_t, 12> bytes{};
    for (std::size_t i = 0; i < 3; ++i) {
      const Colour c = key.colours[i];
      std::copy_n(std::array{c.red, c.green, c.blue, c.alpha}.begin(), 4, bytes.begin() + static_cast<long>(4 * i));
    }
    return bytes;
  };
  return std::make_tuple(sign, em, packed(*this), growth) <
         std::make_tuple(other.sign, other.em, packed(other), other.growth);
}

FormulaPixels find_or_draw_pixels(ScreenWriting& with, const Formula& formula, std::string_view sign, float em,
                                  const FormulaInk& ink) {
  const ScreenWriting::Key key{std::string(sign), em, {ink.text, ink.query, ink.key}, ink.growth};
  auto found = with.formulas.find(key);
  if (found == with.formulas.end()) {
    if (with.formulas.size() >= kMaxFormulasKept) {
      const auto older = [](const auto& a, const auto& b) { return a.second.used < b.second.used; };
      with.formulas.erase(std::min_element(with.formulas.begin(), with.formulas.end(), older));
    }
    found =
        with.formulas.emplace(key, ScreenWriting::Kept{formula_pixels(formula, static_cast<double>(em), ink), 0}).first;
  }
  found->second.used = ++with.uses;
  return found->second.drawn;
}

TextExtent line_extent(const ImFont* font, float size, std::string_view text) {
  const std::vector<TextRun> runs = runs_of(text, known_formulas());
  if (runs.empty()) return {};
  if (runs.size() == 1 && !runs.front().formula) return {words_size(font, size, text).x, 0, 0};
  TextExtent extent;
  const float ascent = baseline_of(font, size);
  for (const TextRun& run : runs) {
    if (!run.formula) {
      extent.width += std::ceil(words_size(font, size, run.words).x);
      continue;
    }
    const WholeBox box = whole_box(*run.formula, em_of(font, size));
    extent.width += box.width;
    extent.over = std::max(extent.over, box.ascent - ascent);
    extent.under = std::max(extent.under, box.descent - (size - ascent));
  }
  return extent;
}

void draw_screen_line(ImDrawList* list, const ScreenLine& line, std::string_view text) {
  const ImVec2 low = list->GetClipRectMin(), high = list->GetClipRectMax();
  const ScreenLine whole{line.font, line.size, {std::floor(line.at.x), std::floor(line.at.y)}, line.colour};
  draw_runs({list, whole, {low.x, low.y, high.x, high.y}}, text);
}

void draw_scene(ImDrawList* draw_list, const Ui& ui, const Scene& scene) {
  Painter painter{draw_list, ui};
  for (const SceneItem& item : scene.items) std::visit(painter, item);
  for (; painter.clips > 0; --painter.clips) draw_list->PopClipRect();
}

MeasureText screen_measure(const Ui& ui) {
  return [&ui](std::string_view text, const TextStyle& style) {
    const SizedFont sized = font_for(ui, style);
    const TextExtent line = line_extent(sized.font, sized.size, text);
    return Vec2{static_cast<double>(line.width), static_cast<double>(sized.size + line.over + line.under)};
  };
}

}  // namespace ropescope::ui
