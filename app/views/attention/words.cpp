// Maps of weights, orders of tokens, and the pictures "shift" and "shuffle".
//
// Contents: Map; Order; Shift; Shuffle.

#include "app/views/attention/words.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "app/figure/figure.h"
#include "app/views/attention/figures.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "app/views/shared/ropes.h"
#include "core/attention/attention.h"
#include "core/message.h"

namespace ropescope {

// --- Map -----------------------------------------------------------------------------------------------------------

namespace {

constexpr float kMaskedWeight = std::numeric_limits<float>::quiet_NaN();

/// Returns the mean of the weights in each cell, skipping masked ones. There are as many queries as keys.
MapCells reduced(const RowMatrix<float>& weights, bool causal) {
  MapCells cells = cells_over(weights.cols(), weights.rows());
  const auto step = static_cast<Eigen::Index>(cells.reduction.rows_per_cell);
  std::vector<double> sums(cells.columns), counts(sums.size());
  for (Eigen::Index row = 0; row < static_cast<Eigen::Index>(cells.rows); ++row) {
    std::fill(sums.begin(), sums.end(), 0.0);
    std::fill(counts.begin(), counts.end(), 0.0);
    for (Eigen::Index i = row * step; i < std::min((row + 1) * step, weights.rows()); ++i) {
      const Eigen::Index keys = causal ? std::min(i + 1, weights.cols()) : weights.cols();
      for (Eigen::Index j = 0; j < keys; ++j) {
        sums[static_cast<std::size_t>(j / step)] += weights(i, j);
        counts[static_cast<std::size_t>(j / step)] += 1;
      }
    }
    for (std::size_t c = 0; c < sums.size(); ++c) {
      cells.values.push_back(counts[c] > 0 ? static_cast<float>(sums[c] / counts[c]) : kMaskedWeight);
    }
  }
  return cells;
}

/// Returns the size that a kShownShare of the cells do not exceed; the maximum if that size is 0.
double shown_size(const MapCells& cells) {
  std::vector<float> sizes;
  sizes.reserve(cells.values.size());
  for (const float value : cells.values) {
    if (!std::isnan(value)) sizes.push_back(std::abs(value));
  }
  if (sizes.empty()) return 1;
  const auto place = sizes.begin() + static_cast<std::ptrdiff_t>(kShownShare * static_cast<double>(sizes.size() - 1));
  std::nth_element(sizes.begin(), place, sizes.end());
  const double size = *place > 0 ? *place : *std::max_element(sizes.begin(), sizes.end());
  return size > 0 ? size : 1;
}

// --- Order ---------------------------------------------------------------------------------------------------------

/// Space between two words, in letters.
constexpr double kOrderBetween = 1.6;

double width_of(const std::string& word) {
  return static_cast<double>(screen_width(word)) + kOrderBetween;
}

constexpr std::string_view kToken = "token.";

// --- Shift ---------------------------------------------------------------------------------------------------------

/// Limit for softmax outputs in double, which are recomputed for each shift.
constexpr int kMaxTokens = 1024;
constexpr std::int64_t kFarthest = 65'536;
/// The value at which a change of exactly 0 is drawn on the logarithmic axis.
constexpr double kZero = 1e-17;

struct ShiftLine {
  const Encoding* encoding = nullptr;
  Store::Answer<std::vector<ShiftEffect>> by_shift, at_shift;
};

std::vector<std::int64_t> all_shifts() {
  std::vector<std::int64_t> shifts;
  for (std::int64_t shift = 1; shift <= kFarthest; shift *= 2) shifts.push_back(shift);
  return shifts;
}

ShiftLine line_of_shift(const AttentionShown& shown, const Encoding& encoding, const std::string& slot, bool& current) {
  ShiftedSubject input{shown.subject, all_shifts()};
  if (&encoding != &shown.encoding()) {
    input.subject.ready = {&encoding, collect_encoding_settings(shown.experiment.rope, shown.experiment.encoding,
                                                                encoding, shown.subject.ready.settings.dim)};
  }
  input.subject.content.tokens = std::min(input.subject.content.tokens, kMaxTokens);
  const auto ask = [&](const std::string& of) {
    auto answer = shown.store.request<measure_shift_effects>({of, input.cost(), true}, input);
    current &= answer.current;
    return answer;
  };
  const auto by_shift = ask(slot);
  input.shifts = {std::llround(shown.fields.shift)};
  return {&encoding, by_shift, ask(slot + ".at")};
}

/// Labels the curve with the encoding's name, because a legend would cover a curve.
void add_name(Figure& figure, const std::string& title, const LineStyle& style, const std::vector<double>& xs,
              const std::vector<double>& ys) {
  if (xs.size() < 2 || std::isnan(ys[1])) return;
  // Towards the middle of the plot, where there is space.
  const bool above = ys[1] < 1e-8;
  Label name = label_at(xs[1], ys[1] * (above ? 20 : 0.05), title, Role::curve, 0, above ? 1 : 0);
  name.style = style;
  figure.labels.push_back(name);
}

Figure shift_figure(const AttentionShown& shown, const std::vector<ShiftLine>& lines) {
  Figure figure = named_figure("shift", shown.about);
  figure.x = cell_axis(named_axis("attention", "shift", shown.text, AxisScale::log),
                       {1, static_cast<double>(kFarthest)}, shown.fields.zooms);
  // Space below the zero for its name.
  figure.y = fixed_axis(named_axis("attention", "change", shown.text, AxisScale::log), {kZero / 1000, 10});
  for (const ShiftLine& line : lines) {
    std::vector<double> xs, ys;
    for (const ShiftEffect& effect : *line.by_shift.result) {
      xs.push_back(static_cast<double>(effect.shift));
      ys.push_back(std::isnan(effect.relative) ? effect.relative : std::max(effect.relative, kZero));
    }
    const LineStyle style{encoding_slot(line.encoding->name), false};
    const std::string label = encoding_label(*line.encoding, shown.experiment.rope, shown.text);
    figure.points.push_back({std::string(line.encoding->name) + ".points", {}, style, xs, ys, {}});
    add_name(figure, label, style, xs, ys);
    figure.lines.push_back(
        {std::string(line.encoding->name), label, style, make_series(std::move(xs), std::move(ys)), false});
  }
  add_rule(figure, shown.fields.shift,
           shown.text.format("view.attention.chosen_shift", {{"shift", counted(shown.fields.shift)}}));
  add_level(figure, kZero, shown.text["view.attention.zero"], Role::faint);
  return figure;
}

/// Draws |change| of each token's output at the selected shift.
Figure shift_tokens_figure(const AttentionShown& shown, const std::vector<ShiftLine>& lines) {
  Figure figure =
      named_figure("tokens", shown.text.format("view.attention.per_token", {{"shift", counted(shown.fields.shift)}}));
  double tokens = 1;
  for (const ShiftLine& line : lines) {
    if (line.at_shift.result->empty()) continue;
    const Eigen::VectorXd& change = line.at_shift.result->front().change;
    tokens = static_cast<double>(change.size());
    figure.lines.push_back({std::string(line.encoding->name),
                            encoding_label(*line.encoding, shown.experiment.rope, shown.text),
                            {encoding_slot(line.encoding->name), false},
                            series_of(change)});
  }
  figure.x = cell_axis(named_axis("attention", "query", shown.text), cell_range(tokens), shown.fields.zooms);
  figure.x.label = shown.text["view.attention.token"];
  figure.y =
      fixed_axis(named_axis("attention", "change", shown.text), from_zero(widened({0, 0}, figure.lines).high, 1.06));
  figure.y.label = shown.text["view.attention.output_change"];
  figure.legend = true;
  return figure;
}

// --- Shuffle -------------------------------------------------------------------------------------------------------

/// Letters that fit into a line; longer lines are set smaller.
constexpr double kShuffleLetters = 84, kShuffleSmallest = 0.55, kLargest = 1.5;
/// Limits above which not all tokens of a line are named or have arrowheads.
constexpr std::size_t kMaxNamed = static_cast<std::size_t>(kMaxDragged), kNamedOfMany = 16;
/// Heights of the two lines, and of the ends of the arrows between them.
constexpr double kUpper = 2.16, kLower = 0.84, kArrowFrom = 1.84, kArrowTo = 1.16, kNumber = 0.56;

struct ShuffleDrawing {
  const AttentionShown& shown;
  std::vector<std::string> words;   ///< of the tokens in their original order
  std::vector<Eigen::Index> order;  ///< the token at each place
  const Text& text;

  LineStyle style() const { return {encoding_slot(shown.encoding().name), false}; }
};

std::vector<std::string> list_shuffled_words(const ShuffleDrawing& drawing) {
  std::vector<std::string> words;
  for (const Eigen::Index token : drawing.order) words.push_back(drawing.words[static_cast<std::size_t>(token)]);
  return words;
}

/// Adds the words of a line at their places; of many words only a few are named.
void add_word_line(Figure& figure, const std::vector<std::string>& words, double y, double size) {
  const LineOfWords line = line_of_words(words);
  const std::size_t step = words.size() > kMaxNamed ? words.size() / kNamedOfMany : 1;
  for (std::size_t place = 0; place < words.size(); place += step) {
    Label label = label_at(line.middles[place], y, words[place]);
    label.size = size;
    figure.labels.push_back(label);
  }
}

/// Adds the numbers of the places, above the upper line and below the lower one.
void add_places(Figure& figure, const std::vector<std::string>& words, double y, double size) {
  if (words.size() > kMaxNamed) return;
  const LineOfWords line = line_of_words(words);
  for (std::size_t place = 0; place < words.size(); ++place) {
    Label label = label_at(line.middles[place], y, readable_integer(static_cast<double>(place)), Role::secondary);
    label.size = 0.85 * std::min(size, 1.0);
    figure.labels.push_back(label);
  }
}

/// Adds an arrow from each token's place in the upper line to its place in the lower one.
void add_shuffle_arrows(Figure& figure, const ShuffleDrawing& drawing) {
  const LineOfWords above = line_of_words(drawing.words), below = line_of_words(list_shuffled_words(drawing));
  for (std::size_t place = 0; place < drawing.order.size(); ++place) {
    const auto token = static_cast<std::size_t>(drawing.order[place]);
    const Role role = token == place ? Role::faint : Role::curve;
    const std::string key = "move." + std::to_string(token);
    const double from = above.middles[token], to = below.middles[place];
    if (drawing.order.size() > kMaxNamed) {
      figure.paths.push_back({key, {0, true}, role, {from, to}, {kArrowFrom, kArrowTo}});
    } else {
      figure.arrows.push_back({key, {}, {}, role, from, kArrowFrom, to, kArrowTo});
    }
  }
}

/// Adds the handles for dragging along the lower line.
void add_handles(Figure& figure, const ShuffleDrawing& drawing) {
  if (drawing.order.size() > kMaxNamed) return;
  const LineOfWords below = line_of_words(list_shuffled_words(drawing));
  for (std::size_t place = 0; place < drawing.order.size(); ++place) {
    const Eigen::Index token = drawing.order[place];
    Handle handle;
    handle.key = token_handle(token, static_cast<Eigen::Index>(drawing.order.size()));
    handle.x = below.middles[place];
    handle.y = kLower;
    handle.radius = below.widths[place] / 2;
    handle.tip =
        drawing.text.format("view.attention.drag_token", {{"token", drawing.words[static_cast<std::size_t>(token)]}});
    figure.handles.push_back(handle);
  }
}

Figure shuffle_sentence_figure(const ShuffleDrawing& drawing) {
  Figure figure = named_figure("sentence");
  figure.bare = true;
  figure.title = drawing.shown.about;
  figure.x.name = "letters";
  figure.y.name = "line";
  const double letters = line_of_words(drawing.words).end;
  // Few words keep their size and are centred.
  const double room = std::max(letters, kShuffleLetters / kLargest) - letters;
  figure.x = fixed_axis(figure.x, {-room / 2, letters + room / 2});
  figure.y = fixed_axis(figure.y, {0, 3});
  const bool many = drawing.words.size() > kMaxNamed;
  const double size = many ? 0.85 : std::clamp(kShuffleLetters / letters, kShuffleSmallest, kLargest);
  add_word_line(figure, drawing.words, kUpper, size);
  add_word_line(figure, list_shuffled_words(drawing), kLower, size);
  add_places(figure, drawing.words, kUpper + kNumber, size);
  add_places(figure, list_shuffled_words(drawing), kLower - kNumber, size);
  add_shuffle_arrows(figure, drawing);
  add_handles(figure, drawing);
  return figure;
}

/// Draws the weights of one order, with the colour scale of both.
Figure shuffle_map_figure(const ShuffleDrawing& drawing, const std::string& name, const WeightsPicture& picture) {
  const AttentionFields& fields = drawing.shown.fields;
  Figure figure = weights_figure(picture, name, drawing.text);
  figure.title = encoding_label(drawing.shown.encoding(), drawing.shown.experiment.rope, drawing.text) + " · " +
                 drawing.text["view.attention." + name];
  for (FigureAxis* axis : {&figure.x, &figure.y}) {
    axis->names = drawing.shown.subject.content.words;
    // Words need no axis label, and the maps are narrow.
    if (!axis->names.empty()) axis->label.clear();
  }
  figure.x = data_axis(figure.x, figure.x.fit, fields.zooms);
  figure.y = data_axis(figure.y, figure.y.fit, fields.zooms);
  return figure;
}

/// Draws |change| of each token's output.
Figure shuffle_tokens_figure(const ShuffleDrawing& drawing, const AttentionShuffle& shuffle) {
  Figure figure = named_figure("tokens", drawing.text["view.attention.shuffled_outputs"]);
  std::vector<double> xs, ys;
  for (Eigen::Index token = 0; token < shuffle.change.size(); ++token) {
    const double change = shuffle.change[token];
    xs.push_back(static_cast<double>(token));
    ys.push_back(std::isnan(change) ? change : std::max(change, kZero));
  }
  figure.x = named_axis("attention", "query", drawing.text);
  figure.x.label = drawing.shown.subject.content.words.empty() ? drawing.text["view.attention.given_token"] : "";
  figure.x.names = drawing.shown.subject.content.words;
  figure.x = cell_axis(figure.x, cell_range(shuffle.change.size()), drawing.shown.fields.zooms);
  figure.y = value_axis(named_axis("attention", "change", drawing.text, AxisScale::log, "shuffle"), {kZero / 100, 100},
                        drawing.shown.fields.zooms);
  figure.y.label = drawing.text["view.attention.output_change"];
  figure.points.push_back({"change.points", {}, drawing.style(), xs, ys, {}});
  figure.lines.push_back({"change", figure.title, drawing.style(), make_series(std::move(xs), std::move(ys)), false});
  add_level(figure, kZero, drawing.text["view.attention.zero"], Role::faint);
  return figure;
}

}  // namespace

WeightsPicture picture_of(std::shared_ptr<const RowMatrix<float>> weights, bool causal) {
  WeightsPicture picture;
  picture.cells = std::make_shared<const MapCells>(reduced(*weights, causal));
  picture.shown = shown_size(*picture.cells);
  // Eigen's minimum may lose a NaN.
  picture.is_signed = std::any_of(weights->data(), weights->data() + weights->size(), [](float w) { return w < 0; });
  picture.causal = causal;
  picture.weights = std::move(weights);
  return picture;
}

Figure weights_figure(const WeightsPicture& picture, const std::string& name, const Text& text) {
  const auto weights = picture.weights;
  Figure figure = named_figure(name);
  figure.x = cell_axis(named_axis("attention", "key", text), cell_range(weights->cols()), {});
  figure.y = cell_axis(named_axis("attention", "query", text), cell_range(weights->rows()), {});
  figure.y.reversed = true;
  Map map;
  map.key = "weights";
  map.label = text["view.attention.weight"];
  map.colours = picture.is_signed ? MapColours::signed_value : MapColours::magnitude;
  map.cells = picture.cells;
  reach_cells(map);
  map.range = {picture.is_signed ? -picture.shown : 0, picture.shown};
  map.exact = [weights, causal = picture.causal](double x, double y) {
    // In a causal matrix, keys after the query have no weights.
    return causal && std::round(x) > std::round(y) ? std::nan("") : entry_at(*weights, x, y);
  };
  figure.maps.push_back(std::move(map));
  return figure;
}

std::vector<std::string> token_words(std::vector<std::string> words, Eigen::Index tokens) {
  const auto count = static_cast<std::size_t>(tokens);
  if (!words.empty()) {
    words.resize(std::min(words.size(), count));
    return words;
  }
  for (std::size_t token = 0; token < count; ++token) words.push_back(readable_integer(static_cast<double>(token)));
  return words;
}

std::string token_handle(Eigen::Index token, Eigen::Index tokens) {
  return std::string(kToken) + std::to_string(token) + "/" + std::to_string(tokens);
}

std::optional<TokenHandle> read_token_handle(std::string_view handle) {
  if (!handle.starts_with(kToken)) return std::nullopt;
  handle.remove_prefix(kToken.size());
  const std::size_t slash = handle.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto token = parse_number(handle.substr(0, slash)), tokens = parse_number(handle.substr(slash + 1));
  if (!token || !tokens || *token < 0 || *token >= *tokens || *tokens > kMaxShuffled) return std::nullopt;
  return TokenHandle{static_cast<Eigen::Index>(*token), static_cast<Eigen::Index>(*tokens)};
}

std::vector<Eigen::Index> shuffled_order(const AttentionFields& fields, Eigen::Index tokens) {
  const std::vector<std::int64_t> asked =
      parse_integers(fields.order, {"attention.order", static_cast<std::int64_t>(kMaxAttentionTokens) - 1,
                                    static_cast<std::size_t>(kMaxAttentionTokens)});
  if (asked.empty()) return draw_permutation(tokens, static_cast<std::uint64_t>(fields.shuffle_seed));
  std::vector<Eigen::Index> order;
  std::vector<bool> stands(static_cast<std::size_t>(tokens));
  const auto add = [&](Eigen::Index token) {
    if (token >= tokens || stands[static_cast<std::size_t>(token)]) return;
    stands[static_cast<std::size_t>(token)] = true;
    order.push_back(token);
  };
  for (const std::int64_t token : asked) add(token);
  for (Eigen::Index token = 0; token < tokens; ++token) add(token);
  return order;
}

std::string order_text(const std::vector<Eigen::Index>& order) {
  return joined(order, ",", [](Eigen::Index token) { return std::to_string(token); });
}

LineOfWords line_of_words(const std::vector<std::string>& words) {
  LineOfWords line;
  for (const std::string& word : words) {
    const double width = width_of(word);
    line.middles.push_back(line.end + width / 2);
    line.widths.push_back(width);
    line.end += width;
  }
  return line;
}

std::vector<Eigen::Index> order_with(std::vector<Eigen::Index> order, Eigen::Index token, double x,
                                     const std::vector<std::string>& words) {
  order.erase(std::remove(order.begin(), order.end(), token), order.end());
  const double own = width_of(words[static_cast<std::size_t>(token)]);
  // After every word whose centre is left of the moved word's centre.
  double left = 0;
  auto at = order.begin();
  for (; at != order.end(); ++at) {
    const double width = width_of(words[static_cast<std::size_t>(*at)]);
    if (left + (width + own) / 2 > x) break;
    left += width;
  }
  order.insert(at, token);
  return order;
}

ViewResult attention_shift(const AttentionShown& shown) {
  bool current = true;
  std::vector<ShiftLine> lines = {line_of_shift(shown, shown.encoding(), "attention.shift", current)};
  try {
    const Encoding& opposite = find_encoding(shown.encoding().relative ? "sinusoidal" : "rope");
    lines.push_back(line_of_shift(shown, opposite, "attention.contrast", current));
  } catch (const InputError&) {
    // Only the selected encoding has to work; this one's ladder is invalid.
  }
  for (const ShiftLine& line : lines) {
    if (line.by_shift.nothing() || line.at_shift.nothing()) return attention_message({}, true);
  }
  for (const Message& fault : {lines[0].by_shift.fault, lines[0].at_shift.fault}) {
    if (!fault.empty()) return attention_message(shown.text.render(fault), !current);
  }
  const ShiftLine& contrast = lines.back();
  if (!contrast.by_shift.result || !contrast.at_shift.result) lines.pop_back();
  ViewResult result;
  result.stale = !current;
  result.panels.push_back({shift_figure(shown, lines), 0.58});
  result.panels.push_back({shift_tokens_figure(shown, lines), 0.42});
  for (Panel& panel : result.panels) panel.figure.stale = result.stale;
  result.readouts = shift_readouts(shown, *lines[0].at_shift.result);
  const int tokens = std::min(shown.subject.content.tokens, kMaxTokens);
  if (!result.stale) {
    result.status = shown.text.format("view.attention.status_shift",
                                      {{"tokens", counted(tokens)}, {"all", counted(shown.subject.content.tokens)}});
  }
  return result;
}

ViewResult attention_shuffle(const AttentionShown& shown) {
  ShuffledSubject input{shown.subject, {}};
  AttentionContent& content = input.subject.content;
  content.tokens = std::min(content.tokens, static_cast<int>(kMaxShuffled));
  if (!content.words.empty()) content.words.resize(static_cast<std::size_t>(content.tokens));
  input.order = shuffled_order(shown.fields, content.tokens);
  const double cost = 4 * content.matrix_cost();
  const auto answer = shown.store.request<measure_shuffle_effect>({"attention.shuffle", cost, true}, input);
  if (!answer.result) return message_of(answer, shown.text);
  const AttentionShuffle& shuffle = *answer.result;
  // While another order is being computed, the dragged words are drawn at their current places.
  const ShuffleDrawing drawing{shown, token_words(shown.subject.content.words, content.tokens), input.order,
                               shown.text};
  WeightsPicture before = picture_of(shuffle.before, false), after = picture_of(shuffle.after, false);
  before.shown = after.shown = std::max(before.shown, after.shown);
  before.is_signed = after.is_signed = before.is_signed || after.is_signed;
  ViewResult result;
  result.stale = !answer.current;
  result.panels.push_back({shuffle_sentence_figure(drawing), 0.34});
  result.panels.push_back({shuffle_map_figure(drawing, "before", before), 0.66, false, 1});
  result.panels.back().figure.maps.front().bar = false;
  result.panels.push_back({shuffle_map_figure(drawing, "after", after), 0.66, true, 1});
  result.panels.push_back({shuffle_tokens_figure(drawing, shuffle), 0.66, true, 0.85});
  for (Panel& panel : result.panels) panel.figure.stale = result.stale;
  result.readouts = shuffle_readouts(shown, shuffle, drawing.words, drawing.order);
  if (!result.stale) {
    result.status =
        shown.text.format("view.attention.status_shuffle",
                          {{"tokens", counted(content.tokens)}, {"all", counted(shown.subject.content.tokens)}});
  }
  return result;
}

}  // namespace ropescope
