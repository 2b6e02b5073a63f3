// The similarity kernel: tiles, threads, direct evaluation, and content. Read kernel.h first.
//
// Contents: Kernel; By the definition; With real content.

#include "core/decay/kernel.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <numeric>
#include <string>
#include <string_view>

#include "core/decay/kernel_path.h"
#include "core/machine.h"
#include "core/message.h"
#include "core/parallel.h"
#include "core/rotary/rotary_tables.h"

namespace ropescope {

// --- Kernel --------------------------------------------------------------------------------------------------------

// Angle addition in three steps: e^{iΔθ} = e^{i·tile·θ} · e^{i·block·θ} · e^{itθ}. Only the first factor needs a sine
// and a cosine per tile of 2 048 distances and pair; the other two come from tables computed once. Each factor is
// accurate to one unit in the last place, so errors do not grow with the distance, as in repeated rotation. Tiles start
// at multiples of 2 048 in distance. The result at a distance is therefore independent of the requested range, and
// distance 0 is exact.

namespace {

constexpr std::int64_t kTileBlocks = 64;
constexpr std::int64_t kTileDistances = kTileBlocks * kBlockDistances;
/// Distances × pairs below which a second thread costs more than it saves.
constexpr double kMinKernelWorkPerThread = 2e5;
constexpr std::int64_t kLargestDistance = std::int64_t{1} << 52;

/// One complex number per pair, with real and imaginary parts in separate arrays for vector instructions.
struct PairPhasors {
  std::vector<double> cosine, sine;
  explicit PairPhasors(std::size_t size) : cosine(size), sine(size) {}
  void set(std::size_t at, Phasor value) { cosine[at] = value.cosine, sine[at] = value.sine; }
};

/// product[i] = a[a_begin + i]·b[i]
void multiply_pairs(const PairPhasors& a, std::size_t a_begin, const PairPhasors& b, PairPhasors& product) {
  const std::size_t count = b.cosine.size();
  const double *a_cosine = a.cosine.data() + a_begin, *a_sine = a.sine.data() + a_begin;
  const double *b_cosine = b.cosine.data(), *b_sine = b.sine.data();
  double *cosine = product.cosine.data(), *sine = product.sine.data();
  for (std::size_t i = 0; i < count; ++i) {
    cosine[i] = a_cosine[i] * b_cosine[i] - a_sine[i] * b_sine[i];
    sine[i] = a_cosine[i] * b_sine[i] + a_sine[i] * b_cosine[i];
  }
}

/// Read-only data shared by all threads.
struct Plan {
  const KernelPath& path;
  std::vector<double> frequencies;  ///< in the order of the partial sums
  PairPhasors fine;                 ///< [pair][t]: e^{itθ}
  PairPhasors blocks;               ///< [block][pair]: e^{i·32·block·θ}
  PairPhasors weights;              ///< [pair]: the content, empty if aligned
  double total;                     ///< Σ a_i
  std::int64_t first, count;
  bool want_bound;

  Plan(const KernelPath& chosen, const KernelRequest& request)
      : path(chosen),
        frequencies(request.frequencies.begin(), request.frequencies.end()),
        fine(frequencies.size() * kBlockDistances),
        blocks(frequencies.size() * kTileBlocks),
        weights(request.content == Content{} ? 0 : frequencies.size()),
        total(content_total(request.content, request.frequencies.size())),
        first(request.first),
        count(request.count),
        want_bound(request.want_bound) {
    for (std::size_t pair = 0; pair < weights.cosine.size(); ++pair) {
      weights.set(pair, content_weight(request.content, static_cast<Eigen::Index>(pair)));
    }
    if (request.order == PairOrder::slow_first) {
      std::reverse(frequencies.begin(), frequencies.end());
      std::reverse(weights.cosine.begin(), weights.cosine.end());
      std::reverse(weights.sine.begin(), weights.sine.end());
    }
  }

  std::size_t pair_count() const { return frequencies.size(); }
  bool aligned() const { return weights.cosine.empty(); }
};

void fill_tables(Plan& plan, const std::stop_token& stop) {
  std::array<double, kBlockDistances> steps{};
  std::iota(steps.begin(), steps.end(), 0.0);
  for (std::size_t pair = 0; pair < plan.pair_count() && !stop.stop_requested(); ++pair) {
    const std::size_t at = pair * kBlockDistances;
    write_phasors(steps, plan.frequencies[pair], plan.fine.cosine.data() + at, plan.fine.sine.data() + at);
  }
  for (std::size_t block = 0; block < kTileBlocks && !stop.stop_requested(); ++block) {
    const std::size_t at = block * plan.pair_count();
    write_phasors(plan.frequencies, static_cast<double>(block * kBlockDistances), plan.blocks.cosine.data() + at,
                  plan.blocks.sine.data() + at);
  }
}

/// Working memory of one thread.
struct Scratch {
  PairPhasors tile, turn, weighted;
  std::array<double, kBlockDistances> score{}, magnitudes{}, unused{};
  explicit Scratch(std::size_t pair_count) : tile(pair_count), turn(pair_count), weighted(pair_count) {}
};

KernelBlock block_at(const Plan& plan, const PairPhasors& turn, double* score, double* magnitudes) {
  return {static_cast<int>(plan.pair_count()),
          plan.fine.cosine.data(),
          plan.fine.sine.data(),
          turn.cosine.data(),
          turn.sine.data(),
          score,
          magnitudes};
}

void compute_block(const Plan& plan, std::size_t block, Scratch& scratch) {
  multiply_pairs(plan.blocks, block * plan.pair_count(), scratch.tile, scratch.turn);
  if (!plan.aligned()) multiply_pairs(scratch.turn, 0, plan.weights, scratch.weighted);
  if (plan.want_bound) {
    double* score = plan.aligned() ? scratch.score.data() : scratch.unused.data();
    plan.path.score_and_bound(block_at(plan, scratch.turn, score, scratch.magnitudes.data()));
  }
  if (!plan.aligned() || !plan.want_bound) {
    const PairPhasors& turn = plan.aligned() ? scratch.turn : scratch.weighted;
    plan.path.score(block_at(plan, turn, scratch.score.data(), nullptr));
  }
}

/// Returns the tile of a distance. Rounds towards −∞, unlike `/` with negative distances.
std::int64_t tile_of(std::int64_t distance) {
  return distance / kTileDistances - (distance % kTileDistances < 0 ? 1 : 0);
}

void compute_tile(const Plan& plan, std::int64_t tile, Scratch& scratch, KernelCurves& curves,
                  const std::stop_token& stop) {
  const std::int64_t tile_begin = tile * kTileDistances;
  write_phasors(plan.frequencies, static_cast<double>(tile_begin), scratch.tile.cosine.data(),
                scratch.tile.sine.data());
  const std::int64_t begin = std::max(plan.first, tile_begin);
  const std::int64_t end = std::min(plan.first + plan.count, tile_begin + kTileDistances);
  const double pair_count = static_cast<double>(plan.pair_count());
  std::int64_t block = (begin - tile_begin) / kBlockDistances;
  for (; tile_begin + block * kBlockDistances < end && !stop.stop_requested(); ++block) {
    compute_block(plan, static_cast<std::size_t>(block), scratch);
    const std::int64_t block_begin = tile_begin + block * kBlockDistances;
    const std::int64_t block_end = std::min(end, block_begin + kBlockDistances);
    for (std::int64_t distance = std::max(begin, block_begin); distance < block_end; ++distance) {
      const auto from = static_cast<std::size_t>(distance - block_begin);
      const auto to = static_cast<std::size_t>(distance - plan.first);
      curves.similarity[to] = scratch.score[from] / plan.total;
      if (plan.want_bound) curves.bound[to] = scratch.magnitudes[from] / pair_count;
    }
  }
}

/// Resizes `values` to `count` in steps: filling a hundred megabytes at once would delay cancellation too long.
void make_room(std::vector<double>& values, std::int64_t count, const std::stop_token& stop) {
  constexpr std::int64_t kStep = 1 << 18;
  values.reserve(static_cast<std::size_t>(count));
  for (std::int64_t size = 0; size < count && !stop.stop_requested();) {
    size = std::min(count, size + kStep);
    values.resize(static_cast<std::size_t>(size));
  }
}

int thread_count_of(const KernelRequest& request, std::int64_t tile_count) {
  std::int64_t wanted = worker_count(request.threads);
  const double work = static_cast<double>(request.count) * static_cast<double>(request.frequencies.size());
  if (work < kMinKernelWorkPerThread) wanted = 1;
  return static_cast<int>(std::clamp<std::int64_t>(wanted, 1, tile_count));
}

KernelCurves run_kernel(const KernelPath& path, const KernelRequest& request, const std::stop_token& stop) {
  require_pairs_and_content(request.frequencies, request.content);
  if (request.count < 0) {
    throw InputError("decay.count", {{"count", request.count}});
  }
  if (std::abs(request.first) > kLargestDistance || request.count > kLargestDistance) {
    throw InputError("decay.distances", {{"first", request.first}, {"count", request.count}});
  }
  if (request.count == 0 || stop.stop_requested()) return {};
  Plan plan(path, request);
  fill_tables(plan, stop);
  KernelCurves curves;
  make_room(curves.similarity, request.count, stop);
  if (request.want_bound) make_room(curves.bound, request.count, stop);
  if (stop.stop_requested()) return {};

  const std::int64_t tile_end = tile_of(request.first + request.count - 1) + 1;
  std::atomic<std::int64_t> next_tile = tile_of(request.first);
  const int thread_count = thread_count_of(request, tile_end - next_tile);
  // All memory is allocated before the threads start, so no thread can fail.
  std::vector<Scratch> scratch(static_cast<std::size_t>(thread_count), Scratch(plan.pair_count()));
  std::atomic<std::size_t> next_scratch = 0;
  run_on_threads(thread_count, [&] {
    Scratch& own = scratch[next_scratch++];
    for (std::int64_t tile = next_tile++; tile < tile_end && !stop.stop_requested(); tile = next_tile++) {
      compute_tile(plan, tile, own, curves, stop);
    }
  });
  if (stop.stop_requested()) return {};
  return curves;
}

/// Returns the code paths that this build has and this machine supports, fastest first.
std::vector<const KernelPath*> usable_kernels() {
  std::vector<const KernelPath*> paths;
  if (kAvx512Path.score && has_avx512()) paths.push_back(&kAvx512Path);
  if (kAvx2Path.score && has_avx2()) paths.push_back(&kAvx2Path);
  paths.push_back(&kPortablePath);
  return paths;
}

// --- By the definition ---------------------------------------------------------------------------------------------

/// Below this value ε² is below the resolution of a double next to 1; angles above 1e8 radians leave a larger ε.
constexpr double kLinearRest = 1e-8;

// --- With real content ---------------------------------------------------------------------------------------------

bool same(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  return a.size() == b.size() && (a.array() == b.array()).all();
}

void require_size(const char* key, Eigen::Index found, Eigen::Index pair_count) {
  if (found != 0 && found != pair_count) throw InputError(key, {{"found", found}, {"pairs", pair_count}});
}

Content content_of_products(const Eigen::VectorXcd& products) {
  Content content{Eigen::VectorXd(products.size()), Eigen::VectorXd(products.size())};
  for (Eigen::Index pair = 0; pair < products.size(); ++pair) {
    content.amplitudes[pair] = std::abs(products[pair]);
    content.phases_radians[pair] = std::arg(products[pair]);
  }
  return content;
}

}  // namespace

const KernelPath& best_kernel_path() {
  return *usable_kernels().front();
}

KernelCurves kernel_curves(const KernelRequest& request, std::stop_token stop) {
  return run_kernel(best_kernel_path(), request, stop);
}

const char* kernel_path() {
  return best_kernel_path().name;
}

KernelCurves kernel_curves_on(const char* path, const KernelRequest& request) {
  for (const KernelPath* usable : usable_kernels()) {
    if (std::string_view(usable->name) == path) return run_kernel(*usable, request, {});
  }
  throw InputError("machine.path", {{"path", path}, {"usable", kernel_path()}});
}

Phasor phasor(double frequency, double distance) {
  const double angle = frequency * distance;
  const double rest = std::fma(frequency, distance, -angle);
  const double cosine = std::cos(angle), sine = std::sin(angle);
  if (std::abs(rest) < kLinearRest) return {cosine - rest * sine, sine + rest * cosine};
  const double rest_cosine = std::cos(rest), rest_sine = std::sin(rest);
  return {cosine * rest_cosine - sine * rest_sine, sine * rest_cosine + cosine * rest_sine};
}

double similarity(const Eigen::VectorXd& frequencies, double distance, const Content& content) {
  require_pairs_and_content(frequencies, content);
  double sum = 0;
  for (Eigen::Index pair = 0; pair < frequencies.size(); ++pair) {
    const Phasor turn = phasor(frequencies[pair], distance);
    const Phasor weight = content_weight(content, pair);
    sum += weight.cosine * turn.cosine - weight.sine * turn.sine;
  }
  return sum / content_total(content, frequencies.size());
}

double abel_bound(const Eigen::VectorXd& frequencies, double distance, PairOrder order) {
  require_pairs_and_content(frequencies, {});
  const Eigen::Index pair_count = frequencies.size();
  double real = 0, imaginary = 0, magnitudes = 0;
  for (Eigen::Index step = 0; step < pair_count; ++step) {
    const Eigen::Index pair = order == PairOrder::fast_first ? step : pair_count - 1 - step;
    const Phasor turn = phasor(frequencies[pair], distance);
    real += turn.cosine;
    imaginary += turn.sine;
    magnitudes += std::sqrt(real * real + imaginary * imaginary);
  }
  return magnitudes / static_cast<double>(pair_count);
}

bool Content::operator==(const Content& other) const {
  return same(amplitudes, other.amplitudes) && same(phases_radians, other.phases_radians);
}

bool KernelRequest::operator==(const KernelRequest& other) const {
  return same(frequencies, other.frequencies) && content == other.content && order == other.order &&
         first == other.first && count == other.count && want_bound == other.want_bound && threads == other.threads;
}

Content random_content(int pair_count, std::uint64_t seed) {
  SplitMix generator{seed};
  Eigen::VectorXcd products(pair_count);
  for (Eigen::Index pair = 0; pair < products.size(); ++pair) {
    const std::complex<double> q = normal_pair(generator);
    const std::complex<double> k = normal_pair(generator);
    products[pair] = q * std::conj(k);
  }
  return content_of_products(products);
}

double bound_factor(const Content& content, Eigen::Index pair_count, PairOrder order) {
  require_pairs_and_content(Eigen::VectorXd::Ones(pair_count), content);
  double largest = 0;
  std::complex<double> next = 0;
  for (Eigen::Index i = 0; i < pair_count; ++i) {
    // From the end of the order, after which the weight is 0.
    const Phasor weight = content_weight(content, order == PairOrder::fast_first ? pair_count - 1 - i : i);
    const std::complex<double> here(weight.cosine, weight.sine);
    largest = std::max(largest, std::abs(next - here));
    next = here;
  }
  return static_cast<double>(pair_count) * largest / content_total(content, pair_count);
}

void require_pairs_and_content(const Eigen::VectorXd& frequencies, const Content& content) {
  if (frequencies.size() == 0) throw InputError("decay.no_frequencies", {});
  require_size("decay.amplitudes", content.amplitudes.size(), frequencies.size());
  require_size("decay.phases", content.phases_radians.size(), frequencies.size());
  const double total = content_total(content, frequencies.size());
  if (!std::isfinite(total) || total <= 0) {
    throw InputError("decay.total", {{"total", total}});
  }
}

double content_total(const Content& content, Eigen::Index pair_count) {
  if (content.amplitudes.size() == 0) return static_cast<double>(pair_count);
  double total = 0;
  for (const double amplitude : content.amplitudes) total += amplitude;
  return total;
}

Phasor content_weight(const Content& content, Eigen::Index pair) {
  const double amplitude = content.amplitudes.size() == 0 ? 1 : content.amplitudes[pair];
  if (content.phases_radians.size() == 0) return {amplitude, 0};
  return {amplitude * std::cos(content.phases_radians[pair]), amplitude * std::sin(content.phases_radians[pair])};
}

}  // namespace ropescope
