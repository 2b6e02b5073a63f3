#include "app/views/layout/view.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/experiment/axis_list.h"
#include "app/figure/number_text.h"
#include "app/resources/files.h"
#include "app/views/layout/figures.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/patch_cards.h"
#include "core/error.h"

namespace ropescope {

namespace {

constexpr const char* kRaster = "raster";
constexpr std::size_t kMostTargets = 64;

Figure no_tokens(const Experiment&, const Text&) {
  return empty_figure("layout", "column", "row");
}

std::string short_title(const std::string& layout, const Text& text) {
  return text["option.layout.name." + layout];
}

std::vector<Readout> readouts_of_layout(const LayoutShown& shown, Store& store) {
  PatchQuestion question{shown.layout(), short_title(shown.knobs.name, shown.text)};
  question.anchor = shown.anchor;
  question.targets = shown.targets;
  question.unrotated_text = takes(find_layout(shown.knobs.name), "text") && shown.knobs["text"] > 0;
  const bool image = shown.layout().blocks[shown.main()].part == "image";
  std::shared_ptr<const ArrangedLayout> raster;
  if (image && shown.knobs.name != kRaster) {
    raster = store.get("layout.raster", CounterpartInput(shown.knobs, kRaster)).result;
    if (raster && raster->fault.empty()) {
      question.other = &raster->tables->layout();
      question.other_title = shown.text["view.layout.raster"];
    }
  }
  return patch_readouts(question, shown.text);
}

std::string status_of_layout(const LayoutShown& shown) {
  const TokenLayout& layout = shown.layout();
  return shown.text.format("view.layout.status", {{"anchor", anchor_text(layout, shown.anchor, shown.text)},
                                                  {"tokens", counted(layout.row_count())},
                                                  {"axes", axes_text(layout, shown.text)},
                                                  {"base", base_text(layout, shown.text)},
                                                  {"time", readable_number(1e3 * shown.cells->seconds, 2)}});
}

/// The picture, or what is wrong with it, if one was chosen. False: it is still being read.
bool take_picture(const LayoutKnobs& knobs, Store& store, std::shared_ptr<const Pixels>& picture) {
  if (knobs.picture.empty()) return true;
  const auto answer = store.get("layout.picture", PhotographInput{stamp_of(knobs.picture)});
  if (!answer.result) return false;
  if (!answer.result->fault.empty() && answer.current) throw InputError(answer.result->fault);
  picture = answer.result->pixels;
  return answer.current;
}

ViewResult layout_figures(const Experiment& experiment, const Text& text, Store& store) {
  const LayoutKnobs& knobs = experiment.layout;
  const auto arranged = store.get("layout", LayoutInput(knobs));
  if (!arranged.result) return message_result(no_tokens(experiment, text), {}, true);
  if (!arranged.result->fault.empty())
    return fault_result(no_tokens(experiment, text), text.say(arranged.result->fault), !arranged.current);
  const TokenLayout& layout = arranged.result->tables->layout();
  LayoutCellsInput input;
  input.arranged = arranged.result;
  input.colouring = colouring_of(knobs, layout);
  input.frame = static_cast<int>(knobs.frame) - 1;
  const auto cells = store.get("layout.cells", input);
  if (!cells.result) return message_result(no_tokens(experiment, text), {}, true);
  LayoutShown shown{knobs, text, cells.result, nullptr, 0, {}};
  const bool read = take_picture(knobs, store, shown.picture);
  shown.anchor = anchor_of(knobs, shown.layout());
  shown.targets = targets_of(knobs, shown.layout());
  ViewResult result;
  result.stale = !arranged.current || !cells.current || !read;
  result.panels.push_back({image_figure(shown), 1});
  if (has_parts(shown)) {
    // Under a wide image, beside any other one: where it takes least of its room.
    const bool below = is_wide(shown);
    result.panels.push_back({parts_figure(shown, below), below ? parts_height(shown) : 1, !below, parts_width(shown)});
  }
  for (Panel& panel : result.panels) panel.figure.stale = result.stale;
  result.readouts = readouts_of_layout(shown, store);
  result.status = status_of_layout(shown);
  return result;
}

/// The nearest size that the layout's tokens divide: a photograph seldom has one.
void take_size(LayoutKnobs& knobs, const PhotographSize& size) {
  const Layout& layout = find_layout(knobs.name);
  if (!takes(layout, "image")) return;
  const double step = pixels_per_token(layout, request_of(knobs));
  const auto snapped = [step](double side) {
    return std::clamp(std::round(side / step), 1.0, std::floor(8192 / step)) * step;
  };
  knobs.size_by = "pixels";
  knobs.width = std::max(16.0, snapped(static_cast<double>(size.columns)));
  knobs.height = std::max(16.0, snapped(static_cast<double>(size.rows)));
  knobs.row_range.reset();
  knobs.column_range.reset();
}

void describe_layout(Fields& fields, Experiment& experiment) {
  describe(fields, experiment.layout, controls_of(experiment.layout, true));
}

void react_layout(Experiment& experiment, const FigureEvent& event) {
  if (event.kind != FigureEvent::Kind::click || event.figure != "layout") return;
  LayoutKnobs& knobs = experiment.layout;
  try {
    const TokenLayout layout = arrange(find_layout(knobs.name), request_of(knobs));
    if (const auto token = main_seen(knobs, layout).token_at(event.x, event.y)) click_token(knobs, *token);
  } catch (const InputError&) {
    // There are no patches then.
  }
}

bool open_layout(Experiment& experiment, const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter; });
  if (ending != ".png" && ending != ".jpg" && ending != ".jpeg") return open_layout_config(experiment, path);
  // The picture itself is decoded by whoever draws, on a worker.
  const PhotographSize size = size_of_photograph(path);
  experiment.layout.picture = path;
  take_size(experiment.layout, size);
  return true;
}

std::vector<FileStamp> layout_files(const Experiment& experiment) {
  if (experiment.layout.picture.empty()) return {};
  return {stamp_of(experiment.layout.picture)};
}

}  // namespace

void check_layout(const Experiment& experiment) {
  const LayoutKnobs& knobs = experiment.layout;
  const TokenLayout layout = arrange(find_layout(knobs.name), request_of(knobs));
  targets_of(knobs, layout);
  const std::int64_t count = layout.blocks[main_block(layout)].count();
  const LayoutKnobs initial;
  if (knobs.targets != initial.targets && knobs.targets.find_first_not_of(' ') != std::string::npos) {
    for (const double target : parse_list(knobs.targets, "layout.targets", kMostTargets)) {
      if (target < static_cast<double>(count)) continue;
      throw InputError("layout.no_token",
                       {{"token", readable_integer(target)}, {"tokens", readable_integer(static_cast<double>(count))}});
    }
  }
  if (knobs.picture.empty()) return;
  const Photograph photograph = *PhotographInput{stamp_of(knobs.picture)}.compute(1, {});
  if (!photograph.fault.empty()) throw InputError(photograph.fault);
}

constinit const View kLayoutView{.id = "layout",
                                 .group = "images",
                                 .describe = describe_layout,
                                 .figures = layout_figures,
                                 .empty = no_tokens,
                                 .react = react_layout,
                                 .open = open_layout,
                                 .opens = ".png .jpg .jpeg",
                                 .compares_ropes = false,
                                 .subject = layout_subject,
                                 .files = layout_files,
                                 .shows_layout = looks_at_layout,
                                 .take_config = fill_layout,
                                 .check = check_layout};

}  // namespace ropescope
