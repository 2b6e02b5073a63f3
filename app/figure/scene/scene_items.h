// A laid-out figure: paths, texts and maps with places, for any painter, and the options of the layout. page_canvas.h
// and app/ui/drawing/screen.h paint it; lay_out() of scene.h makes it.
#pragma once

#include <functional>
#include <memory>
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
/// The place of a map or photograph: the rectangle of all of it, of which only the part within `clip` is drawn. Column
/// 0 is on the left and row 0 at the top unless flipped.
struct ImagePlace {
  Rect rect, clip;
  bool flip_x = false, flip_y = false;
};
struct MapItem : ImagePlace {
  std::shared_ptr<const MapCells> cells = {};
  MapPaint paint = {};
};
struct PictureItem : ImagePlace {
  std::shared_ptr<const Pixels> pixels = {};
  double opacity = 1;
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

}  // namespace ropescope
