// `check`: from tables and a model to a verdict. This header is what others include; behind it folders follow one
// another, each on those before: reading, model, compare, evidence, causes, search, report. To read them begin at
// reading/planes.h and model/model.h; check.cpp calls them in turn. specs compares two models without tables.
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
#include "core/precision/precision.h"
#include "core/rotary/spec.h"
#include "core/words.h"

namespace ropescope {

// --- Effort --------------------------------------------------------------------------------------------------------

/// Numbers that a search computes at most, unless it is told otherwise: a few seconds of one core.
inline constexpr std::int64_t kMostEffort = 100'000'000;

/// What a search of causes may cost: numbers (a cosine with its sine, or work like it) computed for candidates, rows ×
/// pairs of each. Never the clock: the answer is the same on every machine.
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

// --- Check ---------------------------------------------------------------------------------------------------------

/// What is expected: where every token stands, what turns by it, and what it was arranged from (so that causes can be
/// proposed by arranging it differently). Make one with the functions below.
struct CheckReference {
  /// Ids, ladders and pairing. A rope is one block "text" whose axes all count its positions; its row count is 0 until
  /// check() knows the number of tokens from the inputs, unless positions were given.
  TokenLayout tokens;
  double amplitude = 1;  ///< cos and sin are multiplied by it (attention factor)

  const Layout* layout = nullptr;  ///< arranged from this and `request`
  LayoutRequest request;

  std::optional<RotarySpec> rope;  ///< or from this, at `length`
  std::optional<double> length;    ///< l: current sequence length; none: that of the tokens
  bool of_gguf = false;            ///< from a GGUF: what is to be written are options of llama.cpp, no config.json
  /// Positions of a rope's tokens; none: 0 … tokens − 1.
  std::optional<std::vector<double>> positions;

  std::optional<StoredTensor> cosine, sine;  ///< or: these tables are right, nothing else is known

  std::string profile;  ///< which of the embeddings of its model it is; empty where that has one
  bool asked = false;   ///< somebody chose the profile: tables of another one are a fault
  /// The other profiles of the model. They are tried before anything is fitted.
  std::vector<CheckReference> others;
  bool turned_last = false;  ///< the last channels turn of a head that has more of them (MLA: [nope | rope])
  bool sines_first = false;  ///< the released code keeps sin before cos in one table (GPT-J, RoFormer)
  bool turns_back = false;   ///< the model turns its output back (DeepSeek V4): vectors named so may turn by −angle

  /// Names out of allowable_causes() that the weights in question were trained with: harmless where they are found.
  std::set<std::string, std::less<>> allowed;
  bool strict = false;  ///< no cause is harmless, not even one that changes no score
};

/// Causes that change no score where a program's own weights were trained with them, and all scores of a released
/// model: "sign". A reference of no released weights allows all of them, any other those that somebody asks for.
std::vector<std::string_view> allowable_causes();

/// Throws InputError as arrange().
CheckReference reference_from_layout(const Layout& layout, const LayoutRequest& request);
/// Throws InputError as head_ladder(); a position that is not finite, an empty list.
CheckReference reference_from_rope(const RotarySpec& spec, std::optional<double> length = {},
                                   std::optional<std::vector<double>> positions = {});
/// Two dumps against each other, no model.
CheckReference reference_from_tables(const StoredTensor& cosine, const StoredTensor& sine);

/// Order of the two middle axes of q: [tokens, heads, channels] or [heads, tokens, channels]. Automatic: 4-D is
/// [1, heads, tokens, channels]; 3-D is what fits the number of tokens, an InputError where both do.
enum class HeadOrder { automatic, tokens_first, heads_first };

/// What somebody's program computed. At least one of ids, cosine with sine, table, frequencies, before with after.
struct CheckInputs {
  std::optional<StoredTensor> ids;              ///< [tokens] or [tokens, axes]
  std::optional<StoredTensor> cosine, sine;     ///< [tokens, pairs], or [tokens, 2·pairs] with columns repeated
  std::optional<StoredTensor> table;            ///< complex [tokens, pairs]; [tokens, pairs, 2, 2]; [tokens, pairs, 2]
  std::optional<StoredTensor> frequencies;      ///< [pairs], or one axis after the other
  std::optional<StoredTensor> before, after;    ///< q or k: [tokens, channels], [tokens, heads, channels], …
  std::optional<Pairing> pairing;               ///< overrides the reference's
  std::string part = "all";                     ///< rows that the tensors hold: all, text, image, reference
  HeadOrder head_order = HeadOrder::automatic;  ///< of before and after
  /// First row and end of those that count: of tables, vectors and ids alike. None: all. Row numbers of a report are
  /// those of the files.
  std::optional<std::pair<std::int64_t, std::int64_t>> rows;
};
/// Where the tensor of a role is; null for tables that are right.
std::optional<StoredTensor> CheckInputs::*input_of(CheckRole role);

/// A parameter of a cause: base 500000, offset (0, 1, 1), format bfloat16. JSON has its words in English, which are
/// stable: named_value() in phrases.h.
struct CheckParameter {
  std::string name;
  std::variant<double, std::vector<double>, Words> value;
  bool operator==(const CheckParameter&) const = default;
};

struct CheckModel;  ///< the reference after causes were applied; CheckSides compares with it

/// One thing that explains the difference.
struct CheckCause {
  std::string name;               ///< stable: "base", "axes-swapped", …
  std::vector<std::string> also;  ///< other causes that give the same tensor
  double confidence = 0;          ///< 0 … 1
  std::vector<CheckParameter> parameters;
  std::string input;           ///< the input whose residual it is: "cos", "ids", …
  double residual_before = 0;  ///< largest |difference| of that input without this cause (the others applied)
  double residual_after = 0;   ///< with all causes of the report applied
  Words evidence;              ///< what shows it
  Words advice;                ///< one sentence: what to change
  bool harmless = false;       ///< a note, not a fault
  std::string seen_in;         ///< "owner/repository#number, …" where it happened; may be empty
  std::shared_ptr<const CheckModel> applied;  ///< the reference with this cause alone
};

/// How one input was read and how far it is from the reference.
struct CheckedInput {
  std::string which;    ///< "ids", "cos", "sin", "table", "frequencies", "after"
  std::string name;     ///< of the tensor
  Words understood;     ///< "58 tokens × 64 pairs, each stored twice by halves"
  std::string storage;  ///< "float32"
  bool agrees = false;
  bool evidence = true;           ///< false: it agrees, and could not have disagreed
  double largest_difference = 0;  ///< largest |difference| to the reference
  double tolerance = 0;           ///< there
  std::int64_t row = -1;          ///< there: row of the tensor, −1 where there is none (frequencies)
  std::int64_t token = -1;        ///< there: token in the whole sequence of the model
  std::string part;               ///< there: text, image, …
  std::string axis;               ///< there: the axis that turns it; empty where several or none do
  std::int64_t pair = -1;         ///< there: pair (ids: −1)
  std::int64_t head = -1;         ///< there, for before and after
};

/// How far positions reach on one axis.
struct CheckReach {
  std::string axis;
  double smallest = 0, largest = 0;  ///< ids of the rows that gave evidence
  double slowest_turn = 0;           ///< radians that the slowest turning pair turns from id 0 to the farthest of them
};

/// What the verdict rests on. A pair shows something at a token where the reference turns it so far that its numbers
/// would differ by more than is tolerated if it did not (two dumps without a ladder: so far from their first row): at
/// angle 0, and of vectors without a length, every convention gives the same numbers. Ids show something for their
/// tokens, frequencies for all pairs.
struct CheckEvidence {
  std::int64_t tokens = 0, pairs = 0;    ///< at which, and which, something is shown
  std::vector<std::int64_t> lengthless;  ///< pairs that turn, but whose vectors are zero at all tokens where they do
};

/// Angles were computed by ggml's recurrence in float32: right, and yet off by more than other float32 code is.
struct CheckRecurrence {
  Recurrence way = Recurrence::cpu;  ///< which of the two is nearer
  std::string input;                 ///< where the largest difference is that it explains
  double difference = 0;             ///< to the reference, with the causes of the report applied
  double position = 0;               ///< there: largest |id| of the token
  std::int64_t row = -1, pair = -1;  ///< there
};

/// No evidence: nothing disagrees, and nothing could have.
enum class Verdict { agrees, disagrees, no_evidence };

struct CheckReport {
  Verdict verdict = Verdict::agrees;
  std::vector<CheckCause> causes;  ///< most convincing first; "unknown" where nothing explains a disagreement
  Words::List notes;               ///< plain sentences
  std::vector<CheckedInput> inputs;
  std::vector<CheckReach> reach;
  CheckEvidence evidence;
  std::optional<CheckRecurrence> recurrence;  ///< without it the inputs would disagree, or be explained by nothing
  /// The reference with all causes applied, and judged by the recurrence; null where there is none of these.
  std::shared_ptr<const CheckModel> explained;
  /// Which of the reference's others the report is about; empty: the reference itself.
  std::string profile;
  std::int64_t effort = 0;  ///< what the search of causes has computed; 0 where none was looked for
  bool cancelled = false;   ///< stopped: nothing else in the report counts
};

struct CheckOptions {
  int threads = 0;  ///< 0: as many as there are processors
  /// What the search of causes may compute, twice as much for tables of many pairs.
  std::int64_t most_effort = kMostEffort;
  std::stop_token stop;
  std::function<void(double fraction, const Words& step)> progress;  ///< called from the caller's thread
};

/// Says whether the inputs agree with the reference, and if not, which known causes explain it (their order and
/// ties: core/check/causes/registry.cpp); or that they agree, but would with any reference. Throws InputError that
/// names the input: a shape that is not understood or is ambiguous (names the option that settles it), NaN or infinity,
/// tables of different shapes, no input at all.
CheckReport check(const CheckReference& reference, const CheckInputs& inputs, const CheckOptions& options = {});

/// What a report is about: the reference, or that of its others which the tensors are of.
const CheckReference& reported_on(const CheckReference& reference, const CheckReport& report);

/// Throws InputError as check() does for what shapes alone show, and where one is larger than any table can be. Looks
/// at no number: the tensors may be declared_only().
void require_shapes(const CheckReference& reference, const CheckInputs& inputs);

/// Rows of the tables and their number in the whole sequence: which rows of the reference the part selects.
struct CheckRows {
  std::vector<std::pair<std::int64_t, std::int64_t>> stretches;  ///< first row of the reference, count
  std::int64_t count = 0;
};
/// Throws InputError where the part is none of all, text, image, reference or the layout has no such rows.
CheckRows rows_of_part(const TokenLayout& tokens, const std::string& part);

/// A reference of tables as the positions and frequencies that give them; any other reference as it is. Throws
/// InputError where they are not tables of positions 0, 1, 2, …
CheckReference modelled(const CheckReference& given, const CheckInputs& inputs);

}  // namespace ropescope
