#include <algorithm>
#include <cmath>
#include <limits>

#include "app/figure/number_text.h"
#include "app/views/compare/cards.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/maps.h"
#include "app/views/shared/marks.h"
#include "app/views/shared/messages.h"

namespace ropescope {

namespace {

/// Maps side by side over the row of curves.
constexpr std::size_t kMapsInARow = 3;
/// Scores that differ by less than this part of the largest are the same.
constexpr double kMatrixSame = 1e-9;

struct MatrixShown {
  const CompareKnobs& knobs;
  const ScoreMaps& maps;
  double query = 0;      ///< position whose row is shown
  std::string encoding;  ///< with its ladder
  const Text& text;
};

FigureAxis token_axis(const MatrixShown& shown, bool key) {
  FigureAxis axis = named_axis("compare", key ? "key" : "query", shown.text);
  axis.reversed = !key;
  return cell_axis(axis, cell_range(shown.maps.total.rows(), static_cast<double>(shown.maps.first)),
                   key ? shown.knobs.key_range : shown.knobs.query_range);
}

/// Where colours begin and end.
struct Colouring {
  MapColours colours = MapColours::signed_value;
  Range range;
};

/// From the smallest to the largest score; a stretch of 1 around scores that are all the same.
Colouring fitted_to(const TokenMatrix& scores) {
  const Range range = range_of(scores.reshaped());
  if (!(range.low <= range.high)) return {MapColours::magnitude, {-0.5, 0.5}};
  if (range.high - range.low > kMatrixSame * std::max(std::abs(range.low), std::abs(range.high))) {
    return {MapColours::magnitude, range};
  }
  return {MapColours::magnitude, {range.low - 0.5, range.low + 0.5}};
}

/// The total, or one term of it.
Figure matrix_figure(const MatrixShown& shown, const std::shared_ptr<const ScoreMaps>& maps, int term,
                     const Colouring& colouring) {
  const TokenMatrix& scores = term == kTotal ? maps->total : maps->terms[static_cast<std::size_t>(term)];
  Figure figure;
  figure.name = term == kTotal ? "total" : "term" + std::to_string(term + 1);
  // One of several maps is narrow; the wide row of curves says the encoding then.
  const bool alone = maps->terms.size() == 1;
  figure.title = term != kTotal ? term_title(*maps, static_cast<std::size_t>(term), shown.text)
                 : alone        ? shown.text.format("view.compare.total_of", {{"encoding", shown.encoding}})
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
  const auto first = static_cast<double>(shown.maps.first);
  map.exact = [maps, term, first](double x, double y) {
    const TokenMatrix& exact = term == kTotal ? maps->total : maps->terms[static_cast<std::size_t>(term)];
    return entry_at(exact, x, y, first);
  };
  figure.maps.push_back(map);
  mark_row(figure, shown.query);
  return figure;
}

/// Scores of one query against all keys: the total and its terms.
Figure matrix_row_figure(const MatrixShown& shown) {
  Figure figure;
  figure.name = "row";
  figure.title = shown.text.format("view.compare.row", {{"encoding", shown.encoding}, {"query", counted(shown.query)}});
  figure.x = token_axis(shown, true);
  figure.zero_line = true;
  figure.legend = true;
  const Eigen::Index row = std::llround(shown.query) - shown.maps.first;
  const auto add = [&](const std::string& key, const std::string& label, const TokenMatrix& scores, int slot) {
    std::vector<double> values(scores.row(row).begin(), scores.row(row).end());
    figure.lines.push_back(
        {key, label, {slot, false}, make_series(static_cast<double>(shown.maps.first), 1, std::move(values)), true});
  };
  add("total", shown.text["view.compare.total"], shown.maps.total, 0);
  for (std::size_t term = 0; shown.maps.terms.size() > 1 && term < shown.maps.terms.size(); ++term) {
    add("term" + std::to_string(term + 1), term_title(shown.maps, term, shown.text), shown.maps.terms[term],
        static_cast<int>(term) + 1);
  }
  constexpr double kRoom = 0.08;
  figure.y = fixed_axis(named_axis("compare", "score", shown.text),
                        with_room(widened({0, 0}, figure.lines), kRoom, 1e-3 * kRoom));
  return figure;
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
void add_panels_matrix(const MatrixShown& shown, const std::shared_ptr<const ScoreMaps>& maps, ViewResult& result) {
  const std::vector<int> terms = shown_terms(*maps);
  double shared = largest_size(maps->total.reshaped());
  for (const TokenMatrix& term : maps->terms) shared = std::max(shared, largest_size(term.reshaped()));
  if (!(shared > 0)) shared = 1;
  const bool two_rows = terms.size() > kMapsInARow, fitted = shown.knobs.colours == "fitted";
  Panel row{matrix_row_figure(shown), 0.4};
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
  input.settings = encoding_settings_of(experiment.rope, experiment.encoding, encoding);
  validate(encoding, input.settings);
  input.content.random = knobs.content == "random";
  if (input.content.random) input.content.seed = static_cast<std::uint64_t>(knobs.seed);
  input.first = std::llround(knobs.first_position);
  input.count = std::llround(knobs.size);
  const auto answer = store.get("compare", input);
  ViewResult result;
  result.stale = !answer.current;
  if (!answer.result) return message_result(no_scores(experiment, text), {}, true);
  MatrixShown shown{knobs, *answer.result, 0, encoding_label(encoding, experiment.rope, text), text};
  const auto first = static_cast<double>(shown.maps.first);
  const double last = first + static_cast<double>(shown.maps.total.rows()) - 1;
  shown.query = std::clamp(knobs.query, first, last);
  if (experiment.pointer && experiment.pointer->figure != "row") {
    shown.query = std::clamp(std::round(experiment.pointer->y), first, last);
  }
  add_panels_matrix(shown, answer.result, result);
  for (Panel& panel : result.panels) panel.figure.stale = result.stale;
  result.readouts = matrix_readouts(shown.maps, text);
  add_ladder_readout(result.readouts, "compare.ladder", {{&encoding, &input.settings}}, experiment.rope, text);
  if (result.stale) return result;
  result.status = text.format("view.compare.status_matrix",
                              {{"size", counted(knobs.size)}, {"maps", counted(answer.result->terms.size())}});
  return result;
}

}  // namespace ropescope
