#include "app/views/atlas/view.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/experiment/ladder.h"
#include "app/figure/number_text.h"
#include "app/views/atlas/cards.h"
#include "app/views/atlas/figures.h"
#include "app/views/atlas/inputs.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/encodings.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/ropes.h"
#include "app/views/shared/sentence.h"

namespace ropescope {

namespace {

bool atlas_is_map(const std::string& figure) {
  return figure == "atlas" || figure == "atlas_cosine";
}

std::vector<std::string> shown_words(const AtlasKnobs& knobs) {
  return knobs.rows == "words" ? words_of(knobs.sentence) : std::vector<std::string>();
}

AtlasSource source_of(const Experiment& experiment) {
  const std::string& values = experiment.atlas.values;
  AtlasSource source;
  if (values == "learned") {
    source.table = encoding_settings_of(experiment.rope, experiment.encoding, find_encoding("learned"));
    validate(find_encoding("learned"), source.table);
    // They turn the content and leave the table as it is; seeding them would take a wide one over 100 ms.
    source.table.seeded_projections = false;
    return source;
  }
  // An extension is a thing of RoPE.
  RopeKnobs rope = experiment.rope;
  if (values == "sinusoidal") rope.scaling.method = "none";
  const ScaledLadder ladder = read_rope(rope).ladder;
  source.frequencies = ladder.frequencies;
  source.amplitude = ladder.amplitude;
  if (values == "rope-cos") source.part = SinusoidPart::cosine;
  if (values == "rope-sin") source.part = SinusoidPart::sine;
  if (values == "rope-angle") source.part = SinusoidPart::angle;
  return source;
}

std::string atlas_row_name(const AtlasShown& shown, std::int64_t row) {
  const auto index = static_cast<std::size_t>(row);
  const std::string number = readable_integer(static_cast<double>(row));
  if (index >= shown.words.size()) return shown.text.format("view.atlas.row_name", {{"position", number}});
  return shown.text.format("view.atlas.word_name", {{"word", shown.words[index]}, {"position", number}});
}

std::int64_t clamped_row(double row, std::int64_t rows) {
  return std::clamp<std::int64_t>(std::llround(std::clamp(row, -1.0, kMostAtlasPositions)), 0, rows - 1);
}

/// Where nobody points at another row: the same word elsewhere, else the next row.
std::int64_t row_to_compare(const AtlasShown& shown, std::int64_t kept) {
  const auto count = static_cast<std::int64_t>(shown.words.size());
  for (std::int64_t step = 1; kept < count && step < count; ++step) {
    const std::int64_t row = (kept + step) % count;
    if (same_word(shown.words[static_cast<std::size_t>(row)], shown.words[static_cast<std::size_t>(kept)])) return row;
  }
  return kept + 1 < shown.atlas.positions ? kept + 1 : std::max<std::int64_t>(kept - 1, 0);
}

AtlasRows looked_at_atlas(const AtlasShown& shown, const std::optional<Pointer>& pointer) {
  AtlasRows rows;
  rows.kept = rows.pointed = clamped_row(shown.knobs.row, shown.atlas.positions);
  if (pointer && atlas_is_map(pointer->figure)) rows.pointed = clamped_row(pointer->y, shown.atlas.positions);
  rows.other = rows.pointed != rows.kept ? rows.pointed : row_to_compare(shown, rows.kept);
  rows.kept_name = atlas_row_name(shown, rows.kept);
  rows.other_name = atlas_row_name(shown, rows.other);
  rows.pointed_name = atlas_row_name(shown, rows.pointed);
  return rows;
}

bool wants(const AtlasKnobs& knobs, const std::string& panel) {
  return std::find(knobs.below.begin(), knobs.below.end(), panel) != knobs.below.end();
}

Figure no_atlas(const Experiment&, const Text&) {
  return empty_figure("atlas", "dimension", "position");
}

std::string status_of_atlas(const AtlasShown& shown) {
  return shown.text.format(shown.channels() ? "view.atlas.status" : "view.atlas.status_pairs",
                           {{"positions", counted(shown.atlas.positions)},
                            {"columns", counted(shown.atlas.columns)},
                            {"time", readable_number(shown.atlas.seconds * 1e3, 2)}});
}

ViewResult atlas_figures(const Experiment& experiment, const Text& text, Store& store) {
  const AtlasKnobs& knobs = experiment.atlas;
  std::vector<std::string> words = shown_words(knobs);
  if (knobs.rows == "words" && words.empty())
    return message_result(no_atlas(experiment, text), text["view.atlas.no_sentence"]);
  AtlasInput input;
  input.source = source_of(experiment);
  input.positions = words.empty() ? std::llround(knobs.positions) : static_cast<std::int64_t>(words.size());
  const auto answer = store.get("atlas", input);
  if (!answer.result) return message_result(no_atlas(experiment, text), {}, true);
  AtlasShown shown{knobs, *answer.result, std::move(words), {}, {}, text};
  if (knobs.values.rfind("rope-", 0) == 0) shown.extension = extension_label(experiment.rope, text);
  shown.rows = looked_at_atlas(shown, experiment.pointer);
  ViewResult result;
  result.stale = !answer.current;
  add_maps(result, shown, answer.result);
  if (wants(knobs, "row")) result.panels.push_back({row_figure(shown), 0.22});
  if (wants(knobs, "column")) {
    result.panels.push_back({column_figure(shown, store), 0.22});
    result.stale |= result.panels.back().figure.stale;
  }
  if (wants(knobs, "turns") && shown.atlas.turns) result.panels.push_back({turns_figure(shown), 0.22});
  if (wants(knobs, "variance")) result.panels.push_back({variance_figure(shown), 0.22});
  for (Panel& panel : result.panels) panel.figure.stale = result.stale;
  result.readouts = atlas_readouts(shown.atlas, shown.rows, text);
  if (!shown.extension.empty()) add_ladder_in_use(result.readouts, "atlas", experiment.rope, text);
  if (!result.stale) result.status = status_of_atlas(shown);
  return result;
}

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

/// As many as there are words, or positions.
double row_count(const Experiment& experiment) {
  const std::size_t words = shown_words(experiment.atlas).size();
  return words > 0 ? static_cast<double>(words) : std::round(experiment.atlas.positions);
}

void react_atlas(Experiment& experiment, const FigureEvent& event) {
  if (event.kind != FigureEvent::Kind::click || !atlas_is_map(event.figure)) return;
  experiment.atlas.row = static_cast<double>(clamped_row(event.y, std::llround(row_count(experiment))));
}

/// What a text of columns may hold, whatever the table has.
void check_columns(const Experiment& experiment) {
  whole_numbers_of(experiment.atlas.columns, kColumnNumbers);
}

}  // namespace

constinit const View kAtlasView{.id = "atlas",
                                .group = "compare",
                                .describe = describe_atlas,
                                .figures = atlas_figures,
                                .empty = no_atlas,
                                .react = react_atlas,
                                .length = row_count,
                                .compares_ropes = false,
                                .follows_pointer = true,
                                .check = check_columns};

}  // namespace ropescope
