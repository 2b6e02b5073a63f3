#include "app/figure/screen_path.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ropescope {

namespace {

constexpr std::size_t kChunk = 4000;   ///< points per reservation: with 16-bit indices at most 65 535 vertices
constexpr double kMostDashes = 20000;  ///< of one path; a longer one gets longer dashes
constexpr double kSharpTurn = 0.3;     ///< cosine between directions below which a joint is not mitred

ImU32 with_share(Colour colour, double share) {
  const double alpha = std::clamp(share, 0.0, 1.0) * colour.alpha;
  return IM_COL32(colour.red, colour.green, colour.blue, static_cast<int>(std::lround(alpha)));
}

/// Cross-section of a stroke: full colour within `inner` of the middle, fading to nothing at `outer`. The area under it
/// is the width, so that lines thinner than a pixel become fainter instead of breaking up.
struct ScreenPathPen {
  double inner = 0, outer = 1;
  ImU32 full = 0, none = 0;
};

ScreenPathPen pen_of(Colour colour, double width) {
  ScreenPathPen pen;
  pen.inner = std::max(0.0, (width - 1) / 2);
  pen.outer = pen.inner + 1;
  pen.full = with_share(colour, std::min(1.0, width));
  pen.none = with_share(colour, 0);
  return pen;
}

struct Direction {
  double x = 0, y = 0;
};

Direction direction(Vec2 from, Vec2 to) {
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  return length > 0 ? Direction{(to.x - from.x) / length, (to.y - from.y) / length} : Direction{1, 0};
}

/// Four vertices across the stroke at one point, and the triangles that join them to the previous four.
class Strip {
 public:
  Strip(ImDrawList* list, const ScreenPathPen& pen) : list_(list), pen_(pen) {}

  /// `normal` may be longer than 1 (a mitre); `share` of the colour: 0 at a soft end.
  void add(Vec2 at, Direction normal, double share, bool joined) {
    const ImVec2 uv = ImGui::GetFontTexUvWhitePixel();
    const std::array<double, 4> offsets{-pen_.outer, -pen_.inner, pen_.inner, pen_.outer};
    const ImU32 middle = share >= 1 ? pen_.full : pen_.none;
    if (joined) {
      const unsigned base = list_->_VtxCurrentIdx;
      for (unsigned side = 0; side < 3; ++side) {
        const unsigned a = base - 4 + side, b = base + side;
        for (const unsigned index : {a, a + 1, b + 1, a, b + 1, b}) list_->PrimWriteIdx(static_cast<ImDrawIdx>(index));
      }
    }
    for (std::size_t side = 0; side < 4; ++side) {
      const ImVec2 corner(static_cast<float>(at.x + normal.x * offsets[side]),
                          static_cast<float>(at.y + normal.y * offsets[side]));
      list_->PrimWriteVtx(corner, uv, side == 0 || side == 3 ? pen_.none : middle);
    }
  }

 private:
  ImDrawList* list_;
  ScreenPathPen pen_;
};

/// One point of a strip before it is written.
struct ScreenPathSection {
  Vec2 at;
  Direction normal;
  double share = 1;
  bool joined = true;
};

void write_sections(ImDrawList* list, const ScreenPathPen& pen, const std::vector<ScreenPathSection>& sections) {
  std::size_t begin = 0;
  while (begin < sections.size()) {
    std::size_t end = std::min(begin + kChunk, sections.size());
    int quads = 0;
    for (std::size_t i = begin + 1; i < end; ++i) quads += sections[i].joined ? 3 : 0;
    list->PrimReserve(quads * 6, static_cast<int>(end - begin) * 4);
    Strip strip(list, pen);
    for (std::size_t i = begin; i < end; ++i) {
      strip.add(sections[i].at, sections[i].normal, sections[i].share, i > begin && sections[i].joined);
    }
    if (end == sections.size()) return;
    begin = end - 1;  // the next part starts with the same four vertices
  }
}

/// Appends a polyline with soft ends; sharp turns start anew, each side running on by half the width.
void append_polyline(std::vector<ScreenPathSection>& sections, const std::vector<Vec2>& points, double width) {
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

/// The part of a segment inside a rectangle as shares from its start; false where there is none (Liang and Barsky).
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

/// Walks a path and cuts it: at gaps (NaN), at the clip's edge, and into dashes.
class Walker {
 public:
  Walker(std::vector<ScreenPathSection>& sections, double width, std::vector<double> pattern, const Rect& clip)
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
      piece_.push_back(b);
      return;
    }
    double done = 0;
    while (done < length) {
      const bool on = part_ % 2 == 0;
      const double step = std::min(pattern_[part_] - used_, length - done);
      if (on && piece_.empty()) piece_.push_back(between(a, b, done / length));
      done += step;
      used_ += step;
      if (on) piece_.push_back(between(a, b, std::min(1.0, done / length)));
      if (used_ >= pattern_[part_] - 1e-9) {
        if (on) flush();
        part_ = (part_ + 1) % pattern_.size();
        used_ = 0;
      }
    }
  }

  /// Moves the dashes on without drawing.
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

  std::vector<ScreenPathSection>& sections_;
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

/// A horizontal or vertical line (its dashes too) as whole pixels.
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
    list->AddRectFilled(p, q, with_share(path.colour, 1));
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

}  // namespace

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
    if (dashes > kMostDashes) {
      for (double& length : pattern) length *= dashes / kMostDashes;
    }
  }
  std::vector<ScreenPathSection> sections;
  sections.reserve(path.points.size() + 4);
  Walker(sections, path.width, std::move(pattern), room).walk(path.points);
  write_sections(list, pen_of(path.colour, path.width), sections);
}

void fill_band(ImDrawList* list, const BandItem& band) {
  const std::size_t count = std::min({band.xs.size(), band.tops.size(), band.bottoms.size()});
  const ImU32 colour = with_share(band.colour, 1);
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

}  // namespace ropescope
