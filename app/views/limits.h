// The view Limits: which context a base allows, and what each pair does over it. Inputs say what the store computes for
// it; kLimitsView is what view.cpp lists. Read view.h and app/store/store.h before.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/store/store.h"
#include "app/views/view.h"
#include "core/decay/limits.h"

namespace ropescope {

// --- Inputs --------------------------------------------------------------------------------------------------------

/// Some neighbouring points of the curve of largest contexts. The bases of a level stand at b = e^{j·step}, whole j, so
/// that chunks stay the same while the plot is panned: chunk k holds kChunkBases of them, from j = k·kChunkBases on.
/// step halves from level to level.
struct LimitChunk {
  std::vector<LimitPoint> points;
  std::size_t bytes() const { return points.size() * sizeof(LimitPoint); }
};
struct LimitChunkInput {
  using Result = LimitChunk;
  int rotary_dim = 128;
  int level = 0;
  std::int64_t index = 0;
  std::int64_t farthest = 1;
  bool operator==(const LimitChunkInput&) const = default;
  double cost() const;
  std::shared_ptr<const LimitChunk> compute(int threads, const std::stop_token& stop) const;
};
inline constexpr std::int64_t kChunkBases = 256;
/// Distance in ln b between the bases of a level.
double level_step(int level);

/// The smallest base for a context on the plain ladder, with the window that it opens.
struct SmallestBase {
  std::optional<SmallestWindow> found;
  std::size_t bytes() const { return sizeof(SmallestBase); }
};
struct SmallestBaseInput {
  using Result = SmallestBase;
  int rotary_dim = 128;
  std::int64_t context = 1;
  bool operator==(const SmallestBaseInput&) const = default;
  double cost() const;
  std::shared_ptr<const SmallestBase> compute(int threads, const std::stop_token& stop) const;
};

/// The base above which none fails for that context.
struct LargeEnoughBase {
  std::optional<RobustBase> found;
  std::size_t bytes() const { return sizeof(LargeEnoughBase); }
};
struct RobustBaseInput {
  using Result = LargeEnoughBase;
  int rotary_dim = 128;
  std::int64_t context = 1;
  bool operator==(const RobustBaseInput&) const = default;
  double cost() const;
  std::shared_ptr<const LargeEnoughBase> compute(int threads, const std::stop_token& stop) const;
};

/// What is left of the largest context of a rope when its base moves by 1 %.
struct Shaken {
  ShakenContext context;
  std::size_t bytes() const { return sizeof(Shaken); }
};
struct ShakenInput {
  using Result = Shaken;
  RopeFields rope;
  bool operator==(const ShakenInput&) const = default;
  double cost() const;
  std::shared_ptr<const Shaken> compute(int threads, const std::stop_token& stop) const;
};

/// The windows of bases that allow a context from the smallest one on, up to kWindowRange times it, and the largest
/// contexts in the middle of each: the curve's own bases can miss a narrow one.
struct Windows {
  std::vector<BaseWindow> windows;
  std::vector<LimitPoint> peaks;
  std::size_t bytes() const { return windows.size() * sizeof(BaseWindow) + peaks.size() * sizeof(LimitPoint); }
};
struct WindowsInput {
  using Result = Windows;
  int rotary_dim = 128;
  std::int64_t context = 1;
  double smallest = 0;
  bool operator==(const WindowsInput&) const = default;
  double cost() const;
  std::shared_ptr<const Windows> compute(int threads, const std::stop_token& stop) const;
};
inline constexpr double kWindowRange = 4;

/// The first negative sum of a ladder up to a distance.
struct FirstNegative {
  std::optional<std::int64_t> distance;
  std::size_t bytes() const { return sizeof(FirstNegative); }
};
struct FirstNegativeInput {
  using Result = FirstNegative;
  Eigen::VectorXd frequencies;
  std::int64_t limit = kFarthestDistance;
  bool operator==(const FirstNegativeInput& other) const;
  double cost() const;
  std::shared_ptr<const FirstNegative> compute(int threads, const std::stop_token& stop) const;
};

/// What the pairs of a ladder do over a context.
struct Information {
  std::shared_ptr<const Series> turns, variance_cos, variance_sin;  ///< over the pair; NaN turns where it stands still
  double effective = 0;                                             ///< Σ moving
  int below_turn = 0, below_quarter = 0;
  std::size_t bytes() const;
};
struct InformationInput {
  using Result = Information;
  Eigen::VectorXd frequencies;
  double context = 1;
  bool operator==(const InformationInput& other) const;
  double cost() const;
  std::shared_ptr<const Information> compute(int threads, const std::stop_token& stop) const;
};

/// The presets with one text axis and a trained length, those with equal values joined.
struct ModelPoint {
  struct Name {
    std::string preset, profile;  ///< no profile: the first of the preset
  };
  int rotary_dim = 0;
  double base = 0, trained_length = 0;
  std::vector<Name> names;
};
struct ModelPoints {
  std::vector<ModelPoint> points;
  std::size_t bytes() const { return points.size() * sizeof(ModelPoint); }
};
struct ModelPointsInput {
  using Result = ModelPoints;
  bool operator==(const ModelPointsInput&) const = default;
  double cost() const;
  /// Gives no points where the presets cannot be read: the curve is worth showing without them.
  std::shared_ptr<const ModelPoints> compute(int threads, const std::stop_token& stop) const;
};

// --- Curve ---------------------------------------------------------------------------------------------------------

/// The curve of largest contexts over bases, as far as it has been computed.
struct LimitCurve {
  std::vector<LimitPoint> points;  ///< by ascending base; empty where nothing is there yet
  int chunks = 0, finished = 0;    ///< of the shown range
  bool complete() const { return finished == chunks; }
};

struct LimitCurveRequest {
  std::string slot;  ///< whose curve it is: chunks of an earlier dimension stand in meanwhile
  int rotary_dim = 128;
  Range shown, fit;  ///< of the base axis, both above 1
  std::int64_t farthest = 1;
};

/// About 4 096 … 8 192 bases of the shown range, chunk by chunk from the store: where the plot is zoomed in, bases
/// stand closer, and until they are there those of the whole axis are shown.
LimitCurve limit_curve_of(const LimitCurveRequest& request, Store& store);

/// Adds more points, by ascending base, among those of the curve.
void add_points(LimitCurve& curve, const std::vector<LimitPoint>& points);
/// The curve as a line.
std::shared_ptr<const Series> series_of(const LimitCurve& curve);

/// Stretches of bases that allow the context, as far as the points show them: each reaches half way to its neighbours.
std::vector<Range> admissible_windows(const std::vector<LimitPoint>& points, double context);

// --- View ----------------------------------------------------------------------------------------------------------

/// One of three pictures: the largest context over the base of the plain ladder, with the bases
/// that allow the context looked at and real models as points; what each pair does over that context (turns, variance
/// of cos and sin); the similarity of all pairs against that of the pairs which finish a turn in it.
extern const View kLimitsView;

}  // namespace ropescope
