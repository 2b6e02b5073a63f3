// The view Precision: errors by position, figures and cards.
//
// Contents: Computed; Cards; Figures; View.

#include "app/views/precision.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/experiment/rope_spec.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/ropes.h"
#include "app/views/views.h"

namespace ropescope {

// --- Computed ------------------------------------------------------------------------------------------------------

namespace {

constexpr int kRatios = 400;
/// Nanoseconds per pair and position: about fourteen sines and cosines.
constexpr double kPairCost = 200;

/// The errors of one policy at the sampled positions. NaN if its format overflows.
struct PolicyCurves {
  const PrecisionPolicy* policy = nullptr;
  std::shared_ptr<const Series> error;        ///< PrecisionError::max_abs by position
  std::shared_ptr<const Series> score_error;  ///< PrecisionError::score by position
  std::shared_ptr<const Series> shifted;      ///< score with the key at the position and the query `distance` later
  double unshifted = 0;                       ///< that score with the key at 0
  double error_at_length = 0;                 ///< PrecisionError::max_abs at the selected length
};

/// The input of the curves.
struct PrecisionInput {
  std::vector<const PrecisionPolicy*> policies;
  KeyVector frequencies;
  double span = 0;      ///< last position
  double distance = 0;  ///< between query and key while both are shifted
  double length = 0;    ///< position of the reported error

  bool operator==(const PrecisionInput&) const = default;
};

/// Computes a policy's curves. Returns false if `stop` was requested.
bool compute_policy(const PrecisionInput& input, const std::vector<double>& positions, const std::stop_token& stop,
                    PolicyCurves& curves) {
  const PrecisionPolicy& policy = *curves.policy;
  std::vector<double> error, score_error, shifted;
  for (const double position : positions) {
    if (stop.stop_requested()) return false;
    const PrecisionError found = precision_error(policy, input.frequencies, position);
    error.push_back(found.max_abs);
    score_error.push_back(found.score);
    shifted.push_back(policy_score(policy, input.frequencies, position + input.distance, position));
  }
  curves.unshifted = policy_score(policy, input.frequencies, input.distance, 0);
  curves.error_at_length = precision_error(policy, input.frequencies, input.length).max_abs;
  curves.error = make_series(positions, std::move(error));
  curves.score_error = make_series(positions, std::move(score_error));
  curves.shifted = make_series(positions, std::move(shifted));
  return true;
}

struct PrecisionCurves {
  std::vector<PolicyCurves> policies;
  double exact_score = 0;  ///< for two tokens at the distance, in float64
  std::size_t positions = 0;
  double seconds = 0;  ///< computing time
  std::size_t bytes() const { return 6 * policies.size() * positions * sizeof(double); }
};

PrecisionCurves precision_curves(const PrecisionInput& input, const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<double> positions = sampled_positions(input.span);
  PrecisionCurves result;
  result.positions = positions.size();
  for (const double frequency : input.frequencies) {
    result.exact_score += std::cos(input.distance * frequency) / static_cast<double>(input.frequencies.size());
  }
  for (const PrecisionPolicy* policy : input.policies) {
    PolicyCurves curves;
    curves.policy = policy;
    if (!compute_policy(input, positions, work.stop, curves)) return result;
    result.policies.push_back(std::move(curves));
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

// --- Cards ---------------------------------------------------------------------------------------------------------

/// Differences below this are due to float64 itself.
constexpr double kUnchanged = 1e-9;

std::string policy_key(const PrecisionPolicy& policy) {
  return "option.precision.highlight." + std::string(policy.name);
}

/// Returns a policy's name for legends and sentences: "bfloat16 inputs".
std::string policy_label(const PrecisionPolicy& policy, const Text& text) {
  return text[policy_key(policy)];
}

struct PrecisionContext {
  const PrecisionCurves& curves;
  double length;
  const PrecisionFields& fields;
  const Text& text;
  std::string name(const PolicyCurves& of) const { return policy_label(*of.policy, text); }
};

ReadoutValue error_value(double error) {
  return std::isnan(error) ? ReadoutValue(Message("readout.precision.overflow")) : Quantity{with_digits(error, 2)};
}

/// Compares two errors; an overflow (NaN) is larger than any number.
bool smaller(double a, double b) {
  return std::isnan(b) ? !std::isnan(a) : a < b;
}

/// Returns the policy's name up to the first "-": "bfloat16"; "flux" for FLUX's, whose format is bfloat16.
std::string format_of(const PrecisionPolicy& policy) {
  const std::string name(policy.name.substr(0, policy.name.find('-')));
  return name == "flux" ? "bfloat16" : name;
}

Readout repeated(const PrecisionContext& c) {
  Readout readout = start_card("precision.repeated", c.text);
  const PolicyCurves* first = nullptr;
  for (const PolicyCurves& of : c.curves.policies) {
    if (!std::isfinite(first_repeated_position(*of.policy))) continue;
    if (!first || first_repeated_position(*of.policy) < first_repeated_position(*first->policy)) first = &of;
  }
  readout.value = no_number();
  readout.note = c.text["readout.precision.repeated.none"];
  if (!first) return readout;
  const double position = first_repeated_position(*first->policy);
  readout.value = Quantity{as_whole(position), "positions"};
  readout.note = c.text.format(
      "readout.precision.repeated.note",
      {{"format", format_of(*first->policy)}, {"next", counted(position + 1)}, {"position", counted(position)}});
  return readout;
}

Readout at_length(const PrecisionContext& c) {
  Readout readout = start_card("precision.at_length", c.text);
  const auto [least, most] = std::minmax_element(
      c.curves.policies.begin(), c.curves.policies.end(),
      [](const PolicyCurves& a, const PolicyCurves& b) { return smaller(a.error_at_length, b.error_at_length); });
  readout.label = c.text.format("readout.precision.at_length.label", {{"length", counted(c.length)}});
  readout.value = error_value(most->error_at_length);
  readout.note = c.text.format("readout.precision.at_length.note",
                               {{"most", c.name(*most)},
                                {"least", c.name(*least)},
                                {"error", value_text(error_value(least->error_at_length), c.text)}});
  return readout;
}

/// The largest error over the positions and its position; for an overflow, the first position of it.
struct PrecisionWorst {
  double error = 0, position = 0;
};
PrecisionWorst worst_of(const PolicyCurves& of) {
  PrecisionWorst worst;
  for (std::size_t i = 0; i < of.error->ys.size(); ++i) {
    if (std::isnan(of.error->ys[i])) {
      // Positions overflow first, but the first overflowing one is not among the samples.
      return {of.error->ys[i], std::min(of.error->x_at(i), first_overflowing_position(*of.policy))};
    }
    if (of.error->ys[i] > worst.error) worst = {of.error->ys[i], of.error->x_at(i)};
  }
  return worst;
}

/// Returns the sum of the errors, because many policies reach the maximum error of 2 somewhere; overflow is worse.
double badness(const PolicyCurves& of) {
  double sum = 0;
  for (const double error : of.error->ys) sum += error;
  return sum;
}

/// Returns the policy with the largest mean error. Precondition: there is a policy.
const PolicyCurves& worst_of(const PrecisionCurves& curves) {
  return *std::max_element(
      curves.policies.begin(), curves.policies.end(),
      [](const PolicyCurves& a, const PolicyCurves& b) { return smaller(badness(a), badness(b)); });
}

Readout worst_policy(const PrecisionContext& c) {
  Readout readout = start_card("precision.worst", c.text);
  const PolicyCurves& of = worst_of(c.curves);
  const PrecisionWorst worst = worst_of(of);
  readout.value = Message(policy_key(*of.policy));
  readout.note =
      c.text.format(std::isnan(worst.error) ? "readout.precision.worst.overflow" : "readout.precision.worst.note",
                    {{"error", readable_number(worst.error, 3)}, {"position", counted(worst.position)}});
  return readout;
}

/// The largest change of the score under a shift, and that shift; overflowing positions are skipped.
struct Change {
  double change = 0, shift = 0;
};
Change change_of_precision(const PolicyCurves& of) {
  Change most;
  for (std::size_t i = 0; i < of.shifted->ys.size(); ++i) {
    const double change = std::abs(of.shifted->ys[i] - of.unshifted);
    if (change > most.change) most = {change, of.shifted->x_at(i)};
  }
  return most;
}

Readout shift_precision(const PrecisionContext& c) {
  Readout readout = start_card("precision.shift", c.text);
  const PolicyCurves* worst = nullptr;
  Change most;
  for (const PolicyCurves& of : c.curves.policies) {
    const Change change = change_of_precision(of);
    if (worst && change.change <= most.change) continue;
    worst = &of;
    most = change;
  }
  const TextValue distance = counted(c.fields.distance);
  if (most.change < kUnchanged) {
    readout.value = Message("readout.precision.shift.no");
    readout.note =
        c.text.format("readout.precision.shift.no_note", {{"distance", distance}, {"span", counted(c.fields.span)}});
    return readout;
  }
  readout.value = Quantity{with_digits(most.change, 2), "", "readout.precision.shift.yes"};
  readout.note = c.text.format("readout.precision.shift.note",
                               {{"policy", c.name(*worst)}, {"shift", counted(most.shift)}, {"distance", distance}});
  return readout;
}

/// Returns the cards: the first position stored as its neighbour, the error at the selected length, the policy with the
/// largest errors, and whether shifting both positions changes the score.
std::vector<Readout> precision_readouts(const PrecisionCurves& curves, double length, const PrecisionFields& fields,
                                        const Text& text) {
  if (curves.policies.empty()) return {};
  const PrecisionContext c{curves, length, fields, text};
  return {repeated(c), at_length(c), worst_policy(c), shift_precision(c)};
}

// --- Figures -------------------------------------------------------------------------------------------------------

/// Headroom factor for the names of the rules: over most positions the curves are near their maximum.
constexpr double kLabelHeadroom = 30;
/// The maximum number of curves that are all named; of more, only the highlighted one is.
constexpr std::size_t kMaxNamedCurves = 7;
/// Places along each curve where a press highlights it.
constexpr int kPressPlaces = 24;
constexpr std::string_view kPolicyHandle = "policy.";

/// A policy on screen, with a colour and dash that do not depend on the others. Common policies have one colour each;
/// the others differ from their neighbours in the list of their format.
struct ShownPolicy {
  std::string_view name;
  int slot;
  bool common;
};
constexpr std::array<ShownPolicy, 17> kShown = {{{"float32", 0, true},
                                                 {"float32-frequencies", 6, false},
                                                 {"float32-ggml-cpu", 13, false},
                                                 {"float32-ggml-gpu", 16, false},
                                                 {"bfloat16-inputs", 1, true},
                                                 {"bfloat16-product", 5, false},
                                                 {"bfloat16-everything", 8, false},
                                                 {"bfloat16-tables", 2, true},
                                                 {"bfloat16-frequencies", 9, false},
                                                 {"bfloat16-rotation", 7, false},
                                                 {"float16-inputs", 3, true},
                                                 {"float16-product", 11, false},
                                                 {"float16-everything", 12, false},
                                                 {"float16-tables", 4, true},
                                                 {"float16-frequencies", 10, false},
                                                 {"float16-rotation", 14, false},
                                                 {"flux-bfloat16-ids", 15, false}}};

const ShownPolicy* shown_policy(std::string_view name) {
  const auto found =
      std::find_if(kShown.begin(), kShown.end(), [name](const ShownPolicy& shown) { return shown.name == name; });
  return found == kShown.end() ? nullptr : &*found;
}

LineStyle style_of_precision(const PrecisionPolicy& policy) {
  const ShownPolicy* shown = shown_policy(policy.name);
  return {shown ? shown->slot : 17, false};
}

FigureAxis precision_position_axis(const PrecisionFields& fields, const Text& text) {
  FigureAxis axis = named_axis("precision", "position", text, AxisScale::log);
  if (fields.show == PrecisionShow::shift) {
    axis.label = text.format("view.precision.position_of_key", {{"distance", counted(fields.distance)}});
  }
  return distance_axis(std::move(axis), fields.span, fields.zooms);
}

FigureAxis precision_error_axis(const Range& fit, const Zooms& zooms, const Text& text) {
  return value_axis(named_axis("precision", "error", text, AxisScale::log), fit, zooms);
}

/// Returns the range from the decade below the smallest errors to `headroom` times the largest. Up to `passed_over`
/// values of a line may be smaller; 0 excludes none.
Range fit_errors(const std::vector<Line>& lines, std::size_t passed_over, double headroom) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const Line& line : lines) {
    std::vector<double> errors;
    for (const double y : line.series->ys) {
      if (y > 0) errors.push_back(y);
    }
    if (errors.empty()) continue;
    const auto part = errors.begin() + static_cast<std::ptrdiff_t>(passed_over > 0 ? errors.size() / passed_over : 0);
    std::nth_element(errors.begin(), part, errors.end());
    low = std::min(low, *part);
    high = std::max(high, *std::max_element(errors.begin(), errors.end()));
  }
  if (!(low <= high)) return {1e-3, 1};
  return {std::pow(10, std::floor(std::log10(low))), headroom * high};
}

Range fit_precision_scores(const std::vector<Line>& lines, double exact) {
  const auto [low, high] = widened({exact, exact}, lines);
  // Rounded to tenths, so the axis does not jitter while a field is dragged.
  return {std::floor(10 * low - 0.2) / 10, std::ceil(10 * high + 0.2) / 10};
}

/// Adds rules where positions of a format round to their neighbour or overflow, once per format in the colour of its
/// first policy, and the trained length.
void add_format_rules(Figure& figure, const PrecisionCurves& curves, const RopeFields& rope,
                      const PrecisionFields& fields, const Text& text) {
  std::vector<std::string> formats;
  for (const PolicyCurves& of : curves.policies) {
    const std::string format = format_of(*of.policy);
    const double repeated = first_repeated_position(*of.policy), lost = first_overflowing_position(*of.policy);
    if (!std::isfinite(repeated) || std::find(formats.begin(), formats.end(), format) != formats.end()) continue;
    formats.push_back(format);
    const LineStyle style = style_of_precision(*of.policy);
    add_rule(figure, repeated,
             text.format("view.precision.repeated", {{"position", counted(repeated)}, {"next", counted(repeated + 1)}}),
             Role::curve, style);
    if (!std::isfinite(lost)) continue;
    add_rule(figure, lost, text.format("view.precision.overflow", {{"position", counted(lost)}}), Role::curve, style);
  }
  if (!fields.show_trained || rope.trained_length <= 0) return;
  add_rule(figure, rope.trained_length, trained_label(rope, "view.precision.trained", text));
}

/// Returns the name of the policy that is drawn over the others.
std::string_view highlighted(const PrecisionCurves& curves, const PrecisionFields& fields) {
  return fields.highlight == kWorstPolicy ? worst_of(curves).policy->name : fields.highlight;
}

/// Adds the curves of all policies, faint except for the highlighted one.
void add_policies(Figure& figure, const PrecisionCurves& curves, std::shared_ptr<const Series> PolicyCurves::*series,
                  const PrecisionFields& fields, const Text& text) {
  const std::string_view on = highlighted(curves, fields);
  for (const PolicyCurves& of : curves.policies) {
    LineStyle style = style_of_precision(*of.policy);
    style.faint = of.policy->name != on;
    figure.lines.push_back({std::string(of.policy->name), policy_label(*of.policy, text), style, of.*series});
  }
}

/// Names the curves next to them, each at another place of the axis; the highlighted one first, for the best place.
void name_policies(Figure& figure) {
  constexpr double kFirst = 0.1, kLast = 0.85;
  const double count = static_cast<double>(figure.lines.size());
  for (const bool others : {false, true}) {
    if (others && figure.lines.size() > kMaxNamedCurves) return;
    for (std::size_t i = 0; i < figure.lines.size(); ++i) {
      const Line& line = figure.lines[i];
      if (line.style.faint != others) continue;
      name_line(figure, line, kLast - (kLast - kFirst) * static_cast<double>(i) / std::max(1.0, count - 1), line.label);
    }
  }
}

/// Adds the places where a press highlights a curve.
void add_press_places(Figure& figure) {
  const Range& shown = figure.x.range;
  for (const Line& line : figure.lines) {
    for (int i = 0; i < kPressPlaces; ++i) {
      const double x = shown.low * std::pow(shown.high / shown.low, (i + 0.5) / kPressPlaces);
      const double y = line.series->ys[nearest_index(*line.series, x)];
      if (!(y > figure.y.range.low && y < figure.y.range.high)) continue;
      figure.handles.push_back({std::string(kPolicyHandle) + line.key, x, y, 0, false, {}});
    }
  }
}

std::vector<const PrecisionPolicy*> choose_policies(const PrecisionFields& fields) {
  std::vector<const PrecisionPolicy*> chosen;
  for (const PrecisionPolicy& policy : all_precision_policies()) {
    const ShownPolicy* shown = shown_policy(policy.name);
    const bool wanted = fields.policies == ShownPolicies::all ||
                        (fields.policies == ShownPolicies::common ? shown && shown->common
                                                                  : word_of(fields.policies) == format_of(policy));
    if (wanted || policy.name == fields.highlight) chosen.push_back(&policy);
  }
  return chosen;
}

/// The largest error of the cosines by position.
Figure error_figure(const PrecisionCurves& curves, const RopeFields& rope, const PrecisionFields& fields,
                    const Text& text) {
  Figure figure = named_figure("error");
  add_policies(figure, curves, &PolicyCurves::error, fields, text);
  figure.x = precision_position_axis(fields, text);
  figure.y = precision_error_axis(fit_errors(figure.lines, 0, kLabelHeadroom), fields.zooms, text);
  add_format_rules(figure, curves, rope, fields, text);
  name_policies(figure);
  add_press_places(figure);
  return figure;
}

/// The error of the score, or the score under a shift.
Figure score_figure(const PrecisionCurves& curves, const RopeFields& rope, const PrecisionFields& fields,
                    const Text& text) {
  const bool shift = fields.show == PrecisionShow::shift;
  Figure figure = named_figure(shift ? "shift" : "score");
  add_policies(figure, curves, shift ? &PolicyCurves::shifted : &PolicyCurves::score_error, fields, text);
  figure.x = precision_position_axis(fields, text);
  if (shift) {
    figure.y = value_axis(named_axis("precision", "score", text),
                          fit_precision_scores(figure.lines, curves.exact_score), fields.zooms);
  } else {
    // Where a sum's error changes sign, it is tiny by chance.
    figure.y = value_axis(named_axis("precision", "score_error", text, AxisScale::log), fit_errors(figure.lines, 50, 2),
                          fields.zooms);
  }
  add_format_rules(figure, curves, rope, fields, text);
  for (Rule& rule : figure.rules) rule.label.clear();  // only labelled in the panel above
  if (shift) {
    add_level(figure, curves.exact_score,
              text.format("view.precision.exact", {{"score", readable_fixed(curves.exact_score, 4)}}));
  }
  return figure;
}

/// Axes without curves.
Figure empty_precision_figure(const Experiment& experiment, const Text& text) {
  const PrecisionFields& fields = experiment.precision;
  Figure figure = named_figure("error");
  figure.x = precision_position_axis(fields, text);
  figure.y = precision_error_axis(fit_errors({}, 0, 1), {}, text);
  return figure;
}

// --- View ----------------------------------------------------------------------------------------------------------

/// Returns the length for the reported error: the trained one, otherwise the whole span.
double length_of(const RopeFields& rope, const PrecisionFields& fields) {
  return rope.trained_length > 0 ? rope.trained_length : fields.span;
}

std::string describe_precision_status(const PrecisionCurves& curves, const ShownRope& rope, Eigen::Index pairs,
                                      const Text& text) {
  return text.format("view.precision.status", {{"rope", rope.label},
                                               {"positions", counted(curves.positions)},
                                               {"pairs", counted(pairs)},
                                               {"time", readable_number(curves.seconds * 1e3, 2)}});
}

ViewResult precision_figures(const Experiment& experiment, const Text& text, Store& store) {
  const ShownRope rope = all_ropes(experiment, text).front();
  const PrecisionFields& fields = experiment.precision;
  PrecisionInput input;
  input.policies = choose_policies(fields);
  input.frequencies = read_rope(*rope.rope).ladder.frequencies;
  input.span = fields.span;
  input.distance = fields.distance;
  input.length = length_of(*rope.rope, fields);
  const double cost =
      static_cast<double>(input.policies.size()) * kRatios * static_cast<double>(input.frequencies.size()) * kPairCost;
  const auto answer = store.request<precision_curves>({rope.key, cost}, input);
  ViewResult result;
  result.stale = !answer.current;
  if (!answer.result) return make_message_result(empty_precision_figure(experiment, text), {}, true);
  const PrecisionCurves& curves = *answer.result;
  result.panels.push_back({error_figure(curves, *rope.rope, fields, text), 0.6});
  result.panels.push_back({score_figure(curves, *rope.rope, fields, text), 0.4});
  for (Panel& panel : result.panels) panel.figure.stale = result.stale;
  result.readouts = precision_readouts(curves, input.length, fields, text);
  add_ladder_in_use(result.readouts, "precision", *rope.rope, text);
  if (!result.stale) result.status = describe_precision_status(curves, rope, input.frequencies.size(), text);
  return result;
}

void declare_precision_fields(FieldList& list, Experiment& experiment) {
  declare_fields(list, experiment.rope);
  declare_fields(list, experiment.precision);
}

/// Highlights the pressed curve; if it is highlighted already, the worst one again.
void react_precision(Experiment& experiment, const FigureEvent& event) {
  if (event.kind != FigureEvent::Kind::click || !event.handle.starts_with(kPolicyHandle)) return;
  std::string& highlight = experiment.precision.highlight;
  const std::string pressed = event.handle.substr(kPolicyHandle.size());
  highlight = highlight == pressed ? kWorstPolicy : pressed;
}

}  // namespace

std::vector<double> sampled_positions(double span) {
  std::vector<double> positions;
  const auto add = [&](double position) {
    if (position >= 1 && position <= span) positions.push_back(position);
  };
  for (int i = 0; i <= kRatios; ++i) add(std::round(std::pow(span, static_cast<double>(i) / kRatios)));
  for (double power = 1; power - 1 <= span; power *= 2) {
    for (const double beside : {-1.0, 0.0, 1.0}) add(power + beside);
  }
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return positions;
}

constinit const View kPrecisionView{.id = "precision",
                                    .group = "explore",
                                    .declare_fields = declare_precision_fields,
                                    .figures = precision_figures,
                                    .empty = empty_precision_figure,
                                    .react = react_precision,
                                    .length = [](const Experiment& experiment) { return experiment.precision.span; },
                                    .compares_ropes = false};

}  // namespace ropescope
