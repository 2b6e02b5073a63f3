#include "core/decay/limits_factor.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <numbers>
#include <numeric>
#include <thread>
#include <utility>

#include "core/decay/cosine_sums.h"
#include "core/decay/limits_answers.h"
#include "core/decay/share_work.h"
#include "core/decay/trend.h"
#include "core/error.h"

namespace ropescope {

namespace {

constexpr std::array<std::pair<ContextCriterion, std::string_view>, 4> kNames = {{
    {ContextCriterion::non_negative, "non-negative"},
    {ContextCriterion::level, "level"},
    {ContextCriterion::mean, "mean"},
    {ContextCriterion::seen, "seen"},
}};
constexpr int kDigitsOfFactor = 6;
/// An edge is found to this share of itself.
constexpr double kSameFactor = 1e-13;
/// Of an angle in training, for rounding.
constexpr double kSameAngle = 1e-12;

void require_question(const Eigen::VectorXd& frequencies, const ContextQuestion& question) {
  if (frequencies.size() == 0) throw InputError("decay.no_pair", {});
  if (question.context < 1) throw InputError("decay.context", {{"positions", question.context}});
  if (question.criterion == ContextCriterion::level && !(std::abs(question.level) <= 1)) {
    throw InputError("decay.level", {{"level", question.level}});
  }
  if (question.criterion != ContextCriterion::seen) return;
  if (!(question.trained_length >= 1) || !std::isfinite(question.trained_length)) {
    throw InputError("decay.trained_length", {{"length", question.trained_length}});
  }
  if (question.trained.size() != frequencies.size()) {
    throw InputError("decay.trained_pairs", {{"trained", question.trained.size()}, {"pairs", frequencies.size()}});
  }
}

bool all_seen(const Eigen::VectorXd& frequencies, const ContextQuestion& question) {
  for (Eigen::Index i = 0; i < frequencies.size(); ++i) {
    const double in_training = question.trained_length * question.trained[i];
    if (in_training >= 2 * std::numbers::pi) continue;
    if (static_cast<double>(question.context) * frequencies[i] > in_training * (1 + kSameAngle)) return false;
  }
  return true;
}

/// Asks one ladder after the other. Where the last one failed its neighbour does as a rule: that distance is looked at
/// first, and one sum says no where otherwise thousands would be bounded.
class Asker {
 public:
  explicit Asker(const ContextQuestion& question, std::stop_token stop) : question_(question), stop_(std::move(stop)) {}

  bool allows(const Eigen::VectorXd& frequencies) {
    if (question_.criterion == ContextCriterion::seen) return all_seen(frequencies, question_);
    if (question_.criterion == ContextCriterion::mean) return mean_allows(frequencies);
    sums_.set_frequencies({frequencies.data(), static_cast<std::size_t>(frequencies.size())});
    const bool by_sign = question_.criterion == ContextCriterion::non_negative;
    const double level = by_sign ? 0 : question_.level * static_cast<double>(frequencies.size());
    if (failed_ && sums_.at(*failed_) < level) return false;
    std::optional<std::int64_t> below;
    if (by_sign) {
      below = sums_.first_negative(1, question_.context, stop_);
    } else {
      sums_.visit_below(1, question_.context, level, stop_, [&below](std::int64_t distance, double) {
        below = distance;
        return false;
      });
    }
    if (below) failed_ = below;
    return !below;
  }

 private:
  bool mean_allows(const Eigen::VectorXd& frequencies) {
    const auto trend = trend_of(frequencies);
    if (!trend) return false;
    const auto below = trend_below_zero(*trend, static_cast<double>(question_.context));
    return !below;
  }

  const ContextQuestion& question_;
  std::stop_token stop_;
  CosineSums sums_;
  std::optional<std::int64_t> failed_;
};

double factor_at(std::int64_t k) {
  return nearest_decimal(std::pow(kFactorRatio, static_cast<double>(k)), kDigitsOfFactor);
}

using FactorLadder = std::function<Eigen::VectorXd(double factor)>;

/// What is asked, and of what.
struct FactorSearch {
  const FactorLadder& ladder;
  const ContextQuestion& question;
  int threads;
  std::stop_token stop;
};

/// The first k of 0 … count − 1 whose factor is allowed, or not (`wanted`); count where there is none. `factor` goes up
/// or down the grid.
std::int64_t first_of_limits_factor(const FactorSearch& search, std::int64_t count, bool wanted,
                                    const std::function<double(std::int64_t)>& factor,
                                    const std::function<void(std::int64_t)>& progress) {
  std::atomic<std::int64_t> next = 0, found = count;
  const std::thread::id caller = std::this_thread::get_id();
  share_work(search.threads, [&] {
    const bool tells = std::this_thread::get_id() == caller;
    Asker asker(search.question, search.stop);
    for (std::int64_t k = next++; k < found && !search.stop.stop_requested(); k = next++) {
      if (tells) progress(k);
      if (asker.allows(search.ladder(factor(k))) != wanted) continue;
      std::int64_t known = found;
      while (k < known && !found.compare_exchange_weak(known, k)) {
      }
    }
  });
  return found;
}

/// The factor to say where `failing` fails and `holding`, above it, does not; none where stopped.
std::optional<double> factor_of_edge(const FactorSearch& search, double failing, double holding) {
  Asker asker(search.question, search.stop);
  const auto holds = [&](double factor) { return asker.allows(search.ladder(factor)); };
  BaseWindow edge{failing, holding};
  for (double middle = std::midpoint(edge.low, holding); !search.stop.stop_requested();
       middle = std::midpoint(edge.low, edge.high)) {
    if (middle <= edge.low || middle >= edge.high || edge.high - edge.low < kSameFactor * edge.high) break;
    (holds(middle) ? edge.high : edge.low) = middle;
  }
  const auto rounded = rounded_base({edge.high, holding}, true, kDigitsOfFactor, holds);
  if (search.stop.stop_requested()) return std::nullopt;
  return rounded ? rounded->value : holding;
}

}  // namespace

std::string_view criterion_name(ContextCriterion criterion) {
  for (const auto& [each, name] : kNames) {
    if (each == criterion) return name;
  }
  return {};
}

std::optional<ContextCriterion> criterion_of(std::string_view name) {
  for (const auto& [criterion, each] : kNames) {
    if (each == name) return criterion;
  }
  return std::nullopt;
}

bool ladder_allows(const Eigen::VectorXd& frequencies, const ContextQuestion& question, std::stop_token stop) {
  require_question(frequencies, question);
  return Asker(question, std::move(stop)).allows(frequencies);
}

std::optional<AllowingFactors> allowing_factors(const FactorLadder& ladder, const ContextQuestion& question,
                                                int threads, std::stop_token stop,
                                                const std::function<void(double)>& progress) {
  require_question(ladder(1), question);
  const FactorSearch search{ladder, question, threads, stop};
  const auto count = static_cast<std::int64_t>(std::log(kLargestSearchedFactor) / std::log(kFactorRatio)) + 2;
  const auto factor_of = [count](std::int64_t k) { return k + 1 < count ? factor_at(k) : kLargestSearchedFactor; };
  const auto tell = [&](std::int64_t done) {
    if (progress) progress(static_cast<double>(done) / static_cast<double>(count));
  };
  const std::int64_t smallest = first_of_limits_factor(search, count, true, factor_of, tell);
  // From the largest down: the first that fails.
  const std::int64_t failing = first_of_limits_factor(
      search, count - smallest, false, [&](std::int64_t k) { return factor_of(count - 1 - k); },
      [&](std::int64_t k) { tell(smallest + k); });
  if (stop.stop_requested()) return std::nullopt;
  AllowingFactors factors;
  if (smallest == count) return factors;
  const auto say = [&](std::int64_t k) {
    return k == 0 ? std::optional(1.0) : factor_of_edge(search, factor_of(k - 1), factor_of(k));
  };
  factors.smallest = say(smallest);
  if (failing > 0) factors.robust = failing == count - smallest ? factors.smallest : say(count - failing);
  return stop.stop_requested() ? std::nullopt : std::optional(factors);
}

}  // namespace ropescope
