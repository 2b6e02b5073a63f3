#include "app/views/atlas.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "app/figure/number_text.h"
#include "app/views/atlas_map.h"
#include "app/views/atlas_readouts.h"
#include "app/views/encodings.h"
#include "app/views/row_mark.h"
#include "app/views/sentence.h"
#include "app/views/zoomed_axis.h"
#include "core/error.h"

namespace ropescope {

namespace {

constexpr double kTurn = 2 * std::numbers::pi;
/// Slots of lines: cos and values; sin.
constexpr int kCosine = 0, kSine = 1;

/// What is drawn: the finished map, how the positions are called, and which rows are looked at.
struct Shown {
  const AtlasKnobs& knobs;
  const Atlas& atlas;
  std::vector<std::string> words;  ///< empty: numbers
  AtlasRows rows;
  const Text& text;

  bool channels() const { return atlas.source.learned() || atlas.source.part == SinusoidPart::sine_cosine; }
};

std::vector<std::string> shown_words(const AtlasKnobs& knobs) {
  return knobs.rows == "words" ? words_of(knobs.sentence) : std::vector<std::string>();
}

AtlasSource source_of(const Experiment& experiment) {
  const std::string& values = experiment.atlas.values;
  AtlasSource source;
  if (values == "learned") {
    source.table = encoding_settings_of(experiment, find_encoding("learned"));
    validate(find_encoding("learned"), source.table);
    return source;
  }
  // An extension is a thing of RoPE.
  RopeKnobs rope = experiment.rope;
  if (values == "sinusoidal") rope.scaling.method = "none";
  source.frequencies = frequencies_of(rope);
  if (values == "rope-cos") source.part = SinusoidPart::cosine;
  if (values == "rope-sin") source.part = SinusoidPart::sine;
  if (values == "rope-angle") source.part = SinusoidPart::angle;
  return source;
}

std::string row_name(const Shown& shown, std::int64_t row) {
  const auto index = static_cast<std::size_t>(row);
  const std::string number = readable_integer(static_cast<double>(row));
  if (index >= shown.words.size()) return shown.text.format("view.atlas.row_name", {{"position", number}});
  return shown.text.format("view.atlas.word_name", {{"word", shown.words[index]}, {"position", number}});
}

std::int64_t clamped_row(double row, std::int64_t rows) {
  return std::clamp<std::int64_t>(std::llround(std::clamp(row, -1.0, kMostAtlasPositions)), 0, rows - 1);
}

/// Where nobody points at another row: the same word elsewhere, else the next row.
std::int64_t row_to_compare(const Shown& shown, std::int64_t kept) {
  const auto count = static_cast<std::int64_t>(shown.words.size());
  for (std::int64_t step = 1; kept < count && step < count; ++step) {
    const std::int64_t row = (kept + step) % count;
    if (same_word(shown.words[static_cast<std::size_t>(row)], shown.words[static_cast<std::size_t>(kept)])) return row;
  }
  return kept + 1 < shown.atlas.positions ? kept + 1 : std::max<std::int64_t>(kept - 1, 0);
}

AtlasRows looked_at(const Shown& shown, const std::optional<Pointer>& pointer) {
  AtlasRows rows;
  rows.kept = rows.pointed = clamped_row(shown.knobs.row, shown.atlas.positions);
  if (pointer && pointer->figure == "atlas") rows.pointed = clamped_row(pointer->y, shown.atlas.positions);
  rows.other = rows.pointed != rows.kept ? rows.pointed : row_to_compare(shown, rows.kept);
  rows.kept_name = row_name(shown, rows.kept);
  rows.other_name = row_name(shown, rows.other);
  rows.pointed_name = row_name(shown, rows.pointed);
  return rows;
}

FigureAxis column_axis(const Shown& shown) {
  FigureAxis axis;
  axis.name = shown.channels() ? "dimension" : "pair";
  axis.label = shown.text[shown.channels() ? "view.atlas.dimension" : "view.atlas.pair"];
  axis.fit = {-0.5, static_cast<double>(shown.atlas.columns) - 0.5};
  axis.whole = true;
  axis.range_key = "atlas.dimension_range";
  zoom(axis, shown.knobs.dimension_range);
  return axis;
}

FigureAxis position_axis(const Shown& shown) {
  FigureAxis axis;
  axis.name = "position";
  axis.label = shown.words.empty() ? shown.text["view.atlas.position"] : std::string();
  axis.fit = {-0.5, static_cast<double>(shown.atlas.positions) - 0.5};
  axis.whole = true;
  axis.reversed = true;
  axis.names = shown.words;
  axis.range_key = "atlas.position_range";
  zoom(axis, shown.knobs.position_range);
  return axis;
}

std::string title_of(const Shown& shown) {
  const EncodingSettings& table = shown.atlas.source.table;
  const std::string title =
      shown.text.format("view.atlas.title." + shown.knobs.values, {{"rows", readable_integer(table.trained_length)}});
  // Then a pixel, or a cell, sees more of the turn than a direction can say.
  constexpr double kManyTurns = 50;
  const bool fast = shown.atlas.source.part == SinusoidPart::angle && shown.atlas.turns &&
                    summarise(*shown.atlas.turns, 0, shown.atlas.turns->ys.size()).maximum > kManyTurns;
  return fast ? shown.text.format("view.atlas.title.hatched", {{"title", title}}) : title;
}

/// ±1, or what the largest number of a learned table asks for.
Range values_range(const Shown& shown) {
  if (shown.atlas.source.part == SinusoidPart::angle) return {0, kTurn};
  if (!shown.atlas.source.learned()) return {-1, 1};
  double most = 0;
  for (const float value : shown.atlas.cells->values) {
    if (std::isfinite(value)) most = std::max(most, std::abs(static_cast<double>(value)));
  }
  const double end = std::max(1.0, std::ceil(2 * most) / 2);
  return {-end, end};
}

Map map_of(const Shown& shown, const std::shared_ptr<const Atlas>& atlas) {
  Map map;
  map.key = "values";
  map.label = shown.text["view.atlas.values." + shown.knobs.values];
  map.colours = atlas->source.part == SinusoidPart::angle ? MapColours::angle : MapColours::signed_value;
  const auto edge = [](std::size_t cells, std::int64_t per_cell) {
    return static_cast<double>(cells) * static_cast<double>(per_cell) - 0.5;
  };
  map.x = {-0.5, edge(atlas->cells->columns, atlas->cell_columns)};
  map.y = {-0.5, edge(atlas->cells->rows, atlas->cell_positions)};
  map.cells = atlas->cells;
  map.range = values_range(shown);
  map.exact = [atlas](double x, double y) { return atlas->value(std::llround(y), std::llround(x)); };
  return map;
}

/// Marks the pairs that move less than a quarter turn.
void add_quarter(Figure& figure, const Shown& shown) {
  for (const Range& stretch : shown.atlas.quarter) {
    Span span;
    span.low = stretch.low;
    span.high = stretch.high;
    span.role = Role::secondary;
    figure.spans.push_back(span);
  }
}

Figure map_figure(const Shown& shown, const std::shared_ptr<const Atlas>& atlas) {
  Figure figure;
  figure.name = "atlas";
  figure.title = title_of(shown);
  figure.x = column_axis(shown);
  figure.y = position_axis(shown);
  figure.maps.push_back(map_of(shown, atlas));
  for (const Range& stretch : atlas->quarter) {
    Rule rule;
    rule.at = stretch.low;
    rule.label = shown.text["view.atlas.quarter"];
    rule.role = Role::text;
    figure.rules.push_back(rule);
  }
  mark_row(figure, static_cast<double>(shown.rows.kept));
  return figure;
}

/// The values of a row: one line, or one each for sin (even channels) and cos (odd ones).
void add_row(Figure& figure, const Shown& shown, std::int64_t position, const std::string& key, const std::string& name,
             bool faint) {
  const Eigen::VectorXd row = shown.atlas.row(position);
  const bool parted = !shown.atlas.source.learned() && shown.channels();
  const auto add = [&](Eigen::Index first, Eigen::Index step, const std::string& part, int slot) {
    std::vector<double> values;
    for (Eigen::Index column = first; column < row.size(); column += step) values.push_back(row[column]);
    const std::string label =
        part.empty() ? name : shown.text.format("view.atlas.of_row", {{"part", part}, {"row", name}});
    figure.lines.push_back({part.empty() ? key : key + "." + part,
                            label,
                            {slot, faint},
                            make_series(static_cast<double>(first), static_cast<double>(step), std::move(values)),
                            true});
  };
  if (!parted) {
    add(0, 1, {}, kCosine);
  } else {
    add(0, 2, "sin", kSine);
    add(1, 2, "cos", kCosine);
  }
}

Figure row_figure(const Shown& shown) {
  Figure figure;
  figure.name = "row";
  figure.x = column_axis(shown);
  figure.y.name = "value";
  figure.y.label = shown.text["view.atlas.row_of_values"];
  const Range range = values_range(shown);
  const double room = range.high - range.low;
  // The legend finds its place below.
  figure.y.fit = {range.low - 0.2 * room, range.high + 0.06 * room};
  figure.y.range = shown.knobs.value_range.value_or(figure.y.fit);
  figure.y.range_key = "atlas.value_range";
  figure.zero_line = true;
  figure.legend = true;
  const bool both = shown.rows.pointed != shown.rows.kept;
  if (both) add_row(figure, shown, shown.rows.pointed, "pointed", shown.rows.pointed_name, false);
  add_row(figure, shown, shown.rows.kept, "kept", shown.rows.kept_name, both);
  return figure;
}

void add_level(Figure& figure, double at, const std::string& label) {
  Rule rule;
  rule.vertical = false;
  rule.at = at;
  rule.label = label;
  figure.rules.push_back(rule);
}

Figure turns_figure(const Shown& shown) {
  Figure figure;
  figure.name = "turns";
  figure.x = column_axis(shown);
  const Series& turns = *shown.atlas.turns;
  const Summary all = summarise(turns, 0, turns.ys.size());
  figure.lines.push_back({"turns", shown.text["view.atlas.turns_line"], {kCosine, false}, shown.atlas.turns, false});
  figure.y.name = "turns";
  figure.y.label = shown.text["view.atlas.turns"];
  figure.y.scale = AxisScale::log;
  const double least = all.count > 0 ? std::min(0.1, all.minimum) : 0.1, most = std::max(10.0, all.maximum);
  figure.y.fit = {std::pow(10, std::floor(std::log10(least))), std::pow(10, std::ceil(std::log10(most)))};
  figure.y.range = shown.knobs.turns_range.value_or(figure.y.fit);
  if (!(figure.y.range.low > 0)) figure.y.range = figure.y.fit;
  figure.y.range_key = "atlas.turns_range";
  add_level(figure, 1, shown.text["view.limits.one_turn"]);
  add_level(figure, 0.25, shown.text["view.limits.quarter_turn"]);
  add_quarter(figure, shown);
  // The curve runs far below the upper end there.
  if (!figure.spans.empty()) {
    Label label;
    label.x = figure.x.range.high;
    label.y = figure.y.range.high;
    label.text = shown.text["view.atlas.quarter"];
    label.role = Role::secondary;
    label.anchor_x = 1.02;
    label.anchor_y = -0.15;
    figure.labels.push_back(label);
  }
  return figure;
}

Figure variance_figure(const Shown& shown) {
  Figure figure;
  figure.name = "variance";
  figure.x = column_axis(shown);
  double most = 0.5;
  const auto add = [&](const std::string& key, const std::shared_ptr<const Series>& series, int slot) {
    if (!series) return;
    figure.lines.push_back({key, shown.text["view.atlas." + key], {slot, false}, series, true});
    most = std::max(most, summarise(*series, 0, series->ys.size()).maximum);
  };
  add("variance_sin", shown.atlas.variance_sin, kSine);
  add("variance_cos", shown.atlas.variance_cos, kCosine);
  add("variance", shown.atlas.variance, kCosine);
  figure.y.name = "variance";
  figure.y.label = shown.text["view.atlas.variance"];
  figure.y.fit = {0, 1.06 * most};
  figure.y.range = shown.knobs.variance_range.value_or(figure.y.fit);
  figure.y.range_key = "atlas.variance_range";
  figure.legend = figure.lines.size() > 1;
  add_quarter(figure, shown);
  return figure;
}

bool wants(const AtlasKnobs& knobs, const std::string& panel) {
  return std::find(knobs.below.begin(), knobs.below.end(), panel) != knobs.below.end();
}

ViewResult message(const std::string& words) {
  Figure figure;
  figure.name = "atlas";
  figure.x.name = "dimension";
  figure.y.name = "position";
  figure.empty_message = words;
  ViewResult result;
  result.panels.push_back({figure, 1});
  return result;
}

std::string status_of(const Shown& shown) {
  return shown.text.format(shown.channels() ? "view.atlas.status" : "view.atlas.status_pairs",
                           {{"positions", readable_integer(static_cast<double>(shown.atlas.positions))},
                            {"columns", readable_integer(static_cast<double>(shown.atlas.columns))},
                            {"time", readable_number(shown.atlas.seconds * 1e3, 2)}});
}

ViewResult draw(const Experiment& experiment, const Text& text, Store& store) {
  const AtlasKnobs& knobs = experiment.atlas;
  std::vector<std::string> words = shown_words(knobs);
  if (knobs.rows == "words" && words.empty()) return message(text["view.atlas.no_sentence"]);
  AtlasInput input;
  input.source = source_of(experiment);
  input.positions = words.empty() ? std::llround(knobs.positions) : static_cast<std::int64_t>(words.size());
  const auto answer = store.get("atlas", input);
  if (!answer.result) {
    ViewResult waiting = message({});
    waiting.stale = waiting.panels.front().figure.stale = true;
    waiting.status = text["view.atlas.computing"];
    return waiting;
  }
  Shown shown{knobs, *answer.result, std::move(words), {}, text};
  shown.rows = looked_at(shown, experiment.pointer);
  ViewResult result;
  result.stale = !answer.current;
  // Each word is to have its line.
  result.panels.push_back({map_figure(shown, answer.result), shown.words.empty() ? 0.56 : 0.7});
  if (wants(knobs, "row")) result.panels.push_back({row_figure(shown), 0.22});
  if (wants(knobs, "turns") && shown.atlas.turns) result.panels.push_back({turns_figure(shown), 0.22});
  if (wants(knobs, "variance")) result.panels.push_back({variance_figure(shown), 0.22});
  for (Panel& panel : result.panels) panel.figure.stale = result.stale;
  result.readouts = atlas_readouts(shown.atlas, shown.rows, text);
  result.status = result.stale ? text["view.atlas.computing"] : status_of(shown);
  return result;
}

}  // namespace

void describe_atlas(Fields& fields, Experiment& experiment) {
  describe(fields, experiment.atlas);
  const std::string& values = experiment.atlas.values;
  const bool learned = values == "learned";
  if (learned || values == "sinusoidal") {
    constexpr std::string_view kRope[] = {"rope.rotary_dim", "rope.axis", "rope.base"};
    constexpr std::string_view kTable[] = {"trained_length", "seed"};
    describe_embedding(fields, experiment.rope, std::span(kRope).first(learned ? 2 : 3));
    describe(fields, experiment.encoding, std::span(kTable).first(learned ? 2 : 0));
  } else {
    describe(fields, experiment.rope);
  }
}

ViewResult atlas_figures(const Experiment& experiment, const Text& text, Store& store) {
  try {
    return draw(experiment, text, store);
  } catch (const InputError& error) {
    return message(error.what());
  }
}

void react_atlas(Experiment& experiment, const FigureEvent& event) {
  if (event.kind != FigureEvent::Kind::click || event.figure != "atlas") return;
  const auto words = static_cast<std::int64_t>(shown_words(experiment.atlas).size());
  const std::int64_t rows = words > 0 ? words : std::llround(experiment.atlas.positions);
  experiment.atlas.row = static_cast<double>(clamped_row(event.y, rows));
}

}  // namespace ropescope
