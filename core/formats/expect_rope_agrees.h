// EXPECT_ROPE_AGREES for the GoogleTest suite of a port: compares its tables with a model's config.json and names the
// causes as `ropescope check` does. Only this header of core requires GoogleTest.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/check/check.h"
#include "core/formats/config.h"

namespace ropescope {

/// Wraps the caller's table, [tokens × columns], row-major: every pair once, or twice (half split or adjacent). The
/// numbers are not copied and must outlive the result.
inline StoredTensor rope_table(const std::string& name, std::span<const float> numbers, std::int64_t tokens) {
  const std::int64_t columns = tokens > 0 ? static_cast<std::int64_t>(numbers.size()) / tokens : 0;
  const std::vector<std::int64_t> shape = {tokens, columns};
  return {name, Storage::float32, false, shape, row_major_strides(shape), std::as_bytes(numbers), {}, {}};
}

/// Returns the reference for the tables: a rope, or the first profile of a config.json at positions 0, 1, 2, …
inline CheckReference rope_reference(const RotarySpec& spec) {
  return reference_from_rope(spec);
}
inline CheckReference rope_reference(const std::filesystem::path& config) {
  std::ifstream file(config, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return reference_from_rope(parse_model_config(text, config.string()).profiles.at(0).spec);
}

/// Compares tables with a config. The failure lists the causes with their parameters, the largest difference and its
/// position, or why nothing could be compared.
template <class Config>
testing::AssertionResult rope_agrees(const Config& config, const StoredTensor& cosine, const StoredTensor& sine) {
  try {
    CheckInputs inputs;
    inputs.cosine = cosine;
    inputs.sine = sine;
    const CheckReport report = check(rope_reference(config), inputs);
    if (report.verdict == Verdict::agrees) return testing::AssertionSuccess();
    testing::AssertionResult failure = testing::AssertionFailure();
    failure << (report.verdict == Verdict::no_evidence ? "no-evidence" : "disagrees");
    for (const CheckCause& cause : report.causes) {
      failure << "\n  " << cause.name;
      for (const CheckParameter& parameter : cause.parameters) {
        failure << ", " << parameter.name;
        if (const auto* number = std::get_if<double>(&parameter.value)) failure << " " << *number;
        if (const auto* words = std::get_if<Message>(&parameter.value)) failure << " " << debug_text(*words);
        if (const auto* list = std::get_if<std::vector<double>>(&parameter.value)) {
          for (const double each : *list) failure << " " << each;
        }
      }
    }
    for (const CheckedInput& input : report.inputs) {
      if (input.agrees) continue;
      failure << "\n  " << input.which << "[" << input.token << "]: |Δ| = " << input.largest_difference << " > "
              << input.tolerance;
    }
    return failure;
  } catch (const InputError& error) {
    return testing::AssertionFailure() << error.what();
  }
}

}  // namespace ropescope

/// config: the path of a config.json, or a RotarySpec; cos, sin: rope_table(NAME, NUMBERS, TOKENS) or any StoredTensor.
#define EXPECT_ROPE_AGREES(config, cos, sin) EXPECT_TRUE(::ropescope::rope_agrees(config, cos, sin))
