// A figure laid out in a rectangle: paths, texts and maps with places, for any painter. lay_out() makes it of a Figure
// (figure.h); page_canvas.h and app/ui/drawing/screen.h paint it. scene.cpp defines it with its parts in
// scene_axes.cpp, scene_marks.cpp and scene_labels.cpp.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/figure/figure.h"
#include "app/figure/map_window.h"
#include "app/figure/palette.h"
#include "app/figure/scene/ticks.h"

namespace ropescope {

/// A scene is a figure laid out in a rectangle: primitives with final coordinates and colours. Both painters with a
/// canvas (ImGui's draw list on screen, Cairo on the page) only walk its items, so that they cannot differ.
struct Vec2 {
  double x = 0, y = 0;
  bool operator==(const Vec2&) const = default;
};
struct Rect {
  double left = 0, top = 0, width = 0, height = 0;
  double right() const { return left + width; }
  double bottom() const { return top + height; }
  bool contains(Vec2 p) const { return p.x >= left && p.x <= right() && p.y >= top && p.y <= bottom(); }
};

enum class FontWeight { regular, semibold, mono };  ///< mono: every letter as wide
struct TextStyle {
  double size = 13;  ///< height of the em, in the same unit as the rectangle
  FontWeight weight = FontWeight::regular;
};
/// Measures the width of a text and the height of its line. Screen and page bring their own.
using MeasureText = std::function<Vec2(std::string_view, const TextStyle&)>;

struct PathItem {
  std::vector<Vec2> points;
  Colour colour;
  double width = 1;
  Dash dash = Dash::solid;
};
/// Area between two polylines of equal length over the same x.
struct BandItem {
  std::vector<double> xs, tops, bottoms;
  Colour colour;
};
struct RectItem {
  Rect rect;
  Colour fill;
  double radius = 0;
};
struct DiscItem {
  Vec2 centre;
  double radius = 3;
  Colour fill;
};
struct TextItem {
  Vec2 at;
  double anchor_x = 0, anchor_y = 0;  ///< 0…1: which point of the text's box stands at `at`
  std::string text;
  TextStyle style;
  Colour colour;
  bool vertical = false;  ///< turned by 90° counter-clockwise
  /// `at` is the top left corner of the letters' own line, which formulas reach over and under: texts side by side then
  /// stand on one baseline.
  bool own_line = false;
};
/// An area within a closed polyline (non-zero winding), without an outline.
struct PolygonItem {
  std::vector<Vec2> points;
  Colour fill;
};
/// Colours at equal distances from the bottom of a rectangle to its top, blended between them.
struct GradientItem {
  Rect rect;
  std::vector<Colour> colours;
};
/// The cells of a map over a rectangle, of which what lies within `clip` is drawn. Column 0 is at the left and row 0 at
/// the top unless flipped.
struct MapItem {
  std::shared_ptr<const MapCells> cells;
  MapPaint paint;
  Rect rect, clip;
  bool flip_x = false, flip_y = false;
};
/// A photograph over a rectangle, of which what lies within `clip` is drawn; its first row is at the top unless
/// flipped.
struct PictureItem {
  std::shared_ptr<const Pixels> pixels;
  Rect rect, clip;
  double opacity = 1;
  bool flip_x = false, flip_y = false;
};
struct ClipItem {
  Rect rect;
};
struct UnclipItem {};
using SceneItem = std::variant<PathItem, BandItem, RectItem, DiscItem, PolygonItem, GradientItem, MapItem, PictureItem,
                               TextItem, ClipItem, UnclipItem>;

struct Scene {
  std::vector<SceneItem> items;
};

/// One entry of a legend: a sample of the stroke, or of the disc, and what it is; or words alone, true of all.
struct LegendEntry {
  enum class Sample { line, disc, none };
  std::string label;
  LineStyle style;
  Sample sample = Sample::line;
};

/// How many lines the title and the label of the x axis take.
struct LabelLines {
  std::size_t title = 0, x_label = 0;
};

struct FigureOptions {
  double text_size = 13;  ///< of tick labels; everything else follows from it
  double least_text = 0;  ///< no label is set smaller than this, however narrow its place
  double line_width = 1.75;
  double column = 1;    ///< width of a pixel column of the line reduction, in units of the rectangle
  bool legend = false;  ///< names the lines inside the plot, where the figure wants that and there is room
  std::vector<LegendEntry> entries = {};  ///< named inside the plot, whatever the figure wants; above it without room
  Vec2 corner = {};                       ///< where these stand: 0, 0 at the top left … 1, 1 at the bottom right
  bool show_x_labels = true;              ///< a linked panel above another one draws its grid but no x labels
  bool show_y_labels = true;              ///< nor does one at the right of another with the same y axis
  double left_margin = 0;                 ///< at least this much to the left of the plot, so that linked panels align
  double right_margin = 0;                ///< and to its right, where another one has a colour bar
  LabelLines least_lines = {};            ///< of title and x label, where panels of a row have more
};

/// Where a laid-out figure is: what a mouse needs.
struct FigureLayout {
  Scene scene;
  Rect plot;
  AxisMap x, y, right;  ///< right: y where the figure has none
  const AxisMap& y_of(const Line& line) const { return line.right ? right : y; }
};

/// The whole pixels of a map that are to be seen, `at` their places, and the cells they show; no cells where none is.
MapWindow window_of(const MapItem& item, Rect& at);

/// The box that a text fills, turned where it is vertical.
Rect box_of(const TextItem& item, const MeasureText& measure);

/// A text cut to a width, with an ellipsis where something is missing; and a text broken into lines, at spaces where
/// there are any.
std::string elided(std::string_view text, const TextStyle& style, double width, const MeasureText& measure);
std::vector<std::string> wrapped(std::string_view text, const TextStyle& style, double width,
                                 const MeasureText& measure);

/// Width that the y axis of a figure laid out in a rectangle of this size needs (tick labels and axis label): the
/// maximum over linked panels is their left_margin. In the same way to the right: colour bars. The width of the
/// rectangle matters only where ticks have names.
double left_margin_of(const Figure& figure, double height, const FigureOptions& options, const MeasureText& measure,
                      double width = 1e6);
double right_margin_of(const Figure& figure, double height, const FigureOptions& options, const MeasureText& measure,
                       double width = 1e6);

/// Height that the labels below the plot need: what a panel with x labels is taller than one without, for equal plots.
double x_labels_height(const Figure& figure, const FigureOptions& options, const MeasureText& measure,
                       double width = 1e6);

/// The lines of a figure laid out in this width.
LabelLines label_lines_of(const Figure& figure, const FigureOptions& options, const MeasureText& measure, double width);

/// Rows of panels one under the other, each panel with a padding around its figure.
struct PanelColumn {
  Rect room;
  double gap = 0, padding = 0;
  double least = 0;  ///< no row is lower as long as others have height to spare
};
struct PanelPlace {
  Rect rect;              ///< padding included
  FigureOptions options;  ///< as given, but for show_x_labels and left_margin
};
/// Shares the height among the plots; the x labels, which only the last of linked panels has, come on top of its share.
/// All plots begin at the same place, whether linked or not: it looks calmer. Panels in a row share its width in the
/// same way, colour bars on top, and have all their x labels; where rows are parted alike, their plots stand under one
/// another.
std::vector<PanelPlace> stack_panels(const std::vector<Panel>& panels, const PanelColumn& column,
                                     const FigureOptions& options, const MeasureText& measure);

/// Lays out one figure: maps with their colour bars, pictures, grid, ticks at round numbers or names, axis labels,
/// boxes, paths, lines (dense parts as band from minimum to maximum, 22 % opaque, and mean as line), points, arrows,
/// rules, with labels that do not overlap each other. With equal axes the range that is too short for the room grows; a
/// map's plot takes the shape of all of its data instead, and grows only where it is zoomed. Whatever the size, no two
/// texts overlap and none leaves the rectangle: labels without room are cut or left out.
FigureLayout lay_out(const Figure& figure, const Rect& rect, const Palette& palette, const FigureOptions& options,
                     const MeasureText& measure);

}  // namespace ropescope
