#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/figure/number_text.h"
#include "app/views/rotation/figures.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/marks.h"
#include "core/rotary/rotation.h"

namespace ropescope {

namespace {

constexpr int kPairs = 4;
constexpr double kPairingTop = 0, kPairingBottom = 3.4, kPairingHalfWidth = 0.42, kHalfHeight = 0.48, kPass = 0.52;

/// Where a channel is on its way: it leaves and arrives gently.
double eased(double progress) {
  return progress * progress * (3 - 2 * progress);
}

Box box_at(double x, double y, int slot, bool filled) {
  Box box;
  box.x = {x - kPairingHalfWidth, x + kPairingHalfWidth};
  box.y = {y - kHalfHeight, y + kHalfHeight};
  box.style.slot = slot;
  box.filled = filled;
  return box;
}

/// Names of the two arrangements beside their rows; the one that the rope has stands out.
void add_row_name(Figure& figure, double y, const std::string& words, bool own) {
  Label label = label_at(-0.5, y, words, own ? Role::text : Role::secondary);
  label.anchor_x = 0;
  label.semibold = own;
  figure.labels.push_back(label);
}

Line line_of_pairing(const char* key, int slot, const std::shared_ptr<const Series>& series, const Text& text) {
  return {key, text[std::string("view.rotation.mixed.") + key], {slot, false}, series, true};
}

/// Around all curves, with room above them for their names.
Range fit_scores_pairing(const std::vector<Line>& lines) {
  const auto [low, high] = widened({0, 0}, lines);
  if (!(low < high)) return {-1, 1};
  const double step = std::pow(10, std::floor(std::log10(high - low))) / 2;
  return {step * std::floor(low / step - 0.1), step * std::ceil((high + 0.5 * (high - low)) / step)};
}

}  // namespace

Figure permutation_figure(double progress, Pairing pairing, const Text& text) {
  Figure figure;
  figure.name = "permutation";
  figure.title = text["view.rotation.permutation"];
  figure.bare = true;
  figure.x.name = "channel";
  figure.y.name = "row";
  figure.x.range = figure.x.fit = {-0.7, 2 * kPairs - 0.3};
  figure.y.range = figure.y.fit = {-1.6, kPairingBottom + 1.6};
  figure.y.reversed = true;
  add_row_name(figure, kPairingTop - 1.25, text["view.rotation.interleaved"], pairing == Pairing::interleaved);
  add_row_name(figure, kPairingBottom + 1.25, text["view.rotation.half"], pairing == Pairing::half_split);
  const std::vector<int> from = half_split_from_interleaved(kPairs);
  const double way = eased(std::clamp(progress, 0.0, 1.0));
  for (int target = 0; target < 2 * kPairs; ++target) {
    const int source = from[static_cast<std::size_t>(target)], pair = target % kPairs;
    Path line;
    line.key = "way." + std::to_string(source);
    line.style = {pair, true};
    line.xs = {static_cast<double>(source), static_cast<double>(target)};
    line.ys = {kPairingTop + kHalfHeight, kPairingBottom - kHalfHeight};
    figure.paths.push_back(line);
    // What moves to the left goes ahead of what moves to the right, so that they pass without touching.
    const double ahead = source == target ? 0 : (target < source ? kPass : -kPass) * std::sin(std::numbers::pi * way);
    const double x = source + way * (target - source), y = kPairingTop + way * (kPairingBottom - kPairingTop) + ahead;
    // Where it comes from and where it goes stay marked; what moves is filled.
    for (const auto& [column, row] : {std::pair<double, double>(source, kPairingTop), {target, kPairingBottom}}) {
      Box place = box_at(column, row, pair, false);
      place.style.faint = true;
      figure.boxes.push_back(place);
    }
    for (const double row : {kPairingTop - 0.72, kPairingBottom + 0.72}) {
      Label place = label_at(target, row, readable_integer(target), Role::faint);
      figure.labels.push_back(place);
    }
    figure.boxes.push_back(box_at(x, y, pair, true));
    figure.boxes.push_back(box_at(x, y, pair, false));
    Label name = label_at(x, y, text["view.rotation.channel." + std::to_string(source)], Role::curve);
    name.style.slot = pair;
    name.semibold = true;
    name.size = 1.2;
    figure.labels.push_back(name);
  }
  return figure;
}

Figure mixed_figure(const RotationState& state, const MixedCurves& curves, const Text& text) {
  Figure figure;
  figure.name = "mixed";
  const TextValue pairs = counted(state.pairs);
  figure.title = text.format("view.rotation.mixed.title", {{"pairs", pairs}});
  figure.lines = {line_of_pairing("right", 0, curves.right, text), line_of_pairing("other", 1, curves.other, text),
                  line_of_pairing("mixed", 3, curves.mixed, text)};
  figure.x.name = "distance";
  figure.x.label = text.format("view.rotation.mixed.distance", {{"key", readable_number(state.key_position, 7)}});
  figure.x = cell_axis(figure.x, {0, state.knobs.reach}, {});
  figure.y.name = "score";
  figure.y.label = text.format("view.rotation.mixed.score", {{"pairs", pairs}});
  figure.y = fixed_axis(figure.y, fit_scores_pairing(figure.lines));
  figure.zero_line = true;
  figure.legend = true;
  const double distance = state.query_position - state.key_position;
  if (distance >= 0 && distance <= state.knobs.reach) {
    add_rule(figure, distance, text.format("view.rotation.mixed.here", {{"distance", readable_number(distance, 7)}}));
  }
  return figure;
}

}  // namespace ropescope
