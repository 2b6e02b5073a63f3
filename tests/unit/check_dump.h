#pragma once

#include "core/check/check.h"
#include "tests/said.h"
#include "tests/sampled.h"
#include "tests/store_values.h"

namespace ropescope {

/// What a program computes, written out plainly: faults are committed on it, without any of the engine's code.
struct Dump {
  std::vector<std::vector<double>> ids;          ///< [rows][axes]
  std::vector<std::string> parts;                ///< [rows]
  std::vector<std::vector<double>> frequencies;  ///< [axes][pairs]
  std::vector<double> id_scale, id_offset;       ///< [axes]
  double amplitude = 1;
  bool conjugate = false;
  bool exchanged = false;  ///< cos and sin
  Pairing repeats = Pairing::interleaved, companions = Pairing::interleaved;
  std::vector<std::size_t> halves;  ///< pairs of each axis, where it turns halves of its own channels
  std::function<double(double)> round_id, round_frequency, round_table;  ///< null: not rounded
  std::function<double(double)> round_angle;                             ///< of products in float32; null: not rounded

  std::size_t rows() const { return ids.size(); }
  std::size_t axes() const { return frequencies.size(); }
  std::size_t pairs() const { return frequencies.empty() ? 0 : frequencies[0].size(); }
  double angle(std::size_t row, std::size_t pair) const;
  /// Whose cos and sin a channel takes, and the channel that it is turned with.
  std::size_t pair_of(std::size_t channel) const;
  std::size_t companion_of(std::size_t channel) const;
};

/// A reference that faults are tried on.
struct CheckCase {
  std::string name;
  CheckReference reference;
};

/// All layouts on a small odd grid that is not square, with text, references and frames where they take them.
std::vector<CheckCase> layout_cases();
CheckCase layout_case(const std::string& name, int rows = 5, int columns = 7);
/// One rope for every kind of ladder and extension; `tokens` positions are given.
std::vector<CheckCase> rope_cases();
CheckCase rope_case(const std::string& name);
/// Returns the layout cases, then the rope cases.
std::vector<CheckCase> layout_and_rope_cases();

/// The positions 0, 1, 2 …
std::vector<double> counted_positions(std::int64_t count);

/// The true dump of a reference.
Dump true_dump(const CheckReference& reference);

enum class TableForm { once, repeated, complex_numbers, matrices, real_and_imaginary };
/// cos and sin, or one table.
void put_tables(CheckInputs& inputs, const Dump& dump, Storage storage = Storage::float32,
                TableForm form = TableForm::once);
void put_ids(CheckInputs& inputs, const Dump& dump, Storage storage = Storage::float32);
void put_frequencies(CheckInputs& inputs, const Dump& dump, Storage storage = Storage::float32);
/// [tokens, heads, channels] of seeded vectors and what the program makes of them.
void put_vectors(CheckInputs& inputs, const Dump& dump, Storage storage = Storage::float32, int heads = 2);

/// Tables of these numbers, each of this shape.
inline CheckInputs cos_and_sin(const std::vector<std::int64_t>& shape, const std::vector<double>& cosine,
                               const std::vector<double>& sine, Storage storage) {
  CheckInputs inputs;
  inputs.cosine = store_values("cos.npy", shape, cosine, storage);
  inputs.sine = store_values("sin.npy", shape, sine, storage);
  return inputs;
}
/// Ids, frequencies or vectors only.
CheckInputs ids_in(const Dump& dump, Storage storage = Storage::float32);
CheckInputs frequencies_in(const Dump& dump, Storage storage = Storage::float32);
CheckInputs vectors_in(const Dump& dump, Storage storage = Storage::float32, int heads = 2);

/// Tables only.
CheckInputs tables_of(const Dump& dump, Storage storage = Storage::float32, TableForm form = TableForm::once);
/// Tables by the same code that says what is expected: not one number differs.
CheckInputs exact_tables(const TokenLayout& tokens, Storage storage = Storage::float64);
/// Repeated tables whose sines hold the signs of the rotation: of the first or the second channel of each pair.
CheckInputs with_signs(const Dump& dump, Storage storage, bool of_the_first);

/// "base + amplitude" or "agrees": the names of the causes of a report, harmless ones too.
std::string names_of(const CheckReport& report);
/// A number or a list of the first cause; NaN or empty where it has none of that name.
double number_of(const CheckReport& report, const std::string& parameter);
std::vector<double> list_of(const CheckReport& report, const std::string& parameter);
std::string text_of(const CheckReport& report, const std::string& parameter);
/// Whether a report names these causes, and the first of them has these parameters: words, numbers or lists.
testing::AssertionResult finds(const CheckReport& report, const std::string& names,
                               const std::map<std::string, json>& parameters);
/// Whether one of the notes has this key, and these values among others.
bool has_note(const CheckReport& report, const std::string& key, const TextValues& values = {});

}  // namespace ropescope
