#include <algorithm>
#include <cmath>
#include <limits>

#include "app/figure/number_text.h"
#include "app/views/compare/figures.h"
#include "app/views/compare/inputs.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/marks.h"

namespace ropescope {

namespace {

/// Maps side by side over the row of curves.
constexpr std::size_t kMapsInARow = 3;
/// A term that changes by less than this part of the largest score does not know about position.
constexpr double kSame = 1e-9;

struct Shown {
  const CompareKnobs& knobs;
  const ScoreMaps& maps;
  double query = 0;  ///< position whose row is shown
  const Text& text;
};

double largest(const TokenMatrix& scores) {
  double most = 0;
  for (Eigen::Index i = 0; i < scores.size(); ++i) {
    const double size = std::abs(scores.data()[i]);
    if (std::isfinite(size)) most = std::max(most, size);
  }
  return most;
}

bool has_holes(const TokenMatrix& scores) {
  return scores.array().isNaN().any();
}

/// The largest difference between finite numbers of one diagonal.
double change_along_diagonals(const TokenMatrix& scores) {
  double most = 0;
  for (Eigen::Index offset = 1 - scores.rows(); offset < scores.cols(); ++offset) {
    double low = 0, high = 0;
    bool any = false;
    for (Eigen::Index row = std::max<Eigen::Index>(0, -offset); row < std::min(scores.rows(), scores.cols() - offset);
         ++row) {
      const double score = scores(row, row + offset);
      if (!std::isfinite(score)) continue;
      low = any ? std::min(low, score) : score;
      high = any ? std::max(high, score) : score;
      any = true;
    }
    most = std::max(most, high - low);
  }
  return most;
}

/// From the smallest to the largest finite number; {0, 0} where there is none.
Range range_of(const TokenMatrix& scores) {
  double low = 0, high = 0;
  bool any = false;
  for (Eigen::Index i = 0; i < scores.size(); ++i) {
    const double score = scores.data()[i];
    if (!std::isfinite(score)) continue;
    low = any ? std::min(low, score) : score;
    high = any ? std::max(high, score) : score;
    any = true;
  }
  return {low, high};
}

FigureAxis token_axis(const Shown& shown, bool key) {
  FigureAxis axis = named_axis("compare", key ? "key" : "query", shown.text);
  axis.reversed = !key;
  return cell_axis(axis, cell_range(shown.maps.total.rows(), static_cast<double>(shown.maps.first)),
                   key ? shown.knobs.key_range : shown.knobs.query_range);
}

std::shared_ptr<const MapCells> cells_of(const TokenMatrix& scores) {
  auto cells = std::make_shared<MapCells>();
  cells->columns = static_cast<std::size_t>(scores.cols());
  cells->rows = static_cast<std::size_t>(scores.rows());
  for (Eigen::Index i = 0; i < scores.size(); ++i) cells->values.push_back(static_cast<float>(scores.data()[i]));
  return cells;
}

/// Where colours begin and end.
struct Colouring {
  MapColours colours = MapColours::signed_value;
  Range range;
};

/// From the smallest to the largest score; a stretch of 1 around scores that are all the same.
Colouring fitted_to(const TokenMatrix& scores) {
  const Range range = range_of(scores);
  if (range.high - range.low > kSame * std::max(std::abs(range.low), std::abs(range.high))) {
    return {MapColours::magnitude, range};
  }
  return {MapColours::magnitude, {range.low - 0.5, range.low + 0.5}};
}

std::string term_title(const Shown& shown, std::size_t term) {
  return shown.text.say(term_words(shown.maps.model->term_names()[term]));
}

/// The total, or one term of it.
Figure matrix_figure(const Shown& shown, const std::shared_ptr<const ScoreMaps>& maps, int term,
                     const Colouring& colouring) {
  const TokenMatrix& scores = term == kTotal ? maps->total : maps->terms[static_cast<std::size_t>(term)];
  Figure figure;
  figure.name = term == kTotal ? "total" : "term" + std::to_string(term + 1);
  const std::string encoding = shown.text.say(title_of(maps->model->encoding()));
  // One of several maps is narrow; the wide row of curves says the encoding then.
  const bool alone = maps->terms.size() == 1;
  figure.title = term != kTotal ? term_title(shown, static_cast<std::size_t>(term))
                 : alone        ? shown.text.format("view.compare.total_of", {{"encoding", encoding}})
                                : shown.text["view.compare.total"];
  figure.equal_axes = true;
  figure.x = token_axis(shown, true);
  figure.y = token_axis(shown, false);
  Map map;
  map.key = figure.name;
  map.label = shown.text["view.compare.score"];
  map.colours = colouring.colours;
  map.x = figure.x.fit;
  map.y = figure.y.fit;
  map.cells = cells_of(scores);
  map.range = colouring.range;
  const std::int64_t first = shown.maps.first;
  map.exact = [maps, term, first](double x, double y) {
    const TokenMatrix& exact = term == kTotal ? maps->total : maps->terms[static_cast<std::size_t>(term)];
    const std::int64_t row = std::llround(y) - first, column = std::llround(x) - first;
    const bool inside = row >= 0 && column >= 0 && row < exact.rows() && column < exact.cols();
    return inside ? exact(row, column) : std::numeric_limits<double>::quiet_NaN();
  };
  figure.maps.push_back(map);
  mark_row(figure, shown.query);
  return figure;
}

/// Scores of one query against all keys: the total and its terms.
Figure row_figure(const Shown& shown) {
  Figure figure;
  figure.name = "row";
  figure.title = shown.text.format(
      "view.compare.row",
      {{"encoding", shown.text.say(title_of(shown.maps.model->encoding()))}, {"query", counted(shown.query)}});
  figure.x = token_axis(shown, true);
  figure.y.name = "score";
  figure.y.label = shown.text["view.compare.score"];
  figure.zero_line = true;
  figure.legend = true;
  const Eigen::Index row = std::llround(shown.query) - shown.maps.first;
  double low = 0, high = 0;
  const auto add = [&](const std::string& key, const std::string& label, const TokenMatrix& scores, int slot) {
    std::vector<double> values(scores.row(row).begin(), scores.row(row).end());
    for (const double value : values) {
      if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
    }
    figure.lines.push_back(
        {key, label, {slot, false}, make_series(static_cast<double>(shown.maps.first), 1, std::move(values)), true});
  };
  add("total", shown.text["view.compare.total"], shown.maps.total, 0);
  for (std::size_t term = 0; shown.maps.terms.size() > 1 && term < shown.maps.terms.size(); ++term) {
    add("term" + std::to_string(term + 1), term_title(shown, term), shown.maps.terms[term], static_cast<int>(term) + 1);
  }
  const double room = 0.08 * std::max(high - low, 1e-3);
  figure.y.fit = figure.y.range = {low - room, high + room};
  return figure;
}

Readout diagonals_readout(const Shown& shown) {
  const Encoding& encoding = shown.maps.model->encoding();
  Readout readout = start_card("compare.diagonals", shown.text);
  readout.value = Quantity{with_digits(change_along_diagonals(shown.maps.total), 2)};
  readout.note =
      shown.text[encoding.relative ? "readout.compare.diagonals.relative" : "readout.compare.diagonals.absolute"];
  return readout;
}

Readout terms_readout(const Shown& shown) {
  Readout readout = start_card("compare.terms", shown.text);
  const double most = largest(shown.maps.total);
  std::string names;
  std::size_t count = 0;
  for (std::size_t term = 0; term < shown.maps.terms.size(); ++term) {
    const Range range = range_of(shown.maps.terms[term]);
    if (!(range.high - range.low > kSame * most)) continue;
    ++count;
    names += (names.empty() ? "" : shown.text["list.between"]) + term_title(shown, term);
  }
  readout.value = count_of(count, shown.maps.terms.size());
  readout.note = names.empty() ? shown.text["readout.compare.terms.none"]
                               : shown.text.format("readout.compare.terms.note", {{"terms", names}});
  return readout;
}

Readout learned_readout(const Shown& shown) {
  const Encoding& encoding = shown.maps.model->encoding();
  const EncodingSettings& settings = shown.maps.model->settings();
  Readout readout = start_card("compare.learned", shown.text);
  const auto count = static_cast<double>(encoding.parameters(settings));
  readout.value = Quantity{as_whole(count), "numbers"};
  readout.note = count > 0 ? shown.text["view.compare.seeded"] : shown.text["readout.compare.learned.none_here"];
  if (has_holes(shown.maps.total)) {
    readout.note = shown.text.format("readout.compare.learned.past", {{"rows", counted(settings.trained_length)}}) +
                   " " + readout.note;
  }
  return readout;
}

/// The total, then its terms, where there are several.
std::vector<int> shown_terms(const ScoreMaps& maps) {
  std::vector<int> terms = {kTotal};
  for (std::size_t term = 0; maps.terms.size() > 1 && term < maps.terms.size(); ++term) {
    terms.push_back(static_cast<int>(term));
  }
  return terms;
}

/// Up to three maps stand over the row of curves, or a single one beside it; with more of them the total stands beside
/// the curves, and its terms below.
void add_panels(const Shown& shown, const std::shared_ptr<const ScoreMaps>& maps, ViewResult& result) {
  const std::vector<int> terms = shown_terms(*maps);
  double shared = largest(maps->total);
  for (const TokenMatrix& term : maps->terms) shared = std::max(shared, largest(term));
  if (!(shared > 0)) shared = 1;
  const bool two_rows = terms.size() > kMapsInARow, fitted = shown.knobs.colours == "fitted";
  Panel row{row_figure(shown), 0.4};
  row.beside = two_rows || terms.size() == 1;
  if (two_rows) row.width_share = 2;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const TokenMatrix& scores = terms[i] == kTotal ? maps->total : maps->terms[static_cast<std::size_t>(terms[i])];
    const Colouring colouring = fitted ? fitted_to(scores) : Colouring{MapColours::signed_value, {-shared, shared}};
    Panel panel{matrix_figure(shown, maps, terms[i], colouring), two_rows ? 0.5 : 0.6};
    panel.beside = two_rows ? i > 1 : i > 0;
    // The total says it; narrow maps need the room.
    if (two_rows && i > 0) panel.figure.y.label.clear();
    panel.figure.maps.front().bar = fitted || i + 1 == terms.size();
    result.panels.push_back(panel);
    if (two_rows && i == 0) result.panels.push_back(row);
  }
  if (!two_rows) result.panels.push_back(row);
}

}  // namespace

ViewResult compare_matrix(const Experiment& experiment, const Text& text, Store& store) {
  const CompareKnobs& knobs = experiment.compare;
  const Encoding& encoding = find_encoding(knobs.encoding);
  ScoreMapsInput input;
  input.encoding = encoding.name;
  input.settings = encoding_settings_of(experiment, encoding);
  validate(encoding, input.settings);
  input.content.random = knobs.content == "random";
  if (input.content.random) input.content.seed = static_cast<std::uint64_t>(knobs.seed);
  input.first = std::llround(knobs.first_position);
  input.count = std::llround(knobs.size);
  const auto answer = store.get("compare", input);
  ViewResult result;
  result.stale = !answer.current;
  if (!answer.result) return compare_message({}, true);
  Shown shown{knobs, *answer.result, 0, text};
  const auto first = static_cast<double>(shown.maps.first);
  const double last = first + static_cast<double>(shown.maps.total.rows()) - 1;
  shown.query = std::clamp(knobs.query, first, last);
  if (experiment.pointer && experiment.pointer->figure != "row") {
    shown.query = std::clamp(std::round(experiment.pointer->y), first, last);
  }
  add_panels(shown, answer.result, result);
  for (Panel& panel : result.panels) panel.figure.stale = result.stale;
  result.readouts = {formula_readout(shown.maps.model->encoding(), text), diagonals_readout(shown),
                     terms_readout(shown), learned_readout(shown)};
  if (result.stale) return result;
  result.status = text.format("view.compare.status_matrix",
                              {{"size", counted(knobs.size)}, {"maps", counted(answer.result->terms.size())}});
  return result;
}

}  // namespace ropescope
