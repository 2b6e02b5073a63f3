// Figures laid out in a rectangle: paths, texts and maps with places, for any painter. lay_out() converts a Figure
// (figure.h); page_canvas.h and app/ui/drawing/screen.h paint the result. Defined in scene.cpp, scene_axes.cpp,
// scene_marks.cpp and scene_labels.cpp.
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

/// A scene is a figure laid out in a rectangle: primitives with final coordinates and colours. Both canvas painters
/// (ImGui's draw list on screen, Cairo on the page) only walk its items, so they draw the same.
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

enum class FontWeight { regular, semibold, mono };  ///< mono: equal letter widths
struct TextStyle {
  double size = 13;  ///< em height, in the unit of the rectangle
  FontWeight weight = FontWeight::regular;
};
/// Measures the width of a text and the height of its line. Screen and page have their own implementations.
using MeasureText = std::function<Vec2(std::string_view, const TextStyle&)>;

struct PathItem {
  std::vector<Vec2> points;
  Colour colour;
  double width = 1;
  Dash dash = Dash::solid;
  bool data = false;  ///< shows numbers, as a curve does: no label covers it
};
/// Area between two polylines of equal length over the same x.
struct BandItem {
  std::vector<double> xs, tops, bottoms;
  Colour colour;
  bool data = false;  ///< as PathItem::data
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
  bool data = false;  ///< as PathItem::data
};
struct TextItem {
  Vec2 at;
  double anchor_x = 0, anchor_y = 0;  ///< 0…1: point of the text's box that is at `at`
  std::string text;
  TextStyle style;
  Colour colour;
  bool vertical = false;  ///< rotated by 90° counter-clockwise
  /// `at` is the top left corner of the letters' line without formulas, which extend above and below it: adjacent texts
  /// then share one baseline.
  bool own_line = false;
};
/// An area within a closed polyline (non-zero winding), without an outline.
struct PolygonItem {
  std::vector<Vec2> points;
  Colour fill;
};
/// Colours at equal intervals from the bottom of a rectangle to its top, blended between them.
struct GradientItem {
  Rect rect;
  std::vector<Colour> colours;
};
/// The cells of a map over a rectangle; only the part within `clip` is drawn. Column 0 is on the left and row 0 at the
/// top unless flipped.
struct MapItem {
  std::shared_ptr<const MapCells> cells;
  MapPaint paint;
  Rect rect, clip;
  bool flip_x = false, flip_y = false;
};
/// A photograph over a rectangle; only the part within `clip` is drawn. Its first row is at the top unless flipped.
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

/// One entry of a legend: a sample of the stroke, disc, area or rule and its label, or a label without a sample that
/// applies to all entries.
struct LegendEntry {
  enum class Sample { line, disc, both, area, rule, none };
  std::string label;
  LineStyle style;
  Sample sample = Sample::line;
  bool band = false;        ///< a band behind the stroke
  Role role = Role::curve;  ///< of a rule or an area; other roles have their own colour
  bool dashed = false;      ///< of a rule
};
/// Returns the entry of a line.
LegendEntry legend_entry_of(const Line& line);

/// The number of lines of the title and of the x axis label.
struct LabelLines {
  std::size_t title = 0, x_label = 0;
};

struct FigureOptions {
  double text_size = 13;  ///< size of tick labels; everything else follows from it
  double least_text = 0;  ///< no label is smaller than this, however narrow its place
  /// Keeps words clear of strokes, farther from their points if necessary, and drawings clear of the words in their
  /// corners, as is read from a distance: presentation mode, slides and handouts.
  bool clear_words = false;
  double line_width = 1.75;
  double column = 1;                      ///< width of a pixel column of the line reduction, in units of the rectangle
  bool legend = false;                    ///< names the lines inside the plot, if the figure requests that and they fit
  std::vector<LegendEntry> entries = {};  ///< named inside the plot for every figure; above it if they do not fit
  Vec2 corner = {};                       ///< place of `entries`: 0, 0 at the top left … 1, 1 at the bottom right
  bool show_x_labels = true;              ///< false for a linked panel above another: it draws its grid but no x labels
  bool show_y_labels = true;              ///< false for a panel right of another with the same y axis
  double left_margin = 0;                 ///< minimum left of the plot, which aligns linked panels
  double right_margin = 0;                ///< minimum right of it, if another panel has a colour bar
  LabelLines least_lines = {};            ///< minimum of title and x label, if other panels of the row have more
  bool names_lines = false;  ///< a legend outside names the lines: here only where there is room beside them
  bool legend_above = true;  ///< for labels without a place; false: they are not drawn
  double hairline() const { return line_width / 1.75; }
};

/// A laid-out figure with the places that mouse handling needs.
struct FigureLayout {
  Scene scene;
  Rect plot;
  AxisMap x, y, right;  ///< right: equals y if the figure has no right axis
  const AxisMap& y_of(const Line& line) const { return line.right ? right : y; }
};

/// Returns the visible whole pixels of a map with the cells they show, and their places in `at`; no cells if none is
/// visible.
MapWindow window_of(const MapItem& item, Rect& at);

/// Returns the box of a text, rotated if it is vertical.
Rect box_of(const TextItem& item, const MeasureText& measure);

/// Return a text cut to a width, with an ellipsis if anything is missing, and a text broken into lines, at spaces if
/// there are any.
std::string elided(std::string_view text, const TextStyle& style, double width, const MeasureText& measure);
std::vector<std::string> wrapped(std::string_view text, const TextStyle& style, double width,
                                 const MeasureText& measure);

/// Return the width left of the plot that a figure of this height needs (tick labels and axis label; linked panels use
/// their maximum as left_margin), and right of it (colour bars). The width matters only if ticks have names.
double left_margin_of(const Figure& figure, double height, const FigureOptions& options, const MeasureText& measure,
                      double width = 1e6);
double right_margin_of(const Figure& figure, double height, const FigureOptions& options, const MeasureText& measure,
                       double width = 1e6);

/// Returns the height of the labels below the plot: panels with x labels need that much more for equal plots.
double x_labels_height(const Figure& figure, const FigureOptions& options, const MeasureText& measure,
                       double width = 1e6);

/// Returns the numbers of lines for a figure laid out in this width.
LabelLines label_lines_of(const Figure& figure, const FigureOptions& options, const MeasureText& measure, double width);

/// Rows of panels one below the other, each panel with padding around its figure.
struct PanelColumn {
  Rect room;
  double gap = 0, padding = 0;
  double least = 0;  ///< no row is lower while others have height to spare
};
struct PanelPlace {
  Rect rect;              ///< padding included
  FigureOptions options;  ///< as passed, except show_x_labels and left_margin
};
/// Distributes the height among the plots; the x labels, which only the last of linked panels has, are added to its
/// share. All plots, linked or not, start at the same x. Panels in a row share its width in the same way, with colour
/// bars added, and all have x labels. Rows with equal shares have their plots aligned.
std::vector<PanelPlace> stack_panels(const std::vector<Panel>& panels, const PanelColumn& column,
                                     const FigureOptions& options, const MeasureText& measure);

/// Lays out one figure: maps with colour bars, pictures, grid, ticks at round numbers or names, axis labels, boxes,
/// paths, lines (dense parts as band from minimum to maximum, 22 % opaque, and mean as line), points, arrows, rules.
/// With equal axes the range that is too short for the space grows; a map's plot takes the shape of all its data
/// instead, and grows only if zoomed. Texts never overlap or leave the rectangle, whatever its size: labels are cut or
/// omitted. They never cover a curve either: a label next to its mark, else away from it with a line to it, else in a
/// legend above the plot.
FigureLayout lay_out(const Figure& figure, const Rect& rect, const Palette& palette, const FigureOptions& options,
                     const MeasureText& measure);

}  // namespace ropescope
