// Correct tables that were truncated to a short format, or first rounded to another one: a whole unit of the format in
// which the numbers are stored is tolerated, however they were converted.

#include "check_dump.h"
#include "core/precision/precision.h"

namespace ropescope {

namespace {

/// The next number towards 0 with so many digits behind the leading bit, no finer than at 2^least.
double cut(double value, int digits, int least) {
  if (value == 0) return 0;
  const double unit = std::ldexp(1.0, std::max(std::ilogb(value), least) - digits);
  return std::trunc(value / unit) * unit;
}
double cut_to_bfloat16(double value) {
  return cut(value, 7, -126);
}
double cut_to_float16(double value) {
  return cut(value, 10, -14);
}
/// TensorFloat-32: the exponents of float32, the digits of float16.
double cut_to_tensor_float(double value) {
  return cut(value, 10, -126);
}

/// What becomes of a cosine or sine that was computed in float32.
struct RoundingWay {
  const char* name;
  double (*round)(double);
  Storage numbers, file;
};

constexpr RoundingWay kRoundingWays[] = {
    {"cut to bfloat16", cut_to_bfloat16, Storage::bfloat16, Storage::bfloat16},
    {"cut to bfloat16, kept in float32", cut_to_bfloat16, Storage::bfloat16, Storage::float32},
    {"cut to float16", cut_to_float16, Storage::float16, Storage::float16},
    {"cut to float16, kept in float32", cut_to_float16, Storage::float16, Storage::float32},
    {"cut to float16 and to bfloat16", [](double value) { return cut_to_bfloat16(cut_to_tensor_float(value)); },
     Storage::bfloat16, Storage::bfloat16},
    {"cut to 10 digits, rounded to bfloat16",
     [](double value) { return round_to_bfloat16(cut_to_tensor_float(value)); }, Storage::bfloat16, Storage::bfloat16},
    {"rounded to float16 and to bfloat16, kept in float16",
     [](double value) { return round_to_float16(round_to_bfloat16(round_to_float16(value))); }, Storage::bfloat16,
     Storage::float16},
    {"rounded to float32 and to float16", round_to_float16, Storage::float16, Storage::float16},
};

struct Span {
  int dim;
  double base;
  std::int64_t step, end;  ///< of the positions
};

constexpr Span kSpans[] = {{32, 100, 1, 64},         {64, 10000, 1, 512},      {128, 10000, 37, 4096},
                           {128, 5e5, 997, 100'000}, {256, 1e6, 1009, 40'000}, {96, 1e7, 1, 200},
                           {80, 2e4, 331, 32'768}};

CheckReference make_span_reference(const Span& span) {
  RotarySpec spec{.head_dim = span.dim, .axes = {RotaryAxis{.rotary_dim = span.dim, .base = span.base}}};
  std::vector<double> positions;
  for (std::int64_t position = 0; position < span.end; position += span.step) {
    positions.push_back(static_cast<double>(position));
  }
  return reference_from_rope(spec, {}, positions);
}

/// As released code computes it: frequency, angle, cosine and sine in float32, each a step of its own.
CheckInputs compute_rounded_table(const CheckReference& reference, const RoundingWay& way, double base,
                                  double amplitude = 1) {
  std::vector<double> cosine, sine;
  const auto dim = static_cast<float>(reference.rope->head_dim);
  const auto pairs = static_cast<std::int64_t>(reference.rope->head_dim) / 2;
  for (const double position : *reference.positions) {
    for (std::int64_t pair = 0; pair < pairs; ++pair) {
      const float frequency = 1.0F / std::pow(static_cast<float>(base), static_cast<float>(2 * pair) / dim);
      const float angle = static_cast<float>(position) * frequency;
      cosine.push_back(way.round(static_cast<float>(amplitude) * std::cos(angle)));
      sine.push_back(way.round(static_cast<float>(amplitude) * std::sin(angle)));
    }
  }
  const auto rows = static_cast<std::int64_t>(cosine.size()) / pairs;
  return cos_and_sin({rows, pairs}, cosine, sine, way.file);
}

}  // namespace

TEST(CheckRounding, RightTablesAgreeWhateverWayTheyCameToTheirFormat) {
  for (const Span& span : kSpans) {
    const CheckReference reference = make_span_reference(span);
    for (const RoundingWay& way : kRoundingWays) {
      SCOPED_TRACE(std::string(way.name) + ": " + std::to_string(span.dim) + " channels, base " +
                   std::to_string(span.base) + ", up to " + std::to_string(span.end));
      const CheckReport report = check(reference, compute_rounded_table(reference, way, span.base));
      EXPECT_EQ(report.verdict, Verdict::agrees) << names_of(report);
      for (const CheckCause& cause : report.causes) EXPECT_EQ(cause.name, "table-format");
      for (const CheckedInput& input : report.inputs) EXPECT_TRUE(input.agrees) << input.which;
    }
  }
}

TEST(CheckRounding, RightTablesOfLayoutsAgreeCutOff) {
  for (const char* name : {"flux.1", "qwen-image", "wan", "z-image", "dinov3", "ltx-video"}) {
    const CheckCase one = layout_case(name, 9, 6);
    for (const RoundingWay& way : kRoundingWays) {
      SCOPED_TRACE(std::string(name) + ", " + way.name);
      Dump dump = true_dump(one.reference);
      dump.round_table = [&way](double value) { return way.round(round_to_float32(value)); };
      const CheckReport report = check(one.reference, tables_of(dump, way.file));
      EXPECT_EQ(report.verdict, Verdict::agrees) << names_of(report);
    }
  }
}

TEST(CheckRounding, AnAmplitudeInFloat32RoundsMoreThanOnce) {
  const RoundingWay single{"float32", [](double value) { return value; }, Storage::float32, Storage::float32};
  for (const double amplitude : {1.1902380714238083, 1.3, 1.7, 0.7, -1.3}) {  // the first one is that of Phi 3.5
    for (const Span& span : kSpans) {
      SCOPED_TRACE(std::to_string(amplitude) + ": " + std::to_string(span.dim) + " channels, base " +
                   std::to_string(span.base));
      CheckReference reference = make_span_reference(span);
      const CheckInputs inputs = compute_rounded_table(reference, single, span.base, amplitude);
      reference.amplitude = amplitude;
      const CheckReport report = check(reference, inputs);
      EXPECT_EQ(report.verdict, Verdict::agrees) << names_of(report);
      if (amplitude < 0) continue;  // no port was seen with that
      // As a cause it explains all that differs too.
      reference.amplitude = 1;
      const CheckReport wrong = check(reference, inputs);
      ASSERT_FALSE(wrong.causes.empty());
      for (const CheckCause& cause : wrong.causes) EXPECT_EQ(cause.name, "amplitude");
    }
  }
}

TEST(CheckRounding, NoMoreThanAUnitIsAllowed) {
  const CheckReference reference = make_span_reference({64, 10000, 1, 512});
  for (const RoundingWay& way : kRoundingWays) {
    SCOPED_TRACE(way.name);
    CheckInputs inputs = compute_rounded_table(reference, way, 10000);
    std::vector<double> numbers = numbers_of(*inputs.cosine);
    // The cosine of 0 is 1 whichever way it is rounded.
    const double unit = way.numbers == Storage::bfloat16 ? 0x1p-7 : 0x1p-10;
    for (double& number : numbers) {
      if (number == 1) number += 2 * unit;
    }
    inputs.cosine = store_values("cos", inputs.cosine->shape, numbers, way.file);
    EXPECT_EQ(check(reference, inputs).verdict, Verdict::disagrees);
  }
}

TEST(CheckRounding, CausesOfTablesCutOffAreNamed) {
  const CheckReference reference = make_span_reference({128, 10000, 1, 256});
  for (const RoundingWay& way : kRoundingWays) {
    SCOPED_TRACE(way.name);
    const auto named = [&](const CheckInputs& inputs) {
      const CheckReport report = check(reference, inputs);
      EXPECT_EQ(report.verdict, Verdict::disagrees);
      return report.causes.empty() ? "" : report.causes[0].name;
    };
    EXPECT_EQ(named(compute_rounded_table(reference, way, 500'000)), "base");
    EXPECT_EQ(named(compute_rounded_table(reference, way, 10000, 1.25)), "amplitude");
  }
}

TEST(CheckRounding, TablesCutOffAgreeWithThoseTheyWereCutFrom) {
  const CheckReference reference = make_span_reference({64, 10000, 1, 300});
  const RoundingWay exact{"", [](double value) { return value; }, Storage::float32, Storage::float32};
  for (const RoundingWay& way : kRoundingWays) {
    SCOPED_TRACE(way.name);
    const CheckInputs whole = compute_rounded_table(reference, exact, 10000),
                      shorter = compute_rounded_table(reference, way, 10000);
    for (const bool exchanged : {false, true}) {
      const CheckInputs& given = exchanged ? shorter : whole;
      const CheckReference tables = reference_from_tables(*given.cosine, *given.sine);
      const CheckReport report = check(tables, exchanged ? whole : shorter);
      EXPECT_EQ(report.verdict, Verdict::agrees) << names_of(report);
    }
  }
}

}  // namespace ropescope
