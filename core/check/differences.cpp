#include <algorithm>
#include <cmath>
#include <mutex>

#include "core/check/pieces.h"
#include "core/check/report.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// What maps and profiles are made from: the tensors with a model whose shape is theirs.
struct Subject {
  CheckTensors tensors;
  CheckModel model;
};

Subject subject_of(const CheckReference& given, const CheckInputs& inputs, const CheckModel* model) {
  const CheckReference reference = modelled(given, inputs);
  Subject subject{take_tensors(reference, inputs), {}};
  subject.model =
      model != nullptr ? *model : model_of(reference, inputs, std::max<std::int64_t>(subject.tensors.rows, 1));
  const bool told = subject.tensors.tables.repeats != Repeats::once && subject.tensors.tables.told;
  if (told) {
    subject.tensors.tables = repeated_as(
        subject.tensors.tables, subject.model.repeats == Pairing::interleaved ? Repeats::adjacent : Repeats::by_halves);
  }
  subject.tensors.rows = std::min(subject.tensors.rows, subject.model.row_count);
  return subject;
}

const char* kind_of(const CheckTensors& tensors) {
  if (!tensors.tables.planes.empty()) return tensors.tables.planes[0].which == "table" ? "table" : "cos and sin";
  return tensors.heads ? "after" : "ids";
}

/// Differences of one row after another into cells of a map.
class RowDifferences {
 public:
  explicit RowDifferences(const Subject& subject)
      : subject_(subject), expected_(subject.model), evaluator_(subject.model) {
    const auto pairs = static_cast<std::size_t>(subject.model.tokens.pair_count());
    cosine_.resize(pairs), sine_.resize(pairs), size_.resize(pairs);
    const CheckTensors& tensors = subject.tensors;
    if (!tensors.tables.planes.empty()) {
      columns_ = std::min<std::int64_t>(tensors.tables.pairs, static_cast<std::int64_t>(pairs));
      stored_.resize(static_cast<std::size_t>(tensors.tables.pairs));
    } else if (tensors.heads) {
      columns_ = static_cast<std::int64_t>(pairs);
      before_.resize(static_cast<std::size_t>(tensors.heads->heads * tensors.heads->channels));
      after_ = before_;
    } else if (tensors.ids) {
      columns_ = tensors.ids->shape[1];
      stored_.resize(static_cast<std::size_t>(columns_));
    }
  }
  std::int64_t columns() const { return columns_; }

  /// Largest |difference| and its tolerance for each column.
  void row(std::int64_t row, float* values, float* tolerance) {
    std::fill_n(values, columns_, 0.0F);
    std::fill_n(tolerance, columns_, 0.0F);
    const CheckTensors& tensors = subject_.tensors;
    if (!tensors.tables.planes.empty()) {
      tables(row, values, tolerance);
    } else if (tensors.heads) {
      heads(row, values, tolerance);
    } else if (tensors.ids) {
      ids(row, values, tolerance);
    }
  }

 private:
  static void keep(float* values, float* tolerance, std::int64_t at, double difference, double allowed) {
    if (static_cast<float>(difference) >= values[at]) {
      values[at] = static_cast<float>(difference);
      tolerance[at] = static_cast<float>(allowed);
    }
  }
  void tables(std::int64_t row, float* values, float* tolerance) {
    expected_.rows(row, 1, cosine_.data(), sine_.data(), size_.data());
    for (const TablePlane& plane : subject_.tensors.tables.planes) {
      read_rows(plane.numbers, row, 1, stored_.data());
      const StorageUnit unit = loose_unit_of(plane.numbers);
      const double sign = plane.holds == Holds::minus_sine ? -1 : 1;
      for (std::int64_t pair = 0; pair < columns_; ++pair) {
        const auto p = static_cast<std::size_t>(pair);
        const double expected = sign * (plane.holds == Holds::cosine ? cosine_[p] : sine_[p]);
        const double allowed = unit.at(expected) + kAngleError * std::abs(subject_.model.amplitude) * size_[p];
        keep(values, tolerance, pair, std::abs(stored_[p] - expected), allowed);
      }
    }
  }
  void heads(std::int64_t row, float* values, float* tolerance) {
    const HeadVectors& heads = *subject_.tensors.heads;
    expected_.rows(row, 1, cosine_.data(), sine_.data(), size_.data());
    read_rows(heads.before, row, 1, before_.data());
    read_rows(heads.after, row, 1, after_.data());
    const RotationRule rule = rotation_rule(subject_.model, heads.before, heads.after);
    for (std::int64_t head = 0; head < heads.heads; ++head) {
      const double* before = before_.data() + head * heads.channels;
      const double* after = after_.data() + head * heads.channels;
      for (std::int64_t channel = 0; channel < 2 * columns_; ++channel) {
        const ChannelRole role = role_of(subject_.model, channel, columns_);
        const auto p = static_cast<std::size_t>(role.pair);
        const double x = before[channel], y = before[role.companion];
        const double expected = x * cosine_[p] + role.sign * y * sine_[p];
        const double allowed =
            rule.unit.at(expected) + (std::abs(x) + std::abs(y)) * (rule.arithmetic + rule.angle_error * size_[p]);
        keep(values, tolerance, role.pair, std::abs(after[channel] - expected), allowed);
      }
    }
  }
  void ids(std::int64_t row, float* values, float* tolerance) {
    std::vector<double> expected(static_cast<std::size_t>(columns_));
    evaluator_.ids(row, expected.data());
    read_rows(*subject_.tensors.ids, row, 1, stored_.data());
    const StorageUnit unit = unit_of(*subject_.tensors.ids);
    for (std::int64_t axis = 0; axis < columns_; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      keep(values, tolerance, axis, std::abs(stored_[a] - expected[a]), id_tolerance(unit, expected[a]));
    }
  }

  const Subject& subject_;
  ExpectedRows expected_;
  RowEvaluator evaluator_;
  std::vector<double> cosine_, sine_, size_, stored_, before_, after_;
  std::int64_t columns_ = 0;
};

}  // namespace

CheckDifferences check_differences(const CheckReference& reference, const CheckInputs& inputs, const CheckModel* model,
                                   std::int64_t first, std::int64_t count) {
  const Subject subject = subject_of(reference, inputs, model);
  CheckDifferences differences;
  differences.which = kind_of(subject.tensors);
  differences.first = std::clamp<std::int64_t>(first, 0, subject.tensors.rows);
  differences.rows = std::clamp<std::int64_t>(count, 0, subject.tensors.rows - differences.first);
  RowDifferences rows(subject);
  differences.columns = rows.columns();
  differences.values.resize(static_cast<std::size_t>(differences.rows * differences.columns));
  differences.tolerance.resize(differences.values.size());
  for (std::int64_t i = 0; i < differences.rows; ++i) {
    const std::int64_t at = i * differences.columns;
    rows.row(differences.first + i, differences.values.data() + at, differences.tolerance.data() + at);
  }
  return differences;
}

CheckProfile check_profile(const CheckReference& reference, const CheckInputs& inputs, const CheckModel* model,
                           std::int64_t points, const CheckOptions& options) {
  const Subject subject = subject_of(reference, inputs, model);
  const std::int64_t rows = subject.tensors.rows;
  const std::int64_t groups = std::clamp<std::int64_t>(points, 1, std::max<std::int64_t>(rows, 1));
  CheckProfile profile;
  if (rows == 0) return profile;
  const auto group_of = [&](std::int64_t row) { return static_cast<std::size_t>(row * groups / rows); };
  profile.largest.resize(static_cast<std::size_t>(groups), 0);
  std::mutex joining;
  const bool done = share_rows(rows, options, [&](const TakePiece& take) {
    RowDifferences differences(subject);
    std::vector<float> values(static_cast<std::size_t>(differences.columns())), tolerance(values);
    std::vector<double> largest(profile.largest.size(), 0);
    while (const auto piece = take()) {
      for (std::int64_t row = piece->first; row < piece->first + piece->count; ++row) {
        differences.row(row, values.data(), tolerance.data());
        double& of_group = largest[group_of(row)];
        for (const float value : values) of_group = std::max(of_group, static_cast<double>(value));
      }
    }
    const std::lock_guard lock(joining);
    for (std::size_t i = 0; i < largest.size(); ++i) profile.largest[i] = std::max(profile.largest[i], largest[i]);
  });
  if (!done) return {};
  const RowEvaluator evaluator(subject.model);
  std::vector<double> ids(static_cast<std::size_t>(evaluator.axes()));
  for (std::int64_t group = 0; group < groups; ++group) {
    const std::int64_t row = (group * rows + groups - 1) / groups;
    profile.first_row.push_back(row);
    evaluator.ids(row, ids.data());
    double position = 0;
    for (const double id : ids) position = std::max(position, std::abs(id));
    profile.position.push_back(position);
  }
  return profile;
}

}  // namespace ropescope
