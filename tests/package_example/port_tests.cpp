// What the tests of a C++ port can get from ropescope: ids, ladders, tables, and the mistake in tables of its own.
// Built by run.sh against an installed prefix, where nothing of this checkout can be included.
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "core/check/check.h"
#include "core/formats/config.h"
#include "core/formats/tensor_file.h"
#include "core/layouts/layout.h"
#include "core/layouts/tables.h"
#include "core/message.h"
#include "core/scaling/scaling.h"

using namespace ropescope;

/// The port: cos and sin of a plain rope, [tokens × pairs] one row after the other.
std::vector<float> port_table(double (*function)(double), int tokens, int pairs, double base) {
  std::vector<float> table;
  for (int m = 0; m < tokens; ++m) {
    for (int i = 0; i < pairs; ++i) table.push_back(static_cast<float>(function(m * std::pow(base, -1.0 * i / pairs))));
  }
  return table;
}

StoredTensor as_tensor(const std::string& name, const std::vector<float>& numbers, std::int64_t rows) {
  const std::vector<std::int64_t> shape = {rows, static_cast<std::int64_t>(numbers.size()) / rows};
  return {name, Storage::float32, false, shape, row_major_strides(shape), std::as_bytes(std::span(numbers)), {}, {}};
}

CheckReport check_port(const RotarySpec& spec, double base) {
  const std::vector<float> cosine = port_table(std::cos, 512, 64, base), sine = port_table(std::sin, 512, 64, base);
  CheckInputs inputs;
  inputs.cosine = as_tensor("cos", cosine, 512);
  inputs.sine = as_tensor("sin", sine, 512);
  return check(reference_from_rope(spec), inputs);
}

int failures = 0;
void expect(bool right, const char* what) {
  std::printf("%s %s\n", right ? "ok    " : "FAILED", what);
  if (!right) ++failures;
}

void test_config_and_ladder() {
  const ModelConfig config = parse_model_config(
      R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "rope_theta": 500000.0})",
      "config.json");
  const HeadLadder ladder = head_ladder(config.profiles.front().spec);
  expect(ladder.frequencies.size() == 64, "a config's ladder has 64 pairs");
  expect(std::abs(ladder.frequencies[1] - std::pow(500000.0, -1.0 / 64)) < 1e-15, "and base 500000");
}

void test_layout() {
  LayoutRequest request;
  request.image = ImageSize::pixels(1664, 928);
  request.text = 512;
  const TokenLayout tokens = arrange(find_layout("flux.1"), request);
  expect(tokens.row_count() == 512 + 58 * 104, "flux.1 at 1664x928 has 512 + 58 x 104 tokens");
  expect(ids_of(tokens, 512 + 104) == std::vector<double>({0, 1, 0}),
         "the second row of the image begins at (0, 1, 0)");
  std::vector<double> cosine(64), sine(64);
  LayoutTables(tokens).table_rows(512 + 104, 1, cosine.data(), sine.data());
  expect(std::abs(cosine[8] - std::cos(1.0)) < 1e-15, "and its first pair of rows turns by 1");
}

void test_check() {
  RotarySpec spec;
  expect(check_port(spec, 10000).verdict == Verdict::agrees, "the port's tables agree");
  const CheckReport report = check_port(spec, 500000);
  expect(report.verdict == Verdict::disagrees && report.causes.front().name == "base",
         "another base is found and named");
}

void test_errors() {
  const auto key_of = [](const std::function<void()>& wrong) {
    try {
      wrong();
    } catch (const InputError& error) {
      return error.words().key;
    }
    return std::string();
  };
  expect(!key_of([] { parse_model_config("{", "config.json"); }).empty(),
         "a broken config is an InputError with a key");
  expect(!key_of([] { list_tensors({}, "dump.npz"); }).empty(), "so is an empty file");
}

int main() {
  test_config_and_ladder();
  test_layout();
  test_check();
  test_errors();
  return failures == 0 ? 0 : 1;
}
