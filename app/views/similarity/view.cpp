#include "app/views/similarity/view.h"

#include <algorithm>
#include <utility>

#include "app/figure/number_text.h"
#include "app/views/layout/view.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/patch_cards.h"
#include "app/views/similarity/figures.h"
#include "core/error.h"

namespace ropescope {

namespace {

bool similarity_is_map(const std::string& figure) {
  return figure == "similarity" || figure == "similarity_against";
}

Figure similarity_no_map(const Experiment&, const Text&) {
  return empty_figure("similarity", "column", "row");
}

/// Which patches are looked at.
struct Looking {
  std::int64_t anchor = 0;
  std::optional<std::int64_t> pointed;
};

Looking looking_at(const Experiment& experiment, const TokenLayout& layout) {
  Looking looking;
  looking.anchor = anchor_of(experiment.layout, layout);
  const auto& pointer = experiment.pointer;
  if (!pointer || !similarity_is_map(pointer->figure)) return looking;
  const auto token = main_tiles(experiment.layout, layout).token_at(pointer->x, pointer->y);
  if (!token) return looking;
  if (experiment.similarity.anchor_mode == "follow") {
    looking.anchor = *token;
  } else if (*token != looking.anchor) {
    looking.pointed = token;
  }
  return looking;
}

SimilarityInput input_of_similarity(const Experiment& experiment, std::shared_ptr<const ArrangedLayout> arranged,
                                    std::int64_t anchor) {
  const SimilarityKnobs& knobs = experiment.similarity;
  SimilarityInput input;
  input.arranged = std::move(arranged);
  input.anchor = anchor;
  if (knobs.content == "random") input.seed = static_cast<std::uint64_t>(knobs.seed);
  if (knobs.axis != "all") input.axis = knobs.axis;
  input.frames = seen_frames(experiment.layout, input.arranged->tables->layout());
  return input;
}

std::string layout_title(const std::string& name, const Text& text) {
  return text["option.layout.name." + name];
}

void require_drawable(const TokenLayout& layout, const Text& text) {
  if (layout.row_count() <= kMostSimilarityRows) return;
  throw InputError(text.format("view.similarity.too_large",
                               {{"tokens", counted(layout.row_count())}, {"most", counted(kMostSimilarityRows)}}));
}

/// The layout that is compared with, in the same way.
SimilaritySide other_side(const Experiment& experiment, std::int64_t anchor, const Text& text, Store& store) {
  const std::string& name = experiment.similarity.against;
  SimilaritySide side;
  side.title = layout_title(name, text);
  const auto arranged = store.get("similarity.other", CounterpartInput(experiment.layout, name));
  side.stale = !arranged.current;
  if (!arranged.result) return side;
  side.fault = text.say(arranged.result->fault);
  if (!side.fault.empty()) return side;
  try {
    require_drawable(arranged.result->tables->layout(), text);
    const auto map = store.get("similarity.other", input_of_similarity(experiment, arranged.result, anchor));
    side.map = map.result;
    side.stale = side.stale || !map.current;
  } catch (const InputError& error) {
    side.fault = text.say(error.words());
  }
  return side;
}

std::string status_of_similarity(const SimilarityScene& scene) {
  const SimilarityMap& map = *scene.sides.front().map;
  const SeenBlock& seen = map.blocks[map.main()];
  double seconds = 0;
  std::int64_t maps = 0;
  for (const SimilaritySide& side : scene.sides) {
    if (!side.map) continue;
    seconds += side.map->seconds;
    ++maps;
  }
  return scene.text.format(maps > 1 ? "view.similarity.status_both" : "view.similarity.status",
                           {{"anchor", anchor_text(map.layout(), map.anchor, scene.text)},
                            {"base", base_text(map.layout(), scene.text)},
                            {"rows", counted(seen.rows)},
                            {"columns", counted(seen.columns)},
                            {"time", readable_number(1e3 * seconds, 2)}});
}

std::vector<Readout> readouts_of_similarity(const SimilarityScene& scene, const Experiment& experiment) {
  const SimilaritySide& side = scene.sides.front();
  PatchQuestion question{side.map->layout(), side.title, nullptr, {}, 0, {}, {}, {}};
  question.anchor = side.map->anchor;
  question.targets = scene.targets;
  question.content = side.map->content;
  if (scene.sides.size() > 1 && scene.sides[1].map) {
    const SimilaritySide& other = scene.sides[1];
    question.other = &other.map->layout();
    question.other_title = experiment.similarity.against == "raster" ? scene.text["view.layout.raster"] : other.title;
    question.other_content = other.map->content;
  }
  return patch_readouts(question, scene.text);
}

ViewResult similarity_figures(const Experiment& experiment, const Text& text, Store& store) {
  const auto arranged = store.get("similarity", LayoutInput(experiment.layout));
  if (!arranged.result) return message_result(similarity_no_map(experiment, text), {}, true);
  if (!arranged.result->fault.empty())
    return fault_result(similarity_no_map(experiment, text), text.say(arranged.result->fault), !arranged.current);
  const TokenLayout& layout = arranged.result->tables->layout();
  require_drawable(layout, text);
  const Looking looking = looking_at(experiment, layout);
  const SimilarityKnobs& knobs = experiment.similarity;
  SimilarityScene scene{{},
                        targets_of(experiment.layout, layout),
                        looking.pointed,
                        knobs.colours == "fitted",
                        knobs.row_range,
                        knobs.column_range,
                        knobs.profile_range,
                        knobs.value_range,
                        text};
  const auto map = store.get("similarity", input_of_similarity(experiment, arranged.result, looking.anchor));
  scene.sides.push_back(
      {layout_title(experiment.layout.name, text), map.result, {}, !arranged.current || !map.current});
  // Of a text alone there is nothing that another layout has, too.
  const bool image = layout.blocks[main_block(layout)].part == "image";
  if (image && knobs.against != "none") scene.sides.push_back(other_side(experiment, looking.anchor, text, store));
  ViewResult result;
  result.panels = similarity_panels(scene);
  result.stale = std::any_of(scene.sides.begin(), scene.sides.end(), [](const auto& side) { return side.stale; });
  if (!map.result) return result;
  result.readouts = readouts_of_similarity(scene, experiment);
  if (!result.stale) result.status = status_of_similarity(scene);
  return result;
}

void describe_similarity(Fields& fields, Experiment& experiment) {
  const LayoutControls controls = controls_of(experiment.layout, false);
  const LayoutKnobs before = experiment.layout;
  describe(fields, experiment.layout, controls);
  std::vector<std::string> axes = controls.axes;
  // Where axes share their pairs, none has a part of its own.
  if (takes(find_layout(experiment.layout.name), "mixed_frequencies"))
    axes.resize(std::min<std::size_t>(axes.size(), 1));
  describe(fields, experiment.similarity, axes);
  LayoutKnobs asked = before;
  ask_raster_question(asked);
  // The question is about one patch, whatever the mouse is over, and about the similarity as a whole.
  if (experiment.layout != before && experiment.layout == asked) {
    SimilarityKnobs& knobs = experiment.similarity;
    knobs.anchor_mode = "fixed";
    knobs.content = "aligned";
    knobs.axis = "all";
    knobs.against = "raster";
    knobs.row_range.reset();
    knobs.column_range.reset();
  }
}

void react_similarity(Experiment& experiment, const FigureEvent& event) {
  if (event.kind != FigureEvent::Kind::click || !similarity_is_map(event.figure)) return;
  LayoutKnobs& knobs = experiment.layout;
  try {
    const TokenLayout layout = arrange(find_layout(knobs.name), request_of(knobs));
    const auto token = main_tiles(knobs, layout).token_at(event.x, event.y);
    if (!token) return;
    if (experiment.similarity.anchor_mode != "follow") return click_token(knobs, *token);
    experiment.similarity.anchor_mode = "fixed";
    knobs.anchor = static_cast<double>(*token);
    if (knobs.click == "next") knobs.targets.clear();
  } catch (const InputError&) {
    // There are no patches then.
  }
}

}  // namespace

constinit const View kSimilarityView{.id = "similarity",
                                     .group = "images",
                                     .describe = describe_similarity,
                                     .figures = similarity_figures,
                                     .empty = similarity_no_map,
                                     .react = react_similarity,
                                     .open = open_layout_config,
                                     .compares_ropes = false,
                                     .subject = layout_subject,
                                     .follows_pointer = true,
                                     .shows_layout = looks_at_layout,
                                     .take_config = fill_layout,
                                     .check = check_layout};

}  // namespace ropescope
