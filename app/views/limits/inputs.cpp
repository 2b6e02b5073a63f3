#include "app/views/limits/inputs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "app/experiment/ladder.h"
#include "app/resources/files.h"
#include "app/resources/models.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// What must not be computed on the spot, however little it is: many of them are asked for at once.
constexpr double kElsewhere = 1e7;
/// Nanoseconds per distance and pair of a sum of cosines.
constexpr double kStep = 0.1;

bool limits_same(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  return a.size() == b.size() && (a.array() == b.array()).all();
}

}  // namespace

double level_step(int level) {
  return std::ldexp(std::numbers::ln10 / 64, -level);
}

double LimitChunkInput::cost() const {
  return kElsewhere;
}

std::shared_ptr<const LimitChunk> LimitChunkInput::compute(int threads, const std::stop_token& stop) const {
  std::vector<double> bases;
  for (std::int64_t j = index * kChunkBases; j < (index + 1) * kChunkBases; ++j) {
    const double base = std::exp(static_cast<double>(j) * level_step(level));
    if (base > 1) bases.push_back(base);
  }
  auto chunk = std::make_shared<LimitChunk>();
  if (bases.empty()) return chunk;
  chunk->points = limit_curve(rotary_dim, bases, farthest, threads, stop);
  if (stop.stop_requested()) return nullptr;
  return chunk;
}

double SmallestBaseInput::cost() const {
  return kElsewhere;
}

std::shared_ptr<const SmallestBase> SmallestBaseInput::compute(int threads, const std::stop_token& stop) const {
  const auto found = smallest_window({.rotary_dim = rotary_dim, .context = context, .threads = threads}, stop);
  if (stop.stop_requested()) return nullptr;
  return std::make_shared<SmallestBase>(SmallestBase{found});
}

double RobustBaseInput::cost() const {
  return kElsewhere;
}

std::shared_ptr<const LargeEnoughBase> RobustBaseInput::compute(int threads, const std::stop_token& stop) const {
  const auto found = robust_base({.rotary_dim = rotary_dim, .context = context, .threads = threads}, stop);
  if (stop.stop_requested()) return nullptr;
  return std::make_shared<LargeEnoughBase>(LargeEnoughBase{found});
}

double ShakenInput::cost() const {
  return kElsewhere;
}

std::shared_ptr<const Shaken> ShakenInput::compute(int threads, const std::stop_token& stop) const {
  const auto ladder = [this](double base) {
    RopeKnobs moved = rope;
    moved.base = base;
    return read_rope(moved).ladder.frequencies;
  };
  const auto context = shaken_context(rope.base, ladder, kFarthestDistance, threads, stop);
  return context ? std::make_shared<Shaken>(Shaken{*context}) : nullptr;
}

double WindowsInput::cost() const {
  return kElsewhere;
}

std::shared_ptr<const Windows> WindowsInput::compute(int threads, const std::stop_token& stop) const {
  auto result = std::make_shared<Windows>();
  result->windows = admissible_windows({.rotary_dim = rotary_dim,
                                        .context = context,
                                        .lowest = smallest,
                                        .highest = kWindowRange * smallest,
                                        .threads = threads},
                                       stop);
  std::vector<double> middles;
  for (const BaseWindow& window : result->windows) middles.push_back(std::sqrt(window.low * window.high));
  result->peaks = limit_curve(rotary_dim, middles, 4 * context, threads, stop);
  if (stop.stop_requested()) return nullptr;
  return result;
}

bool FirstNegativeInput::operator==(const FirstNegativeInput& other) const {
  return limit == other.limit && limits_same(frequencies, other.frequencies);
}

double FirstNegativeInput::cost() const {
  return kStep * static_cast<double>(limit) * static_cast<double>(frequencies.size());
}

std::shared_ptr<const FirstNegative> FirstNegativeInput::compute(int threads, const std::stop_token& stop) const {
  const auto distance = first_negative_distance(frequencies, limit, threads, stop);
  if (stop.stop_requested()) return nullptr;
  return std::make_shared<FirstNegative>(FirstNegative{distance});
}

std::size_t Information::bytes() const {
  return 3 * turns->ys.size() * sizeof(double);
}

bool InformationInput::operator==(const InformationInput& other) const {
  return context == other.context && limits_same(frequencies, other.frequencies);
}

double InformationInput::cost() const {
  return 200 * static_cast<double>(frequencies.size());
}

std::shared_ptr<const Information> InformationInput::compute(int, const std::stop_token&) const {
  auto information = std::make_shared<Information>();
  std::vector<double> turns, variance_cos, variance_sin;
  for (const PairInformation& pair : pair_information(frequencies, context)) {
    // A still pair has no place on a logarithmic axis: the line ends there.
    turns.push_back(pair.turns > 0 ? pair.turns : std::numeric_limits<double>::quiet_NaN());
    variance_cos.push_back(pair.variance_cos);
    variance_sin.push_back(pair.variance_sin);
    information->effective += pair.moving;
  }
  information->turns = make_series(0, 1, std::move(turns));
  information->variance_cos = make_series(0, 1, std::move(variance_cos));
  information->variance_sin = make_series(0, 1, std::move(variance_sin));
  information->below_turn = pairs_below_angle(frequencies, context, 2 * std::numbers::pi);
  information->below_quarter = pairs_below_angle(frequencies, context, std::numbers::pi / 2);
  return information;
}

double ModelPointsInput::cost() const {
  return kElsewhere;
}

namespace {

void add_model(std::vector<ModelPoint>& points, const ModelPoint::Name& name, const RotarySpec& spec) {
  if (spec.axes.size() != 1 || !spec.trained_length || spec.axes.front().ladder != Ladder::plain) return;
  const RotaryAxis& axis = spec.axes.front();
  const auto found = std::find_if(points.begin(), points.end(), [&](const ModelPoint& point) {
    return point.rotary_dim == axis.rotary_dim && point.base == axis.base &&
           point.trained_length == *spec.trained_length;
  });
  if (found == points.end()) {
    points.push_back({axis.rotary_dim, axis.base, *spec.trained_length, {name}});
  } else {
    found->names.push_back(name);
  }
}

}  // namespace

std::shared_ptr<const ModelPoints> ModelPointsInput::compute(int, const std::stop_token&) const {
  auto models = std::make_shared<ModelPoints>();
  try {
    for (const Preset& preset : load_presets(find_places().assets)) {
      for (const Profile& profile : preset.profiles) {
        const bool first = &profile == &preset.profiles.front();
        add_model(models->points, {preset.name, first ? "" : profile.name}, profile.spec);
      }
    }
  } catch (const InputError&) {
    models->points.clear();
  }
  return models;
}

}  // namespace ropescope
