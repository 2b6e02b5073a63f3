// Scores of encodings for the store, and the cards of the view Compare.
//
// Contents: Computed; Cards; View.

#include "app/views/compare/view.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figure/figure.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "app/views/shared/messages.h"
#include "app/views/views.h"
#include "core/decay/kernel.h"
#include "core/message.h"

namespace ropescope {

// --- Computed ------------------------------------------------------------------------------------------------------

namespace {

/// Returns the steps to create a model: its tables, and its dim × dim matrices if it has some.
double model_cost(const EncodingValues& settings) {
  const double dim = settings.dim;
  return 300 * dim + 40 * dim * dim;
}

TokenMatrix one_row(const Eigen::VectorXd& vector) {
  return vector.transpose();
}

// --- Cards ---------------------------------------------------------------------------------------------------------

/// Letters of a card's note that fit into a small window.
constexpr std::size_t kShortNote = 60;
/// Changes of a phrase's scores below this are rounding, and so are terms below this fraction of the largest score.
constexpr double kCompareSame = 1e-9;

/// Returns the whole formula: typeset if available in the texts, otherwise as in core.
std::string whole_formula(const Encoding& encoding, const Text& text) {
  const std::string name(encoding.name), key = "readout.encodings.formula.full." + name;
  if (!text.has(key)) return text.render(formula_of(encoding));
  return encoding.explained ? text.format("encoding." + name + ".formula", {{"formula", text[key]}}) : text[key];
}

Readout formula_readout(const Encoding& encoding, const Text& text) {
  Readout readout = make_card("encodings.formula", title_of(encoding), text);
  readout.note = text["readout.encodings.formula.short." + std::string(encoding.name)];
  readout.tooltip = text.format("readout.encodings.formula.tooltip", {{"formula", whole_formula(encoding, text)},
                                                                      {"scale", text.render(scale_rule_of(encoding))},
                                                                      {"source", std::string(encoding.source)}});
  return readout;
}

std::string titles_of(const std::vector<const Encoding*>& encodings, const Text& text) {
  return joined(encodings, text["list.between"], [&](const Encoding* one) { return text.render(title_of(*one)); });
}

Readout compare_relative_readout(const std::vector<ShownCurve>& curves, const CompareFields& fields, const Text& text) {
  Readout readout = start_card("encodings.relative", text);
  std::vector<const Encoding*> absolute;
  for (const ShownCurve& shown : curves) {
    if (!shown.ready.encoding->relative) absolute.push_back(shown.ready.encoding);
  }
  readout.value = count_of(curves.size() - absolute.size(), curves.size());
  readout.note = absolute.empty()
                     ? text["readout.encodings.relative.all"]
                     : text.format("readout.encodings.relative.note",
                                   {{"absolute", titles_of(absolute, text)}, {"key", counted(fields.key_position)}});
  return readout;
}

Readout learned_readout(const std::vector<ShownCurve>& curves, const Text& text) {
  Readout readout = start_card("encodings.learned", text);
  double total = 0, most = 0;
  std::string each, largest;
  for (const ShownCurve& shown : curves) {
    const auto count = static_cast<double>(shown.ready.encoding->parameters(shown.ready.settings));
    if (count == 0) continue;
    total += count;
    const std::string one = text.render(title_of(*shown.ready.encoding)) + " " + readable_integer(count);
    each += (each.empty() ? "" : text["list.between"]) + one;
    if (count > most) most = count, largest = one;
  }
  readout.value = Quantity{as_whole(total), "numbers"};
  if (each.empty()) {
    readout.note = text["readout.encodings.learned.none"];
    return readout;
  }
  readout.note = text.format("readout.encodings.learned.note", {{"each", each}});
  if (screen_width(readout.note) <= kShortNote) return readout;
  readout.note = text.format("readout.encodings.learned.most", {{"largest", largest}});
  readout.tooltip = each + ". " + readout.tooltip;
  return readout;
}

Readout defined_readout(const std::vector<ShownCurve>& curves, const CompareFields& fields, const Text& text) {
  Readout readout = start_card("encodings.defined", text);
  std::vector<const Encoding*> bounded;
  double rows = 0;
  for (const ShownCurve& shown : curves) {
    if (is_defined_at(*shown.ready.encoding, shown.ready.settings, shown.ready.settings.trained_length)) continue;
    bounded.push_back(shown.ready.encoding);
    rows = shown.ready.settings.trained_length;
  }
  readout.value = count_of(curves.size() - bounded.size(), curves.size());
  if (bounded.empty()) {
    readout.note = text["readout.encodings.defined.all"];
  } else {
    const bool no_key = fields.key_position >= rows;
    readout.note = text.format(
        no_key ? "readout.encodings.defined.no_key" : "readout.encodings.defined.note",
        {{"bounded", titles_of(bounded, text)}, {"rows", counted(rows)}, {"key", counted(fields.key_position)}});
  }
  return readout;
}

/// Returns the largest difference between finite numbers of one diagonal.
double change_along_diagonals(const TokenMatrix& scores) {
  double most = 0;
  for (Eigen::Index offset = 1 - scores.rows(); offset < scores.cols(); ++offset) {
    const Range range = range_of(scores.diagonal(offset));
    most = std::max(most, range.high - range.low);
  }
  return most;
}

Readout diagonals_readout(const ScoreMaps& maps, const Text& text) {
  const Encoding& encoding = maps.model->encoding();
  Readout readout =
      make_card("encodings.diagonals", Quantity{with_digits(change_along_diagonals(maps.total), 2)}, text);
  readout.note =
      text[encoding.relative ? "readout.encodings.diagonals.relative" : "readout.encodings.diagonals.absolute"];
  return readout;
}

/// Returns the terms of the score that have an effect, measured by `change_of`.
Readout terms_readout(const ScoreMaps& maps, const std::string& name, double (*change_of)(const TokenMatrix&),
                      const Text& text) {
  Readout readout = start_card(name, text);
  const double most = largest_size(maps.total.reshaped());
  std::string names;
  std::size_t count = 0;
  for (std::size_t term = 0; term < maps.terms.size(); ++term) {
    if (!(change_of(maps.terms[term]) > kCompareSame * most)) continue;
    ++count;
    names += (names.empty() ? "" : text["list.between"]) + term_title(maps, term, text);
  }
  readout.value = count_of(count, maps.terms.size());
  readout.note = names.empty() ? text["readout." + name + ".none"]
                               : text.format("readout.encodings.terms.note", {{"terms", names}});
  return readout;
}

double change_anywhere(const TokenMatrix& scores) {
  const Range range = range_of(scores.reshaped());
  return range.high - range.low;
}

Readout learned_here_readout(const ScoreMaps& maps, const Text& text) {
  const Encoding& encoding = maps.model->encoding();
  const EncodingValues& settings = maps.model->settings();
  Readout readout = start_card("encodings.learned", text);
  const auto count = static_cast<double>(encoding.parameters(settings));
  readout.value = Quantity{as_whole(count), "numbers"};
  readout.note = count > 0 ? text["view.encodings.seeded"] : text["readout.encodings.learned.none_here"];
  if (maps.total.array().isNaN().any()) {
    readout.note = text.format("readout.encodings.learned.past", {{"rows", counted(settings.trained_length)}}) + " " +
                   readout.note;
  }
  return readout;
}

Readout change_readout_compare(const PhraseScores& scores, const Text& text) {
  const Encoding& encoding = scores.model->encoding();
  Readout readout = make_card("encodings.change", Quantity{with_digits(scores.largest_change, 2)}, text);
  if (std::isnan(scores.largest_change)) {
    readout.note =
        text.format("readout.encodings.change.past", {{"rows", counted(scores.model->settings().trained_length)}});
  } else {
    readout.note = text[encoding.relative ? "readout.encodings.change.relative" : "readout.encodings.change.absolute"];
  }
  return readout;
}

/// Returns which of the selected encodings preserve the phrase's scores.
Readout kept_readout(const std::vector<PhraseChange>& changes, const Text& text) {
  Readout readout = start_card("encodings.kept", text);
  std::string changed;
  std::size_t kept = 0;
  for (const PhraseChange& one : changes) {
    if (one.largest <= kCompareSame) {
      ++kept;
    } else {
      changed += (changed.empty() ? "" : text["list.between"]) + text.render(title_of(*one.encoding)) + " " +
                 readable_number(one.largest, 2);
    }
  }
  readout.value = count_of(kept, changes.size());
  readout.note = changed.empty() ? text["readout.encodings.kept.all"]
                                 : text.format("readout.encodings.kept.note", {{"changed", changed}});
  return readout;
}

// --- View ----------------------------------------------------------------------------------------------------------

void declare_compare_fields(FieldList& list, Experiment& experiment) {
  const CompareFields& fields = experiment.compare;
  declare_fields(list, experiment.compare, {fields.first_position, fields.first_position + fields.size - 1});
  std::vector<std::string> names = {fields.encoding};
  if (fields.show == CompareShow::distance) names = fields.encodings;
  if (fields.show == CompareShow::phrase) names.insert(names.end(), fields.encodings.begin(), fields.encodings.end());
  declare_encoding_fields(list, experiment, names);
}

ViewResult compare_figures(const Experiment& experiment, const Text& text, Store& store) {
  if (experiment.compare.show == CompareShow::matrix) return compare_matrix(experiment, text, store);
  if (experiment.compare.show == CompareShow::phrase) return compare_phrase(experiment, text, store);
  return compare_distance(experiment, text, store);
}

/// Returns the largest position of a token, counted from 1.
double compare_last_position(const Experiment& experiment) {
  const CompareFields& fields = experiment.compare;
  if (fields.show == CompareShow::matrix) return fields.first_position + fields.size;
  if (fields.show == CompareShow::phrase) return static_cast<double>(words_of(fields.sentence).size()) + fields.move;
  return fields.key_position + fields.span;
}

void react_compare(Experiment& experiment, const FigureEvent& event) {
  if (event.kind != FigureEvent::Kind::click) return;
  CompareFields& fields = experiment.compare;
  if (event.clicks("sentence")) {
    const int word = phrase_word_of(event.handle);
    if (word >= 0) fields.phrase_at = word;
  } else if (fields.show == CompareShow::matrix && event.figure != kMatrixRow) {
    fields.query = std::clamp(std::round(event.y), fields.first_position, fields.first_position + fields.size - 1);
  }
}

}  // namespace

QueryAndKey query_and_key(const CompareContent& content, int dim) {
  // Both channels are equal: a pair has unit norm whichever channels form it.
  QueryAndKey result{Eigen::VectorXd::Constant(dim, std::sqrt(0.5)), Eigen::VectorXd::Constant(dim, std::sqrt(0.5))};
  if (!content.random) return result;
  SplitMix generator{content.seed};
  fill_normal(result.q.data(), dim, 1, generator);
  fill_normal(result.k.data(), dim, 1, generator);
  return result;
}

double DistanceCurveInput::cost() const {
  return model_cost(ready.settings) + 20 * static_cast<double>(last - first + 1) * ready.settings.dim;
}

DistanceCurve distance_curve(const DistanceCurveInput& input, const Work& work) {
  DistanceCurve curve;
  curve.model = input.ready.model();
  const QueryAndKey vectors = query_and_key(input.content, input.ready.settings.dim);
  ScoreMatrixOptions options;
  options.first_query = input.key_position + input.first;
  options.query_count = input.last - input.first + 1;
  options.first_key = input.key_position;
  options.key_count = 1;
  options.threads = work.threads;
  const TokenMatrix scores =
      curve.model->score_matrix<double>(one_row(vectors.q), one_row(vectors.k), options, work.stop);
  if (work.stopped()) return curve;
  curve.unit = vectors.q.norm() * vectors.k.norm() * curve.model->scale();
  std::vector<double> raw(scores.data(), scores.data() + scores.size()), normalised = raw;
  for (double& score : normalised) score /= curve.unit;
  curve.scores = make_series(static_cast<double>(input.first), 1, std::move(raw));
  curve.normalised = make_series(static_cast<double>(input.first), 1, std::move(normalised));
  return curve;
}

double ScoreMapsInput::cost() const {
  const auto tokens = static_cast<double>(count);
  return model_cost(ready.settings) + 4 * tokens * ready.settings.dim * (tokens + 20);
}

ScoreMaps score_maps(const ScoreMapsInput& input, const Work& work) {
  ScoreMaps maps;
  maps.model = input.ready.model();
  maps.first = input.first;
  const QueryAndKey vectors = query_and_key(input.content, input.ready.settings.dim);
  ScoreMatrixOptions options;
  options.first_query = options.first_key = input.first;
  options.query_count = options.key_count = input.count;
  options.threads = work.threads;
  const TokenMatrix q = one_row(vectors.q), k = one_row(vectors.k);
  maps.total = maps.model->score_matrix<double>(q, k, options, work.stop);
  const int terms = static_cast<int>(maps.model->term_names().size());
  for (options.term = 0; options.term < terms && !work.stopped(); ++options.term) {
    maps.terms.push_back(maps.model->score_matrix<double>(q, k, options, work.stop));
  }
  return maps;
}

double PhraseScoresInput::cost() const {
  return model_cost(ready.settings) + 100 * static_cast<double>(words.size() * words.size()) * ready.settings.dim;
}

PhraseScores phrase_scores(const PhraseScoresInput& input, const Work& work) {
  PhraseScores scores;
  scores.of = input;
  scores.model = input.ready.model();
  TokenMatrix vectors(static_cast<Eigen::Index>(input.words.size()), input.ready.settings.dim);
  for (Eigen::Index row = 0; row < vectors.rows(); ++row) {
    vectors.row(row) =
        word_vector(input.words[static_cast<std::size_t>(row)], input.ready.settings.dim, input.seed).transpose();
  }
  ScoreMatrixOptions options;
  options.threads = work.threads;
  options.first_query = options.first_key = input.at;
  scores.before = scores.model->score_matrix<double>(vectors, vectors, options, work.stop);
  options.first_query = options.first_key = input.at + input.move;
  scores.after = scores.model->score_matrix<double>(vectors, vectors, options, work.stop);
  if (work.stopped()) return scores;
  // Not maxCoeff, because a NaN must be kept.
  const TokenMatrix change = (scores.after - scores.before).cwiseAbs();
  for (Eigen::Index i = 0; i < change.size(); ++i) {
    const double size = change.data()[i];
    if (!(size <= scores.largest_change)) scores.largest_change = size;
    if (std::isnan(size)) break;
  }
  return scores;
}

std::string term_title(const ScoreMaps& maps, std::size_t term, const Text& text) {
  return text.render(term_words(maps.model->term_names()[term]));
}

std::string learned_note(const Encoding& encoding, const Text& text) {
  return encoding.learned ? text["view.encodings.seeded"] : std::string();
}

std::vector<Readout> distance_readouts(const Encoding& looked_at, const std::vector<ShownCurve>& curves,
                                       const Message::List& faults, const CompareFields& fields, const Text& text) {
  std::vector<Readout> readouts{formula_readout(looked_at, text), compare_relative_readout(curves, fields, text),
                                learned_readout(curves, text), defined_readout(curves, fields, text)};
  if (!faults.empty()) {
    readouts.push_back(make_card("encodings.fault", Quantity{as_whole(faults.size()), "encodings"}, text,
                                 text.render(join_sentences(faults))));
  }
  return readouts;
}

std::vector<Readout> matrix_readouts(const ScoreMaps& maps, const Text& text) {
  return {formula_readout(maps.model->encoding(), text), diagonals_readout(maps, text),
          terms_readout(maps, "encodings.terms", change_anywhere, text),
          terms_readout(maps, "encodings.terms_moved", change_along_diagonals, text), learned_here_readout(maps, text)};
}

std::vector<Readout> phrase_readouts(const PhraseScores& scores, const std::vector<PhraseChange>& changes,
                                     const Text& text) {
  return {formula_readout(scores.model->encoding(), text), change_readout_compare(scores, text),
          kept_readout(changes, text)};
}

constinit const View kCompareView{.id = "encodings",
                                  .group = "compare",
                                  .declare_fields = declare_compare_fields,
                                  .figures = compare_figures,
                                  .empty = no_scores,
                                  .react = react_compare,
                                  .length = compare_last_position,
                                  .compares_ropes = false,
                                  .follows_pointer = true};

}  // namespace ropescope
