#include <atomic>
#include <string>

#include "core/decay/share_work.h"
#include "core/encodings/evaluate.h"
#include "core/encodings/parts.h"
#include "core/error.h"

namespace ropescope {

namespace {

constexpr std::int64_t kEncodingsModelFarthest = std::int64_t{1} << 50;
/// Distances that a thread takes at a time.
constexpr std::int64_t kEncodingsModelShare = 64;

void require_content(const EncodingModel& model, std::string_view what, const Eigen::VectorXd& vector) {
  if (vector.size() == model.settings().dim) return;
  throw InputError(model.encoding().name, "encodings.channels",
                   {{"what", what}, {"found", vector.size()}, {"dim", model.settings().dim}});
}

void require_position(const EncodingModel& model, std::int64_t position) {
  if (position < -kEncodingsModelFarthest || position > kEncodingsModelFarthest) {
    throw InputError(model.encoding().name, "encodings.position", {{"position", position}});
  }
  if (model.plan().check_position) model.plan().check_position(position);
}

}  // namespace

EncodingModel::EncodingModel(const Encoding& encoding, const EncodingSettings& settings, ScorePlan plan)
    : encoding_(encoding), settings_(settings), plan_(std::make_shared<const ScorePlan>(std::move(plan))) {
  for (const PlanTerm& term : plan_->terms) term_names_.push_back(term.name);
}

EncodingModel::~EncodingModel() = default;

double EncodingModel::scale() const {
  return plan_->scale;
}

std::vector<ScoreTerm> EncodingModel::terms(const Eigen::VectorXd& q, const Eigen::VectorXd& k, std::int64_t m,
                                            std::int64_t n) const {
  require_content(*this, "q", q);
  require_content(*this, "k", k);
  require_position(*this, m);
  require_position(*this, n);
  std::vector<double> values(term_names_.size());
  PairScores(*plan_, q, k).terms(m, n, values);
  std::vector<ScoreTerm> terms;
  for (std::size_t index = 0; index < values.size(); ++index) terms.push_back({term_names_[index], values[index]});
  return terms;
}

double EncodingModel::score(const Eigen::VectorXd& q, const Eigen::VectorXd& k, std::int64_t m, std::int64_t n) const {
  double sum = 0;
  for (const ScoreTerm& term : terms(q, k, m, n)) sum += term.value;
  return sum;
}

ScoresByDistance EncodingModel::score_by_distance(const Eigen::VectorXd& q, const Eigen::VectorXd& k,
                                                  std::span<const std::int64_t> distances, std::int64_t query_position,
                                                  int threads, std::stop_token stop) const {
  require_content(*this, "q", q);
  require_content(*this, "k", k);
  const auto count = static_cast<std::int64_t>(distances.size());
  const std::size_t term_count = term_names_.size();
  ScoresByDistance scores{TokenMatrix(count, static_cast<Eigen::Index>(term_count)), Eigen::VectorXd(count)};
  std::atomic<std::int64_t> next = 0;
  share_work(threads, [&] {
    PairScores pair(*plan_, q, k);
    for (std::int64_t begin = next.fetch_add(kEncodingsModelShare); begin < count && !stop.stop_requested();
         begin = next.fetch_add(kEncodingsModelShare)) {
      for (std::int64_t row = begin; row < std::min(count, begin + kEncodingsModelShare); ++row) {
        const std::int64_t distance = distances[static_cast<std::size_t>(row)];
        pair.terms(query_position, query_position - distance, {scores.terms.row(row).data(), term_count});
      }
    }
  });
  if (stop.stop_requested()) return {};
  scores.total = scores.terms.rowwise().sum();
  return scores;
}

std::vector<EncodingTable> EncodingModel::tables() const {
  return plan_->tables ? plan_->tables() : std::vector<EncodingTable>{};
}

}  // namespace ropescope
