#include <algorithm>
#include <cmath>

#include "app/figure/number_text.h"
#include "app/views/attention/cards.h"
#include "app/views/attention/order.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/encodings.h"
#include "app/views/shared/marks.h"

namespace ropescope {

namespace {

/// Letters that a line has room for; more of them are set smaller.
constexpr double kShuffleLetters = 84, kShuffleSmallest = 0.55, kLargest = 1.5;
/// More tokens than this cannot all be named in a line, nor can each have an arrowhead.
constexpr std::size_t kMostNamed = static_cast<std::size_t>(kMostDragged), kNamedOfMany = 16;
/// Heights of the two lines, and of the ends of the arrows between them.
constexpr double kUpper = 2.16, kLower = 0.84, kArrowFrom = 1.84, kArrowTo = 1.16, kNumber = 0.56;
/// Where a change of exactly 0 is drawn on the logarithmic axis.
constexpr double kShuffleZero = 1e-17;

struct ShuffleDrawing {
  const AttentionShown& shown;
  std::vector<std::string> words;   ///< of the tokens in their given order
  std::vector<Eigen::Index> order;  ///< which of them stands at each place
  const Text& text;

  LineStyle style() const { return {encoding_slot(shown.encoding->name), false}; }
};

std::vector<std::string> dealt_words(const ShuffleDrawing& drawing) {
  std::vector<std::string> words;
  for (const Eigen::Index token : drawing.order) words.push_back(drawing.words[static_cast<std::size_t>(token)]);
  return words;
}

/// The words of a line at their places. Of many of them only a few are named.
void add_line_shuffle(Figure& figure, const std::vector<std::string>& words, double y, double size) {
  const LineOfWords line = line_of_words(words);
  const std::size_t step = words.size() > kMostNamed ? words.size() / kNamedOfMany : 1;
  for (std::size_t place = 0; place < words.size(); place += step) {
    Label label;
    label.x = line.middles[place];
    label.y = y;
    label.text = words[place];
    label.size = size;
    figure.labels.push_back(label);
  }
}

/// Numbers of the places, above the upper line and below the lower one.
void add_places(Figure& figure, const std::vector<std::string>& words, double y, double size) {
  if (words.size() > kMostNamed) return;
  const LineOfWords line = line_of_words(words);
  for (std::size_t place = 0; place < words.size(); ++place) {
    Label label;
    label.x = line.middles[place];
    label.y = y;
    label.text = readable_integer(static_cast<double>(place));
    label.role = Role::secondary;
    label.size = 0.85 * std::min(size, 1.0);
    figure.labels.push_back(label);
  }
}

/// From where each token stands above to where it stands below.
void add_arrows_shuffle(Figure& figure, const ShuffleDrawing& drawing) {
  const LineOfWords above = line_of_words(drawing.words), below = line_of_words(dealt_words(drawing));
  for (std::size_t place = 0; place < drawing.order.size(); ++place) {
    const auto token = static_cast<std::size_t>(drawing.order[place]);
    const bool stays = token == place;
    const double from = above.middles[token], to = below.middles[place];
    if (drawing.order.size() > kMostNamed) {
      Path path;
      path.key = "move." + std::to_string(token);
      path.role = stays ? Role::faint : Role::curve;
      path.style.faint = true;
      path.xs = {from, to};
      path.ys = {kArrowFrom, kArrowTo};
      figure.paths.push_back(path);
      continue;
    }
    Arrow arrow;
    arrow.key = "move." + std::to_string(token);
    arrow.role = stays ? Role::faint : Role::curve;
    arrow.x0 = from;
    arrow.y0 = kArrowFrom;
    arrow.x1 = to;
    arrow.y1 = kArrowTo;
    figure.arrows.push_back(arrow);
  }
}

/// What is dragged along the lower line.
void add_handles(Figure& figure, const ShuffleDrawing& drawing) {
  if (drawing.order.size() > kMostNamed) return;
  const LineOfWords below = line_of_words(dealt_words(drawing));
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
  Figure figure;
  figure.name = "sentence";
  figure.bare = true;
  figure.title = drawing.shown.about;
  figure.x.name = "letters";
  figure.y.name = "line";
  const double letters = line_of_words(drawing.words).end;
  // Few words keep their size and stand in the middle.
  const double room = std::max(letters, kShuffleLetters / kLargest) - letters;
  figure.x = fixed_axis(figure.x, {-room / 2, letters + room / 2});
  figure.y = fixed_axis(figure.y, {0, 3});
  const bool many = drawing.words.size() > kMostNamed;
  const double size = many ? 0.85 : std::clamp(kShuffleLetters / letters, kShuffleSmallest, kLargest);
  add_line_shuffle(figure, drawing.words, kUpper, size);
  add_line_shuffle(figure, dealt_words(drawing), kLower, size);
  add_places(figure, drawing.words, kUpper + kNumber, size);
  add_places(figure, dealt_words(drawing), kLower - kNumber, size);
  add_arrows_shuffle(figure, drawing);
  add_handles(figure, drawing);
  return figure;
}

/// The weights of one order, with the colours of both.
Figure shuffle_map_figure(const ShuffleDrawing& drawing, const std::string& name, const WeightsPicture& picture) {
  const AttentionKnobs& knobs = drawing.shown.knobs;
  Figure figure = weights_figure(picture, name, drawing.text);
  figure.title = drawing.text["view.attention." + name];
  for (FigureAxis* axis : {&figure.x, &figure.y}) {
    axis->names = drawing.shown.subject.content.words;
    // Words say what they are, and the maps are narrow.
    if (!axis->names.empty()) axis->label.clear();
  }
  figure.x = data_axis(figure.x, figure.x.fit, knobs.key_range);
  figure.y = data_axis(figure.y, figure.y.fit, knobs.query_range);
  return figure;
}

/// |change| of each token's output.
Figure shuffle_tokens_figure(const ShuffleDrawing& drawing, const AttentionShuffle& shuffle) {
  Figure figure;
  figure.name = "tokens";
  figure.title = drawing.text["view.attention.shuffled_outputs"];
  std::vector<double> xs, ys;
  for (Eigen::Index token = 0; token < shuffle.change.size(); ++token) {
    const double change = shuffle.change[token];
    xs.push_back(static_cast<double>(token));
    ys.push_back(std::isnan(change) ? change : std::max(change, kShuffleZero));
  }
  figure.x = named_axis("attention", "query", drawing.text);
  figure.x.label = drawing.shown.subject.content.words.empty() ? drawing.text["view.attention.given_token"] : "";
  figure.x.names = drawing.shown.subject.content.words;
  figure.x = cell_axis(figure.x, cell_range(shuffle.change.size()), drawing.shown.knobs.query_range);
  figure.y = value_axis(named_axis("attention", "change", drawing.text, AxisScale::log, "shuffle"),
                        {kShuffleZero / 100, 100}, drawing.shown.knobs.shuffle_range);
  figure.y.label = drawing.text["view.attention.output_change"];
  figure.points.push_back({"change.points", {}, drawing.style(), xs, ys, {}});
  figure.lines.push_back({"change", figure.title, drawing.style(), make_series(std::move(xs), std::move(ys)), false});
  add_level(figure, kShuffleZero, drawing.text["view.attention.zero"], Role::faint);
  return figure;
}

}  // namespace

ViewResult attention_shuffle(const AttentionShown& shown) {
  ShuffleInput input;
  input.subject = shown.subject;
  AttentionContent& content = input.subject.content;
  content.tokens = std::min(content.tokens, static_cast<int>(kMostShuffled));
  if (!content.words.empty()) content.words.resize(static_cast<std::size_t>(content.tokens));
  input.order = shuffled_order(shown.knobs, content.tokens);
  const auto answer = shown.store.get("attention.shuffle", input);
  if (!answer.result) return attention_message({}, true);
  const AttentionShuffle& shuffle = *answer.result;
  if (!shuffle.fault.empty()) return attention_message(shown.text.say(shuffle.fault), !answer.current);
  // While another order is being computed the words that are dragged stand where they are.
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
