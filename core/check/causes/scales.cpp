// Causes that multiply positions or frequencies, one block each; both kinds explain many of the same tensors, and are
// distinguished here.
//
// Contents: Scale of an axis; Scale of positions; Scale of frequencies.

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check/causes/cause.h"
#include "core/check/causes/sizes.h"
#include "core/check/compare/compare.h"
#include "core/check/evidence/fit.h"
#include "core/check/evidence/positions.h"
#include "core/check/evidence/ropes.h"
#include "core/check/model/ladders.h"
#include "core/check/model/model.h"
#include "core/check/tuning.h"
#include "core/layouts/extension.h"
#include "core/message.h"

namespace ropescope {

// --- Scale of an axis ----------------------------------------------------------------------------------------------

namespace {

/// The ids that are multiplied.
struct ScaledIds {
  std::string_view evidence = {};  ///< key of its sentence
  bool of_text = false, of_references = true;
  bool from_first = false;  ///< about the first id of each image, else about 0
  bool counted_on = false;  ///< what follows an image starts after its largest id (M-RoPE)
};
constexpr ScaledIds kAllIds{.evidence = "check.position-scale.evidence_axes", .of_text = true};
constexpr ScaledIds kImages{.evidence = "check.position-scale.evidence_images"};
constexpr ScaledIds kMainImage{.evidence = "check.position-scale.evidence_image", .of_references = false};
constexpr ScaledIds kWays[] = {
    kAllIds,
    kImages,
    {.evidence = "check.position-scale.evidence_from_first", .from_first = true},
    {.evidence = "check.position-scale.evidence_counted_on", .from_first = true, .counted_on = true}};

void scale(AxisIds& ids, std::int64_t count, double factor, double about) {
  if (factor == 1) return;
  if (ids.along == Along::none) {
    ids.first = about + factor * (ids.first - about);
    for (double& id : ids.listed) id = about + factor * (id - about);
    return;
  }
  std::vector<double> listed;
  for (std::int64_t i = 0; i < count; ++i) listed.push_back(about + factor * (ids.at(i) - about));
  ids.listed = std::move(listed);
}

/// Returns the largest id of a block on any axis.
double largest_in(const TokenBlock& block) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const AxisIds& ids : block.ids) largest = std::max(largest, ids.at(block.count(ids.along) - 1));
  return largest;
}

/// Returns how many numbers a scaled copy of a model lists: the ids of all its counters. A text may have millions.
std::int64_t count_listed_numbers(const CheckModel& model) {
  std::int64_t numbers = 0;
  for (const TokenBlock& block : model.tokens.blocks) {
    for (const AxisIds& ids : block.ids) numbers += block.count(ids.along);
  }
  return numbers;
}

CheckModel scale_axes(const CheckModel& of, const std::vector<double>& factors, const ScaledIds& which) {
  CheckModel model = of;
  double later = 0;
  for (TokenBlock& block : model.tokens.blocks) {
    for (AxisIds& ids : block.ids) {
      ids.first += later;
      for (double& id : ids.listed) id += later;
    }
    if (!block.is_image() && !(is_grid(block) ? which.of_references : which.of_text)) continue;
    const double before = largest_in(block);
    for (std::size_t axis = 0; axis < factors.size(); ++axis) {
      AxisIds& ids = block.ids[axis];
      scale(ids, block.count(ids.along), factors[axis], which.from_first ? ids.at(0) : 0);
    }
    // A fitted factor may be slightly below a whole id.
    if (which.counted_on) later += std::floor(largest_in(block) + tuned::kShortOfId) - before;
  }
  return model;
}

/// Returns the fix for factors of ids if every axis with a factor has a scale in the model: that scale if it is
/// missing, else what the current positions lack; `usual` if an axis has none, or if no product restores the ids.
Message advice_on_factors(const CheckModel& model, const std::vector<double>& factors, const ScaledIds& which,
                          std::string_view usual) {
  if (which.from_first) return Message(usual);
  std::vector<double> scales, lacking;
  Message::List names;
  bool own = true, missing = true;
  for (std::size_t axis = 0; axis < factors.size(); ++axis) {
    const LayoutAxis& of = model.tokens.axes[axis];
    if (factors[axis] == 1) continue;
    own = own && of.id_scale != 1 && of.id_offset == 0;
    missing = missing && std::abs(factors[axis] * of.id_scale - 1) < tuned::kNearRatio;
    scales.push_back(of.id_scale), lacking.push_back(1 / factors[axis]);
    names.push_back(verbatim(of.name));
  }
  if (!own || scales.empty()) return Message(usual);
  const Message::Named axes("axes", std::move(names)), scale("scales", list_text(scales));
  if (missing) return Message("check.position-scale.advice_own", {axes, scale});
  return Message("check.position-scale.advice_present", {axes, scale, {"factors", list_text(lacking)}});
}

/// Appends a proposal with factors.
Proposal& add_factors(const Situation& situation, const std::vector<double>& factors, const ScaledIds& which,
                      std::vector<Proposal>& proposals) {
  Proposal& found = situation.add_to(proposals);
  found.parameters = {{"factor", factors}};
  found.evidence = Message(which.evidence, {{"factors", list_text(factors)}, {"axes", axis_names_of(situation.model)}});
  found.advice = advice_on_factors(situation.model, factors, which, "check.position-scale.advice_axes");
  return found;
}

/// Returns quotients of integers near a fit, as of a side fitted to another: those with the smallest denominators.
std::vector<double> quotients_near(const Fit& fit) {
  std::vector<double> found;
  const double reach = std::max(tuned::kErrorsOfQuotient * fit.error, tuned::kExactFactor * std::abs(fit.value));
  for (int under = 2; under <= tuned::kLargestDenominator && found.size() < 2; ++under) {
    const double over = std::nearbyint(fit.value * under);
    if (over != 0 && std::abs(over / under - fit.value) <= reach) found.push_back(over / under);
  }
  return found;
}

std::vector<double> candidates(const Fit& fit) {
  // A static axis was multiplied by 0 and nothing else.
  if (std::abs(fit.value) < tuned::kStillFactor) return {0};
  std::vector<double> values = round_numbers(fit);
  const double itself = values.back();
  values.pop_back();
  const std::vector<double> quotients = quotients_near(fit);
  values.insert(values.end(), quotients.begin(), quotients.end());
  for (const double divisor : round_numbers(fit.inverse())) values.push_back(1 / divisor);
  values.push_back(itself);
  return values;
}

/// Returns whether the images have several ids on an axis: else a factor shows nowhere.
bool counts_in_images(const CheckModel& model, std::size_t axis) {
  return std::any_of(model.tokens.blocks.begin(), model.tokens.blocks.end(), [&](const TokenBlock& block) {
    return is_grid(block) && block.ids[axis].along != Along::none && block.count(block.ids[axis].along) > 1;
  });
}

/// Returns factors that single pairs show, the slow ones too, and a grid.
std::vector<double> starts_of_axis_factor(const Situation& situation, std::size_t axis) {
  std::vector<double> starts = logarithmic_grid(tuned::kStartsOfAxisFactor);
  for (const double round : {2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 16.0, 32.0}) {
    starts.push_back(round);
    starts.push_back(1 / round);
  }
  add_shown_ratios(situation.measured(), only_axis(situation.model.tokens.frequencies, axis),
                   tuned::kMaxAxisFactorStarts, starts);
  return starts;
}

AxisFamily family_of(const Situation& situation, const ScaledIds& which) {
  const CheckModel& model = situation.model;
  AxisFamily family;
  for (std::size_t axis = 0; axis < model.tokens.axes.size(); ++axis) {
    family.own.push_back(counts_in_images(model, axis) ? 1 : 0);
  }
  family.frequencies = [&model](std::size_t axis, double factor) -> Eigen::MatrixXd {
    return factor * only_axis(model.tokens.frequencies, axis);
  };
  family.applied = [&situation, which](const CheckModel& of, std::size_t axis, double factor) {
    situation.evidence.spend(count_listed_numbers(of));
    std::vector<double> factors(of.tokens.axes.size(), 1);
    factors[axis] = factor;
    return scale_axes(of, factors, which);
  };
  family.starts = [&situation](std::size_t axis) { return starts_of_axis_factor(situation, axis); };
  family.candidates = candidates;
  return family;
}

/// Appends the ids with these factors; an axis with factor 0 keeps its ids.
void add_axis_scale(const Situation& situation, AxisNumbers factors, const ScaledIds& which,
                    std::vector<Proposal>& proposals, Doubt doubt = Doubt::round_number) {
  for (double& factor : factors.values) factor = factor == 0 ? 1 : factor;
  if (situation.evidence.is_spent()) return;
  situation.evidence.spend(count_listed_numbers(situation.model));
  Proposal& found = add_factors(situation, factors.values, which, proposals);
  found.model = scale_axes(situation.model, factors.values, which);
  found.set_fitted(factors.fitted, factors.fitted ? Doubt::fitted : doubt);
}

/// Appends the sines of one axis with the other sign: its ids are below 0 where the model's are above, and the reverse.
void propose_negated(const Situation& situation, std::vector<Proposal>& proposals) {
  const std::size_t axes = situation.model.tokens.axes.size();
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (!counts_in_images(situation.model, axis)) continue;
    std::vector<double> factors(axes, 1);
    factors[axis] = -1;
    // Rows from the bottom, shifted, can give the same ids.
    for (const ScaledIds& which : {kImages, kAllIds})
      add_axis_scale(situation, {factors}, which, proposals, Doubt::fitted);
  }
}

/// Appends the ids of an image divided by its sides, like coordinates from 0 to 1.
void propose_divided_by_sides(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const std::vector<TokenBlock>& blocks = model.tokens.blocks;
  const auto image = std::find_if(blocks.begin(), blocks.end(), [&](const TokenBlock& block) {
    return is_grid(block) && is_looked_at(model, block);
  });
  if (image == blocks.end()) return;
  for (const std::int64_t end : {0, 1}) {
    std::vector<double> factors;
    for (const AxisIds& ids : image->ids) {
      const bool along_side = ids.along == Along::row || ids.along == Along::column;
      const std::int64_t side = along_side ? image->count(ids.along) : 1;
      factors.push_back(1.0 / static_cast<double>(std::max<std::int64_t>(side - end, 1)));
    }
    for (const ScaledIds& which : {kImages, kAllIds}) add_axis_scale(situation, {factors}, which, proposals);
  }
}

/// Appends one of several images with ids doubled or halved on an axis: the others hide its factor from a fit.
void propose_main_image(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const auto grids = std::count_if(model.tokens.blocks.begin(), model.tokens.blocks.end(),
                                   [](const TokenBlock& block) { return is_grid(block); });
  if (grids < 2) return;
  for (std::size_t axis = 0; axis < model.tokens.axes.size(); ++axis) {
    if (!counts_in_images(model, axis)) continue;
    for (const double factor : {2.0, 0.5}) {
      std::vector<double> factors(model.tokens.axes.size(), 1);
      factors[axis] = factor;
      add_axis_scale(situation, {factors}, kMainImage, proposals);
    }
  }
}

/// Appends the factors that the frequencies of the axes show.
void propose_fitted_axis_scale(const Situation& situation, std::vector<Proposal>& proposals) {
  const std::vector<Fit> fits = axis_fits(situation, family_of(situation, kAllIds));
  if (fits.empty()) return;
  ScaledIds best;
  double most = -1;
  for (const ScaledIds& which : kWays) {
    if (situation.evidence.is_spent()) return;
    const CheckModel model = apply_fits(situation, family_of(situation, which), fits);
    const double share = share_reproduced(model, situation.evidence);
    if (share > most + 1e-9) most = share, best = which;
  }
  add_axis_scale(situation, choose_axis_values(situation, family_of(situation, best), fits), best, proposals);
}

/// Appends the factors that the first frequencies of the axes show: these do not depend on the base.
void propose_by_first_rungs(const Situation& situation, std::vector<Proposal>& proposals) {
  const Eigen::MatrixXd& frequencies = situation.model.tokens.frequencies;
  const Measured& measured = situation.measured();
  const Ladders& ladders = situation.ladders();
  std::vector<double> factors(situation.model.tokens.axes.size(), 1);
  bool some = false;
  for (std::size_t axis = 0; axis < factors.size(); ++axis) {
    if (!counts_in_images(situation.model, axis)) continue;
    const std::vector<Fit> firsts = first_rungs(measured, frequencies, ladders, static_cast<Eigen::Index>(axis));
    if (firsts.empty()) continue;
    const Fit factor{firsts[0].value / ladders.unit[axis], firsts[0].error / ladders.unit[axis], 0};
    if (!(factor.error < tuned::kSureRatio) ||
        std::abs(factor.value - 1) <= std::max(tuned::kErrors * factor.error, tuned::kNearRatio))
      continue;
    factors[axis] = candidates(factor).front();
    some = true;
  }
  if (some) add_axis_scale(situation, {factors}, kAllIds, proposals, Doubt::fitted);
}

/// An id of the model and the one that the inputs have in its place.
struct GivenId {
  double due = 0, given = 0;
};

/// The smallest and the largest id of an axis.
struct GivenRange {
  GivenId low, high;
  double span() const { return high.due - low.due; }
  double slope() const { return (high.given - low.given) / span(); }
};

/// Returns the range of the given ids on each axis, of all rows or of those of the image; empty if there are none.
std::vector<GivenRange> ranges_of_given_ids(const Situation& situation, bool of_image) {
  const RowEvaluator evaluator(situation.model);
  std::vector<double> ids(static_cast<std::size_t>(evaluator.axes()));
  std::vector<GivenRange> ranges;
  for (std::size_t i = 0; i < situation.evidence.rows.size(); ++i) {
    const std::int64_t row = situation.evidence.rows[i];
    if (of_image && !situation.model.tokens.blocks[place_in(situation.model, row).block].is_image()) continue;
    evaluator.ids(row, ids.data());
    const bool first = ranges.empty();
    ranges.resize(ids.size());
    for (std::size_t axis = 0; axis < ids.size(); ++axis) {
      const GivenId here{ids[axis],
                         situation.evidence.ids(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(axis))};
      if (first || here.due < ranges[axis].low.due) ranges[axis].low = here;
      if (first || here.due > ranges[axis].high.due) ranges[axis].high = here;
    }
  }
  return ranges;
}

/// Appends the factors that given ids show, by the range of the image's ids.
void propose_given(const Situation& situation, std::vector<Proposal>& proposals) {
  std::vector<double> factors;
  for (const GivenRange& range : ranges_of_given_ids(situation, true)) {
    const double ratio = range.slope();
    factors.push_back(1);
    if (!(range.span() > 0) || ratio == 0) continue;
    // The uncertainty of ids stored in float32.
    const double error = tuned::kErrorOfGivenIds * std::abs(ratio);
    const std::vector<double> all = candidates({ratio, error, 0});
    const auto near = [&](double factor) { return std::abs(factor - ratio) <= error; };
    factors.back() = *std::find_if(all.begin(), all.end(), near);
  }
  if (std::all_of(factors.begin(), factors.end(), [](double factor) { return factor == 1; })) return;
  for (const ScaledIds& which : kWays) add_axis_scale(situation, {factors}, which, proposals);
}

/// Returns the factors between the ids of an image: of its last ids, counted from its first.
std::vector<double> factors_between(const TokenBlock& before, const TokenBlock& after) {
  std::vector<double> factors;
  for (std::size_t axis = 0; axis < before.ids.size(); ++axis) {
    const auto span = [axis](const TokenBlock& block) {
      const AxisIds& ids = block.ids[axis];
      return ids.at(block.count(ids.along) - 1) - ids.at(0);
    };
    factors.push_back(span(before) != 0 && span(after) != 0 ? span(after) / span(before) : 1);
  }
  return factors;
}

/// Returns requests with other fields of the layout's scale, each with its sentence.
std::vector<std::pair<LayoutRequest, Message>> other_scale_fields(const Layout& layout, const LayoutRequest& own,
                                                                  const TokenBlock& image) {
  std::vector<std::pair<LayoutRequest, Message>> all;
  const auto add = [&](Message sentence) -> LayoutRequest& { return all.emplace_back(own, std::move(sentence)).first; };
  if (takes_extension(layout)) {
    LayoutRequest& request = add(Message("check.position-scale.without_options"));
    request = remove_position_fields(request);
  }
  if (takes(layout, "tokens_per_second")) {
    if (own.tokens_per_second) add(Message("check.position-scale.without_tokens_per_second")).tokens_per_second.reset();
    for (const double tokens : {1.0, 2.0, 4.0, 25.0}) {
      add(Message("check.position-scale.with_tokens_per_second", {{"tokens", tokens}})).tokens_per_second = tokens;
    }
    // The seconds of a frame of tokens are ignored: each lasts one.
    add(Message("check.position-scale.at_frame_rate", {{"rate", 2}})).frame_rate = 2;
  }
  if (takes(layout, "unscaled")) {
    add(Message(own.unscaled ? "check.position-scale.with_scale" : "check.position-scale.without_scale")).unscaled =
        !own.unscaled;
  }
  if (takes(layout, "position_grid")) {
    add(Message("check.position-scale.without_stretching")).position_grid = {image.rows,
                                                                             static_cast<int>(image.columns)};
  }
  return all;
}

/// Appends what the layout gives with other fields of its scale.
void propose_fields(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckReference& reference = situation.reference;
  if (reference.layout == nullptr || !reference.request.image) return;
  const std::string part = part_of_rows(situation.model, reference.tokens);
  const TokenBlock* image = find_block_of_part(situation.model.tokens, "image");
  if (part.empty() || image == nullptr) return;
  for (const auto& [request, sentence] : other_scale_fields(*reference.layout, reference.request, *image)) {
    auto model = arrange_as_requested(situation, request, part);
    const TokenBlock* other = model ? find_block_of_part(model->tokens, "image") : nullptr;
    if (other == nullptr) continue;
    const std::vector<double> factors = factors_between(*image, *other);
    if (std::all_of(factors.begin(), factors.end(), [](double factor) { return factor == 1; })) continue;
    Proposal& found = add_factors(situation, factors, kMainImage, proposals);
    found.model = std::move(*model);
    found.evidence = sentences(std::move(found.evidence), sentence);
  }
}

/// Appends "position-scale" with a factor for each axis: of all ids, of images alone, or from the first id of each
/// image; and what other fields of the layout give (seconds of a video, a grid stretched to a number of positions).
void propose_axis_scales(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  if (model.rope || model.own_ids || model.given_tables || model.tokens.axes.size() < 2) return;
  propose_fields(situation, proposals);
  propose_negated(situation, proposals);
  propose_divided_by_sides(situation, proposals);
  propose_main_image(situation, proposals);
  if (situation.evidence.has_ids()) propose_given(situation, proposals);
  if (!situation.evidence.has_rotation()) return;
  propose_fitted_axis_scale(situation, proposals);
  propose_by_first_rungs(situation, proposals);
}

// --- Scale of positions --------------------------------------------------------------------------------------------

/// Appends a factor of all ids unless it is the model's own, or so far from it that float32 does not determine the
/// angles. `fitted`: the number is the fit itself, not a round one near it.
void add_factor(double value, bool fitted, Doubt least, std::vector<Factor>& factors) {
  const double size = std::abs(value);
  if (value == 1 || !(size <= tuned::kMaxPositionFactor) || (value != 0 && size < tuned::kMinPositionFactor)) return;
  factors.push_back({value, fitted, std::max(least, doubt_of(value))});
}

/// Returns factors from given ids: the ratio at the largest, and the ratio of increments if all are shifted as well.
std::vector<Factor> find_factors_of_ids(const Situation& situation) {
  GivenId largest;
  double slope = 1, reach = 0;
  for (const GivenRange& range : ranges_of_given_ids(situation, false)) {
    for (const GivenId& one : {range.low, range.high}) {
      if (std::abs(one.due) > std::abs(largest.due)) largest = one;
    }
    if (range.span() > reach) reach = range.span(), slope = range.slope();
  }
  std::vector<Factor> factors;
  if (largest.due == 0) return factors;
  const double ratio = largest.given / largest.due;
  const auto add_near = [&](double value) {
    for (const double factor : round_numbers({value, tuned::kExactFactor * std::abs(value), 0}))
      add_factor(factor, false, Doubt::none, factors);
  };
  add_near(ratio);
  if (std::abs(slope - ratio) > tuned::kShiftedRatio * std::abs(ratio)) add_near(slope);
  return factors;
}

/// Returns the first frequency of the model's axis.
double find_first_frequency(const Eigen::MatrixXd& frequencies, const Ladders& ladders, Eigen::Index axis) {
  double first = ladders.unit[static_cast<std::size_t>(axis)];
  for (Eigen::Index pair = 0; pair < frequencies.cols(); ++pair) {
    const bool is_first = frequencies(axis, pair) != 0 && std::abs(ladders.exponent(axis, pair)) < tuned::kSameLadder;
    if (is_first) first = frequencies(axis, pair);
  }
  return first;
}

/// Appends the factor if the base, the spacing or the rotary dimension is wrong too: these keep the first frequency of
/// a ladder, or change it by a whole step.
void add_by_first_rung(const Situation& situation, const Measured& measured, std::vector<Factor>& factors) {
  const Eigen::MatrixXd& frequencies = situation.model.tokens.frequencies;
  const Ladders& ladders = situation.ladders();
  for (Eigen::Index axis = 0; axis < frequencies.rows(); ++axis) {
    const std::vector<Fit> first_ones = first_rungs(measured, frequencies, ladders, axis);
    if (first_ones.empty()) continue;
    const auto a = static_cast<std::size_t>(axis);
    const double rung = std::pow(ladders.base[a], ladders.step[a]),
                 due = find_first_frequency(frequencies, ladders, axis);
    for (const double part : {1 / due, rung / due, 1 / (rung * due)}) {
      for (const Fit& first : first_ones) {
        for (const double factor : round_numbers({part * first.value, part * first.error, 0}))
          add_factor(factor, factor == part * first.value, Doubt::fitted, factors);
      }
    }
    return;
  }
}

/// Returns factors of all positions or frequencies, whichever of them it is, from tables or vectors.
std::vector<Factor> find_factors(const Situation& situation) {
  const Eigen::MatrixXd& frequencies = situation.model.tokens.frequencies;
  const Observed& observed = situation.observed();
  std::vector<Factor> factors;
  if ((observed.phase.array().abs() <= observed.noise.array()).all()) {
    add_factor(0, false, Doubt::none, factors);
    return factors;
  }
  const Measured measured = measure(situation.evidence, observed, situation.model, false, false);
  const Family family = [&](double factor) -> Eigen::MatrixXd { return factor * frequencies; };
  std::vector<double> starts = logarithmic_grid(tuned::kStartsOfFactor);
  add_shown_ratios(measured, frequencies, tuned::kMaxFactorStarts, starts);
  auto fit = fit_parameter(measured, family, starts);
  if (fit && fit->error < tuned::kSureFactor * fit->value) {
    *fit = refine_fit(situation.evidence, *fit, [&](double factor) {
      CheckModel scaled = situation.model;
      scaled.id_factor *= factor;
      return scaled;
    });
    for (const double factor : round_numbers(*fit)) add_factor(factor, factor == fit->value, Doubt::none, factors);
    // A factor that is the reciprocal of a round number.
    for (const double divisor : round_numbers(fit->inverse())) add_factor(1 / divisor, false, Doubt::none, factors);
  }
  add_by_first_rung(situation, measured, factors);
  return factors;
}

/// Appends "position-scale" with one factor for all axes, its only parameter.
void add_position_scale(const Situation& situation, const Factor& factor, std::vector<Proposal>& proposals) {
  const bool still = factor.value == 0;
  Proposal& found = situation.add_to(proposals);
  found.model.id_factor *= factor.value;
  found.set_fitted(factor.fitted, factor.doubt);
  found.parameters = {{"factor", factor.value}};
  found.evidence = still ? Message("check.position-scale.evidence_zero")
                         : Message("check.position-scale.evidence", {{"factor", factor.value}});
  const std::vector<double> factors(situation.model.tokens.axes.size(), factor.value);
  found.advice = still ? Message("check.position-scale.advice_zero")
                       : advice_on_factors(situation.model, factors, kAllIds, "check.position-scale.advice");
}

void propose_position_scale(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  if (model.own_ids) return;
  if (situation.evidence.has_ids()) {
    for (const Factor& factor : find_factors_of_ids(situation)) add_position_scale(situation, factor, proposals);
  }
  if (situation.evidence.has_rotation()) {
    for (const Factor& factor : situation.factors(find_factors)) {
      add_position_scale(situation, factor, proposals);
      if (factor.value != 0 || model.amplitude == 1) continue;
      // A program that rotates nothing applies no amplitude either.
      add_position_scale(situation, factor, proposals);
      proposals.back().model.amplitude = 1;
    }
  }
  propose_axis_scales(situation, proposals);
}

std::optional<double> own_factor(const CheckModel&, std::string_view, std::size_t) {
  return 1;
}

// --- Scale of frequencies ------------------------------------------------------------------------------------------

/// Returns the factor between given frequencies and the model's: the median of all pairs. 1 if their numbers differ.
double compute_given_factor(const Situation& situation) {
  const std::vector<double>& given = situation.evidence.frequencies;
  const std::vector<double> due = stored_frequencies(situation.model);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < due.size() && due.size() == given.size(); ++i) {
    if (due[i] != 0) ratios.push_back(given[i] / due[i]);
  }
  if (ratios.empty()) return 1;
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return *middle;
}

void add_frequency_scale(const Situation& situation, const Factor& factor, std::vector<Proposal>& proposals) {
  const double by = factor.value;
  Proposal& found = situation.add_to(proposals, [by](CheckModel& model) { model.tokens.frequencies *= by; });
  found.set_fitted(factor.fitted, factor.doubt);
  found.parameters = {{"factor", by}, {"of", named_value("frequencies")}};
  found.evidence = Message("check.position-scale.evidence_frequencies", {{"factor", by}});
  found.advice = Message("check.position-scale.advice_frequencies");
}

/// If ids are shifted after they were read (LTX), a factor of the frequencies is not one of ids: appends the ladder
/// without its initial unit, or with it twice.
void propose_units(const Situation& situation, std::vector<Proposal>& proposals) {
  const std::vector<LayoutAxis>& axes = situation.model.tokens.axes;
  if (std::all_of(axes.begin(), axes.end(), [](const LayoutAxis& axis) { return axis.id_offset == 0; })) return;
  for (const double unit : situation.ladders().unit) {
    if (unit == 1) continue;
    for (const double factor : {1 / unit, unit, 2.0, 1 / (2 * unit), 0.5}) {
      add_frequency_scale(situation, {factor}, proposals);
      if (factor != 1 / unit) continue;
      proposals.back().evidence = Message("check.position-scale.evidence_unit", {{"factor", factor}, {"unit", unit}});
      proposals.back().advice = Message("check.position-scale.advice_unit", {{"unit", unit}});
    }
    return;
  }
}

void propose_frequency_scale(const Situation& situation, std::vector<Proposal>& proposals) {
  const Evidence& evidence = situation.evidence;
  if (situation.model.own_ids || situation.model.given_tables) return;
  propose_units(situation, proposals);
  if (!evidence.frequencies.empty()) {
    // Another sign is a separate cause.
    const double factor = std::abs(compute_given_factor(situation));
    if (!std::isfinite(factor) || factor == 0) return;
    for (const double value : round_numbers({factor, tuned::kExactFactor * factor, 0})) {
      if (value != 1) add_frequency_scale(situation, {value, value == factor, doubt_of(value)}, proposals);
    }
    return;
  }
  // Tables alone do not distinguish it from multiplied positions.
  if (!evidence.has_ids() || !evidence.has_rotation()) return;
  for (const Factor& factor : situation.factors(find_factors)) {
    if (factor.value != 0) add_frequency_scale(situation, factor, proposals);
  }
}

}  // namespace

/// Ids multiplied by a constant, or by one for each axis.
constinit const Cause kPositionScale{.name = "position-scale",
                                     .group = CauseGroup::ids,
                                     .seen_in = "ml-explore/mlx-lm#1545",
                                     .id_change = IdChange::factor,
                                     .propose = propose_position_scale,
                                     .own_number = own_factor};

/// Frequencies multiplied by a constant, if ids or frequencies show that it is not the positions.
extern constinit const Cause kFrequencyScale{.name = "position-scale",
                                             .group = CauseGroup::frequencies,
                                             .seen_in = "ml-explore/mlx-lm#1545",
                                             .fix_kinds = kByIds,
                                             .propose = propose_frequency_scale,
                                             .own_number = own_factor};

}  // namespace ropescope
