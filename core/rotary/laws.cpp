#include "core/rotary/laws.h"

#include <algorithm>
#include <cmath>

namespace ropescope {

namespace {

double size_of_laws(const PlanePair& pair) {
  return std::abs(pair.q) * std::abs(pair.k);
}

/// What an angle law says of a vector with this θ and γ.
double angle_at(AngleLaw law, double place, double theta, double gamma) {
  switch (law) {
    case AngleLaw::quadratic:
      return place * place * theta;
    case AngleLaw::root:
      return theta * std::sqrt(place);
    case AngleLaw::offset:
    case AngleLaw::offsets:
      return place * theta + gamma;
    case AngleLaw::linear:
    case AngleLaw::other_key:
      break;
  }
  return place * theta;
}

}  // namespace

PlaceEffect query_effect(const PlaceLaw& law, double place) {
  PlaceEffect effect{1, angle_at(law.angle, place, law.theta, law.gamma)};
  if (law.length == LengthLaw::growing || law.length == LengthLaw::reciprocal) effect.length = 1 + place;
  if (law.length == LengthLaw::exponential) effect.length = std::exp(law.rate * place);
  return effect;
}

PlaceEffect key_effect(const PlaceLaw& law, double place) {
  const double theta = law.angle == AngleLaw::other_key ? law.theta_key : law.theta;
  const double gamma = law.angle == AngleLaw::offsets ? law.gamma_key : law.gamma;
  PlaceEffect effect{1, angle_at(law.angle, place, theta, gamma)};
  if (law.length == LengthLaw::growing) effect.length = 1 + place;
  if (law.length == LengthLaw::reciprocal) effect.length = 1 / (1 + place);
  if (law.length == LengthLaw::exponential) effect.length = std::exp(-law.rate * place);
  return effect;
}

std::complex<double> moved(std::complex<double> vector, const PlaceEffect& effect) {
  return effect.length * vector * std::complex<double>(std::cos(effect.angle), std::sin(effect.angle));
}

double law_score(const PlaceLaw& law, const PlanePair& pair, double distance, double shift) {
  const std::complex<double> query = moved(pair.q, query_effect(law, shift + distance));
  return (query * std::conj(moved(pair.k, key_effect(law, shift)))).real();
}

double law_change(const PlaceLaw& law, const PlanePair& pair, double distance, int span) {
  const double size = size_of_laws(pair);
  if (!(size > 0)) return 0;
  double low = law_score(law, pair, distance, 0), high = low;
  for (int shift = 1; shift <= span; ++shift) {
    const double score = law_score(law, pair, distance, shift);
    low = std::min(low, score);
    high = std::max(high, score);
  }
  return (high - low) / size;
}

double law_apart(const PlaceLaw& law, const PlanePair& pair) {
  const double size = size_of_laws(pair);
  if (!(size > 0)) return 0;
  std::array<double, kLawDistances.size()> scores{};
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = law_score(law, pair, kLawDistances[i], 0);
  const auto [low, high] = std::minmax_element(scores.begin(), scores.end());
  return (*high - *low) / size;
}

LawChanges law_changes(const PlaceLaw& law, const PlanePair& pair, int span) {
  LawChanges changes;
  for (std::size_t i = 0; i < kLawDistances.size(); ++i) {
    changes.change[i] = law_change(law, pair, kLawDistances[i], span);
  }
  return changes;
}

std::array<LawChanges, kAngleLaws.size()> angle_law_changes(PlaceLaw law, const PlanePair& pair, int span) {
  std::array<LawChanges, kAngleLaws.size()> all;
  law.length = LengthLaw::constant;
  for (std::size_t i = 0; i < all.size(); ++i) {
    law.angle = kAngleLaws[i];
    all[i] = law_changes(law, pair, span);
  }
  return all;
}

std::array<LawChanges, kLengthLaws.size()> length_law_changes(PlaceLaw law, const PlanePair& pair, int span) {
  std::array<LawChanges, kLengthLaws.size()> all;
  law.angle = AngleLaw::linear;
  for (std::size_t i = 0; i < all.size(); ++i) {
    law.length = kLengthLaws[i];
    all[i] = law_changes(law, pair, span);
  }
  return all;
}

}  // namespace ropescope
