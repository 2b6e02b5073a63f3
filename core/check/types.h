// The types that the steps of `check` share: effort, reference, inputs, causes and report. check.h has the functions.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/check/reading/stored_tensor.h"
#include "core/check/roles.h"
#include "core/layouts/layout.h"
#include "core/message.h"
#include "core/precision/precision.h"
#include "core/rotary/spec.h"

namespace ropescope {

// --- Effort --------------------------------------------------------------------------------------------------------

/// Default limit on the numbers computed by a search: a few seconds on one core.
inline constexpr std::int64_t kMaxEffort = 100'000'000;

/// Budget of a search for causes, in computed numbers (a cosine with its sine, or equivalent work): rows × pairs per
/// candidate. It does not depend on time, so the result is the same on every machine.
class Effort {
 public:
  explicit Effort(std::int64_t most) : most_(most) {}
  void spend(std::int64_t numbers) { spent_ += numbers; }
  bool is_spent() const { return spent_ >= most_; }
  std::int64_t spent() const { return spent_; }
  std::int64_t most() const { return most_; }

 private:
  std::int64_t most_, spent_ = 0;
};

// --- Reference -----------------------------------------------------------------------------------------------------

/// The expected result: the position of every token, the rotation, and the request it was arranged from, so that causes
/// can be proposed by arranging it differently. Create one with the functions below.
struct CheckReference {
  /// Ids, frequencies and pairing. A single rotary embedding is one block "text" whose axes all use its positions; its
  /// row count is 0 until check() infers the number of tokens from the inputs, unless positions are set.
  TokenLayout tokens;
  double amplitude = 1;  ///< factor of cos and sin (attention factor)

  const Layout* layout = nullptr;  ///< source: this layout, arranged with `request`
  LayoutRequest request;

  std::optional<RotarySpec> rope;  ///< or this rotary embedding, at `length`
  std::optional<double> length;    ///< l: current sequence length; nullopt: that of the tokens
  bool is_gguf = false;            ///< from a GGUF: fixes are llama.cpp options, not lines of a config.json
  /// Positions of the tokens of `rope`; nullopt: 0 … tokens − 1.
  std::optional<std::vector<double>> positions;

  std::optional<StoredTensor> cosine, sine;  ///< or these tables, taken as correct without a model

  std::string profile;                 ///< the model's embedding that this is; empty if it has only one
  bool profile_was_requested = false;  ///< the user selected the profile: tables of another one are an error
  /// The other profiles of the model, tried before anything is fitted.
  std::vector<CheckReference> others;
  bool rotates_last_channels = false;  ///< the last channels of a wider head are rotated (MLA: [nope | rope])
  bool sines_first = false;            ///< the released code stores sin before cos in one table (GPT-J, RoFormer)
  bool rotates_output_back =
      false;  ///< the model rotates its output back (DeepSeek V4): outputs may be rotated by −angle

  /// Names from causes_with_allow_option() that the tested weights were trained with: harmless if detected.
  std::set<std::string, std::less<>> allowed;
  bool strict = false;  ///< no cause is harmless, not even one that changes no score
};

// --- Inputs and report ---------------------------------------------------------------------------------------------

/// Order of the token and head axes of q: [tokens, heads, channels] or [heads, tokens, channels]. automatic: 4-D is [1,
/// heads, tokens, channels]; 3-D is the order that matches the number of tokens, an InputError if both do.
enum class HeadOrder { automatic, tokens_first, heads_first };

/// The tensors of the user's program, at least one of: ids, cosine and sine, table, frequencies, before and after.
struct CheckInputs {
  std::optional<StoredTensor> ids;              ///< [tokens] or [tokens, axes]
  std::optional<StoredTensor> cosine, sine;     ///< [tokens, pairs], or [tokens, 2·pairs] with columns repeated
  std::optional<StoredTensor> table;            ///< complex [tokens, pairs]; [tokens, pairs, 2, 2]; [tokens, pairs, 2]
  std::optional<StoredTensor> frequencies;      ///< [pairs], or the lists of the axes concatenated
  std::optional<StoredTensor> before, after;    ///< q or k: [tokens, channels], [tokens, heads, channels], …
  std::optional<Pairing> pairing;               ///< overrides the pairing of the reference
  std::string part = "all";                     ///< rows in the tensors: all, text, image, reference, audio
  HeadOrder head_order = HeadOrder::automatic;  ///< axis order of `before` and `after`
  /// First and end row to check, in tables, vectors and ids alike; nullopt: all. Reports use the row numbers of the
  /// files.
  std::optional<std::pair<std::int64_t, std::int64_t>> rows;
};
/// Returns the member for a role; null for the correct tables (against-cos, against-sin).
inline std::optional<StoredTensor> CheckInputs::*input_of(CheckRole role) {
  constexpr ByRole<std::optional<StoredTensor> CheckInputs::*> kInputs{
      {&CheckInputs::cosine, &CheckInputs::sine, &CheckInputs::table, &CheckInputs::before, &CheckInputs::after,
       &CheckInputs::ids, &CheckInputs::frequencies, nullptr, nullptr}};
  return kInputs[role];
}

/// A parameter of a cause: base 500000, offset (0, 1, 1), format bfloat16. JSON uses the English text of named values,
/// which is stable: named_value() in phrases.h.
struct CheckParameter {
  std::string name;
  std::variant<double, std::vector<double>, Message> value;
  bool operator==(const CheckParameter&) const = default;
};

struct CheckModel;  ///< the reference after causes were applied; ComparedValues compares with it

/// A cause that explains the difference.
struct CheckCause {
  std::string name;               ///< stable: "base", "axes-swapped", …
  std::vector<std::string> also;  ///< other causes that give the same tensor
  double confidence = 0;          ///< 0 … 1
  std::vector<CheckParameter> parameters;
  std::string input;           ///< input of the residuals: "cos", "ids", …
  double residual_before = 0;  ///< largest |difference| of that input without this cause (with the others applied)
  double residual_after = 0;   ///< with all causes of the report applied
  Message evidence;            ///< how it was detected
  Message advice;              ///< one sentence: what to change
  bool harmless = false;       ///< a note, not an error
  std::string seen_in;         ///< "owner/repository#number, …": known occurrences; may be empty
  std::shared_ptr<const CheckModel> applied;  ///< the reference with only this cause applied
};

/// How an input was interpreted, and its difference from the reference.
struct CheckedInput {
  std::string which;    ///< "ids", "cos", "sin", "table", "frequencies", "after"
  std::string name;     ///< name of the tensor
  Message understood;   ///< interpretation of its shape: tokens, pairs, order of columns
  std::string storage;  ///< storage type: "float32"
  bool agrees = false;
  bool evidence = true;           ///< false: it agrees, but could not have disagreed
  double largest_difference = 0;  ///< largest |difference| from the reference
  double tolerance = 0;           ///< tolerance there
  std::int64_t row = -1;          ///< row of the tensor there, −1 if it has none (frequencies)
  std::int64_t token = -1;        ///< token there, in the model's whole sequence
  std::string part;               ///< part there: text, image, …
  std::string axis;               ///< axis that rotates it; empty if several or none do
  std::int64_t pair = -1;         ///< pair there (ids: −1)
  std::int64_t head = -1;         ///< head there, for `before` and `after`
};

/// The range of positions on an axis.
struct CheckReach {
  std::string axis;
  double smallest = 0, largest = 0;  ///< ids of the rows with evidence
  double slowest_turn = 0;           ///< radians by which the slowest rotating pair rotates from id 0 to the farthest
};

/// The evidence behind a verdict. A pair at a token counts as evidence if the reference rotates it so far that its
/// numbers would change by more than the tolerance without the rotation (for two dumps without a ladder: relative to
/// their first row). At angle 0, and for zero vectors, every convention gives the same numbers. Ids are evidence for
/// their tokens, frequencies for all pairs.
struct CheckEvidence {
  std::int64_t tokens = 0, pairs = 0;           ///< number of tokens and of pairs with evidence
  std::vector<std::int64_t> zero_vector_pairs;  ///< pairs whose vectors are zero at every token where they rotate
};

/// Evidence of ggml's float32 recurrence: correct angles, but with larger errors than those of other float32 code.
struct CheckRecurrence {
  Recurrence way = Recurrence::cpu;  ///< the nearer of the two variants
  std::string input;                 ///< input with the largest difference that it explains
  double difference = 0;             ///< from the reference, with the report's causes applied
  double position = 0;               ///< largest |id| of the token there
  std::int64_t row = -1, pair = -1;  ///< row and pair there
};

/// Outcome of a check. no_evidence: nothing disagrees, and nothing could have disagreed.
enum class Verdict { agrees, disagrees, no_evidence };

struct CheckReport {
  Verdict verdict = Verdict::agrees;
  std::vector<CheckCause> causes;  ///< most convincing first; "unknown" if nothing explains a disagreement
  Message::List notes;             ///< full sentences
  std::vector<CheckedInput> inputs;
  std::vector<CheckReach> reach;
  CheckEvidence evidence;
  std::optional<CheckRecurrence> recurrence;  ///< set if the inputs disagree or stay unexplained without it
  /// The reference with all causes applied, judged with the recurrence if detected; null if there are neither.
  std::shared_ptr<const CheckModel> explained;
  /// Entry of the reference's `others` that the report is about; empty: the reference itself.
  std::string profile;
  std::int64_t effort = 0;  ///< numbers computed by the search for causes; 0 if there was no search
  bool cancelled = false;   ///< if true, ignore the rest of the report
};

struct CheckOptions {
  int threads = 0;  ///< 0: one per processor
  /// Limit on the numbers that the search may compute, doubled for tables of many pairs.
  std::int64_t most_effort = kMaxEffort;
  std::stop_token stop;
  std::function<void(double fraction, const Message& step)> progress;  ///< called from the caller's thread
};

// --- Lookups, defined by the step that uses them -------------------------------------------------------------------

/// Rows of the reference that a part selects, as stretches in the whole sequence, and their number.
struct CheckRows {
  std::vector<std::pair<std::int64_t, std::int64_t>> stretches;  ///< first row of the reference, count
  std::int64_t count = 0;
};
/// Returns the rows of `part`. Throws InputError for an unknown part or if the layout has no such rows.
CheckRows find_part_rows(const TokenLayout& tokens, const std::string& part);

/// Throws InputError for each error of check() that shapes alone show, and if a shape is larger than any table can be.
/// Reads no numbers: the tensors may be declared_only().
void require_shapes(const CheckReference& reference, const CheckInputs& inputs);

}  // namespace ropescope
