// Comparison of tables, vectors, ids and frequencies with a model. Read compare.h first.
//
// Contents: Comparison; Planes; Scores and vectors.

#include "core/check/compare/compare.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "core/check/compare/rows.h"
#include "core/check/compare/sides.h"
#include "core/check/model/ladders.h"
#include "core/check/phrases.h"
#include "core/layouts/tables.h"
#include "core/message.h"

namespace ropescope {

// --- Comparison ----------------------------------------------------------------------------------------------------

namespace {

/// 2^⌊log2 |value|⌋; 0 for 0.
double power_below(double value) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & 0x7ff0000000000000u);
}

double half_unit_of_float32() {
  StoredTensor single;
  single.storage = Storage::float32;
  return half_unit(single, 1);
}

/// Replaces float64 by float32 storage, because the numbers may have been computed in float32.
StoredTensor to_computed_storage(const StoredTensor& tensor) {
  StoredTensor computed = tensor;
  if (tensor.storage == Storage::float64) computed.storage = Storage::float32;
  if (tensor.storage == Storage::complex128) computed.storage = Storage::complex64;
  return computed;
}

/// Adds half a unit of float32: cos and sin of the released code (torch, vectorised) err by up to a whole unit.
StorageUnit add_function_error(StorageUnit unit) {
  unit.scale += half_unit_of_float32();
  return unit;
}

/// Doubles a half unit, and adds a whole unit of float32 if that is a different one.
StorageUnit whole_unit(StorageUnit unit) {
  const double of_function = unit.scale == half_unit_of_float32() ? 0 : 2 * half_unit_of_float32();
  unit.scale = 2 * unit.scale + of_function;
  unit.least *= 2;
  return unit;
}

StoredTensor rows_of_tensor(const StoredTensor& tensor, std::int64_t first, std::int64_t count) {
  StoredTensor part = tensor;
  part.shape[0] = count;
  const std::size_t bytes = static_cast<std::size_t>(first * tensor.strides[0]) * element_bytes(tensor);
  part.bytes = tensor.bytes.subspan(std::min(bytes, tensor.bytes.size()));
  return part;
}

// --- Planes --------------------------------------------------------------------------------------------------------

/// Rows processed at a time, so that all buffers stay in the L1 cache.
constexpr std::int64_t kCachedRows = 16;

[[noreturn]] void reject_infinite(const TablePlane& plane, std::int64_t row, const double* stored, std::int64_t count) {
  const auto* found = std::find_if(stored, stored + count, [](double number) { return !std::isfinite(number); });
  throw InputError(plane.numbers.name, "check.odd_number_of_pair",
                   {{"row", row}, {"found", odd_number(*found)}, {"pair", found - stored}});
}

/// Buffers of one thread.
struct Buffers {
  std::vector<double> cosine, sine, size, stored;
  std::array<double, kCachedRows> reach{};  ///< of rows, if one axis rotates all pairs
  explicit Buffers(std::int64_t pairs) {
    const auto cells = static_cast<std::size_t>(kCachedRows * pairs);
    for (auto* one : {&cosine, &sine, &size, &stored}) one->resize(cells);
  }
};

const double* select_expected(const TablePlane& plane, const Buffers& buffers) {
  return plane.holds == Holds::cosine ? buffers.cosine.data() : buffers.sine.data();
}

/// The results of all planes, in their order.
using Tally = std::vector<RunResult>;

class PlanesJob {
 public:
  PlanesJob(const CheckModel& model, const TablePlanes& tables)
      : tables_(tables),
        expected_(model),
        pairs_(tables.pairs),
        angle_errors_(table_errors(model, expected_.evaluator(), tables)) {
    for (const TablePlane& plane : tables.planes) rules_.push_back(rule_of(plane, model));
    by_reach_ = expected_.knows_reaches() && tables.pairs == expected_.evaluator().pairs();
    for (std::size_t p = 0; p < rules_.size(); ++p) {
      by_reach_ = by_reach_ && reads_floats(tables.planes[p].numbers, rules_[p]);
    }
    if (!by_reach_) return;
    for (std::size_t pair = 0; pair < angle_errors_.size(); ++pair) {
      reach_errors_.push_back(angle_errors_[pair] * expected_.evaluator().speeds()[pair]);
    }
  }

  /// Judges rows first … first + count − 1.
  Tally judge(std::int64_t first, std::int64_t count, Buffers& buffers) const {
    Tally tally(tables_.planes.size());
    for (std::int64_t row = first; row < first + count; row += kCachedRows) {
      judge_few(row, std::min(kCachedRows, first + count - row), buffers, tally);
    }
    return tally;
  }

  /// Returns the place of a plane's largest difference; if that is tolerated although another is not, the place of the
  /// largest excess.
  Difference locate(std::size_t p, const RunResult& sum) const {
    Difference found = locate_among(p, sum.row, false);
    const double most = found.largest;
    if (sum.excess > 0 && found.largest <= found.tolerance) found = locate_among(p, sum.row_of_excess, true);
    found.most = most;
    found.excess = sum.excess;
    found.computed_in_float32 = rules_[p].strict && sum.strict_excess > 0 && found.agrees();
    return found;
  }

  std::int64_t pairs() const { return pairs_; }

  /// Returns the difference at one place of a plane, without subtracting what rounding explains.
  Difference at(std::size_t p, std::int64_t row, std::int64_t pair) const {
    Difference found;
    look(p, row, 1, [&](std::int64_t, std::int64_t seen, double difference, double, double tolerance) {
      if (seen == pair) found = {{difference, tolerance}, row, pair};
    });
    return found;
  }

 private:
  /// Calls see(row, pair, difference, expected, tolerance) for the numbers of some rows of a plane.
  template <class See>
  void look(std::size_t p, std::int64_t first, std::int64_t count, const See& see) const {
    Buffers buffers(pairs_);
    expected_.rows(first, count, buffers.cosine.data(), buffers.sine.data(), buffers.size.data());
    const TablePlane& plane = tables_.planes[p];
    read_rows(plane.numbers, first, count, buffers.stored.data());
    const double* expected = select_expected(plane, buffers);
    const double sign = plane.holds == Holds::minus_sine ? -1 : 1;
    for (std::int64_t i = 0; i < count * pairs_; ++i) {
      const auto at = static_cast<std::size_t>(i), pair = static_cast<std::size_t>(i % pairs_);
      see(first + i / pairs_, i % pairs_, std::abs(buffers.stored[at] - sign * expected[i]), expected[i],
          rules_[p].unit.at(expected[i]) + angle_errors_[pair] * buffers.size[at]);
    }
  }

  /// Finds the place among the rows that are processed together from `first` on.
  Difference locate_among(std::size_t p, std::int64_t first, bool by_excess) const {
    Difference found;
    double most = -std::numeric_limits<double>::infinity();
    const auto see = [&](std::int64_t row, std::int64_t pair, double whole, double expected, double tolerance) {
      const double difference = beyond_rounding(rules_[p], whole, expected);
      const double counts = by_excess ? difference - tolerance : difference;
      if (counts <= most) return;
      most = counts;
      found = {{difference, tolerance}, row, pair};
    };
    look(p, first, std::min(kCachedRows, tables_.rows - first), see);
    return found;
  }

  /// Computes the expected numbers of at most kCachedRows rows, with their sizes or the reaches that determine them.
  void expect(std::int64_t first, std::int64_t count, Buffers& buffers) const {
    expected_.rows(first, count, buffers.cosine.data(), buffers.sine.data(), by_reach_ ? nullptr : buffers.size.data());
    if (!by_reach_) return;
    const RowEvaluator& evaluator = expected_.evaluator();
    evaluator.reaches_of(*evaluator.only_axis(), first, count, buffers.reach.data());
  }

  /// Judges at most kCachedRows rows.
  void judge_few(std::int64_t first, std::int64_t count, Buffers& buffers, Tally& tally) const {
    expect(first, count, buffers);
    for (std::size_t p = 0; p < tables_.planes.size(); ++p) {
      const TablePlane& plane = tables_.planes[p];
      RunNumbers run{buffers.stored.data(),
                     select_expected(plane, buffers),
                     buffers.size.data(),
                     count,
                     pairs_,
                     plane.holds == Holds::minus_sine ? -1.0 : 1.0,
                     angle_errors_.data()};
      if (by_reach_) run.reach = buffers.reach.data(), run.angle_errors = reach_errors_.data();
      if (reads_floats(plane.numbers, rules_[p])) {
        run.row_bytes = plane.numbers.strides[0] * static_cast<std::int64_t>(sizeof(float));
        run.floats = plane.numbers.bytes.data() + first * run.row_bytes;
      } else {
        read_rows(plane.numbers, first, count, buffers.stored.data());
      }
      RunResult result = judge_run(run, rules_[p]);
      if (!result.finite) reject_row(plane, first, count, buffers);
      result.row = result.row_of_excess = first;
      tally[p].join(result);
    }
  }

  [[noreturn]] void reject_row(const TablePlane& plane, std::int64_t first, std::int64_t count,
                               Buffers& buffers) const {
    read_rows(plane.numbers, first, count, buffers.stored.data());
    for (std::int64_t r = 0; r < count; ++r) {
      const double* row = buffers.stored.data() + r * pairs_;
      if (!std::all_of(row, row + pairs_, [](double number) { return std::isfinite(number); })) {
        reject_infinite(plane, first + r, row, pairs_);
      }
    }
    throw InputError(plane.numbers.name, "check.too_large", {{"row", first}});
  }

  const TablePlanes& tables_;
  ExpectedRows expected_;
  std::int64_t pairs_;
  std::vector<PlaneRule> rules_;
  std::vector<double> angle_errors_;
  bool by_reach_ = false;             ///< the reaches of rows suffice to judge all planes
  std::vector<double> reach_errors_;  ///< angle errors per unit of reach
};

void put_planes(const PlanesJob& job, const TablePlanes& tables, const Tally& tally, Comparison& comparison) {
  for (std::size_t p = 0; p < tables.planes.size(); ++p) {
    const Difference found = job.locate(p, tally[p]);
    const std::string& which = tables.planes[p].which;
    const auto same = std::find_if(comparison.inputs.begin(), comparison.inputs.end(),
                                   [&](const auto& input) { return input.first == which; });
    if (same == comparison.inputs.end()) {
      comparison.inputs.emplace_back(which, found);
      continue;
    }
    const double excess = std::max(same->second.excess, found.excess);
    const double most = std::max(same->second.size(), found.size());
    const bool single = same->second.computed_in_float32 || found.computed_in_float32;
    if (found.is_worse_than(same->second)) same->second = found;
    same->second.excess = excess;
    same->second.most = most;
    same->second.computed_in_float32 = single && same->second.agrees();
  }
}

/// Compares the tables; vectors, ids and frequencies follow below. Returns false if cancelled.
bool compare_planes(const CheckModel& model, const TablePlanes& tables, const CheckOptions& options,
                    Comparison& comparison) {
  if (tables.planes.empty()) return true;
  const PlanesJob job(model, tables);
  Tally all(tables.planes.size());
  const auto make_worker = [&]() -> WorkPiece {
    return [&, buffers = Buffers(job.pairs())](const RowPiece& piece) mutable -> JoinPiece {
      return [&all, found = job.judge(piece.first, piece.count, buffers)] {
        for (std::size_t p = 0; p < all.size(); ++p) all[p].join(found[p]);
      };
    };
  };
  if (!parallel_for_rows(tables.rows, options, make_worker)) return false;
  put_planes(job, tables, all, comparison);
  return true;
}

// --- Scores and vectors --------------------------------------------------------------------------------------------

/// Error of a rotation computed in the format of the vectors, in units: cos, sin, the two products and the sum may each
/// be rounded (Hugging Face's Llama in bfloat16).
constexpr double kRoundings = 2.5;

/// Throws InputError if a number is not finite. The message names the row; for frequencies, which have none, the pair.
void require_finite_numbers(const StoredTensor& tensor, const double* numbers, std::int64_t count,
                            std::optional<std::int64_t> row) {
  const double* found = std::find_if(numbers, numbers + count, [](double number) { return !std::isfinite(number); });
  if (found == numbers + count) return;
  throw InputError(tensor.name, row ? "check.odd_number" : "check.odd_frequency",
                   {{"place", row.value_or(found - numbers)}, {"found", odd_number(*found)}});
}

/// Returns difference − tolerance; infinity for NaN.
double beyond(double difference, double tolerance) {
  const double excess = difference - tolerance;
  return std::isnan(excess) ? std::numeric_limits<double>::infinity() : excess;
}

bool shows_what_float32_gives(const StoredTensor& tensor) {
  return tensor.storage == Storage::float64;
}

/// Returns the frequencies shared by all axes; empty if they differ or there is only one axis.
std::vector<double> shared_ladder(const CheckModel& model) {
  const Eigen::MatrixXd& frequencies = model.tokens.frequencies;
  std::vector<double> shared;
  for (Eigen::Index axis = 0; axis < frequencies.rows() && frequencies.rows() > 1; ++axis) {
    std::vector<double> own;
    for (const double frequency : frequencies.row(axis)) {
      if (frequency != 0) own.push_back(round_to_format(model.frequency_format, frequency));
    }
    if (axis > 0 && own != shared) return {};
    shared = std::move(own);
  }
  return shared;
}

bool compare_heads(const CheckModel& model, const HeadVectors& heads, const CheckOptions& options,
                   Comparison& comparison) {
  const ExpectedRows expected(model);
  const RotationRule rule = rotation_rule(model, heads.before, heads.after);
  const Eigen::Index pairs = model.tokens.pair_count();
  const std::int64_t width = heads.heads * heads.channels;
  Difference best;
  const auto judge = [&](const RowPiece& piece) {
    ModelRow row(pairs, heads.channels);
    std::vector<double> before(static_cast<std::size_t>(width)), after(before);
    Difference mine;
    for (std::int64_t r = piece.first; r < piece.first + piece.count; ++r) {
      expected.rows(r, 1, row.cosine.data(), row.sine.data(), row.size.data());
      read_rows(heads.before, r, 1, before.data());
      read_rows(heads.after, r, 1, after.data());
      require_finite_numbers(heads.before, before.data(), width, r);
      require_finite_numbers(heads.after, after.data(), width, r);
      for (std::int64_t head = 0; head < heads.heads; ++head) {
        const std::int64_t at = head * heads.channels;
        Difference judged = judge_head(model, rule, row.view(), before.data() + at, after.data() + at);
        judged.row = r, judged.head = head;
        mine.join(judged);
      }
    }
    return [&best, mine] { best.join(mine); };
  };
  const bool done = parallel_for_rows(heads.rows, options, [&] { return judge; });
  best.computed_in_float32 = best.computed_in_float32 && best.agrees();
  comparison.inputs.emplace_back("after", best);
  return done;
}

bool compare_ids(const CheckModel& model, const StoredTensor& ids, const CheckOptions& options,
                 Comparison& comparison) {
  const RowEvaluator evaluator(model);
  const StorageUnit unit = find_storage_unit(ids);
  const auto axes = static_cast<std::size_t>(ids.shape[1]);
  Difference best;
  const auto judge = [&](const RowPiece& piece) {
    std::vector<double> expected(axes), found(axes);
    Difference mine;
    for (std::int64_t r = piece.first; r < piece.first + piece.count; ++r) {
      evaluator.ids(r, expected.data());
      read_rows(ids, r, 1, found.data());
      require_finite_numbers(ids, found.data(), static_cast<std::int64_t>(axes), r);
      for (std::size_t axis = 0; axis < axes; ++axis) {
        const double difference = std::abs(found[axis] - expected[axis]);
        const double tolerance = id_tolerance(unit, expected[axis]);
        mine.join({{difference, tolerance, beyond(difference, tolerance)}, r, static_cast<std::int64_t>(axis)});
      }
    }
    return [&best, mine] { best.join(mine); };
  };
  const bool done = parallel_for_rows(ids.shape[0], options, [&] { return judge; });
  comparison.inputs.emplace_back("ids", best);
  return done;
}

void compare_frequencies(const CheckModel& model, const StoredTensor& frequencies, Comparison& comparison) {
  const ExpectedFrequencies due = find_expected_frequencies(model, static_cast<std::size_t>(frequencies.shape[0]));
  const std::vector<double>& expected = due.values;
  std::vector<double> found(static_cast<std::size_t>(frequencies.shape[0]));
  read_rows(frequencies, 0, frequencies.shape[0], found.data());
  require_finite_numbers(frequencies, found.data(), frequencies.shape[0], std::nullopt);
  const StorageUnit unit = loosest_unit(frequencies);
  const bool strict = shows_what_float32_gives(frequencies);
  Difference best;
  for (std::size_t i = 0; i < due.compared; ++i) {
    const double difference = std::abs(found[i] - expected[i]);
    const double tolerance = frequency_tolerance(unit, expected[i]);
    Difference one{{difference, tolerance, beyond(difference, tolerance)}, 0, static_cast<std::int64_t>(i)};
    one.computed_in_float32 =
        strict && difference > kStrict * std::abs(expected[i]) + find_storage_unit(frequencies).at(expected[i]);
    best.join(one);
  }
  if (!due.counted) {
    // A number on one side only differs by its full value. Its place is reported if all others agree.
    const double alone = (found.size() > expected.size() ? found : expected)[due.compared];
    const bool others_agree = best.agrees();
    const Difference lacking{
        {std::abs(alone), frequency_tolerance(unit, alone), std::numeric_limits<double>::infinity()},
        0,
        static_cast<std::int64_t>(due.compared)};
    best.join(lacking);
    if (others_agree) best = lacking;
  }
  best.row = -1;
  best.computed_in_float32 = best.computed_in_float32 && best.agrees();
  comparison.inputs.emplace_back("frequencies", best);
}

/// Pairs that are half split together: those of one axis if the model splits by axis, else all.
struct HalvedPairs {
  Eigen::Index first = 0, count = 0;
};

HalvedPairs find_halved_pairs(const CheckModel& model, Eigen::Index pair, Eigen::Index pairs) {
  if (!model.tokens.halves_by_axis) return {0, pairs};
  std::vector<Eigen::Index> counts;
  if (model.blocks_of_pairs.empty()) {
    for (const LayoutAxis& axis : model.tokens.axes) counts.push_back(axis.rotary_dim / 2);
  }
  for (const auto& [axis, channels] : model.blocks_of_pairs) counts.push_back(channels / 2);
  HalvedPairs found;
  for (const Eigen::Index count : counts) {
    found.count = count;
    if (pair < found.first + count) return found;
    found.first += count;
  }
  return {0, pairs};
}

}  // namespace

CheckTensors rows_of(const CheckTensors& tensors, std::int64_t first, std::int64_t count) {
  CheckTensors part = tensors;
  part.frequencies.reset();
  part.rows = count;
  if (!part.tables.planes.empty()) part.tables.rows = count;
  for (TablePlane& plane : part.tables.planes) plane.numbers = rows_of_tensor(plane.numbers, first, count);
  if (part.heads) {
    part.heads->before = rows_of_tensor(part.heads->before, first, count);
    part.heads->after = rows_of_tensor(part.heads->after, first, count);
    part.heads->rows = count;
  }
  if (part.ids) part.ids = rows_of_tensor(*part.ids, first, count);
  return part;
}

double StorageUnit::at(double value) const {
  const double binary = std::max(power_below(value) * scale, least);
  if (!printed) return binary;
  StoredTensor text;
  text.storage = Storage::float64;
  text.printed = printed;
  return std::max(binary, half_unit(text, value));
}

StorageUnit find_storage_unit(const StoredTensor& tensor) {
  StoredTensor binary = tensor;
  binary.printed.reset();
  return {half_unit(binary, 1), half_unit(binary, 0), tensor.printed};
}

StorageUnit typical_unit(const StoredTensor& tensor) {
  return add_function_error(find_storage_unit(to_computed_storage(tensor)));
}

StorageUnit typical_unit(ShortFormat format) {
  return add_function_error(find_storage_unit(format));
}

StorageUnit loosest_unit(const StoredTensor& tensor) {
  return whole_unit(find_storage_unit(to_computed_storage(tensor)));
}

StorageUnit loosest_unit(ShortFormat format) {
  return whole_unit(find_storage_unit(format));
}

StorageUnit with_amplitude(StorageUnit unit, double amplitude) {
  constexpr double kHalfUnits = 3, kPart = 1e-3;
  // An amplitude very close to 1 was fitted to noise and must not loosen its own tolerance.
  unit.scale += std::min(kHalfUnits * half_unit_of_float32(), kPart * std::abs(std::abs(amplitude) - 1));
  return unit;
}

StorageUnit coarser(const StorageUnit& of_format, const StorageUnit& of_file) {
  // If the file is the coarser one, it rounds once more: by less than twice its unit.
  return {std::max(of_format.scale, of_file.scale), std::max(of_format.least, 2 * of_file.least), of_file.printed};
}

StorageUnit find_storage_unit(ShortFormat format) {
  StoredTensor tensor;
  tensor.storage = format == ShortFormat::bfloat16  ? Storage::bfloat16
                   : format == ShortFormat::float16 ? Storage::float16
                                                    : Storage::float64;
  return find_storage_unit(tensor);
}

ExpectedRows::ExpectedRows(const CheckModel& model) : model_(model), evaluator_(model) {
  const auto none = ShortFormat::none;
  const bool by_layout = !model.own_ids && !model.given_tables && model.order == TokenOrder::row_major &&
                         model.strides.empty() && model.id_factor == 1 && model.id_format == none &&
                         model.frequency_format == none && model.angle_format == none;
  if (by_layout) tables_ = std::make_shared<LayoutTables>(model.tokens);
}

void ExpectedRows::rows(std::int64_t first, std::int64_t count, double* cosine, double* sine, double* size) const {
  const Eigen::Index pairs = evaluator_.pairs();
  if (!tables_) {
    for (std::int64_t i = 0; i < count; ++i) {
      evaluator_.row(first + i, cosine + i * pairs, sine + i * pairs, size + i * pairs);
    }
    return;
  }
  for (std::int64_t done = 0; done < count;) {
    const auto [from, left] = remaining_range(model_, first + done);
    const std::int64_t run = std::min(left, count - done);
    tables_->table_rows<double>(from, run, cosine + done * pairs, sine + done * pairs);
    done += run;
  }
  if (size != nullptr) evaluator_.sizes(first, count, size);
  const double of_cosine = model_.amplitude * model_.cosine_factor;
  const double of_sine = (model_.conjugate ? -1 : 1) * model_.amplitude * model_.sine_factor;
  for (std::int64_t i = 0; i < count * pairs && (of_cosine != 1 || of_sine != 1); ++i) {
    cosine[i] *= of_cosine;
    sine[i] *= of_sine;
  }
  if (model_.exchanged) std::swap_ranges(cosine, cosine + count * pairs, sine);
}

const Difference* Comparison::find(std::string_view which) const {
  const auto found =
      std::find_if(inputs.begin(), inputs.end(), [which](const auto& input) { return input.first == which; });
  return found == inputs.end() ? nullptr : &found->second;
}

bool Comparison::agrees() const {
  return std::all_of(inputs.begin(), inputs.end(), [](const auto& input) { return input.second.agrees(); });
}

PlaneRule rule_of(const TablePlane& plane, const CheckModel& model) {
  PlaneRule rule;
  const bool rounded = model.table_format != ShortFormat::none;
  rule.unit = loosest_unit(plane.numbers);
  if (rounded) rule.unit = coarser(loosest_unit(model.table_format), rule.unit);
  rule.unit = with_amplitude(rule.unit, model.largest_amplitude());
  rule.unit.scale *= 1 + model.slack;
  rule.unit.least *= 1 + model.slack;
  if (rounded) rule.rounding = find_storage_unit(model.table_format);
  rule.strict_unit = find_storage_unit(plane.numbers);
  rule.strict = !rounded && plane.numbers.storage == Storage::float64;
  return rule;
}

void Difference::join(const Difference& other) {
  if (other.row < 0) return;
  const double excess_of_both = std::max(excess, other.excess), most_of_both = std::max(size(), other.size());
  const bool single = computed_in_float32 || other.computed_in_float32;
  const bool better = row < 0 || other.is_worse_than(*this) || (!is_worse_than(other) && other.row < row);
  if (better) *this = other;
  excess = excess_of_both;
  most = most_of_both;
  computed_in_float32 = single;
}

std::vector<double> table_errors(const CheckModel& model, const RowEvaluator& evaluator, const TablePlanes& tables) {
  std::vector<double> errors = estimate_angle_errors(model, evaluator, tables);
  for (double& error : errors) error = error * model.largest_amplitude() + kTableNoise;
  return errors;
}

double id_tolerance(const StorageUnit& unit, double expected) {
  constexpr double kFloat32 = 1e-7;  // units of float32 and float64 are below it
  const bool whole = expected == std::floor(expected);
  if (whole) return unit.scale < kFloat32 ? unit.at(expected) : 0;
  return unit.at(expected) + kAngleError * std::max(std::abs(expected), 1.0);
}

double frequency_tolerance(const StorageUnit& unit, double expected) {
  if (expected == 0) return unit.at(expected);
  return unit.at(expected) + frequency_error(expected) * std::abs(expected);
}

std::pair<std::int64_t, std::int64_t> channels_of(const CheckModel& model, std::int64_t pair, std::int64_t pairs) {
  if (model.companions == Pairing::interleaved && !model.out_by_halves) return {2 * pair, 2 * pair + 1};
  const HalvedPairs with = find_halved_pairs(model, pair, pairs);
  return {with.first + pair, with.first + pair + with.count};
}

ChannelRole role_of(const CheckModel& model, Eigen::Index channel, Eigen::Index pairs) {
  ChannelRole role;
  if (model.out_by_halves) {
    role.pair = channel % pairs;
    role.source = 2 * role.pair + channel / pairs;
    role.companion = role.source ^ 1;
    role.sign = channel < pairs ? -1 : 1;
    return role;
  }
  const HalvedPairs with = find_halved_pairs(model, channel / 2, pairs);
  const Eigen::Index inside = channel - 2 * with.first;
  role.source = channel;
  role.pair = model.repeats == Pairing::interleaved ? channel / 2 : with.first + inside % with.count;
  if (model.companions == Pairing::interleaved) {
    role.companion = channel ^ 1;
    role.sign = channel % 2 == 0 ? -1 : 1;
  } else {
    role.companion = inside < with.count ? channel + with.count : channel - with.count;
    role.sign = inside < with.count ? -1 : 1;
  }
  return role;
}

RotationRule rotation_rule(const CheckModel& model, const StoredTensor& before, const StoredTensor& after) {
  RotationRule rule;
  const bool rounded = model.vector_format != ShortFormat::none;
  rule.unit = loosest_unit(after);
  if (rounded) rule.unit = coarser(loosest_unit(model.vector_format), rule.unit);
  rule.strict_unit = find_storage_unit(after);
  rule.strict = !rounded && shows_what_float32_gives(after) && shows_what_float32_gives(before);
  const StorageUnit usual =
      rounded ? coarser(typical_unit(model.vector_format), typical_unit(after)) : typical_unit(after);
  rule.arithmetic = kRoundings * std::max(typical_unit(before).scale, usual.scale) * model.largest_amplitude();
  // CUDA's cosf and sinf in a kernel compiled with fast math, as in ggml.
  constexpr double kOfFastCosine = 0x1p-21;
  if (model.recurrence) rule.arithmetic += kOfFastCosine * model.largest_amplitude();
  rule.angle_error = angle_errors(model).of_pair;
  for (double& error : rule.angle_error) error *= model.largest_amplitude();
  return rule;
}

ChannelJudgement judge_channel(const CheckModel& model, const RotationRule& rule, const ModelRowView& row,
                               const double* before, const double* after, Eigen::Index channel) {
  const ChannelRole role = role_of(model, channel, row.pairs);
  const double x = before[role.source], y = before[role.companion], angle = row.size[role.pair];
  ChannelJudgement judged;
  judged.pair = role.pair;
  judged.expected = x * row.cosine[role.pair] + role.sign * y * row.sine[role.pair];
  judged.difference = std::abs(after[channel] - judged.expected);
  judged.length = std::abs(x) + std::abs(y);
  judged.tolerance = rule.unit.at(judged.expected) +
                     judged.length * (rule.arithmetic + rule.angle_error[static_cast<std::size_t>(role.pair)] * angle +
                                      kTableNoise * (1 + angle));
  return judged;
}

ChannelJudgement judge_head_channel(const CheckModel& model, const RotationRule& rule, const ModelRowView& row,
                                    const double* before, const double* after, Eigen::Index channel) {
  const Eigen::Index turned = channel - model.still;
  if (turned >= 0 && turned < 2 * row.pairs) {
    return judge_channel(model, rule, row, before + model.still, after + model.still, turned);
  }
  ChannelJudgement judged;
  judged.pair = -1;
  judged.expected = before[channel];
  judged.length = std::abs(judged.expected);
  judged.difference = std::abs(after[channel] - judged.expected);
  judged.tolerance = rule.unit.at(judged.expected) + rule.arithmetic * judged.length;
  return judged;
}

Difference judge_head(const CheckModel& model, const RotationRule& rule, const ModelRowView& row, const double* before,
                      const double* after) {
  Difference judged;
  judged.largest = -1;
  for (Eigen::Index channel = 0; channel < std::max<Eigen::Index>(row.channels, 2 * row.pairs); ++channel) {
    const ChannelJudgement one = judge_head_channel(model, rule, row, before, after, channel);
    judged.excess = std::max(judged.excess, beyond(one.difference, one.tolerance));
    if (rule.strict && one.pair >= 0) {
      const double strict =
          rule.strict_unit.at(one.expected) + one.length * (kStrict + 4 * kTableNoise * (1 + row.size[one.pair]));
      judged.computed_in_float32 = judged.computed_in_float32 || one.difference - strict > 0;
    }
    judged.most = std::max(judged.most, one.difference);
    // Selects the channel to report, as Difference::is_worse_than() does.
    const bool is_beyond = one.difference > one.tolerance, kept_beyond = judged.largest > judged.tolerance;
    if (is_beyond != kept_beyond ? kept_beyond : one.difference <= judged.largest) continue;
    judged.largest = one.difference;
    judged.tolerance = one.tolerance;
    judged.pair = one.pair;
  }
  return judged;
}

Difference difference_there(const CheckModel& model, const CheckTensors& tensors, std::string_view which,
                            const Difference& place) {
  Difference found = place;
  if (place.row < 0 || place.row >= model.row_count) return found;
  if (which == "after" && tensors.heads && place.head >= 0) {
    const HeadVectors& heads = *tensors.heads;
    const Eigen::Index pairs = model.tokens.pair_count();
    const std::int64_t width = heads.heads * heads.channels, begin = place.head * heads.channels;
    ModelRow row(pairs, heads.channels);
    std::vector<double> before(static_cast<std::size_t>(width)), after(before);
    ExpectedRows(model).rows(place.row, 1, row.cosine.data(), row.sine.data(), row.size.data());
    read_rows(heads.before, place.row, 1, before.data());
    read_rows(heads.after, place.row, 1, after.data());
    const Difference judged = judge_head(model, rotation_rule(model, heads.before, heads.after), row.view(),
                                         before.data() + begin, after.data() + begin);
    found.largest = judged.largest, found.tolerance = judged.tolerance, found.pair = judged.pair;
    return found;
  }
  const TablePlanes& tables = tensors.tables;
  if (tables.planes.empty() || place.pair < 0 || place.pair >= tables.pairs ||
      tables.pairs != model.tokens.pair_count())
    return found;
  const PlanesJob job(model, tables);
  found.largest = -1;
  for (std::size_t p = 0; p < tables.planes.size(); ++p) {
    if (tables.planes[p].which != which) continue;
    const Difference one = job.at(p, place.row, place.pair);
    if (one.largest > found.largest) found.largest = one.largest, found.tolerance = one.tolerance;
  }
  return found.largest < 0 ? place : found;
}

std::vector<double> stored_frequencies(const CheckModel& model) {
  const Eigen::MatrixXd& frequencies = model.tokens.frequencies;
  std::vector<double> stored;
  if (is_mixed(frequencies)) {
    for (const double frequency : frequencies.transpose().reshaped()) stored.push_back(frequency);
  } else {
    for (Eigen::Index pair = 0; pair < frequencies.cols(); ++pair) stored.push_back(frequencies.col(pair).sum());
  }
  for (double& frequency : stored) frequency = round_to_format(model.frequency_format, frequency);
  return stored;
}

ExpectedFrequencies find_expected_frequencies(const CheckModel& model, std::size_t count) {
  ExpectedFrequencies due;
  due.values = stored_frequencies(model);
  if (count != due.values.size()) {
    std::vector<double> turning = due.values, shared = shared_ladder(model);
    while (!turning.empty() && turning.back() == 0) turning.pop_back();
    if (count == turning.size()) {
      due.values = std::move(turning), due.of = ListOf::turning_pairs;
    } else if (count == shared.size()) {
      due.values = std::move(shared), due.of = ListOf::shared_ladder;
    }
  }
  due.compared = std::min(count, due.values.size());
  due.counted = count == due.values.size() || static_cast<std::int64_t>(count) == model.listed;
  return due;
}

Comparison compare_all(const CheckModel& model, const CheckTensors& tensors, const CheckOptions& options) {
  Comparison comparison;
  comparison.cancelled = !compare_planes(model, tensors.tables, options, comparison) ||
                         (tensors.heads && !compare_heads(model, *tensors.heads, options, comparison)) ||
                         (tensors.ids && !compare_ids(model, *tensors.ids, options, comparison));
  if (tensors.frequencies) compare_frequencies(model, *tensors.frequencies, comparison);
  return comparison;
}

}  // namespace ropescope
