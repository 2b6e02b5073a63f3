#pragma once

#include <string_view>
#include <vector>

#include "core/encodings/encoding.h"
#include "core/encodings/plan.h"
#include "core/encodings/seeded.h"

namespace ropescope {

/// What several encodings share. Every encoding is declared here, one line each.
extern const Encoding kNoEncoding;
extern const Encoding kSinusoidalEncoding;
extern const Encoding kShawEncoding;
extern const Encoding kLearnedEncoding;
extern const Encoding kTransformerXlEncoding;
extern const Encoding kT5Encoding;
extern const Encoding kTupeEncoding;
extern const Encoding kDebertaEncoding;
extern const Encoding kRopeEncoding;
extern const Encoding kAlibiEncoding;
extern const Encoding kKerpleEncoding;
extern const Encoding kSandwichEncoding;
extern const Encoding kXposEncoding;
extern const Encoding kPRopeEncoding;

inline constexpr std::string_view kContentContent = "content–content";
/// Above this, d×d matrices take too long and too much memory.
inline constexpr int kLargestMatrixDim = 2048;

/// 1/√(parts · d): the scale of an encoding whose score has so many terms of the size of q·k.
double scale_of(const EncodingSettings& settings, int parts = 1);
std::int64_t no_parameters(const EncodingSettings&);

/// The content itself, or a vector that depends on the place alone.
TokenVector content_vector(int dim);
TokenVector place_vector(std::string id, int width, std::function<void(const Place&, std::span<double>)> form,
                         Weights weights = {});
/// q · k, scaled.
PlanTerm content_content(int dim);
PlanTerm product_term(std::string_view name, TokenVector query, TokenVector key);
/// A number by distance, not scaled.
PlanTerm bias_term(std::function<double(std::int64_t)> value);
/// q·k and a number by distance, which alone is the values: the plan of ALiBi and its like.
ScorePlan bias_plan(int dim, const std::function<double(std::int64_t)>& bias);
/// Their value parts.
inline constexpr std::string_view kBiasParts[] = {"bias"};

/// (q + W_q p_m) · (k + W_k p_n) as its four terms, and what encode makes of q and k. W_q, W_k: the settings.
void add_absolute_terms(ScorePlan& plan, const EncodingSettings& settings,
                        const std::function<void(const Place&, std::span<double>)>& position_vector);
/// The check for positions past a table of `rows` rows.
std::function<void(std::int64_t)> table_check(std::string_view encoding, int rows);

/// R_m x of the channels of a head of `dim` channels, of which those of `pairs` pairs of `frequencies` turn:
/// channels(pair) as in pair_channels for a head of 2 · pair_count rotated channels. Channels past them are copied.
struct TurningHead {
  int dim = 0;
  Eigen::VectorXd frequencies;
  Pairing pairing = Pairing::interleaved;
};
void turn_head(const TurningHead& head, std::span<const double> content, std::int64_t position, std::span<double> out);
/// The content of a head turned by the token's position.
TokenVector turned_vector(const TurningHead& head);
/// What turned queries and keys have in common beside the terms of their score: encode, and the values.
void add_rotation(ScorePlan& plan, const TurningHead& head);
/// The parts "cos", "sin", "angle" of a rotation.
void add_rotation_values(ScorePlan& plan, const Eigen::VectorXd& frequencies);
inline constexpr std::string_view kRotationParts[] = {"cos", "sin", "angle"};

}  // namespace ropescope
