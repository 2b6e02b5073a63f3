// Both sides of a comparison, float32 error bounds of angles, and the evidence of rows. Read sides.h first.
//
// Contents: Sides; Errors of angles; Evidence.

#include "core/check/compare/sides.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check/compare/compare.h"
#include "core/check/compare/rows.h"
#include "core/check/compare/tensors.h"
#include "core/check/model/ladders.h"
#include "core/check/tuning.h"

namespace ropescope {

// --- Sides ---------------------------------------------------------------------------------------------------------

namespace {

using Numbers = std::vector<double>;

/// Expected cos, sin and angle sizes of some rows, each [rows × pairs].
struct Expected {
  std::int64_t pairs = 0;
  Numbers cosine, sine, size;
  ModelRowView row(std::int64_t i) const {
    return {cosine.data() + i * pairs, sine.data() + i * pairs, size.data() + i * pairs, pairs};
  }
};

/// Keeps the difference that exceeds its tolerance most.
void keep_furthest(CheckDifferences& found, std::int64_t row, std::int64_t column, double difference,
                   double tolerance) {
  const auto at = static_cast<std::size_t>(row * found.columns + column);
  const double excess = static_cast<double>(found.values[at]) - static_cast<double>(found.tolerance[at]);
  if (found.tolerance[at] >= 0 && difference - tolerance <= excess) return;
  found.values[at] = static_cast<float>(difference);
  found.tolerance[at] = static_cast<float>(tolerance);
}

/// Returns Re(after · conj(before)) ÷ |before|²; NaN if `before` is 0.
float cosine_of_turn(double before_x, double before_y, double after_x, double after_y) {
  const double size = before_x * before_x + before_y * before_y;
  if (!(size > 0)) return std::numeric_limits<float>::quiet_NaN();
  return static_cast<float>((after_x * before_x + after_y * before_y) / size);
}

// --- Errors of angles ----------------------------------------------------------------------------------------------

/// Half a unit in the last place of float32 at 1.
constexpr double kFloat32Unit = 0x1p-24;
/// Numbers of roundings: of a frequency (power, division, scaling), its logarithm, a coordinate with a fraction, and a
/// scale or an offset of ids.
constexpr double kOfFrequency = 4, kOfLogarithm = 2, kOfCoordinate = 4, kOfScale = 2;
/// Number of rows in an estimate.
constexpr std::int64_t kEstimateRows = 256;
/// Maximum rotation by the frequency's error in radians: beyond it, sines no longer distinguish deviations.
constexpr double kSineLimit = 0.5;

bool has_fractions(const TokenLayout& tokens, std::size_t axis) {
  const auto is_fraction = [](double id) { return id != std::floor(id); };
  return std::any_of(tokens.blocks.begin(), tokens.blocks.end(), [&](const TokenBlock& block) {
    const AxisIds& ids = block.ids[axis];
    return is_fraction(ids.first) || std::any_of(ids.listed.begin(), ids.listed.end(), is_fraction);
  });
}

/// Returns the error of the ids of an axis, in roundings.
double error_of_ids(const CheckModel& model, std::size_t axis) {
  const LayoutAxis& of = model.tokens.axes[axis];
  double error = 0;
  if (of.id_scale != 1 || of.id_offset != 0 || model.id_factor != 1) error += kOfScale;
  if (has_fractions(model.tokens, axis)) error += kOfCoordinate;
  return error;
}

/// Adds the error of ggml's recurrence.
void add_recurrence_error(const CheckModel& model, AngleErrors& errors) {
  constexpr double kOfScale32 = 2, kOfLog2 = 4 * 0.6931471805599453, kOfExtension = 3, kPlain = 1e-12;
  const Ladders ladders = ladders_of(model);
  const Eigen::MatrixXd steps = recurrent_steps(ladders);
  for (Eigen::Index pair = 0; pair < steps.cols(); ++pair) {
    double of_frequency = 0, of_row = 0;
    for (Eigen::Index axis = 0; axis < steps.rows(); ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      if (!(ladders.base[a] > 1) || ladders.plain(axis, pair) == 0) continue;
      const double logarithm = ladders.step[a] * std::log(ladders.base[a]);
      of_frequency = std::max(of_frequency, steps(axis, pair) * (kOfScale32 + logarithm + kOfLog2));
      const double factor = model.tokens.frequencies(axis, pair) / ladders.plain(axis, pair);
      const double of_extension = std::abs(factor - 1) > kPlain ? kOfExtension : 0;
      of_row = std::max(of_row, steps(axis, pair) + of_extension);
    }
    const auto p = static_cast<std::size_t>(pair);
    errors.of_pair[p] += kFloat32Unit * (of_frequency + of_row);
    errors.of_row[p] += kFloat32Unit * of_row;
  }
}

/// Returns rows spread over all of them without a period, so that every id of a grid is sampled.
std::vector<std::int64_t> sampled_rows(std::int64_t rows) {
  constexpr double kGolden = 0.6180339887498949;
  std::vector<std::int64_t> looked;
  const std::int64_t count = std::min(rows, kEstimateRows);
  for (std::int64_t i = 0; i < count; ++i) {
    const double turn = static_cast<double>(i + 1) * kGolden;
    const auto spread = static_cast<std::int64_t>((turn - std::floor(turn)) * static_cast<double>(rows));
    looked.push_back(count == rows ? i : std::min(spread, rows - 1));
  }
  return looked;
}

const TablePlane* plane_of(const TablePlanes& tables, bool cosine) {
  const auto found = std::find_if(tables.planes.begin(), tables.planes.end(), [&](const TablePlane& plane) {
    return cosine ? plane.holds == Holds::cosine : plane.holds == Holds::sine;
  });
  return found == tables.planes.end() ? nullptr : &*found;
}

/// The sums of an estimate.
struct Sums {
  double deviation = 0, noise = 0, squares = 0;
};

/// Deviations of single rows of both tables from the expected numbers.
class Deviations {
 public:
  Deviations(const CheckModel& model, const RowEvaluator& evaluator, const TablePlane& cosine, const TablePlane& sine)
      : model_(model), evaluator_(evaluator), cosine_plane_(cosine), sine_plane_(sine) {
    const auto pairs = static_cast<std::size_t>(evaluator.pairs());
    for (auto* numbers : {&angle_, &size_, &stored_cosine_, &stored_sine_}) numbers->resize(pairs);
    ids_.resize(model.tokens.axes.size());
    cosine_unit_ = rule_of(cosine, model).unit;
    sine_unit_ = rule_of(sine, model).unit;
  }

  void add(std::int64_t row, const AngleErrors& errors, std::vector<Sums>& sums) {
    evaluator_.ids(row, ids_.data());
    evaluator_.angles(ids_.data(), angle_.data(), size_.data());
    read_rows(cosine_plane_.numbers, row, 1, stored_cosine_.data());
    read_rows(sine_plane_.numbers, row, 1, stored_sine_.data());
    const double direction = model_.conjugate ? -1 : 1;
    const double amplitude_of_cosine = model_.amplitude * model_.cosine_factor;
    const double amplitude_of_sine = direction * model_.amplitude * model_.sine_factor;
    for (std::size_t pair = 0; pair < sums.size(); ++pair) {
      const double angle = angle_[pair];
      if (angle == 0 || !(errors.of_pair[pair] * size_[pair] < kSineLimit)) continue;
      const double of_axis = evaluator_.amplitude_of(pair);
      const double of_cosine = of_axis * std::abs(amplitude_of_cosine), of_sine = of_axis * std::abs(amplitude_of_sine);
      const double cosine = of_axis * amplitude_of_cosine * std::cos(angle);
      const double sine = of_axis * amplitude_of_sine * std::sin(angle);
      const double c = cosine / of_cosine, s = sine / of_sine;
      const double turned = stored_sine_[pair] / of_sine * c - stored_cosine_[pair] / of_cosine * s;
      const double noise = kTableNoise * (1 + size_[pair]) / std::min(of_cosine, of_sine);
      const double stored =
          std::abs(s) * cosine_unit_.at(cosine) / of_cosine + std::abs(c) * sine_unit_.at(sine) / of_sine + noise;
      sums[pair].deviation += direction * angle * turned;
      sums[pair].noise += std::abs(angle) * (stored + errors.of_row[pair] * size_[pair]);
      sums[pair].squares += angle * angle;
    }
  }

 private:
  const CheckModel& model_;
  const RowEvaluator& evaluator_;
  const TablePlane &cosine_plane_, &sine_plane_;
  StorageUnit cosine_unit_, sine_unit_;
  std::vector<double> ids_, angle_, size_, stored_cosine_, stored_sine_;
};

// --- Evidence ------------------------------------------------------------------------------------------------------

/// Flags of pairs or planes.
using Set = std::vector<char>;

void add_to(Set& all, const Set& some) {
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = all[i] || some[i];
}

/// The evidence of some rows.
struct ShownRows {
  Set turned, lengths;  ///< pairs rotated in some row, and those of them with vectors of non-zero length
  Set shown;            ///< pairs that would exceed the tolerance if they were not rotated
  Set planes;           ///< table planes in which they would
  bool heads = false;   ///< vectors in which they would
  std::int64_t rows = 0;
  std::vector<IdRange> ids;  ///< per axis, of these rows

  ShownRows(std::size_t pairs, std::size_t plane_count, std::size_t axes)
      : turned(pairs), lengths(pairs), shown(pairs), planes(plane_count), ids(axes) {}

  void join(const ShownRows& other) {
    add_to(turned, other.turned);
    add_to(lengths, other.lengths);
    add_to(shown, other.shown);
    add_to(planes, other.planes);
    heads = heads || other.heads;
    rows += other.rows;
    for (std::size_t axis = 0; axis < ids.size(); ++axis) ids[axis].join(other.ids[axis]);
  }
};

/// The data shared by all threads.
struct Looks {
  const CheckModel& model;
  const CheckTensors& tensors;
  RowEvaluator evaluator;
  std::vector<StorageUnit> units;   ///< per plane
  std::vector<double> angle_error;  ///< per pair, as errors of cos and sin
  RotationRule rotation;
  /// First row of given tables, whose angles are unknown: rotations are measured relative to it. Empty for a single
  /// row, which is measured relative to angle 0.
  std::vector<double> first_cosine, first_sine;
  /// Range of |ids| on the only axis in which the sine of some pair is certain to be evidence, whatever the others
  /// show: most rows of a long text then need no cosine. nullopt if there is no such range.
  std::optional<IdRange> sure;

  Looks(const CheckModel& of, const CheckTensors& about, std::int64_t rows)
      : model(of), tensors(about), evaluator(of), angle_error(angle_errors(of).of_pair) {
    for (double& error : angle_error) error = error * model.largest_amplitude() + kTableNoise;
    for (const TablePlane& plane : tensors.tables.planes) units.push_back(rule_of(plane, model).unit);
    if (tensors.heads) rotation = rotation_rule(model, tensors.heads->before, tensors.heads->after);
    sure = sure_ids();
    if (!model.given_tables || rows < 2) return;
    const auto pairs = static_cast<std::size_t>(evaluator.pairs());
    std::vector<double> size(pairs);
    first_cosine.resize(pairs), first_sine.resize(pairs);
    evaluator.row(0, first_cosine.data(), first_sine.data(), size.data());
  }

 private:
  /// Returns the |ids| at which some pair's angle is certain to be between these limits, where sines far exceed every
  /// tolerance. nullopt if a step of the ladder is wider than the ratio of the limits.
  std::optional<IdRange> sure_ids() const {
    const double least_sine = std::sin(tuned::kSureMinAngle);
    const std::vector<LayoutAxis>& axes = model.tokens.axes;
    if (model.given_tables || tensors.heads || axes.size() != 1 || axes[0].id_offset != 0 || !(axes[0].id_scale > 0) ||
        model.own_ids || model.angle_format != ShortFormat::none || !evaluator.only_axis())
      return std::nullopt;
    const double amplitude = std::abs(model.amplitude * model.sine_factor);
    const double most_error = *std::max_element(angle_error.begin(), angle_error.end());
    const auto shows = [&](std::size_t plane) {
      return tensors.tables.planes[plane].holds != Holds::cosine &&
             amplitude * least_sine > units[plane].at(amplitude) + most_error * tuned::kSureMaxAngle;
    };
    bool any = false;
    for (std::size_t plane = 0; plane < units.size(); ++plane) any = any || shows(plane);
    std::vector<double> speeds;
    for (const double speed : evaluator.speeds()) {
      if (speed > 0) speeds.push_back(speed * axes[0].id_scale);
    }
    std::sort(speeds.begin(), speeds.end());
    for (std::size_t i = 1; i < speeds.size(); ++i)
      any = any && speeds[i] * tuned::kSureMinAngle <= speeds[i - 1] * tuned::kSureMaxAngle;
    if (!any || speeds.empty() || model.exchanged) return std::nullopt;
    IdRange range;
    range.add(tuned::kSureMinAngle / speeds.back());
    range.add(tuned::kSureMaxAngle / speeds.front());
    return range;
  }
};

/// Collects the evidence of rows, one after the other; one instance per thread.
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

  ShownRows look(const RowPiece& piece) {
    ShownRows found(size_.size(), by_.units.size(), ids_.size());
    bool complete = false;
    for (std::int64_t row = piece.first; row < piece.first + piece.count; ++row) {
      complete = complete || (by_.sure && is_complete(found));
      if (complete) {
        by_.evaluator.ids(row, ids_.data());
        const double size = std::abs(ids_[0]);
        if (size >= by_.sure->smallest && size <= by_.sure->largest) {
          ++found.rows;
          found.ids[0].add(ids_[0]);
          continue;
        }
      }
      if (!read(row, found)) continue;
      const bool by_tables = tables_show(found), by_heads = by_.tensors.heads && heads_show(row, found);
      if (!by_tables && !by_heads) continue;
      ++found.rows;
      for (std::size_t axis = 0; axis < ids_.size(); ++axis) found.ids[axis].add(ids_[axis]);
    }
    return found;
  }

 private:
  /// Returns whether further rows cannot add pairs or planes.
  bool is_complete(const ShownRows& found) const {
    for (std::size_t pair = 0; pair < found.shown.size(); ++pair) {
      const bool turns = by_.evaluator.speeds()[pair] != 0;
      if (turns && !(found.turned[pair] && found.shown[pair])) return false;
    }
    return std::find(found.planes.begin(), found.planes.end(), 0) == found.planes.end();
  }

  /// Reads a row. Returns whether it rotates any pair.
  bool read(std::int64_t row, ShownRows& found) {
    const bool given = by_.model.given_tables != nullptr;
    if (given) {
      by_.evaluator.row(row, cosine_.data(), sine_.data(), size_.data());
    } else {
      by_.evaluator.ids(row, ids_.data());
      // The angles are stored in place of cosines until a pair is requested, because few are.
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
    const double angle = cosine_[pair], amplitude = by_.model.amplitude * by_.evaluator.amplitude_of(pair);
    cosine_[pair] = amplitude * by_.model.cosine_factor * std::cos(angle);
    sine_[pair] = (by_.model.conjugate ? -1 : 1) * amplitude * by_.model.sine_factor * std::sin(angle);
  }

  double find_unrotated_cosine(std::size_t pair) const {
    if (!by_.first_cosine.empty()) return by_.first_cosine[pair];
    if (by_.model.given_tables) return std::hypot(cosine_[pair], sine_[pair]);
    return by_.model.amplitude * by_.evaluator.amplitude_of(pair) * by_.model.cosine_factor;
  }
  double find_unrotated_sine(std::size_t pair) const { return by_.first_sine.empty() ? 0 : by_.first_sine[pair]; }

  /// Returns whether a number of the plane would exceed the tolerance if the pair were not rotated.
  bool plane_shows(std::size_t plane, std::size_t pair) const {
    const bool is_cosine = by_.tensors.tables.planes[plane].holds == Holds::cosine;
    const double expected = is_cosine ? cosine_[pair] : sine_[pair];
    const double unturned = is_cosine ? find_unrotated_cosine(pair) : find_unrotated_sine(pair);
    return std::abs(expected - unturned) > by_.units[plane].at(expected) + by_.angle_error[pair] * size_[pair];
  }

  /// Returns whether the tables show a pair at the row. Pairs already known to be shown are not tested again.
  bool tables_show(ShownRows& found) {
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

  /// Returns whether the vectors show a pair at the row.
  bool heads_show(std::int64_t row, ShownRows& found) {
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

  bool head_shows(std::int64_t at, bool any, ShownRows& found) {
    const auto pairs = static_cast<Eigen::Index>(size_.size());
    const std::int64_t first = at + by_.model.still;
    const ModelRowView row{cosine_.data(), sine_.data(), size_.data(), pairs, by_.tensors.heads->channels};
    for (Eigen::Index channel = 0; channel < 2 * pairs; ++channel) {
      const ChannelRole role = role_of(by_.model, channel, pairs);
      const auto pair = static_cast<std::size_t>(role.pair);
      if (size_[pair] == 0 || (any && found.shown[pair] && found.lengths[pair])) continue;
      unturned_[static_cast<std::size_t>(first + channel)] = by_.model.amplitude * by_.evaluator.amplitude_of(pair) *
                                                             by_.model.cosine_factor *
                                                             before_[static_cast<std::size_t>(first + role.source)];
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

/// Returns the number of rows whose ids are evidence. In a layout, id 0 is a rule like any other (FLUX.1 gives it to
/// all text); for a rope it may be an unfilled buffer.
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

struct ComparedValues::State {
  CheckTensors tensors;
  CheckModel own;           ///< the reference itself, if no causes are applied
  const CheckModel* model;  ///< the model of the expected values
  bool two_tables = false;
  CheckExtent extent;
  std::unique_ptr<ExpectedRows> rows;
  std::unique_ptr<RowEvaluator> evaluator;
  Numbers angle_errors;  ///< for tables

  State(const CheckReference& reference, const CheckInputs& inputs, const CheckModel* applied)
      : tensors(take_tensors(reference, inputs)), model(applied), two_tables(inputs.cosine.has_value()) {
    if (!applied) {
      own = model_of(reference, inputs, std::max<std::int64_t>(tensors.rows, 1));
      if (tensors.heads) take_channel_order(*tensors.heads, own);
      model = &own;
    }
    const auto pairs = static_cast<std::int64_t>(model->tokens.pair_count());
    extent.rows = std::min(tensors.rows, model->row_count);
    if (has_tables()) {
      extent.columns = std::min(tensors.tables.pairs, pairs);
    } else if (tensors.heads) {
      extent.columns = std::min((tensors.heads->channels - model->still) / 2, pairs);
    } else if (tensors.ids) {
      extent.columns = std::min(tensors.ids->shape[1], static_cast<std::int64_t>(model->tokens.axes.size()));
    }
    evaluator = std::make_unique<RowEvaluator>(*model);
    if (has_tables() || tensors.heads) rows = std::make_unique<ExpectedRows>(*model);
    if (has_tables()) angle_errors = table_errors(*model, *evaluator, tensors.tables);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  bool has_tables() const { return !tensors.tables.planes.empty(); }

  Expected expected(std::int64_t first, std::int64_t count) const {
    Expected of;
    of.pairs = static_cast<std::int64_t>(model->tokens.pair_count());
    of.cosine.resize(static_cast<std::size_t>(count * of.pairs));
    of.sine.resize(of.cosine.size());
    of.size.resize(of.cosine.size());
    rows->rows(first, count, of.cosine.data(), of.sine.data(), of.size.data());
    return of;
  }

  void table_differences(CheckDifferences& found) const {
    const Expected of = expected(found.first, found.rows);
    const std::int64_t width = tensors.tables.pairs;
    Numbers stored(static_cast<std::size_t>(found.rows * width));
    for (const TablePlane& plane : tensors.tables.planes) {
      const PlaneRule rule = rule_of(plane, *model);
      const double sign = plane.holds == Holds::minus_sine ? -1 : 1;
      read_rows(plane.numbers, found.first, found.rows, stored.data());
      for (std::int64_t i = 0; i < found.rows; ++i) {
        const ModelRowView row = of.row(i);
        for (std::int64_t pair = 0; pair < found.columns; ++pair) {
          const double number = sign * (plane.holds == Holds::cosine ? row.cosine[pair] : row.sine[pair]);
          const double angle_error = angle_errors[static_cast<std::size_t>(pair)] * row.size[pair];
          const double tolerance = rule.unit.at(number) + angle_error + kTableNoise;
          keep_furthest(found, i, pair, std::abs(stored[static_cast<std::size_t>(i * width + pair)] - number),
                        tolerance);
        }
      }
    }
  }

  void head_differences(CheckDifferences& found) const {
    const HeadVectors& heads = *tensors.heads;
    const Expected of = expected(found.first, found.rows);
    const RotationRule rule = rotation_rule(*model, heads.before, heads.after);
    const std::int64_t width = heads.heads * heads.channels;
    Numbers before(static_cast<std::size_t>(found.rows * width)), after(before.size());
    read_rows(heads.before, found.first, found.rows, before.data());
    read_rows(heads.after, found.first, found.rows, after.data());
    for (std::int64_t i = 0; i < found.rows; ++i) {
      for (std::int64_t head = 0; head < heads.heads; ++head) {
        const std::int64_t at = i * width + head * heads.channels + model->still;
        for (std::int64_t channel = 0; channel < 2 * found.columns; ++channel) {
          const ChannelJudgement one =
              judge_channel(*model, rule, of.row(i), before.data() + at, after.data() + at, channel);
          keep_furthest(found, i, one.pair, one.difference, one.tolerance);
        }
      }
    }
  }

  void id_differences(CheckDifferences& found) const {
    const StoredTensor& ids = *tensors.ids;
    const StorageUnit unit = find_storage_unit(ids);
    const std::int64_t width = ids.shape[1];
    Numbers stored(static_cast<std::size_t>(found.rows * width)), number(model->tokens.axes.size());
    read_rows(ids, found.first, found.rows, stored.data());
    for (std::int64_t i = 0; i < found.rows; ++i) {
      evaluator->ids(found.first + i, number.data());
      for (std::int64_t axis = 0; axis < found.columns; ++axis) {
        const double id = number[static_cast<std::size_t>(axis)];
        keep_furthest(found, i, axis, std::abs(stored[static_cast<std::size_t>(i * width + axis)] - id),
                      id_tolerance(unit, id));
      }
    }
  }

  /// Reads the first copy of the cosines.
  void table_values(CheckValues& found) const {
    const auto plane = std::find_if(tensors.tables.planes.begin(), tensors.tables.planes.end(),
                                    [](const TablePlane& each) { return each.holds == Holds::cosine; });
    const std::int64_t width = tensors.tables.pairs;
    Numbers stored(static_cast<std::size_t>(found.rows * width));
    read_rows(plane->numbers, found.first, found.rows, stored.data());
    for (std::int64_t i = 0; i < found.rows; ++i) {
      std::copy_n(stored.begin() + i * width, found.columns, found.mine.begin() + i * found.columns);
    }
  }

  void head_values(CheckValues& found) const {
    const HeadVectors& heads = *tensors.heads;
    const StoredTensor before = select_slice(heads.before, 1, 0), after = select_slice(heads.after, 1, 0);
    Numbers b(static_cast<std::size_t>(found.rows * heads.channels)), a(b.size());
    read_rows(before, found.first, found.rows, b.data());
    read_rows(after, found.first, found.rows, a.data());
    const auto pairs = static_cast<std::int64_t>(model->tokens.pair_count());
    for (std::int64_t i = 0; i < found.rows; ++i) {
      for (std::int64_t pair = 0; pair < found.columns; ++pair) {
        const std::int64_t begin = i * heads.channels + model->still;
        const auto [x, y] = channels_of(*model, pair, pairs);
        const auto at = [begin](const Numbers& numbers, std::int64_t k) {
          return numbers[static_cast<std::size_t>(begin + k)];
        };
        found.mine[static_cast<std::size_t>(i * found.columns + pair)] = cosine_of_turn(
            at(b, role_of(*model, x, pairs).source), at(b, role_of(*model, y, pairs).source), at(a, x), at(a, y));
      }
    }
  }

  void id_values(CheckValues& found) const {
    const std::int64_t width = tensors.ids->shape[1];
    Numbers stored(static_cast<std::size_t>(found.rows * width)), number(model->tokens.axes.size());
    read_rows(*tensors.ids, found.first, found.rows, stored.data());
    for (std::int64_t i = 0; i < found.rows; ++i) {
      std::copy_n(stored.begin() + i * width, found.columns, found.mine.begin() + i * found.columns);
      evaluator->ids(found.first + i, number.data());
      std::copy_n(number.begin(), found.columns, found.reference.begin() + i * found.columns);
    }
  }
};

ComparedValues::ComparedValues(const CheckReference& reference, const CheckInputs& inputs, const CheckModel* model)
    : state_(std::make_unique<const State>(reference, inputs, model)) {}

ComparedValues::~ComparedValues() = default;

CheckExtent ComparedValues::extent() const {
  return state_->extent;
}

std::string ComparedValues::which() const {
  if (state_->has_tables()) return state_->two_tables ? "tables" : "table";
  return state_->tensors.heads ? "after" : "ids";
}

CheckDifferences ComparedValues::differences(std::int64_t first, std::int64_t count) const {
  CheckDifferences found;
  found.which = which();
  found.first = first;
  found.rows = std::clamp<std::int64_t>(state_->extent.rows - first, 0, count);
  found.columns = state_->extent.columns;
  found.values.assign(static_cast<std::size_t>(found.rows * found.columns), 0);
  found.tolerance.assign(found.values.size(), -1);  // no difference was kept yet
  if (found.values.empty()) return found;
  if (state_->has_tables()) {
    state_->table_differences(found);
  } else if (state_->tensors.heads) {
    state_->head_differences(found);
  } else {
    state_->id_differences(found);
  }
  return found;
}

CheckValues ComparedValues::values(std::int64_t first, std::int64_t count) const {
  CheckValues found;
  found.first = first;
  found.rows = std::clamp<std::int64_t>(state_->extent.rows - first, 0, count);
  found.columns = state_->extent.columns;
  found.mine.assign(static_cast<std::size_t>(found.rows * found.columns), 0);
  found.reference.assign(found.mine.size(), 0);
  if (found.mine.empty()) return found;
  if (!state_->rows) {
    state_->id_values(found);
    return found;
  }
  const Expected of = state_->expected(first, found.rows);
  for (std::int64_t i = 0; i < found.rows; ++i) {
    std::copy_n(of.row(i).cosine, found.columns, found.reference.begin() + i * found.columns);
  }
  if (state_->has_tables()) {
    state_->table_values(found);
  } else {
    state_->head_values(found);
  }
  return found;
}

CheckFrequencies ComparedValues::frequencies() const {
  CheckFrequencies found;
  if (!state_->tensors.frequencies) return found;
  const StoredTensor& tensor = *state_->tensors.frequencies;
  found.mine.resize(static_cast<std::size_t>(tensor.count()));
  read_rows(tensor, 0, tensor.shape[0], found.mine.data());
  found.reference = find_expected_frequencies(*state_->model, found.mine.size()).values;
  return found;
}

double ComparedValues::position(std::int64_t row) const {
  Numbers ids(state_->model->tokens.axes.size());
  state_->evaluator->ids(row, ids.data());
  double largest = 0;
  for (const double id : ids) largest = std::max(largest, std::abs(id));
  return largest;
}

double frequency_error(double frequency) {
  return kFloat32Unit * (kOfFrequency + kOfLogarithm * std::abs(std::log(std::abs(frequency))));
}

AngleErrors angle_errors(const CheckModel& model) {
  const Eigen::MatrixXd& frequencies = model.tokens.frequencies;
  AngleErrors errors;
  if (model.given_tables) {
    // Their angles are unknown: RowEvaluator returns their storage errors in place of sizes.
    errors.of_row.assign(static_cast<std::size_t>(frequencies.cols()), kAngleError);
    errors.of_pair = errors.of_row;
    return errors;
  }
  // A fitted parameter is not exact, which changes all angles of a pair alike.
  const double of_fit = model.slack > 0 ? kAngleError : 0;
  std::vector<double> of_ids;
  for (std::size_t axis = 0; axis < model.tokens.axes.size(); ++axis) of_ids.push_back(error_of_ids(model, axis));
  for (Eigen::Index pair = 0; pair < frequencies.cols(); ++pair) {
    double of_frequency = 0, of_row = 0;
    for (Eigen::Index axis = 0; axis < frequencies.rows(); ++axis) {
      if (frequencies(axis, pair) == 0) continue;
      of_frequency = std::max(of_frequency, frequency_error(frequencies(axis, pair)));
      of_row = std::max(of_row, of_ids[static_cast<std::size_t>(axis)]) + 1;
    }
    errors.of_row.push_back(kFloat32Unit * of_row);
    errors.of_pair.push_back(of_frequency + of_fit + kFloat32Unit * of_row);
  }
  if (model.recurrence) add_recurrence_error(model, errors);
  return errors;
}

std::vector<double> estimate_angle_errors(const CheckModel& model, const RowEvaluator& evaluator,
                                          const TablePlanes& tables) {
  const AngleErrors errors = angle_errors(model);
  std::vector<double> allowed = errors.of_pair;
  const TablePlane *cosine = plane_of(tables, true), *sine = plane_of(tables, false);
  const bool pairs_fit = tables.pairs == static_cast<std::int64_t>(allowed.size());
  if (model.given_tables || model.angle_format != ShortFormat::none ||
      model.amplitude * model.cosine_factor * model.sine_factor == 0 || !cosine || !sine || !pairs_fit) {
    return allowed;
  }
  std::vector<Sums> sums(allowed.size());
  if (model.exchanged) std::swap(cosine, sine);
  Deviations deviations(model, evaluator, *cosine, *sine);
  for (const std::int64_t row : sampled_rows(std::min(tables.rows, model.row_count))) deviations.add(row, errors, sums);
  for (std::size_t pair = 0; pair < allowed.size(); ++pair) {
    const bool one_axis = (model.tokens.frequencies.col(static_cast<Eigen::Index>(pair)).array() != 0).count() == 1;
    if (!one_axis || !(sums[pair].squares > 0)) continue;
    const double estimate = std::abs(sums[pair].deviation) + sums[pair].noise;
    allowed[pair] = std::min(allowed[pair], estimate / sums[pair].squares + errors.of_row[pair]);
  }
  return allowed;
}

void IdRange::add(double id) {
  smallest = std::min(smallest, id);
  largest = std::max(largest, id);
}

void IdRange::join(const IdRange& other) {
  smallest = std::min(smallest, other.smallest);
  largest = std::max(largest, other.largest);
}

ShownByInputs compare_shown_inputs(const CheckModel& model, const CheckTensors& tensors, const CheckOptions& options) {
  const std::int64_t rows = std::min(tensors.rows, model.row_count);
  const Looks looks(model, tensors, rows);
  const auto pairs = static_cast<std::size_t>(looks.evaluator.pairs());
  ShownRows all(pairs, looks.units.size(), model.tokens.axes.size());
  ShownByInputs found;
  if (!looks.units.empty() || tensors.heads) {
    parallel_for_rows(rows, options, [&]() -> WorkPiece {
      return [&all, looker = Looker(looks)](const RowPiece& piece) mutable -> JoinPiece {
        return [&all, some = looker.look(piece)] { all.join(some); };
      };
    });
  }
  CheckEvidence& evidence = found.evidence;
  for (std::size_t pair = 0; tensors.heads && pair < pairs; ++pair) {
    if (all.turned[pair] && !all.lengths[pair]) evidence.zero_vector_pairs.push_back(static_cast<std::int64_t>(pair));
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
    const ExpectedFrequencies due =
        find_expected_frequencies(model, static_cast<std::size_t>(tensors.frequencies->shape[0]));
    const std::size_t listed = due.of == ListOf::shared_ladder ? pairs : std::min(pairs, due.compared);
    evidence.pairs = std::max(evidence.pairs, static_cast<std::int64_t>(listed));
  }
  found.ids = std::move(all.ids);
  return found;
}

}  // namespace ropescope
