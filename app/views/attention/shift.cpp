#include <algorithm>
#include <cmath>

#include "app/figure/number_text.h"
#include "app/views/attention/cards.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/encodings.h"
#include "app/views/shared/marks.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// Softmax outputs in double are computed anew for each shift.
constexpr int kMostTokens = 1024;
constexpr std::int64_t kFarthest = 65'536;
/// Where a change of exactly 0 is drawn on the logarithmic axis.
constexpr double kShiftZero = 1e-17;

struct ShiftLine {
  const Encoding* encoding = nullptr;
  std::shared_ptr<const AttentionShifts> by_shift, at_shift;
};

std::vector<std::int64_t> all_shifts() {
  std::vector<std::int64_t> shifts;
  for (std::int64_t shift = 1; shift <= kFarthest; shift *= 2) shifts.push_back(shift);
  return shifts;
}

/// An encoding of the other sort, to compare with.
const Encoding& contrast_to(const Encoding& encoding) {
  return find_encoding(encoding.relative ? "sinusoidal" : "rope");
}

ShiftLine line_of_shift(const AttentionShown& shown, const Encoding& encoding, const std::string& slot, bool& current) {
  ShiftInput input;
  input.subject = shown.subject;
  if (&encoding != shown.encoding) {
    input.subject.encoding = encoding.name;
    input.subject.settings =
        encoding_settings_of(shown.experiment.rope, shown.experiment.encoding, encoding, shown.subject.settings.dim);
  }
  input.subject.content.tokens = std::min(input.subject.content.tokens, kMostTokens);
  input.shifts = all_shifts();
  const auto by_shift = shown.store.get(slot, input);
  input.shifts = {std::llround(shown.knobs.shift)};
  const auto at_shift = shown.store.get(slot + ".at", input);
  current &= by_shift.current && at_shift.current;
  return {&encoding, by_shift.result, at_shift.result};
}

/// The encoding's name by its curve: a legend would cover one of them.
void add_name(Figure& figure, const std::string& title, const LineStyle& style, const std::vector<double>& xs,
              const std::vector<double>& ys) {
  if (xs.size() < 2 || std::isnan(ys[1])) return;
  Label name;
  name.x = xs[1];
  // Towards the middle of the plot, where there is room.
  const bool above = ys[1] < 1e-8;
  name.y = ys[1] * (above ? 20 : 0.05);
  name.text = title;
  name.role = Role::curve;
  name.style = style;
  name.anchor_x = 0;
  name.anchor_y = above ? 1 : 0;
  figure.labels.push_back(name);
}

Figure shift_figure(const AttentionShown& shown, const std::vector<ShiftLine>& lines) {
  Figure figure;
  figure.name = "shift";
  figure.title = shown.about;
  figure.x = cell_axis(named_axis("attention", "shift", shown.text, AxisScale::log),
                       {1, static_cast<double>(kFarthest)}, shown.knobs.shift_range);
  figure.y = fixed_axis(named_axis("attention", "change", shown.text, AxisScale::log), {kShiftZero / 100, 10});
  for (const ShiftLine& line : lines) {
    std::vector<double> xs, ys;
    for (const ShiftEffect& effect : line.by_shift->effects) {
      xs.push_back(static_cast<double>(effect.shift));
      ys.push_back(std::isnan(effect.relative) ? effect.relative : std::max(effect.relative, kShiftZero));
    }
    const LineStyle style{encoding_slot(line.encoding->name), false};
    const std::string label = encoding_label(*line.encoding, shown.experiment.rope, shown.text);
    figure.points.push_back({std::string(line.encoding->name) + ".points", {}, style, xs, ys, {}});
    add_name(figure, label, style, xs, ys);
    figure.lines.push_back(
        {std::string(line.encoding->name), label, style, make_series(std::move(xs), std::move(ys)), false});
  }
  add_rule(figure, shown.knobs.shift,
           shown.text.format("view.attention.chosen_shift", {{"shift", counted(shown.knobs.shift)}}));
  add_level(figure, kShiftZero, shown.text["view.attention.zero"], Role::faint);
  return figure;
}

/// |change| of each token's output at the chosen shift.
Figure shift_tokens_figure(const AttentionShown& shown, const std::vector<ShiftLine>& lines) {
  Figure figure;
  figure.name = "tokens";
  figure.title = shown.text.format("view.attention.per_token", {{"shift", counted(shown.knobs.shift)}});
  double tokens = 1;
  for (const ShiftLine& line : lines) {
    if (line.at_shift->effects.empty()) continue;
    const Eigen::VectorXd& change = line.at_shift->effects.front().change;
    tokens = static_cast<double>(change.size());
    figure.lines.push_back({std::string(line.encoding->name),
                            encoding_label(*line.encoding, shown.experiment.rope, shown.text),
                            {encoding_slot(line.encoding->name), false},
                            make_series(0, 1, std::vector<double>(change.begin(), change.end())),
                            true});
  }
  figure.x = cell_axis(named_axis("attention", "query", shown.text), cell_range(tokens), shown.knobs.query_range);
  figure.x.label = shown.text["view.attention.token"];
  figure.y =
      fixed_axis(named_axis("attention", "change", shown.text), from_zero(widened({0, 0}, figure.lines).high, 1.06));
  figure.y.label = shown.text["view.attention.output_change"];
  figure.legend = true;
  return figure;
}

}  // namespace

ViewResult attention_shift(const AttentionShown& shown) {
  bool current = true;
  std::vector<ShiftLine> lines = {line_of_shift(shown, *shown.encoding, "attention.shift", current)};
  try {
    lines.push_back(line_of_shift(shown, contrast_to(*shown.encoding), "attention.contrast", current));
  } catch (const InputError&) {
    // Only what was asked for has to work: this one's ladder cannot be made.
  }
  for (const ShiftLine& line : lines) {
    if (!line.by_shift || !line.at_shift) return attention_message({}, true);
  }
  for (const Words& fault : {lines[0].by_shift->fault, lines[0].at_shift->fault}) {
    if (!fault.empty()) return attention_message(shown.text.say(fault), !current);
  }
  const ShiftLine& contrast = lines.back();
  if (!contrast.by_shift->fault.empty() || !contrast.at_shift->fault.empty()) lines.pop_back();
  ViewResult result;
  result.stale = !current;
  result.panels.push_back({shift_figure(shown, lines), 0.58});
  result.panels.push_back({shift_tokens_figure(shown, lines), 0.42});
  for (Panel& panel : result.panels) panel.figure.stale = result.stale;
  result.readouts = shift_readouts(shown, *lines[0].at_shift);
  const int tokens = std::min(shown.subject.content.tokens, kMostTokens);
  if (!result.stale) {
    result.status = shown.text.format("view.attention.status_shift",
                                      {{"tokens", counted(tokens)}, {"all", counted(shown.subject.content.tokens)}});
  }
  return result;
}

}  // namespace ropescope
