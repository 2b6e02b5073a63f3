#include "app/views/shared/frames.h"

#include <algorithm>
#include <cmath>

#include "app/views/shared/counted.h"

namespace ropescope {

namespace {

/// More are too small to be read.
constexpr int kMostTiles = 9;
/// In units of the longer side of a frame, and what all of them together fill best: width over height.
constexpr double kFramesGap = 0.06, kCaption = 0.2, kShape = 1.2;

struct Pitch {
  double x = 0, y = 0, caption = 0;
};

/// From one frame to the next.
Pitch pitch_of(const FrameTiles& tiles) {
  const auto columns = static_cast<double>(tiles.frames.front().columns),
             rows = static_cast<double>(tiles.frames.front().rows);
  const double unit = std::max(columns, rows);
  return {columns + kFramesGap * unit, rows + (kCaption + kFramesGap) * unit, kCaption * unit};
}

std::size_t rows_of_frames(const FrameTiles& tiles) {
  return (tiles.frames.size() + tiles.across - 1) / tiles.across;
}

}  // namespace

CellPlace FrameTiles::place(std::size_t tile) const {
  if (!several()) return {};
  const Pitch pitch = pitch_of(*this);
  return {pitch.x * static_cast<double>(tile % across), pitch.y * static_cast<double>(tile / across), 1};
}

double FrameTiles::width() const {
  const auto columns = static_cast<double>(frames.front().columns);
  return several() ? columns + pitch_of(*this).x * static_cast<double>(across - 1) : columns;
}

double FrameTiles::height() const {
  const auto rows = static_cast<double>(frames.front().rows);
  if (!several()) return rows;
  const Pitch pitch = pitch_of(*this);
  return rows + pitch.caption + pitch.y * static_cast<double>(rows_of_frames(*this) - 1);
}

std::optional<std::int64_t> FrameTiles::token_at(double x, double y) const {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const CellPlace at = place(i);
    if (const auto token = frames[i].token_at(x - at.x, y - at.y)) return token;
  }
  return std::nullopt;
}

std::optional<std::size_t> FrameTiles::tile_of(std::int64_t token) const {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (frames[i].shows(token)) return i;
  }
  return std::nullopt;
}

FrameTiles frame_tiles(const TokenLayout& layout, std::size_t block, const std::vector<int>& frames) {
  FrameTiles tiles;
  tiles.all = layout.blocks[block].frames;
  for (const int frame : frames) tiles.frames.push_back(seen_block(layout, block, frame));
  if (tiles.frames.empty()) tiles.frames.push_back(seen_block(layout, block, 0));
  double best = HUGE_VAL;
  FrameTiles tried = tiles;
  for (tried.across = 1; tried.across <= tiles.frames.size(); ++tried.across) {
    const double off = std::abs(std::log(tried.width() / tried.height() / kShape));
    if (off >= best) continue;
    best = off;
    tiles.across = tried.across;
  }
  return tiles;
}

std::vector<int> shown_frames(int count, const std::vector<int>& wanted) {
  std::vector<int> frames;
  const int tiles = std::min(count, kMostTiles);
  for (int i = 0; i < tiles; ++i) {
    frames.push_back(tiles == 1 ? 0
                                : static_cast<int>(std::lround(static_cast<double>(i) * (count - 1) / (tiles - 1))));
  }
  for (const int each : wanted) {
    const int frame = std::clamp(each, 0, count - 1);
    if (std::find(frames.begin(), frames.end(), frame) != frames.end()) continue;
    // In place of the nearest one between the ends, which stay.
    const auto away = [&](int other) {
      const bool kept = std::find(wanted.begin(), wanted.end(), other) != wanted.end();
      return std::abs(other - frame) + (kept ? count : 0);
    };
    const auto nearest =
        std::min_element(frames.begin() + 1, frames.end() - 1, [&away](int a, int b) { return away(a) < away(b); });
    *nearest = frame;
    std::sort(frames.begin(), frames.end());
  }
  return frames;
}

std::string with_frames(const std::string& title, const FrameTiles& tiles, const Text& text) {
  if (static_cast<int>(tiles.frames.size()) == tiles.all) return title;
  return text.format("view.layout.some_frames",
                     {{"title", title}, {"shown", counted(tiles.frames.size())}, {"frames", counted(tiles.all)}});
}

void add_captions(Figure& figure, const FrameTiles& tiles, std::int64_t token, const Text& text) {
  if (!tiles.several()) return;
  const Pitch pitch = pitch_of(tiles);
  const auto chosen = tiles.tile_of(token);
  for (std::size_t i = 0; i < tiles.frames.size(); ++i) {
    const SeenBlock& frame = tiles.frames[i];
    const CellPlace at = tiles.place(i);
    Label label;
    label.x = at.x + 0.5 * static_cast<double>(frame.columns) - 0.5;
    label.y = at.y + static_cast<double>(frame.rows) - 0.5 + 0.5 * pitch.caption;
    label.text = text.format("view.layout.frame_name", {{"frame", counted(frame.frame + 1)}});
    label.role = i == chosen ? Role::text : Role::secondary;
    label.semibold = i == chosen;
    figure.labels.push_back(label);
  }
}

void fit_tiles(Figure& figure, const FrameTiles& tiles) {
  if (!tiles.several()) return;
  figure.x.counted = figure.x.fit;
  figure.y.counted = figure.y.fit;
  figure.x.fit.high = tiles.width() - 0.5;
  figure.y.fit.high = tiles.height() - 0.5;
  figure.x.range = figure.x.fit;
  figure.y.range = figure.y.fit;
}

void add_tile_frame(Figure& figure, const FrameTiles& tiles, std::int64_t token, Role role) {
  const auto tile = tiles.tile_of(token);
  if (tile) add_patch_frame(figure, tiles.frames[*tile], token, role, tiles.place(*tile));
}

}  // namespace ropescope
