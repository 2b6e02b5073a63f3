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
enum class Scaled {
  all,
  images,      ///< about 0
  main_image,  ///< about 0, of the image but not of the reference images
  from_first,  ///< about the first id of each
  counted_on,  ///< like from_first; what follows starts after their largest ids (M-RoPE)
};

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

CheckModel scale_axes(const CheckModel& of, const std::vector<double>& factors, Scaled which) {
  CheckModel model = of;
  const bool about_first = which == Scaled::from_first || which == Scaled::counted_on;
  double later = 0;
  for (TokenBlock& block : model.tokens.blocks) {
    for (AxisIds& ids : block.ids) {
      ids.first += later;
      for (double& id : ids.listed) id += later;
    }
    if (which != Scaled::all && !is_grid(block)) continue;
    if (which == Scaled::main_image && !block.is_image()) continue;
    const double before = largest_in(block);
    for (std::size_t axis = 0; axis < factors.size(); ++axis) {
      AxisIds& ids = block.ids[axis];
      scale(ids, block.count(ids.along), factors[axis], about_first ? ids.at(0) : 0);
    }
    // A fitted factor may be slightly below a whole id.
    if (which == Scaled::counted_on) later += std::floor(largest_in(block) + tuned::kShortOfId) - before;
  }
  return model;
}

/// Returns the fix for factors of ids if every axis with a factor has a scale in the model: that scale if it is
/// missing, else what the present positions lack; `usual` if an axis has none.
Message advice_on_factors(const CheckModel& model, const std::vector<double>& factors, std::string_view usual) {
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

/// Appends a proposal with factors. `evidence`: its key.
Proposal& add_factors(const Situation& situation, const std::vector<double>& factors, std::string_view evidence,
                      std::vector<Proposal>& proposals) {
  Proposal& found = situation.add_to(proposals);
  found.parameters = {{"factor", factors}};
  Message::List names;
  for (const LayoutAxis& axis : situation.model.tokens.axes) names.push_back(verbatim(axis.name));
  found.evidence = Message(evidence, {{"factors", list_text(factors)}, {"axes", std::move(names)}});
  found.advice = advice_on_factors(situation.model, factors, "check.position-scale.advice_axes");
  return found;
}

/// Returns quotients of integers near a fit, as of a side fitted to another: those with the smallest denominators.
std::vector<double> quotients_near(const Fit& fit) {
  std::vector<double> found;
  const double reach = std::max(4 * fit.error, 1e-7 * std::abs(fit.value));
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
  for (const double divisor : round_numbers({1 / fit.value, fit.error / (fit.value * fit.value), 0})) {
    values.push_back(1 / divisor);
  }
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
  std::vector<double> starts = logarithmic_grid(1.0 / 256, 256, 81);
  for (const double round : {2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 16.0, 32.0}) {
    starts.push_back(round);
    starts.push_back(1 / round);
  }
  const Measured& measured = situation.measured();
  const Eigen::MatrixXd& frequencies = situation.model.tokens.frequencies;
  const auto a = static_cast<Eigen::Index>(axis);
  for (Eigen::Index pair = 0; pair < frequencies.cols() && starts.size() < tuned::kMaxFactorStarts; ++pair) {
    if (measured.frequency.size() != frequencies.size() || frequencies(a, pair) == 0) continue;
    const double ratio = measured.frequency(a, pair) / frequencies(a, pair);
    const double sigma = measured.sigma(a, pair) / std::abs(frequencies(a, pair));
    if (ratio > 4 * sigma) starts.push_back(ratio);
  }
  return starts;
}

AxisFamily family_of(const Situation& situation, Scaled which) {
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
  family.candidates = [](std::size_t, const Fit& fit) { return candidates(fit); };
  return family;
}

constexpr Scaled kWays[] = {Scaled::all, Scaled::images, Scaled::from_first, Scaled::counted_on};

const char* evidence_of(Scaled which) {
  switch (which) {
    case Scaled::all:
      return "check.position-scale.evidence_axes";
    case Scaled::main_image:
      return "check.position-scale.evidence_image";
    case Scaled::images:
      return "check.position-scale.evidence_images";
    case Scaled::from_first:
      return "check.position-scale.evidence_from_first";
    case Scaled::counted_on:
      return "check.position-scale.evidence_counted_on";
  }
  return "";
}

void add_axis_scale(const Situation& situation, std::vector<double> factors, Scaled which, bool fitted,
                    std::vector<Proposal>& proposals) {
  for (double& factor : factors) factor = factor == 0 ? 1 : factor;
  if (situation.evidence.is_spent()) return;
  situation.evidence.spend(count_listed_numbers(situation.model));
  Proposal& found = add_factors(situation, factors, evidence_of(which), proposals);
  found.model = scale_axes(situation.model, factors, which);
  if (fitted) found.model.slack = 0.5;
  found.doubt = fitted ? Doubt::fitted : Doubt::round_number;
}

/// Appends the sines of one axis with the other sign: its ids are below 0 where the model's are above, and the reverse.
void propose_negated(const Situation& situation, std::vector<Proposal>& proposals) {
  const std::size_t axes = situation.model.tokens.axes.size();
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (!counts_in_images(situation.model, axis)) continue;
    std::vector<double> factors(axes, 1);
    factors[axis] = -1;
    for (const Scaled which : {Scaled::images, Scaled::all}) {
      const std::size_t before = proposals.size();
      add_axis_scale(situation, factors, which, false, proposals);
      // Rows from the bottom, shifted, can give the same ids.
      if (proposals.size() > before) proposals.back().doubt = Doubt::fitted;
    }
  }
}

/// Appends the ids of an image divided by its sides, like coordinates from 0 to 1.
void propose_divided_by_sides(const Situation& situation, std::vector<Proposal>& proposals) {
  const std::vector<TokenBlock>& blocks = situation.model.tokens.blocks;
  const auto image = std::find_if(blocks.begin(), blocks.end(), [](const TokenBlock& block) { return is_grid(block); });
  if (image == blocks.end()) return;
  for (const std::int64_t end : {0, 1}) {
    std::vector<double> factors;
    for (const AxisIds& ids : image->ids) {
      const bool along_side = ids.along == Along::row || ids.along == Along::column;
      const std::int64_t side = along_side ? image->count(ids.along) : 1;
      factors.push_back(1.0 / static_cast<double>(std::max<std::int64_t>(side - end, 1)));
    }
    for (const Scaled which : {Scaled::images, Scaled::all})
      add_axis_scale(situation, factors, which, false, proposals);
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
      add_axis_scale(situation, factors, Scaled::main_image, false, proposals);
    }
  }
}

/// Appends the factors that the frequencies of the axes show.
void propose_fitted_axis_scale(const Situation& situation, std::vector<Proposal>& proposals) {
  const std::vector<Fit> fits = axis_fits(situation, family_of(situation, Scaled::all));
  if (fits.empty()) return;
  Scaled best = Scaled::all;
  double most = -1;
  for (const Scaled which : kWays) {
    if (situation.evidence.is_spent()) return;
    const CheckModel model = apply_fits(situation, family_of(situation, which), fits);
    const double share = share_reproduced(model, situation.evidence);
    if (share > most + 1e-9) most = share, best = which;
  }
  const AxisNumbers numbers = choose_axis_values(situation, family_of(situation, best), fits);
  add_axis_scale(situation, numbers.values, best, numbers.fitted, proposals);
}

/// Appends the factors that the first frequencies of the axes show: these do not depend on the base.
void propose_by_first_rungs(const Situation& situation, std::vector<Proposal>& proposals) {
  const Eigen::MatrixXd& frequencies = situation.model.tokens.frequencies;
  const Measured& measured = situation.measured();
  const Ladders& ladders = situation.ladders();
  if (measured.frequency.size() != frequencies.size()) return;
  std::vector<double> factors(situation.model.tokens.axes.size(), 1);
  bool some = false;
  for (std::size_t axis = 0; axis < factors.size(); ++axis) {
    if (!(ladders.base[axis] > 1) || !counts_in_images(situation.model, axis)) continue;
    const std::vector<Fit> firsts = first_rungs(measured, frequencies, ladders, static_cast<Eigen::Index>(axis));
    if (firsts.empty()) continue;
    const Fit factor{firsts[0].value / ladders.unit[axis], firsts[0].error / ladders.unit[axis], 0};
    if (!(factor.error < tuned::kSureRatio) ||
        std::abs(factor.value - 1) <= std::max(tuned::kErrors * factor.error, tuned::kNearRatio))
      continue;
    factors[axis] = candidates(factor).front();
    some = true;
  }
  if (!some) return;
  const std::size_t before = proposals.size();
  add_axis_scale(situation, factors, Scaled::all, false, proposals);
  if (proposals.size() > before) proposals.back().doubt = Doubt::fitted;
}

/// Appends the factors that given ids show, by the range of the image's ids.
void propose_given(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const Evidence& evidence = situation.evidence;
  const RowEvaluator evaluator(model);
  const std::size_t axes = model.tokens.axes.size();
  std::vector<double> ids(axes);
  struct Reach {
    double low = std::numeric_limits<double>::infinity(), high = -low, at_low = 0, at_high = 0;
  };
  std::vector<Reach> reaches(axes);
  for (std::size_t i = 0; i < evidence.rows.size(); ++i) {
    if (!model.tokens.blocks[place_in(model, evidence.rows[i]).block].is_image()) continue;
    evaluator.ids(evidence.rows[i], ids.data());
    for (std::size_t axis = 0; axis < axes; ++axis) {
      Reach& reach = reaches[axis];
      const double given = evidence.ids(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(axis));
      if (ids[axis] < reach.low) reach.low = ids[axis], reach.at_low = given;
      if (ids[axis] > reach.high) reach.high = ids[axis], reach.at_high = given;
    }
  }
  std::vector<double> factors(axes, 1);
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const Reach& reach = reaches[axis];
    const double ratio = (reach.at_high - reach.at_low) / (reach.high - reach.low);
    if (!(reach.high > reach.low) || ratio == 0) continue;
    // The uncertainty of ids stored in float32.
    const double error = 2e-7 * std::abs(ratio);
    const std::vector<double> all = candidates({ratio, error, 0});
    const auto near = [&](double factor) { return std::abs(factor - ratio) <= error; };
    factors[axis] = *std::find_if(all.begin(), all.end(), near);
  }
  if (std::all_of(factors.begin(), factors.end(), [](double factor) { return factor == 1; })) return;
  for (const Scaled which : kWays) add_axis_scale(situation, factors, which, false, proposals);
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

/// Appends what the layout gives with other fields of its scale.
void propose_fields(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckReference& reference = situation.reference;
  if (reference.layout == nullptr || !reference.request.image) return;
  const std::string part = part_of_rows(situation.model, reference.tokens);
  if (part.empty()) return;
  const auto image_of = [](const CheckModel& model) {
    return std::find_if(model.tokens.blocks.begin(), model.tokens.blocks.end(),
                        [](const TokenBlock& block) { return block.is_image(); });
  };
  const auto try_request = [&](const LayoutRequest& request, const Message& layout) {
    auto model = arrange_as_requested(situation, request, part);
    if (!model || image_of(*model) == model->tokens.blocks.end()) return;
    const std::vector<double> factors = factors_between(*image_of(situation.model), *image_of(*model));
    if (std::all_of(factors.begin(), factors.end(), [](double factor) { return factor == 1; })) return;
    Proposal& found = add_factors(situation, factors, "check.position-scale.evidence_image", proposals);
    found.model = std::move(*model);
    found.evidence = sentences(std::move(found.evidence), layout);
  };
  const auto other = [&](const auto& change, const Message& layout) {
    LayoutRequest request = reference.request;
    change(request);
    try_request(request, layout);
  };
  if (takes_extension(*reference.layout)) {
    other([](LayoutRequest& request) { request = remove_position_fields(request); },
          Message("check.position-scale.without_options"));
  }
  if (takes(*reference.layout, "tokens_per_second")) {
    if (reference.request.tokens_per_second) {
      other([](LayoutRequest& request) { request.tokens_per_second.reset(); },
            Message("check.position-scale.without_tokens_per_second"));
    }
    for (const double tokens : {1.0, 2.0, 4.0, 25.0}) {
      other([&](LayoutRequest& request) { request.tokens_per_second = tokens; },
            Message("check.position-scale.with_tokens_per_second", {{"tokens", tokens}}));
    }
    // The seconds of a frame of tokens are ignored: each lasts one.
    other([](LayoutRequest& request) { request.frame_rate = 2; },
          Message("check.position-scale.at_frame_rate", {{"rate", 2}}));
  }
  if (takes(*reference.layout, "unscaled")) {
    other(
        [](LayoutRequest& request) { request.unscaled = !request.unscaled; },
        Message(reference.request.unscaled ? "check.position-scale.with_scale" : "check.position-scale.without_scale"));
  }
  if (takes(*reference.layout, "position_grid")) {
    const auto image = image_of(situation.model);
    other(
        [&](LayoutRequest& request) {
          request.position_grid = {image->rows, static_cast<int>(image->columns)};
        },
        Message("check.position-scale.without_stretching"));
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

/// `fitted`: the number is the fit itself, not a round one near it. The doubt is at least `doubt`.
void add_position_scale(const Situation& situation, double factor, bool fitted, std::vector<Proposal>& proposals,
                        Doubt doubt = Doubt::none) {
  // Beyond this, the angles are so large that float32 does not determine them.
  if (factor == 1 || !(std::abs(factor) <= tuned::kMaxPositionFactor) ||
      (factor != 0 && std::abs(factor) < tuned::kMinPositionFactor))
    return;
  Proposal& found = situation.add_to(proposals);
  found.model.id_factor *= factor;
  if (fitted) found.model.slack = 0.5;
  found.doubt = std::max(doubt, doubt_of(factor));
  found.parameters = {{"factor", factor}};
  found.evidence = factor == 0 ? Message("check.position-scale.evidence_zero")
                               : Message("check.position-scale.evidence", {{"factor", factor}});
  const std::vector<double> factors(situation.model.tokens.axes.size(), factor);
  found.advice = factor == 0 ? Message("check.position-scale.advice_zero")
                             : advice_on_factors(situation.model, factors, "check.position-scale.advice");
}

/// Returns the ratios that single pairs show, and a grid.
std::vector<double> starts_of_factor(const Measured& measured, const Eigen::MatrixXd& frequencies) {
  std::vector<double> starts = logarithmic_grid(1e-3, 1e3, 25);
  const bool as_many = measured.frequency.size() == frequencies.size();
  for (Eigen::Index i = 0; as_many && i < frequencies.size() && starts.size() < 80; ++i) {
    const double found = measured.frequency.reshaped()[i], expected = frequencies.reshaped()[i];
    if (expected != 0 && std::abs(found) > 4 * measured.sigma.reshaped()[i] && found / expected > 0) {
      starts.push_back(found / expected);
    }
  }
  return starts;
}

/// Appends factors from given ids: the ratio at the largest, and the ratio of increments if all are shifted as well.
void propose_by_ids(const Situation& situation, std::vector<Proposal>& proposals) {
  struct Place {
    double due = 0, given = 0;
  };
  const RowEvaluator evaluator(situation.model);
  const auto axes = static_cast<std::size_t>(evaluator.axes());
  std::vector<double> ids(axes);
  std::vector<Place> lowest(axes), highest(axes);
  for (std::size_t i = 0; i < situation.evidence.rows.size(); ++i) {
    evaluator.ids(situation.evidence.rows[i], ids.data());
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const Place here{ids[axis],
                       situation.evidence.ids(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(axis))};
      if (i == 0 || here.due < lowest[axis].due) lowest[axis] = here;
      if (i == 0 || here.due > highest[axis].due) highest[axis] = here;
    }
  }
  Place largest;
  double slope = 1, reach = 0;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    for (const Place& place : {lowest[axis], highest[axis]}) {
      if (std::abs(place.due) > std::abs(largest.due)) largest = place;
    }
    const double of_axis = highest[axis].due - lowest[axis].due;
    if (of_axis <= reach) continue;
    reach = of_axis;
    slope = (highest[axis].given - lowest[axis].given) / of_axis;
  }
  const auto add_near = [&](double ratio, Doubt doubt) {
    for (const double factor : round_numbers({ratio, 1e-7 * std::abs(ratio), 0}))
      add_position_scale(situation, factor, false, proposals, doubt);
  };
  if (largest.due == 0) return;
  const double ratio = largest.given / largest.due;
  add_near(ratio, Doubt::none);
  if (std::abs(slope - ratio) > 1e-6 * std::abs(ratio)) add_near(slope, Doubt::none);
}

/// Returns the first frequency of the model's axis.
double find_first_frequency(const Eigen::MatrixXd& frequencies, const Ladders& ladders, Eigen::Index axis) {
  double first = ladders.unit[static_cast<std::size_t>(axis)];
  for (Eigen::Index pair = 0; pair < frequencies.cols(); ++pair) {
    const bool is_first = frequencies(axis, pair) != 0 && std::abs(ladders.exponent(axis, pair)) < 1e-9;
    if (is_first) first = frequencies(axis, pair);
  }
  return first;
}

/// Appends the factor if the base, the spacing or the rotary dimension is wrong too: these keep the first frequency of
/// a ladder, or change it by a whole step.
void propose_by_first_rung(const Situation& situation, const Measured& measured, std::vector<Proposal>& proposals) {
  const Eigen::MatrixXd& frequencies = situation.model.tokens.frequencies;
  const Ladders& ladders = situation.ladders();
  if (measured.frequency.size() != frequencies.size()) return;
  for (Eigen::Index axis = 0; axis < frequencies.rows(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (!(ladders.base[a] > 1)) continue;
    const std::vector<Fit> first_ones = first_rungs(measured, frequencies, ladders, axis);
    if (first_ones.empty()) continue;
    const double rung = std::pow(ladders.base[a], ladders.step[a]),
                 due = find_first_frequency(frequencies, ladders, axis);
    for (const double part : {1 / due, rung / due, 1 / (rung * due)}) {
      for (const Fit& first : first_ones) {
        for (const double factor : round_numbers({part * first.value, part * first.error, 0})) {
          add_position_scale(situation, factor, factor == part * first.value, proposals, Doubt::fitted);
        }
      }
    }
    return;
  }
}

/// Appends "position-scale" with one factor for all axes, its only parameter, from tables or vectors.
void propose_factors(const Situation& situation, std::vector<Proposal>& proposals) {
  const Eigen::MatrixXd& frequencies = situation.model.tokens.frequencies;
  const Observed& observed = situation.observed();
  if ((observed.phase.array().abs() <= observed.noise.array()).all()) {
    add_position_scale(situation, 0, false, proposals);
    // A program that rotates nothing applies no amplitude either.
    const std::size_t before = proposals.size();
    if (situation.model.amplitude != 1) add_position_scale(situation, 0, false, proposals);
    if (proposals.size() > before) proposals.back().model.amplitude = 1;
    return;
  }
  const Measured measured = measure(situation.evidence, observed, situation.model, false, false);
  const Family family = [&](double factor) -> Eigen::MatrixXd { return factor * frequencies; };
  auto fit = fit_parameter(measured, family, starts_of_factor(measured, frequencies));
  if (!fit || !(fit->error < 0.1 * fit->value)) {
    propose_by_first_rung(situation, measured, proposals);
    return;
  }
  *fit = refine_fit(situation.evidence, *fit, [&](double factor) {
    CheckModel scaled = situation.model;
    scaled.id_factor *= factor;
    return scaled;
  });
  for (const double factor : round_numbers(*fit))
    add_position_scale(situation, factor, factor == fit->value, proposals);
  // A factor that is the reciprocal of a round number.
  const Fit inverse{1 / fit->value, fit->error / (fit->value * fit->value), 0};
  for (const double divisor : round_numbers(inverse)) add_position_scale(situation, 1 / divisor, false, proposals);
  propose_by_first_rung(situation, measured, proposals);
}

void propose_position_scale(const Situation& situation, std::vector<Proposal>& proposals) {
  if (situation.model.own_ids) return;
  if (situation.evidence.has_ids()) propose_by_ids(situation, proposals);
  if (situation.evidence.has_rotation()) propose_factors(situation, proposals);
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

void add_frequency_scale(const Situation& situation, double factor, const Proposal& like,
                         std::vector<Proposal>& proposals) {
  Proposal& found = situation.add_to(proposals, [factor](CheckModel& model) { model.tokens.frequencies *= factor; });
  found.model.slack = like.model.slack;
  found.doubt = like.doubt;
  found.parameters = {{"factor", factor}, {"of", named_value("frequencies")}};
  found.evidence = Message("check.position-scale.evidence_frequencies", {{"factor", factor}});
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
      const std::size_t before = proposals.size();
      add_frequency_scale(situation, factor, situation.proposal(), proposals);
      if (factor == 1 / unit) {
        proposals[before].evidence =
            Message("check.position-scale.evidence_unit", {{"factor", factor}, {"unit", unit}});
        proposals[before].advice = Message("check.position-scale.advice_unit", {{"unit", unit}});
      }
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
      if (value == 1) continue;
      Proposal like = situation.proposal();
      if (value == factor) like.model.slack = 0.5;
      like.doubt = doubt_of(value);
      add_frequency_scale(situation, value, like, proposals);
    }
    return;
  }
  // Tables alone do not distinguish it from multiplied positions.
  if (!evidence.has_ids() || !evidence.has_rotation()) return;
  std::vector<Proposal> of_ids;
  propose_factors(situation, of_ids);
  for (const Proposal& found : of_ids) {
    const double factor = std::get<double>(found.parameters[0].value);
    if (factor != 0) add_frequency_scale(situation, factor, found, proposals);
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
