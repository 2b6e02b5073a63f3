// The registry of encodings, their validation, ladders, models and values. Read encoding.h first.
//
// Contents: Registry; Validation; Ladders; Models; Values.

#include "core/encodings/encoding.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <string>

#include "core/encodings/matrix.h"
#include "core/encodings/parts.h"
#include "core/message.h"
#include "core/parallel.h"
#include "core/registry.h"
#include "core/rotary/spec.h"

namespace ropescope {

// --- Registry ------------------------------------------------------------------------------------------------------

extern const Encoding kNoEncoding, kSinusoidalEncoding, kShawEncoding, kLearnedEncoding, kTransformerXlEncoding,
    kT5Encoding, kTupeEncoding, kDebertaEncoding, kHierarchicalEncoding, kRopeEncoding, kAlibiEncoding, kKerpleEncoding,
    kSandwichEncoding, kXposEncoding, kPRopeEncoding;

namespace {

// No encoding first, then by date, the order of lists.
const Encoding kEncodings[] = {
    kNoEncoding,             // q·k alone
    kSinusoidalEncoding,     // June 2017
    kLearnedEncoding,        // 2017, BERT 2018
    kShawEncoding,           // March 2018
    kTransformerXlEncoding,  // January 2019
    kT5Encoding,             // October 2019
    kDebertaEncoding,        // June 5th, 2020
    kTupeEncoding,           // June 28th, 2020
    kHierarchicalEncoding,   // December 2020
    kRopeEncoding,           // April 2021
    kAlibiEncoding,          // August 2021
    kKerpleEncoding,         // May 2022
    kXposEncoding,           // December 20th, 2022
    kSandwichEncoding,       // December 20th, 2022
    kPRopeEncoding,          // October 2024
};

// --- Validation ----------------------------------------------------------------------------------------------------

/// Returns why a ladder cannot be used; empty if it can.
Message describe_ladder_error(const EncodingLadder& ladder, const EncodingValues& settings) {
  const auto turning = 2 * std::ssize(ladder.frequencies);
  const bool fits = turning >= 2 && turning <= settings.dim;
  if (!fits) return Message("encodings.ladder_too_wide", {{"turning", turning}, {"dim", settings.dim}});
  if (settings.rotary_dim != 0 && settings.rotary_dim != turning) {
    return Message("encodings.ladder_rotary_dim", {{"turning", turning}, {"rotary_dim", settings.rotary_dim}});
  }
  const auto good = [](double frequency) { return std::isfinite(frequency) && frequency >= 0; };
  const bool turns = std::all_of(ladder.frequencies.begin(), ladder.frequencies.end(), good);
  if (turns && std::isfinite(ladder.amplitude) && ladder.amplitude > 0) return {};
  return Message("encodings.ladder_numbers", {{"amplitude", ladder.amplitude}});
}

// --- Ladders -------------------------------------------------------------------------------------------------------

bool is_plain(const ScaledLadder& ladder, const RotaryAxis& axis) {
  return ladder.amplitude == 1 && 2 * ladder.frequencies.size() == axis.rotary_dim &&
         ladder.frequencies == plain_frequencies(axis.rotary_dim, axis.base);
}

// --- Models --------------------------------------------------------------------------------------------------------

constexpr std::int64_t kFarthestPosition = std::int64_t{1} << 50;
/// Number of distances per thread and step.
constexpr std::int64_t kDistancesPerThread = 64;

void require_content(const EncodingModel& model, std::string_view what, const Eigen::VectorXd& vector) {
  if (vector.size() == model.settings().dim) return;
  throw InputError(model.encoding().name, "encodings.channels",
                   {{"what", what}, {"found", vector.size()}, {"dim", model.settings().dim}});
}

void require_position(const EncodingModel& model, std::int64_t position) {
  if (position < -kFarthestPosition || position > kFarthestPosition) {
    throw InputError(model.encoding().name, "encodings.position", {{"position", position}});
  }
  if (model.plan().check_position) model.plan().check_position(position);
}

// --- Values --------------------------------------------------------------------------------------------------------

constexpr std::int64_t kRowsOfValues = 32;

const PlanValues& find_part(const EncodingModel& model, std::string_view name) {
  const auto& parts = model.plan().values;
  if (const PlanValues* found = find_named_entry(parts, name)) return *found;
  if (parts.empty()) throw InputError(model.encoding().name, "encodings.no_values", {{"part", name}});
  throw InputError(model.encoding().name, "encodings.values", {{"part", name}, {"known", known_names(parts)}});
}

}  // namespace

std::span<const Encoding> all_encodings() {
  return kEncodings;
}

const Encoding& find_encoding(std::string_view name) {
  return required_entry(all_encodings(), name, "encodings.unknown");
}

bool is_defined_at(const Encoding& encoding, const EncodingValues& settings, std::int64_t position) {
  return !encoding.positions || (position >= 0 && position < encoding.positions(settings));
}

Message title_of(const Encoding& encoding) {
  return Message("encoding." + std::string(encoding.name) + ".title");
}

Message formula_of(const Encoding& encoding) {
  if (!encoding.explained) return verbatim(encoding.formula);
  return Message("encoding." + std::string(encoding.name) + ".formula", {{"formula", encoding.formula}});
}

Message scale_rule_of(const Encoding& encoding) {
  if (!encoding.biased) return verbatim(encoding.scale);
  return encoding.scale.empty() ? Message("encodings.bias_as_it_is")
                                : Message("encodings.bias_after_scale", {{"scale", encoding.scale}});
}

Message term_words(std::string_view term) {
  return Message("encodings.term." + std::string(term));
}

std::shared_ptr<const EncodingModel> make_model(const Encoding& encoding, const EncodingValues& settings) {
  validate(encoding, settings);
  return encoding.make(encoding, settings);
}

// --- Validation ----------------------------------------------------------------------------------------------------

using namespace encoding_settings;

double value_of(const EncodingValues& settings, const EncodingField& field) {
  return std::visit(
      [&](auto member) -> double {
        if constexpr (std::is_same_v<decltype(member), std::monostate>) {
          const auto given = settings.numbers.find(field.name);
          return given == settings.numbers.end() ? field.initial : given->second;
        } else {
          return static_cast<double>(settings.*member);
        }
      },
      field.member);
}

void set_value(EncodingValues& settings, const EncodingField& field, double value) {
  std::visit(
      [&](auto member) {
        if constexpr (std::is_same_v<decltype(member), std::monostate>) {
          settings.numbers[std::string(field.name)] = value;
        } else if constexpr (std::is_same_v<decltype(member), Pairing EncodingValues::*>) {
          settings.*member = value != 0 ? Pairing::half_split : Pairing::interleaved;
        } else {
          settings.*member = static_cast<std::decay_t<decltype(settings.*member)>>(value);
        }
      },
      field.member);
}

std::vector<EncodingField> all_encoding_fields() {
  static const std::vector<EncodingField> each_once = [] {
    auto all = collect_fields<EncodingField>(all_encodings(), &Encoding::settings);
    for (EncodingField& field : all) field.initial = value_of({}, field);
    return all;
  }();
  return each_once;
}

bool takes(const Encoding& encoding, std::string_view field) {
  return find_named_entry(encoding.settings, field) != nullptr;
}

void validate(const Encoding& encoding, const EncodingValues& settings) {
  for (const EncodingField& field : encoding.settings) {
    const double found = value_of(settings, field);
    const Message fault = field.fault              ? field.fault(encoding, settings)
                          : is_valid(field, found) ? Message()
                                                   : describe_valid_values(field);
    if (fault.empty()) continue;
    throw InputError("encodings.setting",
                     {{"encoding", encoding.name}, {"setting", field.name}, {"found", found}, {"expected", fault}});
  }
  if (!encoding.takes_ladder || !settings.ladder) return;
  const Message fault = describe_ladder_error(*settings.ladder, settings);
  if (!fault.empty()) throw InputError("encodings.ladder", {{"encoding", encoding.name}, {"problem", fault}});
}

// --- Ladders -------------------------------------------------------------------------------------------------------

void put_ladder(EncodingValues& settings, const Encoding& encoding, const RotaryAxis& axis,
                const ScaledLadder& ladder) {
  if (takes(encoding, "base")) settings.base = axis.base;
  if (!encoding.takes_ladder) return;
  const bool narrow = axis.rotary_dim < settings.dim, says_rotary_dim = takes(encoding, "rotary_dim");
  if (narrow && says_rotary_dim) settings.rotary_dim = axis.rotary_dim;
  if (is_plain(ladder, axis) && (!narrow || says_rotary_dim)) return;
  settings.ladder = {{ladder.frequencies.begin(), ladder.frequencies.end()}, ladder.amplitude};
}

// --- Models --------------------------------------------------------------------------------------------------------

EncodingModel::EncodingModel(const Encoding& encoding, const EncodingValues& settings, ScorePlan plan)
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
                                                  const Work& work) const {
  require_content(*this, "q", q);
  require_content(*this, "k", k);
  const auto count = static_cast<std::int64_t>(distances.size());
  const std::size_t term_count = term_names_.size();
  ScoresByDistance scores{TokenMatrix(count, static_cast<Eigen::Index>(term_count)), Eigen::VectorXd(count)};
  std::atomic<std::int64_t> next = 0;
  run_on_threads(work.threads, [&] {
    PairScores pair(*plan_, q, k);
    for (std::int64_t begin = next.fetch_add(kDistancesPerThread); begin < count && !work.stopped();
         begin = next.fetch_add(kDistancesPerThread)) {
      for (std::int64_t row = begin; row < std::min(count, begin + kDistancesPerThread); ++row) {
        const std::int64_t distance = distances[static_cast<std::size_t>(row)];
        pair.terms(query_position, query_position - distance, {scores.terms.row(row).data(), term_count});
      }
    }
  });
  if (work.stopped()) return {};
  scores.total = scores.terms.rowwise().sum();
  return scores;
}

std::vector<EncodingTable> EncodingModel::tables() const {
  return plan_->tables ? plan_->tables() : std::vector<EncodingTable>{};
}

// --- Values --------------------------------------------------------------------------------------------------------

std::vector<std::string> EncodingModel::value_columns(std::string_view part) const {
  return find_part(*this, part).columns;
}

TokenMatrix EncodingModel::values(std::string_view part, std::span<const std::int64_t> rows) const {
  TokenMatrix values(static_cast<Eigen::Index>(rows.size()),
                     static_cast<Eigen::Index>(find_part(*this, part).columns.size()));
  write_values(*this, part, rows, values.data());
  return values;
}

void write_values(const EncodingModel& model, std::string_view part, std::span<const std::int64_t> rows, double* out) {
  const PlanValues& found = find_part(model, part);
  for (const std::int64_t row : rows) {
    found.row(row, {out, found.columns.size()});
    out += found.columns.size();
  }
}

RowMatrix<float> EncodingModel::value_map(std::string_view part, std::int64_t first, std::int64_t count,
                                          const Work& work) const {
  const PlanValues& found = find_part(*this, part);
  if (count < 0) throw InputError("encodings.rows", {{"count", count}});
  if (found.sinusoids) return sinusoid_map(*found.sinusoids, first, count, work);
  const auto width = static_cast<Eigen::Index>(found.columns.size());
  RowMatrix<float> map(count, width);
  std::atomic<std::int64_t> next = 0;
  run_on_threads(work.threads, [&] {
    Eigen::RowVectorXd exact(width);
    for (std::int64_t begin = next.fetch_add(kRowsOfValues); begin < count && !work.stopped();
         begin = next.fetch_add(kRowsOfValues)) {
      for (std::int64_t row = begin; row < std::min(count, begin + kRowsOfValues); ++row) {
        found.row(first + row, {exact.data(), found.columns.size()});
        map.row(row) = exact.cast<float>();
      }
    }
  });
  if (work.stopped()) return {};
  return map;
}

}  // namespace ropescope
