// Number formats, sampled rows and observed rotations: implementation of evidence.h; read it first.
//
// Contents: Formats detected; Evidence; Observations.

#include "core/check/evidence/evidence.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "core/check/compare/compare.h"
#include "core/check/compare/rows.h"
#include "core/check/compare/sides.h"
#include "core/check/evidence/fit.h"
#include "core/check/evidence/ropes.h"
#include "core/check/evidence/rows.h"
#include "core/check/tuning.h"
#include "core/machine.h"
#include "core/message.h"

namespace ropescope {

/// Detects whether numbers are all of a short format although more is stored, as cos.float() stores a bfloat16 cos. To
/// exclude chance, many bits must be 0 that need not be.
class FormatDetector {
 public:
  /// `file`: half a unit of the format in which the numbers are stored or printed.
  FormatDetector(ShortFormat format, const StorageUnit& file)
      : format_(format), of_format_(find_storage_unit(format)), file_(file) {}

  void add(const double* numbers, Eigen::Index count);
  /// Returns whether some number was not of the format.
  bool refuted() const { return refuted_; }
  bool found() const;

 private:
  ShortFormat format_;
  StorageUnit of_format_, file_;
  bool refuted_ = false;
  double bits_ = 0;
  std::set<double> seen_;  ///< sizes counted so far
};

// --- Formats detected ----------------------------------------------------------------------------------------------

namespace {

/// Minimum number of bits that are 0 although they need not be; fewer could be chance.
constexpr double kSure = 24;
constexpr std::size_t kFewest = 4;

/// Returns whether all rows of a tensor confirm the format detected in some of them.
bool holds_everywhere(const StoredTensor& tensor, ShortFormat format) {
  const std::int64_t rows = tensor.shape[0];
  const std::int64_t width = rows == 0 ? 0 : tensor.count() / rows;
  std::vector<double> numbers(static_cast<std::size_t>(std::min(tuned::kRowsOfFormat, rows) * width));
  FormatDetector detector(format, find_storage_unit(tensor));
  for (std::int64_t row = 0; row < rows && !detector.refuted(); row += tuned::kRowsOfFormat) {
    const std::int64_t count = std::min(tuned::kRowsOfFormat, rows - row);
    read_rows(tensor, row, count, numbers.data());
    detector.add(numbers.data(), count * width);
  }
  return !detector.refuted();
}

/// Returns the format of some tensors (the cosines and sines of tables); none if it is that of the file.
ShortFormat detect_format(const std::vector<const StoredTensor*>& tensors,
                          const std::vector<const RowMatrixXd*>& some_rows) {
  if (tensors.empty()) return ShortFormat::none;
  for (const ShortFormat format : {ShortFormat::bfloat16, ShortFormat::float16}) {
    FormatDetector detector(format, find_storage_unit(*tensors[0]));
    for (const RowMatrixXd* numbers : some_rows) detector.add(numbers->data(), numbers->size());
    const bool everywhere =
        detector.found() && std::all_of(tensors.begin(), tensors.end(),
                                        [&](const StoredTensor* one) { return holds_everywhere(*one, format); });
    if (everywhere) return format;
  }
  return ShortFormat::none;
}

// --- Evidence ------------------------------------------------------------------------------------------------------

constexpr std::int64_t kMaxEvidenceRows = 4096;

/// Samples rows of a large tensor: the starts of all parts and of the lines of their grids, then evenly spread rows.
std::vector<std::int64_t> spread_rows(const CheckModel& model, std::int64_t rows) {
  std::set<std::int64_t> chosen;
  if (rows <= kMaxEvidenceRows) {
    for (std::int64_t row = 0; row < rows; ++row) chosen.insert(row);
    return {chosen.begin(), chosen.end()};
  }
  std::int64_t begin = 0;
  for (const auto& [first, count] : model.rows) {
    for (const TokenBlock& block : model.tokens.blocks) {
      if (block.first_row < first || block.first_row >= first + count || chosen.size() > kMaxEvidenceRows / 2) continue;
      const std::int64_t at = begin + block.first_row - first;
      for (std::int64_t i = 0; i < std::min(tuned::kRowsAtEnds, block.count()); ++i) {
        chosen.insert(at + i);
        chosen.insert(at + block.count() - 1 - i);
      }
      for (std::int64_t i = 0; i < std::min<std::int64_t>(tuned::kLinesOfGrid, block.rows); ++i) {
        chosen.insert(at + i * block.columns + i % 3);
      }
      for (std::int64_t i = 0; i < std::min<std::int64_t>(tuned::kLinesOfGrid, block.frames); ++i) {
        chosen.insert(at + i * block.rows * block.columns + i % 3);
      }
      for (std::int64_t i = 1; i < block.count(); i *= 2) chosen.insert(at + i);
    }
    begin += count;
  }
  chosen.erase(chosen.lower_bound(rows), chosen.end());
  const auto left = kMaxEvidenceRows - static_cast<std::int64_t>(chosen.size());
  // Offsets by golden-ratio parts of a step avoid the period of the grid.
  for (std::int64_t i = 0; i < left; ++i) {
    const double at = (static_cast<double>(i) + 0.5) / static_cast<double>(left) * static_cast<double>(rows - 1);
    const double beside = std::fmod(static_cast<double>(i) * std::numbers::phi, 1.0) * static_cast<double>(rows) / left;
    chosen.insert(std::clamp<std::int64_t>(static_cast<std::int64_t>(at + beside), 0, rows - 1));
  }
  return {chosen.begin(), chosen.end()};
}

RowMatrixXd read_listed(const StoredTensor& tensor, const std::vector<std::int64_t>& rows) {
  std::int64_t width = 1;
  for (std::size_t axis = 1; axis < tensor.shape.size(); ++axis) width *= tensor.shape[axis];
  RowMatrixXd read(static_cast<Eigen::Index>(rows.size()), width);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double* to = read.data() + static_cast<Eigen::Index>(i) * width;
    read_rows(tensor, rows[i], 1, to);
    if (!std::all_of(to, to + width, [](double number) { return std::isfinite(number); })) {
      throw InputError(tensor.name, "check.odd_row", {{"row", rows[i]}});
    }
  }
  return read;
}

void read_evidence(Evidence& evidence) {
  const CheckTensors& tensors = *evidence.tensors;
  for (const TablePlane& plane : tensors.tables.planes) {
    if (plane.holds == Holds::cosine && evidence.cosine.size() == 0) {
      evidence.cosine = read_listed(plane.numbers, evidence.rows);
      evidence.table_unit = evidence.usual_file_unit = typical_unit(plane.numbers);
      evidence.file_unit = loosest_unit(plane.numbers);
    }
    if (plane.holds == Holds::sine && evidence.sine.size() == 0) {
      evidence.sine = read_listed(plane.numbers, evidence.rows);
    }
  }
  if (tensors.heads) {
    evidence.before = read_listed(tensors.heads->before, evidence.rows);
    evidence.after = read_listed(tensors.heads->after, evidence.rows);
  }
  if (tensors.ids) evidence.ids = read_listed(*tensors.ids, evidence.rows);
  if (tensors.frequencies) {
    evidence.frequencies.resize(static_cast<std::size_t>(tensors.frequencies->shape[0]));
    read_rows(*tensors.frequencies, 0, tensors.frequencies->shape[0], evidence.frequencies.data());
  }
}

/// Detects formats in the numbers: they may be shorter than what the file stores.
void detect_formats(Evidence& evidence) {
  const CheckTensors& tensors = *evidence.tensors;
  if (evidence.has_tables()) {
    std::vector<const StoredTensor*> planes;
    for (const TablePlane& plane : tensors.tables.planes) planes.push_back(&plane.numbers);
    evidence.table_format = detect_format(planes, {&evidence.cosine, &evidence.sine});
    if (evidence.table_format != ShortFormat::none) {
      evidence.table_unit = coarser(typical_unit(evidence.table_format), evidence.table_unit);
    }
  }
  // The input of the rotation may be short in whatever format the rotation was computed.
  if (evidence.has_heads()) evidence.vector_format = detect_format({&tensors.heads->after}, {&evidence.after});
}

bool frequencies_agree(const CheckModel& model, const Evidence& evidence, Strictness how) {
  const ExpectedFrequencies due = find_expected_frequencies(model, evidence.frequencies.size());
  const std::vector<double>& expected = due.values;
  if (!due.counted) return false;
  const StoredTensor& tensor = *evidence.tensors->frequencies;
  const StorageUnit unit = how == Strictness::rounded ? typical_unit(tensor) : loosest_unit(tensor);
  for (std::size_t i = 0; i < due.compared; ++i) {
    const double tolerance = (1 + model.slack) * frequency_tolerance(unit, expected[i]);
    if (!(std::abs(evidence.frequencies[i] - expected[i]) <= tolerance)) return false;
  }
  return true;
}

/// Returns the maximum error of an angle of the reference if computed in float32, and 0.1 at least.
double most_angle_error(const CheckModel& reference, const std::vector<std::int64_t>& rows) {
  double most = tuned::kLeastMostAngleError;
  if (reference.given_tables) return most;
  const RowEvaluator evaluator(reference);
  const std::vector<double> errors = angle_errors(reference).of_pair;
  std::vector<double> size(errors.size());
  for (const std::int64_t row : rows) {
    evaluator.sizes(row, 1, size.data());
    for (std::size_t pair = 0; pair < size.size(); ++pair) most = std::max(most, errors[pair] * size[pair]);
  }
  return most * std::max(std::abs(reference.amplitude), 1.0);
}

/// Alternates rows of disagreement and agreement, so that a wrong model is rejected early whichever it gets wrong.
void put_telling_rows_first(Evidence& evidence, const CheckModel& reference) {
  const unsigned inputs = inputs_of(evidence) & (kTables | kHeads | kIds);
  std::vector<std::int64_t> wrong, right;
  if (!has_shape(reference, evidence, inputs) || evidence.tensors->tables.rows == 0) return;
  RowJudge judge(reference, evidence);
  for (std::size_t i = 0; i < evidence.rows.size(); ++i) {
    (judge.agrees(static_cast<Eigen::Index>(i), kTables) ? right : wrong).push_back(evidence.rows[i]);
  }
  // Within each kind, rows from everywhere come early.
  const auto scattered = [](const std::vector<std::int64_t>& rows) {
    std::vector<std::int64_t> order;
    for (std::size_t begin = 0; begin < tuned::kScattered; ++begin) {
      for (std::size_t i = begin; i < rows.size(); i += tuned::kScattered) order.push_back(rows[i]);
    }
    return order;
  };
  wrong = scattered(wrong), right = scattered(right);
  evidence.rows.clear();
  for (std::size_t i = 0; i < std::max(wrong.size(), right.size()); ++i) {
    if (i < wrong.size()) evidence.rows.push_back(wrong[i]);
    if (i < right.size()) evidence.rows.push_back(right[i]);
  }
}

// --- Observations --------------------------------------------------------------------------------------------------

/// Computes the cosine and sine that rotate `before` into `after`, by least squares over heads and both channels of a
/// pair.
void solve_rotation(const Evidence& evidence, const CheckModel& model, Eigen::Index i, Observed& observed) {
  const HeadVectors& heads = *evidence.tensors->heads;
  const Eigen::Index pairs = observed.cosine.cols();
  const bool is_short = evidence.vector_format != ShortFormat::none;
  const double unit = is_short ? typical_unit(evidence.vector_format).scale
                               : std::max(typical_unit(heads.after).scale, typical_unit(heads.before).scale);
  Eigen::VectorXd xx = Eigen::VectorXd::Zero(pairs), xy = xx, yy = xx, xr = xx, yr = xx;
  for (std::int64_t head = 0; head < heads.heads; ++head) {
    const double* before = evidence.before.data() + i * evidence.before.cols() + head * heads.channels + model.still;
    const double* after = evidence.after.data() + i * evidence.after.cols() + head * heads.channels + model.still;
    for (Eigen::Index channel = 0; channel < 2 * pairs; ++channel) {
      const ChannelRole role = role_of(model, channel, pairs);
      const double x = before[role.source], y = role.sign * before[role.companion], r = after[channel];
      xx[role.pair] += x * x, xy[role.pair] += x * y, yy[role.pair] += y * y;
      xr[role.pair] += x * r, yr[role.pair] += y * r;
    }
  }
  for (Eigen::Index pair = 0; pair < pairs; ++pair) {
    const double determinant = xx[pair] * yy[pair] - xy[pair] * xy[pair], size = xx[pair] + yy[pair];
    if (!(determinant > 1e-9 * size * size)) {
      observed.cosine(i, pair) = 1, observed.sine(i, pair) = 0;
      observed.noise(i, pair) = std::numeric_limits<double>::infinity();
      continue;
    }
    observed.cosine(i, pair) = (yy[pair] * xr[pair] - xy[pair] * yr[pair]) / determinant;
    observed.sine(i, pair) = (xx[pair] * yr[pair] - xy[pair] * xr[pair]) / determinant;
    observed.noise(i, pair) = 2 * unit * size / std::sqrt(determinant);
  }
}

void fill_phases(Observed& observed, const Evidence& evidence) {
  const StorageUnit& unit = evidence.table_unit;
  std::vector<double> radii, between;
  for (Eigen::Index i = 0; i < observed.cosine.rows(); ++i) {
    for (Eigen::Index pair = 0; pair < observed.cosine.cols(); ++pair) {
      const double c = observed.cosine(i, pair), s = observed.sine(i, pair), radius = std::hypot(c, s);
      observed.phase(i, pair) = std::atan2(s, c);
      if (evidence.has_tables()) {
        const double of_sine = unit.at(s) * c, of_cosine = unit.at(c) * s;
        observed.noise(i, pair) = std::hypot(of_sine, of_cosine) / std::max(radius * radius, 1e-30) + 1e-15;
      }
      if (!std::isfinite(observed.noise(i, pair))) continue;
      radii.push_back(radius);
      // Slow pairs are near cos = amplitude and are all rounded alike.
      if (std::min(std::abs(c), std::abs(s)) > 0.3 * radius) between.push_back(radius);
    }
  }
  if (between.size() >= tuned::kEnoughRadii) radii = std::move(between);
  if (radii.empty()) return;
  const auto at = [&](std::size_t part) {
    const auto place = radii.begin() + static_cast<std::ptrdiff_t>(radii.size() * part / 4);
    std::nth_element(radii.begin(), place, radii.end());
    return *place;
  };
  observed.radius = at(2);
  observed.spread = at(3) - at(1);
}

}  // namespace

void FormatDetector::add(const double* numbers, Eigen::Index count) {
  for (Eigen::Index i = 0; i < count && !refuted_; ++i) {
    const double number = std::abs(numbers[i]), unit = file_.at(number);
    // If the file is no finer than the format, nothing shows it: float16 below its normal numbers.
    if (!(unit > 0 && 2 * unit <= of_format_.at(number))) continue;
    const double off = std::abs(round_to_format(format_, number) - number);
    // A printed number differs by the digits not printed; a binary one is equal.
    refuted_ = !(off <= (file_.printed ? unit : 0));
    // 0 and powers of two are numbers of every format.
    int exponent = 0;
    const bool says_much = number > 0 && std::frexp(number, &exponent) != 0.5;
    if (!found() && says_much && seen_.insert(number).second) bits_ += std::log2(of_format_.at(number) / unit);
  }
}

bool FormatDetector::found() const {
  return !refuted_ && bits_ >= kSure && seen_.size() >= kFewest;
}

// --- Evidence ------------------------------------------------------------------------------------------------------

bool has_shape(const CheckModel& model, const Evidence& evidence, unsigned inputs) {
  if ((inputs & kTables) != 0 && model.tokens.pair_count() != evidence.cosine.cols()) return false;
  if ((inputs & kHeads) != 0 && model.still + 2 * model.tokens.pair_count() > evidence.tensors->heads->channels)
    return false;
  return (inputs & (kTables | kHeads | kIds)) == 0 || model.row_count == evidence.tensors->rows;
}

double wrapped(double value, double period) {
  return value - period * std::nearbyint(value / period);
}

Evidence gather(const CheckTensors& tensors, const CheckModel& reference, const CheckOptions& options) {
  Evidence evidence;
  evidence.tensors = &tensors;
  evidence.measured = new_measured_memory();
  evidence.fits = new_fit_memory();
  evidence.options = options;
  evidence.options.progress = nullptr;
  const std::int64_t rows = tensors.rows == 0 ? 0 : std::min(tensors.rows, reference.row_count);
  evidence.rows = spread_rows(reference, rows);
  evidence.most_angle_error = most_angle_error(reference, evidence.rows);
  // Tables of many pairs have twice the budget.
  const bool many = static_cast<std::int64_t>(evidence.rows.size()) * reference.tokens.pair_count() >
                    kMaxEvidenceRows * tuned::kManyPairs;
  evidence.effort = std::make_shared<Effort>(many ? 2 * options.most_effort : options.most_effort);
  read_evidence(evidence);
  detect_formats(evidence);
  add_mismatched_rows(set_detected_formats(reference, evidence), evidence);
  if (evidence.has_tables()) {
    put_telling_rows_first(evidence, reference);
    evidence = select_rows(evidence, evidence.rows);
  }
  return evidence;
}

Evidence select_rows(const Evidence& evidence, std::vector<std::int64_t> rows) {
  Evidence part;
  part.tensors = evidence.tensors;
  part.rows = std::move(rows);
  part.effort = evidence.effort;
  part.measured = new_measured_memory();
  part.fits = new_fit_memory();
  part.options = evidence.options;
  read_evidence(part);
  static_cast<StoredFormats&>(part) = evidence;
  part.table_unit = evidence.table_unit;
  part.most_angle_error = evidence.most_angle_error;
  return part;
}

CheckModel set_detected_formats(const CheckModel& model, const Evidence& evidence) {
  CheckModel detected = model;
  detected.part<StoredFormats>() = evidence;
  return detected;
}

unsigned inputs_of(const Evidence& evidence) {
  return (evidence.has_tables() ? kTables : 0u) | (evidence.has_heads() ? kHeads : 0u) |
         (evidence.has_ids() ? kIds : 0u) | (evidence.frequencies.empty() ? 0u : kFrequencies);
}

bool reproduces(const CheckModel& model, const Evidence& evidence, unsigned inputs, Strictness how) {
  if (evidence.is_spent()) return false;
  // Creating a candidate costs as much as a few of its rows.
  evidence.spend(tuned::kRowsOfCandidate * model.tokens.pair_count());
  if (!has_shape(model, evidence, inputs)) return false;
  if ((inputs & kFrequencies) != 0 && !frequencies_agree(model, evidence, how)) return false;
  if ((inputs & (kTables | kHeads | kIds)) == 0) return true;
  RowJudge judge(model, evidence, how);
  for (Eigen::Index i = 0; i < static_cast<Eigen::Index>(evidence.rows.size()); ++i) {
    if (!judge.agrees(i, inputs)) return false;
  }
  return true;
}

std::optional<std::int64_t> first_wrong_row(const CheckModel& model, const Evidence& evidence) {
  if (!has_pairs(model, evidence)) return std::nullopt;
  RowJudge judge(model, evidence);
  std::optional<std::int64_t> first;
  for (std::size_t i = 0; i < evidence.rows.size(); ++i) {
    const std::int64_t row = evidence.rows[i];
    if (row >= model.row_count || (first && row > *first)) continue;
    if (!judge.agrees(static_cast<Eigen::Index>(i), inputs_of(evidence))) first = row;
  }
  return first;
}

std::vector<std::int64_t> wrong_rows(const CheckModel& model, const Evidence& evidence) {
  std::vector<std::int64_t> wrong;
  RowJudge judge(model, evidence);
  for (std::size_t i = 0; i < evidence.rows.size(); ++i) {
    if (!judge.agrees(static_cast<Eigen::Index>(i), inputs_of(evidence))) wrong.push_back(evidence.rows[i]);
  }
  return wrong;
}

double share_reproduced(const CheckModel& model, const Evidence& evidence) {
  if (evidence.rows.empty() || evidence.is_spent()) return 0;
  const auto rows = std::min(tuned::kRowsOfShare, static_cast<Eigen::Index>(evidence.rows.size()));
  const unsigned shape = inputs_of(evidence) & (kTables | kHeads);
  if (!has_shape(model, evidence, shape & kHeads) || model.row_count < evidence.tensors->rows) return 0;
  if (evidence.has_tables() && model.tokens.pair_count() != evidence.cosine.cols()) return 0;
  RowJudge judge(model, evidence);
  double given = 0, all = 0;
  for (Eigen::Index i = 0; i < rows; ++i) {
    if (evidence.has_ids()) all += 1, given += judge.ids_agree(i) ? 1 : 0;
    if (!evidence.has_rotation()) continue;
    judge.compute(i);
    if (!evidence.has_tables()) {
      all += 1, given += judge.heads_agree(i) ? 1 : 0;
      continue;
    }
    for (Eigen::Index pair = 0; pair < judge.pairs(); ++pair) all += 1, given += judge.pair_agrees(i, pair) ? 1 : 0;
  }
  return all > 0 ? given / all : 0;
}

// --- Observations --------------------------------------------------------------------------------------------------

Observed observe(const Evidence& evidence, const CheckModel& model) {
  Observed observed;
  const auto rows = static_cast<Eigen::Index>(evidence.rows.size());
  evidence.spend(rows * model.tokens.pair_count());
  if (evidence.has_tables()) {
    observed.cosine = evidence.cosine;
    observed.sine = evidence.sine;
    if (model.exchanged) observed.cosine.swap(observed.sine);
    if (model.conjugate) observed.sine *= -1;
    observed.phase.resizeLike(observed.cosine);
    observed.noise.resizeLike(observed.cosine);
  } else if (evidence.has_heads()) {
    for (RowMatrixXd* one : {&observed.cosine, &observed.sine, &observed.phase, &observed.noise}) {
      one->resize(rows, model.tokens.pair_count());
    }
    // A model that rotates more channels than the vectors have shows nothing about them.
    const bool fits = model.still + 2 * model.tokens.pair_count() <= evidence.tensors->heads->channels;
    observed.cosine.setOnes();
    observed.sine.setZero();
    observed.noise.setConstant(std::numeric_limits<double>::infinity());
    for (Eigen::Index i = 0; i < rows && fits; ++i) solve_rotation(evidence, model, i, observed);
    if (model.exchanged) observed.cosine.swap(observed.sine);
    if (model.conjugate) observed.sine *= -1;
  }
  if (model.cosine_factor != 0) observed.cosine /= model.cosine_factor;
  if (model.sine_factor != 0) observed.sine /= model.sine_factor;
  fill_phases(observed, evidence);
  return observed;
}

}  // namespace ropescope
