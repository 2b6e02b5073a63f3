// The cause "axis-extension" of layouts (core/layouts/extension.h): an extension that is missing, or has another
// method, other factors or another time. Scales and shifts of positions are in scales.cpp and shifts.cpp. Read cause.h
// first.

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/check/causes/cause.h"
#include "core/check/evidence/fit.h"
#include "core/check/tuning.h"
#include "core/layouts/extension.h"

namespace ropescope {

namespace {

constexpr std::string_view kFactorFields[] = {"factor_t", "factor_x", "factor_y"};

/// The image without extension, and the numbers that a program may have used to extend it.
class Resolutions {
 public:
  explicit Resolutions(const Situation& situation)
      : situation_(situation), layout_(*situation.reference.layout), requested_(situation.reference.request) {
    plain_ = arrange(layout_, remove_extension(requested_));
    sides_ = axis_extensions(layout_, with_side(remove_extension(requested_)), plain_);
  }

  /// Appends proposals. An image no larger than those of training needs no extension: another ladder there is a base,
  /// or a factor. For a request without extension, `fitted` proposals have their own factor or time, the others none.
  void propose(bool fitted, std::vector<Proposal>& proposals) {
    const auto is_larger = [](const AxisExtension& axis) { return axis.trained > 0 && axis.side > axis.trained; };
    const bool asked = has_extension();
    if (asked && fitted) return;
    if (!asked && std::ranges::none_of(sides_, is_larger)) return;
    add_missing(proposals);
    // A fit no better than that of the model's own frequencies explains nothing.
    const double own = misfit(situation_.measured(), situation_.model.tokens.frequencies);
    std::vector<Candidate> best;
    for (const ScalingMethod& method : all_scaling_methods()) {
      if (!extends(method.name) || !extends_axes(method)) continue;
      const bool is_timed = find_parameter(method, "diffusion_time") != nullptr;
      if (!asked && is_timed && !fitted) continue;
      auto found = best_of(method, asked, fitted);
      if (found && found->misfit < own) best.push_back(*std::move(found));
    }
    // At some time, a method with a time fits like one without: it has to fit clearly better.
    std::ranges::stable_sort(best, {}, [](const Candidate& one) { return (one.is_timed ? 2 : 1) * one.misfit; });
    for (std::size_t i = 0; i < std::min(best.size(), tuned::kMaxExtensions); ++i) add(best[i], proposals);
  }

 private:
  struct Candidate {
    LayoutRequest request;
    double misfit = std::numeric_limits<double>::infinity();
    double time = 1;
    bool is_timed = false;
    bool shown = false;  ///< its factors are those that the tables show, by no rule
  };

  /// Returns a request with the requested trained side.
  LayoutRequest with_side(LayoutRequest request) const {
    const auto side = requested_.numbers.find("trained_side");
    if (side != requested_.numbers.end()) request.numbers.insert(*side);
    return request;
  }

  /// Returns the layout extended by the request; nullopt if it cannot be.
  std::optional<TokenLayout> extended(const LayoutRequest& request) const {
    situation_.evidence.spend(kOfPower * plain_.pair_count());
    TokenLayout arranged = plain_;
    try {
      extend(layout_, remove_position_fields(request), arranged);
    } catch (const InputError&) {
      return std::nullopt;
    }
    return arranged;
  }

  std::vector<double> factors_of(const LayoutRequest& request) const {
    std::vector<double> factors;
    for (const AxisExtension& axis : axis_extensions(layout_, request, plain_)) factors.push_back(axis.factor);
    return factors;
  }

  /// Returns requests that differ in their factors: each side over the trained one; the larger of them or the root of
  /// their product for both (ComfyUI's ports, Lumina-Next); one side alone; and what the slowest pairs show.
  std::vector<Candidate> requests_of(const LayoutRequest& by_side) const {
    std::vector<Candidate> all(1);
    all.front().request = by_side;
    const auto with = [&](double x, double y) {
      LayoutRequest& request = all.emplace_back().request;
      request = by_side;
      request.numbers["factor_x"] = std::max(1.0, x);
      request.numbers["factor_y"] = std::max(1.0, y);
    };
    double x = 1, y = 1;
    for (std::size_t axis = 0; axis < plain_.axes.size(); ++axis) {
      const std::string& name = plain_.axes[axis].name;
      const AxisExtension& side = sides_[axis];
      if (side.trained == 0) continue;
      (side_of_name(name) == Along::row ? y : x) = name == "t" ? x : std::max(1.0, side.side / side.trained);
    }
    if (x != 1 || y != 1) {
      with(std::max(x, y), std::max(x, y)), with(std::sqrt(x * y), std::sqrt(x * y));
      with(x, 1), with(1, y);
    }
    const auto [shown_x, shown_y] = shown_factors();
    if (shown_x != 1 || shown_y != 1) {
      with(shown_x, shown_y);
      all.back().shown = true;
    }
    return all;
  }

  /// Returns, for each side, the divisor of the slowest known pair relative to no extension.
  std::pair<double, double> shown_factors() const {
    std::pair<double, double> shown = {1, 1};
    for (std::size_t axis = 0; axis < plain_.axes.size(); ++axis) {
      const std::string& name = plain_.axes[axis].name;
      if (name == "t" || sides_[axis].trained == 0) continue;
      const Eigen::MatrixXd own = only_axis(plain_.frequencies, axis);
      const auto fit = divisor_of_slowest(situation_.measured(), own, tuned::kSureSide);
      if (fit && fit->value > tuned::kLeastFactorOfSide) {
        (side_of_name(name) == Along::row ? shown.second : shown.first) = round_numbers(*fit).front();
      }
    }
    return shown;
  }

  /// Returns times, those with the fewest digits first: of several that give the same, the first is reported.
  static std::vector<double> times(std::initializer_list<int> steps, double least, double most) {
    std::vector<double> all;
    for (const int count : steps) {
      for (int i = count; i >= 0; --i) {
        const double time = static_cast<double>(i) / count;
        if (time >= least && time <= most && std::ranges::count(all, time) == 0) all.push_back(time);
      }
    }
    return all;
  }

  void try_times(Candidate candidate, const std::vector<double>& all, Candidate& best) const {
    for (const double time : all) {
      if (situation_.evidence.is_spent()) return;
      candidate.request.numbers["diffusion_time"] = candidate.time = time;
      try_candidate(candidate, best);
    }
  }

  std::optional<Candidate> best_of(const ScalingMethod& method, bool asked, bool fitted) {
    LayoutRequest request = with_side(remove_extension(requested_));
    request.scaling = method.name;
    const bool is_timed = find_parameter(method, "diffusion_time") != nullptr;
    std::vector<Candidate> candidates = requests_of(request);
    // The first one uses the sides themselves.
    if (!asked && !fitted) candidates.resize(1);
    if (!asked && fitted && !is_timed) candidates.erase(candidates.begin());
    if (asked) {
      LayoutRequest& own = candidates.emplace_back().request;
      own = request;
      for (const std::string_view name : kFactorFields) {
        const auto given = requested_.numbers.find(name);
        if (given != requested_.numbers.end()) own.numbers.insert(*given);
      }
    }
    Candidate best;
    for (Candidate& one : candidates) {
      one.is_timed = is_timed;
      if (situation_.evidence.is_spent()) return std::nullopt;
      if (!extends_some(one.request)) continue;
      if (is_timed) {
        try_times(one, times({10, 20}, 0, 1), best);
      } else {
        try_candidate(one, best);
      }
    }
    if (!std::isfinite(best.misfit)) return std::nullopt;
    if (is_timed) {
      try_times(Candidate(best), times({100, 200}, best.time - tuned::kNearTimes, best.time + tuned::kNearTimes), best);
      refine(best);
    }
    return best;
  }

  /// Returns whether a request has factors other than 1 and can be computed.
  bool extends_some(const LayoutRequest& request) const {
    try {
      return std::ranges::any_of(axis_extensions(layout_, request, plain_),
                                 [](const AxisExtension& axis) { return axis.factor != 1; });
    } catch (const InputError&) {
      return false;
    }
  }

  void try_candidate(const Candidate& candidate, Candidate& best) const {
    const std::optional<TokenLayout> arranged = extended(candidate.request);
    if (!arranged || arranged->frequencies == plain_.frequencies) return;
    const double of_this = misfit(situation_.measured(), arranged->frequencies);
    if (!(of_this < best.misfit)) return;
    best = candidate;
    best.misfit = of_this;
  }

  /// Refines the time between those of the grid, if it changes every frequency.
  void refine(Candidate& best) const {
    const auto family = [&](double time) -> Eigen::MatrixXd {
      LayoutRequest request = best.request;
      request.numbers["diffusion_time"] = std::min(time, 1.0);
      const std::optional<TokenLayout> arranged = extended(request);
      return arranged ? arranged->frequencies : no_frequencies();
    };
    if (best.time == 0) return;
    const auto fit = fit_parameter(situation_.measured(), family, {best.time});
    // A time of the grid that fits as well is kept.
    if (!fit || !(fit->value <= 1) || !(2 * fit->misfit < best.misfit)) return;
    Candidate refined = best;
    for (const double time : round_numbers(*fit)) {
      if (!(time <= 1)) continue;
      refined.request.numbers["diffusion_time"] = refined.time = time;
      try_candidate(refined, best);
    }
  }

  /// Appends the model with these frequencies, with and without their amplitudes.
  void append(const TokenLayout& arranged, std::vector<Proposal>& proposals,
              const std::function<void(Proposal&)>& describe) const {
    bool sized = false;
    for (const bool with_amplitude : {true, false}) {
      if (!with_amplitude && !sized) return;
      Proposal& found = situation_.add_to(proposals);
      found.model.tokens.frequencies = arranged.frequencies;
      for (std::size_t axis = 0; axis < arranged.axes.size(); ++axis) {
        sized = sized || found.model.tokens.axes[axis].amplitude != arranged.axes[axis].amplitude;
        if (with_amplitude) found.model.tokens.axes[axis].amplitude = arranged.axes[axis].amplitude;
      }
      describe(found);
    }
  }

  bool has_extension() const { return extends(requested_.scaling); }

  void add_missing(std::vector<Proposal>& proposals) const {
    if (!has_extension()) return;
    append(plain_, proposals, [&](Proposal& found) {
      found.parameters = {{"kind", named_value("missing")}};
      found.evidence = Message("check.axis-extension.missing", {{"method", requested_.scaling}});
      found.advice = advice();
    });
  }

  Message advice() const {
    if (!has_extension()) return Message("check.axis-extension.advice_none");
    return Message(
        "check.axis-extension.advice",
        {{"method", requested_.scaling}, {"factors", list_text(factors_of(requested_))}, {"axes", names_of_axes()}});
  }

  std::string names_of_axes() const {
    std::string names;
    for (const LayoutAxis& axis : plain_.axes) names += (names.empty() ? "(" : ", ") + axis.name;
    return names + ")";
  }

  std::string_view kind_of(const Candidate& candidate, const std::vector<double>& factors) const {
    if (candidate.request.scaling != requested_.scaling) return "method";
    return factors == factors_of(requested_) ? "time" : "factor";
  }

  void add(const Candidate& candidate, std::vector<Proposal>& proposals) const {
    const std::optional<TokenLayout> arranged = extended(candidate.request);
    const Eigen::MatrixXd& own = situation_.model.tokens.frequencies;
    if (!arranged || arranged->frequencies.isApprox(own, 1e-12)) return;
    append(*arranged, proposals, [&](Proposal& found) {
      const std::vector<double> factors = factors_of(candidate.request);
      found.parameters = {{"kind", named_value(kind_of(candidate, factors))},
                          {"method", verbatim(candidate.request.scaling)},
                          {"factor", factors}};
      found.evidence =
          Message("check.axis-extension.evidence",
                  {{"method", candidate.request.scaling}, {"factors", list_text(factors)}, {"axes", names_of_axes()}});
      if (candidate.is_timed) {
        found.parameters.push_back({"diffusion_time", candidate.time});
        found.evidence =
            sentences(std::move(found.evidence), Message("check.axis-extension.at_time", {{"time", candidate.time}}));
      }
      found.advice = advice();
      const bool exact = candidate.request.numbers.count("factor_x") == 0 && !candidate.is_timed;
      found.doubt = candidate.shown ? Doubt::fitted : exact ? Doubt::none : Doubt::round_number;
    });
  }

  const Situation& situation_;
  const Layout& layout_;
  const LayoutRequest& requested_;
  TokenLayout plain_;
  std::vector<AxisExtension> sides_;
};

void propose_extension(const Situation& situation, bool fitted, std::vector<Proposal>& proposals) {
  const CheckReference& reference = situation.reference;
  if (reference.layout == nullptr || !takes_extension(*reference.layout)) return;
  const Eigen::MatrixXd& own = situation.model.tokens.frequencies;
  const Eigen::MatrixXd& due = reference.tokens.frequencies;
  if (own.rows() != due.rows() || own.cols() != due.cols() || own != due || situation.frequencies_fit()) return;
  Resolutions(situation).propose(fitted, proposals);
}

void propose_axis_extension(const Situation& situation, std::vector<Proposal>& proposals) {
  propose_extension(situation, false, proposals);
}

void propose_fitted_axis_extension(const Situation& situation, std::vector<Proposal>& proposals) {
  propose_extension(situation, true, proposals);
}

}  // namespace

/// The ladders of a layout's axes extended differently than requested, or not at all.
extern constinit const Cause kAxisExtension{.name = "axis-extension",
                                            .group = CauseGroup::frequencies,
                                            .seen_in = "wildminder/ComfyUI-DyPE#2",
                                            .fix_kinds = kNumpyOnly,
                                            .propose = propose_axis_extension};

/// An extension that was not requested, with a fitted factor or time. A base, a factor of the ids or other exponents
/// explain the same numbers with one parameter, so they come first.
extern constinit const Cause kAxisExtensionFitted{.name = "axis-extension",
                                                  .group = CauseGroup::frequencies,
                                                  .seen_in = "wildminder/ComfyUI-DyPE#2",
                                                  .fix_kinds = kNumpyOnly,
                                                  .propose = propose_fitted_axis_extension};

}  // namespace ropescope
