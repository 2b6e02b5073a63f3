// Encodings with valid fields, and the three pictures of the view Compare.
//
// Contents: Encodings; Distance; Matrix; Phrase.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "app/figure/figure.h"
#include "app/views/compare/view.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/ropes.h"
#include "core/attention/attention.h"
#include "core/message.h"

namespace ropescope {

// --- Encodings -----------------------------------------------------------------------------------------------------

namespace {

/// Throws InputError if the fields do not form a valid model.
ReadyEncoding ready_encoding(const Experiment& experiment, const Encoding& encoding) {
  ReadyEncoding ready{&encoding, collect_encoding_settings(experiment.rope, experiment.encoding, encoding)};
  validate(encoding, ready.settings);
  return ready;
}

/// Returns the selected encodings with valid fields; errors of the others are added to `faults`.
std::vector<ReadyEncoding> ready_encodings(const Experiment& experiment, Message::List& faults) {
  std::vector<ReadyEncoding> ready;
  for (const std::string& name : experiment.compare.encodings) {
    const Encoding& encoding = find_encoding(name);
    try {
      ready.push_back(ready_encoding(experiment, encoding));
    } catch (const InputError& error) {
      faults.push_back(error.words());
    }
  }
  return ready;
}

// --- Distance ------------------------------------------------------------------------------------------------------

AxisScale distance_scale(const CompareFields& fields) {
  const AxisScale scale = fields.distance_axis;
  // A logarithmic axis cannot show later keys.
  return fields.later_keys && scale == AxisScale::log ? AxisScale::symlog : scale;
}

FigureAxis distance_distance_axis(const CompareFields& fields, const Text& text) {
  const FigureAxis axis = named_axis("encodings", "distance", text, distance_scale(fields));
  if (fields.later_keys) return cell_axis(axis, {-fields.span, fields.span}, fields.zooms);
  return distance_axis(axis, fields.span, fields.zooms);
}

/// Returns the range of all finite values and 0 on the left axis.
Range fit_distance_scores(const std::vector<Line>& lines, double right_factor) {
  Range all{0, 0};
  for (const Line& line : lines) {
    const Range range = widened({0, 0}, *line.series);
    const double factor = line.right ? right_factor : 1;
    include(all, range.low / factor);
    include(all, range.high / factor);
  }
  const auto [low, high] = all;
  const double room = 0.05 * std::max(high - low, 0.1);
  return {low - (low < 0 ? room : 0), high + room};
}

/// Lines with values so many times as large as those of the others are read on a second axis.
constexpr double kOtherScale = 8;

/// Returns the factor from the left axis to the right one, 1, 2 or 5 times a power of ten so that both have round ticks
/// at the same heights, and marks the lines that are read on the right. Their values are separated from those of the
/// others by the largest step between the sizes of lines. 1: one axis suits all.
double split_scales(std::vector<Line>& lines) {
  std::vector<std::pair<double, Line*>> sizes;
  for (Line& line : lines) {
    const double size = largest_size(line.series->ys);
    if (size > 0) sizes.emplace_back(size, &line);
  }
  std::sort(sizes.begin(), sizes.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t split = 0;
  double step = kOtherScale;
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    const double next = sizes[i].first / sizes[i - 1].first;
    if (next >= step) step = next, split = i;
  }
  if (split == 0) return 1;
  for (std::size_t i = split; i < sizes.size(); ++i) sizes[i].second->right = true;
  const double factor = std::log10(sizes.back().first / sizes[split - 1].first), decade = std::floor(factor);
  const double rest = factor - decade;
  // The logarithms of 1, 2, 5 and 10 are about 0, 0.3, 0.7 and 1.
  return (rest < 0.15 ? 1 : rest < 0.5 ? 2 : rest < 0.85 ? 5 : 10) * std::pow(10, decade);
}

/// Adds the axis of the lines on the right, which follows the left one: 0 is at the same height on both.
void add_right_axis(Figure& figure, double factor, const Text& text) {
  const auto scaled = [factor](const Range& range) { return Range{factor * range.low, factor * range.high}; };
  std::vector<std::string> names;
  for (const Line& line : figure.lines) {
    if (line.right) names.push_back(line.label);
  }
  FigureAxis right = figure.y;
  right.name = "score_right";
  right.label = joined(names, text["list.between"]);
  right.range = scaled(figure.y.range);
  right.fit = scaled(figure.y.fit);
  right.range_key.clear();
  figure.right = std::move(right);
}

/// Returns the distance at which a curve ends because the query's position is past the end of the table.
std::optional<double> table_end(const ReadyEncoding& ready, const CompareFields& fields) {
  if (!ready.encoding->positions) return std::nullopt;
  const double end = static_cast<double>(ready.encoding->positions(ready.settings)) - fields.key_position;
  return end > 0 ? std::optional(end) : std::nullopt;
}

/// Returns a slot for each curve: its encoding's, unless an earlier curve has the same colour, then one of an unused
/// colour. If all are used, one curve gets the text colour, and the others are distinguished by their dashes.
std::vector<int> slots_of(const std::vector<ShownCurve>& curves) {
  constexpr int kColours = 5;
  std::set<int> colours;
  std::vector<std::optional<int>> found;
  for (const ShownCurve& shown : curves) {
    const int own = encoding_slot(shown.ready.encoding->name);
    found.push_back(colours.insert(own % kColours).second ? std::optional(own) : std::nullopt);
  }
  bool words = false;
  std::vector<int> slots;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const int own = encoding_slot(curves[i].ready.encoding->name);
    int colour = 0;
    while (!found[i] && colour < kColours && !colours.insert(colour).second) ++colour;
    if (found[i]) {
      slots.push_back(own);
    } else if (colour < kColours) {
      slots.push_back(own / kColours * kColours + colour);
    } else {
      slots.push_back(std::exchange(words, true) ? own : -1 - own);
    }
  }
  return slots;
}

constexpr const char* kDistanceScores = "scores";

Figure distance_scores_figure(const std::vector<ShownCurve>& curves, const Experiment& experiment, const Text& text) {
  const CompareFields& fields = experiment.compare;
  Figure figure = named_figure(kDistanceScores);
  figure.x = distance_distance_axis(fields, text);
  const std::vector<int> slots = slots_of(curves);
  for (const ShownCurve& shown : curves) {
    const LineStyle style{slots[static_cast<std::size_t>(&shown - curves.data())], false};
    const std::string name(shown.ready.encoding->name);
    figure.lines.push_back({name, encoding_label(*shown.ready.encoding, experiment.rope, text), style,
                            fields.normalised ? shown.curve->normalised : shown.curve->scores});
    const auto end = table_end(shown.ready, fields);
    const bool marked = end && std::any_of(figure.rules.begin(), figure.rules.end(),
                                           [&end](const Rule& rule) { return rule.at == *end; });
    if (!end || marked) continue;
    add_rule(figure, *end, text.format("view.encodings.table_end", {{"rows", counted(*end + fields.key_position)}}),
             Role::curve, style);
  }
  const double factor = fields.score_axis == AxisScale::linear ? split_scales(figure.lines) : 1;
  figure.y = value_axis(named_axis("encodings", "score", text, fields.score_axis),
                        fit_distance_scores(figure.lines, factor), fields.zooms);
  if (fields.normalised) {
    const bool louder = std::any_of(curves.begin(), curves.end(), [](const ShownCurve& shown) {
      return shown.ready.settings.ladder && shown.ready.settings.ladder->amplitude != 1;
    });
    figure.y.label = text[louder ? "view.encodings.normalised_with_amplitude" : "view.encodings.normalised"];
  }
  figure.zero_line = true;
  figure.legend = true;
  if (factor != 1) add_right_axis(figure, factor, text);
  for (Line& line : figure.lines) {
    if (line.right) line.label = text.format("view.encodings.on_the_right", {{"encoding", line.label}});
  }
  constexpr std::size_t kMaxNamed = 6;
  if (figure.lines.size() <= kMaxNamed) name_lines(figure, {0.72, 0.3, 0.12});
  return figure;
}

/// Returns the position of a score on the axis, up to its scale.
double place_of_distance(double score, AxisScale scale) {
  if (scale != AxisScale::symlog || std::abs(score) <= 1) return score;
  return std::copysign(1 + std::log10(std::abs(score)), score);
}

/// Returns the encoding of the curve nearest to the mouse, or the first one. The figure has one line per curve.
const Encoding& find_pointed_encoding(const std::vector<ShownCurve>& curves, const Experiment& experiment,
                                      const Figure& figure) {
  const auto& pointer = experiment.pointer;
  const Encoding* nearest = curves.front().ready.encoding;
  if (!pointer || pointer->figure != kDistanceScores) return *nearest;
  const AxisScale scale = figure.y.scale;
  const auto length = [](const FigureAxis& axis) { return axis.range.high - axis.range.low; };
  const double factor = figure.right ? length(*figure.right) / length(figure.y) : 1;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const Series& series = *figure.lines[i].series;
    const double score = series.ys[nearest_index(series, pointer->x)] / (figure.lines[i].right ? factor : 1);
    const double away = std::abs(place_of_distance(score, scale) - place_of_distance(pointer->y, scale));
    if (away < least) least = away, nearest = curves[i].ready.encoding;
  }
  return *nearest;
}

DistanceCurveInput input_of_distance(const ReadyEncoding& ready, const CompareFields& fields) {
  DistanceCurveInput input;
  input.ready = ready;
  input.content.random = fields.content == ContentKind::random;
  if (input.content.random) input.content.seed = static_cast<std::uint64_t>(fields.seed);
  // A relative encoding's curve does not depend on the key's position.
  if (!ready.encoding->relative) input.key_position = std::llround(fields.key_position);
  input.last = std::llround(fields.span);
  input.first = fields.later_keys ? -input.last : 0;
  return input;
}

// --- Matrix --------------------------------------------------------------------------------------------------------

/// Maps that fit side by side above the row of curves.
constexpr std::size_t kMapsInARow = 3;
/// Scores that differ by less than this fraction of the largest are considered equal.
constexpr double kMatrixSame = 1e-9;

struct MatrixShown {
  const CompareFields& fields;
  const ScoreMaps& maps;
  double query = 0;      ///< position of the drawn row
  std::string encoding;  ///< name with its ladder
  const Text& text;
};

FigureAxis token_axis(const MatrixShown& shown, bool key) {
  FigureAxis axis = named_axis("encodings", key ? "key" : "query", shown.text);
  axis.reversed = !key;
  return cell_axis(axis, cell_range(shown.maps.total.rows(), static_cast<double>(shown.maps.first)),
                   shown.fields.zooms);
}

/// The ends of the colour scale.
struct Colouring {
  MapColours colours = MapColours::signed_value;
  Range range;
};

/// Returns colours from the smallest to the largest score; for equal scores, over an interval of length 1 around them.
Colouring fit_colouring(const TokenMatrix& scores) {
  const Range range = range_of(scores.reshaped());
  if (!(range.low <= range.high)) return {MapColours::magnitude, {-0.5, 0.5}};
  if (range.high - range.low > kMatrixSame * std::max(std::abs(range.low), std::abs(range.high))) {
    return {MapColours::magnitude, range};
  }
  return {MapColours::magnitude, {range.low - 0.5, range.low + 0.5}};
}

/// Draws the total, or one term of it.
Figure matrix_figure(const MatrixShown& shown, const std::shared_ptr<const ScoreMaps>& maps, int term,
                     const Colouring& colouring) {
  const TokenMatrix& scores = term == kTotal ? maps->total : maps->terms[static_cast<std::size_t>(term)];
  Figure figure = named_figure(term == kTotal ? "total" : "term" + std::to_string(term + 1));
  // One of several maps is narrow, so the wide row of curves names the encoding.
  const bool alone = maps->terms.size() == 1;
  figure.title = term != kTotal ? term_title(*maps, static_cast<std::size_t>(term), shown.text)
                 : alone        ? shown.text.format("view.encodings.total_of", {{"encoding", shown.encoding}})
                                : shown.text["view.encodings.total"];
  figure.equal_axes = true;
  figure.x = token_axis(shown, true);
  figure.y = token_axis(shown, false);
  Map map;
  map.key = figure.name;
  map.label = shown.text["view.encodings.score"];
  map.colours = colouring.colours;
  map.x = figure.x.fit;
  map.y = figure.y.fit;
  map.cells = cells_of(scores);
  map.range = colouring.range;
  const auto first = static_cast<double>(shown.maps.first);
  map.exact = [maps, term, first](double x, double y) {
    const TokenMatrix& exact = term == kTotal ? maps->total : maps->terms[static_cast<std::size_t>(term)];
    return entry_at(exact, x, y, first);
  };
  figure.maps.push_back(map);
  mark_row(figure, shown.query);
  return figure;
}

/// Draws the scores of one query against all keys: the total and its terms.
Figure matrix_row_figure(const MatrixShown& shown) {
  Figure figure = named_figure(kMatrixRow);
  figure.title =
      shown.text.format("view.encodings.row", {{"encoding", shown.encoding}, {"query", counted(shown.query)}});
  figure.x = token_axis(shown, true);
  figure.zero_line = true;
  figure.legend = shown.maps.terms.size() > 1;
  const Eigen::Index row = std::llround(shown.query) - shown.maps.first;
  const auto add = [&](const std::string& key, const std::string& label, const TokenMatrix& scores, int slot) {
    std::vector<double> values(scores.row(row).begin(), scores.row(row).end());
    figure.lines.push_back(
        {key, label, {slot, false}, make_series(static_cast<double>(shown.maps.first), 1, std::move(values)), true});
  };
  add("total", shown.text["view.encodings.total"], shown.maps.total, 0);
  for (std::size_t term = 0; shown.maps.terms.size() > 1 && term < shown.maps.terms.size(); ++term) {
    add("term" + std::to_string(term + 1), term_title(shown.maps, term, shown.text), shown.maps.terms[term],
        static_cast<int>(term) + 1);
  }
  constexpr double kValueMargin = 0.08;
  figure.y = fixed_axis(named_axis("encodings", "score", shown.text),
                        add_margin(widened({0, 0}, figure.lines), kValueMargin, 1e-3 * kValueMargin));
  return figure;
}

/// Returns the total, then its terms if there are several.
std::vector<int> shown_terms(const ScoreMaps& maps) {
  std::vector<int> terms = {kTotal};
  for (std::size_t term = 0; maps.terms.size() > 1 && term < maps.terms.size(); ++term) {
    terms.push_back(static_cast<int>(term));
  }
  return terms;
}

/// Adds up to three maps above the row of curves, or a single one next to it. With more maps the total is next to the
/// curves, and its terms are below.
void add_score_panels(const MatrixShown& shown, const std::shared_ptr<const ScoreMaps>& maps, ViewResult& result) {
  const std::vector<int> terms = shown_terms(*maps);
  double shared = largest_size(maps->total.reshaped());
  for (const TokenMatrix& term : maps->terms) shared = std::max(shared, largest_size(term.reshaped()));
  if (!(shared > 0)) shared = 1;
  const bool two_rows = terms.size() > kMapsInARow, fitted = shown.fields.colours == CompareColours::fitted;
  Panel row{matrix_row_figure(shown), 0.4};
  row.beside = two_rows || terms.size() == 1;
  if (two_rows) row.width_share = 2;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const TokenMatrix& scores = terms[i] == kTotal ? maps->total : maps->terms[static_cast<std::size_t>(terms[i])];
    const Colouring colouring = fitted ? fit_colouring(scores) : Colouring{MapColours::signed_value, {-shared, shared}};
    Panel panel{matrix_figure(shown, maps, terms[i], colouring), two_rows ? 0.5 : 0.6};
    panel.beside = two_rows ? i > 1 : i > 0;
    // A map alone is square: as wide as its panel is high.
    if (terms.size() == 1) panel.width_share = 1.5;
    // The total has the label; narrow maps need the space.
    if (two_rows && i > 0) panel.figure.y.label.clear();
    panel.figure.maps.front().bar = fitted || i + 1 == terms.size();
    result.panels.push_back(panel);
    if (two_rows && i == 0) result.panels.push_back(row);
  }
  if (!two_rows) result.panels.push_back(row);
}

// --- Phrase --------------------------------------------------------------------------------------------------------

/// Letters that fit into a line of the sentence; longer ones are set smaller.
constexpr double kPhraseLetters = 84, kPhraseSmallest = 0.55;
/// Phrases up to this number of words have their scores written into the cells.
constexpr std::size_t kMaxNumbered = 5;
constexpr std::string_view kHandle = "word.";

/// A word of a line: its place in the sentence, and whether it belongs to the phrase. The gap has no position.
struct PlacedWord {
  std::string word;
  std::int64_t position = 0;
  bool phrase = false, gap = false;
};

/// The sentence, the words of the phrase, and the phrase's new place.
struct Phrase {
  std::vector<std::string> words;
  std::size_t at = 0, count = 0;
  std::int64_t move = 0;
  std::vector<std::string> own() const {
    const auto begin = words.begin() + static_cast<std::ptrdiff_t>(at);
    return {begin, begin + static_cast<std::ptrdiff_t>(count)};
  }
};

Phrase phrase_of(const CompareFields& fields) {
  Phrase phrase;
  phrase.words = words_of(fields.sentence);
  if (phrase.words.empty()) return phrase;
  phrase.at = std::min(static_cast<std::size_t>(fields.phrase_at), phrase.words.size() - 1);
  phrase.count = std::min(static_cast<std::size_t>(fields.phrase_words), phrase.words.size() - phrase.at);
  phrase.move = std::llround(fields.move);
  return phrase;
}

std::vector<PlacedWord> line_before(const Phrase& phrase) {
  std::vector<PlacedWord> line;
  for (std::size_t i = 0; i < phrase.words.size(); ++i) {
    const bool own = i >= phrase.at && i < phrase.at + phrase.count;
    line.push_back({phrase.words[i], static_cast<std::int64_t>(i), own, false});
  }
  return line;
}

/// Returns the line after the move: the other words close up, and the phrase is among them, or after them with a gap.
std::vector<PlacedWord> line_after(const Phrase& phrase) {
  const auto to = static_cast<std::int64_t>(phrase.at) + phrase.move;
  std::vector<PlacedWord> line;
  std::int64_t position = 0;
  bool placed = false;
  const auto place = [&] {
    for (const std::string& word : phrase.own()) line.push_back({word, position++, true, false});
    placed = true;
  };
  for (const PlacedWord& word : line_before(phrase)) {
    if (word.phrase) continue;
    if (position == to && !placed) place();
    line.push_back({word.word, position++, false, false});
  }
  if (!placed && position < to) {
    line.push_back({"…", 0, false, true});
    position = to;
  }
  if (!placed) place();
  return line;
}

double letters_of_phrase(const std::string& word) {
  return static_cast<double>(screen_width(word));
}

/// Draws a line of words with the phrase framed, and returns the phrase's centre.
double add_phrase_line(Figure& figure, const std::vector<PlacedWord>& line, double y, double size, bool handles) {
  double x = 0, low = 0, high = 0;
  bool any = false;
  std::size_t number = 0;
  for (const PlacedWord& placed : line) {
    const double position_letters = placed.gap ? 0 : letters_of_phrase(std::to_string(placed.position));
    const double width = std::max(letters_of_phrase(placed.word), position_letters) + 1.6;
    const double middle = x + width / 2;
    figure.labels.push_back(
        {middle, y, placed.word, placed.phrase ? Role::curve : Role::text, {0, false}, 0.5, 0.5, size, placed.phrase});
    if (!placed.gap) {
      figure.labels.push_back({middle,
                               y - 0.42,
                               readable_integer(static_cast<double>(placed.position)),
                               Role::secondary,
                               {},
                               0.5,
                               0.5,
                               0.85 * size,
                               false});
    }
    if (placed.phrase) {
      if (!any) low = x;
      high = x + width;
      any = true;
    }
    if (handles) {
      figure.handles.push_back({std::string(kHandle) + std::to_string(number++), middle, y, width / 2, false, {}});
    }
    x += width;
  }
  figure.x.fit.high = std::max(figure.x.fit.high, x);
  figure.boxes.push_back({{low, high}, {y - 0.62, y + 0.3}, {}, Role::curve, true});
  return (low + high) / 2;
}

Figure phrase_sentence_figure(const Phrase& phrase, const Text& text) {
  Figure figure = named_figure("sentence");
  figure.bare = true;
  figure.x.name = "letters";
  figure.x.fit = {0, 1};
  figure.y.name = "line";
  figure.y = fixed_axis(figure.y, {0, 3.1});
  const std::vector<PlacedWord> before = line_before(phrase), after = line_after(phrase);
  double letters = 0;
  for (const PlacedWord& placed : after) letters += letters_of_phrase(placed.word) + 1.6;
  const double size = std::clamp(kPhraseLetters / letters, kPhraseSmallest, 1.1);
  const double from = add_phrase_line(figure, before, 2.4, size, true),
               to = add_phrase_line(figure, after, 0.9, size, false);
  figure.x = fixed_axis(figure.x, figure.x.fit);
  figure.arrows.push_back({"move", {}, {}, Role::curve, from, 1.74, to, 1.24});
  figure.labels.push_back(
      {figure.x.fit.low, 2.95, text["view.encodings.click_word"], Role::faint, {}, 0, 0.5, 0.85, false, true});
  return figure;
}

FigureAxis word_axis(const std::vector<std::string>& words, const char* name, bool query) {
  FigureAxis axis;
  axis.name = name;
  axis.names = words;
  axis.reversed = query;
  return cell_axis(std::move(axis), cell_range(words.size()), {});
}

void add_numbers(Figure& figure, const TokenMatrix& scores) {
  for (Eigen::Index row = 0; row < scores.rows(); ++row) {
    for (Eigen::Index column = 0; column < scores.cols(); ++column) {
      if (std::isnan(scores(row, column))) continue;
      figure.labels.push_back(
          label_at(static_cast<double>(column), static_cast<double>(row), readable_fixed(scores(row, column), 2)));
    }
  }
}

Figure phrase_scores_figure(const std::string& name, const std::string& title, const TokenMatrix& scores,
                            const std::vector<std::string>& words, double most) {
  Figure figure = named_figure(name, title);
  figure.x = word_axis(words, "key_word", false);
  figure.y = word_axis(words, "query_word", true);
  Map map;
  map.key = name;
  map.colours = MapColours::signed_value;
  map.x = figure.x.fit;
  map.y = figure.y.fit;
  map.cells = cells_of(scores);
  map.range = {-most, most};
  map.exact = [scores](double x, double y) { return entry_at(scores, x, y); };
  figure.maps.push_back(map);
  if (words.size() <= kMaxNumbered) add_numbers(figure, scores);
  return figure;
}

/// Returns "at positions 0–2".
std::string place_title(std::int64_t at, std::size_t count, const Text& text) {
  const auto first = static_cast<double>(at), last = first + static_cast<double>(count) - 1;
  return text.format("view.encodings.at_positions", {{"first", counted(first)}, {"last", counted(last)}});
}

Store::Answer<PhraseScores> ask_phrase(Store& store, const std::string& slot, const ReadyEncoding& ready,
                                       const Phrase& phrase, const CompareFields& fields) {
  PhraseScoresInput input;
  input.ready = ready;
  input.words = phrase.own();
  input.seed = static_cast<std::uint64_t>(fields.seed);
  input.at = static_cast<std::int64_t>(phrase.at);
  input.move = phrase.move;
  return store.request<phrase_scores>({slot, input.cost()}, input);
}

/// Returns the effect of the phrase's move for each selected encoding.
std::vector<PhraseChange> changes_of(const Experiment& experiment, const Phrase& phrase, Store& store, bool& stale) {
  Message::List faults;
  std::vector<PhraseChange> changes;
  for (const ReadyEncoding& ready : ready_encodings(experiment, faults)) {
    const std::string slot = "phrase." + std::string(ready.encoding->name);
    const auto answer = ask_phrase(store, slot, ready, phrase, experiment.compare);
    stale |= !answer.current;
    if (answer.result) changes.push_back({ready.encoding, answer.result->largest_change});
  }
  return changes;
}

}  // namespace

Figure no_scores(const Experiment&, const Text&) {
  return empty_figure(kDistanceScores, "distance", "score");
}

ViewResult compare_distance(const Experiment& experiment, const Text& text, Store& store) {
  const CompareFields& fields = experiment.compare;
  if (fields.encodings.empty())
    return make_message_result(no_scores(experiment, text), text["view.encodings.none_chosen"]);
  Message::List faults;
  std::vector<ShownCurve> curves;
  ViewResult result;
  for (const ReadyEncoding& ready : ready_encodings(experiment, faults)) {
    const DistanceCurveInput input = input_of_distance(ready, fields);
    const auto answer =
        store.request<distance_curve>({"encodings." + std::string(ready.encoding->name), input.cost()}, input);
    result.stale |= !answer.current;
    if (answer.result) curves.push_back({ready, answer.result});
  }
  if (curves.empty()) {
    if (!result.stale) throw InputError(faults.front());
    return make_message_result(no_scores(experiment, text), {}, true);
  }
  result.panels.push_back({distance_scores_figure(curves, experiment, text), 1});
  Figure& figure = result.panels.front().figure;
  figure.stale = result.stale;
  result.readouts = distance_readouts(find_pointed_encoding(curves, experiment, figure), curves, faults, fields, text);
  std::vector<ReadyEncoding> encodings;
  for (const ShownCurve& shown : curves) encodings.push_back(shown.ready);
  add_ladder_readout(result.readouts, "encodings.ladder", encodings, experiment.rope, text);
  if (!result.stale) {
    result.status = text.format(
        "view.encodings.status_distance",
        {{"encodings", counted(curves.size())}, {"distances", counted(curves.front().curve->scores->ys.size())}});
  }
  return result;
}

ViewResult compare_matrix(const Experiment& experiment, const Text& text, Store& store) {
  const CompareFields& fields = experiment.compare;
  const Encoding& encoding = find_encoding(fields.encoding);
  ScoreMapsInput input;
  input.ready = ready_encoding(experiment, encoding);
  input.content.random = fields.content == ContentKind::random;
  if (input.content.random) input.content.seed = static_cast<std::uint64_t>(fields.seed);
  input.first = std::llround(fields.first_position);
  input.count = std::llround(fields.size);
  const auto answer = store.request<score_maps>({"compare", input.cost()}, input);
  ViewResult result;
  result.stale = !answer.current;
  if (!answer.result) return make_message_result(no_scores(experiment, text), {}, true);
  MatrixShown shown{fields, *answer.result, 0, encoding_label(encoding, experiment.rope, text), text};
  const auto first = static_cast<double>(shown.maps.first);
  const double last = first + static_cast<double>(shown.maps.total.rows()) - 1;
  shown.query = std::clamp(fields.query, first, last);
  if (experiment.pointer && experiment.pointer->figure != kMatrixRow) {
    shown.query = std::clamp(std::round(experiment.pointer->y), first, last);
  }
  add_score_panels(shown, answer.result, result);
  for (Panel& panel : result.panels) panel.figure.stale = result.stale;
  result.readouts = matrix_readouts(shown.maps, text);
  add_ladder_readout(result.readouts, "encodings.ladder", {input.ready}, experiment.rope, text);
  if (result.stale) return result;
  result.status = text.format("view.encodings.status_matrix",
                              {{"size", counted(fields.size)}, {"maps", counted(answer.result->terms.size())}});
  return result;
}

int phrase_word_of(const std::string& handle) {
  if (handle.rfind(kHandle, 0) != 0) return -1;
  int word = -1;
  std::from_chars(handle.data() + kHandle.size(), handle.data() + handle.size(), word);
  return word;
}

ViewResult compare_phrase(const Experiment& experiment, const Text& text, Store& store) {
  const CompareFields& fields = experiment.compare;
  const Phrase phrase = phrase_of(fields);
  if (phrase.words.empty()) return make_message_result(no_scores(experiment, text), text["view.encodings.no_sentence"]);
  const Encoding& encoding = find_encoding(fields.encoding);
  const ReadyEncoding ready = ready_encoding(experiment, encoding);
  ViewResult result;
  const auto answer = ask_phrase(store, "phrase", ready, phrase, fields);
  result.panels.push_back({phrase_sentence_figure(phrase, text), 0.3});
  result.stale = !answer.current;
  if (!answer.result) return result;
  const PhraseScores& scores = *answer.result;
  double most = std::max(largest_size(scores.before.reshaped()), largest_size(scores.after.reshaped()));
  if (!(most > 0)) most = 1;
  const auto add = [&](const std::string& name, const std::string& title, const TokenMatrix& of, bool beside) {
    Panel panel{phrase_scores_figure(name, title, of, scores.of.words, most), 0.7};
    panel.figure.maps.front().label = text["view.encodings.score"];
    panel.beside = beside;
    panel.figure.stale = !answer.current;
    result.panels.push_back(panel);
  };
  add("before", place_title(scores.of.at, scores.of.words.size(), text), scores.before, false);
  add("after", place_title(scores.of.at + scores.of.move, scores.of.words.size(), text), scores.after, true);
  add("change", text["view.encodings.change"], scores.after - scores.before, true);
  for (std::size_t i = 1; i + 1 < result.panels.size(); ++i) result.panels[i].figure.maps.front().bar = false;
  result.readouts = phrase_readouts(scores, changes_of(experiment, phrase, store, result.stale), text);
  add_ladder_readout(result.readouts, "encodings.ladder", {ready}, experiment.rope, text);
  result.status = text.format(
      "view.encodings.status_phrase",
      {{"encoding", encoding_label(encoding, experiment.rope, text)}, {"note", learned_note(encoding, text)}});
  return result;
}

}  // namespace ropescope
