#include "app/views/similarity/figures.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/marks.h"
#include "app/views/shared/messages.h"
#include "app/views/similarity/parts.h"

namespace ropescope {

namespace {

/// The second side's figures have names of their own.
std::string figure_name(const char* name, std::size_t side) {
  return side == 0 ? name : std::string(name) + "_against";
}

std::string title_of_similarity(const SimilarityScene& scene, const SimilaritySide& side) {
  if (!side.map) return side.title;
  const std::string& axis = side.map->axis;
  return scene.text.format(axis.empty() ? "view.similarity.title" : "view.similarity.title_axis",
                           {{"layout", side.title},
                            {"axes", axes_text(side.map->layout(), scene.text)},
                            {"axis", axis_word(axis, scene.text)}});
}

Figure waiting_figure(const SimilarityScene& scene, std::size_t side, const char* name) {
  Figure figure = empty_figure(figure_name(name, side), "column", "row");
  figure.title = title_of_similarity(scene, scene.sides[side]);
  figure.empty_message = scene.sides[side].fault;
  figure.stale = figure.empty_message.empty();
  figure.bare = !figure.stale;
  return figure;
}

Figure similarity_map_figure(const SimilarityScene& scene, std::size_t index) {
  const SimilaritySide& side = scene.sides[index];
  if (!side.map) return waiting_figure(scene, index, "similarity");
  const SeenBlock& seen = side.map->blocks[side.map->main()];
  Figure figure;
  figure.name = figure_name("similarity", index);
  figure.title = with_frames(title_of_similarity(scene, side), side.map->tiles, scene.text);
  set_patch_axes(figure, "similarity", side.map->layout(), seen, scene.text);
  figure.equal_axes = true;
  figure.maps = similarity_frames(scene, index);
  fit_tiles(figure, side.map->tiles);
  add_captions(figure, side.map->tiles, side.map->anchor, scene.text);
  add_parts(figure, scene, index);
  figure.stale = side.stale;
  return figure;
}

/// Similarity along the row of the anchor, or down its column.
std::vector<double> profile(const SimilarityMap& map, bool along_row) {
  const SeenBlock& seen = map.blocks[map.main()];
  std::vector<double> values;
  const std::int64_t row = seen.row_of(map.anchor), column = seen.column_of(map.anchor);
  for (std::int64_t i = 0; i < (along_row ? seen.columns : seen.rows); ++i) {
    const std::int64_t token = along_row ? row * seen.columns + i : i * seen.columns + column;
    values.push_back(token < seen.count ? map.value(seen.block, seen.first() + token)
                                        : std::numeric_limits<double>::quiet_NaN());
  }
  return values;
}

/// Similarity of the patch at the anchor's place in every frame.
std::vector<double> over_frames(const SimilarityMap& map) {
  const TokenBlock& block = map.layout().blocks[map.main()];
  std::vector<double> values;
  if (block.frames == 1) return values;
  const std::int64_t frame = std::int64_t{block.rows} * block.columns;
  for (std::int64_t i = 0; i < block.frames; ++i)
    values.push_back(map.value(map.main(), i * frame + map.anchor % frame));
  return values;
}

/// The same for all sides, so that heights compare.
Range profile_fit(const SimilarityScene& scene) {
  Range all = kNoRange;
  for (const SimilaritySide& side : scene.sides) {
    if (!side.map) continue;
    for (const bool along_row : {true, false}) {
      for (const double value : profile(*side.map, along_row)) include(all, value);
    }
    for (const double value : over_frames(*side.map)) include(all, value);
  }
  return with_room(all, 0.06, 0.01);
}

Figure profile_figure(const SimilarityScene& scene, std::size_t index, const Range& fit) {
  const SimilaritySide& side = scene.sides[index];
  Figure figure = empty_figure(figure_name("profile", index), {}, {});
  figure.x = named_axis("similarity", "patch_index", scene.text, AxisScale::linear, "profile");
  figure.y = value_axis(named_axis("similarity", "value", scene.text), fit, scene.value_range);
  figure.y.name = "similarity";
  if (side.map && !side.map->axis.empty()) figure.y.label = scene.text["view.similarity.part"];
  if (!side.map) {
    figure.x = fixed_axis(figure.x, {0, 1});
    figure.bare = true;
    return figure;
  }
  const SeenBlock& seen = side.map->blocks[side.map->main()];
  const std::int64_t longest = std::max(seen.rows, seen.columns);
  figure.x = cell_axis(figure.x, longest > 1 ? Range{0, static_cast<double>(longest - 1)} : cell_range(1),
                       scene.profile_range);
  const TextValue row = counted(seen.row_of(side.map->anchor)), column = counted(seen.column_of(side.map->anchor));
  figure.x.label = scene.text.format("view.similarity.profile", {{"row", row}, {"column", column}});
  const auto add = [&](const char* key, const std::string& label, bool along_row, int slot) {
    figure.lines.push_back({key, label, {slot, false}, make_series(0, 1, profile(*side.map, along_row)), false});
  };
  // The first one lies on top: where both coincide, the solid one is seen between the dashes.
  add("down_column", scene.text.format("view.similarity.down_column", {{"column", column}}), false, 1);
  add("along_row", scene.text.format("view.similarity.along_row", {{"row", row}}), true, 0);
  figure.zero_line = true;
  figure.stale = side.stale;
  return figure;
}

bool is_video(const SimilarityScene& scene) {
  return std::any_of(scene.sides.begin(), scene.sides.end(), [](const SimilaritySide& side) {
    return side.map && side.map->layout().blocks[side.map->main()].frames > 1;
  });
}

/// All sides over the frames, which count from 1.
Figure frames_figure(const SimilarityScene& scene, const Range& fit) {
  Figure figure = empty_figure("over_frames", {}, {});
  figure.x = named_axis("similarity", "frame", scene.text);
  figure.y = value_axis(named_axis("similarity", "value", scene.text), fit, scene.value_range);
  figure.y.name = "similarity";
  figure.zero_line = true;
  figure.legend = scene.sides.size() > 1;
  int frames = 1;
  for (std::size_t i = 0; i < scene.sides.size(); ++i) {
    const SimilaritySide& side = scene.sides[i];
    if (!side.map) continue;
    const std::vector<double> values = over_frames(*side.map);
    if (values.empty()) continue;
    frames = std::max(frames, static_cast<int>(values.size()));
    const SeenBlock& seen = side.map->blocks[side.map->main()];
    figure.title = scene.text.format(
        "view.similarity.over_frames",
        {{"row", counted(seen.row_of(side.map->anchor))}, {"column", counted(seen.column_of(side.map->anchor))}});
    figure.lines.push_back({figure_name("over_frames", i),
                            side.title,
                            {static_cast<int>(i), false},
                            make_series(1, 1, values),
                            scene.sides.size() > 1});
    figure.stale |= side.stale;
    if (figure.rules.empty()) {
      add_rule(figure, seen.frame + 1,
               scene.text.format("view.layout.frame_name", {{"frame", counted(seen.frame + 1)}}), Role::text);
    }
  }
  figure.x = fixed_axis(figure.x, {1, static_cast<double>(std::max(frames, 2))});
  figure.x.whole = true;
  return figure;
}

/// Around the anchor, the targets and the patch under the mouse; as large as the shown ranges ask for.
void add_frames(Figure& figure, const SimilarityScene& scene, const SimilarityMap& map) {
  if (scene.pointed) add_tile_frame(figure, map.tiles, *scene.pointed, Role::secondary);
  for (const std::int64_t target : scene.targets) add_tile_frame(figure, map.tiles, target, Role::curve);
  add_tile_frame(figure, map.tiles, map.anchor, Role::text);
}

/// Patches are equally large in both maps, whatever stands beside them.
void share_extent(const SimilarityScene& scene, std::vector<Panel>& maps) {
  double columns = 0, rows = 0;
  for (const Panel& panel : maps) {
    if (panel.figure.maps.empty()) continue;
    columns = std::max(columns, panel.figure.x.fit.high);
    rows = std::max(rows, panel.figure.y.fit.high);
  }
  for (Panel& panel : maps) {
    if (panel.figure.maps.empty()) continue;
    FigureAxis &x = panel.figure.x, &y = panel.figure.y;
    // Beside the patches nothing is counted.
    if (x.fit.high < columns || y.fit.high < rows) {
      if (!x.counted) x.counted = x.fit;
      if (!y.counted) y.counted = y.fit;
    }
    x.fit.high = columns;
    y.fit.high = rows;
    x = data_axis(x, x.fit, scene.column_range);
    y = data_axis(y, y.fit, scene.row_range);
  }
}

}  // namespace

Range similarity_colours(const SimilarityScene& scene) {
  if (!scene.fitted) return {-1, 1};
  Range range = kNoRange;
  for (const SimilaritySide& side : scene.sides) {
    if (side.map) include(range, side.map->range.low), include(range, side.map->range.high);
  }
  constexpr double kFlat = 1e-6;
  if (!(range.low <= range.high)) return {-1, 1};
  return range.high - range.low > kFlat ? range : Range{range.low - kFlat, range.high + kFlat};
}

std::vector<Panel> similarity_panels(const SimilarityScene& scene) {
  constexpr double kProfileHeight = 0.3;
  const Range fit = profile_fit(scene);
  std::vector<Panel> panels;
  for (std::size_t i = 0; i < scene.sides.size(); ++i) panels.push_back({similarity_map_figure(scene, i), 1, i > 0});
  share_extent(scene, panels);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    if (scene.sides[i].map) add_frames(panels[i].figure, scene, *scene.sides[i].map);
  }
  // Frames need the width; their profiles stand below them.
  const bool alone = scene.sides.size() == 1, video = is_video(scene);
  if (alone && !video) panels.front().width_share = 1.4;
  for (std::size_t i = 0; i < scene.sides.size(); ++i) {
    panels.push_back({profile_figure(scene, i, fit), kProfileHeight, (alone && !video) || i > 0});
  }
  if (video) panels.push_back({frames_figure(scene, fit), kProfileHeight, true});
  return panels;
}

}  // namespace ropescope
