#pragma once

#include <array>
#include <complex>
#include <cstddef>

namespace ropescope {

// RoFormer (arXiv 2104.09864), section 3.4.1, asks for f_q(q, m) and f_k(k, n) in the plane whose inner product sees
// m − n alone. Here are laws that one might try, and what becomes of the product when both places move on together.

/// What a vector is turned by at the place m (query) or n (key), radians.
/// linear mθ; quadratic m²θ; root θ√m; offset mθ + γ, nθ + γ; offsets mθ + γ, nθ + γ′; other_key mθ, nθ′.
enum class AngleLaw { linear, quadratic, root, offset, offsets, other_key };
inline constexpr std::array kAngleLaws{AngleLaw::linear, AngleLaw::quadratic, AngleLaw::root,
                                       AngleLaw::offset, AngleLaw::offsets,   AngleLaw::other_key};
/// What its length is multiplied by. constant 1; growing 1 + m, 1 + n; reciprocal 1 + m, 1/(1 + n); exponential
/// e^{cm}, e^{−cn} (xPos, arXiv 2212.10554).
enum class LengthLaw { constant, growing, reciprocal, exponential };
inline constexpr std::array kLengthLaws{LengthLaw::constant, LengthLaw::growing, LengthLaw::reciprocal,
                                        LengthLaw::exponential};

struct PlaceLaw {
  AngleLaw angle = AngleLaw::linear;
  LengthLaw length = LengthLaw::constant;
  double theta = 0, theta_key = 0;  ///< radians per place
  double gamma = 0, gamma_key = 0;  ///< radians
  double rate = 0;                  ///< c, per place
};

/// What becomes of a vector: it is multiplied by length · e^{i·angle}.
struct PlaceEffect {
  double length = 1, angle = 0;
};
PlaceEffect query_effect(const PlaceLaw& law, double place);
PlaceEffect key_effect(const PlaceLaw& law, double place);
std::complex<double> moved(std::complex<double> vector, const PlaceEffect& effect);

/// Query and key before any law.
struct PlanePair {
  std::complex<double> q, k;
};
/// ⟨f_q(q, t + Δ), f_k(k, t)⟩ = Re(f_q · conj f_k): the key at t, the query Δ further on.
double law_score(const PlaceLaw& law, const PlanePair& pair, double distance, double shift);

/// (max − min over t = 0, 1, …, span of the score) / (|q||k|): 0 up to rounding where the score sees Δ alone. 0 where q
/// or k is 0.
double law_change(const PlaceLaw& law, const PlanePair& pair, double distance, int span);
/// Below this a change is rounding.
inline constexpr double kFlat = 1e-9;

/// The distances that are looked at.
inline constexpr std::array<double, 3> kLawDistances{0, 1, 3};
/// Largest difference of the scores at these distances, the key at 0, over |q||k|: 0 for a law that does not see the
/// distance either. 0 where q or k is 0.
double law_apart(const PlaceLaw& law, const PlanePair& pair);

/// Changes of one law at kLawDistances.
struct LawChanges {
  std::array<double, kLawDistances.size()> change{};
  bool flat(std::size_t distance) const { return change[distance] < kFlat; }
  bool flat() const { return flat(0) && flat(1) && flat(2); }
};
LawChanges law_changes(const PlaceLaw& law, const PlanePair& pair, int span);
/// Of every angle law with constant lengths, in the order of kAngleLaws.
std::array<LawChanges, kAngleLaws.size()> angle_law_changes(PlaceLaw law, const PlanePair& pair, int span);
/// Of every length law with the angle mθ, in the order of kLengthLaws.
std::array<LawChanges, kLengthLaws.size()> length_law_changes(PlaceLaw law, const PlanePair& pair, int span);

}  // namespace ropescope
