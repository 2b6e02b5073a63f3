// Figures as plain data: axes, curves, maps, marks and text. Views produce them, scene.h lays them out, and painters
// draw them: page_canvas.h on pages, app/ui/drawing/screen.h on screen, table.h as numbers. Read
// app/experiment/experiment.h before and app/views/view.h after it.
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

#include "core/message.h"

namespace ropescope {

// --- Numbers -------------------------------------------------------------------------------------------------------

/// Formats a number as a rounded integer for display: true minus (U+2212), thousands separators (ThousandsMark) from
/// four digits on: 85133 → "85 133"; no sign if it rounds to zero. inf → "∞"; nan → "undefined"; from 1e15 on as
/// readable_number: 4.87e15 → "4.87 × 10¹⁵".
std::string readable_integer(double value);
/// Formats a number for display with `digits` significant digits; trailing zeros are kept only with keep_zeros. Digits
/// before the point are never cut off: 54410.28 → "54 410". Below 1e-4, from 1e15 on, and for fractional values from
/// 1e9 on the form is "1.5 × 10⁻⁵" or "10⁻⁵".
std::string readable_number(double value, int digits = 4, bool keep_zeros = false);
/// Formats a number for display with a fixed number of decimals (similarities: "0.5157", "−0.0990"); from 1e15 on as
/// readable_number.
std::string readable_fixed(double value, int decimals);
/// Formats ids or their differences: "(0, 17, 41)"; a single one as "17".
std::string ids_text(const std::vector<double>& ids);

/// A number with its display format.
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

/// Formats a power of ten: "10⁶", "10⁻³".
std::string power_of_ten(int exponent);

/// Formats a number for machines as std::to_chars does: the shortest text that reads back to the same double, plain or
/// scientific, whichever is shorter: "0.1", "131072", "1e+05", "1e-09", "inf", "nan".
std::string shortest_number(double value);

// --- Series --------------------------------------------------------------------------------------------------------

/// y over x for a line: x is uniform (first_x + i·step, step > 0) or listed in xs (finite, ascending). Immutable once
/// constructed and shared between painters. Blocks contain minimum, maximum, sum and count of every 64 values, NaN
/// excluded, so millions of values are reduced to pixel columns in microseconds.
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

  /// Not inline: whether product and sum are fused depends on the compiler flags of each caller, and every caller must
  /// get the same x.
  double x_at(std::size_t index) const;
};

/// Creates a series. Throws std::invalid_argument if step is not positive, xs are not finite and ascending, or lengths
/// differ.
std::shared_ptr<const Series> make_series(double first_x, double step, std::vector<double> ys);
std::shared_ptr<const Series> make_series(std::vector<double> xs, std::vector<double> ys);

/// Exact minimum, maximum and mean of ys[begin, end) by blocks; NaN values are skipped; count 0 if no value is left.
struct Summary {
  double minimum = 0, maximum = 0, mean = 0;
  std::size_t count = 0;
};
Summary summarise(const Series& series, std::size_t begin, std::size_t end);

/// Returns the index of the first x ≥ value (ys.size() if no x is).
std::size_t lower_index(const Series& series, double value);
/// Returns the index of the x nearest to value, on a tie the lower one. Precondition: not empty.
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
  std::string label;  ///< axis label with the unit: "relative distance Δ (tokens)"
  Range range;        ///< visible range
  Range fit;          ///< range after a double click: all of the data
  AxisScale scale = AxisScale::linear;
  std::optional<Range> counted;    ///< where ticks have a meaning; nullopt: everywhere
  bool whole = false;              ///< only integers have a meaning: ticks and picked values are integers
  bool reversed = false;           ///< the low end is on the right or at the top: rows of a matrix count downwards
  std::vector<std::string> names;  ///< tick k is called names[k] instead of "k": the words of a sentence
  std::string range_key;           ///< field that keeps a zoomed range in the experiment, e.g. "decay.distance_range"
  bool unnumbered = false;         ///< a y axis without numbers: its range would reveal an answer
};

/// A line's colour and dash: the slot selects both together (five Okabe–Ito colours, five dashes; then other
/// combinations). Faint lines (an envelope) are thinner and half transparent in the same colour.
struct LineStyle {
  int slot = 0;
  bool faint = false;
  bool lit = false;  ///< highlighted by a lesson: a wider stroke
};

/// How the values of a line are drawn: joined, as discs, as both, or not at all (an interval without values).
enum class LineMarks { line, markers, both, none };

struct Line {
  std::string key;    ///< names the line in `hidden` lists and CSV headers: "current", "pin1", "current.envelope"
  std::string label;  ///< legend entry
  LineStyle style;
  std::shared_ptr<const Series> series;
  bool in_legend = true;
  std::string origin = {};  ///< "base 500000, llama3 (factor 8)": the description in a CSV, the same in every language
  bool right = false;       ///< its values are read at Figure::right
  /// The name on a page that all lines of one rope share ("pin1", "pin1.trend"). Empty: the line has its own name.
  std::string rope_name = {};
  LineMarks marks = LineMarks::line;
  /// An interval around each value, over the same x: a band, or bars with caps. Null: none.
  std::shared_ptr<const Series> low = nullptr, high = nullptr;
  bool bars = false;
};

struct Points {
  std::string key, label;
  LineStyle style;
  std::vector<double> xs, ys;
  std::vector<std::string> names;  ///< next to each point; may be empty
};

/// `inverse` is the background of the other roles: an outline around them over a map.
enum class Role { text, secondary, faint, accent, line, curve, inverse };

/// A vertical or horizontal line across the plot with a label at its end.
struct Rule {
  bool vertical = true;
  double at = 0;
  std::string label;
  bool dashed = true;
  Role role = Role::secondary;
  LineStyle style;        ///< colour where role is curve
  std::string card = {};  ///< the readout with the same number: hiding it hides the rule
};

/// A shaded interval of one axis drawn under the curves: pairs that a method keeps, bases that allow a context.
struct Span {
  bool vertical = true;  ///< an interval of the x axis over the whole height; false: of the y axis over the whole width
  double low = 0, high = 0;
  LineStyle style;          ///< colour, 12 % opaque (6 % if faint)
  Role role = Role::curve;  ///< other roles have their own colour
  std::string label;        ///< at the bottom of the interval, if it fits
};

/// The colours of a map: of nonnegative sizes (from dark to bright), of signed values (two hues that meet at 0), or of
/// angles (cyclic: both ends look the same). NaN cells are empty and hatched.
enum class MapColours { magnitude, signed_value, angle };

/// How cells with angles are drawn: as they are, or as their sine or cosine. The angles are in radians and not wrapped:
/// differences between neighbouring cells give the rate of rotation.
enum class MapWave { none, sine, cosine };

/// The reduction of a grid to cells. Its last cell of a row or column may cover fewer values than the others.
struct MapReduction {
  std::size_t columns_per_cell = 1, rows_per_cell = 1;
  std::size_t columns = 0, rows = 0;  ///< of the whole grid; 0: as many as there are cells
  const char* by = "mean";            ///< the value that represents a cell: "mean", "middle" or "worst"
};

/// A grid of numbers in row-major order; row 0 is at the low end of the map's y. At most 4 096 per side: larger grids
/// are reduced first (the mean of the values in a cell; for angles the middle value).
struct MapCells {
  static constexpr std::size_t kMax = 4096;
  std::size_t columns = 0, rows = 0;
  std::vector<float> values;
  MapReduction reduction = {};
  std::size_t kinds = 1;  ///< kinds of columns, which alternate: the neighbour of cell c is c + kinds
};

/// The text of a card about a place, in addition to the value there.
struct PlaceWords {
  std::string head;                                       ///< in place of the two coordinates; may be empty
  std::vector<std::pair<std::string, std::string>> rows;  ///< label and value
};

/// Cells coloured by value, with a colour bar on the right that maps of one figure with the same range share.
struct Map {
  std::string key, label;  ///< label: what the colours mean, next to the bar
  MapColours colours = MapColours::magnitude;
  MapWave wave = MapWave::none;
  double wave_size = 1;  ///< for waves: factor on their sine or cosine
  Range x, y;  ///< data coordinates of the outer edges of the first and last cell; the latter counts as a full one
  std::shared_ptr<const MapCells> cells;
  Range range;  ///< values at the two ends of the colour bar
  /// Returns the exact value at data coordinates (cells are float and may be reduced), or NaN if there is none. Empty:
  /// the value of the cell is used.
  std::function<double(double x, double y)> exact;
  /// Returns the exact values of a whole grid row at a y, if that is faster than one by one; may be empty.
  std::function<std::vector<double>(double y)> exact_row;
  std::function<PlaceWords(double x, double y)> words;  ///< for the card at the mouse; may be empty
  bool bar = true;
};

/// Pixels of a photograph, row by row from the top: red, green, blue and alpha (not multiplied).
struct Pixels {
  static constexpr std::size_t kMax = 4096;  ///< per side; larger ones are reduced first
  std::size_t columns = 0, rows = 0;
  std::vector<std::uint8_t> values;
};

/// A picture over the maps. If it is larger than `x` and `y`, the rest is cut off.
struct Picture {
  std::string key;
  Range x, y;              ///< data coordinates of the visible part
  Range whole_x, whole_y;  ///< outer edges of the whole picture; its first row is at the low end of y
  std::shared_ptr<const Pixels> pixels;
  double opacity = 1;
};

/// A polyline anywhere in the plane: circles, arcs, spirals, trails. (A Line is a function of x.)
struct Path {
  std::string key;
  LineStyle style;
  Role role = Role::curve;
  std::vector<double> xs, ys;  ///< NaN interrupts the line
  double width = 1;            ///< times the width of a line
  bool dashed = false;         ///< in the dash of its slot; else solid
  bool filled = false;         ///< the area inside, 14 % opaque, as well
};

/// An arrow from one point to another with a head; the label is beyond the tip.
struct Arrow {
  std::string key, label;
  LineStyle style;
  Role role = Role::curve;
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
};

/// Text at a point.
struct Label {
  double x = 0, y = 0;
  std::string text;
  Role role = Role::text;
  LineStyle style;                        ///< colour where role is curve
  double anchor_x = 0.5, anchor_y = 0.5;  ///< point of the text's box that is at x, y: 0…1 is inside the box
  double size = 1;                        ///< times the size of tick labels
  bool semibold = false;
  bool hint = false;  ///< advice for interactive use only: omitted from files
};

/// A user's text on a figure of a view with an arrow to a point, in the figure's data coordinates.
struct Note {
  std::string view, figure, text;
  double x = 0, y = 0, text_x = 0, text_y = 0;  ///< the point, and the centre of the text
  bool operator==(const Note&) const = default;
};

/// A rectangle in data coordinates: the cell of a matrix, a patch that is marked.
struct Box {
  Range x, y;
  LineStyle style;
  Role role = Role::curve;
  bool filled = false;  ///< 14 % opaque; else only its outline
};

/// A point that can be dragged or clicked; its key is passed to the view's react().
struct Handle {
  std::string key;
  double x = 0, y = 0;
  /// Radius that catches the mouse, in units of x. 0: the size of a fingertip (12 px); infinite: anywhere in the plot
  /// that has no other handle.
  double radius = 0;
  bool draggable = true;
  std::string tip;  ///< shown while the mouse is over it: "pair 17 · λ 421"
};

/// A paragraph in a figure that consists of text instead of a plot.
struct Paragraph {
  enum class Look { title, strong, body, faint, code };
  std::string text;  ///< for code: lines, which are kept as they are
  Look look = Look::body;
  bool spare = false;  ///< omitted if space is short
};

/// A cell of a table: a text; if there are numbers, the text is their display form.
struct GridCell {
  std::string text;
  std::vector<ShownNumber> numbers = {};
};

/// A figure as plain data; every painter (screen, SVG, PDF, PNG, CSV, JSON) draws the same figure.
struct Figure {
  std::string name;   ///< "similarity", "bound": file names and `--figure`
  std::string cell;   ///< which of the small multiples: "rope.base=10000"; the name then ends in "@1", "@2", …
  std::string title;  ///< above the plot; may be empty
  FigureAxis x, y;
  std::optional<FigureAxis> right;  ///< a second y axis on the right, for lines with Line::right. Not with colour bars
  std::vector<Line> lines;
  std::vector<Points> points;
  std::vector<Rule> rules;
  std::vector<Span> spans;
  std::vector<Map> maps;  ///< under everything else
  /// The data of CSV and JSON instead of the maps, if they list other numbers; the cells need no values.
  std::vector<Map> tables;
  std::vector<Picture> pictures;
  std::vector<Box> boxes;
  std::vector<Path> paths;
  std::vector<Arrow> arrows;
  std::vector<Label> labels;
  std::vector<Note> notes;
  std::vector<Handle> handles;
  bool equal_axes = false;  ///< a unit has the same length on x and y: circles are round. One of the ranges then grows
  /// With equal axes, the share of the way back to a drawing that fills its plot, from 0 to 1: a unit of the longer
  /// axis is (ratio of the units that fill)^stretch times that of the other.
  double stretch = 0;
  bool bare = false;       ///< no grid, ticks and axis labels: a drawing, not a plot
  double least_lines = 0;  ///< for a drawing: its number of text lines one below the other
  /// The frequency (radians per position) at each x, per line, for figures over pairs. The card at the crosshair then
  /// shows a clock that rotates as the pair does. Empty in other figures.
  std::vector<std::vector<double>> clocks;
  std::vector<Paragraph> paragraphs;  ///< instead of everything above; such a figure is bare
  /// A table instead of everything above, rows of the same length; the first is its head. Such a figure is bare.
  std::vector<std::vector<GridCell>> grid;
  std::vector<std::string> grid_names;  ///< names of its columns, for machines
  std::string copies;                   ///< what a button in its corner copies; empty: no button
  bool zero_line = false;
  bool legend = false;         ///< its lines are named inside the plot in a window too, because the chips above it do
                               ///< not
  std::string empty_message;   ///< shown in the middle if there is nothing to draw: advice on what to do
  bool empty_is_hint = false;  ///< the message is for interactive use only: omitted from files
  bool stale = false;          ///< a newer one is being computed
};

/// One figure of a view and its share of the page or window.
struct Panel {
  Figure figure;
  double height_share = 1;  ///< height of its row; set in the first panel of the row
  bool beside = false;      ///< right of the previous panel, in the same row
  double width_share = 1;   ///< share of the row's width
  bool inner_x = false;     ///< the panel below names the x axis
  bool inner_y = false;     ///< the panel on the left names the y axis
};

/// A button on a card; its key is passed to the view's act().
struct CardAction {
  std::string key, label;
  bool on = false;  ///< pressed; pressing it again undoes it
};

/// A number on a card with its unit and the text around it.
struct Quantity {
  ShownNumber number;
  std::string unit = {};                  ///< for machines: "tokens", "pairs", "percent"; empty: no unit
  std::string form = {};                  ///< key of a text with {number} and {other}; empty: only the number
  std::optional<ShownNumber> other = {};  ///< "18 of 64"
};

/// The position of a token: its ids.
struct Position {
  std::vector<double> ids;
};

/// Numbers side by side, each with its name: "row 0 … 63 · column 0 … 31", "factor 4 · kind yarn".
struct NamedValues {
  struct One {
    std::string name = {};                  ///< for machines
    Message label = {};                     ///< the name as shown; empty: only the numbers
    std::vector<ShownNumber> numbers = {};  ///< one, or several
    bool list = false;                      ///< in brackets, even a single one
    bool range = false;                     ///< from the first to the last
    Message word = {};                      ///< if there are no numbers
  };
  std::vector<One> list;
};

/// The value of a card without text: a number, a position, several numbers, or the key of a word.
using ReadoutValue = std::variant<Message, Quantity, Position, NamedValues>;

/// A number described in words under the plot.
struct Readout {
  std::string name;   ///< stable: "decay.first_negative"
  std::string label;  ///< "First negative similarity"
  ReadoutValue value;
  std::string text;     ///< the value as shown, "1 707"; set by draw_view() at the end
  std::string note;     ///< a sentence: what it means, and how the first pinned experiment compares
  std::string tooltip;  ///< formula and source
  std::optional<CardAction> action = {};
  double width_share = 1;     ///< share of the row of cards
  bool note_is_hint = false;  ///< the note is for interactive use only: omitted from files
  bool aside = false;         ///< only for lessons and files: its own card would crowd the row
  std::string cell = {};      ///< as Figure::cell
};

/// The complete output of a view for one experiment.
struct ViewResult {
  std::vector<Panel> panels;  ///< panels with equal x.name share (link) their x axis
  std::vector<Readout> readouts;
  bool stale = false;
  std::optional<double> progress;            ///< 0…1: progress of the current computation, if known
  std::string fault;                         ///< why nothing can be shown; a file would be useless
  std::string undone;                        ///< why the view differs from the request; true of files too
  std::string language = "en";               ///< of its texts
  std::string thousands = "\u202f";          ///< thousands separator of this language
  std::string font = {};                     ///< family for letters missing in Latin fonts: Han forms vary by locale
  std::shared_ptr<const Formulas> formulas;  ///< formulas in its texts; null if the texts are plain
  std::string shared;                        ///< settings that all ropes on a page share, omitted from their names
  std::string status;                        ///< for the status line: "131 072 distances × 64 pairs · 3 ms"
};

}  // namespace ropescope
