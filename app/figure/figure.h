// A figure as plain data: axes, curves, maps, marks and words. Views make it, scene.h lays it out, painters paint that:
// page_canvas.h on pages, app/ui/drawing/screen.h on screen, table.h as numbers. Read app/experiment/experiment.h
// before and app/views/view.h after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/words.h"

namespace ropescope {

// --- Numbers -------------------------------------------------------------------------------------------------------

/// A number rounded to a whole one, for people: a true minus (U+2212), the mark between thousands (ThousandsMark) from
/// four digits on; a number that rounds to zero has no sign. inf → "∞"; nan → "undefined". 85133 → "85
/// 133"; from 1e15 on as readable_number: 4.87e15 → "4.87 × 10¹⁵".
std::string readable_integer(double value);
/// A number for people with `digits` significant digits, trailing zeros kept only if keep_zeros; digits before the
/// point are never cut off: 54410.28 → "54 410". Below 1e-4, from 1e15 on, and for fractional values from 1e9 on as
/// "1.5 × 10⁻⁵" or "10⁻⁵".
std::string readable_number(double value, int digits = 4, bool keep_zeros = false);
/// A number for people with a fixed number of decimals (similarities: "0.5157", "−0.0990"); from 1e15 on as
/// readable_number.
std::string readable_fixed(double value, int decimals);
/// Ids or their differences: "(0, 17, 41)"; one alone as "17".
std::string ids_text(const std::vector<double>& ids);

/// A number with the way it is written.
struct ShownNumber {
  enum class As { whole, digits, fixed };
  double value = 0;
  As as = As::whole;
  int digits = 0;  ///< significant ones, or decimals
};
template <class Number>
ShownNumber as_whole(Number value) {
  return {static_cast<double>(value), ShownNumber::As::whole, 0};
}
inline ShownNumber with_digits(double value, int digits) {
  return {value, ShownNumber::As::digits, digits};
}
inline ShownNumber with_decimals(double value, int decimals) {
  return {value, ShownNumber::As::fixed, decimals};
}
std::string readable(const ShownNumber& number);

/// A power of ten: "10⁶", "10⁻³".
std::string power_of_ten(int exponent);

/// A number for machines: the shortest text that reads back to the same double, as std::to_chars gives it, that is the
/// shorter one of plain and scientific form: "0.1", "131072", "1e+05", "1e-09", "inf", "nan".
std::string shortest_number(double value);

// --- Series --------------------------------------------------------------------------------------------------------

/// y over x for a line: x is either uniform (first_x + i·step, step > 0) or given in xs (finite, ascending). Immutable
/// once made and shared between painters; blocks hold minimum, maximum, sum and count of every 64 values that are not
/// NaN, so that a line of millions is reduced to pixel columns in microseconds.
struct Series {
  static constexpr std::size_t kBlock = 64;
  struct Block {
    double minimum, maximum, sum;
    std::size_t count;
  };
  double first_x = 0, step = 1;
  std::vector<double> xs;
  std::vector<double> ys;  ///< NaN breaks the line
  std::vector<Block> blocks;

  /// Not inline: whether the product and the sum are fused depends on the flags of whoever compiles it, and every
  /// reader of a line is to see the same x.
  double x_at(std::size_t index) const;
};

/// Makes a series. Throws std::invalid_argument where step is not positive, xs are not finite and ascending, or lengths
/// differ.
std::shared_ptr<const Series> make_series(double first_x, double step, std::vector<double> ys);
std::shared_ptr<const Series> make_series(std::vector<double> xs, std::vector<double> ys);

/// Exact minimum, maximum, mean of ys[begin, end) by blocks; NaN values are passed over; count 0 where nothing is left.
struct Summary {
  double minimum = 0, maximum = 0, mean = 0;
  std::size_t count = 0;
};
Summary summarise(const Series& series, std::size_t begin, std::size_t end);

/// Index of the first x ≥ value (ys.size() if none).
std::size_t lower_index(const Series& series, double value);
/// Index of the x nearest to value, the lower one of two equally near. Precondition: not empty.
std::size_t nearest_index(const Series& series, double value);

// --- Figure --------------------------------------------------------------------------------------------------------

class Formulas;

enum class AxisScale { linear, log, symlog };  ///< symlog: linear within ±1, logarithmic beyond

struct Range {
  double low = 0, high = 1;
  bool operator==(const Range&) const = default;
};

struct FigureAxis {
  std::string name;   ///< machine name, a column of the CSV: "distance", "similarity", "abel_bound"
  std::string label;  ///< what stands beside the axis, unit included: "relative distance Δ (tokens)"
  Range range;        ///< what is shown
  Range fit;          ///< what a double click shows: all of the data
  AxisScale scale = AxisScale::linear;
  std::optional<Range> counted;    ///< where ticks have a meaning; none: everywhere
  bool whole = false;              ///< only whole numbers have a meaning: ticks and picked values are integers
  bool reversed = false;           ///< the low end is at the right or at the top: rows of a matrix count downwards
  std::vector<std::string> names;  ///< tick k is called names[k] instead of "k": the words of a sentence
  std::string range_key;           ///< field that keeps a zoomed range in the experiment, e.g. "decay.distance_range"
  bool unnumbered = false;         ///< a y axis without numbers: its range would tell an answer
};

/// How a line is told apart: the slot picks colour and dash together (five Okabe–Ito colours, five dashes; then other
/// combinations). Faint lines (an envelope) are thinner and half transparent in the same colour.
struct LineStyle {
  int slot = 0;
  bool faint = false;
};

struct Line {
  std::string key;    ///< names the line in `hidden` lists and CSV headers: "current", "pin1", "current.envelope"
  std::string label;  ///< legend entry
  LineStyle style;
  std::shared_ptr<const Series> series;
  bool in_legend = true;
  std::string origin = {};  ///< "base 500000, llama3 (factor 8)": what a CSV says of it, in any language the same
  bool right = false;       ///< its values are read at Figure::right
  /// Of a rope's lines ("pin1", "pin1.trend"): the one name of them all on a page. Empty: the line has its own.
  std::string rope_name = {};
};

struct Points {
  std::string key, label;
  LineStyle style;
  std::vector<double> xs, ys;
  std::vector<std::string> names;  ///< beside each point; may be empty
};

/// `inverse` is the ground that the others stand on: an edge around them over a map.
enum class Role { text, secondary, faint, accent, line, curve, inverse };

/// A vertical or horizontal line across the plot with a label at its end.
struct Rule {
  bool vertical = true;
  double at = 0;
  std::string label;
  bool dashed = true;
  Role role = Role::secondary;
  LineStyle style;        ///< colour where role is curve
  std::string card = {};  ///< the readout that gives the same number: what hides that hides the rule
};

/// A shaded stretch of one axis behind the curves: pairs that a method keeps, bases that allow a context.
struct Span {
  bool vertical = true;  ///< a stretch of the x axis over the whole height; false: of the y axis over the whole width
  double low = 0, high = 0;
  LineStyle style;          ///< colour, 12 % opaque (6 % where faint)
  Role role = Role::curve;  ///< other roles take their own colour
  std::string label;        ///< at the bottom of the stretch, where it fits
};

/// The colours of a map: of one-sided sizes (from dark to bright), of signed values (two hues that meet at 0), of
/// angles (cyclic: both ends look the same). Values that are NaN are left empty and hatched.
enum class MapColours { magnitude, signed_value, angle };

/// What cells that hold angles (radians, which grow without end: neighbours tell how fast they turn) are drawn as: by
/// themselves, or their sine or cosine.
enum class MapWave { none, sine, cosine };

/// What a reduced grid was made of. Its last cell of a row or column may hold less than the others.
struct MapReduction {
  std::size_t columns_per_cell = 1, rows_per_cell = 1;
  std::size_t columns = 0, rows = 0;  ///< of the whole grid; 0: as many as there are cells
  const char* by = "mean";            ///< what a cell holds of its part of the grid: "mean", "middle" or "worst"
};

/// A grid of numbers, row by row; row 0 stands at the low end of the map's y. At most 4 096 a side: larger grids are
/// reduced before (mean of what falls into a cell; of angles the one in its middle).
struct MapCells {
  static constexpr std::size_t kMost = 4096;
  std::size_t columns = 0, rows = 0;
  std::vector<float> values;
  MapReduction reduction = {};
  std::size_t kinds = 1;  ///< of columns that stand in turn: cell c is a neighbour of c + kinds
};

/// What a card says about a place beside the value there.
struct PlaceWords {
  std::string head;                                       ///< in place of the two coordinates; may be empty
  std::vector<std::pair<std::string, std::string>> rows;  ///< label and value
};

/// Cells coloured by value, with a colour bar at the right that maps of one figure with the same range share.
struct Map {
  std::string key, label;  ///< label: what the colours say, beside the bar
  MapColours colours = MapColours::magnitude;
  MapWave wave = MapWave::none;
  double wave_size = 1;  ///< of waves: what their sine or cosine is multiplied by
  Range x, y;  ///< data coordinates of the outer edges of the first and last cell; the latter counts as a full one
  std::shared_ptr<const MapCells> cells;
  Range range;  ///< values at the two ends of the colour bar
  /// The exact value at data coordinates (the cells are float and may be reduced); NaN where there is none. Empty: the
  /// value of the cell.
  std::function<double(double x, double y)> exact;
  /// The exact values of a row of the whole grid at a y, where that is faster than one after the other; may be empty.
  std::function<std::vector<double>(double y)> exact_row;
  std::function<PlaceWords(double x, double y)> words;  ///< for the card at the mouse; may be empty
  bool bar = true;
};

/// Pixels of a photograph, row by row from the top: red, green, blue and alpha (not multiplied).
struct Pixels {
  static constexpr std::size_t kMost = 4096;  ///< a side; larger ones are reduced before
  std::size_t columns = 0, rows = 0;
  std::vector<std::uint8_t> values;
};

/// A picture over the maps. Of one that is larger than `x` and `y`, what stands out is cut off.
struct Picture {
  std::string key;
  Range x, y;              ///< data coordinates of what is seen
  Range whole_x, whole_y;  ///< and of the outer edges of all of it; its first row stands at the low end of y
  std::shared_ptr<const Pixels> pixels;
  double opacity = 1;
};

/// A polyline anywhere in the plane (a Line is a function of x): circles, arcs, spirals, trails.
struct Path {
  std::string key;
  LineStyle style;
  Role role = Role::curve;
  std::vector<double> xs, ys;  ///< NaN lifts the pen
  double width = 1;            ///< times the width of a line
  bool dashed = false;         ///< in the dash of its slot; else solid
  bool filled = false;         ///< the area inside, 14 % opaque, as well
};

/// An arrow from one point to another with a head; the label stands beyond the tip.
struct Arrow {
  std::string key, label;
  LineStyle style;
  Role role = Role::curve;
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
};

/// Words at a point.
struct Label {
  double x = 0, y = 0;
  std::string text;
  Role role = Role::text;
  LineStyle style;                        ///< colour where role is curve
  double anchor_x = 0.5, anchor_y = 0.5;  ///< which point of the text stands there; beyond 0…1 outside of it
  double size = 1;                        ///< times the size of tick labels
  bool semibold = false;
  bool hint = false;  ///< what a hand at the screen may do: in no file
};

/// What somebody wrote on the figure: words, and an arrow from them to a place.
struct FigureNote {
  std::string text;
  double x = 0, y = 0, text_x = 0, text_y = 0;  ///< the place, and the middle of the words
};

/// A rectangle in data coordinates: the cell of a matrix, a patch that is marked.
struct Box {
  Range x, y;
  LineStyle style;
  Role role = Role::curve;
  bool filled = false;  ///< 14 % opaque; else only its outline
};

/// A point that can be dragged or clicked; the view's react() is told its key.
struct Handle {
  std::string key;
  double x = 0, y = 0;
  double radius = 0;  ///< of what is caught, in units of x; 0: as large as a fingertip (12 px)
  bool draggable = true;
  std::string tip;  ///< said while the mouse is over it: "pair 17 · λ 421"
};

/// A paragraph of a figure that is read in place of a plot.
struct Paragraph {
  enum class Look { title, strong, body, faint, code };
  std::string text;  ///< of code: lines, which are kept as they are
  Look look = Look::body;
  bool spare = false;  ///< left out where the room is short
};

/// A cell of a table: words; of numbers they say how a person reads them.
struct GridCell {
  std::string text;
  std::vector<ShownNumber> numbers = {};
};

/// Plain data a person could read; every painter (screen, SVG, PDF, PNG, CSV, JSON) draws the same figure.
struct Figure {
  std::string name;   ///< "similarity", "bound": file names and `--figure`
  std::string cell;   ///< of small multiples: which one, "rope.base=10000"; its name then ends in "@1", "@2", …
  std::string title;  ///< above the plot; may be empty
  FigureAxis x, y;
  std::optional<FigureAxis> right;  ///< a second y axis, at the right: of lines that say so. Not with colour bars
  std::vector<Line> lines;
  std::vector<Points> points;
  std::vector<Rule> rules;
  std::vector<Span> spans;
  std::vector<Map> maps;  ///< under everything else
  /// What CSV and JSON hold in place of the maps, where these show the numbers otherwise; their cells need no values.
  std::vector<Map> tables;
  std::vector<Picture> pictures;
  std::vector<Box> boxes;
  std::vector<Path> paths;
  std::vector<Arrow> arrows;
  std::vector<Label> labels;
  std::vector<FigureNote> notes;
  std::vector<Handle> handles;
  bool equal_axes = false;  ///< one unit is as long on x as on y: circles are round. One of the ranges then grows
  bool bare = false;        ///< no grid, ticks and axis labels: a drawing, not a plot
  double least_lines = 0;   ///< of a drawing: so many lines of words stand one under the other in it
  /// For figures over pairs: per line, the frequency (radians per position) at each x. The card at the crosshair then
  /// shows a clock that turns as the pair does. Empty elsewhere.
  std::vector<std::vector<double>> clocks;
  std::vector<Paragraph> paragraphs;  ///< in place of everything above; such a figure is bare
  /// A table in place of everything above, rows of the same length; the first is its head. Such a figure is bare.
  std::vector<std::vector<GridCell>> grid;
  std::vector<std::string> grid_names;  ///< of its columns, for machines
  std::string copies;                   ///< what a button in its corner copies; empty: there is none
  bool zero_line = false;
  bool legend = false;  ///< a window names its lines inside the plot: they are not the ropes of the chips above it
  std::string empty_message;   ///< shown in the middle where there is nothing to draw: says what to do
  bool empty_is_hint = false;  ///< what it says is for a hand at the screen: in no file
  bool stale = false;          ///< a newer one is being computed
};

/// One figure of a view and its share of the room.
struct Panel {
  Figure figure;
  double height_share = 1;  ///< of its row; the first panel of a row says it
  bool beside = false;      ///< at the right of the panel before it, in the same row
  double width_share = 1;   ///< of the row's width
  bool inner_x = false;     ///< the panel below says what is on the x axis,
  bool inner_y = false;     ///< and the one at the left what is on the y axis
};

/// A button on a card: the view's act() is told its key.
struct CardAction {
  std::string key, label;
  bool on = false;  ///< pressed for now; the next press takes it back
};

/// A number that a card gives, and what stands around it.
struct Quantity {
  ShownNumber number;
  std::string unit = {};                  ///< for machines: "tokens", "pairs", "percent"; empty: none
  std::string form = {};                  ///< key of a text with {number} and {other}; empty: the number alone
  std::optional<ShownNumber> other = {};  ///< "18 of 64"
};

/// Where a token stands: its ids.
struct Position {
  std::vector<double> ids;
};

/// Numbers side by side, each with its name: "row 0 … 63 · column 0 … 31", "factor 4 · kind yarn".
struct NamedValues {
  struct One {
    std::string name = {};                  ///< for machines
    Words label = {};                       ///< the name as shown; empty: the numbers alone
    std::vector<ShownNumber> numbers = {};  ///< one, or several
    bool list = false;                      ///< in brackets, even one alone
    bool range = false;                     ///< from the first to the last
    Words word = {};                        ///< where there are no numbers
  };
  std::vector<One> list;
};

/// What a card gives, without words: a number, a position, several numbers, or the key of a word.
using ReadoutValue = std::variant<Words, Quantity, Position, NamedValues>;

/// A number said in words under the plot.
struct Readout {
  std::string name;   ///< stable: "decay.first_negative"
  std::string label;  ///< "First negative similarity"
  ReadoutValue value;
  std::string text;     ///< the value as shown, "1 707"; made by draw_view() at the end
  std::string note;     ///< a sentence: what it means, and how the first pinned experiment compares
  std::string tooltip;  ///< formula and source
  std::optional<CardAction> action = {};
  double width_share = 1;     ///< of the row of cards
  bool note_is_hint = false;  ///< what a hand at the screen may do: in no file
  bool aside = false;         ///< for lessons and files alone: a card of its own would crowd the row
  std::string cell = {};      ///< as Figure::cell
};

/// All that a view shows for one experiment.
struct ViewResult {
  std::vector<Panel> panels;  ///< panels with equal x.name share (link) their x axis
  std::vector<Readout> readouts;
  bool stale = false;
  std::optional<double> progress;            ///< 0…1: how far what is being computed has come, where that is known
  std::string fault;                         ///< why nothing can be shown; a file of it would be no answer
  std::string undone;                        ///< why it is not shown as it was asked for; the same for a file of it
  std::string language = "en";               ///< of its texts
  std::string thousands = "\u202f";          ///< between thousands in this language
  std::string font = {};                     ///< family for what Latin fonts lack: Han forms differ between languages
  std::shared_ptr<const Formulas> formulas;  ///< in its texts; null where they are plain
  std::string shared;                        ///< what the names of ropes on a page leave out, as all share it
  std::string status;                        ///< for the status line: "131 072 distances × 64 pairs · 3 ms"
};

}  // namespace ropescope
