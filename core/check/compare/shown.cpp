#include <algorithm>
#include <cmath>

#include "core/check/compare/angle_errors.h"
#include "core/check/compare/pieces.h"
#include "core/check/compare/tolerances.h"
#include "core/check/report/report.h"

namespace ropescope {

namespace {

/// Which pairs, or planes, something holds for.
using Set = std::vector<char>;

void add_to(Set& all, const Set& some) {
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = all[i] || some[i];
}

/// What some rows show.
struct ShownShown {
  Set turned, lengths;  ///< pairs that are turned at some row, and those of them whose vectors have a length there
  Set shown;            ///< pairs that would differ by more than is tolerated if they were not turned
  Set planes;           ///< planes of tables in which they would
  bool heads = false;   ///< or vectors
  std::int64_t rows = 0;
  std::vector<IdRange> ids;  ///< of these rows, axis by axis

  ShownShown(std::size_t pairs, std::size_t plane_count, std::size_t axes)
      : turned(pairs), lengths(pairs), shown(pairs), planes(plane_count), ids(axes) {}

  void join(const ShownShown& other) {
    add_to(turned, other.turned);
    add_to(lengths, other.lengths);
    add_to(shown, other.shown);
    add_to(planes, other.planes);
    heads = heads || other.heads;
    rows += other.rows;
    for (std::size_t axis = 0; axis < ids.size(); ++axis) ids[axis].join(other.ids[axis]);
  }
};

/// What all threads look by.
struct Looks {
  const CheckModel& model;
  const CheckTensors& tensors;
  RowEvaluator evaluator;
  std::vector<StorageUnit> units;   ///< of planes
  std::vector<double> angle_error;  ///< of pairs, as they move cos and sin
  RotationRule rotation;
  /// Given tables: nothing is known of their angles, so that what turns is what turns against their first row. Of a
  /// single row empty: it turns against no angle at all.
  std::vector<double> first_cosine, first_sine;

  Looks(const CheckModel& of, const CheckTensors& about, std::int64_t rows)
      : model(of), tensors(about), evaluator(of), angle_error(angle_errors(of).of_pair) {
    for (double& error : angle_error) error = error * model.largest_amplitude() + kTableNoise;
    for (const TablePlane& plane : tensors.tables.planes) units.push_back(rule_of(plane, model).unit);
    if (tensors.heads) rotation = rotation_rule(model, tensors.heads->before, tensors.heads->after);
    if (!model.given_tables || rows < 2) return;
    const auto pairs = static_cast<std::size_t>(evaluator.pairs());
    std::vector<double> size(pairs);
    first_cosine.resize(pairs), first_sine.resize(pairs);
    evaluator.row(0, first_cosine.data(), first_sine.data(), size.data());
  }
};

/// Looks at rows one after the other; one for each thread.
class Looker {
 public:
  explicit Looker(const Looks& by)
      : by_(by),
        cosine_(static_cast<std::size_t>(by.evaluator.pairs())),
        sine_(cosine_),
        size_(cosine_),
        known_(cosine_.size()),
        ids_(static_cast<std::size_t>(by.evaluator.axes())) {
    const auto& heads = by.tensors.heads;
    if (!heads) return;
    before_.resize(static_cast<std::size_t>(heads->heads * heads->channels));
    unturned_.resize(before_.size());
  }

  ShownShown look(const RowPiece& piece) {
    ShownShown found(size_.size(), by_.units.size(), ids_.size());
    for (std::int64_t row = piece.first; row < piece.first + piece.count; ++row) {
      if (!read(row, found)) continue;
      const bool by_tables = tables_show(found), by_heads = by_.tensors.heads && heads_show(row, found);
      if (!by_tables && !by_heads) continue;
      ++found.rows;
      for (std::size_t axis = 0; axis < ids_.size(); ++axis) found.ids[axis].add(ids_[axis]);
    }
    return found;
  }

 private:
  /// Whether the row turns any pair.
  bool read(std::int64_t row, ShownShown& found) {
    const bool given = by_.model.given_tables != nullptr;
    if (given) {
      by_.evaluator.row(row, cosine_.data(), sine_.data(), size_.data());
    } else {
      by_.evaluator.ids(row, ids_.data());
      // The angles stand in the place of cosines until a pair is asked for: few are.
      by_.evaluator.angles(ids_.data(), cosine_.data(), size_.data());
    }
    std::fill(known_.begin(), known_.end(), given);
    bool any = false;
    for (std::size_t pair = 0; pair < size_.size(); ++pair) {
      const bool turned = given ? sine_[pair] != 0 : size_[pair] != 0;
      if (!turned) continue;
      any = true;
      found.turned[pair] = 1;
    }
    return any;
  }

  void know(std::size_t pair) {
    if (known_[pair]) return;
    known_[pair] = 1;
    const double angle = cosine_[pair], amplitude = by_.model.amplitude;
    cosine_[pair] = amplitude * by_.model.cosine_factor * std::cos(angle);
    sine_[pair] = (by_.model.conjugate ? -1 : 1) * amplitude * by_.model.sine_factor * std::sin(angle);
  }

  double unturned_cosine(std::size_t pair) const {
    if (!by_.first_cosine.empty()) return by_.first_cosine[pair];
    if (by_.model.given_tables) return std::hypot(cosine_[pair], sine_[pair]);
    return by_.model.amplitude * by_.model.cosine_factor;
  }
  double unturned_sine(std::size_t pair) const { return by_.first_sine.empty() ? 0 : by_.first_sine[pair]; }

  /// Whether a number of the plane would differ by more than is tolerated if the pair were not turned.
  bool plane_shows(std::size_t plane, std::size_t pair) const {
    const bool is_cosine = by_.tensors.tables.planes[plane].holds == Holds::cosine;
    const double expected = is_cosine ? cosine_[pair] : sine_[pair];
    const double unturned = is_cosine ? unturned_cosine(pair) : unturned_sine(pair);
    return std::abs(expected - unturned) > by_.units[plane].at(expected) + by_.angle_error[pair] * size_[pair];
  }

  /// Whether the tables show a pair at the row. What is known of others is not looked at again.
  bool tables_show(ShownShown& found) {
    const bool all_planes = std::find(found.planes.begin(), found.planes.end(), 0) == found.planes.end();
    bool any = false;
    for (std::size_t pair = 0; pair < size_.size() && !by_.units.empty(); ++pair) {
      if (size_[pair] == 0 || (any && all_planes && found.shown[pair])) continue;
      know(pair);
      for (std::size_t plane = 0; plane < by_.units.size(); ++plane) {
        if (!plane_shows(plane, pair)) continue;
        any = true;
        found.shown[pair] = found.planes[plane] = 1;
      }
    }
    return any;
  }

  /// Whether the vectors show a pair at the row.
  bool heads_show(std::int64_t row, ShownShown& found) {
    const HeadVectors& heads = *by_.tensors.heads;
    read_rows(heads.before, row, 1, before_.data());
    if (std::all_of(before_.begin(), before_.end(), [](double number) { return number == 0; })) return false;
    for (std::size_t pair = 0; pair < size_.size(); ++pair) know(pair);
    bool any = false;
    for (std::int64_t head = 0; head < heads.heads; ++head) {
      any = head_shows(head * heads.channels, any, found) || any;
    }
    found.heads = found.heads || any;
    return any;
  }

  bool head_shows(std::int64_t at, bool any, ShownShown& found) {
    const auto pairs = static_cast<Eigen::Index>(size_.size());
    const std::int64_t first = at + by_.model.still;
    const TableRowView row{cosine_.data(), sine_.data(), size_.data(), pairs, by_.tensors.heads->channels};
    for (Eigen::Index channel = 0; channel < 2 * pairs; ++channel) {
      const ChannelRole role = role_of(by_.model, channel, pairs);
      const auto pair = static_cast<std::size_t>(role.pair);
      if (size_[pair] == 0 || (any && found.shown[pair] && found.lengths[pair])) continue;
      unturned_[static_cast<std::size_t>(first + channel)] =
          by_.model.amplitude * by_.model.cosine_factor * before_[static_cast<std::size_t>(first + role.source)];
      const ChannelJudgement judged =
          judge_channel(by_.model, by_.rotation, row, before_.data() + first, unturned_.data() + first, channel);
      if (judged.length != 0) found.lengths[pair] = 1;
      if (judged.difference <= judged.tolerance) continue;
      any = true;
      found.shown[pair] = 1;
    }
    return any;
  }

  const Looks& by_;
  std::vector<double> cosine_, sine_, size_;
  Set known_;  ///< pairs whose cos and sin were computed
  std::vector<double> ids_, before_, unturned_;
};

/// Rows whose ids say something. In a layout a 0 is a rule like any other (FLUX.1 puts all its text there); of a rope
/// it is what a buffer holds that nobody filled.
std::int64_t telling_ids(const CheckModel& model, const RowEvaluator& evaluator, std::int64_t rows,
                         std::vector<IdRange>& ranges) {
  std::vector<double> ids(static_cast<std::size_t>(evaluator.axes()));
  std::int64_t telling = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    evaluator.ids(row, ids.data());
    if (model.rope && std::all_of(ids.begin(), ids.end(), [](double id) { return id == 0; })) continue;
    ++telling;
    for (std::size_t axis = 0; axis < ids.size(); ++axis) ranges[axis].add(ids[axis]);
  }
  return telling;
}

}  // namespace

void IdRange::add(double id) {
  smallest = std::min(smallest, id);
  largest = std::max(largest, id);
}

void IdRange::join(const IdRange& other) {
  smallest = std::min(smallest, other.smallest);
  largest = std::max(largest, other.largest);
}

ShownByInputs shown_by(const CheckModel& model, const CheckTensors& tensors, const CheckOptions& options) {
  const std::int64_t rows = std::min(tensors.rows, model.row_count);
  const Looks looks(model, tensors, rows);
  const auto pairs = static_cast<std::size_t>(looks.evaluator.pairs());
  ShownShown all(pairs, looks.units.size(), model.tokens.axes.size());
  ShownByInputs found;
  if (!looks.units.empty() || tensors.heads) {
    share_rows(rows, options, [&]() -> WorkPiece {
      return [&all, looker = Looker(looks)](const RowPiece& piece) mutable -> JoinPiece {
        return [&all, some = looker.look(piece)] { all.join(some); };
      };
    });
  }
  CheckEvidence& evidence = found.evidence;
  for (std::size_t pair = 0; tensors.heads && pair < pairs; ++pair) {
    if (all.turned[pair] && !all.lengths[pair]) evidence.lengthless.push_back(static_cast<std::int64_t>(pair));
  }
  for (std::size_t plane = 0; plane < looks.units.size(); ++plane) {
    if (all.planes[plane]) found.inputs.insert(tensors.tables.planes[plane].which);
  }
  if (all.heads) found.inputs.insert("after");
  evidence.tokens = all.rows;
  if (tensors.ids) {
    const std::int64_t telling = telling_ids(model, looks.evaluator, rows, all.ids);
    if (telling > 0) found.inputs.insert("ids");
    evidence.tokens = std::max(evidence.tokens, telling);
  }
  evidence.pairs = std::count(all.shown.begin(), all.shown.end(), 1);
  if (tensors.frequencies) {
    found.inputs.insert("frequencies");
    const DueFrequencies due = due_frequencies(model, static_cast<std::size_t>(tensors.frequencies->shape[0]));
    const std::size_t listed = due.of == ListOf::shared_ladder ? pairs : std::min(pairs, due.compared);
    evidence.pairs = std::max(evidence.pairs, static_cast<std::int64_t>(listed));
  }
  found.ids = std::move(all.ids);
  return found;
}

}  // namespace ropescope
