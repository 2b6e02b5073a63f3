// Causes in the values, one block each: amplitude, sign, layout of tables, intermediate formats.
//
// Contents: Amplitude; Sign; Tables; Format of positions; Format of frequencies.

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/check/causes/cause.h"
#include "core/check/evidence/positions.h"
#include "core/check/tuning.h"

namespace ropescope {

// --- Amplitude -----------------------------------------------------------------------------------------------------

namespace {

/// Returns values that an attention factor is mistaken for.
std::vector<double> likely(const Situation& situation) {
  const double due = situation.model.amplitude;
  std::vector<double> values = {1, due * due, std::sqrt(std::abs(due)), 1 / due};
  const double factor = situation.model.rope ? situation.model.rope->extension.number("factor").value_or(1) : 1;
  if (factor > 1) {
    const double once = 0.1 * std::log(factor) + 1;
    values.insert(values.end(), {once, once * once, 1 / once, 0.1 * std::log(once) + 1});
  }
  return values;
}

void add_amplitude_of(const Situation& situation, double amplitude, bool fitted, std::vector<Proposal>& proposals) {
  if (amplitude == situation.model.amplitude) return;
  Proposal& found = situation.add_to(proposals);
  found.model.amplitude = amplitude;
  found.set_fitted(fitted, doubt_of(amplitude));
  found.parameters = {{"amplitude", amplitude}};
  const double due = situation.model.amplitude;
  found.evidence = Message("check.amplitude.evidence", {{"found", amplitude}, {"due", due}});
  found.advice = Message("check.amplitude.advice", {{"due", due}});
}

/// The amplitudes of cos and of sin: (cos/a)² + (sin/b)² = 1 for all angles.
struct TwoAmplitudes {
  Fit of_cosine, of_sine;
};

/// Fits 1/a² and 1/b² by least squares over some rows; nullopt if they do not explain nearly all numbers.
std::optional<TwoAmplitudes> two_amplitudes(const Situation& situation) {
  const Observed& observed = situation.observed();
  const bool has_tables = situation.evidence.has_tables();
  const StorageUnit& unit = situation.evidence.table_unit;
  const Eigen::Index rows = std::min(tuned::kRowsOfAmplitudes, observed.cosine.rows());
  situation.evidence.spend(rows * observed.cosine.cols());
  const double size = observed.radius * observed.radius;
  // Slow pairs are near cos = amplitude and are all rounded alike.
  const RowMatrixXd smaller = observed.cosine.topRows(rows).cwiseAbs().cwiseMin(observed.sine.topRows(rows).cwiseAbs());
  const bool some_between =
      (smaller.array() > tuned::kBetweenOfRadius * observed.radius).count() >= tuned::kEnoughBetween;
  const auto each = [&](const auto& act) {
    for (Eigen::Index i = 0; i < rows; ++i) {
      for (Eigen::Index pair = 0; pair < observed.cosine.cols(); ++pair) {
        const double c = observed.cosine(i, pair), s = observed.sine(i, pair), noise = observed.noise(i, pair);
        if (!std::isfinite(noise) || (some_between && smaller(i, pair) <= tuned::kBetweenOfRadius * observed.radius))
          continue;
        const double of_c = has_tables ? unit.at(c) : noise, of_s = has_tables ? unit.at(s) : noise;
        act(c * c / size, s * s / size, 2 * std::hypot(c * of_c, s * of_s) / size + 1e-15);
      }
    }
  };
  Eigen::Matrix2d normal = Eigen::Matrix2d::Zero();
  Eigen::Vector2d sum = Eigen::Vector2d::Zero();
  each([&](double cc, double ss, double error) {
    const Eigen::Vector2d of{cc / error, ss / error};
    normal += of * of.transpose();
    sum += of / error;
  });
  if (!(normal.determinant() > 1e-12 * normal(0, 0) * normal(1, 1))) return std::nullopt;
  const Eigen::Matrix2d inverse = normal.inverse();
  const Eigen::Vector2d found = inverse * sum;
  if (!(found.minCoeff() > 0)) return std::nullopt;
  double right = 0, all = 0;
  each([&](double cc, double ss, double error) {
    const double larger = std::max({1.0, found[0], found[1]});
    right += std::abs(found[0] * cc + found[1] * ss - 1) <= tuned::kErrors * error * larger ? 1 : 0;
    all += 1;
  });
  if (right < tuned::kNearlyAll * all) return std::nullopt;
  const auto fit_of = [&](Eigen::Index i) {
    const double amplitude = observed.radius / std::sqrt(found[i]);
    return Fit{amplitude, amplitude * std::sqrt(inverse(i, i)) / (2 * found[i]), 0};
  };
  return TwoAmplitudes{fit_of(0), fit_of(1)};
}

/// Returns whether the cosines, or the sines, mostly have the sign that the model gives them.
bool has_sign_of_model(const Situation& situation, bool cosines) {
  const Observed& observed = situation.observed();
  const RowEvaluator evaluator(situation.model);
  const auto pairs = static_cast<std::size_t>(evaluator.pairs());
  if (observed.cosine.cols() != evaluator.pairs()) return true;
  std::vector<double> c(pairs), s(pairs), size(pairs);
  double sum = 0;
  const std::size_t rows = std::min(tuned::kRowsOfSign, situation.evidence.rows.size());
  situation.evidence.spend(static_cast<Eigen::Index>(rows * pairs));
  for (std::size_t i = 0; i < rows; ++i) {
    evaluator.row(situation.evidence.rows[i], c.data(), s.data(), size.data());
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      const auto row = static_cast<Eigen::Index>(i), p = static_cast<Eigen::Index>(pair);
      if (!std::isfinite(observed.noise(row, p))) continue;
      sum += cosines ? observed.cosine(row, p) * c[pair] : observed.sine(row, p) * s[pair];
    }
  }
  // For a conjugate model, the sign is removed from the observation.
  return sum * (cosines || !situation.model.conjugate ? 1 : -1) >= 0;
}

CheckModel with_amplitude(const CheckModel& of, bool cosines, double amplitude) {
  CheckModel model = of;
  (cosines ? model.cosine_factor : model.sine_factor) = amplitude / of.amplitude;
  return model;
}

/// Appends an amplitude of cos alone, or of sin alone.
void propose_alone(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  if (model.cosine_factor != 1 || model.sine_factor != 1 || model.amplitude == 0 || model.given_tables ||
      model.exchanged)
    return;
  const auto two = two_amplitudes(situation);
  if (!two) return;
  const StorageUnit& unit = situation.evidence.table_unit;
  const auto is_due = [&](const Fit& fit) {
    const double due = std::abs(model.amplitude);
    return std::abs(fit.value - due) <=
           std::max(tuned::kErrorsOfAmplitude * fit.error, unit.at(due) + tuned::kNearAmplitude * due);
  };
  const bool both_expected = is_due(two->of_cosine) && is_due(two->of_sine);
  const bool cosines = is_due(two->of_sine);
  if (!cosines && !is_due(two->of_cosine)) return;
  // The sign of all sines is a separate cause, that of all cosines is not.
  if (both_expected && has_sign_of_model(situation, true)) return;
  const double sign = (model.amplitude < 0) == has_sign_of_model(situation, cosines) ? -1 : 1;
  Fit rough = cosines ? two->of_cosine : two->of_sine;
  rough.value *= sign;
  const Fit fit = refine_fit(situation.evidence, rough,
                             [&](double amplitude) { return with_amplitude(model, cosines, amplitude); });
  std::vector<double> values;
  for (const double value : likely(situation)) {
    const double reach =
        std::max(tuned::kErrorsOfAmplitude * rough.error, tuned::kNearAmplitude * std::abs(rough.value));
    if (std::abs(value - rough.value) < reach) values.push_back(value);
  }
  // If much of a table is rounded alike, a fit to all of it is distorted.
  for (const Fit& one : {fit, rough}) {
    for (const double value : round_numbers(one)) values.push_back(value);
  }
  const std::string one = cosines ? "cos" : "sin", other = cosines ? "sin" : "cos";
  for (const double value : values) {
    Proposal& found = situation.add_to(proposals);
    found.model = with_amplitude(model, cosines, value);
    found.set_fitted(value == fit.value || value == rough.value, doubt_of(value));
    found.parameters = {{"amplitude", value}, {"of", verbatim(one)}};
    found.evidence = Message("check.amplitude.evidence_alone",
                             {{"one", one}, {"found", value}, {"other", other}, {"due", model.amplitude}});
    found.advice = Message("check.amplitude.advice_alone", {{"due", model.amplitude}});
  }
}

/// Appends amplitudes of the axes if the model has them (YaRN of an axis): none, one axis' on all, two swapped.
void propose_of_axes(const Situation& situation, std::vector<Proposal>& proposals) {
  const std::vector<LayoutAxis>& axes = situation.model.tokens.axes;
  std::vector<double> due;
  for (const LayoutAxis& axis : axes) due.push_back(axis.amplitude);
  if (std::all_of(due.begin(), due.end(), [](double one) { return one == 1; })) return;
  std::vector<std::vector<double>> others = {std::vector<double>(due.size(), 1)};
  for (const double one : due) others.emplace_back(due.size(), one);
  for (std::size_t a = 0; a < due.size(); ++a) {
    for (std::size_t b = a + 1; b < due.size(); ++b) {
      std::vector<double>& exchanged = others.emplace_back(due);
      std::swap(exchanged[a], exchanged[b]);
    }
  }
  const Message::List names = axis_names_of(situation.model);
  for (std::size_t i = 0; i < others.size(); ++i) {
    const std::vector<double>& amplitudes = others[i];
    if (amplitudes == due || std::find(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(i), amplitudes) !=
                                 others.begin() + static_cast<std::ptrdiff_t>(i))
      continue;
    Proposal& found = situation.add_to(proposals);
    for (std::size_t axis = 0; axis < axes.size(); ++axis) found.model.tokens.axes[axis].amplitude = amplitudes[axis];
    found.parameters = {{"amplitude", amplitudes}};
    found.evidence = Message("check.amplitude.evidence_axes",
                             {{"axes", names}, {"found", list_text(amplitudes)}, {"due", list_text(due)}});
    found.advice = Message("check.amplitude.advice_axes", {{"axes", names}, {"due", list_text(due)}});
  }
}

void propose_amplitude(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation()) return;
  propose_alone(situation, proposals);
  propose_of_axes(situation, proposals);
  const Observed& observed = situation.observed();
  const double unit = situation.evidence.has_tables() ? situation.evidence.table_unit.scale : 0.02;
  const double radius = observed.radius;
  if (!(radius > 0) || observed.spread > 8 * unit * radius + 1e-6) return;
  const Fit rough{radius, 0.2 * unit * radius, 0};
  const Fit fit = refine_fit(situation.evidence, rough, [&](double amplitude) {
    CheckModel model = situation.model;
    model.amplitude = amplitude;
    return model;
  });
  for (const double value : likely(situation)) {
    if (std::abs(value - radius) < 2 * unit * radius) add_amplitude_of(situation, value, false, proposals);
  }
  for (const double value : round_numbers(fit)) add_amplitude_of(situation, value, value == fit.value, proposals);
  // If ids are wrong too, they distort a fit to cos and sin, but not the radii alone.
  for (const double value : round_numbers(rough)) add_amplitude_of(situation, value, value == rough.value, proposals);
}

std::optional<double> own_amplitude(const CheckModel& model, std::string_view, std::size_t axis) {
  return model.amplitude * model.tokens.axes[axis].amplitude;
}

// --- Sign ----------------------------------------------------------------------------------------------------------

/// Returns whether nearly all given frequencies have the other sign.
bool is_given_backwards(const Situation& situation) {
  const std::vector<double>& given = situation.evidence.frequencies;
  const std::vector<double> due = stored_frequencies(situation.model);
  std::size_t turned = 0, kept = 0;
  for (std::size_t i = 0; i < due.size() && due.size() == given.size(); ++i) {
    turned += given[i] * due[i] < 0 ? 1 : 0;
    kept += given[i] * due[i] > 0 ? 1 : 0;
  }
  return turned > 0 && turned > 8 * kept;
}

void propose_sign(const Situation& situation, std::vector<Proposal>& proposals) {
  const bool allowed = situation.reference.allowed.contains(kSign.name);
  const Message advice(allowed ? "check.sign.advice_allowed" : "check.sign.advice");
  if (is_given_backwards(situation)) {
    Proposal& found = situation.add_to(proposals, [](CheckModel& model) { model.tokens.frequencies *= -1; });
    found.evidence = Message("check.sign.evidence_frequencies");
    found.advice = advice;
  }
  if (!situation.evidence.has_rotation()) return;
  Proposal& found = situation.add_to(proposals);
  found.model.conjugate = !found.model.conjugate;
  const bool back = situation.reference.rotates_output_back && !situation.evidence.has_tables();
  found.evidence = Message(back ? "check.sign.evidence_back" : "check.sign.evidence");
  found.advice = back ? Message("check.sign.advice_back") : advice;
}

void propose_exchange(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation()) return;
  Proposal& found = situation.add_to(proposals);
  found.model.exchanged = !found.model.exchanged;
  found.evidence = Message("check.cos-sin-exchanged.evidence");
  found.advice = Message("check.cos-sin-exchanged.advice");
}

// --- Tables --------------------------------------------------------------------------------------------------------

void propose_table_format(const Situation& situation, std::vector<Proposal>& proposals) {
  const Evidence& evidence = situation.evidence;
  const bool in_tables = evidence.table_format != ShortFormat::none;
  const ShortFormat format = in_tables ? evidence.table_format : evidence.vector_format;
  const CheckModel& model = situation.model;
  const bool known = model.part<StoredFormats>() == evidence;
  if (format == ShortFormat::none || known) return;
  Proposal& found = situation.add_to(proposals);
  found.model = set_detected_formats(model, evidence);
  const std::string name(format_name(format));
  found.parameters = {{"format", verbatim(name)}};
  found.evidence =
      Message(in_tables ? "check.table-format.evidence" : "check.table-format.evidence_vectors", {{"format", name}});
  found.advice = Message("check.table-format.advice", {{"format", name}});
}

// --- Format of positions -------------------------------------------------------------------------------------------

/// Numbers that a program rounds before cos and sin, with the keys of the texts.
struct Rounding {
  bool ids, frequencies, angles;
  std::string_view evidence, advice;
};

void add_rounding(const Situation& situation, const Rounding& what, ShortFormat format,
                  std::vector<Proposal>& proposals) {
  Proposal& found = situation.add_to(proposals);
  if (what.ids) found.model.id_format = format;
  if (what.frequencies) found.model.frequency_format = format;
  if (what.angles) found.model.angle_format = format;
  const std::string name(format_name(format));
  found.parameters = {{"format", verbatim(name)}};
  found.evidence = Message(what.evidence, {{"format", name}});
  if (what.ids) found.evidence.values.emplace_back("from", format == ShortFormat::bfloat16 ? 256 : 2048);
  found.advice = Message(what.advice);
}

/// Returns whether a format has numbers as large as the ids: beyond 65 504 float16 has only infinity, and no tables.
bool reaches_ids(const Situation& situation, ShortFormat format) {
  const RowEvaluator evaluator(situation.model);
  std::vector<double> ids(static_cast<std::size_t>(evaluator.axes()));
  for (const std::int64_t row : situation.evidence.rows) {
    evaluator.ids(row, ids.data());
    for (const double id : ids) {
      if (!std::isfinite(round_to_format(format, id))) return false;
    }
  }
  return true;
}

void propose_position_format(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation() && !situation.evidence.has_ids()) return;
  std::vector<ShortFormat> formats = {ShortFormat::bfloat16, ShortFormat::float16};
  std::erase_if(formats, [&](ShortFormat format) { return !reaches_ids(situation, format); });
  constexpr std::string_view kAdvice = "check.position-format.advice";
  for (const Rounding& what : {Rounding{true, false, false, "check.position-format.evidence", kAdvice},
                               Rounding{true, true, false, "check.position-format.evidence_frequencies", kAdvice},
                               Rounding{true, true, true, "check.position-format.evidence_angles", kAdvice}}) {
    for (const ShortFormat format : formats) add_rounding(situation, what, format, proposals);
    if (!situation.evidence.has_rotation()) return;
  }
}

// --- Format of frequencies -----------------------------------------------------------------------------------------

constexpr ShortFormat kShortFormats[] = {ShortFormat::bfloat16, ShortFormat::float16};

void propose_frequency_format(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation() && situation.evidence.frequencies.empty()) return;
  constexpr std::string_view kAdvice = "check.frequency-format.advice";
  for (const Rounding& what : {Rounding{false, true, false, "check.frequency-format.evidence", kAdvice},
                               Rounding{false, true, true, "check.frequency-format.evidence_angles", kAdvice}}) {
    for (const ShortFormat format : kShortFormats) add_rounding(situation, what, format, proposals);
  }
}

void propose_angles(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation()) return;
  const Rounding what{false, false, true, "check.angle-format.evidence", "check.angle-format.advice"};
  for (const ShortFormat format : kShortFormats) add_rounding(situation, what, format, proposals);
}

std::optional<CheckCause> tell_transposed(const Sighting& seen) {
  if (!seen.transposed) return std::nullopt;
  CheckCause cause;
  cause.evidence =
      Message("check.table-transposed.evidence", {{"pairs", seen.transposed->pairs}, {"rows", seen.transposed->rows}});
  cause.advice = Message("check.table-transposed.advice");
  return cause;
}

std::optional<CheckCause> tell_profile(const Sighting& seen) {
  if (!seen.agreeing) return std::nullopt;
  CheckCause cause;
  const Message::Named profile("profile", seen.agreeing->profile), own("own", seen.reference.profile);
  cause.parameters = {{"profile", verbatim(seen.agreeing->profile)}};
  cause.evidence = Message("check.profile.evidence", {profile, own});
  cause.advice = Message("check.profile.advice", {profile, own});
  return cause;
}

}  // namespace

/// √(cos² + sin²) is not the attention factor: missing, squared, with two logarithms, or on one of the two alone.
constinit const Cause kAmplitude{
    .name = "amplitude",
    .group = CauseGroup::values,
    .seen_in = "sgl-project/sglang#33558, NVIDIA/TensorRT-LLM#16379, ml-explore/mlx-lm#1507",
    .fix_kinds = kByLadder,
    .propose = propose_amplitude,
    .own_number = own_amplitude};

/// The conjugate table. If q is rotated by R(−m) and k by R(−n), a score depends on R(m − n) instead of R(n − m):
/// weights trained with the other sign give other scores.
constinit const Cause kSign{.name = "sign",
                            .group = CauseGroup::values,
                            .seen_in = "karpathy/nanochat#489",
                            .harm = Harm::by_weights,
                            .fix_kinds = kByRotation,
                            .rotates_output_back = true,
                            .propose = propose_sign};

/// Sine and cosine swapped: two files, two halves of a packed table, two results.
extern constinit const Cause kCosSinExchanged{.name = "cos-sin-exchanged",
                                              .group = CauseGroup::values,
                                              .seen_in = "",
                                              .tried_first = true,
                                              .propose = propose_exchange};

/// [pairs, tokens] instead of [tokens, pairs]: detected by take_tensors(), which then reads the tables transposed.
extern constinit const Cause kTableTransposed{
    .name = "table-transposed", .group = CauseGroup::values, .seen_in = "", .tell = tell_transposed};

/// The tensors of another embedding of the same model.
extern constinit const Cause kProfile{
    .name = "profile", .group = CauseGroup::frequencies, .seen_in = "", .fix_kinds = kNoFix, .tell = tell_profile};

/// Only cos and sin rounded: the error is flat. Detected in the numbers themselves, in addition to any other cause.
extern constinit const Cause kTableFormat{.name = "table-format",
                                          .group = CauseGroup::values,
                                          .seen_in = "",
                                          .harm = Harm::none,
                                          .fix_kinds = kNoFix,
                                          .of_storage = true,
                                          .propose = propose_table_format};

/// Ids rounded to a short format: repeats and steps.
extern constinit const Cause kPositionFormat{.name = "position-format",
                                             .group = CauseGroup::values,
                                             .seen_in = "huggingface/candle#3520, NVIDIA/Megatron-LM#535",
                                             .fix_kinds = kByIds,
                                             .rounds_on_the_way = true,
                                             .propose = propose_position_format};

/// Frequencies rounded before the product: the error grows with the position.
extern constinit const Cause kFrequencyFormat{.name = "frequency-format",
                                              .group = CauseGroup::values,
                                              .seen_in = "sgl-project/sglang-jax#1472, huggingface/transformers#29285",
                                              .rounds_on_the_way = true,
                                              .propose = propose_frequency_format};

/// Angles rounded after the product of integer ids and float32 frequencies: the error is proportional to the angle.
extern constinit const Cause kAngleFormat{.name = "angle-format",
                                          .group = CauseGroup::values,
                                          .seen_in = "",
                                          .rounds_on_the_way = true,
                                          .propose = propose_angles};

}  // namespace ropescope
