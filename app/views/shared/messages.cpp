// Creates messages, splits sentences, and relates curves.
//
// Contents: Missing files; Messages; Sentences; Relations.

#include "app/views/shared/messages.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "app/views/shared/figures.h"
#include "app/views/shared/ropes.h"
#include "app/views/view.h"
#include "core/decay/kernel.h"

namespace ropescope {

// --- Missing files -------------------------------------------------------------------------------------------------

std::vector<FileField> missing_files(const Experiment& experiment) {
  const View& view = find_view(experiment.view);
  if (!view.files) return {};
  const std::vector<FileStamp> read = view.files(experiment);
  std::vector<FileField> missing = required_input_files(experiment);
  std::erase_if(missing, [&read](const FileField& file) {
    return std::none_of(read.begin(), read.end(), [&file](const FileStamp& stamp) { return stamp.path == file.path; });
  });
  return missing;
}

// --- Messages ------------------------------------------------------------------------------------------------------

Figure empty_figure(const std::string& name, const std::string& x, const std::string& y) {
  Figure figure = named_figure(name);
  figure.x.name = x;
  figure.y.name = y;
  return figure;
}

ViewResult make_message_result(Figure figure, const std::string& words, bool stale) {
  figure.empty_message = words;
  figure.stale = stale;
  ViewResult result;
  result.panels.push_back({std::move(figure), 1});
  result.stale = stale;
  return result;
}

ViewResult hint_result(Figure figure, const std::string& words) {
  figure.empty_is_hint = true;
  return make_message_result(std::move(figure), words);
}

ViewResult make_error_result(Figure figure, const std::string& words, bool stale) {
  ViewResult result = make_message_result(std::move(figure), words, stale);
  if (!stale) result.fault = words;
  return result;
}

// --- Sentences -----------------------------------------------------------------------------------------------------

namespace {

constexpr std::string_view kSpace = " \t\n\r\v\f";
constexpr std::string_view kPunctuation = ".,;:!?\"'()[]";

/// FNV-1a, 64 bits (Fowler, Noll and Vo).
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3u;
  }
  return hash;
}

std::string plain_word(std::string_view word) {
  const std::size_t begin = word.find_first_not_of(kPunctuation);
  if (begin == std::string_view::npos) return std::string(word);
  std::string plain(word.substr(begin, word.find_last_not_of(kPunctuation) + 1 - begin));
  for (char& c : plain) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return plain;
}

// --- Relations -----------------------------------------------------------------------------------------------------

constexpr double kNoRatio = std::numeric_limits<double>::quiet_NaN();
constexpr double kWide = 20;  ///< a ratio farther than this from 0 is not drawn on a linear axis
constexpr double kRatioMargin = 0.04;

struct RelatedSeries {
  std::shared_ptr<const Series> series;
  Range usual;  ///< usual_range() of a ratio
  std::size_t bytes() const { return count_bytes(series); }
};

/// Series are immutable, so equal pointers mean equal inputs.
struct SeriesToRelate {
  std::shared_ptr<const Series> a, b;
  bool ratio = false;
  bool operator==(const SeriesToRelate&) const = default;
};
RelatedSeries relate_series(const SeriesToRelate& of, const Work&) {
  RelatedSeries related{related_series(*of.a, *of.b, of.ratio), kNoRange};
  if (of.ratio) related.usual = usual_range(related.series->ys);
  return related;
}

double relate(double a, double b, bool ratio) {
  const double value = ratio ? a / b : a - b;
  return std::isfinite(value) ? value : kNoRatio;
}

/// Splits a line's key "pin1.envelope" into its rope "pin1" and the rest ".envelope".
std::pair<std::string, std::string> parts_of_relations(const std::string& key) {
  const std::size_t dot = std::min(key.find('.'), key.size());
  return {key.substr(0, dot), key.substr(dot)};
}

const Line* find_line(const Figure& figure, const std::string& key) {
  const auto found =
      std::find_if(figure.lines.begin(), figure.lines.end(), [&key](const Line& line) { return line.key == key; });
  return found == figure.lines.end() ? nullptr : &*found;
}

bool has_lines_of(const Figure& figure, const std::string& rope) {
  return std::any_of(figure.lines.begin(), figure.lines.end(),
                     [&rope](const Line& line) { return parts_of_relations(line.key).first == rope; });
}

/// Fits the y axis to `drawn` and the value that means equality; the figure's own field stores a zoomed range.
void fit_relation_values(Figure& figure, bool ratio, const Range& drawn, const Experiment& experiment) {
  Range data = drawn;
  include(data, ratio ? 1 : 0);
  FigureAxis& axis = figure.y;
  const double size = std::max(std::abs(data.low), std::abs(data.high));
  if (axis.scale == AxisScale::log) axis.scale = AxisScale::linear;
  if (ratio) axis.scale = size > kWide ? AxisScale::symlog : AxisScale::linear;
  if (ratio && data.low > 0 && data.high / data.low > kWide) axis.scale = AxisScale::log;
  const Range fit = axis.scale == AxisScale::log ? Range{data.low / (1 + kRatioMargin), data.high * (1 + kRatioMargin)}
                                                 : add_margin(data, kRatioMargin);
  const std::optional<Range> zoomed = zoomed_range(experiment, axis.range_key);
  axis = zoomed_value_axis(std::move(axis), fit, zoomed);
}

/// Removes marks at y values, which no longer apply.
void remove_value_marks(Figure& figure) {
  std::erase_if(figure.rules, [](const Rule& rule) { return !rule.vertical; });
  std::erase_if(figure.spans, [](const Span& span) { return !span.vertical; });
  std::erase_if(figure.handles, [](const Handle& handle) { return note_of(handle.key).has_value(); });
  figure.labels.clear();
  figure.points.clear();
  figure.boxes.clear();
  figure.notes.clear();
}

struct Relation {
  std::string rope;  ///< key of the reference
  std::string name;
  bool ratio = false;
};

void relate_figure(Figure& figure, const Relation& relation, const Experiment& experiment, const Text& text,
                   Store& store) {
  std::vector<Line> lines;
  Range drawn = kNoRange;
  std::vector<std::vector<double>> clocks;
  for (std::size_t i = 0; i < figure.lines.size(); ++i) {
    Line line = figure.lines[i];
    if (line.right) {  // the user's own curve, in another unit
      lines.push_back(std::move(line));
      continue;
    }
    const auto [rope, what] = parts_of_relations(line.key);
    const Line* reference = find_line(figure, relation.rope + what);
    if (rope == relation.rope || !reference) continue;
    const double cost = 4 * static_cast<double>(line.series->ys.size() + reference->series->ys.size());
    const auto answer = store.request<relate_series>({"related." + figure.name + "." + line.key, cost},
                                                     {line.series, reference->series, relation.ratio});
    figure.stale |= !answer.current;
    if (!answer.result) continue;
    line.series = answer.result->series;
    line.low = line.high = nullptr;  // an interval of the values
    drawn = relation.ratio ? both(drawn, answer.result->usual) : widened(drawn, *line.series);
    lines.push_back(std::move(line));
    if (i < figure.clocks.size()) clocks.push_back(figure.clocks[i]);
  }
  figure.lines = std::move(lines);
  figure.clocks = std::move(clocks);
  remove_value_marks(figure);
  fit_relation_values(figure, relation.ratio, drawn, experiment);
  figure.y.name += relation.ratio ? "_ratio" : "_difference";
  figure.y.label = text.format(relation.ratio ? "view.curves.ratio" : "view.curves.difference",
                               {{"axis", figure.y.label}, {"rope", relation.name}});
  figure.zero_line = !relation.ratio;
  if (relation.ratio) {
    add_level(figure, 1, {}, Role::faint).dashed = false;
  }
}

Relation relation_of(const Experiment& experiment, const Text& text) {
  const bool dimension = labels_need_dimension(experiment);
  const auto pin = reference_pin(experiment);
  return {experiment.curves.relative_to,
          pin ? pin_label(experiment.pins[*pin], text, dimension) : current_label(experiment, text, dimension),
          experiment.curves.shown_as == ShownAs::ratio};
}

/// Sets poles to NaN: between two values of different sign the reference is 0 and the ratio infinite, so the ratio
/// closer to the pole is removed.
void part_at_poles(std::vector<double>& ratios, const std::vector<double>& references) {
  for (std::size_t i = 1; i < ratios.size(); ++i) {
    const double before = references[i - 1], after = references[i];
    if (before * after < 0) ratios[std::abs(before) < std::abs(after) ? i - 1 : i] = kNoRatio;
  }
}

bool is_same_grid(const Series& a, const Series& b) {
  return a.xs.empty() && b.xs.empty() && a.first_x == b.first_x && a.step == b.step;
}

}  // namespace

std::vector<std::string> words_of(std::string_view sentence) {
  std::vector<std::string> words;
  std::size_t end = 0;
  while (words.size() < kMaxSentenceWords) {
    const std::size_t begin = sentence.find_first_not_of(kSpace, end);
    if (begin == std::string_view::npos) break;
    end = std::min(sentence.find_first_of(kSpace, begin), sentence.size());
    words.emplace_back(sentence.substr(begin, end - begin));
  }
  return words;
}

bool same_word(std::string_view one, std::string_view other) {
  return plain_word(one) == plain_word(other);
}

Eigen::VectorXd word_vector(std::string_view word, int dim, std::uint64_t seed) {
  SplitMix generator{hash_of(plain_word(word)) ^ SplitMix{seed}.next()};
  Eigen::VectorXd vector(dim);
  fill_normal(vector.data(), dim, 1, generator);
  return vector;
}

Experiment show_reference(Experiment experiment) {
  std::erase(experiment.hidden, experiment.curves.relative_to);
  return experiment;
}

std::shared_ptr<const Series> related_series(const Series& a, const Series& b, bool ratio) {
  std::vector<double> xs, ys, references;
  const auto add = [&](std::size_t i, std::size_t k) {
    ys.push_back(relate(a.ys[i], b.ys[k], ratio));
    if (ratio) references.push_back(b.ys[k]);
  };
  if (is_same_grid(a, b)) {
    for (std::size_t i = 0; i < std::min(a.ys.size(), b.ys.size()); ++i) add(i, i);
    if (ratio) part_at_poles(ys, references);
    return make_series(a.first_x, a.step, std::move(ys));
  }
  for (std::size_t i = 0, k = 0; i < a.ys.size() && k < b.ys.size();) {
    const double x = a.x_at(i), other = b.x_at(k);
    if (x == other) {
      xs.push_back(x);
      add(i, k);
    }
    i += x <= other ? 1 : 0;
    k += other <= x ? 1 : 0;
  }
  if (ratio) part_at_poles(ys, references);
  return make_series(std::move(xs), std::move(ys));
}

Range usual_range(std::vector<double> values) {
  constexpr double kTail = 0.02, kBeyond = 0.5;
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return kNoRange;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const Range all{*least, *most};
  const auto at = [&values](double share) {
    const auto place = std::round(share * static_cast<double>(values.size() - 1));
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(place);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  };
  const double low = at(kTail), high = at(1 - kTail), beyond = kBeyond * (high - low);
  return {std::max(all.low, low - beyond), std::min(all.high, high + beyond)};
}

void relate_curves(ViewResult& result, const Experiment& experiment, const Text& text, Store& store) {
  const Relation relation = relation_of(experiment, text);
  bool any = result.stale;
  for (Panel& panel : result.panels) {
    if (!has_lines_of(panel.figure, relation.rope)) continue;
    any = true;
    relate_figure(panel.figure, relation, experiment, text, store);
    result.stale |= panel.figure.stale;
  }
  // In a single column the axis titles may lack the space for it.
  if (any) {
    const std::string to =
        text.format(relation.ratio ? "view.curves.to_ratio" : "view.curves.to_difference", {{"rope", relation.name}});
    result.shared = result.shared.empty() ? to : to + " · " + result.shared;
  }
  if (!any && result.fault.empty()) result.undone = text["view.curves.none"];
}

}  // namespace ropescope
