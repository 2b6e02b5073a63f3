#include <algorithm>

#include "core/check/compare/pieces.h"
#include "core/check/report/report.h"

namespace ropescope {

namespace {

/// Which pairs something holds for.
using PairSet = std::vector<char>;

void add_to(PairSet& all, const PairSet& some) {
  for (std::size_t pair = 0; pair < all.size(); ++pair) all[pair] = all[pair] || some[pair];
}

bool is_in(const PairSet& all, const PairSet& some) {
  for (std::size_t pair = 0; pair < all.size(); ++pair) {
    if (some[pair] && !all[pair]) return false;
  }
  return true;
}

/// Pairs that are turned at some row, those of them whose vectors have a length there, and rows where there are such.
struct Shown {
  explicit Shown(std::size_t pairs) : turned(pairs), shown(pairs) {}
  PairSet turned, shown;
  std::int64_t rows = 0;

  void join(const Shown& other) {
    add_to(turned, other.turned);
    add_to(shown, other.shown);
    rows += other.rows;
  }
};

/// Looks at rows one after the other; one for each thread.
class Looker {
 public:
  Looker(const CheckModel& model, const CheckTensors& tensors, const RowEvaluator& evaluator)
      : model_(model),
        tensors_(tensors),
        evaluator_(evaluator),
        cosine_(static_cast<std::size_t>(evaluator.pairs())),
        sine_(cosine_),
        size_(cosine_),
        turned_(cosine_.size()) {
    if (tensors.heads) before_.resize(static_cast<std::size_t>(tensors.heads->heads * tensors.heads->channels));
  }

  Shown look(const RowPiece& piece) {
    Shown found(turned_.size());
    for (std::int64_t row = piece.first; row < piece.first + piece.count; ++row) {
      read_turned(row);
      if (std::find(turned_.begin(), turned_.end(), 1) == turned_.end()) continue;
      add_to(found.turned, turned_);
      if (!tensors_.tables.planes.empty()) {
        add_to(found.shown, turned_);
        ++found.rows;
      } else if (tensors_.heads && add_lengths(row, found.shown)) {
        ++found.rows;
      }
    }
    return found;
  }

 private:
  void read_turned(std::int64_t row) {
    const bool given = model_.given_tables != nullptr;
    if (given) {
      // Nothing is known of the angles of given tables: sin 0 = 0.
      evaluator_.row(row, cosine_.data(), sine_.data(), size_.data());
    } else {
      evaluator_.sizes(row, 1, size_.data());
    }
    const std::vector<double>& numbers = given ? sine_ : size_;
    for (std::size_t pair = 0; pair < turned_.size(); ++pair) turned_[pair] = numbers[pair] != 0;
  }

  /// Whether the row holds a vector with a length in a pair that is turned; puts these pairs to `shown`.
  bool add_lengths(std::int64_t row, PairSet& shown) {
    const HeadVectors& heads = *tensors_.heads;
    const auto pairs = static_cast<Eigen::Index>(turned_.size());
    read_rows(heads.before, row, 1, before_.data());
    const bool all_known = is_in(shown, turned_);
    bool any = false;
    for (std::int64_t head = 0; head < heads.heads; ++head) {
      const double* of_head = before_.data() + head * heads.channels;
      for (Eigen::Index channel = 0; channel < 2 * pairs; ++channel) {
        if (of_head[channel] == 0) continue;
        const ChannelRole role = role_of(model_, channel, pairs);
        for (const Eigen::Index pair : {role.pair, role_of(model_, role.companion, pairs).pair}) {
          if (!turned_[static_cast<std::size_t>(pair)]) continue;
          shown[static_cast<std::size_t>(pair)] = any = true;
        }
        if (any && all_known) return true;
      }
    }
    return any;
  }

  const CheckModel& model_;
  const CheckTensors& tensors_;
  const RowEvaluator& evaluator_;
  std::vector<double> cosine_, sine_, size_, before_;
  PairSet turned_;
};

/// Rows whose ids say something. In a layout a 0 is a rule like any other (FLUX.1 puts all its text there); of a rope
/// it is what a buffer holds that nobody filled.
std::int64_t telling_ids(const CheckModel& model, const RowEvaluator& evaluator, std::int64_t rows) {
  if (!model.rope) return rows;
  std::vector<double> ids(static_cast<std::size_t>(evaluator.axes()));
  std::int64_t telling = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    evaluator.ids(row, ids.data());
    telling += std::any_of(ids.begin(), ids.end(), [](double id) { return id != 0; }) ? 1 : 0;
  }
  return telling;
}

std::int64_t count_of(const PairSet& pairs) {
  return std::count(pairs.begin(), pairs.end(), 1);
}

}  // namespace

CheckEvidence shown_by(const CheckModel& model, const CheckTensors& tensors, const CheckOptions& options) {
  const RowEvaluator evaluator(model);
  const std::int64_t rows = std::min(tensors.rows, model.row_count);
  Shown all(static_cast<std::size_t>(evaluator.pairs()));
  CheckEvidence evidence;
  if (!tensors.tables.planes.empty() || tensors.heads) {
    share_rows(rows, options, [&]() -> WorkPiece {
      return [&all, looker = Looker(model, tensors, evaluator)](const RowPiece& piece) mutable -> JoinPiece {
        return [&all, found = looker.look(piece)] { all.join(found); };
      };
    });
    for (std::size_t pair = 0; tensors.heads && pair < all.turned.size(); ++pair) {
      if (all.turned[pair] && !all.shown[pair]) evidence.lengthless.push_back(static_cast<std::int64_t>(pair));
    }
  }
  evidence.tokens = all.rows;
  if (tensors.ids) evidence.tokens = std::max(evidence.tokens, telling_ids(model, evaluator, rows));
  evidence.pairs = tensors.frequencies ? static_cast<std::int64_t>(evaluator.pairs()) : count_of(all.shown);
  return evidence;
}

}  // namespace ropescope
