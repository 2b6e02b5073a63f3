#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "app/figure/number_text.h"
#include "app/views/compare/cards.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/maps.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/sentence.h"
#include "core/short_text.h"

namespace ropescope {

namespace {

/// Letters that a line of the sentence has room for; longer ones are set smaller.
constexpr double kPhraseLetters = 84, kPhraseSmallest = 0.55;
/// Phrases up to so many words have their scores written into the cells.
constexpr std::size_t kMostNumbered = 5;
constexpr std::string_view kHandle = "word.";

/// A word of a line: where it stands in the sentence, and whether it belongs to the phrase. The gap has no position.
struct PlacedWord {
  std::string word;
  std::int64_t position = 0;
  bool phrase = false, gap = false;
};

/// The sentence, which of its words are the phrase, and where that goes.
struct Phrase {
  std::vector<std::string> words;
  std::size_t at = 0, count = 0;
  std::int64_t move = 0;
  std::vector<std::string> own() const {
    const auto begin = words.begin() + static_cast<std::ptrdiff_t>(at);
    return {begin, begin + static_cast<std::ptrdiff_t>(count)};
  }
};

Phrase phrase_of(const CompareKnobs& knobs) {
  Phrase phrase;
  phrase.words = words_of(knobs.sentence);
  if (phrase.words.empty()) return phrase;
  phrase.at = std::min(static_cast<std::size_t>(knobs.phrase_at), phrase.words.size() - 1);
  phrase.count = std::min(static_cast<std::size_t>(knobs.phrase_words), phrase.words.size() - phrase.at);
  phrase.move = std::llround(knobs.move);
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

/// The other words close up, and the phrase stands among them again, or after them behind a gap.
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

/// Draws a line of words, the phrase framed; where its middle is.
double add_line_phrase(Figure& figure, const std::vector<PlacedWord>& line, double y, double size, bool handles) {
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
      Handle handle;
      handle.key = std::string(kHandle) + std::to_string(number++);
      handle.x = middle;
      handle.y = y;
      handle.radius = width / 2;
      handle.draggable = false;
      figure.handles.push_back(handle);
    }
    x += width;
  }
  figure.x.fit.high = std::max(figure.x.fit.high, x);
  Box box;
  box.x = {low, high};
  box.y = {y - 0.62, y + 0.3};
  box.filled = true;
  figure.boxes.push_back(box);
  return (low + high) / 2;
}

Figure phrase_sentence_figure(const Phrase& phrase, const Text& text) {
  Figure figure;
  figure.name = "sentence";
  figure.bare = true;
  figure.x.name = "letters";
  figure.x.fit = {0, 1};
  figure.y.name = "line";
  figure.y = fixed_axis(figure.y, {0, 3.1});
  const std::vector<PlacedWord> before = line_before(phrase), after = line_after(phrase);
  double letters = 0;
  for (const PlacedWord& placed : after) letters += letters_of_phrase(placed.word) + 1.6;
  const double size = std::clamp(kPhraseLetters / letters, kPhraseSmallest, 1.1);
  const double from = add_line_phrase(figure, before, 2.4, size, true),
               to = add_line_phrase(figure, after, 0.9, size, false);
  figure.x = fixed_axis(figure.x, figure.x.fit);
  Arrow arrow;
  arrow.key = "move";
  arrow.x0 = from;
  arrow.y0 = 1.74;
  arrow.x1 = to;
  arrow.y1 = 1.24;
  figure.arrows.push_back(arrow);
  figure.labels.push_back(
      {figure.x.fit.low, 2.95, text["view.compare.click_word"], Role::faint, {}, 0, 0.5, 0.85, false, true});
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
      Label label;
      label.x = static_cast<double>(column);
      label.y = static_cast<double>(row);
      label.text = readable_fixed(scores(row, column), 2);
      figure.labels.push_back(label);
    }
  }
}

Figure phrase_scores_figure(const std::string& name, const std::string& title, const TokenMatrix& scores,
                            const std::vector<std::string>& words, double most) {
  Figure figure;
  figure.name = name;
  figure.title = title;
  figure.x = word_axis(words, "key_word", false);
  figure.y = word_axis(words, "query_word", true);
  Map map;
  map.key = name;
  map.colours = MapColours::signed_value;
  map.x = figure.x.fit;
  map.y = figure.y.fit;
  map.cells = cells_of(scores);
  map.range = {-most, most};
  map.bar = name == "change";
  map.exact = [scores](double x, double y) { return entry_at(scores, x, y); };
  figure.maps.push_back(map);
  if (words.size() <= kMostNumbered) add_numbers(figure, scores);
  return figure;
}

/// "at positions 0–2".
std::string place_title(std::int64_t at, std::size_t count, const Text& text) {
  const auto first = static_cast<double>(at), last = first + static_cast<double>(count) - 1;
  return text.format("view.compare.at_positions", {{"first", counted(first)}, {"last", counted(last)}});
}

PhraseScoresInput input_of_phrase(const ReadyEncoding& ready, const Phrase& phrase, const CompareKnobs& knobs) {
  PhraseScoresInput input;
  input.encoding = ready.encoding->name;
  input.settings = ready.settings;
  input.words = phrase.own();
  input.seed = static_cast<std::uint64_t>(knobs.seed);
  input.at = static_cast<std::int64_t>(phrase.at);
  input.move = phrase.move;
  return input;
}

/// What the phrase's move changes for each of the chosen encodings.
std::vector<PhraseChange> changes_of(const Experiment& experiment, const Phrase& phrase, Store& store, bool& stale) {
  Words::List faults;
  std::vector<PhraseChange> changes;
  for (const ReadyEncoding& ready : ready_encodings(experiment, faults)) {
    const std::string slot = "phrase." + std::string(ready.encoding->name);
    const auto answer = store.get(slot, input_of_phrase(ready, phrase, experiment.compare));
    stale |= !answer.current;
    if (answer.result) changes.push_back({ready.encoding, answer.result->largest_change});
  }
  return changes;
}

}  // namespace

int phrase_word_of(const std::string& handle) {
  if (handle.rfind(kHandle, 0) != 0) return -1;
  int word = -1;
  std::from_chars(handle.data() + kHandle.size(), handle.data() + handle.size(), word);
  return word;
}

ViewResult compare_phrase(const Experiment& experiment, const Text& text, Store& store) {
  const CompareKnobs& knobs = experiment.compare;
  const Phrase phrase = phrase_of(knobs);
  if (phrase.words.empty()) return message_result(no_scores(experiment, text), text["view.compare.no_sentence"]);
  const Encoding& encoding = find_encoding(knobs.encoding);
  const ReadyEncoding ready{&encoding, encoding_settings_of(experiment.rope, experiment.encoding, encoding)};
  validate(encoding, ready.settings);
  ViewResult result;
  const auto answer = store.get("phrase", input_of_phrase(ready, phrase, knobs));
  result.panels.push_back({phrase_sentence_figure(phrase, text), 0.3});
  result.stale = !answer.current;
  if (!answer.result) return result;
  const PhraseScores& scores = *answer.result;
  double most = std::max(largest_size(scores.before.reshaped()), largest_size(scores.after.reshaped()));
  if (!(most > 0)) most = 1;
  const auto add = [&](const std::string& name, const std::string& title, const TokenMatrix& of, bool beside) {
    Panel panel{phrase_scores_figure(name, title, of, scores.words, most), 0.7};
    panel.figure.maps.front().label = text["view.compare.score"];
    panel.beside = beside;
    panel.figure.stale = !answer.current;
    result.panels.push_back(panel);
  };
  add("before", place_title(scores.at, scores.words.size(), text), scores.before, false);
  add("after", place_title(scores.at + scores.move, scores.words.size(), text), scores.after, true);
  add("change", text["view.compare.change"], scores.after - scores.before, true);
  result.readouts = phrase_readouts(scores, changes_of(experiment, phrase, store, result.stale), text);
  add_ladder_readout(result.readouts, "compare.ladder", {{&encoding, &ready.settings}}, experiment.rope, text);
  result.status = text.format(
      "view.compare.status_phrase",
      {{"encoding", encoding_label(encoding, experiment.rope, text)}, {"note", learned_note(encoding, text)}});
  return result;
}

}  // namespace ropescope
